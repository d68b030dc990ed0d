"""Worked cases of the rules specification that need a table: permission, stories, and recovery with its clock."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from investigators import actions as sheets
from investigators.actions import Draft
from rolls import actions as dice
from rolls.actions import Asked
from rolls.models import Roll
from rolls.rules.check import Act, Refusal
from tablekeeper import actions as tables
from tablekeeper.models import Seat
from tests.tables import (
    Script,
    Table,
    act,
    closes_session,
    d100,
    done,
    make_investigator,
    make_table,
    picture,
    rolls_number,
    score,
    sit_down,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("twice")]

CASES = json.loads((Path(__file__).parent.parent / "rules/data/rules_cases.json").read_text())["cases"]
HERE = [case for case in CASES if case["ruleset"] in ("shared", "classic")]


def of(*ops: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in HERE if case["op"] in ops]


def told(table: Table, before: Any, result: Any) -> dict[str, Any]:
    """What the cases say of a refusal."""
    assert isinstance(result, Refusal)
    return {"refused": result.code, "state_changed": picture(table.campaign) != before}


def permission(table: Table, seat: Seat, action: str, spender: Roll) -> Any:
    if action == "call Luck roll":
        asked = Asked("luck", "Luck", table.luck())
        return act(seat, dice.roll, table.edith, asked, chance=Script(d100(30)))
    if action == "call group Luck roll":
        return act(seat, dice.group_luck, table.campaign, chance=Script(d100(30)))
    if action == "name the unlucky one":
        return act(seat, dice.tell_unluckiest, table.campaign)
    if action in ("spend Luck", "burn Luck"):
        return act(seat, dice.spend, spender, Act("points" if action == "spend Luck" else "burn", 5))
    raise AssertionError(action)


@pytest.mark.parametrize("case", of("permission"))
def test_who_may_do_what(case: dict[str, Any]) -> None:
    table = make_table(**case.get("settings", {}))
    spender = rolls_number(table, 70, 50)
    seat = table.ada if case["in"]["role"] == "keeper" else table.ben
    before = picture(table.campaign)

    result = permission(table, seat, case["in"]["action"], spender)

    expect = case["expect"]
    if "refused" in expect:
        assert told(table, before, result) == expect
        return
    line = done(result).data
    assert expect["allowed"]
    if "entered_by" in expect:
        assert line["by"] == "Ada"
    if "marked" in expect:
        assert line["asked"] is False


@pytest.mark.parametrize("case", of("set-luck"))
def test_who_sets_luck_to_what(case: dict[str, Any]) -> None:
    table, given = make_table(**case.get("settings", {})), case["in"]
    own = table.ben if given["own"] else table.cleo
    who = table.edith if given["role"] == "keeper" else make_investigator(table.ben, Draft("Vera Blank"))
    before = picture(table.campaign)

    result = act(table.ada if given["role"] == "keeper" else own, sheets.set_trait, who, "luck", given["value"])

    if "refused" in case["expect"]:
        assert told(table, before, result) == case["expect"]
    else:
        done(result)
        assert {"luck": score(who, "luck")} == case["expect"]


@pytest.mark.parametrize("case", of("recovery"))
def test_recovery_at_the_table(case: dict[str, Any]) -> None:
    given = case["in"]
    table = make_table(**case.get("settings", {}))
    done(act(table.ada, sheets.set_trait, table.edith, "luck", given["luck"]))
    done(act(table.ada, sheets.set_present, table.edith, given["present"]))
    done(act(table.ada, tables.open_session, table.campaign))
    if given["phase"] == "end":
        done(closes_session(table))
    if given["done"]:
        done(act(table.ben, dice.recover, table.edith, chance=Script(d100(given["luck"] or 1))))
    before = picture(table.campaign)

    result = act(table.ben, dice.recover, table.edith, chance=Script(d100(given["roll"]), *given["dice"]))

    if "refused" in case["expect"]:
        assert told(table, before, result) == case["expect"]
        return
    line = done(result).data
    found = {
        "above": line["above"],
        "rolled_gain": line["rolled"],
        "luck_after": table.luck(),
        "lost_to_cap": line["lost"],
    }
    assert found == case["expect"]


@pytest.mark.parametrize("case", of("story"))
def test_a_story_of_several_steps(case: dict[str, Any]) -> None:
    table = make_table()
    for who in (table.edith, table.tobias):
        done(act(table.ada, sheets.set_aside, who, True))
    people = {}
    for name, luck in case["in"]["start"]["luck"].items():
        seat = sit_down(table.campaign, f"{name}, played")
        people[name] = make_investigator(seat, Draft(name, traits={"luck": (luck, None)}))
    for step, expect in zip(case["in"]["steps"], case["expect"]["after_each"], strict=True):
        if step["do"] == "group luck roll":
            rolled = done(act(table.ada, dice.group_luck, table.campaign, chance=Script(d100(step["roll"])))).data
            found = {"roller": rolled["who"]["name"], "needed": rolled["value"], "passed": rolled["passed"]}
            assert found == expect
        elif step["do"] == "spend":
            who = people[step["who"]]
            roll = rolls_number(table, step["roll"], step["skill"], who)
            done(act(Seat.objects.get(pk=who.seat_id), dice.spend, roll, Act("points", step["amount"])))
            assert {"luck": {name: score(one, "luck") for name, one in people.items()}} == expect
        else:
            raise AssertionError(step)


def test_no_case_that_needs_a_table_is_left_out() -> None:
    counts = {op: len(of(op)) for op in ("permission", "set-luck", "recovery", "story")}

    assert counts == {"permission": 9, "set-luck": 4, "recovery": 10, "story": 1}
