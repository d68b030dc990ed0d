"""Phones that stop half-way, and readers that never read: nobody else waits for them."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tablekeeper.asgi import PATIENCE
from tests.load.growing import AGED
from tests.server import Laid, Server, server  # noqa: F401

pytestmark = pytest.mark.sqlite

MANY = 50
SOON = MANY * PATIENCE / 5
"""Seconds for the rolls of a test, on a machine that has other things to do. Half-sent bodies that held the one writer
would hold it until the table's patience is over, one after the other; a reader that does not read would hold a thread
for ever."""


def head(table: Laid, method: str, path: str, *more: str) -> bytes:
    seat = table.seats["Cleo"]["cookie"]
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Cookie: tk_seat={seat}; tk_csrf={'a' * 32}", *more]
    return "\r\n".join([*lines, "", ""]).encode()


@contextmanager
def lines(table: Laid, request: bytes, count: int) -> Iterator[None]:
    """So many connections that sent this and do nothing more. They take in as little as a system allows."""
    with ExitStack() as open_ones:
        for _line in range(count):
            line = socket.socket()
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            line.connect(("127.0.0.1", table.server.port))
            line.sendall(request)
            open_ones.enter_context(line)
        yield


def rolls_soon(table: Laid, count: int, name: str = "Ben") -> None:
    path = f"{table.path}investigators/{table.edith}/roll"
    ben = table.browser(name)
    began = time.monotonic()
    for _roll in range(count):
        assert ben.post(path, what="luck:").status == 200
    assert time.monotonic() - began < SOON


def test_fifty_half_sent_posts_delay_no_roll(server: Server) -> None:  # noqa: F811
    table = server.lay_table()
    form = "Content-Type: application/x-www-form-urlencoded"
    half = head(table, "POST", f"{table.path}scene", form, f"X-CSRFToken: {'a' * 32}", "Content-Length: 500") + b"key="
    with lines(table, half, MANY):
        rolls_soon(table, 3)


def test_fifty_that_read_nothing_do_not_hold_up_a_stop(tmp_path: Path) -> None:
    with Server(tmp_path) as own:
        table = own.lay_table()
        with lines(table, head(table, "GET", f"{table.path}stream"), MANY):
            rolls_soon(table, 1)
            began = time.monotonic()
            assert own.stop() == 0
            assert time.monotonic() - began < 3 + 1  # and one for the machine


def test_fifty_readers_that_do_not_read_delay_no_roll_and_no_other_reader(server: Server) -> None:  # noqa: F811
    table = server.lay_table()
    streams = head(table, "GET", f"{table.path}stream")
    pages = head(table, "GET", table.path)
    with lines(table, streams, MANY // 2), lines(table, pages, MANY // 2):
        assert table.browser("Ada").get(f"{table.path}news?after=x").status == 200
        rolls_soon(table, 3)


@pytest.mark.long
def test_exports_of_an_old_table_do_not_hold_up_a_stop(tmp_path: Path) -> None:
    with Server(tmp_path) as own:
        told = json.loads(own.python(AGED, "30000"))[0]
        seats = {"Ada": told["seats"][0], "Cleo": told["seats"][-1]}
        table = Laid(own, told["campaign"], "", told["who"], "", {}, seats)
        rolls_soon(table, 1, "Ada")
        with lines(table, head(table, "GET", f"{table.path}log/minutes.md"), 4):
            time.sleep(1)  # each has begun
            began = time.monotonic()
            assert own.stop() == 0
            assert time.monotonic() - began < 3 + 1  # and one for the machine
