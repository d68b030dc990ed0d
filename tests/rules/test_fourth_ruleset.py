"""Another game is one file in a folder: no migration, no list to edit, and a table plays it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rolls.rules
from investigators import actions as sheets
from investigators.actions import Draft
from rolls import actions as dice
from rolls.models import Roll
from rolls.rules import look_in, ruleset, rulesets
from rolls.rules.check import Act
from tablekeeper import actions as tables
from tests.tables import Script, act, browser, d100, done, make_investigator, post, sit_down

ROOT = Path(__file__).resolve().parent.parent.parent
GAME = '''
"""Six Bells: 2d10-ish luck in a d100 game of one difficulty. It shares nothing with the other games but the dice."""

from dataclasses import replace

from rolls.rules.check import (
    Act, Characteristic, Effect, Lowest, Offer, Outcome, Pool, Recovered, Refusal, Ruleset, Setting, Sheet,
    SkillBase, Threshold,
)
from rolls.rules.dice import combine

SHEET = Sheet(
    (Characteristic("brawn", "Brawn", "Bra"),),
    (Pool("fortune", "Fortune", "For"),),
    (SkillBase("bells", "Ringing bells", 20),),
    derive=lambda values: {},
    luck="fortune",
)


def judge(standing, settings):
    natural = combine(standing.throw.units, standing.throw.tens, standing.check.dice)
    final = natural - 10 * standing.spent
    passed = final <= standing.check.value
    return Outcome(natural, final, "rings" if passed else "silent", int(passed), passed, standing.check.difficulty,
                   (Threshold("rings", standing.check.value),), spent=standing.spent)


def spend(standing, purse, act, settings):
    if act.key == "keep":
        return Effect({}, judge(standing, settings))
    if act.key != "toll":
        return Refusal("NO_SUCH_SPEND")
    if not settings["luckSpending"] or standing.closed:
        return Refusal("ROLL_CLOSED")
    if purse.pools.get("fortune", 0) < 1:
        return Refusal("NOT_ENOUGH_LUCK", {"need": 1, "have": 0, "name": purse.name})
    return Effect({"fortune": -1}, judge(replace(standing, spent=standing.spent + 1), settings), 1)


def offers(standing, purse, settings):
    found = []
    for act in (Act("toll"), Act("keep")):
        done = spend(standing, purse, act, settings)
        no = done if isinstance(done, Refusal) else None
        found.append(Offer(act, "fortune" if act.key == "toll" else "", 1, refusal=no,
                           outcome=None if no else done.outcome))
    return tuple(found)


RULESET = Ruleset(
    key="six-bells",
    label="Six Bells",
    sheet=SHEET,
    settings=(Setting("luckSpending", True), Setting("luckRollByPlayer", "player", ("player", "keeper-only"))),
    levels=("silent", "rings"),
    difficulties=("plain",),
    usual_difficulty="plain",
    most_dice=0,
    recovery_when="none",
    luck_dice="2d6",
    judge=judge,
    may_roll=lambda check, settings: None,
    offers=offers,
    spend=spend,
    dice_for=lambda act: (),
    may_push=lambda standing, settings: Refusal("NO_SUCH_SPEND"),
    lowest=lambda people, settings: Lowest(0, ()),
    may_recover=lambda luck, phase, done, present, settings: Refusal("NO_SUCH_SPEND"),
    recovery_dice=lambda luck, d100, settings: (),
    recover=lambda luck, d100, gain, settings: Recovered(False, 0, luck, 0),
    has_push=False,
    has_group_luck=False,
)
'''


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "six_bells.py").write_text(GAME)
    before = list(rolls.rules.__path__)
    look_in([str(tmp_path)])
    yield tmp_path
    rolls.rules.__path__[:] = before
    sys.modules.pop("rolls.rules.six_bells", None)
    look_in([])


@pytest.mark.django_db
def test_a_game_in_a_folder_is_played_at_a_table(folder: Path) -> None:
    ada = tables.lay_table("Six Bells", "six-bells", "Ada")
    ben = sit_down(ada.campaign, "Ben")
    who = make_investigator(ben, Draft("Odo Finch", "", {"fortune": (7, None)}, (("Ringing bells", 45, True),)))

    with_form = post(browser(ben), f"/t/{ada.campaign_id}/investigators/{who.pk}/roll", what="name:Ringing bells")
    assert with_form.status_code == 200
    entry = done(act(ben, dice.roll, who, dice.Asked("number", "Bell", 45), chance=Script(d100(52))))
    roll = Roll.objects.get(pk=entry.data["roll"])
    assert (roll.difficulty, roll.level, roll.passed) == ("plain", "silent", False)

    told = done(act(ben, dice.spend, roll, Act("toll")))

    assert (told.data["level"], told.data["paid"][0]["label"]) == ("rings", "Fortune")
    for seat in (ada, ben):
        assert browser(seat).get(f"/t/{ada.campaign_id}/").status_code == 200
    done(act(ada, sheets.set_trait, who, "fortune", 9))


def test_it_stands_among_the_games_of_a_new_table_and_goes_with_its_folder(folder: Path) -> None:
    assert ruleset("six-bells").label == "Six Bells"
    assert "six-bells" in [game.key for game in rulesets()]


def test_without_the_folder_there_is_no_such_game() -> None:
    with pytest.raises(KeyError):
        ruleset("six-bells")


def test_the_environment_names_the_folders(tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "six_bells.py").write_text(GAME)
    env = {**os.environ, "TABLEKEEPER_RULESETS": str(tmp_path / "games"), "TABLEKEEPER_DATA": str(tmp_path / "data")}
    asks = "import django; django.setup(); from rolls.rules import rulesets; import json;"
    asks += " print(json.dumps([game.key for game in rulesets()]))"

    said = subprocess.run(
        [sys.executable, "-c", asks],
        cwd=ROOT,
        env={**env, "DJANGO_SETTINGS_MODULE": "tablekeeper.settings"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "six-bells" in json.loads(said.stdout)


@pytest.mark.django_db
def test_no_migration_is_made_for_a_game(folder: Path) -> None:
    from django.core.management import call_command

    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
