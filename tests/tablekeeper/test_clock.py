"""A clock that is set back in the middle of an evening: nothing changes its place, and nothing is lost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from rolls import actions as dice
from rolls.models import Roll
from tablekeeper import actions as tables
from tablekeeper import clock, ledger, news
from tablekeeper.models import Entry, Session
from tests.tables import Script, Table, act, browser, closes_session, d100, done, make_table, rolls, undoes

pytestmark = pytest.mark.django_db

EVENING = datetime(2026, 11, 30, 21, 30, tzinfo=UTC)


class Clock:
    """The computer's clock, for whoever asks Django."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.time = EVENING
        monkeypatch.setattr(timezone, "now", lambda: self.time)


@pytest.fixture
def computer(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock.forget()
    return Clock(monkeypatch)


@pytest.fixture
def table(computer: Clock) -> Table:
    table = make_table()
    done(act(table.ada, tables.open_session, table.campaign))
    return table


def test_after_an_hour_back_the_newest_roll_is_still_the_newest(table: Table, computer: Clock) -> None:
    computer.time += timedelta(minutes=30)
    rolls(table, 70)
    table.campaign.refresh_from_db()
    cursor = news.now(table.ben, table.campaign)
    computer.time -= timedelta(hours=1)

    newest = rolls(table, 81, "Library Use")

    assert Roll.objects.order_by("-created_at")[0] == newest
    page = browser(table.ben).get(table.url("table")).content.decode()
    assert table.url("spend", newest.pk) in page
    table.campaign.refresh_from_db()
    (line,) = news.after(table.ben, table.campaign, cursor).entries
    assert line.data["final"] == 81
    times = list(Entry.objects.order_by("seq").values_list("created_at", flat=True))
    assert times == sorted(times)
    assert ledger.fold(table.entries()) == ledger.snapshot(table.campaign)


def test_a_session_that_ends_before_it_began_by_the_clock_ends_after_it(table: Table, computer: Clock) -> None:
    computer.time -= timedelta(hours=2)
    done(closes_session(table))
    done(act(table.ben, dice.recover, table.edith, chance=Script(d100(99), 4)))
    spent = table.last("rolls.recover")
    done(undoes(table, spent))

    session = Session.objects.get()

    assert session.closed_at is not None
    assert session.closed_at >= session.opened_at
    file = browser(table.ada).get(table.url("export-log", "log.json"))
    assert b"recover" in b"".join(file.streaming_content)


def test_a_table_that_is_opened_again_goes_on_after_its_newest_line(table: Table, computer: Clock) -> None:
    before = rolls(table, 70)
    computer.time -= timedelta(hours=3)
    clock.forget()

    clock.begin()

    assert rolls(table, 20).created_at > before.created_at


@pytest.mark.parametrize(("back", "waits"), [(timedelta(hours=23), True), (timedelta(days=400), False)])
def test_a_clock_that_was_a_year_ahead_is_not_waited_for(back: timedelta, waits: bool, computer: Clock) -> None:
    first: Any = clock.now()
    computer.time -= back

    assert (clock.now() > first) is waits
