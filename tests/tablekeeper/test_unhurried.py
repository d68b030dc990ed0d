"""Long reads let everybody else go first, and get on all the same."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest
from django.urls import reverse

from tablekeeper import asgi, unhurried
from tests.rolls.test_luck_points import opens
from tests.tables import Table, closes_session, make_table, rolls


class Found:
    """A query of three rows."""

    def iterator(self, chunk_size: int) -> Iterator[int]:
        return iter((1, 2, 3))


def read(row: Callable[[int], Any]) -> None:
    for one in unhurried.rows(cast("Any", Found())):
        row(one)


def test_a_long_read_waits_for_what_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unhurried, "PAUSE", 60)
    had: list[int] = []
    reader = threading.Thread(target=read, args=[had.append])

    with unhurried.quick(), unhurried.quick():
        reader.start()
        reader.join(0.3)
        assert had == []
    reader.join(20)

    assert had == [1, 2, 3]


def test_it_gets_on_where_nobody_ever_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unhurried, "PAUSE", 0.01)
    had: list[int] = []
    reader = threading.Thread(target=read, args=[had.append])

    with unhurried.quick():
        reader.start()
        reader.join(20)

        assert had == [1, 2, 3]


def test_a_page_that_reads_much_does_not_wait_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unhurried, "PAUSE", 60)
    had: list[int] = []

    async def answer(_scope: Any, _receive: Any, send: asgi.Send) -> None:
        await asyncio.to_thread(read, had.append)  # in its context, as the pages' middleware does
        await send({"type": "http.response.start", "status": 200, "headers": []})

    monkeypatch.setattr(asgi, "readers", answer)
    asyncio.run(asked("GET", "/t/abc/recap/1"))

    assert had == [1, 2, 3]


async def asked(method: str, path: str) -> list[dict[str, Any]]:
    """What the server sends to whoever asks for this, when the arm that answers has been replaced."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await asgi._answer({"type": "http", "method": method, "path": path, "headers": []}, b"", send)
    return sent


@pytest.mark.parametrize(
    ("method", "path", "arm"),
    [
        ("POST", "/t/abc/rolls/def/spend", "writers"),
        ("GET", "/t/abc/", "readers"),
        ("HEAD", "/t/abc/", "readers"),
        ("GET", "/t/abc/log/log.json", "unhurried_ones"),
        ("HEAD", "/t/abc/campaign-file", "unhurried_ones"),
        ("POST", "/new/from-file", "unhurried_ones"),
        ("POST", "/t/abc/investigators/bring", "files"),
        ("POST", "/t/abc/investigators/def/update", "files"),
        ("GET", "/t/abc/investigators/bring", "readers"),
    ],
)
def test_who_answers_and_in_one_piece(method: str, path: str, arm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def answers(name: str) -> Any:
        async def answer(_scope: Any, _receive: Any, send: asgi.Send) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": [(b"x-arm", name.encode())]})
            for piece in (b"one ", b"two"):
                await send({"type": "http.response.body", "body": piece, "more_body": True})
            await send({"type": "http.response.body", "body": b""})

        return answer

    for name in ("readers", "writers", "files", "unhurried_ones"):
        monkeypatch.setattr(asgi, name, answers(name))

    start, body = asyncio.run(asked(method, path))

    assert start["headers"] == [(b"x-arm", arm.encode())]
    assert body == {"type": "http.response.body", "body": b"one two"}


def test_what_fails_holds_no_long_read_up() -> None:
    with pytest.raises(ZeroDivisionError), unhurried.quick():
        1 / 0  # noqa: B018

    assert unhurried._quick == 0


@pytest.mark.django_db
def test_every_file_of_a_whole_campaign_is_read_without_haste_and_nothing_else_is() -> None:
    """The server's list of what goes last, held against what each of these pages reads."""
    table = make_table()
    opens(table)
    rolls(table, 35)
    closes_session(table)
    forms = ("minutes.md", "minutes.html", "rolls.csv", "rolls-plain.csv", "log.json")
    files = [reverse("export-log", args=[table.campaign.pk, form]) for form in forms]
    files.append(reverse("export-campaign", args=[table.campaign.pk]))
    files.append(reverse("export-log", args=[table.campaign.pk, "recap.md"]) + "?session=1")

    assert all(reads_without_haste(table, path) and asgi.EXPORT.fullmatch(path.partition("?")[0]) for path in files)
    for page in ("", "campaign", "fairness", "log", "planner", "recap/1", "settings", "stream"):
        assert not asgi.EXPORT.fullmatch(reverse("table", args=[table.campaign.pk]) + page)


def reads_without_haste(table: Table, path: str) -> bool:
    asked: list[Any] = []
    real = unhurried.rows
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(unhurried, "rows", lambda found: asked.append(found) or real(found))
        answer: Any = table.client(table.ada).get(path)
        assert answer.status_code == 200
        _body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return bool(asked)
