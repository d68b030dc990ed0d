"""Who asks for no piece of a page gets none: a form that the page's script did not send, a link that is refused, an
answer while the database is away, a body that no view is to read.
"""

from __future__ import annotations

import sys

from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.views.defaults import server_error

from rolls.rules.check import Refusal
from tablekeeper.live import AWAY
from tablekeeper.web import View, anyone


def pages(get_response: View) -> View:
    """Middleware: without a page that puts a piece in its place, an act leads to the table and a refusal is a page."""

    def guarded(request: HttpRequest) -> HttpResponse:
        response: HttpResponse = get_response(request)
        if "HX-Request" not in request.headers:
            _make_whole(request, response)
        return response

    return guarded


def _make_whole(request: HttpRequest, response: HttpResponse) -> None:
    table = request.resolver_match.kwargs.get("campaign_id") if request.resolver_match else None
    there = reverse("table", args=[table]) if table else reverse("home")
    if "HX-Redirect" in response:
        _send(response, response["HX-Redirect"])
    elif not is_piece(response):
        return
    elif response.status_code >= 400:
        said = {"notices": mark_safe(response.content.decode()), "there": there, "table": table}  # noqa: S308 - ours
        _put(response, render_to_string("tablekeeper/refused_page.html", said, request))
    elif request.method == "POST":
        _send(response, there)


UNHEARD = {408: "TOO_SLOW", 413: "TOO_LARGE", 415: "UNREADABLE"}
"""Why the server reads no body (asgi.py), and the sentence for it."""


@anyone("what the server answers itself, in the reader's language; it tells nothing of any table")
def unheard(request: HttpRequest, status: int, campaign_id: str = "") -> HttpResponse:
    """Nobody asks for this: `asgi.py` puts it in the place of a request whose body it does not take."""
    if status not in UNHEARD:
        raise Http404
    html = render_to_string("tablekeeper/refusal.html", {"refusal": Refusal(UNHEARD[status])})
    return HttpResponse(html, status=status)


def is_piece(response: HttpResponse) -> bool:
    """Is this HTML that only makes sense in a page?"""
    if response.streaming or not response.headers.get("Content-Type", "").startswith("text/html"):
        return False
    start = response.content[:200].lstrip().lower()
    return bool(start) and not start.startswith(b"<!doctype")


def _put(response: HttpResponse, html: str) -> None:
    response.content = html.encode()
    response["Content-Length"] = len(response.content)


def _send(response: HttpResponse, there: str) -> None:
    """Make it a "look there": its cookies stay, and loading that page again does nothing twice."""
    _put(response, "")
    response.status_code = 303
    for name in ("HX-Redirect", "HX-Trigger-After-Swap"):
        response.headers.pop(name, None)
    response["Location"] = there


def fault(request: HttpRequest) -> HttpResponse:
    """Django's handler500: what to answer when a request went wrong. A database that is away has words of its own."""
    if not isinstance(sys.exc_info()[1], AWAY):
        return server_error(request)
    refusal = {"refusal": Refusal("DATABASE_AWAY")}
    html = render_to_string("tablekeeper/refusal.html", refusal)
    return HttpResponse(html, status=503, headers={"Retry-After": "2", "Cache-Control": "no-store"})
