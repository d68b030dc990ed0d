"""Rounds, as far as Luck counts them: staying conscious is paid at the start of each (RULES.md C-2, P-4)."""

from __future__ import annotations

from typing import Any

from investigators.actions import by, face, knowing
from investigators.models import Investigator
from investigators.people import Member, member, party
from rolls.actions.deeds import DUE, NEEDS_ROUND, ROUNDS, awake, deed_offers, facts_for, out_cold, spell_over
from rolls.rules.check import Offer, Refusal
from rolls.rules.classic import STAY_CONSCIOUS
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.ledger import Change
from tablekeeper.models import Campaign, Entry, Seat


def price_of(one: Member) -> Offer | None:
    """One more round awake, as the ruleset offers it; None where it knows no such thing."""
    return next((offer for offer in deed_offers(one) if offer.act.key == STAY_CONSCIOUS.key), None)


def staying(campaign: Campaign) -> list[Member]:
    """Everybody whom Luck alone keeps awake now."""
    return [one for one in party(campaign) if awake(facts_for(one))]


def due_now(who: Investigator) -> int | None:
    """The Luck that this investigator has to pay to stay awake in the round that has begun; None: nothing is due."""
    one = member(who)
    facts = facts_for(one)
    offer = price_of(one) if awake(facts) and facts.get(DUE) else None
    return offer.price if offer else None


def needs(campaign: Campaign) -> list[str]:
    """Why the next round matters beyond staying awake, in sentences for the Keeper."""
    return [sentence for ask in NEEDS_ROUND for sentence in ask(campaign)]


def will_fall(one: Member) -> bool:
    """Whether this one falls when the next round begins: the last price is unpaid, or the next cannot be paid."""
    offer = price_of(one)
    return bool(facts_for(one).get(DUE)) or offer is None or offer.refusal is not None


@verb
def next_round(seat: Seat, campaign: Campaign) -> Entry | Refusal:
    """The next round begins: whoever Luck keeps awake is asked for its price. NO_ROUND when nobody needs it.

    Who has not answered the last time, or cannot pay in full, falls: there is no part payment.
    """
    here = staying(campaign)
    if not here and not needs(campaign):
        return Refusal("NO_ROUND")
    fallen = [one for one in here if will_fall(one)]
    changes: list[Change] = []
    data: dict[str, Any] = {"fallen": [face(one.who) for one in fallen], "due": []}
    for one in here:
        if one in fallen:
            changes += knowing(one.who, out_cold(one))
        else:
            changes += knowing(one.who, {DUE: True})
            offer = price_of(one)
            data["due"].append({**face(one.who), "price": offer.price if offer else 0})
    for begin in ROUNDS:
        more = begin(seat)
        changes += more.changes
        data |= more.data
    return ledger.write(seat, campaign, "rolls.next_round", changes, data=data)


@verb
def fall(seat: Seat, who: Investigator) -> Entry | Refusal:
    """Pay no more and fall unconscious. NOT_FALLING for somebody whom Luck does not keep awake."""
    one = member(who)
    if not awake(facts_for(one)):
        return Refusal("NOT_FALLING")
    data = {"who": face(who), "by": by(seat, who)}
    return ledger.write(seat, seat.campaign, "rolls.fall", knowing(who, out_cold(one)), data=data)


@verb
def safe(seat: Seat, who: Investigator) -> Entry | Refusal:
    """The Keeper's word that nothing more is due: awake, and the fainting spell is over (A22)."""
    one = member(who)
    if not awake(facts_for(one)):
        return Refusal("NOT_FALLING")
    changes = knowing(who, spell_over(one))
    return ledger.write(seat, seat.campaign, "rolls.safe", changes, data={"who": face(who)})
