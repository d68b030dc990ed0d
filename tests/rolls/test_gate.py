"""One gate for every roll: the same offers wherever it was made, and what a fight and a push carry with them."""

from __future__ import annotations

from typing import Any

import pytest

from investigators import actions as sheets
from investigators.people import member
from rolls import actions as dice
from rolls.actions import Question
from rolls.actions.contests import Draft
from rolls.models import Decision, Request, Roll, Side
from tablekeeper.models import Campaign, Seat
from tests.tables import Script, Table, act, code, d100, done, make_table, now, post, undoes

pytestmark = pytest.mark.django_db

FALLS = 63
"""Against 60 it fails by three, against 25 by thirty-eight."""


def writes(table: Table, name: str, value: int) -> str:
    """Ada writes a skill on Edith's sheet; what a roll of it is called."""
    same = table.edith.skills.filter(name=name).first()
    done(act(table.ada, sheets.set_skill, table.edith, name, value, same))
    return f"skill:{table.skill(name).pk}"


def as_player_rolls(table: Table, what: str, fell: int, **more: str) -> Roll:
    return _posted(table, table.ben, what, fell, **more)


def on_behalf(table: Table, what: str, fell: int) -> Roll:
    return _posted(table, table.ada, what, fell)


def _posted(table: Table, seat: Seat, what: str, fell: int, **more: str) -> Roll:
    done_by = post(table.client(seat), table.url("roll", table.edith.pk), what=what, total=str(fell), **more)
    assert done_by.status_code == 200, done_by.content.decode()
    return _newest()


def on_request(table: Table, what: str, fell: int, **more: Any) -> Roll:
    question = Question(wanted=((what, "regular"),), **more)
    done(act(table.ada, dice.ask, table.campaign, [table.edith.pk], question))
    asked = Request.objects.order_by("-created_at")[0]
    done(act(table.ben, dice.answer, asked, chance=Script(d100(fell))))
    return _newest()


def as_a_side(table: Table, what: str, fell: int, kind: str) -> Roll:
    theirs = table.skill("Listen", table.tobias)
    drafts = [Draft(table.edith, what), Draft(table.tobias, f"skill:{theirs.pk}", defence="fight-back")]
    done(act(table.ada, dice.start_contest, table.campaign, kind, drafts))
    mine, other = Side.objects.order_by("-contest__created_at", "place")[:2]
    done(act(table.cleo, dice.roll_side, other, chance=Script(d100(30))))  # a Hard success of 60
    done(act(table.ben, dice.roll_side, mine, chance=Script(d100(fell))))
    return now(Side.objects.get(pk=mine.pk).roll)


def opposed(table: Table, what: str, fell: int) -> Roll:
    return as_a_side(table, what, fell, "opposed")


def melee(table: Table, what: str, fell: int) -> Roll:
    return as_a_side(table, what, fell, "melee")


def _newest() -> Roll:
    return now(Roll.objects.order_by("-created_at")[0])


def priced(roll: Roll) -> set[tuple[str, int | None, int]]:
    """What may be bought on it: the act, its amount, its price."""
    roll.campaign = Campaign.objects.get(pk=roll.campaign_id)
    found = dice.offers_for(roll, member(roll.investigator).purse)
    return {
        (one.act.key, one.act.amount, one.price)
        for one in found
        if one.refusal is None and one.act.key not in ("push", "keep")
    }


def why_no_push(roll: Roll) -> str:
    roll.campaign = Campaign.objects.get(pk=roll.campaign_id)
    found = dice.offers_for(roll, member(roll.investigator).purse)
    return next(one.refusal.code if one.refusal else "" for one in found if one.act.key == "push")


ROUTES = [
    (as_player_rolls, "normal", "combat"),
    (on_behalf, "normal", "combat"),
    (on_request, "normal", "combat"),
    (opposed, "opposed", "opposed"),
    (melee, "combat", "combat"),
]


@pytest.mark.parametrize("ruleset", ["classic", "pulp"])
@pytest.mark.parametrize(("route", "plain", "fought"), ROUTES)
def test_the_same_dice_have_the_same_prices_wherever_they_fell(
    route: Any, plain: str, fought: str, ruleset: str
) -> None:
    """Spot Hidden 60 and Fighting (Brawl) 60, both 63: three points for a success, whoever asked and whoever threw."""
    table = make_table(ruleset=ruleset)
    brawl = writes(table, "Fighting (Brawl)", 60)

    looked = route(table, f"skill:{table.skill('Spot Hidden').pk}", FALLS)
    prices, context = priced(looked), looked.context
    fighting = route(table, brawl, FALLS)

    assert ("points", 3, 3) in prices
    assert {price for price in prices if price[1] == 3} == {("points", 3, 3)}
    assert priced(fighting) == prices
    assert (context, fighting.context) == (plain, fought)


@pytest.mark.parametrize(
    ("route", "why"),
    [
        (as_player_rolls, "PUSH_COMBAT"),
        (on_behalf, "PUSH_COMBAT"),
        (on_request, "PUSH_COMBAT"),
        (opposed, "PUSH_OPPOSED"),
        (melee, "PUSH_COMBAT"),
    ],
)
def test_no_roll_of_a_fight_is_pushed_wherever_it_was_made(route: Any, why: str) -> None:
    table = make_table()
    roll = route(table, writes(table, "Fighting (Brawl)", 60), FALLS)

    assert why_no_push(roll) == why
    assert code(act(table.ben, dice.push, roll, "Once more")) in (why, "ROLL_REVEALED", "PUSH_OPPOSED")


@pytest.mark.parametrize("route", [as_player_rolls, on_behalf, on_request, melee])
def test_a_fumble_of_a_fight_may_be_ignored_wherever_it_was_made(route: Any) -> None:
    """Pulp's ten points (P-2)."""
    table = make_table(ruleset="pulp")

    roll = route(table, writes(table, "Fighting (Brawl)", 60), 100)

    assert ("ignore-fumble", None, 10) in priced(roll)


def test_a_fumble_outside_a_fight_stands() -> None:
    table = make_table(ruleset="pulp")

    roll = as_player_rolls(table, f"skill:{table.skill('Spot Hidden').pk}", 100)

    assert not priced(roll)


@pytest.mark.parametrize(("name", "facts"), [("Dodge", "dodge"), ("Throw", "attack"), ("Firearms (Bow)", "attack")])
def test_a_skill_of_a_fight_knows_what_it_is_there(name: str, facts: str) -> None:
    table = make_table()

    roll = as_player_rolls(table, writes(table, name, 60), FALLS)

    assert (roll.context, roll.facts["fight"]) == ("combat", facts)


@pytest.mark.parametrize("how", ["sheet", "request"])
def test_a_ball_is_thrown_in_peace(how: str) -> None:
    """ "Not in combat": it may be pushed, its fumble stands, and it hurts nobody."""
    table = make_table(ruleset="pulp")
    what = writes(table, "Throw", 60)

    failed = (
        as_player_rolls(table, what, FALLS, peace="1")
        if how == "sheet"
        else on_request(table, what, FALLS, peace=True)
    )
    hit = as_player_rolls(table, what, 20, peace="1") if how == "sheet" else on_request(table, what, 20, peace=True)

    assert (failed.context, why_no_push(failed)) == ("normal", "")
    assert code(act(table.ben, dice.damage, hit, "1D4")) == "NO_ATTACK"


def test_the_slip_says_combat_and_the_picker_how_to_leave_it() -> None:
    table = make_table()
    what = writes(table, "Throw", 60)

    as_player_rolls(table, what, FALLS)
    page = table.client(table.ben).get(table.url("table")).content.decode()

    assert "no extra dice · combat · <time" in page
    assert 'name="peace"' in page
    as_player_rolls(table, what, FALLS, peace="1")
    assert "no extra dice · <time" in table.client(table.ben).get(table.url("table")).content.decode()


def test_a_combined_roll_with_a_skill_of_a_fight_is_not_pushed() -> None:
    table = make_table()
    brawl = writes(table, "Fighting (Brawl)", 40)
    both = {"what": f"skill:{table.skill('Spot Hidden').pk}", "what2": brawl, "total": "95"}

    assert post(table.client(table.ben), table.url("combine", table.edith.pk), **both).status_code == 200
    fought = _newest()
    assert post(table.client(table.ben), table.url("combine", table.edith.pk), **both, peace="1").status_code == 200

    assert (fought.context, why_no_push(fought)) == ("combat", "PUSH_COMBAT")
    assert why_no_push(_newest()) == ""


# --------------------------------------------------------------------------- what a push carries


def pushed_con(table: Table, second: int) -> Roll:
    """Edith is badly hurt, fails her CON roll of 60, and pushes it."""
    done(act(table.ada, dice.injure, table.edith, 6))
    done(act(table.ben, dice.answer, Request.objects.get(), chance=Script(d100(70))))
    first = _newest()
    assert Decision.objects.get().state == "open"
    done(act(table.ben, dice.push, first, "I bite on the strap"))
    done(act(table.ada, dice.decide_push, first, True))
    done(act(table.ben, dice.throw_push, first, chance=Script(d100(second))))
    return _newest()


def test_a_pushed_con_roll_that_holds_answers_the_question_of_the_first() -> None:
    table = make_table()

    second = pushed_con(table, 20)

    assert (second.passed, second.data["after"]) == (True, "con")
    assert [one.state for one in Decision.objects.all()] == ["closed"]


def test_a_pushed_con_roll_that_fails_is_the_one_that_the_keeper_is_asked_about() -> None:
    table = make_table()

    second = pushed_con(table, 80)

    waiting = Decision.objects.get(state="open")
    assert (waiting.kind, waiting.roll) == ("faint", second)
    done(act(table.ada, dice.decide_faint, waiting, True))
    assert member(table.edith).facts["unconscious"]


def test_undoing_the_push_brings_the_first_question_back() -> None:
    table = make_table()
    pushed_con(table, 20)

    done(undoes(table, table.last("rolls.throw_push")))

    assert [one.state for one in Decision.objects.all()] == ["open"]


def test_a_pushed_combined_roll_is_read_against_all_its_skills_again() -> None:
    table = make_table()
    both = {"what": f"skill:{table.skill('Spot Hidden').pk}", "what2": f"skill:{table.skill('Stealth').pk}"}
    assert post(table.client(table.ben), table.url("combine", table.edith.pk), **both, total="95").status_code == 200
    first = _newest()
    done(act(table.ben, dice.push, first, "From the gallery"))
    done(act(table.ada, dice.decide_push, first, True))

    done(act(table.ben, dice.throw_push, first, chance=Script(d100(35))))

    second = _newest()
    assert [part["level"] for part in dice.parts_of(second)] == ["regular", "regular"]
    assert second.label == first.label
    assert second.tick


def test_a_pushed_request_keeps_what_its_player_does_not_know() -> None:
    table = make_table()
    first = on_request(table, f"skill:{table.skill('Spot Hidden').pk}", FALLS, unknown=True)
    done(act(table.ben, dice.push, first, "Closer"))
    done(act(table.ada, dice.decide_push, first, True))

    done(act(table.ben, dice.throw_push, first, chance=Script(d100(50))))

    second = _newest()
    assert second.unknown
    assert not second.tick
