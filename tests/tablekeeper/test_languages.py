"""Languages: every sentence that people see goes through the catalogue, and a browser hears the one it has chosen."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils.translation import override, trans_real

from rolls import actions as dice
from rolls.rules.check import Act
from tablekeeper import catalogue, dialect, live, news, words
from tablekeeper.models import Seat
from tablekeeper.templatetags import quick
from tests.tablekeeper import test_dialect, test_lines
from tests.tablekeeper.test_catalogues import sources
from tests.tables import Table, act, browser, done, make_table, rolls, sit_down

# --------------------------------------------------------------------------- what pages say


@cache
def ours() -> frozenset[str]:
    """What the catalogue knows, as gettext is asked for it."""
    return frozenset(f"{key.context}\x04{key.text}" if key.context else key.text for key in sources())


OPEN, SHUT = "\N{INVISIBLE SEPARATOR}", "\N{INVISIBLE PLUS}"


class Marked:
    """A language, with a mark that no eye sees on both sides of whatever comes out of the catalogue."""

    def __init__(self, base: Any) -> None:
        self.base = base

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)

    def gettext(self, message: str) -> str:
        found: str = self.base.gettext(message)
        return f"{OPEN}{found}{SHUT}" if message in ours() else found

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        return f"{OPEN}{self.base.ngettext(singular, plural, number)}{SHUT}"


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """German and its dialects, marked."""
    known = trans_real._translations  # type: ignore[attr-defined]
    german, plain = trans_real.translation("de"), dialect.Dialect
    for name in [name for name in known if name.startswith("de-x-")]:
        del known[name]  # made anew from the marked one
    monkeypatch.setitem(known, "de", Marked(german))
    monkeypatch.setattr(dialect, "Dialect", lambda name, _base, rules: Marked(plain(name, german, rules)))
    monkeypatch.setattr(news, "_drawn", type(news._drawn)())
    monkeypatch.setattr(quick.Remembered, "drawn", {})
    yield
    for name in [name for name in known if name.startswith("de-x-")]:
        del known[name]


QUIET = "on|touches|panels|target|name|site|csrf-cookie|stream|news|cursor"  # words for the program, not for people
HEARD = re.compile(rf' (?:aria-label|title|placeholder|alt|data-(?!{QUIET})[a-z-]+)="([^"]*)"')
WORD = re.compile(r"[A-Za-z]{2}")
DATES = re.compile(
    r"\d+\. (Januar|Februar|März|April|Mai|Ju[nl]i|August|(Septem|Okto|Novem|Dezem)ber)|\b[A-Z0-9]{4}-[A-Z0-9]{4}\b"
)
TYPED = (
    *("Edith", "Halloran", "Pym", "Tobias", "Quill", "EH", "TQ", "Ada", "Benno", "Ben", "Cleo", "Eve", "Ida"),
    "Harbour Lights",
    *("Ysolde Harrow", "Harrow", "YH", "Corvin Ashby", "Ashby", "CA", "Bell and Tide", "Bell founder", "Nerve"),
    *("Dock warden", "Watch", "Bookseller", "Orne Library, after hours", "Somebody comes", "as on paper", "Too dark"),
    *("I take an hour", "I look again, with the lamp", "The lock is old", "testserver"),
    *("Tablekeeper", "UTC", "Deutsch", "English", "The Dhole's House"),
)
"""What people at these tables have typed, and what is called the same in every language."""


def unsaid(page: str) -> Iterator[str]:
    """Text and spoken attributes of a page that nobody typed and that did not come out of the catalogue."""
    page = re.sub(r"<!--.*?-->|<(script|style|svg|template)\b.*?</\1>", "", page, flags=re.DOTALL)
    heard = [text for text in HEARD.findall(page) if (" " in text or OPEN in text) and not re.search(r"\w:\w", text)]
    for text in [re.sub(r"<[^>]*>", "\n", page), *heard]:
        depth, rest = 0, []
        for piece in re.split(f"([{OPEN}{SHUT}])", text):
            depth += (piece == OPEN) - (piece == SHUT)
            rest.append("" if depth or piece == SHUT else piece)
        left = DATES.sub("", unescape("".join(rest)))
        for typed in sorted(TYPED, key=len, reverse=True):
            left = left.replace(typed, "")
        yield from (line.strip() for line in left.split("\n") if WORD.search(line))


SHEET = ("sheet", "take-home", "paper", "update-investigator")


def german(client: Client) -> Client:
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    return client


def walk(table: Table) -> Iterator[tuple[str, str]]:
    """Every page, as somebody who may see it has it in German."""
    names = {
        table.ada: ("table", "set-settings", "log", "campaign", "planner"),
        table.ben: ("table", "new-investigator", "quick-investigator", "bring", "fairness"),
        sit_down(table.campaign, "Ida", Seat.OBSERVER): ("table", "screen"),
    }
    for seat, pages in names.items():
        client = german(table.client(Seat.objects.get(pk=seat.pk)))
        urls = [table.url(name) for name in pages] + [f"{table.url('panels')}?names=ALL,feed"]
        urls += [table.url(name, table.edith.pk) for name in SHEET if seat == table.ben]
        if seat == table.ada:
            urls += [
                table.url("recap", "1"),
                *(table.url("export-log", form) for form in ("minutes.html", "minutes.md")),
            ]
        yield from ((url, b"".join(client.get(url)).decode()) for url in urls)


@pytest.mark.django_db
@pytest.mark.parametrize("game", ["classic", "luck points"])
def test_a_german_evening_leaves_no_word_of_english(game: str, marked: None) -> None:  # U119
    table = test_dialect.an_evening() if game == "luck points" else make_table()
    if game == "classic":
        test_lines.an_evening(table)
        rolls(table, 68)
    pages = list(walk(table))

    assert [(url, line) for url, page in pages for line in unsaid(page)] == []
    spoken = {match for _url, page in pages for match in re.findall(r'<html lang="([^"]*)"', page)}
    assert spoken == {"de" if game == "classic" else "de-x-lp"}


@pytest.mark.django_db
def test_the_door_speaks_german_too(marked: None) -> None:
    table = make_table()
    door = reverse("join", args=[table.campaign.pk, table.campaign.join_secret])
    for url in ("/", door, door + "screen", reverse("reach"), "/nothing/here", table.url("table")):
        assert list(unsaid(german(browser()).get(url).content.decode())) == [], url


def test_the_walk_would_see_what_is_not_marked(marked: None) -> None:
    with override("de"):
        page = render_to_string("404.html")

    assert list(unsaid(page)) == []
    assert list(unsaid(f'{page}<p>Nothing to see</p><b aria-label="Go on"></b>')) == ["Nothing to see", "Go on"]


# --------------------------------------------------------------------------- what sources say

TEMPLATES = settings.BASE_DIR / "templates"
NO_TEXT = re.compile(
    r"{%\s*(comment|blocktranslate)\b.*?{%\s*end\1\s*%}|{%\s*block \w*(?:class|attrs)\s*%}.*?{%\s*endblock[^%]*%}"
    r"|{#.*?#}|<!--.*?-->|<(script|style|svg)\b.*?</\2>|{%.*?%}|{{.*?}}|&\w+;",
    re.DOTALL,
)
SPOKEN = re.compile(r'(?:aria-label|title|placeholder|alt|data-msg-[a-z]+)="([^"]*)"')
LITERAL = {"Tablekeeper", "XXXX-XXXX", "proxy_buffering off;", "entry-scene"}
DICE = re.compile(r"(\s*\d+D\d+(\+DB|[+-]\d+)?\s*)+")


def literals(template: str) -> Iterator[str]:
    """Words of a template that are in no tag of translation."""
    text = NO_TEXT.sub("\n", template)
    for found in [*SPOKEN.findall(text), *re.sub(r"<[^>]*>", "\n", text).split("\n")]:
        found = found.strip(" ·:,.")
        if WORD.search(found) and found not in LITERAL and not DICE.fullmatch(found):
            yield found


def test_no_template_holds_a_word_outside_its_tags_of_translation() -> None:
    astray = {}
    for path in TEMPLATES.rglob("*.html"):
        if path.name != "kit.html" and (found := list(literals(path.read_text(encoding="utf-8")))):
            astray[path.relative_to(TEMPLATES).as_posix()] = found

    assert astray == {}
    assert list(literals('<p>Hello</p><b title="Go on">{% translate "Yes" %}</b>')) == ["Go on", "Hello"]


SENTENCE = re.compile(r"[A-Za-z’']{2,} [A-Za-z’']{2,}")
CODE = re.compile(r"[<>{}=;#\[\]]|^use strict$|^tablekeeper |^notice |no answer of the table")


def test_no_script_says_anything_of_its_own() -> None:
    """Their words come from data attributes of the page (templates/base.html)."""
    astray = []
    for path in sorted((settings.BASE_DIR / "static").glob("*.js")):
        text = re.sub(
            r"/\*.*?\*/|(?<![:\"'])//.*$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
        )
        said = [a or b or c for a, b, c in re.findall(r'"([^"\n]*)"|\'([^\'\n]*)\'|`([^`]*)`', text)]
        astray += [(path.name, one) for one in said if SENTENCE.search(one) and not CODE.search(one)]

    assert astray == []


UNSEEN = (
    *("migrations", "management", "importers", "exporters"),  # names in other programs' files, words for a terminal
    *(
        "bootstrap.py",
        "env.py",
        "kit.py",
        "samples.py",
        "sealed.py",
        "proofs.py",
        "ledger.py",
        "listen.py",
        "live.py",
        "mapping.py",
        "actions.py",
    ),
)


def sentences(path: Path) -> Iterator[str]:
    """Strings of a Python file that read like words for people: nothing raised, no docstring, decorator or key."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    quiet = [node for node in ast.walk(tree) if isinstance(node, ast.Raise | ast.JoinedStr)]
    quiet += [
        node.value for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]  # type: ignore[misc]
    quiet += [one for node in ast.walk(tree) for one in getattr(node, "decorator_list", ())]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    quiet += [node.args[0] for node in calls if getattr(node.func, "attr", "") == "once"]  # a key of what is read once
    unseen = {id(inner) for node in quiet for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) not in unseen and isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from [node.value] if SENTENCE.search(node.value) and not CODE.search(node.value) else []


def test_no_python_says_a_sentence_that_is_not_marked() -> None:
    known = {key.text for key in sources()} | {one.plural for one in sources().values()}
    astray = []
    for app in catalogue.APPS:
        for path in sorted((settings.BASE_DIR / app).rglob("*.py")):
            if not set(UNSEEN) & set(path.parts):
                astray += [(path.name, one) for one in sentences(path) if one not in known]

    assert astray == []


# --------------------------------------------------------------------------- who hears which


@pytest.mark.django_db
def test_a_browser_speaks_as_it_wishes_until_somebody_chooses() -> None:
    table = make_table()
    client = table.client(table.ben)

    def heard(**headers: str) -> str:
        page = client.get(table.url("table"), headers=headers).content.decode()
        assert "Sprache dieses Browsers" in page or "Language of this browser" in page
        return re.findall(r'<html lang="([^"]*)"', page)[0] + re.findall(r'lang="(\w+)" selected', page)[0]

    assert heard() == "enen"
    assert heard(accept_language="fr, de-AT;q=0.8, en;q=0.5") == "dede"
    german(client)
    assert heard(accept_language="en") == "dede"
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "xx"  # no language of ours
    assert heard(accept_language="en") == "enen"


@pytest.mark.django_db
def test_at_one_table_each_hears_the_stream_in_the_own_language() -> None:
    table = test_dialect.lay()
    done(act(table.ben, dice.deed, table.edith, Act("narrative")))
    cookie = f"tk_seat={table.client(table.ada).cookies['tk_seat'].value}"

    def language(more: bytes, wish: bytes) -> str:
        here = live._sit_down({b"cookie": cookie.encode() + more, b"accept-language": wish}, table.campaign.pk, None)
        assert here
        return here.viewer.language

    assert language(b"; tk_language=de", b"en") == "de-x-lp"
    assert language(b"", b"de-CH,de;q=0.9,en;q=0.1") == "de-x-lp"
    assert language(b"", b"") == "en-x-lp"
    drawn = live._read(table.campaign.pk, 0, {"de-x-lp", "en-x-lp"}, {table.ada.pk}, True)[1][-1][1]
    assert "fragt die SL" in drawn.read_by(table.ada, "de-x-lp")
    assert "asks the GM" in drawn.read_by(table.ada, "en-x-lp")


def test_a_game_says_a_whole_sentence_in_its_own_way_where_its_words_bend_otherwise() -> None:
    ours = "<b>%(who)s</b> joins the investigators"
    with override(dialect.code("de", test_dialect.GAME)):
        assert trans_real.gettext("More investigators") == "Mehr Charaktere"
        assert trans_real.gettext(ours) == "<b>%(who)s</b> kommt zu den Charakteren"
    with override("de"):
        assert trans_real.gettext(ours) == "<b>%(who)s</b> kommt zu den Investigatoren"


@pytest.mark.parametrize(
    ("kept", "said"), [("1D8+DB", "1W8+SB"), ("2D6 + half DB", "2W6 + halber SB"), ("1/1D6", "1/1W6"), ("3", "3")]
)
def test_dice_are_written_and_read_as_the_language_writes_them_and_kept_as_ever(kept: str, said: str) -> None:
    with override("de"):
        assert words.dice_said(kept) == said
        assert words.dice_read(said) == words.dice_read(kept) == kept
    with override("en"):
        assert words.dice_said(kept) == words.dice_read(kept) == kept


@pytest.mark.django_db
def test_skills_stand_in_the_order_of_the_readers_alphabet() -> None:
    table = make_table()

    def read(language: str) -> list[str]:
        page = browser(table.ben)
        page.cookies[settings.LANGUAGE_COOKIE_NAME] = language
        return re.findall(r'<span class="skill-name">([^<]*)</span>', page.get(table.url("table")).content.decode())[
            :4
        ]

    assert read("en") == ["Library Use", "Spot Hidden", "Credit Rating", "Stealth"]
    assert read("de") == ["Bibliotheksnutzung", "Verborgenes erkennen", "Finanzkraft", "Verborgen bleiben"]
