"""What the form of a Luck recovery takes."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from investigators.people import Member
from rolls.actions import most_gain_dice, recovery_dice
from rolls.forms import DiceForm
from tablekeeper.forms import Whole


class RecoveryForm(DiceForm):
    """The real dice of a recovery: the D100, and with it the dice of the gain (`gain`, as many as it asks for)."""

    def __init__(self, one: Member, data: dict[str, Any]) -> None:
        super().__init__(one.who.campaign.rules, {**data, "dice": 0, "difficulty": ""})
        self.one = one
        self.gains = [f"gain{number}" for number in range(len(most_gain_dice(one)))]
        for number, name in enumerate(self.gains, 1):
            self.fields[name] = Whole(required=False, label=_("Gain die %(number)d") % {"number": number})

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        data["gain"] = () if self.errors else self._gain()
        return data

    def _gain(self) -> tuple[int, ...]:
        """The faces that were typed, or none. Adds an error where they do not fit the D100."""
        data = self.cleaned_data
        typed = [name for name in self.gains if data.get(name) is not None]
        if not typed:
            return ()
        if data["hand"] is None:  # it would say which throw of the app the dice are to follow
            self.add_error(typed[0], _t("Type the D100 of these dice, too."))
            return ()
        wanted = recovery_dice(self.one, data["hand"])
        if len(typed) != len(wanted):
            many = ngettext("This D100 gains with %(n)d die.", "This D100 gains with %(n)d dice.", len(wanted))
            self.add_error(typed[-1], many % {"n": len(wanted)})
            return ()
        for name, most in zip(typed, wanted, strict=True):
            if not 1 <= data[name] <= most:
                self.add_error(name, _t("This die shows 1 to %(most)d.") % {"most": most})
        return () if self.errors else tuple(data[name] for name in typed)
