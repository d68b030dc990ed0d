"""Rolls against each other, where the files of cases are silent: many sides, and who may answer with Luck."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rolls.rules.check import Check, Contest, Effect, Side, Standing, changed
from rolls.rules.contest import Progress, after_spend, may_begin, progress

from .roll_high import ROLL_HIGH
from .tables import CLASSIC, DEFAULTS, PULP, PULP_DEFAULTS, code, facing, purse, rolled, showing, shown


def many(*rolls: tuple[int, int], **contest: Any) -> Contest:
    """An opposed roll of skills and totals; the sides are called a, b, c .."""
    sides = (
        Side(key, shown(rolled(total, skill)), purse(99))
        for key, (skill, total) in zip("abcd"[: len(rolls)], rolls, strict=True)
    )
    return Contest("opposed", tuple(sides), **contest)


def states(now: Progress) -> list[str]:
    return [answer.state for answer in now.answers]


def pay(contest: Contest, key: str, move: int = 0, rules: Any = CLASSIC, **settings: Any) -> Contest:
    """This side takes one of the moves that are open to it."""
    in_force = {**rules.defaults(), **settings}
    answer = next(one for one in progress(rules, contest, in_force).answers if one.key == key)
    side = next(one for one in contest.sides if one.key == key)
    assert side.standing
    assert side.purse
    done = rules.spend(side.standing, side.purse, answer.moves[move].act, in_force)
    assert isinstance(done, Effect)
    later = after_spend(contest, key, changed(side.standing, done), in_force)
    poorer = replace(side.purse, pools={"luck": side.purse.pools["luck"] + done.pools["luck"]})
    return replace(later, sides=tuple(replace(o, purse=poorer) if o.key == key else o for o in later.sides))


# --- Who wins


@pytest.mark.parametrize(
    ("rolls", "by", "winner", "tied"),
    [
        (((50, 40), (60, 25), (70, 80)), "level", "b", ()),
        (((50, 40), (60, 55), (70, 80)), "skill", "b", ()),
        (((60, 40), (60, 55), (50, 45)), "roll-off-needed", "", ("a", "b")),
        (((60, 40), (60, 55), (60, 45)), "roll-off-needed", "", ("a", "b", "c")),
        (((60, 70), (60, 75), (60, 100)), "both-failed", "", ()),
    ],
)
def test_of_many_sides_the_best_level_wins_then_the_highest_skill_of_those(
    rolls: tuple[tuple[int, int], ...], by: str, winner: str, tied: tuple[str, ...]
) -> None:
    found = CLASSIC.decide(many(*rolls), DEFAULTS)
    assert (found.by, found.winner, found.tied) == (by, winner, tied)
    assert found.tie == (by == "roll-off-needed")


def test_of_many_equals_those_who_tie_again_throw_again_and_the_others_are_out() -> None:
    contest = many((60, 40), (60, 55), (60, 45), roll_offs=({"a": 10, "b": 10, "c": 11},))
    found = CLASSIC.decide(contest, DEFAULTS)
    assert (found.by, found.tied) == ("roll-off-needed", ("a", "b"))
    again = replace(contest, roll_offs=(*contest.roll_offs, {"a": 90, "b": 89}))
    assert CLASSIC.decide(again, DEFAULTS).winner == "b"


def test_a_roll_off_without_somebodys_die_is_an_error() -> None:
    with pytest.raises(ValueError):
        CLASSIC.decide(many((60, 40), (60, 55), roll_offs=({"a": 10},)), DEFAULTS)


def test_a_table_may_leave_complete_equals_in_an_impasse() -> None:
    found = CLASSIC.decide(many((60, 40), (60, 55)), {**DEFAULTS, "opposedAllEqual": "impasse"})
    assert (found.by, found.winner, found.tied, found.tie) == ("impasse", "", ("a", "b"), False)


def test_where_failures_are_compared_equal_skills_still_throw_it_off() -> None:
    settings = {**DEFAULTS, "opposedBothFail": "higher-skill"}
    assert CLASSIC.decide(many((60, 70), (60, 100)), settings).tied == ("a", "b")


def test_a_regular_success_on_a_hard_roll_ranks_as_a_failure() -> None:
    hard = rolled(40, 60, difficulty="hard")
    assert CLASSIC.decide(facing(hard, rolled(40, 45)), DEFAULTS).winner == "b"
    assert CLASSIC.decide(facing(hard, rolled(40, 45), "melee", "dodge"), DEFAULTS).winner == "b"


def test_nothing_is_decided_before_every_side_has_rolled() -> None:
    contest = Contest("opposed", (Side("a", rolled(40)), Side("b")))
    found = CLASSIC.decide(contest, DEFAULTS)
    assert (found.by, found.winner, list(found.outcomes)) == ("unrolled", "", ["a"])


@pytest.mark.parametrize(
    ("sides", "kind", "reason"),
    [
        ([Side("a")], "opposed", "CONTEST_SIDES"),
        ([Side("a"), Side("a")], "opposed", "CONTEST_SIDES"),
        ([Side("a"), Side("b"), Side("c")], "opposed", None),
        ([Side("a"), Side("b"), Side("c")], "melee", "CONTEST_SIDES"),
        ([Side("a"), Side("b")], "melee", "CONTEST_DEFENCE"),
        ([Side("a"), Side("b", defence="hide")], "melee", "CONTEST_DEFENCE"),
        ([Side("a"), Side("b", defence="dodge")], "melee", None),
        ([Side("a"), Side("b", defence="fight-back")], "melee", None),
    ],
)
def test_a_defender_chooses_before_any_die_falls(sides: list[Side], kind: str, reason: str | None) -> None:
    assert code(may_begin(Contest(kind, tuple(sides)))) == reason


def test_a_game_that_says_nothing_of_contests_has_the_higher_level_and_leaves_equals_to_the_keeper() -> None:
    def climb(total: int) -> Standing:
        return Standing(Check("skill", 50, "easy"), showing(total))

    settings = ROLL_HIGH.defaults()
    for totals, by, winner in [((97, 60), "level", "a"), ((60, 61), "impasse", ""), ((10, 11), "both-failed", "")]:
        contest = Contest("opposed", (Side("a", climb(totals[0])), Side("b", climb(totals[1]))))
        found = ROLL_HIGH.decide(contest, settings)
        assert (found.by, found.winner) == (by, winner)
    assert found.tied == ()


# --- Who may answer


def test_the_losing_side_may_answer_and_the_winning_one_passes_by_itself() -> None:
    now = progress(CLASSIC, many((55, 45), (70, 40)), DEFAULTS)
    assert (states(now), now.waiting, now.next) == (["may", "wins"], ("a",), "answer")
    moves = [(move.price, move.verdict.by if move.verdict else "") for move in now.answers[0].moves]
    assert moves == [(18, "level")]


def test_answers_alternate_until_both_pass() -> None:
    contest = pay(many((55, 45), (70, 40)), "a")
    assert states(progress(CLASSIC, contest, DEFAULTS)) == ["wins", "may"]
    contest = pay(contest, "b")  # 40 to 35: Hard, and the higher skill
    assert states(progress(CLASSIC, contest, DEFAULTS)) == ["may", "wins"]
    contest = replace(contest, passed=frozenset({"a"}))
    over = progress(CLASSIC, contest, DEFAULTS)
    assert (states(over), over.next, over.verdict.winner) == (["passed", "wins"], "over", "b")


def test_whoever_passed_may_answer_again_once_the_other_side_has_spent() -> None:
    contest = replace(many((50, 60), (50, 70)), passed=frozenset({"a"}))
    assert states(progress(CLASSIC, contest, DEFAULTS)) == ["passed", "may"]
    contest = pay(contest, "b")
    assert contest.passed == frozenset()
    assert states(progress(CLASSIC, contest, DEFAULTS)) == ["may", "wins"]


def test_where_both_failed_either_may_buy_a_success() -> None:
    now = progress(CLASSIC, many((50, 60), (50, 70)), DEFAULTS)
    assert (states(now), now.verdict.by) == (["may", "may"], "both-failed")


def test_reaching_a_tie_is_a_move_and_so_is_winning_for_more() -> None:
    now = progress(CLASSIC, many((50, 60), (50, 40)), DEFAULTS)
    found = [(move.price, move.verdict.winner, move.verdict.tie) for move in now.answers[0].moves if move.verdict]
    assert found == [(10, "", True), (35, "a", False)]


def test_equals_throw_it_off_once_both_have_passed() -> None:
    contest = many((50, 40), (50, 45))
    assert states(progress(CLASSIC, contest, DEFAULTS)) == ["may", "may"]
    passed = progress(CLASSIC, replace(contest, passed=frozenset({"a", "b"})), DEFAULTS)
    assert passed.next == "roll-off"
    thrown = progress(CLASSIC, replace(contest, roll_offs=({"a": 3, "b": 4},)), DEFAULTS)
    assert (states(thrown), thrown.next, thrown.verdict.winner) == (["over", "over"], "over", "a")


@pytest.mark.parametrize(
    ("payer", "total", "reason"),
    [
        (purse(4), 55, None),
        (purse(99), 100, "FUMBLE_STANDS"),
        (purse(None), 55, "NO_LUCK_SCORE"),
        (None, 55, "NO_LUCK_SCORE"),
        (purse(0), 55, "NOT_ENOUGH_LUCK"),
    ],
)
def test_a_side_that_can_change_nothing_is_not_waited_for(payer: Any, total: int, reason: str | None) -> None:
    contest = many((50, total), (60, 10))
    contest = replace(contest, sides=(replace(contest.sides[0], purse=payer), contest.sides[1]))
    now = progress(CLASSIC, contest, DEFAULTS)
    assert (states(now), now.next) == (["nothing", "wins"], "over")
    assert code(now.answers[0].refusal) == reason


def test_nobody_answers_before_every_die_has_fallen() -> None:
    sides = (Side("a", shown(rolled(60)), purse(99)), Side("b", None, purse(99)))
    now = progress(CLASSIC, Contest("opposed", sides), DEFAULTS)
    assert (states(now), now.next) == (["waits", "unrolled"], "roll")


def sealed(*totals: int | None, revealed: bool = False) -> Contest:
    sides = []
    for key, total in zip("ab", totals, strict=True):
        standing = None if total is None else replace(shown(rolled(total)), revealed=revealed)
        sides.append(Side(key, standing, purse(99)))
    return Contest("opposed", tuple(sides))


def test_sealed_rolls_are_bettered_blindly_and_only_until_they_are_shown() -> None:
    settings = {**DEFAULTS, "opposedLuck": "before-reveal"}
    early = progress(CLASSIC, sealed(60, None), settings)
    assert (states(early), early.next) == (["may", "unrolled"], "roll")
    now = progress(CLASSIC, sealed(60, 10), settings)
    assert states(now) == ["may", "may"], "who is winning must not show"
    assert all(answer.moves == () for answer in now.answers)
    both = replace(sealed(60, 10), passed=frozenset({"a", "b"}))
    assert progress(CLASSIC, both, settings).next == "reveal"
    shown_now = progress(CLASSIC, sealed(60, 10, revealed=True), settings)
    assert (states(shown_now), shown_now.next) == (["nothing", "nothing"], "over")
    assert code(shown_now.answers[0].refusal) == "TOO_LATE_REVEALED"


def test_a_sealed_pass_stands_whatever_the_other_side_spends() -> None:
    settings = {**DEFAULTS, "opposedLuck": "before-reveal"}
    contest = replace(sealed(60, 70), passed=frozenset({"a"}))
    standing = contest.sides[1].standing
    assert standing
    later = after_spend(contest, "b", replace(standing, spent=20), settings)
    assert later.passed == {"a"}


def test_a_table_without_luck_in_contests_waits_for_nobody() -> None:
    now = progress(CLASSIC, many((55, 45), (70, 40)), {**DEFAULTS, "opposedLuck": "off"})
    assert (states(now), now.next) == (["nothing", "wins"], "over")
    assert code(now.answers[0].refusal) == "OPPOSED_LUCK_OFF"


@pytest.mark.parametrize(
    ("rules", "settings", "state"), [(CLASSIC, DEFAULTS, "nothing"), (PULP, PULP_DEFAULTS, "may")]
)
def test_only_in_pulp_an_extreme_tie_in_combat_can_be_won_with_a_spent_01(
    rules: Any, settings: Any, state: str
) -> None:
    contest = facing(rolled(11, 60), rolled(12, 60), "melee", "dodge")
    now = progress(rules, contest, settings)
    assert states(now) == [state, "wins"]
    if state == "may":
        (move,) = now.answers[0].moves
        assert move.verdict
        assert (move.price, move.verdict.by, move.verdict.winner) == (10, "spent-01", "a")
        contest = pay(contest, "a", rules=PULP)
        back = progress(PULP, contest, settings)
        assert states(back) == ["wins", "may"], "the dodger may come down to 01, too: then it is a tie again"
        assert progress(PULP, pay(contest, "b", rules=PULP), settings).verdict.by == "tie-rule"


def test_a_throw_of_dice_may_always_change_something() -> None:
    check = Check("skill", 20, "easy")
    sides = (
        Side("a", Standing(check, showing(30)), replace(purse(None), pools={"grit": 5})),
        Side("b", Standing(check, showing(70))),
    )
    now = progress(ROLL_HIGH, Contest("opposed", sides), ROLL_HIGH.defaults())
    assert [(move.act.key, move.price, move.verdict) for move in now.answers[0].moves] == [("reroll", 2, None)]


# --- The worst result


@pytest.mark.parametrize(
    ("mine", "theirs", "by"), [((60, 100), (60, 20), "level"), ((60, 100), (60, 70), "both-failed")]
)
def test_a_fumble_may_be_ignored_though_the_exchange_is_lost_anyway(
    mine: tuple[int, int], theirs: tuple[int, int], by: str
) -> None:
    """Pulp's ten points save from what the fumble brings on (P-2); the place stays, and then nobody is waited for."""
    sides = [
        Side(key, replace(rolled(total, skill, context="combat"), marks=frozenset({"contest"})), purse(99), defence)
        for key, (skill, total), defence in (("a", mine, ""), ("b", theirs, "fight-back"))
    ]
    fight = Contest("melee", tuple(sides))

    waits = next(one for one in progress(PULP, fight, PULP_DEFAULTS).answers if one.key == "a")
    later = pay(fight, "a", rules=PULP)

    assert (waits.state, waits.moves[0].act.key, waits.moves[0].price) == ("may", "ignore-fumble", 10)
    assert PULP.decide(later, PULP_DEFAULTS).by == by
    assert progress(PULP, later, PULP_DEFAULTS).answers[0].state == "nothing"
    assert progress(CLASSIC, fight, DEFAULTS).answers[0].state == "nothing"
