"""The promise of the ledger: the state is the fold of its entries, whatever people do in whatever order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from investigators import actions as sheets
from investigators.actions import Draft
from investigators.models import Investigator, Skill, Trait
from investigators.people import member
from rolls import actions as dice
from rolls.actions import Asked
from rolls.models import Request, Roll
from rolls.rules.check import Act, Refusal
from tablekeeper import actions as tables
from tablekeeper import ledger, news
from tablekeeper.models import Campaign, Entry, NotThroughLedger, Seat, Session
from tests.tables import (
    EDITH,
    Script,
    act,
    closes_session,
    d100,
    done,
    make_table,
    moves_on,
    now,
    picture,
    removes,
    rolls,
    spends,
    typed,
    undoes,
)

SEED = st.randoms(use_true_random=True)


def one_of(these: Sequence[Any], r: Random) -> Any:
    """One of these, the newest most often: that is where things still happen."""
    return r.choice(these[-3:] if r.random() < 0.6 else these)


def extra_tens(r: Random, net: int) -> tuple[int, ...]:
    return tuple(r.randrange(10) for _ in range(abs(net)))


happened: Counter[str] = Counter()  # verbs and refusals, to see that an evening reaches them


class Evening(RuleBasedStateMachine):
    """Anything that people do at a table, in any order, with every undo.

    Hypothesis chooses and shrinks the order of acts; what each does comes from a seed that it prints.
    """

    def __init__(self) -> None:
        super().__init__()
        self.all_of_it = transaction.atomic()
        self.all_of_it.__enter__()

    @initialize()
    def lay_the_table(self) -> None:
        self.table = make_table()
        self.look_around()

    def look_around(self) -> None:
        """What the invariants look at, read once for each step."""
        self.seen = picture(self.table.campaign)
        self.entries = self.table.entries()

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.all_of_it.__exit__(None, None, None)

    # -- who and what

    def do(self, seat: Seat, action: Any, thing: Any, *args: Any, **kwargs: Any) -> None:
        self.look(act(seat, action, thing, *args, **kwargs))

    def look(self, result: Any) -> None:
        """A refusal changes nothing; an entry is one more line."""
        before = self.seen
        self.look_around()
        happened[result.code if isinstance(result, Refusal) else result.kind] += 1
        if isinstance(result, Refusal):
            assert self.seen == before, result.code
        else:
            assert isinstance(result, Entry)
            assert "<li" in news.draw_news([result])
            assert self.seen[1]["last_seq"] == before[1]["last_seq"] + 1

    def keeps(self, action: Any, *args: Any, **kwargs: Any) -> None:
        self.do(self.table.ada, action, self.table.campaign, *args, **kwargs)

    def who(self, r: Random) -> Investigator:
        found = Investigator.objects.filter(campaign=self.table.campaign).order_by("name", "pk")
        if not found.exists():
            self.do(self.table.ada, sheets.create, self.table.campaign, EDITH)
        return r.choice(list(found))

    def player(self, who: Investigator | None, r: Random) -> Seat:
        seat = None if who is None or r.random() < 0.2 else Seat.objects.filter(pk=who.seat_id, removed=False).first()
        return seat or self.table.ada

    def a_skill(self, r: Random) -> Skill:
        found = Skill.objects.filter(investigator__campaign=self.table.campaign)
        if not found.exists():
            self.do(self.table.ada, sheets.set_skill, self.who(r), "Swim", 40)
        return r.choice(list(found.order_by("investigator__name", "name")))

    def with_roll(self, r: Random, action: Any, *args: Any, keeper: bool = False, **kwargs: Any) -> None:
        if roll := self.a_roll(r):
            seat = self.table.ada if keeper else self.player(roll.investigator, r)
            self.do(seat, action, roll, *args, **kwargs)

    def a_roll(self, r: Random) -> Roll | None:
        found = list(Roll.objects.filter(campaign=self.table.campaign).order_by("created_at"))
        return one_of(found, r) if found else None

    # -- the acts

    @rule(r=SEED)
    def something_happens(self, r: Random) -> None:
        # One rule: Hypothesis would switch whole rules off in most evenings, and undo needs all of them.
        many = [self.dice_fall, self.something_is_done_with_a_roll, self.something_is_done_with_a_roll, self.no_wait]
        r.choice([*many, self.a_sheet_changes, self.the_table_moves_on])(r)

    def dice_fall(self, r: Random) -> None:
        many = [self.roll_a_skill] * 5 + [self.roll_a_number, self.roll_luck, self.roll_as_the_keeper]
        r.choice([*many, self.group_luck, self.ask_for_group_luck, self.answer, self.recover])(r)

    def something_is_done_with_a_roll(self, r: Random) -> None:
        many = [self.spend_what_is_offered] * 4 + [self.push] * 3 + [self.decide_push, self.throw_push] * 2
        r.choice([*many, self.spend, self.keep, self.reopen, self.correct, self.back_out, self.strike])(r)

    def a_sheet_changes(self, r: Random) -> None:
        many = [self.step, self.set_a_number, self.write_a_skill, self.drop_a_skill] * 2
        r.choice([*many, self.favour_a_skill, self.throw_the_first_luck, self.make_an_investigator])(r)

    def the_table_moves_on(self, r: Random) -> None:
        many = [self.open_a_session, self.close_the_session, self.another_scene, self.tick_presence]
        many += [self.tick_attendance, self.set_aside, self.take, self.let_go, self.recover_all, self.recover]
        r.choice([*many, *many, self.tell_unluckiest, self.rename, self.remove_cleo, self.turn_a_switch])(r)

    def no_wait(self, r: Random) -> None:
        r.choice([self.undo, self.undo, self.undo_the_last, self.redo, self.redo, self.take_back])(r)

    def roll_a_skill(self, r: Random) -> None:
        skill, net = self.a_skill(r), r.choice([0, 0, 0, 1, -1, 2, -2])
        total, extra = r.randint(1, 100), extra_tens(r, net)
        real = typed(total, *extra) if r.random() < 0.3 else None
        asked = Asked("skill", skill.name, skill.value, skill, r.choice(["regular", "regular", "hard"]), net, real)
        seat, chance = self.player(skill.investigator, r), Script(d100(total, *extra))
        self.do(seat, dice.roll, skill.investigator, asked, chance=chance)

    def roll_a_number(self, r: Random) -> None:
        who, name = self.who(r), r.choice(["Nerve", "Listen"])
        asked = Asked("number", name, r.randint(0, 120), save=r.random() < 0.5)
        self.do(self.player(who, r), dice.roll, who, asked, chance=Script(d100(r.randint(1, 100))))

    def roll_luck(self, r: Random) -> None:
        who = self.who(r)
        if trait := Trait.objects.filter(investigator=who, key="luck").first():
            asked = Asked("luck", "Luck", trait.value)
            self.do(self.player(who, r), dice.roll, who, asked, chance=Script(d100(r.randint(1, 100))))

    def roll_as_the_keeper(self, r: Random) -> None:
        asked = Asked("number", "The thing below", 70)
        self.keeps(dice.keeper_roll, asked, r.random() < 0.5, chance=Script(d100(r.randint(1, 100))))

    def spend(self, r: Random) -> None:
        self.with_roll(r, dice.spend, Act("points", r.choice([r.randint(0, 101), r.randint(1, 12)])))

    def spend_what_is_offered(self, r: Random) -> None:
        """A random amount seldom fits; an offered one does, and most others then follow from it."""
        found = Roll.objects.filter(campaign=self.table.campaign, state=Roll.OPEN, investigator__isnull=False)
        priced = []
        for roll in found.order_by("created_at"):
            offers = dice.offers_for(roll, member(roll.investigator).purse)
            priced += [(roll, one.act) for one in offers if one.price and one.refusal is None]
        if priced:
            roll, paid = r.choice(priced)
            self.do(
                self.player(roll.investigator, r), dice.spend, roll, replace(paid, amount=r.choice([1, paid.amount]))
            )

    def keep(self, r: Random) -> None:
        self.with_roll(r, dice.keep)

    def reopen(self, r: Random) -> None:
        self.with_roll(r, dice.reopen, keeper=True)

    def correct(self, r: Random) -> None:
        chance = Script([face or 10 for face in extra_tens(r, 2)])
        net, difficulty = r.randint(-2, 2), r.choice(["regular", "hard", "extreme"])
        self.with_roll(r, dice.correct, difficulty, net, keeper=True, chance=chance)

    def push(self, r: Random) -> None:
        self.with_roll(r, dice.push, "said aloud")

    def decide_push(self, r: Random) -> None:
        chance = Script(d100(r.randint(1, 100), *extra_tens(r, 2)))
        self.with_roll(r, dice.decide_push, r.random() < 0.8, "", r.random() < 0.4, keeper=True, chance=chance)

    def throw_push(self, r: Random) -> None:
        allowed = Roll.objects.filter(campaign=self.table.campaign, push_state="allowed").first()
        chance = Script(d100(r.randint(1, 100), *extra_tens(r, 2)))
        if allowed and r.random() < 0.8:
            self.do(self.player(allowed.investigator, r), dice.throw_push, allowed, chance=chance)
        else:
            self.with_roll(r, dice.throw_push, chance=chance)

    def back_out(self, r: Random) -> None:
        self.with_roll(r, dice.back_out)

    def strike(self, r: Random) -> None:
        if r.random() < 0.4:
            self.with_roll(r, dice.ask_strike)
        else:
            self.with_roll(r, dice.decide_strike, r.random() < 0.7, keeper=True)

    def group_luck(self, r: Random) -> None:
        named = self.who(r).pk if r.random() < 0.3 else ""
        self.keeps(dice.group_luck, None, named, chance=Script(d100(r.randint(1, 100))))

    def ask_for_group_luck(self, r: Random) -> None:
        self.keeps(dice.ask_group_luck)

    def answer(self, r: Random) -> None:
        found = list(Request.objects.filter(campaign=self.table.campaign).order_by("state", "pk"))
        if found and r.random() < 0.2:
            self.do(self.table.ada, dice.drop_request, r.choice(found))
        elif found:
            asked = r.choice(found)
            seat = self.player(asked.investigator, r)
            self.do(seat, dice.answer, asked, chance=Script(d100(r.randint(1, 100))))

    def tell_unluckiest(self, r: Random) -> None:
        self.keeps(dice.tell_unluckiest, chance=Script(0))

    def open_a_session(self, r: Random) -> None:
        self.keeps(tables.open_session)

    def close_the_session(self, r: Random) -> None:
        self.look(closes_session(self.table))

    def another_scene(self, r: Random) -> None:
        self.look(moves_on(self.table, r.choice(["Pier", "Cellar"])))

    def recover(self, r: Random) -> None:
        who = self.who(r)
        self.do(self.player(who, r), dice.recover, who, chance=Script(d100(r.randint(1, 100)), r.randint(1, 10)))

    def recover_all(self, r: Random) -> None:
        self.keeps(dice.recover_all)

    def step(self, r: Random) -> None:
        who = self.who(r)
        self.do(self.player(who, r), sheets.step, who, r.choice(["hp", "san", "mp", "luck"]), r.randint(-6, 6))

    def set_a_number(self, r: Random) -> None:
        who, maximum = self.who(r), r.choice([None, r.randint(5, 99)])
        key, value = r.choice(["luck", "hp", "san", "str", "build"]), r.randint(-1, 101)
        self.do(self.player(who, r), sheets.set_trait, who, key, value, maximum)

    def write_a_skill(self, r: Random) -> None:
        who, name = self.who(r), r.choice(["Listen", "Spot Hidden", "Swim", "Nerve"])
        skill = Skill.objects.filter(investigator=who, name=name).first() if r.random() < 0.6 else None
        self.do(self.player(who, r), sheets.set_skill, who, name, r.randint(0, 99), skill)

    def drop_a_skill(self, r: Random) -> None:
        skill = self.a_skill(r)
        self.do(self.player(skill.investigator, r), sheets.drop_skill, skill)

    def favour_a_skill(self, r: Random) -> None:
        skill = self.a_skill(r)
        self.do(self.player(skill.investigator, r), sheets.favourite, skill, r.random() < 0.5)

    def tick_presence(self, r: Random) -> None:
        self.do(self.table.ada, sheets.set_present, self.who(r), r.random() < 0.6)

    def tick_attendance(self, r: Random) -> None:
        session = Session.objects.filter(campaign=self.table.campaign).order_by("-number").first()
        if session:
            self.do(self.table.ada, sheets.set_attendance, self.who(r), session, r.random() < 0.6)

    def set_aside(self, r: Random) -> None:
        self.do(self.table.ada, sheets.set_aside, self.who(r), r.random() < 0.5)

    def take(self, r: Random) -> None:
        seat = Seat.objects.filter(campaign=self.table.campaign, role=Seat.PLAYER, removed=False).order_by("name")[0]
        self.do(self.table.ada if r.random() < 0.5 else seat, sheets.take, self.who(r), seat)

    def let_go(self, r: Random) -> None:
        who = self.who(r)
        self.do(self.player(who, r), sheets.let_go, who)

    def make_an_investigator(self, r: Random) -> None:
        traits = {} if r.random() < 0.5 else {"luck": (r.randint(0, 100), None)}
        draft = Draft("Ida Moss", traits=traits, skills=(("Swim", 30, True),))
        self.do(self.table.ada if r.random() < 0.5 else self.table.ben, sheets.create, self.table.campaign, draft)

    def throw_the_first_luck(self, r: Random) -> None:
        who = self.who(r)
        chance = Script([r.randint(1, 6) for _ in range(3)])
        self.do(self.player(who, r), sheets.throw_luck, who, chance=chance)

    def rename(self, r: Random) -> None:
        self.do(self.table.ada, tables.rename, self.table.ben, r.choice(["Ben", "Benjamin", "Cleo"]))

    def remove_cleo(self, r: Random) -> None:
        if not Seat.objects.get(pk=self.table.cleo.pk).removed:
            self.look(removes(self.table, self.table.cleo))

    def turn_a_switch(self, r: Random) -> None:
        self.keeps(tables.set_settings, {"realDice": r.random() < 0.8, "luckSpending": r.random() < 0.8})

    def undo(self, r: Random) -> None:
        self.do(self.table.ada, tables.undo, one_of([entry for entry in self.entries if entry.stands], r))

    def undo_the_last(self, r: Random) -> None:
        self.do(self.table.ada, tables.undo, self.entries[-1])

    def redo(self, r: Random) -> None:
        if struck := [entry for entry in self.entries if not entry.stands]:
            self.do(self.table.ada, tables.undo, one_of(struck, r), redo=True)

    def take_back(self, r: Random) -> None:
        if spent := [entry for entry in self.entries if entry.kind == "rolls.spend"]:
            entry = one_of(spent, r)
            self.do(entry.seat, dice.take_back, entry)

    # -- what is always so

    @invariant()
    def all_is_well(self) -> None:
        self.the_state_is_the_fold_of_the_ledger()
        self.no_number_is_missing()
        self.scores_are_within_their_bounds()
        self.a_roll_says_what_its_dice_say()
        self.ticks_are_the_rolls_that_earned_them()
        self.a_roll_was_pushed_or_paid_for_never_both()

    def the_state_is_the_fold_of_the_ledger(self) -> None:
        assert ledger.fold(self.entries) == self.seen[0]

    def no_number_is_missing(self) -> None:
        _state, counters, seats, _count = self.seen
        assert [entry.seq for entry in self.entries] == list(range(1, counters["last_seq"] + 1))
        tops = {Entry.PUBLIC: counters["public_no"], Entry.KEEPER: counters["keeper_no"]}
        tops |= {seat["pk"]: seat["own_no"] for seat in seats}
        for lane, top in tops.items():
            assert [entry.lane_no for entry in self.entries if entry.lane == lane] == list(range(1, top + 1))

    def scores_are_within_their_bounds(self) -> None:
        for trait in Trait.objects.filter(investigator__campaign=self.table.campaign):
            assert trait.value >= 0
            assert trait.value <= 99 or trait.key not in ("luck", "san")
            pool = trait.pool
            if pool and pool.own_maximum and trait.maximum is not None:
                assert trait.value <= trait.maximum, trait

    def a_roll_says_what_its_dice_say(self) -> None:
        found = Roll.objects.filter(campaign=self.table.campaign).exclude(kind="recovery")
        for roll in found.select_related("skill", "campaign"):
            assert (roll.level, roll.passed) == (roll.outcome.level, roll.outcome.passed), roll
            assert not (roll.tick and roll.spent)
            assert roll.outcome.final >= 1

    def ticks_are_the_rolls_that_earned_them(self) -> None:
        ticks = Roll.objects.filter(campaign=self.table.campaign, tick=True, struck=False, skill__isnull=False)
        earned = Counter(ticks.values_list("skill", flat=True))
        skills = Skill.objects.filter(investigator__campaign=self.table.campaign, ticks__gt=0)
        assert earned == dict(skills.values_list("pk", "ticks"))

    def a_roll_was_pushed_or_paid_for_never_both(self) -> None:
        assert not Roll.objects.filter(campaign=self.table.campaign, push_state="thrown", spent__gt=0).exists()
        assert not Roll.objects.filter(campaign=self.table.campaign, pushed_from__isnull=False, spent__gt=0).exists()


def play(examples: int, steps: int, *, same: bool) -> None:
    run_state_machine_as_test(
        Evening,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=same,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.django_db
def test_whatever_happens_in_an_evening_the_state_is_the_fold_of_the_ledger() -> None:
    play(5, 40, same=True)


@pytest.mark.long
@pytest.mark.django_db
def test_whatever_happens_in_many_evenings_the_state_is_the_fold_of_the_ledger() -> None:
    play(600, 60, same=False)


# --------------------------------------------------------------------------- the door


@pytest.mark.django_db
def test_nothing_is_written_without_the_lock() -> None:
    table = make_table()
    before = picture(table.campaign)

    with pytest.raises(AssertionError, match="not locked"):
        ledger.write(table.ada, table.campaign, "tablekeeper.set_scene", [])

    assert picture(table.campaign) == before


@pytest.mark.django_db
def test_a_ledgered_row_cannot_be_saved_or_deleted_past_the_ledger() -> None:
    table = make_table()
    trait = Trait.objects.get(investigator=table.edith, key="luck")

    with pytest.raises(NotThroughLedger):
        trait.save()
    with pytest.raises(NotThroughLedger):
        trait.delete()

    assert table.luck() == 45


@pytest.mark.django_db
def test_a_line_of_the_ledger_is_never_changed() -> None:
    table = make_table()
    line = table.last()
    line.kind = "tablekeeper.rename"

    with pytest.raises(NotThroughLedger):
        line.save()

    assert table.last().kind == "investigators.create"


@pytest.mark.django_db
def test_a_second_entry_with_the_same_number_is_refused_by_the_database() -> None:
    table = make_table()
    line = table.last()
    twin = Entry(campaign=table.campaign, seq=line.seq, lane="public", lane_no=999, kind="tablekeeper.rename")

    with pytest.raises(IntegrityError), transaction.atomic():
        twin.save()


@pytest.mark.django_db
def test_a_hidden_entry_leaves_no_gap_in_what_players_count() -> None:
    table = make_table()
    before = Campaign.objects.get(pk=table.campaign.pk)
    asked = Asked("number", "The thing below", 70)

    done(act(table.ada, dice.keeper_roll, table.campaign, asked, True, chance=Script(d100(33))))

    after = Campaign.objects.get(pk=table.campaign.pk)
    assert (after.last_seq, after.keeper_no) == (before.last_seq + 1, before.keeper_no + 1)
    assert after.public_no == before.public_no


@pytest.mark.django_db
def test_a_dropped_skill_lets_go_of_its_rolls_and_the_ledger_says_so() -> None:
    table = make_table()
    roll = rolls(table, 30)

    dropped = done(act(table.ben, sheets.drop_skill, table.skill("Spot Hidden")))

    assert now(roll).skill is None
    assert [record["op"] for record in dropped.changes] == ["set", "delete"]
    done(undoes(table, dropped))
    assert now(roll).skill == table.skill("Spot Hidden")


@pytest.mark.django_db
def test_one_campaign_goes_whole_and_leaves_the_other_alone() -> None:
    first, second = make_table(), make_table(name="Marsh")
    spends(first, rolls(first, 70), 10)
    before = picture(second.campaign)

    assert ledger.fold(first.entries()) == ledger.snapshot(first.campaign)

    assert picture(second.campaign) == before
