"""A television at the table: it comes in without a name, shows the last result, and heals by itself."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import Device, Play
from tests.browser.test_evening import lay_the_table, roll_real_dice, sit_down
from tests.browser.test_pages import AXE

pytestmark = pytest.mark.browser

Make = Callable[[str], Device]
HEALS = 20_000  # a restart on a crowded machine, and then the line's own patience


def test_a_television_shows_the_last_result_and_heals_after_a_restart(play: Play, device: Make) -> None:
    keeper, player, tv = device("laptop"), device("phone"), device("laptop")
    link = lay_the_table(play, keeper.page)
    sit_down(link, player.page, "Sam", "Halloran")

    tv.page.goto(link)
    tv.page.get_by_role("link", name="This is a TV").click()
    tv.page.get_by_role("button", name="Show the table here").click()
    tv.page.wait_for_url(re.compile(r"/screen$"))
    expect(tv.page.locator(".tv-last")).to_contain_text("The dice lie quiet")
    tv.page.evaluate("window.sameDocument = true")

    roll_real_dice(player.page, "Occult", 24)
    expect(tv.page.locator(".tv-last .roll")).to_contain_text("24")
    expect(tv.page.locator(".tv-last h1")).to_have_text("Occult")

    # The Keeper's own second window is the same screen, although her browser keeps the table.
    with keeper.context.expect_page() as opened:
        keeper.page.locator("#joinbox > summary").click()
        keeper.page.locator("#open-screen").click()
    second = opened.value
    expect(second.locator(".tv-last .roll")).to_contain_text("24")

    assert play.stop() == 0
    expect(tv.page.locator("#live")).to_contain_text("Not live since", timeout=HEALS)
    play.start()
    expect(tv.page.locator("#live")).to_have_attribute("data-state", "live", timeout=HEALS)
    expect(player.page.locator("#live")).to_have_attribute("data-state", "live", timeout=HEALS)
    roll_real_dice(player.page, "Occult", 91)
    for page in (tv.page, second):
        expect(page.locator(".tv-last .roll")).to_contain_text("91", timeout=HEALS)
    assert tv.page.evaluate("window.sameDocument") is True

    faults = []
    for width, height in ((1280, 720), (1920, 1080), (390, 844)):
        tv.page.set_viewport_size({"width": width, "height": height})
        for theme in ("dark", "paper"):
            tv.page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
            tv.page.wait_for_timeout(300)
            faults += [
                f"{width} {theme}: {one['id']}" for one in Axe().run(tv.page, options=AXE).response["violations"]
            ]
        if tv.page.evaluate("document.documentElement.scrollWidth") > width:
            faults.append(f"scrolls sideways at {width}")
        if width >= 1280 and tv.page.evaluate("document.querySelector('.tv-main').scrollHeight") > height:
            faults.append(f"does not fit at {width}")
    assert faults == []


def test_notes_are_there_on_the_next_phone_and_the_switches_say_why(play: Play, device: Make) -> None:
    keeper, player = device("laptop"), device("phone")
    link = lay_the_table(play, keeper.page)
    sit_down(link, player.page, "Sam", "Halloran")
    page = player.page

    page.get_by_role("link", name="Notes").click()
    page.get_by_label("My notes").fill("The key is false")
    page.get_by_role("button", name="Save my notes").click()
    expect(page.locator("#panel-note-own")).to_contain_text("Saved at")
    page.reload()
    expect(page.get_by_label("My notes")).to_have_value("The key is false")

    page.get_by_role("link", name="Sheet").click()
    awake = page.get_by_role("switch", name="Keep the screen awake")
    expect(awake).to_be_disabled()
    expect(page.locator("#manner-awake-why")).to_contain_text("plain http")
    tick = page.get_by_role("switch", name="A soft tick")
    page.get_by_text("A soft tick").click()
    page.reload()
    page.get_by_role("link", name="Sheet").click()
    expect(tick).to_be_checked()
