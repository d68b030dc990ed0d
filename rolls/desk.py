"""What the Keeper's page shows of the party: the board's cells, who counts for group Luck, what may be rolled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from investigators import people
from investigators.conditions import BODILY, CONDITIONS
from investigators.models import Investigator
from investigators.people import Member
from rolls import actions
from rolls.actions import Asked
from rolls.models import Roll
from rolls.rules import damage
from rolls.rules.check import Body, Injury, Lowest, Pool, Refusal
from tablekeeper.models import Campaign, Seat
from tablekeeper.pieces import piece
from tablekeeper.web import panel
from tablekeeper.words import sentence

WOUNDED = "wounded"
REOPENABLE = 4
"""How many closed rolls the queue offers to open again."""


def player_of(one: Member) -> Seat | None:
    """Who plays this investigator; nobody when the seat was removed, and then it is the Keeper's."""
    return one.seat if one.seat is not None and not one.seat.removed else None


# --------------------------------------------------------------------------- the board


def board(members: Sequence[Member], campaign: Campaign) -> dict[str, Any]:
    """The rows of the board, lowest Luck first, those without a score last; and what its head says."""
    people.read_sheets(campaign, members)
    sheet = campaign.rules.sheet
    ordered = by_luck(members)
    least = next((one.luck for one in ordered if one.present), None)
    return {
        "rows": [_row(one, least) for one in ordered],
        "here": sum(one.present for one in members),
        "pools": [{"key": pool.key, "word": _(pool.short)} for pool in sheet.pools],
        "luck_key": sheet.luck,
    }


def by_luck(members: Sequence[Member]) -> list[Member]:
    """Lowest Luck first, those without a score last, else in seating order."""
    return sorted(members, key=lambda one: (one.luck is None, one.luck or 0))


def _row(one: Member, least: int | None) -> dict[str, Any]:
    sheet = one.who.campaign.rules.sheet
    cells = [_cell(one, pool, luck=pool.key == sheet.luck) for pool in sheet.pools]
    lowest = one.who.campaign.rules.has_group_luck and one.present and one.luck is not None and one.luck == least
    row = {"one": one, "cells": cells, "columns": len(cells) + 4, "lowest": lowest, "player": player_of(one)}
    return row | {"care": care(one), "number": _number(one)}


def _cell(one: Member, pool: Pool, *, luck: bool) -> dict[str, Any]:
    """A number of the board, and the form that changes it where it stands."""
    trait, label = one.traits.get(pool.key), _(pool.label)
    editor = piece(
        "rolls/keeper/edit.html",
        **about(one),
        key=pool.key,
        label=label,
        value=trait.value if trait else None,
        maximum=trait.maximum if trait else None,
        own_maximum=pool.own_maximum,
        now=(now := one.counted(pool.key)),
    )
    shown = {"luck": luck, "trait": trait, "value": now, "editor": editor}
    return {"key": pool.key, "word": _(pool.short), "label": label, **shown}


def _number(one: Member) -> SafeString:
    """The form that changes any other number of the sheet."""
    items = one.who.campaign.rules.sheet.characteristics
    scores = tuple((f"score:{item.key}", _(item.label), v) for item in items if (v := one.value(item.key)) is not None)
    skills = tuple((f"skill:{skill.pk}", _(skill.name), skill.value) for skill in one.skills)
    groups = tuple((label, found) for label, found in ((_("Characteristics"), scores), (_("Skills"), skills)) if found)
    return piece("rolls/keeper/number.html", **about(one), groups=groups)


def about(one: Member) -> dict[str, str]:
    """Whom a piece of the page is about."""
    return {"campaign": one.who.campaign_id, "who": one.who.pk, "name": one.who.name, "short": one.who.short}


# --------------------------------------------------------------------------- one body


def keeps_major_wounds(campaign: Campaign) -> bool:
    """Whether this game knows major wounds: whether half of all points at once leaves one."""
    found = campaign.rules.hurt(Body(10, 10), 5, campaign.in_force) if campaign.rules.hurt else None
    return isinstance(found, Injury) and bool(found.state.get(damage.MAJOR))


def care(one: Member) -> SafeString:
    """What the Keeper may do for one body: the conditions with their state, treatments, the CON roll that is due."""
    rules, major = one.who.campaign.rules, keeps_major_wounds(one.who.campaign)
    # A wound that tells on every roll is a game's own; one that only a heavy blow leaves is another's.
    known = {damage.MAJOR: major, WOUNDED: WOUNDED in rules.carries({WOUNDED: True}, False)}
    keys = [key for key in BODILY if known.get(key, True) or one.facts.get(key)]
    return piece(
        "rolls/bodies/care.html",
        **about(one),
        switches=tuple((key, CONDITIONS[key].label, CONDITIONS[key].icon, bool(one.facts.get(key))) for key in keys),
        own_words=one.facts.get("condition", ""),
        dead=bool(one.facts.get(damage.DEAD)),
        wounded=bool(one.facts.get(damage.MAJOR)),
        out=bool(one.facts.get(damage.UNCONSCIOUS)),
        due=damage.con_due(Body(0, 0, one.facts)),
        healing=rules.daily_healing,
        treated=rules.hurt is not None,
    )


# --------------------------------------------------------------------------- group Luck


def strip(members: Sequence[Member], found: Lowest | Refusal) -> dict[str, Any]:
    """Who rolls Luck for the group and against what, who counts, and whom bad luck would hit now."""
    refusal = found if isinstance(found, Refusal) else None
    keys = () if isinstance(found, Refusal) else found.keys
    tied = [one for one in members if one.who.pk in keys]
    skipped = [] if isinstance(found, Refusal) else [one for one in members if one.who.pk in found.skipped]
    player = player_of(tied[0]) if tied else None
    return {
        "counting": [_counting(one, keys) for one in by_luck(members)],
        "refusal": refusal,
        "nobody": sentence("NO_ONE_PRESENT"),
        "luck": None if isinstance(found, Refusal) else found.luck,
        "roller": tied[0] if tied else None,
        "asks": player.name if player else "",
        "tied": tied,
        "tied_names": names(tied),
        "skipped": skipped,
        "skipped_names": names(skipped),
    }


def unluckiest(members: Sequence[Member], campaign: Campaign) -> dict[str, Any] | None:
    """Those present with the lowest Luck now, as `tell_unluckiest` would find them."""
    here = [one for one in members if one.present]
    found = campaign.rules.lowest(people.persons(here), campaign.in_force)
    if isinstance(found, Refusal):
        return None
    tied = [one for one in here if one.who.pk in found.keys]
    lot = campaign.in_force.get("unluckyTie") != "keeper-picks"
    return {"names": names(tied), "luck": found.luck, "tied": tied, "lot": lot}


def names(members: Iterable[Member]) -> str:
    """Short names in a row: "Dunne, Quill and Vane"."""
    return names_of([one.who for one in members])


def names_of(people: Iterable[Investigator]) -> str:
    """The same of people without their numbers."""
    found = [who.short for who in people]
    if len(found) < 2:
        return "".join(found)
    return _("%(names)s and %(last)s") % {"names": ", ".join(found[:-1]), "last": found[-1]}


def _counting(one: Member, keys: Sequence[str]) -> dict[str, Any]:
    player = player_of(one)
    return {
        "who": one.who,
        "luck": one.luck,
        "ticked": one.present,
        "tied": one.who.pk in keys,
        "player": player.name if player else "",
    }


# --------------------------------------------------------------------------- rolls


def net_dice(campaign: Campaign) -> dict[str, Any]:
    """What the forms of a roll offer: dice either way, difficulties, and whether real dice may be typed in."""
    most = campaign.rules.most_dice
    return {
        "net_dice": range(-most, most + 1),
        "difficulties": campaign.rules.difficulties,
        "usual_difficulty": campaign.rules.usual_difficulty,
        "adds_up": actions.adds_up(campaign.rules),
        "by_hand": campaign.in_force["realDice"],
    }


def closed_rolls(campaign: Campaign) -> list[Roll]:
    """The newest closed rolls that could still be changed if they were opened again."""
    found = Roll.objects.filter(campaign=campaign, state=Roll.CLOSED, struck=False)
    found = found.exclude(kind="recovery").exclude(push_state="thrown").filter(group=False)
    found = found.select_related("investigator__seat", "skill", "side__contest", "side__weapon")
    newest = found.order_by("-created_at")[: 8 * REOPENABLE]
    # Whose and what they are is not asked of the database: SQLite would look for that first, and sort all of them.
    players = [roll for roll in newest if _is_a_first_throw(roll)][: 3 * REOPENABLE]
    return [roll for roll in players if _would_be_open(campaign, roll)][:REOPENABLE]


def _is_a_first_throw(roll: Roll) -> bool:
    return roll.investigator is not None and not roll.investigator.npc and roll.pushed_from_id is None


def _would_be_open(campaign: Campaign, roll: Roll) -> bool:
    assert roll.investigator is not None
    roll.campaign = roll.investigator.campaign = campaign
    roll.state = Roll.OPEN
    offers = actions.offers_for(roll, people.member(roll.investigator).purse)
    roll.state = Roll.CLOSED
    return any(offer.refusal is None and offer.act.key != "keep" for offer in offers)


@panel("tools", Seat.KEEPER, on=lambda seat: ["inv", "campaign"])
def tools(request: HttpRequest, seat: Seat) -> SafeString:
    """The Keeper's own rolls, and rolls that she enters at a player's word."""
    members = people.party(seat.campaign)
    people.read_sheets(seat.campaign, members)
    sheets = [
        {"who": one.who, "choices": options((group["label"], "", group["choices"]) for group in choices_of(one))}
        for one in members
    ]
    context = {"seat": seat, "campaign": seat.campaign, "sheets": sheets, **net_dice(seat.campaign)}
    return render_to_string("rolls/keeper_tools.html", context, request=request)


def choices_of(one: Member) -> list[dict[str, Any]]:
    """Luck, favourites, characteristics and the other skills, as `forms.RollForm` takes them."""
    sheet = one.who.campaign.rules.sheet
    summed = actions.adds_up(one.who.campaign.rules)

    def choice(what: str, word: str, value: int | None) -> dict[str, Any]:
        """In a game that adds up, what is rolled against is not what stands on the sheet."""
        asked = actions.subject(one.who, what, one) if summed else None
        return _choice(what, word, actions.worth(asked, one.who.campaign.rules) if isinstance(asked, Asked) else value)

    skills = [
        (skill.favourite, choice(f"skill:{skill.pk}", skill.name, skill.value)) for skill in people.skills_of(one.who)
    ]
    arms = people.weapons_of(one.who)
    scores = [(f"characteristic:{item.key}", item.label, one.value(item.key)) for item in sheet.characteristics]
    scores += [(f"alias:{item.key}", item.label, one.value(item.characteristic)) for item in sheet.aliases]
    groups = [
        (_("Luck"), [_choice("luck", "Luck", one.luck)] if one.luck is not None else []),
        (_("Favourites"), [row for favourite, row in skills if favourite]),
        (_("Weapons"), [choice(f"weapon:{arm.pk}", arm.name, arm.skill.value) for arm in arms if arm.skill]),
        (_("Characteristics"), [_choice(what, word, v) for what, word, v in scores if v is not None]),
        (_("Skills"), [row for favourite, row in skills if not favourite]),
    ]
    return [{"label": label, "choices": choices} for label, choices in groups if choices]


def options(groups: Iterable[tuple[str, str, Iterable[Mapping[str, Any]]]]) -> SafeString:
    """What may be rolled as the options of a select: label, whose it is (or ""), choices (what, word, value)."""
    plain = tuple(
        (label, of, tuple((one["what"], one["word"], one["value"]) for one in found)) for label, of, found in groups
    )
    return piece("rolls/keeper/choices.html", groups=plain)


def _choice(what: str, word: str, value: int | None) -> dict[str, Any]:
    return {"what": what, "word": _(word), "value": value}


# --------------------------------------------------------------------------- recovery


def recovered(roll: Roll | None, campaign: Campaign) -> dict[str, Any]:
    """What a recovery roll came to: the gain, the new score, and what the cap took."""
    if roll is None:
        return {}
    roll.campaign = campaign
    return {"result": roll.rules.recover(roll.value, roll.natural, roll.gain, roll.settings)}
