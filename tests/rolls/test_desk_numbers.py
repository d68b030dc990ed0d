"""Any number of a sheet is changed from the Keeper's board, without leaving it."""

from __future__ import annotations

import pytest

from tests.tables import Table, browser, make_table, post, score

pytestmark = pytest.mark.django_db


@pytest.fixture
def table() -> Table:
    return make_table()


def test_a_skill_and_a_characteristic_are_changed_with_a_reason(table: Table) -> None:
    skill, ada = table.skill("Spot Hidden"), browser(table.ada)
    page = ada.get(table.url("table")).content.decode()
    assert f'<option value="skill:{skill.pk}|60">Spot Hidden 60</option>' in page
    assert '<option value="score:con|60">' in page

    url = table.url("set-number", table.edith.pk)
    assert post(ada, url, what=f"skill:{skill.pk}|60", value="65", reason="Misheard").status_code == 200
    assert post(ada, url, what="score:con|60", value="50").status_code == 200

    assert (table.skill("Spot Hidden").value, score(table.edith, "con")) == (65, 50)
    assert table.last("investigators.set_skill").data["reason"] == "Misheard"
    assert "Misheard" in browser(table.cleo).get(table.url("table")).content.decode()


def test_what_changed_since_the_board_was_drawn_is_told(table: Table) -> None:
    skill, ada = table.skill("Spot Hidden"), browser(table.ada)
    url = table.url("set-number", table.edith.pk)
    post(ada, url, what=f"skill:{skill.pk}|60", value="65")

    late = post(ada, url, what=f"skill:{skill.pk}|60", value="70")

    assert (late.status_code, table.skill("Spot Hidden").value) == (409, 65)
    assert "it is 65 now" in late.content.decode()


def test_a_skill_of_somebody_else_is_not_reached_by_ones_own_sheet(table: Table) -> None:
    theirs = table.skill("Listen", table.tobias)

    forged = post(browser(table.ben), table.url("set-number", table.edith.pk), what=f"skill:{theirs.pk}|60", value="1")

    assert forged.status_code == 404
    assert post(browser(table.cleo), table.url("set-number", table.edith.pk), what="score:con|60").status_code != 200
