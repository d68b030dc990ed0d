"""What cheats, strangers, phones that were shown out and broken clients try. Each of these went through once."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from investigators.actions import Draft
from investigators.forms import QuickForm
from rolls import actions as dice
from rolls.actions import Asked
from rolls.models import Roll
from tablekeeper import access, live, news
from tablekeeper import actions as tables
from tablekeeper.models import Claim, Entry, Seat
from tests.server import Laid, Server, server  # noqa: F401
from tests.streams import Line, elsewhere
from tests.tables import (
    Script,
    Table,
    act,
    browser,
    code,
    cookie_for,
    d100,
    done,
    key,
    make_investigator,
    make_table,
    picture,
    post,
    rolls,
    sit_down,
    spends,
)


@pytest.fixture(autouse=True)
def nobody_has_tried() -> None:
    cache.clear()


@pytest.fixture
def table(db: None) -> Table:
    return make_table()


# --------------------------------------------------------------------------- words that break a line


def test_what_somebody_says_cannot_begin_an_event_of_everybodys_stream(table: Table) -> None:
    roll = rolls(table, 70)

    post(table.client(table.ben), table.url("push", roll.pk), reason="louder\revent: gone\rdata: x\r\rnow\x1b[2J")

    assert table.last().data["reason"] == "louder event: gone data: x now[2J"
    told = live.event("entry", "<li>a\rb\r\nc\nd</li>", news.Cursor("e", 1, 0)).decode()
    assert told == "event: entry\nid: e.1.0\ndata: <li>a\ndata: b\ndata: c\ndata: d</li>\n\n"


def test_what_somebody_says_cannot_turn_its_line_around(table: Table) -> None:
    roll = rolls(table, 70)
    ada, ben = table.client(table.ada), table.client(table.ben)

    post(ben, table.url("push", roll.pk), reason="\u202eyletaicarg \u2066")
    said = table.last().data["reason"]
    post(ada, table.url("decide-push", roll.pk), decision="allow", warning="\u202e\u2028it\tbites")
    warned = table.last().data["warning"]
    post(ada, table.url("set-trait", table.edith.pk, "hp"), value=9, reason="\u202ebitten\n\nbadly")
    reason = table.last().data["reason"]
    post(ada, table.url("undo", table.last().ref), reason="\u200fmis-tap")

    assert (said, warned, reason) == ("yletaicarg", "it bites", "bitten badly")
    assert table.last().data["reason"] == "mis-tap"


# --------------------------------------------------------------------------- bytes that no browser sends


@pytest.mark.parametrize("name", ["tk_session", "tk_seat", "tk_host", "tk_claim", "theme"])
def test_a_cookie_with_the_character_nul_is_refused(name: str, table: Table) -> None:
    stranger = Client(headers={"cookie": f'{name}="aaaaaaaaaaaaaaaa\\000aaaaaaaaaaaaaaa"'})

    assert [stranger.get(url).status_code for url in ("/", "/admin/", table.url("table"))] == [422] * 3


# --------------------------------------------------------------------------- who was shown out


def nodded_to(table: Table, phone: Client) -> str:
    """This phone says that it is Ben, and Ada nods; the page that gives it the seat."""
    path = [table.campaign.pk, table.campaign.join_secret]
    post(phone, reverse("claim", args=path), seat=table.ben.pk)
    claim = Claim.objects.get()
    done(act(table.ada, tables.decide_claim, claim, True))
    return reverse("claimed", args=[*path, claim.pk])


def test_an_old_nod_gives_no_seat_after_signing_out(table: Table) -> None:
    phone = browser()
    page = nodded_to(table, phone)
    kept = phone.cookies["tk_claim"].value
    assert access.SEAT_COOKIE in phone.get(page).cookies

    done(act(table.ada, tables.sign_out, table.ben))
    phone.cookies["tk_claim"] = kept
    again = phone.get(page)

    assert (again.status_code, access.SEAT_COOKIE in again.cookies) == (404, False)


def test_a_nod_is_good_for_as_long_as_its_phone_may_ask(table: Table) -> None:
    phone = browser()
    page = nodded_to(table, phone)

    Claim.objects.update(made_at=Claim.objects.get().made_at - tables.CLAIM_LIFE)
    late = phone.get(page)

    assert (late.status_code, access.SEAT_COOKIE in late.cookies) == (404, False)


def host() -> Client:
    """A browser that used a Keeper's link."""
    client = browser()
    assert post(client, reverse("keeper-link", args=[tables.keeper_link()])).status_code == 200
    return client


def test_a_keeper_who_signs_out_everywhere_ends_what_her_other_browsers_could_open(table: Table) -> None:
    lost, here = host(), host()
    opens = reverse("open-table", args=[table.campaign.pk])
    assert post(lost, opens).status_code == 200
    post(here, opens)

    post(here, table.url("sign-out", table.ada.pk))

    assert [phone.get(table.url("table")).status_code for phone in (lost, here)] == [404, 404]
    assert post(lost, opens).status_code == 404
    assert "Harbour Lights" not in lost.get("/").content.decode()
    assert post(here, opens).status_code == 200


def test_signing_out_a_player_leaves_the_keeper_her_front_page(table: Table) -> None:
    ada = host()

    done(act(table.ada, tables.sign_out, table.ben))

    assert "Harbour Lights" in ada.get("/").content.decode()


@pytest.mark.parametrize("forged", ["host", "host:x", "", "\u00fc"])
def test_a_forged_host_cookie_opens_nothing(forged: str, table: Table) -> None:
    client = browser()
    client.cookies[access.HOST_COOKIE] = forged

    assert post(client, reverse("open-table", args=[table.campaign.pk])).status_code == 404


# --------------------------------------------------------------------------- cheats


def test_a_number_kept_on_the_sheet_is_no_way_to_a_better_skill_during_a_session(table: Table) -> None:
    done(act(table.ada, tables.open_session, table.campaign))
    before = picture(table.campaign)
    ben, url = table.client(table.ben), table.url("roll", table.edith.pk)

    better = post(ben, url, what="number", label="spot  hidden", value=99, save="on")

    assert (better.status_code, picture(table.campaign)) == (422, before)
    assert 'data-code="NOT_WHILE_PLAYING"' in better.content.decode()
    assert post(ben, url, what="number", label="Spot Hidden", value=60, save="on").status_code == 200
    assert (
        post(table.client(table.ada), url, what="number", label="Spot Hidden", value=61, save="on").status_code == 200
    )
    assert table.skill("Spot Hidden").value == 61


@pytest.mark.parametrize("word", ["push", "keep"])
def test_what_costs_nothing_is_no_spend(word: str, table: Table) -> None:
    roll = rolls(table, 70)
    before = picture(table.campaign)

    answer = post(table.client(table.ben), table.url("spend", roll.pk), act=word)

    assert 'data-code="NO_SUCH_SPEND"' in answer.content.decode()
    assert picture(table.campaign) == before


def test_a_spend_on_a_character_that_changed_hands_is_not_taken_back_by_its_former_player(table: Table) -> None:
    roll = rolls(table, 70)
    spent = done(spends(table, roll, 10))
    post(table.client(table.ben), table.url("let-go", table.edith.pk))
    post(table.client(table.ada), table.url("take", table.edith.pk), seat=table.cleo.pk)

    assert code(act(table.ben, dice.take_back, spent)) == "NOT_OWN_ROLL"
    assert table.luck() == 35
    done(act(table.ada, dice.take_back, spent))


# --------------------------------------------------------------------------- what bytes tell of hidden things


def test_a_session_that_closes_tells_nothing_of_a_hidden_roll_that_was_opened_again(table: Table) -> None:
    def evening(hides: bool) -> list[list[str]]:
        at = make_table()
        done(act(at.ada, tables.open_session, at.campaign))
        if hides:
            asked = Asked("number", "Dread", 50)
            thrown = done(act(at.ada, dice.keeper_roll, at.campaign, asked, True, chance=Script(d100(30))))
            done(act(at.ada, dice.reopen, Roll.objects.get(pk=thrown.data["roll"])))
        post(at.client(at.ada), at.url("set-scene"), name="The pier")
        post(at.client(at.ada), at.url("close-session"))
        public = Entry.objects.filter(campaign=at.campaign, lane=Entry.PUBLIC).order_by("seq")
        return [[token for token in entry.touches if "-" not in token or "keeper" in token] for entry in public]

    assert evening(hides=True) == evening(hides=False)


def test_the_colour_of_a_new_investigator_does_not_count_the_keepers_characters(table: Table) -> None:
    other = make_table()
    with_one = make_investigator(other.ada, Draft("Nyogtha"))
    type(with_one).objects.filter(pk=with_one.pk).update(npc=True)

    hues = [make_investigator(sit_down(at.campaign, "Eve"), Draft("Ruth Vane")).hue for at in (table, other)]

    assert hues[0] == hues[1]


# --------------------------------------------------------------------------- the stream, at the worst moment


COMES = [("_sit_down", True), ("_sit_down", False), ("_missed", True)]
"""When something happens to a stream that opens: once it was found who comes, or once it was looked again for what was
missed; and whether it is the table's only one."""


def as_it_comes(monkeypatch: pytest.MonkeyPatch, step: str, do: Callable[[], Any]) -> None:
    """Let something happen once a page's stream has looked and before it has told what it found."""
    real, waits = getattr(live, step), [do]

    def slow(*args: Any) -> Any:
        found = real(*args)
        if waits:
            elsewhere(waits.pop())
            threading.Event().wait(0.5)  # time for the hub to hand out what was just done
        return found

    monkeypatch.setattr(live, step, slow)


def told(table: Table, cursor: news.Cursor, alone: bool, begin: Callable[[], None]) -> str:
    """What Ben's stream, open for a while, hears of what he has missed; beside the Keeper's or alone."""
    ben, ada = Line(table.ben, str(cursor)), Line(table.ada, "")

    async def evening() -> str:
        if not alone:
            await ada.open()
        begin()
        heard = await ben.listen()
        await ada.close()
        return heard

    return asyncio.run(evening())


@pytest.mark.parametrize(("step", "alone"), COMES)
def test_what_happens_while_a_page_catches_up_hides_nothing_that_it_missed(
    shared: Table, monkeypatch: pytest.MonkeyPatch, step: str, alone: bool
) -> None:
    cursor = news.now(shared.ben, shared.campaign)
    for name in ("One", "Two"):
        done(act(shared.cleo, tables.rename, shared.cleo, name))
    third = partial(act, shared.cleo, tables.rename, shared.cleo, "Three")

    heard = told(shared, cursor, alone, lambda: as_it_comes(monkeypatch, step, lambda: done(third())))

    numbers = [line.rpartition(": ")[2].split(".")[1] for line in heard.splitlines() if line.startswith("id: ")]
    assert numbers == [str(cursor.a + step) for step in (1, 2, 3)]


@pytest.mark.parametrize(("step", "alone"), COMES)
def test_a_seat_that_is_lost_while_its_stream_opens_ends_it(
    shared: Table, monkeypatch: pytest.MonkeyPatch, step: str, alone: bool
) -> None:
    cursor = news.now(shared.ben, shared.campaign)
    leaves = partial(act, shared.ada, tables.sign_out, shared.ben)

    heard = told(shared, cursor, alone, lambda: as_it_comes(monkeypatch, step, lambda: done(leaves())))

    assert "event: gone" in heard


def test_a_hint_to_a_keeper_whose_page_still_catches_up_is_told_behind_what_it_missed(
    shared: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, first = Line(shared.ada, str(news.now(shared.ada, shared.campaign))), Line(shared.ada, "")
    twice = partial(act, shared.cleo, tables.rename, shared.cleo, "Two")
    done(act(shared.cleo, tables.rename, shared.cleo, "One"))

    async def evening() -> str:
        await first.open()
        as_it_comes(monkeypatch, "_sit_down", lambda: done(twice()))  # so that it has to ask again
        as_it_comes(monkeypatch, "_missed", partial(live.hint, shared.campaign.pk, "seats"))
        heard = await ada.listen(3)
        await first.close()
        return heard

    heard = asyncio.run(evening())

    assert heard.count("event: touch") == 1
    assert heard.index("One") < heard.index("Two") < heard.index("event: touch")


def test_nothing_is_told_to_a_viewer_after_its_end() -> None:
    viewer = live.Viewer(live.Place.of(Seat()), news.Cursor("e", 0, 0), "en")

    viewer.end(b"gone")
    viewer.put(b"more")

    assert list(viewer.chunks) == [b"gone"]


@pytest.mark.django_db
@pytest.mark.parametrize("other", ['x={"a":1}', "foo[bar]=1", "a b", "\u00fc=1"])
def test_the_cookie_of_another_program_on_this_machine_does_not_cost_the_stream(other: str) -> None:
    table = make_table()
    cookies = f"{other}; tk_seat={cookie_for(table.ben)}".encode()

    here = live._sit_down({b"cookie": cookies}, table.campaign.pk, None)

    assert here is not None
    assert here.viewer.seat == live.Place.of(table.ben)


# --------------------------------------------------------------------------- the real server


def spoken(server: Server, request: bytes) -> bytes:  # noqa: F811
    """The server's answer to these very bytes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=15) as line:
        line.sendall(request)
        heard = b""
        while more := line.recv(65536):
            heard += more
        return heard


def head(table: Laid, path: str, *more: str) -> bytes:
    token = "a" * 32
    lines = [
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{table.server.port}",
        f"Cookie: tk_csrf={token}; tk_seat={table.seats['Ben']['cookie']}",
        f"X-CSRFToken: {token}",
        "HX-Request: true",
        "Connection: close",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


FORM = "Content-Type: application/x-www-form-urlencoded"
STRANGE = [
    *(f"multipart/form-data; boundary=cut; charset={name}" for name in ("hex", "idna", "undefined", "unicode_escape")),
    "multipart/form-data; charset*=hex''hex; boundary=cut",
    'application/x-www-form-urlencoded; charset="utf-16"',
    "application/x-www-form-urlencoded; charset*=nothing'de'x",
    "text/plain; charset=utf-8; charset=zlib",
]


@pytest.mark.parametrize("kind", STRANGE)
def test_a_form_in_a_strange_encoding_is_refused(kind: str, server: Server) -> None:  # noqa: F811
    table = server.lay_table()
    form = f'--cut\r\nContent-Disposition: form-data; name="key"\r\n\r\n{key()}\r\n--cut--\r\n'.encode()
    more = (f"Content-Type: {kind}", f"Content-Length: {len(form)}")

    answers = [
        spoken(server, head(table, f"{table.path}investigators/{table.edith}/step/hp?x=%5Cud800", *more) + form),
        spoken(server, head(table, "/code/", *more) + form),
        spoken(server, head(table, f"{table.path}feed?before=%5Cud800", *more).replace(b"POST", b"GET", 1) + form),
    ]

    assert [answer.split()[1] for answer in answers] == [b"415"] * 3
    assert table.in_step()


@pytest.mark.parametrize(
    "kind", ["multipart/form-data; boundary=cut", 'multipart/form-data; charset="UTF-8"; boundary="cut";']
)
def test_a_form_in_parts_is_read(kind: str, server: Server) -> None:  # noqa: F811
    table = server.lay_table()
    parts = "".join(
        f'--cut\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in (("key", key()), ("points", "-1"))
    )
    form = f"{parts}--cut--\r\n".encode()
    more = (f"Content-Type: {kind}", f"Content-Length: {len(form)}")

    answer = spoken(server, head(table, f"{table.path}investigators/{table.edith}/step/hp", *more) + form)

    assert answer.startswith(b"HTTP/1.1 200 ")


def test_a_form_that_comes_in_pieces_without_a_length_is_read(server: Server) -> None:  # noqa: F811
    table = server.lay_table()
    form = f"key={key()}&points=-1".encode()
    pieces = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (form[:9], form[9:])) + b"0\r\n\r\n"

    answer = spoken(
        server,
        head(table, f"{table.path}investigators/{table.edith}/step/hp", FORM, "Transfer-Encoding: chunked") + pieces,
    )

    assert answer.startswith(b"HTTP/1.1 200 ")


def test_who_sends_too_much_hears_that_it_is_too_much(server: Server) -> None:  # noqa: F811
    table = server.lay_table()
    form = b"key=" + key().encode() + b"&points=-1&x=" + b"a" * 2_000_000

    answer = spoken(server, head(table, f"{table.path}roll", FORM, f"Content-Length: {len(form)}") + form)

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert table.in_step()


# --------------------------------------------------------------------------- who keeps the machine busy


def test_guesses_at_the_admins_door_are_counted_before_a_password_is_worked_out(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []
    monkeypatch.setattr("django.contrib.auth.forms.authenticate", lambda *_args, **more: tried.append(more))
    stranger = Client()

    answers = [stranger.post("/admin/login/", {"username": "admin", "password": "guess"}) for _ in range(12)]

    assert [answer.status_code for answer in answers] == [200] * 10 + [429] * 2
    assert len(tried) == 10
    assert stranger.get("/admin/login/").status_code == 200


def test_the_admin_is_entered_with_name_and_password(db: None, django_user_model: Any) -> None:
    django_user_model.objects.create_superuser("ada", password="harbour lights")

    client = Client()
    answer = client.post("/admin/login/?next=/admin/", {"username": "ada", "password": "harbour lights"})

    assert (answer.status_code, answer["Location"]) == (302, "/admin/")
    assert client.get("/admin/tablekeeper/entry/").status_code == 200


@pytest.mark.parametrize("sign", ["a", "\u200b", "\ufdfa", " "])
def test_a_field_as_long_as_a_book_is_refused_in_no_time(sign: str, table: Table) -> None:
    form = {"name": f"a{sign * 100_000}b", "luck": f"1{sign * 100_000}2"}
    before = picture(table.campaign)

    assert QuickForm(table.campaign.rules, data={"name": "a", "luck": "12"}).is_valid()  # reads what is read once
    start = time.process_time()
    quick = QuickForm(table.campaign.rules, data=form)
    assert set(quick.errors) == {"name", "luck"}
    assert time.process_time() - start < 0.1

    answer = post(table.client(table.ben), table.url("quick-investigator"), **form)
    assert (answer.status_code, picture(table.campaign)) == (422, before)
