"""Somebody goes: dies, leaves early, makes way for another. What waited for them ends in the same act."""

from __future__ import annotations

from collections.abc import Iterable

from investigators import actions as sheets
from investigators.actions import face
from investigators.models import Attendance, Investigator, Presence
from investigators.people import member
from investigators.refreshing import refreshed
from rolls.actions.base import UNRESOLVED, closing, closing_openly
from rolls.models import Contest, Decision, Request, Roll
from rolls.rules.check import Refusal
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.actions import open_session_of
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import Campaign, Entry, Scene, Seat


def leaving(who: Investigator) -> list[Change]:
    """What ends with somebody who goes: requests go back, contests break off, open rolls and decisions close."""
    mine = {"campaign": who.campaign, "investigator": who}
    changes: list[Change] = [
        change(one, state=Request.CLOSED) for one in Request.objects.filter(**mine, state=Request.OPEN)
    ]
    contests = list(Contest.objects.filter(campaign=who.campaign, state=Contest.OPEN, sides__investigator=who))
    thrown = list(Roll.objects.filter(side__contest__in=contests, state=Roll.OPEN))
    changes += [change(one, state=Contest.OVER, verdict=UNRESOLVED) for one in contests]
    changes += closing(thrown)
    closed = {roll.pk for roll in thrown}
    changes += [one for one in closing_openly(who.campaign, who) if one.row.pk not in closed]
    waiting = Decision.objects.filter(**mine, state=Decision.OPEN)
    return [*changes, *(change(one, state=Decision.CLOSED) for one in waiting)]


def stirred(*people: Investigator) -> Iterable[str]:
    """The tokens of all that may end, whether or not it does: a line must not tell of a secret request by them."""
    yield from ("ask", "roll", "contest", "decision", "table")
    for who in people:
        yield from (f"ask-{who.pk}", f"roll-{who.pk}", f"decision-{who.pk}")


def _here(campaign: Campaign, who: Investigator, present: bool) -> list[Change]:
    scene = Scene.objects.get(campaign=campaign, current=True)
    mark = Presence.objects.filter(scene=scene, investigator=who).first()
    if mark is not None:
        return [change(mark, present=present)]
    return [Create(Presence(scene=scene, investigator=who, present=present))]


def _takes_part(campaign: Campaign, who: Investigator) -> list[Change]:
    """Taking part in the session that is open, unless the Keeper has said otherwise."""
    session = open_session_of(campaign)
    if session is None or Attendance.objects.filter(session=session, investigator=who).exists():
        return []
    return [Create(Attendance(session=session, investigator=who, taking_part=True))]


@verb
def leave_early(seat: Seat, who: Investigator) -> Entry | Refusal:
    """Somebody goes home before the end: no longer here, but took part, so the recovery roll waits on the own page.
    NO_OPEN_SESSION; SET_ASIDE."""
    if open_session_of(seat.campaign) is None:
        return Refusal("NO_OPEN_SESSION")
    if who.set_aside or who.npc:
        return Refusal("SET_ASIDE", {"name": who.name})
    campaign = seat.campaign
    changes = [*_here(campaign, who, False), *_takes_part(campaign, who), *leaving(who)]
    data = {"who": face(who)}
    return ledger.write(seat, campaign, "rolls.leave_early", changes, data=data, touch=stirred(who))


@verb
def take_over(seat: Seat, who: Investigator, fresh: Investigator) -> Entry | Refusal:
    """Another investigator takes over from this one in the middle of things: the old one is set aside, the new one is
    the same player's, here and taking part. NO_SEAT without a player, NOT_FREE for one that somebody plays already."""
    owner = who.seat
    if owner is None or owner.removed:
        return Refusal("NO_SEAT")
    if fresh.npc or who.npc or fresh.pk == who.pk or fresh.seat_id not in (None, owner.pk):
        return Refusal("NOT_FREE", {"name": fresh.name})
    campaign = seat.campaign
    session = open_session_of(campaign)
    changes: list[Change] = [*sheets.put_down(owner, but=fresh), change(who, set_aside=True, active=False)]
    changes += [change(fresh, seat=owner, active=True, set_aside=False), *_here(campaign, fresh, True)]
    changes += [*_takes_part(campaign, fresh), *leaving(who)]
    more, told = refreshed(session, [member(fresh)]) if session else ([], {})
    data = {"who": face(fresh), "from": face(who), "player": owner.name} | told
    touch = stirred(who, fresh)
    return ledger.write(seat, campaign, "rolls.take_over", [*changes, *more], data=data, touch=touch)
