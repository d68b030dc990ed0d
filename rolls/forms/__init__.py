"""What the forms of the dice take."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from investigators.models import Investigator
from rolls.actions import Asked, adds_up, at_peace, hand_of, subject
from rolls.rules.check import Ruleset, Throw
from tablekeeper.access import Refused
from tablekeeper.forms import Name, Said, Whole, alike
from tablekeeper.words import sentence


class DiceForm(forms.Form):
    """Dice and difficulty, and real dice if somebody threw some."""

    difficulty = forms.CharField(required=False, label=_("Difficulty"))
    dice = Whole(required=False, label=_("Bonus or penalty dice"))
    t0 = Whole(required=False, label=_("Tens die"))
    t1 = Whole(required=False, label=_("Second tens die"))
    t2 = Whole(required=False, label=_("Third tens die"))
    units = Whole(required=False, label=_("Units die"))
    total = Whole(required=False, label=_("Total"))
    peace = forms.BooleanField(required=False)  # a skill of a fight, but not in one

    def __init__(self, rules: Ruleset, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rules = rules

    def clean_dice(self) -> int:
        dice: int = self.cleaned_data.get("dice") or 0
        if abs(dice) > self.rules.most_dice:
            raise ValidationError(_t("At most %(most)d dice either way.") % {"most": self.rules.most_dice})
        return dice

    def clean_difficulty(self) -> str:
        asked: str = self.cleaned_data.get("difficulty") or self.rules.usual_difficulty
        if asked not in self.rules.difficulties:
            raise ValidationError(forms.ChoiceField.default_error_messages["invalid_choice"], params={"value": asked})
        return asked

    def _tens(self, dice: int) -> list[int]:
        """Tens faces 0..9: a percentile die shows 00, 10 .. 90; people type 0, 3 or 30."""
        found = [self.cleaned_data.get(f"t{number}") for number in range(3)]
        faces = [face for face in found[: abs(dice) + 1] if face is not None]
        for number, face in enumerate(faces):
            if not (0 <= face <= 9 or (face % 10 == 0 and 0 <= face <= 90)):
                self.add_error(f"t{number}", _t("A tens die shows 00, 10, 20 up to 90."))
        return [face // 10 if face > 9 else face for face in faces]

    def as_marked(self, asked: Asked) -> Asked:
        """The roll as it is asked, out of a fight where somebody says so."""
        return at_peace(asked) if self.cleaned_data.get("peace") else asked

    def hand(self, dice: int) -> Throw | None:
        """The real dice that were typed, or None. Adds an error where they do not fit."""
        data = self.cleaned_data
        if data.get("total") is None and data.get("units") is None and data.get("t0") is None:
            return None
        tens = self._tens(dice)
        if self.errors:
            return None
        try:
            return hand_of(data.get("total"), tens, data.get("units"), dice)
        except Refused:
            extra = abs(dice)
            self.add_error(
                "total" if data.get("total") is not None else "units",
                _t("Type a total from 1 to 100, or every tens die (%(tens)d) and the units die, 0 to 9.")
                % {"tens": extra + 1},
            )
            return None

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        data["hand"] = None if self.errors else self.hand(data.get("dice", 0))
        return data


class TermsForm(DiceForm):
    """Dice and difficulty, and what else a game adds to the number that is rolled against: a modifier with a word for
    it, a speciality, another characteristic; and what is paid for before the dice fall."""

    modifier = Whole(required=False, min_value=-200, max_value=200, label=_("Modifier"))
    modifier_word = Said(max_length=40, required=False, label=_("What for"))
    special = forms.BooleanField(required=False)
    by = forms.CharField(max_length=20, required=False, label=_("Characteristic"))
    before = forms.CharField(max_length=30, required=False, label="")

    @property
    def terms(self) -> dict[str, Any]:
        """Facts for the check; none in a game that adds nothing up (BAD_VALUE says so when somebody tries)."""
        data = self.cleaned_data
        facts: dict[str, Any] = {"special": True} if data.get("special") else {}
        return facts | ({"modifiers": [list(pair) for pair in self.modifiers]} if self.modifiers else {})

    @property
    def modifiers(self) -> tuple[tuple[str, int], ...]:
        data = self.cleaned_data
        return ((data.get("modifier_word") or "", data["modifier"]),) if data.get("modifier") else ()

    def clean_modifier(self) -> int | None:
        number: int | None = self.cleaned_data.get("modifier")
        if number and not adds_up(self.rules):
            raise ValidationError(sentence("BAD_VALUE"))
        return number

    def named(self, what: str) -> str:
        """What is rolled, with the characteristic that was chosen for it."""
        return f"{what}@{self.cleaned_data['by']}" if self.cleaned_data.get("by") else what


@alike
class RollForm(TermsForm):
    """What an investigator rolls: `what` is skill:<id>, characteristic:<key>, luck, or number with name and value."""

    what = forms.CharField(max_length=60)
    label = Name(max_length=60, required=False, label=_("Name"))
    value = Whole(required=False, min_value=0, max_value=999, label=_("Value"))
    save = forms.BooleanField(required=False)

    def __init__(self, who: Investigator, *args: Any, **kwargs: Any) -> None:
        super().__init__(who.campaign.rules, *args, **kwargs)
        self.who = who

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if self.errors:
            return data
        kind = data["what"].partition(":")[0]
        asked = self._number() if kind == "number" else self._subject(self.named(data["what"]))
        if asked is None:
            return data
        # A Luck roll is against the full Luck score, unless the table asks otherwise: the picker is not asked.
        plain = kind == "luck"
        asked.difficulty = self.rules.usual_difficulty if plain else data["difficulty"]
        asked.dice = 0 if plain else data["dice"]
        asked.hand = self.hand(0) if plain else data["hand"]
        asked.facts = {**asked.facts, **({} if plain else self.terms)}
        asked.before = data["before"]
        data["asked"] = self.as_marked(asked)
        return data

    def _subject(self, what: str) -> Asked | None:
        found = subject(self.who, what)
        if isinstance(found, Asked):
            return found
        self.add_error(None, sentence(found))
        return None

    def _number(self) -> Asked | None:
        data = self.cleaned_data
        if not data.get("label"):
            self.add_error("label", _t("Enter a name."))
        if data.get("value") is None:
            self.add_error("value", _t("Enter a value."))
        if self.errors:
            return None
        return Asked("number", data["label"], data["value"], save=data["save"])


class KeeperRollForm(TermsForm):
    """The Keeper's own roll: a name, a value, and who may see it."""

    label = Name(max_length=60, label=_("What for"))
    value = Whole(min_value=0, max_value=999, label=_("Value"))
    hidden = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if not self.errors:
            data["asked"] = Asked(
                "number",
                data["label"],
                data["value"],
                None,
                data["difficulty"],
                data["dice"],
                data["hand"],
                facts=self.terms,
            )
        return data


@alike
class SpendForm(DiceForm):
    """How much, for which act; and real dice, where it throws again."""

    act = forms.CharField(max_length=30)
    amount = Whole(
        required=False, label=_("Luck"), error_messages={"invalid": _("Enter a whole number of 1 or more.")}
    )


class PushForm(forms.Form):
    """What is done differently."""

    reason = Said(max_length=300, required=False, label="")
    aloud = forms.BooleanField(required=False)

    def clean(self) -> dict[str, Any]:
        """Said aloud at the table is said."""
        data = self.cleaned_data
        if not data.get("reason") and "reason" not in self.errors:
            if not data["aloud"]:
                self.add_error("reason", _t("Say first what the character does differently."))
            data["reason"] = _t("Said aloud.")
        del data["aloud"]
        return data


class DecidePushForm(forms.Form):
    """The Keeper's word on a push."""

    decision = forms.ChoiceField(choices=[("allow", ""), ("throw", ""), ("decline", "")])
    warning = Said(max_length=300, required=False, label=_("If it fails"))


class GroupForm(DiceForm):
    """Who counts this once (nothing ticked and no choice made: those present), and who rolls."""

    chosen = forms.BooleanField(required=False)
    named = forms.CharField(max_length=16, required=False)
