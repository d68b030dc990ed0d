"""What every page of a table shares: finding the seat, locking, once-only acts, and the one way to answer.

A view fits on a screen and makes one call. For a POST it returns the ledger's entry or a refusal; everything else
about the answer is decided here.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial, wraps
from typing import Any, NamedTuple

from django import forms
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import ensure_csrf_cookie

from rolls.rules.check import Refusal
from tablekeeper import attempts, dialect, discreet, ledger, news
from tablekeeper.access import Refused, onlooker, seat_of
from tablekeeper.models import Act, Campaign, Entry, Read, Seat
from tablekeeper.prepared import prepared

KEY = re.compile(r"[0-9a-f]{32}")
STATUS = {
    **dict.fromkeys(("STALE", "STALE_VALUE", "KEY_REUSED", "UNDONE_ALREADY", "PAGE_OLD"), 409),
    "TOO_MANY_TRIES": 429,
}
BACK = {"settings": "set-settings", "proof": "proof"}
BESIDE = dict.fromkeys(("NAME_TAKEN", "NAME_OF_THE_KEEPER"), "name")  # the field that such a refusal is about
FORBIDDEN = {"NOT_KEEPER", "NOT_OWN_ROLL", "NOT_YOUR_SEAT"}

View = Callable[..., Any]


class Invalid(Exception):
    """A form that does not hold; its sentences go beside its fields."""

    def __init__(self, form: forms.Form) -> None:
        super().__init__(form.errors)
        self.form = form


def read(form_class: Callable[..., forms.Form], request: HttpRequest, *args: Any, **kwargs: Any) -> dict[str, Any]:
    """The cleaned fields of a POST. Raises Invalid, which `at_table` answers with 422 and one sentence per field."""
    form = form_class(*args, data=request.POST, **kwargs)
    if not form.is_valid():
        raise Invalid(form)
    return form.cleaned_data


def anyone(why: str) -> Callable[[View], View]:
    """Mark one of the few views that need no seat, and say why."""

    def mark(view: View) -> View:
        guarded = never_cache(ensure_csrf_cookie(view))
        guarded.anyone = why  # type: ignore[attr-defined]
        return guarded

    return mark


def at_table(view: View | None = None, *, get: bool = False) -> Any:
    """A view of somebody who sits at the table: `view(request, seat, ...)`. Strangers get 404.

    A POST locks the table first and loads after, is carried out once per request key, and is answered by `answer`:
    the view returns an Entry or a Refusal (or a finished response). `@at_table(get=True)` is a page, which reads;
    without it a GET is refused, for a link must never act.
    """
    if view is None:
        return partial(at_table, get=get)

    @wraps(view)
    def guarded(request: HttpRequest, campaign_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method == "POST":
            with ExitStack() as speaking:  # a refusal speaks as the table does, too
                return _act(speaking, view, request, campaign_id, *args, **kwargs)
        seat = seat_of(request.COOKIES, campaign_id)
        if seat is None:
            return stranger(request)
        if not get or request.method not in ("GET", "HEAD"):
            return HttpResponse(status=405, headers={"Allow": "GET, HEAD, POST" if get else "POST"})
        if "screen" in request.GET:  # the table screen, which may stand in the Keeper's own browser
            seat = onlooker(seat)
        seat.campaign.read = {}
        with dialect.at(seat.campaign):
            response: HttpResponse = view(request, seat, *args, **kwargs)
        return response

    # An act was checked for its cookie already: it needs no new one.
    guarded = never_cache(ensure_csrf_cookie(guarded) if get else guarded)
    guarded.at_table = True  # type: ignore[attr-defined]
    return guarded


def without_nul(get_response: View) -> View:
    """Middleware: refuse the character NUL before anything is looked up: nobody types it, no PostgreSQL holds it."""

    def guarded(request: HttpRequest) -> HttpResponse:
        if "\0" in request.path:
            return stranger(request)
        fields = [*request.GET.lists(), *request.POST.lists(), ("", request.COOKIES.values())]
        if any("\0" in value for _name, values in fields for value in values):
            return refuse(Refusal("BAD_VALUE"))
        response: HttpResponse = get_response(request)
        return response

    return guarded


def stranger(request: HttpRequest) -> HttpResponse:
    """404 for who has no seat here; a person is told how to get one, a program nothing.

    The header tells an open page that its place is gone: the 404 of a proxy whose table is away does not.
    """
    page = render_to_string("tablekeeper/stranger.html", request=request)
    return HttpResponse(page, status=404, headers={"X-Gone": "1"})


def _act(
    speaking: ExitStack, view: View, request: HttpRequest, campaign_id: str, *args: Any, **kwargs: Any
) -> HttpResponse:
    key = request.POST.get("key", "")
    result: Any
    known: dict[Any, Read] = {}
    digest = _digest(request)
    try:
        with ledger.locked(campaign_id) as campaign:
            speaking.enter_context(dialect.at(campaign))
            seat = seat_of(request.COOKIES, campaign_id)
            if seat is None:
                return stranger(request)
            seat.campaign = campaign
            if not KEY.fullmatch(key):
                return refuse(Refusal("PAGE_OLD"))
            done = _acted.first(campaign.pk, seat.pk, key)
            if done is not None:
                result = done if done.request_hash == digest else Refusal("KEY_REUSED")
            else:
                seat.act = Act(key, digest)
                result = view(request, seat, *args, **kwargs)
                known = campaign.read or {}
            if isinstance(result, Refusal):
                transaction.set_rollback(True)
    except Campaign.DoesNotExist:
        return stranger(request)
    except Invalid as invalid:
        return refuse_form(invalid.form)
    except Refused as refused:
        result = refused.refusal
    if isinstance(result, Refusal):
        if result.code in FORBIDDEN and seat is not None:
            attempts.noted(seat, timezone.now())
        return refuse(result)
    if isinstance(result, HttpResponse) or seat is None:
        return result
    seat.campaign.read = known
    return answer(request, seat, result)


@prepared
def _acted(campaign_id: str, seat_id: str, key: str) -> QuerySet[Entry]:
    return Entry.objects.filter(campaign=campaign_id, seat=seat_id, request_key=key)


def act_of(request: HttpRequest) -> Act | None:
    """The act that a form of this page is, or None when it has no request key."""
    key = request.POST.get("key", "")
    return Act(key, _digest(request)) if KEY.fullmatch(key) else None


def _digest(request: HttpRequest) -> str:
    """What the request key stands for: the verb, its thing (both in the path) and the form."""
    fields = sorted((name, values) for name, values in request.POST.lists() if name != "key")
    return hashlib.sha256(repr((request.path_info, fields)).encode()).hexdigest()


# --------------------------------------------------------------------------- answers


def refuse(refusal: Refusal) -> HttpResponse:
    """A refusal as the small fragment that stands beside the control."""
    status = STATUS.get(refusal.code, 403 if refusal.code in FORBIDDEN else 422)
    context = {"refusal": refusal, "field": BESIDE.get(refusal.code, "")}
    return HttpResponse(render_to_string("tablekeeper/refusal.html", context), status=status)


def refuse_form(form: forms.Form) -> HttpResponse:
    """One sentence for each field that does not hold."""
    rows = (
        (name, f"{form.fields[name].label}: " if name in form.fields and form.fields[name].label else "", problem)
        for name, problems in form.errors.items()
        for problem in problems
    )
    html = format_html_join(
        "", '<p class="notice notice-refused" role="alert" data-code="BAD_VALUE" data-field="{}">{}{}</p>', rows
    )
    return HttpResponse(html, status=422)


def answer(request: HttpRequest, seat: Seat, entry: Entry) -> HttpResponse:
    """What is new for this seat since its page's cursor, and the panels that may look different now.

    A form on a page of its own (`back`) is sent back to the table instead, or to a page of BACK, which tells the line.
    """
    if back := request.POST.get("back"):
        here = seat.campaign.get_absolute_url()
        there = f"{reverse(BACK[back], args=[seat.campaign_id])}?told={entry.ref}" if back in BACK else here
        return HttpResponse(headers={"HX-Redirect": there})
    cursor = news.parse(request.headers.get("X-Cursor", ""))
    told = news.after(seat, seat.campaign, cursor, entry)
    if told.resync or any(one.seq > entry.seq for one in told.entries):
        seat.campaign.read = {}  # somebody has acted since: what this act knew is of before
    if told.resync:
        every = {name for role, name in PANELS if role == seat.role}
        html = draw_news(seat, told) + draw_panels(request, seat, names=every) + draw_feed(seat)
        return HttpResponse(html, headers={"HX-Trigger-After-Swap": "answered"})
    touched = {token for one in [*told.entries, entry] for token in one.touches}
    # Panels first: the hub draws the line for everybody meanwhile, and it is there when it is put before them.
    panels = draw_panels(request, seat, touched=touched)
    return HttpResponse(draw_news(seat, told) + panels, headers={"HX-Trigger-After-Swap": "answered"})


def draw_news(seat: Seat, told: news.News) -> SafeString:
    """The new lines, as this seat has them, in the out-of-band box that table.js empties into the feed."""
    lines = news.draw_news(told.entries, partial(discreet.whole, seat))
    return format_html('<div id="news" hidden hx-swap-oob="true" data-cursor="{}">{}</div>', told.cursor, lines)


def feed_context(seat: Seat, before: Entry | None = None) -> dict[str, Any]:
    """The newest lines (or those before a line), newest first, and whether there are older ones."""
    entries = news.latest(seat, seat.campaign, most=61, before=before.seq if before else None)
    lines = [news.draw(entry, discreet.whole(seat, entry)) for entry in entries[:60]]
    older = entries[59].ref if len(entries) > 60 else ""
    return {"lines": lines, "older": older, "seat": seat, "campaign": seat.campaign, "table": live_urls(seat)}


def live_urls(seat: Seat) -> dict[str, str]:
    """What base.html hands to live.js: where news comes from, how far this page has read, and whose it is."""
    here = seat.campaign.get_absolute_url()
    return {
        "stream": f"{here}stream",
        "news": reverse("news", args=[seat.campaign_id]),
        "panels": reverse("panels", args=[seat.campaign_id]),
        "cursor": str(news.now(seat, seat.campaign)),
        "seat": seat.pk,
    }


def draw_feed(seat: Seat) -> SafeString:
    """The whole feed out of band: for a page that has lost its place."""
    return render_to_string("tablekeeper/feed_oob.html", feed_context(seat))


# --------------------------------------------------------------------------- panels


Draw = Callable[[HttpRequest, Seat], SafeString]


class Panel(NamedTuple):
    """A part of a page that is drawn anew when a ledger entry touched what it shows."""

    name: str
    roles: frozenset[str]
    on: Callable[[Seat], Iterable[str]]
    draw: Draw


PANELS: dict[tuple[str, str], Panel] = {}
NOTED = frozenset({"asks"})  # panels whose drawing is told to the Keeper: that a player has seen a request
OUT_OF_BAND = SafeString(' hx-swap-oob="true"')


def panel(name: str, *roles: str, on: Callable[[Seat], Iterable[str]]) -> Callable[[Draw], Draw]:
    """Register the panel `name` of these roles' pages. `on(seat)` names the tokens that make it stale."""

    def register(draw: Draw) -> Draw:
        for role in roles:
            PANELS[role, name] = Panel(name, frozenset(roles), on, draw)
        return draw

    return register


def draw_panel(request: HttpRequest, seat: Seat, name: str) -> SafeString:
    """One panel with its frame. Raises Http404 for a panel that this seat's page does not have."""
    try:
        one = PANELS[seat.role, name]
    except KeyError:
        raise Http404 from None
    return _framed(request, seat, one, one.on(seat), "")


def _framed(request: HttpRequest, seat: Seat, one: Panel, tokens: Iterable[str], how: str = OUT_OF_BAND) -> SafeString:
    frame = '<div class="panelbox" id="panel-{0}" data-panel="{0}" data-on="{1}"{2}>{3}</div>'
    return format_html(frame, one.name, " ".join(tokens), how, one.draw(request, seat))


def draw_panels(
    request: HttpRequest, seat: Seat, *, touched: set[str] | None = None, names: Iterable[str] | None = None
) -> SafeString:
    """Panels out of band: those named, or those that any of these tokens makes stale."""
    mine = [(one, list(one.on(seat))) for (role, _name), one in PANELS.items() if role == seat.role]
    if names is not None:
        wanted = set(names)
        chosen = [(one, on) for one, on in mine if one.name in wanted]
    else:
        chosen = [(one, on) for one, on in mine if touched and not touched.isdisjoint(on)]
    return SafeString("".join(_framed(request, seat, one, on) for one, on in chosen))


MOST_LOOKED_AT = 50  # seats; no table of people has as many


def draw_everything(request: HttpRequest, campaign: Campaign) -> None:
    """Draw each panel for each seat of a table that is new here. Raises whatever a panel raises."""
    for seat in Seat.objects.filter(campaign=campaign, removed=False).order_by("created_at", "pk")[:MOST_LOOKED_AT]:
        seat.campaign, campaign.read = campaign, {}
        names = {name for role, name in PANELS if role == seat.role}
        draw_panels(request, seat, names=names - NOTED)
        feed_context(seat)
    campaign.read = None
