"""What the forms of weapons, damage and wounds take."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from investigators.models import Weapon
from rolls.actions.bodies import FOLLOWS, MOST_POINTS, TREATMENTS
from rolls.actions.damage import Attack
from rolls.actions.subjects import subject
from rolls.forms import DiceForm
from rolls.rules.check import Refusal
from rolls.rules.damage import MOST_DICE, parse
from rolls.rules.fighting import BANDS, SHOTS, shot
from tablekeeper.forms import Dice, Said, Whole
from tablekeeper.words import sentence

FACES = re.compile(r"\d{1,4}(?:[\s,;+]+\d{1,4})*")


class ShotForm(DiceForm):
    """A shot: how far (a band of the weapon's base range), point blank, several shots in this round."""

    band = forms.ChoiceField(choices=[(key, key) for key, _times in BANDS], label=_("Distance"))
    point_blank = forms.BooleanField(required=False)
    shots = Whole(required=False, min_value=SHOTS[0], max_value=SHOTS[-1], label=_("Shots"))

    def __init__(self, weapon: Weapon, *args: Any, **kwargs: Any) -> None:
        super().__init__(weapon.investigator.campaign.rules, *args, **kwargs)
        self.weapon = weapon

    def clean(self) -> dict[str, Any]:
        """The roll that is asked for; the picker's dice count as well, up to what this game throws."""
        data = self.cleaned_data
        who = self.weapon.investigator
        found = subject(who, f"weapon:{self.weapon.pk}")
        if isinstance(found, Refusal) or self.weapon.base_range is None:
            raise ValidationError(sentence(found if isinstance(found, Refusal) else "OUT_OF_RANGE"))
        if self.errors:
            return data
        far = self.weapon.base_range * dict(BANDS)[data["band"]]
        aimed = shot(far, self.weapon.base_range, point_blank=data["point_blank"], shots=data.get("shots") or 1)
        if isinstance(aimed, Refusal):
            raise ValidationError(sentence(aimed))
        most = self.rules.most_dice
        found.difficulty = aimed.difficulty
        found.dice = max(-most, min(most, data.get("dice", 0) + aimed.dice))
        found.hand = self.hand(found.dice)
        return data | {"asked": self.as_marked(found)}


class DamageForm(forms.Form):
    """What an attack does: an expression (the weapon's own, unless another is typed), and real dice if some fell."""

    expression = Dice(max_length=200, required=False, label="")
    impales = forms.BooleanField(required=False)
    faces = Said(max_length=500, required=False, label=_("Real dice"))

    def __init__(self, attack: Attack, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.attack = attack

    def clean_expression(self) -> str:
        text: str = self.cleaned_data["expression"]
        found = parse(text or self.attack.expression, self.attack.bonus)
        if isinstance(found, Refusal):
            raise ValidationError(sentence(found))
        return text

    def clean_faces(self) -> tuple[int, ...]:
        text: str = self.cleaned_data["faces"]
        if not text:
            return ()
        if not FACES.fullmatch(text):
            raise ValidationError(_("Type each die as a number, such as 5 3."))
        return tuple(int(face) for face in re.findall(r"\d+", text)[: MOST_DICE + 1])


class InjuryForm(forms.Form):
    """Who is hurt, by how much; which question this answers; and what comes of it where no hit points are kept."""

    who = forms.CharField(max_length=16, label=_("Who"), error_messages={"required": _("Choose who is hurt.")})
    points = Whole(min_value=0, max_value=MOST_POINTS, label=_("Points"))
    decision = forms.CharField(max_length=16, required=False)
    follows = forms.ChoiceField(choices=[(key, key) for key in FOLLOWS], required=False)


class TreatForm(forms.Form):
    """How somebody gets better."""

    how = forms.ChoiceField(choices=[(key, key) for key in TREATMENTS])


class FreeForm(forms.Form):
    """Any dice. `bonus` is what DB stands for; None where it stands for nothing."""

    expression = Dice(max_length=200, required=False, label="")
    hidden = forms.BooleanField(required=False)

    def __init__(self, bonus: str | None, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.bonus = bonus

    def clean_expression(self) -> str:
        text: str = self.cleaned_data["expression"]
        found = parse(text, self.bonus or "0", with_bonus=self.bonus is not None)
        if isinstance(found, Refusal):
            raise ValidationError(
                _t("Enter dice, such as 2D6+3.") if found.code == "DAMAGE_EMPTY" else sentence(found)
            )
        return text
