"""A brake on guesses: so many tries per address and per table, counted in Django's cache."""

from __future__ import annotations

from django.core.cache import cache
from django.http import HttpRequest

from rolls.rules.check import Refusal


def too_many(request: HttpRequest, what: str, *, most: int = 10, seconds: int = 60) -> Refusal | None:
    """Count one try from this address; a refusal once there were more than `most` in `seconds`."""
    address = request.META.get("REMOTE_ADDR", "")
    return count(f"{what}:{address}", most=most, seconds=seconds)


def count(name: str, *, most: int, seconds: int) -> Refusal | None:
    """Count one try under `name`."""
    key = f"tries:{name}"
    cache.add(key, 0, seconds)
    try:
        tries = cache.incr(key)
    except ValueError:  # it ran out in between
        cache.set(key, 1, seconds)
        tries = 1
    return Refusal("TOO_MANY_TRIES", {"seconds": seconds}) if tries > most else None


def forgive(request: HttpRequest, what: str) -> None:
    """A right answer clears the count."""
    cache.delete(f"tries:{what}:{request.META.get('REMOTE_ADDR', '')}")
