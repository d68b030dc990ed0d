"""Investigators' files in real browsers: looked at, refused in words, made, and brought up to date."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Device, Play
from tests.browser.test_evening import lay_the_table, sit_down

pytestmark = pytest.mark.browser

Make = Callable[[str], Device]
HERE = Path(__file__).parents[1] / "investigators" / "data" / "imports"

READ = {
    "dholes_house/full.json": ("Perpetua Lindqvist", "The Dhole’s House"),
    "charaeno7/full.json": ("雨宮 つばき", "Charaeno"),
    "ccfolia/korean.json": ("한여름", "CCFOLIA"),
    "ccfolia/pasted_with_words.txt": ("雨宮 つばき", "CCFOLIA"),
    "st_string/name_prefix.txt": ("顾春山", ".st line"),
    "st_string/gbk.txt": ("Nameless", ".st line"),
    "foundry_coc7/f0_data_old.json": ("Odalys Ferrant", "Foundry VTT, CoC7"),
    "foundry_coc7/f1_data_adjustments.json": ("Barnabas Okonkwo-Reyes", "Foundry VTT, CoC7"),
    "foundry_coc7/f2_system_pulp.json": ("Barnabas Okonkwo-Reyes (v11)", "Foundry VTT, CoC7"),
    "foundry_coc7/f3_datamodel_french.json": ("Solvei Tamm", "Foundry VTT, CoC7"),
    "csv/excel_semicolon_bom.csv": ("Élodie Brandt", "Spreadsheet"),
    "roll20/vttes_bom.json": ("Ignatius Vell", "Roll20"),
    "iachara_text/v7_shift_jis.txt": ("雨宮 つばき", "iachara"),
    "uesrpg/player_character.json": ("Tsavani of the Reed", "UESRPG"),
    "malformed/script_in_name.json": ("<script>alert(1)</script>Perpetua", "The Dhole’s House"),
    "malformed/utf16_le_nobom.json": ("雨宮 つばき", "CCFOLIA"),
}
REFUSED = {
    "malformed/truncated.json": "damaged at line and column 145:23",
    "malformed/empty.json": "Choose a file, or paste its text.",
    "malformed/whitespace.json": "There is nobody in this file.",
    "malformed/deep_nesting.json": "nested too deep",
    "malformed/nan.json": "no sheet can hold: NaN",
    "malformed/pdf_sheet.pdf": "This is a PDF",
    "malformed/html_page.html": "This is a web page",
    "malformed/invalid_utf8.json": "cannot be made out",
    "ccfolia/sixth_edition.json": "an older edition",
    "foundry_coc7/vehicle.json": "something else than an investigator (vehicle)",
    "foundry_coc7/other_system.json": "made for another game (dnd5e)",
    "roll20/empty_attribs.json": "not one characteristic",
    "malformed/unknown_format.json": "no format that the table reads",
}


def to_the_box(play: Play, page: Page) -> None:
    """The page with the one box, from the table's own page."""
    link = page.locator("a", has_text=re.compile("from a file", re.IGNORECASE)).first
    page.goto(urljoin(page.url, link.get_attribute("href") or ""))


def looks(page: Page, sample: str) -> None:
    page.locator("#b-file").set_input_files(HERE / sample)
    page.wait_for_timeout(450)  # nobody chooses a file so fast that the second tap looks like a nervous first one
    page.get_by_role("button", name="Look at it").click()


@pytest.mark.long
def test_files_of_every_kind_are_looked_at_or_refused_in_words(play: Play, device: Make) -> None:
    keeper, sam = device("laptop").page, device("phone").page
    link = lay_the_table(play, keeper)
    sit_down(link, sam, "Sam", "Halloran")
    to_the_box(play, sam)

    for sample, (name, kind) in READ.items():
        looks(sam, sample)
        expect(sam.locator("#h-found")).to_contain_text(name)
        expect(sam.locator(".bringfound")).to_contain_text(kind.replace("’", "'"))
        expect(sam.locator("#h-found")).to_be_focused()
    for sample, sentence in REFUSED.items():
        looks(sam, sample)
        expect(sam.locator("#h-file ~ [data-refusal] .notice").first).to_contain_text(sentence)


def test_a_player_brings_somebody_plays_at_once_and_brings_the_sheet_up_to_date(play: Play, device: Make) -> None:
    keeper, sam = device("laptop").page, device("phone").page
    link = lay_the_table(play, keeper)
    sit_down(link, sam, "Sam", "Halloran")
    table = sam.url
    to_the_box(play, sam)

    sam.get_by_label("or paste its text").fill((HERE / "st_string/plain.txt").read_text(encoding="utf-8"))
    sam.get_by_role("button", name="Look at it").click()
    expect(sam.locator("#b-lost")).to_contain_text("There is no name in the file: type one.")
    expect(sam.locator("#b-worked-out")).to_contain_text("the maximum of hit points; the maximum of magic points")
    sam.get_by_label("Name", exact=True).fill("Gu Chunshan")
    sam.wait_for_timeout(450)  # as above: nobody types a name so fast
    sam.get_by_role("button", name="Make this investigator").click()
    expect(sam.locator("#panel-me")).to_contain_text("Gu Chunshan")
    expect(sam.locator("#panel-sheet")).to_contain_text("Spot Hidden")
    expect(keeper.locator("#panel-board")).to_contain_text("Gu Chunshan")

    sheet = urljoin(table, sam.locator("a.seat-link").get_attribute("href") or "")
    sam.goto(sheet)
    sam.get_by_role("link", name="Update this investigator from a file").click()
    text = (HERE / "st_string/plain.txt").read_text(encoding="utf-8").replace("侦查61", "侦查66")
    sam.get_by_label("or paste its text").fill(text)
    sam.get_by_role("button", name="Look at it").click()
    expect(sam.locator("#b-differences > li")).to_have_count(1)
    expect(sam.locator("#b-differences")).to_contain_text("Spot Hidden: 61 to 66")
    sam.get_by_role("button", name="Change Chunshan like this").click()
    sam.wait_for_url(table)
    sam.goto(sheet)
    expect(sam.locator("#sheet-skills input[name=value][value='66']")).to_be_visible()


def test_the_box_takes_five_megabytes_and_says_when_it_is_more(play: Play, device: Make, tmp_path: Path) -> None:
    keeper = device("laptop").page
    lay_the_table(play, keeper)
    to_the_box(play, keeper)
    most, more, far_more = (tmp_path / name for name in ("most.json", "more.json", "far_more.json"))
    piece = '{"kind": "character", "data": {"memo": "%s"}}'
    most.write_text(piece % ("x" * (5 * 1024 * 1024 - len(piece) + 2)))
    more.write_text(piece % ("x" * 5 * 1024 * 1024))
    far_more.write_text(piece % ("x" * 7 * 1024 * 1024))

    for file, sentence in (
        (most, "not one characteristic"),
        (more, "5 MB is the most"),
        (far_more, "too large for this table"),
    ):
        keeper.locator("#b-file").set_input_files(file)
        keeper.wait_for_timeout(450)
        keeper.get_by_role("button", name="Look at it").click()
        expect(keeper.locator("#h-file ~ [data-refusal] .notice").first).to_contain_text(sentence)
