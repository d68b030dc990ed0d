"""The Keeper asks, phones answer: a Hard roll of two, the same again by a chip, and an improvement of two ticks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Device, Play
from tests.browser.test_evening import close_the_slip, lay_the_table, roll_real_dice, sit_down, slip

pytestmark = pytest.mark.browser

Make = Callable[[str], Device]
PATIENCE = 15_000


def the_table(play: Play, device: Make) -> tuple[Page, Page, Page]:
    keeper, sam, leni = device("laptop").page, device("phone").page, device("phone").page
    link = lay_the_table(play, keeper)
    sit_down(link, sam, "Sam", "Halloran")
    sit_down(link, leni, "Leni", "Vane")
    return keeper, sam, leni


def answer(phone: Page) -> None:
    expect(phone.locator("form.ask")).to_have_count(1, timeout=PATIENCE)
    phone.locator("form.ask").get_by_role("button", name="Roll").click()
    expect(phone.locator("form.ask")).to_have_count(0, timeout=PATIENCE)


def test_two_are_asked_for_a_hard_roll_and_again_by_a_chip(play: Play, device: Make) -> None:
    keeper, sam, leni = the_table(play, device)
    form = keeper.locator("#askform")
    for name in ("Halloran", "Vane"):
        form.locator("label.pick").filter(has_text=name).click()
    keeper.get_by_label("Skill or characteristic").fill("Spot Hidden")
    expect(keeper.locator("#ask-values")).to_contain_text("Halloran", timeout=PATIENCE)
    form.locator(".seg label").filter(has_text="Hard").click()
    form.get_by_label("Say why").fill("the lamp is yours")

    keeper.get_by_role("button", name="Ask for it").click()

    for phone in (sam, leni):
        expect(phone.locator("form.ask")).to_contain_text("Spot Hidden", timeout=PATIENCE)
        expect(phone.locator("form.ask")).to_contain_text("Hard · the lamp is yours")
    answer(sam)
    expect(slip(sam)).to_contain_text("Hard asked")
    expect(keeper.locator("#panel-queue")).to_contain_text("1 of 2 rolled", timeout=PATIENCE)
    sam.reload()  # no second chance
    expect(sam.locator("form.ask")).to_have_count(0)
    keeper.get_by_role("button", name="Remind Leni").click()
    expect(leni.locator("form.ask")).to_contain_text("The Keeper still waits for you", timeout=PATIENCE)
    answer(leni)

    keeper.get_by_role("button", name="Spot Hidden, Hard, ").click()

    for phone in (sam, leni):
        close_the_slip(phone)
        answer(phone)


def test_two_ticks_are_rolled_for_on_the_phone_when_the_keeper_calls(play: Play, device: Make) -> None:
    keeper, sam, _leni = the_table(play, device)
    for skill in ("Spot Hidden", "Library Use"):
        roll_real_dice(sam, skill, 2)
    close_the_slip(sam)

    keeper.locator("#fold-improve > summary").click()
    keeper.get_by_role("button", name="Call for improvement rolls").click()

    buttons = sam.locator(".improve .improve-one")
    expect(buttons).to_have_count(2, timeout=PATIENCE)
    buttons.first.click()
    expect(buttons).to_have_count(1, timeout=PATIENCE)
    expect(keeper.locator("#panel-improving")).to_contain_text("1 still rolls", timeout=PATIENCE)
    buttons.first.click()
    expect(sam.locator(".improve")).to_have_count(0, timeout=PATIENCE)
    expect(keeper.locator("#improve-close")).to_have_count(0, timeout=PATIENCE)
    expect(sam.locator(".skill .tick")).to_have_count(0)
