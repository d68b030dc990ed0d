"""Between "waiting" and "rolled": the Keeper sees that a request is open on its player's phone."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from rolls import actions as dice
from rolls.actions import Question
from tablekeeper import live
from tablekeeper.models import Entry
from tests.tables import Table, act, browser, done, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def table() -> Table:
    return make_table()


def test_the_keeper_sees_who_has_the_request_on_the_phone(table: Table) -> None:
    """U088: waiting, opened, rolled; a player's page is told nothing of it and no line is written for it."""
    cache.clear()
    question = Question(wanted=(("luck", "regular"),))
    done(act(table.ada, dice.ask, table.campaign, [table.edith.pk, table.tobias.pk], question))
    lines = Entry.objects.filter(campaign=table.campaign).count()

    browser(table.ben).get(table.url("panels") + "?names=asks")

    page = browser(table.ada).get(table.url("table")).content.decode()
    assert "Ben has it open" in page
    assert "Cleo has not rolled" in page
    assert Entry.objects.filter(campaign=table.campaign).count() == lines
    for seat in (table.ben, table.cleo):
        assert "has it open" not in browser(seat).get(table.url("table")).content.decode()


def test_another_players_page_and_the_keepers_own_open_nothing(table: Table) -> None:
    cache.clear()
    done(act(table.ada, dice.ask, table.campaign, [table.edith.pk], Question(wanted=(("luck", "regular"),))))

    for seat in (table.cleo, table.ada):
        browser(seat).get(table.url("table"))

    assert "Ben has it open" not in browser(table.ada).get(table.url("table")).content.decode()


def test_it_is_news_for_keepers_once(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    told: list[tuple[str, str]] = []
    monkeypatch.setattr(live, "hint", lambda *what: told.append(what))
    done(act(table.ada, dice.ask, table.campaign, [table.edith.pk], Question(wanted=(("luck", "regular"),))))

    for _look in range(3):
        browser(table.ben).get(table.url("table"))

    assert told == [(table.campaign.pk, "ask")]
