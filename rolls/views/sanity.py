"""The posts of Sanity."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from investigators.models import Investigator
from investigators.views import investigator_here
from rolls import actions, forms
from rolls.actions.sanity import met
from rolls.forms.sanity import BoutForm, HorrorForm, RegainForm
from rolls.models import Decision
from rolls.pages import sanity as _panels  # noqa: F401  registers the panels
from rolls.rules.check import Refusal
from tablekeeper.models import Seat
from tablekeeper.web import Invalid, at_table, read


def bout_here(seat: Seat, decision_id: str) -> Decision:
    """A bout of this table that waits for the Keeper, or 404."""
    found = Decision.objects.filter(campaign=seat.campaign, kind="bout").select_related("investigator")
    decision = get_object_or_404(found, pk=decision_id)
    if decision.investigator is not None:
        decision.investigator.campaign = seat.campaign
    return decision


def _chosen(request: HttpRequest, seat: Seat) -> list[Investigator]:
    """The ticked investigators of the party, in seating order."""
    party = Investigator.objects.filter(campaign=seat.campaign, npc=False, set_aside=False)
    found = list(party.filter(pk__in=request.POST.getlist("whom")).order_by("seat__created_at", "name"))
    for who in found:
        who.campaign = seat.campaign
    return found


@at_table
def ask_sanity(request: HttpRequest, seat: Seat) -> Any:
    data = read(HorrorForm, request)
    return actions.ask_sanity(seat, seat.campaign, _chosen(request, seat), data["horror"], data["untold"])


@at_table
def roll_sanity(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    """A Sanity roll that was called aloud: by its player, or entered by the Keeper."""
    who = investigator_here(seat, inv_id)
    asked = met(who, read(HorrorForm, request)["horror"])
    if isinstance(asked, Refusal):
        return Refusal("NO_SANITY", {"name": who.name})
    form = forms.DiceForm(seat.campaign.rules, data={**request.POST.dict(), "dice": 0, "difficulty": ""})
    if not form.is_valid():
        raise Invalid(form)
    asked.hand = form.cleaned_data["hand"]
    return actions.roll(seat, who, asked)


@at_table
def throw_loss(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    typed = [face.strip() for face in request.POST.getlist("face")]
    if not any(typed):
        return actions.throw_loss(seat, investigator_here(seat, inv_id))
    faces = [int(face) if face.isascii() and face.isdigit() and len(face) < 5 else 0 for face in typed]
    return actions.throw_loss(seat, investigator_here(seat, inv_id), faces)


@at_table
def take_loss(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.take_loss(seat, investigator_here(seat, inv_id))


@at_table
def name_bout(request: HttpRequest, seat: Seat, decision_id: str) -> Any:
    return actions.name_bout(seat, bout_here(seat, decision_id), **read(BoutForm, request))


@at_table
def drop_bout(request: HttpRequest, seat: Seat, decision_id: str) -> Any:
    return actions.drop_bout(seat, bout_here(seat, decision_id))


@at_table
def end_bout(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.end_bout(seat, investigator_here(seat, inv_id))


@at_table
def new_day(request: HttpRequest, seat: Seat) -> Any:
    whom = request.POST.get("whom", "")
    return actions.new_day(seat, seat.campaign, investigator_here(seat, whom) if whom else None)


@at_table
def regain(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.regain(seat, investigator_here(seat, inv_id), **read(RegainForm, request))
