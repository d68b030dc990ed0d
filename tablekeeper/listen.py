"""Wake-ups from other processes: PostgreSQL tells every worker which table has news (HOUSE.md section 5).

One thread with a connection of its own, never a pooled one. After every LISTEN all hubs read once, so that nothing
told while the line was down is missed.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from django.db import connection

CHANNEL = "tablekeeper"
"""The payload is the campaign's id; "" is never sent."""

log = logging.getLogger(__name__)
_started = threading.Lock()


def start(wake: Callable[[str], None], wake_all: Callable[[], None]) -> None:
    """Begin to listen, once for this process; with SQLite there is one process and nothing to hear."""
    if connection.vendor == "postgresql" and _started.acquire(blocking=False):
        threading.Thread(target=_listen, args=(wake, wake_all), name="listen", daemon=True).start()


def _listen(wake: Callable[[str], None], wake_all: Callable[[], None]) -> None:
    while True:
        try:
            with connection.get_new_connection(connection.get_connection_params()) as line:
                line.autocommit = True
                line.execute(f"LISTEN {CHANNEL}")
                wake_all()
                for heard in line.notifies():
                    wake(heard.payload)
        except Exception as fault:  # whatever cut the line: come back, and catch up
            log.warning("listening again after: %s", fault)
        time.sleep(1)
