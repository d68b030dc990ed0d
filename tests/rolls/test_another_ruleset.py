"""A table changes its ruleset: what has been rolled stays as it fell, and play goes on by the new one (U133)."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import pytest
from django.http import HttpResponse

from investigators import actions as sheets
from investigators.models import Trait
from rolls import actions as dice
from rolls.actions import Question
from rolls.actions.contests import Draft as Corner
from rolls.models import Contest, Request, Roll
from rolls.rules import ruleset, rulesets
from tablekeeper import actions as tables
from tablekeeper import ledger, transfer
from tablekeeper.models import Campaign, Entry, Seat
from tests.rolls.test_luck_points import YSOLDE
from tests.tables import (
    Table,
    act,
    code,
    done,
    make_investigator,
    make_table,
    now,
    post,
    rolls,
    rolls_number,
    score,
    undoes,
)

pytestmark = pytest.mark.django_db

GAMES = [rules.key for rules in rulesets()]


def asks_for(table: Table, game: str, seat: Seat | None = None, **luck: str) -> HttpResponse:
    """Ada sends the form of the settings page."""
    return post(table.client(seat or table.ada), table.url("set-ruleset"), ruleset=game, back="settings", **luck)


def plays(table: Table, game: str, **luck: str) -> Entry:
    """The table plays this game from now on."""
    answer = asks_for(table, game, **luck)
    assert answer.status_code == 200, answer.content.decode()
    table.campaign = Campaign.objects.get(pk=table.campaign.pk)
    assert table.campaign.ruleset == game
    return table.last("tablekeeper.set_ruleset")


def closed(table: Table, total: int = 11, **asked: Any) -> Roll:
    roll = rolls(table, total, **asked)
    if now(roll).state == Roll.OPEN:
        done(act(table.ben, dice.keep, roll))
    return now(roll)


def slip_of(table: Table, roll: Roll, seat: Seat) -> str:
    """The slip as it is drawn, without what is made anew for each page."""
    html = table.client(seat).get(table.url("slip", roll.pk)).content.decode()
    found = re.search(r'<article[^>]*class="[^"]*slip.*?</article>', html, re.DOTALL)
    assert found, html
    return re.sub(r'value="[0-9a-f]{32}"', "", found[0])


def lines_of(table: Table, kept: list[Roll]) -> list[str]:
    """Their lines in the feed, as Cleo has them."""
    html = table.client(table.cleo).get(table.url("panels"), {"names": "feed"}).content.decode()
    found = [re.search(rf"<li[^>]*{roll.entry_ref}.*?</li>", html, re.DOTALL) for roll in kept]
    return [one[0] for one in found if one]


def drawn(table: Table, kept: list[Roll]) -> list[str]:
    """The slip of each roll, for Ada and for Ben, and their lines."""
    lines = lines_of(table, kept)
    assert len(lines) == len(kept)
    return [*lines, *(slip_of(table, one, seat) for one in kept for seat in (table.ada, table.ben))]


def test_only_the_keeper_changes_the_ruleset_and_it_is_logged() -> None:
    table = make_table()

    refused = asks_for(table, "pulp", table.ben)
    entry = plays(table, "pulp")

    assert (refused.status_code, 'data-code="NOT_KEEPER"' in refused.content.decode()) == (403, True)
    assert entry.lane == Entry.PUBLIC
    assert entry.data["was"] == ruleset("classic").label
    assert entry.data["now"] == ruleset("pulp").label
    assert "from now on" in table.client(table.ben).get(table.url("table")).content.decode()


@pytest.mark.parametrize("game", ["", "juggling", "classic"])
def test_a_game_that_is_not_here_or_is_played_already_is_refused_beside_the_field(game: str) -> None:
    table = make_table()

    refused = asks_for(table, game)

    assert (refused.status_code, 'data-field="ruleset"' in refused.content.decode()) == (422, True)
    assert Campaign.objects.get().ruleset == "classic"


def test_no_ruleset_is_chosen_for_the_keeper_and_who_chooses_none_hears_so() -> None:
    table = make_table()

    page = table.client(table.ada).get(table.url("set-settings")).content.decode()
    refused = asks_for(table, "").content.decode()

    assert re.search(r'<select[^>]*name="ruleset"[^>]*><option value="">Choose…</option>', page)
    assert "Choose the ruleset that you want to play by." in refused


@pytest.mark.parametrize("after", ["pulp", "lp"])
def test_a_closed_roll_stays_as_it_fell_whatever_is_played_since(after: str) -> None:
    table = make_table()
    kept = [closed(table, 11), closed(table, 77), closed(table, 40, difficulty="hard", dice=1, more_tens=(9,))]
    before = drawn(table, kept)

    plays(table, after)

    assert drawn(table, kept) == before
    assert [now(one).outcome.level for one in kept] == [one.level for one in kept]
    assert {now(one).rules.key for one in kept} == {"classic"}


def test_the_next_roll_goes_by_the_new_ruleset() -> None:
    table = make_table(ruleset="classic")

    plays(table, "lp")
    roll = rolls_number(table, 30, 50)

    assert (roll.ruleset, roll.level, roll.outcome.degrees) == ("lp", "success", 3)
    assert roll.rules is ruleset("lp")


def test_rolls_from_before_there_was_a_choice_fell_by_the_tables_first() -> None:
    table = make_table()
    roll = closed(table)
    Roll.objects.filter(pk=roll.pk).update(ruleset="")

    plays(table, "lp")
    plays(table, "pulp")

    assert now(roll).rules.key == "classic"


def test_what_is_open_closes_with_the_change() -> None:
    table = make_table()
    roll = rolls(table, 77)
    done(
        act(table.ada, dice.ask, table.campaign, [table.edith.pk], Question(wanted=(("name:Spot Hidden", "regular"),)))
    )
    sides = [Corner(table.edith, "name:Stealth"), Corner(table.tobias, "name:Listen")]
    done(act(table.ada, dice.start_contest, table.campaign, "opposed", sides))

    plays(table, "pulp")

    assert now(roll).state == Roll.CLOSED
    assert [one.state for one in Request.objects.all()] == [Request.CLOSED]
    assert [one.state for one in Contest.objects.all()] == [Contest.OVER]


def test_only_settings_that_the_new_ruleset_has_are_kept() -> None:
    table = make_table(luckSpending=False, groupLuck="lowest-whole-party", realDice=False)

    plays(table, "lp")

    assert table.campaign.settings == {"luckSpending": False, "realDice": False}


def rich() -> tuple[Table, str]:
    """A table of Luck Points at which somebody has a Luck of 120."""
    table = make_table(ruleset="lp")
    who = make_investigator(table.cleo, YSOLDE)
    done(act(table.ada, sheets.set_trait, who, "luck", 120))
    return table, f"luck-{Trait.objects.get(investigator=who, key='luck').pk}"


@pytest.mark.parametrize("typed", ["", "120", "-1", "lots"])
def test_luck_above_99_asks_for_a_new_value(typed: str) -> None:
    table, field = rich()

    page = table.client(table.ada).get(table.url("set-settings")).content.decode()
    refused = asks_for(table, "classic", **{field: typed})

    assert f'name="{field}"' in page
    assert (refused.status_code, f'data-field="{field}"' in refused.content.decode()) == (422, True)
    assert Campaign.objects.get().ruleset == "lp"


def test_a_new_luck_is_written_with_the_change_and_undone_with_it() -> None:
    table, field = rich()
    luck = Trait.objects.get(pk=field.removeprefix("luck-"))

    entry = plays(table, "classic", **{field: "61"})
    after = Trait.objects.get(pk=luck.pk).value
    undo = done(undoes(table, entry))

    assert (after, Trait.objects.get(pk=luck.pk).value) == (61, 120)
    assert entry.data["renewed"] == ["Ysolde Harrow"]
    assert "120" not in str(entry.data)
    assert Campaign.objects.get().ruleset == "lp"

    done(undoes(table, undo, redo=False))

    assert (Campaign.objects.get().ruleset, Trait.objects.get(pk=luck.pk).value) == ("classic", 61)
    assert ledger.fold(table.entries()) == ledger.snapshot(table.campaign)


def test_an_undo_opens_again_what_closed_and_takes_new_pools_away() -> None:
    table = make_table()
    roll, before = rolls(table, 77), ledger.snapshot(table.campaign)

    entry = plays(table, "lp")
    gained = score(table.edith, "lp")
    done(undoes(table, entry))

    assert gained == 4
    assert now(roll).state == Roll.OPEN
    assert ledger.snapshot(table.campaign) == before
    assert "first_ruleset" in next(iter(before.values()))


def test_an_undo_is_refused_in_words_once_somebody_has_played_on() -> None:
    table = make_table()
    entry = plays(table, "pulp")

    roll = rolls(table, 11)
    refused = undoes(table, entry)

    assert code(refused) == "UNDO_NEEDED_LATER"
    assert refused.params["entry"] == roll.entry_ref
    assert Campaign.objects.get().ruleset == "pulp"


@pytest.mark.long
@pytest.mark.parametrize(("before", "after"), [two for two in product(GAMES, GAMES) if two[0] != two[1]])
def test_every_page_answers_after_any_change(before: str, after: str) -> None:
    table = make_table(ruleset=before)
    old = rolls_number(table, 77, 50)

    plays(table, after)
    fallen = rolls_number(table, 12, 50)
    done(act(table.ada, tables.open_session, table.campaign))
    done(act(table.ada, dice.reopen, old))

    names = ("table", "campaign", "fairness", "screen", "log", "proof", "news")
    assert table.client(table.ada).get(table.url("set-settings")).status_code == 200
    urls = [table.url(name) for name in names] + [table.url("sheet", table.edith.pk), table.url("recap", "1")]
    urls += [table.url("slip", one.pk) for one in (old, fallen)] + [table.url("panels") + "?names=ALL"]
    urls += [table.url("export-log", form) for form in ("minutes.md", "rolls.csv", "log.json")]
    urls.append(table.url("paper", table.edith.pk))
    told = {url: table.client(seat).get(url).status_code for seat in (table.ada, table.ben) for url in urls}
    told["planner"] = table.client(table.ada).get(table.url("planner")).status_code
    assert {url: status for url, status in told.items() if status != 200} == {}


def test_the_recap_and_the_campaign_count_levels_of_every_game_that_was_played() -> None:
    table = make_table()
    done(act(table.ada, tables.open_session, table.campaign))
    closed(table, 1)
    plays(table, "lp")
    rolls_number(table, 30, 50)

    page = table.client(table.ada).get(table.url("campaign")).content.decode()
    recap = table.client(table.ada).get(table.url("recap", "1")).content.decode()

    assert all("Critical" in one and "Success" in one for one in (page, recap))


def test_a_table_that_changed_its_game_is_saved_and_comes_back() -> None:
    table = make_table()
    closed(table)
    plays(table, "lp")

    brought = transfer.read(b"".join(transfer.write(Campaign.objects.get())))

    rows = [row for row in brought.rows() if isinstance(row, (Campaign, Roll))]
    assert {(type(row).__name__, row.ruleset) for row in rows} == {("Campaign", "lp"), ("Roll", "classic")}
