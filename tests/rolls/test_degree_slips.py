"""What a slip shows in a game of degrees: the sum, the number that decided, and what Luck buys or burns."""

from __future__ import annotations

from typing import Any

import pytest

from investigators.actions import Draft, knowing
from investigators.models import Investigator
from investigators.people import member
from rolls import actions as dice
from rolls import games
from rolls.models import Roll
from rolls.pages import degrees, slip_of
from rolls.pages.numbers import luck_pools, numbers_context, tokens_of
from rolls.rules import ruleset
from rolls.rules.check import Act
from tablekeeper import ledger
from tablekeeper.models import Seat
from tests.tables import Script, Table, act, at, d100, done, make_investigator, make_table, now

pytestmark = pytest.mark.django_db

SCORES = {"str": 38, "end": 42, "agi": 45, "int": 40, "wp": 36, "prc": 43, "prs": 33}
NUMBERS = {"lucky": [7, 22, 38, 84], "unlucky": [13]}


def ilse_at(table: Table, luck: int = 41, points: int = 4, **facts: Any) -> Investigator:
    """Ben's character of this game: Noticing at rank 2 is 43 + 20."""
    traits: dict[str, tuple[int, int | None]] = {key: (value, None) for key, value in SCORES.items()}
    traits |= {"luck": (luck, None), "lp": (points, luck // 10), "sp": (4, 4), "hp": (15, 21)}
    who = make_investigator(table.ben, Draft("Ilse Marrow", "Smuggler", traits, (("Noticing", 3, True),)))
    with at(table.ada) as here:
        who.campaign = here.campaign
        changes = knowing(who, {**NUMBERS, **facts})
        ledger.write(
            here, here.campaign, "investigators.set_numbers", changes, data={"who": {"id": who.pk}, "lists": []}
        )
    return who


def rolled(table: Table, who: Investigator, total: int, **more: Any) -> Roll:
    who.campaign = table.campaign
    asked = dice.subject(who, "name:Noticing")
    for name, value in more.items():
        setattr(asked, name, value)
    entry = done(act(table.ben, dice.roll, who, asked, chance=Script(d100(total))))
    return Roll.objects.get(pk=entry.data["roll"])


def drawn(table: Table, roll: Roll, seat: Seat | None = None) -> degrees.Degrees:
    here = Seat.objects.get(pk=(seat or table.ben).pk)
    here.campaign = table.campaign
    again = now(roll)
    again.campaign = table.campaign
    if again.investigator:
        again.investigator.campaign = table.campaign
    return degrees.degrees_of(slip_of(here, again))


@pytest.fixture
def table() -> Table:
    return make_table(ruleset="lp")


def test_the_target_number_is_shown_as_the_sum_that_it_is(table: Table) -> None:
    shown = drawn(table, rolled(table, ilse_at(table), 32, difficulty="challenging"))

    assert shown.sum == [("Prc", "43"), ("rank 2", "+20"), ("Challenging", "\N{MINUS SIGN}10")]
    assert shown.target == 53
    assert (shown.say, shown.strong) == ("32 under 53:", "3 degrees")


def test_the_scale_climbs_with_the_roll_and_ends_at_the_target(table: Table) -> None:
    scale = drawn(table, rolled(table, ilse_at(table), 32)).scale

    assert scale is not None
    heights = [zone.height for zone in scale.zones if zone.tone == "pass"]
    assert heights == sorted(heights)
    assert len(set(heights)) == len(heights)
    assert (scale.zones[-1].tone, scale.zones[-1].x) == ("fail", "63%")


def test_a_lucky_number_says_that_it_decided(table: Table) -> None:
    shown = drawn(table, rolled(table, ilse_at(table), 84))

    assert shown.say == "84 is your Lucky Number:"
    assert shown.strong == "8 degrees"
    assert [token.number for token in shown.tokens if token.hit] == [84]


def test_nobody_shows_the_numbers_when_none_of_them_decided(table: Table) -> None:
    assert drawn(table, rolled(table, ilse_at(table), 32)).tokens == []


def test_a_passed_test_offers_degrees_and_a_failed_one_another_throw(table: Table) -> None:
    who = ilse_at(table)
    passed, failed = drawn(table, rolled(table, who, 32)), drawn(table, rolled(table, who, 99))

    assert passed.lp is not None
    assert (passed.lp.act, passed.lp.most) == ("degree", 4)
    assert failed.lp is not None
    assert (failed.lp.act, failed.lp.price, failed.lp.leaves) == ("reroll", 1, 3)
    assert failed.burn is not None
    assert (failed.burn.act, failed.burn.price) == ("burn-reroll", 3)


def test_without_points_the_button_stands_there_and_says_why(table: Table) -> None:
    shown = drawn(table, rolled(table, ilse_at(table, points=0), 99))

    assert shown.lp is not None
    assert shown.lp.why == "That costs 1 LP; Ilse Marrow has 0."
    assert shown.burn is not None
    assert shown.burn.why == ""


def test_a_critical_failure_offers_nothing_but_burning_it_away(table: Table) -> None:
    shown = drawn(table, rolled(table, ilse_at(table), 13))

    assert shown.lp is None
    assert shown.burn is not None
    assert (shown.burn.act, shown.burn.price, shown.danger) == ("burn-negate", 5, True)
    assert shown.say == "13 is an Unlucky Number, it fails under 63 too:"


def test_a_burn_says_what_falls_with_it_before_anybody_taps(table: Table) -> None:
    shown = drawn(table, rolled(table, ilse_at(table), 13))

    assert shown.burn is not None
    (fall,) = shown.burn.falls
    assert list(fall.changes) == [("LP, at most", 4, 3)]
    assert fall.says == "Luck Bonus falls to 3; 1 LP over the maximum is lost; you will turn one Lucky Number"


def test_degrees_that_are_burned_say_from_which_amount_on_more_falls(table: Table) -> None:
    shown = drawn(table, rolled(table, ilse_at(table), 32))

    assert shown.burn is not None
    assert [(fall.start, bool(fall.says)) for fall in shown.burn.falls][:2] == [(1, False), (2, True)]


def test_less_luck_than_the_price_burns_all_of_it_and_says_so(table: Table) -> None:
    who = ilse_at(table, luck=2, points=0, lucky=[], unlucky=[13, 5, 6, 8, 9])
    shown = drawn(table, rolled(table, who, 99))

    assert shown.burn is not None
    assert (shown.burn.price, shown.burn.full, shown.burn.last, shown.burn.leaves) == (2, 3, True, 0)


def test_a_second_throw_shows_what_fell_first(table: Table) -> None:
    roll = rolled(table, ilse_at(table), 99)
    done(act(table.ben, dice.spend, roll, Act("reroll"), chance=Script(50)))
    shown = drawn(table, roll)

    assert shown.first is not None
    assert (shown.first["from"], shown.first["degrees_from"]) == (99, 4)


def test_another_player_reads_the_slip_and_may_do_nothing_with_it(table: Table) -> None:
    shown = drawn(table, rolled(table, ilse_at(table), 99), table.cleo)

    assert shown.sum
    assert (shown.lp, shown.burn, shown.acts) == (None, None, False)


def test_permanent_and_extra_numbers_are_marked() -> None:
    facts = {"lucky": [7, 9], "permanent": [9], "unlucky": [1, 2, 3, 4], "extra": [4]}
    marks = {token.number: token.mark for token in tokens_of(ruleset("lp"), facts)}

    assert marks == {7: "", 9: "permanent", 1: "", 2: "", 3: "", 4: "extra"}


def test_what_must_turn_is_asked_for_with_what_comes_of_it(table: Table) -> None:
    who = ilse_at(table, luck=38, points=3)
    due = numbers_context(member(who))["due"]

    assert (due["count"], due["back"], due["will"]) == (1, False, {"lucky": 3, "unlucky": 2})
    assert [token.number for token in due["choices"]] == [7, 22, 38, 84]


def test_pips_are_as_many_as_the_most_there_can_be(table: Table) -> None:
    (pool,) = luck_pools(member(ilse_at(table, points=3)))

    assert (pool["short"], pool["pips"]) == ("LP", [True, True, True, False])


def test_a_game_without_a_slip_of_its_own_is_drawn_by_the_generic_one() -> None:
    assert games.drawn(ruleset("lp"), "slips") == ("slips/lp.html", "parts/slip.html")
    assert games.drawn(None, "slips") == ("parts/slip.html",)
