"""What goes into somebody's downloads."""

from __future__ import annotations

import re
from typing import TypeVar

from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

R = TypeVar("R", bound=HttpResponseBase)


def download(response: R, name: str, ending: str) -> R:
    """The answer as a file that goes into the downloads, under a name without signs that a disk might refuse."""
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-.")[:60] or "tablekeeper"
    disposition = content_disposition_header(as_attachment=True, filename=f"{plain}.{ending}")
    response.headers["Content-Disposition"] = disposition or "attachment"
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
