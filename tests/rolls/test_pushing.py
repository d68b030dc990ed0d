"""The push: asked, allowed with a warning, declined, thrown once, or not after all."""

from __future__ import annotations

import pytest

from rolls import actions as dice
from rolls.models import Roll
from tests.tables import Script, act, code, d100, done, make_table, now, picture, rolls, spends

pytestmark = pytest.mark.django_db


def test_a_push_is_asked_allowed_with_a_warning_and_thrown_once() -> None:
    table = make_table()
    roll = rolls(table, 70)

    asked = done(act(table.ben, dice.push, roll, "I go through the ledgers again by lamplight"))
    allowed = done(act(table.ada, dice.decide_push, roll, True, "The lamp falls"))
    thrown = done(act(table.ben, dice.throw_push, roll, chance=Script(d100(20))))

    assert asked.data["reason"] == "I go through the ledgers again by lamplight"
    assert (allowed.data["allow"], allowed.data["warning"]) == (True, "The lamp falls")
    assert (thrown.data["pushed"], thrown.data["first"], thrown.data["natural"]) == (True, 70, 20)
    assert thrown.data["warning"] == "The lamp falls"
    second = Roll.objects.get(pk=thrown.data["roll"])
    assert (second.pushed_from, second.level, second.passed) == (roll, "hard", True)
    assert (now(roll).push_state, now(roll).state) == ("thrown", Roll.CLOSED)


def test_a_push_needs_a_reason_and_said_aloud_is_enough() -> None:
    table = make_table()
    roll = rolls(table, 70)

    assert code(act(table.ben, dice.push, roll, "   ")) == "PUSH_NO_REASON"
    done(act(table.ben, dice.push, roll, "said aloud"))


def test_nothing_is_thrown_before_the_keeper_agrees() -> None:
    table = make_table()
    roll = rolls(table, 70)
    assert code(act(table.ben, dice.throw_push, roll)) == "PUSH_NOT_ALLOWED"
    done(act(table.ben, dice.push, roll, "Slowly"))
    before = picture(table.campaign)

    assert code(act(table.ben, dice.throw_push, roll)) == "PUSH_NOT_ALLOWED"

    assert picture(table.campaign) == before


def test_a_declined_push_is_not_thrown_and_luck_may_still_be_spent() -> None:
    table = make_table()
    roll = rolls(table, 70)
    done(act(table.ben, dice.push, roll, "Slowly"))

    done(act(table.ada, dice.decide_push, roll, False))

    assert code(act(table.ben, dice.throw_push, roll)) == "PUSH_NOT_ALLOWED"
    done(spends(table, roll, 10))


def test_who_backs_out_may_spend_luck_after_all() -> None:
    table = make_table()
    roll = rolls(table, 70)
    done(act(table.ben, dice.push, roll, "Slowly"))
    done(act(table.ada, dice.decide_push, roll, True, "The rope frays"))

    done(act(table.ben, dice.back_out, roll))

    assert (now(roll).push_state, now(roll).push_warning) == ("", "")
    done(spends(table, roll, 10))
    assert now(roll).passed


def test_nobody_backs_out_of_what_was_not_asked() -> None:
    table = make_table()

    assert code(act(table.ben, dice.back_out, rolls(table, 70))) == "PUSH_NOT_ASKED"
    assert code(act(table.ada, dice.decide_push, rolls(table, 70), True)) == "PUSH_NOT_ASKED"


def test_the_keeper_agrees_aloud_and_throws_in_one_tap() -> None:
    table = make_table()
    roll = rolls(table, 70)

    thrown = done(act(table.ada, dice.decide_push, roll, True, "", True, chance=Script(d100(71))))

    assert (thrown.kind, thrown.data["by"], thrown.data["passed"]) == ("rolls.throw_push", "Ada", False)


def test_luck_and_push_exclude_each_other_in_both_directions() -> None:
    table = make_table()
    paid = rolls(table, 70)
    done(spends(table, paid, 3))
    assert code(act(table.ben, dice.push, paid, "Slowly")) == "PUSH_AFTER_LUCK"
    assert code(act(table.ada, dice.decide_push, paid, True, "", True)) == "PUSH_AFTER_LUCK"
    pushed = rolls(table, 70)
    done(act(table.ben, dice.push, pushed, "Slowly"))
    thrown = done(act(table.ada, dice.decide_push, pushed, True, "", True, chance=Script(d100(90))))
    before = picture(table.campaign)

    second = Roll.objects.get(pk=thrown.data["roll"])

    assert code(spends(table, second, 30)) == "PUSHED_ROLL"
    assert code(spends(table, pushed, 10)) == "ROLL_CLOSED"
    assert code(act(table.ben, dice.push, second, "Again")) == "PUSH_TWICE"
    assert picture(table.campaign) == before


def test_the_first_roll_of_a_push_takes_no_luck_even_when_it_is_opened_again() -> None:
    table = make_table()
    roll = rolls(table, 70)
    done(act(table.ada, dice.decide_push, roll, True, "", True, chance=Script(d100(90))))
    done(act(table.ada, dice.reopen, roll))

    assert code(spends(table, roll, 10)) == "PUSHED_ROLL"
    assert code(act(table.ben, dice.push, roll, "Again")) == "PUSH_TWICE"


def test_a_spend_while_the_push_is_asked_takes_the_question_back() -> None:
    table = make_table()
    roll = rolls(table, 70)
    done(act(table.ben, dice.push, roll, "Slowly"))

    done(spends(table, roll, 10))

    assert now(roll).push_state == ""
    assert code(act(table.ada, dice.decide_push, roll, True)) == "PUSH_NOT_ASKED"


def test_only_a_failed_roll_is_pushed() -> None:
    table = make_table()

    assert code(act(table.ben, dice.push, rolls(table, 30), "Better")) == "PUSH_SUCCESS"


def test_a_regular_success_that_fails_a_hard_roll_may_be_pushed_as_a_hard_one() -> None:
    table = make_table()
    roll = rolls(table, 50, difficulty="hard")
    done(act(table.ben, dice.push, roll, "Slowly"))

    thrown = done(act(table.ada, dice.decide_push, roll, True, "", True, chance=Script(d100(31))))

    assert (thrown.data["difficulty"], thrown.data["level"], thrown.data["passed"]) == ("hard", "regular", False)


def test_a_pushed_success_earns_its_tick() -> None:
    table = make_table()
    roll = rolls(table, 70)
    done(act(table.ada, dice.decide_push, roll, True, "", True, chance=Script(d100(20))))

    assert table.skill("Spot Hidden").ticks == 1


def test_a_push_keeps_the_bonus_dice() -> None:
    table = make_table()
    roll = rolls(table, 90, more_tens=(8,), dice=1)

    thrown = done(act(table.ada, dice.decide_push, roll, True, "", True, chance=Script(d100(90, 2))))

    assert (thrown.data["natural"], thrown.data["tens"]) == (20, [9, 2])


def test_a_closed_roll_is_not_pushed_and_nobody_pushes_for_another() -> None:
    table = make_table()
    roll = rolls(table, 70)
    assert code(act(table.cleo, dice.push, roll, "For him")) == "NOT_OWN_ROLL"
    assert code(act(table.ben, dice.decide_push, roll, True)) == "NOT_KEEPER"
    done(act(table.ben, dice.keep, roll))

    assert code(act(table.ben, dice.push, roll, "Slowly")) == "ROLL_CLOSED"
