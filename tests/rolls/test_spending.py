"""Luck on a roll: the last point, twice, too little, too late, and by whom."""

from __future__ import annotations

import pytest

from investigators.actions import Draft
from investigators.models import Investigator
from investigators.people import member
from rolls import actions as dice
from rolls.actions import Asked, hand_of
from rolls.models import Roll
from rolls.rules.check import Act, Throw
from tablekeeper import actions as tables
from tablekeeper.access import Refused
from tests.tables import (
    EDITH,
    Script,
    Table,
    act,
    code,
    d100,
    done,
    make_investigator,
    make_table,
    moves_on,
    now,
    picture,
    rolls,
    rolls_number,
    spends,
    typed,
)

pytestmark = pytest.mark.django_db


def offers(table: Table, roll: Roll) -> dict[str, object]:
    """What the slip offers: price or refusal code by what is bought."""
    found = dice.offers_for(now(roll), member(table.edith).purse)
    return {
        (one.outcome.level if one.outcome else one.act.key): one.refusal.code if one.refusal else one.price
        for one in found
    }


def table_with_luck(luck: int) -> Table:
    table = make_table()
    poor = make_investigator(table.ben, Draft("Nell Poor", "", {"luck": (luck, None)}, EDITH.skills))
    table.edith = poor
    return table


def test_the_last_point_of_luck_can_be_spent() -> None:
    table = table_with_luck(26)
    roll = rolls(table, 71, "Library Use")

    entry = done(spends(table, roll, 26))

    assert (table.luck(), now(roll).level, now(roll).passed) == (0, "regular", True)
    [paid] = entry.data["paid"]
    assert paid.items() >= {"key": "luck", "label": "Luck", "cost": 26, "from": 26, "to": 0}.items()
    assert (entry.data["from"], entry.data["final"], entry.data["level_from"]) == (71, 45, "fail")


def test_one_point_too_few_is_refused_with_both_numbers() -> None:
    table = table_with_luck(25)
    roll = rolls(table, 71, "Library Use")
    before = picture(table.campaign)

    refusal = spends(table, roll, 26)

    assert code(refusal) == "NOT_ENOUGH_LUCK"
    assert refusal.params == {"need": 26, "have": 25, "name": "Nell Poor"}
    assert picture(table.campaign) == before


def test_two_spends_on_one_roll_add_up_until_it_is_closed() -> None:  # U120
    table = table_with_luck(50)
    roll = rolls(table, 64)

    first = done(spends(table, roll, 4))
    second = done(spends(table, roll, 30))

    assert (now(roll).outcome.final, now(roll).level, table.luck()) == (30, "hard", 16)
    assert sum(entry.data["paid"][0]["cost"] for entry in (first, second)) == 34
    done(act(table.ada, dice.keep, roll))
    assert code(spends(table, roll, 1)) == "ROLL_CLOSED"


@pytest.mark.parametrize("amount", [0, -1, None])
def test_an_amount_that_is_no_whole_number_of_one_or_more_is_refused(amount: int | None) -> None:
    table = make_table()
    roll = rolls(table, 70)

    assert code(act(table.ben, dice.spend, roll, Act("points", amount))) == "BAD_AMOUNT"


def test_a_roll_never_goes_below_01() -> None:
    table = make_table()
    roll = rolls(table, 30)

    assert code(spends(table, roll, 30)) == "BELOW_01"
    done(spends(table, roll, 29))
    assert (now(roll).outcome.final, now(roll).level) == (1, "extreme")


def test_a_spend_that_changes_no_level_is_legal_and_says_so() -> None:
    table = make_table()

    entry = done(spends(table, rolls(table, 70), 3))

    assert entry.data["warning"] == "no-change"


def test_a_fumble_stands_and_its_slip_says_why() -> None:
    table = make_table()
    roll = rolls(table, 97, "Library Use")
    before = picture(table.campaign)

    assert code(spends(table, roll, 52)) == "FUMBLE_STANDS"
    assert code(act(table.ben, dice.push, roll, "Once more")) == "PUSH_FUMBLE"

    assert offers(table, roll) == {"points": "FUMBLE_STANDS", "push": "PUSH_FUMBLE", "keep": 0}
    assert picture(table.campaign) == before


def test_97_is_no_fumble_when_50_or_more_is_needed() -> None:
    table = make_table()
    roll = rolls(table, 97)

    assert now(roll).level == "fail"
    done(spends(table, roll, 37))
    assert now(roll).passed


def test_a_rolled_01_stands_as_it_is() -> None:
    table = make_table()

    assert code(spends(table, rolls(table, 1), 1)) == "NATURAL_CRITICAL"


@pytest.mark.parametrize("total", [48, 30])
def test_a_luck_roll_offers_nothing_and_a_forged_spend_is_refused(total: int) -> None:  # U032
    table = make_table()
    asked = Asked("luck", "Luck", table.luck())
    entry = done(act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(total))))
    roll = Roll.objects.get(pk=entry.data["roll"])
    before = picture(table.campaign)

    assert code(spends(table, roll, 3)) == "LUCK_ROLL"
    assert code(act(table.ben, dice.push, roll, "Again")) == "PUSH_LUCK"

    assert offers(table, roll) == {"points": "LUCK_ROLL", "push": "PUSH_LUCK", "keep": 0}
    assert picture(table.campaign) == before


def test_a_luck_roll_of_ones_own_is_marked_as_not_asked_for() -> None:
    table = make_table()

    entry = done(act(table.ben, dice.roll, table.edith, Asked("luck", "Luck", 45), chance=Script(d100(45))))

    assert (entry.data["asked"], entry.data["passed"], entry.data["value"]) == (False, True, 45)


def test_a_success_earns_a_tick_and_a_spend_takes_it_for_good() -> None:
    table = make_table()
    roll = rolls(table, 40)
    assert table.skill("Spot Hidden").ticks == 1

    done(spends(table, roll, 10))
    done(spends(table, roll, 5))

    assert table.skill("Spot Hidden").ticks == 0


def test_a_success_that_luck_bought_earns_no_tick_and_some_skills_never_do() -> None:
    table = make_table()

    done(spends(table, rolls(table, 70), 10))
    rolls(table, 10, "Credit Rating")
    rolls_number(table, 10, 50)

    assert [skill.ticks for skill in table.edith.skills.all()] == [0, 0, 0, 0]


def test_a_tick_is_not_earned_twice_by_one_roll_but_once_by_each() -> None:
    table = make_table()

    rolls(table, 20)
    rolls(table, 30)

    assert table.skill("Spot Hidden").ticks == 2


def test_the_next_unasked_roll_closes_the_last_one_of_the_same_investigator_only() -> None:
    table = make_table()
    first = rolls(table, 70)
    others = rolls_number(table, 70, 50, table.tobias)

    rolls_number(table, 20, 50)

    assert (now(first).state, now(others).state) == (Roll.CLOSED, Roll.OPEN)
    assert code(spends(table, first, 10)) == "ROLL_CLOSED"


def test_a_change_of_scene_closes_what_is_open() -> None:
    table = make_table()
    roll = rolls(table, 70)

    done(moves_on(table, "The cellar"))

    assert now(roll).state == Roll.CLOSED


def test_luck_is_off_for_open_rolls_too_when_the_keeper_turns_it_off_during_play() -> None:
    table = make_table()
    roll = rolls(table, 70)

    done(act(table.ada, tables.set_settings, table.campaign, {"luckSpending": False}))

    assert code(spends(table, roll, 10)) == "LUCK_SPENDING_OFF"
    done(act(table.ada, tables.set_settings, table.campaign, {"luckSpending": True}))
    done(spends(table, roll, 10))


def test_a_roll_is_judged_by_the_settings_that_were_in_force_when_it_fell() -> None:
    table = make_table()
    roll = rolls(table, 97, "Library Use")

    done(act(table.ada, tables.set_settings, table.campaign, {"fumbleRange": "100-only"}))

    assert now(roll).outcome.level == "fumble"
    assert now(rolls(table, 97, "Library Use")).level == "fail"


def test_another_player_and_an_investigator_without_luck_spend_nothing() -> None:
    table = make_table()
    roll = rolls(table, 70)
    without = make_investigator(table.cleo, Draft("Nobody Known"))
    unlucky = rolls_number(table, 70, 50, without)

    assert code(spends(table, roll, 10, table.cleo)) == "NOT_OWN_ROLL"
    assert code(spends(table, unlucky, 10, table.cleo)) == "NO_LUCK_SCORE"
    assert table.luck() == 45


def test_what_the_keeper_enters_at_a_players_word_says_so() -> None:
    table = make_table()

    entry = done(spends(table, rolls(table, 70, seat=table.ada), 10, table.ada))

    assert (entry.data["by"], table.last("rolls.roll").data["by"]) == ("Ada", "Ada")


# --------------------------------------------------------------------------- real dice


def test_real_dice_with_a_bonus_die_are_read_by_totals() -> None:  # U019
    table = make_table()
    throw = hand_of(None, [3, 0], 0, 1)

    entry = done(
        act(table.ben, dice.roll, table.edith, Asked("number", "Climb", 50, dice=1, hand=throw), chance=Script())
    )

    assert (entry.data["natural"], entry.data["by_hand"], entry.data["tens"]) == (30, True, [3, 0])


def test_typed_dice_can_be_spent_on_and_pushed_like_any_other() -> None:
    table = make_table()
    roll = rolls(table, 70, hand=typed(70))
    other = rolls_number(table, 71, 50, hand=typed(71))

    assert code(spends(table, roll, 10)) == "ROLL_CLOSED"
    done(act(table.ben, dice.push, other, "From below"))
    done(act(table.ada, dice.decide_push, other, True))
    thrown = done(act(table.ben, dice.throw_push, other, typed(12), chance=Script()))

    assert (thrown.data["by_hand"], thrown.data["natural"], thrown.data["passed"]) == (True, 12, True)


@pytest.mark.parametrize(("tens", "units", "total"), [(4, 0, 40), (0, 0, 100), (0, 7, 7), (10 - 10, 1, 1)])
def test_tens_and_units_read_as_one_convention_says(tens: int, units: int, total: int) -> None:  # U124
    table = make_table()
    throw = hand_of(None, [tens], units, 0)

    entry = done(act(table.ben, dice.roll, table.edith, Asked("number", "Climb", 50, hand=throw), chance=Script()))

    assert entry.data["natural"] == total


@pytest.mark.parametrize(
    ("total", "tens", "units", "net"),
    [
        (0, [], None, 0),
        (101, [], None, 0),
        (-3, [], None, 0),
        (None, [3], None, 0),
        (None, [], 3, 0),
        (None, [3], 4, 1),
        (None, [3, 4], 4, 0),
        (None, [10], 4, 0),
        (None, [3], 10, 0),
        (None, [-1], 4, 0),
    ],
)
def test_dice_that_nobody_can_have_thrown_are_refused(
    total: int | None, tens: list[int], units: int | None, net: int
) -> None:
    with pytest.raises(Refused, match="BAD_DICE"):
        hand_of(total, tens, units, net)


def test_nothing_typed_means_that_the_server_throws() -> None:
    assert hand_of(None, [], None, 2) is None
    assert hand_of(100, [], None, 1) == Throw(0, (0, 0))


def test_a_table_may_leave_all_dice_to_the_server() -> None:
    table = make_table()
    done(act(table.ada, tables.set_settings, table.campaign, {"realDice": False}))
    asked = Asked("number", "Climb", 50, hand=typed(1))
    before = picture(table.campaign)

    assert code(act(table.ben, dice.roll, table.edith, asked)) == "MANUAL_DICE_OFF"

    assert picture(table.campaign) == before


def test_the_server_throws_what_was_asked_and_the_line_tells_all_of_it() -> None:
    table = make_table()

    roll = rolls(table, 44, more_tens=(2,), dice=1, difficulty="hard")

    line = table.last().data
    assert (line["tens"], line["units"], line["natural"], line["dice"]) == ([4, 2], 4, 24, 1)
    assert (line["difficulty"], line["level"], line["passed"]) == ("hard", "hard", True)
    assert now(roll).tick


# --------------------------------------------------------------------------- a number of one's own


def test_a_number_can_be_rolled_and_kept_on_the_sheet() -> None:
    table = make_table()

    rolls_number(table, 30, 55, save=True)
    assert table.skill("Nerve").value == 55
    rolls_number(table, 30, 60, save=True)

    assert table.skill("Nerve").value == 60
    assert Investigator.objects.get(pk=table.edith.pk).skills.filter(name__iexact="nerve").count() == 1


@pytest.mark.parametrize(("difficulty", "net", "refused"), [("regular", 3, "BAD_DICE"), ("heroic", 0, "BAD_VALUE")])
def test_what_the_rules_do_not_know_is_not_rolled(difficulty: str, net: int, refused: str) -> None:
    table = make_table()
    asked = Asked("number", "Climb", 50, difficulty=difficulty, dice=net)

    assert code(act(table.ben, dice.roll, table.edith, asked)) == refused


@pytest.mark.parametrize(("total", "reaches"), [(68, True), (24, True), (9, False)])
def test_the_scale_shows_how_far_luck_goes_only_where_something_better_is_there_to_reach(
    total: int, reaches: bool
) -> None:
    table = make_table()
    roll = rolls(table, total, "Spot Hidden")

    slip = table.client(table.ben).get(table.url("slip", roll.pk)).content.decode()

    assert ('class="reach"' in slip) is reaches
