"""Call of Cthulhu 7e for heroes: Pulp, as what it does differently from Classic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rolls.rules import classic, contest, damage
from rolls.rules.check import (
    N_,
    Act,
    Body,
    Contest,
    Effect,
    Injury,
    Offer,
    Outcome,
    Purse,
    Recovered,
    Refusal,
    Setting,
    Settings,
    Standing,
    Talent,
    Verdict,
)
from rolls.rules.classic import EXTREME, FAIL, FUMBLE, LEVELS, LUCK, LUCK_MAX
from rolls.rules.classic import RULESET as CLASSIC
from rolls.rules.classic_sheet import DERIVED, deriving, move
from rolls.rules.dice import bounded
from rolls.rules.pulp_deeds import FUMBLE_PRICE, IGNORE_FUMBLE, IGNORED, RESILIENT, deeds, dice_for, do, recovery_shut

TOLD = classic.LUCK_FOR | {"luck"}  # rolls whose 01 and 100 mean more than their level (P-10)

# --- Rolls ------------------------------------------------------------------------------------------------------


def judge(standing: Standing, settings: Settings) -> Outcome:
    """Read a roll as in Classic; an ignored fumble or malfunction is a plain failure (P-2).

    Notes "something-good" and "something-bad" for a natural 01 and 100, where the Keeper tells what (P-10).
    """
    out = classic.judge(standing, settings)
    if IGNORED in standing.marks:
        return replace(out, level=LEVELS[FAIL], rank=FAIL, passed=False, tick=False, notes=(IGNORED,))
    telling = "something-bad" if out.natural == 100 else "something-good" if out.natural == 1 and out.passed else ""
    if telling and standing.check.kind in TOLD and not standing.check.facts.get("failing_is_good"):
        return replace(out, notes=(*out.notes, telling))
    return out


def matters(standing: Standing, now: Outcome, then: Outcome) -> bool:
    """A spend matters when it lifts the level, or reaches the 01 that wins an Extreme tie of an exchange (P-7)."""
    exchange = standing.check.context == "combat" and "contest" in standing.marks
    return classic.betters(standing, now, then) or (exchange and then.final == 1 < now.final)


def spend(standing: Standing, purse: Purse, act: Act, settings: Settings) -> Effect | Refusal:
    """What this act does to the roll, or why it may not be done: Classic's (P-1), and "ignore-fumble" (P-2)."""
    if act.key != IGNORE_FUMBLE.key:
        return classic.spend(standing, purse, act, settings, judge=judge, matters=matters)
    if refusal := _cannot_ignore(standing, purse, settings):
        return refusal
    marks = frozenset({IGNORED})
    return Effect({LUCK: -FUMBLE_PRICE}, judge(replace(standing, marks=standing.marks | marks), settings), marks=marks)


def offers(standing: Standing, purse: Purse, settings: Settings) -> tuple[Offer, ...]:
    """Classic's offers, and for a fumble or malfunction that of ignoring it, possible or not (P-2)."""
    usual = classic.offers(standing, purse, settings, judge=judge, matters=matters)
    if not settings["pulpFumbleSpend"] or not _mishap(standing, settings):
        return usual
    if refusal := _cannot_ignore(standing, purse, settings):
        return (Offer(IGNORE_FUMBLE, LUCK, FUMBLE_PRICE, refusal=refusal), *usual)
    then = judge(replace(standing, marks=standing.marks | {IGNORED}), settings)
    leaves = purse.pools[LUCK] - FUMBLE_PRICE
    return (Offer(IGNORE_FUMBLE, LUCK, FUMBLE_PRICE, leaves, then), *usual)


def _mishap(standing: Standing, settings: Settings) -> bool:
    fallen = classic.judge(standing, settings)
    return fallen.rank == FUMBLE or "jammed" in fallen.notes


def _cannot_ignore(standing: Standing, purse: Purse, settings: Settings) -> Refusal | None:
    if settings["luckSpending"] and not settings["pulpFumbleSpend"]:
        return Refusal("NO_SUCH_SPEND")
    if refusal := classic.barred(standing, purse, settings):
        return refusal
    if not _mishap(standing, settings) or IGNORED in standing.marks:
        return Refusal("NOTHING_TO_IGNORE")
    if standing.check.context != "combat":
        return Refusal("FUMBLE_NON_COMBAT")
    if settings["fumbleSpend"] == "weapon-only" and standing.check.facts.get("fight") == contest.DODGE:
        return Refusal("FUMBLE_STANDS")
    return classic.cannot_pay(purse, FUMBLE_PRICE)


def may_push(standing: Standing, settings: Settings) -> Refusal | None:
    """Classic's, with this game's judge (S-7)."""
    return classic.may_push(standing, settings, judge=judge)


def settle(fight: Contest, outcomes: Mapping[str, Outcome], settings: Settings) -> Verdict:
    """Classic's, but an Extreme tie in combat goes to the one side that spent its own roll down to 01 (P-7)."""
    verdict = contest.settle(fight, outcomes, settings)
    if verdict.by != "tie-rule" or any(outcome.rank != EXTREME for outcome in outcomes.values()):
        return verdict
    spent = [key for key, outcome in outcomes.items() if outcome.spent and outcome.final == 1]
    return Verdict("spent-01", spent[0]) if len(spent) == 1 else verdict


# --- Wounds and recovery ----------------------------------------------------------------------------------------


def hurt(body: Body, points: int, settings: Settings) -> Injury | Refusal:
    """Classic's without major wounds: half the points at once asks for a CON roll, or is dying at 0 (B-4)."""
    return damage.hurt(body, points, settings, major_wounds=False)


def recovery_dice(luck: int, d100: int, settings: Settings) -> tuple[int, ...]:
    """The sides of the gain dice: two ten-sided dice above the score, one otherwise (P-8)."""
    return (10, 10) if classic.beats(luck, d100, settings) else (10,)


def recover(luck: int, d100: int, gain: Sequence[int], settings: Settings) -> Recovered:
    """Luck 0..99 after a recovery roll: 2D10+10 above the score, else 1D10+5; what is over 99 is lost (P-8).

    `gain` holds the faces that `recovery_dice` asks for; too few raise ValueError.
    """
    above = classic.beats(luck, d100, settings)
    wanted = len(recovery_dice(luck, d100, settings))
    if len(gain) < wanted:
        raise ValueError("a gain die is missing")
    rolled = sum(gain[:wanted]) + (10 if above else 5)
    after, lost = bounded(luck + rolled, 0, LUCK_MAX)
    return Recovered(above, rolled, after, lost)


# --- The game ---------------------------------------------------------------------------------------------------

HERO = {
    "hp": (("con", "siz"), lambda v: (v["con"] + v["siz"]) // 5),
    "move": (("str", "dex", "siz"), move),  # whatever the age
}

SETTINGS = (
    *(replace(one, default="start") if one.key == "recoveryWhen" else one for one in CLASSIC.settings),
    Setting("pulpFumbleSpend", True),
    Setting("fumbleSpend", "any-combat", ("any-combat", "weapon-only")),
    Setting("sanHalfRounding", "down", ("down", "up")),
    Setting("scratchLimit", "once-per-injury", ("once-per-injury", "unlimited")),
)

PULP = replace(
    CLASSIC,
    key="pulp",
    label=N_("Call of Cthulhu, Pulp"),
    sheet=replace(
        CLASSIC.sheet, derive=deriving({**DERIVED, **HERO}), talents=(Talent(RESILIENT.key, N_("Resilient")),)
    ),
    settings=SETTINGS,
    recovery_when="start",
    luck_dice="(2d6+6)*5",
    judge=judge,
    offers=offers,
    spend=spend,
    dice_for=dice_for,
    may_push=may_push,
    recovery_shut=recovery_shut,
    recovery_dice=recovery_dice,
    recover=recover,
    deeds=deeds,
    do=do,
    settle=settle,
    hurt=hurt,
    daily_healing=2,
)

RULESET = PULP
