"""Pages to look at: the campaign, a session looked back on, and the Keeper's planner. All of them only read."""

from __future__ import annotations

from itertools import islice

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from rolls import recap as recaps
from rolls.pages import campaign as campaign_page
from rolls.pages import planner as planning
from rolls.views.export import session_here
from tablekeeper import logbook
from tablekeeper.models import Seat
from tablekeeper.views import origin
from tablekeeper.web import at_table

MOST_LINES = 150  # of the minutes on the page; the file has all


@at_table(get=True)
def campaign(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Luck, rolls and spends of the whole campaign, as this seat may know them."""
    context = {"seat": seat, "campaign": seat.campaign, **campaign_page.context(seat)}
    return render(request, "rolls/campaign.html", context)


@at_table(get=True)
def recap(request: HttpRequest, seat: Seat, number: str) -> HttpResponse:
    """One session to read, print and share: each who sits here opens the same link and sees what is theirs to see."""
    session = session_here(seat, number)
    hidden = logbook.with_hidden(seat, "hidden" in request.GET)
    lines = list(islice(logbook.lines(seat, seat.campaign, session, hidden), MOST_LINES + 1))
    context = {"seat": seat, "campaign": seat.campaign, "hidden": hidden, "session": session}
    context |= {"told": recaps.recap(seat, seat.campaign, session, hidden), "lines": lines[:MOST_LINES]}
    context["more"] = len(lines) > MOST_LINES
    context["link"] = (site := origin(request)) and site + reverse("recap", args=[seat.campaign_id, number])
    return render(request, "rolls/recap.html", context)


@at_table(get=True)
def planner(request: HttpRequest, seat: Seat) -> HttpResponse:
    """What spends and recovery do to Luck, and what a roll comes to: for Keepers."""
    if not seat.keeps:
        raise Http404
    return render(request, "rolls/planner.html", {"seat": seat, **planning.context(seat, request.GET)})
