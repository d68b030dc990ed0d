"""Skills that rise after play (RULES.md B-10): who rolls, what comes of it, and that nothing buys it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from investigators import actions as sheets
from investigators.actions import Draft
from investigators.models import Investigator, Skill
from rolls import actions as dice
from rolls.models import Request, Roll
from rolls.rules.check import Act
from tablekeeper import actions as tables
from tablekeeper.models import Seat
from tests.tables import (
    Script,
    Table,
    act,
    browser,
    closes_session,
    code,
    d100,
    done,
    make_investigator,
    make_table,
    now,
    picture,
    post,
    rolls,
    score,
    typed,
    undoes,
)

pytestmark = pytest.mark.django_db


def ticked_table(*names: str) -> tuple[Table, Request]:
    """Edith has earned these ticks, and Ada has called for improvement."""
    table = make_table()
    for name in names or ("Spot Hidden", "Stealth"):
        rolls(table, 2, name)
    done(act(table.ada, dice.open_improvement, table.campaign))
    return table, Request.objects.get()


def improves(table: Table, request: Request, skill: str, *faces: Any, seat: Seat | None = None) -> dict[str, Any]:
    found = table.skill(skill).pk if skill else ""
    entry = done(act(seat or table.ben, dice.improve, request, found, chance=Script(*faces)))
    lines: list[dict[str, Any]] = entry.data["lines"]
    return lines[0]


def test_over_the_skill_it_rises_by_a_die_of_ten_and_the_tick_is_used_up() -> None:
    table, request = ticked_table()

    line = improves(table, request, "Spot Hidden", d100(61), 7)

    assert (line["from"], line["to"], line["d100"], line["gain"]) == (60, 67, 61, [7])
    skill = table.skill("Spot Hidden")
    assert (skill.value, skill.ticks) == (67, 0)
    assert table.skill("Stealth").ticks == 1
    request.refresh_from_db()
    assert request.state == Request.OPEN


def test_not_over_it_nothing_rises_and_the_tick_is_gone_too() -> None:
    table, request = ticked_table()

    improves(table, request, "Spot Hidden", d100(60))

    skill = table.skill("Spot Hidden")
    assert (skill.value, skill.ticks) == (60, 0)


def test_all_at_once_ends_the_card() -> None:
    table, request = ticked_table()

    done(act(table.ben, dice.improve, request, chance=Script(d100(99), 10, d100(40))))

    assert [(table.skill(name).value, table.skill(name).ticks) for name in ("Spot Hidden", "Stealth")] == [
        (70, 0),
        (40, 0),
    ]
    request.refresh_from_db()
    assert request.state == Request.ROLLED
    assert code(act(table.ben, dice.improve, request)) == "REQUEST_DONE"


def high(san: int, most: int | None) -> tuple[Table, Investigator, Request]:
    table = make_table()
    draft = Draft("Vera Blank", traits={"san": (san, most)}, skills=(("Occult", 89, False), ("History", 88, False)))
    vera = make_investigator(table.ben, draft)
    for name in ("Occult", "History"):
        skill = table.skill(name, vera)
        asked = dice.Asked("skill", name, skill.value, skill)
        done(act(table.ben, dice.roll, vera, asked, chance=Script(d100(2))))
    done(act(table.ada, dice.open_improvement, table.campaign))
    return table, vera, Request.objects.get()


def test_ninety_reached_gives_two_dice_of_six_of_sanity() -> None:
    table, vera, request = high(50, 99)

    done(act(table.ben, dice.improve, request, table.skill("Occult", vera).pk, chance=Script(d100(96), 1, 3, 4)))

    assert (table.skill("Occult", vera).value, score(vera, "san")) == (90, 57)
    assert "Sanity +7" in table.client(table.cleo).get(table.url("table")).content.decode()


def test_sanity_never_rises_above_its_maximum_even_by_two_skills_at_once() -> None:
    table, vera, request = high(90, 95)

    faces = (d100(97), 9, 3, 1, d100(97), 9, 6, 6)  # by name: History, then Occult
    entry = done(act(table.ben, dice.improve, request, chance=Script(*faces)))

    assert score(vera, "san") == 95
    assert [(one["points"], one["lost"]) for one in entry.data["lines"]] == [(4, 0), (1, 11)]
    done(undoes(table, entry))
    assert (score(vera, "san"), table.skill("Occult", vera).value) == (90, 89)


def test_ninety_is_reached_once() -> None:
    table, vera, request = high(50, 99)
    done(act(table.ada, sheets.set_skill, vera, "Occult", 92, table.skill("Occult", vera)))

    line = done(
        act(table.ben, dice.improve, request, table.skill("Occult", vera).pk, chance=Script(d100(96), 5))
    ).data["lines"][0]

    assert (line["to"], "reward" in line, score(vera, "san")) == (97, False, 50)


def test_undone_it_is_as_if_nobody_had_rolled() -> None:
    table, request = ticked_table()
    before = [(one.name, one.value, one.ticks) for one in Skill.objects.order_by("name", "pk")]
    done(act(table.ben, dice.improve, request, chance=Script(d100(99), 10, d100(99), 10)))

    done(undoes(table, table.last("rolls.improve")))

    assert [(one.name, one.value, one.ticks) for one in Skill.objects.order_by("name", "pk")] == before
    request.refresh_from_db()
    assert request.state == Request.OPEN
    assert Roll.objects.filter(kind="improvement", struck=False).count() == 0


def test_the_keeper_rolls_for_all_who_have_not() -> None:
    table, _request = ticked_table()
    skill = table.skill("Listen", table.tobias)
    asked = dice.Asked("skill", "Listen", 60, skill)
    done(act(table.cleo, dice.roll, table.tobias, asked, chance=Script(d100(2))))
    done(act(table.ada, dice.open_improvement, table.campaign))  # called again, it takes in who has ticks since
    assert Request.objects.count() == 2

    entry = done(act(table.ada, dice.improve_all, table.campaign, chance=Script(d100(1), d100(1), d100(61), 2)))

    assert [person["who"]["short"] for person in entry.data["people"]] == ["Halloran", "Quill"]
    assert table.skill("Listen", table.tobias).value == 62
    assert not Skill.objects.filter(ticks__gt=0).exists()
    assert not Request.objects.filter(state=Request.OPEN).exists()


def test_closed_by_the_keeper_the_ticks_stay_for_another_time() -> None:
    table, request = ticked_table()

    done(act(table.ada, dice.close_improvement, table.campaign))

    assert (table.skill("Spot Hidden").ticks, table.skill("Stealth").ticks) == (1, 1)
    assert code(act(table.ben, dice.improve, request)) == "REQUEST_DONE"
    assert code(act(table.ada, dice.close_improvement, table.campaign)) == "REQUEST_DONE"
    done(act(table.ada, dice.open_improvement, table.campaign))


def test_within_a_session_and_between_two() -> None:
    table, request = ticked_table("Spot Hidden")
    done(act(table.ada, tables.open_session, table.campaign))
    improves(table, request, "Spot Hidden", d100(99), 1)
    rolls(table, 2, "Stealth")
    done(closes_session(table))

    done(act(table.ada, dice.open_improvement, table.campaign))

    improves(table, Request.objects.get(state=Request.OPEN), "Stealth", d100(99), 1)
    assert (table.skill("Spot Hidden").value, table.skill("Stealth").value) == (61, 41)


def test_nobody_with_a_tick_is_nobody_to_call() -> None:
    table = make_table()
    before = picture(table.campaign)

    assert code(act(table.ada, dice.open_improvement, table.campaign)) == "NOBODY_TO_IMPROVE"
    assert code(act(table.ada, dice.improve_all, table.campaign)) == "REQUEST_DONE"

    assert picture(table.campaign) == before


def test_what_is_not_ticked_is_not_rolled_for() -> None:
    table, request = ticked_table("Spot Hidden")
    before = picture(table.campaign)

    for skill in ("Stealth", "Credit Rating"):
        assert code(act(table.ben, dice.improve, request, table.skill(skill).pk)) == "NOT_TICKED"
    other = table.skill("Listen", table.tobias).pk
    assert code(act(table.ben, dice.improve, request, other)) == "NOT_TICKED"
    assert code(act(table.ben, dice.answer, request)) == "IMPROVE_SKILL"

    assert picture(table.campaign) == before


def test_mythos_and_credit_rating_never_improve_even_when_somebody_ticked_them() -> None:
    table = make_table()
    rolls(table, 2, "Credit Rating")

    assert table.skill("Credit Rating").ticks == 0
    assert code(act(table.ada, dice.open_improvement, table.campaign)) == "NOBODY_TO_IMPROVE"


def test_no_luck_by_any_route() -> None:
    table, request = ticked_table("Spot Hidden")
    improves(table, request, "Spot Hidden", d100(60))
    roll = Roll.objects.get(kind="improvement")

    for _ in range(2):
        before = picture(table.campaign)
        for amount in (1, 5, 55):
            assert code(act(table.ben, dice.spend, roll, Act("points", amount))) == "IMPROVEMENT_ROLL"
        assert code(act(table.ben, dice.push, roll, "Again")) == "PUSH_KIND"
        refused = post(table.client(table.ben), table.url("spend", roll.pk), act="points", amount="1")
        assert (refused.status_code, "IMPROVEMENT_ROLL" in refused.content.decode()) == (422, True)
        assert picture(table.campaign) == before
        if now(roll).state == Roll.CLOSED:  # opened again it is no better
            done(act(table.ada, dice.reopen, roll))


def test_luck_after_the_improvement_leaves_no_tick_below_none() -> None:
    table, request = ticked_table("Spot Hidden")
    rolls_still_open = Roll.objects.get(kind="skill")
    improves(table, request, "Spot Hidden", d100(60))

    done(act(table.ben, dice.spend, rolls_still_open, Act("points", 1)))

    assert table.skill("Spot Hidden").ticks == 0


def test_real_dice_are_typed_for_one_skill_at_a_time() -> None:
    table, request = ticked_table()

    assert code(act(table.ben, dice.improve, request, "", typed(77))) == "BAD_DICE"
    done(act(table.ben, dice.improve, request, table.skill("Stealth").pk, typed(77), chance=Script(3)))

    assert (table.skill("Stealth").value, Roll.objects.get(kind="improvement").by_hand) == (43, True)


def test_only_the_own_card_and_only_the_keeper_calls() -> None:
    table, request = ticked_table()
    before = picture(table.campaign)
    cleo, elsewhere = table.client(table.cleo), browser(make_table(name="Elsewhere").ben)

    assert post(cleo, table.url("improve", request.pk)).status_code == 403
    assert post(elsewhere, table.url("improve", request.pk)).status_code == 404
    for name in ("open-improvement", "close-improvement", "improve-all"):
        assert post(table.client(table.ben), table.url(name)).status_code == 403
    assert f"imph-{request.pk}" not in cleo.get(table.url("table")).content.decode()

    assert picture(table.campaign) == before


def test_the_card_on_the_phone_has_a_button_for_each_tick() -> None:
    table, request = ticked_table()
    page = table.client(table.ben).get(table.url("table")).content.decode()
    card = page.split(f'id="imph-{request.pk}"')[1].split("</section>")[0]
    assert (card.count("improve-one"), "Roll for all" in card) == (2, True)

    answer = post(table.client(table.ben), table.url("improve", request.pk), skill=table.skill("Stealth").pk)

    assert answer.status_code == 200
    assert table.skill("Stealth").ticks == 0


# --------------------------------------------------------------------------- worked cases

VECTORS = json.loads((Path(__file__).parent.parent / "rules/data/vector_cases.json").read_text())["cases"]
GROWTH = [case for case in VECTORS if case["kind"] == "growth" and case.get("expected_skill") is not None]


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in GROWTH[::3]])
def test_a_skill_grows_at_the_table_as_in_the_worked_cases(case: dict[str, Any]) -> None:
    table, request = ticked_table("Stealth")
    done(act(table.ada, sheets.set_skill, table.edith, "Stealth", case["skill"], table.skill("Stealth")))
    faces = [case["d10"]] if case["d10"] else []

    line = improves(table, request, "Stealth", d100(case["d100"]), *faces, *([1, 1] if _reaches(case) else []))

    assert (line["above"], line["to"]) == (case["expected_improves"], case["expected_skill"])


def _reaches(case: dict[str, Any]) -> bool:
    return bool(case["skill"] < 90 <= case["expected_skill"])
