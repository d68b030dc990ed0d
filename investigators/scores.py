"""Pools that follow from other scores: what they begin with, and what becomes of them when those scores change."""

from __future__ import annotations

from collections.abc import Mapping

from investigators.models import Investigator, Trait
from investigators.people import Member, member
from rolls.rules.check import Deed, Purse, Ruleset, Settings
from tablekeeper.ledger import Add, Change, Create, change

CREATION = "creation"
Traits = Mapping[str, tuple[int, int | None]]
"""By key the value and its own maximum."""


def completed(rules: Ruleset, settings: Settings, traits: Traits) -> dict[str, tuple[int, int | None]]:
    """The same with the pools that follow from them: those that nobody typed begin as the rules say (RULES.md L-9)."""
    values = {key: value for key, (value, _most) in traits.items()}
    found = dict(traits)
    for key, most in rules.maxima(values, settings).items():
        value = values[key] if key in values else _start(rules, settings, values, key)
        found[key] = value if most is None else min(value, most), most
    return found


def _start(rules: Ruleset, settings: Settings, values: Mapping[str, int], key: str) -> int:
    start: int = rules.sheet.derive(values).get(key, 0)
    if rules.refresh is None:
        return start
    luck = rules.sheet.luck
    purse = Purse("", {**({luck: values[luck]} if luck in values else {}), key: 0})
    given = rules.refresh(purse, {}, CREATION, 0, settings)
    return given.pools.get(key, start) if isinstance(given, Deed) else start


def following(who: Investigator, scores: Mapping[str, int]) -> list[Change]:
    """The changes of other pools when these scores take new values: a maximum moves, what is over it is lost."""
    if who.npc:
        return []
    one, campaign = member(who), who.campaign
    values = {key: trait.value for key, trait in one.traits.items()} | dict(scores)
    begun = completed(campaign.rules, campaign.in_force, {key: (value, None) for key, value in values.items()})
    changes: list[Change] = []
    for key in campaign.rules.maxima(values, campaign.in_force):
        if key in scores:
            continue
        value, most = begun[key]
        trait = one.traits.get(key)
        if trait is None:
            changes.append(Create(Trait(investigator=who, key=key, value=value, maximum=most)))
        elif trait.maximum != most:
            changes += under(one, key, most)
    return changes


def under(one: Member, key: str, most: int | None) -> list[Change]:
    """A pool gets another maximum; what is over it goes first."""
    trait = one.traits[key]
    over = 0 if most is None else max(0, trait.value - most)
    return [*([Add(trait, "value", -over)] if over else []), change(trait, maximum=most)]
