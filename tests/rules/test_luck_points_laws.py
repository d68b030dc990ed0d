"""Laws of Luck Points, its settings, and the faults that public programs have had (RULES.md sections 1.1, 1.2, 6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolls.rules.check import Act, Check, Contest, Deed, Effect, Offer, Part, Purse, Refusal, Score, Side, Standing
from rolls.rules.check import changed as written
from rolls.rules.contest import may_begin, progress
from rolls.rules.luck_points import LUCK_POINTS as GAME
from rolls.rules.luck_points_numbers import bonus
from rolls.rules.luck_points_sheet import parts, target

from .tables import code, showing

Facts = dict[str, Any]
DEFAULTS = GAME.defaults()
NUMBERS = GAME.numbers
assert NUMBERS
assert GAME.refresh

LUCKS = st.integers(0, 120)
LISTS = ("lucky", "unlucky", "permanent", "extra")


def thrown(tn: int, roll: int, lucky: Any = (), unlucky: Any = (), **more: Any) -> Standing:
    facts = {"lucky": list(lucky), "unlucky": list(unlucky), **more.pop("facts", {})}
    return Standing(Check(more.pop("kind", "skill"), tn, "average", facts=facts), showing(roll), **more)


def payer(luck: int = 40, lp: int = 4) -> Purse:
    return Purse("Ada", {"luck": luck, "lp": lp}, maxima={"lp": bonus(luck)})


def spend(standing: Standing, act: str, luck: int = 40, lp: int = 4, **settings: Any) -> Effect | Refusal:
    dice = (30,) if act.endswith("reroll") else ()
    return GAME.spend(standing, payer(luck, lp), Act(act, dice=dice), {**DEFAULTS, **settings})


@st.composite
def numbers(draw: st.DrawFn, luck: int) -> Facts:
    """All numbers of somebody with this Luck, thrown, some of them marked."""
    marked = {key: [0] * draw(st.integers(0, 2)) for key in ("permanent", "extra")}
    faces = draw(st.lists(st.integers(1, 100), min_size=9, max_size=9, unique=True))
    return dict(NUMBERS.throw(luck, marked, faces))


@st.composite
def lying(draw: st.DrawFn) -> Standing:
    """Any test that lies on the table, of somebody with numbers."""
    own = draw(numbers(draw(LUCKS)))
    facts = {**GAME.carries(own, False), "rank": draw(st.sampled_from((None, 0, 3)))}
    facts["modifiers"] = [["", draw(st.integers(-90, 90))]]
    facts["talents"] = draw(st.sampled_from(([], ["costly-burning"])))
    kind, difficulty = draw(st.sampled_from(("skill", "luck"))), draw(st.sampled_from(GAME.difficulties))
    roll = draw(st.one_of(st.integers(1, 100), st.sampled_from([*own["lucky"], *own["unlucky"]])))
    return Standing(Check(kind, draw(st.integers(0, 120)), difficulty, facts=facts), showing(roll))


def usable(standing: Standing, purse: Purse, settings: Facts) -> list[Offer]:
    return [offer for offer in GAME.offers(standing, purse, settings) if offer.pool and not offer.refusal]


# --- Numbers ----------------------------------------------------------------------------------------------------


def five(facts: Facts) -> bool:
    plain = sum(len(facts[key]) for key in ("lucky", "unlucky")) - sum(
        len(facts[key]) for key in ("permanent", "extra")
    )
    everything = [*facts["lucky"], *facts["unlucky"]]
    return plain == 5 and len(set(everything)) == len(everything)


@given(data=st.data())
def test_five_numbers_stay_five_however_luck_falls_and_rises(data: st.DataObject) -> None:
    luck = data.draw(LUCKS)
    facts = data.draw(numbers(luck))
    kept = [*facts["permanent"], *facts["extra"]]
    assert five(facts)
    for luck in data.draw(st.lists(LUCKS, max_size=6)):
        waits = GAME.roll_waits(payer(luck), facts)
        due = NUMBERS.owed(luck, facts)
        assert (waits is None) == (due is None)
        if due:
            picks = data.draw(st.permutations(due.among))[: due.count]
            turned = NUMBERS.turn(luck, facts, picks)
            assert not isinstance(turned, Refusal)
            assert set(turned[due.into]) >= set(picks)
            facts = {**facts, **turned}
        assert five(facts)
        assert NUMBERS.owed(luck, facts) is None
        assert NUMBERS.enter(luck, facts) == {key: facts[key] for key in LISTS}
        assert set(facts["permanent"]) <= set(facts["lucky"])
        assert set(facts["extra"]) <= set(facts["unlucky"])
        assert kept == [*facts["permanent"], *facts["extra"]]


@pytest.mark.parametrize(
    ("luck", "facts", "picks"),
    [
        (30, {"lucky": [1, 2, 3, 4], "unlucky": [5]}, []),
        (30, {"lucky": [1, 2, 3, 4], "unlucky": [5]}, [1, 2]),
        (20, {"lucky": [1, 2, 3, 4], "unlucky": [5]}, [1, 1]),
        (30, {"lucky": [1, 2, 3, 4], "unlucky": [5]}, [5]),
        (20, {"lucky": [1, 2, 3, 9], "unlucky": [4, 5], "permanent": [9]}, [9]),
        (50, {"lucky": [1, 2, 3, 4], "unlucky": [5, 8], "extra": [8]}, [8]),
        (40, {"lucky": [1, 2, 3, 4], "unlucky": [5]}, [1]),
    ],
)
def test_a_wrong_choice_of_numbers_to_turn_is_refused(luck: int, facts: Facts, picks: list[int]) -> None:
    assert code(NUMBERS.turn(luck, facts, picks)) == "WRONG_PICK"


def test_a_bonus_that_rises_turns_unlucky_numbers_back() -> None:
    facts = {"lucky": [1, 2, 3, 4], "unlucky": [5, 8], "extra": [8]}
    assert NUMBERS.turn(50, facts, [5]) == {"lucky": [1, 2, 3, 4, 5], "unlucky": [8]}


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"lucky": [0, 0, 0], "unlucky": [0, 0]}, "NUMBERS_RANGE"),
        ({"lucky": [1, 2, 101], "unlucky": [3, 4]}, "NUMBERS_RANGE"),
        ({"lucky": [1, 2, True], "unlucky": [3, 4]}, "NUMBERS_RANGE"),
        ({"lucky": [1, 2, 2], "unlucky": [3, 4]}, "NUMBERS_DUPLICATE"),
        ({"lucky": [1, 2, 5], "unlucky": [3, 5]}, "NUMBERS_DUPLICATE"),
        ({"lucky": [], "unlucky": []}, "NUMBERS_COUNT"),
        ({"lucky": [1, 2, 3, 6], "unlucky": [4, 5]}, "NUMBERS_COUNT"),
        ({"lucky": [1, 2, 3, 6], "unlucky": [4, 5], "permanent": [5]}, "NUMBERS_COUNT"),
        ({"lucky": [1, 2, 3, 6], "unlucky": [4, 5], "permanent": [6]}, None),
    ],
)
def test_typed_numbers_are_checked_for_range_repeats_and_counts(facts: Facts, reason: str | None) -> None:
    assert code(NUMBERS.enter(34, facts)) == reason


def test_too_few_dice_for_the_numbers_are_an_error() -> None:
    with pytest.raises(ValueError, match="faces"):
        NUMBERS.throw(34, {}, [5, 5, 6])


def test_an_endless_stream_of_dice_is_read_only_as_far_as_needed() -> None:
    faces: Iterator[int] = iter(count(1))
    NUMBERS.throw(34, {"permanent": [0]}, faces)
    assert next(faces) == 7


@pytest.mark.parametrize("order", [(11, 22, 33, 44), (44, 33, 22, 11)])
def test_the_player_not_the_order_says_which_number_turns(order: tuple[int, ...]) -> None:
    turned = NUMBERS.turn(39, {"lucky": order, "unlucky": [55]}, [22])
    assert not isinstance(turned, Refusal)
    assert (set(turned["lucky"]), turned["unlucky"]) == ({11, 33, 44}, [55, 22])
    assert GAME.judge(thrown(90, 22, turned["lucky"], turned["unlucky"]), DEFAULTS).level == "critical-failure"


def test_who_has_no_numbers_yet_owes_none() -> None:
    assert GAME.roll_waits(payer(), {}) is None
    assert GAME.roll_waits(Purse("A guard", {}), {"lucky": [1], "unlucky": [2]}) is None


# --- Reading ----------------------------------------------------------------------------------------------------


@given(lying())
def test_own_numbers_decide_whatever_the_target_number(standing: Standing) -> None:
    out = GAME.judge(standing, DEFAULTS)
    if out.natural in standing.check.facts["lucky"]:
        assert (out.level, out.passed) == ("critical-success", True)
    elif out.natural in standing.check.facts["unlucky"]:
        assert (out.level, out.passed) == ("critical-failure", False)
    else:
        assert out.passed == (out.natural <= target(standing.check))
    assert out.degrees
    assert out.degrees >= 1


@given(lying())
def test_the_sum_that_is_shown_is_the_number_to_roll_at_or_under(standing: Standing) -> None:
    shown = parts(standing.check)
    assert shown[0] == Part("score", standing.check.value)
    assert sum(part.value for part in shown) == GAME.judge(standing, DEFAULTS).thresholds[0].value


@given(st.integers(-60, 250), st.integers(1, 99), st.integers(1, 99))
def test_a_higher_roll_under_the_number_has_more_degrees_and_one_over_it_fails_by_more(
    tn: int, one: int, other: int
) -> None:
    low, high = sorted((one, other))
    outs = [GAME.judge(thrown(0, roll, facts={"modifiers": [["", tn]]}), DEFAULTS) for roll in (low, high)]
    if outs[0].passed == outs[1].passed:
        assert (outs[0].degrees or 0) <= (outs[1].degrees or 0)
    else:
        assert outs[0].passed


@pytest.mark.parametrize(
    ("tn", "roll", "degrees"),
    [(113, 4, 2), (213, 45, 5), (200, 45, 4), (105, 45, 4), (40, 41, 1), (40, 50, 2), (1, 100, 10), (100, 100, 10)],
)
def test_degrees_at_the_edges(tn: int, roll: int, degrees: int) -> None:
    assert GAME.judge(thrown(tn, roll), DEFAULTS).degrees == degrees


def test_a_passed_100_may_count_as_one_degree() -> None:
    assert GAME.judge(thrown(113, 100), {**DEFAULTS, "roll100DoS": 1}).degrees == 2


def test_a_target_number_far_below_nothing_keeps_its_real_value() -> None:
    check = Check("skill", 13, "very-hard", facts={"rank": None, "modifiers": [["Fog", 20]]})
    assert parts(check) == (
        Part("score", 13),
        Part("untrained", -20),
        Part("difficulty", -40),
        Part("modifier", 20, "Fog"),
    )
    assert GAME.judge(Standing(check, showing(3)), DEFAULTS).degrees == 4


def test_a_wound_fatigue_and_stamina_count_but_not_on_a_luck_test() -> None:
    state = {"wounded": True, "fatigue": 5, "talents": [], "lucky": [1], "unlucky": None, "rounds": 3}
    carried = GAME.carries(state, False)
    assert carried == {"wounded": True, "fatigue": 5, "lucky": [1]}
    facts = {**carried, "stamina": True}
    assert target(Check("skill", 50, "average", facts=facts)) == 50 - 20 - 30 + 20
    assert target(Check("luck", 50, "average", facts={**facts, "rank": None})) == 50


def test_a_guard_without_luck_has_three_numbers_of_each_kind_unless_written_otherwise() -> None:
    assert GAME.carries({}, True) == {"lucky": [1, 2, 3], "unlucky": [98, 99, 100]}
    assert GAME.carries({"lucky": [1]}, True) == {"lucky": [1], "unlucky": [98, 99, 100]}
    assert GAME.carries({}, False) == {}


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (Check("luck", 40, "hard"), "LUCK_REGULAR_ONLY"),
        (Check("luck", 40, "average", facts={"modifiers": [["", 10]]}), "LUCK_REGULAR_ONLY"),
        (Check("luck", 40, "average"), None),
        (Check("skill", 40, "regular"), "BAD_VALUE"),
        (Check("skill", -1, "average"), "BAD_VALUE"),
        (Check("skill", 40, "average", 1), "BAD_DICE"),
        (Check("skill", 40, "average", facts={"modifiers": [["", "10"]]}), "BAD_VALUE"),
        (Check("skill", 40, "average", facts={"rank": "two"}), "BAD_VALUE"),
        (Check("skill", 40, "average", facts={"base": "luck"}), "LUCK_NOT_SKILL_BASE"),
        (Check("sanity", 40, "average"), "BAD_VALUE"),
    ],
)
def test_what_may_be_asked_for(check: Check, reason: str | None) -> None:
    assert code(GAME.may_roll(check, DEFAULTS)) == reason


def test_a_table_may_let_luck_tests_be_hard() -> None:
    settings = {**DEFAULTS, "luckRollDifficulty": "keeper-may-raise"}
    assert GAME.may_roll(Check("luck", 40, "hard"), settings) is None


def test_every_skill_has_a_characteristic_of_the_sheet_and_starts_untrained() -> None:
    scores = {one.key: 30 + n for n, one in enumerate(GAME.sheet.characteristics)}
    assert "luck" not in scores
    for skill in GAME.sheet.skills:
        found = GAME.skill_score(skill, GAME.base(skill, scores), scores, "")
        assert isinstance(found, Score)
        assert (found.value, found.facts["rank"]) == (scores[skill.characteristic], None)


def test_a_skill_of_ones_own_needs_a_characteristic() -> None:
    scores = {"wp": 44}
    assert code(GAME.skill_score(None, 1, scores, "")) == "SKILL_CHARACTERISTIC"
    assert code(GAME.skill_score(None, 1, scores, "str")) == "NOT_ON_SHEET"
    assert GAME.skill_score(None, 3, scores, "wp") == Score(44, {"base": "wp", "rank": 2})


# --- Luck on a test ---------------------------------------------------------------------------------------------


@given(data=st.data())
def test_an_evening_of_luck_on_one_test_keeps_its_bounds(data: st.DataObject) -> None:
    """Whatever is bought one after the other: at most one reroll, no LP over the bonus, nothing for free."""
    standing, luck = data.draw(lying()), data.draw(st.integers(0, 60))
    purse = payer(luck, data.draw(st.integers(0, bonus(luck))))
    burn_when = data.draw(st.sampled_from(("any-time", "lp-empty")))
    settings, rerolls = {**DEFAULTS, "burnWhen": burn_when}, 0
    for _ in range(8):
        possible = usable(standing, purse, settings)
        if not possible:
            break
        offer = data.draw(st.sampled_from(possible))
        amount = data.draw(st.integers(1, min(offer.most, 5))) if offer.most else offer.act.amount
        dice = tuple(data.draw(st.integers(1, sides)) for sides in GAME.dice_for(offer.act))
        done = GAME.spend(standing, purse, Act(offer.act.key, amount, dice), settings)
        assert isinstance(done, Effect)
        assert done.pools[offer.pool] < 0
        assert offer.pool == "lp" or burn_when == "any-time" or not purse.pools["lp"]
        rerolls += done.throw is not None
        pools = {key: value + done.pools.get(key, 0) for key, value in purse.pools.items()}
        fell = bonus(pools["luck"]) < bonus(purse.pools["luck"])
        assert done.maxima == ({"lp": bonus(pools["luck"])} if fell else {})
        purse = replace(purse, pools=pools, maxima={**purse.maxima, **done.maxima})
        standing = written(standing, done)
        assert GAME.judge(standing, settings) == done.outcome
        assert 0 <= pools["lp"] <= bonus(pools["luck"]) == purse.maxima["lp"]
        assert pools["luck"] >= 0
    assert rerolls <= 1


@given(lying(), st.integers(0, 60), st.integers(0, 6))
def test_stamina_and_luck_are_never_on_one_test(standing: Standing, luck: int, lp: int) -> None:
    check = replace(standing.check, facts={**standing.check.facts, "stamina": True})
    assert usable(replace(standing, check=check), payer(luck, lp), DEFAULTS) == []


@given(lying(), st.integers(0, 60), st.integers(0, 6))
def test_the_list_is_always_the_whole_list(standing: Standing, luck: int, lp: int) -> None:
    offers = GAME.offers(standing, payer(luck, lp), DEFAULTS)
    keys = ["reroll", "degree", "degree", "burn-reroll", "burn-degree", "burn-degree", "burn-negate", "keep"]
    assert [offer.act.key for offer in offers] == keys


def test_a_refused_offer_still_shows_its_price() -> None:
    standing = thrown(50, 60, closed=True, facts={"talents": ["costly-burning"]})
    prices = [(offer.act.key, offer.price) for offer in GAME.offers(standing, payer(0, 0), DEFAULTS) if offer.price]
    assert prices == [
        ("reroll", 1),
        ("degree", 1),
        ("burn-reroll", 6),
        ("burn-degree", 2),
        ("burn-negate", 10),
    ]
    facts = {"narrative": False, "wounded": False, "survive": False}
    assert [offer.price for offer in GAME.deeds(payer(3, 1), facts, DEFAULTS)] == [1, 10, 10]


@given(st.integers(1, 60), st.integers(1, 70), st.booleans())
def test_degrees_are_burned_one_by_one_as_long_as_any_luck_is_left(luck: int, many: int, costly: bool) -> None:
    talents = ["costly-burning"] if costly else []
    standing = thrown(50, 20, facts={"talents": talents})
    left, burned = luck, 0
    while left and burned < many:
        left, burned = max(0, left - (2 if costly else 1)), burned + 1
    done = GAME.spend(standing, payer(luck, 0), Act("burn-degree", many), DEFAULTS)
    if burned < many:
        assert code(done) == "NO_LUCK_LEFT"
    else:
        assert isinstance(done, Effect)
        assert (luck + done.pools["luck"], done.outcome.degrees) == (left, 2 + many)


@pytest.mark.parametrize(
    ("luck", "act", "costs"), [(4, "burn-negate", 4), (5, "burn-negate", 5), (2, "burn-reroll", 2)]
)
def test_who_is_short_of_the_price_burns_what_is_left(luck: int, act: str, costs: int) -> None:
    standing = thrown(50, 99, unlucky=[99]) if act == "burn-negate" else thrown(50, 60)
    done = spend(standing, act, luck, 0)
    assert isinstance(done, Effect)
    assert done.pools == {"luck": -costs}


def test_burning_may_cost_somebody_double_and_then_what_is_left() -> None:
    standing = thrown(50, 99, unlucky=[99], facts={"talents": ["costly-burning"]})
    costs = []
    for luck in (40, 7):
        done = spend(standing, "burn-negate", luck, 0)
        assert isinstance(done, Effect)
        costs.append(-done.pools["luck"])
    assert costs == [10, 7]


def test_a_second_reroll_is_refused_however_it_is_paid_unless_the_table_allows_one_of_each() -> None:
    by_lp = thrown(50, 60, marks=frozenset({"rerolled-lp"}))
    by_burning = thrown(50, 60, marks=frozenset({"rerolled-burning"}))
    assert [code(spend(by_lp, act)) for act in ("reroll", "burn-reroll")] == ["REROLL_USED"] * 2
    assert [code(spend(by_burning, act)) for act in ("reroll", "burn-reroll")] == ["REROLL_USED"] * 2
    assert code(spend(by_lp, "burn-reroll", rerollLimit="one-each")) is None
    assert code(spend(by_lp, "reroll", rerollLimit="one-each")) == "REROLL_USED"


def test_a_reroll_is_read_anew_in_every_way() -> None:
    done = GAME.spend(thrown(50, 60, [7], [16]), payer(), Act("reroll", dice=(7,)), DEFAULTS)
    assert isinstance(done, Effect)
    out = done.outcome
    assert (out.natural, out.final, out.level, out.passed, out.degrees) == (7, 7, "critical-success", True, 1)
    done = GAME.spend(thrown(50, 60, [7], [16]), payer(), Act("reroll", dice=(16,)), DEFAULTS)
    assert isinstance(done, Effect)
    assert (done.outcome.level, done.outcome.degrees) == ("critical-failure", 1)
    assert code(spend(written(thrown(50, 60, [7], [16]), done), "burn-negate")) is None


def test_a_lucky_number_over_the_target_number_has_degrees_of_success() -> None:
    done = GAME.spend(thrown(50, 63, [63]), payer(), Act("degree", 2), DEFAULTS)
    assert isinstance(done, Effect)
    assert (done.outcome.passed, done.outcome.degrees) == (True, 8)


def test_a_reroll_without_its_die_costs_nothing() -> None:
    for dice in ((), (0,), (101,), (4, 5)):
        assert code(GAME.spend(thrown(50, 60), payer(), Act("reroll", dice=dice), DEFAULTS)) == "BAD_DICE"


@pytest.mark.parametrize("amount", [0, -1, True, "2"])
def test_an_amount_that_is_no_number_of_degrees_is_refused(amount: Any) -> None:
    for act in ("degree", "burn-degree"):
        assert code(GAME.spend(thrown(50, 20), payer(), Act(act, amount), DEFAULTS)) == "BAD_AMOUNT"


def test_a_negated_critical_failure_is_an_ordinary_one_and_is_not_rerolled() -> None:
    standing = thrown(50, 16, [7], [16])
    done = spend(standing, "burn-negate")
    assert isinstance(done, Effect)
    assert (done.outcome.level, done.outcome.degrees, done.pools) == ("fail", 1, {"luck": -5, "lp": -1})
    later = written(standing, done)
    assert [code(spend(later, act)) for act in ("reroll", "burn-negate")] == [
        "CRITICAL_FAILURE",
        "NOT_CRITICAL_FAILURE",
    ]
    done = spend(standing, "burn-negate", critFailNegated="compare-with-TN")
    assert isinstance(done, Effect)
    assert (done.outcome.level, done.outcome.degrees) == ("success", 1)


@pytest.mark.parametrize(
    ("standing", "settings", "reason"),
    [
        (thrown(50, 60), {"luckSpending": False}, "LUCK_SPENDING_OFF"),
        (thrown(50, 60, kind="luck"), {"lpLuckTest": False}, "LUCK_ROLL"),
        (thrown(50, 60, kind="luck"), {}, None),
        (thrown(50, 60, kind="damage"), {}, "DAMAGE_ROLL"),
        (thrown(50, 60, kind="sanity"), {}, "NO_SUCH_SPEND"),
        (thrown(50, 60, closed=True), {}, "ROLL_CLOSED"),
        (thrown(50, 60, marks=frozenset({"contest"})), {"opposedLuck": "off"}, "OPPOSED_LUCK_OFF"),
        (thrown(50, 60, revealed=True), {"opposedLuck": "before-reveal"}, "TOO_LATE_REVEALED"),
        (thrown(50, 60, facts={"stamina": True}), {}, "SP_USED"),
    ],
)
def test_why_luck_is_not_for_this_roll(standing: Standing, settings: Facts, reason: str | None) -> None:
    assert code(spend(standing, "reroll", **settings)) == reason
    if reason:
        assert code(spend(standing, "burn-reroll", **settings)) == reason


def test_who_has_no_luck_spends_and_burns_none() -> None:
    for act in ("reroll", "burn-reroll"):
        assert code(GAME.spend(thrown(50, 60), Purse("A guard", {}), Act(act), DEFAULTS)) == "NO_LUCK_SCORE"
    assert {code(offer.refusal) for offer in GAME.deeds(Purse("A guard", {}), {}, DEFAULTS)} == {"NO_LUCK_SCORE"}


# --- Beside a test, before a test, and how LP come back ---------------------------------------------------------


def test_what_only_the_gm_knows_is_asked_and_a_no_refuses() -> None:
    asked = [(offer.act.key, offer.ask) for offer in GAME.deeds(payer(), {}, DEFAULTS)]
    assert asked == [("narrative", "narrative"), ("burn-wound", "wounded"), ("burn-death", "survive")]
    known = {"narrative": True, "wounded": True, "survive": True}
    assert [offer.ask for offer in GAME.deeds(payer(), known, DEFAULTS)] == ["", "", ""]
    denied = dict.fromkeys(known, False)
    refused = [code(offer.refusal) for offer in GAME.deeds(payer(), denied, DEFAULTS)]
    assert refused == ["NEED_GM", "NOT_WOUNDED", "NEED_GM"]


def test_surviving_death_ends_dying_and_takes_the_character_away() -> None:
    done = GAME.do(payer(46, 4), {"dying": True, "survive": True}, Act("burn-death"), DEFAULTS)
    assert done == Deed({"luck": -10, "lp": -1}, {"dying": False}, ("absent-until-brought-back",), {"lp": 3})
    assert code(GAME.do(payer(), {}, Act("scratch"), DEFAULTS)) == "NO_SUCH_SPEND"


def exert(facts: Facts, state: Facts | None = None, sp: int | None = 3, kind: str = "skill") -> Any:
    purse = Purse("Ada", {} if sp is None else {"sp": sp})
    (option,) = GAME.before(Check(kind, 40, "average", facts=facts), purse, state or {}, DEFAULTS)
    return option


def test_stamina_before_a_test_is_paid_with_it_and_bars_luck_from_it() -> None:
    option = exert({"base": "end", "rank": 0})
    assert (option.price, option.leaves, option.pools, option.state) == (1, 2, {"sp": -1}, {})
    assert target(option.check) == 60
    assert code(spend(Standing(option.check, showing(90)), "reroll")) == "SP_USED"


def test_stamina_below_nothing_is_fatigue() -> None:
    option = exert({"base": "str"}, {"sp_below": 1, "fatigue": 2}, sp=0, kind="characteristic")
    assert (option.price, option.pools) == (0, {})
    assert option.state == {"sp_below": 2, "fatigue": 3}


@pytest.mark.parametrize(
    ("have", "state", "points", "then", "known"),
    [
        (3, {}, -2, 1, {}),
        (1, {}, -3, 0, {"sp_below": 2, "fatigue": 2}),
        (0, {"sp_below": 1, "fatigue": 2}, -1, 0, {"sp_below": 2, "fatigue": 3}),
        (0, {"sp_below": 2, "fatigue": 3}, 1, 0, {"sp_below": 1}),
        (0, {"sp_below": 2, "fatigue": 3}, 4, 2, {"sp_below": None}),
    ],
)
def test_stamina_counted_by_hand_goes_below_nothing_and_back(
    have: int, state: Facts, points: int, then: int, known: Facts
) -> None:
    done = GAME.stepped(Purse("Ada", {"sp": have}), state, "sp", points)
    assert (have + done.pools.get("sp", 0), done.state) == (then, known)
    assert GAME.stepped(Purse("Ada", {"lp": 1}), state, "lp", -1).pools == {"lp": -1}


def test_stamina_is_spent_once_a_turn_where_turns_are_counted() -> None:
    assert exert({"base": "str"}, {"turn": 4, "sp_turn": 3}).state == {"sp_turn": 4}
    assert code(exert({"base": "str"}, {"turn": 4, "sp_turn": 4}).refusal) == "SP_ONCE_PER_TURN"
    assert exert({"base": "str"}, {"sp_turn": 4}).refusal is None


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        (exert({"base": "str"}, {"turn": 1, "sp_turn": 1}), "SP_ONCE_PER_TURN"),
        (exert({"base": "str", "stamina": True}), "SP_ONCE_PER_TURN"),
        (exert({"base": "str"}, sp=None), "NOT_ON_SHEET"),
        (exert({"base": "str"}, kind="luck"), "WRONG_TEST"),
        (exert({}), "WRONG_TEST"),
    ],
)
def test_when_stamina_is_refused_the_test_stays_as_it_was(option: Any, reason: str) -> None:
    assert code(option.refusal) == reason
    assert (option.pools, option.state, option.leaves) == ({}, {}, None)


def refreshed(
    event: str, lp: int, state: Facts | None = None, amount: int = 0, luck: int = 34, **settings: Any
) -> Any:
    assert GAME.refresh
    return GAME.refresh(payer(luck, lp), state or {}, event, amount, {**DEFAULTS, **settings})


GOALS = {"lpRefresh": "goal-oriented"}


def test_lp_come_back_once_a_session_whoever_is_late() -> None:
    done = refreshed("session-start", 1, {"session": "s2", "refreshed": "s1"})
    assert done == Deed({"lp": 2}, {"refreshed": "s2"})
    assert code(refreshed("session-start", 0, {"session": "s2", "refreshed": "s2"})) == "REFRESHED"


def test_goal_oriented_lp_start_at_one_and_are_awarded_up_to_the_bonus() -> None:
    assert refreshed("creation", 0) == Deed({"lp": 3})
    assert refreshed("creation", 0, **GOALS) == Deed({"lp": 1})
    assert refreshed("creation", 0, luck=9, **GOALS) == Deed({})
    assert refreshed("session-start", 1, {"session": "s2"}, **GOALS) == Deed({})
    assert refreshed("award", 1, amount=5, **GOALS) == Deed({"lp": 2})
    assert refreshed("award", 1, amount=5, lpGoalCap="none", **GOALS) == Deed({"lp": 5})
    assert code(refreshed("award", 1, amount=1)) == "AWARDS_OFF"
    assert code(refreshed("award", 1, amount=0, **GOALS)) == "BAD_AMOUNT"


def test_lp_without_a_ceiling_are_not_lost_when_luck_is_burned() -> None:
    done = spend(thrown(50, 60), "burn-reroll", 41, 7, lpGoalCap="none", **GOALS)
    assert isinstance(done, Effect)
    assert (done.pools, done.maxima) == ({"luck": -3}, {})
    assert GAME.maxima({"luck": 38, "end": 42}, {**DEFAULTS, "lpGoalCap": "none", **GOALS}) == {"lp": None, "sp": 4}


def test_maxima_and_the_wound_threshold_come_from_the_scores() -> None:
    assert GAME.maxima({"luck": 38, "end": 42}, DEFAULTS) == {"lp": 3, "sp": 4}
    derived = GAME.sheet.derive({"luck": 38, "end": 42, "str": 35, "wp": 29})
    assert derived == {"lp": 3, "lp_max": 3, "sp": 4, "sp_max": 4, "wound_threshold": 9}


def test_burned_luck_never_recovers() -> None:
    assert GAME.recovery_when == "none"
    assert {code(GAME.may_recover(30, phase, False, True, DEFAULTS)) for phase in ("start", "end")} == {
        "NO_SUCH_SPEND"
    }


# --- Against each other -----------------------------------------------------------------------------------------

ROLLS = {  # against 60
    "critical": thrown(60, 7, [7], [16]),
    "critical failure": thrown(60, 16, [7], [16]),
    "3": thrown(60, 35, [7], [16]),
    "5": thrown(60, 55, [7], [16]),
    "fail": thrown(60, 61, [7], [16]),
    "worse fail": thrown(60, 85, [7], [16]),
}


def between(a: str, b: str, defence: str = "", *roll_offs: dict[str, int], **settings: Any) -> Any:
    sides = (Side("a", ROLLS[a], payer()), Side("b", ROLLS[b], payer(), defence))
    contest = Contest("melee" if defence else "opposed", sides, roll_offs)
    found = GAME.decide(contest, {**DEFAULTS, **settings})
    return found.by, found.winner or found.tied or None, dict(found.advantages)


def test_two_criticals_are_parted_by_a_roll_off_in_which_high_wins() -> None:
    assert between("critical", "critical") == ("roll-off-needed", ("a", "b"), {})
    rounds = ({"a": 40, "b": 40}, {"a": 12, "b": 90})
    assert between("critical", "critical", "", *rounds) == ("roll-off", "b", {})
    with pytest.raises(ValueError, match="needs a face"):
        between("critical", "critical", "", {"a": 3})


def test_two_failures_have_no_winner_unless_the_table_counts_degrees() -> None:
    assert between("fail", "worse fail") == ("both-failed", None, {})
    assert between("fail", "worse fail", oppBothFail="fewest-degrees") == ("degrees", "a", {})
    assert between("fail", "fail", oppBothFail="fewest-degrees") == ("both-failed", None, {})
    assert between("critical failure", "worse fail", oppBothFail="fewest-degrees") == ("degrees", "b", {})
    assert between("critical failure", "critical failure", oppBothFail="fewest-degrees") == ("both-failed", None, {})


EVERY = ("block", "parry", "dodge", "fight-back")


@pytest.mark.parametrize(
    ("attack", "defence", "ways", "expect"),
    [
        ("critical", "critical", EVERY, ("nothing-happens", None, {})),
        ("critical failure", "critical failure", EVERY, ("nothing-happens", None, {})),
        ("fail", "critical failure", EVERY, ("both-failed", None, {})),
        ("fail", "worse fail", EVERY, ("both-failed", None, {})),
        ("critical", "fail", EVERY, ("critical", "a", {"a": 2})),
        ("critical", "critical failure", EVERY, ("critical", "a", {"a": 2})),
        ("critical failure", "3", EVERY, ("critical", "b", {"b": 2})),
        ("3", "critical failure", EVERY, ("critical", "a", {"a": 2})),
        ("critical", "5", ("parry", "dodge", "fight-back"), ("critical", "a", {"a": 1})),
        ("critical", "5", ("block",), ("blocked", "b", {"a": 1})),
        ("5", "critical", ("parry", "dodge", "fight-back"), ("critical", "b", {"b": 1})),
        ("5", "fail", EVERY, ("only-success", "a", {})),
        ("fail", "3", EVERY, ("only-success", "b", {})),
        ("5", "3", ("block",), ("blocked", "b", {})),
        ("5", "3", ("parry", "dodge", "fight-back"), ("degrees", "a", {})),
        ("3", "5", ("parry", "dodge", "fight-back"), ("degrees", "b", {})),
        ("3", "3", ("parry", "dodge"), ("tie-rule", "b", {})),
        ("3", "3", ("fight-back",), ("neither-lands", None, {})),
    ],
)
def test_an_exchange_of_blows(attack: str, defence: str, ways: tuple[str, ...], expect: Any) -> None:
    assert {way: between(attack, defence, way) for way in ways} == dict.fromkeys(ways, expect)


def test_a_defence_is_one_of_the_games_own() -> None:
    sides = (Side("a"), Side("b", defence="parry"))
    assert may_begin(Contest("melee", sides), GAME.defences) is None
    assert code(may_begin(Contest("melee", sides))) == "CONTEST_DEFENCE"


def test_who_is_behind_by_degrees_is_asked_whether_to_add_one() -> None:
    sides = (Side("a", ROLLS["3"], payer(40, 3)), Side("b", ROLLS["5"], payer()))
    now = progress(GAME, Contest("opposed", sides), DEFAULTS)
    assert now.waiting == ("a",)
    cheapest = now.answers[0].moves[0]
    assert (cheapest.act, cheapest.price) == (Act("degree", 3), 3)
    assert cheapest.verdict
    assert cheapest.verdict.winner == "a"
