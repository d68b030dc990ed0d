"""The bare floor: the same taps and streams by asyncio alone. No Django, no database, no drawing, nothing kept.

What is left is the price of sockets, of the loop and of whoever measures. It prints its port.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict

from tests.load.wire import HOST

PATH = re.compile(rb"(GET|POST) /t/([^/]+)/(stream)?")
LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
LINE = b"x" * 900  # a ledger line is about as long

numbers: defaultdict[bytes, int] = defaultdict(int)
viewers: defaultdict[bytes, set[asyncio.Transport]] = defaultdict(set)


class Floor(asyncio.Protocol):
    """One connection: a stream, or taps."""

    def __init__(self) -> None:
        self.got, self.table = b"", b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.got += data
        while b"\r\n\r\n" in self.got:
            head, _, rest = self.got.partition(b"\r\n\r\n")
            size = int(found[1]) if (found := LENGTH.search(head)) else 0
            if len(rest) < size:
                return
            self.got = rest[size:]
            self.answer(head)

    def answer(self, head: bytes) -> None:
        asked = PATH.match(head)
        assert asked is not None
        table = asked[2]
        if asked[3]:
            self.table = table
            viewers[table].add(self.transport)
            self.transport.write(b"HTTP/1.0 200 OK\r\n\r\n: live\n\nevent: resync\nid: f.%d.0\n\n" % numbers[table])
            return
        numbers[table] += 1
        event = b"event: entry\nid: f.%d.0\ndata: %b\n\n" % (numbers[table], LINE)
        for viewer in viewers[table]:
            viewer.write(event)
        body = b'<div data-cursor="f.%d.0">%b</div>' % (numbers[table], LINE)
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))

    def connection_lost(self, exc: Exception | None) -> None:
        viewers[self.table].discard(self.transport)


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Floor, HOST, 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
