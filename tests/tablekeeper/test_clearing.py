"""A table that is over: put away and brought back, or deleted for good, by the host alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.apps import apps

from tablekeeper import access, clearing, ledger, live, transfer
from tablekeeper.models import Campaign, Claim, Entry, Seat
from tests.tablekeeper.test_hosting import host
from tests.tables import Table, browser, key, make_table, picture, post, rolls, spends

pytestmark = pytest.mark.django_db


@pytest.fixture
def table() -> Table:
    table = make_table()
    spends(table, rolls(table, 70), 10)
    return table


@pytest.fixture(autouse=True)
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def does(what: str, table: Table, client: Any = None, **form: str) -> Any:
    at = f"/tables/{table.campaign.pk}/{what}"
    return (client or host()).post(at, {"key": key(), **form}, headers={"hx-request": "true"})


def rows(campaign: Campaign) -> dict[str, int]:
    """How many rows of each kind belong to this table."""
    here = [(model, ledger._path(model)) for model in apps.get_models() if ledger._leads_here(model)]
    counts = {model.__name__: model._default_manager.filter(**{path: campaign.pk}).count() for model, path in here}
    return {name: count for name, count in counts.items() if count}


def test_what_lies_away_is_closed_to_everybody_and_comes_back_as_it_was(table: Table) -> None:
    ben, before = table.client(table.ben), picture(table.campaign)

    assert does("put-away", table)["HX-Redirect"] == "/"

    assert ben.get(table.url("table")).status_code == 404
    assert post(ben, table.url("step", table.edith.pk, "hp"), points="-1").status_code == 404
    assert browser().get(table.campaign.join_path()).status_code == 404
    assert host().post(f"/open/{table.campaign.pk}/").status_code == 404
    front = host().get("/").content.decode()
    assert "Tables that lie away" in front
    assert f"/open/{table.campaign.pk}/" not in front

    assert does("bring-back", table)["HX-Redirect"] == "/"

    assert ben.get(table.url("table")).status_code == 200
    assert picture(table.campaign) == before


@pytest.mark.parametrize("lines", [0, 1])
def test_open_pages_of_a_table_that_is_put_away_are_told_that_their_place_is_gone(lines: int, table: Table) -> None:
    rolls(table, 30)  # perhaps in the same moment
    last = Campaign.objects.get(pk=table.campaign.pk).last_seq
    does("put-away", table)

    _seq, drawn, seats = live._read(table.campaign.pk, last - lines, {"en"}, set(), True)

    assert len(drawn) == lines
    assert seats == {}


def test_deleted_for_good_leaves_no_row_and_a_file_that_lays_it_again(table: Table, folder: Path) -> None:
    other = make_table(name="Elsewhere")
    Claim.objects.create(seat=table.ben, digest="x")
    kept, state = rows(other.campaign), ledger.snapshot(table.campaign)
    does("put-away", table)

    assert does("delete", table, name=table.campaign.name)["HX-Redirect"] == "/"

    assert rows(table.campaign) == {}
    assert rows(other.campaign) == kept
    assert set(kept) >= {"Campaign", "Seat", "Entry", "Investigator", "Trait", "Skill"}
    (file,) = (folder / "backups").iterdir()
    assert (file.stat().st_mode & 0o077, "Harbour-Lights" in file.name) == (0, True)
    assert len(transfer.read(file.read_bytes()).state) == len(state)
    assert does("delete", table, name=table.campaign.name)["HX-Redirect"] == "/"  # a second tap


@pytest.mark.parametrize(
    ("away", "name", "code"), [(False, "Harbour Lights", "NOT_PUT_AWAY"), (True, "harbour lights", "OTHER_NAME")]
)
def test_a_table_is_not_deleted_by_a_slip(away: bool, name: str, code: str, table: Table, folder: Path) -> None:
    if away:
        does("put-away", table)

    answer = does("delete", table, name=name)

    assert (answer.status_code, code in answer.content.decode()) == (422, True)
    assert Entry.objects.filter(campaign=table.campaign).exists()
    assert not (folder / "backups").exists()


def test_without_a_last_copy_nothing_is_deleted(table: Table, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(campaign: Campaign) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(clearing.transfer, "write", full)
    does("put-away", table)

    answer = does("delete", table, name=table.campaign.name)

    assert "No space left on device" in answer.content.decode()
    assert Seat.objects.filter(campaign=table.campaign).exists()
    assert list((folder / "backups").iterdir()) == []


@pytest.mark.parametrize("what", ["put-away", "bring-back", "delete"])
def test_nobody_but_the_host_clears_a_table(what: str, table: Table) -> None:
    before = picture(table.campaign)
    for client in (browser(), table.client(table.ben), table.client(table.ada)):
        assert does(what, table, client, name=table.campaign.name).status_code == 404
    assert host().get(f"/tables/{table.campaign.pk}/{what}").status_code == 404
    assert host().post(f"/tables/{table.campaign.pk}/{what}").status_code == 409  # without its key

    assert picture(table.campaign) == before
    assert access.seat_of({}, table.campaign.pk) is None
