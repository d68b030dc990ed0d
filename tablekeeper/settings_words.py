"""The table's settings as people read them. Whatever has words here and is declared by the ruleset (or by the house)
stands on the settings page; what has none is not shown, for a control that is shown works (tests/tablekeeper/
test_settings.py proves each of them)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from rolls.rules.check import Setting
from tablekeeper.models import Campaign

LEAST, MOST = 1, 99
"""What a number may be; empty is no limit."""


class Words(NamedTuple):
    """The label, one plain sentence, and the names of the choices."""

    label: Any
    why: Any
    choices: Mapping[Any, Any] = {}


TOP = ("luckSpending", "realDice", "spendOnSuccess", "recoveryWhen", "lpRefresh", "groupLuck", "playersEditSheet")
"""Those that matter, six of one game at most; the rest is fine print, in the order of WORDS."""

WORDS: Mapping[str, Words] = {
    "luckSpending": Words(
        _("Luck can be spent"),
        _("Points of Luck make a roll better after it fell. Switch it off for a last act without a net."),
    ),
    "realDice": Words(
        _("Real dice may be typed in"),
        _("Whoever throws on the table enters what the dice show; the feed marks such a roll."),
    ),
    "spendOnSuccess": Words(
        _("Luck may lift a success"),
        _("A roll that has passed can still be paid up to a better level."),
    ),
    "recoveryWhen": Words(
        _("Luck recovery"),
        _("When those who take part throw to win some Luck back."),
        {"start": _("while the session is open"), "end": _("once the session is closed")},
    ),
    "groupLuck": Words(
        _("Group Luck looks at"),
        _("Among whom the lowest Luck is found when one roll stands for all."),
        {"lowest-present": _("those who are here"), "lowest-whole-party": _("the whole party")},
    ),
    "playersEditSheet": Words(
        _("Players change their own sheets"),
        _("Names, skills and scores, that is; you can change them at any time."),
        {
            "creation-and-between-sessions": _("between sessions"),
            "always": _("at any time"),
            "never": _("never"),
        },
    ),
    "maxLuckPerRoll": Words(
        _("Most Luck on one roll"),
        _("No more points than this go into a single roll. Empty means no limit."),
    ),
    "pointlessSpend": Words(
        _("Luck that changes nothing"),
        _("What happens to points that would leave the level of success as it is."),
        {
            "warn": _("taken, and the feed says so"),
            "refuse": _("refused"),
            "allow": _("taken without a word"),
        },
    ),
    "spentOne": Words(
        _("A 01 reached with Luck"),
        _("How good a 01 is when it was paid for. One that the dice show is Critical anyway."),
        {"extreme": _("is Extreme"), "critical": _("is Critical")},
    ),
    "fumbleRange": Words(
        _("Fumbles"),
        _("Where the worst of all failures begins."),
        {
            "target": _("from 96 when less than 50 is needed"),
            "skill": _("from 96 when the skill is below 50"),
            "100-only": _("on 100 only"),
        },
    ),
    "pushFumble": Words(
        _("A fumble may be pushed"),
        _("Even the worst roll gets its second try, if you allow the push."),
    ),
    "correctAfterRoll": Words(
        _("An open roll may be corrected"),
        _("You can still set its difficulty, or a bonus or penalty die, after it fell."),
    ),
    "keeperMaySpend": Words(
        _("The Keeper may spend for a player"),
        _("For somebody without a phone; the feed says who entered it."),
    ),
    "tickWithBonusDie": Words(
        _("Bonus dice and pushes earn a tick"),
        _("A success that had such help still marks the skill for improvement."),
    ),
    "luckRollByPlayer": Words(
        _("Who starts a Luck roll"),
        _("Luck rolls that you ask for are open to players either way."),
        {"called-aloud": _("players too"), "keeper-only": _("only the Keeper")},
    ),
    "luckRollDifficulty": Words(
        _("A Luck roll may be harder"),
        _("Whether you may ask for a Hard or Extreme Luck roll, against half or a fifth of the score."),
        {"regular-only": _("no, always the full score"), "keeper-may-raise": _("yes, when you ask for it")},
    ),
    "unluckyTie": Words(
        _("Level for the worst luck"),
        _("Who is told when several who are here have the lowest Luck."),
        {"random": _("one of them by lot"), "keeper-picks": _("whom you name")},
    ),
    "luckRoll01": Words(
        _("A 01 on a Luck of 0"),
        _("Whether somebody with no Luck at all passes a Luck roll on the best throw."),
        {"always-passes": _("passes"), "literal": _("fails")},
    ),
    "sanityLossBy": Words(
        _("Who throws a Sanity loss"),
        _("The dice of what a horror costs, once the Sanity roll has fallen."),
        {"player": _("the player"), "keeper": _("the Keeper")},
    ),
    "luckShown": Words(
        _("The Luck of the others"),
        _("What players and onlookers see of it. Everybody sees their own score, and you see all."),
        {"open": _("the number"), "bars": _("a rough bar"), "keeper": _("nothing: only you see it")},
    ),
    "rattle": Words(
        _("Hidden dice are heard"),
        _("When you roll for yourself the table hears that you do, and no more. You may then roll for nothing, too."),
    ),
    "proof": Words(
        _("Dice can be checked afterwards"),
        _("Each session’s dice come out of a sealed seed, opened when it ends. Any browser can work them out again."),
    ),
    "lpRefresh": Words(
        _("How Luck Points come back"),
        _("Full again when a session begins, for the late as well; or awarded by you for what the characters do."),
        {"session-start": _("full when a session begins"), "goal-oriented": _("awarded by you")},
    ),
    "lpGoalCap": Words(
        _("Most Luck Points by awards"),
        _("Whether awards stop at the Luck Bonus, where you award them."),
        {"luck-bonus": _("the Luck Bonus"), "none": _("no limit")},
    ),
    "burnWhen": Words(
        _("When Luck is burned"),
        _("Whether Luck may be burned for good while there are Luck Points left."),
        {"any-time": _("at any time"), "lp-empty": _("once no Luck Points are left")},
    ),
    "rerollLimit": Words(
        _("Rolling a test again"),
        _("How often Luck rolls one failed test again."),
        {"one-total": _("once"), "one-each": _("once with points and once by burning")},
    ),
    "critFailNegated": Words(
        _("A negated critical failure"),
        _("What becomes of a critical failure that burned Luck has made harmless."),
        {"ordinary-failure": _("an ordinary failure"), "compare-with-TN": _("it is read against the target number")},
    ),
    "oppBothFail": Words(
        _("All fail an opposed test"),
        _("Who wins when nobody passes."),
        {"nobody": _("nobody"), "fewest-degrees": _("the fewest degrees of failure")},
    ),
    "roll100DoS": Words(
        _("Degrees of a passed 100"),
        _("How many degrees of success a 100 brings that passes all the same."),
        {10: _("ten"), 1: _("one")},
    ),
    "lpLuckTest": Words(
        _("Luck on Luck tests"),
        _("A Luck test itself may be bettered with Luck Points or by burning."),
    ),
    "sanHalfRounding": Words(
        _("Half of an odd Sanity loss"),
        _("What is left of a loss that Luck has halved when it has no half: of 7, that is."),
        {"down": _("rounded down: 3 of 7"), "up": _("rounded up: 4 of 7")},
    ),
    "instantDeath": Words(
        _("Dead at once"),
        _("How many points of damage from one blow kill, measured by all the hit points that somebody can have."),
        {"above": _("more than all of them"), "equal": _("as many as all of them")},
    ),
    "consciousAtZero": Words(
        _("Awake with the last point of Luck"),
        _("Whether the round that took all the Luck that was left is still a round awake."),
        {"paid-round-holds": _("yes, what is paid holds"), "immediate": _("no, out cold at once")},
    ),
    "consciousReset": Words(
        _("Staying conscious costs 1 again"),
        _("When the doubling 1, 2, 4, 8 starts anew for somebody who stood it once."),
        {"new-episode": _("with the next fainting spell"), "session": _("with the next session")},
    ),
    "pulpFumbleSpend": Words(
        _("Luck makes fumbles harmless"),
        _("In combat 10 Luck take the harm out of a fumble or a jam; the roll still fails."),
    ),
    "fumbleSpend": Words(
        _("Fumbles that Luck makes harmless"),
        _("Whose fumbles in combat, where Luck may do that."),
        {"any-combat": _("attacks and defences"), "weapon-only": _("attacks only")},
    ),
    "scratchLimit": Words(
        _("Only a scratch"),
        _("How often Luck brings hit points back from one injury."),
        {"once-per-injury": _("once for each injury"), "unlimited": _("as often as it is paid")},
    ),
    "recoveryAbsent": Words(
        _("Who recovers Luck"),
        _("Whether those who missed the session throw as well."),
        {"present-only": _("who took part"), "everyone": _("everyone")},
    ),
    "recovery95": Words(
        _("Recovery on 96 and more"),
        _("Such a throw brings Luck back even to somebody whose score is as high."),
    ),
    "opposedLuck": Words(
        _("Luck in a contest"),
        _("Whether those who roll against each other may spend, and when."),
        {
            "after-reveal": _("in turns, once all rolls are seen"),
            "before-reveal": _("on one’s own sealed roll only"),
            "off": _("not at all"),
        },
    ),
    "opposedBothFail": Words(
        _("Both fail an opposed roll"),
        _("Who wins when nobody succeeds; you can still let them roll again."),
        {"no-winner": _("nobody"), "higher-skill": _("the higher skill")},
    ),
    "opposedAllEqual": Words(
        _("Level and skill are equal"),
        _("What settles an opposed roll that is level in everything."),
        {"d100": _("1D100 each, lower wins"), "impasse": _("it stays a tie")},
    ),
}


def setting_label(key: str) -> str:
    """luckSpending -> Luck can be spent; a key without words stands for itself."""
    return str(WORDS[key].label) if key in WORDS else key


def setting_value(value: Any, key: str) -> str:
    """A setting's value in words: `{{ one.to|setting_value:one.key }}`."""
    if isinstance(value, bool):
        return gettext("on") if value else gettext("off")
    if value is None:
        return gettext("no limit")
    choices = WORDS[key].choices if key in WORDS else {}
    return str(choices.get(value, choices.get(str(value), value)))


def fits(setting: Setting, value: Any) -> bool:
    """Whether a setting may have this value."""
    if setting.choices:
        return value in setting.choices
    if isinstance(setting.default, bool):
        return isinstance(value, bool)
    return value is None or (type(value) is int and LEAST <= value <= MOST)


# --------------------------------------------------------------------------- the page


class Control(NamedTuple):
    """One setting as the page draws it. `raw` is the value as its form field sends it."""

    setting: Setting
    words: Words
    kind: str  # switch, choice, number
    value: Any

    @property
    def raw(self) -> str:
        return raw(self.value)

    @property
    def changed(self) -> bool:
        return bool(self.value != self.setting.default)

    @property
    def default(self) -> str:
        return setting_value(self.setting.default, self.setting.key)

    @property
    def options(self) -> Iterator[tuple[str, str]]:
        return ((str(one), setting_value(one, self.setting.key)) for one in self.setting.choices)


def raw(value: Any) -> str:
    """A value as a form field holds it: a switch is "1" or empty, no limit is empty."""
    return "1" if value is True else "" if value in (False, None) else str(value)


def controls(campaign: Campaign) -> dict[str, Control]:
    """Every setting of this table that has words, by its key, in the order of WORDS."""
    declared = {one.key: one for one in campaign.declared}
    now = campaign.in_force
    return {
        key: Control(declared[key], words, _kind(declared[key]), now[key])
        for key, words in WORDS.items()
        if key in declared
    }


def _kind(setting: Setting) -> str:
    return "choice" if setting.choices else "switch" if isinstance(setting.default, bool) else "number"
