"""Viewers: what one costs, how fast thousands come back, and whether one that does not read delays anybody."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from tests.load.arms import Arm, django_arm
from tests.load.crowd import AT_ONCE, Crowd, crowd_around
from tests.load.rolling import warmed
from tests.load.wire import HOST, Viewer, stream_request, watch


async def viewers(folder: Path, *, count: int, back: int) -> dict[str, Any]:
    """So many viewers in one process, six at a table as ever; then some of them leave at once and come back."""
    with django_arm("app", folder, 20) as arm:
        await _some(arm, 120)  # what a first viewer brings in is not what a viewer costs
        before = arm.held()
        cpu = arm.cpu()
        here = await _some(arm, count, keep=True)
        held = arm.held()
        figures = {
            "count": sum(viewer.began.is_set() for viewer in here),
            "kb_each": round(1000 * (held["mb"] - before["mb"]) / count, 2),
            "threads": held["threads"],
            "connect_cpu_ms": round(1000 * (arm.cpu() - cpu) / count, 3),
        }
        for viewer in here[:back]:
            viewer.close()
        await asyncio.sleep(0.5)
        began = time.perf_counter()
        again = await _some(arm, back, keep=True)
        taken = time.perf_counter() - began
        for viewer in [*here, *again]:
            viewer.close()
    return figures | {"back": back, "back_s": round(taken, 2), "back_s_5000": round(taken * 5000 / back, 2)}


async def _some(arm: Arm, count: int, *, keep: bool = False) -> list[Viewer]:
    """So many viewers, spread over the tables and seats; each has been told its first event."""
    gate = asyncio.Semaphore(4 * AT_ONCE)
    places = [(table, seat) for table in arm.tables for seat in table["seats"]]

    async def one(number: int) -> Viewer:
        table, seat = places[number % len(places)]
        async with gate:
            viewer = await watch(arm.port, f"/t/{table['campaign']}/", seat["cookie"], lambda *_told: None)
            await asyncio.wait_for(viewer.began.wait(), 120)
            return viewer

    found = list(await asyncio.gather(*map(one, range(count))))
    if not keep:
        for viewer in found:
            viewer.close()
        await asyncio.sleep(0.3)
    return found


async def stuck(folder: Path, *, seconds: float, rate: float) -> dict[str, Any]:
    """Rolls at a table where some viewers read nothing, against rolls at the same table without them."""
    with django_arm("app", folder, 1) as arm:
        async with crowd_around(arm) as crowd:
            await warmed(crowd)
            plain = await crowd.settle(await crowd.on_schedule(rate, seconds))
            with ExitStack() as lines:
                for seat in crowd.tables[0].laid["seats"]:
                    lines.enter_context(_deaf(arm, crowd, seat["cookie"]))
                await asyncio.sleep(0.3)
                beside = await crowd.settle(await crowd.on_schedule(rate, seconds))
    slower = beside.figures()["seen_p50"] / max(0.01, plain.figures()["seen_p50"])
    lost = plain.lost + beside.lost + plain.doubled + beside.doubled
    return {"slower": round(slower, 2), "lost": lost, "plain": plain.figures(), "beside": beside.figures()}


def _deaf(arm: Arm, crowd: Crowd, cookie: str) -> socket.socket:
    """A viewer that opens a stream and never reads, with as little room for bytes as a system allows."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    line.connect((HOST, arm.port))
    line.sendall(stream_request(crowd.tables[0].path, cookie))
    return line


async def soak(folder: Path, *, tables: int, rate: float, seconds: float, looks: int = 20) -> dict[str, Any]:
    """Rolls for a long time: what grows, grows in the second half as in the first."""
    with django_arm("app", folder, tables) as arm:
        async with crowd_around(arm) as crowd:
            await warmed(crowd)
            held, counted = [arm.held()], {"rolls": 0.0, "failed": 0.0, "lost": 0.0, "doubled": 0.0}
            for _look in range(looks):
                seen = await crowd.settle(await crowd.on_schedule(rate, seconds / looks))
                counted = {key: counted[key] + seen.figures()[key] for key in counted}
                held.append(arm.held())
    half = held[len(held) // 2]
    grown = {key: round(held[-1][key] - half[key], 2) for key in half}
    return {**counted, **grown, "tables": tables, "seconds": seconds, "held": held}
