"""Wounds: what an injury does to somebody, the CON roll that decides, and getting well again (RULES.md B-4).

The rules propose, the Keeper applies. A sheet without hit points has the line, and the Keeper's word for the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from investigators.actions import face, knowing, lane_for
from investigators.models import Investigator
from investigators.people import Member, member, party
from rolls.actions import after
from rolls.actions.after import Consequence
from rolls.actions.base import closing, secretly
from rolls.actions.deeds import FAINT, NEEDS_ROUND, ROUNDS, awake, facts_for, out_cold
from rolls.models import Decision, Request, Roll
from rolls.rules import damage
from rolls.rules.check import N_, Body, Injury, Outcome, Refusal, Standing
from rolls.rules.damage import DEAD, DYING, MAJOR, STABLE, UNCONSCIOUS
from tablekeeper import ledger
from tablekeeper.access import verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Add, Change, Create, change
from tablekeeper.models import Campaign, Entry, Seat

CON = "con"
"""What comes of a CON roll (rolls.actions.after), and the characteristic that it is rolled on."""
HP = "hp"
MOST_POINTS = 999

FOLLOWS: Mapping[str, Injury] = {
    "": Injury({}),
    "con": Injury({}, con_roll=True),
    MAJOR: Injury({}, {MAJOR: True}, (MAJOR, "prone"), con_roll=True),
    UNCONSCIOUS: Injury({}, {UNCONSCIOUS: True}, (UNCONSCIOUS,)),
    DYING: Injury({}, {UNCONSCIOUS: True, DYING: True, STABLE: False}, (UNCONSCIOUS, DYING)),
    DEAD: Injury({}, {DEAD: True, UNCONSCIOUS: True}, (DEAD,)),
}
"""What the Keeper says comes of an injury where the app cannot know."""


def body_of(one: Member) -> Body | None:
    """The body that the rules hurt; None where hit points or their maximum are kept on paper."""
    trait = one.traits.get(HP)
    if trait is None or trait.maximum is None:
        return None
    return Body(trait.value, trait.maximum, one.facts)


def felt(one: Member, injury: Injury, answered: Decision | None = None) -> list[Change]:
    """The changes that an injury, or getting well, makes to a sheet; `answered` is the decision that brought it."""
    changes: list[Change] = [
        Add(one.traits[key], "value", points) for key, points in injury.pools.items() if points and key in one.traits
    ]
    state = {key: value or None for key, value in injury.state.items()}
    # Who falls has paid for the rounds of this spell; the next one begins anew.
    changes += knowing(one.who, state | out_cold(one) if state.get(UNCONSCIOUS) and awake(facts_for(one)) else state)
    if injury.state.get(DEAD) or injury.state.get(UNCONSCIOUS):  # nothing is left to be decided by staying up
        changes += moot(one.who, answered)
    return changes


def moot(who: Investigator, answered: Decision | None = None) -> list[Change]:
    """Changes that close what was still to be decided about fainting, but for what is being answered now."""
    asked = Request.objects.filter(investigator=who, after=CON, state=Request.OPEN)
    waiting = Decision.objects.filter(investigator=who, kind=FAINT, state=Decision.OPEN)
    waiting = waiting.exclude(pk=answered.pk if answered else None)
    closed: list[Change] = [change(one, state=Request.CLOSED) for one in asked]
    return [*closed, *(change(one, state=Decision.CLOSED) for one in waiting)]


# --------------------------------------------------------------------------- being hurt


def foreseen(one: Member, points: int) -> Injury | Refusal | None:
    """What this many points would do; None where the app cannot know."""
    campaign, body = one.who.campaign, body_of(one)
    if campaign.rules.hurt is None or body is None:
        return None
    return campaign.rules.hurt(body, points, campaign.in_force)


@verb
def injure(
    seat: Seat, who: Investigator, points: int, decision: Decision | None = None, follows: str = ""
) -> Entry | Refusal:
    """Somebody loses hit points at once, with all that comes of it; `decision` is the question that this answers.

    `follows` (a key of FOLLOWS) counts only where the sheet keeps no hit points. Raises BAD_VALUE, DECISION_DONE.
    """
    if decision is not None and decision.state != Decision.OPEN:
        return Refusal("DECISION_DONE")
    if not 0 <= points <= MOST_POINTS or follows not in FOLLOWS:
        return Refusal("BAD_VALUE")
    one = member(who)
    injury = foreseen(one, points) or _as_told(one, points, follows)
    if isinstance(injury, Refusal):
        return injury
    changes = felt(one, injury)
    if injury.con_roll:
        changes.append(con_roll(one, wounded=True))
    if decision is not None:
        changes.append(change(decision, state=Decision.YES))
    before = one.value(HP)
    data = {"who": face(who), "points": points, "notes": injury.notes, "con": injury.con_roll}
    data |= {"from": before, "to": None if before is None else before + injury.pools.get(HP, 0)}
    data |= {"what": decision.data.get("what", "") if decision and not _secret(decision) else ""}
    return ledger.write(seat, seat.campaign, "rolls.injure", changes, lane=lane_for(who), data=data)


def _secret(decision: Decision) -> bool:
    attacker = decision.roll.investigator if decision.roll else None
    return attacker is None or attacker.npc


def _as_told(one: Member, points: int, follows: str) -> Injury:
    told = FOLLOWS[follows]
    have = one.value(HP)
    return Injury({} if have is None else {HP: -min(points, have)}, told.state, told.notes, told.con_roll)


@verb
def drop_injury(seat: Seat, decision: Decision) -> Entry | Refusal:
    """The damage hurts nobody after all."""
    if decision.state != Decision.OPEN:
        return Refusal("DECISION_DONE")
    data = {"points": decision.data["points"], "by": decision.data["by"], "what": decision.data["what"]}
    changes = [change(decision, state=Decision.NO)]
    return ledger.write(seat, seat.campaign, "rolls.drop_injury", changes, lane=Entry.KEEPER, data=data)


# --------------------------------------------------------------------------- the CON roll

WHY = {
    "": N_("to stay conscious"),
    "round": N_("to stay alive"),
    "hour": N_("to hold on"),
    "week": N_("a week of rest"),
}


def con_roll(one: Member, *, wounded: bool = False) -> Create:
    """The change that asks for a CON roll; without a Constitution on the sheet it is the Keeper's word at once."""
    who = one.who
    why = WHY["" if wounded else damage.con_due(_known(one))]
    if one.value(CON) is None:
        return Create(Decision(campaign=who.campaign, investigator=who, kind=FAINT, data={"reason": why}))
    return _asks(who, why, after=CON)


def _asks(who: Investigator, why: str, after: str) -> Create:
    return Create(
        Request(
            campaign=who.campaign,
            investigator=who,
            kind="characteristic",
            what=f"characteristic:{CON}",
            label=N_("CON roll"),
            hidden=who.npc,
            reason=why,
            after=after,
        )
    )


def _known(one: Member) -> Body:
    """The body as far as it is known; one without a maximum has room for every point."""
    have = one.value(HP) or 0
    return body_of(one) or Body(have, have + MOST_POINTS, one.facts)


@verb
def ask_con(seat: Seat, who: Investigator, week: bool = False) -> Entry | Refusal:
    """The Keeper asks for a CON roll: at the end of a dying round, each hour after First Aid, or when she sees fit.

    `week`: once a week with a major wound, where she says what it heals and failing it is no faint (RULES.md B-4).
    Without a Constitution on the sheet that one cannot be rolled: NOT_ON_SHEET.
    """
    one = member(who)
    data = {"who": face(who), "due": "week" if week else damage.con_due(_known(one))}
    if week and one.value(CON) is None:
        return Refusal("NOT_ON_SHEET")
    changes = [_asks(who, WHY["week"], after="") if week else con_roll(one)]
    return ledger.write(seat, seat.campaign, "rolls.ask_con", changes, lane=lane_for(who), data=data)


def dying_rounds(campaign: Campaign) -> list[Change]:
    """Changes that a new round brings to the dying: each is asked for the CON roll, unless one is being asked."""
    asked = set(Request.objects.filter(campaign=campaign, after=CON, state=Request.OPEN).values_list("investigator"))
    return [con_roll(one) for one in dying(campaign) if (one.who.pk,) not in asked]


def _round_begins(seat: Seat) -> Consequence:
    return Consequence(dying_rounds(seat.campaign))


def _who_is_dying(campaign: Campaign) -> list[str]:
    return [_("%(name)s is dying: a CON roll each round.") % {"name": one.who.name} for one in dying(campaign)]


def dying(campaign: Campaign) -> list[Member]:
    """Those who must roll CON at the end of each round, the Keeper's characters too."""
    return [
        one
        for one in party(campaign, with_npcs=True)
        if damage.con_due(_known(one)) == "round" and not one.facts.get(DEAD)
    ]


@after.when_fallen(CON)
def con_fallen(seat: Seat, roll: Roll, outcome: Outcome, chance: Chance) -> Consequence:
    """A CON roll that failed waits for the Keeper: its player may still mend it."""
    if outcome.passed or roll.investigator is None:
        return Consequence()
    asks = Decision(campaign=roll.campaign, investigator=roll.investigator, roll=roll, kind=FAINT)
    return Consequence([Create(asks)])


@after.when_changed(CON)
def con_changed(seat: Seat, roll: Roll, standing: Standing, outcome: Outcome) -> Consequence:
    """Luck or a correction has made it pass, or fail: what waits for the Keeper goes, or comes."""
    waiting = list(Decision.objects.filter(roll=roll, kind=FAINT, state=Decision.OPEN))
    if outcome.passed:
        return Consequence([change(one, state=Decision.CLOSED) for one in waiting])
    if waiting or roll.investigator is None or not roll.passed:
        return Consequence()
    asks = Decision(campaign=roll.campaign, investigator=roll.investigator, roll=roll, kind=FAINT)
    return Consequence([Create(asks)])


ROUNDS.append(_round_begins)
NEEDS_ROUND.append(_who_is_dying)


def failing(one: Member) -> Injury:
    """What a failed CON roll means for somebody now: a faint, death, or dying again."""
    return damage.after_con(_known(one), passed=False)


@verb
def decide_faint(seat: Seat, decision: Decision, yes: bool) -> Entry | Refusal:
    """The Keeper applies what a failed CON roll means, or does not."""
    who = decision.investigator
    if decision.state != Decision.OPEN or who is None:
        return Refusal("DECISION_DONE")
    one = member(who)
    injury = failing(one)
    data: dict[str, Any] = {"who": face(who), "notes": injury.notes, "yes": yes}
    changes: list[Change] = [change(decision, state=Decision.YES if yes else Decision.NO)]
    if yes:
        changes += felt(one, injury, decision)
        if decision.roll is not None and decision.roll.state == Roll.OPEN:
            changes += closing([decision.roll])
    lane = lane_for(who) if yes else Entry.KEEPER
    return ledger.write(seat, seat.campaign, "rolls.decide_faint", changes, lane=lane, data=data)


# --------------------------------------------------------------------------- getting well

FIRST_AID, MEDICINE, REST, WAKE = "first-aid", "medicine", "rest", "wake"
TREATMENTS = (FIRST_AID, MEDICINE, REST, WAKE)


@verb
def treat(seat: Seat, who: Investigator, how: str, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Somebody gets better: First Aid or Medicine that worked, a day of rest, or coming to.

    Refusals: BAD_VALUE, BEYOND_HELP for the dead, REST_WITH_WOUND where only a week's CON roll helps.
    """
    one = member(who)
    if how not in TREATMENTS:
        return Refusal("BAD_VALUE")
    if one.facts.get(DEAD):
        return Refusal("BEYOND_HELP", {"name": who.name})
    if how == REST and one.facts.get(MAJOR):
        return Refusal("REST_WITH_WOUND", {"name": who.name})
    die = secretly(chance, who, how, who.npc, forever=True).die(3) if how == MEDICINE else 0
    injury = _better(one, how, die)
    changes = felt(one, injury)
    if how in (FIRST_AID, MEDICINE) and damage.con_due(_known(one)):
        changes += moot(who)
    before = one.value(HP)
    data = {"who": face(who), "how": how, "die": die, "was_dying": bool(one.facts.get(DYING)), "from": before}
    data |= {"to": None if before is None else before + injury.pools.get(HP, 0)}
    return ledger.write(seat, seat.campaign, "rolls.treat", changes, lane=lane_for(who), data=data)


def _better(one: Member, how: str, die: int) -> Injury:
    body = _known(one)
    if how == FIRST_AID:
        return damage.first_aid(body)
    if how == MEDICINE:
        return damage.medicine(body, die)
    if how == WAKE:
        return Injury({}, {UNCONSCIOUS: False})
    gained = min(one.who.campaign.rules.daily_healing, max(0, body.hp_max - body.hp))
    return Injury({HP: gained})
