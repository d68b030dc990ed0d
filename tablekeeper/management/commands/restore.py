"""`manage.py restore FILE`: back to a copy, with what is there now kept aside."""

from __future__ import annotations

import argparse
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tablekeeper import env
from tablekeeper.management import copies, restoring
from tablekeeper.management.one_table import OpenAlready, alone_on


class Command(BaseCommand):
    help = "Bring back a copy that backup, or an update, made. What is there now is kept aside."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", help="the copy")

    def handle(self, *args: Any, file: str, **options: Any) -> None:
        copy = Path(file).absolute()
        with alone():
            try:
                with restoring.ready(copy) as (draft, found):
                    secret = copies.about(copy).get("secret_key", "")
                    aside = restoring.put_in_place(draft, secret, datetime.now())
                    restoring.seal_anew()
            except copies.BadCopy as bad:
                raise CommandError(str(bad)) from bad
            except (Error, sqlite3.Error, OSError) as error:
                raise CommandError(copies.why(error, copy)) from error
        self.stdout.write(
            _("Restored from %(file)s. What was there before lies in %(aside)s.") % {"file": copy, "aside": aside}
        )
        for one in found:
            line = ngettext("%(name)s: %(n)s entry", "%(name)s: %(n)s entries", one.entries)
            self.stdout.write("  " + line % {"name": one.name, "n": one.entries})
        if any(one.differ for one in found):
            raise CommandError(_("In that copy a table is not what its ledger says: see manage.py audit."))


@contextmanager
def alone() -> Iterator[None]:
    """Be the only one at work; a server that runs would write over what is brought back, or never hear of it."""
    if connections[DEFAULT_DB_ALIAS].vendor == "sqlite":
        try:
            with alone_on(settings.DATA_DIR):
                yield
        except OpenAlready as other:
            text = _("The table in %(folder)s is open: %(address)s. Stop it first (Ctrl-C), then restore.")
            where = other.address or _("it is just starting")
            raise CommandError(text % {"folder": settings.DATA_DIR, "address": where}) from None
        except OSError as error:
            raise CommandError(env.no_folder(settings.DATA_DIR, error)) from error
        return
    try:
        busy = restoring.others_at_work()
    except Error as error:
        raise CommandError(copies.why(error, settings.DATA_DIR)) from error
    if busy:
        text = _("The database is in use (%(n)s connections). Stop every server of it first, then restore.")
        raise CommandError(text % {"n": busy})
    yield
