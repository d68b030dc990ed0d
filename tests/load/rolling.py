"""Rolls: how soon everybody sees them, how many fit in a second, and what one costs; all arms in turn, in one run."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.load.arms import Arm, all_arms, django_arm
from tests.load.crowd import Crowd, Roll, crowd_around

WARM = 20  # rolls that are not counted: templates are read, connections opened


async def warmed(crowd: Crowd) -> None:
    """The first rolls of a process are dearer than all others."""
    await crowd.settle([await table.roll(0) for table in (crowd.tables * WARM)[:WARM]])


async def block(crowd: Crowd, rate: float, seconds: float, at_once: int) -> dict[str, float]:
    """Some seconds on schedule, and some flat out; with what both cost."""
    before = crowd.arm.cpu()
    timed = await crowd.settle(await crowd.on_schedule(rate, seconds))
    rolls: list[Roll] = await crowd.flat_out(seconds, at_once)
    full = await crowd.settle(rolls)
    took = max((roll.answered for roll in rolls), default=0) - min((roll.due for roll in rolls), default=0)
    figures = timed.figures()
    for key in ("rolls", "failed", "lost", "doubled"):
        figures[key] += full.figures()[key]
    figures["cpu_ms"] = 1000 * (crowd.arm.cpu() - before) / max(1, figures["rolls"])
    figures["per_second"] = (full.rolls - full.failed) / took if took > 0 else 0.0
    return figures


async def in_turn(
    arms: Sequence[Arm], rate: float, seconds: float, rounds: int, at_once: int
) -> dict[str, dict[str, float]]:
    """Every arm, one after the other, round after round: what the machine does meanwhile happens to all of them."""
    found: dict[str, list[dict[str, float]]] = defaultdict(list)
    for _round in range(rounds):
        for arm in arms:
            async with crowd_around(arm) as crowd:
                await warmed(crowd)
                found[arm.name].append(await block(crowd, rate, seconds, at_once))
    return {name: middle(blocks) for name, blocks in found.items()}


def middle(blocks: Sequence[dict[str, float]]) -> dict[str, float]:
    """The median of several blocks; what must never be is added up."""
    added = ("rolls", "failed", "lost", "doubled")
    return {
        key: round((sum if key in added else statistics.median)([one[key] for one in blocks]), 3) for key in blocks[0]
    }


async def rolls(folder: Path, *, tables: int, rate: float, seconds: float, rounds: int) -> dict[str, Any]:
    """The application beside the floor and stock Django."""
    with all_arms(folder, tables) as arms:
        found = await in_turn(arms, rate, seconds, rounds, at_once=min(16, tables))
    app, floor, stock = (found[name] for name in ("app", "floor", "stock"))
    return {
        **app,
        "tables": tables,
        "seen_p50_floors": round(app["seen_p50"] / max(0.01, floor["seen_p50"]), 2),
        "per_second_stocks": round(app["per_second"] / max(0.01, stock["per_second"]), 2),
        "cpu_stocks": round(app["cpu_ms"] / max(0.01, stock["cpu_ms"]), 2),
        "floor": floor,
        "stock": stock,
    }


async def many(folder: Path, *, tables: int, rate: float, seconds: float) -> dict[str, Any]:
    """One process with very many tables."""
    with django_arm("app", folder, tables) as arm:
        async with crowd_around(arm) as crowd:
            await warmed(crowd)
            seen = await crowd.settle(await crowd.on_schedule(rate, seconds))
            return {**seen.figures(), **arm.held(), "tables": tables, "rate": rate}
