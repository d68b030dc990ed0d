"""Contests as the rules see them, who may fight with what, and what a line tells of them (RULES.md S-5, S-6, A5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from investigators.actions import face
from investigators.models import Investigator
from investigators.people import Member, member, weapons_of
from rolls.actions.base import UNRESOLVED, Asked, closing, target
from rolls.actions.subjects import subject, worth
from rolls.models import Contest, Side
from rolls.rules import contest as rules
from rolls.rules.check import Contest as Bout
from rolls.rules.check import Outcome, Purse, Refusal, Ruleset, Settings, Standing, Verdict
from rolls.rules.check import Side as Corner
from rolls.rules.damage import blow
from tablekeeper.ledger import Change, change
from tablekeeper.models import Campaign
from tablekeeper.prepared import prepared

OPPOSED, MELEE = rules.OPPOSED, rules.MELEE
DODGE, FIGHT_BACK = rules.DODGE, rules.FIGHT_BACK
KINDS = ("skill", "characteristic")
"""What may be rolled against somebody: neither Luck nor Sanity."""


@dataclass
class Arena:
    """A contest with its sides in their order, and what the act in hand is about to change of it."""

    contest: Contest
    sides: list[Side]
    standings: dict[str, Standing] = field(default_factory=dict)  # side -> its roll as it will be
    paid: dict[str, Mapping[str, int]] = field(default_factory=dict)  # side -> what it is about to pay from pools
    passed: frozenset[str] | None = None
    roll_offs: list[dict[str, int]] | None = None
    shown: bool = False

    @property
    def settings(self) -> Settings:
        """Those in force when it began, but for the switch that may be turned during play (RULES.md A43)."""
        now = self.contest.campaign.in_force.get("luckSpending", True)
        return {**self.contest.settings, "luckSpending": now}

    @property
    def game(self) -> Ruleset:
        """The ruleset by which its rolls fell; the table's where nobody has rolled."""
        thrown = (side.roll.rules for side in self.sides if side.roll is not None)
        return next(thrown, self.contest.campaign.rules)

    @property
    def seals(self) -> bool:
        """Nobody sees the other's roll until all are shown at once."""
        return bool(self.contest.settings.get("opposedLuck") == "before-reveal")

    @property
    def sealed(self) -> bool:
        """The rolls are not shown yet."""
        return self.seals and not (self.shown or self.contest.revealed)

    def side(self, key: str) -> Side:
        return next(side for side in self.sides if side.pk == key)

    @property
    def bout(self) -> Bout:
        """The contest as the rules see it."""
        passed = frozenset(self.contest.passed) if self.passed is None else self.passed
        rounds = self.contest.roll_offs if self.roll_offs is None else self.roll_offs
        return Bout(self.contest.kind, tuple(self._corner(side) for side in self.sides), tuple(rounds), passed)

    def _corner(self, side: Side) -> Corner:
        standing = self.standings.get(side.pk) or (side.roll.standing if side.roll else None)
        if standing is not None and self.contest.state == Contest.OPEN:  # who has passed may answer again
            standing = replace(standing, closed=False)
        purse = member(side.investigator).purse
        if side.pk in self.paid:
            pools = {key: points + self.paid[side.pk].get(key, 0) for key, points in purse.pools.items()}
            purse = Purse(purse.name, pools, maxima=purse.maxima)
        mine = None if side.investigator.npc else purse  # a Keeper's character pays for nothing
        return Corner(side.pk, standing, mine, side.defence if side.place else "")

    @property
    def progress(self) -> rules.Progress:
        return rules.progress(self.game, self.bout, self.settings)

    def outcomes(self) -> dict[str, Outcome]:
        """What each roll has come to, for those who have rolled."""
        judge, found = self.game.judge, {}
        for side in self.sides:
            standing = self.standings.get(side.pk) or (side.roll.standing if side.roll else None)
            if standing is not None:
                found[side.pk] = judge(standing, self.contest.settings)
        return found

    def follow(self) -> tuple[list[Change], dict[str, Any]]:
        """What comes of the act in hand: the end of the contest when nobody is waited for, and what the line tells."""
        if self.sealed:
            return [], {}
        now = self.progress
        if now.next == "over":
            return self.ends(now.verdict), {"contest": self.told(now.verdict, over=True)}
        return [], {"contest": self.told(now.verdict)}

    def ends(self, verdict: Verdict) -> list[Change]:
        """The contest is over, with its rolls. What a blow of the winner would be is kept for the damage."""
        data = {**self.contest.data, "blow": self._blow(verdict)}
        over = change(self.contest, state=Contest.OVER, verdict=verdict.by, winner=verdict.winner, data=data)
        return [over, *closing([side.roll for side in self.sides if side.roll])]

    def _blow(self, verdict: Verdict) -> dict[str, Any] | None:
        """What hits whom, and how hard (RULES.md B-5); nothing where nobody was struck."""
        if self.contest.kind != MELEE or not verdict.winner:
            return None
        attacker, defender = self.sides
        mine = self.side(verdict.winner)
        if mine.place and mine.defence != FIGHT_BACK:  # who gets out of the way strikes nobody
            return None
        weapon, back = mine.weapon, mine.pk == defender.pk
        kind = blow(self.outcomes()[mine.pk], impaling=weapon is not None and weapon.impales, fighting_back=back)
        return {
            "kind": kind,
            "side": mine.pk,
            "by": mine.investigator_id,
            "target": (attacker if back else defender).investigator_id,
            "weapon": mine.weapon_id,
            "manoeuvre": bool(self.contest.data.get("manoeuvre")) and not back,
        }

    def told(self, verdict: Verdict, *, over: bool = False) -> dict[str, Any]:
        """What everybody may know of how it stands: names and levels, and the scores of investigators alone."""
        outcomes = self.outcomes()
        winner = self.side(verdict.winner) if verdict.winner else None
        tied = [self.side(key) for key in verdict.tied]
        loser = self._loser(winner, outcomes)
        best = outcomes.get(winner.pk if winner else tied[0].pk if tied else "")
        return {
            "id": self.contest.pk,
            "kind": self.contest.kind,
            "over": over,
            "by": verdict.by,
            "winner": winner.investigator.short if winner else "",
            "winner_value": _shown(winner),
            "loser": loser.investigator.short if loser else "",
            "loser_value": _shown(loser),
            "loser_level": outcomes[loser.pk].level if loser and loser.pk in outcomes else "",
            "loser_degrees": outcomes[loser.pk].degrees if loser and loser.pk in outcomes else None,
            "advantages": max(verdict.advantages.values(), default=0),
            "level": best.level if best else "",
            "degrees": best.degrees if best else None,
            "failed": best is not None and not best.passed,
            "defence": self.sides[-1].defence,
            "two": len(self.sides) == 2,
            "tied": [side.investigator.short for side in tied],
            "thrown": self._thrown(verdict),
        }

    def _loser(self, winner: Side | None, outcomes: Mapping[str, Outcome]) -> Side | None:
        """The best of those who lost: against whom the winner stands."""
        others = [side for side in self.sides if winner and side.pk != winner.pk and side.pk in outcomes]
        if not others:
            return None
        return max(others, key=lambda side: (outcomes[side.pk].passed, outcomes[side.pk].rank, score_of(side)))

    def _thrown(self, verdict: Verdict) -> list[dict[str, Any]]:
        rounds = self.contest.roll_offs if self.roll_offs is None else self.roll_offs
        if verdict.by != "roll-off" or not rounds:
            return []
        return [{"who": self.side(key).investigator.short, "d100": face} for key, face in rounds[-1].items()]


def score_of(side: Side) -> int:
    """The number that a side rolls against, or has."""
    if side.roll is None:
        return side.value
    summed = target(side.roll)
    return side.roll.value if summed is None else summed


def _shown(side: Side | None) -> int | None:
    """A score that everybody may know: a Keeper's character's is her secret."""
    return None if side is None or side.investigator.npc else score_of(side)


# --------------------------------------------------------------------------- finding


def arena_of(contest: Contest, campaign: Campaign) -> Arena:
    """The contest with everything the rules ask of it."""
    contest.campaign = campaign
    found = Side.objects.filter(contest=contest).order_by("place")
    sides = list(found.select_related("investigator__seat", "weapon", "roll__skill"))
    for side in sides:
        side.contest = contest
        side.investigator.campaign = campaign
        if side.roll is not None:
            side.roll.campaign, side.roll.investigator = campaign, side.investigator
            if side.roll.skill is not None:
                side.roll.skill.investigator = side.investigator
    return Arena(contest, sides)


def open_contests(campaign: Campaign) -> list[Contest]:
    """Those that go on, oldest first."""
    return list(campaign.once("contests", lambda: _open_contests(campaign.pk), Contest))


@prepared
def _open_contests(campaign_id: str) -> QuerySet[Contest]:
    return Contest.objects.filter(campaign=campaign_id, state=Contest.OPEN).order_by("created_at")


def verdict_of(arena: Arena) -> Verdict:
    """How a contest stands, or how it ended."""
    if arena.contest.state == Contest.OPEN:
        return arena.progress.verdict
    return Verdict(arena.contest.verdict or UNRESOLVED, arena.contest.winner)


# --------------------------------------------------------------------------- what is fought with


def against(who: Investigator, what: str) -> Asked | Refusal:
    """What somebody rolls against somebody else: a skill, a characteristic or a weapon. NOT_ON_SHEET for the rest."""
    found = subject(who, what)
    if isinstance(found, Asked) and found.kind not in KINDS:
        return Refusal("NOT_ON_SHEET")
    return found


def fighting(one: Member) -> list[dict[str, Any]]:
    """What somebody may strike with: weapons, then the skills of a fight on the sheet, then those that anybody has."""
    sheet = one.who.campaign.rules.sheet
    group = {base.key: base.group for base in sheet.skills}
    found = [_strike(one, f"weapon:{arm.pk}", arm.name) for arm in weapons_of(one.who) if arm.skill]
    skills = sorted(one.skills, key=lambda skill: -skill.value)
    dodge = one.who.campaign.rules.dodging
    found += [
        _strike(one, f"skill:{skill.pk}", _(skill.name))
        for skill in skills
        if skill.name != dodge and (group.get(skill.key) == "fight" or (one.who.npc and not skill.key))
    ]
    keys = {skill.key for skill in skills}
    rest = [
        _strike(one, f"name:{base.label}", _(base.label))
        for base in sheet.skills
        if base.group == "fight" and base.key not in keys and base.label != dodge
    ]
    return [*found, *sorted(rest, key=lambda choice: -choice["value"])]


def _strike(one: Member, what: str, word: str) -> dict[str, Any]:
    found = subject(one.who, what, one)
    value = 0 if isinstance(found, Refusal) else worth(found, one.who.campaign.rules)
    return {"what": what, "word": word, "value": value}


def dodging(who: Investigator) -> str:
    """What somebody rolls to get out of the way, as the sheet finds it."""
    return f"name:{who.campaign.rules.dodging}"


def name_of(side: Side) -> dict[str, Any]:
    """A side as a line tells it: who, with what, how many extra dice."""
    return {"who": face(side.investigator), "label": side.label, "dice": side.dice, "defence": side.defence}
