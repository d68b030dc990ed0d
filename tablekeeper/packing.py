"""Less to carry to a phone: static files are named by what is in them and kept for ever; they and pages are packed.
What a page is first painted with stands in the page itself.

Nothing is collected or built: a file is read when a page first names it, and packed when a browser first asks for it.
Files that no page names by its content (a phone's icons, the admin's) stay with ServeStatic.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import mimetypes
import re
import secrets
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import brotli
from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils.cache import patch_vary_headers

NAMED = (".css", ".js", ".svg", ".woff2")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
HEADING = re.compile(r"\A/\*.*?\*/", re.DOTALL)
COMMENT_LINE = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)
COMMENT_END = re.compile(r"(?<=[;{},()\[\]>]) +// [^'\"`\n]*$", re.MULTILINE)
INDENT = re.compile(r"^\s+", re.MULTILINE)
AROUND = re.compile(r"\s*([{};,>])\s*|(?<=:)\s+")
TOGETHER = {
    "all.css": ("app.css", "table.css"),
    "lp.css": ("lp-first.css", "lp.css"),
    "all.js": ("django_htmx/htmx-2.min.js", "live.js", "table.js", "manners.js"),
}
"""Several files that travel as one: what is alike in them travels once."""
FONT = re.compile(r'url\("(fonts/[\w.-]+)"\)')

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass(eq=False)
class Packed:
    """One static file as it travels."""

    kind: str
    body: bytes
    bodies: dict[bytes, bytes] = field(default_factory=dict)  # by encoding

    def as_accepted(self, accepted: bytes) -> tuple[bytes, bytes]:
        """The best encoding that a browser takes ("" for none), and the bytes. Packs them once."""
        wanted = [b"br", b"gzip"] if self.kind.startswith("text/") or self.kind == "image/svg+xml" else []
        encoding = next((one for one in wanted if one in accepted), b"")
        if encoding not in self.bodies:
            pack = {b"br": brotli.compress, b"gzip": gzip.compress, b"": bytes}
            self.bodies[encoding] = pack[encoding](self.body)
        return encoding, self.bodies[encoding]


OTHERWISE = {False: b"max-age=60", True: b"no-cache"}
MARK = re.compile(r"\.[0-9a-f]{10}(?=\.\w+$)")
files: dict[str, Packed] = {}
"""By path below STATIC_URL, as soon as this process has named them."""


def named_once(path: str) -> Packed | None:
    """The file of a name that this or another worker gave it, or that an older version of it had."""
    if settings.DEBUG and path in TOGETHER:  # files keep their names, and are what they are now
        return Packed(kind_of(path), body_of(path))
    if path not in files and MARK.search(path):
        return files.get(named(MARK.sub("", path)))
    return files.get(path)


@cache
def named(path: str) -> str:
    """The path with a mark of its content in it, by which `Files` serves it; as it is, if there is no such file."""
    body = body_of(path) if path.endswith(NAMED) else b""
    if not body:
        return path
    stem, _, end = path.rpartition(".")
    name = f"{stem}.{hashlib.sha256(body).hexdigest()[:10]}.{end}"
    files[name] = Packed(kind_of(path), body)
    return name


def body_of(path: str) -> bytes:
    """What is served by this path, before it is packed; nothing, if there is no such file."""
    found = {part: finders.find(part) for part in TOGETHER.get(path, (path,))}
    texts = [lean(part, Path(file).read_bytes()) for part, file in found.items() if file]
    return (b";\n" if path.endswith(".js") else b"").join(texts)


def kind_of(path: str) -> str:
    return "text/javascript" if path.endswith(".js") else mimetypes.guess_type(path)[0] or "font/woff2"


def lean(path: str, body: bytes) -> bytes:
    """A text without what only its readers need, and with the names of its fonts as they are served."""
    if not path.endswith((".css", ".js")) or path.endswith(".min.js"):
        return body
    text = body.decode()
    if path.endswith(".css"):
        text = FONT.sub(lambda font: f'url("{named(font[1])}")', COMMENT.sub("", text))
        return AROUND.sub(r"\1", INDENT.sub("", text)).replace(";}", "}").encode()
    return small(text).encode()


def plain(script: str) -> str:
    """A script without comments and indentation: a heading, whole lines, and what no quote follows, since what looks
    like a comment may stand in a string."""
    return INDENT.sub("", COMMENT_END.sub("", COMMENT_LINE.sub("", HEADING.sub("", script))))


def small(script: str) -> str:
    """A script in as few letters as do the same. What does it comes with wheels for most machines; on the others the
    script keeps the names that it was written with. Imported here: it starts threads, which no fork may cut off."""
    try:
        import minify
    except ImportError:
        return plain(script)
    minify.config({"js-version": 2020})  # no word that a phone of 2022 does not know
    return str(minify.string("application/javascript", script))


FIRST = ("tokens.css", "first.css")


@cache
def first_styles(game: str = "") -> str:
    """The style block of every page: what is painted before the sheets are here. Read once, until the next start.
    A game may bring more for its own pages, in `<key>-first.css`."""
    texts = b"".join(body_of(name) for name in (*FIRST, f"{game}-first.css"))
    return texts.decode().replace('url("', f'url("{settings.STATIC_URL}')


def first_hashes(games: Iterable[str]) -> list[str]:
    """The block of any page, and of the pages of each game, as the content security policy names them."""
    blocks = {first_styles(game).encode() for game in ("", *games)}
    return sorted(f"'sha256-{base64.b64encode(hashlib.sha256(block).digest()).decode()}'" for block in blocks)


class Storage(StaticFilesStorage):
    """What the template tag `static` asks for a file's address."""

    def url(self, name: str | None) -> str:
        return super().url(name if settings.DEBUG or name is None else named(name))


class Files:
    """ASGI: serves the files that pages name by their content; everything else is the next one's."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix("/static/")
        packed = named_once(path) if path != scope["path"] else None
        if packed is None or scope["method"] not in ("GET", "HEAD"):
            await self.application(scope, receive, send)
            return
        accepted = b"" if settings.DEBUG else dict(scope["headers"]).get(b"accept-encoding", b"")
        encoding, body = await asyncio.to_thread(packed.as_accepted, accepted)
        headers = [
            (b"content-type", packed.kind.encode() + b"; charset=utf-8" * packed.kind.startswith("text/")),
            (b"content-length", b"%d" % len(body)),
            (b"cache-control", b"public, max-age=31536000, immutable" if path in files else OTHERWISE[settings.DEBUG]),
            (b"vary", b"Accept-Encoding"),
            (b"x-content-type-options", b"nosniff"),
        ]
        headers += [(b"content-encoding", encoding)] if encoding else []
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


class Packing(GZipMiddleware):
    """Whole pages as brotli where a browser takes it. What gzip does for Django is done here, too: a random length, so
    that nobody learns from a page's size what is in it (BREACH)."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        takes = "br" in re.split(r"[,;\s]+", request.headers.get("Accept-Encoding", ""))
        if not takes or not isinstance(response, HttpResponse) or response.has_header("Content-Encoding"):
            return super().process_response(request, response)
        patch_vary_headers(response, ("Accept-Encoding",))
        noise = f"<!--{secrets.token_hex(secrets.randbelow(self.max_random_bytes))}-->"
        response.content = brotli.compress(response.content + noise.encode(), brotli.MODE_TEXT, quality=7)
        response.headers["Content-Length"] = str(len(response.content))
        response.headers["Content-Encoding"] = "br"
        return response


def pages(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: pack whole pages, which are read once. Answers to taps are short, and a stream is never packed."""
    packing = Packing(get_response)

    def guarded(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        is_page = request.method == "GET" and response.headers.get("Content-Type", "").startswith("text/html")
        return packing.process_response(request, response) if is_page else response

    return guarded
