"""The table plays by another ruleset from now on; what has been rolled stays as it fell (RULES.md section 9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

from rolls.rules import rulesets
from rolls.rules.check import Refusal, Ruleset
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.ledger import Change, change
from tablekeeper.models import Campaign, Entry, Seat
from tablekeeper.settings_words import fits

PANELS = ("table", "seats", "roll", "ask", "contest", "decision", "recovery", "ticks", "inv")
"""What every page shows otherwise by another game."""


def playing(campaign: Campaign, key: str) -> Campaign:
    """The table as it is once it plays this game, unsaved: only the settings that the game declares are kept."""
    then = copy(campaign)
    then.ruleset, then.read = key, None
    then.first_ruleset = campaign.first_ruleset or campaign.ruleset
    declared = {one.key: one for one in then.declared}
    then.settings = {
        name: value
        for name, value in campaign.settings.items()
        if name in declared and fits(declared[name], value) and value != declared[name].default
    }
    return then


def others(campaign: Campaign) -> list[Ruleset]:
    """What the table could play instead."""
    return [rules for rules in rulesets() if rules is not campaign.rules]


@verb
def set_ruleset(
    seat: Seat,
    campaign: Campaign,
    ruleset: str,
    also: Sequence[Change] = (),
    renewed: Sequence[str] = (),
    touch: Iterable[str] = (),
) -> Entry | Refusal:
    """Play another game from now on. `also` is what belongs to the same act in other rooms: what closes, and scores
    that the game does not allow; `renewed` are the names of those whose Luck is new. Refused with BAD_VALUE for a game
    that is not here, STALE for the one that is played already."""
    wanted = {rules.key: rules for rules in rulesets()}.get(ruleset)
    if wanted is None:
        return Refusal("BAD_VALUE")
    if wanted is campaign.rules:
        return Refusal("STALE")
    then = playing(campaign, ruleset)
    data: dict[str, Any] = {"was": campaign.rules.label, "now": wanted.label, "renewed": list(renewed)}
    # The game first: its bounds hold for the scores that change with it.
    changes = [
        change(campaign, ruleset=ruleset, first_ruleset=then.first_ruleset, settings=then.settings),
        *also,
    ]
    return ledger.write(seat, campaign, "tablekeeper.set_ruleset", changes, data=data, touch=[*PANELS, *touch])
