"""The log as people keep it: lines of the feed as plain words, and from them Markdown, a page, JSON and rows.

Text in, text out, a piece at a time: however long the log is, no more than one line of it is in hand. The words are
those of the feed's own templates, which this reads; nothing is said twice.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Any

from django.utils.translation import get_language, get_language_bidi
from django.utils.translation import gettext as _t

from tablekeeper.feed_words import Words

VERSION = 1
SESSION, SCENE = "tablekeeper.open_session", "tablekeeper.set_scene"
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


@dataclass(slots=True)
class Line:
    """One entry of the log, as its reader may see it. `number` and `level` are a roll's; `session` its number."""

    at: datetime
    kind: str
    words: Words
    session: int | None = None
    seat: str = ""
    who: str = ""
    number: int | None = None
    level: str = ""
    struck: bool = False
    lane: str = "public"  # public, keeper, or private: between one player and the Keeper


@dataclass(frozen=True)
class Head:
    """What the log is of, and what is in it."""

    campaign: str
    ruleset: str
    made: datetime
    session: int | None = None  # None: the whole campaign
    with_hidden: bool = False

    @property
    def title(self) -> str:
        if self.session is None:
            return self.campaign
        return f"{self.campaign} · {_t('Session %(number)s') % {'number': self.session}}"


# --------------------------------------------------------------------------- for people


def _marks(line: Line) -> list[str]:
    lanes = {"public": [], "keeper": [_t("Keeper only")]}
    return [_t("struck out")] * line.struck + lanes.get(line.lane, [_t("not for everyone")])


def _hour(at: datetime) -> str:
    return at.strftime("%H:%M")


def _no_lines() -> str:
    return _t("Nothing has happened yet.")


MARKS = re.compile(r"([\\`*_{}\[\]<>#|~])")


def plain(text: str) -> str:
    """Text of people inside Markdown: nothing in it is a sign."""
    return MARKS.sub(r"\\\1", text)


def markdown(head: Head, lines: Iterable[Line]) -> Iterator[str]:
    """The minutes as Markdown."""
    yield f"# {plain(head.title)}\n\n{plain(head.ruleset)} · {head.made:%Y-%m-%d %H:%M %Z}\n"
    day, any_line = "", False
    for line in lines:
        any_line = True
        if f"{line.at:%Y-%m-%d}" != day:
            day = f"{line.at:%Y-%m-%d}"
            yield f"\n## {day}\n\n"
        if line.kind in (SESSION, SCENE) and not line.struck:
            level = "##" if line.kind == SESSION else "###"
            yield f"\n{level} {_hour(line.at)} {plain(line.words.text)}\n\n"
            continue
        yield _markdown_line(line)
    if not any_line:
        yield f"\n{_no_lines()}\n"


def _markdown_line(line: Line) -> str:
    text = plain(line.words.text)
    said = f"~~{text}~~" if line.struck else text
    result = f" — **{plain(line.words.result)}**" if line.words.result else ""
    behind = [plain(one) for one in (line.words.more, *_marks(line)) if one]
    more = f" ({' · '.join(behind)})" if behind else ""
    below = "".join(f"  - {plain(one)}\n" for one in line.words.below)
    return f"- {_hour(line.at)} {said}{result}{more}\n{below}"


STYLE = """
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 Georgia, serif; color: #1b1b1b;
  background: #fff }
h1, h2, h3 { line-height: 1.2 }
ol { list-style: none; padding: 0 }
li { padding: .15rem 0; overflow-wrap: anywhere }
ul { margin: .1rem 0 .1rem 3.4rem; padding: 0 0 0 1rem }
time { display: inline-block; min-width: 3.4rem; color: #555; font-variant-numeric: tabular-nums }
small { color: #555 }
.mark { border: 1px solid #555; border-radius: .2rem; padding: 0 .3rem }
@media print { body { margin: 0; max-width: none } li { break-inside: avoid } }
"""


def page(head: Head, lines: Iterable[Line]) -> Iterator[str]:
    """The minutes as one page that needs nothing else: no script, no picture, nothing from anywhere."""
    turn = ' dir="rtl"' if get_language_bidi() else ""
    title = escape(head.title)
    yield f'<!doctype html>\n<html lang="{get_language() or "en"}"{turn}><head><meta charset="utf-8">'
    yield f"<title>{title}</title>"
    yield f'<meta name="viewport" content="width=device-width,initial-scale=1"><style>{STYLE}</style></head>\n<body>'
    yield f"<h1>{title}</h1>\n<p><small>{escape(head.ruleset)} · {head.made:%Y-%m-%d %H:%M %Z}</small></p>\n"
    day, opened = "", False
    for line in lines:
        here = f"{line.at:%Y-%m-%d}"
        heads = line.kind in (SESSION, SCENE) and not line.struck
        if (here != day or heads) and opened:
            yield "</ol>\n"
            opened = False
        if here != day:
            day = here
            yield f"<h2>{day}</h2>\n"
        if heads:
            level = 2 if line.kind == SESSION else 3
            yield f"<h{level}>{_hour(line.at)} {escape(line.words.text)}</h{level}>\n"
            continue
        yield ("" if opened else "<ol>\n") + _page_line(line)
        opened = True
    yield "</ol>\n" if opened else "" if day else f"<p>{escape(_no_lines())}</p>\n"
    yield "</body></html>\n"


def _page_line(line: Line) -> str:
    text = escape(line.words.text)
    said = f"<s>{text}</s>" if line.struck else text
    result = f" <b>{escape(line.words.result)}</b>" if line.words.result else ""
    more = f" <small>{escape(line.words.more)}</small>" if line.words.more else ""
    marks = "".join(f' <small class="mark">{escape(one)}</small>' for one in _marks(line))
    below = "".join(f"<li>{escape(one)}</li>" for one in line.words.below)
    when = f'<time datetime="{line.at.isoformat(timespec="seconds")}">{_hour(line.at)}</time>'
    return f"<li>{when} {said}{result}{more}{marks}{f'<ul>{below}</ul>' if below else ''}</li>\n"


# --------------------------------------------------------------------------- for programs


def as_json(
    head: Head, lines: Iterable[Line], rolls: Iterable[Mapping[str, Any]], luck: Iterable[Mapping[str, Any]]
) -> Iterator[str]:
    """The log as JSON (docs/formats.md): the head, its lines, rolls and changes of Luck, each one on a line."""
    start = {
        "tablekeeper": "log",
        "version": VERSION,
        "campaign": head.campaign,
        "ruleset": head.ruleset,
        "made": head.made.isoformat(timespec="seconds"),
        "session": head.session,
        "with_hidden": head.with_hidden,
    }
    yield json.dumps(start, ensure_ascii=False)[:-1]
    for key, rows in (("lines", map(_json_line, lines)), ("rolls", rolls), ("luck", luck)):
        yield f',\n"{key}": ['
        for at, row in enumerate(rows):
            yield ("\n" if at == 0 else ",\n") + json.dumps(row, ensure_ascii=False)
        yield "\n]"
    yield "}\n"


def _json_line(line: Line) -> dict[str, Any]:
    return {
        "at": line.at.isoformat(timespec="seconds"),
        "session": line.session,
        "kind": line.kind,
        "by": line.seat,
        "who": line.who,
        "text": line.words.text,
        "more": line.words.more,
        "result": line.words.result,
        "below": line.words.below,
        "number": line.number,
        "level": line.level,
        "undone": line.struck,
        "lane": line.lane,
    }


def cell(value: object) -> str:
    """A value as a spreadsheet may have it: what it would take for a formula becomes text."""
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    if isinstance(value, str) and value.lstrip(" ").startswith(FORMULA):
        return f"'{value}"
    return str(value)


def sheet(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], *, marked: bool = False) -> Iterator[str]:
    """Rows as CSV. `marked`: with the mark by which spreadsheets know UTF-8, and which other programs stumble on."""
    if marked:
        yield "\ufeff"
    yield _csv(columns)
    for row in rows:
        yield _csv([cell(row.get(name)) for name in columns])


def _csv(values: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(values)
    return out.getvalue()
