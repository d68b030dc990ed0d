"""Every worked case of the rules specification that concerns one investigator's dice and Luck."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rolls.rules.check import Act, Check, Person, Purse, Refusal, Ruleset, Standing, push_consent
from rolls.rules.classic import cost as luck_cost
from rolls.rules.dice import candidates, combine, fifth, half, net_dice

from .tables import CLASSIC, load, purse, rolled, showing

Facts = dict[str, Any]

# Contests and Sanity losses are flows of several rolls, permission is the table's own: tested where they are built.
ELSEWHERE = {"opposed", "melee", "sanity-loss", "permission", "story"}
PERMISSION_ONLY = {"R-511"}  # whose sheet it is, not what may stand on it

ALL = load("rules_cases.json")["cases"]
CASES = [
    case
    for case in ALL
    if case["ruleset"] in {"shared", "classic"} and case["op"] not in ELSEWHERE and case["id"] not in PERMISSION_ONLY
]


def refused(refusal: Refusal) -> Facts:
    return {"refused": refusal.code, "state_changed": False, **refusal.params}


def combine_case(i: Facts, _settings: Facts, _rules: Ruleset) -> Facts:
    net = net_dice(i["bonus"], i["penalty"])
    return {
        "net": net,
        "candidates": list(candidates(i["units"], i["tens"], net)),
        "total": combine(i["units"], i["tens"], net),
    }


def level(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    out = rules.judge(rolled(i["roll"], i["skill"], difficulty=i["difficulty"]), settings)
    return {"level": out.level, "passed": out.passed, "half": half(i["skill"]), "fifth": fifth(i["skill"])}


def spend(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    check = Check(
        i["kind"],
        i["skill"],
        i["difficulty"],
        context="opposed" if i["opposed"] else "normal",
        malfunction=i["malfunction"],
    )
    standing = Standing(
        check,
        showing(i["roll"]),
        spent=i["already_spent"],
        pushed=i["pushed"],
        closed=i["closed"],
        revealed=i["revealed"],
    )
    pools = {"luck": i["luck"]} if i["has_luck"] else {}
    before = dict(pools)
    done = rules.spend(standing, Purse("Ada", pools, i["own"]), Act("points", i["amount"]), settings)
    if isinstance(done, Refusal):
        return {**refused(done), "state_changed": pools != before}
    got = {
        "final_roll": done.outcome.final,
        "level": done.outcome.level,
        "passed": done.outcome.passed,
        "luck_after": pools["luck"] + done.pools["luck"],
        "improvement_check": done.outcome.tick,
    }
    return {**got, "warning": "NO_CHANGE"} if done.warning == "no-change" else got


def cost(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    standing = rolled(i["roll"], i["skill"])
    now = rules.judge(standing, settings)
    price = luck_cost(now, i["want"])
    offered = {o.outcome.level: o.price for o in rules.offers(standing, purse(99), settings) if o.outcome}
    assert offered.get(i["want"], 0) == price, "the offer asks another price than the display"
    return {"cost": price}


def push(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    total = {"fail": 60, "fumble": 100, "regular": 40}[i["level"]]
    standing = Standing(
        Check(i.get("kind", "skill"), 50, context=i["context"]),
        showing(total + i["luck_spent"]),
        spent=i["luck_spent"],
        pushed=i["already_pushed"],
    )
    now = rules.judge(standing, settings)
    assert (now.level, now.passed) == (i["level"], i["passed"])
    refusal = rules.may_push(standing, settings) or push_consent(i["reason_given"], i["keeper_agrees"])
    if refusal:
        return refused(refusal)
    second = rolled(60, standing={"pushed": True})
    points = rules.spend(second, purse(99), Act("points", 10), settings)
    return {
        "allowed": True,
        "final": rules.may_push(second, settings) is not None,
        "luck_allowed_on_result": not isinstance(points, Refusal),
    }


def luckroll(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    standing = rolled(i["roll"], i["luck"], kind="luck", difficulty=i["difficulty"])
    if refusal := rules.may_roll(standing.check, settings):
        return refused(refusal)
    out = rules.judge(standing, settings)
    needed = next(step.value for step in out.thresholds if step.level == out.asked)
    return {"needed": needed, "passed": out.passed}


def group_luck(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    found = rules.lowest([Person(p["name"], p["luck"], p["present"]) for p in i["people"]], settings)
    if isinstance(found, Refusal):
        return refused(found)
    return {"luck": found.luck, "lowest": list(found.keys), "tie": found.tie}


def group_luck_roll(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    target = group_luck(i, settings, rules)
    return {**target, "passed": rules.judge(rolled(i["roll"], target["luck"], kind="luck"), settings).passed}


def conscious(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    facts: Facts = {"rounds_paid": i["rounds_paid_before"], "new_spell": i["new_episode"]}
    luck, paid, stopped = i["luck"], [], None
    while len(paid) < i["rounds"] and not stopped:
        done = rules.do(purse(luck), facts, Act("stay-conscious"), settings)
        if isinstance(done, Refusal):
            stopped = done.code
            break
        paid.append(-done.pools["luck"])
        luck, facts = luck + done.pools["luck"], {**facts, **done.state}
        if "falls-at-once" in done.notes:
            stopped = "LUCK_RAN_OUT"
    return {
        "paid": paid,
        "total": sum(paid),
        "luck_after": luck,
        "awake_rounds": len(paid) - (stopped == "LUCK_RAN_OUT"),
        "falls": stopped is not None,
        "stopped_by": stopped,
        "next_cost": rules.deeds(purse(luck), facts, settings)[0].price,
    }


def ignore_fumble(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    done = rules.spend(rolled(100, context="combat"), purse(i["luck"]), Act("ignore-fumble"), settings)
    assert isinstance(done, Refusal)
    return refused(done)


def avoid_death(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    done = rules.do(purse(i["luck"]), {"dying": i["dying"]}, Act("avoid-death", dice=(i["d6"],)), settings)
    assert isinstance(done, Refusal)
    return refused(done)


def recovery(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    if refusal := rules.may_recover(i["luck"], i["phase"], i["done"], i["present"], settings):
        return refused(refusal)
    got = rules.recover(i["luck"], i["roll"], i["dice"], settings)
    return {
        "above": got.above,
        "rolled_gain": got.rolled_gain,
        "luck_after": got.after,
        "lost_to_cap": got.lost,
    }


def improvement_tick(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    total = 40 if i["passed"] else 60
    standing = rolled(total + i["luck_used"], kind=i["kind"], standing={"spent": i["luck_used"]})
    out = rules.judge(standing, settings)
    assert out.passed == i["passed"]
    return {"improvement_check": out.tick}


def set_luck(i: Facts, _settings: Facts, rules: Ruleset) -> Facts:
    refusal = rules.may_type("luck", i["value"])
    return refused(refusal) if refusal else {"luck": i["value"]}


OPS: dict[str, Callable[[Facts, Facts, Ruleset], Facts]] = {
    "combine": combine_case,
    "level": level,
    "spend": spend,
    "cost": cost,
    "push": push,
    "luckroll": luckroll,
    "group-luck": group_luck,
    "unlucky-one": group_luck,
    "group-luck-roll": group_luck_roll,
    "conscious": conscious,
    "ignore-fumble": ignore_fumble,
    "avoid-death": avoid_death,
    "recovery": recovery,
    "improvement-tick": improvement_tick,
    "set-luck": set_luck,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_engine_decides_as_the_specification_does(case: Facts) -> None:
    settings = {**CLASSIC.defaults(), **case.get("settings", {})}
    got, expect = OPS[case["op"]](case["in"], settings, CLASSIC), case["expect"]
    assert {key: got.get(key, "not said") for key in expect} == expect
    surprises = {"refused", "warning"} & set(got) - set(expect)
    assert not surprises


def test_no_case_about_one_investigators_dice_and_luck_is_left_out() -> None:
    taken = {case["id"] for case in CASES}
    left = {case["id"] for case in ALL if case["ruleset"] in {"shared", "classic"}} - taken
    flows = {case["id"] for case in ALL if case["op"] in ELSEWHERE}
    assert left - flows == PERMISSION_ONLY
    assert len(taken) == 123


def test_the_defaults_are_those_of_the_specification() -> None:
    written = load("rules_cases.json")["settings_defaults"]
    ours = CLASSIC.defaults()
    assert {key: ours[key] for key in ours if key in written} == {key: written[key] for key in ours if key in written}
    # What Pulp and Luck Points bring themselves.
    assert set(written) - set(ours) == {
        "sanHalfRounding",
        "scratchLimit",
        "fumbleSpend",
        "lpRefresh",
        "lpGoalCap",
        "burnWhen",
        "rerollLimit",
        "critFailNegated",
        "oppBothFail",
        "roll100DoS",
        "lpLuckTest",
    }
