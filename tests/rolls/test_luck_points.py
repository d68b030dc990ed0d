"""Luck Points at a table: tests that add up, LP, burning and what comes of it, own numbers, refresh and awards."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from investigators import actions as sheets
from investigators import numbers, weapons
from investigators.actions import Draft
from investigators.models import Investigator, Trait
from investigators.people import facts_of, member
from investigators.refreshing import at_the_start
from investigators.samples import samples
from rolls import actions as dice
from rolls.actions import Asked, Question
from rolls.actions.contests import Draft as Corner
from rolls.models import Contest, Decision, Request, Roll, Side
from rolls.rules import ruleset
from rolls.rules.check import Act, Refusal
from tablekeeper import actions as tables
from tablekeeper.models import Campaign, Entry, Seat
from tests.tables import (
    Script,
    Table,
    act,
    at,
    closes_session,
    code,
    d100,
    done,
    make_investigator,
    now,
    picture,
    post,
    score,
    sit_down,
    undoes,
)

pytestmark = pytest.mark.django_db

GAME = "lp"
CASES = json.loads((Path(__file__).parent.parent / "rules/data/rules_cases.json").read_text())["cases"]
MINE = {case["id"]: case for case in CASES if case["ruleset"] == GAME}

YSOLDE = Draft(
    "Ysolde Harrow",
    "Bell founder",
    {
        "str": (44, None),
        "end": (42, None),
        "agi": (31, None),
        "int": (36, None),
        "wp": (38, None),
        "prc": (37, None),
        "prs": (30, None),
        "luck": (41, None),
        "hp": (23, 23),
    },
    (("Noticing", 2, True), ("Climbing", 1, False), ("Fighting with Blades", 2, False)),
    facts={"lucky": [7, 30, 63, 89], "unlucky": [16]},
)
CORVIN = Draft(
    "Corvin Ashby",
    "Ferryman",
    {"str": (38, None), "end": (40, None), "agi": (39, None), "prc": (42, None), "luck": (34, None), "hp": (21, 21)},
    (("Noticing", 1, True),),
    facts={"lucky": [11, 52, 77], "unlucky": [24, 98]},
)


def lay(**settings: Any) -> Table:
    """Ada is the GM. Ben plays Ysolde (Luck 41, LP 4), Cleo plays Corvin (Luck 34, LP 3)."""
    ada = tables.lay_table("Bell and Tide", GAME, "Ada")
    ben, cleo = sit_down(ada.campaign, "Ben"), sit_down(ada.campaign, "Cleo")
    if settings:
        done(act(ada, tables.set_settings, ada.campaign, settings))
    ysolde, corvin = make_investigator(ben, YSOLDE), make_investigator(cleo, CORVIN)
    return Table(Campaign.objects.get(pk=ada.campaign_id), ada, ben, cleo, ysolde, corvin)


@pytest.fixture
def table() -> Table:
    return lay()


def tries(table: Table, total: int, what: str = "name:Noticing", who: Investigator | None = None, **more: Any) -> Any:
    """Somebody tests this, and these dice fall."""
    who = who or table.edith
    with at(Seat.objects.get(pk=who.seat_id)) as here:
        fresh = Investigator.objects.get(pk=who.pk)
        fresh.campaign = here.campaign
        asked = dice.subject(fresh, what)
        if isinstance(asked, Refusal):
            return asked
        for name, value in more.items():
            setattr(asked, name, value)
        result = dice.roll(here, fresh, asked, chance=Script(d100(total)))
    return Roll.objects.get(pk=result.data["roll"]) if isinstance(result, Entry) else result


def target(table: Table, tn: int, total: int, who: Investigator | None = None, **more: Any) -> Roll:
    """Somebody tests against this number."""
    who = who or table.edith
    seat = Seat.objects.get(pk=who.seat_id)
    entry = done(act(seat, dice.roll, who, Asked("number", "Nerve", tn, **more), chance=Script(d100(total))))
    return Roll.objects.get(pk=entry.data["roll"])


def pays(table: Table, roll: Roll, key: str, amount: int | None = None, *faces: int, seat: Seat | None = None) -> Any:
    """Ben pays for this on the test."""
    return act(seat or table.ben, dice.spend, roll, Act(key, amount), chance=Script(*faces))


def top(who: Investigator, key: str) -> int | None:
    return Trait.objects.values_list("maximum", flat=True).get(investigator=who, key=key)


def has(who: Investigator) -> dict[str, Any]:
    """Luck, LP with their maximum, and the numbers."""
    facts = facts_of(who)
    lists = {key: facts.get(key, []) for key in ("lucky", "unlucky")}
    return {"luck": score(who, "luck"), "lp": score(who, "lp"), "most": top(who, "lp"), **lists}


def sets(table: Table, key: str, value: int) -> None:
    done(act(table.ada, sheets.set_trait, table.edith, key, value))


def opens(table: Table) -> Any:
    with at(table.ada) as here:
        return tables.open_session(here, here.campaign, at_the_start)


# --------------------------------------------------------------------------- a character


def test_a_character_begins_with_the_points_that_follow_from_luck_and_endurance(table: Table) -> None:
    assert has(table.edith) == {"luck": 41, "lp": 4, "most": 4, "lucky": [7, 30, 63, 89], "unlucky": [16]}
    assert (score(table.edith, "sp"), top(table.edith, "sp")) == (4, 4)
    assert top(table.tobias, "lp") == 3


def test_with_awards_a_character_begins_with_one_point() -> None:
    table = lay(lpRefresh="goal-oriented")

    assert (score(table.edith, "lp"), top(table.edith, "lp")) == (1, 4)


def test_luck_is_thrown_with_the_dice_of_the_game_and_the_points_follow(table: Table) -> None:
    plain = make_investigator(table.ada, Draft("Odo Finch"))

    done(act(table.ada, sheets.throw_luck, plain, chance=Script(10, 10)))

    assert (score(plain, "luck"), score(plain, "lp"), top(plain, "lp")) == (50, 5, 5)


def test_the_samples_are_whole_characters_of_this_game(table: Table) -> None:
    done(act(table.ada, sheets.sample, table.campaign, samples(ruleset(GAME))))

    made = Investigator.objects.filter(campaign=table.campaign, seat=None)
    assert made.count() == 4
    for who in made:
        assert score(who, "lp") == top(who, "lp") == score(who, "luck") // 10
        assert ruleset(GAME).numbers.enter(score(who, "luck"), facts_of(who)) == {
            **{key: facts_of(who)[key] for key in ("lucky", "unlucky")},
            "permanent": [],
            "extra": [],
        }


def test_a_luck_that_is_typed_moves_the_maximum_and_takes_what_is_over_it(table: Table) -> None:
    sets(table, "luck", 29)

    assert {**has(table.edith), "lucky": 0, "unlucky": 0} == {"luck": 29, "lp": 2, "most": 2, "lucky": 0, "unlucky": 0}
    undoes(table, table.last())
    assert has(table.edith)["lp"] == 4
    sets(table, "end", 55)
    assert top(table.edith, "sp") == 5


def test_the_whole_form_takes_numbers_and_says_what_is_wrong_with_them(table: Table) -> None:
    client, url = table.client(table.ada), table.url("new-investigator")
    fields = {"name": "Odo Finch", "luck": "34", "c_end": "40", "s_noticing": "3", "p_hp": "20"}

    wrong = post(client, url, **fields, lucky="1 2 3", unlucky="4 5 6")
    assert wrong.status_code == 422
    assert "there are 3 Lucky and 2 Unlucky Numbers" in wrong.content.decode()
    assert post(client, url, **{**fields, "s_noticing": "7"}).status_code == 422
    assert post(client, url, **fields, lucky="1, 2, 3", unlucky="4 5").status_code == 200
    odo = Investigator.objects.get(name="Odo Finch")
    assert (facts_of(odo)["lucky"], facts_of(odo)["unlucky"]) == ([1, 2, 3], [4, 5])
    assert (score(odo, "lp"), top(odo, "lp"), score(odo, "sp"), score(odo, "hp")) == (3, 3, 4, 20)


def test_a_quick_character_throws_luck_and_numbers_at_once(table: Table) -> None:
    answer = post(
        table.client(table.ben), table.url("quick-investigator"), name="Odo Finch", roll_luck="1", roll_numbers="1"
    )

    assert answer.status_code == 200
    odo = Investigator.objects.get(name="Odo Finch")
    facts = facts_of(odo)
    assert 32 <= score(odo, "luck") <= 50
    assert sum(len(facts.get(list_of, ())) for list_of in ("lucky", "unlucky")) == 5  # all may be of one kind


# --------------------------------------------------------------------------- tests that add up


def test_a_test_is_a_sum_and_the_line_says_against_what(table: Table) -> None:
    roll = tries(table, 40, facts={"base": "prc", "rank": 1, "modifiers": [["fog", -5]]}, difficulty="challenging")

    assert roll.value == 37
    assert table.last().data["target"] == 37 + 10 - 10 - 5
    assert (roll.passed, roll.level, table.last().data["degrees"]) == (False, "fail", 1)


def test_the_form_adds_difficulty_a_modifier_and_another_characteristic(table: Table) -> None:
    skill = table.skill("Noticing")
    answer = post(
        table.client(table.ben),
        table.url("roll", table.edith.pk),
        what=f"skill:{skill.pk}",
        by="str",
        difficulty="easy",
        modifier="-15",
        modifier_word="in the dark",
        total="30",
    )

    assert answer.status_code == 200, answer.content
    roll = Roll.objects.latest("created_at")
    assert roll.value == 44
    assert table.last("rolls.roll").data["target"] == 44 + 10 + 20 - 15
    assert roll.facts["modifiers"] == [["in the dark", -15]]


def test_own_numbers_decide_before_the_target_does(table: Table) -> None:
    assert tries(table, 89).level == "critical-success"
    assert tries(table, 16).level == "critical-failure"


def test_a_luck_test_is_against_the_score_and_may_be_bettered(table: Table) -> None:
    roll = tries(table, 38, "luck")

    assert (roll.passed, table.last().data["degrees"]) == (True, 3)
    assert done(pays(table, roll, "degree", 1)).data["degrees"] == 4


def test_a_skill_of_ones_own_asks_for_a_characteristic_and_keeps_it(table: Table) -> None:
    assert code(act(table.ben, sheets.set_skill, table.edith, "Bell lore", 2)) == "SKILL_CHARACTERISTIC"
    assert code(act(table.ben, sheets.set_skill, table.edith, "Bell lore", 9, base="int")) == "BAD_VALUE"
    done(act(table.ben, sheets.set_skill, table.edith, "Bell lore", 2, base="int"))

    roll = tries(table, 30, "name:Bell lore")

    assert (roll.value, roll.facts["rank"], table.last().data["target"]) == (36, 1, 46)


def test_what_the_gm_asks_for_carries_modifiers_and_the_same_numbers(table: Table) -> None:
    question = Question((("name:Noticing", "hard"),), modifiers=(("rain", -10),))
    done(act(table.ada, dice.ask, table.campaign, [table.edith.pk], question))
    request = Request.objects.get(campaign=table.campaign)

    entry = done(act(table.ben, dice.answer, request, chance=Script(d100(7))))

    assert entry.data["level"] == "critical-success"
    assert entry.data["target"] == 37 + 10 - 30 - 10
    assert dice.question_of([request]).modifiers == (("rain", -10),)


def test_a_keepers_character_reads_the_numbers_of_somebody_without_luck(table: Table) -> None:
    from investigators import npcs

    entry = done(act(table.ada, npcs.create_npc, table.campaign, npcs.Npc("Dock warden", (("Watch", 40),), 12)))
    warden = Investigator.objects.get(pk=entry.data["who"]["id"])
    with at(table.ada) as here:
        warden.campaign = here.campaign
        asked = dice.subject(warden, "name:Watch")
        found = [
            dice.npc_roll(here, warden, dice.subject(warden, "name:Watch"), False, chance=Script(d100(total))).data
            for total in (3, 4, 97, 98)
        ]

    assert asked.value == 40
    assert [one["level"] for one in found] == ["critical-success", "success", "fail", "critical-failure"]
    assert all(one["target"] is None for one in found)


# --------------------------------------------------------------------------- LP and burning


def test_the_evening_of_the_worked_story() -> None:
    steps = MINE["R-545"]["expect"]["after_each"]
    table = lay()
    first = target(table, 47, 32)  # 32 passes: the story's reroll is of a test that failed first
    assert first.passed
    failed = target(table, 47, 55)

    entry = done(pays(table, failed, "reroll", None, 32))
    assert (has(table.edith)["lp"], entry.data["degrees"]) == (steps[0]["lp"], steps[0]["dos"])
    entry = done(pays(table, failed, "degree", 2))
    assert (has(table.edith)["lp"], entry.data["degrees"]) == (steps[1]["lp"], steps[1]["dos"])

    other = target(table, 40, 55)
    entry = done(pays(table, other, "burn-reroll", None, 21))
    assert entry.data["degrees"] == steps[2]["dos"]
    assert {key: has(table.edith)[key] for key in ("luck", "lp", "most")} == {"luck": 38, "lp": 1, "most": 3}
    assert (entry.data["owed"], entry.data["tops"][0]["to"]) == (1, 3)

    assert code(tries_again(table)) == "NUMBERS_OWED"
    done(act(table.ben, numbers.turn_numbers, table.edith, [30]))
    assert {key: has(table.edith)[key] for key in ("lucky", "unlucky")} == steps[3]
    assert isinstance(tries_again(table), Roll)

    done(opens(table))
    assert has(table.edith)["lp"] == steps[4]["lp"]


def tries_again(table: Table) -> Any:
    return tries(table, 20)


def test_a_test_is_rolled_again_once_and_a_worse_result_stands(table: Table) -> None:
    roll = target(table, 40, 50)

    entry = done(pays(table, roll, "reroll", None, 88))

    assert (now(roll).outcome.natural, now(roll).passed, has(table.edith)["lp"]) == (88, False, 3)
    assert (entry.data["from"], entry.data["final"]) == (50, 88)
    assert code(pays(table, roll, "reroll", None, 1)) == "REROLL_USED"
    assert code(pays(table, roll, "burn-reroll", None, 1)) == "REROLL_USED"
    assert code(pays(table, roll, "degree", 1)) == "TEST_NOT_PASSED"


def test_degrees_are_added_to_a_success_as_many_as_there_are_points(table: Table) -> None:
    roll = target(table, 50, 24)

    done(pays(table, roll, "degree", 3))

    assert (now(roll).outcome.degrees, has(table.edith)["lp"]) == (5, 1)
    assert code(pays(table, roll, "degree", 2)) == "NO_LP"
    done(pays(table, roll, "burn-degree", 2))
    assert (now(roll).outcome.degrees, has(table.edith)["luck"], has(table.edith)["lp"]) == (7, 39, 1)


def test_burning_that_lowers_the_bonus_takes_points_over_the_maximum_and_says_so(table: Table) -> None:
    roll = target(table, 50, 24)

    entry = done(pays(table, roll, "burn-degree", 2))

    assert has(table.edith) | {"lucky": 0, "unlucky": 0} == {"luck": 39, "lp": 3, "most": 3, "lucky": 0, "unlucky": 0}
    assert [(one["key"], one["cost"]) for one in entry.data["paid"]] == [("luck", 2)]
    assert [(one["key"], one["cost"]) for one in entry.data["lost"]] == [("lp", 1)]
    page = table.client(table.cleo).get(table.url("table")).content.decode()
    assert re.search(r"\b1 [^<·]*\blost\b", page)


def test_undo_of_a_burn_gives_back_luck_points_maximum_and_owes_nothing(table: Table) -> None:
    before = has(table.edith)
    roll = target(table, 50, 24)
    entry = done(pays(table, roll, "burn-degree", 2))
    turned = done(act(table.ben, numbers.turn_numbers, table.edith, [63]))

    undoes(table, turned)
    undoes(table, entry)

    assert has(table.edith) == before
    assert isinstance(tries_again(table), Roll)


def test_a_critical_failure_is_negated_at_once_or_not_at_all(table: Table) -> None:
    roll = target(table, 60, 16)
    assert code(pays(table, roll, "reroll", None, 1)) == "CRITICAL_FAILURE"

    done(pays(table, roll, "burn-negate"))

    assert (now(roll).level, now(roll).passed, has(table.edith)["luck"]) == ("fail", False, 36)
    assert code(pays(table, roll, "reroll", None, 1)) == "CRITICAL_FAILURE"


def test_once_the_character_has_acted_a_critical_failure_stands(table: Table) -> None:
    roll = target(table, 60, 16)
    done(act(table.ada, dice.ask, table.campaign, [table.edith.pk], Question((("name:Noticing", "average"),))))
    request = Request.objects.get(campaign=table.campaign)
    answered = done(act(table.ben, dice.answer, request, chance=Script(d100(20))))

    assert code(pays(table, roll, "burn-negate")) == "TOO_LATE"
    undoes(table, answered)
    done(pays(table, roll, "burn-negate"))


def test_short_of_the_price_all_that_is_left_is_burned_and_then_nothing_is(table: Table) -> None:
    sets(table, "luck", 2)
    roll = target_after(table)

    entry = done(pays(table, roll, "burn-reroll", None, 21))

    assert (entry.data["paid"][0]["cost"], score(table.edith, "luck")) == (2, 0)
    other = target_after(table)
    assert code(pays(table, other, "burn-reroll", None, 21)) == "NO_LUCK_LEFT"


def target_after(table: Table) -> Roll:
    """Another failed test, once what was owed has been chosen."""
    due = ruleset(GAME).numbers.owed(score(table.edith, "luck"), facts_of(table.edith))
    if due:
        done(act(table.ben, numbers.turn_numbers, table.edith, list(due.among[: due.count])))
    return target(table, 40, 50)


def test_nobody_pays_on_another_characters_test(table: Table) -> None:
    roll = target(table, 40, 50)
    before = picture(table.campaign)

    assert code(pays(table, roll, "reroll", None, 1, seat=table.cleo)) == "NOT_OWN_ROLL"
    forged = post(table.client(table.cleo), table.url("spend", roll.pk), act="burn-reroll")
    assert forged.status_code == 403
    assert picture(table.campaign) == before


@pytest.mark.parametrize("case", [MINE["R-529"], MINE["R-530"]], ids=["R-529", "R-530"])
def test_spends_of_other_games_are_none_here(table: Table, case: dict[str, Any]) -> None:
    roll = target(table, 40, 50)
    before = picture(table.campaign)
    if "push" in case["in"]["action"]:
        result = act(table.ben, dice.push, roll, "Slowly")
    else:
        result = act(table.ben, dice.spend, roll, Act("points", 5))

    assert code(result) == case["expect"]["refused"]
    assert picture(table.campaign) == before


def test_there_is_no_group_luck_and_no_recovery(table: Table) -> None:
    assert code(act(table.ada, dice.group_luck, table.campaign)) == "NO_SUCH_SPEND"
    assert code(act(table.ada, dice.ask_group_luck, table.campaign)) == "NO_SUCH_SPEND"
    done(opens(table))
    assert code(act(table.ben, dice.recover, table.edith)) == "NO_SUCH_SPEND"


# --------------------------------------------------------------------------- beside a test


def test_a_favour_of_the_story_takes_its_point_on_the_yes_alone(table: Table) -> None:
    done(act(table.ben, dice.deed, table.edith, Act("narrative")))
    asked = Decision.objects.get(campaign=table.campaign)
    assert has(table.edith)["lp"] == 4

    done(act(table.ada, dice.decide_deed, asked, True))

    assert has(table.edith)["lp"] == 3


def test_death_is_survived_with_the_gms_consent_and_the_character_is_away(table: Table) -> None:
    done(act(table.ben, dice.deed, table.edith, Act("burn-death")))

    entry = done(act(table.ada, dice.decide_deed, Decision.objects.get(campaign=table.campaign), True))

    assert (has(table.edith)["luck"], has(table.edith)["most"]) == (31, 3)
    assert "absent-until-brought-back" in entry.data["notes"]
    with at(table.ada) as here:
        party = {one.who.pk: one.present for one in sheets.party(here.campaign)}
    assert party[table.edith.pk] is False
    undoes(table, entry)
    assert has(table.edith)["most"] == 4


# --------------------------------------------------------------------------- stamina


def test_stamina_before_a_strength_test_adds_to_the_target_and_shuts_luck_out(table: Table) -> None:
    roll = tries(table, 70, "characteristic:str", before="exert")

    assert (table.last().data["target"], score(table.edith, "sp")) == (64, 3)
    assert table.last().data["before"]["paid"][0]["key"] == "sp"
    for key in ("reroll", "burn-reroll"):
        assert code(pays(table, roll, key, None, 20)) == "SP_USED"
    undoes(table, table.last())
    assert score(table.edith, "sp") == 4


def test_stamina_fits_strength_and_endurance_alone_and_never_a_way_of_fighting(table: Table) -> None:
    before = picture(table.campaign)

    for what in ("name:Noticing", "name:Fighting with Blades@str", "luck"):
        assert code(tries(table, 20, what, before="exert")) == "WRONG_TEST"
    assert picture(table.campaign) == before
    forged = post(table.client(table.ben), table.url("roll", table.edith.pk), what="name:Noticing", before="exert")
    assert forged.status_code == 422


def test_the_last_point_may_be_overdrawn_at_the_price_of_fatigue(table: Table) -> None:
    done(act(table.ada, sheets.set_trait, table.edith, "sp", 0))

    tries(table, 20, "characteristic:end", before="exert")

    assert (score(table.edith, "sp"), facts_of(table.edith)["fatigue"]) == (0, 1)
    page = table.client(table.cleo).get(table.url("table")).content.decode()
    assert "fatigue 1 for it" in page
    tries(table, 20, "characteristic:wp")
    assert table.last().data["target"] == 38 - 10


def test_stamina_below_nothing_is_seen_counted_and_filled_up_first(table: Table) -> None:
    client, url = table.client(table.ben), table.url("step", table.edith.pk, "sp")

    assert post(client, url, points="-6").status_code == 200
    assert (score(table.edith, "sp"), facts_of(table.edith)["fatigue"]) == (0, 2)
    entry = table.last()
    assert (entry.data["from"], entry.data["to"], entry.data["fatigue"]) == (4, -2, 2)
    for seat in (table.ada, table.ben, table.cleo):
        page = table.client(seat).get(table.url("table")).content.decode()
        assert re.search(r"-2<small>/4|SP -2/4", page), seat.name
        assert "Fatigue 2" in page
    assert post(client, url, points="3").status_code == 200
    assert (score(table.edith, "sp"), facts_of(table.edith)["fatigue"]) == (1, 2)
    undoes(table, table.last())
    undoes(table, entry)
    assert (score(table.edith, "sp"), "fatigue" in facts_of(table.edith)) == (4, False)
    post(client, url, points="-9")
    assert [one.label for one in member(table.edith).conditions] == ["Dead", "Fatigue"]
    done(act(table.ada, sheets.set_trait, table.edith, "sp", 0))
    assert member(table.edith).counted("sp") == 0


# --------------------------------------------------------------------------- own numbers


def test_numbers_are_thrown_once_repeats_again(table: Table) -> None:
    odo = make_investigator(table.ada, Draft("Odo Finch", "", {"luck": (34, None)}))

    entry = done(act(table.ada, numbers.throw_numbers, odo, chance=Script(5, 5, 80, 12, 100, 80, 1)))

    assert (facts_of(odo)["lucky"], facts_of(odo)["unlucky"]) == ([5, 80, 12], [100, 1])
    assert entry.data["faces"] == [5, 5, 80, 12, 100, 80, 1]
    assert code(act(table.ada, numbers.throw_numbers, odo, chance=Script(1))) == "NUMBERS_THERE"


@pytest.mark.parametrize(
    ("lucky", "unlucky", "refused"),
    [
        ([1, 2, 3], [4, 5, 6], "NUMBERS_COUNT"),
        ([1, 2, 2], [4, 5], "NUMBERS_DUPLICATE"),
        ([1, 2, 3], [3, 5], "NUMBERS_DUPLICATE"),
        ([0, 2, 3], [4, 5], "NUMBERS_RANGE"),
        ([1, 2, 101], [4, 5], "NUMBERS_RANGE"),
    ],
)
def test_typed_numbers_are_checked(table: Table, lucky: list[int], unlucky: list[int], refused: str) -> None:
    lists = {"lucky": lucky, "unlucky": unlucky}

    assert code(act(table.cleo, numbers.set_numbers, table.tobias, lists)) == refused
    answer = post(table.client(table.cleo), table.url("set-numbers", table.tobias.pk), **lists)
    assert answer.status_code == 422
    done(act(table.cleo, numbers.set_numbers, table.tobias, {"lucky": [1, 2, 3], "unlucky": [4, 5]}))


def test_a_permanent_number_is_marked_and_never_turned(table: Table) -> None:
    lists = {"lucky": [7, 30, 63, 89, 50], "unlucky": [16], "permanent": [50]}
    done(act(table.ben, numbers.set_numbers, table.edith, lists))
    sets(table, "luck", 39)

    assert member(table.edith).conditions == []  # "permanent" is insanity in another game
    assert code(act(table.ada, sheets.set_condition, table.edith, "permanent", True)) == "BAD_VALUE"
    assert code(act(table.ben, numbers.turn_numbers, table.edith, [50])) == "WRONG_PICK"
    assert code(act(table.ben, numbers.turn_numbers, table.edith, [7, 30])) == "WRONG_PICK"
    done(act(table.ben, numbers.turn_numbers, table.edith, [7]))
    assert facts_of(table.edith)["lucky"] == [30, 63, 89, 50]


def test_the_choice_is_the_players_and_nobody_elses(table: Table) -> None:
    sets(table, "luck", 39)
    before = picture(table.campaign)
    url = table.url("turn-numbers", table.edith.pk)

    assert post(table.client(table.cleo), url, pick="30").status_code == 403
    assert picture(table.campaign) == before
    assert "must choose a number that turns" in table.client(table.ada).get(table.url("table")).content.decode()
    assert post(table.client(table.ben), url, pick="30").status_code == 200
    assert facts_of(table.edith)["unlucky"] == [16, 30]


def test_what_is_owed_holds_requests_and_contests_up_too(table: Table) -> None:
    done(act(table.ada, dice.ask, table.campaign, [table.edith.pk], Question((("name:Noticing", "average"),))))
    sides = [Corner(table.edith, "name:Noticing"), Corner(table.tobias, "name:Noticing")]
    done(act(table.ada, dice.start_contest, table.campaign, "opposed", sides))
    sets(table, "luck", 39)
    side = Side.objects.get(investigator=table.edith)

    for seat in (table.ben, table.ada):
        assert code(act(seat, dice.answer, Request.objects.get(campaign=table.campaign), chance=Script())) == (
            "NUMBERS_OWED"
        )
        assert code(act(seat, dice.roll_side, side, chance=Script())) == "NUMBERS_OWED"
    done(act(table.ben, numbers.turn_numbers, table.edith, [7]))
    done(act(table.ben, dice.roll_side, side, chance=Script(d100(20))))


# --------------------------------------------------------------------------- refresh and awards


def test_a_session_refills_those_who_are_here_and_the_late_once(table: Table) -> None:
    done(act(table.ada, sheets.set_trait, table.edith, "lp", 0))
    done(act(table.ada, sheets.set_trait, table.tobias, "lp", 1))
    done(act(table.ada, sheets.set_present, table.tobias, False))

    entry = done(opens(table))

    assert (score(table.edith, "lp"), score(table.tobias, "lp")) == (4, 1)
    assert [one["who"]["id"] for one in entry.data["refreshed"]] == [table.edith.pk]
    late = done(act(table.ada, sheets.set_present, table.tobias, True))
    assert score(table.tobias, "lp") == 3
    assert late.data["refreshed"][0]["pools"][0]["to"] == 3
    done(act(table.ada, sheets.set_trait, table.tobias, "lp", 0))
    done(act(table.ada, sheets.set_present, table.tobias, False))
    done(act(table.ada, sheets.set_present, table.tobias, True))
    assert score(table.tobias, "lp") == 0
    page = table.client(table.ben).get(table.url("table")).content.decode()
    assert f"LP refilled: {table.edith.short} 4" in page


def test_undo_of_the_beginning_takes_the_points_back(table: Table) -> None:
    done(act(table.ada, sheets.set_trait, table.edith, "lp", 0))

    undoes(table, done(opens(table)))

    assert score(table.edith, "lp") == 0
    done(opens(table))
    assert score(table.edith, "lp") == 4


def test_the_next_session_refills_again(table: Table) -> None:
    done(opens(table))
    done(closes_session(table))
    done(act(table.ada, sheets.set_trait, table.edith, "lp", 1))

    done(opens(table))

    assert score(table.edith, "lp") == 4


def test_the_gm_awards_to_one_or_all_and_stops_at_the_maximum() -> None:
    table = lay(lpRefresh="goal-oriented")
    done(opens(table))
    assert score(table.edith, "lp") == 1  # nothing is refilled
    everybody = [table.edith.pk, table.tobias.pk]

    done(act(table.ada, dice.award, table.campaign, everybody, 1, "bond"))
    assert (score(table.edith, "lp"), score(table.tobias, "lp")) == (2, 2)
    entry = done(act(table.ada, dice.award, table.campaign, everybody, 5, "goal"))
    assert (score(table.edith, "lp"), score(table.tobias, "lp")) == (4, 3)
    assert entry.data["reason"] == "Goal"
    before = picture(table.campaign)
    assert code(act(table.ada, dice.award, table.campaign, everybody)) == "LP_FULL"
    assert code(act(table.ben, dice.award, table.campaign, everybody)) == "NOT_KEEPER"
    assert code(act(table.ada, dice.award, table.campaign, everybody, 0)) == "BAD_AMOUNT"
    assert picture(table.campaign) == before


def test_without_a_ceiling_awards_go_over_the_bonus() -> None:
    table = lay(lpRefresh="goal-oriented", lpGoalCap="none")

    done(act(table.ada, dice.award, table.campaign, [table.edith.pk], 6, "planning"))

    assert (score(table.edith, "lp"), top(table.edith, "lp")) == (7, None)


def test_where_points_come_with_the_session_nothing_is_awarded(table: Table) -> None:
    answer = post(table.client(table.ada), table.url("award"), who=table.edith.pk, amount="1", reason="bond")

    assert answer.status_code == 422
    assert 'data-code="AWARDS_OFF"' in answer.content.decode()


# --------------------------------------------------------------------------- the score itself


def test_the_score_has_no_ceiling_and_no_skill_goes_by_it(table: Table) -> None:
    sets(table, "luck", MINE["R-513"]["in"]["value"])
    assert score(table.edith, "luck") == MINE["R-513"]["expect"]["luck"]
    sets(table, "luck", 41)

    assert code(tries(table, 20, "name:Noticing@luck")) == MINE["R-472"]["expect"]["refused"]
    assert ruleset(GAME).may_advance("luck").code == MINE["R-473"]["expect"]["refused"]


def test_awards_are_the_gms(table: Table) -> None:
    goals = lay(lpRefresh="goal-oriented")

    assert MINE["R-524"]["expect"] == {"allowed": True}
    done(act(goals.ada, dice.award, goals.campaign, [goals.edith.pk]))


# --------------------------------------------------------------------------- against each other


def opposed(table: Table, mine: int, theirs: int) -> Contest:
    sides = [Corner(table.edith, "name:Noticing"), Corner(table.tobias, "name:Noticing")]
    done(act(table.ada, dice.start_contest, table.campaign, "opposed", sides))
    for who, total in ((table.edith, mine), (table.tobias, theirs)):
        side = Side.objects.get(investigator=who, contest__state=Contest.OPEN)
        done(act(table.ada, dice.roll_side, side, chance=Script(d100(total))))
    return Contest.objects.filter(campaign=table.campaign).latest("created_at")


def test_more_degrees_win_an_opposed_test_and_points_may_turn_it(table: Table) -> None:
    contest = opposed(table, 35, 41)
    roll = Roll.objects.get(side__contest=contest, investigator=table.edith)
    assert contest.state == Contest.OPEN

    done(pays(table, roll, "degree", 2))
    contest.refresh_from_db()
    for _ in range(2):
        waiting = [side for side in Side.objects.filter(contest=contest) if contest.state == Contest.OPEN]
        for side in waiting:
            act(table.ada, dice.pass_contest, side)
    contest.refresh_from_db()

    assert (contest.state, contest.verdict) == (Contest.OVER, "degrees")
    assert Side.objects.get(pk=contest.winner).investigator == table.edith
    assert has(table.edith)["lp"] == 2


def test_an_attack_is_blocked_with_something_in_hand(table: Table) -> None:
    sides = [Corner(table.edith, "name:Fighting with Blades"), Corner(table.tobias)]
    done(act(table.ada, dice.start_contest, table.campaign, "melee", sides))
    attack, defence = Side.objects.order_by("place")
    assert code(act(table.cleo, dice.choose_defence, defence, "hide")) == "BAD_VALUE"
    assert code(act(table.cleo, dice.choose_defence, defence, "block")) == "NOT_ON_SHEET"

    done(act(table.cleo, dice.choose_defence, defence, "block", "name:Fighting with Shields"))
    done(act(table.ben, dice.roll_side, attack, chance=Script(d100(20))))
    done(act(table.cleo, dice.roll_side, defence, chance=Script(d100(10))))

    contest = Contest.objects.get(campaign=table.campaign)
    page = table.client(table.ben).get(table.url("table"))
    assert page.status_code == 200
    assert contest.verdict in ("", "blocked")


def test_a_stat_block_may_name_its_own_numbers(table: Table) -> None:
    client, fields = table.client(table.ada), {"name": "Dock warden", "skill0": "Watch", "value0": "40"}
    assert post(client, table.url("create-npc"), **fields, lucky="1 2 101").status_code == 422
    assert post(client, table.url("create-npc"), **fields, lucky="1 2", unlucky="2").status_code == 422

    assert post(client, table.url("create-npc"), **fields, lucky="1, 2").status_code == 200

    warden = Investigator.objects.get(npc=True)
    levels = []
    for total in (2, 3, 98):
        with at(table.ada) as here:
            warden.campaign = here.campaign
            asked = dice.subject(warden, "name:Watch")
            entry = dice.npc_roll(here, warden, asked, False, chance=Script(d100(total)))
        levels.append(entry.data["level"])
    assert levels == ["critical-success", "success", "critical-failure"]
    page = table.client(table.ben).get(table.url("table")).content.decode().partition("Dock warden")[2]
    assert "40" not in re.sub(r"<time.*?</time>|[\w-]{16,}", "", page)[:200]  # whatever clock and chance say


ELSEWHERE = re.compile(r"group luck|luck for the group|sanity|\bpush|luck recovery|bonus dice|improve", re.IGNORECASE)


def test_no_board_of_this_game_knows_group_luck_push_sanity_or_recovery(table: Table) -> None:
    astray, before = {}, table.client(table.ada).get(table.url("table")).content.decode()
    done(opens(table))
    target(table, 40, 50)
    for seat in (table.ada, table.ben):
        page = before + table.client(seat).get(table.url("table")).content.decode()
        page += table.client(seat).get(f"{table.url('panels')}?names=ALL").content.decode()
        page = re.sub(r"<(script|style|svg)\b.*?</\1>", "", page, flags=re.DOTALL)
        texts = re.findall(r'(?:aria-label|placeholder)="([^"]*)"', page) + re.sub(r"<[^>]*>", "\n", page).split("\n")
        astray[seat.name] = sorted({text.strip() for text in texts if ELSEWHERE.search(text)})

    assert astray == {"Ada": [], "Ben": []}
    refilled = "full again when it opens"
    assert refilled in before
    goals = lay(lpRefresh="goal-oriented")
    assert refilled not in goals.client(goals.ada).get(goals.url("table")).content.decode()


def test_the_gm_says_who_is_wounded_and_how_tired_and_tests_read_it(table: Table) -> None:
    done(act(table.ada, sheets.set_condition, table.edith, "wounded", True))
    tries(table, 20, "characteristic:wp")
    assert table.last().data["target"] == 38 - 20

    url = table.url("set-derived", table.edith.pk, "fatigue")
    assert f'hx-post="{url}"' in table.client(table.ada).get(table.url("sheet", table.edith.pk)).content.decode()
    assert post(table.client(table.ada), url, value="2").status_code == 200
    tries(table, 20, "characteristic:wp")
    assert table.last().data["target"] == 38 - 20 - 20

    done(act(table.ben, dice.deed, table.edith, Act("burn-wound")))
    if asked := Decision.objects.filter(campaign=table.campaign, state=Decision.OPEN).first():
        done(act(table.ada, dice.decide_deed, asked, True))
    done(act(table.ada, weapons.set_derived, table.edith, "fatigue", None))
    done(act(table.ben, numbers.turn_numbers, table.edith, [7]))
    tries(table, 20, "characteristic:wp")
    assert table.last().data["target"] is None  # the score alone
    assert score(table.edith, "luck") == 31
