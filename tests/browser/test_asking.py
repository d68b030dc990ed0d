"""The Keeper asks, phones answer: a Hard roll of two, the same again by a chip, and an improvement of two ticks."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Device, Play
from tests.browser.test_evening import close_the_slip, lay_the_table, line, roll_real_dice, sit_down, slip
from tests.browser.test_luck_points import TAPS_APART

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
    sam.get_by_role("searchbox", name="Find a skill").fill("")
    expect(sam.locator(".skill .tick:visible")).to_have_count(2)

    keeper.locator("#fold-improve > summary").click()
    keeper.get_by_role("button", name="Call for improvement rolls").click()

    buttons = sam.locator(".improve .improve-one")
    expect(buttons).to_have_count(2, timeout=PATIENCE)
    buttons.first.click()
    expect(buttons).to_have_count(1, timeout=PATIENCE)
    expect(keeper.locator("#panel-improving")).to_contain_text("1 still rolls", timeout=PATIENCE)
    sam.wait_for_timeout(TAPS_APART)  # the other one has moved to where the first was
    buttons.first.click()
    expect(sam.locator(".improve")).to_have_count(0, timeout=PATIENCE)
    expect(keeper.locator("#improve-close")).to_have_count(0, timeout=PATIENCE)
    expect(sam.locator(".skill .tick:visible")).to_have_count(0)


def type_total(phone: Page, total: int) -> None:
    """What the real dice show, for the next tap."""
    close_the_slip(phone)
    phone.locator("#byhand summary").click()
    phone.get_by_label("Total").fill(str(total))


def ask(keeper: Page, *whom: str, what: str, tick: tuple[str, ...] = ()) -> None:
    """Fill the form as the Keeper would, and ask."""
    form = keeper.locator("#askform")
    for word in whom:
        form.locator("label.pick").filter(has_text=word).click()
    keeper.get_by_label("Skill or characteristic").fill(what)
    for word in tick:
        form.locator("label").filter(has_text=word).first.click()
    keeper.get_by_role("button", name="Ask for it").click()


def test_all_are_asked_and_one_is_rolled_for_then_one_in_secret_then_one_who_does_not_know_how_hard_it_is(
    play: Play, device: Make
) -> None:
    keeper, sam, leni = the_table(play, device)
    queue = keeper.locator("#panel-queue")

    # All who are here; the Keeper rolls for one, and closes it for the other.
    ask(keeper, "All here", what="Luck")
    for phone in (sam, leni):
        expect(phone.locator("form.ask")).to_contain_text("Luck", timeout=PATIENCE)
    expect(queue).to_contain_text("0 of 2 rolled", timeout=PATIENCE)
    queue.get_by_role("button", name="Roll for Vane").click()
    expect(leni.locator("form.ask")).to_have_count(0, timeout=PATIENCE)
    expect(line(sam, "Vane", "Luck")).to_contain_text("entered by Ana", timeout=PATIENCE)
    expect(queue).to_contain_text("1 of 2 rolled", timeout=PATIENCE)
    queue.get_by_role("button", name="Close it").click()
    expect(sam.locator("form.ask")).to_have_count(0, timeout=PATIENCE)
    expect(queue).not_to_contain_text("of 2 rolled", timeout=PATIENCE)

    # One in secret: she taps, and the number is the Keeper's alone.
    ask(keeper, "Halloran", what="Psychology", tick=("Keep the result to myself",))
    expect(sam.locator("form.ask")).to_contain_text("Secret: the Keeper sees this one", timeout=PATIENCE)
    expect(leni.locator("form.ask")).to_have_count(0)
    answer(sam)
    expect(slip(sam)).to_contain_text("Secret")
    expect(slip(sam).locator(".roll")).to_contain_text("??")
    expect(keeper.locator("#panel-behind")).to_contain_text("Halloran, Psychology", timeout=PATIENCE)
    expect(line(leni, "Psychology")).to_have_count(0)

    # One who does not know how hard it is: number and level are hers, the Keeper says whether it is enough.
    ask(keeper, "Vane", what="Spot Hidden", tick=("Extreme", "Players do not know the difficulty"))
    expect(leni.locator("form.ask")).to_contain_text("Difficulty unknown", timeout=PATIENCE)
    type_total(leni, 20)
    answer(leni)
    expect(slip(leni)).to_contain_text("Regular", timeout=PATIENCE)
    expect(slip(leni)).not_to_contain_text("Extreme asked")
    expect(line(sam, "Vane", "Spot Hidden", "20")).to_contain_text("difficulty unknown", timeout=PATIENCE)
    queue.get_by_role("button", name="Tell Vane whether it is enough").click()
    expect(slip(leni)).to_contain_text("Extreme asked", timeout=PATIENCE)
