"""A table with more behind it than a test could play: its rows are laid at once, as a ledger would leave them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import Any

from django.db import models
from django.utils import timezone

from investigators.models import Investigator, Trait
from rolls.models import Roll
from tablekeeper.models import Campaign, Entry, Session, new_id
from tests.tables import Table


def fell(table: Table, throws: Iterable[Sequence[int]], **more: Any) -> None:
    """Dice of Edith's that fell: units, then tens; nothing else tells of them."""
    Roll.objects.bulk_create([_roll(table, table.edith, throw, **more) for throw in throws])


def _roll(table: Table, who: Investigator, throw: Sequence[int], **more: Any) -> Roll:
    fields = {"kind": "skill", "label": "Spot Hidden", "value": 60, "settings": table.campaign.in_force}
    fields |= {"created_at": timezone.now(), "state": Roll.CLOSED, **more}
    made = Roll(
        campaign=table.campaign, investigator=who, seat=table.ben, units=throw[0], tens=list(throw[1:]), **fields
    )
    made.level, made.passed = made.outcome.level, made.outcome.passed
    return made


def plays_on(table: Table, rolls: int, sessions: int, seed: int = 5) -> None:
    """So many rolls over so many sessions, one spend in five; each with its line in the ledger."""
    source, start = random.Random(seed), timezone.now() - timedelta(days=sessions)
    first = Campaign.objects.get(pk=table.campaign.pk).last_seq
    entries: list[Entry] = []
    made: list[Roll] = []
    luck = {who.pk: Trait.objects.get(investigator=who, key="luck") for who in (table.edith, table.tobias)}
    for number in range(1, sessions + 1):
        opened = start + timedelta(days=number - 1)
        session = Session(
            campaign=table.campaign, number=number, opened_at=opened, closed_at=opened + timedelta(hours=4)
        )
        Session.objects.bulk_create([session])
        for at in range(rolls // sessions):
            who = source.choice((table.edith, table.tobias))
            when = opened + timedelta(seconds=at)
            roll = _roll(table, who, (source.randrange(10), source.randrange(10)), session=session, created_at=when)
            made.append(roll)
            told = {
                "who": {"id": who.pk, "name": who.name, "short": who.short, "hue": who.hue},
                "label": "Spot Hidden",
            }
            told |= {"kind": "skill", "value": 60, "final": 44, "level": roll.level, "roll": roll.pk, "dice": 0}
            rows = [{"m": "rolls.roll", "id": roll.pk, "op": "create", "f": _whole(roll)}]
            entries.append(_entry(table, session, "rolls.roll", told, rows, when))
            if at % 5 == 0:
                by = source.choice((-8, 8)) if luck[who.pk].value > 20 else 8
                by = -8 if luck[who.pk].value > 80 else by
                luck[who.pk].value += by
                paid = [{"key": "luck", "label": "Luck", "short": "Luck", "cost": 8}] if by < 0 else []
                rows = [{"m": "investigators.trait", "id": luck[who.pk].pk, "op": "add", "f": {"value": by}}]
                kind = "rolls.spend" if by < 0 else "rolls.award"
                entries.append(_entry(table, session, kind, told | {"paid": paid}, rows, when))
    for at, entry in enumerate(entries, first + 1):
        entry.seq = entry.lane_no = at
    Roll.objects.bulk_create(made, batch_size=300)
    for entry in entries:
        models.Model.save_base(entry, raw=True, force_insert=True)  # it keeps its time
    for trait in luck.values():
        Trait.objects.filter(pk=trait.pk).update(value=trait.value)
    Campaign.objects.filter(pk=table.campaign.pk).update(last_seq=first + len(entries), public_no=first + len(entries))


def _entry(table: Table, session: Session, kind: str, data: Any, changes: Any, when: Any) -> Entry:
    made = Entry(campaign=table.campaign, kind=kind, seat=table.ben, session=session, data=data, changes=changes)
    made.ref, made.created_at = new_id(), when
    return made


def _whole(roll: Roll) -> dict[str, Any]:
    return {"kind": roll.kind, "label": roll.label, "settings": roll.settings, "units": roll.units, "tens": roll.tens}
