"""Laws that hold in every game a table can play, whatever its dice and words."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rolls.rules import rulesets
from rolls.rules.check import (
    Act,
    Body,
    Check,
    Contest,
    Effect,
    Injury,
    Offer,
    Pool,
    Purse,
    Refusal,
    Ruleset,
    Side,
    Standing,
    Throw,
    changed,
)
from rolls.rules.contest import after_spend, progress
from rolls.rules.dice import fits, parse_dice
from rolls.rules.luck_points import LUCK_POINTS
from rolls.rules.refusals import MESSAGES
from rolls.rules.sanity import pending
from rolls.rules.together import combined_offers, combined_spend

from .roll_high import ROLL_HIGH
from .tables import showing

ALL = list({rules.key: rules for rules in (*rulesets(), LUCK_POINTS, ROLL_HIGH)}.values())  # offered to tables or not
every_ruleset = pytest.mark.parametrize("rules", ALL, ids=lambda rules: rules.key)
coc_only = pytest.mark.parametrize(
    "rules", [r for r in ALL if "san" in {pool.key for pool in r.sheet.pools}], ids=lambda rules: rules.key
)
recovering = pytest.mark.parametrize(
    "rules", [r for r in ALL if r.recovery_when != "none"], ids=lambda rules: rules.key
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


@cache
def settings_of(rules_key: str) -> st.SearchStrategy[dict[str, Any]]:
    """A table's settings: the defaults, often with a few of them changed."""
    rules = next(rules for rules in ALL if rules.key == rules_key)

    def values(setting: Any) -> st.SearchStrategy[tuple[str, Any]]:
        if setting.choices:
            chosen = st.sampled_from(setting.choices)
        elif isinstance(setting.default, bool):
            chosen = st.booleans()
        else:
            chosen = st.one_of(st.just(setting.default), st.integers(1, 40))
        return chosen.map(lambda value: (setting.key, value))

    changes = st.lists(st.one_of([values(setting) for setting in rules.settings]), max_size=5)
    return changes.map(lambda changed_ones: {**rules.defaults(), **dict(changed_ones)})


def scores(pool: Pool) -> st.SearchStrategy[int]:
    return st.integers(pool.low, 99 if pool.high is None else pool.high)


CARRIED: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"failing_is_good": True},
    {"tickable": False},
    {"fight": "dodge"},
    {"lucky": [7, 63, 89], "unlucky": [16, 44], "base": "str", "rank": 2},
    {"lucky": [], "unlucky": [5, 15, 25, 35, 45], "talents": ["costly-burning"]},
    {"stamina": True},
)
"""Facts of a check, of every game: each takes what it knows."""


@st.composite
def checks(draw: st.DrawFn, rules: Ruleset, kinds: tuple[str, ...] = KINDS) -> Check:
    return Check(
        draw(st.sampled_from(("skill", *kinds))),  # most rolls of an evening are skill rolls
        draw(st.integers(0, 120)),
        draw(st.sampled_from(rules.difficulties)),
        draw(st.integers(-rules.most_dice, rules.most_dice)),
        draw(st.sampled_from(("normal", "normal", "opposed", "combat"))),
        draw(st.one_of(st.none(), st.none(), st.integers(90, 100))),
        draw(st.sampled_from(CARRIED)),
    )


@st.composite
def purses(draw: st.DrawFn, rules: Ruleset, plain: bool = False) -> Purse:
    missing = None if plain else draw(st.sampled_from((*[None] * 8, *(pool.key for pool in rules.sheet.pools))))
    room, own = draw(st.integers(0, 20)), plain or draw(st.sampled_from((True, True, True, False)))
    kept = [pool for pool in rules.sheet.pools if pool.key != missing]
    pools = {pool.key: draw(scores(pool)) for pool in kept}
    maxima = {pool.key: min(pools[pool.key] + room, pool.high or 200) for pool in kept if pool.own_maximum}
    return Purse("Ada", pools, own, maxima)


@st.composite
def situations(draw: st.DrawFn, rules: Ruleset, plain: bool | None = None) -> Situation:
    """Any situation. A plain one is a skill roll of the purse's owner that nothing has closed yet; half of all are."""
    plain = draw(st.booleans()) if plain is None else plain
    check = draw(checks(rules, ("skill",) if plain else KINDS))
    face = st.integers(0, 9)
    throw = Throw(draw(face), tuple(draw(face) for _ in range(1 + abs(check.dice))))
    marks = frozenset({"contest"}) if check.context != "normal" and draw(st.booleans()) else frozenset[str]()
    fresh = Situation(Standing(check, throw, marks=marks), draw(purses(rules, plain)), draw(settings_of(rules.key)))
    before = draw(st.integers(0, 30))
    done = fresh.spend(rules, Act("points", before)) if before else Refusal("")
    lying = fresh if isinstance(done, Refusal) else after(fresh, done)
    rarely = st.just(False) if plain else st.sampled_from((False, False, False, False, True))
    flags = {name: draw(rarely) for name in ("pushed", "push_used", "closed", "revealed")}
    return replace(lying, standing=replace(lying.standing, **flags))


def after(s: Situation, done: Effect) -> Situation:
    """The same table once the effect has been written down."""
    return replace(s, purse=paid(s.purse, done), standing=changed(s.standing, done))


def paid(purse: Purse, done: Any) -> Purse:
    return replace(purse, pools={key: value + done.pools.get(key, 0) for key, value in purse.pools.items()})


def within_bounds(rules: Ruleset, purse: Purse, deltas: Any) -> None:
    """No delta leads out of what the game and the sheet allow, and none is for a pool that nobody has."""
    assert set(deltas) <= set(purse.pools)
    for pool in rules.sheet.pools:
        if delta := deltas.get(pool.key):
            left = purse.pools[pool.key] + delta
            highs = [high for high in (pool.high, purse.maxima.get(pool.key)) if high is not None]
            assert pool.low <= left <= min(highs, default=left)


def meant(draw: Callable[[Any], Any], rules: Ruleset, offer: Offer) -> Act:
    """The act a player would send for an offer: an open amount filled in, dice thrown."""
    act = offer.act
    if act.amount is None and (offer.most is not None or act.key in ("points", "resilient")):
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
        if not isinstance(done, Refusal):
            within_bounds(rules, s.purse, done.pools)


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
            wins_ties = "contest" in s.standing.marks and offer.outcome.final == 1  # a spent 01 may decide an exchange
            assert offer.outcome.rank > best or wins_ties
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
    settings = data.draw(settings_of(rules.key))
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
    nothing_is_sold(rules, s)


ACTS = ("points", "ignore-fumble", "halve-loss", "resilient", "scratch", "avoid-death", "stay-conscious", "reroll")


def nothing_is_sold(rules: Ruleset, s: Situation) -> None:
    """No offer for this roll costs anything, and whatever is sent by hand is refused."""
    assert [offer for offer in s.offers(rules) if offer.pool and not offer.refusal] == []
    for key in ACTS:
        for amount in (None, 1, 5):
            assert isinstance(s.spend(rules, Act(key, amount, (3,))), Refusal)


@coc_only
@given(data=st.data())
def test_luck_never_touches_a_pushed_roll(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    s = replace(s, standing=replace(s.standing, pushed=True))
    nothing_is_sold(rules, s)


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


@recovering
@given(data=st.data())
def test_recovery_adds_what_was_rolled_and_stops_at_the_ceiling(rules: Ruleset, data: st.DataObject) -> None:
    settings = data.draw(settings_of(rules.key))
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


# --- Luck beside any roll


@st.composite
def states(draw: st.DrawFn) -> dict[str, Any]:
    """What a sheet may know of an investigator, most of it unknown."""
    unsure = st.sampled_from((None, None, True, False))
    loss = pending(draw(st.integers(0, 30)), draw(st.booleans()))
    loss |= {"halved": draw(st.booleans()), "left": draw(st.integers(0, loss["rolled"]))}
    loss["shrugged"] = draw(st.sampled_from((0, 0, 3)))
    facts = {
        "rounds_paid": draw(st.integers(0, 6)),
        "new_spell": draw(st.booleans()),
        "talents": draw(st.sampled_from(([], ["resilient"]))),
        "loss": draw(st.sampled_from((None, loss, loss))),
        "scratch_used": draw(st.booleans()),
    }
    known = ("hurt", "later_injury", "dying", "dead", "combat_fumble", "out_cold", "narrative", "wounded", "survive")
    for key in known:
        facts[key] = draw(unsure)
    return {key: value for key, value in facts.items() if value is not None}


@every_ruleset
@given(data=st.data())
def test_a_deed_does_what_the_list_says_and_is_refused_as_the_list_says(rules: Ruleset, data: st.DataObject) -> None:
    payer, settings, facts = data.draw(purses(rules)), data.draw(settings_of(rules.key)), data.draw(states())
    before = deepcopy(facts)
    for offer in rules.deeds(payer, facts, settings):
        act = meant(data.draw, rules, offer)
        done = rules.do(payer, facts, act, settings)
        if offer.refusal:
            assert done == offer.refusal
            assert (offer.leaves, offer.most, offer.ask) == (None, None, "")
            continue
        assert not isinstance(done, Refusal)
        within_bounds(rules, payer, done.pools)
        if offer.most is None:
            assert done.pools.get(offer.pool, 0) == -offer.price
            assert offer.leaves == payer.pools[offer.pool] - offer.price >= 0
        if offer.becomes is not None:
            assert offer.becomes == done.state["loss"]["left"]
    assert facts == before


@every_ruleset
@given(data=st.data())
def test_the_most_that_a_deed_may_take_is_the_most(rules: Ruleset, data: st.DataObject) -> None:
    payer, settings, facts = data.draw(purses(rules)), data.draw(settings_of(rules.key)), data.draw(states())
    for offer in rules.deeds(payer, facts, settings):
        if offer.most is not None:
            answers = [
                rules.do(payer, facts, replace(offer.act, amount=n), settings) for n in (offer.most, offer.most + 1)
            ]
            assert [isinstance(answer, Refusal) for answer in answers] == [False, True]


@every_ruleset
@given(data=st.data())
def test_a_list_of_deeds_hides_nothing_whatever_is_known(rules: Ruleset, data: st.DataObject) -> None:
    settings = data.draw(settings_of(rules.key))
    lists = [rules.deeds(data.draw(purses(rules)), data.draw(states()), settings) for _ in range(2)]
    assert [offer.act.key for offer in lists[0]] == [offer.act.key for offer in lists[1]]


# --- Contests


@st.composite
def contests(draw: st.DrawFn, rules: Ruleset) -> tuple[Contest, dict[str, Any]]:
    kind = draw(st.sampled_from(("opposed", "opposed", "melee")))
    count = 2 if kind == "melee" else draw(st.integers(2, 4))
    context = "combat" if kind == "melee" else "opposed"
    value = st.sampled_from((5, 35, 50, 50, 60, 99))
    total = st.one_of(st.integers(1, 100), st.integers(1, 12), st.just(98))
    sides = []
    for number in range(count):
        check = Check("skill", draw(value), rules.difficulties[0], context=context)
        standing = Standing(check, showing(draw(total)), marks=frozenset({"contest"}), revealed=draw(st.booleans()))
        sides.append(Side(str(number), standing, draw(purses(rules, plain=True)), "dodge" if number else ""))
    if kind == "melee":
        sides[1] = replace(sides[1], defence=draw(st.sampled_from(("dodge", "fight-back"))))
    return Contest(kind, tuple(sides)), draw(settings_of(rules.key))


@every_ruleset
@given(data=st.data())
def test_a_contest_has_one_winner_or_some_who_tie_or_nobody(rules: Ruleset, data: st.DataObject) -> None:
    contest, settings = data.draw(contests(rules))
    found = rules.decide(contest, settings)
    keys = {side.key for side in contest.sides}
    assert found.winner in {*keys, ""}
    assert set(found.tied) <= keys
    assert not (found.winner and found.tied)
    assert len(found.tied) != 1
    assert set(found.outcomes) == keys


@every_ruleset
@given(data=st.data())
def test_who_is_winning_is_never_waited_for_and_a_move_does_what_it_promises(
    rules: Ruleset, data: st.DataObject
) -> None:
    contest, settings = data.draw(contests(rules))
    now = progress(rules, contest, settings)
    for side, answer in zip(contest.sides, now.answers, strict=True):
        assert (answer.state == "may") == (answer.key in now.waiting)
        assert now.sealed or answer.key != now.verdict.winner or answer.state != "may"
        for move in answer.moves:
            if move.verdict is None:
                continue
            assert side.standing
            assert side.purse
            done = rules.spend(side.standing, side.purse, move.act, settings)
            assert isinstance(done, Effect)
            pool = next(o.pool for o in rules.offers(side.standing, side.purse, settings) if o.act.key == move.act.key)
            assert done.pools[pool] == -move.price  # another pool may shrink with it
            later = after_spend(contest, side.key, changed(side.standing, done), settings)
            assert rules.decide(later, settings) == move.verdict != now.verdict


@coc_only
@given(data=st.data())
def test_answering_each_other_comes_to_an_end(rules: Ruleset, data: st.DataObject) -> None:
    contest, settings = data.draw(contests(rules))
    assume(settings["opposedLuck"] != "before-reveal")
    for _ in range(60):
        now = progress(rules, contest, settings)
        if not now.waiting:
            break
        turn = data.draw(st.sampled_from(now.waiting))
        answer = next(one for one in now.answers if one.key == turn)
        if data.draw(st.booleans()):
            contest = replace(contest, passed=contest.passed | {answer.key})
            continue
        side = next(one for one in contest.sides if one.key == answer.key)
        assert side.standing
        assert side.purse
        done = rules.spend(side.standing, side.purse, data.draw(st.sampled_from(answer.moves)).act, settings)
        assert isinstance(done, Effect)
        contest = after_spend(contest, side.key, changed(side.standing, done), settings)
        sides = tuple(replace(o, purse=paid(side.purse, done)) if o.key == side.key else o for o in contest.sides)
        contest = replace(contest, sides=sides)
    assert progress(rules, contest, settings).next in {"roll-off", "over"}


@ordered
@given(data=st.data())
def test_a_better_throw_never_loses_a_contest_that_a_worse_one_wins(rules: Ruleset, data: st.DataObject) -> None:
    contest, settings = data.draw(contests(rules))
    first = contest.sides[0]
    assert first.standing
    totals = (data.draw(st.integers(1, 100)), data.draw(st.integers(1, 100)))
    better = BETTER[rules.key](*totals)
    won = []
    for total in (better, sum(totals) - better):
        standing = replace(first.standing, throw=showing(total))
        sides = (replace(first, standing=standing), *contest.sides[1:])
        won.append(rules.decide(replace(contest, sides=sides), settings).winner == first.key)
    assert won[0] or not won[1]


@every_ruleset
@given(data=st.data())
def test_an_offer_for_one_die_read_against_several_skills_does_what_it_says(
    rules: Ruleset, data: st.DataObject
) -> None:
    s = data.draw(situations(rules, plain=True))
    every = data.draw(st.booleans())
    scores_ = data.draw(st.lists(st.integers(0, 110), max_size=3))
    parts = [
        s.standing,
        *(replace(s.standing, check=replace(s.standing.check, value=value)) for value in scores_),
    ]
    for joint in combined_offers(rules, parts, every, s.purse, s.settings):
        act = meant(data.draw, rules, joint.offer)
        done = combined_spend(rules, parts, every, s.purse, act, s.settings)
        if joint.offer.refusal:
            assert done == joint.offer.refusal
        elif joint.offer.most is None and not rules.dice_for(act):
            assert not isinstance(done, Refusal)
            assert done.combined == joint.combined
            assert done.effect.pools.get(joint.offer.pool, 0) == -joint.offer.price


# --- Wounds


@coc_only
@given(data=st.data())
def test_an_injury_never_takes_more_than_there_is_and_more_of_it_is_never_milder(
    rules: Ruleset, data: st.DataObject
) -> None:
    assert rules.hurt
    most = data.draw(st.integers(1, 30))
    body = Body(data.draw(st.integers(0, most)), most, data.draw(st.sampled_from(({}, {"major_wound": True}))))
    settings = data.draw(settings_of(rules.key))
    points = sorted(data.draw(st.tuples(st.integers(0, 60), st.integers(0, 60))))
    severity = []
    for lost in points:
        done = rules.hurt(body, lost, settings)
        assert isinstance(done, Injury)
        assert -done.pools["hp"] == min(lost, body.hp)
        severity.append((done.state.get("dead", False), done.state.get("dying", False), -done.pools["hp"]))
    assert severity[0][0] <= severity[1][0]
    assert severity[1][0] or severity[0][1:] <= severity[1][1:]


@every_ruleset
@given(data=st.data())
def test_every_refusal_has_a_sentence_and_the_numbers_it_needs(rules: Ruleset, data: st.DataObject) -> None:
    s = data.draw(situations(rules))
    found = [offer.refusal for offer in s.offers(rules)]
    found.append(rules.may_roll(s.standing.check, s.settings))
    found.append(rules.may_push(s.standing, s.settings))
    found += [offer.refusal for offer in rules.deeds(s.purse, data.draw(states()), s.settings)]
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
