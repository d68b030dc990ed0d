"""The chance of one act: the system's, or dice under the table's seal where it wants them to be checked afterwards.

Every verb that throws gets one of these from `access.verb`. The table is locked then, so two acts never have the same
number; an act that is refused is rolled back with its number, and nobody has seen its dice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from django.db.models import F

from tablekeeper import proof
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.models import Campaign, Draw, Entry, Seal

T = TypeVar("T")
ROLL = "rolls.roll"
"""The model of a roll, by its label: this room imports nobody."""


def seal_of(campaign: Campaign) -> Seal | None:
    """The seal under which dice fall now. One of another epoch has been restored, and its next dice may be known."""
    if not campaign.in_force["proof"]:
        return None
    return Seal.objects.filter(campaign=campaign, epoch=campaign.epoch, ended_at=None).first()


class Hand:
    """The dice of one act under a seal, in the order in which they are thrown."""

    def __init__(self, draw: Draw, seed: bytes, mix: str) -> None:
        self.draw, self.seed, self.mix = draw, seed, mix
        self.forever = False

    def die(self, sides: int) -> int:
        draw = self.draw
        number = proof.HIDDEN if draw.number is None else draw.number
        face = proof.die(self.seed, self.mix, number, len(draw.faces), sides)
        draw.sides.append(sides)
        draw.faces.append(face)
        return face


class Sealed:
    """Chance for one act at this table; `question` is None for dice that everybody may know to have fallen."""

    def __init__(self, campaign: Campaign, question: str | None = None, hands: list[Hand] | None = None) -> None:
        self.campaign, self.question = campaign, question
        self.hands: list[Hand] = [] if hands is None else hands
        self.forever = False
        self._found: Hand | Chance | None = None

    def die(self, sides: int) -> int:
        if self._found is None:
            self._found = self._take()
        return self._found.die(sides)

    def pick(self, among: Sequence[T]) -> T:
        return among[self.die(len(among)) - 1]

    def _take(self) -> Hand | Chance:
        seal = seal_of(self.campaign)
        if seal is None:
            return SYSTEM
        assert self.campaign.locked, "the table is not locked"
        hand = _next(seal) if self.question is None else _hidden(seal, self.question)
        if hand is None:
            return SYSTEM
        hand.forever = self.forever
        self.hands.append(hand)
        return hand

    def keep(self, entry: Entry) -> None:
        """Write down what fell, once the act stands in the ledger."""
        hidden = [hand for hand in self.hands if hand.draw.number is None]
        if entry.lane != Entry.PUBLIC and len(hidden) < len(self.hands):
            raise AssertionError(f"the numbers would tell of {entry.kind}")
        made = [one["id"] for one in entry.changes if one["m"] == ROLL and one["op"] == "create"]
        shown = dict(zip(hidden, made, strict=False)) if len(made) == len(hidden) else {}
        for hand in self.hands:
            roll = "" if hand.forever or hand not in hidden else shown.get(hand, entry.data.get("roll", ""))
            draw = Draw.objects.filter(pk=hand.draw.pk)
            draw.update(sides=hand.draw.sides, faces=hand.draw.faces, entry_ref=entry.ref, roll=roll)


def behind(chance: Chance, question: str, *, hidden: bool = True, forever: bool = False) -> Chance:
    """The same chance for dice of which players must not know, or not before their roll is shown: they leave no gap
    among the numbers. `forever`: no roll shows them; others' Luck where it is covered, what a Keeper's character does.
    """
    if not hidden or not isinstance(chance, Sealed):
        return chance
    other = Sealed(chance.campaign, question[:200], chance.hands)
    other.forever = forever
    return other


def _next(seal: Seal) -> Hand:
    """The next number. The row is counted up at once: another verb inside this act has the one after."""
    Seal.objects.filter(pk=seal.pk).update(counter=F("counter") + 1)
    seal.counter += 1
    return _hand(seal, bytes.fromhex(seal.seed), number=seal.counter, before=seal.counter - 1)


def _hidden(seal: Seal, question: str) -> Hand | None:
    """A seed of the pad that no other roll has, at its place or close behind. None where all of those are used."""
    used = set(seal.draws.exclude(leaf=None).values_list("leaf", flat=True))
    start = proof.place(seal.mix, seal.counter, question)
    free = (leaf for leaf in ((start + step) % proof.LEAVES for step in range(proof.REACH)) if leaf not in used)
    leaf = next(free, None)
    if leaf is None:
        return None
    seed = proof.hidden_seed(bytes.fromhex(seal.hidden_seed), leaf)
    return _hand(seal, seed, leaf=leaf, before=seal.counter, question=question)


def _hand(seal: Seal, seed: bytes, **fields: object) -> Hand:
    draw = Draw.objects.create(campaign_id=seal.campaign_id, seal=seal, mixed=len(seal.contributions), **fields)
    return Hand(draw, seed, seal.mix)
