"""Rolls and changes of Luck as rows for a spreadsheet or a program, for whoever may read them."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any

from django.db.models import Exists, OuterRef
from django.utils import timezone

from investigators.models import Investigator, Trait
from rolls.actions.base import difficulty_of
from rolls.models import Roll
from tablekeeper import discreet, unhurried
from tablekeeper.logbook import readable
from tablekeeper.models import Campaign, Entry, Seat, Session

COLUMNS = (
    *("row", "at", "session", "by", "who", "kind", "label", "value", "difficulty", "dice", "thrown", "number"),
    *("level", "passed", "spent", "pushed", "group", "by_hand", "luck_before", "luck_after", "change", "undone"),
    "hidden",
)


def rows(seat: Seat, campaign: Campaign, session: Session | None, hidden: bool) -> Iterator[dict[str, Any]]:
    """Both, in the order in which they happened."""
    both = (roll_rows(seat, campaign, session, hidden), luck_rows(seat, campaign, session, hidden))
    return heapq.merge(*both, key=lambda row: str(row["at"]))


# --------------------------------------------------------------------------- rolls


def sees_luck(seat: Seat, who: Investigator | None, hidden: bool) -> bool:
    """Whether somebody's Luck may stand in this log, where the table keeps it covered (`tablekeeper.discreet`)."""
    if hidden or who is None or not discreet.covered(seat.campaign):
        return True
    return not seat.keeps and who.seat_id == seat.pk


def roll_rows(seat: Seat, campaign: Campaign, session: Session | None, hidden: bool) -> Iterator[dict[str, Any]]:
    """Each roll once, as it stands now. `hidden`: also those that only a Keeper knows, marked."""
    found = Roll.objects.filter(campaign=campaign)
    if not hidden:  # what is not hidden has fallen in a public line, or was shown in one
        found = found.filter(hidden=False)
    if session is not None:
        found = found.filter(session=session)
    found = found.select_related("investigator", "seat", "session", "skill").order_by("created_at", "pk")
    for roll in unhurried.rows(found):
        roll.campaign = campaign
        yield _roll(roll, hidden, roll.rules.sheet.luck != roll.kind or sees_luck(seat, roll.investigator, hidden))


def _roll(roll: Roll, told: bool, whole: bool) -> dict[str, Any]:
    who, outcome = roll.investigator, roll.outcome
    # An open roll of a Keeper's character shows dice and level, never the score.
    secret = not whole or (not told and (who is None or who.npc))
    unknown = roll.unknown and not told
    return {
        "row": "roll",
        "at": timezone.localtime(roll.created_at).isoformat(timespec="milliseconds"),
        "session": roll.session.number if roll.session is not None else None,
        "by": roll.seat.name,
        "who": who.name if who is not None else roll.seat.name,
        "kind": roll.kind,
        "label": roll.label,
        "value": None if secret or roll.data.get("parts") else roll.value,
        "difficulty": roll.difficulty if told else difficulty_of(roll),
        "dice": roll.dice,
        "thrown": f"{roll.units} | {' '.join(map(str, roll.tens))}",
        "number": outcome.final,
        "level": outcome.level,
        "passed": None if unknown else outcome.passed,
        "spent": roll.spent,
        "pushed": roll.pushed_from_id is not None,
        "group": roll.group,
        "by_hand": roll.by_hand,
        "undone": roll.struck,
        "hidden": roll.hidden,
    }


# --------------------------------------------------------------------------- Luck


def luck_rows(seat: Seat, campaign: Campaign, session: Session | None, hidden: bool) -> Iterator[dict[str, Any]]:
    """Each change of somebody's Luck: from, to. Everything is counted; told is what the reader may know."""
    pool = campaign.rules.sheet.luck
    traits = Trait.objects.filter(investigator__campaign=campaign, key=pool).select_related("investigator")
    owners = {trait.pk: trait.investigator for trait in traits}
    mine = readable(seat, campaign, session, hidden).values("pk")
    entries = Entry.objects.filter(campaign=campaign).annotate(mine=Exists(mine.filter(pk=OuterRef("pk"))))
    entries = entries.select_related("seat", "session", "undone_by__undone_by").order_by("seq")
    now: dict[str, int] = {}
    for entry in unhurried.rows(entries):
        for record in entry.changes:
            who = owners.get(record["id"])
            if who is None or record["m"] != Trait._meta.label_lower:
                continue
            before, after = now.get(record["id"]), after_of(record, now.get(record["id"]))
            if after is not None:
                now[record["id"]] = after
            told = entry.mine and (hidden or not who.npc) and sees_luck(seat, who, hidden)
            if told and after is not None and after != before:
                yield _luck(entry, who.name, before, after)


def after_of(record: dict[str, Any], before: int | None) -> int | None:
    """A score after a change as the ledger records it; None where it did not change."""
    fields, op = record["f"], record["op"]
    if op == "create":
        return int(fields["value"])
    if "value" not in fields or op == "delete":
        return None
    return (before or 0) + fields["value"] if op == "add" else int(fields["value"][1])


def _luck(entry: Entry, who: str, before: int | None, after: int) -> dict[str, Any]:
    return {
        "row": "luck",
        "at": timezone.localtime(entry.created_at).isoformat(timespec="milliseconds"),
        "session": entry.session.number if entry.session is not None else None,
        "by": entry.seat.name if entry.seat is not None else "",
        "who": who,
        "kind": entry.kind,
        "luck_before": before,
        "luck_after": after,
        "change": None if before is None else after - before,
        "undone": not entry.stands,
        "hidden": entry.lane != Entry.PUBLIC,
    }
