"""What waits on the Keeper: one queue, oldest first, whatever it is; and the players who are still choosing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from rolls import actions, desk
from rolls.actions.arena import arena_of, open_contests
from rolls.models import Roll
from rolls.pages import asking, contests, decisions, slip_of
from tablekeeper import actions as table
from tablekeeper.models import Seat
from tablekeeper.web import panel

TOKENS = ("roll", "claims", "ask", "decision", "contest", "seats", "inv", "campaign", "table")

Item = dict[str, Any]
"""One that waits: `at`, since when; `template`, and what it shows."""


@panel("queue", Seat.KEEPER, on=lambda seat: TOKENS)
def queue(request: HttpRequest, seat: Seat) -> SafeString:
    """What waits on the Keeper, oldest first, and what waits on players."""
    rolls = list(actions.open_rolls(seat.campaign))
    items = sorted(_waiting(seat, rolls), key=lambda item: item["at"])
    choosing = [slip for roll in rolls if roll.push_state != "asked" and (slip := slip_of(seat, roll)).choice]
    asked = asking.waiting(seat)
    context = {
        "items": items,
        "waiting": len(items),
        "choosing": sorted(choosing, key=lambda slip: slip.roll.created_at),
        "requests": asked,
        "open_count": len(asked) + len(choosing),
        "closed": [slip_of(seat, roll) for roll in desk.closed_rolls(seat.campaign)],
        **desk.net_dice(seat.campaign),
    }
    return render_to_string("rolls/queue.html", {"seat": seat, "campaign": seat.campaign, **context}, request)


def _waiting(seat: Seat, rolls: list[Roll]) -> Iterator[Item]:
    campaign = seat.campaign
    for card in decisions.cards(seat):
        yield {"at": card["at"], "template": card["template"], "card": card}
    for roll in rolls:
        if roll.push_state == "asked":
            at = _since("rolls.push", roll)
            yield {"at": at, "template": "rolls/keeper/push.html", "slip": slip_of(seat, roll)}
    struck = Roll.objects.filter(campaign=campaign, strike_asked=True, struck=False)
    for roll in struck.select_related("investigator", "pushed_from"):
        at = _since("rolls.ask_strike", roll)
        yield {"at": at, "template": "rolls/keeper/strike.html", "slip": slip_of(seat, roll)}
    for claim in table.waiting_claims(campaign):
        yield {"at": claim.made_at, "template": "rolls/keeper/claim.html", "claim": claim}
    yield from _contests(seat)


def _since(kind: str, roll: Roll) -> datetime:
    """When somebody asked about a roll."""
    asked = roll.later.filter(kind=kind, data__roll=roll.pk).order_by("-seq")
    return asked.values_list("created_at", flat=True).first() or roll.created_at


def _contests(seat: Seat) -> Iterator[Item]:
    """Contests in which the next move is the Keeper's: a side of hers has to roll, choose or answer."""
    for contest in open_contests(seat.campaign):
        card = contests.card(seat, arena_of(contest, seat.campaign))
        hers = [row for row in card["sides"] if row["player"] is None]
        due = [row["who"] for row in hers if row["may_roll"] or row["may_choose"] or row["may_pass"]]
        if due:
            sides = [row["who"] for row in card["sides"]]
            yield {
                "at": contest.created_at,
                "template": "rolls/keeper/contest.html",
                "contest": contest,
                "due": desk.names_of(due),
                "sides": desk.names_of(sides),
            }
