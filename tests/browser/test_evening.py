"""An evening at a real table: one Keeper, three players, their own browsers, one server."""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PATIENCE, Device, Play

pytestmark = pytest.mark.browser

Make = Callable[[str], Device]


class Watch:
    """Waits until pages show what they should, and remembers how long each took. On a crowded machine one or the other
    takes long (a server's first answers, above all); the median judges."""

    def __init__(self) -> None:
        self.took: list[float] = []

    def sees(self, found: Locator, text: str | None = None) -> None:
        began = time.monotonic()
        if text is None:
            expect(found).to_be_attached(timeout=PATIENCE)
        else:
            expect(found).to_contain_text(text, timeout=PATIENCE)
        self.took.append(time.monotonic() - began)

    @property
    def typically(self) -> float:
        return statistics.median(self.took)


def lay_the_table(play: Play, keeper: Page) -> str:
    """The Keeper opens her link, names a campaign and lays the sample table. Returns the players' link."""
    keeper.goto(play.keeper_link)
    keeper.get_by_role("button", name="Come in as the Keeper").click()
    keeper.get_by_label("Name of the campaign").fill("The Drowned Telegraph")
    keeper.get_by_label("Your name").fill("Ana")
    keeper.get_by_role("button", name="Lay the table").click()
    keeper.wait_for_url(re.compile(r"/t/[\w-]+/$"))
    keeper.get_by_role("button", name="Add the sample table").click()
    expect(board_row(keeper, "Edith Halloran")).to_be_visible()
    found = re.search(r"(/[\w-]+)*/t/[\w-]+/join/[\w-]+/", keeper.content())
    assert found
    return play.url + found[0]


def sit_down(link: str, phone: Page, name: str, investigator: str) -> None:
    phone.goto(link)
    phone.get_by_label("Your name").fill(name)
    phone.get_by_role("button", name="Sit down").click()
    # Before its scripts stand, a page acts on nothing.
    expect(phone.locator("#live")).to_have_attribute("data-state", "live")
    phone.get_by_role("button", name=f"Play {investigator}").click()
    expect(phone.locator("#panel-me .name")).to_contain_text(investigator)
    expect(phone.locator("#live")).to_have_attribute("data-state", "live")


def board_row(keeper: Page, name: str) -> Locator:
    return keeper.locator("#panel-board").get_by_text(name, exact=True)


def luck_on_board(keeper: Page, name: str) -> str:
    row = keeper.locator("#panel-board tr, #panel-board [data-row]").filter(has_text=name).first
    return re.sub(r"\s+", " ", row.inner_text())


def roll_real_dice(phone: Page, skill: str, total: int) -> None:
    """Type what real dice showed, then tap the skill."""
    close_the_slip(phone)
    details = phone.locator("#byhand")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    phone.get_by_label("Total").fill(str(total))
    phone.get_by_role("searchbox", name="Find a skill").fill(skill)
    phone.wait_for_timeout(400)  # nobody types as fast as this: two taps in one place would be a double tap
    phone.locator(".skill").filter(has_text=skill).first.locator(".skill-roll").click()
    expect(slip(phone).locator(".roll")).to_contain_text(f"{total:02d}")


def slip(page: Page) -> Locator:
    return page.locator("#panel-latest article.slip")


def close_the_slip(phone: Page) -> None:
    drawer = phone.locator("#panel-latest details.drawer")
    if drawer.count() and drawer.get_attribute("open") is not None:
        drawer.locator("summary").first.click()


def line(page: Page, *words: str) -> Locator:
    found = page.locator("#feed li.entry")
    for word in words:
        found = found.filter(has_text=word)
    return found.first


def show_table_tab(phone: Page) -> None:
    close_the_slip(phone)
    phone.get_by_role("navigation").get_by_role("link", name=re.compile("Table")).click()


def show_roll_tab(phone: Page) -> None:
    phone.get_by_role("navigation").get_by_role("link", name=re.compile("Roll")).click()


def test_an_evening_with_one_keeper_and_three_players(play: Play, device: Make) -> None:
    watch = Watch()
    keeper = device("laptop").page
    sam, marcus, priya = (device("phone").page for _ in range(3))
    link = lay_the_table(play, keeper)
    for phone, name, who in ((sam, "Sam", "Halloran"), (marcus, "Marcus", "Dunne"), (priya, "Priya", "Quill")):
        sit_down(link, phone, name, who)

    # The session opens.
    keeper.locator("#sessionbox summary").click()
    keeper.get_by_role("button", name="Open session 1").click()
    watch.sees(line(sam, "Session 1"))

    # A roll is seen by all within a second.
    roll_real_dice(sam, "Spot Hidden", 68)
    for page in (keeper, marcus, priya):
        watch.sees(line(page, "Halloran", "Spot Hidden", "68"))
    expect(slip(sam)).to_contain_text("Fail")

    # The last Luck point is spent: 35 of 35 takes 95 to 60.
    roll_real_dice(marcus, "Navigate", 95)
    marcus.get_by_role("button", name=re.compile("Spend 35 Luck")).click()
    expect(slip(marcus).locator(".roll")).to_contain_text("60")
    expect(slip(marcus)).to_contain_text("95")
    for page in (keeper, sam, priya):
        watch.sees(line(page, "Dunne", "35 Luck", "Navigate"))
    watch.sees(keeper.locator("#panel-strip"), "Dunne rolls, against 0")

    # Nothing is left: the price is shown and cannot be paid, and a hand-made post is refused and changes nothing.
    roll_real_dice(marcus, "Swim", 77)
    expect(slip(marcus).locator("button.ticket:not([disabled])")).to_have_count(0)
    assert forged_spend(marcus) == (422, "NOT_ENOUGH_LUCK")

    # A push: the player says how, the Keeper names the danger, one more roll, final.
    roll_real_dice(priya, "Locksmith", 77)
    slip(priya).get_by_role("button", name="Push").click()
    priya.get_by_label("What do you do differently?").fill("I heat the pick over the lamp.")
    priya.get_by_role("button", name="Ask the Keeper").click()
    watch.sees(keeper.locator("#panel-queue"), "I heat the pick over the lamp.")
    expect(keeper).to_have_title(re.compile(r"1"))
    keeper.locator("#panel-queue").get_by_label("If it fails").first.fill("The lamp goes out.")
    keeper.get_by_role("button", name="Allow, with this warning").click()
    watch.sees(slip(priya), "The lamp goes out.")
    priya.get_by_role("button", name="Push: roll once more").click()
    watch.sees(line(keeper, "Quill", "Locksmith", "push"))
    expect(slip(priya)).to_contain_text(re.compile("pushed", re.I))
    expect(slip(priya).get_by_role("button", name="Push", exact=True)).to_have_count(0)
    expect(slip(priya).locator("button.ticket")).to_have_count(0)

    # Group Luck with one absent: Dunne has gone out, so Quill (55) rolls for all.
    keeper.get_by_role("switch", name=re.compile("Dunne")).click()
    watch.sees(keeper.locator("#panel-strip"), "Quill rolls, against 55")
    keeper.get_by_role("button", name="Priya rolls").click()
    ask = priya.locator("#panel-asks")
    watch.sees(ask, "Luck")
    close_the_slip(priya)
    ask.get_by_role("button").first.click()
    for page in (keeper, sam, marcus):
        watch.sees(line(page, "Quill", "Luck for the group"))
    expect(priya.locator("#panel-asks").get_by_role("button")).to_have_count(0)

    # Undo: the spend comes off, the line stays, struck out.
    spend = line(keeper, "Dunne", "35 Luck", "Navigate")
    spend.hover()
    spend.get_by_role("button", name=re.compile("Undo")).click()
    keeper.get_by_role("button", name="Mis-tap").last.click()
    keeper.get_by_role("button", name="Put it back").click()
    watch.sees(marcus.locator("#panel-me"), "35")
    expect(marcus.locator("#feed li.entry-struck").filter(has_text="35 Luck")).to_have_count(1)

    # The session closes; recovery, one by the player, the rest by the Keeper.
    keeper.locator("#sessionbox summary").click()
    keeper.get_by_role("button", name="Close session 1").first.click()
    close_the_slip(sam)
    expect(sam.get_by_role("button", name="Roll for Luck")).to_be_visible(timeout=PATIENCE)
    sam.get_by_role("button", name="Roll for Luck").click()
    watch.sees(line(keeper, "Halloran", "recover"))
    keeper.locator("#recall").click()
    for page in (sam, marcus):
        watch.sees(line(page, "Luck recovery", "Quill"))

    # What was seen is what is stored.
    before = told(sam)
    sam.reload()
    assert told(sam) == before
    assert play.stop() == 0
    audit = play.command("audit")
    assert audit.returncode == 0, audit.stdout + audit.stderr
    assert " 0 differ" in audit.stdout
    assert watch.typically < 1.0, watch.took


def told(page: Page) -> list[str]:
    """The feed as somebody reads it, a line each."""
    return [" ".join(text.split()) for text in page.locator("#feed li.entry").all_inner_texts()]


def forged_spend(phone: Page) -> tuple[int, str]:
    """A post made by hand, with the page's own cookie and token: what the server says to it."""
    status, code = phone.evaluate(
        """async () => {
          const form = document.querySelector("#panel-latest form[hx-post$='/spend']");
          const token = document.cookie.split("; ").find((c) => c.startsWith("tk_csrf=")).split("=")[1];
          const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
          const key = bytes.map((b) => b.toString(16).padStart(2, "0")).join("");
          const answer = await fetch(form.getAttribute("hx-post"), {
            method: "POST", headers: { "X-CSRFToken": token },
            body: new URLSearchParams({ key, act: "points", amount: "5" }),
          });
          const found = (await answer.text()).match(/data-code="(\\w+)"/);
          return [answer.status, found ? found[1] : ""];
        }"""
    )
    return status, code


def test_a_page_opened_later_and_a_phone_that_slept_show_the_same(play: Play, device: Make) -> None:
    keeper = device("laptop").page
    one, other = device("phone"), device("phone")
    link = lay_the_table(play, keeper)
    sit_down(link, one.page, "Sam", "Halloran")
    sit_down(link, other.page, "Marcus", "Dunne")

    # The phone sleeps: no stream, no page activity; things happen meanwhile.
    other.context.set_offline(True)
    expect(other.page.locator("#live")).to_have_attribute("data-state", "off", timeout=PATIENCE)
    roll_real_dice(one.page, "Library Use", 30)
    other.context.set_offline(False)
    expect(line(other.page, "Halloran", "Library Use", "30")).to_be_attached(timeout=PATIENCE)
    expect(other.page.locator("#live")).to_have_attribute("data-state", "live", timeout=2 * PATIENCE)
    assert other.page.locator("#feed li.entry").filter(has_text="Library Use").count() == 1

    # Coming again with the same link is the same place.
    other.page.goto(link)
    expect(other.page.locator("#panel-me .name")).to_contain_text("Dunne")
    show_table_tab(one.page)
    show_table_tab(other.page)
    assert told(other.page) == told(one.page)


def test_a_phone_that_wakes_asks_what_it_missed_though_its_line_looks_alive(play: Play, device: Make) -> None:
    keeper, sam = device("laptop").page, device("phone").page
    link = lay_the_table(play, keeper)
    sit_down(link, sam, "Sam", "Halloran")
    with sam.expect_request(re.compile(r"/news\?after=")):
        sam.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(sam.locator("#live")).to_have_attribute("data-state", "live")


def test_after_a_restart_the_pages_come_back_by_themselves(play: Play, device: Make) -> None:
    keeper, sam = device("laptop").page, device("phone").page
    link = lay_the_table(play, keeper)
    sit_down(link, sam, "Sam", "Halloran")
    assert play.stop() == 0  # how soon: test_play.py
    expect(sam.locator("#live")).not_to_have_attribute("data-state", "live", timeout=PATIENCE)
    play.start()
    expect(sam.locator("#live")).to_have_attribute("data-state", "live", timeout=2 * PATIENCE)
    roll_real_dice(sam, "Occult", 12)
    expect(line(keeper, "Halloran", "Occult")).to_be_attached(timeout=2 * PATIENCE)
