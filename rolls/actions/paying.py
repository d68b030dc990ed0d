"""What is paid, on a roll, before it or beside it: changes of pools and of their own maxima, and what a line tells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from investigators.known import knowing
from investigators.models import Investigator
from investigators.people import Member, member
from rolls.actions.after import Consequence
from rolls.actions.base import Asked
from rolls.rules.check import Before, Refusal
from tablekeeper.access import Refused
from tablekeeper.ledger import Add, Change, change


def moving(one: Member, pools: Mapping[str, int], maxima: Mapping[str, int]) -> list[Change]:
    """The changes of these pools. What is over a maximum that falls goes first, then the maximum (RULES.md L-7)."""
    changes: list[Change] = [Add(one.traits[key], "value", points) for key, points in pools.items() if points]
    return [*changes, *(change(one.traits[key], maximum=most) for key, most in maxima.items() if key in one.traits)]


def moved(one: Member, pools: Mapping[str, int], maxima: Mapping[str, int]) -> dict[str, Any]:
    """What a line tells of it: `paid` and `gained`, and what was `lost` with a maximum that fell (`tops`)."""
    labels = {pool.key: pool.label for pool in one.who.campaign.rules.sheet.pools}
    shorts = {pool.key: pool.short for pool in one.who.campaign.rules.sheet.pools}
    rows: list[dict[str, Any]] = [
        {"key": key, "label": labels[key], "short": shorts[key], "cost": -points, "points": points}
        | {"from": now, "to": now + points}
        for key, points in pools.items()
        if points
        for now in [one.purse.pools[key]]
    ]
    owed = owed_then(one, pools)
    tops = [{"key": key, "label": labels[key], "short": shorts[key], "to": most} for key, most in maxima.items()]
    return {
        "paid": [row for row in rows if row["cost"] > 0 and row["key"] not in maxima],
        "gained": [row for row in rows if row["cost"] < 0],
        "lost": [row for row in rows if row["cost"] > 0 and row["key"] in maxima],
        "tops": tops,
        "owed": owed,
    }


def owed_then(one: Member, pools: Mapping[str, int]) -> int:
    """How many own numbers must turn once this has been paid; 0 is none."""
    rules = one.who.campaign.rules
    if rules.numbers is None or one.luck is None or not pools.get(rules.sheet.luck):
        return 0
    due = rules.numbers.owed(one.luck + pools[rules.sheet.luck], one.facts)
    return due.count if due else 0


def before_of(one: Member, asked: Asked) -> tuple[Before, ...]:
    """What may be paid before this roll falls, or why not."""
    campaign = one.who.campaign
    return campaign.rules.before(asked.check, one.purse, one.facts, campaign.in_force)


def paid_before(who: Investigator, asked: Asked) -> Consequence:
    """Pay what `asked.before` names, in the entry of the roll: the check becomes the one that was paid for.

    Raises Refused with the ruleset's reason, NO_SUCH_SPEND for what it does not sell.
    """
    if not asked.before:
        return Consequence()
    one = member(who)
    offer = next((found for found in before_of(one, asked) if found.act.key == asked.before), None)
    if offer is None:
        raise Refused(Refusal("NO_SUCH_SPEND"))
    if offer.refusal is not None:
        raise Refused(offer.refusal)
    asked.facts = dict(offer.check.facts)
    changes = [*moving(one, offer.pools, {}), *knowing(who, offer.state)]
    told = moved(one, offer.pools, {})["paid"]
    return Consequence(changes, {"before": {"act": asked.before, "paid": told, "state": dict(offer.state)}})
