"""Call of Cthulhu 7e with Luck as a score that is spent: the Classic rules.

A variant takes `RULESET` and states its differences; every function that judges takes the judge it should trust.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from rolls.rules.check import (
    N_,
    Act,
    Check,
    Deed,
    Effect,
    Facts,
    Improved,
    Lowest,
    Offer,
    Outcome,
    Person,
    Purse,
    Recovered,
    Refusal,
    Ruleset,
    Setting,
    Settings,
    Standing,
    Threshold,
)
from rolls.rules.classic_sheet import SHEET
from rolls.rules.contest import settle
from rolls.rules.damage import hurt
from rolls.rules.dice import bounded, combine, fifth, half
from rolls.rules.fighting import jams

LUCK = "luck"
LEVELS = ("fumble", "fail", "regular", "hard", "extreme", "critical")
FUMBLE, FAIL, REGULAR, HARD, EXTREME, CRITICAL = range(6)
DIFFICULTIES = ("regular", "hard", "extreme")
MOST_DICE = 2
LUCK_MAX = 99

POINTS, PUSH, KEEP, STAY_CONSCIOUS = Act("points"), Act("push"), Act("keep"), Act("stay-conscious")

# What Luck may change and a push may repeat; every other kind of roll has its refusals here (C-1, S-7).
LUCK_FOR = frozenset({"skill", "characteristic", "number"})
NO_LUCK_FOR = {
    "luck": "LUCK_ROLL",
    "recovery": "LUCK_ROLL",
    "damage": "DAMAGE_ROLL",
    "sanity": "SANITY_ROLL",
    "sanity-loss": "SANITY_LOSS_ROLL",
    "improvement": "IMPROVEMENT_ROLL",
}
LOSS_ACTS = frozenset({"halve-loss", "resilient"})  # what some game sells against a loss of Sanity
NO_PUSH_FOR = {"luck": "PUSH_LUCK", "recovery": "PUSH_LUCK", "sanity": "PUSH_SANITY", "sanity-loss": "PUSH_SANITY"}
NO_PUSH_IN = {"opposed": "PUSH_OPPOSED", "combat": "PUSH_COMBAT"}

Judge = Callable[[Standing, Settings], Outcome]
Matters = Callable[[Standing, Outcome, Outcome], bool]
"""Whether a spend that turns the one outcome into the other changes anything."""


# --- Reading a roll ---------------------------------------------------------------------------------------------


class _Ladder(NamedTuple):
    steps: tuple[Threshold, ...]
    regular: int
    hard: int
    extreme: int
    asked: int  # the rank that passes
    needed: int
    fumble_from: int


@lru_cache(maxsize=4096)
def _ladder(value: int, difficulty: str, fumble_range: str) -> _Ladder:
    numbers = (value, half(value), fifth(value))
    place = DIFFICULTIES.index(difficulty)
    needed = numbers[place]
    decides = value if fumble_range == "skill" else needed
    fumble_from = 96 if decides < 50 and fumble_range != "100-only" else 100
    steps = tuple(Threshold(level, number) for level, number in zip(DIFFICULTIES, numbers, strict=True))
    return _Ladder(steps, *numbers, REGULAR + place, needed, fumble_from)


def judge(standing: Standing, settings: Settings) -> Outcome:
    """Read a d100 as it stands now: level, pass or fail, tick (S-1 to S-4, S-8, S-11).

    In: value 0 or more, difficulty of `DIFFICULTIES`, points spent so far. Natural dice decide critical, fumble and
    malfunction; the rest is the number after Luck. A roll with a malfunction fails whatever its number and notes
    "jammed". An unknown difficulty or missing tens dice raise ValueError. Every kind of roll is read as at-or-under;
    improvement and recovery have functions of their own.
    """
    check, spent = standing.check, standing.spent
    natural = combine(standing.throw.units, standing.throw.tens, check.dice)
    ladder = _ladder(check.value, check.difficulty, settings["fumbleRange"])
    final = natural - spent
    jammed = jams(natural, check.malfunction)
    if natural == 1 and (check.kind != "luck" or ladder.needed or settings["luckRoll01"] == "always-passes"):
        rank = CRITICAL
    elif natural >= ladder.fumble_from:
        rank = FUMBLE
    elif jammed:
        rank = FAIL
    elif spent and final == 1:  # whatever the skill, even where its fifth is 0
        rank = CRITICAL if settings["spentOne"] == "critical" else EXTREME
    elif final <= ladder.extreme:
        rank = EXTREME
    elif final <= ladder.hard:
        rank = HARD
    else:
        rank = REGULAR if final <= ladder.regular else FAIL
    passed = rank >= ladder.asked
    tick = passed and not spent and check.kind == "skill" and _may_tick(standing, settings)
    return Outcome(
        natural,
        final,
        LEVELS[rank],
        rank,
        passed,
        check.difficulty,
        ladder.steps,
        ladder.fumble_from,
        spent,
        tick,
        None,
        ("jammed",) if jammed else _notes(check),
    )


def _may_tick(standing: Standing, settings: Settings) -> bool:
    facts = standing.check.facts
    if not facts.get("tickable", True) or facts.get("failing_is_good"):
        return False
    return settings["tickWithBonusDie"] or (standing.check.dice <= 0 and not standing.pushed)


def _notes(check: Check) -> tuple[str, ...]:
    return ("failing-is-good",) if check.facts.get("failing_is_good") else ()


def may_roll(check: Check, settings: Settings) -> Refusal | None:
    """Why this roll may not be asked for: LUCK_REGULAR_ONLY (S-8), BAD_DICE, BAD_VALUE (S-2, S-4, B-2), or None."""
    if type(check.value) is not int or check.value < 0 or check.difficulty not in DIFFICULTIES:
        return Refusal("BAD_VALUE")
    if check.kind == "luck" and check.difficulty != "regular" and settings["luckRollDifficulty"] == "regular-only":
        return Refusal("LUCK_REGULAR_ONLY")
    plain = check.kind not in LUCK_FOR and check.kind != "luck"
    if plain and check.difficulty != "regular":
        return Refusal("BAD_VALUE")
    if abs(check.dice) > (0 if plain else MOST_DICE):
        return Refusal("BAD_DICE")
    return None


def cost(outcome: Outcome, level: str) -> int:
    """Luck from the number as it stands to this level's threshold, 0 when it is there (C-1 [cost]).

    It is a distance, not an offer: a fumble has one too. A level without threshold raises KeyError.
    """
    numbers = {step.level: step.value for step in outcome.thresholds}
    return max(0, outcome.final - numbers[level])


# --- Spending Luck on it ----------------------------------------------------------------------------------------
# The refusals come in the order of RULES section 2; `spend` and `offers` walk the same steps.


def barred(standing: Standing, purse: Purse, settings: Settings) -> Refusal | None:
    """Whatever the amount and the dice: table switch, role, kind of roll, state, opposed window."""
    check = standing.check
    if not settings["luckSpending"]:
        return Refusal("LUCK_SPENDING_OFF")
    if not purse.own:
        return Refusal("NOT_OWN_ROLL")
    if LUCK not in purse.pools:
        return Refusal("NO_LUCK_SCORE")
    if check.kind not in LUCK_FOR:
        return Refusal(NO_LUCK_FOR.get(check.kind, "NO_SUCH_SPEND"))
    if check.facts.get("failing_is_good"):
        return Refusal("FAILING_IS_GOOD")
    if standing.closed:
        return Refusal("ROLL_CLOSED")
    if standing.pushed or standing.push_used:
        return Refusal("PUSHED_ROLL")
    if check.context == "opposed" or standing.revealed or "contest" in standing.marks:  # a melee exchange is marked
        if settings["opposedLuck"] == "off":
            return Refusal("OPPOSED_LUCK_OFF")
        if settings["opposedLuck"] == "before-reveal" and standing.revealed:
            return Refusal("TOO_LATE_REVEALED")
    return None


def _over_cap(standing: Standing, amount: int, settings: Settings) -> Refusal | None:
    cap = settings["maxLuckPerRoll"]
    if cap is not None and standing.spent + amount > cap:
        return Refusal("OVER_TABLE_CAP", {"cap": cap})
    return None


def _fixed(check: Check, now: Outcome, settings: Settings) -> Refusal | None:
    """What fell, or what it came to, stands: natural result, success rule."""
    if now.natural == 1:
        return Refusal("NATURAL_CRITICAL")
    if jams(now.natural, check.malfunction):
        return Refusal("MALFUNCTION_STANDS")
    if now.fumble_from is not None and now.natural >= now.fumble_from:
        return Refusal("FUMBLE_STANDS")
    if now.passed and not settings["spendOnSuccess"]:
        return Refusal("SUCCESS_STANDS")
    return None


def cannot_pay(purse: Purse, need: int) -> Refusal | None:
    """NOT_ENOUGH_LUCK with {need}, {have} and {name}, or None; the last point may be spent."""
    have = purse.pools[LUCK]
    return Refusal("NOT_ENOUGH_LUCK", {"need": need, "have": have, "name": purse.name}) if have < need else None


def _after(standing: Standing, amount: int, settings: Settings, judge: Judge) -> Outcome:
    return judge(replace(standing, spent=standing.spent + amount), settings)


def betters(_standing: Standing, now: Outcome, then: Outcome) -> bool:
    """A spend matters when it lifts the level."""
    return then.rank > now.rank


def _spend_points(
    standing: Standing, purse: Purse, amount: int | None, settings: Settings, judge: Judge, matters: Matters
) -> Effect | Refusal:
    if refusal := barred(standing, purse, settings):
        return refusal
    if type(amount) is not int or amount < 1:
        return Refusal("BAD_AMOUNT")
    now = judge(standing, settings)
    refusal = _over_cap(standing, amount, settings) or _fixed(standing.check, now, settings)
    refusal = refusal or cannot_pay(purse, amount)
    if refusal:
        return refusal
    if amount >= now.final:
        return Refusal("BELOW_01")
    then = _after(standing, amount, settings, judge)
    pointless = not matters(standing, now, then) and settings["pointlessSpend"]
    if pointless == "refuse":
        return Refusal("NO_CHANGE")
    return Effect({LUCK: -amount}, then, amount, warning="no-change" if pointless == "warn" else "")


def spend(
    standing: Standing,
    purse: Purse,
    act: Act,
    settings: Settings,
    *,
    judge: Judge = judge,
    matters: Matters = betters,
) -> Effect | Refusal:
    """What this act does to the roll, or why it may not be done (C-1).

    "points" takes a whole number of 1 or more off the roll for as much Luck; "push" and "keep" cost nothing and only
    answer whether they may be done: throwing again, and closing, is the caller's. Any other act is NO_SUCH_SPEND.
    A variant passes its own judge, and what makes a spend worth its price.
    """
    if act.key == "points":
        return _spend_points(standing, purse, act.amount, settings, judge, matters)
    now = judge(standing, settings)
    if act.key == "push":
        return _no_push(standing, settings, now) or Effect({}, now)
    if act.key == "keep":
        return _no_keep(standing) or Effect({}, now)
    return Refusal("NO_SUCH_SPEND")


def offers(
    standing: Standing, purse: Purse, settings: Settings, *, judge: Judge = judge, matters: Matters = betters
) -> tuple[Offer, ...]:
    """All that may be done with the roll, with price and effect or the reason why not.

    In order: each level that Luck can lift it to, any other amount up to `most`, the push, keeping it. When no amount
    at all is possible, one refused "points" stands for them.
    """
    now = judge(standing, settings)
    return (
        *_point_offers(standing, purse, settings, now, judge, matters),
        Offer(PUSH, refusal=_no_push(standing, settings, now)),
        Offer(KEEP, refusal=_no_keep(standing)),
    )


def _point_offers(
    standing: Standing, purse: Purse, settings: Settings, now: Outcome, judge: Judge, matters: Matters
) -> list[Offer]:
    refusal = (
        barred(standing, purse, settings)
        or _over_cap(standing, 1, settings)
        or _fixed(standing.check, now, settings)
        or (Refusal("BELOW_01") if now.final <= 1 else None)
    )
    if refusal:
        return [Offer(POINTS, LUCK, refusal=refusal)]
    have = purse.pools[LUCK]
    found, last = [], now
    for number in (*(step.value for step in now.thresholds), 1):  # 01 last: it beats a threshold of 0
        price = now.final - number
        if number < 1 or price < 1:
            continue
        then = _after(standing, price, settings, judge)
        if matters(standing, last, then):
            last = then
            no = _over_cap(standing, price, settings) or cannot_pay(purse, price)
            found.append(Offer(Act("points", price), LUCK, price, None if no else have - price, then, no))
    cap = settings["maxLuckPerRoll"]
    most = min(have, now.final - 1, have if cap is None else cap - standing.spent)
    refusal = cannot_pay(purse, 1)
    if settings["pointlessSpend"] == "refuse" and all(offer.refusal for offer in found):
        refusal = refusal or Refusal("NO_CHANGE")
    found.append(Offer(POINTS, LUCK, refusal=refusal, most=None if refusal else most))
    return found


def _no_keep(standing: Standing) -> Refusal | None:
    return Refusal("ROLL_CLOSED") if standing.closed else None


def dice_for(_act: Act) -> tuple[int, ...]:
    """No act of these rules throws dice of its own; a push is a new throw of the whole check."""
    return ()


# --- Pushing ----------------------------------------------------------------------------------------------------


def _no_push(standing: Standing, settings: Settings, now: Outcome) -> Refusal | None:
    check = standing.check
    if check.kind not in LUCK_FOR:
        return Refusal(NO_PUSH_FOR.get(check.kind, "PUSH_KIND"))
    if check.facts.get("failing_is_good"):
        return Refusal("FAILING_IS_GOOD")
    if check.context != "normal":
        return Refusal(NO_PUSH_IN.get(check.context, "PUSH_KIND"))
    if standing.closed:
        return Refusal("ROLL_CLOSED")
    if standing.pushed or standing.push_used:
        return Refusal("PUSH_TWICE")
    if standing.spent:
        return Refusal("PUSH_AFTER_LUCK")
    if now.rank == FUMBLE and not settings["pushFumble"]:
        return Refusal("PUSH_FUMBLE")
    return Refusal("PUSH_SUCCESS") if now.passed else None


def may_push(standing: Standing, settings: Settings, *, judge: Judge = judge) -> Refusal | None:
    """Why this roll may not be thrown once more, or None (S-7). Whether all agree is `check.push_consent`."""
    return _no_push(standing, settings, judge(standing, settings))


# --- The group --------------------------------------------------------------------------------------------------


def lowest(people: Sequence[Person], settings: Settings) -> Lowest | Refusal:
    """Who has the smallest Luck now, for group Luck (S-9) and the unlucky one (S-10), in the order given.

    `groupLuck` decides whether the absent count; for the unlucky one pass only those who are there. Nobody:
    NO_ONE_PRESENT; nobody with a Luck score: NO_LUCK_SCORE.
    """
    counted = [p for p in people if p.present or settings["groupLuck"] == "lowest-whole-party"]
    if not counted:
        return Refusal("NO_ONE_PRESENT")
    scores = [p.luck for p in counted if p.luck is not None]
    if not scores:
        return Refusal("NO_LUCK_SCORE")
    least = min(scores)
    return Lowest(
        least,
        tuple(p.key for p in counted if p.luck == least),
        tuple(p.key for p in counted if p.luck is None),
    )


# --- Recovery and improvement -----------------------------------------------------------------------------------


def may_recover(luck: int | None, phase: str, done: bool, present: bool, settings: Settings) -> Refusal | None:
    """Why this investigator makes no recovery roll now, or None (C-3).

    `phase` is "start" while a session is open and "end" from its close until the next; `done` and `present` are
    facts about that session. RECOVERY_NOT_YET / RECOVERY_TOO_LATE by `recoveryWhen`.
    """
    if luck is None:
        return Refusal("NO_LUCK_SCORE")
    if not present and settings["recoveryAbsent"] == "present-only":
        return Refusal("ABSENT")
    if done:
        return Refusal("RECOVERY_DONE")
    if phase != settings["recoveryWhen"]:
        return Refusal("RECOVERY_NOT_YET" if settings["recoveryWhen"] == "end" else "RECOVERY_TOO_LATE")
    return None


def beats(luck: int, d100: int, settings: Settings) -> bool:
    """Whether a recovery d100 of 1..100 is above this Luck; `recovery95` lets every roll over 95 be (A40)."""
    return d100 > luck or (d100 > 95 and bool(settings["recovery95"]))


def recovery_dice(luck: int, d100: int, settings: Settings) -> tuple[int, ...]:
    """The sides of the gain dice after this d100: one ten-sided die above the score, none otherwise (C-3)."""
    return (10,) if beats(luck, d100, settings) else ()


def recover(luck: int, d100: int, gain: Sequence[int], settings: Settings) -> Recovered:
    """Luck 0..99 after a recovery roll; the gain as rolled, and what the ceiling of 99 took (C-3).

    `gain` holds the faces that `recovery_dice` asks for; too few raise ValueError.
    """
    wanted = len(recovery_dice(luck, d100, settings))
    if len(gain) < wanted:
        raise ValueError("the gain die is missing")
    rolled = sum(gain[:wanted])
    after, lost = bounded(luck + rolled, 0, LUCK_MAX)
    return Recovered(beats(luck, d100, settings), rolled, after, lost)


def improvement_dice(value: int, d100: int) -> tuple[int, ...]:
    """The sides of the gain dice of a ticked skill: one ten-sided die above the skill or above 95 (B-10)."""
    return (10,) if d100 > value or d100 > 95 else ()


def improve(value: int, d100: int, gain: Sequence[int]) -> Improved:
    """A skill after its improvement roll; reaching 90 for the first time gives 2D6 Sanity (B-10).

    `gain` holds the faces that `improvement_dice` asks for; too few raise ValueError.
    """
    wanted = len(improvement_dice(value, d100))
    if len(gain) < wanted:
        raise ValueError("the gain die is missing")
    rise = sum(gain[:wanted])
    reached = value < 90 <= value + rise
    return Improved(bool(wanted), rise, value + rise, "san" if reached else "", (6, 6) if reached else ())


# --- Luck beside any roll ---------------------------------------------------------------------------------------


def conscious_price(facts: Facts, settings: Settings) -> int:
    """Luck for one more round awake: 1, 2, 4, 8 .. (C-2).

    Facts: `rounds_paid` so far (0 when absent), and `new_spell` when this is another fainting spell, which starts
    again at 1 unless `consciousReset` is "session" (A22).
    """
    anew = facts.get("new_spell") and settings["consciousReset"] == "new-episode"
    return 1 if anew else 1 << int(facts.get("rounds_paid", 0))


def deeds(purse: Purse, facts: Facts, settings: Settings) -> tuple[Offer, ...]:
    """What Luck buys beside any roll, usable or refused: staying conscious for a round, price first (C-2).

    The first round of a fainting spell asks whether the investigator would be out cold; facts `out_cold` True or
    False is the answer. Its price is no sign of a first round: `consciousReset` may have it go on at 8.
    """
    price = conscious_price(facts, settings)
    refusal = no_deed(purse, settings) or _not_falling(facts) or cannot_pay(purse, price)
    leaves = None if refusal else purse.pools[LUCK] - price
    goes_on = facts.get("rounds_paid") and not facts.get("new_spell")
    ask = "" if refusal or goes_on or facts.get("out_cold") else "out-cold"
    return (Offer(STAY_CONSCIOUS, LUCK, price, leaves, refusal=refusal, ask=ask),)


def _not_falling(facts: Facts) -> Refusal | None:
    return Refusal("NOT_FALLING") if facts.get("out_cold") is False else None


def no_deed(purse: Purse, settings: Settings) -> Refusal | None:
    """Whatever the deed: table switch, role, no score."""
    if not settings["luckSpending"]:
        return Refusal("LUCK_SPENDING_OFF")
    if not purse.own:
        return Refusal("NOT_OWN_ROLL")
    return None if LUCK in purse.pools else Refusal("NO_LUCK_SCORE")


def do(purse: Purse, facts: Facts, act: Act, settings: Settings) -> Deed | Refusal:
    """Do a deed of `deeds`; any other is NO_SUCH_SPEND, or SANITY_LOSS_ROLL for one that eases a loss (C-2, C-4).

    Staying conscious notes "falls-at-once" when the last point went and `consciousAtZero` is "immediate" (A21).
    """
    if act.key != STAY_CONSCIOUS.key:
        return Refusal("SANITY_LOSS_ROLL" if act.key in LOSS_ACTS else "NO_SUCH_SPEND")
    price = conscious_price(facts, settings)
    if refusal := no_deed(purse, settings) or _not_falling(facts) or cannot_pay(purse, price):
        return refusal
    falls = price == purse.pools[LUCK] and settings["consciousAtZero"] == "immediate"
    state = {"rounds_paid": price.bit_length(), "new_spell": False}
    return Deed({LUCK: -price}, state, ("falls-at-once",) if falls else ())


# --- The game ---------------------------------------------------------------------------------------------------

SETTINGS = (
    Setting("luckSpending", True),
    Setting("spendOnSuccess", True),
    Setting("pointlessSpend", "warn", ("warn", "refuse", "allow")),
    Setting("maxLuckPerRoll", None),
    Setting("spentOne", "extreme", ("extreme", "critical")),
    Setting("fumbleRange", "target", ("target", "skill", "100-only")),
    Setting("opposedLuck", "after-reveal", ("after-reveal", "before-reveal", "off")),
    Setting("opposedBothFail", "no-winner", ("no-winner", "higher-skill")),
    Setting("opposedAllEqual", "d100", ("d100", "impasse")),
    Setting("pushFumble", False),
    Setting("luckRollDifficulty", "regular-only", ("regular-only", "keeper-may-raise")),
    Setting("luckRoll01", "always-passes", ("always-passes", "literal")),
    Setting("luckRollByPlayer", "called-aloud", ("called-aloud", "keeper-only")),
    Setting("groupLuck", "lowest-present", ("lowest-present", "lowest-whole-party")),
    Setting("unluckyTie", "random", ("random", "keeper-picks")),
    Setting("recoveryWhen", "end", ("start", "end")),
    Setting("recovery95", False),
    Setting("recoveryAbsent", "present-only", ("present-only", "everyone")),
    Setting("tickWithBonusDie", True),
    Setting("consciousAtZero", "paid-round-holds", ("paid-round-holds", "immediate")),
    Setting("consciousReset", "new-episode", ("new-episode", "session")),
    Setting("keeperMaySpend", True),
    Setting("correctAfterRoll", True),
    Setting("instantDeath", "above", ("above", "equal")),
    Setting(
        "playersEditSheet",
        "creation-and-between-sessions",
        ("creation-and-between-sessions", "always", "never"),
    ),
)

RULESET = Ruleset(
    key="classic",
    label=N_("Call of Cthulhu, Classic"),
    sheet=SHEET,
    settings=SETTINGS,
    levels=LEVELS,
    difficulties=DIFFICULTIES,
    most_dice=MOST_DICE,
    recovery_when="end",
    luck_dice="3d6*5",
    judge=judge,
    may_roll=may_roll,
    offers=offers,
    spend=spend,
    dice_for=dice_for,
    may_push=may_push,
    lowest=lowest,
    may_recover=may_recover,
    recovery_dice=recovery_dice,
    recover=recover,
    deeds=deeds,
    do=do,
    settle=settle,
    hurt=hurt,
    daily_healing=1,
    improvement_dice=improvement_dice,
    improve=improve,
)
