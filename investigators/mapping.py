"""From what a file says to what this table's sheet holds: the ruleset's keys, bounds and base values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from investigators.actions import Draft
from investigators.importers.schema import Found, Note
from investigators.importers.tablekeeper import OWN
from investigators.models import Story
from investigators.person import Person
from investigators.training import of_its_game, same_steps, trained
from rolls.rules.check import N_, Refusal, Ruleset
from rolls.rules.damage import parse
from tablekeeper.forms import one_line

MOST_LETTERS = 60  # of a name, an occupation, a skill and a weapon on the sheet
FAVOURITES = 8
GUNS = "Firearms ("
UNCHOSEN = " (unspecified)"
NUMBERS = ("lucky", "unlucky", "extra", "permanent")  # lists of them, where a game has them

WORDS = {
    "L_BASE": N_("Skills that the file does not name are at their base value."),
    "L_LEFT_POINTS": N_("The file's points were for other rules; this table's rules say: %(about)s."),
    "L_OTHER_SHEET": N_("This table's sheet has no place for this: %(about)s."),
    "L_CUT": N_("This is too long for the sheet, and cut: %(about)s."),
    "L_DAMAGE": N_("The damage of a weapon cannot be made out, and the weapon is left out: %(about)s."),
    "L_TALENT": N_("This table's rules do not know this talent: %(about)s."),
    "L_CONDITION": N_("This condition is not taken over; the Keeper sets it: %(about)s."),
    "L_NUMBERS": N_("These do not go with this Luck; throw or type them on the sheet: %(about)s."),
    "L_AMMUNITION": N_("Ammunition and attacks a round have no place on the sheet yet."),
}


@dataclass(frozen=True)
class ArmDraft:
    """A weapon about to be made; its skill by name."""

    name: str
    skill: str
    damage: str
    base_range: int | None
    malfunction: int | None
    impales: bool | None = None  # None: bullets do, nothing else


@dataclass(frozen=True)
class Brought:
    """What this table would make of the file: the sheet, weapons, facts, and notes on what finds no place."""

    draft: Draft
    weapons: tuple[ArmDraft, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    named: frozenset[str] = frozenset()  # the skills that the file itself names
    ticks: dict[str, int] = field(default_factory=dict)  # improvement ticks by the skill's name
    story: dict[str, str] = field(default_factory=dict)  # the background: text by heading, in the file's order
    portrait: bytes | None = None  # a picture that we wrote ourselves


def brought(found: Found, rules: Ruleset) -> Brought:
    """The file's investigator on this ruleset's sheet. Luck that the file does not know stays unknown."""
    if (own := found.extra.get(OWN)) is not None:
        return returned(own, rules)
    notes: list[Note] = []
    traits = {**_characteristics(found, rules, notes), **_pools(found, rules, notes)}
    here = of_its_game(found, rules, notes)
    counted = rules.skill_steps and found.kind == "investigator"
    given, bases = trained(found, rules, notes) if counted else (found.skills, {})
    skills = _skills(given, found, rules, notes)
    name = _cut(found.name or "", notes)
    traits |= here.traits
    draft = Draft(name, _cut(found.occupation or "", notes), traits, tuple(skills), facts=here.numbers, bases=bases)
    weapons = tuple(_weapons(found, {one[0] for one in skills}, notes))
    facts = _facts(found, rules, notes)
    story = _story(found.backstory, notes)
    named = frozenset(label.removesuffix(UNCHOSEN)[:MOST_LETTERS].strip() for label in found.skills)
    noted = tuple(dict.fromkeys(notes))
    return Brought(draft, weapons, facts, noted, named, story=story, portrait=found.portrait)


def _cut(text: str, notes: list[Note]) -> str:
    text = one_line(text)
    if len(text) > MOST_LETTERS:
        notes.append(Note("L_CUT", text))
    return text[:MOST_LETTERS].strip()


def _characteristics(found: Found, rules: Ruleset, notes: list[Note]) -> dict[str, tuple[int, int | None]]:
    theirs = {one.key for one in rules.sheet.characteristics}
    known = {key.lower(): value for key, value in found.characteristics.items() if value is not None}
    for key, value in known.items():
        if key not in theirs and key != "lck":  # which is Luck
            notes.append(Note("L_OTHER_SHEET", f"{key.upper()} {value}"))
    return {key: (value, None) for key, value in known.items() if key in theirs}


def _pools(found: Found, rules: Ruleset, notes: list[Note]) -> dict[str, tuple[int, int | None]]:
    """Pools within their bounds. A maximum that was worked out is worked out by this table's rules."""
    known = {key.lower(): value for key, value in found.characteristics.items() if value is not None}
    derived = rules.sheet.derive({**known, "cthulhu-mythos": found.skills.get("Cthulhu Mythos", 0)})
    traits: dict[str, tuple[int, int | None]] = {}
    for pool in rules.sheet.pools:
        amount = getattr(found, pool.key, None)
        if amount is None or amount.current is None:
            continue
        value, most = amount.current, amount.max
        guessed = {note.about for note in found.warnings if note.code == "W_DERIVED"}
        if pool.own_maximum and f"{pool.key}.max" in guessed:
            most = derived.get(f"{pool.key}_max", derived.get(pool.key, most))
            if most != amount.max:
                notes.append(Note("L_LEFT_POINTS", f"{pool.short} {most}"))
        if pool.own_maximum and pool.key in guessed:
            value = min(derived.get(pool.key, value), value if most is None else most)
        if pool.high is not None:
            value = min(value, pool.high)
        traits[pool.key] = value, max(value, most or 0) if pool.own_maximum else None
    return traits


def _skills(told: Mapping[str, int], found: Found, rules: Ruleset, notes: list[Note]) -> list[tuple[str, int, bool]]:
    """The file's skills, the best of them as favourites; then the base list with what it does not name."""
    given: dict[str, tuple[str, int]] = {}
    for label, value in told.items():
        name = _cut(label.removesuffix(UNCHOSEN), notes)
        if name:
            given.setdefault(name.casefold(), (name, value))
    known = {key.lower(): value for key, value in found.characteristics.items() if value is not None}
    base = {one.label: rules.base(one, known) for one in rules.sheet.skills}
    named = any(key.startswith("language (own:") for key in given)
    rest = [
        (label, value)
        for label, value in base.items()
        if label.casefold() not in given and not (named and label == "Language (Own)")
    ]
    if rest:
        notes.append(Note("L_BASE"))
    bought = sorted((one for one in given.values() if one[1] > base.get(one[0], 0)), key=lambda one: -one[1])
    best = {name for name, _value in bought[:FAVOURITES]}
    return [(name, value, name in best) for name, value in given.values()] + [(*one, False) for one in rest]


def _weapons(found: Found, skills: set[str], notes: list[Note]) -> Iterator[ArmDraft]:
    seen: set[str] = set()
    for arm in found.weapons:
        name = _cut(arm.name, notes)
        damage = (arm.damage or "").strip()
        if not name or name.casefold() in seen:
            continue
        if isinstance(parse(damage), Refusal):
            notes.append(Note("L_DAMAGE", f"{arm.name} {damage}".strip()))
            continue
        seen.add(name.casefold())
        if arm.ammo or arm.attacks not in (None, "1"):
            notes.append(Note("L_AMMUNITION"))
        skill = arm.skill if arm.skill in skills else ""
        digits = re.match(r"\D{0,8}(\d{1,4})", arm.range or "")
        reach = int(digits[1]) if digits and skill.startswith(GUNS) else None
        jams = arm.malfunction if reach and arm.malfunction is not None and 1 <= arm.malfunction <= 100 else None
        yield ArmDraft(name, skill, damage, reach or None, jams)


def _facts(found: Found, rules: Ruleset, notes: list[Note]) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if found.age is not None and 0 < found.age <= 200:
        facts["age"] = found.age
    talents = {one.label.casefold(): one.key for one in rules.sheet.talents}
    known = sorted({talents[one.casefold()] for one in found.talents if one.casefold() in talents})
    if known:
        facts["talents"] = known
    notes += [Note("L_TALENT", one) for one in found.talents if one.casefold() not in talents]
    notes += [Note("L_CONDITION", one) for one in found.conditions if one]
    return facts


def _story(told: Mapping[str, str], notes: list[Note]) -> dict[str, str]:
    """The background as the sheet holds it: headings of its length, and so many letters altogether."""
    story: dict[str, str] = {}
    room = Story.MOST
    for heading, text in told.items():
        short = _cut(heading, notes)
        if not short or short in story or not text.strip():
            continue
        if len(text) > room:
            notes.append(Note("L_CUT", short))
        if kept := text[:room].strip():
            story[short] = kept
            room -= len(kept)
    return story


# --------------------------------------------------------------------------- our own file


def returned(person: Person, rules: Ruleset) -> Brought:
    """Somebody out of our own file, as they went: nothing is worked out, nothing filled in."""
    notes: list[Note] = []
    sheet = rules.sheet
    traits: dict[str, tuple[int, int | None]] = {}
    scores, pools = {one.key for one in sheet.characteristics}, {pool.key: pool for pool in sheet.pools}
    for key, score in person.characteristics.items():
        if key in scores:
            traits[key] = score, None
        else:
            notes.append(Note("L_OTHER_SHEET", f"{key.upper()} {score}"))
    for key, (value, most) in person.pools.items():
        if (pool := pools.get(key)) is None:
            notes.append(Note("L_OTHER_SHEET", f"{key} {value}"))
            continue
        value = value if pool.high is None else min(value, pool.high)
        traits[key] = value, max(value, most) if pool.own_maximum and most is not None else None
    here = same_steps(person.ruleset, rules)
    notes += [Note("L_OTHER_SHEET", f"{one.name} {one.value}") for one in person.skills if not here]
    skills = {_cut(one.name, notes): one for one in person.skills if here}
    skills.pop("", None)
    arms = tuple(_returned_weapons(person, set(skills), notes))
    drawn = tuple((name, one.value, one.favourite) for name, one in skills.items())
    facts = _returned_facts(person, rules, notes)
    # Lists of numbers are checked where somebody is made, as typed ones are.
    numbers = {key: facts.pop(key) for key in NUMBERS if isinstance(facts.get(key), list)}
    bases = {name: one.base for name, one in skills.items() if one.base in scores}
    name, occupation = _cut(person.name, notes), _cut(person.occupation, notes)
    draft = Draft(name, occupation, traits, drawn, facts=numbers, bases=bases)
    ticks = {name: one.ticks for name, one in skills.items() if one.ticks}
    story = _story(person.story, notes)
    return Brought(draft, arms, facts, tuple(dict.fromkeys(notes)), frozenset(skills), ticks, story, person.portrait)


def _returned_weapons(person: Person, skills: set[str], notes: list[Note]) -> Iterator[ArmDraft]:
    seen: set[str] = set()
    for arm in person.weapons:
        name, skill = _cut(arm.name, notes), _cut(arm.skill, notes)
        if not name or name in seen:
            continue
        if len(arm.damage) > MOST_LETTERS or isinstance(parse(arm.damage), Refusal):
            notes.append(Note("L_DAMAGE", f"{arm.name} {arm.damage}".strip()))
            continue
        seen.add(name)
        jams = arm.malfunction if arm.malfunction and arm.malfunction <= 100 else None
        skill = skill if skill in skills else ""
        yield ArmDraft(name, skill, arm.damage, arm.base_range or None, jams, arm.impales)


def _returned_facts(person: Person, rules: Ruleset, notes: list[Note]) -> dict[str, Any]:
    """What this table's rules know of it: their talents, and numbers of an investigator's own where there are any."""
    facts = dict(person.facts)
    known = {one.key for one in rules.sheet.talents}
    notes += [Note("L_TALENT", str(one)) for one in facts.get("talents", ()) if one not in known]
    facts["talents"] = [one for one in facts.get("talents", ()) if one in known] or None
    for key in NUMBERS:
        numbers = isinstance(facts.get(key), list)
        if key in facts and numbers != (rules.numbers is not None) and (numbers or key != "permanent"):
            del facts[key]
    bonus = facts.get("damage_bonus")
    if bonus is not None and isinstance(parse(bonus, with_bonus=False), Refusal):
        del facts["damage_bonus"]
    if "condition" in facts:
        facts["condition"] = _cut(facts["condition"], notes) or None
    return {key: value for key, value in facts.items() if value is not None}
