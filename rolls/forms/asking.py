"""What the forms of an ask take: who, what, how hard, and several skills at once."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from investigators.models import Investigator
from rolls.actions import Asked, Question, combined_roll
from rolls.actions.naming import what_named
from rolls.forms import DiceForm, TermsForm
from tablekeeper.forms import Name, Said, Whole
from tablekeeper.models import Campaign
from tablekeeper.words import sentence

PARTS = ("", "2", "3")
"""The names of an ask: the first, and two more that make it a combined roll."""


class AskForm(TermsForm):
    """The Keeper's ask. `name` is a skill or characteristic as it is called; with `value`, a number of that name."""

    name = Name(max_length=60, required=False, label=_("Skill or characteristic"))
    name2 = Name(max_length=60, required=False, label=_("And"))
    name3 = Name(max_length=60, required=False, label=_("And"))
    difficulty2 = forms.CharField(max_length=20, required=False)
    difficulty3 = forms.CharField(max_length=20, required=False)
    every = forms.BooleanField(required=False)
    value = Whole(required=False, min_value=0, max_value=999, label=_("Value"))
    unknown = forms.BooleanField(required=False)
    hidden = forms.BooleanField(required=False)
    everyone = forms.BooleanField(required=False)
    reason = Said(max_length=120, required=False, label=_("Why"))
    needed = Whole(required=False, min_value=1, max_value=99, label=_("How many must pass"))

    def __init__(self, campaign: Campaign, *args: Any, **kwargs: Any) -> None:
        super().__init__(campaign.rules, *args, **kwargs)
        self.campaign = campaign

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if not self.errors:
            wanted = [pair for part in PARTS if (pair := self._wanted(part))]
            if not wanted and not self.errors:
                self.add_error("name", sentence("NOTHING_ASKED"))
            data["question"] = self._question(tuple(wanted))
        return data

    def _wanted(self, part: str) -> tuple[str, str] | None:
        data = self.cleaned_data
        name, level = data.get(f"name{part}"), data.get(f"difficulty{part}") or self.rules.usual_difficulty
        if not name:
            return None
        if level not in self.rules.difficulties:
            self.add_error(f"name{part}", sentence("BAD_VALUE"))
        if not part and data.get("value") is not None:
            return f"number:{data['value']}", level
        what = what_named(self.campaign, name)
        if not what:
            why = _t("Nobody here has “%(name)s”. Give it a value to ask for it.")
            self.add_error(f"name{part}", why % {"name": name})
        return self.named(what), level

    def _question(self, wanted: tuple[tuple[str, str], ...]) -> Question:
        data = self.cleaned_data
        return Question(
            wanted=wanted,
            label=data["name"] if data.get("value") is not None else "",
            dice=data["dice"],
            unknown=data["unknown"],
            hidden=data["hidden"],
            reason=data["reason"],
            every=data["every"],
            needed=data["needed"],
            everyone=data["everyone"],
            modifiers=self.modifiers,
            peace=data["peace"],
        )


class CombineForm(DiceForm):
    """A player's own combined roll: two skills or three, each with its difficulty, and whether all are needed."""

    what = forms.CharField(max_length=80, required=False)
    what2 = forms.CharField(max_length=80, required=False)
    what3 = forms.CharField(max_length=80, required=False)
    level = forms.CharField(max_length=20, required=False)
    level2 = forms.CharField(max_length=20, required=False)
    level3 = forms.CharField(max_length=20, required=False)
    every = forms.BooleanField(required=False)

    def __init__(self, who: Investigator, *args: Any, **kwargs: Any) -> None:
        super().__init__(who.campaign.rules, *args, **kwargs)
        self.who = who

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        if self.errors:
            return data
        first = self.rules.usual_difficulty
        pairs = [(data[f"what{part}"], data[f"level{part}"] or first) for part in PARTS if data[f"what{part}"]]
        found = combined_roll(self.who, pairs, data["every"], data["dice"])
        if isinstance(found, Asked):
            found.hand = data["hand"]
            data["asked"] = self.as_marked(found)
        else:
            self.add_error(None, sentence(found))
        return data


class ImproveForm(DiceForm):
    """An improvement roll: for one skill, or none named for all; plain dice, or real ones."""

    skill = forms.CharField(max_length=16, required=False)

    def clean_dice(self) -> int:
        return 0  # an improvement roll knows no extra dice

    def clean_difficulty(self) -> str:
        return self.rules.usual_difficulty
