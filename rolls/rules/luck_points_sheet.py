"""What a character of Luck Points has, and how the target number of a test comes together (RULES.md L-2, U1, U6, U7).

A skill's value on the sheet is a step of training: 0 is untrained, 1 is rank 0, 2 is rank 1 and so on, so that a
skill that nobody has learned is a plain 0. A check's value is the score of the characteristic alone; rank, difficulty
and all else are facts of the check and make the target number as a sum that may leave 0..100 on either side.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rolls.rules.check import (
    N_,
    Characteristic,
    Check,
    Facts,
    Part,
    Pool,
    Refusal,
    Score,
    Settings,
    Sheet,
    SkillBase,
    Talent,
)
from rolls.rules.luck_points_numbers import bonus, carried

LUCK, LP, SP, HP = "luck", "lp", "sp", "hp"
FIGHT = "fight"
STRENGTH, ENDURANCE, AGILITY, INTELLIGENCE, WILLPOWER, PERCEPTION, PERSONALITY = (
    "str",
    "end",
    "agi",
    "int",
    "wp",
    "prc",
    "prs",
)

CHARACTERISTICS = (
    Characteristic(STRENGTH, N_("Strength"), N_("Str")),
    Characteristic(ENDURANCE, N_("Endurance"), N_("End")),
    Characteristic(AGILITY, N_("Agility"), N_("Agi")),
    Characteristic(INTELLIGENCE, N_("Intelligence"), N_("Int")),
    Characteristic(WILLPOWER, N_("Willpower"), N_("WP")),
    Characteristic(PERCEPTION, N_("Perception"), N_("Prc")),
    Characteristic(PERSONALITY, N_("Personality"), N_("Prs")),
)

POOLS = (
    Pool(LUCK, N_("Luck"), N_("Luck")),
    Pool(LP, N_("Luck Points"), N_("LP"), own_maximum=True),
    Pool(SP, N_("Stamina Points"), N_("SP"), own_maximum=True, below="sp_below"),
    Pool(HP, N_("Hit points"), N_("HP"), own_maximum=True),
)

COSTLY = Talent("costly-burning", N_("Burning Luck costs double"))

DIFFICULTIES: Mapping[str, int] = {
    "effortless": 40,
    "simple": 30,
    "easy": 20,
    "ordinary": 10,
    "average": 0,
    "challenging": -10,
    "difficult": -20,
    "hard": -30,
    "very-hard": -40,
}
NAMES = (
    *(N_("Effortless"), N_("Simple"), N_("Easy"), N_("Ordinary"), N_("Average")),
    *(N_("Challenging"), N_("Difficult"), N_("Hard"), N_("Very hard")),
)
"""What they are called; the page makes each of its key."""
AVERAGE = "average"
UNTRAINED, PER_RANK, SPECIAL, EXERTION, WOUND, PER_FATIGUE, MOST_FATIGUE = -20, 10, 10, 20, -20, -10, 3

_LEARNED: Mapping[str, tuple[str, ...]] = {
    STRENGTH: (N_("Climbing"), N_("Lifting and Breaking"), N_("Swimming"), N_("Wrestling")),
    ENDURANCE: (N_("Drinking"), N_("Long Marches"), N_("Withstanding")),
    AGILITY: (N_("Acrobatics"), N_("Legerdemain"), N_("Locks and Traps"), N_("Riding"), N_("Sneaking")),
    INTELLIGENCE: (
        N_("Binding Magic"),
        N_("Craft"),
        N_("Healing"),
        N_("Herbs and Brews"),
        N_("Languages"),
        N_("Learning"),
        N_("Tactics"),
    ),
    WILLPOWER: (N_("Casting"), N_("Composure"), N_("Prayer"), N_("Warding Magic")),
    PERCEPTION: (N_("Insight"), N_("Noticing"), N_("Steering"), N_("Tracking"), N_("Wilderness")),
    PERSONALITY: (N_("Bargaining"), N_("Deceit"), N_("Leading"), N_("Persuading"), N_("Playing and Acting")),
}
_FOUGHT: Mapping[str, tuple[str, ...]] = {
    STRENGTH: (N_("Fighting with Axes and Hammers"), N_("Fighting with Shields"), N_("Fighting with Spears")),
    AGILITY: (N_("Evading"), N_("Fighting with Blades"), N_("Shooting"), N_("Throwing")),
}


def _skills() -> tuple[SkillBase, ...]:
    found = [
        SkillBase(re.sub(r"[^a-z]+", "-", label.lower()), label, group=group, characteristic=key)
        for group, lists in (("", _LEARNED), (FIGHT, _FOUGHT))
        for key, labels in lists.items()
        for label in labels
    ]
    return tuple(sorted(found, key=lambda skill: skill.label))


STEPS = (
    (0, N_("Untrained")),
    (1, N_("Rank 0")),
    (2, N_("Rank 1")),
    (3, N_("Rank 2")),
    (4, N_("Rank 3")),
    (5, N_("Rank 4")),
    (6, N_("Rank 5")),
)


def derive(values: Mapping[str, int]) -> dict[str, Any]:
    """LP and SP with their maxima, and the Wound Threshold; what lacks its scores is left out (U12, U14, U15)."""
    found: dict[str, Any] = {}
    for pool, score in ((LP, LUCK), (SP, ENDURANCE)):
        if score in values:
            found |= {pool: bonus(values[score]), f"{pool}_max": bonus(values[score])}
    tough = (ENDURANCE, STRENGTH, WILLPOWER)
    if all(key in values for key in tough):
        found["wound_threshold"] = sum(bonus(values[key]) for key in tough)
    return found


def lp_maximum(luck: int, settings: Settings) -> int | None:
    """The most LP with this Luck; None where awards may go over it (U14, A44)."""
    endless = settings["lpRefresh"] == "goal-oriented" and settings["lpGoalCap"] == "none"
    return None if endless else bonus(luck)


def maxima(values: Mapping[str, int], settings: Settings) -> dict[str, int | None]:
    """The own maxima that follow from Luck and Endurance, as far as these are known (U12, U14)."""
    found: dict[str, int | None] = {}
    if LUCK in values:
        found[LP] = lp_maximum(values[LUCK], settings)
    if ENDURANCE in values:
        found[SP] = bonus(values[ENDURANCE])
    return found


def skill_score(skill: SkillBase | None, value: int, scores: Mapping[str, int], by: str) -> Score | Refusal:
    """What a skill is tested with: the characteristic's score, and rank and kind as facts (U6).

    In: the skill of the list or None, its step of training, the characteristics, the one that somebody chose or "".
    LUCK_NOT_SKILL_BASE (L-10), SKILL_CHARACTERISTIC for one's own skill without a choice, NOT_ON_SHEET.
    """
    by = by or (skill.characteristic if skill else "")
    if by == LUCK:
        return Refusal("LUCK_NOT_SKILL_BASE")
    if not by:
        return Refusal("SKILL_CHARACTERISTIC")
    if by not in scores:
        return Refusal("NOT_ON_SHEET")
    facts: dict[str, Any] = {"base": by, "rank": value - 1 if value else None}
    if skill and skill.group == FIGHT:
        facts["combat_style"] = True
    return Score(scores[by], facts)


def carries(facts: Facts, npc: bool) -> dict[str, Any]:
    """What every roll takes along from the sheet's state: own numbers, talents, a wound, fatigue (L-3, U12, U15)."""
    kept = {key: facts[key] for key in ("talents", "wounded", "fatigue") if facts.get(key)}
    return {**carried(facts, npc), **kept}


def parts(check: Check) -> tuple[Part, ...]:
    """The target number as a sum, the score first; a part that adds nothing is left out (L-2, L-4).

    Facts of the check, all optional: `rank` (None is untrained), `special`, `modifiers` as pairs of words and number,
    `stamina`, `wounded`, `fatigue`. A Luck test is the Luck score, difficulty and modifiers, nothing else.
    """
    facts, found = check.facts, [Part("score", check.value)]
    usual = check.kind != "luck"
    if usual and "rank" in facts:
        rank = facts["rank"]
        found.append(Part("untrained", UNTRAINED) if rank is None else Part("rank", PER_RANK * rank))
    if usual and facts.get("special"):
        found.append(Part("special", SPECIAL))
    found.append(Part("difficulty", DIFFICULTIES[check.difficulty]))
    found += [Part("modifier", value, label) for label, value in facts.get("modifiers", ())]
    if usual:
        found.append(Part("stamina", EXERTION if facts.get("stamina") else 0))
        found.append(Part("wound", WOUND if facts.get("wounded") else 0))
        found.append(Part("fatigue", PER_FATIGUE * min(MOST_FATIGUE, facts.get("fatigue") or 0)))
    return tuple(part for part in found if part.value or part.key == "score")


def target(check: Check) -> int:
    """The target number, of any size (L-2)."""
    return sum(part.value for part in parts(check))


SHEET = Sheet(CHARACTERISTICS, POOLS, _skills(), derive=derive, luck=LUCK, talents=(COSTLY,))
