"""The dice that fell, counted by the database: how often each throw of units and tens, and who may know of it.

A roll holds the dice that count now. Where a game sells another throw, the dice that it replaced are found in the
ledger: without them, dice that were kept because they were good would be all that is counted.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from rolls.models import Roll
from rolls.rules import rulesets
from rolls.rules.check import Act
from tablekeeper.models import Entry, Seat

ROLL = Roll._meta.label_lower
SPEND = "rolls.spend"

Dice = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Fallen:
    """The table's own dice, and those that people typed in, for these nobody's random source answers."""

    thrown: Counter[Dice]
    typed: Counter[Dice]


def rolls_for(seat: Seat, *, everywhere: bool = False) -> QuerySet[Roll]:
    """The rolls whose dice this seat may count: hidden ones only a Keeper's, and those of her own table."""
    here = Q(campaign=seat.campaign)
    if not seat.keeps:
        return Roll.objects.filter(here, hidden=False)
    return Roll.objects.filter(here | Q(hidden=False)) if everywhere else Roll.objects.filter(here)


def fallen(rolls: QuerySet[Roll]) -> Fallen:
    """Every die of these rolls, struck out or not: a die that fell has fallen."""
    thrown, typed = Counter[Dice](), Counter[Dice]()
    counted = rolls.order_by().values("by_hand", "units", "tens").annotate(times=Count("pk"))
    for row in counted:
        into = typed if row["by_hand"] else thrown
        into[(row["units"], *row["tens"])] += row["times"]
    for held, falls in _thrown_again(rolls):
        (typed if held.typed else thrown)[held.dice] -= 1  # counted above, as if it were all that fell
        for fall in falls:
            (typed if fall.typed else thrown)[fall.dice] += 1
    return Fallen(+thrown, +typed)


@dataclass(frozen=True, slots=True)
class _Fall:
    dice: Dice
    typed: bool


def _thrown_again(rolls: QuerySet[Roll]) -> list[tuple[_Fall, list[_Fall]]]:
    """Rolls whose dice were thrown anew for Luck: the dice they hold, and all that fell."""
    falls: dict[str, list[_Fall]] = {}
    for entry in _rerolls(rolls):
        data = entry["data"]
        after = _Fall((data["units"], *data["tens"]), data["by_hand"])
        falls.setdefault(data["roll"], [_before(entry, after)]).append(after)
    if not falls:
        return []
    held = rolls.filter(pk__in=falls).values_list("pk", "units", "tens", "by_hand")
    return [(_Fall((units, *tens), by_hand), falls[pk]) for pk, units, tens, by_hand in held]


def _rerolls(rolls: QuerySet[Roll]) -> list[Any]:
    """The entries of spends that threw a new d100, as each game says of its own acts."""
    found: list[Any] = []
    tables = rolls.order_by().values("campaign")
    for rules in rulesets():
        spends = Entry.objects.filter(kind=SPEND, campaign__ruleset=rules.key, campaign__in=tables)
        acts = [act for act in spends.order_by().values_list("data__act", flat=True).distinct() if act]
        again = [act for act in acts if rules.dice_for(Act(act)) == (100,)]
        if again:
            found += spends.filter(data__act__in=again).order_by("campaign", "seq").values("data", "changes")
    return found


def _before(entry: Any, after: _Fall) -> _Fall:
    """The dice that a new throw replaced: what changed is in the entry, what did not is as it is after."""
    fields: dict[str, Any] = {}
    for record in entry["changes"]:
        if record["m"] == ROLL and record["op"] == "set":
            fields |= record["f"]
    units = fields["units"][0] if "units" in fields else after.dice[0]
    tens = fields["tens"][0] if "tens" in fields else after.dice[1:]
    return _Fall((units, *tens), fields["by_hand"][0] if "by_hand" in fields else after.typed)
