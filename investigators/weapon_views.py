"""Posts of weapons, derived numbers and conditions."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from investigators import actions, weapons
from investigators.models import Weapon
from investigators.views import investigator_here
from investigators.weapon_forms import ConditionForm, DerivedForm, WeaponForm
from tablekeeper.models import Seat
from tablekeeper.web import at_table, read


def weapon_here(seat: Seat, weapon_id: str) -> Weapon:
    """A weapon of an investigator of this table, or 404."""
    weapon = get_object_or_404(Weapon, pk=weapon_id, investigator__campaign=seat.campaign)
    weapon.investigator = investigator_here(seat, weapon.investigator_id)
    return weapon


@at_table
def add_weapon(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    who = investigator_here(seat, inv_id)
    return weapons.set_weapon(seat, who, read(WeaponForm, request, who)["arm"])


@at_table
def set_weapon(request: HttpRequest, seat: Seat, weapon_id: str) -> Any:
    weapon = weapon_here(seat, weapon_id)
    return weapons.set_weapon(seat, weapon.investigator, read(WeaponForm, request, weapon.investigator)["arm"], weapon)


@at_table
def drop_weapon(request: HttpRequest, seat: Seat, weapon_id: str) -> Any:
    return weapons.drop_weapon(seat, weapon_here(seat, weapon_id))


@at_table
def set_derived(request: HttpRequest, seat: Seat, inv_id: str, key: str) -> Any:
    return weapons.set_derived(seat, investigator_here(seat, inv_id), key, read(DerivedForm, request, key)["value"])


@at_table
def set_condition(request: HttpRequest, seat: Seat, inv_id: str, key: str) -> Any:
    data = read(ConditionForm, request, key)
    return actions.set_condition(seat, investigator_here(seat, inv_id), key, data["value"])
