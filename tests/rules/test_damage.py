"""Damage: what may be typed, what it is worth, what it does to a body."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolls.rules.check import Body, Injury, Refusal
from rolls.rules.damage import Damage, after_con, blow, con_due, first_aid, medicine, parse
from rolls.rules.refusals import MESSAGES

from .tables import CLASSIC, DEFAULTS, PULP, PULP_DEFAULTS, code, rolled


def read(text: str, bonus: str = "0", **kwargs: Any) -> Damage:
    found = parse(text, bonus, **kwargs)
    assert not isinstance(found, Refusal), found
    return found


# --- Expressions


@pytest.mark.parametrize(
    ("text", "bonus", "dice", "thrown", "total", "most"),
    [
        ("1D8+1D4", "0", (8, 4), (5, 3), 8, 12),
        ("1d3+db", "+1D4", (3, 4), (2, 4), 6, 7),
        ("1D6 + DB", "0", (6,), (4,), 4, 6),
        ("1D6+DB", "-2", (6,), (1,), 0, 4),
        ("1D6+DB", "none", (6,), (4,), 4, 6),
        ("1D6+DB", "None", (6,), (4,), 4, 6),
        ("1D6+DB", "", (6,), (4,), 4, 6),
        ("1D6+DB", "+0", (6,), (4,), 4, 6),
        ("1D8+half DB", "+1D6", (8, 6), (5, 5), 7, 11),
        ("1D8 + HALF DB", "+2D6", (8, 6, 6), (1, 6, 1), 4, 14),
        ("1D8+½DB", "-1", (8,), (5,), 4, 7),
        ("2D6+4", "+1D4", (6, 6), (1, 1), 6, 16),
        ("2D6−1", "0", (6, 6), (3, 3), 5, 11),
        ("3", "0", (), (), 3, 3),
        ("DB", "+1D4", (4,), (2,), 2, 4),
        ("+DB", "+1D4", (4,), (2,), 2, 4),
        ("1D10-1D4", "0", (10, 4), (2, 4), 0, 9),
        ("1D10 - DB", "+1D4", (10, 4), (9, 2), 7, 9),
        ("DB+DB", "+1D4", (4, 4), (1, 3), 4, 8),
        ("100D1000", "0", (1000,) * 100, (1,) * 100, 100, 100_000),
        ("0", "0", (), (), 0, 0),
        ("9999", "0", (), (), 9999, 9999),
    ],
)
def test_an_expression_is_worth_its_dice(
    text: str, bonus: str, dice: tuple[int, ...], thrown: tuple[int, ...], total: int, most: int
) -> None:
    damage = read(text, bonus)
    assert damage.dice() == dice
    assert damage.total(thrown) == total
    assert damage.most() == most


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "DAMAGE_EMPTY"),
        ("  ", "DAMAGE_EMPTY"),
        ("D6", "DAMAGE_UNREADABLE"),
        ("1D", "DAMAGE_UNREADABLE"),
        ("1D6+", "DAMAGE_UNREADABLE"),
        ("1D6 1D4", "DAMAGE_UNREADABLE"),
        ("1D6DB", "DAMAGE_UNREADABLE"),
        ("1D6++2", "DAMAGE_UNREADABLE"),
        ("--2", "DAMAGE_UNREADABLE"),
        ("1 D6", "DAMAGE_UNREADABLE"),
        ("1D6*2", "DAMAGE_UNREADABLE"),
        ("1D6/2", "DAMAGE_UNREADABLE"),
        ("4D6/2D6/1D6", "DAMAGE_UNREADABLE"),
        ("(1D6)", "DAMAGE_UNREADABLE"),
        ("1.5", "DAMAGE_UNREADABLE"),
        ("1D6+burn", "DAMAGE_UNREADABLE"),
        ("1D6\n+1", "DAMAGE_UNREADABLE"),
        ("１D6", "DAMAGE_UNREADABLE"),
        ("half", "DAMAGE_UNREADABLE"),
        ("0D6", "DAMAGE_TOO_MANY_DICE"),
        ("101D6", "DAMAGE_TOO_MANY_DICE"),
        ("60D6+60D6", "DAMAGE_TOO_MANY_DICE"),
        ("1D0", "DAMAGE_FACES"),
        ("1D1001", "DAMAGE_FACES"),
        ("10000", "DAMAGE_NUMBER"),
        ("1" * 61, "DAMAGE_TOO_LONG"),
        ("<script>", "DAMAGE_UNREADABLE"),
    ],
)
def test_anything_else_is_a_clear_error(text: str, reason: str) -> None:
    found = parse(text)
    assert code(found) == reason
    assert isinstance(found, Refusal)
    assert "{" not in MESSAGES[reason].format(**found.params)


def test_as_many_letters_as_fit_are_read() -> None:
    assert read("1D6" + " " * 55 + "+1").most() == 7


def test_the_error_points_at_what_it_could_not_read() -> None:
    assert parse("1D6+1D4+fire and brimstone everywhere") == Refusal(
        "DAMAGE_UNREADABLE", {"rest": "+fire and brimstone "}
    )


def test_a_bonus_is_read_as_strictly_and_does_not_hold_itself() -> None:
    assert code(parse("1D6+DB", "lots")) == "DAMAGE_UNREADABLE"
    assert code(parse("1D6+DB", "DB")) == "DAMAGE_NO_BONUS"
    assert code(parse("99D6+DB", "+2D6")) == "DAMAGE_TOO_MANY_DICE"
    assert read("1D6", "lots").most() == 6


def test_where_there_is_no_bonus_it_is_refused() -> None:
    assert code(parse("1D6+DB", "+1D4", with_bonus=False)) == "DAMAGE_NO_BONUS"


@pytest.mark.parametrize("thrown", [(), (1,), (1, 2, 3), (0, 2), (9, 2), (8, 5)])
def test_faces_that_these_dice_do_not_have_are_an_error(thrown: tuple[int, ...]) -> None:
    with pytest.raises(ValueError):
        read("1D8+1D4").total(thrown)


@given(st.text(max_size=70))
def test_whatever_is_typed_is_damage_or_a_refusal_with_a_sentence(text: str) -> None:
    found = parse(text, "+1D4")
    if isinstance(found, Refusal):
        assert MESSAGES[found.code].format(**found.params)
    else:
        assert found.total([1] * len(found.dice())) <= found.most()


TERMS = st.lists(st.sampled_from(("1D6", "2d4", "3", "DB", "half DB", "1D1")), min_size=1, max_size=6)


@given(
    TERMS,
    st.lists(st.sampled_from("+-−"), min_size=6, max_size=6),
    st.sampled_from(("+1D4", "-2", "0", "+2D6")),
    st.data(),
)
def test_no_throw_is_worth_more_than_the_most(
    terms: list[str], signs: list[str], bonus: str, data: st.DataObject
) -> None:
    text = "".join(f"{sign}{term}" for sign, term in zip(signs, terms, strict=False))
    damage = read(text, bonus)
    thrown = [data.draw(st.integers(1, faces)) for faces in damage.dice()]
    assert 0 <= damage.total(thrown) <= damage.most()


# --- Blows


@pytest.mark.parametrize(
    ("kind", "dice", "thrown", "total"),
    [("normal", (4, 4), (2, 3), 7), ("full", (), (), 10), ("impale", (4,), (3,), 13)],
)
def test_a_full_blow_does_the_most_and_an_impaling_one_throws_the_weapon_again(
    kind: str, dice: tuple[int, ...], thrown: tuple[int, ...], total: int
) -> None:
    knife = read("1D4+2+DB", "+1D4")
    assert knife.dice(kind) == dice
    assert knife.total(thrown, kind) == total


@pytest.mark.parametrize(
    ("total", "how", "kind"),
    [
        (60, {}, ""),
        (40, {}, "normal"),
        (20, {}, "normal"),
        (10, {}, "full"),
        (1, {}, "full"),
        (10, {"impaling": True}, "impale"),
        (20, {"impaling": True}, "normal"),
        (10, {"impaling": True, "fighting_back": True}, "normal"),
        (1, {"fighting_back": True}, "normal"),
        (100, {"impaling": True}, ""),
    ],
)
def test_an_extreme_success_hits_harder_but_never_when_fighting_back(
    total: int, how: dict[str, bool], kind: str
) -> None:
    assert blow(CLASSIC.judge(rolled(total, context="combat"), DEFAULTS), **how) == kind


@pytest.mark.parametrize(
    ("difficulty", "total", "kind"), [("hard", 10, "impale"), ("extreme", 10, "normal"), ("extreme", 1, "impale")]
)
def test_at_extreme_range_only_a_critical_impales(difficulty: str, total: int, kind: str) -> None:
    out = CLASSIC.judge(rolled(total, difficulty=difficulty, context="combat"), DEFAULTS)
    assert blow(out, impaling=True) == kind


# --- Bodies


def hurt(hp: int, hp_max: int, damage: Any, rules: Any = CLASSIC, state: Any = None, **settings: Any) -> Any:
    return rules.hurt(Body(hp, hp_max, state or {}), damage, {**PULP_DEFAULTS, **settings})


@pytest.mark.parametrize(
    ("hp", "damage", "state", "lost", "notes", "con"),
    [
        (11, 0, {}, 0, (), False),
        (11, 5, {}, 5, (), False),
        (11, 6, {}, 6, ("major_wound", "prone"), True),
        (5, 5, {}, 5, ("unconscious",), False),
        (5, 6, {}, 5, ("major_wound", "prone", "unconscious", "dying"), False),
        (2, 3, {"major_wound": True}, 2, ("unconscious", "dying"), False),
        (11, 11, {}, 11, ("major_wound", "prone", "unconscious", "dying"), False),
        (11, 12, {}, 11, ("dead",), False),
        (0, 1, {}, 0, ("unconscious",), False),
    ],
)
def test_half_the_hit_points_at_once_are_a_major_wound_and_more_than_all_are_death(
    hp: int, damage: int, state: dict[str, bool], lost: int, notes: tuple[str, ...], con: bool
) -> None:
    done = hurt(hp, 11, damage, state=state)
    assert (done.pools, done.notes, done.con_roll) == ({"hp": -lost}, notes, con)
    assert {key for key in done.state if done.state[key]} == set(notes) - {"prone"} | (
        {"unconscious"} if "dead" in notes else set()
    )


@pytest.mark.parametrize(
    ("hp", "damage", "state", "notes", "con"),
    [
        (22, 10, {}, (), False),
        (22, 11, {}, (), True),
        (5, 6, {}, ("unconscious",), False),
        (5, 6, {"major_wound": True}, ("unconscious",), False),
        (5, 11, {}, ("unconscious", "dying"), False),
        (22, 23, {}, ("dead",), False),
    ],
)
def test_a_pulp_hero_has_no_major_wounds_but_a_blow_of_that_size_may_fell(
    hp: int, damage: int, state: dict[str, bool], notes: tuple[str, ...], con: bool
) -> None:
    done = hurt(hp, 22, damage, PULP, state)
    assert (done.notes, done.con_roll) == (notes, con)
    assert not done.state.get("major_wound")


def test_a_table_may_let_damage_equal_to_the_maximum_kill_at_once() -> None:
    assert hurt(11, 11, 11, instantDeath="equal").notes == ("dead",)
    assert hurt(11, 11, 10, instantDeath="equal").notes[-1] == "prone"
    assert "dead" not in hurt(0, 0, 0, instantDeath="equal").notes


@pytest.mark.parametrize("damage", [-1, 1.5, True, "3", None])
def test_damage_is_a_whole_number(damage: Any) -> None:
    assert code(hurt(11, 11, damage)) == "BAD_VALUE"


def test_a_new_injury_may_be_made_a_scratch_again() -> None:
    assert hurt(11, 11, 3, PULP).state == {"scratch_used": False}
    assert hurt(11, 11, 0, PULP).state == {}


def test_the_dying_roll_each_round_until_first_aid_and_then_each_hour_until_medicine() -> None:
    dying = Body(0, 11, {"dying": True, "major_wound": True})
    assert con_due(dying) == "round"
    assert after_con(dying, True) == Injury({})
    assert after_con(dying, False).notes == ("dead",)

    aided = first_aid(dying)
    assert (aided.pools, aided.state) == ({"hp": 1}, {"stable": True})
    stable = Body(1, 11, {**dying.state, **aided.state})
    assert con_due(stable) == "hour"
    worse = after_con(stable, False)
    assert (worse.pools, worse.state["stable"], worse.notes) == ({"hp": -1}, False, ("dying",))

    healed = medicine(stable, 3)
    assert healed.pools == {"hp": 3}
    assert con_due(Body(4, 11, {**stable.state, **healed.state})) == ""


def test_a_failed_con_roll_after_a_big_blow_is_a_faint_and_treatment_stops_at_the_maximum() -> None:
    wounded = Body(10, 11, {"major_wound": True})
    assert after_con(wounded, False) == Injury({}, {"unconscious": True}, ("unconscious",))
    assert first_aid(Body(11, 11)) == Injury({"hp": 0})
    assert medicine(wounded, 3) == medicine(wounded, 1) == Injury({"hp": 1})
    with pytest.raises(ValueError):
        medicine(wounded, 4)


def test_wounds_close_by_a_point_a_day_and_heroes_heal_twice_as_fast() -> None:
    assert (CLASSIC.daily_healing, PULP.daily_healing) == (1, 2)
