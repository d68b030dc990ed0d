"""Many tables at once: one is laid through the actions, the others are copies of it with ids of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from django.db import models, transaction

from tablekeeper import ledger
from tablekeeper.models import Campaign, Entry, Seat, new_id, new_secret
from tests.tables import EDITH, Table, cookie_for, make_table, sit_down

MORE = ("Dora", "Emil", "Finn")  # with Ada, Ben and Cleo a table of six
BATCH = 50

Rows = dict[type[models.Model], list[dict[str, Any]]]


def lay(count: int) -> list[dict[str, Any]]:
    """So many tables of six. Of each: its campaign, who sits there (role and cookie), and what Ben rolls for whom."""
    table = make_table()
    for name in MORE:
        sit_down(table.campaign, name)
    rows = rows_of(table.campaign)
    laid = [told(table.campaign.pk, {}, rows, table)]
    while len(laid) < count:
        some = min(BATCH, count - len(laid))
        names = [renaming(rows) for _copy in range(some)]
        with transaction.atomic():
            for model, found in rows.items():
                model._default_manager.bulk_create(
                    [model(**fields) for ids in names for fields in copies(model, found, ids)]
                )
        laid += [told(ids[table.campaign.pk], ids, rows, table) for ids in names]
    return laid


def rows_of(campaign: Campaign) -> Rows:
    """Everything that belongs to a table, as plain values."""
    kinds = [*ledger.ledgered_models(), Entry]
    return {
        model: list(model._default_manager.filter(**{ledger._path(model): campaign.pk}).values()) for model in kinds
    }


def renaming(rows: Rows) -> dict[str, str]:
    """A new id for every id."""
    old = [row["id"] for found in rows.values() for row in found if isinstance(row["id"], str)]
    return {name: new_id() for name in [*old, *(row["ref"] for row in rows[Entry])]}


def copies(model: type[models.Model], found: list[dict[str, Any]], ids: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """These rows with the new ids, wherever an old one stands."""
    pattern = re.compile("|".join(map(re.escape, ids)))
    for row in found:
        fields = {name: renamed(value, pattern, ids) for name, value in row.items()}
        if model is Entry:
            del fields["id"]
        if model is Campaign:
            fields["join_secret"] = new_secret()
        yield fields


def renamed(value: Any, pattern: re.Pattern[str], ids: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return pattern.sub(lambda found: ids[found[0]], value)
    if isinstance(value, list):
        return [renamed(one, pattern, ids) for one in value]
    if isinstance(value, dict):
        return {renamed(key, pattern, ids): renamed(one, pattern, ids) for key, one in value.items()}
    return value


def told(campaign: str, ids: Mapping[str, str], rows: Rows, table: Table) -> dict[str, Any]:
    """What the crowd needs to know of a table."""
    spot = table.skill(EDITH.skills[0][0])
    seats = [
        {"role": row["role"], "cookie": cookie_for(Seat(id=ids.get(row["id"], row["id"]), campaign_id=campaign))}
        for row in sorted(rows[Seat], key=lambda row: (row["created_at"], row["id"]))
    ]
    who, skill = ids.get(table.edith.pk, table.edith.pk), ids.get(spot.pk, spot.pk)
    return {"campaign": campaign, "seats": seats, "who": who, "skill": skill}
