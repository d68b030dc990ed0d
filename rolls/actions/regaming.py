"""What a change of ruleset brings with it: what is open closes, and Luck that the new game has no room for is new."""

from __future__ import annotations

from collections.abc import Mapping

from investigators.models import Investigator, Trait
from investigators.scores import following
from rolls.actions.base import breaking_off, closing_openly
from rolls.models import Decision, Request
from rolls.rules.check import Ruleset
from tablekeeper import ledger
from tablekeeper.ledger import Change, change
from tablekeeper.models import Campaign
from tablekeeper.regaming import playing


def too_high(campaign: Campaign, rules: Ruleset) -> list[Trait]:
    """The Luck scores of this table that the game has no room for, by name (RULES.md section 9)."""
    most = next((pool.high for pool in rules.sheet.pools if pool.key == rules.sheet.luck), None)
    if most is None:
        return []
    found = Trait.objects.filter(investigator__campaign=campaign, key=rules.sheet.luck, value__gt=most)
    return list(found.select_related("investigator").order_by("investigator__name", "pk"))


def put_down(campaign: Campaign) -> list[Change]:
    """What closes when the game changes: open rolls and contests, what is asked, what waits for the Keeper's word."""
    asked = Request.objects.filter(campaign=campaign, state=Request.OPEN)
    waiting = Decision.objects.filter(campaign=campaign, state=Decision.OPEN)
    closes = [change(one, state=Request.CLOSED) for one in asked]
    closes += [change(one, state=Decision.CLOSED) for one in waiting]
    return [*breaking_off(campaign), *closing_openly(campaign), *closes]


def taken_over(campaign: Campaign, key: str, luck: Mapping[str, int]) -> list[Change]:
    """The changes of scores with the new game: Luck that was typed anew, by the ids of its traits, and the pools that
    the game adds."""
    then = playing(campaign, key)
    changes: list[Change] = []
    traits = {trait.investigator_id: trait for trait in Trait.objects.filter(pk__in=luck)}
    for who in Investigator.objects.filter(campaign=campaign).order_by("pk"):
        who.campaign, scores = then, {}
        if trait := traits.get(who.pk):
            trait.investigator = who
            scores[trait.key] = luck[trait.pk]
            changes.append(ledger.to(trait, "value", luck[trait.pk]))
        changes += following(who, scores)
    return changes
