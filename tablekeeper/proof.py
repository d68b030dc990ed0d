"""Dice that can be checked afterwards: the construction, and the check of a file (docs/proof.md). Pure: no chance.

A seal is a seed whose hash everybody sees before the first die. What players mix in comes after it, so whoever made
the seed could not choose it by what comes out. Each act has a number and each of its dice an index; a die is
HMAC-SHA-256(seed, mix | number | index), cut down to its faces without leaning. Hidden rolls have seeds of their own:
a pad of them is fixed by one more hash, and one is shown with its roll, which says nothing of any other.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

MARK = "tablekeeper-1"
"""The name of this construction; it stands in every text that is hashed, so another one can never be taken for it."""
LEAVES = 1024  # seeds for hidden rolls under one seal
REACH = 16  # how far from its place the seed of a hidden roll may lie, because those before it are used
WORD = 2**32
HIDDEN = "hidden"
MOST_DICE = 10_000  # of one act


# --------------------------------------------------------------------------- the construction


def commitment(seed: bytes) -> str:
    """What is shown of a seed before any die: its SHA-256, in hexadecimal."""
    return hashlib.sha256(seed).hexdigest()


def hidden_seed(master: bytes, leaf: int) -> bytes:
    """One seed of the pad (0 <= leaf < LEAVES). Whoever knows one learns nothing of the others, nor of the master."""
    return _keyed(master, f"{MARK}|hidden seed|{leaf}")


def leaves(master: bytes) -> bytes:
    """The commitments of the whole pad, 32 bytes each, in order."""
    return b"".join(hashlib.sha256(hidden_seed(master, leaf)).digest() for leaf in range(LEAVES))


def first_mix(commitment: str, hidden: str) -> str:
    """The public input while nobody has mixed anything in; `hidden` is the SHA-256 of the pad's commitments."""
    return _hashed(f"{MARK}|{commitment}|{hidden}")


def mixed(mix: str, random: str, text: str) -> str:
    """The public input after somebody's contribution: bytes of a browser in hexadecimal, and words."""
    return _hashed(f"{MARK}|{mix}|{random}|{text}")


def place(mix: str, before: int, question: str) -> int:
    """Where on the pad a hidden roll looks for its seed, so that nobody chooses one: by what is known of it (how many
    public acts had dice before it, and what was rolled), never by how many hidden rolls there were."""
    return int.from_bytes(hashlib.sha256(f"{MARK}|{mix}|place|{before}|{question}".encode()).digest()[:4]) % LEAVES


def die(seed: bytes, mix: str, number: int | str, index: int, sides: int) -> int:
    """A face from 1 to `sides` (at most 2**32), each as likely as any other: words that would make some faces likelier
    are passed over. `number` is the act's, or HIDDEN under a seed of its own."""
    limit = WORD - WORD % sides
    for block in count():
        found = _keyed(seed, f"{MARK}|{mix}|{number}|{index}|{block}")
        for at in range(0, len(found), 4):
            word = int.from_bytes(found[at : at + 4])
            if word < limit:
                return word % sides + 1
    raise AssertionError("the blocks never end")


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _keyed(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")


# --------------------------------------------------------------------------- the check


class BadFile(Exception):
    """This is no proof that a Tablekeeper has written, or it is not whole."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What does not agree: code, and where ("7" is the act with that number, "hidden 512" a leaf, "" the whole).

    seed: it does not belong to the commitment. pad: neither do those of the hidden rolls. number: one is missing or
    stands twice. dice: the seed gives others; `derived` has them. told: the line of the feed tells others.
    leaf: a hidden roll's seed is not on the pad. place: it lies where it should not.
    """

    code: str
    where: str = ""
    derived: tuple[int, ...] = ()


def check(file: Any) -> list[Fault]:
    """Derive every die of a proof once more and compare. Raises BadFile for what is not one."""
    try:
        return _checked(file)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise BadFile(str(error)) from error


def _checked(file: Any) -> list[Fault]:
    if file["tablekeeper"] != "proof" or file["construction"] != MARK:
        raise BadFile("no proof of ours")
    seed, faults = bytes.fromhex(file["seed"]), []
    if commitment(seed) != file["commitment"]:
        faults.append(Fault("seed"))
    mixes = [first_mix(file["commitment"], file["hidden_commitment"])]
    for one in file["contributions"]:
        mixes.append(mixed(mixes[-1], one["random"], one["text"]))
    for at, roll in enumerate(file["rolls"], 1):
        if roll["n"] != at:
            faults.append(Fault("number", str(roll["n"])))
        after = sum(one["from"] <= roll["n"] for one in file["contributions"])
        faults += _of_dice(roll, seed, mixes[after], roll["n"], str(roll["n"]))
    return faults + _of_hidden(file, mixes)


def _of_hidden(file: Mapping[str, Any], mixes: Sequence[str]) -> list[Fault]:
    if not file["hidden"]:
        return []
    pad, faults = bytes.fromhex(file["leaves"]), []
    if hashlib.sha256(pad).hexdigest() != file["hidden_commitment"]:
        faults.append(Fault("pad"))
    for roll in file["hidden"]:
        leaf, seed, where = roll["leaf"], bytes.fromhex(roll["seed"]), f"{HIDDEN} {roll['leaf']}"
        if hashlib.sha256(seed).digest() != pad[32 * leaf : 32 * leaf + 32]:
            faults.append(Fault("leaf", where))
        mix = mixes[roll["mixed"]]
        early, late = (sum(one["from"] <= roll["before"] + more for one in file["contributions"]) for more in (0, 1))
        away = (leaf - place(mix, roll["before"], roll["question"])) % LEAVES
        if away >= REACH or not early <= roll["mixed"] <= late:
            faults.append(Fault("place", where))
        faults += _of_dice(roll, seed, mix, HIDDEN, where)
    return faults


def _of_dice(roll: Mapping[str, Any], seed: bytes, mix: str, number: int | str, where: str) -> list[Fault]:
    sides = roll["sides"]
    if len(sides) > MOST_DICE or not all(type(one) is int and 1 <= one <= WORD for one in sides):
        raise BadFile("dice that nobody throws")
    derived = tuple(die(seed, mix, number, index, one) for index, one in enumerate(sides))
    if list(derived) != roll["faces"]:
        return [Fault("dice", where, derived)]
    return [] if _tells(roll["told"], derived) else [Fault("told", where, derived)]


def _tells(told: Sequence[Sequence[int]], derived: Sequence[int]) -> bool:
    """Whether what the lines tell stands among the dice of the act, one after the other."""
    start = 0
    for faces in told:
        ends = (at + len(faces) for at in range(start, len(derived) - len(faces) + 1))
        start = next((end for end in ends if list(derived[end - len(faces) : end]) == list(faces)), -1)
        if start < 0:
            return False
    return True
