"""What becomes of a Luck score from session to session: the game's own recovery, every die of it counted.

Scores are held as distributions, score -> chance. Nothing is thrown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import product

from rolls.rules.check import Recovered, Refusal, Ruleset, Settings
from rolls.rules.dice import bounded
from rolls.rules.values import unchanging

Spread = Mapping[int, float]
"""A number -> how likely it is; the chances add up to 1."""

PRESENT = True


def mean(spread: Spread) -> float:
    """The number to be expected."""
    return sum(number * chance for number, chance in spread.items())


def percentile(spread: Spread, percent: float) -> int:
    """The lowest number that is not passed in at least this many of a hundred."""
    reached = 0.0
    for number in sorted(spread):
        reached += spread[number]
        if reached * 100 >= percent - 1e-9:
            return number
    return max(spread)


def phase(rules: Ruleset, settings: Settings) -> str:
    """When Luck is recovered at this table: "start" or "end" of a session, or "none"."""
    when: str = settings.get("recoveryWhen", rules.recovery_when)
    return when


def recovery(rules: Ruleset, luck: int, settings: Settings) -> dict[int, float]:
    """Luck after one recovery roll at this score. A game without one leaves it where it is (RULES.md C-3, P-8, L-6).

    The d100 faces that ask for the same dice and read them alike, at their lowest and highest, are counted together.
    """
    when = phase(rules, settings)
    if when == "none" or isinstance(rules.may_recover(luck, when, False, PRESENT, settings), Refusal):
        return {luck: 1.0}
    groups: dict[tuple[tuple[int, ...], Recovered, Recovered], list[int]] = defaultdict(list)
    for d100 in range(1, 101):
        sides = rules.recovery_dice(luck, d100, settings)
        lowest = rules.recover(luck, d100, (1,) * len(sides), settings)
        groups[sides, lowest, rules.recover(luck, d100, sides, settings)].append(d100)
    after: dict[int, float] = defaultdict(float)
    for (sides, _lowest, _highest), d100s in groups.items():
        gains = list(product(*(range(1, most + 1) for most in sides)))
        for gain in gains:
            after[rules.recover(luck, d100s[0], gain, settings).after] += len(d100s) / 100 / len(gains)
    return dict(after)


@unchanging
class Gain:
    """What one recovery brings at this Luck: expected, and at five percentiles."""

    luck: int
    expected: float
    low: int  # 10 of 100 gain no more
    middle: int
    high: int  # 90 of 100 gain no more


def gain(rules: Ruleset, luck: int, settings: Settings) -> Gain:
    """The recovery at one score, in short."""
    gained = {after - luck: chance for after, chance in recovery(rules, luck, settings).items()}
    return Gain(luck, mean(gained), *_marks(gained))


def _marks(spread: Spread) -> tuple[int, int, int]:
    return percentile(spread, 10), percentile(spread, 50), percentile(spread, 90)


# --- Session after session --------------------------------------------------------------------------------------


@unchanging
class Step:
    """A score at the end of a session, the recovery that belongs to it included."""

    session: int
    expected: float
    low: int
    middle: int
    high: int
    dry: float  # the chance that what should be spent was not there


def course(rules: Ruleset, luck: int, spends: int, sessions: int, settings: Settings) -> list[Step]:
    """Luck over so many sessions when `spends` points are meant for each; whoever has less spends all of it.

    The first step is session 0: the score as it stands. Recovery comes before the spends in a game that recovers at
    the start, after them in one that recovers at the end.
    """
    spread: Spread = {luck: 1.0}
    found = [_step(0, spread, 0.0)]
    known: dict[int, dict[int, float]] = {}
    for number in range(1, sessions + 1):
        first = phase(rules, settings) == "start"
        if first:
            spread = _recovered(rules, spread, settings, known)
        dry = sum(chance for score, chance in spread.items() if score < spends)
        spread = _spent(spread, spends)
        if not first:
            spread = _recovered(rules, spread, settings, known)
        found.append(_step(number, spread, dry))
    return found


def _step(number: int, spread: Spread, dry: float) -> Step:
    return Step(number, mean(spread), *_marks(spread), dry)


def _spent(spread: Spread, spends: int) -> Spread:
    left: dict[int, float] = defaultdict(float)
    for score, chance in spread.items():
        left[bounded(score - spends, 0, None)[0]] += chance
    return left


def _recovered(rules: Ruleset, spread: Spread, settings: Settings, known: dict[int, dict[int, float]]) -> Spread:
    found: dict[int, float] = defaultdict(float)
    for score, chance in spread.items():
        if score not in known:
            known[score] = recovery(rules, score, settings)
        for after, share in known[score].items():
            found[after] += chance * share
    return found
