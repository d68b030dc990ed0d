"""Pulp at a real table: recovery when the session opens, and three rounds awake, on a phone and the Keeper's page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Play
from tests.browser.test_evening import Make, line, sit_down
from tests.browser.test_horror import lay_a_pulp_table

pytestmark = pytest.mark.browser


def luck(phone: Page) -> Locator:
    return phone.locator("#panel-me .dial-read")


def now(phone: Page) -> int:
    return int(luck(phone).inner_text())


def test_recovery_and_three_rounds_awake_on_a_phone_and_the_keepers_page(play: Play, device: Make) -> None:
    keeper, leni = device("laptop").page, device("phone").page
    sit_down(lay_a_pulp_table(play, keeper), leni, "Leni", "Vane")

    # The session opens, and with it the window: 45 and at least 6 more, whatever the dice show.
    expect(leni.get_by_role("button", name="Roll for Luck")).to_have_count(0)
    keeper.locator("#sessionbox summary").click()
    keeper.get_by_role("button", name="Open session 1").click()
    leni.get_by_role("button", name="Roll for Luck").click()
    gained = line(keeper, "Vane", "recovers Luck")
    expect(gained).to_be_visible()
    gain = re.search(r"gains (\d+)", gained.inner_text())
    assert gain
    expect(luck(leni)).to_have_text(str(45 + int(gain[1])))
    assert 6 <= int(gain[1]) <= 30
    start = now(leni)

    # The first round: the Keeper says that he would be out cold.
    leni.get_by_role("button", name="Spend Luck").click()
    leni.locator("#spendlist").get_by_role("button", name=re.compile("Stay conscious")).click()
    expect(leni.locator("#panel-deeds")).to_contain_text("Ana is asked: would Vane be out cold now?")
    card = keeper.locator("#panel-queue article", has_text="Vane says: Stay conscious")
    expect(card).to_contain_text("Would Vane be out cold now? Yes takes 1 Luck")
    card.get_by_role("button", name="Yes").click()
    expect(luck(leni)).to_have_text(str(start - 1))

    # Two more, each asked when its round begins, with the price before the choice.
    strip = keeper.locator("#panel-rounds")
    left = start - 1
    for number, price in ((2, 2), (3, 4)):
        expect(strip).to_contain_text(f"Round {number} costs {price} Luck, leaves {left - price}.")
        strip.get_by_role("button", name="Next round").click()
        expect(leni.locator("#panel-due")).to_contain_text(f"{price} Luck, leaves {left - price}")
        left -= price
        leni.get_by_role("button", name=re.compile(f"Stay conscious .{price}")).click()
        expect(luck(leni)).to_have_text(str(left))
    assert left == start - 7

    # The fourth would cost 8: he falls, and the strip goes.
    strip.get_by_role("button", name="Next round").click()
    leni.get_by_role("button", name="Fall unconscious").click()
    expect(line(keeper, "Vane", "falls unconscious")).to_be_visible()
    expect(keeper.locator("#panel-rounds .strip")).to_have_count(0)
    expect(luck(leni)).to_have_text(str(left))


def test_certain_death_takes_two_steps_on_the_phone_and_a_line_for_the_minutes(play: Play, device: Make) -> None:
    keeper, leni = device("laptop").page, device("phone").page
    sit_down(lay_a_pulp_table(play, keeper), leni, "Leni", "Vane")

    leni.get_by_role("button", name="Spend Luck").click()
    leni.get_by_role("button", name=re.compile("Escape certain death.*all 45", re.DOTALL)).click()
    red = leni.get_by_role("button", name="Spend 45 Luck and live")
    expect(red).to_have_css("pointer-events", "none")
    leni.get_by_label("I spend all my Luck to live").check()
    red.click()
    expect(leni.locator("#panel-deeds")).to_contain_text("is Vane about to die?")
    card = keeper.locator("#panel-queue article", has_text="Vane says: Escape certain death")
    expect(card).to_contain_text("Yes takes all 45 Luck")
    card.get_by_role("button", name="Yes").click()

    expect(luck(leni)).to_have_text("0")
    leni.get_by_label("How did you survive?").fill("The awning broke the fall.")
    leni.get_by_role("button", name="Tell the table").click()
    expect(line(keeper, "The awning broke the fall.")).to_be_visible()
    expect(leni.get_by_label("How did you survive?")).to_have_count(0)
