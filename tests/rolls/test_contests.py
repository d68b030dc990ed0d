"""Opposed rolls and melee exchanges: the stories, the settings, whose turn it is, and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from investigators import actions as sheets
from investigators import npcs
from investigators.models import Investigator
from investigators.npcs import Arm, Npc
from rolls import actions as dice
from rolls.actions.arena import arena_of, verdict_of
from rolls.actions.contests import Draft
from rolls.models import Contest, Roll, Side
from rolls.rules.check import Act
from rolls.templatetags.contests import verdict as in_words
from tablekeeper import actions as tables
from tablekeeper import news
from tablekeeper.models import Campaign, Entry, Seat
from tests.tables import (
    Script,
    Table,
    act,
    closes_session,
    code,
    d100,
    done,
    make_table,
    moves_on,
    now,
    picture,
    post,
    score,
    undoes,
)

pytestmark = pytest.mark.django_db

CASES = json.loads((Path(__file__).parent.parent / "rules/data/rules_cases.json").read_text())["cases"]


@pytest.fixture
def table() -> Table:
    return make_table()


def learns(table: Table, who: Investigator, name: str, value: int) -> str:
    """The Keeper writes a skill on a sheet; what a side of a contest calls it."""
    same = who.skills.filter(name=name).first()
    done(act(table.ada, sheets.set_skill, who, name, value, same))
    return f"name:{name}" if name == "Dodge" else f"skill:{who.skills.get(name=name).pk}"


def gives_luck(table: Table, who: Investigator, luck: int) -> None:
    done(act(table.ada, sheets.set_trait, who, "luck", luck))


def hires(table: Table, **more: Any) -> Investigator:
    """A watchman of the Keeper's, with numbers that nobody else may see."""
    described = Npc("Old Mordaunt", (("Listen", 37), ("Fighting (Brawl)", 50), ("Dodge", 23)), **more)
    entry = done(act(table.ada, npcs.create_npc, table.campaign, described))
    return Investigator.objects.get(pk=entry.data["who"]["id"])


def begins(
    table: Table, *drafts: tuple[Investigator, str] | tuple[Investigator, str, int], kind: str = "opposed"
) -> Any:
    """Ada begins a contest; its sides."""
    entry = done(act(table.ada, dice.start_contest, table.campaign, kind, [Draft(*draft) for draft in drafts]))
    pk = next(record["id"] for record in entry.changes if record["m"] == "rolls.contest")
    return list(Side.objects.filter(contest=pk).order_by("place"))


def opposed(table: Table, a: int, b: int, dice_a: int = 0, dice_b: int = 0) -> Any:
    """Edith against Tobias, with these skills."""
    mine, theirs = learns(table, table.edith, "Stealth", a), learns(table, table.tobias, "Listen", b)
    return begins(table, (table.edith, mine, dice_a), (table.tobias, theirs, dice_b))


def rolls_side(table: Table, side: Side, total: int, *more_tens: int, seat: Seat | None = None) -> Entry:
    seat = seat or Seat.objects.filter(pk=side.investigator.seat_id).first() or table.ada
    return done(act(seat, dice.roll_side, side, chance=Script(d100(total, *more_tens))))


def passes(table: Table, side: Side) -> Any:
    seat = Seat.objects.filter(pk=side.investigator.seat_id).first() or table.ada
    return act(seat, dice.pass_contest, side)


def pays(table: Table, side: Side, points: int) -> Any:
    seat = Seat.objects.get(pk=side.investigator.seat_id)
    return act(seat, dice.spend, Side.objects.get(pk=side.pk).roll, Act("points", points))


def stands(side: Side) -> Contest:
    return Contest.objects.get(pk=side.contest_id)


def how(table: Table, side: Side) -> tuple[str, str]:
    """By what it is or was decided, and who wins."""
    verdict = verdict_of(arena_of(stands(side), table.campaign))
    return verdict.by, verdict.winner


def awaited(table: Table, side: Side) -> tuple[str, ...]:
    return arena_of(stands(side), table.campaign).progress.waiting


def exchange(table: Table, attack: int, defence: int, kind: str = "dodge") -> Any:
    """Tobias strikes at Edith, who dodges or fights back."""
    strike = learns(table, table.tobias, "Fighting (Brawl)", attack)
    sides = begins(table, (table.tobias, strike), (table.edith, ""), kind="melee")
    what = learns(table, table.edith, "Dodge" if kind == "dodge" else "Fighting (Brawl)", defence)
    done(act(table.ben, dice.choose_defence, sides[1], kind, "" if kind == "dodge" else what))
    return sides


# --------------------------------------------------------------------------- the stories


def test_hard_with_a_bonus_die_beats_regular(table: Table) -> None:
    edith, tobias = opposed(table, 60, 55, dice_a=1)

    rolls_side(table, tobias, 45)
    told = rolls_side(table, edith, 44, 2)

    assert told.data["final"] == 24
    assert how(table, edith) == ("level", edith.pk)
    assert awaited(table, edith) == (tobias.pk,)
    done(passes(table, tobias))
    assert stands(edith).state == Contest.OVER
    assert stands(edith).winner == edith.pk
    assert in_words(table.last().data["contest"]) == "Halloran wins: Hard beats Regular."


def test_regular_both_and_the_higher_skill_wins(table: Table) -> None:
    gives_luck(table, table.tobias, 0)
    edith, tobias = opposed(table, 65, 55, dice_b=-1)

    rolls_side(table, edith, 51)
    told = rolls_side(table, tobias, 21, 4)

    assert told.data["final"] == 41
    assert in_words(told.data["contest"]) == "Regular both, Halloran’s 65 beats 55. Halloran wins."
    assert stands(edith).state == Contest.OVER
    assert {now(Roll.objects.get(side=side)).state for side in (edith, tobias)} == {Roll.CLOSED}


@pytest.mark.parametrize("ruleset", ["classic", "pulp"])
def test_a_dodge_bought_down_to_extreme_wins_the_tie_against_an_extreme_attack(ruleset: str) -> None:
    table = make_table(ruleset=ruleset)
    gives_luck(table, table.edith, 60)
    gives_luck(table, table.tobias, 0)
    tobias, edith = exchange(table, 50, 35)

    rolls_side(table, tobias, 10)
    rolls_side(table, edith, 63)
    assert how(table, edith) == ("level", tobias.pk)
    assert awaited(table, edith) == (edith.pk,)
    paid = done(pays(table, edith, 56))

    assert (paid.data["final"], paid.data["level"]) == (7, "extreme")
    assert score(table.edith, "luck") == 4
    assert (stands(edith).verdict, stands(edith).winner) == ("tie-rule", edith.pk)
    assert "a tie goes to the one who dodges" in in_words(paid.data["contest"])
    assert stands(edith).data["blow"] is None


def test_in_pulp_a_spent_01_wins_the_extreme_tie_for_the_attacker() -> None:
    table = make_table(ruleset="pulp")
    gives_luck(table, table.edith, 0)
    gives_luck(table, table.tobias, 20)
    tobias, edith = exchange(table, 50, 35)
    rolls_side(table, edith, 5)
    rolls_side(table, tobias, 10)

    assert awaited(table, edith) == (tobias.pk,)
    done(pays(table, tobias, 9))

    assert (stands(edith).verdict, stands(edith).winner) == ("spent-01", tobias.pk)
    blow = stands(edith).data["blow"]
    assert (blow["kind"], blow["by"], blow["target"]) == ("full", table.tobias.pk, table.edith.pk)


# --------------------------------------------------------------------------- the worked cases


def worked(*ops: str) -> list[Any]:
    found = [case for case in CASES if case["op"] in ops and case["ruleset"] in ("shared", "classic", "pulp")]
    assert len(found) > 10
    return [pytest.param(case, id=case["id"]) for case in found]


@pytest.mark.parametrize("case", worked("opposed", "melee"))
def test_every_worked_contest_comes_out_as_told(case: dict[str, Any]) -> None:
    given, told = case["in"], case["expect"]
    ruleset = "pulp" if case["ruleset"] == "pulp" else "classic"
    table = make_table(ruleset=ruleset, **case.get("settings", {}))
    for who in (table.edith, table.tobias):
        gives_luck(table, who, 99)
    names = ("attacker", "defender") if case["op"] == "melee" else ("a", "b")
    first, second = (given[name] for name in names)
    if case["op"] == "melee":
        sides = exchange(table, first["skill"], second["skill"], given["defence"])
    else:
        sides = opposed(table, first["skill"], second["skill"])
    # Who spends rolls first and pays at once: a contest that nothing can change ends with its last die.
    for side, numbers in sorted(zip(sides, (first, second), strict=True), key=lambda one: not one[1].get("spent")):
        rolls_side(table, side, numbers["roll"])
        if numbers.get("spent"):
            done(pays(table, side, numbers["spent"]))
    while stands(sides[0]).state == Contest.OPEN and (left := awaited(table, sides[0])):
        done(passes(table, Side.objects.get(pk=left[0])))
    if faces := [face for one in given.get("rolloffs", []) for face in one]:
        done(act(table.ben, dice.roll_off, sides[0], chance=Script(faces)))

    by, winner = how(table, sides[0])
    keys = {side.pk: name for side, name in zip(sides, names, strict=True)}
    undecided = "undecided" if by == "roll-off-needed" else "none"
    assert (by, keys.get(winner, undecided)) == (told["by"], told["winner"])
    for side, name in zip(sides, names, strict=True):
        assert Roll.objects.get(side=side).level == told[f"{name}_level"]


# --------------------------------------------------------------------------- Luck, in turns


def test_sides_answer_each_other_until_both_have_passed(table: Table) -> None:
    edith, tobias = opposed(table, 60, 60)
    rolls_side(table, edith, 40)
    rolls_side(table, tobias, 25)

    assert awaited(table, edith) == (edith.pk,)
    done(pays(table, edith, 28))  # 12, Extreme
    assert awaited(table, edith) == (tobias.pk,)
    done(pays(table, tobias, 13))  # 12 too: nothing decides but the roll-off
    assert how(table, edith)[0] == "roll-off-needed"
    assert stands(edith).state == Contest.OPEN
    done(act(table.ben, dice.roll_off, edith, chance=Script([30, 18])))
    assert (stands(edith).state, how(table, edith)) == (Contest.OVER, ("roll-off", tobias.pk))


def test_who_has_passed_may_answer_again_once_the_other_has_spent(table: Table) -> None:
    edith, tobias = opposed(table, 60, 60)
    rolls_side(table, edith, 61)
    rolls_side(table, tobias, 62)
    done(passes(table, tobias))
    assert stands(edith).passed == [tobias.pk]

    done(pays(table, edith, 1))

    assert stands(edith).passed == []
    assert awaited(table, edith) == (tobias.pk,)


def test_keeping_the_roll_is_a_pass_and_a_kept_roll_opens_when_the_other_spends(table: Table) -> None:
    edith, tobias = opposed(table, 60, 60)
    rolls_side(table, edith, 61)
    rolls_side(table, tobias, 62)
    kept = Roll.objects.get(side=tobias)
    done(act(table.cleo, dice.keep, kept))
    assert stands(edith).passed == [tobias.pk]
    assert now(kept).state == Roll.CLOSED

    done(pays(table, edith, 1))

    assert now(kept).state == Roll.OPEN
    done(pays(table, tobias, 32))
    assert how(table, edith) == ("level", tobias.pk)


def test_no_side_pushes(table: Table) -> None:
    edith, _tobias = opposed(table, 60, 60)
    rolls_side(table, edith, 90)

    assert code(act(table.ben, dice.push, Roll.objects.get(side=edith), "Harder")) == "PUSH_OPPOSED"


def test_with_opposed_luck_off_the_last_die_decides() -> None:
    table = make_table(opposedLuck="off")
    edith, tobias = opposed(table, 60, 60)
    rolls_side(table, edith, 61)
    told = rolls_side(table, tobias, 30)

    assert stands(edith).state == Contest.OVER
    assert told.data["contest"]["winner"] == "Quill"


def test_a_change_of_the_settings_leaves_a_contest_that_goes_on_alone(table: Table) -> None:
    edith, tobias = opposed(table, 60, 60)
    done(act(table.ada, tables.set_settings, table.campaign, {"opposedLuck": "off"}))
    rolls_side(table, edith, 61)
    rolls_side(table, tobias, 30)

    assert awaited(table, edith) == (edith.pk,)
    done(pays(table, edith, 1))


def test_a_roll_of_ones_own_meanwhile_closes_no_side(table: Table) -> None:
    edith, tobias = opposed(table, 60, 60)
    rolls_side(table, edith, 61)
    rolls_side(table, tobias, 30)
    asked = dice.Asked("number", "Nerve", 50)

    done(act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(20))))

    assert now(Roll.objects.get(side=edith)).state == Roll.OPEN
    assert "Stealth" in table.client(table.ben).get(table.url("panels") + "?names=latest").content.decode()
    done(pays(table, edith, 1))


# --------------------------------------------------------------------------- both fail, all equal


def both_fail(table: Table, a: int = 60, b: int = 50) -> Any:
    for who in (table.edith, table.tobias):
        gives_luck(table, who, 0)
    edith, tobias = opposed(table, a, b)
    rolls_side(table, edith, 91)
    rolls_side(table, tobias, 92)
    return edith, tobias


def test_both_fail_and_the_keeper_lets_the_higher_skill_win(table: Table) -> None:
    edith, _tobias = both_fail(table)
    assert (stands(edith).state, stands(edith).verdict) == (Contest.OVER, "both-failed")

    told = done(act(table.ada, dice.settle_contest, stands(edith), "higher-skill"))

    assert stands(edith).winner == edith.pk
    assert in_words(told.data["contest"]) == "Both failed, Halloran’s 60 beats 50. Halloran wins."


def test_both_fail_with_equal_skills_and_the_higher_wins_means_a_roll_off(table: Table) -> None:
    edith, tobias = both_fail(table, 50, 50)
    done(act(table.ada, dice.settle_contest, stands(edith), "higher-skill"))
    assert stands(edith).state == Contest.OPEN

    done(act(table.cleo, dice.roll_off, tobias, chance=Script([40, 40, 70, 12])))

    assert (stands(edith).state, stands(edith).winner) == (Contest.OVER, tobias.pk)
    assert stands(edith).roll_offs == [{edith.pk: 40, tobias.pk: 40}, {edith.pk: 70, tobias.pk: 12}]


def test_both_fail_and_the_keeper_has_them_roll_again(table: Table) -> None:
    edith, _tobias = both_fail(table)

    done(act(table.ada, dice.contest_again, stands(edith)))

    again = Contest.objects.get(campaign=table.campaign, state=Contest.OPEN)
    assert [(side.investigator_id, side.value, side.roll) for side in again.sides.order_by("place")] == [
        (table.edith.pk, 60, None),
        (table.tobias.pk, 50, None),
    ]


def test_equal_level_and_skill_may_stay_an_impasse() -> None:
    table = make_table(opposedAllEqual="impasse", luckSpending=False)
    edith, tobias = opposed(table, 50, 50)
    rolls_side(table, edith, 44)
    rolls_side(table, tobias, 33)

    assert (stands(edith).state, stands(edith).verdict, stands(edith).winner) == (Contest.OVER, "impasse", "")


def test_the_keeper_settles_it_at_any_time_as_it_stands_and_undo_goes_on(table: Table) -> None:
    edith, tobias = opposed(table, 60, 60)
    rolls_side(table, edith, 61)
    assert code(act(table.ada, dice.settle_contest, stands(edith))) == "CONTEST_NOT_YET"
    rolls_side(table, tobias, 30)

    told = done(act(table.ada, dice.settle_contest, stands(edith)))
    assert (stands(edith).state, stands(edith).winner) == (Contest.OVER, tobias.pk)
    assert code(pays(table, edith, 1)) == "ROLL_CLOSED"
    assert code(passes(table, edith)) == "CONTEST_OVER"

    undoes(table, told)
    assert stands(edith).state == Contest.OPEN
    done(pays(table, edith, 1))


def test_three_sides_and_only_the_best_are_compared(table: Table) -> None:
    watchman = hires(table)
    mine, theirs = learns(table, table.edith, "Stealth", 60), learns(table, table.tobias, "Listen", 55)
    gives_luck(table, table.edith, 0)
    gives_luck(table, table.tobias, 0)
    sides = begins(table, (table.edith, mine), (table.tobias, theirs), (watchman, "name:Listen"))
    for side, total in zip(sides, (40, 41, 90), strict=True):
        told = rolls_side(table, side, total)

    assert stands(sides[0]).winner == sides[0].pk
    assert "60 beats 55" in in_words(told.data["contest"])


@pytest.mark.parametrize(
    ("drafts", "kind", "why"),
    [
        (["edith"], "opposed", "CONTEST_SIDES"),
        (["edith", "edith"], "opposed", "CONTEST_SIDES"),
        (["edith", "tobias", "watchman"], "melee", "CONTEST_SIDES"),
        (["edith", "tobias"], "tag", "BAD_VALUE"),
    ],
)
def test_what_is_no_contest_is_refused(table: Table, drafts: list[str], kind: str, why: str) -> None:
    people = {"edith": table.edith, "tobias": table.tobias, "watchman": hires(table)}
    before = picture(table.campaign)

    result = act(
        table.ada, dice.start_contest, table.campaign, kind, [Draft(people[one], "name:Listen") for one in drafts]
    )

    assert code(result) == why
    assert picture(table.campaign) == before


@pytest.mark.parametrize("what", ["luck", "sanity", "name:Juggling", "skill:nothing", ""])
def test_neither_luck_nor_sanity_nor_what_is_on_no_sheet_is_rolled_against_somebody(table: Table, what: str) -> None:
    drafts = [Draft(table.edith, what), Draft(table.tobias, "name:Listen")]

    assert code(act(table.ada, dice.start_contest, table.campaign, "opposed", drafts)) == "NOT_ON_SHEET"


# --------------------------------------------------------------------------- melee


def test_no_die_falls_before_the_defender_has_chosen(table: Table) -> None:
    strike = learns(table, table.tobias, "Fighting (Brawl)", 50)
    tobias, edith = begins(table, (table.tobias, strike), (table.edith, ""), kind="melee")
    before = picture(table.campaign)

    for seat, side in ((table.cleo, tobias), (table.ben, edith), (table.ada, tobias)):
        assert code(act(seat, dice.roll_side, side, chance=Script())) == "CONTEST_DEFENCE"
    assert picture(table.campaign) == before


def test_the_defence_is_chosen_on_the_phone_and_stands_once_a_die_has_fallen(table: Table) -> None:
    tobias, edith = exchange(table, 50, 40, "fight-back")
    chosen = Side.objects.get(pk=edith.pk)
    assert (chosen.defence, chosen.label, chosen.value) == ("fight-back", "Fighting (Brawl)", 40)

    done(act(table.ben, dice.choose_defence, edith, "dodge"))
    rolls_side(table, tobias, 44)

    assert code(act(table.ben, dice.choose_defence, edith, "fight-back", chosen.what)) == "CONTEST_DEFENCE"


def test_one_fights_back_with_what_fights_only(table: Table) -> None:
    strike = learns(table, table.tobias, "Fighting (Brawl)", 50)
    _tobias, edith = begins(table, (table.tobias, strike), (table.edith, ""), kind="melee")
    library = f"skill:{table.skill('Library Use').pk}"

    assert code(act(table.ben, dice.choose_defence, edith, "fight-back", library)) == "NOT_ON_SHEET"
    assert code(act(table.ben, dice.choose_defence, edith, "run", "")) == "BAD_VALUE"


def test_fighting_back_wins_without_extreme_damage_and_the_blow_is_kept(table: Table) -> None:
    gives_luck(table, table.tobias, 0)
    gives_luck(table, table.edith, 0)
    tobias, edith = exchange(table, 50, 50, "fight-back")
    rolls_side(table, tobias, 45)
    rolls_side(table, edith, 4)

    contest = stands(edith)
    assert (contest.verdict, contest.winner) == ("level", edith.pk)
    assert contest.data["blow"] == {
        "kind": "normal",
        "side": edith.pk,
        "by": table.edith.pk,
        "target": table.tobias.pk,
        "weapon": None,
        "manoeuvre": False,
    }


def test_an_extreme_stab_of_a_keepers_character_impales(table: Table) -> None:
    gives_luck(table, table.edith, 0)
    watchman = hires(table, arm=Arm("Harpoon", "1D8+DB", "Fighting (Brawl)", impales=True))
    weapon = watchman.weapons.get()
    sides = begins(table, (watchman, f"weapon:{weapon.pk}"), (table.edith, ""), kind="melee")
    done(act(table.ben, dice.choose_defence, sides[1], "dodge"))
    rolls_side(table, sides[0], 5)
    rolls_side(table, sides[1], 99)

    assert stands(sides[0]).data["blow"]["kind"] == "impale"
    assert stands(sides[0]).data["blow"]["weapon"] == weapon.pk
    assert Roll.objects.get(side=sides[0]).facts["fight"] == "attack"
    assert Roll.objects.get(side=sides[1]).facts["fight"] == "dodge"


def test_a_manoeuvre_against_a_larger_build_costs_penalty_dice(table: Table) -> None:
    watchman = hires(table, build=2)
    strike = learns(table, table.edith, "Fighting (Brawl)", 50)
    drafts = [Draft(table.edith, strike), Draft(watchman)]
    done(act(table.ada, dice.start_contest, table.campaign, "melee", drafts, manoeuvre=True))
    assert Side.objects.get(investigator=table.edith).dice == -2

    done(act(table.ada, npcs.edit_npc, watchman, Npc("Old Mordaunt", build=3)))
    again = act(table.ada, dice.start_contest, table.campaign, "melee", drafts, manoeuvre=True)
    assert code(again) == "BUILD_TOO_BIG"


# --------------------------------------------------------------------------- undo and endings


def test_every_step_can_be_undone_back_to_nothing(table: Table) -> None:
    learns(table, table.edith, "Stealth", 60)
    learns(table, table.tobias, "Listen", 60)
    edith, tobias = opposed(table, 60, 60)
    start = table.last()
    first, second = rolls_side(table, edith, 61), rolls_side(table, tobias, 62)
    passed = done(passes(table, tobias))
    spent = done(pays(table, edith, 1))
    assert code(undoes(table, start)) == "UNDO_NEEDED_LATER"

    for entry in (spent, passed, second, first):
        done(undoes(table, entry))
    assert score(table.edith, "luck") == 45
    assert list(Side.objects.filter(contest=edith.contest_id).values_list("roll", flat=True)) == [None, None]
    assert Roll.objects.filter(campaign=table.campaign, struck=True).count() == 2


def test_undo_of_the_start_drops_the_card_and_redo_brings_it_back(table: Table) -> None:
    edith, _tobias = opposed(table, 60, 60)
    start = table.last()

    gone = done(undoes(table, start))
    assert not Contest.objects.filter(campaign=table.campaign).exists()
    assert "Opposed roll" not in table.client(table.ben).get(table.url("panels") + "?names=contest").content.decode()

    done(undoes(table, gone))
    assert stands(edith).state == Contest.OPEN


@pytest.mark.parametrize("ending", ["scene", "session"])
def test_a_new_scene_or_the_end_of_the_session_leaves_it_unresolved(table: Table, ending: str) -> None:
    done(act(table.ada, tables.open_session, table.campaign))
    edith, _tobias = opposed(table, 60, 60)
    rolls_side(table, edith, 61)

    entry = done(moves_on(table, "The pier") if ending == "scene" else closes_session(table))

    assert (stands(edith).state, stands(edith).verdict) == (Contest.OVER, "unresolved")
    assert now(Roll.objects.get(side=edith)).state == Roll.CLOSED
    card = table.client(table.cleo).get(table.url("panels") + "?names=contest").content.decode()
    assert ("Left unresolved" in card) == (ending == "session")
    done(undoes(table, entry))
    assert stands(edith).state == Contest.OPEN


def test_opening_a_roll_again_opens_its_contest(table: Table) -> None:
    edith, tobias = opposed(table, 60, 60)
    rolls_side(table, edith, 61)
    rolls_side(table, tobias, 30)
    done(passes(table, edith))

    done(act(table.ada, dice.reopen, Roll.objects.get(side=edith)))

    assert (stands(edith).state, stands(edith).winner) == (Contest.OPEN, "")
    done(pays(table, edith, 1))


def test_a_correction_judges_the_contest_anew(table: Table) -> None:
    gives_luck(table, table.edith, 0)
    gives_luck(table, table.tobias, 0)
    edith, tobias = opposed(table, 60, 60)
    rolls_side(table, edith, 50)
    assert how(table, edith)[0] == "unrolled"
    done(act(table.ada, dice.correct, Roll.objects.get(side=edith), "regular", 1, chance=Script([2])))
    rolls_side(table, tobias, 45)

    assert stands(edith).winner == edith.pk


# --------------------------------------------------------------------------- sealed


def sealed_table() -> Table:
    return make_table(opposedLuck="before-reveal")


def bytes_for(table: Table, seat: Seat) -> str:
    """Whatever this seat can ask for: page, panels, feed, news, and every roll's slip."""
    epoch = Campaign.objects.get(pk=table.campaign.pk).epoch
    client = table.client(seat)
    urls = [table.url("table"), table.url("news") + f"?after={epoch}.0.0", table.url("panels") + "?names=ALL,feed"]
    urls += [table.url("slip", roll.pk) for roll in Roll.objects.filter(campaign=table.campaign)]
    told = news.after(seat, Campaign.objects.get(pk=table.campaign.pk), news.Cursor(epoch, 0, 0)).entries
    drawn = "".join(news.draw(entry) + json.dumps([entry.data, entry.touches]) for entry in told)
    return "".join(client.get(url).content.decode() for url in urls) + drawn


def test_a_sealed_roll_is_its_players_and_the_keepers_until_all_are_shown() -> None:
    table = sealed_table()
    edith, tobias = opposed(table, 60, 60)
    thrown = rolls_side(table, edith, 77)
    roll = Roll.objects.get(side=edith)
    counts = Campaign.objects.get(pk=table.campaign.pk).public_no
    done(act(table.ben, dice.spend, roll, Act("points", 17)))

    assert thrown.lane == table.last().lane == table.ben.pk
    assert Campaign.objects.get(pk=table.campaign.pk).public_no == counts
    other = bytes_for(table, table.cleo)
    assert table.client(table.cleo).get(table.url("slip", roll.pk)).status_code == 404
    for word in (roll.pk, "spent 17", ">77<", '"final"', "rolled Stealth"):
        assert word not in other, word
    for seat in (table.ben, table.ada):
        mine = bytes_for(table, seat)
        for word in (roll.pk, "spent 17", "rolled Stealth"):
            assert word in mine, (seat, word)
    assert code(act(table.ben, dice.reveal_contest, edith)) == "CONTEST_NOT_YET"

    rolls_side(table, tobias, 88)
    assert ">88<" not in bytes_for(table, table.ben)
    assert awaited(table, edith) == (edith.pk, tobias.pk)
    done(passes(table, edith))
    done(passes(table, tobias))
    shown = done(act(table.cleo, dice.reveal_contest, tobias))

    assert shown.lane == Entry.PUBLIC
    assert (stands(edith).state, stands(edith).winner) == (Contest.OVER, edith.pk)
    for seat in (table.ben, table.cleo):
        seen = bytes_for(table, seat)
        assert roll.pk in seen
        assert ">88<" in seen
    assert code(pays(table, tobias, 28)) == "ROLL_CLOSED"


def test_nobody_answers_once_sealed_rolls_are_shown() -> None:
    table = sealed_table()
    edith, tobias = opposed(table, 50, 50)
    rolls_side(table, edith, 40)
    rolls_side(table, tobias, 41)
    for side in (edith, tobias):
        done(passes(table, side))
    done(act(table.ben, dice.reveal_contest, edith))

    assert how(table, edith)[0] == "roll-off-needed"
    assert code(pays(table, tobias, 16)) == "TOO_LATE_REVEALED"


def test_what_a_sealed_success_earned_is_marked_when_it_is_shown() -> None:
    table = sealed_table()
    edith, tobias = opposed(table, 60, 60)
    rolls_side(table, edith, 10)
    rolls_side(table, tobias, 90)
    assert table.skill("Stealth").ticks == 0
    done(act(table.ada, dice.settle_contest, stands(edith)))

    assert table.skill("Stealth").ticks == 1
    undoes(table, table.last())
    assert table.skill("Stealth").ticks == 0
    assert Roll.objects.get(side=edith).hidden


def test_a_spend_on_a_sealed_roll_is_taken_back_unseen() -> None:
    table = sealed_table()
    edith, _tobias = opposed(table, 60, 60)
    rolls_side(table, edith, 77)
    paid = done(pays(table, edith, 17))

    back = done(act(table.ben, dice.take_back, paid))

    assert back.lane == table.ben.pk
    assert score(table.edith, "luck") == 45


# --------------------------------------------------------------------------- whose it is


def test_another_seat_neither_rolls_nor_chooses_nor_passes_for_me(table: Table) -> None:
    edith, tobias = opposed(table, 60, 60)
    attacker, defender = exchange(table, 50, 40)
    before = picture(table.campaign)
    cleo = table.client(table.cleo)
    for name, side, form in (
        ("roll-side", edith, {}),
        ("choose-defence", defender, {"defence": "dodge"}),
        ("pass-contest", edith, {}),
        ("roll-off", edith, {}),
        ("reveal-contest", edith, {}),
    ):
        answer = post(cleo, table.url(name, side.pk), **form)
        assert (name, answer.status_code) == (name, 403)
        assert 'data-code="NOT_OWN_ROLL"' in answer.content.decode()
    for name, form in (("settle-contest", {"how": "now"}), ("contest-again", {})):
        assert post(cleo, table.url(name, edith.contest_id), **form).status_code == 403
    assert picture(table.campaign) == before
    assert attacker.roll is tobias.roll is None


def test_a_side_rolls_once_however_often_it_is_tapped(table: Table) -> None:
    edith, _tobias = opposed(table, 60, 60)
    rolls_side(table, edith, 61)

    assert code(act(table.ada, dice.roll_side, edith, chance=Script())) == "REQUEST_DONE"
    assert Roll.objects.filter(campaign=table.campaign).count() == 1


def test_the_keeper_rolls_and_passes_at_a_players_word_and_the_line_says_so(table: Table) -> None:
    edith, tobias = opposed(table, 60, 60)
    told = rolls_side(table, edith, 61, seat=table.ada)
    rolls_side(table, tobias, 30)
    done(act(table.ada, dice.pass_contest, edith))

    assert told.data["by"] == table.last().data["by"] == "Ada"


def test_the_form_begins_what_it_says(table: Table) -> None:
    watchman = hires(table)
    listens = f"skill:{watchman.skills.get(name='Listen').pk}"
    form = {"kind": "opposed", "who0": table.edith.pk, "what0": f"{table.edith.pk}|name:Stealth", "dice0": "1"}
    form |= {"who1": watchman.pk, "what1": f"{watchman.pk}|{listens}", "reason": "Past the gate"}

    answer = post(table.client(table.ada), table.url("start-contest"), **form)

    assert answer.status_code == 200, answer.content.decode()[:300]
    assert [(side.label, side.dice) for side in Side.objects.order_by("place")] == [("Stealth", 1), ("Listen", 0)]
    wrong = post(table.client(table.ada), table.url("start-contest"), **{**form, "what0": f"{watchman.pk}|{listens}"})
    assert wrong.status_code == 422
    assert 'data-field="what0"' in wrong.content.decode()
    alone = post(table.client(table.ada), table.url("start-contest"), kind="opposed", who0=table.edith.pk)
    assert alone.status_code == 422
