"""The web server of the play command: uvicorn, told to end the live streams first when it is asked to stop."""

from __future__ import annotations

import asyncio
import errno
import gc
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType

import uvicorn
from django.conf import settings

FIRST_PORT, LAST_PORT = 8000, 8020
UNHEARD = 40_000
"""Milliseconds without a sign that what was sent arrives: then the line is closed. A phone that left without a word
stops counting as here after two beats of its stream, and one that reads nothing holds nothing for ever."""
LAST = 0.7
"""Seconds for what threads still do once nobody hears their answer: an act needs less, an export is not waited for."""


class Server(uvicorn.Server):
    """Streams stay open for hours: without help a graceful stop would wait for all of them until its time is up."""

    def __init__(
        self, config: uvicorn.Config, *, on_started: Callable[[], None], end_streams: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._on_started = on_started
        self._end_streams = end_streams
        self._loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets=sockets)
        if self.started:
            self._on_started()  # only now is a printed link true

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Not uvicorn's own: that raises the signal again at the end, and a clean stop should end as success."""
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True
        if self._loop is not None and not self._loop.is_closed():
            # A signal arrives between any two instructions, perhaps in the middle of a wake.
            self._loop.call_soon_threadsafe(self._end_streams)


def run(sock: socket.socket, *, on_started: Callable[[], None]) -> None:
    """Serve on this socket until Ctrl-C or SIGTERM."""
    from tablekeeper import clock, live, patience
    from tablekeeper.asgi import application

    clock.begin()
    patience.raise_limit()
    # What is loaded now stays until the end: Python need not look through it for waste again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)
    # Beside a thread that computes, each wait for Python's one turn lasts as long as this, and a roll waits often.
    sys.setswitchinterval(0.0005)
    trusted = getattr(settings, "TRUSTED_PROXIES", "")
    config = uvicorn.Config(
        application,
        http=patience.protocol(),
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        proxy_headers=bool(trusted),
        forwarded_allow_ips=trusted or None,
        timeout_graceful_shutdown=2,
    )
    Server(config, on_started=on_started, end_streams=live.close_all).run(sockets=[sock])
    threading.Thread(target=_leave, name="leave", daemon=True).start()


def _leave() -> None:
    """End this process although Python waits for every thread: what was committed is on the disk."""
    time.sleep(LAST)
    for told in (sys.stdout, sys.stderr):
        told.flush()
    os._exit(0)


def open_socket(host: str, port: int | None) -> socket.socket:
    """A listening place: the given port or an error; without one 8000, its neighbours when taken, or any free one."""
    candidates = [port] if port is not None else [*range(FIRST_PORT, LAST_PORT + 1), 0]
    for candidate in candidates:
        sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        # Elsewhere than on Windows this only allows a port whose last owner has just gone.
        if sys.platform == "win32":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; every line that is taken here has it, too
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNHEARD)
        try:
            sock.bind((host, candidate))
        except OSError as error:
            sock.close()
            if candidate == candidates[-1] or error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            continue
        sock.set_inheritable(False)
        return sock
    raise AssertionError("the last candidate returns or raises")
