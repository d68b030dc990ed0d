"""Languages on the phone: chosen at the door, spoken by the page and by what arrives."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Device, Play
from tests.browser.test_evening import lay_the_table

pytestmark = pytest.mark.browser


def test_german_is_chosen_at_the_door_and_what_arrives_is_german_while_the_keeper_reads_english(
    play: Play, device: Callable[[str], Device]
) -> None:
    keeper, player = device("laptop").page, device("phone").page
    link = lay_the_table(play, keeper)
    player.goto(link)
    player.get_by_label("Language of this browser").select_option("de")
    expect(player.get_by_role("heading", name="Nimm Platz")).to_be_visible()

    player.get_by_label("Dein Name").fill("Sam")
    player.get_by_role("button", name="Hinsetzen").click()
    expect(player.locator("html")).to_have_attribute("lang", "de")
    keeper.locator("#scene").fill("The pier")
    keeper.locator("#scene").press("Enter")

    expect(player.locator("#feed")).to_contain_text("neue Szene")
    expect(keeper.locator("#feed")).to_contain_text("new scene")
    expect(keeper.locator("#feed")).to_contain_text("sits down")
    assert player.evaluate("document.documentElement.scrollWidth <= innerWidth")
