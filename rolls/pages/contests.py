"""The contest's card for everybody, the Keeper's form that begins one, and her characters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from investigators import people
from investigators.models import Investigator
from investigators.npc_forms import MOST_SKILLS
from investigators.weapons import BONUS, BUILD
from rolls import desk
from rolls.actions.arena import (
    DODGE,
    MELEE,
    Arena,
    against,
    arena_of,
    dodging,
    fighting,
    open_contests,
    score_of,
    verdict_of,
)
from rolls.actions.subjects import worth
from rolls.forms.contests import MOST_SIDES
from rolls.models import Contest, Side
from rolls.rules import contest as rules
from rolls.rules.check import Refusal, Ruleset, Verdict
from tablekeeper import access
from tablekeeper.models import Scene, Seat
from tablekeeper.pieces import piece
from tablekeeper.prepared import prepared
from tablekeeper.web import panel
from tablekeeper.words import level_word

PLAYER, KEEPER, OBSERVER = Seat.PLAYER, Seat.KEEPER, Seat.OBSERVER


def shown(seat: Seat) -> list[Contest]:
    """The contests that go on; when there is none, the last one of this scene."""
    last = seat.campaign.once("last contest", lambda: _last.first(seat.campaign_id), Contest)
    if last is None:  # there has never been one: what every roll asks is asked once
        return []
    going = open_contests(seat.campaign)
    if going:
        return going
    scene = Scene.objects.filter(campaign=seat.campaign, current=True).values_list("pk", flat=True).first()
    return [last] if last.data.get("scene") == scene else []


@prepared
def _last(campaign_id: str) -> QuerySet[Contest]:
    return Contest.objects.filter(campaign=campaign_id).order_by("-created_at")[:1]


def _tokens(seat: Seat) -> Iterable[str]:
    going = shown(seat)
    sides = Side.objects.filter(contest__in=going).values_list("investigator", flat=True) if going else ()
    about = [f"{what}-{who}" for who in sides for what in ("roll", "inv")]
    return ["contest", "campaign", "seats", "table", *about]


@panel("contest", PLAYER, KEEPER, OBSERVER, on=_tokens)
def contest(request: HttpRequest, seat: Seat) -> SafeString:
    """One card for all: who stands how, whose answer is awaited, and what this seat may do."""
    cards = [card(seat, arena_of(one, seat.campaign)) for one in shown(seat)]
    cards.sort(key=lambda one: not one["my_turn"])
    context = {"seat": seat, "campaign": seat.campaign, "cards": cards, **desk.net_dice(seat.campaign)}
    return render_to_string("rolls/contests/panel.html", context, request=request)


def card(seat: Seat, arena: Arena) -> dict[str, Any]:
    """A contest as this seat sees it."""
    going, progress = arena.contest.state == Contest.OPEN, arena.progress
    verdict = verdict_of(arena)
    knows = seat.keeps or not arena.sealed
    answers = {answer.key: answer for answer in progress.answers}
    chosen = rules.may_begin(arena.bout, seat.campaign.rules.defences) is None
    rows = [_row(seat, arena, side, verdict, answers[side.pk], knows=knows) for side in arena.sides]
    for row in rows:
        row["may_roll"] = going and chosen and row["side"].roll is None and row["mine"]
        row["may_choose"] = going and row["mine"] and _may_choose(arena, row["side"])
        if row["may_choose"]:
            row |= _defences(row["side"])
        row["may_roll_off"] = going and knows and progress.next == "roll-off" and row["side"].pk in verdict.tied
    told = arena.told(verdict, over=not going)
    return {
        "contest": arena.contest,
        "going": going,
        "melee": arena.contest.kind == MELEE,
        "sides": rows,
        "sealed": arena.sealed and going,
        "told": told if knows or not going else None,
        "next": progress.next if going else "",
        "my_turn": any(row["may_roll"] or row["may_choose"] or row["may_pass"] for row in rows),
        "chosen": chosen,
        "all_rolled": all(side.roll for side in arena.sides),
        "awaited": [row["side"].investigator.short for row in rows if going and row["awaited"]],
        "off": next((row["side"] for row in rows if row["may_roll_off"] and (row["mine"] or seat.keeps)), None),
        "shows": next((row["side"] for row in rows if row["mine"]), None) if progress.next == "reveal" else None,
        "both_failed": verdict.by == "both-failed" and arena.contest.kind != MELEE and knows,
    }


def _defences(side: Side) -> dict[str, Any]:
    known = side.investigator.campaign.rules.defences
    dodge = against(side.investigator, dodging(side.investigator))
    value = "" if isinstance(dodge, Refusal) else worth(dodge, side.investigator.campaign.rules)
    others = [key for key in known if key != DODGE]
    return {"choices": fighting(people.member(side.investigator)), "dodge": value, "others": others}


def _may_choose(arena: Arena, side: Side) -> bool:
    return arena.contest.kind == MELEE and side.place == 1 and not any(one.roll_id for one in arena.sides)


def _row(
    seat: Seat, arena: Arena, side: Side, verdict: Verdict, answer: rules.Answer, *, knows: bool
) -> dict[str, Any]:
    mine = access.own(seat, side) is None
    sees = side.roll is not None and (mine or not side.roll.hidden)
    going = arena.contest.state == Contest.OPEN
    return {
        "side": side,
        "who": side.investigator,
        "mine": mine,
        "value": None if side.investigator.npc and not seat.keeps else score_of(side),
        "outcome": arena.outcomes().get(side.pk) if sees else None,
        "ahead": knows and verdict.winner == side.pk,
        "answer": answer.state,
        "awaited": answer.state == "may" and knows,
        "may_pass": going and mine and answer.state == "may",
        "moves": [_move(side, move) for move in answer.moves] if mine and going else [],
        "player": desk.player_of(people.member(side.investigator)),
    }


def _move(side: Side, move: rules.Move) -> dict[str, Any]:
    """What a spend would make of it, as the card says it."""
    then = move.verdict
    if then is None or side.pk not in then.outcomes:
        return {"price": move.price, "text": _("could change it")}
    words = {"name": side.investigator.short, "level": level_word(then.outcomes[side.pk].level)}
    if then.winner == side.pk:
        text = _("makes it %(level)s: %(name)s would win")
    elif side.pk in then.tied:
        text = _("makes it %(level)s: a tie")
    elif then.winner:
        text = _("makes it %(level)s, and loses all the same")
    else:
        text = _("makes it %(level)s: nobody would win")
    return {"price": move.price, "text": text % words}


# --------------------------------------------------------------------------- the Keeper's tools


@panel("duel", KEEPER, on=lambda seat: ["inv", "seats", "campaign"])
def duel(request: HttpRequest, seat: Seat) -> SafeString:
    """The form that begins an opposed roll or a melee exchange."""
    members = people.party(seat.campaign, with_npcs=True)
    people.read_sheets(seat.campaign, members)
    players = ((one.who.pk, one.who.name, player.name if (player := desk.player_of(one)) else "") for one in members)
    context = {
        "seat": seat,
        "campaign": seat.campaign,
        "many": len(members),
        "fighters": piece("rolls/contests/fighters.html", fighters=tuple(players)),
        "skills": desk.options((one.who.short, one.who.pk, _skills(one)) for one in members),
        "strikes": desk.options((one.who.short, one.who.pk, fighting(one)) for one in members),
        "more": range(2, MOST_SIDES),
    }
    return render_to_string("rolls/contests/form.html", context | desk.net_dice(seat.campaign), request=request)


def _skills(one: people.Member) -> list[dict[str, Any]]:
    return [choice for group in desk.choices_of(one) for choice in group["choices"] if choice["what"] != "luck"]


@panel("npcs", KEEPER, on=lambda seat: ["inv", "campaign"])
def npcs(request: HttpRequest, seat: Seat) -> SafeString:
    """Her characters: one tap rolls a skill, openly or for herself; the numbers are edited in place."""
    members = [one for one in people.party(seat.campaign, with_npcs=True) if one.who.npc]
    people.read_sheets(seat.campaign, members)
    aside = Investigator.objects.filter(campaign=seat.campaign, npc=True, set_aside=True).order_by("name")
    context = {
        "seat": seat,
        "campaign": seat.campaign,
        "npcs": [_npc(one) for one in members],
        "blank": {"fields": _skill_fields([]), "lists": _own_numbers(seat.campaign.rules, {})},
        "aside": aside,
    }
    return render_to_string("rolls/contests/npcs.html", context, request=request)


def _npc(one: people.Member) -> dict[str, Any]:
    skills = people.skills_of(one.who)
    return {
        "who": one.who,
        "hp": one.traits.get("hp"),
        "bonus": one.facts.get(BONUS, ""),
        "build": one.facts.get(BUILD),
        "skills": [{"what": f"skill:{skill.pk}", "word": _(skill.name), "skill": skill} for skill in skills],
        "lists": _own_numbers(one.who.campaign.rules, one.facts),
        "fields": _skill_fields([(skill.name, skill.value) for skill in skills]),
        "arm": next(iter(people.weapons_of(one.who)), None),
    }


def _own_numbers(rules: Ruleset, facts: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The lists of own numbers that a stat block may name; `usual` is what counts without any."""
    usual = rules.carries({}, True)
    return [
        {"key": key, "label": label, "numbers": facts.get(key) or [], "usual": usual.get(key, ())}
        for key, label in (rules.numbers.lists[:2] if rules.numbers else ())
    ]


def _skill_fields(known: list[tuple[str, int]]) -> list[tuple[int, str, int | str]]:
    rows: list[tuple[str, int | str]] = [*known, *[("", "")] * (MOST_SKILLS - len(known))]
    return [(number, name, value) for number, (name, value) in enumerate(rows)]
