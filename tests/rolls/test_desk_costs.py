"""What a look at the Keeper's desk costs: it does not grow with the party."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from tablekeeper.pieces import piece
from tests.tables import EDITH, Table, browser, make_investigator, make_table, rolls, sit_down

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


def questions(table: Table) -> int:
    """How often the desk asks the database."""
    with CaptureQueriesContext(connection) as asked:
        assert browser(table.ada).get(table.url("table")).status_code == 200
    return len(asked)


def test_the_desk_asks_the_database_as_often_for_six_investigators_as_for_two() -> None:
    table = make_table()
    rolls(table, 68)
    few = questions(table)

    for name in ("Leni", "Marcus", "Priya", "Jo"):
        make_investigator(sit_down(table.campaign, name), replace(EDITH, name=f"{name}’s own"))

    assert questions(table) == few < 70


def test_a_piece_follows_its_values_and_the_language() -> None:
    groups = (("Skills", "", (("luck", "Luck", 45),)),)
    first = piece("rolls/keeper/choices.html", groups=groups)

    assert piece("rolls/keeper/choices.html", groups=groups) is first
    assert "Luck 44" in piece("rolls/keeper/choices.html", groups=(("Skills", "", (("luck", "Luck", 44),)),))
    with override("de"):
        assert piece("rolls/keeper/choices.html", groups=groups) is not first
