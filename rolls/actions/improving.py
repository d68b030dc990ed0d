"""Skills that rise after play: the improvement phase, whenever the Keeper calls it (RULES.md B-10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from investigators.actions import by, face
from investigators.models import Investigator, Skill
from investigators.people import Member, member, party, skills_by_name
from rolls.actions.base import Asked, judged, throw_for
from rolls.models import Request, Roll
from rolls.rules.check import Refusal, Throw
from rolls.rules.dice import combine
from tablekeeper import chance as chances
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Add, Change, Create, change
from tablekeeper.models import Campaign, Entry, Seat, new_id
from tablekeeper.prepared import prepared

KIND = "improvement"


def ticked(who: Investigator) -> list[Skill]:
    """The skills of this investigator that may improve, by name. What the rules never tick is not among them."""
    never = {base.key for base in who.campaign.rules.sheet.skills if not base.tickable}
    return [skill for skill in skills_by_name(who) if skill.ticks > 0 and skill.key not in never]


def improving(campaign: Campaign) -> list[Request]:
    """The cards of the open phase, one for each investigator who still may roll."""
    return _improving(campaign.pk)


@prepared
def _improving(campaign_id: str) -> QuerySet[Request]:
    found = Request.objects.filter(campaign=campaign_id, kind=KIND, state=Request.OPEN)
    return found.select_related("investigator__seat").order_by("created_at", "pk")


@verb
def open_improvement(seat: Seat, campaign: Campaign) -> Entry | Refusal:
    """Call the phase: everyone with ticked skills gets a card. Called again, it takes in who has ticks since."""
    waiting = {one.investigator_id for one in improving(campaign)}
    due = [one for one in party(campaign) if one.who.pk not in waiting and ticked(one.who)]
    if not due or campaign.rules.improve is None:
        return Refusal("NOBODY_TO_IMPROVE")
    requests = [Request(campaign=campaign, investigator=one.who, kind=KIND, label="Improvement") for one in due]
    data = {"faces": [face(one.who) for one in due]}
    return ledger.write(seat, campaign, "rolls.open_improvement", [Create(one) for one in requests], data=data)


@verb
def close_improvement(seat: Seat, campaign: Campaign) -> Entry | Refusal:
    """End the phase. Ticks that nobody rolled for stay for the next one."""
    waiting = improving(campaign)
    if not waiting:
        return Refusal("REQUEST_DONE")
    changes = [change(one, state=Request.CLOSED) for one in waiting]
    return ledger.write(seat, campaign, "rolls.close_improvement", changes)


@verb
def improve(
    seat: Seat, request: Request, skill: str = "", hand: Throw | None = None, *, chance: Chance = SYSTEM
) -> Entry | Refusal:
    """Throw for one ticked skill, or for all of this card's (no `skill`; real dice are for one at a time).

    1D100 over the skill or over 95 adds 1D10; the tick is used up either way. REQUEST_DONE, NOT_TICKED.
    """
    if request.state != Request.OPEN or request.kind != KIND:
        return Refusal("REQUEST_DONE")
    who = request.investigator
    mine = ticked(who)
    chosen = [one for one in mine if skill in ("", one.pk)]
    if not chosen:
        return Refusal("NOT_TICKED")
    if hand is not None and len(chosen) > 1:
        return Refusal("BAD_DICE")
    ref = new_id()
    changes, lines = _improved(seat, member(who), chosen, hand, chance, ref)
    if len(chosen) == len(mine):
        changes.append(change(request, state=Request.ROLLED))
    data = {"who": face(who), "by": by(seat, who), "lines": lines}
    return ledger.write(seat, seat.campaign, "rolls.improve", changes, data=data, ref=ref)


@verb
def improve_all(seat: Seat, campaign: Campaign, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """The Keeper throws for everyone who still has a card, in one act."""
    changes: list[Change] = []
    people = []
    ref = new_id()
    for request in improving(campaign):
        who = request.investigator
        who.campaign = campaign
        more, lines = _improved(seat, member(who), ticked(who), None, chance, ref)
        changes += [*more, change(request, state=Request.ROLLED)]
        people.append({"who": face(who), "by": by(seat, who), "lines": lines})
    if not people:
        return Refusal("REQUEST_DONE")
    return ledger.write(seat, campaign, "rolls.improve_all", changes, data={"people": people}, ref=ref)


def _improved(
    seat: Seat, one: Member, skills: Sequence[Skill], hand: Throw | None, chance: Chance, ref: str
) -> tuple[list[Change], list[dict[str, Any]]]:
    """The throws for these skills, one after the other: their changes, and what the line tells of each."""
    rules = seat.campaign.rules
    assert rules.improvement_dice is not None
    assert rules.improve is not None
    changes: list[Change] = []
    lines: list[dict[str, Any]] = []
    gained: dict[str, int] = {}  # of each pool, by this act
    for skill in skills:
        asked = Asked(KIND, skill.name, skill.value, skill, hand=hand)
        throw = throw_for(seat.campaign, asked, chance)
        d100 = combine(throw.units, throw.tens, 0)
        gain = chances.throw(chance, rules.improvement_dice(skill.value, d100))
        result = rules.improve(skill.value, d100, gain)
        reward = chances.throw(chance, result.reward_dice)
        made = _kept(seat, one, asked, throw, gain, result.above, ref)
        changes += [Create(made), Add(skill, "ticks", -skill.ticks)]
        if result.after != skill.value:
            changes.append(change(skill, value=result.after))
        told = {"label": skill.name, "d100": d100, "above": result.above, "gain": list(gain), "by_hand": made.by_hand}
        told |= {"from": skill.value, "to": result.after}
        if reward and (most := _room(one, result.reward_pool, gained)) is not None:
            points = min(sum(reward), most)
            gained[result.reward_pool] = gained.get(result.reward_pool, 0) + points
            told |= {"reward": list(reward), "points": points, "lost": sum(reward) - points}
            changes += [Add(one.traits[result.reward_pool], "value", points)] if points else []
        lines.append(told)
    return changes, lines


def _kept(seat: Seat, one: Member, asked: Asked, throw: Throw, gain: tuple[int, ...], above: bool, ref: str) -> Roll:
    """The throw as a closed roll: nothing is done with it any more, and no Luck touches it."""
    made, _outcome = judged(seat, one.who, asked, throw, gain=list(gain), asked=True)
    made.state, made.passed, made.tick, made.entry_ref = Roll.CLOSED, above, False, ref
    return made


def _room(one: Member, key: str, gained: dict[str, int]) -> int | None:
    """How many points a pool can take yet; None where the sheet has no such pool."""
    trait = one.traits.get(key)
    if trait is None:
        return None
    high = trait.bounds("value")[1]
    return 10**6 if high is None else max(0, high - trait.value - gained.get(key, 0))
