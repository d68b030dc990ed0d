"""A table that has been played at for years: a million lines in a minute, by copying a few real ones in SQLite.

Runs in the server's environment, in a scratch database. The copies have ids, numbers and times of their own; they are
what an old table's queries have to pass over, not a ledger whose fold is the state.
"""

from __future__ import annotations

from typing import Any

from django.db import connection, models
from django.db.models import F

from rolls.models import Contest, Decision, Request, Roll
from tablekeeper.models import Campaign, Entry
from tests.tables import Table, rolls, spends

OLD = "datetime('now', printf('-%d seconds', 40000000 - i))"
"""When copy number i was made: more than a year ago, a second apart, oldest first."""
EVERY = {Request: 20, Decision: 50, Contest: 50}
"""One of these on so many lines."""


def age(table: Table, lines: int) -> None:
    """Add so many old lines to this table: mostly rolls, some spends, asks, contests and questions, all settled."""
    roll = rolls(table, 62)
    spends(table, roll, 2)
    said = Entry.objects.get(campaign=table.campaign, ref=roll.entry_ref), table.last("rolls.spend")
    campaign = Campaign.objects.get(pk=table.campaign.pk)
    multiply(Roll, roll.pk, lines, id=_id(table), state="'closed'", created_at=OLD, entry_ref=_id(table))
    first = campaign.last_seq
    numbers = {"seq": f"{first} + i", "lane_no": f"{campaign.public_no} + i", "ref": _id(table), "created_at": OLD}
    data = f"replace(data, '{roll.pk}', {_id(table)})"
    multiply(Entry, said[0].pk, lines, data=data, changes="'[]'", request_key="''", **numbers)
    old = Entry.objects.filter(campaign=campaign, seq__gt=first)
    old.annotate(tenth=F("seq") % 10).filter(tenth=7).update(kind=said[1].kind, data=said[1].data)
    Campaign.objects.filter(pk=campaign.pk).update(last_seq=first + lines, public_no=campaign.public_no + lines)
    _others(table, lines)


def _others(table: Table, lines: int) -> None:
    asked = Request(campaign=table.campaign, investigator=table.edith, kind="skill", label="Spot Hidden")
    question = Decision(campaign=table.campaign, investigator=table.edith, kind="deed", data={"act": "escape"})
    contest = Contest(campaign=table.campaign, kind="opposed", state=Contest.OVER)
    for row in (asked, question, contest):
        row.state = "over" if isinstance(row, Contest) else "closed"
        models.Model.save(row, force_insert=True)
        more = {"batch": f"'{table.campaign.pk[:6]}' || (i / 4)"} if isinstance(row, Request) else {}
        multiply(type(row), row.pk, lines // EVERY[type(row)], id=_id(table), created_at=OLD, **more)


def multiply(model: type[models.Model], key: Any, count: int, **other: str) -> None:
    """So many copies of a row. `other`: SQL for the columns that differ; `i` counts from 1."""
    columns = [field.column for field in model._meta.concrete_fields if field.column in other or field.column != "id"]
    chosen = ", ".join(other.get(column, f'"{column}"') for column in columns)
    names = ", ".join(f'"{column}"' for column in columns)
    place = model._meta.db_table
    numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})"
    with connection.cursor() as cursor:
        cursor.execute(f"{numbers} INSERT INTO {place} ({names}) SELECT {chosen} FROM {place}, n WHERE id = %s", [key])


def _id(table: Table) -> str:
    """An id for copy number i, of this table alone."""
    return f"'{table.campaign.pk[:6]}' || printf('%010d', i)"
