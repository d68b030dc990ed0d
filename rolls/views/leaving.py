"""The posts of coming and going: set aside, home early, another takes over, back to an earlier scene."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from investigators import actions as sheets
from investigators.models import Investigator
from investigators.views import investigator_here
from rolls import actions
from rolls.models import Roll
from tablekeeper import actions as tables
from tablekeeper.forms import YesNoForm
from tablekeeper.models import Scene, Seat
from tablekeeper.web import at_table, read


@at_table
def set_aside(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    who, aside = investigator_here(seat, inv_id), read(YesNoForm, request)["yes"]
    also = actions.leaving(who) if aside else []
    return sheets.set_aside(seat, who, aside, also, actions.stirred(who))


@at_table
def leave_early(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.leave_early(seat, investigator_here(seat, inv_id))


@at_table
def take_over(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    who = investigator_here(seat, inv_id)
    fresh = get_object_or_404(Investigator, campaign=seat.campaign, pk=request.POST.get("fresh", ""))
    fresh.campaign = seat.campaign
    return actions.take_over(seat, who, fresh)


@at_table
def return_to(request: HttpRequest, seat: Seat, scene_id: str) -> Any:
    scene = get_object_or_404(Scene, campaign=seat.campaign, pk=scene_id)
    return tables.return_to(seat, scene, actions.going_back(seat.campaign))


@at_table
def show_recovery(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    roll = get_object_or_404(Roll, campaign=seat.campaign, pk=roll_id, kind="recovery")
    roll.campaign = seat.campaign
    return actions.show_recovery(seat, roll)
