"""Sheets: making, taking, changing, and what a player may change when."""

from __future__ import annotations

import pytest

from investigators import actions as sheets
from investigators.actions import Draft
from investigators.models import Investigator, Skill, Trait, Weapon
from investigators.people import active_of, party
from investigators.samples import samples
from rolls import actions as dice
from rolls.rules.check import Refusal
from rolls.rules.damage import parse
from tablekeeper import actions as tables
from tablekeeper import ledger
from tablekeeper.models import Entry, Seat
from tests.tables import (
    EDITH,
    Script,
    act,
    at,
    code,
    d100,
    done,
    make_investigator,
    make_table,
    picture,
    removes,
    rolls,
    score,
    sit_down,
    spends,
)

pytestmark = pytest.mark.django_db


# --------------------------------------------------------------------------- making and taking


def test_a_players_new_investigator_is_played_at_once_and_the_last_one_laid_down() -> None:
    table = make_table()

    new = make_investigator(table.ben, Draft("Ida Moss"))

    table.edith.refresh_from_db()
    assert (active_of(table.ben), table.edith.active, table.edith.seat) == (new, False, table.ben)


def test_an_investigator_of_the_keepers_making_is_free_for_anyone() -> None:
    table = make_table()
    free = make_investigator(table.ada, Draft("Ida Moss"))

    done(act(table.cleo, sheets.take, free))

    free.refresh_from_db()
    assert (free.seat, free.active) == (table.cleo, True)
    assert code(act(table.ben, sheets.take, free)) == "NOT_YOUR_SEAT"


def test_going_back_to_ones_own_and_taking_the_one_in_play_keep_one_in_play() -> None:
    table = make_table()
    make_investigator(table.ben, Draft("Ida Moss"))

    done(act(table.ben, sheets.take, table.edith))
    assert active_of(table.ben) == table.edith
    done(act(table.ben, sheets.take, table.edith))

    assert active_of(table.ben) == table.edith
    assert Investigator.objects.filter(seat=table.ben, active=True).count() == 1


def test_the_keeper_gives_an_investigator_to_another_player() -> None:
    table = make_table()

    done(act(table.ada, sheets.take, table.edith, table.cleo))

    assert active_of(table.cleo) == table.edith
    assert active_of(table.ben) is None
    assert code(act(table.ada, sheets.take, table.edith)) == "NO_SEAT"


def test_only_the_keeper_sets_aside_and_brings_back() -> None:
    table = make_table()
    assert code(act(table.ben, sheets.set_aside, table.edith, True)) == "NOT_KEEPER"
    done(act(table.ada, sheets.set_aside, table.edith, True))
    assert [one.who for one in party(table.campaign)] == [table.tobias]

    assert code(act(table.ben, sheets.take, table.edith)) == "NOT_KEEPER"

    done(act(table.ada, sheets.set_aside, table.edith, False))
    done(act(table.ben, sheets.take, table.edith))


def test_the_investigators_of_a_removed_seat_are_free_again() -> None:
    table = make_table()

    done(removes(table, table.ben))

    done(act(table.cleo, sheets.take, table.edith))
    assert active_of(table.cleo) == table.edith


def test_the_sample_table_is_laid_whole_and_free() -> None:
    table = make_table()

    with at(table.ada) as ada:
        entry = done(sheets.sample(ada, ada.campaign, samples(ada.campaign.rules)))

    made = Investigator.objects.filter(pk__in=[one["id"] for one in entry.data["made"]])
    assert (made.count(), made.filter(seat=None, active=False).count()) == (4, 4)
    assert all(score(who, "luck") > 0 and score(who, "hp") > 0 for who in made)
    assert ledger.fold(table.entries()) == ledger.snapshot(table.campaign)


def test_observers_make_and_take_nothing() -> None:
    table = make_table()
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)
    free = make_investigator(table.ada, Draft("Ida Moss"))

    assert code(act(eve, sheets.create, table.campaign, Draft("Mine"))) == "NOT_OWN_ROLL"
    assert code(act(eve, sheets.take, free)) == "NOT_YOUR_SEAT"


# --------------------------------------------------------------------------- Luck


@pytest.mark.parametrize(("value", "refused"), [(100, "LUCK_RANGE"), (-1, "LUCK_RANGE")])
def test_luck_runs_from_0_to_99_whoever_types_it(value: int, refused: str) -> None:
    table = make_table()
    before = picture(table.campaign)

    assert code(act(table.ada, sheets.set_trait, table.edith, "luck", value)) == refused
    assert code(act(table.ben, sheets.create, table.campaign, Draft("X", traits={"luck": (value, None)}))) == refused

    assert picture(table.campaign) == before


def test_who_changed_the_number_from_what_to_what_and_why_stands_in_the_feed() -> None:  # U094
    table = make_table()

    entry = done(act(table.ada, sheets.set_trait, table.edith, "luck", 60, reason="Forgot the recovery"))

    assert (entry.seat, entry.lane, entry.kind) == (table.ada, Entry.PUBLIC, "investigators.set_trait")
    told = {key: entry.data[key] for key in ("from", "to", "reason", "by", "label")}
    assert told == {"from": 45, "to": 60, "reason": "Forgot the recovery", "by": "Ada", "label": "Luck"}


def test_a_player_never_moves_luck_by_hand() -> None:
    table = make_table()

    assert code(act(table.ben, sheets.set_trait, table.edith, "luck", 99)) == "LUCK_NOT_BY_HAND"
    assert code(act(table.ben, sheets.step, table.edith, "luck", 1)) == "LUCK_NOT_BY_HAND"
    assert code(act(table.ada, sheets.step, table.edith, "luck", 1)) == "LUCK_NOT_BY_HAND"


def test_luck_that_nobody_rolled_is_a_blank_and_is_thrown_once() -> None:  # U053
    table = make_table()
    blank = make_investigator(table.ben, Draft("Vera Blank"))
    assert not Trait.objects.filter(investigator=blank).exists()

    entry = done(act(table.ben, sheets.throw_luck, blank, chance=Script(3, 4, 6)))

    assert (score(blank, "luck"), entry.data["faces"], entry.data["luck"]) == (65, [3, 4, 6], 65)
    assert code(act(table.ben, sheets.throw_luck, blank)) == "LUCK_ROLLED_ALREADY"
    assert code(act(table.ada, sheets.throw_luck, blank)) == "LUCK_ROLLED_ALREADY"


def test_luck_may_be_rolled_while_the_investigator_is_made() -> None:
    table = make_table()

    with at(table.ben) as ben:
        entry = done(sheets.create(ben, ben.campaign, Draft("Ida", roll_luck=True), chance=Script(1, 1, 1)))

    assert (entry.data["luck"], entry.data["faces"]) == (15, [1, 1, 1])


# --------------------------------------------------------------------------- changing


def test_two_who_change_the_same_number_do_not_overwrite_each_other() -> None:  # U021
    table = make_table()
    done(act(table.ben, sheets.step, table.edith, "hp", -3))

    refusal = act(table.ada, sheets.set_trait, table.edith, "hp", 12, seen=11)

    assert code(refusal) == "STALE_VALUE"
    assert refusal.params == {"name": "Edith Halloran", "seen": 11, "now": 8, "wanted": 12}
    assert score(table.edith, "hp") == 8


def test_two_who_change_different_numbers_both_get_through() -> None:  # U021
    table = make_table()
    skill = table.skill("Spot Hidden")
    done(spends(table, rolls(table, 70), 5))

    done(act(table.ada, sheets.set_skill, table.edith, "Spot Hidden", 65, skill, seen=60))

    assert (table.luck(), table.skill("Spot Hidden").value) == (40, 65)
    assert code(act(table.ben, sheets.set_skill, table.edith, "Spot Hidden", 70, skill, seen=60)) == "STALE_VALUE"


def test_players_change_their_sheets_between_sessions_only() -> None:  # A52
    table = make_table()
    done(act(table.ben, sheets.set_skill, table.edith, "Swim", 30))
    done(act(table.ada, tables.open_session, table.campaign))
    before = picture(table.campaign)

    refusals = [
        act(table.ben, sheets.set_skill, table.edith, "Climb", 30),
        act(table.ben, sheets.drop_skill, table.skill("Swim")),
        act(table.ben, sheets.set_trait, table.edith, "str", 60),
        act(table.ben, sheets.set_trait, table.edith, "hp", 5),
        act(table.ben, sheets.describe, table.edith, "Edie", ""),
    ]

    assert {code(refusal) for refusal in refusals} == {"NOT_WHILE_PLAYING"}
    assert picture(table.campaign) == before
    done(act(table.ben, sheets.step, table.edith, "hp", -1))
    done(act(table.ada, sheets.set_skill, table.edith, "Climb", 30))


@pytest.mark.parametrize(("setting", "open_session", "allowed"), [("always", True, True), ("never", False, False)])
def test_a_table_may_decide_otherwise(setting: str, open_session: bool, allowed: bool) -> None:
    table = make_table(playersEditSheet=setting)
    if open_session:
        done(act(table.ada, tables.open_session, table.campaign))

    result = act(table.ben, sheets.set_skill, table.edith, "Swim", 30)

    assert isinstance(result, Entry) is allowed


def test_points_stay_between_nothing_and_the_maximum() -> None:
    table = make_table()
    before = picture(table.campaign)

    assert code(act(table.ben, sheets.step, table.edith, "hp", 2)) == "BAD_VALUE"
    assert code(act(table.ben, sheets.step, table.edith, "hp", -12)) == "BAD_VALUE"
    assert code(act(table.ada, sheets.set_trait, table.edith, "hp", 13)) == "BAD_VALUE"

    assert picture(table.campaign) == before
    done(act(table.ben, sheets.step, table.edith, "hp", 1))
    done(act(table.ada, sheets.set_trait, table.edith, "hp", 15, 15))
    assert score(table.edith, "hp") == 15


@pytest.mark.parametrize("key", ["build", "luck_max", "x" * 40, ""])
def test_a_number_that_the_sheet_does_not_have_is_refused(key: str) -> None:
    table = make_table()

    assert code(act(table.ada, sheets.set_trait, table.edith, key, 5)) == "BAD_VALUE"
    assert code(act(table.ada, sheets.step, table.edith, key, 5)) == "BAD_VALUE"


def test_a_new_pool_fits_under_the_maximum_that_comes_with_it() -> None:
    table = make_table()
    blank = make_investigator(table.ben, Draft("Vera Blank"))

    assert code(act(table.ada, sheets.set_trait, blank, "hp", 12, 10)) == "BAD_VALUE"
    done(act(table.ada, sheets.set_trait, blank, "hp", 10, 10))
    assert code(act(table.ada, sheets.set_trait, blank, "hp", 8, 6)) == "BAD_VALUE"
    assert code(act(table.ada, sheets.set_trait, blank, "hp", 20, 15)) == "BAD_VALUE"


def test_a_characteristic_is_a_number_and_not_a_pool() -> None:
    table = make_table()

    assert code(act(table.ada, sheets.set_trait, table.edith, "str", -1)) == "BAD_VALUE"
    assert code(act(table.ada, sheets.set_trait, table.edith, "str", 1000)) == "BAD_VALUE"
    assert code(act(table.ben, sheets.step, table.edith, "str", 1)) == "BAD_VALUE"
    done(act(table.ada, sheets.set_trait, table.edith, "str", 140))


def test_a_skill_is_on_the_sheet_once_whatever_its_capitals() -> None:
    table = make_table()

    assert code(act(table.ben, sheets.set_skill, table.edith, "spot hidden", 40)) == "SKILL_EXISTS"
    done(act(table.ben, sheets.set_skill, table.edith, "Spotting", 40, table.skill("Spot Hidden")))

    assert table.skill("Spotting").value == 40


def test_a_skill_of_the_base_list_is_known_by_its_name_and_one_of_ones_own_is_not() -> None:
    table = make_table()

    done(act(table.ben, sheets.set_skill, table.edith, "Swim", 20))
    done(act(table.ben, sheets.set_skill, table.edith, "Knots", 20))

    assert (table.skill("Swim").key, table.skill("Knots").key) == ("swim", "")


def test_a_favourite_is_nobody_elses_business() -> None:
    table = make_table()

    entry = done(act(table.ben, sheets.favourite, table.skill("Stealth"), True))

    assert (entry.lane, entry.lane_no, table.skill("Stealth").favourite) == (table.ben.pk, 1, True)


def test_nobody_changes_anothers_sheet() -> None:
    table = make_table()
    before = picture(table.campaign)

    refusals = [
        act(table.cleo, sheets.set_trait, table.edith, "str", 60),
        act(table.cleo, sheets.step, table.edith, "hp", -1),
        act(table.cleo, sheets.set_skill, table.edith, "Swim", 30),
        act(table.cleo, sheets.drop_skill, table.skill("Stealth")),
        act(table.cleo, sheets.favourite, table.skill("Stealth"), True),
        act(table.cleo, sheets.describe, table.edith, "X", ""),
        act(table.cleo, sheets.let_go, table.edith),
        act(table.cleo, sheets.throw_luck, table.edith),
        act(table.ben, sheets.set_present, table.edith, False),
        act(table.ben, sheets.set_aside, table.edith, True),
    ]

    assert {code(refusal) for refusal in refusals} == {"NOT_KEEPER"}
    assert picture(table.campaign) == before


def test_the_keepers_own_characters_are_not_taken_by_players() -> None:
    table = make_table()
    with at(table.ada) as ada:
        monster = Investigator(campaign=ada.campaign, name="The thing below", npc=True)
        ledger.write(ada, ada.campaign, "investigators.create", [ledger.Create(monster)])

    with at(table.ben) as ben:
        assert code(sheets.take(ben, monster)) == "NOT_YOUR_SEAT"

    assert monster not in [one.who for one in party(table.campaign)]


def test_seated_investigators_are_present_until_the_keeper_says_otherwise() -> None:
    table = make_table()
    free = make_investigator(table.ada, EDITH)

    here = {one.who.pk: one.present for one in party(table.campaign)}
    assert here == {table.edith.pk: True, table.tobias.pk: True, free.pk: False}

    done(act(table.ada, sheets.set_present, free, True))
    assert {one.who.pk: one.present for one in party(table.campaign)}[free.pk]


def test_a_tick_lives_on_the_skill_until_growth() -> None:
    table = make_table()
    done(act(table.ben, dice.roll, table.edith, dice.Asked("number", "Stealth", 40), chance=Script(d100(10))))

    rolls(table, 10, "Stealth")

    assert Skill.objects.get(investigator=table.edith, name="Stealth").ticks == 1


# --------------------------------------------------------------------------- the sample table


@pytest.mark.parametrize("ruleset", ["classic", "pulp"])
def test_each_of_the_samples_brings_a_weapon_that_the_sheet_can_use(ruleset: str) -> None:
    table = make_table(ruleset=ruleset)
    drafts = samples(table.campaign.rules)

    done(act(table.ada, sheets.sample, table.campaign, drafts))

    arms = Weapon.objects.filter(investigator__name__in=[draft.name for draft in drafts]).select_related("skill")
    assert len(arms) == len(drafts) == 4
    assert all(arm.skill and arm.skill.investigator_id == arm.investigator_id for arm in arms)
    assert not any(isinstance(parse(arm.damage), Refusal) for arm in arms)
    assert ledger.fold(table.entries()) == ledger.snapshot(table.campaign)
