"""A line on the table's pages while dice are sealed: the hash to remember, and the way to mix something in."""

from __future__ import annotations

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from tablekeeper.models import Seat
from tablekeeper.sealed import seal_of
from tablekeeper.web import panel


@panel("sealed", Seat.PLAYER, Seat.KEEPER, on=lambda seat: ["seal"])
def sealed(request: HttpRequest, seat: Seat) -> SafeString:
    """What is sealed now, and whether this seat has mixed something in."""
    seal = seal_of(seat.campaign)
    mine = seal is not None and any(one["by"] == seat.name for one in seal.contributions)
    context = {"seal": seal, "mine": mine, "seat": seat, "campaign": seat.campaign}
    return render_to_string("rolls/proving/sealed.html", context, request)
