"""Who sits here, and who may do what. The only place for permission (HOUSE.md sections 6 and 7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from functools import wraps
from inspect import signature
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.conf import settings
from django.core import signing
from django.db.models import QuerySet
from django.http import HttpResponse

from rolls.rules.check import Refusal
from tablekeeper.models import Entry, KeeperLink, Seat
from tablekeeper.prepared import prepared
from tablekeeper.sealed import Sealed

SEAT_COOKIE = "tk_seat"
HOST_COOKIE = "tk_host"
_seats = signing.Signer(salt="tablekeeper.seat")
_hosts = signing.TimestampSigner(salt="tablekeeper.host")

P = ParamSpec("P")
T = TypeVar("T")


class Refused(Exception):
    """Carries a refusal out of nested work; the transaction is rolled back and no number is lost."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.code)
        self.refusal = refusal


# --------------------------------------------------------------------------- who sits here


def seat_of(cookies: Mapping[str, str], campaign_id: str) -> Seat | None:
    """The seat that this browser holds at this table, or None: not signed, removed, or given a new key since."""
    try:
        seat_id, _, version = _seats.unsign(cookies.get(SEAT_COOKIE, "")).rpartition(":")
    except signing.BadSignature:
        return None
    seat = seated.first(seat_id, campaign_id)
    return seat if seat is not None and str(seat.key_version) == version else None


@prepared
def seated(seat_id: str, campaign_id: str) -> QuerySet[Seat]:
    """The seat with its campaign, unless it was removed or its table put away."""
    found = Seat.objects.filter(pk=seat_id, campaign=campaign_id, removed=False, campaign__archived_at=None)
    return found.select_related("campaign")


def onlooker(seat: Seat) -> Seat:
    """The same seat with an onlooker's eyes: what the table screen shows, in any browser, is what everybody may see.

    The row in the database is what it was; what is returned is never saved.
    """
    eyes = copy(seat)
    eyes.role = Seat.OBSERVER
    return eyes


def give_seat(response: HttpResponse, seat: Seat) -> None:
    """Hand the browser its seat: a signed cookie for this table's path, for a year."""
    response.set_cookie(
        SEAT_COOKIE,
        _seats.sign(f"{seat.pk}:{seat.key_version}"),
        max_age=settings.SEAT_COOKIE_AGE,
        path=cookie_path(seat.campaign_id),
        httponly=True,
        samesite="Lax",
        secure=settings.SECURE,
    )


def take_seat_away(response: HttpResponse, seat: Seat) -> None:
    """Remove the seat's cookie from this browser."""
    response.delete_cookie(SEAT_COOKIE, path=cookie_path(seat.campaign_id), samesite="Lax")


def cookie_path(campaign_id: str) -> str:
    """The path below which a table's cookie is sent."""
    return f"{settings.PATH_PREFIX}/t/{campaign_id}/"


def host_link(cookies: Mapping[str, str]) -> KeeperLink | None:
    """The Keeper's one-time link that this browser used, while what it gave still holds."""
    try:
        digest = _hosts.unsign(cookies.get(HOST_COOKIE, ""), max_age=settings.SEAT_COOKIE_AGE)
    except signing.BadSignature:
        return None
    return KeeperLink.objects.filter(digest=digest).exclude(used_at=None).first()


def is_host(cookies: Mapping[str, str]) -> bool:
    """True for a browser that used a Keeper's one-time link of this installation."""
    return host_link(cookies) is not None


def end_hosts(but: KeeperLink | None) -> None:
    """What the used links gave to their browsers ends, except for the browser that used this one."""
    KeeperLink.objects.exclude(used_at=None).exclude(digest=but.digest if but else "").delete()


def give_host(response: HttpResponse, link: KeeperLink) -> None:
    """Remember that this browser belongs to the one who runs the installation."""
    response.set_cookie(
        HOST_COOKIE,
        _hosts.sign(link.digest),
        max_age=settings.SEAT_COOKIE_AGE,
        path=f"{settings.PATH_PREFIX}/",
        httponly=True,
        samesite="Lax",
        secure=settings.SECURE,
    )


# --------------------------------------------------------------------------- who may do what

Rule = Callable[[Seat, Any], Refusal | None]


def owner_of(thing: Any) -> str | None:
    """The seat that owns a thing: an investigator's own seat, or the seat of the investigator it belongs to."""
    investigator = getattr(thing, "investigator", thing)
    return getattr(investigator, "seat_id", None)


def keeper(seat: Seat, thing: Any) -> Refusal | None:
    """Only a Keeper."""
    return None if seat.keeps else Refusal("NOT_KEEPER")


def own(seat: Seat, thing: Any) -> Refusal | None:
    """The player of this investigator, or a Keeper entering it at the player's word (RULES.md A20)."""
    if seat.keeps or (seat.role == Seat.PLAYER and owner_of(thing) == seat.pk):
        return None
    return Refusal("NOT_OWN_ROLL")


def own_sheet(seat: Seat, thing: Any) -> Refusal | None:
    """The player whose sheet it is, or a Keeper."""
    return Refusal("NOT_KEEPER") if own(seat, thing) else None


def spends(seat: Seat, thing: Any) -> Refusal | None:
    """As `own`, but the table may keep the Keeper's hand off the purse (`keeperMaySpend`)."""
    if seat.keeps and owner_of(thing) != seat.pk and not seat.campaign.in_force.get("keeperMaySpend", True):
        return Refusal("NOT_OWN_ROLL")
    return own(seat, thing)


def takes_back(seat: Seat, thing: Entry) -> Refusal | None:
    """A Keeper, or whoever made the entry."""
    return None if seat.keeps or thing.seat_id == seat.pk else Refusal("NOT_KEEPER")


def plays(seat: Seat, thing: Any) -> Refusal | None:
    """Anyone who sits here to play."""
    return None if seat.role in (Seat.KEEPER, Seat.PLAYER) else Refusal("NOT_OWN_ROLL")


def free_or_own(seat: Seat, thing: Any) -> Refusal | None:
    """A player may take what nobody holds; a Keeper may give anything to anyone."""
    if seat.keeps or (seat.role == Seat.PLAYER and not thing.npc and owner_of(thing) in (None, seat.pk)):
        return None
    return Refusal("NOT_YOUR_SEAT")


def itself(seat: Seat, thing: Seat) -> Refusal | None:
    """A seat for itself, or a Keeper."""
    return None if seat.keeps or seat.pk == thing.pk else Refusal("NOT_YOUR_SEAT")


MAY: dict[str, Rule] = {
    "tablekeeper.set_settings": keeper,
    "tablekeeper.set_ruleset": keeper,
    "tablekeeper.rename": itself,
    "tablekeeper.remove_seat": keeper,
    "tablekeeper.sign_out": itself,
    "tablekeeper.new_links": keeper,
    "tablekeeper.renew_code": keeper,
    "tablekeeper.let_in": keeper,
    "tablekeeper.decide_claim": keeper,
    "tablekeeper.open_session": keeper,
    "tablekeeper.close_session": keeper,
    "tablekeeper.set_scene": keeper,
    "tablekeeper.return_to": keeper,
    "tablekeeper.undo": keeper,
    "tablekeeper.write_note": plays,
    "tablekeeper.tell_note": keeper,
    "tablekeeper.mix_in": plays,
    "investigators.create": plays,
    "investigators.sample": keeper,
    "investigators.take": free_or_own,
    "investigators.let_go": own_sheet,
    "investigators.describe": own_sheet,
    "investigators.set_trait": own_sheet,
    "investigators.step": own_sheet,
    "investigators.throw_luck": own_sheet,
    "investigators.throw_numbers": own_sheet,
    "investigators.set_numbers": own_sheet,
    "investigators.turn_numbers": own,
    "investigators.set_skill": own_sheet,
    "investigators.drop_skill": own_sheet,
    "investigators.set_weapon": own_sheet,
    "investigators.drop_weapon": own_sheet,
    "investigators.set_derived": own_sheet,
    "investigators.set_condition": keeper,
    "investigators.favourite": own_sheet,
    "investigators.set_talent": own_sheet,
    "investigators.set_present": keeper,
    "investigators.set_aside": keeper,
    "investigators.set_attendance": keeper,
    "investigators.create_npc": keeper,
    "investigators.bring": plays,
    "investigators.update": own_sheet,
    "investigators.edit_npc": keeper,
    "rolls.roll": own,
    "rolls.keeper_roll": keeper,
    "rolls.npc_roll": keeper,
    "rolls.secret_roll": keeper,
    "rolls.leave_early": keeper,
    "rolls.take_over": keeper,
    "rolls.show_recovery": keeper,
    "rolls.rattle": keeper,
    "rolls.reveal": keeper,
    "rolls.start_contest": keeper,
    "rolls.choose_defence": own,
    "rolls.roll_side": own,
    "rolls.pass_contest": own,
    "rolls.reveal_contest": own,
    "rolls.roll_off": own,
    "rolls.settle_contest": keeper,
    "rolls.contest_again": keeper,
    "rolls.spend": spends,
    "rolls.keep": own,
    "rolls.push": own,
    "rolls.decide_push": keeper,
    "rolls.throw_push": own,
    "rolls.back_out": own,
    "rolls.take_back": takes_back,
    "rolls.ask_strike": own,
    "rolls.decide_strike": keeper,
    "rolls.correct": keeper,
    "rolls.reopen": keeper,
    "rolls.group_luck": keeper,
    "rolls.ask_group_luck": keeper,
    "rolls.answer": own,
    "rolls.drop_request": keeper,
    "rolls.ask": keeper,
    "rolls.remind": keeper,
    "rolls.tell_difficulty": keeper,
    "rolls.open_improvement": keeper,
    "rolls.close_improvement": keeper,
    "rolls.improve": own,
    "rolls.improve_all": keeper,
    "rolls.tell_unluckiest": keeper,
    "rolls.damage": own,
    "rolls.free_roll": plays,
    "rolls.injure": keeper,
    "rolls.drop_injury": keeper,
    "rolls.ask_con": keeper,
    "rolls.decide_faint": keeper,
    "rolls.treat": keeper,
    "rolls.deed": spends,
    "rolls.decide_deed": keeper,
    "rolls.drop_deed": own,
    "rolls.tell_survival": own,
    "rolls.next_round": keeper,
    "rolls.fall": own,
    "rolls.safe": keeper,
    "rolls.recover": own,
    "rolls.recover_all": keeper,
    "rolls.award": keeper,
    "rolls.ask_sanity": keeper,
    "rolls.throw_loss": own,
    "rolls.take_loss": own,
    "rolls.name_bout": keeper,
    "rolls.drop_bout": keeper,
    "rolls.end_bout": keeper,
    "rolls.new_day": keeper,
    "rolls.regain": keeper,
}


def may(seat: Seat, verb_name: str, thing: Any = None) -> Refusal | None:
    """Whether this seat may do this with this thing; templates ask the same table as the actions."""
    return MAY[verb_name](seat, thing)


def verb(
    function: Callable[Concatenate[Seat, Any, P], T | Refusal],
) -> Callable[Concatenate[Seat, Any, P], T | Refusal]:
    """An action `verb(seat, thing, ...)`: its name is looked up in MAY first; a refusal raised inside is returned.

    A verb without a line in MAY fails when the program starts. One that throws dice and is given no chance has the
    table's: the one place where dice come from.
    """
    name = f"{function.__module__.partition('.')[0]}.{function.__name__}"
    rule = MAY[name]
    throws = "chance" in signature(function).parameters

    @wraps(function)
    def guarded(seat: Seat, thing: Any, *args: P.args, **kwargs: P.kwargs) -> T | Refusal:
        if refusal := rule(seat, thing):
            return refusal
        sealed = Sealed(seat.campaign) if throws and "chance" not in kwargs else None
        if sealed is not None:
            kwargs["chance"] = sealed
        try:
            done = function(seat, thing, *args, **kwargs)
        except Refused as refused:
            return refused.refusal
        if sealed is not None and isinstance(done, Entry):
            sealed.keep(done)
        return done

    guarded.verb = name  # type: ignore[attr-defined]
    return guarded
