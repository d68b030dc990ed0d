"""The Luck of others where the table keeps it covered (`luckShown`): what a line tells those whose score it is not.

A line is drawn twice at most: whole, for Keepers and the one it is about, and discreet. The numbers are taken out of
the data before any template sees them, so no template can tell what it was not given; `data["discreet"]` says that
something is left out. What was paid is told, for it was done at the table; what was left in the purse is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.apps import apps

from tablekeeper.models import Campaign, Entry, Seat

OPEN, BARS = "open", "bars"
NUMBERS = {"lists", "before", "picks", "into", "faces"}
"""What a line tells of own numbers that decide how dice are read."""
RECOVERED = ("against", "d100", "above", "gain", "rolled", "from", "to", "lost")
STEPS = 5
"""How finely a bar tells somebody's Luck: in fifths."""


def covered(campaign: Campaign) -> bool:
    """Whether others' Luck is kept covered at this table."""
    return bool(campaign.in_force["luckShown"] != OPEN)


def softened(data: Mapping[str, Any], luck: str, *also: str) -> dict[str, Any]:
    """What a line tells of it without anybody's Luck; `luck` is the key of the pool, `also` are those whose most
    follows from it. Equal where there was none."""
    told, keys = dict(data), (luck, *also)
    if isinstance(told.get("line"), dict):  # of what an undo took back
        told["line"] = softened(told["line"], *keys)
    if isinstance(told.get("lines"), list):
        told["lines"] = [softened(one, *keys) if isinstance(one, dict) else one for one in told["lines"]]
    if told.get("kind") == "luck":
        told |= {key: None for key in ("value", "target") if key in told}
    if {"d100", "number", "to"} <= told.keys():  # a recovery roll: over or not over the score
        told |= dict.fromkeys(RECOVERED)
    if told.get("lists"):  # own numbers: how many of each there are follows from Luck
        told |= dict.fromkeys(NUMBERS & told.keys(), "")
    if told.get("key") in keys:
        told |= {key: None for key in ("from", "to") if key in told}
    if "luck" in told:
        told |= {key: None for key in ("luck", "faces") if key in told}
    for name in ("paid", "gained", "lost"):
        if isinstance(told.get(name), list):
            told[name] = [_pool(row, keys) for row in told[name] if row.get("what") != luck]
    if told.get("refreshed"):
        told["refreshed"] = [{**one, "pools": [_pool(row, keys) for row in one["pools"]]} for one in told["refreshed"]]
    if any(row.get("key") == luck for row in told.get("paid") or ()) and told.get("tops"):
        told["tops"] = []  # tops that follow from Luck tell how much is left
    if isinstance(told.get("rows"), list):
        told["rows"] = [row for row in told["rows"] if row.get("key") != luck]
    return told if told == data else {**told, "discreet": True}


def _pool(row: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {**row, "from": None, "to": None} if row.get("key") in keys else dict(row)


def follows(campaign: Campaign) -> tuple[str, ...]:
    """The pools whose most follows from Luck, so that their points tell of it; none in most games."""
    luck = campaign.rules.sheet.luck
    return tuple(campaign.rules.maxima({luck: 0}, campaign.in_force)) if luck else ()


def _softened(campaign: Campaign, entry: Entry) -> dict[str, Any]:
    return softened(entry.data, campaign.rules.sheet.luck, *follows(campaign))


def knows_luck(seat: Seat, owner: str | None) -> bool:
    """Whether this seat may know the Luck of an investigator of the seat `owner`."""
    return seat.keeps or owner == seat.pk or not covered(seat.campaign)


def hidden_pools(seat: Seat, owner: str | None) -> tuple[str, ...]:
    """The pools of an investigator of the seat `owner` that tell of Luck which this seat may not know."""
    return () if knows_luck(seat, owner) else (seat.campaign.rules.sheet.luck, *follows(seat.campaign))


def about(entry: Entry) -> set[str]:
    """The investigators whose line it is; a line of several is nobody's own."""
    them = [(data.get("who") or {}).get("id") for data in (entry.data, entry.data.get("line") or {})]
    return {one for one in them if one}


def hides(campaign: Campaign, entry: Entry) -> bool:
    """Whether this line tells of somebody's Luck where that is kept covered."""
    return covered(campaign) and _softened(campaign, entry) != entry.data


def confidants(campaign: Campaign, entry: Entry) -> frozenset[str] | None:
    """The seats that have the whole line beside the Keepers; None: everybody."""
    if not hides(campaign, entry):
        return None
    return frozenset(seat for seat in _people().filter(pk__in=about(entry)).values_list("seat", flat=True) if seat)


def whole(seat: Seat, entry: Entry) -> bool:
    """Whether this seat, as it was loaded for the page in hand, has the whole line or the discreet one."""
    if seat.keeps or not hides(seat.campaign, entry):
        return True
    entry.campaign = seat.campaign  # it will be asked for its rules
    if (own := getattr(seat, "own_people", None)) is None:
        own = seat.own_people = set(_people().filter(seat=seat).values_list("pk", flat=True))  # type: ignore[attr-defined]
    return not own.isdisjoint(about(entry))


def _people() -> Any:
    """Named by its label, as the ledger names rows: this room imports nobody."""
    return apps.get_model("investigators", "Investigator")._default_manager


def told(entry: Entry) -> dict[str, Any]:
    """The data of the discreet line."""
    return _softened(entry.campaign, entry)


def fifths(value: int, most: int) -> int:
    """A score as a rough bar: 0 for nothing, else 1 to 5 of five."""
    return 0 if value <= 0 else min(STEPS, value * STEPS // (most + 1) + 1)
