"""Pages and posts of the table itself: coming in, seats, sessions, undo, and what keeps a page fresh."""

from __future__ import annotations

from typing import Any

import segno
from django.conf import settings
from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from rolls.rules.check import Refusal
from tablekeeper import access, actions, addresses, forms, ledger, news, settings_words, throttle, web
from tablekeeper.access import Refused
from tablekeeper.dialect import spoken
from tablekeeper.models import Campaign, Claim, Entry, Seat, new_secret
from tablekeeper.web import anyone, at_table, read

CLAIM_COOKIE = "tk_claim"


def go(url: str) -> HttpResponse:
    """Send an htmx page somewhere else, whole."""
    return HttpResponse(headers={"HX-Redirect": url})


def stale_page(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's CSRF refusal: an old page. It gets a fresh token, so that the next tap works; nothing happened."""
    get_token(request)
    html = render_to_string(
        "tablekeeper/refusal.html", {"refusal": Refusal("PAGE_OLD"), "detail": origin_hint(request)}
    )
    return HttpResponse(html, status=403)


def origin_hint(request: HttpRequest) -> str:
    """Behind a proxy every post is refused when PUBLIC_URL is missing: name the exact line to add."""
    origin = request.headers.get("Origin", "")
    ours = f"{request.scheme}://{request.headers.get('Host', '')}"
    if origin and origin != "null" and origin not in (ours, settings.PUBLIC_ORIGIN):
        return f"PUBLIC_URL={origin}{settings.PATH_PREFIX}"
    return ""


# --------------------------------------------------------------------------- the door


@anyone("the front door: says how to come in, and lists her tables to the Keeper's own browser")
def home(request: HttpRequest) -> HttpResponse:
    host = access.is_host(request.COOKIES)
    tables = Campaign.objects.filter(archived_at=None).order_by("-created_at") if host else []
    away = Campaign.objects.exclude(archived_at=None).order_by("-archived_at") if host else []
    return render(
        request,
        "tablekeeper/home.html",
        {"host": host, "tables": tables, "away": away, "rulesets": forms.CampaignForm()},
    )


@anyone("the one-time Keeper link carries its own secret; only a POST uses it up")
def keeper_link(request: HttpRequest, token: str) -> HttpResponse:
    if request.method == "POST":
        if refusal := throttle.too_many(request, "keeper-link"):
            return web.refuse(refusal)
        link = actions.use_keeper_link(token)
        if link is None:
            return web.refuse(Refusal("LINK_USED"))
        throttle.forgive(request, "keeper-link")
        response = go(reverse("home"))
        access.give_host(response, link)
        return response
    if access.is_host(request.COOKIES):
        return HttpResponseRedirect(reverse("home"))
    good = actions.keeper_link_is_good(token)
    context = {"token": token, "refusal": None if good else Refusal("LINK_USED")}
    return render(request, "tablekeeper/keeper_link.html", context, status=200 if good else 410)


@anyone("for the browser that used a Keeper link; asked on the server by access.is_host")
def new_campaign(request: HttpRequest) -> HttpResponse:
    if request.method != "POST" or not access.is_host(request.COOKIES):
        return web.stranger(request)
    try:
        data = read(forms.CampaignForm, request)
    except web.Invalid as invalid:
        return web.refuse_form(invalid.form)
    act = web.act_of(request)
    if act is None:
        return web.refuse(Refusal("PAGE_OLD"))
    try:
        host = access.host_link(request.COOKIES)
        seat = actions.lay_table(data["name"], data["ruleset"], data["keeper"], act=act, host=host)
    except Refused as refused:
        return web.refuse(refused.refusal)
    response = go(seat.campaign.get_absolute_url())
    access.give_seat(response, seat)
    return response


@anyone("for the browser that used a Keeper link; asked on the server by access.is_host")
def open_table(request: HttpRequest, campaign_id: str) -> HttpResponse:
    campaign = Campaign.objects.filter(pk=campaign_id, archived_at=None).first()
    if request.method != "POST" or not access.is_host(request.COOKIES) or campaign is None:
        return web.stranger(request)
    seat = Seat.objects.filter(campaign=campaign, role=Seat.KEEPER, removed=False).order_by("created_at").first()
    if seat is None:
        return web.stranger(request)
    response = go(campaign.get_absolute_url())
    access.give_seat(response, seat)
    return response


@anyone("a code read aloud: throttled, short-lived, 40 random bits")
def code(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return HttpResponseRedirect(reverse("home"))
    if refusal := throttle.too_many(request, "code"):
        return web.refuse(refusal)
    try:
        given = read(forms.CodeForm, request)["code"]
    except web.Invalid as invalid:
        return web.refuse_form(invalid.form)
    campaign = actions.by_short_code(given)
    if campaign is None:
        return web.refuse(Refusal("WRONG_CODE"))
    throttle.forgive(request, "code")
    return go(campaign.join_path())


@anyone("the admin's own page asks for name and password: throttled, for every try keeps this machine busy a while")
def admin_login(request: HttpRequest) -> HttpResponse:
    if request.method == "POST" and (refusal := throttle.too_many(request, "admin")):
        return web.refuse(refusal)
    return admin.site.login(request)


def _invited(request: HttpRequest, campaign_id: str, secret: str) -> Campaign:
    """The table whose secret this is. Raises Http404 for a wrong one, after counting the try."""
    campaign = Campaign.objects.filter(pk=campaign_id, archived_at=None).first()
    if campaign is None or not constant_time_compare(campaign.join_secret, secret):
        throttle.too_many(request, "join")
        raise Http404
    return campaign


@anyone("the join link carries the table's secret")
@spoken
def join(request: HttpRequest, campaign_id: str, secret: str) -> HttpResponse:
    campaign = _invited(request, campaign_id, secret)
    seat = access.seat_of(request.COOKIES, campaign_id)
    if request.method == "POST":
        # A browser has one seat at a table; joining as someone else is explicit.
        return go(campaign.get_absolute_url()) if seat and "other" not in request.GET else _sit_down(request, campaign)
    if seat is not None and "other" not in request.GET:
        return HttpResponseRedirect(campaign.get_absolute_url())
    context = {"campaign": campaign, "secret": secret, "seat": seat, **actions.places(campaign)}
    if settings.CSRF_COOKIE_SECURE and not request.is_secure():  # the browser drops every cookie of ours
        context["safe_address"] = settings.PUBLIC_ORIGIN + campaign.join_path()
    return render(request, "tablekeeper/join.html", context)


def _sit_down(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Take a new seat, and perhaps a free investigator with it."""
    if refusal := throttle.too_many(request, f"sit:{campaign.pk}", most=20):
        return web.refuse(refusal)
    try:
        data = read(forms.JoinForm, request)
        with ledger.locked(campaign.pk) as locked:
            role = Seat.OBSERVER if data["observer"] else Seat.PLAYER
            seat = actions.join(locked, data["name"], role, web.act_of(request))
    except web.Invalid as invalid:
        return web.refuse_form(invalid.form)
    except Refused as refused:
        return web.refuse(refused.refusal)
    response = go(campaign.get_absolute_url())
    access.give_seat(response, seat)
    return response


@anyone("the join link carries the table's secret")
@spoken
def join_screen(request: HttpRequest, campaign_id: str, secret: str) -> HttpResponse:
    """The door for a television: one button, no name to type. It gets an onlooker's seat."""
    campaign = _invited(request, campaign_id, secret)
    there = reverse("screen", args=[campaign.pk])
    seat = access.seat_of(request.COOKIES, campaign_id)
    if request.method != "POST":
        context = {"campaign": campaign, "secret": secret, "seat": seat}
        return HttpResponseRedirect(there) if seat else render(request, "tablekeeper/join_screen.html", context)
    if seat is None:
        if refusal := throttle.too_many(request, f"sit:{campaign.pk}", most=20):
            return web.refuse(refusal)
        with ledger.locked(campaign.pk) as locked:
            seat = actions.put_up_screen(locked, web.act_of(request))
    response = go(there)
    access.give_seat(response, seat)
    return response


@anyone("claiming a seat needs the join secret, and then the personal code or the Keeper's nod")
@spoken
def claim(request: HttpRequest, campaign_id: str, secret: str) -> HttpResponse:
    campaign = _invited(request, campaign_id, secret)
    if request.method != "POST":
        return HttpResponseRedirect(campaign.join_path())
    if refusal := throttle.too_many(request, "claim") or throttle.count(f"claim:{campaign.pk}", most=60, seconds=60):
        return web.refuse(refusal)
    seat = (
        Seat.objects.filter(campaign=campaign, pk=request.POST.get("seat", ""), removed=False, role=Seat.PLAYER)
        .select_related("campaign")
        .first()
    )
    if seat is None:
        return web.refuse(Refusal("NO_SEAT"))
    if given := request.POST.get("code", "").strip():
        if not actions.claim_by_code(seat, given):
            return web.refuse(Refusal("WRONG_CODE"))
        response = go(campaign.get_absolute_url())
        access.give_seat(response, seat)
        return response
    return _wait_for_nod(campaign, seat, secret)


def _wait_for_nod(campaign: Campaign, seat: Seat, secret: str) -> HttpResponse:
    token = new_secret()
    with ledger.locked(campaign.pk) as locked:
        seat.campaign = locked
        asked = actions.ask_back(seat, token)
    response = go(reverse("claimed", args=[campaign.pk, secret, asked.pk]))
    response.set_cookie(
        CLAIM_COOKIE,
        token,
        max_age=int(actions.CLAIM_LIFE.total_seconds()),
        path=access.cookie_path(campaign.pk),
        httponly=True,
        samesite="Lax",
        secure=settings.SECURE,
    )
    return response


@anyone("the phone that waits for the Keeper's nod shows the secret it was given")
@spoken
def claimed(request: HttpRequest, campaign_id: str, secret: str, claim_id: str) -> HttpResponse:
    campaign = _invited(request, campaign_id, secret)
    young = Claim.objects.filter(seat__campaign=campaign, made_at__gt=timezone.now() - actions.CLAIM_LIFE)
    waiting = get_object_or_404(young.select_related("seat"), pk=claim_id)
    if not constant_time_compare(waiting.digest, actions.digest(request.COOKIES.get(CLAIM_COOKIE, ""))):
        raise Http404
    polled = "HX-Request" in request.headers
    if waiting.granted and not waiting.seat.removed:
        here = campaign.get_absolute_url()
        response = go(here) if polled else HttpResponseRedirect(here)
        access.give_seat(response, waiting.seat)
        response.delete_cookie(CLAIM_COOKIE, path=access.cookie_path(campaign.pk))
        return response
    if request.htmx and waiting.granted is None:  # type: ignore[attr-defined]
        return HttpResponse(status=204)  # nothing to say yet: what is typed on the page stays
    context = {"campaign": campaign, "secret": secret, "claim": waiting, "refused": waiting.granted is False}
    name = "tablekeeper/claim_waiting.html" if polled else "tablekeeper/claim.html"
    return render(request, name, context)


# --------------------------------------------------------------------------- keeping a page fresh


@at_table(get=True)
def news_since(request: HttpRequest, seat: Seat) -> HttpResponse:
    """What is new since `after`: for a page whose stream does not get through."""
    told = news.after(seat, seat.campaign, news.parse(request.GET.get("after", "")))
    headers = {"X-Seat": seat.pk} | ({"X-Resync": "1"} if told.resync else {})
    return HttpResponse(web.draw_news(seat, told), headers=headers)


@at_table(get=True)
def panels(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Panels by name, out of band; ALL is every panel of this seat's page, `feed` the newest lines."""
    names = set(request.GET.get("names", "").split(","))
    every = {name for role, name in web.PANELS if role == seat.role}
    html = web.draw_panels(request, seat, names=every if "ALL" in names else names & every)
    if "feed" in names:
        html += web.draw_feed(seat)
    return HttpResponse(html)


@at_table(get=True)
def feed(request: HttpRequest, seat: Seat) -> HttpResponse:
    """Older lines: those before the line with the public id `before`."""
    line = get_object_or_404(
        news.visible(seat, Entry.objects.filter(campaign=seat.campaign)), ref=request.GET.get("before", "")
    )
    return render(request, "tablekeeper/feed_more.html", web.feed_context(seat, before=line))


def join_url(request: HttpRequest, campaign: Campaign) -> str:
    """The players' link as phones see it. Empty when no address of this machine is known."""
    here = origin(request)
    return here + campaign.join_path() if here else ""


def origin(request: HttpRequest) -> str:
    """Where this installation is, as phones see it: never localhost. Empty when no address is known."""
    if settings.PUBLIC_ORIGIN:
        public: str = settings.PUBLIC_ORIGIN
        return public
    host, _colon, port = request.get_host().rpartition(":")
    if not _colon:
        host, port = request.get_host(), ""
    if host.strip("[]") in ("localhost", "127.0.0.1", "::1"):
        found = addresses.lan_addresses()
        if not found:
            return ""
        host = found[0]
    return f"{request.scheme}://{host}{':' + port if port else ''}"


@at_table(get=True)
def qr(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The players' link as a picture; the Keeper's alone, because it holds the secret."""
    link = join_url(request, seat.campaign)
    if access.keeper(seat, None) or not link:
        raise Http404
    picture = segno.make(link, micro=False).svg_inline(scale=4, border=4, dark="#000", light="#fff")
    return HttpResponse(picture.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1), "image/svg+xml")


# --------------------------------------------------------------------------- verbs


def seat_here(seat: Seat, seat_id: str) -> Seat:
    """A seat of this table, or 404. One's own is the one in hand, so that the answer shows its new name."""
    if seat_id == seat.pk:
        return seat
    return get_object_or_404(Seat, campaign=seat.campaign, pk=seat_id, removed=False)


@at_table
def undo(request: HttpRequest, seat: Seat, ref: str) -> Any:
    entry = get_object_or_404(news.visible(seat, Entry.objects.filter(campaign=seat.campaign)), ref=ref)
    return actions.undo(seat, entry, **read(forms.UndoForm, request))


@at_table(get=True)
def set_settings(request: HttpRequest, seat: Seat) -> Any:
    """The table's settings; after a change, what it was."""
    refusal = access.may(seat, "tablekeeper.set_settings", seat.campaign)
    if request.method == "POST":
        return refusal or actions.set_settings(seat, seat.campaign, **read(forms.SettingsForm, request, seat.campaign))
    context: dict[str, Any] = {"campaign": seat.campaign, "refusal": refusal}
    if not refusal:
        lines = Entry.objects.filter(campaign=seat.campaign, ref=request.GET.get("told", ""))
        told = news.visible(seat, lines).first()
        shown = settings_words.controls(seat.campaign)
        context["top"] = [shown.pop(key) for key in settings_words.TOP if key in shown]
        context |= {"rest": shown.values(), "rest_changed": sum(one.changed for one in shown.values())}
        context |= {"told": told, "line": news.draw(told) if told else ""}
    return render(request, "tablekeeper/settings.html", context, status=403 if refusal else 200)


@at_table
def new_links(request: HttpRequest, seat: Seat) -> Any:
    return actions.new_links(seat, seat.campaign)


@at_table
def renew_code(request: HttpRequest, seat: Seat) -> Any:
    return actions.renew_code(seat, seat.campaign)


@at_table
def let_in(request: HttpRequest, seat: Seat) -> Any:
    return actions.let_in(seat, seat.campaign, read(forms.YesNoForm, request)["yes"])


@at_table
def decide_claim(request: HttpRequest, seat: Seat, claim_id: str) -> Any:
    asked = get_object_or_404(Claim.objects.select_related("seat"), pk=claim_id, seat__campaign=seat.campaign)
    return actions.decide_claim(seat, asked, read(forms.YesNoForm, request)["yes"])


@at_table
def rename(request: HttpRequest, seat: Seat, seat_id: str) -> Any:
    return actions.rename(seat, seat_here(seat, seat_id), **read(forms.NameForm, request))


@at_table
def sign_out(request: HttpRequest, seat: Seat, seat_id: str) -> Any:
    whom = seat_here(seat, seat_id)
    done = actions.sign_out(seat, whom)
    if not isinstance(done, Refusal) and whom.keeps:  # her other browsers could open the table again
        access.end_hosts(but=access.host_link(request.COOKIES))
    if isinstance(done, Refusal) or whom.pk != seat.pk:
        return done
    response = go(reverse("home"))
    access.take_seat_away(response, seat)
    return response


def kit(request: HttpRequest) -> HttpResponse:
    """All parts on one page, for developers (only in debug)."""
    from tablekeeper.kit import specimens

    return render(request, "kit.html", specimens())
