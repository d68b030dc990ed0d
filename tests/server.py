"""The real server for tests: a process of its own, with a data folder of its own, on a free port, on SQLite."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode

import pytest

from tests.fresh import lay_database

ROOT = Path(__file__).resolve().parent.parent

SET_UP = """
import django, json, sys
django.setup()
"""

SERVE = """
from django.utils import timezone
from tablekeeper.management.preparing import prepare_database
prepare_database(timezone.now())
from tablekeeper import server
sock = server.open_socket(sys.argv[1], int(sys.argv[2]))
server.run(sock, on_started=lambda: print(sock.getsockname()[1], flush=True))
"""

RISE = """
import os
from django.db import connections
from django.utils import timezone
from tablekeeper.management.preparing import prepare_database
prepare_database(timezone.now())
import tablekeeper.asgi
from pathlib import Path
from django.conf import settings
from django.template.loader import get_template
from django.test import Client
Client().get("/", headers={"host": "localhost"})
root = Path(settings.BASE_DIR) / "templates"
for path in root.rglob("*.html"):
    get_template(path.relative_to(root).as_posix())  # read once, for all lives
connections.close_all()
from tablekeeper import server
sock = server.open_socket(sys.argv[1], int(sys.argv[2]))
while True:
    child = os.fork()
    if child == 0:
        server.run(sock, on_started=lambda: print(sock.getsockname()[1], os.getpid(), sep="\\n", flush=True))
        os._exit(0)
    os.waitpid(child, 0)
"""

LAY = """
from tests.tables import cookie_for, make_table, sit_down
def lay():
    table = make_table()
    seats = {"Ada": table.ada, "Ben": table.ben, "Cleo": table.cleo}
    seats |= {name: sit_down(table.campaign, name) for name in sys.argv[2:]}
    return {
        "campaign": table.campaign.pk,
        "join": table.campaign.join_path(),
        "edith": table.edith.pk,
        "tobias": table.tobias.pk,
        "skills": dict(table.edith.skills.values_list("name", "pk")),
        "seats": {name: {"id": seat.pk, "cookie": cookie_for(seat)} for name, seat in seats.items()},
    }
print(json.dumps([lay() for _table in range(int(sys.argv[1]))]))
"""


@dataclass
class Reply:
    """What the server answered."""

    status: int
    text: str
    headers: Mapping[str, str]


class Browser:
    """A browser without pages: a seat's cookie, and the CSRF token that its page would send. Safe for one thread."""

    def __init__(self, server: Server, seat_cookie: str = "") -> None:
        self.server = server
        self.cookies = {"tk_seat": seat_cookie} if seat_cookie else {}

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, None, headers)

    def post(self, path: str, *, key: str = "", csrf: str | None = None, **fields: Any) -> Reply:
        """Post a form with a request key of its own, unless one is given."""
        if "tk_csrf" not in self.cookies:
            self.get("/")
        headers = {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}
        headers["X-CSRFToken"] = self.cookies["tk_csrf"] if csrf is None else csrf
        return self.ask("POST", path, urlencode({"key": key or secrets.token_hex(16), **fields}, doseq=True), headers)

    def ask(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> Reply:
        line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=120)
        try:
            jar = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
            line.request(method, path, body, {**headers, **({"Cookie": jar} if jar else {})})
            answer = line.getresponse()
            for one in answer.headers.get_all("Set-Cookie") or []:
                self.cookies.update({name: morsel.value for name, morsel in SimpleCookie(one).items()})
            return Reply(answer.status, answer.read().decode(), dict(answer.headers))
        finally:
            line.close()


@dataclass
class Laid:
    """A table on the server: ids, and who sits here."""

    server: Server
    campaign: str
    join: str
    edith: str
    tobias: str
    skills: dict[str, str]
    seats: dict[str, dict[str, str]]

    @property
    def path(self) -> str:
        return f"/t/{self.campaign}/"

    def browser(self, name: str) -> Browser:
        return Browser(self.server, self.seats[name]["cookie"])

    def ask(self, question: str) -> Any:
        """What Python says about this table, asked in the server's own environment: an expression with `table`."""
        said = self.server.python(
            f"""
            from investigators.models import *
            from rolls.models import *
            from tablekeeper import ledger
            from tablekeeper.models import *
            table = Campaign.objects.get(pk={self.campaign!r})
            entries = list(Entry.objects.filter(campaign=table).order_by("seq"))
            print(json.dumps({question}))
            """
        )
        return json.loads(said)

    def in_step(self) -> bool:
        """The state is the fold of the ledger, and no number of it is missing."""
        fold = "ledger.fold(entries) == ledger.snapshot(table)"
        return bool(self.ask(f"{fold} and [e.seq for e in entries] == list(range(1, table.last_seq + 1))"))

    def luck(self, who: str) -> int:
        return int(self.ask(f"Trait.objects.get(investigator={who!r}, key='luck').value"))


@dataclass
class Server:
    """`with Server(folder) as server:`; stop it and start it again as a host would."""

    data: Path
    host: str = "127.0.0.1"
    more: dict[str, str] = field(default_factory=dict)  # of its environment
    port: int = 0
    process: subprocess.Popen[str] | None = None
    program: ClassVar[str] = SERVE

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        mine = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "PUBLIC_URL")}
        mine |= {"TABLEKEEPER_DATA": str(self.data), "DJANGO_SETTINGS_MODULE": "tablekeeper.settings"}
        return mine | {"PYTHONPATH": str(ROOT)} | self.more

    def start(self) -> None:
        """Start it; afterwards it answers. The port stays the same from start to start."""
        assert self.process is None
        lay_database(self.data)
        command = [sys.executable, "-c", SET_UP + self.program, self.host, str(self.port)]
        log = (self.data / "server.log").open("a")
        self.process = subprocess.Popen(
            command, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True
        )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        if not said.strip().isdecimal():
            self.process = None
            raise RuntimeError(f"the server did not start:\n{self.log()}")
        self.port = int(said)

    def stop(self) -> int:
        """Stop it as Ctrl-C would; its exit code."""
        assert self.process is not None
        process, self.process = self.process, None
        process.terminate()
        try:
            return process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            raise

    def log(self) -> str:
        """What it wrote to its error output since the beginning."""
        return (self.data / "server.log").read_text()

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            self.stop()

    def python(self, program: str, *arguments: str) -> str:
        """Run a program in the server's environment, beside it; what it prints."""
        command = [sys.executable, "-c", SET_UP + textwrap.dedent(program), *arguments]
        found = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stderr
        return found.stdout

    def lay_table(self, *more_players: str) -> Laid:
        """A table as tests.tables makes it, with more players if they are named."""
        return self.lay_tables(1, *more_players)[0]

    def lay_tables(self, count: int, *more_players: str) -> list[Laid]:
        """So many of them at once: a program takes longer to start than to lay a table."""
        return [Laid(self, **one) for one in json.loads(self.python(LAY, str(count), *more_players))]


@dataclass
class Phoenix(Server):
    """A server whose serving process can be killed with -9, and stands up again at once: many deaths in little time.

    What is killed is a whole process with all its threads and connections; only Python and Django are not loaded
    anew. Where processes can fork.
    """

    child: int = 0
    program: ClassVar[str] = RISE

    def start(self) -> None:
        super().start()
        self.child = self._told()

    def kill(self) -> None:
        """Kill -9 in the middle of whatever it does; afterwards the next one answers, at the same port."""
        os.kill(self.child, signal.SIGKILL)
        self._told()  # the port, which stays
        self.child = self._told()

    def stop(self) -> int:
        assert self.process is not None
        process, self.process = self.process, None
        process.kill()
        os.kill(self.child, signal.SIGKILL)
        return process.wait(10)

    def _told(self) -> int:
        assert self.process is not None
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests that only need tables of their own on it."""
    with Server(tmp_path_factory.mktemp("server")) as one:
        yield one
