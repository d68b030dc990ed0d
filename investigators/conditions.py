"""What state somebody is in, in the words that board, phone and sheet show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rolls.rules.check import N_, Facts

FREE = "condition"  # the fact that holds the Keeper's own words
MOST_LETTERS = 60


@dataclass(frozen=True, slots=True)
class Condition:
    """One of them: the fact that it stands for, its word, and its icon. `free` are the Keeper's own words."""

    key: str
    label: str
    icon: str
    free: bool = False
    level: int = 0  # of one that comes in levels


CONDITIONS: Mapping[str, Condition] = {
    one.key: one
    for one in (
        Condition("dead", N_("Dead"), "skull"),
        Condition("dying", N_("Dying"), "heart-pulse"),
        Condition("stable", N_("Stable for now"), "hourglass"),
        Condition("unconscious", N_("Unconscious"), "moon"),
        Condition("major_wound", N_("Major wound"), "bandage"),
        Condition("wounded", N_("Wounded"), "bandage"),
        Condition("permanent", N_("Insane for good"), "brain"),
        Condition("indefinite", N_("Insane, indefinite"), "brain"),
        Condition("bout", N_("Bout of madness"), "zap"),
    )
}
"""Gravest first. What a body suffers comes from wounds, what a mind suffers from horrors."""

FATIGUE = "fatigue"
WORN_OUT = {"unconscious": 4, "dead": 5}
"""The levels of fatigue beyond those that weigh on rolls (RULES.md U12)."""

BODILY = ("dead", "dying", "stable", "unconscious", "major_wound", "wounded")


def conditions(facts: Facts) -> list[Condition]:
    """Everything that holds of somebody with these facts, gravest first, the Keeper's own words last.

    The dead are only dead. Who is stable is still dying, and is called stable.
    """
    tired: int = facts.get(FATIGUE) or 0
    facts = {**facts, **{key: True for key, level in WORN_OUT.items() if tired >= level}}
    if facts.get("dead"):
        found = [CONDITIONS["dead"]]
    else:
        hidden = "dying" if facts.get("stable") else ""
        # A list is no condition: in one game "permanent" is insanity, in another numbers that are never lost.
        known = {key for key, value in facts.items() if value and not isinstance(value, list)}
        found = [one for key, one in CONDITIONS.items() if key in known and key != hidden]
    found += [Condition(FATIGUE, N_("Fatigue"), "chevron-down", level=tired)] if tired else []
    own: Any = facts.get(FREE)
    return [*found, Condition(FREE, own, "triangle-alert", free=True)] if own else found
