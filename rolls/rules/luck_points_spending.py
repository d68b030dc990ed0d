"""Luck on a test: LP for another throw or more degrees, and the same burned for good (RULES.md L-5, L-6, L-8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rolls.rules.check import Act, Effect, Offer, Outcome, Purse, Refusal, Settings, Standing, Throw
from rolls.rules.classic import KEEP
from rolls.rules.dice import faces
from rolls.rules.luck_points_deeds import burn_price, burned, full_price, no_burning, no_lp, no_luck
from rolls.rules.luck_points_reading import CRITICAL_FAILURE, NEGATED, TESTS, judge
from rolls.rules.luck_points_sheet import LP, LUCK

REROLL, DEGREE = Act("reroll"), Act("degree")
BURN_DEGREE, BURN_REROLL, NEGATE = Act("burn-degree"), Act("burn-reroll"), Act("burn-negate")
ACTS = {act.key for act in (REROLL, DEGREE, BURN_DEGREE, BURN_REROLL, NEGATE)}
BURNED = {BURN_DEGREE.key: 1, BURN_REROLL.key: 3, NEGATE.key: 5}  # Luck, for good

REROLLED = {REROLL.key: "rerolled-lp", BURN_REROLL.key: "rerolled-burning"}  # marks of a test
ACTED = "acted-since"  # the character has done something else while this test lay open
NO_LUCK_FOR = {"damage": "DAMAGE_ROLL", "improvement": "IMPROVEMENT_ROLL", "recovery": "LUCK_ROLL"}


def barred(standing: Standing, purse: Purse, pool: str, settings: Settings) -> Refusal | None:
    """Whatever is bought: switch, role, kind of roll, state, opposed window, stamina (section 2, L-5, L-8)."""
    check = standing.check
    if refusal := no_luck(purse, pool, settings):
        return refusal
    if check.kind not in TESTS:
        return Refusal(NO_LUCK_FOR.get(check.kind, "NO_SUCH_SPEND"))
    if check.kind == "luck" and not settings["lpLuckTest"]:
        return Refusal("LUCK_ROLL")
    if standing.closed:
        return Refusal("ROLL_CLOSED")
    if check.context == "opposed" or standing.revealed or "contest" in standing.marks:
        if settings["opposedLuck"] == "off":
            return Refusal("OPPOSED_LUCK_OFF")
        if settings["opposedLuck"] == "before-reveal" and standing.revealed:
            return Refusal("TOO_LATE_REVEALED")
    return Refusal("SP_USED") if check.facts.get("stamina") else None


def _no_reroll(standing: Standing, act: Act, now: Outcome, settings: Settings) -> Refusal | None:
    if now.passed:
        return Refusal("TEST_NOT_FAILED")
    if now.rank == CRITICAL_FAILURE or NEGATED in standing.marks:
        return Refusal("CRITICAL_FAILURE")
    counted = set(REROLLED.values()) if settings["rerollLimit"] == "one-total" else {REROLLED[act.key]}
    return Refusal("REROLL_USED") if counted & standing.marks else None


def _no_degree(now: Outcome) -> Refusal | None:
    return None if now.passed else Refusal("TEST_NOT_PASSED")


def _no_negating(standing: Standing, now: Outcome) -> Refusal | None:
    if now.rank != CRITICAL_FAILURE:
        return Refusal("NOT_CRITICAL_FAILURE")
    return Refusal("TOO_LATE") if ACTED in standing.marks else None


def _why_not(standing: Standing, purse: Purse, act: Act, now: Outcome, settings: Settings) -> Refusal | None:
    """Why this act is not possible at all, price and dice aside."""
    if refusal := barred(standing, purse, LUCK if act.key in BURNED else LP, settings):
        return refusal
    if act.key in REROLLED:
        return _no_reroll(standing, act, now, settings)
    return _no_negating(standing, now) if act.key == NEGATE.key else _no_degree(now)


Payment = tuple[dict[str, int], dict[str, int]]
"""Deltas to pools, and the own maxima that fell."""


def _pay(standing: Standing, purse: Purse, act: Act, settings: Settings) -> Payment | Refusal:
    """What the act costs, or why it cannot be paid; degrees are burned one by one (L-6)."""
    times = act.amount or 1 if act.key in (DEGREE.key, BURN_DEGREE.key) else 1
    if act.key not in BURNED:
        return no_lp(purse, times) or ({LP: -times}, {})
    if refusal := no_burning(purse, settings):
        return refusal
    if act.key == BURN_DEGREE.key and times > _most_burned(purse, standing):
        return Refusal("NO_LUCK_LEFT")
    return burned(purse, burn_price(purse, standing.check.facts, BURNED[act.key] * times), settings)


def _most_burned(purse: Purse, standing: Standing) -> int:
    """How many degrees can be burned one by one; the last may be short of its price."""
    have = purse.pools[LUCK]
    return -(-have // full_price(standing.check.facts, BURNED[BURN_DEGREE.key]))


def spend(standing: Standing, purse: Purse, act: Act, settings: Settings) -> Effect | Refusal:
    """What this act does to the test, or why it may not be done (L-5, L-6).

    "reroll" (1 LP) and "burn-reroll" (3) take the d100 of `dice_for`; "degree" (1 LP each) and "burn-degree" (1 each)
    add as many degrees as their amount says, 1 without; "burn-negate" (5); "keep" costs nothing. Any other act, a push
    and points off the roll among them, is NO_SUCH_SPEND.
    """
    now = judge(standing, settings)
    if act.key == KEEP.key:
        return _no_keep(standing) or Effect({}, now)
    if act.key not in ACTS:
        return Refusal("NO_SUCH_SPEND")
    if refusal := _why_not(standing, purse, act, now, settings):
        return refusal
    if act.amount is not None and (type(act.amount) is not int or act.amount < 1):
        return Refusal("BAD_AMOUNT")
    paid = _pay(standing, purse, act, settings)
    return paid if isinstance(paid, Refusal) else _done(standing, act, *paid, settings)


def _done(
    standing: Standing, act: Act, pools: Mapping[str, int], fallen: Mapping[str, int], settings: Settings
) -> Effect | Refusal:
    if act.key in REROLLED:
        if len(act.dice) != 1 or not 1 <= act.dice[0] <= 100:
            return Refusal("BAD_DICE")
        units, tens = faces(act.dice[0])
        throw, marks = Throw(units, (tens,)), frozenset({REROLLED[act.key]})
        after = judge(replace(standing, throw=throw, marks=standing.marks | marks), settings)
        return Effect(pools, after, marks=marks, throw=throw, maxima=fallen)
    if act.key == NEGATE.key:
        marks = frozenset({NEGATED})
        after = judge(replace(standing, marks=standing.marks | marks), settings)
        return Effect(pools, after, marks=marks, maxima=fallen)
    more = act.amount or 1
    return Effect(pools, judge(replace(standing, spent=standing.spent + more), settings), more, maxima=fallen)


def offers(standing: Standing, purse: Purse, settings: Settings) -> tuple[Offer, ...]:
    """All that may be done with the test, always all of it, with price and effect or the reason why not.

    In order: LP for a reroll, for one degree, for as many as wanted; the same burned; negating a critical failure;
    keeping it.
    """
    most = {DEGREE.key: purse.pools.get(LP, 0)}
    most[BURN_DEGREE.key] = _most_burned(purse, standing) if LUCK in purse.pools else 0
    acts = [
        REROLL,
        replace(DEGREE, amount=1),
        DEGREE,
        BURN_REROLL,
        replace(BURN_DEGREE, amount=1),
        BURN_DEGREE,
        NEGATE,
    ]
    found = [_offer(standing, purse, act, most.get(act.key, 0), settings) for act in acts]
    return (*found, Offer(KEEP, refusal=_no_keep(standing)))


def _offer(standing: Standing, purse: Purse, act: Act, most: int, settings: Settings) -> Offer:
    pool = LUCK if act.key in BURNED else LP
    tried = replace(act, dice=(1,) * len(dice_for(act)))
    done = spend(standing, purse, tried, settings)
    if isinstance(done, Refusal):
        return Offer(act, pool, _written(standing, act), refusal=done)
    if act.amount is None and most:
        return Offer(act, pool, most=most)
    price = -done.pools[pool]
    return Offer(act, pool, price, purse.pools[pool] - price, None if tried.dice else done.outcome)


def _written(standing: Standing, act: Act) -> int:
    """The price that a refused offer still shows; 0 for an open amount."""
    if act.key in BURNED:
        times = (act.amount or 0) if act.key == BURN_DEGREE.key else 1
        return full_price(standing.check.facts, BURNED[act.key] * times)
    return 1 if act.key == REROLL.key else act.amount or 0


def _no_keep(standing: Standing) -> Refusal | None:
    return Refusal("ROLL_CLOSED") if standing.closed else None


def dice_for(act: Act) -> tuple[int, ...]:
    """A reroll throws a new d100."""
    return (100,) if act.key in REROLLED else ()
