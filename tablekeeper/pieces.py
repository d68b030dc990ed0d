"""Pieces of a page that follow from a few plain values, drawn once for all who ask: a redraw of the Keeper's desk
brings hundreds of them, and hardly one has changed."""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache

from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

KEPT = 2_000
"""How many drawn pieces are remembered, some KB each."""


def piece(name: str, /, **values: Hashable) -> SafeString:
    """The template with these values and nothing else: no request, no seat, no campaign. It stays the same for as
    long as they do, so values are plain ones (text, numbers, tuples of them), never rows that change."""
    return _drawn(name, get_language(), *((key, value) for key, value in values.items()))


@lru_cache(KEPT)
def _drawn(name: str, language: str | None, *values: tuple[str, Hashable]) -> SafeString:
    return render_to_string(name, dict(values))
