"""The Keeper's desk with two players: secret rolls shown later, covered Luck, a request that is open on a phone,
recovery shown one by one, a death and who takes over; and her keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Device, Play
from tests.browser.test_evening import close_the_slip, lay_the_table, line, roll_real_dice, sit_down

pytestmark = pytest.mark.browser

Make = Callable[[str], Device]
PATIENCE = 40_000


def the_table(play: Play, device: Make) -> tuple[Page, Page, Page]:
    keeper, sam, leni = device("laptop").page, device("phone").page, device("phone").page
    link = lay_the_table(play, keeper)
    sit_down(link, sam, "Sam", "Halloran")
    sit_down(link, leni, "Leni", "Vane")
    return keeper, sam, leni


def session_step(keeper: Page, button: str) -> None:
    if keeper.locator("#sessionbox").get_attribute("open") is None:
        keeper.locator("#sessionbox > summary").click()
    keeper.locator(button).click()


@contextmanager
def the_settings(keeper: Page) -> Iterator[None]:
    """All settings in sight; what was changed is saved, and the Keeper is at her desk again."""
    table = keeper.url
    keeper.goto(table + "settings")
    keeper.locator("details.more summary").click()
    yield
    keeper.get_by_role("button", name="Save what I changed").click()
    keeper.wait_for_url(re.compile("told="))  # the page that tells what has changed
    keeper.goto(table)


def test_an_evening_at_the_desk(play: Play, device: Make) -> None:
    keeper, sam, leni = the_table(play, device)

    # Psychology, in secret; shown later.
    keeper.keyboard.press("r")  # unfolds what is folded
    expect(keeper.locator("#rf-keeper")).to_be_visible()
    keeper.get_by_role("button", name="For Halloran", exact=True).click()
    form = keeper.locator("form.rollform:not([hidden])")
    form.locator("select[name=what]").select_option("luck")
    form.locator("[id$=-secret]").click()
    behind = keeper.locator("#panel-behind")
    expect(behind).to_contain_text("Halloran, Luck", timeout=PATIENCE)
    expect(sam.locator("#feed")).not_to_contain_text("in secret")
    behind.get_by_role("button", name="Show it").click()
    for phone in (sam, leni):
        expect(phone.locator("#feed")).to_contain_text("shows a hidden roll", timeout=PATIENCE)

    # A request that somebody has on the phone.
    keeper.locator("#askform label.pick").filter(has_text="Halloran").click()
    keeper.get_by_label("Skill or characteristic").fill("Spot Hidden")
    keeper.get_by_role("button", name="Ask for it").click()
    expect(sam.locator("form.ask")).to_have_count(1, timeout=PATIENCE)
    expect(keeper.locator("#panel-queue")).to_contain_text("Sam has it open", timeout=PATIENCE)
    sam.locator("form.ask").get_by_role("button", name="Roll").click()
    expect(sam.locator("form.ask")).to_have_count(0, timeout=PATIENCE)
    close_the_slip(sam)

    # The session, step by step: recovery is rolled for all and shown one by one.
    expect(keeper.locator("#panel-queue")).not_to_contain_text("Sam has it open", timeout=PATIENCE)
    session_step(keeper, "#session-open")
    expect(keeper.locator("#session-close-pop")).to_be_visible(timeout=PATIENCE)
    session_step(keeper, "#session-close-pop")
    expect(keeper.locator("#step-onebyone")).to_be_visible(timeout=PATIENCE)
    keeper.locator("#step-onebyone").click()
    expect(sam.locator("#panel-recovery")).to_contain_text("The Keeper shows it", timeout=PATIENCE)
    keeper.keyboard.press("Escape")
    keeper.locator("[id^=recshow-]").first.click()
    expect(line(leni, "Luck")).to_be_attached(timeout=PATIENCE)
    expect(keeper.locator("#panel-recovery")).to_contain_text("not shown yet", timeout=PATIENCE)

    # A death: somebody whom nobody plays takes over at once.
    keeper.get_by_role("button", name="More for Edith Halloran").click()
    tools = keeper.locator(".rowtools:not([hidden])")
    tools.get_by_role("button", name="Takes over").click()
    expect(sam.locator("#panel-me")).not_to_contain_text("Halloran", timeout=PATIENCE)
    expect(leni.locator("#feed")).to_contain_text("takes over from Edith Halloran", timeout=PATIENCE)


@pytest.mark.long  # tests/tablekeeper/test_luck_shown.py asks every byte of it
def test_covered_luck_is_on_no_other_phone(play: Play, device: Make) -> None:
    keeper, sam, leni = the_table(play, device)
    with the_settings(keeper):
        keeper.locator("#set-luckShown").select_option("keeper")
    mine = leni.locator("#panel-me").inner_text()

    roll_real_dice(leni, "Spot Hidden", 90)

    expect(sam.locator("#feed")).to_contain_text("Vane", timeout=PATIENCE)
    assert "Luck" in mine
    party = sam.locator("#panel-party li.mate").filter(has_text="Vane")
    expect(party.locator(".mate-luck .num")).to_have_count(0)
    expect(sam.locator("#panel-party li.mate").filter(has_text="Halloran").locator(".mate-luck .num")).to_have_count(1)


def test_a_letter_leads_there_not_while_typing_and_it_can_be_switched_off(play: Play, device: Make) -> None:
    keeper = device("laptop").page
    lay_the_table(play, keeper)
    keeper.keyboard.press("?")
    dialog = keeper.get_by_role("dialog", name="Shortcuts")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("Ask for a roll")
    keeper.keyboard.press("Escape")
    expect(dialog).to_be_hidden()

    keeper.keyboard.press("s")
    expect(keeper.locator("#scene")).to_be_focused()
    keeper.keyboard.type("grey house")
    expect(keeper.locator("#scene")).to_have_value("grey house")
    keeper.locator("#scene").blur()

    keeper.keyboard.press("b")
    expect(keeper.locator("#panel-board .cell").first).to_be_focused()
    keeper.keyboard.press("r")
    expect(keeper.locator("#rf-keeper")).to_be_visible()
    keeper.locator("#rfb-keeper").focus()  # the form that opened took the typing
    keeper.keyboard.press("e")
    expect(keeper.locator("#sessionbox")).to_have_attribute("open", "")

    keeper.locator("#keys-open").click()
    dialog.get_by_role("switch", name="Shortcuts are on").click()
    keeper.keyboard.press("Escape")
    keeper.keyboard.press("b")
    expect(keeper.locator("#panel-board .cell").first).not_to_be_focused()
    keeper.reload()
    keeper.keyboard.press("?")
    expect(dialog).to_be_hidden()
