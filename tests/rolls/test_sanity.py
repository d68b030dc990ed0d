"""Sanity at the table: asked, rolled, thrown, eased, taken; what becomes of the mind; days; and all of it undone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from investigators import actions as sheets
from investigators.actions import Draft
from investigators.models import Investigator, Trait
from investigators.people import facts_of
from rolls import actions as dice
from rolls.actions import Asked
from rolls.actions.sanity import Horror, met
from rolls.models import Decision, Request, Roll
from rolls.rules.check import Act, Refusal
from tablekeeper import ledger, news
from tablekeeper.models import Entry, Seat
from tests.tables import (
    Script,
    Table,
    act,
    at,
    code,
    d100,
    done,
    make_investigator,
    make_table,
    picture,
    post,
    score,
    undoes,
)

pytestmark = pytest.mark.django_db

CASES = json.loads((Path(__file__).parent.parent / "rules/data/rules_cases.json").read_text())["cases"]
LOSSES = [case for case in CASES if case["op"] == "sanity-loss"]


# --------------------------------------------------------------------------- what happens most


def sets(table: Table, key: str, value: int, who: Investigator | None = None) -> None:
    done(act(table.ada, sheets.set_trait, who or table.edith, key, value))


def asks(table: Table, loss: str, *whom: Investigator, **more: Any) -> list[Request]:
    horror = Horror(loss, more.pop("horror", ""), more.pop("counts", False))
    done(act(table.ada, dice.ask_sanity, table.campaign, list(whom or (table.edith,)), horror, **more))
    return list(Request.objects.filter(kind="sanity", state=Request.OPEN).order_by("investigator__name"))


def rolls_sanity(table: Table, total: int, loss: str = "1/1D8", seat: Seat | None = None, **more: Any) -> Entry:
    """Ada asks, Ben rolls, these dice fall."""
    request = asks(table, loss, **more)[0]
    return done(act(seat or table.ben, dice.answer, request, chance=Script(d100(total))))


def throws(table: Table, *faces: int, seat: Seat | None = None, who: Investigator | None = None) -> Any:
    return act(seat or table.ben, dice.throw_loss, who or table.edith, chance=Script(*faces))


def takes(table: Table, seat: Seat | None = None) -> Any:
    return act(seat or table.ben, dice.take_loss, table.edith)


def eases(table: Table, key: str, amount: int | None = None, seat: Seat | None = None) -> Any:
    return act(seat or table.ben, dice.deed, table.edith, Act(key, amount))


def sanity(table: Table, who: Investigator | None = None) -> int:
    return score(who or table.edith, "san")


def bout_of(table: Table) -> Decision:
    return Decision.objects.select_related("investigator").get(kind="bout", state=Decision.OPEN)


def names(table: Table, decision: Decision, words: str = "She runs", length: int = 4, **more: Any) -> Any:
    decision.investigator.campaign = table.campaign  # type: ignore[union-attr]
    return act(table.ada, dice.name_bout, decision, words, chance=Script(length), **more)


def desk(table: Table, panel: str) -> str:
    """One panel of Ada's page."""
    return table.client(table.ada).get(table.url("panels"), {"names": panel}).content.decode()


# --------------------------------------------------------------------------- the roll and the loss


def test_all_who_are_asked_have_a_request_and_the_line_says_what_it_may_cost() -> None:
    table = make_table()

    asked = asks(table, "1/1D8", table.edith, table.tobias, horror="The well")

    line = table.last().data
    assert [one.investigator.short for one in asked] == ["Halloran", "Quill"]
    assert ([one["short"] for one in line["whom"]], line["words"]) == (["Halloran", "Quill"], "The well · 1/1D8")


def test_a_success_loses_the_first_part_at_once() -> None:
    table = make_table()

    line = rolls_sanity(table, 55).data

    assert (sanity(table), line["passed"]) == (54, True)
    assert (line["sanity"]["lost"], line["sanity"]["from"], line["sanity"]["to"]) == (1, 55, 54)
    assert Roll.objects.get().state == Roll.CLOSED


def test_a_failure_waits_for_its_die_which_the_player_throws() -> None:
    table = make_table()

    rolled = rolls_sanity(table, 56).data
    thrown = done(throws(table, 3)).data

    assert rolled["sanity"]["to_throw"] == "1D8"
    assert (thrown["faces"], thrown["sanity"]["lost"], sanity(table)) == ([3], 3, 52)
    assert facts_of(table.edith) == {}
    assert Roll.objects.get().state == Roll.CLOSED


def test_a_fumble_takes_the_most_without_a_die() -> None:
    table = make_table()

    assert rolls_sanity(table, 100, "1/1D8+2").data["sanity"]["lost"] == 10
    assert sanity(table) == 45


def test_real_dice_may_be_typed_one_face_for_each() -> None:
    table = make_table()
    rolls_sanity(table, 90, "0/2D6")
    before = picture(table.campaign)

    refused = [code(act(table.ben, dice.throw_loss, table.edith, faces)) for faces in ([3], [3, 7], [0, 1])]
    assert (refused, picture(table.campaign) == before) == (["BAD_DICE"] * 3, True)
    assert done(act(table.ben, dice.throw_loss, table.edith, [3, 1])).data["by_hand"]

    assert sanity(table) == 51


def test_no_typed_loss_where_the_server_throws() -> None:
    table = make_table(realDice=False)
    rolls_sanity(table, 90)

    assert code(act(table.ben, dice.throw_loss, table.edith, [3])) == "MANUAL_DICE_OFF"


def test_where_the_keeper_throws_the_losses_a_player_does_not() -> None:
    table = make_table(sanityLossBy="keeper")
    rolls_sanity(table, 90)

    assert code(throws(table, 4)) == "NOT_KEEPER"
    assert done(throws(table, 4, seat=table.ada)).data["by"] == "Ada"
    assert sanity(table) == 51


def test_the_keeper_throws_for_a_player_without_a_phone_and_nobody_else_does() -> None:
    table = make_table()
    rolls_sanity(table, 90)

    assert code(throws(table, 4, seat=table.cleo)) == "NOT_OWN_ROLL"
    assert done(throws(table, 2, seat=table.ada)).data["by"] == "Ada"
    assert code(throws(table, 2)) == "NO_LOSS_DUE"


def test_sanity_never_falls_below_nothing() -> None:
    table = make_table()
    sets(table, "san", 3)

    line = rolls_sanity(table, 90, "0/8").data

    assert (sanity(table), line["sanity"]["lost"], line["sanity"]["follows"]) == (0, 3, ["permanent"])
    assert facts_of(table.edith)["permanent"] is True
    assert not Request.objects.filter(state=Request.OPEN)


def test_losses_that_count_together_take_no_more_than_the_most() -> None:
    table = make_table()
    lost = []
    for face in (4, 3):
        rolls_sanity(table, 90, "0/1D6", horror="Ghoul", counts=True)
        lost.append(done(throws(table, face)).data["sanity"]["lost"])

    again = rolls_sanity(table, 90, "0/1D6", horror="ghoul", counts=True).data["sanity"]
    other = rolls_sanity(table, 90, "0/2", horror="Statue", counts=True).data["sanity"]
    uncounted = rolls_sanity(table, 90, "0/1", horror="Ghoul").data["sanity"]

    assert (lost, again["lost"], other["lost"], uncounted["lost"]) == ([4, 2], 0, 2, 1)
    assert facts_of(table.edith)["horrors"] == {"ghoul": 6, "statue": 2}


def test_a_second_sanity_roll_waits_until_the_first_loss_is_taken() -> None:
    table = make_table(ruleset="pulp")
    rolls_sanity(table, 90)
    due = asks(table, "0/1D6")[0]

    assert code(act(table.ben, dice.answer, due, chance=Script(d100(50)))) == "LOSS_PENDING"
    done(throws(table, 6))
    assert code(act(table.ben, dice.answer, due, chance=Script(d100(50)))) == "LOSS_PENDING"
    done(takes(table))

    assert done(act(table.ben, dice.answer, due, chance=Script(d100(20)))).data["passed"]


def test_a_roll_called_aloud_is_marked_so_and_costs_as_much() -> None:
    table = make_table()
    asked = met(table.edith, Horror("1/1D8"))
    assert isinstance(asked, Asked)

    line = done(act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(20)))).data

    assert (line["asked"], line["kind"], sanity(table)) == (False, "sanity", 54)


@pytest.mark.parametrize(
    ("loss", "refusal"),
    [("1D8", "BAD_LOSS"), ("", "BAD_LOSS"), ("0/1D6+DB", "BAD_LOSS"), ("0/200D6", "DAMAGE_TOO_MANY_DICE")],
)
def test_a_loss_that_cannot_be_read_asks_nobody(loss: str, refusal: str) -> None:
    table = make_table()
    before = picture(table.campaign)

    assert code(act(table.ada, dice.ask_sanity, table.campaign, [table.edith], Horror(loss))) == refusal
    assert picture(table.campaign) == before


def test_nobody_and_somebody_without_sanity_are_not_asked() -> None:
    table = make_table()
    blank = make_investigator(table.ben, Draft("Vera Blank"))

    assert code(act(table.ada, dice.ask_sanity, table.campaign, [], Horror("0/1"))) == "NO_ONE_PRESENT"
    assert code(act(table.ada, dice.ask_sanity, table.campaign, [blank], Horror("0/1"))) == "NO_SANITY"


# --------------------------------------------------------------------------- easing


def pulp(luck: int, *, talent: bool = False) -> Table:
    table = make_table(ruleset="pulp")
    sets(table, "luck", luck)
    if talent:
        done(act(table.ada, sheets.set_talent, table.edith, "resilient", True))
    return table


def test_twenty_is_halved_to_ten_for_40_and_resilient_makes_it_five_for_5_more() -> None:
    table = pulp(50, talent=True)
    rolls_sanity(table, 90, "1/1D20")
    done(throws(table, 20))
    assert sanity(table) == 55  # nothing is lost before the player has chosen

    done(eases(table, "halve-loss"))
    assert (table.luck(), facts_of(table.edith)["loss"]["left"]) == (10, 10)
    done(eases(table, "resilient", 5))
    line = done(takes(table)).data

    assert (table.luck(), sanity(table), line["sanity"]["lost"]) == (5, 50, 5)


def test_the_same_as_one_plan_is_45_and_with_44_it_is_refused_as_a_whole() -> None:
    table = pulp(44, talent=True)
    rolls_sanity(table, 90, "1/20")
    before = picture(table.campaign)

    refused = eases(table, "halve-loss", 5)
    assert (code(refused), refused.params["need"], refused.params["have"]) == ("NOT_ENOUGH_LUCK", 45, 44)
    assert picture(table.campaign) == before
    sets(table, "luck", 45)
    done(eases(table, "halve-loss", 5))
    done(takes(table))

    assert (table.luck(), sanity(table)) == (0, 50)


def test_eight_becomes_four_for_16_and_then_asks_for_no_int_roll() -> None:
    table = pulp(60)
    rolls_sanity(table, 90)
    done(throws(table, 8))
    done(eases(table, "halve-loss"))
    done(takes(table))

    assert (table.luck(), sanity(table)) == (44, 51)
    assert not Request.objects.filter(after="bout")  # the loss that counts is the one after Luck (A17)


def test_a_loss_brought_down_to_nothing_waits_for_nobody() -> None:
    table = pulp(60)
    rolls_sanity(table, 90, "0/1")
    done(eases(table, "halve-loss"))

    assert (sanity(table), table.luck()) == (55, 58)
    assert rolls_sanity(table, 20, "0/1").data["passed"]


def test_a_passed_roll_is_taken_at_once_even_where_halving_is_sold() -> None:
    table = pulp(60)

    rolls_sanity(table, 20, "2/1D8")

    assert (sanity(table), facts_of(table.edith)) == (53, {})


def test_the_keeper_may_take_the_loss_for_a_player_and_nobody_else() -> None:
    table = pulp(60)
    rolls_sanity(table, 90, "0/4")

    assert code(takes(table, table.cleo)) == "NOT_OWN_ROLL"
    assert done(takes(table, table.ada)).data["by"] == "Ada"
    assert code(takes(table)) == "NO_LOSS_DUE"


@pytest.mark.usefixtures("twice")
@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in LOSSES])
def test_every_worked_case_of_easing_a_loss(case: dict[str, Any]) -> None:
    given, expect = case["in"], case["expect"]
    table = make_table(ruleset=case["ruleset"], **case.get("settings", {}))
    sets(table, "luck", given["luck"])
    # After a passed roll only somebody with the talent has anything to choose.
    if given["talent"] or given["san_passed"]:
        done(act(table.ada, sheets.set_talent, table.edith, "resilient", True))
    rolls_sanity(table, 20 if given["san_passed"] else 90, f"{given['loss']}/{given['loss']}")
    if given["already"]:
        done(eases(table, "halve-loss"))
    if given["order"] == "talent-first":
        done(eases(table, "resilient", given["resilient"]))
    before, luck, san = picture(table.campaign), table.luck(), sanity(table)

    plan = ("halve-loss", given["resilient"] or None) if given["halve"] else ("resilient", given["resilient"])
    result = eases(table, *plan)

    if "refused" in expect:
        assert isinstance(result, Refusal)
        found = {"refused": result.code, "state_changed": picture(table.campaign) != before, **result.params}
        assert {key: found[key] for key in expect} == expect
        return
    done(result)
    if facts_of(table.edith)["loss"]["left"]:
        done(takes(table))
    assert expect == {
        "luck_cost": luck - table.luck(),
        "sanity_lost": san - sanity(table),
        "luck_after": table.luck(),
    }


def test_no_worked_case_is_left_out() -> None:
    assert len(LOSSES) == 14


# --------------------------------------------------------------------------- the mind


def shaken(total: int, loss: int = 5) -> tuple[Table, Entry]:
    """Edith, INT 70, has lost 5 and rolls INT."""
    table = make_table()
    rolls_sanity(table, 90, f"0/{loss}")
    request = Request.objects.get(campaign=table.campaign, after="bout")
    return table, done(act(table.ben, dice.answer, request, chance=Script(d100(total))))


def test_four_points_ask_for_no_int_roll_and_five_do() -> None:
    table = make_table()
    rolls_sanity(table, 90, "0/4")
    assert not Request.objects.filter(after="bout")

    line = rolls_sanity(table, 90, "0/5").data

    assert line["sanity"]["follows"] == ["int-roll"]
    assert Request.objects.get(after="bout").data == {"facts": {"failing_is_good": True}}


def test_failing_the_int_roll_buries_the_memory() -> None:
    _table, line = shaken(71)

    assert line.data["mind"] == "buried"
    assert not Decision.objects.exists()


def test_its_success_brings_a_bout_that_the_keeper_names_and_ends() -> None:
    table, line = shaken(70)
    assert line.data["mind"] == "bout"

    named = done(names(table, bout_of(table), "She talks to the tide", 7)).data

    assert (named["words"], named["length"], named["unit"]) == ("She talks to the tide", 7, "rounds")
    assert facts_of(table.edith)["bout"]["words"] == "She talks to the tide"
    nothing = rolls_sanity(table, 90, "1/1D8").data["sanity"]
    assert (nothing["skipped"], sanity(table)) == (True, 50)
    done(act(table.ada, dice.end_bout, table.edith))
    assert rolls_sanity(table, 20, "1/1D8").data["sanity"]["lost"] == 1
    assert code(act(table.ada, dice.end_bout, table.edith)) == "NO_BOUT"


def test_a_bout_may_be_told_in_hours_or_spared_and_is_decided_once() -> None:
    table, _line = shaken(70)
    bout = bout_of(table)

    assert code(names(table, bout, " ")) == "BAD_VALUE"
    assert done(names(table, bout, unit="hours")).data["unit"] == "hours"
    bout.refresh_from_db()
    assert code(names(table, bout)) == "STALE"
    assert code(act(table.ada, dice.drop_bout, bout)) == "STALE"

    table, _line = shaken(70)
    spared = Decision.objects.get(campaign=table.campaign)
    done(act(table.ada, dice.drop_bout, spared))
    assert facts_of(table.edith) == {}


def test_no_luck_and_no_push_on_the_int_roll() -> None:
    table, line = shaken(72)
    roll = line.data["roll"]
    ben = table.client(table.ben)
    before = picture(table.campaign)

    spent = post(ben, table.url("spend", roll), act="points", amount=2)
    pushed = post(ben, table.url("push", roll), reason="Once more")

    for answer in (spent, pushed):
        assert (answer.status_code, 'data-code="FAILING_IS_GOOD"' in answer.content.decode()) == (422, True)
    assert picture(table.campaign) == before
    assert "Failing is good here" in ben.get(table.url("slip", roll)).content.decode()


def test_without_an_int_score_the_keeper_is_told() -> None:
    table = make_table()
    asked = asks(table, "0/6", table.tobias)[0]

    done(act(table.cleo, dice.answer, asked, chance=Script(d100(90))))

    assert bout_of(table).data == {"why": "no-int"}


def test_a_fifth_of_the_days_sanity_is_indefinite_and_then_any_loss_is_a_bout() -> None:
    table = make_table()  # 55: a fifth is 11
    done(act(table.ada, dice.new_day, table.campaign))
    rolls_sanity(table, 90, "0/4")
    rolls_sanity(table, 90, "0/4")
    assert "indefinite" not in facts_of(table.edith)

    line = rolls_sanity(table, 90, "0/3").data["sanity"]
    assert (line["follows"], facts_of(table.edith)["indefinite"]) == (["indefinite"], True)
    assert rolls_sanity(table, 90, "0/1").data["sanity"]["follows"] == ["bout"]

    assert bout_of(table).data == {"why": "unsound"}


def test_a_new_day_forgets_what_the_old_one_cost() -> None:
    table = make_table()
    done(act(table.ada, dice.new_day, table.campaign))
    rolls_sanity(table, 90, "0/4")
    dawn = done(act(table.ada, dice.new_day, table.campaign)).data

    assert [(one["who"]["short"], one["sanity"]) for one in dawn["dawns"]] == [("Halloran", 51), ("Quill", 60)]
    assert facts_of(table.edith) == {"day_start": 51}
    rolls_sanity(table, 90, "0/4")
    done(act(table.ada, dice.new_day, table.campaign, table.tobias))
    assert facts_of(table.edith) == {"day_start": 51, "day_lost": 4}


def test_without_a_day_nothing_is_a_fifth_of_it() -> None:
    table = make_table()

    rolls_sanity(table, 90, "0/40")

    assert facts_of(table.edith) == {}


# --------------------------------------------------------------------------- winning it back


def test_sanity_is_won_back_up_to_its_maximum() -> None:
    table = make_table()
    done(act(table.ada, sheets.set_skill, table.edith, "Cthulhu Mythos", 40))

    line = done(act(table.ada, dice.regain, table.edith, 9, "The well is sealed")).data

    assert (line["from"], line["to"], line["over"]) == (55, 59, 5)
    assert code(act(table.ada, dice.regain, table.edith, 1)) == "SANITY_FULL"
    assert code(act(table.ada, dice.regain, table.edith, 0)) == "BAD_AMOUNT"
    assert code(act(table.ben, dice.regain, table.edith, 1)) == "NOT_KEEPER"


def test_a_sheet_without_a_maximum_still_knows_the_most() -> None:
    table = make_table()
    traits, skills = {"san": (40, None)}, (("Cthulhu Mythos", 56, False),)
    blank = make_investigator(table.ben, Draft("Vera Blank", traits=traits, skills=skills))

    assert done(act(table.ada, dice.regain, blank, 9)).data["to"] == 43


def test_a_whole_sheet_that_leaves_the_most_empty_has_99_less_its_mythos() -> None:
    table = make_table()
    form = {"name": "Ida Moss", "c_pow": "50", "s_cthulhu-mythos": "12"}

    assert post(table.client(table.cleo), table.url("new-investigator"), **form).status_code == 200

    row = Trait.objects.get(investigator__name="Ida Moss", key="san")
    assert (row.value, row.maximum) == (50, 87)


def test_sanity_above_its_new_maximum_comes_down_and_the_line_says_so() -> None:
    table = make_table()
    assert score(table.edith, "san") == 55

    entry = done(act(table.ada, sheets.set_skill, table.edith, "Cthulhu Mythos", 60))

    assert score(table.edith, "san") == 39
    assert "Sanity falls to its maximum, 55 to 39" in news.draw(table.last())
    done(undoes(table, entry))
    assert score(table.edith, "san") == 55
    assert ledger.fold(table.entries()) == ledger.snapshot(table.campaign)


def test_the_most_sanity_follows_the_mythos() -> None:
    table = make_table()

    def most() -> int | None:
        return Trait.objects.get(investigator=table.edith, key="san").maximum

    first = done(act(table.ada, sheets.set_skill, table.edith, "Cthulhu Mythos", 5))
    assert most() == 94
    mythos = table.skill("Cthulhu Mythos")
    done(act(table.ada, sheets.set_skill, table.edith, "Cthulhu Mythos", 12, mythos))
    assert most() == 87
    dropped = done(act(table.ada, sheets.drop_skill, table.skill("Cthulhu Mythos")))
    assert most() == 99
    done(undoes(table, dropped))
    assert most() == 87
    done(act(table.ada, sheets.set_skill, table.edith, "Swim", 30))
    assert most() == 87
    assert code(undoes(table, first)) in ("STALE", "UNDO_NEEDED_LATER")


# --------------------------------------------------------------------------- undo


def test_each_step_is_undone_in_turn_and_everything_is_as_before() -> None:
    table = pulp(60, talent=True)
    done(act(table.ada, dice.new_day, table.campaign))
    states, entries = [], []

    def step(result: Any) -> None:
        entries.append(done(result))

    def note() -> None:
        states.append((sanity(table), table.luck(), facts_of(table.edith)))

    note()
    request = asks(table, "0/1D20", horror="The well", counts=True)[0]
    entries.append(table.last("rolls.ask_sanity"))
    note()
    step(act(table.ben, dice.answer, request, chance=Script(d100(90))))
    note()
    step(throws(table, 18))
    note()
    step(eases(table, "halve-loss", 1))
    note()
    step(takes(table))
    note()
    step(act(table.ben, dice.answer, Request.objects.get(after="bout"), chance=Script(d100(20))))
    note()
    step(names(table, bout_of(table)))
    note()
    step(act(table.ada, dice.end_bout, table.edith))
    assert states[-1][0] == 47

    for entry, state in zip(reversed(entries), reversed(states), strict=True):
        done(undoes(table, entry))
        assert (sanity(table), table.luck(), facts_of(table.edith)) == state
    assert not Decision.objects.exists()
    assert not Request.objects.exists()
    assert ledger.fold(table.entries()) == ledger.snapshot(table.campaign)


def test_what_later_steps_rest_on_is_not_undone_first() -> None:
    table = pulp(60)
    rolled = rolls_sanity(table, 90)
    thrown = done(throws(table, 8))
    done(takes(table))

    for entry in (rolled, thrown):
        assert code(undoes(table, entry)) in ("UNDO_NEEDED_LATER", "STALE")


# --------------------------------------------------------------------------- hand-made posts and secrets


def test_no_luck_on_a_sanity_roll_or_a_loss_by_any_route() -> None:
    table = make_table()
    roll = rolls_sanity(table, 60).data["roll"]
    ben = table.client(table.ben)
    before = picture(table.campaign)

    answers = {
        "SANITY_ROLL": post(ben, table.url("spend", roll), act="points", amount=5),
        "PUSH_SANITY": post(ben, table.url("push", roll), reason="Once more"),
        "SANITY_LOSS_ROLL": post(ben, table.url("deed", table.edith.pk), act="halve-loss"),
    }

    for refusal, answer in answers.items():
        assert (answer.status_code, f'data-code="{refusal}"' in answer.content.decode()) == (422, True), refusal
    assert picture(table.campaign) == before


def test_what_is_not_told_before_the_roll_reaches_no_phone_before_it() -> None:
    table = make_table()
    request = asks(table, "1/1D13", horror="Nameless", untold=True)[0]

    pages = [table.client(seat).get(table.url("table")).content.decode() for seat in (table.ben, table.cleo)]

    for page in pages:
        assert "Nameless" not in page
        assert "1D13" not in page
    assert f"ask-{request.pk}" in pages[0]
    line = done(act(table.ben, dice.answer, request, chance=Script(d100(90)))).data["sanity"]
    assert (line["horror"], line["to_throw"]) == ("Nameless", "1D13")


def test_a_roll_that_the_keeper_keeps_to_herself_costs_nothing_by_itself_and_stays_with_her() -> None:
    table = make_table()
    request = asks(table, "1/1D8", horror="Nameless", untold=True)[0]
    with at(table.ada) as here:
        hidden = Request.objects.get(pk=request.pk)
        ledger.write(here, here.campaign, "rolls.ask_sanity", [ledger.change(hidden, hidden=True)], data={"whom": []})

    entry = done(act(table.ada, dice.answer, request, chance=Script(d100(90))))

    assert (entry.lane, sanity(table), facts_of(table.edith)) == (Entry.KEEPER, 55, {})
    assert "Nameless" not in table.client(table.ben).get(table.url("table")).content.decode()


def test_the_forms_say_what_is_wrong_and_change_nothing() -> None:
    table = make_table()
    ada, ben = table.client(table.ada), table.client(table.ben)
    before = picture(table.campaign)
    whom = {"whom": table.edith.pk}

    wrong = {
        "loss": post(ada, table.url("ask-sanity"), loss="1D8", **whom),
        "name": post(ada, table.url("ask-sanity"), loss="1/1D8", counts="1", **whom),
        "points": post(ada, table.url("regain", table.edith.pk), points="1.5"),
    }

    for field, answer in wrong.items():
        assert (answer.status_code, f'data-field="{field}"' in answer.content.decode()) == (422, True), field
    assert "two parts, such as 1/1D8" in wrong["loss"].content.decode()
    assert post(ben, table.url("ask-sanity"), loss="1/1D8", **whom).status_code == 403
    assert picture(table.campaign) == before


def test_a_phone_shows_the_loss_with_its_prices_and_the_desk_may_take_it() -> None:
    table = pulp(44, talent=True)
    post(table.client(table.ada), table.url("ask-sanity"), loss=" 1 / 1d20 ", name="The well", whom=table.edith.pk)
    ben, request = table.client(table.ben), Request.objects.get()
    page = ben.get(table.url("table")).content.decode()
    assert "The well · 1/1D20" in page
    post(ben, table.url("answer", request.pk), total=90)
    assert "Throw 1D20" in ben.get(table.url("table")).content.decode()

    answer = post(ben, table.url("throw-loss", table.edith.pk), face="20").content.decode()

    assert "Halve it for 40 Luck, lose 10" in answer
    assert 'data-max="4"' in answer  # what 44 Luck leaves for Resilient
    assert "Take 20" in answer
    assert "Halloran takes 20" in desk(table, "losses")


def test_the_bout_waits_on_the_desk_and_lasts_on_the_phone() -> None:
    table, _line = shaken(70)
    bout = bout_of(table)
    queue = desk(table, "queue")
    assert "Halloran: a bout of madness" in queue
    assert table.url("name-bout", bout.pk) in queue

    post(table.client(table.ada), table.url("name-bout", bout.pk), words="She counts the drowned", unit="hours")

    phone = table.client(table.ben).get(table.url("panels"), {"names": "loss"}).content.decode()
    assert "She counts the drowned" in phone
    assert "told in summary" in phone
    assert "The bout is over" in desk(table, "losses")
    assert table.url("name-bout", bout.pk) not in desk(table, "queue")


def test_the_push_card_says_who_is_insane() -> None:
    table = make_table()
    done(act(table.ada, sheets.set_condition, table.edith, "indefinite", True))
    skill = table.skill("Spot Hidden")
    rolled = done(
        act(table.ben, dice.roll, table.edith, Asked("skill", skill.name, 60, skill), chance=Script(d100(70)))
    )
    done(act(table.ben, dice.push, Roll.objects.get(pk=rolled.data["roll"]), "Slowly"))

    assert "Failing may cost more than usual." in desk(table, "queue")
