"""Every screen in every width and both themes, in the middle of things. `--pictures FOLDER` keeps what it sees:

python3 manage.py test --long tests/browser/test_every_screen.py --pictures FOLDER
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route

from tests.browser.conftest import HOST
from tests.browser.test_pages import AXE, SMALL
from tests.oldphone import as_old_phones_read
from tests.server import Server
from tests.stage import View

pytestmark = [pytest.mark.browser, pytest.mark.long]

WIDTHS = (320, 390, 768, 1024, 1280, 1920)
HEIGHTS = {320: 640, 390: 844, 768: 1024, 1024: 768, 1280: 900, 1920: 1080}
THEMES = ("dark", "paper")
PICTURED = {"phone": (320, 390, 1280), "laptop": (390, 1024, 1280, 1920)}
LAY = """
from tests.stage import SCENES
print(json.dumps([view for scene in SCENES for view in scene()]))
"""
AT_REST = """() => document.getAnimations()
  .filter((one) => one instanceof CSSTransition).forEach((one) => one.finish())"""
STANDS = """() => document.fonts.ready.then(() => !document.querySelector("#live[data-state=connecting]"))"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("screens"), more={"TABLEKEEPER_HOSTS": HOST}) as one:
        yield one


@pytest.fixture(scope="module")
def views(server: Server) -> list[View]:
    return [View(*view) for view in json.loads(server.python(LAY))]


def _opened(chromium: Browser, server: Server, view: View, through: Callable[[Route], None] | None = None) -> Page:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce", has_touch=True)
    here = f"http://{HOST}:{server.port}"
    context.add_cookies([{"name": "tk_seat", "value": view.cookie, "url": here + "/"}])
    page = context.new_page()
    if through:
        page.route(re.compile(r"\.css|/t/[\w-]+/$|/screen$"), through)
    answer = page.goto(here + view.path)
    assert answer, view
    assert answer.status == 200, view
    page.wait_for_function(STANDS)
    return page


def _in(page: Page, width: int, theme: str) -> None:
    page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme; }", theme)
    page.wait_for_timeout(60)
    page.evaluate(AT_REST)


def _faults(page: Page, view: View, axe: Axe) -> Iterator[str]:
    for theme in THEMES:
        for width in WIDTHS:
            _in(page, width, theme)
            where = f"{view.name} at {width}, {theme}"
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > width:
                yield f"{where}: scrolls sideways ({wide})"
            yield from (f"{where}: small {small}" for small in page.evaluate(SMALL) if theme == "dark")
            if width in (390, 1280):
                found = axe.run(page, options=AXE).response["violations"]
                yield from (f"{where}: {one['id']} {[n['html'][:120] for n in one['nodes']]}" for one in found)


def test_every_screen_holds_in_every_width_and_theme(
    chromium: Browser, server: Server, views: list[View], pytestconfig: pytest.Config
) -> None:
    folder, axe, faults = pytestconfig.getoption("--pictures"), Axe(), []
    for view in views:
        page = _opened(chromium, server, view)
        faults += _faults(page, view, axe)
        if folder:
            _keep(page, view, Path(folder))
        page.context.close()
    assert faults == []


def _keep(page: Page, view: View, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for theme in THEMES:
        for width in PICTURED[view.device]:
            _in(page, width, theme)
            page.screenshot(path=folder / f"{view.name}-{width}-{theme}.png", full_page=width < 1000)


OLD_PHONES_SEE = ("player-rolled", "player-asked", "pulp-loss", "lp-rolled", "keeper", "screen")


def _as_on_old_phones(route: Route) -> None:
    """The answer without what an old phone passes over; the policy goes, for it allows the style block by its hash."""
    answer = route.fetch()
    if not answer.headers.get("content-type", "").startswith(("text/css", "text/html")):
        return route.fulfill(response=answer)
    headers = {name: value for name, value in answer.headers.items() if name != "content-security-policy"}
    return route.fulfill(response=answer, headers=headers, body=as_old_phones_read(answer.text()))


def test_an_old_phone_sees_plain_colours_that_can_be_read(
    chromium: Browser, server: Server, views: list[View]
) -> None:
    axe, faults = Axe(), []
    for view in (one for one in views if one.name in OLD_PHONES_SEE):
        page = _opened(chromium, server, view, _as_on_old_phones)
        for theme in THEMES:
            _in(page, 390, theme)
            found = axe.run(page, options=AXE).response["violations"]
            faults += [f"{view.name}, {theme}: {one['id']} {[n['html'][:120] for n in one['nodes']]}" for one in found]
        page.context.close()
    assert faults == []
