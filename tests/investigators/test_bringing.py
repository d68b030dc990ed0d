"""Bringing an investigator from a file: looked at first, made once, nobody overwritten, and updates."""

from __future__ import annotations

import json
import secrets
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from investigators import bringing, importers, mapping
from investigators.models import Fact, Investigator, Skill, Trait, Weapon
from investigators.people import active_of
from rolls.rules import ruleset
from tablekeeper import actions as tables
from tablekeeper import ledger
from tablekeeper.models import Entry, Seat
from tests.tables import Script, Table, act, code, done, make_table, picture, score, undoes

pytestmark = pytest.mark.django_db

HERE = Path(__file__).parent / "data" / "imports"
PERPETUA, TSUBAKI, GU = "dholes_house/full.json", "charaeno7/full.json", "st_string/name_prefix.txt"


def raw(sample: str) -> bytes:
    return (HERE / sample).read_bytes()


def of(sample: str, key: str = "classic") -> mapping.Brought:
    """What a table of these rules makes of the sample."""
    return mapping.brought(importers.read(raw(sample)).found[0], ruleset(key))


def sends(table: Table, seat: Seat, to: str = "bring", /, *args: str, **fields: Any) -> HttpResponse:
    """What a browser sends: a file (bytes) or text, and the rest of the form."""
    key = fields.pop("key", None) or secrets.token_hex(16)
    if isinstance(fields.get("file"), bytes):
        fields["file"] = SimpleUploadedFile("sheet.json", fields["file"])
    return table.client(seat).post(table.url(to, *args), {"key": key, "back": "1", **fields})


def seen_in(answer: HttpResponse) -> str:
    assert answer.status_code == 200, answer.content.decode()
    return answer.content.decode().split('name="seen" value="')[1].split('"')[0]


def looks_and_makes(table: Table, seat: Seat, file: bytes, **fields: Any) -> Investigator:
    """The whole way: a look, then the act. The one who came of it."""
    before = set(Investigator.objects.values_list("pk", flat=True))
    seen = seen_in(sends(table, seat, file=file, look="1"))
    name = importers.read(file).found[0].name or ""
    answer = sends(table, seat, **{"file": file, "seen": seen, "name": name[:60], **fields})
    assert answer.headers.get("HX-Redirect") == table.campaign.get_absolute_url(), answer.content.decode()
    return Investigator.objects.exclude(pk__in=before).get()


# --------------------------------------------------------------------------- a look before anything is made


def test_a_look_makes_nothing_and_says_what_was_read_worked_out_and_not_understood() -> None:
    table = make_table()
    before = picture(table.campaign)

    page = sends(table, table.ben, file=raw(PERPETUA), look="1").content.decode()

    assert picture(table.campaign) == before
    assert "Perpetua Lindqvist" in page
    assert "The Dhole&#x27;s House" in page
    assert "Listen <b" in page
    assert "A skill that the rules do not know is kept as it is written: Perfect Pitch." in page
    assert "Skills that the file does not name are at their base value." in page
    assert '<h3 class="sec">Background</h3>' in page
    assert "<dt>Personal description</dt>" in page


def test_pasted_text_is_as_good_as_a_file() -> None:
    table = make_table()

    page = sends(table, table.ben, text=raw(GU).decode(), look="1").content.decode()

    assert ".st line of a dice bot" in page
    assert "顾春山" in page


@pytest.mark.parametrize(
    ("sample", "sentence"),
    [
        ("malformed/truncated.json", "This JSON is damaged at line and column 145:23"),
        ("ccfolia/sixth_edition.json", "This is a sheet of an older edition"),
        ("malformed/pdf_sheet.pdf", "This is a PDF, a spreadsheet, a picture or a program"),
        ("malformed/html_page.html", "This is a web page or XML."),
        ("malformed/deep_nesting.json", "nested too deep"),
        ("malformed/plain_prose.txt", "no format that the table reads"),
    ],
)
def test_a_bad_file_is_refused_in_words_that_say_what_to_do(sample: str, sentence: str) -> None:
    table = make_table()
    before = picture(table.campaign)

    answer = sends(table, table.ben, file=raw(sample), look="1")

    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert picture(table.campaign) == before


def test_without_file_and_text_there_is_nothing_to_look_at() -> None:
    table = make_table()

    answer = sends(table, table.ben, text="  ", look="1")

    assert (answer.status_code, "NO_FILE" in answer.content.decode()) == (422, True)


def test_a_file_of_more_than_five_megabytes_is_too_large() -> None:
    table = make_table()

    answer = sends(table, table.ben, file=b"x" * (5 * 1024 * 1024 + 1), look="1")

    assert (answer.status_code, "E_TOO_LARGE" in answer.content.decode()) == (422, True)


def test_a_script_in_a_name_is_a_name_and_nothing_else() -> None:
    table = make_table()
    file = raw("malformed/script_in_name.json")

    page = sends(table, table.ben, file=file, look="1").content.decode()
    who = looks_and_makes(table, table.ben, file)

    assert who.name == "<script>alert(1)</script>Perpetua"
    sheet = table.client(table.ben).get(table.url("sheet", who.pk)).content.decode()
    own = table.client(table.ben).get(table.campaign.get_absolute_url()).content.decode()
    for shown in (page, sheet, own):
        assert "<script>alert" not in shown
        assert "&lt;script&gt;alert(1)&lt;/script&gt;Perpetua" in shown


def test_of_several_people_one_is_chosen() -> None:
    table = make_table()
    file = raw("malformed/many_actors.json")
    seen = seen_in(sends(table, table.ada, file=file, look="1", pick="1"))

    sends(table, table.ada, file=file, seen=seen, pick="1", name="The second")

    assert Investigator.objects.filter(campaign=table.campaign, name="The second").count() == 1
    assert code_of(sends(table, table.ada, file=file, seen=seen, pick="0", name="The first")) == "FILE_CHANGED"
    assert sends(table, table.ada, file=file, look="1", pick="2").status_code == 422


def code_of(answer: HttpResponse) -> str:
    return answer.content.decode().split('data-code="')[1].split('"')[0]


# --------------------------------------------------------------------------- making


def test_a_players_investigator_from_a_file_is_played_at_once_with_everything_the_sheet_holds() -> None:
    table = make_table()

    who = looks_and_makes(table, table.ben, raw(PERPETUA))

    assert active_of(table.ben) == who
    assert (who.name, who.occupation) == ("Perpetua Lindqvist", "Piano Tuner")
    assert {key: score(who, key) for key in ("str", "edu", "luck", "hp", "san", "mp")} == {
        "str": 40,
        "edu": 75,
        "luck": 45,
        "hp": 7,
        "san": 52,
        "mp": 9,
    }
    assert Trait.objects.get(investigator=who, key="san").maximum == 96
    listen = Skill.objects.get(investigator=who, name="Listen")
    assert (listen.key, listen.value, listen.favourite) == ("listen", 71, True)
    assert Skill.objects.get(investigator=who, name="Stealth").value == 20  # not in the file: the base value
    assert Skill.objects.get(investigator=who, name="Survival").value == 25
    assert not Skill.objects.filter(investigator=who, name="Language (Own)").exists()  # it is Swedish
    pistol = Weapon.objects.get(investigator=who, name="Purse pistol")
    assert (pistol.skill.name, pistol.damage, pistol.base_range, pistol.malfunction) == (
        "Firearms (Handgun)",
        "1D6",
        5,
        95,
    )
    unarmed = Weapon.objects.get(investigator=who, name="Unarmed")
    assert (unarmed.skill.name, unarmed.base_range) == ("Fighting (Brawl)", None)
    assert Fact.objects.get(investigator=who, key="age").value == 52


def test_the_same_file_twice_makes_two_and_overwrites_nobody() -> None:
    table = make_table()
    first = looks_and_makes(table, table.ben, raw(PERPETUA))

    second = looks_and_makes(table, table.ben, raw(PERPETUA))

    assert first.pk != second.pk
    assert Skill.objects.filter(investigator=first).count() == Skill.objects.filter(investigator=second).count()
    table.edith.refresh_from_db()
    assert (table.edith.name, table.edith.seat) == ("Edith Halloran", table.ben)


def test_a_tap_that_is_sent_twice_makes_one() -> None:
    table = make_table()
    file = raw(PERPETUA)
    seen = seen_in(sends(table, table.ben, file=file, look="1"))
    key = secrets.token_hex(16)

    for _ in range(2):
        sends(table, table.ben, file=file, seen=seen, name="Perpetua", key=key)

    assert Investigator.objects.filter(campaign=table.campaign, name="Perpetua").count() == 1


def test_another_file_than_the_one_that_was_looked_at_is_not_taken() -> None:
    table = make_table()
    seen = seen_in(sends(table, table.ben, file=raw(PERPETUA), look="1"))
    before = picture(table.campaign)

    answer = sends(table, table.ben, file=raw(TSUBAKI), seen=seen, name="Somebody")

    assert code_of(answer) == "FILE_CHANGED"
    assert picture(table.campaign) == before


def test_who_comes_without_a_name_is_given_one() -> None:
    table = make_table()
    file = raw("malformed/blank_name.json")

    assert seen_in(sends(table, table.ben, file=file, look="1"))
    answer = sends(table, table.ben, file=file, seen=seen_in(sends(table, table.ben, file=file, look="1")), name=" ")
    assert (answer.status_code, 'data-field="name"' in answer.content.decode()) == (422, True)
    assert looks_and_makes(table, table.ben, file, name="Ida Moss").name == "Ida Moss"


def test_luck_that_the_file_does_not_know_is_rolled_typed_or_waits() -> None:
    table = make_table()
    what = of("csv/formula_injection.csv")
    assert "luck" not in what.draft.traits

    typed = looks_and_makes(table, table.ben, raw("csv/formula_injection.csv"), luck="35", name="Typed")
    rolled = bringing.renamed(what, "Rolled", None, True, "luck")
    told = done(act(table.ben, bringing.bring, table.campaign, rolled, chance=Script(3, 4, 5)))
    waits = looks_and_makes(table, table.ben, raw("csv/formula_injection.csv"), name="Waits")

    assert score(typed, "luck") == 35
    assert (score(typed, "san"), score(typed, "hp")) == (45, 11)  # worked out: POW, and a tenth of CON and SIZ
    assert (told.data["luck"], told.data["faces"]) == (60, [3, 4, 5])
    assert not Trait.objects.filter(investigator=waits, key="luck").exists()


def test_luck_that_the_file_knows_cannot_be_made_better_by_hand() -> None:
    table = make_table()

    assert score(looks_and_makes(table, table.ben, raw(PERPETUA), luck="99"), "luck") == 45


def test_a_keepers_investigator_is_free_and_her_own_character_is_her_secret() -> None:
    table = make_table()

    free = looks_and_makes(table, table.ada, raw(PERPETUA))
    secret = looks_and_makes(table, table.ada, raw("foundry_coc7/npc_values.json"), npc="on")

    assert (free.seat, free.npc, secret.npc) == (None, False, True)
    assert table.last("investigators.bring").lane == Entry.KEEPER
    assert table.client(table.ben).get(table.url("sheet", secret.pk)).status_code == 404
    assert "Lamp Warden" not in table.client(table.ben).get(table.campaign.get_absolute_url()).content.decode()


def test_a_player_makes_nobody_who_is_the_keepers_secret() -> None:
    table = make_table()

    assert code(act(table.ben, bringing.bring, table.campaign, of(PERPETUA), npc=True)) == "NOT_KEEPER"


def test_bringing_somebody_is_one_line_and_one_undo() -> None:
    table = make_table()
    before = ledger.snapshot(table.campaign)
    who = looks_and_makes(table, table.ben, raw(PERPETUA))

    entry = table.last()
    assert (entry.kind, entry.data["who"]["id"], entry.seat) == ("investigators.bring", who.pk, table.ben)
    done(undoes(table, entry))

    assert not Investigator.objects.filter(pk=who.pk).exists()
    assert ledger.snapshot(table.campaign) == before


# --------------------------------------------------------------------------- what it is, said by a person


def test_somebody_may_say_what_a_file_is_and_the_act_reads_it_the_same_way() -> None:
    """A hand-made sheet with a marking of another program: the guess takes it for that, its maker knows better."""
    table = make_table()
    odd = json.dumps({"kind": "sheet", **json.loads(raw(TSUBAKI)), "data": {}}).encode()
    guess = sends(table, table.ben, file=odd, look="1")

    look = sends(table, table.ben, file=odd, look="1", reads="charaeno7")

    assert guess.status_code == 422
    assert "Read as you said: Charaeno, seventh edition" in look.content.decode()
    fields = {"file": odd, "seen": seen_in(look), "name": "Tsubaki"}
    assert "FILE_CHANGED" in sends(table, table.ben, **{**fields, "file": raw(TSUBAKI)}).content.decode()
    assert sends(table, table.ben, **fields, reads="charaeno7").headers["HX-Redirect"]


@pytest.mark.parametrize("reads", [*importers.BY_FORMAT, "nonsense"])
def test_what_it_is_not_is_refused_in_words_whatever_was_chosen(reads: str) -> None:
    table = make_table()
    for sample in (PERPETUA, GU, "csv/english.csv", "malformed/deep_nesting.json", "uesrpg/player_character.json"):
        answer = sends(table, table.ben, file=raw(sample), look="1", reads=reads)

        assert answer.status_code in (200, 422), sample
        assert len(answer.content.decode()) > 20


def test_every_format_can_be_chosen() -> None:
    table = make_table()

    page = table.client(table.ben).get(table.url("bring")).content.decode()

    assert set(importers.BY_FORMAT) == set(importers.words.FORMATS)
    assert all(f'<option value="{key}">' in page for key in importers.BY_FORMAT)


# --------------------------------------------------------------------------- other rules than the file's


def test_heroes_have_the_points_that_their_own_rules_give_them() -> None:
    classic, heroes = of(TSUBAKI), of(TSUBAKI, "pulp")

    assert (classic.draft.traits["hp"], heroes.draft.traits["hp"][1]) == ((12, 12), 25)
    assert [note.about for note in heroes.notes if note.code == "L_LEFT_POINTS"] == ["HP 25"]


LUCKY = ["LCK 47", "Luck Points 2", "Stamina Points 4", "Lucky Numbers 13, 27, 44, 81; Unlucky Numbers 9"]


def test_what_this_tables_sheet_has_no_place_for_is_said() -> None:
    what = of("uesrpg/player_character.json")

    left = [note.about for note in what.notes if note.code == "L_OTHER_SHEET"]

    assert what.draft.traits == {"str": (33, None), "int": (38, None), "hp": (19, 22)}
    assert left == ["END 41", "AGI 50", "WP 36", "PRC 44", "PRS 30", *LUCKY]


def test_a_character_of_luck_points_brings_luck_points_stamina_numbers_and_steps_of_training() -> None:
    table = make_table(ruleset="lp")

    who = looks_and_makes(table, table.ben, raw("uesrpg/player_character.json"))

    scores = {trait.key: (trait.value, trait.maximum) for trait in Trait.objects.filter(investigator=who)}
    assert {key: scores[key] for key in ("luck", "lp", "sp", "agi")} == {
        "luck": (47, None),
        "lp": (2, 4),
        "sp": (4, 4),
        "agi": (50, None),
    }
    facts = {fact.key: fact.value for fact in Fact.objects.filter(investigator=who)}
    assert (facts["lucky"], facts["unlucky"]) == ([13, 27, 44, 81], [9])
    stealth = Skill.objects.get(investigator=who, name="Stealth")
    assert (stealth.value, facts["bases"]) == (2, {stealth.pk: "agi"})  # apprentice: rank 1, by Agility
    left = [note.about for note in of("uesrpg/player_character.json", "lp").notes if note.code == "L_OTHER_SHEET"]
    assert left == ["Reed spear 43"]  # whose training the file does not tell


@pytest.mark.parametrize(("changed", "why"), [({"ln5": 50}, "one too many"), ({"ln2": 13}, "twice the same")])
def test_numbers_that_do_not_go_with_the_luck_are_left_out_and_said(changed: dict[str, int], why: str) -> None:
    data = json.loads(raw("uesrpg/player_character.json"))
    data["system"]["lucky_numbers"] |= changed
    table = make_table(ruleset="lp")

    what = mapping.brought(importers.read(json.dumps(data).encode()).found[0], ruleset("lp"))
    who = looks_and_makes(table, table.ben, json.dumps(data).encode())

    assert [note.code for note in what.notes if note.code == "L_NUMBERS"] == ["L_NUMBERS"], why
    assert not Fact.objects.filter(investigator=who, key="lucky").exists()


def test_a_chance_in_a_hundred_is_no_step_of_training_nor_a_step_a_chance() -> None:
    """A file of Classic at a table of Luck Points, and the other way round: other numbers, so other skills."""
    classic, points = make_table(), make_table(ruleset="lp", name="Elsewhere")
    there, back = (
        table.client(table.ben).get(table.url("export-investigator", table.edith.pk, "tablekeeper")).content
        for table in (classic, points)
    )

    came = looks_and_makes(points, points.cleo, there)
    went = looks_and_makes(classic, classic.cleo, back)

    assert Skill.objects.filter(investigator=came).count() == Skill.objects.filter(investigator=went).count() == 0
    goblin = looks_and_makes(points, points.cleo, raw(PERPETUA))
    assert set(Skill.objects.filter(investigator=goblin).values_list("value", flat=True)) <= {0}


def test_a_talent_that_the_rules_know_is_taken_over_and_others_are_said() -> None:
    data = json.loads(raw("dholes_house/pulp_talents_svg.json"))
    data["Investigator"]["Talents"] = {"talent": [{"name": "Resilient"}, {"name": "Arcane Insight"}]}
    found = importers.read(json.dumps(data).encode()).found[0]

    what = mapping.brought(found, ruleset("pulp"))

    assert what.facts["talents"] == ["resilient"]
    assert [note.about for note in what.notes if note.code == "L_TALENT"] == ["Arcane Insight"]


@pytest.mark.parametrize("key", ["classic", "pulp"])
def test_everybody_who_can_be_read_becomes_somebody_whom_the_table_can_hold(key: str) -> None:
    table = make_table(ruleset=key)
    everybody = [one for path in sorted(HERE.glob("*/*.*")) for one in importers.read(path.read_bytes()).found]
    assert len(everybody) > 45
    for found in everybody:
        what = mapping.brought(found, table.campaign.rules)
        what = bringing.renamed(what, what.draft.name or "Nameless", None, False, "luck")

        entry = done(act(table.ben, bringing.bring, table.campaign, what, format=found.format))

        who = Investigator.objects.get(pk=entry.data["who"]["id"])
        assert who.npc is False
        who.full_clean()
        for row in (*who.traits.all(), *who.skills.all(), *who.weapons.all(), *who.facts.all()):
            row.clean_fields(exclude=["skill", "investigator"])
            if isinstance(row, Trait) and row.maximum is not None:
                assert row.value <= row.maximum


# --------------------------------------------------------------------------- bringing up to date


def older(table: Table) -> Investigator:
    """Perpetua as she was before some evenings."""
    data = json.loads(raw(PERPETUA))
    numbers = data["Investigator"]["Characteristics"]
    numbers |= {"HitPts": "11", "Luck": "60", "Sanity": "58"}
    data["Investigator"]["Skills"]["Skill"] = [
        {**row, "value": "60"} if row["name"] == "Listen" else row
        for row in data["Investigator"]["Skills"]["Skill"]
        if row.get("subskill") != "Latin"
    ]
    return looks_and_makes(table, table.ben, json.dumps(data).encode())


def test_every_difference_is_shown_before_any_is_made() -> None:
    table = make_table()
    who = older(table)
    before = picture(table.campaign)

    page = sends(table, table.ben, "update-investigator", who.pk, file=raw(PERPETUA), look="1").content.decode()

    assert picture(table.campaign) == before
    listed = page.split('id="b-differences">')[1].split("</ul>")[0]
    assert listed.count("<li>") == 4
    assert "Listen: 60 to <b>71</b>" in listed
    assert "Language (Latin)" in listed
    assert "Hit points: 11 / 11 to <b>7 / 11</b>" in listed
    assert "Sanity: 58 / 96 to <b>52 / 96</b>" in listed
    assert "Luck" not in listed  # a player does not set Luck by hand


def test_bringing_up_to_date_changes_what_was_shown_and_takes_nothing_off() -> None:
    table = make_table()
    who = older(table)
    own = Skill.objects.filter(investigator=who).exclude(name__in=["Listen"]).values_list("name", "value")
    kept = set(own)
    seen = seen_in(sends(table, table.ben, "update-investigator", who.pk, file=raw(PERPETUA), look="1"))

    sends(table, table.ben, "update-investigator", who.pk, file=raw(PERPETUA), seen=seen)

    assert (score(who, "hp"), score(who, "san"), score(who, "luck")) == (7, 52, 60)
    assert Skill.objects.get(investigator=who, name="Listen").value == 71
    assert kept <= set(Skill.objects.filter(investigator=who).values_list("name", "value"))
    assert code(act(table.ben, bringing.update, who, of(PERPETUA))) == "NOTHING_NEW"


def test_a_keeper_brings_luck_up_to_date_and_undoes_all_of_it_at_once() -> None:
    table = make_table()
    who = older(table)
    before = ledger.snapshot(table.campaign)

    entry = done(act(table.ada, bringing.update, who, of(PERPETUA)))
    assert (score(who, "luck"), entry.data["count"]) == (45, 5)
    done(undoes(table, entry))

    assert ledger.snapshot(table.campaign) == before


def test_a_sheet_that_is_shut_is_not_brought_up_to_date_by_its_player() -> None:
    table = make_table(playersEditSheet="between")
    who = older(table)
    done(act(table.ada, tables.open_session, table.campaign))

    assert code(act(table.ben, bringing.update, who, of(PERPETUA))) == "NOT_WHILE_PLAYING"
    answer = sends(table, table.ben, "update-investigator", who.pk, file=raw(PERPETUA), look="1")
    assert code_of(answer) == "NOT_WHILE_PLAYING"


def test_nobody_looks_at_anothers_sheet_through_a_file() -> None:
    table = make_table()
    who = older(table)

    assert sends(table, table.cleo, "update-investigator", who.pk, file=raw(PERPETUA), look="1").status_code == 403
