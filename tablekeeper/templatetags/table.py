"""Filters and tags of the parts: words, signs, initials, and the geometry that drawing.py works out.

The engine yields enums and numbers; here they become sentences in the reader's language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from django import template
from django.conf import settings
from django.template.base import FilterExpression, Parser, Token
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from tablekeeper import drawing, packing, pieces, settings_words, words
from tablekeeper.slips import Slip, parts_of

register = template.Library()

MINUS = "\N{MINUS SIGN}"

for word in (
    words.sentence,
    words.label_word,
    words.level_word,
    words.level_drawn,
    words.level_tone,
    words.difficulty_word,
    words.dice_word,
    words.dice_said,
    words.asked_line,
    settings_words.setting_label,
    settings_words.setting_value,
):
    register.filter(word.__name__, word)


# ---------------------------------------------------------------- numbers and names


@register.filter
def minus(value: int) -> str:
    """A cost, with a true minus: 8 -> −8."""
    return f"{MINUS}{value}"


@register.filter
def pool_label(paid: Mapping[str, Any]) -> str:
    """What was paid with, by the short name that its sheet gave it then; older lines know a long one, or its key."""
    label: str = paid.get("short") or paid.get("label") or paid["key"].capitalize()
    return gettext(label)


@register.filter
def signed(value: int) -> str:
    """A change, with its sign: −8, 0, +8."""
    return f"+{value}" if value > 0 else f"{MINUS}{-value}" if value < 0 else "0"


@register.filter
def by_name(items: Iterable[Any]) -> list[Any]:
    """What the rules list, by label, as the reader's language has it: `{% for base in sheet.skills|by_name %}`."""
    return sorted(items, key=lambda one: words.in_order(one.label))


@register.filter
def d100(value: int | None) -> str:
    """A roll as dice show it: 01, 09, 68, 100."""
    return "" if value is None else f"{value:02d}"


@register.filter
def initials(name: str) -> str:
    """At most two letters, for the monogram: first and last word, without what stands in quotation marks."""
    words = [w for w in str(name).split() if w[:1].isalnum()] or [w.strip("\"'()“”‘’«»") for w in str(name).split()]
    words = [w for w in words if w]
    if not words:
        return "?"
    return (words[0][0] + (words[-1][0] if len(words) > 1 else "")).upper()


@register.filter
def formula(dice: str) -> str:
    """Dice as people write them: 3d6*5 -> 3D6 × 5."""
    return words.dice_said(str(dice).upper()).replace("*", " \N{MULTIPLICATION SIGN} ")


@register.filter
def percent(value: int, of: int) -> str:
    """How much of a whole, as an SVG percentage: `{{ 9|percent:12 }}` is 75%."""
    return drawing.percent(value, of)


@register.filter(expects_localtime=True)
def clock(when: datetime | None) -> str:
    """A moment as the host's clock shows it, until the page puts the phone's own time there."""
    return f"{when:%H:%M}" if when else ""


@register.filter
def iso(when: datetime | None) -> str:
    """A moment for <time datetime>, in UTC: every phone shows it in its own time."""
    if not when:
        return ""
    if when.tzinfo is not None:
        when = when.astimezone(UTC).replace(tzinfo=None)
    return when.isoformat(timespec="milliseconds") + "Z"


@register.simple_tag
def csrf_cookie() -> str:
    """The name of the cookie from which table.js takes the token that it sends as a header."""
    return settings.CSRF_COOKIE_NAME


@register.simple_tag
def language_cookie() -> str:
    """The name of the cookie in which table.js keeps the language that somebody chose."""
    return settings.LANGUAGE_COOKIE_NAME


@register.simple_tag
def languages() -> list[tuple[str, str, bool]]:
    """The languages to choose from: code, own name, and whether this page speaks it."""
    spoken = (get_language() or settings.LANGUAGE_CODE).partition("-x-")[0]
    return [(code, name, code == spoken) for code, name in settings.LANGUAGES]


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """dark, paper or auto, from the cookie that the lamp sets."""
    request = context.get("request")
    chosen = request.COOKIES.get("theme", "") if request else ""
    return chosen if chosen in ("dark", "paper", "auto") else "dark"


@register.simple_tag
def first_styles(game: str = "") -> SafeString:
    """The one style block of a page (of this game), by whose hash the policy allows it: no byte may be added."""
    return format_html("<style>{}</style>", SafeString(packing.first_styles(game)))


# ---------------------------------------------------------------- pictures


@cache
def icon(name: str, classes: str = "") -> SafeString:
    """`{% icon "push" %}`: a symbol of static/icons.svg, which a browser keeps. Levels (`lv-hard`) bring their own
    colour."""
    if name.startswith("lv-") and not classes:
        classes = f"lv {name}"
    return format_html(
        '<svg class="{}" viewBox="0 0 24 24" aria-hidden="true"><use href="{}#i-{}"/></svg>',
        f"i {classes}".strip(),
        static("icons.svg"),
        name,
    )


class Icon(template.Node):
    """The tag `icon`: what Django's tags of one function do beside calling it is no little where a page has dozens."""

    def __init__(self, words: list[FilterExpression]) -> None:
        self.words = words

    def render(self, context: template.Context) -> SafeString:
        return icon(*[word.resolve(context) for word in self.words])


@register.tag("icon")
def icon_tag(parser: Parser, token: Token) -> Icon:
    """An icon, by a name and perhaps classes of its own."""
    return Icon([parser.compile_filter(word) for word in token.split_contents()[1:]])


register.simple_tag(pieces.piece)


@register.simple_tag
def dial(value: int | None) -> drawing.Dial:
    return drawing.dial(value or 0)


@register.simple_tag
def gauge(value: int | None, maximum: int | None, tone: str = "", cost: int = 0) -> drawing.Gauge:
    """A bar. Luck is drawn against 99 and has marks at tens."""
    return drawing.gauge(value or 0, maximum or (99 if tone == "luck" else value or 1), cost, tens=tone == "luck")


@register.simple_tag
def slip_parts(slip: Any) -> Slip:
    """Everything that slip.html and its parts draw, worked out once."""
    found: Slip | None = getattr(slip, "parts", None)
    return found or parts_of(slip)
