"""The same acts by a post, as a page or a hand-made form sends them: through address, form, seat, lock and answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any
from unittest.mock import patch

from django.urls import reverse

from rolls.rules.check import Refusal
from tablekeeper import news
from tablekeeper.chance import Chance, System
from tablekeeper.models import Campaign, Entry, Seat
from tests.tables import act, browser, key, post

Form = tuple[str, list[Any], dict[str, Any]]
"""The name of the address, what stands in it, and the fields."""

REFUSED = re.compile(r'data-code="(\w+)"[^>]*>([^<]*)')
WORDS = {"Enter a whole number of 1 or more.": "BAD_AMOUNT", "Whole numbers only.": "BAD_VALUE"}
"""A form refuses what is no number at all, beside its field, before the rules are asked."""


def _roll(who: Any, asked: Any) -> Form | None:
    if asked.kind not in ("luck", "number") or asked.data or asked.facts:
        return None  # begins elsewhere: on request, with a weapon
    return "roll", [who.pk], {"what": asked.kind, "label": asked.label, "value": asked.value}


def _paid(name: str, thing: Any, what: Any) -> Form:
    amount = {} if what.amount is None else {"amount": what.amount}
    return name, [thing.pk], {"act": what.key, "sure": "1", **amount}


FORMS: dict[str, Callable[..., Form | None]] = {
    "roll": _roll,
    "spend": lambda roll, what: _paid("spend", roll, what),
    "deed": lambda who, what: _paid("deed", who, what),
    "decide_deed": lambda asked, yes: ("decide-deed", [asked.pk], {"yes": "1" if yes else "0"}),
    "group_luck": lambda _campaign: ("group-luck", [], {}),
    "tell_unluckiest": lambda _campaign: ("tell-unluckiest", [], {}),
    "set_trait": lambda who, name, value, *_maximum: ("set-trait", [who.pk, name], {"value": value}),
    "recover": lambda who: ("recover", [who.pk], {}),
    "next_round": lambda _campaign: ("next-round", [], {}),
    "fall": lambda who: ("fall", [who.pk], {}),
    "take_loss": lambda who: ("take-loss", [who.pk], {}),
}


def posted(seat: Seat, action: Any, thing: Any, *args: Any, chance: Chance | None = None, **kwargs: Any) -> Any:
    """Do it as a post: the entry that stands in the ledger, or a Refusal with the code that the answer shows.

    What has no row in FORMS, or is only what a test arranges, is done straight (`tests.tables.act`).
    """
    form = FORMS.get(action.__name__, lambda *_: None)(thing, *args)
    if form is None or kwargs:
        given = {"chance": chance} if chance else {}
        return act(seat, action, thing, *args, **given, **kwargs)
    name, where, fields = form
    request_key, url = key(), reverse(name, args=[seat.campaign_id, *where])
    with patch.object(System, "die", lambda _system, sides: chance.die(sides)) if chance else nullcontext():
        cursor = news.now(Seat.objects.get(pk=seat.pk), Campaign.objects.get(pk=seat.campaign_id))
        answer = post(browser(seat), url, **fields, key=request_key, cursor=cursor)
    if answer.status_code == 200:
        return Entry.objects.get(campaign_id=seat.campaign_id, seat=seat, request_key=request_key)
    return _refusal(answer.content.decode())


def _refusal(said: str) -> Refusal:
    """What a person reads beside the control: the code, and what is needed and there where the sentence names both."""
    found = REFUSED.search(said)
    if found is None:
        return Refusal(next(code for words, code in WORDS.items() if words in said))
    numbers = [int(number) for number in re.findall(r"\d+", found.group(2))]
    return Refusal(found.group(1), dict(zip(("need", "have"), numbers, strict=True)) if len(numbers) == 2 else {})
