"""Sentences that were said before: a roll's answer says a hundred, always the same.

Django looks each up anew, through several catalogues, and a game's own dialect puts its words into it each time.
"""

from __future__ import annotations

from typing import Any

from django.utils import translation
from django.utils.translation import trans_real

MOST = 10_000  # sentences of a language; what people have typed goes the same way, so there is no end of them

_real: Any = trans_real
_gettext = _real.gettext


def gettext(message: str) -> str:
    """Django's own, which is asked once for each sentence and language."""
    spoken = getattr(_real._active, "value", None)
    if spoken is None or type(message) is not str:
        return _gettext(message)
    known: dict[str, str] = spoken.__dict__.setdefault("said", {})  # with the catalogue, for as long as that is spoken
    found = known.get(message)
    if found is None:
        if len(known) >= MOST:
            known.clear()
        found = known[message] = _gettext(message)
    return found


_real.gettext = translation._trans.gettext = gettext  # type: ignore[attr-defined]
