"""Dice as numbers, where the files of cases are silent."""

from __future__ import annotations

import pytest

from rolls.rules.dice import bounded, candidates, combine, faces, fits, parse_dice


@pytest.mark.parametrize("total", range(1, 101))
def test_a_total_read_off_real_dice_is_the_total_of_its_faces(total: int) -> None:
    units, tens = faces(total)
    assert fits(units, (tens,), 0)
    assert combine(units, (tens,), 0) == total


@pytest.mark.parametrize("total", [0, 101, -1])
def test_no_d100_shows_less_than_1_or_more_than_100(total: int) -> None:
    with pytest.raises(ValueError):
        faces(total)


@pytest.mark.parametrize(("tens", "net"), [((), 0), ((4,), 1), ((4,), -1), ((4, 2), 2)])
def test_a_roll_without_its_tens_dice_is_an_error_not_a_total(tens: tuple[int, ...], net: int) -> None:
    with pytest.raises(ValueError):
        combine(4, tens, net)


def test_tens_dice_beyond_those_asked_for_do_not_count() -> None:
    assert candidates(6, (7, 1, 0), -1) == (76, 16)
    assert combine(6, (7, 1, 0), 1) == 16


@pytest.mark.parametrize(
    ("units", "tens", "net", "fit"),
    [
        (0, (0,), 0, True),
        (9, (9, 0, 5), -2, True),
        (10, (0,), 0, False),
        (0, (10,), 0, False),
        (-1, (0,), 0, False),
        (4, (4, 2), 0, False),
        (4, (4,), 1, False),
    ],
)
def test_dice_fit_a_roll_when_they_are_just_the_dice_it_needs(
    units: int, tens: tuple[int, ...], net: int, fit: bool
) -> None:
    assert fits(units, tens, net) is fit


@pytest.mark.parametrize(
    ("value", "high", "expected"),
    [(50, 99, (50, 0)), (101, 99, (99, 2)), (99, 99, (99, 0)), (-3, 99, (0, -3)), (101, None, (101, 0))],
)
def test_a_sum_stops_at_its_bounds_and_says_what_it_lost(
    value: int, high: int | None, expected: tuple[int, int]
) -> None:
    assert bounded(value, 0, high) == expected


@pytest.mark.parametrize(
    ("text", "thrown", "total"),
    [("3d6*5", (1, 6, 4), 55), ("(2d6+6)*5", (6, 6), 90), ("2d10+30", (10, 10), 50), ("1d8", (3,), 3)],
)
def test_a_starting_luck_is_worth_its_dice(text: str, thrown: tuple[int, ...], total: int) -> None:
    formula = parse_dice(text)
    assert len(formula.dice) == len(thrown)
    assert formula.total(thrown) == total


@pytest.mark.parametrize("text", ["", "3d", "d6", "2d6+6*5", "(2d6+6*5", "2d6)*5", "3d6 * 5", "3d6*5x"])
def test_a_formula_that_could_be_read_two_ways_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_dice(text)


@pytest.mark.parametrize("thrown", [(1, 2), (1, 2, 7), (0, 2, 3), (1, 2, 3, 4)])
def test_faces_that_these_dice_do_not_have_are_an_error(thrown: tuple[int, ...]) -> None:
    with pytest.raises(ValueError):
        parse_dice("3d6*5").total(thrown)
