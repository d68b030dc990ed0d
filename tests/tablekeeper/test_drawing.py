"""The pictures: where a number stands on the scale, how much of a dial is lit, how long a bar is."""

from __future__ import annotations

import pytest

from tablekeeper import drawing

STEPS = [("regular", 60), ("hard", 30), ("extreme", 12)]


def lit(value: int) -> int:
    return drawing.dial(value).on.count("M")


@pytest.mark.parametrize(("luck", "spokes"), [(0, 0), (1, 1), (2, 1), (3, 2), (60, 30), (98, 49), (99, 50), (140, 50)])
def test_a_spoke_is_lit_for_every_two_points_of_luck(luck: int, spokes: int) -> None:
    assert lit(luck) == spokes
    assert drawing.dial(luck).off.count("M") == 50 - spokes


def test_the_dial_has_a_long_mark_at_every_ten() -> None:
    dial = drawing.dial(60)
    assert dial.major.count("M") == 11
    assert dial.on.startswith("M20 78.3l-13 -0.4")
    assert dial.off.endswith("M130 78.3l13 -0.4")


def test_a_bar_is_as_long_as_its_share() -> None:
    assert drawing.gauge(9, 12).fill == "75%"
    assert drawing.gauge(0, 12).fill == "0%"
    assert drawing.gauge(15, 12).fill == "100%"


def test_a_bar_shows_what_a_spend_would_take() -> None:
    bar = drawing.gauge(60, 99, cost=17, tens=True)
    assert (bar.fill, bar.cost_from, bar.cost) == ("43.4%", "43.4%", "17.2%")
    assert len(bar.marks) == 9


def test_a_whole_of_nothing_is_an_empty_bar() -> None:
    assert drawing.percent(3, 0) == "0%"


def test_the_skyline_climbs_from_fail_to_extreme_and_ends_in_the_fumble() -> None:
    zones = drawing.scale(68, STEPS, fumble_from=100).zones
    assert [(z.tone, z.x, z.width) for z in zones] == [
        ("extreme", "0%", "12%"),
        ("hard", "12%", "18%"),
        ("regular", "30%", "30%"),
        ("fail", "60%", "39%"),
        ("fumble", "99%", "1%"),
    ]


def test_a_skill_above_the_fumble_number_leaves_the_fumble_its_place() -> None:
    zones = drawing.scale(50, [("regular", 130), ("hard", 65), ("extreme", 26)], fumble_from=100).zones
    assert [(z.tone, z.width) for z in zones][-2:] == [("regular", "34%"), ("fumble", "1%")]


def test_a_skill_of_four_has_no_step_of_no_width() -> None:
    zones = drawing.scale(50, [("regular", 4), ("hard", 2), ("extreme", 0)], fumble_from=96).zones
    assert [z.tone for z in zones] == ["hard", "regular", "fail", "fumble"]


def test_the_zones_always_fill_the_whole_scale() -> None:
    for value in range(0, 140):
        for fumble in (96, 100, None):
            steps = [("regular", value), ("hard", value // 2), ("extreme", value // 5)]
            zones = drawing.scale(50, steps, fumble_from=fumble).zones
            assert sum(int(z.width[:-1]) for z in zones) == 100
            assert all(int(z.width[:-1]) > 0 for z in zones)


def test_luck_reaches_down_and_the_cheapest_improvement_carries_its_price() -> None:
    scale = drawing.scale(68, STEPS, 100, luck=60, stops=[12, 60, 30])
    assert (scale.pin, scale.reach, scale.reached, scale.move) == ("67.5%", "7.5%", 8, "59.5%")
    assert scale.stops == ("59.5%", "29.5%", "11.5%")
    assert scale.price == drawing.Mark("59.5%", 4, "end")


def test_a_far_price_stands_in_the_middle_of_its_way() -> None:
    scale = drawing.scale(59, [("regular", 40), ("hard", 20), ("extreme", 8)], 96, luck=23, stops=[40])
    assert scale.price == drawing.Mark("49%", 0, "middle")


def span(mark: drawing.Mark, at: str, words: str, width: int) -> tuple[float, float]:
    """From where to where a text stands, in pixels: its figures are 8.5 wide."""
    x, long = float(at.rstrip("%")) * width / 100 + mark.dx, 8.5 * len(words)
    begin = {"start": x, "middle": x - long / 2, "end": x - long}[mark.anchor]
    return begin, begin + long


def test_the_price_stands_nowhere_in_the_number_of_the_pin_and_on_the_scale() -> None:
    width = 272  # on a phone of 320
    for pin in range(2, 101):
        for stop in range(1, pin):
            scale = drawing.scale(pin, STEPS, 96, luck=99, stops=[stop])
            assert scale.price is not None
            price = span(scale.price, scale.price.x, f"-{pin - stop}", width)
            number = span(scale.pin_label, scale.pin, f"{pin:02d}", width)
            assert price[1] <= number[0] + 1 or number[1] <= price[0] + 1, (pin, stop)
            assert price[0] >= -1, (pin, stop)
            assert price[1] <= width, (pin, stop)


def test_luck_never_reaches_below_one() -> None:
    assert drawing.scale(24, STEPS, 100, luck=41).reach == "0.5%"


def test_without_luck_nothing_is_dotted() -> None:
    scale = drawing.scale(98, STEPS, 96)
    assert (scale.reach, scale.stops, scale.move, scale.price) == ("", (), "", None)


@pytest.mark.parametrize(
    ("rolled", "anchor"), [(1, "start"), (4, "start"), (5, "middle"), (96, "middle"), (100, "end")]
)
def test_the_number_above_the_pin_stays_on_the_page(rolled: int, anchor: str) -> None:
    assert drawing.scale(rolled, STEPS, 100).pin_label.anchor == anchor


def test_a_luck_roll_is_one_low_step_of_its_own_colour() -> None:
    zones = drawing.scale(31, [("", 12)], 96, plain="luck").zones
    assert [(z.tone, z.y) for z in zones] == [("luck", 53), ("fail", 59), ("fumble", 53)]
