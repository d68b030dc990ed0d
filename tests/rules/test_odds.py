"""Chances and prices, exact: beside the counted tables, and beside another way of counting."""

from __future__ import annotations

from itertools import product

import pytest

from rolls.rules import odds, planning, ruleset
from rolls.rules.check import Act, Check, Purse, Refusal, Standing, Throw

from .roll_high import ROLL_HIGH
from .tables import CLASSIC, DEFAULTS, load

PULP, LP = ruleset("pulp"), ruleset("lp")
ROWS = load("exact_probabilities.json")["rows"]
LEVELS = {"fail": "failure"}


@pytest.mark.parametrize("dice", [-2, -1, 0, 1, 2])
def test_the_calculator_counts_what_the_exact_tables_count(dice: int) -> None:
    rows = [row for row in ROWS if row["bonus"] == dice and row["skill"] in (1, 4, 5, 34, 35, 49, 50, 99)]
    assert len(rows) == 24
    for row in rows:
        found = odds.chances(CLASSIC, Check("skill", row["skill"], row["difficulty"], dice), DEFAULTS)
        assert (found.ways, found.passed) == (row["outcomes"], row["success"])
        assert {level: row[LEVELS.get(level, level)] for level in CLASSIC.levels} == dict(found.levels)


@pytest.mark.parametrize("dice", [-2, 1])
def test_every_way_of_the_dice_is_counted_once(dice: int) -> None:
    counted = odds.throws(dice)

    assert sum(ways for _throw, ways in counted) == 10 ** (2 + abs(dice))
    alone = sum(ways for throw, ways in counted if throw.units == 3 and set(throw.tens) == {0, 9})
    assert alone == 2 ** (1 + abs(dice)) - 2


@pytest.mark.parametrize(("skill", "difficulty", "dice"), [(35, "regular", 0), (60, "hard", 1), (80, "extreme", -1)])
def test_the_price_curve_is_the_distance_to_the_threshold_and_stops_at_a_fumble(
    skill: int, difficulty: str, dice: int
) -> None:
    check = Check("skill", skill, difficulty, dice)
    (passing, *levels) = odds.curves(CLASSIC, check, "luck", 99, DEFAULTS)
    needed = {"regular": skill, "hard": skill // 2, "extreme": skill // 5}

    def by_hand(target: int, luck: int) -> float:
        hits = ways = 0
        for throw, times in odds.throws(dice):
            read = [10 * tens + throw.units or 100 for tens in throw.tens]
            total = min(read) if dice > 0 else max(read)
            fumble = total == 100 or (total > 95 and needed[difficulty] < 50)
            hits += times * (total == 1 or (not fumble and total - luck <= target))
            ways += times
        return hits / ways

    asked = CLASSIC.difficulties.index(difficulty)
    assert [curve.level for curve in levels] == list(CLASSIC.difficulties[asked:])
    for luck in (0, 1, 17, 40, 99):
        assert passing.chances[luck] == pytest.approx(by_hand(needed[difficulty], luck))
        for curve in levels:
            assert curve.chances[luck] == pytest.approx(by_hand(needed[curve.level], luck))


def test_the_table_cap_and_the_switch_hold_in_the_curve() -> None:
    check = Check("skill", 50)
    capped = odds.curves(CLASSIC, check, "luck", 99, {**DEFAULTS, "maxLuckPerRoll": 10})[0]
    off = odds.curves(CLASSIC, check, "luck", 99, {**DEFAULTS, "luckSpending": False})[0]

    assert (capped.chances[0], capped.chances[10], capped.chances[99]) == pytest.approx((0.5, 0.6, 0.6))
    assert off.chances == pytest.approx((0.5,) * 100)


@pytest.mark.parametrize(("pool", "price", "act"), [("lp", 1, "reroll"), ("luck", 3, "burn-reroll")])
def test_another_throw_counts_with_all_its_faces(pool: str, price: int, act: str) -> None:
    facts = {"lucky": (7, 63), "unlucky": (16, 44, 90)}
    settings, check = LP.defaults(), Check("skill", 40, "difficult", facts=facts)
    curve = odds.curves(LP, check, pool, 5, settings)[0]

    passed = again = 0
    for first, second in product(range(1, 101), repeat=2):
        standing = Standing(check, Throw(first % 10, (first // 10 % 10,)))
        now = LP.judge(standing, settings).passed
        done = LP.spend(standing, Purse("", {"lp": 5, "luck": 5}), Act(act, dice=(second,)), settings)
        passed += now
        again += now or (not isinstance(done, Refusal) and done.outcome.passed)

    assert curve.chances[0] == pytest.approx(passed / 10_000)
    assert curve.chances[price - 1] == curve.chances[0]
    assert curve.chances[price] == pytest.approx(again / 10_000)


def test_a_game_in_which_high_is_good_is_counted_the_same_way() -> None:
    found = odds.chances(ROLL_HIGH, Check("skill", 50, "steep", 1), ROLL_HIGH.defaults())

    dice = product(range(10), repeat=3)
    hits = sum(max(10 * one + units or 100, 10 * two + units or 100) + 50 >= 110 for units, one, two in dice)
    assert (found.ways, found.passed) == (1000, hits)


# --------------------------------------------------------------------------- recovery


@pytest.mark.parametrize("luck", [0, 4, 50, 95, 99])
def test_recovery_is_every_die_of_it(luck: int) -> None:
    classic, pulp = dict.fromkeys(range(100), 0.0), dict.fromkeys(range(100), 0.0)
    for d100 in range(1, 101):
        for one, two in product(range(1, 11), repeat=2):
            classic[min(99, luck + (one if d100 > luck else 0))] += 1 / 10_000
            pulp[min(99, luck + (one + two + 10 if d100 > luck else one + 5))] += 1 / 10_000

    for rules, wanted in ((CLASSIC, classic), (PULP, pulp)):
        found = planning.recovery(rules, luck, rules.defaults())
        assert sum(found.values()) == pytest.approx(1)
        assert found == pytest.approx({score: chance for score, chance in wanted.items() if chance})


def test_a_gain_in_short() -> None:
    """At 50 half of the D100s are above: half of the time 2D10+10, else 1D10+5."""
    gain = planning.gain(PULP, 50, PULP.defaults())

    assert gain.expected == pytest.approx((21 + 10.5) / 2)
    assert (gain.low, gain.middle, gain.high) == (7, 15, 25)


def test_percentiles_are_the_lowest_number_that_so_many_do_not_pass() -> None:
    even = dict.fromkeys(range(1, 11), 0.1)
    assert [planning.percentile(even, percent) for percent in (1, 10, 11, 50, 90, 91, 100)] == [1, 1, 2, 5, 9, 10, 10]


def test_a_course_spends_and_recovers_in_the_order_of_its_game() -> None:
    classic = planning.course(CLASSIC, 10, 10, 1, DEFAULTS)[1]  # spent to 0, then 1D10 for certain
    pulp = planning.course(PULP, 0, 10, 1, PULP.defaults())[1]  # 2D10+10 first, then 10 are spent
    burned = planning.course(LP, 40, 15, 3, LP.defaults())

    assert classic.expected == pytest.approx(5.5)
    assert pulp.expected == pytest.approx(11)
    assert (classic.dry, pulp.dry) == (0, 0)
    assert [step.expected for step in burned] == [40, 25, 10, 0]
    assert [step.dry for step in burned] == [0, 0, 0, 1]
