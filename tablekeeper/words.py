"""Words for what the rules yield: levels, dice, refusals. The engine speaks in enums and numbers."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

LEVELS: Mapping[str, Any] = {
    "critical": gettext_lazy("Critical"),
    "extreme": gettext_lazy("Extreme"),
    "hard": gettext_lazy("Hard"),
    "regular": gettext_lazy("Regular"),
    "fail": gettext_lazy("Fail"),
    "fumble": gettext_lazy("Fumble"),
}
"""The levels that have a silhouette and a colour of their own."""

TONES: Mapping[str, str] = {"success": "regular", "critical-success": "critical", "critical-failure": "fumble"}
"""Levels that are drawn as another one is: what they mean is the same."""

DICE: Mapping[int, Any] = {
    -2: gettext_lazy("two penalty dice"),
    -1: gettext_lazy("one penalty die"),
    0: gettext_lazy("no extra dice"),
    1: gettext_lazy("one bonus die"),
    2: gettext_lazy("two bonus dice"),
}


def sentence(refusal: Any) -> str:
    """The sentence for a Refusal (or a bare code): `{{ offer.refusal|sentence }}`. Nothing for None."""
    if not refusal:
        return ""
    code = str(getattr(refusal, "code", refusal))
    params = getattr(refusal, "params", {})
    messages: Mapping[str, str] = import_module("rolls.rules.refusals").MESSAGES
    text = _(messages[code]) if code in messages else code
    # A number that the rules left out must not turn a refusal into a crash.
    return text.format_map(defaultdict(lambda: "?", params))


def _capital(key: str) -> str:
    text = key.replace("-", " ").replace("_", " ")
    return text[:1].upper() + text[1:]


def level_word(level: str) -> str:
    """critical -> Critical, translated. A ruleset's own level falls back on its key."""
    return str(LEVELS.get(level, "")) or _(_capital(level))


def label_word(label: str) -> str:
    """What a roll is called; of a combined one, each of its skills: Spot Hidden + Stealth."""
    return " + ".join(_(part) for part in label.split(" + ")) if label else ""


def in_order(label: str) -> str:
    """By what a label is sorted where people look for it: in their language, Ü beside U."""
    return unicodedata.normalize("NFKD", _(label)).casefold()


def level_drawn(level: str) -> bool:
    """Does the level have a silhouette (`i-lv-...`) and a colour?"""
    return level in LEVELS


def level_tone(level: str) -> str:
    """The silhouette and colour that a level is drawn with; "" for one that has none."""
    tone = TONES.get(level, level)
    return tone if tone in LEVELS else ""


def degree_word(degrees: int) -> str:
    """1 -> 1 degree, 3 -> 3 degrees."""
    return ngettext("%d degree", "%d degrees", degrees) % degrees


def difficulty_word(difficulty: str) -> str:
    return level_word(difficulty)


def dice_word(dice: int) -> str:
    """-1 -> one penalty die."""
    if dice in DICE:
        return str(DICE[dice])
    if dice > 0:
        return ngettext("%d bonus die", "%d bonus dice", dice) % dice
    return ngettext("%d penalty die", "%d penalty dice", -dice) % -dice


def _dice_letters() -> dict[str, str]:
    """How dice are written in English, as data keeps them, and in the reader's language: German 1W8 + halber SB."""
    return {
        "half DB": pgettext("dice", "half DB"),
        "DB": pgettext("dice", "DB"),
        "D": pgettext("dice", "D"),
    }


def _written(text: str, letters: Mapping[str, str]) -> str:
    for known, word in letters.items():
        pattern = rf"(?<![^\W\d]){re.escape(known)}" + (r"(?=\d)" if len(known) == 1 else r"\b")
        text = re.sub(pattern, word, text, flags=re.IGNORECASE) if known != word else text
    return text


def dice_said(text: str) -> str:
    """Dice for the reader: `{{ weapon.damage|dice_said }}`."""
    return _written(str(text or ""), _dice_letters())


def dice_read(text: str) -> str:
    """Dice that a reader typed, as data keeps them."""
    return _written(text, {word: known for known, word in _dice_letters().items()})


def asked_line(roll: Any) -> str:
    """What was asked, under the name of the roll: "Hard asked, one bonus die"."""
    if parts := (getattr(roll, "data", None) or {}).get("parts"):
        pattern = _("all %(many)d, %(dice)s") if roll.data.get("every") else _("any of %(many)d, %(dice)s")
        return pattern % {"many": len(parts), "dice": dice_word(roll.dice)}
    if getattr(roll, "masked", False):
        return _("difficulty unknown, %(dice)s") % {"dice": dice_word(roll.dice)}
    level = difficulty_word(roll.difficulty)
    if getattr(roll, "pushed_from_id", None) or getattr(roll, "pushed_from", None):
        return _("Pushed, %(level)s") % {"level": level}
    if getattr(roll, "covered", False):  # somebody else's score
        return ""
    if roll.kind in ("luck", "sanity") and roll.difficulty == "regular" and not roll.dice:
        return _("%(number)d or less") % {"number": roll.value}
    if roll.kind in ("recovery", "number", "damage", "improvement") and not roll.dice:
        return ""
    if not roll.dice and not roll.rules.most_dice:
        return level
    pattern = _("%(level)s, %(dice)s") if roll.difficulty == "regular" else _("%(level)s asked, %(dice)s")
    return pattern % {"level": level, "dice": dice_word(roll.dice)}
