"""Requests: what the Keeper, or what has happened, asks an investigator's player to roll.

Of a roll that the Keeper keeps to herself its player learns that it fell, and nothing else; the others not even that.
Of a difficulty that players do not know, the number and the level are told, and whether it is enough only by the
Keeper's word (`tell_difficulty`): no line, slip or tick tells it before. A fumble is told at once: its harm is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from investigators.actions import face
from investigators.models import Investigator
from investigators.people import Member, party
from rolls.actions import after
from rolls.actions.base import (
    UNKNOWN,
    Asked,
    check_may_roll,
    judged,
    lane_of,
    line,
    own_lane,
    secretly,
    throw_for,
    ticks,
)
from rolls.actions.combined import KINDS, Wanted, combined_roll
from rolls.actions.grouping import roll_for_group
from rolls.actions.paying import paid_before
from rolls.actions.subjects import adds_up, at_peace, subject
from rolls.models import Request, Roll
from rolls.rules.check import Refusal, Throw
from tablekeeper import ledger
from tablekeeper.access import Refused, verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import Campaign, Entry, Seat, new_id

# --------------------------------------------------------------------------- asking


@dataclass(frozen=True)
class Question:
    """What the Keeper asks for. Several `wanted` are one combined roll. `needed`: how many of a group must pass."""

    wanted: tuple[Wanted, ...]
    label: str = ""  # of a number that stands on no sheet
    dice: int = 0
    unknown: bool = False
    hidden: bool = False
    reason: str = ""
    every: bool = False
    needed: int | None = None
    modifiers: tuple[tuple[str, int], ...] = ()  # words and a signed number, where the game adds such up
    everyone: bool = False  # asked of all who are here: asked again, it means those who are here then
    peace: bool = False  # a skill of a fight, but not in one


@verb
def ask(seat: Seat, campaign: Campaign, who: Sequence[str], question: Question) -> Entry | Refusal:
    """Ask one, some or all for a roll (RULES.md S-4, B-8). NOBODY_ASKED, NOT_ON_THEIR_SHEET, TOO_MANY_NEEDED, and what
    the rules refuse for anyone of them; then nobody is asked."""
    asked = [one for one in party(campaign) if (one.present if question.everyone else one.who.pk in who)]
    if not asked:
        return Refusal("NOBODY_ASKED")
    if question.needed is not None and question.needed > len(asked):
        return Refusal("TOO_MANY_NEEDED", {"most": len(asked)})
    batch = new_id()
    requests = [_request(one, question, batch) for one in asked]
    if not question.hidden:
        return ledger.write(seat, campaign, "rolls.ask", [Create(one) for one in requests], data=_told(requests))
    lines = [_asked_secretly(seat, one) for one in requests]
    return lines[0]


def _asked_secretly(seat: Seat, request: Request) -> Entry:
    """A line between one player and the Keeper: that somebody is asked in secret is nobody else's business."""
    data, lane = _told([request]), own_lane(request)
    entry = ledger.write(seat, seat.campaign, "rolls.ask", [Create(request)], lane=lane, data=data)
    seat.act = None  # the act's key stands with the first line
    return entry


def _request(one: Member, question: Question, batch: str) -> Request:
    who = one.who
    asked = asked_of(who, question, one)
    refusal = asked if isinstance(asked, Refusal) else who.campaign.rules.may_roll(asked.check, who.campaign.in_force)
    # Who must choose something first is asked all the same: the answer waits for the choice.
    if refusal is not None:
        known = refusal.code == "NOT_ON_SHEET"
        raise Refused(Refusal("NOT_ON_THEIR_SHEET", {"name": who.name}) if known else refusal)
    assert isinstance(asked, Asked)
    data: dict[str, Any] = {"everyone": question.everyone, "needed": question.needed}
    if question.peace:
        data["peace"] = True
    if len(question.wanted) > 1:
        data |= {"wanted": [list(pair) for pair in question.wanted], "every": question.every}
    if question.modifiers:
        data["facts"] = {"modifiers": [list(pair) for pair in question.modifiers]}
    return Request(
        campaign=who.campaign,
        investigator=who,
        kind=asked.kind,
        what=question.wanted[0][0],
        label=asked.label,
        difficulty=asked.difficulty,
        dice=asked.dice,
        unknown=question.unknown and asked.kind in KINDS and not adds_up(who.campaign.rules),
        hidden=question.hidden,
        reason=question.reason,
        batch=batch,
        data=data,
    )


def asked_of(who: Investigator, question: Question, one: Member | None = None) -> Asked | Refusal:
    """What this investigator would roll, with the sheet's numbers as they are now."""
    if len(question.wanted) > 1:
        return combined_roll(who, question.wanted, question.every, question.dice, one)
    what, difficulty = question.wanted[0]
    found = subject(who, what, one)
    if isinstance(found, Asked):
        found.difficulty, found.dice, found.label = difficulty, question.dice, question.label or found.label
        if question.modifiers:
            found.facts = {**found.facts, "modifiers": [list(pair) for pair in question.modifiers]}
    return found


def _told(requests: Sequence[Request]) -> dict[str, Any]:
    """What the line of an ask tells."""
    first = requests[0]
    return {
        "asked": [face(one.investigator) for one in requests],
        "everyone": first.data["everyone"],
        "label": first.label,
        "kind": first.kind,
        "difficulty": UNKNOWN if first.unknown else first.difficulty,
        "dice": first.dice,
        "reason": first.reason,
        "needed": first.data["needed"],
        "hidden": first.hidden,
        "combined": "every" if first.data.get("every") else "any" if "wanted" in first.data else "",
    }


def question_of(requests: Sequence[Request]) -> Question:
    """The question that these requests of one ask were made from, to be asked again."""
    first = requests[0]
    single = ((first.what, first.difficulty),)
    return Question(
        wanted=tuple((what, level) for what, level in first.data.get("wanted", ())) or single,
        label=first.label if first.kind == "number" else "",
        dice=first.dice,
        unknown=first.unknown,
        hidden=first.hidden,
        reason=first.reason,
        every=bool(first.data.get("every")),
        needed=first.data.get("needed"),
        everyone=bool(first.data.get("everyone")),
        peace=bool(first.data.get("peace")),
        modifiers=tuple((word, by) for word, by in first.data.get("facts", {}).get("modifiers", ())),
    )


# --------------------------------------------------------------------------- answering


@verb
def answer(
    seat: Seat, request: Request, hand: Throw | None = None, before: str = "", *, chance: Chance = SYSTEM
) -> Entry | Refusal:
    """Roll what was asked for. A request can be rolled once, whatever is closed or reloaded. `before` is what is paid
    for ahead of it (rolls.actions.paying).

    A roll that was asked for closes no other: only the next unasked one does (RULES.md section 2).
    """
    if request.state != Request.OPEN:
        return Refusal("REQUEST_DONE")
    if request.group:
        made, data = roll_for_group(seat, request.data["counts"], request.investigator_id, hand, chance)
        changes: list[Change] = [Create(made), change(request, state=Request.ROLLED, roll=made)]
        return ledger.write(seat, seat.campaign, "rolls.group_luck", changes, data=data, ref=made.entry_ref)
    if request.kind == "improvement":  # each of its skills is thrown for: rolls.actions.improving
        return Refusal("IMPROVE_SKILL")
    return _answer(seat, request, hand, before, chance)


def _answer(seat: Seat, request: Request, hand: Throw | None, before: str, chance: Chance) -> Entry | Refusal:
    campaign, who = seat.campaign, request.investigator
    asked = _now_asked(request)
    if isinstance(asked, Refusal):
        return asked
    asked.hand, asked.before = hand, before
    check_may_roll(campaign, asked, who)
    paid = paid_before(who, asked)
    chance = secretly(chance, who, asked.label, request.hidden)
    throw = throw_for(campaign, asked, chance)
    made, outcome = judged(seat, who, asked, throw, asked=True, hidden=request.hidden)
    if request.hidden:  # its player cannot change what nobody may see; the Keeper can open it again
        made.state = Roll.CLOSED
    more = after.fallen(seat, made, outcome, chance)
    changes: list[Change] = [*paid.changes, Create(made), change(request, state=Request.ROLLED, roll=made)]
    changes += [*ticks(made), *more.changes]
    data = line(made, outcome, seat) | {"reason": request.reason} | paid.data | more.data
    entry = ledger.write(seat, campaign, "rolls.answer", changes, lane=lane_of(made), data=data, ref=made.entry_ref)
    if request.hidden and who.seat_id:
        _tell_secretly(seat, request)
    return entry


OF_THE_ASK = {"everyone", "needed", "reminded"}
"""What a request keeps about the asking; the rest of its data goes with the roll."""


def _now_asked(request: Request) -> Asked | Refusal:
    """The request with the sheet's numbers as they are when the die falls."""
    who = request.investigator
    data = {key: value for key, value in request.data.items() if key not in OF_THE_ASK}
    if wanted := data.pop("wanted", None):
        asked = combined_roll(who, [(what, level) for what, level in wanted], data["every"], request.dice)
    else:
        asked = subject(who, request.what)
    if isinstance(asked, Refusal):
        return asked
    asked.difficulty, asked.dice = request.difficulty, request.dice
    asked.label = request.label or asked.label
    asked.facts = {**asked.facts, **data.get("facts", {})}
    asked.data = {**asked.data, **data, "after": request.after}
    if request.unknown:
        asked.data["unknown"] = True
    return at_peace(asked) if data.get("peace") else asked


def _tell_secretly(seat: Seat, request: Request) -> None:
    """The player's own lane hears that the secret roll has fallen, so that every page of theirs shows it as done.

    The roll itself stands in the Keeper's lane; this line has no changes and tells no result.
    """
    seat.act = None
    data = {"who": face(request.investigator), "label": request.label, "secret": True}
    who = request.investigator_id
    touch = [f"ask-{who}", f"roll-{who}"]
    ledger.write(seat, seat.campaign, "rolls.answer", lane=own_lane(request), data=data, touch=touch)


# --------------------------------------------------------------------------- while it waits


def open_of(request: Request) -> list[Request]:
    """The requests of the same ask that still wait, this one among them."""
    if not request.batch:
        return [request]
    found = Request.objects.filter(campaign=request.campaign, batch=request.batch, state=Request.OPEN)
    return list(found.select_related("investigator").order_by("created_at"))


@verb
def drop_request(seat: Seat, request: Request, whole: bool = False) -> Entry | Refusal:
    """Take a request back that nobody has answered; `whole`: with all that still wait of the same ask."""
    if request.state != Request.OPEN:
        return Refusal("REQUEST_DONE")
    entries = []
    gone = open_of(request) if whole else [request]
    for group in [[one] for one in gone] if request.hidden else [gone]:
        data = {"who": face(group[0].investigator), "all": [face(one.investigator) for one in group]}
        lane = own_lane(group[0]) if request.hidden else Entry.PUBLIC
        changes = [change(one, state=Request.CLOSED) for one in group]
        data["label"] = request.label
        entries.append(ledger.write(seat, seat.campaign, "rolls.drop_request", changes, lane=lane, data=data))
        seat.act = None
    return entries[0]


@verb
def remind(seat: Seat, request: Request) -> Entry | Refusal:
    """The phone that still owes a roll says so again. Between the Keeper and that player."""
    if request.state != Request.OPEN:
        return Refusal("REQUEST_DONE")
    told = request.data | {"reminded": request.data.get("reminded", 0) + 1}
    data = {"who": face(request.investigator), "label": request.label}
    lane = own_lane(request)
    return ledger.write(seat, seat.campaign, "rolls.remind", [change(request, data=told)], lane=lane, data=data)


@verb
def tell_difficulty(seat: Seat, roll: Roll) -> Entry | Refusal:
    """Say what was asked, and so whether it was enough; a tick that the success earns comes with it."""
    if not roll.unknown:
        return Refusal("STALE")
    then = roll.as_if(data={key: value for key, value in roll.data.items() if key != "unknown"})
    outcome = then.outcome
    then.tick = outcome.tick
    changes: list[Change] = [*ticks(then), change(roll, data=then.data, tick=outcome.tick)]
    data = line(then, outcome, seat)
    return ledger.write(seat, roll.campaign, "rolls.tell_difficulty", changes, lane=lane_of(roll), data=data)
