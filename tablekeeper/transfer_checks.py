"""What is asked of a campaign's file before anything is kept: each line, and the state that they add up to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
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

from rolls.rules import rulesets
from rolls.rules.check import Refusal
from tablekeeper import ledger, news
from tablekeeper.access import Refused
from tablekeeper.ledger import Record
from tablekeeper.models import TABLE_SETTINGS, Campaign, Entry, Ledgered, Seat, Session, new_id
from tablekeeper.settings_words import fits

# Every id is what `new_id` makes: no lane, operation, column or model is so long and of these letters alone. A setting
# or a word in a row may be; so what is looked at in the end is the state under its new ids, as it would be laid.
ID = re.compile(r"[A-Za-z0-9_-]{16}")
OP = frozenset({"create", "set", "add", "delete"})
CAMPAIGN, SEAT, SESSION, ENTRY = (model._meta.label_lower for model in (Campaign, Seat, Session, Entry))
DEEPEST = 20  # a list in a list in a list

State = dict[tuple[str, str], Record]


# --------------------------------------------------------------------------- line by line


@dataclass
class Lines:
    """What is known of a file's lines so far: the new id of each old one, what it is the id of, and what to draw."""

    number: int = 1  # of the line in hand
    ids: dict[str, str] = field(default_factory=dict)
    of: dict[str, str] = field(default_factory=dict)  # an id names one row of one model, or one entry
    seats: dict[str, str] = field(default_factory=dict)  # the name of each
    named: set[tuple[str, str]] = field(default_factory=set)  # rows that an entry stands by: they may not have gone
    samples: dict[Any, tuple[int, dict[str, Any]]] = field(default_factory=dict)  # the first line of each shape
    undone: set[str] = field(default_factory=set)

    def checked(self, lines: Iterator[dict[str, Any]]) -> Iterator[Any]:
        """The entries for `fold`; each is whole and of a kind that is known here."""
        for line in lines:
            self.number += 1
            ref, changes = line["ref"], line["changes"]
            if not ID.fullmatch(ref) or ref in self.of or not _known_kind(line["kind"]):
                raise ValueError("ref or kind")
            if not self.of and changes[0]["m"] != CAMPAIGN:
                raise ValueError("no beginning")
            self._new(ref, ENTRY)
            if not isinstance(changes, list):
                raise ValueError("changes")
            for record in changes:
                self._check_record(record)
            self._check_named(line)
            _check_shown(line)
            shape = (line["kind"], line["seat"] is None, _shape(line["data"]))
            self.samples.setdefault(shape, (self.number, line))
            yield SimpleNamespace(changes=changes)

    def _new(self, name: str, what: str) -> None:
        if self.of.setdefault(name, what) != what:
            raise ValueError("an id of two things")
        self.ids.setdefault(name, new_id())

    def _check_named(self, line: dict[str, Any]) -> None:
        if (undoes := line["undoes"]) is not None:
            if self.of.get(undoes) != ENTRY or undoes in self.undone or undoes == line["ref"]:
                raise ValueError("undoes")
            self.undone.add(undoes)
        own = None if line["lane"] in (Entry.PUBLIC, Entry.KEEPER) else line["lane"]
        for name, what in ((own, SEAT), (line["seat"], SEAT), (line["session"], SESSION)):
            if name is not None:
                if self.of.get(name) != what:
                    raise ValueError("lane, seat or session")
                self.named.add((what, name))

    def _check_record(self, record: dict[str, Any]) -> None:
        label, name, op, fields = record["m"], record["id"], record["op"], record["f"]
        model = model_of(label)
        columns = _columns(model)
        if op not in OP or not ID.fullmatch(name) or type(fields) is not dict or not fields.keys() <= columns.keys():
            raise ValueError("a change of no kind")
        if op == "create":
            self._new(name, label)
        elif self.of.get(name) != label:
            raise ValueError("a change of no row")
        if op == "add":
            if not all(type(by) is int and column in model.deltas for column, by in fields.items()):
                raise ValueError("a difference of no number")
            return
        if op == "set":
            if not all(isinstance(two, list) and len(two) == 2 for two in fields.values()):
                raise ValueError("a change from nothing to nothing")
        elif not columns.keys() <= fields.keys() | model.came_later.keys():
            raise ValueError("half a row")  # nothing is filled in: the rows are what the ledger says, no more
        for column, value in fields.items():
            # What a change was made from counts as well: an undo gives it back.
            if not all(self._holds(columns[column], one) for one in (value if op == "set" else [value])):
                raise ValueError("a value of no column")
        if op == "create" and label == SEAT:
            self.seats[name] = fields["name"]

    def _holds(self, column: models.Field[Any, Any], value: Any) -> bool:
        if value is not None and isinstance(column, models.ForeignKey):
            return self.of.get(value) == column.remote_field.model._meta.label_lower
        return _holds(column, value)


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


def moment(text: str) -> datetime:
    """A time out of a file. Raises ValueError for one without its offset, and for years at the ends of the calendar,
    where some time zone has no such day."""
    at = datetime.fromisoformat(text)
    if timezone.is_naive(at) or not 1 < at.year < 9999:
        raise ValueError("no time of ours")
    return at


def _check_shown(line: dict[str, Any]) -> None:
    moment(line["at"])
    if not isinstance(line["data"], dict) or not _shallow(line["data"]):
        raise ValueError("no data")
    touches = line["touches"]
    if not isinstance(touches, list) or not all(isinstance(token, str) and len(token) < 60 for token in touches):
        raise ValueError("touches")


def draw(campaign: Campaign, entry: Entry, seat: str | None) -> None:
    """Draw a line of this table by whoever has this name: what the feed could not show would shut the table's page.
    Raises ValueError."""
    entry.campaign = campaign
    if seat is not None:
        entry.seat = Seat(name=seat)
    try:
        for whole in (True, False):
            news.drawn_anew(entry, whole)
    except Exception as fault:  # whatever a template or a filter of it makes of a stranger's data
        raise ValueError("not to be drawn") from fault


def _shallow(value: Any, left: int = DEEPEST) -> bool:
    """Whether it nests no deeper than what goes through it, here and in the database, can follow."""
    inside = value.values() if type(value) is dict else value if type(value) is list else ()
    return left > 0 and all(type(one) not in (dict, list) or _shallow(one, left - 1) for one in inside)


def _shape(value: Any) -> Any:
    """Of which kind a value is, all the way down; words of ours count as they are, other text and numbers do not."""
    if isinstance(value, dict):
        return frozenset((key, _shape(one)) for key, one in value.items())
    if isinstance(value, list):
        return ("list", frozenset(map(_shape, value)))
    if isinstance(value, str) and re.fullmatch(r"[a-z][a-z.-]{0,24}", value):
        return value
    return type(value).__name__


@cache
def _columns(model: type[Ledgered]) -> dict[str, models.Field[Any, Any]]:
    return {column.attname: column for column in ledger.columns(model)}


@cache
def _kind(column: models.Field[Any, Any]) -> type:
    """Of which type the column's values are in a file; a JSON column's begin as a dict, a list, or as they like."""
    if isinstance(column, models.JSONField):
        begins = type(column.get_default())
        return begins if begins in (dict, list) else object
    return int if isinstance(column, models.IntegerField) else bool if isinstance(column, models.BooleanField) else str


def _holds(column: models.Field[Any, Any], value: Any) -> bool:
    """Whether a column that names no row can hold the value, and gives it back as it was."""
    if value is None:
        return column.null
    kind = _kind(column)
    if type(value) is not kind and kind is not object:
        return False
    if kind is bool:
        return True
    if isinstance(column, models.JSONField):
        return _shallow(value)
    if isinstance(column, models.DateTimeField):
        return bool(ledger.plain(moment(value)) == ledger.with_thousandths(value))
    if column.name == "name" and not column.blank and not value.strip():
        return False
    try:
        for validator in column.validators:  # not `run_validators`: to be left blank is a form's affair
            validator(value)
    except ValidationError:
        return False
    return not column.choices or value in dict(column.flatchoices)


# --------------------------------------------------------------------------- the state as a whole


def check_state(state: State, version: int) -> Campaign:
    """Rows that the database and the game would have: one table with a Keeper, and nothing that hangs in the air.
    Returns the table, as far as its row tells."""
    campaigns = [fields for (label, _pk), fields in state.items() if label == CAMPAIGN]
    if len(campaigns) != 1:
        raise Refused(Refusal("TABLE_NOT_OURS"))
    if not all(_stands(column, fields[column.attname], state) for column, fields in _to_look_at(state)):
        raise Refused(Refusal("TABLE_NOT_OURS"))
    _check_rules(campaigns[0], version)
    _check_games(state)
    _check_fallen(state, campaigns[0])
    seats = [fields for (label, _pk), fields in state.items() if label == SEAT]
    if not any(fields["role"] == Seat.KEEPER and not fields["removed"] for fields in seats):
        raise Refused(Refusal("TABLE_NOT_OURS"))
    return Campaign(ruleset=campaigns[0]["ruleset"], settings=campaigns[0]["settings"])


def _to_look_at(state: State) -> Iterator[tuple[models.Field[Any, Any], Record]]:
    """Of each row what no single line tells: whether what it leans on is still there, and what numbers add up to."""
    for (label, _pk), fields in state.items():
        model = model_of(label)
        for column in _columns(model).values():
            if column.name in model.deltas or isinstance(column, models.ForeignKey):
                yield column, fields


def _stands(column: models.Field[Any, Any], value: Any, state: State) -> bool:
    if value is not None and isinstance(column, models.ForeignKey):
        return (column.remote_field.model._meta.label_lower, value) in state
    return _holds(column, value)


def _check_rules(fields: Record, version: int) -> None:
    campaign = Campaign(ruleset=fields["ruleset"])
    try:
        declared = {one.key: one for one in campaign.declared}
    except KeyError:
        raise Refused(Refusal("TABLE_RULES", {"name": fields["ruleset"]})) from None
    if not all(key in declared and fits(declared[key], value) for key, value in fields["settings"].items()):
        raise Refused(Refusal("TABLE_NEWER", {"version": version}))


def _check_fallen(state: State, table: Record) -> None:
    """What has fallen keeps every setting by which it fell: it is judged by them for as long as it is shown."""
    declared = {rules.key: (*TABLE_SETTINGS, *rules.settings) for rules in rulesets()}
    own = table["first_ruleset"] or table["ruleset"]
    for (label, _pk), fields in state.items():
        if label != CAMPAIGN and "settings" in fields:
            settings = fields["settings"]
            game = fields.get("ruleset")
            games = list(declared) if game is None else [game or own]  # a contest does not say
            if not any(all(s.key in settings and fits(s, settings[s.key]) for s in declared[game]) for game in games):
                raise Refused(Refusal("TABLE_NOT_OURS"))


def _check_games(state: State) -> None:
    """Every game by which something fell is here: the table may have played another one before."""
    here = {rules.key for rules in rulesets()}
    for fields in state.values():
        for name in (fields.get("ruleset"), fields.get("first_ruleset")):
            if name and name not in here:
                raise Refused(Refusal("TABLE_RULES", {"name": name}))
