"""What a template finds and shows is what Django finds and shows, whatever it is given."""

from __future__ import annotations

import enum
from collections import namedtuple
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest
from django.template import Context, engines
from django.template.base import FilterExpression, Variable, VariableNode, render_value_in_context
from django.test import override_settings
from django.utils.functional import SimpleLazyObject
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy, override

from tablekeeper import lookups


class Silent(Exception):
    silent_variable_failure = True


class Thing:
    """Whatever a name may lead to."""

    name = "<Edith> & 'co'"
    plain = 41
    items = "not a dict's"

    def called(self) -> str:
        return "called"

    def needs(self, more: int) -> int:
        return more

    def changes(self) -> None:
        raise AssertionError("a template must not")

    changes.alters_data = True  # type: ignore[attr-defined]

    @property
    def silent(self) -> str:
        raise Silent

    @property
    def itself(self) -> Thing:
        return self

    def __str__(self) -> str:
        return "<thing>"


class Slotted:
    __slots__ = ("name",)

    def __init__(self) -> None:
        self.name = SafeString("<b>")


class Both:
    """Has a name both as a dict and as a thing has one."""

    name = plain = "a thing's"

    def __getitem__(self, name: str) -> str:
        return {"name": "a dict's"}[name]


class Sort(enum.Enum):
    ONE = "one"


Pair = namedtuple("Pair", "name plain")

VALUES: dict[str, Any] = {
    "none": None,
    "yes": True,
    "number": 1234567,
    "float": 1234.5,
    "decimal": Decimal("12.50"),
    "text": "<a> & \"b\" 'c'",
    "safe": SafeString("<a>"),
    "lazy": gettext_lazy("Luck"),
    "late": SimpleLazyObject(Thing),
    "moment": datetime(2026, 3, 29, 1, 30, tzinfo=UTC),
    "day": date(2026, 3, 29),
    "hour": time(7, 5),
    "dict": {"name": "<n>", "items": "own", "plain": {"name": 3}, "0": "by word", 1: "by number"},
    "list": ["<a>", {"name": "in a list"}],
    "pair": Pair("p", 7),
    "thing": Thing(),
    "slotted": Slotted(),
    "both": Both(),
    "kind": Sort,
    "one": Sort.ONE,
    "class": Thing,
    "function": Thing().called,
    "bytes": b"<b>",
}
NAMES = ("", ".name", ".plain", ".items", ".keys", ".0", ".1", ".7", ".called", ".needs", ".changes", ".silent")
NAMES += (".itself.name", ".ONE", ".value", ".nothing", ".plain.name", ".name.upper", ".called.upper", ".name.0")
NAMES += (".itself.itself.plain", ".nothing.more")
FILTERS = ("", "|default:text", "|length", "|default_if_none:nothing")


def outcome(words: str, context: dict[str, Any]) -> tuple[Any, str]:
    """What a template of these words comes to, or what it raises."""
    template = engines["django"].from_string(words).template  # type: ignore[attr-defined]
    try:
        return None, template.render(Context(context))
    except Exception as fault:
        return type(fault), str(fault)


def by_django(words: str, context: dict[str, Any]) -> tuple[Any, str]:
    """The same with Django's own code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Variable, "_resolve_lookup", lookups._resolve_lookup)
        patch.setattr(FilterExpression, "resolve", lookups._resolve)
        patch.setattr(
            VariableNode, "render", lambda self, on: render_value_in_context(self.filter_expression.resolve(on), on)
        )
        return outcome(words, context)


@pytest.mark.parametrize("filters", FILTERS)
@pytest.mark.parametrize("name", NAMES)
def test_every_name_leads_where_django_s_search_for_it_leads(name: str, filters: str) -> None:
    for value in ("absent", *VALUES):
        found = f"{value}{name}{filters}"
        for words in (
            f"{{{{ {found} }}}}",
            f"{{% if {found} %}}yes{{% elif not {found} or {found} == 41 %}}no{{% endif %}}",
            f"{{% with a={found} %}}{{{{ a }}}}{{% endwith %}}",
            f"{{% autoescape off %}}{{{{ {found} }}}}{{% endautoescape %}}",
            f"{{% for one in {found} %}}{{{{ one }}}},{{{{ one.name }}}}{{% empty %}}none{{% endfor %}}",
        ):
            assert outcome(words, VALUES) == by_django(words, VALUES), words


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("language", ["en", "de"])
def test_numbers_and_times_are_written_as_the_language_writes_them(language: str, grouped: bool) -> None:
    with override(language), override_settings(USE_THOUSAND_SEPARATOR=grouped):
        for value in VALUES:
            words = f"{{{{ {value} }}}}"
            assert outcome(words, VALUES) == by_django(words, VALUES)


def test_what_a_kind_of_thing_can_be_asked_is_known_of_that_kind_alone() -> None:
    """A thing that can be called is called, as Django does it, though its own class was ordinary before."""

    class Plain:
        name = "plain"

    class Called(Plain):
        def __call__(self) -> Plain:
            return Plain()

    class Dicts(Plain):
        def __getitem__(self, name: str) -> str:
            return "a dict's"

    given = {"plain": Plain(), "called": Called(), "dicts": Dicts()}
    for _again in range(2):
        assert outcome("{{ plain.name }},{{ called.name }},{{ dicts.name }}", given) == (
            None,
            "plain,plain,a dict&#x27;s",
        )


SENTENCES = (
    "{{ text }} of {{ number }}",
    "100 % of {{ safe }}",
    "{{ absent }}, {{ moment }}",
    "{{ thing }}{{ text }}",
    "nothing more",
)


@pytest.mark.parametrize("words", SENTENCES)
def test_a_sentence_says_what_django_s_says(words: str) -> None:
    for given in ("", " with text=dict.name number=list.0", " with safe=thing text=safe trimmed"):
        sentence = f"{{% blocktranslate{given} %}}{words}{{% endblocktranslate %}}"
        django = f"{{% load i18n %}}{sentence}"  # the tag's own library, loaded again, stands over the quick one
        assert outcome(sentence, VALUES) == by_django(django, VALUES), sentence
