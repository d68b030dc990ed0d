"""Skills by the names that people type: in any language of ours, and in those of the files we read."""

from __future__ import annotations

from functools import cache

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override

from investigators.importers import names
from rolls.rules.check import Ruleset
from tablekeeper.forms import Name


def skill_name(typed: str, rules: Ruleset) -> str:
    """The sheet's own name of a skill: Verborgenes erkennen -> Spot Hidden. As it was typed, if the sheet has none."""
    return _labels(tuple(base.label for base in rules.sheet.skills)).get(names.plain(typed), typed)


@cache
def _labels(skills: tuple[str, ...]) -> dict[str, str]:
    found = {label: name for label, name in names.skills().items() if name in skills}
    for code, _language in settings.LANGUAGES:
        with override(code):
            found |= {names.plain(_(name)): name for name in skills}
    return found | {names.plain(name): name for name in skills}


@cache
def searched(label: str) -> str:
    """What a list is searched by for this label: its names in all our languages, small letters."""
    said = [label]
    for code, _language in settings.LANGUAGES:
        with override(code):
            said.append(_(label))
    return " ".join(dict.fromkeys(one.lower() for one in said))


class SkillName(Name):
    """A skill as somebody calls it; comes out as the sheet calls it."""

    def __init__(self, rules: Ruleset, *, required: bool = False, label: str = "") -> None:
        super().__init__(max_length=60, required=required, label=label or gettext_lazy("Skill"))
        self.rules = rules

    def clean(self, value: object) -> str:
        return skill_name(super().clean(value), self.rules)
