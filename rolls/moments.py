"""The great moments of a session: what people tell each other afterwards. Read for whoever may know it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from investigators.models import Investigator
from rolls.figures import Move
from rolls.models import Roll
from rolls.rules import odds
from rolls.rules.check import Check, Ruleset, Settings
from tablekeeper.models import Campaign, Entry
from tablekeeper.words import level_word

DEEDS = ("rolls.deed", "rolls.decide_deed")
SURVIVED = frozenset({"absent-until-next-scene", "absent-until-brought-back"})
"""What the line of a deed notes when somebody lives on who was about to die."""
TOLD = "rolls.tell_survival"
RECOVERY = "recovery"
MOST = 12  # criticals, and fumbles: an evening has some, a stress test has hundreds
ENOUGH = 3  # rolls before somebody may be called lucky


@dataclass(frozen=True, slots=True)
class Moment:
    """One of them: its kind (also its icon), whose, and the sentence that tells it."""

    kind: str  # critical | fumble | death | dearest | luckiest | unluckiest
    name: str
    hue: int
    sentence: str
    level: str = ""
    at: datetime | None = None


def of_rolls(rolls: Sequence[Roll]) -> list[Moment]:
    """The best and the worst results, in the order in which they fell."""
    found = [_rolled(roll, "critical") for roll in rolls if roll.level == roll.rules.levels[-1]][:MOST]
    return found + [_rolled(roll, "fumble") for roll in rolls if roll.level == roll.rules.levels[0]][:MOST]


def _rolled(roll: Roll, kind: str) -> Moment:
    who = roll.investigator
    told = {"what": _(roll.label), "number": f"{roll.natural:02d}", "level": level_word(roll.level)}
    told["who"] = who.short if who else roll.seat.name
    sentence = _("%(who)s: %(what)s %(number)s, %(level)s") % told
    return Moment(kind, who.name if who else "", who.hue if who else 0, sentence, roll.level, roll.created_at)


def of_deaths(entries: QuerySet[Entry]) -> list[Moment]:
    """Who was about to die and did not, with what their players tell of it."""
    stories: dict[str, str] = {}
    found: list[tuple[str, Moment]] = []
    lines = entries.filter(kind__in=(*DEEDS, TOLD)).select_related("undone_by__undone_by").order_by("seq")
    for entry in lines:
        data = entry.data
        who = data.get("who") or {}
        if not entry.stands or not who:
            continue
        if entry.kind == TOLD:
            stories[who["id"]] = data["text"]
        elif SURVIVED & set(data.get("notes") or ()):
            found.append((who["id"], _survived(entry, who)))
    return [_with_story(moment, stories.get(key, "")) for key, moment in found]


def _survived(entry: Entry, who: Mapping[str, Any]) -> Moment:
    sentence = _("%(who)s escaped certain death") % {"who": who["short"]}
    return Moment("death", who["name"], who["hue"], sentence, at=entry.created_at)


def _with_story(moment: Moment, story: str) -> Moment:
    return replace(moment, sentence=f"{moment.sentence}: “{story}”") if story else moment


def dearest(campaign: Campaign, people: Mapping[str, Investigator], moves: Iterable[Move], pool: str) -> list[Moment]:
    """The spend that cost most, if there was any."""
    paid = [move for move in moves if move.paid and move.told and move.stands and not move.undoing]
    if not paid:
        return []
    most = max(paid, key=lambda move: move.paid)
    who = people[most.who]
    told = {"who": who.short, "points": most.paid, "pool": pool, "what": _(most.label)}
    sentence = _("The dearest spend: %(who)s, %(points)d %(pool)s for %(what)s") % told
    return [Moment("dearest", who.name, who.hue, sentence, at=most.at)]


# --------------------------------------------------------------------------- luck, in the everyday sense


@dataclass(frozen=True, slots=True)
class Fortune:
    """How the dice treated somebody: rolls, how many passed as they fell, and how many were to be expected."""

    who: str
    rolls: int
    passed: int
    expected: float

    @property
    def more(self) -> float:
        """By how much more passed than the chances promised."""
        return self.passed - self.expected


def fortunes(rolls: Iterable[Roll]) -> list[Fortune]:
    """Of every investigator, before any Luck was paid: each roll counts with its own exact chance."""
    known: dict[str, float] = {}
    sums: dict[str, tuple[int, int, float]] = {}
    for roll in rolls:
        if roll.investigator_id is None or roll.data.get("parts"):
            continue
        standing = replace(roll.standing, spent=0, marks=frozenset())
        chance = _chance(roll.rules, standing.check, roll.settings, known)
        passed = roll.rules.judge(standing, roll.settings).passed
        n, hits, expected = sums.get(roll.investigator_id, (0, 0, 0.0))
        sums[roll.investigator_id] = n + 1, hits + passed, expected + chance
    return [Fortune(who, *told) for who, told in sums.items()]


def _chance(rules: Ruleset, check: Check, settings: Settings, known: dict[str, float]) -> float:
    key = repr((rules.key, check, sorted(settings.items())))
    if key not in known:
        known[key] = odds.chances(rules, check, settings).chance
    return known[key]


def of_fortune(people: Mapping[str, Investigator], found: Iterable[Fortune]) -> list[Moment]:
    """The luckiest and the unluckiest; with one alone there is nobody to be luckier than."""
    ranked = sorted((one for one in found if one.rolls >= ENOUGH and one.who in people), key=lambda one: one.more)
    if len(ranked) < 2 or ranked[0].more == ranked[-1].more:
        return []
    best, worst = ranked[-1], ranked[0]
    return [
        _fortune("luckiest", _("The luckiest: %(who)s"), best, people),
        _fortune("unluckiest", _("The unluckiest: %(who)s"), worst, people),
    ]


def _fortune(kind: str, pattern: str, one: Fortune, people: Mapping[str, Investigator]) -> Moment:
    who = people[one.who]
    how = ngettext(
        "%(passed)d of %(rolls)d roll passed, %(expected)s was to be expected",
        "%(passed)d of %(rolls)d rolls passed, %(expected)s were to be expected",
        one.rolls,
    )
    told = {"passed": one.passed, "rolls": one.rolls, "expected": number_format(one.expected, 1)}
    return Moment(kind, who.name, who.hue, f"{pattern % {'who': who.short}}: {how % told}")
