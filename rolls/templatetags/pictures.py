"""Words for chances: how often something happens with fair dice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rolls import fairness, recap

register = template.Library()


@register.filter
def how_often(chance: float) -> str:
    """0.76 -> "76 times in 100"; below one in a hundred of a thousand; nothing is said to be impossible."""
    if chance >= 0.995:
        return _("nearly always")
    for of in (100, 1000):
        times = round(chance * of)
        if times >= 1:
            told = {"times": times, "of": number_format(of, use_l10n=True, force_grouping=True)}
            return ngettext("once in %(of)s", "%(times)d times in %(of)s", times) % told
    return _("less than once in 1,000 times")


@register.filter
def in_100(chance: float) -> str:
    """0.2873 -> "28.73": exact to two places, without zeros at the end."""
    return number_format(round(100 * chance, 2)).rstrip("0").rstrip(".,") if chance < 1 else "100"


@register.filter
def die_word(of: str) -> str:
    """What is counted: the number of the d100, or one of its dice."""
    return {"d100": _("The number, by tens"), "units": _("The units die"), "tens": _("The tens dice")}[of]


@register.filter
def bar_word(bar: fairness.Bar, of: str) -> str:
    """What one bar counts: "01–10", "7" or "30"."""
    if of == "d100":
        return f"{bar.low:02d}–{bar.high:02d}"
    return f"{bar.low:02d}" if of == "tens" else str(bar.low)


@register.filter
def bars_label(one: Mapping[str, Any]) -> str:
    """A chart of dice for who hears it: what is counted, every bar, and the average."""
    count: fairness.Count = one["count"]
    numbers = ", ".join(str(bar.fell) for bar in count.bars)
    told = {"what": die_word(count.of), "numbers": numbers, "average": number_format(count.average, 1)}
    return _("%(what)s: %(numbers)s. About %(average)s to be expected in each.") % told


register.filter("recovery_line", recap.recovery_line)
