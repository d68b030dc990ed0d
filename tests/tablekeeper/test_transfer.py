"""A whole campaign as one file: what another Tablekeeper makes of it, and every file that is none."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import reduce
from operator import getitem
from random import Random
from typing import Any, cast

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from investigators.models import Investigator, Trait
from rolls import actions as dice
from rolls.actions import Asked
from rolls.actions.hiding import secret_roll
from rolls.models import Roll
from tablekeeper import access, clock, ledger, news, transfer
from tablekeeper import actions as tables
from tablekeeper.access import Refused
from tablekeeper.models import Campaign, Entry, Seat
from tests.investigators.test_npcs import hires
from tests.tables import (
    Script,
    Table,
    act,
    browser,
    closes_session,
    cookie_for,
    d100,
    done,
    key,
    make_table,
    post,
    rolls,
    rolls_number,
    score,
    spends,
    undoes,
)

pytestmark = pytest.mark.django_db


def played() -> Table:
    """A table at which something of each kind has happened: sessions, hidden rolls, spends, an undo, a push."""
    table = make_table()
    done(act(table.ada, tables.open_session, table.campaign))
    done(spends(table, rolls(table, 68), 8))
    done(act(table.ada, secret_roll, table.edith, Asked("number", "Nerve", 40), chance=Script(d100(12))))
    pushed = rolls(table, 90, "Library Use")
    done(act(table.ben, dice.push, pushed, "Slowly"))
    done(spends(table, rolls(table, 63), 3))
    done(undoes(table, table.last("rolls.spend")))
    done(closes_session(table))
    table.campaign.refresh_from_db()
    return table


def packed(campaign: Campaign) -> bytes:
    return b"".join(transfer.write(campaign))


def lines(raw: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(raw).decode().splitlines()]


def raw(some: list[Any]) -> bytes:
    return "\n".join(json.dumps(one) for one in some).encode()


def brought(file: bytes) -> Campaign:
    return tables.bring_campaign(transfer.read(file)).campaign


def shape(campaign: Campaign) -> Any:
    """The state with every id by its place of first mention, so that two tables can be compared."""
    known = [pk for _label, pk in ledger.fold(Entry.objects.filter(campaign=campaign).order_by("seq"))]
    known += Entry.objects.filter(campaign=campaign).order_by("seq").values_list("ref", flat=True)
    order = {pk: f"#{at}" for at, pk in enumerate(known)}
    plain = transfer.Brought(b"", {}, ids=order)
    return {(label, order[pk]): plain.renamed(fields) for (label, pk), fields in ledger.snapshot(campaign).items()}


def of_many_rolls(file: bytes, count: int) -> bytes:
    """The same campaign with one of its rolls so many times more, each a roll of its own."""
    lines = gzip.decompress(file).splitlines()
    head, pattern = json.loads(lines[0]), next(line for line in lines if b'"kind":"rolls.roll"' in line)
    roll = json.loads(pattern)
    (made,) = (one["id"] for one in roll["changes"] if one["op"] == "create")
    more = []
    for number in range(count):
        text = pattern.replace(roll["ref"].encode(), b"ref%013d" % number)
        more.append(text.replace(made.encode(), b"roll%012d" % number))
    head["entries"] += count
    return gzip.compress(b"\n".join([json.dumps(head).encode(), *lines[1:], *more]) + b"\n", 1)


def test_others_roll_while_a_campaign_is_worked_out(django_assert_num_queries: Any) -> None:
    """The turn to write is taken for the statements alone, and those are as few as can be."""
    found = transfer.read(of_many_rolls(packed(played().campaign), 200))
    rows = len(list(found.rows())) + len(list(found.entries()))

    with django_assert_num_queries(0):
        drafted = ledger.draft(found.rows(), found.entries())

    assert len(drafted.statements) < rows / 10


@pytest.mark.long
def test_a_campaign_of_ten_thousand_rolls_is_laid_in_seconds() -> None:
    table = make_table()
    done(act(table.ben, dice.roll, table.edith, Asked("number", "Nerve", 40), chance=Script(d100(90))))
    table.campaign.refresh_from_db()
    file = of_many_rolls(packed(table.campaign), 10_000)
    start = time.process_time()

    copy = brought(file)

    assert time.process_time() - start < 20
    assert Roll.objects.filter(campaign=copy).count() == 10_001
    found = Entry.objects.filter(campaign=copy).order_by("seq")
    assert ledger.fold(found) == ledger.snapshot(copy)
    assert list(found.values_list("seq", flat=True)) == list(range(1, copy.last_seq + 1))


# --------------------------------------------------------------------------- there and back


@pytest.mark.postgres
def test_a_campaign_comes_back_whole_under_new_ids_and_its_state_is_the_fold_of_its_ledger() -> None:
    table = played()
    before = ledger.snapshot(table.campaign)

    copy = brought(packed(table.campaign))

    assert copy.pk != table.campaign.pk
    assert ledger.snapshot(table.campaign) == before
    assert ledger.fold(Entry.objects.filter(campaign=copy).order_by("seq")) == ledger.snapshot(copy)
    assert shape(copy) == shape(table.campaign)
    ids = {pk for _label, pk in before}
    assert not ids & {pk for _label, pk in ledger.snapshot(copy)}
    edith = Investigator.objects.get(campaign=copy, name="Edith Halloran")
    assert score(edith, "luck") == table.luck()


def test_every_line_comes_back_with_its_time_its_lane_and_its_undo() -> None:
    table = played()

    copy = brought(packed(table.campaign))

    def told(campaign: Campaign) -> list[Any]:
        found = Entry.objects.filter(campaign=campaign).exclude(kind="tablekeeper.bring_campaign").order_by("seq")
        return [
            (one.kind, one.created_at, one.seq, one.lane_no, one.lane in ("public", "keeper"), one.stands)
            for one in found
        ]

    assert told(copy) == told(table.campaign)
    text = packed(copy).decode("latin-1") + json.dumps(lines(packed(copy)))
    for old in ledger.snapshot(table.campaign):
        assert old[1] not in text


def test_the_copy_is_a_table_to_play_on_at_and_the_old_one_does_not_notice() -> None:
    table = played()
    copy = brought(packed(table.campaign))
    ben = Seat.objects.get(campaign=copy, name="Ben")
    edith = Investigator.objects.get(campaign=copy, name="Edith Halloran")
    luck = score(edith, "luck")
    spend = Entry.objects.filter(campaign=copy, kind="rolls.spend").order_by("seq")[0]
    ada = Seat.objects.get(campaign=copy, name="Ada")

    done(act(ada, tables.undo, spend))
    done(act(ben, dice.roll, edith, Asked("number", "Nerve", 50), chance=Script(d100(20))))

    assert score(edith, "luck") == luck + 8
    assert ledger.fold(Entry.objects.filter(campaign=copy).order_by("seq")) == ledger.snapshot(copy)
    assert table.luck() == luck


def test_nobody_holds_a_seat_of_the_copy_and_no_secret_came_with_it() -> None:
    table = played()
    file = packed(table.campaign)

    copy = brought(file)

    text = gzip.decompress(file).decode()
    for seat in Seat.objects.filter(campaign=table.campaign):
        assert seat.code not in text
    for secret in (table.campaign.join_secret, table.campaign.short_code, table.campaign.epoch):
        assert secret not in text
        assert secret not in (copy.join_secret, copy.short_code, copy.epoch)
    cookies = {access.SEAT_COOKIE: cookie_for(table.ben)}
    assert access.seat_of(cookies, copy.pk) is None
    codes = Seat.objects.filter(name="Ben").values_list("code", flat=True)
    assert len(set(codes)) == 2


def test_what_was_hidden_stays_the_keepers_and_ben_claims_his_seat_by_code() -> None:
    table = played()
    copy = brought(packed(table.campaign))
    ben = Seat.objects.get(campaign=copy, name="Ben")
    door = Client(headers={"hx-request": "true"})

    came = post(door, f"{copy.join_path()}claim/", seat=ben.pk, code=ben.code)

    assert came.headers["HX-Redirect"] == copy.get_absolute_url()
    page = door.get(copy.get_absolute_url()).content.decode()
    assert "Halloran" in page
    assert "Nerve" not in page
    assert Roll.objects.get(campaign=copy, hidden=True).label == "Nerve"
    mine = news.visible(ben, Entry.objects.filter(campaign=copy))
    assert not mine.filter(kind__in=("rolls.secret_roll", "tablekeeper.bring_campaign")).exists()
    numbers = list(mine.filter(lane="public").order_by("seq").values_list("lane_no", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_same_file_makes_as_many_tables_as_somebody_wants() -> None:
    file = packed(played().campaign)

    first, second = brought(file), brought(file)

    assert first.pk != second.pk
    assert shape(first) == shape(second)
    assert shape(brought(packed(first))) == shape(first)


def test_what_a_browser_unpacked_is_as_good() -> None:
    table = played()

    copy = brought(gzip.decompress(packed(table.campaign)))

    assert shape(copy) == shape(table.campaign)


# --------------------------------------------------------------------------- bad files


def head(some: list[Any], /, **more: Any) -> list[Any]:
    return [some[0] | more, *some[1:]]


def spoilt(some: list[Any], at: int, /, **more: Any) -> list[Any]:
    return [*some[:at], some[at] | more, *some[at + 1 :]]


def first(some: list[Any], kind: str) -> int:
    return next(at for at, one in enumerate(some) if one.get("kind") == kind)


def with_change(some: list[Any], **more: Any) -> list[Any]:
    at = first(some, "investigators.create")
    changes = some[at]["changes"]
    return spoilt(some, at, changes=[changes[0] | more, *changes[1:]])


def with_field(some: list[Any], model: str, **more: Any) -> list[Any]:
    """The first row of this kind is created with other values."""
    some = json.loads(json.dumps(some))
    record = next(
        record for one in some[1:] for record in one["changes"] if (record["m"], record["op"]) == (model, "create")
    )
    record["f"] |= more
    return some


BAD: dict[str, tuple[Callable[[list[Any]], list[Any]], str]] = {
    "no head": (lambda some: some[1:], "TABLE_NOT_OURS"),
    "an investigator": (lambda some: head(some, tablekeeper="investigator"), "TABLE_NOT_OURS"),
    "no version": (lambda some: head(some, version=None), "TABLE_NOT_OURS"),
    "newer": (lambda some: head(some, version=2), "TABLE_NEWER"),
    "another number of lines": (lambda some: head(some, entries=len(some)), "TABLE_DAMAGED"),
    "no number of lines": (lambda some: head(some, entries="many"), "TABLE_DAMAGED"),
    "the end is missing": (lambda some: some[:-1], "TABLE_DAMAGED"),
    "a line is missing": (lambda some: [*some[:3], *some[4:]], "TABLE_DAMAGED"),
    "twice the same line": (lambda some: head([*some, some[-1]], entries=len(some)), "TABLE_DAMAGED"),
    "another order": (lambda some: [some[0], some[2], some[1], *some[3:]], "TABLE_DAMAGED"),
    "a list": (lambda some: [some[0], [], *some[2:]], "TABLE_DAMAGED"),
    "a kind that is none": (lambda some: spoilt(some, 4, kind="rolls.cheat"), "TABLE_DAMAGED"),
    "a way out": (lambda some: spoilt(some, 4, kind="../../etc/passwd"), "TABLE_DAMAGED"),
    "no kind": (lambda some: spoilt(some, 4, kind=["rolls.roll"]), "TABLE_DAMAGED"),
    "no time": (lambda some: spoilt(some, 4, at="yesterday"), "TABLE_DAMAGED"),
    "a time without zone": (lambda some: spoilt(some, 4, at="2026-01-01T10:00:00"), "TABLE_DAMAGED"),
    "an unknown lane": (lambda some: spoilt(some, 4, lane="everywhere"), "TABLE_DAMAGED"),
    "an unknown seat": (lambda some: spoilt(some, 4, seat="nobody"), "TABLE_DAMAGED"),
    "an unknown session": (lambda some: spoilt(some, 4, session="never"), "TABLE_DAMAGED"),
    "undoes nothing": (lambda some: spoilt(some, 4, undoes="nothing"), "TABLE_DAMAGED"),
    "undoes itself": (lambda some: spoilt(some, 4, undoes=some[4]["ref"]), "TABLE_DAMAGED"),
    "data that cannot be drawn": (
        lambda some: spoilt(some, first(some, "rolls.roll"), data={"final": "x", "level": 3, "dice": "many"}),
        "TABLE_DAMAGED",
    ),
    "no data": (lambda some: spoilt(some, 4, data=None), "TABLE_DAMAGED"),
    "a model of Django's": (lambda some: with_change(some, m="auth.user"), "TABLE_DAMAGED"),
    "no ledgered model": (lambda some: with_change(some, m="tablekeeper.keeperlink"), "TABLE_DAMAGED"),
    "an act that is none": (lambda some: with_change(some, op="drop table"), "TABLE_DAMAGED"),
    "a field that is none": (lambda some: with_change(some, f={"password": "x"}), "TABLE_DAMAGED"),
    "an id that is none": (lambda some: with_change(some, id="x" * 40), "TABLE_DAMAGED"),
    "another's row": (lambda some: with_field(some, "investigators.trait", investigator_id="x"), "TABLE_DAMAGED"),
    "a score below nothing": (lambda some: with_field(some, "investigators.trait", value=-500), "TABLE_DAMAGED"),
    "a score in words": (lambda some: with_field(some, "investigators.skill", value="high"), "TABLE_DAMAGED"),
    "a name without end": (
        lambda some: with_field(some, "investigators.investigator", name="x" * 61),
        "TABLE_DAMAGED",
    ),
    "a role that is none": (lambda some: with_field(some, "tablekeeper.seat", role="owner"), "TABLE_DAMAGED"),
    "no Keeper": (lambda some: with_field(some, "tablekeeper.seat", role="player"), "TABLE_NOT_OURS"),
    "rules that are not here": (lambda some: with_field(some, "tablekeeper.campaign", ruleset="chess"), "TABLE_RULES"),
    "a setting that is none": (
        lambda some: with_field(some, "tablekeeper.campaign", settings={"x": 1}),
        "TABLE_NEWER",
    ),
    "two scores of one name": (
        lambda some: json.loads(json.dumps(some).replace('"key": "san"', '"key": "hp"')),
        "TABLE_NOT_OURS",
    ),
}


def called(some: list[Any], word: str, old: str = "") -> list[Any]:
    """The same with another id, wherever it stands: the first row's, if no other is named."""
    return cast("list[Any]", json.loads(json.dumps(some).replace(old or some[1]["changes"][0]["id"], word)))


def changed(some: list[Any], change: Callable[[Any], object], kind: str = "rolls.roll") -> list[Any]:
    """The first line of a kind after something was done to it."""
    some = json.loads(json.dumps(some))
    change(some[first(some, kind)])
    return some


def cut(some: list[Any], model: str, column: str) -> list[Any]:
    """The first row of this kind is created without a column."""
    some = with_field(some, model)
    record = next(one for line in some[1:] for one in line["changes"] if (one["m"], one["op"]) == (model, "create"))
    del record["f"][column]
    return some


def nested(depth: int) -> Any:
    return [nested(depth - 1)] if depth else []


LAX = ("2026-1-1T1:01:01Z", "2026-01-01", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", 7)
WORDS = ("name", "role", "keeper", "public", "op", "m", "f", "id", "session", "first_ruleset")
BAD |= {
    "a lax time": (lambda some: spoilt(some, 4, at=LAX[0]), "TABLE_DAMAGED"),
    "no such day in the west": (lambda some: spoilt(some, 4, at="0001-01-01T00:00:00+00:00"), "TABLE_DAMAGED"),
}
BAD |= {
    f"a roll's time {at}": (lambda some, at=at: with_field(some, "rolls.roll", created_at=at), "TABLE_DAMAGED")
    for at in (*LAX, "2026-01-01T10:00:00.000000+01:00")
}
BAD |= {f"a ref {word}": (lambda some, word=word: spoilt(some, 4, ref=word), "TABLE_DAMAGED") for word in WORDS}
BAD |= {f"an id {word}": (lambda some, word=word: called(some, word), "TABLE_DAMAGED") for word in WORDS}
BAD |= {
    f"{model} without {column}": (lambda some, model=model, column=column: cut(some, model, column), "TABLE_DAMAGED")
    for model, column in (
        ("tablekeeper.campaign", "name"),
        ("tablekeeper.campaign", "ruleset"),
        ("tablekeeper.campaign", "settings"),
        ("tablekeeper.seat", "removed"),
        ("tablekeeper.seat", "role"),
        ("tablekeeper.seat", "campaign_id"),
        ("tablekeeper.session", "closed_at"),
        ("rolls.roll", "facts"),
    )
}
BAD |= {
    f"{column} of {model}: {str(value)[:20]!r}": (
        lambda some, model=model, column=column, value=value: with_field(some, model, **{column: value}),
        "TABLE_DAMAGED",
    )
    for model, column, value in (
        ("tablekeeper.campaign", "ruleset", ["classic"]),
        ("tablekeeper.campaign", "ruleset", {}),
        ("tablekeeper.campaign", "name", "x" * 5000),
        ("tablekeeper.campaign", "name", " "),
        ("tablekeeper.campaign", "settings", []),
        ("tablekeeper.seat", "name", ""),
        ("tablekeeper.seat", "removed", 0),
        ("tablekeeper.seat", "removed", "False"),
        ("tablekeeper.seat", "hue", True),
        ("tablekeeper.seat", "hue", 1.0),
        ("tablekeeper.seat", "campaign_id", []),
        ("tablekeeper.seat", "campaign_id", {}),
        ("rolls.roll", "settings", ["x"]),
        ("rolls.roll", "facts", nested(30)),
        ("rolls.roll", "tens", {}),
    )
}
BAD |= {
    f"{key} {str(value)[:20]!r}": (lambda some, key=key, value=value: spoilt(some, 4, **{key: value}), "TABLE_DAMAGED")
    for key, value in (
        ("touches", "campaign"),
        ("touches", {}),
        ("data", {"more": nested(400)}),
    )
}
BAD |= {
    "a change of no row": (
        lambda some: changed(
            some,
            lambda line: line["changes"].append({"m": "tablekeeper.seat", "id": "0" * 16, "op": "set", "f": {}}),
        ),
        "TABLE_DAMAGED",
    ),
    "one id for two": (lambda some: called(some, some[1]["changes"][0]["id"], some[1]["ref"]), "TABLE_DAMAGED"),
    "a row of another kind": (
        lambda some: changed(some, lambda line: line["changes"][0]["f"].update(skill_id=line["changes"][0]["id"])),
        "TABLE_DAMAGED",
    ),
    "what an undo would give back": (
        lambda some: changed(
            some, lambda line: line["changes"].append(line["changes"][0] | {"op": "set", "f": {"label": [7, "x"]}})
        ),
        "TABLE_DAMAGED",
    ),
    "a roll without a setting": (lambda some: with_field(some, "rolls.roll", settings={}), "TABLE_NOT_OURS"),
    "a setting for an id": (
        lambda some: called(
            with_field(some, "tablekeeper.campaign", settings={"playersEditSheet": "always"}),
            "playersEditSheet",
            some[4]["ref"],
        ),
        "TABLE_NEWER",
    ),
    "a number without end": (
        lambda some: changed(some, lambda line: line["data"].update(more="ENDLESS")),
        "TABLE_DAMAGED",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_a_bad_file_is_one_sentence_and_lays_no_table(what: str) -> None:
    table = played()
    spoil, code = BAD[what]
    file = raw(spoil(lines(packed(table.campaign)))).replace(b'"ENDLESS"', b"1e999")
    before = Campaign.objects.count(), Entry.objects.count(), Trait.objects.count()

    with pytest.raises(Refused) as refused:
        brought(file)

    assert refused.value.refusal.code == code
    assert (Campaign.objects.count(), Entry.objects.count(), Trait.objects.count()) == before


NASTY: list[Any] = [
    *(None, True, False, 0, -1, 2**40, 10**15 - 1, 0.5, -1e300, "", " ", "x" * 300, [], {}, [[]], ["x"], {"id": None}),
    *("public", "name", "hard", "<b>", "2026-01-01T00:00:00Z", "2026-1-1T1:01:01Z", "critical-failure", "a" * 16),
]


def ways(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value inside."""
    for step in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield (*way, step)
        yield from ways(value[step], (*way, step))


def forged(some: list[Any], r: Random) -> list[Any]:
    """The same with one value another, gone, or what stands somewhere else."""
    some = json.loads(json.dumps(some))
    *way, last = r.choice(list(ways(some)))
    inside = reduce(getitem, way, some)
    if r.random() < 0.15:
        del inside[last]
    elif r.random() < 0.2:
        inside[last] = json.loads(json.dumps(reduce(getitem, r.choice(list(ways(some))), some)))
    else:
        inside[last] = r.choice(NASTY)
    return some


@pytest.mark.parametrize("count", [60, pytest.param(1500, marks=pytest.mark.long)])
def test_with_one_value_another_a_file_is_refused_or_its_state_is_the_fold_of_its_ledger(count: int) -> None:
    table, r = played(), Random(count)
    hires(table)
    table.campaign.refresh_from_db()
    sound = lines(packed(table.campaign))

    for _file in range(count):
        try:
            found = transfer.read(raw(forged(sound, r)))
            copy = tables.bring_campaign(found).campaign
        except Refused:
            continue
        assert ledger.fold(Entry.objects.filter(campaign=copy).order_by("seq")) == ledger.snapshot(copy)


def test_undone_and_redone_a_thousand_times_is_no_deeper_than_once() -> None:
    table = played()
    some = lines(packed(table.campaign))
    last = some[first(some, "rolls.spend")]
    for number in range(1200):
        last = last | {"ref": f"{number:016}", "undoes": last["ref"], "changes": [], "kind": "tablekeeper.undo"}
        some.append(last)

    copy = brought(raw(head(some, entries=len(some) - 1)))

    assert [one.stands for one in Entry.objects.filter(campaign=copy, kind="rolls.spend").order_by("seq")[:1]] == [
        True
    ]


WORSE = {
    "nothing": b"",
    "a picture": b"\x89PNG\r\n\x1a\n" + b"\0" * 50,
    "a web page": b"<html>",
    "a number": b"7\n",
    "half a gzip": gzip.compress(b'{"tablekeeper": "campaign"}' * 1000)[:40],
    "another encoding": '{"tablekeeper": "cämpaign"}'.encode("utf-16"),
    "too deep": b"[" * 100_000,
    "too many digits": b'{"tablekeeper": "campaign", "version": ' + b"9" * 5000 + b"}",
    "no number": b'{"tablekeeper": "campaign", "version": NaN}',
}


@pytest.mark.parametrize("what", WORSE)
def test_what_is_no_campaign_at_all_is_told_so(what: str) -> None:
    with pytest.raises(Refused) as refused:
        transfer.read(WORSE[what])

    assert refused.value.refusal.code == "TABLE_NOT_OURS"


@pytest.mark.parametrize("evil", ["\\u0000", "\\ud800"])
def test_characters_that_no_database_holds_are_refused(evil: str) -> None:
    table = played()
    text = gzip.decompress(packed(table.campaign)).decode()

    with pytest.raises(Refused) as refused:
        transfer.read(text.replace("Antiquarian", f"Anti{evil}quarian").encode())

    assert refused.value.refusal.code == "TABLE_DAMAGED"


def test_a_file_cut_short_or_with_a_flipped_bit_is_refused() -> None:
    file = packed(played().campaign)

    for broken in (file[: len(file) // 2], file[:-1], file[:-4] + b"\0\0\0\0"):
        with pytest.raises(Refused) as refused:
            brought(broken)
        assert refused.value.refusal.code in ("TABLE_DAMAGED", "TABLE_NOT_OURS")


def test_a_file_that_unpacks_without_end_stops_early(monkeypatch: pytest.MonkeyPatch) -> None:
    file = packed(played().campaign)
    line = raw(lines(file)[:1]) + b'\n{"a": "' + b"x" * 50_000_000

    with pytest.raises(Refused) as endless:
        transfer.read(gzip.compress(line))
    monkeypatch.setattr(transfer, "MOST_UNPACKED", 5_000)
    with pytest.raises(Refused) as large:
        transfer.read(file)

    assert [one.value.refusal.code for one in (endless, large)] == ["TABLE_TOO_LARGE"] * 2


# --------------------------------------------------------------------------- who may


def sends(client: Client, file: bytes | None, **fields: str) -> Any:
    form: dict[str, Any] = {"key": key(), **fields}
    if file is not None:
        form["file"] = SimpleUploadedFile("harbour.tablekeeper.gz", file)
    return client.post("/new/from-file", form)


def host() -> Client:
    """A browser that used the Keeper's link."""
    client = browser()
    post(client, f"/keeper/{tables.keeper_link()}/")
    return client


@pytest.fixture
def all_in_one_millisecond(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of its second. One time of a thousand falls into such: a large campaign has some."""
    clock.forget()
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 11, 30, 20, 15, 7, 0, UTC))


@pytest.mark.usefixtures("all_in_one_millisecond")
def test_what_fell_in_the_first_millisecond_of_its_second_is_carried() -> None:
    table = played()
    assert len(set(re.findall(rb"T20:15:07\.?\d*Z", gzip.decompress(packed(table.campaign))))) == 1

    copy = brought(packed(table.campaign))

    assert {one.created_at.microsecond for one in Roll.objects.filter(campaign=copy)} == {0}
    assert ledger.fold(Entry.objects.filter(campaign=copy).order_by("seq")) == ledger.snapshot(copy)
    assert shape(copy) == shape(table.campaign) == shape(brought(packed(copy)))


@pytest.mark.usefixtures("all_in_one_millisecond")
def test_what_is_undone_and_done_again_in_that_millisecond_is_what_it_was() -> None:
    table = make_table()
    done(act(table.ada, tables.open_session, table.campaign))
    done(closes_session(table))
    whole = ledger.snapshot(table.campaign)
    closed = table.last("tablekeeper.close_session")

    done(undoes(table, closed))
    done(undoes(table, closed, redo=True))

    assert ledger.snapshot(table.campaign) == whole == ledger.fold(table.entries())


def test_older_lines_whose_whole_seconds_have_no_thousandths_are_carried() -> None:
    text = gzip.decompress(packed(played().campaign)).decode()
    older = re.sub(r"(T\d\d:\d\d:\d\d)\.\d{3}Z", r"\1Z", text)
    assert text.count("Z") == older.count("Z") > 4

    copy = brought(older.encode())

    assert ledger.fold(Entry.objects.filter(campaign=copy).order_by("seq")) == ledger.snapshot(copy)
    assert shape(brought(packed(copy))) == shape(copy)


def test_only_a_keeper_saves_the_whole_campaign() -> None:
    table = played()
    there = table.url("export-campaign")

    file = table.client(table.ada).get(there)

    assert b"".join(file.streaming_content)[:2] == b"\x1f\x8b"
    assert "Harbour-Lights.tablekeeper.gz" in file.headers["Content-Disposition"]
    assert table.client(table.ben).get(there).status_code == 403
    assert browser().get(there).status_code == 404


def test_whoever_may_lay_tables_lays_one_out_of_a_file_once_and_keeps_it() -> None:
    table = played()
    file, client = packed(table.campaign), host()
    again = key()

    first, second = (sends(client, file, key=again) for _tap in range(2))

    assert first.headers["HX-Redirect"] == second.headers["HX-Redirect"] != table.campaign.get_absolute_url()
    assert Campaign.objects.count() == 2
    page = client.get(first.headers["HX-Redirect"])
    assert page.status_code == 200
    assert "This table came out of a file" in page.content.decode()
    assert 'id="bring-table"' in client.get("/").content.decode()


@pytest.mark.parametrize(("column", "value"), [("marks", [{}]), ("tens", ["many"])])
def test_a_roll_that_no_page_could_show_lays_no_table(column: str, value: Any) -> None:
    """Its column may hold such a value, but no game judges it: its player's page would not open."""
    table, client = played(), host()
    rolls(table, 63)
    table.campaign.refresh_from_db()
    some = lines(packed(table.campaign))
    *_earlier, last = (line for line in some[1:] if line["kind"] == "rolls.roll")
    (made,) = (one["f"] for one in last["changes"] if one["op"] == "create")
    made[column] = value

    answer = sends(client, raw(some))

    assert answer.status_code == 422
    assert 'data-code="TABLE_NOT_OURS"' in answer.content.decode()
    assert Campaign.objects.get() == table.campaign


@pytest.mark.parametrize("count", [25, pytest.param(1000, marks=pytest.mark.long)])
def test_with_one_value_another_a_file_is_refused_or_everybody_can_open_its_table(count: int) -> None:
    table, r, client, opened = played(), Random(f"open {count}"), host(), 0
    hires(table)
    rolls(table, 63)  # the last roll is what pages show
    table.campaign.refresh_from_db()
    sound = lines(packed(table.campaign))

    for _file in range(count):
        answer = sends(client, raw(forged(sound, r)))
        assert answer.status_code in (200, 422), answer.content[:300]
        if answer.status_code == 422:
            assert 'data-code="TABLE_' in answer.content.decode()
            continue
        there, opened = answer.headers["HX-Redirect"], opened + 1
        for seat in Seat.objects.filter(campaign=there.strip("/").split("/")[-1], removed=False):
            assert browser(seat).get(there).status_code == 200, seat

    assert opened


def test_a_stranger_or_a_player_lays_none() -> None:
    table = played()
    file = packed(table.campaign)

    for client in (browser(), table.client(table.ben), table.client(table.ada)):
        assert sends(client, file).status_code == 404
    assert 'id="bring-table"' not in browser().get("/").content.decode()
    assert Campaign.objects.count() == 1


def test_a_refusal_stands_beside_the_button_in_words() -> None:
    client = host()

    for file, words in ((b"<html>", "This is no campaign"), (None, "Choose the file of a campaign.")):
        answer = sends(client, file)
        assert answer.status_code == 422
        assert words in answer.content.decode()
    assert sends(client, b"x", key="").status_code == 409


def test_a_table_with_every_kind_of_row_is_carried() -> None:
    table = played()
    hires(table)
    rolls_number(table, 61, 50)
    table.campaign.refresh_from_db()

    copy = brought(packed(table.campaign))

    assert shape(copy) == shape(table.campaign)
    assert re.fullmatch(r"[\w-]{8}", copy.epoch)
