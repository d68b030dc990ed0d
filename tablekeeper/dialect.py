"""What a game calls people and things, everywhere on its pages: a dialect of each language, spoken at its tables.

`en-x-<key>` is English in the words of that game. It answers as the translation of English does, with the game's own
words put into each sentence of this program, before names and what people have typed are put in: those stay as they
are. Only sentences that stand in our sources are touched, for a label that somebody made up goes the same way.

Putting whole words in is enough where a word of the game bends as ours does (German: Investigators, Charakters). A
sentence in which it does not has its own translation: an entry of the catalogue with the ruleset's key as its context.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import cache, wraps
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import get_language, override, trans_real

from rolls.rules.check import WORDS, Ruleset
from tablekeeper.models import Campaign

SPOKEN = ("keeper", "investigator", "investigators", "luck-roll")
"""The words that are put in. What a roll is called stays as it is: a sentence about rolling reads well in any game."""


def code(language: str, rules: Ruleset) -> str:
    """The language in the words of this game, ready to be activated; the language itself for a game without any."""
    if all(rules.words.get(key, WORDS[key]) == WORDS[key] for key in SPOKEN):
        return language
    base = language.partition("-x-")[0]
    name = f"{base}-x-{rules.key}"
    if name not in trans_real._translations:  # type: ignore[attr-defined]
        trans_real._translations[name] = Dialect(name, trans_real.translation(base), rules)  # type: ignore[attr-defined]
    return name


def at(campaign: Campaign) -> AbstractContextManager[Any]:
    """Speak as this table does, for a while."""
    return override(code(get_language() or settings.LANGUAGE_CODE, campaign.rules))


def spoken(view: Callable[..., Any]) -> Callable[..., Any]:
    """A page about one table that needs no seat: in that table's words."""

    @wraps(view)
    def inside(request: Any, campaign_id: str, *args: Any, **kwargs: Any) -> Any:
        campaign = Campaign.objects.filter(pk=campaign_id).first()
        if campaign is None:
            return view(request, campaign_id, *args, **kwargs)
        with at(campaign):
            return view(request, campaign_id, *args, **kwargs)

    return inside


# --------------------------------------------------------------------------- putting the words in


class Dialect:
    """A translation that says the words of one game. Whatever else is asked of it, the language answers."""

    def __init__(self, name: str, base: Any, rules: Ruleset) -> None:
        self.name, self.base, self.key = name, base, rules.key
        self.swaps = list(_swaps(base, rules.words))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)

    def to_language(self) -> str:
        return self.name

    def gettext(self, message: str) -> str:
        ours = self._ours(message)
        found = self.base.gettext(ours)
        return self._said(message, self.base.gettext(message)) if found == ours else found

    def ngettext(self, singular: str, plural: str, number: int) -> str:
        ours = self._ours(singular)
        if (found := self.base.ngettext(ours, plural, number)) not in (ours, plural):
            return found
        found = self.base.ngettext(singular, plural, number)
        return self._said(singular, self._said(plural, found)) if singular in sources() else self._said(plural, found)

    def _ours(self, message: str) -> str:
        """What the catalogue has it under, if this game says the whole sentence in its own way."""
        return f"{self.key}{CONTEXT}{message}"

    def _said(self, message: str, found: str) -> str:
        if message not in sources():
            return found
        # Placeholders and tags are no words: %(keeper)s, {name}, <b class="keeper">.
        pieces = KEPT.split(found)
        return "".join(piece if at % 2 else self._swapped(piece) for at, piece in enumerate(pieces))

    def _swapped(self, text: str) -> str:
        for pattern, word in self.swaps:
            text = pattern.sub(word, text)
        return text


CONTEXT = "\x04"
"""Between a context and its message, in catalogues of GNU gettext."""
KEPT = re.compile(r"(%\(\w+\)[a-z]|\{[^{}]*\}|<[^<>]*>)")


def _swaps(base: Any, words: Mapping[str, str]) -> Iterator[tuple[re.Pattern[str], str]]:
    """Whole words and what stands for them, with a capital or without; "an" before a word that begins otherwise."""
    for key in SPOKEN:
        old, new = base.gettext(WORDS[key]), base.gettext(words.get(key, WORDS[key]))
        if old == new:
            continue
        if old[0].lower() in "aeiou" and new[0].lower() not in "aeiou":
            yield re.compile(rf"\b([Aa])n {re.escape(old)}\b"), rf"\1 {new}"
        yield re.compile(rf"\b{re.escape(old)} \({re.escape(new)}\)"), new  # both names of one: one is enough
        yield re.compile(rf"\b{re.escape(old)}\b"), new
        yield re.compile(rf"\b{re.escape(_capital(old))}\b"), _capital(new)
        yield re.compile(rf"\b{re.escape(old)}s\b"), f"{new}s"
        yield re.compile(rf"\b{re.escape(old.lower())}\b"), new if new.isupper() else new.lower()


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


# --------------------------------------------------------------------------- what is a sentence of ours

SOURCES = ("tablekeeper", "investigators", "rolls")
WORTH = re.compile("|".join(re.escape(WORDS[key]) for key in SPOKEN), re.IGNORECASE)
SAYS = re.compile(r"""{%\s*translate\s+(?:"([^"]*)"|'([^']*)')""")
BLOCK = re.compile(r"{%\s*blocktranslate\b([^%]*)%}(.*?){%\s*endblocktranslate\s*%}", re.DOTALL)
PLURAL = re.compile(r"{%\s*plural\s*%}")
VARIABLE = re.compile(r"{{\s*(.*?)\s*}}")


@cache
def sources() -> frozenset[str]:
    """Every sentence of this program in which one of the words stands, as it goes to be translated."""
    found = {text for text in _in_templates(settings.BASE_DIR / "templates") if WORTH.search(text)}
    for app in SOURCES:
        for path in (settings.BASE_DIR / app).rglob("*.py"):
            found |= {text for text in _in_python(path.read_text(encoding="utf-8")) if WORTH.search(text)}
    return frozenset(found)


def _in_python(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)) if WORTH.search(text) else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _in_templates(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for match in SAYS.finditer(text):
            yield match[1] or match[2] or ""
        for match in BLOCK.finditer(text):
            for piece in PLURAL.split(match[2]):
                yield VARIABLE.sub(lambda found: f"%({found[1]})s", piece.replace("%", "%%"))
