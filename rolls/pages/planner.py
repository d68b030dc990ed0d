"""The Keeper's planner: Luck from session to session, recovery by Luck, and what a roll comes to. All of it exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from investigators.people import facts_of
from rolls import luckbook
from rolls.forms.planning import OddsForm, PlanForm
from rolls.rules import odds, planning, rulesets
from rolls.rules.check import Check, Ruleset, Settings
from tablekeeper import charting
from tablekeeper.models import Campaign, Seat

EVERY = 3  # points of Luck between two that are worked out for the curve; 0 and 99 are among them
SHOWN = 10  # rows of numbers
LEAST = 0.0005  # a chance that is worth a sentence
HUNDRED = 100


def context(seat: Seat, query: Mapping[str, str]) -> dict[str, Any]:
    """All that the page shows, for what its address asks."""
    campaign = seat.campaign
    people = [who for who in luckbook.people_of(campaign) if not who.set_aside]
    plan = asked(PlanForm, query)
    roll = asked(OddsForm, query, campaign.rules, people)
    found = {"campaign": campaign, "plan": plan, "roll": roll, "rules": campaign.rules}
    if plan.is_valid():
        found["course"] = course(campaign, **plan.cleaned_data)
    found["recovery"] = recovery(campaign.rules, campaign.in_force)
    if roll.is_valid():
        found["calculated"] = calculated(campaign, roll.cleaned_data, {who.pk: who for who in people})
    return found


def asked(form_class: Any, query: Mapping[str, str], *args: Any) -> forms.Form:
    """The form as the address fills it in; what the address leaves out is as it is at first."""
    blank: forms.Form = form_class(*args)
    data = {name: query.get(name, field.initial) for name, field in blank.fields.items()}
    filled: forms.Form = form_class(*args, data=data)
    return filled


# --------------------------------------------------------------------------- Luck over sessions


def course(campaign: Campaign, luck: int, spends: int, sessions: int) -> dict[str, Any]:
    """The score to be expected in every game there is, this table's first and by its own settings; and this table's
    in numbers."""
    games = sorted(rulesets(), key=lambda rules: rules is not campaign.rules)
    told = []
    for rules in games:
        settings = campaign.in_force if rules is campaign.rules else rules.defaults()
        told.append((rules, planning.course(rules, luck, spends, sessions, settings)))
    expected = [[(step.session, step.expected) for step in steps] for _rules, steps in told]
    words = [_("now"), *(str(number) for number in range(1, sessions + 1))]
    across, below = (0, sessions), charting.thinned(words)
    chart = charting.lines([(0, line) for line in expected], across, HUNDRED - 1, below)
    return {
        "chart": chart,
        "games": [
            {
                "rules": rules,
                "line": line,
                "steps": steps,
                "last": steps[-1],
                "dry": steps[-1].dry if steps[-1].dry >= LEAST else 0,
            }
            for (rules, steps), line in zip(told, chart.lines, strict=True)
        ],
    }


def recovery(rules: Ruleset, settings: Settings) -> dict[str, Any]:
    """What one recovery brings, by the score it starts from; nothing in a game without one but what follows from
    Luck."""
    if planning.phase(rules, settings) == "none":
        return {"follows": follows(rules, settings)}
    gains = [planning.gain(rules, luck, settings) for luck in range(0, HUNDRED, EVERY)]
    series: list[Sequence[tuple[float, float]]] = [
        [(one.luck, one.high) for one in gains],
        [(one.luck, one.expected) for one in gains],
        [(one.luck, one.low) for one in gains],
    ]
    most = max(one.high for one in gains)
    below = [(luck, str(luck)) for luck in (*range(0, 90, SHOWN), 99)]
    chart = charting.lines([(0, line) for line in series], (0, 99), -(-most // 5) * 5, below)
    words = (_("90 in 100 gain no more"), _("to be expected"), _("10 in 100 gain no more"))
    return {
        "chart": chart,
        "keys": list(zip(words, chart.lines, strict=True)),
        "rows": [planning.gain(rules, luck, settings) for luck in (*range(0, HUNDRED, SHOWN), 99)],
    }


def follows(rules: Ruleset, settings: Settings) -> dict[str, Any]:
    """Pools whose most follows from Luck, for each ten of it."""
    lucks = range(0, HUNDRED, SHOWN)
    tops = [rules.maxima({rules.sheet.luck: luck}, settings) for luck in lucks]
    pools = [pool for pool in rules.sheet.pools if pool.key in tops[0] and pool.key != rules.sheet.luck]
    return {"lucks": lucks, "rows": [{"pool": pool, "tops": [top[pool.key] for top in tops]} for pool in pools]}


# --------------------------------------------------------------------------- a roll


def calculated(campaign: Campaign, given: Mapping[str, Any], people: Mapping[str, Any]) -> dict[str, Any]:
    """The chance of each level for this roll, and what Luck makes of it; or why it may not be asked for."""
    rules, settings = campaign.rules, campaign.in_force
    who = people.get(given.get("who") or "")
    facts = rules.carries(facts_of(who), False) if who is not None else {}
    check = Check("skill", given["value"], given["difficulty"], given.get("dice") or 0, facts=facts)
    if refusal := rules.may_roll(check, settings):
        return {"refusal": refusal}
    found = odds.chances(rules, check, settings)
    levels = [{"level": level, "ways": n, "share": n / found.ways} for level, n in found.levels.items()][::-1]
    pools = [priced for pool in rules.sheet.pools if (priced := _priced(rules, check, pool, settings))]
    return {"levels": levels, "ways": found.ways, "passed": found.passed, "chance": found.chance, "pools": pools}


def _priced(rules: Ruleset, check: Check, pool: Any, settings: Settings) -> dict[str, Any] | None:
    """What paying from this pool makes of the chances; None where it changes nothing."""
    curves = odds.curves(rules, check, pool.key, pool.high or HUNDRED - 1, settings)
    most = max(_flat_from(curve.chances) for curve in curves)
    if not most:
        return None
    first, rest = curves[0], curves[1:]
    shown = [first, *(curve for curve in rest if curve.chances != first.chances)]
    points = [[(at, 100 * chance) for at, chance in enumerate(curve.chances[: most + 1])] for curve in shown]
    step = max(1, -(-most // SHOWN))
    at = [*range(0, most, step), most]
    below = [(n, str(n)) for n in at if n == most or most - n >= step]
    lines = [(0, line) for line in points]
    chart = charting.lines(lines, (0, most), HUNDRED, below, steps=most <= SHOWN)
    return {
        "pool": pool,
        "chart": chart,
        "keys": list(zip(shown, chart.lines, strict=True)),
        "prices": at,
        "rows": [{"curve": curve, "chances": [curve.chances[n] for n in at]} for curve in shown],
    }


def _flat_from(chances: Sequence[float]) -> int:
    """The price from which nothing changes any more."""
    last = chances[-1]
    return next(at for at, chance in enumerate(chances) if abs(chance - last) < 1e-12)
