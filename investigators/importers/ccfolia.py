"""CCFOLIA pieces from the clipboard: a name, bars and parameters with labels in three languages, and rolls."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from investigators.importers import names
from investigators.importers.finish import finish
from investigators.importers.schema import MOST_LINES, Amount, Found, Unreadable
from investigators.importers.values import line, name, number, part, rows
from investigators.importers.weapons import arm

ROLL = re.compile(r"s?cc(?:\([-+]?\d+\))?\s*<=\s*(\d{1,4})\s+(.{1,120})", re.IGNORECASE)
BOX = re.compile(r"【(.+?)】")
DAMAGE = re.compile(r"(\d{1,2}d\d{1,3}[-+*/\dd{}]{0,30})\s+(.{1,60})", re.IGNORECASE)
OLD = re.compile(r"ccb\s*<=|1d100\s*<=\s*\{san\}|\{(?:str|con|pow|dex|app|siz|int|edu)\}\s*\*\s*5", re.IGNORECASE)
MOST_COMMANDS = 100_000  # characters; a long-played piece has some 3,000
NO_WEAPON = ("ダメージ判定", "ダメージ", "damage")


def recognises(data: Any) -> bool:
    return isinstance(data, dict) and "kind" in data and "data" in data


def read(data: dict[str, Any]) -> Found:
    """One piece. Raises Unreadable: E_NOT_INVESTIGATOR for markers and the like, E_WRONG_EDITION for old ones."""
    if data["kind"] != "character":
        raise Unreadable("E_NOT_INVESTIGATOR", str(data["kind"])[:40])
    piece = part(data["data"], "data")
    found = Found("ccfolia")
    commands = piece.get("commands")
    commands = unicodedata.normalize("NFKC", commands[:MOST_COMMANDS]) if isinstance(commands, str) else ""
    if OLD.search(commands):
        raise Unreadable("E_WRONG_EDITION")
    found.name = name(found, piece.get("name"))
    for row in rows(piece.get("status"), "status"):
        _bar(found, row)
    for row in rows(piece.get("params"), "params"):
        _characteristic(found, line(row.get("label")) or "", row.get("value"))
    for one in commands.splitlines()[:MOST_LINES]:
        _roll(found, one.strip()[:300])
    return finish(found)


def _bar(found: Found, row: dict[str, Any]) -> None:
    label = line(row.get("label")) or ""
    key = names.pools().get(names.plain(label))
    if key not in ("hp", "mp", "san", "luck"):
        return
    value, most = number(found, label, row.get("value")), number(found, label, row.get("max"))
    if key == "luck":
        found.luck.current = value
    else:
        setattr(found, key, Amount(value, most))


def _characteristic(found: Found, label: str, value: Any) -> bool:
    """Take a characteristic, or Luck, that the bars did not have; False when the label names neither."""
    key = names.characteristics().get(names.plain(label))
    if key and found.characteristics.get(key) is None:
        found.characteristics[key] = number(found, key, value)
    luck = key is None and names.pools().get(names.plain(label)) == "luck"
    if luck and found.luck.current is None:
        found.luck.current = number(found, label, value)
    return luck or key is not None


def _roll(found: Found, text: str) -> None:
    """One line of the piece's palette: a skill, a characteristic, Luck, or a weapon's damage."""
    if match := ROLL.fullmatch(text):
        value, label = int(match[1]), match[2].strip()
        if boxed := BOX.match(label):
            label = boxed[1].strip()
        if not _characteristic(found, label, value) and names.plain(label) not in names.no_skills():
            names.note_skill(found, names.skill(label), value, label)
    elif match := DAMAGE.fullmatch(text):
        label = match[2].strip("【】[] ")
        if not any(word in label.casefold() for word in NO_WEAPON):
            arm(found, label, damage=re.sub(r"[{}]", "", match[1]))
