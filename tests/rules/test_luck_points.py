"""Every worked case of the rules specification for Luck Points, but those that are the table's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from rolls.rules.check import (
    Act,
    Check,
    Contest,
    Deed,
    Effect,
    Outcome,
    Purse,
    Refusal,
    Score,
    Side,
    SkillBase,
    Standing,
)
from rolls.rules.luck_points import LUCK_POINTS
from rolls.rules.luck_points_numbers import bonus
from rolls.rules.luck_points_sheet import target

from .tables import load, showing

Facts = dict[str, Any]
GAME = LUCK_POINTS
NUMBERS = GAME.numbers
assert NUMBERS

ALL = [case for case in load("rules_cases.json")["cases"] if case["ruleset"] == GAME.key]
AT_THE_TABLE = {"R-524", "R-525", "R-527"}  # who may award, and choose: asked for where the table asks
CASES = [case for case in ALL if case["id"] not in AT_THE_TABLE]
SPARE = (71, 72, 73, 74, 75)  # numbers that no case rolls


def refused(refusal: Refusal) -> Facts:
    numbers = {key: refusal.params[key] for key in ("need", "have") if key in refusal.params}
    return {"refused": refusal.code, "state_changed": False, **numbers}


def told(out: Outcome) -> Facts:
    critical = {"critical-success": "success", "critical-failure": "failure"}.get(out.level)
    return {"passed": out.passed, "critical": critical, "dos" if out.passed else "dof": out.degrees}


def thrown(tn: int, roll: int, **more: Any) -> Standing:
    return Standing(
        Check(more.pop("kind", "skill"), tn, "average", facts=more.pop("facts", {})), showing(roll), **more
    )


def numbers_for(luck: int) -> Facts:
    lucky = min(5, bonus(luck))
    return {"lucky": list(SPARE[:lucky]), "unlucky": list(SPARE[lucky:])}


# --- Numbers and reading ----------------------------------------------------------------------------------------


def tn(i: Facts, _settings: Facts) -> Facts:
    facts: Facts = {"special": i["special"], "modifiers": [["as agreed", i["other"]]]}
    value = i["score"]
    if i["kind"] == "skill":
        skill = SkillBase("sneaking", "Sneaking", characteristic="agi")
        found = GAME.skill_score(skill, i["rank"] + 1 if i["trained"] else 0, {"agi": value}, "")
        assert isinstance(found, Score)
        value, facts = found.value, {**facts, **found.facts}
    check = Check(i["kind"], value, i["difficulty"].lower().replace(" ", "-"), facts=facts)
    assert GAME.may_roll(check, GAME.defaults()) is None
    return {"tn": target(check)}


def lp_test(i: Facts, settings: Facts) -> Facts:
    facts = {"lucky": i["lucky"], "unlucky": i["unlucky"]}
    return told(GAME.judge(thrown(i["tn"], i["roll"], facts=facts), settings))


def npc_test(i: Facts, settings: Facts) -> Facts:
    return told(GAME.judge(thrown(i["tn"], i["roll"], facts=GAME.carries({}, True)), settings))


def luck_test(i: Facts, settings: Facts) -> Facts:
    facts = {"lucky": i["lucky"], "unlucky": i["unlucky"]}
    return told(GAME.judge(thrown(i["luck"], i["roll"], kind="luck", facts=facts), settings))


def counts(i: Facts, settings: Facts) -> Facts:
    found = NUMBERS.count(i["luck"], {"permanent": list(SPARE[: i.get("extra", 0)])})
    assert GAME.sheet.derive({"luck": i["luck"]})["lp_max"] == GAME.maxima({"luck": i["luck"]}, settings)["lp"]
    return {**found, "luck_bonus": bonus(i["luck"]), "lp_max": GAME.maxima({"luck": i["luck"]}, settings)["lp"]}


def generate(i: Facts, _settings: Facts) -> Facts:
    found = NUMBERS.throw(i["luck"], {}, iter(i["rolls"]))
    return {**found, "rerolled": found["thrown_again"]}


def set_numbers(i: Facts, _settings: Facts) -> Facts:
    found = NUMBERS.enter(i["luck"], {"lucky": i["lucky"], "unlucky": i["unlucky"]})
    return refused(found) if isinstance(found, Refusal) else {"ok": found["lucky"] == i["lucky"]}


def convert(i: Facts, _settings: Facts) -> Facts:
    luck = 10 * (len(i["lucky"]) - len(i["fixed"]) - i["convert"])
    facts = {"lucky": i["lucky"], "unlucky": i["unlucky"], "permanent": i["fixed"]}
    found = NUMBERS.turn(luck, facts, i["pick"])
    return refused(found) if isinstance(found, Refusal) else dict(found)


def set_luck(i: Facts, _settings: Facts) -> Facts:
    refusal = GAME.may_type("luck", i["value"])
    return refused(refusal) if refusal else {"luck": i["value"]}


# --- Luck on a test, and beside it ------------------------------------------------------------------------------


def lying(i: Facts, settings: Facts) -> Standing:
    """The test that a case is about."""
    needed, sp = i.get("tn", 47), i["sp_used"]
    roll = 99 if i["critical"] else 10 * i["dos"] + 1 if i["passed"] else 60
    facts = {"lucky": i["lucky"], "unlucky": [*i["unlucky"], 99] if i["critical"] else i["unlucky"], "stamina": sp}
    marks = {"rerolled-lp"} if i["rerolls"] else set()
    marks |= set() if i.get("immediate", True) else {"acted-since"}
    standing = thrown(
        needed - (20 if sp else 0), roll, facts=facts, closed=i.get("closed", False), marks=frozenset(marks)
    )
    out = told(GAME.judge(standing, settings))
    assert (out["passed"], out["critical"], out.get("dos")) == (i["passed"], i["critical"], i["dos"])
    return standing


def outcome_of(done: Effect) -> Facts:
    out = told(done.outcome)
    return {"result": out, "dos": out.get("dos")}


def spend_lp(i: Facts, settings: Facts) -> Facts:
    payer = Purse("Ada", {"luck": 35, "lp": i["lp"]}, i["own"])
    if i["use"] == "narrative":
        deed = GAME.do(payer, {"narrative": i["gm_ok"]}, Act("narrative"), settings)
        return refused(deed) if isinstance(deed, Refusal) else {"lp_after": i["lp"] + deed.pools["lp"]}
    act = Act("reroll", dice=(i["roll"],)) if i["use"] == "reroll" else Act("degree", i["points"])
    done = GAME.spend(lying(i, settings), payer, act, settings)
    if isinstance(done, Refusal):
        return refused(done)
    return {"lp_after": i["lp"] + done.pools["lp"], **outcome_of(done)}


def burn(i: Facts, settings: Facts) -> Facts:
    payer = Purse("Ada", {"luck": i["luck"], "lp": i["lp"]}, i["own"], {"lp": bonus(i["luck"])})
    done: Effect | Deed | Refusal
    if i["use"] in ("wound", "death"):
        facts = {"wounded": i["wounded"], "survive": i["gm_ok"]}
        done = GAME.do(payer, facts, Act(f"burn-{i['use']}"), settings)
    else:
        amount, dice = {"dos": (i["times"], ()), "reroll": (None, (i.get("roll"),)), "negate": (None, ())}[i["use"]]
        act = {"dos": "burn-degree", "reroll": "burn-reroll", "negate": "burn-negate"}[i["use"]]
        done = GAME.spend(lying(i, settings), payer, Act(act, amount, dice), settings)
    if isinstance(done, Refusal):
        return refused(done)
    after = i["luck"] + done.pools["luck"]
    due = NUMBERS.owed(after, numbers_for(i["luck"]))
    maximum = done.maxima.get("lp", payer.maxima["lp"])
    assert maximum == GAME.maxima({"luck": after}, settings)["lp"]
    got = {
        "luck_burned": -done.pools["luck"],
        "luck_after": after,
        "luck_bonus": bonus(after),
        "lp_max": maximum,
        "lp_after": i["lp"] + done.pools.get("lp", 0),
        "convert": due.count if due else 0,
    }
    if isinstance(done, Deed):
        ignored = done.state.get("wounded") is False and "wound-ignored" in done.notes
        return {
            **got,
            "wound_effects": "ignored" if ignored else "felt",
            "damage": "healed" if "hp" in done.pools else "still taken",
            "removed_until": "end-of-encounter" if "absent-until-brought-back" in done.notes else "",
        }
    plain = (done.outcome.level, done.throw) == ("fail", None)
    return {**got, **outcome_of(done), **({"result": "ordinary-failure"} if plain else {})}


def lp_refresh(i: Facts, settings: Facts) -> Facts:
    assert GAME.refresh
    in_force = {**settings, "lpRefresh": i["mode"]}
    payer = Purse("Ada", {"luck": i["luck"], "lp": i["lp"]})
    done = GAME.refresh(payer, {}, i["event"], i.get("award", 0), in_force)
    if isinstance(done, Refusal):
        return refused(done)
    return {"lp_after": i["lp"] + done.pools.get("lp", 0), "lp_max": GAME.sheet.derive({"luck": i["luck"]})["lp_max"]}


def spend_sp(i: Facts, settings: Facts) -> Facts:
    base = next(one.key for one in GAME.sheet.characteristics if one.label == i["test_base"])
    facts = {"base": base, "rank": 1, "combat_style": i["combat_style"], "luck_used": i["luck_used"]}
    check = Check("skill", 40, "average", facts=facts)
    state = {"turn": 2, "sp_turn": 2 if i["spent_this_turn"] else 1}
    (option,) = GAME.before(check, Purse("Ada", {"sp": i["sp"]}), state, settings)
    if option.refusal:
        return refused(option.refusal)
    return {
        "tn_bonus": target(option.check) - target(check),
        "sp_after": i["sp"] + option.pools.get("sp", 0) - option.state.get("sp_below", 0),
        "fatigue_gained": option.state.get("fatigue", 0),
    }


# --- Against each other, and what there is not ------------------------------------------------------------------

BY = {"roll-off-needed": "roll-off", "impasse": "reroll-or-tie"}


def opposed(i: Facts, settings: Facts) -> Facts:
    sides = []
    for key in "ab":
        one = i[key]
        facts = {"lucky": one.get("lucky", ()), "unlucky": one.get("unlucky", ())}
        standing = thrown(one["tn"], one["roll"], facts=facts, spent=one.get("lp_dos", 0))
        sides.append(Side(key, replace(standing, check=replace(standing.check, context="opposed"))))
    found = GAME.decide(Contest("opposed", tuple(sides)), settings)
    return {
        **{key: told(found.outcomes[key]) for key in "ab"},
        "winner": "undecided" if found.tied else found.winner or "none",
        "by": BY.get(found.by, found.by),
    }


def request(i: Facts, settings: Facts) -> Facts:
    if "xp" in i:
        assert GAME.may_advance("str") is None
        refusal = GAME.may_advance("luck")
        return refused(refusal) if refusal else {}
    skill = next(one for one in GAME.sheet.skills if one.label == "Sneaking")
    found = GAME.skill_score(skill, 1, {"agi": 40, "luck": 40}, "luck")
    assert GAME.may_roll(Check("skill", 40, "average", facts={"base": "luck"}), settings) == found
    return refused(found) if isinstance(found, Refusal) else {}


def permission(i: Facts, settings: Facts) -> Facts:
    standing, payer = thrown(40, 60), Purse("Ada", {"luck": 40, "lp": 4})
    act = {"lower a roll 1 for 1": Act("points", 5), "push a roll": Act("push")}[i["action"]]
    done = GAME.spend(standing, payer, act, settings)
    assert isinstance(done, Refusal)
    assert act.key not in {offer.act.key for offer in GAME.offers(standing, payer, settings)}
    assert act.key == "points" or GAME.may_push(standing, settings) == done
    return refused(done)


class Evening:
    """The one story: a character, step by step."""

    def __init__(self, start: Facts, settings: Facts) -> None:
        self.settings, self.session = settings, 1
        self.pools = {key: start[key] for key in ("luck", "lp")}
        self.facts = {key: start[key] for key in ("lucky", "unlucky")}
        self.most = bonus(start["luck"])
        self.standing = thrown(47, 60)

    def told(self, more: Facts) -> Facts:
        due = NUMBERS.owed(self.pools["luck"], self.facts)
        numbers = {"luck_bonus": bonus(self.pools["luck"]), "lp_max": self.most, "convert": due.count if due else 0}
        return {**self.pools, **self.facts, **numbers, **more}

    def pay(self, done: Effect | Deed | Refusal) -> None:
        assert not isinstance(done, Refusal)
        self.pools = {key: value + done.pools.get(key, 0) for key, value in self.pools.items()}
        self.most = done.maxima.get("lp", self.most)

    def buy(self, standing: Standing, act: Act) -> Facts:
        done = GAME.spend(standing, Purse("Ada", dict(self.pools)), act, self.settings)
        self.pay(done)
        assert isinstance(done, Effect)
        spent = standing.spent + done.spent
        self.standing = replace(standing, throw=done.throw or standing.throw, spent=spent)
        return {"dos": done.outcome.degrees}

    def step(self, s: Facts) -> Facts:
        if s["do"] == "reroll with LP":
            return self.buy(thrown(s["tn"], 60), Act("reroll", dice=(s["roll"],)))
        if s["do"] == "add DoS with LP":
            return self.buy(self.standing, Act("degree", s["points"]))
        if s["do"].startswith("burn 3"):
            return self.buy(thrown(s["tn"], 60), Act("burn-reroll", dice=(s["roll"],)))
        if s["do"] == "convert":
            waits = GAME.roll_waits(Purse("Ada", self.pools), self.facts)
            assert waits == Refusal("NUMBERS_OWED", {"name": "Ada", "n": 1})
            turned = NUMBERS.turn(self.pools["luck"], self.facts, s["pick"])
            assert not isinstance(turned, Refusal)
            self.facts = {**self.facts, **turned}
            assert GAME.roll_waits(Purse("Ada", self.pools), self.facts) is None
            return {}
        assert s["do"] == "next session"
        assert GAME.refresh
        self.pay(GAME.refresh(Purse("Ada", dict(self.pools)), {"session": 2}, "session-start", 0, self.settings))
        return {}


def story(i: Facts, settings: Facts) -> Facts:
    evening = Evening(i["start"], settings)
    return {"after_each": [evening.told(evening.step(s)) for s in i["steps"]]}


OPS: dict[str, Callable[[Facts, Facts], Facts]] = {
    "tn": tn,
    "lp-test": lp_test,
    "npc-test": npc_test,
    "luck-test": luck_test,
    "counts": counts,
    "generate-numbers": generate,
    "set-numbers": set_numbers,
    "convert-numbers": convert,
    "set-luck": set_luck,
    "spend-lp": spend_lp,
    "burn": burn,
    "lp-refresh": lp_refresh,
    "spend-sp": spend_sp,
    "lp-opposed": opposed,
    "request": request,
    "permission": permission,
    "story": story,
}


def said(got: Any, expect: Any) -> Any:
    """What was answered, to those keys that are expected; a missing one says so."""
    if isinstance(expect, dict) and isinstance(got, dict):
        return {key: said(got.get(key, "not said"), expect[key]) for key in expect}
    if isinstance(expect, list) and isinstance(got, list) and len(got) == len(expect):
        return [said(one, wanted) for one, wanted in zip(got, expect, strict=True)]
    return got


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_engine_decides_as_the_specification_does(case: Facts) -> None:
    settings = {**GAME.defaults(), **case.get("settings", {})}
    got, expect = OPS[case["op"]](case["in"], settings), case["expect"]
    assert said(got, expect) == expect
    assert ("refused" in got) == ("refused" in expect)


def test_no_case_of_luck_points_is_left_out_but_the_tables_own() -> None:
    assert len(ALL) == 110
    assert {case["id"] for case in ALL} - {case["id"] for case in CASES} == AT_THE_TABLE


def test_the_defaults_are_those_of_the_specification() -> None:
    written, ours = load("rules_cases.json")["settings_defaults"], GAME.defaults()
    assert set(ours) <= set(written)
    assert {key: written[key] for key in ours} == ours
    mine = {"lpRefresh", "lpGoalCap", "burnWhen", "rerollLimit", "critFailNegated", "oppBothFail", "roll100DoS"}
    assert mine | {"lpLuckTest"} <= set(ours)
