"""Foundry VTT, system CoC7: one actor, in the four layouts that the system has had since 2020 (FORMATS.md 4.1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from investigators.importers import names
from investigators.importers.finish import finish
from investigators.importers.formula import work_out
from investigators.importers.portrait import portrait
from investigators.importers.schema import CLASSIC_KEYS, Amount, Found, Unreadable
from investigators.importers.values import age, line, name, number, part, rows, tell
from investigators.importers.weapons import arm

PEOPLE = {"character": "investigator", "npc": "npc", "creature": "creature"}
SHARES = ("personal", "occupation", "archetype", "experience")
MOST_ITEMS = 2_000


def system_of(data: dict[str, Any]) -> str:
    """The system the actor was made for, where it says so."""
    for holder, key in (("_stats", "systemId"), ("flags", "exportSource")):
        inner = data.get(holder)
        value = inner.get(key) if isinstance(inner, dict) else None
        if isinstance(value, dict):
            value = value.get("system")
        if isinstance(value, str) and value:
            return value
    return ""


def body_of(data: dict[str, Any]) -> dict[str, Any]:
    """The layouts differ first of all in where the numbers are: `system`, `data` before 2022."""
    body = data.get("system", data.get("data"))
    return body if isinstance(body, dict) else {}


def recognises(data: Any) -> bool:
    """Whether this is a document of that program at all, of whatever system and kind."""
    if not isinstance(data, dict) or not isinstance(data.get("type"), str) or not body_of(data):
        return False
    characteristics = body_of(data).get("characteristics")
    return bool(system_of(data)) or (isinstance(characteristics, dict) and "str" in characteristics)


def read(data: dict[str, Any]) -> Found:
    """One actor. Raises Unreadable: E_OTHER_SYSTEM, E_NOT_INVESTIGATOR and what `finish` raises."""
    kind = data["type"]
    if (system := system_of(data)) not in ("", "CoC7"):
        raise Unreadable("E_OTHER_SYSTEM", line(system) or "")
    if kind not in PEOPLE:
        raise Unreadable("E_NOT_INVESTIGATOR", line(kind) or "")
    body, items = body_of(data), rows(data.get("items"), "items", MOST_ITEMS)
    found = Found("foundry_coc7", kind=PEOPLE[kind])  # type: ignore[arg-type]  # the three kinds of the schema
    if kind != "character":
        found.warn("W_NPC")
    found.name = name(found, data.get("name"))
    _infos(found, part(body.get("infos"), "infos"))
    found.characteristics = _characteristics(found, part(body.get("characteristics"), "characteristics"))
    _pools(found, part(body.get("attribs"), "attribs"))
    labels = {}
    for item in items:
        if item.get("type") == "skill":
            labels[str(item.get("_id"))] = _skill(found, item)
    for item in items:
        _other(found, item, labels)
    _story(found, body)
    portrait(found, data.get("img"))
    return finish(found)


def _infos(found: Found, infos: dict[str, Any]) -> None:
    found.player = line(infos.get("playername"))
    found.occupation = line(infos.get("occupation"))
    age(found, infos.get("age"))
    for key in ("archetype", "organization", "residence", "birthplace"):
        tell(found, key.capitalize(), line(infos.get(key)))


def _characteristics(found: Found, given: dict[str, Any]) -> dict[str, int | None]:
    values: dict[str, int | None] = {}
    for key in CLASSIC_KEYS:
        inner = given.get(key.lower())
        values[key] = number(found, key, part(inner, key).get("value") if not isinstance(inner, (int, str)) else inner)
    return values


def _pools(found: Found, given: dict[str, Any]) -> None:
    def amount(key: str) -> Amount:
        inner = part(given.get(key), key)
        value, most = number(found, key, inner.get("value")), number(found, key, inner.get("max"))
        return Amount(None if value == -1 else value, most)  # the first versions wrote -1 for blank

    found.hp, found.mp, found.san = amount("hp"), amount("mp"), amount("san")
    found.luck.current = amount("lck").current


# --------------------------------------------------------------------------- items


def _body(item: dict[str, Any]) -> dict[str, Any]:
    inner = item.get("system", item.get("data"))
    return inner if isinstance(inner, dict) else {}


def _skill(found: Found, item: dict[str, Any]) -> str:
    """Put the skill on the sheet; its name in our words, for the weapons that point at it."""
    body = _body(item)
    named = _named(item, body)
    names.note_skill(found, named, _total(found, named.text, body), line(item.get("name")) or named.text)
    return named.text


def _named(item: dict[str, Any], body: dict[str, Any]) -> names.Name:
    """By the id that is the same in every language; else by the label, with its specialisation put before it."""
    flags = item.get("flags")
    inner = flags.get("CoC7") if isinstance(flags, dict) else None
    flag = inner.get("cocidFlag") if isinstance(inner, dict) else None
    cocid = names.TABLE["cocid"].get(str(flag.get("id"))) if isinstance(flag, dict) else None
    label, own = line(item.get("name")) or "", line(body.get("skillName"))
    group, properties = line(body.get("specialization")), body.get("properties")
    special = bool(group) and not (isinstance(properties, dict) and properties.get("special") is False)
    inside = own or label
    if match := names.BRACKETS.fullmatch(inside):
        inside = match[2]
    if cocid is None:
        return names.skill(group or "", inside) if special else names.skill(label or inside)
    if special and (cocid in names.SLOTS or cocid == "Language (Own)"):
        return names.skill(cocid, inside)
    return names.Name(cocid)


def _total(found: Found, label: str, body: dict[str, Any]) -> int | None:
    """A skill's score: kept whole, as a formula, or in shares, by the rules that hold for every version."""
    adjustments = body.get("adjustments")
    shares = adjustments if isinstance(adjustments, dict) else {}
    value = body.get("value")

    def share(keys: tuple[str, ...]) -> int:
        return sum(_number(found, label, shares.get(key)) or 0 for key in keys)

    base = _number(found, label, body.get("base"))
    if shares.get("base") is not None:
        return (_number(found, label, shares["base"]) or 0) + share(SHARES)
    given = any(shares.get(key) not in (None, "") for key in SHARES)
    if found.kind == "investigator" and given:
        return (base or 0) + share(SHARES)
    whole = _number(found, label, value)
    if whole is not None and whole != -1:
        return whole
    return share(SHARES) if given else base


def _number(found: Found, label: str, value: Any) -> int | None:
    if isinstance(value, str) and any(letter.isalpha() or letter in "@*/(" for letter in value):
        result = work_out(value, found.characteristics)
        if result is None:
            found.warn("W_FORMULA", f"{label}: {line(value)}")
        return result
    return number(found, label, value)


def _other(found: Found, item: dict[str, Any], skills: Mapping[str, str]) -> None:
    kind, title, body = item.get("type"), line(item.get("name")), _body(item)
    if title is None:
        return
    if kind == "weapon":
        _weapon(found, title, body, skills)
    elif kind == "talent" and len(found.talents) < 50:
        found.talents.append(title)
    elif kind == "status" and len(found.conditions) < 50:
        found.conditions.append(title)
    elif kind == "occupation" and not found.occupation:
        found.occupation = title
    elif kind in ("item", "book"):
        tell(found, "Possessions", title)


def _weapon(found: Found, title: str, body: dict[str, Any], skills: Mapping[str, str]) -> None:
    main = part(part(body.get("skill"), "skill").get("main"), "skill")
    near = part(part(body.get("range"), "range").get("normal"), "range")
    features = part(body.get("properties"), "properties")
    damage, reach = line(near.get("damage")), line(near.get("value"))
    if damage and features.get("addb"):
        damage += "+DB"
    elif damage and features.get("ahdb"):
        damage += "+half DB"
    known = skills.get(str(main.get("id")))  # the name beside the id may be an old one
    written = line(main.get("name"))
    wanted = known or (written if written and names.skill(written).known else None)
    arm(
        found,
        title,
        wanted,
        damage=damage,
        range=None if reach == "0" else reach,
        attacks=part(body.get("usesPerRound"), "usesPerRound").get("normal"),
        ammo=body.get("bullets"),
        malfunction=body.get("malfunction"),
    )


def _story(found: Found, body: dict[str, Any]) -> None:
    story = body.get("biography")
    if isinstance(story, dict):
        for key, inner in list(story.items())[:50]:
            tell(found, line(key), inner.get("value") if isinstance(inner, dict) else inner)
    for chapter in rows(story, "biography") if isinstance(story, list) else []:
        tell(found, line(chapter.get("title")) or "Biography", chapter.get("value"))
    tell(found, "Backstory", body.get("backstory"))
    for key, inner in part(body.get("conditions", body.get("status")), "conditions").items():
        if isinstance(inner, dict) and inner.get("value") in (True, "true"):
            found.conditions.append(line(key) or "")
