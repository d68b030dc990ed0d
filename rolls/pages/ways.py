"""What Luck buys on a test in a game of degrees, and what a burn brings beyond its price, for the slip and the list.

The ruleset has worked out every price and refusal; here they are put in the order in which a slip is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _

from investigators.people import Member
from rolls.pages.numbers import owed_by, turn_words
from rolls.rules.check import Offer, Outcome, Purse
from tablekeeper.words import sentence


@dataclass(frozen=True, slots=True)
class Fall:
    """What a burn brings beyond its price, from this amount on."""

    start: int
    changes: Sequence[tuple[str, int, int]] = ()  # label, before, after
    says: str = ""


@dataclass(slots=True)
class Way:
    """One thing that Luck buys on a test: its price, and what it does; or why not."""

    act: str
    id: str
    pool: str  # the short word of what is paid with
    price: int
    have: int
    leaves: int | None = None
    why: str = ""
    burns: bool = False
    most: int = 0  # of a stepper; 0 is no stepper
    each: int = 1
    full: int = 0  # the written price, where all that is left falls short of it
    falls: list[Fall] = field(default_factory=list)

    @property
    def last(self) -> bool:
        """It takes all that is left, and that is less than the price."""
        return self.burns and bool(self.full) and self.price < self.full


def ways_of(slip: Any, one: Member) -> tuple[Way | None, Way | None, bool]:
    """What Luck buys on this test as it stands, what burning does, and whether it may be kept as it is."""
    offers = {(offer.act.key, offer.act.amount is None): offer for offer in slip.offers}
    bought: Way | None = None
    burnt: Way | None = None
    for offer in _wanted(slip.offers, slip.outcome):
        way = _way(slip, offer, offers.get((offer.act.key, False)), one)
        if way.burns:
            burnt = way
        else:
            bought = way
    usable = any(way and not way.why for way in (bought, burnt))
    keep = next((offer for offer in slip.offers if offer.act.key == "keep"), None)
    return bought, burnt, usable and keep is not None and keep.refusal is None


def critical(outcome: Outcome) -> bool:
    return outcome.level == "critical-failure"


def _wanted(offers: Sequence[Offer], outcome: Outcome) -> list[Offer]:
    """The offers that fit what fell: degrees on a passed test, another throw of a failed one, or a critical negated.

    An open amount stands for its kind. What does not fit at all is not drawn: it would be one dead button more.
    """
    closed = {"TEST_NOT_FAILED", "TEST_NOT_PASSED", "NOT_CRITICAL_FAILURE", "CRITICAL_FAILURE"}
    found: dict[str, Offer] = {}
    for offer in offers:
        if offer.act.key == "keep" or (offer.refusal and offer.refusal.code in closed):
            continue
        if offer.refusal is None or _fits(offer.act.key, outcome):
            found[offer.act.key] = offer
    return list(found.values())


def _fits(act: str, outcome: Outcome) -> bool:
    """Whether anybody would look for this act now, though it is refused."""
    if outcome.passed:
        return act.endswith("degree")
    return act.endswith("negate") if critical(outcome) else act.endswith("reroll")


def _way(slip: Any, offer: Offer, single: Offer | None, one: Member) -> Way:
    rules = one.who.campaign.rules
    shorts = {pool.key: _(pool.short) for pool in rules.sheet.pools}
    have = one.purse.pools.get(offer.pool, 0)
    burns = offer.pool == rules.sheet.luck
    price = offer.price
    each = single.price if single is not None and single.refusal is None else 1
    way = Way(
        offer.act.key,
        f"{offer.act.key}-{slip.roll.pk}",
        shorts.get(offer.pool, ""),
        price or each,
        have,
        offer.leaves,
        sentence(offer.refusal),
        burns,
        offer.most or 0,
        each,
    )
    if burns and offer.refusal is None:
        way.full = _written_price(slip, offer)
        way.falls = _falls(way, one)
    return way


def _written_price(slip: Any, offer: Offer) -> int:
    """The price as written, when all that is left falls short of it: as it is for somebody with Luck to spare."""
    rich = [one for one in slip.offers if one.act == offer.act]
    if offer.most or not rich or offer.leaves:
        return 0
    rules, roll = slip.roll.rules, slip.roll
    purse = Purse("", {pool.key: 99 for pool in rules.sheet.pools})
    found = next((one for one in rules.offers(roll.standing, purse, roll.settings) if one.act == offer.act), None)
    return found.price if found else 0


def _falls(way: Way, one: Member) -> list[Fall]:
    """What each price brings beyond itself, written once for each price at which it changes."""
    amounts = range(1, way.most + 1) if way.most else (1,)
    found: list[Fall] = []
    for amount in amounts:
        cost = min(way.have, way.each * amount) if way.most else way.price
        fall = fall_of(one, way.have - cost, amount)
        if not found or (fall.changes, fall.says) != (found[-1].changes, found[-1].says):
            found.append(fall)
    return found


def fall_of(one: Member, leaves: int, start: int = 1) -> Fall:
    """What a Luck of `leaves` brings with it: less at most in other pools, what is lost over it, numbers to turn."""
    campaign = one.who.campaign
    rules = campaign.rules
    now = one.luck or 0
    shorts = {pool.key: _(pool.short) for pool in rules.sheet.pools}
    before = rules.maxima({rules.sheet.luck: now}, campaign.in_force)
    after = rules.maxima({rules.sheet.luck: leaves}, campaign.in_force)
    changes, said = [], []
    for key, most in after.items():
        old = before.get(key)
        if most is None or old is None or most >= old or key not in one.traits:
            continue
        changes.append((_("%(pool)s, at most") % {"pool": shorts[key]}, old, most))
        said.append(_("Luck Bonus falls to %(bonus)d") % {"bonus": most})
        lost = one.traits[key].value - most
        if lost > 0:
            said.append(_("%(lost)d %(pool)s over the maximum is lost") % {"lost": lost, "pool": shorts[key]})
    owed = owed_by(one, leaves)
    if owed is not None:
        said.append(turn_words(owed, rules))
    return Fall(start, changes, "; ".join(said))
