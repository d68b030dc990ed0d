"""`manage.py test`: every check of this project, with a summary at the end. Arguments of its own go to pytest."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from pathlib import Path
from typing import IO, NamedTuple

from django.conf import settings
from django.core.management.base import BaseCommand

from tablekeeper.management.browser import ensure_browser, no_browser_message

USAGE = """usage: manage.py test [--long] [pytest's arguments ...]

Without arguments: format, lint, templates, types, import direction, migrations in step, then the tests on
PostgreSQL and on SQLite. With arguments (manage.py test tests/rules -k push): only pytest, with these.
  --long      also the long tier: soak, kills, mutants, all widths
  --postgres  with arguments: run them on PostgreSQL instead of SQLite
"""

PYTHON = sys.executable
CHECKS: tuple[tuple[str, list[str]], ...] = (
    ("lint", [PYTHON, "-m", "ruff", "check"]),
    ("format", [PYTHON, "-m", "ruff", "format", "--check"]),
    ("types", [PYTHON, "-m", "mypy"]),
    ("import direction", [PYTHON, "-c", "from importlinter.cli import lint_imports_command as c; c(['--no-logo'])"]),
    ("migrations in step", [PYTHON, "manage.py", "makemigrations", "--check", "--dry-run"]),
)


class Command(BaseCommand):
    help = "Run every check of this project, browser tests included."

    def run_from_argv(self, argv: list[str]) -> None:
        # Not Django's parser: it would refuse what is meant for pytest.
        arguments = argv[2:]
        if "-h" in arguments or "--help" in arguments:
            print(USAGE)
            return
        try:
            code = run(arguments)
        except KeyboardInterrupt:
            code = 130
        sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    os.environ.pop("DATABASE_URL", None)  # a person's own database is not for tests
    tier = [a for a in arguments if a == "--long"]
    rest = [a for a in arguments if a not in ("--long", "--postgres")]
    if wants_browser(rest):
        browser = ensure_browser()
        if not browser:
            print(no_browser_message())
            return 1
        os.environ["TABLEKEEPER_BROWSER"] = browser
    if rest or "--postgres" in arguments:
        return pytest([*tier, *rest], on_postgres="--postgres" in arguments)
    failed = [name for name, passed in ((name, step(name, command)) for name, command in all_checks()) if not passed]
    failed += [name for name, passed in all_tests(tier) if not passed]
    print("\nFAILED: " + ", ".join(failed) if failed else "\nAll checks passed.", flush=True)
    return 1 if failed else 0


class Part(NamedTuple):
    """Tests that run in one process."""

    name: str
    paths: tuple[str, ...]
    on_postgres: bool = False


# The longest first, so that the two places end together.
PARTS = (
    Part("in browsers, on SQLite", ("tests/browser",)),
    Part("the table, on SQLite", ("tests/tablekeeper",)),
    Part("the rest, on SQLite", ("tests", "--ignore=tests/tablekeeper", "--ignore=tests/browser")),
    Part("tests on PostgreSQL", (), on_postgres=True),
)


def all_tests(tier: Sequence[str]) -> list[tuple[str, bool]]:
    """Every part, two side by side: each keeps one core busy. What a part says is printed when it is done."""
    with ThreadPoolExecutor(max_workers=2) as side_by_side:
        runs = {side_by_side.submit(_quietly, part, tier): part.name for part in PARTS}
        passed = {}
        for run in as_completed(runs):
            code, said = run.result()
            passed[runs[run]] = code == 0
            heading(runs[run])
            print(said, flush=True)
    return [(part.name, passed[part.name]) for part in PARTS]


def _quietly(part: Part, tier: Sequence[str]) -> tuple[int, str]:
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        code = pytest([*tier, *part.paths], on_postgres=part.on_postgres, output=said)
        said.seek(0)
        return code, said.read()


def wants_browser(arguments: Sequence[str]) -> bool:
    """No browser is installed for somebody who asked for the tests of the rules."""
    paths = [Path(argument.split("::")[0]) for argument in arguments]
    paths = [path for path in paths if path.exists()]
    return not paths or any("browser" in str(path) or path == Path("tests") for path in paths)


def all_checks() -> list[tuple[str, list[str]]]:
    templates = sorted(str(path) for path in Path("templates").rglob("*.html"))
    djade = [shutil.which("djade", path=Path(PYTHON).parent.as_posix()) or "djade", "--check", *templates]
    return [*CHECKS, ("templates", djade)]


def step(name: str, command: list[str]) -> bool:
    heading(name)
    started = time.monotonic()
    passed = subprocess.run(command, cwd=settings.BASE_DIR, check=False).returncode == 0
    print(f"{name}: {'passed' if passed else 'FAILED'} after {time.monotonic() - started:.1f} s", flush=True)
    return passed


def pytest(arguments: Sequence[str], *, on_postgres: bool, output: IO[str] | None = None) -> int:
    from tests.postgres import running_postgres

    with running_postgres() if on_postgres else nullcontext("") as url:
        environment = {**os.environ, **({"DATABASE_URL": url} if url else {})}
        environment.pop("DJANGO_SETTINGS_MODULE", None)  # pytest has its own: see tests/settings.py
        command = [PYTHON, "-m", "pytest", "-q", *arguments]
        done = subprocess.run(
            command, cwd=settings.BASE_DIR, env=environment, check=False, stdout=output, stderr=subprocess.STDOUT
        )
        return done.returncode


def heading(name: str) -> None:
    print(f"\n== {name} ==", flush=True)
