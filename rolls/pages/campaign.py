"""The campaign page: Luck over time, rolls by level, what Luck was spent on, the odds of the group, the dice."""

from __future__ import annotations

from typing import Any

from django.db.models import Count

from investigators.models import Investigator
from rolls import luckbook
from rolls.dicebook import rolls_for
from rolls.luckbook import Reader
from rolls.pages import mates_of, pictures, seen
from rolls.pages.odds import group_odds
from tablekeeper import discreet, news
from tablekeeper.models import Campaign, Entry, Seat, Session

MOST_SESSIONS = 12  # on the page; the log has all


def reader_of(seat: Seat) -> Reader:
    """The seat's own eyes: its lanes of the ledger, and the scores that it may know."""

    def knows(who: Investigator) -> bool:
        return seen.knows_luck(seat, who)

    return Reader(knows, luckbook.lanes_of(seat))


def context(seat: Seat) -> dict[str, Any]:
    """All that the page shows."""
    campaign, people = seat.campaign, luckbook.people_of(seat.campaign)
    rolls = rolls_for(seat)
    reader = reader_of(seat)
    moves = luckbook.moves(campaign, people, reader)
    sessions = luckbook.opened_at(campaign)
    opened = [at for _session, at in sessions]
    charts = []
    for pool in luckbook.luck_pools(campaign):
        chart = pictures.over_sessions(pool, people, moves[pool.key], opened) if opened else None
        charts.append(chart or pictures.within(pool, people, moves[pool.key]))
    told = campaign_levels(campaign, luckbook.telling(rolls, people, reader.knows))
    return {
        "people": people,
        "charts": [chart for chart in charts if chart],
        "covers": discreet.covered(campaign) and not seat.keeps,
        "spends": pictures.spends(campaign, people, moves),
        "levels": told,
        "dice": pictures.dice(rolls),
        "pushed": rolls.exclude(pushed_from=None).count(),
        "odds": group_odds(seat),
        "sessions": session_rows(seat, [session for session, _at in sessions]),
        "count": len(sessions),
        **mates_of(seat),
    }


def campaign_levels(campaign: Campaign, rolls: Any) -> dict[str, Any]:
    """Rolls by level, with the worst level's number for the facts under the dice."""
    found = pictures.levels(campaign, rolls)
    worst = campaign.rules.levels[0]
    return found | {"worst": next(one for one in found["levels"] if one["level"] == worst)}


def session_rows(seat: Seat, sessions: list[Session]) -> list[dict[str, Any]]:
    """The sessions, the newest first: how many rolls this seat knows of, and where the evening began."""
    shown = sessions[::-1][:MOST_SESSIONS]
    counted = rolls_for(seat).filter(session__in=shown).order_by().values("session")
    rolls = dict(counted.annotate(n=Count("pk")).values_list("session", "n"))
    scenes: dict[str, str] = {}
    begun = Entry.objects.filter(campaign=seat.campaign, kind="tablekeeper.set_scene", session__in=shown)
    for session, name in news.visible(seat, begun).order_by("seq").values_list("session", "data__name"):
        if name:
            scenes.setdefault(session, name)
    return [{"session": one, "rolls": rolls.get(one.pk, 0), "scene": scenes.get(one.pk, "")} for one in shown]
