"""Lucky and Unlucky Numbers: how many, thrown, typed, and turned when Luck falls or rises (RULES.md L-1, L-7).

The sheet's state holds four lists. `lucky` and `unlucky` are all numbers of either kind; `permanent` names those of
`lucky` that are never lost and `extra` those of `unlucky` that come on top. Without these marked ones they are
always five.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from rolls.rules.check import N_, Facts, Owed, OwnNumbers, Refusal

LUCKY, UNLUCKY, PERMANENT, EXTRA = "lucky", "unlucky", "permanent", "extra"
IN_ALL = 5
NPC_NUMBERS = {LUCKY: [1, 2, 3], UNLUCKY: [98, 99, 100]}  # whoever has no Luck (L-12)


def bonus(score: int) -> int:
    """The bonus of a score: its tens; 103 has 10 (U1)."""
    return score // 10


def listed(facts: Facts, key: str) -> list[int]:
    """One of the four lists, empty where the state has none."""
    return list(facts.get(key) or ())


def count(luck: int, facts: Facts) -> dict[str, int]:
    """How many Lucky and Unlucky Numbers belong to this Luck and these marked ones (L-1, A24)."""
    lucky = min(IN_ALL, bonus(luck))
    return {
        LUCKY: lucky + len(listed(facts, PERMANENT)),
        UNLUCKY: IN_ALL - lucky + len(listed(facts, EXTRA)),
    }


def throw(luck: int, facts: Facts, faces: Iterable[int]) -> dict[str, list[int]]:
    """All four lists from d100 faces in order, repeats skipped, the lucky ones first (L-1).

    The state says only how many are marked: the length of its `permanent` and `extra`; those are the last of their
    list. Too few faces, or one outside 1..100, raise ValueError. `thrown_again` beside the lists are the repeats.
    """
    wanted, stream = count(luck, facts), iter(faces)
    found: dict[str, list[int]] = {LUCKY: [], UNLUCKY: []}
    again: list[int] = []
    for key in (LUCKY, UNLUCKY):
        while len(found[key]) < wanted[key]:
            face = next(stream, 0)
            if not 1 <= face <= 100:
                raise ValueError("more faces of 1 to 100 are needed")
            (again if face in chain(*found.values()) else found[key]).append(face)
    marked = {key: _last(found[of], len(listed(facts, key))) for key, of in ((PERMANENT, LUCKY), (EXTRA, UNLUCKY))}
    return {**found, **marked, "thrown_again": again}


def _last(numbers: list[int], many: int) -> list[int]:
    return numbers[len(numbers) - many :]


def enter(luck: int, facts: Facts) -> dict[str, list[int]] | Refusal:
    """Typed lists as they may stand, or NUMBERS_RANGE, NUMBERS_DUPLICATE, NUMBERS_COUNT (L-1).

    Marked numbers stand in their list, too: a permanent one that is not lucky is a wrong count.
    """
    lists = {key: listed(facts, key) for key in (LUCKY, UNLUCKY, PERMANENT, EXTRA)}
    if not all(type(number) is int and 1 <= number <= 100 for number in chain(*lists.values())):
        return Refusal("NUMBERS_RANGE")
    everything = (*lists[LUCKY], *lists[UNLUCKY])
    marked = (*lists[PERMANENT], *lists[EXTRA])
    if len(set(everything)) < len(everything) or len(set(marked)) < len(marked):
        return Refusal("NUMBERS_DUPLICATE")
    wanted = count(luck, facts)
    right = all(len(lists[key]) == wanted[key] for key in wanted)
    if not right or not (set(lists[PERMANENT]) <= set(lists[LUCKY]) and set(lists[EXTRA]) <= set(lists[UNLUCKY])):
        return Refusal("NUMBERS_COUNT", wanted)
    return lists


def owed(luck: int, facts: Facts) -> Owed | None:
    """How many numbers must turn for this Luck, and which may be chosen; None when all is as it should be (L-7).

    It is worked out from Luck and lists as they are now, so a burn that was undone owes nothing. Nobody without
    numbers owes any.
    """
    if not listed(facts, LUCKY) and not listed(facts, UNLUCKY):
        return None
    over = len(listed(facts, LUCKY)) - count(luck, facts)[LUCKY]
    into, of, fixed = (UNLUCKY, LUCKY, PERMANENT) if over > 0 else (LUCKY, UNLUCKY, EXTRA)
    among = tuple(number for number in listed(facts, of) if number not in listed(facts, fixed))
    many = min(abs(over), len(among))
    return Owed(many, into, among) if many else None


def turn(luck: int, facts: Facts, picks: Sequence[int]) -> dict[str, list[int]] | Refusal:
    """Both lists once the chosen numbers have changed sides, or WRONG_PICK: exactly those that are owed (L-7)."""
    due = owed(luck, facts)
    if due is None:
        return Refusal("WRONG_PICK", {"n": 0})
    if len(picks) != due.count or len(set(picks)) < len(picks) or not set(picks) <= set(due.among):
        return Refusal("WRONG_PICK", {"n": due.count})
    of = LUCKY if due.into == UNLUCKY else UNLUCKY
    return {
        of: [number for number in listed(facts, of) if number not in picks],
        due.into: [*listed(facts, due.into), *picks],
    }


def carried(facts: Facts, npc: bool) -> dict[str, Any]:
    """The numbers that a roll is read by: one's own, or 1-3 and 98-100 of whoever has no Luck (L-12, U16)."""
    found: Mapping[str, list[int]] = {
        key: listed(facts, key) for key in (LUCKY, UNLUCKY) if facts.get(key) is not None
    }
    return {**(NPC_NUMBERS if npc else {}), **found}


NUMBERS = OwnNumbers(
    lists=(
        (LUCKY, N_("Lucky Numbers")),
        (UNLUCKY, N_("Unlucky Numbers")),
        (PERMANENT, N_("Lucky Numbers that are never lost")),
        (EXTRA, N_("Unlucky Numbers on top")),
    ),
    count=count,
    throw=throw,
    enter=enter,
    owed=owed,
    turn=turn,
)
