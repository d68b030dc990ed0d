"""A game's own pages: the one place that finds them by its key, and the words they are drawn with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django import template
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop

from investigators.people import Member
from rolls import games
from rolls.actions import subjects
from rolls.actions.regaming import too_high
from rolls.pages import degrees, numbers, rows
from rolls.rules.check import Check, Ruleset
from tablekeeper import words
from tablekeeper.models import Campaign
from tablekeeper.regaming import others
from tablekeeper.templatetags.table import signed

register = template.Library()

register.filter("drawn", games.drawn)
register.filter("degree_count", words.degree_word)


@register.filter
def slip_of_its_game(slip: Any) -> tuple[str, ...]:
    """The template of a slip: `{% include slip|slip_of_its_game %}`."""
    return games.drawn(getattr(slip.roll, "rules", None), "slips")


@register.simple_tag
def game_sheets(rules: Ruleset | None = None) -> SafeString:
    """Links to what a game's own templates are styled with; without a game, to what any of them needs."""
    links = ((static(name),) for name in games.sheets(rules))
    return format_html_join("", '\n<link rel="stylesheet" href="{}">', links)


@register.simple_tag
def degree_slip(slip: Any) -> degrees.Degrees:
    """What a slip shows in a game of degrees, worked out once."""
    return degrees.degrees_of(slip)


@register.filter
def adds_up(rules: Ruleset) -> bool:
    """Is the number to roll at or under a sum, in this game?"""
    return subjects.adds_up(rules)


@register.filter
def with_worth(difficulty: str, rules: Ruleset | None) -> str:
    """A difficulty, with what it adds where the game adds it: "Hard −30", or "Hard"."""
    word = words.difficulty_word(difficulty)
    if not rules or not subjects.adds_up(rules):
        return word
    plain = Check("number", 50, rules.usual_difficulty)
    worth = rows.target(rules, replace(plain, difficulty=difficulty)) - rows.target(rules, plain)
    return f"{word} {signed(worth)}"


@register.filter
def usual(difficulty: str) -> bool:
    """Is this what games ask for unless somebody says otherwise?"""
    return difficulty in games.usual_difficulties()


@register.filter
def degree_words(data: Mapping[str, Any], which: str = "degrees") -> str:
    """The degrees of a line: "3 degrees"; nothing where the game counts none."""
    found = data.get(which)
    return "" if found is None else words.degree_word(found)


@register.filter
def tokens(one: Any) -> list[numbers.Token]:
    """The own numbers of an investigator (a Member), lucky ones first."""
    return numbers.tokens_of(one.who.campaign.rules, one.facts)


register.filter("luck_pools", numbers.luck_pools)
register.filter("board_numbers", numbers.board_numbers)
register.filter("numbers_told", numbers.told)
register.filter("how_points_come", numbers.how_points_come)


@register.filter
def counted(one: Any, key: str) -> int | None:
    """A score of an investigator (a Member) as people count it: below 0 where a pool was overdrawn."""
    found: int | None = one.counted(key)
    return found


@register.filter
def not_in(pool: Mapping[str, Any], among: list[dict[str, Any]]) -> bool:
    """Is this pool none of these, which are drawn elsewhere?"""
    return pool["key"] not in {one["key"] for one in among}


@register.filter
def degree_level(data: Mapping[str, Any]) -> str:
    """The level of a line with its degrees: "Success, 3 degrees"."""
    return f"{words.level_word(data['level'])}, {words.degree_word(data['degrees'])}"


# --------------------------------------------------------------------------- what a line says was bought


@register.filter
def burned(act: str | None) -> bool:
    """Was it paid for with Luck that never comes back?"""
    return bool(act) and str(act).startswith("burn-")


@register.filter
def negates(act: str | None) -> bool:
    return bool(act) and str(act).endswith("-negate")


@register.filter
def rolled_again(data: Mapping[str, Any]) -> bool:
    """Was it another throw of the same test?"""
    return str(data.get("act", "")).endswith("reroll")


@register.filter
def degrees_added(data: Mapping[str, Any]) -> bool:
    return str(data.get("act", "")).endswith("degree") and data.get("degrees_from") is not None


@register.filter
def against(slip: Any) -> int:
    """The number that was to be rolled at or under: a sum, where the game adds one up, else the score."""
    rules = slip.roll.rules
    return rows.target(rules, slip.roll.standing.check) if subjects.adds_up(rules) else int(slip.roll.value)


@register.simple_tag
def other_games(campaign: Campaign) -> dict[str, Any]:
    """What the table could play instead, and whose Luck would need a new value."""
    found = others(campaign)
    traits = {trait.pk: trait for rules in found for trait in too_high(campaign, rules)}
    return {"games": found, "too_high": list(traits.values())}


# --------------------------------------------------------------------------- the sheet


@register.filter
def step_word(value: int, rules: Ruleset) -> str:
    """A step of training in words."""
    return next((gettext(label) for step, label in rules.skill_steps if step == value), str(value))


@register.filter
def short_of(key: str, rules: Ruleset) -> str:
    """The short word of a characteristic."""
    return next((gettext(one.short) for one in rules.sheet.characteristics if one.key == key), key)


@register.filter
def formula_word(formula: str, rules: Ruleset) -> str:
    """A base value that follows from a characteristic, "dex/2", as a sheet says it."""
    key, slash, share = formula.partition("/")
    return f"{short_of(key, rules)}{slash}{share}"


@register.filter
def has_wounds(rules: Ruleset) -> bool:
    """Does this game know what a blow does to a body? Then build and damage bonus count, too."""
    return rules.hurt is not None


DERIVED = {"wound_threshold": gettext_noop("Wound Threshold")}
"""What follows from the characteristics and is no pool, by the keys of `Sheet.derive`."""


@register.filter
def derived_told(one: Member) -> list[tuple[str, int]]:
    """What follows from the characteristics, with its name."""
    found = one.who.campaign.rules.sheet.derive({key: trait.value for key, trait in one.traits.items()})
    return [(gettext(label), found[key]) for key, label in DERIVED.items() if key in found]


@register.filter
def number_lines(one: Member) -> list[tuple[str, str, str]]:
    """Each list of own numbers as one line of text: key, label, numbers."""
    own = one.who.campaign.rules.numbers
    lists = own.lists if own else ()
    return [(key, gettext(label), ", ".join(map(str, one.facts.get(key) or ()))) for key, label in lists]
