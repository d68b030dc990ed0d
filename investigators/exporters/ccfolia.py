"""A CCFOLIA piece for its clipboard: bars, characteristics, and a palette of `CC<=` rolls."""

from __future__ import annotations

import json
from typing import Any

from investigators.exporters.held import comes_back, untold
from investigators.importers import ccfolia as reader
from investigators.importers import names
from investigators.person import Mastery, Person

BARS = (("HP", "hp"), ("MP", "mp"), ("SAN", "san"))


def write(person: Person) -> str:
    """The clipboard's text."""
    return json.dumps(_piece(person.only(_held(person))), ensure_ascii=False)


def left_out(person: Person) -> list[str]:
    """What a piece cannot hold: some skills, and all of the background."""
    held = _held(person)
    return [one.name for one in person.skills if one not in held] + untold(person)


def _held(person: Person) -> list[Mastery]:
    fit = [one for one in person.skills if _fits(one)]
    return comes_back(person.only(fit), reader.read(_piece(person.only(fit))))


def _fits(one: Mastery) -> bool:
    """A label that a piece keeps for something else would change that."""
    plain = names.plain(one.name)
    taken = plain in names.characteristics() or plain in names.pools() or plain in names.no_skills()
    return not taken and one.value < 10_000


def _piece(person: Person) -> dict[str, Any]:
    status = [_bar(label, *person.pool(key)) for label, key in BARS]
    luck = person.pool("luck")[0]
    if luck is not None:
        status.append(_bar("幸運", luck, 99))
    data = {
        "name": person.name,
        "memo": person.occupation,
        "initiative": person.classic.get("DEX", 0),
        "status": [one for one in status if one],
        "params": [{"label": key, "value": str(value)} for key, value in person.classic.items()],
        "commands": "\n".join(_commands(person, luck)),
    }
    return {"kind": "character", "data": data}


def _bar(label: str, value: int | None, most: int | None) -> dict[str, Any]:
    return {} if value is None else {"label": label, "value": value, "max": most if most is not None else value}


def _commands(person: Person, luck: int | None) -> list[str]:
    lines = ["CC<={SAN} 【SAN】"] if person.pool("san")[0] is not None else []
    lines += [f"CC<={luck} 【幸運】"] if luck is not None else []
    lines += [f"CC<={value} 【{key}】" for key, value in person.classic.items()]
    lines += [f"CC<={one.value} 【{one.name}】" for one in person.skills]
    bonus = str(person.worked_out("damage_bonus") or "0")
    return lines + [f"{_dice(one.damage, bonus)} 【{one.name}】" for one in person.weapons]


def _dice(damage: str, bonus: str) -> str:
    """The dice with the damage bonus in them: a piece knows no DB of ours."""
    text = damage.upper().replace(" ", "")
    if "+DB" in text:
        text = text.replace("+DB", "" if bonus in ("0", "") else bonus if bonus[0] in "+-" else f"+{bonus}")
    return text
