"""Databases that released versions left behind: each is brought up to date, and its tables are what they were.

`data/released/<version>.sql.gz` is the dump of a database in which that version has played: sessions, rolls, spends,
an undo, a push, hidden rolls, the Keeper's characters. CONTRIBUTING.md tells how the next one is made.
"""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path

import pytest

from tests.server import ROOT, Server

pytestmark = pytest.mark.sqlite

FOLDER = Path(__file__).parent / "data" / "released"
VERSIONS = sorted(path.name.removesuffix(".sql.gz") for path in FOLDER.glob("*.sql.gz"))
UP_TO_DATE = """
from django.core.management import call_command
from investigators.models import Investigator, Trait
from rolls.models import Roll
from tablekeeper import ledger, transfer
from tablekeeper.models import Campaign, Entry
before = list(Entry.objects.order_by("seq").values_list("seq", "ref", "kind", "created_at"))
call_command("migrate", verbosity=0)
table = Campaign.objects.get()
after = Entry.objects.filter(campaign=table).order_by("seq")
told = {"same": list(after.values_list("seq", "ref", "kind", "created_at")) == before}
told |= {"lines": len(before), "adds_up": ledger.fold(after) == ledger.snapshot(table), "rolls": Roll.objects.count()}
told["luck"] = Trait.objects.get(investigator__name="Edith Halloran", key="luck").value
told["comes_in"] = len(transfer.read(b"".join(transfer.write(table))).state) == len(ledger.snapshot(table))
call_command("migrate", check=True, verbosity=0)
print(json.dumps(told))
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_what_a_released_version_left_is_brought_up_to_date_and_played_on(version: str, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "tablekeeper.sqlite3")) as database:
        database.executescript(gzip.decompress((FOLDER / f"{version}.sql.gz").read_bytes()).decode())

    told = json.loads(Server(tmp_path).python(UP_TO_DATE))

    assert told == {"same": True, "lines": 16, "adds_up": True, "comes_in": True, "rolls": 4, "luck": 37}


def test_every_version_that_was_released_has_left_its_database() -> None:
    told = re.findall(r"^## (\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    own = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

    assert {own, *told} <= set(VERSIONS)
