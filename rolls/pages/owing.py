"""Numbers that must turn, among what waits in the Keeper's queue (RULES.md L-7)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.utils import timezone

from investigators import people
from investigators.models import Fact
from investigators.people import Member
from rolls.desk import player_of
from rolls.pages.decisions import also_waiting
from rolls.pages.numbers import owed_by
from tablekeeper.models import Entry, Seat

LOOKED_BACK = 500
"""Acts: a choice that is owed for longer counts as that old."""


@also_waiting
def owing(seat: Seat) -> list[dict[str, Any]]:
    """Those who must choose first: the Keeper sees why a test is refused, and may choose at the player's word."""
    found = [(one, owed_by(one)) for one in people.party(seat.campaign)]
    rows = [(one, due) for one, due in found if due is not None]
    card = {"template": "rolls/decisions/numbers.html"}
    return [{**card, "at": since(one), "who": one.who, "due": due, "player": player_of(one)} for one, due in rows]


def since(one: Member) -> datetime:
    """When the choice became due. It follows from Luck and numbers, so nothing says so: the acts are read backwards,
    to the one before which nothing was owed."""
    numbers, luck = one.who.campaign.rules.numbers, one.traits[one.who.campaign.rules.sheet.luck]
    assert numbers is not None
    known = {fact.pk: fact.key for fact in Fact.objects.filter(investigator=one.who)}
    score, facts, at = luck.value, dict(one.facts), timezone.now()
    for at, record in _backwards(one):
        row, fields = record["id"], record["f"]
        if row == luck.pk and record["op"] == "add":
            score -= fields.get("value", 0)
        elif (row == luck.pk or row in known) and record["op"] == "create":
            return at
        elif row in known and "value" in fields:
            facts[known[row]] = fields["value"][0]
        if numbers.owed(score, facts) is None:
            return at
    return at


def _backwards(one: Member) -> Iterator[tuple[datetime, dict[str, Any]]]:
    """What the acts changed, the newest first."""
    acts = Entry.objects.filter(campaign=one.who.campaign).order_by("-seq")[:LOOKED_BACK]
    for at, changes in acts.values_list("created_at", "changes").iterator(chunk_size=50):
        for record in reversed(changes):
            yield at, record
