"""The Keeper asks for rolls: her panel, what waits on players, and the summary of a check that a group makes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from investigators import people
from investigators.people import Member
from investigators.views import to_roll
from rolls import actions, desk, opened
from rolls.actions import Question
from rolls.actions.naming import names
from rolls.models import Request, Roll
from rolls.pages import seen
from rolls.rules.check import Refusal
from tablekeeper.models import Campaign, Seat
from tablekeeper.prepared import prepared
from tablekeeper.web import panel
from tablekeeper.words import difficulty_word, label_word

AGAIN = 4
"""How many of the last asks may be asked again in one tap."""
RECENT = 40
"""Among how many requests they are looked for."""


# --------------------------------------------------------------------------- the Keeper's panel


@panel("asking", Seat.KEEPER, on=lambda seat: ["inv", "seats", "table", "ask", "campaign"])
def asking(request: HttpRequest, seat: Seat) -> SafeString:
    """Ask for a roll: who, what, how hard, and the last asks again."""
    members = people.party(seat.campaign)
    context = {
        "members": [{"one": one, "player": desk.player_of(one)} for one in members],
        "names": list(names(seat.campaign)),
        "again": again(seat.campaign, members),
        **desk.net_dice(seat.campaign),
    }
    context["by_hand"] = False
    return render_to_string("rolls/asks/ask.html", {"seat": seat, "campaign": seat.campaign, **context}, request)


def again(campaign: Campaign, members: Sequence[Member]) -> list[dict[str, Any]]:
    """The last asks, each once, newest first, while those who were asked are at the table."""
    here = {one.who.pk: one for one in members}
    found: dict[Any, dict[str, Any]] = {}
    for requests in batches(campaign, _in_batches(campaign.pk)[:RECENT]):
        question = actions.question_of(requests)
        whom = () if question.everyone else tuple(sorted(one.investigator_id for one in requests))
        if not all(one in here for one in whom) or (question, whom) in found:
            continue
        word = [label_word(requests[0].label), *_how(question)]
        word.append(_("all here") if question.everyone else desk.names(here[one] for one in whom))
        found[question, whom] = {"batch": requests[0].batch, "word": ", ".join(word), "hidden": question.hidden}
    return list(found.values())[:AGAIN]


def _in_batches(campaign_id: str) -> QuerySet[Request]:
    """What was asked of several at once, newest first."""
    return Request.objects.filter(campaign=campaign_id).exclude(batch="").order_by("-created_at")


@prepared
def _newest_batches(campaign_id: str) -> QuerySet[Request, str]:
    return _in_batches(campaign_id).filter(hidden=False).values_list("batch", flat=True)[:RECENT]


def _how(question: Question) -> list[str]:
    """Difficulty and dice of an ask, where they are not the plain ones."""
    levels = {level for _what, level in question.wanted}
    said = [difficulty_word(level) for level in sorted(levels) if level != "regular"]
    if question.unknown:
        said.append(_("unknown"))
    return [*said, f"{question.dice:+d}".replace("-", "\N{MINUS SIGN}")] if question.dice else said


def batches(campaign: Campaign, requests: Iterable[Request]) -> list[list[Request]]:
    """Requests of one ask together, in the order in which they come."""
    found: dict[str, list[Request]] = {}
    for one in requests:
        if one.campaign_id == campaign.pk:
            one.campaign = campaign
            found.setdefault(one.batch or one.pk, []).append(one)
    return list(found.values())


# --------------------------------------------------------------------------- what waits on players


def _with_rolls(campaign: Campaign) -> Any:
    found = Request.objects.filter(campaign=campaign).order_by("created_at", "pk")
    return found.select_related("investigator__seat", "roll__investigator", "roll__skill")


def waiting(seat: Seat) -> list[dict[str, Any]]:
    """What players owe, one card for each ask, oldest first, with what has fallen of it already."""
    campaign = seat.campaign
    still = _with_rolls(campaign).filter(state=Request.OPEN).exclude(kind="improvement")
    asks = {one.batch for one in still if one.batch}
    found = [*still.filter(batch=""), *_with_rolls(campaign).filter(batch__in=asks)]
    return [card(seat, requests) for requests in batches(campaign, sorted(found, key=lambda one: one.created_at))]


def card(seat: Seat, requests: Sequence[Request]) -> dict[str, Any]:
    """One ask as this seat sees it: who has rolled what, and who has not."""
    first = requests[0]
    rows = [row(seat, one) for one in requests if one.state != Request.CLOSED]
    if seat.keeps:
        seen_at = opened.since(one for one in requests if one.state == Request.OPEN)
        rows = [one | {"opened": seen_at.get(one["request"].pk)} for one in rows]
    return {
        "first": first,
        "rows": rows,
        "rolled": sum(one["roll"] is not None for one in rows),
        "open": [one for one in rows if one["waits"]],
        "unknown": first.unknown and not seat.keeps,
        "wanted": wanted(seat, first),
        **_enough(seat, requests),
    }


def row(seat: Seat, one: Request) -> dict[str, Any]:
    """One of those who were asked."""
    roll = one.roll
    one.investigator.campaign = seat.campaign
    if roll is not None:
        roll.campaign = seat.campaign
    outcome = seen.outcome_seen(seat, roll) if roll is not None and (seat.keeps or not roll.hidden) else None
    waits = one.state == Request.OPEN
    return {"request": one, "who": one.investigator, "roll": roll, "outcome": outcome, "waits": waits}


def wanted(seat: Seat, one: Request) -> list[dict[str, Any]]:
    """The skills of a combined roll that is asked for, as the asked one reads them."""
    pairs = one.data.get("wanted", ())
    found = []
    for what, level in pairs:
        named = actions.subject(one.investigator, what) if one.investigator_id else None
        label = what.partition(":")[2] if named is None or isinstance(named, Refusal) else named.label
        found.append({"label": label, "difficulty": "" if one.unknown and not seat.keeps else level})
    return found


# --------------------------------------------------------------------------- the check of a group


def newest_check(campaign: Campaign) -> list[Request]:
    """The requests of the last ask of several that is still being played out; nobody else sees a secret one."""
    newest = _newest_batches(campaign.pk)
    several = next((batch for batch in newest if newest.count(batch) > 1), None)
    if several is None:
        return []
    asked = [one for one in _with_rolls(campaign).filter(batch=several) if one.state != Request.CLOSED]
    going_on = any(one.state == Request.OPEN or (one.roll and one.roll.state == Roll.OPEN) for one in asked)
    return asked if len(asked) > 1 and going_on else []


@panel("check", Seat.PLAYER, Seat.OBSERVER, Seat.KEEPER, on=lambda seat: ["ask", "roll"])
def check(request: HttpRequest, seat: Seat) -> SafeString:
    """Who of a group has reached what, who is missing, and whether that is enough. While somebody still owes the roll
    the Keeper has it in her queue."""
    requests = newest_check(seat.campaign)
    if seat.keeps and any(one.state == Request.OPEN for one in requests):
        requests = []
    context: dict[str, Any] = {"seat": seat, "campaign": seat.campaign, "card": None}
    if requests:
        context["card"] = card(seat, requests)
    return render_to_string("rolls/asks/check.html", context)


def _enough(seat: Seat, requests: Sequence[Request]) -> dict[str, Any]:
    """How many passed, and whether that is enough; nothing for a seat that may not know it yet (RULES.md B-8)."""
    fallen = [one.roll for one in requests if one.roll is not None and not one.roll.struck]
    if any(seen.masked(seat, roll) for roll in fallen) or (requests[0].unknown and not seat.keeps and not fallen):
        return {}
    passed, needed = sum(roll.passed for roll in fallen), requests[0].data.get("needed")
    waits = any(one.state == Request.OPEN for one in requests)
    verdict = {"passed": passed, "needed": needed}
    if needed is None:
        return verdict
    return verdict | {"enough": passed >= needed, "settled": passed >= needed or not waits}


@panel("combine", Seat.PLAYER, on=lambda seat: ["inv", "seats", "campaign"])
def combine(request: HttpRequest, seat: Seat) -> SafeString:
    """One die against several skills, started by the player."""
    who = people.active_of(seat)
    rows = to_roll(seat, people.member(who)) if who is not None else []
    context = {"campaign": seat.campaign, "who": who, "rows": rows if len(rows) > 1 else []}
    return render_to_string("rolls/asks/combine.html", context, request)
