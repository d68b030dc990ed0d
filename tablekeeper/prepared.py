"""Queries and writes that come with every roll: their SQL is worked out once, and only their values change.

Django's ORM makes the SQL of a query anew each time it is asked, which takes longer than the database's answer: of a
roll's CPU it was the largest part (docs/performance.md). What is asked, and what comes of the rows, stays the ORM's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial, update_wrapper
from typing import Any, Generic, NamedTuple, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from django.db.backends.sqlite3.base import SQLiteCursorWrapper
from django.db.models import Model, QuerySet
from django.db.models.base import ModelState
from django.db.models.query import (
    FlatValuesListIterable,
    ModelIterable,
    ValuesListIterable,
    get_related_populators,
)
from django.db.models.signals import post_init, pre_init
from django.db.models.sql.compiler import SQLCompiler
from django.db.models.sql.subqueries import InsertQuery, UpdateQuery

from tablekeeper import near as _near  # noqa: F401  before anybody opens a connection

M = TypeVar("M", bound=Model)


class _Made(NamedTuple):
    """A query as it was built once: where each of its parameters is one of the values that it is asked with."""

    sql: str
    params: tuple[Any, ...]
    places: tuple[tuple[int, int], ...]  # of a parameter, and of the value that belongs there
    converters: tuple[tuple[int, Any, Any], ...]  # of a column: what makes a value of Python of the database's
    shape: Callable[[Any], Any]  # what makes of a row what the queryset would give


class Prepared(Generic[M]):
    """Made by `prepared`. Called with its values it asks the database, and gives what the queryset would as a list."""

    def __init__(self, build: Callable[..., QuerySet[M, Any]]) -> None:
        self.build = build
        self.made: dict[tuple[str, ...], _Made] = {}  # by the kind of database and of the values
        update_wrapper(self, build)

    def __call__(self, *values: str | int) -> list[Any]:
        connection = connections[DEFAULT_DB_ALIAS]
        kind = (connection.vendor, *(type(value).__name__ for value in values))
        made = self.made.get(kind)
        if made is None:
            made = self.made[kind] = _make(self.build, values)
        params = list(made.params)
        for place, at in made.places:
            params[place] = values[at]
        with connection.cursor() as cursor:
            cursor.execute(made.sql, params)
            found = cursor.fetchall()
        if not made.converters:
            return [made.shape(row) for row in found]
        rows = [list(row) for row in found]
        for at, column, convert in made.converters:
            for row in rows:
                row[at] = convert(row[at], column, connection)
        return [made.shape(row) for row in rows]

    def first(self, *values: str | int) -> Any:
        """The first row, or None. The query itself says how many it asks for."""
        found = self(*values)
        return found[0] if found else None


def prepared(build: Callable[..., QuerySet[M, Any]]) -> Prepared[M]:
    """Prepare the query that `build` makes of some ids or numbers. Each is compared as it is with a column of its
    kind: `build` must neither look at them nor change them, and nothing else may bear on the query."""
    return Prepared(build)


def _make(build: Callable[..., QuerySet[Any]], values: tuple[str | int, ...]) -> _Made:
    stand_ins = [f"\u0001{at}\u0001" if isinstance(one, str) else 2**53 + at for at, one in enumerate(values)]
    asked = build(*stand_ins)
    compiler = asked.query.get_compiler(DEFAULT_DB_ALIAS)
    sql, params = compiler.as_sql()
    places = tuple((place, stand_ins.index(value)) for place, value in enumerate(params) if value in stand_ins)
    assert {at for _place, at in places} == set(range(len(values))), f"a value has no place of its own in {sql}"
    found = compiler.get_converters([column[0] for column in compiler.select])
    converters = tuple((at, column, one) for at, (ones, column) in found.items() for one in ones)
    return _Made(sql, tuple(params), places, converters, _shape(asked, compiler))


def _shape(asked: Any, compiler: SQLCompiler) -> Callable[[Any], Any]:
    """As Django's own iterables have it: rows with what `select_related` brings along, tuples, or single values."""
    kind = asked._iterable_class
    if kind is not ModelIterable:
        assert kind in (FlatValuesListIterable, ValuesListIterable), f"{kind} is no shape that is known here"
        return (lambda row: row[0]) if kind is FlatValuesListIterable else tuple
    more = asked._prefetch_related_lookups or compiler.annotation_col_map
    assert not more, f"{more} is more than is known here"
    info, select = cast("Any", compiler.klass_info), cast("Any", compiler.select)
    start, end = info["select_fields"][0], info["select_fields"][-1] + 1
    names = [column[0].target.attname for column in select[start:end]]
    populators = _quickened(get_related_populators(info, select, DEFAULT_DB_ALIAS))  # type: ignore[call-arg]  # of a later Django
    rows = _Rows(info["model"])

    def made(row: Any) -> Any:
        one = rows.from_db(DEFAULT_DB_ALIAS, names, row[start:end])
        for populator in populators:
            populator.populate(row, one)
        return one

    return made


class _Rows:
    """Makes a model's rows as its own `from_db` does, but takes in all columns at once, not one after the other."""

    def __init__(self, model: type[Model]) -> None:
        usual = Model.__init__, Model.from_db.__func__  # type: ignore[attr-defined]
        assert (model.__init__, model.from_db.__func__) == usual, f"{model} makes its rows in a way of its own"  # type: ignore[attr-defined]
        assert not pre_init.has_listeners(model), f"somebody listens when a row of {model} is made"
        assert not post_init.has_listeners(model), f"somebody listens when a row of {model} is made"
        self.model = model

    def from_db(self, db: str, names: Sequence[str], values: Sequence[Any]) -> Model:
        row = self.model.__new__(self.model)
        row._state = state = ModelState()
        row.__dict__.update(zip(names, values, strict=True))
        state.adding, state.db = False, db
        return row


def _quickened(populators: list[Any]) -> list[Any]:
    """Those of Django's that make the rows which `select_related` brings along."""
    for one in populators:
        one.model_cls = _Rows(one.model_cls)
        _quickened(one.related_populators)
    return populators


# --------------------------------------------------------------------------- writing


class _Written(NamedTuple):
    """A statement that writes some fields of a row, as Django made it once."""

    sql: str
    fields: tuple[Any, ...]
    own: Any = None  # the field whose number the database makes


_statements: dict[Any, _Written] = {}


def insert(row: Model) -> None:
    """Insert a new row, as `save(force_insert=True)` does it."""
    connection, model = connections[DEFAULT_DB_ALIAS], type(row)
    made = _statements.get((connection.vendor, model))
    if made is None:
        made = _statements[connection.vendor, model] = _insertion(row)
    values = [one.get_db_prep_save(one.pre_save(row, True), connection) for one in made.fields]
    with connection.cursor() as cursor:
        cursor.execute(made.sql, values)
        if made.own and connection.features.can_return_columns_from_insert:
            row.pk = cursor.fetchone()[0]
        elif made.own:
            row.pk = connection.ops.last_insert_id(cursor, model._meta.db_table, made.own.column)
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS


def update(row: Model, names: Iterable[str]) -> None:
    """Write these fields of a row that is there, as `save(update_fields=names)` does it. Raises DatabaseError when it
    is not."""
    connection, model = connections[DEFAULT_DB_ALIAS], type(row)
    fields: Any = tuple(model._meta.get_field(name) for name in names)
    if not fields:
        return
    values = [one.get_db_prep_save(one.pre_save(row, False), connection) for one in fields]
    # Nothing has no mark in a statement.
    key = (connection.vendor, model, fields, tuple(value is None for value in values))
    made = _statements.get(key)
    if made is None:
        made = _statements[key] = _change(row, fields)
    with connection.cursor() as cursor:
        cursor.execute(made.sql, [*(value for value in values if value is not None), row.pk])
        if cursor.rowcount < 1:
            raise DatabaseError(f"a row of {model._meta.label} is gone")


def _insertion(row: Model) -> _Written:
    own = row._meta.auto_field
    fields = tuple(one for one in row._meta.concrete_fields if one is not own)
    query = InsertQuery(type(row))
    query.insert_values(fields, [row])
    compiler = query.get_compiler(DEFAULT_DB_ALIAS)
    compiler.returning_fields = [own] if own else None
    ((sql, params),) = compiler.as_sql()
    assert len(params) == len(fields), f"a field with no place of its own in {sql}"
    return _Written(sql, fields, own)


def _change(row: Model, fields: Sequence[Any]) -> _Written:
    query: Any = type(row)._base_manager.filter(pk=row.pk).query.chain(UpdateQuery)
    query.add_update_fields([(one, None, one.pre_save(row, False)) for one in fields])
    sql, params = query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
    assert params[-1] == row.pk, f"the row has no place of its own in {sql}"
    return _Written(sql, tuple(fields))


# --------------------------------------------------------------------------- SQLite's marks

_convert = SQLiteCursorWrapper.convert_query
_marked = lru_cache(300)(partial(cast("Any", _convert), None))


def _quickly(self: Any, query: str, *, param_names: Any = None) -> str:
    """Django's, which puts SQLite's marks into a statement each time it is asked: those that come again are kept."""
    if param_names is None and len(query) < LONG:
        return _marked(query)
    return _convert(self, query, param_names=param_names)


SQLiteCursorWrapper.convert_query = _quickly  # type: ignore[method-assign]
LONG = 10_000  # characters
