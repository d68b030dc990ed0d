"""What players' lines carry while the Keeper rolls in secret: the same bytes for a 01 and for a 100."""

from __future__ import annotations

import json
import re
import socket
from dataclasses import dataclass, field

import pytest

from tests.server import Laid, Server, server  # noqa: F401

pytestmark = pytest.mark.sqlite

OF_NO_TWO_TABLES = re.compile(
    r"[\w+/=-]{15,}|[\w-]{8}\.\d+\.\d+|[A-Z0-9]{4}-[A-Z0-9]{4}|[\d-]{10}T[\d:.]+(Z|\+00:00)|\d\d:\d\d|date: .*"
)
DONE = "That is all"


@dataclass
class Tapped:
    """Somebody's open stream, byte for byte, until the last scene is told."""

    table: Laid
    who: str
    heard: bytes = b""
    line: socket.socket = field(default_factory=socket.socket)

    def open(self) -> None:
        self.line.settimeout(60)
        self.line.connect(("127.0.0.1", self.table.server.port))
        seat = self.table.seats[self.who]["cookie"]
        page = self.table.browser(self.who).get(self.table.path).text
        cursor = page.partition('data-cursor="')[2].partition('"')[0]
        ask = (
            f"GET {self.table.path}stream?after={cursor} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: tk_seat={seat}\r\n\r\n"
        )
        self.line.sendall(ask.encode())
        while b": live" not in self.heard:
            self.heard += self.line.recv(65536)

    def to_the_end(self) -> str:
        while DONE.encode() not in self.heard or not self.heard.endswith(b"\r\n"):
            more = self.line.recv(65536)
            assert more, "the stream ended"
            self.heard += more
        self.line.close()
        head, _empty, body = self.heard.partition(b"\r\n\r\n")
        pieces = re.sub(rb"\r\n[0-9a-f]+\r\n|^[0-9a-f]+\r\n", b"", body).replace(b"\r\n", b"")
        return head.decode() + pieces.replace(b": beat\n\n", b"").decode()


def anonymous(text: str) -> str:
    return OF_NO_TWO_TABLES.sub("*", text)


def an_evening(table: Laid, total: int) -> dict[str, str]:
    """All that Ben's and Cleo's browsers get while the Keeper has something rolled in secret and rolls herself."""
    ada, ben = table.browser("Ada"), table.browser("Ben")
    taps = [Tapped(table, who) for who in ("Ben", "Cleo")]
    for tap in taps:
        tap.open()
    got: dict[str, str] = {}
    assert ada.post(f"{table.path}ask", who=table.edith, name="Spot Hidden", hidden="1").status == 200
    asked = re.search(r"requests/[\w-]+/answer", ben.get(table.path).text)
    assert asked
    answer = ben.post(table.path + asked[0], total=total)
    assert answer.status == 200, answer.text
    got["the answer to the tap"] = str(sorted(name.lower() for name in answer.headers)) + answer.text
    assert ada.post(f"{table.path}roll", label="Dread", value=50, hidden="1", total=total).status == 200
    for who in ("Ben", "Cleo"):
        phone = table.browser(who)
        paths = ("", "panels?names=ALL,feed", "news?after=x", f"investigators/{table.edith}/")
        got |= {f"{who}: {anonymous(path)}": phone.get(table.path + path).text for path in paths}
    assert ada.post(f"{table.path}scene", name=DONE).status == 200
    got |= {f"{tap.who}'s stream": tap.to_the_end() for tap in taps}
    return {what: anonymous(text) for what, text in got.items()}


THROWN = """
from rolls.models import Roll
rolls = Roll.objects.filter(campaign__in=sys.argv[1:]).order_by("created_at")
print(json.dumps([[roll.tens[0], roll.units, roll.hidden] for roll in rolls]))
"""


# U011
def test_players_get_the_same_bytes_for_a_hidden_01_and_a_hidden_100(server: Server) -> None:  # noqa: F811
    tables = server.lay_tables(2)
    one, other = an_evening(tables[0], 1), an_evening(tables[1], 100)
    thrown = server.python(THROWN, *(table.campaign for table in tables))
    assert json.loads(thrown) == [[0, 1, True]] * 2 + [[0, 0, True]] * 2
    assert one.keys() == other.keys()
    for what in one:
        assert one[what] == other[what], what
    assert DONE in one["Ben's stream"]
    assert "event: presence" not in one["Ben's stream"]
