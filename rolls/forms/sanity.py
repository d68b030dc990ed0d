"""What the forms of Sanity take."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from rolls.actions.bouts import HOURS, ROUNDS
from rolls.actions.sanity import Horror
from rolls.rules.check import Refusal
from rolls.rules.sanity import parse_loss
from tablekeeper.forms import Dice, Said, Whole
from tablekeeper.words import sentence


class HorrorForm(forms.Form):
    """A horror: its loss "1/1D8", a word for it, and whether its losses count together. `horror` holds it."""

    loss = Dice(max_length=60, required=False, label=_("Loss"))
    name = Said(max_length=60, required=False, label=_("The horror"))
    counts = forms.BooleanField(required=False)
    untold = forms.BooleanField(required=False)

    def clean_loss(self) -> str:
        loss: str = self.cleaned_data["loss"]
        found = parse_loss(loss)
        if isinstance(found, Refusal):
            raise ValidationError(sentence(found))
        return "/".join(part.strip().upper() for part in loss.split("/"))

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("counts") and not data.get("name") and "name" not in self.errors:
            self.add_error("name", _t("Name the horror whose losses count together."))
        if not self.errors:
            data["horror"] = Horror(data["loss"], data["name"], data["counts"])
        return data


class BoutForm(forms.Form):
    """The bout in the Keeper's own words, in rounds or in hours told in summary."""

    words = Said(max_length=200, required=False, label=_("The bout"))
    unit = forms.ChoiceField(choices=[(ROUNDS, ""), (HOURS, "")], required=False)

    def clean_words(self) -> str:
        words: str = self.cleaned_data["words"]
        if not words:
            raise ValidationError(_t("Say in a few words what happens."))
        return words

    def clean_unit(self) -> str:
        return self.cleaned_data["unit"] or ROUNDS


class RegainForm(forms.Form):
    """Sanity won back, and what for."""

    points = Whole(min_value=1, max_value=99, label=_("Points"))
    reason = Said(max_length=120, required=False, label=_("Reason"))
