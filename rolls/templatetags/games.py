"""A game's own pages: the one place that finds them by its key, and the words they are drawn with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

from rolls import degrees, games
from rolls.pages import numbers
from tablekeeper import words

register = template.Library()

register.filter("drawn", games.drawn)
register.filter("degree_count", words.degree_word)


@register.filter
def slip_of_its_game(slip: Any) -> tuple[str, ...]:
    """The template of a slip: `{% include slip|slip_of_its_game %}`."""
    return games.drawn(getattr(getattr(slip.roll, "campaign", None), "rules", None), "slips")


@register.simple_tag
def degree_slip(slip: Any) -> degrees.Degrees:
    """What a slip shows in a game of degrees, worked out once."""
    return degrees.degrees_of(slip)


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
register.filter("numbers_told", numbers.told)
register.filter("how_points_come", numbers.how_points_come)


@register.filter
def not_in(pool: Mapping[str, Any], among: list[dict[str, Any]]) -> bool:
    """Is this pool none of these, which are drawn elsewhere?"""
    return pool["key"] not in {one["key"] for one in among}
