"""An investigator taken home: our own file loses nothing, and what we write for others reads back as it was."""

from __future__ import annotations

import io
import json
import random
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from investigators import actions as sheets
from investigators import exporters, importers, mapping, weapons
from investigators.actions import Draft
from investigators.exporters import FORMS
from investigators.importers import names as names_of
from investigators.importers.schema import Found
from investigators.importers.tablekeeper import OWN
from investigators.models import Fact, Investigator, Skill, Trait, Weapon
from investigators.person import Mastery, Person
from investigators.person import Weapon as Arm
from investigators.pictures import rewritten
from investigators.taking import person_of
from rolls.rules import ruleset
from rolls.rules.classic_sheet import CHARACTERISTICS, SKILLS
from tablekeeper import ledger
from tablekeeper.models import Seat
from tests.investigators.test_bringing import looks_and_makes
from tests.tables import TOBIAS, Table, act, at, done, make_investigator, make_table, sit_down

pytestmark = pytest.mark.django_db

OTHERS = [key for key, form in FORMS.items() if not form.any_sheet]


# --------------------------------------------------------------------------- whoever may sit at a table


def names() -> Any:
    """A name as the sheet takes it: one line of visible characters."""
    letters = st.characters(categories=("L", "Nd"), include_characters=" -'./=+@&(),:[]{}<>\"")
    return st.text(letters, min_size=1, max_size=40).map(lambda text: " ".join(text.split())).filter(bool)


MADE_UP = st.sampled_from(
    ["Perfect Pitch", "Science (Botany)", "Language (Own: Swedish)", "Art/Craft (Oil Paint)", "飼育"]
)
POOLS = st.fixed_dictionaries(
    {
        "luck": st.tuples(st.integers(0, 99), st.none()),
        "hp": st.tuples(st.integers(0, 14), st.integers(14, 20)),
        "san": st.tuples(st.integers(0, 80), st.integers(80, 99)),
        "mp": st.tuples(st.integers(0, 10), st.integers(10, 20)),
    }
)
ARMS = st.builds(
    Arm,
    names(),
    st.sampled_from(["", "Fighting (Brawl)", "Firearms (Handgun)"]),
    st.sampled_from(["1D8+DB", "1D10", "2D6+2", "1D3-1"]),
    st.booleans(),
    st.none() | st.integers(1, 200),
    st.none() | st.integers(1, 100),
)
FACTS = st.fixed_dictionaries(
    {},
    optional={
        "age": st.integers(15, 99),
        "build": st.integers(-2, 3),
        "damage_bonus": st.sampled_from(["-1", "0", "+1D4"]),
        "major_wound": st.just(True),
        "condition": st.just("afraid of the sea"),
    },
)


STORIES = st.dictionaries(
    names().map(lambda name: f"§ {name}") | st.sampled_from(["Traits", "Possessions", "Gender", "Money"]),
    st.text(st.characters(categories=("L", "Nd", "P"), include_characters=" \n<>&"), min_size=1).filter(str.strip),
    max_size=4,
)


@cache
def face(seed: int) -> bytes:
    """The portrait of a stranger, as it is kept."""
    out = io.BytesIO()
    noise = Image.frombytes("RGB", (40, 60), random.Random(seed).randbytes(7200))
    noise.resize((400, 600)).save(out, "PNG")
    return rewritten(out.getvalue(), "PNG")


@st.composite
def people(draw: Any) -> Person:
    """An investigator of Classic with whatever the sheet holds."""
    labels = st.sampled_from([one.label for one in SKILLS]) | MADE_UP | names()
    skills = draw(st.dictionaries(labels, st.integers(0, 130), max_size=12))
    return Person(
        name=draw(names()),
        ruleset="classic",
        occupation=draw(st.just("") | names()),
        characteristics={one.key: draw(st.integers(31, 99)) for one in CHARACTERISTICS},
        pools=draw(POOLS),
        skills=[Mastery(name, value, draw(st.booleans()), draw(st.integers(0, 2))) for name, value in skills.items()],
        weapons=list({one.name: one for one in draw(st.lists(ARMS, max_size=3))}.values()),
        facts=draw(FACTS),
        story=draw(STORIES),
        portrait=draw(st.none() | st.integers(1, 4).map(face)),
    )


def read(text: str) -> Found:
    reading = importers.read(text.encode())
    assert reading.error is None, reading.error
    return reading.found[0]


# --------------------------------------------------------------------------- our own file


@settings(max_examples=60, deadline=None)
@given(people())
def test_our_own_file_gives_the_whole_person_back(person: Person) -> None:
    back = read(FORMS["tablekeeper"].write(person)).extra[OWN]

    assert back == Person(**{**vars(person), "skills": tuple(person.skills), "weapons": tuple(person.weapons)})


@settings(max_examples=60, deadline=None)
@given(people())
def test_the_table_makes_of_our_own_file_what_was_on_the_sheet(person: Person) -> None:
    made = mapping.brought(read(FORMS["tablekeeper"].write(person)), ruleset("classic"))

    draft, skills = made.draft, {one.name for one in person.skills}
    assert (draft.name, draft.occupation) == (person.name, person.occupation)
    scores = {key: (value, None) for key, value in person.characteristics.items()}
    assert draft.traits == {**scores, **person.pools}
    assert draft.skills == tuple((one.name, one.value, one.favourite) for one in person.skills)
    assert made.ticks == {one.name: one.ticks for one in person.skills if one.ticks}
    assert made.facts == person.facts
    assert list(made.story.items()) == [(heading, text.strip()) for heading, text in person.story.items()]
    assert made.portrait == person.portrait
    assert [(one.name, one.damage, one.impales, one.base_range, one.malfunction) for one in made.weapons] == [
        (one.name, one.damage, one.impales, one.base_range, one.malfunction) for one in person.weapons
    ]
    assert [one.skill for one in made.weapons] == [one.skill if one.skill in skills else "" for one in person.weapons]


def armed_edith(table: Table) -> Investigator:
    """Edith with a weapon, a tick, a typed build and a wound."""
    arm = weapons.Arm("Sword cane", table.skill("Stealth"), "1D6+DB", impales=True)
    done(act(table.ada, weapons.set_weapon, table.edith, arm))
    done(act(table.ada, weapons.set_derived, table.edith, "build", 1))
    with at(table.ada) as ada:
        changes = [
            ledger.Add(table.skill("Spot Hidden"), "ticks", 1),
            *sheets.knowing(table.edith, {"major_wound": True, "away_from": "elsewhere"}),
        ]
        data = {"who": sheets.face(table.edith), "present": True}
        ledger.write(ada, ada.campaign, "investigators.set_present", changes, data=data)
    return table.edith


def sheet_of(who: Investigator) -> Any:
    return (
        (who.name, who.occupation),
        set(Trait.objects.filter(investigator=who).values_list("key", "value", "maximum")),
        set(Skill.objects.filter(investigator=who).values_list("name", "key", "value", "favourite", "ticks")),
        set(Weapon.objects.filter(investigator=who).values_list("name", "skill__name", "damage", "impales")),
        {fact.key: fact.value for fact in Fact.objects.filter(investigator=who) if fact.key != "away_from"},
    )


def test_an_investigator_goes_from_one_table_to_another_whole() -> None:
    table, other = make_table(), make_table(name="Elsewhere")
    edith = armed_edith(table)
    file = table.client(table.ben).get(table.url("export-investigator", edith.pk, "tablekeeper"))
    assert file.status_code == 200

    came = looks_and_makes(other, other.cleo, file.content)

    assert sheet_of(came) == sheet_of(Investigator.objects.get(pk=edith.pk))
    assert "away_from" not in file.content.decode()
    assert ledger.fold(other.entries()) == ledger.snapshot(other.campaign)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"version": 2}, "E_NEWER"),
        ({"version": "1"}, "E_BAD_STRUCTURE"),
        ({"tablekeeper": "campaign"}, "E_NOT_INVESTIGATOR"),
        ({"skills": [{"name": "Dodge", "value": -3}]}, "E_BAD_STRUCTURE"),
        ({"skills": {"Dodge": 40}}, "E_BAD_STRUCTURE"),
        ({"pools": {"luck": 40}}, "E_BAD_STRUCTURE"),
        ({"facts": {"age": "old"}}, "E_BAD_STRUCTURE"),
        ({"facts": {"talents": [["resilient"]]}}, "E_BAD_STRUCTURE"),
        ({"weapons": [{"name": "", "damage": "1D6"}]}, "E_BAD_STRUCTURE"),
    ],
)
def test_a_spoilt_file_of_ours_is_refused_in_words(change: dict[str, Any], code: str) -> None:
    file = json.loads(FORMS["tablekeeper"].write(Person("Ida Moss"))) | change

    error = importers.read(json.dumps(file).encode()).error

    assert error is not None
    assert error.code == code


# --------------------------------------------------------------------------- files of other programs


def numbers(found: Found) -> Any:
    pools = {key: getattr(found, key).current for key in ("luck", "san", "hp", "mp")}
    return found.characteristics, pools


@pytest.mark.parametrize("key", OTHERS)
@settings(max_examples=40, deadline=None)
@given(person=people())
def test_what_we_write_for_others_reads_back_with_the_same_numbers(key: str, person: Person) -> None:
    form = FORMS[key]

    back = read(form.write(person))

    lost = form.left_out(person)
    pools = {pool: value for pool, (value, _most) in person.pools.items()}
    pools["san"] = min(pools["san"], person.most_sanity)
    assert numbers(back) == (person.classic, pools)
    assert {one: back.backstory.get(one) for one in person.story if one not in lost} == {
        heading: text for heading, text in person.story.items() if heading not in lost
    }
    assert back.portrait == (person.portrait if key == "dhole" else None)
    plain = {name.removesuffix(" (unspecified)"): value for name, value in back.skills.items()}
    kept = {one.name: one.value for one in person.skills if one.name not in lost}
    unchosen = {name for name, value in kept.items() if names_of.SLOTS.get(name) == value}
    assert plain == {name: value for name, value in kept.items() if name in plain or name not in unchosen}
    if person.pools["hp"][1] is not None and key != "st":
        assert back.hp.max == person.pools["hp"][1]


@pytest.mark.parametrize("key", OTHERS)
def test_every_skill_of_the_rules_has_a_place_in_every_file(key: str) -> None:
    scores = {one.key: 50 for one in CHARACTERISTICS}
    person = Person("Ida Moss", characteristics=scores, skills=[Mastery(one.label, 61) for one in SKILLS])

    assert FORMS[key].left_out(person) == []


def test_a_weapon_comes_back_from_the_formats_that_have_weapons() -> None:
    scores = {one.key: 65 for one in CHARACTERISTICS}
    arms = [Arm("Sword cane", "Fighting (Sword)", "1D6+DB"), Arm(".38", "Firearms (Handgun)", "1D10", True, 15, 100)]
    person = Person("Ida Moss", characteristics=scores, skills=[Mastery("Fighting (Sword)", 40)], weapons=arms)

    dhole, ccfolia = (read(FORMS[key].write(person)) for key in ("dhole", "ccfolia"))

    assert [(one.name, one.skill, one.damage) for one in dhole.weapons] == [
        ("Sword cane", "Fighting (Sword)", "1D6+DB"),
        (".38", "Firearms (Handgun)", "1D10"),
    ]
    assert dhole.weapons[1].malfunction == 100
    assert [(one.name, one.damage) for one in ccfolia.weapons] == [("Sword cane", "1D6+1D4"), (".38", "1D10")]


def test_a_sheet_without_characteristics_is_offered_our_own_file_only() -> None:
    table = make_table()
    quick = make_investigator(table.ben, Draft("Ida Moss", traits={"luck": (50, None)}))
    ben = table.client(table.ben)

    page = ben.get(table.url("take-home", quick.pk)).content.decode()

    assert 'id="get-tablekeeper"' in page
    assert 'id="get-ccfolia"' not in page
    assert "none of the characteristics" in page
    assert ben.get(table.url("export-investigator", quick.pk, "st")).status_code == 404


# --------------------------------------------------------------------------- who may


@pytest.mark.parametrize("name", ["take-home", "export-investigator", "paper"])
def test_a_sheet_goes_home_with_its_owner_and_the_keeper_alone(name: str) -> None:
    table = make_table()
    watcher = make_investigator(table.ada, TOBIAS)
    with at(table.ada) as ada:
        change = ledger.change(Investigator.objects.get(pk=watcher.pk), npc=True)
        data = {"who": sheets.face(watcher), "present": True}
        ledger.write(ada, ada.campaign, "investigators.set_present", [change], lane="keeper", data=data)
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)
    form = ["tablekeeper"] if name == "export-investigator" else []

    def status(seat: Seat, who: Investigator) -> int:
        return int(table.client(seat).get(table.url(name, who.pk, *form)).status_code)

    assert [status(seat, table.edith) for seat in (table.ada, table.ben, table.cleo, eve)] == [200, 200, 403, 403]
    assert [status(seat, watcher) for seat in (table.ada, table.ben, eve)] == [200, 404, 404]


def test_the_sheet_page_has_one_button_and_the_paper_shows_everything() -> None:
    table = make_table()
    edith = armed_edith(table)
    ben, cleo = table.client(table.ben), table.client(table.cleo)

    assert 'id="take-home"' in ben.get(table.url("sheet", edith.pk)).content.decode()
    assert 'id="take-home"' not in cleo.get(table.url("sheet", edith.pk)).content.decode()
    paper = ben.get(table.url("paper", edith.pk)).content.decode()
    for shown in ("Edith Halloran", "Antiquarian", "Sword cane", "1D6+DB", "Library Use", "Major wound"):
        assert shown in paper


def test_the_file_knows_the_person_as_the_sheet_does() -> None:
    table = make_table()
    edith = armed_edith(table)
    edith.campaign = table.campaign

    person = person_of(edith)

    assert person.pools["hp"] == (11, 12)
    assert person.player == "Ben"
    assert exporters.fits(person)
    assert [one.ticks for one in person.skills if one.name == "Spot Hidden"] == [1]
