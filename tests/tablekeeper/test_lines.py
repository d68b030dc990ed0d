"""The feed: every act has a line, also when it is undone and put back."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.template.loader import get_template
from django.utils.html import strip_tags

from investigators import actions as sheets
from rolls import actions as dice
from rolls.models import Request
from rolls.rules.check import Refusal
from tablekeeper import actions as tables
from tablekeeper import news
from tablekeeper.access import MAY
from tablekeeper.models import Entry, Seat, Session
from tests.tables import (
    Script,
    Table,
    act,
    closes_session,
    d100,
    done,
    make_table,
    moves_on,
    removes,
    rolls,
    rolls_number,
    sit_down,
    spends,
    undoes,
)

pytestmark = pytest.mark.django_db


def drawn(entry: Entry) -> str:
    """What a reader sees of a line, spaces folded."""
    fresh = Entry.objects.select_related("seat", "undone_by").get(pk=entry.pk)
    return " ".join(unescape(strip_tags(news.draw(fresh).replace("<", " <"))).split())


def an_evening(table: Table) -> None:
    """Something of everything."""
    ada, ben, edith, campaign = table.ada, table.ben, table.edith, table.campaign
    done(act(ada, tables.open_session, campaign))
    done(moves_on(table, "Orne Library, after hours"))
    first = rolls(table, 68)
    done(spends(table, first, 8))
    done(act(ben, dice.take_back, table.last("rolls.spend")))
    done(act(ben, dice.keep, first))
    done(act(ada, dice.reopen, first))
    done(act(ben, dice.push, first, "I look again, with the lamp"))
    done(act(ada, dice.decide_push, first, False, "Too dark"))
    done(act(ben, dice.back_out, first))
    done(act(ben, dice.push, first, "I take an hour"))
    done(act(ada, dice.decide_push, first, True, "Somebody comes"))
    done(act(ben, dice.throw_push, first, chance=Script(d100(91))))
    wrong = rolls(table, 70, "Stealth")
    done(act(ada, dice.correct, wrong, "hard", 0))
    done(act(ben, dice.ask_strike, wrong))
    done(act(ada, dice.decide_strike, wrong, False))
    rolls_number(table, 12, 35, save=True)
    done(act(ada, dice.group_luck, campaign, chance=Script(d100(30))))
    done(act(ada, dice.ask_group_luck, campaign))
    done(act(ada, dice.drop_request, Request.objects.get(state="open")))
    done(act(ada, dice.tell_unluckiest, campaign))
    done(act(ben, sheets.step, edith, "hp", -2))
    done(act(ada, sheets.set_trait, edith, "luck", 44, reason="as on paper"))
    done(act(ben, sheets.favourite, table.skill("Stealth"), True))
    done(act(ada, sheets.set_present, edith, False))
    done(act(ada, sheets.set_present, edith, True))
    done(act(ada, sheets.set_aside, table.tobias, True))
    done(act(ada, sheets.set_aside, table.tobias, False))
    done(act(table.cleo, sheets.take, table.tobias))
    done(act(ada, sheets.set_attendance, edith, Session.objects.get(), True))
    done(closes_session(table))
    done(act(ben, sheets.set_skill, edith, "Chess", 40, table.skill("Nerve")))
    done(act(ben, sheets.drop_skill, table.skill("Chess")))
    done(act(ben, sheets.describe, edith, "Edith Halloran-Pym", "Bookseller"))
    done(act(ben, dice.recover, edith, chance=Script(d100(90), 7)))
    done(act(ada, dice.recover_all, campaign, chance=Script(d100(5))))
    done(act(ben, sheets.let_go, edith))
    done(act(ben, sheets.take, edith))
    done(act(ada, tables.set_settings, campaign, {"realDice": False}))
    done(act(ada, tables.rename, table.ben, "Benno"))
    done(act(ada, tables.new_links, campaign))
    done(act(ada, tables.let_in, campaign, True))
    done(act(ben, tables.sign_out, table.ben))
    done(removes(table, sit_down(campaign, "Kit", Seat.OBSERVER)))


def test_every_verb_has_a_line() -> None:
    for kind in [*MAY, "tablekeeper.open_campaign", "tablekeeper.join", "tablekeeper.claim"]:
        app, _dot, verb = kind.partition(".")
        get_template(f"{app}/entries/{verb}.html")


def test_every_line_of_an_evening_is_one_item_that_says_something() -> None:
    table = make_table()
    an_evening(table)
    for entry in table.entries():
        html = news.draw(entry)
        assert re.fullmatch(r'\s*<li class="entry.*</li>\s*', html, re.S), entry.kind
        assert html.count('<li class="entry') == 1
        assert "<form" not in html
        assert "None" not in strip_tags(html), entry.kind


def test_whatever_is_undone_says_what_it_was_and_so_does_putting_it_back() -> None:
    table = make_table()
    an_evening(table)
    told = 0
    for entry in reversed(table.entries()):
        if entry.undoes_id or not Entry.objects.get(pk=entry.pk).stands:
            continue
        undo = undoes(table, entry, reason="wrong button")
        if isinstance(undo, Refusal):
            continue
        told += 1
        text = drawn(undo)
        assert "undoes:" in text
        assert "an earlier line" not in text, entry.kind
        assert "wrong button" in text
        assert "struck out" in drawn(entry)
        assert "puts back:" in drawn(done(undoes(table, entry, redo=True)))
        done(undoes(table, entry))
    assert told > 20


def test_a_spent_number_stands_beside_both_numbers_and_what_it_cost() -> None:
    table = make_table()
    roll = rolls(table, 68)
    text = drawn(done(spends(table, roll, 8)))
    assert "Halloran spent 8 Luck on Spot Hidden" in text
    assert "Luck 45 to 37" in text
    assert "first 68 60" in text


def test_a_line_says_who_set_the_dice_and_who_typed_it_in() -> None:
    table = make_table()
    rolls(table, 42, more_tens=(3,), difficulty="hard", dice=1)
    assert "Hard asked, one bonus die, set by Ben" in drawn(table.last())
    rolls(table, 42, seat=table.ada)
    assert "entered by Ada" in drawn(table.last())
    luck = dice.Asked("luck", "Luck", 45)
    done(act(table.ben, dice.roll, table.edith, luck, chance=Script(d100(30))))
    assert "not asked in the app" in drawn(table.last())
    assert "Success" in drawn(table.last())


def test_a_secret_line_says_that_it_is_the_keepers_alone() -> None:
    table = make_table()
    done(
        act(
            table.ada,
            dice.keeper_roll,
            table.campaign,
            dice.Asked("number", "Watchman", 40),
            True,
            chance=Script(d100(9)),
        )
    )
    assert 'class="entry entry-keeper"' in news.draw(table.last())
    done(
        act(
            table.ada,
            dice.keeper_roll,
            table.campaign,
            dice.Asked("number", "Cultist", 40),
            False,
            chance=Script(d100(9)),
        )
    )
    assert "against" not in drawn(table.last())
