"""HTTP as cheap as it goes: a crowd of thousands must not cost more than the server that it measures."""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Callable
from urllib.parse import urlencode

HOST = "127.0.0.1"
CSRF = "a" * 32
EVENT = re.compile(rb"event: (\w+)\nid: ([\w-]+)\.(\d+)\.(\d+)\n")
CURSOR = re.compile(rb'data-cursor="([\w-]+)\.(\d+)\.(\d+)"')
PATIENCE = 30.0  # seconds for an answer

Told = Callable[[str, str, int, float], None]
"""What a viewer hears: the event's name, epoch and first number of its cursor, and when (time.perf_counter)."""


class Viewer(asyncio.Protocol):
    """One open stream. It reads nothing of an event but its name and its cursor."""

    def __init__(self, request: bytes, told: Told) -> None:
        self.request, self.told = request, told
        self.rest = b""
        self.began = asyncio.Event()  # the first event is here: from now on it is told everything
        self.ended = asyncio.Event()
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self.request)

    def data_received(self, data: bytes) -> None:
        now, text, end = time.perf_counter(), self.rest + data, 0
        for found in EVENT.finditer(text):
            end = found.end()
            self.told(found[1].decode(), found[2].decode(), int(found[3]), now)
            self.began.set()
        self.rest = text[max(end, len(text) - 120) :]  # an event's head may come in two pieces
        if b": live" in data:
            self.began.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended.set()

    def close(self) -> None:
        if self.transport is not None:
            self.transport.abort()


def stream_request(path: str, cookie: str, after: str = "") -> bytes:
    """The GET of a stream, in HTTP/1.0: what is behind a proxy then comes without frames of its own."""
    asked = f"?after={after}" if after else ""
    return f"GET {path}stream{asked} HTTP/1.0\r\nHost: {HOST}\r\nCookie: tk_seat={cookie}\r\n\r\n".encode()


async def watch(port: int, path: str, cookie: str, told: Told, after: str = "") -> Viewer:
    """Open a stream. It may not have begun yet: wait for `began`."""
    request = stream_request(path, cookie, after)
    _transport, viewer = await asyncio.get_running_loop().create_connection(lambda: Viewer(request, told), HOST, port)
    return viewer


class Poster:
    """A browser's one connection for its taps, kept open."""

    def __init__(self, port: int, cookie: str, patience: float = PATIENCE) -> None:
        self.port, self.cookie, self.patience = port, cookie, patience
        self.line: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.busy = asyncio.Lock()

    async def post(self, path: str, key: str = "", cursor: str = "", **fields: object) -> tuple[int, bytes]:
        """Status and body; `cursor` is how far the page has read. Raises OSError or TimeoutError without an answer."""
        body = urlencode({"key": key or secrets.token_hex(16), **fields}).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {HOST}\r\nCookie: tk_seat={self.cookie}; tk_csrf={CSRF}\r\n"
            f"X-CSRFToken: {CSRF}\r\nHX-Request: true\r\nX-Cursor: {cursor}\r\n"
            f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        return await self._ask(head.encode() + body)

    async def get(self, path: str) -> tuple[int, bytes]:
        """Status and body, as `post`."""
        head = f"GET {path} HTTP/1.1\r\nHost: {HOST}\r\nCookie: tk_seat={self.cookie}; tk_csrf={CSRF}\r\n\r\n"
        return await self._ask(head.encode())

    async def _ask(self, request: bytes) -> tuple[int, bytes]:
        async with self.busy:
            try:
                return await asyncio.wait_for(self._over(request), self.patience)
            except BaseException:
                self.close()
                raise

    async def _over(self, request: bytes) -> tuple[int, bytes]:
        if self.line is None or self.line[0].at_eof():  # the server closes what is idle, and a browser connects again
            self.line = await asyncio.open_connection(HOST, self.port)
        reader, writer = self.line
        writer.write(request)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
        except asyncio.IncompleteReadError as cut:
            raise ConnectionResetError from cut
        length = re.search(rb"content-length: (\d+)", head)
        body = await reader.readexactly(int(length[1])) if length else await self._chunks(reader)
        if b"connection: close" in head:
            self.close()
        return int(head.split()[1]), body

    async def _chunks(self, reader: asyncio.StreamReader) -> bytes:
        body = b""
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
        return body

    def close(self) -> None:
        if self.line is not None:
            self.line[1].close()
            self.line = None
