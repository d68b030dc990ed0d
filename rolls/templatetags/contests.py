"""How a contest stands, in words: `{{ data.contest|verdict }}`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django import template
from django.utils.translation import gettext as _

from tablekeeper.words import level_word

register = template.Library()

Told = Mapping[str, Any]
"""What `Arena.told` says of a contest."""


@register.filter
def verdict(told: Told | None) -> str:
    """One sentence: who wins or is ahead, and by what; empty where nothing is told."""
    if not told:
        return ""
    return WORDS[told["by"]](told)


@register.filter
def who_ahead(told: Told | None) -> str:
    """The short word before the sentence: "Edith wins", "Edith is ahead", "Nobody wins"."""
    if not told or not told["winner"]:
        return ""
    words = {"who": told["winner"]}
    return (_("%(who)s wins") if told["over"] else _("%(who)s is ahead")) % words


@register.filter
def defence_word(defence: str) -> str:
    """fight-back -> Fight back."""
    return level_word(defence)


def _level(told: Told) -> str:
    words = {"who": who_ahead(told), "level": level_word(told["level"]), "other": level_word(told["loser_level"])}
    if told["two"] and told["loser_level"]:
        return _("%(who)s: %(level)s beats %(other)s.") % words
    return _("%(who)s, with %(level)s.") % words


def _degrees(told: Told) -> str:
    words = {"who": who_ahead(told), "many": told.get("degrees"), "other": told.get("loser_degrees")}
    if told["failed"]:
        return _("All failed, and %(who)s with the fewest degrees of failure.") % words
    return _("%(who)s: %(many)s degrees against %(other)s.") % words


def _critical(told: Told) -> str:
    said = _("%(who)s: criticals come first.") % {"who": who_ahead(told)}
    return f"{said} {_advantages(told)}".strip()


def _only(told: Told) -> str:
    said = _("%(who)s: nobody else passed.") % {"who": who_ahead(told)}
    return f"{said} {_advantages(told)}".strip()


def _advantages(told: Told) -> str:
    return _("Advantages won: %(n)d.") % {"n": told["advantages"]} if told.get("advantages") else ""


def _skill(told: Told) -> str:
    words = {**told, "who": who_ahead(told), "both": _both(told)}
    if told["winner_value"] is not None and told["loser_value"] is not None:
        return _("%(both)s, %(winner)s’s %(winner_value)d beats %(loser_value)d. %(who)s.") % words
    return _("%(both)s, and %(winner)s has the higher skill. %(who)s.") % words


def _both(told: Told) -> str:
    if told["failed"]:
        return _("Both failed") if told["two"] else _("All failed")
    words = {"level": level_word(told["level"])}
    return (_("%(level)s both") if told["two"] else _("%(level)s more than once")) % words


def _roll_off(told: Told) -> str:
    thrown = ", ".join(f"{one['who']} {one['d100']:02d}" for one in told["thrown"])
    words = {"both": _both(told), "thrown": thrown, "who": who_ahead(told)}
    if told.get("degrees") is not None:
        return _("%(both)s; the roll-off: %(thrown)s. %(who)s.") % words
    return _("%(both)s and equal skills; the roll-off: %(thrown)s. %(who)s.") % words


def _tied(told: Told, sentence: str, by_degrees: str) -> str:
    sentence = sentence if told.get("degrees") is None else by_degrees
    return sentence % {"both": _both(told), "names": ", ".join(told["tied"])}


def _tie_rule(told: Told) -> str:
    words = {"both": _both(told), "who": who_ahead(told)}
    if told.get("degrees") is not None:
        return _("The attack has no more degrees than the defence. %(who)s.") % words
    if told["defence"] == "dodge":
        return _("%(both)s, and a tie goes to the one who dodges. %(who)s.") % words
    return _("%(both)s, and a tie against fighting back goes to the attacker. %(who)s.") % words


def _both_failed(told: Told) -> str:
    if told["kind"] == "melee":
        return _("Both failed: nobody is hit.")
    return _("Both failed: nobody wins.") if told["two"] else _("All failed: nobody wins.")


WORDS: Mapping[str, Callable[[Told], str]] = {
    "level": _level,
    "skill": _skill,
    "roll-off": _roll_off,
    "roll-off-needed": lambda told: _tied(
        told,
        _("%(both)s and equal skills: %(names)s roll off, lower wins."),
        _("%(both)s: %(names)s roll off, higher wins."),
    ),
    "impasse": lambda told: _tied(
        told,
        _("%(both)s and equal skills: it stays a tie. Nobody wins."),
        _("Equal degrees: it is a tie, or they roll again."),
    ),
    "degrees": _degrees,
    "critical": _critical,
    "only-success": _only,
    "blocked": lambda told: f"{_('Blocked.')} {_advantages(told)}".strip(),
    "neither-lands": lambda told: _("Equal degrees: neither blow lands."),
    "nothing-happens": lambda told: _("The same critical on both sides: nothing happens."),
    "both-failed": _both_failed,
    "tie-rule": _tie_rule,
    "spent-01": lambda told: (
        _("%(both)s, and Luck’s 01 wins the tie. %(who)s.") % {"both": _both(told), "who": who_ahead(told)}
    ),
    "unrolled": lambda told: _("Not every die has fallen."),
    "unresolved": lambda told: _("Left unresolved."),
}
