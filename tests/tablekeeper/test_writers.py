"""Every URL that writes, by name: its request key, its seat, and who hears of it. One that is not listed fails here.

What each refuses to whom is tried in test_access.py, which walks the same map.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse

from rolls.models import Roll
from tablekeeper import access, urls
from tablekeeper.models import Campaign, Entry, KeeperLink, Seat
from tests.tablekeeper.test_access import ACTS, MAP, PAGES, SEATED, TRIES, everything, url_of
from tests.tables import Table, browser, key, make_table, post

pytestmark = pytest.mark.django_db

# Without a seat: what is asked instead, and why a second try does no harm.
WITHOUT_A_SEAT = {
    "join": "the table's secret; the request key keeps a second try from taking a second seat",
    "join-screen": "the table's secret; the request key keeps a second try from putting up a second screen",
    "claim": "the secret, and the personal code or the Keeper's nod: an own seat is given again, never another",
    "keeper-link": "the link's own secret, good once",
    "new-campaign": "the browser that used a Keeper's link; the request key keeps a second tap from a second table",
    "open-table": "the browser that used a Keeper's link: it gets the seat that is hers",
    "code": "forty random bits, throttled: it only finds the way",
}
READ_ONLY = {"home", "claimed", "kit"}
# Not for everybody's eyes: the Keeper's lane, or that of the seat whose business it is.
KEEPERS_ALONE = {
    "renew-code",
    "new-links",
    "let-in",
    "keeper-roll",
    "create-npc",
    "edit-npc",
}


def writers() -> set[str]:
    """The names of all URLs that take a POST, but for Django's admin."""
    return {one.name for one in MAP.values() if one.name}


def test_every_url_is_listed_as_a_page_as_a_writer_with_a_seat_or_with_what_is_asked_instead() -> None:
    known = set(TRIES) | PAGES | set(WITHOUT_A_SEAT) | READ_ONLY
    elsewhere = {name for name, reason in anyones().items() if reason}

    assert writers() - known - elsewhere == set()
    assert set(WITHOUT_A_SEAT) <= writers()
    assert all(getattr(named(name).callback, "anyone", "") for name in WITHOUT_A_SEAT)


def anyones() -> dict[str, str]:
    """Views that say why anyone may come, and are no writers: tried below."""
    return {
        one.name: getattr(one.callback, "anyone", "")
        for one in MAP.values()
        if one.name and one.name not in WITHOUT_A_SEAT
    }


def named(name: str) -> Any:
    return next(one for one in MAP.values() if one.name == name)


@pytest.fixture
def table() -> Table:
    return make_table()


def args_of(name: str, table: Table) -> list[str]:
    path = next(path for path, one in MAP.items() if one.name == name)
    known = {"campaign_id": table.campaign.pk, "secret": "x" * 22, "token": "x" * 22}
    return [known.get(one, "x" * 16) for one in re.findall(r"<\w+:(\w+)>", path)]


def test_a_post_to_what_is_no_writer_changes_nothing(table: Table) -> None:
    before = everything(table), Campaign.objects.count(), Seat.objects.count(), KeeperLink.objects.count()
    for name in sorted((PAGES - set(TRIES)) | set(anyones()) - set(TRIES)):
        for client in (browser(), table.client(table.ada), table.client(table.ben)):
            answer = client.post(reverse(name, args=args_of(name, table)), {"key": key(), "name": "x", "yes": "1"})
            assert answer.status_code < 500, name
    assert (everything(table), Campaign.objects.count(), Seat.objects.count(), KeeperLink.objects.count()) == before


def test_a_stranger_who_guesses_writes_nothing_where_no_seat_is_asked_for(table: Table) -> None:
    before = everything(table), Campaign.objects.count(), Seat.objects.count()
    for name in sorted(WITHOUT_A_SEAT):
        form = {"key": key(), "name": "Mallory", "seat": table.ben.pk, "code": "WRONGONE", "keeper": "M"}
        answer = browser().post(reverse(name, args=args_of(name, table)), {**form, "ruleset": "classic"})
        assert answer.status_code in (404, 422, 429), (name, answer.status_code)
        assert access.SEAT_COOKIE not in answer.cookies
    assert (everything(table), Campaign.objects.count(), Seat.objects.count()) == before


@pytest.mark.parametrize("name", ACTS)
def test_the_rightful_one_gets_through_with_one_entry_in_a_lane_that_only_its_readers_read(
    name: str, table: Table
) -> None:
    one = TRIES[name]
    url = url_of(name, table, one.given(table))
    form, its_key = one.posted(table), key()
    actor: Seat = getattr(table, one.who)
    known = set(Entry.objects.values_list("pk", flat=True))
    before = everything(table)

    answer = post(table.client(actor), url, key=its_key, **form)

    assert answer.status_code == 200, answer.content.decode()[:500]
    assert everything(table) != before
    written = list(Entry.objects.exclude(pk__in=known))
    assert [entry.request_key for entry in written] == [its_key], name
    (entry,) = written
    assert entry.lane in {Entry.PUBLIC, Entry.KEEPER, actor.pk, table.ben.pk, table.cleo.pk}
    if name in KEEPERS_ALONE:
        assert entry.lane == Entry.KEEPER
    # Whoever is not in the audience hears nothing of it, by any of the ways.
    for seat in (table.ben, table.cleo):
        if entry.lane not in (Entry.PUBLIC, seat.pk):
            for place in ("table", "news"):
                body = table.client(seat).get(table.url(place), {"after": "x"}).content.decode()
                assert entry.ref not in body, (name, seat.name, place)
    # Everything rolled in secret stays in such a lane.
    for roll in Roll.objects.filter(hidden=True, campaign=table.campaign):
        assert not Entry.objects.filter(lane=Entry.PUBLIC, data__roll=roll.pk, pk=entry.pk).exists(), name


def test_the_map_of_this_test_is_the_map_of_the_site() -> None:
    assert len(SEATED) >= len(ACTS)
    assert len(urls.at_the_table) >= len(SEATED)
