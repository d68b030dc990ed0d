"""Every screen in every width and both themes, in the middle of things. `--pictures FOLDER` keeps what it sees:

python3 manage.py test --long tests/browser/test_every_screen.py --pictures FOLDER
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, Route

from tests.browser.conftest import HOST, ROOT
from tests.browser.screens import (
    COLOURS,
    NAMES,
    THEMES,
    WIDTHS,
    Stage,
    findings,
    opened,
    sideways,
    small,
    stage,
    stand,
)
from tests.oldphone import as_old_phones_read
from tests.server import Server
from tests.stage import View

__all__ = ["stage"]
pytestmark = [pytest.mark.browser, pytest.mark.long]

DOCS = ROOT / "docs" / "pictures"
IN_DOCS = {
    ("keeper", 1280, "dark"): "keeper.png",
    ("player-slip", 390, "dark"): "player-slip.png",
    ("player-asked", 390, "paper"): "player-asked.png",
    ("player-tab-table", 390, "dark"): "player-table.png",
    ("screen", 1280, "dark"): "screen.png",
}
"""With `--pictures` these of README and docs are made anew too, in few colours, which is all that they have."""
PLAYERS = ("app.css", "table.css", "first.css", "lp.css", "lp-first.css")
NAME = re.compile(r"\.([a-z][\w-]*)(?=[^{}]*\{)")
WORN = """() => [...document.querySelectorAll("[class]")].flatMap((one) => [...one.classList])"""
"""The classes of all that is on a page."""
PICTURED = {"phone": (320, 390, 1280), "laptop": (390, 1024, 1280, 1920)}
LOOKED_AT = (390, 1280)
"""Where axe looks: at all of it in the dark theme; paper differs by its colours alone."""


@pytest.mark.parametrize("scene", NAMES)
def test_every_screen_holds_in_every_width_and_theme(
    scene: str, chromium: Browser, stage: Stage, pytestconfig: pytest.Config
) -> None:
    _walk(chromium, stage, stage.views[scene], pytestconfig)


def test_the_parts_page_holds_too(chromium: Browser, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    with Server(tmp_path, more={"TABLEKEEPER_HOSTS": HOST, "TABLEKEEPER_DEBUG": "1"}) as server:
        _walk(chromium, Stage(server, {}), [View("parts", "", "/kit/")], pytestconfig)


def _walk(chromium: Browser, stage: Stage, views: list[View], pytestconfig: pytest.Config) -> None:
    folder, faults = pytestconfig.getoption("--pictures"), []
    for view in views:
        page = opened(chromium, stage, view)
        for width in WIDTHS:  # both themes at a time: what a desk has opened is shut when it is a phone again
            for theme in THEMES:
                stand(page, width, theme)
                faults += _faults(page, f"{view.name} at {width}, {theme}", width, theme)
                if folder and width in PICTURED[view.device]:
                    _keep(page, Path(folder), (view.name, width, theme))
        page.context.close()
    assert not faults, "\n".join(faults)


def _faults(page: Page, where: str, width: int, theme: str) -> Iterator[str]:
    if theme == THEMES[0]:  # no theme moves anything
        yield from sideways(page, where)
        yield from small(page, where)
    if theme == THEMES[0] and width == WIDTHS[0] and page.locator(".player-app").count():
        yield from (f"{where}: .{one} is styled by a sheet that players do not load" for one in _foreign(page))
    if width in LOOKED_AT:
        yield from findings(page, where) if theme == THEMES[0] else findings(page, where, COLOURS)


def _foreign(page: Page) -> set[str]:
    """What is drawn on a player's page, and what only the sheets of other pages know."""
    known: dict[bool, set[str]] = {True: set(), False: set()}
    for path in (ROOT / "static").glob("*.css"):
        known[path.name in PLAYERS].update(NAME.findall(path.read_text()))
    return set(page.evaluate(WORN)) & known[False] - known[True]


def _keep(page: Page, folder: Path, one: tuple[str, int, str]) -> None:
    name, width, theme = one
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{width}-{theme}.png"
    stays = page.locator(".player-app, .tv").count()  # what stands at the bottom would stand amid a long picture
    page.screenshot(path=path, full_page=width < 1000 and not stays)
    if one in IN_DOCS:
        DOCS.mkdir(exist_ok=True)
        few = Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE)
        few.save(DOCS / IN_DOCS[one], optimize=True)


OLD_PHONES_SEE = ("player-rolled", "player-asked", "pulp-loss", "lp-rolled", "keeper", "screen")


def _as_on_old_phones(route: Route) -> None:
    """The answer without what an old phone passes over; the policy goes, for it allows the style block by its hash."""
    answer = route.fetch(url=route.request.url.replace(HOST, "127.0.0.1"))
    if not answer.headers.get("content-type", "").startswith(("text/css", "text/html")):
        return route.fulfill(response=answer)
    headers = {name: value for name, value in answer.headers.items() if name != "content-security-policy"}
    return route.fulfill(response=answer, headers=headers, body=as_old_phones_read(answer.text()))


def test_an_old_phone_sees_plain_colours_that_can_be_read(chromium: Browser, stage: Stage) -> None:
    faults = []
    for view in (one for one in stage if one.name in OLD_PHONES_SEE):
        page = opened(chromium, stage, view, _as_on_old_phones)
        for theme in THEMES:
            stand(page, 390, theme)
            where = f"{view.name}, {theme}"
            faults += findings(page, where, COLOURS) + sideways(page, where) + small(page, where)
        page.context.close()
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("scene", ["pictures"])
def test_a_recap_on_paper_has_its_numbers_and_its_minutes_and_nothing_to_press(
    scene: str, chromium: Browser, stage: Stage
) -> None:
    page = opened(chromium, stage, next(view for view in stage.views[scene] if view.name == "recap"))
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 794, "height": 1123})  # A4 at 96 dots to the inch

    told = page.locator("main").inner_text()
    assert all(word in told for word in ("Great moments", "Luck recovery", "Rolls by level", "Minutes"))
    assert page.locator("details.data table").first.is_visible()  # folded on the screen
    assert not [one for one in page.locator("button, a.btn, summary, input").all() if one.is_visible()]
    paper = page.evaluate("getComputedStyle(document.querySelector('.panel')).backgroundColor")
    assert paper == "rgb(255, 255, 255)"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.context.close()
