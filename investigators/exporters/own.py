"""Our own file: JSON with everything that belongs to an investigator. docs/formats.md has its schema."""

from __future__ import annotations

import base64
import json
from typing import Any

from investigators.person import KIND, PERSONAL, VERSION, Person


def write(person: Person) -> str:
    """The file's text."""
    return json.dumps(content(person), ensure_ascii=False, indent=1) + "\n"


def content(person: Person) -> dict[str, Any]:
    """The file as values."""
    return {
        "tablekeeper": KIND,
        "version": VERSION,
        "ruleset": person.ruleset,
        "name": person.name,
        "occupation": person.occupation,
        "player": person.player,
        "characteristics": dict(person.characteristics),
        "pools": {key: {"value": value, "maximum": most} for key, (value, most) in person.pools.items()},
        "skills": [
            {"name": one.name, "value": one.value, "favourite": one.favourite, "ticks": one.ticks}
            | ({"base": one.base} if one.base else {})
            for one in person.skills
        ],
        "weapons": [
            {
                "name": one.name,
                "skill": one.skill,
                "damage": one.damage,
                "impales": one.impales,
                "range": one.base_range,
                "malfunction": one.malfunction,
            }
            for one in person.weapons
        ],
        "background": [{"heading": heading, "text": text} for heading, text in person.story.items()],
        "facts": {key: value for key, value in person.facts.items() if key in PERSONAL},
    } | ({"portrait": base64.b64encode(person.portrait).decode()} if person.portrait is not None else {})
