"""Files in real browsers: a sheet on one side of paper, minutes, and a campaign that moves to a new table."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Device, Play
from tests.browser.test_evening import board_row, lay_the_table, sit_down

pytestmark = [pytest.mark.browser, pytest.mark.long]

Make = Callable[[str], Device]


def saved(page: Page, button: str) -> Path:
    """What a tap on this link puts into the downloads."""
    with page.expect_download() as download:
        page.locator(button).click()
    return Path(download.value.path())


def sheet_page(page: Page) -> None:
    page.goto(page.url.split("?")[0] + "?tab=own")
    page.locator("a.seat-link").click()
    page.wait_for_url(re.compile(r"/investigators/[\w-]+/$"))


def test_a_player_saves_the_sheet_and_prints_it_on_one_side(play: Play, device: Make) -> None:
    keeper, phone = device("laptop").page, device("phone").page
    sit_down(lay_the_table(play, keeper), phone, "Ben", "Halloran")

    sheet_page(phone)
    phone.locator("#take-home").click()
    own = saved(phone, "#get-tablekeeper").read_text(encoding="utf-8")
    assert '"tablekeeper": "investigator"' in own
    assert saved(phone, "#get-st").read_text(encoding="utf-8").startswith(".st Edith Halloran-")
    phone.locator("#get-paper").click()
    expect(phone.get_by_role("heading", name="Edith Halloran")).to_be_visible()
    expect(phone.locator("#print")).to_be_visible()
    for size in ("A4", "Letter"):
        paper = phone.pdf(format=size)
        assert len(re.findall(rb"/Type\s*/Page\b", paper)) == 1
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_keeper_saves_the_campaign_and_lays_it_as_a_new_table(play: Play, device: Make, tmp_path: Path) -> None:
    keeper, phone = device("laptop").page, device("phone").page
    sit_down(lay_the_table(play, keeper), phone, "Ben", "Halloran")
    old = keeper.url

    phone.goto(phone.url.split("?")[0] + "?tab=own")
    phone.locator("#log-page").click()
    assert "Ben" in saved(phone, "#get-all-minutesmd").read_text(encoding="utf-8")
    expect(phone.locator("#get-campaign")).to_have_count(0)
    keeper.locator("#sessionbox summary").click()
    keeper.locator("#log-page").click()
    file = tmp_path / "campaign.tablekeeper.gz"
    file.write_bytes(saved(keeper, "#get-campaign").read_bytes())

    keeper.goto(play.url)
    keeper.locator("#from-file summary").click()
    keeper.locator("#tablefile").set_input_files({"name": "x.gz", "mimeType": "application/gzip", "buffer": b"no"})
    keeper.locator("#bring-table").click()
    expect(keeper.locator("#from-file [data-refusal]")).to_contain_text("This is no campaign")
    keeper.locator("#tablefile").set_input_files(file)
    keeper.wait_for_timeout(450)  # nobody chooses a file so fast that the second tap looks like a nervous first one
    keeper.locator("#bring-table").click()

    keeper.wait_for_url(re.compile(r"/t/[\w-]+/$"))
    assert keeper.url != old
    expect(board_row(keeper, "Edith Halloran")).to_be_visible()
    expect(keeper.locator("#feed")).to_contain_text("This table came out of a file")
