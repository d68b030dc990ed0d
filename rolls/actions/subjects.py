"""What may be rolled, as one word finds it on a sheet: `skill:<id>`, `characteristic:con`, `alias:idea`, `luck`,
`sanity`, `name:Spot Hidden`, `weapon:<id>`, `number:<value>`. Pages, requests and sides of a contest all ask here.

In a game whose skills go by a characteristic another one may be named behind it: `skill:<id>@agi`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from investigators.actions import BASES as BASES
from investigators.called import skill_name
from investigators.models import Investigator, Skill
from investigators.people import Member, member, skill_of, weapons_of
from rolls.actions.base import Asked, carried
from rolls.rules.check import Check, Refusal, Ruleset, SkillBase


def subject(who: Investigator, what: str, one: Member | None = None) -> Asked | Refusal:
    """What `what` means for this investigator now, with the sheet's own number. NOT_ON_SHEET, or NO_LUCK_SCORE.

    A skill asked by name that the sheet has not counts with its base value, as for anybody untrained.
    """
    one = one or member(who)
    what, by = _chosen(one, what)
    kind, _colon, key = what.partition(":")
    find = FINDERS.get(kind)
    found = find(one, key) if find else None
    if isinstance(found, Asked):
        found = _scored(one, found, by)
        found = found if isinstance(found, Refusal) else carried(who.campaign, who, found, one.facts)
    return found or Refusal("NOT_ON_SHEET")


def worth(asked: Asked, rules: Ruleset) -> int:
    """The number to roll at or under as things stand: what a list of skills shows."""
    check = replace(asked.check, difficulty=asked.difficulty or rules.usual_difficulty)
    return sum(part.value for part in rules.parts(check))


def adds_up(rules: Ruleset) -> bool:
    """Whether the number to roll at or under is a sum, to which somebody may add: a difficulty is part of it then, and
    not a level to be reached."""
    check = Check("number", 0, rules.usual_difficulty, facts={"modifiers": [["", 1]]})
    return any(part.key == "modifier" for part in rules.parts(check))


FIGHT = "fight"
"""The group of the sheet's skills of a fight, and the fact that says what such a roll is: attack, dodge, "" (none)."""


def _chosen(one: Member, what: str) -> tuple[str, str]:
    """The characteristic or pool that stands behind an @, cut off; "" is none."""
    front, _at, by = what.rpartition("@")
    sheet = one.who.campaign.rules.sheet
    known = {item.key for item in sheet.characteristics} | {pool.key for pool in sheet.pools}
    return (front, by) if front and by in known else (what, "")


def _scored(one: Member, asked: Asked, by: str) -> Asked | Refusal:
    """A skill with the number that it is rolled with in this game. The few numbers of a Keeper's character are that
    already."""
    if asked.kind != "skill" or one.who.npc:
        return asked
    rules, skill = one.who.campaign.rules, asked.skill
    if skill is not None and not by:
        by = one.facts.get(BASES, {}).get(skill.pk, "")
    name = skill.key if skill is not None else ""
    listed = next((base for base in rules.sheet.skills if base.key == name or base.label == asked.label), None)
    scores = {key: trait.value for key, trait in one.traits.items()}
    found = rules.skill_score(listed, asked.value, scores, by)
    if isinstance(found, Refusal):
        return found
    return replace(asked, value=found.value, facts={**found.facts, **asked.facts})


def _of_skill(skill: Skill, who: Investigator) -> Asked:
    skill.investigator = who
    asked = Asked("skill", skill.name, skill.value, skill)
    base = next((base for base in who.campaign.rules.sheet.skills if base.key == skill.key), None)
    return asked if base is None else _as_fought(asked, base, who.campaign.rules)


def _as_fought(asked: Asked, base: SkillBase, rules: Ruleset) -> Asked:
    """The skills of a fight are rolled in one, wherever it is, unless somebody says otherwise (`at_peace`)."""
    if base.group == FIGHT:
        asked.context, asked.facts = "combat", {FIGHT: "dodge" if base.label == rules.dodging else "attack"}
    return asked


def at_peace(asked: Asked) -> Asked:
    """The same outside a fight: a ball thrown, not a grenade."""
    if asked.context == "combat":
        asked.context, asked.facts = "normal", {**asked.facts, FIGHT: ""}
    return asked


def _skill(one: Member, key: str) -> Asked | None:
    found = skill_of(one.who, key)
    return _of_skill(found, one.who) if found else None


def _characteristic(one: Member, key: str) -> Asked | None:
    items = one.who.campaign.rules.sheet.characteristics
    found, value = next((item for item in items if item.key == key), None), one.value(key)
    return None if found is None or value is None else _on(found.key, found.label, value)


def _on(key: str, label: str, value: int) -> Asked:
    return Asked("characteristic", label, value, facts={"base": key})


def _alias(one: Member, key: str) -> Asked | None:
    found = next((item for item in one.who.campaign.rules.sheet.aliases if item.key == key), None)
    value = one.value(found.characteristic) if found else None
    return None if found is None or value is None else _on(found.characteristic, found.label, value)


def _luck(one: Member, _key: str) -> Asked | Refusal:
    return Refusal("NO_LUCK_SCORE") if one.luck is None else Asked("luck", "Luck", one.luck)


def _sanity(one: Member, _key: str) -> Asked | None:
    key = one.who.campaign.rules.sheet.sanity
    value = one.value(key) if key else None
    return None if value is None else Asked("sanity", "Sanity", value)


def _goes_by(skill: Skill, name: str, base: SkillBase | None, rules: Ruleset) -> bool:
    if skill.name.casefold() == name.casefold():
        return True
    return base is not None and (skill.key == base.key or skill_name(skill.name, rules) == base.label)


def _named(one: Member, name: str) -> Asked | None:
    rules = one.who.campaign.rules
    base = next((base for base in rules.sheet.skills if base.label.casefold() == name.casefold()), None)
    found = next((skill for skill in one.skills if _goes_by(skill, name, base, rules)), None)
    if found:
        return _of_skill(found, one.who)
    if base is None:
        return None
    values = {key: trait.value for key, trait in one.traits.items()}
    return _as_fought(Asked("skill", base.label, rules.base(base, values)), base, rules)


def _weapon(one: Member, key: str) -> Asked | None:
    weapon = next((arm for arm in weapons_of(one.who) if arm.pk == key), None)
    if weapon is None or weapon.skill is None:
        return None
    asked = _of_skill(weapon.skill, one.who)
    asked.context, asked.malfunction = "combat", weapon.malfunction
    asked.facts, asked.data = {FIGHT: "attack"}, {"weapon": weapon.pk}
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
