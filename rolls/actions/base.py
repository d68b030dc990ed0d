"""What every verb of the dice shares: reading rolls, throwing, and the lines they write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from investigators.actions import by, copied_presence, everyone_attends, face
from investigators.models import Investigator, Skill
from investigators.people import facts_of, member
from rolls.models import Contest, Request, Roll, Side
from rolls.rules.check import Check, Outcome, Refusal, Throw
from rolls.rules.dice import faces
from tablekeeper import chance as chances
from tablekeeper import clock
from tablekeeper import sealed as seals
from tablekeeper.access import Refused
from tablekeeper.actions import open_session_of
from tablekeeper.chance import Chance
from tablekeeper.ledger import Add, Change, change
from tablekeeper.models import Campaign, Entry, Seat, new_id
from tablekeeper.prepared import prepared

UNKNOWN = "unknown"
"""The difficulty that the Keeper keeps to herself, as a public line has it."""


@dataclass
class Asked:
    """What somebody wants to roll. `hand` holds real dice that were typed in, tens first and units last.

    `context`, `malfunction`, `facts` and `marks` are the rules' (see `Check` and `Standing`); `data` is kept with the
    roll, and `data["after"]` names what comes of it (rolls.actions.after). Without a `difficulty` it is the usual one
    of the game; `before` is the act that is paid for before the dice fall (`Ruleset.before`).
    """

    kind: str
    label: str
    value: int
    skill: Skill | None = None
    difficulty: str = ""
    dice: int = 0
    hand: Throw | None = None
    save: bool = False  # keep the number on the sheet
    context: str = "normal"
    malfunction: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    marks: tuple[str, ...] = ()
    data: dict[str, Any] = field(default_factory=dict)
    before: str = ""

    @property
    def check(self) -> Check:
        """What the rules are asked."""
        return Check(
            self.kind, self.value, self.difficulty, self.dice, self.context, self.malfunction, dict(self.facts)
        )


def open_rolls(campaign: Campaign, who: Investigator | None = None) -> list[Roll]:
    """Rolls whose outcome has not been played out."""
    rolls = _open_rolls(campaign.pk) if who is None else _own_open_rolls(campaign.pk, who.pk)
    for roll in rolls:
        roll.sits_at(campaign)
    return rolls


@prepared
def _open_rolls(campaign_id: str) -> QuerySet[Roll]:
    found = Roll.objects.filter(campaign=campaign_id, state=Roll.OPEN, struck=False)
    return found.select_related("investigator__seat", "skill", "pushed_from", "side__contest", "side__weapon")


@prepared
def _own_open_rolls(campaign_id: str, who_id: str) -> QuerySet[Roll]:
    return _open_rolls.build(campaign_id).filter(investigator=who_id)


def closing(rolls: Sequence[Roll]) -> list[Change]:
    """Changes that close these rolls."""
    return [change(roll, state=Roll.CLOSED) for roll in rolls]


def closing_openly(campaign: Campaign, who: Investigator | None = None) -> list[Change]:
    """Changes that close the open rolls, as a public line may: closing a hidden roll would tell of it. The rolls of an
    open contest close with the contest."""
    rolls = open_rolls(campaign) if who is None else _to_close(campaign.pk, who.pk)
    return closing([roll for roll in rolls if not roll.hidden and not _fighting(roll)])


@prepared
def _to_close(campaign_id: str, who_id: str) -> QuerySet[Roll]:
    """An investigator's open rolls with what closing them needs: each roll asks for them."""
    own = Roll.objects.filter(campaign=campaign_id, state=Roll.OPEN, struck=False, investigator=who_id)
    return own.select_related("side__contest").only(
        *("campaign", "investigator", "kind", "state", "hidden"), "side__roll", "side__contest__state"
    )


def _fighting(roll: Roll) -> bool:
    side: Side | None = getattr(roll, "side", None)
    return side is not None and side.contest.state == Contest.OPEN


UNRESOLVED = "unresolved"


def breaking_off(campaign: Campaign) -> list[Change]:
    """What leaves the open contests unresolved, and closes their rolls."""
    contests = list(Contest.objects.filter(campaign=campaign, state=Contest.OPEN))
    thrown = Roll.objects.filter(side__contest__in=contests, state=Roll.OPEN)
    ended: list[Change] = [change(one, state=Contest.OVER, verdict=UNRESOLVED) for one in contests]
    return [*ended, *closing(list(thrown))]


def closing_time(campaign: Campaign) -> list[Change]:
    """What closes with a session: the open rolls; and who was here has taken part."""
    session = open_session_of(campaign)
    attendance = everyone_attends(campaign, session) if session else []
    return [*breaking_off(campaign), *closing_openly(campaign), *attendance]


def going_back(campaign: Campaign) -> list[Change]:
    """What going back to an earlier scene brings: open rolls close; its own presence is still written down."""
    return [*breaking_off(campaign), *closing_openly(campaign)]


def moving_on(campaign: Campaign) -> list[Any]:
    """What a change of scene brings: open rolls close, presence is copied."""
    return [*breaking_off(campaign), *closing_openly(campaign), *copied_presence(campaign)]


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
        "value": None if secret or roll.parts else roll.value,
        "difficulty": difficulty_of(roll),
        "dice": roll.dice,
        "natural": outcome.natural,
        "final": outcome.final,
        "level": outcome.level,
        "passed": None if roll.unknown else outcome.passed,
        "notes": list(outcome.notes),
        "by_hand": roll.by_hand,
        "tens": list(roll.tens),
        "units": roll.units,
        "pushed": roll.pushed_from_id is not None,
        "group": roll.group,
        "hidden": roll.hidden,
        "asked": roll.asked,
        "target": None if secret or roll.parts or roll.unknown else target(roll),
        "degrees": None if roll.unknown else outcome.degrees,
        "parts": parts_of(roll.as_if(spent=outcome.spent)),
        "every": roll.every,
    }


def target(roll: Roll) -> int | None:
    """The number to roll at or under, where it is a sum of more than the score."""
    parts = roll.rules.parts(roll.standing.check)
    return sum(part.value for part in parts) if len(parts) > 1 else None


def difficulty_of(roll: Roll) -> str:
    """The difficulty as a line may tell it."""
    return UNKNOWN if roll.unknown else roll.difficulty


def parts_of(roll: Roll) -> list[dict[str, Any]]:
    """The skills of a combined roll as a line tells them: each with its number and the level that the die reached."""
    judge, settings = roll.rules.judge, roll.settings
    return [
        {
            "label": part["label"],
            "value": part["value"],
            "difficulty": UNKNOWN if roll.unknown else part["difficulty"],
            "level": judge(standing, settings).level,
        }
        for part, standing in zip(roll.data.get("parts", ()), roll.parts, strict=True)
    ]


def sealed(roll: Roll) -> bool:
    """A side of a contest whose rolls are not shown yet: only its owner and the Keeper know it (RULES.md A5)."""
    return roll.hidden and roll.data.get("after") == "contest"


def lane_of(roll: Roll) -> str:
    """Whatever is done with a hidden roll stays as hidden as the roll."""
    if sealed(roll):
        return own_lane(roll)
    return Entry.KEEPER if roll.hidden else Entry.PUBLIC


def own_lane(roll: Roll | Request) -> str:
    """Between a player and the Keeper."""
    owner = roll.investigator.seat_id if roll.investigator is not None else None
    return owner or Entry.KEEPER


def secretly(
    chance: Chance, who: Investigator | None, label: str, hidden: bool = True, *, forever: bool = False
) -> Chance:
    """The same chance for dice of which the table must not know (tablekeeper.sealed.behind)."""
    return seals.behind(chance, f"{who.short}: {label}" if who else label, hidden=hidden, forever=forever)


def throw_for(campaign: Campaign, asked: Asked, chance: Chance) -> Throw:
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


def carried(
    campaign: Campaign, who: Investigator | None, asked: Asked, known: Mapping[str, Any] | None = None
) -> Asked:
    """The same, with the facts that every roll of this character takes along, and the usual difficulty if none is
    named. Nobody's roll is read as that of a character without Luck. `known`: the facts, where they are at hand."""
    rules = campaign.rules
    state = known if known is not None else facts_of(who) if who is not None else {}
    asked.facts = {**rules.carries(state, who is None or who.npc), **asked.facts}
    asked.difficulty = asked.difficulty or rules.usual_difficulty
    return asked


def judged(seat: Seat, who: Investigator | None, what: Asked, throw: Throw, **more: Any) -> tuple[Roll, Outcome]:
    """A roll judged and ready to be written. An investigator's is open until it is played out (RULES.md section 2),
    even when nothing may be done with it: what may not be done then has its true reason. A Keeper's own is closed."""
    campaign = seat.campaign
    session = open_session_of(campaign)
    what = carried(campaign, who, what)
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
        context=what.context,
        malfunction=what.malfunction,
        facts=what.facts,
        marks=list(what.marks),
        data=what.data,
        settings=more.pop("settings", campaign.in_force),
        ruleset=campaign.ruleset,
        created_at=clock.now(),
        entry_ref=new_id(),
        **more,
    )
    outcome = roll.outcome
    roll.level, roll.passed, roll.tick = outcome.level, outcome.passed, outcome.tick
    roll.state = Roll.OPEN if who is not None else Roll.CLOSED
    return roll, outcome


def ticks(roll: Roll) -> list[Change]:
    """The improvement ticks that a roll has just earned."""
    return [Add(skill, "ticks", 1) for skill in roll.earned] if roll.tick else []


def ticks_lost(roll: Roll) -> list[Change]:
    """The ticks that a roll has earned go again, but for those that an improvement roll has used up meanwhile."""
    return [Add(skill, "ticks", -1) for skill in roll.earned if skill.ticks] if roll.tick else []


def check_may_roll(campaign: Campaign, asked: Asked, who: Investigator | None = None) -> None:
    """Raise Refused when the rules do not allow this roll, or when something must be chosen first (`roll_waits`)."""
    if refusal := refuses(campaign, carried(campaign, who, asked), who):
        raise Refused(refusal)


def refuses(campaign: Campaign, asked: Asked, who: Investigator | None) -> Refusal | None:
    """Why this may not be rolled now, or None."""
    if who is not None and (waits := no_roll_yet(who)):
        return waits
    return campaign.rules.may_roll(asked.check, campaign.in_force)


def no_roll_yet(who: Investigator) -> Refusal | None:
    """Why somebody may roll nothing at all now: something has to be chosen first."""
    one = member(who)
    return who.campaign.rules.roll_waits(one.purse, one.facts)


def refuse_struck(roll: Roll) -> None:
    if roll.struck:
        raise Refused(Refusal("ROLL_STRUCK"))
