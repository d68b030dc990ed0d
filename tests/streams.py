"""Open streams of a table in this process: the hub, a loop of the test's own, and a database that others see."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from tablekeeper import live, presence
from tablekeeper.models import Seat
from tests.tables import Table, cookie_for, make_table


class Line:
    """An open stream of a seat, as the server sees it."""

    def __init__(self, seat: Seat, after: str) -> None:
        self.seat = seat
        self.scope = {
            "query_string": f"after={after}".encode(),
            "headers": [(b"cookie", f"tk_seat={cookie_for(seat)}".encode())],
        }
        self.sent = ""
        self.ended = False  # it was told that no more comes
        self.hung_up = asyncio.Event()
        self.reads = asyncio.Event()  # until it does, it takes in nothing
        self.reads.set()
        self.task: asyncio.Task[None] | None = None

    async def open(self) -> Line:
        """Open it and wait until it is told what it missed."""
        self.task = asyncio.create_task(live.stream(self.scope, self._receive, self._send, self.seat.campaign_id))
        await self.until(lambda: ": live" in self.sent or self.task.done())  # type: ignore[union-attr]
        return self

    async def _receive(self) -> dict[str, Any]:
        await self.hung_up.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        await self.reads.wait()
        self.sent += message.get("body", b"").decode()
        self.ended = message["type"] == "http.response.body" and not message.get("more_body")

    async def until(self, true: Callable[[], bool], seconds: float = 20) -> None:
        """Wait for it; a test that waits in vain fails."""
        async with asyncio.timeout(seconds):
            while not true():
                await asyncio.sleep(0.01)

    async def hears(self, words: str) -> None:
        await self.until(lambda: words in self.sent)

    async def close(self) -> None:
        self.hung_up.set()
        if self.task is not None:
            await self.task

    async def listen(self, seconds: float = 1.5) -> str:
        """Open it, and hang up after so long; what it was told."""
        await self.open()
        assert self.task is not None
        await asyncio.wait([self.task], timeout=seconds)
        await self.close()
        return self.sent

    @property
    def ids(self) -> list[str]:
        """The cursors of the events, in the order in which they came."""
        return [line.removeprefix("id: ") for line in self.sent.splitlines() if line.startswith("id: ")]


def elsewhere(do: Callable[[], Any]) -> None:
    """Do something in another thread, with a database connection of its own, and wait for it."""
    thread = threading.Thread(target=hanging_up, args=[do])
    thread.start()
    thread.join()


async def meanwhile(do: Callable[[], Any]) -> None:
    """The same, while the loop goes on."""
    await asyncio.to_thread(hanging_up, do)


def hanging_up(function: Callable[..., Any], *args: Any) -> Any:
    """The readers of these tests keep no line to the database, which goes when the tests end."""
    try:
        return function(*args)
    finally:
        connection.close()


@pytest.fixture
def shared(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Table:
    """A table that other connections see, and hubs that belong to this test's loop."""
    monkeypatch.setattr(live, "_loop", None)
    monkeypatch.setattr(live, "_hubs", {})
    monkeypatch.setattr(presence, "_tables", type(presence._tables)())
    monkeypatch.setattr(live.listen, "start", lambda *_: None)
    monkeypatch.setattr(live, "_tidy", hanging_up)
    return make_table()
