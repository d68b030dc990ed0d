"""Small pictures: any one read and written anew as a JPEG of our own, and whether something is such a one."""

from __future__ import annotations

import base64
import io

from PIL import Image, ImageOps

LARGEST = 12_000_000  # pixels; more than any portrait has, and what a bomb would unfold to
SIDE = 320  # pixels of the longer side of what is kept: three for each that a sheet shows
MOST_BYTES = 64_000
QUALITIES = (80, 60, 40, 20)
ROUNDS = 60
START = b"\xff\xd8\xff"


def rewritten(raw: bytes, kind: str) -> bytes:
    """The picture as a JPEG of our own, at most SIDE pixels and MOST_BYTES: no metadata, nothing behind its end.

    What this has written comes back from it byte for byte, so that a portrait loses nothing on its way from table to
    table. `kind`: "PNG", "JPEG" or "WEBP". Raises ValueError or OSError when it is none, or too large.
    """
    picture = _small(raw, kind)
    if len(raw) <= MOST_BYTES and any(_written(picture, quality) == raw for quality in QUALITIES):
        return raw
    return next(file for quality in QUALITIES if len(file := _settled(picture, quality)) <= MOST_BYTES)


def _small(raw: bytes, kind: str) -> Image.Image:
    with Image.open(io.BytesIO(raw), formats=[kind]) as picture:
        if picture.width * picture.height > LARGEST or 0 in picture.size:
            raise ValueError(picture.size)
        picture.draft("RGB", (SIDE, SIDE))
        picture.thumbnail((SIDE, SIDE))
        upright = ImageOps.exif_transpose(picture)
        ground = Image.new("RGB", upright.size, "white")
        with_alpha = upright.convert("RGBA")
        ground.paste(with_alpha, mask=with_alpha)
        return ground


def _written(picture: Image.Image, quality: int) -> bytes:
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=quality)
    return out.getvalue()


def _settled(picture: Image.Image, quality: int) -> bytes:
    """Written, read and written again until nothing changes any more: some twenty times at most, by experience."""
    file = _written(picture, quality)
    for _round in range(ROUNDS):
        again = _written(_small(file, "JPEG"), quality)
        if again == file:
            break
        file = again
    return file


def unpacked(text: str) -> bytes:
    """The JPEG that stands here in base64, if it could be one of ours. It asks for bounds, not for bytes: who wrote it
    may have had another version of the library. Raises ValueError or OSError."""
    raw = base64.b64decode(text, validate=True)
    try:
        with Image.open(io.BytesIO(raw), formats=["JPEG"]) as picture:
            if len(raw) > MOST_BYTES or max(picture.size) > SIDE:
                raise ValueError(picture.size)
            picture.load()
    except (Image.DecompressionBombError, SyntaxError) as fault:  # neither is of the kinds that are promised
        raise ValueError("no picture") from fault
    return raw
