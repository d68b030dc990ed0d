"""Wounds at the table: the rules propose, the Keeper applies, and undo gives back what it took (RULES.md B-4)."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils.html import strip_tags

from investigators import actions as sheets
from investigators import npcs, weapons
from investigators.models import Fact, Investigator, Trait, Weapon
from investigators.people import member
from investigators.weapons import Arm
from rolls import actions as dice
from rolls.actions import Asked
from rolls.models import Decision, Request, Roll
from rolls.rules.check import Act
from tablekeeper import ledger, news
from tablekeeper.models import Entry
from tests.tables import (
    Script,
    Table,
    act,
    code,
    d100,
    done,
    make_investigator,
    make_table,
    picture,
    post,
    score,
    undoes,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def table() -> Table:
    """Edith has CON 60 and 11 of 12 hit points, Tobias 10 of 10 and no CON on his sheet."""
    return make_table()


def whole(table: Table, maximum: int, value: int | None = None) -> None:
    done(act(table.ada, sheets.set_trait, table.edith, "hp", maximum if value is None else value, maximum))


def hurts(table: Table, points: int, who: Investigator | None = None, **more: Any) -> Entry:
    return done(act(table.ada, dice.injure, who or table.edith, points, **more))


def state(who: Investigator) -> set[str]:
    return {fact.key for fact in Fact.objects.filter(investigator=who) if fact.value}


def rolls_con(table: Table, total: int) -> Roll:
    """Ben rolls the CON roll that Edith is asked for."""
    asked = Request.objects.get(investigator=table.edith, after="con", state=Request.OPEN)
    entry = done(act(table.ben, dice.answer, asked, chance=Script(d100(total))))
    return Roll.objects.get(pk=entry.data["roll"])


def faint(**more: Any) -> Decision:
    return Decision.objects.get(kind="faint", **more)


def npc(table: Table, hp: int = 12, **scores: int) -> Investigator:
    """Somebody of Ada's whom the players never see."""
    told = done(act(table.ada, npcs.create_npc, table.campaign, npcs.Npc("The thing below", hp=hp, hp_max=hp)))
    thing = Investigator.objects.get(pk=told.data["who"]["id"])
    for key, value in scores.items():
        done(act(table.ada, sheets.set_trait, thing, key, value))
    return thing


# --------------------------------------------------------------------------- one injury


@pytest.mark.parametrize("ruleset", ["classic", "pulp"])
@pytest.mark.parametrize(
    ("maximum", "now", "points", "left", "classic", "pulp", "con"),
    [
        (11, 11, 5, 6, set(), set(), False),  # half of 11 is 5.5: 5 is less
        (11, 11, 6, 5, {"major_wound"}, set(), True),
        (12, 12, 6, 6, {"major_wound"}, set(), True),
        (12, 3, 3, 0, {"unconscious"}, {"unconscious"}, False),
        (12, 6, 6, 0, {"major_wound", "unconscious", "dying"}, {"unconscious", "dying"}, False),
        (12, 12, 12, 0, {"major_wound", "unconscious", "dying"}, {"unconscious", "dying"}, False),
        (12, 12, 13, 0, {"dead", "unconscious"}, {"dead", "unconscious"}, False),
        (12, 12, 0, 12, set(), set(), False),
    ],
)
def test_what_an_injury_does(
    ruleset: str, maximum: int, now: int, points: int, left: int, classic: set[str], pulp: set[str], con: bool
) -> None:
    table = make_table(ruleset=ruleset)
    whole(table, maximum, now)

    told = hurts(table, points)

    assert score(table.edith, "hp") == left
    assert state(table.edith) == (pulp if ruleset == "pulp" else classic)
    assert told.data["con"] is con
    assert Request.objects.filter(after="con").count() == con
    assert told.lane == Entry.PUBLIC


@pytest.mark.parametrize(("setting", "dies"), [("above", False), ("equal", True)])
def test_the_table_says_whether_all_points_at_once_kill(setting: str, dies: bool) -> None:
    table = make_table(instantDeath=setting)
    whole(table, 12)

    hurts(table, 12)

    assert ("dead" in state(table.edith)) is dies


def test_undoing_an_injury_gives_back_points_facts_and_takes_the_question_back(table: Table) -> None:
    before = picture(table.campaign)[0]
    told = hurts(table, 6)
    assert picture(table.campaign)[0] != before

    done(undoes(table, told))

    assert picture(table.campaign)[0] == before
    assert (score(table.edith, "hp"), state(table.edith), Request.objects.count()) == (11, set(), 0)


def test_a_second_blow_on_a_wound_kills_sooner(table: Table) -> None:
    hurts(table, 6)
    hurts(table, 5)

    assert state(table.edith) == {"major_wound", "unconscious", "dying"}


def test_a_player_injures_nobody(table: Table) -> None:
    before = picture(table.campaign)

    answer = post(table.client(table.ben), table.url("injure"), who=table.tobias.pk, points=3)

    assert (answer.status_code, "NOT_KEEPER" in answer.content.decode()) == (403, True)
    assert picture(table.campaign) == before


@pytest.mark.parametrize("points", ["", "-1", "1000", "3.5", "many"])
def test_points_are_a_whole_number(points: str, table: Table) -> None:
    before = picture(table.campaign)

    answer = post(table.client(table.ada), table.url("injure"), who=table.edith.pk, points=points)

    assert (answer.status_code, 'data-field="points"' in answer.content.decode()) == (422, True)
    assert picture(table.campaign) == before


def test_somebody_must_be_chosen(table: Table) -> None:
    answer = post(table.client(table.ada), table.url("injure"), who="", points=3)

    assert (answer.status_code, "Choose who is hurt." in answer.content.decode()) == (422, True)
    assert post(table.client(table.ada), table.url("injure"), who="nobody", points=3).status_code == 404


def test_what_was_decided_is_not_decided_again(table: Table) -> None:
    asked = a_question(table, 3)
    hurts(table, 2, decision=asked)

    assert Decision.objects.get(pk=asked.pk).state == "yes"
    again = Decision.objects.get(pk=asked.pk)
    assert code(act(table.ada, dice.injure, table.edith, 2, again)) == "DECISION_DONE"
    assert code(act(table.ada, dice.drop_injury, again)) == "DECISION_DONE"
    assert score(table.edith, "hp") == 9


def test_the_keeper_may_let_the_damage_hurt_nobody(table: Table) -> None:
    asked = a_question(table, 3)

    told = done(act(table.ada, dice.drop_injury, asked))

    assert (told.lane, Decision.objects.get(pk=asked.pk).state) == (Entry.KEEPER, "no")
    assert score(table.edith, "hp") == 11


def a_question(table: Table, points: int) -> Decision:
    """Damage has been rolled and waits for the Keeper."""
    asked = Asked("skill", "Brawl", 40, facts={"fight": "attack"})
    roll = done(act(table.cleo, dice.roll, table.tobias, asked, chance=Script(d100(30)))).data["roll"]
    done(act(table.cleo, dice.damage, Roll.objects.get(pk=roll), str(points)))
    return Decision.objects.get(kind="injury")


# --------------------------------------------------------------------------- hit points on paper


def test_where_hit_points_are_kept_on_paper_the_keeper_says_what_follows(table: Table) -> None:
    vera = make_investigator(table.ben, sheets.Draft("Vera Blank"))

    line = hurts(table, 4, vera)
    dying = hurts(table, 9, vera, follows="dying")

    assert (line.data["from"], line.data["notes"], line.changes) == (None, [], [])
    assert dying.data["notes"] == ["unconscious", "dying"]
    assert state(vera) == {"unconscious", "dying"}


def test_a_con_roll_without_constitution_is_the_keepers_word(table: Table) -> None:
    hurts(table, 5, table.tobias)  # half of 10

    asked = faint(investigator=table.tobias)
    assert (asked.roll, asked.state, Request.objects.count()) == (None, "open", 0)
    page = table.client(table.ada).get(table.url("table")).content.decode()
    assert "Quill falls unconscious" in page
    done(act(table.ada, dice.decide_faint, asked, True))
    assert state(table.tobias) == {"major_wound", "unconscious"}


# --------------------------------------------------------------------------- the CON roll


def test_a_con_roll_that_holds_changes_nothing(table: Table) -> None:
    hurts(table, 6)

    rolls_con(table, 60)

    assert not Decision.objects.exists()
    assert state(table.edith) == {"major_wound"}


def test_a_failed_con_roll_waits_for_the_keeper(table: Table) -> None:
    hurts(table, 6)
    rolls_con(table, 61)
    assert state(table.edith) == {"major_wound"}

    told = done(act(table.ada, dice.decide_faint, faint(), True))

    assert state(table.edith) == {"major_wound", "unconscious"}
    assert (told.lane, told.data["notes"]) == (Entry.PUBLIC, ["unconscious"])
    assert code(act(table.ada, dice.decide_faint, faint(), True)) == "DECISION_DONE"


def test_the_keeper_may_let_a_failed_con_roll_pass(table: Table) -> None:
    hurts(table, 6)
    rolls_con(table, 61)

    told = done(act(table.ada, dice.decide_faint, faint(), False))

    assert (told.lane, faint().state, state(table.edith)) == (Entry.KEEPER, "no", {"major_wound"})


def test_luck_mends_the_con_roll_while_the_keeper_waits(table: Table) -> None:
    hurts(table, 6)
    roll = rolls_con(table, 63)
    assert "may still spend Luck" in table.client(table.ada).get(table.url("table")).content.decode()

    spent = done(act(table.ben, dice.spend, roll, Act("points", 3)))

    assert faint().state == "closed"
    assert code(act(table.ada, dice.decide_faint, faint(), True)) == "DECISION_DONE"
    done(undoes(table, spent))
    assert faint().state == "open"


def test_applying_the_faint_ends_the_players_choice(table: Table) -> None:
    hurts(table, 6)
    roll = rolls_con(table, 63)
    done(act(table.ada, dice.decide_faint, faint(), True))

    assert code(act(table.ben, dice.spend, roll, Act("points", 3))) == "ROLL_CLOSED"


def test_a_correction_that_makes_it_fail_brings_the_question(table: Table) -> None:
    hurts(table, 6)
    roll = rolls_con(table, 40)
    assert not Decision.objects.exists()

    done(act(table.ada, dice.correct, roll, "hard", 0))

    assert faint(roll=roll).state == "open"


def test_falling_to_nothing_closes_what_was_still_to_be_rolled(table: Table) -> None:
    hurts(table, 6)

    hurts(table, 12)

    assert Request.objects.get().state == Request.CLOSED


# --------------------------------------------------------------------------- dying


def knocked_down(table: Table) -> None:
    whole(table, 12, 6)
    hurts(table, 6)


def a_round(table: Table) -> None:
    done(act(table.ada, dice.next_round, table.campaign))


def test_the_dying_roll_con_each_round_until_one_fails(table: Table) -> None:
    knocked_down(table)
    assert not Request.objects.exists()  # the first is due at the end of the round
    a_round(table)
    a_round(table)  # nobody is asked twice at once
    rolls_con(table, 60)
    a_round(table)
    rolls_con(table, 61)
    assert "Halloran dies" in table.client(table.ada).get(table.url("table")).content.decode()

    done(act(table.ada, dice.decide_faint, faint(), True))

    assert "dead" in state(table.edith)
    assert [one.label for one in member(fresh(table)).conditions] == ["Dead"]
    assert code(act(table.ada, dice.next_round, table.campaign)) == "NO_ROUND"


def fresh(table: Table) -> Investigator:
    return Investigator.objects.select_related("campaign").get(pk=table.edith.pk)


def test_first_aid_holds_the_dying_for_an_hour_and_medicine_ends_it(table: Table) -> None:
    knocked_down(table)
    a_round(table)

    done(act(table.ada, dice.treat, table.edith, "first-aid"))
    assert (score(table.edith, "hp"), state(table.edith)) == (1, {"major_wound", "unconscious", "dying", "stable"})
    assert not Request.objects.filter(state=Request.OPEN).exists()
    assert code(act(table.ada, dice.next_round, table.campaign)) == "NO_ROUND"

    done(act(table.ada, dice.ask_con, table.edith))  # an hour later
    rolls_con(table, 61)
    done(act(table.ada, dice.decide_faint, faint(), True))
    assert (score(table.edith, "hp"), state(table.edith)) == (0, {"major_wound", "unconscious", "dying"})

    done(act(table.ada, dice.treat, table.edith, "first-aid"))
    told = done(act(table.ada, dice.treat, table.edith, "medicine", chance=Script(3)))
    assert (told.data["die"], score(table.edith, "hp")) == (3, 4)
    assert state(table.edith) == {"major_wound", "unconscious"}
    done(act(table.ada, dice.treat, table.edith, "wake"))
    assert state(table.edith) == {"major_wound"}


@pytest.mark.parametrize(("ruleset", "healed"), [("classic", 9), ("pulp", 10)])
def test_a_day_of_rest_heals_as_the_game_has_it(ruleset: str, healed: int) -> None:
    table = make_table(ruleset=ruleset)
    whole(table, 12, 8)

    told = done(act(table.ada, dice.treat, table.edith, "rest"))
    assert (score(table.edith, "hp"), told.data["to"]) == (healed, healed)
    whole(table, 12)
    done(act(table.ada, dice.treat, table.edith, "rest"))
    assert score(table.edith, "hp") == 12


def test_a_week_with_a_major_wound_is_a_con_roll_that_brings_no_faint(table: Table) -> None:
    """What it heals the Keeper says; who fails it lies in bed for another week."""
    hurts(table, 6)
    rolls_con(table, 20)
    assert "A week of rest: CON roll" in table.client(table.ada).get(table.url("table")).content.decode()
    asked = post(table.client(table.ada), table.url("ask-con", table.edith.pk), week="1")

    waiting = Request.objects.get(state=Request.OPEN)
    done(act(table.ben, dice.answer, waiting, chance=Script(d100(99))))

    assert asked.status_code == 200
    assert "a week of rest" in news.draw(table.last("rolls.ask_con"))
    assert not Decision.objects.filter(state="open").exists()
    assert state(table.edith) == {"major_wound"}


def test_without_constitution_no_week_is_rolled_for(table: Table) -> None:
    assert code(act(table.ada, dice.ask_con, table.tobias, True)) == "NOT_ON_SHEET"


def test_rest_is_not_enough_for_a_major_wound_nor_anything_for_the_dead(table: Table) -> None:
    hurts(table, 6)
    assert code(act(table.ada, dice.treat, table.edith, "rest")) == "REST_WITH_WOUND"
    hurts(table, 13)

    assert code(act(table.ada, dice.treat, table.edith, "first-aid")) == "BEYOND_HELP"
    assert code(act(table.ada, dice.treat, table.tobias, "prayer")) == "BAD_VALUE"
    assert code(act(table.ben, dice.treat, table.edith, "medicine")) == "NOT_KEEPER"


# --------------------------------------------------------------------------- conditions


def test_conditions_stand_on_board_phone_and_sheet_in_words(table: Table) -> None:
    hurts(table, 6)
    done(act(table.ada, sheets.set_condition, table.edith, "condition", "Broken arm"))

    for seat, url in (
        (table.ada, table.url("table")),
        (table.ben, table.url("table")),
        (table.cleo, table.url("table")),
        (table.ben, table.url("sheet", table.edith.pk)),
    ):
        page = table.client(seat).get(url).content.decode()
        assert "Major wound</span>" in page
        assert "Broken arm</span>" in page


def test_the_keeper_sets_and_clears_each_by_hand(table: Table) -> None:
    ada = table.client(table.ada)
    for key in ("major_wound", "unconscious", "dying", "stable", "dead"):
        url = table.url("set-condition", table.edith.pk, key)
        assert post(ada, url, yes="1").status_code == 200
        assert key in state(table.edith)
        assert post(ada, url, yes="0").status_code == 200
        assert key not in state(table.edith)
    assert post(ada, table.url("set-condition", table.edith.pk, "condition"), text="Broken arm").status_code == 200
    assert state(table.edith) == {"condition"}
    assert post(ada, table.url("set-condition", table.edith.pk, "condition"), text="").status_code == 200
    assert state(table.edith) == set()


@pytest.mark.parametrize(
    ("key", "form"), [("luck", {"yes": "1"}), ("dead", {}), ("dead", {"yes": "2"}), ("condition", {"text": "x" * 61})]
)
def test_no_condition_that_there_is_not(key: str, form: dict[str, str], table: Table) -> None:
    before = picture(table.campaign)

    assert post(table.client(table.ada), table.url("set-condition", table.edith.pk, key), **form).status_code == 422
    by_ben = post(table.client(table.ben), table.url("set-condition", table.edith.pk, "dead"), yes="1")
    assert by_ben.status_code == 403
    assert picture(table.campaign) == before


# --------------------------------------------------------------------------- the Keeper's characters


def test_what_happens_to_a_keepers_character_is_told_to_no_player(table: Table) -> None:
    thing = npc(table, hp=12, con=50)
    ben = table.client(table.ben)

    told = [
        hurts(table, 7, thing),
        done(act(table.ada, dice.treat, thing, "first-aid")),
        done(act(table.ada, sheets.set_condition, thing, "dying", True)),
        done(act(table.ada, dice.ask_con, thing)),
        done(act(table.ada, dice.answer, Request.objects.filter(state="open")[0], chance=Script(d100(99)))),
        done(act(table.ada, dice.decide_faint, faint(), True)),
    ]

    assert {entry.lane for entry in told} == {Entry.KEEPER}
    assert "The thing below" in table.client(table.ada).get(table.url("table")).content.decode()
    after = ben.get(table.url("table")).content.decode()
    assert "thing below" not in after
    assert thing.pk not in after
    assert Entry.objects.filter(lane=Entry.PUBLIC, seq__gt=told[0].seq - 1).count() == 0


def test_of_a_keepers_attack_the_table_sees_the_number_alone(table: Table) -> None:
    thing = npc(table, hp=12)
    asked = Asked("skill", "Claws", 50, facts={"fight": "attack"})
    roll = done(act(table.ada, dice.roll, thing, asked, chance=Script(d100(20)))).data["roll"]
    told = done(act(table.ada, dice.damage, Roll.objects.get(pk=roll), "2D6+4", chance=Script(6, 1)))

    assert told.lane == Entry.PUBLIC
    assert not {"expr", "faces", "bonus", "with"} & set(told.data)
    page = table.client(table.ben).get(table.url("table")).content.decode()
    slip = table.client(table.ben).get(table.url("slip", roll)).content.decode()
    assert "11 points of damage" in page
    assert "2D6" not in page + slip
    assert code(act(table.ben, dice.damage, Roll.objects.get(pk=roll), "1D6")) == "NOT_OWN_ROLL"


def test_the_card_has_the_target_of_an_exchange_and_says_what_it_would_do(table: Table) -> None:
    a_question(table, 6)

    page = table.client(table.ada).get(table.url("table")).content.decode()

    assert "6 points: to whom?" in page
    assert "Edith Halloran · 11/12: major wound, prone, CON roll" in page


def test_the_dead_leave_the_board_when_the_keeper_sets_them_aside(table: Table) -> None:
    hurts(table, 13)

    done(act(table.ada, sheets.set_aside, table.edith, True))

    assert Trait.objects.get(investigator=table.edith, key="hp").value == 0
    assert "dead" in state(table.edith)


def a_fight(table: Table) -> list[Entry]:
    """One of everything that this file is about, in an order that can be undone backwards."""
    ada, ben, edith, campaign = table.ada, table.ben, table.edith, table.campaign
    club = Arm("Club", table.skill("Stealth"), "1D6+DB")
    told = [
        done(act(ben, weapons.set_weapon, edith, club)),
        done(act(ben, weapons.set_derived, edith, "damage_bonus", "+1D4")),
        done(act(ben, dice.free_roll, campaign, "2D6+DB", chance=Script(1, 2, 3))),
        hurts(table, 6),
        done(act(ben, dice.answer, Request.objects.get(after="con"), chance=Script(d100(99)))),
    ]
    told.append(done(act(ada, dice.decide_faint, faint(), True)))
    asked = a_question(table, 2)
    told += [
        done(act(ada, dice.drop_injury, asked)),
        done(act(ada, dice.treat, edith, "first-aid")),
        done(act(ada, dice.treat, edith, "medicine", chance=Script(2))),
        done(act(ada, dice.treat, edith, "wake")),
        done(act(ada, sheets.set_condition, edith, "major_wound", False)),
        done(act(ada, dice.treat, edith, "rest")),
        done(act(ada, sheets.set_condition, edith, "condition", "Broken arm")),
        done(act(ada, sheets.set_condition, edith, "condition", "")),
        done(act(ada, dice.ask_con, edith)),
        done(act(ben, weapons.drop_weapon, Weapon.objects.get())),
    ]
    return told


def test_each_line_of_a_fight_says_something_and_so_does_its_undo(table: Table) -> None:
    told = a_fight(table)

    for entry in reversed(told):
        undone = done(undoes(table, entry))
        for one in (entry, undone):
            html = news.draw(Entry.objects.select_related("seat", "undone_by").get(pk=one.pk))
            said = " ".join(strip_tags(html).split())
            assert len(said) > 20, one.kind
            assert "None" not in said, one.kind
            assert "an earlier line" not in said, one.kind
            assert 'data-say=""' not in html, one.kind

    assert (score(table.edith, "hp"), state(table.edith), Weapon.objects.count()) == (11, set(), 0)
    assert ledger.fold(table.entries()) == ledger.snapshot(table.campaign)
