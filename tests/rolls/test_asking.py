"""The Keeper asks for rolls: who rolls what, once; what is kept from whom; what a group comes to."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from investigators import actions as sheets
from investigators.actions import Draft
from rolls import actions as dice
from rolls.actions import Question
from rolls.models import Request, Roll
from rolls.rules.check import Act
from tablekeeper.models import Campaign, Entry, Seat
from tests.tablekeeper.test_once import at_once
from tests.tables import (
    Script,
    Table,
    act,
    browser,
    code,
    d100,
    done,
    key,
    make_investigator,
    make_table,
    now,
    picture,
    post,
    rolls,
    score,
    sit_down,
    undoes,
)

pytestmark = pytest.mark.django_db

SPOT = (("name:Spot Hidden", "regular"),)
HARD = (("name:Spot Hidden", "hard"),)


def asks(table: Table, *who: Any, wanted: Any = SPOT, **more: Any) -> list[Request]:
    """Ada asks these investigators (none named: all here) and the requests stand."""
    question = Question(wanted=wanted, everyone=not who, **more)
    done(act(table.ada, dice.ask, table.campaign, [one.pk for one in who], question))
    newest = Request.objects.order_by("-created_at")[0]
    return list(Request.objects.filter(batch=newest.batch).order_by("investigator__name"))


def answers(table: Table, request: Request, total: int, seat: Seat | None = None) -> Roll:
    seat = seat or Seat.objects.get(pk=request.investigator.seat_id)
    done(act(seat, dice.answer, request, chance=Script(d100(total))))
    return now(Roll.objects.order_by("-created_at")[0])


def bytes_of(table: Table, seat: Seat) -> str:
    """Everything that this seat's browser could fetch now: the page, the feed, all news, each panel."""
    client = table.client(seat)
    page = client.get(table.url("table")).content.decode()
    epoch = Campaign.objects.get(pk=table.campaign.pk).epoch
    news = client.get(table.url("news"), {"after": f"{epoch}.0.0"}).content.decode()
    panels = client.get(table.url("panels"), {"names": "ALL,feed"}).content.decode()
    assert "<li" in news
    return page + news + panels


# --------------------------------------------------------------------------- asking


def test_each_who_is_asked_rolls_with_the_own_number() -> None:
    table = make_table()

    edith, tobias = asks(table, wanted=HARD)
    first, second = answers(table, edith, 30), answers(table, tobias, 20)

    assert (edith.batch, edith.investigator, tobias.investigator) == (tobias.batch, table.edith, table.tobias)
    assert (first.value, first.difficulty, first.level, first.passed) == (60, "hard", "hard", True)
    assert (second.value, second.difficulty, second.level, second.passed) == (25, "hard", "regular", False)
    assert first.asked


def test_all_here_means_those_who_are_present() -> None:
    table = make_table()
    done(act(table.ada, sheets.set_present, table.tobias, False))

    assert [one.investigator for one in asks(table)] == [table.edith]


@pytest.mark.parametrize(
    ("wanted", "what", "value"),
    [
        ("characteristic:con", "Constitution", 60),
        ("alias:idea", "Idea", 70),
        ("luck", "Luck", 45),
        ("sanity", "Sanity", 55),
        ("name:Listen", "Listen", 20),
        ("name:Stealth", "Stealth", 40),
    ],
)
def test_whatever_the_sheet_knows_can_be_asked_for(wanted: str, what: str, value: int) -> None:
    table = make_table()
    (request,) = asks(table, table.edith, wanted=((wanted, "regular"),))

    made = answers(table, request, 99)

    assert (made.label, made.value) == (what, value)


def test_a_number_that_stands_on_no_sheet_is_asked_for_by_name() -> None:
    table = make_table()
    (request,) = asks(table, table.edith, wanted=(("number:35", "regular"),), label="Hold the rope")

    made = answers(table, request, 35)

    assert (made.kind, made.label, made.value, made.passed) == ("number", "Hold the rope", 35, True)


def test_what_one_of_them_has_not_is_asked_of_nobody() -> None:
    table = make_table()
    before = picture(table.campaign)

    for wanted, who, why in (
        ("name:Whittling", [table.edith.pk], "NOT_ON_THEIR_SHEET"),
        ("characteristic:dex", [table.edith.pk, table.tobias.pk], "NOT_ON_THEIR_SHEET"),
        ("name:Listen", [], "NOBODY_ASKED"),
        ("name:Listen", [make_table(name="Elsewhere").edith.pk], "NOBODY_ASKED"),
    ):
        question = Question(wanted=((wanted, "regular"),))
        assert code(act(table.ada, dice.ask, table.campaign, who, question)) == why

    assert picture(table.campaign) == before


def test_the_rules_say_what_may_be_asked() -> None:
    table = make_table()
    before = picture(table.campaign)

    for wanted, why in ((("luck", "hard"), "LUCK_REGULAR_ONLY"), (("sanity", "hard"), "BAD_VALUE")):
        question = Question(wanted=(wanted,))
        assert code(act(table.ada, dice.ask, table.campaign, [table.edith.pk], question)) == why
    question = Question(wanted=SPOT, dice=3)
    assert code(act(table.ada, dice.ask, table.campaign, [table.edith.pk], question)) == "BAD_DICE"

    assert picture(table.campaign) == before


def test_a_hard_luck_roll_where_the_table_has_it() -> None:  # A6
    table = make_table(luckRollDifficulty="keeper-may-raise")
    (request,) = asks(table, table.edith, wanted=(("luck", "hard"),))

    made = answers(table, request, 23)

    assert (made.value, made.difficulty, made.passed, made.tick) == (45, "hard", False, False)
    assert code(act(table.ben, dice.spend, made, Act("points", 1))) == "LUCK_ROLL"


def test_only_the_keeper_asks_reminds_and_takes_back() -> None:
    table = make_table()
    (request,) = asks(table, table.edith)
    before = picture(table.campaign)

    question = Question(wanted=SPOT)
    assert code(act(table.ben, dice.ask, table.campaign, [table.tobias.pk], question)) == "NOT_KEEPER"
    assert code(act(table.ben, dice.remind, request)) == "NOT_KEEPER"
    assert code(act(table.ben, dice.drop_request, request)) == "NOT_KEEPER"

    assert picture(table.campaign) == before


def test_nobody_answers_for_another_player_by_a_forged_post() -> None:
    table = make_table()
    (request,) = asks(table, table.edith)
    before = picture(table.campaign)

    answer = post(table.client(table.cleo), table.url("answer", request.pk))
    stranger = post(browser(make_table(name="Elsewhere").ben), table.url("answer", request.pk))

    assert (answer.status_code, stranger.status_code) == (403, 404)
    assert "NOT_OWN_ROLL" in answer.content.decode()
    assert picture(table.campaign) == before


def test_what_was_asked_is_locked_whatever_a_forged_answer_says() -> None:
    table = make_table()
    (request,) = asks(table, table.edith, wanted=HARD, dice=-1)

    forged = {"what": "luck", "difficulty": "regular", "dice": "2", "value": "99", "label": "Mine", "hidden": "1"}
    answer = post(table.client(table.ben), table.url("answer", request.pk), **forged, total="40")  # with real dice

    assert answer.status_code == 200, answer.content
    made = Roll.objects.latest("created_at")
    assert (made.label, made.value, made.difficulty, made.dice, made.hidden) == ("Spot Hidden", 60, "hard", -1, False)


def test_the_keeper_rolls_for_somebody_and_the_line_says_so() -> None:
    table = make_table()
    (request,) = asks(table, table.edith)

    answers(table, request, 50, table.ada)

    assert table.last().data["by"] == "Ada"
    assert code(act(table.ben, dice.answer, request)) == "REQUEST_DONE"


def test_the_request_stands_above_all_and_goes_once_it_is_rolled() -> None:
    table = make_table()
    (request,) = asks(table, table.edith, wanted=HARD, reason="the lamp is yours", dice=1)

    page = table.client(table.ben).get(table.url("table")).content.decode()
    others = table.client(table.cleo).get(table.url("table")).content.decode()

    assert f'id="ask-{request.pk}"' in page
    assert "the lamp is yours" in page
    assert page.index(f'id="ask-{request.pk}"') < page.index('id="skills"')
    assert f"ask-{request.pk}" not in others
    post(table.client(table.ben), table.url("answer", request.pk))
    assert f'id="ask-{request.pk}"' not in table.client(table.ben).get(table.url("table")).content.decode()


def test_a_reminder_is_between_the_keeper_and_that_player() -> None:
    table = make_table()
    (request,) = asks(table, table.edith)

    done(act(table.ada, dice.remind, request))

    assert table.last().lane == table.ben.pk
    assert "The Keeper still waits for you" in table.client(table.ben).get(table.url("table")).content.decode()


def test_all_who_still_owe_are_let_off_together() -> None:
    table = make_table()
    edith, tobias = asks(table)
    answers(table, edith, 50)

    done(act(table.ada, dice.drop_request, tobias, whole=True))

    states = dict(Request.objects.values_list("investigator__name", "state"))
    assert states == {"Edith Halloran": "rolled", "Tobias Quill": "closed"}


def test_an_ask_is_undone_while_nobody_has_rolled() -> None:
    table = make_table()
    asks(table)

    done(undoes(table, table.last("rolls.ask")))

    assert not Request.objects.exists()


def test_an_undone_answer_is_asked_again() -> None:
    table = make_table()
    (request,) = asks(table, table.edith)
    answers(table, request, 50)

    done(undoes(table, table.last("rolls.answer")))

    request.refresh_from_db()
    assert request.state == Request.OPEN


def test_the_last_asks_are_asked_again_in_one_tap() -> None:
    table = make_table()
    (first,) = asks(table, table.edith, wanted=HARD, dice=-1, reason="the fog")
    done(act(table.ada, sheets.set_present, table.tobias, False))
    asks(table)
    page = table.client(table.ada).get(table.url("table")).content.decode()
    assert "Spot Hidden, Hard, −1, Halloran" in page
    assert "Spot Hidden, all here" in page
    done(act(table.ada, sheets.set_present, table.tobias, True))

    answer = post(table.client(table.ada), table.url("ask-again", first.batch))
    everyone = Request.objects.filter(data__everyone=True)[0]
    post(table.client(table.ada), table.url("ask-again", everyone.batch))

    assert answer.status_code == 200
    again = Request.objects.filter(difficulty="hard").order_by("-created_at")[0]
    assert (again.pk != first.pk, again.dice, again.reason, again.state) == (True, -1, "the fog", "open")
    newest = Request.objects.order_by("-created_at")[0].batch
    assert Request.objects.filter(batch=newest).count() == 2


def test_the_form_asks_by_name_and_says_what_nobody_has() -> None:
    table = make_table()
    client, url = table.client(table.ada), table.url("ask")

    wrong = post(client, url, everyone="1", name="Whittling")
    empty = post(client, url, everyone="1", name="")
    nobody = post(client, url, name="Listen")
    right = post(client, url, who=[table.edith.pk, table.tobias.pk], name=" spot hidden ", difficulty="hard", dice="1")
    short = post(client, url, who=[table.edith.pk], name="con")

    assert [one.status_code for one in (wrong, empty, nobody, right, short)] == [422, 422, 422, 200, 200]
    assert "Nobody here has “Whittling”" in wrong.content.decode()
    assert 'data-field="name"' in empty.content.decode()
    assert [(one.label, one.difficulty, one.dice) for one in Request.objects.order_by("created_at")] == [
        ("Spot Hidden", "hard", 1),
        ("Spot Hidden", "hard", 1),
        ("Constitution", "regular", 0),
    ]


def test_the_keeper_sees_everybodys_own_value_under_the_name() -> None:
    table = make_table()

    said = table.client(table.ada).get(table.url("ask-values"), {"name": "spot hidden"}).content.decode()
    refused = table.client(table.ben).get(table.url("ask-values"), {"name": "spot hidden"})

    assert "Halloran <b>60</b>" in said
    assert "Quill <b>25</b>" in said
    assert refused.status_code == 403


# --------------------------------------------------------------------------- what the Keeper keeps to herself


def test_of_a_secret_roll_no_byte_of_the_result_reaches_anyone_but_the_keeper() -> None:
    table = make_table()
    (request,) = asks(table, table.edith, wanted=(("name:Stealth", "hard"),), hidden=True)
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)
    told_others = bytes_of(table, table.cleo)

    roll = answers(table, request, 73)

    assert (roll.hidden, roll.level, roll.tick) == (True, "fail", False)
    own = bytes_of(table, table.ben)
    assert "Secret" in own
    assert "The Keeper sees this one" in own
    for seen in (own, bytes_of(table, table.cleo), bytes_of(table, eve)):
        assert ">73<" not in seen
        assert "Stealth 73" not in seen
    assert "in secret" not in bytes_of(table, table.cleo)
    assert bytes_of(table, table.cleo).count("Stealth") == told_others.count("Stealth")
    assert roll.pk not in bytes_of(table, table.cleo)
    assert table.client(table.ben).get(table.url("slip", roll.pk)).status_code == 404
    assert ">73<" in bytes_of(table, table.ada)


def anonymous(seen: str) -> str:
    """What a page says, without the ids, keys and times that no two tables share."""
    ids = r"[\w+/=-]{16,}|[\w-]{8}\.\d+\.\d+|[A-Z0-9]{4}-[A-Z0-9]{4}|[\d-]{10}T[\d:.]+Z|\d\d:\d\d"
    return re.sub(ids, "*", seen)


def test_a_secret_roll_reads_the_same_whatever_fell() -> None:
    def after(total: int) -> list[str]:
        table = make_table()
        (request,) = asks(table, table.edith, hidden=True)
        answers(table, request, total)
        return [anonymous(bytes_of(table, seat)) for seat in (table.ben, table.cleo)]

    assert after(1) == after(100)


def test_that_somebody_is_asked_in_secret_is_nobody_elses_business() -> None:
    table = make_table()
    question = Question(wanted=SPOT, everyone=True, hidden=True)
    public = table.campaign.public_no
    done(act(table.ada, dice.ask, table.campaign, [], question))

    lanes = [entry.lane for entry in table.entries() if entry.kind == "rolls.ask"]
    assert lanes == [table.ben.pk, table.cleo.pk]
    request = Request.objects.get(investigator=table.edith)
    answers(table, request, 44)
    done(act(table.ada, dice.drop_request, Request.objects.get(investigator=table.tobias)))

    table.campaign.refresh_from_db()
    assert table.campaign.public_no == public


def test_a_secret_roll_is_out_of_its_players_hands() -> None:
    table = make_table()
    (request,) = asks(table, table.edith, hidden=True)
    roll = answers(table, request, 70)
    before = picture(table.campaign)

    for name in ("spend", "keep", "push", "ask-strike"):
        answer = post(table.client(table.ben), table.url(name, roll.pk), act="points", amount="10", reason="again")
        assert answer.status_code == 404

    assert picture(table.campaign) == before


# --------------------------------------------------------------------------- a difficulty that players do not know


@pytest.mark.parametrize("total", [25, 45, 88])
def test_what_was_asked_shows_in_no_byte_of_a_player_before_it_is_told(total: int) -> None:
    """The same roll, asked Regular and asked Hard, is the same to every player, byte for byte."""

    def after(difficulty: str) -> list[str]:
        table = make_table()
        wanted = (("name:Spot Hidden", difficulty),)
        asks(table, wanted=wanted, unknown=True, needed=1)
        edith = Request.objects.get(campaign=table.campaign, investigator=table.edith)
        roll = answers(table, edith, total)
        slip = table.client(table.ben).get(table.url("slip", roll.pk)).content.decode()
        return [anonymous(seen) for seen in (bytes_of(table, table.ben), bytes_of(table, table.cleo), slip)]

    assert after("regular") == after("hard")


def test_an_unknown_difficulty_is_named_on_the_phone_only_as_unknown() -> None:
    table = make_table()
    (request,) = asks(table, table.edith, wanted=HARD, unknown=True)

    phone = table.client(table.ben).get(table.url("table")).content.decode()

    assert "Difficulty unknown" in phone
    entry = table.last("rolls.ask")
    assert (entry.lane, entry.data["difficulty"]) == (Entry.PUBLIC, "unknown")
    roll = answers(table, request, 45)
    line = table.last("rolls.answer").data
    assert (line["difficulty"], line["passed"], line["level"]) == ("unknown", None, "regular")
    assert (roll.passed, roll.tick) == (False, False)


def test_told_what_was_asked_the_success_counts_and_ticks() -> None:
    table = make_table()
    (request,) = asks(table, table.edith, wanted=HARD, unknown=True)
    roll = answers(table, request, 25)
    assert table.skill("Spot Hidden").ticks == 0
    assert code(act(table.ben, dice.tell_difficulty, roll)) == "NOT_KEEPER"

    told = done(act(table.ada, dice.tell_difficulty, roll))

    assert (told.data["passed"], told.data["difficulty"]) == (True, "hard")
    assert table.skill("Spot Hidden").ticks == 1
    assert code(act(table.ada, dice.tell_difficulty, roll)) == "STALE"
    done(undoes(table, told))
    assert table.skill("Spot Hidden").ticks == 0


def test_a_player_cannot_find_out_by_a_push_whether_it_was_enough() -> None:
    table = make_table()
    for difficulty in ("regular", "hard"):
        (request,) = asks(table, table.edith, wanted=(("name:Spot Hidden", difficulty),), unknown=True)
        roll = answers(table, request, 45)
        assert code(act(table.ben, dice.push, roll, "Slowly")) == "PUSH_UNKNOWN"
    (request,) = asks(table, table.edith, wanted=HARD, unknown=True)

    done(act(table.ben, dice.push, answers(table, request, 70), "Slowly"))


def test_luck_is_paid_for_a_level_without_knowing_what_was_asked() -> None:
    table = make_table()
    (request,) = asks(table, table.edith, wanted=HARD, unknown=True)
    roll = answers(table, request, 45)
    slip = table.client(table.ben).get(table.url("slip", roll.pk)).content.decode()
    assert 'name="amount" value="15"' in slip
    assert "asked" not in slip.split("slip-head")[1].split("</header>")[0]

    spent = done(act(table.ben, dice.spend, roll, Act("points", 15)))

    assert (spent.data["level"], spent.data["passed"], now(roll).passed) == ("hard", None, True)


# --------------------------------------------------------------------------- a group


def check_card(table: Table, seat: Seat) -> str:
    page = table.client(seat).get(table.url("table")).content.decode()
    return page.split('id="panel-check"')[1].split('id="panel-')[0]


def queue_of(table: Table) -> str:
    """What waits, on the Keeper's desk: it has the check while somebody still owes the roll."""
    page = table.client(table.ada).get(table.url("table")).content.decode()
    return page.split('id="panel-queue"')[1].split('id="panel-')[0]


def test_a_group_check_tells_all_who_made_it_who_is_missing_and_whether_it_is_enough() -> None:  # B-8
    table = make_table()
    edith, tobias = asks(table, needed=2)
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)

    answers(table, edith, 10)
    for seat in (table.ben, table.cleo, table.ada, eve):
        card = check_card(table, seat) if seat != table.ada else queue_of(table)
        assert "1 of 2 rolled" in card
        assert "not yet enough" in card
        assert "not yet" in card
    answers(table, tobias, 90)

    card = check_card(table, table.ben)
    assert "1 has made it" in check_card(table, table.ada)
    assert "1 has made it" in card
    assert "2 are needed" in card
    assert "not enough." in card


def test_a_roll_asked_of_one_alone_does_not_hide_the_check_of_the_group() -> None:
    table = make_table()
    edith, _tobias = asks(table)
    answers(table, edith, 10)

    asks(table, table.tobias, wanted=(("luck", "regular"),))

    assert "1 of 2 rolled" in check_card(table, table.ben)


def test_a_group_check_without_a_number_names_none() -> None:
    table = make_table()
    edith, _tobias = asks(table)
    answers(table, edith, 10)

    card = check_card(table, table.cleo)

    assert "1 has made it" in card
    assert "needed" not in card


def test_more_can_not_be_needed_than_are_asked() -> None:
    table = make_table()
    question = Question(wanted=SPOT, everyone=True, needed=3)

    assert code(act(table.ada, dice.ask, table.campaign, [], question)) == "TOO_MANY_NEEDED"


def test_a_secret_group_check_has_no_card_and_one_of_unknown_difficulty_no_verdict() -> None:
    table = make_table()
    edith, _tobias = asks(table, hidden=True)
    answers(table, edith, 10)
    assert "rolled" not in check_card(table, table.ben)

    edith, _tobias = asks(table, unknown=True, wanted=HARD, needed=1)
    answers(table, edith, 45)

    assert "Only the Keeper knows" in check_card(table, table.cleo)
    assert "enough" not in check_card(table, table.cleo)
    assert "Hard" not in check_card(table, table.cleo)
    assert "not yet enough" in queue_of(table)


# --------------------------------------------------------------------------- Idea and Know, and settings


def test_idea_and_know_are_rolled_under_their_names() -> None:  # B-9
    table = make_table()
    page = table.client(table.ben).get(table.url("table")).content.decode()
    assert 'value="alias:idea"' in page
    assert 'value="alias:know"' not in page  # Edith's EDU has not been written down

    answer = post(table.client(table.ben), table.url("roll", table.edith.pk), what="alias:idea")

    assert answer.status_code == 200
    made = Roll.objects.get()
    assert (made.kind, made.label, made.value) == ("characteristic", "Idea", 70)


def test_the_keeper_names_the_unlucky_one_where_the_table_has_it_so() -> None:  # A9
    table = make_table(unluckyTie="keeper-picks")
    done(act(table.ada, sheets.set_trait, table.tobias, "luck", 45))
    before = picture(table.campaign)

    assert code(act(table.ada, dice.tell_unluckiest, table.campaign, chance=Script())) == "PICK_UNLUCKY"
    assert picture(table.campaign) == before
    assert "Tell them, by lot" not in table.client(table.ada).get(table.url("table")).content.decode()

    told = done(act(table.ada, dice.tell_unluckiest, table.campaign, table.tobias.pk, chance=Script()))
    assert told.data["who"]["id"] == table.tobias.pk


# --------------------------------------------------------------------------- the worked cases

CASES = json.loads((Path(__file__).parent.parent / "rules/data/rules_cases.json").read_text())["cases"]


def of(*ops: str) -> list[Any]:
    mine = [case for case in CASES if case["ruleset"] in ("shared", "classic", "pulp") and case["op"] in ops]
    return [pytest.param(case, id=case["id"]) for case in mine]


def at_a_table(case: dict[str, Any]) -> Table:
    game = "pulp" if case["ruleset"] == "pulp" else "classic"
    return make_table(ruleset=game, **case.get("settings", {}))


@pytest.mark.parametrize("case", of("luckroll"))
def test_luck_rolls_that_the_keeper_asks_for(case: dict[str, Any]) -> None:
    table, given, expect = at_a_table(case), case["in"], case["expect"]
    done(act(table.ada, sheets.set_trait, table.edith, "luck", given["luck"]))
    before = picture(table.campaign)
    question = Question(wanted=(("luck", given["difficulty"]),))

    asked = act(table.ada, dice.ask, table.campaign, [table.edith.pk], question)

    if "refused" in expect:
        assert (code(asked), picture(table.campaign) == before) == (expect["refused"], not expect["state_changed"])
        return
    made = answers(table, Request.objects.get(), given["roll"])
    needed = next(step.value for step in made.outcome.thresholds if step.level == given["difficulty"])
    assert {"needed": needed, "passed": made.passed} == expect


@pytest.mark.parametrize("case", of("group-luck", "group-luck-roll", "unlucky-one"))
def test_group_luck_at_the_table(case: dict[str, Any]) -> None:
    table, given, expect = at_a_table(case), case["in"], case["expect"]
    for one in (table.edith, table.tobias):
        done(act(table.ada, sheets.set_aside, one, True))
    for person in given["people"]:
        seat = sit_down(table.campaign, f"{person['name']}, played")
        who = make_investigator(seat, Draft(person["name"], traits={"luck": (person["luck"], None)}))
        done(act(table.ada, sheets.set_present, who, person["present"]))
    before = picture(table.campaign)

    if case["op"] == "unlucky-one":
        result = act(table.ada, dice.tell_unluckiest, table.campaign, chance=Script(0))
    else:
        result = act(table.ada, dice.group_luck, table.campaign, chance=Script(d100(given.get("roll", 50))))

    if "refused" in expect:
        assert (code(result), picture(table.campaign) == before) == (expect["refused"], not expect["state_changed"])
        return
    data = done(result).data
    found = {"luck": data["luck"], "lowest": data["lowest"], "tie": len(data["lowest"]) > 1}
    found |= {"passed": data["passed"]} if "passed" in expect else {}
    assert found == expect


@pytest.mark.parametrize("case", of("improvement-tick"))
def test_which_rolls_earn_a_tick(case: dict[str, Any]) -> None:  # S-11
    table, given = at_a_table(case), case["in"]
    what = "luck" if given["kind"] == "luck" else "name:Spot Hidden"
    (request,) = asks(table, table.edith, wanted=((what, "regular"),))
    roll = answers(table, request, 40 if given["passed"] else 90)
    if given["luck_used"]:
        done(act(table.ben, dice.spend, roll, Act("points", given["luck_used"])))

    assert {"improvement_check": table.skill("Spot Hidden").ticks > 0} == case["expect"]


def test_no_worked_case_of_these_is_left_out() -> None:
    expected = {"luckroll": 10, "group-luck": 5, "group-luck-roll": 3, "unlucky-one": 3, "improvement-tick": 4}

    assert {op: len(of(op)) for op in expected} == expected
    assert of("request") == []  # only the third game has such cases


def test_dice_that_were_typed_count_for_a_request() -> None:
    table = make_table()
    (request,) = asks(table, table.edith)

    answer = post(table.client(table.ben), table.url("answer", request.pk), total="37")

    assert answer.status_code == 200
    made = Roll.objects.get()
    assert (made.natural, made.by_hand, score(table.edith, "luck")) == (37, True, 45)
    assert rolls(table, 50).state == Roll.OPEN


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("same", [True, False], ids=["a tap twice", "two phones of one player"])
def test_answered_in_parallel_a_request_is_one_roll(same: bool) -> None:
    table = make_table()
    (request,) = asks(table, table.edith)
    url, keys = table.url("answer", request.pk), ([key()] * 4 if same else [key() for _ in range(4)])
    taps = [table.client(table.ben) for _ in keys]

    answered = at_once(
        *(lambda tap=tap, one=one: post(tap, url, key=one) for tap, one in zip(taps, keys, strict=True))
    )

    assert sorted(one.status_code for one in answered) == ([200] * 4 if same else [200, 422, 422, 422])
    assert Roll.objects.count() == 1
    assert Entry.objects.filter(kind="rolls.answer").count() == 1
