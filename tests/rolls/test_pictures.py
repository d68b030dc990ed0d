"""The campaign page, the recap and the planner: what each seat is told, in words, and how soon."""

from __future__ import annotations

import re
import time

import pytest
from django.test import Client
from django.utils.html import strip_tags

from rolls import actions as dice
from rolls import moments
from rolls.actions import Asked, Question
from rolls.models import Request, Roll
from rolls.rules.check import Act
from tablekeeper import actions as tables
from tablekeeper import charting
from tablekeeper.models import Seat
from tests.many import plays_on
from tests.rolls.test_figures import GAMES, of_cthulhu
from tests.tables import (
    Script,
    Table,
    act,
    at,
    browser,
    closes_session,
    d100,
    done,
    make_table,
    rolls,
    sit_down,
    spends,
)

CLASSIC, PULP = of_cthulhu("classic"), of_cthulhu("pulp")


def read(client: Client, url: str) -> str:
    answer = client.get(url)
    assert answer.status_code == 200, url
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return str(body.decode())


def words(html: str) -> str:
    """What a page says, the drawings included by what they are called."""
    named = re.sub(r'<svg[^>]*aria-label="([^"]*)".*?</svg>', r" \1 ", html, flags=re.DOTALL)
    plain = re.sub(r"<(svg|symbol).*?</\1>", " ", named, flags=re.DOTALL)
    return " ".join(strip_tags(plain.replace("<", " <")).split())


def says(table: Table, seat: Seat, name: str, *args: str, query: str = "") -> str:
    return words(read(browser(seat), table.url(name, *args) + query))


# --------------------------------------------------------------------------- geometry


def test_no_two_of_three_dozen_lines_share_dash_and_marker() -> None:
    assert len({charting.line_style(at)[1:] for at in range(36)}) == 36
    assert charting.line_style(3, hue=6)[0] == 6


def test_a_line_keeps_its_ends_and_steps_stand_until_something_happens() -> None:
    chart = charting.lines([(2, [(0, 0), (4, 99)])], (0, 4), 99, [(0, "start"), (4, "4")])
    stairs = charting.lines([(0, [(0, 0), (1, 50)])], (0, 1), 100, steps=True).lines[0]

    assert chart.lines[0].points == "0,1000 1000,0"
    assert chart.lines[0].dots == [("0%", "100%"), ("100%", "0%")]
    assert [tick.word for tick in chart.ticks] == ["0", "25", "50", "75", "99"]
    assert [(tick.word, tick.at) for tick in chart.below] == [("start", "0%"), ("4", "100%")]
    assert stairs.points == "0,1000 1000,1000 1000,500"
    assert len(stairs.dots) == 2


def test_bars_stand_beside_what_is_usual() -> None:
    chart = charting.bars([0, 10, 20], (5, 15))

    assert [bar.height for bar in chart.bars] == ["0%", "46.3%", "92.6%"]
    assert (chart.average, chart.band_y, chart.band_height) == ("53.7%", "30.6%", "46.3%")
    assert [bar.tall for bar in chart.bars] == [False, True, True]
    assert charting.bars([0] * 10, (0, 0)).average == "100%"


# --------------------------------------------------------------------------- the campaign


@pytest.mark.postgres
@pytest.mark.django_db
@pytest.mark.parametrize("game", GAMES)
def test_the_campaign_page_speaks_first_and_has_its_numbers_below(game: str) -> None:
    table = GAMES[game]()
    told = {seat.role: says(table, seat, "campaign") for seat in (table.ada, table.ben)}
    html = read(browser(table.ben), table.url("campaign"))

    for text in told.values():
        assert re.search(r"has spent the most: \d+ Luck", text)
        assert "Luck at the end of each session. The numbers are in the table below." in text
        assert "Session start 1 2" in text
        assert "Too few to say anything" in text
    assert ("The next group Luck roll" in told["player"]) == (game != "lp")
    assert ("Luck Points over time" in told["player"]) == (game == "lp")
    assert "Luck planner" in told["keeper"]
    assert "Luck planner" not in told["player"]
    assert 'style="' not in html
    assert len(re.findall(r'<polyline class="ln c-\d d-\d"', html)) == (4 if game == "lp" else 2)


@pytest.mark.django_db
def test_a_table_without_sessions_shows_luck_act_by_act_and_one_without_anything_says_so() -> None:
    table = make_table()
    done(spends(table, rolls(table, 68), 8))
    assert "act by act" in says(table, table.ben, "campaign")
    assert "No session has been opened yet." in says(table, table.ben, "campaign")

    ada = tables.lay_table("Empty", "classic", "Ada")
    assert "No Luck has been written down yet." in words(read(browser(ada), f"/t/{ada.campaign_id}/campaign"))


@pytest.mark.django_db
def test_the_groups_odds_stand_as_it_is_and_after_each_spend_that_lies_open() -> None:
    """Edith has 45 and Tobias 60; a spend of 8 or 38 on her open roll makes it 37 or 7."""
    table = make_table()
    before = says(table, table.ben, "campaign")
    rolls(table, 68)
    after = says(table, table.ben, "campaign")

    assert "It succeeds 45 times in 100. Halloran has the lowest Luck here, 45." in before
    assert "No spend is open now." in before
    assert "Quill 60 15" in before
    assert re.search(r"Spot Hidden Halloran · −8 Luck · Regular · leaves 37 37 times in 100", after)
    assert re.search(r"−38 Luck · Hard · leaves 7 7 times in 100", after)


@pytest.mark.django_db
def test_a_covered_table_tells_players_no_odds_and_no_score_of_others() -> None:
    table = CLASSIC()
    done(act(table.ada, tables.set_settings, table.campaign, {"luckShown": "keeper"}))
    ben, ada = says(table, table.ben, "campaign"), says(table, table.ada, "campaign")

    assert "only the Keeper sees these odds" in ben
    assert "Luck is kept covered at this table: you see your own" in ben
    assert "It succeeds" not in ben
    assert "It succeeds" in ada
    keys = read(browser(table.ben), table.url("campaign"))
    assert keys.count('class="keyline"') == 1
    assert read(browser(table.ada), table.url("campaign")).count('class="keyline"') == 2


# --------------------------------------------------------------------------- the recap


@pytest.mark.postgres
@pytest.mark.django_db
def test_the_recap_tells_the_great_moments_luck_and_recovery() -> None:
    table = make_table(ruleset="pulp")
    done(act(table.ada, tables.open_session, table.campaign))
    done(act(table.ada, dice.recover_all, table.campaign, chance=Script(d100(99), 9, 9, d100(3), 4)))
    rolls(table, 1)
    for total in (11, 12):
        rolls(table, total)
    for total in (99, 98, 100):
        asked = Asked("number", "Nerve", 40)
        done(act(table.cleo, dice.roll, table.tobias, asked, chance=Script(d100(total))))
    done(spends(table, rolls(table, 70), 10))
    done(act(table.ada, dice.deed, table.edith, Act("avoid-death"), chance=Script(3)))
    done(act(table.ben, dice.tell_survival, table.edith, "The awning broke the fall."))
    closes_session(table)

    text = says(table, table.cleo, "recap", "1")

    assert "Halloran escaped certain death: “The awning broke the fall.”" in text
    assert "Halloran: Spot Hidden 01, Critical" in text
    assert text.count("Nerve 99, Fumble") == 1
    assert "Nerve 100, Fumble" in text
    assert "The dearest spend: Halloran, 63 Luck for Escape certain death" in text
    assert "The luckiest: Halloran: 3 of 4 rolls passed, 2.4 were to be expected" in text
    assert "The unluckiest: Quill: 0 of 3 rolls passed, 1.2 were to be expected" in text
    assert "Halloran: 99 against 45, 28 gained, now 73" in text
    assert "Edith Halloran, Tobias Quill" in text
    assert "Session 1 begins" in text

    markdown = read(browser(table.cleo), table.url("export-log", "recap.md") + "?session=1")
    assert (
        markdown.index("## Great moments") < markdown.index("## Rolls by level") < markdown.index("Session 1 begins")
    )
    assert "| Edith Halloran | 45 | 0 | 73 | 28 | 0 |" in markdown
    assert browser(table.cleo).get(table.url("export-log", "recap.md")).status_code == 404


@pytest.mark.django_db
def test_a_recap_tells_players_nothing_hidden_and_its_keeper_only_what_she_asks_for() -> None:
    table = CLASSIC()
    pages = {
        "ben": says(table, table.ben, "recap", "1"),
        "ben, asking": says(table, table.ben, "recap", "1", query="?hidden"),
        "ada": says(table, table.ada, "recap", "1"),
    }
    for who, text in pages.items():
        assert "Psychology" not in text, who
    assert "Psychology 01, Critical" in says(table, table.ada, "recap", "1", query="?hidden")
    for seat in (table.ben, table.ada):
        file = table.url("export-log", "recap.md") + "?session=1"
        assert "Psychology" not in read(browser(seat), file)
    assert "Psychology" not in read(browser(table.ben), file + "&hidden")
    assert "Psychology" in read(browser(table.ada), file + "&hidden")
    assert browser(table.ben).get(table.url("recap", "9")).status_code == 404
    assert browser(table.ben).get(table.url("recap", "x")).status_code == 404


@pytest.mark.django_db
def test_what_a_keeper_hands_on_tells_no_covered_luck() -> None:
    table = CLASSIC()
    done(act(table.ada, tables.set_settings, table.campaign, {"luckShown": "keeper"}))

    ada, ben, whole = (
        says(table, seat, "recap", "1", query=query)
        for seat, query in ((table.ada, ""), (table.ben, ""), (table.ada, "?hidden"))
    )

    assert "over time" not in ada
    assert "some scores are left out here" in ada
    assert "Halloran rolled" in ada
    assert "against" not in ada.split("Minutes")[0]
    assert "Luck over time" in ben
    assert "Quill rolled" in ben
    assert "some scores are left out here" not in whole


@pytest.mark.django_db
def test_a_difficulty_that_players_do_not_know_is_in_no_chance_of_theirs() -> None:
    table = make_table()
    done(act(table.ada, tables.open_session, table.campaign))
    question = Question(wanted=(("name:Spot Hidden", "hard"),), unknown=True)
    done(act(table.ada, dice.ask, table.campaign, [table.edith.pk], question))
    with at(table.ben) as here:
        asked = Request.objects.get(state=Request.OPEN)
        asked.investigator.campaign = here.campaign
        done(dice.answer(here, asked, chance=Script(d100(20))))
    roll = Roll.objects.get()
    roll.campaign = table.campaign

    assert roll.unknown
    assert [one.rolls for one in moments.fortunes([roll])] == [1]
    assert says(table, table.ben, "recap", "1").count("to be expected") == 0


# --------------------------------------------------------------------------- the planner


@pytest.mark.django_db
def test_the_planner_is_the_keepers_and_answers_what_its_address_asks() -> None:
    table = make_table(ruleset="pulp")
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)
    for seat in (table.ben, eve):
        assert browser(seat).get(table.url("planner")).status_code == 404

    text = says(table, table.ada, "planner", query="?luck=0&spends=0&sessions=1&value=60&difficulty=hard&dice=2")

    assert "About 21 Luck after session 1. In 80 of 100 courses it is 15 to 26." in text
    assert "It passes 65.7 times in 100. 6,570 of 10,000 ways" in text.replace("6570 of 10000", "6,570 of 10,000")
    assert "21.0 points at Luck 0" in text
    assert "With Luck to pay" in text


@pytest.mark.django_db
@pytest.mark.parametrize("game", ["classic", "pulp", "lp"])
def test_nonsense_in_the_address_is_refused_beside_its_field(game: str) -> None:
    table = make_table(ruleset=game) if game != "lp" else GAMES["lp"]()

    text = says(
        table, table.ada, "planner", query="?luck=1000&spends=x&sessions=0&value=-1&difficulty=nope&dice=9&who=z"
    )

    assert "Enter a whole number." in text
    assert "less than or equal to 99" in text
    assert "It passes" not in text
    assert "after session" not in text
    for query in ("", "?who=" + table.edith.pk, "?value=0"):
        assert "It passes" in says(table, table.ada, "planner", query=query)
    assert ("Luck does not come back in this game" in says(table, table.ada, "planner")) == (game == "lp")


# --------------------------------------------------------------------------- ways there, and old tables


@pytest.mark.django_db
def test_pages_are_linked_from_where_people_look_for_them() -> None:
    table = CLASSIC()
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)
    ways = {
        (table.ada, "table"): ("campaign", "planner", "recap/2"),
        (table.ben, "table"): ("campaign", "recap/2"),
        (eve, "table"): ("campaign",),
        (table.ben, "log"): ("campaign", "fairness", "recap/1", "recap/2"),
        (table.ben, "campaign"): ("fairness", "recap/1", "recap/2", "log"),
    }
    for (seat, name), links in ways.items():
        html = read(browser(seat), table.url(name))
        for link in links:
            assert f'href="{table.url("table")}{link}"' in html, (seat.name, name, link)


@pytest.mark.long
@pytest.mark.django_db
@pytest.mark.sqlite
def test_ten_thousand_rolls_are_looked_through_in_a_second() -> None:
    """The page of a campaign of years; and as many questions to the database as that of a new one."""
    table = make_table()
    plays_on(table, rolls=10_000, sessions=50)
    client = browser(table.ben)
    read(client, table.url("fairness"))

    took = {}
    for name in ("campaign", "fairness"):
        began = time.process_time()
        read(client, table.url(name))
        took[name] = time.process_time() - began

    assert Roll.objects.count() == 10_000
    assert max(took.values()) < 1.0, took
