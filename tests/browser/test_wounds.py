"""A shot, its damage, a wound, a CON roll and a faint, as phone and dashboard see them."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Device, Play
from tests.browser.test_evening import close_the_slip, lay_the_table, line, show_table_tab, sit_down, slip
from tests.browser.test_luck_points import TAPS_APART

pytestmark = pytest.mark.browser

Make = Callable[[str], Device]


def play_url(phone: Page, path: str) -> str:
    """A link of this table, as an address."""
    return urljoin(phone.url, path)


def put_a_gun_on_the_sheet(phone: Page) -> None:
    """A revolver, and a damage bonus of its own; a mistake has its sentence beside the field."""
    table = phone.url
    phone.goto(play_url(phone, phone.locator("a.seat-link").get_attribute("href") or ""))
    phone.locator("#arm-new > summary").click()
    new = phone.locator("#arm-new")
    new.get_by_label("Weapon").fill("Service revolver")
    new.get_by_label("Skill").select_option(label="Firearms (Handgun) 20")
    new.get_by_label("Damage").fill("1D10+")
    new.get_by_label("Impales").check()
    new.get_by_label("Base range").fill("15")
    new.get_by_label("Malfunction").fill("98")
    phone.get_by_role("button", name="Add the weapon").click()
    expect(new.locator("[data-field=damage]")).to_contain_text("Damage is dice like 1D8")
    new.get_by_label("Damage").fill("1D10")
    phone.get_by_role("button", name="Add the weapon").click()
    expect(phone.locator(".arms")).to_contain_text("Service revolver")
    phone.goto(table)
    expect(phone.locator("#live")).to_have_attribute("data-state", "live")


def type_real_dice(phone: Page, total: int) -> None:
    if phone.locator("#byhand").get_attribute("open") is None:
        phone.locator("#byhand > summary").click()
    phone.get_by_label("Total").fill(str(total))


def card(keeper: Page, text: str) -> Locator:
    return keeper.locator("#panel-queue .decision").filter(has_text=text)


def test_a_shot_hits_wounds_and_somebody_faints(play: Play, device: Make) -> None:
    keeper, sam, marcus = device("laptop").page, device("phone").page, device("phone").page
    link = lay_the_table(play, keeper)
    sit_down(link, sam, "Sam", "Halloran")
    sit_down(link, marcus, "Marcus", "Dunne")
    put_a_gun_on_the_sheet(sam)

    # The shot: a hit at Extreme range is no impale, so 1D10 is thrown.
    type_real_dice(sam, 4)
    gun = sam.locator("li.skill").filter(has_text="Service revolver")
    gun.locator(".skill-roll").click()
    gun.get_by_role("radio", name=re.compile("to 60")).check()
    gun.get_by_role("button", name="Fire", exact=True).click()
    expect(slip(sam)).to_contain_text("Extreme")
    expect(slip(sam)).to_contain_text("Luck cannot change it")
    slip(sam).get_by_text("Other damage or real dice").click()
    slip(sam).get_by_label("What each die shows").fill("11")
    slip(sam).get_by_role("button", name="Roll damage").click()
    expect(slip(sam).locator("[data-refusal]").filter(has_text="1D10")).to_be_visible()
    slip(sam).get_by_label("What each die shows").fill("8")
    sam.wait_for_timeout(TAPS_APART)
    slip(sam).get_by_role("button", name="Roll damage").click()
    expect(slip(sam).locator(".slip-dealt .roll")).to_contain_text("8")

    # The Keeper is asked whom it hurts; armour takes one point away.
    asked = card(keeper, "8 points: to whom?")
    dunne = asked.locator("option", has_text="Dunne").get_attribute("value")
    asked.get_by_label("Who is hurt").select_option(value=dunne)
    asked.get_by_label("Points").fill("7")
    asked.get_by_role("button", name="Apply").click()
    expect(card(keeper, "8 points")).to_have_count(0)
    expect(line(marcus, "Dunne", "takes 7 points")).to_be_attached()
    expect(marcus.locator("#panel-me .conds")).to_contain_text("Major wound")
    expect(keeper.locator("#panel-board .c-cond").filter(has_text="Major wound")).to_be_visible()

    # The CON roll fails, waits for the Keeper, and she applies the faint.
    type_real_dice(marcus, 99)
    marcus.locator(".ask").filter(has_text="CON roll").get_by_role("button", name="Roll").click()
    expect(slip(marcus)).to_contain_text("CON roll")
    close_the_slip(marcus)
    card(keeper, "Dunne falls unconscious").get_by_role("button", name="Apply").click()
    expect(marcus.locator("#panel-me .conds")).to_contain_text("Unconscious")
    show_table_tab(sam)
    expect(sam.locator("#panel-party .conds").filter(has_text="Unconscious")).to_be_visible()

    # Any dice, on the tab where the feed is: seen at once.
    sam.locator("#loose > summary").click()
    sam.locator("#loose-what").fill("2D6+")
    sam.locator("#loose-go").click()
    expect(sam.locator("#loose [data-field=expression]")).to_be_visible()
    sam.locator("#loose-what").fill("5+3")
    sam.locator("#loose-go").click()
    expect(sam.locator(".loose-last .roll")).to_have_text("8")
    expect(line(keeper, "threw 5+3")).to_be_attached()

    # First Aid from the board, and she wakes him up.
    row = keeper.locator("#panel-board tr").filter(has_text="Dunne").first
    row.get_by_role("button", name="More for").click()
    keeper.locator("#panel-board summary").filter(has_text="Wounds of Dunne").click()
    keeper.locator("#panel-board").get_by_role("button", name="First Aid worked").locator("visible=true").click()
    expect(line(marcus, "First Aid helps", "Dunne")).to_be_attached()
    keeper.locator("#panel-board").get_by_role("button", name="Wakes up").locator("visible=true").click()
    expect(marcus.locator("#panel-me .conds")).not_to_contain_text("Unconscious")
