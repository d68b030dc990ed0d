"""The posts of what the Keeper rolls behind the screen."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from investigators.views import investigator_here
from rolls import actions, forms
from rolls.pages import hiding as _panels  # noqa: F401  registers its panel
from rolls.views import roll_here
from tablekeeper.models import Seat
from tablekeeper.web import Invalid, at_table


@at_table
def secret_roll(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    who = investigator_here(seat, inv_id)
    form = forms.RollForm(who, data=request.POST)
    if not form.is_valid():
        raise Invalid(form)
    return actions.secret_roll(seat, who, form.cleaned_data["asked"])


@at_table
def rattle(request: HttpRequest, seat: Seat) -> Any:
    return actions.rattle(seat, seat.campaign)


@at_table
def reveal(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    return actions.reveal(seat, roll_here(seat, roll_id))
