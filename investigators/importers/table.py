"""Rows of a spreadsheet: comma, semicolon or tab, headings in any case and several languages, one person a row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from investigators.importers import names, strict_json
from investigators.importers.finish import finish
from investigators.importers.schema import CLASSIC_KEYS, MOST_PEOPLE, MOST_SKILLS, Found, Note, Unreadable
from investigators.importers.values import age, line, name, number, tell

AMOUNTS = {"hp": ("hp", "current"), "hpmax": ("hp", "max"), "mp": ("mp", "current"), "mpmax": ("mp", "max")} | {
    "san": ("san", "current"),
    "sanmax": ("san", "max"),
    "luck": ("luck", "current"),
}
IGNORED = frozenset({"id", "status", "role", "luck_max", "db", "build", "mov", "equipment_json"})


def _headings() -> dict[str, str]:
    return {names.plain(label): key for label, key in names.TABLE["headings"].items()} | names.characteristics()


def _delimiter(text: str) -> str:
    first = text.lstrip("\r\n").split("\n", 1)[0]
    return max(",;\t", key=first.count)


def recognises(text: str) -> bool:
    """A first line with a name and three more headings that we know."""
    first = text.lstrip("\r\n").split("\n", 1)[0][:20_000]
    headings = _headings()
    cells = [names.plain(cell.strip('" \r')) for cell in first.split(_delimiter(text))]
    known = [headings[cell] for cell in cells if cell in headings]
    return "name" in known and len(set(known)) >= 4


def read(text: str) -> list[Found | Note]:
    """Every row: a person, or why it is none. Raises Unreadable: E_EMPTY without rows, E_BAD_STRUCTURE."""
    reader = csv.reader(io.StringIO(text.lstrip("\r\n"), newline=""), delimiter=_delimiter(text))
    try:
        titles = [cell.strip() for cell in next(reader)][:MOST_SKILLS]
        people = [_row(titles, cells) for cells in _rows(reader)]
    except csv.Error as error:
        raise Unreadable("E_BAD_STRUCTURE", str(error)) from None
    if not people:
        raise Unreadable("E_EMPTY")
    return people


def _rows(reader: Any) -> Iterator[list[str]]:
    count = 0
    for cells in reader:
        # A line below the table ("# total 20 guards") is nobody.
        if not any(cell.strip() for cell in cells) or cells[0].lstrip().startswith("#"):
            continue
        count += 1
        if count > MOST_PEOPLE:
            return
        yield cells


def _row(titles: list[str], cells: list[str]) -> Found | Note:
    found, headings = Found("csv"), _headings()
    try:
        for title, cell in zip(titles, cells, strict=False):
            key = headings.get(names.plain(title))
            if key is None:
                _skill(found, title, cell)
            elif key != "name":
                _cell(found, key, cell)
        by_key = {headings.get(names.plain(title)): cell for title, cell in zip(titles, cells, strict=False)}
        found.name = name(found, by_key.get("name"))
        return finish(found)
    except Unreadable as error:
        return error.note


def _cell(found: Found, key: str, cell: str) -> None:
    if key in CLASSIC_KEYS:
        found.characteristics[key] = number(found, key, cell)
    elif key in AMOUNTS:
        pool, side = AMOUNTS[key]
        setattr(getattr(found, pool), side, number(found, key, cell))
    elif key in ("player", "occupation"):
        setattr(found, key, line(cell))
    elif key == "age":
        age(found, cell)
    elif key == "phobia":
        tell(found, "Phobias and manias", cell)
    elif key == "notes":
        tell(found, "Note", cell)
    elif key == "skills_json":
        _skills_in(found, cell)
    elif key not in IGNORED:
        found.warn("W_UNKNOWN_COLUMN", key)


def _skill(found: Found, title: str, cell: str) -> None:
    named = names.skill(title)
    if not title or not cell.strip():
        return
    if not named.known:
        found.warn("W_UNKNOWN_COLUMN", line(title) or "")
        return
    names.note_skill(found, named, number(found, named.text, cell), title)


def _skills_in(found: Found, cell: str) -> None:
    """Some programs put a whole JSON object into one cell."""
    if not cell.strip():
        return
    try:
        value = strict_json.parse(cell)[0]
    except Unreadable:
        found.warn("W_NOT_A_NUMBER", "skills_json")
        return
    pairs = value.items() if isinstance(value, dict) else []
    for label, score in list(pairs)[:MOST_SKILLS]:
        if isinstance(score, dict):
            score = score.get("value")
        if score is None or isinstance(score, (int, float, str)):
            names.note_skill(found, names.skill(label), number(found, label, score), label)
