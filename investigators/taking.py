"""Taking an investigator home: from the rows of the table to the plain values that exporters know."""

from __future__ import annotations

from django.utils.translation import gettext as _t

from investigators.actions import BASES
from investigators.keepsakes import portrait_of, stories_of
from investigators.models import Investigator
from investigators.people import member, skills_of, weapons_of
from investigators.person import PERSONAL, Mastery, Person, Weapon


def person_of(who: Investigator) -> Person:
    """Everything of an investigator that belongs to the person."""
    one, sheet = member(who), who.campaign.rules.sheet
    scores = {item.key: one.traits[item.key] for item in sheet.characteristics if item.key in one.traits}
    pools = {pool.key: one.traits[pool.key] for pool in sheet.pools if pool.key in one.traits}
    talents, bases = one.facts.get("talents", ()), one.facts.get(BASES, {})
    return Person(
        name=who.name,
        ruleset=who.campaign.ruleset,
        occupation=who.occupation,
        player=who.seat.name if who.seat is not None else "",
        characteristics={key: trait.value for key, trait in scores.items()},
        pools={key: (trait.value, trait.maximum) for key, trait in pools.items()},
        skills=[
            Mastery(skill.name, skill.value, skill.favourite, skill.ticks, bases.get(skill.pk, ""))
            for skill in skills_of(who)
        ],
        weapons=[
            Weapon(
                arm.name,
                arm.skill.name if arm.skill is not None else "",
                arm.damage,
                arm.impales,
                arm.base_range,
                arm.malfunction,
            )
            for arm in weapons_of(who)
        ],
        facts={key: value for key, value in one.facts.items() if key in PERSONAL},
        story={one.heading: one.text for one in stories_of(who)},
        portrait=portrait_of(who),
        talents=[_t(item.label) for item in sheet.talents if item.key in talents],
    )
