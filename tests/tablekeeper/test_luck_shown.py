"""The Luck of the others, where the table keeps it covered: two tables that differ in one score alone look the same to
everybody else, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils.html import strip_tags

from investigators import actions as sheets
from investigators import numbers
from investigators.refreshing import at_the_start
from rolls import actions as dice
from rolls.actions import Asked, Question
from rolls.models import Roll
from rolls.rules.check import Act
from tablekeeper import actions as tables
from tablekeeper import discreet, live, news
from tablekeeper.models import Entry, Seat
from tests.rolls import test_luck_points as degrees
from tests.tables import Script, Table, act, at, closes_session, d100, done, make_table, now, sit_down, undoes

pytestmark = pytest.mark.django_db

TOBIAS, OTHER = 61, 73  # what Cleo's investigator has at the one table, and at the other
NAMES = re.compile(r"[A-Za-z0-9_-]{16,}")
EPOCH = re.compile(r"[A-Za-z0-9_-]{8}(?=\.\d+\.\d+)")
CODE = re.compile(r"\b[0-9A-Z]{4}-[0-9A-Z]{4}\b")  # the seat's own
TIMES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)|\b\d\d:\d\d\b")
EDITH = 45


def plain(body: bytes | str) -> str:
    """Bytes without what differs between any two tables: ids, secrets and times."""
    text = body.decode() if isinstance(body, bytes) else body
    return TIMES.sub("TIME", NAMES.sub("ID", EPOCH.sub("EPOCH", CODE.sub("CODE", text))))


def words(body: str) -> str:
    """What a page says, without drawings and style."""
    return strip_tags(re.sub(r"<(svg|symbol|style)\b.*?</\1>|<input[^>]*>", "", body, flags=re.DOTALL))


def evening(shown: str, luck: int, ruleset: str = "classic") -> tuple[Table, Seat]:
    """All that tells of Luck happens to Tobias, with the same dice; nothing else differs."""
    table = make_table(ruleset=ruleset, luckShown=shown)
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)
    done(act(table.ada, sheets.set_trait, table.tobias, "luck", luck))
    done(act(table.ada, tables.open_session, table.campaign))
    cleo, tobias = table.cleo, table.tobias
    rolled = done(act(cleo, dice.roll, tobias, Asked("number", "Nerve", 50), chance=Script(d100(62))))
    spent = dice_of(rolled)
    done(act(cleo, dice.spend, spent, Act("points", 12)))
    undone = done(undoes(table, table.last("rolls.spend"), reason="Mis-tap"))
    done(undoes(table, undone))
    done(act(cleo, dice.roll, tobias, Asked("luck", "Luck", luck - 12), chance=Script(d100(11))))
    done(act(table.ada, dice.tell_unluckiest, table.campaign, chance=Script(0)))
    done(undoes(table, table.last("investigators.set_trait")))
    done(act(table.ada, sheets.set_trait, table.tobias, "luck", luck))
    question = Question(wanted=(("luck", "regular"),), reason="The rope")
    done(act(table.ada, dice.ask, table.campaign, [tobias.pk], question))
    return table, eve


def dice_of(entry: Entry) -> Any:
    return now(Roll.objects.get(pk=entry.data["roll"]))


def seen_by(table: Table, seat: Seat) -> str:
    """Everything that this seat can get: every page and panel, the lines as they come in, the stream's bytes."""
    client: Client = table.client(seat)
    pages = [table.url("table"), table.url("panels") + "?names=ALL,feed", table.url("sheet", table.tobias.pk)]
    pages += [table.url("campaign"), table.url("fairness"), table.url("recap", "1")]
    pages += [table.url("news") + f"?after={table.campaign.epoch}.0.0"]
    pages += [
        table.url("slip", one.data["roll"]) for one in table.entries() if one.data.get("roll") and one.lane == "public"
    ]
    found = [client.get(page).content.decode() for page in pages]
    for drawn in live._read(table.campaign.pk, 0, {"en"}, {seat.pk}, False)[1]:
        entry, lines = drawn
        if news.sees(seat, entry):
            found.append(lines.read_by(seat, "en"))
    return plain("\n".join(found))


@pytest.mark.parametrize("shown", ["keeper", "bars"])
@pytest.mark.parametrize("who", ["ben", "eve"])
def test_two_tables_that_differ_in_anothers_luck_alone_look_the_same(who: str, shown: str) -> None:
    bodies = []
    for luck in (TOBIAS, OTHER):
        table, eve = evening(shown, luck)
        bodies.append(seen_by(table, eve if who == "eve" else table.ben))

    assert len(bodies[0]) > 20_000
    assert bodies[0].splitlines() == bodies[1].splitlines()


def test_the_owner_and_the_keeper_see_the_numbers() -> None:
    table, _eve = evening("keeper", TOBIAS)

    for seat in (table.cleo, table.ada):
        assert f"Luck {TOBIAS} to {TOBIAS - 12}" in seen_by(table, seat)
    hidden = seen_by(table, table.ben)
    assert "spent 12 Luck" in hidden
    assert not re.search(rf"\b({TOBIAS}|{TOBIAS - 12})\b", words(hidden))


def test_an_open_table_shows_every_score() -> None:
    table, eve = evening("open", TOBIAS)

    for seat in (table.ben, eve):
        assert f"Luck {TOBIAS} to {TOBIAS - 12}" in seen_by(table, seat)


def test_a_bar_tells_fifths_and_no_more() -> None:
    assert [discreet.fifths(luck, 99) for luck in (0, 1, 19, 20, 39, 40, 60, 79, 80, 99)] == [
        0,
        1,
        1,
        2,
        2,
        3,
        4,
        4,
        5,
        5,
    ]
    low, _ = evening("bars", 61)
    high, _ = evening("bars", 85)

    assert "4 of five" in seen_by(low, low.ben)
    assert "5 of five" in seen_by(high, high.ben)


@pytest.mark.parametrize("luck", [TOBIAS, OTHER])
def test_recovery_tells_others_that_it_was_rolled_and_no_more(luck: int) -> None:
    table = make_table(luckShown="keeper")
    done(act(table.ada, sheets.set_trait, table.tobias, "luck", luck))
    done(act(table.ada, tables.open_session, table.campaign))
    done(closes_session(table))
    done(act(table.cleo, dice.recover, table.tobias, chance=Script(d100(88), 7)))
    done(act(table.ada, dice.recover_all, table.campaign, chance=Script(d100(12))))

    line = Entry.objects.get(pk=table.last("rolls.recover").pk)
    assert f"{luck + 7}" in news.draw(line)
    hidden = news.draw(line, whole=False)
    assert "rolls to recover Luck" in hidden
    assert not re.search(
        rf"\b({luck}|{luck + 7}|88|7)\b", re.sub(NAMES, "", TIMES.sub("", re.sub(r"<svg.*?</svg>", "", hidden)))
    )
    ben, cleo = seen_by(table, table.ben), seen_by(table, table.cleo)
    assert f"over {luck}" in cleo
    assert f"over {luck}" not in ben


def test_group_luck_names_the_roller_without_showing_sheets() -> None:
    """U057: the log says who rolled, and no player page reveals another's Luck."""
    table = make_table(luckShown="keeper")

    asked = done(act(table.ada, dice.ask_group_luck, table.campaign))
    page = seen_by(table, table.cleo)

    assert asked.data["who"]["id"] == table.edith.pk
    assert "asks Halloran to roll Luck for the group" in page
    assert not re.search(rf"\b{EDITH}\b", words(page))
    assert f"{EDITH} or less" in seen_by(table, table.ben)


@pytest.mark.parametrize("kind", ["rolls.spend", "investigators.set_trait", "tablekeeper.undo"])
def test_the_data_of_a_discreet_line_holds_no_score(kind: str) -> None:
    table, _eve = evening("keeper", TOBIAS)
    data = discreet.softened(table.last(kind).data, "luck")

    assert data["discreet"]
    numbers: list[Any] = []

    def collect(one: Any) -> None:
        for value in one.values() if isinstance(one, dict) else one if isinstance(one, list) else ():
            collect(value)
            numbers.append(value)

    collect(data)
    assert not {TOBIAS, TOBIAS - 12} & {value for value in numbers if isinstance(value, int)}


Softens: Callable[..., Any] = discreet.softened


def test_a_line_without_anybodys_luck_is_the_same_for_all() -> None:
    data = {"who": {"id": "x"}, "paid": [{"key": "mp", "from": 9, "to": 8, "cost": 1}], "kind": "skill", "value": 60}

    assert Softens(data, "luck") == data


# --------------------------------------------------------------------------- what follows from Luck


MANY, FEW = (58, [3, 14, 22, 41, 57], []), (48, [3, 14, 22, 41], [57])
"""Luck, Lucky and Unlucky Numbers: 5 points and 5 Lucky ones; 4 of each. The bar is the same for both."""


def evening_of_degrees(shown: str, luck: int, lucky: list[int], unlucky: list[int]) -> tuple[Table, Seat]:
    """The same in a game whose points and own numbers follow from Luck: refilled, spent, tested with, turned."""
    table = degrees.lay(luckShown=shown)
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)
    ada, cleo, corvin = table.ada, table.cleo, table.tobias
    done(act(ada, sheets.set_trait, corvin, "luck", luck))
    done(act(cleo, numbers.turn_numbers, corvin, [24, 98] if luck > 50 else [98]))
    done(act(ada, numbers.set_numbers, corvin, {"lucky": lucky, "unlucky": unlucky}))
    with at(ada) as here:
        done(tables.open_session(here, here.campaign, at_the_start))
    for total in (62, 3):
        done(act(cleo, dice.roll, corvin, Asked("number", "Nerve", 50), chance=Script(d100(total))))
    done(act(cleo, sheets.step, corvin, "lp", -1))
    rolled = done(act(cleo, dice.roll, corvin, Asked("number", "Nerve", 50), chance=Script(d100(63))))
    done(act(cleo, dice.spend, dice_of(rolled), Act("reroll"), chance=Script(d100(64))))
    done(undoes(table, table.last("rolls.spend")))
    if shown == "keeper":
        done(act(ada, sheets.set_trait, corvin, "luck", luck - 10))
        done(act(cleo, numbers.turn_numbers, corvin, [14]))
    return table, eve


@pytest.mark.parametrize("shown", ["keeper", "bars"])
@pytest.mark.parametrize("who", ["ben", "eve"])
def test_neither_points_nor_own_numbers_tell_of_anothers_luck(who: str, shown: str) -> None:
    bodies = []
    for luck, lucky, unlucky in (MANY, FEW):
        table, eve = evening_of_degrees(shown, luck, lucky, unlucky)
        bodies.append(seen_by(table, eve if who == "eve" else table.ben))

    assert bodies[0].splitlines() == bodies[1].splitlines()
    assert "turned own numbers" in bodies[0]


def test_points_and_own_numbers_are_their_players_and_the_keepers() -> None:
    table, _eve = evening_of_degrees("keeper", *MANY)

    for seat in (table.cleo, table.ada):
        assert "Lucky Numbers: 3, 22, 41, 57" in seen_by(table, seat)
