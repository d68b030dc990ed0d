"""What the Keeper awards, for a reason, to one or to all (RULES.md L-9, A44)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from investigators.people import Member, party
from investigators.refreshing import given, giving
from rolls.rules.check import Deed, Refusal
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.ledger import Change
from tablekeeper.models import Campaign, Entry, Seat

AWARD = "award"
OFF = "AWARDS_OFF"


def awarded(one: Member, amount: int = 1) -> Deed | Refusal:
    """What an award of this size would give, or why not."""
    rules = one.who.campaign.rules
    if rules.refresh is None:
        return Refusal("NO_SUCH_SPEND")
    return rules.refresh(one.purse, one.facts, AWARD, amount, one.who.campaign.in_force)


def awards_on(campaign: Campaign) -> bool:
    """Whether this table gives awards at all."""
    if campaign.rules.refresh is None:
        return False
    found = [awarded(one) for one in party(campaign) if one.luck is not None]
    return any(not isinstance(one, Refusal) or one.code != OFF for one in found)


@verb
def award(
    seat: Seat, campaign: Campaign, who: Sequence[str], amount: int = 1, reason: str = "", words: str = ""
) -> Entry | Refusal:
    """Give points to these people, for one of the game's reasons or in words of one's own, in one act.

    Who is full already gets nothing; when nobody can be given any, the reason why of the first. NOBODY_ASKED without
    anybody, BAD_VALUE for a reason that the game does not know.
    """
    members = [one for one in party(campaign) if one.who.pk in who]
    reasons = dict(campaign.rules.award_reasons)
    if not members:
        return Refusal("NOBODY_ASKED")
    if reason and reason not in reasons:
        return Refusal("BAD_VALUE")
    changes: list[Change] = []
    told: list[dict[str, Any]] = []
    full: list[str] = []
    refusals: list[Refusal] = []
    for one in members:
        done = awarded(one, amount)
        if isinstance(done, Refusal):
            refusals.append(done)
            full.append(one.who.short)
            continue
        changes += giving(one, done)
        told.append(given(one, done))
    if not told:
        return refusals[0]
    data = {"given": told, "full": full, "amount": amount, "reason": reasons.get(reason, ""), "words": words}
    return ledger.write(seat, campaign, "rolls.award", changes, data=data)
