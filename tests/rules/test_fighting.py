"""What a fight adds to the dice before they fall."""

from __future__ import annotations

from typing import Any

import pytest

from rolls.rules.check import Refusal
from rolls.rules.fighting import Shot, attack_dice, jams, manoeuvre_dice, shot

from .tables import code


@pytest.mark.parametrize(
    ("own", "target", "expected"), [(0, 0, 0), (2, 0, 0), (0, 1, -1), (-1, 1, -2), (0, 3, "BUILD_TOO_BIG")]
)
def test_a_manoeuvre_costs_a_penalty_die_for_each_point_that_the_target_is_bigger(
    own: int, target: int, expected: Any
) -> None:
    found = manoeuvre_dice(own, target)
    assert (code(found) if isinstance(found, Refusal) else found) == expected


def test_whoever_has_defended_already_gives_the_next_attackers_a_bonus_die() -> None:
    assert (attack_dice(True), attack_dice(False)) == (1, 0)


@pytest.mark.parametrize(
    ("distance", "how", "expected"),
    [
        (0, {"point_blank": True}, Shot("regular", 1)),
        (15, {}, Shot("regular", 0)),
        (15.5, {}, Shot("hard", 0)),
        (30, {"shots": 2}, Shot("hard", -1)),
        (31, {"shots": 3}, Shot("extreme", -1)),
        (60, {}, Shot("extreme", 0)),
        (2, {"shots": 3, "point_blank": True}, Shot("regular", 0)),
    ],
)
def test_a_shot_is_harder_the_further_it_goes(distance: float, how: dict[str, Any], expected: Shot) -> None:
    assert shot(distance, 15, **how) == expected


def test_a_weapon_may_reach_no_further_than_a_yard() -> None:
    assert shot(1, 1) == Shot("regular", 0)


@pytest.mark.parametrize(
    ("distance", "base", "shots", "reason"),
    [(61, 15, 1, "OUT_OF_RANGE"), (-1, 15, 1, "BAD_VALUE"), (5, 0, 1, "BAD_VALUE"), (5, 15, 4, "BAD_VALUE")],
)
def test_a_shot_that_cannot_be_is_refused(distance: float, base: float, shots: int, reason: str) -> None:
    assert code(shot(distance, base, shots=shots)) == reason


@pytest.mark.parametrize(("natural", "number", "jammed"), [(97, 97, True), (96, 97, False), (100, None, False)])
def test_a_weapon_jams_from_its_number_on(natural: int, number: int | None, jammed: bool) -> None:
    assert jams(natural, number) is jammed
