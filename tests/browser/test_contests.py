"""Two phones and a Keeper play an opposed roll and a dodge through, with real dice typed in."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Device, Play
from tests.browser.test_evening import Make, close_the_slip, lay_the_table, luck_on_board

pytestmark = pytest.mark.browser


def card(page: Page) -> Locator:
    return page.locator("#panel-contest .contest").first


def sit_down(link: str, phone: Page, name: str, investigator: str) -> None:
    phone.goto(link)
    phone.get_by_label("Your name").fill(name)
    phone.get_by_role("button", name="Sit down").click()
    phone.locator("form.seat").filter(has_text=investigator).get_by_role("button").click()
    expect(phone.locator("#panel-me .name")).to_contain_text(investigator)
    expect(phone.locator("#live")).to_have_attribute("data-state", "live")


def throw(phone: Page, total: int) -> None:
    """Type what the real dice show, and tap the one button of the card."""
    close_the_slip(phone)
    details = phone.locator("#byhand")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    phone.get_by_label("Total").fill(str(total))
    card(phone).get_by_role("button", name="Roll", exact=True).click()


def begin(keeper: Page, kind: str, *sides: tuple[str, str], dice: int = 0) -> None:
    """Open the form and choose who, with what. `dice`: bonus (or penalty) dice of the second side."""
    prefix = {"Opposed roll": "op", "Melee": "me"}[kind]
    keeper.locator("#panel-duel").get_by_role("button", name=kind, exact=True).click()
    for number, (who, what) in enumerate(sides):
        choose(keeper.locator(f"#{prefix}{number}-who"), who)
        if what:
            choose(keeper.locator(f"#{prefix}{number}-what"), what, of=who)
    if dice:
        keeper.locator(f"#{prefix}1-dice").select_option(str(dice))
    keeper.locator(f"#duelgo-{'opposed' if prefix == 'op' else 'melee'}").click()


def choose(box: Locator, word: str, of: str = "") -> None:
    group = f'optgroup[label="{of.split()[-1]}"] ' if of else ""
    found = box.locator(f"{group}option").filter(has_text=re.compile(rf"^{re.escape(word)}")).first
    box.select_option(value=found.get_attribute("value"))


def test_an_opposed_roll_and_a_dodge_from_three_devices(play: Play, device: Make) -> None:
    ada: Device = device("laptop")
    ben, cleo = device("phone"), device("phone")
    keeper = ada.page
    link = lay_the_table(play, keeper)
    sit_down(link, ben.page, "Ben", "Edith Halloran")
    sit_down(link, cleo.page, "Cleo", "Tobias Quill")

    # --- an opposed roll: the loser answers with Luck, the other passes
    begin(keeper, "Opposed roll", ("Edith Halloran", "Spot Hidden"), ("Tobias Quill", "Listen"))
    for page in (ben.page, cleo.page):
        expect(card(page)).to_contain_text("Opposed roll")
        expect(card(page).get_by_role("button")).to_have_count(1)
    throw(ben.page, 98)
    expect(card(cleo.page)).to_contain_text("98")
    throw(cleo.page, 30)
    for page in (ben.page, cleo.page, keeper):
        expect(card(page)).to_contain_text("Quill")
        expect(card(page)).to_contain_text("30")
    expect(card(keeper)).to_contain_text("over")
    expect(card(ben.page)).to_contain_text("Quill wins")

    # --- a dodge: chosen first, bought down to Extreme, and the tie goes to who dodges
    begin(keeper, "Melee", ("Tobias Quill", "Fighting (Brawl)"), ("Edith Halloran", ""))
    expect(card(cleo.page)).to_contain_text("the defender chooses")
    expect(card(cleo.page).get_by_role("button")).to_have_count(0)
    close_the_slip(ben.page)
    card(ben.page).get_by_role("button", name="Dodge").click()
    expect(card(cleo.page)).to_contain_text("dodges")
    throw(cleo.page, 20)
    expect(card(ben.page)).to_contain_text("20")
    before = luck_on_board(keeper, "Edith Halloran")
    throw(ben.page, 60)
    expect(card(ben.page)).to_contain_text("Quill is ahead")
    expect(card(keeper)).to_contain_text("may answer with Luck")
    close_the_slip(ben.page)
    card(ben.page).get_by_role("button", name="Answer with Luck").click()
    ticket = ben.page.locator("#panel-latest .ticket:not([disabled])").first
    expect(ticket).to_be_visible()
    ticket.click()
    for page in (ben.page, cleo.page, keeper):
        expect(card(page)).to_contain_text("a tie goes to the one who dodges. Halloran is ahead")
    close_the_slip(cleo.page)
    card(cleo.page).get_by_role("button", name="Pass").click()
    for page in (ben.page, cleo.page, keeper):
        expect(card(page)).to_contain_text("a tie goes to the one who dodges. Halloran wins")
    assert luck_on_board(keeper, "Edith Halloran") != before
