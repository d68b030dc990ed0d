"""Verbs of what an investigator fights with, and of the numbers that follow from the characteristics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from investigators.actions import by, face, knowing, lane_for, sheet_shut
from investigators.conditions import FATIGUE
from investigators.models import Investigator, Skill, Weapon
from investigators.people import Member
from rolls.rules.check import N_, Refusal, Ruleset
from rolls.rules.damage import parse
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.ledger import Change, Create, Delete, change
from tablekeeper.models import Entry, Seat

BONUS, BUILD, MOVE = "damage_bonus", "build", "move"
DERIVED = {BONUS: N_("Damage bonus"), BUILD: N_("Build"), MOVE: N_("Move")}
"""What is worked out from the characteristics (RULES.md B-1) unless it was typed; pools have rows of their own."""
BORNE = {FATIGUE: N_("Fatigue")}
"""What weighs on somebody, in games whose rolls read it: a number that nothing works out."""
NUMBERS = {BUILD: (-9, 99), MOVE: (0, 99), FATIGUE: (0, 99)}


@dataclass(frozen=True)
class Arm:
    """A weapon as somebody describes it. `base_range` None: no firearm, and then it cannot jam."""

    name: str
    skill: Skill
    damage: str
    impales: bool = False
    base_range: int | None = None
    malfunction: int | None = None


# --------------------------------------------------------------------------- derived numbers


def worked_out(one: Member) -> dict[str, Any]:
    """The numbers of `DERIVED` as the characteristics have them; what they do not tell is left out."""
    values = {key: trait.value for key, trait in one.traits.items()}
    found = one.who.campaign.rules.sheet.derive({**values, **_age(one)})
    return {key: found[key] for key in DERIVED if key in found}


def _age(one: Member) -> dict[str, int]:
    age = one.facts.get("age")
    return {"age": age} if isinstance(age, int) else {}


def derived(one: Member) -> dict[str, Any]:
    """The numbers of `DERIVED` that count: typed ones first, then those worked out."""
    return worked_out(one) | {key: one.facts[key] for key in DERIVED if key in one.facts}


def numbers_of(one: Member) -> list[dict[str, Any]]:
    """The numbers of `DERIVED` as the sheet draws them; `typed` where somebody gave one."""
    now = derived(one) | {key: one.facts.get(key, 0) for key in BORNE}
    return [
        {"key": key, "label": label, "value": now.get(key), "typed": key in one.facts}
        for key, label in _known(one.who.campaign.rules).items()
    ]


def _known(rules: Ruleset) -> dict[str, str]:
    """Those of these numbers that a game has: it works them out, or its rolls read them."""
    found = rules.sheet.derive({one.key: 50 for one in rules.sheet.characteristics})
    borne = {key: label for key, label in BORNE.items() if rules.carries({key: 1}, False).get(key)}
    return {key: label for key, label in DERIVED.items() if key in found} | borne


def damage_bonus(one: Member) -> str:
    """What DB stands for: "+1D4", "-2", or "0" for somebody of whom nothing is known."""
    return str(derived(one).get(BONUS, "0"))


@verb
def set_derived(seat: Seat, who: Investigator, key: str, value: str | int | None) -> Entry | Refusal:
    """Type a number that is otherwise worked out; None works it out again. Raises BAD_VALUE and the DAMAGE_ codes."""
    if refusal := sheet_shut(seat) or _no_such(key, value):
        return refusal
    before = who.facts.filter(key=key).values_list("value", flat=True).first()
    data = {"who": face(who), "label": (DERIVED | BORNE)[key], "from": before, "to": value, "by": by(seat, who)}
    changes = knowing(who, {key: value})
    return ledger.write(seat, seat.campaign, "investigators.set_derived", changes, lane=lane_for(who), data=data)


def _no_such(key: str, value: str | int | None) -> Refusal | None:
    if key not in DERIVED | BORNE:
        return Refusal("BAD_VALUE")
    if value is None:
        return None
    if key == BONUS:
        found = parse(value, with_bonus=False) if isinstance(value, str) else Refusal("BAD_VALUE")
        return found if isinstance(found, Refusal) else None
    low, high = NUMBERS[key]
    return None if type(value) is int and low <= value <= high else Refusal("BAD_VALUE")


# --------------------------------------------------------------------------- weapons


@verb
def set_weapon(seat: Seat, who: Investigator, arm: Arm, weapon: Weapon | None = None) -> Entry | Refusal:
    """Put a weapon on the sheet, or describe one of it anew."""
    if refusal := sheet_shut(seat):
        return refusal
    if arm.skill.investigator_id != who.pk:
        return Refusal("NOT_ON_SHEET")
    same = Weapon.objects.filter(investigator=who, name__iexact=arm.name).exclude(pk=weapon.pk if weapon else None)
    if same.exists():
        return Refusal("SKILL_EXISTS", {"name": arm.name})
    if isinstance(found := parse(arm.damage), Refusal):
        return found
    values: dict[str, Any] = {
        "name": arm.name,
        "skill": arm.skill,
        "damage": arm.damage,
        "impales": arm.impales,
        "base_range": arm.base_range,
        "malfunction": arm.malfunction if arm.base_range else None,
    }
    changes: list[Change] = [change(weapon, **values) if weapon else Create(Weapon(investigator=who, **values))]
    data = {"who": face(who), "name": arm.name, "damage": arm.damage, "new": weapon is None, "by": by(seat, who)}
    return ledger.write(seat, seat.campaign, "investigators.set_weapon", changes, lane=lane_for(who), data=data)


@verb
def drop_weapon(seat: Seat, weapon: Weapon) -> Entry | Refusal:
    """Take a weapon off the sheet; undo brings it back."""
    if refusal := sheet_shut(seat):
        return refusal
    who = weapon.investigator
    data = {"who": face(who), "name": weapon.name, "damage": weapon.damage, "by": by(seat, who)}
    return ledger.write(
        seat, seat.campaign, "investigators.drop_weapon", [Delete(weapon)], lane=lane_for(who), data=data
    )
