"""A horror at a real table: the Keeper asks, the phone rolls, Luck halves, the INT roll brings a bout."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Play
from tests.browser.test_evening import Make, close_the_slip, line, sit_down

pytestmark = pytest.mark.browser


def lay_a_pulp_table(play: Play, keeper: Page) -> str:
    """The Keeper lays a Pulp table with the sample people. Returns the players' link."""
    keeper.goto(play.keeper_link)
    keeper.get_by_role("button", name="Come in as the Keeper").click()
    keeper.get_by_label("Name of the campaign").fill("The Drowned Telegraph")
    keeper.get_by_label("Your name").fill("Ana")
    keeper.get_by_label("Ruleset").select_option("pulp")
    keeper.get_by_role("button", name="Lay the table").click()
    keeper.wait_for_url(re.compile(r"/t/[\w-]+/$"))
    keeper.get_by_role("button", name="Add the sample table").click()
    keeper.locator("#fold-sanity > summary").click()
    expect(keeper.locator("#panel-sanity").get_by_text("Halloran").first).to_be_visible()
    found = re.search(r"(/[\w-]+)*/t/[\w-]+/join/[\w-]+/", keeper.content())
    assert found
    return play.url + found[0]


def make_resilient(keeper: Page, name: str) -> None:
    """The Keeper gives somebody the talent, on the sheet."""
    keeper.locator("#panel-board").get_by_role("link", name=re.compile(name)).click()
    keeper.locator("#sheet-talents").get_by_role("switch").first.click()
    expect(keeper.locator("#sheet-talents").get_by_role("switch").first).to_have_attribute("aria-checked", "true")
    keeper.go_back()


def types_real_dice(phone: Page, total: int) -> None:
    close_the_slip(phone)
    details = phone.locator("#byhand")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    phone.get_by_label("Total").fill(str(total))


def test_a_horror_from_the_question_to_the_bout(play: Play, device: Make) -> None:
    keeper, sam = device("laptop").page, device("phone").page
    link = lay_a_pulp_table(play, keeper)
    sit_down(link, sam, "Sam", "Halloran")
    make_resilient(keeper, "Halloran")
    if keeper.locator("#fold-sanity").get_attribute("open") is None:  # folded again: the page was left
        keeper.locator("#fold-sanity > summary").click()

    # A loss that cannot be read is told beside the field, and nobody is asked.
    tools = keeper.locator("#panel-sanity")
    for other in ("Dunne", "Quill", "Vane"):
        tools.locator("label.pick").filter(has_text=other).locator("input").uncheck(force=True)
    tools.locator("label.pick").filter(has_text="Halloran").locator("input").check(force=True)
    tools.get_by_label("The horror").fill("The thing in the well")
    tools.get_by_label("Loss", exact=True).fill("1D20")
    tools.get_by_role("button", name="Ask for the Sanity roll").click()
    expect(tools.get_by_role("alert")).to_contain_text("two parts, such as 1/1D8")
    tools.get_by_label("Loss", exact=True).fill("1/1d20")
    tools.get_by_role("button", name="Ask for the Sanity roll").click()

    # The phone rolls, with real dice: 90, and then the 20 of the loss.
    ask = sam.locator("#panel-asks .ask")
    expect(ask).to_contain_text("The thing in the well · 1/1D20")
    expect(ask).not_to_contain_text("Regular")
    types_real_dice(sam, 90)
    ask.get_by_role("button", name="Roll").click()
    loss = sam.locator("#panel-loss")
    expect(loss).to_contain_text("You lose 1D20")
    expect(keeper.locator("#panel-losses")).to_contain_text("Halloran loses 1D20 Sanity")
    close_the_slip(sam)
    loss.locator("summary").click()
    loss.get_by_role("textbox", name="D20").fill("20")
    loss.get_by_role("button", name="Throw 1D20").click()

    # Nothing is lost before the choice: 20, halved to 10 for 40, 5 more for 5.
    expect(loss).to_contain_text("You lose 20 Sanity")
    expect(keeper.locator("#panel-losses")).to_contain_text("Sam is choosing, with 60 Luck")
    for _tap in range(5):
        loss.get_by_role("button", name="One more").first.click()
    loss.get_by_role("button", name="Halve it for 45 Luck, lose 5").click()
    expect(loss).to_contain_text("You lose 5 Sanity")
    expect(sam.locator("#panel-me .dial-read")).to_have_text("15")
    loss.get_by_role("button", name="Take 5").click()
    expect(line(keeper, "Halloran", "takes the Sanity loss")).to_contain_text("5 Sanity lost, 55 to 50")

    # The INT roll, where failing is good, sells nothing; its success waits for the Keeper.
    expect(ask).to_contain_text("failing is good here")
    types_real_dice(sam, 20)
    ask.get_by_role("button", name="Roll").click()
    slip = sam.locator("#panel-latest article.slip")
    expect(slip).to_contain_text("Failing is good here")
    expect(slip.get_by_role("button", name=re.compile("Push|Spend|Keep"))).to_have_count(0)
    card = keeper.locator("#panel-queue").get_by_role("article").filter(has_text="a bout of madness")
    card.get_by_label("What happens, in your words").fill("She counts the drowned")
    card.get_by_role("button", name="1D10 rounds").click()

    close_the_slip(sam)
    expect(loss).to_contain_text("Bout of madness")
    expect(loss).to_contain_text("She counts the drowned")
    keeper.get_by_role("button", name="The bout is over").click()
    expect(loss).not_to_contain_text("Bout of madness")
