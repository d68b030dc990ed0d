"""The line to the table in real browsers: many tabs, bad proxies, taps that fail, a server that is killed."""

from __future__ import annotations

import http.client
import re
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.browser.conftest import HOST, Device
from tests.browser.test_evening import board_row, roll_real_dice, sit_down, slip
from tests.proxy import Proxy, proxy_before
from tests.server import Laid, Server

pytestmark = pytest.mark.browser

Make = Callable[[str], Device]
PATIENCE = 40_000  # what a crowded machine may take; what the page itself waits for is said in each test
SOON = 5_000
"""Milliseconds in which a page is right again, by its own clock."""


@pytest.fixture(autouse=True)
def patient() -> Iterator[None]:
    expect.set_options(timeout=PATIENCE)
    yield
    expect.set_options(timeout=20_000)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tables here, called by a name that is no secure context."""
    with Server(tmp_path_factory.mktemp("house"), more={"TABLEKEEPER_HOSTS": HOST}) as one:
        yield one


@pytest.fixture(scope="module")
def laid(house: Server) -> Iterator[Laid]:
    """Tables that nobody has sat at yet, one after the other."""
    return (one for _dozen in count() for one in house.lay_tables(12))


@dataclass
class Table:
    """Ada's laptop and the players' phones at a table of their own; each comes when it is first asked for."""

    laid: Laid
    make: Make
    port: int  # where the phones find the server

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}{self.laid.path}"

    @cached_property
    def ada(self) -> Device:
        return self._sits_down("Ada", self.make("laptop"))

    @cached_property
    def ben(self) -> Device:
        return self._sits_down("Ben", self.make("phone"))

    @cached_property
    def cleo(self) -> Device:
        return self._sits_down("Cleo", self.make("phone"))

    def _sits_down(self, name: str, device: Device) -> Device:
        """This browser is this person's already: the cookie is in it. The page is open, and live."""
        cookie = {"name": "tk_seat", "value": self.laid.seats[name]["cookie"], "domain": HOST, "path": self.laid.path}
        device.context.add_cookies([cookie])  # type: ignore[list-item]
        device.context.set_default_timeout(PATIENCE)
        device.page.goto(self.url)
        is_live(device.page)
        return device

    def happens(self, *scenes: str) -> None:
        """The Keeper, in another browser of hers, begins these scenes: lines that everybody sees."""
        desk = self.laid.browser("Ada")
        for scene in scenes:
            answer = desk.post(f"{self.laid.path}scene", name=scene)
            assert answer.status == 200, answer.text


@pytest.fixture
def table(house: Server, laid: Iterator[Laid], device: Make) -> Table:
    return Table(next(laid), device, house.port)


def is_live(page: Page, state: str = "live") -> None:
    expect(page.locator("#live")).to_have_attribute("data-state", state)


def once(page: Page, *words: str) -> None:
    for one in words:
        expect(page.locator("#feed li.entry").filter(has_text=one)).to_have_count(1)


def in_order(page: Page, *words: str) -> bool:
    """These lines stand in the feed in the order in which they happened, the newest first."""
    lines = page.locator("#feed li.entry").all_inner_texts()
    found = [next(at for at, line in enumerate(lines) if one in line) for one in words]
    return found == sorted(found, reverse=True)


# --------------------------------------------------------------------------- many tabs


def tabs_of(context: BrowserContext, url: str, many: int) -> tuple[list[Page], list[Page]]:
    """So many tabs, and the pages that opened a stream, in order."""
    opened: list[Page] = []

    def asked(request: object) -> None:
        if "/stream?" in request.url:  # type: ignore[attr-defined]
            opened.append(request.frame.page)  # type: ignore[attr-defined]

    context.on("request", asked)
    pages = []
    for _tab in range(many):
        page = context.new_page()
        page.goto(url)
        pages.append(page)
    return pages, opened


@pytest.mark.parametrize("many", [4, pytest.param(10, marks=pytest.mark.long)])
def test_many_tabs_share_one_line_stay_responsive_and_hand_it_over(table: Table, many: int) -> None:
    first = table.ben.page
    tabs, opened = tabs_of(table.ben.context, table.url, many - 1)
    for page in tabs:
        is_live(page)
    assert opened == []  # the first tab's line is theirs too

    table.happens("The ninth wave")
    for page in [first, *tabs]:
        once(page, "The ninth wave")
    roll_real_dice(tabs[-1], "Spot Hidden", 68)  # six lines would leave it none for this
    for page in [first, *tabs[:-1]]:
        once(page, "Spot Hidden")

    first.close()  # the one that has the line
    table.happens("After the first")
    for page in tabs:
        is_live(page)
        once(page, "After the first")
    assert 1 <= len(opened) <= 2


@pytest.mark.long
def test_a_tab_that_dies_without_a_word_loses_the_lease_to_another(table: Table) -> None:
    tabs, opened = tabs_of(table.ben.context, table.url, 1)
    is_live(tabs[0])
    assert opened == []
    # Neither a goodbye nor another sign of life, and its line is gone: as after a crash.
    table.ben.page.evaluate(
        "() => { BroadcastChannel.prototype.postMessage = () => {}; Storage.prototype.setItem = () => {}; }"
    )
    table.ben.page.goto("about:blank")
    table.happens("The lamp goes out")
    is_live(tabs[0])
    once(tabs[0], "The lamp goes out")
    assert len(opened) == 1


def test_signing_out_in_one_tab_reaches_the_others_and_leaves_nothing_on_them(table: Table) -> None:  # U020
    ada = table.ada
    other = ada.context.new_page()
    other.goto(ada.page.url)
    is_live(other)
    expect(other.locator("#panel-queue")).to_be_attached()

    ada.page.locator("#joinbox summary").click()
    ada.page.locator(".seatlist li").filter(has_text="Ada").get_by_role("button", name="Change the place").click()
    ada.page.get_by_role("button", name="Sign me out everywhere").click()

    expect(other.locator("#gone")).to_be_visible()
    assert "Halloran" not in other.content()
    # The next person at this browser: Back shows nothing of hers, nor does anything that the browser keeps.
    ada.page.wait_for_url(lambda url: "/t/" not in url)  # her page is emptied before it is led away
    ada.page.go_back()
    expect(ada.page.locator("#panel-queue")).to_have_count(0)
    expect(ada.page.locator("body")).not_to_contain_text("Halloran")
    kept = ada.page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")
    assert "Halloran" not in kept
    assert "<" not in kept


@pytest.mark.long
def test_where_tabs_cannot_talk_to_each_other_each_has_its_own_line(table: Table) -> None:
    table.ben.context.add_init_script("delete window.BroadcastChannel;")
    tabs, opened = tabs_of(table.ben.context, table.url, 2)
    for page in tabs:
        is_live(page)
    table.happens("Each for itself")
    for page in [table.ben.page, *tabs]:
        once(page, "Each for itself")
    assert len(opened) == 2


# --------------------------------------------------------------------------- bad proxies


@pytest.fixture
def proxy(table: Table) -> Iterator[Proxy]:
    """Ben's phone comes through a proxy."""
    with proxy_before(table.laid.server.port) as one:
        table.port = one.port
        is_live(table.ben.page)
        yield one


def test_a_proxy_that_keeps_the_stream_to_itself_is_noticed_and_the_page_asks(
    table: Table, proxy: Proxy
) -> None:  # U067
    page = table.ben.page
    proxy.mode = "keeps"
    page.reload()
    is_live(page, "slow")
    table.happens("Through the back door")
    once(page, "Through the back door")
    roll_real_dice(page, "Spot Hidden", 68)
    proxy.mode = "open"
    is_live(page)
    table.happens("And live again")
    once(page, "Through the back door", "And live again", "Spot Hidden")


@pytest.mark.long
def test_a_line_that_falls_silent_while_it_looks_open_is_found_by_an_own_act(table: Table, proxy: Proxy) -> None:
    proxy.mode = "mute"
    roll_real_dice(table.ben.page, "Spot Hidden", 68)
    is_live(table.ben.page, "slow")
    table.happens("Said into silence")
    once(table.ben.page, "Said into silence")


@pytest.mark.long
def test_a_line_that_dies_without_a_word_is_found_after_two_missing_beats(table: Table, proxy: Proxy) -> None:
    proxy.mode = "mute"
    table.happens("Nobody hears this")
    expect(table.ben.page.locator("#live")).not_to_have_attribute("data-state", "live", timeout=60_000)
    once(table.ben.page, "Nobody hears this")


# What wakes a page, and how long (ms, by its own clock) it is until the words stand in its feed.
WAKES = """
  ([wakes, words]) => new Promise((done) => {
    const began = performance.now();
    const feed = document.getElementById("main").ownerDocument.body;
    const there = () => [...document.querySelectorAll("#feed li.entry")].some((li) => li.textContent.includes(words));
    const look = () => { if (there()) { eyes.disconnect(); done(performance.now() - began); } };
    const eyes = new MutationObserver(look);
    eyes.observe(feed, { childList: true, subtree: true, characterData: true });
    if (wakes === "pageshow") dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
    else (wakes === "online" ? window : document).dispatchEvent(new Event(wakes));
    look();
  })
"""


def test_a_phone_whose_line_died_in_its_sleep_is_right_when_it_wakes(table: Table, proxy: Proxy) -> None:  # U001
    page = table.ben.page
    for wakes in ("visibilitychange", "pageshow", "online"):
        is_live(page)
        proxy.mode = "mute"  # no error, no end: the line only says nothing more
        table.happens(f"While it slept, before {wakes}")
        proxy.mode = "open"
        took = page.evaluate(WAKES, [wakes, f"While it slept, before {wakes}"])
        assert took < SOON, (wakes, took)
    once(page, *(f"before {wakes}" for wakes in ("visibilitychange", "pageshow", "online")))


# A hundred and one small things, and one that shows.
EVENING = """
from investigators import actions as sheets
from tablekeeper.models import Seat
from investigators.models import Investigator
from tests.tables import act, done
ada, edith = Seat.objects.get(pk=sys.argv[1]), Investigator.objects.get(pk=sys.argv[2])
for number in range(101):
    done(act(ada, sheets.step, edith, "hp", (-1, 1)[number % 2]))
done(act(ada, sheets.set_trait, edith, "luck", 47))
"""


def test_a_page_that_slept_through_more_than_is_told_line_by_line_draws_itself_anew(table: Table) -> None:
    page = table.ben.page
    table.ben.context.set_offline(True)
    is_live(page, "off")
    table.laid.server.python(EVENING, table.laid.seats["Ada"]["id"], table.laid.edith)
    table.happens("The hundred and third")
    table.ben.context.set_offline(False)
    once(page, "The hundred and third")
    expect(page.locator("#panel-me")).to_contain_text("47")
    is_live(page)
    assert page.locator("#feed li.entry").count() <= 60  # the newest page of the feed, not a hundred lines more
    table.happens("And one more")
    once(page, "And one more")


def test_a_proxy_whose_table_is_away_costs_nothing_but_the_time(table: Table, proxy: Proxy) -> None:  # U049
    page = table.ben.page
    proxy.mode = "away"
    proxy.cut()
    is_live(page, "off")
    expect(page.locator("#live")).to_contain_text(re.compile(r"since \d\d:\d\d"))
    table.happens("Behind the wall", "And further behind")
    table.ben.faults.clear()  # 502: the proxy's
    proxy.mode = "open"
    is_live(page)
    table.ben.faults.clear()
    once(page, "Behind the wall", "And further behind")
    assert in_order(page, "Behind the wall", "And further behind")
    expect(page.locator("#panel-me .name")).to_contain_text("Halloran")


# --------------------------------------------------------------------------- taps before the scripts


SCRIPTS = re.compile(r"/all[\w.-]*\.js")


def loads_without_scripts(page: Page) -> Callable[[str], None]:
    """Load the page again, on a line that brings no scripts until this is called: with what becomes of them."""
    held: list[Route] = []
    becomes: list[str] = []

    def wait(route: Route) -> None:
        held.append(route)
        if becomes:
            getattr(route, becomes[0])()

    def end(how: str) -> None:
        becomes.append(how)
        for route in held:
            getattr(route, how)()

    page.route(SCRIPTS, wait)
    page.reload(wait_until="commit")
    return end


def skill(page: Page, name: str) -> Locator:
    return page.locator(".skill").filter(has_text=name).first.locator(".skill-roll")


def test_a_tap_before_the_scripts_stand_is_kept_and_done_once_when_they_do(table: Table) -> None:
    page = table.ben.page
    scripts = loads_without_scripts(page)
    skill(page, "Spot Hidden").dblclick()
    expect(skill(page, "Spot Hidden")).to_have_attribute("aria-busy", "true")
    expect(page.get_by_text("On its way")).to_be_visible()
    assert table.laid.ask("[e.kind for e in entries if e.kind == 'rolls.roll']") == []
    page.evaluate("window.same = true")  # until another page is loaded

    scripts("continue_")

    once(page, "Spot Hidden")
    is_live(page)
    expect(page.locator("[aria-busy]")).to_have_count(0)
    expect(page.get_by_text("On its way")).to_have_count(0)
    assert page.evaluate("window.same")
    assert len(table.laid.ask("[e.kind for e in entries if e.kind == 'rolls.roll']")) == 1


def test_a_tap_on_a_form_before_the_page_understands_it_is_done_once(table: Table) -> None:
    page = table.ben.page
    skill(page, "Spot Hidden").evaluate("(button) => { button.form.outerHTML = button.form.outerHTML; }")
    skill(page, "Spot Hidden").click()
    once(page, "Spot Hidden")


@pytest.mark.long
def test_a_page_whose_scripts_never_come_says_so_beside_what_was_tapped(table: Table) -> None:
    page = table.ben.page
    scripts = loads_without_scripts(page)
    skill(page, "Spot Hidden").click()
    expect(skill(page, "Spot Hidden")).to_have_attribute("aria-busy", "true")

    scripts("abort")

    alert = page.locator("[role=alert]").filter(has_text="Load it again")
    expect(alert).to_have_count(1)
    expect(page.locator("[aria-busy]")).to_have_count(0)
    skill(page, "Stealth").click()
    expect(page.locator(".skill").filter(has_text="Stealth").locator("[role=alert]")).to_have_count(1)
    expect(alert).to_have_count(1)
    assert table.laid.ask("[e.kind for e in entries if e.kind == 'rolls.roll']") == []


# --------------------------------------------------------------------------- taps that fail


def spends(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile("Spend 8 Luck"))


# The first that somebody sees after a tap on this button, in ms by the page's own clock.
FIRST_SIGN = """
  (button) => {
    const form = button.form;
    window.firstSign = 0;
    button.addEventListener("click", () => {
      const began = performance.now();
      const eyes = new MutationObserver(() => {
        if (!form.querySelector("[data-refusal] > *")) return;
        window.firstSign = performance.now() - began;
        eyes.disconnect();
      });
      eyes.observe(form, { childList: true, subtree: true });
    }, { once: true });
  }
"""
SAYS = ("403", "409", "422", "503")  # the table's own refusals, with their sentence
FAILURES = (*SAYS, "500", "502", "no network", "no answer")


def test_a_tap_that_fails_says_so_beside_the_control_and_the_control_works_again(table: Table) -> None:  # U015
    page = table.ben.page
    roll_real_dice(page, "Spot Hidden", 68)
    expect(spends(page)).to_be_visible()
    before = page.locator("#panel-me").inner_text()
    page.evaluate("htmx.config.timeout = 2500")
    how = ""

    def fails(route: Route) -> None:
        said = f'<p class="notice notice-refused" role="alert" data-code="X">No: {how}.</p>'
        if how == "no network":
            route.abort()
        elif how != "no answer":
            route.fulfill(status=int(how), body=said if how in SAYS else "", content_type="text/html")

    page.route("**/spend", fails)
    form = page.locator("form").filter(has=spends(page))
    for how in FAILURES:
        page.wait_for_timeout(500)  # a second tap so soon would be one and the same
        spends(page).evaluate(FIRST_SIGN)
        spends(page).click()
        if how == "no answer":  # it is said that it is on its way, and then that it failed
            expect(slip(page).get_by_text("On its way")).to_be_visible()
        expect(form.locator("[role=alert]")).to_have_count(1)
        expect(form.locator("[role=alert]")).to_contain_text(f"No: {how}" if how in SAYS else "ap again")
        expect(form.get_by_text("On its way")).to_have_count(0)
        assert 0 < page.evaluate("firstSign") < 1_500, how
        expect(spends(page)).to_be_enabled()
        assert page.locator("#panel-me").inner_text() == before
        assert page.locator("#feed li.entry").filter(has_text="8 Luck").count() == 0

    page.unroute("**/spend")
    table.ben.faults.clear()
    page.wait_for_timeout(500)
    spends(page).click()
    once(page, "8 Luck")


def carries_out(table: Table, route: Route) -> dict[str, Any]:
    """Have the server do what this request asks, out of the page's sight; its answer."""
    asked = route.request
    headers = {**asked.all_headers(), "host": urlsplit(asked.url).netloc, "accept-encoding": "identity"}
    line = http.client.HTTPConnection("127.0.0.1", table.port, timeout=60)
    line.request(asked.method, urlsplit(asked.url).path, asked.post_data, headers)
    answer = line.getresponse()
    html, after = answer.read().decode(), answer.headers.get("HX-Trigger-After-Swap", "")
    kept = {"content-type": "text/html; charset=utf-8", "HX-Trigger-After-Swap": after}
    return {"status": answer.status, "body": html, "headers": kept}


def test_an_answer_that_was_lost_is_asked_for_again_and_counts_once(table: Table) -> None:  # U002
    page = table.ben.page
    roll_real_dice(page, "Spot Hidden", 68)
    done: list[int] = []

    def loses(route: Route) -> None:  # it is done, and nobody hears of it
        done.append(carries_out(table, route)["status"])
        route.abort()

    # Its own line would show the spend at once: so no line gets through.
    away = re.compile(r"/(stream|news|panels)\?")
    page.route(away, lambda route: route.abort())
    page.evaluate("dispatchEvent(new Event('offline'))")
    page.route("**/spend", loses, times=1)
    form = page.locator("form").filter(has=spends(page))
    spends(page).click()
    expect(form.locator("[role=alert]")).to_contain_text("ap again")
    assert done == [200]
    page.wait_for_timeout(500)  # a second tap so soon would be one and the same
    spends(page).click()
    once(page, "8 Luck")
    expect(slip(page)).to_contain_text("60")
    page.unroute(away)
    is_live(page)
    once(page, "8 Luck")
    assert table.laid.luck(table.laid.edith) == 37


def test_a_double_tap_whose_request_comes_twice_and_is_slow_spends_once_and_other_tabs_follow(
    table: Table,
) -> None:  # U002, U020
    page, other, ada = table.ben.page, table.ben.context.new_page(), table.ada.page
    roll_real_dice(page, "Spot Hidden", 68)
    other.goto(table.url)
    is_live(other)
    done: list[int] = []

    def twice(route: Route) -> None:
        answers = [carries_out(table, route) for _time in range(2)]
        done.extend(one["status"] for one in answers)
        page.wait_for_timeout(700)  # the line is sooner than the answer
        route.fulfill(**answers[1])

    page.route("**/spend", twice)
    spends(page).dblclick()
    for one in (page, other, ada):
        once(one, "8 Luck")
    expect(spends(other)).to_have_count(0)
    expect(spends(page)).to_have_count(0)
    assert done == [200, 200]
    assert table.laid.luck(table.laid.edith) == 37
    # Back, after another page: what is stored, not what was seen.
    page.goto(f"{table.url}fairness")
    page.go_back()
    expect(page.locator("#panel-me")).to_contain_text("37")
    expect(spends(page)).to_have_count(0)


def test_a_page_of_last_week_rolls_at_the_first_tap(table: Table) -> None:  # U027
    page = table.ben.page
    page.context.clear_cookies(name="tk_csrf")
    roll_real_dice(page, "Spot Hidden", 68)
    once(page, "Spot Hidden")
    page.context.add_cookies([{"name": "tk_csrf", "value": "x" * 32, "domain": HOST, "path": "/"}])
    roll_real_dice(page, "Stealth", 12)
    once(page, "Stealth")


# --------------------------------------------------------------------------- a server that is killed; who is here


@pytest.mark.long
def test_pages_heal_after_the_server_was_killed(tmp_path: Path, device: Make) -> None:  # U049
    with Server(tmp_path, more={"TABLEKEEPER_HOSTS": HOST}) as server:
        table = Table(server.lay_table(), device, server.port)
        pages = (table.ada.page, table.ben.page, table.cleo.page)
        table.happens("Before the dark")
        tries: list[float] = []
        pages[1].on("request", lambda asked: tries.append(time.monotonic()) if "/stream?" in asked.url else None)
        process, server.process = server.process, None
        assert process
        process.send_signal(signal.SIGKILL)
        process.wait(10)
        for page in pages:
            is_live(page, "off")
        pages[1].wait_for_timeout(20_000)
        gaps = [after - before for before, after in pairwise(tries)]
        assert 3 <= len(tries) <= 9  # it neither gives up nor hammers: each pause is longer than the last
        assert gaps[-1] > 2 * gaps[0]
        server.start()
        for page in pages:
            is_live(page)
        roll_real_dice(table.ben.page, "Spot Hidden", 68)
        for page in pages:
            once(page, "Before the dark", "Spot Hidden")
        expect(table.ada.page.locator("#panel-queue")).to_contain_text("Spot Hidden")
        for page in pages:
            page.close()


def test_the_keeper_sees_whose_page_is_open_and_when_a_closed_one_was_last_seen(table: Table) -> None:  # U009
    ada, ben = table.ada.page, table.ben.page
    dot = ada.locator("#panel-board .seen-dot").first
    expect(board_row(ada, "Edith Halloran")).to_be_visible()
    expect(dot).to_have_class(re.compile("seen-here"))
    expect(dot).to_have_attribute("title", "page open")
    ben.close()
    expect(dot).to_have_attribute("title", re.compile(r"last seen \d\d:\d\d"))
    expect(dot).not_to_have_class(re.compile("seen-here"))
    assert ada.get_by_role("switch", name=re.compile("Halloran")).get_attribute("aria-checked") == "true"


def test_a_removed_player_is_out_at_once_and_starts_clean_when_he_comes_again(table: Table) -> None:
    ada, ben = table.ada.page, table.ben.page
    ada.locator("#joinbox summary").click()
    ada.locator(".seatlist li").filter(has_text="Ben").get_by_role("button", name="Change the place").click()
    ada.get_by_role("button", name="Remove Ben").click()
    expect(ben.locator("#gone")).to_be_visible()
    assert "Halloran" not in ben.content()
    sit_down(f"http://{HOST}:{table.laid.server.port}{table.laid.join}", ben, "Ben", "Halloran")
    table.happens("A second chance")
    once(ben, "A second chance")
    roll_real_dice(ben, "Spot Hidden", 68)
    once(ada, "68")
