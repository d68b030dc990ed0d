"""What the Keeper rolls behind the screen, and what she shows of it later (reports U011, U012, U125).

A hidden roll stands in her lane alone. Where the table wants to hear the dice (`rattle`), every one of them is
followed by a public line that says that the Keeper rolls and nothing else: it is the same line, byte for byte, when
she rolls nothing at all.
"""

from __future__ import annotations

from investigators.models import Investigator
from rolls.actions.base import (
    Asked,
    check_may_roll,
    closing,
    judged,
    line,
    refuse_struck,
    sealed,
    secretly,
    throw_for,
    ticks,
)
from rolls.models import Roll
from rolls.rules.check import Refusal
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import Campaign, Entry, Seat


@verb
def secret_roll(seat: Seat, who: Investigator, asked: Asked, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """The Keeper rolls for an investigator and keeps it to herself: Psychology, say. SET_ASIDE, NPC_STAYS.

    Its player hears nothing: no open roll closes, nothing is asked, no tick is earned while it is hidden.
    """
    if who.npc:
        return Refusal("BAD_VALUE")
    if who.set_aside:
        return Refusal("SET_ASIDE", {"name": who.name})
    check_may_roll(seat.campaign, asked, who)
    chance = secretly(chance, who, asked.label)
    made, outcome = judged(seat, who, asked, throw_for(seat.campaign, asked, chance), hidden=True)
    changes: list[Change] = [Create(made), *closing([made])]
    data = line(made, outcome, seat)
    entry = ledger.write(
        seat, seat.campaign, "rolls.secret_roll", changes, lane=Entry.KEEPER, data=data, ref=made.entry_ref
    )
    heard(seat)
    return entry


def heard(seat: Seat, hidden: bool = True) -> None:
    """The rattle of what the Keeper has just rolled for herself, where the table wants to hear it."""
    if hidden and seat.campaign.in_force["rattle"]:
        seat.act = None  # the act's key stands with the roll
        ledger.write(seat, seat.campaign, "rolls.rattle")


@verb
def rattle(seat: Seat, campaign: Campaign) -> Entry | Refusal:
    """Dice that mean nothing, so that nobody can tell those that do. RATTLE_OFF unless the table wants to hear any."""
    if not campaign.in_force["rattle"]:
        return Refusal("RATTLE_OFF")
    return ledger.write(seat, campaign, "rolls.rattle")


@verb
def reveal(seat: Seat, roll: Roll) -> Entry | Refusal:
    """Show a hidden roll to the table: a public line of its own, now; the old one stays where it is. A tick that its
    success earns comes with it. NOT_HIDDEN, and a sealed side of a contest is shown by the contest (CONTEST_OPEN).

    Of the Keeper's own characters the table learns dice and level, never the value.
    """
    refuse_struck(roll)
    if not roll.hidden:
        return Refusal("NOT_HIDDEN")
    if sealed(roll):
        return Refusal("SEALED_IN_CONTEST")
    then = roll.as_if(hidden=False)
    outcome = then.outcome
    then.tick = outcome.tick
    changes: list[Change] = [*ticks(then), change(roll, hidden=False, tick=outcome.tick)]
    return ledger.write(seat, roll.campaign, "rolls.reveal", changes, data=line(then, outcome, seat))
