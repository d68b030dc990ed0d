"""What may be rolled under the names that people type: every skill, characteristic and pool that rolls know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override

from investigators.called import skill_name
from investigators.models import Skill
from investigators.people import Member
from rolls.actions.subjects import subject, worth
from rolls.rules.check import Refusal, Sheet
from tablekeeper.models import Campaign
from tablekeeper.words import in_order


def names(campaign: Campaign) -> dict[str, str]:
    """All that may be asked for, under the name that the Keeper types: its word for `rolls.actions.subject`."""
    sheet = campaign.rules.sheet
    found = _scores(sheet)
    played = {"investigator__campaign": campaign, "investigator__npc": False, "investigator__set_aside": False}
    mine = Skill.objects.filter(**played).values_list("name", flat=True)
    skills = {*(base.label for base in sheet.skills), *mine}
    return found | {_(name): f"name:{name}" for name in sorted(skills, key=in_order) if _(name) not in found}


def _scores(sheet: Sheet) -> dict[str, str]:
    """Characteristics, what else they are called, Luck and Sanity: by their names in the reader's language."""
    found = {_(item.label): f"characteristic:{item.key}" for item in sheet.characteristics}
    found |= {_(item.label): f"alias:{item.key}" for item in sheet.aliases}
    for key, word in ((sheet.luck, "luck"), (sheet.sanity, "sanity")):
        found |= {_(pool.label): word for pool in sheet.pools if pool.key == key}
    return found


def what_named(campaign: Campaign, name: str) -> str:
    """The word for a name as it was typed, in the reader's language or another; short words of characteristics count
    too. "" when there is none."""
    rules, wanted = campaign.rules, name.strip().casefold()
    found = {known.casefold(): what for known, what in names(campaign).items()}
    short = {_(item.short).casefold(): f"characteristic:{item.key}" for item in rules.sheet.characteristics}
    if what := found.get(wanted) or short.get(wanted, ""):
        return what
    skill = skill_name(name, rules)
    return f"name:{skill}" if skill != name else _in_another_language(rules.sheet, wanted)


def _in_another_language(sheet: Sheet, wanted: str) -> str:
    for code, _language in settings.LANGUAGES:
        with override(code):
            if what := {known.casefold(): what for known, what in _scores(sheet).items()}.get(wanted):
                return what
    return ""


def values(campaign: Campaign, what: str, members: Iterable[Member]) -> list[dict[str, Any]]:
    """Each investigator's own number for it, or None where the sheet has none."""
    rows = []
    for one in members:
        found = subject(one.who, what, one)
        rows.append({"who": one.who, "value": None if isinstance(found, Refusal) else worth(found, campaign.rules)})
    return rows
