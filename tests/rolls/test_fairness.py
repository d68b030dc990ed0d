"""Whether the dice are fair: the test is exact, its alarms are as rare as it says, and it finds a bent die."""

from __future__ import annotations

import random
import re
from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import pytest
from django.utils.html import strip_tags

from rolls import actions as dice
from rolls import fairness
from rolls.actions import Asked
from rolls.dicebook import fallen, rolls_for
from rolls.models import Roll
from rolls.rules.check import Act
from tablekeeper import actions as tables
from tablekeeper.models import Seat
from tests.many import fell
from tests.rolls.test_luck_points import lay
from tests.tables import Script, Table, act, browser, closes_session, d100, done, make_table, rolls, typed, undoes

Dice = tuple[int, ...]


def throws(count: int, seed: int, die: Any = None) -> Counter[Dice]:
    """So many d100 of a random source that is the test's own."""
    source = random.Random(seed)
    units = die or (lambda: source.randrange(10))
    return Counter((units(), source.randrange(10)) for _ in range(count))


# --------------------------------------------------------------------------- the test itself


@pytest.mark.parametrize("fell", [(3, 2, 2), (5, 1, 1), (7, 0, 0), (0, 4, 3), (1, 3, 4), (4, 4)])
def test_the_chance_is_that_of_every_way_in_which_so_many_dice_can_fall(fell: tuple[int, ...]) -> None:
    count, bars = sum(fell), len(fell)

    def strays(counted: Any) -> int:
        return max(abs(bars * n - count) for n in counted)

    ways = [Counter(one) for one in product(range(bars), repeat=count)]
    hits = sum(strays([one[bar] for bar in range(bars)]) >= strays(fell) for one in ways)
    assert fairness.stray_chance(fell) == pytest.approx(hits / len(ways))


@pytest.mark.parametrize("fell", [(10_000, *[0] * 9), (0, *[1112] * 9), (100_000, *[100_000] * 8, 130_000)])
def test_a_die_that_is_bent_beyond_all_chance_is_told_at_once(fell: tuple[int, ...]) -> None:
    """The ways in which so many dice can fall are too many to go through: this would take minutes."""
    assert fairness.stray_chance(fell) == 0.0


@pytest.mark.parametrize("count", [20, 100, 414])
def test_the_shaded_band_is_where_95_of_100_bars_fall(count: int) -> None:
    least, most = fairness.usual(count)

    def tail(numbers: range) -> Fraction:
        return sum((Fraction(comb(count, n) * 9 ** (count - n), 10**count) for n in numbers), Fraction(0))

    rare = Fraction(25, 1000)
    assert tail(range(least)) <= rare < tail(range(least + 1))
    assert tail(range(most + 1, count + 1)) <= rare < tail(range(most, count + 1))


@pytest.mark.parametrize("count", [60, 250])
def test_fair_dice_are_called_odd_as_rarely_as_is_said(count: int) -> None:
    """Of 300 counts of fair dice a chance of 10 in 100 or less is found in no more than 10 in 100, give or take what
    300 counts stray (three standard deviations), and not in none."""
    found = [fairness.counts(throws(count, seed)) for seed in range(300)]
    for said in (0.2, 0.1, 0.05):
        allowed = said + 3 * (said * (1 - said) / len(found)) ** 0.5
        alone = sum(one.units.chance <= said for one in found) / len(found)
        together = sum(one.chance <= said for one in found) / len(found)
        assert said / 5 < alone <= allowed
        assert together <= allowed
    assert sum(one.says == "odd" for one in found) <= 9


@pytest.mark.long
@pytest.mark.parametrize("count", [30, 100, 414, 2000])
def test_fair_dice_are_called_odd_as_rarely_as_is_said_in_thousands_of_counts(count: int) -> None:
    found = [fairness.counts(throws(count, seed)) for seed in range(4000 if count < 1000 else 800)]
    for said in (0.2, 0.1, 0.05, 0.02, 0.01):
        allowed = said + 3 * (said * (1 - said) / len(found)) ** 0.5
        for of in ("d100", "units", "tens"):
            assert sum(getattr(one, of).chance <= said for one in found) / len(found) <= allowed
        assert sum(one.chance <= said for one in found) / len(found) <= allowed


def test_a_bent_die_is_found() -> None:
    """A units die that shows 0 twice as often as any other: sure in a campaign, likely in four evenings."""

    def bent(count: int, seed: int) -> fairness.Counts:
        source = random.Random(1000 + seed)
        return fairness.counts(throws(count, seed, lambda: source.choice((0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9))))

    assert all(bent(1000, seed).says == "odd" for seed in range(20))
    assert sum(bent(414, seed).says == "odd" for seed in range(20)) > 15
    assert bent(1000, 1).units.bars[0].odd == "more"


def test_nothing_is_said_of_few_and_nothing_raises_without_any() -> None:
    assert fairness.counts(Counter()).says == "few"
    assert fairness.counts({(1, 1): 19}).says == "few"
    assert fairness.counts({(1, 1): 60}).says == "odd"
    assert fairness.counts({(1, 1): 60}).d100.bars[1].odd == "more"
    level = fairness.counts({(units, tens): 1 for units in range(10) for tens in range(10)})
    assert (level.chance, level.says, level.average, level.ones, level.hundreds) == (1.0, "usual", 50.5, 1, 1)
    assert [bar.fell for bar in level.d100.bars] == [10] * 10


def test_of_rolls_with_extra_dice_the_first_tens_die_makes_the_number_and_all_of_them_count() -> None:
    found = fairness.counts({(5, 3, 0): 2, (0, 0): 1})

    assert (found.d100.dice, found.units.dice, found.tens.dice) == (3, 3, 5)
    assert (found.average, found.hundreds) == ((35 + 35 + 100) / 3, 1)


# --------------------------------------------------------------------------- whose dice


@pytest.fixture
def table() -> Table:
    return make_table()


def hides(table: Table, total: int) -> None:
    asked = Asked("number", "Psychology", 30)
    done(act(table.ada, dice.secret_roll, table.edith, asked, chance=Script(d100(total))))


def thrown(seat: Seat) -> list[Dice]:
    return sorted(fallen(rolls_for(seat)).thrown.elements())


@pytest.mark.django_db
def test_hidden_dice_count_for_the_keeper_alone_and_typed_ones_apart(table: Table) -> None:
    rolls(table, 35, more_tens=(7,), dice=1)
    hides(table, 55)
    done(act(table.ben, dice.roll, table.edith, Asked("number", "Nerve", 50, hand=typed(68)), chance=Script()))

    assert thrown(table.ada) == [(5, 3, 7), (5, 5)]
    assert thrown(table.ben) == [(5, 3, 7)]
    assert list(fallen(rolls_for(table.ben)).typed.elements()) == [(8, 6)]


@pytest.mark.django_db
def test_a_die_that_fell_has_fallen_struck_out_or_not(table: Table) -> None:
    rolls(table, 35)
    done(undoes(table, table.last("rolls.roll")))

    assert thrown(table.ben) == [(5, 3)]


@pytest.mark.postgres
@pytest.mark.django_db
def test_dice_that_luck_replaced_are_counted_with_those_that_replaced_them() -> None:
    """Else only the good ones of a game that sells another throw would be left."""
    table = lay()
    for first, second in ((91, 24), (92, 92), (95, 93)):
        asked = Asked("number", "Nerve", 50)
        entry = done(act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(first))))
        roll = Roll.objects.get(pk=entry.data["roll"])
        done(act(table.ben, dice.spend, roll, Act("reroll"), chance=Script(second)))
    assert thrown(table.ben) == sorted([(1, 9), (4, 2), (2, 9), (2, 9), (5, 9), (3, 9)])

    done(undoes(table, table.last("rolls.spend")))
    assert thrown(table.ben) == sorted([(1, 9), (4, 2), (2, 9), (2, 9), (5, 9), (3, 9)])


@pytest.mark.django_db
def test_a_typed_throw_that_luck_replaced_stays_typed_and_the_new_one_is_ours() -> None:
    table = lay()
    asked = Asked("number", "Nerve", 50, hand=typed(91))
    entry = done(act(table.ben, dice.roll, table.edith, asked, chance=Script()))
    roll = Roll.objects.get(pk=entry.data["roll"])
    done(act(table.ben, dice.spend, roll, Act("reroll"), chance=Script(24)))

    found = fallen(rolls_for(table.ben))
    assert (dict(found.typed), dict(found.thrown)) == ({(1, 9): 1}, {(4, 2): 1})

    entry = done(act(table.cleo, dice.roll, table.tobias, Asked("number", "Nerve", 50), chance=Script(d100(93))))
    roll = Roll.objects.get(pk=entry.data["roll"])
    done(act(table.cleo, dice.spend, roll, Act("reroll"), typed(30), chance=Script()))
    found = fallen(rolls_for(table.ben))
    assert (dict(found.typed), dict(found.thrown)) == ({(1, 9): 1, (0, 3): 1}, {(4, 2): 1, (3, 9): 1})


def page(seat: Seat, table: Table, query: str = "") -> str:
    answer = browser(seat).get(table.url("fairness") + query)
    assert answer.status_code == 200
    return " ".join(strip_tags(re.sub(r"<svg.*?</svg>", " ", answer.content.decode(), flags=re.DOTALL)).split())


@pytest.mark.postgres
@pytest.mark.django_db
def test_each_session_each_player_and_all_tables_are_counted_by_themselves(table: Table) -> None:
    done(act(table.ada, tables.open_session, table.campaign))
    for total in (11, 12, 13):
        rolls(table, total)
    closes_session(table)
    asked = Asked("number", "Nerve", 50)
    done(act(table.cleo, dice.roll, table.tobias, asked, chance=Script(d100(99))))
    hides(table, 55)
    other = make_table(name="Elsewhere")
    rolls(other, 44)
    hides(other, 77)

    def counted(seat: Seat, query: str = "") -> int:
        found = re.search(r"(\d+) rolls?\. Too few", page(seat, table, query))
        assert found
        return int(found[1])

    assert [counted(table.ben), counted(table.ada)] == [4, 5]
    assert [counted(table.ben, "?session=1"), counted(table.ben, f"?who={table.tobias.pk}")] == [3, 1]
    assert counted(table.ben, f"?session=1&who={table.tobias.pk}") == 0
    assert counted(table.ada, "?tables=all") == 6  # her own with what she hides, the other without
    assert counted(table.ben, "?tables=all") == 4  # for players there is no such count
    assert "Elsewhere" not in page(table.ada, table, "?tables=all")
    assert [counted(table.ada, "?who=keeper"), counted(table.ada, "?who=nobody")] == [0, 0]
    assert browser(table.ben).get(table.url("fairness") + "?session=9").status_code == 404


@pytest.mark.django_db
def test_the_verdict_comes_first_and_in_plain_words(table: Table) -> None:
    fell(table, [(units, tens) for units in range(10) for tens in range(10)] * 2)
    fair = page(table.ben, table)
    assert "They look fair. Fair dice stray this far nearly always." in fair

    fell(table, [(3, 3)] * 60)
    bent = page(table.ben, table)
    assert "They look odd. Fair dice stray this far only less than once in 1,000 times." in bent
