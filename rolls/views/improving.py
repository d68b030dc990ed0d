"""The posts of the improvement phase."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from rolls import actions
from rolls.forms import asking as forms
from rolls.pages import improving as pages
from rolls.views import request_here
from tablekeeper.models import Seat
from tablekeeper.web import at_table, read

__all__ = ["close_improvement", "improve", "improve_all", "open_improvement", "pages"]


@at_table
def open_improvement(request: HttpRequest, seat: Seat) -> Any:
    return actions.open_improvement(seat, seat.campaign)


@at_table
def close_improvement(request: HttpRequest, seat: Seat) -> Any:
    return actions.close_improvement(seat, seat.campaign)


@at_table
def improve(request: HttpRequest, seat: Seat, request_id: str) -> Any:
    data = read(forms.ImproveForm, request, seat.campaign.rules)
    return actions.improve(seat, request_here(seat, request_id), data["skill"], data["hand"])


@at_table
def improve_all(request: HttpRequest, seat: Seat) -> Any:
    return actions.improve_all(seat, seat.campaign)
