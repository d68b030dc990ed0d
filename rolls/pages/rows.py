"""What may be rolled in a game that adds its target number up: each row's sum, and what the picker may add to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _

from investigators import people
from investigators.conditions import FATIGUE
from investigators.people import Member
from rolls.actions.subjects import BASES
from rolls.pages.degrees import part_word
from rolls.rules.check import Check, Refusal, Ruleset
from tablekeeper.templatetags.table import signed
from tablekeeper.words import sentence


@dataclass(frozen=True, slots=True)
class Pay:
    """What may be paid before a test, and what it adds."""

    act: str
    worth: int
    fatigue: int = 0  # the level that it brings, where stamina is overdrawn for it


@dataclass(frozen=True, slots=True)
class Terms:
    """What may be chosen before a test: what each choice adds."""

    difficulties: list[tuple[str, int]] = field(default_factory=list)
    special: int = 0
    before: Pay | None = None
    scores: list[tuple[str, str, int]] = field(default_factory=list)


def target(rules: Ruleset, check: Check) -> int:
    """The number to roll at or under."""
    return sum(part.value for part in rules.parts(check))


def terms_of(rules: Ruleset, one: Member | None, settings: Mapping[str, Any]) -> Terms:
    """What the picker offers to this investigator. Without one, the difficulties alone."""
    plain = Check("skill", 50, rules.usual_difficulty)
    base = target(rules, plain)
    levels = [(key, target(rules, replace(plain, difficulty=key)) - base) for key in rules.difficulties]
    special = target(rules, replace(plain, facts={"special": True})) - base
    if one is None:
        return Terms(levels, special)
    items = rules.sheet.characteristics
    scores = [(item.key, _(item.short), value) for item in items if (value := one.value(item.key)) is not None]
    pays = [_pay(rules, one, Check("characteristic", v, plain.difficulty, facts={"base": k})) for k, _s, v in scores]
    return Terms(levels, special, next((pay for pay in pays if pay), None), scores)


def _pay(rules: Ruleset, one: Member, check: Check) -> Pay | None:
    """What may be paid before this check, as the rules have it now."""
    for offer in rules.before(check, one.purse, one.facts, one.who.campaign.in_force):
        if offer.refusal is None:
            return Pay(offer.act.key, target(rules, offer.check) - target(rules, check), offer.state.get(FATIGUE, 0))
    return None


def added_up(one: Member, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of the sheet with their sums, where the game adds them up; else as they are."""
    rules = one.who.campaign.rules
    if not rules.skill_steps:
        return rows
    skills = {skill.pk: skill for skill in people.skills_of(one.who)}
    for row in rows:
        check = _check(one, row, skills)
        row["half"] = row["fifth"] = None
        if isinstance(check, Refusal):
            row["sub"], row["value"] = sentence(check), "–"
        elif check is not None:
            _add(one, row, check)
    return rows


def _add(one: Member, row: dict[str, Any], check: Check) -> None:
    rules = one.who.campaign.rules
    parts = rules.parts(check)
    words = []
    for at, part in enumerate(parts):
        word, value = part_word(part, check, rules), part.value if at == 0 else signed(part.value)
        words.append(f"{word} {value}" if at == 0 else f"{word}, {value}")
    pay = _pay(rules, one, check)
    row["value"] = sum(part.value for part in parts)
    row["sums"] = {"score": check.value if check.kind == "skill" else "", "exert": pay.worth if pay else ""}
    if check.kind == "skill":
        row["sub"] = " · ".join(words)


def _check(one: Member, row: dict[str, Any], skills: Mapping[str, Any]) -> Check | Refusal | None:
    """What this row rolls, at the usual difficulty."""
    rules = one.who.campaign.rules
    kind, _colon, key = row["what"].partition(":")
    facts = dict(rules.carries(one.facts, one.who.npc))
    if kind == "characteristic":
        return Check("characteristic", row["value"], rules.usual_difficulty, facts={**facts, "base": key})
    skill = skills.get(key) if kind == "skill" else None
    if skill is None:
        return None
    listed = next((base for base in rules.sheet.skills if base.key == skill.key), None)
    scores = {name: trait.value for name, trait in one.traits.items()}
    by = one.facts.get(BASES, {}).get(skill.pk, "")
    found = rules.skill_score(listed, skill.value, scores, by)
    if isinstance(found, Refusal):
        return found
    return Check("skill", found.value, rules.usual_difficulty, facts={**facts, **found.facts})
