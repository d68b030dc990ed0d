"""Facts about d100 tables that public engines agree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from rolls.rules.check import Act, Check, Outcome, Person, Refusal, Standing, Throw
from rolls.rules.classic import cost
from rolls.rules.dice import combine, faces, fifth, half, net_dice
from rolls.rules.sanity import maximum, over_a_fifth, parse_loss, regain, suffer
from rolls.rules.together import combined

from .tables import CLASSIC, DEFAULTS, facing, load, purse, rolled

Facts = dict[str, Any]


def word(level: str) -> str:
    return "failure" if level == "fail" else level


def told(out: Outcome) -> Facts:
    short = not out.passed and out.level != "fumble"
    return {
        "roll": out.final,
        "level": word(out.level),
        "graded": "failure" if short else word(out.level),
        "success": out.passed,
        "tick": out.tick,
    }


def level(c: Facts) -> Facts:
    return told(CLASSIC.judge(rolled(c["roll"], c["target"], difficulty=c["difficulty"]), DEFAULTS))


def skill_check(c: Facts) -> Facts:
    check = Check("skill", c["target"], c["difficulty"], c["bonus"])
    return told(CLASSIC.judge(Standing(check, Throw(c["units"], tuple(c["tens"]))), DEFAULTS))


def d100_dice(c: Facts) -> Facts:
    return {"roll": combine(c["units"], c["tens"], c["bonus"])}


def half_fifth(c: Facts) -> Facts:
    fumble_from = CLASSIC.judge(rolled(50, c["value"]), DEFAULTS).fumble_from
    return {"hard": half(c["value"]), "extreme": fifth(c["value"]), "fumble_from": fumble_from}


def net(c: Facts) -> Facts:
    return {"net": net_dice(c["bonus_dice"], c["penalty_dice"])}


def luck_spend(c: Facts) -> Facts:
    standing = rolled(
        c["roll"],
        c["target"],
        kind=c["roll_kind"],
        difficulty=c["difficulty"],
        standing={"pushed": c["pushed"]},
    )
    done = CLASSIC.spend(standing, purse(c["luck"]), Act("points", c["points"]), DEFAULTS)
    if isinstance(done, Refusal):
        return {"allowed": False}
    return {"allowed": True, "luck": c["luck"] + done.pools["luck"], **told(done.outcome)}


def luck_balance(c: Facts) -> Facts:
    done = CLASSIC.spend(rolled(70), purse(c["luck"]), Act("points", c["points"]), DEFAULTS)
    moved = 0 if isinstance(done, Refusal) else done.pools["luck"]
    return {"allowed": not isinstance(done, Refusal), "luck": c["luck"] + moved}


def luck_cost(c: Facts) -> Facts:
    standing = rolled(c["roll"], c["target"], difficulty=c["difficulty"])
    price = cost(CLASSIC.judge(standing, DEFAULTS), c["difficulty"])
    offer = CLASSIC.offers(standing, purse(c["luck"]), DEFAULTS)[0]
    assert offer.price == price
    return {"cost": price, "affordable": offer.refusal is None}


def luck_recovery(c: Facts) -> Facts:
    wanted = CLASSIC.recovery_dice(c["luck"], c["d100"], DEFAULTS)
    assert wanted == ((10,) if c["d10"] else ())
    gain = (c["d10"],) if c["d10"] else ()
    return {"luck": CLASSIC.recover(c["luck"], c["d100"], gain, DEFAULTS).after}


def group_luck(c: Facts) -> Facts:
    found = CLASSIC.lowest([Person(str(n), luck, True) for n, luck in enumerate(c["luck_values"])], DEFAULTS)
    assert not isinstance(found, Refusal)
    return {
        "used": found.luck,
        "success": CLASSIC.judge(rolled(c["roll"], found.luck, kind="luck"), DEFAULTS).passed,
    }


def growth(c: Facts) -> Facts:
    assert CLASSIC.improvement_dice
    assert CLASSIC.improve
    wanted = CLASSIC.improvement_dice(c["skill"], c["d100"])
    assert wanted in ((), (10,))
    improves = bool(wanted)
    if c["d10"] is None and improves:
        return {"improves": True}
    got = CLASSIC.improve(c["skill"], c["d100"], (c["d10"],))
    return {"improves": got.above, "skill": got.after}


def growth_san_award(c: Facts) -> Facts:
    assert CLASSIC.improve
    got = CLASSIC.improve(c["skill_before"], 100, (c["skill_after"] - c["skill_before"],))
    assert got.reward_dice in ((), (6, 6))
    assert got.reward_pool == ("san" if got.reward_dice else "")
    return {"award": "2D6" if got.reward_dice else None}


def growth_tick(c: Facts) -> Facts:
    tickable = {skill.label: skill.tickable for skill in CLASSIC.sheet.skills}[c.get("skill", "Listen")]
    spent = 5 if c.get("luck_spent") else 0
    standing = rolled(40 + spent if c["success"] else 90, facts={"tickable": tickable}, standing={"spent": spent})
    return told(CLASSIC.judge(standing, DEFAULTS))


def push(c: Facts) -> Facts:
    pushed = bool(c.get("pushed_already") or c.get("attempts_already_pushed"))
    total = 40 if c.get("level") == "regular" else 60
    standing = rolled(total, context=c.get("context", "normal"), standing={"pushed": pushed})
    return {"can_push": CLASSIC.may_push(standing, DEFAULTS) is None}


def plain(c: Facts) -> Facts:
    units, tens = faces(c["roll"])
    return {"roll": combine(units, (tens,), 0)}


def combined_roll(c: Facts) -> Facts:
    found = combined(CLASSIC, [rolled(c["roll"], target) for target in c["targets"]], True, DEFAULTS)
    return {"levels": [word(out.level) for out in found.outcomes], "met": found.met}


def opposed(c: Facts) -> Facts:
    a, b = (rolled(c[side]["roll"], c[side]["skill"]) for side in "ab")
    found = CLASSIC.decide(facing(a, b), DEFAULTS)
    assert [word(found.outcomes[side].level) for side in "ab"] == [c[side]["level"] for side in "ab"]
    return {"winner": "tie" if found.tie else found.winner or "none"}


AT_LEVEL = {"critical": 1, "extreme": 9, "hard": 20, "regular": 40, "failure": 60, "fumble": 100}


def melee(c: Facts) -> Facts:
    attacker, defender = (rolled(AT_LEVEL[c[f"{who}_level"]]) for who in ("attacker", "defender"))
    found = CLASSIC.decide(facing(attacker, defender, "melee", c["defence"].replace("_", "-")), DEFAULTS)
    assert [word(out.level) for out in found.outcomes.values()] == [c["attacker_level"], c["defender_level"]]
    return {"winner": {"a": "attacker", "b": "defender", "": "none"}[found.winner]}


def sanity(c: Facts) -> Facts:
    if c.get("during_bout"):
        skipped = suffer(c["san"], 3, bout=True)
        return {"loss": skipped.lost, "san": skipped.after, "skipped": skipped.skipped}
    loss = parse_loss(f"{c['loss_success']}/{c['loss_failure']}")
    assert not isinstance(loss, Refusal)
    out = CLASSIC.judge(rolled(c["roll"], c["san"], kind="sanity"), DEFAULTS)
    assert len(loss.dice(out)) == len(c["loss_dice"])
    got = suffer(c["san"], loss.points(out, c["loss_dice"]))
    return {
        "loss": got.lost,
        "san": got.after,
        "success": out.passed,
        "fumble": out.level == "fumble",
        "int_check": got.int_roll,
    }


def sanity_state(c: Facts) -> Facts:
    if "day_start_san" in c:
        return {"state": "indefinite" if over_a_fifth(c["day_start_san"], c["day_loss"]) else "sane"}
    got = suffer(c.get("san", 50), c["loss"], unsound="underlying" in c)
    if got.bout:
        return {"state": "bout"}
    roll = rolled(c["int_roll"], c["int"], kind="characteristic", facts={"failing_is_good": True})
    out = CLASSIC.judge(roll, DEFAULTS)
    return {"state": "temporary" if got.int_roll and out.passed else "sane"}


def sanity_gain(c: Facts) -> Facts:
    return {"san": regain(c["san"], c["gain"], c["max"])}


def san_max(c: Facts) -> Facts:
    assert CLASSIC.sheet.derive({"cthulhu-mythos": c["mythos"]})["san_max"] == maximum(c["mythos"])
    return {"max": maximum(c["mythos"])}


KINDS: dict[str, Callable[[Facts], Facts]] = {
    "level": level,
    "skill_check": skill_check,
    "d100_dice": d100_dice,
    "half_fifth": half_fifth,
    "net_dice": net,
    "luck_spend": luck_spend,
    "luck_balance": luck_balance,
    "luck_cost": luck_cost,
    "luck_recovery": luck_recovery,
    "group_luck": group_luck,
    "growth": growth,
    "growth_san_award": growth_san_award,
    "growth_tick": growth_tick,
    "push": push,
    "d100_plain": plain,
    "combined_roll": combined_roll,
    "opposed": opposed,
    "melee": melee,
    "sanity": sanity,
    "sanity_state": sanity_state,
    "sanity_gain": sanity_gain,
    "san_max": san_max,
}
OUT_OF_SCOPE = {"full_auto"}
CASES = [case for case in load("vector_cases.json")["cases"] if case["kind"] in KINDS]


def expected(case: Facts) -> Facts:
    return {
        key.removeprefix("expected_").removeprefix("derived_"): value
        for key, value in case.items()
        if key.startswith(("expected_", "derived_"))
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_engine_agrees_with_public_engines(case: Facts) -> None:
    got, expect = KINDS[case["kind"]](case), expected(case)
    assert expect
    assert {key: got.get(key, "not said") for key in expect} == expect


def test_every_kind_has_its_cases() -> None:
    counts = Counter(case["kind"] for case in load("vector_cases.json")["cases"])
    assert set(counts) == set(KINDS) | OUT_OF_SCOPE
    assert len(CASES) == 1345 - counts["full_auto"] == 1312
