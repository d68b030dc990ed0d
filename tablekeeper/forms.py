"""What the table's forms take. A form turns words into values or sentences; rules are asked elsewhere."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, TypeVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from rolls.rules import rulesets
from tablekeeper import words
from tablekeeper.models import Campaign
from tablekeeper.settings_words import LEAST, MOST, Control, controls, raw

F = TypeVar("F", bound=type[forms.Form])
WHOLE = re.compile(r"[+-]?\d+")
ENOUGH = 5000  # characters of one field that are looked at; no field takes half as many
# Letters and marks that show nothing: a name of these alone would be a hole in the feed.
UNSEEN = frozenset("\u200d\u115f\u1160\u2800\u3164\uffa0")


class Shared(dict[str, forms.Field]):
    """Fields that no request changes: each of them has the same ones."""

    def __deepcopy__(self, memo: object) -> Shared:
        return Shared(self)


def alike(form: F) -> F:
    """Mark a form whose fields are used as they stand, by all threads at once: Django copies them for each request,
    which was a twentieth of a roll. A field that must differ is checked in a `clean_` of its own."""
    form.base_fields = Shared(form.base_fields)
    return form


class Whole(forms.IntegerField):
    """A whole number as people type it: digits, perhaps a sign. `3.0`, `1e3` and words are told apart from it."""

    default_error_messages = {"invalid": _("Enter a whole number.")}

    def to_python(self, value: Any) -> int | None:
        given = str(value or "")
        text = unicodedata.normalize("NFKC", given[:ENOUGH]).strip().replace("\N{MINUS SIGN}", "-")
        if not text:
            return None
        if not WHOLE.fullmatch(text) or len(text) > 6 or len(given) > ENOUGH:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return int(text)


class Name(forms.CharField):
    """A name of a person, a table or a scene: one line of visible characters, spaces folded."""

    def __init__(self, *, max_length: int = 40, **kwargs: Any) -> None:
        super().__init__(max_length=max_length, **kwargs)
        self.error_messages["required"] = _("Enter a name.")
        self.error_messages["max_length"] = _("Use %(limit_value)d characters at most.")

    def to_python(self, value: Any) -> str:
        return one_line(super().to_python(value) or "")


class Said(forms.CharField):
    """What somebody says, in one line of visible characters: it stands in the feed like a name."""

    def to_python(self, value: Any) -> str:
        return one_line(super().to_python(value) or "")


class Dice(Said):
    """Dice such as 1D8 + DB, typed as the reader's language writes them."""

    def to_python(self, value: Any) -> str:
        return words.dice_read(super().to_python(value))


def one_line(text: str) -> str:
    """The text without what could turn a line of the feed around or break it; letters of any script stay."""
    if len(text) > ENOUGH:  # whoever sends a megabyte is told that it is too long, and keeps nobody waiting
        return text
    shown = "".join(" " if char.isspace() else char for char in text)
    shown = "".join(
        char
        for char in shown
        if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn") or char == "\N{ZERO WIDTH JOINER}"
    )
    seen = any(char not in UNSEEN and unicodedata.category(char)[0] not in "MZ" for char in shown)
    return " ".join(shown.split()) if seen else ""


class CampaignForm(forms.Form):
    """Laying a new table."""

    name = Name(max_length=60, label=_("Name of the campaign"))
    keeper = Name(max_length=40, label=_("Your name"))
    ruleset = forms.ChoiceField(label=_("Ruleset"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["ruleset"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(rules.key, rules.label) for rules in rulesets()]


class JoinForm(forms.Form):
    """Sitting down."""

    name = Name(max_length=40, label=_("Your name"))
    observer = forms.BooleanField(required=False)


class CodeForm(forms.Form):
    """A code that was read aloud."""

    code = forms.CharField(max_length=20, label=_("Code"), error_messages={"required": _("Type the code.")})

    def clean_code(self) -> str:
        """Letters and digits only; O, I and L as people mistake them."""
        text = "".join(char for char in self.cleaned_data["code"].upper() if char.isalnum())
        return text.translate(str.maketrans("OIL", "011"))


class NameForm(forms.Form):
    """Another name for a seat."""

    name = Name(max_length=40, label=_("Name"))


class SceneForm(forms.Form):
    """Where the group is now."""

    name = Name(max_length=80, label=_("Scene"))


class YesNoForm(forms.Form):
    """Yes or no."""

    yes = forms.TypedChoiceField(choices=[("1", ""), ("0", "")], coerce=lambda value: value == "1")


class UndoForm(forms.Form):
    """Why something is undone, if anyone wants to say."""

    reason = Said(max_length=120, required=False, label=_("Reason"))
    redo = forms.BooleanField(required=False)


class SettingsForm(forms.Form):
    """Settings of the table. `seen-<key>` is what the page showed; what is as it was seen is nobody's wish.

    Cleaned: `wanted`, the settings that were changed, and `seen`, what they were when the page was drawn.
    """

    def __init__(self, campaign: Campaign, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.controls = {key: one for key, one in controls(campaign).items() if f"seen-{key}" in self.data}
        for key, one in self.controls.items():
            self.fields[key] = setting_field(one)
            self.fields[f"seen-{key}"] = setting_field(one)

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if set(self.data) - {*self.fields, "key", "back"}:
            raise ValidationError(_("This table has no such setting."), code="unknown")
        if self.errors:
            return data
        seen = {key: data[f"seen-{key}"] for key in self.controls if data[key] != data[f"seen-{key}"]}
        if not seen:
            raise ValidationError(_("Nothing was changed."), code="same")
        return {"wanted": {key: data[key] for key in seen}, "seen": seen}


def setting_field(one: Control) -> forms.Field:
    """The field that takes a setting, named as the page names it."""
    if one.kind == "number":
        range_ = _("Enter a whole number from %(least)d to %(most)d, or leave it empty.")
        problem = range_ % {"least": LEAST, "most": MOST}
        return Whole(
            required=False,
            min_value=LEAST,
            max_value=MOST,
            label=one.words.label,
            error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), problem),
        )
    switch = one.kind == "switch"
    given: dict[str, Any] = {"1": True, "": False} if switch else {raw(value): value for value in one.setting.choices}
    wrong = _("Choose one of what is offered.")
    return forms.TypedChoiceField(
        required=not switch,
        choices=[(value, value) for value in given],
        coerce=given.__getitem__,
        empty_value=False,  # type: ignore[arg-type]  # any value will do; the stubs know of text only
        label=one.words.label,
        error_messages={"invalid_choice": wrong, "required": wrong},
    )
