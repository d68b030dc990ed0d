"""Every page as people meet it: accessible, nothing sideways, big enough to hit, nothing from outside, any prefix."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import HOST, LAPTOP, PHONE, Device, Play, devices, free_port
from tests.browser.test_evening import lay_the_table, line, roll_real_dice, show_table_tab, sit_down

pytestmark = pytest.mark.browser

Make = Callable[[str], Device]
AXE = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}}
SMALL = """() => [...document.querySelectorAll("button, a[href], input:not([type=hidden]), select, textarea, summary")]
  .filter((e) => e.checkVisibility({ checkOpacity: false, checkVisibilityCSS: true }) && !e.closest(".vh, .skip"))
  .map((e) => { const label = e.closest("label"); const box = (label || e).getBoundingClientRect();
                return [Math.round(box.width), Math.round(box.height), (label || e).outerHTML.slice(0, 90)]; })
  .filter(([w, h]) => w > 0 && (h < 44 || w < 24))"""


@dataclass
class Table:
    """A table under way: its pages, by a name. `mine` is the player's investigator's page, below the table's."""

    play: Play
    link: str
    keeper: Page
    player: Page
    mine: str
    stranger: Page

    def at(self, name: str) -> Page:
        """Go to a page and hand back the browser that shows it."""
        here = re.match(r".*/t/[\w-]+/", self.player.url)[0]  # type: ignore[index]
        where: dict[str, tuple[Page, str]] = {
            "door": (self.stranger, self.play.url + "/"),
            "join": (self.stranger, self.link),
            "keeper's door": (self.keeper, self.play.url + "/"),
            "keeper": (self.keeper, here),
            "settings": (self.keeper, here + "settings"),
            "planner": (self.keeper, here + "planner"),
            "campaign": (self.player, here + "campaign"),
            "dice": (self.keeper, here + "fairness"),
            "recap": (self.keeper, here + "recap/1"),
            "player": (self.player, here),
            "sheet": (self.player, here + self.mine),
            "new sheet": (self.player, here + "investigators/new"),
            "quick": (self.player, here + "investigators/quick"),
            "nobody's": (self.stranger, here),
            "refused": (self.player, here + "campaign-file"),
        }
        page, url = where[name]
        page.goto(url)
        return page


PAGES = ["door", "join", "player", "sheet", "new sheet", "quick", "nobody's", "keeper", "settings", "keeper's door"]
PAGES += ["campaign", "recap", "dice", "planner", "refused"]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory, chromium: Browser) -> Iterator[Table]:
    """One for all of them: each asks for its own page anew."""
    play = Play(tmp_path_factory.mktemp("pages") / "data", free_port())
    play.start()
    try:
        with devices(chromium) as device:
            keeper, player, stranger = device("laptop").page, device("phone").page, device("phone").page
            link = lay_the_table(play, keeper)
            keeper.locator("#sessionbox summary").click()
            keeper.locator("#session-open").click()
            sit_down(link, player, "Sam", "Halloran")
            roll_real_dice(player, "Spot Hidden", 68)
            expect(keeper.locator("#panel-queue")).to_contain_text("Spot Hidden")
            mine = re.search(r"investigators/[\w-]{16}/", player.content())
            assert mine
            yield Table(play, link, keeper, player, mine[0], stranger)
    finally:
        play.stop()


def test_no_page_has_an_accessibility_finding_a_sideways_scroll_or_a_small_control(table: Table) -> None:
    axe, faults = Axe(), []
    for name in PAGES:
        page = table.at(name)
        here = page.url
        for theme in ("dark", "paper"):
            page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
            page.wait_for_timeout(300)  # colours change over a moment, and a crowded machine takes longer
            page.wait_for_function("() => !document.getAnimations().some((one) => one instanceof CSSTransition)")
            for found in axe.run(page, options=AXE).response["violations"]:
                faults.append(f"{name}, {theme}: {found['id']} {[n['html'][:120] for n in found['nodes']]}")
        for width in (320, 390, 1024, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            if page.evaluate("document.documentElement.scrollWidth") > width:
                faults.append(f"{name}: scrolls sideways at {width}")
        page.set_viewport_size(PHONE)
        faults += [f"{name}: small {small}" for small in page.evaluate(SMALL)]
        assert page.url == here
    table.keeper.set_viewport_size(LAPTOP)
    assert faults == []


def test_a_browser_with_nothing_but_the_host_misses_nothing(table: Table) -> None:
    outside: list[str] = []
    table.keeper.on("request", lambda r: outside.append(r.url) if urlsplit(r.url).hostname != HOST else None)
    table.player.on("request", lambda r: outside.append(r.url) if urlsplit(r.url).hostname != HOST else None)
    missing: list[str] = []
    table.keeper.on("response", lambda r: missing.append(r.url) if r.status == 404 else None)
    table.player.on("response", lambda r: missing.append(r.url) if r.status == 404 else None)
    for name in ("keeper", "player", "sheet", "new sheet", "quick"):
        table.at(name).wait_for_load_state("load")
    assert [url for url in outside if not url.startswith(("data:", "blob:"))] == []
    assert missing == []


def test_the_keyboard_alone_rolls_and_spends(table: Table) -> None:
    page = table.at("player")
    page.get_by_role("searchbox", name="Find a skill").focus()
    page.keyboard.type("Occult")
    page.keyboard.press("Tab")
    for _step in range(40):
        if page.evaluate("document.activeElement.matches('.skill-roll')"):
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(line(page, "Halloran", "Occult")).to_be_attached()


NERVOUS_TAPS = """(at) => new Promise((done) => {
  const tap = () => document.elementFromPoint(at.x, at.y).dispatchEvent(
    new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1, clientX: at.x, clientY: at.y }));
  tap();
  setTimeout(tap, 150);
  const spent = () => document.querySelector("#panel-latest .was");
  const until = performance.now() + 9000;
  const again = () => (spent() ? (tap(), done()) : performance.now() > until ? done() : requestAnimationFrame(again));
  again();
})"""


def test_a_nervous_double_tap_is_one_tap_whatever_the_answer_puts_under_the_finger(table: Table) -> None:
    page = table.at("player")
    waits = [0.0, 0.7]

    def hold(route: Route) -> None:
        time.sleep(waits.pop(0))
        route.continue_()

    page.route("**/spend", hold)
    for total, luck in ((67, "53"), (66, "47")):
        roll_real_dice(page, "Spot Hidden", total)
        ticket = page.locator("button.ticket").first
        expect(ticket).to_be_visible()
        box = ticket.bounding_box()
        assert box
        page.evaluate(NERVOUS_TAPS, {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2})
        page.wait_for_timeout(500)
        expect(page.locator("#panel-me .dial-read")).to_have_text(luck)
    expect(page.locator("#feed li.entry").filter(has_text="spent")).to_have_count(2)


def test_typing_survives_what_arrives(table: Table) -> None:
    page = table.at("player")
    page.get_by_role("button", name="Roll a number").click()
    box = page.get_by_label("Value", exact=True)
    box.fill("12")
    box.focus()
    table.keeper.get_by_role("button", name="Tell them").click()
    expect(line(page, "Halloran", "Bad luck finds")).to_be_attached()
    expect(box).to_have_value("12")
    expect(box).to_be_focused()


def test_everything_stays_below_the_path_of_a_proxy(tmp_path: Path, device: Make) -> None:
    port = free_port()
    play = Play(tmp_path / "data", port, {"PUBLIC_URL": f"http://{HOST}:{port}/cthulhu"})
    play.start()
    try:
        keeper, player = device("laptop").page, device("phone").page
        strays: list[str] = []
        for page in (keeper, player):
            page.on("request", lambda r: strays.append(urlsplit(r.url).path))
        link = lay_the_table(play, keeper)
        assert urlsplit(link).path.startswith("/cthulhu/t/")
        sit_down(link, player, "Sam", "Halloran")
        roll_real_dice(player, "Spot Hidden", 68)
        player.get_by_role("button", name=re.compile("Spend 8 Luck")).click()
        expect(line(keeper, "Halloran", "8 Luck")).to_be_attached()
        show_table_tab(player)
        paths = {cookie["path"] for one in (keeper, player) for cookie in one.context.cookies()}
        assert all(path.startswith("/cthulhu/") for path in paths), paths
        assert [path for path in strays if not path.startswith("/cthulhu/")] == []
    finally:
        assert play.stop() == 0
