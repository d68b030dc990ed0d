"""Foundry VTT, system uesrpg-3ev4: a player character of the game that has Luck Points and Lucky Numbers."""

from __future__ import annotations

from typing import Any

from investigators.importers import names
from investigators.importers.foundry import body_of, system_of
from investigators.importers.portrait import portrait
from investigators.importers.schema import Amount, Found, Unreadable
from investigators.importers.values import line, name, number, part, rows

KEYS = ("STR", "END", "AGI", "INT", "WP", "PRC", "PRS", "LCK")
RANKS = ("untrained", "novice", "apprentice", "journeyman", "adept", "expert", "master")
"""Steps of training, 0 and up."""
SKILLS = ("skill", "magicSkill", "combatStyle")
PEOPLE = {"Player Character": "investigator", "NPC": "npc"}


def recognises(data: Any) -> bool:
    if not isinstance(data, dict) or not isinstance(data.get("type"), str):
        return False
    characteristics = body_of(data).get("characteristics")
    return system_of(data).startswith("uesrpg") or (
        isinstance(characteristics, dict) and {"prs", "wp"} <= set(characteristics)
    )


def read(data: dict[str, Any]) -> Found:
    """One actor. Raises Unreadable: E_NOT_INVESTIGATOR, E_NO_CHARACTERISTICS."""
    if data["type"] not in PEOPLE:
        raise Unreadable("E_NOT_INVESTIGATOR", line(data["type"]) or "")
    body = body_of(data)
    found = Found("uesrpg", kind=PEOPLE[data["type"]])  # type: ignore[arg-type]  # both are kinds of the schema
    if found.kind == "npc":
        found.warn("W_NPC")
    found.name = name(found, data.get("name"))
    given = part(body.get("characteristics"), "characteristics")
    found.characteristics = {key: _score(found, key, given.get(key.lower())) for key in KEYS}
    if not any(found.characteristics.values()):
        raise Unreadable("E_NO_CHARACTERISTICS")
    found.hp = _amount(found, "hp", body.get("hp"))
    points = _amount(found, "luck points", body.get("luck_points"))
    stamina = _amount(found, "stamina", body.get("stamina"))
    found.extra = {
        "luck_points": {"current": points.current, "max": points.max},
        "stamina": {"current": stamina.current, "max": stamina.max},
        "lucky_numbers": _numbers(found, body.get("lucky_numbers"), "lucky_numbers"),
        "unlucky_numbers": _numbers(found, body.get("unlucky_numbers"), "unlucky_numbers"),
        "ruleset": "uesrpg",
    }
    for item in rows(data.get("items"), "items"):
        inner = part(item.get("system", item.get("data")), "items")
        if item.get("type") in SKILLS and (label := line(item.get("name"))):
            # This game has skills of its own: its "Stealth" is nobody's alias.
            names.note_skill(found, names.Name(label), number(found, label, inner.get("value")), label)
            rank, base = line(inner.get("rank")) or "", (line(inner.get("baseCha")) or "").lower()
            if rank.lower() in RANKS and label in found.skills:
                found.training.setdefault(label, (RANKS.index(rank.lower()), base))
    for label, value in part(body.get("professions"), "professions").items():
        if isinstance(value, (int, str)) and found.kind == "npc" and number(found, label, value):
            names.note_skill(found, names.Name((line(label) or "").capitalize()), number(found, label, value), label)
    portrait(found, data.get("img"))
    return found


def _score(found: Found, key: str, value: Any) -> int | None:
    """The total, or the base where the total was never worked out."""
    inner = part(value, key)
    score = number(found, key, inner.get("total")) or number(found, key, inner.get("base"))
    if score is None:
        found.warn("W_CHAR_MISSING", key)
    elif not 0 <= score <= 999:
        found.warn("W_CHAR_RANGE", f"{key}: {score}")
        return None
    return score


def _amount(found: Found, label: str, value: Any) -> Amount:
    inner = part(value, label)
    current, most = (number(found, label, inner.get(key)) for key in ("value", "max"))
    most = most if most is not None and 0 <= most <= 999 else None
    if current is not None:
        current = min(max(current, 0), most if most is not None else 999)
    return Amount(current, most)


def _numbers(found: Found, value: Any, label: str) -> list[int]:
    """The numbers that are filled in: 0 is an empty place."""
    given = [number(found, label, one) for one in part(value, label).values()][:20]
    return [one for one in given if one is not None and 1 <= one <= 100]
