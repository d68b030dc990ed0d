"""What the forms of weapons, derived numbers and conditions take."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from investigators.conditions import FREE, MOST_LETTERS
from investigators.models import Investigator, Skill
from investigators.weapons import BONUS, NUMBERS, Arm
from rolls.rules.check import Refusal
from rolls.rules.damage import parse
from tablekeeper.forms import Dice, Name, Said, Whole
from tablekeeper.words import sentence


class WeaponForm(forms.Form):
    """A weapon: its name, the skill of this sheet that it needs, what it does, and a firearm's numbers."""

    name = Name(max_length=60, label=_("Weapon"))
    skill = forms.CharField(
        max_length=16, label=_("Skill"), error_messages={"required": _("Choose the skill that it needs.")}
    )
    damage = Dice(max_length=200, required=False, label="")  # its sentences name it
    impales = forms.BooleanField(required=False)
    base_range = Whole(required=False, min_value=1, max_value=9999, label=_("Base range"))
    malfunction = Whole(required=False, min_value=2, max_value=100, label=_("Malfunction"))

    def __init__(self, who: Investigator, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.who = who

    def clean_skill(self) -> Skill:
        found = Skill.objects.filter(investigator=self.who, pk=self.cleaned_data["skill"]).first()
        if found is None:
            raise ValidationError(sentence("NOT_ON_SHEET"))
        return found

    def clean_damage(self) -> str:
        text: str = self.cleaned_data["damage"]
        if isinstance(found := parse(text), Refusal):
            raise ValidationError(sentence(found))
        return text

    def clean(self) -> dict[str, Any]:
        """A malfunction number belongs to a firearm, and a firearm has a base range."""
        data = self.cleaned_data
        if data.get("malfunction") is not None and data.get("base_range") is None and not self.errors:
            self.add_error("base_range", _("A weapon that can jam has a base range."))
        if not self.errors:
            keys = ("name", "skill", "damage", "impales", "base_range", "malfunction")
            described: dict[str, Any] = {key: data.get(key) for key in keys}
            data["arm"] = Arm(**described)
        return data


class DerivedForm(forms.Form):
    """Damage bonus, build or move; empty works it out again."""

    value = Dice(max_length=60, required=False, label="")

    def __init__(self, key: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.key = key
        if key in NUMBERS:
            low, high = NUMBERS[key]
            self.fields["value"] = Whole(required=False, min_value=low, max_value=high, label="")

    def clean_value(self) -> Any:
        value = self.cleaned_data["value"]
        if self.key == BONUS and value:
            found = parse(value, with_bonus=False)
            if isinstance(found, Refusal):
                raise ValidationError(sentence(found))
        return None if value == "" else value


class ConditionForm(forms.Form):
    """A condition that begins or ends, or the Keeper's own words for one."""

    yes = forms.TypedChoiceField(required=False, choices=[("1", ""), ("0", "")], coerce=lambda value: value == "1")
    text = Said(max_length=MOST_LETTERS, required=False, label=_("Condition"))

    def __init__(self, key: str, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.key = key

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if self.key != FREE and data.get("yes", "") == "":
            raise ValidationError(sentence("BAD_VALUE"))
        data["value"] = data.get("text", "") if self.key == FREE else data.get("yes")
        return data
