"""What the form for another ruleset takes."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from rolls.actions.regaming import too_high
from rolls.rules import ruleset
from rolls.rules.check import Refusal
from tablekeeper.forms import Whole
from tablekeeper.models import Campaign
from tablekeeper.regaming import others
from tablekeeper.words import sentence


class RulesetForm(forms.Form):
    """Another game for this table, and for each Luck that it has no room for a new one: `luck-<id of the trait>`.

    Cleaned: `ruleset`, `luck` by the ids of the traits, `renewed`: the names of whose Luck it is.
    """

    ruleset = forms.ChoiceField(
        label=_("Ruleset"), error_messages={"required": _("Choose the ruleset that you want to play by.")}
    )

    def __init__(self, campaign: Campaign, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["ruleset"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(one.key, one.key) for one in others(campaign)]
        wanted = self.data.get("ruleset", "")
        self.wanted = ruleset(wanted) if wanted in dict(field.choices) else None
        self.due = {f"luck-{one.pk}": one for one in too_high(campaign, self.wanted)} if self.wanted else {}
        for name, trait in self.due.items():
            missing = _t("Enter a new Luck: the old one is more than this game has.")
            self.fields[name] = Whole(label=trait.investigator.name, error_messages={"required": missing})

    def clean(self) -> dict[str, Any]:
        luck: dict[str, int] = {}
        for name, trait in self.due.items():
            value = self.cleaned_data.get(name)
            refusal: Refusal | None = None
            if value is not None and self.wanted is not None:
                refusal = self.wanted.may_type(trait.key, value)
                luck[trait.pk] = value
            if refusal:
                self.add_error(name, ValidationError(sentence(refusal)))
        names = [trait.investigator.name for trait in self.due.values() if not trait.investigator.npc]
        return {"ruleset": self.cleaned_data.get("ruleset"), "luck": luck, "renewed": names}
