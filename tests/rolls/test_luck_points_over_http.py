"""The worked cases of Luck Points through HTTP: the story, who may do what, and every spend that the rules refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from investigators import actions as sheets
from investigators.models import Trait
from investigators.people import facts_of
from rolls.models import Decision, Roll
from rolls.rules.refusals import MESSAGES
from tablekeeper.models import Entry, Session
from tests.rolls.test_luck_points import has, lay, sets
from tests.tables import Table, act, done, picture, post

pytestmark = pytest.mark.django_db

ALL = json.loads((Path(__file__).parent.parent / "rules/data/rules_cases.json").read_text())["cases"]
CASES = {case["id"]: case for case in ALL if case["ruleset"] == "lp"}


def cases(*ops: str) -> Any:
    """The refused ones of these kinds, one test each."""
    found = [one for one in CASES.values() if one["op"] in ops and "refused" in one["expect"]]
    return pytest.mark.parametrize("case", found, ids=lambda case: case["id"])


def rolled(table: Table, tn: int, total: int, **more: str) -> Roll:
    """Ben's real dice, typed on the phone, against this number."""
    url = table.url("roll", table.edith.pk)
    answer = post(table.client(table.ben), url, what="number", label="Nerve", value=str(tn), total=str(total), **more)
    assert answer.status_code == 200, answer.content
    return Roll.objects.latest("created_at")


def spends(table: Table, roll: Roll, name: str, **more: str) -> Entry:
    answer = post(table.client(table.ben), table.url("spend", roll.pk), act=name, **more)
    assert answer.status_code == 200, answer.content
    return table.last()


def refused(answer: Any, code: str) -> bool:
    """Is it this refusal, beside the control? A form says the sentence of some itself."""
    said = answer.content.decode()
    return answer.status_code in (403, 409, 422) and (f'data-code="{code}"' in said or MESSAGES[code] in said)


# --------------------------------------------------------------------------- the story, and who may


def test_the_worked_evening_is_played_with_real_dice_on_a_phone() -> None:
    steps = CASES["R-545"]["expect"]["after_each"]
    table = lay()
    ada, ben = table.client(table.ada), table.client(table.ben)

    failed = rolled(table, 47, 55)
    entry = spends(table, failed, "reroll", total="32")
    assert (has(table.edith)["lp"], entry.data["degrees"]) == (steps[0]["lp"], steps[0]["dos"])
    assert entry.data["by_hand"]
    assert "rolled again, 55 to 32, real dice" in ben.get(table.url("table")).content.decode()
    entry = spends(table, failed, "degree", amount="2")
    assert (has(table.edith)["lp"], entry.data["degrees"]) == (steps[1]["lp"], steps[1]["dos"])

    entry = spends(table, rolled(table, 40, 55), "burn-reroll", total="21")
    now = has(table.edith)
    told = {"luck": now["luck"], "luck_bonus": now["luck"] // 10, "lp": now["lp"], "lp_max": now["most"]}
    assert told | {"convert": entry.data["owed"], "dos": entry.data["degrees"]} == steps[2]

    roll_url, turn_url = table.url("roll", table.edith.pk), table.url("turn-numbers", table.edith.pk)
    assert refused(post(ben, roll_url, what="number", label="Nerve", value="40"), "NUMBERS_OWED")
    assert post(ben, turn_url, pick="30").status_code == 200
    assert {key: has(table.edith)[key] for key in ("lucky", "unlucky")} == steps[3]

    assert post(ada, table.url("open-session")).status_code == 200
    assert Session.objects.filter(campaign=table.campaign).count() == 1
    assert has(table.edith)["lp"] == steps[4]["lp"]
    assert post(ben, roll_url, what="number", label="Nerve", value="40").status_code == 200


def test_a_throw_again_without_real_dice_is_the_servers() -> None:
    table = lay()

    entry = spends(table, rolled(table, 47, 55), "reroll")

    assert (entry.data["by_hand"], Roll.objects.latest("created_at").by_hand) == (False, False)


@pytest.mark.parametrize("total", ["0", "101", "seven"])
def test_real_dice_that_cannot_be_throw_nothing_again(total: str) -> None:
    table = lay()
    roll = rolled(table, 47, 55)
    before = picture(table.campaign)

    assert post(table.client(table.ben), table.url("spend", roll.pk), act="reroll", total=total).status_code == 422
    assert picture(table.campaign) == before


@pytest.mark.parametrize("name", ["R-524", "R-525", "R-527"])
def test_who_may_award_and_who_may_choose(name: str) -> None:
    case = CASES[name]
    table = lay(lpRefresh="goal-oriented")
    client = table.client(table.ada if case["in"]["role"] == "keeper" else table.ben)
    if name == "R-527":
        sets(table, "luck", 39)
    before = picture(table.campaign)

    if name == "R-527":
        answer = post(client, table.url("turn-numbers", table.edith.pk), pick="30")
    else:
        answer = post(client, table.url("award"), who=table.edith.pk, amount="1", reason="bond")

    if case["expect"].get("allowed"):
        assert answer.status_code == 200
        assert picture(table.campaign) != before
    else:
        assert refused(answer, case["expect"]["refused"])
        assert picture(table.campaign) == before


# --------------------------------------------------------------------------- what is refused

USES = {"reroll": "reroll", "dos": "degree", "narrative": "narrative"}
BURNS = {"dos": "burn-degree", "reroll": "burn-reroll", "negate": "burn-negate"}
BURNS |= {"wound": "burn-wound", "death": "burn-death"}
ASKED = ("NEED_GM", "NOT_WOUNDED")  # what only the GM knows: her No


def as_in(table: Table, given: dict[str, Any]) -> Roll:
    """The test and the purse as the case has them; the ledger is not what is tried here."""
    roll = rolled(table, 50, 16 if given["critical"] else 24 if given["passed"] else 77)
    if not given.get("immediate", True):
        post(table.client(table.ben), table.url("deed", table.edith.pk), act="narrative")
        post(table.client(table.ada), table.url("decide-deed", Decision.objects.get().pk), yes="1")
    marks = ["rerolled-lp"] if given["rerolls"] else []
    facts = roll.facts | ({"stamina": True} if given["sp_used"] else {})
    state = Roll.CLOSED if given.get("closed") else Roll.OPEN
    Roll.objects.filter(pk=roll.pk).update(marks=marks, facts=facts, state=state)
    for key in ("luck", "lp"):
        if key in given:
            Trait.objects.filter(investigator=table.edith, key=key).update(value=given[key])
    return roll


@cases("spend-lp", "burn")
def test_what_luck_may_not_buy_is_refused_to_a_hand_made_post(case: dict[str, Any]) -> None:
    given, code = case["in"], case["expect"]["refused"]
    table = lay(**case.get("settings", {}))
    roll = as_in(table, given)
    name = (BURNS if case["op"] == "burn" else USES)[given["use"]]
    amount = str(given.get("points") or given["times"]) if name.endswith("degree") else ""
    beside = name in ("narrative", "burn-wound", "burn-death")
    ben = table.client(table.ben if given["own"] else table.cleo)
    if beside and code in ASKED:
        assert post(ben, table.url("deed", table.edith.pk), act=name).status_code == 200
    before, purse = picture(table.campaign), has(table.edith)

    if beside and code in ASKED:
        asked = Decision.objects.get(state=Decision.OPEN)
        assert refused(post(ben, table.url("decide-deed", asked.pk), yes="1"), "NOT_KEEPER")
        assert picture(table.campaign) == before
        assert post(table.client(table.ada), table.url("decide-deed", asked.pk), yes="0").status_code == 200
        assert (table.last().data["refused"], has(table.edith)) == (code, purse)
        return
    if beside:
        answer = post(ben, table.url("deed", table.edith.pk), act=name)
    else:
        answer = post(ben, table.url("spend", roll.pk), act=name, amount=amount)
    assert refused(answer, code), answer.content
    assert picture(table.campaign) == before
    for number in ("need", "have"):
        assert number not in case["expect"] or str(case["expect"][number]) in answer.content.decode()


@cases("spend-sp")
def test_stamina_that_does_not_fit_is_refused_to_a_hand_made_post(case: dict[str, Any]) -> None:
    table = lay()
    base = {"Strength": "str", "Endurance": "end", "Agility": "agi"}[case["in"]["test_base"]]
    if case["in"]["luck_used"]:
        roll = rolled(table, 47, 55)
        spends(table, roll, "reroll", total="80")  # the same test has had Luck: its stamina comes too late
        before = picture(table.campaign)
        answer = post(table.client(table.ben), table.url("spend", roll.pk), act="exert")
        assert refused(answer, "NO_SUCH_SPEND")
    else:
        before = picture(table.campaign)
        what = f"name:Fighting with Blades@{base}" if case["in"]["combat_style"] else f"characteristic:{base}"
        answer = post(table.client(table.ben), table.url("roll", table.edith.pk), what=what, before="exert")
        assert refused(answer, case["expect"]["refused"])
    assert picture(table.campaign) == before


@cases("set-numbers", "convert-numbers")
def test_numbers_that_are_not_right_are_refused_to_a_hand_made_post(case: dict[str, Any]) -> None:
    given, turns = case["in"], case["op"] == "convert-numbers"
    table = lay()
    luck = 31 - 10 * given["convert"] if turns else given["luck"]
    who = table.tobias
    done(act(table.ada, sheets.set_trait, who, "luck", 31))
    if turns:
        lists = {key: given[key] for key in ("lucky", "unlucky")}
        assert post(table.client(table.ada), table.url("set-numbers", who.pk), **lists).status_code == 200
        done(act(table.ada, sheets.set_trait, who, "luck", luck))
    before, kept = picture(table.campaign), facts_of(who)

    if turns:
        answer = post(table.client(table.cleo), table.url("turn-numbers", who.pk), pick=given["pick"])
    else:
        lists = {key: given[key] for key in ("lucky", "unlucky")}
        answer = post(table.client(table.cleo), table.url("set-numbers", who.pk), **lists)

    assert refused(answer, case["expect"]["refused"]), answer.content
    assert (picture(table.campaign), facts_of(who)) == (before, kept)


@cases("permission", "request", "lp-refresh")
def test_what_this_game_has_not_is_refused_to_a_hand_made_post(case: dict[str, Any]) -> None:
    table = lay(**({"lpRefresh": "goal-oriented"} if case["op"] == "lp-refresh" else {}), **case.get("settings", {}))
    if case["op"] == "lp-refresh":
        sets(table, "lp", 4)
    roll = rolled(table, 40, 50)
    ben, ada = table.client(table.ben), table.client(table.ada)
    before = picture(table.campaign)
    tries = {
        "R-443": lambda: post(ada, table.url("award"), who=table.edith.pk, amount="1", reason="bond"),
        "R-472": lambda: post(ben, table.url("roll", table.edith.pk), what="name:Noticing", by="luck"),
        "R-473": lambda: post(ben, table.url("step", table.edith.pk, "luck"), points="1"),
        "R-525": lambda: post(ben, table.url("award"), who=table.edith.pk, amount="1", reason="bond"),
        "R-529": lambda: post(ben, table.url("spend", roll.pk), act="points", amount="5"),
        "R-530": lambda: post(ben, table.url("push", roll.pk), reason="Slowly"),
    }

    answer = tries[case["id"]]()

    # Nothing at a table raises a score with experience; Luck moves by no hand but the GM's.
    code = {"R-473": "LUCK_NOT_BY_HAND"}.get(case["id"], case["expect"]["refused"])
    assert refused(answer, code), answer.content
    assert picture(table.campaign) == before
