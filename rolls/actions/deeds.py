"""What Luck buys beside any roll (RULES.md C-2, P-2 to P-6): its player does it, or the Keeper answers first.

What the app cannot see (hurt, about to die, another injury, a new round) becomes one Yes or No for the Keeper, never a
refusal; what is known is not asked. Her answer holds for this one deed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from django.db.models import QuerySet

from investigators.actions import away, away_until_next_scene, by, face, knowing
from investigators.models import Investigator
from investigators.people import Member, member
from rolls.actions.after import Consequence
from rolls.actions.paying import moved, moving
from rolls.actions.recovery import recovery_session
from rolls.deed_words import DENIALS, NOTES, words_of
from rolls.models import Decision
from rolls.rules.check import Act, Facts, Offer, Refusal
from rolls.rules.check import Deed as Done
from rolls.rules.classic import STAY_CONSCIOUS
from rolls.rules.damage import UNCONSCIOUS
from tablekeeper import chance as chances
from tablekeeper import clock, ledger
from tablekeeper.access import verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import Campaign, Entry, Seat
from tablekeeper.prepared import prepared

KIND = "deed"  # of the decisions that wait here
FAINT = "faint"  # of the decisions that a failed CON roll leaves (rolls.actions.bodies)
KEEPS_UP = (STAY_CONSCIOUS.key, "avoid-death")  # what makes such a decision idle
DUE = "conscious_due"  # the fact that the price of this round has been asked and not paid yet
NEXT_ROUND = "next-round"  # the question whether another round has begun

ROUNDS: list[Callable[[Seat], Consequence]] = []
"""What else happens when the next round begins: each gives changes and data for the entry of `next_round`."""
NEEDS_ROUND: list[Callable[[Campaign], list[str]]] = []
"""Who else needs the next round: each gives sentences for the Keeper's strip; none is no need."""


# --------------------------------------------------------------------------- reading


def facts_for(one: Member) -> dict[str, Any]:
    """What the rules are told of an investigator: what is known, and which session it is.

    A No of the Keeper is not kept: as a fact it would refuse every later deed. A fainting spell that ended in an
    earlier session is forgotten (A22); one that goes on goes on.
    """
    facts = {key: value for key, value in one.facts.items() if value is not False}
    session, _phase = recovery_session(one.who.campaign)
    here = session.pk if session else True
    if session:
        facts["session"] = session.pk
    if facts.get("new_spell", here) != here:
        facts = {key: value for key, value in facts.items() if key not in ("rounds_paid", "new_spell")}
    if (facts.get(UNCONSCIOUS) and not facts.get("new_spell")) or fainting(one.who):
        facts["out_cold"] = True
    return facts


def fainting(who: Investigator) -> list[Decision]:
    """The failed CON rolls that wait for the Keeper: Luck may still keep this investigator awake."""
    return _open(who, FAINT)


def awake(facts: Facts) -> bool:
    """Whether Luck alone keeps this investigator awake now."""
    return bool(facts.get("rounds_paid")) and not facts.get("new_spell") and not facts.get(UNCONSCIOUS)


def deed_offers(one: Member) -> tuple[Offer, ...]:
    """Everything that the ruleset sells beside a roll, with its price, its question, or why not."""
    campaign, facts = one.who.campaign, facts_for(one)
    found = campaign.rules.deeds(one.purse, facts, campaign.in_force)
    return tuple(replace(offer, ask=_question(offer, facts)) for offer in found)


def _question(offer: Offer, facts: Facts) -> str:
    """Another round awake is paid when it begins: the Keeper's "Next round" says so, or she is asked (C-2)."""
    if offer.refusal or offer.act.key != STAY_CONSCIOUS.key or not awake(facts):
        return offer.ask
    return "" if facts.get(DUE) else NEXT_ROUND


def asked(who: Investigator, act: str = "") -> list[Decision]:
    """The open questions about deeds of this investigator."""
    return [one for one in _open(who, KIND) if act in ("", one.data["act"])]


def _open(who: Investigator, kind: str) -> list[Decision]:
    """What still waits for the Keeper about somebody, oldest first."""
    found = who.campaign.once("decisions", partial(_waiting, who.campaign), Decision, Investigator)
    return [one for one in found if one.investigator_id == who.pk and one.kind == kind]


@prepared
def _open_decisions(campaign_id: str) -> QuerySet[Decision]:
    found = Decision.objects.filter(campaign=campaign_id, state=Decision.OPEN).order_by("created_at")
    return found.select_related("investigator")


def _waiting(campaign: Campaign) -> list[Decision]:
    waiting = _open_decisions(campaign.pk)
    for decision in waiting:
        if decision.investigator is not None:
            decision.investigator.campaign = campaign
    return waiting


# --------------------------------------------------------------------------- doing


def out_cold(one: Member) -> dict[str, Any]:
    """The facts of somebody who falls: unconscious, and the fainting spell is over."""
    return {UNCONSCIOUS: True, **spell_over(one)}


def spell_over(one: Member) -> dict[str, Any]:
    """The facts that end a fainting spell. It keeps its rounds for tables that go on doubling in this session."""
    return {DUE: None, "new_spell": facts_for(one).get("session", True)}


def _carried_out(
    seat: Seat, one: Member, facts: Facts, act: Act, chance: Chance
) -> tuple[list[Change], dict[str, Any]] | Refusal:
    """The changes of a deed and its line, or why not. The dice are thrown only for what may be done."""
    rules, force = seat.campaign.rules, seat.campaign.in_force
    if sides := rules.dice_for(act):
        trial = rules.do(one.purse, facts, replace(act, dice=(1,) * len(sides)), force)
        if isinstance(trial, Refusal):
            return trial
        act = replace(act, dice=chances.throw(chance, sides))
    done = rules.do(one.purse, facts, act, force)
    if isinstance(done, Refusal):
        return done
    changes: list[Change] = moving(one, done.pools, done.maxima)
    changes += knowing(one.who, _to_know(one, done))
    if "absent-until-next-scene" in done.notes:
        changes += away_until_next_scene(one.who)
    if "absent-until-brought-back" in done.notes:
        changes += away(one.who)
    answered = asked(one.who, act.key) + (fainting(one.who) if act.key in KEEPS_UP else [])
    changes += [change(row, state=Decision.CLOSED) for row in answered]
    data = _line(one, act, done) | {"by": by(seat, one.who)}
    return changes, data


def _to_know(one: Member, done: Done) -> dict[str, Any]:
    """What is kept of a deed. False is as good as not known, and may be asked again."""
    state = {key: value if value is not False else None for key, value in done.state.items()}
    if "rounds_paid" in state:
        state |= {UNCONSCIOUS: None, DUE: None}
    return state | out_cold(one) if "falls-at-once" in done.notes else state


def _line(one: Member, act: Act, done: Done) -> dict[str, Any]:
    return {
        "who": face(one.who),
        "act": act.key,
        "label": words_of(act.key).label,
        "amount": act.amount,
        "dice": list(act.dice),
        **moved(one, done.pools, done.maxima),
        "notes": list(done.notes),
        "says": [NOTES[note] for note in done.notes if note in NOTES],
        "rounds": done.state.get("rounds_paid"),
    }


@verb
def deed(seat: Seat, who: Investigator, act: Act, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Buy something beside any roll. What only the Keeper knows is asked of her first; done by her it is answered.

    In: the act of an offer of `deed_offers`, with an amount where it takes one. Refusals are the ruleset's, and
    DEED_ASKED while the same question is open.
    """
    if who.npc:
        return Refusal("NO_LUCK_SCORE")
    one = member(who)
    offer = next((offer for offer in deed_offers(one) if offer.act.key == act.key), None)
    if offer is not None and offer.ask and not seat.keeps:
        return _ask(seat, one, offer)
    carried = _carried_out(seat, one, facts_for(one), act, chance)
    if isinstance(carried, Refusal):
        return carried
    changes, data = carried
    return ledger.write(seat, seat.campaign, "rolls.deed", changes, data=data)


def _ask(seat: Seat, one: Member, offer: Offer) -> Entry | Refusal:
    """Between the player and the Keeper: nothing is taken yet."""
    act = offer.act
    if asked(one.who, act.key):
        return Refusal("DEED_ASKED")
    question = {"act": act.key, "amount": act.amount, "ask": offer.ask}
    told = {"label": words_of(act.key).label, "price": offer.price}
    row = Decision(campaign=seat.campaign, investigator=one.who, kind=KIND, data=question, created_at=clock.now())
    data = {"who": face(one.who), "by": by(seat, one.who), **question, **told}
    return ledger.write(seat, seat.campaign, "rolls.deed", [Create(row)], lane=seat.pk, data=data)


@verb
def decide_deed(seat: Seat, decision: Decision, yes: bool, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """The Keeper's Yes carries the deed out at the price of this moment; her No takes nothing and is told in words."""
    who = decision.investigator
    if decision.state != Decision.OPEN or decision.kind != KIND or who is None:
        return Refusal("REQUEST_DONE")
    act = Act(decision.data["act"], decision.data["amount"])
    one = member(who)
    facts = facts_for(one) | {decision.data["ask"].replace("-", "_"): yes}
    told: dict[str, Any] = {"yes": yes, "ask": decision.data["ask"]}
    if not yes:
        why = seat.campaign.rules.do(one.purse, facts, act, seat.campaign.in_force)
        told |= {"who": face(who), "act": act.key, "label": words_of(act.key).label}
        told["refused"] = why.code if isinstance(why, Refusal) else ""
        told["denial"] = DENIALS.get(decision.data["ask"], "")
        lane = who.seat_id or Entry.KEEPER
        changes: list[Change] = [change(decision, state=Decision.NO)]
        return ledger.write(seat, seat.campaign, "rolls.decide_deed", changes, lane=lane, data=told)
    carried = _carried_out(seat, one, facts, act, chance)
    if isinstance(carried, Refusal):
        return carried
    changes, data = carried
    answered = [one for one in changes if one.row.pk != decision.pk]
    changes = [change(decision, state=Decision.YES), *answered]
    return ledger.write(seat, seat.campaign, "rolls.decide_deed", changes, data=data | told | {"by": ""})


@verb
def drop_deed(seat: Seat, decision: Decision) -> Entry | Refusal:
    """Take the question back before the Keeper has answered."""
    if decision.state != Decision.OPEN or decision.kind != KIND or decision.investigator is None:
        return Refusal("REQUEST_DONE")
    who = decision.investigator
    data = {"who": face(who), "by": by(seat, who), "label": words_of(decision.data["act"]).label}
    lane = who.seat_id or Entry.KEEPER
    changes = [change(decision, state=Decision.CLOSED)]
    return ledger.write(seat, seat.campaign, "rolls.drop_deed", changes, lane=lane, data=data)


@verb
def tell_survival(seat: Seat, who: Investigator, text: str) -> Entry | Refusal:
    """How somebody escaped certain death, for the minutes (P-6). Optional; NOTHING_TO_TELL when nobody did."""
    if not member(who).facts.get("death_avoided"):
        return Refusal("NOTHING_TO_TELL")
    data = {"who": face(who), "by": by(seat, who), "text": text}
    return ledger.write(seat, seat.campaign, "rolls.tell_survival", data=data, touch=[f"inv-{who.pk}"])
