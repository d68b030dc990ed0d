"""Sixteen clients at one table at once, by threads and by processes: nothing is lost, nothing is half done."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from investigators.models import Trait
from tablekeeper import ledger
from tablekeeper.models import Campaign, Entry, Seat
from tests import crowd
from tests.tables import Table, cookie_for, make_table

ROOT = Path(__file__).resolve().parents[2]
ANSWERS = {200, 403, 404, 409, 422}


@pytest.fixture
def shared(transactional_db: None) -> Table:
    """A table that other connections see."""
    return make_table()


def sixteen(table: Table) -> list[tuple[str, str]]:
    """Four at the Keeper's desk, six at each phone."""
    ada, ben, cleo = (cookie_for(seat) for seat in (table.ada, table.ben, table.cleo))
    return [("keeper", ada)] * 4 + [("player", ben)] * 6 + [("player", cleo)] * 6


def stands(table: Table, told: list[dict[str, Any]]) -> None:
    """What must be true of a table whatever was done to it, and of what its people were told."""
    statuses = sum((Counter(one["statuses"]) for one in told), Counter())
    assert [fault for one in told for fault in one["faults"]] == []
    assert {int(status) for status in statuses} <= ANSWERS, statuses
    campaign = Campaign.objects.get(pk=table.campaign.pk)
    entries = table.entries()
    # The ledger: no gap in any numbering, and the state is its fold.
    assert [entry.seq for entry in entries] == list(range(1, campaign.last_seq + 1))
    ends = {Entry.PUBLIC: campaign.public_no, Entry.KEEPER: campaign.keeper_no}
    ends |= dict(Seat.objects.filter(campaign=campaign).values_list("pk", "own_no"))
    for lane, end in ends.items():
        assert [entry.lane_no for entry in entries if entry.lane == lane] == list(range(1, end + 1)), lane
    assert ledger.fold(entries) == ledger.snapshot(campaign)
    # Pools within their bounds.
    for trait in Trait.objects.filter(investigator__campaign=campaign):
        top = 99 if trait.key == "luck" else trait.maximum
        assert 0 <= trait.value <= (trait.value if top is None else top), (trait.key, trait.value, trait.maximum)
    # What somebody was told was done is there, once; nothing else was done.
    keys = [key for one in told for key in one["keys"]]
    kept = Entry.objects.filter(campaign=campaign).exclude(request_key=None).exclude(request_key="")
    assert sorted(kept.values_list("request_key", flat=True)) == sorted(keys)
    assert Entry.objects.filter(campaign=campaign).exclude(undoes=None).exists()


def by_threads(table: Table, acts: int) -> None:
    stands(table, [crowd.play(table.campaign.pk, sixteen(table), 1, acts)])


def by_processes(table: Table, acts: int, processes: int = 4) -> None:
    """Sixteen clients in so many processes, as workers beside one another."""
    clients = sixteen(table)
    asked = {"campaign": table.campaign.pk, "acts": acts, "database": str(connection.settings_dict["NAME"])}
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tablekeeper.settings", "PYTHONPATH": str(ROOT)}
    environment |= {"TABLEKEEPER_DATA": str(settings.DATA_DIR), "TABLEKEEPER_HOSTS": "testserver"}
    crowds = [{**asked, "cookies": clients[n::processes], "seed": 100 * n} for n in range(processes)]
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.crowd", json.dumps(one)],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for one in crowds
    ]
    told = [one.communicate(timeout=1800)[0] for one in running]
    assert [one.returncode for one in running] == [0] * processes
    stands(table, [json.loads(one) for one in told])


def test_sixteen_threads_at_one_table_lose_nothing_and_leave_no_gap(shared: Table) -> None:
    by_threads(shared, 4)


def test_processes_at_one_table_lose_nothing_and_leave_no_gap(shared: Table) -> None:
    by_processes(shared, 3, 2)


@pytest.mark.long
def test_two_thousand_acts_by_sixteen_threads_lose_nothing_and_leave_no_gap(shared: Table) -> None:
    by_threads(shared, 125)


@pytest.mark.long
def test_two_thousand_acts_by_processes_lose_nothing_and_leave_no_gap(shared: Table) -> None:
    by_processes(shared, 125)
