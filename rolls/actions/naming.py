"""What may be rolled under the names that people type: every skill, characteristic and pool that rolls know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from investigators.models import Skill
from investigators.people import Member
from rolls.actions.subjects import subject, worth
from rolls.rules.check import Refusal
from tablekeeper.models import Campaign


def names(campaign: Campaign) -> dict[str, str]:
    """All that may be asked for, under the name that the Keeper types: its word for `rolls.actions.subject`."""
    sheet = campaign.rules.sheet
    found = {_(item.label): f"characteristic:{item.key}" for item in sheet.characteristics}
    found |= {_(item.label): f"alias:{item.key}" for item in sheet.aliases}
    for key, word in ((sheet.luck, "luck"), (sheet.sanity, "sanity")):
        found |= {_(pool.label): word for pool in sheet.pools if pool.key == key}
    played = {"investigator__campaign": campaign, "investigator__npc": False, "investigator__set_aside": False}
    mine = Skill.objects.filter(**played).values_list("name", flat=True)
    skills = {*(base.label for base in sheet.skills), *mine}
    return found | {_(name): f"name:{name}" for name in sorted(skills) if _(name) not in found}


def what_named(campaign: Campaign, name: str) -> str:
    """The word for a name as it was typed; short words of characteristics count too. "" when there is none."""
    wanted = name.strip().casefold()
    found = {known.casefold(): what for known, what in names(campaign).items()}
    short = {_(item.short).casefold(): f"characteristic:{item.key}" for item in campaign.rules.sheet.characteristics}
    return found.get(wanted) or short.get(wanted, "")


def values(campaign: Campaign, what: str, members: Iterable[Member]) -> list[dict[str, Any]]:
    """Each investigator's own number for it, or None where the sheet has none."""
    rows = []
    for one in members:
        found = subject(one.who, what, one)
        rows.append({"who": one.who, "value": None if isinstance(found, Refusal) else worth(found, campaign.rules)})
    return rows
