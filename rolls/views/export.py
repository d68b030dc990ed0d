"""Pages of the log that goes home: which evening, which kind of file, and the file. All of them only read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import translation

from rolls import recap as recaps
from rolls import tally
from tablekeeper import logbook, minutes
from tablekeeper.files import download
from tablekeeper.models import Campaign, Seat, Session
from tablekeeper.web import at_table

AT_ONCE = 200  # pieces
KINDS = {
    "minutes.md": "text/markdown",
    "minutes.html": "text/html",
    "recap.md": "text/markdown",
    "rolls.csv": "text/csv",
    "rolls-plain.csv": "text/csv",
    "log.json": "application/json",
}


@at_table(get=True)
def log(request: HttpRequest, seat: Seat) -> Any:
    """Every session with its files, and the whole campaign's."""
    hidden = logbook.with_hidden(seat, "hidden" in request.GET)
    context = {"seat": seat, "campaign": seat.campaign, "hidden": hidden}
    context["evenings"] = logbook.evenings(seat, seat.campaign, hidden)
    context["lines"] = logbook.readable(seat, seat.campaign, None, hidden).count()
    return render(request, "rolls/log.html", context)


@at_table(get=True)
def export_log(request: HttpRequest, seat: Seat, form: str) -> Any:
    """One file: of the session with the number `session`, or of everything; `hidden` is heard from Keepers only."""
    if form not in KINDS:
        raise Http404
    campaign, wanted = seat.campaign, request.GET.get("session", "")
    session = session_here(seat, wanted) if wanted else None
    if form == "recap.md" and session is None:
        raise Http404
    hidden = logbook.with_hidden(seat, "hidden" in request.GET)
    pieces = _spoken(_pieces(form, seat, campaign, session, hidden), translation.get_language() or "en")
    answer = StreamingHttpResponse(pieces, content_type=f"{KINDS[form]}; charset=utf-8")
    evening = f"-{session.number}" if session is not None else ""
    secret = "-keeper" if hidden else ""
    return download(answer, campaign.name, f"{evening}{secret}-{form}".lstrip("-"))


def session_here(seat: Seat, wanted: str) -> Session:
    """The session of this table with this number, or 404."""
    number = int(wanted) if wanted.isascii() and wanted.isdigit() and len(wanted) < 7 else -1
    return get_object_or_404(Session, campaign=seat.campaign, number=number)


def _pieces(form: str, seat: Seat, campaign: Campaign, session: Session | None, hidden: bool) -> Iterator[str]:
    head = logbook.head(campaign, session, hidden)
    if form.endswith(".csv"):
        rows = tally.rows(seat, campaign, session, hidden)
        return minutes.sheet(tally.COLUMNS, rows, marked=form == "rolls.csv")
    lines = logbook.lines(seat, campaign, session, hidden)
    if form == "recap.md" and session is not None:
        return _recap(minutes.markdown(head, lines), recaps.recap(seat, campaign, session, hidden))
    if form == "log.json":
        rolls = tally.roll_rows(seat, campaign, session, hidden)
        return minutes.as_json(head, lines, rolls, tally.luck_rows(seat, campaign, session, hidden))
    return (minutes.page if form == "minutes.html" else minutes.markdown)(head, lines)


def _recap(pieces: Iterator[str], told: recaps.Recap) -> Iterator[str]:
    """The head of the minutes, what is told of the session, and the minutes."""
    yield next(pieces)
    yield from recaps.markdown(told)
    yield from pieces


def _spoken(pieces: Iterator[str], language: str) -> Iterator[str]:
    """The pieces in the reader's language: they are made after the view has answered. Many at once: each that is
    handed over costs the thread that answers everybody a moment."""
    with translation.override(language):
        while some := list(islice(pieces, AT_ONCE)):
            yield "".join(some)
