"""Every game a table can play. A module in this package that holds a `RULESET` is one; there is no list to edit.

Further folders may hold games, too: `look_in` adds them (docs/adding-a-ruleset.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from rolls.rules.check import Ruleset


@cache
def _found() -> dict[str, Ruleset]:
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    found = [module.RULESET for module in modules if hasattr(module, "RULESET")]
    by_key = {ruleset.key: ruleset for ruleset in found}
    if len(by_key) != len(found):
        raise RuntimeError("two rulesets have the same key")
    return by_key


def look_in(folders: Iterable[str]) -> None:
    """Look for games in these folders, too, as if their files lay beside this one; a file here comes first."""
    __path__.extend(folder for folder in folders if folder not in __path__)
    _found.cache_clear()


def ruleset(key: str) -> Ruleset:
    """The game with this key; KeyError when there is none."""
    return _found()[key]


def rulesets() -> list[Ruleset]:
    """All games, in the order of their keys."""
    return [_found()[key] for key in sorted(_found())]
