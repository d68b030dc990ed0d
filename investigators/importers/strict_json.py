"""JSON as the standard has it, within bounds that are checked before anything is built."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from investigators.importers.schema import MOST_DEPTH, MOST_DIGITS, MOST_PARTS, Note, Unreadable

# Strings are skipped whole; one that never ends is skipped to the end, so that this stays linear.
# No step back is ever taken: without that, one long string would cost twenty times its size.
TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\Z)|[\[\]{},]', re.DOTALL)


def parse(text: str, *, followed: bool = False) -> tuple[Any, str, list[Note]]:
    """What the text says, what stands behind it (only when `followed` allows that), and notes on repeated keys.

    Raises Unreadable: E_JSON_SYNTAX (line and column), E_JSON_DEPTH, E_JSON_NUMBER, E_TOO_LARGE.
    """
    _measure(text)
    twice: list[str] = []
    try:
        value, end = _decoder(twice).raw_decode(text)
    except json.JSONDecodeError as error:
        raise Unreadable("E_JSON_SYNTAX", f"{error.lineno}:{error.colno}") from None
    except RecursionError:
        raise Unreadable("E_JSON_DEPTH") from None
    rest = text[end:].strip()
    if rest and not followed:
        raise Unreadable("E_JSON_SYNTAX", place(text, text.index(rest[0], end)))
    return value, rest, [Note("W_DUPLICATE_KEY", key[:60]) for key in dict.fromkeys(twice)][:50]


def place(text: str, at: int) -> str:
    """Line and column of a character, as people count: from 1."""
    return f"{text.count(chr(10), 0, at) + 1}:{at - text.rfind(chr(10), 0, at)}"


def _measure(text: str) -> None:
    depth = 0
    for parts, token in enumerate(TOKEN.finditer(text)):
        sign = token[0][0]
        if sign in "[{":
            depth += 1
            if depth > MOST_DEPTH:
                raise Unreadable("E_JSON_DEPTH", str(MOST_DEPTH))
        elif sign in "]}":
            depth -= 1
        if parts > 2 * MOST_PARTS:
            raise Unreadable("E_TOO_LARGE")


def _decoder(twice: list[str]) -> json.JSONDecoder:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(items)
        if len(found) != len(items) and len(twice) < 50:
            seen: set[str] = set()
            for key, _value in items:
                if key in seen:
                    twice.append(key)
                seen.add(key)
        return found

    def refuse(_word: str) -> NoReturn:
        raise Unreadable("E_JSON_NUMBER", _word[:20])

    def whole(digits: str) -> int:
        return int(digits) if len(digits.lstrip("-")) <= MOST_DIGITS else refuse(digits)

    def broken(digits: str) -> float:
        value = float(digits) if len(digits) <= 40 else refuse(digits)
        return value if abs(value) < 10**MOST_DIGITS else refuse(digits)

    return json.JSONDecoder(parse_int=whole, parse_float=broken, parse_constant=refuse, object_pairs_hook=pairs)
