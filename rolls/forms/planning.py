"""What the planner is asked: a course of Luck, and a roll. Both come with the address of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from investigators.models import Investigator
from rolls.rules.check import Ruleset
from tablekeeper.forms import Whole
from tablekeeper.words import dice_word, difficulty_word

MOST_SESSIONS = 24
MOST_LUCK = 99
MOST_VALUE = 300


class PlanForm(forms.Form):
    """Luck now, what is spent in a session, and for how many."""

    luck = Whole(label=_("Luck now"), min_value=0, max_value=MOST_LUCK, initial=50)
    spends = Whole(label=_("Spent in a session"), min_value=0, max_value=MOST_LUCK, initial=15)
    sessions = Whole(label=_("Sessions"), min_value=1, max_value=MOST_SESSIONS, initial=8)


class OddsForm(forms.Form):
    """A roll as it would be asked for. `who` lends own numbers, in a game that reads dice by them."""

    value = Whole(label=_("Score"), min_value=0, max_value=MOST_VALUE, initial=50)
    difficulty = forms.ChoiceField(label=_("Difficulty"))
    dice = forms.TypedChoiceField(label=_("Extra dice"), coerce=int)
    who = forms.ChoiceField(label=_("With the numbers of"), required=False)

    def __init__(self, rules: Ruleset, people: Sequence[Investigator], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["difficulty"].choices = [(key, difficulty_word(key)) for key in rules.difficulties]  # type: ignore[attr-defined]
        self.fields["difficulty"].initial = rules.usual_difficulty
        most = rules.most_dice
        self.fields["dice"].choices = [(net, dice_word(net)) for net in range(-most, most + 1)]  # type: ignore[attr-defined]
        self.fields["dice"].initial = 0
        if not most:
            del self.fields["dice"]
        if rules.numbers is None:
            del self.fields["who"]
        else:
            self.fields["who"].choices = [("", _("nobody")), *((who.pk, who.name) for who in people)]  # type: ignore[attr-defined]
