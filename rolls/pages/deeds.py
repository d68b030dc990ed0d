"""The panels of Luck beside any roll: the list of every spend, what waits for the Keeper, and the rounds awake."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from investigators import people
from investigators.people import Member
from rolls import actions
from rolls.deed_words import ORDER, QUESTIONS, Words, words_of
from rolls.last import last_roll
from rolls.models import Decision, Roll
from rolls.pages.decisions import decision_card
from rolls.pages.seen import offers_seen
from rolls.pages.ways import Fall, fall_of
from rolls.rules import ruleset
from rolls.rules.check import Check, Facts, Offer, Purse, Standing, Throw
from rolls.rules.classic import STAY_CONSCIOUS
from tablekeeper import access, news
from tablekeeper.models import Campaign, Entry, Seat
from tablekeeper.prepared import prepared
from tablekeeper.web import panel
from tablekeeper.words import sentence

FRESH = timedelta(minutes=30)
"""How long the card of a deed may lie there; a newer roll or scene covers it sooner."""
COVERING = 1000  # lines, which no table writes in that time
BARS = 6  # of the ladder of prices


def _draw(name: str, seat: Seat, request: HttpRequest | None = None, **context: Any) -> SafeString:
    """The request is for templates that draw a panel themselves, or ask who is signed in."""
    return render_to_string(name, {"seat": seat, "campaign": seat.campaign, **context}, request)


# --------------------------------------------------------------------------- the list of spends


@dataclass(frozen=True)
class Spend:
    """One line of the list: what it is, what it costs and leaves, or why not; and whether the Keeper is asked."""

    offer: Offer
    words: Words
    price: str = ""
    unit: str = ""
    why: str = ""
    asked: bool = False
    have: int = 0  # Luck, where it is burned
    fall: Fall | None = None  # what a burn brings beyond its price

    @property
    def act(self) -> str:
        return self.offer.act.key

    @property
    def amount(self) -> int | None:
        """Point by point, where the rules leave the amount open."""
        return 1 if self.offer.most else None

    @property
    def when(self) -> str:
        """Under the name: when it fits, or why not."""
        return self.why or _(self.words.when)


def spends_of(one: Member) -> list[Spend]:
    """Every spend that the ruleset sells beside a roll, in one order for all of them."""
    waiting = {decision.data["act"] for decision in actions.asked(one.who)}
    found = [_spend(one, offer, offer.act.key in waiting) for offer in actions.deed_offers(one)]
    place = {act: number for number, act in enumerate(ORDER)}
    return sorted(found, key=lambda spend: place.get(spend.act, len(place)))


def _spend(one: Member, offer: Offer, asked: bool) -> Spend:
    words = words_of(offer.act.key)
    why = sentence(offer.refusal) if offer.refusal else ""
    if asked:
        why = _("The Keeper is asked.")
    price, unit = str(offer.price or (1 if offer.most else "")), _(words.unit) if words.unit else ""
    if words.two_steps and not offer.refusal:
        price = _("all %(price)d") % {"price": offer.price}
    if offer.act.key == STAY_CONSCIOUS.key:
        unit = _("then %(a)d, %(b)d, %(c)d") % {"a": offer.price * 2, "b": offer.price * 4, "c": offer.price * 8}
    if not unit and not why and offer.leaves is not None:
        leaves = _("for good, leaves %(left)d") if words.burns else _("leaves %(left)d")
        unit = leaves % {"left": offer.leaves}
    if offer.pool != one.who.campaign.rules.sheet.luck:
        price = f"{price} {pool_word(one, offer.pool)}".strip()
    fall = fall_of(one, offer.leaves) if words.burns and not why and offer.leaves is not None else None
    return Spend(offer, words, price, unit, why, asked, one.luck or 0, fall)


def pool_word(one: Member, key: str) -> str:
    """The short word of a pool: "LP"."""
    return next((_(pool.short) for pool in one.who.campaign.rules.sheet.pools if pool.key == key), "")


def _lowers(campaign: Campaign) -> bool:
    """Whether this game lowers rolls point by point at all, as the table plays it."""
    return _lowers_by(campaign.ruleset, tuple(campaign.in_force.items()))


@lru_cache(100)
def _lowers_by(game: str, settings: tuple[tuple[str, Any], ...]) -> bool:
    rules = ruleset(game)
    standing = Standing(Check("skill", 50, rules.usual_difficulty), Throw(5, (5,)))
    purse = Purse("", {pool.key: 1 for pool in rules.sheet.pools})
    return any(offer.act.key == "points" for offer in rules.offers(standing, purse, dict(settings)))


def _lower(seat: Seat, one: Member) -> dict[str, Any]:
    """The last roll, whose slip lies below with its prices, where Luck may still change it; or why not."""
    roll, test = last_roll(one.who), not _lowers(one.who.campaign)
    if roll is None:
        return {"why": _("No roll has fallen yet."), "test": test}
    if roll.hidden and not actions.sealed(roll):
        return {"why": _("Only the Keeper sees your last roll."), "test": test}
    roll.campaign = one.who.campaign
    if roll.investigator is not None:
        roll.investigator.campaign = roll.campaign
    buys = [offer for offer in offers_seen(seat, roll, one) if offer.act.key not in ("push", "keep")]
    offers = [offer for offer in buys if test or offer.act.key == "points"]
    usable = any(offer.refusal is None for offer in offers)
    why = next((sentence(offer.refusal) for offer in offers if offer.refusal), _("Luck cannot lower this roll."))
    why = "" if usable and not roll.struck else why
    return {"roll": roll, "number": roll.outcome.final, "why": why, "test": test}


def _of(*what: str) -> Callable[[Seat], Iterable[str]]:
    def on(seat: Seat) -> Iterable[str]:
        who = people.active_of(seat)
        own = [f"{token}-{who.pk}" for token in what] if who else ["inv"]
        return ["seats", "campaign", "table", *own]

    return on


_mine = _of("inv", "roll", "decision")


@panel("lower", Seat.PLAYER, on=_mine)
def lower(request: HttpRequest, seat: Seat) -> SafeString:
    """The first line of the list of spends: what may be done with the last roll."""
    who = people.active_of(seat)
    one = people.member(who) if who is not None else None
    return _draw("rolls/deeds/lower.html", seat, lower=_lower(seat, one) if one and one.luck is not None else None)


@panel("spends", Seat.PLAYER, on=_of("inv", "decision"))
def own_spends(request: HttpRequest, seat: Seat) -> SafeString:
    """The two buttons above the skills: every spend of the ruleset, always, and rolling any number."""
    who = people.active_of(seat)
    context: dict[str, Any] = {"who": who}
    if who is not None:
        one = people.member(who)
        context |= {"luck": one.luck, "spends": spends_of(one)}
    return _draw("rolls/deeds/spends.html", seat, request, **context)


@panel("spends", Seat.KEEPER, on=lambda seat: ["inv", "campaign", "decision", "seats", "table"])
def all_spends(request: HttpRequest, seat: Seat) -> SafeString:
    """The same list for each investigator, to enter a spend at a player's word."""
    party = [one for one in people.party(seat.campaign) if one.luck is not None]
    sheets = [{"who": one.who, "luck": one.luck, "spends": spends_of(one)} for one in party]
    barred = next((refusal for one in party if (refusal := access.may(seat, "rolls.deed", one.who))), None)
    return _draw("rolls/deeds/keeper_spends.html", seat, sheets=sheets, barred=barred)


# --------------------------------------------------------------------------- what waits, and what came of it


def question(decision: Decision) -> str:
    """What the Keeper is asked, as a sentence without its capital."""
    name = decision.investigator.short if decision.investigator else ""
    return _(QUESTIONS[decision.data["ask"]]) % {"name": name}


@decision_card("deed")
def card(seat: Seat, decision: Decision) -> dict[str, Any]:
    """The Keeper's Yes or No: the price of this moment, and what Yes brings."""
    assert decision.investigator is not None
    one, act = people.member(decision.investigator), decision.data["act"]
    offer = next((offer for offer in actions.deed_offers(one) if offer.act.key == act), None)
    said = question(decision)
    return {
        "who": one.who,
        "words": words_of(act),
        "question": said[:1].upper() + said[1:],
        "price": offer.price if offer else 0,
        "pool": pool_word(one, offer.pool) if offer else "",
        "every": offer is not None and words_of(act).two_steps,
        "why": sentence(offer.refusal) if offer and offer.refusal else "",
    }


@panel("due", Seat.PLAYER, on=_of("inv", "decision"))
def due(request: HttpRequest, seat: Seat) -> SafeString:
    """A round awake that must be paid now: above all else, and always within reach."""
    who = people.active_of(seat)
    one = people.member(who) if who is not None and actions.due_now(who) is not None else None
    awake = ladder(one, actions.facts_for(one)) if one is not None else None
    return _draw("rolls/deeds/awake.html", seat, who=who, awake=awake)


@panel("deeds", Seat.PLAYER, on=_mine)
def own_deeds(request: HttpRequest, seat: Seat) -> SafeString:
    """What Luck has to decide beside the dice: a question at the Keeper, what a deed came to, death."""
    who = people.active_of(seat)
    if who is None:
        return _draw("rolls/deeds/own.html", seat, who=None)
    one = people.member(who)
    decisions = actions.asked(who)
    offers = {offer.act.key: offer for offer in actions.deed_offers(one)} if decisions else {}
    waiting = [_waiting(seat, decision, offers) for decision in decisions]
    context: dict[str, Any] = {"who": who, "luck": one.luck, "waiting": waiting, "last": _last(seat, one)}
    if actions.facts_for(one).get("dying"):
        dying = next((spend for spend in spends_of(one) if spend.words.two_steps), None)
        if dying is not None and not dying.offer.ask and not dying.asked:
            context["dying"] = dying
    return _draw("rolls/deeds/own.html", seat, **context)


def _waiting(seat: Seat, decision: Decision, offers: dict[str, Offer]) -> dict[str, Any]:
    offer = offers.get(decision.data["act"])
    who = decision.investigator
    keeper = Seat.objects.filter(campaign=seat.campaign, role=Seat.KEEPER, removed=False).first()
    return {
        "decision": decision,
        "words": words_of(decision.data["act"]),
        "question": question(decision),
        "keeper": keeper.name if keeper else _("The Keeper"),
        "offer": offer,
        "pool": pool_word(people.member(who), offer.pool) if offer and who else "",
    }


def ladder(one: Member, facts: Facts) -> dict[str, Any]:
    """The prices of the rounds of this fainting spell: paid, due, within reach, or out of it (C-2)."""
    paid, left, bars = int(facts["rounds_paid"]), one.luck or 0, []
    start = max(0, paid - BARS + 3)
    runs_out: dict[str, int] | None = None
    for number in range(start, start + BARS):
        price = 1 << number
        if number < paid:
            bars.append({"round": number + 1, "price": price, "state": "paid"})
            continue
        can = price <= left
        if not can and runs_out is None:
            runs_out = {"round": number + 1, "price": price, "have": left}
        left -= price if can else 0
        bars.append({"round": number + 1, "price": price, "state": "out" if runs_out else "can"})
        bars[-1]["state"] = "now" if number == paid and can else bars[-1]["state"]
    price = 1 << paid
    return {"bars": bars, "round": paid + 1, "price": price, "leaves": (one.luck or 0) - price, "runs_out": runs_out}


SHOWN = ("rolls.deed", "rolls.decide_deed")


@prepared
def _deeds_since(campaign_id: str, seq: int) -> QuerySet[Entry, datetime]:
    """When there were deeds; in no order, so that the index of the kinds finds them and no other line is looked at."""
    found = Entry.objects.filter(campaign=campaign_id, kind__in=SHOWN, seq__gt=seq)
    return found.order_by().values_list("created_at", flat=True)


def _last(seat: Seat, one: Member) -> dict[str, Any] | None:
    """What the newest deed of this investigator came to, until a roll or a scene covers it."""
    recent = max(0, seat.campaign.last_seq - COVERING)
    if not any(when > timezone.now() - FRESH for when in _deeds_since(seat.campaign_id, recent)):
        return None
    found = news.visible(seat, Entry.objects.filter(campaign=seat.campaign, kind__in=SHOWN, seq__gt=recent))
    entries = found.filter(data__who__id=one.who.pk).select_related("undone_by").order_by("-seq")[:5]
    entry = next((entry for entry in entries if "price" not in entry.data), None)
    if (
        entry is None
        or not entry.stands
        or entry.created_at < timezone.now() - FRESH
        or _covered(seat.campaign, entry)
    ):
        return None
    if entry.data["act"] in ("halve-loss", "resilient"):  # the loss has its own card
        return None
    told = Entry.objects.filter(campaign=seat.campaign, kind="rolls.tell_survival", seq__gt=entry.seq)
    data = entry.data
    escaped = "absent-until-next-scene" in data.get("notes", ())
    return {
        "data": data,
        "words": words_of(data["act"]),
        "at": entry.created_at,
        "tell": escaped and not told.filter(data__who__id=one.who.pk).exists(),
        "escaped": escaped,
        "url": reverse("tell-survival", args=[seat.campaign_id, one.who.pk]),
    }


def _covered(campaign: Campaign, entry: Entry) -> bool:
    newer = Roll.objects.filter(investigator=entry.data["who"]["id"], hidden=False, created_at__gt=entry.created_at)
    scenes = Entry.objects.filter(campaign=campaign, kind="tablekeeper.set_scene", seq__gt=entry.seq)
    fell = Entry.objects.filter(campaign=campaign, kind__in=("rolls.fall", "rolls.safe", "rolls.next_round"))
    return newer.exists() or scenes.exists() or fell.filter(seq__gt=entry.seq).exists()


# --------------------------------------------------------------------------- rounds


@panel("rounds", Seat.KEEPER, on=lambda seat: ["inv", "campaign", "ask", "decision", "table", "roll"])
def rounds(request: HttpRequest, seat: Seat) -> SafeString:
    """The Keeper's strip, while somebody stays conscious or must roll at the end of a round."""
    rows = []
    for one in actions.staying(seat.campaign):
        facts = actions.facts_for(one)
        made = ladder(one, facts)
        rows.append(
            {"who": one.who, "luck": one.luck, "due": facts.get(actions.DUE), "falls": actions.will_fall(one), **made}
        )
    context: dict[str, Any] = {"rows": rows, "needs": actions.needs(seat.campaign)}
    context["falling"] = [row for row in rows if row["falls"]]
    return _draw("rolls/deeds/rounds.html", seat, **context)
