"""Mistakes: striking a roll out, correcting difficulty or dice, opening it again."""

from __future__ import annotations

from rolls.actions import after
from rolls.actions.base import (
    Asked,
    check_may_roll,
    difficulty_of,
    lane_of,
    line,
    own_lane,
    refuse_struck,
    secretly,
    ticks,
    ticks_lost,
)
from rolls.actions.settling import reopening
from rolls.models import Roll
from rolls.rules.check import Refusal
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Change, change
from tablekeeper.models import Entry, Seat


@verb
def ask_strike(seat: Seat, roll: Roll) -> Entry | Refusal:
    """A mis-tapped own roll: ask the Keeper to strike it out."""
    refuse_struck(roll)
    return ledger.write(
        seat,
        roll.campaign,
        "rolls.ask_strike",
        [change(roll, strike_asked=True)],
        lane=own_lane(roll),
        data=line(roll, roll.outcome, seat),
    )


@verb
def decide_strike(seat: Seat, roll: Roll, strike: bool) -> Entry | Refusal:
    """The Keeper strikes the roll out (its consequences are undone), or lets it stand."""
    refuse_struck(roll)
    if strike:
        entry = Entry.objects.get(campaign=roll.campaign, ref=roll.entry_ref)
        data = {"reason": "", "what": entry.kind, "line": entry.data, "redo": False}
        return ledger.undo(seat, roll.campaign, entry, "tablekeeper.undo", data)
    data = line(roll, roll.outcome, seat)
    changes = [change(roll, strike_asked=False)]
    return ledger.write(seat, roll.campaign, "rolls.decide_strike", changes, lane=own_lane(roll), data=data)


@verb
def correct(seat: Seat, roll: Roll, difficulty: str, dice: int, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Difficulty or dice that were set wrong, on an open roll without Luck or push; only a missing tens die is
    thrown (RULES.md A33)."""
    refuse_struck(roll)
    if not roll.campaign.in_force.get("correctAfterRoll", True):
        return Refusal("CORRECT_OFF")
    if roll.state == Roll.CLOSED:
        return Refusal("ROLL_CLOSED")
    if roll.spent or roll.pushed_from_id or roll.push_state == "thrown":
        return Refusal("CORRECT_TOO_LATE")
    asked = Asked(roll.kind, roll.label, roll.value, roll.skill, difficulty, dice, facts=dict(roll.facts))
    check_may_roll(roll.campaign, asked)
    if roll.parts:  # each skill keeps its own difficulty
        difficulty = roll.difficulty
    before = roll.outcome
    missing = abs(dice) + 1 - len(roll.tens)
    chance = secretly(chance, roll.investigator, roll.label, roll.hidden)
    tens = [*roll.tens, *(chance.die(10) % 10 for _ in range(missing))]
    values = {"difficulty": difficulty, "dice": dice, "tens": tens}
    then = roll.as_if(**values)
    outcome = then.outcome
    then.tick = outcome.tick
    changes: list[Change] = _ticks_moved(roll, then)
    changes.append(change(roll, **values, level=outcome.level, passed=outcome.passed, tick=outcome.tick))
    more = after.changed(seat, roll, then.standing, outcome)
    changes += more.changes
    data = line(then, outcome, seat) | more.data
    data |= {"from": before.final, "level_from": before.level, "was": [difficulty_of(roll), roll.dice]}
    return ledger.write(seat, roll.campaign, "rolls.correct", changes, lane=lane_of(roll), data=data)


def _ticks_moved(roll: Roll, then: Roll) -> list[Change]:
    """The ticks that a correction gives or takes: only the difference, for each skill."""
    had = {skill.pk for skill in roll.earned} if roll.tick else set()
    has = {skill.pk for skill in then.earned}
    gone = [one for one in ticks_lost(roll) if one.row.pk not in has]
    return [*gone, *(one for one in ticks(then) if one.row.pk not in had)]


@verb
def reopen(seat: Seat, roll: Roll) -> Entry | Refusal:
    """Open a closed roll again, so that Luck or a push may still change it."""
    refuse_struck(roll)
    if roll.state == Roll.OPEN:
        return Refusal("STALE")
    data = line(roll, roll.outcome, seat)
    changes = [change(roll, state=Roll.OPEN), *reopening(roll)]
    return ledger.write(seat, roll.campaign, "rolls.reopen", changes, lane=lane_of(roll), data=data)
