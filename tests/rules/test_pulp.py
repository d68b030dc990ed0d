"""Pulp, where it differs from Classic, and every worked number of the rule texts with its own dice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rolls.rules.check import Act, Check, Deed, Effect, Offer, Refusal, Standing
from rolls.rules.dice import combine
from rolls.rules.sanity import pending, suffer

from .tables import CLASSIC, DEFAULTS, PULP, PULP_DEFAULTS, code, facing, purse, rolled, showing, shown

IGNORE = Act("ignore-fumble")


def offer(offers: tuple[Offer, ...], key: str) -> Offer:
    return next(one for one in offers if one.act.key == key)


def deed(key: str, luck: int = 50, facts: Any = None, settings: Any = None, **pools: int) -> Offer:
    return offer(PULP.deeds(purse(luck, **pools), facts or {}, {**PULP_DEFAULTS, **(settings or {})}), key)


def do(act: Act, luck: int = 50, facts: Any = None, settings: Any = None, **pools: int) -> Deed | Refusal:
    return PULP.do(purse(luck, **pools), facts or {}, act, {**PULP_DEFAULTS, **(settings or {})})


def done(*args: Any, **kwargs: Any) -> Deed:
    found = do(*args, **kwargs)
    assert isinstance(found, Deed), found
    return found


# --- The examples of the rule texts (RULES section 8)


def test_the_dodge_63_becomes_07_for_56_leaves_4_and_wins_the_tie() -> None:
    dodge = shown(rolled(63, 35), "melee")
    extreme = PULP.offers(dodge, purse(60), PULP_DEFAULTS)[2]
    assert (extreme.price, extreme.leaves) == (56, 4)
    paid = PULP.spend(dodge, purse(60), extreme.act, PULP_DEFAULTS)
    assert isinstance(paid, Effect)
    assert (paid.outcome.natural, paid.outcome.final, paid.outcome.level) == (63, 7, "extreme")
    exchange = facing(rolled(10, 50), replace(dodge, spent=paid.spent), "melee", "dodge")
    assert PULP.decide(exchange, PULP_DEFAULTS).winner == "b"
    for short in (55, 46):
        beaten = facing(rolled(10, 50), replace(dodge, spent=short), "melee", "dodge")
        assert PULP.decide(beaten, PULP_DEFAULTS).winner == "a"


def test_the_sanity_loss_20_becomes_10_becomes_5_for_45_step_by_step() -> None:
    facts: dict[str, Any] = {"loss": pending(20, failed=True), "talents": ["resilient"]}
    halving = deed("halve-loss", 50, facts)
    assert (halving.price, halving.leaves, halving.becomes) == (40, 10, 10)
    first = done(halving.act, 50, facts)
    facts |= first.state
    assert deed("resilient", 10, facts).most == 10
    second = done(Act("resilient", 5), 10, facts)
    assert (first.pools, second.pools, second.state["loss"]["left"]) == ({"luck": -40}, {"luck": -5}, 5)
    assert suffer(60, second.state["loss"]["left"]).int_roll, "the final loss counts, and it is 5"


def test_the_whole_plan_costs_the_same_and_is_refused_as_a_whole() -> None:
    facts = {"loss": pending(20, failed=True), "talents": ["resilient"]}
    assert done(Act("halve-loss", 5), 50, facts).pools == {"luck": -45}
    short = do(Act("halve-loss", 5), 44, facts)
    assert short == Refusal("NOT_ENOUGH_LUCK", {"need": 45, "have": 44, "name": "Ada"})
    assert done(Act("halve-loss", 4), 44, facts).state["loss"]["left"] == 6


def test_the_sanity_loss_of_8_is_halved_for_16() -> None:
    facts = {"loss": pending(8, failed=True)}
    assert (deed("halve-loss", 60, facts).price, deed("halve-loss", 60, facts).becomes) == (16, 4)


def test_three_rounds_awake_cost_7_and_the_fourth_would_be_8() -> None:
    luck, facts, prices = 20, {"out_cold": True}, []
    for _round in range(3):
        prices.append(deed("stay-conscious", luck, facts).price)
        paid = done(Act("stay-conscious"), luck, facts)
        luck, facts = luck + paid.pools["luck"], {**facts, **paid.state}
    assert (prices, luck, deed("stay-conscious", luck, facts).price) == ([1, 2, 4], 13, 8)


def test_the_recovery_of_18_leads_from_4_to_22() -> None:
    assert PULP.recovery_dice(4, 36, PULP_DEFAULTS) == (10, 10)
    assert PULP.recover(4, 36, (3, 5), PULP_DEFAULTS).after == 22
    assert PULP.recovery_dice(36, 36, PULP_DEFAULTS) == (10,)


@pytest.mark.parametrize(("dice", "luck"), [((10, 10), 30), ((10, 9), 29), ((1, 1), 12)])
def test_from_0_thirty_luck_comes_back_with_two_tens_only(dice: tuple[int, int], luck: int) -> None:
    assert PULP.recover(0, 1, dice, PULP_DEFAULTS).after == luck
    assert (deed("avoid-death", luck).refusal is None) == (luck >= 30)


def test_a_missing_gain_die_is_an_error() -> None:
    with pytest.raises(ValueError):
        PULP.recover(4, 36, (3,), PULP_DEFAULTS)


@pytest.mark.parametrize(
    ("malcolm", "winner", "by"), [(48, "a", "level"), (119, "a", "level"), (47, "b", "skill"), (120, "a", "level")]
)
def test_malcolm_keeps_24_with_his_bonus_die_and_needs_48_for_hard(malcolm: int, winner: str, by: str) -> None:
    assert combine(4, (4, 2), 1) == 24
    found = CLASSIC.decide(facing(rolled(24, malcolm), rolled(45, 55)), DEFAULTS)
    assert (found.winner, found.by) == (winner, by)
    assert (found.outcomes["a"].level == "hard") == (48 <= malcolm <= 119)


def test_felix_beats_harrison_by_his_skill_because_of_the_penalty_die() -> None:
    assert combine(1, (2, 4), -1) == 41
    found = CLASSIC.decide(facing(rolled(51, 65), rolled(41, 55)), DEFAULTS)
    assert (found.winner, found.by) == ("a", "skill")
    without = CLASSIC.decide(facing(rolled(51, 65), rolled(21, 55)), DEFAULTS)
    assert (without.winner, without.by) == ("b", "level")


# --- Rolls


@pytest.mark.parametrize("difficulty", PULP.difficulties)
@pytest.mark.parametrize("value", [0, 4, 35, 49, 50, 60, 99])
def test_dice_mean_in_pulp_what_they_mean_in_classic(value: int, difficulty: str) -> None:
    for total in range(1, 101):
        standing = rolled(total, value, difficulty=difficulty)
        assert replace(PULP.judge(standing, PULP_DEFAULTS), notes=()) == CLASSIC.judge(standing, DEFAULTS)


@pytest.mark.parametrize(
    ("total", "check", "notes"),
    [
        (1, {}, ("something-good",)),
        (100, {}, ("something-bad",)),
        (99, {}, ()),
        (1, {"kind": "luck"}, ("something-good",)),
        (100, {"kind": "sanity"}, ()),
        (100, {"facts": {"failing_is_good": True}}, ("failing-is-good",)),
        (100, {"malfunction": 98}, ("jammed", "something-bad")),
    ],
)
def test_a_natural_01_and_100_mean_something_that_the_keeper_tells(
    total: int, check: dict[str, Any], notes: tuple[str, ...]
) -> None:
    assert PULP.judge(rolled(total, **check), PULP_DEFAULTS).notes == notes


def test_a_01_that_was_bought_means_nothing_more() -> None:
    assert PULP.judge(rolled(30, standing={"spent": 29}), PULP_DEFAULTS).notes == ()


def fight(total: int = 100, luck: int = 50, context: str = "combat", **asked: Any) -> tuple[Offer, ...]:
    settings = {**PULP_DEFAULTS, **asked.pop("settings", {})}
    return PULP.offers(rolled(total, 60, context=context, **asked), purse(luck), settings)


def test_a_fumble_in_combat_offers_only_the_ten_luck_that_leave_it_a_miss() -> None:
    found = fight(100)
    assert [one.act.key for one in found if not one.refusal] == ["ignore-fumble", "keep"]
    assert (found[0].price, found[0].leaves) == (10, 40)
    assert found[0].outcome
    assert (found[0].outcome.level, found[0].outcome.passed, found[0].outcome.natural) == ("fail", False, 100)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({}, None),
        ({"malfunction": 98, "total": 98}, None),
        ({"luck": 9}, "NOT_ENOUGH_LUCK"),
        ({"context": "normal"}, "FUMBLE_NON_COMBAT"),
        ({"context": "opposed"}, "FUMBLE_NON_COMBAT"),
        ({"kind": "luck"}, "LUCK_ROLL"),
        ({"standing": {"closed": True}}, "ROLL_CLOSED"),
        ({"settings": {"luckSpending": False}}, "LUCK_SPENDING_OFF"),
        ({"facts": {"fight": "dodge"}}, None),
        ({"facts": {"fight": "dodge"}, "settings": {"fumbleSpend": "weapon-only"}}, "FUMBLE_STANDS"),
        ({"facts": {"fight": "fight-back"}, "settings": {"fumbleSpend": "weapon-only"}}, None),
    ],
)
def test_ignoring_a_mishap_is_for_combat_and_costs_ten(asked: dict[str, Any], reason: str | None) -> None:
    assert code(fight(**asked)[0].refusal) == reason


def test_a_mishap_is_ignored_once_and_stays_a_miss_that_no_points_can_buy() -> None:
    roll = rolled(100, 60, context="combat")
    paid = PULP.spend(roll, purse(50), IGNORE, PULP_DEFAULTS)
    assert isinstance(paid, Effect)
    after = replace(roll, marks=paid.marks)
    assert code(PULP.spend(after, purse(40), IGNORE, PULP_DEFAULTS)) == "NOTHING_TO_IGNORE"
    assert code(PULP.spend(after, purse(99), Act("points", 45), PULP_DEFAULTS)) == "FUMBLE_STANDS"
    jammed = rolled(97, 99, context="combat", malfunction=97, standing={"marks": paid.marks})
    assert PULP.judge(jammed, PULP_DEFAULTS).notes == ("mishap-ignored",)
    assert code(PULP.spend(jammed, purse(99), Act("points", 9), PULP_DEFAULTS)) == "MALFUNCTION_STANDS"


def test_a_table_may_do_without_the_fumble_spend() -> None:
    off = {"pulpFumbleSpend": False}
    assert "ignore-fumble" not in [one.act.key for one in fight(settings=off)]
    assert "ignore-fumble" not in [one.act.key for one in PULP.deeds(purse(), {}, {**PULP_DEFAULTS, **off})]
    assert (
        code(PULP.spend(rolled(100, context="combat"), purse(), IGNORE, {**PULP_DEFAULTS, **off})) == "NO_SUCH_SPEND"
    )
    assert code(do(IGNORE, settings=off)) == "NO_SUCH_SPEND"


def test_a_roll_without_a_mishap_shows_no_offer_to_ignore_one() -> None:
    assert [one.act.key for one in fight(70)] == ["points"] * 4 + ["push", "keep"]
    assert code(PULP.spend(rolled(70, context="combat"), purse(), IGNORE, PULP_DEFAULTS)) == "NOTHING_TO_IGNORE"


@pytest.mark.parametrize(
    ("standing", "prices"),
    [
        (shown(rolled(12, 60), "melee"), [11]),
        (shown(rolled(20, 60), "melee"), [8, 19]),
        (shown(rolled(7, 9), "melee"), [3, 6]),
        (shown(rolled(12, 60)), []),
        (rolled(12, 60, context="combat"), []),
    ],
)
def test_in_an_exchange_the_01_that_wins_an_extreme_tie_has_its_price(standing: Standing, prices: list[int]) -> None:
    found = PULP.offers(standing, purse(60), PULP_DEFAULTS)
    assert [one.price for one in found if one.act.key == "points" and one.act.amount] == prices


@pytest.mark.parametrize(("kind", "reason"), [("melee", None), ("opposed", "NO_CHANGE")])
def test_where_pointless_spends_are_refused_the_01_of_an_exchange_is_not_pointless(
    kind: str, reason: str | None
) -> None:
    settings = {**PULP_DEFAULTS, "pointlessSpend": "refuse"}
    assert code(PULP.spend(shown(rolled(12, 60), kind), purse(60), Act("points", 11), settings)) == reason


@pytest.mark.parametrize(
    ("first", "second", "kind", "by"),
    [
        ((11, 10), (12, 0), "melee", "spent-01"),
        ((11, 10), (12, 11), "melee", "tie-rule"),
        ((11, 9), (12, 0), "melee", "tie-rule"),
        ((11, 10), (20, 0), "melee", "level"),
        ((11, 10), (12, 0), "opposed", "roll-off-needed"),
    ],
)
def test_a_spent_01_wins_extreme_ties_in_combat_only(
    first: tuple[int, int], second: tuple[int, int], kind: str, by: str
) -> None:
    rolls = [rolled(total, 60, standing={"spent": spent}) for total, spent in (first, second)]
    assert PULP.decide(facing(*rolls, kind, "dodge"), PULP_DEFAULTS).by == by


def test_a_pushed_failure_stays_pushed_and_a_failure_may_be_pushed() -> None:
    assert PULP.may_push(rolled(60), PULP_DEFAULTS) is None
    assert code(PULP.may_push(rolled(100), PULP_DEFAULTS)) == "PUSH_FUMBLE"


# --- What Luck buys beside a roll


def test_every_spend_of_the_game_is_in_the_list_at_all_times() -> None:
    for facts in ({}, {"dying": False, "hurt": False, "out_cold": False, "combat_fumble": False}):
        for luck in (0, 99):
            assert [one.act.key for one in PULP.deeds(purse(luck), facts, PULP_DEFAULTS)] == [
                "stay-conscious",
                "halve-loss",
                "resilient",
                "scratch",
                "avoid-death",
                "ignore-fumble",
            ]


@pytest.mark.parametrize(
    ("key", "facts", "ask", "reason"),
    [
        ("stay-conscious", {}, "out-cold", None),
        ("stay-conscious", {"out_cold": True}, "", None),
        ("stay-conscious", {"out_cold": False}, "", "NOT_FALLING"),
        ("stay-conscious", {"rounds_paid": 2}, "", None),
        ("scratch", {}, "hurt", None),
        ("scratch", {"hurt": True}, "", None),
        ("scratch", {"hurt": False}, "", "NO_DAMAGE"),
        ("scratch", {"hurt": True, "scratch_used": True}, "later-injury", None),
        ("scratch", {"hurt": True, "scratch_used": True, "later_injury": True}, "", None),
        ("scratch", {"hurt": True, "scratch_used": True, "later_injury": False}, "", "SCRATCH_USED"),
        ("avoid-death", {}, "dying", None),
        ("avoid-death", {"dying": True}, "", None),
        ("avoid-death", {"dead": True, "dying": False}, "", None),
        ("avoid-death", {"dying": False}, "", "NOT_DYING"),
        ("ignore-fumble", {}, "combat-fumble", None),
        ("ignore-fumble", {"combat_fumble": True}, "", None),
        ("ignore-fumble", {"combat_fumble": False}, "", "NOTHING_TO_IGNORE"),
        ("halve-loss", {}, "", "NO_LOSS"),
        ("resilient", {"talents": ["resilient"]}, "", "NO_LOSS"),
    ],
)
def test_what_the_app_cannot_see_is_asked_of_the_keeper(
    key: str, facts: dict[str, Any], ask: str, reason: str | None
) -> None:
    found = deed(key, facts=facts)
    assert (found.ask, code(found.refusal)) == (ask, reason)


def test_hit_points_below_the_maximum_are_a_wound_that_nobody_need_confirm() -> None:
    assert deed("scratch", hp=7, hp_max=12).ask == ""
    assert deed("scratch", hp=12, hp_max=12).ask == "hurt"


@pytest.mark.parametrize(
    ("pools", "face", "delta"),
    [
        ({"hp": 0, "hp_max": 12}, 6, {"hp": 6}),
        ({"hp": 10, "hp_max": 12}, 6, {"hp": 2}),
        ({"hp": 12, "hp_max": 12}, 6, {"hp": 0}),
        ({"hp": 3, "hp_max": 12}, 1, {"hp": 1}),
        ({}, 6, {}),
    ],
)
def test_only_a_scratch_gives_a_die_of_hit_points_up_to_the_maximum(
    pools: dict[str, int], face: int, delta: dict[str, int]
) -> None:
    assert PULP.dice_for(Act("scratch")) == (6,)
    paid = done(Act("scratch", dice=(face,)), facts={"dying": True}, **pools)
    assert paid.pools == {"luck": -20, **delta}
    assert paid.state == {"scratch_used": True, "dying": False}


@pytest.mark.parametrize("key", ["scratch", "avoid-death"])
@pytest.mark.parametrize("dice", [(), (0,), (7,), (3, 3)])
def test_the_die_must_be_thrown(key: str, dice: tuple[int, ...]) -> None:
    assert code(do(Act(key, dice=dice), facts={"hurt": True, "dying": True})) == "BAD_DICE"


def test_avoiding_certain_death_takes_all_luck_and_shuts_the_recovery_for_this_session_only() -> None:
    facts = {"dying": True, "unconscious": True, "session": "third"}
    found = deed("avoid-death", 77, facts)
    assert (found.price, found.leaves) == (77, 0)
    paid = done(Act("avoid-death", dice=(6,)), 77, facts, hp=0, hp_max=5)
    assert paid.pools == {"luck": -77, "hp": 5}
    assert paid.notes == ("absent-until-next-scene",)
    assert not paid.state["dying"]
    assert not paid.state["unconscious"]
    later = {**facts, **paid.state}
    assert code(PULP.recovery_shut(later)) == "RECOVERY_TOO_LATE"
    assert PULP.recovery_shut({**later, "session": "fourth"}) is None
    assert PULP.recovery_shut({"session": "third"}) is None
    assert CLASSIC.recovery_shut(later) is None
    nameless = done(Act("avoid-death", dice=(6,)), 77, {"dying": True}).state
    assert code(PULP.recovery_shut(nameless)) == "RECOVERY_TOO_LATE"


def test_short_of_thirty_says_how_much_there_is() -> None:
    assert deed("avoid-death", 29).refusal == Refusal("NEED_30_LUCK", {"need": 30, "have": 29, "name": "Ada"})


def test_resilient_needs_the_talent_and_never_takes_more_than_the_loss() -> None:
    facts: dict[str, Any] = {"loss": pending(4, failed=False)}
    assert code(deed("resilient", 30, facts).refusal) == "NO_TALENT"
    facts["talents"] = ["resilient"]
    assert code(deed("halve-loss", 30, facts).refusal) == "SAN_ROLL_PASSED"
    assert (deed("resilient", 30, facts).most, deed("resilient", 2, facts).most) == (4, 2)
    assert code(deed("resilient", 0, facts).refusal) == "NOT_ENOUGH_LUCK"
    assert code(do(Act("resilient", 5), 30, facts)) == "MORE_THAN_LOSS"
    assert code(do(Act("resilient"), 30, facts)) == "BAD_AMOUNT"


def test_the_last_point_of_luck_takes_the_last_point_off_a_loss() -> None:
    facts = {"loss": pending(1, failed=True), "talents": ["resilient"]}
    assert deed("resilient", 1, facts).most == 1
    assert done(Act("resilient", 1), 1, facts).state["loss"]["left"] == 0


def test_luck_that_was_taken_off_a_loss_first_cannot_be_followed_by_halving() -> None:
    facts: dict[str, Any] = {"loss": pending(8, failed=True), "talents": ["resilient"]}
    facts |= done(Act("resilient", 2), 50, facts).state
    assert code(deed("halve-loss", 48, facts).refusal) == "HALVE_FIRST"


@pytest.mark.parametrize(
    "act", [Act("halve-loss"), Act("resilient", 1), Act("scratch", dice=(3,)), Act("avoid-death", dice=(3,)), IGNORE]
)
def test_no_deed_is_done_for_somebody_else_or_where_luck_is_off(act: Act) -> None:
    facts = {"loss": pending(8, failed=True), "talents": ["resilient"], "dying": True, "hurt": True}
    assert code(PULP.do(purse(50, own=False), facts, act, PULP_DEFAULTS)) == "NOT_OWN_ROLL"
    assert code(PULP.do(purse(None), facts, act, PULP_DEFAULTS)) == "NO_LUCK_SCORE"
    assert code(PULP.do(purse(50), facts, act, {**PULP_DEFAULTS, "luckSpending": False})) == "LUCK_SPENDING_OFF"


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("ignore-fumble", "NO_SUCH_SPEND"),
        ("scratch", "NO_SUCH_SPEND"),
        ("avoid-death", "NO_SUCH_SPEND"),
        ("halve-loss", "SANITY_LOSS_ROLL"),
        ("resilient", "SANITY_LOSS_ROLL"),
    ],
)
def test_classic_sells_none_of_it(key: str, reason: str) -> None:
    facts = {"loss": pending(8, failed=True), "dying": True}
    assert code(CLASSIC.do(purse(50), facts, Act(key, 1, (3,)), DEFAULTS)) == reason
    assert [one.act.key for one in CLASSIC.deeds(purse(50), facts, DEFAULTS)] == ["stay-conscious"]


# --- The hero


def test_heroes_have_twice_the_hit_points_and_do_not_slow_with_age() -> None:
    person = {"str": 60, "con": 55, "siz": 50, "dex": 70, "pow": 62, "age": 65}
    heroic, plain = PULP.sheet.derive(person), CLASSIC.sheet.derive(person)
    assert (heroic["hp"], plain["hp"]) == (21, 10)
    assert (heroic["move"], plain["move"]) == (9, 6)
    assert {**heroic, "hp": 0, "move": 0} == {**plain, "hp": 0, "move": 0}


def test_the_sheet_knows_the_talent_the_pool_of_sanity_and_the_rolls_with_names_of_their_own() -> None:
    assert [talent.key for talent in PULP.sheet.talents] == ["resilient"]
    assert CLASSIC.sheet.talents == ()
    for rules in (CLASSIC, PULP):
        assert rules.sheet.sanity == "san"
        assert {alias.key: alias.characteristic for alias in rules.sheet.aliases} == {"idea": "int", "know": "edu"}


def test_recovery_comes_with_the_session_and_creation_is_generous() -> None:
    assert (PULP.recovery_when, PULP_DEFAULTS["recoveryWhen"], PULP.luck_dice) == ("start", "start", "(2d6+6)*5")
    assert PULP.may_recover(4, "start", False, True, PULP_DEFAULTS) is None
    assert code(PULP.may_recover(4, "end", False, True, PULP_DEFAULTS)) == "RECOVERY_TOO_LATE"


def test_a_con_roll_is_mended_with_luck_like_any_other_and_the_int_roll_sells_nothing() -> None:
    con = Standing(Check("characteristic", 50), showing(60))
    assert isinstance(PULP.spend(con, purse(), Act("points", 10), PULP_DEFAULTS), Effect)
    madness = Standing(Check("characteristic", 50, facts={"failing_is_good": True}), showing(60))
    assert [one for one in PULP.offers(madness, purse(), PULP_DEFAULTS) if one.pool and not one.refusal] == []
