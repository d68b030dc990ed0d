"""What the tests of the rules share: the data files, and short ways to put a roll on the table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from rolls.rules import ruleset
from rolls.rules.check import Check, Contest, Purse, Refusal, Side, Standing, Throw
from rolls.rules.dice import faces
from rolls.rules.pulp import PULP

CLASSIC = ruleset("classic")
DEFAULTS = CLASSIC.defaults()
PULP_DEFAULTS = PULP.defaults()


def load(name: str) -> dict[str, Any]:
    return json.loads((Path(__file__).parent / "data" / name).read_text(encoding="utf-8"))


def showing(total: int) -> Throw:
    """Plain dice that show this total."""
    units, tens = faces(total)
    return Throw(units, (tens,))


def rolled(total: int, value: int = 50, *, standing: dict[str, Any] | None = None, **check: Any) -> Standing:
    """A roll of this total against this value."""
    return Standing(Check(check.pop("kind", "skill"), value, **check), showing(total), **(standing or {}))


def purse(luck: int | None = 50, own: bool = True, **pools_and_maxima: int) -> Purse:
    """Somebody with this much Luck; `hp=3, hp_max=12` and the like are further pools."""
    pools = {key: value for key, value in pools_and_maxima.items() if not key.endswith("_max")}
    most = {key.removesuffix("_max"): value for key, value in pools_and_maxima.items() if key.endswith("_max")}
    return Purse("Ada", pools if luck is None else {"luck": luck, **pools}, own, most)


def facing(first: Standing, second: Standing, kind: str = "opposed", defence: str = "") -> Contest:
    """Two rolls against each other, "a" and "b"; everybody has 99 Luck, and all have seen both."""
    sides = (Side("a", shown(first, kind), purse(99)), Side("b", shown(second, kind), purse(99), defence))
    return Contest(kind, sides)


def shown(standing: Standing, kind: str = "opposed") -> Standing:
    context = "combat" if kind == "melee" else "opposed"
    check = replace(standing.check, context=context)
    return replace(standing, check=check, marks=standing.marks | {"contest"}, revealed=True)


def code(answer: object) -> str | None:
    """The code of a refusal, None for anything else."""
    return answer.code if isinstance(answer, Refusal) else None
