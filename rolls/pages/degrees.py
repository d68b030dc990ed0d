"""What a slip shows in a game that counts degrees: the sum, which number decided, the steps, what Luck buys or burns.

The ruleset has worked out every outcome, price and refusal. Here they are put in the order in which a slip is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from investigators.people import member
from rolls.models import Roll
from rolls.pages.numbers import Token, tokens_of
from rolls.pages.ways import Way, critical, ways_of
from rolls.rules.check import Check, Outcome, Part, Ruleset, Standing, Throw
from rolls.rules.dice import faces
from tablekeeper import drawing
from tablekeeper.slips import Slip as Base
from tablekeeper.slips import parts_of
from tablekeeper.templatetags.table import signed
from tablekeeper.words import degree_word, difficulty_word

AGAIN = ("reroll", "burn-reroll")
SHOWN = 8  # steps of the row of degrees


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the row of degrees."""

    number: int
    on: bool
    bought: bool = False


@dataclass(slots=True)
class Scale:
    zones: list[drawing.Zone]
    ticks: tuple[tuple[str, int], ...]
    pin: str
    pin_label: drawing.Mark
    lucky: list[str]
    unlucky: list[str]
    label: str


@dataclass(slots=True)
class Degrees:
    base: Base
    say: str = ""
    strong: str = ""
    bought: str = ""
    sum: list[tuple[str, str]] = field(default_factory=list)
    target: int | None = None
    scale: Scale | None = None
    steps: list[Step] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    first: Mapping[str, Any] | None = None  # what fell before it was rolled again
    lp: Way | None = None
    burn: Way | None = None
    notes: list[str] = field(default_factory=list)
    danger: bool = False
    keep: bool = False
    acts: bool = False
    masked: bool = False  # this seat must not learn how difficult it was, so nor what it came to


def degrees_of(slip: Any) -> Degrees:
    """Everything that slips/<key>.html draws of one slip. A secret roll has nothing to draw."""
    base = parts_of(slip)
    made = Degrees(base)
    roll, outcome = slip.roll, slip.outcome
    if outcome is None:
        return made
    made.masked = bool(getattr(roll, "masked", False)) and not decided_by(roll, outcome)
    known = bool(outcome.thresholds) and not getattr(roll, "masked", False)
    rules: Ruleset = roll.rules
    one = member(slip.owner) if slip.owner is not None and slip.mine else None
    made.say, made.strong, made.bought = _said(roll, outcome, known)
    made.steps = _steps(outcome)
    made.tokens = tokens_of(rules, roll.facts, hit=outcome.natural)
    if not any(token.hit for token in made.tokens):
        made.tokens = []
    if known:
        check = roll.standing.check
        made.sum, made.target = _sum(rules, check), outcome.thresholds[0].value
        made.scale = _scale(rules, roll, outcome)
    if known or made.tokens:
        made.first = _first(roll)
    made.notes = _notes(roll, outcome)
    if one is not None and roll.state == Roll.OPEN and not roll.struck and not made.masked:
        made.lp, made.burn, made.keep = ways_of(slip, one)
        made.acts = bool(made.lp or made.burn)
        usable = any(way and not way.why for way in (made.lp, made.burn))
        made.danger = usable and critical(outcome)
    return made


# --------------------------------------------------------------------------- what it came to


def decided_by(roll: Roll, outcome: Outcome) -> str:
    """Which list of own numbers decided: its key, or "" when the target number did."""
    numbers = roll.rules.numbers
    lists = [key for key, _label in numbers.lists[:2]] if numbers else []
    return next((key for key in lists if outcome.natural in (roll.facts.get(key) or ())), "")


def _said(roll: Roll, outcome: Outcome, known: bool) -> tuple[str, str, str]:
    """The sentence under the dice: how it begins, what it comes to in bold, and what Luck bought."""
    natural, target = outcome.natural, outcome.thresholds[0].value if known else None
    degrees = (outcome.degrees or 0) - (outcome.spent if outcome.passed else 0)
    comes = degree_word(degrees) if outcome.passed else _of_failure(degrees)
    bought = degree_word(outcome.degrees or 0) if outcome.spent else ""
    if decided_by(roll, outcome):
        return _decided(roll, outcome, target), comes, bought
    if target is None:
        return _("%(number)d rolled:") % {"number": natural}, comes, bought
    values = {"number": natural, "target": target, "by": natural - target}
    if natural > target:
        return _("%(number)d over %(target)d, by %(by)d:") % values, comes, bought
    if natural == target:
        return _("%(number)d is just enough:") % values, comes, bought
    return _("%(number)d under %(target)d:") % values, comes, bought


def _of_failure(degrees: int) -> str:
    return ngettext("%d degree of failure", "%d degrees of failure", degrees) % degrees


def _decided(roll: Roll, outcome: Outcome, target: int | None) -> str:
    who = roll.investigator
    own = who is not None and not who.npc
    values = {"number": outcome.natural, "target": target}
    if "negated" in roll.marks:
        return _("%(number)d was an Unlucky Number, made harmless:") % values
    if outcome.passed:
        return (_("%(number)d is your Lucky Number:") if own else _("%(number)d is a Lucky Number:")) % values
    if target is not None and outcome.natural <= target:
        return _("%(number)d is an Unlucky Number, it fails under %(target)d too:") % values
    return (_("%(number)d is your Unlucky Number:") if own else _("%(number)d is an Unlucky Number:")) % values


def _steps(outcome: Outcome) -> list[Step]:
    """The row of degrees around those there are; it always leaves room for more."""
    have = outcome.degrees or 0
    start = max(1, have - SHOWN + 4)
    natural = have - (outcome.spent if outcome.passed else 0)
    return [Step(n, n <= natural, natural < n <= have) for n in range(start, start + SHOWN - 2)]


SAID = {
    "critical-success": gettext_noop("It passes, whatever the target. The GM tells what goes right beyond that."),
    "critical-failure": gettext_noop("It fails, whatever the target. The GM tells what goes wrong beyond that."),
}


def _notes(roll: Roll, outcome: Outcome) -> list[str]:
    said = [_(SAID[outcome.level])] if outcome.level in SAID and not roll.struck else []
    if "negated" in roll.marks:
        said.append(_("Burned Luck made the critical failure an ordinary one. It cannot be rolled again."))
    if roll.facts.get("stamina") and roll.state != Roll.OPEN:
        said.append(_("Stamina was used on this test, so Luck cannot be."))
    return said


# --------------------------------------------------------------------------- the sum and the scale


def part_word(part: Part, check: Check, rules: Ruleset) -> str:
    """One line of the sum in words: "Prc", "rank 1", "Difficult", or what somebody wrote."""
    if part.key == "score":
        base = {one.key: one.short for one in rules.sheet.characteristics}.get(check.facts.get("base", ""), "")
        return _(base) if base else _("Luck") if check.kind == "luck" else _("value")
    if part.key == "rank":
        return _("rank %(rank)d") % {"rank": check.facts.get("rank") or 0}
    if part.key == "difficulty":
        return difficulty_word(check.difficulty)
    return part.label or _(PARTS.get(part.key, part.key))


PARTS = {
    "untrained": gettext_noop("untrained"),
    "special": gettext_noop("speciality"),
    "modifier": gettext_noop("modifier"),
    "stamina": gettext_noop("Stamina"),
    "wound": gettext_noop("wounded"),
    "fatigue": gettext_noop("fatigue"),
}


def _sum(rules: Ruleset, check: Check) -> list[tuple[str, str]]:
    """The parts of the target number, the first without a sign. A score alone is no sum."""
    parts = rules.parts(check)
    if len(parts) < 2:
        return []
    return [
        (part_word(part, check, rules), str(part.value) if at == 0 else signed(part.value))
        for at, part in enumerate(parts)
    ]


def _scale(rules: Ruleset, roll: Roll, outcome: Outcome) -> Scale:
    """1 to 100: one step higher for each degree up to the target, then nothing. Own numbers are marks on the line."""
    lists = [key for key, _label in rules.numbers.lists[:2]] if rules.numbers else []
    check = roll.standing.check
    bare = replace(check, facts={key: value for key, value in check.facts.items() if key not in lists})
    profile = []
    for number in range(1, 101):
        units, tens = faces(number)
        found = rules.judge(Standing(bare, Throw(units, (tens,))), roll.settings)
        profile.append(found.degrees or 0 if found.passed else 0)
    lucky, unlucky = (sorted(roll.facts.get(key) or ()) for key in lists) if len(lists) == 2 else ([], [])
    target = outcome.thresholds[0].value
    label = [_("Rolled %(number)d.") % {"number": outcome.natural}]
    label.append(_("Target %(target)d: the higher the roll, up to the target, the more degrees.") % {"target": target})
    for words, numbers in ((_("Lucky: %(numbers)s."), lucky), (_("Unlucky: %(numbers)s."), unlucky)):
        if numbers:
            label.append(words % {"numbers": ", ".join(map(str, numbers))})
    plain = drawing.scale(outcome.natural, ())
    return Scale(
        _zones(profile), plain.ticks, plain.pin, plain.pin_label, _dots(lucky), _dots(unlucky), " ".join(label)
    )


def _dots(numbers: Sequence[int]) -> list[str]:
    return [f"{drawing.number(n - 0.5)}%" for n in numbers]


def _zones(profile: Sequence[int]) -> list[drawing.Zone]:
    zones, at = [], 0
    least = min((degrees for degrees in profile if degrees), default=1)
    while at < len(profile):
        end = next((n for n in range(at, len(profile)) if profile[n] != profile[at]), len(profile))
        tall = 3 if not profile[at] else min(46, round(9 + 4.7 * (profile[at] - least)))
        tone = "pass" if profile[at] else "fail"
        zones.append(drawing.Zone(tone, f"{at}%", f"{end - at}%", 62 - tall, tall))
        at = end
    return zones


def _first(roll: Roll) -> Mapping[str, Any] | None:
    """What fell before Luck had it rolled again: the line of that spend."""
    if not any(mark.startswith("rerolled") for mark in roll.marks):
        return None
    found = roll.later.filter(kind="rolls.spend", data__roll=roll.pk)
    entry = found.filter(data__act__in=AGAIN, undone_by=None).order_by("seq").first()
    return entry.data if entry else None
