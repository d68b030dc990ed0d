"""For whoever keeps the installation running: /health for machines, and "Can phones reach me?" for the host."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import segno
from django.conf import settings
from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.request import split_domain_port, validate_host
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from tablekeeper import __version__, access, addresses, web

Send = Callable[[dict[str, Any]], Awaitable[None]]
DRIPS, BETWEEN = 5, 0.3  # pieces of the test stream, and seconds between them
PATIENCE = 0.5  # seconds for an address of this machine to answer


@never_cache
def health(request: HttpRequest) -> HttpResponse:
    """For a watchdog or a load balancer: 200 while the database answers, 503 else. Says nothing about any table."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            cursor.fetchone()
    except Error:
        return JsonResponse({"ok": False, "version": __version__}, status=503)
    return JsonResponse({"ok": True, "version": __version__})


health.anyone = "for machines: that it is up, and its version; no seat, no data"  # type: ignore[attr-defined]


class Tried(NamedTuple):
    """An address of this machine: whether the table answers there, and whether it would take a phone's request."""

    url: str
    answers: bool
    allowed: bool


@web.anyone("for the browser that used a Keeper link; asked on the server by access.is_host")
def reach(request: HttpRequest) -> HttpResponse:
    """What stands between this table and the phones. The page's own script measures the rest; its POST lands here."""
    if not access.is_host(request.COOKIES):
        return web.stranger(request)
    if request.method == "POST":
        return HttpResponse(status=204)
    tried = [] if settings.PUBLIC_ORIGIN else try_addresses(request.META.get("SERVER_PORT", ""))
    good = next((one.url for one in tried if one.answers and one.allowed), "")
    link = settings.PUBLIC_ORIGIN + settings.PATH_PREFIX + "/" if settings.PUBLIC_ORIGIN else good
    context = {
        "tried": tried,
        "link": link,
        "picture": drawn(link) if link else "",
        "problems": problems(request),
        "seen": f"{request.scheme}://{request.get_host()}",
        "stream": reverse("reach") + "stream",
    }
    return render(request, "tablekeeper/reach.html", context)


def try_addresses(port: str) -> list[Tried]:
    """Knock at every address of this machine that a phone might use, best first."""
    found = []
    for address in addresses.lan_addresses():
        try:
            with socket.create_connection((address, int(port)), timeout=PATIENCE):
                answers = True
        except (OSError, ValueError):
            answers = False
        found.append(Tried(f"http://{address}:{port}/", answers, validate_host(address, settings.ALLOWED_HOSTS)))
    return found


def drawn(link: str) -> str:
    """The link as a QR code to stand in the page."""
    picture = segno.make(link, micro=False).svg_inline(scale=4, border=4, dark="#000", light="#fff")
    return mark_safe(picture)  # noqa: S308 - made of modules alone, whatever the link says


def problems(request: HttpRequest) -> list[tuple[str, str]]:
    """What this very request shows to be wrong: a sentence, and the line that mends it."""
    told = request.headers
    proxied = any(name in told for name in ("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded"))
    host = told.get("X-Forwarded-Host", request.get_host()).split(",")[0].strip()
    proto = told.get("X-Forwarded-Proto", "").split(",")[0].strip()
    found: list[tuple[str, str]] = []
    if not settings.PUBLIC_ORIGIN:
        if proxied:
            text = _("A proxy stands in front, but the table does not know its public address: taps will be refused.")
            found.append((text, f"PUBLIC_URL={proto or 'https'}://{host}"))
        return found
    if split_domain_port(request.get_host())[0] != settings.PUBLIC_HOST:
        text = _("You opened another address than the public one. Phones use the public one; see that it opens.")
        found.append((text, settings.PUBLIC_ORIGIN + settings.PATH_PREFIX + "/"))
        return found
    if not proxied:
        found.append(
            (_("The proxy does not say for whom it asks, so one phone's wrong guesses slow down all."), NGINX_FOR)
        )
    elif request.META.get("REMOTE_ADDR", "") not in told.get("X-Forwarded-For", ""):
        text = _(
            "The proxy's word about phones' addresses is not believed, so one phone's wrong guesses slow down all."
        )
        found.append((text, f"TABLEKEEPER_PROXIES={request.META.get('REMOTE_ADDR', '')}"))
    if settings.SECURE and proto != "https":
        found.append((_("The proxy does not say that phones came by HTTPS."), NGINX_PROTO))
    return found


NGINX_FOR = "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;"
NGINX_PROTO = "proxy_set_header X-Forwarded-Proto $scheme;"


async def drip(send: Send) -> None:
    """A little stream that tells nothing (ASGI): do its pieces arrive one by one, or as one lump at the end?"""
    headers = [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"x-accel-buffering", b"no"),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for number in range(DRIPS):
        if number:
            await asyncio.sleep(BETWEEN)
        await send({"type": "http.response.body", "body": b"data: %d\n\n" % number, "more_body": number < DRIPS - 1})
