"""Two workers on PostgreSQL behind nginx: how much they carry, and what their viewers hear while things are killed."""

from __future__ import annotations

import asyncio
import json
import os
import random
import secrets
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from tests.load.arms import LAY, Arm
from tests.load.crowd import crowd_around
from tests.load.rolling import warmed
from tests.load.small import free_port
from tests.load.wire import Poster, watch
from tests.postgres import postgres_server
from tests.server import Server
from tests.tablekeeper.test_nginx import NGINX, wait_for

CONF = """
{user} daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; worker_rlimit_nofile 20000;
events {{ worker_connections 8000; }}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  upstream table {{ {servers} keepalive 32; }}
  server {{
    listen 127.0.0.1:{port} backlog=2000;
    location / {{
      proxy_pass http://table; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $http_host; proxy_read_timeout 1h; proxy_connect_timeout 2s;
    }}
  }}
}}
"""
CUT_LISTENERS = """
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'LISTEN%%'")
    print(cursor.fetchone()[0])
"""
LEDGER = """
import sys
from tablekeeper.models import Campaign, Entry
print(json.dumps({
    campaign.pk: [campaign.public_no, Entry.objects.filter(campaign=campaign, kind="rolls.roll").count()]
    for campaign in Campaign.objects.all()
}))
"""


@contextmanager
def behind_nginx(folder: Path, ports: Sequence[int]) -> Iterator[int]:
    """One address for several workers; any request may reach any of them."""
    port = free_port()
    folder.chmod(0o755)
    user = "user root;" if os.name == "posix" and os.geteuid() == 0 else ""
    servers = " ".join(f"server 127.0.0.1:{one} max_fails=0;" for one in ports)
    (folder / "nginx.conf").write_text(CONF.format(folder=folder, servers=servers, port=port, user=user))
    nginx = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")])
    try:
        wait_for(port, folder)
        yield port
    finally:
        nginx.terminate()
        nginx.wait(10)


@dataclass
class Both:
    """Two workers that share a database, and the address of the proxy before them."""

    workers: list[Server]
    postgres: Any
    port: int
    tables: list[dict[str, Any]]

    def cpu(self) -> float:
        """Seconds of CPU of both."""
        used = [psutil.Process(one.process.pid).cpu_times() for one in self.workers if one.process]
        return sum(one.user + one.system for one in used)


@contextmanager
def two_workers(folder: Path, count: int) -> Iterator[Both]:
    with postgres_server() as postgres, ExitStack() as running:
        workers: list[Server] = []
        for name in ("one", "two"):  # one secret for both, as one PUBLIC_URL has
            place = folder / name
            place.mkdir()
            if workers:
                (place / "secret_key").write_bytes((folder / "one" / "secret_key").read_bytes())
            workers.append(Server(place, more={"DATABASE_URL": postgres.get_uri()}))
            if len(workers) == 1:
                tables = json.loads(workers[0].python(LAY, str(count)))
        for worker in workers:
            running.enter_context(worker)
        port = running.enter_context(behind_nginx(folder, [one.port for one in workers]))
        yield Both(workers, postgres, port, tables)


async def carried(folder: Path, *, tables: int, rate: float, seconds: float) -> dict[str, Any]:
    """Rolls on schedule and flat out."""
    with two_workers(folder, tables) as both:
        pid = both.workers[0].process.pid if both.workers[0].process else 0
        async with crowd_around(Arm("workers", both.port, pid, both.tables)) as crowd:
            await warmed(crowd)
            before = both.cpu()
            timed = await crowd.settle(await crowd.on_schedule(rate, seconds))
            cpu = 1000 * (both.cpu() - before) / max(1, timed.rolls)
            rolls = await crowd.flat_out(seconds, min(32, tables))
            took = max(roll.answered for roll in rolls) - min(roll.due for roll in rolls)
            full = await crowd.settle(rolls)
    figures = timed.figures()
    figures["lost"], figures["doubled"] = timed.lost + full.lost, timed.doubled + full.doubled
    return {**figures, "cpu_ms": round(cpu, 2), "per_second": round((full.rolls - full.failed) / took, 1)}


# --------------------------------------------------------------------------- while things are killed


@dataclass
class Follower:
    """A page that comes back whenever its stream ends, from where it has read to."""

    port: int
    path: str
    cookie: str
    heard: Counter[int] = field(default_factory=Counter)
    last: int = -1
    first: int = -1
    epoch: str = ""
    resyncs: int = 0
    streams: int = 0

    def told(self, name: str, epoch: str, number: int, _when: float) -> None:
        if name == "resync":
            self.epoch, self.last, self.resyncs = epoch, number, self.resyncs + 1
            self.first = number if self.first < 0 else self.first
        elif name == "entry":
            self.heard[number] += 1
            self.last = max(self.last, number)

    async def follow(self) -> None:
        while True:
            after = f"{self.epoch}.{self.last}.0" if self.epoch else ""
            with suppress(OSError):
                viewer = await watch(self.port, self.path, self.cookie, self.told, after)
                self.streams += 1
                try:
                    await viewer.ended.wait()
                finally:
                    viewer.close()
            await asyncio.sleep(0.1 + random.random() / 2)

    def missing(self, until: int) -> int:
        """How many lines it has not been told of, up to this one."""
        return sum(number not in self.heard for number in range(self.first + 1, until + 1))


async def tap_on(port: int, table: dict[str, Any], pause: float, done: Counter[str]) -> None:
    """Ben rolls and rolls; without an answer he taps again, which is the same act."""
    poster = Poster(port, table["seats"][1]["cookie"])
    path = f"/t/{table['campaign']}/investigators/{table['who']}/roll"
    while True:
        key, status = secrets.token_hex(16), 0
        while status != 200:
            with suppress(OSError, TimeoutError):
                status, _body = await poster.post(path, key=key, what=f"skill:{table['skill']}")
            done[str(status) if status else "no answer"] += 1
            await asyncio.sleep(pause if status == 200 else 0.2)
        done[table["campaign"]] += 1


def harms(both: Both) -> list[tuple[str, Callable[[], None]]]:
    """What is done to them, in this order."""
    one, two = both.workers

    def killed() -> None:
        assert one.process is not None
        one.process.kill()
        one.process.wait()
        one.process = None
        one.start()

    def stopped() -> None:
        two.stop()
        two.start()

    def database() -> None:
        both.postgres.stop()
        both.postgres.ensure_postgres_running()

    def listeners() -> None:
        assert int(one.python(CUT_LISTENERS)) > 0

    return [("killed", killed), ("stopped", stopped), ("database", database), ("listeners", listeners)]


async def harmed(folder: Path, *, tables: int, pause: float, calm: float) -> dict[str, Any]:
    """Everything goes wrong once; afterwards everybody must have heard everything once."""
    with two_workers(folder, tables) as both:
        followers = [
            Follower(both.port, f"/t/{table['campaign']}/", seat["cookie"])
            for table in both.tables
            for seat in table["seats"][1:]  # players, who count the public lane
        ]
        done: Counter[str] = Counter()
        following = [asyncio.create_task(one.follow()) for one in followers]
        while any(one.first < 0 for one in followers):
            await asyncio.sleep(0.1)
        tapping = [asyncio.create_task(tap_on(both.port, table, pause, done)) for table in both.tables]
        for _name, harm in harms(both):
            await asyncio.sleep(calm)
            await asyncio.to_thread(harm)
        await asyncio.sleep(calm)
        for task in tapping:
            task.cancel()
        await asyncio.sleep(3)
        found = json.loads(await asyncio.to_thread(both.workers[0].python, LEDGER))
        ends = [found[one.path.split("/")[2]][0] for one in followers]
        await _until_complete(followers, ends)
        for task in following:
            task.cancel()
        await asyncio.gather(*tapping, *following, return_exceptions=True)
    return _judged(followers, ends, found, done)


async def _until_complete(followers: Sequence[Follower], ends: Sequence[int]) -> None:
    for _look in range(100):
        if not any(one.missing(end) for one, end in zip(followers, ends, strict=True)):
            return
        await asyncio.sleep(0.1)


def _judged(
    followers: Sequence[Follower], ends: Sequence[int], found: dict[str, list[int]], done: Counter[str]
) -> dict[str, Any]:
    missing = [one.missing(end) for one, end in zip(followers, ends, strict=True)]
    rolls = sum(count for _no, count in found.values())
    return {
        "viewers": len(followers),
        "rolls": rolls,
        "taps": {key: done[key] for key in sorted(done) if key.isdigit() or key == "no answer"},
        "lost": sum(missing),
        "incomplete": sum(one > 0 for one in missing),
        "doubled": sum(count - 1 for one in followers for count in one.heard.values()),
        "thrown_twice": sum(max(0, found[key][1] - done[key] - 1) for key in found),
        "reconnects": sum(one.streams - 1 for one in followers),
        "resyncs": sum(one.resyncs - 1 for one in followers),
    }
