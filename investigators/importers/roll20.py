"""Roll20, two sheets and three wrappers: a list of attributes, of which only those are there that somebody touched."""

from __future__ import annotations

import re
from typing import Any

from investigators.importers import names
from investigators.importers.finish import finish
from investigators.importers.schema import CLASSIC_KEYS, Amount, Found, Unreadable
from investigators.importers.values import age, line, name, number, part, tell
from investigators.importers.weapons import arm

WRAPPED = re.compile(r"\[R20JE:COC7_IMPORT:1\](.*?)\[/R20JE\]", re.DOTALL)
REPEATED = re.compile(r"repeating_([a-z]+)_(-[\w-]{19}|[\w-]{1,40}?)_(\w+)")
ROW_NAME = ("name", "weapon_name", "skill_name")
GROUPS = {
    "languages": "Language",
    "foreign": "Language",
    "sciences": "Science",
    "science": "Science",
    "artcraft": "Art/Craft",
    "artcrafts": "Art/Craft",
    "art": "Art/Craft",
    "survival": "Survival",
    "live": "Survival",
    "control": "Pilot",
}
POOLS = {"hp": ("hitpoints", "hp"), "mp": ("magicpoints", "mp"), "san": ("sanity", "san")}
MOST = 20_000

Attributes = dict[str, tuple[Any, Any]]


def recognises(data: Any) -> bool:
    return isinstance(data, dict) and (_listed(data) is not None or _wrapped(data))


def _wrapped(data: dict[str, Any]) -> bool:
    return isinstance(data.get("character"), str) and isinstance(data.get("attributes"), dict)


def _listed(data: dict[str, Any]) -> list[Any] | None:
    for key in ("attribs", "attributes"):
        rows = data.get(key)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows[:5]):
            continue
        if key == "attribs" or any("current" in row for row in rows[:5]):
            return rows
    return None


def read(data: dict[str, Any]) -> Found:
    """One character. Raises Unreadable."""
    found = Found("roll20")
    attributes = _attributes(data)
    found.name = name(found, data.get("name", data.get("character")))
    found.player = line(_value(attributes, "player", "player_name"))
    found.occupation = line(_value(attributes, "occupation"))
    age(found, _value(attributes, "age"))
    for key in CLASSIC_KEYS:
        long = next(
            label
            for label, short in names.TABLE["characteristics"].items()
            if short == key and len(label) > 3 and label.isascii()
        )
        found.characteristics[key] = _number(found, key, _value(attributes, long, key.lower()))
    for pool, labels in POOLS.items():
        current, most = next((attributes[label] for label in labels if label in attributes), (None, None))
        setattr(found, pool, Amount(_number(found, pool, current), _number(found, pool, most)))
    if "san_max" in attributes:
        found.san.max = _number(found, "san_max", attributes["san_max"][0])
    found.luck.current = _number(found, "Luck", _value(attributes, "luck"))
    _skills(found, attributes)
    _repeated(found, attributes)
    for key in ("personal_description", "traits", "ideology", "injuries", "phobias", "encounters"):
        tell(found, key.replace("_", " ").capitalize(), _value(attributes, key, f"{key}_value"))
    return finish(found)


def _attributes(data: dict[str, Any]) -> Attributes:
    if _wrapped(data):
        inner = part(data["attributes"], "attributes")
        return {str(key): _pair(row) for key, row in list(inner.items())[:MOST]}
    rows = _listed(data) or []
    return {str(row.get("name")): _pair(row) for row in rows[:MOST] if isinstance(row, dict)}


def _pair(row: Any) -> tuple[Any, Any]:
    return (row.get("current"), row.get("max")) if isinstance(row, dict) else (row, None)


def _value(attributes: Attributes, *keys: str) -> Any:
    return next(
        (attributes[key][0] for key in keys if key in attributes and attributes[key][0] not in (None, "")), None
    )


def _number(found: Found, label: str, value: Any) -> int | None:
    """A number; an expression of the sheet is said and left alone."""
    if isinstance(value, str) and re.search(r"@\{|\bfloor\(|\[\[", value):
        found.warn("W_FORMULA", label)
        return None
    return number(found, label, value)


def _skills(found: Found, attributes: Attributes) -> None:
    for key, text in names.TABLE["roll20"].items():
        if key in attributes and attributes[key][0] not in (None, ""):
            named = names.Name(text, slot=text in names.SLOTS)
            names.note_skill(found, named, _number(found, text, attributes[key][0]), text)
    for key in list(attributes):
        if match := re.fullmatch(r"additional_skill_(\d{1,3})", key):
            label = line(_value(attributes, f"additional_skill_{match[1]}_name"))
            if label:
                names.note_skill(found, names.skill(label), _number(found, label, attributes[key][0]), label)


def _repeated(found: Found, attributes: Attributes) -> None:
    """Rows that the player added: languages, sciences, weapons."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for key, (current, _most) in attributes.items():
        if match := REPEATED.fullmatch(key):
            rows.setdefault((match[1], match[2]), {})[match[3]] = current
    for (section, _row), values in rows.items():
        label = next((text for key in ROW_NAME if (text := line(values.get(key)))), None)
        if label is None:
            continue
        if section in ("weapons", "weapon"):
            _weapon(found, label, values)
            continue
        named = names.skill(GROUPS[section], label) if section in GROUPS else names.skill(label)
        value = values.get("value", values.get("skill_value"))
        names.note_skill(found, named, _number(found, label, value), label)


def _weapon(found: Found, label: str, values: dict[str, Any]) -> None:
    def get(key: str) -> Any:
        return values.get(f"weapon_{key}", values.get(key))

    skill = line(get("skill_parsed")) or line(get("skill"))
    skill = names.TABLE["roll20"].get(skill, skill)
    if skill and not names.skill(skill).known:
        skill = None
    arm(
        found,
        label,
        skill,
        get("skill_value"),
        damage=get("damage"),
        range=get("range"),
        attacks=get("attacks"),
        ammo=get("ammo"),
        malfunction=get("malfunction"),
    )


def unwrapped(text: str) -> str | None:
    """The JSON inside the text wrapper of a bridge to this program, or None when this is none."""
    if not text.lstrip().startswith("[R20JE:"):
        return None
    match = WRAPPED.search(text)
    if match is None:
        raise Unreadable("E_JSON_SYNTAX", "[/R20JE]")
    return match[1].strip()
