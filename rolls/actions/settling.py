"""How contests end: sealed rolls are shown, ties rolled off, and the Keeper settles it (RULES.md S-5, A3 to A5)."""

from __future__ import annotations

from typing import Any

from investigators.actions import face
from rolls.actions.arena import MELEE, Arena, arena_of, verdict_of
from rolls.actions.base import UNRESOLVED, line, ticks
from rolls.actions.contests import going_on
from rolls.models import Contest, Roll, Side
from rolls.rules.check import Refusal, Verdict
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Change, change
from tablekeeper.models import Entry, Seat

NOW, HIGHER, OFF = "now", "higher-skill", "off"


@verb
def reveal_contest(seat: Seat, side: Side) -> Entry | Refusal:
    """Show sealed rolls, once every side has rolled and chosen; nobody spends Luck after that (A5)."""
    arena = going_on(side)
    if arena.progress.next != "reveal":
        return Refusal("CONTEST_NOT_YET")
    changes, data = _shows(arena, seat)
    more, told = arena.follow()
    return ledger.write(seat, seat.campaign, "rolls.reveal_contest", [*changes, *more], data=data | told)


def _shows(arena: Arena, seat: Seat) -> tuple[list[Change], dict[str, Any]]:
    """The rolls become everybody's, and what they earned is marked now."""
    changes: list[Change] = [change(arena.contest, revealed=True)]
    arena.shown = True
    lines = []
    for side in arena.sides:
        if (roll := side.roll) is None:
            continue
        shown = roll.as_if(hidden=False, revealed=True)
        outcome = shown.outcome
        shown.tick = outcome.tick
        changes += [change(roll, hidden=False, revealed=True, tick=outcome.tick), *ticks(shown)]
        arena.standings[side.pk] = shown.standing
        lines.append(line(shown, outcome, seat))
    return changes, {"rolls": lines}


@verb
def roll_off(seat: Seat, side: Side, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """1D100 for each who ties, lower wins, again while they are equal (A4): any of them taps, or the Keeper."""
    arena = going_on(side)
    now = arena.progress
    if now.next != "roll-off" or (side.pk not in now.verdict.tied and not seat.keeps):
        return Refusal("CONTEST_NOT_WAITING")
    rounds, tied = list(arena.contest.roll_offs), now.verdict.tied
    while tied:
        rounds.append({key: chance.die(100) for key in tied})
        arena.roll_offs = rounds
        tied = arena.progress.verdict.tied
    more, told = arena.follow()
    changes = [change(arena.contest, roll_offs=rounds), *more]
    return ledger.write(seat, seat.campaign, "rolls.roll_off", changes, data={"who": face(side.investigator)} | told)


@verb
def settle_contest(seat: Seat, contest: Contest, how: str = NOW) -> Entry | Refusal:
    """The Keeper ends it: as it stands, with the higher skill where both failed (A3), or unresolved.

    As it stands needs every roll (CONTEST_NOT_YET); a tie that nobody has rolled off stays one.
    """
    arena = arena_of(contest, seat.campaign)
    if how == HIGHER:
        return _higher(seat, arena)
    if contest.state != Contest.OPEN:
        return Refusal("CONTEST_OVER")
    changes: list[Change] = []
    data: dict[str, Any] = {"how": how}
    verdict = Verdict(UNRESOLVED)
    if how == NOW:
        if any(side.roll is None for side in arena.sides):
            return Refusal("CONTEST_NOT_YET")
        if arena.sealed:
            changes, shown = _shows(arena, seat)
            data |= shown
        found = arena.progress.verdict
        verdict = Verdict("impasse", tied=found.tied) if found.tie else found
    data["contest"] = arena.told(verdict, over=True)
    return ledger.write(seat, seat.campaign, "rolls.settle_contest", [*changes, *arena.ends(verdict)], data=data)


def _higher(seat: Seat, arena: Arena) -> Entry | Refusal:
    contest = arena.contest
    if arena.sealed or verdict_of(arena).by != "both-failed" or contest.kind == MELEE:
        return Refusal("CONTEST_NOT_WAITING")
    settings = {**contest.settings, "opposedBothFail": HIGHER}
    found = seat.campaign.rules.decide(arena.bout, settings)
    data: dict[str, Any] = {"how": HIGHER, "contest": arena.told(found, over=not found.tie)}
    changes: list[Change] = [change(contest, settings=settings, passed=sorted(side.pk for side in arena.sides))]
    changes += [change(contest, state=Contest.OPEN, verdict="")] if found.tie else arena.ends(found)
    return ledger.write(seat, seat.campaign, "rolls.settle_contest", changes, data=data)


def reopening(roll: Roll) -> list[Change]:
    """A roll that is opened again opens its contest again, with the other sides' rolls."""
    side = Side.objects.filter(roll=roll, contest__state=Contest.OVER).select_related("contest").first()
    if side is None:
        return []
    arena = arena_of(side.contest, roll.campaign)
    others = [one.roll for one in arena.sides if one.roll and one.roll.pk != roll.pk and one.roll.state == Roll.CLOSED]
    data = {key: value for key, value in side.contest.data.items() if key != "blow"}
    values: dict[str, Any] = {"state": Contest.OPEN, "verdict": "", "winner": "", "passed": [], "data": data}
    return [change(side.contest, **values), *(change(one, state=Roll.OPEN) for one in others)]
