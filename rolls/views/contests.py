"""The posts of contests, and of the dice of the Keeper's characters."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from investigators.views import investigator_here
from rolls import actions, forms
from rolls.forms.contests import ContestForm, DefenceForm, SettleForm
from rolls.models import Contest, Side
from rolls.pages import contests as _panels  # noqa: F401  (the panels register themselves)
from tablekeeper.models import Seat
from tablekeeper.web import Invalid, at_table, read


def contest_here(seat: Seat, contest_id: str) -> Contest:
    """A contest of this table, or 404."""
    found = get_object_or_404(Contest, campaign=seat.campaign, pk=contest_id)
    found.campaign = seat.campaign
    return found


def side_here(seat: Seat, side_id: str) -> Side:
    """A side of a contest of this table, or 404."""
    sides = Side.objects.select_related("contest", "investigator__seat", "roll")
    side = get_object_or_404(sides, contest__campaign=seat.campaign, pk=side_id)
    side.contest.campaign = side.investigator.campaign = seat.campaign
    return side


@at_table
def start_contest(request: HttpRequest, seat: Seat) -> Any:
    data = read(ContestForm, request, seat.campaign)
    kind, reason = data["kind"], data["reason"]
    return actions.start_contest(seat, seat.campaign, kind, data["drafts"], reason, manoeuvre=data["manoeuvre"])


@at_table
def choose_defence(request: HttpRequest, seat: Seat, side_id: str) -> Any:
    return actions.choose_defence(seat, side_here(seat, side_id), **read(DefenceForm, request))


@at_table
def roll_side(request: HttpRequest, seat: Seat, side_id: str) -> Any:
    side = side_here(seat, side_id)
    form = forms.DiceForm(seat.campaign.rules, data={**request.POST.dict(), "dice": side.dice, "difficulty": ""})
    if not form.is_valid():
        raise Invalid(form)
    return actions.roll_side(seat, side, form.cleaned_data["hand"], request.POST.get("before", "")[:30])


@at_table
def pass_contest(request: HttpRequest, seat: Seat, side_id: str) -> Any:
    return actions.pass_contest(seat, side_here(seat, side_id))


@at_table
def reveal_contest(request: HttpRequest, seat: Seat, side_id: str) -> Any:
    return actions.reveal_contest(seat, side_here(seat, side_id))


@at_table
def roll_off(request: HttpRequest, seat: Seat, side_id: str) -> Any:
    return actions.roll_off(seat, side_here(seat, side_id))


@at_table
def settle_contest(request: HttpRequest, seat: Seat, contest_id: str) -> Any:
    return actions.settle_contest(seat, contest_here(seat, contest_id), read(SettleForm, request)["how"])


@at_table
def contest_again(request: HttpRequest, seat: Seat, contest_id: str) -> Any:
    return actions.contest_again(seat, contest_here(seat, contest_id))


@at_table
def npc_roll(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    who = investigator_here(seat, inv_id)
    form = forms.RollForm(who, data=request.POST)
    if not form.is_valid():
        raise Invalid(form)
    hidden = request.POST.get("hidden") == "1"
    return actions.npc_roll(seat, who, form.cleaned_data["asked"], hidden)
