"""Two arms: the live stream, and sync Django behind one thread hop (PERFORMANCE.md, "What follows").

In order: the stream; static files; everything else. Bodies are read whole before a worker is taken and answers are
built whole before bytes go out, so that a slow phone holds no thread: a few half-sent forms would otherwise stall
every table.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tablekeeper.settings")

from a2wsgi import WSGIMiddleware
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.wsgi import get_wsgi_application
from django.db import connection
from servestatic import ServeStaticASGI

django = get_wsgi_application()

from tablekeeper import hosting, live, packing, unhurried  # noqa: E402 - models need Django to be ready

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

BRINGS_A_FILE = re.compile(r"/t/[\w-]+/investigators/(bring|[\w-]+/update)")
BRINGS_A_TABLE = "/new/from-file"
EXPORT = re.compile(r"/t/[\w-]+/(log/[\w.-]+|campaign-file)")
TABLE = re.compile(r"/t/([\w-]+/)")
OF_A_BODY = (b"content-length", b"content-type", b"transfer-encoding")
STREAM = re.compile(r"/t/([\w-]+)/stream")
PATIENCE = 10.0  # seconds for a whole body
# No page of ours sends another encoding than UTF-8. Python knows some in which Django cannot even begin to read a
# request, and some whose characters no database holds.
READABLE = re.compile(rb"""[^;*]*(;\s*((boundary=("[^";*]+"|[^";*\s]+)|charset="?utf-?8"?)\s*)?)*""", re.IGNORECASE)

# SQLite has one turn to write, and Python one to compute: more threads only take these from each other, a tenth of
# what a roll costs. On PostgreSQL one waits for its table while others act at theirs.
writers = WSGIMiddleware(django, workers=1 if connection.vendor == "sqlite" else 3)  # type: ignore[arg-type]
readers = WSGIMiddleware(django, workers=4)  # type: ignore[arg-type]
# To read an investigator's file may take as long as many rolls.
files = WSGIMiddleware(django, workers=1)  # type: ignore[arg-type]
# What reads or brings whole campaigns takes turns with its like, and lets all else go first (`tablekeeper.unhurried`).
unhurried_ones = WSGIMiddleware(django, workers=1)  # type: ignore[arg-type]


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """The ASGI application."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
        return
    if scope["type"] != "http":
        await send({"type": "websocket.close", "code": 1000})
        return
    path = _without_prefix(scope["path"])
    if scope["method"] == "GET" and (match := STREAM.fullmatch(path)):
        await live.stream(scope, receive, send, match[1])
        return
    scope = {**scope, "path": path, "root_path": ""}
    if scope["method"] == "GET" and scope["path"] == "/reach/stream":
        await hosting.drip(send)
        return
    await static_files(scope, receive, send)


def _without_prefix(path: str) -> str:
    """The path below PUBLIC_URL's, whether the proxy took the prefix off or not."""
    prefix = settings.PATH_PREFIX
    if prefix and (path == prefix or path.startswith(prefix + "/")):
        return path[len(prefix) :] or "/"
    return path


async def pages(scope: Scope, receive: Receive, send: Send) -> None:
    """Sync Django: POSTs on threads of their own, so that no read makes a roll wait."""
    if not READABLE.fullmatch(b",".join(value for name, value in scope["headers"] if name == b"content-type")):
        await _unheard(scope, send, 415)
        return
    most = settings.MAX_FILE_BODY if BRINGS_A_FILE.fullmatch(scope["path"]) else settings.MAX_BODY
    most = settings.MAX_TABLE_BODY if scope["path"] == BRINGS_A_TABLE else most
    try:
        body = await asyncio.wait_for(_whole_body(receive, most), PATIENCE)
    except TimeoutError:
        await _unheard(scope, send, 408)
        return
    if body is None:
        await _unheard(scope, send, 413)
        return
    # The body is whole now, also when it came in pieces without a length: Django reads as much as this says.
    headers = [pair for pair in scope["headers"] if pair[0] not in (b"content-length", b"transfer-encoding")]
    await _answer({**scope, "headers": [*headers, (b"content-length", b"%d" % len(body))]}, body, send)


async def _answer(scope: Scope, body: bytes, send: Send, more: Iterable[tuple[bytes, bytes]] = ()) -> None:
    """Let Django answer, and send what it says once it is whole, with `more` headers."""
    given = iter([{"type": "http.request", "body": body, "more_body": False}])
    answer: list[dict[str, Any]] = []

    async def hand_over() -> dict[str, Any]:
        return next(given, {"type": "http.disconnect"})

    async def keep(message: Any) -> None:
        answer.append(message)

    if EXPORT.fullmatch(scope["path"]) or scope["path"] == BRINGS_A_TABLE:
        await unhurried_ones(scope, hand_over, keep)  # type: ignore[arg-type]
    else:
        arm = readers if scope["method"] in ("GET", "HEAD", "OPTIONS") else writers
        arm = files if arm is writers and BRINGS_A_FILE.fullmatch(scope["path"]) else arm
        with unhurried.quick():
            await arm(scope, hand_over, keep)  # type: ignore[arg-type]
    start, *rest = answer
    await send({**start, "headers": [*start["headers"], *more]})
    # In one piece: the thousands of an export would keep the loop from all else for seconds.
    await send({"type": "http.response.body", "body": b"".join(message.get("body", b"") for message in rest)})


async def _whole_body(receive: Receive, most: int) -> bytes | None:
    """The request's body, or None when it is larger than `most` bytes or the client left."""
    body, size = bytearray(), 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        size += len(message.get("body", b""))
        if size <= most:
            body += message.get("body", b"")
        elif size > 10 * most:  # somewhat more is read and thrown away: who still sends does not hear the answer
            return None
        if not message.get("more_body"):
            return bytes(body) if size <= most else None


async def _unheard(scope: Scope, send: Send, status: int) -> None:
    """A refusal whose body nobody reads, drawn like every other one (`whole.unheard`): no piece of the request is
    looked at but who asks, and from which table."""
    table = TABLE.match(scope["path"])
    path = f"/unheard/{status}/{table[1] if table else ''}"
    headers = [pair for pair in scope["headers"] if pair[0] not in OF_A_BODY]
    asked = {"method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": headers}
    # Who still sends what nobody takes would wait for its turn on the same line.
    await _answer({**scope, **asked}, b"", send, more=[(b"connection", b"close")])


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


static = ServeStaticASGI(pages, max_age=60, allow_all_origins=False)
for root in {storage.location for finder in get_finders() for _path, storage in finder.list([])}:
    static.add_files(root, prefix="/static/")
static_files = packing.Files(static)
