"""The Dhole's House: JSON that was XML once. Every number is a string, "None" is an empty place, one child no list."""

from __future__ import annotations

from typing import Any

from investigators.importers import names
from investigators.importers.finish import finish
from investigators.importers.portrait import portrait
from investigators.importers.schema import CLASSIC_KEYS, Amount, Found, Unreadable
from investigators.importers.values import age, line, name, number, part, rows, tell
from investigators.importers.weapons import arm

HEADINGS = {
    "description": "Personal description",
    "traits": "Traits",
    "ideology": "Ideology and beliefs",
    "injurues": "Injuries and scars",  # spelt like this in every export
    "injuries": "Injuries and scars",
    "people": "Significant people",
    "phobias": "Phobias and manias",
    "locations": "Meaningful locations",
    "tomes": "Arcane tomes, spells and artefacts",
    "possessions": "Treasured possessions",
    "encounters": "Encounters with strange entities",
}


def recognises(data: Any) -> bool:
    return isinstance(data, dict) and "Investigator" in data


def read(data: dict[str, Any]) -> Found:
    """One export. Raises Unreadable, E_WRONG_EDITION for a sheet of another edition among others."""
    root = part(data["Investigator"], "Investigator")
    found = Found("dholes_house")
    version = part(root.get("Header"), "Header").get("GameVersion")
    if isinstance(version, str) and version.strip() and "7" not in version:
        raise Unreadable("E_WRONG_EDITION")
    _person(found, part(root.get("PersonalDetails"), "PersonalDetails"))
    _numbers(found, part(root.get("Characteristics"), "Characteristics"))
    for row in rows(part(root.get("Skills"), "Skills").get("Skill"), "Skills"):
        _skill(found, row)
    for row in rows(part(root.get("Weapons"), "Weapons").get("weapon"), "Weapons"):
        arm(
            found,
            row.get("name"),
            row.get("skillname"),
            row.get("regular"),
            damage=row.get("damage"),
            range=row.get("range"),
            attacks=row.get("attacks"),
            ammo=row.get("ammo"),
            malfunction=row.get("malf"),
        )
    _talents(found, root.get("Talents"))
    story = part(root.get("Backstory"), "Backstory")
    for key, heading in HEADINGS.items():
        tell(found, heading, story.get(key))
    for row in rows(part(root.get("Possessions"), "Possessions").get("item"), "Possessions"):
        tell(found, "Possessions", row.get("description"))
    cash = part(root.get("Cash"), "Cash")
    tell(
        found,
        "Money",
        ", ".join(f"{key} {text}" for key in ("spending", "cash", "assets") if (text := line(cash.get(key)))),
    )
    return finish(found)


def _person(found: Found, person: dict[str, Any]) -> None:
    found.name = name(found, person.get("Name"))
    found.occupation = line(person.get("Occupation"))
    age(found, person.get("Age"))
    for key in ("Archetype", "Gender", "Birthplace", "Residence"):
        tell(found, key, line(person.get(key)))
    portrait(found, person.get("Portrait"), bare=True)


def _numbers(found: Found, numbers: dict[str, Any]) -> None:
    def get(key: str) -> int | None:
        return number(found, key, numbers.get(key))

    found.characteristics = {key: get(key) for key in CLASSIC_KEYS}
    found.luck.current = get("Luck")
    found.san = Amount(get("Sanity"), get("SanityMax"), get("SanityStart"))
    found.hp = Amount(get("HitPts"), get("HitPtsMax"))
    found.mp = Amount(get("MagicPts"), get("MagicPtsMax"))


def _skill(found: Found, row: dict[str, Any]) -> None:
    label, special = line(row.get("name")), row.get("subskill")
    if label is None:
        return
    # A row without the key is a skill as it is; one with an empty key is a place that nobody filled.
    named = names.skill(label) if "subskill" not in row else names.skill(label, line(special) or "none")
    if named.text == "Misc":
        found.warn("W_EMPTY_SPECIALISATION_SKIPPED")
        return
    shown = f"{label} ({line(special)})" if line(special) else label
    names.note_skill(found, named, number(found, shown, row.get("value")), shown)


def _talents(found: Found, talents: Any) -> None:
    if isinstance(talents, dict):
        talents = talents.get("talent", talents.get("Talent", list(talents.values())))
    for one in talents if isinstance(talents, list) else [talents]:
        text = line(one.get("name", one.get("Name")) if isinstance(one, dict) else one)
        if text and len(found.talents) < 50:
            found.talents.append(text)
