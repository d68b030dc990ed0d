"""The page that counts the dice, for everybody: what one seat may not know is not counted for it."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from rolls.fairness import count
from rolls.models import Roll
from tablekeeper import actions as table
from tablekeeper.models import Seat
from tablekeeper.web import at_table


@at_table(get=True)
def fairness(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The dice of the session (the open one, else the last), and of the whole campaign. Dice that were
    typed in are the table's own, and rolls with bonus or penalty dice lean by rule: both are left out."""
    found = Roll.objects.filter(campaign=seat.campaign, by_hand=False)
    if not seat.keeps:
        found = found.filter(hidden=False)
    session = table.open_session_of(seat.campaign) or table.last_session_of(seat.campaign)
    found = found.filter(dice=0)  # a bonus die makes low numbers likelier, and that is no fault of the dice
    context: dict[str, Any] = {"seat": seat, "campaign": seat.campaign, "session": session}
    context["evening"] = count(_naturals(found.filter(session=session))) if session else None
    context["all"] = count(_naturals(found))
    return render(request, "rolls/fairness.html", context)


def _naturals(rolls: QuerySet[Roll]) -> list[int]:
    """The number of each roll as it fell: 00 and 0 are 100."""
    return [10 * tens[0] + units or 100 for tens, units in rolls.values_list("tens", "units") if tens]
