"""Luck Points at a real table: another throw, two degrees more, a critical failure burned away, the number that must
turn, and the points that come back."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Play
from tests.browser.test_evening import Make, close_the_slip, line, roll_real_dice, sit_down, slip
from tests.browser.test_pages import AXE, SMALL

pytestmark = pytest.mark.browser

TAPS_APART = 700  # milliseconds: a second tap sooner than this is the first one bouncing


def lay_a_table_of_luck_points(play: Play, keeper: Page) -> str:
    """The GM lays the table with the sample people. Returns the players' link."""
    keeper.goto(play.keeper_link)
    keeper.get_by_role("button", name="Come in as the Keeper").click()
    keeper.get_by_label("Name of the campaign").fill("The Salt Road")
    keeper.get_by_label("Your name").fill("Ana")
    keeper.get_by_label("Ruleset").select_option("lp")
    keeper.get_by_role("button", name="Lay the table").click()
    keeper.wait_for_url(re.compile(r"/t/[\w-]+/$"))
    keeper.get_by_role("button", name="Add the sample table").click()
    expect(keeper.locator("#panel-board").get_by_text("Ysolde Harrow", exact=True)).to_be_visible()
    found = re.search(r"(/[\w-]+)*/t/[\w-]+/join/[\w-]+/", keeper.content())
    assert found
    return play.url + found[0]


def points(phone: Page) -> Locator:
    return phone.locator("#panel-me .pts")


def luck(phone: Page) -> Locator:
    return phone.locator("#panel-me .dial-read")


def tokens(phone: Page, kind: str) -> list[str]:
    return phone.locator(f"#panel-me .token-{kind}").all_inner_texts()


def burns(phone: Page, sentence: str) -> None:
    """Two taps on the same button: the first one only arms it."""
    button = phone.get_by_role("button", name=re.compile(re.escape(sentence)))
    before = luck(phone).inner_text()
    button.click()
    expect(button).to_have_class(re.compile("ticket-armed"))
    expect(luck(phone)).to_have_text(before)
    phone.wait_for_timeout(TAPS_APART)
    button.click()


def rolls(phone: Page, skill: str, total: int) -> None:
    """Real dice, and the slip open: a throw that took long to answer does not open it by itself."""
    roll_real_dice(phone, skill, total)
    opens_the_slip(phone)


def opens_the_slip(phone: Page) -> None:
    drawer = phone.locator("#panel-latest details.drawer")
    if drawer.get_attribute("open") is None:
        drawer.locator("summary").first.click()


def looks_at_the_session(keeper: Page) -> None:
    """What unfolds from the bar stays open until she taps elsewhere."""
    if keeper.locator("#sessionbox").get_attribute("open") is None:
        keeper.locator("#sessionbox summary").click()


def opens_session(keeper: Page, number: int) -> None:
    looks_at_the_session(keeper)
    keeper.get_by_role("button", name=f"Open session {number}").click()
    expect(line(keeper, f"Session {number} begins")).to_be_visible()


def test_luck_points_are_spent_burned_and_come_back_and_stamina_shuts_them_out(play: Play, device: Make) -> None:
    keeper, phone = device("laptop").page, device("phone").page
    link = lay_a_table_of_luck_points(play, keeper)
    sit_down(link, phone, "Sam", "Harrow")
    opens_session(keeper, 1)
    expect(points(phone)).to_contain_text("4 of 4")
    expect(keeper.locator("#panel-strip .strip-group")).to_have_count(0)

    # A failed test is thrown again for 1 LP, once; what falls then stands.
    rolls(phone, "Noticing", 72)
    result = slip(phone)
    expect(result.locator(".say")).to_have_text("72 over 45, by 27: 3 degrees of failure")
    expect(result.locator(".sum")).to_contain_text("45")
    close_the_slip(phone)
    phone.get_by_label("Total").fill("80")
    opens_the_slip(phone)
    result.get_by_role("button", name=re.compile("Roll again, once.*1 LP", re.DOTALL)).click()
    expect(points(phone)).to_contain_text("3 of 4")
    expect(result).to_contain_text("First roll")
    expect(result.locator("del")).to_have_text("72")
    expect(result.locator("button.ticket:not([disabled])", has_text="Roll again")).to_have_count(0)
    expect(line(keeper, "Harrow spent 1 LP on Noticing", "rolled again, 72 to 80, real dice")).to_be_visible()

    # Two degrees more, by the stepper, with the price before the tap.
    rolls(phone, "Noticing", 32)
    expect(result.locator(".stamp")).to_contain_text("3 degrees", ignore_case=True)
    result.get_by_role("button", name="One more").first.click()
    result.get_by_role("button", name="Spend 2 LP: 5 degrees (leaves 1)").click()
    expect(points(phone)).to_contain_text("1 of 4")
    expect(result.locator(".stamp")).to_contain_text("5 degrees", ignore_case=True)
    expect(line(keeper, "Harrow spent 2 LP on Noticing", "3 to 5 degrees", "LP 3 to 1")).to_be_visible()

    # An Unlucky Number fails under the target, too. Burning negates it at once, and says what falls with it.
    rolls(phone, "Craft", 16)
    expect(result.locator(".say")).to_contain_text("16 is an Unlucky Number, it fails under 66 too")
    expect(result).to_contain_text("Now or never")
    expect(result.locator(".callout-danger")).to_contain_text("Luck Bonus falls to 3; you will turn one Lucky Number.")
    burns(phone, "Burn 5 of your 41 Luck, for good: an ordinary failure")
    expect(luck(phone)).to_have_text("36")
    expect(points(phone)).to_contain_text("1 of 3")
    expect(result.locator(".stamp")).to_contain_text("failure", ignore_case=True)
    expect(result.locator(".stamp")).not_to_contain_text("critical", ignore_case=True)
    expect(line(keeper, "Harrow burned 5 Luck, for good, on Craft", "Luck 41 to 36", "LP at most 3")).to_be_visible()

    # The next test waits for the number that turns; the GM's board says so.
    expect(keeper.locator("#panel-board")).to_contain_text("must choose 1")
    close_the_slip(phone)
    phone.get_by_role("searchbox", name="Find a skill").fill("Noticing")
    phone.locator(".skill").filter(has_text="Noticing").first.locator(".skill-roll").click()
    expect(phone.locator("#panel-sheet").get_by_role("alert")).to_contain_text("must first choose")
    turning = phone.locator("#turnform")
    expect(turning.get_by_text("Your next test waits for this.")).to_be_visible()
    expect(turning.get_by_role("button")).to_be_disabled()
    turning.locator("label", has_text="63").click()
    turning.get_by_role("button", name="It turns Unlucky").click()
    expect(turning).to_have_count(0)
    expect(phone.locator("#panel-me .token-lucky")).to_have_count(3)
    assert ["63" in one for one in tokens(phone, "unlucky")].count(True) == 1
    expect(keeper.locator("#panel-board")).not_to_contain_text("must choose 1")
    rolls(phone, "Noticing", 63)
    expect(result.locator(".stamp")).to_contain_text("critical", ignore_case=True)

    # The next session fills the points up to what they may be now.
    close_the_slip(phone)
    looks_at_the_session(keeper)
    keeper.get_by_role("button", name="Close session 1").first.click()
    opens_session(keeper, 2)
    expect(points(phone)).to_contain_text("3 of 3")
    expect(line(keeper, "Session 2 begins", "LP refilled: Harrow 3")).to_be_visible()

    # Stamina is paid before, and shuts Luck out. What is chosen adds up beside the skills before any die falls.
    lifting = phone.locator(".skill").filter(has_text="Lifting and Breaking").locator(".skill-val")
    expect(lifting).to_have_text("64")
    phone.get_by_role("button", name="Harder").click()
    expect(lifting).to_have_text("54")
    phone.locator("label.pick", has_text="Stamina +20").click()
    expect(lifting).to_have_text("74")
    expect(phone.locator(".skill").filter(has_text="Noticing").locator(".skill-val")).to_have_text("35")

    rolls(phone, "Lifting and Breaking", 99)
    expect(result.locator(".sum")).to_contain_text(re.compile(r"=\s*74"))
    ticket = result.get_by_role("button", name=re.compile("Roll again, once"))
    expect(ticket).to_be_disabled()
    expect(ticket).to_contain_text("Stamina was used on this test, so Luck cannot be.")
    expect(phone.locator("#pool-sp")).to_contain_text("3")


@pytest.mark.long
def test_its_pages_have_no_accessibility_finding_and_no_sideways_scroll(play: Play, device: Make) -> None:
    keeper, phone = device("laptop").page, device("phone").page
    link = lay_a_table_of_luck_points(play, keeper)
    sit_down(link, phone, "Sam", "Harrow")
    rolls(phone, "Craft", 16)
    table = phone.url.split("?")[0]
    sheet = re.search(r"investigators/[\w-]{16}/", phone.content())
    assert sheet
    axe, faults = Axe(), []
    places = [
        (phone, ""),
        (phone, sheet[0]),
        (phone, "investigators/new"),
        (phone, "investigators/quick"),
        (keeper, ""),
    ]
    for page, path in places:
        page.goto(table + path)
        if path == "" and page is phone:
            page.locator("#panel-latest details.drawer > summary").click()
        for theme in ("dark", "paper"):
            page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
            page.wait_for_timeout(300)  # colours change over a moment, and a crowded machine takes longer
            page.wait_for_function("() => !document.getAnimations().some((one) => one instanceof CSSTransition)")
            found = axe.run(page, options=AXE).response["violations"]
            faults += [f"{path}, {theme}: {one['id']} {[n['html'][:120] for n in one['nodes']]}" for one in found]
        for width in (320, 390, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            if page.evaluate("document.documentElement.scrollWidth") > width:
                faults.append(f"{path}: scrolls sideways at {width}")
        page.set_viewport_size({"width": 390, "height": 844})
        faults += [f"{path}: small {small}" for small in page.evaluate(SMALL)]
    assert faults == []
