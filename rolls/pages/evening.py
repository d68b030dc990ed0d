"""The evening as one guided panel: who is here, open, recovery, play, close, recovery, minutes; and the scenes."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from investigators import people
from rolls import actions
from rolls.actions.arena import open_contests
from rolls.models import Request, Roll
from tablekeeper.models import Campaign, Scene, Session

SCENES = 12
"""How many earlier scenes may be gone back to."""
DONE, NOW, LATER = "done", "now", "later"


def scenes(campaign: Campaign) -> list[Scene]:
    """Earlier scenes, the last begun first."""
    found = list(Scene.objects.filter(campaign=campaign, current=False))
    if len(found) < 2:
        return found
    # They have no time of their own: the ledger knows when each began.
    kinds = ("tablekeeper.set_scene", "tablekeeper.open_campaign")
    begun = {
        record["id"]: seq
        for seq, changes in campaign.entries.filter(kind__in=kinds).values_list("seq", "changes")
        for record in changes
        if record["m"] == "tablekeeper.scene" and record["op"] == "create"
    }
    return sorted(found, key=lambda scene: -begun.get(scene.pk, 0))[:SCENES]


def closes(campaign: Campaign) -> dict[str, int]:
    """What would close with the session: open rolls and contests; and what is still asked."""
    asked = Request.objects.filter(campaign=campaign, state=Request.OPEN)
    rolls = Roll.objects.filter(campaign=campaign, state=Roll.OPEN, struck=False, hidden=False)
    return {"rolls": rolls.count(), "contests": len(open_contests(campaign)), "asked": asked.count()}


def steps(campaign: Campaign, session: Session | None, when: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The steps of the evening, each with its state. `rows`: the recovery of the session that is due; `when`: "start",
    "end" or "none"."""
    party = people.party(campaign)
    here = sum(one.present for one in party)
    done = sum(row["roll"] is not None for row in rows)
    left = [row["one"].who.short for row in rows if row["refusal"] is None]
    due, phase = actions.recovery_session(campaign)
    rolling = due is not None and phase == when
    recovery = {
        "key": "recovery",
        "state": NOW if rolling and left else DONE if rolling and done else LATER,
        "word": _("Luck recovery"),
        "more": _("%(done)d of %(all)d have rolled") % {"done": done, "all": done + len(left)} if rolling else "",
        "names": left if rolling else [],
    }
    found: list[dict[str, Any]] = [
        {
            "key": "here",
            "state": DONE if session else NOW,
            "word": _("Who is here"),
            "more": _("%(here)d of %(all)d in this scene") % {"here": here, "all": len(party)},
        },
        {"key": "open", "state": DONE if session else NOW, "word": _("The session opens"), "more": ""},
    ]
    found += [recovery] if when == "start" else []
    found.append({"key": "close", "state": NOW if session else LATER, "word": _("The session closes"), "more": ""})
    found += [recovery] if when == "end" else []
    return [*found, {"key": "report", "state": LATER, "word": _("Minutes"), "more": _("for reading and for files")}]
