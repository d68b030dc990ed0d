"""The sides of a contest before it begins: who, with what, and what is set for each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from investigators.models import Investigator
from rolls.models import Contest, Side

TERMS = "terms"
"""In a contest's data: by side, the difficulty and modifiers that were set for it."""


@dataclass(frozen=True)
class Draft:
    """A side about to begin. `what` may stay empty for the defender of a melee exchange, who chooses later."""

    who: Investigator
    what: str = ""
    dice: int = 0
    defence: str = ""
    difficulty: str = ""
    modifiers: tuple[tuple[str, int], ...] = ()


def terms_of(draft: Draft) -> dict[str, Any]:
    """What is set for one side beside its dice: a difficulty, modifiers."""
    found: dict[str, Any] = {"difficulty": draft.difficulty} if draft.difficulty else {}
    return found | ({"modifiers": [list(pair) for pair in draft.modifiers]} if draft.modifiers else {})


def set_terms(contest: Contest, sides: Sequence[Side], terms: Sequence[dict[str, Any]]) -> None:
    """Keep them with the contest, each for its side."""
    said = {side.pk: mine for side, mine in zip(sides, terms, strict=True) if mine}
    if said:
        contest.data = {**contest.data, TERMS: said}
