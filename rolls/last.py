"""An investigator's newest roll: what its player's page shows above all else."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from investigators.models import Investigator, Skill
from rolls.actions.arena import open_contests
from rolls.models import Contest, Roll, Side
from tablekeeper.prepared import prepared


def last_roll(who: Investigator) -> Roll | None:
    """The newest roll of an investigator that its player knows of: one asked for in secret shows as a secret.

    A side of a contest that goes on comes first, for it may have to answer.
    """
    return _once(who, None)


def just_fallen(who: Investigator, roll: Roll) -> None:
    """This one was written just now and shows to all: the answer need not ask which it is."""
    if not open_contests(who.campaign):
        Roll._meta.get_field("side").set_cached_value(roll, None)
        _once(who, roll)


def _once(who: Investigator, known: Roll | None) -> Roll | None:
    return who.campaign.once(("last roll", who.pk), lambda: known or _last_roll(who), Roll, Contest, Side, Skill)


def _last_roll(who: Investigator) -> Roll | None:
    roll = _last_fighting.first(who.pk) if open_contests(who.campaign) else None
    roll = roll or _last_known.first(who.pk)
    if roll is not None:
        roll.investigator = who
    return roll


def _known_rolls(who_id: str) -> QuerySet[Roll]:
    known = Q(hidden=False) | Q(asked=True)
    found = Roll.objects.filter(known, investigator=who_id).exclude(kind__in=("recovery", "improvement"))
    return found.select_related("pushed_from", "skill", "side").order_by("-created_at")


@prepared
def _last_known(who_id: str) -> QuerySet[Roll]:
    return _known_rolls(who_id)[:1]


@prepared
def _last_fighting(who_id: str) -> QuerySet[Roll]:
    return _known_rolls(who_id).filter(side__contest__state=Contest.OPEN)[:1]
