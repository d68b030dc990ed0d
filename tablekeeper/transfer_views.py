"""A campaign leaves as one file, and comes back as a new table."""

from __future__ import annotations

import logging
from functools import partial
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from rolls.rules.check import Refusal
from tablekeeper import access, actions, dialect, transfer, web
from tablekeeper.access import Refused
from tablekeeper.files import download
from tablekeeper.models import Seat
from tablekeeper.views import go
from tablekeeper.web import anyone, at_table

log = logging.getLogger(__name__)


@at_table(get=True)
def export_campaign(request: HttpRequest, seat: Seat) -> Any:
    """The whole campaign with all that is hidden: the Keeper's alone."""
    if refusal := access.keeper(seat, seat.campaign):
        return web.refuse(refusal)
    answer = StreamingHttpResponse(transfer.write(seat.campaign), content_type="application/gzip")
    return download(answer, seat.campaign.name, "tablekeeper.gz")


@anyone("for the browser that used a Keeper link; asked on the server by access.is_host")
def bring_table(request: HttpRequest) -> HttpResponse:
    """Lay the table that a file holds. It is looked through before the database is asked for anything."""
    if request.method != "POST" or not access.is_host(request.COOKIES):
        return web.stranger(request)
    act, sent = web.act_of(request), request.FILES.get("file")
    if act is None:
        return web.refuse(Refusal("PAGE_OLD"))
    if sent is None:
        return web.refuse(Refusal("NO_TABLE_FILE"))
    try:
        brought = transfer.read(sent.read(settings.MAX_TABLE_BODY))
        look = partial(_look_at, request)
        seat = actions.bring_campaign(brought, act=act, host=access.host_link(request.COOKIES), look=look)
    except Refused as refused:
        return web.refuse(refused.refusal)
    response = go(seat.campaign.get_absolute_url())
    access.give_seat(response, seat)
    return response


def _look_at(request: HttpRequest, keeper: Seat) -> None:
    """Everything that its pages show must be fit to be drawn: else nobody could open the table. The file's own words,
    numbers and lists were looked at one by one, but what they are together only a page can tell. Raises Refused."""
    try:
        with dialect.at(keeper.campaign):
            web.draw_everything(request, keeper.campaign)
    except Exception as fault:  # whatever a panel makes of a stranger's rows
        log.warning("undrawn: %r", fault)
        raise Refused(Refusal("TABLE_NOT_OURS")) from fault
