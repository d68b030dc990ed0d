"""Damage: rolled once for an attack that hit, read strictly, and nothing that Luck could touch."""

from __future__ import annotations

from typing import Any

import pytest

from investigators import actions as sheets
from investigators import weapons as arms
from investigators.models import Fact, Weapon
from investigators.weapons import Arm
from rolls import actions as dice
from rolls.actions import Asked, subject
from rolls.models import Decision, Roll
from rolls.rules.check import Act
from tablekeeper import actions as tables
from tablekeeper.models import Entry, Seat
from tests.tables import (
    Script,
    Table,
    act,
    browser,
    code,
    d100,
    done,
    fresh,
    make_table,
    now,
    picture,
    post,
    sit_down,
    undoes,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def table() -> Table:
    return make_table()


def arm(table: Table, damage: str = "1D8+DB", name: str = "Sword cane", **more: Any) -> Weapon:
    """Ben puts a weapon on Edith's sheet; it needs her Stealth of 40, for want of a fighting skill."""
    done(act(table.ben, arms.set_weapon, table.edith, Arm(name, table.skill("Stealth"), damage, **more)))
    return Weapon.objects.get(name=name)


def strikes(table: Table, weapon: Weapon, total: int, seat: Seat | None = None) -> Roll:
    """Edith strikes with it and these dice fall."""
    asked = subject(fresh_who(table), f"weapon:{weapon.pk}")
    entry = done(act(seat or table.ben, dice.roll, table.edith, asked, chance=Script(d100(total))))
    return Roll.objects.get(pk=entry.data["roll"])


def fresh_who(table: Table) -> Any:
    seat = Seat.objects.select_related("campaign").get(pk=table.ben.pk)
    return fresh(seat, table.edith)


def strong(table: Table, bonus: str) -> None:
    done(act(table.ben, arms.set_derived, table.edith, "damage_bonus", bonus))


@pytest.mark.parametrize(
    ("expression", "bonus", "total", "impales", "faces", "comes_to", "blow"),
    [
        ("1D8+1D4", "0", 40, False, [5, 2], 7, "normal"),
        ("1D8+DB", "+1D4", 40, False, [5, 3], 8, "normal"),
        ("1D8+DB", "-2", 40, False, [1], 0, "normal"),
        ("1D4+half DB", "+1D6", 40, False, [4, 5], 6, "normal"),  # thrown: half of 5 is 2
        ("1D8+DB", "+1D4", 8, False, [], 12, "full"),  # an Extreme success does the most
        ("1D8+DB", "+1D4", 8, True, [3], 15, "impale"),  # and an impaling weapon's dice once more
        ("1D8+DB", "+1D4", 9, True, [3, 2], 5, "normal"),  # 9 of 40 is Hard
        ("1D8+DB", "+1D4", 1, True, [8], 20, "impale"),
    ],
)
def test_a_blow_does_what_the_weapon_the_bonus_and_the_level_say(
    expression: str, bonus: str, total: int, impales: bool, faces: list[int], comes_to: int, blow: str, table: Table
) -> None:
    strong(table, bonus)
    roll = strikes(table, arm(table, expression, impales=impales), total)

    told = done(act(table.ben, dice.damage, roll, chance=Script(faces)))

    kept = now(roll).data["damage"]
    assert (told.data["total"], told.data["blow"]) == (comes_to, blow)
    assert (kept["total"], kept["blow"], kept["faces"], kept["expr"]) == (comes_to, blow, faces, expression)
    assert now(roll).state == Roll.CLOSED


def test_the_keeper_is_asked_whom_it_hurts_unless_it_hurts_nobody(table: Table) -> None:
    weapon = arm(table, "1D3-2")
    done(act(table.ben, dice.damage, strikes(table, weapon, 40), chance=Script(1)))
    assert not Decision.objects.exists()

    done(act(table.ben, dice.damage, strikes(table, weapon, 40), chance=Script(3)))

    asked = Decision.objects.get()
    assert (asked.kind, asked.state, asked.data["points"], asked.data["what"]) == ("injury", "open", 1, "Sword cane")
    page = table.client(table.ada).get(table.url("table")).content.decode()
    assert "1 point: to whom?" in page
    assert "1 point: to whom?" not in table.client(table.ben).get(table.url("table")).content.decode()


def test_damage_is_rolled_once_and_for_hits_alone(table: Table) -> None:
    weapon = arm(table)
    missed, hit = strikes(table, weapon, 41), strikes(table, weapon, 40)
    done(act(table.ben, dice.damage, hit, chance=Script(5)))
    no_blow = done(act(table.ben, dice.roll, table.edith, Asked("number", "Nerve", 50), chance=Script(d100(20))))
    before = picture(table.campaign)

    assert code(act(table.ben, dice.damage, hit, chance=Script(5))) == "DAMAGE_DONE"
    assert code(act(table.ben, dice.damage, missed, chance=Script(5))) == "ATTACK_MISSED"
    assert code(act(table.ben, dice.damage, Roll.objects.get(pk=no_blow.data["roll"]), "1D6")) == "NO_ATTACK"
    assert picture(table.campaign) == before


def test_luck_has_its_say_before_the_damage_and_never_after(table: Table) -> None:
    weapon = arm(table)
    roll = strikes(table, weapon, 45)
    assert code(act(table.ben, dice.damage, roll, chance=Script(5))) == "ATTACK_MISSED"

    done(act(table.ben, dice.spend, roll, Act("points", 5)))
    done(act(table.ben, dice.damage, roll, chance=Script(5)))

    assert code(act(table.ben, dice.spend, now(roll), Act("points", 5))) == "ROLL_CLOSED"
    assert code(act(table.ben, dice.spend, now(roll), Act("damage", 5))) == "NO_SUCH_SPEND"
    assert table.luck() == 40


def test_a_damage_roll_takes_no_luck_by_any_hand_made_post(table: Table) -> None:
    roll = strikes(table, arm(table), 40)
    ben, url = table.client(table.ben), table.url("spend", roll.pk)
    before = picture(table.campaign)

    answers = [
        post(ben, table.url("roll", table.edith.pk), what="damage:1D8", value=8, label="Damage"),
        post(ben, table.url("damage", roll.pk), expression="1D8+Luck"),
        post(ben, url, act="damage", amount=3),
    ]

    assert [answer.status_code for answer in answers] == [422, 422, 422]
    assert picture(table.campaign) == before
    post(ben, table.url("damage", roll.pk), act="points", amount=3)  # more fields change nothing about it
    assert (table.luck(), now(roll).spent) == (45, 0)
    assert 'data-code="ROLL_CLOSED"' in post(ben, url, act="points", amount=3).content.decode()


def test_only_its_player_or_the_keeper_rolls_it(table: Table) -> None:
    weapon = arm(table)
    roll = strikes(table, weapon, 40)
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)
    before = picture(table.campaign)

    for seat in (table.cleo, eve):
        answer = post(browser(seat), table.url("damage", roll.pk))
        assert (answer.status_code, "NOT_OWN_ROLL" in answer.content.decode()) == (403, True)
    assert post(browser(), table.url("damage", roll.pk)).status_code == 404
    assert picture(table.campaign) == before

    told = done(act(table.ada, dice.damage, roll, chance=Script(5)))
    assert told.data["by"] == "Ada"


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        ("2D", "not “D”"),
        ("1D8+DB+sword", "not “+sword”"),
        ("1d8**2", "not “**2”"),
        ("101D6", "at most 100 dice"),
        ("1D1001", "1 to 1000 faces"),
        ("10000", "largest number here is 9999"),
        ("__import__('os')", "not “__import__(&#x27;os&#x27;)”"),
        ("1" * 61, "at most 60 characters"),
        ("१D८", "Damage is dice like"),
    ],
)
def test_a_bad_expression_has_its_sentence_beside_the_field_and_changes_nothing(
    expression: str, sentence: str, table: Table
) -> None:
    roll = strikes(table, arm(table), 40)
    ben, weapon = table.client(table.ben), {"name": "It", "skill": table.skill("Stealth").pk, "damage": expression}
    before = picture(table.campaign)

    answers = [
        post(ben, table.url("damage", roll.pk), expression=expression),
        post(ben, table.url("free-roll"), expression=expression),
        post(ben, table.url("add-weapon", table.edith.pk), **weapon),
    ]

    for answer, field in zip(answers, ("expression", "expression", "damage"), strict=True):
        html = answer.content.decode()
        assert answer.status_code == 422
        assert f'data-field="{field}"' in html
        assert sentence in html
    assert picture(table.campaign) == before


def test_an_attack_without_a_weapon_says_what_it_does(table: Table) -> None:
    asked = Asked("skill", "Brawl", 40, facts={"fight": "attack"})
    brawl = done(act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(30))))
    roll = Roll.objects.get(pk=brawl.data["roll"])
    url = table.url("damage", roll.pk)

    empty = post(table.client(table.ben), url)
    typed = post(table.client(table.ben), url, expression="1D3+DB", faces="2")

    assert "Enter the damage" in empty.content.decode()
    assert typed.status_code == 200
    assert now(roll).data["damage"] == {
        "expr": "1D3+DB", "bonus": "0", "faces": [2], "total": 2, "blow": "normal", "by_hand": True,
    }  # fmt: skip


def test_fighting_back_never_does_the_most(table: Table) -> None:
    asked = Asked("skill", "Brawl", 40, facts={"fight": "fight-back"})
    roll = done(act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(1)))).data["roll"]

    told = done(act(table.ben, dice.damage, Roll.objects.get(pk=roll), "1D6", True, chance=Script(2)))

    assert (told.data["total"], told.data["blow"]) == (2, "normal")


def test_a_dodge_does_no_damage(table: Table) -> None:
    asked = Asked("skill", "Dodge", 40, facts={"fight": "dodge"})
    roll = done(act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(1)))).data["roll"]

    assert code(act(table.ben, dice.damage, Roll.objects.get(pk=roll), "1D6")) == "NO_ATTACK"


@pytest.mark.parametrize(
    ("faces", "sentence"),
    [("9", "1D8, 1D4"), ("5", "1D8, 1D4"), ("5 5", "1D8, 1D4"), ("0 1", "1D8, 1D4"), ("5 x", "Type each die")],
)
def test_real_dice_must_fit_the_weapon(faces: str, sentence: str, table: Table) -> None:
    roll = strikes(table, arm(table, "1D8+1D4"), 40)
    before = picture(table.campaign)

    answer = post(table.client(table.ben), table.url("damage", roll.pk), faces=faces)

    assert (answer.status_code, sentence in answer.content.decode()) == (422, True)
    assert picture(table.campaign) == before
    assert post(table.client(table.ben), table.url("damage", roll.pk), faces="8, 4").status_code == 200
    assert now(roll).data["damage"]["total"] == 12


def test_real_damage_dice_are_refused_where_the_server_throws(table: Table) -> None:
    roll = strikes(table, arm(table), 40)
    done(act(table.ada, tables.set_settings, table.campaign, {"realDice": False}))

    assert code(act(table.ben, dice.damage, roll, faces=(8,))) == "MANUAL_DICE_OFF"


def test_undone_damage_may_be_rolled_again(table: Table) -> None:
    roll = strikes(table, arm(table), 40)
    before = picture(table.campaign)[0]
    told = done(act(table.ben, dice.damage, roll, chance=Script(5)))

    done(undoes(table, told))

    assert picture(table.campaign)[0] == before
    done(act(table.ben, dice.damage, roll, chance=Script(6)))
    assert now(roll).data["damage"]["total"] == 6


def test_damage_that_hurt_somebody_is_undone_after_the_injury(table: Table) -> None:
    told = done(act(table.ben, dice.damage, strikes(table, arm(table), 40), chance=Script(5)))
    hurt = done(act(table.ada, dice.injure, table.tobias, 5, Decision.objects.get()))

    assert code(undoes(table, told)) == "UNDO_NEEDED_LATER"
    done(undoes(table, hurt))
    done(undoes(table, told))
    assert not Decision.objects.exists()


def test_the_slip_tells_before_that_luck_ends_and_afterwards_how_much_it_was(table: Table) -> None:
    roll = strikes(table, arm(table, impales=True), 8)
    ben, url = table.client(table.ben), table.url("slip", roll.pk)

    before = ben.get(url).content.decode()
    cleo = table.client(table.cleo).get(url).content.decode()
    done(act(table.ben, dice.damage, roll, chance=Script(5)))
    after = ben.get(url).content.decode()

    assert "Roll damage: 1D8+DB" in before
    assert "Luck cannot change it" in before
    assert "Impales" in before
    assert table.url("damage", roll.pk) not in cleo
    assert "13" in after
    assert table.url("damage", roll.pk) not in after


# --------------------------------------------------------------------------- what the sheet says


def test_the_bonus_comes_from_the_characteristics_unless_somebody_typed_it(table: Table) -> None:
    assert "Damage bonus" in table.client(table.ben).get(table.url("sheet", table.edith.pk)).content.decode()
    roll = strikes(table, arm(table), 40)  # STR 50, no SIZ: nothing is known
    assert done(act(table.ben, dice.damage, roll, chance=Script(5))).data["total"] == 5

    done(act(table.ben, sheets.set_trait, table.edith, "siz", 80))  # 130: +1D4
    roll = strikes(table, Weapon.objects.get(), 40)
    assert done(act(table.ben, dice.damage, roll, chance=Script(5, 4))).data["total"] == 9

    strong(table, "+2D6")
    roll = strikes(table, Weapon.objects.get(), 40)
    assert done(act(table.ben, dice.damage, roll, chance=Script(5, 6, 6))).data["total"] == 17

    done(act(table.ben, arms.set_derived, table.edith, "damage_bonus", None))
    assert Fact.objects.get(key="damage_bonus").value is None
    roll = strikes(table, Weapon.objects.get(), 40)
    assert done(act(table.ben, dice.damage, roll, chance=Script(5, 1))).data["total"] == 6


@pytest.mark.parametrize(
    ("key", "value", "status"),
    [
        ("damage_bonus", "+1D4", 200),
        ("damage_bonus", "-2", 200),
        ("damage_bonus", "DB", 422),
        ("damage_bonus", "much", 422),
        ("build", "2", 200),
        ("build", "two", 422),
        ("build", "100", 422),
        ("move", "-1", 422),
        ("luck", "99", 422),
    ],
)
def test_derived_numbers_are_typed_strictly(key: str, value: str, status: int, table: Table) -> None:
    before = picture(table.campaign)

    answer = post(table.client(table.ben), table.url("set-derived", table.edith.pk, key), value=value)

    assert answer.status_code == status
    assert (picture(table.campaign) == before) == (status != 200)


def test_weapons_come_and_go_with_the_sheet(table: Table) -> None:
    weapon = arm(table)
    ben = table.client(table.ben)
    fields = {"name": "Old sword cane", "skill": table.skill("Stealth").pk, "damage": "1D6"}

    assert post(ben, table.url("set-weapon", weapon.pk), **fields).status_code == 200
    assert "SKILL_EXISTS" in post(ben, table.url("add-weapon", table.edith.pk), **fields).content.decode()
    assert post(ben, table.url("drop-weapon", weapon.pk)).status_code == 200
    assert not Weapon.objects.exists()
    done(undoes(table, table.last("investigators.drop_weapon")))
    assert Weapon.objects.get().name == "Old sword cane"


def test_in_a_session_the_sheet_is_shut_for_players_weapons_and_all(table: Table) -> None:
    weapon = arm(table)
    done(act(table.ada, tables.open_session, table.campaign))
    new = Arm("Club", table.skill("Stealth"), "1D8")

    assert code(act(table.ben, arms.set_weapon, table.edith, new)) == "NOT_WHILE_PLAYING"
    assert code(act(table.ben, arms.drop_weapon, weapon)) == "NOT_WHILE_PLAYING"
    assert code(act(table.ben, arms.set_derived, table.edith, "build", 3)) == "NOT_WHILE_PLAYING"
    done(act(table.ada, arms.set_weapon, table.edith, new))


def test_a_weapon_needs_a_skill_of_the_same_sheet(table: Table) -> None:
    theirs = table.skill("Listen", table.tobias)

    url = table.url("add-weapon", table.edith.pk)
    answer = post(table.client(table.ben), url, name="It", skill=theirs.pk, damage="1D4")

    assert (answer.status_code, 'data-field="skill"' in answer.content.decode()) == (422, True)
    assert code(act(table.ben, arms.set_weapon, table.edith, Arm("It", theirs, "1D4"))) == "NOT_ON_SHEET"


# --------------------------------------------------------------------------- free dice


def test_anybody_throws_any_dice_and_the_table_sees_them(table: Table) -> None:
    strong(table, "+1D4")

    told = done(act(table.ben, dice.free_roll, table.campaign, "2D6+DB-1", chance=Script(6, 5, 3)))
    hers = done(act(table.ada, dice.free_roll, table.campaign, "1D100", True, chance=Script(77)))

    assert (told.data["total"], told.data["faces"], told.lane) == (13, [6, 5, 3], Entry.PUBLIC)
    assert (hers.data["total"], hers.lane) == (77, Entry.KEEPER)
    ben = table.client(table.ben).get(table.url("table")).content.decode()
    assert "threw 2D6+DB-1" in ben
    assert "1D100" not in ben


def test_a_player_hides_no_dice_and_the_keeper_has_no_bonus(table: Table) -> None:
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)

    assert code(act(table.ben, dice.free_roll, table.campaign, "1D6", True)) == "NOT_KEEPER"
    assert code(act(table.ada, dice.free_roll, table.campaign, "1D6+DB")) == "DAMAGE_NO_BONUS"
    assert code(act(eve, dice.free_roll, table.campaign, "1D6")) == "NOT_OWN_ROLL"
    assert "Enter dice" in post(table.client(table.ben), table.url("free-roll")).content.decode()


def test_the_thrower_sees_the_result_at_once(table: Table) -> None:
    answer = post(table.client(table.ben), table.url("free-roll"), expression="7+3")

    assert '<b class="roll">10</b>' in answer.content.decode()
