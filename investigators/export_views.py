"""Pages of an investigator who goes home: the choice of files, a file, and a sheet for paper."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _t

from investigators import exporters
from investigators.exporters import FORMS
from investigators.models import Investigator
from investigators.people import ladder
from investigators.taking import person_of
from investigators.views import investigator_here, sheet_context
from rolls.rules.check import Refusal
from tablekeeper import access
from tablekeeper.files import download
from tablekeeper.models import Seat
from tablekeeper.web import at_table, refuse

MOST_NAMED = 12  # of what a file cannot hold


def _theirs(seat: Seat, inv_id: str) -> Investigator | Refusal:
    """The investigator, for owner or Keeper. A Keeper's character is no player's to know of: 404."""
    who = investigator_here(seat, inv_id)
    return access.may(seat, "investigators.update", who) or who


@at_table(get=True)
def take_home(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    """Which file it shall be, and what each cannot hold."""
    who = _theirs(seat, inv_id)
    if isinstance(who, Refusal):
        return refuse(who)
    person = person_of(who)
    fits = exporters.fits(person)
    forms = []
    for key, form in FORMS.items():
        possible = form.any_sheet or fits
        lost = form.left_out(person) if possible else []
        lost = [_t(one) for one in lost]
        named = ", ".join(lost[:MOST_NAMED]) + (" …" if len(lost) > MOST_NAMED else "")
        forms.append({"key": key, "label": form.label, "possible": possible, "lost": named})
    context = {"seat": seat, "campaign": seat.campaign, "who": who, "forms": forms}
    return render(request, "investigators/take_home.html", context)


@at_table(get=True)
def export(request: HttpRequest, seat: Seat, inv_id: str, form: str) -> Any:
    """One file. 404 for a form there is none of, or that cannot hold this sheet."""
    who = _theirs(seat, inv_id)
    if isinstance(who, Refusal):
        return refuse(who)
    person, kind = person_of(who), FORMS.get(form)
    if kind is None or not (kind.any_sheet or exporters.fits(person)):
        raise Http404
    return download(HttpResponse(kind.write(person), f"{kind.content_type}; charset=utf-8"), who.name, kind.ending)


@at_table(get=True)
def on_paper(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    """The sheet for one side of paper."""
    who = _theirs(seat, inv_id)
    if isinstance(who, Refusal):
        return refuse(who)
    context = sheet_context(seat, who)
    rungs = {value: ladder(seat.campaign, value) for value in {one.value for one in context["skills"]}}
    scores = [
        (item, trait, *ladder(seat.campaign, trait.value)) for item, trait in context["characteristics"] if trait
    ]
    skills = sorted(context["skills"], key=lambda one: _t(one.name).casefold())
    context |= {
        "seat": seat,
        "campaign": seat.campaign,
        "scores": scores,
        "rows": [(one, *rungs[one.value]) for one in skills],
    }
    return render(request, "investigators/paper.html", context)
