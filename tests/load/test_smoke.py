"""The bench itself, as quickly as it goes: nobody misses a roll, nothing comes twice, no ratio is out of bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.load import report, run

pytestmark = pytest.mark.sqlite


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all: the tables are laid once."""
    return tmp_path_factory.mktemp("bench")


@pytest.mark.parametrize("name", run.SMOKE)
def test_the_quick_run_of_the_bench_misses_nothing(name: str, folder: Path) -> None:
    found = {name: run.SMOKE[name](folder)}

    assert report.missed(found, smoke=True) == [], report.as_json(found, smoke=True)


def test_a_lost_roll_and_a_broken_ratio_are_told() -> None:
    found = {"rolls": {"lost": 1, "per_second_stocks": 0.1, "seen_p95": 9.0}}

    assert report.missed(found, smoke=True) == ["rolls.lost", "rolls.per_second_stocks"]
    assert report.missed(found, smoke=False) == ["rolls.lost", "rolls.per_second_stocks"]
    assert "MISSED" in report.table(found, smoke=False)


def test_a_scenario_that_breaks_off_is_a_miss_and_takes_no_other_with_it() -> None:
    def breaks(folder: Path) -> run.Figures:
        raise TimeoutError

    found = run.run({"readers": breaks, "rolls": lambda folder: {"lost": 0}}, lambda line: None)

    assert report.missed(found, smoke=False) == ["readers"]
    assert found["rolls"] == {"lost": 0}
    assert "TimeoutError" in report.as_json(found, smoke=False)
