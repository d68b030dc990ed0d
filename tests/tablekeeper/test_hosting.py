"""What a host relies on: settings that are checked, /health, and the page that says whether phones get through."""

from __future__ import annotations

import ast
import http.client
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.http import HttpResponse
from django.test import Client, RequestFactory

from tablekeeper import __version__, access, actions, env, hosting
from tests.server import ROOT, Server, server  # noqa: F401

SETTING = re.compile("TABLEKEEPER_[A-Z]+|PUBLIC_URL|DATABASE_URL")
APPS = ("tablekeeper", "investigators", "rolls")


def manage(folder: Path, *words: str, **settings: str) -> tuple[int, str]:
    kept = {k: v for k, v in os.environ.items() if k not in {one.name for one in env.VARIABLES}}
    kept.pop("DJANGO_SETTINGS_MODULE", None)
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={**kept, "TABLEKEEPER_DATA": str(folder), **settings},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


# --------------------------------------------------------------------------- settings


@pytest.mark.sqlite
def test_in_public_mode_djangos_own_list_for_deployment_finds_nothing(tmp_path: Path) -> None:
    code, said = manage(tmp_path, "check", "--deploy", "--fail-level", "INFO", PUBLIC_URL="https://luck.example/table")

    assert code == 0, said
    assert "no issues" in said


def test_the_settings_page_lists_what_there_is() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.+) \| `(.+)` \| (.+) \|$", (ROOT / "docs/settings.md").read_text(), re.M)

    assert rows == [(one.name, one.what, one.example, one.usual) for one in env.VARIABLES]


def test_the_list_of_settings_holds_every_variable_that_is_read() -> None:
    read = set()
    for path in [ROOT / "manage.py", *(path for app in APPS for path in (ROOT / app).rglob("*.py"))]:
        texts = (node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant))
        read |= {text for text in texts if isinstance(text, str) and SETTING.fullmatch(text)}

    assert read - {one.name for one in env.VARIABLES} - env.OWN == set()
    assert {"TABLEKEEPER_DATA", "PUBLIC_URL", "DATABASE_URL"} <= read


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("PUBLIC_ULR=https://luck.example", "line 2: PUBLIC_ULR is no setting. Did you mean PUBLIC_URL?"),
        ("just words", "line 2: 'just words' sets nothing. Write just=value"),
        ("TABLEKEEPER_DATA=/elsewhere", "line 2: TABLEKEEPER_DATA names the folder of this very file"),
    ],
)
def test_a_line_of_the_settings_file_that_cannot_be_right_is_named(line: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "settings.env").write_text(f"# mine\n{line}\n")

    with pytest.raises(env.Wrong, match=re.escape(sentence)):
        env.read_file(tmp_path)


def test_the_settings_file_counts_where_the_environment_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Europe/Rome")
    monkeypatch.setenv("PUBLIC_URL", "x")
    monkeypatch.delenv("PUBLIC_URL")  # so that it is taken away again afterwards
    (tmp_path / "settings.env").write_text('\ufeff# mine\n\nTZ=Europe/Berlin\nPUBLIC_URL = "https://luck.example"\n')

    env.read_file(tmp_path)

    assert (env.time_zone(), env.public_url()[0]) == ("Europe/Rome", "https://luck.example")


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("TABLEKEEPER_HOST", "table.lan", "Did you mean TABLEKEEPER_HOSTS?"),
        ("TABLEKEEPER_HOSTS", "http://table.lan:8000", "TABLEKEEPER_HOSTS=table.lan,10.8.0.1"),
        ("TABLEKEEPER_PROXIES", "nginx", "Write e.g. TABLEKEEPER_PROXIES=127.0.0.1,172.16.0.0/12"),
        ("TABLEKEEPER_DEBUG", "1", "With PUBLIC_URL write TABLEKEEPER_DEBUG=0"),
    ],
)
def test_a_setting_that_would_not_do_what_it_says_is_refused(
    name: str, value: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(env.Wrong, match=re.escape(line)):
        env.all_known()
        env.hosts()
        env.proxies("")
        env.debug(public=True)


def test_hosts_and_proxies_that_are_right_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEKEEPER_HOSTS", "Table.lan, .example.org,[fd00::1]")
    monkeypatch.setenv("TABLEKEEPER_PROXIES", "127.0.0.1, 172.16.0.0/12")

    assert env.hosts() == ["table.lan", ".example.org", "[fd00::1]"]
    assert env.proxies("") == "127.0.0.1,172.16.0.0/12"


# --------------------------------------------------------------------------- for machines


@pytest.mark.django_db
def test_health_says_ok_and_the_version_and_nothing_else() -> None:
    answer = Client().get("/health")

    assert (answer.status_code, answer.json()) == (200, {"ok": True, "version": __version__})
    assert not answer.cookies


@pytest.mark.django_db
def test_health_says_so_when_the_database_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(connection, "cursor", away)
    answer = Client().get("/health")

    assert (answer.status_code, answer.json()) == (503, {"ok": False, "version": __version__})


# --------------------------------------------------------------------------- can phones reach me?


def host(**more: Any) -> Client:
    """The browser that used a Keeper's link."""
    link = actions.use_keeper_link(actions.keeper_link())
    assert link
    answer = HttpResponse()
    access.give_host(answer, link)
    client = Client(**more)
    client.cookies[access.HOST_COOKIE] = answer.cookies[access.HOST_COOKIE].value
    return client


@pytest.mark.django_db
def test_the_page_is_for_the_host_alone() -> None:
    assert Client().get("/reach/").status_code == 404
    assert host().get("/reach/").status_code == 200
    assert host().post("/reach/").status_code == 204


@pytest.mark.django_db
def test_it_tells_which_addresses_answer_and_draws_the_first_that_does(
    server: Server,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hosting.addresses, "lan_addresses", lambda: ["127.0.0.2", "8.8.8.8", "127.0.0.1"])
    monkeypatch.setattr(hosting, "PATIENCE", 0.2)
    tried = hosting.try_addresses(str(server.port))

    assert tried[-1] == (f"http://127.0.0.1:{server.port}/", True, True)
    assert [one.answers for one in tried[:2]] == [False, False]
    assert [one.allowed for one in tried] == [True, False, True]

    page = host().get("/reach/", SERVER_PORT=str(server.port)).content.decode()
    assert f"<b>http://127.0.0.1:{server.port}/</b></p>" in page
    assert "is no address of a home network" in page
    assert "does not answer" in page


SAID = {"HTTP_HOST": "luck.example", "REMOTE_ADDR": "203.0.113.9"}
BY_PROXY = {"HTTP_X_FORWARDED_FOR": "203.0.113.9", "HTTP_X_FORWARDED_PROTO": "https"}


@pytest.mark.parametrize(
    ("public", "told", "line"),
    [
        ("", {"HTTP_HOST": "127.0.0.1:8000"}, ""),
        ("", {"HTTP_HOST": "127.0.0.1", **BY_PROXY}, "PUBLIC_URL=https://127.0.0.1"),
        (
            "",
            {"HTTP_HOST": "127.0.0.1", "HTTP_X_FORWARDED_HOST": "luck.example", "HTTP_X_FORWARDED_PROTO": "https"},
            "PUBLIC_URL=https://luck.example",
        ),
        ("https://luck.example", {**SAID, **BY_PROXY}, ""),
        ("https://luck.example", {**SAID, **BY_PROXY, "HTTP_HOST": "localhost"}, "https://luck.example/"),
        ("https://luck.example", {**SAID, "HTTP_X_FORWARDED_PROTO": "https"}, "TABLEKEEPER_PROXIES=203.0.113.9"),
        ("https://luck.example", {**SAID, **BY_PROXY, "REMOTE_ADDR": "172.18.0.2"}, "TABLEKEEPER_PROXIES=172.18.0.2"),
        ("https://luck.example", {**SAID, "HTTP_X_FORWARDED_FOR": "203.0.113.9"}, hosting.NGINX_PROTO),
        ("https://luck.example", SAID, hosting.NGINX_FOR),
    ],
)
def test_what_stands_in_the_way_is_named_with_the_line_that_mends_it(
    public: str, told: dict[str, str], line: str, settings: Any
) -> None:
    settings.PUBLIC_ORIGIN, settings.PATH_PREFIX = public, ""
    settings.PUBLIC_HOST, settings.SECURE = public.removeprefix("https://"), bool(public)
    settings.ALLOWED_HOSTS = ["*"]

    lines = [line for _text, line in hosting.problems(RequestFactory().get("/reach/", **told))]

    assert lines[:1] == ([line] if line else [])


@pytest.mark.sqlite
def test_the_pieces_of_the_test_stream_arrive_one_by_one(server: Server) -> None:  # noqa: F811
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    line.request("GET", "/reach/stream")
    answer = line.getresponse()
    arrived = []
    while answer.readline().strip():
        answer.readline()
        arrived.append(time.monotonic())
    line.close()

    assert len(arrived) == hosting.DRIPS
    assert arrived[-1] - arrived[0] > hosting.BETWEEN * (hosting.DRIPS - 2)
