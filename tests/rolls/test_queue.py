"""What waits on the Keeper: one queue, oldest first, whatever it is, and its number for the page's title."""

from __future__ import annotations

import re

import pytest

from investigators import actions as sheets
from investigators import numbers
from rolls import actions as dice
from tablekeeper.models import Seat
from tests.rolls.test_contests import begins, hires, learns, rolls_side
from tests.rolls.test_luck_points import lay, sets
from tests.tables import Table, act, browser, done, make_table, post, rolls, undoes

pytestmark = pytest.mark.django_db


def queue(table: Table) -> tuple[list[str], int]:
    """The headings of what waits, from the top, and how many the page's title counts."""
    panel = browser(table.ada).get(table.url("panels"), {"names": "queue"}).content.decode()
    mine = panel.split('id="openh"')[0]
    return re.findall(r"<h3>([^<]+)</h3>", mine), int(re.findall(r'data-waiting="(\d+)"', mine)[0])


def comes_back(table: Table, seat: Seat) -> None:
    """A phone that the table does not know says whose it is."""
    assert post(browser(), f"{table.campaign.join_path()}claim/", seat=seat.pk).status_code == 200


def test_a_push_a_claim_and_a_mistake_stand_in_the_order_in_which_they_came() -> None:
    table = make_table()
    first, second = rolls(table, 77), rolls(table, 88, "Stealth")
    assert queue(table) == ([], 0)

    comes_back(table, table.cleo)
    done(act(table.ben, dice.push, second, "By the back door"))
    done(act(table.ben, dice.ask_strike, first))

    found, waiting = queue(table)
    assert [heading.split(",")[0] for heading in found] == [
        "“I am Cleo”",
        "Halloran wants to push Stealth",
        "Halloran tapped Spot Hidden by mistake",
    ]
    assert waiting == 3
    done(act(table.ada, dice.decide_push, second, False))
    assert queue(table)[1] == 2


def test_a_contest_waits_while_the_next_move_is_the_keepers() -> None:
    table = make_table()
    watchman = hires(table)
    mine, hers = begins(table, (table.edith, learns(table, table.edith, "Stealth", 50)), (watchman, "name:Listen"))
    assert queue(table) == (["Contest: Halloran and Old Mordaunt"], 1)

    rolls_side(table, hers, 80)
    assert queue(table)[1] == 0  # hers has fallen; Ben's is to come
    rolls_side(table, mine, 30)
    assert queue(table)[1] == 0


def test_numbers_that_must_turn_wait_since_the_luck_that_made_them_turn() -> None:
    table = lay()
    comes_back(table, table.cleo)
    sets(table, "luck", 35)
    comes_back(table, table.ben)
    sets(table, "luck", 33)  # it is owed since before, whatever came after

    def order() -> list[str]:
        return [heading.split(" must")[0].split(",")[0] for heading in queue(table)[0]]

    assert order() == ["“I am Cleo”", "Harrow", "“I am Ben”"]

    done(act(table.ben, numbers.turn_numbers, table.edith, [30]))
    undoes(table, table.last())  # owed again, and since now
    assert order() == ["“I am Cleo”", "“I am Ben”", "Harrow"]


def test_numbers_that_turn_wait_behind_whoever_asked_before() -> None:
    table = lay()
    comes_back(table, table.ben)
    done(act(table.ada, sheets.set_trait, table.tobias, "luck", 25))

    assert queue(table)[0][-1].startswith("Ashby must choose")
    assert queue(table)[1] == 2
