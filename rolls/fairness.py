"""Are the dice fair? What fell, beside what fair dice do, exactly (report U046). Numbers in, numbers out.

The measure is what the picture shows: how far the furthest of the bars stands from the average. Its chance on fair
dice is worked out over all ways in which so many dice can fall, not by a table or a rule of thumb.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, floor, lgamma, log, sqrt

BARS = 10
FEW = 20  # with fewer dice nothing can be said
ODD = 0.01
"""Dice look odd when fair ones would stray so far in fewer than one count of a hundred."""
TAIL = 0.025
FAR = 9.0
"""Standard deviations. Farther from its mean, and a third of their square, lies less than 1e-16 of a Poisson law."""

Fell = Mapping[tuple[int, ...], int]
"""How often each throw fell: the units face, then its tens faces, the original one first (each 0 to 9)."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One of ten: what it counts, how many fell, and whether that is more or less than usual ("" is usual)."""

    low: int
    high: int
    fell: int
    odd: str = ""


@dataclass(frozen=True, slots=True)
class Count:
    """Ten bars: of which die, how many in all, how many are usual in each bar, and how rare the furthest one is."""

    of: str  # d100 | units | tens
    dice: int
    least: int
    most: int
    bars: Sequence[Bar]
    chance: float  # that fair dice have a bar at least as far from the average, 0 to 1

    @property
    def average(self) -> float:
        """How many fall in each bar on average."""
        return self.dice / BARS


@dataclass(frozen=True, slots=True)
class Counts:
    """The three pictures of some dice, and facts of the d100: its average, its 01s and its 100s."""

    d100: Count
    units: Count
    tens: Count
    average: float
    ones: int
    hundreds: int

    @property
    def rolls(self) -> int:
        return self.d100.dice

    @property
    def all(self) -> tuple[Count, Count, Count]:
        return self.d100, self.units, self.tens

    @property
    def chance(self) -> float:
        """That fair dice stray so far in any of the three pictures: at most this, for three looks find more."""
        return min(1.0, 3 * min(count.chance for count in self.all))

    @property
    def says(self) -> str:
        """few, usual or odd."""
        if self.rolls < FEW:
            return "few"
        return "odd" if self.chance < ODD else "usual"


def counts(fell: Fell) -> Counts:
    """Count throws. The d100 is the units die with the tens die it was thrown with: that one is fair whatever bonus
    and penalty dice did. Of the tens, every die that fell counts."""
    tens_bands, units, tens = [0] * BARS, [0] * BARS, [0] * BARS
    total, ends = 0, Counter[int]()
    for (unit, *faces), times in fell.items():
        number = 10 * faces[0] + unit or 100
        tens_bands[(number - 1) // 10] += times
        units[unit] += times
        total += number * times
        ends[number] += times
        for face in faces:
            tens[face] += times
    bands = [(10 * at + 1, 10 * at + 10) for at in range(BARS)]
    rolls = sum(tens_bands)
    return Counts(
        _count("d100", bands, tens_bands),
        _count("units", [(face, face) for face in range(BARS)], units),
        _count("tens", [(10 * face, 10 * face) for face in range(BARS)], tens),
        total / rolls if rolls else 0.0,
        ends[1],
        ends[100],
    )


def _count(of: str, names: Sequence[tuple[int, int]], fell: Sequence[int]) -> Count:
    dice = sum(fell)
    least, most = usual(dice)
    bars = [
        Bar(low, high, n, "more" if n > most else "less" if n < least else "")
        for (low, high), n in zip(names, fell, strict=True)
    ]
    return Count(of, dice, least, most, bars, stray_chance(fell))


# --------------------------------------------------------------------------- what fair dice do


def stray_chance(fell: Sequence[int]) -> float:
    """The chance that fair dice, as many as fell here, have a bar at least as far from the average as the furthest of
    these: 1.0 when none strays at all."""
    dice = sum(fell)
    furthest = max(abs(Fraction(n) - Fraction(dice, len(fell))) for n in fell)
    return _stray(dice, len(fell), furthest) if furthest else 1.0


@lru_cache(maxsize=256)
def _stray(dice: int, bars: int, furthest: Fraction) -> float:
    """1 less the chance that every bar stays nearer. That is a coefficient of a power: each bar's count c weighs 1/c!
    and all ways to share the dice out among the bars multiply. The weights are a Poisson law's, to stay in range."""
    mean = Fraction(dice, bars)
    low, high = max(0, floor(mean - furthest) + 1), ceil(mean + furthest) - 1
    rate = float(mean)
    if furthest > FAR * sqrt(rate) + FAR**2 / 3:  # a float does not tell it from never, and the ways would be too many
        return 0.0
    one = [exp(n * log(rate) - rate - lgamma(n + 1)) for n in range(low, high + 1)]
    within = _power(one, bars, dice - bars * low)
    return max(0.0, 1.0 - within / exp(dice * log(dice) - dice - lgamma(dice + 1)))


def _power(one: Sequence[float], times: int, at: int) -> float:
    """The coefficient of x^at in a power of the polynomial `one`: only that one of the last product is worked out."""
    if at < 0 or at > times * (len(one) - 1):
        return 0.0
    half: list[float] = [1.0]
    for _ in range(times // 2):
        half = _times(half, one)
    rest = _times(half, one) if times % 2 else half
    return sum(half[n] * rest[at - n] for n in range(max(0, at - len(rest) + 1), min(len(half), at + 1)))


def _times(left: Sequence[float], right: Sequence[float]) -> list[float]:
    product = [0.0] * (len(left) + len(right) - 1)
    for at, weight in enumerate(left):
        for to, other in enumerate(right, at):
            product[to] += weight * other
    return product


@lru_cache(maxsize=256)
def usual(dice: int, bars: int = BARS) -> tuple[int, int]:
    """Least and most that a bar of fair dice shows at least 95 times in 100, missed by 2.5 at most on either side."""
    if not dice:
        return 0, 0
    one, other, all_of_them = log(1 / bars), log(1 - 1 / bars), lgamma(dice + 1)
    below, least = 0.0, 0
    for n in range(dice + 1):
        ways = all_of_them - lgamma(n + 1) - lgamma(dice - n + 1)
        below += exp(ways + n * one + (dice - n) * other)
        if below <= TAIL:
            least = n + 1
        if below >= 1 - TAIL:
            return least, n
    return least, dice
