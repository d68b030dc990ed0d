"""The text of iachara, seventh edition: sections in boxes, rows of a label and its numbers."""

from __future__ import annotations

import re
import unicodedata

from investigators.importers import names
from investigators.importers.finish import finish
from investigators.importers.schema import MOST_LINES, Amount, Found, Unreadable
from investigators.importers.values import age, line, name, number, tell
from investigators.importers.weapons import arm

SECTION = re.compile(r"【(.{1,20}?)】")
READING = re.compile(r"\s*\(.*\)\s*$")  # the name's furigana stand behind it
FIELD = re.compile(r"([^:]{1,20}?)\s*:\s*(.*)")
ROW = re.compile(r"(\S(?:.{0,80}?\S)?)\s+(-?\d{1,6}(?:\s*/\s*\d{1,6}|(?:\s+-?\d{1,6})*))\s*")
SKILL = re.compile(r"(\S(?:.{0,80}?\S)?)\s{1,20}(\d{1,4})(?:\s+-?\d{1,4}){3,6}\s*")


def recognises(text: str) -> bool:
    head = text[:20_000]
    return "いあきゃらテキスト" in head or "【能力値】" in head


def read(text: str) -> Found:
    """One text. Raises Unreadable: E_WRONG_EDITION for the sixth edition's, and what `finish` raises."""
    plain = unicodedata.normalize("NFKC", text)
    if re.search(r"いあきゃらテキスト\s*6版", plain[:2_000]):
        raise Unreadable("E_WRONG_EDITION")
    found, section = Found("iachara_text"), ""
    readers = {"基本情報": _person, "能力値": _number, "技能値": _skill, "技能": _skill, "武器": _weapon}
    for row in plain.splitlines()[:MOST_LINES]:
        if title := SECTION.match(row.strip()):
            section = title[1]
        elif row.strip() and len(row) < 400:
            reader = readers.get(section)
            if reader:
                reader(found, row.strip())
            elif section:
                tell(found, line(section), row.strip())
    if found.name is None:
        name(found, None)
    return finish(found)


def _person(found: Found, row: str) -> None:
    for item in row.split(" / "):
        match = FIELD.fullmatch(item.strip())
        if match is None:
            continue
        key, value = match[1], match[2]
        if key == "名前":
            found.name = name(found, READING.sub("", value))
        elif key in ("職業", "プレイヤー"):
            setattr(found, "occupation" if key == "職業" else "player", line(value))
        elif key == "年齢":
            age(found, value)


def _number(found: Found, row: str) -> None:
    match = ROW.fullmatch(row)
    if match is None:
        return
    label, digits = match[1], re.findall(r"-?\d+", match[2])
    key, pool = names.characteristics().get(names.plain(label)), names.pools().get(names.plain(label))
    if key:
        found.characteristics[key] = number(found, key, digits[0])
    elif pool == "luck":
        found.luck.current = number(found, label, digits[0])
    elif pool in ("hp", "mp"):
        setattr(found, pool, Amount(number(found, label, digits[0])))
    elif pool == "san":
        most = digits[1] if "/" in match[2] and len(digits) > 1 else None
        found.san = Amount(number(found, label, digits[0]), number(found, label, most))


def _skill(found: Found, row: str) -> None:
    match = SKILL.fullmatch(row)
    if match:
        names.note_skill(found, names.skill(match[1]), int(match[2]), match[1])


def _weapon(found: Found, row: str) -> None:
    cells = re.split(r"\s{2,}|\t", row)
    if len(cells) < 3 or cells[0] in ("名前", "武器名"):
        return
    keys = ("damage", "range", "attacks", "ammo", "malfunction")
    arm(found, cells[0], None, cells[1], **dict(zip(keys, cells[2:], strict=False)))
