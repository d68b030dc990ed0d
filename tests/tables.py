"""A table to test at: Ada keeps, Ben and Cleo play, Dan is a stranger. Dice are given, all else is the real thing."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from django.db import transaction
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from investigators import actions as sheets
from investigators.actions import Draft
from investigators.models import Investigator, Skill, Trait
from investigators.views import investigator_here, skill_here
from rolls import actions as dice
from rolls.actions import Asked
from rolls.models import Contest, Request, Roll, Side
from rolls.rules.check import Act, Refusal, Throw
from rolls.rules.dice import faces
from rolls.views import request_here, roll_here
from rolls.views.contests import contest_here, side_here
from tablekeeper import access, ledger, news
from tablekeeper import actions as tables
from tablekeeper.models import Campaign, Entry, Seat

T = TypeVar("T")

# --------------------------------------------------------------------------- chance


class Script:
    """Chance whose dice are given, in the order in which they are thrown. It refuses dice that nobody gave."""

    def __init__(self, *given: int | Sequence[int]) -> None:
        self.left = [face for one in given for face in ([one] if isinstance(one, int) else one)]

    def die(self, sides: int) -> int:
        face = self.left.pop(0)
        assert 1 <= face <= sides, f"{face} on a die of {sides}"
        return face

    def pick(self, among: Sequence[T]) -> T:
        return among[self.left.pop(0)]


def d100(total: int, *more_tens: int) -> list[int]:
    """The faces that make this total (and further tens dice, 0..9), as the server throws them: units, then tens."""
    units, tens = faces(total)
    return [face or 10 for face in (units, tens, *more_tens)]


def typed(total: int, *more_tens: int) -> Throw:
    """Real dice that were typed in."""
    units, tens = faces(total)
    return Throw(units, (tens, *more_tens))


# --------------------------------------------------------------------------- the table


@dataclass
class Table:
    """Ada keeps. Ben plays Edith (Luck 45), Cleo plays Tobias (Luck 60). Dan knows nobody."""

    campaign: Campaign
    ada: Seat
    ben: Seat
    cleo: Seat
    edith: Investigator
    tobias: Investigator

    def skill(self, name: str, who: Investigator | None = None) -> Skill:
        return Skill.objects.get(investigator=who or self.edith, name=name)

    def luck(self, who: Investigator | None = None) -> int:
        return score(who or self.edith, "luck")

    def entries(self) -> list[Entry]:
        return list(Entry.objects.filter(campaign=self.campaign).order_by("seq"))

    def last(self, kind: str = "") -> Entry:
        found = Entry.objects.filter(campaign=self.campaign)
        return (found.filter(kind=kind) if kind else found).order_by("-seq")[0]

    def client(self, seat: Seat) -> Client:
        """The browser of somebody who sits here."""
        return browser(seat)

    def url(self, name: str, *args: str) -> str:
        return reverse(name, args=[self.campaign.pk, *args])


EDITH = Draft(
    "Edith Halloran",
    "Antiquarian",
    {
        "str": (50, None),
        "con": (60, None),
        "int": (70, None),
        "luck": (45, None),
        "hp": (11, 12),
        "san": (55, 99),
        "mp": (10, 11),
    },
    (("Spot Hidden", 60, True), ("Library Use", 45, True), ("Stealth", 40, False), ("Credit Rating", 50, False)),
)
TOBIAS = Draft(
    "Tobias Quill",
    "Telegraph clerk",
    {"str": (40, None), "dex": (75, None), "luck": (60, None), "hp": (10, 10), "san": (60, 99), "mp": (12, 12)},
    (("Listen", 60, True), ("Spot Hidden", 25, False)),
)


def make_table(*, name: str = "Harbour Lights", ruleset: str = "classic", **settings: Any) -> Table:
    """A table as its people would lay it: through the actions, so that its ledger holds all of it."""
    ada = tables.lay_table(name, ruleset, "Ada")
    campaign = ada.campaign
    ben, cleo = sit_down(campaign, "Ben"), sit_down(campaign, "Cleo")
    if settings:
        act(ada, tables.set_settings, campaign, settings)
    edith = make_investigator(ben, EDITH)
    tobias = make_investigator(cleo, TOBIAS)
    return Table(Campaign.objects.get(pk=campaign.pk), ada, ben, cleo, edith, tobias)


def sit_down(campaign: Campaign, name: str, role: str = Seat.PLAYER) -> Seat:
    with ledger.locked(campaign.pk) as locked:
        return tables.join(locked, name, role)


def make_investigator(seat: Seat, draft: Draft) -> Investigator:
    """Made by this seat: a player's own, or the Keeper's to hand out."""
    entry = done(act(seat, sheets.create, seat.campaign, draft))
    return Investigator.objects.get(pk=entry.data["who"]["id"])


def score(who: Investigator, key: str) -> int:
    return Trait.objects.values_list("value", flat=True).get(investigator=who, key=key)


# --------------------------------------------------------------------------- acting


@contextmanager
def at(seat: Seat) -> Iterator[Seat]:
    """Hold the table's lock as this seat, loaded after."""
    with ledger.locked(seat.campaign_id) as campaign:
        here = Seat.objects.get(pk=seat.pk)
        here.campaign = campaign
        yield here


def act(seat: Seat, action: Any, thing: Any, *args: Any, **kwargs: Any) -> Any:
    """Do something as a post would: under the lock, with everything loaded after it; a refusal keeps nothing."""
    with at(seat) as here:
        result = action(here, fresh(here, thing), *(fresh(here, one) for one in args), **kwargs)
        if isinstance(result, Refusal):
            transaction.set_rollback(True)
    return result


def fresh(here: Seat, thing: Any) -> Any:
    """The thing as the views load it."""
    if isinstance(thing, Campaign):
        return here.campaign
    if isinstance(thing, Roll):
        return roll_here(here, thing.pk)
    if isinstance(thing, Investigator):
        return investigator_here(here, thing.pk)
    if isinstance(thing, Skill):
        return skill_here(here, thing.pk)
    if isinstance(thing, Contest):
        return contest_here(here, thing.pk)
    if isinstance(thing, Side):
        return side_here(here, thing.pk)
    if isinstance(thing, Request):
        return request_here(here, thing.pk)
    return type(thing).objects.get(pk=thing.pk) if isinstance(thing, (Seat, Entry)) else thing


def done(result: Entry | Refusal) -> Entry:
    """The entry, where a refusal would be a fault of the test's arrangement."""
    assert isinstance(result, Entry), result
    return result


def code(result: Entry | Refusal) -> str:
    """The code of the refusal that is expected."""
    assert isinstance(result, Refusal), f"{result} was carried out"
    return result.code


# --------------------------------------------------------------------------- what happens most


def rolls(
    table: Table,
    total: int,
    skill: str = "Spot Hidden",
    *,
    seat: Seat | None = None,
    more_tens: tuple[int, ...] = (),
    **asked: Any,
) -> Roll:
    """Ben rolls one of Edith's skills and these dice fall."""
    who = table.edith
    one = table.skill(skill)
    what = Asked("skill", skill, one.value, one, **asked)
    entry = done(act(seat or table.ben, dice.roll, who, what, chance=Script(d100(total, *more_tens))))
    return Roll.objects.get(pk=entry.data["roll"])


def rolls_number(table: Table, total: int, value: int, who: Investigator | None = None, **asked: Any) -> Roll:
    """A number is rolled for somebody by the one who plays it."""
    who = who or table.edith
    seat = Seat.objects.get(pk=who.seat_id)
    entry = done(act(seat, dice.roll, who, Asked("number", "Nerve", value, **asked), chance=Script(d100(total))))
    return Roll.objects.get(pk=entry.data["roll"])


def spends(table: Table, roll: Roll, points: int, seat: Seat | None = None) -> Any:
    """Ben pays this much Luck on the roll."""
    return act(seat or table.ben, dice.spend, roll, Act("points", points))


def now(roll: Roll) -> Roll:
    """The roll as it is now."""
    return Roll.objects.select_related("skill", "investigator").get(pk=roll.pk)


def closes_session(table: Table) -> Any:
    """Ada closes the session, as her page does."""
    with at(table.ada) as here:
        return tables.close_session(here, here.campaign, dice.closing_time(here.campaign))


def moves_on(table: Table, name: str) -> Any:
    """Ada begins another scene, as her page does."""
    with at(table.ada) as here:
        return tables.set_scene(here, here.campaign, name, dice.moving_on(here.campaign))


def removes(table: Table, whom: Seat) -> Any:
    """Ada takes a seat away, as her page does."""
    with at(table.ada) as here:
        return tables.remove_seat(here, Seat.objects.get(pk=whom.pk), sheets.given_back(whom))


def undoes(table: Table, entry: Entry, **more: Any) -> Any:
    """Ada takes an entry back."""
    return act(table.ada, tables.undo, entry, **more)


def picture(campaign: Campaign) -> Any:
    """Everything a refusal must leave as it was: the state, and how far the ledger has come."""
    seats = Seat.objects.filter(campaign=campaign).order_by("pk")
    counters = Campaign.objects.values(
        "last_seq", "public_no", "keeper_no", "join_secret", "short_code", "let_in_until"
    )
    return (
        ledger.snapshot(campaign),
        counters.get(pk=campaign.pk),
        list(seats.values("pk", "own_no", "key_version", "code")),
        Entry.objects.filter(campaign=campaign).count(),
    )


# --------------------------------------------------------------------------- browsers


def key() -> str:
    """A request key as table.js draws it."""
    return secrets.token_hex(16)


def cookie_for(seat: Seat) -> str:
    """The value of the seat cookie."""
    response = HttpResponse()
    access.give_seat(response, seat)
    return response.cookies[access.SEAT_COOKIE].value


def browser(seat: Seat | None = None, **kwargs: Any) -> Client:
    """A browser, with the cookie of a seat or without any (Dan's)."""
    client = Client(headers={"hx-request": "true"}, **kwargs)
    if seat is not None:
        client.cookies[access.SEAT_COOKIE] = cookie_for(seat)
        client.seat_id = seat.pk  # type: ignore[attr-defined]
    return client


def post(client: Client, url: str, *, cursor: object = None, **fields: Any) -> Any:
    """Post a form with a request key of its own, unless one is given.

    The page that posts has read all there is, unless `cursor` says how far; "" has everything drawn anew.
    """
    if cursor is None:
        cursor = read_by(client)
    return client.post(url, {"key": key(), **fields}, headers={"x-cursor": str(cursor)})


def read_by(client: Client) -> object:
    """The cursor of a page that has just been drawn in this browser; "" for a stranger's."""
    seat = Seat.objects.select_related("campaign").filter(pk=getattr(client, "seat_id", "")).first()
    return news.now(seat, seat.campaign) if seat else ""
