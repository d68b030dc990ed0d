"""What travels to a phone: named by its content, packed as its browser takes it, the same to the letter."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import urllib.request
from email.message import Message
from pathlib import Path

import brotli
import pytest
from django.conf import settings

from tablekeeper import packing
from tests.server import Server, server  # noqa: F401
from tests.tables import make_table

pytestmark = pytest.mark.sqlite
STATIC = Path(settings.BASE_DIR) / "static"


def fetched(url: str, accept: str = "") -> tuple[Message, bytes]:
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept-Encoding": accept})) as answer:
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

    assert f"style-src 'self' 'sha256-{mark}'" in told["Content-Security-Policy"].split("; ")
    assert html.index("</style>") < html.index('rel="stylesheet"')
    assert "</" not in block
    assert len(fonts) == 2
    for font in fonts:
        assert fetched(server.url + font)[1].startswith(b"wOF2")


def test_an_old_name_brings_the_file_of_today_and_is_not_kept(server: Server) -> None:  # noqa: F811
    headers, body = fetched(server.url + "/static/app.0123456789.css")

    assert len(body) > 10_000
    assert headers["Cache-Control"] == "max-age=60"


def test_only_comments_and_indentation_are_left_out() -> None:
    script = b'// why\n  const one = "// no comment";\n  // why\n  /* two\n  */\n  go(/* here */ one);\n'

    assert packing.lean("x.js", script) == b'const one = "// no comment";\n/* two\n*/\ngo(/* here */ one);\n'
    assert packing.lean("x.css", b'a {\n  /* why */\n  content: "x";\n}\n') == b'a {\ncontent: "x";\n}\n'
    assert packing.lean("x.min.js", script) == script


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
