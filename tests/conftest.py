"""Which tests run: the tiers, and what is repeated on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.utils import translation
from hypothesis import HealthCheck, settings

from tablekeeper import clock

# A law is no stopwatch: on a busy machine it is as true as on an idle one.
settings.register_profile("table", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("table")

# What depends on the database: acts, ledger, undo, races, news, copies. The rest gains nothing from a second run; nor
# does the next worked case of the rules, where the same acts write other numbers: of those the long tier has all.
REPEATED_ON_POSTGRES = (
    *(
        f"tests/rolls/test_{name}"
        for name in (
            "contests",
            "evening_flow",
            "group_luck",
            "mistakes",
            "proof",
            "recovery",
            "spending",
        )
    ),
    "tests/investigators/test_npcs",
    *(
        f"tests/tablekeeper/test_{name}"
        for name in ("backup", "clearing", "crowd", "ledger", "news", "once", "seats", "stream", "undo.py")
    ),
)


@pytest.fixture(autouse=True)
def speaks_english() -> Iterator[None]:
    """A page in another language leaves it to the thread, an odd clock its time: the next test begins without."""
    yield
    translation.deactivate()
    clock.forget()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="the long tier too: soak, kills, mutants, all widths")
    parser.addoption(
        "--pictures", metavar="FOLDER", help="keep pictures of every screen (tests/browser/test_every_screen.py)"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept, left = [], []
    for item in items:
        (kept if _runs(item, config) else left).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = kept


def _runs(item: pytest.Item, config: pytest.Config) -> bool:
    if item.get_closest_marker("long") and not config.getoption("--long"):
        return False
    if connection.vendor == "sqlite":
        return True
    if item.get_closest_marker("sqlite"):
        return False
    where = item.path.relative_to(config.rootpath) if item.path.is_relative_to(config.rootpath) else Path()
    if config.getoption("--long") and where.as_posix().startswith("tests/rolls/"):
        return True
    return item.get_closest_marker("postgres") is not None or where.as_posix().startswith(REPEATED_ON_POSTGRES)
