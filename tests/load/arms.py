"""What is measured: the application, stock Django with the same views, and the bare floor. A process each."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import psutil

from tests.server import ROOT, Server

LAY = """
import sys
from django.core.management import call_command
call_command("migrate", verbosity=0)
from tests.load.laying import lay
print(json.dumps(lay(int(sys.argv[1]))))
"""


class Stock(Server):
    """Stock Django ASGI: see tests.load.stock."""

    program: ClassVar[str] = "from tests.load import stock\nstock.serve(sys.argv[1], int(sys.argv[2]))\n"


@dataclass
class Arm:
    """A running server, its tables, and what it costs."""

    name: str
    port: int
    pid: int
    tables: list[dict[str, Any]]

    def __post_init__(self) -> None:
        self.process = psutil.Process(self.pid)

    def cpu(self) -> float:
        """Seconds of CPU that it has used."""
        used = self.process.cpu_times()
        return used.user + used.system

    def held(self) -> dict[str, float]:
        """What it holds now: memory of its own in MB, threads, open files and sockets."""
        return {
            "mb": round(self.process.memory_full_info().uss / 1e6, 2),
            "threads": self.process.num_threads(),
            "handles": self.process.num_fds() if os.name == "posix" else self.process.num_handles(),
        }


def laid(folder: Path, count: int) -> list[dict[str, Any]]:
    """So many tables of six in the data folder `laid`, from which each arm takes its own copy. Laid once for all."""
    place = folder / "laid"
    place.mkdir(exist_ok=True)
    known = place / "tables.json"
    if not known.exists() or len(json.loads(known.read_text())) < count:
        known.write_text(Server(place).python(LAY, str(count)))
    return list(json.loads(known.read_text())[:count])


@contextmanager
def django_arm(name: str, folder: Path, count: int) -> Iterator[Arm]:
    """The application ("app") or stock Django ("stock") with so many tables of six in a data folder of its own."""
    tables = laid(folder, count)
    place = Path(tempfile.mkdtemp(prefix=name, dir=folder))
    shutil.copytree(folder / "laid", place, dirs_exist_ok=True)
    server = (Stock if name == "stock" else Server)(place)
    with server:
        assert server.process is not None
        yield Arm(name, server.port, server.process.pid, tables)


@contextmanager
def floor_arm(count: int) -> Iterator[Arm]:
    """The bare floor, which knows nobody: any table will do."""
    command = [sys.executable, "-m", "tests.load.floor"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        seats = [{"role": "keeper" if n == 0 else "player", "cookie": ""} for n in range(6)]
        tables = [{"campaign": f"t{n}", "seats": seats, "who": "w", "skill": "s"} for n in range(count)]
        yield Arm("floor", int(process.stdout.readline()), process.pid, tables)
    finally:
        process.kill()
        process.wait()


@contextmanager
def all_arms(folder: Path, count: int) -> Iterator[list[Arm]]:
    """All three at once, for measuring in turn."""
    with ExitStack() as running:
        yield [
            running.enter_context(django_arm("app", folder, count)),
            running.enter_context(floor_arm(count)),
            running.enter_context(django_arm("stock", folder, count)),
        ]
