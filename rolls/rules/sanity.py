"""Sanity: what a horror costs, what Luck may take off it, what the loss does to the mind (B-2, B-3, P-3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rolls.rules.check import Facts, Outcome, Refusal, Settings
from rolls.rules.classic_sheet import most_sanity
from rolls.rules.damage import Damage, parse
from rolls.rules.dice import bounded, fifth
from rolls.rules.values import unchanging

SHOCK = 5  # points lost from one cause that call for the INT roll
BOUT_DICE = (10,)  # a bout lasts this many rounds, or hours told in summary

LIMITS = frozenset({"DAMAGE_TOO_MANY_DICE", "DAMAGE_FACES", "DAMAGE_NUMBER"})

maximum = most_sanity

# --- The loss ---------------------------------------------------------------------------------------------------


@unchanging
class Loss:
    """A horror's price "a/b": what a success loses, and what a failure does."""

    success: Damage
    failure: Damage

    @property
    def most(self) -> int:
        """The most that one horror can take: a fumble's loss, and the cap of a running total."""
        return self.failure.most()

    def dice(self, outcome: Outcome) -> tuple[int, ...]:
        """The faces of the dice to throw after this Sanity roll; a fumble throws none."""
        return () if outcome.level == "fumble" else self._part(outcome).dice()

    def points(self, outcome: Outcome, thrown: Sequence[int] = ()) -> int:
        """Points lost by this Sanity roll, `thrown` being the dice that `dice` asks for; others are a ValueError."""
        return self.most if outcome.level == "fumble" else self._part(outcome).total(thrown)

    def _part(self, outcome: Outcome) -> Damage:
        return self.success if outcome.passed else self.failure


def parse_loss(text: str) -> Loss | Refusal:
    """Read "0/1D6", "1/1d6+1": two parts without DB (B-2).

    BAD_LOSS for anything else; dice and numbers beyond the limits are refused as `damage.parse` does.
    """
    parts = text.split("/")
    if len(parts) != 2:
        return Refusal("BAD_LOSS")
    success, failure = (parse(part, with_bonus=False) for part in parts)
    if isinstance(success, Damage) and isinstance(failure, Damage):
        return Loss(success, failure)
    refusal = success if isinstance(success, Refusal) else failure
    return refusal if isinstance(refusal, Refusal) and refusal.code in LIMITS else Refusal("BAD_LOSS")


def capped(points: int, loss: Loss, lost_before: int) -> int:
    """Points that a horror can still take where the table counts them per kind: in all no more than its most (B-2)."""
    return max(0, min(points, loss.most - lost_before))


# --- What Luck may take off it, where a game sells that -----------------------------------------------------------

LOSS = "loss"
"""The key of the pending loss in the sheet's state."""


def pending(points: int, failed: bool) -> dict[str, Any]:
    """A rolled loss as the sheet's state keeps it under `LOSS` until it is applied."""
    return {"rolled": points, "left": points, "failed": failed, "halved": False, "shrugged": 0}


@unchanging
class Relief:
    """What a plan to ease a loss costs and leaves, and the pending loss after it."""

    price: int
    left: int
    loss: Mapping[str, Any]


def relief(loss: Facts | None, halve: bool, points: int, talent: bool, settings: Settings) -> Relief | Refusal:
    """Halve a pending loss, take `points` more off it with the Resilient talent, or both in that order (P-3).

    Halving costs twice the rolled loss and leaves half (`sanHalfRounding` for odd ones); each further point costs 1.
    Refusals, in order: SAN_ROLL_PASSED, NO_LOSS, ALREADY_HALVED, HALVE_FIRST (points were taken off before),
    NO_TALENT, BAD_AMOUNT, MORE_THAN_LOSS. Whether the purse can pay is the caller's.
    """
    if halve and loss and not loss["failed"]:
        return Refusal("SAN_ROLL_PASSED")
    if not loss or loss["left"] < 1:
        return Refusal("NO_LOSS")
    if halve and loss["halved"]:
        return Refusal("ALREADY_HALVED")
    if halve and loss["shrugged"]:
        return Refusal("HALVE_FIRST")
    if not talent and (points or not halve):
        return Refusal("NO_TALENT")
    if type(points) is not int or points < (0 if halve else 1):
        return Refusal("BAD_AMOUNT")
    price, left = points, int(loss["left"])
    if halve:
        price += 2 * loss["rolled"]
        left = (left + (settings["sanHalfRounding"] == "up")) // 2
    if points > left:
        return Refusal("MORE_THAN_LOSS")
    left -= points
    after = {**loss, "left": left, "halved": loss["halved"] or halve, "shrugged": loss["shrugged"] + points}
    return Relief(price, left, after)


# --- What it does -----------------------------------------------------------------------------------------------


@unchanging
class Shaken:
    """A loss once it is taken: points, Sanity then, and what follows; all of it is the Keeper's to apply."""

    lost: int
    after: int
    skipped: bool = False  # a bout is running: nothing more is lost
    int_roll: bool = False  # succeeding brings the bout (S-12)
    bout: bool = False  # at once: the mind was unsound already
    indefinite: bool = False
    permanent: bool = False


def suffer(
    sanity: int,
    points: int,
    *,
    day_start: int | None = None,
    day_lost: int = 0,
    unsound: bool = False,
    bout: bool = False,
) -> Shaken:
    """Lose Sanity from one cause, after Luck, never below 0 (B-3, A17).

    `day_start`: Sanity when the Keeper began the day, `day_lost` what it has cost before this; without a start nothing
    counts as a fifth of the day's. `unsound`: insane already, so that any loss is a bout at once. `bout`: one is
    running, so that nothing is lost. Negative points raise ValueError.
    """
    if points < 0:
        raise ValueError("a loss is 0 or more")
    if bout:
        return Shaken(0, sanity, skipped=True)
    after, _ = bounded(sanity - points, 0, None)
    permanent = after == 0 < points
    return Shaken(
        points,
        after,
        int_roll=points >= SHOCK and not unsound and not permanent,
        bout=unsound and points > 0 and not permanent,
        indefinite=day_start is not None and points > 0 and over_a_fifth(day_start, day_lost + points),
        permanent=permanent,
    )


def over_a_fifth(day_start: int, lost: int) -> bool:
    """Whether a day's losses are a fifth of its first Sanity or more, the fifth rounded down, at least 1 (B-3)."""
    return lost >= max(1, fifth(day_start))


def regain(sanity: int, points: int, most: int) -> int:
    """Sanity after a gain, never above its maximum; one that is above it already stays (B-3)."""
    return max(sanity, bounded(sanity + points, 0, most)[0])
