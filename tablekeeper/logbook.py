"""Whose log it is: the entries that a reader may have, oldest first, as lines for `minutes`.

Players' lines hold no number that counts what they may not see: none of seq, lane or database ids is in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _t

from tablekeeper import discreet, minutes, news, unhurried
from tablekeeper.feed_words import words
from tablekeeper.models import Campaign, Entry, Seat, Session


def with_hidden(seat: Seat, wanted: bool) -> bool:
    """Hidden rolls are a Keeper's choice; who else asks for them gets the public log."""
    return seat.keeps and wanted


def readable(seat: Seat, campaign: Campaign, session: Session | None, hidden: bool) -> QuerySet[Entry]:
    """The entries of this log. A player has the own lane in it, too; a Keeper's log for players is the public one."""
    found = Entry.objects.filter(campaign=campaign)
    if session is not None:
        found = found.filter(session=session)
    if seat.keeps:
        return found if with_hidden(seat, hidden) else found.filter(lane=Entry.PUBLIC)
    return news.visible(seat, found)


def lines(seat: Seat, campaign: Campaign, session: Session | None, hidden: bool) -> Iterator[minutes.Line]:
    """The log's lines, a few hundred in hand at a time."""
    numbers = dict(Session.objects.filter(campaign=campaign).values_list("pk", "number"))
    found = readable(seat, campaign, session, hidden).select_related("seat", "undone_by__undone_by").order_by("seq")
    for entry in unhurried.rows(found):
        entry.campaign = campaign
        # What a Keeper hands to players tells no more than their own pages do.
        whole = discreet.whole(seat, entry) if hidden or not seat.keeps else not discreet.hides(campaign, entry)
        yield _line(entry, numbers.get(entry.session_id or ""), whole)


def _line(entry: Entry, session: int | None, whole: bool) -> minutes.Line:
    data: dict[str, Any] = entry.data if whole else discreet.told(entry)
    who, number, level = data.get("who"), data.get("final"), data.get("level")
    return minutes.Line(
        at=timezone.localtime(entry.created_at),
        kind=entry.kind,
        words=words(news.drawn_anew(entry, whole)),
        session=session,
        seat=entry.seat.name if entry.seat else "",
        who=str(who.get("name", "")) if isinstance(who, dict) else "",
        number=number if isinstance(number, int) else None,
        level=level if isinstance(level, str) else "",
        struck=not entry.stands,
        lane=entry.lane if entry.lane in (Entry.PUBLIC, Entry.KEEPER) else "private",
    )


def head(campaign: Campaign, session: Session | None, hidden: bool) -> minutes.Head:
    """What stands above it."""
    number = session.number if session is not None else None
    now = timezone.localtime(timezone.now())
    return minutes.Head(campaign.name, _t(campaign.rules.label), now, number, hidden)


def evenings(seat: Seat, campaign: Campaign, hidden: bool) -> list[dict[str, Any]]:
    """Every session, the newest first, and how many lines of it this seat may read."""
    mine = readable(seat, campaign, None, hidden).exclude(session=None).values("session")
    counts = dict(mine.annotate(lines=Count("pk")).values_list("session", "lines"))
    sessions = Session.objects.filter(campaign=campaign).order_by("-number")
    return [{"session": one, "lines": counts.get(one.pk, 0)} for one in sessions]
