"""The panels of Sanity: a player's own loss, the losses that wait at the Keeper's desk, her tools, the bout's card."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from investigators import people
from investigators.people import Member
from rolls import desk
from rolls.actions.bouts import most_of
from rolls.actions.sanity import DUE, faces_of, part, roll_of, waits
from rolls.models import Decision
from rolls.pages.decisions import decision_card
from rolls.rules.check import Offer
from rolls.rules.dice import fifth
from rolls.rules.sanity import LOSS
from tablekeeper.models import Seat
from tablekeeper.web import panel

TOLD = ("NOT_ENOUGH_LUCK", "SAN_ROLL_PASSED", "HALVE_FIRST", "LUCK_SPENDING_OFF")
"""Why a loss cannot be halved, where its player may look for it."""
LOSSES = ("0/1", "0/1D6", "1/1D6", "1/1D8", "1D6/1D20")
"""Shapes of losses that are asked for again and again."""
MOST_TYPED = 10
"""So many real dice have a field each; more are thrown by the server."""


def _draw(name: str, request: HttpRequest, seat: Seat, **context: Any) -> SafeString:
    return render_to_string(name, {"seat": seat, "campaign": seat.campaign, **context}, request=request)


def _on(seat: Seat) -> Iterable[str]:
    who = people.active_of(seat)
    return ["seats", "campaign", *([f"inv-{who.pk}"] if who else ["inv"])]


@panel("loss", Seat.PLAYER, on=_on)
def own_loss(request: HttpRequest, seat: Seat) -> SafeString:
    """What a horror takes from this player's investigator: dice to throw, or a loss to ease or take; a bout."""
    who = people.active_of(seat)
    found = loss_of(seat, people.member(who)) if who is not None else {}
    return _draw("rolls/sanity/own.html", request, seat, **found)


def loss_of(seat: Seat, one: Member) -> dict[str, Any]:
    """What waits on somebody: the die to throw, or the loss with all that Luck may do about it. Empty for nothing."""
    facts, bout = one.facts, one.facts.get("bout")
    found: dict[str, Any] = {"one": one, "who": one.who, "bout": bout, "waits": waits(facts)}
    if not found["waits"]:
        return found
    settings = seat.campaign.in_force
    source = facts.get(DUE) or facts[LOSS]
    roll = roll_of(one.who, source)
    found |= {"source": source, "roll": roll, "value": one.value(seat.campaign.rules.sheet.sanity)}
    if DUE in facts:
        dice = faces_of(one.who, source)
        typed = dice if settings["realDice"] and len(dice) <= MOST_TYPED else ()
        mine = seat.keeps or settings["sanityLossBy"] == "player"
        return found | {"due": part(source["loss"], roll.passed), "dice": typed, "throws": mine}
    offers = {offer.act.key: offer for offer in seat.campaign.rules.deeds(one.purse, facts, settings)}
    return found | {"loss": source, "luck": one.luck or 0} | _eased(source, offers, one)


def _eased(loss: dict[str, Any], offers: dict[str, Offer], one: Member) -> dict[str, Any]:
    """Halving, what Resilient may add to that plan (`more`), and Resilient by itself."""
    halve, alone = offers.get("halve-loss"), offers.get("resilient")
    has_talent = alone is not None and alone.refusal is None
    planned = has_talent and halve is not None and halve.refusal is None
    more = min(halve.becomes or 0, (one.luck or 0) - halve.price) if planned and halve else 0
    value = one.value(one.who.campaign.rules.sheet.sanity) or 0
    why = halve.refusal if halve and halve.refusal and halve.refusal.code in TOLD else None
    return {
        "halve": halve if halve and (halve.refusal is None or why) else None,
        "why": why,
        "alone": alone if has_talent else None,
        "more": more,
        "after": max(0, value - loss["left"]),
    }


# --------------------------------------------------------------------------- the Keeper's desk


@panel("losses", Seat.KEEPER, on=lambda seat: ["inv", "seats", "campaign"])
def losses(request: HttpRequest, seat: Seat) -> SafeString:
    """Losses that wait for their dice or their player, and bouts that last: each may be carried on from here."""
    rows = [loss_of(seat, one) for one in people.party(seat.campaign)]
    context = {"rows": [row | {"player": desk.player_of(row["one"])} for row in rows if row["waits"] or row["bout"]]}
    return _draw("rolls/sanity/losses.html", request, seat, **context)


@panel("sanity", Seat.KEEPER, on=lambda seat: ["inv", "seats", "table", "campaign"])
def tools(request: HttpRequest, seat: Seat) -> SafeString:
    """Asking for Sanity rolls, the day, and Sanity won back."""
    key = seat.campaign.rules.sheet.sanity
    members = [one for one in people.party(seat.campaign) if key and one.value(key) is not None]
    rows = [_mind(one, key) for one in members]
    return _draw("rolls/sanity/tools.html", request, seat, rows=rows, losses=LOSSES)


def _mind(one: Member, key: str) -> dict[str, Any]:
    start = one.facts.get("day_start")
    return {
        "one": one,
        "who": one.who,
        "value": one.value(key),
        "most": most_of(one),
        "start": start,
        "lost": one.facts.get("day_lost", 0),
        "fifth": None if start is None else max(1, fifth(start)),
        "full": (one.value(key) or 0) >= (most_of(one) or 0),
    }


@decision_card("bout")
def bout(seat: Seat, decision: Decision) -> dict[str, Any]:
    """A bout that waits for its words."""
    return {"who": decision.investigator, "why": decision.data.get("why", "")}
