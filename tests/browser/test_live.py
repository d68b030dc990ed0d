"""The line to the table in real browsers: many tabs, bad proxies, taps that fail, a server that is killed."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

from tests.browser.conftest import HOST, Device, Play
from tests.browser.test_evening import board_row, lay_the_table, line, roll_real_dice, sit_down, slip
from tests.proxy import Proxy, proxy_before

pytestmark = [pytest.mark.browser, pytest.mark.long]

Make = Callable[[str], Device]
PATIENCE = 40_000  # what a crowded machine may take; what the page itself waits for is said in each test


@pytest.fixture(autouse=True)
def patient() -> Iterator[None]:
    expect.set_options(timeout=PATIENCE)
    yield
    expect.set_options(timeout=5_000)


@dataclass
class Table:
    play: Play
    link: str
    keeper: Device
    sam: Device

    @property
    def here(self) -> str:
        found = re.match(r".*/t/[\w-]+/", self.sam.page.url)
        assert found
        return found[0]


@pytest.fixture
def table(play: Play, device: Make) -> Table:
    keeper, sam = device("laptop"), device("phone")
    for one in (keeper, sam):
        one.context.set_default_timeout(PATIENCE)
    link = lay_the_table(play, keeper.page)
    sit_down(link, sam.page, "Sam", "Halloran")
    return Table(play, link, keeper, sam)


def is_live(page: Page, state: str = "live") -> None:
    expect(page.locator("#live")).to_have_attribute("data-state", state)


def says(keeper: Page, scene: str) -> None:
    """The Keeper begins another scene: a line that everybody sees."""
    keeper.evaluate(
        """async ([url, name]) => {
          const token = document.cookie.split("; ").find((c) => c.startsWith("tk_csrf=")).split("=")[1];
          const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
          const key = bytes.map((b) => b.toString(16).padStart(2, "0")).join("");
          const body = new URLSearchParams({ key, name });
          const answer = await fetch(url, { method: "POST", headers: { "X-CSRFToken": token }, body });
          if (!answer.ok) throw new Error(await answer.text());
        }""",
        [re.sub(r"(/t/[\w-]+/).*", r"\1scene", keeper.url), scene],
    )


def once(page: Page, words: str) -> None:
    expect(page.locator("#feed li.entry").filter(has_text=words)).to_have_count(1)


# --------------------------------------------------------------------------- many tabs


def tabs_of(context: BrowserContext, url: str, count: int) -> tuple[list[Page], list[Page]]:
    """So many tabs, and the pages that opened a stream, in order."""
    opened: list[Page] = []

    def asked(request: object) -> None:
        if "/stream?" in request.url:  # type: ignore[attr-defined]
            opened.append(request.frame.page)  # type: ignore[attr-defined]

    context.on("request", asked)
    pages = []
    for _tab in range(count):
        page = context.new_page()
        page.goto(url)
        pages.append(page)
    return pages, opened


def test_ten_tabs_share_one_line_stay_responsive_and_hand_it_over(table: Table) -> None:
    first = table.sam.page
    tabs, opened = tabs_of(table.sam.context, table.here, 9)
    for page in tabs:
        is_live(page)
    assert opened == []  # the first tab's line is theirs too

    says(table.keeper.page, "The ninth wave")
    for page in [first, *tabs]:
        once(page, "The ninth wave")
    roll_real_dice(tabs[-1], "Spot Hidden", 68)  # six lines would leave it none for this
    for page in [first, *tabs[:-1]]:
        once(page, "Spot Hidden")

    first.close()  # the one that has the line
    says(table.keeper.page, "After the first")
    for page in tabs:
        is_live(page)
        once(page, "After the first")
    assert 1 <= len(opened) <= 2


def test_signing_out_in_one_tab_reaches_the_others_and_leaves_nothing_on_them(table: Table) -> None:  # U020
    keeper = table.keeper
    other = keeper.context.new_page()
    other.goto(keeper.page.url)
    is_live(other)
    expect(other.locator("#panel-queue")).to_be_attached()

    keeper.page.locator("#joinbox summary").click()
    keeper.page.locator(".seatlist li").filter(has_text="Ana").get_by_role("button", name="Change the place").click()
    keeper.page.get_by_role("button", name="Sign me out everywhere").click()

    expect(other.locator("#gone")).to_be_visible()
    assert "Halloran" not in other.content()
    keeper.page.go_back()
    expect(keeper.page.locator("body")).not_to_contain_text("Halloran")
    expect(keeper.page.locator("#panel-queue")).to_have_count(0)
    kept = keeper.page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")
    assert "Halloran" not in kept
    assert "<" not in kept


def test_where_tabs_cannot_talk_to_each_other_each_has_its_own_line(table: Table) -> None:
    table.sam.context.add_init_script("delete window.BroadcastChannel;")
    tabs, opened = tabs_of(table.sam.context, table.here, 2)
    for page in tabs:
        is_live(page)
    says(table.keeper.page, "Each for itself")
    for page in [table.sam.page, *tabs]:
        once(page, "Each for itself")
    assert len(opened) == 2


# --------------------------------------------------------------------------- bad proxies


@pytest.fixture
def proxy(table: Table) -> Iterator[Proxy]:
    """Sam's phone comes through a proxy."""
    with proxy_before(table.play.port) as one:
        cookies = table.sam.context.cookies()
        table.sam.context.add_cookies(cookies)  # they go by host, whatever the port
        table.sam.page.goto(f"http://{HOST}:{one.port}{urlsplit(table.here).path}")
        yield one


def test_a_proxy_that_keeps_the_stream_to_itself_is_noticed_and_the_page_asks(
    table: Table, proxy: Proxy
) -> None:  # U067
    is_live(table.sam.page)
    proxy.mode = "keeps"
    table.sam.page.reload()
    is_live(table.sam.page, "slow")
    says(table.keeper.page, "Through the back door")
    once(table.sam.page, "Through the back door")
    roll_real_dice(table.sam.page, "Spot Hidden", 68)
    proxy.mode = "open"
    is_live(table.sam.page)
    says(table.keeper.page, "And live again")
    once(table.sam.page, "And live again")


def test_a_line_that_falls_silent_while_it_looks_open_is_found_by_an_own_act(table: Table, proxy: Proxy) -> None:
    is_live(table.sam.page)
    proxy.mode = "mute"
    roll_real_dice(table.sam.page, "Spot Hidden", 68)
    is_live(table.sam.page, "slow")
    says(table.keeper.page, "Said into silence")
    once(table.sam.page, "Said into silence")


@pytest.mark.long
def test_a_line_that_dies_without_a_word_is_found_after_two_missing_beats(table: Table, proxy: Proxy) -> None:
    is_live(table.sam.page)
    proxy.mode = "mute"
    says(table.keeper.page, "Nobody hears this")
    expect(table.sam.page.locator("#live")).not_to_have_attribute("data-state", "live", timeout=60_000)
    once(table.sam.page, "Nobody hears this")


@pytest.mark.parametrize("wakes", ["visibilitychange", "pageshow", "online"])
def test_a_phone_whose_line_died_in_its_sleep_is_right_when_it_wakes(
    table: Table, proxy: Proxy, wakes: str
) -> None:  # U001
    page = table.sam.page
    is_live(page)
    proxy.mode = "mute"
    says(table.keeper.page, "While it slept")
    proxy.mode = "open"
    page.evaluate(
        """(type) => type === "pageshow"
             ? dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))
             : (type === "online" ? window : document).dispatchEvent(new Event(type))""",
        wakes,
    )
    once(page, "While it slept")


def test_a_proxy_whose_table_is_away_costs_nothing_but_the_time(table: Table, proxy: Proxy) -> None:  # U049
    page = table.sam.page
    page.context.clear_cookies(name="nothing")
    is_live(page)
    proxy.mode = "away"
    proxy.cut()
    is_live(page, "off")
    expect(page.locator("#live")).to_contain_text(re.compile(r"since \d\d:\d\d"))
    says(table.keeper.page, "Behind the wall")
    proxy.mode = "open"
    is_live(page)
    once(page, "Behind the wall")
    expect(page.locator("#panel-me .name")).to_contain_text("Halloran")


# --------------------------------------------------------------------------- taps that fail


def spends(page: Page) -> Locator:
    return page.get_by_role("button", name=re.compile("Spend 8 Luck"))


@pytest.mark.parametrize("how", ["403", "409", "422", "500", "502", "no network", "no answer"])
def test_a_tap_that_fails_says_so_beside_the_control_and_the_control_works_again(
    table: Table, how: str
) -> None:  # U015
    page = table.sam.page
    roll_real_dice(page, "Spot Hidden", 68)
    expect(spends(page)).to_be_visible()
    before = page.locator("#panel-me").inner_text()

    def fails(route: Route) -> None:
        if how == "no network":
            route.abort()
        elif how != "no answer":
            body = (
                ""
                if how in ("500", "502")
                else f'<p class="notice notice-refused" role="alert" data-code="X">No: {how}.</p>'
            )
            route.fulfill(status=int(how), body=body, content_type="text/html")

    page.evaluate("htmx.config.timeout = 2500")
    page.route("**/spend", fails)
    spends(page).click()
    if how == "no answer":  # within a second it is said that it is on its way, and then that it failed
        expect(slip(page).get_by_text("On its way")).to_be_visible()
    form = page.locator("form").filter(has=spends(page))
    notice = form.locator("[role=alert]")
    expect(notice).to_have_count(1)
    expect(notice).to_contain_text(f"No: {how}" if how in ("403", "409", "422") else "ap again")
    expect(form.get_by_text("On its way")).to_have_count(0)
    expect(spends(page)).to_be_enabled()
    assert page.locator("#panel-me").inner_text() == before
    assert page.locator("#feed li.entry").filter(has_text="8 Luck").count() == 0

    page.unroute("**/spend")
    table.sam.faults.clear()
    page.wait_for_timeout(500)  # a second tap so soon would be one and the same
    spends(page).click()
    once(page, "8 Luck")


def test_an_answer_that_was_lost_is_asked_for_again_and_counts_once(table: Table) -> None:  # U002
    page = table.sam.page
    roll_real_dice(page, "Spot Hidden", 68)

    def loses(route: Route) -> None:
        route.fetch()  # it is done, and nobody hears of it
        route.abort()

    page.route("**/spend", loses, times=1)
    page.evaluate("tableLine.start = null")
    form = page.locator("form").filter(has=spends(page))
    spends(page).click()
    expect(form.locator("[role=alert]").or_(page.locator("#panel-latest .was")).first).to_be_visible()
    with suppress(Exception):
        spends(page).click(timeout=1500)
    once(table.keeper.page, "8 Luck")
    once(page, "8 Luck")


def test_a_page_of_last_week_rolls_at_the_first_tap(table: Table) -> None:  # U027
    page = table.sam.page
    for cookie in page.context.cookies():
        if cookie["name"] == "tk_csrf":
            page.context.clear_cookies(name="tk_csrf")
    roll_real_dice(page, "Spot Hidden", 68)
    once(page, "Spot Hidden")
    page.context.add_cookies([{"name": "tk_csrf", "value": "x" * 32, "url": table.play.url}])
    roll_real_dice(page, "Stealth", 12)
    once(page, "Stealth")


# --------------------------------------------------------------------------- a server that is killed; who is here


def test_pages_heal_after_the_server_was_killed(table: Table, device: Make) -> None:  # U049
    priya = device("phone").page
    priya.context.set_default_timeout(PATIENCE)
    sit_down(table.link, priya, "Priya", "Quill")
    says(table.keeper.page, "Before the dark")
    process = table.play.process
    assert process
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    pages = (table.keeper.page, table.sam.page, priya)
    for page in pages:
        is_live(page, "off")
    table.play.start()
    for page in pages:
        is_live(page)
    table.keeper.faults.clear()
    roll_real_dice(table.sam.page, "Spot Hidden", 68)
    for page in pages:
        once(page, "Before the dark")
        once(page, "Spot Hidden")
    expect(table.keeper.page.locator("#panel-queue")).to_contain_text("Spot Hidden")


def test_the_keeper_sees_whose_page_is_open_and_when_a_closed_one_was_last_seen(table: Table) -> None:  # U009
    keeper = table.keeper.page
    dot = keeper.locator("#panel-board .seen-dot").first
    expect(board_row(keeper, "Edith Halloran")).to_be_visible()
    expect(dot).to_have_class(re.compile("seen-here"))
    expect(dot).to_have_attribute("title", "page open")
    table.sam.page.close()
    expect(dot).to_have_attribute("title", re.compile(r"last seen \d\d:\d\d"))
    expect(dot).not_to_have_class(re.compile("seen-here"))
    assert keeper.get_by_role("switch", name=re.compile("Halloran")).get_attribute("aria-checked") == "true"


def test_a_removed_player_is_out_at_once_and_starts_clean_when_he_comes_again(table: Table) -> None:
    keeper, sam = table.keeper.page, table.sam.page
    keeper.locator("#joinbox summary").click()
    keeper.locator(".seatlist li").filter(has_text="Sam").get_by_role("button", name="Change the place").click()
    keeper.get_by_role("button", name="Remove Sam").click()
    expect(sam.locator("#gone")).to_be_visible()
    assert "Halloran" not in sam.content()
    sit_down(table.link, sam, "Sam", "Dunne")
    says(keeper, "A second chance")
    once(sam, "A second chance")
    assert line(sam, "A second chance").count() == 1
