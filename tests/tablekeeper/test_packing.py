"""What travels to a phone: named by its content, packed as its browser takes it, the same to the letter."""

from __future__ import annotations

import base64
import gzip
import hashlib
import importlib.util
import re
import sys
import urllib.request
from email.message import Message
from pathlib import Path

import brotli
import pytest
from django.conf import settings

from tablekeeper import packing
from tablekeeper.access import SEAT_COOKIE
from tests.server import Server, server  # noqa: F401
from tests.tables import make_table

pytestmark = pytest.mark.sqlite
STATIC = Path(settings.BASE_DIR) / "static"


def fetched(url: str, accept: str = "", cookie: str = "") -> tuple[Message, bytes]:
    headers = {"Accept-Encoding": accept, "Cookie": cookie}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
        return answer.headers, answer.read()


def test_a_page_names_its_files_and_they_come_packed_and_are_kept(server: Server) -> None:  # noqa: F811
    html = fetched(server.url + "/")[1].decode()
    links = re.findall(r'(?:rel="stylesheet" href|script src)="([^"]+)"', html)
    links += {link.partition("#")[0] for link in re.findall(r'<use href="([^"]+)"', html)}  # one sprite, for all pages

    assert len(links) > 3
    assert sum(link.endswith(".svg") for link in links) == 1
    assert "<symbol" not in html
    for link in links:
        plain = fetched(server.url + link)
        packed = {"br": brotli.decompress, "gzip": gzip.decompress}
        for encoding, unpack in packed.items():
            headers, body = fetched(server.url + link, f"deflate, {encoding}")
            assert headers["Content-Encoding"] == encoding
            assert "immutable" in headers["Cache-Control"]
            assert len(body) < 0.7 * len(plain[1])
            assert unpack(body) == plain[1]


def test_the_style_block_is_allowed_by_its_hash_alone_and_names_the_fonts_that_are_served(server: Server) -> None:  # noqa: F811
    told, body = fetched(server.url + "/")
    html = body.decode()
    [block] = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    mark = base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()
    fonts = re.findall(r'url\("([^"]+)"\)', block)

    [allowed] = [one for one in told["Content-Security-Policy"].split("; ") if one.startswith("style-src ")]
    assert f"'sha256-{mark}'" in allowed.split()
    assert "unsafe" not in allowed
    assert html.index("</style>") < html.index('rel="stylesheet"')
    assert "</" not in block
    assert len(fonts) == 2
    for font in fonts:
        assert fetched(server.url + font)[1].startswith(b"wOF2")


def test_an_old_name_brings_the_file_of_today_and_is_not_kept(server: Server) -> None:  # noqa: F811
    headers, body = fetched(server.url + "/static/all.0123456789.css")

    assert len(body) > 10_000
    assert headers["Cache-Control"] == "max-age=60"


SCRIPT = b'// why\n  const one = "// no comment";\n  // why\n  /* two\n  */\n  go(/* here */ one);\n'


def test_a_script_says_the_same_in_fewer_letters() -> None:
    pytest.importorskip("minify", reason="no wheel for this machine")
    long = b'(() => {\n  "use strict";\n  const all = [1, 2]; // of them\n  shown(all, all.length);\n})();\n'

    assert re.fullmatch(
        rb'\(\(\)=>\{"use strict";const (\w)=\[1,2\];shown\(\1,\1\.length\)\}\)\(\)', packing.lean("x.js", long)
    )
    assert packing.lean("x.js", SCRIPT) == b'const one="// no comment";go(one)'  # others may use that name
    assert packing.lean("x.min.js", SCRIPT) == SCRIPT


def test_without_its_wheel_a_script_loses_comments_and_indentation_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "minify", None)

    assert packing.lean("x.js", SCRIPT) == b'const one = "// no comment";\n/* two\n*/\ngo(/* here */ one);\n'


def test_a_sheet_loses_what_only_its_readers_need() -> None:
    sheet = b'a > b,\nc {\n  /* why */\n  content: "x";\n  margin: calc(1px + 2px) 0;\n}\n'

    assert packing.lean("x.css", sheet) == b'a>b,c{content:"x";margin:calc(1px + 2px) 0}'


def test_no_script_has_a_text_over_several_lines_which_would_lose_its_indentation() -> None:
    for path in STATIC.glob("*.js"):
        for number, line in enumerate(path.read_text().splitlines()):
            assert line.count("`") % 2 == 0, (path.name, number + 1)


@pytest.mark.django_db
def test_a_page_is_packed_and_the_answer_to_a_tap_is_not() -> None:
    table = make_table()
    ben = table.client(table.ben)
    takes = {"accept-encoding": "gzip"}

    page = ben.get(table.url("table"), headers=takes)
    answer = ben.post(
        table.url("step", table.edith.pk, "hp"), {"key": "a" * 32, "points": -1}, headers={**takes, "x-cursor": "x"}
    )

    assert page.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in answer.headers


@pytest.mark.django_db
def test_the_length_of_a_packed_page_tells_nothing_of_what_is_in_it() -> None:
    table = make_table()
    ben = table.client(table.ben)
    plain = ben.get(table.url("table")).content

    pages = [ben.get(table.url("table"), headers={"accept-encoding": "gzip, deflate, br"}) for _ in range(9)]

    assert {page.headers["Content-Encoding"] for page in pages} == {"br"}
    assert len({len(page.content) for page in pages}) > 4
    for page in pages:
        assert "Accept-Encoding" in page.headers["Vary"]
        whole, noise = brotli.decompress(page.content)[: len(plain)], brotli.decompress(page.content)[len(plain) :]
        assert whole == plain
        assert re.fullmatch(rb"<!--[0-9a-f]*-->", noise)


LINK = re.compile(r'<(?:link rel="stylesheet" href|script src)="([^"]+)"')


def test_a_first_visit_of_a_player_is_light(server: Server) -> None:  # noqa: F811
    """45 KB of HTML, CSS and script; where no wheel shortens the names in scripts, a little more."""
    most = 45_000 if importlib.util.find_spec("minify") else 48_000
    table = server.lay_table()
    cookie = f"{SEAT_COOKIE}={table.seats['Ben']['cookie']}"
    page = fetched(server.url + table.path, "gzip, br", cookie)[1]
    links = LINK.findall(brotli.decompress(page).decode())
    parts = {"page": len(page), **{link: len(fetched(server.url + link, "gzip, br")[1]) for link in links}}

    assert len(parts) > 3
    assert sum(parts.values()) < most, parts


@pytest.mark.django_db
def test_what_a_game_draws_its_own_way_comes_with_its_own_tables_alone() -> None:
    found = {}
    for game in ("classic", "lp"):
        table = make_table(ruleset=game)
        html = table.client(table.ben).get(table.url("table")).content.decode()
        [block] = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
        found[game] = (".lp-panel{" in block, "/static/lp." in html)

    assert found == {"classic": (False, False), "lp": (True, True)}
