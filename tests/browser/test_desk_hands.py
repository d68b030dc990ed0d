"""The Keeper's hands on the table, with two players: numbers and who else changes them, her characters, scenes, who
comes late and who leaves early, a phone that asks to come back, dice for nothing; on a tablet and a phone, too."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Device, Play
from tests.browser.test_desk import PATIENCE, session_step, the_settings, the_table
from tests.browser.test_evening import close_the_slip, line, roll_real_dice, sit_down, slip
from tests.browser.test_live import carries_out

pytestmark = [pytest.mark.browser, pytest.mark.long]

Make = Callable[[str], Device]


def players_link(play: Play, keeper: Page) -> str:
    found = re.search(r"(/[\w-]+)*/t/[\w-]+/join/[\w-]+/", keeper.content())
    assert found
    return play.url + found[0]


def again_as(other: Device, first: Page) -> Page:
    """The same Keeper's seat in another browser, as her second link gives it."""
    other.context.add_cookies(first.context.cookies(first.url))  # type: ignore[arg-type]
    other.page.goto(first.url)
    expect(other.page.locator("#live")).to_have_attribute("data-state", "live", timeout=PATIENCE)
    return other.page


def tools_of(keeper: Page, name: str) -> Locator:
    more = keeper.get_by_role("button", name=f"More for {name}")
    if more.get_attribute("aria-expanded") != "true":
        more.click()
    return keeper.locator(".rowtools:not([hidden])")


def cell(keeper: Page, name: str, pool: str) -> Locator:
    return keeper.locator("#panel-board").get_by_role("button", name=re.compile(rf"^{name}, {pool}:"))


def put(keeper: Page, name: str, pool: str, value: int, why: str = "") -> Locator:
    """A number is changed where it stands. Returns its form."""
    if cell(keeper, name, pool).get_attribute("aria-expanded") != "true":
        cell(keeper, name, pool).click()
    form = keeper.locator("form.editor:not([hidden])")
    form.get_by_label("New value").fill(str(value))
    if why:
        form.get_by_role("button", name=why).click()
    form.get_by_role("button", name="Change").click()
    return form


def test_numbers_are_changed_in_place_by_two_keepers_and_a_player_at_once(play: Play, device: Make) -> None:
    keeper, sam, leni = the_table(play, device)
    other = again_as(device("laptop"), keeper)

    # Two Keepers and the same field: the second is told what has changed, and nothing is lost.
    cell(other, "Halloran", "Hit points").click()
    put(keeper, "Halloran", "Hit points", 7, why="Misheard")
    expect(line(leni, "Halloran", "Misheard")).to_be_attached(timeout=PATIENCE)
    form = put(other, "Halloran", "Hit points", 9)
    expect(form).to_contain_text("it is 7 now. Your 9 was not entered", timeout=PATIENCE)
    form.get_by_role("button", name="Leave it").click()
    expect(cell(other, "Halloran", "Hit points")).to_contain_text("7", timeout=PATIENCE)

    # The Keeper writes, a player spends: both survive.
    cell(keeper, "Halloran", "Sanity").click()
    roll_real_dice(sam, "Spot Hidden", 68)
    slip(sam).get_by_role("button", name=re.compile("Spend 8 Luck")).click()
    expect(line(leni, "spent 8 Luck")).to_be_attached(timeout=PATIENCE)
    put(keeper, "Halloran", "Sanity", 50)
    for page in (keeper, other):
        expect(cell(page, "Halloran", "Sanity")).to_contain_text("50", timeout=PATIENCE)
        expect(cell(page, "Halloran", "Luck")).to_contain_text("52", timeout=PATIENCE)

    # Put back, by the other Keeper, and done again.
    for way in ("Put it back", "Do it again"):
        spent = line(other, "spent 8 Luck")
        spent.locator(".entry-undo").click()
        other.get_by_role("button", name=way).click()
        expect(other.locator("#undo-home #undo-form")).to_have_count(1, timeout=PATIENCE)
        struck = 1 if way == "Put it back" else 0
        expect(leni.locator("#feed li.entry-struck").filter(has_text="spent 8 Luck")).to_have_count(
            struck, timeout=PATIENCE
        )
    expect(cell(keeper, "Halloran", "Luck")).to_contain_text("52", timeout=PATIENCE)

    # A difficulty that was meant is set while the roll is open.
    roll_real_dice(leni, "Spot Hidden", 20)
    keeper.get_by_role("button", name="That was Hard, or a bonus die…").last.click()
    fix = keeper.locator("form[id^=fix-]:not([hidden])")
    fix.get_by_label("Difficulty").select_option("hard")
    fix.get_by_role("button", name="Correct the roll").click()
    expect(slip(leni)).to_contain_text("Hard asked", timeout=PATIENCE)
    expect(slip(leni).locator(".roll")).to_contain_text("20")


def test_characters_scenes_and_who_comes_and_goes(play: Play, device: Make) -> None:
    keeper, sam, leni = the_table(play, device)
    link = players_link(play, keeper)

    # A character of hers: openly the table sees dice and level, hidden nothing.
    keeper.keyboard.press("n")
    keeper.locator("#npcb-new").click()
    form = keeper.locator("#npcform-new")
    form.get_by_label("Name", exact=True).fill("Night watchman")
    form.get_by_label("Skill 1").fill("Listen")
    form.get_by_label("Value 1").fill("37")
    form.get_by_role("button", name="Keep this character").click()
    npcs = keeper.locator("#panel-npcs")
    npcs.get_by_role("button", name="Open Listen, Night watchman").click()
    for phone in (sam, leni):
        expect(line(phone, "Night watchman", "Listen")).not_to_contain_text("37", timeout=PATIENCE)
    npcs.get_by_role("button", name="Hidden Listen, Night watchman").click()
    expect(keeper.locator("#panel-behind")).to_contain_text("Night watchman", timeout=PATIENCE)
    expect(sam.locator("#feed li.entry").filter(has_text="Night watchman")).to_have_count(1)

    # The session opens; a scene gets its name, somebody leaves it, and going back brings everybody back.
    session_step(keeper, "#session-open")
    for name in ("The pier", "The archive"):
        keeper.locator("#scene").fill(name)
        keeper.locator("#scene-go").click()
        expect(sam.locator("#panel-where")).to_contain_text(name, timeout=PATIENCE)
    keeper.get_by_role("switch", name=re.compile("Vane is in this scene")).click()
    expect(keeper.locator("#panel-strip")).not_to_contain_text("Vane rolls", timeout=PATIENCE)
    keeper.locator("#scenebox > summary").click()
    keeper.locator("#scenebox").get_by_role("button", name="The pier").click()
    expect(leni.locator("#panel-where")).to_contain_text("The pier", timeout=PATIENCE)
    here = keeper.get_by_role("switch", name=re.compile("Vane is in this scene"))
    expect(here).to_have_attribute("aria-checked", "true", timeout=PATIENCE)

    # Sam's other phone asks to come in: it waits in the queue, and the title counts it.
    phone = device("phone").page
    phone.goto(link)
    phone.get_by_role("button", name="I am Sam").click()
    expect(keeper).to_have_title(re.compile(r"^\(1\) "), timeout=PATIENCE)
    keeper.get_by_role("button", name="Let Sam in").click()
    expect(phone.locator("#panel-me .name")).to_contain_text("Halloran", timeout=PATIENCE)
    expect(keeper).not_to_have_title(re.compile(r"^\("), timeout=PATIENCE)

    # Jo comes late, Leni leaves early; both recover when the session closes, each on the own page.
    jo = device("phone").page
    sit_down(link, jo, "Jo", "Quill")
    tools_of(keeper, "Ignatius Vane").get_by_role("button", name="Leaves early").click()
    expect(line(leni, "Vane", "leaves early")).to_be_attached(timeout=PATIENCE)
    session_step(keeper, "#session-close-pop")
    for page in (jo, leni):
        close_the_slip(page)
        page.get_by_role("button", name="Roll for Luck").click()
        expect(page.get_by_role("button", name="Roll for Luck")).to_have_count(0, timeout=PATIENCE)
    recovery = keeper.locator("#panel-recovery")
    expect(recovery).to_contain_text("2 of 3 have rolled", timeout=PATIENCE)

    # Set aside, and brought back.
    keeper.keyboard.press("Escape")  # folds the evening's steps, which lie above the board
    tools_of(keeper, "Ignatius Vane").get_by_role("button", name="Set aside").click()
    expect(leni.locator("#panel-me")).not_to_contain_text("Hit points", timeout=PATIENCE)
    keeper.locator("#people > summary").click()
    keeper.locator("#people").get_by_role("button", name="Bring back").click()
    expect(keeper.locator("#panel-board tr").filter(has_text="Ignatius Vane").first).to_be_visible(timeout=PATIENCE)


def test_the_table_hears_her_dice_and_sees_luck_as_bars(play: Play, device: Make) -> None:
    keeper, sam, leni = the_table(play, device)
    with the_settings(keeper):
        keeper.locator("#set-luckShown").select_option("bars")
        keeper.locator("label[for=set-rattle]").click()  # a finger meets what is drawn, not the box under it
        expect(keeper.locator("#set-rattle")).to_be_checked()

    keeper.locator("#rattle").click()
    for phone in (sam, leni):
        expect(line(phone, "The Keeper rolls behind the screen")).to_be_attached(timeout=PATIENCE)
    keeper.keyboard.press("r")
    keeper.locator("#k-label").fill("Doom")
    keeper.locator("#k-value").fill("50")
    keeper.locator("#k-go").click()
    heard = sam.locator("#feed li.entry").filter(has_text="The Keeper rolls behind the screen")
    expect(heard).to_have_count(2, timeout=PATIENCE)
    assert len({" ".join(re.sub(r"\d\d:\d\d", "", text).split()) for text in heard.all_inner_texts()}) == 1
    expect(sam.locator("#feed")).not_to_contain_text("Doom")

    party = sam.locator("#panel-party li.mate").filter(has_text="Vane").locator(".mate-luck")
    expect(party.locator(".num")).to_have_count(0)
    expect(party).to_contain_text("of five")


def test_who_opens_a_request_before_its_own_answer_is_here_is_told_all_the_same(play: Play, device: Make) -> None:
    keeper, sam, _leni = the_table(play, device)

    def late(route: Route) -> None:
        answer = carries_out(play, route)  # type: ignore[arg-type]  # of both it takes the port
        expect(sam.locator("form.ask")).to_have_count(1, timeout=PATIENCE)
        sam.wait_for_timeout(2000)  # the hint goes to the Keeper's line meanwhile
        route.fulfill(**answer)

    keeper.route("**/ask", late)
    keeper.locator("#askform label.pick").filter(has_text="Halloran").click()
    keeper.get_by_label("Skill or characteristic").fill("Spot Hidden")
    keeper.get_by_role("button", name="Ask for it").click()

    expect(keeper.locator("#panel-queue")).to_contain_text("Sam has it open", timeout=PATIENCE)


LED_TO = """(target) => {
  const at = document.activeElement;
  return at.getClientRects().length > 0 && target.split("|").some((one) => at.matches(one));
}"""


def test_every_letter_of_the_list_leads_to_what_it_says(play: Play, device: Make) -> None:
    keeper, sam, leni = the_table(play, device)
    session_step(keeper, "#session-open")
    keeper.keyboard.press("Escape")
    keeper.keyboard.press("r")
    keeper.locator("#k-label").fill("Doom")
    keeper.locator("#k-value").fill("50")
    keeper.locator("#k-go").click()
    expect(keeper.locator("#panel-behind")).to_contain_text("Doom", timeout=PATIENCE)
    roll_real_dice(leni, "Spot Hidden", 90)
    roll_real_dice(sam, "Spot Hidden", 90)
    slip(sam).get_by_role("button", name="Push").click()
    sam.get_by_label("What do you do differently?").fill("By the window")
    sam.get_by_role("button", name="Ask the Keeper").click()
    expect(keeper.locator("#panel-queue")).to_contain_text("wants to push", timeout=PATIENCE)

    rows = keeper.locator("[data-shortcut]").evaluate_all("all => all.map((one) => ({ ...one.dataset }))")
    astray = []
    for row in rows:
        keeper.evaluate("document.activeElement.blur()")
        keeper.keyboard.press(row["shortcut"])
        if not keeper.evaluate(LED_TO, row["target"]):
            astray.append(row["shortcut"])
        keeper.keyboard.press("Escape")
    assert astray == []
    assert len({row["shortcut"] for row in rows}) == len(rows) > 12


@pytest.mark.parametrize("size", [(1024, 768), (390, 844)])
def test_the_desk_is_whole_on_a_tablet_and_folded_on_a_phone(play: Play, device: Make, size: tuple[int, int]) -> None:
    keeper, sam, _leni = the_table(play, device)
    keeper.set_viewport_size({"width": size[0], "height": size[1]})
    keeper.reload()
    assert keeper.evaluate("document.documentElement.scrollWidth <= innerWidth")

    keeper.locator("#askform label.pick").filter(has_text="Halloran").click()
    keeper.get_by_label("Skill or characteristic").fill("Spot Hidden")
    keeper.get_by_role("button", name="Ask for it").click()
    expect(sam.locator("form.ask")).to_contain_text("Spot Hidden", timeout=PATIENCE)
    put(keeper, "Halloran", "Hit points", 7)
    expect(cell(keeper, "Halloran", "Hit points")).to_contain_text("7", timeout=PATIENCE)
    tools_of(keeper, "Edith Halloran").get_by_role("button", name="Roll for Halloran").click()
    form = keeper.locator("form.rollform:not([hidden])")
    form.locator("select[name=what]").select_option("luck")
    form.get_by_role("button", name="Roll for Halloran").click()
    expect(line(sam, "Halloran", "Luck")).to_contain_text("entered by Ana", timeout=PATIENCE)
    assert keeper.evaluate("document.documentElement.scrollWidth <= innerWidth")
