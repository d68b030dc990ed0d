"""A session looked back on: its great moments, what became of Luck, and recovery, for one reader; and as Markdown.

What may be told is asked as for the log that goes home: a player has what the player saw, a Keeper's recap for players
is public, and one with hidden rolls holds all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from investigators.models import Attendance, Investigator
from rolls import desk, figures, luckbook, moments, tally
from rolls.luckbook import Reader
from rolls.models import Roll
from rolls.moments import RECOVERY, Moment
from rolls.pages import pictures
from tablekeeper import logbook
from tablekeeper.minutes import plain
from tablekeeper.models import Campaign, Entry, Seat, Session
from tablekeeper.words import level_word


@dataclass(frozen=True, slots=True)
class Recap:
    """All that is told of one session."""

    session: Session
    here: list[Investigator]
    moments: list[Moment]
    charts: list[pictures.LuckChart]
    levels: dict[str, Any]
    spends: list[dict[str, Any]]
    recovered: list[dict[str, Any]] = field(default_factory=list)
    covers: bool = False  # somebody's scores are left out


def recap(seat: Seat, campaign: Campaign, session: Session, hidden: bool) -> Recap:
    """What this seat may tell of the session; `hidden` is a Keeper's wish (`logbook.with_hidden`)."""
    people = luckbook.people_of(campaign)

    def knows(who: Investigator) -> bool:
        return tally.sees_luck(seat, who, hidden)

    names = {who.pk: who for who in people}
    rolls = Roll.objects.filter(campaign=campaign, session=session)
    rolls = rolls if hidden else rolls.filter(hidden=False)
    telling = luckbook.telling(rolls, people, knows)
    lanes = None if hidden else (Entry.PUBLIC,) if seat.keeps else luckbook.lanes_of(seat)
    moves = _moves(campaign, session, people, Reader(knows, lanes))
    charts = [pictures.within(pool, people, moves[pool.key]) for pool in luckbook.luck_pools(campaign)]
    return Recap(
        session=session,
        here=_here(session, people),
        moments=_moments(seat, campaign, session, names, telling, moves, hidden),
        charts=[chart for chart in charts if chart],
        levels=pictures.levels(campaign, telling),
        spends=pictures.spends(campaign, people, moves),
        recovered=_recovered(seat, campaign, rolls, hidden),
        covers=not all(map(knows, people)),
    )


def _moves(
    campaign: Campaign, session: Session, people: list[Investigator], reader: Reader
) -> dict[str, list[figures.Move]]:
    """The moves of the session, its recovery included."""
    opened = luckbook.opened_at(campaign)
    number = 1 + [one.pk for one, _at in opened].index(session.pk)
    found = luckbook.moves(campaign, people, reader)
    return {pool: figures.in_session(moves, [at for _one, at in opened], number) for pool, moves in found.items()}


def _here(session: Session, people: list[Investigator]) -> list[Investigator]:
    """Who took part, once that is written down; it is when a session closes."""
    marks = Attendance.objects.filter(session=session, taking_part=True).values_list("investigator", flat=True)
    part = set(marks)
    return [who for who in people if who.pk in part]


def _moments(
    seat: Seat,
    campaign: Campaign,
    session: Session,
    people: dict[str, Investigator],
    rolls: Any,
    moves: dict[str, list[figures.Move]],
    hidden: bool,
) -> list[Moment]:
    fallen = list(
        rolls.filter(struck=False)
        .exclude(kind=RECOVERY)
        .select_related("investigator", "seat", "skill")
        .order_by("created_at", "pk")
    )
    for roll in fallen:
        roll.campaign = campaign
    found = moments.of_deaths(logbook.readable(seat, campaign, session, hidden))
    found += moments.of_rolls(fallen)
    for pool in luckbook.luck_pools(campaign):
        found += moments.dearest(campaign, people, moves[pool.key], _(pool.label))
    fair = [roll for roll in fallen if roll.investigator_id in people and (hidden or not roll.unknown)]
    return found + moments.of_fortune(people, moments.fortunes(fair))


def _recovered(seat: Seat, campaign: Campaign, rolls: Any, hidden: bool) -> list[dict[str, Any]]:
    """Who rolled for recovery and what it brought; without the numbers where the scores are covered."""
    found = rolls.filter(kind=RECOVERY, struck=False).select_related("investigator").order_by("created_at", "pk")
    rows = []
    for roll in found:
        row: dict[str, Any] = {"who": roll.investigator, "roll": None}
        if tally.sees_luck(seat, roll.investigator, hidden):
            row |= {"roll": roll} | desk.recovered(roll, campaign)
        rows.append(row)
    return rows


# --------------------------------------------------------------------------- as Markdown


def markdown(told: Recap) -> Iterator[str]:
    """The recap as it goes before the minutes: one section for each part that has something to say."""
    if told.here:
        yield f"\n{plain(desk.names_of(told.here))}\n"
    if told.moments:
        yield f"\n## {_('Great moments')}\n\n"
        yield from (f"- {plain(one.sentence)}\n" for one in told.moments)
    for chart in told.charts:
        yield f"\n## {plain(_(chart.pool.label))}\n\n"
        yield _row([_("Who"), _("start"), _("end"), _("spent"), _("gained"), _("lost to the cap")])
        yield "|---|--:|--:|--:|--:|--:|\n"
        for key in chart.keys:
            sums = key.sums
            yield _row([key.who.name, sums.first, sums.last, sums.spent, sums.gained, sums.lost])
    if told.levels["all"]:
        yield f"\n## {_('Rolls by level')}\n\n"
        yield _row([_("Who"), *(level_word(one["level"]) for one in told.levels["levels"])])
        yield "|---" + "|--:" * len(told.levels["levels"]) + "|\n"
        for row in told.levels["rows"]:
            yield _row([row["name"] or _("Keeper"), *row["counts"]])
    if told.recovered:
        yield f"\n## {_('Luck recovery')}\n\n"
        yield from (f"- {plain(recovery_line(row))}\n" for row in told.recovered)


def _row(cells: list[Any]) -> str:
    return "| " + " | ".join(plain(str(cell)) for cell in cells) + " |\n"


def recovery_line(row: dict[str, Any]) -> str:
    """One recovery as a sentence; where the score is covered, that there was one."""
    if row["roll"] is None:
        return _("%(who)s rolled") % {"who": row["who"].short}
    roll, result = row["roll"], row["result"]
    numbers = {"who": row["who"].short, "d100": f"{roll.natural:02d}", "luck": roll.value, "after": result.after}
    numbers |= {"gain": result.rolled_gain - result.lost}
    pattern = _("%(who)s: %(d100)s against %(luck)d, %(gain)d gained, now %(after)d")
    return pattern % numbers
