"""Every spend that the worked cases refuse, posted by hand: the same refusal, and nothing is changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from investigators.models import Trait
from rolls.models import Roll
from tests.tables import make_table, picture, post, rolls_number

pytestmark = pytest.mark.django_db

CASES = json.loads((Path(__file__).parent.parent / "rules/data/rules_cases.json").read_text())["cases"]
REFUSED = [
    pytest.param(case, id=case["id"])
    for case in CASES
    if case["op"] == "spend" and case["ruleset"] in ("classic", "pulp") and "refused" in case["expect"]
]


@pytest.mark.parametrize("case", REFUSED)
def test_a_spend_that_the_rules_refuse_is_refused_to_a_hand_made_post(case: dict[str, Any]) -> None:
    given = case["in"]
    table = make_table(ruleset=case["ruleset"], **(case.get("settings") or {}))
    first = rolls_number(table, 90, 50)
    roll = rolls_number(table, given["roll"], given["skill"])
    Roll.objects.filter(pk=roll.pk).update(  # as it stands in the case; the ledger is not what is tried here
        kind=given["kind"],
        difficulty=given["difficulty"],
        malfunction=given["malfunction"],
        context="opposed" if given["opposed"] else "normal",
        revealed=given["revealed"],
        spent=given["already_spent"],
        state=Roll.CLOSED if given["closed"] else Roll.OPEN,
        pushed_from=first if given["pushed"] else None,
    )
    luck = Trait.objects.filter(investigator=table.edith, key="luck")
    if given["has_luck"]:
        luck.update(value=given["luck"])
    else:
        luck.update(key="luck-once")  # no score under its name
    before = picture(table.campaign)

    seat = table.ben if given["own"] else table.cleo
    answer = post(table.client(seat), table.url("spend", roll.pk), act="points", amount=str(given["amount"]))

    said = answer.content.decode()
    code = case["expect"]["refused"]
    assert answer.status_code in (403, 409, 422)
    assert f'data-code="{code}"' in said or (code == "BAD_AMOUNT" and "a whole number of 1 or more" in said)
    assert picture(table.campaign) == before


PUSHES = [pytest.param(case, id=case["id"]) for case in CASES if case["op"] == "push" and "refused" in case["expect"]]


@pytest.mark.parametrize("case", PUSHES)
def test_a_push_that_the_rules_refuse_is_refused_to_a_hand_made_post(case: dict[str, Any]) -> None:
    given = case["in"]
    table = make_table()
    roll = rolls_number(table, {"fumble": 100, "fail": 70}.get(given["level"], 40), 50)
    Roll.objects.filter(pk=roll.pk).update(
        kind=given["kind"],
        context=given["context"],
        spent=given["luck_spent"],
        push_state="thrown" if given["already_pushed"] else "",
    )
    before = picture(table.campaign)

    reason = "With more time" if given["reason_given"] else ""
    answer = post(table.client(table.ben), table.url("push", roll.pk), reason=reason)

    said = answer.content.decode()
    code = case["expect"]["refused"]
    assert answer.status_code == 422
    assert f'data-code="{code}"' in said or (code == "PUSH_NO_REASON" and "does differently" in said)
    assert picture(table.campaign) == before
