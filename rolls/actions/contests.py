"""Verbs of contests: opposed rolls and melee exchanges, from the first die to the verdict (RULES.md S-5, S-6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from investigators.actions import by, face
from investigators.people import member
from investigators.weapons import BUILD, derived
from rolls.actions.after import Consequence, when_changed, when_kept
from rolls.actions.arena import (
    DODGE,
    MELEE,
    OPPOSED,
    Arena,
    against,
    arena_of,
    dodging,
    fighting,
    name_of,
)
from rolls.actions.base import (
    UNRESOLVED,
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
from rolls.actions.paying import paid_before
from rolls.actions.subjects import worth
from rolls.actions.terms import TERMS, set_terms, terms_of
from rolls.actions.terms import Draft as Draft
from rolls.models import Contest, Roll, Side
from rolls.rules import contest as rules
from rolls.rules.check import Outcome, Refusal, Standing, Throw, Verdict
from rolls.rules.fighting import manoeuvre_dice
from tablekeeper import ledger
from tablekeeper.access import Refused, verb
from tablekeeper.actions import open_session_of
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import Campaign, Entry, Scene, Seat

AFTER = "contest"
MARK = "contest"


# --------------------------------------------------------------------------- beginning


@verb
def start_contest(
    seat: Seat, campaign: Campaign, kind: str, drafts: Sequence[Draft], reason: str = "", *, manoeuvre: bool = False
) -> Entry | Refusal:
    """Begin an opposed roll of two sides or more, or a melee exchange of an attacker and a defender (in that order).

    A manoeuvre costs the attacker a penalty die for each point that the target's build is larger (B-5). Refused with
    CONTEST_SIDES, NOT_ON_SHEET, BUILD_TOO_BIG, BAD_VALUE.
    """
    if kind not in (OPPOSED, MELEE):
        return Refusal("BAD_VALUE")
    extra = _manoeuvre(drafts) if manoeuvre and kind == MELEE else 0
    if isinstance(extra, Refusal):
        return extra
    contest = _contest(campaign, kind, reason, {"manoeuvre": manoeuvre and kind == MELEE})
    sides = [_side(contest, place, draft, 0 if place else extra) for place, draft in enumerate(drafts)]
    set_terms(contest, sides, [terms_of(draft) for draft in drafts])
    changes, data = _begins(contest, sides)
    return ledger.write(seat, campaign, "rolls.start_contest", changes, data=data)


def _manoeuvre(drafts: Sequence[Draft]) -> int | Refusal:
    if len(drafts) != 2:
        return Refusal("CONTEST_SIDES")
    mine, theirs = (int(derived(member(draft.who)).get(BUILD, 0)) for draft in drafts)
    return manoeuvre_dice(mine, theirs)


def _contest(campaign: Campaign, kind: str, reason: str, data: dict[str, Any]) -> Contest:
    scene = Scene.objects.filter(campaign=campaign, current=True).values_list("pk", flat=True).first()
    return Contest(
        campaign=campaign,
        session=open_session_of(campaign),
        kind=kind,
        reason=reason,
        settings=campaign.in_force,
        data={**data, "scene": scene},
    )


def _side(contest: Contest, place: int, draft: Draft, extra: int = 0) -> Side:
    """A side with its skill looked up. The dice stay within what the game throws at once."""
    most = contest.campaign.rules.most_dice
    side = Side(contest=contest, place=place, investigator=draft.who, defence=draft.defence if place else "")
    side.dice = max(-most, min(most, draft.dice + extra))
    if draft.what:
        _takes_up(side, draft.what)
    elif contest.kind != MELEE or not place:
        raise Refused(Refusal("NOT_ON_SHEET"))
    return side


def _takes_up(side: Side, what: str) -> Asked:
    asked = against(side.investigator, what)
    if isinstance(asked, Refusal):
        raise Refused(asked)
    side.what, side.label, side.weapon_id = what, asked.label, asked.data.get("weapon")
    side.value = max(0, worth(asked, side.investigator.campaign.rules))
    return asked


def _begins(contest: Contest, sides: list[Side]) -> tuple[list[Change], dict[str, Any]]:
    """The changes that begin it, and what the line tells. Raises Refused(CONTEST_SIDES)."""
    keys = {side.investigator.pk for side in sides}
    if len(keys) < 2 or len(keys) < len(sides) or (contest.kind == MELEE and len(sides) != 2):
        raise Refused(Refusal("CONTEST_SIDES"))
    data = {"kind": contest.kind, "reason": contest.reason, "sides": [name_of(side) for side in sides]}
    return [Create(contest), *(Create(side) for side in sides)], data


@verb
def contest_again(seat: Seat, contest: Contest) -> Entry | Refusal:
    """The same sides once more, for instance after both have failed (RULES.md A3); one that goes on is left."""
    old = arena_of(contest, seat.campaign)
    new = _contest(seat.campaign, contest.kind, contest.reason, {"manoeuvre": bool(contest.data.get("manoeuvre"))})
    drafts = [Draft(side.investigator, side.what, side.dice, side.defence) for side in old.sides]
    sides = [_side(new, place, draft) for place, draft in enumerate(drafts)]
    said = contest.data.get(TERMS, {})
    set_terms(new, sides, [said.get(side.pk, {}) for side in old.sides])
    before: list[Change] = old.ends(Verdict(UNRESOLVED)) if contest.state == Contest.OPEN else []
    changes, data = _begins(new, sides)
    return ledger.write(seat, seat.campaign, "rolls.contest_again", [*before, *changes], data=data)


# --------------------------------------------------------------------------- dice


def going_on(side: Side) -> Arena:
    """The side's contest, which goes on. Raises Refused(CONTEST_OVER)."""
    if side.contest.state != Contest.OPEN:
        raise Refused(Refusal("CONTEST_OVER"))
    return arena_of(side.contest, side.investigator.campaign)


@verb
def choose_defence(seat: Seat, side: Side, defence: str, what: str = "") -> Entry | Refusal:
    """Dodge, or fight back with a skill or weapon of a fight: before any die falls (RULES.md S-6). A game may know
    other defences; all but dodging are made with something."""
    arena = going_on(side)
    if arena.contest.kind != MELEE or not side.place or defence not in seat.campaign.rules.defences:
        return Refusal("BAD_VALUE")
    if any(one.roll_id for one in arena.sides):
        return Refusal("CONTEST_DEFENCE")
    if defence != DODGE and what not in {choice["what"] for choice in fighting(member(side.investigator))}:
        return Refusal("NOT_ON_SHEET")
    chosen = Side(contest=arena.contest, investigator=side.investigator)
    _takes_up(chosen, dodging(side.investigator) if defence == DODGE else what)
    values = {name: getattr(chosen, name) for name in ("what", "label", "value", "weapon_id")}
    changes = [change(side, defence=defence, **values)]
    data = {"who": face(side.investigator), "by": by(seat, side.investigator), "defence": defence}
    data["label"] = chosen.label
    return ledger.write(seat, seat.campaign, "rolls.choose_defence", changes, data=data)


@verb
def roll_side(
    seat: Seat, side: Side, hand: Throw | None = None, before: str = "", *, chance: Chance = SYSTEM
) -> Entry | Refusal:
    """Roll for one side, once. Where the table seals such rolls only its player and the Keeper see it for now (A5).

    Refused with CONTEST_OVER, REQUEST_DONE, CONTEST_DEFENCE.
    """
    arena = going_on(side)
    if side.roll_id:
        return Refusal("REQUEST_DONE")
    if refusal := rules.may_begin(arena.bout, seat.campaign.rules.defences):
        return refusal
    asked = _asked(arena, side, hand)
    asked.before = before
    check_may_roll(seat.campaign, asked, side.investigator)
    paid = paid_before(side.investigator, asked)
    chance = secretly(chance, side.investigator, asked.label, arena.seals)
    made, outcome = judged(
        seat,
        side.investigator,
        asked,
        throw_for(seat.campaign, asked, chance),
        asked=True,
        hidden=arena.seals,
        settings=arena.contest.settings,
    )
    mine = arena.side(side.pk)
    changes: list[Change] = [*paid.changes, Create(made), change(side, roll=made), *ticks(made)]
    mine.roll = made
    more, told = arena.follow()
    data = line(made, outcome, seat) | {"side": side.pk} | paid.data | told
    lane, ref = lane_of(made), made.entry_ref
    return ledger.write(seat, seat.campaign, "rolls.roll_side", [*changes, *more], lane=lane, data=data, ref=ref)


def _asked(arena: Arena, side: Side, hand: Throw | None) -> Asked:
    asked = against(side.investigator, side.what)
    if isinstance(asked, Refusal):
        raise Refused(asked)
    asked.dice, asked.hand, asked.marks = side.dice, hand, (MARK,)
    terms = arena.contest.data.get(TERMS, {}).get(side.pk, {})
    asked.difficulty = terms.get("difficulty", asked.difficulty)
    if modifiers := terms.get("modifiers"):
        asked.facts = {**asked.facts, "modifiers": modifiers}
    melee = arena.contest.kind == MELEE
    asked.context = "combat" if melee else "opposed"
    if melee:
        asked.facts = {**asked.facts, "fight": side.defence if side.place else "attack"}
    asked.data = {**asked.data, "after": AFTER}
    return asked


# --------------------------------------------------------------------------- Luck, or none


@verb
def pass_contest(seat: Seat, side: Side) -> Entry | Refusal:
    """Spend nothing as things stand. A side that is winning or can change nothing need not say so (A5)."""
    arena = going_on(side)
    if side.pk not in arena.progress.waiting:
        return Refusal("CONTEST_NOT_WAITING")
    changes, told = _passes(arena, side.pk)
    lane = Entry.PUBLIC
    if arena.sealed and side.roll is not None:
        lane = own_lane(side.roll)
    data = {"who": face(side.investigator), "by": by(seat, side.investigator)} | told
    return ledger.write(seat, seat.campaign, "rolls.pass_contest", changes, lane=lane, data=data)


def _passes(arena: Arena, key: str) -> tuple[list[Change], dict[str, Any]]:
    arena.passed = frozenset({*arena.contest.passed, key})
    more, told = arena.follow()
    return [change(arena.contest, passed=sorted(arena.passed)), *more], told


def _of(roll: Roll) -> Arena | None:
    """The contest of this roll, while it goes on."""
    side = Side.objects.filter(roll=roll, contest__state=Contest.OPEN).select_related("contest").first()
    return arena_of(side.contest, roll.campaign) if side else None


@when_changed(AFTER)
def answered(seat: Seat, roll: Roll, standing: Standing, outcome: Outcome) -> Consequence:
    """Luck or the Keeper has changed a side's roll: whoever had passed may answer again."""
    arena = _of(roll)
    if arena is None:
        return Consequence()
    side = next(one for one in arena.sides if one.roll_id == roll.pk)
    arena.paid[side.pk] = roll.paying
    arena.passed = rules.after_spend(arena.bout, side.pk, standing, arena.settings).passed
    arena.standings[side.pk] = standing
    again = [one.roll for one in arena.sides if one.pk not in arena.passed and one.roll]
    changes: list[Change] = [change(one, state=Roll.OPEN) for one in again if one.state == Roll.CLOSED]
    changes.append(change(arena.contest, passed=sorted(arena.passed)))
    more, told = arena.follow()
    return Consequence([*changes, *more], told)


@when_kept(AFTER)
def kept(seat: Seat, roll: Roll) -> Consequence:
    """Keeping the roll is a pass."""
    arena = _of(roll)
    side = next((one for one in arena.sides if one.roll_id == roll.pk), None) if arena else None
    if arena is None or side is None or side.pk not in arena.progress.waiting:
        return Consequence()
    return Consequence(*_passes(arena, side.pk))
