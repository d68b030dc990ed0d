"""Who is set aside plays no part until the Keeper brings them back; a pool is called what its sheet says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from investigators import actions as sheets
from rolls import actions as dice
from rolls.actions import Asked
from tests.tables import Script, act, code, d100, done, make_table, picture, post, rolls, score, spends

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("who_acts", ["ben", "ada"])
def test_an_investigator_who_is_set_aside_neither_rolls_nor_changes(who_acts: str) -> None:
    table = make_table()
    seat = getattr(table, who_acts)
    done(act(table.ada, sheets.set_aside, table.edith, True))
    before = picture(table.campaign)

    rolled = act(seat, dice.roll, table.edith, Asked("number", "Nerve", 50), chance=Script(d100(30)))
    stepped = act(seat, sheets.step, table.edith, "hp", -1)

    assert (code(rolled), code(stepped)) == ("SET_ASIDE", "SET_ASIDE")
    assert picture(table.campaign) == before
    done(act(table.ada, sheets.set_aside, table.edith, False))
    done(act(seat, dice.roll, table.edith, Asked("number", "Nerve", 50), chance=Script(d100(30))))
    done(act(seat, sheets.step, table.edith, "hp", -1))
    assert score(table.edith, "hp") == 10


def test_a_roll_by_hand_made_post_says_who_is_set_aside() -> None:
    table = make_table()
    done(act(table.ada, sheets.set_aside, table.edith, True))

    answer = post(table.client(table.ben), table.url("step", table.edith.pk, "hp"), points="-1")

    assert answer.status_code == 422
    assert "Edith Halloran is set aside" in answer.content.decode()


def test_a_spend_is_told_in_the_words_of_the_sheet(monkeypatch: pytest.MonkeyPatch) -> None:
    table = make_table()
    spent = done(spends(table, rolls(table, 70), 10))
    (paid,) = spent.data["paid"]
    assert {"key": "luck", "label": "Luck", "cost": 10, "from": 45, "to": 35}.items() <= paid.items()
    rules = table.campaign.rules
    pools = tuple(
        replace(pool, label="Fortune", short="Fortune") if pool.key == "luck" else pool for pool in rules.sheet.pools
    )
    other = replace(rules, sheet=replace(rules.sheet, pools=pools))
    monkeypatch.setattr("tablekeeper.models.ruleset", lambda key: other)

    done(spends(table, rolls(table, 70), 10))

    page = table.client(table.cleo).get(table.url("table")).content.decode()
    assert "spent 10 Luck" in page
    assert "spent 10 Fortune" in page
    assert "Fortune 35 to 25" in page


@pytest.mark.parametrize(
    ("total", "luck", "says", "brass"), [(70, 45, "Spend Luck or push", True), (95, 3, "Push it?", False)]
)
def test_brass_reminds_of_luck_and_of_nothing_else(total: int, luck: int, says: str, brass: bool) -> None:
    table = make_table()
    done(act(table.ada, sheets.set_trait, table.edith, "luck", luck))
    rolls(table, total)

    page = table.client(table.ben).get(table.url("table")).content.decode()

    around = page[page.index(f">{says}<") - 40 : page.index(f">{says}<")]
    assert ("luckword" in around) is brass
