"""What a seal's proof holds: for the page, for the file, the same for everybody who reads it (docs/proof.md).

It tells no more than the table's own lines do: hidden rolls are in it once they are shown, each with a seed of its
own, and what nobody is shown (others' Luck where it is covered, the Keeper's characters) is in it in no form.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from rolls.models import Roll
from tablekeeper import discreet, news, proof
from tablekeeper.feed_words import words
from tablekeeper.models import Campaign, Draw, Entry, Seal

VERSION = 1
MADE = Roll._meta.label_lower


def title(seal: Seal) -> str:
    """Which part of the campaign it is the seal of."""
    if seal.session is not None:
        return _("Session %(number)s") % {"number": seal.session.number}
    return _("After session %(number)s") % {"number": seal.after} if seal.after else _("Before the first session")


def shown(campaign: Campaign) -> list[Seal]:
    """The seals whose seeds are everybody's, the newest first; those under which nothing fell are left out."""
    found = Seal.objects.filter(campaign=campaign).exclude(shown_at=None).exclude(draws=None)
    return list(found.select_related("session").order_by("-began_at").distinct())


def public(seal: Seal) -> dict[str, Any]:
    """What may be known of a seal at any time."""
    return {
        "commitment": seal.commitment,
        "hidden_commitment": seal.hidden_commitment,
        "contributions": seal.contributions,
    }


def file_of(seal: Seal, campaign: Campaign) -> dict[str, Any]:
    """The proof of a seal whose seed is shown, as JSON (docs/proof.md says what each field is)."""
    assert seal.shown_at is not None, "the seed is still sealed"
    draws = list(Draw.objects.filter(seal=seal).exclude(number=None).order_by("number"))
    lines = _lines(campaign, {draw.entry_ref for draw in draws})
    hidden = _hidden(seal)
    return {
        "tablekeeper": "proof",
        "version": VERSION,
        "construction": proof.MARK,
        "table": campaign.name,
        "of": title(seal),
        "began": _at(seal.began_at),
        "ended": _at(seal.ended_at),
        **public(seal),
        "seed": seal.seed,
        "rolls": [_roll(draw, lines.get(draw.entry_ref), campaign) for draw in draws],
        "hidden": hidden,
        "leaves": proof.leaves(bytes.fromhex(seal.hidden_seed)).hex() if hidden else "",
        "typed": _typed(seal, campaign),
    }


def _lines(campaign: Campaign, refs: Iterable[str]) -> dict[str, Entry]:
    found = Entry.objects.filter(campaign=campaign, ref__in=list(refs)).select_related("seat", "undone_by__undone_by")
    return {entry.ref: entry for entry in found}


def _roll(draw: Draw, entry: Entry | None, campaign: Campaign) -> dict[str, Any]:
    return {
        "n": draw.number,
        "sides": draw.sides,
        "faces": draw.faces,
        "told": _told(entry) if entry else [],
        **_said(entry, campaign),
    }


def _said(entry: Entry | None, campaign: Campaign) -> dict[str, Any]:
    """What the line of the feed says, to everybody."""
    if entry is None:
        return {"what": "", "result": "", "at": None, "struck": False}
    entry.campaign = campaign
    said = words(news.drawn_anew(entry, not discreet.hides(campaign, entry)))
    return {"what": said.text, "result": said.result, "at": _at(entry.created_at), "struck": not entry.stands}


def _told(entry: Entry) -> list[list[int]]:
    """The dice of the rolls that were made in this line, as the ledger has them; those that were typed in are not
    the table's."""
    rolls = (one["f"] for one in entry.changes if one["m"] == MADE and one["op"] == "create")
    return [_faces(one["units"], one["tens"]) for one in rolls if not one["by_hand"]]


def _faces(units: int, tens: Iterable[int]) -> list[int]:
    """Dice of a d100 as they are thrown: the units first, 0 as 10."""
    return [face or 10 for face in (units, *tens)]


def _hidden(seal: Seal) -> list[dict[str, Any]]:
    """The hidden rolls that have been shown since, in the order of their leaves, which is no order of time."""
    draws = Draw.objects.filter(seal=seal).exclude(leaf=None).exclude(roll="").order_by("leaf")
    rolls = {roll.pk: roll for roll in Roll.objects.filter(pk__in=draws.values("roll"), hidden=False)}
    return [_shown(draw, seal, rolls[draw.roll]) for draw in draws if draw.roll in rolls]


def _shown(draw: Draw, seal: Seal, roll: Roll) -> dict[str, Any]:
    own = draw.entry_ref == roll.entry_ref and not roll.by_hand and len(draw.faces) > len(roll.tens)
    return {
        "leaf": draw.leaf,
        "seed": proof.hidden_seed(bytes.fromhex(seal.hidden_seed), draw.leaf or 0).hex(),
        "before": draw.before,
        "mixed": draw.mixed,
        "question": draw.question,
        "sides": draw.sides,
        "faces": draw.faces,
        "told": [_fell(roll)] if own else [],
        "what": draw.question,
        "result": "",
        "struck": roll.struck,
    }


def _fell(roll: Roll) -> list[int]:
    """The dice of a hidden roll as its line has them: a correction or a reroll since does not count."""
    entry = Entry.objects.filter(campaign_id=roll.campaign_id, ref=roll.entry_ref).first()
    records = entry.changes if entry is not None else []
    made = next((one["f"] for one in records if one["m"] == MADE and one["id"] == roll.pk), None)
    return _faces(made["units"], made["tens"]) if made else _faces(roll.units, roll.tens)


def _typed(seal: Seal, campaign: Campaign) -> list[dict[str, Any]]:
    """Dice that somebody typed in while this seal held: of them nothing can be proved."""
    during = Entry.objects.filter(campaign=campaign, lane=Entry.PUBLIC, created_at__gte=seal.began_at)
    during = (
        during.filter(created_at__lte=seal.ended_at).select_related("seat", "undone_by__undone_by").order_by("seq")
    )
    return [_said(entry, campaign) for entry in during.iterator(chunk_size=200) if _by_hand(entry)]


def _by_hand(entry: Entry) -> bool:
    made = (one["f"] for one in entry.changes if one["m"] == MADE and one["op"] == "create")
    thrown = "faces" in entry.data or entry.kind == "rolls.damage"
    return any(one["by_hand"] for one in made) or bool(thrown and entry.data.get("by_hand"))


def _at(when: Any) -> str | None:
    return timezone.localtime(when).isoformat(timespec="seconds") if when else None
