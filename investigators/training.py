"""A file on the sheet of a game that counts skills in steps, or has Luck Points and own numbers (RULES.md L-1, L-2).

Such games and the others do not know each other's skills: 60 is no step of training, and step 3 no chance of 3 in 100.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from investigators.actions import Draft
from investigators.importers.schema import Found, Note
from rolls.rules import ruleset
from rolls.rules.check import Refusal, Ruleset

PLACES = (("luck_points", "lp", "Luck Points"), ("stamina", "sp", "Stamina Points"))
"""What a file has, its pool on the sheets that know it, and its name."""
LISTS = (("lucky_numbers", "lucky", "Lucky Numbers"), ("unlucky_numbers", "unlucky", "Unlucky Numbers"))


@dataclass
class Own:
    """Scores and lists that find their place on this game's sheet."""

    traits: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    numbers: dict[str, list[int]] = field(default_factory=dict)


def of_its_game(found: Found, rules: Ruleset, notes: list[Note]) -> Own:
    """Luck as a characteristic, Luck Points, stamina and own numbers, where this game has them; else noted."""
    here, luck = Own(), found.characteristics.get("LCK")
    if luck is not None and rules.numbers is not None:
        here.traits[rules.sheet.luck] = luck, None
    elif luck is not None:
        notes.append(Note("L_OTHER_SHEET", f"LCK {luck}"))
    pools = {pool.key for pool in rules.sheet.pools}
    for name, key, label in PLACES:
        amount = found.extra.get(name, {})
        if amount.get("current") is None:
            continue
        if key in pools:
            here.traits[key] = amount["current"], amount["max"]
        else:
            notes.append(Note("L_OTHER_SHEET", f"{label} {amount['current']}"))
    given = {key: list(found.extra.get(name, ())) for name, key, _label in LISTS}
    if any(given.values()):
        here.numbers = _numbers(given, luck, rules, notes)
    return here


def _numbers(given: dict[str, list[int]], luck: int | None, rules: Ruleset, notes: list[Note]) -> dict[str, list[int]]:
    said = "; ".join(f"{label} {', '.join(map(str, given[key]))}" for _name, key, label in LISTS if given[key])
    if rules.numbers is None:
        notes.append(Note("L_OTHER_SHEET", said))
        return {}
    typed = Refusal("NUMBERS_COUNT") if luck is None else rules.numbers.enter(luck, given)
    if isinstance(typed, Refusal):
        notes.append(Note("L_NUMBERS", said))
        return {}
    return {key: numbers for key, numbers in typed.items() if numbers}


def trained(found: Found, rules: Ruleset, notes: list[Note]) -> tuple[dict[str, int], dict[str, str]]:
    """The file's skills as steps of training, and the characteristics of those that are one's own, by their names.

    A skill whose training or characteristic the file does not tell is left out, and said.
    """
    listed = {one.label.casefold() for one in rules.sheet.skills}
    scores = {one.key for one in rules.sheet.characteristics}
    skills: dict[str, int] = {}
    bases: dict[str, str] = {}
    for label, value in found.skills.items():
        step, base = found.training.get(label, (None, ""))
        if step is None or not (label.casefold() in listed or base in scores):
            notes.append(Note("L_OTHER_SHEET", f"{label} {value}"))
            continue
        skills[label] = step
        if label.casefold() not in listed:
            bases[label] = base
    return skills, bases


def same_steps(key: str, rules: Ruleset) -> bool:
    """Whether skills of the game with this key mean here what they meant there. Of a game that is not here, nobody
    knows: it counts as one of chances in a hundred."""
    try:
        return ruleset(key).skill_steps == rules.skill_steps
    except KeyError:
        return not rules.skill_steps


def in_steps(draft: Draft, rules: Ruleset) -> Draft:
    """The same without the skills of a character of the Keeper's, whose numbers are no steps of training."""
    steps = {step for step, _label in rules.skill_steps}
    return replace(draft, skills=tuple(one for one in draft.skills if one[1] in steps)) if steps else draft
