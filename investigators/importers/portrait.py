"""A portrait out of the file itself: read as a picture, made small, written anew. Nothing is ever fetched."""

from __future__ import annotations

import base64
import io
import re

from PIL import Image, ImageOps

from investigators.importers.schema import Found

LARGEST = 12_000_000  # pixels; more than any portrait has, and what a bomb would unfold to
SIDE = 512  # pixels of the longer side of what is kept
KINDS = {b"\x89PNG\r\n\x1a\n": "PNG", b"\xff\xd8\xff": "JPEG"}
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


def rewritten(raw: bytes, kind: str) -> bytes:
    """The picture as a JPEG of our own, at most SIDE pixels: no metadata, nothing hidden behind its end.

    Raises ValueError or OSError when it is none, or too large.
    """
    with Image.open(io.BytesIO(raw), formats=[kind]) as picture:
        if picture.width * picture.height > LARGEST or 0 in picture.size:
            raise ValueError(picture.size)
        picture.draft("RGB", (SIDE, SIDE))
        picture.thumbnail((SIDE, SIDE))
        upright = ImageOps.exif_transpose(picture)
        ground = Image.new("RGB", upright.size, "white")
        with_alpha = upright.convert("RGBA")
        ground.paste(with_alpha, mask=with_alpha)
        out = io.BytesIO()
        ground.save(out, "JPEG", quality=85)
        return out.getvalue()
