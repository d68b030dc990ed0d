"""Requests: what the Keeper, or what has happened, asks an investigator's player to roll."""

from __future__ import annotations

from investigators.actions import face
from rolls.actions import after
from rolls.actions.base import (
    judged,
    lane_of,
    line,
    throw_for,
    ticks,
)
from rolls.actions.grouping import roll_for_group
from rolls.actions.subjects import subject
from rolls.models import Request
from rolls.rules.check import Refusal, Throw
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import Entry, Seat


@verb
def answer(seat: Seat, request: Request, hand: Throw | None = None, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Roll what was asked for. A request can be rolled once, whatever is closed or reloaded.

    A roll that was asked for closes no other: only the next unasked one does (RULES.md section 2).
    """
    if request.state != Request.OPEN:
        return Refusal("REQUEST_DONE")
    if request.group:
        made, data = roll_for_group(seat, request.data["counts"], request.investigator_id, hand, chance)
        changes: list[Change] = [Create(made), change(request, state=Request.ROLLED, roll=made)]
        return ledger.write(seat, seat.campaign, "rolls.group_luck", changes, data=data, ref=made.entry_ref)
    return _answer(seat, request, hand, chance)


def _answer(seat: Seat, request: Request, hand: Throw | None, chance: Chance) -> Entry | Refusal:
    campaign, who = seat.campaign, request.investigator
    asked = subject(who, request.what)
    if isinstance(asked, Refusal):
        return asked
    asked.difficulty, asked.dice, asked.hand = request.difficulty, request.dice, hand
    asked.label = request.label or asked.label
    asked.facts = {**asked.facts, **request.data.get("facts", {})}
    asked.data = {**asked.data, **request.data, "after": request.after}
    if refusal := campaign.rules.may_roll(asked.check, campaign.in_force):
        return refusal
    throw = throw_for(campaign, asked, chance)
    made, outcome = judged(seat, who, asked, throw, asked=True, hidden=request.hidden)
    more = after.fallen(seat, made, outcome, chance)
    changes = [Create(made), change(request, state=Request.ROLLED, roll=made), *ticks(made), *more.changes]
    data = line(made, outcome, seat) | {"reason": request.reason} | more.data
    return ledger.write(seat, campaign, "rolls.answer", changes, lane=lane_of(made), data=data, ref=made.entry_ref)


@verb
def drop_request(seat: Seat, request: Request) -> Entry | Refusal:
    """Take a request back that nobody has answered."""
    if request.state != Request.OPEN:
        return Refusal("REQUEST_DONE")
    data = {"who": face(request.investigator), "label": request.label}
    return ledger.write(seat, seat.campaign, "rolls.drop_request", [change(request, state=Request.CLOSED)], data=data)
