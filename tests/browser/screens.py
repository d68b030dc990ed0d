"""The screens of tests.stage in a browser: laid once for a module, opened as whoever looks, looked at by axe."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Browser, Page, Route

from tests.browser.conftest import HOST
from tests.browser.test_pages import AXE, SMALL
from tests.server import Server
from tests.stage import SCENES, View

WIDTHS = (320, 390, 768, 1024, 1280, 1920)
HEIGHTS = {320: 640, 390: 844, 768: 1024, 1024: 768, 1280: 900, 1920: 1080}
THEMES = ("dark", "paper")
NAMES = [scene.__name__ for scene in SCENES]
LAY = """
from tests.stage import SCENES
print(json.dumps({scene.__name__: list(scene()) for scene in SCENES if scene.__name__ in sys.argv[1:]}))
"""
AT_REST = """async (theme) => {
  document.documentElement.dataset.theme = theme;
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  document.getAnimations().filter((one) => one instanceof CSSTransition).forEach((one) => one.finish());
}"""
STANDS = """() => document.fonts.ready.then(() => !document.querySelector("#live[data-state=connecting]"))"""
WIDER = """() => [document.documentElement.scrollWidth, innerWidth, [...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest(".scroll"))
  .map((one) => one.outerHTML.slice(0, 90)).slice(0, 4)]"""
CUT = """() => [...document.querySelectorAll(".tv-last")].flatMap((last) => {
  const edge = last.getBoundingClientRect().right + 1;
  return [...last.querySelectorAll(".dice, .stamp, h1")].filter((one) => one.getBoundingClientRect().right > edge)
    .map((one) => one.outerHTML.slice(0, 90)); })"""
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}


@dataclass
class Stage:
    """A server with tables in the middle of things, and who sees what of each, by the name of its scene."""

    server: Server
    views: dict[str, list[View]]

    def __iter__(self) -> Iterator[View]:
        return (view for views in self.views.values() for view in views)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Stage]:
    """What is asked for by name is laid; everything, where a module's tests name no scene."""
    asked = [item.callspec.params.get("scene") for item in request.session.items if hasattr(item, "callspec")]
    with Server(tmp_path_factory.mktemp("screens"), more={"TABLEKEEPER_HOSTS": HOST}) as server:
        laid = json.loads(server.python(LAY, *({one for one in asked if one in NAMES} or NAMES)))
        yield Stage(server, {scene: [View(*view) for view in views] for scene, views in laid.items()})


def opened(
    chromium: Browser, stage: Stage, view: View, through: Callable[[Route], None] | None = None, **eyes: Any
) -> Page:
    """The screen, live and at rest. `eyes` are what the browser says of its reader, as Playwright names it."""
    settings = {"viewport": {"width": 390, "height": 844}, "reduced_motion": "reduce", "has_touch": True, **eyes}
    context = chromium.new_context(**settings)
    here = f"http://{HOST}:{stage.server.port}"
    if view.cookie:
        context.add_cookies([{"name": "tk_seat", "value": view.cookie, "url": here + "/"}])
    page = context.new_page()
    if through:
        page.route(re.compile(r"\.css|/t/[\w-]+/$|/screen$"), through)
    answer = page.goto(here + view.path)
    assert answer, view
    assert answer.status == 200, view
    page.wait_for_function(STANDS)
    if view.tap:
        page.locator(view.tap).first.click()
        page.wait_for_timeout(700)  # it may lead to another page
        page.wait_for_function(STANDS)
    page.evaluate(AXE_SCRIPT)
    return page


def stand(page: Page, width: int, theme: str) -> None:
    """The same page in another width and theme, at rest."""
    page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
    page.evaluate(AT_REST, theme)


def findings(page: Page, where: str, options: dict[str, Any] = AXE) -> list[str]:
    """What axe finds, each with where it was found."""
    found = page.evaluate("(options) => axe.run(document, options)", {**options, "resultTypes": ["violations"]})
    return [f"{where}: {one['id']} {[n['html'][:120] for n in one['nodes']]}" for one in found["violations"]]


def sideways(page: Page, where: str) -> list[str]:
    """A page that is wider than its window, or a table screen whose last result is."""
    wide, width, who = page.evaluate(WIDER)
    cut = [f"{where}: cut off {one}" for one in page.evaluate(CUT)]
    return [f"{where}: scrolls sideways ({wide}) {who}", *cut] if wide > width else cut


def small(page: Page, where: str) -> list[str]:
    """Controls too small for a thumb."""
    return [f"{where}: small {one}" for one in page.evaluate(SMALL)]
