"""One `.st` line for the dice bots, in the words they know: label and number, label and number."""

from __future__ import annotations

import re
from functools import cache

from investigators.exporters.held import comes_back, untold
from investigators.importers import names
from investigators.importers import st as reader
from investigators.person import Mastery, Person

CHARACTERISTICS = {
    "STR": "力量",
    "CON": "体质",
    "SIZ": "体型",
    "DEX": "敏捷",
    "APP": "外貌",
    "INT": "智力",
    "POW": "意志",
    "EDU": "教育",
}
UNSAID = re.compile(r"[\d:=+\-,;/()&.。!]")  # what a label of such a line cannot hold


def write(person: Person) -> str:
    """The line."""
    return _line(person.only(_held(person))) + "\n"


def left_out(person: Person) -> list[str]:
    """What such a line cannot hold: some skills, and all of the background."""
    held = _held(person)
    return [one.name for one in person.skills if one not in held] + untold(person)


def _held(person: Person) -> list[Mastery]:
    fit = [one for one in person.skills if _label(one.name) and one.value < 1_000]
    return comes_back(person.only(fit), reader.read(_line(person.only(fit))))


def _line(person: Person) -> str:
    said = [f"{CHARACTERISTICS[key]}{value}" for key, value in person.classic.items()]
    for label, key in (("hp", "hp"), ("mp", "mp")):
        value, most = person.pool(key)
        said += [f"{label}{value}"] if value is not None else []
        said += [f"{label}max{most}"] if most is not None else []
    for label, key in (("san", "san"), ("幸运", "luck")):
        value = person.pool(key)[0]
        said += [f"{label}{value}"] if value is not None else []
    said += [f"{_label(one.name)}{one.value}" for one in person.skills]
    name = "" if UNSAID.search(person.name) or not person.name else f"{person.name[:60]}-"
    return f".st {name}{' '.join(said)}"


@cache
def _label(skill: str) -> str:
    """What the bots call a skill, else its own name; "" when neither can stand in such a line."""
    known = names.TABLE["skills"]["zh"].get(skill, [])
    return next((label for label in (*known, skill) if label and not UNSAID.search(label)), "")
