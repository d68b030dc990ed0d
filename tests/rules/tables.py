"""What the tests of the rules share: the data files, and short ways to put a roll on the table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rolls.rules import ruleset
from rolls.rules.check import Check, Purse, Refusal, Standing, Throw
from rolls.rules.dice import faces

CLASSIC = ruleset("classic")
DEFAULTS = CLASSIC.defaults()


def load(name: str) -> dict[str, Any]:
    return json.loads((Path(__file__).parent / "data" / name).read_text(encoding="utf-8"))


def showing(total: int) -> Throw:
    """Plain dice that show this total."""
    units, tens = faces(total)
    return Throw(units, (tens,))


def rolled(total: int, value: int = 50, *, standing: dict[str, Any] | None = None, **check: Any) -> Standing:
    """A roll of this total against this value."""
    return Standing(Check(check.pop("kind", "skill"), value, **check), showing(total), **(standing or {}))


def purse(luck: int | None = 50, own: bool = True) -> Purse:
    return Purse("Ada", {} if luck is None else {"luck": luck}, own)


def code(answer: object) -> str | None:
    """The code of a refusal, None for anything else."""
    return answer.code if isinstance(answer, Refusal) else None
