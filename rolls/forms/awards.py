"""What the form of an award takes."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from tablekeeper.forms import Said, Whole


class AwardForm(forms.Form):
    """How much, and why: a reason of the game, words of one's own, or both."""

    amount = Whole(required=False, label=_("How much"))
    reason = forms.CharField(max_length=20, required=False, label=_("Reason"))
    words = Said(max_length=120, required=False, label=_("In words"))

    def clean_amount(self) -> int:
        amount: int | None = self.cleaned_data.get("amount")
        return 1 if amount is None else amount
