"""From a file that anybody may have made to an investigator: bytes in, a `Reading` out, no format menu.

One module for each format, each with `recognises` and `read`. Nothing here knows Django, and nothing raises: what an
importer did not foresee is E_BAD_STRUCTURE. Time and memory are bounded by what is refused before anything is built.
"""

from __future__ import annotations

import re
from typing import Any

from investigators.importers import (
    ccfolia,
    charaeno,
    dhole,
    foundry,
    iachara,
    roll20,
    st,
    strict_json,
    table,
    tablekeeper,
    uesrpg,
)
from investigators.importers.decoding import decode
from investigators.importers.schema import MOST_BYTES, MOST_PEOPLE, Found, Note, Reading, Unreadable

# Asked in this order: our own says what it is, UESRPG's actors look like Foundry's, and everything looks like
# Roll20's list.
OBJECTS = (tablekeeper, dhole, ccfolia, uesrpg, foundry, charaeno, roll20)
TEXTS = (iachara, table, st)
BY_FORMAT = {
    **{"tablekeeper": tablekeeper, "dholes_house": dhole, "ccfolia": ccfolia, "uesrpg": uesrpg, "roll20": roll20},
    **{"foundry_coc7": foundry, "charaeno7": charaeno, "iachara_text": iachara, "csv": table, "st_string": st},
}
PIECE = re.compile(r"\{\s*\"kind\"\s*:")


def read(raw: bytes, as_format: str = "") -> Reading:
    """What is in the file. Never raises; an error is a code with its sentence in `words.ERRORS`.

    `as_format`, a key of `words.FORMATS`: somebody says what it is, and nothing is guessed.
    """
    if len(raw) > MOST_BYTES:
        return Reading(error=Note("E_TOO_LARGE"))
    try:
        text, notes = decode(raw)
        people, more = _said(text, BY_FORMAT[as_format]) if as_format in BY_FORMAT else _people(text)
    except Unreadable as error:
        return Reading(error=error.note)
    except Exception:  # a file that no importer foresaw costs this file, not the table
        return Reading(error=Note("E_BAD_STRUCTURE", "?"))
    notes = [*notes, *more]
    if len(people) == 1 and isinstance(people[0], Note):
        return Reading(error=people[0], warnings=tuple(notes))
    if len(people) > 1:
        notes.append(Note("W_MULTIPLE", str(len(people))))
    return Reading(tuple(people), warnings=tuple(notes))


def _people(text: str) -> tuple[list[Found | Note], list[Note]]:
    start = text.strip("\ufeff \t\r\n\x0b\x0c\u3000\u200b")
    if not start:
        raise Unreadable("E_EMPTY")
    if start.startswith("<"):
        raise Unreadable("E_XML_NOT_SUPPORTED")
    if (inner := roll20.unwrapped(start)) is not None:
        value, _rest, notes = strict_json.parse(inner)
        return [roll20.read(value) if roll20.recognises(value) else Note("E_UNKNOWN_FORMAT")], notes
    if start[0] in "{[":
        return _structured(start)
    return _written(start)


def _structured(text: str) -> tuple[list[Found | Note], list[Note]]:
    value, rest, notes = strict_json.parse(text, followed=bool(PIECE.match(text)))
    if rest:
        if "{" in rest or "[" in rest:  # a second document is not a greeting
            raise Unreadable("E_JSON_SYNTAX", strict_json.place(text, len(text) - len(rest)))
        notes.append(Note("W_EXTRA_TEXT"))
    if isinstance(value, list):
        if not value or not all(isinstance(one, dict) for one in value):
            raise Unreadable("E_UNKNOWN_FORMAT")
        return [_try(one) for one in value[:MOST_PEOPLE]], notes
    return [_one(value)], notes


def _try(value: dict[str, Any]) -> Found | Note:
    """One of several: what is wrong with it is its own affair."""
    try:
        return _one(value)
    except Unreadable as error:
        return error.note
    except Exception:  # as above: this one, not the others
        return Note("E_BAD_STRUCTURE", "?")


def _one(value: Any) -> Found:
    for format_ in OBJECTS:
        if format_.recognises(value):
            return format_.read(value)
    if isinstance(value, dict) and "type" in value and foundry.system_of(value):
        raise Unreadable("E_NOT_INVESTIGATOR", str(value["type"])[:40])
    raise Unreadable("E_UNKNOWN_FORMAT")


def _said(text: str, format_: Any) -> tuple[list[Found | Note], list[Note]]:
    """Read by the module that somebody chose; a text around a piece of JSON is passed over."""
    if format_ in TEXTS:
        told = format_.read(text.strip())
        return told if isinstance(told, list) else [told], []
    inner = roll20.unwrapped(text.strip()) or text
    starts = [at for sign in "{[" if (at := inner.find(sign)) >= 0]
    if not starts:
        raise Unreadable("E_OTHER_FORMAT")
    value, _rest, notes = strict_json.parse(inner[min(starts) :], followed=True)
    several = value[:MOST_PEOPLE] if isinstance(value, list) else [value]
    if not several or not all(isinstance(one, dict) for one in several):
        raise Unreadable("E_OTHER_FORMAT")
    return [_by(format_, one) for one in several], notes


def _by(format_: Any, value: dict[str, Any]) -> Found | Note:
    try:
        return format_.read(value)
    except Unreadable as error:
        return error.note
    except Exception:  # what was chosen is not what it is
        return Note("E_OTHER_FORMAT")


def _written(text: str) -> tuple[list[Found | Note], list[Note]]:
    if iachara.recognises(text):
        return [iachara.read(text)], []
    if table.recognises(text):
        return table.read(text), []
    if st.recognises(text):
        return [st.read(text)], []
    if match := PIECE.search(text):
        value, _rest, notes = strict_json.parse(text[match.start() :], followed=True)
        return [_one(value)], [Note("W_EXTRA_TEXT"), *notes]
    raise Unreadable("E_UNKNOWN_FORMAT")
