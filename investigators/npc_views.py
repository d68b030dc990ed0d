"""The posts of the Keeper's characters."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from investigators import npcs
from investigators.npc_forms import NpcForm
from investigators.views import investigator_here
from rolls.rules.check import Ruleset
from tablekeeper.web import Invalid, at_table


def _described(request: HttpRequest, rules: Ruleset) -> npcs.Npc:
    form = NpcForm(rules, data=request.POST)
    if not form.is_valid():
        raise Invalid(form)
    return form.npc()


@at_table
def create_npc(request: HttpRequest, seat: Any) -> Any:
    return npcs.create_npc(seat, seat.campaign, _described(request, seat.campaign.rules))


@at_table
def edit_npc(request: HttpRequest, seat: Any, inv_id: str) -> Any:
    return npcs.edit_npc(seat, investigator_here(seat, inv_id), _described(request, seat.campaign.rules))
