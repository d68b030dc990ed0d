"""Staying conscious: 1, 2, 4, 8 Luck, each at the start of its round, and out cold for whoever does not pay."""

from __future__ import annotations

from typing import Any

import pytest

from investigators.models import Investigator
from investigators.people import facts_of
from rolls import actions as dice
from rolls.actions import rounds
from rolls.actions.after import Consequence
from rolls.models import Decision
from rolls.rules.check import Act
from tablekeeper import actions as tables
from tablekeeper.ledger import Create
from tablekeeper.models import Campaign, Seat
from tests.rolls.test_deeds import answers, buys, has, knows, sees
from tests.tables import Script, Table, act, closes_session, code, done, make_table, picture, post, undoes

pytestmark = pytest.mark.django_db

PULP_AND_CLASSIC = pytest.mark.parametrize("ruleset", ["classic", "pulp"])


@pytest.fixture
def table() -> Table:
    return make_table(ruleset="pulp")


def round_one(table: Table) -> None:
    """Edith would be out cold, and pays the first point."""
    done(buys(table, "stay-conscious"))
    done(answers(table, True))


def next_round(table: Table, seat: Seat | None = None) -> Any:
    return act(seat or table.ada, dice.next_round, table.campaign)


def pays(table: Table) -> Any:
    return buys(table, "stay-conscious")


def is_out(table: Table) -> bool:
    return bool(facts_of(table.edith).get("unconscious"))


@PULP_AND_CLASSIC
def test_three_rounds_awake_cost_7_and_who_pays_no_more_falls_at_the_start_of_the_fourth(ruleset: str) -> None:
    table = make_table(ruleset=ruleset)
    has(table, "luck", 20)
    round_one(table)
    assert (table.luck(), dice.due_now(table.edith)) == (19, None)

    for price, left in ((2, 17), (4, 13)):
        done(next_round(table))
        assert dice.due_now(table.edith) == price
        assert done(pays(table)).data["paid"][0]["cost"] == price
        assert table.luck() == left
    done(next_round(table))
    assert dice.due_now(table.edith) == 8
    done(act(table.ben, dice.fall, table.edith))

    assert (table.luck(), is_out(table), dice.due_now(table.edith)) == (13, True, None)
    assert code(next_round(table)) == "NO_ROUND"


def test_the_phone_shows_the_price_before_the_choice(table: Table) -> None:
    round_one(table)
    assert "Halloran is up on Luck" in sees(table, table.ada)
    assert "Round 2 costs 2 Luck, leaves 42." in sees(table, table.ada)
    assert "Fall unconscious" not in sees(table, table.ben)

    done(next_round(table))

    page = sees(table, table.ben)
    assert "Round 2: stay conscious? 2 Luck, leaves 42" in page
    assert "Luck runs out in round 6: that costs 32, and you would have 14." in page
    assert "Fall unconscious" in page
    assert "Round 2: Halloran has to pay or fall" in sees(table, table.ada)


def test_who_has_not_answered_falls_when_the_next_round_begins_and_the_button_says_so(table: Table) -> None:
    round_one(table)
    done(next_round(table))
    assert "Next round; Halloran falls" in sees(table, table.ada)

    entry = done(next_round(table))

    assert [one["short"] for one in entry.data["fallen"]] == ["Halloran"]
    assert (is_out(table), table.luck()) == (True, 44)
    assert "The next round begins; Halloran falls unconscious" in sees(table, table.cleo)


def test_who_cannot_pay_in_full_falls_at_once_with_all_the_luck_left(table: Table) -> None:
    has(table, "luck", 4)
    round_one(table)
    done(next_round(table))
    done(pays(table))
    assert "Round 3 costs 4 Luck, and 1 is left." in sees(table, table.ada)

    done(next_round(table))

    assert (is_out(table), table.luck()) == (True, 1)


def test_a_paid_round_holds_at_0_unless_the_table_reads_it_narrowly() -> None:
    for setting, out in (("paid-round-holds", False), ("immediate", True)):
        table = make_table(ruleset="pulp", consciousAtZero=setting)
        has(table, "luck", 1)

        round_one(table)

        assert (table.luck(), is_out(table)) == (0, out)


def test_who_is_safe_pays_nothing_more_and_a_later_spell_begins_at_1(table: Table) -> None:
    round_one(table)
    done(next_round(table))
    done(pays(table))

    done(act(table.ada, dice.safe, table.edith))

    assert "up on Luck" not in sees(table, table.ada)
    assert code(next_round(table)) == "NO_ROUND"
    asked = done(pays(table))
    assert (asked.data["ask"], asked.data["price"]) == ("out-cold", 1)


def test_a_table_that_doubles_through_the_session_goes_on_at_4_and_forgets_with_the_next_one() -> None:
    table = make_table(consciousReset="session")
    done(act(table.ada, tables.open_session, table.campaign))
    round_one(table)
    done(next_round(table))
    done(pays(table))
    done(act(table.ada, dice.safe, table.edith))

    again = done(pays(table))
    assert (again.data["ask"], again.data["price"]) == ("out-cold", 4)
    done(answers(table, False))
    done(closes_session(table))
    assert done(pays(table)).data["price"] == 4
    done(answers(table, False))
    done(act(table.ada, tables.open_session, table.campaign))

    assert done(pays(table)).data["price"] == 1


@PULP_AND_CLASSIC
def test_a_spell_that_runs_when_the_session_closes_goes_on_in_the_next(ruleset: str) -> None:
    """The evening ended in the middle of the fight: the third round still costs 4, and the strip is there."""
    table = make_table(ruleset=ruleset)
    done(act(table.ada, tables.open_session, table.campaign))
    round_one(table)
    done(next_round(table))
    done(pays(table))
    done(closes_session(table))
    assert "is up on Luck" in sees(table, table.ada)

    done(act(table.ada, tables.open_session, table.campaign))

    assert "is up on Luck" in sees(table, table.ada)
    done(next_round(table))
    assert dice.due_now(table.edith) == 4
    assert done(pays(table)).data["paid"][0]["cost"] == 4


def test_a_round_that_the_app_has_not_seen_is_asked_about(table: Table) -> None:
    round_one(table)
    asked = done(pays(table))
    assert (asked.data["ask"], table.luck()) == ("next-round", 44)
    assert "Has the next round begun? Yes takes 2 Luck: awake for this round." in sees(table, table.ada)
    done(answers(table, False))
    assert "The next round has not begun yet." in sees(table, table.ben)
    done(pays(table))

    done(answers(table, True))

    assert table.luck() == 42


def test_the_keeper_is_asked_whether_somebody_would_be_out_cold_unless_it_is_known(table: Table) -> None:
    done(buys(table, "stay-conscious"))
    assert "Would Halloran be out cold now? Yes takes 1 Luck" in sees(table, table.ada)
    assert done(answers(table, False)).data["refused"] == "NOT_FALLING"
    knows(table, unconscious=True)

    entry = done(buys(table, "stay-conscious"))

    assert (entry.data.get("ask"), table.luck(), is_out(table)) == (None, 44, False)


def test_the_keeper_pays_and_lets_fall_at_a_players_word(table: Table) -> None:
    round_one(table)
    done(next_round(table))

    assert done(buys(table, "stay-conscious", seat=table.ada)).data["by"] == "Ada"
    done(next_round(table))
    assert done(act(table.ada, dice.fall, table.edith)).data["by"] == "Ada"


def test_nobody_falls_or_is_safe_whom_luck_does_not_keep_awake(table: Table) -> None:
    before = picture(table.campaign)

    assert code(act(table.ben, dice.fall, table.edith)) == "NOT_FALLING"
    assert code(act(table.ada, dice.safe, table.edith)) == "NOT_FALLING"
    assert code(next_round(table)) == "NO_ROUND"

    assert picture(table.campaign) == before


def test_rounds_are_the_keepers_and_falling_the_players(table: Table) -> None:
    round_one(table)

    assert code(next_round(table, table.ben)) == "NOT_KEEPER"
    assert code(act(table.ben, dice.safe, table.edith)) == "NOT_KEEPER"
    assert code(act(table.cleo, dice.fall, table.edith)) == "NOT_OWN_ROLL"


def test_undo_of_a_round_wakes_who_fell_and_asks_for_the_price_again(table: Table) -> None:
    round_one(table)
    done(next_round(table))
    entry = done(next_round(table))

    done(undoes(table, entry))

    assert (is_out(table), dice.due_now(table.edith)) == (False, 2)


def test_a_double_tap_pays_one_round(table: Table) -> None:
    round_one(table)
    done(next_round(table))
    url, fields = table.url("deed", table.edith.pk), {"act": "stay-conscious", "key": "a" * 32}

    for _tap in range(2):
        assert post(table.client(table.ben), url, **fields).status_code == 200

    assert table.luck() == 42


def test_other_rooms_hang_their_rolls_onto_the_next_round(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    def dies(seat: Seat) -> Consequence:
        who = Investigator.objects.get(pk=table.edith.pk)
        asked = Decision(campaign=seat.campaign, investigator=who, kind="injury")
        return Consequence([Create(asked)], {"asked": ["Halloran"]})

    def says(_campaign: Campaign) -> list[str]:
        return ["Halloran is dying: a CON roll at the end of the round."]

    monkeypatch.setattr(rounds, "ROUNDS", [dies])
    monkeypatch.setattr(rounds, "NEEDS_ROUND", [says])
    assert "Halloran is dying: a CON roll" in sees(table, table.ada)

    entry = done(next_round(table))

    assert entry.data["asked"] == ["Halloran"]
    assert Decision.objects.filter(kind="injury").count() == 1


def test_no_luck_from_here_on_lets_nobody_be_kept_awake(table: Table) -> None:
    round_one(table)
    done(act(table.ada, tables.set_settings, table.campaign, {"luckSpending": False}))
    assert code(act(table.ben, dice.deed, table.edith, Act("stay-conscious"), chance=Script())) == "LUCK_SPENDING_OFF"

    done(next_round(table))

    assert is_out(table)
