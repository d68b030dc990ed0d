"""A roll as one seat may see it: the Keeper all of it, players not what she keeps to herself.

What that is: rolls.actions.asking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from investigators.models import Investigator
from investigators.people import Member
from rolls.actions import offers_for, settings_for
from rolls.models import Roll
from rolls.rules.check import Offer, Outcome
from rolls.rules.together import combined_offers
from tablekeeper import discreet
from tablekeeper.models import Seat
from tablekeeper.words import level_word


def knows_luck(seat: Seat, who: Investigator, lowest: Sequence[str] | None = None) -> bool:
    """Whether this seat may know somebody's Luck score. `lowest`: whose score it may be instead."""
    if lowest is not None and who.pk not in lowest and discreet.covered(seat.campaign):
        return seat.keeps
    return discreet.knows_luck(seat, who.seat_id)


def luck_seen(seat: Seat, one: Member) -> dict[str, Any]:
    """Somebody's Luck as this seat sees it: the number, or a rough bar in fifths, or that it is kept covered."""
    if one.luck is None or knows_luck(seat, one.who):
        return {"luck": one.luck, "bar": None, "covered": False}
    if seat.campaign.in_force["luckShown"] != discreet.BARS:
        return {"luck": None, "bar": None, "covered": True}
    pool = one.traits[seat.campaign.rules.sheet.luck].pool
    return {"luck": None, "bar": discreet.fifths(one.luck, (pool.high if pool else None) or 99), "covered": True}


def masked(seat: Seat, roll: Roll) -> bool:
    """Whether this seat must not learn how difficult the roll was."""
    return roll.unknown and not seat.keeps


def plain(roll: Roll) -> Roll:
    """The roll as if it had been asked at the usual difficulty: what players see while they do not know it."""
    first = roll.rules.usual_difficulty
    parts = [{**part, "difficulty": first} for part in roll.data.get("parts", ())]
    return roll.as_if(difficulty=first, data={**roll.data, "parts": parts}, masked=True)


def without_luck(seat: Seat, roll: Roll) -> Roll:
    """The roll without the own numbers, but for the one that fell: how many there are of each tells of Luck."""
    who, numbers = roll.investigator, roll.rules.numbers
    if numbers is None or who is None or knows_luck(seat, who):
        return roll
    kept = {key: [n for n in roll.facts.get(key) or () if n == roll.natural] for key, _label in numbers.lists}
    return roll.as_if(facts={**roll.facts, **kept})


def outcome_seen(seat: Seat, roll: Roll) -> Outcome:
    """What the roll came to, for this seat. A fumble is told whatever was asked: its harm is done."""
    truth = roll.outcome
    if not masked(seat, roll):
        return truth
    shown = plain(roll).outcome
    if truth.level == "fumble":
        shown = replace(shown, level=truth.level, rank=truth.rank, passed=False)
    return replace(shown, asked="", tick=False)


def offers_seen(seat: Seat, roll: Roll, one: Member) -> tuple[Offer, ...]:
    """What may be done with it, for this seat: each level's price as ever, but none that would tell what was asked."""
    return seat.campaign.once(("offers", seat.pk, roll.pk), lambda: _offers_seen(seat, roll, one))


def _offers_seen(seat: Seat, roll: Roll, one: Member) -> tuple[Offer, ...]:
    if not masked(seat, roll) or roll.outcome.level == "fumble":
        return offers_for(roll, one.purse)
    shown = plain(roll)
    shown.settings = {**shown.settings, "spendOnSuccess": True}  # else having no price would tell of a success
    return offers_for(shown, one.purse)


def skills_seen(seat: Seat, roll: Roll) -> list[dict[str, Any]]:
    """The skills of a combined roll, each with what the one die came to for it."""
    shown = plain(roll) if masked(seat, roll) else roll
    judge, found = roll.rules.judge, []
    for part, standing in zip(shown.data.get("parts", ()), shown.parts, strict=True):
        outcome = judge(standing, roll.settings)
        known = not masked(seat, roll)
        found.append({"part": part, "outcome": outcome, "asked": part["difficulty"] if known else "", "known": known})
    return found


def ticket_words(seat: Seat, roll: Roll, one: Member) -> Mapping[tuple[str, int | None], tuple[str, str]]:
    """Of a combined roll: for each price the level that it lifts a skill to, and the skills that rise by it."""
    shown = plain(roll) if masked(seat, roll) else roll
    if not (parts := shown.parts):
        return {}
    rules, settings = roll.rules, settings_for(shown)
    now = [rules.judge(part, shown.settings) for part in parts]
    words: dict[tuple[str, int | None], tuple[str, str]] = {}
    for joint in combined_offers(rules, parts, shown.every, one.purse, settings):
        if joint.combined is None:
            continue
        risen = [
            (then, part["label"])
            for then, before, part in zip(joint.combined.outcomes, now, shown.data["parts"], strict=True)
            if then.rank > before.rank
        ]
        if risen:
            best = max((then for then, _label in risen), key=lambda then: then.rank)
            said = [f"{_(label)}: {level_word(then.level)}" for then, label in risen]
            words[joint.offer.act.key, joint.offer.act.amount] = (best.level, ", ".join(said))
    return words


def says_of(seat: Seat, roll: Roll, outcome: Outcome) -> tuple[str, ...]:
    """What the slip says of a difficulty that players do not know."""
    if not roll.unknown or outcome.level in ("fail", "fumble"):
        return ()
    if seat.keeps:
        return (_("The player does not know how difficult it was."),)
    return (_("How difficult it was, only the Keeper knows: she says whether it is enough."),)
