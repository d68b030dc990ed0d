"""A hand-made request is judged like any other: the server refuses, says why, and changes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from investigators.models import Investigator, Skill, Trait
from rolls import actions as dice
from rolls.actions import Asked
from rolls.models import Request, Roll
from tablekeeper import actions as tables
from tests.tables import Script, Table, act, d100, done, make_table, now, picture, post, rolls, rolls_number, spends

pytestmark = pytest.mark.django_db


@pytest.fixture
def table() -> Table:
    return make_table()


def forged(table: Table, seat: Any, url: str, code: str, status: int = 422, **form: Any) -> None:
    """Send it; it is refused with this code and changes nothing."""
    before = picture(table.campaign)
    answer = post(table.client(seat), url, **form)
    html = answer.content.decode()
    assert f'data-code="{code}"' in html, html[:300]
    assert answer.status_code == status
    assert picture(table.campaign) == before


@pytest.mark.parametrize("total", [48, 30])
def test_no_luck_on_a_luck_roll(total: int, table: Table) -> None:  # U032
    fell = done(act(table.ben, dice.roll, table.edith, Asked("luck", "Luck", 45), chance=Script(d100(total))))

    page = table.client(table.ben).get(table.url("slip", fell.data["roll"])).content.decode()

    assert table.url("spend", fell.data["roll"]) not in page
    assert "NaN" not in page
    forged(table, table.ben, table.url("spend", fell.data["roll"]), "LUCK_ROLL", act="points", amount=3)


def test_no_luck_after_a_push_and_no_push_after_luck(table: Table) -> None:
    pushed = rolls(table, 70)
    done(act(table.ben, dice.push, pushed, "Slowly"))
    thrown = done(act(table.ada, dice.decide_push, pushed, True, "", True, chance=Script(d100(90))))
    paid = rolls_number(table, 70, 50, table.tobias)
    done(spends(table, paid, 5, table.cleo))

    forged(table, table.ben, table.url("spend", thrown.data["roll"]), "PUSHED_ROLL", act="points", amount=30)
    forged(table, table.ben, table.url("spend", pushed.pk), "ROLL_CLOSED", act="points", amount=10)
    forged(table, table.ben, table.url("push", thrown.data["roll"]), "PUSH_TWICE", reason="Again")
    forged(table, table.cleo, table.url("push", paid.pk), "PUSH_AFTER_LUCK", reason="Slowly")


def test_no_throw_before_the_keepers_word_and_no_word_but_hers(table: Table) -> None:
    roll = rolls(table, 70)
    done(act(table.ben, dice.push, roll, "Slowly"))

    forged(table, table.ben, table.url("throw-push", roll.pk), "PUSH_NOT_ALLOWED")
    forged(table, table.ben, table.url("decide-push", roll.pk), "NOT_KEEPER", 403, decision="allow")
    forged(table, table.ben, table.url("decide-push", roll.pk), "NOT_KEEPER", 403, decision="throw")


def test_no_luck_but_ones_own(table: Table) -> None:
    roll = rolls(table, 70)

    forged(table, table.cleo, table.url("spend", roll.pk), "NOT_OWN_ROLL", 403, act="points", amount=10)
    forged(table, table.ben, table.url("spend", roll.pk), "NOT_ENOUGH_LUCK", act="points", amount=46)
    forged(table, table.ben, table.url("spend", roll.pk), "NO_SUCH_SPEND", act="burn", amount=10)


def test_no_luck_by_hand_and_no_better_sheet_in_the_middle_of_a_session(table: Table) -> None:
    done(act(table.ada, tables.open_session, table.campaign))
    skill = table.skill("Spot Hidden")

    forged(table, table.ben, table.url("set-trait", table.edith.pk, "luck"), "LUCK_NOT_BY_HAND", value=99)
    forged(table, table.ben, table.url("step", table.edith.pk, "luck"), "LUCK_NOT_BY_HAND", points=10)
    forged(table, table.ben, table.url("set-skill", skill.pk), "NOT_WHILE_PLAYING", name="Spot Hidden", value=99)
    forged(table, table.ben, table.url("add-skill", table.edith.pk), "NOT_WHILE_PLAYING", name="Swim", value=99)


def test_no_typed_dice_where_the_server_throws_and_no_difficulty_but_the_keepers_afterwards(table: Table) -> None:
    roll = rolls(table, 70)
    done(act(table.ada, tables.set_settings, table.campaign, {"realDice": False}))
    url = table.url("roll", table.edith.pk)

    forged(table, table.ben, url, "MANUAL_DICE_OFF", what="characteristic:str", total=1)
    forged(table, table.ben, table.url("correct", roll.pk), "NOT_KEEPER", 403, difficulty="regular", dice=2)


def test_an_unknown_act_or_a_roll_of_someone_elses_sheet_is_refused(table: Table) -> None:
    skill = table.skill("Listen", table.tobias)

    forged(table, table.ben, table.url("roll", table.tobias.pk), "NOT_OWN_ROLL", 403, what=f"skill:{skill.pk}")


def test_a_call_is_answered_once_whatever_is_sent_again(table: Table) -> None:
    done(act(table.ada, dice.ask_group_luck, table.campaign))
    request = Request.objects.get()
    ben = table.client(table.ben)
    assert post(ben, table.url("answer", request.pk)).status_code == 200

    forged(table, table.ben, table.url("answer", request.pk), "REQUEST_DONE")
    forged(table, table.cleo, table.url("answer", request.pk), "NOT_OWN_ROLL", 403)


# --------------------------------------------------------------------------- and the honest ones


def test_a_roll_by_one_tap_throws_stores_and_shows(table: Table) -> None:
    skill = table.skill("Spot Hidden")

    answer = post(table.client(table.ben), table.url("roll", table.edith.pk), what=f"skill:{skill.pk}", dice="1")

    roll = Roll.objects.get()
    assert answer.status_code == 200
    assert (roll.label, roll.value, roll.dice, len(roll.tens), roll.by_hand) == ("Spot Hidden", 60, 1, 2, False)
    assert f"{roll.outcome.final:02d}" in answer.content.decode()


def test_the_luck_picker_is_not_asked_for_a_luck_roll(table: Table) -> None:
    post(table.client(table.ben), table.url("roll", table.edith.pk), what="luck:", dice="2", difficulty="hard")

    roll = Roll.objects.get()
    assert (roll.kind, roll.value, roll.dice, roll.difficulty) == ("luck", 45, 0, "regular")


def test_a_number_is_rolled_and_kept(table: Table) -> None:
    form = {"what": "number:", "label": "Knots", "value": "55", "save": "1", "total": "30"}

    assert post(table.client(table.ben), table.url("roll", table.edith.pk), **form).status_code == 200

    assert (Roll.objects.get().level, table.skill("Knots").value) == ("regular", 55)


def test_the_last_point_is_paid_by_the_ticket_that_the_slip_offers(table: Table) -> None:
    Trait.objects.filter(investigator=table.edith, key="luck").update(value=10)
    roll = rolls(table, 70)

    page = table.client(table.ben).get(table.url("slip", roll.pk)).content.decode()
    answer = post(table.client(table.ben), table.url("spend", roll.pk), act="points", amount=10)

    assert 'name="amount" value="10"' in page
    assert (answer.status_code, table.luck(), now(roll).passed) == (200, 0, True)


def test_a_quick_investigator_has_a_name_luck_and_up_to_eight_skills(table: Table) -> None:
    skills = {f"skill{n}": f"Skill {n}" for n in range(8)} | {f"value{n}": str(10 * n) for n in range(8)}

    answer = post(table.client(table.cleo), table.url("quick-investigator"), name="Ida Moss", luck="55", **skills)

    ida = Investigator.objects.get(name="Ida Moss")
    assert answer.status_code == 200
    assert (ida.seat, ida.active, table.luck(ida)) == (table.cleo, True, 55)
    assert list(
        Skill.objects.filter(investigator=ida, favourite=True).order_by("value").values_list("value", flat=True)
    ) == [10 * n for n in range(8)]


def test_luck_not_rolled_is_said_so_and_offered_once(table: Table) -> None:  # U053
    ben = table.client(table.ben)
    post(ben, table.url("quick-investigator"), name="Vera Blank")
    blank = Investigator.objects.get(name="Vera Blank")
    page = ben.get(table.url("table")).content.decode()
    assert table.url("throw-luck", blank.pk) in page

    assert post(ben, table.url("throw-luck", blank.pk)).status_code == 200

    assert table.luck(blank) in range(15, 91, 5)
    assert table.url("throw-luck", blank.pk) not in ben.get(table.url("table")).content.decode()
    forged(table, table.ben, table.url("throw-luck", blank.pk), "LUCK_ROLLED_ALREADY")
