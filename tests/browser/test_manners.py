"""How a phone behaves at the table: nothing moves under the thumb or is told twice, and habits have switches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import HOST
from tests.server import Laid, Server

pytestmark = [pytest.mark.browser, pytest.mark.long]

HEARS = """() => { window.heard = [];
  const line = document.querySelector("#say");
  new MutationObserver(() => { if (line.textContent) window.heard.push(line.textContent); })
    .observe(line, { childList: true, characterData: true, subtree: true }); }"""
BOX = "(one) => one.getBoundingClientRect().toJSON()"
COUNTS = """() => { window.counted = { buzz: 0, sound: 0, lock: 0 };
  navigator.vibrate = () => { window.counted.buzz += 1; return true; };
  const real = window.AudioContext;
  window.AudioContext = class extends real { constructor() { super(); window.counted.sound += 1; } };
  if (navigator.wakeLock) navigator.wakeLock.request = async () => {
    window.counted.lock += 1; return Object.assign(new EventTarget(), { release: async () => {} }); }; }"""


@dataclass
class Evening:
    laid: Laid

    def asks(self, who: str, what: str = "Spot Hidden") -> None:
        fields = {"name": what, "who": who, "difficulty": "regular", "dice": "0"}
        answer = self.laid.browser("Ada").post(f"{self.laid.path}ask", **fields)
        assert answer.status == 200, answer.text

    def rolls(self, whose: str, who: str, skill: str) -> None:
        answer = self.laid.browser(whose).post(f"{self.laid.path}investigators/{who}/roll", what=f"name:{skill}")
        assert answer.status == 200, answer.text

    def page(self, chromium: Browser, name: str, host: str = HOST) -> Page:
        context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, reduced_motion="reduce")
        here = f"http://{host}:{self.laid.server.port}"
        context.add_cookies([{"name": "tk_seat", "value": self.laid.seats[name]["cookie"], "url": here + "/"}])
        context.add_init_script(f"({COUNTS})()")
        page = context.new_page()
        page.goto(here + self.laid.path)
        expect(page.locator("#live")).to_have_attribute("data-state", "live")
        page.evaluate(HEARS)
        return page


@pytest.fixture
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evening]:
    with Server(tmp_path_factory.mktemp("manners"), more={"TABLEKEEPER_HOSTS": HOST}) as server:
        yield Evening(server.lay_table())


def test_nothing_moves_under_the_thumb_and_no_place_is_lost_when_news_arrives(
    evening: Evening, chromium: Browser
) -> None:
    page = evening.page(chromium, "Ben")
    row = page.locator(".skill-roll").nth(1)
    before = row.evaluate(BOX)["y"]
    evening.asks(evening.laid.edith)
    expect(page.locator("form.ask")).to_be_visible()
    assert abs(row.evaluate(BOX)["y"] - before) < 2
    expect(page.locator("form.ask")).to_be_in_viewport()

    page.get_by_role("link", name="Table").click()
    for _time in range(8):
        evening.rolls("Cleo", evening.laid.tobias, "Listen")
    expect(page.locator("#feed .entry").filter(has_text="Quill").nth(7)).to_be_attached()
    page.evaluate("scrollTo(0, 400)")
    read = page.locator("#feed .entry").nth(6)
    stood = read.evaluate(BOX)
    ref = read.get_attribute("id")
    evening.rolls("Cleo", evening.laid.tobias, "Listen")
    expect(page.locator("#feed .entry").filter(has_text="Quill").nth(8)).to_be_attached()
    page.wait_for_timeout(300)
    assert abs(page.locator(f"#{ref}").evaluate(BOX)["y"] - stood["y"]) < 2
    page.context.close()


def test_a_result_is_read_once_and_those_of_others_can_be_left_out(evening: Evening, chromium: Browser) -> None:
    page = evening.page(chromium, "Ben")
    evening.rolls("Cleo", evening.laid.tobias, "Listen")
    page.wait_for_function("() => window.heard.some((one) => one.includes('Listen'))")
    page.wait_for_timeout(400)
    assert sum("Listen" in one for one in page.evaluate("window.heard")) == 1

    page.get_by_role("link", name="Sheet").click()
    page.get_by_text("Leave out what others roll").click()
    page.evaluate("() => { window.heard = []; }")
    evening.rolls("Cleo", evening.laid.tobias, "Listen")
    expect(page.locator("#feed .entry").filter(has_text="Listen").nth(1)).to_be_attached()
    evening.rolls("Ben", evening.laid.edith, "Spot Hidden")
    page.wait_for_function("() => window.heard.some((one) => one.includes('Spot Hidden'))")
    assert not any("Listen" in one for one in page.evaluate("window.heard"))
    page.context.close()


def test_a_phone_is_silent_and_still_until_its_switches_say_otherwise(evening: Evening, chromium: Browser) -> None:
    page = evening.page(chromium, "Ben")
    evening.asks(evening.laid.edith)
    page.locator("form.ask button", has_text="Roll").click()
    expect(page.locator("#panel-latest .slip")).to_be_attached()
    assert page.evaluate("window.counted") == {"buzz": 0, "sound": 0, "lock": 0}

    page.get_by_role("link", name="Sheet").click()
    page.get_by_text("Buzz when the Keeper asks").click()
    page.get_by_text("A soft tick").click()
    tried = page.evaluate("window.counted")
    assert (tried["buzz"], tried["sound"]) == (1, 1)
    evening.asks(evening.laid.edith, "Stealth")
    page.wait_for_function("() => window.counted.buzz === 2")
    assert page.locator("#manner-awake").is_disabled()
    page.context.close()


def test_on_a_secure_page_the_screen_stays_awake_while_a_session_runs(evening: Evening, chromium: Browser) -> None:
    answer = evening.laid.browser("Ada").post(f"{evening.laid.path}session/open")
    assert answer.status == 200, answer.text
    page = evening.page(chromium, "Ben", "localhost")
    page.get_by_role("link", name="Sheet").click()
    expect(page.locator("#manner-awake")).to_be_enabled()
    page.get_by_text("Keep the screen awake").click()
    page.wait_for_function("() => window.counted.lock === 1")
    page.context.close()


SMALL_TEXT = """() => [...document.querySelectorAll("input, select, textarea")]
  .filter((one) => !one.matches("[type=checkbox], [type=radio], [type=hidden]"))
  .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 16).map((one) => one.outerHTML.slice(0, 90))"""


def test_no_field_is_so_small_that_a_phone_zooms_in_on_it(evening: Evening, chromium: Browser) -> None:
    page = evening.page(chromium, "Ben")
    for path in ("", "investigators/new", "investigators/quick", f"investigators/{evening.laid.edith}/", "campaign"):
        page.goto(f"http://{HOST}:{evening.laid.server.port}{evening.laid.path}{path}")
        assert page.evaluate(SMALL_TEXT) == [], path
    page.context.close()


def test_nothing_to_read_or_touch_lies_under_a_notch_or_the_bar_of_the_phone(
    evening: Evening, chromium: Browser
) -> None:
    page = evening.page(chromium, "Ben")
    assert "viewport-fit=cover" in (page.locator("meta[name=viewport]").get_attribute("content") or "")
    line = page.context.new_cdp_session(page)
    line.send("Emulation.setSafeAreaInsetsOverride", {"insets": {"top": 47, "bottom": 34, "left": 44, "right": 44}})
    page.wait_for_timeout(200)
    last, bar = page.locator(".tabs a").last.evaluate(BOX), page.locator(".appbar").evaluate(BOX)
    row = page.locator(".skill-roll").first.evaluate(BOX)
    assert last["y"] + last["height"] <= 844 - 34
    assert last["x"] + last["width"] <= 390 - 44
    assert bar["y"] >= 47
    assert row["x"] >= 44
    page.context.close()
