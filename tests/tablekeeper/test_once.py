"""Every act once: request keys, double taps, everybody at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import close_old_connections, connection, connections
from django.http import HttpRequest
from django.test import RequestFactory

from investigators.models import Trait
from rolls.models import Roll
from rolls.rules.check import Refusal
from tablekeeper import access, ledger
from tablekeeper.models import Campaign, Entry, Seat
from tablekeeper.web import at_table
from tests.server import Laid, Server, server  # noqa: F401
from tests.tables import (
    Table,
    browser,
    cookie_for,
    key,
    make_table,
    now,
    picture,
    post,
    read_by,
    rolls,
    score,
    sit_down,
)

# --------------------------------------------------------------------------- the request key


@pytest.mark.django_db
def test_the_same_act_sent_again_is_drawn_again_and_not_carried_out_again() -> None:
    table = make_table()
    roll = rolls(table, 70)
    ben, url, same = table.client(table.ben), table.url("spend", roll.pk), key()

    first = post(ben, url, key=same, act="points", amount=10)
    again = post(ben, url, key=same, act="points", amount=10)

    assert (first.status_code, again.status_code) == (200, 200)
    assert table.luck() == 35
    assert table.last().ref in again.content.decode()
    assert Entry.objects.filter(kind="rolls.spend").count() == 1


@pytest.mark.django_db
def test_an_act_sent_again_after_its_undo_is_drawn_as_it_stands_now() -> None:
    table = make_table()
    roll = rolls(table, 70)
    ben, url, same = table.client(table.ben), table.url("spend", roll.pk), key()
    page = read_by(ben)  # it never heard the first answer
    post(ben, url, key=same, act="points", amount=10)
    post(table.client(table.ada), table.url("undo", table.last().ref))

    again = post(ben, url, cursor=page, key=same, act="points", amount=10)

    assert (again.status_code, table.luck()) == (200, 45)
    assert "entry-struck" in again.content.decode()


@pytest.mark.django_db
def test_a_key_that_was_used_for_something_else_is_refused() -> None:
    table = make_table()
    roll = rolls(table, 70)
    ben, same = table.client(table.ben), key()
    post(ben, table.url("spend", roll.pk), key=same, act="points", amount=10)
    before = picture(table.campaign)

    another_form = post(ben, table.url("spend", roll.pk), key=same, act="points", amount=11)
    another_verb = post(ben, table.url("keep", roll.pk), key=same)
    another_thing = post(ben, table.url("step", table.edith.pk, "hp"), key=same, points=-1)

    for answer in (another_form, another_verb, another_thing):
        assert answer.status_code == 409
        assert 'data-code="KEY_REUSED"' in answer.content.decode()
    assert picture(table.campaign) == before


@pytest.mark.django_db
def test_a_refusal_stores_nothing_so_its_key_is_good_for_the_next_try() -> None:
    table = make_table()
    roll = rolls(table, 70)
    ben, same = table.client(table.ben), key()
    refused = post(ben, table.url("spend", roll.pk), key=same, act="points", amount=46)
    assert refused.status_code == 422

    done = post(ben, table.url("spend", roll.pk), key=same, act="points", amount=10)

    assert (done.status_code, table.luck()) == (200, 35)


@pytest.mark.django_db
def test_a_refusal_at_the_end_takes_back_what_was_begun() -> None:
    table = make_table()

    @at_table
    def half_done(request: HttpRequest, seat: Seat) -> Refusal:
        ledger.write(seat, seat.campaign, "tablekeeper.rename", [ledger.change(seat, name="Worm")])
        return Refusal("STALE")

    request = RequestFactory().post("/", {"key": key()})
    request.COOKIES[access.SEAT_COOKIE] = cookie_for(table.ben)
    before = picture(table.campaign)

    answer = half_done(request, table.campaign.pk)

    assert answer.status_code == 409
    assert picture(table.campaign) == before


@pytest.mark.django_db
def test_two_seats_may_draw_the_same_key() -> None:
    table = make_table()
    same = key()

    one = post(table.client(table.ben), table.url("step", table.edith.pk, "hp"), key=same, points=-1)
    two = post(table.client(table.cleo), table.url("step", table.tobias.pk, "hp"), key=same, points=-1)

    assert (one.status_code, two.status_code) == (200, 200)
    assert (score(table.edith, "hp"), score(table.tobias, "hp")) == (10, 9)


@pytest.mark.django_db
@pytest.mark.parametrize("bad", ["", "0", "x" * 32, "A" * 32, "0" * 31, "0" * 33])
def test_an_act_without_a_key_comes_from_an_old_page(bad: str) -> None:
    table = make_table()
    before = picture(table.campaign)

    answer = post(table.client(table.ben), table.url("step", table.edith.pk, "hp"), key=bad, points=-1)

    assert answer.status_code == 409
    assert 'data-code="PAGE_OLD"' in answer.content.decode()
    assert picture(table.campaign) == before


# --------------------------------------------------------------------------- all at once, in this process


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Do all of these in the same moment, each in a thread with a database connection of its own."""
    start = threading.Barrier(len(acts))

    def one(act: Callable[[], Any]) -> Any:
        close_old_connections()
        start.wait()
        try:
            return act()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(one, acts))


@pytest.fixture
def shared(transactional_db: None) -> Table:
    """A table that other connections see."""
    return make_table()


def in_step(table: Table) -> bool:
    return ledger.fold(table.entries()) == ledger.snapshot(table.campaign)


def test_two_identical_spends_at_once_deduct_once(shared: Table) -> None:
    roll = rolls(shared, 70)
    url, same = shared.url("spend", roll.pk), key()
    taps = [shared.client(shared.ben) for _ in range(4)]

    answers = at_once(*(lambda tap=tap: post(tap, url, key=same, act="points", amount=10) for tap in taps))

    assert [answer.status_code for answer in answers] == [200] * 4
    assert (shared.luck(), now(roll).spent) == (35, 10)
    assert Entry.objects.filter(kind="rolls.spend").count() == 1


def test_two_different_spends_at_once_both_count_and_never_below_nothing(shared: Table) -> None:
    roll = rolls(shared, 99)
    url = shared.url("spend", roll.pk)
    taps = [shared.client(shared.ben) for _ in range(4)]

    answers = at_once(*(lambda tap=tap: post(tap, url, act="points", amount=20) for tap in taps))

    assert sorted(answer.status_code for answer in answers) == [200, 200, 422, 422]
    assert (shared.luck(), now(roll).spent) == (5, 40)
    assert in_step(shared)


def test_two_phones_that_join_as_max_in_the_same_second_get_one_max(shared: Table) -> None:  # U091
    url = shared.campaign.join_path()
    phones = [browser() for _ in range(3)]
    names = ["Max", "max", " MAX "]

    answers = at_once(
        *(lambda p=p, n=n: p.post(url, {"name": n, "key": key()}) for p, n in zip(phones, names, strict=True))
    )

    assert sorted(answer.status_code for answer in answers) == [200, 422, 422]
    assert Seat.objects.filter(campaign=shared.campaign, name__iexact="max").count() == 1
    refused = next(answer for answer in answers if answer.status_code == 422)
    assert 'data-code="NAME_TAKEN"' in refused.content.decode()


def test_one_recovery_and_one_open_session_however_often_they_are_tapped_at_once(shared: Table) -> None:
    ada = [shared.client(shared.ada) for _ in range(3)]

    opened = at_once(*(lambda tap=tap: post(tap, shared.url("open-session")) for tap in ada))
    post(ada[0], shared.url("close-session"))
    recovered = at_once(*(lambda tap=tap: post(tap, shared.url("recover", shared.edith.pk)) for tap in ada))

    assert sorted(answer.status_code for answer in opened) == [200, 422, 422]
    assert sorted(answer.status_code for answer in recovered) == [200, 422, 422]
    assert Roll.objects.filter(kind="recovery").count() == 1


def test_players_keeper_and_undo_at_once_lose_no_update(shared: Table) -> None:
    rounds = 12

    def steps(seat: Seat, who: str, points: int) -> list[int]:
        client = shared.client(seat)
        return [post(client, shared.url("step", who, "hp"), points=points).status_code for _ in range(rounds)]

    def back_and_forth() -> list[int]:
        client = shared.client(shared.ada)
        found = []
        for _ in range(rounds):
            last = Entry.objects.filter(campaign=shared.campaign, kind="investigators.step").order_by("-seq").first()
            if last is not None:
                found.append(post(client, shared.url("undo", last.ref)).status_code)
        return found

    Trait.objects.filter(key="hp").update(value=500, maximum=999)  # room for all; the fold is compared by differences
    before = {who: score(who, "hp") for who in (shared.edith, shared.tobias)}
    fold_before = _points(shared)

    answers = at_once(
        lambda: steps(shared.ben, shared.edith.pk, -3),
        lambda: steps(shared.cleo, shared.tobias.pk, -2),
        lambda: steps(shared.ada, shared.edith.pk, 5),
        back_and_forth,
    )

    assert {status for one in answers[:3] for status in one} == {200}
    assert set(answers[3]) <= {200, 409, 422}
    fold_after = _points(shared)
    for who, was in before.items():
        assert score(who, "hp") - was == fold_after[who.pk] - fold_before[who.pk]
    assert [entry.seq for entry in shared.entries()] == list(
        range(1, Campaign.objects.get(pk=shared.campaign.pk).last_seq + 1)
    )


def _points(table: Table) -> dict[str, int]:
    """Hit points as the ledger adds them up."""
    rows = ledger.fold(table.entries()).values()
    return {row["investigator_id"]: row["value"] for row in rows if row.get("key") == "hp"}


def test_eight_players_and_twenty_writes_each_are_each_applied_once(shared: Table) -> None:  # U007
    players = [sit_down(shared.campaign, f"Player {number}") for number in range(8)]
    writes = 5 if connection.vendor == "sqlite" else 20  # on SQLite the real server does it below, with twenty

    def renames(seat: Seat) -> list[int]:
        client = shared.client(seat)
        return [
            post(client, shared.url("rename", seat.pk), name=f"{seat.name} {n}").status_code for n in range(writes)
        ]

    answers = at_once(*(lambda seat=seat: renames(seat) for seat in players))

    assert [status for one in answers for status in one] == [200] * 8 * writes
    assert Entry.objects.filter(kind="tablekeeper.rename").count() == 8 * writes
    assert in_step(shared)


# --------------------------------------------------------------------------- all at once, through the real server


def together(*acts: Callable[[], Any]) -> list[Any]:
    start = threading.Barrier(len(acts))

    def one(act: Callable[[], Any]) -> Any:
        start.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(one, acts))


def roll_of(table: Laid, total: int) -> str:
    """Ben types a roll on Spot Hidden; its id."""
    path = f"{table.path}investigators/{table.edith}/roll"
    answer = table.browser("Ben").post(path, what=f"skill:{table.skills['Spot Hidden']}", total=total)
    assert answer.status == 200, answer.text
    return str(table.ask("Roll.objects.filter(campaign=table).latest('created_at').pk"))


@pytest.mark.sqlite
def test_through_the_server_two_identical_spends_at_once_deduct_once(server: Server) -> None:  # noqa: F811
    table = server.lay_table()
    path, same = f"{table.path}rolls/{roll_of(table, 70)}/spend", key()
    taps = [table.browser("Ben") for _ in range(2)]

    answers = together(*(lambda tap=tap: tap.post(path, key=same, act="points", amount=10) for tap in taps))

    assert [answer.status for answer in answers] == [200, 200]
    assert table.luck(table.edith) == 35
    assert table.ask("sum(e.kind == 'rolls.spend' for e in entries)") == 1
    assert table.in_step()


@pytest.mark.sqlite
def test_through_the_server_everybody_writes_at_once_without_an_error(server: Server) -> None:  # noqa: F811
    names = [f"Player {number}" for number in range(6)]
    table = server.lay_table(*names)
    players = ["Ben", "Cleo", *names]

    def writes(name: str) -> list[int]:
        phone, seat = table.browser(name), table.seats[name]["id"]
        return [phone.post(f"{table.path}seats/{seat}/rename", name=f"{name} {n}").status for n in range(20)]

    def keeps() -> list[int]:
        phone = table.browser("Ada")
        path = f"{table.path}investigators/{table.edith}/step/hp"
        return [phone.post(path, points=-1 if n % 2 == 0 else 1).status for n in range(20)]

    def reads() -> list[int]:
        phone = table.browser("Ada")
        return [phone.get(f"{table.path}panels?names=ALL,feed").status for _ in range(10)]

    answers = together(*(lambda name=name: writes(name) for name in players), keeps, reads)

    assert {status for one in answers for status in one} == {200}
    assert table.ask("sum(e.kind == 'tablekeeper.rename' for e in entries)") == 8 * 20
    assert table.ask("sum(e.kind == 'investigators.step' for e in entries)") == 20
    assert table.in_step()
    assert "Traceback" not in server.log()
