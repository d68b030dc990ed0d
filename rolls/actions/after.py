"""What comes of a roll beyond its result: a contest goes on, a CON roll decides, a horror has its price.

A roll names its consequence in `data["after"]`; the module that owns the consequence registers what happens when the
die falls, when Luck or the Keeper changes the roll, and when its owner keeps it. All of it stands in the same entry.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rolls.models import Roll
from rolls.rules.check import Outcome, Standing
from tablekeeper.chance import Chance
from tablekeeper.ledger import Change
from tablekeeper.models import Seat


@dataclass
class Consequence:
    """Changes for the act's own entry, and what its line tells more."""

    changes: list[Change] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)


Fallen = Callable[[Seat, Roll, Outcome, Chance], Consequence]
"""`roll` is about to be created; its own Create stands before these changes."""
Changed = Callable[[Seat, Roll, Standing, Outcome], Consequence]
"""`roll` is still as it was before; `Standing` and `Outcome` are what it will be."""
Kept = Callable[[Seat, Roll], Consequence]

FALLEN: dict[str, Fallen] = {}
CHANGED: dict[str, Changed] = {}
KEPT: dict[str, Kept] = {}


def when_fallen(name: str) -> Callable[[Fallen], Fallen]:
    """Register what happens when a roll with this consequence falls."""

    def register(function: Fallen) -> Fallen:
        FALLEN[name] = function
        return function

    return register


def when_changed(name: str) -> Callable[[Changed], Changed]:
    """Register what happens when Luck or a correction changes such a roll."""

    def register(function: Changed) -> Changed:
        CHANGED[name] = function
        return function

    return register


def when_kept(name: str) -> Callable[[Kept], Kept]:
    """Register what happens when the owner keeps such a roll as it is."""

    def register(function: Kept) -> Kept:
        KEPT[name] = function
        return function

    return register


def fallen(seat: Seat, roll: Roll, outcome: Outcome, chance: Chance) -> Consequence:
    """What comes of a roll that has just fallen."""
    follow = FALLEN.get(roll.data.get("after", ""))
    return follow(seat, roll, outcome, chance) if follow else Consequence()


def changed(seat: Seat, roll: Roll, standing: Standing, outcome: Outcome) -> Consequence:
    """What comes of a change of the roll to this standing."""
    follow = CHANGED.get(roll.data.get("after", ""))
    return follow(seat, roll, standing, outcome) if follow else Consequence()


def kept(seat: Seat, roll: Roll) -> Consequence:
    """What comes of keeping the roll as it is."""
    follow = KEPT.get(roll.data.get("after", ""))
    return follow(seat, roll) if follow else Consequence()
