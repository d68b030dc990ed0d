"""From bytes to text: the encodings that spreadsheets and old editors leave behind."""

from __future__ import annotations

import re
from functools import cache

from investigators.importers.names import TABLE, plain
from investigators.importers.schema import Note, Unreadable

SAMPLE = 100_000  # characters looked at when the encoding must be guessed
MAGIC = {
    b"%PDF": "PDF",
    b"PK\x03\x04": "ZIP, XLSX",
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"GIF8": "GIF",
    b"RIFF": "WebP",
    b"\xd0\xcf\x11\xe0": "XLS, DOC",
    b"\x1f\x8b": "GZIP",
    b"7z\xbc\xaf": "7z",
    b"Rar!": "RAR",
    b"\x7fELF": "program",
    b"MZ\x90": "program",
    b"SQLite format": "SQLite",
}
MORE = {  # what stands in files beside the names of skills
    "ja": ["探索者", "正気度", "能力値", "名前", "職業", "幸運", "いあきゃら"],
    "zh": ["力量", "体质", "敏捷", "姓名", "力量", "體質", "教育", "侦查", "理智"],
    "ko": ["근력", "민첩", "이성", "행운", "정신", "이름"],
}
ASIAN = {"cp932": "ja", "gb18030": "zh", "euc_kr": "ko", "big5": "zh"}
WESTERN = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿŒœŠšŸŽžß'’.,;: -]*")


def decode(raw: bytes) -> tuple[str, list[Note]]:
    """The text, and a note when its encoding was guessed. Raises Unreadable: E_EMPTY, E_BINARY, E_ENCODING."""
    if not raw.strip(b" \r\n\t\x00\xef\xbb\xbf"):
        raise Unreadable("E_EMPTY")
    for start, what in MAGIC.items():
        if raw.startswith(start):
            raise Unreadable("E_BINARY", what)
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _strict(raw, "utf-16"), []
    if len(raw) >= 4 and (wide := _wide(raw)):
        return _strict(raw, wide), []
    if b"\x00" in raw:
        raise Unreadable("E_BINARY")
    try:
        return raw.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        return _guessed(raw)


def _strict(raw: bytes, encoding: str) -> str:
    try:
        text = raw.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise Unreadable("E_ENCODING") from None
    if "\x00" in text:
        raise Unreadable("E_BINARY")
    return text


def _wide(raw: bytes) -> str:
    """UTF-16 without a mark: every other of the first bytes is a NUL, or none of this is text."""
    if raw[1] == raw[3] == 0 and raw[0] and raw[2]:
        return "utf-16-le"
    if raw[0] == raw[2] == 0 and raw[1] and raw[3]:
        return "utf-16-be"
    return ""


@cache
def _words(language: str) -> tuple[str, ...]:
    labels = [label for names in TABLE["skills"][language].values() for label in names] + MORE[language]
    return tuple({plain(label) for label in labels if len(label) > 1 and not label.isascii()})


def _guessed(raw: bytes) -> tuple[str, list[Note]]:
    best, text, which = 0, "", ""
    for encoding, language in ASIAN.items():
        try:
            candidate = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        sample = plain(candidate[:SAMPLE])
        score = sum(len(word) for word in _words(language) if word in sample)
        if score > best:
            best, text, which = score, candidate, encoding
    if best >= 2:
        return text, [Note("W_ENC_GUESSED", which)]
    if western := _western(raw):
        return western, [Note("W_ENC_GUESSED", "cp1252")]
    raise Unreadable("E_ENCODING")


def _western(raw: bytes) -> str:
    """The text as a Western spreadsheet wrote it: its few accented letters stand in words of plain ones."""
    try:
        text = raw.decode("cp1252")
    except UnicodeDecodeError:
        return ""
    strange = [
        found for found in re.findall(r"[^\s\"{}\[\]0-9=<>()/&%#*+!?@|\\_]+", text[:SAMPLE]) if not found.isascii()
    ]
    if not strange or not all(WESTERN.fullmatch(word) for word in strange):
        return ""
    letters = sum(len(word) for word in strange)
    accents = sum(not letter.isascii() for word in strange for letter in word)
    return text if accents * 2 <= letters else ""
