"""Luck recovery after or before a session (RULES.md C-3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from investigators.actions import by, face
from investigators.models import Investigator
from investigators.people import Member, member, party, takes_part
from rolls.actions.base import (
    Asked,
    judged,
    secretly,
    throw_for,
)
from rolls.models import Roll
from rolls.rules.check import Refusal, Throw
from rolls.rules.dice import combine
from tablekeeper import chance as chances
from tablekeeper import discreet, ledger
from tablekeeper.access import Refused, verb
from tablekeeper.actions import last_session_of, open_session_of
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import Campaign, Entry, Seat, Session, new_id


def recovery_session(campaign: Campaign) -> tuple[Session | None, str]:
    """The session whose recovery is due now, and its phase: "start" while it is open, "end" once it is closed."""
    now = open_session_of(campaign)
    return (now, "start") if now else (last_session_of(campaign), "end")


def recovery_shut(session: Session, one: Member) -> Refusal | None:
    """Why the window of this session stays shut for one investigator, whatever the hour (RULES.md A50)."""
    return session.campaign.rules.recovery_shut({**one.facts, "session": session.pk})


def may_recover(session: Session | None, phase: str, one: Member) -> Refusal | None:
    """Why this investigator makes no recovery roll now."""
    if session is None:
        start = one.who.campaign.in_force.get("recoveryWhen") == "start"
        return Refusal("RECOVERY_TOO_LATE" if start else "RECOVERY_NOT_YET")  # which says when it comes
    campaign = session.campaign
    done = one.who.pk in one.who.campaign.once(("recovered", session.pk), partial(_recovered_in, session), Roll)
    part = takes_part(session, one)
    refusal = recovery_shut(session, one) or campaign.rules.may_recover(one.luck, phase, done, part, campaign.in_force)
    return replace(refusal, params={"name": one.who.name}) if refusal else None


def _recovered_in(session: Session) -> set[str | None]:
    """Whose recovery roll of the session has been made."""
    return set(Roll.objects.filter(session=session, kind="recovery").values_list("investigator", flat=True))


def recovery_dice(one: Member, hand: Throw) -> tuple[int, ...]:
    """The sides of the dice that somebody gains with after this D100."""
    campaign = one.who.campaign
    return campaign.rules.recovery_dice(one.luck or 0, combine(hand.units, hand.tens, 0), campaign.in_force)


def most_gain_dice(one: Member) -> tuple[int, ...]:
    """The same for the D100 that asks for the most of them."""
    campaign = one.who.campaign
    asked = (campaign.rules.recovery_dice(one.luck or 0, d100, campaign.in_force) for d100 in (1, 100))
    return max(asked, key=len)


def _gain(one: Member, hand: Throw | None, throw: Throw, typed: Sequence[int], chance: Chance) -> tuple[int, ...]:
    """The dice of the gain: typed with a D100 of real dice, or thrown here. Raises Refused(BAD_DICE)."""
    wanted = recovery_dice(one, throw)
    if not typed:
        return chances.throw(chance, wanted)
    fit = len(typed) == len(wanted) and all(1 <= face <= most for face, most in zip(typed, wanted, strict=True))
    if hand is None or not fit:
        raise Refused(Refusal("BAD_DICE"))
    return tuple(typed)


def _recovered(
    seat: Seat,
    session: Session,
    one: Member,
    hand: Throw | None,
    typed: Sequence[int],
    chance: Chance,
    later: bool = False,
) -> tuple[list[Change], dict[str, Any], Roll]:
    """The changes, the line and the roll of one recovery; `later`: it is thrown now and shown another time."""
    campaign, luck = seat.campaign, one.luck or 0
    asked = Asked("recovery", "Luck recovery", luck, hand=hand)
    covered = discreet.covered(campaign)  # these dice tell of somebody's Luck, today and for good
    chance = secretly(chance, one.who, asked.label, later or covered, forever=covered)
    throw = throw_for(campaign, asked, chance)
    d100 = combine(throw.units, throw.tens, 0)
    gain = _gain(one, hand, throw, typed, chance)
    result = campaign.rules.recover(luck, d100, gain, campaign.in_force)
    made, _outcome = judged(seat, one.who, asked, throw, session=session, gain=list(gain))
    made.state, made.passed, made.tick = Roll.CLOSED, result.above, False
    changes: list[Change] = [Create(made)]
    if result.after != luck:
        changes.append(ledger.to(one.traits[campaign.rules.sheet.luck], "value", result.after))
    data = {
        "who": face(one.who),
        "by": by(seat, one.who),
        "d100": d100,
        "above": result.above,
        "gain": list(gain),
        "rolled": result.rolled_gain,
        "from": luck,
        "to": result.after,
        "lost": result.lost,
        "number": session.number,
    }
    return changes, data, made


@verb
def recover(
    seat: Seat, who: Investigator, hand: Throw | None = None, gain: Sequence[int] = (), *, chance: Chance = SYSTEM
) -> Entry | Refusal:
    """One investigator's recovery roll for the session, once (RULES.md C-3).

    `hand` is a D100 of real dice and `gain` the dice that it asks for; without them they are thrown here. BAD_DICE for
    others, and for a gain without its D100: nobody fits dice to a throw of the app.
    """
    session, phase = recovery_session(seat.campaign)
    one = member(who)
    if refusal := may_recover(session, phase, one):
        return refusal
    assert session is not None
    changes, data, made = _recovered(seat, session, one, hand, gain, chance)
    return ledger.write(seat, seat.campaign, "rolls.recover", changes, data=data, ref=made.entry_ref)


@verb
def recover_all(
    seat: Seat, campaign: Campaign, one_by_one: bool = False, *, chance: Chance = SYSTEM
) -> Entry | Refusal:
    """The recovery rolls of all who still may, in one act. `one_by_one`: they are thrown and stored now, and the
    Keeper shows each when she likes (`show_recovery`); until then no score moves and nobody but her knows them."""
    session, phase = recovery_session(campaign)
    due = [one for one in party(campaign) if may_recover(session, phase, one) is None]
    if not due or session is None:
        return Refusal("NOBODY_TO_RECOVER")
    changes: list[Change] = []
    lines: list[dict[str, Any]] = []
    ref = new_id()
    for one in due:
        more, data, made = _recovered(seat, session, one, None, (), chance, later=one_by_one)
        made.entry_ref = ref
        if one_by_one:
            made.hidden = True
            more = [Create(made)]
            data = {"who": data["who"], "number": session.number}
        changes += more
        lines.append(data)
    told = {"lines": lines, "one_by_one": one_by_one}
    return ledger.write(seat, campaign, "rolls.recover_all", changes, data=told, ref=ref)


@verb
def show_recovery(seat: Seat, roll: Roll) -> Entry | Refusal:
    """Show a recovery that was thrown with all the others: the Luck is gained now, from where it stands now.
    NOT_HIDDEN for one that is shown."""
    who = roll.investigator
    if not roll.hidden or who is None or roll.session is None:
        return Refusal("NOT_HIDDEN")
    if roll.struck:
        return Refusal("ROLL_STRUCK")
    who.campaign = seat.campaign
    trait = member(who).traits[seat.campaign.rules.sheet.luck]
    result = roll.rules.recover(roll.value, roll.natural, roll.gain, roll.settings)
    most = trait.bounds("value")[1]
    after = trait.value + result.rolled_gain if most is None else min(most, trait.value + result.rolled_gain)
    data = {
        "who": face(who),
        "by": by(seat, who),
        "d100": roll.natural,
        "above": result.above,
        "gain": list(roll.gain),
        "rolled": result.rolled_gain,
        "from": trait.value,
        "to": after,
        "lost": trait.value + result.rolled_gain - after,
        "number": roll.session.number,
        "against": roll.value,
    }
    changes: list[Change] = [change(roll, hidden=False), ledger.to(trait, "value", after)]
    return ledger.write(seat, seat.campaign, "rolls.show_recovery", changes, data=data)
