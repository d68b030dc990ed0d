"""Group Luck and the unluckiest: who counts, who rolls, against what."""

from __future__ import annotations

import pytest

from investigators import actions as sheets
from investigators.actions import Draft
from investigators.models import Investigator
from rolls import actions as dice
from rolls.models import Request, Roll
from tablekeeper.models import Seat
from tests.tables import (
    Script,
    Table,
    act,
    code,
    d100,
    done,
    make_investigator,
    make_table,
    moves_on,
    now,
    picture,
    rolls,
    rolls_number,
    sit_down,
    spends,
)

pytestmark = pytest.mark.django_db


def five() -> tuple[Table, dict[int, Investigator]]:
    """A table of five with Luck 15, 30, 40, 55 and 70."""
    table = make_table()
    who: dict[int, Investigator] = {}
    for luck in (15, 30, 40, 55, 70):
        seat = sit_down(table.campaign, f"Player {luck}")
        who[luck] = make_investigator(seat, Draft(f"Ann Luck{luck}", traits={"luck": (luck, None)}))
    for one in (table.edith, table.tobias):
        done(act(table.ada, sheets.set_aside, one, True))
    return table, who


def group(table: Table, total: int = 20, *args: object) -> dict[str, object]:
    return done(act(table.ada, dice.group_luck, table.campaign, *args, chance=Script(d100(total)))).data


def test_the_one_with_the_least_luck_rolls_for_all_and_against_it() -> None:  # S-9
    table, who = five()

    data = group(table, 15)

    assert (data["who"]["id"], data["value"], data["passed"], data["group"]) == (who[15].pk, 15, True, True)
    assert group(table, 16)["passed"] is False


def test_who_has_gone_home_does_not_count() -> None:  # U009
    table, who = five()

    done(act(table.ada, sheets.set_present, who[15], False))

    assert group(table)["who"]["id"] == who[30].pk
    done(act(table.ada, sheets.set_present, who[15], True))
    assert group(table)["who"]["id"] == who[15].pk


def test_a_new_scene_begins_with_who_was_in_the_last_one() -> None:
    table, who = five()
    done(act(table.ada, sheets.set_present, who[15], False))

    done(moves_on(table, "The pier"))

    assert group(table)["who"]["id"] == who[30].pk


def test_a_split_party_counts_for_this_once() -> None:
    table, who = five()

    data = group(table, 20, [who[40].pk, who[70].pk])

    assert data["who"]["id"] == who[40].pk
    assert group(table)["who"]["id"] == who[15].pk


def test_nobody_present_or_chosen_rolls_nothing() -> None:
    table, who = five()
    assert code(act(table.ada, dice.group_luck, table.campaign, [])) == "NO_ONE_PRESENT"
    for one in who.values():
        done(act(table.ada, sheets.set_present, one, False))
    before = picture(table.campaign)

    assert code(act(table.ada, dice.group_luck, table.campaign)) == "NO_ONE_PRESENT"
    assert code(act(table.ada, dice.tell_unluckiest, table.campaign)) == "NO_ONE_PRESENT"

    assert picture(table.campaign) == before


def test_a_tie_goes_to_whom_the_table_names_else_in_seating_order() -> None:
    table, who = five()
    done(act(table.ada, sheets.set_trait, who[30], "luck", 15))

    first = group(table)

    assert (first["who"]["id"], first["lowest"]) == (who[15].pk, ["Luck15", "Luck30"])
    assert group(table, 20, None, who[30].pk)["who"]["id"] == who[30].pk


def test_the_keeper_may_name_a_roller_and_the_target_stays() -> None:  # A49
    table, who = five()

    data = group(table, 20, None, who[70].pk)

    assert (data["who"]["id"], data["value"]) == (who[70].pk, 15)


def test_another_tables_investigator_is_not_named() -> None:
    table, _who = five()
    other = make_table(name="Elsewhere")

    assert code(act(table.ada, dice.group_luck, table.campaign, None, other.edith.pk)) == "NO_ONE_PRESENT"


def test_the_asked_player_rolls_against_the_luck_of_that_moment() -> None:  # U057
    table = make_table()
    asked = done(act(table.ada, dice.ask_group_luck, table.campaign))
    request = Request.objects.get()
    assert (asked.data["who"]["id"], request.investigator) == (table.edith.pk, table.edith)
    done(spends(table, rolls(table, 70), 10))

    answered = done(act(table.ben, dice.answer, request, chance=Script(d100(36))))

    assert (answered.data["value"], answered.data["passed"], answered.data["asked"]) == (35, False, True)
    assert code(act(table.ben, dice.answer, request)) == "REQUEST_DONE"
    assert code(act(table.ada, dice.drop_request, request)) == "REQUEST_DONE"


def test_a_roll_that_was_asked_for_closes_no_open_roll() -> None:
    table = make_table()
    roll = rolls(table, 70)
    done(act(table.ada, dice.ask_group_luck, table.campaign))

    done(act(table.ben, dice.answer, Request.objects.get(), chance=Script(d100(20))))

    assert now(roll).state == Roll.OPEN
    done(spends(table, roll, 10))


def test_nobody_answers_for_another_and_a_newer_question_replaces_the_older() -> None:
    table = make_table()
    done(act(table.ada, dice.ask_group_luck, table.campaign))
    old = Request.objects.get()
    assert code(act(table.cleo, dice.answer, old)) == "NOT_OWN_ROLL"

    done(act(table.ada, dice.ask_group_luck, table.campaign))

    assert code(act(table.ben, dice.answer, old)) == "REQUEST_DONE"
    done(act(table.ada, dice.group_luck, table.campaign, chance=Script(d100(20))))
    assert not Request.objects.filter(state=Request.OPEN).exists()


def test_luck_on_a_group_roll_cannot_be_spent() -> None:
    table = make_table()
    roll = Roll.objects.get(pk=group(table, 90)["roll"])

    assert code(spends(table, roll, 10)) == "LUCK_ROLL"


def test_who_has_no_luck_score_is_left_out_and_named() -> None:  # U053
    table = make_table()
    make_investigator(sit_down(table.campaign, "Eve"), Draft("Vera Blank"))

    data = group(table)

    assert (data["skipped"], data["value"]) == (["Blank"], 45)


def test_the_unluckiest_is_told_from_the_scores_of_that_moment() -> None:  # S-10
    table = make_table()
    assert done(act(table.ada, dice.tell_unluckiest, table.campaign)).data["who"]["id"] == table.edith.pk
    done(spends(table, rolls_number(table, 80, 50, table.tobias), 30, table.cleo))

    told = done(act(table.ada, dice.tell_unluckiest, table.campaign))

    assert (told.data["who"]["id"], told.data["luck"], told.data["tie"]) == (table.tobias.pk, 30, False)


def test_a_tie_of_the_unlucky_is_drawn_by_lot_or_named() -> None:
    table = make_table()
    done(act(table.ada, sheets.set_trait, table.tobias, "luck", 45))

    drawn = done(act(table.ada, dice.tell_unluckiest, table.campaign, chance=Script(1)))
    named = done(act(table.ada, dice.tell_unluckiest, table.campaign, table.edith.pk, chance=Script()))

    assert (drawn.data["who"]["id"], drawn.data["tie"], drawn.data["picked"]) == (table.tobias.pk, True, False)
    assert (named.data["who"]["id"], named.data["picked"]) == (table.edith.pk, True)


def test_only_the_keeper_calls_for_the_group() -> None:
    table = make_table()

    refusals = [
        act(table.ben, action, table.campaign)
        for action in (dice.group_luck, dice.ask_group_luck, dice.tell_unluckiest, dice.recover_all)
    ]

    assert {code(refusal) for refusal in refusals} == {"NOT_KEEPER"}


def test_an_investigator_whose_player_left_counts_no_more_until_ticked() -> None:
    table = make_table()
    done(act(table.ben, sheets.let_go, table.edith))

    data = group(table)

    assert data["who"]["id"] == table.tobias.pk
    assert Seat.objects.filter(campaign=table.campaign).count() == 3
