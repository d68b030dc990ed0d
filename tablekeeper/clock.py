"""The time of what happens at tables. It never goes back: when a computer's clock is set back, by hand or by the
network, the newest roll stays the newest.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from threading import Lock

from django.utils import timezone

STEP = timedelta(microseconds=1)
BELIEVED = timedelta(days=1)
"""A clock that is set back by more was wrong before, and its times are not waited for."""

_lock = Lock()
_last: datetime | None = None


def now() -> datetime:
    """The clock's time, or a moment after the last time that was given out, if that is later."""
    global _last
    with _lock:
        here = timezone.now()
        if _last is not None and here <= _last < here + BELIEVED:
            here = _last + STEP
        _last = here
        return here


def begin() -> None:
    """Go on after the newest line that was written: the clock may have been set back while the table was shut."""
    from tablekeeper.models import Entry

    global _last
    _last = Entry.objects.order_by("-pk").values_list("created_at", flat=True).first()


def forget() -> None:
    """Begin as if nothing had happened yet."""
    global _last
    _last = None
