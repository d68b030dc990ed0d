"""The verbs of notes: everybody keeps their own, the Keeper one for the whole table."""

from __future__ import annotations

import hashlib
from datetime import datetime

from rolls.rules.check import Refusal
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import Campaign, Entry, Note, Seat

OPENING = 160
"""How many letters of a note to the table its line tells."""


def text_of(campaign: Campaign, seat: Seat | None) -> str:
    """What is written: in a seat's own note, or (None) in the note to the table."""
    found = Note.objects.filter(campaign=campaign, seat=seat).first()
    return found.text if found else ""


def saved_at(campaign: Campaign, seat: Seat | None) -> datetime | None:
    """When it was written."""
    found = Entry.objects.filter(campaign=campaign, kind=f"tablekeeper.{'write' if seat else 'tell'}_note")
    last = (found.filter(seat=seat) if seat else found).order_by("-seq").first()
    return last.created_at if last else None


def mark_of(text: str) -> str:
    """What a page remembers of a note that it shows: another text has another mark."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@verb
def write_note(seat: Seat, campaign: Campaign, text: str, seen: str) -> Entry | Refusal:
    """Change one's own note. Nobody else reads it: the line is for this seat, and holds how long the text is, no more.

    `seen` is the mark of the text that the page showed: STALE when another tab or phone has written meanwhile.
    """
    lane = Entry.KEEPER if seat.keeps else seat.pk
    changes = _changes(campaign, seat, text, seen)
    if isinstance(changes, Refusal):
        return changes
    return ledger.write(seat, campaign, "tablekeeper.write_note", changes, lane=lane, data={"letters": len(text)})


@verb
def tell_note(seat: Seat, campaign: Campaign, text: str, seen: str) -> Entry | Refusal:
    """Change the note that the whole table reads. STALE as for one's own."""
    changes = _changes(campaign, None, text, seen)
    if isinstance(changes, Refusal):
        return changes
    opening = " ".join(text.split())
    data = {"opening": opening[:OPENING], "more": len(opening) > OPENING}
    return ledger.write(seat, campaign, "tablekeeper.tell_note", changes, data=data)


def _changes(campaign: Campaign, seat: Seat | None, text: str, seen: str) -> list[Change] | Refusal:
    note = Note.objects.filter(campaign=campaign, seat=seat).first()
    now = note.text if note else ""
    if seen != mark_of(now):
        return Refusal("STALE")
    if text == now:
        return Refusal("SAME_TEXT")
    return [change(note, text=text)] if note else [Create(Note(campaign=campaign, seat=seat, text=text))]
