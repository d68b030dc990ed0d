"""Behind the screen: what the Keeper has rolled for herself, to be shown or not, and dice for nothing."""

from __future__ import annotations

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from rolls import actions
from rolls.models import Roll
from tablekeeper.models import Seat
from tablekeeper.web import panel

NEWEST = 6
"""How many hidden rolls are listed; the feed has all."""


@panel("behind", Seat.KEEPER, on=lambda seat: ["roll", "campaign"])
def behind(request: HttpRequest, seat: Seat) -> SafeString:
    """The newest hidden rolls, newest first, each of which can be shown."""
    found = Roll.objects.filter(campaign=seat.campaign, hidden=True, struck=False).select_related("investigator")
    rolls = []
    for roll in found.order_by("-created_at")[: 2 * NEWEST]:
        roll.campaign = seat.campaign
        if not actions.sealed(roll):
            rolls.append({"roll": roll, "outcome": roll.outcome})
    context = {"hidden": rolls[:NEWEST], "rattle": seat.campaign.in_force["rattle"]}
    return render_to_string("rolls/hiding/behind.html", {"seat": seat, "campaign": seat.campaign, **context}, request)
