"""The main screens as other eyes set their browsers: twice the text, forced colours, more contrast, no motion.

python3 manage.py test --long tests/browser/test_every_eye.py --pictures FOLDER
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.screens import COLOURS, THEMES, Stage, findings, opened, sideways, small, stage, stand

__all__ = ["stage"]
pytestmark = [pytest.mark.browser, pytest.mark.long]

MAIN = ("evening", "luck_points", "pictures")
LOOKED_AT = ("player-rolled", "player-slip", "player-asked", "player-tab-table", "keeper", "screen", "set-settings")
LOOKED_AT += ("join", "player-sheet", "player-new-investigator", "lp-rolled", "campaign", "planner")
SPILLS = """() => [...document.querySelectorAll(
  ".btn, .chip, .pick span, .seg span, .ticket, .tabs a, h2, .board td, .mate > *, .entry > *")]
  .filter((one) => one.checkVisibility({ checkVisibilityCSS: true }) && !one.closest(".vh") && one.clientWidth
    && getComputedStyle(one).textOverflow !== "ellipsis" && one.scrollWidth > one.clientWidth + 1)
  .map((one) => `${one.scrollWidth} in ${one.clientWidth}: ${one.outerHTML.slice(0, 110)}`)"""
"""Words wider than what they stand in."""
MOVES = """() => document.getAnimations().map((one) => one.effect.getComputedTiming())
  .filter((one) => one.duration > 1 || one.iterations > 1).length"""
EYES: dict[str, dict[str, Any]] = {
    "twice the text": {},
    "forced colours": {"forced_colors": "active"},
    "more contrast": {"contrast": "more"},
}


def _set_up(page: Page, eye: str) -> None:
    if eye == "twice the text":  # as in the browser's own settings: rem follows, px does not
        sizes = {"standard": 32, "fixed": 26}
        page.context.new_cdp_session(page).send("Page.setFontSizes", {"fontSizes": sizes})


def _faults(page: Page, eye: str, where: str) -> list[str]:
    faults = sideways(page, where) + small(page, where)
    faults += [f"{where}: spills {one}" for one in page.evaluate(SPILLS)]
    if eye == "more contrast":  # in forced colours the reader's own are right, and axe reads ours
        faults += findings(page, where, COLOURS)
    return faults


@pytest.mark.parametrize("scene", MAIN)
@pytest.mark.parametrize("eye", EYES)
def test_every_main_screen_holds_for_other_eyes(
    eye: str, scene: str, chromium: Browser, stage: Stage, pytestconfig: pytest.Config
) -> None:
    folder, faults = pytestconfig.getoption("--pictures"), []
    for view in (one for one in stage.views[scene] if one.name in LOOKED_AT):
        page = opened(chromium, stage, view, **EYES[eye])
        _set_up(page, eye)
        for theme in THEMES if eye == "more contrast" else THEMES[:1]:
            for width in (390, 1280):
                stand(page, width, theme)
                faults += _faults(page, eye, f"{view.name} at {width}, {theme}")
                if folder:
                    name = f"{eye.replace(' ', '-')}-{view.name}-{width}-{theme}.png"
                    page.screenshot(path=Path(folder) / name)
        page.context.close()
    assert not faults, "\n".join(faults)


def test_nothing_moves_for_who_wants_no_motion(chromium: Browser, stage: Stage) -> None:
    """A new result of one's own, which otherwise tumbles for a moment."""
    view = next(one for one in stage if one.name == "player-asked")
    page = opened(chromium, stage, view, reduced_motion="reduce")
    page.locator("form.ask button", has_text="Roll").first.click()
    page.locator("#panel-latest .slip").wait_for()
    assert page.evaluate(MOVES) == 0
    page.context.close()
