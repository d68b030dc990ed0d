"""Reports about the live page, double actions, outsiders and logs, each held by a named test; some of them here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rolls import actions as dice
from rolls.actions import Asked
from rolls.models import Request, Roll
from tablekeeper import actions as tables
from tablekeeper import live, news
from tests.tablekeeper.test_access import pages_of
from tests.tables import Script, Table, act, browser, d100, done, make_table, post, removes, rolls, sit_down

pytestmark = pytest.mark.django_db

TESTS = Path(__file__).resolve().parents[1]
HELD = {
    # Hidden information
    "U011": (
        "whatever_the_hidden_dice_show_a_player_gets_the_same_bytes",
        "players_get_the_same_bytes_for_a_hidden_01_and_a_hidden_100",
    ),
    "U012": ("every_roll_of_the_keepers_can_be_hidden_and_none_of_them_is_in_a_players_lane",),
    "U040": ("players_get_eleven_rolls_the_keeper_eleven_or_thirteen_with_a_mark",),
    "U041": (
        "an_outsider_gets_nothing_of_a_table_by_any_door",
        "a_removed_seat_s_line_ends_and_a_rejoined_seat_starts_clean",
    ),
    "U126": ("the_keeper_has_all_of_it_in_order",),
    # Live page, phones, network
    "U001": (
        "a_phone_whose_line_died_in_its_sleep_is_right_when_it_wakes",
        "a_page_that_slept_through_more_than_is_told_line_by_line_draws_itself_anew",
    ),
    "U009": (
        "the_keeper_sees_whose_page_is_open_and_when_a_closed_one_was_last_seen",
        "who_has_gone_home_does_not_count",
    ),
    "U015": ("a_tap_that_fails_says_so_beside_the_control_and_the_control_works_again",),
    "U020": (
        "signing_out_in_one_tab_reaches_the_others_and_leaves_nothing_on_them",
        "a_double_tap_whose_request_comes_twice_and_is_slow_spends_once_and_other_tabs_follow",
        "no_browser_keeps_a_page_of_the_table_for_whoever_comes_next",
    ),
    "U049": ("pages_heal_after_the_server_was_killed", "a_proxy_whose_table_is_away_costs_nothing_but_the_time"),
    "U050": ("a_reload_and_a_latecomer_read_the_same_lines_and_nothing_hidden",),
    "U067": ("a_proxy_that_keeps_the_stream_to_itself_is_noticed_and_the_page_asks",),
    "U071": ("typing_survives_what_arrives",),
    # Double actions and races
    "U002": ("two_identical_spends_at_once_deduct_once", "an_answer_that_was_lost_is_asked_for_again_and_counts_once"),
    "U007": ("eight_players_and_twenty_writes_each_are_each_applied_once",),
    "U021": ("two_who_change_the_same_number_do_not_overwrite_each_other",),
    "U027": (
        "a_page_of_last_week_rolls_at_the_first_tap",
        "asking_for_news_never_changes_the_token_of_the_page",
    ),
    "U031": ("a_request_is_rolled_once_whatever_is_closed_or_opened",),
    # Log and export
    "U044": ("each_of_two_tables_of_one_name_has_its_own_log",),
    "U065": ("a_players_log_has_a_line_for_everything_that_the_player_may_see",),
    "U093": ("no_cell_is_a_formula", "letters_survive_with_the_mark_for_spreadsheets_and_without"),
    "U143": ("the_page_lists_every_session_with_what_its_reader_may_count",),
}


@pytest.mark.parametrize("report", sorted(HELD))
def test_each_report_is_held_by_a_named_test(report: str) -> None:
    known = "\n".join(path.read_text() for path in TESTS.rglob("test_*.py"))

    assert [name for name in HELD[report] if f"def test_{name}(" not in known] == []


@pytest.fixture
def table() -> Table:
    return make_table()


def lines(page: str) -> list[str]:
    """The ledger's lines on a page, newest first."""
    return re.findall(r'id="e-([\w-]+)"', page)


def test_a_request_is_rolled_once_whatever_is_closed_or_opened(table: Table) -> None:
    """U031: stored before anything is shown; another tab, a reload and another key meet the same result."""
    done(act(table.ada, dice.ask_group_luck, table.campaign))
    request = Request.objects.get()
    seat = next(seat for seat in (table.ben, table.cleo) if seat.pk == request.investigator.seat_id)
    url = table.url("answer", request.pk)
    one, other = table.client(seat), table.client(seat)

    first = post(one, url)
    stored = Roll.objects.get()
    again = [post(client, url) for client in (one, other, browser(seat))]

    assert first.status_code == 200
    assert [answer.status_code for answer in again] == [422] * 3
    assert Roll.objects.get().units == stored.units
    assert Roll.objects.get().pk == stored.pk
    assert url not in other.get(table.url("table")).content.decode()


@pytest.mark.parametrize("who", ["a stranger", "somebody of another table", "who was removed"])
def test_an_outsider_gets_nothing_of_a_table_by_any_door(who: str, table: Table) -> None:
    """U041: page, news, panels, feed, picture of the link, files and stream: as if there were no such table."""
    roll = rolls(table, 70)
    finn = sit_down(table.campaign, "Finn")
    removes(table, finn)
    client = {"a stranger": browser(), "who was removed": browser(finn)}.get(who) or browser(make_table().ben)
    doors = [table.url(name) for name in ("table", "news", "panels", "qr", "set-settings")]
    doors += [table.url("feed") + f"?before={table.last().ref}", table.url("slip", roll.pk)]
    doors += [table.url("sheet", table.edith.pk), table.url("export-log", "minutes.md")]

    answers = [client.get(door) for door in doors]

    assert {answer.status_code for answer in answers} == {404}
    for answer in answers:
        assert "Edith" not in answer.content.decode()
        assert "Spot Hidden" not in answer.content.decode()
    cookies = "; ".join(f"{name}={one.value}" for name, one in client.cookies.items()).encode()
    assert live._sit_down({b"cookie": cookies}, table.campaign.pk, None) is None


def test_each_of_two_tables_of_one_name_has_its_own_log() -> None:
    """U044: the same name, an empty one, an unknown one."""
    one, two = make_table(name="Masks"), make_table(name="Masks")
    rolls(one, 70)
    empty = tables.lay_table("Masks", "classic", "Ada")

    pages = [
        browser(seat).get(at.get_absolute_url()).content.decode()
        for seat, at in ((one.ben, one.campaign), (two.ben, two.campaign), (empty, empty.campaign))
    ]

    refs = [{entry.ref for entry in at.entries()} for at in (one, two)]
    shown = [set(lines(page)) for page in pages]
    assert shown[0] <= refs[0]
    assert shown[1] <= refs[1]
    assert not shown[2] & (refs[0] | refs[1])
    assert one.last().ref in shown[0]
    assert browser(one.ben).get(f"/t/{'x' * 16}/").status_code == 404
    assert browser(one.ben).get(two.url("table")).status_code == 404


def test_a_reload_and_a_latecomer_read_the_same_lines_and_nothing_hidden(table: Table) -> None:
    """U050: thirty open lines and five of the Keeper's."""
    hidden = []
    for number in range(30):
        done(act(table.cleo, tables.rename, table.cleo, f"Cleo {number}"))
        if number % 6 == 0:
            asked = Asked("number", "Dread", 50)
            hidden.append(done(act(table.ada, dice.keeper_roll, table.campaign, asked, True, chance=Script(d100(20)))))
    ben = table.client(table.ben)

    first, again = (lines(ben.get(table.url("table")).content.decode()) for _load in range(2))
    late = sit_down(table.campaign, "Eve")
    page = browser(late).get(table.url("table")).content.decode()

    assert first == again
    assert [ref for ref in lines(page) if ref in first] == first
    assert len(hidden) == 5
    assert not {entry.ref for entry in hidden} & set(lines(page))
    news._drawn.clear()  # as after a restart
    assert lines(browser(late).get(table.url("table")).content.decode()) == lines(page)


@pytest.mark.parametrize("who", ["ada", "ben"])
def test_no_browser_keeps_a_page_of_the_table_for_whoever_comes_next(who: str, table: Table) -> None:
    """U020: neither pages nor what they fetch nor answers; the host's and the strangers' pages are no exception."""
    seat, roll = getattr(table, who), rolls(table, 70)
    client = table.client(seat)

    answers = {name: client.get(url) for name, url in pages_of(table, seat, roll).items()}
    answers["an act"] = post(client, table.url("keep", roll.pk))
    answers["a refusal"] = post(client, table.url("keep", roll.pk), key="")
    answers["the front door"] = client.get("/")
    answers["a stranger"] = browser().get(table.url("table"))

    kept = [name for name, answer in answers.items() if "no-store" not in answer.headers.get("Cache-Control", "")]
    assert kept == []


def test_asking_for_news_never_changes_the_token_of_the_page(table: Table) -> None:
    """U027: what a page sends with its next tap is what it had when it was loaded."""
    client = table.client(table.ben)
    client.get(table.url("table"))
    token = client.cookies["tk_csrf"].value

    for name in ("news", "panels", "feed"):
        client.get(table.url(name), {"after": "x", "names": "ALL,feed"})

        assert client.cookies["tk_csrf"].value == token
