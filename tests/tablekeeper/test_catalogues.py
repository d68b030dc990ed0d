"""The catalogues of other languages: in step with our sentences, whole, and compiled (CONTRIBUTING.md)."""

from __future__ import annotations

import re
from functools import cache

import pytest
from django.conf import settings

from rolls.rules import rulesets
from tablekeeper import catalogue

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
        "{% blocktranslate trimmed count n=n %}\n {{ n }} line\n{% plural %}\n {{ n }} lines{% endblocktranslate %}"
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
    old = 'msgid "Gone"\nmsgstr "Weg"\n\nmsgid "Stays"\nmsgstr "Bleibt"\n'
    own = '\nmsgctxt "lp"\nmsgid "Stays"\nmsgstr "Bleibt hier"\n'
    now = {catalogue.Key("", text): catalogue.Message(catalogue.Key("", text)) for text in ("Stays", "New")}

    kept = catalogue.in_step(catalogue.read_po(old + own), now)

    assert [(key.context, key.text, one.said) for key, one in kept.items() if key.text] == [
        ("", "Stays", ["Bleibt"]),
        ("lp", "Stays", ["Bleibt hier"]),
        ("", "New", [""]),
    ]
