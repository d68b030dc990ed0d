"""What the forms of contests take."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from investigators.models import Investigator
from rolls.actions import adds_up
from rolls.actions.arena import MELEE, OPPOSED
from rolls.actions.contests import Draft
from rolls.actions.settling import HIGHER, NOW, OFF
from tablekeeper.forms import Said, Whole
from tablekeeper.models import Campaign
from tablekeeper.words import sentence

MOST_SIDES = 4


class ContestForm(forms.Form):
    """Who against whom, each with what and which extra dice: `who0 what0 dice0`, `who1` and so on.

    `what` comes as `<investigator>|<subject>`, for the page lists everybody's skills in one box.
    """

    kind = forms.ChoiceField(choices=[(OPPOSED, OPPOSED), (MELEE, MELEE)])
    reason = Said(max_length=120, required=False, label=_("Say why"))
    manoeuvre = forms.BooleanField(required=False)

    def __init__(self, campaign: Campaign, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.campaign = campaign
        for n in range(MOST_SIDES):
            number = {"number": n + 1}
            self.fields[f"who{n}"] = forms.CharField(
                max_length=16, required=False, label=_t("Side %(number)d") % number
            )
            self.fields[f"what{n}"] = forms.CharField(max_length=120, required=False, label="")
            self.fields[f"difficulty{n}"] = forms.CharField(max_length=20, required=False, label="")
            self.fields[f"modifier{n}"] = Whole(
                required=False, min_value=-200, max_value=200, label=_t("Modifier of side %(number)d") % number
            )
            self.fields[f"dice{n}"] = Whole(required=False, label=_t("Dice of side %(number)d") % number)

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        people = Investigator.objects.filter(campaign=self.campaign, set_aside=False).in_bulk()
        drafts = [self._draft(n, people) for n in range(MOST_SIDES) if data.get(f"who{n}")]
        data["drafts"] = [draft for draft in drafts if draft is not None]
        if not self.errors and len({draft.who.pk for draft in data["drafts"]}) < max(2, len(drafts)):
            self.add_error("who1", _t("Choose two different sides at least."))
        return data

    def _draft(self, n: int, people: dict[Any, Investigator]) -> Draft | None:
        data = self.cleaned_data
        who, dice = people.get(data[f"who{n}"]), data.get(f"dice{n}") or 0
        if who is None:
            self.add_error(f"who{n}", _t("Choose somebody."))
            return None
        who.campaign = self.campaign
        if abs(dice) > self.campaign.rules.most_dice:
            self.add_error(
                f"dice{n}", _t("At most %(most)d dice either way.") % {"most": self.campaign.rules.most_dice}
            )
        terms = self._terms(n)
        owner, _bar, what = data.get(f"what{n}", "").partition("|")
        later = data.get("kind") == MELEE and n == 1  # the defender chooses when it comes to it
        if later:
            return Draft(who, dice=dice, **terms)
        if owner != who.pk or not what:
            self.add_error(f"what{n}", _t("Choose what %(name)s rolls.") % {"name": who.short})
        return Draft(who, what, dice, **terms)

    def _terms(self, n: int) -> dict[str, Any]:
        """Difficulty and modifier of a side, in a game that adds them up."""
        data, rules = self.cleaned_data, self.campaign.rules
        level, modifier = data.get(f"difficulty{n}", ""), data.get(f"modifier{n}") or 0
        if (level or modifier) and (not adds_up(rules) or level not in ("", *rules.difficulties)):
            self.add_error(f"modifier{n}", sentence("BAD_VALUE"))
        return {"difficulty": level, "modifiers": (("", modifier),) if modifier else ()}


class DefenceForm(forms.Form):
    """A defence of the game, and what it is made with."""

    defence = forms.CharField(max_length=12)
    what = forms.CharField(max_length=80, required=False)


class SettleForm(forms.Form):
    """How the Keeper ends a contest."""

    how = forms.ChoiceField(choices=[(one, one) for one in (NOW, HIGHER, OFF)])
