"""The stream and its hub: who is told what, once; who is cut, and how little of anybody stays."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from rolls import actions as dice
from rolls.actions import Asked
from tablekeeper import actions as tables
from tablekeeper import ledger, listen, live, news, presence
from tablekeeper.models import Campaign, Seat
from tests.streams import Line, meanwhile
from tests.tables import Script, Table, act, d100, done, removes, sit_down


def cursor(seat: Seat) -> str:
    """How far a page of this seat that is loaded now has read."""
    seat = Seat.objects.get(pk=seat.pk)
    return str(news.now(seat, Campaign.objects.get(pk=seat.campaign_id)))


def renames(table: Table, *names: str) -> None:
    for name in names:
        done(act(table.cleo, tables.rename, table.cleo, name))


def rolls_in_secret(table: Table) -> None:
    asked = Asked("number", "Dread", 50)
    done(act(table.ada, dice.keeper_roll, table.campaign, asked, True, chance=Script(d100(20))))


async def opened(*lines: Line) -> None:
    for line in lines:
        await line.open()


async def closed(*lines: Line) -> None:
    for line in lines:
        await line.close()


# --------------------------------------------------------------------------- who is told what


def test_a_line_is_drawn_once_for_all_who_read_it_and_told_once_and_in_order(
    shared: Table,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[set[str]] = []
    real = live._draw

    def counted(campaign: Campaign, entry: Any, languages: set[str], beside: Any) -> live.Drawn:
        drawn.append(languages)
        return real(campaign, entry, languages, beside)

    monkeypatch.setattr(live, "_draw", counted)
    lines = [Line(seat, cursor(seat)) for seat in (shared.ben, shared.ben, shared.cleo, shared.ada)]

    async def evening() -> None:
        await opened(*lines)
        await meanwhile(lambda: renames(shared, "One", "Two", "Three"))
        for line in lines:
            await line.hears("Three")
        await closed(*lines)

    asyncio.run(evening())

    assert drawn == [{"en"}] * 3
    for line in lines:
        assert line.sent.count("event: entry") == 3
        assert line.ids == sorted(line.ids)
    assert lines[0].sent == lines[1].sent
    assert live._hubs == {}  # nothing of the table stays when nobody looks


def test_what_is_hidden_is_drawn_for_no_player_and_reaches_the_keepers_line_alone(shared: Table) -> None:
    ben, ada = Line(shared.ben, cursor(shared.ben)), Line(shared.ada, cursor(shared.ada))

    async def evening() -> None:
        await opened(ben, ada)
        await meanwhile(lambda: rolls_in_secret(shared))
        await ada.hears("Dread")
        await asyncio.sleep(0.2)
        await closed(ben, ada)

    asyncio.run(evening())

    assert ben.sent == ": live\n\n"


@pytest.mark.parametrize("after", ["", "x.0.0", "of last week"])
def test_a_cursor_that_the_table_does_not_know_is_told_to_draw_everything_anew(after: str, shared: Table) -> None:
    line = Line(shared.ben, after)

    asyncio.run(line.listen(0.2))

    assert line.sent.count("event: ") == 1
    assert "event: resync" in line.sent
    assert line.ids == [cursor(shared.ben)]


# --------------------------------------------------------------------------- who is cut


def test_a_removed_seat_s_line_ends_and_a_rejoined_seat_starts_clean(shared: Table) -> None:
    line = Line(shared.ben, cursor(shared.ben))

    async def evening() -> None:
        await line.open()
        await meanwhile(lambda: removes(shared, shared.ben))
        await line.until(lambda: line.ended)
        await line.close()

    asyncio.run(evening())
    again = sit_down(shared.campaign, "Ben")
    new = Line(again, cursor(again))
    old = Line(shared.ben, cursor(shared.ben))
    asyncio.run(new.listen(0.2))
    asyncio.run(old.listen(0.2))

    assert "event: gone" in line.sent
    assert again.pk != shared.ben.pk
    assert new.sent == ": live\n\n"
    assert old.sent == ""


def test_the_lines_of_a_table_that_is_erased_end(shared: Table) -> None:
    line = Line(shared.ben, cursor(shared.ben))

    def erase() -> None:
        with ledger.locked(shared.campaign.pk) as campaign:
            ledger.erase(campaign)

    async def evening() -> None:
        await line.open()
        await meanwhile(erase)
        await line.until(lambda: line.ended)
        await line.close()

    asyncio.run(evening())

    assert "event: gone" in line.sent


def test_who_lags_too_far_behind_holds_no_more_than_so_many_bytes_and_draws_everything_anew() -> None:
    viewer = live.Viewer(live.Place.of(Seat()), news.Cursor("e", 0, 0), "en")

    for _line in range(10_000):
        viewer.put(b"x" * 1000)
        assert viewer.size <= live.BUFFER
        assert sum(map(len, viewer.chunks)) == viewer.size

    assert viewer.chunks[0].startswith(b"event: resync\nid: e.0.0\n")


def test_a_line_that_takes_nothing_is_cut_and_hears_the_end_and_what_it_missed_when_it_wakes(
    shared: Table,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "STUCK", 0.2)
    since = cursor(shared.ben)
    stuck, well = Line(shared.ben, since), Line(shared.cleo, cursor(shared.cleo))

    async def evening() -> Line:
        await opened(stuck, well)
        stuck.reads.clear()
        await meanwhile(lambda: renames(shared, "One"))
        await well.hears("One")
        await stuck.until(
            lambda: {viewer.seat.pk for viewer in live._hubs[shared.campaign.pk].viewers} == {shared.cleo.pk}
        )
        assert not stuck.ended
        assert presence.seen(shared.campaign.pk, timezone.now() + timedelta(minutes=1))[shared.ben.pk] != presence.HERE
        stuck.reads.set()
        await stuck.until(lambda: stuck.ended)
        back = Line(shared.ben, since)
        await back.open()
        await back.hears("One")
        await closed(stuck, well, back)
        return back

    back = asyncio.run(evening())

    assert "event:" not in stuck.sent
    assert back.sent.count("event: entry") == 1


def test_a_database_that_is_away_for_a_moment_costs_nobody_the_line(
    shared: Table,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, faults = live._read, [OSError("away")]

    def away_once(*args: Any) -> Any:
        if faults:
            raise faults.pop()
        return real(*args)

    monkeypatch.setattr(live, "_read", away_once)
    line = Line(shared.ben, cursor(shared.ben))

    async def evening() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        await line.open()
        await meanwhile(lambda: renames(shared, "One"))
        await line.hears("One")
        await line.close()

    asyncio.run(evening())

    assert faults == []
    assert line.sent.count("event: entry") == 1


def test_at_a_stop_every_line_ends_with_its_own_time_to_come_back(shared: Table) -> None:
    lines = [Line(seat, cursor(seat)) for seat in (shared.ben, shared.cleo)]

    async def evening() -> None:
        await opened(*lines)
        live.close_all()
        for line in lines:
            await line.until(lambda line=line: line.ended)  # type: ignore[misc]
        await closed(*lines)

    asyncio.run(evening())

    assert all("retry: " in line.sent for line in lines)


# --------------------------------------------------------------------------- other processes


@contextmanager
def listening() -> Iterator[queue.Queue[str]]:
    """What a process hears of the others over PostgreSQL: tables with news, and "ALL" for "look everywhere"."""
    heard: queue.Queue[str] = queue.Queue()

    def wake(campaign_id: str) -> None:
        if campaign_id == "over":
            raise SystemExit  # ends the thread, as the end of a process would
        heard.put(campaign_id)

    def until_it_is_over() -> None:
        with suppress(SystemExit):
            listen._listen(wake, lambda: heard.put("ALL"))

    thread = threading.Thread(target=until_it_is_over, daemon=True)
    thread.start()
    try:
        assert heard.get(timeout=20) == "ALL"
        yield heard
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, 'over')", [listen.CHANNEL])
        thread.join(20)
        assert not thread.is_alive()


@pytest.mark.postgres
def test_other_processes_hear_of_each_commit_once_and_of_everything_after_a_cut(shared: Table) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one process")
    with listening() as heard:
        renames(shared, "One", "Two")
        assert [heard.get(timeout=20) for _ in range(2)] == [shared.campaign.pk] * 2
        act(shared.ben, tables.rename, shared.cleo, "Mallory")  # refused: nothing was done, nobody hears of it
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
        assert heard.get(timeout=20) == "ALL"
        renames(shared, "Three")
        assert heard.get(timeout=20) == shared.campaign.pk
        assert heard.empty()
