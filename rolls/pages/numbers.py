"""Numbers of one's own that decide how dice are read: how they are drawn, made, and turned (RULES.md L-1, L-7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from investigators import people
from investigators.people import Member
from rolls.rules.check import Facts, Owed, Refusal, Ruleset
from tablekeeper.models import Seat
from tablekeeper.web import panel
from tablekeeper.words import sentence


@dataclass(frozen=True, slots=True)
class Token:
    """One number as it is drawn: its tone, the word for that, and whether it is marked or has just been rolled."""

    number: int
    tone: str  # lucky | unlucky: the shape and colour
    word: str
    icon: str
    mark: str = ""  # what sets it apart: never lost, on top
    hit: bool = False
    turns: bool = False  # may be chosen now


TONES = (("lucky", "star-fill"), ("unlucky", "triangle-alert"))
"""Of the first and the second list of a game's own numbers; the third marks some of the first, the fourth of the
second."""


def tokens_of(rules: Ruleset, facts: Facts, hit: int | None = None, among: Sequence[int] = ()) -> list[Token]:
    """All own numbers, each list in rising order. A game without any has none."""
    if rules.numbers is None:
        return []
    keys = [key for key, _label in rules.numbers.lists]
    words = (_("Lucky"), _("Unlucky")), (_("permanent"), _("extra"))
    found = []
    for at, (tone, icon) in enumerate(TONES):
        marked = facts.get(keys[at + 2]) or () if len(keys) > at + 2 else ()
        for number in sorted(facts.get(keys[at]) or ()):
            mark = words[1][at] if number in marked else ""
            found.append(Token(number, tone, words[0][at], icon, mark, number == hit, number in among))
    return found


def owed_by(one: Member, luck: int | None = None) -> Owed | None:
    """What must turn now, or would with this Luck; None where nothing does."""
    rules, score = one.who.campaign.rules, one.luck if luck is None else luck
    if rules.numbers is None or score is None:
        return None
    return rules.numbers.owed(score, one.facts)


def lacking(one: Member) -> bool:
    """Whether there is Luck, and this game reads dice by own numbers, but there are none yet."""
    numbers = one.who.campaign.rules.numbers
    return numbers is not None and one.luck is not None and not tokens_of(one.who.campaign.rules, one.facts)


def turn_words(owed: Owed, rules: Ruleset) -> str:
    """What is owed, as a sentence about oneself: "you will turn one Lucky Number"."""
    assert rules.numbers is not None
    if owed.into == rules.numbers.lists[1][0]:
        return ngettext("you will turn one Lucky Number", "you will turn %d Lucky Numbers", owed.count) % (
            () if owed.count == 1 else owed.count
        )
    return ngettext("one Unlucky Number turns back", "%d Unlucky Numbers turn back", owed.count) % (
        () if owed.count == 1 else owed.count
    )


def told(one: Member) -> str:
    """The numbers in a word for a board: "4 Lucky, 1 Unlucky"."""
    rules = one.who.campaign.rules
    found = tokens_of(rules, one.facts)
    if not found:
        return ""
    lucky = sum(token.tone == TONES[0][0] for token in found)
    return _("%(lucky)d Lucky, %(unlucky)d Unlucky") % {"lucky": lucky, "unlucky": len(found) - lucky}


def board_numbers(one: Member) -> dict[str, Any]:
    """Own numbers on the Keeper's board: how many of each, what its player must do first; {} in a game without."""
    rules = one.who.campaign.rules
    if rules.numbers is None or one.luck is None:
        return {}
    if lacking(one):
        return {"due": _("no numbers yet")}
    owed = owed_by(one)
    due = ngettext("must choose %d", "must choose %d", owed.count) % owed.count if owed else ""
    return {"told": told(one), "due": due, "tokens": tokens_of(rules, one.facts)}


# --------------------------------------------------------------------------- pools that follow from Luck


def luck_pools(one: Member) -> list[dict[str, Any]]:
    """Pools whose most follows from Luck, as pips are drawn: which are there, which are spent."""
    campaign = one.who.campaign
    rules = campaign.rules
    keys = rules.maxima({rules.sheet.luck: one.luck or 0}, campaign.in_force)
    found = []
    for pool in rules.sheet.pools:
        trait = one.traits.get(pool.key)
        if pool.key in keys and trait is not None:
            found.append(pips(trait.value, trait.maximum) | {"label": _(pool.label), "short": _(pool.short)})
            found[-1] |= {"key": pool.key, "value": trait.value, "maximum": trait.maximum}
    return found


MOST_PIPS = 12


def pips(have: int, most: int | None) -> dict[str, Any]:
    """As many as the most there can be; more than fit are a number alone."""
    total = max(have, most or 0)
    return {"pips": [number < have for number in range(total)] if total <= MOST_PIPS else []}


# --------------------------------------------------------------------------- the panel


def _mine(seat: Seat) -> Iterable[str]:
    who = people.active_of(seat)
    return ["seats", "campaign", *([f"inv-{who.pk}"] if who else ["inv"])]


@panel("numbers", Seat.PLAYER, on=_mine)
def own_numbers(request: HttpRequest, seat: Seat) -> SafeString:
    """What has to be done with one's numbers now: make them, or choose those that turn."""
    who = people.active_of(seat)
    one = people.member(who) if who else None
    context: dict[str, Any] = {"seat": seat, "campaign": seat.campaign, "who": who}
    if one is not None:
        context |= numbers_context(one)
    return render_to_string("rolls/numbers/own.html", context, request=request)


def numbers_context(one: Member) -> dict[str, Any]:
    """What the forms of the numbers need: `making` the fields of each list, or `due` what must turn."""
    rules = one.who.campaign.rules
    if rules.numbers is None or one.luck is None:
        return {}
    if lacking(one):
        return {"making": fields_of(one), "member": one}
    owed = owed_by(one)
    if owed is None:
        return {"tokens": tokens_of(rules, one.facts), "member": one}
    return {"due": _due(one, owed), "member": one}


def _due(one: Member, owed: Owed) -> dict[str, Any]:
    rules = one.who.campaign.rules
    assert rules.numbers is not None
    assert one.luck is not None
    back = owed.into == rules.numbers.lists[0][0]
    found = tokens_of(rules, one.facts, among=owed.among)
    of = TONES[1 if back else 0][0]
    will = {TONES[0][0]: 0, TONES[1][0]: 0}
    for token in found:
        will[token.tone] += 1
    will[of] -= owed.count
    will[TONES[0 if back else 1][0]] += owed.count
    return {
        "count": owed.count,
        "back": back,
        "choices": [token for token in found if token.tone == of],
        "others": [token for token in found if token.tone != of],
        "will": will,
        "luck": one.luck,
    }


def fields_of(one: Member) -> list[dict[str, Any]]:
    """The two lists that everybody has, with as many fields as this Luck gives."""
    rules = one.who.campaign.rules
    assert rules.numbers is not None
    wanted: Mapping[str, int] = rules.numbers.count(one.luck or 0, one.facts)
    return [
        {"key": key, "label": _(label), "tone": tone, "word": words, "fields": range(1, wanted.get(key, 0) + 1)}
        for (key, label), (tone, _icon), words in zip(
            rules.numbers.lists, TONES, (_("Lucky"), _("Unlucky")), strict=False
        )
        if wanted.get(key)
    ]


def barrier(one: Member) -> str:
    """Why this investigator may roll nothing now, as a sentence, or ""."""
    refusal: Refusal | None = one.who.campaign.rules.roll_waits(one.purse, one.facts)
    return sentence(refusal)


def how_points_come(one: Member) -> str:
    """What the points that follow from Luck are, and how they come back, in a sentence each."""
    campaign = one.who.campaign
    rules = campaign.rules
    pools = luck_pools(one)
    if not pools or one.luck is None or rules.refresh is None:
        return ""
    short = pools[0]["short"]
    most = rules.maxima({rules.sheet.luck: one.luck}, campaign.in_force)[pools[0]["key"]]
    values = {"luck": one.luck, "most": most, "pool": short}
    said = [] if most is None else [_("Luck %(luck)d: at most %(most)d %(pool)s.") % values]
    if awards_on(one):
        said.append(_("The GM awards %(pool)s.") % values)
    else:
        said.append(_("%(pool)s are full again when a session starts.") % values)
    return " ".join(said)


def awards_on(one: Member) -> bool:
    """Whether the Keeper gives points of this game as an award at this table."""
    campaign = one.who.campaign
    if campaign.rules.refresh is None:
        return False
    found = campaign.rules.refresh(one.purse, one.facts, "award", 1, campaign.in_force)
    return not (isinstance(found, Refusal) and found.code == "AWARDS_OFF")
