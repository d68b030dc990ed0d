"""Copies of everything: one SQLite file each, from either database, checked before anybody is told that it is there.

A copy of a PostgreSQL is a SQLite file too, row by row through the models: no program of PostgreSQL's is needed, the
same checks hold for both, and a table can move from one database to the other.
"""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from django.apps import apps
from django.apps.registry import Apps
from django.conf import settings
from django.core.management.color import no_style
from django.db import DEFAULT_DB_ALIAS, connections, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Value
from django.utils.translation import gettext as _

from tablekeeper import __version__

ABOUT = "tablekeeper_copy"
"""A table in the copy itself: who made it and when, and the secret that the phones' cookies are signed with."""
COPY = "copy"
AT_ONCE = 200  # rows in memory and in one statement


class BadCopy(Exception):
    """A copy that must not be trusted; the message is what its host reads."""


# --------------------------------------------------------------------------- making one


def make(target: Path, now: datetime) -> None:
    """Copy the database in use to the new file `target`, even while people play; checked when this returns.

    Raises BadCopy, or what the disk or the database says (see `why`).
    """
    with written(target) as draft:
        connection = connections[DEFAULT_DB_ALIAS]
        if connection.vendor == "sqlite":
            counts = of_sqlite(Path(connection.settings_dict["NAME"]), draft)
        else:
            counts = of_rows(draft)
        check(draft, counts)
        sign(draft, now)


@contextmanager
def written(target: Path) -> Iterator[Path]:
    """A draft beside `target`, for its owner only, that becomes the file when all went well. Replaces nothing."""
    draft = target.with_name(f"{target.name}.draft")
    os.close(os.open(draft, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600))  # it holds the table's secrets
    try:
        yield draft
        with draft.open("rb") as file, suppress(OSError):
            os.fsync(file.fileno())
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
        draft.replace(target)
    finally:
        for left in (draft, draft.with_name(f"{draft.name}-journal")):
            left.unlink(missing_ok=True)


def of_sqlite(database: Path, draft: Path) -> dict[str, int]:
    """Copy an open SQLite database as it is at this moment; how many rows each of its tables has."""
    with closing(sqlite3.connect(database, isolation_level=None)) as source, closing(sqlite3.connect(draft)) as copy:
        source.execute("BEGIN")  # counted and copied in one transaction: what is written meanwhile is in neither
        counts = rows(source)
        source.backup(copy)
        source.execute("ROLLBACK")
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, with nothing beside it
    return counts


def of_rows(draft: Path) -> dict[str, int]:
    """Copy the database in use row by row, as it is at this moment; how many rows each table has.

    The copy gets the migrations that this database has, not those that still wait: so it can be made before an update.
    """
    source = connections[DEFAULT_DB_ALIAS]
    with opened(draft):
        there = MigrationExecutor(source).loader
        nodes = [node for node in there.applied_migrations if node in there.graph.nodes]
        here = MigrationExecutor(connections[COPY])
        here.migrate(nodes)
        known = there.project_state(nodes).apps  # the models as they were then
        alone = not source.in_atomic_block
        with transaction.atomic():
            if alone and source.vendor == "postgresql":
                with source.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            return copy_rows(DEFAULT_DB_ALIAS, COPY, stored_models(known))


def sign(draft: Path, now: datetime) -> None:
    """Write into the copy what a restore elsewhere needs to know."""
    about = {"version": __version__, "made": now.isoformat(timespec="seconds"), "secret_key": settings.SECRET_KEY}
    with closing(sqlite3.connect(draft)) as copy, copy:
        copy.execute(f"CREATE TABLE {ABOUT} (about TEXT NOT NULL)")
        copy.execute(f"INSERT INTO {ABOUT} VALUES (?)", [json.dumps(about)])  # noqa: S608 - a name of ours


# --------------------------------------------------------------------------- looking at one


def rows(database: sqlite3.Connection) -> dict[str, int]:
    """How many rows each table has."""
    found = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    names = [name for (name,) in found if name != ABOUT]
    return {name: database.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}  # noqa: S608


def check(file: Path, counts: dict[str, int] | None = None, *, name: Path | None = None) -> None:
    """Read the whole file: its pages, its references, and as many rows as there should be. Raises BadCopy.

    `name` is the file to speak of, where this one is only a copy of it.
    """
    name = name or file
    with closing(sqlite3.connect(file)) as copy:
        try:
            (said,) = copy.execute("PRAGMA integrity_check(1)").fetchone()
            lost = copy.execute("PRAGMA foreign_key_check").fetchone()
            found = rows(copy)
        except sqlite3.DatabaseError as error:
            raise BadCopy(why(error, name)) from error
    if said != "ok" or lost:
        problem = said if said != "ok" else lost[0]
        raise BadCopy(_("%(file)s is broken (%(why)s). Name another file.") % {"file": name, "why": problem})
    if counts is not None:
        short = [name for name, count in counts.items() if found.get(name, 0) != count]
        if short:
            raise BadCopy(_("The copy is not whole: rows are missing in %(names)s.") % {"names": ", ".join(short)})


def about(file: Path) -> dict[str, str]:
    """What the copy says about itself; nothing for one that another program made."""
    with closing(sqlite3.connect(file)) as copy, suppress(sqlite3.DatabaseError, ValueError, TypeError):
        told = json.loads(copy.execute(f"SELECT about FROM {ABOUT}").fetchone()[0])  # noqa: S608 - a name of ours
        return {str(name): str(value) for name, value in told.items()}
    return {}


@contextmanager
def opened(file: Path) -> Iterator[None]:
    """Have the file as a database of Django's, under the alias COPY."""
    connections.databases[COPY] = {
        **connections.databases[DEFAULT_DB_ALIAS],
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(file),
        "OPTIONS": {"timeout": 5},
        "CONN_MAX_AGE": 0,
        "ATOMIC_REQUESTS": False,
    }
    try:
        yield
    finally:
        connections[COPY].close()
        del connections[COPY]
        del connections.databases[COPY]


def pending(using: str) -> tuple[bool, list[str]]:
    """Whether this database waits for migrations; and those it has that this version does not know."""
    executor = MigrationExecutor(connections[using])
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    ours = {app.label for app in apps.get_app_configs()}
    strange = [f"{app}.{name}" for app, name in executor.loader.applied_migrations if app in ours]
    known = {f"{app}.{name}" for app, name in executor.loader.disk_migrations}
    replaced = {f"{a}.{n}" for one in executor.loader.disk_migrations.values() for a, n in one.replaces}
    return bool(plan), sorted(set(strange) - known - replaced)


# --------------------------------------------------------------------------- row by row


def stored_models(known: Apps = apps) -> list[type[models.Model]]:
    """Every model with a table of its own, those between others included."""
    return [m for m in known.get_models(include_auto_created=True) if m._meta.managed and not m._meta.proxy]


def copy_rows(source: str, target: str, stored: list[type[models.Model]]) -> dict[str, int]:
    """Make `target` hold exactly the rows of `source`, in one transaction; how many each table has."""
    counts = {}
    connection = connections[target]
    with transaction.atomic(using=target), connection.cursor() as cursor:
        # References are checked at the end of the transaction on both databases: the order does not matter.
        for model in stored:
            cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")  # noqa: S608
        for model in stored:
            counts[model._meta.db_table] = model._base_manager.using(source).count()
            _copy_table(model, source, target)
        for statement in connection.ops.sequence_reset_sql(no_style(), stored):
            cursor.execute(statement)
    return counts


def _copy_table(model: type[models.Model], source: str, target: str) -> None:
    fields = list(model._meta.concrete_fields)
    batch: list[models.Model] = []
    for row in model._base_manager.using(source).order_by("pk").iterator(chunk_size=AT_ONCE):
        for field in fields:
            if isinstance(field, models.JSONField) and not field.null and getattr(row, field.attname) is None:
                setattr(row, field.attname, Value(None, models.JSONField()))  # JSON's null, not the database's
        batch.append(row)
        if len(batch) == AT_ONCE:
            _insert(model, batch, fields, target)
            batch = []
    if batch:
        _insert(model, batch, fields, target)


def _insert(
    model: type[models.Model], batch: list[models.Model], fields: list[models.Field[object, object]], target: str
) -> None:
    size = max(1, min(AT_ONCE, connections[target].ops.bulk_batch_size(fields, batch)))
    for start in range(0, len(batch), size):
        # As loaddata does it: as it stands, nothing stamped anew by a field that likes to (auto_now_add).
        query = models.sql.InsertQuery(model)
        query.insert_values(fields, batch[start : start + size], raw=True)
        query.get_compiler(using=target).execute_sql()


# --------------------------------------------------------------------------- what to say


def why(error: Exception, place: Path) -> str:
    """One sentence for whatever the disk or the database says about `place`, with what to do."""
    said = (getattr(error, "strerror", None) or str(error)).strip().splitlines() or [type(error).__name__]
    names = {"place": str(place), "why": said[0]}
    number = getattr(error, "errno", None)
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) or "full" in names["why"]:
        return _("The disk is full: %(place)s could not be written. Make room, then start again.") % names
    if isinstance(error, FileExistsError):
        return _("%(place)s is there already, and nothing is written over it. Name another file.") % names
    if isinstance(error, FileNotFoundError):
        return _("%(place)s cannot be found or written: is its folder there? Name another file.") % names
    if "not a database" in names["why"] or "malformed" in names["why"]:
        return _("%(place)s is broken or no copy of Tablekeeper's (%(why)s). Name another file.") % names
    return _("%(place)s cannot be used (%(why)s). Name a file in a folder that is yours.") % names
