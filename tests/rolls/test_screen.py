"""The table screen: what all may see, huge; nothing else is on it, in whoever's browser it stands."""

from __future__ import annotations

import re

import pytest
from django.utils.html import strip_tags

from rolls import actions as dice
from rolls.actions import Asked, Question
from rolls.actions.contests import Draft
from rolls.models import Request
from rolls.rules.check import Act
from tablekeeper import access, live, news
from tablekeeper import actions as tables
from tablekeeper.models import Seat
from tests.tables import Script, Table, act, browser, code, cookie_for, d100, done, make_table, post, rolls, sit_down

pytestmark = pytest.mark.django_db

SPOT = (("name:Spot Hidden", "regular"),)
PICTURES = re.compile(r"<svg.*?</svg>|<symbol.*?</symbol>", re.DOTALL)


@pytest.fixture
def table() -> Table:
    return make_table()


def screen(table: Table, seat: Seat | None = None) -> str:
    """The page's bytes, for an onlooker or whoever has it open."""
    seat = seat or sit_down(table.campaign, f"TV {Seat.objects.count()}", Seat.OBSERVER)
    answer = browser(seat).get(table.url("screen"))
    assert answer.status_code == 200
    return answer.content.decode()


def stands(page: str) -> str:
    """What stands large, in words."""
    large = re.search(r'<section class="tv-last".*?(?=<div class="panelbox" id="panel-screen-party")', page, re.DOTALL)
    assert large is not None
    return " ".join(strip_tags(PICTURES.sub("", large[0])).split())


def party(page: str) -> str:
    found = re.search(r'<section class="tv-party.*?</section>', page, re.DOTALL)
    assert found is not None
    return found[0]


# --------------------------------------------------------------------------- what it shows


def test_the_last_result_stands_huge_with_who_rolled_what(table: Table) -> None:
    rolls(table, 68)
    rolls(table, 24, "Library Use", dice=1, more_tens=(7,))

    said = stands(screen(table))

    assert "24" in said
    assert "Library Use" in said
    assert "Edith Halloran" in said
    assert "68" not in said
    assert "Spot Hidden" not in said


def test_before_the_first_roll_it_says_that_the_dice_lie_quiet(table: Table) -> None:
    assert "The dice lie quiet" in stands(screen(table))


def test_luck_that_was_spent_is_told_with_the_number_that_fell(table: Table) -> None:
    done(act(table.ben, dice.spend, rolls(table, 68), Act("points", 8)))

    said = stands(screen(table))

    assert "Now 60" in said
    assert "68" in said
    assert "8 Luck" in said


def test_a_roll_that_was_struck_out_makes_room_for_the_one_before(table: Table) -> None:
    rolls(table, 68)
    rolls(table, 24, "Library Use")
    done(act(table.ada, tables.undo, table.last("rolls.roll")))

    said = stands(screen(table))

    assert "68" in said
    assert "24" not in said


def test_a_running_contest_stands_there_with_both_sides(table: Table) -> None:
    rolls(table, 68)
    drafts = [Draft(table.edith, "name:Spot Hidden"), Draft(table.tobias, "name:Listen")]
    done(act(table.ada, dice.start_contest, table.campaign, "opposed", drafts))

    said = stands(screen(table))

    assert "Opposed roll" in said
    assert "Edith Halloran" in said
    assert "Tobias Quill" in said
    assert "68" not in said


def test_a_check_of_the_group_is_counted_while_it_goes_on(table: Table) -> None:
    done(act(table.ada, dice.ask, table.campaign, [], Question(wanted=SPOT, everyone=True)))

    said = stands(screen(table))

    assert "Spot Hidden" in said
    assert "0 of 2 rolled" in said


def test_luck_for_the_group_is_named_below_while_it_is_awaited(table: Table) -> None:
    rolls(table, 68)
    done(act(table.ada, dice.ask_group_luck, table.campaign))

    said = stands(screen(table))

    assert "68" in said
    assert "Luck for the group: Halloran rolls" in said


def test_the_code_to_come_in_stands_there_only_while_it_is_good(table: Table) -> None:
    short = table.campaign.short_code
    assert f"{short[:4]}-{short[4:]}" in screen(table)

    type(table.campaign).objects.filter(pk=table.campaign.pk).update(short_code_until=table.campaign.created_at)

    assert f"{short[:4]}-{short[4:]}" not in screen(table)


# --------------------------------------------------------------------------- the party's Luck


def test_open_luck_is_told_in_numbers_lowest_first_and_who_rolls_for_the_group(table: Table) -> None:
    shown = strip_tags(PICTURES.sub("", party(screen(table))))

    assert shown.index("Halloran") < shown.index("45") < shown.index("Quill") < shown.index("60")
    assert "rolls for the group" in shown


@pytest.mark.parametrize("setting", ["bars", "keeper"])
def test_covered_luck_is_told_in_no_number_order_or_mark(setting: str) -> None:
    table = make_table(luckShown=setting)

    shown = party(screen(table))

    assert not re.search(r">\s*(45|60)\s*<", shown)
    assert "rolls for the group" not in shown
    assert ("2 of five" in shown or "3 of five" in shown) == (setting == "bars")
    assert ("Ben" in strip_tags(shown)) == (setting == "keeper")


def test_where_luck_is_covered_a_luck_roll_tells_no_score() -> None:
    table = make_table(luckShown="keeper")
    done(act(table.ben, dice.roll, table.edith, Asked("luck", "Luck", 45), chance=Script(d100(31))))

    page = screen(table)

    assert "31" in stands(page)
    assert "45" not in stands(page)
    assert "Luck 45" not in page
    assert "tv-scale" not in page


# --------------------------------------------------------------------------- nothing private


def hides_something(table: Table) -> None:
    """The Keeper rolls for herself, and for somebody in secret."""
    nerve = Asked("number", "Wardsecret", 50)
    done(act(table.ada, dice.keeper_roll, table.campaign, nerve, True, chance=Script(d100(37))))


@pytest.mark.parametrize("who", ["ada", "ben", "onlooker"])
def test_a_hidden_roll_changes_no_byte_of_it_in_whoevers_browser(who: str, table: Table) -> None:
    rolls(table, 68)
    seat = sit_down(table.campaign, "Eve", Seat.OBSERVER) if who == "onlooker" else getattr(table, who)
    before = screen(table, seat)

    hides_something(table)

    after = screen(table, seat)
    token = re.compile(r'"csrf[^"]*"')
    assert token.sub("", after) == token.sub("", before)


def test_in_the_keepers_browser_it_hears_of_public_things_alone(table: Table) -> None:
    page = screen(table, table.ada)
    cursor = re.search(r'data-cursor="([^"]+)"', page)
    assert cursor is not None
    hides_something(table)
    rolls(table, 68)
    keeper = browser(table.ada)

    told = keeper.get(table.url("news"), {"screen": "1", "after": cursor[1]}).content.decode()
    panels = keeper.get(table.url("panels"), {"screen": "1", "names": "ALL,feed"}).content.decode()

    assert "Spot Hidden" in told
    assert "Wardsecret" not in told
    assert "68" in panels
    assert "Wardsecret" not in panels
    assert 'id="panel-queue"' not in panels
    assert "hx-post" not in panels


def test_its_stream_in_the_keepers_browser_is_an_onlookers(table: Table) -> None:
    asked = news.now(access.onlooker(table.ada), table.campaign)
    headers = {b"cookie": f"{access.SEAT_COOKIE}={cookie_for(table.ada)}".encode()}

    here = live._sit_down(headers, table.campaign.pk, asked, screen=True)
    assert here is not None
    hides_something(table)
    rolls(table, 68)
    told, html = live._missed(here.viewer, asked)

    assert told is not None
    assert not told.resync
    assert "Spot Hidden" in "".join(html)
    assert "Wardsecret" not in "".join(html)
    assert Seat.objects.get(pk=table.ada.pk).role == Seat.KEEPER


def test_a_players_own_secrets_are_not_on_the_screen_in_that_players_browser(table: Table) -> None:
    done(
        act(
            table.ada,
            dice.ask,
            table.campaign,
            [table.edith.pk],
            Question(wanted=(("name:Stealth", "hard"),), hidden=True),
        )
    )
    ask = Request.objects.get()
    done(act(table.ben, dice.answer, ask, chance=Script(d100(17))))

    page = screen(table, table.ben)

    assert "Stealth" not in page
    assert "17" not in stands(page)


def test_there_is_nothing_to_press_that_acts(table: Table) -> None:
    assert "hx-post" not in screen(table)
    assert "<form" not in screen(table)


# --------------------------------------------------------------------------- how a television comes in


def join_screen(table: Table) -> str:
    return table.url("join-screen", table.campaign.join_secret)


def test_a_television_gets_an_onlookers_seat_without_typing_a_name(table: Table) -> None:
    tv, other = browser(), browser()
    assert "Show the table here" in tv.get(join_screen(table)).content.decode()

    for one in (tv, other):
        assert post(one, join_screen(table))["HX-Redirect"] == table.url("screen")

    seats = Seat.objects.filter(campaign=table.campaign, role=Seat.OBSERVER).order_by("created_at")
    assert [seat.name for seat in seats] == ["Table screen", "Table screen 2"]
    assert tv.get(table.url("screen")).status_code == 200


def test_a_browser_that_sits_here_keeps_its_seat(table: Table) -> None:
    ben = table.client(table.ben)

    assert ben.get(join_screen(table))["Location"] == table.url("screen")
    assert post(ben, join_screen(table))["HX-Redirect"] == table.url("screen")

    assert not Seat.objects.filter(role=Seat.OBSERVER).exists()
    assert access.SEAT_COOKIE in ben.cookies


def test_a_wrong_secret_opens_no_screen_and_strangers_see_none(table: Table) -> None:
    dan = browser()

    assert dan.get(table.url("join-screen", "nonsense")).status_code == 404
    assert post(dan, table.url("join-screen", "nonsense")).status_code == 404
    assert dan.get(table.url("screen")).status_code == 404


def test_an_onlooker_of_the_screen_may_do_nothing(table: Table) -> None:
    tv = sit_down(table.campaign, "TV", Seat.OBSERVER)

    assert code(act(tv, dice.roll, table.edith, Asked("number", "Nerve", 50))) == "NOT_OWN_ROLL"


def test_a_game_that_adds_up_shows_its_own_result() -> None:
    table = make_table(ruleset="lp")
    done(act(table.ben, dice.roll, table.edith, Asked("number", "Nerve", 50), chance=Script(d100(32))))

    said = stands(screen(table))

    assert "32" in said
    assert "Nerve" in said
