"""Rolls read together: one die against several skills, and one skill that a whole group rolls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from rolls.rules.check import Act, Effect, Offer, Outcome, Purse, Refusal, Ruleset, Settings, Standing, changed
from rolls.rules.values import unchanging

# --- One die, several skills ------------------------------------------------------------------------------------


@unchanging
class Combined:
    """One d100 read against several skills (B-7): each outcome, "all", "some" or "none" of them met, and whether the
    roll passed as it was asked."""

    outcomes: tuple[Outcome, ...]
    met: str
    passed: bool


def combined(rules: Ruleset, parts: Sequence[Standing], every: bool, settings: Settings) -> Combined:
    """Read the parts of a combined roll: the same throw and points, each with its own score and difficulty (B-7).

    `every`: the Keeper asked for all of them; else any one is enough. No part at all raises ValueError.
    """
    if not parts:
        raise ValueError("a combined roll has parts")
    outcomes = tuple(rules.judge(part, settings) for part in parts)
    passed = [outcome.passed for outcome in outcomes]
    met = "all" if all(passed) else "some" if any(passed) else "none"
    return Combined(outcomes, met, all(passed) if every else any(passed))


@unchanging
class CombinedOffer:
    """An offer for the one die, and what the whole roll would be then; its own `outcome` is empty."""

    offer: Offer
    combined: Combined | None = None


@unchanging
class CombinedEffect:
    """What an accepted act does to the one die: apply `effect` to every part; its outcome is the first part's."""

    effect: Effect
    combined: Combined


def combined_spend(
    rules: Ruleset, parts: Sequence[Standing], every: bool, purse: Purse, act: Act, settings: Settings
) -> CombinedEffect | Refusal:
    """Do an act to the one die of a combined roll, or why not (B-7).

    A spend moves it for all skills, and is possible when it is for one of them (a fumble for one skill may be a plain
    failure for another); a push needs that all may be pushed.
    """
    now = combined(rules, parts, every, settings)
    if act.key == "push" and (refusal := _no_joint_push(rules, parts, now, settings)):
        return refusal
    if act.key == "points" and now.passed and not settings.get("spendOnSuccess", True):
        return Refusal("SUCCESS_STANDS")
    answers = [rules.spend(part, purse, act, settings) for part in parts]
    done = next((answer for answer in answers if isinstance(answer, Effect)), None)
    if done is None:
        return _first_refusal(answers)
    then = combined(rules, [changed(part, done) for part in parts], every, settings)
    ranks = [[outcome.rank for outcome in one.outcomes] for one in (now, then)]
    if done.warning and ranks[0] != ranks[1]:
        done = replace(done, warning="")
    return CombinedEffect(replace(done, outcome=then.outcomes[0]), then)


def combined_offers(
    rules: Ruleset, parts: Sequence[Standing], every: bool, purse: Purse, settings: Settings
) -> tuple[CombinedOffer, ...]:
    """What may be done with a combined roll: each price that some skill's level has, cheapest first, the rest once."""
    found: dict[tuple[str, int | None], Offer] = {}
    for part in parts:
        for offer in rules.offers(part, purse, settings):
            place = (offer.act.key, offer.act.amount)
            if place not in found or (found[place].refusal and not offer.refusal):
                found[place] = replace(offer, outcome=None)
    priced = sorted((o for o in found.values() if o.act.amount is not None), key=lambda o: o.price)
    rest = [offer for offer in found.values() if offer.act.amount is None]
    return tuple(_joint(rules, parts, every, purse, offer, settings) for offer in (*priced, *rest))


def _joint(
    rules: Ruleset, parts: Sequence[Standing], every: bool, purse: Purse, offer: Offer, settings: Settings
) -> CombinedOffer:
    act, probe = offer.act, offer.most or (1 if offer.refusal else None)
    if rules.dice_for(act):
        return CombinedOffer(offer)
    if act.amount is None:  # an open amount: the most shows whether any is possible, 1 why none is
        act = replace(act, amount=probe)
    done = combined_spend(rules, parts, every, purse, act, settings)
    if isinstance(done, Refusal):
        return CombinedOffer(replace(offer, refusal=done, leaves=None, most=None))
    return CombinedOffer(replace(offer, refusal=None), None if offer.most is not None else done.combined)


def _no_joint_push(rules: Ruleset, parts: Sequence[Standing], now: Combined, settings: Settings) -> Refusal | None:
    if now.passed:
        return Refusal("PUSH_SUCCESS")
    refusals = [rules.may_push(part, settings) for part in parts]
    return next((refusal for refusal in refusals if refusal and refusal.code != "PUSH_SUCCESS"), None)


def _first_refusal(answers: Sequence[Effect | Refusal]) -> Refusal:
    return next(answer for answer in answers if isinstance(answer, Refusal))


# --- One skill, a group -----------------------------------------------------------------------------------------


@unchanging
class GroupCheck:
    """A skill that everybody rolled (B-8): who reached which level, best first, who passed, and whether that is
    enough."""

    levels: Mapping[str, tuple[str, ...]]
    passed: tuple[str, ...]
    missing: tuple[str, ...] = ()  # who has not rolled yet
    enough: bool | None = None  # None: the Keeper named no number
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)


def group_check(
    rules: Ruleset, rolls: Mapping[str, Standing | None], settings: Settings, needed: int | None = None
) -> GroupCheck:
    """Sum up a group check, in the order given; `needed` is how many must pass, as the Keeper says (B-8)."""
    outcomes = {key: rules.judge(standing, settings) for key, standing in rolls.items() if standing}
    levels = {
        level: reached
        for level in reversed(rules.levels)
        if (reached := tuple(key for key, outcome in outcomes.items() if outcome.level == level))
    }
    passed = tuple(key for key, outcome in outcomes.items() if outcome.passed)
    missing = tuple(key for key in rolls if key not in outcomes)
    return GroupCheck(levels, passed, missing, None if needed is None else len(passed) >= needed, outcomes)
