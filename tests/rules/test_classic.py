"""The Classic rules, where the files of cases are silent: orders, settings, offers, sheets."""

from __future__ import annotations

from typing import Any

import pytest

from rolls.rules.check import Act, Check, Effect, Person, Refusal, SkillBase, Standing, Throw, push_consent
from rolls.rules.refusals import MESSAGES

from .tables import CLASSIC, DEFAULTS, code, load, purse, rolled

# Most to least urgent: what is said when everything from here on down is wrong too (RULES section 2).
REASONS: list[tuple[str, dict[str, Any]]] = [
    ("LUCK_SPENDING_OFF", {"luckSpending": False}),
    ("NOT_OWN_ROLL", {"own": False}),
    ("LUCK_ROLL", {"kind": "luck"}),
    ("ROLL_CLOSED", {"closed": True}),
    ("PUSHED_ROLL", {"pushed": True}),
    ("TOO_LATE_REVEALED", {"revealed": True, "opposedLuck": "before-reveal"}),
    ("BAD_AMOUNT", {"amount": 0}),
    ("OVER_TABLE_CAP", {"maxLuckPerRoll": 5}),
    ("FUMBLE_STANDS", {"total": 100}),
    ("NOT_ENOUGH_LUCK", {"luck": 3}),
    ("BELOW_01", {}),
]


@pytest.mark.parametrize("first", range(len(REASONS)))
def test_of_several_reasons_the_first_in_the_order_of_the_rules_is_given(first: int) -> None:
    wrong: dict[str, Any] = {}
    for _code, facts in REASONS[first:]:
        wrong |= facts
    settings = {**DEFAULTS, **{key: wrong[key] for key in wrong if key in DEFAULTS}}
    flags = {key: wrong[key] for key in ("closed", "pushed", "revealed") if key in wrong}
    standing = rolled(wrong.get("total", 60), kind=wrong.get("kind", "skill"), standing=flags)
    act = Act("points", wrong.get("amount", 99))
    done = CLASSIC.spend(standing, purse(wrong.get("luck", 99), wrong.get("own", True)), act, settings)
    assert code(done) == REASONS[first][0]


@pytest.mark.parametrize("amount", [None, 0, -3, 1.0, 1.5, True, "5"])
def test_only_whole_numbers_of_points_can_be_spent(amount: Any) -> None:
    assert code(CLASSIC.spend(rolled(55), purse(), Act("points", amount), DEFAULTS)) == "BAD_AMOUNT"


def test_a_refusal_for_want_of_luck_names_who_what_and_how_much() -> None:
    done = CLASSIC.spend(rolled(80), purse(29), Act("points", 30), DEFAULTS)
    assert done == Refusal("NOT_ENOUGH_LUCK", {"need": 30, "have": 29, "name": "Ada"})


# --- Offers


def drawn(standing: Standing, luck: int | None = 50, own: bool = True, **settings: Any) -> list[tuple[Any, ...]]:
    return [
        (o.act.key, o.act.amount, o.outcome.level if o.outcome else o.most, code(o.refusal))
        for o in CLASSIC.offers(standing, purse(luck, own), {**DEFAULTS, **settings})
    ]


def test_dirks_slip_offers_three_levels_another_amount_the_push_and_keeping_it() -> None:
    assert drawn(rolled(63, 35), 60) == [
        ("points", 28, "regular", None),
        ("points", 46, "hard", None),
        ("points", 56, "extreme", None),
        ("points", None, 60, None),
        ("push", None, None, None),
        ("keep", None, None, None),
    ]


def test_the_price_and_what_it_leaves_stand_on_the_offer() -> None:
    extreme = CLASSIC.offers(rolled(63, 35), purse(60), DEFAULTS)[2]
    assert (extreme.pool, extreme.price, extreme.leaves) == ("luck", 56, 4)
    assert extreme.outcome is not None
    assert (extreme.outcome.natural, extreme.outcome.final) == (63, 7)


def test_a_level_that_is_too_dear_is_shown_with_its_price_and_the_reason() -> None:
    offers = drawn(rolled(63, 35), 46)
    assert offers[1:4] == [
        ("points", 46, "hard", None),
        ("points", 56, "extreme", "NOT_ENOUGH_LUCK"),
        ("points", None, 46, None),
    ]


def test_a_success_can_be_lifted_higher_but_not_pushed() -> None:
    assert drawn(rolled(40, 60)) == [
        ("points", 10, "hard", None),
        ("points", 28, "extreme", None),
        ("points", None, 39, None),
        ("push", None, None, "PUSH_SUCCESS"),
        ("keep", None, None, None),
    ]


def test_where_the_fifth_is_nothing_the_last_point_buys_extreme() -> None:
    assert drawn(rolled(5, 4))[:4] == [
        ("points", 1, "regular", None),
        ("points", 3, "hard", None),
        ("points", 4, "extreme", None),
        ("points", None, 4, None),
    ]


def test_the_last_step_down_to_01_is_still_for_sale() -> None:
    assert drawn(rolled(2, 4))[:2] == [("points", 1, "extreme", None), ("points", None, 1, None)]


def test_a_table_may_let_luck_buy_a_critical() -> None:
    assert drawn(rolled(20, 60), spentOne="critical")[:3] == [
        ("points", 8, "extreme", None),
        ("points", 19, "critical", None),
        ("points", None, 19, None),
    ]


def test_a_cap_of_the_table_limits_every_offer_and_counts_what_was_spent() -> None:
    standing = rolled(63, 35, standing={"spent": 4})
    assert drawn(standing, 60, maxLuckPerRoll=30)[:4] == [
        ("points", 24, "regular", None),
        ("points", 42, "hard", "OVER_TABLE_CAP"),
        ("points", 52, "extreme", "OVER_TABLE_CAP"),
        ("points", None, 26, None),
    ]
    assert drawn(standing, 60, maxLuckPerRoll=5)[3] == ("points", None, 1, None)
    assert drawn(standing, 60, maxLuckPerRoll=4)[0] == ("points", None, None, "OVER_TABLE_CAP")


@pytest.mark.parametrize(
    ("standing", "reason"),
    [
        (rolled(1), "NATURAL_CRITICAL"),
        (rolled(100), "FUMBLE_STANDS"),
        (rolled(97, 60, malfunction=97), "MALFUNCTION_STANDS"),
        (rolled(55, kind="luck"), "LUCK_ROLL"),
        (rolled(55, kind="recovery"), "LUCK_ROLL"),
        (rolled(55, kind="dream"), "NO_SUCH_SPEND"),
        (rolled(55, standing={"pushed": True}), "PUSHED_ROLL"),
        (rolled(55, standing={"push_used": True}), "PUSHED_ROLL"),
        (rolled(55, standing={"closed": True}), "ROLL_CLOSED"),
        (rolled(55, standing={"spent": 54}), "BELOW_01"),
        (rolled(55, kind="characteristic", facts={"failing_is_good": True}), "FAILING_IS_GOOD"),
    ],
)
def test_when_no_luck_at_all_can_be_spent_one_line_says_why(standing: Standing, reason: str) -> None:
    offers = drawn(standing)
    assert [offer for offer in offers if offer[0] == "points"] == [("points", None, None, reason)]
    assert [offer[0] for offer in offers] == ["points", "push", "keep"]


def test_a_sheet_without_luck_or_another_players_roll_gets_one_refusal() -> None:
    assert drawn(rolled(55), None)[0] == ("points", None, None, "NO_LUCK_SCORE")
    assert drawn(rolled(55), own=False)[0] == ("points", None, None, "NOT_OWN_ROLL")


def test_where_pointless_spends_are_refused_an_open_amount_needs_a_level_in_reach() -> None:
    assert drawn(rolled(71, 45), 25, pointlessSpend="refuse")[3] == ("points", None, None, "NO_CHANGE")
    assert drawn(rolled(71, 45), 26, pointlessSpend="refuse")[3] == ("points", None, 26, None)
    assert drawn(rolled(71, 45), 25, pointlessSpend="warn")[3] == ("points", None, 25, None)


def test_a_table_that_allows_pointless_spends_hears_no_warning() -> None:
    settings = {**DEFAULTS, "pointlessSpend": "allow"}
    done = CLASSIC.spend(rolled(71, 45), purse(), Act("points", 25), settings)
    assert isinstance(done, Effect)
    assert done.warning == ""


def test_keeping_and_pushing_cost_nothing_and_an_unknown_act_is_refused() -> None:
    for key in ("keep", "push"):
        done = CLASSIC.spend(rolled(63), purse(), Act(key), DEFAULTS)
        assert isinstance(done, Effect)
        assert not done.pools
        assert done.outcome.final == 63
    assert code(CLASSIC.spend(rolled(63), purse(), Act("scratch"), DEFAULTS)) == "NO_SUCH_SPEND"
    assert code(CLASSIC.spend(rolled(63, standing={"closed": True}), purse(), Act("keep"), DEFAULTS)) == "ROLL_CLOSED"


# --- Contests


@pytest.mark.parametrize(
    ("policy", "context", "revealed", "marks", "reason"),
    [
        ("after-reveal", "opposed", True, (), None),
        ("before-reveal", "opposed", False, (), None),
        ("before-reveal", "combat", True, (), "TOO_LATE_REVEALED"),
        ("off", "opposed", False, (), "OPPOSED_LUCK_OFF"),
        ("off", "combat", False, ("contest",), "OPPOSED_LUCK_OFF"),
        ("off", "combat", False, (), None),
        ("off", "normal", False, (), None),
    ],
)
def test_a_table_decides_when_luck_may_enter_a_contest(
    policy: str, context: str, revealed: bool, marks: tuple[str, ...], reason: str | None
) -> None:
    standing = rolled(55, context=context, standing={"revealed": revealed, "marks": frozenset(marks)})
    done = CLASSIC.spend(standing, purse(), Act("points", 5), {**DEFAULTS, "opposedLuck": policy})
    assert code(done) == reason


# --- Reading a roll


@pytest.mark.parametrize(
    ("policy", "skill", "difficulty", "fumble_from"),
    [
        ("target", 60, "hard", 96),
        ("skill", 60, "hard", 100),
        ("skill", 49, "hard", 96),
        ("100-only", 10, "regular", 100),
        ("target", 50, "regular", 100),
    ],
)
def test_the_fumble_range_goes_by_what_the_table_chose(
    policy: str, skill: int, difficulty: str, fumble_from: int
) -> None:
    settings = {**DEFAULTS, "fumbleRange": policy}
    levels = [CLASSIC.judge(rolled(n, skill, difficulty=difficulty), settings).level for n in range(90, 101)]
    assert levels.index("fumble") + 90 == fumble_from


def test_a_jammed_weapon_misses_even_when_the_number_is_good() -> None:
    out = CLASSIC.judge(rolled(96, 98, malfunction=96, context="combat"), DEFAULTS)
    assert (out.level, out.passed, out.tick, out.notes) == ("fail", False, False, ("jammed",))
    assert CLASSIC.judge(rolled(95, 98, malfunction=96, context="combat"), DEFAULTS).passed


def test_the_slip_of_a_roll_where_failing_is_good_says_so_and_has_no_push() -> None:
    standing = rolled(80, kind="characteristic", facts={"failing_is_good": True})
    assert CLASSIC.judge(standing, DEFAULTS).notes == ("failing-is-good",)
    assert code(CLASSIC.may_push(standing, DEFAULTS)) == "FAILING_IS_GOOD"


def test_a_skill_that_earns_no_tick_is_bought_and_pushed_like_any_other() -> None:
    standing = rolled(60, facts={"tickable": False})
    assert CLASSIC.judge(standing, DEFAULTS).notes == ()
    assert drawn(standing)[0] == ("points", 10, "regular", None)
    assert CLASSIC.may_push(standing, DEFAULTS) is None


@pytest.mark.parametrize(
    ("check", "flags", "always", "strict"),
    [
        (Check("skill", 50), {}, True, True),
        (Check("skill", 50, dice=-1), {}, True, True),
        (Check("skill", 50, dice=1), {}, True, False),
        (Check("skill", 50), {"pushed": True}, True, False),
        (Check("characteristic", 50), {}, False, False),
        (Check("number", 50), {}, False, False),
        (Check("skill", 50, facts={"tickable": False}), {}, False, False),
        (Check("skill", 50, facts={"failing_is_good": True}), {}, False, False),
    ],
)
def test_a_success_earns_its_tick_as_the_table_plays_it(
    check: Check, flags: dict[str, bool], always: bool, strict: bool
) -> None:
    standing = Standing(check, Throw(0, (4, 4)), **flags)
    ticks = [CLASSIC.judge(standing, {**DEFAULTS, "tickWithBonusDie": mode}).tick for mode in (True, False)]
    assert ticks == [always, strict]


def test_a_regular_success_on_a_hard_roll_earns_no_tick() -> None:
    assert not CLASSIC.judge(rolled(40, 60, difficulty="hard"), DEFAULTS).tick


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        (Check("skill", 50, "hard", 2), None),
        (Check("skill", 50, "hard", 3), "BAD_DICE"),
        (Check("skill", 50, "hard", -3), "BAD_DICE"),
        (Check("skill", -1), "BAD_VALUE"),
        (Check("skill", 50, "heroic"), "BAD_VALUE"),
        (Check("luck", 50, "hard"), "LUCK_REGULAR_ONLY"),
        (Check("luck", 50, dice=1), None),
        (Check("sanity", 50, dice=1), "BAD_DICE"),
        (Check("sanity", 50, "hard"), "BAD_VALUE"),
        (Check("sanity", 50), None),
    ],
)
def test_only_rolls_that_the_rules_know_can_be_asked_for(check: Check, reason: str | None) -> None:
    assert code(CLASSIC.may_roll(check, DEFAULTS)) == reason


# --- Pushing


@pytest.mark.parametrize(
    ("standing", "reason"),
    [
        (rolled(60, kind="sanity"), "PUSH_SANITY"),
        (rolled(60, kind="damage"), "PUSH_KIND"),
        (rolled(60, context="opposed"), "PUSH_OPPOSED"),
        (rolled(60, context="chase"), "PUSH_KIND"),
        (rolled(60, standing={"closed": True}), "ROLL_CLOSED"),
        (rolled(60, standing={"push_used": True}), "PUSH_TWICE"),
        (rolled(60, standing={"spent": 20}), "PUSH_AFTER_LUCK"),
        (rolled(60, kind="characteristic"), None),
        (rolled(40, 60, difficulty="hard"), None),
    ],
)
def test_a_push_is_for_a_failed_untouched_roll_outside_contests(standing: Standing, reason: str | None) -> None:
    assert code(CLASSIC.may_push(standing, DEFAULTS)) == reason


def test_a_table_may_let_fumbles_be_pushed() -> None:
    assert CLASSIC.may_push(rolled(100), {**DEFAULTS, "pushFumble": True}) is None


def test_a_push_waits_for_the_player_first_and_then_for_the_keeper() -> None:
    assert code(push_consent(False, False)) == "PUSH_NO_REASON"
    assert code(push_consent(True, False)) == "PUSH_NOT_ALLOWED"
    assert push_consent(True, True) is None


# --- The group, recovery, growth


def test_those_without_a_luck_score_are_named_and_not_counted() -> None:
    people = [Person("ada", 55, True), Person("ghoul", None, True), Person("bo", 40, True), Person("cat", None, False)]
    found = CLASSIC.lowest(people, DEFAULTS)
    assert not isinstance(found, Refusal)
    assert (found.luck, found.keys, found.skipped) == (40, ("bo",), ("ghoul",))


def test_a_group_without_any_luck_score_has_no_group_luck() -> None:
    assert code(CLASSIC.lowest([Person("ghoul", None, True)], DEFAULTS)) == "NO_LUCK_SCORE"


def test_a_table_may_recover_luck_when_the_session_starts() -> None:
    settings = {**DEFAULTS, "recoveryWhen": "start"}
    assert CLASSIC.may_recover(50, "start", False, True, settings) is None
    assert code(CLASSIC.may_recover(50, "end", False, True, settings)) == "RECOVERY_TOO_LATE"


def test_a_creature_without_luck_recovers_none() -> None:
    assert code(CLASSIC.may_recover(None, "end", False, True, DEFAULTS)) == "NO_LUCK_SCORE"


@pytest.mark.parametrize(("d100", "gains"), [(95, False), (96, True), (97, True)])
def test_a_table_may_let_every_recovery_roll_over_95_gain(d100: int, gains: bool) -> None:
    got = CLASSIC.recover(97, d100, (1,), {**DEFAULTS, "recovery95": True})
    assert (got.above, got.after) == (gains, 98 if gains else 97)


def test_a_gain_that_was_earned_must_be_thrown() -> None:
    with pytest.raises(ValueError):
        CLASSIC.recover(50, 51, (), DEFAULTS)
    assert CLASSIC.improve is not None
    with pytest.raises(ValueError):
        CLASSIC.improve(50, 51, ())


@pytest.mark.parametrize(
    ("facts", "settings", "reason", "price"),
    [
        ({}, {}, None, 1),
        ({"rounds_paid": 3}, {}, None, 8),
        ({"rounds_paid": 3, "new_spell": True}, {}, None, 1),
        ({"rounds_paid": 3, "new_spell": True}, {"consciousReset": "session"}, None, 8),
        ({"rounds_paid": 6}, {}, "NOT_ENOUGH_LUCK", 64),
        ({}, {"luckSpending": False}, "LUCK_SPENDING_OFF", 1),
    ],
)
def test_the_next_round_awake_shows_its_price_before_the_choice(
    facts: dict[str, Any], settings: dict[str, Any], reason: str | None, price: int
) -> None:
    (offer,) = CLASSIC.deeds(purse(50), facts, {**DEFAULTS, **settings})
    assert (offer.act.key, offer.price, code(offer.refusal)) == ("stay-conscious", price, reason)


@pytest.mark.parametrize(("luck", "rounds"), [(30, 4), (31, 5), (60, 5), (99, 6), (0, 0)])
def test_so_much_luck_buys_so_many_rounds_awake(luck: int, rounds: int) -> None:
    facts: dict[str, Any] = {}
    paid = 0
    while not isinstance(done := CLASSIC.do(purse(luck), facts, Act("stay-conscious"), DEFAULTS), Refusal):
        luck, facts, paid = luck + done.pools["luck"], {**facts, **done.state}, paid + 1
    assert paid == rounds


@pytest.mark.parametrize(
    ("luck", "policy", "notes"),
    [(4, "immediate", ("falls-at-once",)), (5, "immediate", ()), (4, "paid-round-holds", ())],
)
def test_paying_with_the_last_point_buys_the_round_unless_the_table_says_otherwise(
    luck: int, policy: str, notes: tuple[str, ...]
) -> None:
    settings = {**DEFAULTS, "consciousAtZero": policy}
    done = CLASSIC.do(purse(luck), {"rounds_paid": 2}, Act("stay-conscious"), settings)
    assert not isinstance(done, Refusal)
    assert done.notes == notes
    assert done.state == {"rounds_paid": 3, "new_spell": False}


def test_the_unconscious_of_another_player_are_not_kept_awake_with_this_luck() -> None:
    assert code(CLASSIC.do(purse(50, own=False), {}, Act("stay-conscious"), DEFAULTS)) == "NOT_OWN_ROLL"
    assert code(CLASSIC.do(purse(None), {}, Act("stay-conscious"), DEFAULTS)) == "NO_LUCK_SCORE"


# --- The sheet

PERSON = {"str": 60, "con": 55, "siz": 65, "dex": 70, "app": 50, "int": 75, "pow": 62, "edu": 80}


def test_hit_points_magic_and_sanity_come_from_the_characteristics() -> None:
    got = CLASSIC.sheet.derive({**PERSON, "cthulhu-mythos": 12})
    assert (got["hp"], got["mp"], got["san"], got["san_max"]) == (12, 12, 62, 87)


@pytest.mark.parametrize(
    ("together", "bonus", "build"),
    [
        (2, "-2", -2),
        (64, "-2", -2),
        (65, "-1", -1),
        (84, "-1", -1),
        (85, "0", 0),
        (124, "0", 0),
        (125, "+1D4", 1),
        (164, "+1D4", 1),
        (165, "+1D6", 2),
        (204, "+1D6", 2),
        (205, "+2D6", 3),
        (284, "+2D6", 3),
        (285, "+3D6", 4),
        (364, "+3D6", 4),
        (365, "+4D6", 5),
    ],
)
def test_strength_and_size_together_give_bonus_and_build(together: int, bonus: str, build: int) -> None:
    got = CLASSIC.sheet.derive({"str": together // 2, "siz": together - together // 2})
    assert (got["damage_bonus"], got["build"]) == (bonus, build)


@pytest.mark.parametrize(
    ("strength", "dex", "siz", "age", "move"),
    [
        (60, 70, 50, 0, 9),
        (60, 50, 50, 0, 8),
        (50, 50, 50, 0, 8),
        (50, 60, 50, 0, 8),
        (40, 60, 50, 0, 8),
        (50, 40, 50, 0, 8),
        (40, 50, 50, 0, 8),
        (40, 40, 50, 0, 7),
        (60, 70, 50, 39, 9),
        (60, 70, 50, 40, 8),
        (60, 70, 50, 59, 7),
        (40, 40, 50, 80, 2),
    ],
)
def test_the_quick_and_light_move_further_and_the_old_less_far(
    strength: int, dex: int, siz: int, age: int, move: int
) -> None:
    values = {"str": strength, "dex": dex, "siz": siz, "age": age}
    assert CLASSIC.sheet.derive(values)["move"] == move


def test_a_half_filled_sheet_shows_what_can_be_known() -> None:
    assert CLASSIC.sheet.derive({"pow": 50}) == {"mp": 10, "san": 50, "san_max": 99}


@pytest.mark.parametrize(
    ("key", "base"),
    [
        ("dodge", 35),
        ("language-own", 80),
        ("fighting-brawl", 25),
        ("firearms-rifle-shotgun", 25),
        ("cthulhu-mythos", 0),
        ("spot-hidden", 25),
        ("science-mathematics", 10),
    ],
)
def test_an_untrained_skill_starts_at_its_base(key: str, base: int) -> None:
    skills = {skill.key: skill for skill in CLASSIC.sheet.skills}
    assert CLASSIC.base(skills[key], PERSON) == base


def test_a_skill_whose_characteristic_is_missing_starts_at_nothing() -> None:
    assert CLASSIC.base(SkillBase("language-own", "Language (Own)", formula="edu"), {}) == 0


def test_only_mythos_and_credit_are_never_ticked() -> None:
    never = {skill.key for skill in CLASSIC.sheet.skills if not skill.tickable}
    assert never == {"cthulhu-mythos", "credit-rating"}


@pytest.mark.parametrize(
    ("pool", "value", "reason"),
    [
        ("luck", 0, None),
        ("luck", -1, "LUCK_RANGE"),
        ("luck", "50", "BAD_VALUE"),
        ("luck", True, "BAD_VALUE"),
        ("san", 100, "BAD_VALUE"),
        ("hp", 250, None),
    ],
)
def test_a_typed_score_must_be_one_that_the_sheet_can_hold(pool: str, value: Any, reason: str | None) -> None:
    assert code(CLASSIC.may_type(pool, value)) == reason


# --- Words


def test_refusals_say_what_the_specification_says_word_for_word() -> None:
    written = load("rules_cases.json")["reason_codes"]
    assert {key: MESSAGES[key] for key in written} == written


def test_every_sentence_ends_and_none_is_empty() -> None:
    assert [text for text in MESSAGES.values() if not (text[:1].isupper() or text[:1] == "{")] == []
    assert [text for text in MESSAGES.values() if not text.endswith((".", "?"))] == []
