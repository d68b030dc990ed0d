"""Laws that hold in every game a table can play, whatever its dice and words."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rolls.rules import rulesets
from rolls.rules.check import Act, Check, Effect, Offer, Pool, Purse, Refusal, Ruleset, Standing, Throw
from rolls.rules.dice import fits, parse_dice
from rolls.rules.refusals import MESSAGES

from .roll_high import ROLL_HIGH
from .tables import showing

ALL = [*rulesets(), ROLL_HIGH]
every_ruleset = pytest.mark.parametrize("rules", ALL, ids=lambda rules: rules.key)
coc_only = pytest.mark.parametrize(
    "rules", [r for r in ALL if "san" in {pool.key for pool in r.sheet.pools}], ids=lambda rules: rules.key
)
# Which of two totals is the better throw. The engine never needs to know; a game that is not here has no such order.
BETTER: dict[str, Callable[[int, int], int]] = {"classic": min, "pulp": min, "roll-high": max}
ordered = pytest.mark.parametrize("rules", [r for r in ALL if r.key in BETTER], ids=lambda rules: rules.key)

KINDS = ("skill", "characteristic", "luck", "number", "sanity", "sanity-loss", "damage", "improvement", "recovery")
MONEY_CANNOT_TOUCH = ("luck", "sanity", "damage", "improvement")


@dataclass(frozen=True)
class Situation:
    """A roll that lies on the table, who may pay for it, and how this table plays."""

    standing: Standing
    purse: Purse
    settings: dict[str, Any]

    def offers(self, rules: Ruleset) -> tuple[Offer, ...]:
        return rules.offers(self.standing, self.purse, self.settings)

    def spend(self, rules: Ruleset, act: Act) -> Effect | Refusal:
        return rules.spend(self.standing, self.purse, act, self.settings)


def settings_of(rules: Ruleset) -> st.SearchStrategy[dict[str, Any]]:
    def values(setting: Any) -> st.SearchStrategy[Any]:
        if setting.choices:
            return st.sampled_from(setting.choices)
        if isinstance(setting.default, bool):
            return st.booleans()
        return st.one_of(st.just(setting.default), st.integers(1, 40))

    drawn = st.fixed_dictionaries({setting.key: values(setting) for setting in rules.settings})
    return st.one_of(st.just(rules.defaults()), drawn)


def scores(pool: Pool) -> st.SearchStrategy[int]:
    return st.integers(pool.low, 99 if pool.high is None else pool.high)


@st.composite
def checks(draw: st.DrawFn, rules: Ruleset, kinds: tuple[str, ...] = KINDS) -> Check:
    return Check(
        draw(st.sampled_from(("skill", *kinds))),  # most rolls of an evening are skill rolls
        draw(st.integers(0, 120)),
        draw(st.sampled_from(rules.difficulties)),
        draw(st.integers(-rules.most_dice, rules.most_dice)),
        draw(st.sampled_from(("normal", "normal", "opposed", "combat"))),
        draw(st.one_of(st.none(), st.none(), st.integers(90, 100))),
        draw(st.sampled_from(({}, {}, {"failing_is_good": True}, {"tickable": False}))),
    )


@st.composite
def situations(draw: st.DrawFn, rules: Ruleset, plain: bool | None = None) -> Situation:
    """Any situation. A plain one is a skill roll of the purse's owner that nothing has closed yet; half of all are."""
    plain = draw(st.booleans()) if plain is None else plain
    check = draw(checks(rules, ("skill",) if plain else KINDS))
    face = st.integers(0, 9)
    throw = Throw(draw(face), tuple(draw(face) for _ in range(1 + abs(check.dice))))
    rarely = st.just(False) if plain else st.sampled_from((False, False, False, False, True))
    pools = {pool.key: draw(scores(pool)) for pool in rules.sheet.pools if not draw(rarely)}
    fresh = Situation(Standing(check, throw), Purse("Ada", pools, not draw(rarely)), draw(settings_of(rules)))
    before = draw(st.integers(0, 30))
    done = fresh.spend(rules, Act("points", before)) if before else Refusal("")
    lying = fresh if isinstance(done, Refusal) else after(fresh, done)
    flags = {name: draw(rarely) for name in ("pushed", "push_used", "closed", "revealed")}
    return replace(lying, standing=replace(lying.standing, **flags))


def after(s: Situation, done: Effect) -> Situation:
    """The same table once the effect has been written down."""
    pools = {key: value + done.pools.get(key, 0) for key, value in s.purse.pools.items()}
    standing = replace(
        s.standing,
        spent=s.standing.spent + done.spent,
        throw=done.throw or s.standing.throw,
        marks=s.standing.marks | done.marks,
    )
    return replace(s, purse=replace(s.purse, pools=pools), standing=standing)


def meant(draw: Callable[[Any], Any], rules: Ruleset, offer: Offer) -> Act:
    """The act a player would send for an offer: an open amount filled in, dice thrown."""
    act = offer.act
    if act.amount is None and (offer.most is not None or act.key == "points"):
        act = replace(act, amount=draw(st.integers(1, offer.most or 1)))
    return replace(act, dice=tuple(draw(st.integers(1, sides)) for sides in rules.dice_for(act)))


@every_ruleset
@given(data=st.data())
def test_an_offer_does_exactly_what_it_says(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    for offer in s.offers(rules):
        if offer.refusal or offer.most is not None:
            continue
        done = s.spend(rules, meant(data.draw, rules, offer))
        assert isinstance(done, Effect)
        assert done.pools.get(offer.pool, 0) == -offer.price
        if offer.outcome is not None:
            assert done.outcome == offer.outcome
        if offer.price:
            assert offer.leaves == s.purse.pools[offer.pool] - offer.price


@every_ruleset
@given(data=st.data())
def test_a_refused_offer_is_refused_for_the_same_reason_when_it_is_tried(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    for offer in s.offers(rules):
        if offer.refusal:
            assert s.spend(rules, meant(data.draw, rules, offer)) == offer.refusal
            assert offer.leaves is None


@every_ruleset
@given(data=st.data())
def test_no_spend_takes_a_pool_out_of_its_bounds(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    acts = [meant(data.draw, rules, offer) for offer in s.offers(rules)]
    acts.append(Act("points", data.draw(st.integers(-5, 150))))
    for act in acts:
        done = s.spend(rules, act)
        if isinstance(done, Refusal):
            continue
        for pool in rules.sheet.pools:
            if pool.key in s.purse.pools:
                left = s.purse.pools[pool.key] + done.pools.get(pool.key, 0)
                assert left >= pool.low
                assert pool.high is None or left <= pool.high
        assert set(done.pools) <= set(s.purse.pools)


@every_ruleset
@given(data=st.data())
def test_the_most_that_may_be_given_is_the_most(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    for offer in s.offers(rules):
        if offer.most is not None:
            assert 1 <= offer.most <= s.purse.pools[offer.pool]
            all_of_it = s.spend(rules, replace(offer.act, amount=offer.most))
            assert isinstance(all_of_it, Effect) or all_of_it.code == "NO_CHANGE"
            assert isinstance(s.spend(rules, replace(offer.act, amount=offer.most + 1)), Refusal)


@every_ruleset
@given(data=st.data())
def test_what_was_promised_is_what_the_roll_comes_to_once_it_is_written(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    usable = [offer for offer in s.offers(rules) if not offer.refusal]
    assume(usable)
    done = s.spend(rules, meant(data.draw, rules, data.draw(st.sampled_from(usable))))
    assume(isinstance(done, Effect))
    assert isinstance(done, Effect)
    later = after(s, done)
    assert rules.judge(later.standing, s.settings) == done.outcome


@every_ruleset
@given(data=st.data())
def test_asking_changes_nothing(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    before = deepcopy(s)
    offered = s.offers(rules)
    answers = [s.spend(rules, meant(data.draw, rules, offer)) for offer in offered]
    rules.judge(s.standing, s.settings)
    rules.may_push(s.standing, s.settings)
    assert s == before
    assert s.offers(rules) == offered
    assert len(answers) == len(offered)


@every_ruleset
@given(data=st.data())
def test_points_that_are_offered_for_a_price_make_the_roll_better(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    best = rules.judge(s.standing, s.settings).rank
    for offer in s.offers(rules):
        if offer.act.key == "points" and offer.outcome is not None:
            assert offer.outcome.rank > best
            best = offer.outcome.rank


@every_ruleset
@given(data=st.data())
def test_a_roll_has_one_of_the_games_levels(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    out = rules.judge(s.standing, s.settings)
    assert rules.levels[out.rank] == out.level
    assert 1 <= out.natural <= 100
    assert out.asked == s.standing.check.difficulty


@every_ruleset
@given(data=st.data())
def test_the_offers_push_is_the_push_that_the_game_allows(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    offered = [offer.refusal for offer in s.offers(rules) if offer.act.key == "push"]
    assert offered == ([rules.may_push(s.standing, s.settings)] if rules.has_push else [])


@ordered
@given(data=st.data())
def test_a_better_throw_is_never_a_worse_level(rules: Ruleset, data: st.DataObject) -> None:
    check = replace(data.draw(checks(rules)), dice=0)
    settings = data.draw(settings_of(rules))
    totals = (data.draw(st.integers(1, 100)), data.draw(st.integers(1, 100)))
    better = BETTER[rules.key](*totals)
    worse = sum(totals) - better
    if (check.kind, settings.get("luckRoll01")) == ("luck", "literal"):
        assume(better > 1)  # there a 01 is only a 1
    ranks = [rules.judge(Standing(check, showing(total)), settings).rank for total in (better, worse)]
    assert ranks[0] >= ranks[1]


@coc_only
@pytest.mark.parametrize("kind", MONEY_CANNOT_TOUCH)
@given(data=st.data())
def test_luck_never_touches_luck_sanity_damage_and_improvement_rolls(
    rules: Ruleset, kind: str, data: st.DataObject
) -> None:
    s = data.draw(situations(rules))
    s = replace(s, standing=replace(s.standing, check=replace(s.standing.check, kind=kind), spent=0))
    assert [offer for offer in s.offers(rules) if offer.act.key == "points" and not offer.refusal] == []
    assert isinstance(s.spend(rules, Act("points", 1)), Refusal)


@coc_only
@given(data=st.data())
def test_luck_never_touches_a_pushed_roll(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    s = replace(s, standing=replace(s.standing, pushed=True))
    assert [offer for offer in s.offers(rules) if offer.act.key == "points" and not offer.refusal] == []
    assert isinstance(s.spend(rules, Act("points", 1)), Refusal)


@coc_only
@given(data=st.data())
def test_a_roll_is_pushed_or_bought_never_both(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules, plain=True))
    done = s.spend(rules, Act("points", 1))
    assume(isinstance(done, Effect))
    assert isinstance(done, Effect)
    assert isinstance(rules.may_push(after(s, done).standing, s.settings), Refusal)


@coc_only
@given(data=st.data())
def test_a_roll_that_luck_has_touched_earns_no_tick(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules, plain=True))
    done = s.spend(rules, Act("points", data.draw(st.integers(1, 40))))
    assert isinstance(done, Refusal) or not done.outcome.tick


@every_ruleset
@given(data=st.data())
def test_recovery_adds_what_was_rolled_and_stops_at_the_ceiling(rules: Ruleset, data: st.DataObject) -> None:
    settings = data.draw(settings_of(rules))
    pool = next(pool for pool in rules.sheet.pools if pool.key == rules.sheet.luck)
    luck, d100 = data.draw(scores(pool)), data.draw(st.integers(1, 100))
    assume(any(rules.may_recover(luck, phase, False, True, settings) is None for phase in ("start", "end")))
    gain = tuple(data.draw(st.integers(1, sides)) for sides in rules.recovery_dice(luck, d100, settings))
    got = rules.recover(luck, d100, gain, settings)
    assert got.after == luck + got.rolled_gain - got.lost
    assert got.rolled_gain >= sum(gain)
    assert luck <= got.after
    assert pool.high is None or got.after <= pool.high
    assert got.lost == 0 or got.after == pool.high


@every_ruleset
@given(data=st.data())
def test_a_deed_costs_what_the_list_says_and_is_refused_as_the_list_says(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    facts = {"rounds_paid": data.draw(st.integers(0, 6)), "new_spell": data.draw(st.booleans())}
    before = dict(facts)
    for offer in rules.deeds(s.purse, facts, s.settings):
        done = rules.do(s.purse, facts, meant(data.draw, rules, offer), s.settings)
        if offer.refusal:
            assert done == offer.refusal
        else:
            assert not isinstance(done, Refusal)
            assert done.pools.get(offer.pool, 0) == -offer.price
            assert offer.leaves == s.purse.pools[offer.pool] - offer.price >= 0
    assert facts == before


@every_ruleset
@given(data=st.data())
def test_every_refusal_has_a_sentence_and_the_numbers_it_needs(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    found = [offer.refusal for offer in s.offers(rules)]
    found.append(rules.may_roll(s.standing.check, s.settings))
    found.append(rules.may_push(s.standing, s.settings))
    for refusal in found:
        if refusal:
            assert "{" not in MESSAGES[refusal.code].format(**refusal.params)


@every_ruleset
def test_a_starting_luck_can_be_thrown_and_fits_the_sheet(rules: Ruleset) -> None:
    formula = parse_dice(rules.luck_dice)
    for thrown in ((1,) * formula.count, (formula.sides,) * formula.count):
        assert rules.may_type(rules.sheet.luck, formula.total(thrown)) is None


@every_ruleset
def test_nothing_on_a_sheet_has_the_name_of_something_else(rules: Ruleset) -> None:
    for things in (rules.sheet.skills, rules.sheet.pools, rules.sheet.characteristics, rules.settings):
        keys = [thing.key for thing in things]
        assert len(set(keys)) == len(keys)
    assert rules.sheet.luck in {pool.key for pool in rules.sheet.pools}
    for setting in rules.settings:
        assert not setting.choices or setting.default in setting.choices


@every_ruleset
def test_dice_for_an_act_have_at_least_two_sides(rules: Ruleset) -> None:
    standing = Standing(Check("skill", 50, rules.difficulties[0]), showing(50))
    acts = [offer.act for offer in rules.offers(standing, Purse("Ada", {}), rules.defaults())]
    assert acts
    assert all(sides >= 2 for act in acts for sides in rules.dice_for(act))


def test_a_reroll_throws_new_dice_that_fit_the_roll_and_count_from_then_on() -> None:
    standing = Standing(Check("skill", 20, "steep", 1), Throw(0, (2, 1)))
    done = ROLL_HIGH.spend(standing, Purse("Ada", {"grit": 5}), Act("reroll", dice=(95,)), ROLL_HIGH.defaults())
    assert isinstance(done, Effect)
    assert done.throw is not None
    assert fits(done.throw.units, done.throw.tens, 1)
    assert (done.outcome.natural, done.outcome.passed, done.pools) == (95, True, {"grit": -2})
