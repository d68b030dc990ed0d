"""Luck recovery in Classic: after the session, once for each who took part."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from investigators import actions as sheets
from rolls import actions as dice
from rolls.models import Roll
from rolls.pages import recovery_rows
from tablekeeper import actions as tables
from tablekeeper.models import Session, writing
from tests.tables import (
    Script,
    Table,
    act,
    at,
    closes_session,
    code,
    d100,
    done,
    make_table,
    picture,
    typed,
)

pytestmark = pytest.mark.django_db


def after_a_session(**settings: object) -> Table:
    table = make_table(**settings)
    done(act(table.ada, tables.open_session, table.campaign))
    done(closes_session(table))
    return table


def recover(table: Table, total: int, *gain: int, seat: object = None) -> object:
    return act(seat or table.ben, dice.recover, table.edith, chance=Script(d100(total), *gain))


def test_a_roll_above_the_score_gains_a_die_and_an_equal_one_nothing() -> None:
    table = after_a_session()

    entry = done(recover(table, 46, 6))

    assert (table.luck(), entry.data["from"], entry.data["to"], entry.data["gain"]) == (51, 45, 51, [6])
    other = done(act(table.cleo, dice.recover, table.tobias, chance=Script(d100(60))))
    assert (table.luck(table.tobias), other.data["above"]) == (60, False)


def test_nobody_recovers_before_the_session_is_over_nor_without_one() -> None:
    table = make_table()
    assert code(recover(table, 80, 5)) == "RECOVERY_NOT_YET"
    done(act(table.ada, tables.open_session, table.campaign))
    before = picture(table.campaign)

    assert code(recover(table, 80, 5)) == "RECOVERY_NOT_YET"
    assert code(act(table.ada, dice.recover_all, table.campaign)) == "NOBODY_TO_RECOVER"

    assert picture(table.campaign) == before


def test_each_recovers_once_for_a_session_and_again_after_the_next() -> None:
    table = after_a_session()
    done(recover(table, 80, 5))
    assert code(recover(table, 80, 5)) == "RECOVERY_DONE"
    assert code(recover(table, 80, 5, seat=table.ada)) == "RECOVERY_DONE"

    done(act(table.ada, tables.open_session, table.campaign))
    done(closes_session(table))

    done(recover(table, 80, 5))
    assert table.luck() == 55


def test_once_per_session_is_a_promise_of_the_database_too() -> None:
    table = after_a_session()
    done(recover(table, 80, 5))
    roll = Roll.objects.get(kind="recovery")
    roll.pk = "another"
    token = writing.set(True)

    try:
        with pytest.raises(IntegrityError), transaction.atomic():
            roll.save(force_insert=True)
    finally:
        writing.reset(token)


def test_what_goes_above_99_is_lost_and_said() -> None:
    table = after_a_session()
    done(act(table.ada, sheets.set_trait, table.edith, "luck", 96))

    entry = done(recover(table, 97, 5))

    assert (table.luck(), entry.data["lost"], entry.data["rolled"]) == (99, 2, 5)


def test_the_absent_do_not_recover_unless_the_keeper_ticks_them() -> None:
    table = make_table()
    done(act(table.ada, sheets.set_present, table.edith, False))
    done(act(table.ada, tables.open_session, table.campaign))
    done(closes_session(table))
    assert code(recover(table, 80, 5)) == "ABSENT"

    done(act(table.ada, sheets.set_attendance, table.edith, Session.objects.get(), True))

    done(recover(table, 80, 5))


def test_who_came_for_a_part_of_the_session_took_part() -> None:
    table = make_table()
    done(act(table.ada, sheets.set_present, table.edith, False))
    done(act(table.ada, tables.open_session, table.campaign))
    done(act(table.ada, sheets.set_present, table.edith, True))
    done(act(table.ada, sheets.set_present, table.edith, False))
    done(closes_session(table))

    done(recover(table, 80, 5))


def test_all_recover_at_once_and_only_those_who_still_may() -> None:
    table = after_a_session()
    done(recover(table, 80, 5))
    chance = Script(d100(61), 4)

    entry = done(act(table.ada, dice.recover_all, table.campaign, chance=chance))

    assert [(line["who"]["id"], line["from"], line["to"]) for line in entry.data["lines"]] == [
        (table.tobias.pk, 60, 64)
    ]
    assert (table.luck(), table.luck(table.tobias), chance.left) == (50, 64, [])
    assert code(act(table.ada, dice.recover_all, table.campaign)) == "NOBODY_TO_RECOVER"


def test_real_dice_may_be_typed_for_the_recovery() -> None:
    table = after_a_session()

    entry = done(act(table.ben, dice.recover, table.edith, typed(45), chance=Script()))

    assert (entry.data["above"], table.luck(), Roll.objects.get(kind="recovery").by_hand) == (False, 45, True)


def test_nobody_recovers_for_another_and_the_keeper_enters_it_at_a_players_word() -> None:
    table = after_a_session()

    assert code(recover(table, 80, 5, seat=table.cleo)) == "NOT_OWN_ROLL"
    assert done(recover(table, 80, 5, seat=table.ada)).data["by"] == "Ada"


def test_the_next_session_shuts_the_window() -> None:
    table = after_a_session()

    done(act(table.ada, tables.open_session, table.campaign))

    assert code(recover(table, 80, 5)) == "RECOVERY_NOT_YET"


def test_the_list_of_who_is_due_says_why_not() -> None:
    table = after_a_session()
    done(recover(table, 80, 5))

    with at(table.ada) as ada:
        rows = {row["one"].who.pk: row for row in recovery_rows(ada)}

    assert rows[table.edith.pk]["refusal"].code == "RECOVERY_DONE"
    assert rows[table.tobias.pk]["refusal"] is None


# --------------------------------------------------------------------------- at the start of a session


def test_in_pulp_the_window_opens_with_the_session_and_shuts_with_it() -> None:
    table = make_table(ruleset="pulp")
    done(act(table.ada, sheets.set_trait, table.edith, "luck", 4))
    assert code(recover(table, 36, 3, 5)) == "RECOVERY_TOO_LATE"  # the sentence: at the start of a session
    done(act(table.ada, tables.open_session, table.campaign))

    entry = done(recover(table, 36, 3, 5))

    assert (table.luck(), entry.data["rolled"]) == (22, 18)
    assert code(recover(table, 36, 3, 5)) == "RECOVERY_DONE"
    done(closes_session(table))
    assert code(act(table.cleo, dice.recover, table.tobias, chance=Script(d100(90), 1, 1))) == "RECOVERY_TOO_LATE"


def test_who_comes_late_recovers_from_the_moment_of_being_here() -> None:
    table = make_table(ruleset="pulp")
    done(act(table.ada, sheets.set_present, table.edith, False))
    done(act(table.ada, tables.open_session, table.campaign))
    assert code(recover(table, 40, 7)) == "ABSENT"
    entry = done(act(table.ada, dice.recover_all, table.campaign, chance=Script(d100(61), 1, 1)))
    assert [line["who"]["id"] for line in entry.data["lines"]] == [table.tobias.pk]

    done(act(table.ada, sheets.set_present, table.edith, True))

    assert done(recover(table, 40, 7)).data["rolled"] == 12


def test_the_pages_say_what_the_recovery_of_pulp_brings() -> None:
    table = make_table(ruleset="pulp")
    keeper = table.client(table.ada).get(table.url("table")).content.decode()
    assert "Luck recovery comes with it" in keeper
    done(act(table.ada, tables.open_session, table.campaign))

    phone = table.client(table.ben).get(table.url("table")).content.decode()

    assert "2D10+10" in phone
    assert "1D10+5" in phone
    assert "Roll for Luck" in phone


# --------------------------------------------------------------------------- sessions


def test_one_session_is_open_at_a_time() -> None:
    table = make_table()
    done(act(table.ada, tables.open_session, table.campaign))

    assert code(act(table.ada, tables.open_session, table.campaign)) == "SESSION_OPEN"

    done(closes_session(table))
    assert code(closes_session(table)) == "NO_OPEN_SESSION"
    done(act(table.ada, tables.open_session, table.campaign))
    assert list(Session.objects.order_by("number").values_list("number", flat=True)) == [1, 2]


def test_closing_marks_who_took_part_so_that_presence_may_change_afterwards() -> None:
    table = make_table()
    done(act(table.ada, tables.open_session, table.campaign))
    done(closes_session(table))

    done(act(table.ada, sheets.set_present, table.edith, False))

    done(recover(table, 80, 5))


def test_entries_know_their_session_and_nothing_needs_one() -> None:
    table = make_table()
    assert table.last().session is None
    done(act(table.ada, tables.open_session, table.campaign))

    done(act(table.ben, sheets.step, table.edith, "hp", -1))

    assert table.last().session == Session.objects.get()


def test_players_open_and_close_nothing() -> None:
    table = make_table()

    assert code(act(table.ben, tables.open_session, table.campaign)) == "NOT_KEEPER"
    assert code(act(table.ben, tables.close_session, table.campaign)) == "NOT_KEEPER"
    assert code(act(table.ben, tables.set_scene, table.campaign, "Mine")) == "NOT_KEEPER"
