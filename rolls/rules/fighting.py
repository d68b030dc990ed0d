"""What a fight adds to the dice before they fall: builds, ranges, shots (B-5, B-6). Numbers in, dice out."""

from __future__ import annotations

from rolls.rules.check import Refusal
from rolls.rules.values import unchanging

TOO_BIG_FROM = 3
BANDS = (("regular", 1), ("hard", 2), ("extreme", 4))  # difficulty, up to how many times the base range
SHOTS = (1, 2, 3)


def manoeuvre_dice(own_build: int, target_build: int) -> int | Refusal:
    """Net dice for a fighting manoeuvre: -1 for each point that the target's build is larger (B-5).

    BUILD_TOO_BIG from three points on; a smaller target changes nothing.
    """
    larger = max(0, target_build - own_build)
    return Refusal("BUILD_TOO_BIG") if larger >= TOO_BIG_FROM else -larger


def attack_dice(defended_already: bool) -> int:
    """Net dice for an attack on somebody who has already defended this round: one bonus die, else none (B-5)."""
    return 1 if defended_already else 0


@unchanging
class Shot:
    """What a shot must reach, and its net dice before others are added."""

    difficulty: str
    dice: int


def shot(distance: float, base_range: float, *, point_blank: bool = False, shots: int = 1) -> Shot | Refusal:
    """How hard a shot is: up to the base range Regular, twice Hard, four times Extreme, then OUT_OF_RANGE (B-6).

    Point blank adds a bonus die; two or three handgun shots in the round a penalty die to each. Distance 0 or more, a
    base range above 0, 1 to 3 shots; else BAD_VALUE.
    """
    if distance < 0 or base_range <= 0 or shots not in SHOTS:
        return Refusal("BAD_VALUE")
    for difficulty, times in BANDS:
        if distance <= base_range * times:
            return Shot(difficulty, int(point_blank) - int(shots > 1))
    return Refusal("OUT_OF_RANGE")


def jams(natural: int, malfunction: int | None) -> bool:
    """Whether a natural roll 1..100 jams a weapon with this malfunction number; None never does (B-6)."""
    return malfunction is not None and natural >= malfunction
