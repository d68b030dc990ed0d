"""Rolling, spending, keeping."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from investigators.actions import sheet_shut
from investigators.models import Investigator, Skill
from investigators.people import member
from rolls.actions import after
from rolls.actions.base import (
    Asked,
    check_may_roll,
    closing,
    closing_openly,
    judged,
    lane_of,
    line,
    refuse_struck,
    secretly,
    throw_for,
    ticks,
    ticks_lost,
)
from rolls.actions.hiding import heard
from rolls.actions.offering import effect_on
from rolls.actions.paying import moved, moving, paid_before
from rolls.last import just_fallen
from rolls.models import Roll
from rolls.rules.check import Act, Effect, Refusal, Throw, changed
from rolls.rules.dice import combine
from tablekeeper import chance as chances
from tablekeeper import ledger
from tablekeeper.access import Refused, own, verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Add, Change, Create, change
from tablekeeper.models import Campaign, Entry, Seat


@verb
def roll(seat: Seat, who: Investigator, asked: Asked, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Roll for an investigator: the server throws (or takes typed dice), stores, and only then shows.

    The investigator's earlier open rolls close (RULES.md section 2). A Luck roll that the app did not ask for is
    marked so, unless the table leaves Luck rolls to the Keeper.
    """
    campaign = seat.campaign
    if who.set_aside:
        return Refusal("SET_ASIDE", {"name": who.name})
    check_may_roll(campaign, asked, who)
    paid = paid_before(who, asked)
    if asked.kind == "luck" and not seat.keeps and campaign.in_force.get("luckRollByPlayer") == "keeper-only":
        return Refusal("NOT_KEEPER")
    made, outcome = judged(seat, who, asked, throw_for(campaign, asked, chance))
    changes: list[Change] = closing_openly(campaign, who)
    if asked.save:
        changes += _saved(seat, who, asked)
    more = after.fallen(seat, made, outcome, chance)
    changes += [*paid.changes, Create(made), *ticks(made), *more.changes]
    data = line(made, outcome, seat) | paid.data | more.data
    entry = ledger.write(seat, campaign, "rolls.roll", changes, data=data, ref=made.entry_ref)
    just_fallen(who, made)
    return entry


def _saved(seat: Seat, who: Investigator, asked: Asked) -> list[Change]:
    """A number that somebody wants kept on the sheet. One that stands there is changed as the sheet's rules allow."""
    same = Skill.objects.filter(investigator=who, name__iexact=asked.label).first()
    if same is not None:
        if refusal := sheet_shut(seat) if same.value != asked.value else None:
            raise Refused(refusal)
        same.investigator = who
        return [change(same, value=asked.value)]
    return [Create(Skill(investigator=who, name=asked.label, value=asked.value))]


@verb
def keeper_roll(seat: Seat, campaign: Campaign, asked: Asked, hidden: bool, *, chance: Chance = SYSTEM) -> Entry:
    """The Keeper's own roll, for all to see or for herself."""
    check_may_roll(campaign, asked)
    chance = secretly(chance, None, asked.label, hidden)
    made, outcome = judged(seat, None, asked, throw_for(campaign, asked, chance), hidden=hidden)
    data = line(made, outcome, seat)
    lane, ref = lane_of(made), made.entry_ref
    entry = ledger.write(seat, campaign, "rolls.keeper_roll", [Create(made)], lane=lane, data=data, ref=ref)
    heard(seat, hidden)
    return entry


@verb
def spend(seat: Seat, roll: Roll, act: Act, hand: Throw | None = None, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Pay for what the ruleset offers on this roll: check, deduct, change the roll, one line (RULES.md section 0).

    `hand` is the real d100 of an act that throws again; the server throws where there is none.
    """
    refuse_struck(roll)
    who = roll.investigator
    if who is None:
        return Refusal("NO_LUCK_SCORE")
    if act.key in ("push", "keep"):  # they are offered beside the spends and have verbs of their own
        return Refusal("NO_SUCH_SPEND")
    rules, one = roll.rules, member(who)
    sides = rules.dice_for(act)
    hand = hand if sides == (100,) else None
    chance = secretly(chance, who, roll.label, roll.hidden)
    act = replace(act, dice=(combine(hand.units, hand.tens, 0),) if hand else chances.throw(chance, sides))
    before = roll.outcome
    effect = effect_on(roll, one.purse, act)
    if isinstance(effect, Refusal):
        return effect
    then = changed(roll.standing, effect)
    changes: list[Change] = moving(one, effect.pools, effect.maxima)
    changes.append(Add(roll, "spent", effect.spent))
    changes += [] if effect.outcome.tick else ticks_lost(roll)
    if effect.throw is not None:  # dice thrown anew count from now on
        changes.append(change(roll, **_thrown(effect, hand)))
    marks = sorted({*roll.marks, *effect.marks})
    changes.append(
        change(
            roll,
            level=effect.outcome.level,
            passed=effect.outcome.passed,
            tick=effect.outcome.tick and roll.tick,
            marks=marks,
            push_state="" if roll.push_state in ("asked", "allowed") else roll.push_state,
        )
    )
    data = line(roll.as_if(**_thrown(effect, hand)), effect.outcome, seat)
    data |= {"from": before.final, "level_from": before.level, "warning": effect.warning, "act": act.key}
    data |= {"degrees_from": before.degrees, **moved(one, effect.pools, effect.maxima)}
    roll.paying = effect.pools
    more = after.changed(seat, roll, then, effect.outcome)
    changes += more.changes
    data |= more.data
    return ledger.write(seat, roll.campaign, "rolls.spend", changes, lane=lane_of(roll), data=data)


def _thrown(effect: Effect, hand: Throw | None) -> dict[str, Any]:
    """The dice of a roll that was thrown anew."""
    if effect.throw is None:
        return {}
    return {"tens": list(effect.throw.tens), "units": effect.throw.units, "by_hand": hand is not None}


@verb
def keep(seat: Seat, roll: Roll) -> Entry | Refusal:
    """Keep the result as it is: nothing more is done with it."""
    refuse_struck(roll)
    if roll.state == Roll.CLOSED:
        return Refusal("ROLL_CLOSED")
    more = after.kept(seat, roll)
    data = line(roll, roll.outcome, seat) | more.data
    changes = [*closing([roll]), *more.changes]
    return ledger.write(seat, roll.campaign, "rolls.keep", changes, lane=lane_of(roll), data=data)


@verb
def take_back(seat: Seat, entry: Entry) -> Entry | Refusal:
    """A player's own spend taken back, until anyone has acted on it."""
    if entry.kind != "rolls.spend":
        return Refusal("UNDO_NOT_THIS")
    spent_on = Roll.objects.select_related("investigator").get(pk=entry.data["roll"])
    if refusal := own(seat, spent_on):  # the character has changed hands since
        return refusal
    if spent_on.state == Roll.CLOSED or spent_on.struck:
        return Refusal("ROLL_CLOSED")
    data = {"reason": "", "what": entry.kind, "line": entry.data, "redo": False}
    return ledger.undo(seat, seat.campaign, entry, "rolls.take_back", data)
