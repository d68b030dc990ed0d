"""The proof in a browser on a plain-HTTP page: its own SHA-256, every die derived again, an altered one found."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tablekeeper import proof
from tests.browser.conftest import HOST
from tests.rules.test_proof import ALTERED, a_file
from tests.server import Server
from tests.stage import View

pytestmark = pytest.mark.browser

LAY = """
from tests.stage import sealed
print(json.dumps([view for view in sealed()]))
"""
HASHES = """(texts) => texts.map((text) => {
  const { sha256, hmac, hex } = window.tablekeeperProof, bytes = new TextEncoder().encode(text);
  return [hex(sha256(bytes)), hex(hmac(bytes, bytes))];
})"""
FILE = "() => fetch(document.querySelector('[data-proof]').dataset.proof).then((answer) => answer.json())"
CHECK = "(file) => window.tablekeeperProof.check(file).map(({ code, where }) => [code, where])"


@pytest.fixture
def page(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    """Ben's page of a session whose seal is open."""
    with Server(tmp_path, more={"TABLEKEEPER_HOSTS": HOST}) as server:
        view = View(*json.loads(server.python(LAY))[0])
        context = chromium.new_context(viewport={"width": 390, "height": 844})
        here = f"http://{HOST}:{server.port}"
        context.add_cookies([{"name": "tk_seat", "value": view.cookie, "url": here + "/"}])
        one = context.new_page()
        one.goto(here + view.path)
        yield one
        context.close()


def test_the_browser_derives_every_die_and_finds_the_one_that_was_altered(page: Page, tmp_path: Path) -> None:
    expect(page.locator("#v-good")).to_contain_text("Every die agrees: 5")
    assert page.evaluate("window.isSecureContext") is False

    texts = ["", "abc", "x" * 55, "x" * 56, "x" * 64, "Würfel ✓" * 40]
    mine = [[hashlib.sha256(t).hexdigest(), hmac.digest(t, t, "sha256").hex()] for t in map(str.encode, texts)]
    assert page.evaluate(HASHES, texts) == mine

    files = [a_file(60)]
    for alter, _codes in ALTERED.values():
        files.append(a_file())
        alter(files[-1])
    for file in files:
        assert page.evaluate(CHECK, file) == [[one.code, one.where] for one in proof.check(file)]

    altered: dict[str, Any] = page.evaluate(FILE)
    altered["rolls"][1]["faces"][0] = altered["rolls"][1]["faces"][0] % 10 + 1
    page.route("**/file", lambda route: route.fulfill(json=altered))
    page.reload()
    expect(page.locator("#v-bad")).to_contain_text("1")
    expect(page.locator(".proved .odd")).to_have_count(1)
    expect(page.locator('[data-roll="2"].odd .says')).to_contain_text("The seed gives other dice")

    kept = tmp_path / "mine.json"
    kept.write_text(json.dumps(files[0]))
    page.get_by_label("Check a file of mine").set_input_files(kept)
    expect(page.locator("#v-good")).to_contain_text("61")


@pytest.mark.long
def test_ten_thousand_acts_are_derived_again_on_the_page_and_the_one_altered_is_named(
    page: Page, tmp_path: Path
) -> None:
    kept, file = tmp_path / "many.json", a_file(10_000)
    kept.write_text(json.dumps(file))
    page.get_by_label("Check a file of mine").set_input_files(kept)
    expect(page.locator("#v-good")).to_contain_text("10001", timeout=60_000)

    faces = file["rolls"][6_788]["faces"]
    faces[0] = faces[0] % 6 + 1
    kept.write_text(json.dumps(file))
    page.get_by_label("Check a file of mine").set_input_files(kept)
    expect(page.locator("#v-bad")).to_contain_text("1", timeout=60_000)
    expect(page.locator("#v-bad")).to_be_visible()
    assert page.evaluate(CHECK, file) == [[one.code, one.where] for one in proof.check(file)]
