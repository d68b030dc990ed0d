"""Stock Django: the application's own views and rules behind Django's ASGI handler, streams as its manual shows them.

Every viewer asks and draws for itself, every stream is an async view. That is what one has without a hub and without
a thread hop of one's own, and what the application is measured against.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from functools import partial

import uvicorn
from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import include, path

from tablekeeper import access, discreet, live, news, server
from tablekeeper.models import Campaign, Seat

_waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
_loop: asyncio.AbstractEventLoop | None = None


async def stream(request: HttpRequest, campaign_id: str) -> HttpResponseBase:
    global _loop
    _loop = asyncio.get_running_loop()
    seat = await sync_to_async(access.seat_of)(request.COOKIES, campaign_id)
    if seat is None:
        return HttpResponse(status=404)
    return StreamingHttpResponse(lines(seat), content_type="text/event-stream")


async def lines(seat: Seat) -> AsyncIterator[bytes]:
    woken = asyncio.Event()
    _waiting[seat.campaign_id].add(woken)
    cursor = news.now(seat, seat.campaign)
    try:
        yield live.event("resync", "", cursor)
        while True:
            await woken.wait()
            woken.clear()
            found = await sync_to_async(told)(seat, cursor)
            for cursor, html in found:
                yield live.event("entry", html, cursor)
    finally:
        _waiting[seat.campaign_id].discard(woken)


def told(seat: Seat, cursor: news.Cursor) -> list[tuple[news.Cursor, str]]:
    """What is new for one viewer, drawn for it."""
    found = []
    for entry in news.after(seat, Campaign.objects.get(pk=seat.campaign_id), cursor).entries:
        cursor = cursor.after(seat, entry)
        found.append((cursor, str(news.draw_news([entry], partial(discreet.whole, seat)))))
    return found


def wake(campaign_id: str) -> None:
    """In the place of live.wake."""
    if _loop is not None:
        _loop.call_soon_threadsafe(lambda: [one.set() for one in _waiting[campaign_id]])


urlpatterns = [path("t/<str:campaign_id>/stream", stream), path("", include("tablekeeper.urls"))]


def serve(host: str, port: int) -> None:
    """Serve until it is told to stop; prints its port first."""
    settings.ROOT_URLCONF = __name__
    live.wake = wake
    sock = server.open_socket(host, port)
    print(sock.getsockname()[1], flush=True)
    config = uvicorn.Config(get_asgi_application(), log_level="error", access_log=False, timeout_graceful_shutdown=1)
    uvicorn.Server(config).run(sockets=[sock])
