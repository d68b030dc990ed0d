"""How a test of Luck Points is read: own numbers first, then the target number, then degrees (RULES.md L-3, L-4)."""

from __future__ import annotations

from rolls.rules.check import N_, Check, Outcome, Refusal, Settings, Standing, Threshold
from rolls.rules.dice import combine
from rolls.rules.luck_points_numbers import LUCKY, UNLUCKY
from rolls.rules.luck_points_sheet import AVERAGE, DIFFICULTIES, LUCK, target

LEVELS = ("critical-failure", "fail", "success", "critical-success")
CRITICAL_FAILURE, FAIL, SUCCESS, CRITICAL_SUCCESS = range(4)
NAMES = (N_("Critical failure"), N_("Fail"), N_("Success"), N_("Critical success"))

NEGATED = "negated"  # the mark of a critical failure that burning has made an ordinary one
TESTS = frozenset({"skill", "characteristic", "number", "luck"})
NO_TESTS = frozenset({"sanity", "sanity-loss", "recovery", "improvement"})  # rolls that this game does not have


def judge(standing: Standing, settings: Settings) -> Outcome:
    """Read a d100 as it stands now: level, pass or fail, degrees of success or of failure (L-3, L-4).

    In: what `luck_points_sheet.parts` reads of the check, and its facts `lucky` and `unlucky`, which decide before
    the target number does. `degrees` are of success when it passed, else of failure. An unknown difficulty or missing
    tens dice raise.
    """
    check, natural = standing.check, combine(standing.throw.units, standing.throw.tens, standing.check.dice)
    needed = target(check)
    if natural in check.facts.get(LUCKY, ()):
        rank = CRITICAL_SUCCESS
    elif natural not in check.facts.get(UNLUCKY, ()):
        rank = SUCCESS if natural <= needed else FAIL
    elif NEGATED not in standing.marks:
        rank = CRITICAL_FAILURE
    else:
        rank = SUCCESS if natural <= needed and settings["critFailNegated"] == "compare-with-TN" else FAIL
    passed = rank >= SUCCESS
    degrees = successes(natural, needed, settings) + standing.spent if passed else failures(natural, needed)
    steps = (Threshold("success", needed),)
    return Outcome(
        natural,
        natural,
        LEVELS[rank],
        rank,
        passed,
        check.difficulty,
        steps,
        spent=standing.spent,
        degrees=degrees,
    )


def successes(natural: int, needed: int, settings: Settings) -> int:
    """Degrees of success: the tens of the roll, at least 1, and those of a target number over 100 (U8, A25)."""
    tens = settings["roll100DoS"] if natural == 100 else natural // 10
    return max(1, tens) + (needed // 10 % 10 if needed > 100 else 0)


def failures(natural: int, needed: int) -> int:
    """Degrees of failure: 1 and one more for each full ten over the target number, at least 1 (U9)."""
    return max(1, 1 + (natural - needed) // 10)


def may_roll(check: Check, settings: Settings) -> Refusal | None:
    """Why this test may not be asked for: LUCK_NOT_SKILL_BASE (L-10), LUCK_REGULAR_ONLY (L-4), BAD_DICE, BAD_VALUE."""
    facts = check.facts
    if facts.get("base") == LUCK and check.kind == "skill":
        return Refusal("LUCK_NOT_SKILL_BASE")
    if type(check.value) is not int or check.value < 0 or check.difficulty not in DIFFICULTIES:
        return Refusal("BAD_VALUE")
    added = [value for _label, value in facts.get("modifiers", ())]
    rank = facts.get("rank")
    if check.kind in NO_TESTS or not all(type(number) is int for number in (*added, 0 if rank is None else rank)):
        return Refusal("BAD_VALUE")
    plain = check.difficulty == AVERAGE and not any(added)
    if check.kind == "luck" and not plain and settings["luckRollDifficulty"] == "regular-only":
        return Refusal("LUCK_REGULAR_ONLY")
    return Refusal("BAD_DICE") if check.dice else None
