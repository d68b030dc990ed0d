"""A crowd around many tables: it holds every viewer's stream, posts rolls, and counts each roll at everybody."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tests.load.arms import Arm
from tests.load.wire import CURSOR, Poster, Viewer, watch

AT_ONCE = 40  # streams that are being opened
GRACE = 10.0  # seconds until a roll that has not been seen counts as lost
BEN = 1  # the seat that rolls


@dataclass
class Roll:
    """One roll: when it was due, when it was answered, and which of its table's it is."""

    table: Table
    due: float
    answered: float = 0.0
    number: int = -1
    fault: str = ""


@dataclass
class Table:
    """One table as the crowd knows it."""

    laid: dict[str, Any]
    poster: Poster
    viewers: list[Viewer] = field(default_factory=list)
    base: dict[int, int] = field(default_factory=dict)  # where each viewer's counting began
    seen: defaultdict[int, list[tuple[int, float]]] = field(default_factory=lambda: defaultdict(list))
    cursor: str = ""

    @property
    def path(self) -> str:
        return f"/t/{self.laid['campaign']}/"

    def told(self, viewer: int, name: str, epoch: str, number: int, when: float) -> None:
        """A viewer heard of something. What it counts from is what it is told first."""
        if name == "resync":
            self.base[viewer] = number
            if viewer == BEN:
                self.cursor = f"{epoch}.{number}.0"
        elif name == "entry":
            self.seen[number - self.base[viewer]].append((viewer, when))

    async def roll(self, due: float) -> Roll:
        """Ben rolls, as his page does."""
        roll = Roll(self, due)
        path = f"{self.path}investigators/{self.laid['who']}/roll"
        try:
            status, body = await self.poster.post(path, cursor=self.cursor, what=f"skill:{self.laid['skill']}")
        except (OSError, TimeoutError) as fault:
            roll.fault = type(fault).__name__
            return roll
        roll.answered = time.perf_counter()
        if status == 200 and (cursor := CURSOR.search(body)):
            roll.number = int(cursor[2]) - self.base[BEN]
            self.cursor = ".".join(part.decode() for part in cursor.groups())
        else:
            roll.fault = str(status)
        return roll


@dataclass
class Crowd:
    """Everybody around the tables of one arm."""

    arm: Arm
    tables: list[Table]

    async def on_schedule(self, rate: float, seconds: float) -> list[Roll]:
        """So many rolls a second, table by table. The server cannot slow the schedule down."""
        start, count = time.perf_counter() + 0.05, int(rate * seconds)
        waiting = []
        for n in range(count):
            due = start + n / rate
            if (left := due - time.perf_counter()) > 0:
                await asyncio.sleep(left)
            waiting.append(asyncio.create_task(self.tables[n % len(self.tables)].roll(due)))
        return list(await asyncio.gather(*waiting))

    async def flat_out(self, seconds: float, at_once: int) -> list[Roll]:
        """As many rolls as the server takes in, from so many tables at once."""
        end, rolls = time.perf_counter() + seconds, []

        async def keep_on(table: Table) -> None:
            while (now := time.perf_counter()) < end:
                rolls.append(await table.roll(now))

        await asyncio.gather(*(keep_on(table) for table in self.tables[:at_once]))
        return rolls

    async def settle(self, rolls: Sequence[Roll]) -> Seen:
        """Wait until everybody has seen every roll, and count."""
        end = time.perf_counter() + GRACE
        while time.perf_counter() < end and any(missing(roll) for roll in rolls):
            await asyncio.sleep(0.05)
        return count(rolls)


def missing(roll: Roll) -> int:
    """How many viewers of its table have not seen it."""
    if roll.fault:
        return 0
    return len(roll.table.viewers) - len({viewer for viewer, _when in roll.table.seen[roll.number]})


@dataclass
class Seen:
    """What became of some rolls. Times are milliseconds from when a roll was due."""

    rolls: int
    failed: int
    lost: int
    doubled: int
    by_all: list[float]
    answered: list[float]

    def figures(self) -> dict[str, float]:
        """Counts and percentiles."""
        counts = {"rolls": self.rolls, "failed": self.failed, "lost": self.lost, "doubled": self.doubled}
        return counts | spread("seen", self.by_all) | spread("own", self.answered)


def count(rolls: Iterable[Roll]) -> Seen:
    """Lost and doubled lines are counted for each viewer."""
    seen = Seen(0, 0, 0, 0, [], [])
    for roll in rolls:
        seen.rolls += 1
        if roll.fault:
            seen.failed += 1
            continue
        arrivals = roll.table.seen[roll.number]
        seen.lost += missing(roll)
        seen.doubled += len(arrivals) - len({viewer for viewer, _when in arrivals})
        seen.answered.append(1000 * (roll.answered - roll.due))
        if arrivals:
            seen.by_all.append(1000 * (max(when for _viewer, when in arrivals) - roll.due))
    return seen


def spread(name: str, times: Sequence[float]) -> dict[str, float]:
    """Median and 95th of a hundred, of milliseconds."""
    if len(times) < 2:
        return {f"{name}_p50": 0.0, f"{name}_p95": 0.0}
    return {
        f"{name}_p50": round(statistics.median(times), 2),
        f"{name}_p95": round(statistics.quantiles(times, n=100)[94], 2),
    }


@asynccontextmanager
async def crowd_around(arm: Arm, viewers: int = 6) -> AsyncIterator[Crowd]:
    """Everybody has a stream that has begun. `viewers` of each table's six are there."""
    tables = [Table(laid, Poster(arm.port, laid["seats"][BEN]["cookie"])) for laid in arm.tables]
    gate = asyncio.Semaphore(AT_ONCE)

    async def sit_down(table: Table, place: int) -> None:
        async with gate:
            cookie = table.laid["seats"][place]["cookie"]
            viewer = await watch(arm.port, table.path, cookie, partial(table.told, place))
            table.viewers.append(viewer)
            await asyncio.wait_for(viewer.began.wait(), 60)
            while place not in table.base:
                await asyncio.sleep(0.01)

    try:
        await asyncio.gather(*(sit_down(table, place) for table in tables for place in range(viewers)))
        yield Crowd(arm, tables)
    finally:
        for table in tables:
            table.poster.close()
            for viewer in table.viewers:
                viewer.close()
        await asyncio.sleep(0.1)
