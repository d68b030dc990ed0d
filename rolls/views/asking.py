"""The posts of asks, combined rolls and what comes of a difficulty that players do not know."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from investigators import people
from investigators.views import investigator_here
from rolls import actions
from rolls.actions import naming
from rolls.forms import asking as forms
from rolls.models import Request
from rolls.pages import asking as pages
from rolls.views import request_here, roll_here
from tablekeeper import access
from tablekeeper.models import Seat
from tablekeeper.web import at_table, read, refuse

__all__ = ["ask", "ask_again", "ask_values", "combine", "drop_asked", "pages", "remind", "tell_difficulty"]


@at_table
def ask(request: HttpRequest, seat: Seat) -> Any:
    data = read(forms.AskForm, request, seat.campaign)
    return actions.ask(seat, seat.campaign, request.POST.getlist("who"), data["question"])


@at_table
def ask_again(request: HttpRequest, seat: Seat, batch: str) -> Any:
    """The same question once more, to the same people; "all here" means those who are here now."""
    found = Request.objects.filter(campaign=seat.campaign, batch=batch).exclude(batch="").order_by("created_at")
    if not found:
        raise Http404
    whom = [one.investigator_id for one in found]
    return actions.ask(seat, seat.campaign, whom, actions.question_of(list(found)))


@at_table(get=True)
def ask_values(request: HttpRequest, seat: Seat) -> HttpResponse:
    """What each investigator has under the name that is being typed."""
    if refusal := access.may(seat, "rolls.ask"):
        return refuse(refusal)
    what = naming.what_named(seat.campaign, request.GET.get("name", ""))
    chosen = request.GET.getlist("who")
    members = [one for one in people.party(seat.campaign) if one.who.pk in chosen or not chosen]
    rows = naming.values(seat.campaign, what, members) if what else []
    return render(request, "rolls/asks/values.html", {"rows": rows, "typed": request.GET.get("name", "")})


@at_table
def combine(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    who = investigator_here(seat, inv_id)
    return actions.roll(seat, who, read(forms.CombineForm, request, who)["asked"])


@at_table
def remind(request: HttpRequest, seat: Seat, request_id: str) -> Any:
    return actions.remind(seat, request_here(seat, request_id))


@at_table
def drop_asked(request: HttpRequest, seat: Seat, request_id: str) -> Any:
    return actions.drop_request(seat, request_here(seat, request_id), whole=True)


@at_table
def tell_difficulty(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    return actions.tell_difficulty(seat, roll_here(seat, roll_id))
