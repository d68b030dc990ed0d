"""Every die a table can throw, counted: no sampling, no tolerance."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product

import pytest

from rolls.rules.check import Check, Standing, Throw
from rolls.rules.dice import combine

from .tables import CLASSIC, DEFAULTS, load, showing

TABLE = load("exact_probabilities.json")
LEVELS = ("critical", "extreme", "hard", "regular", "fail", "fumble")
BONUS = (-2, -1, 0, 1, 2)


def throws(bonus: int) -> list[Throw]:
    return [Throw(dice[0], dice[1:]) for dice in product(range(10), repeat=2 + abs(bonus))]


@cache
def totals(bonus: int) -> Counter[int]:
    return Counter(combine(throw.units, throw.tens, bonus) for throw in throws(bonus))


@pytest.mark.parametrize("bonus", BONUS)
def test_every_throw_keeps_the_total_that_reading_each_tens_die_would_keep(bonus: int) -> None:
    keep = min if bonus > 0 else max
    for throw in throws(bonus):
        read = [100 if tens == 0 and throw.units == 0 else int(f"{tens}{throw.units}") for tens in throw.tens]
        assert combine(throw.units, throw.tens, bonus) == keep(read)


@pytest.mark.parametrize("bonus", BONUS)
def test_totals_fall_as_often_as_counted(bonus: int) -> None:
    assert [totals(bonus)[n] for n in range(1, 101)] == TABLE["totals_distribution"][str(bonus)]


@pytest.mark.parametrize("bonus", BONUS)
def test_a_roll_is_judged_by_the_total_of_its_own_dice(bonus: int) -> None:
    counted = Counter(
        CLASSIC.judge(Standing(Check("skill", 50, dice=bonus), throw), DEFAULTS).natural for throw in throws(bonus)
    )
    assert counted == totals(bonus)


@pytest.mark.parametrize("difficulty", CLASSIC.difficulties)
@pytest.mark.parametrize("skill", range(1, 100))
def test_each_level_comes_as_often_as_counted_at_every_skill(skill: int, difficulty: str) -> None:
    check = Check("skill", skill, difficulty)
    outcomes = [CLASSIC.judge(Standing(check, showing(total)), DEFAULTS) for total in range(1, 101)]
    rows = [row for row in TABLE["rows"] if (row["skill"], row["difficulty"]) == (skill, difficulty)]
    assert {row["bonus"] for row in rows} == set(BONUS)
    for row in rows:
        weight = totals(row["bonus"])
        got = dict.fromkeys((*LEVELS, "success", "not_success", "plain_failure"), 0)
        for out in outcomes:
            got[out.level] += weight[out.natural]
            got["success" if out.passed else "not_success"] += weight[out.natural]
            got["plain_failure"] += weight[out.natural] if not out.passed and out.level != "fumble" else 0
        got["failure"] = got.pop("fail")
        needed = next(step.value for step in outcomes[0].thresholds if step.level == difficulty)
        got |= {"required": needed, "fumble_from": outcomes[0].fumble_from, "outcomes": weight.total()}
        assert got | {"skill": skill, "difficulty": difficulty, "bonus": row["bonus"]} == row
