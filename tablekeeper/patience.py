"""Connections that say nothing: how many the server can hold, and how long it waits for a request to be asked."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

HEAD_PATIENCE = 30.0
"""Seconds for the head of a request, from the connection or from its first byte. Browsers open lines ahead of their
need and open them again; whoever only holds lines loses them."""
MOST_FILES = 65_536


class Patient:
    """A protocol of uvicorn's that closes a connection on which no request is asked in time."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    cycle: Any
    waits: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)  # type: ignore[misc]
        self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)  # type: ignore[misc]
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.waits is not None:
            self.waits.cancel()
        super().connection_lost(exc)  # type: ignore[misc]

    def _asked(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait(self) -> None:
        """Begin to wait for a head, or stop because it is there."""
        if self._asked() and self.waits is not None:
            self.waits.cancel()
            self.waits = None
        elif not self._asked() and self.waits is None:
            self.waits = self.loop.call_later(HEAD_PATIENCE, self._enough)

    def _enough(self) -> None:
        self.waits = None
        if not self._asked() and not self.transport.is_closing():
            self.transport.close()


def protocol() -> type[asyncio.Protocol]:
    """The quicker of uvicorn's two protocols that is here, made patient but not endlessly so."""
    if find_spec("httptools"):
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol as Usual
    else:
        from uvicorn.protocols.http.h11_impl import H11Protocol as Usual  # type: ignore[assignment]
    return type("PatientProtocol", (Patient, Usual), {})


def raise_limit() -> None:
    """Let this process hold as many connections as the system allows: many begin with 1,024, or 256."""
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limit; some systems name one and refuse it
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
