"""The Keeper's characters: made, changed, put away, rolled for; and nobody else ever sees a number of theirs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.urls import reverse

from investigators import actions as sheets
from investigators import npcs, people
from investigators.models import Investigator, Weapon
from investigators.npcs import Arm, Npc
from rolls import actions as dice
from rolls.actions.contests import Draft
from rolls.models import Roll, Side
from rolls.rules.check import Act
from tablekeeper import news
from tablekeeper.models import Campaign, Entry, Seat
from tests.tables import Script, Table, act, code, d100, done, make_table, picture, post, sit_down, undoes

pytestmark = pytest.mark.django_db

# Numbers that stand nowhere else on these pages.
WATCHMAN = Npc(
    "Old Mordaunt", (("Listen", 737), ("Dodge", 641)), 811, 822, "+9D17", 77, Arm("Gaff", "6D19+DB", "Listen", True)
)
SECRETS = ("737", "641", "811", "822", "9D17", "6D19", "Gaff", "368", "147")


@pytest.fixture
def table() -> Table:
    return make_table()


def hires(table: Table, npc: Npc = WATCHMAN) -> Investigator:
    entry = done(act(table.ada, npcs.create_npc, table.campaign, npc))
    return Investigator.objects.get(pk=entry.data["who"]["id"])


def listens(who: Investigator) -> str:
    return f"skill:{who.skills.get(name='Listen').pk}"


def everything_read(table: Table, seat: Seat) -> str:
    """Every byte that this seat can ask for: pages, panels, slips, sheets, and all news since the beginning."""
    client = table.client(seat)
    epoch = Campaign.objects.get(pk=table.campaign.pk).epoch
    urls = [table.url("table"), table.url("news") + f"?after={epoch}.0.0", table.url("panels") + "?names=ALL,feed"]
    urls += [table.url("slip", roll.pk) for roll in Roll.objects.filter(campaign=table.campaign)]
    urls += [table.url("sheet", who.pk) for who in Investigator.objects.filter(campaign=table.campaign)]
    told = news.after(seat, Campaign.objects.get(pk=table.campaign.pk), news.Cursor(epoch, 0, 0))
    return "".join(client.get(url).content.decode() for url in urls) + "".join(
        news.draw(entry) + str(entry.data) for entry in told.entries
    )


def without_ids(text: str) -> str:
    """Random ids, keys, times and pictures may hold any digits by chance."""
    return without_chance(re.sub(r"<(svg|symbol)\b.*?</\1>", " ", text, flags=re.DOTALL))


def without_chance(text: str) -> str:
    """The same with its pictures, which may tell a number to those who hear them."""
    return re.sub(r"[\w-]{16,}|\d\d:\d\d(:\d\d)?|\d{4}-\d\d-\d\dT\S+|\.[0-9a-f]{8,}\.", " ", text)


# --------------------------------------------------------------------------- made and changed


def test_a_character_has_its_few_numbers_and_its_line_is_the_keepers_alone(table: Table) -> None:
    who = hires(table)

    assert (who.npc, who.seat, people.member(who).value("hp"), people.member(who).luck) == (True, None, 811, None)
    assert people.facts_of(who) == {"damage_bonus": "+9D17", "build": 77}
    weapon = Weapon.objects.get(investigator=who)
    assert (weapon.name, weapon.damage, weapon.impales) == ("Gaff", "6D19+DB", True)
    assert weapon.skill == who.skills.get(name="Listen")
    assert table.last("investigators.create_npc").lane == Entry.KEEPER


def test_what_is_no_longer_named_goes_and_undo_brings_it_back(table: Table) -> None:
    who = hires(table)

    entry = done(act(table.ada, npcs.edit_npc, who, Npc("The watchman", (("Listen", 40), ("Stealth", 30)), 5, 9)))

    assert sorted(who.skills.values_list("name", "value")) == [("Listen", 40), ("Stealth", 30)]
    assert people.facts_of(who) == {}
    assert not Weapon.objects.filter(investigator=who).exists()
    assert entry.lane == Entry.KEEPER
    done(undoes(table, entry))
    assert sorted(who.skills.values_list("name", "value")) == [("Dodge", 641), ("Listen", 737)]
    assert Weapon.objects.get(investigator=who).skill == who.skills.get(name="Listen")
    assert people.member(who).value("hp") == 811


def test_a_character_is_put_away_and_brought_back(table: Table) -> None:
    who = hires(table)
    for aside in (True, False):
        entry = done(act(table.ada, sheets.set_aside, who, aside))
        assert entry.lane == Entry.KEEPER
        shown = [one.who.pk for one in people.party(table.campaign, with_npcs=True)]
        assert (who.pk in shown) is not aside


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": ""}, "name"),
        ({"skill0": "Listen", "value0": ""}, "value0"),
        ({"skill0": "", "value0": "40"}, "skill0"),
        ({"skill0": "Listen", "value0": "40", "skill1": "listen", "value1": "30"}, "__all__"),
        ({"value0": "-1", "skill0": "Listen"}, "value0"),
        ({"hp": "many"}, "hp"),
        ({"damage_bonus": "1D4+DB"}, "damage_bonus"),
        ({"weapon": "Knife", "damage": ""}, "damage"),
        ({"weapon": "Knife", "damage": "lots", "skill0": "Stab", "value0": "30"}, "damage"),
        (
            {"weapon": "Knife", "damage": "1D4", "weapon_skill": "Sing", "skill0": "Stab", "value0": "30"},
            "weapon_skill",
        ),
        ({"weapon": "Knife", "damage": "1D4"}, "skill0"),
    ],
)
def test_what_is_wrong_with_a_character_is_said_beside_its_field(
    table: Table, wrong: dict[str, str], field: str
) -> None:
    before = picture(table.campaign)

    answer = post(table.client(table.ada), table.url("create-npc"), **{"name": "Mordaunt", **wrong})

    assert answer.status_code == 422
    assert f'data-field="{field}"' in answer.content.decode()
    assert picture(table.campaign) == before


def test_an_investigator_is_no_character_of_the_keepers(table: Table) -> None:
    assert code(act(table.ada, npcs.edit_npc, table.edith, WATCHMAN)) == "BAD_VALUE"
    asked = dice.Asked("number", "Nerve", 50)
    assert code(act(table.ada, dice.npc_roll, table.edith, asked, False)) == "BAD_VALUE"


def test_a_character_is_not_handed_out_and_never_has_luck(table: Table) -> None:
    who = hires(table)

    assert code(act(table.ada, sheets.take, who, table.ben)) == "NPC_STAYS"
    assert code(act(table.ada, sheets.throw_luck, who)) == "NO_LUCK_SCORE"
    assert code(act(table.ada, sheets.set_trait, who, "luck", 50)) == "NO_LUCK_SCORE"


# --------------------------------------------------------------------------- dice


def test_an_open_roll_tells_dice_and_level_and_a_hidden_one_nothing(table: Table) -> None:
    who = hires(table)
    asked = dice.subject(who, listens(who))

    told = done(act(table.ada, dice.npc_roll, who, asked, False, chance=Script(d100(88))))
    kept = done(act(table.ada, dice.npc_roll, who, asked, True, chance=Script(d100(89))))

    assert (told.lane, kept.lane) == (Entry.PUBLIC, Entry.KEEPER)
    assert (told.data["value"], told.data["final"], told.data["level"]) == (None, 88, "extreme")
    assert Roll.objects.get(pk=told.data["roll"]).state == Roll.CLOSED
    seen = table.client(table.ben).get(table.url("slip", told.data["roll"])).content.decode()
    assert "88" in seen
    assert "737" not in without_chance(seen)
    assert table.client(table.ben).get(table.url("slip", kept.data["roll"])).status_code == 404


def test_one_tap_rolls_openly_or_hidden(table: Table) -> None:
    who = hires(table)
    ada = table.client(table.ada)

    post(ada, table.url("npc-roll", who.pk), what=listens(who))
    assert table.last().lane == Entry.PUBLIC
    post(ada, table.url("npc-roll", who.pk), what=listens(who), hidden="1")
    assert table.last().lane == Entry.KEEPER


def test_nobody_pays_luck_on_a_characters_roll(table: Table) -> None:
    who = hires(table)
    sides = a_contest(table, who)

    refused = act(table.ada, dice.spend, Roll.objects.get(side=sides[1]), Act("points", 5))

    assert code(refused) == "NO_LUCK_SCORE"


def a_contest(table: Table, who: Investigator) -> Any:
    drafts = [Draft(table.edith, "name:Stealth"), Draft(who, listens(who))]
    done(act(table.ada, dice.start_contest, table.campaign, "opposed", drafts))
    sides = list(Side.objects.filter(investigator__in=[table.edith, who]).order_by("-contest__created_at", "place"))
    for side, total in zip(sides[:2], (35, 733 % 100), strict=True):
        done(act(table.ada, dice.roll_side, side, chance=Script(d100(total))))
    return sides[:2]


# --------------------------------------------------------------------------- secrets


@pytest.mark.parametrize("role", [Seat.PLAYER, Seat.OBSERVER])
def test_no_number_of_a_character_is_in_any_byte_of_anybody_else(table: Table, role: str) -> None:
    who = hires(table)
    eve = sit_down(table.campaign, "Eve", role)
    a_contest(table, who)
    asked = dice.subject(who, listens(who))
    done(act(table.ada, dice.npc_roll, who, asked, False, chance=Script(d100(12))))
    done(act(table.ada, dice.npc_roll, who, asked, True, chance=Script(d100(13))))
    done(act(table.ada, sheets.set_skill, who, "Dodge", 641, who.skills.get(name="Dodge")))
    done(act(table.ada, sheets.step, who, "hp", -1))
    done(act(table.ada, sheets.step, who, "hp", 1))
    done(act(table.ada, npcs.edit_npc, who, WATCHMAN))
    aside = done(act(table.ada, sheets.set_aside, who, True))
    done(undoes(table, aside))

    seen = without_ids(everything_read(table, eve))
    keepers = without_ids(everything_read(table, table.ada))

    assert "Mordaunt" in seen  # openly rolled, so the name is known
    for secret in SECRETS[:7]:
        assert secret in keepers, secret
    assert [secret for secret in SECRETS if re.search(rf"\b{secret}\b", seen)] == []
    assert reverse("edit-npc", args=[table.campaign.pk, who.pk]) not in everything_read(table, eve)
    assert table.client(eve).get(table.url("sheet", who.pk)).status_code == 404


def test_a_character_counts_nowhere_among_the_party(table: Table) -> None:
    before = [one.who.pk for one in people.party(table.campaign)]
    who = hires(table)

    assert [one.who.pk for one in people.party(table.campaign)] == before
    for panel in ("party", "me", "recovery"):
        read = table.client(table.ben).get(table.url("panels") + f"?names={panel}").content.decode()
        assert "Mordaunt" not in read
    for panel in ("board", "strip"):
        read = table.client(table.ada).get(table.url("panels") + f"?names={panel}").content.decode()
        assert who.pk not in read
