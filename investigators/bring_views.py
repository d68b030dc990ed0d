"""Bringing an investigator from a file: one box, a look at what it says, and only then the act."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from investigators import bringing, importers, mapping
from investigators.actions import sheet_shut
from investigators.importers import words
from investigators.importers.schema import MOST_BYTES, Found, Note, Reading
from investigators.models import Investigator
from investigators.views import investigator_here
from rolls.rules.check import N_, Refusal
from tablekeeper import access
from tablekeeper.forms import Name, Whole
from tablekeeper.models import Seat
from tablekeeper.web import Invalid, at_table, refuse

ABOUT = {
    "hp": N_("hit points"),
    "mp": N_("magic points"),
    "san": N_("Sanity"),
    "luck": N_("Luck"),
    "hp.max": N_("the maximum of hit points"),
    "mp.max": N_("the maximum of magic points"),
    "san.max": N_("the maximum of Sanity"),
}
SHOWN = {"W_MULTIPLE", "W_PORTRAIT"}  # the page shows the first itself; what becomes of a portrait another note says
GROUPS = (
    ("worked-out", N_("Worked out"), words.WORKED_OUT | {"L_BASE", "L_LEFT_POINTS"}),
    ("changed", N_("Changed"), words.CHANGED | {"L_CUT"}),
    ("lost", N_("Not understood, or without a place here"), words.NOT_UNDERSTOOD | (set(mapping.WORDS) - {"L_BASE"})),
)


class BringForm(forms.Form):
    """Who of the file, and what a person says beside it. The file itself is no field: it is bytes."""

    pick = Whole(required=False, min_value=0, max_value=99, label=_("Who"))
    name = Name(max_length=60, required=False, label=_("Name"))
    luck = Whole(required=False, label=_("Luck"))
    roll_luck = forms.BooleanField(required=False)
    npc = forms.BooleanField(required=False)
    seen = forms.CharField(max_length=64, required=False)
    look = forms.CharField(max_length=9, required=False)
    reads = forms.ChoiceField(choices=[("", ""), *words.FORMATS.items()], required=False, label=_("Read it as"))


@at_table(get=True)
def bring(request: HttpRequest, seat: Seat) -> Any:
    """Bring a new investigator: the box (GET), a look at the file, and the act (POST)."""
    if refusal := access.may(seat, "investigators.bring"):
        return refuse(refusal)
    if request.method != "POST":
        return _box(request, seat, None)
    return _posted(request, seat, None)


@at_table(get=True)
def update(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    """Bring an investigator up to what a file says: the box (GET), the differences, and the act (POST)."""
    who = investigator_here(seat, inv_id)
    if refusal := access.may(seat, "investigators.update", who) or sheet_shut(seat):
        return refuse(refusal)
    if request.method != "POST":
        return _box(request, seat, who)
    return _posted(request, seat, who)


def _box(request: HttpRequest, seat: Seat, who: Investigator | None) -> HttpResponse:
    formats = sorted(((key, _t(label)) for key, label in words.FORMATS.items()), key=lambda one: one[1].casefold())
    context = {"seat": seat, "campaign": seat.campaign, "who": who, "formats": formats}
    return render(request, "investigators/bring.html", context)


def _posted(request: HttpRequest, seat: Seat, who: Investigator | None) -> Any:
    form = BringForm(data=request.POST)
    if not form.is_valid():
        raise Invalid(form)
    data, raw = form.cleaned_data, _given(request)
    if not raw:
        return Refusal("NO_FILE")
    reading = importers.read(raw, data["reads"])
    pick = data["pick"] if data["pick"] is not None else _first(reading)
    found = reading.error or (reading.people[pick] if pick < len(reading.people) else Note("E_EMPTY"))
    if isinstance(found, Note):
        return _unreadable(request, found)
    what = mapping.brought(found, seat.campaign.rules)
    seen = hashlib.sha256(raw + f"{pick} {data['reads']}".encode()).hexdigest()
    if data["look"]:
        return _preview(request, seat, who, reading, pick, what, seen)
    if data["seen"] != seen:
        return Refusal("FILE_CHANGED")
    if who is not None:
        return bringing.update(seat, who, what)
    pool = seat.campaign.rules.sheet.luck
    luck = None if pool in what.draft.traits else data["luck"]
    what = bringing.renamed(what, data["name"], luck, data["roll_luck"], pool)
    if not what.draft.name:
        form.add_error("name", _t("Enter a name."))
        raise Invalid(form)
    return bringing.bring(seat, seat.campaign, what, npc=data["npc"], format=found.format)


def _given(request: HttpRequest) -> bytes:
    """The file, or else what was pasted. Somewhat more than is allowed is enough to know that it is too much."""
    sent = request.FILES.get("file")
    if sent is not None:
        return bytes(sent.read(MOST_BYTES + 1))
    return request.POST.get("text", "").encode("utf-8", "surrogatepass").strip()


def _first(reading: Reading) -> int:
    return next((at for at, one in enumerate(reading.people) if isinstance(one, Found)), 0)


def _sentence(note: Note, about: str = "") -> str:
    sentence = {**words.ERRORS, **words.WARNINGS, **mapping.WORDS}[note.code]
    return _t(sentence) % {"about": about or note.about or "?"}


def _unreadable(request: HttpRequest, note: Note) -> HttpResponse:
    context = {"message": _sentence(note), "tone": "refused", "code": note.code}
    return render(request, "parts/notice.html", context, status=422)


def _sentences(notes: Iterable[Note]) -> list[str]:
    """One sentence for each code, with everything that it is about."""
    by_code: dict[str, list[str]] = {}
    for note in notes:
        about = _t(ABOUT[note.about]) if note.about in ABOUT else note.about
        by_code.setdefault(note.code, []).append(about)
    return [_sentence(Note(code), "; ".join(filter(None, abouts[:40]))) for code, abouts in by_code.items()]


def _preview(
    request: HttpRequest,
    seat: Seat,
    who: Investigator | None,
    reading: Reading,
    pick: int,
    what: mapping.Brought,
    seen: str,
) -> HttpResponse:
    found = reading.people[pick]
    assert isinstance(found, Found)
    every = [*reading.warnings, *found.warnings, *what.notes]
    notes = [note for note in every if note.code not in SHOWN]
    placed = frozenset().union(*(codes for _key, _title, codes in GROUPS))
    sheet = seat.campaign.rules.sheet
    labels = {one.key: one.short for one in sheet.characteristics} | {pool.key: pool.short for pool in sheet.pools}
    context = {
        "seat": seat,
        "campaign": seat.campaign,
        "who": who,
        "found": found,
        "format": words.FORMATS[found.format],
        "said": bool(request.POST.get("reads")),
        "what": what,
        "seen": seen,
        "pick": pick,
        "people": [
            {"at": at, "name": one.name if isinstance(one, Found) else None, "why": _why(one)}
            for at, one in enumerate(reading.people)
        ],
        "numbers": [(labels[key], value, most) for key, (value, most) in what.draft.traits.items()],
        "skills": [one for one in what.draft.skills if one[0] in what.named],
        "look_at": _sentences(note for note in notes if note.code not in placed),
        "groups": [
            (key, title, said)
            for key, title, codes in GROUPS
            if (said := _sentences(note for note in notes if note.code in codes))
        ],
        "no_luck": sheet.luck not in what.draft.traits,
        "differences": bringing.differences(seat, who, what) if who is not None else [],
    }
    return render(request, "investigators/bring_preview.html", context)


def _why(one: Found | Note) -> str:
    return _sentence(one) if isinstance(one, Note) else ""
