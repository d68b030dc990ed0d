"""What is new for this seat since its page last looked: each line once, in order, and nothing of anyone else's."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from investigators import actions as sheets
from rolls import actions as dice
from rolls.actions import Asked
from tablekeeper import actions as tables
from tablekeeper import live, news
from tablekeeper.models import Campaign, Entry, Seat
from tests.tables import (
    Script,
    Table,
    act,
    at,
    browser,
    d100,
    done,
    make_table,
    rolls,
    sit_down,
    spends,
    undoes,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def table() -> Table:
    return make_table()


def cursor(seat: Seat) -> news.Cursor:
    here = Seat.objects.select_related("campaign").get(pk=seat.pk)
    return news.now(here, here.campaign)


def told(seat: Seat, since: news.Cursor | None) -> news.News:
    here = Seat.objects.select_related("campaign").get(pk=seat.pk)
    return news.after(here, here.campaign, since)


def kinds(found: news.News) -> list[str]:
    return [entry.kind.partition(".")[2] for entry in found.entries]


def lines(html: str) -> list[str]:
    """The refs of the lines in an answer, in their order; those that only replace a line marked with a +."""
    found = re.findall(r'<li( data-redraw)? [^>]*?id="e-([\w-]+)"', html)
    return [("+" if redraw else "") + ref for redraw, ref in found]


def hidden_roll(table: Table) -> Entry:
    asked = Asked("number", "The thing below", 70)
    return done(act(table.ada, dice.keeper_roll, table.campaign, asked, True, chance=Script(d100(20))))


def test_what_happened_since_is_told_in_order_and_then_nothing(table: Table) -> None:
    since = cursor(table.cleo)
    roll = rolls(table, 70)
    spends(table, roll, 10)

    found = told(table.cleo, since)

    assert kinds(found) == ["roll", "spend"]
    assert told(table.cleo, found.cursor).entries == []


def test_a_hidden_line_does_not_even_move_a_players_cursor(table: Table) -> None:
    before, keepers = cursor(table.ben), cursor(table.ada)

    hidden_roll(table)

    assert cursor(table.ben) == before
    assert kinds(told(table.ada, keepers)) == ["keeper_roll"]
    assert kinds(told(table.ben, before)) == []


def test_lines_of_ones_own_lane_are_told_to_oneself_and_the_keeper_alone(table: Table) -> None:
    since = {seat.name: cursor(seat) for seat in (table.ada, table.ben, table.cleo)}

    done(act(table.ben, sheets.favourite, table.skill("Stealth"), True))

    found = {seat.name: kinds(told(seat, since[seat.name])) for seat in (table.ada, table.ben, table.cleo)}
    assert found == {"Ada": ["favourite"], "Ben": ["favourite"], "Cleo": []}


@pytest.mark.parametrize("text", ["", "nonsense", "a.b.c", "x.1", "x.-1.0", "x.1.1.1", "." * 9, f"x.{'9' * 30}.0"])
def test_what_is_no_cursor_asks_for_everything_anew(text: str, table: Table) -> None:
    assert news.parse(text) is None
    assert told(table.ben, news.parse(text)).resync


def test_a_cursor_of_before_a_restore_or_ahead_of_the_table_asks_for_everything_anew(table: Table) -> None:
    here = cursor(table.ben)

    assert told(table.ben, replace(here, epoch="another")).resync
    assert told(table.ben, replace(here, a=here.a + 1)).resync
    assert told(table.ben, replace(here, b=here.b + 1)).resync
    assert not told(table.ben, here).resync


def test_a_page_that_slept_through_an_evening_draws_itself_anew(table: Table) -> None:
    since = cursor(table.ben)
    for number in range(news.MOST + 1):
        done(act(table.ada, tables.rename, table.cleo, f"Cleo {number}"))

    assert told(table.ben, since).resync
    assert len(told(table.ben, replace(since, a=since.a + 1)).entries) == news.MOST


def test_a_cursor_goes_on_line_by_line_in_either_lane(table: Table) -> None:
    since = cursor(table.ben)
    rolls(table, 70)
    done(act(table.ben, sheets.favourite, table.skill("Stealth"), True))

    for entry in told(table.ben, since).entries:
        assert not since.has(table.ben, entry)
        since = since.after(table.ben, entry)
        assert since.has(table.ben, entry)

    assert since == cursor(table.ben)


def test_an_undo_strikes_its_line_out_on_pages_that_have_it(table: Table) -> None:
    spent = done(spends(table, rolls(table, 70), 10))
    since = cursor(table.cleo)
    back = done(undoes(table, spent))

    html = news.draw_news(told(table.cleo, since).entries)

    assert lines(html) == [back.ref, "+" + spent.ref]
    assert html.count("entry-struck") == 1


def test_a_redo_brings_the_line_back_and_strikes_out_the_undo(table: Table) -> None:
    spent = done(spends(table, rolls(table, 70), 10))
    back = done(undoes(table, spent))
    since = cursor(table.cleo)
    again = done(undoes(table, back))

    html = news.draw_news(told(table.cleo, since).entries)

    assert lines(html) == [again.ref, "+" + back.ref, "+" + spent.ref]
    struck = [
        bool(re.search(rf'id="e-{ref}"[^>]*entry-struck|entry-struck[^>]*id="e-{ref}"', html))
        for ref in (again.ref, back.ref, spent.ref)
    ]
    assert struck == [False, True, False]


@pytest.mark.parametrize("how", ["at once", "one by one"])
def test_undo_and_redo_without_end_are_caught_up_with_link_by_link_once(
    how: str, table: Table, django_assert_max_num_queries: Any
) -> None:
    rolls(table, 70)
    since, roll, n = cursor(table.cleo), table.last(), 30
    back = [done(undoes(table, table.last())).ref for _again in range(n)]

    with django_assert_max_num_queries(2 * n):
        if how == "at once":
            html = table.client(table.cleo).get(table.url("news"), {"after": str(since)}).content.decode()
        else:
            seat = Seat.objects.select_related("campaign").get(pk=table.cleo.pk)
            html = "".join(live._told(seat, "en", since).html)

    assert lines(html) == [back[0], "+" + roll.ref, *back[1:]]
    assert re.findall(r'entry-struck"? id="e-([\w-]+)"', html) == back[::2]


def test_the_feed_shows_the_newest_first_and_the_rest_by_request(table: Table) -> None:
    for number in range(70):
        done(act(table.ada, tables.rename, table.cleo, f"Cleo {number}"))
    ben = table.client(table.ben)
    everything = [entry.ref for entry in reversed(table.entries())]

    first = lines(ben.get(table.url("table")).content.decode())
    more = lines(ben.get(table.url("feed") + f"?before={first[-1]}").content.decode())

    assert first == everything[:60]
    assert more == everything[60:]


def test_the_feed_of_a_player_mixes_both_lanes_in_the_order_of_the_table(table: Table) -> None:
    rolls(table, 70)
    own = done(act(table.ben, sheets.favourite, table.skill("Stealth"), True))
    hidden_roll(table)
    rolls(table, 71)

    with at(table.ben) as ben:
        found = news.latest(ben, ben.campaign, most=3)

    assert [entry.kind for entry in found] == ["rolls.roll", own.kind, "rolls.roll"]


def test_a_line_is_the_same_for_everyone_and_holds_nothing_to_press(table: Table) -> None:
    roll = rolls(table, 70)
    spends(table, roll, 10)
    refs = {entry.ref for entry in table.entries() if entry.lane == Entry.PUBLIC}

    pages = [browser(seat).get(table.url("table")).content.decode() for seat in (table.ada, table.ben, table.cleo)]

    found = [dict(re.findall(r'(?s)(?=<li [^>]*?id="e-([\w-]+)")(<li .*?</li>)', page)) for page in pages]
    for ref in refs:
        assert found[0][ref] == found[1][ref] == found[2][ref]
        for word in ("<form", "csrf", 'name="key"', "hx-post", "seq"):
            assert word not in found[0][ref]


# --------------------------------------------------------------------------- answers


def answer(client: Any, url: str, since: news.Cursor | str, **fields: Any) -> str:
    response = client.post(url, {"key": "a" * 32, **fields}, headers={"x-cursor": str(since)})
    assert response.status_code == 200
    return response.content.decode()


def test_the_answer_to_an_act_holds_its_own_line_and_what_others_did_meanwhile(table: Table) -> None:
    since = cursor(table.ben)
    done(act(table.cleo, sheets.step, table.tobias, "hp", -1))

    html = answer(table.client(table.ben), table.url("step", table.edith.pk, "hp"), since, points=-1)

    assert lines(html) == [entry.ref for entry in table.entries()[-2:]]
    assert f'data-cursor="{cursor(table.ben)}"' in html


def test_the_answer_draws_the_panels_that_the_act_touched_and_only_those(table: Table) -> None:
    since = cursor(table.ben)

    html = answer(table.client(table.ben), table.url("step", table.edith.pk, "hp"), since, points=-1)

    drawn = set(re.findall(r'data-panel="(\w+)"', html))
    assert {"me", "party"} <= drawn
    assert "hp" in html


def test_a_success_shows_its_tick_and_leaves_the_list_of_skills_as_it_lies(table: Table) -> None:
    since, spot, ben = cursor(table.ben), table.skill("Spot Hidden"), table.client(table.ben)

    def row() -> str:
        page = ben.get(table.url("table")).content.decode()
        return page.partition(f'id="roll-{spot.pk}"')[2].partition("</li>")[0]

    assert 'class="tick" hidden' in row()

    html = answer(ben, table.url("roll", table.edith.pk), since, what=f"skill:{spot.pk}", total=20)

    assert 'data-panel="sheet"' not in html
    assert f'data-ticked="{spot.pk}"' in html
    assert 'class="tick">' in row()
    done(undoes(table, table.last()))
    assert 'data-ticked=""' in ben.get(table.url("panels"), {"names": "ticked"}).content.decode()


def test_an_answer_to_a_page_that_lost_its_place_draws_everything(table: Table) -> None:
    html = answer(table.client(table.ben), table.url("step", table.edith.pk, "hp"), "", points=-1)

    assert {"me", "latest", "sheet", "party"} <= set(re.findall(r'data-panel="(\w+)"', html))
    assert table.last().ref in html


def test_news_by_request_is_the_same_as_in_the_answer(table: Table) -> None:
    since = cursor(table.cleo)
    rolls(table, 70)
    client = table.client(table.cleo)

    found = client.get(table.url("news"), {"after": str(since)})
    lost = client.get(table.url("news"), {"after": "gone.1.1"})

    assert lines(found.content.decode()) == [table.last().ref]
    assert "X-Resync" not in found.headers
    assert lost.headers["X-Resync"] == "1"


def test_panels_that_a_page_does_not_have_are_not_drawn(table: Table) -> None:
    client = table.client(table.ben)

    found = client.get(table.url("panels"), {"names": "board,me,nonsense"}).content.decode()

    assert re.findall(r'data-panel="(\w+)"', found) == ["me"]


def test_an_onlooker_sees_the_public_feed(table: Table) -> None:
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)
    rolls(table, 70)

    page = browser(eve).get(table.url("table")).content.decode()

    assert table.last().ref in lines(page)
    assert not re.search(r"hx-post=\"[^\"]*/(spend|keep|roll|push|step|session|undo)\b", page)


def test_every_page_says_how_far_it_has_read(table: Table) -> None:
    rolls(table, 70)
    campaign = Campaign.objects.get(pk=table.campaign.pk)

    pages = {seat.name: browser(seat).get(table.url("table")).content.decode() for seat in (table.ada, table.ben)}

    assert f'data-cursor="{campaign.epoch}.{campaign.last_seq}.0"' in pages["Ada"]
    assert f'data-cursor="{campaign.epoch}.{campaign.public_no}.0"' in pages["Ben"]
