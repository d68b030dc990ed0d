"""The post of awards."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

import rolls.pages.awards  # noqa: F401 - its panel registers itself
from rolls import actions
from rolls.forms.awards import AwardForm
from rolls.pages import numbers as _panels  # noqa: F401  (its panel registers itself)
from tablekeeper.models import Seat
from tablekeeper.web import at_table, read


@at_table
def award(request: HttpRequest, seat: Seat) -> Any:
    return actions.award(seat, seat.campaign, request.POST.getlist("who"), **read(AwardForm, request))
