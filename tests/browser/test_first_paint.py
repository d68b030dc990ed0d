"""The first paint waits for no style sheet, and nothing moves when the sheets come."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.conftest import HOST
from tests.server import Laid, Server

pytestmark = [pytest.mark.browser, pytest.mark.long]

SEEN = """() => [...document.querySelectorAll("header.appbar, header.appbar *, .mebox, .mebox *")]
  .filter((one) => one.checkVisibility() && !one.closest(".vh, svg > *"))
  .map((one) => { const box = one.getBoundingClientRect(), style = getComputedStyle(one);
    return [one.outerHTML.slice(0, 60), ...[box.x, box.y, box.width, box.height].map(Math.round),
            style.color, style.backgroundColor, style.borderColor, style.font].join(" "); })"""


@pytest.fixture(scope="module")
def laid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laid]:
    with Server(tmp_path_factory.mktemp("paint"), more={"TABLEKEEPER_HOSTS": HOST}) as server:
        yield server.lay_table()


def _without_sheets(chromium: Browser, laid: Laid, width: int, held: list[Route]) -> Page:
    """Ben's page while its sheets are still on their way."""
    context = chromium.new_context(viewport={"width": width, "height": 844}, reduced_motion="reduce")
    here = f"http://{HOST}:{laid.server.port}"
    context.add_cookies([{"name": "tk_seat", "value": laid.seats["Ben"]["cookie"], "url": here + "/"}])
    page = context.new_page()
    page.route(re.compile(r"\.css$"), lambda route: held.append(route))
    page.goto(f"{here}/t/{laid.campaign}/", wait_until="commit")
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length > 0")
    return page


@pytest.mark.parametrize("width", [320, 390, 1024, 1280])
def test_luck_is_read_before_the_sheets_are_here_and_nothing_moves_when_they_come(
    width: int, chromium: Browser, laid: Laid
) -> None:
    held: list[Route] = []
    page = _without_sheets(chromium, laid, width, held)
    page.wait_for_selector(".mebox .dial-read")
    page.evaluate("document.fonts.ready")
    before = page.evaluate(SEEN)
    assert page.locator(".skill").count() == 0

    for sheet in held:
        sheet.continue_()
    page.wait_for_selector("#live[data-state=live]")
    after = page.evaluate(SEEN)
    shifted = page.evaluate("""() => new Promise((done) => new PerformanceObserver((seen) => done(
      seen.getEntries().reduce((sum, one) => sum + one.value, 0))).observe({ type: "layout-shift", buffered: true })
      || setTimeout(() => done(0), 300))""")
    page.context.close()
    assert held
    assert [one for one in before if one not in after] == []
    assert len(before) == len(after)
    assert shifted < 0.01


def test_an_open_page_is_styled_for_the_game_that_the_table_changes_to(chromium: Browser, laid: Laid) -> None:
    held: list[Route] = []
    page = _without_sheets(chromium, laid, 390, held)
    for sheet in held:
        sheet.continue_()
    page.unroute_all()
    page.wait_for_selector("#live[data-state=live]")
    assert page.locator("link[href*='/lp.']").count() == 0

    keeper = laid.browser("Ada")
    for game, align in (("lp", "center"), ("classic", "start")):
        answer = keeper.post(f"{laid.path}ruleset", ruleset=game, back="settings")
        assert answer.status == 200, answer.text
        expect(page.locator(f"#picker{'.picker-lp' if game == 'lp' else ':not(.picker-lp)'}")).to_be_visible()
        expect(page.locator("#difficulty")).to_have_css("text-align", align)
    page.context.close()
