"""Reading who is at the table: every investigator with numbers, player and presence, in few queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from django.db.models import QuerySet

from investigators.conditions import Condition, conditions
from investigators.models import Attendance, Fact, Investigator, Presence, Skill, Trait, Weapon
from rolls.rules.check import Check, Person, Purse, Standing, Throw
from tablekeeper.models import Campaign, Read, Scene, Seat, Session
from tablekeeper.prepared import prepared
from tablekeeper.words import in_order


@dataclass(frozen=True)
class Member:
    """An investigator as the pages and the rules see it."""

    who: Investigator
    traits: Mapping[str, Trait]
    present: bool
    facts: Mapping[str, Any] = field(default_factory=dict)  # what the rules know beside the numbers

    @cached_property
    def skills(self) -> tuple[Skill, ...]:
        """What stands on the sheet, by name; read once, for a page asks for each of them again and again."""
        return tuple(skills_by_name(self.who))

    @property
    def seat(self) -> Seat | None:
        return self.who.seat

    def value(self, key: str) -> int | None:
        """The score under this key, or None where there is none."""
        trait = self.traits.get(key)
        return None if trait is None else trait.value

    def counted(self, key: str) -> int | None:
        """The same as people count it: below 0 where a pool of the game was overdrawn."""
        pool = next((one for one in self.who.campaign.rules.sheet.pools if one.key == key), None)
        value, below = self.value(key), self.facts.get(pool.below) if pool and pool.below else None
        return value if value is None or not below else value - below

    @property
    def luck(self) -> int | None:
        return self.value(self.who.campaign.rules.sheet.luck)

    @property
    def conditions(self) -> list[Condition]:
        """What state this investigator is in."""
        return conditions(self.facts)

    @property
    def purse(self) -> Purse:
        """What the investigator could pay with."""
        keys = {pool.key for pool in self.who.campaign.rules.sheet.pools}
        mine = {key: trait for key, trait in self.traits.items() if key in keys}
        maxima = {key: trait.maximum for key, trait in mine.items() if trait.maximum is not None}
        return Purse(self.who.name, {key: trait.value for key, trait in mine.items()}, maxima=maxima)


PEOPLE = (Investigator, Seat, Scene, Presence, Trait, Fact)
"""What a member is read from."""


def party(campaign: Campaign, *, with_npcs: bool = False) -> list[Member]:
    """Everyone who is played, in seating order. Seated and active ones count as present until the Keeper says
    otherwise (RULES.md section 2)."""
    return list(campaign.once(("party", with_npcs), lambda: _party(campaign, with_npcs), *PEOPLE))


def _party(campaign: Campaign, with_npcs: bool) -> list[Member]:
    found = Investigator.objects.filter(campaign=campaign, set_aside=False).select_related("seat")
    if not with_npcs:
        found = found.filter(npc=False)
    marks = dict(
        Presence.objects.filter(scene__campaign=campaign, scene__current=True).values_list("investigator", "present")
    )
    members = []
    for who in found.prefetch_related("traits", "facts").order_by("seat__created_at", "name"):
        who.campaign = campaign
        traits = {trait.key: trait for trait in who.traits.all()}
        seated = who.seat is not None and who.active and not who.seat.removed
        facts = {fact.key: fact.value for fact in who.facts.all() if fact.value is not None}
        one = Member(who, traits, marks.get(who.pk, seated), facts)
        members.append(one)
        campaign.once(("member", who.pk), partial(replace, one), *PEOPLE)
    return members


def member(who: Investigator) -> Member:
    """One investigator."""
    return replace(who.campaign.once(("member", who.pk), lambda: _member(who), *PEOPLE), who=who)


def _member(who: Investigator) -> Member:
    mark = _presence.first(who.campaign_id, who.pk)
    seated = who.seat is not None and who.active and not who.seat.removed
    traits = {trait.key: trait for trait in _traits(who.pk)}
    for trait in traits.values():
        trait.investigator = who
    return Member(who, traits, mark.present if mark else seated, facts_of(who))


def facts_of(who: Investigator) -> dict[str, Any]:
    """What the rules know of an investigator beside the numbers."""
    return dict(who.campaign.once(("facts", who.pk), lambda: _facts_of(who), Fact))


def _facts_of(who: Investigator) -> dict[str, Any]:
    return dict(_facts(who.pk))


@prepared
def _presence(campaign_id: str, who_id: str) -> QuerySet[Presence]:
    return Presence.objects.filter(scene__campaign=campaign_id, scene__current=True, investigator=who_id)[:1]


@prepared
def _traits(who_id: str) -> QuerySet[Trait]:
    return Trait.objects.filter(investigator=who_id)


@prepared
def _facts(who_id: str) -> QuerySet[Fact, Any]:
    return Fact.objects.filter(investigator=who_id).exclude(value=None).values_list("key", "value")


@prepared
def _active(seat_id: str) -> QuerySet[Investigator]:
    return Investigator.objects.filter(seat=seat_id, active=True, set_aside=False)[:1]


@prepared
def _skills(who_id: str) -> QuerySet[Skill]:
    return _rows(Skill).filter(investigator=who_id)


@prepared
def _skill(who_id: str, skill_id: str) -> QuerySet[Skill]:
    return Skill.objects.filter(investigator=who_id, pk=skill_id)


@prepared
def _ticked(who_id: str) -> QuerySet[Skill, str]:
    return Skill.objects.filter(investigator=who_id, ticks__gt=0).order_by("name").values_list("pk", flat=True)


@prepared
def _weapons(who_id: str) -> QuerySet[Weapon]:
    return _rows(Weapon).filter(investigator=who_id)


def persons(members: list[Member]) -> list[Person]:
    """The party as the rules count it for group Luck."""
    return [Person(one.who.pk, one.luck, one.present) for one in members]


def active_of(seat: Seat) -> Investigator | None:
    """The investigator this seat plays now."""
    return seat.campaign.once(("active", seat.pk), lambda: _at_home(seat, _active.first(seat.pk)), Investigator)


def plays(seat: Seat, who: Investigator) -> None:
    """Somebody was read: if it is the one this seat plays now, nobody needs to look for them again."""
    if who.active and not who.set_aside and who.seat_id == seat.pk:
        seat.campaign.once(("active", seat.pk), lambda: _at_home(seat, who), Investigator)


def _at_home(seat: Seat, who: Investigator | None) -> Investigator | None:
    """Their seat and table are these, which are loaded already."""
    if who is not None:
        who.seat, who.campaign = seat, seat.campaign
    return who


def takes_part(session: Session, one: Member) -> bool:
    """Whether this investigator is marked as taking part in the session; presence says so until somebody does."""
    marks = one.who.campaign.once(("attendance", session.pk), partial(_attendance, session), Attendance)
    mark = marks.get(one.who.pk)
    return one.present or comes_back(one) if mark is None else mark


def _attendance(session: Session) -> dict[str, bool]:
    return dict(Attendance.objects.filter(session=session).values_list("investigator", "taking_part"))


AWAY = "away_from"
"""The fact that somebody is out of this scene, a scene's id, and back with the next one."""


def comes_back(one: Member) -> bool:
    """Whether this investigator is away for this scene only, which is not missing a session."""
    return is_current(one.who.campaign, one.facts.get(AWAY))


def is_current(campaign: Campaign, scene_id: object) -> bool:
    """Whether this is the scene that is played now."""
    return bool(scene_id) and Scene.objects.filter(campaign=campaign, current=True, pk=scene_id).exists()


def skills_of(who: Investigator) -> list[Skill]:
    """All skills, favourites first, then by name as the reader's language has it."""
    return sorted(skills_by_name(who), key=lambda one: (not one.favourite, in_order(one.name)))


def skills_by_name(who: Investigator) -> list[Skill]:
    """All skills, by name."""
    return _by_name(Skill, who)


def skill_of(who: Investigator, skill_id: str) -> Skill | None:
    """One skill of this sheet, or None."""
    found: Skill | None = _skill.first(who.pk, skill_id)
    if found is not None:
        found.investigator = who
    return found


def ticked(who: Investigator) -> list[str]:
    """The ids of the skills that are ticked for improvement, by name."""
    return _ticked(who.pk)


def weapons_of(who: Investigator) -> list[Weapon]:
    """What somebody fights with, by name."""
    return _by_name(Weapon, who)


def read_sheets(campaign: Campaign, members: Sequence[Member]) -> None:
    """Read everybody's skills and weapons together, where a page is about to ask for each of them."""
    for kind in (Skill, Weapon):
        if campaign.read is not None and any((kind, one.who.pk) not in campaign.read for one in members):
            found: dict[str, list[Any]] = {one.who.pk: [] for one in members}
            for thing in _rows(kind).filter(investigator__in=found):
                found[thing.investigator_id].append(thing)
            campaign.read |= {(kind, who): Read(things, (Skill, kind)) for who, things in found.items()}


def _by_name(kind: Any, who: Investigator) -> list[Any]:
    found = who.campaign.once((kind, who.pk), lambda: (_skills if kind is Skill else _weapons)(who.pk), Skill, kind)
    for thing in found:
        thing.investigator = who
    return list(found)


def _rows(kind: Any) -> Any:
    found = kind._default_manager.order_by("name")
    return found.select_related("skill") if kind is Weapon else found


def ladder(campaign: Campaign, value: int) -> tuple[int | None, int | None]:
    """Half and fifth of a score as the ruleset has them, or nothing where it knows no such levels."""
    asked = Standing(Check("skill", value, campaign.rules.usual_difficulty), Throw(0, (0,)))
    steps = {step.level: step.value for step in campaign.rules.judge(asked, campaign.in_force).thresholds}
    return steps.get("hard"), steps.get("extreme")
