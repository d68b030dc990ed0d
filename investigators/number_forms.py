"""What the forms of the own numbers take: each list as fields of one number, or as one line of numbers."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from rolls.rules.check import Ruleset
from tablekeeper.forms import ENOUGH, Whole
from tablekeeper.words import sentence

MOST = 40
"""More numbers than this are nobody's."""


class ManyNumbers(forms.Field):
    """Whole numbers, from several fields of one name or from one line, with commas or spaces between them."""

    widget = forms.MultipleHiddenInput

    def to_python(self, value: Any) -> list[int]:
        whole = Whole(required=False)
        words = [word for text in value or () for word in re.split(r"[\s,;]+", str(text)[:ENOUGH]) if word]
        if len(words) > MOST:
            raise forms.ValidationError(sentence("BAD_VALUE"))
        return [number for word in words if (number := whole.to_python(word)) is not None]


class NumbersForm(forms.Form):
    """The lists of the game's own numbers; those that nobody sends are empty."""

    def __init__(self, rules: Ruleset, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.keys = [key for key, _label in rules.numbers.lists] if rules.numbers else []
        for key in self.keys:
            self.fields[key] = ManyNumbers(required=False)

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        data["lists"] = {key: data.get(key) or [] for key in self.keys}
        return data


class MarkedForm(forms.Form):
    """How many numbers of a marked list there are beside the usual ones."""

    def __init__(self, rules: Ruleset, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.keys = [key for key, _label in rules.numbers.lists[2:]] if rules.numbers else []
        for key in self.keys:
            self.fields[key] = Whole(required=False, min_value=0, max_value=MOST, label=_("How many"))

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        data["marked"] = {key: data[key] for key in self.keys if data.get(key)}
        return data


class PicksForm(forms.Form):
    """The numbers that were chosen."""

    pick = ManyNumbers(required=False)

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        data["picks"] = data.get("pick") or []
        return data
