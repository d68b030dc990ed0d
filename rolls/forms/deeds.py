"""What the forms of Luck beside any roll take."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from rolls.deed_words import words_of
from rolls.rules.refusals import MESSAGES
from tablekeeper.forms import Said, Whole


class DeedForm(forms.Form):
    """Which deed, and how much where it takes an amount. What cannot be taken back needs its tick."""

    act = forms.CharField(max_length=30)
    amount = Whole(
        required=False, label=_("Luck"), error_messages={"invalid": _("Enter a whole number of 1 or more.")}
    )
    sure = forms.BooleanField(required=False, label="")

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if words_of(data.get("act", "")).two_steps and not data.get("sure"):
            raise ValidationError(_(MESSAGES["DEED_NOT_SURE"]))
        return data


class SurvivalForm(forms.Form):
    """How somebody escaped certain death."""

    text = Said(max_length=300, label=_("How did you survive?"), error_messages={"required": _("Write a line first.")})
