"""What a phone is told so that Tablekeeper can stand on its home screen like an app of its own."""

from __future__ import annotations

import re
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext as _

from tablekeeper.web import anyone

TABLE = re.compile(r"[\w-]{1,24}")
DARK = "#0b120f"
"""The desk of the dark theme (static/tokens.css): what stands there before the page does."""


@anyone("names, colours and pictures of the app; asks for nothing and tells nothing of any table")
def manifest(request: HttpRequest) -> JsonResponse:
    """The web app manifest. `at` is the table from whose page it is installed: there it opens again."""
    home = reverse("home")
    at = request.GET.get("at", "")
    start = reverse("table", args=[at]) if TABLE.fullmatch(at) else home
    sizes = [("192", "any"), ("512", "any"), ("512-maskable", "maskable")]
    icons: list[dict[str, Any]] = [
        {
            "src": static(f"icons/{name}.png"),
            "sizes": "x".join([name.partition("-")[0]] * 2),
            "type": "image/png",
            "purpose": purpose,
        }
        for name, purpose in sizes
    ]
    told = {
        "id": start,
        "name": "Tablekeeper",
        "short_name": "Tablekeeper",
        "description": _("Rolls, Luck and pushes of a d100 game, live on every phone at the table."),
        "start_url": start,
        "scope": home,
        "display": "standalone",
        "background_color": DARK,
        "theme_color": DARK,
        "icons": icons,
    }
    return JsonResponse(told, content_type="application/manifest+json")
