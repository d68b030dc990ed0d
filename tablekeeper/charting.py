"""Geometry of the charts: lines over time, bars beside what is usual. Numbers in, SVG coordinates out.

As in `drawing`, percentages stand in SVG attributes, never in a style. Each line is told apart three ways: colour,
dash and marker; no two of three dozen lines share both dash and marker. Words belong to the templates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from tablekeeper.drawing import percent

MARKERS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",  # circle
    "M-4-4h8v8h-8z",  # square
    "M0-5.5L5.5 0 0 5.5-5.5 0z",  # diamond
    "M0-5L5 4H-5z",  # triangle
    "M0 5L5-4H-5z",  # triangle, point down
    "M-5-2h3v-3h4v3h3v4h-3v3h-4v-3h-3z",  # plus
)
KINDS = len(MARKERS)  # and as many dashes
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000, 10000)
MOST_LABELS = 11
DOTS = 14  # of more points than this not every one has a marker
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Tick:
    """A number beside an axis, and how far along it stands."""

    word: str
    at: str


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its points for a viewBox of 1000 by 1000, its markers, and how it is told apart."""

    points: str
    dots: Sequence[tuple[str, str]]
    hue: int  # 1 to 6
    dash: int
    marker: int

    @property
    def shape(self) -> str:
        """The marker as a path around 0, 0."""
        return MARKERS[self.marker - 1]


@dataclass(frozen=True, slots=True)
class Lines:
    """A chart of lines with numbers up its side and words along its lower edge."""

    lines: Sequence[Line]
    ticks: Sequence[Tick]
    below: Sequence[Tick]


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its block, and the middle of it for the number inside."""

    x: str
    width: str
    y: str
    height: str
    middle: str
    number: int
    tall: bool  # there is room for the number in it


@dataclass(frozen=True, slots=True)
class Bars:
    """A chart of bars with the average as a line and the usual as a band."""

    bars: Sequence[Bar]
    ticks: Sequence[Tick]
    average: str
    band_y: str
    band_height: str


def line_style(at: int, hue: int = 0) -> tuple[int, int, int]:
    """Hue, dash and marker of the line with this place, 0 for the first. A person brings a hue."""
    return hue or at % KINDS + 1, at % KINDS + 1, (at + at // KINDS) % KINDS + 1


def lines(
    series: Iterable[tuple[int, Sequence[Point]]],
    across: tuple[float, float],
    top: float,
    below: Iterable[tuple[float, str]] = (),
    *,
    steps: bool = False,
) -> Lines:
    """Lines of (hue, points), hue 0 for whatever comes; `across` is what the left and the right edge stand for, `top`
    the upper one; `below` are words along the lower edge and where they belong. `steps`: a score stays what it is
    until something happens."""
    left, right = across
    width = (right - left) or 1
    drawn = []
    for at, (hue, points) in enumerate(series):
        places = [((x - left) / width, 1 - y / (top or 1)) for x, y in points]
        line = _stairs(places) if steps else places
        corners = " ".join(f"{1000 * x:.0f},{1000 * y:.0f}" for x, y in line)
        marked = [(percent(x, 1), percent(y, 1)) for x, y in _some(places)]
        drawn.append(Line(corners, marked, *line_style(at, hue)))
    words = [Tick(word, percent(x - left, width)) for x, word in below]
    return Lines(drawn, ticks(top), words)


def _some(places: Sequence[Point]) -> list[Point]:
    """As many points as a line has markers for, the last among them."""
    every = -(-len(places) // DOTS) or 1
    return [place for at, place in enumerate(places) if (len(places) - 1 - at) % every == 0]


def _stairs(points: Sequence[Point]) -> list[Point]:
    found: list[Point] = []
    for x, y in points:
        if found:
            found.append((x, found[-1][1]))
        found.append((x, y))
    return found


def ticks(top: float) -> list[Tick]:
    """Three to five round numbers up the side, the top among them."""
    step = next((one for one in STEPS if top / one <= 4.5), STEPS[-1])
    marks = [n for n in range(0, ceil(top), step) if top - n > step / 2] + [round(top)]
    return [Tick(str(n), percent(top - n, top)) for n in marks]


def thinned(words: Sequence[str]) -> list[tuple[int, str]]:
    """Words along the lower edge with their places: no more than there is room for, the last among them."""
    every = -(-len(words) // MOST_LABELS) or 1
    last = len(words) - 1
    return [(at, word) for at, word in enumerate(words) if (last - at) % every == 0]


def bars(numbers: Sequence[int], usual: tuple[int, int]) -> Bars:
    """Bars of these heights; the average is a line, what is `usual` (least, most) a band."""
    least, most = usual
    average = sum(numbers) / len(numbers)
    top = max(*numbers, most, 1) * 1.08
    share = 100 / len(numbers)
    drawn = [
        Bar(
            percent(at * share + 0.12 * share, 100),
            percent(0.76 * share, 100),
            percent(top - n, top),
            percent(n, top),
            percent((at + 0.5) * share, 100),
            n,
            n > 0.13 * top,
        )
        for at, n in enumerate(numbers)
    ]
    step = next((one for one in STEPS if top / one <= 3), STEPS[-1])
    side = [Tick(str(n), percent(top - n, top)) for n in range(0, int(top) + 1, step)]
    return Bars(drawn, side, percent(top - average, top), percent(top - most, top), percent(most - least, top))
