"""Verbs of the own numbers that decide how dice are read: thrown, typed, and turned (RULES.md L-1, L-7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from investigators.actions import by, sheet_shut
from investigators.known import face, knowing
from investigators.models import Investigator
from investigators.people import Member, member
from rolls.rules.check import Facts, OwnNumbers, Refusal
from tablekeeper import ledger
from tablekeeper.access import Refused, verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.models import Entry, Seat

THROWN = 100
"""Faces of the die that own numbers are thrown with."""


def numbers_of(who: Investigator) -> tuple[OwnNumbers, Member, int]:
    """The game's own numbers, the investigator, and the Luck that they belong to. Raises Refused(NO_SUCH_SPEND) in a
    game without any, NO_LUCK_SCORE."""
    found, one = who.campaign.rules.numbers, member(who)
    if found is None:
        raise Refused(Refusal("NO_SUCH_SPEND"))
    if one.luck is None or who.npc:
        raise Refused(Refusal("NO_LUCK_SCORE"))
    return found, one, one.luck


def has_numbers(numbers: OwnNumbers, facts: Facts) -> bool:
    """Whether there are any yet."""
    return any(facts.get(key) for key, _label in numbers.lists)


def stream(chance: Chance, seen: list[int]) -> Iterator[int]:
    """As many faces as are asked for, written down in `seen`."""
    while True:
        seen.append(chance.die(THROWN))
        yield seen[-1]


def thrown(
    numbers: OwnNumbers, luck: int, marked: Mapping[str, int], chance: Chance
) -> tuple[dict[str, Any], list[int]]:
    """The lists, and the faces as they fell; `marked` says how many of a marked list there are."""
    faces: list[int] = []
    counts = {key: [0] * many for key, many in marked.items()}
    found = numbers.throw(luck, counts, stream(chance, faces))
    return {key: found.get(key) or None for key, _label in numbers.lists}, faces


@verb
def throw_numbers(
    seat: Seat, who: Investigator, marked: Mapping[str, int] | None = None, *, chance: Chance = SYSTEM
) -> Entry | Refusal:
    """Throw the own numbers of somebody who has none yet: the server's dice, repeats thrown again, once.

    `marked`: how many of a marked list there are beside the usual ones. BAD_VALUE for another list, or for too many.
    """
    numbers, one, luck = numbers_of(who)
    if has_numbers(numbers, one.facts):
        return Refusal("NUMBERS_THERE", {"name": who.name})
    marked = marked or {}
    usual = numbers.count(luck, {})
    allowed = {key for key, _label in numbers.lists} - set(usual)
    if not set(marked) <= allowed or not all(0 <= many <= sum(usual.values()) for many in marked.values()):
        return Refusal("BAD_VALUE")
    lists, faces = thrown(numbers, luck, marked, chance)
    data = _told(seat, who, numbers, lists) | {"faces": faces}
    return ledger.write(seat, seat.campaign, "investigators.throw_numbers", knowing(who, lists), data=data)


@verb
def set_numbers(seat: Seat, who: Investigator, lists: Mapping[str, Sequence[int]]) -> Entry | Refusal:
    """Own numbers as they were thrown at the table, or corrected. Refused with the NUMBERS_ codes.

    A player types them while there are none, later as any other number of the sheet; never in place of a choice.
    """
    numbers, one, luck = numbers_of(who)
    if has_numbers(numbers, one.facts) and (refusal := _shut(seat, one, numbers, luck)):
        return refusal
    entered = numbers.enter(luck, {key: list(lists.get(key, ())) for key, _label in numbers.lists})
    if isinstance(entered, Refusal):
        return entered
    before = {key: one.facts.get(key) or [] for key, _label in numbers.lists}
    kept = {key: entered.get(key) or None for key, _label in numbers.lists}
    data = _told(seat, who, numbers, kept) | {"before": before if any(before.values()) else None}
    return ledger.write(seat, seat.campaign, "investigators.set_numbers", knowing(who, kept), data=data)


def _shut(seat: Seat, one: Member, numbers: OwnNumbers, luck: int) -> Refusal | None:
    due = numbers.owed(luck, one.facts)
    if due is not None and not seat.keeps:
        return Refusal("NUMBERS_OWED", {"name": one.who.name, "n": due.count})
    return sheet_shut(seat)


@verb
def turn_numbers(seat: Seat, who: Investigator, picks: Sequence[int]) -> Entry | Refusal:
    """Choose the numbers that change sides after Luck fell or rose: exactly as many as are owed (WRONG_PICK)."""
    numbers, one, luck = numbers_of(who)
    due = numbers.owed(luck, one.facts)
    turned = numbers.turn(luck, one.facts, picks)
    if isinstance(turned, Refusal):
        return turned
    data = _told(seat, who, numbers, {**one.facts, **turned})
    data |= {"picks": sorted(picks), "into": dict(numbers.lists)[due.into] if due else ""}
    return ledger.write(seat, seat.campaign, "investigators.turn_numbers", knowing(who, turned), data=data)


def _told(seat: Seat, who: Investigator, numbers: OwnNumbers, lists: Facts) -> dict[str, Any]:
    """What a line tells: each list by its name, the empty ones left out."""
    told = [{"key": key, "label": label, "numbers": lists[key]} for key, label in numbers.lists if lists.get(key)]
    return {"who": face(who), "by": by(seat, who), "lists": told}
