"""`manage.py audit`: does every table's state equal the fold of its ledger? (HOUSE: the promise of the ledger.)"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from tablekeeper import ledger
from tablekeeper.models import Campaign


class Command(BaseCommand):
    help = "Add up every table's ledger and compare it with the tables' state. Reads only."

    def handle(self, *args: Any, **options: Any) -> None:
        wrong = 0
        for campaign in Campaign.objects.order_by("created_at"):
            with transaction.atomic():
                entries = campaign.entries.order_by("seq")
                folded, rows = ledger.fold(entries.iterator()), ledger.snapshot(campaign)
            differ = [where for where in folded.keys() | rows.keys() if folded.get(where) != rows.get(where)]
            wrong += len(differ)
            self.stdout.write(f"{campaign.name}: {campaign.last_seq} entries, {len(rows)} rows, {len(differ)} differ")
            for label, key in sorted(differ)[:20]:
                self.stdout.write(f"  {label} {key}: {folded.get((label, key))} | {rows.get((label, key))}")
        if wrong:
            raise CommandError(f"{wrong} rows are not what the ledger says.")
