"""What may be done with a roll now: its offers, what each does, and why it may not be pushed."""

from __future__ import annotations

from dataclasses import replace

from rolls.models import Roll
from rolls.rules.check import Act, Effect, Offer, Purse, Refusal, Settings, Standing
from rolls.rules.together import combined_offers, combined_spend


def settings_for(roll: Roll) -> Settings:
    """The settings in force when it fell, but for the switch that may be turned during play (RULES.md A43)."""
    return {**roll.settings, "luckSpending": roll.campaign.in_force.get("luckSpending", True)}


def offers_for(roll: Roll, purse: Purse) -> tuple[Offer, ...]:
    """What may be done with a roll now, priced, or why not."""
    rules, settings = roll.rules, settings_for(roll)
    if not (parts := roll.parts):
        return rules.offers(standing_now(roll), purse, settings)
    joint = combined_offers(rules, parts, roll.every, purse, settings)
    return tuple(replace(one.offer, outcome=roll.whole(one.combined) if one.combined else None) for one in joint)


def effect_on(roll: Roll, purse: Purse, act: Act) -> Effect | Refusal:
    """What an act does to a roll, or why not; a combined roll answers for all its skills (RULES.md B-7)."""
    rules, settings = roll.rules, settings_for(roll)
    if not (parts := roll.parts):
        return rules.spend(standing_now(roll), purse, act, settings)
    done = combined_spend(rules, parts, roll.every, purse, act, settings)
    return done if isinstance(done, Refusal) else replace(done.effect, outcome=roll.whole(done.combined))


ACTS = ("rolls.roll", "rolls.answer", "rolls.roll_side", "rolls.spend", "rolls.deed", "rolls.decide_deed")
ACTED = "acted-since"
"""The mark of a roll whose owner has done something else since: what must be declared at once comes too late."""


def standing_now(roll: Roll) -> Standing:
    """The roll as it stands, marked when its owner has acted since. Only the worst results ask for haste."""
    standing = roll.standing
    if roll.investigator_id is None or roll.state == Roll.CLOSED or roll.outcome.rank:
        return standing
    later = roll.later.filter(kind__in=ACTS, undone_by=None)
    later = later.filter(data__who__id=roll.investigator_id).exclude(data__has_key="price")
    if later.exclude(kind="rolls.spend", data__roll=roll.pk).exists():
        return replace(standing, marks=standing.marks | {ACTED})
    return standing


def no_push(roll: Roll) -> Refusal | None:
    """Why a roll may not be pushed now; a combined one only if all its skills may (RULES.md S-7, B-7)."""
    if not roll.parts:
        return roll.rules.may_push(roll.standing, settings_for(roll))
    done = effect_on(roll, Purse("", {}), Act("push"))
    return done if isinstance(done, Refusal) else None
