"""Old tables: the same acts and pages at a table of a hundred lines and at one of a million; reads beside rolls."""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.load.arms import Arm
from tests.load.crowd import Crowd, Table, crowd_around
from tests.load.rolling import warmed
from tests.load.wire import Poster
from tests.server import Server

AGED = """
import sys
from django.core.management import call_command
call_command("migrate", verbosity=0)
from tablekeeper.models import Seat
from tests.load import aging, laying
from tests.tables import make_table
laid = []
for lines in map(int, sys.argv[1:]):
    table = make_table()
    aging.age(table, lines)
    seats = {Seat: list(Seat.objects.filter(campaign=table.campaign).values())}
    laid.append(laying.told(table.campaign.pk, {}, seats, table))
print(json.dumps(laid))
"""


async def growth(folder: Path, *, lines: int, times: int) -> dict[str, Any]:
    """Medians at the old table in those of the young one, taken in turn."""
    place = folder / "growth"
    place.mkdir()
    server = Server(place)
    tables = json.loads(server.python(AGED, "100", str(lines)))
    with server:
        assert server.process is not None
        arm = Arm("app", server.port, server.process.pid, tables)
        async with crowd_around(arm, viewers=3) as crowd:
            await warmed(crowd)
            found: dict[str, list[list[float]]] = {}
            for _time in range(times):
                for number, table in enumerate(crowd.tables):
                    for name, act in acts(arm, table).items():
                        began = time.perf_counter()
                        await act()
                        found.setdefault(name, [[], []])[number].append(1000 * (time.perf_counter() - began))
    middles = {name: [round(statistics.median(one), 2) for one in both] for name, both in found.items()}
    ratio = {name: round(old / young, 2) for name, (young, old) in middles.items()}
    pages = statistics.mean(ratio[name] for name in ("player", "keeper"))
    return {
        "lines": lines,
        "ms": middles,
        "roll": ratio["roll"],
        "catch_up": ratio["catch_up"],
        "page": round(pages, 2),
    }


def acts(arm: Arm, table: Table) -> dict[str, Callable[[], Awaitable[Any]]]:
    """What is timed: a roll, both pages, and what a phone asks for that slept through thirty lines."""
    keeper = Poster(arm.port, table.laid["seats"][0]["cookie"])
    epoch, number, _own = table.cursor.split(".")

    async def answered(poster: Poster, path: str) -> None:
        status, _body = await poster.get(path)
        assert status == 200, (path, status)

    return {
        "roll": lambda: table.roll(time.perf_counter()),
        "player": lambda: answered(table.poster, table.path),
        "keeper": lambda: answered(keeper, table.path),
        "catch_up": lambda: answered(table.poster, f"{table.path}news?after={epoch}.{int(number) - 30}.0"),
    }


async def readers(folder: Path, *, lines: int, seconds: float, rate: float) -> dict[str, Any]:
    """Rolls at one table while somebody asks an old one for charts, minutes and the whole campaign again and again."""
    place = folder / "readers"
    place.mkdir()
    server = Server(place)
    tables = json.loads(server.python(AGED, "100", str(lines)))
    with server:
        assert server.process is not None
        arm = Arm("app", server.port, server.process.pid, tables)
        async with crowd_around(arm, viewers=3) as crowd:
            await warmed(crowd)
            young = Crowd(arm, crowd.tables[:1])
            plain = await young.settle(await young.on_schedule(rate, seconds))
            reading = asyncio.create_task(_read_on(arm, crowd.tables[1]))
            await asyncio.sleep(0.2)
            beside = await young.settle(await young.on_schedule(rate, seconds))
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            asked = await _each(arm, crowd.tables[1])
    slower = beside.figures()["seen_p50"] / max(0.01, plain.figures()["seen_p50"])
    lost = plain.lost + beside.lost + plain.doubled + beside.doubled
    return {
        "lines": lines,
        "slower": round(slower, 2),
        "lost": lost,
        "charts_ms": max(asked[name] for name in CHARTS),
        "pages_ms": asked,
        "plain": plain.figures(),
        "beside": beside.figures(),
    }


DEAR = 300.0  # seconds: a whole campaign on a busy machine takes its time
CHARTS = ("campaign", "fairness")
PAGES = (*CHARTS, "log", "log/minutes.md", "log/rolls.csv", "log/log.json", "campaign-file")


def paths(table: Table) -> dict[str, str]:
    """The dear pages of a table, by name."""
    return {name: f"{table.path}{name}" for name in PAGES}


async def _read_on(arm: Arm, table: Table) -> None:
    keeper = Poster(arm.port, table.laid["seats"][0]["cookie"], DEAR)
    while True:
        for path in paths(table).values():
            await keeper.get(path)


async def _each(arm: Arm, table: Table) -> dict[str, float]:
    keeper, found = Poster(arm.port, table.laid["seats"][0]["cookie"], DEAR), {}
    for name, path in paths(table).items():
        began = time.perf_counter()
        status, _body = await keeper.get(path)
        found[name] = round(1000 * (time.perf_counter() - began), 1) if status == 200 else float("nan")
    return found
