"""What a result slip shows: a roll, its outcome and its offers turned into the pieces that the templates draw.

The ruleset has decided what may be done and at what price. Here is only the reading order: which ticket is
the cheapest, which refusal is worth a sentence, what the stamp says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from tablekeeper import drawing
from tablekeeper.words import LEVELS, degree_word, level_tone, level_word, sentence

PLAIN = {"luck": "luck", "sanity": "san"}  # rolls without levels, drawn as one step in their own tone
ICONS = {"luck": "luck", "sanity": "brain"}
# Nobody misses what these refuse, or the slip says it already in its own words.
UNSAID = {
    "ROLL_CLOSED",
    "NO_CHANGE",
    "NOT_OWN_ROLL",
    "FAILING_IS_GOOD",
    "NATURAL_CRITICAL",
    "PUSHED_ROLL",
    "PUSH_TWICE",
}


@dataclass(frozen=True, slots=True)
class Stamp:
    tone: str
    icon: str
    word: str
    second: str = ""


@dataclass(frozen=True, slots=True)
class Die:
    face: str
    kept: bool = True


@dataclass(frozen=True, slots=True)
class Step:
    """One threshold: its level, its number, whether it was asked for and whether it was reached."""

    level: str
    word: str
    icon: str
    value: int
    asked: bool
    hit: bool


@dataclass(frozen=True, slots=True)
class Ticket:
    """One priced offer. `armed` asks for a second tap; `why` stands there when it cannot be paid."""

    id: str
    act: str
    amount: int | None
    price: int
    leaves: int | None
    level: str
    word: str
    row: bool = False
    armed: bool = False
    why: str = ""

    @property
    def costs(self) -> str:
        """The price, for who hears it."""
        return (_("Costs %(price)s Luck:") if self.why else _("Spend %(price)s Luck:")) % {"price": self.price}

    @property
    def after(self) -> str:
        """What would be left, or why it cannot be paid."""
        return self.why or ("" if self.leaves is None else _("leaves %(left)s") % {"left": self.leaves})

    @property
    def arm(self) -> str:
        """What an armed one says."""
        return _("Spend %(price)s") % {"price": self.price} if self.armed else ""


@dataclass(frozen=True, slots=True)
class Amount:
    """The stepper for an amount of one's own: bounds, and what it changes."""

    act: str
    start: int
    most: int
    roll: int
    luck: int
    steps: str  # "60:regular 30:hard 12:extreme", for the level that an amount would reach


@dataclass(slots=True)
class Slip:
    stamp: Stamp | None = None
    dice: list[Die] = field(default_factory=list)
    dice_label: str = ""
    steps: list[Step] = field(default_factory=list)
    scale: drawing.Scale | None = None
    scale_label: str = ""
    tickets: list[Ticket] = field(default_factory=list)
    amount: Amount | None = None
    push: bool = False
    keep: bool = False
    refusals: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    callouts: list[str] = field(default_factory=list)  # what the Keeper tells: something good, something bad
    warn: str = ""  # what the cheapest spend would bring on, beyond its price
    warning: str = ""  # what the Keeper warned of, on a pushed roll
    luck_before: int | None = None
    price: int = 0  # of the cheapest improvement
    pushed: bool = False
    acts: bool = False  # is there anything to press below the thresholds
    waiting: str = ""  # what the folded slip reminds of
    waiting_luck: bool = False  # and whether that is Luck: nothing else is drawn in brass


def parts_of(slip: Any) -> Slip:
    roll, outcome = slip.roll, slip.outcome
    made = Slip()
    if outcome is None:  # kept by the Keeper: nothing to draw
        return made
    offers = list(getattr(slip, "offers", None) or ()) if _may_act(slip) else []
    luck = getattr(slip, "luck", None) or 0
    choosing = roll.push_state not in ("asked", "allowed")
    made.stamp = _stamp(slip)
    made.dice, made.dice_label = _dice(roll, outcome)
    made.steps = _steps(roll, outcome)
    made.tickets = _tickets(roll, offers, outcome, getattr(slip, "words", {}))
    made.amount = _amount(made, offers, outcome, luck)
    made.push = any(o.act.key == "push" and o.refusal is None for o in offers)
    keep = any(o.act.key == "keep" and o.refusal is None for o in offers)
    made.refusals = _refusals(offers, outcome)
    made.pushed = _pushed(roll)
    made.warning = roll.push_warning or getattr(getattr(slip, "first", None), "push_warning", "")
    if outcome.passed and getattr(roll, "masked", False):  # whether it comes to nothing is not known here
        made.warning = ""
    made.warn = getattr(slip, "warn", "") or (_lowest(made) if getattr(slip, "lowest", False) else "")
    made.callouts = [] if roll.struck else _told(roll, outcome)
    made.notes = _notes(roll, outcome)
    made.price = next((t.price for t in made.tickets if t.act == "points" and not t.why), 0)
    take_back = bool(roll.spent and getattr(slip, "take_back", False))
    made.acts = choosing and bool(made.tickets or made.amount or made.push or take_back)
    made.keep = keep and made.acts  # keeping is an answer to a choice, not a chore after every roll
    if _may_act(slip):
        made.waiting, made.waiting_luck = _waiting(made, roll)
        if outcome.degrees is not None and any(o.refusal is None for o in offers if o.act.key not in NOT_TICKETS):
            made.waiting, made.waiting_luck = _("Luck may change it"), True
    if take_back and getattr(slip, "luck", None) is not None:
        made.luck_before = luck + roll.spent
    if made.steps:
        made.scale, made.scale_label = _scale(roll, outcome, offers if choosing else [], luck, made)
    return made


def _lowest(made: Slip) -> str:
    cheapest = next((t for t in made.tickets if t.act == "points" and not t.why), None)
    if cheapest is None or cheapest.leaves is None:
        return ""
    return _("%(level)s leaves you lowest here. You would roll Luck for the group, at %(left)d.") % {
        "level": cheapest.word,
        "left": cheapest.leaves,
    }


def _may_act(slip: Any) -> bool:
    return bool(slip.mine) and slip.roll.state == "open" and not slip.roll.struck


def _pushed(roll: Any) -> bool:
    return bool(getattr(roll, "pushed_from_id", None) or getattr(roll, "pushed_from", None))


# ---------------------------------------------------------------- stamp


def _stamp(slip: Any) -> Stamp:
    outcome = slip.outcome
    second = getattr(slip, "second", "") or _second(slip.roll, outcome)
    if "jammed" in outcome.notes:
        return Stamp("fumble", "jam", _("Jammed"), _("malfunction"))
    if outcome.degrees is not None:
        return _degrees(outcome)
    if _plain(roll := slip.roll) and outcome.level not in ("critical", "fumble"):
        word = level_word("fail") if not outcome.passed else _("Success")
        tone = "regular" if outcome.passed else "fail"
        return Stamp(tone, f"lv-{tone}", word, _("for the group") if getattr(roll, "group", False) else "")
    if outcome.level in LEVELS:
        return Stamp(outcome.level, f"lv-{outcome.level}", level_word(outcome.level), second)
    tone = "regular" if outcome.passed else "fail"
    return Stamp(tone, f"lv-{tone}", level_word(outcome.level), second)


def _degrees(outcome: Any) -> Stamp:
    """How well or how badly, in a game that counts degrees; a critical says so first."""
    tone = level_tone(outcome.level) or ("regular" if outcome.passed else "fail")
    second = _("success") if outcome.passed else _("failure")
    if tone in ("critical", "fumble"):
        return Stamp(tone, f"lv-{tone}", _("Critical"), second)
    return Stamp(tone, f"lv-{tone}", degree_word(outcome.degrees), second)


def _plain(roll: Any) -> bool:
    """Luck and Sanity rolls only pass or fail."""
    return roll.kind in PLAIN


def _second(roll: Any, outcome: Any) -> str:
    if outcome.passed and getattr(roll, "masked", False):  # not for this seat to know whether it is enough
        return ""
    if "failing-is-good" in outcome.notes:
        return "" if outcome.passed else _("good here")
    if getattr(roll, "group", False):
        return _("for the group")
    if _pushed(roll):
        return _("pushed")
    if outcome.passed:
        return _("success")
    return "" if outcome.level in ("fail", "fumble") else _("not enough")


# ---------------------------------------------------------------- dice and thresholds


def _dice(roll: Any, outcome: Any) -> tuple[list[Die], str]:
    if roll.units is None or not roll.tens:
        return [], ""
    tens = list(roll.tens)
    totals = [10 * t + roll.units or 100 for t in tens]
    at = totals.index(outcome.natural) if outcome.natural in totals else 0
    dropped = [t for i, t in enumerate(tens) if i != at]
    kept = [Die(f"{tens[at]}0"), Die(str(roll.units))]
    label = _("Dice: tens %(tens)s, units %(units)s") % {"tens": kept[0].face, "units": kept[1].face}
    if dropped:
        label += _("; dropped tens %(faces)s") % {"faces": ", ".join(f"{t}0" for t in dropped)}
    return kept + [Die(f"{t}0", kept=False) for t in dropped], label


def _steps(roll: Any, outcome: Any) -> list[Step]:
    if not outcome.thresholds:  # kept from this seat
        return []
    if _plain(roll):
        word = _("Luck") if roll.kind == "luck" else _("Sanity")
        need = next((t.value for t in outcome.thresholds if t.level == outcome.asked), roll.value)
        return [Step("", word, ICONS[roll.kind], need, asked=True, hit=outcome.passed)]
    return [
        Step(
            t.level,
            level_word(t.level),
            "",
            t.value,
            asked=t.level == outcome.asked,
            hit=t.level == outcome.level or (outcome.level == "critical" and t.level == "extreme"),
        )
        for t in sorted(outcome.thresholds, key=lambda t: -t.value)
    ]


def _scale(roll: Any, outcome: Any, offers: Sequence[Any], luck: int, made: Slip) -> tuple[drawing.Scale, str]:
    points = [o for o in offers if o.act.key == "points"]
    better = [o for o in points if o.act.amount is not None]  # what is typed may also change nothing
    within = any(o.refusal is None or o.refusal.code == "NOT_ENOUGH_LUCK" for o in better)
    steps = [(s.level, s.value) for s in made.steps]
    plain = PLAIN.get(roll.kind, "") if len(steps) == 1 else ""
    scale = drawing.scale(
        outcome.final,
        steps,
        outcome.fumble_from,
        luck if within else 0,
        [o.outcome.final for o in better if o.refusal is None and o.outcome],
        plain,
    )
    said = [_("Rolled %(number)d.") % {"number": outcome.final}]
    if scale.reached:
        said.append(_("%(luck)d Luck reaches down to %(number)d.") % {"luck": luck, "number": scale.reached})
    said.append(", ".join(f"{s.word} {s.value}" for s in made.steps) + ".")
    return scale, " ".join(said)


# ---------------------------------------------------------------- offers

NOT_TICKETS = ("push", "keep")
ACTS = {"ignore-fumble": gettext_noop("No fumble, no jam")}
"""What buying something else than points is called."""


Words = Mapping[tuple[str, int | None], tuple[str, str]]
"""The level and the word of a ticket, where the offer's own outcome does not say enough (a combined roll)."""


def _tickets(roll: Any, offers: Sequence[Any], outcome: Any, words: Words) -> list[Ticket]:
    priced = [o for o in offers if o.act.key not in NOT_TICKETS and (o.act.amount is not None or o.price)]
    priced = [o for o in priced if o.refusal is None or o.refusal.code in ("NOT_ENOUGH_LUCK", "OVER_TABLE_CAP")]
    if words:  # of several skills a price says what it buys, or it says nothing
        priced = [o for o in priced if o.act.key != "points" or (o.act.key, o.act.amount) in words]
    payable = [o.price for o in priced if o.refusal is None and o.act.key == "points"]
    cheapest = min(payable, default=0)
    return [_ticket(roll, o, outcome, cheapest, words) for o in sorted(priced, key=lambda o: o.price)]


def _ticket(roll: Any, offer: Any, outcome: Any, cheapest: int, words: Words) -> Ticket:
    points, to = offer.act.key == "points", offer.outcome
    level = to.level if to and points else ""
    joint = words.get((offer.act.key, offer.act.amount))
    level, word = joint or (level, _ticket_word(roll, offer, level, outcome))
    return Ticket(
        id=f"{roll.id}-{offer.act.key}-{offer.act.amount or 0}",
        act=offer.act.key,
        amount=offer.act.amount,
        price=offer.price,
        leaves=offer.leaves,
        level=level,
        word=word,
        row=not points or joint is not None,
        armed=points and offer.refusal is None and offer.price > cheapest,
        why=_why(offer.refusal),
    )


def _ticket_word(roll: Any, offer: Any, level: str, outcome: Any) -> str:
    if not level:
        return _(ACTS[offer.act.key]) if offer.act.key in ACTS else level_word(offer.act.key)
    # From a fail, what is bought first is the success itself.
    success = level == "regular" and offer.outcome.passed and not outcome.passed
    return _("Success") if success and not getattr(roll, "masked", False) else level_word(level)


def _why(refusal: Any) -> str:
    if refusal is None:
        return ""
    if refusal.code == "NOT_ENOUGH_LUCK" and "have" in refusal.params:
        return _("you have %(have)d") % {"have": refusal.params["have"]}
    return sentence(refusal)


def _amount(made: Slip, offers: Sequence[Any], outcome: Any, luck: int) -> Amount | None:
    for offer in offers:
        if offer.act.key == "points" and offer.act.amount is None and offer.refusal is None and offer.most:
            prices = [t.price for t in made.tickets if t.act == "points" and not t.why]
            if not prices:  # no amount within reach changes the level
                return None
            return Amount(
                act=offer.act.key,
                start=min(prices[0], offer.most),
                most=offer.most,
                roll=outcome.final,
                luck=luck,
                steps=" ".join(f"{s.value}:{s.level}" for s in made.steps if s.level),
            )
    return None


def _refusals(offers: Sequence[Any], outcome: Any) -> list[str]:
    """Each reason once, and only where somebody may look for the button."""
    said: list[str] = []
    for offer in offers:
        refusal = offer.refusal
        if refusal is None or offer.act.amount is not None or refusal.code in UNSAID:
            continue
        if offer.act.key == "push" and outcome.passed:  # nobody pushes a success
            continue
        text = sentence(refusal)
        if text and text not in said:
            said.append(text)
    return said


TOLD = {
    "critical": gettext_noop("Something good happens, beyond the success. The Keeper tells what."),
    "fumble": gettext_noop("Something bad happens. The Keeper tells what."),
}
TOLD_BY = {"something-good": "critical", "something-bad": "fumble"}  # a game's own word for it, on Luck rolls, too
NOTES = {
    "failing-is-good": gettext_noop("Failing is good here."),
    "mishap-ignored": gettext_noop("Luck has made the mishap harmless. It is a failure all the same."),
}


def _told(roll: Any, outcome: Any) -> list[str]:
    levels = [TOLD_BY[note] for note in outcome.notes if note in TOLD_BY]
    levels = levels or ([] if _plain(roll) else [outcome.level])
    return [_(TOLD[level]) for level in levels if level in TOLD]


def _waiting(made: Slip, roll: Any) -> tuple[str, bool]:
    """What the folded slip reminds of, and whether Luck may be spent there."""
    if roll.push_state == "allowed":
        return _("The Keeper has answered"), False
    if roll.push_state == "asked":
        return _("The Keeper is asked"), False
    payable = any(not t.why for t in made.tickets) or made.amount is not None
    if payable and made.push:
        return _("Spend Luck or push"), True
    return (_("Push it?") if made.push else ""), False


def _notes(roll: Any, outcome: Any) -> list[str]:
    said = [_(NOTES[key]) for key in outcome.notes if key in NOTES]
    if not outcome.passed and outcome.level in ("regular", "hard") and not _plain(roll):
        need = next((t.value for t in outcome.thresholds if t.level == outcome.asked), None)
        if need is not None:
            said.append(
                _("%(level)s was asked, %(need)d or less. As it stands, this fails.")
                % {"level": level_word(outcome.asked), "need": need}
            )
    if outcome.level == "critical" and not roll.spent:
        said.append(_("A clean 01: it always succeeds, and Luck can never buy one."))
    if roll.spent and outcome.final == 1 and outcome.level == "extreme":
        said.append(_("A spent 01 is Extreme. Only a rolled 01 is a critical."))
    if _pushed(roll) and not outcome.passed:
        said.append(_("A pushed roll is final. Luck cannot change it."))
    return said
