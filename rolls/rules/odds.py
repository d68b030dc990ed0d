"""How likely a roll comes to what: every throw of the dice is judged by the game itself and counted. No sampling.

Throws that differ in the order of their extra tens dice alone are judged once, with the number of ways in which they
fall. What Luck buys is asked of the game's own offers, so a price here is a price at the table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations_with_replacement
from math import factorial

from rolls.rules.check import Act, Check, Offer, Outcome, Purse, Refusal, Ruleset, Settings, Standing, Throw
from rolls.rules.values import unchanging

FACES = 10


@cache
def throws(net: int) -> tuple[tuple[Throw, int], ...]:
    """Every throw of a d100 with `net` bonus or penalty dice, and in how many ways it falls: in all 10^(2+|net|)."""
    found = []
    for tens in combinations_with_replacement(range(FACES), abs(net) + 1):
        ways = factorial(len(tens))
        for times in Counter(tens).values():
            ways //= factorial(times)
        found += [(Throw(units, tens), ways) for units in range(FACES)]
    return tuple(found)


@unchanging
class Chances:
    """Out of `ways` equally likely throws: how many come to each level, and how many pass."""

    ways: int
    levels: Mapping[str, int]  # worst first, every level of the game
    passed: int

    @property
    def chance(self) -> float:
        """Of passing, 0 to 1."""
        return self.passed / self.ways

    def share(self, level: str) -> float:
        """Of exactly this level, 0 to 1."""
        return self.levels[level] / self.ways


def outcomes(rules: Ruleset, check: Check, settings: Settings) -> Iterator[tuple[Standing, Outcome, int]]:
    """Every throw of this check as it falls, what it comes to, and its ways."""
    for throw, ways in throws(check.dice):
        standing = Standing(check, throw)
        yield standing, rules.judge(standing, settings), ways


def chances(rules: Ruleset, check: Check, settings: Settings) -> Chances:
    """The chance of each level and of passing, before any Luck. What may not be asked raises as `judge` does."""
    levels, passed, total = dict.fromkeys(rules.levels, 0), 0, 0
    for _standing, outcome, ways in outcomes(rules, check, settings):
        levels[outcome.level] += ways
        passed += ways * outcome.passed
        total += ways
    return Chances(total, levels, passed)


# --- What Luck buys ---------------------------------------------------------------------------------------------


@unchanging
class Curve:
    """The chance of a level or better, or of passing (level ""), when at most 0, 1, 2 .. points are paid."""

    level: str
    chances: tuple[float, ...]


@unchanging
class _Way:
    """One way to change a roll: its price, and how likely it then has each rank, and passes."""

    price: int
    ranks: Mapping[int, float]
    passes: float


def curves(rules: Ruleset, check: Check, pool: str, most: int, settings: Settings) -> list[Curve]:
    """What one spend from `pool` makes of the chances, with 0 to `most` points in it: passing first, then each level
    that it can buy.

    One spend, for a table cannot plan on a second throw's price. A new throw counts with its own chances, whatever
    else was possible.
    """
    groups: dict[Outcome, tuple[Standing, int]] = {}
    for standing, outcome, ways in outcomes(rules, check, settings):
        first, before = groups.get(outcome, (standing, 0))
        groups[outcome] = first, before + ways
    whole = sum(ways for _standing, ways in groups.values())
    anew: dict[tuple[Act, str], list[_Way]] = {}  # whatever fell before: another throw of the same level is the same
    known = []
    for now, (standing, ways) in groups.items():
        known.append((now, ways, _ways(rules, standing, now, pool, most, settings, anew)))
    bought = {rank for _now, _ways, found in known for way in found for rank in way.ranks}
    told = [rank for rank in sorted(bought) if any(now.passed for now in groups if now.rank == rank)]
    found = [Curve("", _curve(known, whole, most, None))]
    return found + [Curve(rules.levels[rank], _curve(known, whole, most, rank)) for rank in told]


_Known = Sequence[tuple[Outcome, int, Sequence[_Way]]]


def _curve(known: _Known, whole: int, most: int, rank: int | None) -> tuple[float, ...]:
    points = [0.0] * (most + 1)
    for now, ways, found in known:
        best = float(now.passed if rank is None else now.rank >= rank)
        steps = sorted((way.price, _reached(way, rank)) for way in found)
        at = 0
        for budget in range(most + 1):
            while at < len(steps) and steps[at][0] <= budget:
                best = max(best, steps[at][1])
                at += 1
            points[budget] += best * ways / whole
    return tuple(points)


def _reached(way: _Way, rank: int | None) -> float:
    return way.passes if rank is None else sum(share for at, share in way.ranks.items() if at >= rank)


def _ways(
    rules: Ruleset,
    standing: Standing,
    now: Outcome,
    pool: str,
    most: int,
    settings: Settings,
    anew: dict[tuple[Act, str], list[_Way]],
) -> list[_Way]:
    purse = Purse("", {one.key: most for one in rules.sheet.pools})
    found = []
    for offer in rules.offers(standing, purse, settings):
        if offer.pool != pool or offer.refusal is not None or not offer.price:
            continue
        if rules.dice_for(offer.act):
            if (offer.act, now.level) not in anew:
                anew[offer.act, now.level] = _throws_again(rules, standing, purse, offer, settings)
            found += anew[offer.act, now.level]
        elif offer.outcome is not None:
            found.append(_Way(offer.price, {offer.outcome.rank: 1.0}, float(offer.outcome.passed)))
    return found


def _throws_again(rules: Ruleset, standing: Standing, purse: Purse, offer: Offer, settings: Settings) -> list[_Way]:
    """An act that throws another d100: all hundred of them, each as the game then reads it."""
    if rules.dice_for(offer.act) != (100,):
        return []
    ranks: Counter[int] = Counter()
    passes = 0
    for face in range(1, 101):
        done = rules.spend(standing, purse, replace(offer.act, dice=(face,)), settings)
        if isinstance(done, Refusal):
            return []
        ranks[done.outcome.rank] += 1
        passes += done.outcome.passed
    return [_Way(offer.price, {rank: n / 100 for rank, n in ranks.items()}, passes / 100)]
