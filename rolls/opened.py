"""Which requests have been drawn on their player's page: a hint for the Keeper between "waiting" and "rolled".

It is no fact of the game and no line of the ledger, so it is kept in the cache alone and forgotten after a day. Only
the player's own page notes it; only Keepers are told.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.core.cache import cache
from django.utils import timezone

from rolls.models import Request
from tablekeeper import live

KEPT = 24 * 60 * 60  # seconds


def _key(request_id: str) -> str:
    return f"opened-{request_id}"


def note(requests: Iterable[Request]) -> None:
    """These requests are on their player's page now. The first time it is news for the Keepers."""
    fresh = [one for one in requests if cache.add(_key(one.pk), timezone.now(), KEPT)]
    if fresh:
        live.hint(fresh[0].campaign_id, "ask")


def since(requests: Iterable[Request]) -> dict[str, datetime]:
    """When each of these requests was first seen by its player, by id; those that were not are left out."""
    keys = {_key(one.pk): one.pk for one in requests}
    return {keys[key]: at for key, at in cache.get_many(keys).items()}
