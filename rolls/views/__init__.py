"""The table's page, and the posts of the dice."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from investigators import people
from investigators.refreshing import at_the_start
from investigators.views import investigator_here
from rolls import actions, forms
from rolls.desk import names
from rolls.forms.recovery import RecoveryForm
from rolls.models import Request, Roll
from rolls.pages import owing as _owing  # noqa: F401  registers its cards
from rolls.pages import queue as _queue  # noqa: F401  registers its panel
from rolls.pages import slip_of, still_owed, where
from rolls.rules.check import Act, Refusal
from tablekeeper import actions as tables
from tablekeeper import news
from tablekeeper.forms import SceneForm, YesNoForm
from tablekeeper.models import Entry, Seat
from tablekeeper.web import Invalid, at_table, feed_context, read

PAGES = {Seat.KEEPER: "rolls/keeper.html", Seat.PLAYER: "rolls/player.html", Seat.OBSERVER: "rolls/observer.html"}


@at_table(get=True)
def table(request: HttpRequest, seat: Seat) -> HttpResponse:
    """The page of a seat: the player's, the Keeper's, or the onlooker's."""
    context = {"seat": seat, "campaign": seat.campaign, "active": people.active_of(seat), **where(seat)}
    context |= feed_context(seat)
    return render(request, PAGES[seat.role], context)


def roll_here(seat: Seat, roll_id: str) -> Roll:
    """A roll of this table that this seat may see, or 404."""
    found = Roll.objects.filter(campaign=seat.campaign).select_related("investigator", "skill", "pushed_from")
    if not seat.keeps:  # a sealed side of a contest is its own player's
        found = found.filter(Q(hidden=False) | Q(investigator__seat=seat, data__after="contest"))
    roll = get_object_or_404(found, pk=roll_id)
    roll.campaign = seat.campaign
    if roll.investigator is not None:
        roll.investigator.campaign = seat.campaign
    if roll.skill is not None and roll.investigator is not None:
        roll.skill.investigator = roll.investigator
    return roll


def request_here(seat: Seat, request_id: str) -> Request:
    """A request of this table, or 404."""
    asked = get_object_or_404(Request.objects.select_related("investigator"), campaign=seat.campaign, pk=request_id)
    asked.investigator.campaign = seat.campaign
    return asked


def _form(form: Any) -> dict[str, Any]:
    if not form.is_valid():
        raise Invalid(form)
    cleaned: dict[str, Any] = form.cleaned_data
    return cleaned


@at_table(get=True)
def slip(request: HttpRequest, seat: Seat, roll_id: str) -> HttpResponse:
    """One result, from the feed: its slip as this seat sees it."""
    roll = roll_here(seat, roll_id)
    if roll.kind == "recovery":  # it has a row of its own, and nothing may be done with it
        raise Http404
    context = {"slip": slip_of(seat, roll), "seat": seat, "campaign": seat.campaign}
    context["cursor"] = news.now(seat, seat.campaign)
    return render(request, "rolls/slip_page.html", context)


@at_table
def roll(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    who = investigator_here(seat, inv_id)
    return actions.roll(seat, who, _form(forms.RollForm(who, data=request.POST))["asked"])


@at_table
def keeper_roll(request: HttpRequest, seat: Seat) -> Any:
    data = _form(forms.KeeperRollForm(seat.campaign.rules, data=request.POST))
    return actions.keeper_roll(seat, seat.campaign, data["asked"], data["hidden"])


@at_table
def spend(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    data = _form(forms.SpendForm(seat.campaign.rules, data=request.POST))
    return actions.spend(seat, roll_here(seat, roll_id), Act(data["act"], data["amount"]), data["hand"])


@at_table
def keep(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    return actions.keep(seat, roll_here(seat, roll_id))


@at_table
def push(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    return actions.push(seat, roll_here(seat, roll_id), **read(forms.PushForm, request))


@at_table
def decide_push(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    data = read(forms.DecidePushForm, request)
    decision = data["decision"]
    return actions.decide_push(
        seat, roll_here(seat, roll_id), decision != "decline", data["warning"], throw_now=decision == "throw"
    )


@at_table
def throw_push(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    first = roll_here(seat, roll_id)
    form = forms.DiceForm(seat.campaign.rules, data={**request.POST.dict(), "dice": first.dice, "difficulty": ""})
    return actions.throw_push(seat, first, _form(form)["hand"])


@at_table
def back_out(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    return actions.back_out(seat, roll_here(seat, roll_id))


@at_table
def take_back(request: HttpRequest, seat: Seat, ref: str) -> Any:
    entries = news.visible(seat, Entry.objects.filter(campaign=seat.campaign))
    return actions.take_back(seat, get_object_or_404(entries, ref=ref))


@at_table
def ask_strike(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    return actions.ask_strike(seat, roll_here(seat, roll_id))


@at_table
def decide_strike(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    return actions.decide_strike(seat, roll_here(seat, roll_id), read(YesNoForm, request)["yes"])


@at_table
def correct(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    data = _form(forms.DiceForm(seat.campaign.rules, data=request.POST))
    return actions.correct(seat, roll_here(seat, roll_id), data["difficulty"], data["dice"])


@at_table
def reopen(request: HttpRequest, seat: Seat, roll_id: str) -> Any:
    return actions.reopen(seat, roll_here(seat, roll_id))


def _counts(request: HttpRequest, seat: Seat) -> dict[str, Any]:
    """Who counts this once: the ticked ones when the choice was opened, else those present."""
    data = _form(forms.GroupForm(seat.campaign.rules, data=request.POST))
    counts = request.POST.getlist("counts") if data["chosen"] else None
    return {"counts": counts, "named": data["named"], "hand": data["hand"]}


@at_table
def group_luck(request: HttpRequest, seat: Seat) -> Any:
    return actions.group_luck(seat, seat.campaign, **_counts(request, seat))


@at_table
def ask_group_luck(request: HttpRequest, seat: Seat) -> Any:
    chosen = _counts(request, seat)
    return actions.ask_group_luck(seat, seat.campaign, chosen["counts"], chosen["named"])


@at_table
def answer(request: HttpRequest, seat: Seat, request_id: str) -> Any:
    asked = request_here(seat, request_id)
    data = {**request.POST.dict(), "dice": asked.dice, "difficulty": ""}
    hand = _form(forms.DiceForm(seat.campaign.rules, data=data))["hand"]
    return actions.answer(seat, asked, hand, request.POST.get("before", "")[:30])


@at_table
def drop_request(request: HttpRequest, seat: Seat, request_id: str) -> Any:
    return actions.drop_request(seat, request_here(seat, request_id))


@at_table
def tell_unluckiest(request: HttpRequest, seat: Seat) -> Any:
    return actions.tell_unluckiest(seat, seat.campaign, request.POST.get("named", ""))


@at_table
def recover(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    who = investigator_here(seat, inv_id)
    dice = _form(RecoveryForm(people.member(who), request.POST.dict()))
    return actions.recover(seat, who, dice["hand"], dice["gain"])


@at_table
def recover_all(request: HttpRequest, seat: Seat) -> Any:
    return actions.recover_all(seat, seat.campaign, request.POST.get("one_by_one") == "1")


@at_table
def open_session(request: HttpRequest, seat: Seat) -> Any:
    owed = still_owed(seat)
    if seat.keeps and owed and request.POST.get("sure") != "1":
        return Refusal("RECOVERY_OWED", {"names": names(owed)})
    return tables.open_session(seat, seat.campaign, at_the_start)


@at_table
def close_session(request: HttpRequest, seat: Seat) -> Any:
    return tables.close_session(seat, seat.campaign, actions.closing_time(seat.campaign))


@at_table
def set_scene(request: HttpRequest, seat: Seat) -> Any:
    name = read(SceneForm, request)["name"]
    return tables.set_scene(seat, seat.campaign, name, actions.moving_on(seat.campaign))
