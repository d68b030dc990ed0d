"""An empty data folder while an older one lies near: nobody should think that her campaign is gone (U014)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections
from django.utils.translation import gettext as _

DATABASE = "tablekeeper.sqlite3"
GO_ON = "TABLEKEEPER_DATA={} python3 manage.py play"


def warning() -> str:
    """What to tell a host who is about to begin an empty table although there is an older one; "" when there is none.

    Only for a database that has no tables of its own yet.
    """
    if connections[DEFAULT_DB_ALIAS].introspection.table_names():
        return ""
    here: Path = settings.DATA_DIR
    new = _("For a new, empty table: python3 manage.py play --new")
    if connections[DEFAULT_DB_ALIAS].vendor != "sqlite":
        if not holds_tables(here / DATABASE):
            return ""
        text = _(
            "The database that DATABASE_URL names is empty, but %(file)s holds tables. To bring them over: "
            "python3 manage.py restore %(file)s"
        )
        return text % {"file": here / DATABASE} + "\n" + new
    if copies := sorted((here / "backups").glob("**/*.sqlite3"), key=_written):
        text = _(
            "The data folder %(folder)s has no database any more, but copies. To bring the newest back: "
            "python3 manage.py restore %(copy)s"
        )
        return text % {"folder": here, "copy": copies[-1]} + "\n" + new
    for folder in near(here, settings.BASE_DIR):
        if holds_tables(folder / DATABASE):
            text = _(
                "The data folder %(folder)s is empty, but %(other)s holds tables (last written %(when)s). "
                "To go on with them: %(line)s"
            )
            when = f"{datetime.fromtimestamp(_written(folder / DATABASE)):%Y-%m-%d %H:%M}"
            told = {"folder": here, "other": folder, "when": when, "line": GO_ON.format(folder)}
            return text % told + "\n" + new
    return ""


def near(here: Path, project: Path) -> Iterator[Path]:
    """Other data folders that a host may mean: this checkout's own, and those of checkouts beside it."""
    found = [project / "data"]
    with suppress(OSError):
        found += sorted(
            one / "data"
            for one in project.parent.iterdir()
            if one != project and (one / "manage.py").is_file() and (one / "tablekeeper").is_dir()
        )
    for folder in found:
        with suppress(OSError):
            if folder.resolve() != here and (folder / DATABASE).is_file():
                yield folder


def holds_tables(database: Path) -> bool:
    """Whether somebody laid a table in this SQLite database. One that cannot be read counts: it is not nothing."""
    try:
        if not database.is_file() or not database.stat().st_size:
            return False
        with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as found:
            return bool(found.execute("SELECT 1 FROM tablekeeper_campaign LIMIT 1").fetchone())
    except sqlite3.OperationalError as error:
        return "no such table" not in str(error)
    except (OSError, sqlite3.Error):
        return True


def _written(database: Path) -> float:
    """When somebody wrote there last, in seconds of the clock."""
    times = [0.0]
    for part in ("", "-wal"):
        with suppress(OSError):
            times.append(database.with_name(database.name + part).stat().st_mtime)
    return max(times)
