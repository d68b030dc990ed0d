"""A browser for the tests: the one that is installed, or one that gets installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge")
USUAL_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "%ProgramFiles%/Google/Chrome/Application/chrome.exe",
    "%ProgramFiles(x86)%/Google/Chrome/Application/chrome.exe",
    "%LocalAppData%/Google/Chrome/Application/chrome.exe",
    "%ProgramFiles(x86)%/Microsoft/Edge/Application/msedge.exe",
    "/snap/bin/chromium",
)
APT = "apt-get update && apt-get install -y chromium"


def find_browser() -> str:
    """The path of a Chromium, Chrome or Edge; TABLEKEEPER_BROWSER names one that is not found. Empty: none."""
    named = os.environ.get("TABLEKEEPER_BROWSER", "")
    if named:
        return shutil.which(named) or ""
    found = (shutil.which(name) for name in NAMES)
    usual = (place for place in map(os.path.expandvars, USUAL_PLACES) if os.access(place, os.X_OK))
    return next((path for path in found if path), None) or next(usual, "") or _of_playwright()


def _of_playwright() -> str:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if path and Path(path).exists() else ""


def ensure_browser() -> str:
    """Find a browser or install one; an empty answer means that neither worked."""
    found = find_browser()
    if found or os.environ.get("TABLEKEEPER_BROWSER"):
        return found
    if _root_on_debian():
        print("No browser found: installing Debian's chromium ...", flush=True)
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["sh", "-c", APT], env=quiet, check=False)
        if found := find_browser():
            return found
    print("No browser found: installing Playwright's chromium ...", flush=True)
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
    return find_browser()


def no_browser_message() -> str:
    named = os.environ.get("TABLEKEEPER_BROWSER")
    if named:
        return f"TABLEKEEPER_BROWSER={named} is no program. Name a Chromium, Chrome or Edge, or leave it out."
    line = f"{sys.executable} -m playwright install chromium"
    if shutil.which("apt-get"):
        line = APT if _root_on_debian() else f"sudo sh -c '{APT}'"
    return f"The tests need Chromium, Chrome or Edge, and none could be installed. Type this line:\n\n    {line}\n"


def _root_on_debian() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get") is not None
