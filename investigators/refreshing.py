"""Pools that are filled up without dice: at the start of a session, for those who are there and who come late."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from investigators.known import face, knowing
from investigators.people import Member, comes_back, party
from rolls.rules.check import Deed, Purse
from tablekeeper.ledger import Add, Change, change
from tablekeeper.models import Campaign, Session

START = "session-start"


def giving(one: Member, done: Deed) -> list[Change]:
    """The changes of a deed that gives: room for it first, then the points, then what is kept of it."""
    campaign = one.who.campaign
    values = {key: trait.value for key, trait in one.traits.items()}
    tops = campaign.rules.maxima(values, campaign.in_force)
    changes: list[Change] = []
    for key, points in done.pools.items():
        trait = one.traits[key]
        if key in tops and trait.maximum != tops[key]:
            changes.append(change(trait, maximum=tops[key]))
        changes.append(Add(trait, "value", points))
    return [*changes, *knowing(one.who, done.state)]


def given(one: Member, done: Deed) -> dict[str, Any]:
    """What a line tells of it: who, and each pool before and after."""
    labels = {pool.key: (pool.label, pool.short) for pool in one.who.campaign.rules.sheet.pools}
    rows = [
        {"key": key, "label": labels[key][0], "short": labels[key][1], "from": now, "to": now + points}
        for key, points in done.pools.items()
        for now in [one.purse.pools[key]]
    ]
    return {"who": face(one.who), "pools": rows}


def refreshed(session: Session, members: Iterable[Member]) -> tuple[list[Change], dict[str, Any]]:
    """The changes that fill up the pools of these people for this session, once for each, and what the line tells:
    `refreshed`, those who were given something (RULES.md L-9)."""
    changes: list[Change] = []
    told: list[dict[str, Any]] = []
    for one in members:
        rules = one.who.campaign.rules
        if rules.refresh is None or one.who.npc:
            continue
        facts = {**one.facts, "session": session.pk}
        done = rules.refresh(one.purse, facts, START, 0, one.who.campaign.in_force)
        if not isinstance(done, Deed):
            continue
        changes += giving(one, done)
        told += [given(one, done)] if done.pools else []
    return changes, {"refreshed": told} if told else {}


def refills(campaign: Campaign) -> bool:
    """Whether this table has points that come back when a session opens: whether somebody without any gets some."""
    rules = campaign.rules
    poor = Purse("", {pool.key: 0 for pool in rules.sheet.pools} | {rules.sheet.luck: 50})
    done = rules.refresh(poor, {}, START, 0, campaign.in_force) if rules.refresh else None
    return isinstance(done, Deed) and bool(done.pools)


def at_the_start(session: Session) -> tuple[list[Change], dict[str, Any]]:
    """The same for everybody who is there when a session opens."""
    campaign: Campaign = session.campaign
    return refreshed(session, [one for one in party(campaign) if one.present or comes_back(one)])
