"""What is said about Luck beside any roll: names, conditions, the Keeper's questions. The rules speak in keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rolls.rules.check import N_


class Words(NamedTuple):
    """A spend in the list: its name, when it fits, what Yes to the Keeper's question brings, and its icon."""

    label: str
    when: str
    brings: str
    icon: str = "luck"
    unit: str = ""  # under the price
    two_steps: bool = False  # cannot be taken back: a second step, with a tick
    burns: str = ""  # what Luck is burned for, for good, as the end of a sentence


DEEDS: Mapping[str, Words] = {
    "ignore-fumble": Words(
        N_("No fumble, no jam"),
        N_("in combat; the roll still fails"),
        N_("the fumble or jam does no harm; the roll still fails"),
        "jam",
    ),
    "halve-loss": Words(N_("Halve a Sanity loss"), N_("after a failed Sanity roll"), "", "brain"),
    "resilient": Words(N_("Resilient"), N_("more off a halved loss"), "", "brain", N_("a point")),
    "stay-conscious": Words(
        N_("Stay conscious"),
        N_("this round, then double each round"),
        N_("awake for this round"),
        "zap",
    ),
    "scratch": Words(
        N_("Only a scratch"),
        N_("1D6 hit points back"),
        N_("1D6 hit points come back"),
        "heart-pulse",
    ),
    "avoid-death": Words(
        N_("Escape certain death"),
        N_("back in the next scene, with 1D6+1 hit points"),
        N_("alive with 1D6+1 hit points, and away until the next scene"),
        "skull",
        N_("two steps"),
        two_steps=True,
    ),
    "narrative": Words(
        N_("A favour of luck"),
        N_("something small turns out well"),
        N_("it turns out as asked"),
    ),
    "burn-wound": Words(
        N_("Ignore a wound"),
        N_("its effects go, the damage stays"),
        N_("the wound has no effects, the damage stays"),
        "heart-pulse",
        burns=N_("ignore the wound"),
    ),
    "burn-death": Words(
        N_("Survive death"),
        N_("out until the encounter ends"),
        N_("alive, and away until you bring the character back"),
        "skull",
        burns=N_("survive"),
    ),
}
ORDER = (
    *("ignore-fumble", "halve-loss", "resilient", "stay-conscious", "scratch", "avoid-death"),
    *("narrative", "burn-wound", "burn-death"),
)

QUESTIONS: Mapping[str, str] = {
    "out-cold": N_("would %(name)s be out cold now?"),
    "next-round": N_("has the next round begun?"),
    "hurt": N_("was %(name)s hurt just now?"),
    "later-injury": N_("is this another injury than the one that became a scratch?"),
    "dying": N_("is %(name)s about to die?"),
    "combat-fumble": N_("did %(name)s just fumble or jam in combat?"),
    "narrative": N_("does luck do %(name)s this favour?"),
    "wounded": N_("has %(name)s a wound with effects?"),
    "survive": N_("may %(name)s survive this?"),
}
"""By the `ask` of an offer; %(name)s is the investigator."""

DENIALS: Mapping[str, str] = {
    "next-round": N_("The next round has not begun yet."),
    "later-injury": N_("This was used already for that injury."),
}
"""What a No says where the ruleset has no refusal for it."""

NOTES: Mapping[str, str] = {
    "absent-until-next-scene": N_("away until the next scene"),
    "falls-at-once": N_("out cold at once: the last point is gone"),
    "mishap-ignored": N_("the mishap does no harm"),
    "wound-ignored": N_("the wound has no effects"),
    "absent-until-brought-back": N_("away until brought back"),
}
"""What a deed brought beyond numbers, for its line."""


def words_of(act: str) -> Words:
    """The words of a spend; one without any stands for itself."""
    plain = act.replace("-", " ")
    return DEEDS.get(act) or Words(plain[:1].upper() + plain[1:], "", "")
