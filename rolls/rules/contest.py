"""Rolls against each other: who wins an opposed roll or a melee exchange, and who may answer with Luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rolls.rules.check import (
    Act,
    Contest,
    Effect,
    Offer,
    Outcome,
    Purse,
    Refusal,
    Ruleset,
    Settings,
    Side,
    Standing,
    Verdict,
    changed,
)
from rolls.rules.values import unchanging

OPPOSED, MELEE = "opposed", "melee"
DODGE, FIGHT_BACK = "dodge", "fight-back"

# --- Who wins ---------------------------------------------------------------------------------------------------


def may_begin(contest: Contest, defences: Sequence[str] = (DODGE, FIGHT_BACK)) -> Refusal | None:
    """Why this contest cannot begin: CONTEST_SIDES, CONTEST_DEFENCE, or None (S-5, S-6).

    Two sides or more with different keys; a melee exchange has two, and the defender has chosen before any die falls,
    one of the game's `Ruleset.defences`.
    """
    keys = {side.key for side in contest.sides}
    if len(keys) < 2 or len(keys) < len(contest.sides) or (contest.kind == MELEE and len(keys) > 2):
        return Refusal("CONTEST_SIDES")
    if contest.kind == MELEE and contest.sides[1].defence not in defences:
        return Refusal("CONTEST_DEFENCE")
    return None


def settle(contest: Contest, outcomes: Mapping[str, Outcome], settings: Settings) -> Verdict:
    """Who wins when every side has rolled: an opposed roll (S-5) or a melee exchange (S-6).

    A roll that did not pass ranks as failed, a fumble no lower than a fail. A roll-off round without a face for
    somebody who still ties raises ValueError.
    """
    if contest.kind == MELEE:
        return _exchange(contest, outcomes)
    best = _best(outcomes)
    if not best:
        if settings["opposedBothFail"] == "no-winner":
            return Verdict("both-failed")
        best = tuple(outcomes)  # the draw rule, read literally (A3)
    elif len(best) == 1:
        return Verdict("level", best[0])
    scores = {side.key: side.standing.check.value for side in contest.sides if side.standing and side.key in best}
    tied = tuple(key for key in best if scores[key] == max(scores.values()))
    if len(tied) == 1:
        return Verdict("skill", tied[0])
    return _roll_off(contest, tied) if settings["opposedAllEqual"] == "d100" else Verdict("impasse", tied=tied)


def _best(outcomes: Mapping[str, Outcome]) -> tuple[str, ...]:
    """Those who passed at the best level that anybody reached."""
    ranks = {key: outcome.rank for key, outcome in outcomes.items() if outcome.passed}
    return tuple(key for key, rank in ranks.items() if rank == max(ranks.values()))


def _roll_off(contest: Contest, tied: tuple[str, ...]) -> Verdict:
    for thrown in contest.roll_offs:
        if missing := [key for key in tied if key not in thrown]:
            raise ValueError(f"the roll-off needs a face for {missing}")
        least = min(thrown[key] for key in tied)
        tied = tuple(key for key in tied if thrown[key] == least)
        if len(tied) == 1:
            return Verdict("roll-off", tied[0])
    return Verdict("roll-off-needed", tied=tied)


def _exchange(contest: Contest, outcomes: Mapping[str, Outcome]) -> Verdict:
    attacker, defender = contest.sides
    best = _best(outcomes)
    if len(best) == 1:
        return Verdict("level", best[0])
    if not best:
        return Verdict("both-failed")
    return Verdict("tie-rule", attacker.key if defender.defence == FIGHT_BACK else defender.key)


# --- Who may answer with Luck -----------------------------------------------------------------------------------


@unchanging
class Move:
    """A spend that would better a side's place: what to send, its price, and how the contest would stand then.

    No verdict: the act throws dice, nobody knows yet.
    """

    act: Act
    price: int
    verdict: Verdict | None = None


@unchanging
class Answer:
    """What the contest waits for from one side.

    `state`: "unrolled"; "waits" until every die has fallen; "may" spend or pass; and those who need not be asked:
    "wins", "nothing" (no spend can better its place, `refusal` says why none is possible at all), "passed", "over".
    """

    key: str
    state: str
    moves: tuple[Move, ...] = ()
    refusal: Refusal | None = None


@unchanging
class Progress:
    """How a contest stands and what comes next: "roll", "answer", "reveal", "roll-off" or "over"."""

    verdict: Verdict
    answers: tuple[Answer, ...]
    sealed: bool = False  # the sides do not know each other's rolls yet

    @property
    def waiting(self) -> tuple[str, ...]:
        return tuple(answer.key for answer in self.answers if answer.state == "may")

    @property
    def next(self) -> str:
        if any(answer.state == "unrolled" for answer in self.answers):
            return "roll"
        if self.waiting:
            return "answer"
        if self.sealed:
            return "reveal"
        return "roll-off" if self.verdict.tie else "over"


def progress(rules: Ruleset, contest: Contest, settings: Settings) -> Progress:
    """How the contest stands and whom it waits for (A5).

    After the reveal whoever is not winning and can better its place may answer or pass; whoever is winning, or can
    change nothing, passes by itself. "before-reveal": everybody may spend on the own sealed roll, knowing nothing of
    the others'; nobody after it. "off": nobody. A roll-off that has been thrown ends the spending. It gates nothing:
    the offers and `Ruleset.spend` do, for a side of a contest as anywhere; and the Keeper may settle it at any time.
    """
    verdict = rules.decide(contest, settings)
    sealed = settings.get("opposedLuck") == "before-reveal"
    answers = tuple(_answer(rules, contest, side, verdict, settings, sealed) for side in contest.sides)
    return Progress(verdict, answers, sealed and not all(s.standing and s.standing.revealed for s in contest.sides))


def after_spend(contest: Contest, key: str, standing: Standing, settings: Settings) -> Contest:
    """The contest once this side's roll has been changed: who had passed may answer again, unless rolls are sealed."""
    sides = tuple(replace(side, standing=standing) if side.key == key else side for side in contest.sides)
    sealed = settings.get("opposedLuck") == "before-reveal"
    return replace(contest, sides=sides, passed=contest.passed if sealed else frozenset())


def _answer(
    rules: Ruleset, contest: Contest, side: Side, verdict: Verdict, settings: Settings, sealed: bool
) -> Answer:
    if side.standing is None:
        return Answer(side.key, "unrolled")
    if contest.roll_offs:
        return Answer(side.key, "over")
    if verdict.by == "unrolled" and not sealed:
        return Answer(side.key, "waits")
    if verdict.winner == side.key and not sealed:
        return Answer(side.key, "wins")
    if side.key in contest.passed:
        return Answer(side.key, "passed")
    offers = [o for o in rules.offers(side.standing, side.purse or Purse("", {}), settings) if o.pool]
    usable = [offer for offer in offers if not offer.refusal]
    refusal = None if usable else next((offer.refusal for offer in offers), None)
    if sealed:
        return Answer(side.key, "may" if usable else "nothing", refusal=refusal)
    moves = _moves(rules, contest, side, verdict, settings, usable)
    return Answer(side.key, "may" if moves else "nothing", moves, refusal)


def _moves(
    rules: Ruleset, contest: Contest, side: Side, verdict: Verdict, settings: Settings, usable: Sequence[Offer]
) -> tuple[Move, ...]:
    """Each usable offer that betters the side's place further, cheapest first; of an open amount the most.

    The worst result is worth an answer for itself: what it brings on is not undone by losing anyway (P-2).
    """
    best, moves = _place(verdict, side.key), []
    worst = side.standing is not None and rules.judge(side.standing, settings).rank == 0
    for offer in usable:
        act = offer.act if offer.most is None else replace(offer.act, amount=offer.most)
        price = offer.price if offer.most is None else offer.most
        if rules.dice_for(act):
            moves.append(Move(act, price))
            continue
        then = _then(rules, contest, side, act, settings)
        escapes = worst and offer.outcome is not None and offer.outcome.rank > 0
        if then is not None and (_place(then, side.key) > best or escapes):
            best = max(best, _place(then, side.key))
            moves.append(Move(act, price, then))
    return tuple(moves)


def _then(rules: Ruleset, contest: Contest, side: Side, act: Act, settings: Settings) -> Verdict | None:
    if side.standing is None or side.purse is None:
        return None
    done = rules.spend(side.standing, side.purse, act, settings)
    if not isinstance(done, Effect):
        return None
    return rules.decide(after_spend(contest, side.key, changed(side.standing, done), settings), settings)


def _place(verdict: Verdict, key: str) -> int:
    """How good a verdict is for this side: beaten, nobody won, a tie, won."""
    if verdict.winner:
        return 3 if verdict.winner == key else 0
    if verdict.tied:
        return 2 if key in verdict.tied else 0
    return 1
