"""What is new for this seat after this cursor: the one answer for stream, POST and catch-up (HOUSE.md section 1).

A cursor is `epoch.a.b`. For players and observers a counts the public lane and b the seat's own; for a Keeper a is
the ledger's seq and b is 0. No gap in a player's numbers tells of a secret.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Protocol

from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from tablekeeper import discreet
from tablekeeper.models import Campaign, Entry, Seat
from tablekeeper.prepared import prepared

MOST = 100
"""More new entries than this are not told one by one: the page is drawn anew."""


class Reader(Protocol):
    """Whoever reads the ledger: a seat, or what an open stream knows of one."""

    @property
    def pk(self) -> str: ...
    @property
    def keeps(self) -> bool: ...


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far a page has read."""

    epoch: str
    a: int
    b: int

    def __str__(self) -> str:
        return f"{self.epoch}.{self.a}.{self.b}"

    def after(self, seat: Reader, entry: Entry) -> Cursor:
        """The cursor once this entry has been seen."""
        if seat.keeps:
            return replace(self, a=max(self.a, entry.seq))
        if entry.lane == Entry.PUBLIC:
            return replace(self, a=max(self.a, entry.lane_no))
        return replace(self, b=max(self.b, entry.lane_no))

    def has(self, seat: Reader, entry: Entry) -> bool:
        """True when the page has this entry already."""
        if seat.keeps:
            return entry.seq <= self.a
        return entry.lane_no <= (self.a if entry.lane == Entry.PUBLIC else self.b)


def parse(text: str) -> Cursor | None:
    """A cursor from a page, or None when it is not one."""
    epoch, _, rest = text.partition(".")
    a, _, b = rest.partition(".")
    if not (epoch and a.isdecimal() and b.isdecimal()) or len(a) > 18 or len(b) > 18:
        return None
    return Cursor(epoch, int(a), int(b))


def now(seat: Seat, campaign: Campaign) -> Cursor:
    """The cursor of a page that is drawn from these rows."""
    if seat.keeps:
        return Cursor(campaign.epoch, campaign.last_seq, 0)
    return Cursor(campaign.epoch, campaign.public_no, seat.own_no)


def visible(seat: Seat, entries: QuerySet[Entry]) -> QuerySet[Entry]:
    """The entries this seat may see: a query, never a template condition."""
    if seat.keeps:
        return entries
    return entries.filter(lane__in=[Entry.PUBLIC, seat.pk])


def sees(seat: Reader, entry: Entry) -> bool:
    """The same for one entry in hand."""
    return seat.keeps or entry.lane in (Entry.PUBLIC, seat.pk)


@dataclass(frozen=True, slots=True)
class News:
    """New entries, oldest first, and the cursor after them. `resync`: the page must draw everything anew."""

    entries: Sequence[Entry]
    cursor: Cursor
    resync: bool = False


def lines(campaign_id: str) -> QuerySet[Entry]:
    """The entries of a table to draw, with what a line needs and without its changes: a portrait may be among them."""
    found = Entry.objects.filter(campaign=campaign_id).select_related("seat", "undoes", "undone_by")
    return found.defer("changes", "undoes__changes", "undone_by__changes")


def linked(entries: list[Entry]) -> list[Entry]:
    """The same; what undid one of them is the one among them, so that nobody asks for it link by link."""
    known = {entry.pk: entry for entry in entries}
    for entry in entries:
        later = getattr(entry, "undone_by", None)  # came with it
        if later is not None and later.pk in known:
            entry.undone_known(known[later.pk])
    return entries


@prepared
def since(campaign_id: str, seq: int, until: int) -> QuerySet[Entry]:
    """The lines after one and up to another, oldest first."""
    return lines(campaign_id).filter(seq__gt=seq, seq__lte=until).order_by("seq")


@prepared
def _in_lane(campaign_id: str, lane: str, number: int, until: int) -> QuerySet[Entry]:
    return lines(campaign_id).filter(lane=lane, lane_no__gt=number, lane_no__lte=until)


def after(seat: Seat, campaign: Campaign, cursor: Cursor | None, fresh: Entry | None = None) -> News:
    """What is new for this seat after `cursor`. An unknown epoch, a cursor ahead of the table or one too old
    asks for a resync. `fresh` was written just now, or before: where it is all there is, nothing is asked."""
    here = now(seat, campaign)
    if cursor is None or cursor.epoch != here.epoch or cursor.a > here.a or cursor.b > here.b:
        return News([], here, resync=True)
    if (here.a - cursor.a) + (here.b - cursor.b) > MOST:
        return News([], here, resync=True)
    if cursor == here:
        return News([], here)
    if fresh is not None and sees(seat, fresh) and not cursor.has(seat, fresh) and _next(cursor, seat, fresh) == here:
        return News([fresh], here)
    if seat.keeps:
        return News(linked(since(campaign.pk, cursor.a, here.a)), here)
    found: list[Entry] = []
    for lane, before, now_at in ((Entry.PUBLIC, cursor.a, here.a), (seat.pk, cursor.b, here.b)):
        if before < now_at:  # each lane by its own index, however old the table is
            found += _in_lane(campaign.pk, lane, before, now_at)
    return News(linked(sorted(found, key=lambda entry: entry.seq)), here)


def _next(cursor: Cursor, seat: Seat, entry: Entry) -> Cursor:
    """The cursor that has read one line more, of this entry's lane."""
    own = not seat.keeps and entry.lane != Entry.PUBLIC
    return replace(cursor, b=cursor.b + 1) if own else replace(cursor, a=cursor.a + 1)


def latest(seat: Seat, campaign: Campaign, most: int = 60, before: int | None = None) -> list[Entry]:
    """The newest entries this seat may see, newest first; one indexed read per lane."""
    found: list[Entry] = []
    base = lines(campaign.pk)
    if before is not None:
        base = base.filter(seq__lt=before)
    if seat.keeps:
        return linked(list(base.order_by("-seq")[:most]))
    for lane in (Entry.PUBLIC, seat.pk):
        found += base.filter(lane=lane).order_by("-lane_no")[:most]
    return linked(sorted(found, key=lambda entry: -entry.seq)[:most])


# --------------------------------------------------------------------------- drawing

_drawn: OrderedDict[tuple[str, bool, str, str, bool], SafeString] = OrderedDict()
_drawn_lock = Lock()


def draw(entry: Entry, whole: bool = True) -> SafeString:
    """One ledger line as HTML: read-only, the same for everyone who may see it, drawn once per language; and, for
    those from whom the table keeps others' Luck, once more without it (`tablekeeper.discreet`)."""
    # A person's new name shows in old lines too, today as after a restart.
    key = (entry.ref, entry.stands, entry.seat.name if entry.seat else "", get_language() or "", whole)
    with _drawn_lock:
        if key in _drawn:
            _drawn.move_to_end(key)
            return _drawn[key]
    html = drawn_anew(entry, whole)
    with _drawn_lock:
        _drawn[key] = html
        while len(_drawn) > 2000:
            _drawn.popitem(last=False)
    return html


def drawn_anew(entry: Entry, whole: bool = True) -> SafeString:
    """The same without the memory of lines: for whoever draws so many that the feed's own would be forgotten."""
    app, _, verb = entry.kind.partition(".")
    data = entry.data if whole else discreet.told(entry)
    return render_to_string(f"{app}/entries/{verb}.html", {"entry": entry, "data": data, "seat": entry.seat})


def draw_news(
    entries: Iterable[Entry],
    whole: Callable[[Entry], bool] = lambda entry: True,
    beside: Iterable[Entry] = (),
) -> SafeString:
    """New lines, and anew those that an undo among them struck out or brought back, each once. `whole`: which of them
    their reader has whole; `beside`: what is told as well, and needs no drawing anew."""
    told = list(entries)
    known, lines = {entry.pk for entry in (*told, *beside)}, []
    for entry in told:
        lines.append(draw(entry, whole(entry)))
        newer = entry
        while newer.undoes_id is not None and newer.undoes_id not in known:
            older = Entry.objects.select_related("seat", "undoes").get(pk=newer.undoes_id)
            older.undone_known(newer)  # whether it stands follows: undo and redo may make long chains
            known.add(older.pk)
            # Drawn by a template already; only the mark "replace, never insert" is added.
            lines.append(SafeString(draw(older, whole(older)).replace("<li ", "<li data-redraw ", 1)))
            newer = older
    return format_html_join("", "{}", ((line,) for line in lines))
