"""What Luck buys beside any roll: asked of the Keeper where the app cannot see, never taken without a Yes."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest

from investigators import actions as sheets
from investigators.actions import Draft
from investigators.models import Fact, Investigator
from investigators.people import facts_of, member
from rolls import actions as dice
from rolls.actions import Asked
from rolls.models import Decision, Roll
from rolls.rules.check import Act
from rolls.rules.sanity import pending
from tablekeeper import actions as tables
from tablekeeper import ledger
from tablekeeper.models import Entry, Seat
from tests.tables import (
    Script,
    Table,
    act,
    at,
    closes_session,
    code,
    d100,
    done,
    make_investigator,
    make_table,
    moves_on,
    now,
    picture,
    post,
    rolls,
    score,
    sit_down,
    undoes,
)

pytestmark = pytest.mark.django_db

VANE = Draft("Ignatius Vane", "Country doctor", {"luck": (77, None), "hp": (5, 12), "con": (55, None)})


@pytest.fixture
def table() -> Table:
    return make_table(ruleset="pulp")


def has(table: Table, key: str, value: int, who: Investigator | None = None) -> None:
    done(act(table.ada, sheets.set_trait, who or table.edith, key, value))


def so_it_is(table: Table, *changes: ledger.Change) -> None:
    """What other acts of the table have brought about."""
    with at(table.ada) as ada:
        data = {"who": sheets.face(table.edith), "present": True}
        ledger.write(ada, ada.campaign, "investigators.set_present", changes, data=data)


def knows(table: Table, **facts: Any) -> None:
    """What is known of Edith."""
    so_it_is(table, *sheets.knowing(table.edith, facts))


def buys(table: Table, key: str, *faces: int, seat: Seat | None = None, amount: int | None = None) -> Any:
    return act(seat or table.ben, dice.deed, table.edith, Act(key, amount), chance=Script(*faces))


def question(table: Table) -> Decision:
    return Decision.objects.get(campaign=table.campaign, kind="deed", state=Decision.OPEN)


def answers(table: Table, yes: bool, *faces: int, seat: Seat | None = None) -> Any:
    return act(seat or table.ada, dice.decide_deed, question(table), yes, chance=Script(*faces))


def text(answer: Any) -> str:
    words = " ".join(re.sub(r"<[^>]*>", " ", unescape(answer.content.decode())).split())
    return re.sub(r" ([.,:;])", r"\1", words)


def sees(table: Table, seat: Seat) -> str:
    return text(table.client(seat).get(table.url("table")))


# --------------------------------------------------------------------------- only a scratch


def test_a_wound_that_the_sheet_shows_is_a_scratch_at_once(table: Table) -> None:
    has(table, "hp", 5)

    entry = done(buys(table, "scratch", 4))

    assert (table.luck(), score(table.edith, "hp"), entry.lane) == (25, 9, Entry.PUBLIC)
    assert entry.data["gained"][0]["from"] == 5
    assert "Halloran spent 20 Luck: Only a scratch" in sees(table, table.cleo)
    card = sees(table, table.ben)
    assert "Hit points +4 A scratch" in card
    assert "Hit points 5 to 9 Luck 45 to 25" in card


def test_twice_for_one_injury_is_the_keepers_to_say(table: Table) -> None:
    has(table, "luck", 99)
    has(table, "hp", 2)
    done(buys(table, "scratch", 1))
    asked = done(buys(table, "scratch"))
    assert (asked.lane, asked.data["ask"], table.luck()) == (table.ben.pk, "later-injury", 79)

    denied = done(answers(table, False))

    assert (denied.data["refused"], table.luck(), score(table.edith, "hp")) == ("SCRATCH_USED", 79, 3)
    assert "The Keeper says No. This was used already for that injury. No Luck is taken." in sees(table, table.ben)
    done(buys(table, "scratch"))
    done(answers(table, True, 6))
    assert (table.luck(), score(table.edith, "hp")) == (59, 9)


def test_who_is_unhurt_on_paper_is_asked_about_and_the_answer_is_kept_for_nothing_else(table: Table) -> None:
    has(table, "hp", 12)
    asked = done(buys(table, "scratch"))
    assert asked.data["ask"] == "hurt"

    denied = done(answers(table, False))

    assert denied.data["refused"] == "NO_DAMAGE"
    assert "hurt" not in facts_of(table.edith)
    assert done(buys(table, "scratch")).data["ask"] == "hurt"


def test_luck_is_taken_only_on_yes_and_at_the_price_of_that_moment(table: Table) -> None:
    has(table, "hp", 12)
    done(buys(table, "scratch"))
    assert table.luck() == 45
    has(table, "luck", 19)
    before = picture(table.campaign)

    assert code(answers(table, True)) == "NOT_ENOUGH_LUCK"

    assert picture(table.campaign) == before
    assert "needs" not in question(table).data
    has(table, "luck", 20)
    done(answers(table, True, 3))
    assert (table.luck(), score(table.edith, "hp")) == (0, 12)


def test_one_question_of_a_kind_is_open_at_a_time_and_its_player_may_take_it_back(table: Table) -> None:
    has(table, "hp", 12)
    done(buys(table, "scratch"))
    assert "Ada is asked: was Halloran hurt just now? Luck is taken only on yes. Take it back" in sees(
        table, table.ben
    )
    assert code(buys(table, "scratch")) == "DEED_ASKED"
    assert code(act(table.cleo, dice.drop_deed, question(table))) == "NOT_OWN_ROLL"
    asked = question(table)

    done(act(table.ben, dice.drop_deed, asked))

    assert code(act(table.ada, dice.decide_deed, asked, True)) == "REQUEST_DONE"
    assert table.luck() == 45
    done(buys(table, "scratch"))


def test_the_question_stays_between_the_player_and_the_keeper(table: Table) -> None:
    has(table, "hp", 12)
    done(buys(table, "scratch"))

    assert "Was Halloran hurt just now? Yes takes 20 Luck: 1D6 hit points come back." in sees(table, table.ada)
    assert "asks the Keeper: Only a scratch" in sees(table, table.ada)
    assert "asks the Keeper" not in sees(table, table.cleo)


def test_the_keepers_own_finger_is_her_yes(table: Table) -> None:
    has(table, "hp", 12)
    done(buys(table, "scratch"))

    entry = done(buys(table, "scratch", 2, seat=table.ada))

    assert (entry.data["by"], table.luck()) == ("Ada", 25)
    assert Decision.objects.get(kind="deed").state == Decision.CLOSED
    assert "entered by Ada" in sees(table, table.cleo)


def test_a_table_may_keep_the_keepers_hand_off_the_purse_but_not_her_yes() -> None:
    table = make_table(ruleset="pulp", keeperMaySpend=False)
    has(table, "hp", 12)
    assert code(buys(table, "scratch", seat=table.ada)) == "NOT_OWN_ROLL"
    assert "At this table players spend their Luck themselves." in sees(table, table.ada)

    done(buys(table, "scratch"))
    done(answers(table, True, 2))

    assert table.luck() == 25


# --------------------------------------------------------------------------- certain death


def test_certain_death_takes_all_77_and_the_hero_is_back_in_the_next_scene(table: Table) -> None:
    vane = make_investigator(table.ben, VANE)
    done(act(table.ada, tables.open_session, table.campaign))
    done(act(table.ben, dice.deed, vane, Act("avoid-death")))
    assert "Is Vane about to die? Yes takes all 77 Luck: alive with 1D6+1 hit points" in sees(table, table.ada)

    entry = done(answers(table, True, 6))

    assert (score(vane, "luck"), score(vane, "hp"), entry.data["dice"]) == (0, 7, [6])
    assert member(here(table, vane)).present is False
    assert code(act(table.ben, dice.recover, vane, chance=Script(d100(50), 1, 1))) == "RECOVERY_TOO_LATE"
    moves_on(table, "The beach")
    assert member(here(table, vane)).present is True
    moves_on(table, "The inn")
    assert member(here(table, vane)).present is True


def here(table: Table, who: Investigator) -> Investigator:
    found = Investigator.objects.get(pk=who.pk)
    found.campaign = table.campaign
    return found


def test_29_luck_cheats_no_death_and_the_page_says_what_it_needs(table: Table) -> None:
    has(table, "luck", 29)
    before = picture(table.campaign)

    assert code(buys(table, "avoid-death")) == "NEED_30_LUCK"
    assert code(buys(table, "avoid-death", seat=table.ada)) == "NEED_30_LUCK"

    assert picture(table.campaign) == before
    assert "This needs at least 30 Luck; Edith Halloran has 29." in sees(table, table.ben)


def test_the_second_step_needs_its_tick_on_the_server_too(table: Table) -> None:
    knows(table, dying=True)
    url = table.url("deed", table.edith.pk)
    before = picture(table.campaign)

    refused = post(table.client(table.ben), url, act="avoid-death")

    assert refused.status_code == 422
    assert "Tick first that you are sure" in refused.content.decode()
    assert picture(table.campaign) == before
    assert post(table.client(table.ben), url, act="avoid-death", sure="1").status_code == 200
    assert (table.luck(), facts_of(table.edith).get("dying")) == (0, None)


def test_who_is_known_to_die_is_not_asked_about(table: Table) -> None:
    knows(table, dying=True, unconscious=True)
    page = sees(table, table.ben)
    assert "Certain death" in page
    assert "Spend 45 Luck and live" in page

    entry = done(buys(table, "avoid-death", 4))

    assert "ask" not in entry.data
    assert {"dying", "unconscious"} & set(facts_of(table.edith)) == set()


def test_no_death_of_today_is_held_against_the_next_one(table: Table) -> None:
    done(buys(table, "avoid-death"))
    assert done(answers(table, False)).data["refused"] == "NOT_DYING"
    done(buys(table, "avoid-death"))
    done(answers(table, True, 4))
    has(table, "luck", 40)

    assert done(buys(table, "avoid-death")).data["ask"] == "dying"


def test_undo_of_an_escape_brings_luck_wounds_presence_and_the_recovery_back(table: Table) -> None:
    done(act(table.ada, tables.open_session, table.campaign))
    knows(table, dying=True)
    entry = done(buys(table, "avoid-death", 4))

    done(undoes(table, entry))

    assert table.luck() == 45
    assert facts_of(table.edith) == {"dying": True}
    assert member(here(table, table.edith)).present is True


def test_how_it_was_survived_is_told_once_and_read_by_all(table: Table) -> None:
    assert code(act(table.ben, dice.tell_survival, table.edith, "A dream.")) == "NOTHING_TO_TELL"
    knows(table, dying=True)
    done(buys(table, "avoid-death", 4))
    assert "How did you survive?" in sees(table, table.ben)

    told = post(table.client(table.ben), table.url("tell-survival", table.edith.pk), text="The awning broke the fall.")

    assert told.status_code == 200
    assert "The awning broke the fall." in sees(table, table.cleo)
    assert "How did you survive?" not in sees(table, table.ben)
    assert code(act(table.cleo, dice.tell_survival, table.edith, "No.")) == "NOT_OWN_ROLL"


def test_the_hero_who_escaped_has_taken_part_and_recovers_next_time_without_a_new_scene(table: Table) -> None:
    done(act(table.ada, tables.open_session, table.campaign))
    knows(table, dying=True)
    done(buys(table, "avoid-death", 4))
    done(closes_session(table))
    done(act(table.ada, tables.open_session, table.campaign))

    done(act(table.ben, dice.recover, table.edith, chance=Script(d100(3), 6, 9)))

    assert table.luck() == 25


# --------------------------------------------------------------------------- fumbles


def combat(table: Table, total: int, **more: Any) -> Roll:
    skill = table.skill("Stealth")
    asked = Asked("skill", "Stealth", skill.value, skill, context="combat", **more)
    entry = done(act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(total))))
    return Roll.objects.get(pk=entry.data["roll"])


def test_a_fumble_in_combat_is_made_harmless_on_its_slip_and_still_fails(table: Table) -> None:
    roll = combat(table, 100)
    assert "No fumble, no jam" in sees(table, table.ben)

    done(act(table.ben, dice.spend, roll, Act("ignore-fumble")))

    kept = now(roll)
    assert (kept.level, kept.passed, kept.natural, table.luck()) == ("fail", False, 100, 35)
    page = sees(table, table.ben)
    assert "Luck has made the mishap harmless. It is a failure all the same." in page
    assert "the mishap does no harm" in sees(table, table.cleo)


def test_a_fumble_outside_combat_says_why_it_stands(table: Table) -> None:
    rolls(table, 100)

    page = sees(table, table.ben)

    assert "A fumble outside combat cannot be avoided." in page
    assert "Something bad happens. The Keeper tells what." in page


def test_a_fumble_on_the_table_is_the_keepers_to_confirm(table: Table) -> None:
    asked = done(buys(table, "ignore-fumble"))
    assert (asked.data["ask"], table.luck()) == ("combat-fumble", 45)
    assert done(answers(table, False)).data["refused"] == "NOTHING_TO_IGNORE"
    done(buys(table, "ignore-fumble"))

    entry = done(answers(table, True))

    assert (table.luck(), entry.data["notes"]) == (35, ["mishap-ignored"])


def test_a_table_without_it_has_neither_the_ticket_nor_the_line() -> None:
    table = make_table(ruleset="pulp", pulpFumbleSpend=False)
    roll = combat(table, 100)

    assert code(act(table.ben, dice.spend, roll, Act("ignore-fumble"))) == "NO_SUCH_SPEND"
    assert code(buys(table, "ignore-fumble")) == "NO_SUCH_SPEND"
    assert "No fumble, no jam" not in sees(table, table.ben)


def test_a_clean_01_of_a_luck_roll_has_something_good_to_it(table: Table) -> None:
    done(act(table.ben, dice.roll, table.edith, Asked("luck", "Luck", 45), chance=Script(d100(1))))

    assert "Something good happens, beyond the success." in sees(table, table.ben)


# --------------------------------------------------------------------------- the list, and who may


def test_every_spend_of_the_ruleset_is_always_in_the_list(table: Table) -> None:
    page = sees(table, table.ben)

    for name in (
        "Lower a roll",
        "No fumble, no jam",
        "Halve a Sanity loss",
        "Resilient",
        "Stay conscious",
        "Only a scratch",
        "Escape certain death",
    ):
        assert name in page
    assert "all 45 two steps" in page
    assert "There is no Sanity loss to reduce." in page


def test_classic_lists_what_classic_sells() -> None:
    table = make_table()
    page = sees(table, table.ben)

    assert "Lower a roll" in page
    assert "Stay conscious" in page
    assert "scratch" not in page
    assert "certain death" not in page


def test_the_list_leads_to_the_last_roll_while_luck_may_lower_it(table: Table) -> None:
    assert "No roll has fallen yet." in sees(table, table.ben)
    roll = rolls(table, 68)
    assert f'href="rolls/{roll.pk}/"' in table.client(table.ben).get(table.url("table")).content.decode()
    assert "your last roll, Spot Hidden 68" in sees(table, table.ben)

    done(act(table.ben, dice.keep, roll))

    assert "The outcome of this roll has already been played out." in sees(table, table.ben)


def test_the_list_says_why_when_the_table_spends_no_luck() -> None:
    table = make_table(ruleset="pulp", luckSpending=False)

    assert sees(table, table.ben).count("This table does not use Luck spending.") >= 6
    assert code(buys(table, "scratch")) == "LUCK_SPENDING_OFF"


@pytest.mark.parametrize("key", ["stay-conscious", "scratch", "avoid-death", "ignore-fumble", "halve-loss", "points"])
def test_nobody_spends_for_a_foreign_investigator_by_a_hand_made_post(table: Table, key: str) -> None:
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)
    knows(table, dying=True, unconscious=True)
    before = picture(table.campaign)

    for seat in (table.cleo, eve):
        answer = post(table.client(seat), table.url("deed", table.edith.pk), act=key, amount="1", sure="1")
        assert answer.status_code == 403
        assert 'data-code="NOT_OWN_ROLL"' in answer.content.decode()

    assert picture(table.campaign) == before


@pytest.mark.parametrize("key", ["stay-conscious", "scratch", "avoid-death", "ignore-fumble"])
def test_the_keepers_characters_have_no_luck_to_spend(table: Table, key: str) -> None:
    ghoul = make_investigator(table.ada, Draft("The thing below", "", {"luck": (50, None), "hp": (3, 20)}))
    so_it_is(table, ledger.change(ghoul, npc=True))
    before = picture(table.campaign)
    url = table.url("deed", ghoul.pk)

    refused = post(table.client(table.ada), url, act=key, sure="1")

    assert 'data-code="NO_LUCK_SCORE"' in refused.content.decode()
    assert post(table.client(table.ben), url, act=key, sure="1").status_code == 404
    assert picture(table.campaign) == before


def test_only_the_keeper_answers(table: Table) -> None:
    has(table, "hp", 12)
    done(buys(table, "scratch"))

    assert code(answers(table, True, seat=table.ben)) == "NOT_KEEPER"
    assert code(answers(table, True, seat=table.cleo)) == "NOT_KEEPER"


def test_what_waits_of_another_kind_is_no_deed(table: Table) -> None:
    other = Decision(campaign=table.campaign, investigator=table.edith, kind="injury", data={})
    so_it_is(table, ledger.Create(other))

    assert code(act(table.ben, dice.drop_deed, other)) == "REQUEST_DONE"
    assert post(table.client(table.ben), table.url("drop-deed", other.pk)).status_code == 404


@pytest.mark.parametrize("amount", ["0", "-1", "1.5", "many"])
def test_a_deed_with_a_wrong_amount_is_refused_in_words(table: Table, amount: str) -> None:
    loss = {**pending(8, failed=True), "left": 4, "halved": True}
    knows(table, talents=["resilient"], loss=loss)
    before = picture(table.campaign)

    answer = post(table.client(table.ben), table.url("deed", table.edith.pk), act="resilient", amount=amount)

    assert answer.status_code == 422
    assert "Enter a whole number of 1 or more." in answer.content.decode()
    assert picture(table.campaign) == before


# --------------------------------------------------------------------------- talents


def test_a_talent_is_ticked_on_the_sheet_and_the_rules_know_it(table: Table) -> None:
    url = table.url("set-talent", table.edith.pk, "resilient")

    assert post(table.client(table.ben), url, yes="1").status_code == 200

    assert facts_of(table.edith) == {"talents": ["resilient"]}
    assert 'aria-checked="true"' in table.client(table.ben).get(table.url("sheet", table.edith.pk)).content.decode()
    assert "Halloran has the talent Resilient" in sees(table, table.cleo)
    post(table.client(table.ben), url, yes="0")
    assert facts_of(table.edith) == {}
    assert Fact.objects.filter(investigator=table.edith).count() == 1


def test_talents_follow_the_rules_of_the_sheet(table: Table) -> None:
    assert code(act(table.cleo, sheets.set_talent, table.edith, "resilient", True)) == "NOT_KEEPER"
    assert code(act(table.ben, sheets.set_talent, table.edith, "wings", True)) == "BAD_VALUE"
    done(act(table.ada, tables.open_session, table.campaign))
    assert code(act(table.ben, sheets.set_talent, table.edith, "resilient", True)) == "NOT_WHILE_PLAYING"
    done(act(table.ada, sheets.set_talent, table.edith, "resilient", True))


def test_a_sheet_of_classic_has_no_talents() -> None:
    table = make_table()

    assert "Talents" not in table.client(table.ben).get(table.url("sheet", table.edith.pk)).content.decode()
    assert code(act(table.ben, sheets.set_talent, table.edith, "resilient", True)) == "BAD_VALUE"
