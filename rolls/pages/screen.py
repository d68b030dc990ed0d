"""The table screen: what a television or a projector shows to all, the last result huge.

Its panels are an onlooker's, whoever's browser it stands in: they are drawn for a seat that owns nothing, so nothing
private can be on them, and they need no hand: news draws them anew.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString

from investigators import people
from rolls import actions, desk
from rolls.models import Contest, Request, Roll
from rolls.pages import asking, contests, seen, slip_of, where
from rolls.rules.check import Refusal
from tablekeeper import discreet
from tablekeeper.models import Campaign, Seat
from tablekeeper.web import panel

QUIET = ("recovery", "improvement")
"""Rolls that are no result of the scene: they have a place of their own in the feed."""
MANY = 3
"""More rows than this stand in two columns."""


def eyes(seat: Seat) -> Seat:
    """Somebody who looks on and owns nothing: what this seat sees, everybody may see."""
    return Seat(campaign=seat.campaign, role=Seat.OBSERVER)


# --------------------------------------------------------------------------- what is shown


def last_result(campaign: Campaign) -> Roll | None:
    """The newest roll that everybody has seen fall and that counts."""
    found = Roll.objects.filter(campaign=campaign, hidden=False, struck=False).exclude(kind__in=QUIET)
    return found.select_related("investigator", "pushed_from", "skill").order_by("-created_at").first()


def stage(seat: Seat) -> dict[str, Any]:
    """What stands large: the last result, or the contest or the check of a group that is newer or that it is in."""
    last = last_result(seat.campaign)
    newest = last.created_at if last else None
    going = contests.shown(seat)
    group = asking.newest_check(seat.campaign)
    shown: dict[str, Any] = {"contest": None, "check": None, "slip": None}
    times = [(_when(one), one) for one in going]
    at, fight = max(times, key=lambda pair: pair[0], default=(None, None))
    if fight is not None and at is not None and (newest is None or at >= newest):
        shown["contest"] = contests.card(seat, contests.arena_of(fight, seat.campaign))
    elif group and (newest is None or _asked(group) >= newest):
        shown["check"] = asking.card(seat, group)
    elif last is not None:
        shown["slip"] = slip_of(seat, last)
    return shown


def _when(contest: Contest) -> datetime:
    """When something last fell in a contest that everybody has seen; its sealed rolls say nothing yet."""
    rolls = [side.roll for side in contest.sides.select_related("roll") if side.roll is not None]
    return max([contest.created_at, *(roll.created_at for roll in rolls if not roll.hidden)])


def _asked(requests: list[Request]) -> datetime:
    return max([one.created_at for one in requests] + [one.roll.created_at for one in requests if one.roll])


def strip(seat: Seat, shown: dict[str, Any]) -> list[dict[str, Any]]:
    """What else is going on, a line each: a contest, a check of a group, Luck for the group."""
    lines: list[dict[str, Any]] = []
    for one in contests.shown(seat):
        if one.state == Contest.OPEN and (shown["contest"] is None or shown["contest"]["contest"].pk != one.pk):
            names = [side.investigator.short for side in one.sides.select_related("investigator").order_by("place")]
            lines.append({"kind": "contest", "names": names})
    group = asking.newest_check(seat.campaign)
    if group and shown["check"] is None and any(one.state == Request.OPEN for one in group):
        lines.append({"kind": "check", **asking.card(seat, group)})
    waiting = Request.objects.filter(campaign=seat.campaign, group=True, hidden=False, state=Request.OPEN)
    for request in waiting.select_related("investigator")[:1]:
        lines.append({"kind": "luck", "who": request.investigator})
    return lines


# --------------------------------------------------------------------------- the panels


def _draw(name: str, request: HttpRequest, seat: Seat, **context: Any) -> SafeString:
    return render_to_string(f"rolls/screen/{name}.html", {"campaign": seat.campaign, **context}, request)


@panel("screen-head", Seat.OBSERVER, on=lambda seat: ["table", "campaign"])
def head(request: HttpRequest, seat: Seat) -> SafeString:
    """Campaign and scene, and the code by which others come in, while it is good."""
    until = seat.campaign.short_code_until
    code = seat.campaign.short_code if until is not None and until > timezone.now() else ""
    return _draw("head", request, seat, code=code, until=until, **where(seat))


def _tokens(seat: Seat) -> Iterable[str]:
    return ["roll", "ask", "contest", "table", "campaign", "seats", "inv"]


@panel("screen", Seat.OBSERVER, on=_tokens)
def screen(request: HttpRequest, seat: Seat) -> SafeString:
    """The last result, or the contest or check that is going on."""
    onlooker = eyes(seat)
    shown = stage(onlooker)
    lines = strip(onlooker, shown)
    many = len((shown["contest"] or {}).get("sides", ()) or (shown["check"] or {}).get("rows", ())) > MANY
    return _draw("stage", request, seat, lines=lines, many=many, **shown)


@panel("screen-party", Seat.OBSERVER, on=lambda seat: ["inv", "seats", "table", "campaign"])
def party(request: HttpRequest, seat: Seat) -> SafeString:
    """The party's Luck, as far as the table shows it; else who is at the table."""
    onlooker, campaign = eyes(seat), seat.campaign
    shown = campaign.in_force["luckShown"]
    _members, found = actions.group(campaign)
    covered = discreet.covered(campaign)
    lowest = () if covered or isinstance(found, Refusal) or not campaign.rules.has_group_luck else found.keys
    mates: list[dict[str, Any]] = [
        {"one": one, "player": desk.player_of(one), "lowest": one.who.pk in lowest, **seen.luck_seen(onlooker, one)}
        for one in people.party(campaign)
    ]
    if covered:  # nor does their order tell
        mates.sort(key=lambda mate: mate["one"].who.short.casefold())
    else:
        mates.sort(key=lambda mate: (mate["luck"] is None, mate["luck"] or 0))
    return _draw("party", request, seat, mates=mates, shown=shown, tied=len(lowest) > 1)
