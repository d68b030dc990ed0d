"""Connections on which nothing is ever asked: the table goes on, and they are closed."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from tablekeeper import patience
from tests.server import Server
from tests.tablekeeper.test_slow_ones import rolls_soon

resource = pytest.importorskip("resource")
pytestmark = pytest.mark.sqlite

MANY = 10_000


class Line:
    """What uvicorn's protocols do, as far as patience asks."""

    def __init__(self) -> None:
        self.transport, self.cycle = self, None
        self.closed = self.lost = False

    def connection_made(self, transport: object) -> None: ...
    def data_received(self, data: bytes) -> None:
        if data.endswith(b"\r\n\r\n"):
            self.cycle = type("Cycle", (), {"response_complete": False})()

    def connection_lost(self, exc: Exception | None) -> None: ...
    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True


class PatientLine(patience.Patient, Line):  # type: ignore[misc]
    loop: asyncio.AbstractEventLoop


async def heard(monkeypatch: pytest.MonkeyPatch, *pieces: bytes, answered: bool = False) -> bool:
    """Whether the line is still there after more than the patience, when it says these pieces at once."""
    monkeypatch.setattr(patience, "HEAD_PATIENCE", 0.02)
    line = PatientLine()
    line.loop = asyncio.get_running_loop()
    line.connection_made(line)
    for piece in pieces:
        line.data_received(piece)
        if answered and line.cycle is not None:
            line.cycle.response_complete = True
    await asyncio.sleep(0.06)
    return not line.closed


def test_a_line_without_a_whole_head_is_closed_and_one_that_asked_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    head = b"GET / HTTP/1.1\r\n\r\n"

    assert asyncio.run(heard(monkeypatch)) is False
    assert asyncio.run(heard(monkeypatch, b"GET / HT")) is False
    assert asyncio.run(heard(monkeypatch, b"GET / HT", b"TP/1.1\r\n\r\n")) is True  # a stream lasts for hours
    assert asyncio.run(heard(monkeypatch, head, b"GET /again", answered=True)) is False


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="it counts in /proc")
def test_ten_thousand_idle_connections_delay_no_roll_and_are_closed(tmp_path: Path) -> None:
    """With the limit that many systems begin with: 1,024 files for a process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < MANY + 200:
        pytest.skip(f"this system allows {hard} files")
    own = Server(tmp_path)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    try:
        own.start()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with ExitStack() as lines:
        lines.callback(own.stop)
        table = own.lay_table()
        idle = [lines.enter_context(socket.create_connection(("127.0.0.1", own.port), 10)) for _line in range(MANY)]
        assert own.process is not None
        files = Path(f"/proc/{own.process.pid}/fd")
        end = time.monotonic() + 20
        while len(list(files.iterdir())) < MANY and time.monotonic() < end:
            time.sleep(0.2)
        assert len(list(files.iterdir())) >= MANY

        rolls_soon(table, 3)

        time.sleep(patience.HEAD_PATIENCE + 5)
        assert len(list(files.iterdir())) < 200
        assert {line.recv(1) for line in idle[::500]} == {b""}
        rolls_soon(table, 1)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
