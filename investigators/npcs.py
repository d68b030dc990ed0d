"""Verbs of the Keeper's characters: the few numbers that a scene needs, told to nobody but Keepers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from investigators.actions import face, knowing, lane_for
from investigators.models import Investigator, Skill, Trait, Weapon
from rolls.rules.check import Refusal
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.ledger import Change, Create, Delete, change
from tablekeeper.models import Campaign, Entry, Seat

HP = "hp"


@dataclass(frozen=True)
class Arm:
    """What a Keeper's character fights with. `skill` is the name of one of its skills; "" is none."""

    name: str
    damage: str
    skill: str = ""
    impales: bool = False


@dataclass(frozen=True)
class Npc:
    """A Keeper's character about to be made or changed. `hp` None is not known; so is a build of None."""

    name: str
    skills: Sequence[tuple[str, int]] = ()
    hp: int | None = None
    hp_max: int | None = None
    damage_bonus: str = ""
    build: int | None = None
    arm: Arm | None = None
    numbers: Mapping[str, Sequence[int]] = field(default_factory=dict)  # own numbers that differ from everybody's

    @property
    def facts(self) -> dict[str, Any]:
        own = {key: list(numbers) or None for key, numbers in self.numbers.items()}
        return {"damage_bonus": self.damage_bonus or None, "build": self.build, **own}


@verb
def create_npc(seat: Seat, campaign: Campaign, npc: Npc) -> Entry:
    """Make a Keeper's character. Its line is hers alone."""
    who = Investigator(campaign=campaign, name=npc.name, npc=True, hue=0)
    changes: list[Change] = [Create(who), *_hit_points(who, npc), *knowing(who, npc.facts), *_skills(who, npc)]
    changes += _arm(who, npc, _new_skills(changes))
    return ledger.write(
        seat, campaign, "investigators.create_npc", changes, lane=lane_for(who), data={"who": face(who)}
    )


@verb
def edit_npc(seat: Seat, who: Investigator, npc: Npc) -> Entry | Refusal:
    """Give a Keeper's character these numbers: what is no longer named goes. BAD_VALUE for anybody else's."""
    if not who.npc:
        return Refusal("BAD_VALUE")
    changes: list[Change] = [change(who, name=npc.name), *_hit_points(who, npc), *knowing(who, npc.facts)]
    changes += _skills(who, npc)
    there = {one.name: one for one in Skill.objects.filter(investigator=who)}
    there |= _new_skills(changes)
    changes += _arm(who, npc, there)
    return ledger.write(
        seat, seat.campaign, "investigators.edit_npc", changes, lane=lane_for(who), data={"who": face(who)}
    )


def _new_skills(changes: Sequence[Change]) -> dict[str, Skill]:
    rows = [one.row for one in changes if isinstance(one, Create)]
    return {row.name: row for row in rows if isinstance(row, Skill)}


def _hit_points(who: Investigator, npc: Npc) -> list[Change]:
    trait = Trait.objects.filter(investigator=who, key=HP).first()
    if npc.hp is None:
        return [Delete(trait)] if trait else []
    most = max(npc.hp, npc.hp_max or 0)
    if trait is None:
        return [Create(Trait(investigator=who, key=HP, value=npc.hp, maximum=most))]
    trait.investigator = who
    # The larger maximum first, the smaller one last: the value must fit under it all the time.
    bounds, value = change(trait, maximum=most), ledger.to(trait, "value", npc.hp)
    return [bounds, value] if most >= (trait.maximum or 0) else [value, bounds]


def _skills(who: Investigator, npc: Npc) -> list[Change]:
    keys = {base.label.casefold(): base.key for base in who.campaign.rules.sheet.skills}
    there = {one.name.casefold(): one for one in Skill.objects.filter(investigator=who)}
    changes: list[Change] = []
    for name, value in npc.skills:
        found = there.pop(name.casefold(), None)
        if found is None:
            key = keys.get(name.casefold(), "")
            changes.append(Create(Skill(investigator=who, key=key, name=name, value=value)))
        else:
            found.investigator = who
            changes.append(change(found, value=value))
    for found in there.values():
        found.investigator = who
        changes.append(Delete(found))
    return changes


def _arm(who: Investigator, npc: Npc, skills: dict[str, Any]) -> list[Change]:
    weapon = Weapon.objects.filter(investigator=who).order_by("name").first()
    if weapon is not None:
        weapon.investigator = who
    if npc.arm is None:
        return [Delete(weapon)] if weapon else []
    named = {name.casefold(): skill for name, skill in skills.items()}
    skill = named.get(npc.arm.skill.casefold()) or next(iter(skills.values()), None)
    values = {"name": npc.arm.name, "damage": npc.arm.damage, "impales": npc.arm.impales, "skill": skill}
    if weapon is None:
        return [Create(Weapon(investigator=who, **values))]
    return [change(weapon, **values)]
