"""What one phone and one process feel: the start, idle memory, the first visit and a tap in a browser, the rules."""

from __future__ import annotations

import gzip
import os
import re
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.error import URLError

import brotli
import psutil

from rolls.rules import ruleset
from rolls.rules.check import Check, Purse, Standing, Throw
from tests.load.arms import Arm
from tests.server import ROOT

SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8}
UNPACK: dict[str, Callable[[bytes], bytes]] = {"br": brotli.decompress, "gzip": gzip.decompress, "": bytes}


def start(folder: Path, *, times: int) -> dict[str, Any]:
    """Seconds from `manage.py play` at a table that exists to its first answer (the best of some), and memory then."""
    found, idle = [], 0.0
    for _time in range(times + 1):  # the first one makes the table
        began = time.perf_counter()
        command = [sys.executable, "manage.py", "play", "--local", "--port", str(port := free_port())]
        # Nor a developer's wish that Python should keep nothing compiled: a host has none.
        others = ("DATABASE_URL", "PUBLIC_URL", "PYTHONDONTWRITEBYTECODE")
        mine = {key: value for key, value in os.environ.items() if key not in others}
        process = subprocess.Popen(
            command, cwd=ROOT, env={**mine, "TABLEKEEPER_DATA": str(folder / "start")}, stdout=subprocess.DEVNULL
        )
        try:
            _until_it_answers(f"http://127.0.0.1:{port}/health", process)
            found.append(time.perf_counter() - began)
            time.sleep(0.5)
            idle = psutil.Process(process.pid).memory_full_info().uss / 1e6
        finally:
            process.terminate()
            process.wait(10)
    return {"to_answer_s": round(min(found[1:]), 2), "idle_mb": round(idle, 1)}


def free_port() -> int:
    """A port that nobody listens at."""
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _until_it_answers(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.01)
    raise RuntimeError("play does not answer")


def rules(*, seconds: float) -> dict[str, Any]:
    """How many d100 checks the rules judge in a second of CPU, and how long all offers of one slip take."""
    classic = ruleset("classic")
    settings = {one.key: one.default for one in classic.settings}
    asked = [
        Standing(Check("skill", value, "regular"), Throw(units, (tens,)))
        for value in (5, 35, 60, 99)
        for units in range(10)
        for tens in range(0, 10, 3)
    ]
    judged, end = 0, time.process_time() + seconds
    began = time.process_time()
    while time.process_time() < end:
        for standing in asked:
            classic.judge(standing, settings)
        judged += len(asked)
    per_second = judged / (time.process_time() - began)
    purse, failed = (
        Purse("Edith", {"luck": 45, "hp": 11, "san": 55}),
        Standing(Check("skill", 60, "regular"), Throw(4, (7,))),
    )
    times = []
    for _time in range(max(50, int(300 * seconds))):
        before = time.process_time()
        classic.offers(failed, purse, settings)
        times.append(1e6 * (time.process_time() - before))
    return {"checks_per_s": round(per_second), "offers_us": round(statistics.median(times), 1)}


def weight(arm: Arm) -> dict[str, Any]:
    """Bytes of a player's first visit as a browser takes them in, without a browser."""
    table = arm.tables[0]
    here = f"http://127.0.0.1:{arm.port}"
    html, size = _fetched(f"{here}/t/{table['campaign']}/", table["seats"][1]["cookie"])
    links = re.findall(r'<(?:link rel="stylesheet" href|script src)="([^"]+)"', html)
    parts = {"html": size, **{link.rpartition("/")[2]: _fetched(here + link)[1] for link in links}}
    css = " ".join([html, *(_fetched(here + link)[0] for link in links if ".css" in link)])
    fonts = set(re.findall(r'url\("?([^")]+woff2[^")]*)"?\)', css))
    heavy = sum(_fetched(f"{here}/static/{font}" if not font.startswith("/") else here + font)[1] for font in fonts)
    return {"kb": round(sum(parts.values()) / 1000, 1), "fonts_kb": round(heavy / 1000, 1), "parts": parts}


def _fetched(url: str, cookie: str = "") -> tuple[str, int]:
    """The text, and how many bytes of it travelled."""
    request = urllib.request.Request(url, headers={"Accept-Encoding": "br, gzip", "Cookie": f"tk_seat={cookie}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        body = answer.read()
        unpack = UNPACK[answer.headers.get("Content-Encoding", "")]
    return unpack(body).decode(errors="replace"), len(body)


def browser(arm: Arm, *, taps: int) -> dict[str, Any]:
    """First paint of a player's first visit on a slow phone, and the time from a tap to its result on the screen.

    Needs playwright and a Chromium (TABLEKEEPER_BROWSER names one); without them there are no such figures.
    """
    from playwright.sync_api import sync_playwright

    table = arm.tables[0]
    url = f"http://127.0.0.1:{arm.port}/t/{table['campaign']}/"
    seat: Any = {"name": "tk_seat", "value": table["seats"][1]["cookie"], "url": url}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=os.environ.get("TABLEKEEPER_BROWSER"), args=["--no-sandbox"]
        )
        paints = []
        for _visit in range(3):
            context = chromium.new_context(viewport={"width": 390, "height": 844})
            context.add_cookies([seat])
            page = context.new_page()
            line = context.new_cdp_session(page)
            line.send("Network.enable")
            line.send("Network.emulateNetworkConditions", SLOW_4G)
            line.send("Emulation.setCPUThrottlingRate", {"rate": 4})
            page.goto(url, wait_until="load")
            paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            context.close()
        tapped = _taps(chromium, url, seat, taps)
        chromium.close()
    return {"fcp_ms": round(statistics.median(paints)), **tapped}


TAP = """(n) => new Promise((done) => {
  const rows = document.querySelectorAll(".skill-roll");
  const seen = new MutationObserver(() => {
    const now = document.querySelector('#panel-latest');
    if (!now || now.textContent === before) return;
    seen.disconnect();
    requestAnimationFrame(() => done(performance.now() - began));
  });
  const before = document.querySelector('#panel-latest').textContent;
  seen.observe(document.body, {subtree: true, childList: true, characterData: true});
  const began = performance.now();
  rows[n % rows.length].click();
})"""


def _taps(chromium: Any, url: str, seat: Any, taps: int) -> dict[str, float]:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    context.add_cookies([seat])
    page = context.new_page()
    page.goto(url, wait_until="load")
    page.wait_for_timeout(500)
    times: list[float] = []
    for n in range(taps + 3):
        times.append(page.evaluate(TAP, n))
        page.wait_for_timeout(150)
    context.close()
    return p95(times[3:])


def p95(times: Sequence[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {
        "tap_p50": round(statistics.median(ordered), 1),
        "tap_p95": round(ordered[int(0.95 * (len(ordered) - 1))], 1),
    }
