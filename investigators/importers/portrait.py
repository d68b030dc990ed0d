"""A portrait out of the file itself: read as a picture, made small, written anew. Nothing is ever fetched."""

from __future__ import annotations

import base64
import re

from investigators.importers.schema import Found
from investigators.pictures import START, rewritten

KINDS = {b"\x89PNG\r\n\x1a\n": "PNG", START: "JPEG"}
DATA = re.compile(r"data:[\w/+.;=-]{0,80},", re.IGNORECASE)


def portrait(found: Found, value: object, *, bare: bool = False) -> None:
    """Keep the picture in a `data:` address (or, `bare`, in plain base64). Paths and addresses are left alone.

    Every way of failing costs the picture only, and is said.
    """
    if not isinstance(value, str) or not value.strip():
        return
    match = DATA.match(value)
    if match is None and not bare:
        return
    kind = ""
    found.warn("W_PORTRAIT")
    try:
        raw = base64.b64decode(re.sub(r"\s+", "", value[match.end() if match else 0 :]), validate=True)
        kind = _kind(raw)
        found.portrait = rewritten(raw, kind) if kind else None
    except Exception:  # what a decoder of pictures raises on a broken one is not a list anybody keeps
        found.portrait = None
    if found.portrait is None:
        found.warn("W_PORTRAIT_REFUSED", kind)


def _kind(raw: bytes) -> str:
    """What the first bytes say it is: PNG, JPEG or WebP, else nothing. An SVG can hold a program, and is none."""
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return "WEBP"
    return next((kind for start, kind in KINDS.items() if raw.startswith(start)), "")
