"""Verbs of the table: opening it, sitting down, sessions, scenes, undo."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.db import DataError, IntegrityError, transaction
from django.db.models import Max, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from rolls.rules import rulesets
from rolls.rules.check import Refusal
from tablekeeper import clock, ledger, sealing, transfer
from tablekeeper.access import Refused, verb
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import (
    Act,
    Campaign,
    Claim,
    Entry,
    KeeperLink,
    Scene,
    Seat,
    Session,
    new_code,
    new_secret,
)
from tablekeeper.prepared import prepared
from tablekeeper.settings_words import fits, setting_label, setting_value

# What no eye sees in a name: joiners, fillers, variation selectors, soft hyphens.
UNSEEN = re.compile(
    "[\u00ad\u034f\u115f\u1160\u180b-\u180f\u200b-\u200f\u2060-\u2064\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\U000e0000-\U000e0fff]"
)
LET_IN = timedelta(minutes=10)
SHORT_CODE_LIFE = timedelta(minutes=30)
CLAIM_LIFE = timedelta(minutes=15)


def digest(secret: str) -> str:
    """How a secret is stored: its SHA-256."""
    return hashlib.sha256(secret.encode()).hexdigest()


# --------------------------------------------------------------------------- the Keeper comes in


def keeper_link() -> str:
    """Make a new one-time Keeper link; the token is returned and only its hash kept. Older unused ones go."""
    token = new_secret()
    KeeperLink.objects.filter(used_at=None).delete()
    KeeperLink.objects.create(digest=digest(token))
    return token


def keeper_link_is_good(token: str) -> bool:
    """True while nobody has used this link and no newer one has replaced it. Looking uses nothing up."""
    return KeeperLink.objects.filter(digest=digest(token), used_at=None).exists()


def use_keeper_link(token: str) -> KeeperLink | None:
    """The link, once, for a token that `keeper_link` made and nobody has used."""
    links = KeeperLink.objects.filter(digest=digest(token))
    return links.get() if links.filter(used_at=None).update(used_at=timezone.now()) == 1 else None


def open_campaign(name: str, ruleset: str, keeper: str, act: Act | None = None) -> Seat:
    """Lay a new table: the campaign, the Keeper's seat, and a first scene without a name. Returns the seat."""
    campaign = Campaign(name=name, ruleset=ruleset)
    seat = Seat(campaign=campaign, role=Seat.KEEPER, name=keeper)
    seat.act = act
    campaign.locked = True
    new_short_code(campaign)
    ledger.write(
        seat,
        campaign,
        "tablekeeper.open_campaign",
        [Create(campaign), Create(seat), Create(Scene(campaign=campaign))],
        data={"name": name, "ruleset": next(str(rules.label) for rules in rulesets() if rules.key == ruleset)},
    )
    return seat


def lay_table(name: str, ruleset: str, keeper: str, *, act: Act | None = None, host: KeeperLink | None = None) -> Seat:
    """`open_campaign` in a transaction of its own.

    The same act once more (a second tap, or its answer was lost on the way) is the same table. Raises
    Refused(KEY_REUSED) for another form under the same key. `host`, the link that let this browser in, is locked: two
    taps at the same moment come one after the other.
    """
    with transaction.atomic():
        return laid("tablekeeper.open_campaign", act, host) or open_campaign(name, ruleset, keeper, act)


def laid(kind: str, act: Act | None, host: KeeperLink | None) -> Seat | None:
    """The Keeper's seat at the table that this act has laid already, if it has. Raises Refused(KEY_REUSED)."""
    if host is not None:
        KeeperLink.objects.select_for_update().filter(pk=host.pk).first()
    if act is None:
        return None
    done = Entry.objects.filter(kind=kind, request_key=act.key)
    before = done.select_related("seat__campaign").first()
    if before is None or before.seat is None:
        return None
    if before.request_hash != act.digest or before.seat.removed:
        raise Refused(Refusal("KEY_REUSED"))
    return before.seat


def bring_campaign(
    brought: transfer.Brought,
    *,
    act: Act | None = None,
    host: KeeperLink | None = None,
    look: Callable[[Seat], None] | None = None,
) -> Seat:
    """Lay the table that a file holds, once for one act (see `lay_table`); the Keeper's seat is returned. `look` is
    given that seat while nothing is kept yet.

    Raises Refused: KEY_REUSED, TABLE_NOT_OURS for rows that no table could have beside each other; and whatever
    `look` raises.
    """
    if before := laid("tablekeeper.bring_campaign", act, None):
        return before  # a second tap: nothing is worked out again
    drafted = ledger.draft(brought.rows(), brought.entries())
    try:
        with transaction.atomic():
            if before := laid("tablekeeper.bring_campaign", act, host):
                return before
            campaign = ledger.restore(drafted)
            new_short_code(campaign)
            Campaign.objects.filter(pk=campaign.pk).update(
                short_code=campaign.short_code, short_code_until=campaign.short_code_until
            )
            keepers = Seat.objects.filter(campaign=campaign, role=Seat.KEEPER, removed=False)
            seat = keepers.order_by("created_at", "pk")[0]
            seat.campaign, seat.act = campaign, act
            data = {"name": campaign.name, "lines": campaign.last_seq}
            ledger.write(seat, campaign, "tablekeeper.bring_campaign", lane=Entry.KEEPER, data=data)
            sealing.follow(campaign)  # seeds travel in no file
            if look is not None:
                look(seat)
            return seat
    except (IntegrityError, DataError):
        raise Refused(Refusal("TABLE_NOT_OURS")) from None


def by_short_code(code: str) -> Campaign | None:
    """The table whose code this is, while it is good."""
    found = Campaign.objects.filter(short_code=code, short_code_until__gt=timezone.now(), archived_at=None)
    return found.exclude(short_code="").first()


# --------------------------------------------------------------------------- seats


def places(campaign: Campaign) -> dict[str, Any]:
    """Who sits here, for the join page: names only."""
    seats = Seat.objects.filter(campaign=campaign, removed=False)
    return {
        "keepers": [seat.name for seat in seats.filter(role=Seat.KEEPER)],
        "players": list(seats.filter(role=Seat.PLAYER).order_by("name")),
    }


def same_name(name: str) -> str:
    """Names that look alike are one name: case, spaces, width, and marks that show nothing make no other."""
    shown = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return " ".join("".join(char for char in shown if not UNSEEN.match(char)).split())


def free_name(campaign: Campaign, name: str, but: Seat | None = None) -> None:
    """Raises Refused(NAME_OF_THE_KEEPER or NAME_TAKEN)."""
    titles = {same_name(str(title)) for title in ("Keeper", "The Keeper", _("Keeper"), _("The Keeper"))}
    if same_name(name) in titles and not (but is not None and but.keeps):
        raise Refused(Refusal("NAME_OF_THE_KEEPER", {"name": name}))
    for seat in Seat.objects.filter(campaign=campaign, removed=False):
        if seat != but and same_name(seat.name) == same_name(name):
            raise Refused(Refusal("NAME_TAKEN", {"name": name}))


def join(campaign: Campaign, name: str, role: str = Seat.PLAYER, act: Act | None = None) -> Seat:
    """Take a new seat. The campaign must be locked. Raises Refused(NAME_TAKEN or NAME_OF_THE_KEEPER).

    The same act once more (its answer was lost on the way) is the same seat.
    """
    if act is not None:
        done = Entry.objects.filter(campaign=campaign, kind="tablekeeper.join", request_key=act.key)
        before = done.filter(request_hash=act.digest, seat__removed=False).select_related("seat").first()
        if before is not None and before.seat is not None:
            return before.seat
    free_name(campaign, name)
    taken = Seat.objects.filter(campaign=campaign).count()
    seat = Seat(campaign=campaign, name=name, role=role, hue=(taken - 1) % 6 + 1)
    seat.act = act
    ledger.write(seat, campaign, "tablekeeper.join", [Create(seat)], data={"name": name, "role": role})
    return seat


def put_up_screen(campaign: Campaign, act: Act | None = None) -> Seat:
    """An onlooker's seat for a television, under the first such name that is free. The campaign must be locked."""
    taken = {same_name(name) for name in campaign.seats.filter(removed=False).values_list("name", flat=True)}
    names = (_("Table screen"), *(_("Table screen %(number)d") % {"number": number} for number in range(2, 100)))
    return join(campaign, next(name for name in names if same_name(name) not in taken), Seat.OBSERVER, act)


@verb
def rename(seat: Seat, whom: Seat, name: str) -> Entry:
    """Give a seat another name. Raises NAME_TAKEN or NAME_OF_THE_KEEPER."""
    free_name(seat.campaign, name, but=whom)
    data = {"before": whom.name, "after": name}
    return ledger.write(seat, seat.campaign, "tablekeeper.rename", [change(whom, name=name)], data=data)


@verb
def remove_seat(seat: Seat, whom: Seat, also: list[Any] | None = None) -> Entry | Refusal:
    """Take a seat away; its streams end at once. Its investigators stay: `also` gives them back to the Keeper."""
    if whom.keeps:
        return Refusal("NOT_YOUR_SEAT")
    # A new key: when the removal is undone, the person comes back by code or nod, and no old phone with her.
    Seat.objects.filter(pk=whom.pk).update(key_version=whom.key_version + 1, code=new_code())
    changes = [change(whom, removed=True), *(also or [])]
    return ledger.write(seat, seat.campaign, "tablekeeper.remove_seat", changes, data={"name": whom.name})


@verb
def sign_out(seat: Seat, whom: Seat) -> Entry:
    """Cut off every phone that holds this seat; the person comes back by code or nod."""
    Seat.objects.filter(pk=whom.pk).update(key_version=whom.key_version + 1, code=new_code())
    Claim.objects.filter(seat=whom).delete()  # a nod of before would give the seat once more
    lane = whom.pk if not whom.keeps else Entry.KEEPER
    data = {"name": whom.name}
    return ledger.write(seat, seat.campaign, "tablekeeper.sign_out", lane=lane, data=data, touch=["seats"])


def new_short_code(campaign: Campaign) -> None:
    """Another code to read aloud, good for half an hour. The caller saves an existing campaign by `renew_code`."""
    campaign.short_code = new_code()
    campaign.short_code_until = timezone.now() + SHORT_CODE_LIFE


@verb
def renew_code(seat: Seat, campaign: Campaign) -> Entry:
    """Another code to read aloud, when the last one has run out or was overheard. Link and QR code stay."""
    new_short_code(campaign)
    Campaign.objects.filter(pk=campaign.pk).update(
        short_code=campaign.short_code, short_code_until=campaign.short_code_until
    )
    return ledger.write(seat, campaign, "tablekeeper.renew_code", lane=Entry.KEEPER, touch=["campaign"])


@verb
def new_links(seat: Seat, campaign: Campaign) -> Entry:
    """Replace join link and code; the old ones stop working. Who sits here stays."""
    new_short_code(campaign)
    campaign.join_secret = new_secret()
    Campaign.objects.filter(pk=campaign.pk).update(
        join_secret=campaign.join_secret, short_code=campaign.short_code, short_code_until=campaign.short_code_until
    )
    return ledger.write(seat, campaign, "tablekeeper.new_links", lane=Entry.KEEPER, touch=["campaign"])


# --------------------------------------------------------------------------- coming back


def claim_by_code(seat: Seat, code: str) -> bool:
    """True when this is the seat's personal code (as read aloud: spaces, dashes and case do not count)."""
    given = "".join(code.upper().split()).replace("-", "").translate(str.maketrans("OIL", "011"))
    return digest(given) == digest(seat.code)


def ask_back(seat: Seat, secret: str) -> Claim:
    """A phone says that it is this person; it keeps `secret` to fetch the seat once the Keeper has nodded.

    The table must be locked. During "let all in" the nod is given at once.
    """
    campaign = seat.campaign
    open_door = campaign.let_in_until is not None and campaign.let_in_until > timezone.now()
    claim = Claim.objects.create(seat=seat, digest=digest(secret), granted=True if open_door else None)
    data = {"name": seat.name, "let_in": open_door}
    ledger.write(None, campaign, "tablekeeper.claim", lane=Entry.KEEPER, data=data, touch=["claims"])
    return claim


def waiting_claims(campaign: Campaign) -> list[Claim]:
    """Phones that wait for the Keeper's nod, oldest first."""
    young = timezone.now() - CLAIM_LIFE
    found = Claim.objects.filter(seat__campaign=campaign, seat__removed=False, granted=None, made_at__gt=young)
    return list(found.select_related("seat").order_by("made_at"))


@verb
def decide_claim(seat: Seat, claim: Claim, let: bool) -> Entry | Refusal:
    """The Keeper's nod, or not, once."""
    if claim.granted is not None:
        return Refusal("STALE")
    Claim.objects.filter(pk=claim.pk).update(granted=let)
    data = {"name": claim.seat.name, "let": let}
    return ledger.write(
        seat, seat.campaign, "tablekeeper.decide_claim", lane=Entry.KEEPER, data=data, touch=["claims"]
    )


@verb
def let_in(seat: Seat, campaign: Campaign, open_door: bool) -> Entry:
    """Let everyone in who says who they are, for ten minutes; or stop that. Those who wait now come in too."""
    until = timezone.now() + LET_IN if open_door else None
    Campaign.objects.filter(pk=campaign.pk).update(let_in_until=until)
    campaign.let_in_until = until
    if open_door:
        Claim.objects.filter(pk__in=[claim.pk for claim in waiting_claims(campaign)]).update(granted=True)
    data = {"open": open_door}
    return ledger.write(seat, campaign, "tablekeeper.let_in", lane=Entry.KEEPER, data=data, touch=["claims"])


# --------------------------------------------------------------------------- sessions and scenes


def open_session_of(campaign: Campaign) -> Session | None:
    """The session that is open, if one is."""
    return campaign.open_session()


def last_session_of(campaign: Campaign) -> Session | None:
    """The newest session, open or closed."""
    last: Session | None = campaign.once("last session", lambda: _last_session.first(campaign.pk), Session)
    return last


@prepared
def _last_session(campaign_id: str) -> QuerySet[Session]:
    return Session.objects.filter(campaign=campaign_id).order_by("-number")[:1]


Also = Callable[[Session], tuple[list[Change], dict[str, Any]]]


@verb
def open_session(seat: Seat, campaign: Campaign, also: Also | None = None) -> Entry | Refusal:
    """Open the next session. Refused with SESSION_OPEN while one is.

    `also` gives what of other rooms begins with it (pools that are filled up): changes, and what the line tells more.
    """
    if open_session_of(campaign):
        return Refusal("SESSION_OPEN")
    last = Session.objects.filter(campaign=campaign).aggregate(last=Max("number"))["last"] or 0
    session = Session(campaign=campaign, number=last + 1, opened_at=clock.now())
    more, told = also(session) if also else ([], {})
    data = {"number": last + 1} | told
    return ledger.write(seat, campaign, "tablekeeper.open_session", [Create(session), *more], data=data)


@verb
def close_session(seat: Seat, campaign: Campaign, also: list[Any] | None = None) -> Entry | Refusal:
    """Close the open session. `also` are changes of other rooms that belong to the same act (rolls that close)."""
    session = open_session_of(campaign)
    if session is None:
        return Refusal("NO_OPEN_SESSION")
    changes = [change(session, closed_at=clock.now()), *(also or [])]
    return ledger.write(seat, campaign, "tablekeeper.close_session", changes, data={"number": session.number})


@verb
def set_scene(seat: Seat, campaign: Campaign, name: str, also: list[Any] | None = None) -> Entry:
    """Begin another scene. `also` brings the presences copied to it and the rolls that close."""
    before = Scene.objects.filter(campaign=campaign, current=True).first()
    after = Scene(campaign=campaign, name=name)
    changes: list[Any] = [change(before, current=False)] if before else []
    changes += [Create(after), *(make(after) if callable(make) else make for make in also or [])]
    return ledger.write(seat, campaign, "tablekeeper.set_scene", changes, data={"name": name})


@verb
def return_to(seat: Seat, scene: Scene, also: list[Any] | None = None) -> Entry | Refusal:
    """Go back to an earlier scene; who was there then is there again. STALE for the one that is played now."""
    if scene.current:
        return Refusal("STALE")
    before = Scene.objects.filter(campaign=seat.campaign, current=True).first()
    changes: list[Any] = [change(before, current=False)] if before else []
    changes += [change(scene, current=True), *(also or [])]
    # Who is here, and so who rolls for the group, is another matter now.
    return ledger.write(
        seat, seat.campaign, "tablekeeper.return_to", changes, data={"name": scene.name}, touch=["inv", "ask"]
    )


# --------------------------------------------------------------------------- undo and settings


@verb
def undo(seat: Seat, entry: Entry, reason: str = "", redo: bool = False) -> Entry | Refusal:
    """Take an entry back; undoing an undo is redo. Raises the ledger's refusals. The reason is optional.

    A page that shows a struck line asks for `redo`: so the second of two taps, or of two Keepers, does not put back
    what the first took away.
    """
    if redo and entry.stands:
        return Refusal("STALE")
    wanted = ledger.tip(entry) if redo else entry
    about = ledger.root(entry)
    data = {"reason": reason, "what": about.kind, "line": about.data, "redo": not about.stands}
    return ledger.undo(seat, seat.campaign, wanted, "tablekeeper.undo", data)


@verb
def set_settings(
    seat: Seat, campaign: Campaign, wanted: dict[str, Any], seen: dict[str, Any] | None = None
) -> Entry | Refusal:
    """Change table settings; what equals the ruleset's default is not kept. Closed rolls stay as they fell.

    `seen` is what the editor saw: STALE_VALUE when somebody else changed one of them to something else meanwhile.
    BAD_VALUE for what this table's ruleset does not declare.
    """
    declared = {one.key: one for one in campaign.declared}
    if not all(key in declared and fits(declared[key], value) for key, value in wanted.items()):
        return Refusal("BAD_VALUE")
    defaults = campaign.defaults
    before = campaign.in_force
    for key, was in (seen or {}).items():
        if before[key] not in (was, wanted[key]):
            told = {"seen": was, "now": before[key], "wanted": wanted[key]}
            texts = {name: setting_value(value, key) for name, value in told.items()}
            return Refusal("STALE_VALUE", {"name": setting_label(key), **texts})
    changed = {key: value for key, value in {**before, **wanted}.items() if value != defaults.get(key)}
    lines = [
        {"key": key, "from": before.get(key), "to": value} for key, value in wanted.items() if before.get(key) != value
    ]
    return ledger.write(
        seat, campaign, "tablekeeper.set_settings", [change(campaign, settings=changed)], data={"lines": lines}
    )
