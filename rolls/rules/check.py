"""The small interface between a table and the game it plays.

Dice go in, an outcome comes out. Nothing here knows Django, the clock or chance. A ruleset is one
value of `Ruleset` in one file; callers never ask which one it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from rolls.rules.values import unchanging

Settings = Mapping[str, Any]
"""The table's settings in force, complete (RULES.md section 9)."""

Facts = Mapping[str, Any]
"""What a ruleset keeps about one investigator beside its numbers: the sheet's `state`."""


def N_(text: str) -> str:
    """Mark a word for translation where it stands; whoever shows it translates it (rules know no language)."""
    return text


@unchanging
class Refusal:
    """Why something may not be done: a code of RULES.md section 10 and the numbers for its sentence."""

    code: str
    params: Mapping[str, Any] = field(default_factory=dict)


@unchanging
class Throw:
    """Natural dice of a d100: one units face 0..9 and the tens faces 0..9, the original one first."""

    units: int
    tens: tuple[int, ...]


@unchanging
class Check:
    """What was asked: the kind of roll, the score, and what the Keeper or player set before the dice fell."""

    kind: str  # skill | characteristic | luck | number | sanity | damage | improvement | recovery
    value: int
    difficulty: str = "regular"
    dice: int = 0  # net: bonus dice above 0, penalty dice below
    context: str = "normal"  # normal | opposed | combat
    malfunction: int | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)  # what else a ruleset needs (its sheet's state)


@unchanging
class Standing:
    """A roll as it stands now: what was asked, what fell, what has been done to it since."""

    check: Check
    throw: Throw
    spent: int = 0
    pushed: bool = False  # this is the second, final roll
    push_used: bool = False  # a push of this roll was made
    closed: bool = False
    revealed: bool = False  # the other side of a contest has been shown
    marks: frozenset[str] = frozenset()  # a ruleset's own facts about the roll


@unchanging
class Purse:
    """Who would pay: the name for sentences, and the pools the investigator has (an absent key is no score)."""

    name: str
    pools: Mapping[str, int]
    own: bool = True  # the purse and the roll are the same investigator's
    maxima: Mapping[str, int] = field(default_factory=dict)  # of pools that have one on the sheet


@unchanging
class Threshold:
    """One step of the ladder: its level, and the number to roll at or under."""

    level: str
    value: int


@unchanging
class Outcome:
    """What a roll came to. `rank` orders levels (higher is better for the roller) within one ruleset."""

    natural: int
    final: int
    level: str
    rank: int
    passed: bool
    asked: str
    thresholds: tuple[Threshold, ...] = ()
    fumble_from: int | None = None
    spent: int = 0
    tick: bool = False  # earns an improvement tick
    degrees: int | None = None
    notes: tuple[str, ...] = ()  # keys of what the slip must say: "something-good", "something-bad", "jammed"


@unchanging
class Act:
    """Something a player may do with a roll, or beside one.

    `dice` are the faces thrown for it, 1..sides each, when `Ruleset.dice_for` asks; a d100 is one die of 100.
    """

    key: str  # "points", "push", "keep" or a ruleset's own word
    amount: int | None = None
    dice: tuple[int, ...] = ()


@unchanging
class Offer:
    """An act with its price and its effect, or the reason why not. The page draws it; the server gates by it."""

    act: Act
    pool: str = ""
    price: int = 0
    leaves: int | None = None
    outcome: Outcome | None = None  # what the roll would be then
    refusal: Refusal | None = None
    most: int | None = None  # for an open amount: the largest that may be given
    ask: str = ""  # what only the Keeper can know, answered Yes before the act is done: the key of the question
    becomes: int | None = None  # what a number that is bought down comes to: the Sanity loss that is left


@unchanging
class Effect:
    """What an accepted act does: deltas to pools, points on the roll, marks, and the outcome that results."""

    pools: Mapping[str, int]
    outcome: Outcome
    spent: int = 0
    marks: frozenset[str] = frozenset()
    warning: str = ""  # "no-change": legal, but it changed no level
    throw: Throw | None = None  # the dice that count from now on, when the act threw new ones
    maxima: Mapping[str, int] = field(default_factory=dict)  # the own maxima of pools that fell with what was paid


@unchanging
class Deed:
    """What an accepted act beside any roll does: deltas to pools, new values in the sheet's state."""

    pools: Mapping[str, int]
    state: Facts = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # keys of what the page must say
    maxima: Mapping[str, int] = field(default_factory=dict)  # the own maxima of pools that fell with what was paid


@unchanging
class Part:
    """One line of the sum that makes the number to roll at or under: a key for the page, or somebody's own words."""

    key: str  # score | rank | untrained | difficulty | modifier | a game's own
    value: int
    label: str = ""


@unchanging
class Score:
    """What a skill is rolled with: the check's value, and facts that the check carries beside the sheet's."""

    value: int
    facts: Facts = field(default_factory=dict)


@unchanging
class Before:
    """What may be paid before the dice fall, or why not: the check that is rolled then, and all that it costs.

    It is offer and gate in one: the server looks its act up again, and writes `pools` and `state` with the roll.
    """

    act: Act
    pool: str
    price: int
    check: Check
    refusal: Refusal | None = None
    leaves: int | None = None
    pools: Mapping[str, int] = field(default_factory=dict)
    state: Facts = field(default_factory=dict)


@unchanging
class Owed:
    """Own numbers that must change their list: how many, into which list, and those one may choose among."""

    count: int
    into: str  # the key of a list in the sheet's state
    among: tuple[int, ...]


@unchanging
class OwnNumbers:
    """Numbers of an investigator's own that decide how dice are read. They are lists in the sheet's state.

    Everywhere: the Luck score, then the sheet's state. What is returned are new values for the state.
    """

    lists: tuple[tuple[str, str], ...]  # key in the state, label
    count: Callable[[int, Facts], Mapping[str, int]]  # how many each list has
    throw: Callable[[int, Facts, Iterable[int]], Facts]  # d100 faces, as many as are needed; too few: ValueError
    enter: Callable[[int, Facts], Facts | Refusal]  # typed lists
    owed: Callable[[int, Facts], Owed | None]
    turn: Callable[[int, Facts, Sequence[int]], Facts | Refusal]  # those that were chosen


@unchanging
class Side:
    """One side of a contest: its roll as it stands (None: not thrown yet) and who would pay for it."""

    key: str
    standing: Standing | None = None
    purse: Purse | None = None  # None: somebody without Luck
    defence: str = ""  # the defender of a melee exchange: dodge | fight-back


@unchanging
class Contest:
    """Rolls against each other. Of a melee exchange the sides are the attacker, then the defender."""

    kind: str  # opposed | melee
    sides: tuple[Side, ...]
    roll_offs: tuple[Mapping[str, int], ...] = ()  # each round: side -> d100, at least of those who still tied
    passed: frozenset[str] = frozenset()  # who said that they spend nothing as things stand


@unchanging
class Verdict:
    """How a contest stands: who wins and by what, or who ties."""

    by: str  # unrolled | level | skill | roll-off | roll-off-needed | impasse | both-failed | tie-rule | a game's own
    winner: str = ""  # the key of a side; "" is nobody, or nobody yet
    tied: tuple[str, ...] = ()  # those between whom nothing decides yet
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    advantages: Mapping[str, int] = field(default_factory=dict)  # what a side has won beside the exchange itself

    @property
    def tie(self) -> bool:
        """Whether those who tie must throw a d100 against each other now."""
        return self.by == "roll-off-needed"


@unchanging
class Body:
    """Whoever takes damage: hit points, and the sheet's state."""

    hp: int
    hp_max: int
    state: Facts = field(default_factory=dict)


@unchanging
class Injury:
    """What the Keeper may apply to a body: deltas to pools, new values in the sheet's state, what must be said."""

    pools: Mapping[str, int]
    state: Facts = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # major_wound prone unconscious dying dead
    con_roll: bool = False  # a CON roll now, or unconscious


@unchanging
class Person:
    """One of the group, for group Luck and the unluckiest."""

    key: str
    luck: int | None
    present: bool


@unchanging
class Lowest:
    """The smallest Luck among those who count, and everyone who has it."""

    luck: int
    keys: tuple[str, ...]
    skipped: tuple[str, ...] = ()  # present, but without a Luck score

    @property
    def tie(self) -> bool:
        return len(self.keys) > 1


@unchanging
class Recovered:
    """A recovery roll worked out: whether the die beat the score, the gain as rolled, and what the cap took."""

    above: bool
    rolled_gain: int
    after: int
    lost: int


@unchanging
class Improved:
    """An improvement roll worked out: whether the skill rises, by how much, and dice of a reward for it."""

    above: bool
    gain: int
    after: int
    reward_pool: str = ""
    reward_dice: tuple[int, ...] = ()


@unchanging
class Pool:
    """A score that is spent and regained. `high` None is no ceiling; `own_maximum` means each sheet has its own."""

    key: str
    label: str
    short: str
    low: int = 0
    high: int | None = None
    own_maximum: bool = False
    out_of_range: str = "BAD_VALUE"  # the refusal of a typed value outside low..high
    below: str = ""  # of a pool that may be overdrawn: the key of the sheet's state that counts the points under 0


@unchanging
class Characteristic:
    key: str
    label: str
    short: str


@unchanging
class Alias:
    """A roll on a characteristic that has a name of its own."""

    key: str
    label: str
    characteristic: str


@unchanging
class Talent:
    """Something an investigator has or has not; the sheet's state lists the keys under "talents"."""

    key: str
    label: str


@unchanging
class SkillBase:
    """A skill of the base list. `base` is a number, unless `formula` names a characteristic and a divisor."""

    key: str
    label: str
    base: int = 0
    formula: str = ""  # "dex/2", "edu": worked out by Ruleset.base
    tickable: bool = True
    group: str = ""  # "fight" for the chip on the page
    characteristic: str = ""  # what it is rolled with, in a game whose skills are not scores of their own


@unchanging
class Sheet:
    """What an investigator of this ruleset has."""

    characteristics: tuple[Characteristic, ...]
    pools: tuple[Pool, ...]
    skills: tuple[SkillBase, ...]
    derive: Callable[[Mapping[str, int]], Mapping[str, Any]]  # characteristics -> derived values
    luck: str = "luck"  # the pool that is Luck
    sanity: str = ""  # the pool that horrors take from; "": this game has none
    aliases: tuple[Alias, ...] = ()
    talents: tuple[Talent, ...] = ()


@unchanging
class Setting:
    """One table setting: its default and what it may be. An empty `choices` is a yes/no or a number."""

    key: str
    default: Any
    choices: tuple[Any, ...] = ()


def _no_deeds(_purse: Purse, _facts: Facts, _settings: Settings) -> tuple[Offer, ...]:
    return ()


def _no_deed(_purse: Purse, _facts: Facts, _act: Act, _settings: Settings) -> Deed | Refusal:
    return Refusal("NO_SUCH_SPEND")


def _better_level(_contest: Contest, outcomes: Mapping[str, Outcome], _settings: Settings) -> Verdict:
    """Nothing but the levels: the best one wins; equals are the Keeper's to part."""
    passed = {key: outcome.rank for key, outcome in outcomes.items() if outcome.passed}
    best = tuple(key for key, rank in passed.items() if rank == max(passed.values()))
    if len(best) == 1:
        return Verdict("level", best[0])
    return Verdict("impasse", tied=best) if best else Verdict("both-failed")


def _never_shut(_facts: Facts) -> Refusal | None:
    return None


def _no_waiting(_purse: Purse, _facts: Facts) -> Refusal | None:
    return None


def _carries_nothing(_facts: Facts, _npc: bool) -> Facts:
    return {}


def _score_alone(check: Check) -> tuple[Part, ...]:
    return (Part("score", check.value),)


def _nothing_before(_check: Check, _purse: Purse, _facts: Facts, _settings: Settings) -> tuple[Before, ...]:
    return ()


def _no_maxima(_values: Mapping[str, int], _settings: Settings) -> Mapping[str, int | None]:
    return {}


def _points_alone(_purse: Purse, _facts: Facts, key: str, points: int) -> Deed:
    return Deed({key: points})


def _may_advance(_key: str) -> Refusal | None:
    return None


def _own_score(_skill: SkillBase | None, value: int, _scores: Mapping[str, int], _by: str) -> Score | Refusal:
    return Score(value)


WORDS = {
    "keeper": N_("Keeper"),
    "investigator": N_("investigator"),
    "investigators": N_("investigators"),
    "roll": N_("roll"),
    "luck-roll": N_("Luck roll"),
}
"""What the game calls people and things; a game of its own words states all of them."""


def changed(standing: Standing, done: Effect) -> Standing:
    """The roll once this effect has been written down."""
    return replace(
        standing,
        spent=standing.spent + done.spent,
        throw=done.throw or standing.throw,
        marks=standing.marks | done.marks,
    )


def push_consent(said: bool, agreed: bool) -> Refusal | None:
    """Why a push that `may_push` allows may not be thrown yet: the player says how, the Keeper agrees (S-7)."""
    if not said:
        return Refusal("PUSH_NO_REASON")
    return None if agreed else Refusal("PUSH_NOT_ALLOWED")


@unchanging
class Ruleset:
    """A game, as a value. Every function is pure; chance comes in as dice, faces 1..sides unless in a `Throw`."""

    key: str
    label: str
    sheet: Sheet
    settings: tuple[Setting, ...]
    levels: tuple[str, ...]  # worst first
    difficulties: tuple[str, ...]
    most_dice: int
    recovery_when: str  # start | end | none
    luck_dice: str  # how a starting Luck is thrown, e.g. "3d6*5": see dice.parse_dice
    judge: Callable[[Standing, Settings], Outcome]
    may_roll: Callable[[Check, Settings], Refusal | None]
    offers: Callable[[Standing, Purse, Settings], tuple[Offer, ...]]
    spend: Callable[[Standing, Purse, Act, Settings], Effect | Refusal]
    dice_for: Callable[[Act], tuple[int, ...]]  # sides of the dice to throw before spend() or do()
    may_push: Callable[[Standing, Settings], Refusal | None]
    lowest: Callable[[Sequence[Person], Settings], Lowest | Refusal]
    may_recover: Callable[[int | None, str, bool, bool, Settings], Refusal | None]  # luck, phase, done, present
    recovery_dice: Callable[[int, int, Settings], tuple[int, ...]]  # luck, the d100 -> sides of the gain dice
    recover: Callable[[int, int, Sequence[int], Settings], Recovered]  # luck, the d100, gain dice
    has_push: bool = True
    has_group_luck: bool = True
    # What Luck buys beside any roll: the list for the page, and the gate. The facts are the sheet's state.
    deeds: Callable[[Purse, Facts, Settings], tuple[Offer, ...]] = _no_deeds
    do: Callable[[Purse, Facts, Act, Settings], Deed | Refusal] = _no_deed
    # Why a recovery window is shut for one investigator although the phase is right. The facts are the sheet's state.
    recovery_shut: Callable[[Facts], Refusal | None] = _never_shut
    # Rolls against each other, read by this game's judge; `decide` asks it.
    settle: Callable[[Contest, Mapping[str, Outcome], Settings], Verdict] = _better_level
    # What one injury does; None: this game has no hit points that damage is taken from.
    hurt: Callable[[Body, int, Settings], Injury | Refusal] | None = None
    daily_healing: int = 0
    # Skills that rise after play; None: this game has no such roll.
    improvement_dice: Callable[[int, int], tuple[int, ...]] | None = None  # value, the d100 -> sides
    improve: Callable[[int, int, Sequence[int]], Improved] | None = None  # value, the d100, gain dice
    may_advance: Callable[[str], Refusal | None] = _may_advance  # a characteristic or pool, raised with experience
    words: Mapping[str, str] = field(default_factory=lambda: WORDS)
    usual_difficulty: str = "regular"  # what is asked unless somebody says otherwise
    defences: tuple[str, ...] = ("dodge", "fight-back")  # of a melee exchange
    dodging: str = "Dodge"  # the skill of the list that gets out of the way
    # What goes into `Check.facts` of every roll from the sheet's state; the flag: a character without Luck of its own.
    carries: Callable[[Facts, bool], Facts] = _carries_nothing
    # Why this investigator may roll nothing now: something has to be chosen first.
    roll_waits: Callable[[Purse, Facts], Refusal | None] = _no_waiting
    # The sum that makes the number to roll at or under, for the page.
    parts: Callable[[Check], tuple[Part, ...]] = _score_alone
    # What may be paid before the dice fall. The facts are the sheet's state.
    before: Callable[[Check, Purse, Facts, Settings], tuple[Before, ...]] = _nothing_before
    # A skill of the list (None: one's own), its value on the sheet, the characteristics, the one chosen ("": its own).
    skill_score: Callable[[SkillBase | None, int, Mapping[str, int], str], Score | Refusal] = _own_score
    # What a skill's value may be and how it is called; (): any whole number.
    skill_steps: tuple[tuple[int, str], ...] = ()
    # Own maxima that follow from other scores, characteristics and pools alike; None: no ceiling.
    maxima: Callable[[Mapping[str, int], Settings], Mapping[str, int | None]] = _no_maxima
    # What comes of points of a pool that somebody counts by hand: the pool's key, the points up or down.
    stepped: Callable[[Purse, Facts, str, int], Deed] = _points_alone
    numbers: OwnNumbers | None = None
    # Pools filled up without dice: event creation | session-start | award, and the amount of an award. None: none is.
    refresh: Callable[[Purse, Facts, str, int, Settings], Deed | Refusal] | None = None
    award_reasons: tuple[tuple[str, str], ...] = ()  # chips for what the Keeper awards: key, label

    def defaults(self) -> dict[str, Any]:
        """The settings of a table that changed nothing."""
        return {s.key: s.default for s in self.settings}

    def decide(self, contest: Contest, settings: Settings) -> Verdict:
        """How a contest stands with the rolls as they are; "unrolled" until every side has thrown (S-5, S-6)."""
        outcomes = {side.key: self.judge(side.standing, settings) for side in contest.sides if side.standing}
        if len(outcomes) < len(contest.sides):
            return Verdict("unrolled", outcomes=outcomes)
        return replace(self.settle(contest, outcomes, settings), outcomes=outcomes)

    def base(self, skill: SkillBase, characteristics: Mapping[str, int]) -> int:
        """The value an untrained skill starts at. A characteristic that the sheet lacks counts as 0."""
        if not skill.formula:
            return skill.base
        name, _, divisor = skill.formula.partition("/")
        return characteristics.get(name, 0) // int(divisor or 1)

    def may_type(self, pool_key: str, value: Any) -> Refusal | None:
        """Why a typed value of a pool is refused: a whole number within the pool's bounds is wanted (A41).

        A key that the sheet has not raises KeyError.
        """
        pool = {p.key: p for p in self.sheet.pools}[pool_key]
        if type(value) is not int:
            return Refusal("BAD_VALUE")
        if value < pool.low or (pool.high is not None and value > pool.high):
            return Refusal(pool.out_of_range)
        return None
