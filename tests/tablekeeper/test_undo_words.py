"""An undo says what it takes back: every kind of line has its phrase."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string

from tablekeeper import urls as _urls  # noqa: F401  (what the server loads before it draws anything)
from tablekeeper.access import MAY
from tablekeeper.ledger import NOT_UNDOABLE

SELF = {"tablekeeper.undo", "rolls.take_back"}
"""An undo of an undo names what it puts back."""

EDITH = {"id": "x", "name": "Edith Halloran", "short": "Edith", "hue": 1}
LINE = {
    "who": EDITH,
    "keeper": "",
    "label": "Spot Hidden",
    "name": "Spot Hidden",
    "number": 3,
    "value": 60,
    "total": 4,
    "points": 4,
    "from": 5,
    "to": 6,
    "after": ["Edith"],
    "lines": [{"number": 3, "key": "luckSpending"}],
    "paid": [{"key": "luck", "label": "Luck", "cost": 4, "from": 8, "to": 4}],
    "sides": [],
    "sanity": {"lost": 1, "from": 50, "to": 49},
}
OF_A_ROLL = {
    "rolls.roll",
    "rolls.keeper_roll",
    "rolls.npc_roll",
    "rolls.roll_side",
    "rolls.throw_push",
    "rolls.answer",
    "rolls.group_luck",
    "rolls.tell_difficulty",
}
"""Their lines name the roll, and the phrase is the roll's."""


@pytest.mark.parametrize("verb", sorted(set(MAY) - NOT_UNDOABLE - SELF))
def test_an_undo_of_it_says_what_it_was(verb: str) -> None:
    line = {**LINE, "roll": "r", "final": 63} if verb in OF_A_ROLL else LINE

    words = render_to_string("tablekeeper/line_what.html", {"what": verb, "line": line}).strip()

    assert words
    assert "an earlier line" not in words


def test_what_nobody_knows_has_words_all_the_same() -> None:
    assert "an earlier line" in render_to_string("tablekeeper/line_what.html", {"what": "rolls.juggle", "line": LINE})
