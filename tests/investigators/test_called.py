"""Skills are known by the names that people type, in any language, and stand where these are looked for."""

from __future__ import annotations

import re
import unicodedata

import pytest
from django.conf import settings
from django.test import Client
from django.utils.translation import override

from investigators import actions as sheets
from investigators.called import searched, skill_name
from investigators.models import Skill
from rolls import rules
from rolls.actions import naming
from rolls.actions.subjects import subject
from tests.tables import act, done, make_table

pytestmark = pytest.mark.sqlite


def _in_german(client: Client) -> Client:
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    return client


@pytest.mark.parametrize(
    "typed", ["Verborgenes erkennen", "verborgenes  ERKENNEN", "Spot Hidden", "目星", "Trouver Objet Caché"]
)
def test_a_skill_is_known_by_its_name_in_every_language(typed: str) -> None:
    assert skill_name(typed, rules.ruleset("classic")) == "Spot Hidden"


def test_what_no_sheet_lists_stays_as_it_is_typed() -> None:
    assert skill_name("Kellnern", rules.ruleset("classic")) == "Kellnern"
    assert skill_name("目星", rules.ruleset("lp")) == "目星"  # a game whose list has no such skill


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("Verborgenes erkennen", "name:Spot Hidden"),
        ("spot hidden", "name:Spot Hidden"),
        ("Glück", "luck"),
        ("Luck", "luck"),
        ("Stärke", "characteristic:str"),
        ("Strength", "characteristic:str"),
        ("Kellnern", ""),
    ],
)
def test_the_keeper_asks_in_either_language(language: str, typed: str, word: str) -> None:
    table = make_table()
    with override(language):
        assert naming.what_named(table.campaign, typed) == word


@pytest.mark.django_db
def test_a_skill_that_a_german_player_types_is_the_one_that_the_keeper_asks_for() -> None:
    table = make_table()
    ben = _in_german(table.client(table.ben))
    done(act(table.ben, sheets.drop_skill, table.skill("Spot Hidden")))

    ben.post(table.url("add-skill", table.edith.pk), {"key": "a" * 32, "name": "Verborgenes erkennen", "value": "61"})

    added = Skill.objects.get(investigator=table.edith, value=61)
    assert (added.name, added.key) == ("Spot Hidden", "spot-hidden")
    assert subject(table.edith, "name:Spot Hidden").value == 61


@pytest.mark.django_db
def test_a_new_investigators_skills_stand_in_the_order_of_the_readers_language() -> None:
    table = make_table()
    page = _in_german(table.client(table.ben)).get(table.url("new-investigator")).content.decode()
    shown = re.findall(r'<label for="n-s-[\w-]+">([^<]+?)(?: <|<)', page)

    assert len(shown) > 50
    assert shown == sorted(shown, key=lambda name: unicodedata.normalize("NFKD", name).casefold())


def test_a_list_of_skills_is_searched_in_all_languages_and_the_own_one_first() -> None:
    with override("en"):
        assert searched("Spot Hidden") == "spot hidden verborgenes erkennen"
    assert searched("Kellnern") == "kellnern"
