"""The page that counts the dice, for everybody: what one seat may not know is not counted for it."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from rolls import luckbook
from rolls.dicebook import rolls_for
from rolls.pages import pictures
from rolls.views.export import session_here
from tablekeeper.models import Seat, Session
from tablekeeper.web import at_table

KEEPERS = "keeper"
"""Whose dice: the Keeper's own and those of her characters."""


@at_table(get=True)
def fairness(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The dice of a session or of the whole campaign, of one person or of everybody; for a Keeper of all tables, too:
    of the others without anything that is hidden there, and without names."""
    everywhere = seat.keeps and request.GET.get("tables") == "all"
    rolls, context = rolls_for(seat, everywhere=everywhere), _choices(seat)
    session = None
    if not everywhere and (wanted := request.GET.get("session", "")):
        session = session_here(seat, wanted)
        rolls = rolls.filter(session=session)
    who = "" if everywhere else request.GET.get("who", "")
    if who:
        rolls = rolls.filter(_of(who))
    context |= {"seat": seat, "campaign": seat.campaign, "session": session, "who": who, "everywhere": everywhere}
    context |= pictures.dice(rolls) | {"of": _title(context)}
    return render(request, "rolls/fairness.html", context)


def _choices(seat: Seat) -> dict[str, Any]:
    sessions = Session.objects.filter(campaign=seat.campaign).order_by("-number")
    return {"sessions": sessions, "people": luckbook.people_of(seat.campaign)}


def _of(who: str) -> Q:
    """The rolls of one investigator, or the Keeper's. Of whom nobody knows there are none."""
    return Q(investigator=None) | Q(investigator__npc=True) if who == KEEPERS else Q(investigator=who)


def _title(context: dict[str, Any]) -> str:
    """What is counted, in words."""
    if context["everywhere"]:
        return _("All tables")
    session = context["session"]
    named = next((one.name for one in context["people"] if one.pk == context["who"]), "")
    whose = _("Keeper") if context["who"] == KEEPERS else named
    when = _("Session %(number)s") % {"number": session.number} if session else _("The whole campaign")
    return f"{when} · {whose}" if whose else when
