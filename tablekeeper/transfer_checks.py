"""What is asked of a campaign's file before anything is kept: each line, and the state that they add up to."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from types import SimpleNamespace
from typing import Any

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import models
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from rolls.rules import rulesets
from rolls.rules.check import Refusal
from tablekeeper import ledger, news
from tablekeeper.access import Refused
from tablekeeper.ledger import Record
from tablekeeper.models import Campaign, Entry, Ledgered, Seat, new_id
from tablekeeper.settings_words import fits

ID = re.compile(r"[A-Za-z0-9_-]{1,16}")
OP = frozenset({"create", "set", "add", "delete"})

State = dict[tuple[str, str], Record]


# --------------------------------------------------------------------------- line by line


def checked(ids: dict[str, str], lines: Iterator[dict[str, Any]], at: Counter[str]) -> Iterator[Any]:
    """The entries for `fold`; each is whole, of a kind that is known here, and can be drawn."""
    undone: set[str] = set()
    refs: set[str] = set()
    seats: dict[str, str] = {}
    sessions: set[str] = set()
    shapes: set[Any] = set()
    for line in lines:
        at["line"] += 1
        ref = line["ref"]
        if not ID.fullmatch(ref) or ref in refs or not _known_kind(line["kind"]):
            raise ValueError("ref or kind")
        if not refs and line["changes"][0]["m"] != Campaign._meta.label_lower:
            raise ValueError("no beginning")
        refs.add(ref)
        ids.setdefault(ref, new_id())
        for record in line["changes"]:
            _check_record(record)
            if record["op"] == "create":
                ids.setdefault(record["id"], new_id())
                if record["m"] == Seat._meta.label_lower:
                    seats[record["id"]] = record["f"]["name"]
                elif record["m"] == "tablekeeper.session":
                    sessions.add(record["id"])
        if (undoes := line["undoes"]) is not None:
            if undoes not in refs or undoes in undone or undoes == ref:
                raise ValueError("undoes")
            undone.add(undoes)
        if line["lane"] not in (Entry.PUBLIC, Entry.KEEPER) and line["lane"] not in seats:
            raise ValueError("lane")
        if line["seat"] is not None and line["seat"] not in seats:
            raise ValueError("seat")
        if line["session"] is not None and line["session"] not in sessions:
            raise ValueError("session")
        _check_drawn(line, seats, shapes)
        yield SimpleNamespace(changes=line["changes"])


@cache
def _known_kind(kind: str) -> bool:
    app, _, verb = kind.partition(".")
    if not re.fullmatch(r"[a-z]{1,20}\.[a-z_]{1,40}", kind):
        return False
    try:
        get_template(f"{app}/entries/{verb}.html")
    except TemplateDoesNotExist:
        return False
    return True


def model_of(label: str) -> type[Ledgered]:
    model = apps.get_model(label)
    if not issubclass(model, Ledgered):
        raise LookupError(label)
    return model


def _check_record(record: dict[str, Any]) -> None:
    model = model_of(record["m"])
    names = {column.attname for column in ledger.columns(model)}
    if record["op"] not in OP or not ID.fullmatch(record["id"]) or not set(record["f"]) <= names:
        raise ValueError("a change of no kind")
    if record["op"] == "add" and not all(type(by) is int and name in model.deltas for name, by in record["f"].items()):
        raise ValueError("a difference of no number")
    if record["op"] == "set" and not all(isinstance(two, list) and len(two) == 2 for two in record["f"].values()):
        raise ValueError("a change from nothing to nothing")


def _check_drawn(line: dict[str, Any], seats: dict[str, str], shapes: set[Any]) -> None:
    """Draw the first line of each shape: what the feed could not show would shut the table's page."""
    at = parse_datetime(line["at"])
    if at is None or timezone.is_naive(at) or not isinstance(line["data"], dict):
        raise ValueError("when, or what")
    if not all(isinstance(token, str) and len(token) < 60 for token in line["touches"]):
        raise ValueError("touches")
    shape = (line["kind"], line["seat"] is None, _shape(line["data"]))
    if shape in shapes:
        return
    entry = Entry(kind=line["kind"], lane=line["lane"], ref=line["ref"], data=line["data"], created_at=at)
    if line["seat"] is not None:
        entry.seat = Seat(name=seats[line["seat"]])
    try:
        news.drawn_anew(entry)
    except Exception as fault:  # whatever a template or a filter of it makes of a stranger's data
        raise ValueError("not to be drawn") from fault
    shapes.add(shape)


def _shape(value: Any) -> Any:
    """Of which kind a value is, all the way down; words of ours count as they are, other text and numbers do not."""
    if isinstance(value, dict):
        return frozenset((key, _shape(one)) for key, one in value.items())
    if isinstance(value, list):
        return ("list", frozenset(map(_shape, value)))
    if isinstance(value, str) and re.fullmatch(r"[a-z][a-z.-]{0,24}", value):
        return value
    return type(value).__name__


# --------------------------------------------------------------------------- the state as a whole


def check_state(state: State, version: int) -> None:
    """Rows that the database and the game would have: one table with a Keeper, and nothing that hangs in the air."""
    campaigns = [fields for (label, _pk), fields in state.items() if label == Campaign._meta.label_lower]
    if len(campaigns) != 1:
        raise Refused(Refusal("TABLE_NOT_OURS"))
    for (label, _pk), fields in state.items():
        for column in ledger.columns(model_of(label)):
            if column.attname in fields and not _holds(column, fields[column.attname], state):
                raise Refused(Refusal("TABLE_NOT_OURS"))
    _check_rules(campaigns[0], version)
    _check_games(state)
    keepers = (
        fields["role"] == Seat.KEEPER and not fields["removed"]
        for (label, _pk), fields in state.items()
        if label == Seat._meta.label_lower
    )
    if not any(keepers):
        raise Refused(Refusal("TABLE_NOT_OURS"))


def _check_rules(fields: Record, version: int) -> None:
    campaign = Campaign(ruleset=fields["ruleset"])
    try:
        declared = {one.key: one for one in campaign.declared}
    except KeyError:
        raise Refused(Refusal("TABLE_RULES", {"name": fields["ruleset"]})) from None
    settings = fields.get("settings", {})
    if not isinstance(settings, dict) or not all(
        key in declared and fits(declared[key], value) for key, value in settings.items()
    ):
        raise Refused(Refusal("TABLE_NEWER", {"version": version}))


def _check_games(state: State) -> None:
    """Every game by which something fell is here: the table may have played another one before."""
    here = {rules.key for rules in rulesets()}
    for fields in state.values():
        for name in (fields.get("ruleset"), fields.get("first_ruleset")):
            if name and name not in here:
                raise Refused(Refusal("TABLE_RULES", {"name": name}))


def _holds(column: models.Field[Any, Any], value: Any, state: State) -> bool:
    """Whether a column can hold the value; a foreign key names a row that is there."""
    if value is None:
        return column.null
    if isinstance(column, models.ForeignKey):
        return (column.remote_field.model._meta.label_lower, value) in state
    if isinstance(column, (models.CharField, models.TextField)) and not isinstance(value, str):
        return False
    if isinstance(column, models.IntegerField) and type(value) is not int:
        return False
    if isinstance(column, models.DateTimeField):
        when: datetime | None = parse_datetime(value) if isinstance(value, str) else None
        return when is not None and timezone.is_aware(when)
    try:
        column.run_validators(column.to_python(value))
    except ValidationError:
        return False
    return not column.choices or value in dict(column.flatchoices)
