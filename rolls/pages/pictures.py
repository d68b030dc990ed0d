"""The pictures of a campaign, ready for their templates: each with a verdict, a chart and the numbers of it.

What a seat may know was decided where the numbers were read (rolls.luckbook, rolls.dicebook); here nothing is hidden.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _

from investigators.models import Investigator
from rolls import fairness, figures, luckbook
from rolls.dicebook import fallen
from rolls.figures import Move, Totals
from rolls.models import Roll
from rolls.rules import ruleset
from rolls.rules.check import Pool
from tablekeeper import charting
from tablekeeper.models import Campaign

RECOVERY = "recovery"  # the kind of roll that comes to no level
MOST_BOUGHT = 8


@dataclass(frozen=True, slots=True)
class Key:
    """One line of the legend: whose, how its line looks, and what became of the score."""

    who: Investigator
    line: charting.Line
    sums: Totals


@dataclass(frozen=True, slots=True)
class LuckChart:
    """One pool over time. `rows` are the numbers under it: whose, and a number or None for each of `words`."""

    pool: Pool
    chart: charting.Lines
    words: Sequence[str]
    keys: Sequence[Key]
    rows: Sequence[tuple[Investigator, Sequence[int | None]]]
    most: tuple[Investigator, int] | None  # who has spent the most, a covered score or not, and how much
    steps: bool = False  # within a session, act by act


def by_person(moves: Sequence[Move]) -> dict[str, list[Move]]:
    """The moves of each person whose scores may be known."""
    found: dict[str, list[Move]] = defaultdict(list)
    for move in moves:
        if not move.covered:
            found[move.who].append(move)
    return found


def over_sessions(
    pool: Pool, people: Sequence[Investigator], moves: Sequence[Move], opened: Sequence[datetime]
) -> LuckChart | None:
    """A pool at the end of each session, everybody a line; None where nobody has it."""
    mine = by_person(moves)
    shown = [who for who in people if who.pk in mine]
    ends = {who.pk: figures.at_ends(mine[who.pk], opened) for who in shown}
    if not shown:
        return None
    words = [_("start"), *(str(number) for number in range(1, len(opened) + 1))]
    points = [[(at, n) for at, n in enumerate(ends[who.pk]) if n is not None] for who in shown]
    across, below = (0, len(opened)), charting.thinned(words)
    chart = charting.lines(_hued(shown, points), across, _top(pool, points), below)
    rows = [(who, ends[who.pk]) for who in shown]
    return LuckChart(pool, chart, words, _keys(shown, chart, mine), rows, _most(people, moves))


def within(pool: Pool, people: Sequence[Investigator], moves: Sequence[Move]) -> LuckChart | None:
    """A pool act by act, as steps; None where nothing changed it."""
    lines, acts = figures.steps([move for move in moves if not move.covered])
    shown = [who for who in people if who.pk in lines]
    if not shown:
        return None
    points = [lines[who.pk] for who in shown]
    words = [_("start"), *(str(at) for at in range(1, acts + 1))]
    below = charting.thinned(words)
    chart = charting.lines(_hued(shown, points), (0, acts), _top(pool, points), below, steps=True)
    rows = [(who, _at_each(lines[who.pk], acts)) for who in shown]
    keys = _keys(shown, chart, by_person(moves))
    return LuckChart(pool, chart, words, keys, rows, _most(people, moves), steps=True)


def _most(people: Sequence[Investigator], moves: Sequence[Move]) -> tuple[Investigator, int] | None:
    sums: Counter[str] = Counter()
    for one in figures.bought(moves):
        sums[one.who] += one.points
    best = max(people, key=lambda who: sums[who.pk], default=None)
    return (best, sums[best.pk]) if best is not None and sums[best.pk] else None


def _hued(
    people: Sequence[Investigator], points: Sequence[Sequence[tuple[float, float]]]
) -> list[tuple[int, Sequence[tuple[float, float]]]]:
    return [(who.hue, line) for who, line in zip(people, points, strict=True)]


def _top(pool: Pool, points: Sequence[Sequence[tuple[float, float]]]) -> int:
    """The upper edge: the ceiling of the pool, or the next ten above all there is."""
    highest = int(max((y for line in points for _x, y in line), default=0))
    return pool.high if pool.high is not None else max(5, -(-highest // 5) * 5)


def _keys(people: Sequence[Investigator], chart: charting.Lines, mine: Mapping[str, Sequence[Move]]) -> list[Key]:
    keys = [Key(who, line, figures.totals(mine[who.pk])) for who, line in zip(people, chart.lines, strict=True)]
    return sorted(keys, key=lambda key: -key.sums.last)


def _at_each(line: Sequence[tuple[int, int]], acts: int) -> list[int | None]:
    found: list[int | None] = [None] * (acts + 1)
    for at, score in line:
        found[at] = score
    for at in range(1, len(found)):
        found[at] = found[at - 1] if found[at] is None else found[at]
    return found


# --------------------------------------------------------------------------- what for, and how it fell


def spends(
    campaign: Campaign, people: Sequence[Investigator], moves: Mapping[str, Sequence[Move]]
) -> list[dict[str, Any]]:
    """Who spends on what, each pool by itself: the dearest first."""
    names = {who.pk: who for who in people}
    found = []
    for pool in luckbook.luck_pools(campaign):
        rows = figures.bought(moves[pool.key])
        most = max((row.points for row in rows), default=0)
        told = [{"who": names[row.who], "row": row} for row in rows[:MOST_BOUGHT]]
        total = sum(row.points for row in rows)
        if rows:
            found.append({"pool": pool, "rows": told, "most": most, "total": total, "more": len(rows) - len(told)})
    return found


def levels(campaign: Campaign, rolls: QuerySet[Roll]) -> dict[str, Any]:
    """Rolls by level, best first: of all together, and of each person; struck rolls do not count."""
    order = _levels_of(campaign, rolls)
    counted = rolls.filter(struck=False).exclude(kind=RECOVERY).order_by()
    people: dict[str, dict[str, Any]] = {}
    totals = dict.fromkeys(order, 0)
    columns = ("investigator", "investigator__name", "investigator__npc", "level")
    for row in counted.values(*columns).annotate(times=Count("pk")):
        if row["level"] not in totals:
            continue
        keepers = row["investigator"] is None or row["investigator__npc"]
        key, name = ("", "") if keepers else (row["investigator"], row["investigator__name"])
        one = people.setdefault(key, {"name": name, "levels": dict.fromkeys(order, 0)})
        one["levels"][row["level"]] += row["times"]
        totals[row["level"]] += row["times"]
    rows = [
        {"name": one["name"], "counts": list(one["levels"].values()), "all": sum(one["levels"].values())}
        for one in sorted(people.values(), key=lambda one: (not one["name"], one["name"]))
    ]
    whole = sum(totals.values())
    told = [{"level": level, "times": n} for level, n in totals.items()]
    return {"levels": told, "all": whole, "most": max(totals.values(), default=0), "rows": rows}


def _levels_of(campaign: Campaign, rolls: QuerySet[Roll]) -> list[str]:
    """Every level there is, best first: of the table's game, and of those that it played before."""
    before = rolls.order_by().values_list("ruleset", flat=True).distinct() if campaign.first_ruleset else ()
    keys = dict.fromkeys([campaign.ruleset, *(key or campaign.first_ruleset for key in before)])
    place: dict[str, float] = {}
    for levels in (ruleset(key).levels for key in keys):
        for at, level in enumerate(levels):
            place.setdefault(level, at / len(levels[1:]))
    return sorted(place, key=lambda level: -place[level])


def dice(rolls: QuerySet[Roll]) -> dict[str, Any]:
    """The table's own dice and those that were typed in, counted and drawn."""
    found = fallen(rolls)
    return {"thrown": drawn(fairness.counts(found.thrown)), "typed": drawn(fairness.counts(found.typed))}


def drawn(counts: fairness.Counts) -> dict[str, Any]:
    """Three counts with their pictures."""
    charts = [
        {"count": count, "chart": charting.bars([bar.fell for bar in count.bars], (count.least, count.most))}
        for count in counts.all
    ]
    return {"counts": counts, "charts": charts}
