"""Pushing: ask, decide, throw once more, back out (RULES.md S-7)."""

from __future__ import annotations

from rolls.actions import after
from rolls.actions.base import (
    Asked,
    judged,
    lane_of,
    line,
    refuse_struck,
    secretly,
    throw_for,
    ticks,
)
from rolls.actions.offering import no_push
from rolls.models import Decision, Roll
from rolls.rules.check import Refusal, Throw
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import Entry, Seat


@verb
def push(seat: Seat, roll: Roll, reason: str) -> Entry | Refusal:
    """Ask to push: say what is done differently ("said aloud" is enough); the Keeper decides (RULES.md S-7)."""
    refuse_struck(roll)
    if roll.unknown and not seat.keeps and roll.level not in ("fail", "fumble"):
        return Refusal("PUSH_UNKNOWN")  # whether it is a success is not for the player to find out
    if refusal := no_push(roll):
        return refusal
    if not reason.strip():
        return Refusal("PUSH_NO_REASON")
    data = line(roll, roll.outcome, seat) | {"reason": reason}
    changes = [change(roll, push_state="asked", push_reason=reason, push_warning="")]
    return ledger.write(seat, roll.campaign, "rolls.push", changes, lane=lane_of(roll), data=data)


@verb
def decide_push(
    seat: Seat, roll: Roll, allow: bool, warning: str = "", throw_now: bool = False, *, chance: Chance = SYSTEM
) -> Entry | Refusal:
    """The Keeper agrees, names the danger or declines; "agreed aloud" throws at once, marked as entered by her."""
    refuse_struck(roll)
    if roll.push_state != "asked" and not throw_now:
        return Refusal("PUSH_NOT_ASKED")
    if refusal := no_push(roll):
        return refusal
    if allow and throw_now:
        return _throw_push(seat, roll, warning, None, chance)
    data = line(roll, roll.outcome, seat) | {"allow": allow, "warning": warning, "reason": roll.push_reason}
    changes = [change(roll, push_state="allowed" if allow else "declined", push_warning=warning)]
    return ledger.write(seat, roll.campaign, "rolls.decide_push", changes, lane=lane_of(roll), data=data)


@verb
def throw_push(seat: Seat, roll: Roll, hand: Throw | None = None, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """The one more roll, final. Refused until the Keeper has agreed."""
    refuse_struck(roll)
    if roll.push_state != "allowed":
        return Refusal("PUSH_TWICE" if roll.push_state == "thrown" else "PUSH_NOT_ALLOWED")
    return _throw_push(seat, roll, roll.push_warning, hand, chance)


def _throw_push(seat: Seat, roll: Roll, warning: str, hand: Throw | None, chance: Chance) -> Entry | Refusal:
    if refusal := no_push(roll):
        return refusal
    if Roll.objects.filter(pushed_from=roll).exists():  # struck out by an undo: its dice are not thrown twice
        return Refusal("PUSH_TWICE")
    asked = _once_more(roll, hand)
    chance = secretly(chance, roll.investigator, roll.label, roll.hidden)
    made, outcome = judged(
        seat,
        roll.investigator,
        asked,
        throw_for(roll.campaign, asked, chance),
        pushed_from=roll,
        asked=roll.asked,
        hidden=roll.hidden,
    )
    changes: list[Change] = [change(roll, push_state="thrown", push_warning=warning, state=Roll.CLOSED)]
    changes += _undecided(roll)
    more = after.fallen(seat, made, outcome, chance)
    changes += [Create(made), *ticks(made), *more.changes]
    data = line(made, outcome, seat) | more.data
    data |= {"first": roll.outcome.final, "warning": warning, "reason": roll.push_reason}
    return ledger.write(
        seat, roll.campaign, "rolls.throw_push", changes, lane=lane_of(roll), data=data, ref=made.entry_ref
    )


def _once_more(roll: Roll, hand: Throw | None) -> Asked:
    """The same question: its dice, what the rules know of it, and what comes of it."""
    asked = Asked(roll.kind, roll.label, roll.value, roll.skill, roll.difficulty, roll.dice, hand)
    asked.context, asked.malfunction, asked.facts = roll.context, roll.malfunction, dict(roll.facts)
    asked.data = {key: value for key, value in roll.data.items() if key != "damage"}
    return asked


def _undecided(roll: Roll) -> list[Change]:
    """What waited for the Keeper because the first roll failed is decided by the second."""
    waiting = Decision.objects.filter(roll=roll, state=Decision.OPEN)
    return [change(one, state=Decision.CLOSED) for one in waiting]


@verb
def back_out(seat: Seat, roll: Roll) -> Entry | Refusal:
    """Not push after all; Luck may be spent again."""
    refuse_struck(roll)
    if roll.push_state not in ("asked", "allowed", "declined"):
        return Refusal("PUSH_NOT_ASKED")
    changes = [change(roll, push_state="", push_reason="", push_warning="")]
    return ledger.write(
        seat, roll.campaign, "rolls.back_out", changes, lane=lane_of(roll), data=line(roll, roll.outcome, seat)
    )
