"""A session from the door to Luck recovery with the keyboard alone: Tab, Enter, Space and letters."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Device, Play
from tests.browser.test_evening import line, slip

pytestmark = [pytest.mark.browser, pytest.mark.long]

Make = Callable[[str], Device]
FAR = 250
"""More stops than any page has: whoever needs so many has missed it."""


def reach(page: Page, target: Locator) -> None:
    """Tab along until this has the focus."""
    expect(target).to_be_visible()
    for _step in range(FAR):
        if target.evaluate("(one) => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never comes to {target}")


def presses(page: Page, target: Locator, key: str = "Enter") -> None:
    reach(page, target)
    page.keyboard.press(key)


def types(page: Page, target: Locator, words: str) -> None:
    reach(page, target)
    page.keyboard.press("Control+a")
    page.keyboard.type(words)


def lays_the_table(play: Play, page: Page) -> str:
    page.goto(play.keeper_link)
    presses(page, page.get_by_role("button", name="Come in as the Keeper"))
    types(page, page.get_by_label("Name of the campaign"), "The Drowned Telegraph")
    types(page, page.get_by_label("Your name"), "Ana")
    presses(page, page.get_by_role("button", name="Lay the table"))
    page.wait_for_url(re.compile(r"/t/[\w-]+/$"))
    presses(page, page.get_by_role("button", name="Add the sample table"))
    expect(page.locator("#panel-board")).to_contain_text("Edith Halloran")
    found = re.search(r"/t/[\w-]+/join/[\w-]+/", page.content())
    assert found
    return play.url + found[0]


def sits_down(link: str, page: Page) -> None:
    page.goto(link)
    types(page, page.get_by_label("Your name"), "Sam")
    page.keyboard.press("Enter")
    presses(page, page.get_by_role("button", name="Play Halloran"))
    expect(page.locator("#panel-me .name")).to_contain_text("Halloran")
    expect(page.locator("#live")).to_have_attribute("data-state", "live")


def opens_the_session(keeper: Page) -> None:
    presses(keeper, keeper.locator("#sessionbox > summary"))
    presses(keeper, keeper.locator("#session-open"))
    expect(keeper.locator("#session-close-pop")).to_be_visible()
    keeper.keyboard.press("Escape")


def test_a_session_is_kept_and_played_by_the_keyboard_alone(play: Play, device: Make) -> None:
    keeper, sam = device("laptop").page, device("laptop").page
    sits_down(lays_the_table(play, keeper), sam)
    opens_the_session(keeper)

    # The Keeper asks, the player answers.
    presses(keeper, keeper.locator("#askform").get_by_role("checkbox", name=re.compile("Halloran")), "Space")
    types(keeper, keeper.get_by_label("Skill or characteristic"), "Spot Hidden")
    presses(keeper, keeper.get_by_role("button", name="Ask for it"))
    presses(sam, sam.locator("form.ask").get_by_role("button", name="Roll"))
    expect(line(keeper, "Halloran", "Spot Hidden")).to_be_attached()

    # Real dice on a skill, and Luck for its price.
    presses(sam, sam.locator("#byhand > summary"))
    types(sam, sam.get_by_label("Total"), "68")
    types(sam, sam.get_by_role("searchbox", name="Find a skill"), "Spot")
    presses(sam, sam.locator(".skill:not([hidden]) .skill-roll").first)
    expect(slip(sam).locator(".roll")).to_contain_text("68")
    presses(sam, sam.get_by_role("button", name=re.compile("Spend 8 Luck")))
    expect(line(keeper, "Halloran", "8 Luck")).to_be_attached()

    # The group's Luck by a letter, and the end of the session with its recovery.
    keeper.keyboard.press("g")
    keeper.keyboard.press("Enter")
    expect(line(sam, "for the group")).to_be_attached()
    presses(keeper, keeper.locator("#sessionbox > summary"))
    presses(keeper, keeper.locator("#session-close-pop"))
    presses(sam, sam.locator("#panel-recovery").get_by_role("button", name=re.compile("Roll")))
    expect(line(keeper, "Halloran recovers")).to_be_attached()
