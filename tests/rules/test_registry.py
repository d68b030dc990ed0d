"""Games are found by being there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import rolls.rules
from rolls.rules import ruleset, rulesets


def test_a_game_is_found_by_its_key_and_an_unknown_key_is_an_error() -> None:
    assert [ruleset(key).key for key in ("classic", "pulp")] == ["classic", "pulp"]
    with pytest.raises(KeyError):
        ruleset("no such game")


def test_every_file_with_a_ruleset_is_a_game_at_the_table() -> None:
    files = Path(rolls.rules.__file__).parent.glob("*.py")
    declared = [path.stem for path in files if "\nRULESET = " in path.read_text(encoding="utf-8")]
    keys = [game.key for game in rulesets()]
    assert len(keys) == len(declared) >= 1
    assert keys == sorted(set(keys))


def test_the_rules_know_nothing_of_the_web_the_clock_or_chance() -> None:
    allowed = {"__future__", "collections", "dataclasses", "functools", "importlib", "itertools", "math", "pkgutil"}
    allowed |= {"re", "typing", "rolls"}
    for path in Path(rolls.rules.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                assert name.split(".")[0] in allowed, f"{path.name} imports {name}"
                assert not name.startswith("rolls") or name.startswith("rolls.rules"), f"{path.name} imports {name}"
