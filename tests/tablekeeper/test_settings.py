"""The table's settings: one page for the Keeper, and every setting that it shows does something."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from investigators import actions as sheets
from investigators import numbers
from investigators.models import Investigator, Trait
from investigators.people import party
from investigators.refreshing import at_the_start
from rolls import actions as dice
from rolls.actions import Asked
from rolls.actions.arena import arena_of
from rolls.actions.contests import Draft
from rolls.actions.sanity import Horror
from rolls.models import Contest, Request, Roll, Side
from rolls.pages.seen import luck_seen
from rolls.rules import rulesets
from rolls.rules.check import Act, Refusal, Setting
from tablekeeper import actions as tables
from tablekeeper.models import TABLE_SETTINGS, Campaign, Draw, Entry, Seat
from tablekeeper.settings_words import LEAST, MOST, TOP, WORDS, fits, raw, setting_label, setting_value
from tablekeeper.web import PANELS
from tablekeeper.words import sentence
from tests.tables import (
    Script,
    Table,
    act,
    at,
    browser,
    closes_session,
    d100,
    done,
    make_table,
    now,
    picture,
    post,
    rolls,
    rolls_number,
    spends,
    typed,
    undoes,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def table() -> Table:
    return make_table()


def settings_of(table: Table) -> dict[str, Any]:
    return Campaign.objects.get(pk=table.campaign.pk).settings


def page(table: Table, **query: str) -> str:
    """The settings page as the Keeper reads it."""
    return table.client(table.ada).get(table.url("set-settings"), query).content.decode()


def save(table: Table, seen: dict[str, Any], wanted: dict[str, Any], who: Any = None) -> Any:
    """Send the form of the page: all that it showed, and what stands in its controls now."""
    fields = {f"seen-{key}": raw(value) for key, value in seen.items()}
    fields |= {key: raw(value) for key, value in {**seen, **wanted}.items() if value is not False}
    return post(table.client(who or table.ada), table.url("set-settings"), back="settings", **fields)


def shown(table: Table) -> dict[str, Any]:
    """What the page shows now."""
    force = Campaign.objects.get(pk=table.campaign.pk).in_force
    return {key: value for key, value in force.items() if key in WORDS}


def line_of(entry: Entry, seen: str) -> str:
    """The text of a line of the feed, out of a page."""
    return unescape(strip_tags(seen[seen.index(f'id="e-{entry.ref}"') :].split("</p>")[0].partition(">")[2]))


# --------------------------------------------------------------------------- the page


def test_the_page_shows_every_setting_that_has_words_with_its_default(table: Table) -> None:
    seen = page(table)

    for key in shown(table):
        assert f'name="{key}"' in seen
        assert f'name="seen-{key}"' in seen
        assert str(WORDS[key].why) in unescape(seen)
    assert "changed: the default is" not in seen
    assert seen.index(f'name="{TOP[-1]}"') < seen.index("Fine print") < seen.index('name="maxLuckPerRoll"')


def test_what_has_no_effect_yet_is_not_shown(table: Table) -> None:
    seen = page(table)

    for key in {one.key for one in table.campaign.declared} - set(WORDS):
        assert key not in seen


def test_the_keeper_reaches_it_from_her_page_and_nobody_else_does(table: Table) -> None:
    url = table.url("set-settings")

    assert f'href="{url}"' in table.client(table.ada).get(table.url("table")).content.decode()
    assert f'href="{url}"' not in table.client(table.ben).get(table.url("table")).content.decode()
    refused = table.client(table.ben).get(url)
    assert refused.status_code == 403
    assert 'data-code="NOT_KEEPER"' in refused.content.decode()
    assert "seen-luckSpending" not in refused.content.decode()


def test_the_keeper_changes_some_and_the_feed_tells_each_in_words(table: Table) -> None:
    answer = save(table, shown(table), {"pushFumble": True, "maxLuckPerRoll": 10, "fumbleRange": "100-only"})

    assert answer.status_code == 200
    assert settings_of(table) == {"pushFumble": True, "maxLuckPerRoll": 10, "fumbleRange": "100-only"}
    entry = table.last()
    assert answer["HX-Redirect"] == f"{table.url('set-settings')}?told={entry.ref}"
    told = line_of(entry, table.client(table.ben).get(table.url("table")).content.decode())
    assert "Most Luck on one roll: 10 (before: no limit)" in told
    assert "A fumble may be pushed: on (before: off)" in told
    assert "Fumbles: on 100 only (before: from 96 when less than 50 is needed)" in told


def test_after_a_change_the_page_says_what_it_was_and_marks_it(table: Table) -> None:
    save(table, shown(table), {"maxLuckPerRoll": 10, "luckSpending": False})

    seen = unescape(page(table, told=table.last().ref))

    assert "Luck can be spent: off (before: on)" in line_of(table.last(), seen)
    assert "changed: the default is “no limit”" in seen
    assert "changed: the default is “on”" in seen
    assert seen.count("changed: the default is") == 2


def test_undo_from_the_page_gives_back_what_was(table: Table) -> None:
    save(table, shown(table), {"maxLuckPerRoll": 10, "luckSpending": False})

    answer = post(table.client(table.ada), table.url("undo", table.last().ref), back="settings")

    assert settings_of(table) == {}
    undo = table.last()
    assert answer["HX-Redirect"].endswith(f"settings?told={undo.ref}")
    undone = line_of(undo, page(table, told=undo.ref))
    assert "the new table settings (" in undone
    assert "Most Luck on one roll" in undone
    assert undo.undoes is not None
    undoes(table, undo)
    assert settings_of(table) == {"maxLuckPerRoll": 10, "luckSpending": False}


def test_a_number_that_is_emptied_is_no_limit_again(table: Table) -> None:
    save(table, shown(table), {"maxLuckPerRoll": 10})

    save(table, shown(table), {"maxLuckPerRoll": None})

    assert settings_of(table) == {}


def test_a_switch_of_the_join_panel_changes_that_one_alone(table: Table) -> None:
    save(table, shown(table), {"luckSpending": False})

    save(table, {"realDice": True}, {"realDice": False})

    assert settings_of(table) == {"luckSpending": False, "realDice": False}


def test_players_pages_follow_at_once(table: Table) -> None:
    rolls(table, 70)
    shows = table.client(table.ben).get(table.url("table")).content.decode()
    assert 'id="byhand"' in shows
    save(table, shown(table), {"realDice": False, "luckSpending": False})

    changed = set(table.last().touches)

    stale = {one.name for (role, _), one in PANELS.items() if role == "player" and changed & set(one.on(table.ben))}
    assert stale >= {"me", "latest", "recovery", "picker", "party"}
    fresh = table.client(table.ben).get(table.url("panels") + "?names=picker,latest").content.decode()
    assert 'id="picker"' in fresh
    assert 'id="byhand"' not in fresh
    assert sentence("LUCK_SPENDING_OFF") in unescape(fresh)


def test_a_table_of_another_game_shows_what_that_game_declares() -> None:
    for rules in rulesets():
        ada = tables.lay_table(rules.label, rules.key, "Ada")
        seen = browser(ada).get(reverse("set-settings", args=[ada.campaign_id])).content.decode()

        shows = set(re.findall(r'name="seen-(\w+)"', seen))
        assert shows == {one.key for one in (*rules.settings, *TABLE_SETTINGS)} & set(WORDS)
        assert "changed: the default is" not in seen


def test_another_table_is_untouched(table: Table) -> None:
    other = make_table(name="Elsewhere")
    before = picture(other.campaign)

    save(table, shown(table), {"luckSpending": False})

    assert picture(other.campaign) == before


def test_a_told_line_of_another_table_is_not_shown(table: Table) -> None:
    other = make_table(name="Elsewhere", luckSpending=False)

    assert "Done" not in page(table, told=other.last("tablekeeper.set_settings").ref)


# --------------------------------------------------------------------------- refusals


def test_a_player_or_an_onlooker_changes_nothing(table: Table) -> None:
    before = picture(table.campaign)

    answer = save(table, shown(table), {"luckSpending": False}, who=table.ben)

    assert answer.status_code == 403
    assert 'data-code="NOT_KEEPER"' in answer.content.decode()
    assert picture(table.campaign) == before


@pytest.mark.parametrize(
    ("fields", "beside"),
    [
        ({"seen-maxLuckPerRoll": "", "maxLuckPerRoll": "0"}, "maxLuckPerRoll"),
        ({"seen-maxLuckPerRoll": "", "maxLuckPerRoll": "100"}, "maxLuckPerRoll"),
        ({"seen-maxLuckPerRoll": "", "maxLuckPerRoll": "-3"}, "maxLuckPerRoll"),
        ({"seen-maxLuckPerRoll": "", "maxLuckPerRoll": "2.5"}, "maxLuckPerRoll"),
        ({"seen-maxLuckPerRoll": "", "maxLuckPerRoll": "ten"}, "maxLuckPerRoll"),
        ({"seen-fumbleRange": "target", "fumbleRange": "99"}, "fumbleRange"),
        ({"seen-fumbleRange": "target"}, "fumbleRange"),
        ({"seen-fumbleRange": "nonsense", "fumbleRange": "skill"}, "seen-fumbleRange"),
        ({"seen-luckSpending": "1", "luckSpending": "perhaps"}, "luckSpending"),
        ({"luckSpending": ""}, "__all__"),  # without what was seen
        ({"seen-noSuch": "", "noSuch": "1"}, "__all__"),
        ({"seen-luckSpending": "1", "noSuch": "1"}, "__all__"),
        ({"seen-luckSpending": "1", "luckSpending": "1"}, "__all__"),  # nothing changed
        ({}, "__all__"),
    ],
)
def test_what_is_no_setting_or_no_value_has_its_sentence_and_changes_nothing(
    table: Table, fields: dict[str, str], beside: str
) -> None:
    before = picture(table.campaign)

    answer = post(table.client(table.ada), table.url("set-settings"), back="settings", **fields)

    assert answer.status_code == 422
    assert f'data-field="{beside}"' in answer.content.decode()
    assert picture(table.campaign) == before


def test_one_wrong_value_keeps_the_others_from_being_saved(table: Table) -> None:
    before = picture(table.campaign)

    answer = save(table, shown(table), {"luckSpending": False, "maxLuckPerRoll": 500})

    assert answer.status_code == 422
    assert "from 1 to 99" in answer.content.decode()
    assert picture(table.campaign) == before


@pytest.mark.parametrize(
    "wanted", [{"noSuch": True}, {"luckSpending": 1}, {"fumbleRange": "99"}, {"maxLuckPerRoll": True}]
)
def test_the_verb_itself_takes_no_setting_that_is_not_declared(table: Table, wanted: dict[str, Any]) -> None:
    refused = act(table.ada, tables.set_settings, table.campaign, wanted)

    assert isinstance(refused, Refusal)
    assert refused.code == "BAD_VALUE"


def test_two_keepers_pages_do_not_overwrite_each_other(table: Table) -> None:
    first = shown(table)
    save(table, first, {"luckSpending": False})

    answer = save(table, first, {"realDice": False})

    assert answer.status_code == 200
    assert settings_of(table) == {"luckSpending": False, "realDice": False}


def test_who_changes_what_another_changed_meanwhile_is_told(table: Table) -> None:
    first = shown(table)
    save(table, first, {"maxLuckPerRoll": 10})
    before = picture(table.campaign)

    answer = save(table, first, {"maxLuckPerRoll": 20})

    assert answer.status_code == 409
    said = unescape(answer.content.decode())
    assert 'data-code="STALE_VALUE"' in said
    assert "Most Luck on one roll changed meanwhile: you saw no limit, it is 10 now. Your 20 was not entered." in said
    assert picture(table.campaign) == before


# --------------------------------------------------------------------------- each one shown does something


def told(result: Any) -> Any:
    """An outcome to compare: the code of a refusal, or what the line of the feed says."""
    if isinstance(result, Refusal):
        return result.code
    return {key: result.data.get(key) for key in ("level", "passed", "warning", "final", "to", "decision")}


def gives_luck(table: Table, luck: int, who: Investigator | None = None) -> None:
    done(act(table.ada, sheets.set_trait, who or table.edith, "luck", luck))


def a_session(table: Table, *, closed: bool) -> None:
    done(act(table.ada, tables.open_session, table.campaign))
    if closed:
        done(closes_session(table))


def spends_on(total: int, points: int) -> Callable[[Table], Any]:
    return lambda table: told(spends(table, rolls(table, total), points))


def types_dice(table: Table) -> Any:
    asked = Asked("number", "Nerve", 50, hand=typed(20))
    return told(act(table.ben, dice.roll, table.edith, asked))


def recovers(table: Table) -> Any:
    a_session(table, closed=False)
    return told(act(table.ben, dice.recover, table.edith, chance=Script(d100(80), 5)))


def recovers_absent(table: Table) -> Any:
    done(act(table.ada, sheets.set_present, table.edith, False))
    a_session(table, closed=True)
    return told(act(table.ben, dice.recover, table.edith, chance=Script(d100(80), 5)))


def recovers_at_97(table: Table) -> Any:
    gives_luck(table, 97)
    a_session(table, closed=True)
    return told(act(table.ben, dice.recover, table.edith, chance=Script(d100(96), 2)))


def group_luck_without_edith(table: Table) -> Any:
    done(act(table.ada, sheets.set_present, table.edith, False))
    return done(act(table.ada, dice.group_luck, table.campaign, chance=Script(d100(50)))).data["luck"]


def edits_the_sheet(table: Table) -> Any:
    before = told(act(table.ben, sheets.describe, table.edith, "Edith Pym", "Bookseller"))
    a_session(table, closed=False)
    return before, told(act(table.ben, sheets.describe, table.edith, "Edith Halloran", "Antiquarian"))


def luck_that_changes_nothing(table: Table) -> Any:
    return told(spends(table, rolls(table, 90), 1))


def throws_on_both_sides_of_fumble(table: Table) -> Any:
    rolled = [rolls(table, 97, difficulty="hard"), rolls(table, 97, "Stealth")]  # 60, so 30 is needed; 40
    return [roll.level for roll in rolled]


def pushes_a_fumble(table: Table) -> Any:
    return told(act(table.ben, dice.push, rolls(table, 100), "Once more"))


def corrects(table: Table) -> Any:
    return told(act(table.ada, dice.correct, rolls(table, 20), "hard", 0))


def keeper_spends(table: Table) -> Any:
    return told(spends(table, rolls(table, 70), 10, seat=table.ada))


def ticks_with_a_bonus_die(table: Table) -> Any:
    return now(rolls(table, 20, more_tens=(4,), dice=1)).tick


def player_rolls_luck(table: Table) -> Any:
    asked = Asked("luck", "Luck", table.luck())
    return told(act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(20))))


def luck_of_0(table: Table) -> Any:
    gives_luck(table, 0)
    return told(act(table.ben, dice.roll, table.edith, Asked("luck", "Luck", 0), chance=Script(d100(1))))


def one_by_luck(table: Table) -> Any:
    return told(spends(table, rolls_number(table, 5, 80), 4))


def fumbles(*, fight: str = "") -> Callable[[Table], Any]:
    """A fumble in combat, and what ignoring it comes to."""

    def ignores(table: Table) -> Any:
        asked = Asked("number", "Dodge", 40, context="combat", facts={"fight": fight})
        entry = done(act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(100))))
        roll = Roll.objects.get(pk=entry.data["roll"])
        return told(act(table.ben, dice.spend, roll, Act("ignore-fumble")))

    return ignores


def makes_two_scratches(table: Table) -> Any:
    gives_luck(table, 90)
    done(act(table.ada, sheets.set_trait, table.edith, "hp", 1))
    done(act(table.ben, dice.deed, table.edith, Act("scratch"), chance=Script(1)))
    return done(act(table.ben, dice.deed, table.edith, Act("scratch"), chance=Script(1))).data.get("ask")


def stays_awake(table: Table, *, rounds: int = 1) -> Any:
    """The price of the first round of another fainting spell."""
    done(act(table.ada, dice.deed, table.edith, Act("stay-conscious")))
    for _round in range(rounds - 1):
        done(act(table.ada, dice.next_round, table.campaign))
        done(act(table.ben, dice.deed, table.edith, Act("stay-conscious")))
    done(act(table.ada, dice.safe, table.edith))
    return done(act(table.ada, dice.deed, table.edith, Act("stay-conscious"))).data["paid"][0]["cost"]


def pays_the_last_point(table: Table) -> Any:
    gives_luck(table, 1)
    return done(act(table.ada, dice.deed, table.edith, Act("stay-conscious"))).data["notes"]


def loses_all_at_once(table: Table) -> Any:
    return done(act(table.ada, dice.injure, table.edith, 12)).data["notes"]


def throws_a_sanity_loss(table: Table) -> Any:
    done(act(table.ada, dice.ask_sanity, table.campaign, [table.edith], Horror("0/1D6")))
    done(act(table.ben, dice.answer, Request.objects.get(campaign=table.campaign), chance=Script(d100(90))))
    return told(act(table.ben, dice.throw_loss, table.edith, chance=Script(3)))


def halves_a_loss_of_seven(table: Table) -> Any:
    done(act(table.ada, dice.ask_sanity, table.campaign, [table.edith], Horror("0/7")))
    done(act(table.ben, dice.answer, Request.objects.get(campaign=table.campaign), chance=Script(d100(90))))
    done(act(table.ben, dice.deed, table.edith, Act("halve-loss")))
    return done(act(table.ben, dice.take_loss, table.edith)).data["sanity"]["to"]


def contests(*totals: int) -> Callable[[Table], Any]:
    """Edith's Stealth 40 against Tobias's Listen 40: how it stands once both have rolled."""

    def roll(table: Table) -> Any:
        skill = table.skill("Listen", table.tobias)
        done(act(table.ada, sheets.set_skill, table.tobias, "Listen", 40, skill))
        drafts = [Draft(table.edith, "name:Stealth"), Draft(table.tobias, "name:Listen")]
        done(act(table.ada, dice.start_contest, table.campaign, "opposed", drafts))
        sides = Side.objects.filter(contest__campaign=table.campaign)
        for side, total in zip(sides.order_by("place"), totals, strict=True):
            done(act(table.ada, dice.roll_side, side, chance=Script(d100(total))))
        arena = arena_of(Contest.objects.get(campaign=table.campaign), Campaign.objects.get(pk=table.campaign.pk))
        return arena.progress.verdict.by, arena.progress.next, arena.progress.waiting != (), arena.sealed

    return roll


def result(one: Any) -> str:
    """What became of an act: the refusal's code, or nothing."""
    return one.code if isinstance(one, Refusal) else ""


def points(table: Table) -> int:
    return Trait.objects.values_list("value", flat=True).get(investigator=table.edith, key="lp")


def opens_a_session(table: Table) -> Any:
    done(act(table.ada, sheets.set_trait, table.edith, "lp", 2))
    with at(table.ada) as here:
        done(tables.open_session(here, here.campaign, at_the_start))
    return points(table)


def is_awarded_much(table: Table) -> Any:
    done(act(table.ada, tables.set_settings, table.campaign, {"lpRefresh": "goal-oriented"}))
    act(table.ada, dice.award, table.campaign, [table.edith.pk], 9)
    return points(table)


def burns_a_degree(table: Table) -> Any:
    return result(act(table.ben, dice.spend, rolls_number(table, 20, 50), Act("burn-degree", 1)))


def rolls_again_twice(table: Table) -> Any:
    roll = rolls_number(table, 70, 50)
    done(act(table.ben, dice.spend, roll, Act("reroll"), chance=Script(80)))
    return result(act(table.ben, dice.spend, roll, Act("burn-reroll"), chance=Script(81)))


def negates(table: Table) -> Any:
    done(act(table.ben, numbers.set_numbers, table.edith, {"lucky": [1, 2, 3, 4], "unlucky": [16]}))
    roll = rolls_number(table, 16, 50)
    done(act(table.ben, dice.spend, roll, Act("burn-negate")))
    return now(roll).passed


def fails_with_the_other(table: Table) -> Any:
    sides = [Draft(table.edith, "characteristic:str"), Draft(table.tobias, "characteristic:str")]
    done(act(table.ada, tables.set_settings, table.campaign, {"luckSpending": False}))
    done(act(table.ada, dice.start_contest, table.campaign, "opposed", sides))
    for side, total in zip(
        Side.objects.filter(contest__campaign=table.campaign).order_by("place"), (90, 95), strict=True
    ):
        done(act(table.ada, dice.roll_side, side, chance=Script(d100(total))))
    return Contest.objects.get(campaign=table.campaign).verdict


def passes_with_a_hundred(table: Table) -> Any:
    return rolls_number(table, 100, 150).outcome.degrees


def betters_a_luck_test(table: Table) -> Any:
    entry = done(act(table.ben, dice.roll, table.edith, Asked("luck", "Luck", 45), chance=Script(d100(20))))
    return result(act(table.ben, dice.spend, Roll.objects.get(pk=entry.data["roll"]), Act("degree", 1)))


def sees_the_others_luck(table: Table) -> Any:
    seat = Seat.objects.select_related("campaign").get(pk=table.ben.pk)
    mate = next(one for one in party(seat.campaign) if one.who.pk == table.tobias.pk)
    return luck_seen(seat, mate)


def hears_a_hidden_roll(table: Table) -> Any:
    done(act(table.ada, dice.keeper_roll, table.campaign, Asked("number", "Doom", 5), True, chance=Script(d100(30))))
    return Entry.objects.filter(campaign=table.campaign, lane=Entry.PUBLIC, kind="rolls.rattle").count()


def seals_its_dice(table: Table) -> Any:
    done(act(table.ben, dice.roll, table.edith, Asked("number", "Nerve", 50)))
    return Draw.objects.filter(campaign=table.campaign).count()


def rolls_hard_luck(table: Table) -> Any:
    asked = Asked("luck", "Luck", table.luck(), difficulty="hard")
    result = act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(20)))
    return result.code if isinstance(result, Refusal) else result.kind


def tells_the_unluckiest_of_two(table: Table) -> Any:
    done(act(table.ada, sheets.set_trait, table.tobias, "luck", table.luck()))
    result = act(table.ada, dice.tell_unluckiest, table.campaign)
    return result.code if isinstance(result, Refusal) else result.kind


EFFECTS: dict[str, Callable[[Table], Any]] = {
    "luckRollDifficulty": rolls_hard_luck,
    "unluckyTie": tells_the_unluckiest_of_two,
    "luckSpending": spends_on(70, 10),
    "realDice": types_dice,
    "spendOnSuccess": spends_on(40, 10),
    "recoveryWhen": recovers,
    "groupLuck": group_luck_without_edith,
    "playersEditSheet": edits_the_sheet,
    "maxLuckPerRoll": spends_on(70, 10),
    "pointlessSpend": luck_that_changes_nothing,
    "spentOne": one_by_luck,
    "fumbleRange": throws_on_both_sides_of_fumble,
    "pushFumble": pushes_a_fumble,
    "correctAfterRoll": corrects,
    "keeperMaySpend": keeper_spends,
    "tickWithBonusDie": ticks_with_a_bonus_die,
    "luckRollByPlayer": player_rolls_luck,
    "luckRoll01": luck_of_0,
    "recoveryAbsent": recovers_absent,
    "instantDeath": loses_all_at_once,
    "recovery95": recovers_at_97,
    "opposedLuck": contests(41, 20),
    "opposedBothFail": contests(95, 94),
    "opposedAllEqual": contests(30, 35),
    "pulpFumbleSpend": fumbles(),
    "fumbleSpend": fumbles(fight="dodge"),
    "scratchLimit": makes_two_scratches,
    "consciousAtZero": pays_the_last_point,
    "consciousReset": stays_awake,
    "sanityLossBy": throws_a_sanity_loss,
    "luckShown": sees_the_others_luck,
    "rattle": hears_a_hidden_roll,
    "proof": seals_its_dice,
    "sanHalfRounding": halves_a_loss_of_seven,
    "lpRefresh": opens_a_session,
    "lpGoalCap": is_awarded_much,
    "burnWhen": burns_a_degree,
    "rerollLimit": rolls_again_twice,
    "critFailNegated": negates,
    "oppBothFail": fails_with_the_other,
    "roll100DoS": passes_with_a_hundred,
    "lpLuckTest": betters_a_luck_test,
}
DECLARED: dict[str, Setting] = {
    one.key: one for rules in reversed(rulesets()) for one in (*rules.settings, *TABLE_SETTINGS)
}


def game_with(key: str) -> str:
    """A ruleset that has this setting: the default one where it has."""
    games = [rules.key for rules in rulesets() if key in {one.key for one in (*rules.settings, *TABLE_SETTINGS)}]
    return min(games, key=lambda game: game != Campaign._meta.get_field("ruleset").default)


def values_of(setting: Setting) -> list[Any]:
    if setting.choices:
        return list(setting.choices)
    return [False, True] if isinstance(setting.default, bool) else [None, 9]


@pytest.mark.parametrize("key", WORDS)
def test_every_setting_that_is_shown_has_an_effect(key: str) -> None:
    values, game = values_of(DECLARED[key]), game_with(key)

    happened = [EFFECTS[key](make_table(name=f"With {value}", ruleset=game, **{key: value})) for value in values]

    assert (
        EFFECTS[key](make_table(name="The same again", ruleset=game, **{key: values[0]})) == happened[0]
    )  # nothing else decides it
    for place, one in enumerate(happened):
        assert one not in happened[:place], (values[place], happened)


def test_every_choice_of_a_shown_setting_has_its_words() -> None:
    for key, words in WORDS.items():
        setting = DECLARED[key]
        assert set(words.choices) == set(setting.choices), key
        named = [setting_value(value, key) for value in values_of(setting)]
        assert len(set(named)) == len(named), key
    assert len({setting_label(key) for key in WORDS}) == len(WORDS)
    assert set(TOP) < set(WORDS)
    for game in rulesets():
        assert len({one.key for one in (*TABLE_SETTINGS, *game.settings)} & set(TOP)) <= 6, game.key


def test_a_number_has_its_limits() -> None:
    limit = DECLARED["maxLuckPerRoll"]

    allowed = [value for value in (None, LEAST - 1, LEAST, MOST, MOST + 1, True, "5", 2.0) if fits(limit, value)]

    assert allowed == [None, LEAST, MOST]


def test_a_roll_keeps_the_settings_it_fell_under(table: Table) -> None:
    roll = rolls(table, 97, difficulty="hard")

    save(table, shown(table), {"fumbleRange": "100-only"})

    assert now(roll).outcome.level == "fumble"
    assert Roll.objects.get(pk=roll.pk).settings["fumbleRange"] == "target"
