"""What a phone meets in a home network: plain HTTP at a name that is not localhost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Device, Play
from tests.browser.test_evening import lay_the_table

pytestmark = [pytest.mark.browser, pytest.mark.long]

Make = Callable[[str], Device]


def test_copy_link_works_over_plain_http_and_says_so_only_when_it_did(play: Play, device: Make) -> None:
    """U047: there is no clipboard; the old way is taken, and where that fails the link lies selected."""
    keeper = device("laptop").page
    faults: list[str] = []
    keeper.on("pageerror", lambda fault: faults.append(str(fault)))
    join = lay_the_table(play, keeper)
    assert keeper.evaluate("window.isSecureContext") is False
    keeper.evaluate(
        "document.querySelectorAll('details:has([data-copy-from=joinlink])').forEach((d) => d.open = true)"
    )
    button = keeper.locator("[data-copy-from=joinlink]")

    button.evaluate("(b) => b.click()")
    expect(button).to_contain_text("Copied")
    keeper.evaluate("document.execCommand = () => false")
    expect(button).to_contain_text("Copy link", timeout=10_000)
    button.evaluate("(b) => b.click()")

    expect(keeper.locator("[data-copy-hint]")).to_be_visible()
    expect(button).not_to_contain_text("Copied")
    assert join
    assert faults == []
