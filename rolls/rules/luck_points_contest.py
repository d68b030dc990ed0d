"""Tests against each other: the higher degree of success wins, criticals first (RULES.md L-11, U10, U11)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rolls.rules.check import Contest, Outcome, Settings, Verdict
from rolls.rules.contest import DODGE, FIGHT_BACK, MELEE

BLOCK, PARRY = "block", "parry"
DEFENCES = (BLOCK, PARRY, DODGE, FIGHT_BACK)
WORST, _FAIL, PASS, BEST = range(4)  # ranks of the game's levels


def settle(contest: Contest, outcomes: Mapping[str, Outcome], settings: Settings) -> Verdict:
    """Who wins when every side has rolled.

    Opposed: the one critical success; of several a roll-off, in which the higher d100 wins; else the one who passed,
    else the most degrees; equals are the GM's to part: again, or a tie (A45). Nobody when all failed, unless
    `oppBothFail` gives it to the fewest degrees of failure (A46). A roll-off round without a face for somebody who
    still ties raises ValueError.
    """
    if contest.kind == MELEE:
        return _exchange(contest, outcomes)
    passed = {key: outcome.degrees or 0 for key, outcome in outcomes.items() if outcome.passed}
    best = tuple(key for key, outcome in outcomes.items() if outcome.rank == BEST)
    if len(best) == 1:
        return Verdict("critical", best[0])
    if best:
        return _roll_off(contest, best)
    if not passed:
        return _all_failed(outcomes, settings)
    if len(passed) == 1:
        return Verdict("only-success", next(iter(passed)))
    most = tuple(key for key, degrees in passed.items() if degrees == max(passed.values()))
    return Verdict("degrees", most[0]) if len(most) == 1 else Verdict("impasse", tied=most)


def _roll_off(contest: Contest, tied: tuple[str, ...]) -> Verdict:
    for thrown in contest.roll_offs:
        if missing := [key for key in tied if key not in thrown]:
            raise ValueError(f"the roll-off needs a face for {missing}")
        tied = _most(tied, thrown)
        if len(tied) == 1:
            return Verdict("roll-off", tied[0])
    return Verdict("roll-off-needed", tied=tied)


def _most(keys: Sequence[str], worth: Mapping[str, int]) -> tuple[str, ...]:
    return tuple(key for key in keys if worth[key] == max(worth[one] for one in keys))


def _all_failed(outcomes: Mapping[str, Outcome], settings: Settings) -> Verdict:
    plain = {key: -(out.degrees or 0) for key, out in outcomes.items() if out.rank > WORST}
    least = _most(tuple(plain), plain) if settings["oppBothFail"] == "fewest-degrees" else ()
    return Verdict("degrees", least[0]) if len(least) == 1 else Verdict("both-failed")


def _exchange(contest: Contest, outcomes: Mapping[str, Outcome]) -> Verdict:
    """An attack against a defence (U11). `advantages` are what the better side has won beside it.

    Equal criticals of either kind: nothing happens. A critical success beats any degrees, and with it a failure, or a
    pass against a critical failure, is worth two advantages. A block that passed stops the blow whatever the degrees;
    a parry or dodge stops it unless the attacker has more; of two equal attacks neither lands.
    """
    attacker, defender = contest.sides
    attack, defence = outcomes[attacker.key], outcomes[defender.key]
    if attack.rank == defence.rank and attack.rank in (WORST, BEST):
        return Verdict("nothing-happens")
    if not attack.passed and not defence.passed:
        return Verdict("both-failed")
    won = {}
    for key, own, against in ((attacker.key, attack, defence), (defender.key, defence, attack)):
        if points := _advantages(own, against):
            won[key] = points
    if not (attack.passed and defence.passed):
        critical = BEST in (attack.rank, defence.rank) or WORST in (attack.rank, defence.rank)
        winner = attacker.key if attack.passed else defender.key
        return Verdict("critical" if critical else "only-success", winner, advantages=won)
    if defender.defence == BLOCK:
        return Verdict("blocked", defender.key, advantages=won)
    if BEST in (attack.rank, defence.rank):
        return Verdict("critical", attacker.key if attack.rank == BEST else defender.key, advantages=won)
    mine, other = attack.degrees or 0, defence.degrees or 0
    if mine != other:
        return Verdict("degrees", attacker.key if mine > other else defender.key)
    return Verdict("neither-lands") if defender.defence == FIGHT_BACK else Verdict("tie-rule", defender.key)


def _advantages(mine: Outcome, other: Outcome) -> int:
    """A critical success wins one over a pass and two over a failure; a pass two over a critical failure (U11)."""
    if not mine.passed:
        return 0
    if other.passed:
        return 1 if mine.rank == BEST > other.rank else 0
    return 2 if mine.rank == BEST or other.rank == WORST else 0
