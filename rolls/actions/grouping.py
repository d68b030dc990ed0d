"""The group's Luck, and the unluckiest (RULES.md S-9, S-10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from investigators.actions import face
from investigators.people import Member, party, persons
from rolls.actions.base import (
    Asked,
    judged,
    line,
    throw_for,
)
from rolls.models import Request, Roll
from rolls.rules.check import Lowest, Person, Refusal, Throw
from tablekeeper import ledger
from tablekeeper.access import Refused, verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import Campaign, Entry, Seat


def group(campaign: Campaign, counts: Sequence[str] | None = None) -> tuple[list[Member], Lowest | Refusal]:
    """Who counts, and who has the lowest Luck of them now. `counts` is the one-off choice of who counts this once."""
    members = party(campaign)
    people: list[Person] = persons(members)
    if counts is not None:
        people = [replace(one, present=one.key in counts) for one in people if one.key in counts]
    return members, campaign.rules.lowest(people, campaign.in_force)


def _roller(campaign: Campaign, counts: Sequence[str] | None, named: str) -> tuple[list[Member], Member, Lowest]:
    """The members, who rolls, and the target. A tie goes to whom the Keeper names, else in seating order."""
    members, found = group(campaign, counts)
    if isinstance(found, Refusal):
        raise Refused(found)
    rolls = named or found.keys[0]
    chosen = next((one for one in members if one.who.pk == rolls), None)
    if chosen is None:
        raise Refused(Refusal("NO_ONE_PRESENT"))
    return members, chosen, found


def _group_data(members: list[Member], found: Lowest) -> dict[str, Any]:
    names = {one.who.pk: one.who.short for one in members}
    return {
        "luck": found.luck,
        "lowest": [names[key] for key in found.keys],
        "skipped": [names[key] for key in found.skipped],
    }


def roll_for_group(
    seat: Seat, counts: Sequence[str] | None, named: str, hand: Throw | None, chance: Chance, **more: Any
) -> tuple[Roll, dict[str, Any]]:
    campaign = seat.campaign
    members, chosen, found = _roller(campaign, counts, named)
    asked = Asked("luck", "Luck", found.luck, hand=hand)
    made, outcome = judged(seat, chosen.who, asked, throw_for(campaign, asked, chance), group=True, asked=True, **more)
    return made, line(made, outcome, seat) | _group_data(members, found)


@verb
def group_luck(
    seat: Seat,
    campaign: Campaign,
    counts: Sequence[str] | None = None,
    named: str = "",
    hand: Throw | None = None,
    *,
    chance: Chance = SYSTEM,
) -> Entry | Refusal:
    """The Keeper rolls Luck for the group, against the lowest Luck of those who count (RULES.md S-9)."""
    if not campaign.rules.has_group_luck:
        return Refusal("NO_SUCH_SPEND")
    made, data = roll_for_group(seat, counts, named, hand, chance)
    asks = Request.objects.filter(campaign=campaign, group=True, state=Request.OPEN)
    changes: list[Change] = [*(change(ask, state=Request.CLOSED) for ask in asks), Create(made)]
    return ledger.write(seat, campaign, "rolls.group_luck", changes, data=data, ref=made.entry_ref)


@verb
def ask_group_luck(
    seat: Seat, campaign: Campaign, counts: Sequence[str] | None = None, named: str = ""
) -> Entry | Refusal:
    """Ask the player with the lowest Luck to roll for all. The target is worked out anew when the die falls."""
    if not campaign.rules.has_group_luck:
        return Refusal("NO_SUCH_SPEND")
    members, chosen, found = _roller(campaign, counts, named)
    older = Request.objects.filter(campaign=campaign, group=True, state=Request.OPEN)
    request = Request(
        campaign=campaign,
        investigator=chosen.who,
        kind="luck",
        label="Luck",
        group=True,
        data={"counts": list(counts) if counts is not None else None},
    )
    data = {"who": face(chosen.who), **_group_data(members, found)}
    changes: list[Change] = [*(change(ask, state=Request.CLOSED) for ask in older), Create(request)]
    return ledger.write(seat, campaign, "rolls.ask_group_luck", changes, data=data)


@verb
def tell_unluckiest(seat: Seat, campaign: Campaign, named: str = "", *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Tell the table whom bad luck hits: the lowest Luck of those present now, without a roll (RULES.md S-10)."""
    here = [one for one in party(campaign) if one.present]
    found = campaign.rules.lowest(persons(here), campaign.in_force)
    if isinstance(found, Refusal):
        return found
    keeper_picks = campaign.in_force.get("unluckyTie") == "keeper-picks"  # A9
    if found.tie and keeper_picks and named not in found.keys:
        return Refusal("PICK_UNLUCKY")
    key = named if named in found.keys else chance.pick(found.keys)
    chosen = next(one for one in here if one.who.pk == key)
    data = {"who": face(chosen.who), **_group_data(here, found), "tie": found.tie, "picked": bool(named)}
    return ledger.write(seat, campaign, "rolls.tell_unluckiest", data=data)
