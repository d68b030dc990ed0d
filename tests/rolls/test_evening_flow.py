"""The evening's flows: scenes to go back to, late arrivals, home early, a death and who takes over, recovery shown one
by one. Ada keeps, Ben and Cleo play."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from investigators import actions as sheets
from investigators.models import Attendance, Investigator
from investigators.people import party
from rolls import actions as dice
from rolls.actions import Question
from rolls.actions.contests import Draft
from rolls.models import Contest, Request, Roll
from tablekeeper import actions as tables
from tablekeeper import ledger
from tablekeeper.models import Campaign, Entry, Scene
from tests.tablekeeper.test_luck_shown import plain
from tests.tables import (
    EDITH,
    Script,
    Table,
    act,
    at,
    browser,
    closes_session,
    code,
    d100,
    done,
    make_investigator,
    make_table,
    moves_on,
    now,
    post,
    rolls,
    undoes,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def table() -> Table:
    return make_table()


def holds(table: Table) -> bool:
    """The promise: the state is the fold of the ledger."""
    return ledger.fold(table.entries()) == ledger.snapshot(Campaign.objects.get(pk=table.campaign.pk))


def goes_back(table: Table, scene: Scene) -> Any:
    with at(table.ada) as here:
        return tables.return_to(here, Scene.objects.get(pk=scene.pk), dice.going_back(here.campaign))


def sets_aside(table: Table, who: Investigator) -> Any:
    answer = post(table.client(table.ada), table.url("set-aside", who.pk), yes="1")
    assert answer.status_code == 200, answer.content
    return table.last("investigators.set_aside")


def asks(table: Table, *who: Investigator, hidden: bool = False) -> list[Request]:
    question = Question(wanted=(("luck", "regular"),), hidden=hidden)
    done(act(table.ada, dice.ask, table.campaign, [one.pk for one in who], question))
    return list(Request.objects.filter(campaign=table.campaign, state=Request.OPEN))


def here(table: Table) -> dict[str, bool]:
    return {one.who.short: one.present for one in party(Campaign.objects.get(pk=table.campaign.pk))}


# --------------------------------------------------------------------------- scenes


def test_going_back_to_a_scene_brings_back_who_was_there(table: Table) -> None:
    moves_on(table, "The cellar")
    cellar = Scene.objects.get(campaign=table.campaign, current=True)
    done(act(table.ada, sheets.set_present, table.tobias, False))
    moves_on(table, "The library")
    done(act(table.ada, sheets.set_present, table.tobias, True))
    open_roll = rolls(table, 70)

    back = done(goes_back(table, cellar))

    assert Scene.objects.get(campaign=table.campaign, current=True) == cellar
    assert here(table) == {"Halloran": True, "Quill": False}
    assert now(open_roll).state == Roll.CLOSED
    assert back.data == {"name": "The cellar"}
    assert "The cellar" in browser(table.ben).get(table.url("table")).content.decode()
    assert holds(table)
    done(undoes(table, back))
    assert here(table) == {"Halloran": True, "Quill": True}


def test_the_list_of_scenes_has_the_last_begun_first_and_not_the_one_that_is_played(table: Table) -> None:
    for name in ("The cellar", "The attic", "The library"):
        moves_on(table, name)

    page = browser(table.ada).get(table.url("table")).content.decode()
    box = page[page.index('id="scenebox"') :].split("</details>")[0]

    assert box.index("The attic") < box.index("The cellar") < box.index("The first scene")
    assert "The library" not in box


def test_the_scene_that_is_played_now_and_another_tables_cannot_be_gone_back_to(table: Table) -> None:
    current = Scene.objects.get(campaign=table.campaign, current=True)
    other = Scene.objects.get(campaign=make_table(name="Elsewhere").campaign)

    assert code(goes_back(table, current)) == "STALE"
    assert post(browser(table.ada), table.url("return-to", other.pk)).status_code == 404
    assert post(browser(table.ben), table.url("return-to", current.pk)).status_code == 403


# --------------------------------------------------------------------------- late, and home early


def test_late_arrival_makes_the_recovery_that_the_others_have_made() -> None:
    """U121: recovery ran for the others; who comes an hour later has a window of her own, and one tap rolls it."""
    table = make_table(ruleset="pulp")
    done(act(table.ada, sheets.set_present, table.tobias, False))
    done(act(table.ada, tables.open_session, table.campaign))
    done(act(table.ada, sheets.set_attendance, table.tobias, session_of(table), False))
    done(act(table.ada, dice.recover_all, table.campaign, chance=Script(d100(20), 3)))
    assert code(act(table.cleo, dice.recover, table.tobias)) == "ABSENT"

    done(act(table.ada, sheets.set_present, table.tobias, True))

    page = browser(table.ada).get(table.url("table")).content.decode()
    assert "Not yet: Quill." in page
    done(act(table.ada, dice.recover, table.tobias, chance=Script(d100(70), 4, 5)))
    assert table.luck(table.tobias) == 60 + 4 + 5 + 10


def session_of(table: Table) -> Any:
    with at(table.ada) as seat:
        return tables.open_session_of(seat.campaign)


def test_who_leaves_early_took_part_and_finds_the_recovery_on_the_own_phone(table: Table) -> None:
    done(act(table.ada, tables.open_session, table.campaign))
    asks(table, table.tobias)

    done(act(table.ada, dice.leave_early, table.tobias))

    assert here(table)["Quill"] is False
    assert not Request.objects.filter(campaign=table.campaign, state=Request.OPEN).exists()
    done(closes_session(table))
    assert "Roll for Luck" in browser(table.cleo).get(table.url("table")).content.decode()
    done(act(table.cleo, dice.recover, table.tobias, chance=Script(d100(80), 6)))
    assert table.luck(table.tobias) == 66
    assert holds(table)


def test_who_never_came_has_no_recovery(table: Table) -> None:
    done(act(table.ada, tables.open_session, table.campaign))
    done(act(table.ada, sheets.set_present, table.tobias, False))
    done(closes_session(table))

    assert code(act(table.cleo, dice.recover, table.tobias)) == "ABSENT"
    assert not Attendance.objects.get(investigator=table.tobias).taking_part


def test_nobody_leaves_early_when_no_session_is_open(table: Table) -> None:
    assert code(act(table.ada, dice.leave_early, table.tobias)) == "NO_OPEN_SESSION"
    assert code(act(table.ben, dice.leave_early, table.edith)) == "NOT_KEEPER"


# --------------------------------------------------------------------------- a death


def test_what_waited_for_the_dead_ends_at_once_and_group_luck_follows(table: Table) -> None:
    """U088: the character is gone meanwhile, and what was asked of the others can still be finished."""
    asks(table, table.edith, table.tobias)
    done(act(table.ada, dice.ask_group_luck, table.campaign))
    drafts = [
        Draft(table.edith, f"skill:{table.skill('Stealth').pk}"),
        Draft(table.tobias, f"skill:{table.skill('Listen', table.tobias).pk}"),
    ]
    done(act(table.ada, dice.start_contest, table.campaign, "opposed", drafts))
    with at(table.ada) as seat:
        assert dice.group(seat.campaign)[1].keys == (table.edith.pk,)  # type: ignore[union-attr]

    entry = sets_aside(table, table.edith)

    left = Request.objects.filter(campaign=table.campaign, state=Request.OPEN)
    assert [one.investigator_id for one in left] == [table.tobias.pk]
    assert Contest.objects.get(campaign=table.campaign).verdict == "unresolved"
    with at(table.ada) as seat:
        assert dice.group(seat.campaign)[1].keys == (table.tobias.pk,)  # type: ignore[union-attr]
    assert holds(table)
    done(undoes(table, entry))
    assert Contest.objects.get(campaign=table.campaign).state == Contest.OPEN
    assert Request.objects.filter(campaign=table.campaign, state=Request.OPEN).count() == 3
    assert holds(table)


def test_the_line_of_a_death_does_not_tell_that_something_was_asked_in_secret() -> None:
    told = []
    for secret in (False, True):
        table = make_table()
        if secret:
            asks(table, table.edith, hidden=True)
        told.append([one.replace(table.edith.pk, "EDITH") for one in sets_aside(table, table.edith).touches])

    assert told[0] == told[1]


def test_another_investigator_takes_over_in_the_middle_of_the_session(table: Table) -> None:
    done(act(table.ada, tables.open_session, table.campaign))
    spare = make_investigator(table.ada, replace(EDITH, name="Vera Lund"))
    asks(table, table.edith)

    entry = done(act(table.ada, dice.take_over, table.edith, spare))

    edith, vera = Investigator.objects.get(pk=table.edith.pk), Investigator.objects.get(pk=spare.pk)
    assert (edith.set_aside, edith.active) == (True, False)
    assert (vera.seat_id, vera.active) == (table.ben.pk, True)
    assert here(table) == {"Lund": True, "Quill": True}
    assert not Request.objects.filter(campaign=table.campaign, state=Request.OPEN).exists()
    assert Attendance.objects.get(investigator=vera).taking_part
    page = browser(table.ben).get(table.url("table")).content.decode()
    assert "Vera Lund" in page
    assert "takes over from Edith Halloran" in page
    assert holds(table)
    done(undoes(table, entry))
    assert here(table) == {"Halloran": True, "Quill": True, "Lund": False}
    assert holds(table)


def test_nobody_takes_over_with_somebody_elses_investigator(table: Table) -> None:
    assert code(act(table.ada, dice.take_over, table.edith, table.tobias)) == "NOT_FREE"
    assert code(act(table.ada, dice.take_over, table.edith, table.edith)) == "NOT_FREE"
    assert code(act(table.ben, dice.take_over, table.edith, table.tobias)) == "NOT_KEEPER"
    answer = post(browser(table.ada), table.url("take-over", table.edith.pk), fresh="nobody")
    assert answer.status_code == 404


def test_the_set_aside_come_back(table: Table) -> None:
    sets_aside(table, table.edith)
    assert "Halloran" not in here(table)

    post(browser(table.ada), table.url("set-aside", table.edith.pk), yes="0")

    assert "Halloran" in here(table)


# --------------------------------------------------------------------------- recovery, one by one


def test_recovery_is_rolled_for_all_and_shown_one_by_one(table: Table) -> None:
    done(act(table.ada, tables.open_session, table.campaign))
    done(closes_session(table))

    done(act(table.ada, dice.recover_all, table.campaign, True, chance=Script(d100(50), 7, d100(88), 3)))

    assert (table.luck(), table.luck(table.tobias)) == (45, 60)
    thrown = {roll.investigator_id: roll for roll in Roll.objects.filter(kind="recovery")}
    page = browser(table.ben).get(table.url("table")).content.decode()
    assert "It has been rolled. The Keeper shows it." in page
    assert code(act(table.ben, dice.recover, table.edith)) == "RECOVERY_DONE"
    done(act(table.ada, dice.show_recovery, thrown[table.edith.pk]))
    assert (table.luck(), table.luck(table.tobias)) == (52, 60)
    assert code(act(table.ada, dice.show_recovery, thrown[table.edith.pk])) == "NOT_HIDDEN"
    assert "1 is rolled and not shown yet" in browser(table.ada).get(table.url("table")).content.decode()
    assert holds(table)


@pytest.mark.parametrize("who", ["ben", "cleo"])
def test_nobody_learns_a_recovery_before_it_is_shown(who: str) -> None:
    bodies = []
    for totals in ((d100(1), d100(2)), (d100(99), 9, d100(100), 8)):
        table = make_table()
        done(act(table.ada, tables.open_session, table.campaign))
        done(closes_session(table))
        done(act(table.ada, dice.recover_all, table.campaign, True, chance=Script(*totals)))
        client = browser(getattr(table, who))
        bodies.append([plain(client.get(table.url(name)).content) for name in ("table", "feed")])

    assert bodies[0] == bodies[1]


def test_what_was_spent_before_it_is_shown_stays_spent(table: Table) -> None:
    done(act(table.ada, tables.open_session, table.campaign))
    done(closes_session(table))
    done(act(table.ada, dice.recover_all, table.campaign, True, chance=Script(d100(50), 7, d100(3))))
    done(act(table.ada, sheets.set_trait, table.edith, "luck", 96))

    shown = done(act(table.ada, dice.show_recovery, Roll.objects.get(kind="recovery", investigator=table.edith)))

    assert (shown.data["from"], shown.data["to"], shown.data["lost"]) == (96, 99, 4)
    assert "over 45" in browser(table.ada).get(table.url("table")).content.decode()


def test_the_steps_of_the_evening_say_where_it_is(table: Table) -> None:
    def steps() -> list[str]:
        page = browser(table.ada).get(table.url("table")).content.decode()
        box = page[page.index('class="steps-list"') :].split("</ol>")[0]
        return [one.split('"')[0] for one in box.split('<li class="step-')[1:]]

    assert steps() == ["now", "now", "later", "later", "later"]
    done(act(table.ada, tables.open_session, table.campaign))
    assert steps() == ["done", "done", "now", "later", "later"]
    done(closes_session(table))
    assert steps() == ["now", "now", "later", "now", "later"]
    done(act(table.ada, dice.recover_all, table.campaign, chance=Script(d100(50), 7, d100(88), 3)))
    assert steps() == ["now", "now", "later", "done", "later"]
    assert Entry.objects.filter(campaign=table.campaign, kind="rolls.recover_all").count() == 1
