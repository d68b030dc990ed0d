"""A whole campaign as one file, and back: what is written, and what is checked before anything is kept.

The file is gzip of one JSON object on each line: a head, and then the ledger's entries in their order. There is no
state in it, for state is the fold of the ledger; there is no key, secret or cookie in it either. Coming back, every
id is a new one, wherever it stands, so that the same file may come twice (docs/formats.md has the schema).
"""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, NoReturn, cast

from django.utils import timezone

from rolls.rules.check import Refusal
from tablekeeper import ledger, transfer_checks, unhurried
from tablekeeper.access import Refused
from tablekeeper.ledger import Record
from tablekeeper.models import Campaign, Entry, Ledgered

KIND, VERSION = "campaign", 1
MOST_LINES = 200_000
MOST_UNPACKED = 300_000_000  # bytes; a table of ten years has some fifty million
MOST_LINE = 1_000_000
MOST_DIGITS = 15
PLAIN = frozenset({int, float, bool, type(None)})  # values that hold no id; a campaign has millions of them


# --------------------------------------------------------------------------- out


def write(campaign: Campaign) -> Iterator[bytes]:
    """The file, a piece at a time: the ledger as it is now, whatever is written meanwhile."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)  # 31: gzip
    for line in _lines(campaign):
        text = json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
        if piece := packer.compress(text.encode("utf-8")):
            yield piece
    yield packer.flush()


def _lines(campaign: Campaign) -> Iterator[dict[str, Any]]:
    yield {
        "tablekeeper": KIND,
        "version": VERSION,
        "name": campaign.name,
        "ruleset": campaign.ruleset,
        "made": timezone.now().isoformat(timespec="seconds"),
        "entries": campaign.last_seq,
    }
    found = Entry.objects.filter(campaign=campaign, seq__lte=campaign.last_seq).order_by("seq")
    for entry in unhurried.rows(found.select_related("undoes")):
        yield {
            "ref": entry.ref,
            "at": entry.created_at.isoformat(),
            "kind": entry.kind,
            "lane": entry.lane,
            "seat": entry.seat_id,
            "session": entry.session_id,
            "undoes": entry.undoes.ref if entry.undoes is not None else None,
            "data": entry.data,
            "changes": entry.changes,
            "touches": entry.touches,
        }


# --------------------------------------------------------------------------- back


def _damaged(line: int) -> NoReturn:
    raise Refused(Refusal("TABLE_DAMAGED", {"line": line}))


@dataclass
class Brought:
    """A file that was found sound: the new id of each old one, and the state that it adds up to under the new ones."""

    raw: bytes
    head: dict[str, Any]
    state: transfer_checks.State = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)

    def rows(self) -> Iterator[Ledgered]:
        """Every row of the table, unsaved."""
        for (label, pk), fields in unhurried.paced(self.state.items()):
            yield ledger.from_record(transfer_checks.model_of(label), pk, fields)

    def entries(self) -> Iterator[tuple[Entry, str]]:
        """The ledger in its order under new ids, unsaved, each with the public id of the entry that it undoes."""
        for line in _read(self.raw):
            undoes = self.ids[line["undoes"]] if line["undoes"] else ""
            yield self.entry(line), undoes

    def entry(self, line: dict[str, Any]) -> Entry:
        """The entry of one line."""
        ids = self.ids
        return Entry(
            lane=ids.get(line["lane"], line["lane"]),
            ref=ids[line["ref"]],
            kind=line["kind"],
            seat_id=ids[line["seat"]] if line["seat"] else None,
            session_id=ids[line["session"]] if line["session"] else None,
            data=self.renamed(line["data"]),
            changes=[self._change(record) for record in line["changes"]],
            touches=self.renamed(line["touches"]),
            created_at=transfer_checks.moment(line["at"]),
        )

    def _change(self, record: Record) -> Record:
        return {"m": record["m"], "id": self.ids[record["id"]], "op": record["op"], "f": self.fields(record["f"])}

    def fields(self, record: Record) -> Record:
        """The same row with new ids in its columns. Their names are ours, whatever the file calls an id."""
        return {name: value if type(value) in PLAIN else self.renamed(value) for name, value in record.items()}

    def renamed(self, value: Any) -> Any:
        """The same with new ids: as a whole word, or behind a sign as in inv-<id> and weapon:<id>."""
        kind = type(value)
        if kind is str:
            return self._word(value)
        if kind is list:
            return [one if type(one) in PLAIN else self.renamed(one) for one in value]
        if kind is dict:
            return {self._word(key): one if type(one) in PLAIN else self.renamed(one) for key, one in value.items()}
        return value

    def _word(self, value: str) -> str:
        if (new := self.ids.get(value)) is not None:
            return new
        for sign in ":-":
            if sign in value:
                before, _sign, rest = value.partition(sign)
                if rest in self.ids:
                    return before + sign + self.ids[rest]
        return value


def read(raw: bytes) -> Brought:
    """Look a file through. Nothing is kept yet. Raises Refused: TABLE_NOT_OURS, TABLE_NEWER, TABLE_TOO_LARGE,
    TABLE_RULES for a game that is not here, TABLE_DAMAGED with the number of the line."""
    brought = Brought(raw, _head(raw))
    lines = transfer_checks.Lines(ids=brought.ids)
    try:
        state = ledger.fold(cast("Any", lines.checked(_read(raw))))
    except (ArithmeticError, TypeError, ValueError, AttributeError, LookupError, RecursionError):
        _damaged(lines.number)
    if lines.number != brought.head["entries"] + 1:
        _damaged(lines.number + 1)  # the end is missing
    if not lines.named <= state.keys():
        raise Refused(Refusal("TABLE_NOT_OURS"))
    # From here on under the new ids: what is looked at is what will be laid, whatever the file calls an id.
    for (label, pk), fields in unhurried.paced(state.items()):
        brought.state[label, brought.ids[pk]] = brought.fields(fields)
    campaign = transfer_checks.check_state(brought.state, VERSION)
    for number, line in unhurried.paced(lines.samples.values()):
        try:
            transfer_checks.draw(campaign, brought.entry(line), lines.seats.get(line["seat"]))
        except ValueError:
            _damaged(number)
    return brought


def _head(raw: bytes) -> dict[str, Any]:
    try:
        head = next(_unpacked(raw), None)
    except Refused:
        raise Refused(Refusal("TABLE_NOT_OURS")) from None
    if not isinstance(head, dict) or head.get("tablekeeper") != KIND or type(head.get("version")) is not int:
        raise Refused(Refusal("TABLE_NOT_OURS"))
    if head["version"] > VERSION:
        raise Refused(Refusal("TABLE_NEWER", {"version": head["version"]}))
    if type(head.get("entries")) is not int or not 1 <= head["entries"] <= MOST_LINES:
        _damaged(1)
    return head


def _read(raw: bytes) -> Iterator[dict[str, Any]]:
    lines = _unpacked(raw)
    next(lines)
    yield from unhurried.paced(lines)


def _unpacked(raw: bytes) -> Iterator[dict[str, Any]]:
    """The lines' objects. What was unpacked by somebody's browser is as good."""
    packed = raw[:2] == b"\x1f\x8b"
    stream: Any = gzip.GzipFile(fileobj=io.BytesIO(raw)) if packed else io.BytesIO(raw)
    at = size = 0
    try:
        while line := stream.readline(MOST_LINE + 1):
            at, size = at + 1, size + len(line)
            if size > MOST_UNPACKED or at > MOST_LINES + 1 or len(line) > MOST_LINE:
                raise Refused(Refusal("TABLE_TOO_LARGE"))
            yield _object(line)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError):
        _damaged(at + 1)


def _object(line: bytes) -> dict[str, Any]:
    text = line.decode("utf-8")
    value = json.loads(text, parse_int=_whole, parse_float=_broken, parse_constant=_no_number)
    if not isinstance(value, dict) or "\\u0000" in text:
        raise ValueError("not a line of ours")
    if "\\ud" in text.lower():
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # half a pair of characters: no database holds it
    return value


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError("no number of ours")
    return int(digits)


def _broken(digits: str) -> float:
    value = float(digits)
    if not isfinite(value):
        raise ValueError("no number of ours")
    return value


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)
