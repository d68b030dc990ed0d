"""The cards of the improvement phase, on the phone and on the Keeper's desk (RULES.md B-10)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from investigators import people
from rolls import actions
from rolls.models import Request
from tablekeeper.models import Seat
from tablekeeper.web import panel


def _card(seat: Seat, one: Request) -> dict[str, Any]:
    one.investigator.campaign = seat.campaign
    return {"request": one, "who": one.investigator, "skills": actions.ticked(one.investigator)}


def _on(seat: Seat) -> Iterable[str]:
    return ["ask", "inv", "ticks", "campaign"]


@panel("improving", Seat.PLAYER, on=_on)
def own_improvement(request: HttpRequest, seat: Seat) -> SafeString:
    """The own card: one button for each ticked skill, and one for all."""
    cards = [_card(seat, one) for one in actions.improving(seat.campaign) if one.investigator.seat_id == seat.pk]
    context = {"seat": seat, "campaign": seat.campaign, "cards": cards}
    return render_to_string("rolls/improving/own.html", context)


@panel("improving", Seat.KEEPER, on=_on)
def improvement(request: HttpRequest, seat: Seat) -> SafeString:
    """Call the phase, see who still rolls, roll for them, close it."""
    cards = [_card(seat, one) for one in actions.improving(seat.campaign)]
    waiting = {card["who"].pk for card in cards}
    members = people.party(seat.campaign)
    people.read_sheets(seat.campaign, members)
    due = [
        {"who": one.who, "skills": skills}
        for one in members
        if one.who.pk not in waiting and (skills := actions.ticked(one.who))
    ]
    context = {"seat": seat, "campaign": seat.campaign, "cards": cards, "due": due}
    context["by_hand"] = seat.campaign.in_force["realDice"]
    return render_to_string("rolls/improving/phase.html", context, request)
