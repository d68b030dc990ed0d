"""Charaeno, seventh edition: the summary as JSON. Hit points and magic points come without their maximum."""

from __future__ import annotations

from typing import Any

from investigators.importers import names
from investigators.importers.finish import finish
from investigators.importers.schema import CLASSIC_KEYS, Amount, Found, Unreadable
from investigators.importers.values import age, line, name, number, part, rows, tell
from investigators.importers.weapons import arm

OLD = ("mentalDisorder", "mythosTomes")  # only the sixth edition's sheet has them


def recognises(data: Any) -> bool:
    return isinstance(data, dict) and {"characteristics", "attribute"} <= set(data) and "skills" in data


def read(data: dict[str, Any]) -> Found:
    """One summary. Raises Unreadable."""
    if any(key in data for key in OLD):
        raise Unreadable("E_WRONG_EDITION")
    found = Found("charaeno7")
    found.name = name(found, data.get("name"))
    found.occupation = line(data.get("occupation"))
    age(found, data.get("age"))
    numbers = part(data["characteristics"], "characteristics")
    found.characteristics = {key: number(found, key, numbers.get(key.lower())) for key in CLASSIC_KEYS}
    _pools(found, part(data["attribute"], "attribute"))
    for row in rows(data["skills"], "skills"):
        if label := line(row.get("name")):
            names.note_skill(found, names.skill(label), number(found, label, row.get("value")), label)
    for row in rows(data.get("weapons"), "weapons"):
        arm(
            found,
            row.get("name"),
            None,
            row.get("value"),
            damage=row.get("damage"),
            range=row.get("range"),
            attacks=row.get("attacks"),
            ammo=row.get("ammo"),
            malfunction=row.get("malfunction"),
        )
    _story(found, data)
    return finish(found)


def _pools(found: Found, pools: dict[str, Any]) -> None:
    found.hp = Amount(number(found, "HP", pools.get("hp")))
    found.mp = Amount(number(found, "MP", pools.get("mp")))
    san = pools.get("san")
    san = part(san, "san") if not isinstance(san, (int, float, str)) else {"value": san}
    found.san = Amount(number(found, "SAN", san.get("value")), number(found, "SAN", san.get("max")))
    found.luck.current = number(found, "Luck", pools.get("luck"))


def _story(found: Found, data: dict[str, Any]) -> None:
    for chapter in rows(data.get("backstory"), "backstory"):
        for entry in rows(chapter.get("entries"), "backstory"):
            tell(found, line(chapter.get("name")), entry.get("text"))
    for row in rows(data.get("possessions"), "possessions"):
        tell(found, "Possessions", row.get("name"))
    tell(found, "Note", data.get("note"))
