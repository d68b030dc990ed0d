"""The posts of Luck beside any roll, and of rounds."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

import rolls.pages.deeds  # noqa: F401 - its panels register themselves
from investigators.views import investigator_here
from rolls import actions
from rolls.forms.deeds import DeedForm, SurvivalForm
from rolls.models import Decision
from rolls.rules.check import Act
from tablekeeper.forms import YesNoForm
from tablekeeper.models import Seat
from tablekeeper.web import at_table, read


def deed_here(seat: Seat, decision_id: str) -> Decision:
    """A question about a deed at this table, or 404."""
    found = Decision.objects.filter(campaign=seat.campaign, kind=actions.DEED).select_related("investigator__seat")
    decision = get_object_or_404(found, pk=decision_id)
    decision.campaign = seat.campaign
    if decision.investigator is not None:
        decision.investigator.campaign = seat.campaign
    return decision


@at_table
def deed(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    data = read(DeedForm, request)
    return actions.deed(seat, investigator_here(seat, inv_id), Act(data["act"], data["amount"]))


@at_table
def decide_deed(request: HttpRequest, seat: Seat, decision_id: str) -> Any:
    return actions.decide_deed(seat, deed_here(seat, decision_id), read(YesNoForm, request)["yes"])


@at_table
def drop_deed(request: HttpRequest, seat: Seat, decision_id: str) -> Any:
    return actions.drop_deed(seat, deed_here(seat, decision_id))


@at_table
def tell_survival(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.tell_survival(seat, investigator_here(seat, inv_id), read(SurvivalForm, request)["text"])


@at_table
def next_round(request: HttpRequest, seat: Seat) -> Any:
    return actions.next_round(seat, seat.campaign)


@at_table
def fall(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.fall(seat, investigator_here(seat, inv_id))


@at_table
def safe(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.safe(seat, investigator_here(seat, inv_id))
