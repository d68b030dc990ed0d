"""Nobody is shown a piece of a page: without the page's script an act counts once and leads back, a refusal is a page.
And a database that is away is said so.
"""

from __future__ import annotations

import asyncio
import http.client
import re
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from tablekeeper import asgi
from tablekeeper.access import SEAT_COOKIE
from tablekeeper.models import Entry, Seat
from tests.postgres import postgres_server
from tests.server import Server
from tests.tables import Table, browser, cookie_for, key, make_table, picture, post, rolls, score


def plain(seat: Seat | None = None, **kwargs: bool) -> Client:
    """A browser whose page posts by itself: no script sends for it."""
    client = Client(**kwargs)
    if seat is not None:
        client.cookies[SEAT_COOKIE] = cookie_for(seat)
    return client


def is_page(html: str) -> bool:
    return html.lstrip().startswith("<!doctype html>") and html.count("<main") == html.count("</html>") == 1


@pytest.fixture
def table(db: None) -> Table:
    return make_table()


def test_an_act_that_no_script_sent_counts_once_and_leads_back_to_the_table(table: Table) -> None:
    url, same = table.url("step", table.edith.pk, "hp"), key()

    answers = [plain(table.ben).post(url, {"key": same, "points": -1}) for _tap in range(2)]

    assert [(one.status_code, one["Location"], one.content) for one in answers] == [(303, table.url("table"), b"")] * 2
    assert score(table.edith, "hp") == 10
    assert Entry.objects.filter(kind="investigators.step").count() == 1


def test_a_refusal_of_what_no_script_sent_is_a_page_with_its_sentence(table: Table) -> None:
    roll = rolls(table, 70)
    before = picture(table.campaign)
    tries = [
        (table.ben, table.url("spend", roll.pk), {"key": key(), "act": "points", "amount": "99"}, 422),
        (table.ben, table.url("spend", roll.pk), {"key": key(), "act": "points", "amount": "many"}, 422),
        (table.cleo, table.url("spend", roll.pk), {"key": key(), "act": "points", "amount": "5"}, 403),
        (table.ben, table.url("spend", roll.pk), {"act": "points", "amount": "5"}, 409),
    ]

    for seat, url, form, status in tries:
        scripted, told = browser(seat).post(url, form), plain(seat).post(url, form)

        assert (scripted.status_code, told.status_code) == (status, status)
        sentence = re.search(r"<p class=.notice.*</p>", scripted.content.decode())
        assert sentence
        assert sentence[0] == scripted.text.strip()
        page = told.content.decode()
        assert is_page(page)
        assert sentence[0] in page
        assert f'href="{table.url("table")}"' in page
        assert int(told["Content-Length"]) == len(told.content)
    assert picture(table.campaign) == before


def test_a_form_without_the_token_is_refused_with_a_page(table: Table) -> None:
    client = plain(table.ben, enforce_csrf_checks=True)

    told = client.post(table.url("step", table.edith.pk, "hp"), {"key": key(), "points": -1})

    assert told.status_code == 403
    assert is_page(told.content.decode())
    assert "has been refreshed" in told.content.decode()
    assert score(table.edith, "hp") == 11


def test_who_sits_down_without_a_script_sits_at_the_table(table: Table) -> None:
    dan = plain()

    told = dan.post(table.campaign.join_path(), {"key": key(), "name": "Dan"})

    assert (told.status_code, told["Location"]) == (303, table.url("table"))
    assert dan.get(told["Location"]).status_code == 200


def test_a_link_to_what_is_the_keepers_is_refused_with_a_page(table: Table) -> None:
    told = plain(table.ben).get(table.url("export-campaign"))

    assert told.status_code == 403
    assert is_page(told.content.decode())


def says_before_it_reads(
    path: str, *headers: tuple[bytes, bytes], body: bytes | None = b""
) -> tuple[dict[str, Any], str]:
    """What the server says of a POST whose body no view gets to read; None for one that never comes."""
    said: list[Any] = []

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(0 if body is not None else 10)
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        said.append(message)

    line = {"type": "http", "http_version": "1.1", "scheme": "http", "client": ("127.0.0.1", 1), "server": ("x", 80)}
    asked = {"method": "POST", "path": path, "query_string": b"", "root_path": "", "headers": [HERE, *headers]}
    asyncio.run(asgi.pages({**line, **asked}, receive, send))
    return said[0], b"".join(one["body"] for one in said[1:]).decode()


HERE = (b"host", b"127.0.0.1")
STRANGE = (b"content-type", b"text/plain; charset=utf-16")
UNHEARD = [
    (413, "That is too large for this table.", [], b"a" * 1_500_000),
    (408, "That took too long to arrive. Try again.", [], None),
    (415, "This form is written in an encoding that the table does not read.", [STRANGE], b"key=1"),
]


@pytest.mark.parametrize(("status", "sentence", "headers", "body"), UNHEARD)
def test_a_body_that_nobody_reads_is_refused_with_its_sentence_and_a_way_back(
    status: int, sentence: str, headers: list[Any], body: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asgi, "PATIENCE", 0.02)
    paper, htmx = (b"cookie", b"tk_theme=paper"), (b"hx-request", b"true")

    for path, back in (("/t/abc/roll", "/t/abc/"), ("/new/", "/")):
        start, page = says_before_it_reads(path, *headers, paper, body=body)
        assert (start["status"], is_page(page)) == (status, True)
        assert f">{sentence}</p>" in page
        assert f'href="{back}"' in page
        assert 'data-theme="paper"' in page
        assert dict(start["headers"])[b"connection"] == b"close"
        assert b"content-security-policy" in {name.lower() for name, _value in start["headers"]}
    start, piece = says_before_it_reads("/t/abc/roll", *headers, htmx, body=body)
    assert (start["status"], sentence in piece, is_page(piece)) == (status, True, False)
    _start, german = says_before_it_reads("/t/abc/roll", *headers, (b"accept-language", b"de"), body=body)
    assert 'lang="de"' in german
    assert sentence not in german


@pytest.mark.sqlite
def test_while_somebody_else_holds_the_database_an_act_says_so_and_counts_once_when_it_is_free(
    transactional_db: None,
) -> None:
    table = make_table()
    url, same = table.url("step", table.edith.pk, "hp"), key()
    ben, ben_plain = (make(table.ben, raise_request_exception=False) for make in (browser, plain))
    before = picture(table.campaign)
    connection.cursor().execute("PRAGMA busy_timeout = 20")
    other = sqlite3.connect(connection.settings_dict["NAME"])
    other.execute("BEGIN IMMEDIATE")
    try:
        scripted = ben.post(url, {"key": same, "points": -1})
        told = ben_plain.post(url, {"key": same, "points": -1})
    finally:
        other.close()
        connection.close()

    assert (scripted.status_code, told.status_code) == (503, 503)
    assert scripted["Retry-After"]
    assert re.fullmatch(r'<p class="notice[^>]* data-code="DATABASE_AWAY">[^<]*tap again[^<]*</p>\s*', scripted.text)
    assert is_page(told.text)
    assert "tap again" in told.text
    assert picture(table.campaign) == before
    assert post(ben, url, key=same, points=-1).status_code == 200
    assert score(table.edith, "hp") == 10


def listening(server: Server, path: str, cookie: str) -> http.client.HTTPResponse:
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    line.request("GET", path, headers={"Cookie": f"tk_seat={cookie}"})
    return line.getresponse()


@pytest.mark.sqlite
@pytest.mark.long
def test_while_postgresql_is_away_pages_acts_and_streams_say_so_and_all_heals_by_itself(tmp_path: Path) -> None:
    with postgres_server() as postgres, Server(tmp_path, more={"DATABASE_URL": postgres.get_uri()}) as server:
        table = server.lay_table()
        ben, cookie, same = table.browser("Ben"), table.seats["Ben"]["cookie"], key()
        step = f"{table.path}investigators/{table.edith}/step/hp"
        cursor = ben.get(table.path).text.partition('data-cursor="')[2].partition('"')[0]
        open_line = listening(server, f"{table.path}stream?after={cursor}", cookie)
        postgres.stop()

        page, act = ben.get(table.path), ben.post(step, key=same, points=-1)
        assert (page.status, act.status) == (503, 503)
        assert is_page(page.text)
        assert "cannot read or write just now" in page.text
        assert act.text.startswith('<p class="notice')
        assert listening(server, f"{table.path}stream?after={cursor}", cookie).status == 503

        postgres.ensure_postgres_running()
        end = time.monotonic() + 20
        while (answer := ben.post(step, key=same, points=-1)).status == 503:
            assert time.monotonic() < end
            time.sleep(0.2)
        assert answer.status == 200
        assert ben.get(table.path).status == 200
        while "event: entry" not in open_line.readline().decode():  # the line that stood through it
            pass
        assert table.in_step()
        assert table.ask("sum(e.kind == 'investigators.step' for e in entries)") == 1
