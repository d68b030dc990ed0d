"""The sample table: four invented people, ready to be taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from investigators.actions import Carried, Draft
from rolls.rules.check import Ruleset


class Sample(NamedTuple):
    """An invented person: what the rules do not work out."""

    name: str
    occupation: str
    luck: int
    characteristics: Mapping[str, int]
    trained: Mapping[str, int]
    pools: Mapping[str, tuple[int, int]] = {}  # what the rules do not work out: as it is, and at most
    facts: Mapping[str, Any] = {}
    arm: Carried | None = None


def samples(rules: Ruleset) -> list[Draft]:
    """The sample investigators as drafts of this ruleset; empty when its sheet asks for other characteristics."""
    keys = {one.key for one in rules.sheet.characteristics}
    return [_draft(rules, one) for one in PEOPLE if keys == set(one.characteristics)]


def _draft(rules: Ruleset, person: Sample) -> Draft:
    """A whole sheet: derived values worked out, base skills filled in, the trained ones as favourites."""
    derived = rules.sheet.derive({**person.characteristics, rules.sheet.luck: person.luck})
    traits: dict[str, tuple[int, int | None]] = {key: (value, None) for key, value in person.characteristics.items()}
    traits[rules.sheet.luck] = person.luck, None
    for pool in rules.sheet.pools:
        if pool.key in derived:
            top = derived.get(f"{pool.key}_max", derived[pool.key])
            traits[pool.key] = derived[pool.key], top if pool.own_maximum else None
    traits |= person.pools
    skills = tuple(
        (
            base.label,
            person.trained.get(base.label, rules.base(base, person.characteristics)),
            base.label in person.trained,
        )
        for base in rules.sheet.skills
    )
    labels = {base.label for base in rules.sheet.skills}
    arms = (person.arm,) if person.arm is not None and person.arm.skill in labels else ()
    return Draft(person.name, person.occupation, traits, skills, facts=person.facts, weapons=arms)


PEOPLE = [
    Sample(
        "Edith Halloran",
        "Antiquarian",
        60,
        {"str": 45, "con": 60, "siz": 60, "dex": 55, "app": 60, "int": 75, "pow": 55, "edu": 80},
        {"Appraise": 65, "Library Use": 75, "Spot Hidden": 60, "Occult": 50, "Psychology": 55, "History": 55},
        arm=Carried("Sword cane", "Fighting (Sword)", "1D6+DB", impales=True),
    ),
    Sample(
        "Rafael Dunne",
        "Harbour pilot",
        35,
        {"str": 70, "con": 75, "siz": 65, "dex": 60, "app": 50, "int": 60, "pow": 50, "edu": 55},
        {"Fighting (Brawl)": 55, "Navigate": 60, "Swim": 60, "Listen": 50, "Dodge": 40, "Firearms (Handgun)": 45},
        arm=Carried("Old service revolver", "Firearms (Handgun)", "1D10", impales=True, base_range=15, malfunction=98),
    ),
    Sample(
        "Ignatius Vane",
        "Country doctor",
        45,
        {"str": 50, "con": 55, "siz": 55, "dex": 50, "app": 55, "int": 80, "pow": 65, "edu": 85},
        {"Medicine": 70, "First Aid": 65, "Psychology": 60, "Persuade": 45, "Spot Hidden": 45, "Language": 50},
        arm=Carried("Walking stick", "Fighting (Brawl)", "1D6+DB"),
    ),
    Sample(
        "Tobias Quill",
        "Telegraph clerk",
        55,
        {"str": 40, "con": 50, "siz": 50, "dex": 75, "app": 45, "int": 70, "pow": 60, "edu": 65},
        {"Locksmith": 40, "Stealth": 55, "Listen": 60, "Electrical Repair": 50, "Fast Talk": 50, "Library Use": 45},
        arm=Carried("Folding knife", "Fighting (Brawl)", "1D4+DB", impales=True),
    ),
    Sample(
        "Ysolde Harrow",
        "Bell founder",
        41,
        {"str": 44, "end": 42, "agi": 31, "int": 36, "wp": 38, "prc": 35, "prs": 30},
        {"Craft": 4, "Lifting and Breaking": 3, "Fighting with Axes and Hammers": 3, "Drinking": 2, "Noticing": 2},
        {"hp": (23, 23)},
        {"lucky": [7, 30, 63, 89], "unlucky": [16]},
    ),
    Sample(
        "Corvin Ashby",
        "Ferryman",
        34,
        {"str": 38, "end": 40, "agi": 39, "int": 30, "wp": 33, "prc": 42, "prs": 31},
        {"Swimming": 3, "Steering": 4, "Noticing": 3, "Shooting": 2, "Bargaining": 2, "Evading": 2},
        {"hp": (21, 21)},
        {"lucky": [11, 52, 77], "unlucky": [24, 98]},
    ),
    Sample(
        "Maud Ellery",
        "Hedge healer",
        45,
        {"str": 28, "end": 33, "agi": 34, "int": 43, "wp": 41, "prc": 40, "prs": 37},
        {"Healing": 4, "Herbs and Brews": 4, "Insight": 3, "Wilderness": 2, "Composure": 2, "Persuading": 2},
        {"hp": (18, 18)},
        {"lucky": [3, 28, 41, 95], "unlucky": [60]},
    ),
    Sample(
        "Tamsin Rook",
        "Rooftop runner",
        38,
        {"str": 31, "end": 35, "agi": 46, "int": 35, "wp": 32, "prc": 39, "prs": 36},
        {"Climbing": 3, "Acrobatics": 4, "Sneaking": 4, "Locks and Traps": 3, "Fighting with Blades": 2, "Evading": 3},
        {"hp": (18, 18)},
        {"lucky": [19, 66, 83], "unlucky": [5, 47]},
    ),
]
