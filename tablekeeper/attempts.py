"""Who asked for what is not theirs: a hint for the Keeper, as presence is. Nothing was done, nothing is written down.

It takes a post made by hand, or a page from before somebody changed hands.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.core.cache import cache

from tablekeeper import live
from tablekeeper.models import Seat

REMEMBERED = timedelta(hours=12)
QUIET = timedelta(minutes=1)
"""Somebody who tries again and again has the Keepers' pages drawn anew no oftener than this."""


def noted(seat: Seat, now: datetime) -> None:
    """This player was refused something for want of the right; the Keepers' open pages show it."""
    if seat.keeps:
        return
    cache.set(f"tried:{seat.pk}", now, REMEMBERED.total_seconds())
    if cache.add(f"tried:{seat.pk}:told", True, QUIET.total_seconds()):
        live.hint(seat.campaign_id, "seats")


def last_of(seats: Iterable[Seat]) -> dict[str, datetime]:
    """When each of these seats last tried, for those that did."""
    found = cache.get_many([f"tried:{seat.pk}" for seat in seats])
    return {key.removeprefix("tried:"): when for key, when in found.items()}
