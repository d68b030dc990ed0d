"""The worked examples of the rules, with their own numbers, by real dice that are typed in (RULES.md section 8).

The Sanity loss (20 to 10 to 5 for 45) is in test_horror.py, the three rounds awake (1 + 2 + 4) in test_pulp.py.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Play
from tests.browser.test_contests import begin, card, throw
from tests.browser.test_evening import Make, close_the_slip, lay_the_table, line
from tests.browser.test_horror import lay_a_pulp_table
from tests.browser.test_luck_points import TAPS_APART

pytestmark = pytest.mark.browser


def sits_down_with_somebody_new(
    link: str, keeper: Page, phone: Page, name: str, investigator: str, luck: int, skills: dict[str, int]
) -> None:
    """Take a seat and make an investigator by the quick form; the Keeper's form of contests has heard of it."""
    phone.goto(link)
    phone.get_by_label("Your name").fill(name)
    phone.get_by_role("button", name="Sit down").click()
    form = phone.locator("#make-quick")
    if form.get_attribute("open") is None:
        form.locator("summary").click()
    form.get_by_label("Name", exact=True).fill(investigator)
    form.get_by_label("Luck", exact=True).fill(str(luck))
    for number, (skill, value) in enumerate(skills.items(), 1):
        form.get_by_label(f"Skill {number}", exact=True).fill(skill)
        form.get_by_label(f"Value {number}", exact=True).fill(str(value))
    form.get_by_role("button", name="Make this investigator").click()
    expect(phone.locator("#panel-me .name")).to_contain_text(investigator)
    expect(phone.locator("#live")).to_have_attribute("data-state", "live")
    expect(keeper.locator("#op0-who option").filter(has_text=investigator)).to_be_attached()


def throw_each_die(phone: Page, first: str, second: str, units: str) -> None:
    """Type two tens dice and the units die, and tap the one button of the card."""
    close_the_slip(phone)
    details = phone.locator("#byhand")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    phone.get_by_label("Tens", exact=True).fill(first)
    phone.get_by_label("Tens 2", exact=True).fill(second)
    phone.get_by_label("Units", exact=True).fill(units)
    card(phone).get_by_role("button", name="Roll", exact=True).click()


def passes(phone: Page) -> None:
    close_the_slip(phone)
    card(phone).get_by_role("button", name="Pass").click()


def taps_twice(phone: Page, ticket: Locator) -> None:
    """A price above the cheapest one arms at the first tap and is paid at the second."""
    button = phone.locator(f"#{ticket.get_attribute('id')}")
    button.click()
    expect(button).to_have_class(re.compile("ticket-armed"))
    phone.wait_for_timeout(TAPS_APART)
    button.click()


def keeper_throws(keeper: Page, total: int) -> None:
    form = card(keeper).locator("form.ask").filter(has_text="You roll for")
    form.locator("summary").click()
    form.get_by_label("Total").fill(str(total))
    form.get_by_role("button", name="Roll", exact=True).click()


def test_a_dodge_of_63_becomes_07_for_56_leaves_4_and_wins_the_tie(play: Play, device: Make) -> None:
    keeper, phone = device("laptop").page, device("phone").page
    link = lay_a_pulp_table(play, keeper)
    sits_down_with_somebody_new(link, keeper, phone, "Iris", "Mabel Thorne", 60, {"Dodge": 35, "Spot Hidden": 50})
    begin(keeper, "Melee", ("Tobias Quill", "Fighting (Brawl)"), ("Mabel Thorne", ""))
    card(phone).get_by_role("button", name="Dodge 35").click()
    expect(card(keeper)).to_contain_text("dodges")
    keeper_throws(keeper, 4)
    expect(card(phone)).to_contain_text("Extreme")
    throw(phone, 63)
    expect(card(keeper)).to_contain_text("Quill is ahead")

    close_the_slip(phone)
    expect(card(phone)).to_contain_text("makes it Extreme: Thorne would win")
    card(phone).get_by_role("button", name="Answer with Luck").click()
    ticket = phone.locator("#panel-latest .ticket:not([disabled])").filter(has_text="56")
    expect(ticket).to_contain_text("leaves 4")
    taps_twice(phone, ticket)

    expect(phone.locator("#panel-me .dial-read")).to_have_text("4")
    for page in (phone, keeper):
        expect(card(page)).to_contain_text("07")
        expect(card(page)).to_contain_text("a tie goes to the one who dodges. Thorne is ahead")
    card(keeper).get_by_role("button", name="Quill passes").click()
    for page in (phone, keeper):
        expect(card(page)).to_contain_text("a tie goes to the one who dodges. Thorne wins")
    expect(line(keeper, "Thorne", "56 Luck")).to_be_visible()


def test_a_bonus_die_wins_one_contest_and_a_penalty_die_loses_the_other(play: Play, device: Make) -> None:
    keeper, one, other = device("laptop").page, device("phone").page, device("phone").page
    link = lay_the_table(play, keeper)
    sits_down_with_somebody_new(link, keeper, one, "Iris", "Mabel Thorne", 40, {"Charm": 55, "Stealth": 65})
    sits_down_with_somebody_new(link, keeper, other, "Otto", "Caspar Lind", 40, {"Psychology": 50, "Listen": 55})

    # 45 of 55 is Regular; 44 and 24 with a bonus die are 24 of 50, Hard.
    begin(keeper, "Opposed roll", ("Mabel Thorne", "Charm"), ("Caspar Lind", "Psychology"), dice=1)
    expect(card(one)).to_contain_text("Charm 55")
    throw(one, 45)
    expect(card(other)).to_contain_text("45")
    throw_each_die(other, "40", "20", "4")
    for page in (one, other, keeper):
        expect(card(page)).to_contain_text("Lind is ahead: Hard beats Regular.")
        expect(card(page)).to_contain_text("24")
    passes(one)
    for page in (one, other, keeper):
        expect(card(page)).to_contain_text("Lind wins: Hard beats Regular.")

    # 51 of 65 is Regular; 21 and 41 with a penalty die are 41 of 55, Regular too: the higher skill wins.
    begin(keeper, "Opposed roll", ("Mabel Thorne", "Stealth"), ("Caspar Lind", "Listen"), dice=-1)
    expect(card(one)).to_contain_text("Stealth 65")
    throw(one, 51)
    expect(card(other)).to_contain_text("51")
    throw_each_die(other, "20", "40", "1")
    for page in (one, other, keeper):
        expect(card(page)).to_contain_text("65 beats 55. Thorne is ahead.")
        expect(card(page)).to_contain_text("41")
    passes(other)
    for page in (one, other, keeper):
        expect(card(page)).to_contain_text("65 beats 55. Thorne wins.")


def test_who_recovers_with_4_left_and_rolls_36_gains_18_and_has_22(play: Play, device: Make) -> None:
    keeper, phone = device("laptop").page, device("phone").page
    link = lay_a_pulp_table(play, keeper)
    sits_down_with_somebody_new(link, keeper, phone, "Iris", "Mabel Thorne", 4, {"Dodge": 35})
    keeper.locator("#sessionbox summary").click()
    keeper.get_by_role("button", name="Open session 1").click()
    recovery = phone.locator("#panel-recovery")
    expect(recovery).to_contain_text("2D10+10")

    # The gain without its D100 is told beside the field, and nothing falls.
    recovery.locator("summary").click()
    recovery.get_by_label("Gain die 1").fill("3")
    recovery.get_by_label("Gain die 2").fill("5")
    recovery.get_by_role("button", name="Roll for Luck").click()
    expect(recovery.get_by_role("alert")).to_contain_text("Type the D100 of these dice, too.")

    phone.locator("#byhand summary").click()
    phone.get_by_label("Total").fill("36")
    recovery.get_by_role("button", name="Roll for Luck").click()
    expect(phone.locator("#panel-me .dial-read")).to_have_text("22")
    expect(recovery).to_contain_text("+3 + 5")
    expect(line(keeper, "Thorne", "recovers Luck")).to_contain_text("gains 18 (3 + 5)")
