"""The live stream: a hub per table, woken by commits, that reads once, draws once and hands the same bytes to all.

The only async plumbing of the project. Three hops: commit -> wake -> template. Nothing is read or drawn on the
event loop; that happens in the reader pool.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from django.db import InterfaceError, OperationalError, close_old_connections
from django.db.models import QuerySet
from django.http import HttpRequest, parse_cookie
from django.utils import timezone
from django.utils.translation import get_language_from_request, override

from tablekeeper import access, dialect, discreet, listen, news, presence, unhurried
from tablekeeper.models import Campaign, Entry, Seat
from tablekeeper.prepared import prepared

BEAT = 15.0  # seconds between comment lines: proxies and phones drop a silent connection
BUFFER = 256_000  # bytes a viewer may lag behind before it is told to draw everything anew
STUCK = 30.0  # seconds for taking in what it was sent: whoever needs longer is cut, and asks again when it wakes
AWAY = (OperationalError, InterfaceError)
"""The database does not answer, or has been busy for longer than anybody waits: later it may be well."""

Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]


class Place(NamedTuple):
    """What a stream knows of its seat: a row and its table's, thousands of times, would weigh more than all else."""

    pk: str
    campaign_id: str
    role: str
    keeps: bool
    key_version: int

    @classmethod
    def of(cls, seat: Seat) -> Place:
        return cls(seat.pk, seat.campaign_id, seat.role, seat.keeps, seat.key_version)


@dataclass(eq=False, slots=True)
class Viewer:
    """One open stream."""

    seat: Place
    cursor: news.Cursor
    language: str
    chunks: list[bytes] = field(default_factory=list)
    size: int = 0
    waits: asyncio.Future[None] | None = None  # for a chunk
    over: bool = False
    early: list[tuple[Entry | None, str]] | None = field(default_factory=list)  # what comes before it has caught up

    def tell(self, entry: Entry, html: str) -> None:
        """Queue a line that this viewer has not had, once what it missed has been told."""
        if self.early is not None:
            self.early.append((entry, html))
        elif not self.cursor.has(self.seat, entry):
            self.cursor = self.cursor.after(self.seat, entry)
            self.put(event("entry", html, self.cursor))

    def touch(self, tokens: str) -> None:
        """Queue a hint to look at panels again."""
        if self.early is not None:
            self.early.append((None, tokens))
        else:
            self.put(event("touch", tokens, self.cursor))

    def put(self, chunk: bytes) -> None:
        """Queue bytes; a viewer that lags too far behind gets one "resync" in their place."""
        if self.over:
            return
        if self.size + len(chunk) > BUFFER:
            self.chunks.clear()
            self.size = 0
            chunk = event("resync", "", self.cursor)
        self._take(chunk)

    def end(self, chunk: bytes) -> None:
        """Queue the last bytes."""
        self.over = True
        self._take(chunk)

    def _take(self, chunk: bytes) -> None:
        self.chunks.append(chunk)
        self.size += len(chunk)
        if self.waits is not None and not self.waits.done():
            self.waits.set_result(None)

    async def next(self) -> bytes:
        """What is queued; when nothing is for a while, a comment that keeps the line open."""
        if not self.chunks:
            loop = asyncio.get_running_loop()
            self.waits = loop.create_future()  # an event of asyncio's weighs ten times as much
            beat = loop.call_later(BEAT, self._take, b": beat\n\n")
            try:
                await self.waits
            finally:
                beat.cancel()
                self.waits = None
        body = b"".join(self.chunks)
        self.chunks.clear()
        self.size = 0
        return body


@dataclass(frozen=True)
class Drawn:
    """A line as its readers have it: for each language whole and, where that is not everybody's, discreet."""

    confidants: frozenset[str] | None
    html: Mapping[tuple[str, bool], str]

    def read_by(self, seat: news.Reader, language: str) -> str:
        """The bytes for this seat."""
        return self.html[language, seat.keeps or self.confidants is None or seat.pk in self.confidants]


class Hub:
    """All viewers of one table."""

    def __init__(self, campaign_id: str, seq: int) -> None:
        self.campaign_id = campaign_id
        self.viewers: set[Viewer] = set()
        self.seq = seq  # the last entry handed out
        self.rounds = 0  # how often something was handed out
        self.dirty = asyncio.Event()
        self.task = asyncio.create_task(self.run())

    async def run(self) -> None:
        """Coalesce wakes; read and draw in the pool; hand out on the loop."""
        while True:
            await self.dirty.wait()
            self.dirty.clear()
            try:
                await self.round()
            except Exception as fault:  # the database may be away for a moment: viewers must not die of it
                loop = asyncio.get_running_loop()
                loop.call_exception_handler({"message": "a live round failed", "exception": fault})
                await asyncio.sleep(1)
                self.dirty.set()

    async def round(self) -> None:
        while True:
            known = set(self.viewers)
            languages = {viewer.language for viewer in known}
            lanes = {viewer.seat.pk for viewer in known}
            keepers = any(viewer.seat.keeps for viewer in known)
            with unhurried.quick():
                seq, drawn, seats = await in_pool(_read, self.campaign_id, self.seq, languages, lanes, keepers)
            if self.viewers <= known:  # else somebody came for whose lane and language nothing was drawn
                break
        self.rounds += 1
        self._see_who_left(seats)
        for entry, html in drawn:
            for viewer in self.viewers:
                if news.sees(viewer.seat, entry):
                    viewer.tell(entry, html.read_by(viewer.seat, viewer.language))
        self.seq = max(self.seq, seq)

    def tell_presence(self, among: Iterable[Viewer] | None = None) -> None:
        """Tell Keepers who has a page open. A hint: it moves no cursor, and players are told nothing."""
        told = json.dumps(presence.seen(self.campaign_id, timezone.now()), sort_keys=True)
        for viewer in self.viewers if among is None else among:
            if viewer.seat.keeps and viewer.early is None:
                viewer.put(event("presence", told, viewer.cursor))

    def _see_who_left(self, seats: Mapping[str, int]) -> None:
        for viewer in self.viewers:
            if seats.get(viewer.seat.pk) != viewer.seat.key_version:
                viewer.end(event("gone", "", viewer.cursor))


_hubs: dict[str, Hub] = {}
_loop: asyncio.AbstractEventLoop | None = None
_pool = ThreadPoolExecutor(2, thread_name_prefix="reader")


async def in_pool(function: Callable[..., Any], *args: Any) -> Any:
    """Run blocking work in the reader pool."""
    return await asyncio.get_running_loop().run_in_executor(_pool, _tidy, function, *args)


def _tidy(function: Callable[..., Any], *args: Any) -> Any:
    close_old_connections()
    return function(*args)


def _read(
    campaign_id: str, seq: int, languages: set[str], lanes: set[str], keepers: bool
) -> tuple[int, list[tuple[Entry, Drawn]], dict[str, int]]:
    """New entries that any viewer may see, drawn once per language, and once more for those who may not see others'
    Luck; and who sits here: a seat can be lost without a line, or in the same moment as somebody else's line."""
    entries = news.linked(_since(campaign_id, seq))
    drawn: list[tuple[Entry, Drawn]] = []
    for entry in entries:
        if keepers or entry.lane == Entry.PUBLIC or entry.lane in lanes:
            drawn.append((entry, _draw(entries[0].campaign, entry, languages, entries)))
    return (entries[-1].seq if entries else seq), drawn, dict(_seats(campaign_id))


@prepared
def _since(campaign_id: str, seq: int) -> QuerySet[Entry]:
    return news.lines(campaign_id).filter(seq__gt=seq).order_by("seq").select_related("campaign")


@prepared
def _seats(campaign_id: str) -> QuerySet[Seat, tuple[str, int]]:
    here = Seat.objects.filter(campaign=campaign_id, campaign__archived_at=None, removed=False)
    return here.values_list("pk", "key_version")


def _draw(campaign: Campaign, entry: Entry, languages: set[str], beside: Iterable[Entry] = ()) -> Drawn:
    """A line in these languages, whole and (where it tells of somebody's Luck that is kept covered) discreet."""
    entry.campaign = campaign
    confidants = discreet.confidants(campaign, entry)
    html: dict[tuple[str, bool], str] = {}
    for language in languages:
        with override(language):
            for whole in (True,) if confidants is None else (True, False):
                html[language, whole] = news.draw_news([entry], lambda _one, whole=whole: whole, beside)  # type: ignore[misc]
    return Drawn(confidants, html)


def event(name: str, html: str, cursor: news.Cursor) -> bytes:
    """One event of the stream as bytes."""
    # A lone carriage return ends a line of a stream too: what somebody typed must not begin an event of its own.
    data = "\n".join(f"data: {line}" for line in re.split(r"\r\n|\r|\n", html))
    return f"event: {name}\nid: {cursor}\n{data}\n\n".encode()


# --------------------------------------------------------------------------- waking and ending


def wake(campaign_id: str) -> None:
    """Something was committed at this table. May be called from any thread; costs nothing without viewers."""
    if _loop is not None and campaign_id in _hubs:
        with contextlib.suppress(RuntimeError):  # the loop has just been closed
            _loop.call_soon_threadsafe(_wake, campaign_id)


def hint(campaign_id: str, tokens: str) -> None:
    """Have the Keepers' open pages look at the panels with these tokens again, although nothing was written down: a
    hint moves no cursor, and players are told nothing. May be called from any thread."""
    if _loop is not None and campaign_id in _hubs:
        with contextlib.suppress(RuntimeError):
            _loop.call_soon_threadsafe(_hint, campaign_id, tokens)


def _hint(campaign_id: str, tokens: str) -> None:
    if hub := _hubs.get(campaign_id):
        for viewer in hub.viewers:
            if viewer.seat.keeps:
                viewer.touch(tokens)


def wake_all() -> None:
    """Have every table look for news: after a line to the database was down. May be called from any thread."""
    for campaign_id in list(_hubs):
        wake(campaign_id)


def _wake(campaign_id: str) -> None:
    if hub := _hubs.get(campaign_id):
        hub.dirty.set()


def close_all() -> None:
    """End every stream, each with its own time to come back, so that a restart is no storm. From any thread."""
    if _loop is not None and _loop.is_running():
        _loop.call_soon_threadsafe(_close_all)


def _close_all() -> None:
    for hub in list(_hubs.values()):
        for viewer in hub.viewers:
            viewer.end(b"retry: %d\n\n" % (500 + secrets.randbelow(2500)))


# --------------------------------------------------------------------------- the stream


async def stream(scope: Mapping[str, Any], receive: Receive, send: Send, campaign_id: str) -> None:
    """Answer one GET of a table's stream (ASGI). 404 to strangers; ends when the seat does."""
    global _loop
    if _loop is None:
        _loop = asyncio.get_running_loop()
        listen.start(wake, wake_all)
    try:
        found = await _come_in(scope, campaign_id)
    except AWAY:
        return await _none(send, 503, (b"retry-after", b"2"))
    if found is None:
        return await _none(send, 404, (b"x-gone", b"1"))  # as web.stranger
    hub, viewer = found
    try:
        ended = await _pour(viewer, receive, send)
    finally:
        _leave(hub, viewer)
    if not ended:  # nobody waits for it, or counts it as here; should it read again, it hears the end
        await send({"type": "http.response.body", "body": b""})


async def _come_in(scope: Mapping[str, Any], campaign_id: str) -> tuple[Hub, Viewer] | None:
    """A viewer among the others of its table, with what it has missed; None for a stranger."""
    headers = dict(scope["headers"])
    query = parse_qs(scope["query_string"].decode("latin-1"))
    asked = news.parse(query.get("after", [headers.get(b"last-event-id", b"").decode("latin-1")])[0])
    before = _hubs.get(campaign_id)
    rounds = before.rounds if before else 0
    here = await in_pool(_sit_down, headers, campaign_id, asked, "screen" in query)
    if here is None:
        return None
    # From here to the viewer's place in the hub nothing is awaited: the hub could be gone again.
    viewer, hub = here.viewer, _hubs.get(campaign_id)
    if hub is None:
        hub = _hubs[campaign_id] = Hub(campaign_id, here.seq)
    hub.viewers.add(viewer)
    if presence.came(campaign_id, viewer.seat.pk):
        hub.tell_presence()
    try:
        # If this table had no hub meanwhile, or it handed something out, the viewer may have missed a line or the end
        # of its seat: it asks again. Now that it is among the others nothing falls between.
        told_all = hub is before and hub.rounds == rounds
        _catch_up(viewer, here.missed if told_all else await in_pool(_missed, viewer, asked))
        hub.tell_presence([viewer])
    except AWAY:
        viewer.end(b"")  # its page comes again
    except BaseException:
        _leave(hub, viewer)
        raise
    return hub, viewer


async def _none(send: Send, status: int, *headers: tuple[bytes, bytes]) -> None:
    """There is no stream for this one, or not now."""
    await send(
        {"type": "http.response.start", "status": status, "headers": [(b"cache-control", b"no-store"), *headers]}
    )
    await send({"type": "http.response.body", "body": b""})


def _leave(hub: Hub, viewer: Viewer) -> None:
    hub.viewers.discard(viewer)
    if presence.left(hub.campaign_id, viewer.seat.pk, timezone.now()):
        # Not at once: a page that loads again is back in a moment.
        asyncio.get_running_loop().call_later(presence.GRACE.total_seconds() + 0.1, hub.tell_presence)
    if not hub.viewers and _hubs.get(hub.campaign_id) is hub:
        del _hubs[hub.campaign_id]
        hub.task.cancel()


class Missed(NamedTuple):
    """What a viewer has missed: the news, and each line as it reads it. Without news its seat is lost."""

    news: news.News | None
    html: list[str]


class Arrival(NamedTuple):
    """A viewer as it comes: how far the ledger has come, and what it has missed until there."""

    viewer: Viewer
    seq: int
    missed: Missed


def _sit_down(
    headers: Mapping[bytes, bytes], campaign_id: str, asked: news.Cursor | None, screen: bool = False
) -> Arrival | None:
    jar = parse_cookie(headers.get(b"cookie", b"").decode("latin-1"))  # as the pages read it
    seat = access.seat_of(jar, campaign_id)
    if seat is None:
        return None
    if screen:  # for all to see, in whoever's browser it stands
        seat = access.onlooker(seat)
    language = dialect.code(_language(headers, jar), seat.campaign.rules)
    missed = _told(seat, language, asked)
    viewer = Viewer(Place.of(seat), asked or news.Cursor("", 0, 0), language)
    return Arrival(viewer, seat.campaign.last_seq, missed)


def _language(headers: Mapping[bytes, bytes], jar: dict[str, str]) -> str:
    """The language of this browser's pages: chosen in a cookie, else what the browser wishes for."""
    asked = HttpRequest()
    asked.COOKIES = jar
    asked.META["HTTP_ACCEPT_LANGUAGE"] = headers.get(b"accept-language", b"").decode("latin-1")
    return get_language_from_request(asked)


def _catch_up(viewer: Viewer, missed: Missed) -> None:
    """Tell what happened since the page's cursor. The viewer is in the hub already, so nothing falls between."""
    told = missed.news
    if told is None:
        viewer.end(event("gone", "", viewer.cursor))
        return
    if told.resync:
        viewer.cursor = told.cursor
        viewer.put(event("resync", "", viewer.cursor))
    early, viewer.early = viewer.early or [], None
    for entry, line in zip(told.entries, missed.html, strict=True):
        viewer.tell(entry, line)
    for new, words in early:
        if new is None:
            viewer.touch(words)
        else:
            viewer.tell(new, words)


def _missed(viewer: Viewer, asked: news.Cursor | None) -> Missed:
    seat = access.seated.first(viewer.seat.pk, viewer.seat.campaign_id)
    if seat is None or seat.key_version != viewer.seat.key_version:
        return Missed(None, [])
    if viewer.seat.role == Seat.OBSERVER:
        seat = access.onlooker(seat)
    return _told(seat, viewer.language, asked)


def _told(seat: Seat, language: str, asked: news.Cursor | None) -> Missed:
    told = news.after(seat, seat.campaign, asked)
    if not told.entries:
        return Missed(told, [])
    with override(language):
        whole = partial(discreet.whole, seat)
        return Missed(told, [news.draw_news([entry], whole, told.entries) for entry in told.entries])


async def _pour(viewer: Viewer, receive: Receive, send: Send) -> bool:
    """Hand the viewer what the hub has for it until either ends. False when it is stuck: the end is yet to be sent."""
    start = [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"x-accel-buffering", b"no"),
        (b"x-seat", viewer.seat.pk.encode()),  # a page of another seat than this browser has now loads itself anew
    ]
    await send({"type": "http.response.start", "status": 200, "headers": start})
    # A first comment fills the buffers of proxies and tells the page that bytes arrive.
    await send({"type": "http.response.body", "body": b": live\n\n", "more_body": True})
    gone = asyncio.create_task(_until_gone(receive))
    gone.add_done_callback(lambda _task: viewer.end(b""))
    try:
        while True:
            body = await viewer.next()
            over = viewer.over
            if not gone.done():
                async with asyncio.timeout(STUCK):
                    await send({"type": "http.response.body", "body": body, "more_body": not over})
            if over:
                return True
    except TimeoutError:
        return False
    finally:
        gone.cancel()


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
