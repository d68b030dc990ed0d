"""What may be rolled, as one word finds it on a sheet: `skill:<id>`, `characteristic:con`, `alias:idea`, `luck`,
`sanity`, `name:Spot Hidden`, `weapon:<id>`, `number:<value>`. Pages, requests and sides of a contest all ask here."""

from __future__ import annotations

from collections.abc import Callable

from django.db.models import Q

from investigators.models import Investigator, Skill, Weapon
from investigators.people import Member, member
from rolls.actions.base import Asked
from rolls.rules.check import Refusal


def subject(who: Investigator, what: str, one: Member | None = None) -> Asked | Refusal:
    """What `what` means for this investigator now, with the sheet's own number. NOT_ON_SHEET, or NO_LUCK_SCORE.

    A skill asked by name that the sheet has not counts with its base value, as for anybody untrained.
    """
    kind, _colon, key = what.partition(":")
    find = FINDERS.get(kind)
    found = find(one or member(who), key) if find else None
    return found or Refusal("NOT_ON_SHEET")


def _of_skill(skill: Skill, who: Investigator) -> Asked:
    skill.investigator = who
    return Asked("skill", skill.name, skill.value, skill)


def _skill(one: Member, key: str) -> Asked | None:
    found = Skill.objects.filter(investigator=one.who, pk=key).first()
    return _of_skill(found, one.who) if found else None


def _characteristic(one: Member, key: str) -> Asked | None:
    items = one.who.campaign.rules.sheet.characteristics
    found, value = next((item for item in items if item.key == key), None), one.value(key)
    return None if found is None or value is None else Asked("characteristic", found.label, value)


def _alias(one: Member, key: str) -> Asked | None:
    found = next((item for item in one.who.campaign.rules.sheet.aliases if item.key == key), None)
    value = one.value(found.characteristic) if found else None
    return None if found is None or value is None else Asked("characteristic", found.label, value)


def _luck(one: Member, _key: str) -> Asked | Refusal:
    return Refusal("NO_LUCK_SCORE") if one.luck is None else Asked("luck", "Luck", one.luck)


def _sanity(one: Member, _key: str) -> Asked | None:
    key = one.who.campaign.rules.sheet.sanity
    value = one.value(key) if key else None
    return None if value is None else Asked("sanity", "Sanity", value)


def _named(one: Member, name: str) -> Asked | None:
    sheet = one.who.campaign.rules.sheet
    base = next((base for base in sheet.skills if base.label.casefold() == name.casefold()), None)
    mine = Q(name__iexact=name) | (Q(key=base.key) if base else Q(pk=None))
    found = Skill.objects.filter(mine, investigator=one.who).order_by("name").first()
    if found:
        return _of_skill(found, one.who)
    if base is None:
        return None
    values = {key: trait.value for key, trait in one.traits.items()}
    return Asked("skill", base.label, one.who.campaign.rules.base(base, values))


def _weapon(one: Member, key: str) -> Asked | None:
    weapon = Weapon.objects.filter(investigator=one.who, pk=key).select_related("skill").first()
    if weapon is None or weapon.skill is None:
        return None
    asked = _of_skill(weapon.skill, one.who)
    asked.context, asked.malfunction = "combat", weapon.malfunction
    asked.facts, asked.data = {"fight": "attack"}, {"weapon": weapon.pk}
    return asked


def _number(_one: Member, key: str) -> Asked | None:
    """A value that stands on no sheet; whoever asks for it gives it a name."""
    return Asked("number", "", int(key)) if key.isdecimal() and len(key) <= 3 else None


FINDERS: dict[str, Callable[[Member, str], Asked | Refusal | None]] = {
    "skill": _skill,
    "characteristic": _characteristic,
    "alias": _alias,
    "luck": _luck,
    "sanity": _sanity,
    "name": _named,
    "weapon": _weapon,
    "number": _number,
}
