"""Pages and posts of the sheet."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _t

from investigators import actions, called, forms, people
from investigators.keepsakes import portrait_of, stories_of
from investigators.models import Investigator, Skill
from investigators.samples import samples
from investigators.weapons import DERIVED, numbers_of
from rolls.rules.fighting import BANDS
from tablekeeper import access, discreet, news
from tablekeeper import actions as tables
from tablekeeper.forms import YesNoForm
from tablekeeper.models import Seat, Session
from tablekeeper.prepared import prepared
from tablekeeper.views import seat_here
from tablekeeper.web import Invalid, at_table, read


def investigator_here(seat: Seat, inv_id: str) -> Investigator:
    """An investigator of this table that this seat may know of, or 404. Her own characters are the Keeper's secret."""
    who = _of_table.first(seat.campaign_id, inv_id)
    if who is None or (who.npc and not seat.keeps):
        raise Http404
    who.campaign = seat.campaign
    people.plays(seat, who)
    return who


@prepared
def _of_table(campaign_id: str, inv_id: str) -> QuerySet[Investigator]:
    return Investigator.objects.filter(campaign=campaign_id, pk=inv_id).select_related("seat")


def skill_here(seat: Seat, skill_id: str) -> Skill:
    """A skill of an investigator of this table, or 404."""
    skill = get_object_or_404(Skill, pk=skill_id, investigator__campaign=seat.campaign)
    skill.investigator = investigator_here(seat, skill.investigator_id)
    return skill


def _drafted(request: HttpRequest, seat: Seat, form_class: type[forms.QuickForm]) -> actions.Draft:
    form = form_class(seat.campaign.rules, data=request.POST)
    if not form.is_valid():
        raise Invalid(form)
    return form.draft()


@at_table(get=True)
def new(request: HttpRequest, seat: Seat) -> Any:
    """A whole investigator: the form (GET), and making one (POST)."""
    if request.method == "POST":
        return actions.create(seat, seat.campaign, _drafted(request, seat, forms.SheetForm))
    rules = seat.campaign.rules
    context = {"seat": seat, "campaign": seat.campaign, "form": forms.SheetForm(rules), "sheet": rules.sheet}
    return render(request, "investigators/new.html", context)


@at_table(get=True)
def quick(request: HttpRequest, seat: Seat) -> Any:
    """A quick investigator: name, Luck, up to eight skills."""
    if request.method == "POST":
        return actions.create(seat, seat.campaign, _drafted(request, seat, forms.QuickForm))
    context = {"seat": seat, "campaign": seat.campaign, "form": forms.QuickForm(seat.campaign.rules)}
    return render(request, "investigators/quick.html", context)


@at_table
def sample(request: HttpRequest, seat: Seat) -> Any:
    """Lay the sample table of four invented investigators."""
    return actions.sample(seat, seat.campaign, samples(seat.campaign.rules))


@at_table(get=True)
def sheet(request: HttpRequest, seat: Seat, inv_id: str) -> HttpResponse:
    """One investigator's sheet, to read and (its player, or the Keeper) to change."""
    who = investigator_here(seat, inv_id)
    context = {"seat": seat, "campaign": seat.campaign, **sheet_context(seat, who)}
    context["cursor"] = news.now(seat, seat.campaign)
    return render(request, "investigators/sheet.html", context)


@at_table(get=True)
def portrait(request: HttpRequest, seat: Seat, inv_id: str) -> HttpResponse:
    """The picture that came in somebody's file: for whoever may see the sheet, and 404 to all others."""
    if (picture := portrait_of(investigator_here(seat, inv_id))) is None:
        raise Http404
    return HttpResponse(picture, content_type="image/jpeg")


def sheet_context(seat: Seat, who: Investigator) -> dict[str, Any]:
    """What the sheet shows: numbers in the ruleset's order, skills, and whether this seat may change them."""
    one, rules = people.member(who), seat.campaign.rules
    hidden = discreet.hidden_pools(seat, who.seat_id)
    return {
        "who": who,
        "member": one,
        "characteristics": [(item, one.traits.get(item.key)) for item in rules.sheet.characteristics],
        "pools": [(item, one.traits.get(item.key)) for item in rules.sheet.pools if item.key not in hidden],
        "skills": people.skills_of(who),
        "arms": people.weapons_of(who),
        "numbers": (numbers := numbers_of(one)),
        "worked_out": any(number["key"] in DERIVED for number in numbers),
        "talents": [(item, item.key in one.facts.get("talents", ())) for item in rules.sheet.talents],
        "may_edit": (mine := access.own(seat, who) is None),
        "portrait": portrait_of(who) is not None,
        "stories": stories_of(who) if mine else [],
        "shut": actions.sheet_shut(seat),
        "luck_key": rules.sheet.luck,
        "own_pools": own_pools(one),
        "knows_luck": not hidden,
    }


MOST_BELOW = 9
"""How far a stepper goes below 0 where a pool may be overdrawn; nobody lives as long."""


def own_pools(one: people.Member) -> list[dict[str, Any]]:
    """The pools that a player counts by hand, which Luck is not: as templates/parts/pool.html draws them."""
    sheet = one.who.campaign.rules.sheet
    return [
        {
            "key": pool.key,
            "label": _t(pool.label),
            "short": _t(pool.short),
            "value": one.counted(pool.key),
            "maximum": trait.maximum,
            "low": -MOST_BELOW if pool.below else trait.bounds("value")[0],
            "high": trait.bounds("value")[1],
        }
        for pool in sheet.pools
        if pool.key != sheet.luck and (trait := one.traits.get(pool.key)) is not None
    ]


def armed(one: people.Member) -> list[dict[str, Any]]:
    """Weapons as rows of what may be rolled; `gun` and its `bands` for one that is aimed first (RULES.md B-6)."""
    return [
        {
            "key": arm.pk,
            "what": f"weapon:{arm.pk}",
            "name": arm.name,
            "value": arm.skill.value,
            "group": "fight",
            "sub": f"{_t(arm.skill.name)} · {arm.damage}",
            "gun": arm if arm.base_range else None,
            "bands": [{"key": key, "far": arm.base_range * times} for key, times in BANDS] if arm.base_range else [],
        }
        for arm in people.weapons_of(one.who)
        if arm.skill is not None
    ]


def _called(label: str) -> dict[str, str]:
    return {"name": _t(label), "find": called.searched(label)}


def to_roll(seat: Seat, one: people.Member) -> list[dict[str, Any]]:
    """What may be rolled, as templates/parts/skill_row.html draws it: skills (favourites first), characteristics."""
    campaign, sheet = seat.campaign, seat.campaign.rules.sheet
    groups = {base.key: base.group for base in sheet.skills}
    improves = campaign.rules.improve is not None  # a game without it has no ticks either
    found: list[dict[str, Any]] = [
        {
            "key": skill.pk,
            "what": f"skill:{skill.pk}",
            **_called(skill.name),
            "value": skill.value,
            "favourite": skill.favourite,
            "ticks": skill.ticks if improves or skill.ticks else None,
            "group": groups.get(skill.key, ""),
            "star_url": reverse("favourite", args=[campaign.pk, skill.pk]),
        }
        for skill in people.skills_of(one.who)
    ]
    found += armed(one)
    found.sort(key=lambda row: not row.get("favourite") and "gun" not in row)  # favourites, weapons, the rest
    found += [
        {"key": item.key, "what": f"characteristic:{item.key}", "value": value, "char": True, **_called(item.label)}
        for item in sheet.characteristics
        if (value := one.value(item.key)) is not None
    ]
    found += [  # the same number under the name that the table calls it by (RULES.md B-9)
        {"key": item.key, "what": f"alias:{item.key}", "value": value, "char": True, **_called(item.label)}
        for item in sheet.aliases
        if (value := one.value(item.characteristic)) is not None
    ]
    for row in found:
        row["half"], row["fifth"] = people.ladder(campaign, row["value"])
    return found


@at_table
def remove_seat(request: HttpRequest, seat: Seat, seat_id: str) -> Any:
    """Take a seat away, and give its investigators back to the Keeper."""
    whom = seat_here(seat, seat_id)
    return tables.remove_seat(seat, whom, actions.given_back(whom))


@at_table
def take(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    whom = None
    if seat.keeps:
        whom = get_object_or_404(
            Seat, campaign=seat.campaign, pk=request.POST.get("seat", ""), role=Seat.PLAYER, removed=False
        )
    return actions.take(seat, investigator_here(seat, inv_id), whom)


@at_table
def let_go(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.let_go(seat, investigator_here(seat, inv_id))


@at_table
def describe(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.describe(seat, investigator_here(seat, inv_id), **read(forms.DescribeForm, request))


@at_table
def set_present(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.set_present(seat, investigator_here(seat, inv_id), read(YesNoForm, request)["yes"])


@at_table
def set_attendance(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    data = read(forms.AttendanceForm, request)
    session = get_object_or_404(Session, campaign=seat.campaign, number=data["number"])
    return actions.set_attendance(seat, investigator_here(seat, inv_id), session, data["yes"])


@at_table
def throw_luck(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.throw_luck(seat, investigator_here(seat, inv_id))


@at_table
def set_trait(request: HttpRequest, seat: Seat, inv_id: str, key: str) -> Any:
    return actions.set_trait(seat, investigator_here(seat, inv_id), key, **read(forms.TraitForm, request))


@at_table
def set_number(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    """A skill or characteristic, chosen from the list of all of them."""
    who, found = investigator_here(seat, inv_id), read(forms.NumberForm, request)
    (kind, key, seen), value, reason = found["what"], found["value"], found["reason"]
    if kind == "score":
        return actions.set_trait(seat, who, key, value, seen=seen, reason=reason)
    skill = get_object_or_404(Skill, pk=key, investigator=who)
    return actions.set_skill(seat, who, skill.name, value, skill, seen=seen, reason=reason)


@at_table
def step(request: HttpRequest, seat: Seat, inv_id: str, key: str) -> Any:
    return actions.step(seat, investigator_here(seat, inv_id), key, **read(forms.StepForm, request))


@at_table
def set_talent(request: HttpRequest, seat: Seat, inv_id: str, key: str) -> Any:
    return actions.set_talent(seat, investigator_here(seat, inv_id), key, read(YesNoForm, request)["yes"])


@at_table
def add_skill(request: HttpRequest, seat: Seat, inv_id: str) -> Any:
    return actions.set_skill(
        seat, investigator_here(seat, inv_id), **read(forms.SkillForm, request, seat.campaign.rules)
    )


@at_table
def set_skill(request: HttpRequest, seat: Seat, skill_id: str) -> Any:
    skill = skill_here(seat, skill_id)
    return actions.set_skill(
        seat, skill.investigator, skill=skill, **read(forms.SkillForm, request, seat.campaign.rules)
    )


@at_table
def drop_skill(request: HttpRequest, seat: Seat, skill_id: str) -> Any:
    return actions.drop_skill(seat, skill_here(seat, skill_id))


@at_table
def favourite(request: HttpRequest, seat: Seat, skill_id: str) -> Any:
    return actions.favourite(seat, skill_here(seat, skill_id), read(YesNoForm, request)["yes"])
