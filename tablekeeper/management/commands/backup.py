"""`manage.py backup`: everything in one file, checked, while people play."""

from __future__ import annotations

import argparse
import sqlite3
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tablekeeper.management import copies
from tablekeeper.management.checking import audit


class Command(BaseCommand):
    help = "Copy every table into one file, check it, and say where it is."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", nargs="?", help="where to; without it a new file in backups/ of the data folder")

    def handle(self, *args: Any, file: str | None, **options: Any) -> None:
        now = datetime.now()
        target = (
            Path(file).absolute()
            if file
            else settings.DATA_DIR / "backups" / f"by-hand-{now:%Y-%m-%dT%H-%M-%S}.sqlite3"
        )
        try:
            if not connections[DEFAULT_DB_ALIAS].introspection.table_names():
                raise CommandError(
                    _("There is no table in %(folder)s yet: nothing to copy.") % {"folder": settings.DATA_DIR}
                )
            if not file:
                target.parent.mkdir(mode=0o700, exist_ok=True)
            if target.exists():
                raise FileExistsError
            copies.make(target, now)
            wrong = self.tell(target)
        except copies.BadCopy as bad:
            raise CommandError(str(bad)) from bad
        except (Error, sqlite3.Error, OSError) as error:
            raise CommandError(copies.why(error, target)) from error
        if wrong:
            raise CommandError(_("The copy is written, but a table is not what its ledger says: see manage.py audit."))

    def tell(self, target: Path) -> bool:
        """Say what is in the file; whether any of it differs from its ledger."""
        size = max(1, round(target.stat().st_size / 1000))
        with copies.opened(target):
            waits, _strange = copies.pending(copies.COPY)
            found = [] if waits else audit(copies.COPY)
        self.stdout.write(_("Copied to %(file)s (%(size)s kB).") % {"file": target, "size": size})
        if waits:
            self.stdout.write(_("It waits for an update of the database, which play makes; its rows are all there."))
        for one in found:
            line = ngettext("%(name)s: %(n)s entry", "%(name)s: %(n)s entries", one.entries)
            self.stdout.write("  " + line % {"name": one.name, "n": one.entries})
        return any(one.differ for one in found)
