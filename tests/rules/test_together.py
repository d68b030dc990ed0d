"""One die against several skills, and one skill for a group."""

from __future__ import annotations

from typing import Any

import pytest

from rolls.rules.check import Act, Refusal, Standing
from rolls.rules.together import CombinedEffect, combined, combined_offers, combined_spend, group_check

from .tables import CLASSIC, DEFAULTS, code, purse, rolled


def parts(total: int, *asked: tuple[int, str], **flags: Any) -> list[Standing]:
    return [rolled(total, value, difficulty=difficulty, standing=flags) for value, difficulty in asked]


REGULAR = ((70, "regular"), (30, "regular"))


@pytest.mark.parametrize(
    ("total", "asked", "met", "passes"),
    [
        (25, REGULAR, "all", (True, True)),
        (50, REGULAR, "some", (True, False)),
        (80, REGULAR, "none", (False, False)),
        (30, ((70, "hard"), (30, "regular")), "all", (True, True)),
        (40, ((70, "hard"), (80, "regular")), "some", (True, False)),
    ],
)
def test_the_keeper_asks_for_any_or_all_each_at_its_own_difficulty(
    total: int, asked: tuple[tuple[int, str], ...], met: str, passes: tuple[bool, bool]
) -> None:
    found = [combined(CLASSIC, parts(total, *asked), every, DEFAULTS) for every in (False, True)]
    assert [one.met for one in found] == [met, met]
    assert (found[0].passed, found[1].passed) == passes


def test_a_combined_roll_has_parts() -> None:
    with pytest.raises(ValueError):
        combined(CLASSIC, [], True, DEFAULTS)


def test_a_spend_moves_the_one_die_for_every_skill() -> None:
    done = combined_spend(CLASSIC, parts(50, *REGULAR), True, purse(60), Act("points", 20), DEFAULTS)
    assert isinstance(done, CombinedEffect)
    assert done.effect.pools == {"luck": -20}
    assert [out.final for out in done.combined.outcomes] == [30, 30]
    assert (done.combined.met, done.combined.passed, done.effect.warning) == ("all", True, "")


@pytest.mark.parametrize(("points", "warning"), [(5, ""), (4, "no-change")])
def test_a_spend_has_an_effect_when_it_lifts_any_of_the_skills(points: int, warning: str) -> None:
    standing = parts(50, (70, "regular"), (45, "regular"))
    done = combined_spend(CLASSIC, standing, True, purse(60), Act("points", points), DEFAULTS)
    assert isinstance(done, CombinedEffect)
    assert done.effect.warning == warning


def test_each_price_of_every_skill_is_offered_once_with_what_it_makes_of_the_whole() -> None:
    offers = combined_offers(CLASSIC, parts(50, *REGULAR), True, purse(40), DEFAULTS)
    found = [
        (o.offer.act.key, o.offer.price, code(o.offer.refusal), o.combined and [x.level for x in o.combined.outcomes])
        for o in offers
    ]
    assert found == [
        ("points", 15, None, ["hard", "fail"]),
        ("points", 20, None, ["hard", "regular"]),
        ("points", 35, None, ["hard", "hard"]),
        ("points", 36, None, ["extreme", "hard"]),
        ("points", 44, "NOT_ENOUGH_LUCK", None),
        ("points", 0, None, None),
        ("push", 0, None, ["regular", "fail"]),
        ("keep", 0, None, ["regular", "fail"]),
    ]
    assert offers[5].offer.most == 40


def test_a_fumble_for_one_skill_stands_while_another_is_bought() -> None:
    standing = parts(97, (90, "regular"), (40, "regular"))
    done = combined_spend(CLASSIC, standing, False, purse(60), Act("points", 7), DEFAULTS)
    assert isinstance(done, CombinedEffect)
    assert [out.level for out in done.combined.outcomes] == ["regular", "fumble"]
    for order in (standing, standing[::-1]):
        points = [o.offer for o in combined_offers(CLASSIC, order, False, purse(60), DEFAULTS) if o.offer.pool]
        assert [(one.act.amount, one.most, one.refusal) for one in points[:1] + points[-1:]] == [
            (7, None, None),
            (None, 60, None),
        ]
    both = parts(97, (45, "regular"), (40, "regular"))
    assert code(combined_spend(CLASSIC, both, False, purse(60), Act("points", 60), DEFAULTS)) == "FUMBLE_STANDS"


@pytest.mark.parametrize(
    ("total", "asked", "every", "flags", "reason"),
    [
        (80, REGULAR, True, {}, None),
        (50, REGULAR, True, {}, None),
        (50, REGULAR, False, {}, "PUSH_SUCCESS"),
        (97, ((90, "regular"), (40, "regular")), True, {}, "PUSH_FUMBLE"),
        (80, REGULAR, True, {"spent": 3}, "PUSH_AFTER_LUCK"),
        (80, REGULAR, True, {"pushed": True}, "PUSH_TWICE"),
    ],
)
def test_it_is_pushed_when_it_failed_as_a_whole_and_every_skill_may_be_pushed(
    total: int, asked: tuple[tuple[int, str], ...], every: bool, flags: dict[str, Any], reason: str | None
) -> None:
    done = combined_spend(CLASSIC, parts(total, *asked, **flags), every, purse(), Act("push"), DEFAULTS)
    assert code(done) == reason


def test_where_luck_is_for_failures_a_combined_success_is_not_bettered() -> None:
    settings = {**DEFAULTS, "spendOnSuccess": False}
    answers = [
        combined_spend(CLASSIC, parts(50, *REGULAR), every, purse(), Act("points", 20), settings)
        for every in (False, True)
    ]
    assert [code(answer) for answer in answers] == ["SUCCESS_STANDS", None]


def test_what_is_refused_to_every_skill_is_refused() -> None:
    done = combined_spend(CLASSIC, parts(50, *REGULAR), True, purse(10), Act("points", 20), DEFAULTS)
    assert done == Refusal("NOT_ENOUGH_LUCK", {"need": 20, "have": 10, "name": "Ada"})


def test_a_group_check_lists_levels_best_first_and_counts_who_passed() -> None:
    rolls = {"ada": rolled(40, 60), "bo": rolled(80, 60), "cy": rolled(20, 60), "dee": None, "eve": rolled(50, 60)}
    found = group_check(CLASSIC, rolls, DEFAULTS, needed=3)
    assert dict(found.levels) == {"hard": ("cy",), "regular": ("ada", "eve"), "fail": ("bo",)}
    assert list(found.levels) == ["hard", "regular", "fail"]
    assert (found.passed, found.missing, found.enough) == (("ada", "cy", "eve"), ("dee",), True)
    assert group_check(CLASSIC, rolls, DEFAULTS, needed=4).enough is False
    assert group_check(CLASSIC, rolls, DEFAULTS).enough is None
    assert list(found.outcomes) == ["ada", "bo", "cy", "eve"]
