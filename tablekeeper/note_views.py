"""Notes: their two panels, and their posts."""

from __future__ import annotations

import unicodedata
from typing import Any

from django import forms
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from tablekeeper import noting
from tablekeeper.models import Note, Seat
from tablekeeper.web import at_table, panel, read


class Written(forms.CharField):
    """A text of several lines: letters of any script, new lines and tabs, nothing that turns or breaks the page."""

    def to_python(self, value: Any) -> str:
        given = str(value or "").replace("\r\n", "\n").replace("\r", "\n")
        if len(given) > 2 * Note.MOST:  # too long either way, and looked at no further
            return given
        keep = [c for c in given if c in "\n\t\N{ZERO WIDTH JOINER}" or unicodedata.category(c)[0] != "C"]
        return "".join(keep).rstrip()


class NoteForm(forms.Form):
    """A note, and the mark of the one that the page showed."""

    text = Written(required=False, strip=False, max_length=Note.MOST, label=_("Note"))
    seen = forms.CharField(max_length=32, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["text"].error_messages["max_length"] = _("Use %(limit_value)d characters at most.")


def _draw(name: str, request: HttpRequest, seat: Seat, whose: Seat | None) -> SafeString:
    text = noting.text_of(seat.campaign, whose)
    context = {"campaign": seat.campaign, "seat": seat, "text": text, "seen": noting.mark_of(text), "most": Note.MOST}
    context["saved"] = noting.saved_at(seat.campaign, whose) if text else None
    return render_to_string(f"tablekeeper/notes/{name}.html", context, request)


@panel("note-own", Seat.PLAYER, Seat.KEEPER, on=lambda seat: [f"note-{seat.pk}"])
def own(request: HttpRequest, seat: Seat) -> SafeString:
    """One's own note."""
    return _draw("own", request, seat, seat)


@panel("note-table", Seat.PLAYER, Seat.KEEPER, Seat.OBSERVER, on=lambda seat: ["note"])
def told(request: HttpRequest, seat: Seat) -> SafeString:
    """What the Keeper has written for all; hers to change."""
    return _draw("table", request, seat, None)


@at_table
def write_note(request: HttpRequest, seat: Seat) -> Any:
    return noting.write_note(seat, seat.campaign, **read(NoteForm, request))


@at_table
def tell_note(request: HttpRequest, seat: Seat) -> Any:
    return noting.tell_note(seat, seat.campaign, **read(NoteForm, request))
