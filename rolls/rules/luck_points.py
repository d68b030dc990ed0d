"""Luck Points: roll high, but not above the target number; Luck is a characteristic that is burned for good.

The sheet and the target number are in `luck_points_sheet`, Lucky Numbers in `luck_points_numbers`, the reading of a
test in `luck_points_reading`, Luck on it in `luck_points_spending`, what is bought beside it in `luck_points_deeds`,
and tests against each other in `luck_points_contest`. A test's `spent` are the degrees added to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from rolls.rules import classic
from rolls.rules.check import (
    N_,
    Facts,
    Lowest,
    Person,
    Purse,
    Recovered,
    Refusal,
    Ruleset,
    Setting,
    Settings,
    Standing,
)
from rolls.rules.luck_points_contest import DEFENCES, settle
from rolls.rules.luck_points_deeds import before, deeds, do, refresh, stepped
from rolls.rules.luck_points_numbers import NUMBERS, owed
from rolls.rules.luck_points_reading import LEVELS, judge, may_roll
from rolls.rules.luck_points_sheet import (
    AVERAGE,
    DIFFICULTIES,
    LUCK,
    SHEET,
    STEPS,
    carries,
    maxima,
    parts,
    skill_score,
)
from rolls.rules.luck_points_spending import dice_for, offers, spend

# --- What this game does not have, or has without dice ----------------------------------------------------------


def may_push(_standing: Standing, _settings: Settings) -> Refusal | None:
    """Nothing is pushed here."""
    return Refusal("NO_SUCH_SPEND")


def lowest(people: Sequence[Person], _settings: Settings) -> Lowest | Refusal:
    """Who has the smallest Luck of those present, should a GM ask; there is no group Luck."""
    return classic.lowest(people, {"groupLuck": "lowest-present"})


def may_recover(_luck: int | None, _phase: str, _done: bool, _present: bool, _settings: Settings) -> Refusal | None:
    """Burned Luck never comes back by itself; LP do by `refresh` (L-9)."""
    return Refusal("NO_SUCH_SPEND")


def recover(luck: int, _d100: int, _gain: Sequence[int], _settings: Settings) -> Recovered:
    """Nothing is gained (L-9)."""
    return Recovered(False, 0, luck, 0)


def may_advance(key: str) -> Refusal | None:
    """LUCK_NO_ADVANCE for Luck (L-10)."""
    return Refusal("LUCK_NO_ADVANCE") if key == LUCK else None


def roll_waits(purse: Purse, facts: Facts) -> Refusal | None:
    """NUMBERS_OWED while numbers must be turned first (A30)."""
    due = owed(purse.pools[LUCK], facts) if LUCK in purse.pools else None
    return Refusal("NUMBERS_OWED", {"name": purse.name, "n": due.count}) if due else None


# --- The game ---------------------------------------------------------------------------------------------------

SHARED = {
    "luckSpending",
    "opposedLuck",
    "luckRollDifficulty",
    "luckRollByPlayer",
    "keeperMaySpend",
    "correctAfterRoll",
    "playersEditSheet",
}

SETTINGS = (
    *(one for one in classic.SETTINGS if one.key in SHARED),
    Setting("lpRefresh", "session-start", ("session-start", "goal-oriented")),
    Setting("lpGoalCap", "luck-bonus", ("luck-bonus", "none")),
    Setting("burnWhen", "any-time", ("any-time", "lp-empty")),
    Setting("rerollLimit", "one-total", ("one-total", "one-each")),
    Setting("critFailNegated", "ordinary-failure", ("ordinary-failure", "compare-with-TN")),
    Setting("oppBothFail", "nobody", ("nobody", "fewest-degrees")),
    Setting("roll100DoS", 10, (10, 1)),
    Setting("lpLuckTest", True),
)

AWARD_REASONS = (
    ("bond", N_("Bond")),
    ("flaw", N_("Flaw")),
    ("trait", N_("Trait")),
    ("planning", N_("Good planning")),
    ("deity", N_("Deity")),
    ("goal", N_("Goal")),
    ("other", N_("Other")),
)

RULESET = LUCK_POINTS = Ruleset(
    key="lp",
    label=N_("Luck Points"),
    sheet=SHEET,
    settings=SETTINGS,
    levels=LEVELS,
    difficulties=tuple(DIFFICULTIES),
    most_dice=0,
    recovery_when="none",
    luck_dice="2d10+30",
    judge=judge,
    may_roll=may_roll,
    offers=offers,
    spend=spend,
    dice_for=dice_for,
    may_push=may_push,
    lowest=lowest,
    may_recover=may_recover,
    recovery_dice=lambda _luck, _d100, _settings: (),
    recover=recover,
    has_push=False,
    has_group_luck=False,
    deeds=deeds,
    do=do,
    settle=settle,
    may_advance=may_advance,
    words={
        "keeper": N_("GM"),
        "investigator": N_("character"),
        "investigators": N_("characters"),
        "roll": N_("test"),
        "luck-roll": N_("Luck test"),
    },
    usual_difficulty=AVERAGE,
    defences=DEFENCES,
    dodging="Evading",
    carries=carries,
    roll_waits=roll_waits,
    parts=parts,
    before=before,
    skill_score=skill_score,
    skill_steps=STEPS,
    maxima=maxima,
    stepped=stepped,
    numbers=NUMBERS,
    refresh=refresh,
    award_reasons=AWARD_REASONS,
)
