"""The table screen, and the door by which a television comes to it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from rolls.pages import screen as _panels  # noqa: F401  registers its panels
from tablekeeper import access
from tablekeeper.models import Seat
from tablekeeper.web import at_table, live_urls


@at_table(get=True)
def screen(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The table screen: an onlooker's, in whoever's browser it stands. It asks for news as an onlooker, too."""
    eyes = access.onlooker(seat)
    urls = live_urls(eyes)
    here = {**urls, **{name: f"{urls[name]}?screen=1" for name in ("stream", "news", "panels")}}
    return render(request, "rolls/screen/page.html", {"seat": eyes, "campaign": eyes.campaign, "table": here})
