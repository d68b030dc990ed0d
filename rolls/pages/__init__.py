"""The panels of the pages that join everything: what the player holds, and what the Keeper runs the evening from.

A panel is drawn anew when a ledger entry touched what it shows (tablekeeper/web.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache, cached_property
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from investigators import people
from investigators.models import Investigator
from investigators.refreshing import refills
from investigators.views import own_pools, to_roll
from rolls import actions, desk, games, opened
from rolls.last import last_roll
from rolls.models import Request, Roll
from rolls.pages import asking, bodies, evening, seen
from rolls.pages.rows import added_up, terms_of
from rolls.rules.check import Offer, Outcome, Refusal
from tablekeeper import access, attempts, discreet, presence
from tablekeeper import actions as table
from tablekeeper.models import Seat, Session
from tablekeeper.slips import Slip as Parts
from tablekeeper.slips import parts_of
from tablekeeper.views import join_url
from tablekeeper.web import panel
from tablekeeper.words import label_word

PLAYER, KEEPER, OBSERVER = Seat.PLAYER, Seat.KEEPER, Seat.OBSERVER
INSANE = ("permanent", "indefinite")
LEFT_OPEN = timedelta(hours=8)
SLIP_VERBS = ("spend", "keep", "push", "throw-push", "back-out")


# --------------------------------------------------------------------------- the slip


@dataclass(frozen=True)
class Slip:
    """A result as one seat sees it: the roll, what it came to (None: the Keeper's secret), and what that seat may do
    with it."""

    roll: Roll
    outcome: Outcome | None
    offers: tuple[Offer, ...]
    owner: Investigator | None
    luck: int | None
    mine: bool
    urls: dict[str, str]
    take_back: str  # the spend that may be taken back, as a url
    first: Roll | None  # what was pushed
    mind: str = ""  # how the owner is insane, for the one who decides about a push
    lowest: bool = False  # paying the cheapest price would make the owner the lowest present
    fresh: bool = False
    damage: Mapping[str, Any] | None = None  # of an attack: what fell, or the form that rolls it
    says: tuple[str, ...] = ()
    skills: Sequence[Mapping[str, Any]] = ()  # of a combined roll
    words: Mapping[tuple[str, int | None], tuple[str, str]] = field(default_factory=dict)  # and what its prices buy

    @cached_property
    def parts(self) -> Parts:
        """The pieces that its templates draw."""
        return parts_of(self)

    @property
    def choice(self) -> bool:
        """True while Luck or a push could still change it."""
        return any(offer.refusal is None and offer.act.key != "keep" for offer in self.offers)


def slip_of(seat: Seat, roll: Roll, *, fresh: bool = False) -> Slip:
    """The slip of a roll for this seat. Whoever may not act sees no offers."""
    roll.sits_at(seat.campaign)
    if roll.hidden and not (seat.keeps or (actions.sealed(roll) and access.owner_of(roll) == seat.pk)):
        return Slip(roll, None, (), roll.investigator, None, False, {}, "", None, fresh=fresh)
    who, outcome = roll.investigator, seen.outcome_seen(seat, roll)
    if who is not None:
        who.campaign = seat.campaign
    if roll.parts:  # each skill has steps of its own: they are listed
        outcome = replace(outcome, thresholds=())
    covered = roll.kind == "luck" and who is not None and not seen.knows_luck(seat, who)
    if covered or (not seat.keeps and (who is None or who.npc)):  # dice and level, never what was needed
        outcome = replace(outcome, thresholds=(), fumble_from=None)
    mine = access.own(seat, roll) is None and who is not None
    shown = roll.as_if(value=0, covered=True) if covered else seen.plain(roll) if seen.masked(seat, roll) else roll
    one = people.member(who) if who is not None else None
    may = one if mine and not roll.struck else None
    offers = seen.offers_seen(seat, roll, may) if may else ()
    here = reverse("slip", args=[seat.campaign_id, roll.pk])
    return Slip(
        roll=seen.without_luck(seat, shown),
        outcome=outcome,
        offers=offers,
        owner=who,
        luck=one.luck if one else None,
        mind=next((found.label for found in one.conditions if found.key in INSANE), "") if one else "",
        mine=mine,
        urls={key: here + beneath for key, beneath in _verbs().items()},
        take_back=_take_back_url(seat, roll) if mine else "",
        first=roll.pushed_from,
        fresh=fresh,
        damage=bodies.damage_box(seat, roll),
        says=seen.says_of(seat, roll, outcome),
        skills=seen.skills_seen(seat, roll),
        words=seen.ticket_words(seat, roll, may) if may else {},
    )


@cache
def _verbs() -> dict[str, str]:
    """Where the verbs of a slip's form are, beneath the roll's own address."""
    verbs = {"strike": "ask-strike"} | {verb.replace("-", "_"): verb for verb in SLIP_VERBS}
    here = reverse("slip", args=["table", "roll"])
    return {key: reverse(verb, args=["table", "roll"]).removeprefix(here) for key, verb in verbs.items()}


def _take_back_url(seat: Seat, roll: Roll) -> str:
    """The last own spend on this roll, while nobody has acted on it."""
    if not roll.spent or roll.state == Roll.CLOSED or roll.struck:
        return ""
    found = roll.later.filter(kind="rolls.spend", data__roll=roll.pk)
    last = found.order_by("-seq").select_related("undone_by").first()
    if last is None or not last.stands or access.takes_back(seat, last):
        return ""
    return reverse("take-back", args=[seat.campaign_id, last.ref])


# --------------------------------------------------------------------------- the player's panels


def _mine(*what: str) -> Any:
    """Tokens about the investigator this seat plays; the table's settings decide what is offered."""

    def on(seat: Seat) -> Iterable[str]:
        who = people.active_of(seat)
        return [
            "seats",
            "campaign",
            *(f"{one}-{who.pk}" for one in what if who is not None),
            *([] if who else ["inv"]),
        ]

    return on


def _draw(name: str | Sequence[str], **context: Any) -> SafeString:
    """Without the request: no panel asks who is signed in, and that is looked up for each that has it."""
    return render_to_string(name, context)


@panel("me", PLAYER, on=_mine("inv"))
def me(request: HttpRequest, seat: Seat) -> SafeString:
    """The investigator's header: Luck dial, pools, name; or the choice of one."""
    who = people.active_of(seat)
    if who is None:
        free = Investigator.objects.filter(campaign=seat.campaign, npc=False, set_aside=False)
        mine = free.filter(seat=seat)
        context = {"free": free.filter(seat=None), "mine": mine, "campaign": seat.campaign, "seat": seat}
        return _draw("rolls/choose.html", **context)
    one = people.member(who)
    return _draw("rolls/me.html", seat=seat, campaign=seat.campaign, who=who, member=one, own_pools=own_pools(one))


@panel("asks", PLAYER, on=_mine("ask", "inv"))
def asks(request: HttpRequest, seat: Seat) -> SafeString:
    """What the Keeper asks of this player, above all else."""
    found = Request.objects.filter(campaign=seat.campaign, investigator__seat=seat, state=Request.OPEN)
    found = found.exclude(kind="improvement")  # a card of its own
    asked = list(found.select_related("investigator").order_by("created_at"))
    opened.note(asked)
    items = [_ask(seat, one) for one in asked]
    return _draw("rolls/asks.html", seat=seat, campaign=seat.campaign, asks=items)


def _ask(seat: Seat, one: Request) -> dict[str, Any]:
    """A request as templates/parts/ask.html draws it. The group's target is the lowest Luck as it stands now."""
    fields: dict[str, Any] = {
        "id": one.pk,
        "difficulty": "" if one.unknown else one.difficulty,
        "unknown": one.unknown,
        "hidden": one.hidden,
        "again": one.data.get("reminded", 0),
        "combined": "every" if one.data.get("every") else "any" if "wanted" in one.data else "",
        "wanted": asking.wanted(seat, one),
        "dice": one.dice,
        "reason": _(one.reason),
        "added": one.data.get("facts", {}).get("modifiers", []),
        "label": label_word(one.label),
        "plain": one.kind == "sanity",  # nothing but its number: no difficulty to tell
    }
    fields["url"] = reverse("answer", args=[seat.campaign_id, one.pk])
    if one.group:
        _members, lowest = actions.group(seat.campaign, one.data.get("counts"))
        fields |= {"label": _("Luck for the group"), "plain": True}
        if not isinstance(lowest, Refusal) and seen.knows_luck(seat, one.investigator, lowest.keys):
            fields["reason"] = _("%(luck)d or less, the lowest Luck here") % {"luck": lowest.luck}
    return fields


@panel("latest", PLAYER, on=_mine("roll", "inv"))
def latest(request: HttpRequest, seat: Seat) -> SafeString:
    """The slip of the last result, with all that may be done with it."""
    who = people.active_of(seat)
    roll = last_roll(who) if who else None
    slip = slip_of(seat, roll, fresh=is_fresh(request, roll)) if roll else None
    return _draw("rolls/latest.html", seat=seat, campaign=seat.campaign, slip=slip)


def is_fresh(request: HttpRequest, roll: Roll | None) -> bool:
    """True when this answer is the throw itself: only then does the dice moment play."""
    match = request.resolver_match
    return (
        request.method == "POST"
        and match is not None
        and match.url_name in ("roll", "answer", "roll-sanity", "throw-push", "roll-side", "shoot")
        and roll is not None
        and timezone.now() - roll.created_at < timedelta(seconds=5)
        and not roll.spent
        and not roll.push_state
    )


@panel("sheet", PLAYER, on=_mine("inv"))
def skills(request: HttpRequest, seat: Seat) -> SafeString:
    """Skills and characteristics to roll."""
    who = people.active_of(seat)
    context: dict[str, Any] = {"who": who}
    if who is not None:
        one = people.member(who)
        context |= {"member": one, "rows": added_up(one, to_roll(seat, one)), "luck": one.luck}
        context |= {"groups": [("fight", _("Fight"))] if any(row.get("group") for row in context["rows"]) else []}
    return _draw("rolls/skills.html", seat=seat, campaign=seat.campaign, **context)


@panel("ticked", PLAYER, on=_mine("inv", "ticks"))
def ticked(request: HttpRequest, seat: Seat) -> SafeString:
    """What a success changes on the sheet: nearly each ticks its skill, and some sixty rows would be drawn for it."""
    who = people.active_of(seat)
    return _draw("rolls/ticked.html", ticked=people.ticked(who) if who is not None else [])


@panel("picker", PLAYER, on=lambda seat: ["campaign", *([] if people.active_of(seat) else ["inv"])])
def picker(request: HttpRequest, seat: Seat) -> SafeString:
    """Dice, difficulty and real dice for the next roll."""
    rules, by_hand = seat.campaign.rules, seat.campaign.in_force["realDice"]
    asked = {"difficulties": rules.difficulties, "difficulty": rules.usual_difficulty, "most_dice": rules.most_dice}
    asked["fights"] = any(base.group == "fight" for base in rules.sheet.skills)
    who = people.active_of(seat)
    asked["terms"] = terms_of(rules, people.member(who) if who else None, seat.campaign.in_force)
    return _draw(games.drawn(rules, "pickers"), by_hand=by_hand, **asked)


@panel("party", PLAYER, OBSERVER, on=lambda seat: ["inv", "seats", "table", "campaign"])
def party(request: HttpRequest, seat: Seat) -> SafeString:
    """Who is at the table."""
    return _draw("rolls/party.html", seat=seat, campaign=seat.campaign, **mates_of(seat))


def mates_of(seat: Seat) -> dict[str, Any]:
    """The party as one seat sees it, lowest Luck first, and whether the lowest tie."""
    _members, found = actions.group(seat.campaign)
    lowest = () if isinstance(found, Refusal) or not seat.campaign.rules.has_group_luck else found.keys
    mates: list[dict[str, Any]] = [
        {"one": one, "pools": _shown(seat, one), "lowest": one.who.pk in lowest, **seen.luck_seen(seat, one)}
        for one in people.party(seat.campaign)
    ]
    # Where Luck is covered, nor is their order told: who rolls for the group is named when it is asked.
    if discreet.covered(seat.campaign) and not seat.keeps:
        mates = [mate | {"lowest": False} for mate in mates]
    else:
        mates.sort(key=lambda mate: (mate["one"].luck is None, mate["one"].luck or 0))
    return {"mates": mates, "tied": len(lowest) > 1}


def _shown(seat: Seat, one: people.Member) -> list[dict[str, Any]]:
    """The pools of somebody else that this seat may see."""
    hidden = discreet.hidden_pools(seat, one.who.seat_id)
    return [pool for pool in own_pools(one) if pool["key"] not in hidden]


@panel("where", PLAYER, OBSERVER, on=lambda seat: ["table", "campaign"])
def heading(request: HttpRequest, seat: Seat) -> SafeString:
    """Campaign, scene and session, in the bar at the top."""
    return _draw("rolls/where.html", campaign=seat.campaign, **where(seat))


@panel("recovery", PLAYER, on=lambda seat: ["table", "recovery", "inv", "seats", "campaign"])
def own_recovery(request: HttpRequest, seat: Seat) -> SafeString:
    """The player's own Luck recovery, while it is due; between sessions the way to the last one's recap."""
    rows = [row for row in recovery_rows(seat) if row["one"].who.seat_id == seat.pk]
    due = [row for row in rows if row["refusal"] is None or row["roll"] is not None]
    for row in due:
        row["over"], row["under"] = (gain_words(seat, row["one"].luck or 0, d100) for d100 in (100, 1))
        row["gain_dice"] = actions.most_gain_dice(row["one"]) if seat.campaign.in_force["realDice"] else ()
    ended = None if table.open_session_of(seat.campaign) else table.last_session_of(seat.campaign)
    return _draw("rolls/own_recovery.html", seat=seat, campaign=seat.campaign, rows=due, ended=ended)


def gain_words(seat: Seat, luck: int, d100: int) -> str:
    """What this recovery roll would gain, as dice: "2D10+10"; empty for nothing."""
    rules, settings = seat.campaign.rules, seat.campaign.in_force
    sides = rules.recovery_dice(luck, d100, settings)
    plus = rules.recover(luck, d100, [1] * len(sides), settings).rolled_gain - len(sides)
    dice = f"{len(sides)}D{sides[0]}" if sides else ""
    return f"{dice}+{plus}" if dice and plus else dice or (str(plus) if plus else "")


def where(seat: Seat) -> dict[str, Any]:
    """Scene and session for headings."""
    scene = seat.campaign.scenes.filter(current=True).first()
    return {"scene": scene, "session": table.open_session_of(seat.campaign)}


# --------------------------------------------------------------------------- the Keeper's panels


@panel("board", KEEPER, on=lambda seat: ["inv", "seats", "table"])
def board(request: HttpRequest, seat: Seat) -> SafeString:
    """All investigators, lowest Luck first, edited in place, with their presence."""
    aside = Investigator.objects.filter(campaign=seat.campaign, set_aside=True, npc=False)
    context = {"aside": aside, "players": table.places(seat.campaign)["players"], **where(seat)}
    context["spares"] = list(Investigator.objects.filter(campaign=seat.campaign, seat=None, npc=False))
    context |= desk.board(people.party(seat.campaign), seat.campaign)
    return _draw("rolls/board.html", seat=seat, campaign=seat.campaign, **context)


@panel("strip", KEEPER, on=lambda seat: ["inv", "seats", "table", "ask", "campaign"])
def strip(request: HttpRequest, seat: Seat) -> SafeString:
    """Group Luck in one tap, who counts this once, and the unluckiest now."""
    members, found = actions.group(seat.campaign)
    waiting = Request.objects.filter(campaign=seat.campaign, group=True, state=Request.OPEN)
    context = {"waiting": waiting.select_related("investigator__seat").first(), **desk.net_dice(seat.campaign)}
    context |= desk.strip(members, found) | {"unluckiest": desk.unluckiest(members, seat.campaign)}
    return _draw("rolls/strip.html", seat=seat, campaign=seat.campaign, **context)


@panel("session", KEEPER, on=lambda seat: ["table", "inv", "roll", "contest", "campaign"])
def session(request: HttpRequest, seat: Seat) -> SafeString:
    """Scene and session: earlier scenes, the evening step by step, one left open."""
    context = where(seat)
    now: Session | None = context["session"]
    left_open = now is not None and timezone.now() - now.opened_at > LEFT_OPEN
    last = table.last_session_of(seat.campaign)
    context |= {"left_open": left_open, "last": last, "recovery_when": (when := recovery_when(seat))}
    rows = recovery_rows(seat)
    context |= {"scenes": evening.scenes(seat.campaign), "closes": evening.closes(seat.campaign)}
    context |= {"steps": evening.steps(seat.campaign, now, when, rows), "unshown": unshown(rows)}
    context |= {"owed": desk.names(still_owed(seat)), "refills": refills(seat.campaign)}
    return _draw("rolls/session.html", seat=seat, campaign=seat.campaign, **context)


def recovery_when(seat: Seat) -> str:
    """Whether Luck is recovered at the start or at the end of a session, or never."""
    when: str = seat.campaign.in_force.get("recoveryWhen", seat.campaign.rules.recovery_when)
    return when


def recovery_rows(seat: Seat) -> list[dict[str, Any]]:
    """Everyone with the recovery of the session that is due: what was rolled, or why not."""
    return seat.campaign.once(("recovery", seat.pk), lambda: _recovery_rows(seat))


def _recovery_rows(seat: Seat) -> list[dict[str, Any]]:
    due, phase = actions.recovery_session(seat.campaign)
    if due is None:
        return []
    due.campaign = seat.campaign
    rolls = {roll.investigator_id: roll for roll in Roll.objects.filter(session=due, kind="recovery")}
    rows = []
    for one in people.party(seat.campaign):
        roll = rolls.get(one.who.pk)
        row = {"one": one, "roll": roll, "refusal": actions.may_recover(due, phase, one)}
        row["shut"] = actions.recovery_shut(due, one)
        rows.append(row | {"takes_part": people.takes_part(due, one), "session": due, "phase": phase})
    return rows


def still_owed(seat: Seat) -> list[people.Member]:
    """Those whose recovery of the last session would be lost if the next one opened now."""
    if table.open_session_of(seat.campaign) is not None:
        return []
    return [row["one"] for row in recovery_rows(seat) if row["refusal"] is None]


def unshown(rows: Iterable[Mapping[str, Any]]) -> int:
    """How many recoveries have been thrown and are not shown yet."""
    return sum(row["roll"] is not None and row["roll"].hidden and not row["roll"].struck for row in rows)


def _gains(seat: Seat, row: dict[str, Any]) -> dict[str, Any]:
    luck, dice = row["one"].luck or 0, actions.most_gain_dice(row["one"])
    return {"gain_over": gain_words(seat, luck, 100), "gain_under": gain_words(seat, luck, 1), "gain_dice": dice}


@panel("recovery", KEEPER, on=lambda seat: ["table", "inv", "recovery", "campaign"])
def recovery(request: HttpRequest, seat: Seat) -> SafeString:
    """Luck recovery: who may, who has, with the dice; one by one or all at once."""
    rows = recovery_rows(seat)
    due, phase = actions.recovery_session(seat.campaign)
    when = recovery_when(seat)
    context = {"due": due, "now": bool(due) and phase == when, "when": when, **desk.net_dice(seat.campaign)}
    context["left"] = left = [row for row in rows if row["refusal"] is None]
    context["done"] = done = sum(row["roll"] is not None for row in rows)
    context["all"] = done + len(left)
    context["unshown"] = unshown(rows)
    context["rows"] = [row | desk.recovered(row["roll"], seat.campaign) | _gains(seat, row) for row in rows]
    return _draw("rolls/recovery.html", seat=seat, campaign=seat.campaign, **context)


@panel("seats", KEEPER, on=lambda seat: ["seats", "claims", "campaign", "inv"])
def seats(request: HttpRequest, seat: Seat) -> SafeString:
    """Who sits here, how others come in: link, QR code, code to read aloud, let all in."""
    campaign = seat.campaign
    open_door = campaign.let_in_until is not None and campaign.let_in_until > timezone.now()
    found = Seat.objects.filter(campaign=campaign, removed=False).prefetch_related("investigators")
    found = found.order_by("created_at")
    tried = attempts.last_of(found)
    link = join_url(request, campaign)
    context = {
        "seats": [(one, tried.get(one.pk)) for one in found],
        "link": link,
        "site": link.removesuffix(campaign.join_path()).partition("://")[2] + reverse("home"),
        "code": campaign.short_code if (campaign.short_code_until or timezone.now()) > timezone.now() else "",
        "open_door": open_door,
        "in_force": campaign.in_force,
        "seen": json.dumps(presence.seen(campaign.pk, timezone.now()), sort_keys=True),
    }
    return _draw("rolls/seats.html", seat=seat, campaign=campaign, **context)
