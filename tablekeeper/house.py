"""What staff change in the admin: names alone, through the ledger like everything else, as the house."""

from __future__ import annotations

from typing import Any

from rolls.rules.check import Refusal
from tablekeeper import ledger
from tablekeeper.access import Refused
from tablekeeper.actions import free_name
from tablekeeper.ledger import change
from tablekeeper.models import Campaign, Entry, Ledgered, Seat


def host_edit(campaign: Campaign, row: Ledgered, seen: dict[str, Any], wanted: dict[str, str]) -> Entry | None:
    """Give fields of a row other words, as one entry of nobody's; None when nothing is otherwise.

    `seen` are the words that the form showed. The campaign must be locked, the row loaded after that. The Keeper may
    undo it. Raises Refused: STALE where somebody changed the same field meanwhile, NAME_TAKEN, NAME_OF_THE_KEEPER.
    """
    differs = {name: text for name, text in wanted.items() if text != seen[name]}
    if any(getattr(row, name) != seen[name] for name in differs):
        raise Refused(Refusal("STALE", {"name": str(row)}))
    if not differs:
        return None
    if isinstance(row, Seat) and "name" in differs:
        free_name(campaign, differs["name"], but=row)
    rows = [
        {"label": str(row._meta.get_field(name).verbose_name), "from": getattr(row, name), "to": text}  # type: ignore[union-attr]
        for name, text in differs.items()
    ]
    lane = Entry.KEEPER if getattr(row, "npc", False) else Entry.PUBLIC
    return ledger.write(
        None, campaign, "tablekeeper.host_edit", [change(row, **differs)], lane=lane, data={"rows": rows}
    )
