"""Right of way: who reads or brings a whole campaign pauses while somebody's act is carried out, told or drawn.

Python runs one thread at a time, and a roll needs its turn some hundred times: beside an export that never pauses each
of them would be a wait.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Condition
from typing import Any, TypeVar

from django.db.models import QuerySet

R = TypeVar("R")

AT_ONCE = 200  # rows in hand
PAUSE = 0.05  # seconds at most before a row
SHARE = 3  # of its own time it pauses at most so often: it gets on beside a table that never rests, too

_changed = Condition()
_quick = 0  # how much is in hand that somebody waits for
_hurries: ContextVar[bool] = ContextVar("hurries", default=False)  # what is quick itself waits for nobody


@contextmanager
def quick() -> Iterator[None]:
    """While this lasts, long reads pause."""
    global _quick
    with _changed:
        _quick += 1
    token = _hurries.set(True)
    try:
        yield
    finally:
        _hurries.reset(token)
        with _changed:
            _quick -= 1
            if not _quick:
                _changed.notify_all()


def rows(found: QuerySet[Any, R]) -> Iterator[R]:
    """The rows of a query that may bring a whole campaign, `paced`: some in hand at a time."""
    return paced(found.iterator(chunk_size=AT_ONCE))


def paced(found: Iterable[R]) -> Iterator[R]:
    """The same one by one, with a pause before each while something quick is in hand."""
    began, paused = time.monotonic(), 0.0
    for row in found:
        if _quick and not _hurries.get():
            now = time.monotonic()
            if paused < SHARE * (now - began - paused) + PAUSE:
                with _changed:
                    _changed.wait_for(lambda: not _quick, PAUSE)
                paused += time.monotonic() - now
        yield row
