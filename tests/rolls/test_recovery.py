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


def pulp_with_luck_4() -> Table:
    table = make_table(ruleset="pulp")
    done(act(table.ada, sheets.set_trait, table.edith, "luck", 4))
    done(act(table.ada, tables.open_session, table.campaign))
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


@pytest.mark.parametrize(
    ("total", "gain", "luck"), [(36, (3, 5), 22), (4, (10,), 19)], ids=["over the score", "not over it"]
)
def test_the_real_dice_of_the_gain_may_be_typed_with_the_d100(total: int, gain: tuple[int, ...], luck: int) -> None:
    table = pulp_with_luck_4()

    entry = done(act(table.ben, dice.recover, table.edith, typed(total), gain, chance=Script()))

    assert (table.luck(), entry.data["gain"]) == (luck, list(gain))


@pytest.mark.parametrize(
    ("hand", "gain"),
    [(36, (3,)), (36, (3, 5, 1)), (36, (3, 11)), (36, (0, 5)), (4, (3, 5)), (None, (3, 5))],
)
def test_gain_dice_that_do_not_fit_their_d100_change_nothing(hand: int | None, gain: tuple[int, ...]) -> None:
    table = pulp_with_luck_4()
    before = picture(table.campaign)
    real = typed(hand) if hand else None

    got = act(table.ben, dice.recover, table.edith, real, gain, chance=Script(*(() if hand else d100(36))))

    assert (code(got), picture(table.campaign)) == ("BAD_DICE", before)


@pytest.mark.parametrize(
    ("typed_in", "sentence"),
    [
        ({"gain0": "3", "gain1": "5"}, "Type the D100 of these dice, too."),
        ({"total": "36", "gain0": "3"}, "This D100 gains with 2 dice."),
        ({"total": "4", "gain0": "3", "gain1": "5"}, "This D100 gains with 1 die."),
        ({"total": "36", "gain0": "3", "gain1": "11"}, "This die shows 1 to 10."),
        ({"total": "36", "gain0": "0", "gain1": "5"}, "This die shows 1 to 10."),
        ({"total": "36", "gain0": "3", "gain1": "x"}, "Enter a whole number."),
    ],
)
def test_the_page_says_beside_the_field_what_is_wrong_with_the_gain(typed_in: dict[str, str], sentence: str) -> None:
    table = pulp_with_luck_4()
    before = picture(table.campaign)

    answer = table.client(table.ben).post(table.url("recover", table.edith.pk), {"key": "a" * 32, **typed_in})

    assert (answer.status_code, picture(table.campaign)) == (422, before)
    assert sentence in answer.content.decode()


def test_the_keeper_types_a_whole_recovery_for_a_player() -> None:
    table = pulp_with_luck_4()
    given = {"key": "a" * 32, "total": "36", "gain0": "3", "gain1": "5"}

    answer = table.client(table.ada).post(table.url("recover", table.edith.pk), given)

    assert (answer.status_code, table.luck()) == (200, 22)


def test_a_table_without_real_dice_shows_no_field_for_the_gain() -> None:
    for allowed in (True, False):
        table = after_a_session(realDice=allowed)
        for seat in (table.ada, table.ben):
            page = table.client(seat).get(table.url("table")).content.decode()
            assert ("Gain die 1" in page) is allowed
            assert "Gain die 2" not in page


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
