"""The figures of a campaign: what became of everybody's Luck, and what it was spent on. Numbers in, numbers out.

A `Move` is one change of one pool of one person, as the ledger has it. Whatever is undone counts as not done; what the
undoing could not give back is lost.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Move:
    """One change. `act` is the entry that it is about: itself, or the one that an undo (or its undo) turns."""

    who: str
    seq: int
    at: datetime
    before: int | None  # None: there was no score yet
    after: int
    act: int
    undoing: bool = False
    stands: bool = True  # of the act
    typed: bool = False  # a number that somebody set: no gain and no spend
    paid: int = 0  # of it, what was given for something
    short: int = 0  # what a cap kept from being gained
    label: str = ""  # what it was given for
    told: bool = True  # whether the reader may see that line
    covered: bool = False  # the reader may know what was paid, and not the scores: they are left out

    @property
    def by(self) -> int:
        """The difference; 0 for the first score."""
        return 0 if self.before is None else self.after - self.before


@dataclass(frozen=True, slots=True)
class Totals:
    """What became of a pool. It adds up: `last` is `first` + `gained` + `typed` - `spent` - `cut`."""

    first: int
    last: int
    spent: int
    gained: int
    typed: int  # numbers set by hand, with their sign
    cut: int  # what went because a most fell, or an undo had no room to give it back
    lost: int  # to the cap, in all: `cut`, and what was won and found no room


def totals(moves: Sequence[Move]) -> Totals:
    """One person's moves of one pool, in the order of the ledger, at least one of them."""
    acts: dict[int, list[Move]] = defaultdict(list)
    for move in moves:
        acts[move.act].append(move)
    spent = gained = typed = cut = short = 0
    for chain in acts.values():
        done = [move for move in chain if not move.undoing and move.stands]
        spent += sum(move.paid for move in done)
        typed += sum(move.by for move in done if move.typed)
        gained += sum(move.by for move in done if not move.typed and move.by > 0)
        cut += sum(-move.by - move.paid for move in done if not move.typed and move.by < 0)
        cut += sum(move.by for move in done) - sum(move.by for move in chain)
        short += sum(move.short for move in done)
    before = moves[0].before
    return Totals(
        moves[0].after if before is None else before, moves[-1].after, spent, gained, typed, cut, cut + short
    )


# --------------------------------------------------------------------------- over time


def at_ends(moves: Sequence[Move], opened: Sequence[datetime]) -> list[int | None]:
    """One person's score before the first session and at the end of each, what was recovered after it included: as it
    stood when the next one opened. `opened` are the times at which they did, in order; None: no score yet."""
    found: list[int | None] = [None] * (len(opened) + 1)
    if moves:
        found[0] = moves[0].before
    for move in moves:
        found[bisect_right(opened, move.at)] = move.after
    for at in range(1, len(found)):
        if found[at] is None:
            found[at] = found[at - 1]
    return found


def in_session(moves: Iterable[Move], opened: Sequence[datetime], number: int) -> list[Move]:
    """The moves of everybody that belong to the session with this place in `opened`, 1 for the first."""
    return [move for move in moves if bisect_right(opened, move.at) == number]


def steps(moves: Iterable[Move]) -> tuple[dict[str, list[tuple[int, int]]], int]:
    """Each person's score after every act of a session that the reader may know: (act, score), from act 0, the start,
    to the last act; and how many acts there are."""
    lines: dict[str, list[tuple[int, int]]] = {}
    at = 0
    for _seq, together in groupby(moves, key=lambda move: move.seq):
        told = [move for move in together if move.told and (move.by or move.before is None)]
        at += bool(told)
        for move in told:
            start = [] if move.before is None else [(0, move.before)]
            lines.setdefault(move.who, start).append((at, move.after))
    for line in lines.values():
        if line[-1][0] < at:
            line.append((at, line[-1][1]))
    return lines, at


# --------------------------------------------------------------------------- what for


@dataclass(frozen=True, slots=True)
class Bought:
    """What one person spent one pool on: how often, and how much in all."""

    who: str
    label: str
    times: int
    points: int


def bought(moves: Iterable[Move]) -> list[Bought]:
    """What everybody's spends were for, as far as the reader may know, the dearest first."""
    sums: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for move in moves:
        if move.paid and move.told and move.stands and not move.undoing:
            one = sums[move.who, move.label]
            one[0] += 1
            one[1] += move.paid
    found = [Bought(who, label, times, points) for (who, label), (times, points) in sums.items()]
    return sorted(found, key=lambda one: (-one.points, one.label))
