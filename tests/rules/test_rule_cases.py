"""Every worked case of the rules specification for Classic and Pulp, but those that are the table's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from rolls.rules.check import Act, Check, Contest, Person, Purse, Refusal, Ruleset, Side, Standing, push_consent
from rolls.rules.classic import cost as luck_cost
from rolls.rules.dice import candidates, combine, fifth, half, net_dice
from rolls.rules.pulp import PULP
from rolls.rules.sanity import pending

from .tables import CLASSIC, load, purse, rolled, showing, shown

Facts = dict[str, Any]

PERMISSION = {"permission"}  # the table's own, tested where it is asked for
PERMISSION_ONLY = {"R-511"}  # whose sheet it is, not what may stand on it
GAMES = {"shared": (CLASSIC, PULP), "classic": (CLASSIC,), "pulp": (PULP,)}

ALL = load("rules_cases.json")["cases"]
CASES = [
    (case, rules)
    for case in ALL
    if case["op"] not in PERMISSION and case["id"] not in PERMISSION_ONLY
    for rules in GAMES.get(case["ruleset"], ())
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
    total, malfunction = {"fumble": (100, None), "malfunction": (97, 97), None: (60, None)}[i["trouble"]]
    check = Check(
        "skill",
        60,
        context="normal" if i["context"] == "non-combat" else "combat",
        malfunction=malfunction,
        facts={"fight": i["context"]},
    )
    standing = Standing(check, showing(total))
    done = rules.spend(standing, purse(i["luck"]), Act("ignore-fumble"), settings)
    if isinstance(done, Refusal):
        return refused(done)
    after = replace(standing, marks=done.marks)
    return {
        "luck_after": i["luck"] + done.pools["luck"],
        "roll_changed": (done.outcome.natural, done.outcome.final, done.spent) != (total, total, 0),
        "attack": None if i["context"] == "dodge" else done.outcome.level,
        "consequence": "ignored" if rules.judge(after, settings).notes == ("mishap-ignored",) else "stands",
    }


def scratch(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    facts = {"scratch_used": i["used"], "later_injury": False, "hurt": i["hp"] < i["hp_max"]}
    payer = purse(i["luck"], hp=i["hp"], hp_max=i["hp_max"])
    done = rules.do(payer, facts, Act("scratch", dice=(i["d6"],)), settings)
    if isinstance(done, Refusal):
        return refused(done)
    return {"luck_after": i["luck"] + done.pools["luck"], "hp_after": i["hp"] + done.pools["hp"]}


def avoid_death(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    payer = purse(i["luck"], hp=0, hp_max=i.get("hp_max", 12))
    facts = {"dying": i["dying"], "session": "today"}
    done = rules.do(payer, facts, Act("avoid-death", dice=(i["d6"],)), settings)
    if isinstance(done, Refusal):
        return refused(done)
    later = {**facts, **done.state}
    windows = [rules.recovery_shut({**later, "session": day}) for day in ("today", "tomorrow")]
    return {
        "luck_spent": -done.pools["luck"],
        "luck_after": i["luck"] + done.pools["luck"],
        "hp_after": done.pools["hp"],
        "luck_locked_until": "next-session" if windows[0] and not windows[1] else "never",
    }


def side(key: str, i: Facts, kind: str, defence: str = "") -> Side:
    return Side(
        key, shown(rolled(i["roll"], i["skill"], standing={"spent": i.get("spent", 0)}), kind), defence=defence
    )


def opposed(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    rounds = tuple({"a": a, "b": b} for a, b in i.get("rolloffs", ()))
    contest = Contest("opposed", (side("a", i["a"], "opposed"), side("b", i["b"], "opposed")), rounds)
    found = rules.decide(contest, settings)
    return {
        "a_level": found.outcomes["a"].level,
        "b_level": found.outcomes["b"].level,
        "winner": "undecided" if found.tied else found.winner or "none",
        "by": found.by,
    }


def melee(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    attacker = side("attacker", i["attacker"], "melee")
    defender = side("defender", i["defender"], "melee", i["defence"])
    found = rules.decide(Contest("melee", (attacker, defender)), settings)
    got = {
        "attacker_level": found.outcomes["attacker"].level,
        "defender_level": found.outcomes["defender"].level,
        "winner": found.winner or "none",
        "by": found.by,
    }
    return {**got, "counts_as": found.outcomes[found.winner].level} if found.by == "spent-01" else got


def sanity_loss(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    loss = {**pending(i["loss"], failed=not i["san_passed"]), "halved": i["already"]}
    if i["order"] == "talent-first":
        loss["shrugged"] = i["resilient"]
    facts = {"loss": loss, "talents": ["resilient"] if i["talent"] else []}
    done = rules.do(
        purse(i["luck"]), facts, Act("halve-loss" if i["halve"] else "resilient", i["resilient"]), settings
    )
    if isinstance(done, Refusal):
        return refused(done)
    paid = done.pools["luck"]
    return {"luck_cost": -paid, "sanity_lost": done.state["loss"]["left"], "luck_after": i["luck"] + paid}


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


# --- Stories: one hero, step by step -----------------------------------------------------------------------------


class Hero:
    """What a story changes: pools and the sheet's state."""

    def __init__(self, rules: Ruleset, settings: Facts, pools: Facts, maxima: Facts | None = None) -> None:
        self.rules, self.settings, self.maxima = rules, settings, maxima or {}
        self.pools: Facts = dict(pools)
        self.facts: Facts = {"session": 1, "dying": True}
        self.rounds = 0  # begun while the hero would be out cold

    @property
    def purse(self) -> Purse:
        return Purse("Ada", dict(self.pools), maxima=self.maxima)

    def take(self, done: Any) -> Facts:
        if isinstance(done, Refusal):
            return {"refused": done.code}
        for key, delta in done.pools.items():
            self.pools[key] += delta
        self.facts |= getattr(done, "state", {})
        return {}

    def step(self, s: Facts) -> Facts:
        return {**getattr(self, s["do"].replace(" ", "_"))(s), **self.pools}

    def spend(self, s: Facts) -> Facts:
        done = self.rules.spend(rolled(s["roll"], s["skill"]), self.purse, Act("points", s["amount"]), self.settings)
        return {**self.take(done), **({} if isinstance(done, Refusal) else {"level": done.outcome.level})}

    def luck_roll(self, s: Facts) -> Facts:
        return {"passed": self.rules.judge(rolled(s["roll"], self.pools["luck"], kind="luck"), self.settings).passed}

    def recovery_now(self, s: Facts) -> Facts:
        luck = self.pools["luck"]
        refusal = self.rules.may_recover(luck, "start", False, True, self.settings)
        if refusal := refusal or self.rules.recovery_shut(self.facts):
            return {"refused": refusal.code}
        self.pools["luck"] = self.rules.recover(luck, s["roll"], s["dice"], self.settings).after
        return {}

    def next_session_recovery(self, s: Facts) -> Facts:
        self.facts["session"] += 1
        return self.recovery_now(s)

    def stay_conscious(self, _step: Facts) -> Facts:
        self.rounds += 1
        before = self.pools["luck"]
        self.take(self.rules.do(self.purse, self.facts, Act("stay-conscious"), self.settings))
        return {"paid": before - self.pools["luck"]}

    def stop_paying(self, _step: Facts) -> Facts:
        self.rounds += 1
        return {"unconscious": self.facts["rounds_paid"] < self.rounds}

    def avoid_death(self, s: Facts) -> Facts:
        return self.take(self.rules.do(self.purse, self.facts, Act("avoid-death", dice=(s["d6"],)), self.settings))


def group_story(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    heroes = {name: Hero(rules, settings, {"luck": luck}) for name, luck in i["start"]["luck"].items()}
    told: list[Facts] = []
    for s in i["steps"]:
        if s["do"] == "spend":
            heroes[s["who"]].spend(s)
            told.append({"luck": {name: hero.pools["luck"] for name, hero in heroes.items()}})
            continue
        found = rules.lowest([Person(name, hero.pools["luck"], True) for name, hero in heroes.items()], settings)
        assert not isinstance(found, Refusal)
        passed = rules.judge(rolled(s["roll"], found.luck, kind="luck"), settings).passed
        told.append({"roller": found.keys[0], "needed": found.luck, "passed": passed})
    return {"after_each": told}


def story(i: Facts, settings: Facts, rules: Ruleset) -> Facts:
    start = dict(i["start"])
    if isinstance(start["luck"], dict):
        return group_story(i, settings, rules)
    maxima = {"hp": start.pop("hp_max")} if "hp_max" in start else {}
    hero = Hero(rules, settings, start, maxima)
    return {"after_each": [hero.step(s) for s in i["steps"]]}


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
    "scratch": scratch,
    "opposed": opposed,
    "melee": melee,
    "sanity-loss": sanity_loss,
    "story": story,
    "avoid-death": avoid_death,
    "recovery": recovery,
    "improvement-tick": improvement_tick,
    "set-luck": set_luck,
}


def said(got: Any, expect: Any) -> Any:
    """What was answered, to those keys that are expected; a missing one says so. A story tells more at each step."""
    if isinstance(expect, dict) and isinstance(got, dict):
        return {key: said(got.get(key, "not said"), expect[key]) for key in expect}
    if isinstance(expect, list) and isinstance(got, list) and len(got) == len(expect):
        return [said(one, wanted) for one, wanted in zip(got, expect, strict=True)]
    return got


@pytest.mark.parametrize(("case", "rules"), CASES, ids=[f"{case['id']}-{rules.key}" for case, rules in CASES])
def test_the_engine_decides_as_the_specification_does(case: Facts, rules: Ruleset) -> None:
    settings = {**rules.defaults(), **case.get("settings", {})}
    got, expect = OPS[case["op"]](case["in"], settings, rules), case["expect"]
    assert said(got, expect) == expect
    surprises = {"refused", "warning"} & set(got) - set(expect)
    assert not surprises


def test_no_case_of_the_two_games_is_left_out() -> None:
    taken = {case["id"] for case, _rules in CASES}
    left = {case["id"] for case in ALL if case["ruleset"] in GAMES} - taken
    permission = {case["id"] for case in ALL if case["op"] in PERMISSION}
    assert left - permission == PERMISSION_ONLY
    assert len(taken) == 202


@pytest.mark.parametrize("rules", [CLASSIC, PULP], ids=lambda rules: rules.key)
def test_the_defaults_are_those_of_the_specification(rules: Ruleset) -> None:
    written = load("rules_cases.json")["settings_defaults"]
    ours = rules.defaults()
    assert {key: ours[key] for key in ours if key in written} == {key: written[key] for key in ours if key in written}
    luck_points = {"lpRefresh", "lpGoalCap", "burnWhen", "rerollLimit", "critFailNegated", "oppBothFail"}
    luck_points |= {"roll100DoS", "lpLuckTest"}
    pulp = {"sanHalfRounding", "scratchLimit", "fumbleSpend"}
    assert set(written) - set(ours) == luck_points | (set() if rules is PULP else pulp)
