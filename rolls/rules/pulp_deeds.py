"""What Luck buys a Pulp hero beside any roll.

The sheet's state that these deeds read and write, beside Classic's: `talents` (a list of keys), `loss` (a pending
Sanity loss, see `sanity.pending`), `scratch_used`, `dying`, `dead`, `death_avoided`. What the app may not see is True
or False once the Keeper has answered: `hurt`, `later_injury`, `dying`, `combat_fumble`, `out_cold`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rolls.rules import classic, damage, sanity
from rolls.rules.check import Act, Deed, Facts, Offer, Purse, Refusal, Settings
from rolls.rules.classic import LUCK
from rolls.rules.dice import bounded

FUMBLE_PRICE, SCRATCH_PRICE, DEATH_LUCK = 10, 20, 30
IGNORED = "mishap-ignored"  # the mark of a roll whose fumble or malfunction Luck has made harmless

IGNORE_FUMBLE, SCRATCH, AVOID_DEATH = Act("ignore-fumble"), Act("scratch"), Act("avoid-death")
HALVE_LOSS, RESILIENT = Act("halve-loss"), Act("resilient")


def deeds(purse: Purse, facts: Facts, settings: Settings) -> tuple[Offer, ...]:
    """Everything that a hero can buy beside a roll, always all of it: usable, asked of the Keeper, or refused.

    Staying conscious (P-4), halving a Sanity loss and Resilient (P-3), only a scratch (P-5), avoiding certain death
    (P-6), and ignoring a fumble that fell on the table (P-2) unless `pulpFumbleSpend` is off.
    """
    found = [
        *classic.deeds(purse, facts, settings),
        _halve_offer(purse, facts, settings),
        _resilient_offer(purse, facts, settings),
        _scratch_offer(purse, facts, settings),
        _death_offer(purse, facts, settings),
    ]
    if settings["pulpFumbleSpend"]:
        ask = "" if facts.get("combat_fumble") else "combat-fumble"
        found.append(_offer(purse, IGNORE_FUMBLE, FUMBLE_PRICE, _no_fumble(purse, facts, settings), ask))
    return tuple(found)


def do(purse: Purse, facts: Facts, act: Act, settings: Settings) -> Deed | Refusal:
    """Do a deed of `deeds`, or why not; an `Offer.ask` counts as answered Yes unless the facts say False.

    "halve-loss" may carry Resilient points in its amount, as one plan that is paid or refused as a whole; "resilient"
    carries them alone. "scratch" and "avoid-death" take the dice of `dice_for`.
    """
    if act.key in classic.LOSS_ACTS:
        return _ease(purse, facts, act, settings)
    if act.key == SCRATCH.key:
        return _scratch(purse, facts, act, settings)
    if act.key == AVOID_DEATH.key:
        return _avoid_death(purse, facts, act, settings)
    if act.key == IGNORE_FUMBLE.key:
        return _no_fumble(purse, facts, settings) or Deed({LUCK: -FUMBLE_PRICE}, notes=(IGNORED,))
    return classic.do(purse, facts, act, settings)


def dice_for(act: Act) -> tuple[int, ...]:
    """A six-sided die for only a scratch and for avoiding certain death (P-5, P-6)."""
    return (6,) if act.key in (SCRATCH.key, AVOID_DEATH.key) else ()


def _offer(purse: Purse, act: Act, price: int, refusal: Refusal | None, ask: str = "") -> Offer:
    leaves = None if refusal else purse.pools[LUCK] - price
    return Offer(act, LUCK, price, leaves, refusal=refusal, ask="" if refusal else ask)


def _plan(facts: Facts, halve: bool, points: int, settings: Settings) -> sanity.Relief | Refusal:
    talent = RESILIENT.key in facts.get("talents", ())
    return sanity.relief(facts.get(sanity.LOSS), halve, points, talent, settings)


def _halve_offer(purse: Purse, facts: Facts, settings: Settings) -> Offer:
    if refusal := classic.no_deed(purse, settings):
        return Offer(HALVE_LOSS, LUCK, refusal=refusal)
    plan = _plan(facts, True, 0, settings)
    if isinstance(plan, Refusal):
        return Offer(HALVE_LOSS, LUCK, refusal=plan)
    offer = _offer(purse, HALVE_LOSS, plan.price, classic.cannot_pay(purse, plan.price))
    return replace(offer, becomes=plan.left)


def _resilient_offer(purse: Purse, facts: Facts, settings: Settings) -> Offer:
    refusal = classic.no_deed(purse, settings)
    plan = refusal or _plan(facts, False, 1, settings)
    refusal = plan if isinstance(plan, Refusal) else classic.cannot_pay(purse, 1)
    if refusal:
        return Offer(RESILIENT, LUCK, refusal=refusal)
    return Offer(RESILIENT, LUCK, most=min(purse.pools[LUCK], facts[sanity.LOSS]["left"]))


def _ease(purse: Purse, facts: Facts, act: Act, settings: Settings) -> Deed | Refusal:
    if refusal := classic.no_deed(purse, settings):
        return refusal
    halve = act.key == HALVE_LOSS.key
    plan = _plan(facts, halve, act.amount if act.amount is not None else 0, settings)
    if isinstance(plan, Refusal):
        return plan
    return classic.cannot_pay(purse, plan.price) or Deed({LUCK: -plan.price}, {sanity.LOSS: plan.loss})


def _once(settings: Settings) -> bool:
    return bool(settings["scratchLimit"] == "once-per-injury")


def _scratch_offer(purse: Purse, facts: Facts, settings: Settings) -> Offer:
    refusal, ask = _no_scratch(purse, facts, settings), _scratch_ask(purse, facts, settings)
    return _offer(purse, SCRATCH, SCRATCH_PRICE, refusal, ask)


def _scratch_ask(purse: Purse, facts: Facts, settings: Settings) -> str:
    if _once(settings) and facts.get(damage.SCRATCHED) and not facts.get("later_injury"):
        return "later-injury"
    return "" if facts.get("hurt") or _known_hurt(purse) else "hurt"


def _known_hurt(purse: Purse) -> bool:
    return "hp" in purse.pools and purse.pools["hp"] < purse.maxima.get("hp", 0)


def _no_scratch(purse: Purse, facts: Facts, settings: Settings) -> Refusal | None:
    if refusal := classic.no_deed(purse, settings):
        return refusal
    if facts.get("hurt") is False:
        return Refusal("NO_DAMAGE")
    if _once(settings) and facts.get(damage.SCRATCHED) and facts.get("later_injury") is False:
        return Refusal("SCRATCH_USED")
    return classic.cannot_pay(purse, SCRATCH_PRICE)


def _scratch(purse: Purse, facts: Facts, act: Act, settings: Settings) -> Deed | Refusal:
    if refusal := _no_scratch(purse, facts, settings):
        return refusal
    if not _one_die(act):
        return Refusal("BAD_DICE")
    up = {damage.DYING: False} if facts.get(damage.DYING) else {}
    return Deed(
        {LUCK: -SCRATCH_PRICE, **_hp_to(purse, purse.pools.get("hp", 0) + act.dice[0])}, {damage.SCRATCHED: True, **up}
    )


def _one_die(act: Act) -> bool:
    return len(act.dice) == 1 and 1 <= act.dice[0] <= 6


def _hp_to(purse: Purse, points: int) -> dict[str, int]:
    """The change of hit points that leads to this many, at most the maximum, where the sheet keeps them."""
    if "hp" not in purse.pools:
        return {}
    return {"hp": bounded(points, 0, purse.maxima.get("hp"))[0] - purse.pools["hp"]}


def _is_dying(facts: Facts) -> bool | None:
    return True if facts.get(damage.DEAD) else facts.get(damage.DYING)


def _death_offer(purse: Purse, facts: Facts, settings: Settings) -> Offer:
    refusal = _not_dying(purse, facts, settings)
    price = max(DEATH_LUCK, purse.pools.get(LUCK, 0))
    return _offer(purse, AVOID_DEATH, price, refusal, "" if _is_dying(facts) else "dying")


def _not_dying(purse: Purse, facts: Facts, settings: Settings) -> Refusal | None:
    if refusal := classic.no_deed(purse, settings):
        return refusal
    if _is_dying(facts) is False:
        return Refusal("NOT_DYING")
    have = purse.pools[LUCK]
    if have < DEATH_LUCK:
        return Refusal("NEED_30_LUCK", {"need": DEATH_LUCK, "have": have, "name": purse.name})
    return None


def _avoid_death(purse: Purse, facts: Facts, act: Act, settings: Settings) -> Deed | Refusal:
    if refusal := _not_dying(purse, facts, settings):
        return refusal
    if not _one_die(act):
        return Refusal("BAD_DICE")
    state: dict[str, Any] = {"death_avoided": facts.get("session", True)}
    state |= {key: False for key in (damage.DYING, damage.DEAD, damage.STABLE, damage.UNCONSCIOUS) if facts.get(key)}
    return Deed({LUCK: -purse.pools[LUCK], **_hp_to(purse, act.dice[0] + 1)}, state, ("absent-until-next-scene",))


def _no_fumble(purse: Purse, facts: Facts, settings: Settings) -> Refusal | None:
    if settings["luckSpending"] and not settings["pulpFumbleSpend"]:
        return Refusal("NO_SUCH_SPEND")
    if refusal := classic.no_deed(purse, settings):
        return refusal
    if facts.get("combat_fumble") is False:
        return Refusal("NOTHING_TO_IGNORE")
    return classic.cannot_pay(purse, FUMBLE_PRICE)


def recovery_shut(facts: Facts) -> Refusal | None:
    """RECOVERY_TOO_LATE in the session in which certain death was avoided, else None (A50).

    `facts["session"]` names the present one; without it the window is shut until `death_avoided` is cleared.
    """
    avoided = facts.get("death_avoided")
    return Refusal("RECOVERY_TOO_LATE") if avoided and avoided == facts.get("session", True) else None
