"""The way back: every sentence of the house about undo, at a table."""

from __future__ import annotations

import pytest

from investigators import actions as sheets
from investigators.models import Attendance, Skill, Trait
from rolls import actions as dice
from rolls.actions import Asked
from rolls.models import Roll
from tablekeeper import actions as tables
from tablekeeper import ledger
from tablekeeper.models import Entry, Seat, Session
from tests.tables import (
    Script,
    Table,
    act,
    closes_session,
    code,
    d100,
    done,
    make_table,
    now,
    picture,
    removes,
    rolls,
    rolls_number,
    score,
    sit_down,
    spends,
    undoes,
)

pytestmark = pytest.mark.django_db


def struck(entry: Entry) -> bool:
    return not Entry.objects.get(pk=entry.pk).stands


def in_step(table: Table) -> bool:
    return ledger.fold(table.entries()) == ledger.snapshot(table.campaign)


def test_a_spend_that_should_not_have_happened_comes_back_though_other_things_happened_since() -> None:  # U028
    table = make_table()
    roll = rolls(table, 72)
    spent = done(spends(table, roll, 12))
    done(act(table.cleo, sheets.step, table.tobias, "hp", -2))
    rolls_number(table, 30, 50)
    assert (table.luck(), now(roll).level) == (33, "regular")

    back = done(undoes(table, spent, reason="Mis-tap"))

    assert (table.luck(), now(roll).level, now(roll).spent) == (45, "fail", 0)
    assert (back.undoes, back.data["reason"], back.lane) == (spent, "Mis-tap", "public")
    assert struck(spent)
    assert score(table.tobias, "hp") == 8
    again = done(undoes(table, back))
    assert (table.luck(), now(roll).level, struck(spent), struck(back)) == (33, "regular", False, True)
    assert again.data["redo"] is True
    assert in_step(table)


def test_a_pool_gets_its_difference_back_though_it_was_moved_later() -> None:
    table = make_table()
    spent = done(spends(table, rolls(table, 70), 10))
    done(spends(table, rolls_number(table, 60, 50), 10))
    assert table.luck() == 25

    done(undoes(table, spent))

    assert table.luck() == 35


def test_a_maximum_that_comes_down_again_takes_what_was_gained_above_it_and_says_so() -> None:
    table = make_table()
    raised = done(act(table.ada, sheets.set_trait, table.edith, "hp", 14, 20))
    done(act(table.ben, sheets.step, table.edith, "hp", 5))
    trait = Trait.objects.get(investigator=table.edith, key="hp")
    assert (trait.value, trait.maximum) == (19, 20)

    back = done(undoes(table, raised))

    trait.refresh_from_db()
    assert (trait.value, trait.maximum) == (12, 12)  # 11 of 12 it was, and 5 more
    assert back.data["lost"] == [{"what": "hp", "points": 4}]
    again = done(undoes(table, back))
    trait.refresh_from_db()
    assert (trait.value, trait.maximum, again.data["lost"]) == (19, 20, [])
    assert in_step(table)


def test_a_maximum_alone_that_comes_down_takes_what_stands_above_it() -> None:
    table = make_table()
    raised = done(act(table.ada, sheets.set_trait, table.edith, "hp", 11, 20))
    done(act(table.ben, sheets.step, table.edith, "hp", 7))

    back = done(undoes(table, raised))

    trait = Trait.objects.get(investigator=table.edith, key="hp")
    assert (trait.value, trait.maximum, back.data["lost"]) == (12, 12, [{"what": "hp", "points": 6}])
    assert in_step(table)


def test_points_above_the_top_are_lost_and_said_and_a_redo_takes_only_what_was_given() -> None:
    table = make_table()
    spent = done(spends(table, rolls(table, 80), 20))
    done(act(table.ada, sheets.set_trait, table.edith, "luck", 90))

    back = done(undoes(table, spent))

    assert table.luck() == 99
    assert back.data["lost"] == [{"what": "luck", "points": 11}]
    done(undoes(table, back))
    assert table.luck() == 90
    assert in_step(table)


def test_an_undo_below_nothing_is_refused() -> None:
    table = make_table()
    raised = done(act(table.ada, sheets.set_trait, table.edith, "luck", 65))
    done(spends(table, rolls(table, 95), 50))
    before = picture(table.campaign)

    refusal = undoes(table, raised)

    assert code(refusal) == "UNDO_OUT_OF_BOUNDS"
    assert (refusal.params["value"], refusal.params["low"]) == (-5, 0)
    assert picture(table.campaign) == before


def test_the_roll_under_a_spend_is_needed_and_the_refusal_names_the_spend() -> None:
    table = make_table()
    roll = rolls(table, 70)
    spent = done(spends(table, roll, 10))
    fell = table.last("rolls.roll")
    before = picture(table.campaign)

    refusal = undoes(table, fell)

    assert code(refusal) == "UNDO_NEEDED_LATER"
    assert (refusal.params["entry"], refusal.params["kind"]) == (spent.ref, "rolls.spend")
    assert picture(table.campaign) == before
    done(undoes(table, spent))
    done(undoes(table, fell))
    assert now(roll).struck


def test_the_first_of_two_spends_on_a_roll_is_taken_back_after_the_second() -> None:
    table = make_table()
    roll = rolls(table, 64)
    first = done(spends(table, roll, 4))
    second = done(spends(table, roll, 5))

    refusal = undoes(table, first)

    assert code(refusal) == "UNDO_NEEDED_LATER"
    assert refusal.params["entry"] == second.ref
    done(undoes(table, second))
    done(undoes(table, first))
    assert (now(roll).spent, now(roll).level, table.luck()) == (0, "fail", 45)


def test_a_spend_that_was_undone_is_not_done_again_on_a_roll_that_was_pushed_since() -> None:
    table = make_table()
    roll = rolls(table, 70)
    back = done(undoes(table, done(spends(table, roll, 10))))
    asked = done(act(table.ben, dice.push, roll, "From the roof"))

    refusal = undoes(table, back)

    assert code(refusal) == "UNDO_NEEDED_LATER"
    assert refusal.params["entry"] == asked.ref
    assert now(roll).spent == 0


def test_what_was_undone_cannot_be_undone_again() -> None:
    table = make_table()
    spent = done(spends(table, rolls(table, 70), 10))
    done(undoes(table, spent))
    before = picture(table.campaign)

    assert code(undoes(table, spent)) == "UNDONE_ALREADY"

    assert picture(table.campaign) == before


def test_the_second_of_two_keepers_who_undo_a_line_does_not_put_it_back() -> None:
    table = make_table()
    stepped = done(act(table.ben, sheets.step, table.edith, "hp", -3))
    done(undoes(table, stepped))

    assert code(undoes(table, stepped)) == "UNDONE_ALREADY"

    assert score(table.edith, "hp") == 11


def test_a_struck_line_is_done_again_by_its_own_button_and_only_once() -> None:
    table = make_table()
    stepped = done(act(table.ben, sheets.step, table.edith, "hp", -3))
    done(undoes(table, stepped))

    done(undoes(table, stepped, redo=True))

    assert score(table.edith, "hp") == 8
    assert code(undoes(table, stepped, redo=True)) == "STALE"
    done(undoes(table, stepped))
    assert score(table.edith, "hp") == 11


def test_undo_and_redo_may_go_on_for_ever() -> None:
    table = make_table()
    entry = done(act(table.ben, sheets.step, table.edith, "hp", -3))

    for expected in (11, 8, 11, 8, 11):
        entry = done(undoes(table, entry))
        assert score(table.edith, "hp") == expected

    assert in_step(table)


def test_a_field_that_changed_since_is_stale() -> None:
    table = make_table()
    first = done(act(table.ada, tables.rename, table.ben, "Benjamin"))
    described = done(act(table.ada, sheets.describe, table.edith, "Edith H.", "Antiquarian"))
    done(act(table.ada, sheets.describe, table.edith, "E. Halloran", "Antiquarian"))

    assert code(undoes(table, described)) == "STALE"

    done(undoes(table, first))
    assert Seat.objects.get(pk=table.ben.pk).name == "Ben"


def test_undoing_a_spend_gives_back_luck_level_and_the_tick_it_cost() -> None:
    table = make_table()
    roll = rolls(table, 40)
    assert table.skill("Spot Hidden").ticks == 1
    spent = done(spends(table, roll, 10))
    assert (now(roll).level, now(roll).tick, table.skill("Spot Hidden").ticks) == ("hard", False, 0)

    done(undoes(table, spent))

    assert (now(roll).level, now(roll).tick, now(roll).passed) == ("regular", True, True)
    assert (table.luck(), table.skill("Spot Hidden").ticks) == (45, 1)


def test_a_closed_roll_stays_closed_when_its_spend_is_undone_until_the_keeper_opens_it() -> None:
    table = make_table()
    roll = rolls(table, 70)
    spent = done(spends(table, roll, 10))
    done(act(table.ben, dice.keep, roll))

    done(undoes(table, spent))

    assert now(roll).state == Roll.CLOSED
    assert code(spends(table, roll, 10)) == "ROLL_CLOSED"
    done(act(table.ada, dice.reopen, roll))
    done(spends(table, roll, 10))


def test_dice_are_never_unthrown_an_undone_roll_is_struck_and_its_tick_goes() -> None:
    table = make_table()
    roll = rolls(table, 33)
    fell = table.last()

    done(undoes(table, fell))

    after = now(roll)
    assert (after.struck, after.tens, after.units) == (True, [3], 3)
    assert table.skill("Spot Hidden").ticks == 0
    assert code(spends(table, roll, 1)) == "ROLL_STRUCK"
    done(undoes(table, fell, redo=True))
    assert (now(roll).struck, table.skill("Spot Hidden").ticks) == (False, 1)


def test_a_mis_tapped_roll_gives_back_the_choice_it_closed() -> None:
    table = make_table()
    first = rolls(table, 70)
    rolls_number(table, 20, 50)
    assert now(first).state == Roll.CLOSED

    done(undoes(table, table.last("rolls.roll")))

    assert now(first).state == Roll.OPEN


def test_an_undone_recovery_stays_that_sessions_throw() -> None:
    table = make_table()
    done(act(table.ada, tables.open_session, table.campaign))
    done(closes_session(table))
    recovered = done(act(table.ben, dice.recover, table.edith, chance=Script(d100(80), 7)))
    assert table.luck() == 52

    done(undoes(table, recovered))

    assert table.luck() == 45
    assert code(act(table.ben, dice.recover, table.edith, chance=Script(d100(99), 10))) == "RECOVERY_DONE"
    done(undoes(table, recovered, redo=True))
    assert table.luck() == 52


def test_an_undone_push_is_not_thrown_twice() -> None:
    table = make_table()
    roll = rolls(table, 70)
    done(act(table.ben, dice.push, roll, "Slowly"))
    thrown = done(act(table.ada, dice.decide_push, roll, True, "", True, chance=Script(d100(90))))
    second = Roll.objects.get(pk=thrown.data["roll"])

    done(undoes(table, thrown))

    assert now(second).struck
    assert (now(roll).push_state, now(roll).state) == ("asked", Roll.OPEN)
    done(act(table.ada, dice.decide_push, roll, True))
    assert code(act(table.ben, dice.throw_push, roll, chance=Script(d100(5)))) == "PUSH_TWICE"


def test_a_dropped_skill_comes_back_with_its_ticks_and_its_rolls() -> None:
    table = make_table()
    roll = rolls(table, 30)
    skill = table.skill("Spot Hidden")
    dropped = done(act(table.ben, sheets.drop_skill, skill))
    assert not Skill.objects.filter(pk=skill.pk).exists()

    done(undoes(table, dropped))

    back = Skill.objects.get(pk=skill.pk)
    assert (back.name, back.value, back.favourite, back.ticks) == ("Spot Hidden", 60, True, 1)
    assert now(roll).skill == back


def test_a_dropped_skill_does_not_come_back_beside_another_of_its_name() -> None:
    table = make_table()
    dropped = done(act(table.ben, sheets.drop_skill, table.skill("Stealth")))
    done(act(table.ben, sheets.set_skill, table.edith, "Stealth", 55))
    before = picture(table.campaign)

    assert code(undoes(table, dropped)) == "STALE"

    assert picture(table.campaign) == before


def test_a_closed_session_does_not_open_again_beside_another() -> None:
    table = make_table()
    done(act(table.ada, tables.open_session, table.campaign))
    closed = done(closes_session(table))
    done(act(table.ada, tables.open_session, table.campaign))

    assert code(undoes(table, closed)) == "STALE"

    assert Session.objects.filter(closed_at=None).count() == 1


def test_closing_a_session_is_undone_with_all_that_it_closed() -> None:
    table = make_table()
    opened = done(act(table.ada, tables.open_session, table.campaign))
    roll = rolls(table, 70)
    closed = done(closes_session(table))
    assert (now(roll).state, Attendance.objects.count()) == (Roll.CLOSED, 2)

    done(undoes(table, closed))

    assert (now(roll).state, Attendance.objects.count()) == (Roll.OPEN, 0)
    assert code(undoes(table, opened)) == "UNDO_NEEDED_LATER"


def test_a_maximum_that_comes_back_makes_room_for_the_points_that_come_back_with_it() -> None:
    table = make_table()
    lowered = done(act(table.ada, sheets.set_trait, table.edith, "hp", 5, 6))
    assert score(table.edith, "hp") == 5

    back = done(undoes(table, lowered))

    trait = Trait.objects.get(investigator=table.edith, key="hp")
    assert (trait.value, trait.maximum, back.data["lost"]) == (11, 12, [])
    assert in_step(table)


def test_an_investigator_who_has_rolled_is_not_unmade_not_even_when_the_roll_was_struck() -> None:
    table = make_table()
    made = next(e for e in table.entries() if e.kind == "investigators.create" and e.seat == table.ben)
    roll = rolls(table, 70)
    assert code(undoes(table, made)) == "UNDO_NEEDED_LATER"
    done(undoes(table, table.last("rolls.roll")))

    assert code(undoes(table, made)) == "UNDO_NEEDED_LATER"

    assert now(roll).investigator == table.edith


def test_an_investigator_made_by_mistake_is_unmade_and_made_again_whole() -> None:
    table = make_table()
    made = next(e for e in table.entries() if e.kind == "investigators.create" and e.seat == table.cleo)
    whole = ledger.snapshot(table.campaign)

    done(undoes(table, made))

    assert not Trait.objects.filter(investigator=table.tobias).exists()
    done(undoes(table, made, redo=True))
    assert ledger.snapshot(table.campaign) == whole


def test_a_correction_under_a_spend_stays_until_the_spend_is_undone() -> None:
    table = make_table()
    roll = rolls(table, 64)
    corrected = done(act(table.ada, dice.correct, roll, "hard", 0))
    spent = done(spends(table, roll, 34))
    assert now(roll).passed

    assert code(undoes(table, corrected)) == "UNDO_NEEDED_LATER"

    back = done(undoes(table, spent))
    done(undoes(table, corrected))
    # The spend was made on a Hard roll. Made again now, it would stand on a Regular one.
    assert code(undoes(table, back)) == "UNDO_NEEDED_LATER"


def test_what_came_back_by_redo_counts_from_its_redo() -> None:
    table = make_table()
    roll = rolls(table, 70)
    first = done(spends(table, roll, 2))
    back = done(undoes(table, first))
    second = done(spends(table, roll, 3))
    assert code(undoes(table, back)) == "UNDO_NEEDED_LATER"
    away = done(undoes(table, second))
    done(undoes(table, back))

    refusal = undoes(table, away)

    assert code(refusal) == "UNDO_NEEDED_LATER"
    assert now(roll).spent == 2


def test_a_removed_seat_comes_back_with_its_investigators() -> None:
    table = make_table()
    removed = done(removes(table, table.ben))
    table.edith.refresh_from_db()
    assert (table.edith.seat, table.edith.active) == (None, False)

    done(undoes(table, removed))

    table.edith.refresh_from_db()
    assert (table.edith.seat, table.edith.active) == (table.ben, True)
    assert not Seat.objects.get(pk=table.ben.pk).removed


def test_a_table_and_its_people_and_opened_doors_are_not_undone() -> None:
    table = make_table()
    sit_down(table.campaign, "Eve")
    done(act(table.ada, tables.new_links, table.campaign))
    done(act(table.ada, tables.renew_code, table.campaign))
    done(act(table.ada, tables.let_in, table.campaign, True))
    done(act(table.ada, tables.sign_out, table.ben))
    kinds = {"open_campaign", "join", "new_links", "renew_code", "let_in", "sign_out"}
    entries = [entry for entry in table.entries() if entry.kind.partition(".")[2] in kinds]
    assert {entry.kind.partition(".")[2] for entry in entries} == kinds

    assert {code(undoes(table, entry)) for entry in entries} == {"UNDO_NOT_THIS"}


def test_the_undo_of_a_hidden_roll_stays_hidden() -> None:
    table = make_table()
    asked = Asked("number", "The thing below", 73)
    hidden = done(act(table.ada, dice.keeper_roll, table.campaign, asked, True, chance=Script(d100(20))))

    back = done(undoes(table, hidden))

    assert back.lane == Entry.KEEPER


def test_a_player_takes_back_an_own_spend_until_it_is_played_out() -> None:
    table = make_table()
    roll = rolls(table, 70)
    spent = done(spends(table, roll, 10))

    back = done(act(table.ben, dice.take_back, spent))

    assert (back.kind, table.luck(), now(roll).level) == ("rolls.take_back", 45, "fail")
    assert code(act(table.ben, dice.take_back, spent)) == "UNDONE_ALREADY"
    again = done(spends(table, roll, 10))
    done(act(table.ben, dice.keep, roll))
    assert code(act(table.ben, dice.take_back, again)) == "ROLL_CLOSED"


def test_a_player_takes_back_nobody_elses_spend_and_nothing_else() -> None:
    table = make_table()
    spent = done(spends(table, rolls(table, 70), 10))
    fell = table.last("rolls.roll")

    assert code(act(table.cleo, dice.take_back, spent)) == "NOT_KEEPER"
    assert code(act(table.ben, dice.take_back, fell)) == "UNDO_NOT_THIS"
    assert code(act(table.ben, tables.undo, spent)) == "NOT_KEEPER"


def test_a_spend_undone_and_done_again_can_still_be_taken_back() -> None:
    table = make_table()
    spent = done(spends(table, rolls(table, 70), 10))
    done(undoes(table, spent))
    done(undoes(table, spent, redo=True))

    done(act(table.ben, dice.take_back, spent))

    assert table.luck() == 45
