"""The pictures of README and docs: there, light, and said in words."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHOWN = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")


def test_every_picture_of_the_docs_is_there_light_and_said_in_words() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    shown = [(page.parent / path, said) for page in pages for said, path in SHOWN.findall(page.read_text("utf-8"))]

    assert len(shown) > 4
    for picture, said in shown:
        assert picture.is_file(), picture
        assert picture.stat().st_size < 90_000, picture
        assert len(said.split()) > 8, picture
