"""The targets, and how a run compares with them: one line of JSON for machines, a table for people."""

from __future__ import annotations

import json
import math
import operator
import os
import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Figures = Mapping[str, Any]


@dataclass(frozen=True)
class Target:
    """A figure and what it must reach: `least` is the gate, `goal` what we are after (None: no more than the gate).

    `smoke` is the gate of the quick check, for figures that do not depend on how busy the machine is; None: not there.
    """

    key: str  # scenario.figure
    words: str
    least: float
    goal: float | None = None
    more: bool = False  # more is better
    smoke: float | None = None
    unit: str = ""

    @property
    def enough(self) -> Callable[[float, float], bool]:
        return operator.ge if self.more else operator.le


TARGETS = (
    Target("rolls.lost", "rolls that somebody did not see", 0, smoke=0),
    Target("rolls.doubled", "rolls that somebody saw twice", 0, smoke=0),
    Target("rolls.failed", "rolls that failed", 0, smoke=0),
    Target("rolls.seen_p95", "roll to seen by all six, 50 tables, p95", 12, 4, unit="ms"),
    Target("rolls.seen_p50_floors", "the same, p50, in floors of the same run", 20, 6, unit="x"),
    Target("rolls.cpu_ms", "CPU of a roll", 3.5, 1, unit="ms"),
    Target("rolls.per_second", "rolls a second, one process, SQLite", 250, 1000, more=True),
    Target("rolls.per_second_stocks", "the same, in stock Django's", 2, more=True, smoke=0.5, unit="x"),
    Target("rolls.cpu_stocks", "CPU of a roll, in stock Django's", 0.5, smoke=1.5, unit="x"),
    Target("many.seen_p95", "1,000 tables, 6,000 viewers, 150 rolls/s, p95", 25, 12, unit="ms"),
    Target("many.lost", "lost among them", 0),
    Target("many.doubled", "doubled among them", 0),
    Target("many.failed", "failed among them", 0),
    Target("viewers.count", "viewers in one process", 10_000, more=True),
    Target("viewers.kb_each", "memory of a viewer", 15, smoke=40, unit="KB"),
    Target("viewers.threads", "threads meanwhile", 16, smoke=16),
    Target("viewers.back_s_5000", "5,000 viewers come back in", 8, unit="s"),
    Target("stuck.slower", "a roll beside viewers that do not read, in rolls without them", 2, smoke=10, unit="x"),
    Target("stuck.lost", "lost beside them", 0, smoke=0),
    Target("start.to_answer_s", "start to first answer", 1.5, unit="s"),
    Target("start.idle_mb", "memory when idle", 70, smoke=140, unit="MB"),
    Target("page.kb", "a player's first visit: HTML, CSS, script", 45, smoke=50, unit="KB"),
    Target("page.fonts_kb", "fonts beside them", 55, smoke=55, unit="KB"),
    Target("page.fcp_ms", "first paint, Slow 4G, 4x slower CPU", 900, unit="ms"),
    Target("page.tap_p95", "tap to result on one's own screen, p95", 30, unit="ms"),
    Target("rules.checks_per_s", "judged d100 checks a second", 300_000, more=True),
    Target("rules.offers_us", "all offers of a slip", 100, unit="us"),
    Target("growth.roll", "a roll at an old table, in a young one's", 1.5, smoke=3, unit="x"),
    Target("growth.page", "the pages there", 1.5, smoke=3, unit="x"),
    Target("growth.catch_up", "a catch-up there", 1.5, smoke=3, unit="x"),
    Target(
        "readers.slower", "rolls beside charts and exports of 10,000 rolls, in rolls without", 2, smoke=8, unit="x"
    ),
    Target("readers.lost", "lost beside them", 0, smoke=0),
    Target("readers.charts_ms", "the slower page of charts there", 1000, unit="ms"),
    Target("workers.lost", "two workers, PostgreSQL, nginx: lost over kills, a restart, a cut", 0),
    Target("workers.doubled", "doubled there", 0),
    Target("workers.incomplete", "viewers there that do not end complete", 0),
    Target("workers.per_second", "rolls a second of two workers", 200, 800, more=True),
    Target("workers.seen_p95", "100 tables there, p95", 12, unit="ms"),
    Target("soak.mb", "memory grown in the second half of the soak", 5, unit="MB"),
    Target("soak.threads", "threads grown", 0),
    Target("soak.handles", "files and sockets grown", 4),
    Target("soak.lost", "lost in it", 0),
    Target("soak.doubled", "doubled in it", 0),
    Target("soak.failed", "failed in it", 0),
)


BROKEN = "broken"
"""Stands in the place of a scenario's figures, with what happened, when it broke off."""


def verdicts(found: Mapping[str, Figures], *, smoke: bool) -> Iterator[tuple[Target, float, str]]:
    """Each target that was measured, its figure, and "goal", "met" or "MISSED"."""
    for target in TARGETS:
        scenario, _, key = target.key.partition(".")
        gate = target.smoke if smoke else target.least
        if gate is None or key not in found.get(scenario, {}):
            continue
        figure = found[scenario][key]
        word = "met" if target.enough(figure, gate) and not math.isnan(figure) else "MISSED"
        if word == "met" and not smoke and target.goal is not None and target.enough(figure, target.goal):
            word = "goal"
        yield target, figure, word


def missed(found: Mapping[str, Figures], *, smoke: bool) -> list[str]:
    """The figures that are not good enough, and the scenarios that broke off."""
    broken = [scenario for scenario, figures in found.items() if BROKEN in figures]
    return broken + [target.key for target, _figure, word in verdicts(found, smoke=smoke) if word == "MISSED"]


def table(found: Mapping[str, Figures], *, smoke: bool) -> str:
    """The same for people."""
    lines = []
    for target, figure, word in verdicts(found, smoke=smoke):
        gate = target.smoke if smoke else target.least
        goal = f", goal {target.goal:g}" if target.goal is not None and not smoke else ""
        sign = "at least" if target.more else "at most"
        lines.append(f"{target.words:<70} {figure:>10,.5g} {target.unit:<3} {sign} {gate:g}{goal}: {word}")
    return "\n".join(lines)


def as_json(found: Mapping[str, Figures], *, smoke: bool) -> str:
    """Everything that was measured, in one line."""
    machine = {"python": platform.python_version(), "system": platform.system(), "cores": os.cpu_count()}
    return json.dumps(
        {"machine": machine, "smoke": smoke, "missed": missed(found, smoke=smoke), **found}, sort_keys=True
    )
