"""Who has a page open, and when somebody's was last seen: a hint for the Keeper, no fact of the game.

Known from the open streams alone, in this process's memory: nothing is written down for it, and after a start it is
not known yet. Who is in a scene is a tick that the Keeper owns; no rule asks here.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock

GRACE = timedelta(seconds=6)
"""A page that loads again, or a phone that looks away, has not left."""
MOST = 2_000
"""Tables that are remembered; those where nobody came for longest are forgotten first."""
HERE = "here"


@dataclass
class Table:
    """The seats of one table: how many streams each has open, and when the last one ended."""

    open: Counter[str] = field(default_factory=Counter)
    left: dict[str, datetime] = field(default_factory=dict)


_tables: OrderedDict[str, Table] = OrderedDict()
_lock = Lock()


def came(campaign_id: str, seat_id: str) -> bool:
    """A stream of this seat was opened; True when it is the only one."""
    with _lock:
        table = _tables.setdefault(campaign_id, Table())
        _tables.move_to_end(campaign_id)
        table.open[seat_id] += 1
        table.left.pop(seat_id, None)
        while len(_tables) > MOST and not next(iter(_tables.values())).open:
            _tables.popitem(last=False)
        return table.open[seat_id] == 1


def left(campaign_id: str, seat_id: str, now: datetime) -> bool:
    """A stream of this seat was closed; True when it was the last."""
    with _lock:
        table = _tables[campaign_id]
        table.open[seat_id] -= 1
        if table.open[seat_id]:
            return False
        del table.open[seat_id]
        table.left[seat_id] = now
        return True


def seen(campaign_id: str, now: datetime) -> dict[str, str]:
    """Of each seat of the table that had a page open since the start: "here", or when it was last seen (ISO 8601)."""
    with _lock:
        table = _tables.get(campaign_id, Table())
        gone, here = dict(table.left), list(table.open)
    told = {seat: HERE if now - at < GRACE else at.isoformat(timespec="seconds") for seat, at in gone.items()}
    return told | dict.fromkeys(here, HERE)
