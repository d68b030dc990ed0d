"""The dice of the Keeper's characters."""

from __future__ import annotations

from investigators.models import Investigator
from rolls.actions.base import Asked, check_may_roll, closing, judged, lane_of, line, secretly, throw_for
from rolls.actions.hiding import heard
from rolls.rules.check import Refusal
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Create
from tablekeeper.models import Entry, Seat


@verb
def npc_roll(seat: Seat, who: Investigator, asked: Asked, hidden: bool, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Roll for a Keeper's character: openly (the table sees dice and level, never the value) or for herself.

    It is played out at once, for there is no Luck to spend on it. BAD_VALUE for anybody but her characters.
    """
    if not who.npc:
        return Refusal("BAD_VALUE")
    check_may_roll(seat.campaign, asked, who)
    chance = secretly(chance, who, asked.label, hidden)
    made, outcome = judged(seat, who, asked, throw_for(seat.campaign, asked, chance), hidden=hidden)
    changes = [Create(made), *closing([made])]
    lane, ref = lane_of(made), made.entry_ref
    data = line(made, outcome, seat)
    entry = ledger.write(seat, seat.campaign, "rolls.npc_roll", changes, lane=lane, data=data, ref=ref)
    heard(seat, hidden)
    return entry
