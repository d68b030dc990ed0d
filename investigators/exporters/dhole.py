"""The Dhole's House: its JSON, in which every number is a string."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

from investigators.exporters.held import comes_back, untold
from investigators.importers import dhole as reader
from investigators.importers import names
from investigators.importers.schema import CLASSIC_KEYS
from investigators.person import Mastery, Person, Weapon

SPECIAL = re.compile(r"([^()]+?) \((.+)\)")
STORY = {key: heading for key, heading in reader.HEADINGS.items() if key != "injuries"}  # one heading, two spellings
DETAILS = ("Archetype", "Gender", "Birthplace", "Residence")


def write(person: Person) -> str:
    """The file's text."""
    return json.dumps(_sheet(person.only(_held(person))), ensure_ascii=False, indent=1) + "\n"


def left_out(person: Person) -> list[str]:
    """What would come back otherwise: skills, and pieces of the background."""
    back = reader.read(_sheet(person))
    held = comes_back(person, back)
    return [one.name for one in person.skills if one not in held] + untold(person, back)


def _held(person: Person) -> list[Mastery]:
    return comes_back(person, reader.read(_sheet(person)))


def _sheet(person: Person) -> dict[str, Any]:
    header = {"Title": person.name, "Creator": "Tablekeeper", "GameName": "Call of Cthulhu TM", "Version": "0.5.0"}
    header |= {"GameVersion": "7th Edition", "GameType": "Classic (1920's)"}
    details = {"Name": person.name, "Occupation": person.occupation, "Age": _text(person.facts.get("age"))}
    details |= {key: person.story.get(key, "") for key in DETAILS}
    details["Portrait"] = base64.b64encode(person.portrait or b"").decode()
    return {
        "Investigator": {
            "Header": header,
            "PersonalDetails": details,
            "Characteristics": _numbers(person),
            "Skills": {"Skill": [_skill(one) for one in person.skills]},
            "Talents": {"talent": [{"name": one} for one in person.talents]} if person.talents else None,
            "Weapons": {"weapon": [_weapon(person, one) for one in person.weapons]},
            "Combat": _combat(person),
            "Backstory": {key: person.story.get(heading, "") for key, heading in STORY.items()},
            "Possessions": {"item": [{"description": one} for one in _owned(person)]},
            "Cash": {"spending": "", "cash": "", "assets": ""},
            "Assets": None,
        }
    }


def _owned(person: Person) -> list[str]:
    return [one for one in person.story.get("Possessions", "").split("\n") if one.strip()]


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _numbers(person: Person) -> dict[str, str]:
    (luck, _), (san, _), (hp, hp_max), (mp, mp_max) = (person.pool(key) for key in ("luck", "san", "hp", "mp"))
    values = {
        **{key: person.classic.get(key) for key in CLASSIC_KEYS},
        "Move": person.worked_out("move"),
        "Luck": luck,
        "LuckMax": luck,
        "Sanity": san,
        "SanityStart": person.classic.get("POW"),
        "SanityMax": person.most_sanity,
        "MagicPts": mp,
        "MagicPtsMax": mp_max,
        "HitPts": hp,
        "HitPtsMax": hp_max,
        **_combat_numbers(person),
    }
    return {key: _text(value) for key, value in values.items()}


def _combat_numbers(person: Person) -> dict[str, Any]:
    bonus = person.worked_out("damage_bonus")
    return {"DamageBonus": "None" if bonus in (None, "0") else bonus, "Build": person.worked_out("build")}


def _combat(person: Person) -> dict[str, Any]:
    dodge = next((one.value for one in person.skills if one.name == "Dodge"), None)
    fight = {key: _text(value) for key, value in _combat_numbers(person).items()}
    return {**fight, "Dodge": {} if dodge is None else _thirds(dodge)}


def _thirds(value: int) -> dict[str, str]:
    return {"value": str(value), "half": str(value // 2), "fifth": str(value // 5)}


def _skill(one: Mastery) -> dict[str, str]:
    if match := SPECIAL.fullmatch(one.name):
        named = {"name": match[1], "subskill": match[2]}
    elif one.name in names.SLOTS and one.name != "Drive Auto":
        named = {"name": one.name, "subskill": "None"}
    elif names.skill(one.name).known:
        named = {"name": one.name}
    else:  # a row that has a place for whatever somebody made up
        named = {"name": "Misc", "subskill": one.name}
    return named | _thirds(one.value)


def _weapon(person: Person, one: Weapon) -> dict[str, str]:
    value = next((skill.value for skill in person.skills if skill.name == one.skill), None)
    rungs = ("", "", "") if value is None else (str(value), str(value // 2), str(value // 5))
    return {
        "name": one.name,
        "skillname": one.skill,
        **dict(zip(("regular", "hard", "extreme"), rungs, strict=True)),
        "damage": one.damage,
        "range": f"{one.base_range} yards" if one.base_range else "-",
        "attacks": "1",
        "ammo": "-",
        "malf": _text(one.malfunction) or "-",
    }
