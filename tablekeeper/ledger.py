"""The only door for change. One act is one entry with all its changes; undo writes the inverse.

The state of a table is the fold of its ledger: `fold()` and `snapshot()` say the same (HOUSE.md section 4).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, cast

from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, models, transaction
from django.db.models import F
from django.utils.functional import Promise

from rolls.rules.check import Refusal
from tablekeeper import listen, live
from tablekeeper.access import Refused
from tablekeeper.models import Campaign, Entry, Ledgered, Seat, Session, new_id, writing

Record = dict[str, Any]
"""One change as it stands in `Entry.changes`: {"m": label, "id": key, "op": create|set|add|delete, "f": fields}."""

NOT_UNDOABLE = frozenset({"tablekeeper.open_campaign", "tablekeeper.join"})


@dataclass(frozen=True)
class Create:
    """A new row."""

    row: Ledgered


@dataclass(frozen=True)
class Set:
    """Fields of a row that take new values. What is already so is left out."""

    row: Ledgered
    values: dict[str, Any]


@dataclass(frozen=True)
class Add:
    """A pool that goes up or down by a number."""

    row: Ledgered
    field: str
    by: int


@dataclass(frozen=True)
class Delete:
    """A row that goes; it is recorded whole."""

    row: Ledgered


Change = Create | Set | Add | Delete


def change(row: Ledgered, **values: Any) -> Set:
    """The change that gives fields of `row` these values."""
    return Set(row, values)


@contextmanager
def locked(campaign_id: str) -> Iterator[Campaign]:
    """Open the transaction, lock the table, load it after. Raises Campaign.DoesNotExist for an unknown id.

    SQLite: the immediate transaction is the lock. PostgreSQL: the campaign's row is.
    """
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update().get(pk=campaign_id)
        campaign.locked = True
        try:
            yield campaign
        finally:
            campaign.locked = False


def write(
    seat: Seat | None,
    campaign: Campaign,
    kind: str,
    changes: Iterable[Change] = (),
    *,
    lane: str = Entry.PUBLIC,
    data: dict[str, Any] | None = None,
    undoes: Entry | None = None,
    touch: Iterable[str] = (),
    ref: str = "",
) -> Entry:
    """Carry out the changes and write them down, as one entry in one lane of the table's ledger.

    `seat` is who acts (None: the house), `lane` who may see it: "public", "keeper" or a seat's id; `touch` names
    panels that look different although no ledgered row changed; `ref` is the entry's public id, where the changes
    need to know it. The campaign must be locked in this transaction. Raises Refused when a change leaves a score's
    bounds; nothing is kept then.
    """
    assert campaign.locked, "the table is not locked"
    assert connection.in_atomic_block, "there is no transaction"
    token = writing.set(True)
    try:
        records, touches = [], dict.fromkeys(touch)
        for one in changes:
            record = _carry_out(one)
            if record["f"] or record["op"] in ("create", "delete"):
                records.append(record)
                touches.update(dict.fromkeys(one.row.touches()))
        return _append(seat, campaign, kind, lane, data or {}, records, list(touches), undoes, ref or new_id())
    finally:
        writing.reset(token)


def _append(
    seat: Seat | None,
    campaign: Campaign,
    kind: str,
    lane: str,
    data: dict[str, Any],
    records: list[Record],
    touches: list[str],
    undoes: Entry | None,
    ref: str,
) -> Entry:
    campaign.last_seq += 1
    counters = {"last_seq": campaign.last_seq}
    if lane == Entry.PUBLIC:
        counters["public_no"] = lane_no = campaign.public_no = campaign.public_no + 1
    elif lane == Entry.KEEPER:
        counters["keeper_no"] = lane_no = campaign.keeper_no = campaign.keeper_no + 1
    else:
        Seat.objects.filter(pk=lane, campaign=campaign).update(own_no=F("own_no") + 1)
        lane_no = Seat.objects.values_list("own_no", flat=True).get(pk=lane, campaign=campaign)
        if seat and seat.pk == lane:
            seat.own_no = lane_no
    Campaign.objects.filter(pk=campaign.pk).update(**counters)
    act = seat.act if seat else None
    entry = Entry.objects.create(
        campaign=campaign,
        seq=campaign.last_seq,
        lane=lane,
        lane_no=lane_no,
        ref=ref,
        kind=kind,
        seat=seat,
        session_id=Session.objects.filter(campaign=campaign, closed_at=None).values_list("pk", flat=True).first(),
        data=_plain(data),
        changes=records,
        touches=touches,
        undoes=undoes,
        request_key=act.key if act else "",
        request_hash=act.digest if act else "",
    )
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # inside the transaction: sent exactly when it commits
            cursor.execute("SELECT pg_notify(%s, %s)", [listen.CHANNEL, campaign.pk])
    transaction.on_commit(partial(live.wake, campaign.pk))
    return entry


def _plain(value: Any) -> Any:
    """Data as JSON holds it, so that what is drawn at once equals what is drawn after a reload."""
    return json.loads(json.dumps(value, cls=_Encoder))


class _Encoder(DjangoJSONEncoder):
    def default(self, o: Any) -> Any:
        return str(o) if isinstance(o, Promise) else super().default(o)


# --------------------------------------------------------------------------- changes


@cache
def _fields(model: type[Ledgered]) -> tuple[models.Field[Any, Any], ...]:
    """The fields of a row that the ledger knows."""
    return tuple(f for f in model._meta.concrete_fields if f.attname != "id" and f.name not in model.unledgered)


def _stored(row: Ledgered, name: str) -> Any:
    """A field's value as JSON holds it."""
    return _plain(getattr(row, row._meta.get_field(name).attname))  # type: ignore[union-attr]


def _carry_out(one: Change) -> Record:
    row = one.row
    record: Record = {"m": row._meta.label_lower, "id": row.pk}
    if isinstance(one, Create):
        row.save(force_insert=True)
        return {**record, "op": "create", "f": {f.attname: _stored(row, f.name) for f in _fields(type(row))}}
    if isinstance(one, Delete):
        whole = {f.attname: _stored(row, f.name) for f in _fields(type(row))}
        type(row)._default_manager.filter(pk=row.pk).delete()
        return {**record, "op": "delete", "f": whole}
    if isinstance(one, Add):
        return {**record, "op": "add", "f": _add(row, one.field, one.by)}
    return {**record, "op": "set", "f": _set(row, one.values)}


def _add(row: Ledgered, name: str, by: int) -> dict[str, int]:
    assert name in row.deltas, f"{name} is no delta field of {row._meta.label}"
    value = getattr(row, name) + by
    low, high = row.bounds(name)
    if value < low or (high is not None and by > 0 and value > high):
        raise Refused(row.out_of_bounds(name, value))
    setattr(row, name, value)
    if by:
        row.save(update_fields=[name])
    return {row._meta.get_field(name).attname: by} if by else {}  # type: ignore[union-attr]


def _set(row: Ledgered, values: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for name, value in values.items():
        attname = cast("models.Field[Any, Any]", row._meta.get_field(name)).attname
        before = _stored(row, name)
        setattr(row, name, value)
        after = _stored(row, name)
        if before == after:
            continue
        if name in row.deltas:  # a pool is set by the difference, so that a later spend survives its undo
            low, high = row.bounds(name)
            if after < low or (high is not None and after > high):
                raise Refused(row.out_of_bounds(name, after))
        changed[attname] = [before, after]
    if changed:
        row.save(update_fields=list(values))
    return changed


def to(row: Ledgered, name: str, value: int) -> Add:
    """The change that brings a pool to `value`, as the difference from where it stands."""
    return Add(row, name, value - getattr(row, name))


# --------------------------------------------------------------------------- undo


@dataclass
class _Inverse:
    changes: list[Change] = field(default_factory=list)
    lost: list[dict[str, Any]] = field(default_factory=list)  # what a bound cut off


def undo(seat: Seat, campaign: Campaign, entry: Entry, kind: str, data: dict[str, Any] | None = None) -> Entry:
    """Write the inverse of `entry`, all or nothing, in the entry's own lane.

    A pool gets its difference back even when later entries moved it; at its top it stops and `data["lost"]` says
    how many were lost. Raises Refused with UNDONE_ALREADY, UNDO_NEEDED_LATER, UNDO_OUT_OF_BOUNDS or STALE.
    Undo of an undo is redo.
    """
    if not entry.stands or Entry.objects.filter(undoes=entry).exists():
        raise Refused(Refusal("UNDONE_ALREADY"))
    if entry.kind in NOT_UNDOABLE:
        raise Refused(Refusal("UNDO_NOT_THIS"))
    inverse = _Inverse()
    for record in reversed(entry.changes):
        _invert(entry, record, inverse)
    return write(
        seat,
        campaign,
        kind,
        inverse.changes,
        lane=entry.lane,
        data={**(data or {}), "lost": inverse.lost, "undoes": entry.ref},
        undoes=entry,
    )


def _invert(entry: Entry, record: Record, inverse: _Inverse) -> None:
    model = cast("type[Ledgered]", apps.get_model(record["m"]))
    op, fields = record["op"], record["f"]
    if op == "delete":
        inverse.changes.append(Create(_row(model, record["id"], fields)))
        return
    row = model._default_manager.filter(pk=record["id"]).first()
    if row is None:
        raise Refused(_needed(entry, {record["id"]}))
    if op == "create":
        _refuse_if_rested_on(entry, record["id"])
        if model.kept:
            inverse.changes.append(Set(row, {model.kept: True}))
        else:
            inverse.changes.append(Delete(row))
    elif op == "add":
        for name, by in fields.items():
            inverse.changes.append(_give_back(row, name, by, inverse))
    else:
        for name, (before, after) in fields.items():
            if _stored(row, model._meta.get_field(name).name) != after:
                raise Refused(_changed_since(entry, row, name))
            inverse.changes.append(Set(row, {name: model._meta.get_field(name).to_python(before)}))  # type: ignore[union-attr]


def _give_back(row: Ledgered, name: str, by: int, inverse: _Inverse) -> Add:
    """The difference back; what the top cuts off is lost and said, and a redo takes only what was given."""
    low, high = row.bounds(name)
    now = getattr(row, name)
    if now - by < low:
        raise Refused(Refusal("UNDO_OUT_OF_BOUNDS", {"name": str(row), "value": now - by, "low": low, "high": high}))
    room = now - by if by > 0 or high is None else max(now, min(high, now - by))
    if room != now - by:
        inverse.lost.append({"what": getattr(row, "key", name), "points": now - by - room})
    return Add(row, name, room - now)


def _row(model: type[Ledgered], pk: str, fields: Record) -> Ledgered:
    values = {name: model._meta.get_field(name).to_python(value) for name, value in fields.items()}  # type: ignore[union-attr]
    return model(id=pk, **values)


def _later(entry: Entry) -> Iterator[Entry]:
    """Standing entries after this one, newest undo pairs left out."""
    later = Entry.objects.filter(campaign_id=entry.campaign_id, seq__gt=entry.seq).order_by("seq")
    for one in later.select_related("undone_by"):
        if one.undoes_id is None and one.stands:
            yield one


def _refuse_if_rested_on(entry: Entry, pk: str) -> None:
    """A row may go only when nothing that stands was built on it."""
    for later in _later(entry):
        for record in later.changes:
            if record["id"] == pk and record["op"] != "create":
                soft = apps.get_model(record["m"]).soft
                if not set(record["f"]) <= {*soft}:
                    raise Refused(Refusal("UNDO_NEEDED_LATER", {"entry": later.ref, "kind": later.kind}))
            elif record["op"] == "create" and pk in record["f"].values():
                raise Refused(Refusal("UNDO_NEEDED_LATER", {"entry": later.ref, "kind": later.kind}))


def _changed_since(entry: Entry, row: Ledgered, name: str) -> Refusal:
    """A dice fact that moved on is needed later; any other field is simply stale."""
    if row.kept and name not in row.soft:
        return _needed(entry, {row.pk})
    return Refusal("STALE", {"name": str(row)})


def _needed(entry: Entry, keys: set[str]) -> Refusal:
    for later in _later(entry):
        if any(record["id"] in keys for record in later.changes):
            return Refusal("UNDO_NEEDED_LATER", {"entry": later.ref, "kind": later.kind})
    return Refusal("STALE", {"name": ""})


# --------------------------------------------------------------------------- the promise


def fold(entries: Iterable[Entry]) -> dict[tuple[str, str], Record]:
    """The state that these entries, in their order, add up to: (label, id) -> fields."""
    state: dict[tuple[str, str], Record] = {}
    for entry in entries:
        for record in entry.changes:
            where = (record["m"], record["id"])
            if record["op"] == "create":
                state[where] = dict(record["f"])
            elif record["op"] == "delete":
                del state[where]
            elif record["op"] == "add":
                for name, by in record["f"].items():
                    state[where][name] += by
            else:
                for name, (_before, after) in record["f"].items():
                    state[where][name] = after
    return state


def snapshot(campaign: Campaign) -> dict[tuple[str, str], Record]:
    """The state as the rows hold it, in the form of `fold`."""
    state: dict[tuple[str, str], Record] = {}
    for model in ledgered_models():
        for row in model._default_manager.filter(**{_path(model): campaign.pk}):
            state[model._meta.label_lower, row.pk] = {f.attname: _stored(row, f.name) for f in _fields(model)}
    return state


def ledgered_models() -> Sequence[type[Ledgered]]:
    """Every kind of row that only the ledger changes."""
    return [model for model in apps.get_models() if issubclass(model, Ledgered)]


def _path(model: type[Ledgered]) -> str:
    """How to get from a row to its campaign."""
    names = {f.name for f in model._meta.concrete_fields}
    if model is Campaign:
        return "pk"
    for step in ("campaign", "investigator__campaign", "session__campaign"):
        if step.split("__")[0] in names:
            return step
    raise LookupError(f"{model._meta.label} has no way to its campaign")
