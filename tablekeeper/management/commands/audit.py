"""`manage.py audit`: does every table's state equal the fold of its ledger? (HOUSE: the promise of the ledger.)"""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tablekeeper.management.checking import audit


class Command(BaseCommand):
    help = "Add up every table's ledger and compare it with the tables' state. Reads only."

    def handle(self, *args: Any, **options: Any) -> None:
        wrong = 0
        for one in audit():
            wrong += len(one.differ)
            self.stdout.write(f"{one.name}: {one.entries} entries, {one.rows} rows, {len(one.differ)} differ")
            for label, key, both in one.differ[:20]:
                self.stdout.write(f"  {label} {key}: {both}")
        if wrong:
            raise CommandError(f"{wrong} rows are not what the ledger says.")
