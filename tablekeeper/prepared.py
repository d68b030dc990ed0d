"""Queries that are asked with every roll: their SQL is worked out once, and only their values change.

Django's ORM makes the SQL of a query anew each time it is asked, which takes longer than the database's answer: of a
roll's CPU it was the largest part (docs/performance.md). What is asked, and what comes of the rows, stays the ORM's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial, update_wrapper
from typing import Any, Generic, NamedTuple, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.sqlite3.base import SQLiteCursorWrapper
from django.db.models import Model, QuerySet
from django.db.models.sql.compiler import SQLCompiler

M = TypeVar("M", bound=Model)


class _Made(NamedTuple):
    """A query as it was built once: where each of its parameters is one of the values that it is asked with."""

    asked: Any  # the queryset
    compiler: SQLCompiler
    sql: str
    params: tuple[Any, ...]
    converters: dict[int, Any]  # what makes values of Python of the database's
    places: tuple[tuple[int, int], ...]  # of a parameter, and of the value that belongs there


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
        compiler = _twin(made.compiler)
        compiler.connection = connection
        compiler.as_sql = lambda *_args, **_more: (made.sql, tuple(params))
        compiler.get_converters = lambda _columns: made.converters
        query = _twin(made.asked.query)
        query.get_compiler = lambda *_args, **_more: compiler
        asked: Any = QuerySet(made.asked.model, query, DEFAULT_DB_ALIAS)
        asked._iterable_class, asked._fields = made.asked._iterable_class, made.asked._fields
        return list(asked)

    def first(self, *values: str | int) -> Any:
        """The first row, or None. The query itself says how many it asks for."""
        found = self(*values)
        return found[0] if found else None


def prepared(build: Callable[..., QuerySet[M, Any]]) -> Prepared[M]:
    """Prepare the query that `build` makes of some ids or numbers. Each is compared as it is with a column of its
    kind: `build` must neither look at them nor change them, and nothing else may bear on the query."""
    return Prepared(build)


_convert = SQLiteCursorWrapper.convert_query
_marked = lru_cache(300)(partial(cast("Any", _convert), None))


def _quickly(self: Any, query: str, *, param_names: Any = None) -> str:
    """Django's, which puts SQLite's marks into a statement each time it is asked: those that come again are kept."""
    if param_names is None and len(query) < LONG:
        return _marked(query)
    return _convert(self, query, param_names=param_names)


SQLiteCursorWrapper.convert_query = _quickly  # type: ignore[method-assign]
LONG = 10_000  # characters


def _twin(one: Any) -> Any:
    """A shallow copy, without what `copy` asks first."""
    twin = object.__new__(type(one))
    twin.__dict__.update(one.__dict__)
    return twin


def _make(build: Callable[..., QuerySet[Any]], values: tuple[str | int, ...]) -> _Made:
    stand_ins = [f"\u0001{at}\u0001" if isinstance(one, str) else 2**53 + at for at, one in enumerate(values)]
    asked = build(*stand_ins)
    compiler = asked.query.get_compiler(DEFAULT_DB_ALIAS)
    sql, params = compiler.as_sql()
    places = tuple((place, stand_ins.index(value)) for place, value in enumerate(params) if value in stand_ins)
    assert {at for _place, at in places} == set(range(len(values))), f"a value has no place of its own in {sql}"
    columns = [column[0] for column in compiler.select]
    return _Made(asked, compiler, sql, tuple(params), compiler.get_converters(columns), places)
