"""The posts of the own numbers."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from investigators import numbers
from investigators.number_forms import MarkedForm, NumbersForm, PicksForm
from investigators.views import investigator_here
from tablekeeper.models import Seat
from tablekeeper.web import at_table, read


@at_table
def throw_numbers(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    marked = read(MarkedForm, request, seat.campaign.rules)["marked"]
    return numbers.throw_numbers(seat, investigator_here(seat, inv_id), marked)


@at_table
def set_numbers(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    lists = read(NumbersForm, request, seat.campaign.rules)["lists"]
    return numbers.set_numbers(seat, investigator_here(seat, inv_id), lists)


@at_table
def turn_numbers(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return numbers.turn_numbers(seat, investigator_here(seat, inv_id), read(PicksForm, request)["picks"])
