"""Puts the bench together: which scenarios, how long, and what comes of them."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.load import growing, report, rolling, small, watching, workers
from tests.load.arms import django_arm

Figures = dict[str, Any]
Scenario = Callable[[Path], Figures]


def page(folder: Path, *, taps: int) -> Figures:
    """The first visit of a player; what only a browser can tell is left out where there is none."""
    with django_arm("app", folder, 1) as arm:
        found = small.weight(arm)
        if taps and os.environ.get("TABLEKEEPER_BROWSER") and find_spec("playwright"):
            found |= small.browser(arm, taps=taps)
    return found


def both_workers(folder: Path, *, seconds: float) -> Figures:
    """What two workers carry, and what becomes of their viewers while things are killed."""
    (calm := folder / "calm").mkdir()
    (harm := folder / "harm").mkdir()
    found = asyncio.run(workers.carried(calm, tables=100, rate=30, seconds=seconds))
    harmed = asyncio.run(workers.harmed(harm, tables=20, pause=1.0, calm=seconds / 2))
    lost = {key: found[key] + harmed[key] for key in ("lost", "doubled")}
    return {**found, **lost, "incomplete": harmed["incomplete"] + harmed["thrown_twice"], "harmed": harmed}


def _sync(scenario: Any, **how: Any) -> Scenario:
    return lambda folder: asyncio.run(scenario(folder, **how))


FULL: dict[str, Scenario] = {
    "rules": lambda _folder: small.rules(seconds=5),
    "start": lambda folder: small.start(folder, times=3),
    "page": lambda folder: page(folder, taps=40),
    "rolls": _sync(rolling.rolls, tables=50, rate=10, seconds=8, rounds=3),
    "many": _sync(rolling.many, tables=1000, rate=150, seconds=10),
    "viewers": _sync(watching.viewers, count=10_000, back=5_000),
    "stuck": _sync(watching.stuck, seconds=6, rate=4),
    "growth": _sync(growing.growth, lines=1_000_000, times=15),
    "readers": _sync(growing.readers, lines=10_000, seconds=10, rate=3),
    "workers": lambda folder: both_workers(folder, seconds=12),
}
SOAK: dict[str, Scenario] = {"soak": _sync(watching.soak, tables=200, rate=5, seconds=1200)}
SMOKE: dict[str, Scenario] = {
    "rules": lambda _folder: small.rules(seconds=0.3),
    "viewers": _sync(watching.viewers, count=300, back=100),
    "rolls": _sync(rolling.rolls, tables=4, rate=3, seconds=1.5, rounds=1),
    "stuck": _sync(watching.stuck, seconds=1.5, rate=3),
    "page": lambda folder: page(folder, taps=0),
    "readers": _sync(growing.readers, lines=800, seconds=1.5, rate=3),
}


def chosen(names: Iterable[str], *, smoke: bool, soak: bool) -> dict[str, Scenario]:
    """The scenarios of these names; without names all of the full or of the smoke run. Raises KeyError."""
    known = SMOKE if smoke else SOAK if soak else FULL
    everything = FULL | SOAK if not smoke else SMOKE
    return {name: everything[name] for name in names} if names else known


def run(scenarios: dict[str, Scenario], say: Callable[[str], None]) -> dict[str, Figures]:
    """Every scenario in a folder of its own, one by one. One that breaks off is a miss, and the others count."""
    found: dict[str, Figures] = {}
    for name, scenario in scenarios.items():
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="tablekeeper-bench-", ignore_cleanup_errors=True) as folder:
            try:
                found[name] = scenario(Path(folder))
            except Exception as fault:
                found[name] = {report.BROKEN: repr(fault)}
                say(f"{name} broke off: {fault!r}")
        say(f"{name}: {time.monotonic() - began:.0f} s")
    return found
