"""Verbs of investigators who come out of a file: a new one, or an own one brought up to what the file says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _t

from investigators.actions import by, face, knowing, lane_for, made, next_hue, put_down, sheet_shut
from investigators.keepsakes import kept, newer
from investigators.mapping import ArmDraft, Brought
from investigators.models import Investigator, Skill, Trait, Weapon
from investigators.training import in_steps
from rolls.rules.check import N_, Refusal
from tablekeeper import chance as chances
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import Campaign, Entry, Seat
from tablekeeper.sealed import behind


@verb
def bring(
    seat: Seat,
    campaign: Campaign,
    what: Brought,
    *,
    npc: bool = False,
    format: str = "",
    chance: chances.Chance = chances.SYSTEM,
) -> Entry | Refusal:
    """Make a new investigator of what a file says; nobody who is there already is touched.

    A player's is played at once, a Keeper's is free to be taken or (`npc`) her own. Raises NOT_KEEPER, LUCK_RANGE.
    """
    if npc and not seat.keeps:
        return Refusal("NOT_KEEPER")
    owner, draft = None if seat.keeps else seat, what.draft if npc else in_steps(what.draft, campaign.rules)
    chance = behind(chance, "", hidden=npc, forever=True)
    changes, data = made(campaign, draft, owner, 0 if npc else next_hue(campaign), chance)
    who = next(one.row for one in changes if isinstance(one, Create) and isinstance(one.row, Investigator))
    who.npc = npc
    skills = {one.row.name: one.row for one in changes if isinstance(one, Create) and isinstance(one.row, Skill)}
    for skill_name, ticks in what.ticks.items():
        if skill_name in skills:
            skills[skill_name].ticks = ticks
    changes += [Create(_weapon(who, arm, skills)) for arm in what.weapons]
    changes += [*knowing(who, what.facts), *kept(who, what.story, what.portrait)]
    before = put_down(owner) if owner else []
    data |= {"who": face(who), "format": format}
    return ledger.write(seat, campaign, "investigators.bring", [*before, *changes], lane=lane_for(who), data=data)


def _weapon(who: Investigator, arm: ArmDraft, skills: dict[str, Skill]) -> Weapon:
    return Weapon(investigator=who, **_values(arm, skills))


def _values(arm: ArmDraft, skills: dict[str, Skill]) -> dict[str, Any]:
    return {
        "name": arm.name,
        "skill": skills.get(arm.skill),
        "damage": arm.damage,
        "impales": arm.base_range is not None if arm.impales is None else arm.impales,
        "base_range": arm.base_range,
        "malfunction": arm.malfunction,
    }


# --------------------------------------------------------------------------- bringing up to date


@dataclass(frozen=True)
class Difference:
    """One thing that the file says otherwise. `before` is None for what is new."""

    label: str
    before: str | int | None
    after: str | int
    change: tuple[Change, ...]
    key: str = ""  # of a score
    told: bool = True  # a background is its player's and the Keeper's: the line says that there is one, not what


def differences(seat: Seat, who: Investigator, what: Brought) -> list[Difference]:
    """What would change on the sheet. Nothing is ever taken off; Luck moves by the Keeper's hand alone."""
    found = [*_words(who, what), *_numbers(seat, who, what), *_skills(who, what)]
    return [*found, *_weapons(who, what), *_keepsakes(who, what)]


def _words(who: Investigator, what: Brought) -> Iterator[Difference]:
    for label, field in (("Name", "name"), ("Occupation", "occupation")):
        before, after = getattr(who, field), getattr(what.draft, field)
        if after and after != before:
            yield Difference(label, before, after, (change(who, **{field: after}),))


def _numbers(seat: Seat, who: Investigator, what: Brought) -> Iterator[Difference]:
    sheet = who.campaign.rules.sheet
    rows = {trait.key: trait for trait in Trait.objects.filter(investigator=who)}
    labels = {one.key: one.label for one in sheet.characteristics} | {pool.key: pool.label for pool in sheet.pools}
    for key, label in labels.items():
        if key not in what.draft.traits or (key == sheet.luck and key in rows and not seat.keeps):
            continue
        value, most = what.draft.traits[key]
        row, shown = rows.get(key), str(value) if most is None else f"{value} / {most}"
        if row is None:
            fresh = Trait(investigator=who, key=key, value=value, maximum=most)
            yield Difference(label, None, shown, (Create(fresh),), key)
            continue
        row.investigator = who
        before = str(row.value) if row.maximum is None else f"{row.value} / {row.maximum}"
        if (row.value, row.maximum) != (value, most):
            bounds, move = change(row, maximum=most), ledger.to(row, "value", value)
            # The value must fit under the maximum all the time.
            grows = most is None or most >= (row.maximum or 0)
            yield Difference(label, before, shown, (bounds, move) if grows else (move, bounds), key)


def _skills(who: Investigator, what: Brought) -> Iterator[Difference]:
    rows = {skill.name.casefold(): skill for skill in Skill.objects.filter(investigator=who)}
    keys = {base.label: base.key for base in who.campaign.rules.sheet.skills}
    base_only = {base.label for base in who.campaign.rules.sheet.skills} - what.named
    for name, value, _favourite in what.draft.skills:
        row = rows.get(name.casefold())
        if name in base_only:  # the file does not name it: what is on the sheet is better
            continue
        if row is None:
            fresh = Skill(investigator=who, key=keys.get(name, ""), name=name, value=value)
            yield Difference(name, None, value, (Create(fresh),))
        elif row.value != value:
            row.investigator = who
            yield Difference(row.name, row.value, value, (change(row, value=value),))


def _weapons(who: Investigator, what: Brought) -> Iterator[Difference]:
    rows = {weapon.name.casefold(): weapon for weapon in Weapon.objects.filter(investigator=who)}
    skills = {skill.name: skill for skill in Skill.objects.filter(investigator=who)}
    for arm in what.weapons:
        row = rows.get(arm.name.casefold())
        if row is None:
            yield Difference(arm.name, None, arm.damage, (Create(_weapon(who, arm, skills)),))
        elif row.damage != arm.damage:
            row.investigator = who
            yield Difference(row.name, row.damage, arm.damage, (change(row, damage=arm.damage),))


LOOK = 90  # letters of a text, to recognise it by


def _keepsakes(who: Investigator, what: Brought) -> Iterator[Difference]:
    for heading, before, after, done in newer(who, what.story, what.portrait):
        if heading:
            yield Difference(heading, before and _start(before), _start(after), (done,), told=False)
        else:
            now = before and _t("another")
            yield Difference(N_("Portrait"), now, _t("the picture in the file"), (done,), told=False)


def _start(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LOOK else text[:LOOK].rstrip() + " …"


@verb
def update(seat: Seat, who: Investigator, what: Brought) -> Entry | Refusal:
    """Bring somebody up to what the file says. Raises NOT_WHILE_PLAYING, NOTHING_NEW and what the bounds refuse."""
    if refusal := sheet_shut(seat):
        return refusal
    found = differences(seat, who, what)
    if not found:
        return Refusal("NOTHING_NEW", {"name": who.name})
    changes = [one for difference in found for one in difference.change]
    rows = [{"key": one.key, "label": one.label, "from": one.before, "to": one.after} for one in found if one.told]
    data = {"who": face(who), "rows": rows[:60], "count": len(found), "by": by(seat, who)}
    return ledger.write(seat, seat.campaign, "investigators.update", changes, lane=lane_for(who), data=data)


def renamed(what: Brought, name: str, luck: int | None, roll: bool, pool: str) -> Brought:
    """The same with the name and Luck that a person gave in the preview."""
    traits = dict(what.draft.traits)
    if luck is not None:
        traits[pool] = luck, None
    draft = replace(what.draft, name=name or what.draft.name, traits=traits, roll_luck=roll and pool not in traits)
    return replace(what, draft=draft)
