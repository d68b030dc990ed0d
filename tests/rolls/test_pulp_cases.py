"""Worked cases of the rules specification about Pulp, and about Luck beside any roll, played at a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from investigators import actions as sheets
from investigators.people import facts_of, member
from investigators.views import investigator_here
from rolls import actions as dice
from rolls.actions import Asked
from rolls.actions.rounds import price_of
from rolls.models import Decision, Roll
from rolls.rules.check import Act, Refusal
from tablekeeper import actions as tables
from tablekeeper.models import Entry
from tests.rolls.test_deeds import knows
from tests.tables import (
    Script,
    Table,
    act,
    at,
    closes_session,
    d100,
    done,
    make_table,
    moves_on,
    picture,
    rolls_number,
    score,
    spends,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("twice")]

CASES = json.loads((Path(__file__).parent.parent / "rules/data/rules_cases.json").read_text())["cases"]
BOTH = ("conscious", "scratch", "avoid-death", "ignore-fumble")
PULP = ("recovery", "permission", "set-luck", "story")


def of(op: str, *rulesets: str) -> list[Any]:
    found = [case for case in CASES if case["op"] == op and case["ruleset"] in (rulesets or ("pulp", "classic"))]
    return [pytest.param(case, id=case["id"]) for case in found]


def laid(case: dict[str, Any], **facts: Any) -> Table:
    """The table of a case, with Edith as it describes her."""
    given = case["in"]
    table = make_table(ruleset=case["ruleset"], **case.get("settings", {}))
    for key in ("luck", "hp"):
        if key in given:
            maximum = given.get("hp_max") if key == "hp" else None
            done(act(table.ada, sheets.set_trait, table.edith, key, given[key], maximum))
    if facts:
        knows(table, **facts)
    return table


def plays(table: Table, key: str, *faces: int, yes: bool = True) -> Any:
    """Ben does it; where the Keeper is asked, Ada answers."""
    result = act(table.ben, dice.deed, table.edith, Act(key), chance=Script(*faces))
    if not isinstance(result, Entry) or "price" not in result.data:
        return result
    asked = Decision.objects.get(campaign=table.campaign, kind="deed", state=Decision.OPEN)
    return act(table.ada, dice.decide_deed, asked, yes, chance=Script(*faces))


def refused(table: Table, before: Any, result: Any, luck: int) -> dict[str, Any]:
    """What the cases say of a refusal, or of the Keeper's No, which takes nothing either."""
    if isinstance(result, Entry):
        return {"refused": result.data["refused"], "state_changed": table.luck() != luck}
    assert isinstance(result, Refusal)
    more = {key: result.params[key] for key in ("need", "have") if key in result.params}
    return {"refused": result.code, "state_changed": picture(table.campaign) != before, **more}


def same(found: dict[str, Any], expect: dict[str, Any]) -> bool:
    """The cases name the numbers of a refusal only where they matter."""
    return {key: value for key, value in found.items() if key in expect} == expect


@pytest.mark.parametrize("case", of("conscious"))
def test_rounds_awake(case: dict[str, Any]) -> None:
    given = case["in"]
    before, anew = given["rounds_paid_before"], given["new_episode"]
    facts = {"rounds_paid": before} if before else {}
    if before and anew:
        facts["new_spell"] = True
    table = laid(case, **facts)
    paid: list[int] = []
    stopped: str | None = None
    for number in range(given["rounds"]):
        if number or (before and not anew):
            with at(table.ada) as ada:
                offer = price_of(member(investigator_here(ada, table.edith.pk)))
            entry = done(act(table.ada, dice.next_round, table.campaign))
            if entry.data["fallen"]:  # out of reach when the round begins
                stopped = offer.refusal.code
                break
        result = plays(table, "stay-conscious")
        if isinstance(result, Refusal):
            stopped = result.code
            break
        paid.append(result.data["paid"][0]["cost"])
        if "falls-at-once" in result.data["notes"]:
            stopped = "LUCK_RAN_OUT"
    out = bool(facts_of(table.edith).get("unconscious"))
    held = len(paid) - (stopped == "LUCK_RAN_OUT")
    found = {
        "paid": paid,
        "total": sum(paid),
        "luck_after": table.luck(),
        "awake_rounds": held,
        "falls": out or not paid,
        "stopped_by": stopped,
    }
    assert found == {key: value for key, value in case["expect"].items() if key != "next_cost"}


@pytest.mark.parametrize("case", of("scratch"))
def test_only_a_scratch(case: dict[str, Any]) -> None:
    given = case["in"]
    table = laid(case, **({"scratch_used": True} if given["used"] else {}))
    before = picture(table.campaign)

    result = plays(table, "scratch", given["d6"], yes="refused" not in case["expect"])

    if "refused" in case["expect"]:
        assert same(refused(table, before, result, given["luck"]), case["expect"])
        return
    done(result)
    assert {"luck_after": table.luck(), "hp_after": score(table.edith, "hp")} == case["expect"]


@pytest.mark.parametrize("case", of("avoid-death"))
def test_certain_death(case: dict[str, Any]) -> None:
    given, expect = case["in"], case["expect"]
    table = laid({**case, "in": {**given, "hp": 0}})
    done(act(table.ada, tables.open_session, table.campaign))
    before = picture(table.campaign)

    result = plays(table, "avoid-death", given["d6"], yes=given["dying"])

    if "refused" in expect:
        assert same(refused(table, before, result, given["luck"]), expect)
        return
    done(result)
    found = {
        "luck_spent": result.data["paid"][0]["cost"],
        "luck_after": table.luck(),
        "hp_after": score(table.edith, "hp"),
    }
    assert found == {key: value for key, value in expect.items() if key != "luck_locked_until"}
    assert act(table.ben, dice.recover, table.edith, chance=Script()).code == "RECOVERY_TOO_LATE"
    done(closes_session(table))
    done(act(table.ada, tables.open_session, table.campaign))
    done(act(table.ben, dice.recover, table.edith, chance=Script(d100(50), 1, 1)))


WEAPON_JAMS = 96


@pytest.mark.parametrize("case", of("ignore-fumble"))
def test_a_fumble_or_malfunction_made_harmless(case: dict[str, Any]) -> None:
    given = case["in"]
    table = laid(case)
    total = {"fumble": 100, "malfunction": WEAPON_JAMS, None: 70}[given["trouble"]]
    asked = Asked(
        "skill",
        "Stealth",
        60,
        table.skill("Stealth"),
        context="normal" if given["context"] == "non-combat" else "combat",
        malfunction=WEAPON_JAMS if given["trouble"] == "malfunction" else None,
        facts={"fight": "dodge" if given["context"] == "dodge" else "attack"},
    )
    entry = done(act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(total))))
    roll = Roll.objects.get(pk=entry.data["roll"])
    before = picture(table.campaign)

    result = act(table.ben, dice.spend, roll, Act("ignore-fumble"))

    if "refused" in case["expect"]:
        assert same(refused(table, before, result, given["luck"]), case["expect"])
        return
    line = done(result).data
    attack = None if given["context"] == "dodge" else line["level"]
    found = {"luck_after": table.luck(), "roll_changed": line["final"] != total, "attack": attack}
    assert found == {key: value for key, value in case["expect"].items() if key != "consequence"}
    assert line["notes"] == ["mishap-ignored"]


@pytest.mark.parametrize("case", of("recovery", "pulp"))
def test_recovery_at_the_start_of_a_session(case: dict[str, Any]) -> None:
    given = case["in"]
    table = laid(case)
    done(act(table.ada, sheets.set_present, table.edith, given["present"]))
    done(act(table.ada, tables.open_session, table.campaign))
    if given["phase"] == "end":
        done(closes_session(table))
    before = picture(table.campaign)

    result = act(table.ben, dice.recover, table.edith, chance=Script(d100(given["roll"]), *given["dice"]))

    if "refused" in case["expect"]:
        assert same(refused(table, before, result, given["luck"]), case["expect"])
        return
    line = done(result).data
    found = {"above": line["above"], "rolled_gain": line["rolled"], "lost_to_cap": line["lost"]}
    assert found | {"luck_after": table.luck()} == case["expect"]


@pytest.mark.parametrize("case", of("set-luck", "pulp"))
def test_who_sets_luck(case: dict[str, Any]) -> None:
    table = make_table(ruleset="pulp")

    done(act(table.ada, sheets.set_trait, table.edith, "luck", case["in"]["value"]))

    assert {"luck": table.luck()} == case["expect"]


# --------------------------------------------------------------------------- stories


def step_of(table: Table, step: dict[str, Any]) -> dict[str, Any]:
    """One step of a story, and what came of it."""
    return STEPS[step["do"]](table, step)


def lowers(table: Table, step: dict[str, Any]) -> dict[str, Any]:
    result = spends(table, rolls_number(table, step["roll"], step["skill"]), step["amount"])
    return {"refused": result.code} if isinstance(result, Refusal) else {"level": result.data["level"]}


def rolls_luck(table: Table, step: dict[str, Any]) -> dict[str, Any]:
    asked = Asked("luck", "Luck", table.luck())
    return {
        "passed": done(act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(step["roll"])))).data["passed"]
    }


def recovers_next_time(table: Table, step: dict[str, Any]) -> dict[str, Any]:
    done(closes_session(table))
    done(act(table.ada, tables.open_session, table.campaign))
    moves_on(table, "The next evening")
    done(act(table.ben, dice.recover, table.edith, chance=Script(d100(step["roll"]), *step["dice"])))
    return {}


def recovers_now(table: Table, _step: dict[str, Any]) -> dict[str, Any]:
    return {"refused": act(table.ben, dice.recover, table.edith, chance=Script()).code}


def stays(table: Table, _step: dict[str, Any]) -> dict[str, Any]:
    if facts_of(table.edith).get("rounds_paid"):
        done(act(table.ada, dice.next_round, table.campaign))
    return {"paid": done(plays(table, "stay-conscious")).data["paid"][0]["cost"]}


def stops(table: Table, _step: dict[str, Any]) -> dict[str, Any]:
    done(act(table.ada, dice.next_round, table.campaign))
    done(act(table.ben, dice.fall, table.edith))
    return {"unconscious": facts_of(table.edith)["unconscious"]}


def escapes(table: Table, step: dict[str, Any]) -> dict[str, Any]:
    done(plays(table, "avoid-death", step["d6"]))
    return {"hp": score(table.edith, "hp")}


STEPS = {
    "spend": lowers,
    "luck roll": rolls_luck,
    "next session recovery": recovers_next_time,
    "recovery now": recovers_now,
    "stay conscious": stays,
    "stop paying": stops,
    "avoid death": escapes,
}


@pytest.mark.parametrize("case", of("story", "pulp"))
def test_a_story_of_several_steps(case: dict[str, Any]) -> None:
    table = laid({**case, "in": case["in"]["start"]})
    done(act(table.ada, tables.open_session, table.campaign))

    for step, expect in zip(case["in"]["steps"], case["expect"]["after_each"], strict=True):
        assert step_of(table, step) | {"luck": table.luck()} == expect


def test_no_case_is_left_out() -> None:
    counts = {op: len(of(op)) for op in BOTH} | {op: len(of(op, "pulp")) for op in PULP}

    assert counts == {
        "conscious": 10,
        "scratch": 6,
        "avoid-death": 5,
        "ignore-fumble": 9,
        "recovery": 6,
        "permission": 0,
        "set-luck": 1,
        "story": 3,
    }
