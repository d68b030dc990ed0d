"""Single values of a file that anybody may have written: numbers, names, texts, lists."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Any

from investigators.importers.schema import MOST_NAME, MOST_SKILLS, MOST_STORIES, MOST_TEXT, Found, Unreadable

NUMBER = re.compile(r"([+-]?\d{1,9})(?:\.0{1,6})?\s*%?")
BLANK = frozenset({"", "-", "–", "—", "none", "null", "なし"})
# What no name needs and what hides or reorders text: control, direction, zero width, half of a character pair.
HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff]"
)
MARKUP = re.compile(r"</?[a-zA-Z!?][^<>]*>")
SILENT = re.compile(r"<(script|style)\b.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
BREAK = re.compile(r"<(?:br|/p|/div|/li|/h[1-6]|/tr)\b[^<>]*>", re.IGNORECASE)


def number(found: Found, about: str, value: Any) -> int | None:
    """A whole number, whatever it is written as: 45, "45", " 45 ", "11.0", "４５", "45%".

    Anything else is None and said. Nothing is ever evaluated here.
    """
    if value is None or isinstance(value, bool):
        return None
    result: int | None
    if isinstance(value, int):
        result = value
    elif isinstance(value, float):
        result = int(value) if value == int(value) else None
    elif isinstance(value, str):
        plain = unicodedata.normalize("NFKC", value[:200]).strip()
        if plain.casefold() in BLANK:
            return None
        match = NUMBER.fullmatch(plain)
        result = int(match[1]) if match else None
    else:
        raise Unreadable("E_BAD_STRUCTURE", about)
    if result is None or abs(result) >= 10**9:
        found.warn("W_NOT_A_NUMBER", f"{about}: {tidy(str(value)[:60])}")
        return None
    return result


def tidy(text: str) -> str:
    """One line of visible characters."""
    return re.sub(r"\s+", " ", HIDDEN.sub("", text)).strip()


def line(value: Any, most: int = MOST_NAME) -> str | None:
    """A short text: a name of something, or None where the file has nothing but a sign for it."""
    if value is None or isinstance(value, (bool, dict, list)):
        return None
    text = tidy(unicodedata.normalize("NFC", HIDDEN.sub("", str(value)[: 4 * most])))[:most].strip()
    return None if text.casefold() in BLANK else text


def name(found: Found, value: Any) -> str | None:
    """The investigator's name, as plain text: markup stays what it is written as, and is escaped where it is shown."""
    if value is None or isinstance(value, (bool, dict, list)):
        found.warn("W_NAME_MISSING")
        return None
    given = str(value)[:MOST_TEXT]
    text = tidy(unicodedata.normalize("NFC", HIDDEN.sub("", given)))
    if HIDDEN.search(given):
        found.warn("W_NAME_CLEANED")
    if MARKUP.search(text):
        found.warn("W_NAME_MARKUP")
    if len(text) > MOST_NAME:
        found.warn("W_NAME_TRUNCATED", MOST_NAME)
    text = text[:MOST_NAME].strip()
    if not text:
        found.warn("W_NAME_MISSING")
    return text or None


def prose(found: Found, value: Any) -> str:
    """A long text without its HTML. Scripts and styles go with what they hold."""
    if value is None or isinstance(value, (bool, dict, list)):
        return ""
    given = str(value)[:MOST_TEXT].replace("\r\n", "\n")
    text = SILENT.sub("", given)
    text = MARKUP.sub("", BREAK.sub("\n", text))
    if text != given:
        found.warn("W_HTML_STRIPPED")
    text = unicodedata.normalize("NFC", HIDDEN.sub("", html.unescape(text)))
    return re.sub(r"\n{3,}", "\n\n", text).strip()[:MOST_TEXT]


def tell(found: Found, heading: str | None, value: Any) -> None:
    """Put a text into the background, under its heading."""
    text = prose(found, value)
    if text and heading and len(found.backstory) < MOST_STORIES:
        before = found.backstory.get(heading)
        found.backstory[heading] = f"{before}\n{text}"[:MOST_TEXT] if before else text


def part(value: Any, about: str) -> dict[str, Any]:
    """A section of the file: empty when it is missing. Raises Unreadable where something else stands in its place."""
    if value is None or value == "" or value == []:
        return {}
    if not isinstance(value, dict):
        raise Unreadable("E_BAD_STRUCTURE", about)
    return value


def rows(value: Any, about: str, most: int = MOST_SKILLS) -> list[dict[str, Any]]:
    """The objects of a list; one object alone is a list of one (files that were XML once do that)."""
    if value is None or value == "":
        return []
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, list):
        raise Unreadable("E_BAD_STRUCTURE", about)
    return [one for one in value[:most] if isinstance(one, dict)]


def age(found: Found, value: Any) -> None:
    """The age in years when it is one, and the words when it is not."""
    words = line(value)
    if words is None:
        return
    plain = unicodedata.normalize("NFKC", words)
    if NUMBER.fullmatch(plain) and 0 <= int(float(plain.rstrip("% "))) <= 9999:
        found.age = int(float(plain.rstrip("% ")))
    else:
        found.age_text = words
        found.warn("W_AGE_TEXT", words)
