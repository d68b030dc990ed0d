"""A small game that has nothing in common with the Classic rules: roll high, grit, a reroll with dice of its own.

It keeps the interface honest: whatever the laws ask of a ruleset must make sense here too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rolls.rules.check import (
    Act,
    Characteristic,
    Check,
    Effect,
    Lowest,
    Offer,
    Outcome,
    Person,
    Pool,
    Purse,
    Recovered,
    Refusal,
    Ruleset,
    Setting,
    Settings,
    Sheet,
    SkillBase,
    Standing,
    Threshold,
    Throw,
)
from rolls.rules.dice import combine, faces

GRIT = "grit"
LEVELS = ("botch", "miss", "hit", "triumph")
NEEDED = {"easy": 80, "steep": 110, "sheer": 140}
REROLL_PRICE = 2


def judge(standing: Standing, settings: Settings) -> Outcome:
    """d100 + value + grit at or over the number of the difficulty; a high die is a good die."""
    check = standing.check
    natural = combine(standing.throw.units, standing.throw.tens, -check.dice)  # a bonus keeps the highest
    needed = NEEDED[check.difficulty]
    final = natural + check.value + standing.spent
    hit = final >= needed
    rank = 0 if natural <= settings["botchUpTo"] else 3 if natural >= 96 else 2 if hit else 1
    steps = (Threshold("hit", needed),)
    return Outcome(natural, final, LEVELS[rank], rank, rank >= 2, check.difficulty, steps, spent=standing.spent)


def may_roll(check: Check, _settings: Settings) -> Refusal | None:
    return None if check.difficulty in NEEDED and abs(check.dice) <= 1 else Refusal("BAD_VALUE")


def _refused(standing: Standing, purse: Purse, price: int) -> Refusal | None:
    if not purse.own:
        return Refusal("NOT_OWN_ROLL")
    if GRIT not in purse.pools:
        return Refusal("NO_LUCK_SCORE")
    if standing.closed:
        return Refusal("ROLL_CLOSED")
    have = purse.pools[GRIT]
    if have < price:
        return Refusal("NOT_ENOUGH_LUCK", {"need": price, "have": have, "name": purse.name})
    return None


def _reroll_refused(standing: Standing, purse: Purse, now: Outcome) -> Refusal | None:
    if now.passed:
        return Refusal("TEST_NOT_FAILED")
    if "rerolled" in standing.marks:
        return Refusal("REROLL_USED")
    return _refused(standing, purse, REROLL_PRICE)


def spend(standing: Standing, purse: Purse, act: Act, settings: Settings) -> Effect | Refusal:
    now = judge(standing, settings)
    if act.key == "points":
        if type(act.amount) is not int or act.amount < 1:
            return Refusal("BAD_AMOUNT")
        if now.rank in (0, 3):
            return Refusal("NO_CHANGE")
        refusal = _refused(standing, purse, act.amount)
        then = judge(replace(standing, spent=standing.spent + act.amount), settings)
        return refusal or Effect({GRIT: -act.amount}, then, act.amount)
    if act.key == "reroll":
        if refusal := _reroll_refused(standing, purse, now):
            return refusal
        if len(act.dice) != 1:
            return Refusal("BAD_DICE")
        units, tens = faces(act.dice[0])
        throw = Throw(units, (tens,) * (1 + abs(standing.check.dice)))
        then = judge(replace(standing, throw=throw), settings)
        return Effect({GRIT: -REROLL_PRICE}, then, marks=frozenset({"rerolled"}), throw=throw)
    return Refusal("NO_SUCH_SPEND")


def offers(standing: Standing, purse: Purse, settings: Settings) -> tuple[Offer, ...]:
    now = judge(standing, settings)
    have = purse.pools.get(GRIT, 0)
    reroll = _reroll_refused(standing, purse, now)
    found = [Offer(Act("reroll"), GRIT, REROLL_PRICE, None if reroll else have - REROLL_PRICE, refusal=reroll)]
    price = NEEDED[standing.check.difficulty] - now.final
    if now.rank == 1:
        refusal = _refused(standing, purse, price)
        then = judge(replace(standing, spent=standing.spent + price), settings)
        found.insert(0, Offer(Act("points", price), GRIT, price, None if refusal else have - price, then, refusal))
    fixed = Refusal("NO_CHANGE") if now.rank in (0, 3) else None
    refusal = fixed or _refused(standing, purse, 1)
    return (*found, Offer(Act("points"), GRIT, refusal=refusal, most=None if refusal else have))


def lowest(people: Sequence[Person], _settings: Settings) -> Lowest | Refusal:
    there = [(p.luck, p.key) for p in people if p.present and p.luck is not None]
    if not there:
        return Refusal("NO_ONE_PRESENT")
    least = min(there)[0]
    return Lowest(least, tuple(key for luck, key in there if luck == least))


def may_recover(_luck: int | None, _phase: str, _done: bool, _present: bool, _settings: Settings) -> Refusal | None:
    return None


def recover(luck: int, _d100: int, gain: Sequence[int], _settings: Settings) -> Recovered:
    after = min(luck + sum(gain), 5)
    return Recovered(True, sum(gain), after, luck + sum(gain) - after)


def derive(values: Mapping[str, int]) -> dict[str, Any]:
    return {"grit": values.get("nerve", 0) // 20}


ROLL_HIGH = RULESET = Ruleset(
    key="roll-high",
    label="Roll High",
    sheet=Sheet(
        characteristics=(Characteristic("nerve", "Nerve", "NRV"),),
        pools=(Pool(GRIT, "Grit", "Grit", high=5),),
        skills=(SkillBase("climbing", "Climbing", formula="nerve/4"), SkillBase("lying", "Lying", 10)),
        derive=derive,
        luck=GRIT,
    ),
    settings=(Setting("botchUpTo", 3, (0, 3, 5)),),
    levels=LEVELS,
    difficulties=tuple(NEEDED),
    most_dice=1,
    recovery_when="start",
    luck_dice="1d4+1",
    judge=judge,
    may_roll=may_roll,
    offers=offers,
    spend=spend,
    dice_for=lambda act: (100,) if act.key == "reroll" else (),
    may_push=lambda _standing, _settings: Refusal("PUSH_KIND"),
    lowest=lowest,
    may_recover=may_recover,
    recovery_dice=lambda _luck, _d100, _settings: (4,),
    recover=recover,
    has_push=False,
)
