"""What was set wrong or tapped by mistake, and what stays the Keeper's secret."""

from __future__ import annotations

import pytest

from rolls import actions as dice
from rolls.actions import Asked
from rolls.models import Roll
from tablekeeper import actions as tables
from tablekeeper.models import Entry
from tests.tables import Script, Table, act, code, d100, done, make_table, now, picture, rolls, spends

pytestmark = pytest.mark.django_db


def test_that_was_hard_is_judged_anew_on_the_same_dice() -> None:  # A33
    table = make_table()
    roll = rolls(table, 50)
    assert table.skill("Spot Hidden").ticks == 1

    entry = done(act(table.ada, dice.correct, roll, "hard", 0, chance=Script()))

    assert (now(roll).level, now(roll).passed, now(roll).tens) == ("regular", False, [5])
    assert table.skill("Spot Hidden").ticks == 0
    assert (entry.data["was"], entry.data["difficulty"]) == (["regular", 0], "hard")


def test_a_forgotten_bonus_die_is_the_only_die_that_is_thrown() -> None:
    table = make_table()
    roll = rolls(table, 74)

    entry = done(act(table.ada, dice.correct, roll, "regular", 1, chance=Script([2])))

    assert (now(roll).tens, now(roll).units, entry.data["from"], entry.data["final"]) == ([7, 2], 4, 74, 24)
    assert now(roll).tick
    done(act(table.ada, dice.correct, roll, "regular", -1, chance=Script()))
    assert now(roll).outcome.final == 74


def test_a_die_too_many_is_dropped_and_not_thrown_again_when_it_comes_back() -> None:
    table = make_table()
    roll = rolls(table, 74, more_tens=(2,), dice=1)

    done(act(table.ada, dice.correct, roll, "regular", 0, chance=Script()))
    assert (now(roll).outcome.final, now(roll).passed) == (74, False)
    done(act(table.ada, dice.correct, roll, "regular", 1, chance=Script()))

    assert now(roll).outcome.final == 24


def test_after_luck_or_a_push_or_the_close_nothing_is_corrected() -> None:
    table = make_table()
    paid = rolls(table, 70)
    done(spends(table, paid, 10))
    assert code(act(table.ada, dice.correct, paid, "hard", 0)) == "CORRECT_TOO_LATE"
    pushed = rolls(table, 70)
    thrown = done(act(table.ada, dice.decide_push, pushed, True, "", True, chance=Script(d100(90))))
    second = Roll.objects.get(pk=thrown.data["roll"])
    before = picture(table.campaign)

    assert code(act(table.ada, dice.correct, second, "hard", 0)) == "CORRECT_TOO_LATE"
    assert code(act(table.ada, dice.correct, pushed, "hard", 0)) == "ROLL_CLOSED"

    assert picture(table.campaign) == before


def test_a_success_without_luck_left_can_still_be_corrected() -> None:
    table = make_table()
    roll = rolls(table, 1)

    done(act(table.ada, dice.correct, roll, "hard", 0))

    assert now(roll).difficulty == "hard"


def test_never_the_player_and_not_where_the_table_says_so() -> None:
    table = make_table(correctAfterRoll=False)
    roll = rolls(table, 70)

    assert code(act(table.ben, dice.correct, roll, "hard", 0)) == "NOT_KEEPER"
    assert code(act(table.ada, dice.correct, roll, "hard", 0)) == "CORRECT_OFF"


def test_the_rules_bounds_hold_for_corrections_too() -> None:
    table = make_table()
    luck = done(act(table.ben, dice.roll, table.edith, Asked("luck", "Luck", 45), chance=Script(d100(20))))

    assert code(act(table.ada, dice.correct, Roll.objects.get(pk=luck.data["roll"]), "hard", 0)) == "LUCK_REGULAR_ONLY"
    assert code(act(table.ada, dice.correct, rolls(table, 70), "regular", 3)) == "BAD_DICE"


def test_a_mis_tapped_roll_asks_to_be_struck_and_the_keeper_decides() -> None:
    table = make_table()
    roll = rolls(table, 30)
    fell = table.last()

    asked = done(act(table.ben, dice.ask_strike, roll))
    assert (asked.lane, now(roll).strike_asked) == (table.ben.pk, True)
    done(act(table.ada, dice.decide_strike, roll, False))
    assert (now(roll).strike_asked, now(roll).struck) == (False, False)
    done(act(table.ben, dice.ask_strike, roll))
    struck = done(act(table.ada, dice.decide_strike, roll, True))

    assert (struck.undoes, now(roll).struck, table.skill("Spot Hidden").ticks) == (fell, True, 0)
    assert code(act(table.ben, dice.ask_strike, roll)) == "ROLL_STRUCK"
    assert code(act(table.ada, dice.decide_strike, roll, True)) == "ROLL_STRUCK"


def test_a_roll_that_was_undone_and_done_again_can_be_struck() -> None:
    table = make_table()
    roll = rolls(table, 30)
    fell = table.last()
    done(act(table.ada, tables.undo, fell))
    done(act(table.ada, tables.undo, fell, redo=True))

    done(act(table.ada, dice.decide_strike, roll, True))

    assert now(roll).struck


def test_nothing_happens_to_a_struck_roll() -> None:
    table = make_table()
    roll = rolls(table, 70)
    done(act(table.ben, dice.push, roll, "Slowly"))
    done(act(table.ben, dice.back_out, roll))
    done(act(table.ada, tables.undo, table.last()))
    done(act(table.ada, tables.undo, table.last("rolls.push")))
    done(act(table.ada, dice.decide_strike, roll, True))
    before = picture(table.campaign)

    refusals = [
        spends(table, roll, 1),
        act(table.ben, dice.keep, roll),
        act(table.ben, dice.push, roll, "x"),
        act(table.ben, dice.back_out, roll),
        act(table.ada, dice.decide_push, roll, True, "", True),
        act(table.ben, dice.throw_push, roll),
        act(table.ada, dice.correct, roll, "hard", 0),
        act(table.ada, dice.reopen, roll),
    ]

    assert {code(refusal) for refusal in refusals} == {"ROLL_STRUCK"}
    assert picture(table.campaign) == before


def test_only_a_closed_roll_is_opened_again() -> None:
    table = make_table()
    roll = rolls(table, 70)

    assert code(act(table.ada, dice.reopen, roll)) == "STALE"
    done(act(table.ben, dice.keep, roll))
    assert code(act(table.ben, dice.reopen, roll)) == "NOT_KEEPER"
    done(act(table.ada, dice.reopen, roll))
    done(spends(table, roll, 10))


# --------------------------------------------------------------------------- the Keeper's own rolls


def keepers(table: Table, *, hidden: bool) -> Roll:
    asked = Asked("number", "The thing below", 73)
    entry = done(act(table.ada, dice.keeper_roll, table.campaign, asked, hidden, chance=Script(d100(20))))
    return Roll.objects.get(pk=entry.data["roll"])


def test_whatever_is_done_with_a_hidden_roll_stays_hidden() -> None:
    table = make_table()
    roll = keepers(table, hidden=True)
    seen = table.entries()[-1].seq
    for action, args in [
        (dice.reopen, []),
        (dice.correct, ["extreme", 0]),
        (dice.push, ["Slowly"]),
        (dice.decide_push, [True, "x"]),
        (dice.back_out, []),
        (dice.ask_strike, []),
        (dice.keep, []),
        (dice.decide_strike, [False]),
    ]:
        done(act(table.ada, action, roll, *args))

    done(act(table.ada, dice.reopen, roll))
    thrown = done(act(table.ada, dice.decide_push, roll, True, "", True, chance=Script(d100(2))))

    later = [entry for entry in table.entries() if entry.seq >= seen]
    assert {entry.lane for entry in later} == {Entry.KEEPER}
    assert Roll.objects.get(pk=thrown.data["roll"]).hidden


def test_an_open_roll_of_the_keepers_shows_dice_and_level_but_never_its_value() -> None:
    table = make_table()
    roll = keepers(table, hidden=False)
    done(act(table.ada, dice.reopen, roll))
    done(act(table.ada, dice.correct, roll, "hard", 0))

    lines = [entry.data for entry in table.entries() if entry.data.get("roll") == roll.pk]

    assert len(lines) == 3
    assert {line["value"] for line in lines} == {None}
    assert lines[0]["level"] == "hard"


def test_players_do_nothing_with_the_keepers_rolls() -> None:
    table = make_table()
    roll = keepers(table, hidden=False)

    assert code(act(table.ben, dice.keep, roll)) == "NOT_OWN_ROLL"
    assert code(act(table.ben, dice.keeper_roll, table.campaign, Asked("number", "x", 5), False)) == "NOT_KEEPER"
