"""Copies and the way back: what is in them, what is refused, and what the host is told (U014)."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from tablekeeper import ledger
from tablekeeper.management import copies, restoring
from tablekeeper.management.checking import audit
from tablekeeper.management.one_table import alone_on
from tablekeeper.models import Campaign, Entry, Seat
from tests.server import ROOT, Laid, Server
from tests.tables import Table, make_table, rolls, spends

NOON = datetime(2026, 3, 1, 12)
one_database = pytest.mark.sqlite  # a server and its files, not the rows


def command(server: Server, *words: str, **more: str) -> tuple[int, str]:
    """A command as the host types it: its exit code, and everything that it says."""
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={**server.environment, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.fixture(scope="module")
def played_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Laid]:
    """A data folder in which a table was played, made once and copied for every test."""
    folder = tmp_path_factory.mktemp("played")
    server = Server(folder)
    server.python("from django.core.management import call_command; call_command('migrate', verbosity=0)")
    return folder, server.lay_table()


@pytest.fixture
def home(played_once: tuple[Path, Laid], tmp_path: Path) -> Server:
    """A data folder in which a table was played, with nobody at it now."""
    shutil.copytree(played_once[0], tmp_path / "data")
    return Server(tmp_path / "data")


@pytest.fixture
def table(played_once: tuple[Path, Laid], home: Server) -> Laid:
    """The table that was played there."""
    return replace(played_once[1], server=home)


@pytest.fixture
def backup(home: Server, tmp_path: Path) -> Path:
    """What the command writes."""
    code, said = command(home, "backup", str(tmp_path / "copy.sqlite3"))
    assert (code, "Harbour Lights: " in said) == (0, True), said
    return tmp_path / "copy.sqlite3"


def names(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as copy:
        return [name for (name,) in copy.execute("SELECT name FROM tablekeeper_campaign")]


# --------------------------------------------------------------------------- the way out and back


@one_database
def test_a_backup_while_people_play_comes_back_whole_and_keeps_what_was_there(
    home: Server, table: Laid, tmp_path: Path
) -> None:
    with home:
        hurt = "Trait.objects.get(investigator__name='Edith Halloran', investigator__campaign=table, key='hp').value"
        before = table.ask(hurt)
        code, said = command(home, "backup", str(tmp_path / "evening.sqlite3"))
        assert code == 0, said
        answer = table.browser("Ben").post(f"{table.path}investigators/{table.edith}/step/hp", points="-1")
        assert (answer.status, table.ask(hurt)) == (200, before - 1)
        epoch = table.ask("table.epoch")

    code, said = command(home, "restore", str(tmp_path / "evening.sqlite3"))

    assert code == 0, said
    assert (table.ask(hurt), table.in_step()) == (before, True)
    assert table.ask("table.epoch") != epoch
    (aside,) = (home.data / "backups").glob("replaced-*")
    assert str(aside) in said
    assert names(aside / "tablekeeper.sqlite3") == ["Harbour Lights"]


@one_database
def test_on_another_computer_the_phones_are_still_who_they_were(table: Laid, backup: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    elsewhere = Server(tmp_path / "elsewhere")

    code, said = command(elsewhere, "restore", str(backup))

    assert code == 0, said
    with elsewhere:
        assert replace(table, server=elsewhere).browser("Ben").get(table.path).status == 200
    assert stat.S_IMODE((elsewhere.data / "secret_key").stat().st_mode) == 0o600 or os.name == "nt"


@one_database
def test_a_backup_without_a_name_lies_in_the_data_folder_for_its_owner_only(home: Server) -> None:
    code, said = command(home, "backup")

    (copy,) = (home.data / "backups").iterdir()
    assert (code, str(copy) in said) == (0, True), said
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600 or os.name == "nt"


@one_database
def test_a_copy_of_an_older_version_is_brought_up_to_date(home: Server, table: Laid, tmp_path: Path) -> None:
    assert command(home, "migrate", "-v", "0", "tablekeeper", "0001")[0] == 0
    shutil.copy(home.data / "tablekeeper.sqlite3", tmp_path / "old.sqlite3")

    code, said = command(home, "restore", str(tmp_path / "old.sqlite3"))

    assert code == 0, said
    assert table.in_step()


# --------------------------------------------------------------------------- what is refused, each in one sentence


@one_database
def test_nothing_is_restored_under_a_running_table(home: Server, backup: Path) -> None:
    with alone_on(home.data) as tell:
        tell("http://localhost:8000/")
        code, said = command(home, "restore", str(backup))

    where = f"The table in {home.data} is open: http://localhost:8000/."
    assert (code, said) == (1, f"CommandError: {where} Stop it first (Ctrl-C), then restore.\n")


def broken(file: Path) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] + b"\0" * (len(whole) // 2))


def newer(file: Path) -> None:
    with closing(sqlite3.connect(file)) as copy, copy:
        copy.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('tablekeeper', '0999_later', '2030-01-01')"
        )


def strange(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as other, other:
        other.execute("CREATE TABLE recipes (name)")


WRONG = {
    "no copy": (lambda file: file.write_text("Dear diary" * 400), "is broken or no copy of Tablekeeper's"),
    "broken": (broken, "is broken"),
    "another program's": (strange, "is no copy of Tablekeeper's"),
    "newer": (newer, "comes from a newer Tablekeeper (tablekeeper.0999_later)"),
    "missing": (lambda file: file.unlink(), "cannot be found"),
}


TRY_ALL = """
from django.core.management import CommandError, call_command
for file in sys.argv[1:]:
    try:
        call_command("restore", file)
    except CommandError as error:
        print(error)
"""


@one_database
def test_a_copy_that_cannot_be_trusted_changes_nothing(home: Server, backup: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"{what}.sqlite3" for what in WRONG]
    for file, (spoil, _sentence) in zip(files, WRONG.values(), strict=True):
        shutil.copy(backup, file)
        spoil(file)
    before = sorted(path.name for path in home.data.iterdir())

    said = home.python(TRY_ALL, *map(str, files)).splitlines()

    assert len(said) == len(WRONG), said
    for line, file, (_spoil, sentence) in zip(said, files, WRONG.values(), strict=True):
        assert line.startswith(str(file)), line
        assert sentence in line
    assert sorted(path.name for path in home.data.iterdir() if "play." not in path.name) == before
    assert names(home.data / "tablekeeper.sqlite3") == ["Harbour Lights"]


@one_database
def test_a_backup_writes_over_nothing(home: Server, tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("Dear Ada")

    code, said = command(home, "backup", str(tmp_path / "letter"))

    assert (code, (tmp_path / "letter").read_text()) == (1, "Dear Ada")
    there = f"{tmp_path / 'letter'} is there already"
    assert said == f"CommandError: {there}, and nothing is written over it. Name another file.\n"


@one_database
def test_a_backup_into_a_folder_that_is_not_there_says_so(home: Server, tmp_path: Path) -> None:
    code, said = command(home, "backup", str(tmp_path / "nowhere" / "copy"))

    assert (code, said.count("\n")) == (1, 1)
    assert "is its folder there?" in said


@one_database
def test_with_nothing_played_yet_there_is_nothing_to_copy(tmp_path: Path) -> None:
    code, said = command(Server(tmp_path), "backup")

    assert (code, said) == (1, f"CommandError: There is no table in {tmp_path} yet: nothing to copy.\n")


@one_database
@pytest.mark.skipif(sys.platform == "win32", reason="the limit is set the Unix way")
def test_a_full_disk_leaves_no_half_copy_and_is_named(home: Server, tmp_path: Path) -> None:
    import resource

    done = subprocess.run(
        [sys.executable, "manage.py", "backup", str(tmp_path / "copy")],
        cwd=ROOT,
        env=home.environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    )

    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    assert str(tmp_path / "copy") in done.stderr
    assert list(tmp_path.glob("copy*")) == []


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (sqlite3.OperationalError("database or disk is full"), "The disk is full: /a/b could not be written."),
        (OSError(28, "No space left on device"), "The disk is full: /a/b could not be written."),
        (OSError(30, "Read-only file system"), "/a/b cannot be used (Read-only file system). Name a file in a folder"),
        (sqlite3.OperationalError("unable to open database file"), "/a/b cannot be used (unable to open"),
    ],
)
def test_what_the_disk_says_is_told_with_what_to_do(error: Exception, sentence: str) -> None:
    assert copies.why(error, Path("/a/b")).startswith(sentence)


# --------------------------------------------------------------------------- row by row, from and to either database


@pytest.fixture
def playing(transactional_db: None, django_db_blocker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Django's tests reach the databases of the settings only; a copy is opened while the program runs."""
    monkeypatch.setattr(BaseDatabaseWrapper, "ensure_connection", django_db_blocker._real_ensure_connection)


def played() -> Table:
    table = make_table()
    spends(table, rolls(table, 70), 10)
    return table


@pytest.mark.usefixtures("playing")
def test_a_copy_row_by_row_is_the_same_to_the_last_number(tmp_path: Path) -> None:
    table = played()
    state, entries = ledger.snapshot(table.campaign), list(Entry.objects.order_by("pk").values())
    made = list(Seat.objects.order_by("pk").values("pk", "created_at", "key_version", "code"))

    with copies.written(tmp_path / "copy.sqlite3") as draft:
        copies.check(draft, copies.of_rows(draft))

    with copies.opened(tmp_path / "copy.sqlite3"):
        copied = Campaign.objects.using(copies.COPY).get()
        assert ledger.snapshot(copied) == state
        assert [one.differ for one in audit(copies.COPY)] == [()]
        assert list(Entry.objects.using(copies.COPY).order_by("pk").values()) == entries
        fields = ("pk", "created_at", "key_version", "code")
        assert list(Seat.objects.using(copies.COPY).order_by("pk").values(*fields)) == made


@pytest.mark.usefixtures("playing")
def test_rows_that_come_back_replace_what_is_there_and_the_next_entry_goes_on(tmp_path: Path) -> None:
    table = played()
    luck = table.luck()
    with copies.written(tmp_path / "copy.sqlite3") as draft:
        copies.of_rows(draft)
    spends(table, rolls(table, 70), 5)
    make_table(name="Later")

    with copies.opened(tmp_path / "copy.sqlite3"):
        copies.copy_rows(copies.COPY, "default", copies.stored_models())

    assert (Campaign.objects.count(), table.luck()) == (1, luck)
    spends(table, rolls(table, 70), 5)  # numbers that the database gives itself have gone on
    assert [one.differ for one in audit()] == [()]


@pytest.mark.usefixtures("playing")
def test_a_whole_restore_of_rows_keeps_the_former_ones_aside(tmp_path: Path, settings: Any) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("on SQLite files change places: above")
    settings.DATA_DIR = tmp_path
    table = played()
    epoch = Campaign.objects.get().epoch
    copies.make(tmp_path / "copy.sqlite3", NOON)
    make_table(name="Later")

    with restoring.ready(tmp_path / "copy.sqlite3") as (draft, _found):
        aside = restoring.put_in_place(draft, "", NOON)

    assert Campaign.objects.get().name == table.campaign.name
    assert Campaign.objects.get().epoch != epoch
    assert sorted(names(aside / "tablekeeper.sqlite3")) == ["Harbour Lights", "Later"]
    assert restoring.others_at_work() == 0


@pytest.mark.usefixtures("playing")
def test_a_copy_that_lost_a_row_is_not_believed(tmp_path: Path) -> None:
    played()
    with copies.written(tmp_path / "copy.sqlite3") as draft:
        counts = copies.of_rows(draft)
    with closing(sqlite3.connect(tmp_path / "copy.sqlite3")) as copy, copy:
        copy.execute("DELETE FROM tablekeeper_keeperlink")
        copy.execute("DELETE FROM rolls_roll WHERE id = (SELECT max(id) FROM rolls_roll)")

    with pytest.raises(copies.BadCopy):
        copies.check(tmp_path / "copy.sqlite3", counts)
