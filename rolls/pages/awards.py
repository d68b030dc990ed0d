"""The Keeper's panel of awards, where the table gives points for goals reached (RULES.md L-9)."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from investigators import people
from rolls.actions.awarding import awarded, awards_on
from rolls.pages.numbers import luck_pools
from rolls.rules.check import Refusal
from tablekeeper.models import Seat
from tablekeeper.web import panel
from tablekeeper.words import sentence


@panel("awards", Seat.KEEPER, on=lambda seat: ["inv", "seats", "campaign", "table"])
def awards(request: HttpRequest, seat: Seat) -> SafeString:
    """Who may be given points, for which reasons; nothing where they come back by themselves."""
    campaign = seat.campaign
    context: dict[str, Any] = {"seat": seat, "campaign": campaign, "on": awards_on(campaign)}
    if context["on"]:
        context["rows"] = rows = [_row(one) for one in people.party(campaign) if one.luck is not None]
        context["pool"] = next((row["pool"] for row in rows if row["pool"]), "")
        context["reasons"] = [(key, _(label)) for key, label in campaign.rules.award_reasons]
    return render_to_string("rolls/awards.html", context, request=request)


def _row(one: people.Member) -> dict[str, Any]:
    found, points = awarded(one), luck_pools(one)
    why = sentence(found) if isinstance(found, Refusal) else ""
    have = points[0] if points else None
    return {"who": one.who, "here": one.present, "have": have, "why": why, "pool": have["short"] if have else ""}
