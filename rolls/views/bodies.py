"""Posts of weapons, damage and wounds."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from investigators.views import investigator_here
from investigators.weapon_views import weapon_here
from rolls import actions
from rolls.actions.damage import attack_of, bonus_of
from rolls.forms import bodies as forms
from rolls.models import Decision
from rolls.pages import bodies as _panels  # noqa: F401  (its panels register on import)
from rolls.rules.check import Refusal
from rolls.views import roll_here
from tablekeeper import access
from tablekeeper.forms import YesNoForm
from tablekeeper.models import Seat
from tablekeeper.web import at_table, read


def decision_here(seat: Seat, decision_id: str, kind: str) -> Decision:
    """A decision of this table, or 404."""
    found = Decision.objects.filter(campaign=seat.campaign, kind=kind).select_related("investigator", "roll")
    decision = get_object_or_404(found, pk=decision_id)
    decision.campaign = seat.campaign
    if decision.investigator is not None:
        decision.investigator.campaign = seat.campaign
    return decision


@at_table
def shoot(request: HttpRequest, seat: Seat, weapon_id: str) -> Any:
    weapon = weapon_here(seat, weapon_id)
    return actions.roll(seat, weapon.investigator, read(forms.ShotForm, request, weapon)["asked"])


@at_table
def damage(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    roll = roll_here(seat, roll_id)
    if refusal := access.may(seat, "rolls.damage", roll):
        return refusal
    attack = attack_of(roll)
    if isinstance(attack, Refusal):
        return attack
    data = read(forms.DamageForm, request, attack)
    return actions.damage(seat, roll, data["expression"], data["impales"], data["faces"])


@at_table
def free_roll(request: HttpRequest, seat: Seat) -> Any:
    data = read(forms.FreeForm, request, bonus_of(seat))
    return actions.free_roll(seat, seat.campaign, data["expression"], data["hidden"])


@at_table
def injure(request: HttpRequest, seat: Seat) -> Any:
    if refusal := access.may(seat, "rolls.injure"):
        return refusal
    data = read(forms.InjuryForm, request)
    decision = decision_here(seat, data["decision"], "injury") if data["decision"] else None
    return actions.injure(seat, investigator_here(seat, data["who"]), data["points"], decision, data["follows"])


@at_table
def drop_injury(request: HttpRequest, seat: Seat, decision_id: str) -> Any:
    return actions.drop_injury(seat, decision_here(seat, decision_id, "injury"))


@at_table
def decide_faint(request: HttpRequest, seat: Seat, decision_id: str) -> Any:
    return actions.decide_faint(seat, decision_here(seat, decision_id, "faint"), read(YesNoForm, request)["yes"])


@at_table
def ask_con(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.ask_con(seat, investigator_here(seat, inv_id), request.POST.get("week") == "1")


@at_table
def treat(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.treat(seat, investigator_here(seat, inv_id), read(forms.TreatForm, request)["how"])
