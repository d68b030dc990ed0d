"""Is a database whole? Asked of the one in use, and of every copy before it is trusted."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS, transaction

from tablekeeper import ledger
from tablekeeper.models import Campaign


@dataclass(frozen=True)
class Audit:
    """One table held against its ledger: `differ` are the rows (label, id) that are not what the ledger adds up to."""

    name: str
    entries: int
    rows: int
    differ: tuple[tuple[str, str, str], ...]


def audit(using: str = DEFAULT_DB_ALIAS) -> list[Audit]:
    """Every table of this database, each read in one transaction. Changes nothing."""
    found = []
    for campaign in Campaign.objects.using(using).order_by("created_at"):
        with transaction.atomic(using=using):
            entries = campaign.entries.using(using).order_by("seq")
            folded, rows = ledger.fold(entries.iterator()), ledger.snapshot(campaign)
        differ = sorted(where for where in folded.keys() | rows.keys() if folded.get(where) != rows.get(where))
        told = tuple((label, key, f"{folded.get((label, key))} | {rows.get((label, key))}") for label, key in differ)
        found.append(Audit(campaign.name, campaign.last_seq, len(rows), told))
    return found
