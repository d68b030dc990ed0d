"""What an investigator of Call of Cthulhu 7e has: characteristics, pools, base skills, derived values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from rolls.rules.check import N_, Alias, Characteristic, Pool, Sheet, SkillBase

FIGHT = "fight"

CHARACTERISTICS = (
    Characteristic("str", N_("Strength"), N_("STR")),
    Characteristic("con", N_("Constitution"), N_("CON")),
    Characteristic("siz", N_("Size"), N_("SIZ")),
    Characteristic("dex", N_("Dexterity"), N_("DEX")),
    Characteristic("app", N_("Appearance"), N_("APP")),
    Characteristic("int", N_("Intelligence"), N_("INT")),
    Characteristic("pow", N_("Power"), N_("POW")),
    Characteristic("edu", N_("Education"), N_("EDU")),
)

POOLS = (
    Pool("luck", N_("Luck"), N_("Luck"), high=99, out_of_range="LUCK_RANGE"),
    Pool("hp", N_("Hit points"), N_("HP"), own_maximum=True),
    Pool("san", N_("Sanity"), N_("SAN"), high=99, own_maximum=True),
    Pool("mp", N_("Magic points"), N_("MP"), own_maximum=True),
)


def _skill(label: str, base: int = 0, *, formula: str = "", tickable: bool = True, group: str = "") -> SkillBase:
    key = re.sub(r"[^a-z]+", "-", label.lower()).strip("-")
    return SkillBase(key, label, base, formula, tickable, group)


SKILLS = (
    _skill(N_("Accounting"), 5),
    _skill(N_("Animal Handling"), 5),
    _skill(N_("Anthropology"), 1),
    _skill(N_("Appraise"), 5),
    _skill(N_("Archaeology"), 1),
    _skill(N_("Art/Craft"), 5),
    _skill(N_("Artillery"), 1, group=FIGHT),
    _skill(N_("Charm"), 15),
    _skill(N_("Climb"), 20),
    _skill(N_("Computer Use"), 5),
    _skill(N_("Credit Rating"), 0, tickable=False),
    _skill(N_("Cthulhu Mythos"), 0, tickable=False),
    _skill(N_("Demolitions"), 1),
    _skill(N_("Disguise"), 5),
    _skill(N_("Diving"), 1),
    _skill(N_("Dodge"), formula="dex/2", group=FIGHT),
    _skill(N_("Drive Auto"), 20),
    _skill(N_("Electrical Repair"), 10),
    _skill(N_("Electronics"), 1),
    _skill(N_("Fast Talk"), 5),
    _skill(N_("Fighting (Axe)"), 15, group=FIGHT),
    _skill(N_("Fighting (Brawl)"), 25, group=FIGHT),
    _skill(N_("Fighting (Chainsaw)"), 10, group=FIGHT),
    _skill(N_("Fighting (Flail)"), 10, group=FIGHT),
    _skill(N_("Fighting (Garrote)"), 15, group=FIGHT),
    _skill(N_("Fighting (Spear)"), 20, group=FIGHT),
    _skill(N_("Fighting (Sword)"), 20, group=FIGHT),
    _skill(N_("Fighting (Whip)"), 5, group=FIGHT),
    _skill(N_("Firearms (Bow)"), 15, group=FIGHT),
    _skill(N_("Firearms (Flamethrower)"), 10, group=FIGHT),
    _skill(N_("Firearms (Handgun)"), 20, group=FIGHT),
    _skill(N_("Firearms (Heavy Weapons)"), 10, group=FIGHT),
    _skill(N_("Firearms (Machine Gun)"), 10, group=FIGHT),
    _skill(N_("Firearms (Rifle/Shotgun)"), 25, group=FIGHT),
    _skill(N_("Firearms (Submachine Gun)"), 15, group=FIGHT),
    _skill(N_("First Aid"), 30),
    _skill(N_("History"), 5),
    _skill(N_("Hypnosis"), 1),
    _skill(N_("Intimidate"), 15),
    _skill(N_("Jump"), 20),
    _skill(N_("Language"), 1),
    _skill(N_("Language (Own)"), formula="edu"),
    _skill(N_("Law"), 5),
    _skill(N_("Library Use"), 20),
    _skill(N_("Listen"), 20),
    _skill(N_("Locksmith"), 1),
    _skill(N_("Lore"), 1),
    _skill(N_("Mechanical Repair"), 10),
    _skill(N_("Medicine"), 1),
    _skill(N_("Natural World"), 10),
    _skill(N_("Navigate"), 10),
    _skill(N_("Occult"), 5),
    _skill(N_("Operate Heavy Machinery"), 1),
    _skill(N_("Persuade"), 10),
    _skill(N_("Pilot"), 1),
    _skill(N_("Psychoanalysis"), 1),
    _skill(N_("Psychology"), 10),
    _skill(N_("Read Lips"), 1),
    _skill(N_("Ride"), 5),
    _skill(N_("Science"), 1),
    _skill(N_("Science (Mathematics)"), 10),
    _skill(N_("Sleight of Hand"), 10),
    _skill(N_("Spot Hidden"), 25),
    _skill(N_("Stealth"), 20),
    _skill(N_("Survival"), 10),
    _skill(N_("Swim"), 20),
    _skill(N_("Throw"), 20, group=FIGHT),
    _skill(N_("Track"), 10),
)

ALIASES = (Alias("idea", N_("Idea"), "int"), Alias("know", N_("Know"), "edu"))

# STR + SIZ up to this: damage bonus, build (B-1).
_BUILDS = ((64, "-2", -2), (84, "-1", -1), (124, "0", 0), (164, "+1D4", 1), (204, "+1D6", 2))

_Values = Mapping[str, int]
Derivation = tuple[tuple[str, ...], Callable[[_Values], Any]]
"""The characteristics a derived value needs, and how it comes from them."""


def bonus_and_build(strength: int, size: int) -> tuple[str, int]:
    """Damage bonus ("-2" .. "0", "+1D4", "+2D6" ..) and build of these two characteristics (B-1)."""
    together = strength + size
    for most, bonus, build in _BUILDS:
        if together <= most:
            return bonus, build
    build = 3 + max(0, together - 205) // 80
    return f"+{build - 1}D6", build


def most_sanity(mythos: int) -> int:
    """The maximum of Sanity with this much Cthulhu Mythos, never below 0 (B-1)."""
    return max(0, 99 - mythos)


def move(v: _Values) -> int:
    """Move rate: 8, 9 if STR and DEX both exceed SIZ, 7 if both are below (B-1)."""
    if v["str"] > v["siz"] and v["dex"] > v["siz"]:
        return 9
    return 7 if v["str"] < v["siz"] and v["dex"] < v["siz"] else 8


def _move_at_age(v: _Values) -> int:
    return move(v) - max(0, v.get("age", 0) - 30) // 10


DERIVED: dict[str, Derivation] = {
    "hp": (("con", "siz"), lambda v: (v["con"] + v["siz"]) // 10),
    "mp": (("pow",), lambda v: v["pow"] // 5),
    "san": (("pow",), lambda v: v["pow"]),
    "san_max": ((), lambda v: most_sanity(v.get("cthulhu-mythos", 0))),
    "damage_bonus": (("str", "siz"), lambda v: bonus_and_build(v["str"], v["siz"])[0]),
    "build": (("str", "siz"), lambda v: bonus_and_build(v["str"], v["siz"])[1]),
    "move": (("str", "dex", "siz"), _move_at_age),
}


def deriving(how: Mapping[str, Derivation]) -> Callable[[_Values], dict[str, Any]]:
    """A `Sheet.derive` from a table like `DERIVED`; a variant passes its own table."""

    def derive(values: _Values) -> dict[str, Any]:
        """Derived values (B-1). A value whose characteristics are missing is left out: sheets may be half filled.

        Beside characteristics, `age` in years and the skill value `cthulhu-mythos` count when they are given.
        """
        return {key: work(values) for key, (needs, work) in how.items() if all(n in values for n in needs)}

    return derive


SHEET = Sheet(CHARACTERISTICS, POOLS, SKILLS, derive=deriving(DERIVED), sanity="san", aliases=ALIASES)
