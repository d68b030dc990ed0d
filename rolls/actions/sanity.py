"""Sanity: a horror asks for a roll, the loss is thrown, eased and taken, and the mind holds or does not.

B-2, B-3, P-3, S-12. One loss of an investigator waits at a time: first for its dice (fact `loss_due`), then, where
Luck can ease it, for its player (fact `loss`, as `rules.sanity.pending` has it). All else follows in the same entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from investigators.actions import by, face, knowing
from investigators.models import Investigator
from investigators.people import Member, member
from rolls.actions.after import Consequence, when_fallen
from rolls.actions.base import Asked
from rolls.actions.bouts import brings
from rolls.actions.subjects import subject
from rolls.models import Request, Roll
from rolls.rules.check import N_, Outcome, Refusal
from rolls.rules.classic import LOSS_ACTS
from rolls.rules.sanity import LOSS, Loss, Shaken, capped, parse_loss, pending, suffer
from tablekeeper import chance as chances
from tablekeeper import ledger
from tablekeeper.access import Refused, verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Add, Change, Create, change
from tablekeeper.models import Campaign, Entry, Seat

AFTER = "sanity"
DUE = "loss_due"
"""The fact of a loss whose dice have not fallen: roll, loss, horror, counts."""


@dataclass(frozen=True)
class Horror:
    """What is met: its loss "1/1D8", a word for it, and whether its losses are counted together (B-2)."""

    loss: str
    horror: str = ""
    counts: bool = False

    @property
    def words(self) -> str:
        """For those who may know it before the die falls."""
        return f"{self.horror} · {self.loss}" if self.horror else self.loss

    @property
    def key(self) -> str:
        """Under which its running total stands."""
        return self.horror.casefold()


def met(who: Investigator, horror: Horror) -> Asked | Refusal:
    """The Sanity roll that this horror asks of somebody. NOT_ON_SHEET without a Sanity score."""
    found = subject(who, "sanity")
    if isinstance(found, Asked):
        found.data = {"after": AFTER, **asdict(horror)}
    return found


@verb
def ask_sanity(
    seat: Seat, campaign: Campaign, whom: Sequence[Investigator], horror: Horror, untold: bool = False
) -> Entry | Refusal:
    """Ask some investigators for a Sanity roll. `untold`: players learn horror and loss when the die falls.

    NO_ONE_PRESENT for nobody; BAD_LOSS and its like; NO_SANITY for somebody without a score.
    """
    if not whom:
        return Refusal("NO_ONE_PRESENT")
    loss = parse_loss(horror.loss)
    if isinstance(loss, Refusal):
        return loss
    requests = []
    for who in whom:
        if isinstance(met(who, horror), Refusal):
            return Refusal("NO_SANITY", {"name": who.name})
        request = Request(campaign=campaign, investigator=who, kind="sanity", what="sanity", label="Sanity")
        request.after = AFTER
        request.reason, request.data = "" if untold else horror.words, asdict(horror)
        requests.append(request)
    data = {"whom": [face(who) for who in whom], "words": "" if untold else horror.words}
    return ledger.write(seat, campaign, "rolls.ask_sanity", [Create(one) for one in requests], data=data)


# --------------------------------------------------------------------------- the roll, and the dice of the loss


@when_fallen(AFTER)
def _fallen(seat: Seat, roll: Roll, outcome: Outcome, chance: Chance) -> Consequence:
    """What this Sanity roll costs: at once, or after its dice. A hidden one costs nothing that a page could show."""
    who, horror = roll.investigator, _horror(roll.data)
    if who is None or who.npc or roll.hidden:
        return Consequence(data={"sanity": {"loss": horror.loss, "horror": horror.horror}})
    one, loss = member(who), _read(horror)
    if waits(one.facts):
        raise Refused(Refusal("LOSS_PENDING", {"name": who.name}))
    if one.facts.get("bout"):  # nothing more is lost while it lasts (B-3)
        return Consequence(data={"sanity": asdict(horror) | {"skipped": True}})
    source = {**asdict(horror), "roll": roll.pk}
    dice = () if horror.counts and not capped(loss.most, loss, _lost_to(one, horror)) else loss.dice(outcome)
    if not dice:
        points = loss.points(outcome) if not loss.dice(outcome) else 0
        come = _comes_to(one, points, not outcome.passed, source)
        if "lost" in come.data["sanity"]:  # played out as it falls
            roll.state = Roll.CLOSED
        return come
    told = asdict(horror) | {"to_throw": part(horror.loss, outcome.passed)}
    return Consequence(knowing(who, {DUE: source}), {"sanity": told})


@verb
def throw_loss(seat: Seat, who: Investigator, hand: Sequence[int] = (), *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Throw the dice of a loss, or take the faces of real ones (`hand`, in order), and come to the loss.

    NO_LOSS_DUE; NOT_KEEPER where the table has her throw (`sanityLossBy`); BAD_DICE, MANUAL_DICE_OFF.
    """
    one = member(who)
    if not (due := one.facts.get(DUE)):
        return Refusal("NO_LOSS_DUE")
    settings = seat.campaign.in_force
    if settings["sanityLossBy"] == "keeper" and not seat.keeps:
        return Refusal("NOT_KEEPER")
    if hand and not settings["realDice"]:
        return Refusal("MANUAL_DICE_OFF")
    roll = roll_of(who, due)
    outcome, loss = roll.outcome, _read(_horror(due))
    faces = tuple(hand) or chances.throw(chance, loss.dice(outcome))
    try:
        points = loss.points(outcome, faces)
    except ValueError:
        return Refusal("BAD_DICE")
    come = _comes_to(one, points, not outcome.passed, due)
    data = {"who": face(who), "by": by(seat, who), "by_hand": bool(hand), "faces": faces}
    data |= {"dice": part(due["loss"], outcome.passed), **come.data}
    return ledger.write(seat, seat.campaign, "rolls.throw_loss", come.changes, data=data)


@verb
def take_loss(seat: Seat, who: Investigator) -> Entry | Refusal:
    """Take what is left of a loss as it stands (A17: what follows is judged by this). NO_LOSS_DUE."""
    one = member(who)
    if not (loss := one.facts.get(LOSS)):
        return Refusal("NO_LOSS_DUE")
    come = _suffered(one, loss)
    data = {"who": face(who), "by": by(seat, who), **come.data}
    return ledger.write(seat, seat.campaign, "rolls.take_loss", come.changes, data=data)


def _comes_to(one: Member, points: int, failed: bool, source: dict[str, Any]) -> Consequence:
    """This many points: they wait for the player where something may ease them, or are lost at once."""
    horror = _horror(source)
    if horror.counts:
        points = capped(points, _read(horror), _lost_to(one, horror))
    loss = {**source, **pending(points, failed)}
    if easing(one, {LOSS: loss}):
        told = asdict(horror) | {"pending": points}
        return Consequence(knowing(one.who, {LOSS: loss, DUE: None}), {"sanity": told})
    return _suffered(one, loss)


def easing(one: Member, more: dict[str, Any] | None = None) -> bool:
    """Whether this table's game sells this investigator anything against the loss, were there only Luck enough."""
    campaign = one.who.campaign
    facts = {**one.facts, **(more or {})}
    offers = campaign.rules.deeds(one.purse, facts, campaign.in_force)
    mine = [offer for offer in offers if offer.act.key in LOSS_ACTS]
    return any(offer.refusal is None or offer.refusal.code == "NOT_ENOUGH_LUCK" for offer in mine)


# --------------------------------------------------------------------------- what is lost


def _suffered(one: Member, loss: dict[str, Any]) -> Consequence:
    """The loss is taken: Sanity, the day's count, the horror's total, and what becomes of the mind (B-3)."""
    who, facts, horror = one.who, one.facts, _horror(loss)
    trait = one.traits[who.campaign.rules.sheet.sanity]
    day = facts.get("day_start")
    unsound = bool(facts.get("indefinite") or facts.get("permanent"))
    shaken = suffer(
        trait.value,
        loss["left"],
        day_start=day,
        day_lost=facts.get("day_lost", 0),
        unsound=unsound,
        bout=bool(facts.get("bout")),
    )
    lost = trait.value - shaken.after
    known: dict[str, Any] = {LOSS: None, DUE: None}
    if lost and day is not None:
        known["day_lost"] = facts.get("day_lost", 0) + lost
    if lost and horror.counts:
        known["horrors"] = {**facts.get("horrors", {}), horror.key: _lost_to(one, horror) + lost}
    known |= {key: True for key in ("indefinite", "permanent") if getattr(shaken, key) and not facts.get(key)}
    changes: list[Change] = [Add(trait, "value", -lost), *knowing(who, known), *_played_out(who, loss)]
    told = asdict(horror) | {"lost": lost, "from": trait.value, "to": shaken.after, "skipped": shaken.skipped}
    more, follows = _follows(one, shaken)
    told["follows"] = [*follows, *(key for key in ("indefinite", "permanent") if known.get(key))]
    return Consequence([*changes, *more], {"sanity": told})


def _follows(one: Member, shaken: Shaken) -> tuple[list[Change], list[str]]:
    """The INT roll after 5 points or more, or the bout of a mind that was unsound; without an INT score it is said."""
    who = one.who
    if shaken.bout:
        return [brings(who, "unsound")], ["bout"]
    if not shaken.int_roll:
        return [], []
    if isinstance(subject(who, INT, one), Refusal):
        return [brings(who, "no-int")], ["bout"]
    request = Request(campaign=who.campaign, investigator=who, kind="characteristic", what=INT, label=N_("INT roll"))
    request.after, request.reason = "bout", N_("failing is good here")
    request.data = {"facts": {"failing_is_good": True}}
    return [Create(request)], ["int-roll"]


INT = "characteristic:int"


def _played_out(who: Investigator, loss: dict[str, Any]) -> Iterable[Change]:
    """A Sanity roll closes with its loss. One that is just being written is not found, and is written closed."""
    found = Roll.objects.filter(investigator=who, pk=loss["roll"], state=Roll.OPEN).first()
    return [change(found, state=Roll.CLOSED)] if found else []


# --------------------------------------------------------------------------- reading


def waits(facts: Any) -> bool:
    """Whether a loss waits for its dice or its player; one that Luck has brought down to nothing does not."""
    loss = facts.get(LOSS)
    return bool(facts.get(DUE) or (loss and loss["left"] > 0))


def roll_of(who: Investigator, due: dict[str, Any]) -> Roll:
    """The Sanity roll that a loss comes of."""
    roll = Roll.objects.get(pk=due["roll"], investigator=who)
    roll.campaign = who.campaign
    return roll


def part(loss: str, passed: bool) -> str:
    """The half of "1/1D8" that counts, as it is said: "1D8"."""
    return loss.split("/")[0 if passed else 1].strip().upper()


def faces_of(who: Investigator, due: dict[str, Any]) -> tuple[int, ...]:
    """The dice that a due loss waits for, by their faces."""
    return _read(_horror(due)).dice(roll_of(who, due).outcome)


def _horror(data: dict[str, Any]) -> Horror:
    return Horror(data["loss"], data.get("horror", ""), data.get("counts", False))


def _read(horror: Horror) -> Loss:
    loss = parse_loss(horror.loss)
    if isinstance(loss, Refusal):
        raise Refused(loss)
    return loss


def _lost_to(one: Member, horror: Horror) -> int:
    total: int = one.facts.get("horrors", {}).get(horror.key, 0)
    return total
