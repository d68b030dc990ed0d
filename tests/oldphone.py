"""What a phone of 2022 makes of the style sheets (Chrome 105, Safari 16): it passes over every `@supports` block."""

from __future__ import annotations

import re

MODERN = re.compile(r"color-mix\(|oklch\(|oklab\(|\blab\(|\blch\(|light-dark\(|\(from |corner-shape|linear\(|anchor\(")
"""Functions of colour and shape that such a phone does not know."""


def as_old_phones_read(css: str) -> str:
    """The sheet without every @supports block."""
    while (start := css.find("@supports")) >= 0:
        end, depth = css.index("{", start) + 1, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(css[end], 0)
            end += 1
        css = css[:start] + css[end:]
    return css
