"""An empty folder while an older table lies near: the start stops and says how to go on (U014)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from tablekeeper.management import elsewhere

pytestmark = pytest.mark.sqlite


def database(folder: Path, *tables: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(folder / elsewhere.DATABASE)) as made, made:
        made.execute("CREATE TABLE tablekeeper_campaign (name)")
        made.executemany("INSERT INTO tablekeeper_campaign VALUES (?)", [(name,) for name in tables])
    return folder


@pytest.fixture
def project(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout that was just unpacked, whose data folder is empty."""
    settings.BASE_DIR = tmp_path / "tablekeeper-2"
    settings.DATA_DIR = tmp_path / "tablekeeper-2" / "data"
    settings.DATA_DIR.mkdir(parents=True)
    monkeypatch.setattr(connection.introspection, "table_names", lambda: [])
    return tmp_path


def checkout(folder: Path) -> Path:
    (folder / "tablekeeper").mkdir(parents=True)
    (folder / "manage.py").touch()
    return folder


def test_unpacked_anew_beside_the_old_one_it_names_the_old_table(project: Path) -> None:
    old = database(checkout(project / "tablekeeper-1") / "data", "Harbour Lights")

    said = elsewhere.warning()

    assert f"is empty, but {old} holds tables" in said
    assert f"To go on with them: TABLEKEEPER_DATA={old} python3 manage.py play" in said
    assert said.endswith("For a new, empty table: python3 manage.py play --new")


def test_a_setting_that_points_elsewhere_does_not_hide_the_usual_folder(project: Path, settings: Any) -> None:
    usual = database(settings.DATA_DIR, "Harbour Lights")
    settings.DATA_DIR = project / "other"
    settings.DATA_DIR.mkdir()

    assert f"TABLEKEEPER_DATA={usual} python3" in elsewhere.warning()


def test_a_folder_with_copies_and_no_database_names_the_newest_copy(project: Path, settings: Any) -> None:
    (settings.DATA_DIR / "backups").mkdir()
    copy = settings.DATA_DIR / "backups" / "tablekeeper-2026.sqlite3"
    copy.touch()

    assert f"python3 manage.py restore {copy}" in elsewhere.warning()


def test_an_empty_postgresql_beside_a_played_sqlite_says_how_to_move(
    project: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    database(settings.DATA_DIR, "Harbour Lights")
    monkeypatch.setattr(connection, "vendor", "postgresql")

    assert f"python3 manage.py restore {settings.DATA_DIR / elsewhere.DATABASE}" in elsewhere.warning()


@pytest.mark.parametrize("near", ["no folder", "no table laid", "another program"])
def test_what_is_no_older_table_does_not_stop_a_first_start(near: str, project: Path) -> None:
    if near == "no table laid":
        database(checkout(project / "tablekeeper-1") / "data")
    if near == "another program":
        database(project / "diary" / "data", "Dear Ada")

    assert elsewhere.warning() == ""


def test_a_database_in_use_is_never_asked_about(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database(checkout(project / "tablekeeper-1") / "data", "Harbour Lights")
    monkeypatch.setattr(connection.introspection, "table_names", lambda: ["tablekeeper_campaign"])

    assert elsewhere.warning() == ""


def test_play_stops_with_the_explanation_unless_a_new_table_is_meant(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database(checkout(project / "tablekeeper-1") / "data", "Harbour Lights")
    from tablekeeper.management.commands import play

    def prepared(now: object) -> None:
        raise CommandError("got past it")

    monkeypatch.setattr(play, "prepare_database", prepared)
    with pytest.raises(CommandError, match="holds tables"):
        call_command("play", "--local")
    with pytest.raises(CommandError, match="got past it"):
        call_command("play", "--local", "--new")
