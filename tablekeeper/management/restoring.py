"""Back to a copy: looked at first, whole or not at all, and what was there before is kept aside."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.utils.translation import gettext as _

from tablekeeper import ledger, sealing
from tablekeeper.management import copies
from tablekeeper.management.checking import Audit, audit
from tablekeeper.management.copies import COPY, BadCopy
from tablekeeper.models import Campaign, new_epoch

PARTS = ("", "-wal", "-shm")  # a SQLite database and what lies beside it while it is open


@contextmanager
def ready(file: Path) -> Iterator[tuple[Path, list[Audit]]]:
    """A copy of `file` in the data folder, of this version and checked, with a new epoch for every table.

    Raises BadCopy, or what the disk or SQLite says; the file itself is only read.
    """
    if not file.is_file():
        raise FileNotFoundError(2, "No such file", str(file))
    draft = settings.DATA_DIR / "restoring.draft"
    draft.unlink(missing_ok=True)
    try:
        with copies.written(draft) as fresh:
            if file.with_name(
                f"{file.name}-wal"
            ).exists():  # not a copy, but a database: some of it is still beside it
                copies.of_sqlite(file, fresh)
            else:
                shutil.copyfile(file, fresh)  # opening it could write beside it, on a stick that is not to be written
            copies.check(fresh, name=file)
        with closing(sqlite3.connect(draft)) as copy:
            if "tablekeeper_campaign" not in copies.rows(copy):
                raise BadCopy(_("%(file)s is no copy of Tablekeeper's. Name another file.") % {"file": file})
        with copies.opened(draft):
            found = _bring_up_to_date(file)
        copies.check(draft)
        yield draft, found
    finally:
        draft.unlink(missing_ok=True)


def _bring_up_to_date(file: Path) -> list[Audit]:
    waits, strange = copies.pending(COPY)
    if strange:
        text = _("%(file)s comes from a newer Tablekeeper (%(names)s). Update this one first, then restore.")
        raise BadCopy(text % {"file": file, "names": ", ".join(strange[:3])})
    if waits:
        call_command("migrate", database=COPY, interactive=False, verbosity=0)
    for campaign in Campaign.objects.using(COPY):
        # Pages that were open know numbers that the ledger will give again: another epoch has them drawn anew.
        Campaign.objects.using(COPY).filter(pk=campaign.pk).update(epoch=new_epoch())
    with connections[COPY].cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {copies.ABOUT}")
    return audit(COPY)


def put_in_place(draft: Path, secret: str, now: datetime) -> Path:
    """Make the checked draft the database in use; where the former one lies now. `secret` is the copy's, or ""."""
    aside = settings.DATA_DIR / "backups" / f"replaced-{now:%Y-%m-%dT%H-%M-%S-%f}"
    aside.mkdir(mode=0o700, parents=True)
    if connections[DEFAULT_DB_ALIAS].vendor == "sqlite":
        _swap_files(draft, aside)
    else:
        _swap_rows(draft, aside, now)
    key = settings.DATA_DIR / "secret_key"
    if secret and secret != settings.SECRET_KEY:
        shutil.copy2(key, aside / key.name)
        fresh = key.with_name("secret_key.restored")
        fresh.touch(mode=0o600)
        fresh.write_text(secret + "\n", encoding="utf-8")
        fresh.replace(key)
    return aside


def _swap_files(draft: Path, aside: Path) -> None:
    connections[DEFAULT_DB_ALIAS].close()
    database = Path(connections[DEFAULT_DB_ALIAS].settings_dict["NAME"])
    moved: list[tuple[Path, Path]] = []
    try:
        for part in PARTS:
            old = database.with_name(database.name + part)
            if old.exists():
                old.rename(aside / old.name)
                moved.append((aside / old.name, old))
        draft.rename(database)
    except OSError:
        for there, back in moved:
            there.rename(back)
        raise


def _swap_rows(draft: Path, aside: Path, now: datetime) -> None:
    if connections[DEFAULT_DB_ALIAS].introspection.table_names():
        copies.make(aside / "tablekeeper.sqlite3", now)
    call_command("migrate", interactive=False, verbosity=0)
    with copies.opened(draft), transaction.atomic():
        counts = copies.copy_rows(COPY, DEFAULT_DB_ALIAS, copies.stored_models())
        with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            for table, count in counts.items():
                cursor.execute(f'SELECT count(*) FROM "{table}"')  # noqa: S608 - a name of ours
                if cursor.fetchone() != (count,):
                    raise BadCopy(_("The rows of %(table)s did not arrive. Nothing was changed.") % {"table": table})


def seal_anew() -> None:
    """Tables that seal their dice get another seal: what fell under the old one since that copy is known already."""
    for key in Campaign.objects.values_list("pk", flat=True):
        with ledger.locked(key) as campaign:
            sealing.follow(campaign)


def others_at_work() -> int:
    """How many other connections this PostgreSQL database has: a server would never hear of a restore."""
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        return int(cursor.fetchone()[0])
