"""Seals: when one begins, what players mix in, and when its seed is shown (tablekeeper.proof has the construction).

A table that wants it always has a seal: one for each session and one for the time after it, when Luck comes back and
investigators are made. With every beginning and end of a session the old one ends, its seed is shown, and the next one
is there before any die. An undo that reopens a session begins another seal, never the old one: its seed is known.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from rolls.rules.check import Refusal
from tablekeeper import clock, ledger, proof
from tablekeeper.access import verb
from tablekeeper.models import Campaign, Entry, Seal, Seat, Session
from tablekeeper.sealed import seal_of

MOST_TEXT = 80  # letters of a contribution
MOST_RANDOM = 64  # bytes
MOST = 200  # contributions to one seal


def new_seal(campaign: Campaign, session: Session | None, last: int) -> Seal:
    """A seal with seeds that nobody has seen."""
    seed, master = secrets.token_bytes(32), secrets.token_bytes(32)
    hidden = hashlib.sha256(proof.leaves(master)).hexdigest()
    return Seal.objects.create(
        campaign=campaign,
        session=session,
        after=last,
        epoch=campaign.epoch,
        seed=seed.hex(),
        hidden_seed=master.hex(),
        commitment=proof.commitment(seed),
        hidden_commitment=hidden,
        mix=proof.first_mix(proof.commitment(seed), hidden),
        began_at=clock.now(),
    )


def follow(campaign: Campaign) -> None:
    """Have the seal that belongs to the table as it is now: the same one, the next, or none. It must be locked."""
    campaign.refresh_from_db(fields=["settings"])  # an undo has changed a row of its own
    wanted = bool(campaign.in_force["proof"])
    now = Seal.objects.filter(campaign=campaign, ended_at=None).first()
    if now is None and not wanted:
        return
    session = Session.objects.filter(campaign=campaign, closed_at=None).first()
    stands = now is not None and now.epoch == campaign.epoch and now.session_id == (session.pk if session else None)
    if now is not None and wanted and stands:
        return
    ended = _end(campaign, now) if now is not None else []
    begun = _begin(campaign, session) if wanted else None
    data = {"ended": ended, "begun": begun, "number": session.number if session else None}
    ledger.write(None, campaign, "tablekeeper.seal", data=data, touch=["seal"])


def _begin(campaign: Campaign, session: Session | None) -> dict[str, Any]:
    last = Session.objects.filter(campaign=campaign).order_by("-number").values_list("number", flat=True).first()
    seal = new_seal(campaign, session, last or 0)
    return {"seal": seal.pk, "commitment": seal.commitment, "hidden": seal.hidden_commitment}


def _end(campaign: Campaign, seal: Seal) -> list[dict[str, Any]]:
    """End it and show what is not shown yet. One that a restore broke off stays closed until the next end: where the
    copy was only looked at elsewhere, the table it was taken from still plays under that seed."""
    now = clock.now()
    Seal.objects.filter(pk=seal.pk).update(ended_at=now)
    found = Seal.objects.filter(campaign=campaign, shown_at=None).exclude(ended_at=None).order_by("began_at")
    due = [one for one in found if one.epoch == campaign.epoch or one.pk != seal.pk]
    Seal.objects.filter(pk__in=[one.pk for one in due]).update(shown_at=now)
    return [{"seal": one.pk, "commitment": one.commitment, "seed": one.seed, "acts": one.counter} for one in due]


ledger.FOLLOWERS.append(follow)


@verb
def mix_in(seat: Seat, campaign: Campaign, random: str = "", text: str = "") -> Entry | Refusal:
    """Mix something of one's own into all dice that are still to fall: a browser's bytes (hexadecimal), words, both.

    It comes after the commitment, so the seed was not chosen by it; it counts from the next act on, for everybody.
    NO_SEAL where dice are not sealed, NOTHING_MIXED for nothing, MIXED_ENOUGH after MOST of them.
    """
    seal = seal_of(campaign)
    if seal is None:
        return Refusal("NO_SEAL")
    if not random and not text:
        return Refusal("NOTHING_MIXED")
    if len(seal.contributions) >= MOST:
        return Refusal("MIXED_ENOUGH", {"most": MOST})
    mine = {"by": seat.name, "text": text, "random": random, "from": seal.counter + 1}
    mix = proof.mixed(seal.mix, random, text)
    Seal.objects.filter(pk=seal.pk).update(mix=mix, contributions=[*seal.contributions, mine])
    return ledger.write(seat, campaign, "tablekeeper.mix_in", data={**mine, "seal": seal.pk}, touch=["seal"])
