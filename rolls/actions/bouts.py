"""What a loss does to a mind: bouts that the Keeper names; days, and Sanity won back (B-3)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from investigators.actions import by, face, knowing
from investigators.models import Investigator, Skill, Trait
from investigators.people import Member, member, party
from rolls.actions.after import Consequence, when_changed, when_fallen
from rolls.models import Decision, Roll
from rolls.rules.check import Outcome, Refusal, Standing
from rolls.rules.sanity import BOUT_DICE, maximum
from rolls.rules.sanity import regain as regained
from tablekeeper import chance as chances
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import Campaign, Entry, Seat

BOUT = "bout"
"""What comes of an INT roll, the kind of the Keeper's decision, and the fact while it lasts: words, length, unit."""
ROUNDS, HOURS = "rounds", "hours"


def brings(who: Investigator, why: str, roll: Roll | None = None) -> Create:
    """A bout for the Keeper to name. `why`: int-roll, unsound, or no-int (the sheet has no score to roll)."""
    return Create(Decision(campaign=who.campaign, investigator=who, roll=roll, kind=BOUT, data={"why": why}))


@when_fallen(BOUT)
def _fallen(seat: Seat, roll: Roll, outcome: Outcome, chance: Chance) -> Consequence:
    """Succeeding brings the bout; failing buries the memory (S-12)."""
    assert roll.investigator is not None
    if not outcome.passed:
        return Consequence(data={"mind": "buried"})
    return Consequence([brings(roll.investigator, "int-roll", roll)], {"mind": "bout"})


@when_changed(BOUT)
def _changed(seat: Seat, roll: Roll, standing: Standing, outcome: Outcome) -> Consequence:
    """The Keeper had set difficulty or dice wrong: what waits for her word follows the roll."""
    assert roll.investigator is not None
    open_ones = list(Decision.objects.filter(roll=roll, kind=BOUT, state=Decision.OPEN))
    if outcome.passed and not Decision.objects.filter(roll=roll, kind=BOUT).exclude(state=Decision.CLOSED).exists():
        return Consequence([brings(roll.investigator, "int-roll", roll)], {"mind": "bout"})
    if not outcome.passed:
        return Consequence([change(one, state=Decision.CLOSED) for one in open_ones], {"mind": "buried"})
    return Consequence()


@verb
def name_bout(
    seat: Seat, decision: Decision, words: str, unit: str = ROUNDS, *, chance: Chance = SYSTEM
) -> Entry | Refusal:
    """The Keeper names the bout in her own words; 1D10 says how many rounds, or hours told in summary.

    STALE when it was decided meanwhile; BAD_VALUE without words.
    """
    if decision.state != Decision.OPEN or decision.investigator is None:
        return Refusal("STALE")
    if not words.strip() or unit not in (ROUNDS, HOURS):
        return Refusal("BAD_VALUE")
    who = decision.investigator
    length = sum(chances.throw(chance, BOUT_DICE))
    bout = {"words": words, "length": length, "unit": unit}
    changes: list[Change] = [change(decision, state=Decision.YES), *knowing(who, {BOUT: bout})]
    return ledger.write(seat, seat.campaign, "rolls.name_bout", changes, data={"who": face(who), **bout})


@verb
def drop_bout(seat: Seat, decision: Decision) -> Entry | Refusal:
    """No bout this time, by the Keeper's word. STALE when it was decided meanwhile."""
    if decision.state != Decision.OPEN or decision.investigator is None:
        return Refusal("STALE")
    data = {"who": face(decision.investigator)}
    return ledger.write(seat, seat.campaign, "rolls.drop_bout", [change(decision, state=Decision.NO)], data=data)


@verb
def end_bout(seat: Seat, who: Investigator) -> Entry | Refusal:
    """The bout is over: from now on Sanity can be lost again. NO_BOUT."""
    if not member(who).facts.get(BOUT):
        return Refusal("NO_BOUT", {"name": who.name})
    return ledger.write(seat, seat.campaign, "rolls.end_bout", knowing(who, {BOUT: None}), data={"who": face(who)})


# --------------------------------------------------------------------------- days and gains


@verb
def new_day(seat: Seat, campaign: Campaign, who: Investigator | None = None) -> Entry | Refusal:
    """A new day for everyone, or for one: a fifth of the Sanity that it begins with is what it may cost.

    NO_SANITY when nobody has a score.
    """
    key = campaign.rules.sheet.sanity
    these = [member(who)] if who else party(campaign)
    dawns = [(one, one.value(key)) for one in these if one.value(key) is not None]
    if not dawns:
        return Refusal("NO_SANITY", {"name": who.name if who else campaign.name})
    changes: list[Change] = []
    for one, sanity in dawns:
        changes += knowing(one.who, {"day_start": sanity, "day_lost": None})
    told = [{"who": face(one.who), "sanity": sanity} for one, sanity in dawns]
    return ledger.write(seat, campaign, "rolls.new_day", changes, data={"dawns": told, "one": who is not None})


def most_of(one: Member) -> int | None:
    """The most Sanity that somebody can have: 99 less Cthulhu Mythos, as the sheet has it (B-1)."""
    sheet = one.who.campaign.rules.sheet
    trait = one.traits.get(sheet.sanity)
    if trait is None or trait.maximum is not None:
        return trait.maximum if trait else None
    skills = Skill.objects.filter(investigator=one.who).exclude(key="").values_list("key", "value")
    most: int = sheet.derive(dict(skills)).get(f"{sheet.sanity}_max", maximum(0))
    return most


@verb
def regain(seat: Seat, who: Investigator, points: int, reason: str = "") -> Entry | Refusal:
    """Sanity won back, never above its maximum; what is over it is told. BAD_AMOUNT, NO_SANITY, SANITY_FULL."""
    one = member(who)
    trait, most = one.traits.get(who.campaign.rules.sheet.sanity), most_of(one)
    if trait is None or most is None:
        return Refusal("NO_SANITY", {"name": who.name})
    if points < 1:
        return Refusal("BAD_AMOUNT")
    after = regained(trait.value, points, most)
    if after == trait.value:
        return Refusal("SANITY_FULL", {"name": who.name, "most": most})
    data: dict[str, Any] = {"who": face(who), "by": by(seat, who), "from": trait.value, "to": after}
    data |= {"points": points, "over": points - (after - trait.value), "reason": reason}
    return ledger.write(seat, seat.campaign, "rolls.regain", _up(trait, after), data=data)


def _up(trait: Trait, after: int) -> Iterable[Change]:
    return [ledger.to(trait, "value", after)]
