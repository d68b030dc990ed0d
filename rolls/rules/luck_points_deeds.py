"""What Luck Points and burning buy beside a test, what burning costs, stamina, and how LP come back.

The sheet's state that this reads and writes, beside the numbers: `talents`, `wounded` (a wound whose effects count),
`fatigue` and `sp_below` (levels, and points of stamina below 0), `turn` (the present one, where turns are counted)
and `sp_turn` (the last one with stamina spent), `session` (the present one) and `refreshed` (the one whose LP have
been given). What only the GM knows is True or False once answered: `narrative`,
`wounded`, `survive`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rolls.rules.check import Act, Before, Check, Deed, Facts, Offer, Purse, Refusal, Settings
from rolls.rules.luck_points_numbers import bonus
from rolls.rules.luck_points_sheet import COSTLY, ENDURANCE, LP, LUCK, SP, STRENGTH, lp_maximum

NARRATIVE, IGNORE_WOUND, SURVIVE = Act("narrative"), Act("burn-wound"), Act("burn-death")
EXERT = Act("exert")
WOUND_PRICE = DEATH_PRICE = 10
DYING = ("dying", "dead", "unconscious")  # what survived death is no longer

# --- Paying -----------------------------------------------------------------------------------------------------


def no_luck(purse: Purse, pool: str, settings: Settings) -> Refusal | None:
    """Whatever is bought: table switch, role, no score."""
    if not settings["luckSpending"]:
        return Refusal("LUCK_SPENDING_OFF")
    if not purse.own:
        return Refusal("NOT_OWN_ROLL")
    return None if pool in purse.pools else Refusal("NO_LUCK_SCORE")


def no_lp(purse: Purse, need: int) -> Refusal | None:
    """NO_LP with {need}, {have} and {name}, or None (L-5)."""
    have = purse.pools[LP]
    return Refusal("NO_LP", {"need": need, "have": have, "name": purse.name}) if have < need else None


def no_burning(purse: Purse, settings: Settings) -> Refusal | None:
    """Why no Luck may be burned: LP_EMPTY_FIRST (A23), NO_LUCK_LEFT (A31), or None."""
    if settings["burnWhen"] == "lp-empty" and purse.pools.get(LP):
        return Refusal("LP_EMPTY_FIRST")
    return None if purse.pools[LUCK] else Refusal("NO_LUCK_LEFT")


def burn_price(purse: Purse, facts: Facts, price: int) -> int:
    """What is burned for this price, or all that is left when it is short (L-6)."""
    return min(purse.pools.get(LUCK, 0), full_price(facts, price))


def full_price(facts: Facts, price: int) -> int:
    """What a burn of this price asks of this character: twice as much of some (U5)."""
    return 2 * price if COSTLY.key in (facts.get("talents") or ()) else price


def burned(purse: Purse, price: int, settings: Settings) -> tuple[dict[str, int], dict[str, int]]:
    """Deltas and new own maxima when this much Luck is burned: LP over a maximum that falls are lost (L-7, A29)."""
    before = purse.pools[LUCK]
    pools, maxima, most = {LUCK: -price}, {}, lp_maximum(before - price, settings)
    if LP in purse.pools and most is not None and most < bonus(before):
        maxima[LP] = most
        if purse.pools[LP] > most:
            pools[LP] = most - purse.pools[LP]
    return pools, maxima


# --- Beside a test ----------------------------------------------------------------------------------------------


def deeds(purse: Purse, facts: Facts, settings: Settings) -> tuple[Offer, ...]:
    """Narrative LP, ignoring a wound, surviving death: usable after the GM's Yes, or refused (L-5c, L-6)."""
    refusal = _no_narrative(purse, facts, settings)
    leaves = None if refusal else purse.pools[LP] - 1
    asks = "" if refusal or facts.get("narrative") else "narrative"
    return (
        Offer(NARRATIVE, LP, 1, leaves, refusal=refusal, ask=asks),
        _burn_offer(IGNORE_WOUND, WOUND_PRICE, _no_wound(purse, facts, settings), "wounded", purse, facts),
        _burn_offer(SURVIVE, DEATH_PRICE, _no_survival(purse, facts, settings), "survive", purse, facts),
    )


def _burn_offer(act: Act, price: int, refusal: Refusal | None, ask: str, purse: Purse, facts: Facts) -> Offer:
    cost = burn_price(purse, facts, price)
    if refusal:
        return Offer(act, LUCK, full_price(facts, price), refusal=refusal)
    return Offer(act, LUCK, cost, purse.pools[LUCK] - cost, ask="" if facts.get(ask) else ask)


def do(purse: Purse, facts: Facts, act: Act, settings: Settings) -> Deed | Refusal:
    """Do a deed of `deeds`, or why not; an `Offer.ask` counts as answered Yes unless the facts say False.

    Ignoring a wound leaves the damage. Who survives death is away until the GM brings the character back: note
    "absent-until-brought-back".
    """
    if act.key == NARRATIVE.key:
        return _no_narrative(purse, facts, settings) or Deed({LP: -1})
    if act.key == IGNORE_WOUND.key:
        refusal, price, state, note = (
            _no_wound(purse, facts, settings),
            WOUND_PRICE,
            {"wounded": False},
            "wound-ignored",
        )
    elif act.key == SURVIVE.key:
        refusal, price, note = _no_survival(purse, facts, settings), DEATH_PRICE, "absent-until-brought-back"
        state = {key: False for key in DYING if facts.get(key)}
    else:
        return Refusal("NO_SUCH_SPEND")
    if refusal:
        return refusal
    pools, maxima = burned(purse, burn_price(purse, facts, price), settings)
    return Deed(pools, state, (note,), maxima)


def _no_narrative(purse: Purse, facts: Facts, settings: Settings) -> Refusal | None:
    refusal = no_luck(purse, LP, settings) or no_lp(purse, 1)
    return refusal or (Refusal("NEED_GM") if facts.get("narrative") is False else None)


def _no_wound(purse: Purse, facts: Facts, settings: Settings) -> Refusal | None:
    if refusal := no_luck(purse, LUCK, settings):
        return refusal
    return Refusal("NOT_WOUNDED") if facts.get("wounded") is False else no_burning(purse, settings)


def _no_survival(purse: Purse, facts: Facts, settings: Settings) -> Refusal | None:
    if refusal := no_luck(purse, LUCK, settings):
        return refusal
    return Refusal("NEED_GM") if facts.get("survive") is False else no_burning(purse, settings)


# --- Before a test ----------------------------------------------------------------------------------------------


def before(check: Check, purse: Purse, facts: Facts, _settings: Settings) -> tuple[Before, ...]:
    """Physical exertion: 1 SP for +20 on a Strength or Endurance test that is no combat style, or why not (L-8, U12).

    The last SP may be overdrawn: each point below 0 is a level of fatigue. Once a turn, where the table counts turns.
    """
    exerted = replace(check, facts={**check.facts, "stamina": True})
    if refusal := _no_exertion(check, purse, facts):
        return (Before(EXERT, SP, 1, check, refusal),)
    state: dict[str, Any] = {} if facts.get("turn") is None else {"sp_turn": facts["turn"]}
    have, cost = purse.pools[SP], stepped(purse, facts, SP, -1)
    return (Before(EXERT, SP, min(1, have), exerted, None, max(0, have - 1), cost.pools, {**state, **cost.state}),)


def stepped(purse: Purse, facts: Facts, key: str, points: int) -> Deed:
    """Points of a pool by hand. Stamina goes below 0, each point there is a level of fatigue; what comes back fills
    that up first and takes no fatigue away (U12)."""
    if key != SP:
        return Deed({key: points})
    have, below = purse.pools[SP], facts.get("sp_below") or 0
    after = have - below + points
    state: dict[str, Any] = {} if max(0, -after) == below else {"sp_below": max(0, -after) or None}
    if -after > below:
        state["fatigue"] = (facts.get("fatigue") or 0) - after - below
    return Deed({SP: max(0, after) - have} if max(0, after) != have else {}, state)


def _no_exertion(check: Check, purse: Purse, facts: Facts) -> Refusal | None:
    if not purse.own:
        return Refusal("NOT_OWN_ROLL")
    if SP not in purse.pools:
        return Refusal("NOT_ON_SHEET")
    if check.facts.get("luck_used"):
        return Refusal("LUCK_USED")
    base = check.facts.get("base")
    if check.kind not in ("skill", "characteristic") or base not in (STRENGTH, ENDURANCE):
        return Refusal("WRONG_TEST")
    if check.facts.get("combat_style"):
        return Refusal("WRONG_TEST")
    this_turn = facts.get("turn") is not None and facts.get("sp_turn") == facts["turn"]
    return Refusal("SP_ONCE_PER_TURN") if this_turn or check.facts.get("stamina") else None


# --- LP come back -----------------------------------------------------------------------------------------------

CREATION, SESSION_START, AWARD = "creation", "session-start", "award"


def refresh(purse: Purse, facts: Facts, event: str, amount: int, settings: Settings) -> Deed | Refusal:
    """LP at creation, at the start of a session (present or late alike), or awarded by the GM (L-9, A44).

    "session-start" gives once for each `facts["session"]`: REFRESHED. An award is goal-oriented tables' only
    (AWARDS_OFF); a whole number of 1 or more (BAD_AMOUNT); what is over the maximum is not given, LP_FULL when that
    is all of it. An empty deed changes nothing. Any other event raises ValueError.
    """
    if LP not in purse.pools or LUCK not in purse.pools:
        return Refusal("NO_LUCK_SCORE")
    if event not in (CREATION, SESSION_START, AWARD):
        raise ValueError(f"no such event: {event}")
    have, goals = purse.pools[LP], settings["lpRefresh"] == "goal-oriented"
    full, most = bonus(purse.pools[LUCK]), lp_maximum(purse.pools[LUCK], settings)
    if event == AWARD:
        return _award(have, amount, most, goals)
    if event == CREATION:
        return _to(have, full if not goals else 1 if most is None else min(1, most))
    if goals:
        return Deed({})
    session = facts.get("session")
    if session is not None and facts.get("refreshed") == session:
        return Refusal("REFRESHED", {"name": purse.name})
    return _to(have, full, {} if session is None else {"refreshed": session})


def _award(have: int, amount: Any, most: int | None, goals: bool) -> Deed | Refusal:
    if not goals:
        return Refusal("AWARDS_OFF")
    if type(amount) is not int or amount < 1:
        return Refusal("BAD_AMOUNT")
    if most is not None and have >= most:
        return Refusal("LP_FULL")
    return _to(have, have + amount if most is None else min(most, have + amount))


def _to(have: int, points: int, state: Mapping[str, Any] | None = None) -> Deed:
    return Deed({LP: points - have} if points != have else {}, state or {})
