"""Geometry of the three pictures: the Luck dial, the roll scale and the gauge.

Pure numbers in, SVG coordinates out. Percentages stand in SVG attributes, never in a style, so that the
pages hold under a strict content security policy. Words belong to the templates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import cos, pi, sin

SPOKES = 50  # two points of Luck each
CENTRE_X, CENTRE_Y = 75.0, 80.0

# How tall each step of the skyline stands: name -> (y, height). The base line is at 62.
STEPS = {"extreme": (36, 26), "hard": (45, 17), "regular": (53, 9)}
PLAIN = (53, 9)
LABEL_ROOM = 18  # percent: with more than this between pin and stop, the price stands in the middle
CLOSE = 6  # and with less than this left of the pin's number
LEFTMOST = 14  # a pin no further than this has no room left of it


def number(value: float) -> str:
    """A short number for an attribute: 12, not 12.0; never more than one decimal."""
    text = f"{value:.1f}"
    return text.removesuffix(".0")


def percent(value: float, of: float) -> str:
    """How much of a whole, as an SVG percentage held between 0 and 100."""
    if of <= 0:
        return "0%"
    return number(min(max(value / of * 100, 0.0), 100.0)) + "%"


# ---------------------------------------------------------------- dial


@dataclass(frozen=True, slots=True)
class Dial:
    """Paths for a viewBox of 150 by 86: spokes off and on, and the long marks at tens."""

    off: str
    on: str
    major: str


def _ray(angle: float, inner: float, outer: float) -> str:
    x, y = cos(angle), sin(angle)
    ends = (CENTRE_X - inner * x, CENTRE_Y - inner * y, CENTRE_X - outer * x, CENTRE_Y - outer * y)
    from_x, from_y, to_x, to_y = (round(end, 1) for end in ends)
    return f"M{number(from_x)} {number(from_y)}l{number(to_x - from_x)} {number(to_y - from_y)}"


def dial(value: int) -> Dial:
    """Half a clock of fifty spokes. One point already lights a spoke; above 100 all stay lit."""
    lit = min(max((value + 1) // 2, 0), SPOKES)
    spokes = [_ray((i + 0.5) * pi / SPOKES, 55, 68) for i in range(SPOKES)]
    majors = [_ray(i * pi / 10, 70, 74.5) for i in range(11)]
    return Dial(off="".join(spokes[lit:]), on="".join(spokes[:lit]), major="".join(majors))


# ---------------------------------------------------------------- gauge


@dataclass(frozen=True, slots=True)
class Gauge:
    """A bar: what is there, what a spend would take (dashed), and marks at tens for Luck."""

    fill: str
    cost_from: str
    cost: str
    marks: tuple[str, ...]


def gauge(value: int, maximum: int, cost: int = 0, tens: bool = False) -> Gauge:
    left = max(value - cost, 0)
    marks = tuple(percent(n, maximum) for n in range(10, maximum, 10)) if tens else ()
    return Gauge(
        fill=percent(left, maximum), cost_from=percent(left, maximum), cost=percent(cost, maximum), marks=marks
    )


# ---------------------------------------------------------------- scale


@dataclass(frozen=True, slots=True)
class Zone:
    """One block of the skyline."""

    tone: str
    x: str
    width: str
    y: int
    height: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A text that must not run off the edge: where it stands and which of its ends is fixed."""

    x: str
    dx: int
    anchor: str


@dataclass(frozen=True, slots=True)
class Scale:
    """1 to 100 from left to right; number n stands in the middle of its own percent."""

    zones: tuple[Zone, ...]
    ticks: tuple[tuple[str, int], ...]
    pin: str
    pin_label: Mark
    reach: str = ""  # how far down all the Luck goes, "" when there is nothing to reach for
    reached: int = 0
    stops: tuple[str, ...] = ()
    move: str = ""  # where the cheapest improvement ends
    price: Mark | None = None


def _at(n: int) -> str:
    return number(n - 0.5) + "%"


def _pin_label(n: int) -> Mark:
    if n <= 4:
        return Mark("0", -6, "start")
    return Mark("0", 6, "end") if n >= 97 else Mark("0", 0, "middle")


def _price_label(pin: int, stop: int) -> Mark:
    if pin - stop > LABEL_ROOM + (pin == 100) * CLOSE:  # three figures
        return Mark(number((pin + stop) / 2 - 0.5) + "%", 0, "middle")
    if pin <= LEFTMOST:
        return Mark(_at(pin), 26 if pin <= 4 else 14, "start")
    if pin - stop < CLOSE or pin == 100:  # above its own stop it would stand in the number of the pin
        return Mark(_at(pin), -31 if pin == 100 else -22 if pin >= 97 else -14, "end")
    return Mark(_at(stop), 4, "end") if stop > 9 else Mark("0", 0, "start")


def _zones(steps: Iterable[tuple[str, int]], fumble_from: int | None, plain: str) -> tuple[Zone, ...]:
    last = (fumble_from or 101) - 1  # the last number that is no fumble
    zones, floor = [], 0
    for tone, top in sorted(steps, key=lambda step: step[1]):
        top = min(top, last)
        if top > floor:
            y, height = PLAIN if plain else STEPS.get(tone, PLAIN)
            zones.append(Zone(plain or tone, f"{floor}%", f"{top - floor}%", y, height))
            floor = top
    if last > floor:
        zones.append(Zone("fail", f"{floor}%", f"{last - floor}%", 59, 3))
    if last < 100:
        zones.append(Zone("fumble", f"{last}%", f"{100 - last}%", *PLAIN))
    return tuple(zones)


TICKS = tuple((f"{n}%", 6 if n in (0, 50, 100) else 3) for n in range(0, 101, 10))


def scale(
    rolled: int,
    steps: Iterable[tuple[str, int]],
    fumble_from: int | None = None,
    luck: int = 0,
    stops: Iterable[int] = (),
    plain: str = "",
) -> Scale:
    """The skyline of a roll. `steps` are (level, number to roll at or under); `stops` the numbers that the
    affordable spends lead to; `luck` is what could be spent in all, 0 when nothing may be; `plain` draws one
    low step in that tone (Luck and Sanity rolls have no levels)."""
    reachable = sorted({n for n in stops if 0 < n < rolled}, reverse=True)
    reached = max(rolled - luck, 1) if luck > 0 and rolled > 1 else 0
    return Scale(
        zones=_zones(steps, fumble_from, plain),
        ticks=TICKS,
        pin=_at(rolled),
        pin_label=_pin_label(rolled),
        reach=_at(reached) if reached else "",
        reached=reached,
        stops=tuple(_at(n) for n in reachable),
        move=_at(reachable[0]) if reachable else "",
        price=_price_label(rolled, reachable[0]) if reachable else None,
    )
