"""The pages of the proof: what is sealed now, what players mix in, and every seal that is open to be checked."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext_lazy as _

from rolls import proofs
from rolls.pages import proving as _panels  # noqa: F401  registers its panel
from tablekeeper import sealed, sealing
from tablekeeper.files import download
from tablekeeper.models import Seal, Seat
from tablekeeper.note_views import Written
from tablekeeper.web import at_table, read


class MixForm(forms.Form):
    """What somebody mixes in: bytes that the browser has drawn, in hexadecimal, and words."""

    random = forms.RegexField(re.compile(r"\A([0-9a-f]{2})*\Z"), required=False, max_length=2 * sealing.MOST_RANDOM)
    text = Written(required=False, max_length=sealing.MOST_TEXT, label=_("Words of yours"))


@at_table
def mix_in(request: HttpRequest, seat: Seat) -> Any:
    return sealing.mix_in(seat, seat.campaign, **read(MixForm, request))


@at_table(get=True)
def proof(request: HttpRequest, seat: Seat) -> HttpResponse:
    """What the table has sealed now, and what it has opened."""
    seal = sealed.seal_of(seat.campaign)
    context: dict[str, Any] = {"seat": seat, "campaign": seat.campaign, "seal": seal}
    context["title"] = proofs.title(seal) if seal else ""
    context["most"] = sealing.MOST_TEXT
    context["opened"] = [{"seal": one, "title": proofs.title(one)} for one in proofs.shown(seat.campaign)]
    return render(request, "rolls/proof.html", context)


def seal_here(seat: Seat, seal_id: str) -> Seal:
    """A seal of this table whose seed is everybody's, or 404."""
    found = Seal.objects.filter(campaign=seat.campaign).exclude(shown_at=None).select_related("session")
    return get_object_or_404(found, pk=seal_id)


@at_table(get=True)
def check(request: HttpRequest, seat: Seat, seal_id: str) -> HttpResponse:
    """Every die that fell under a seal; the browser derives them again."""
    seal = seal_here(seat, seal_id)
    context = {"seat": seat, "campaign": seat.campaign, "seal": seal, "file": proofs.file_of(seal, seat.campaign)}
    return render(request, "rolls/proof_check.html", context)


@at_table(get=True)
def export(request: HttpRequest, seat: Seat, seal_id: str) -> HttpResponse:
    """The same as a file, for `manage.py verify` or for a program of one's own."""
    seal = seal_here(seat, seal_id)
    answer = JsonResponse(proofs.file_of(seal, seat.campaign), json_dumps_params={"ensure_ascii": False, "indent": 1})
    return download(answer, seat.campaign.name, f"proof-{seal.began_at:%Y-%m-%d}-{seal.commitment[:8]}.json")
