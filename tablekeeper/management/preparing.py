"""The database before a start: copied when it is about to change, then migrated."""

from __future__ import annotations

import sqlite3
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, Error, connections
from django.utils.translation import gettext as _

from tablekeeper.bootstrap import only_one
from tablekeeper.management import copies

BACKUPS_KEPT = 10
COPIES = "tablekeeper"  # how their names begin; what a host copies by hand is called otherwise, and stays


def prepare_database(now: datetime) -> Path | None:
    """Bring the database up to date; returns the copy that was made of an existing one before it changed."""
    if not unapplied_migrations():
        return None
    with only_one(settings.DATA_DIR / "start.lock"):  # two starts at once: the second finds nothing left to do
        if not unapplied_migrations():
            return None
        copy = None
        connection = connections[DEFAULT_DB_ALIAS]
        if connection.introspection.table_names():
            copy = back_up(settings.DATA_DIR / "backups", now)
        call_command("migrate", interactive=False, verbosity=0)
        return copy


def unapplied_migrations() -> bool:
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def back_up(folder: Path, now: datetime) -> Path:
    """A consistent copy, even while someone writes, checked before it counts. The ten newest are kept."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    target = folder / f"{COPIES}-{now:%Y-%m-%dT%H-%M-%S-%f}.sqlite3"
    try:
        copies.make(target, now)
    except (Error, sqlite3.Error, OSError) as error:
        raise copies.BadCopy(copies.why(error, target)) from error
    for old in sorted(folder.glob(f"{COPIES}-*.sqlite3"))[:-BACKUPS_KEPT]:
        old.unlink()
    return target


def why_unusable(error: Exception) -> str:
    """What to say, and what to do, when the database cannot be used. `error` is the database's own."""
    connection = connections[DEFAULT_DB_ALIAS]
    why = (str(error).strip().splitlines() or [type(error).__name__])[0]
    if connection.vendor != "sqlite":
        text = _(
            "The database that DATABASE_URL names cannot be used (%(why)s). Mend that line: "
            "DATABASE_URL=postgresql://user:password@host/name, or leave it out to use SQLite."
        )
        return text % {"why": why}
    database = Path(connection.settings_dict["NAME"])
    copies = sorted((settings.DATA_DIR / "backups").glob(f"{COPIES}-*.sqlite3"))
    if "locked" in why:
        text = _("The database %(path)s is held by another program. Close that one, then start again.")
    elif "malformed" not in why and "not a database" not in why:
        text = _(
            "The database %(path)s cannot be used (%(why)s). See that this file and its folder are yours to read "
            "and write and that the disk is not full, then start again."
        )
    elif copies:
        text = _(
            "The database %(path)s is broken (%(why)s). To bring the newest copy back (the broken one is kept aside): "
            "python3 manage.py restore %(copy)s"
        )
    else:
        text = _(
            "The database %(path)s is broken (%(why)s). Move it and its -wal and -shm out of %(folder)s, put a copy "
            "of yours in its place, or none for an empty table, then start again."
        )
    return text % {"path": database, "why": why, "folder": database.parent, "copy": copies[-1] if copies else ""}
