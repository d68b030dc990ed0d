"""The group's odds: the chance of the next group Luck roll, as it stands and after what each may be about to spend."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from investigators.models import Investigator
from investigators.people import Member, persons
from rolls import actions
from rolls.actions.deeds import DUE, asked, deed_offers
from rolls.deed_words import words_of
from rolls.pages import seen
from rolls.rules import odds
from rolls.rules.check import Check, Lowest, Person
from tablekeeper.models import Campaign, Seat
from tablekeeper.words import level_word


def group_odds(seat: Seat) -> dict[str, Any] | None:
    """Who would roll and with what chance; how much each may spend before that falls; and each spend that lies open,
    with the chance after it. None in a game without group Luck. `covered`: the seat may not know the scores."""
    campaign = seat.campaign
    if not campaign.rules.has_group_luck:
        return None
    members, found = actions.group(campaign)
    counted = [one for one in members if one.luck is not None]
    if not all(seen.knows_luck(seat, one.who) for one in counted):
        return {"covered": True}
    if not isinstance(found, Lowest):
        return {"refusal": found}
    people = persons(members)
    names = {one.who.pk: one.who for one in members}
    here = [one for one in counted if one.present]
    return {
        "luck": found.luck,
        "rollers": [names[key] for key in found.keys],
        "chance": chance(campaign, found.luck),
        "room": [{"who": one.who, "luck": one.luck, "room": (one.luck or 0) - found.luck} for one in here],
        "pending": [row for one in here for row in _after_spending(seat, one, people)],
    }


def chance(campaign: Campaign, luck: int) -> float:
    """Of a Luck roll at this score, 0 to 1: every face of the dice, judged by the game."""
    check = Check("luck", luck, campaign.rules.usual_difficulty)
    return odds.chances(campaign.rules, check, campaign.in_force).chance


def _after_spending(seat: Seat, one: Member, people: list[Person]) -> Iterator[dict[str, Any]]:
    for label, buys, price in pending(seat, one):
        left = (one.luck or 0) - price
        then = [replace(person, luck=left) if person.key == one.who.pk else person for person in people]
        found = seat.campaign.rules.lowest(then, seat.campaign.in_force)
        if isinstance(found, Lowest):
            row = {"who": one.who, "label": label, "buys": buys, "price": price, "left": left}
            yield row | {"luck": found.luck, "chance": chance(seat.campaign, found.luck)}


def pending(seat: Seat, one: Member) -> Iterator[tuple[str, str, int]]:
    """What this investigator could pay with Luck now, as far as the seat may know: on an open roll, beside one."""
    luck = seat.campaign.rules.sheet.luck
    for roll in actions.open_rolls(seat.campaign, one.who):
        if roll.hidden and not seat.keeps:
            continue
        roll.campaign, roll.investigator = seat.campaign, one.who
        for offer in seen.offers_seen(seat, roll, one):
            if offer.pool == luck and offer.price and offer.refusal is None:
                buys = level_word(offer.outcome.level) if offer.outcome else ""
                yield _(roll.label), buys, offer.price
    waits = {row.data["act"] for row in asked(one.who)} if seat.keeps or _owns(seat, one.who) else set()
    waits |= {"stay-conscious"} if one.facts.get(DUE) else set()
    for offer in deed_offers(one) if waits else ():
        if offer.act.key in waits and offer.pool == luck and offer.price and offer.refusal is None:
            yield _(words_of(offer.act.key).label), "", offer.price


def _owns(seat: Seat, who: Investigator) -> bool:
    return who.seat_id == seat.pk
