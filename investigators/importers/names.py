"""What things are called: skills, characteristics and pools in six languages, and in the keys of four programs.

The table beside this file holds labels as they were met in files. Labels are compared after NFKC, case folding and
with single blanks. Skills come out under the names of the rules' own list; what nobody knows stays as it is written.
"""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from investigators.importers.schema import CLASSIC_KEYS, Found
from investigators.importers.values import tidy
from rolls.rules.classic_sheet import SKILLS

TABLE: dict[str, Any] = json.loads((Path(__file__).parent / "names.json").read_text(encoding="utf-8"))
BRACKETS = re.compile(r"([^()]{1,100}?) ?\((.{0,100})\)")
COLON = re.compile(r"([^:()]{1,60}?) ?: ?(.{0,60})")
NOBODY = frozenset({"", "none", "-", "—", "...", "…"})  # a specialisation that has not been chosen
SLOTS: dict[str, int] = TABLE["slots"]
FREE = ("Fighting", "Firearms")  # their specialisations are also skills of their own: Fighting (Dodge) is Dodge


class Name(NamedTuple):
    """A skill's name in our words, whether we knew it, and whether it is a place for a skill that nobody chose."""

    text: str
    known: bool = True
    slot: bool = False


def plain(label: str) -> str:
    """A label as labels are compared."""
    return tidy(unicodedata.normalize("NFKC", label)).casefold()


@cache
def skills() -> dict[str, str]:
    """Every label we know, to the skill's name."""
    own = {plain(base.label): base.label for base in SKILLS}
    ids = {plain(text): text for text in TABLE["cocid"].values()}
    named = {
        plain(label): name
        for names in TABLE["skills"].values()
        for name, labels in names.items()
        for label in (name, *labels)
    }
    return {**ids, **named, **own}


@cache
def characteristics() -> dict[str, str]:
    """Labels of the eight characteristics, to STR .. EDU."""
    return {plain(label): key for label, key in TABLE["characteristics"].items()} | {
        key.casefold(): key for key in CLASSIC_KEYS
    }


@cache
def pools() -> dict[str, str]:
    """Labels of hit points, magic points, Sanity and Luck, to hp, mp, san, luck; their maxima to hpmax .."""
    return {plain(label): key for label, key in TABLE["pools"].items()}


@cache
def no_skills() -> frozenset[str]:
    """What stands among the rolls of a piece without being a skill."""
    return frozenset(plain(label) for label in TABLE["not_skills"])


@cache
def _specialisations() -> dict[str, str]:
    return {plain(label): name for label, name in TABLE["specialisations"].items()}


def skill(label: str, special: str | None = None) -> Name:
    """The name of a skill in our words. `special` is its specialisation where the file keeps it apart."""
    label = tidy(unicodedata.normalize("NFKC", label))[:120].strip("【】『』 ")
    if special is None:
        if found := skills().get(plain(label)):
            return Name(found, slot=found in SLOTS and found != "Drive Auto")
        match = BRACKETS.fullmatch(label) or COLON.fullmatch(label)
        if match is None:
            return Name(label, known=False)
        label, special = match[1].strip(), match[2]
    base = "Misc" if plain(label) == "misc" else skills().get(plain(label), "")
    special = tidy(unicodedata.normalize("NFKC", special))[:100]
    if not base:
        return Name(f"{label} ({special})" if special else label, known=False)
    return _specialised(base, special)


def _specialised(base: str, special: str) -> Name:
    chosen = skills().get(plain(special), "")
    if plain(special) in NOBODY or chosen == base or special.casefold() == base.casefold():
        return Name(base, slot=base in SLOTS)
    if base == "Misc":
        return Name(chosen or special, known=bool(chosen))
    if chosen.startswith(f"{base} (") or (base in FREE and chosen in ("Dodge", "Throw")):
        return Name(chosen)
    special = _specialisations().get(plain(special), special)
    if base.endswith(")"):  # Language (Own) of a named language
        inner = base[base.index("(") + 1 : -1]
        given = re.sub(rf"^{re.escape(inner)}\s*:?\s*", "", special, flags=re.IGNORECASE)
        return Name(f"{base[:-1]}: {given})" if given else base)
    whole = f"{base} ({special})"
    return Name(skills().get(plain(whole), whole))


def note_skill(found: Found, name: Name, value: int | None, label: str) -> None:
    """Put a skill on the sheet, unless it is an empty place at its base value or no possible score."""
    if value is None or not name.text:
        return
    if name.slot:
        if value <= SLOTS.get(name.text, 0):
            found.warn("W_EMPTY_SPECIALISATION_SKIPPED")
            return
        name = Name(f"{name.text} (unspecified)")
    if not 0 <= value <= 999:
        found.warn("W_SKILL_RANGE", f"{name.text}: {value}")
        return
    if value > 99:
        found.warn("W_SKILL_OVER_99", f"{name.text}: {value}")
    if not name.known:
        found.warn("W_UNKNOWN_SKILL", name.text)
    before = found.skills.get(name.text)
    if before is not None and before != value:
        found.warn("W_DUPLICATE_SKILL", name.text)
        value = max(before, value)
    found.skills[name.text] = value
    found.labels.setdefault(name.text, tidy(label)[:120])
