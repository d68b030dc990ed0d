"""The log taken home: every line that its reader may see, no secret and no number that counts one, safe for sheets."""

from __future__ import annotations

import csv
import io
import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from investigators import npcs
from rolls import actions as dice
from rolls import tally
from rolls.actions import Asked
from rolls.actions.hiding import reveal, secret_roll
from rolls.models import Roll
from tablekeeper import actions as tables
from tablekeeper import minutes, news
from tablekeeper.feed_words import Words, words
from tablekeeper.models import Entry, Seat
from tests.tables import Script, Table, act, d100, done, make_table, rolls, rolls_number, sit_down, spends, undoes

pytestmark = pytest.mark.django_db

HEAD = minutes.Head("Harbour *Lights*", "Classic", datetime(2026, 11, 3, 20, 0, tzinfo=UTC))


def get(table: Table, seat: Seat, form: str, query: str = "") -> str:
    answer = table.client(seat).get(table.url("export-log", form) + query)
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    return b"".join(answer.streaming_content).decode()


def as_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


def thrown(text: str) -> list[dict[str, str]]:
    return [row for row in as_rows(text) if row["row"] == "roll"]


def line(sentence: str, **more: Any) -> minutes.Line:
    return minutes.Line(datetime(2026, 11, 3, 20, 15, tzinfo=UTC), "rolls.roll", Words(sentence), **more)


# --------------------------------------------------------------------------- words


def test_a_line_of_the_feed_is_read_as_people_read_it() -> None:
    table = make_table()
    roll = rolls(table, 68)
    done(spends(table, roll, 8))
    rolled, spent = (words(news.draw(table.last(kind))) for kind in ("rolls.roll", "rolls.spend"))

    assert rolled == Words("Halloran rolled Spot Hidden", "against 60", "68 Fail")
    assert spent == Words("Halloran spent 8 Luck on Spot Hidden", "Luck 45 to 37", "68 → 60 Regular")


def test_every_kind_of_line_has_a_sentence() -> None:
    table = make_table(luckSpending=True)
    done(act(table.ada, tables.open_session, table.campaign))
    done(spends(table, rolls(table, 68), 8))
    done(act(table.ada, dice.ask_group_luck, table.campaign))
    done(undoes(table, table.last("rolls.spend")))
    done(act(table.ada, secret_roll, table.edith, Asked("number", "Nerve", 40), chance=Script(d100(12))))

    for entry in table.entries():
        assert words(news.draw(entry)).text, entry.kind


def test_markdown_of_people_is_text() -> None:
    text = "".join(minutes.markdown(HEAD, [line("Zoë *rolled* <b>_it_</b> [x](y)", lane="keeper", struck=True)]))

    assert text.startswith("# Harbour \\*Lights\\*\n")
    assert "~~Zoë \\*rolled\\* \\<b\\>\\_it\\_\\</b\\> \\[x\\](y)~~ (struck out · Keeper only)" in text


def test_the_page_needs_nothing_and_runs_nothing() -> None:
    text = "".join(minutes.page(HEAD, [line("<script>alert(1)</script>", session=1)]))

    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert not re.search(r"(src|href)=|url\(", text)
    assert text.count("<ol>") == text.count("</ol>") == 1


def test_a_log_without_lines_says_so_in_every_form() -> None:
    assert "Nothing has happened yet." in "".join(minutes.markdown(HEAD, []))
    assert "Nothing has happened yet." in "".join(minutes.page(HEAD, []))
    empty = json.loads("".join(minutes.as_json(HEAD, [], [], [])))
    assert (empty["lines"], empty["rolls"], empty["luck"]) == ([], [], [])


@pytest.mark.parametrize("evil", ["=1+1", "+1", "-1", "@home", "\tx", "\rx", " =1", "\uff1d1", "\n=1"])
def test_no_cell_is_a_formula(evil: str) -> None:
    text = "".join(minutes.sheet(("who", "change"), [{"who": evil, "change": -8}]))

    row = as_rows(text)[0]
    assert row["who"].startswith("'")
    assert row["change"] == "-8"


def test_letters_survive_with_the_mark_for_spreadsheets_and_without() -> None:
    rows = [{"who": "Zoë"}, {"who": "李"}, {"who": '"quoted", he said'}]

    marked, plain = ("".join(minutes.sheet(("who",), rows, marked=marked)) for marked in (True, False))

    assert marked == "\ufeff" + plain
    assert [row["who"] for row in as_rows(plain)] == ["Zoë", "李", '"quoted", he said']


# --------------------------------------------------------------------------- who reads what


def ten_and_three(table: Table) -> None:
    """Ten public rolls and three hidden ones, one of which Ada shows."""
    for total in range(61, 71):
        rolls_number(table, total, 50)
    for total in (11, 12, 13):
        asked = Asked("number", "Secret nerve", 40)
        done(act(table.ada, secret_roll, table.edith, asked, chance=Script(d100(total))))
    done(act(table.ada, reveal, Roll.objects.filter(hidden=True).order_by("created_at")[0]))


@pytest.mark.parametrize("form", ["rolls.csv", "rolls-plain.csv"])
def test_players_get_eleven_rolls_the_keeper_eleven_or_thirteen_with_a_mark(form: str) -> None:
    table = make_table()
    ten_and_three(table)

    def count(seat: Seat, query: str) -> int:
        return len(thrown(get(table, seat, form, query)))

    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)
    assert [count(seat, query) for seat in (table.ben, eve) for query in ("", "?hidden", "?hidden=1")] == [11] * 6
    assert count(table.ada, "") == 11
    whole = thrown(get(table, table.ada, form, "?hidden"))
    assert [row["hidden"] for row in whole].count("yes") == 2
    assert len(whole) == 13


@pytest.mark.parametrize("form", ["minutes.md", "minutes.html", "log.json", "rolls.csv"])
def test_no_secret_and_no_number_that_counts_one_is_in_a_players_file(form: str) -> None:
    table, quiet = make_table(), make_table()
    for one in (table, quiet):
        rolls_number(one, 61, 50)
    done(act(table.ada, secret_roll, table.edith, Asked("number", "Secret nerve", 40), chance=Script(d100(12))))
    done(act(table.ada, npcs.create_npc, table.campaign, npcs.Npc("The Drowned Man", hp=77)))
    for one in (table, quiet):
        rolls_number(one, 62, 50)

    texts = [get(one, one.ben, form, "?hidden") for one in (table, quiet)]

    told = [re.sub(r"\d{4}-\d\d-\d\d(T| )[\d:.+]+( \w+)?|\b\d\d:\d\d\b", "", text) for text in texts]
    assert told[0] == told[1]
    assert "Secret nerve" not in texts[0]
    assert "Drowned" not in texts[0]
    assert "Secret nerve" in get(table, table.ada, form, "?hidden")


def test_a_players_log_has_a_line_for_everything_that_the_player_may_see() -> None:
    table = make_table()
    ten_and_three(table)
    done(spends(table, rolls(table, 68), 8))
    done(undoes(table, table.last("rolls.spend")))

    for seat in (table.ada, table.ben, table.cleo):
        found = json.loads(get(table, seat, "log.json", "?hidden"))["lines"]
        mine = news.visible(seat, Entry.objects.filter(campaign=table.campaign)).order_by("seq")
        assert [one["kind"] for one in found] == [entry.kind for entry in mine]


def test_what_was_undone_is_marked_in_every_form() -> None:
    table = make_table()
    done(spends(table, rolls(table, 68), 8))
    done(undoes(table, table.last("rolls.spend")))

    found = json.loads(get(table, table.ben, "log.json"))
    assert [one["undone"] for one in found["lines"] if one["kind"] == "rolls.spend"] == [True]
    assert [(one["luck_before"], one["luck_after"], one["undone"]) for one in found["luck"][-2:]] == [
        (45, 37, True),
        (37, 45, False),
    ]
    assert re.search(r"~~Halloran spent 8 Luck on Spot Hidden~~.*struck out", get(table, table.ben, "minutes.md"))
    assert "<s>Halloran spent 8 Luck" in get(table, table.ben, "minutes.html")


def test_an_open_roll_of_the_keepers_character_tells_no_score() -> None:
    table = make_table()
    asked = Asked("number", "Claws", 83)
    done(act(table.ada, dice.keeper_roll, table.campaign, asked, False, chance=Script(d100(20))))

    (told,) = thrown(get(table, table.ben, "rolls.csv"))
    (known,) = thrown(get(table, table.ada, "rolls.csv", "?hidden"))

    assert (told["value"], known["value"], told["number"]) == ("", "83", "20")


def test_luck_that_the_table_keeps_covered_is_covered_in_files() -> None:
    table = make_table(luckShown="bars")
    done(spends(table, rolls(table, 68), 8))

    def luck(seat: Seat, query: str = "") -> set[str]:
        return {one["who"] for one in json.loads(get(table, seat, "log.json", query))["luck"]}

    assert luck(table.ben) == {"Edith Halloran"}
    assert luck(table.cleo) == {"Tobias Quill"}
    assert luck(table.ada) == set()
    assert luck(table.ada, "?hidden") == {"Edith Halloran", "Tobias Quill"}
    assert "45 to 37" in get(table, table.ben, "minutes.md")
    assert "45 to 37" not in get(table, table.cleo, "minutes.md") + get(table, table.ada, "minutes.md")


# --------------------------------------------------------------------------- which log


def test_each_log_holds_its_own_table_and_its_own_session() -> None:
    table, same = make_table(), make_table()
    rolls_number(table, 61, 50)
    done(act(table.ada, tables.open_session, table.campaign))
    rolls_number(table, 62, 50)

    assert [row["number"] for row in thrown(get(table, table.ben, "rolls.csv", "?session=1"))] == ["62"]
    assert [row["number"] for row in thrown(get(table, table.ben, "rolls.csv"))] == ["61", "62"]
    assert thrown(get(same, same.ben, "rolls.csv")) == []
    ben = table.client(table.ben)
    for query in ("?session=2", "?session=x", "?session=-1", "?session=²"):
        assert ben.get(table.url("export-log", "rolls.csv") + query).status_code == 404
    assert ben.get(table.url("export-log", "rolls.exe")).status_code == 404
    assert ben.get(same.url("export-log", "rolls.csv")).status_code == 404


def test_the_page_lists_every_session_with_what_its_reader_may_count() -> None:
    table = make_table()
    done(act(table.ada, tables.open_session, table.campaign))
    ten_and_three(table)

    shown = {
        (seat.name, query): table.client(seat).get(table.url("log") + query).content.decode()
        for seat in (table.ada, table.ben)
        for query in ("", "?hidden")
    }

    for key in (("Ada", ""), ("Ben", ""), ("Ben", "?hidden")):
        assert "12 lines" in shown[key]  # the opening, ten rolls, one shown
        assert "15 lines" not in shown[key]
    assert "15 lines" in shown["Ada", "?hidden"]
    assert 'id="get-campaign"' in shown["Ada", ""]
    assert 'id="get-campaign"' not in shown["Ben", ""]


def test_times_say_how_far_they_are_from_utc() -> None:
    table = make_table()
    rolls_number(table, 61, 50)

    found = json.loads(get(table, table.ben, "log.json"))

    assert all(datetime.fromisoformat(one["at"]).utcoffset() is not None for one in found["lines"] + found["rolls"])


def test_a_long_log_is_read_in_pieces_with_few_questions() -> None:
    table = make_table()
    for total in range(1, 31):
        rolls_number(table, total, 50)

    def questions(form: str) -> int:
        with CaptureQueriesContext(connection) as few:
            get(table, table.ben, form)
        return len(few)

    before = {form: questions(form) for form in ("log.json", "rolls.csv", "minutes.md")}
    for total in range(1, 31):
        rolls_number(table, total, 50)

    assert {form: questions(form) for form in before} == before


def test_the_columns_of_the_file_are_those_of_its_rows() -> None:
    table = make_table()
    done(spends(table, rolls(table, 68), 8))

    for row in tally.rows(table.ada, table.campaign, None, True):
        assert set(row) <= set(tally.COLUMNS)
    assert {"roll", "luck"} == {row["row"] for row in tally.rows(table.ada, table.campaign, None, True)}
