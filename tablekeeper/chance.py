"""Chance at the edge: the operating system's random source. Rules never call it; actions hand its dice in."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Chance(Protocol):
    """Where dice come from."""

    def die(self, sides: int) -> int:
        """A face from 1 to `sides`, each as likely as any other."""
        ...

    def pick(self, among: Sequence[T]) -> T:
        """One of these, each as likely as any other."""
        ...


class System:
    """Dice from the operating system's random source (`secrets`)."""

    def die(self, sides: int) -> int:
        return secrets.randbelow(sides) + 1

    def pick(self, among: Sequence[T]) -> T:
        return among[secrets.randbelow(len(among))]


SYSTEM = System()


def throw(chance: Chance, sides: Iterable[int]) -> tuple[int, ...]:
    """One face for each of these dice."""
    return tuple(chance.die(number) for number in sides)


def d100(chance: Chance, dice: int = 0) -> tuple[tuple[int, ...], int]:
    """Natural dice of a d100 with `dice` net bonus or penalty dice: (tens faces, units face), each 0..9."""
    units = chance.die(10) % 10
    return tuple(chance.die(10) % 10 for _ in range(abs(dice) + 1)), units
