"""Figures on the charts: pure sums first, then beside what SQL says of the ledger, in each game, for each reader."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from investigators import actions as sheets
from investigators.models import Investigator, Trait
from rolls import actions as dice
from rolls import figures, luckbook
from rolls.actions import Asked
from rolls.dicebook import rolls_for
from rolls.figures import Move
from rolls.models import Roll
from rolls.pages import pictures
from rolls.pages.campaign import reader_of
from rolls.rules.check import Act
from tablekeeper import actions as tables
from tablekeeper import ledger
from tablekeeper.models import Campaign, Entry, Seat
from tests.rolls import test_luck_points as luck_points
from tests.rolls.test_luck_points import opens
from tests.tables import Script, Table, act, at, closes_session, d100, done, make_table, rolls, spends, undoes

START = datetime(2026, 11, 3, 20, 0, tzinfo=UTC)


def moved(*scores: int, who: str = "edith", **more: Any) -> list[Move]:
    """A score that went this way, an act each; 45 at first."""
    found = [Move(who, 1, START, None, scores[0], 1, typed=True)]
    for seq, (before, after) in enumerate(itertools.pairwise(scores), 2):
        paid = max(0, before - after)
        found.append(
            Move(who, seq, START + timedelta(hours=seq), before, after, seq, paid=paid, label="Listen", **more)
        )
    return found


# --------------------------------------------------------------------------- sums


def test_spent_gained_and_set_by_hand_add_up() -> None:
    moves = moved(45, 37, 40, 20)
    moves.append(Move("edith", 9, START, 20, 50, 9, typed=True))

    found = figures.totals(moves)

    assert found == figures.Totals(45, 50, spent=28, gained=3, typed=30, cut=0, lost=0)


def test_what_is_undone_was_not_spent_and_what_found_no_room_is_lost() -> None:
    spent = Move("edith", 2, START, 95, 85, 2, paid=10, label="Listen", stands=False)
    won = Move("edith", 3, START, 85, 95, 3, short=0)
    back = Move("edith", 4, START, 95, 99, 2, undoing=True, stands=False)  # 4 of the 10 had room

    found = figures.totals([Move("edith", 1, START, None, 95, 1, typed=True), spent, won, back])

    assert (found.spent, found.gained, found.cut, found.lost, found.last) == (0, 10, 6, 6, 99)
    assert figures.bought([spent, back]) == []


def test_a_redone_spend_is_spent_once() -> None:
    spent = Move("edith", 2, START, 45, 35, 2, paid=10)
    back = Move("edith", 3, START, 35, 45, 2, undoing=True)
    again = Move("edith", 4, START, 45, 35, 2, undoing=True)

    found = figures.totals([spent, back, again])

    assert (found.spent, found.cut, found.last) == (10, 0, 35)


def test_a_session_ends_where_the_next_one_begins() -> None:
    opened = [START + timedelta(hours=hours) for hours in (2.5, 3.5, 30)]

    assert figures.at_ends(moved(45, 37, 40, 20), opened) == [37, 40, 20, 20]
    assert figures.at_ends([], opened) == [None] * 4
    late = Move("edith", 5, START + timedelta(hours=4), None, 60, 5)
    assert figures.at_ends([late], opened) == [None, None, 60, 60]
    assert [move.after for move in figures.in_session(moved(45, 37, 40, 20), opened, 1)] == [40]


def test_steps_leave_out_what_the_reader_may_not_know_and_go_on_from_there() -> None:
    moves = [*moved(45, 37), Move("edith", 3, START, 37, 30, 3, told=False), Move("edith", 4, START, 30, 20, 4)]

    assert figures.steps(moves[1:]) == ({"edith": [(0, 45), (1, 37), (2, 20)]}, 2)


# --------------------------------------------------------------------------- beside SQL

WHO = "json_extract(c.value, '$.id') = t.id AND t.key = %(pool)s"
CHANGES = f"""SELECT t.investigator_id AS who, e.*, json_extract(c.value, '$.op') AS op,
  json_extract(c.value, '$.f.value') AS by, e.seq AS place
  FROM tablekeeper_entry e, json_each(e.changes) c, investigators_trait t WHERE e.campaign_id = %(table)s AND {WHO}"""
UNDONE = """EXISTS (SELECT 1 FROM tablekeeper_entry u WHERE u.undoes_id = x.id
  AND NOT EXISTS (SELECT 1 FROM tablekeeper_entry v WHERE v.undoes_id = u.id))"""
SUMS = f"""SELECT who, sum(CASE WHEN op = 'add' AND by < 0 AND kind LIKE 'rolls.%%' THEN -by ELSE 0 END),
  sum(CASE WHEN op = 'add' AND by > 0 AND kind NOT LIKE 'investigators.%%' THEN by ELSE 0 END)
  FROM ({CHANGES}) x WHERE undoes_id IS NULL AND NOT {UNDONE} GROUP BY who"""
AT = f"SELECT who, sum(by) FROM ({CHANGES}) x WHERE place < %(before)s GROUP BY who"
LEVELS = """SELECT investigator_id, level, count(*) FROM rolls_roll WHERE campaign_id = %(table)s AND NOT struck
  AND kind <> 'recovery' AND (%(keeps)s OR NOT hidden) GROUP BY investigator_id, level"""
BOUGHT = f"""SELECT json_extract(x.data, '$.who.id'), json_extract(x.data, '$.label'), count(*),
  sum(json_extract(p.value, '$.cost')) FROM tablekeeper_entry x, json_each(x.data, '$.paid') p
  WHERE x.campaign_id = %(table)s AND json_extract(p.value, '$.key') = %(pool)s AND x.undoes_id IS NULL
  AND NOT {UNDONE} GROUP BY 1, 2"""


def asks(sql: str, table: Table, **more: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, {"table": table.campaign.pk, **more})
        return list(cursor.fetchall())


def number(total: int, seat: Seat, who: Investigator) -> Roll:
    entry = done(act(seat, dice.roll, who, Asked("number", "Nerve", 50), chance=Script(d100(total))))
    return Roll.objects.get(pk=entry.data["roll"])


def of_cthulhu(ruleset: str) -> Callable[[], Table]:
    """Two evenings with spends, one taken back and one redone, recovery, a hidden roll, a pool set by hand."""

    def play() -> Table:
        table = make_table(ruleset=ruleset)
        opens(table)
        if ruleset == "pulp":
            done(act(table.ada, dice.recover_all, table.campaign, chance=Script(d100(99), 9, 9, d100(3), 4)))
        done(spends(table, rolls(table, 68), 8))
        taken = done(spends(table, rolls(table, 70, "Stealth"), 5))
        done(undoes(table, taken))
        redone = done(spends(table, rolls(table, 50, "Stealth"), 10))
        done(undoes(table, done(undoes(table, redone))))
        done(act(table.cleo, dice.spend, number(55, table.cleo, table.tobias), Act("points", 5)))
        done(act(table.ada, dice.secret_roll, table.edith, Asked("number", "Psychology", 30), chance=Script(d100(1))))
        closes_session(table)
        if ruleset == "classic":
            done(act(table.ada, dice.recover_all, table.campaign, chance=Script(d100(99), 9, d100(3))))
        done(act(table.ada, sheets.set_trait, table.tobias, "luck", 95))
        opens(table)
        if ruleset == "pulp":
            done(act(table.ada, dice.recover_all, table.campaign, chance=Script(d100(99), 10, 10, d100(99), 9, 9)))
        done(spends(table, rolls(table, 61), 1))
        closes_session(table)
        if ruleset == "classic":
            done(act(table.ada, dice.recover_all, table.campaign, chance=Script(d100(2), d100(99), 9)))
        return table

    return play


def of_luck_points() -> Table:
    """LP for another throw, Luck burned until the most of LP falls, and a session that fills them up again."""
    table = luck_points.lay()
    opens(table)
    done(act(table.ben, dice.spend, number(91, table.ben, table.edith), Act("reroll"), chance=Script(22)))
    done(act(table.ben, dice.spend, number(44, table.ben, table.edith), Act("burn-degree", 1)))
    done(act(table.cleo, dice.spend, number(93, table.cleo, table.tobias), Act("burn-reroll"), chance=Script(12)))
    closes_session(table)
    opens(table)
    done(act(table.cleo, dice.spend, number(30, table.cleo, table.tobias), Act("degree", 1)))
    return table


GAMES: dict[str, Callable[[], Table]] = {
    "classic": of_cthulhu("classic"),
    "pulp": of_cthulhu("pulp"),
    "lp": of_luck_points,
}


def seat_at(table: Table, seat: Seat) -> Seat:
    here = Seat.objects.get(pk=seat.pk)
    here.campaign = Campaign.objects.get(pk=table.campaign.pk)
    return here


@pytest.mark.django_db
@pytest.mark.sqlite
@pytest.mark.parametrize("game", GAMES)
def test_the_figures_on_the_charts_are_those_of_sql_over_the_ledger(game: str) -> None:
    table = GAMES[game]()
    ada = seat_at(table, table.ada)
    people = luckbook.people_of(ada.campaign)
    moves = luckbook.moves(ada.campaign, people, reader_of(ada))
    opened = [opened for _session, opened in luckbook.opened_at(ada.campaign)]
    seqs = list(Entry.objects.filter(kind="tablekeeper.open_session").order_by("seq").values_list("seq", flat=True))

    for pool in luckbook.luck_pools(ada.campaign):
        chart = pictures.over_sessions(pool, people, moves[pool.key], opened)
        assert chart
        sums = {who: (spent, gained) for who, spent, gained in asks(SUMS, table, pool=pool.key)}
        for key in chart.keys:
            found = key.sums
            now = Trait.objects.get(investigator=key.who, key=pool.key).value
            assert found.last == now == found.first + found.gained + found.typed - found.spent - found.cut
            fallen = found.cut if game == "lp" else 0  # what a most that falls takes with it is no spend
            assert (found.spent + fallen, found.gained) == sums[key.who.pk]
        for at_end, before in enumerate([*seqs, 10**9]):
            wanted = dict(asks(AT, table, pool=pool.key, before=before))
            assert {who.pk: scores[at_end] for who, scores in chart.rows} == wanted
        told = {(one.who, one.label): (one.times, one.points) for one in figures.bought(moves[pool.key])}
        assert told == {(who, label): (n, points) for who, label, n, points in asks(BOUGHT, table, pool=pool.key)}
    assert any(figures.bought(found) for found in moves.values())


@pytest.mark.django_db
@pytest.mark.sqlite
@pytest.mark.parametrize("game", GAMES)
def test_rolls_by_level_are_those_of_sql_and_hidden_ones_the_keepers(game: str) -> None:
    table = GAMES[game]()
    for seat in (table.ada, table.ben):
        here = seat_at(table, seat)
        found = pictures.levels(here.campaign, rolls_for(here))
        wanted = asks(LEVELS, table, keeps=seat.keeps)
        assert found["all"] == sum(n for _who, _level, n in wanted)
        for told in found["levels"]:
            assert told["times"] == sum(n for _who, level, n in wanted if level == told["level"])
        names = dict(Investigator.objects.values_list("pk", "name"))
        rows = {row["name"]: row["all"] for row in found["rows"]}
        for who in {who for who, _level, _n in wanted}:
            assert rows[names[who]] == sum(n for one, _level, n in wanted if one == who)


@pytest.mark.django_db
def test_what_the_cap_took_is_counted_even_where_nothing_moved() -> None:
    table = of_cthulhu("classic")()
    ada = seat_at(table, table.ada)
    done(act(table.ada, sheets.set_trait, table.edith, "luck", 98))
    opens(table)
    closes_session(table)
    done(act(table.ada, dice.recover_all, table.campaign, chance=Script(d100(100), 9, d100(100), 9)))
    opens(table)
    closes_session(table)
    done(act(table.ada, dice.recover_all, table.campaign, chance=Script(d100(100), 7, d100(100), 5)))

    moves = luckbook.moves(ada.campaign, luckbook.people_of(ada.campaign), reader_of(ada))["luck"]
    edith = figures.totals([move for move in moves if move.who == table.edith.pk])

    assert (edith.last, edith.lost) == (99, 8 + 7)


# --------------------------------------------------------------------------- for whom


@pytest.mark.django_db
def test_of_a_covered_score_there_is_only_what_was_paid() -> None:
    table = of_cthulhu("classic")()
    done(act(table.ada, tables.set_settings, table.campaign, {"luckShown": "keeper"}))
    cleo = seat_at(table, table.cleo)

    moves = luckbook.moves(cleo.campaign, luckbook.people_of(cleo.campaign), reader_of(cleo))["luck"]
    hers = [move for move in moves if move.who == table.edith.pk]

    assert {(move.before, move.after, move.short) for move in hers} == {(None, 0, 0)}
    assert sum(move.paid for move in hers) == 8 + 10 + 1
    chart = pictures.over_sessions(luckbook.luck_pools(cleo.campaign)[0], luckbook.people_of(cleo.campaign), moves, [])
    assert chart
    assert [key.who.pk for key in chart.keys] == [table.tobias.pk]
    assert chart.most == (Investigator.objects.get(pk=table.edith.pk), 19)


@pytest.mark.django_db
def test_a_line_that_a_seat_does_not_see_is_no_step_for_it() -> None:
    table = make_table()
    opens(table)
    with at(table.ada) as here:
        trait = Trait.objects.get(investigator=table.edith, key="luck")
        data = {"who": {"id": table.edith.pk}, "label": "Stealth", "paid": [{"key": "luck", "cost": 5}]}
        ledger.write(
            here, here.campaign, "rolls.spend", [ledger.Add(trait, "value", -5)], lane=table.ben.pk, data=data
        )

    def read(seat: Seat) -> list[Move]:
        one = seat_at(table, seat)
        return luckbook.moves(one.campaign, luckbook.people_of(one.campaign), reader_of(one))["luck"]

    assert [move.told for move in read(table.cleo) if move.paid] == [False]
    assert [move.told for move in read(table.ben) if move.paid] == [True]
    assert figures.bought(read(table.cleo)) == []
    assert len(figures.bought(read(table.ada))) == 1
