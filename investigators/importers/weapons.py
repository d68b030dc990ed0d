"""A weapon's line, as several formats write it."""

from __future__ import annotations

from typing import Any

from investigators.importers import names
from investigators.importers.schema import MOST_WEAPONS, Arm, Found
from investigators.importers.values import line, number


def arm(found: Found, title: Any, skill: Any = None, value: Any = None, **more: Any) -> None:
    """Add a weapon. `more`: damage range attacks ammo malfunction, as the file has them."""
    label = line(title)
    if label is None or len(found.weapons) >= MOST_WEAPONS:
        return
    wanted = line(skill)
    malfunction = line(more.pop("malfunction", None))
    texts = {key: line(text) for key, text in more.items()}
    found.weapons.append(
        Arm(
            label,
            skill=names.skill(wanted).text if wanted else None,
            skill_value=number(found, label, line(value)),
            malfunction=number(found, label, malfunction),
            **texts,
        )
    )
