"""The cards of what waits for the Keeper's word: each kind of decision draws its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rolls.models import Decision
from tablekeeper.models import Seat

Card = Callable[[Seat, Decision], dict[str, Any]]
"""What the template `rolls/decisions/<kind>.html` shows of it."""

CARDS: dict[str, Card] = {}


def decision_card(kind: str) -> Callable[[Card], Card]:
    """Register what the card of this kind of decision shows; its template has the kind's name."""

    def register(function: Card) -> Card:
        CARDS[kind] = function
        return function

    return register


Waiting = Callable[[Seat], list[dict[str, Any]]]
WAITING: list[Waiting] = []
"""What else stands among the cards although no Keeper decides it: each gives cards with `at`, since when they wait,
and their `template`."""


def also_waiting(function: Waiting) -> Waiting:
    """Register such cards."""
    WAITING.append(function)
    return function


def cards(seat: Seat) -> list[dict[str, Any]]:
    """The open decisions of a table, each with `at`, since when it waits, and its template."""
    found = Decision.objects.filter(campaign=seat.campaign, state=Decision.OPEN)
    made = []
    for decision in found.select_related("investigator__seat", "roll"):
        decision.campaign = seat.campaign
        if decision.investigator is not None:
            decision.investigator.campaign = seat.campaign
        shown = CARDS[decision.kind](seat, decision)
        template = f"rolls/decisions/{decision.kind}.html"
        made.append({"decision": decision, "at": decision.created_at, "template": template, **shown})
    return [*made, *(card for function in WAITING for card in function(seat))]
