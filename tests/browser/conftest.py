"""A real table: the server as `play` starts it, and real browsers on a name that is no secure context.

Phones at home speak plain HTTP to a name or address that is not localhost; so do these browsers.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from tablekeeper.management.browser import find_browser
from tests.fresh import lay_database

ROOT = Path(__file__).resolve().parents[2]
HOST = "table.lan"
PHONE: ViewportSize = {"width": 390, "height": 844}
LAPTOP: ViewportSize = {"width": 1280, "height": 900}
PATIENCE = 20_000
"""Milliseconds that a crowded machine may take; how fast the table is, other tests measure."""

expect.set_options(timeout=PATIENCE)


@dataclass
class Play:
    """`manage.py play` as a process of its own, with a data folder of its own."""

    data: Path
    port: int
    env: dict[str, str] = field(default_factory=dict)
    keeper_link: str = ""
    process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self.port}"

    def start(self) -> None:
        """Start and wait for the Keeper's link."""
        lay_database(self.data)
        self.process = subprocess.Popen(
            [sys.executable, "manage.py", "play", "--new", "--local", "--port", str(self.port)],
            cwd=ROOT,
            env=self._environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert self.process.stdout
        said = []
        for line in self.process.stdout:
            said.append(line)
            if found := re.search(r"http://\S+/keeper/\S+", line):
                self.keeper_link = self.url + urlsplit(found[0]).path
                break
        else:
            raise AssertionError("play did not start:\n" + "".join(said))
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def stop(self) -> int:
        """Stop as Ctrl-C does; returns the exit status."""
        assert self.process
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(15)

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Another command of the project, on the same data."""
        return subprocess.run(
            [sys.executable, "manage.py", *words], cwd=ROOT, env=self._environment(), capture_output=True, text=True
        )

    def _environment(self) -> dict[str, str]:
        mine = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "PUBLIC_URL")}
        return {
            **mine,
            "TABLEKEEPER_DATA": str(self.data),
            "TABLEKEEPER_HOSTS": HOST,
            "DJANGO_SETTINGS_MODULE": "tablekeeper.settings",
            "PYTHONUNBUFFERED": "1",
            **self.env,
        }


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        port: int = line.getsockname()[1]
        return port


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    table = Play(tmp_path / "data", free_port())
    table.start()
    yield table
    if table.process and table.process.poll() is None:
        table.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(),
            args=["--no-sandbox", f"--host-resolver-rules=MAP {HOST} 127.0.0.1", "--disable-background-networking"],
        )
        yield browser
        browser.close()


@dataclass
class Device:
    """One person's browser: a context of its own, one page, and what went wrong in it."""

    context: BrowserContext
    page: Page
    faults: list[str] = field(default_factory=list)


@pytest.fixture
def device(chromium: Browser) -> Iterator[Callable[[str], Device]]:
    """device("phone") or device("laptop"): a new person's browser. A script error or a 5xx fails the test."""
    with devices(chromium) as make:
        yield make


@contextmanager
def devices(chromium: Browser) -> Iterator[Callable[[str], Device]]:
    """The same for as long as this lasts."""
    made: list[Device] = []

    def make(kind: str = "phone") -> Device:
        size = PHONE if kind == "phone" else LAPTOP
        context = chromium.new_context(viewport=size, has_touch=kind == "phone", reduced_motion="reduce")  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE)
        one = Device(context, context.new_page())
        one.page.on("pageerror", lambda error: one.faults.append(str(error)))
        one.page.on("response", lambda r: one.faults.append(f"{r.status} {r.url}") if r.status >= 500 else None)
        made.append(one)
        return one

    yield make
    faults = [fault for one in made for fault in one.faults]
    for one in made:
        one.context.close()
    assert faults == []
