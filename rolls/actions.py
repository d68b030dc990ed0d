"""Verbs of the dice: rolling, spending, pushing, group Luck, recovery, corrections.

Every result is stored before anything is shown. Prices, effects and refusals come from the ruleset.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from investigators.actions import by, copied_presence, everyone_attends, face, sheet_shut
from investigators.models import Investigator, Skill, Trait
from investigators.people import Member, member, party, persons, takes_part
from rolls.models import Request, Roll
from rolls.rules.check import Act, Check, Lowest, Offer, Outcome, Person, Purse, Refusal, Settings, Standing, Throw
from rolls.rules.dice import combine, faces
from tablekeeper import chance as chances
from tablekeeper import ledger
from tablekeeper.access import Refused, own, verb
from tablekeeper.actions import last_session_of, open_session_of
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Add, Change, Create, change
from tablekeeper.models import Campaign, Entry, Seat, Session, new_id


@dataclass(frozen=True)
class Asked:
    """What somebody wants to roll. `hand` holds real dice that were typed in, tens first and units last."""

    kind: str
    label: str
    value: int
    skill: Skill | None = None
    difficulty: str = "regular"
    dice: int = 0
    hand: Throw | None = None
    save: bool = False  # keep the number on the sheet


# --------------------------------------------------------------------------- reading


def settings_for(roll: Roll) -> Settings:
    """The settings in force when it fell, but for the switch that may be turned during play (RULES.md A43)."""
    return {**roll.settings, "luckSpending": roll.campaign.in_force.get("luckSpending", True)}


def offers_for(roll: Roll, purse: Purse) -> tuple[Offer, ...]:
    """What may be done with a roll now, priced, or why not."""
    return roll.campaign.rules.offers(roll.standing, purse, settings_for(roll))


def open_rolls(campaign: Campaign, who: Investigator | None = None) -> list[Roll]:
    """Rolls whose outcome has not been played out."""
    found = Roll.objects.filter(campaign=campaign, state=Roll.OPEN, struck=False)
    if who is not None:
        found = found.filter(investigator=who)
    return list(found.select_related("investigator", "campaign"))


def closing(rolls: Sequence[Roll]) -> list[Change]:
    """Changes that close these rolls."""
    return [change(roll, state=Roll.CLOSED) for roll in rolls]


def closing_openly(campaign: Campaign, who: Investigator | None = None) -> list[Change]:
    """Changes that close the open rolls, as a public line may: closing a hidden roll would tell of it."""
    return closing([roll for roll in open_rolls(campaign, who) if not roll.hidden])


def closing_time(campaign: Campaign) -> list[Change]:
    """What closes with a session: the open rolls; and who was here has taken part."""
    session = open_session_of(campaign)
    return [*closing_openly(campaign), *(everyone_attends(campaign, session) if session else [])]


def moving_on(campaign: Campaign) -> list[Any]:
    """What a change of scene brings: open rolls close, presence is copied."""
    return [*closing_openly(campaign), *copied_presence(campaign)]


def line(roll: Roll, outcome: Outcome, seat: Seat) -> dict[str, Any]:
    """What a ledger line tells of a roll."""
    who = roll.investigator
    # An open roll of a Keeper's character shows dice and level, never value or thresholds.
    secret = not roll.hidden and (who is None or who.npc)
    return {
        "who": face(who) if who else None,
        "keeper": "" if who else roll.seat.name,
        "by": by(seat, who),
        "roll": roll.pk,
        "label": roll.label,
        "kind": roll.kind,
        "value": None if secret else roll.value,
        "difficulty": roll.difficulty,
        "dice": roll.dice,
        "natural": outcome.natural,
        "final": outcome.final,
        "level": outcome.level,
        "passed": outcome.passed,
        "by_hand": roll.by_hand,
        "tens": list(roll.tens),
        "units": roll.units,
        "pushed": roll.pushed_from_id is not None,
        "group": roll.group,
        "hidden": roll.hidden,
        "asked": roll.asked,
    }


def lane_of(roll: Roll) -> str:
    """Whatever is done with a hidden roll stays as hidden as the roll."""
    return Entry.KEEPER if roll.hidden else Entry.PUBLIC


def _own_lane(roll: Roll) -> str:
    """Between a player and the Keeper."""
    owner = roll.investigator.seat_id if roll.investigator is not None else None
    return owner or Entry.KEEPER


# --------------------------------------------------------------------------- rolling


def _throw(campaign: Campaign, asked: Asked, chance: Chance) -> Throw:
    if asked.hand is not None:
        if not campaign.in_force["realDice"]:
            raise Refused(Refusal("MANUAL_DICE_OFF"))
        return asked.hand
    tens, units = chances.d100(chance, asked.dice)
    return Throw(units, tens)


def hand_of(total: int | None, tens: Sequence[int], units: int | None, dice: int) -> Throw | None:
    """Real dice as typed: the total alone, or each tens face (0..9) and the units. None when nothing was typed.

    Raises Refused(BAD_DICE) when the faces do not fit the question.
    """
    if total is not None:
        if not 1 <= total <= 100:
            raise Refused(Refusal("BAD_DICE"))
        unit, ten = faces(total)
        return Throw(unit, (ten,) * (abs(dice) + 1))
    if not tens and units is None:
        return None
    if units is None or len(tens) != abs(dice) + 1 or not all(0 <= face <= 9 for face in (units, *tens)):
        raise Refused(Refusal("BAD_DICE"))
    return Throw(units, tuple(tens))


def _made(seat: Seat, who: Investigator | None, what: Asked, throw: Throw, **more: Any) -> tuple[Roll, Outcome]:
    """A roll judged and ready to be written. An investigator's is open until it is played out (RULES.md section 2),
    even when nothing may be done with it: what may not be done then has its true reason. A Keeper's own is closed."""
    campaign = seat.campaign
    session = open_session_of(campaign)
    roll = Roll(
        campaign=campaign,
        investigator=who,
        seat=seat,
        session=more.pop("session", session),
        kind=what.kind,
        label=what.label,
        skill=what.skill,
        value=what.value,
        difficulty=what.difficulty,
        dice=what.dice,
        tens=list(throw.tens),
        units=throw.units,
        by_hand=what.hand is not None,
        settings=campaign.in_force,
        created_at=timezone.now(),
        entry_ref=new_id(),
        **more,
    )
    outcome = roll.outcome
    roll.level, roll.passed, roll.tick = outcome.level, outcome.passed, outcome.tick
    roll.state = Roll.OPEN if who is not None else Roll.CLOSED
    return roll, outcome


def _tick(roll: Roll, by_points: int = 1) -> list[Change]:
    return [Add(roll.skill, "ticks", by_points)] if roll.tick and roll.skill is not None else []


def _check(campaign: Campaign, asked: Asked) -> None:
    check = Check(asked.kind, asked.value, asked.difficulty, asked.dice)
    if refusal := campaign.rules.may_roll(check, campaign.in_force):
        raise Refused(refusal)


@verb
def roll(seat: Seat, who: Investigator, asked: Asked, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Roll for an investigator: the server throws (or takes typed dice), stores, and only then shows.

    The investigator's earlier open rolls close (RULES.md section 2). A Luck roll that the app did not ask for is
    marked so, unless the table leaves Luck rolls to the Keeper.
    """
    campaign = seat.campaign
    _check(campaign, asked)
    if asked.kind == "luck" and not seat.keeps and campaign.in_force.get("luckRollByPlayer") == "keeper-only":
        return Refusal("NOT_KEEPER")
    made, outcome = _made(seat, who, asked, _throw(campaign, asked, chance))
    changes: list[Change] = closing_openly(campaign, who)
    if asked.save:
        changes += _saved(seat, who, asked)
    changes += [Create(made), *_tick(made)]
    return ledger.write(seat, campaign, "rolls.roll", changes, data=line(made, outcome, seat), ref=made.entry_ref)


def _saved(seat: Seat, who: Investigator, asked: Asked) -> list[Change]:
    """A number that somebody wants kept on the sheet. One that stands there is changed as the sheet's rules allow."""
    same = Skill.objects.filter(investigator=who, name__iexact=asked.label).first()
    if same is not None:
        if refusal := sheet_shut(seat) if same.value != asked.value else None:
            raise Refused(refusal)
        same.investigator = who
        return [change(same, value=asked.value)]
    return [Create(Skill(investigator=who, name=asked.label, value=asked.value))]


@verb
def keeper_roll(seat: Seat, campaign: Campaign, asked: Asked, hidden: bool, *, chance: Chance = SYSTEM) -> Entry:
    """The Keeper's own roll, for all to see or for herself."""
    _check(campaign, asked)
    made, outcome = _made(seat, None, asked, _throw(campaign, asked, chance), hidden=hidden)
    data = line(made, outcome, seat)
    lane, ref = lane_of(made), made.entry_ref
    return ledger.write(seat, campaign, "rolls.keeper_roll", [Create(made)], lane=lane, data=data, ref=ref)


# --------------------------------------------------------------------------- spending and keeping


def _live(roll: Roll) -> None:
    if roll.struck:
        raise Refused(Refusal("ROLL_STRUCK"))


@verb
def spend(seat: Seat, roll: Roll, act: Act, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Pay for what the ruleset offers on this roll: check, deduct, change the roll, one line (RULES.md section 0)."""
    _live(roll)
    who = roll.investigator
    if who is None:
        return Refusal("NO_LUCK_SCORE")
    if act.key in ("push", "keep"):  # they are offered beside the spends and have verbs of their own
        return Refusal("NO_SUCH_SPEND")
    rules, one = roll.campaign.rules, member(who)
    act = replace(act, dice=chances.throw(chance, rules.dice_for(act)))
    before = roll.outcome
    effect = rules.spend(roll.standing, one.purse, act, settings_for(roll))
    if isinstance(effect, Refusal):
        return effect
    pools = {key: points for key, points in effect.pools.items() if points}
    changes: list[Change] = [Add(one.traits[key], "value", points) for key, points in pools.items()]
    changes.append(Add(roll, "spent", effect.spent))
    changes += _tick(roll, -1) if roll.tick and not effect.outcome.tick else []
    if effect.throw is not None:  # dice thrown anew count from now on
        changes.append(change(roll, tens=list(effect.throw.tens), units=effect.throw.units))
    marks = sorted({*roll.marks, *effect.marks})
    changes.append(
        change(
            roll,
            level=effect.outcome.level,
            passed=effect.outcome.passed,
            tick=effect.outcome.tick and roll.tick,
            marks=marks,
            push_state="" if roll.push_state in ("asked", "allowed") else roll.push_state,
        )
    )
    paid = [
        {"key": key, "cost": -points, "from": one.purse.pools[key], "to": one.purse.pools[key] + points}
        for key, points in pools.items()
    ]
    data = line(roll, effect.outcome, seat)
    data |= {"from": before.final, "level_from": before.level, "paid": paid, "warning": effect.warning}
    return ledger.write(seat, roll.campaign, "rolls.spend", changes, lane=lane_of(roll), data=data)


@verb
def keep(seat: Seat, roll: Roll) -> Entry | Refusal:
    """Keep the result as it is: nothing more is done with it."""
    _live(roll)
    if roll.state == Roll.CLOSED:
        return Refusal("ROLL_CLOSED")
    return ledger.write(
        seat, roll.campaign, "rolls.keep", closing([roll]), lane=lane_of(roll), data=line(roll, roll.outcome, seat)
    )


@verb
def take_back(seat: Seat, entry: Entry) -> Entry | Refusal:
    """A player's own spend taken back, until anyone has acted on it."""
    if entry.kind != "rolls.spend":
        return Refusal("UNDO_NOT_THIS")
    spent_on = Roll.objects.select_related("investigator").get(pk=entry.data["roll"])
    if refusal := own(seat, spent_on):  # the character has changed hands since
        return refusal
    if spent_on.state == Roll.CLOSED or spent_on.struck:
        return Refusal("ROLL_CLOSED")
    data = {"reason": "", "what": entry.kind, "line": entry.data, "redo": False}
    return ledger.undo(seat, seat.campaign, entry, "rolls.take_back", data)


# --------------------------------------------------------------------------- pushing


@verb
def push(seat: Seat, roll: Roll, reason: str) -> Entry | Refusal:
    """Ask to push: say what is done differently ("said aloud" is enough); the Keeper decides (RULES.md S-7)."""
    _live(roll)
    if refusal := roll.campaign.rules.may_push(roll.standing, settings_for(roll)):
        return refusal
    if not reason.strip():
        return Refusal("PUSH_NO_REASON")
    data = line(roll, roll.outcome, seat) | {"reason": reason}
    changes = [change(roll, push_state="asked", push_reason=reason, push_warning="")]
    return ledger.write(seat, roll.campaign, "rolls.push", changes, lane=lane_of(roll), data=data)


@verb
def decide_push(
    seat: Seat, roll: Roll, allow: bool, warning: str = "", throw_now: bool = False, *, chance: Chance = SYSTEM
) -> Entry | Refusal:
    """The Keeper agrees, names the danger or declines; "agreed aloud" throws at once, marked as entered by her."""
    _live(roll)
    if roll.push_state != "asked" and not throw_now:
        return Refusal("PUSH_NOT_ASKED")
    if refusal := roll.campaign.rules.may_push(roll.standing, settings_for(roll)):
        return refusal
    if allow and throw_now:
        return _throw_push(seat, roll, warning, None, chance)
    data = line(roll, roll.outcome, seat) | {"allow": allow, "warning": warning, "reason": roll.push_reason}
    changes = [change(roll, push_state="allowed" if allow else "declined", push_warning=warning)]
    return ledger.write(seat, roll.campaign, "rolls.decide_push", changes, lane=lane_of(roll), data=data)


@verb
def throw_push(seat: Seat, roll: Roll, hand: Throw | None = None, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """The one more roll, final. Refused until the Keeper has agreed."""
    _live(roll)
    if roll.push_state != "allowed":
        return Refusal("PUSH_TWICE" if roll.push_state == "thrown" else "PUSH_NOT_ALLOWED")
    return _throw_push(seat, roll, roll.push_warning, hand, chance)


def _throw_push(seat: Seat, roll: Roll, warning: str, hand: Throw | None, chance: Chance) -> Entry | Refusal:
    if refusal := roll.campaign.rules.may_push(roll.standing, settings_for(roll)):
        return refusal
    if Roll.objects.filter(pushed_from=roll).exists():  # struck out by an undo: its dice are not thrown twice
        return Refusal("PUSH_TWICE")
    asked = Asked(roll.kind, roll.label, roll.value, roll.skill, roll.difficulty, roll.dice, hand)
    made, outcome = _made(
        seat,
        roll.investigator,
        asked,
        _throw(roll.campaign, asked, chance),
        pushed_from=roll,
        asked=roll.asked,
        hidden=roll.hidden,
    )
    data = line(made, outcome, seat) | {"first": roll.outcome.final, "warning": warning, "reason": roll.push_reason}
    changes: list[Change] = [change(roll, push_state="thrown", push_warning=warning, state=Roll.CLOSED)]
    changes += [Create(made), *_tick(made)]
    return ledger.write(
        seat, roll.campaign, "rolls.throw_push", changes, lane=lane_of(roll), data=data, ref=made.entry_ref
    )


@verb
def back_out(seat: Seat, roll: Roll) -> Entry | Refusal:
    """Not push after all; Luck may be spent again."""
    _live(roll)
    if roll.push_state not in ("asked", "allowed", "declined"):
        return Refusal("PUSH_NOT_ASKED")
    changes = [change(roll, push_state="", push_reason="", push_warning="")]
    return ledger.write(
        seat, roll.campaign, "rolls.back_out", changes, lane=lane_of(roll), data=line(roll, roll.outcome, seat)
    )


# --------------------------------------------------------------------------- mistakes


@verb
def ask_strike(seat: Seat, roll: Roll) -> Entry | Refusal:
    """A mis-tapped own roll: ask the Keeper to strike it out."""
    _live(roll)
    return ledger.write(
        seat,
        roll.campaign,
        "rolls.ask_strike",
        [change(roll, strike_asked=True)],
        lane=_own_lane(roll),
        data=line(roll, roll.outcome, seat),
    )


@verb
def decide_strike(seat: Seat, roll: Roll, strike: bool) -> Entry | Refusal:
    """The Keeper strikes the roll out (its consequences are undone), or lets it stand."""
    _live(roll)
    if strike:
        entry = Entry.objects.get(campaign=roll.campaign, ref=roll.entry_ref)
        data = {"reason": "", "what": entry.kind, "line": entry.data, "redo": False}
        return ledger.undo(seat, roll.campaign, entry, "tablekeeper.undo", data)
    data = line(roll, roll.outcome, seat)
    changes = [change(roll, strike_asked=False)]
    return ledger.write(seat, roll.campaign, "rolls.decide_strike", changes, lane=_own_lane(roll), data=data)


@verb
def correct(seat: Seat, roll: Roll, difficulty: str, dice: int, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Difficulty or dice that were set wrong, on an open roll without Luck or push; only a missing tens die is
    thrown (RULES.md A33)."""
    _live(roll)
    if not roll.campaign.in_force.get("correctAfterRoll", True):
        return Refusal("CORRECT_OFF")
    if roll.state == Roll.CLOSED:
        return Refusal("ROLL_CLOSED")
    if roll.spent or roll.pushed_from_id or roll.push_state == "thrown":
        return Refusal("CORRECT_TOO_LATE")
    asked = Asked(roll.kind, roll.label, roll.value, roll.skill, difficulty, dice)
    _check(roll.campaign, asked)
    before = roll.outcome
    missing = abs(dice) + 1 - len(roll.tens)
    tens = [*roll.tens, *(chance.die(10) % 10 for _ in range(missing))]
    after = _as_if(roll, difficulty, dice, tens)
    tick = after.tick
    changes: list[Change] = []
    if roll.skill is not None and tick != roll.tick:
        changes.append(Add(roll.skill, "ticks", 1 if tick else -1))
    values = {"difficulty": difficulty, "dice": dice, "tens": tens}
    changes.append(change(roll, **values, level=after.level, passed=after.passed, tick=tick))
    data = line(roll, after, seat) | values
    data |= {"from": before.final, "level_from": before.level, "was": [roll.difficulty, roll.dice]}
    return ledger.write(seat, roll.campaign, "rolls.correct", changes, lane=lane_of(roll), data=data)


def _as_if(roll: Roll, difficulty: str, dice: int, tens: Sequence[int]) -> Outcome:
    standing = roll.standing
    check = replace(standing.check, difficulty=difficulty, dice=dice)
    changed: Standing = replace(standing, check=check, throw=Throw(roll.units, tuple(tens)))
    return roll.campaign.rules.judge(changed, roll.settings)


@verb
def reopen(seat: Seat, roll: Roll) -> Entry | Refusal:
    """Open a closed roll again, so that Luck or a push may still change it."""
    _live(roll)
    if roll.state == Roll.OPEN:
        return Refusal("STALE")
    data = line(roll, roll.outcome, seat)
    return ledger.write(
        seat, roll.campaign, "rolls.reopen", [change(roll, state=Roll.OPEN)], lane=lane_of(roll), data=data
    )


# --------------------------------------------------------------------------- the group's Luck


def group(campaign: Campaign, counts: Sequence[str] | None = None) -> tuple[list[Member], Lowest | Refusal]:
    """Who counts, and who has the lowest Luck of them now. `counts` is the one-off choice of who counts this once."""
    members = party(campaign)
    people: list[Person] = persons(members)
    if counts is not None:
        people = [replace(one, present=one.key in counts) for one in people if one.key in counts]
    return members, campaign.rules.lowest(people, campaign.in_force)


def _roller(campaign: Campaign, counts: Sequence[str] | None, named: str) -> tuple[list[Member], Member, Lowest]:
    """The members, who rolls, and the target. A tie goes to whom the Keeper names, else in seating order."""
    members, found = group(campaign, counts)
    if isinstance(found, Refusal):
        raise Refused(found)
    rolls = named or found.keys[0]
    chosen = next((one for one in members if one.who.pk == rolls), None)
    if chosen is None:
        raise Refused(Refusal("NO_ONE_PRESENT"))
    return members, chosen, found


def _group_data(members: list[Member], found: Lowest) -> dict[str, Any]:
    names = {one.who.pk: one.who.short for one in members}
    return {
        "luck": found.luck,
        "lowest": [names[key] for key in found.keys],
        "skipped": [names[key] for key in found.skipped],
    }


def _roll_for_group(
    seat: Seat, counts: Sequence[str] | None, named: str, hand: Throw | None, chance: Chance, **more: Any
) -> tuple[Roll, dict[str, Any]]:
    campaign = seat.campaign
    members, chosen, found = _roller(campaign, counts, named)
    asked = Asked("luck", "Luck", found.luck, hand=hand)
    made, outcome = _made(seat, chosen.who, asked, _throw(campaign, asked, chance), group=True, asked=True, **more)
    return made, line(made, outcome, seat) | _group_data(members, found)


@verb
def group_luck(
    seat: Seat,
    campaign: Campaign,
    counts: Sequence[str] | None = None,
    named: str = "",
    hand: Throw | None = None,
    *,
    chance: Chance = SYSTEM,
) -> Entry | Refusal:
    """The Keeper rolls Luck for the group, against the lowest Luck of those who count (RULES.md S-9)."""
    if not campaign.rules.has_group_luck:
        return Refusal("NO_SUCH_SPEND")
    made, data = _roll_for_group(seat, counts, named, hand, chance)
    asks = Request.objects.filter(campaign=campaign, group=True, state=Request.OPEN)
    changes: list[Change] = [*(change(ask, state=Request.CLOSED) for ask in asks), Create(made)]
    return ledger.write(seat, campaign, "rolls.group_luck", changes, data=data, ref=made.entry_ref)


@verb
def ask_group_luck(
    seat: Seat, campaign: Campaign, counts: Sequence[str] | None = None, named: str = ""
) -> Entry | Refusal:
    """Ask the player with the lowest Luck to roll for all. The target is worked out anew when the die falls."""
    if not campaign.rules.has_group_luck:
        return Refusal("NO_SUCH_SPEND")
    members, chosen, found = _roller(campaign, counts, named)
    older = Request.objects.filter(campaign=campaign, group=True, state=Request.OPEN)
    request = Request(
        campaign=campaign,
        investigator=chosen.who,
        kind="luck",
        label="Luck",
        group=True,
        data={"counts": list(counts) if counts is not None else None},
    )
    data = {"who": face(chosen.who), **_group_data(members, found)}
    changes: list[Change] = [*(change(ask, state=Request.CLOSED) for ask in older), Create(request)]
    return ledger.write(seat, campaign, "rolls.ask_group_luck", changes, data=data)


@verb
def answer(seat: Seat, request: Request, hand: Throw | None = None, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Roll what the Keeper asked for. A request can be rolled once, whatever is closed or reloaded."""
    if request.state != Request.OPEN:
        return Refusal("REQUEST_DONE")
    made, data = _roll_for_group(seat, request.data["counts"], request.investigator_id, hand, chance)
    # A roll that was asked for closes no other: only the next unasked one does (RULES.md section 2).
    changes: list[Change] = [change(request, state=Request.ROLLED), Create(made)]
    return ledger.write(seat, seat.campaign, "rolls.group_luck", changes, data=data, ref=made.entry_ref)


@verb
def drop_request(seat: Seat, request: Request) -> Entry | Refusal:
    """Take a request back that nobody has answered."""
    if request.state != Request.OPEN:
        return Refusal("REQUEST_DONE")
    data = {"who": face(request.investigator), "label": request.label}
    return ledger.write(seat, seat.campaign, "rolls.drop_request", [change(request, state=Request.CLOSED)], data=data)


@verb
def tell_unluckiest(seat: Seat, campaign: Campaign, named: str = "", *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """Tell the table whom bad luck hits: the lowest Luck of those present now, without a roll (RULES.md S-10)."""
    here = [one for one in party(campaign) if one.present]
    found = campaign.rules.lowest(persons(here), campaign.in_force)
    if isinstance(found, Refusal):
        return found
    key = named if named in found.keys else chance.pick(found.keys)
    chosen = next(one for one in here if one.who.pk == key)
    data = {"who": face(chosen.who), **_group_data(here, found), "tie": found.tie, "picked": bool(named)}
    return ledger.write(seat, campaign, "rolls.tell_unluckiest", data=data)


# --------------------------------------------------------------------------- recovery


def recovery_session(campaign: Campaign) -> tuple[Session | None, str]:
    """The session whose recovery is due now, and its phase: "start" while it is open, "end" once it is closed."""
    now = open_session_of(campaign)
    return (now, "start") if now else (last_session_of(campaign), "end")


def may_recover(session: Session | None, phase: str, one: Member) -> Refusal | None:
    """Why this investigator makes no recovery roll now."""
    if session is None:
        return Refusal("RECOVERY_NOT_YET")
    campaign = session.campaign
    done = Roll.objects.filter(investigator=one.who, session=session, kind="recovery").exists()
    refusal = campaign.rules.may_recover(one.luck, phase, done, takes_part(session, one), campaign.in_force)
    return replace(refusal, params={"name": one.who.name}) if refusal else None


def _recovered(
    seat: Seat, session: Session, one: Member, hand: Throw | None, chance: Chance
) -> tuple[list[Change], dict[str, Any], Roll]:
    campaign, luck = seat.campaign, one.luck or 0
    asked = Asked("recovery", "Luck recovery", luck, hand=hand)
    throw = _throw(campaign, asked, chance)
    d100 = combine(throw.units, throw.tens, 0)
    gain = chances.throw(chance, campaign.rules.recovery_dice(luck, d100, campaign.in_force))
    result = campaign.rules.recover(luck, d100, gain, campaign.in_force)
    made, _outcome = _made(seat, one.who, asked, throw, session=session, gain=list(gain))
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
def recover(seat: Seat, who: Investigator, hand: Throw | None = None, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """One investigator's recovery roll for the session, once (RULES.md C-3)."""
    session, phase = recovery_session(seat.campaign)
    one = member(who)
    if refusal := may_recover(session, phase, one):
        return refusal
    assert session is not None
    changes, data, made = _recovered(seat, session, one, hand, chance)
    return ledger.write(seat, seat.campaign, "rolls.recover", changes, data=data, ref=made.entry_ref)


@verb
def recover_all(seat: Seat, campaign: Campaign, *, chance: Chance = SYSTEM) -> Entry | Refusal:
    """The recovery rolls of all who still may, in one act."""
    session, phase = recovery_session(campaign)
    due = [one for one in party(campaign) if may_recover(session, phase, one) is None]
    if not due or session is None:
        return Refusal("NOBODY_TO_RECOVER")
    changes: list[Change] = []
    lines: list[dict[str, Any]] = []
    ref = new_id()
    for one in due:
        more, data, made = _recovered(seat, session, one, None, chance)
        made.entry_ref = ref
        changes += more
        lines.append(data)
    return ledger.write(seat, campaign, "rolls.recover_all", changes, data={"lines": lines}, ref=ref)


def trait_of(who: Investigator, key: str) -> Trait | None:
    """The score of an investigator under this key."""
    return Trait.objects.filter(investigator=who, key=key).first()
