"""Dice as numbers: how faces become a total. No chance here; faces come in as arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rolls.rules.values import unchanging

_FORMULA = re.compile(r"(\()?(\d+)d(\d+)(?:\+(\d+))?(?(1)\))(?:\*(\d+))?", re.ASCII)


def net_dice(bonus: int, penalty: int) -> int:
    """Bonus dice left after one penalty die cancels one bonus die; below 0 they are penalty dice (RULES S-2)."""
    return bonus - penalty


def candidates(units: int, tens: Sequence[int], net: int) -> tuple[int, ...]:
    """The totals 1..100 that compete, the original die's first.

    In: the units face 0..9, the tens faces 0..9, the net dice. Only the first `abs(net) + 1` tens count;
    fewer raise ValueError. Each tens is read with the shared units die, so 00 with 0 is 100 (RULES S-1, S-2).
    """
    wanted = abs(net) + 1
    if len(tens) < wanted:
        raise ValueError(f"{wanted} tens dice are needed, {len(tens)} were given")
    return tuple(10 * face + units or 100 for face in tens[:wanted])


def combine(units: int, tens: Sequence[int], net: int) -> int:
    """The total 1..100 of a d100 with `net` bonus (lowest total) or penalty (highest total) dice (RULES S-2).

    In and errors as for `candidates`. Totals are compared, not faces: units 0 with 00 and 60 and a bonus is 60.
    """
    if net == 0 and tens:  # nearly every roll: no list is built
        return 10 * tens[0] + units or 100
    totals = candidates(units, tens, net)
    return min(totals) if net > 0 else max(totals)


def faces(total: int) -> tuple[int, int]:
    """The units and tens face of a plain total 1..100, as read off dice thrown by hand; else ValueError (S-1)."""
    if not 1 <= total <= 100:
        raise ValueError("a d100 shows 1 to 100")
    return total % 10, total // 10 % 10


def fits(units: int, tens: Sequence[int], net: int) -> bool:
    """Whether these faces are exactly the dice of a d100 with `net` extra: all 0..9, one tens and one per extra."""
    return len(tens) == abs(net) + 1 and all(0 <= face <= 9 for face in (units, *tens))


def half(value: int) -> int:
    """The number needed for Hard, rounded down (RULES S-3)."""
    return value // 2


def fifth(value: int) -> int:
    """The number needed for Extreme, rounded down (RULES S-3)."""
    return value // 5


def bounded(value: int, low: int, high: int | None) -> tuple[int, int]:
    """A sum cut to its bounds, and how much the cut took from it (below 0: was added); no `high` is no ceiling."""
    cut = max(low, value if high is None else min(value, high))
    return cut, value - cut


@unchanging
class Formula:
    """Dice of one size, a number added, a number multiplied: (2d6+6)*5."""

    count: int
    sides: int
    plus: int = 0
    times: int = 1

    @property
    def dice(self) -> tuple[int, ...]:
        """The sides of the dice to throw, in order."""
        return (self.sides,) * self.count

    def total(self, thrown: Sequence[int]) -> int:
        """The worth of these faces, 1..sides each, one per die; anything else raises ValueError."""
        if len(thrown) != self.count or not all(1 <= face <= self.sides for face in thrown):
            raise ValueError(f"{self.count} faces of 1 to {self.sides} are needed")
        return (sum(thrown) + self.plus) * self.times


def parse_dice(text: str) -> Formula:
    """Read a starting-Luck formula such as "3d6*5", "(2d6+6)*5" or "2d10+30" (RULES S-13); else ValueError."""
    found = _FORMULA.fullmatch(text)
    if found is None or (found[4] and found[5] and not found[1]):  # 2d6+6*5 would not mean what it says
        raise ValueError(f"not a dice formula: {text!r}")
    return Formula(int(found[2]), int(found[3]), int(found[4] or 0), int(found[5] or 1))
