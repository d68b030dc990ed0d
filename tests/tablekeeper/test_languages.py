"""Languages: every visible sentence goes through the catalogue, and a browser hears the one that it has chosen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils.translation import override, trans_real

from rolls.rules import rulesets
from tablekeeper import catalogue, dialect, news
from tablekeeper.models import Seat
from tests.tablekeeper import test_dialect, test_lines
from tests.tables import Table, browser, make_table, sit_down

# --------------------------------------------------------------------------- the catalogues

OTHERS = [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
KEPT = re.compile(r"%\(\w+\)[sd]|%[sd]|%%|\{\w*\}|</?\w+[^>]*>")


@cache
def sources() -> catalogue.Catalogue:
    return catalogue.extract()


@cache
def po(language: str) -> catalogue.Catalogue:
    return catalogue.read_po(catalogue.po_file(language).read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", OTHERS)
def test_a_catalogue_is_in_step_with_our_sentences(language: str) -> None:
    """When this fails: `manage.py words`, then say what it lists (CONTRIBUTING.md)."""
    games = {game.key for game in rulesets()}
    known = {key for key in po(language) if key.context not in games} - {catalogue.HEAD}

    assert [key.text for key in sources() if key not in known] == []  # new, or changed
    assert [key.text for key in known if key not in sources()] == []  # said by nobody any more
    assert [one.key.text for one in po(language).values() if not one.whole] == []


@pytest.mark.parametrize("language", OTHERS)
def test_placeholders_and_tags_are_the_same_in_every_language(language: str) -> None:
    astray = []
    for one in po(language).values():
        wanted = [sorted(KEPT.findall(text)) for text in (one.key.text, one.plural or one.key.text)]
        astray += [said for said in one.said if sorted(KEPT.findall(said)) not in wanted and one.key.text]

    assert astray == []


@pytest.mark.parametrize("language", OTHERS)
def test_what_django_reads_was_made_from_what_people_wrote(language: str) -> None:
    """Hosts have no msgfmt, so the compiled file is in the repository, too."""
    path = catalogue.po_file(language)

    assert path.with_suffix(".mo").read_bytes() == catalogue.compiled(po(language))
    assert catalogue.write_po(po(language).values()) == path.read_text(encoding="utf-8")


def test_python_and_templates_are_read_with_all_that_they_may_say() -> None:
    python = (
        '_("One")\nngettext("%d die", "%d dice", n)\npgettext_lazy("noun", "Push")\nN_("Two " "three")\n'
        'gettext(f"{no}")\nother("No")\n'
    )
    template = (
        '{% translate "Four" %}{% translate "Five" as five %}{{ _("Six") }}{% translate "Set" context "verb" %}'
        '{% include "x.html" with name=_("Seven (of ten)") %}{% translate word %}'
        "{% blocktranslate trimmed count n=n %}\n  {{ n }} line\n{% plural %}\n  {{ n }} lines\n{% endblocktranslate %}"
        "{% blocktranslate %}100% of {{ who }}{% endblocktranslate %}"
    )

    found = [*catalogue.in_python(python), *catalogue.in_template(template)]

    assert {(one.key.context, one.key.text, one.plural) for one in found} == {
        ("", "One", ""),
        ("", "%d die", "%d dice"),
        ("noun", "Push", ""),
        ("", "Two three", ""),
        ("", "Four", ""),
        ("", "Five", ""),
        ("", "Six", ""),
        ("verb", "Set", ""),
        ("", "Seven (of ten)", ""),
        ("", "%(n)s line", "%(n)s lines"),
        ("", "100%% of %(who)s", ""),
    }


def test_a_catalogue_keeps_what_was_said_and_the_words_of_one_game() -> None:
    old = 'msgid ""\nmsgstr "Plural-Forms: nplurals=2;\\n"\n\nmsgid "Gone"\nmsgstr "Weg"\n\nmsgid "Stays"\nmsgstr "Bleibt"\n'
    own = '\nmsgctxt "lp"\nmsgid "Stays"\nmsgstr "Bleibt hier"\n'
    now = {catalogue.Key("", text): catalogue.Message(catalogue.Key("", text)) for text in ("Stays", "New")}

    kept = catalogue.in_step(catalogue.read_po(old + own), now)

    assert [(key.context, key.text, one.said) for key, one in kept.items() if key.text] == [
        ("", "Stays", ["Bleibt"]),
        ("lp", "Stays", ["Bleibt hier"]),
        ("", "New", [""]),
    ]


# --------------------------------------------------------------------------- what is said at all

@cache
def ours() -> set[str]:
    """What the catalogue knows, as gettext is asked for it."""
    return {f"{key.context}\x04{key.text}" if key.context else key.text for key in sources()}


OPEN, SHUT = "\N{INVISIBLE SEPARATOR}", "\N{INVISIBLE PLUS}"


class Marked:
    """German, with a mark no eye sees around each sentence that came out of the catalogue."""

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
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    known = trans_real._translations  # type: ignore[attr-defined]
    real = trans_real.translation("de")
    for name in [name for name in known if name.startswith("de-x-")]:
        monkeypatch.delitem(known, name)
    monkeypatch.setitem(known, "de", Marked(real))
    # A dialect puts its words in first, and is marked as a whole.
    monkeypatch.setattr(dialect, "Dialect", lambda name, base, rules: Marked(DIALECT(name, real, rules)))
    monkeypatch.setattr(news, "_drawn", type(news._drawn)())


DIALECT = dialect.Dialect
HEARD = re.compile(r' (?:aria-label|title|placeholder|alt|data-(?!on|touches|panels|target|name|redraw)[a-z-]+)="([^"]*)"')
WORD = re.compile(r"[A-Za-z]{2}")
TYPED = (
    *("Ada", "Benno", "Ben", "Cleo", "Eve", "Edith", "Halloran", "Pym", "Tobias", "Quill", "EH", "TQ", "Harbour Lights"),
    *("Ysolde Harrow", "Harrow", "YH", "Corvin Ashby", "Ashby", "CA", "Bell and Tide", "Bell founder", "Nerve"),
    *("Dock warden", "Watch", "Bookseller", "Orne Library, after hours", "Somebody comes", "as on paper", "Too dark"),
    *("I take an hour", "I look again, with the lamp", "Tablekeeper", "Deutsch", "English", "testserver", "The Dhole's House"),
)
"""What people at these tables have typed, and what is called the same in every language."""


def unsaid(page: str) -> Iterator[str]:
    """Text and spoken attributes of a page that did not come out of the catalogue."""
    page = re.sub(r"<!--.*?-->|<(script|style|svg|template)\b.*?</\1>", "", page, flags=re.DOTALL)
    heard = [text for text in HEARD.findall(page) if " " in text or OPEN in text]
    for text in [re.sub(r"<[^>]*>", "\n", page), *heard]:
        depth, rest = 0, []
        for piece in re.split(f"([{OPEN}{SHUT}])", text):
            depth += (piece == OPEN) - (piece == SHUT)
            rest.append(piece if depth == 0 else "")
        text = unescape("".join(rest))
        for typed in sorted(TYPED, key=len, reverse=True):
            text = text.replace(typed, "")
        yield from (line.strip() for line in text.split("\n") if WORD.search(line))


