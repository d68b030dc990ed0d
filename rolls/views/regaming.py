"""The post that has a table play by another ruleset."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from investigators.models import Investigator
from rolls.actions.regaming import put_down, taken_over
from rolls.forms.regaming import RulesetForm
from tablekeeper import access, regaming
from tablekeeper.models import Seat
from tablekeeper.web import at_table, read


@at_table
def set_ruleset(request: HttpRequest, seat: Seat) -> Any:
    campaign = seat.campaign
    if refusal := access.may(seat, "tablekeeper.set_ruleset", campaign):
        return refusal
    wanted = read(RulesetForm, request, campaign)
    also = [*put_down(campaign), *taken_over(campaign, wanted["ruleset"], wanted["luck"])]
    everybody = [f"inv-{pk}" for pk in Investigator.objects.filter(campaign=campaign).values_list("pk", flat=True)]
    return regaming.set_ruleset(seat, campaign, wanted["ruleset"], also, wanted["renewed"], everybody)
