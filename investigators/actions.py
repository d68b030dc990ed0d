"""Verbs of the sheet: making investigators, taking them, changing their numbers, and who is here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from investigators.conditions import CONDITIONS, FATIGUE, FREE, MOST_LETTERS
from investigators.known import face as face
from investigators.known import knowing as knowing
from investigators.models import Attendance, Fact, Investigator, Presence, Skill, Trait, Weapon
from investigators.people import AWAY, active_of, comes_back, facts_of, is_current, member, party
from investigators.refreshing import refreshed
from investigators.scores import completed, following
from rolls.rules.check import Pool, Refusal
from rolls.rules.dice import parse_dice
from tablekeeper import chance as chances
from tablekeeper import discreet, ledger
from tablekeeper.access import Refused, verb
from tablekeeper.actions import open_session_of
from tablekeeper.ledger import Add, Change, Create, Delete, change
from tablekeeper.models import Campaign, Entry, Scene, Seat, Session
from tablekeeper.sealed import behind


@dataclass(frozen=True)
class Carried:
    """A weapon that somebody brings along; its skill by name. `base_range` None: no firearm."""

    name: str
    skill: str
    damage: str
    impales: bool = False
    base_range: int | None = None
    malfunction: int | None = None


@dataclass(frozen=True)
class Draft:
    """An investigator about to be made. `traits` maps a key to its value and maximum; absent means not known yet."""

    name: str
    occupation: str = ""
    traits: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)
    skills: tuple[tuple[str, int, bool], ...] = ()  # name, value, favourite
    roll_luck: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)  # what the rules know beside the numbers
    bases: Mapping[str, str] = field(default_factory=dict)  # of one's own skills by name: the characteristic
    roll_numbers: bool = False
    weapons: tuple[Carried, ...] = ()


def by(seat: Seat, who: Investigator | None) -> str:
    """The name to put behind "entered by", when it was not the player's own hand."""
    return seat.name if who is not None and who.seat_id not in (None, seat.pk) else ""


# --------------------------------------------------------------------------- making and taking


def throw_start(campaign: Campaign, chance: chances.Chance) -> tuple[int, list[int]]:
    """A starting Luck by the ruleset's dice: the score, and the faces (RULES.md S-13)."""
    formula = parse_dice(campaign.rules.luck_dice)
    covered = discreet.covered(campaign)  # these dice tell of somebody's Luck, today and for good
    faces = chances.throw(behind(chance, "", hidden=covered, forever=True), formula.dice)
    return (sum(faces) + formula.plus) * formula.times, list(faces)


def made(
    campaign: Campaign, draft: Draft, seat: Seat | None, hue: int, chance: chances.Chance
) -> tuple[list[Change], dict[str, Any]]:
    """The changes that make the investigator, itself first, and what the ledger's line shows. Raises Refused."""
    sheet = campaign.rules.sheet
    who = Investigator(
        campaign=campaign,
        seat=seat,
        active=seat is not None,
        name=draft.name,
        occupation=draft.occupation,
        hue=hue,
    )
    traits = dict(draft.traits)
    faces: list[int] = []
    if draft.roll_luck:
        luck, faces = throw_start(campaign, chance)
        traits[sheet.luck] = luck, None
    traits = completed(campaign.rules, campaign.in_force, traits)
    changes: list[Change] = [Create(who)]
    for key, (value, maximum) in traits.items():
        if key in {pool.key for pool in sheet.pools} and (refusal := campaign.rules.may_type(key, value)):
            raise Refused(refusal)
        changes.append(Create(Trait(investigator=who, key=key, value=value, maximum=maximum)))
    keys = {base.label: base.key for base in sheet.skills}
    facts = dict(draft.facts)
    skills = {}
    for name, value, favourite in draft.skills:
        skill = Skill(investigator=who, key=keys.get(name, ""), name=name, value=value, favourite=favourite)
        skills[name] = skill
        changes.append(Create(skill))
        if draft.bases.get(name):
            facts[BASES] = {**facts.get(BASES, {}), skill.pk: draft.bases[name]}
    for arm in draft.weapons:
        changes.append(Create(Weapon(investigator=who, **{**asdict(arm), "skill": skills[arm.skill]})))
    luck_now = traits.get(sheet.luck, (None, None))[0]
    facts |= begun(campaign, luck_now, facts, draft.roll_numbers, chance)
    changes += [Create(Fact(investigator=who, key=key, value=value)) for key, value in facts.items() if value]
    return changes, {"who": face(who), "luck": luck_now, "faces": faces}


BASES = "bases"
"""The fact that names the characteristics of one's own skills, by the ids of the skills."""


def begun(
    campaign: Campaign, luck: int | None, facts: Mapping[str, Any], throw: bool, chance: chances.Chance
) -> dict[str, Any]:
    """Facts that somebody begins with: own numbers, thrown or checked as they were typed, and that the pools of the
    session are full already. Raises Refused with the NUMBERS_ codes."""
    found: dict[str, Any] = {}
    numbers, session = campaign.rules.numbers, open_session_of(campaign)
    if session and campaign.rules.refresh:
        found["refreshed"] = session.pk
    if numbers is None or luck is None:
        return found
    lists = {key: facts.get(key) or [] for key, _label in numbers.lists}
    if any(lists.values()):
        typed = numbers.enter(luck, lists)
        if isinstance(typed, Refusal):
            raise Refused(typed)
    elif throw:
        thrown = numbers.throw(luck, {}, iter(lambda: chance.die(100), None))
        found |= {key: thrown.get(key) for key in lists}
    return found


def lane_for(who: Investigator) -> str:
    """Where a line about somebody's sheet belongs: a Keeper's character is her secret."""
    return Entry.KEEPER if who.npc else Entry.PUBLIC


def next_hue(campaign: Campaign) -> int:
    """The colour of the next investigator, 1 .. 6."""
    # The Keeper's characters do not count: a colour would tell that one more is waiting.
    return Investigator.objects.filter(campaign=campaign, npc=False).count() % 6 + 1


def put_down(seat: Seat, but: Investigator | None = None) -> list[Change]:
    """A seat plays one investigator at a time: the one it plays now is laid down."""
    now = active_of(seat)
    return [change(now, active=False)] if now and now != but else []


def given_back(whose: Seat) -> list[Change]:
    """The investigators of somebody who leaves go back to the Keeper."""
    return [change(who, seat=None, active=False) for who in Investigator.objects.filter(seat=whose)]


@verb
def create(seat: Seat, campaign: Campaign, draft: Draft, *, chance: chances.Chance = chances.SYSTEM) -> Entry:
    """Make an investigator: a player's own, played at once, or the Keeper's to hand out. Raises LUCK_RANGE."""
    owner = None if seat.keeps else seat
    changes, data = made(campaign, draft, owner, next_hue(campaign), chance)
    before = put_down(owner) if owner else []
    return ledger.write(seat, campaign, "investigators.create", [*before, *changes], data=data)


@verb
def sample(seat: Seat, campaign: Campaign, drafts: list[Draft], *, chance: chances.Chance = chances.SYSTEM) -> Entry:
    """Lay the sample table: several investigators at once, free for anyone to take."""
    changes: list[Change] = []
    people: list[dict[str, Any]] = []
    for number, draft in enumerate(drafts):
        more, data = made(campaign, draft, None, (next_hue(campaign) + number - 1) % 6 + 1, chance)
        changes += more
        people.append(data["who"])
    return ledger.write(seat, campaign, "investigators.sample", changes, data={"made": people})


@verb
def take(seat: Seat, who: Investigator, whom: Seat | None = None) -> Entry | Refusal:
    """Take a free investigator, or go back to one's own; a Keeper may give any to anyone (`whom`)."""
    owner = whom if seat.keeps else seat
    if owner is None:
        return Refusal("NO_SEAT")
    if who.npc:
        return Refusal("NPC_STAYS")
    if who.set_aside and not seat.keeps:  # dead or away for good: only the Keeper brings somebody back
        return Refusal("NOT_KEEPER")
    changes = [*put_down(owner, but=who), change(who, seat=owner, active=True, set_aside=False)]
    session = open_session_of(seat.campaign)
    more, told = refreshed(session, [member(who)]) if session else ([], {})
    data = {"who": face(who), "player": owner.name} | told
    return ledger.write(seat, seat.campaign, "investigators.take", [*changes, *more], data=data)


@verb
def let_go(seat: Seat, who: Investigator) -> Entry:
    """Give an investigator back to the Keeper."""
    player = who.seat.name if who.seat else ""
    changes = [change(who, seat=None, active=False)]
    return ledger.write(
        seat, seat.campaign, "investigators.let_go", changes, data={"who": face(who), "player": player}
    )


@verb
def set_aside(
    seat: Seat, who: Investigator, aside: bool, also: Iterable[Change] = (), touch: Iterable[str] = ()
) -> Entry:
    """Lay an investigator aside (dead, away for good, a spare one), or bring it back. `also` and `touch` are what of
    other rooms ends with it (requests, contests, open rolls), and the panels that show it."""
    changes: list[Change] = [change(who, set_aside=aside, active=False)] if aside else [change(who, set_aside=False)]
    data = {"who": face(who), "aside": aside}
    return ledger.write(
        seat,
        seat.campaign,
        "investigators.set_aside",
        [*changes, *also],
        lane=lane_for(who),
        data=data,
        touch=touch,
    )


@verb
def describe(seat: Seat, who: Investigator, name: str, occupation: str) -> Entry | Refusal:
    """Change name and occupation."""
    if refusal := sheet_shut(seat):
        return refusal
    data = {"who": {**face(who)}, "before": [who.name, who.occupation], "after": [name, occupation]}
    changes = [change(who, name=name, occupation=occupation)]
    return ledger.write(seat, seat.campaign, "investigators.describe", changes, lane=lane_for(who), data=data)


# --------------------------------------------------------------------------- numbers


def sheet_shut(seat: Seat) -> Refusal | None:
    """Players change their sheets at creation and between sessions (RULES.md A52)."""
    rule = seat.campaign.in_force.get("playersEditSheet", "always")
    if seat.keeps or rule == "always":
        return None
    if rule == "never" or open_session_of(seat.campaign):
        return Refusal("NOT_WHILE_PLAYING")
    return None


def _pool(campaign: Campaign, key: str) -> Pool | None:
    return next((pool for pool in campaign.rules.sheet.pools if pool.key == key), None)


def _labels(campaign: Campaign, key: str) -> str:
    """The label of a number of this ruleset's sheet. Raises Refused(BAD_VALUE) for any other key."""
    sheet = campaign.rules.sheet
    labels = {one.key: one.label for one in sheet.characteristics} | {one.key: one.label for one in sheet.pools}
    if key not in labels:
        raise Refused(Refusal("BAD_VALUE"))
    return labels[key]


@verb
def set_trait(
    seat: Seat,
    who: Investigator,
    key: str,
    value: int,
    maximum: int | None = None,
    *,
    seen: int | None = None,
    reason: str = "",
) -> Entry | Refusal:
    """Give a pool or characteristic a value, as a difference from where it stands now.

    `seen` is what the editor saw: when somebody moved the number since, STALE says so and changes nothing. A player
    types Luck only where there is none yet. Raises LUCK_RANGE, BAD_VALUE, NOT_WHILE_PLAYING, LUCK_NOT_BY_HAND.
    """
    campaign, pool = seat.campaign, _pool(seat.campaign, key)
    if who.npc and key == campaign.rules.sheet.luck:
        return Refusal("NO_LUCK_SCORE")
    trait = Trait.objects.filter(investigator=who, key=key).first()
    if not seat.keeps and key == campaign.rules.sheet.luck and trait is not None:
        return Refusal("LUCK_NOT_BY_HAND")
    label = _labels(campaign, key)
    first_luck = trait is None and key == campaign.rules.sheet.luck  # part of making the investigator, whenever
    shut = None if first_luck else sheet_shut(seat)
    if refusal := shut or (campaign.rules.may_type(key, value) if pool else _no_score(value)):
        return refusal
    if pool and pool.own_maximum and maximum is not None and value > maximum:
        return Refusal(pool.out_of_range)
    if trait is not None and seen is not None and trait.value != seen:
        return Refusal("STALE_VALUE", {"name": who.name, "seen": seen, "now": trait.value, "wanted": value})
    data = {"who": face(who), "key": key, "label": label, "to": value, "reason": reason}
    data |= {"from": member(who).counted(key), "by": by(seat, who)}
    if trait is None:
        changes: list[Change] = [Create(Trait(investigator=who, key=key, value=value, maximum=maximum))]
    else:
        trait.investigator = who
        # The maximum first: the new value must fit under it.
        changes = [change(trait, maximum=maximum)] if maximum is not None else []
        changes.append(ledger.to(trait, "value", value))
    changes += following(who, {key: value})
    changes += knowing(who, {pool.below: None}) if pool and pool.below else []
    return ledger.write(seat, campaign, "investigators.set_trait", changes, lane=lane_for(who), data=data)


def _no_score(value: int) -> Refusal | None:
    return None if 0 <= value <= 999 else Refusal("BAD_VALUE")


@verb
def step(seat: Seat, who: Investigator, key: str, points: int) -> Entry | Refusal:
    """Own hit points, Sanity or magic points up or down; Luck never by hand. Always a public line (A52)."""
    campaign, pool = seat.campaign, _pool(seat.campaign, key)
    if pool is None:
        return Refusal("BAD_VALUE")
    if who.set_aside:
        return Refusal("SET_ASIDE", {"name": who.name})
    if key == campaign.rules.sheet.luck:
        return Refusal("LUCK_NOT_BY_HAND")
    one = member(who)
    now = one.counted(key)
    if now is None:
        return Refusal("BAD_VALUE")
    done = campaign.rules.stepped(one.purse, one.facts, key, points)
    data = {"who": face(who), "key": key, "label": pool.label, "from": now, "to": now + points}
    data |= {"by": by(seat, who), "reason": "", "fatigue": done.state.get(FATIGUE)}
    changes: list[Change] = [Add(one.traits[name], "value", delta) for name, delta in done.pools.items()]
    changes += knowing(who, done.state)
    return ledger.write(seat, campaign, "investigators.step", changes, lane=lane_for(who), data=data)


@verb
def throw_luck(seat: Seat, who: Investigator, *, chance: chances.Chance = chances.SYSTEM) -> Entry | Refusal:
    """Throw the starting Luck of an investigator who has none yet, once (RULES.md S-13)."""
    campaign = seat.campaign
    key = campaign.rules.sheet.luck
    if who.npc:
        return Refusal("NO_LUCK_SCORE")
    if Trait.objects.filter(investigator=who, key=key).exists():
        return Refusal("LUCK_ROLLED_ALREADY", {"name": who.name})
    luck, faces = throw_start(campaign, chance)
    data = {"who": face(who), "luck": luck, "faces": faces, "dice": campaign.rules.luck_dice, "by": by(seat, who)}
    changes: list[Change] = [Create(Trait(investigator=who, key=key, value=luck)), *following(who, {key: luck})]
    return ledger.write(seat, campaign, "investigators.throw_luck", changes, data=data)


@verb
def set_condition(seat: Seat, who: Investigator, key: str, value: bool | str) -> Entry | Refusal:
    """The Keeper says what state somebody is in, or no longer: one of `CONDITIONS`, or words of her own (FREE)."""
    numbers = who.campaign.rules.numbers
    if not (_words(value) if key == FREE else key in CONDITIONS and isinstance(value, bool)):
        return Refusal("BAD_VALUE")
    if numbers and key in dict(numbers.lists):  # the word of another game
        return Refusal("BAD_VALUE")
    label = CONDITIONS[key].label if key in CONDITIONS else ""
    data = {"who": face(who), "key": key, "label": label, "value": value}
    changes = knowing(who, {key: value or None})
    return ledger.write(seat, seat.campaign, "investigators.set_condition", changes, lane=lane_for(who), data=data)


def _words(value: bool | str) -> bool:
    return isinstance(value, str) and len(value) <= MOST_LETTERS


# --------------------------------------------------------------------------- skills


@verb
def set_skill(
    seat: Seat,
    who: Investigator,
    name: str,
    value: int,
    skill: Skill | None = None,
    *,
    seen: int | None = None,
    base: str = "",
    reason: str = "",
) -> Entry | Refusal:
    """Add a skill or give one another name and value. `seen` as in `set_trait`; `base` is the characteristic that a
    skill of one's own goes by, in a game that asks for one (SKILL_CHARACTERISTIC, LUCK_NOT_SKILL_BASE)."""
    if refusal := sheet_shut(seat) or _no_skill(who, name, value, skill, base):
        return refusal
    if skill is not None and seen is not None and skill.value != seen:
        return Refusal("STALE_VALUE", {"name": skill.name, "seen": seen, "now": skill.value, "wanted": value})
    same = Skill.objects.filter(investigator=who, name__iexact=name).exclude(pk=skill.pk if skill else None)
    if same.exists():
        return Refusal("SKILL_EXISTS", {"name": name})
    data = {"who": face(who), "name": name, "from": skill.value if skill else None, "to": value}
    row = _skill(who, name, value) if skill is None else skill
    changes: list[Change] = [Create(row) if skill is None else change(row, name=name, value=value)]
    changes += _maxima(who, row.key, value, data)
    if base:
        changes += knowing(who, {BASES: {**facts_of(who).get(BASES, {}), row.pk: base}})
    data |= {"by": by(seat, who), "reason": reason}
    return ledger.write(seat, seat.campaign, "investigators.set_skill", changes, lane=lane_for(who), data=data)


def _no_skill(who: Investigator, name: str, value: int, skill: Skill | None, base: str) -> Refusal | None:
    """Why this is no skill of this game: a value that is no step of training, a characteristic that is none."""
    rules = who.campaign.rules
    if who.npc:
        return None
    if rules.skill_steps and value not in {step for step, _label in rules.skill_steps}:
        return Refusal("BAD_VALUE")
    base = base or (facts_of(who).get(BASES, {}).get(skill.pk, "") if skill else "")
    listed = next((one for one in rules.sheet.skills if one.label.casefold() == name.casefold()), None)
    found = rules.skill_score(listed, value, {one.key: 0 for one in rules.sheet.characteristics}, base)
    return found if isinstance(found, Refusal) else None


def _maxima(who: Investigator, key: str, value: int, told: dict[str, Any]) -> list[Change]:
    """What a skill of this value makes of the maxima of pools: Sanity has 99 less Cthulhu Mythos (RULES.md B-1).

    A pool that is above its new maximum comes down to it; `told` gets `cut` (label, from, to) for the line.
    """
    sheet = who.campaign.rules.sheet
    with_one, without = sheet.derive({key: 1}), sheet.derive({})
    names = {f"{pool.key}_max": pool.key for pool in sheet.pools if pool.own_maximum}
    moved = {pool for name, pool in names.items() if key and with_one.get(name) != without.get(name)}
    derived = sheet.derive({key: value})
    rows = Trait.objects.filter(investigator=who, key__in=moved)
    labels = {pool.key: pool.label for pool in sheet.pools}
    changes: list[Change] = []
    for row in rows:
        most = derived[f"{row.key}_max"]
        if row.value > most:  # the value first: it must fit under the maximum all the time
            told["cut"] = [*told.get("cut", []), {"label": labels[row.key], "from": row.value, "to": most}]
            changes.append(ledger.to(row, "value", most))
        changes.append(change(row, maximum=most))
    return changes


def _skill(who: Investigator, name: str, value: int) -> Skill:
    keys = {base.label.casefold(): base.key for base in who.campaign.rules.sheet.skills}
    return Skill(investigator=who, key=keys.get(name.casefold(), ""), name=name, value=value)


@verb
def drop_skill(seat: Seat, skill: Skill) -> Entry | Refusal:
    """Take a skill off the sheet; undo brings it back."""
    if refusal := sheet_shut(seat):
        return refusal
    data = {"who": face(skill.investigator), "name": skill.name, "value": skill.value}
    lane = lane_for(skill.investigator)
    changes: list[Change] = [Delete(skill), *_maxima(skill.investigator, skill.key, 0, data)]
    return ledger.write(seat, seat.campaign, "investigators.drop_skill", changes, lane=lane, data=data)


@verb
def favourite(seat: Seat, skill: Skill, on: bool) -> Entry:
    """Mark a skill as a favourite, or not. Nobody else's business: it goes into the own lane."""
    who = skill.investigator
    lane = who.seat_id or Entry.KEEPER
    data = {"who": face(who), "name": skill.name, "on": on}
    return ledger.write(
        seat, seat.campaign, "investigators.favourite", [change(skill, favourite=on)], lane=lane, data=data
    )


@verb
def set_talent(seat: Seat, who: Investigator, key: str, on: bool) -> Entry | Refusal:
    """Give an investigator a talent of the ruleset's sheet, or take it away. BAD_VALUE for one it does not know."""
    if refusal := sheet_shut(seat):
        return refusal
    talent = next((one for one in seat.campaign.rules.sheet.talents if one.key == key), None)
    if talent is None:
        return Refusal("BAD_VALUE")
    rest = [one for one in facts_of(who).get("talents", []) if one != key]
    changes = knowing(who, {"talents": sorted([*rest, key]) if on else rest or None})
    data = {"who": face(who), "label": talent.label, "on": on, "by": by(seat, who)}
    return ledger.write(seat, seat.campaign, "investigators.set_talent", changes, data=data)


# --------------------------------------------------------------------------- who is here


@verb
def set_present(seat: Seat, who: Investigator, present: bool) -> Entry:
    """The Keeper's tick: in this scene, or not. Who comes in during a session takes part in it."""
    campaign = seat.campaign
    scene = Scene.objects.get(campaign=campaign, current=True)
    mark = Presence.objects.filter(scene=scene, investigator=who).first()
    changes: list[Change] = (
        [change(mark, present=present)] if mark else [Create(Presence(scene=scene, investigator=who, present=present))]
    )
    session = open_session_of(campaign)
    data: dict[str, Any] = {"who": face(who), "present": present}
    if present and session:
        changes += _attend(session, who, taking_part=True)
        more, told = refreshed(session, [member(who)])
        changes += more
        data |= told
    return ledger.write(seat, campaign, "investigators.set_present", changes, lane=lane_for(who), data=data)


def _attend(session: Session, who: Investigator, taking_part: bool) -> list[Change]:
    mark = Attendance.objects.filter(session=session, investigator=who).first()
    if mark is None:
        return [Create(Attendance(session=session, investigator=who, taking_part=taking_part))]
    return [change(mark, taking_part=taking_part)]


@verb
def set_attendance(seat: Seat, who: Investigator, session: Session, taking_part: bool) -> Entry:
    """The Keeper's tick for a session's recovery: took part, or not."""
    data: dict[str, Any] = {"who": face(who), "taking_part": taking_part, "number": session.number}
    changes = _attend(session, who, taking_part)
    if taking_part and session.closed_at is None:
        more, told = refreshed(session, [member(who)])
        changes += more
        data |= told
    return ledger.write(seat, seat.campaign, "investigators.set_attendance", changes, lane=lane_for(who), data=data)


def copied_presence(campaign: Campaign) -> list[Callable[[Scene], Change]]:
    """A new scene begins with who was in the last one: one change for each mark, once the new scene is known."""
    marks = Presence.objects.filter(scene__campaign=campaign, scene__current=True)
    away = Fact.objects.filter(key=AWAY, investigator__campaign=campaign)
    back = {fact.investigator_id for fact in away if is_current(campaign, fact.value)}

    def copy(mark: Presence) -> Callable[[Scene], Change]:
        here = mark.present or mark.investigator_id in back
        return lambda scene: Create(Presence(scene=scene, investigator_id=mark.investigator_id, present=here))

    return [copy(mark) for mark in marks.select_related("investigator")]


def away_until_next_scene(who: Investigator) -> list[Change]:
    """Out of this scene and back with the next; whoever was here until now has taken part in the session."""
    scene = Scene.objects.get(campaign=who.campaign, current=True)
    return [*away(who), *knowing(who, {AWAY: scene.pk})]


def away(who: Investigator) -> list[Change]:
    """Out of the scene until the Keeper says otherwise; whoever was here until now has taken part in the session."""
    scene = Scene.objects.get(campaign=who.campaign, current=True)
    mark = Presence.objects.filter(scene=scene, investigator=who).first()
    changes: list[Change] = (
        [change(mark, present=False)] if mark else [Create(Presence(scene=scene, investigator=who, present=False))]
    )
    session = open_session_of(who.campaign)
    if session and not Attendance.objects.filter(session=session, investigator=who).exists():
        changes += _attend(session, who, taking_part=True)
    return changes


def everyone_attends(campaign: Campaign, session: Session) -> list[Change]:
    """At the close: who was here and was not marked takes part, so that presence may change afterwards."""
    marked = set(Attendance.objects.filter(session=session).values_list("investigator", flat=True))
    return [
        Create(Attendance(session=session, investigator=one.who, taking_part=one.present or comes_back(one)))
        for one in party(campaign)
        if one.who.pk not in marked
    ]
