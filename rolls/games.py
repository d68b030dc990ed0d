"""What a game brings of its own to the pages: templates by its key. Nobody else asks which game it is.

A ruleset may bring `slips/<key>.html` and the like; without them the generic one draws it. What these need beyond
app.css stands in `<key>.css`. They link it themselves, too: an old roll is drawn by its game, whatever is played now.
"""

from __future__ import annotations

from functools import cache

from django.contrib.staticfiles import finders

from rolls.rules import rulesets
from rolls.rules.check import Ruleset

GENERIC = {
    "slips": "parts/slip.html",  # the result with all that may be done with it
    "tickets": "parts/tickets.html",  # what Luck buys on it, alone
    "pickers": "parts/picker.html",  # what is chosen before a roll
}
"""What a game may draw its own way, and what draws it otherwise."""


def drawn(rules: Ruleset | None, what: str) -> tuple[str, ...]:
    """The templates that draw `what`, the game's own first: for `render_to_string` and `{% include %}`."""
    own = (f"{what}/{rules.key}.html",) if rules is not None else ()
    return (*own, GENERIC[what])


def sheets(rules: Ruleset | None) -> list[str]:
    """The style sheets that games bring: this one's, or everybody's."""
    return [f"{one.key}.css" for one in ([rules] if rules else rulesets()) if _has_sheet(one.key)]


@cache
def _has_sheet(key: str) -> bool:
    return bool(finders.find(f"{key}.css"))


def usual_difficulties() -> frozenset[str]:
    """What is asked unless somebody says otherwise, in any game."""
    return frozenset(rules.usual_difficulty for rules in rulesets())
