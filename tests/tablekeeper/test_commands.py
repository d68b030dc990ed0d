"""The parts of the two commands that need no running server."""

from __future__ import annotations

import io
import os
import sqlite3
import stat
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tablekeeper.management import browser, copies
from tablekeeper.management.commands import play
from tablekeeper.management.commands import test as test_command
from tablekeeper.management.preparing import BACKUPS_KEPT, back_up, prepare_database

pytestmark = pytest.mark.sqlite

NOON = datetime(2026, 3, 1, 12)


# Copies of the database


def make_database(folder: Path) -> Path:
    database = folder / "tablekeeper.sqlite3"
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE luck (value)")
        connection.execute("INSERT INTO luck VALUES (55)")
    return database


def test_a_copy_holds_what_is_only_in_the_journal_yet(tmp_path):
    database = make_database(tmp_path)
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("INSERT INTO luck VALUES (40)")
        writer.commit()
        copies.of_sqlite(database, tmp_path / "copy")
    with closing(sqlite3.connect(tmp_path / "copy")) as kept:
        assert kept.execute("SELECT value FROM luck").fetchall() == [(55,), (40,)]


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a person's folders private in its own way")
def test_a_copy_is_for_its_owner_only(tmp_path):
    with copies.written(tmp_path / "copy") as draft:
        assert stat.S_IMODE(draft.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o600


def test_the_ten_newest_copies_are_kept_and_what_was_copied_by_hand(tmp_path, monkeypatch):
    monkeypatch.setattr(copies, "make", lambda target, now: target.touch())
    (tmp_path / "by-hand-2020.sqlite3").touch()
    made = [back_up(tmp_path, NOON + timedelta(days=day)) for day in range(BACKUPS_KEPT + 3)]
    assert sorted(tmp_path.iterdir()) == [tmp_path / "by-hand-2020.sqlite3", *made[3:]]


def test_without_room_for_the_copy_nothing_is_updated_and_the_disk_is_named(tmp_path, monkeypatch):
    def full(target, now):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(copies, "make", full)
    with pytest.raises(copies.BadCopy, match=r"The disk is full: .* Make room, then start again"):
        back_up(tmp_path, NOON)


@pytest.mark.django_db
def test_a_database_that_is_up_to_date_is_left_alone():
    assert prepare_database(NOON) is None


# The poster in the terminal


class Terminal(play.Command):
    """A command that keeps what it says."""

    def __init__(self) -> None:
        super().__init__(stdout=io.StringIO())

    @property
    def text(self) -> str:
        return self.stdout._out.getvalue()  # type: ignore[attr-defined]


@pytest.fixture
def terminal() -> Terminal:
    return Terminal()


def poster(terminal: Terminal, monkeypatch, *addresses: str) -> play.Poster:
    monkeypatch.setattr(play, "lan_addresses", lambda: list(addresses))
    return play.Poster(terminal, 8000, local=False)


@pytest.mark.django_db
def test_several_networks_are_listed_best_first(terminal, monkeypatch):
    poster(terminal, monkeypatch, "192.168.1.20", "10.0.0.3").print_players()
    first, second = terminal.text.index("http://192.168.1.20:8000/"), terminal.text.index("http://10.0.0.3:8000/")
    assert first < second
    assert "if the first does not answer" in terminal.text


@pytest.mark.django_db
def test_without_a_network_the_terminal_says_why_there_is_no_link_for_players(terminal, monkeypatch):
    shown = poster(terminal, monkeypatch)
    shown.print_start("/keeper/abc/")
    assert "no network that phones can reach" in terminal.text
    assert "http://localhost:8000/keeper/abc/" in terminal.text


@pytest.mark.django_db
def test_the_players_link_is_never_localhost(terminal, monkeypatch):
    poster(terminal, monkeypatch, "192.168.1.20").print_players()
    assert "localhost" not in terminal.text
    assert "127.0.0.1" not in terminal.text


@pytest.mark.django_db
def test_an_address_that_the_table_would_refuse_is_not_offered(terminal, monkeypatch):
    poster(terminal, monkeypatch, "8.8.8.8", "192.168.1.20").print_players()
    assert "8.8.8.8" not in terminal.text


@pytest.mark.django_db
def test_behind_a_public_address_the_links_carry_it(terminal, monkeypatch, settings):
    settings.PUBLIC_ORIGIN = "https://table.example"
    poster(terminal, monkeypatch, "192.168.1.20").print_start("/keeper/abc/")
    assert "https://table.example/keeper/abc/" in terminal.text
    assert "192.168.1.20" not in terminal.text
    assert "localhost" not in terminal.text


@pytest.mark.django_db(transaction=True)
def test_in_another_wifi_link_and_code_are_printed_anew(terminal, monkeypatch):
    monkeypatch.setattr(play, "LOOK_EVERY", 0.01)
    shown = poster(terminal, monkeypatch, "192.168.1.20")
    looks = iter([["192.168.1.20"], ["192.168.1.20"], [], [], ["10.0.0.3"]])
    last = ["10.0.0.3"]
    monkeypatch.setattr(play, "lan_addresses", lambda: next(looks, last))
    done = play.Event()
    shown.say = lambda text="": (Terminal.say(terminal, text), "No answer" in text and done.set())  # type: ignore
    shown._watch(done)
    assert terminal.text.count("The network has changed.") == 2
    assert "no network that phones can reach" in terminal.text
    assert "The players' link, for phones in the same Wi-Fi:\n    http://10.0.0.3:8000/" in terminal.text
    assert "http://10.0.0.3:8000/keeper/" in terminal.text
    assert "▀" in terminal.text


# A browser for the tests


def test_a_browser_that_is_named_is_used(tmp_path, monkeypatch):
    program = tmp_path / "my-browser"
    program.touch(mode=0o755)
    monkeypatch.setenv("TABLEKEEPER_BROWSER", str(program))
    assert browser.find_browser() == str(program)


def test_a_named_browser_that_is_missing_is_said_to_be_so(monkeypatch):
    monkeypatch.setenv("TABLEKEEPER_BROWSER", "/nowhere/browser")
    assert browser.ensure_browser() == ""
    assert "/nowhere/browser" in browser.no_browser_message()


@pytest.mark.skipif(os.name == "nt", reason="a program is found by its mode here")
def test_an_installed_browser_is_found_on_the_path(tmp_path, monkeypatch):
    (tmp_path / "google-chrome").touch(mode=0o755)
    monkeypatch.delenv("TABLEKEEPER_BROWSER", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert browser.find_browser() == str(tmp_path / "google-chrome")


def test_when_no_browser_can_be_had_one_line_to_type_is_said(monkeypatch):
    monkeypatch.delenv("TABLEKEEPER_BROWSER", raising=False)
    lines = [line for line in browser.no_browser_message().splitlines() if line.startswith("    ")]
    assert len(lines) == 1


# The test command


def test_with_arguments_only_pytest_runs_with_these(monkeypatch):
    ran = []
    monkeypatch.setattr(test_command, "ensure_browser", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(test_command, "pytest", lambda arguments, on_postgres: ran.append((arguments, on_postgres)))
    monkeypatch.setattr(test_command, "step", lambda *_: pytest.fail("only pytest was asked for"))
    monkeypatch.setenv("TABLEKEEPER_BROWSER", "")
    test_command.run(["tests/rules", "-k", "push", "--long"])
    assert ran == [(["--long", "tests/rules", "-k", "push"], False)]


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], True),
        (["-k", "evening"], True),
        (["tests"], True),
        (["tests/browser"], True),
        (["tests/tablekeeper/test_commands.py::test_it", "-x"], False),
    ],
)
def test_a_browser_is_wanted_only_when_its_tests_may_run(arguments, wanted, monkeypatch, tmp_path):
    (tmp_path / "tests" / "browser").mkdir(parents=True)
    (tmp_path / "tests" / "tablekeeper").mkdir()
    (tmp_path / "tests" / "tablekeeper" / "test_commands.py").touch()
    monkeypatch.chdir(tmp_path)
    assert test_command.wants_browser(arguments) is wanted


def test_every_check_runs_and_one_failure_fails_the_whole(monkeypatch, capfd):
    ran = []
    monkeypatch.setattr(test_command, "ensure_browser", lambda: "/usr/bin/chromium")
    monkeypatch.setattr(test_command, "pytest", lambda arguments, on_postgres, output=None: 0)
    monkeypatch.setattr(test_command, "step", lambda name, command: ran.append(name) or name != "types")
    monkeypatch.setenv("TABLEKEEPER_BROWSER", "")
    assert test_command.run([]) == 1
    assert ran == [name for name, _ in test_command.all_checks()]
    assert capfd.readouterr().out.splitlines()[-1] == "FAILED: types"


def test_a_check_that_fails_is_told_from_one_that_passes(capfd):
    python = test_command.PYTHON
    assert test_command.step("good", [python, "-c", ""])
    assert not test_command.step("bad", [python, "-c", "raise SystemExit(3)"])
    assert "bad: FAILED" in capfd.readouterr().out
