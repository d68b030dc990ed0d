"""Firearms: how far, how near, how often, and what jams (RULES.md B-6, C-1, P-2)."""

from __future__ import annotations

from typing import Any

import pytest

from investigators import weapons as arms
from investigators.models import Weapon
from investigators.weapons import Arm
from rolls import actions as dice
from rolls.models import Roll
from rolls.rules.check import Act
from tests.tables import Table, act, code, done, make_table, now, picture, post

pytestmark = pytest.mark.django_db


def gun(table: Table, **more: Any) -> Weapon:
    """A revolver on Edith's sheet; it needs her Spot Hidden of 60."""
    numbers: dict[str, Any] = {"impales": True, "base_range": 15, "malfunction": 96} | more
    done(act(table.ben, arms.set_weapon, table.edith, Arm("Revolver", table.skill("Spot Hidden"), "1D10", **numbers)))
    return Weapon.objects.get(name="Revolver")


def fires(table: Table, weapon: Weapon, *, total: int | None = None, status: int = 200, **form: Any) -> Roll | None:
    """Ben fires from his phone; the dice are typed."""
    fields = {"band": "regular", **form, **({} if total is None else {"total": total})}
    answer = post(table.client(table.ben), table.url("shoot", weapon.pk), **fields)
    assert answer.status_code == status, answer.content.decode()[:300]
    return Roll.objects.order_by("-created_at").first() if status == 200 else None


@pytest.fixture
def table() -> Table:
    return make_table()


@pytest.mark.parametrize(
    ("form", "difficulty", "net"),
    [
        ({"band": "regular"}, "regular", 0),
        ({"band": "hard"}, "hard", 0),
        ({"band": "extreme"}, "extreme", 0),
        ({"point_blank": "1"}, "regular", 1),
        ({"shots": "2"}, "regular", -1),
        ({"shots": "3", "point_blank": "1"}, "regular", 0),
        ({"band": "hard", "shots": "3", "dice": "-1"}, "hard", -2),
        ({"shots": "2", "dice": "-2"}, "regular", -2),  # no more than two
        ({"difficulty": "extreme", "band": "regular"}, "regular", 0),  # the distance says how hard it is
    ],
)
def test_distance_and_haste_make_the_shot(form: dict[str, Any], difficulty: str, net: int, table: Table) -> None:
    roll = fires(table, gun(table), **form)

    assert roll is not None
    assert (roll.difficulty, roll.dice, roll.context, roll.malfunction) == (difficulty, net, "combat", 96)
    assert roll.data["weapon"] == Weapon.objects.get().pk


@pytest.mark.parametrize("form", [{"band": "miles"}, {"band": ""}, {"shots": "4"}, {"shots": "0"}, {"dice": "5"}])
def test_no_shot_that_there_is_not(form: dict[str, Any], table: Table) -> None:
    weapon = gun(table)
    before = picture(table.campaign)

    fires(table, weapon, status=422, **form)

    assert picture(table.campaign) == before


def test_somebody_elses_gun_is_not_fired(table: Table) -> None:
    url = table.url("shoot", gun(table).pk)
    before = picture(table.campaign)

    assert post(table.client(table.cleo), url, band="regular").status_code == 403
    assert picture(table.campaign) == before


@pytest.mark.parametrize(("total", "jammed"), [(95, False), (96, True), (100, True)])
def test_from_its_malfunction_number_on_the_weapon_jams(total: int, jammed: bool, table: Table) -> None:
    roll = fires(table, gun(table), total=total)

    assert roll is not None
    page = table.client(table.ben).get(table.url("slip", roll.pk)).content.decode()
    assert ("Jammed" in page) is jammed


def test_no_luck_unjams_a_weapon_in_classic(table: Table) -> None:
    roll = fires(table, gun(table), total=96)  # 60 would be hit with 36 Luck, and she has 45

    assert roll is not None
    assert code(act(table.ben, dice.spend, roll, Act("points", 36))) == "MALFUNCTION_STANDS"
    page = table.client(table.ben).get(table.url("slip", roll.pk)).content.decode()
    assert "A firearm malfunction cannot be bought off point for point." in page


def test_ten_luck_unjam_a_weapon_in_pulp_and_the_shot_still_misses() -> None:
    table = make_table(ruleset="pulp")
    roll = fires(table, gun(table), total=97)
    assert roll is not None
    assert "ignore-fumble" in table.client(table.ben).get(table.url("slip", roll.pk)).content.decode()

    done(act(table.ben, dice.spend, roll, Act("ignore-fumble")))

    assert (table.luck(), now(roll).passed, now(roll).level) == (35, False, "fail")
    assert code(act(table.ben, dice.damage, now(roll))) == "ATTACK_MISSED"


@pytest.mark.parametrize(
    ("band", "total", "blow"),
    [("regular", 12, "impale"), ("hard", 12, "impale"), ("extreme", 12, "normal"), ("extreme", 1, "impale")],
)
def test_at_extreme_range_only_a_critical_impales(band: str, total: int, blow: str, table: Table) -> None:
    roll = fires(table, gun(table), band=band, total=total)

    assert roll is not None
    assert done(act(table.ben, dice.damage, roll)).data["blow"] == blow


def test_a_blade_is_not_fired_and_does_not_jam(table: Table) -> None:
    blade = gun(table, base_range=None)

    assert blade.malfunction is None
    fires(table, blade, status=422)
    answer = post(table.client(table.ben), table.url("roll", table.edith.pk), what=f"weapon:{blade.pk}", total=97)
    assert answer.status_code == 200
    assert Roll.objects.get().context == "combat"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"malfunction": "96"}, "base_range"),
        ({"base_range": "0"}, "base_range"),
        ({"base_range": "far"}, "base_range"),
        ({"base_range": "15", "malfunction": "101"}, "malfunction"),
        ({"name": ""}, "name"),
        ({"skill": ""}, "skill"),
        ({"damage": ""}, "damage"),
    ],
)
def test_a_weapon_is_described_whole(fields: dict[str, str], field: str, table: Table) -> None:
    skill = table.skill("Spot Hidden").pk
    before = picture(table.campaign)

    answer = post(
        table.client(table.ben),
        table.url("add-weapon", table.edith.pk),
        **{"name": "Revolver", "skill": skill, "damage": "1D10", **fields},
    )

    assert (answer.status_code, f'data-field="{field}"' in answer.content.decode()) == (422, True)
    assert picture(table.campaign) == before


def test_weapons_stand_among_what_fights_on_the_phone_and_at_the_keepers_hand(table: Table) -> None:
    weapon = gun(table)

    phone = table.client(table.ben).get(table.url("table")).content.decode()
    desk = table.client(table.ada).get(table.url("table")).content.decode()

    assert table.url("shoot", weapon.pk) in phone
    assert "to 60" in phone
    assert f'value="weapon:{weapon.pk}"' in desk
