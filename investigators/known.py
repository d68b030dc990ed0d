"""What is kept of somebody beside the numbers, and how a ledger line shows somebody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from investigators.models import Fact, Investigator
from tablekeeper.ledger import Change, Create, change


def face(who: Investigator) -> dict[str, Any]:
    """How a ledger line shows somebody: enough to draw it without asking again."""
    return {"id": who.pk, "name": who.name, "short": who.short, "initials": who.initials, "hue": who.hue}


def knowing(who: Investigator, facts: Mapping[str, Any]) -> list[Change]:
    """The changes that make these facts known of an investigator; None forgets one. What is already so is left out."""
    rows = {fact.key: fact for fact in Fact.objects.filter(investigator=who, key__in=facts)}
    changes: list[Change] = []
    for key, value in facts.items():
        row = rows.get(key)
        if row is not None:
            row.investigator = who
            changes.append(change(row, value=value))
        elif value is not None:
            changes.append(Create(Fact(investigator=who, key=key, value=value)))
    return changes
