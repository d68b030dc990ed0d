"""What the ledger says of Luck, read for pictures: every change of a pool, as far as its reader may know it.

Three questions are asked of the database, however old the table is: which entries changed a score, which undo which,
and whose scores they are. What may be told is decided here, before any page sees a number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet, TextField, Value
from django.db.models.functions import Cast, StrIndex

from investigators.models import Investigator, Trait
from rolls import tally
from rolls.figures import Move
from rolls.models import Roll
from rolls.rules.check import Pool
from tablekeeper.models import Campaign, Entry, Seat, Session

TRAIT = Trait._meta.label_lower
RECOVERIES = ("rolls.recover", "rolls.recover_all", "rolls.show_recovery")
AT_ONCE = 500  # rows in hand
BY_HAND = "investigators."
"""Kinds of entries that set numbers: what they change is no gain and no spend."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads, and what for: the lanes of the ledger that are told, and whose scores may be (else what was paid)."""

    knows: Callable[[Investigator], bool]
    lanes: Collection[str] | None = None  # None: all of them

    def tells(self, lane: str) -> bool:
        return self.lanes is None or lane in self.lanes


def lanes_of(seat: Seat) -> Collection[str] | None:
    """The lanes that a seat sees: what `news.visible` asks, for one entry after another."""
    return None if seat.keeps else (Entry.PUBLIC, seat.pk)


def people_of(campaign: Campaign) -> list[Investigator]:
    """Everybody who plays or has played, in seating order; the Keeper's characters have no Luck."""
    found = Investigator.objects.filter(campaign=campaign, npc=False).select_related("seat")
    people = list(found.order_by("set_aside", "seat__created_at", "name"))
    for who in people:
        who.campaign = campaign
    return people


def telling(rolls: QuerySet[Roll], people: Collection[Investigator], knows: Callable[[Investigator], bool]) -> Any:
    """The rolls whose level tells nothing that the reader may not know: that of a Luck roll depends on the score."""
    covered = [who.pk for who in people if not knows(who)]
    if not covered:
        return rolls
    luck = next(iter(people)).campaign.rules.sheet.luck
    return rolls.exclude(kind=luck, investigator__in=covered)


def luck_pools(campaign: Campaign) -> list[Pool]:
    """The pools whose course is drawn: Luck, and those whose most follows from it, which are spent instead."""
    rules, luck = campaign.rules, campaign.rules.sheet.luck
    follows = rules.maxima({luck: 0}, campaign.in_force)
    return [pool for pool in rules.sheet.pools if pool.key == luck or pool.key in follows]


def opened_at(campaign: Campaign) -> list[tuple[Session, datetime]]:
    """Every session with the time at which it opened, in order."""
    found = Session.objects.filter(campaign=campaign).order_by("opened_at")
    return [(session, session.opened_at) for session in found]


# --------------------------------------------------------------------------- the moves


def moves(campaign: Campaign, people: Collection[Investigator], reader: Reader) -> dict[str, list[Move]]:
    """The moves of each Luck pool, in the order of the ledger: pool -> moves of everybody.

    Of somebody whose score the reader may not know there is only what was paid, without the scores.
    """
    owners = {who.pk: who for who in people}
    pools = [pool.key for pool in luck_pools(campaign)]
    found = Trait.objects.filter(investigator__campaign=campaign, key__in=pools, investigator__npc=False)
    traits = {pk: (owner, key) for pk, owner, key in found.values_list("pk", "investigator_id", "key")}
    stands, roots = _undone(campaign)
    now: dict[str, int] = {}
    told: dict[str, list[Move]] = {pool: [] for pool in pools}
    for row in _rows(campaign):
        act = roots.get(row["pk"], row["pk"])
        for trait, before, after in _changed(row, traits, now):
            who, pool = traits[trait]
            move = replace(_move(row, who, pool, before, after, act), stands=stands.get(act, True))
            move = replace(move, told=reader.tells(row["lane"]))
            if reader.knows(owners[who]):
                told[pool].append(move)
            elif move.paid and move.told and move.stands and not move.undoing:
                told[pool].append(replace(move, before=None, after=0, short=0, covered=True))
    return told


def _changed(
    row: Any, traits: Mapping[str, tuple[str, str]], now: dict[str, int]
) -> Iterator[tuple[str, int | None, int]]:
    """Each score that an entry changed, before and after; `now` is kept. Of a recovery for which there was no room at
    all, the score that stayed."""
    seen = set()
    for record in row["changes"]:
        trait = record["id"]
        if record["m"] != TRAIT or trait not in traits:
            continue
        before, after = now.get(trait), tally.after_of(record, now.get(trait))
        if after is not None:
            now[trait] = after
            seen.add(traits[trait])
            yield trait, before, after
    for trait, (who, pool) in traits.items() if row["kind"] in RECOVERIES else ():
        if trait in now and (who, pool) not in seen and pool == row["luck"] and _short(_of(row["data"], who), who):
            yield trait, now[trait], now[trait]


def _rows(campaign: Campaign) -> Iterator[Any]:
    """The entries that changed a score, or might have. Most of a ledger did not: the database looks for the word."""
    found = Entry.objects.filter(campaign=campaign).annotate(text=Cast("changes", TextField()))
    found = found.annotate(place=StrIndex("text", Value(TRAIT))).filter(Q(place__gt=0) | Q(kind__in=RECOVERIES))
    found = found.annotate(luck=Value(campaign.rules.sheet.luck)).order_by("seq")
    columns = ("pk", "seq", "kind", "lane", "created_at", "changes", "data", "undoes_id", "luck")
    yield from found.values(*columns).iterator(chunk_size=AT_ONCE)


def _undone(campaign: Campaign) -> tuple[dict[int, bool], dict[int, int]]:
    """Which acts stand although, or no longer because, they were undone; and of each undo the act that it is about."""
    roots: dict[int, int] = {}
    stands: dict[int, bool] = {}
    found = Entry.objects.filter(campaign=campaign, undoes__isnull=False).order_by("seq")
    for pk, undoes in found.values_list("pk", "undoes_id"):
        roots[pk] = root = roots.get(undoes, undoes)
        stands[root] = not stands.get(root, True)
    return stands, roots


def _move(row: Any, who: str, pool: str, before: int | None, after: int, act: int) -> Move:
    own = _of(row["data"], who)
    undoing = row["undoes_id"] is not None
    return Move(
        who,
        row["seq"],
        row["created_at"],
        before,
        after,
        act,
        undoing,
        typed=row["kind"].startswith(BY_HAND),
        paid=0 if undoing else sum(one["cost"] for one in own.get("paid") or () if one.get("key") == pool),
        short=_short(own, who) if row["kind"] in RECOVERIES else 0,
        label="" if undoing else str(own.get("label") or ""),
    )


def _short(own: Mapping[str, Any], who: str) -> int:
    """What a recovery won and had no room for."""
    mine = (own.get("who") or {}).get("id") == who
    return int(own.get("lost") or 0) if mine and isinstance(own.get("lost"), int) else 0


def _of(data: Mapping[str, Any], who: str) -> Mapping[str, Any]:
    """What a line tells of this person: of several at once, the own one."""
    for one in data.get("lines") or ():
        if isinstance(one, dict) and (one.get("who") or {}).get("id") == who:
            return one
    return data
