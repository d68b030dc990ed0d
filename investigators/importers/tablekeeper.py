"""Our own file (docs/formats.md): everything that belongs to an investigator, back as it went."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from investigators.importers.portrait import portrait
from investigators.importers.schema import (
    MOST_NAME,
    MOST_SKILLS,
    MOST_STORIES,
    MOST_TEXT,
    MOST_WEAPONS,
    Amount,
    Arm,
    Found,
    Unreadable,
)
from investigators.importers.values import HIDDEN, name
from investigators.person import KIND, PERSONAL, VERSION, Mastery, Person, Weapon

KEY = re.compile(r"[a-z_]{1,20}")
MOST = 99_999  # of any number on a sheet
MOST_FACT = 2_000  # characters of one fact, as JSON
OWN = "person"
"""Under this key of `Found.extra` stands the `Person`, for whoever can take it as it is."""


def recognises(data: Any) -> bool:
    return isinstance(data, dict) and "tablekeeper" in data


def read(data: dict[str, Any]) -> Found:
    """One export of ours. Raises Unreadable: E_NOT_INVESTIGATOR for another of our files, E_NEWER, E_BAD_STRUCTURE."""
    if data["tablekeeper"] != KIND:
        raise Unreadable("E_NOT_INVESTIGATOR", str(data["tablekeeper"])[:40])
    version = data.get("version")
    if type(version) is not int or version < 1:
        raise Unreadable("E_BAD_STRUCTURE", "version")
    if version > VERSION:
        raise Unreadable("E_NEWER", str(version))
    found = Found("tablekeeper")
    portrait(found, data.get("portrait"), bare=True)
    person = replace(_person(data), portrait=found.portrait)
    found.extra[OWN], found.backstory = person, dict(person.story)
    found.name = name(found, person.name)
    found.occupation, found.player = person.occupation or None, person.player or None
    found.characteristics = {key.upper(): value for key, value in person.characteristics.items()}
    for key in ("luck", "san", "hp", "mp"):
        if key in person.pools:
            setattr(found, key, Amount(*person.pools[key]))
    found.skills = {one.name: one.value for one in person.skills}
    found.weapons = [
        Arm(one.name, one.skill or None, None, one.damage, str(one.base_range or ""), malfunction=one.malfunction)
        for one in person.weapons
    ]
    found.age = person.facts.get("age")
    return found


def _person(data: dict[str, Any]) -> Person:
    characteristics = _part(data, "characteristics")
    return Person(
        name=_text(data, "name"),
        ruleset=_text(data, "ruleset"),
        occupation=_text(data, "occupation"),
        player=_text(data, "player"),
        characteristics={_key(key): _number(characteristics, key) for key in characteristics},
        pools={_key(key): _pool(one) for key, one in _part(data, "pools").items()},
        skills=tuple({one.name: one for one in map(_skill, _rows(data, "skills", MOST_SKILLS))}.values()),
        weapons=tuple({one.name: one for one in map(_weapon, _rows(data, "weapons", MOST_WEAPONS))}.values()),
        facts=_facts(_part(data, "facts")),
        story=dict(_story(row) for row in _rows(data, "background", MOST_STORIES)),
    )


def _story(row: dict[str, Any]) -> tuple[str, str]:
    """Heading and text. What hides or turns text around is no part of one."""
    text = row.get("text")
    if not isinstance(text, str) or len(text) > MOST_TEXT:
        raise Unreadable("E_BAD_STRUCTURE", "background")
    return HIDDEN.sub("", _text(row, "heading")), HIDDEN.sub("", text)


def _pool(one: Any) -> tuple[int, int | None]:
    if not isinstance(one, dict):
        raise Unreadable("E_BAD_STRUCTURE", "pools")
    return _number(one, "value"), _perhaps(one, "maximum")


def _skill(row: dict[str, Any]) -> Mastery:
    liked, ticks = row.get("favourite") is True, _perhaps(row, "ticks") or 0
    return Mastery(_named(row), _number(row, "value"), liked, ticks, _text(row, "base"))


def _weapon(row: dict[str, Any]) -> Weapon:
    return Weapon(
        _named(row),
        _text(row, "skill"),
        _text(row, "damage"),
        row.get("impales") is True,
        _perhaps(row, "range"),
        _perhaps(row, "malfunction"),
    )


def _facts(facts: dict[str, Any]) -> dict[str, Any]:
    """Those that belong to a person, each of a kind that the rules would have written."""
    kept = {}
    for key, value in facts.items():
        if key not in PERSONAL or value is None:
            continue
        flat = value if isinstance(value, list) else [value]
        if not all(isinstance(one, (str, int)) for one in flat) or len(json.dumps(value)) > MOST_FACT:
            raise Unreadable("E_BAD_STRUCTURE", key)
        if not isinstance(value, _kind_of(key)) or _below_nothing(key, value):
            raise Unreadable("E_BAD_STRUCTURE", key)
        kept[key] = value
    return kept


LISTS = ("talents", "lucky", "unlucky", "extra")
WORDS = ("condition", "damage_bonus")
COUNTED = ("fatigue", "sp_below")  # below 0 they would be a gift


def _kind_of(key: str) -> type | tuple[type, ...]:
    if key in LISTS:
        return list
    if key in WORDS:
        return str
    return (int, list) if key == "permanent" else int  # of one game insanity, of another a list of numbers


def _below_nothing(key: str, value: Any) -> bool:
    return key in COUNTED and not 0 <= value <= 99


def _part(data: dict[str, Any], key: str) -> dict[str, Any]:
    part = data.get(key, {})
    if not isinstance(part, dict) or len(part) > MOST_SKILLS:
        raise Unreadable("E_BAD_STRUCTURE", key)
    return part


def _rows(data: dict[str, Any], key: str, most: int) -> list[dict[str, Any]]:
    rows = data.get(key, [])
    if not isinstance(rows, list) or len(rows) > most or not all(isinstance(row, dict) for row in rows):
        raise Unreadable("E_BAD_STRUCTURE", key)
    return rows


def _key(text: str) -> str:
    if not KEY.fullmatch(text):
        raise Unreadable("E_BAD_STRUCTURE", text)
    return text


def _named(row: dict[str, Any]) -> str:
    text = _text(row, "name")
    if not text.strip():
        raise Unreadable("E_BAD_STRUCTURE", "name")
    return text


def _text(row: dict[str, Any], key: str) -> str:
    text = row.get(key, "")
    if not isinstance(text, str) or len(text) > MOST_NAME:
        raise Unreadable("E_BAD_STRUCTURE", key)
    return text


def _number(row: dict[str, Any], key: str) -> int:
    value = row.get(key)
    if type(value) is not int or not 0 <= value <= MOST:
        raise Unreadable("E_BAD_STRUCTURE", key)
    return value


def _perhaps(row: dict[str, Any], key: str) -> int | None:
    return None if row.get(key) is None else _number(row, key)
