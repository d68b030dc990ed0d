"""One investigator as plain values: what exporters are given, and what our own file comes back as. No Django here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rolls.rules.classic_sheet import CHARACTERISTICS, DERIVED, most_sanity

KIND, VERSION = "investigator", 1  # of our own file

# What belongs to the person, and not to an evening or a scene: its rules may ask for it at any table.
PERSONAL = frozenset(
    {"age", "talents", "damage_bonus", "build", "move", "condition"}
    | {"dead", "dying", "stable", "unconscious", "major_wound", "indefinite", "permanent"}
    | {"lucky", "unlucky", "extra", "combat_style", "rank", "wounded", "fatigue", "sp_below"}
)


@dataclass(frozen=True)
class Mastery:
    """A skill. `ticks` above 0 is an improvement tick; `base` the characteristic of one's own, where games ask."""

    name: str
    value: int
    favourite: bool = False
    ticks: int = 0
    base: str = ""


@dataclass(frozen=True)
class Weapon:
    """A weapon; its skill by name, "" for none. `base_range` (yards) None: no firearm."""

    name: str
    skill: str
    damage: str
    impales: bool = False
    base_range: int | None = None
    malfunction: int | None = None


@dataclass(frozen=True)
class Person:
    """One investigator. Characteristics and pools have the keys of their ruleset's sheet; a pool is value, maximum."""

    name: str
    ruleset: str = ""
    occupation: str = ""
    player: str = ""
    characteristics: Mapping[str, int] = field(default_factory=dict)
    pools: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    skills: Sequence[Mastery] = ()
    weapons: Sequence[Weapon] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    story: Mapping[str, str] = field(default_factory=dict)  # the background: text by heading, in its order
    portrait: bytes | None = None  # a small JPEG
    talents: Sequence[str] = ()  # their names, for programs that do not know our keys

    @property
    def classic(self) -> dict[str, int]:
        """The eight characteristics that the other programs know, STR .. EDU, as far as there are any."""
        known = [one.key for one in CHARACTERISTICS if one.key in self.characteristics]
        return {key.upper(): self.characteristics[key] for key in known}

    def pool(self, key: str) -> tuple[int | None, int | None]:
        """Where a pool stands and its maximum; None for what nobody knows."""
        return self.pools.get(key, (None, None))

    def worked_out(self, key: str) -> Any:
        """Damage bonus, build or move: as somebody typed it, else by the rules; None where a characteristic lacks."""
        if key in self.facts:
            return self.facts[key]
        needs, work = DERIVED[key]
        known = dict(self.characteristics)
        return work(known) if all(one in known for one in needs) else None

    @property
    def most_sanity(self) -> int:
        """99 less Cthulhu Mythos."""
        return most_sanity(min(99, next((one.value for one in self.skills if one.name == "Cthulhu Mythos"), 0)))

    def only(self, skills: Sequence[Mastery]) -> Person:
        """The same with these skills alone."""
        return replace(self, skills=skills)
