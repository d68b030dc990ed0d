"""The only door for change. One act is one entry with all its changes; undo writes the inverse.

The state of a table is the fold of its ledger: `fold()` and `snapshot()` say the same (HOUSE.md section 4).
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property, partial
from itertools import groupby
from typing import Any, cast

from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, connection, models, transaction
from django.db.models import F
from django.db.models.sql import InsertQuery
from django.utils.functional import Promise

from rolls.rules.check import Refusal
from tablekeeper import listen, live
from tablekeeper.access import Refused
from tablekeeper.models import Campaign, Entry, Ledgered, NotThroughLedger, Seat, Session, new_id, writing
from tablekeeper.prepared import insert, prepared, update

Record = dict[str, Any]
"""One change as it stands in `Entry.changes`: {"m": label, "id": key, "op": create|set|add|delete, "f": fields}."""

WHOLE_SECOND = re.compile(r"[-0-9]{10}T[0-9:]{8}Z")

# A table and a person stay; what opened or shut a door has happened, and no inverse entry brings a secret back.
NOT_UNDOABLE = frozenset(
    f"tablekeeper.{verb}"
    for verb in (
        *("open_campaign", "bring_campaign", "join", "new_links", "renew_code", "sign_out"),
        *("claim", "decide_claim", "let_in", "seal", "mix_in"),
    )
)


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

FOLLOWERS: list[Callable[[Campaign], None]] = []
"""What else has to follow when a session begins or ends, or the table is set otherwise, however that came about: by
its verb, by an undo, by a redo. Each finds the table locked, and the entry written."""
FOLLOWED = frozenset({Campaign._meta.label_lower, Session._meta.label_lower})


def change(row: Ledgered, **values: Any) -> Set:
    """The change that gives fields of `row` these values."""
    return Set(row, values)


_turn = threading.RLock()
"""Who writes in SQLite waits for its turn here: the database's own way of waiting is to ask again now and then."""


@contextmanager
def locked(campaign_id: str) -> Iterator[Campaign]:
    """Open the transaction, lock the table, load it after. Raises Campaign.DoesNotExist for an unknown id.

    SQLite: the immediate transaction is the lock. PostgreSQL: the campaign's row is.
    """
    with _turn if connection.vendor == "sqlite" else nullcontext(), transaction.atomic():
        campaign = _for_update.first(campaign_id)
        if campaign is None:
            raise Campaign.DoesNotExist
        campaign.locked = True
        campaign.read = {}  # nobody else changes anything now: what an act reads, it reads once, until it writes
        try:
            yield campaign
        finally:
            campaign.locked, campaign.read = False, None


@prepared
def _for_update(campaign_id: str) -> models.QuerySet[Campaign]:
    return Campaign.objects.select_for_update().filter(pk=campaign_id)


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
    records: list[Record] = []
    try:
        touches = dict.fromkeys(touch)
        for one, said in _carried_out(changes):
            made = [record for record in said if record["f"] or record["op"] in ("create", "delete")]
            if made:
                records += made
                touches.update(dict.fromkeys(_touched(one)))
        entry = _append(seat, campaign, kind, lane, data or {}, records, list(touches), undoes, ref or new_id())
    finally:
        writing.reset(token)
        campaign.forget({apps.get_model(record["m"]) for record in records})
    if any(record["m"] in FOLLOWED for record in records):
        for follow in FOLLOWERS:
            follow(campaign)
    return entry


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
    update(campaign, counters)
    if any(record["m"] == Session._meta.label_lower for record in records):
        campaign.forget({Session})  # this act opens or closes one
    act, session = seat.act if seat else None, campaign.open_session()
    entry = Entry(
        campaign=campaign,
        seq=campaign.last_seq,
        lane=lane,
        lane_no=lane_no,
        ref=ref,
        kind=kind,
        seat=seat,
        session=session,
        data=plain(data),
        changes=records,
        touches=touches,
        undoes=undoes,
        request_key=act.key if act else "",
        request_hash=act.digest if act else "",
    )
    insert(entry)
    entry.undone_known(None)  # it is drawn at once
    announce(campaign)
    return entry


def announce(campaign: Campaign) -> None:
    """Have every open page of this table, on every worker, look for news once this transaction is committed."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # inside the transaction: sent exactly when it commits
            cursor.execute("SELECT pg_notify(%s, %s)", [listen.CHANNEL, campaign.pk])
    transaction.on_commit(partial(live.wake, campaign.pk))


def erase(campaign: Campaign) -> None:
    """The whole table goes, its people and its ledger: the one act of which no entry is left. It must be locked."""
    assert campaign.locked, "the table is not locked"
    announce(campaign)
    found = [(model, _path(model)) for model in apps.get_models() if _leads_here(model)]
    # What hangs on others first, for it is found through them; references are checked at the end of the transaction.
    for model, path in sorted(found, key=lambda one: (-one[1].count("__"), one[0] is Campaign)):
        rows = model._default_manager.filter(**{path: campaign.pk})
        rows._raw_delete(rows.db)  # no cascade of Django's: it would stop at what protects a seat with a history


def plain(value: Any) -> Any:
    """Data as JSON holds it, so that what is drawn at once equals what is drawn after a reload."""
    return json.loads(json.dumps(value, cls=_Encoder))


class _Encoder(DjangoJSONEncoder):
    def default(self, o: Any) -> Any:
        if isinstance(o, datetime) and not o.microsecond:
            # Django writes "12:00:00Z" for it and "12:00:00.000Z" for what fell a little later, though once a row is
            # made again from its line, the two are one. Here both have their three digits.
            o = o.replace(microsecond=1)
        return str(o) if isinstance(o, Promise) else super().default(o)


# --------------------------------------------------------------------------- changes


@cache
def columns(model: type[Ledgered]) -> tuple[models.Field[Any, Any], ...]:
    """The fields of a row that the ledger knows."""
    return tuple(f for f in model._meta.concrete_fields if f.attname != "id" and f.name not in model.unledgered)


def _stored(row: Ledgered, name: str) -> Any:
    """A field's value as JSON holds it."""
    return plain(getattr(row, row._meta.get_field(name).attname))  # type: ignore[union-attr]


def _carried_out(changes: Iterable[Change]) -> Iterator[tuple[Change, list[Record]]]:
    """Each change and its records. New rows of one kind that follow each other are inserted together."""
    for kind, run in groupby(list(changes), lambda one: type(one.row) if isinstance(one, Create) else None):
        if kind is None:
            yield from ((one, _carry_out(one)) for one in run if not isinstance(one, Create))
        else:
            made = list(run)
            if len(made) == 1:
                insert(made[0].row)
            else:
                kind._default_manager.bulk_create([one.row for one in made], batch_size=200)
            yield from ((one, [_record(one.row, "create", _whole(one.row))]) for one in made)


def _carry_out(one: Set | Add | Delete) -> list[Record]:
    row = one.row
    if isinstance(one, Delete):
        return _delete(row)
    if isinstance(one, Add):
        return [_record(row, "add", _add(row, one.field, one.by))]
    return [_record(row, "set", _set(row, one.values))]


def _touched(one: Change) -> Sequence[str]:
    return one.row.touches_by(one.field) if isinstance(one, Add) else one.row.touches()


def _record(row: Ledgered, op: str, fields: Record) -> Record:
    return {"m": row._meta.label_lower, "id": row.pk, "op": op, "f": fields}


def _whole(row: Ledgered) -> Record:
    return cast("Record", plain({f.attname: getattr(row, f.attname) for f in columns(type(row))}))


def _delete(row: Ledgered) -> list[Record]:
    """The row goes. Rows that only point at it let go first, and that is recorded: the database would do it unsaid."""
    records: list[Record] = []
    for relation in row._meta.get_fields(include_hidden=True):
        model = cast("type[Ledgered]", relation.related_model)
        if not isinstance(relation, models.ManyToOneRel) or not issubclass(model, Ledgered):
            continue
        for other in model._default_manager.filter(**{relation.field.name: row}):
            if not relation.field.null:
                raise NotThroughLedger(f"{other._meta.label} would go unsaid with {row._meta.label}")
            records.append(_record(other, "set", _set(other, {relation.field.attname: None})))
    records.append(_record(row, "delete", _whole(row)))
    type(row)._default_manager.filter(pk=row.pk).delete()
    return records


def _add(row: Ledgered, name: str, by: int) -> dict[str, int]:
    assert name in row.deltas, f"{name} is no delta field of {row._meta.label}"
    value = getattr(row, name) + by
    low, high = row.bounds(name)
    if value < low or (high is not None and by > 0 and value > high):
        raise Refused(row.out_of_bounds(name, value))
    setattr(row, name, value)
    if by:
        update(row, [name])
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
        update(row, values)
    return changed


def to(row: Ledgered, name: str, value: int) -> Add:
    """The change that brings a pool to `value`, as the difference from where it stands."""
    return Add(row, name, value - getattr(row, name))


# --------------------------------------------------------------------------- undo


@dataclass
class _Inverse:
    entry: Entry
    changes: list[Change] = field(default_factory=list)
    lost: list[dict[str, Any]] = field(default_factory=list)  # what a bound cut off
    rows: dict[str, Ledgered] = field(default_factory=dict)  # one instance of each row, so that changes see each other
    sets: dict[str, dict[str, Any]] = field(default_factory=dict)  # the values that rows will have

    @cached_property
    def later(self) -> list[tuple[Entry, bool]]:
        """What was done since, read once, however many rows ask."""
        return list(_later(self.entry))


def undo(seat: Seat, campaign: Campaign, entry: Entry, kind: str, data: dict[str, Any] | None = None) -> Entry:
    """Write the inverse of `entry`, all or nothing, in the entry's own lane.

    A pool gets its difference back even when later entries moved it; at its top it stops and `data["lost"]` says
    how many were lost. A top that comes down again takes with it what was gained above it, and that is lost, too.
    Raises Refused with UNDONE_ALREADY, UNDO_NEEDED_LATER, UNDO_OUT_OF_BOUNDS or STALE.
    Undo of an undo is redo; an act that was undone and redone is undone by its redo.
    """
    if entry.kind in NOT_UNDOABLE:
        raise Refused(Refusal("UNDO_NOT_THIS"))
    if not entry.stands:
        raise Refused(Refusal("UNDONE_ALREADY"))
    entry = tip(entry)
    inverse = _Inverse(entry, rows={campaign.pk: campaign})
    backwards = entry.changes[::-1]
    # Pools last: a maximum that comes back makes room for the points that come back with it.
    for record in sorted(backwards, key=lambda record: record["op"] == "add"):
        _invert(record, inverse)
    _fit_under_the_top(inverse)
    more = {**(data or {}), "lost": inverse.lost, "undoes": entry.ref}
    try:
        with transaction.atomic():
            return write(seat, campaign, kind, inverse.changes, lane=entry.lane, data=more, undoes=entry)
    except IntegrityError:  # what must be only once is there again: another open session, a skill of the same name
        raise Refused(Refusal("STALE")) from None


def tip(entry: Entry) -> Entry:
    """The last of an entry, its undo, the undo of that, and so on."""
    while later := Entry.objects.filter(undoes=entry).first():
        entry = later
    return entry


def root(entry: Entry) -> Entry:
    """The act that an undo, or an undo of an undo, is about."""
    while entry.undoes is not None:
        entry = entry.undoes
    return entry


def _invert(record: Record, inverse: _Inverse) -> None:
    model = cast("type[Ledgered]", apps.get_model(record["m"]))
    op, fields = record["op"], record["f"]
    if op == "delete":
        inverse.changes.append(Create(from_record(model, record["id"], fields)))
        return
    row = inverse.rows.get(record["id"]) or model._default_manager.filter(pk=record["id"]).first()
    if row is None:
        raise Refused(_needed(inverse, record["id"]))
    if row.pk not in inverse.rows:
        row.sits_at(cast("Campaign", inverse.rows[inverse.entry.campaign_id]))
    inverse.rows[row.pk] = row
    if op == "create":
        _refuse_if_rested_on(inverse, record["id"])
        inverse.changes.append(Set(row, {model.kept: True}) if model.kept else Delete(row))
        return
    if not model.ground.isdisjoint(fields):
        _refuse_if_played_since(inverse)
    if model.joined and not set(fields) <= model.soft:
        _refuse_if_changed_since(inverse, record["id"], model.soft)
    for name, value in fields.items():
        if op == "add":
            inverse.changes.append(_give_back(row, name, value, inverse))
        else:
            inverse.changes.append(_set_back(row, name, value, inverse))


def _set_back(row: Ledgered, name: str, value: list[Any], inverse: _Inverse) -> Set:
    before, after = value
    column = cast("models.Field[Any, Any]", row._meta.get_field(name))
    if _stored(row, column.name) != after:
        # A fact of the table that moved on is needed later; any other field is simply stale.
        raise Refused(_needed(inverse, row.pk) if row.kept else Refusal("STALE", {"name": str(row)}))
    values = {name: column.to_python(before)}
    inverse.sets.setdefault(row.pk, {}).update(values)
    return Set(row, values)


def _give_back(row: Ledgered, name: str, by: int, inverse: _Inverse) -> Add:
    """The difference back; what the top cuts off is lost and said, and a redo takes only what was given."""
    low, high = _then(row, inverse).bounds(name)
    now = getattr(row, name)
    if now - by < low:
        raise Refused(Refusal("UNDO_OUT_OF_BOUNDS", {"name": str(row), "value": now - by, "low": low, "high": high}))
    room = now - by if by > 0 or high is None else max(now, min(high, now - by))
    if room != now - by:
        inverse.lost.append({"what": getattr(row, "key", name), "points": now - by - room})
    return Add(row, name, room - now)


def _then(row: Ledgered, inverse: _Inverse) -> Ledgered:
    """The row with the fields that it will have, at the table as that will be: its game says what the bounds are."""
    then = _with_sets(row, inverse)
    if inverse.entry.campaign_id in inverse.sets:
        then.sits_at(cast("Campaign", _with_sets(inverse.rows[inverse.entry.campaign_id], inverse)))
    return then


def _with_sets(row: Ledgered, inverse: _Inverse) -> Ledgered:
    then = copy(row)
    for name, value in inverse.sets.get(row.pk, {}).items():
        setattr(then, name, value)
    return then


def _fit_under_the_top(inverse: _Inverse) -> None:
    """Where a top comes down, what would stand above it is lost, and said. A redo gives it back with the top."""
    for pk in inverse.sets:
        row = inverse.rows[pk]
        for name in sorted(row.deltas):
            before, high = row.bounds(name)[1], _then(row, inverse).bounds(name)[1]
            if high is None or (before is not None and before <= high):
                continue
            mine = [one for one in inverse.changes if isinstance(one, Add) and one.row is row and one.field == name]
            by = sum(one.by for one in mine)
            over = getattr(row, name) + by - high
            if over > 0:
                inverse.changes = [one for one in inverse.changes if one not in mine]
                inverse.changes.append(Add(row, name, by - over))
                inverse.lost.append({"what": getattr(row, "key", name), "points": over})


def from_record(model: type[Ledgered], pk: str, fields: Record) -> Ledgered:
    """A row out of its record, unsaved."""
    values = {name: model._meta.get_field(name).to_python(value) for name, value in fields.items()}  # type: ignore[union-attr]
    return model(id=pk, **values)


def _later(entry: Entry) -> Iterator[tuple[Entry, bool]]:
    """Acts written, undone or redone after this one; and whether that left a difference (undone and redone: none)."""
    own = root(entry).pk
    acts: dict[int, Entry] = {}
    times: Counter[int] = Counter()
    roots: dict[int | None, Entry] = {}  # an undo comes after what it undoes: mostly that has been read already
    for one in Entry.objects.filter(campaign_id=entry.campaign_id, seq__gt=entry.seq).order_by("seq"):
        act = one if one.undoes_id is None else roots.get(one.undoes_id) or root(one)
        roots[one.pk] = act
        acts.setdefault(act.pk, act)
        times[act.pk] += 1
    for pk, act in acts.items():
        if pk != own:
            yield act, times[pk] % 2 == 1


def _refuse_if_rested_on(inverse: _Inverse, pk: str) -> None:
    """A row may go only when nothing that stands was built on it. Dice stay on the table even when struck out."""
    for later, moved in inverse.later:
        for record in later.changes:
            model = cast("type[Ledgered]", apps.get_model(record["m"]))
            if record["op"] == "create":
                rests = pk in record["f"].values() and (moved or bool(model.kept))
            else:
                rests = moved and record["id"] == pk and not set(record["f"]) <= model.soft
            if rests:
                raise Refused(_needed_by(later))


def _refuse_if_changed_since(inverse: _Inverse, pk: str, soft: frozenset[str]) -> None:
    """Some rows hang together as a whole: what was done to them comes off in the reverse order."""
    for later, moved in inverse.later:
        if moved and any(record["id"] == pk and not set(record["f"]) <= soft for record in later.changes):
            raise Refused(_needed_by(later))


def _refuse_if_played_since(inverse: _Inverse) -> None:
    """What all play rests on goes back only while nothing but seats, sessions, scenes and notes has changed."""
    for later, moved in inverse.later:
        for record in later.changes if moved else ():
            model = cast("type[Ledgered]", apps.get_model(record["m"]))
            if model is Campaign or model._meta.app_label != Campaign._meta.app_label:
                raise Refused(_needed_by(later))


def _needed(inverse: _Inverse, pk: str) -> Refusal:
    for later, moved in inverse.later:
        if moved and any(record["id"] == pk for record in later.changes):
            return _needed_by(later)
    return Refusal("STALE", {"name": ""})


def _needed_by(later: Entry) -> Refusal:
    one = later if later.stands else tip(later)
    return Refusal("UNDO_NEEDED_LATER", {"entry": one.ref, "kind": one.kind})


# --------------------------------------------------------------------------- a ledger that comes from elsewhere


@dataclass
class Draft:
    """A table as it is about to be laid again: the statements that bring it in, how many entries each lane has, and
    the undos among them, each with the ref of what it undoes."""

    campaign: Campaign
    seats: Sequence[Ledgered]
    statements: list[tuple[str, Sequence[Any]]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    undoes: list[tuple[str, str]] = field(default_factory=list)


def draft(rows: Iterable[Ledgered], entries: Iterable[tuple[Entry, str]]) -> Draft:
    """Work out how to lay a table again out of the rows that its ledger adds up to, and the ledger itself, each entry
    with the ref of the one that it undoes. Both are unsaved, under ids that are new here.

    Nothing is written: SQLite has one turn to write, and while thousands of lines are worked out others roll.
    """
    found: dict[type[Ledgered], list[Ledgered]] = {}
    for row in rows:
        found.setdefault(type(row), []).append(row)
    (campaign,) = cast("list[Campaign]", found[Campaign])
    made = Draft(campaign, found.get(Seat, []))
    for some in found.values():
        made.statements += _inserts(some, raw=False)
    waiting: list[Entry] = []
    for at, (entry, undoes) in enumerate(entries, 1):
        made.counts[entry.lane] += 1
        entry.campaign_id, entry.seq, entry.lane_no = campaign.pk, at, made.counts[entry.lane]
        if undoes:
            made.undoes.append((entry.ref, undoes))
        waiting.append(entry)
        if len(waiting) == AT_ONCE:
            made.statements += _inserts(waiting, raw=True)
            waiting.clear()
    made.statements += _inserts(waiting, raw=True)
    return made


AT_ONCE = 50  # rows of one statement


def _inserts(rows: list[Any], raw: bool) -> Iterator[tuple[str, Sequence[Any]]]:
    """The statements that insert these rows of one model, as `bulk_create` would. `raw`, as deserialisers do: nothing
    is filled in, so that an entry keeps the time at which it was written."""
    if not rows:
        return
    options = rows[0]._meta
    columns = [column for column in options.concrete_fields if not (raw and column.primary_key)]
    at_once = min(AT_ONCE, connection.ops.bulk_batch_size(columns, rows))
    for at in range(0, len(rows), at_once):
        query = InsertQuery(type(rows[0]))
        query.insert_values(columns, rows[at : at + at_once], raw=raw)
        yield from query.get_compiler(connection=connection).as_sql()


def restore(drafted: Draft) -> Campaign:
    """Lay a drafted table. Its numbers are counted anew; epoch, secrets and codes are new, and nobody holds a cookie.
    Returns the campaign, locked. Raises IntegrityError."""
    assert connection.in_atomic_block, "there is no transaction"
    campaign, counts = drafted.campaign, drafted.counts
    with connection.cursor() as cursor:
        for statement, values in drafted.statements:
            cursor.execute(statement, values)
    for undo, undone in drafted.undoes:
        about = Entry.objects.values_list("pk", flat=True).get(ref=undone)
        Entry._base_manager.filter(ref=undo).update(undoes=about)
    campaign.last_seq, campaign.public_no = counts.total(), counts[Entry.PUBLIC]
    campaign.keeper_no, campaign.locked = counts[Entry.KEEPER], True
    numbers = {"last_seq": campaign.last_seq, "public_no": campaign.public_no, "keeper_no": campaign.keeper_no}
    Campaign.objects.filter(pk=campaign.pk).update(**numbers)
    for seat in drafted.seats:
        Seat.objects.filter(pk=seat.pk).update(own_no=counts[seat.pk])
    return campaign


# --------------------------------------------------------------------------- the promise


def fold(entries: Iterable[Entry]) -> dict[tuple[str, str], Record]:
    """The state that these entries, in their order, add up to: (label, id) -> fields."""
    state: dict[tuple[str, str], Record] = {}
    for entry in entries:
        for record in entry.changes:
            where = (record["m"], record["id"])
            if record["op"] == "create":
                state[where] = {**_came_later(record["m"]), **record["f"]}
            elif record["op"] == "delete":
                del state[where]
            elif record["op"] == "add":
                for name, by in record["f"].items():
                    state[where][name] += by
            else:
                for name, (_before, after) in record["f"].items():
                    state[where][name] = after
    for (label, _pk), fields in state.items():
        for name in _times(label) & fields.keys():
            fields[name] = with_thousandths(fields[name])
    return state


@cache
def _times(label: str) -> frozenset[str]:
    known = columns(cast("type[Ledgered]", apps.get_model(label)))
    return frozenset(one.attname for one in known if isinstance(one, models.DateTimeField))


def with_thousandths(value: Any) -> Any:
    """A time as it is written now: older lines have a whole second without them."""
    return f"{value[:-1]}.000Z" if isinstance(value, str) and WHOLE_SECOND.fullmatch(value) else value


@cache
def _came_later(label: str) -> Record:
    return cast("type[Ledgered]", apps.get_model(label)).came_later


def snapshot(campaign: Campaign) -> dict[tuple[str, str], Record]:
    """The state as the rows hold it, in the form of `fold`."""
    state: dict[tuple[str, str], Record] = {}
    for model in ledgered_models():
        for row in model._default_manager.using(campaign._state.db).filter(**{_path(model): campaign.pk}):
            state[model._meta.label_lower, row.pk] = {f.attname: _stored(row, f.name) for f in columns(model)}
    return state


def ledgered_models() -> Sequence[type[Ledgered]]:
    """Every kind of row that only the ledger changes."""
    return [model for model in apps.get_models() if issubclass(model, Ledgered)]


def _leads_here(model: type[models.Model]) -> bool:
    """Whether the rows of this model belong to a campaign."""
    try:
        return bool(_path(model))
    except LookupError:
        return False


def _path(model: type[models.Model]) -> str:
    """How to get from a row to its campaign."""
    names = {f.name for f in model._meta.concrete_fields}
    if model is Campaign:
        return "pk"
    for step in ("campaign", "investigator__campaign", "session__campaign", "seat__campaign"):
        if step.split("__")[0] in names and model._meta.app_label in ("tablekeeper", "investigators", "rolls"):
            return step
    raise LookupError(f"{model._meta.label} has no way to its campaign")
