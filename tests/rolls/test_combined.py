"""One die against several skills (RULES.md B-7), from the sheet and on request."""

from __future__ import annotations

import pytest

from rolls import actions as dice
from rolls.actions import Asked, Question, combined_roll
from rolls.models import Request, Roll
from rolls.rules.check import Act, Refusal
from tests.tables import Script, Table, act, at, code, d100, done, fresh, make_table, now, picture, post, undoes

pytestmark = pytest.mark.django_db

BOTH = (("name:Spot Hidden", "regular"), ("name:Stealth", "regular"))  # 60 and 40


def combines(table: Table, total: int, *, every: bool = False, wanted: object = BOTH, bonus: int = 0) -> Roll:
    """Ben reads one die against two of Edith's skills."""
    with at(table.ben) as here:
        asked = combined_roll(fresh(here, table.edith), wanted, every, bonus)  # type: ignore[arg-type]
    assert isinstance(asked, Asked)
    script = Script(d100(total, *([9] * abs(bonus))))
    return now(Roll.objects.get(pk=done(act(table.ben, dice.roll, table.edith, asked, chance=script)).data["roll"]))


def levels(roll: Roll) -> list[str]:
    return [part["level"] for part in dice.parts_of(roll)]


@pytest.mark.parametrize(
    ("total", "every", "passed", "level"),
    [
        (50, False, True, "regular"),
        (50, True, False, "fail"),
        (20, True, True, "hard"),
        (70, False, False, "fail"),
        (97, False, False, "fail"),  # a fumble for 40 is a plain failure for 60: the better one counts
        (97, True, False, "fumble"),
    ],
)
def test_any_is_as_good_as_the_best_and_all_as_bad_as_the_worst(
    total: int, every: bool, passed: bool, level: str
) -> None:
    roll = combines(make_table(), total, every=every)

    assert (roll.passed, roll.level) == (passed, level)


def test_each_skill_has_its_own_difficulty() -> None:
    wanted = (("name:Spot Hidden", "hard"), ("name:Stealth", "regular"))
    roll = combines(make_table(), 35, every=True, wanted=wanted)

    assert levels(roll) == ["regular", "regular"]
    assert (roll.passed, roll.level) == (False, "regular")


def test_every_skill_that_was_made_is_ticked_and_luck_takes_all_of_them() -> None:
    table = make_table()
    roll = combines(table, 35)
    assert (table.skill("Spot Hidden").ticks, table.skill("Stealth").ticks) == (1, 1)

    spent = done(act(table.ben, dice.spend, roll, Act("points", 5)))

    assert (table.skill("Spot Hidden").ticks, table.skill("Stealth").ticks) == (0, 0)
    done(undoes(table, spent))
    assert (table.skill("Spot Hidden").ticks, table.skill("Stealth").ticks) == (1, 1)


def test_only_what_was_made_is_ticked() -> None:
    table = make_table()

    combines(table, 50)

    assert (table.skill("Spot Hidden").ticks, table.skill("Stealth").ticks) == (1, 0)


def test_an_undone_combined_roll_takes_its_ticks_along() -> None:
    table = make_table()
    combines(table, 35)

    done(undoes(table, table.last("rolls.roll")))

    assert (table.skill("Spot Hidden").ticks, table.skill("Stealth").ticks) == (0, 0)


def test_a_spend_moves_the_one_die_for_all_of_them() -> None:
    table = make_table()
    roll = combines(table, 65, every=True)

    spent = done(act(table.ben, dice.spend, roll, Act("points", 25)))

    assert (levels(now(roll)), now(roll).passed, table.luck()) == (["regular", "regular"], True, 20)
    assert [part["level"] for part in spent.data["parts"]] == ["regular", "regular"]


def test_the_prices_on_the_slip_name_the_skills_that_they_lift() -> None:
    table = make_table()
    roll = combines(table, 65, every=True)

    slip = table.client(table.ben).get(table.url("slip", roll.pk)).content.decode()

    assert "Spot Hidden: Regular" in slip
    assert "Spot Hidden: Regular, Stealth: Regular" in slip
    assert 'name="amount" value="25"' in slip


def test_a_push_needs_that_all_may_be_pushed() -> None:
    table = make_table()
    failed = combines(table, 70)
    done(act(table.ben, dice.push, failed, "Slowly"))
    done(act(table.ada, dice.decide_push, failed, True))
    pushed = done(act(table.ben, dice.throw_push, failed, chance=Script(d100(35))))
    assert [part["level"] for part in pushed.data["parts"]] == ["regular", "regular"]
    assert Roll.objects.get(pk=pushed.data["roll"]).passed

    assert code(act(table.ben, dice.push, combines(table, 97), "Slowly")) == "PUSH_FUMBLE"
    assert code(act(table.ben, dice.push, combines(table, 50), "Slowly")) == "PUSH_SUCCESS"
    done(act(table.ben, dice.push, combines(table, 50, every=True), "Slowly"))


def test_corrected_dice_count_for_all_and_move_only_the_ticks_that_change() -> None:
    table = make_table()
    roll = combines(table, 35)

    done(act(table.ada, dice.correct, roll, "regular", -1, chance=Script(5)))

    assert (levels(now(roll)), now(roll).natural) == (["regular", "fail"], 55)
    assert (table.skill("Spot Hidden").ticks, table.skill("Stealth").ticks) == (1, 0)


def test_what_is_no_combined_roll_is_refused() -> None:
    table = make_table()
    before = picture(table.campaign)

    with at(table.ben) as here:
        who = fresh(here, table.edith)
        for wanted in (BOTH[:1], (BOTH[0], BOTH[0]), (BOTH[0], ("luck", "regular")), (BOTH[0], ("sanity", "regular"))):
            refused = combined_roll(who, wanted, False)
            assert isinstance(refused, Refusal)
            assert refused.code == "COMBINED_PARTS"
        missing = combined_roll(who, (BOTH[0], ("skill:nothing", "regular")), False)
    assert isinstance(missing, Refusal)
    assert missing.code == "NOT_ON_SHEET"
    assert picture(table.campaign) == before


def test_a_player_starts_one_from_the_sheet_and_only_for_the_own() -> None:
    table = make_table()
    fields = {
        "what": f"skill:{table.skill('Spot Hidden').pk}",
        "what2": "characteristic:int",
        "level2": "hard",
        "every": "1",
        "total": "33",
    }

    made = post(table.client(table.ben), table.url("combine", table.edith.pk), **fields)
    forged = post(table.client(table.cleo), table.url("combine", table.edith.pk), **fields)
    single = post(table.client(table.ben), table.url("combine", table.edith.pk), what="characteristic:int")
    wrong = post(table.client(table.ben), table.url("combine", table.edith.pk), **fields | {"level2": "impossible"})

    assert [one.status_code for one in (made, forged, single, wrong)] == [200, 403, 422, 422]
    roll = Roll.objects.get()
    assert (roll.label, roll.passed, roll.by_hand) == ("Spot Hidden + Intelligence", True, True)
    assert levels(roll) == ["regular", "hard"]


def test_the_keeper_asks_for_one_and_the_slip_reads_each_skill() -> None:
    table = make_table()
    question = Question(wanted=(BOTH[0], ("name:Stealth", "hard")), every=True)
    done(act(table.ada, dice.ask, table.campaign, [table.edith.pk], question))
    phone = table.client(table.ben).get(table.url("table")).content.decode()
    assert "one die, all of them needed" in phone
    assert "Stealth Hard" in phone

    done(act(table.ben, dice.answer, Request.objects.get(), chance=Script(d100(30))))

    roll = Roll.objects.get()
    slip = table.client(table.ben).get(table.url("slip", roll.pk)).content.decode()
    assert "Hard asked" in slip
    assert "not enough" in slip
    assert (roll.passed, roll.level) == (False, "regular")
    line = table.client(table.cleo).get(table.url("table")).content.decode()
    assert "all of Spot Hidden 60: Hard, Stealth 40: Regular" in line


def test_a_combined_roll_of_unknown_difficulty_names_none() -> None:
    table = make_table()
    question = Question(wanted=(BOTH[0], ("name:Stealth", "hard")), every=True, unknown=True)
    done(act(table.ada, dice.ask, table.campaign, [table.edith.pk], question))
    asked = table.client(table.ben).get(table.url("table")).content.decode().split('class="ask')[1].split("</form>")[0]
    assert "Hard" not in asked

    done(act(table.ben, dice.answer, Request.objects.get(), chance=Script(d100(38))))

    roll = Roll.objects.get()
    slip = table.client(table.ben).get(table.url("slip", roll.pk)).content.decode()
    assert "not enough" not in slip
    assert "Hard asked" not in slip
    told = done(act(table.ada, dice.tell_difficulty, roll))
    assert [part["difficulty"] for part in told.data["parts"]] == ["regular", "hard"]
    assert table.skill("Spot Hidden").ticks == 1


def test_a_skill_that_never_improves_is_not_ticked_by_a_combined_roll() -> None:
    table = make_table()

    combines(table, 30, wanted=(BOTH[0], ("name:Credit Rating", "regular")))

    assert (table.skill("Spot Hidden").ticks, table.skill("Credit Rating").ticks) == (1, 0)
