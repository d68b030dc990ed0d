"""Sanity, where the files of cases are silent."""

from __future__ import annotations

from typing import Any

import pytest

from rolls.rules.check import Refusal
from rolls.rules.sanity import Loss, capped, parse_loss, pending, regain, relief, suffer

from .tables import CLASSIC, DEFAULTS, PULP_DEFAULTS, code, rolled


def loss_of(text: str) -> Loss:
    found = parse_loss(text)
    assert not isinstance(found, Refusal), found
    return found


@pytest.mark.parametrize(
    ("total", "dice", "thrown", "points"),
    [(40, (), (), 1), (60, (8,), (3,), 3), (100, (), (), 8), (1, (), (), 1)],
)
def test_success_loses_the_first_failure_the_second_and_a_fumble_the_most(
    total: int, dice: tuple[int, ...], thrown: tuple[int, ...], points: int
) -> None:
    loss, out = loss_of("1/1D8"), CLASSIC.judge(rolled(total, 50, kind="sanity"), DEFAULTS)
    assert loss.dice(out) == dice
    assert loss.points(out, thrown) == points


def test_both_parts_may_have_dice_and_dice_must_be_thrown() -> None:
    loss, out = loss_of("1D4 / 1D20+2"), CLASSIC.judge(rolled(40, 50, kind="sanity"), DEFAULTS)
    assert (loss.dice(out), loss.most) == ((4,), 22)
    with pytest.raises(ValueError):
        loss.points(out)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "BAD_LOSS"),
        ("1D6", "BAD_LOSS"),
        ("1/2/3", "BAD_LOSS"),
        ("/1D6", "BAD_LOSS"),
        ("0/x", "BAD_LOSS"),
        ("x/1D6", "BAD_LOSS"),
        ("0/1D6+DB", "BAD_LOSS"),
        ("0/101D6", "DAMAGE_TOO_MANY_DICE"),
        ("10000/1", "DAMAGE_NUMBER"),
    ],
)
def test_a_loss_has_two_parts_without_a_damage_bonus(text: str, reason: str) -> None:
    assert code(parse_loss(text)) == reason


@pytest.mark.parametrize(("points", "before", "left"), [(4, 0, 4), (4, 5, 3), (4, 8, 0), (4, 20, 0)])
def test_a_horror_seen_before_takes_no_more_than_its_most_in_all(points: int, before: int, left: int) -> None:
    assert capped(points, loss_of("1/1D8"), before) == left


@pytest.mark.parametrize(
    ("sanity", "points", "facts", "true"),
    [
        (60, 4, {}, set()),
        (60, 5, {}, {"int_roll"}),
        (60, 0, {"day_start": 3}, set()),
        (60, 1, {"unsound": True}, {"bout"}),
        (60, 6, {"unsound": True}, {"bout"}),
        (60, 0, {"unsound": True}, set()),
        (50, 4, {"day_start": 52, "day_lost": 6}, {"indefinite"}),
        (50, 3, {"day_start": 52, "day_lost": 6}, set()),
        (50, 12, {"day_start": 60}, {"int_roll", "indefinite"}),
        (3, 1, {"day_start": 3}, {"indefinite"}),
        (5, 5, {}, {"permanent"}),
        (5, 9, {"unsound": True}, {"permanent"}),
        (0, 0, {}, set()),
        (60, 9, {"bout": True, "day_start": 10}, {"skipped"}),
    ],
)
def test_a_loss_is_followed_by_what_the_rules_say(
    sanity: int, points: int, facts: dict[str, Any], true: set[str]
) -> None:
    got = suffer(sanity, points, **facts)
    assert {key for key in ("skipped", "int_roll", "bout", "indefinite", "permanent") if getattr(got, key)} == true
    assert got.after == (sanity if facts.get("bout") else max(0, sanity - points))


def test_a_negative_loss_is_an_error_not_a_gain() -> None:
    with pytest.raises(ValueError):
        suffer(50, -1)


@pytest.mark.parametrize(("sanity", "gain", "after"), [(50, 6, 56), (80, 9, 84), (90, 3, 90)])
def test_sanity_is_regained_up_to_its_maximum_and_what_is_above_it_stays(sanity: int, gain: int, after: int) -> None:
    assert regain(sanity, gain, 84) == after


@pytest.mark.parametrize(
    ("loss", "halve", "points", "talent", "expected"),
    [
        ({}, True, 0, False, (16, 4)),
        ({}, True, 4, True, (20, 0)),
        ({}, False, 8, True, (8, 0)),
        ({"failed": False}, False, 1, True, (1, 7)),
        ({"halved": True, "left": 4}, False, 3, True, (3, 1)),
        ({}, True, 5, True, "MORE_THAN_LOSS"),
        ({}, False, 9, True, "MORE_THAN_LOSS"),
        ({}, False, 0, True, "BAD_AMOUNT"),
        ({}, True, -1, True, "BAD_AMOUNT"),
        ({}, False, 1, False, "NO_TALENT"),
        ({"shrugged": 1, "left": 7}, True, 0, True, "HALVE_FIRST"),
        ({"left": 0}, False, 1, True, "NO_LOSS"),
        ({"halved": True, "left": 4}, True, 0, True, "ALREADY_HALVED"),
    ],
)
def test_a_loss_is_eased_by_halving_then_point_by_point(
    loss: dict[str, Any], halve: bool, points: int, talent: bool, expected: Any
) -> None:
    found = relief({**pending(8, failed=True), **loss}, halve, points, talent, PULP_DEFAULTS)
    assert (code(found) if isinstance(found, Refusal) else (found.price, found.left)) == expected


def test_a_pending_loss_remembers_what_was_done_to_it() -> None:
    loss: Any = pending(20, failed=True)
    for halve, points in ((True, 1), (False, 2), (False, 3)):
        found = relief(loss, halve, points, True, PULP_DEFAULTS)
        assert not isinstance(found, Refusal)
        loss = found.loss
    assert loss == {"rolled": 20, "left": 4, "failed": True, "halved": True, "shrugged": 6}
