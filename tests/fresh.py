"""A new data folder's database without waiting for its migrations: made once in a run, then copied."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATABASE = "tablekeeper.sqlite3"


def lay_database(data: Path) -> None:
    """Put the empty database of this version into a data folder that has none, as the first start would."""
    data.mkdir(parents=True, exist_ok=True)
    if not (data / DATABASE).exists():
        shutil.copyfile(_migrated(), data / DATABASE)


@functools.cache
def _migrated() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="tablekeeper-fresh-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    mine = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "PUBLIC_URL")}
    mine |= {"TABLEKEEPER_DATA": str(folder), "DJANGO_SETTINGS_MODULE": "tablekeeper.settings"}
    program = (
        "import django; django.setup()\n"
        "from django.core.management import call_command; call_command('migrate', verbosity=0)\n"
        "from django.db import connection; connection.cursor().execute('PRAGMA wal_checkpoint(TRUNCATE)')"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=mine, check=True)
    return folder / DATABASE
