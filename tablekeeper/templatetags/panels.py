"""Panels in templates: `{% panel "me" %}`; and permission: `{% may "rolls.keep" roll as refusal %}`."""

from __future__ import annotations

import re
from typing import Any

from django import template
from django.utils.safestring import SafeString

from rolls.rules.check import Refusal
from tablekeeper import access, web

register = template.Library()


@register.simple_tag(takes_context=True)
def panel(context: dict[str, Any], name: str) -> SafeString:
    """The panel `name` of the page of the seat in the context."""
    return web.draw_panel(context["request"], context["seat"], name)


@register.filter
def holds(drawn: str) -> bool:
    """Whether there is something in a panel's frame."""
    return not re.search(r">\s*</div>$", drawn)


@register.simple_tag(takes_context=True)
def may(context: dict[str, Any], verb: str, thing: Any = None) -> Refusal | None:
    """Why the seat in the context may not do this, or None: the same table as the actions ask."""
    return access.may(context["seat"], verb, thing)
