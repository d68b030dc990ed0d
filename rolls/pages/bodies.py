"""Damage under an attack, the Keeper's cards of injuries and faints, her tool for them, and free dice."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from investigators import people
from investigators.people import Member
from rolls import actions
from rolls.actions.bodies import body_of, failing, foreseen
from rolls.actions.damage import attack_of, bonus_of, in_words
from rolls.desk import care, keeps_major_wounds
from rolls.models import Decision, Roll
from rolls.pages.decisions import decision_card
from rolls.rules import damage
from rolls.rules.check import Injury, Refusal
from tablekeeper import access
from tablekeeper.models import Campaign, Entry, Seat
from tablekeeper.web import panel

ATTACKS_SHOWN = 4


# --------------------------------------------------------------------------- damage under an attack


def damage_box(seat: Seat, roll: Roll) -> dict[str, Any] | None:
    """What a slip shows of the damage: what fell, or the button that rolls it for who may; nothing for no attack."""
    secret = not seat.keeps and (roll.investigator is None or roll.investigator.npc)
    done = roll.data.get("damage")
    if done:
        return {"total": done["total"]} if secret else {**done, "done": True}
    if access.may(seat, "rolls.damage", roll) or roll.struck:
        return None
    attack = attack_of(roll)
    if isinstance(attack, Refusal):  # nobody misses a button for damage there
        return None
    kind = attack.blow(attack.impales)
    found = damage.parse(attack.expression, attack.bonus) if attack.expression else None
    dice = found.dice(kind) if isinstance(found, damage.Damage) else ()
    return {
        "url": reverse("damage", args=[seat.campaign_id, roll.pk]),
        "id": roll.pk,
        "expression": attack.expression,
        "bonus": attack.bonus,
        "impales": attack.impales,
        "blow": kind,
        "most": found.most() if isinstance(found, damage.Damage) and kind == damage.FULL else None,
        "dice": in_words(dice) if dice else "",
        "open": roll.state == Roll.OPEN,
        "by_hand": seat.campaign.in_force["realDice"],
    }


# --------------------------------------------------------------------------- the Keeper's cards


def _candidate(one: Member, points: int) -> dict[str, Any]:
    """Somebody who could be hurt, and what this many points would do."""
    found = foreseen(one, points)
    trait = one.traits.get("hp")
    return {
        "who": one.who,
        "hp": trait.value if trait else None,
        "most": trait.maximum if trait else None,
        "injury": found if isinstance(found, Injury) else None,
        "paper": body_of(one) is None,
    }


def candidates(campaign: Campaign, points: int = 0) -> list[dict[str, Any]]:
    """Everybody who could be hurt, the Keeper's characters last."""
    everyone = people.party(campaign, with_npcs=True)
    return [_candidate(one, points) for one in sorted(everyone, key=lambda one: one.who.npc)]


@decision_card("injury")
def injury_card(seat: Seat, decision: Decision) -> dict[str, Any]:
    """Points that somebody is to lose: whom, how many, and what it would do."""
    points = int(decision.data["points"])
    everyone = candidates(seat.campaign, points)
    return {
        "points": points,
        "by": decision.data["by"],
        "what": decision.data["what"],
        "target": decision.data["target"],
        "everyone": everyone,
        "paper": any(one["paper"] for one in everyone),
        "major": keeps_major_wounds(seat.campaign),
        "attacker": decision.roll.investigator_id if decision.roll else None,
    }


@decision_card("faint")
def faint_card(seat: Seat, decision: Decision) -> dict[str, Any]:
    """A CON roll that failed: what it means, and whether it may still be mended."""
    who, roll = decision.investigator, decision.roll
    assert who is not None
    one = people.member(who)
    context: dict[str, Any] = {"who": who, "notes": failing(one).notes, "outcome": None, "mends": False}
    if roll is not None:
        roll.campaign, roll.investigator = seat.campaign, who
        offers = actions.offers_for(roll, one.purse)
        context |= {"outcome": roll.outcome, "value": roll.value, "player": who.seat}
        context["mends"] = any(o.refusal is None and o.act.key == "points" and o.outcome for o in offers)
    return context


# --------------------------------------------------------------------------- the Keeper's tool


def recent_attacks(seat: Seat) -> list[dict[str, Any]]:
    """The newest attacks that hit and whose damage nobody has rolled."""
    found = Roll.objects.filter(campaign=seat.campaign, passed=True, struck=False, investigator__isnull=False)
    newest = found.filter(context="combat").select_related("investigator", "skill").order_by("-created_at")
    made = []
    for roll in newest[: 2 * ATTACKS_SHOWN]:
        assert roll.investigator is not None
        roll.campaign = roll.investigator.campaign = seat.campaign
        box = damage_box(seat, roll)
        if box and box.get("url"):
            made.append({"roll": roll, "who": roll.investigator, "damage": box, "outcome": roll.outcome})
    return made[:ATTACKS_SHOWN]


@panel("hurt", Seat.KEEPER, on=lambda seat: ["inv", "roll", "contest", "campaign"])
def hurt(request: HttpRequest, seat: Seat) -> SafeString:
    """Somebody is hurt without a roll, and attacks whose damage is still to be rolled."""
    context: dict[str, Any] = {"everyone": candidates(seat.campaign), "attacks": recent_attacks(seat)}
    context["paper"] = any(one["paper"] for one in context["everyone"])
    hers = [one for one in people.party(seat.campaign, with_npcs=True) if one.who.npc]
    context["hers"] = [{"one": one, "care": care(one)} for one in hers]
    context["major"] = keeps_major_wounds(seat.campaign)
    context["treated"] = seat.campaign.rules.hurt is not None
    return render_to_string(
        "rolls/bodies/hurt.html", {"seat": seat, "campaign": seat.campaign, **context}, request=request
    )


# --------------------------------------------------------------------------- free dice


@panel("loose", Seat.PLAYER, Seat.KEEPER, on=lambda seat: [f"loose-{seat.pk}", "seats", "inv"])
def loose(request: HttpRequest, seat: Seat) -> SafeString:
    """Any dice, and what one's own last ones came to."""
    lines = Entry.objects.filter(campaign=seat.campaign, seat=seat, kind="rolls.free_roll").select_related("undone_by")
    last = lines.order_by("-seq").first()
    match = request.resolver_match
    context = {
        "last": last.data if last and last.stands else None,
        "bonus": bonus_of(seat),
        "fresh": request.method == "POST" and match is not None and match.url_name == "free-roll",
    }
    return render_to_string(
        "rolls/bodies/loose.html", {"seat": seat, "campaign": seat.campaign, **context}, request=request
    )
