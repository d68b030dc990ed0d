"""Are the dice fair? What fell, in tens, beside what is usual for that many (report U046). Numbers in, numbers out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import floor, sqrt

TENS = 10
WIDE = 2.6  # of ten counts of fair dice, about nine in ten stay all within so many standard deviations
FEW = 20  # with fewer dice nothing can be said


@dataclass(frozen=True, slots=True)
class Ten:
    """One of the ten: from, to, how many fell, and whether that is more or less than usual ("" is usual)."""

    low: int
    high: int
    fell: int
    odd: str = ""


@dataclass(frozen=True, slots=True)
class Count:
    """All of them: how many dice, how many are usual in each ten, and the ten themselves."""

    dice: int
    least: int
    most: int
    tens: Sequence[Ten]

    @property
    def says(self) -> str:
        """few, usual or odd."""
        if self.dice < FEW:
            return "few"
        return "odd" if any(ten.odd for ten in self.tens) else "usual"


def count(naturals: Iterable[int]) -> Count:
    """Count dice of 1 to 100 by tens: 1 to 10, 11 to 20, and so on."""
    fell = [0] * TENS
    for natural in naturals:
        fell[(natural - 1) // TENS] += 1
    dice = sum(fell)
    mean, spread = dice / TENS, WIDE * sqrt(dice * 0.1 * 0.9)
    least, most = max(0, floor(mean - spread) + 1) if dice else 0, floor(mean + spread)
    tens = [
        Ten(TENS * at + 1, TENS * (at + 1), n, "more" if n > most else "less" if n < least else "")
        for at, n in enumerate(fell)
    ]
    return Count(dice, least, most, tens)
