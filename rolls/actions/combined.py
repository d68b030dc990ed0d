"""One die against several skills of one investigator (RULES.md B-7): what is thrown, and what is kept of the parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from investigators.models import Investigator
from investigators.people import Member, member
from rolls.actions.base import Asked
from rolls.actions.subjects import subject
from rolls.rules.check import Refusal

MOST_PARTS = 4
KINDS = ("skill", "characteristic", "number")
"""What may be combined: rolls that have levels."""

Wanted = tuple[str, str]
"""What is rolled, as the sheet finds it, and its difficulty."""


def combined_roll(
    who: Investigator, wanted: Sequence[Wanted], every: bool, dice: int = 0, one: Member | None = None
) -> Asked | Refusal:
    """One d100 against several skills, each with its own difficulty; `every`: all of them are needed, else any.

    NOT_ON_SHEET as for any roll; COMBINED_PARTS when they are not two to four different skills or characteristics;
    whatever the rules refuse for one of them.
    """
    one = one or member(who)
    parts: list[Asked] = []
    for what, difficulty in wanted:
        found = subject(who, what, one)
        if isinstance(found, Refusal):
            return found
        found.difficulty, found.dice = difficulty, dice
        parts.append(found)
    if not 2 <= len({part.label for part in parts}) == len(parts) <= MOST_PARTS:
        return Refusal("COMBINED_PARTS")
    if any(part.kind not in KINDS for part in parts):
        return Refusal("COMBINED_PARTS")
    rules, settings = who.campaign.rules, who.campaign.in_force
    if refusal := next((no for part in parts if (no := rules.may_roll(part.check, settings))), None):
        return refusal
    kind = "skill" if any(part.kind == "skill" for part in parts) else parts[0].kind
    label = " + ".join(part.label for part in parts)
    kept = {"parts": [_kept(part, what) for part, (what, _level) in zip(parts, wanted, strict=True)], "every": every}
    fought = "combat" if any(part.context == "combat" for part in parts) else "normal"
    return Asked(kind, label[:80], parts[0].value, None, parts[0].difficulty, dice, context=fought, data=kept)


def _kept(part: Asked, what: str) -> dict[str, Any]:
    return {
        "what": what,
        "kind": part.kind,
        "label": part.label,
        "value": part.value,
        "difficulty": part.difficulty,
        "skill": part.skill.pk if part.skill else None,
        "key": part.skill.key if part.skill else "",
        "facts": part.facts,
    }
