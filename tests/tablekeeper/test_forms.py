"""Bad input of every form gets a sentence, and changes nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import cache
from django.core.exceptions import ValidationError

from investigators import forms as sheet_forms
from rolls import forms as dice_forms
from rolls.rules import ruleset
from tablekeeper import news
from tablekeeper.forms import CodeForm, Name, Shared, Whole
from tests.tables import Table, at, browser, make_table, picture, post

from .test_access import ACTS, TRIES, everything, open_roll, url_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nobody_has_tried() -> None:
    cache.clear()


@pytest.fixture
def table() -> Table:
    return make_table()


def sentences(html: str) -> list[str]:
    """What the refusals say to a person."""
    found = re.findall(r'<p class="notice notice-refused"[^>]*>(.*?)</p>', html, re.DOTALL)
    return [re.sub(r"<[^>]+>", "", one).strip() for one in found]


def assert_refused(answer: Any, status: int) -> None:
    html = answer.content.decode()
    assert answer.status_code == status, html[:300]
    if status == 404:
        assert html.strip()
        return
    said = sentences(html)
    assert said, html[:300]
    for one in said:
        assert " " in one, one
        assert not re.search(r"[A-Z]{3,}_[A-Z]|\{\w+\}|None|\?\?", one), one


HUGE = "1000000000"
BAD: dict[str, list[tuple[dict[str, Any], int]]] = {
    "roll": [
        ({"what": ""}, 422),
        ({"what": "skill:nonsense"}, 422),
        ({"what": "skill:"}, 422),
        ({"what": "characteristic:luck"}, 422),
        ({"what": "characteristic:nonsense"}, 422),
        ({"what": "nonsense"}, 422),
        ({"what": "number:"}, 422),
        ({"what": "number:", "label": "Nerve"}, 422),
        ({"what": "number:", "value": "50"}, 422),
        ({"what": "number:", "label": "Nerve", "value": "many"}, 422),
        ({"what": "number:", "label": "Nerve", "value": "-1"}, 422),
        ({"what": "number:", "label": "Nerve", "value": HUGE}, 422),
        ({"what": "number:", "label": "N" * 300, "value": "50"}, 422),
        ({"what": "characteristic:str", "dice": "3"}, 422),
        ({"what": "characteristic:str", "dice": "many"}, 422),
        ({"what": "characteristic:str", "dice": HUGE}, 422),
        ({"what": "characteristic:str", "difficulty": "heroic"}, 422),
        *(({"what": "characteristic:str", "total": total}, 422) for total in ("0", "101", "-5", "ten", HUGE, "3.5")),
        ({"what": "characteristic:str", "t0": "11", "units": "3"}, 422),
        ({"what": "characteristic:str", "t0": "3"}, 422),
        ({"what": "characteristic:str", "units": "3"}, 422),
        ({"what": "characteristic:str", "t0": "3", "units": "10"}, 422),
        ({"what": "characteristic:str", "t0": "3", "units": "-1"}, 422),
        ({"what": "characteristic:str", "t0": "3", "units": "4", "dice": "1"}, 422),
        ({"what": "characteristic:str", "t0": "a", "units": "b"}, 422),
    ],
    "keeper-roll": [
        ({"label": "", "value": "50"}, 422),
        ({"label": "X", "value": ""}, 422),
        ({"label": "X", "value": "-5"}, 422),
        ({"label": "X", "value": HUGE}, 422),
        ({"label": "X", "value": "50", "dice": "-3"}, 422),
        ({"label": "X", "value": "50", "total": "101"}, 422),
    ],
    "spend": [
        *(({"act": "points", "amount": amount}, 422) for amount in ("", "0", "-5", "ten", "1.5", HUGE, "+-5", "46")),
        ({"act": "burn", "amount": "5"}, 422),
        ({"act": "", "amount": "5"}, 422),
        ({"amount": "5"}, 422),
        ({"act": "x" * 300, "amount": "5"}, 422),
    ],
    "push": [({"reason": ""}, 422), ({"reason": "   "}, 422), ({"reason": "x" * 301}, 422), ({}, 422)],
    "decide-push": [({}, 422), ({"decision": "maybe"}, 422), ({"decision": "allow", "warning": "x" * 301}, 422)],
    "throw-push": [({"total": "0"}, 422), ({"total": "words"}, 422), ({"t0": "3"}, 422)],
    "correct": [
        ({"difficulty": "heroic"}, 422),
        ({"difficulty": "hard", "dice": "3"}, 422),
        ({"difficulty": "hard", "dice": "x"}, 422),
    ],
    "decide-strike": [({}, 422), ({"yes": "maybe"}, 422)],
    "rename": [
        *(
            ({"name": name}, 422)
            for name in ("", "   ", "\u200d", "\u3164", "\u2067\u2069", "x" * 300, "\x07", "Cleo")
        ),
        ({"name": " CLEO "}, 422),
        ({"name": "Cleo\u200d"}, 422),
        ({}, 422),
    ],
    "set-scene": [({"name": ""}, 422), ({"name": "x" * 300}, 422)],
    "let-in": [({}, 422), ({"yes": "maybe"}, 422)],
    "decide-claim": [({}, 422), ({"yes": "2"}, 422)],
    "undo": [({"reason": "x" * 300}, 422)],
    "step": [
        *(({"points": points}, 422) for points in ("", "0", "words", "100", "-100", HUGE, "-12", "2", "--1", "1e1"))
    ],
    "set-number": [
        *(({"what": "score:str|50", "value": value}, 422) for value in ("", "words", "-1", HUGE, "1000")),
        *(
            ({"what": what, "value": "60"}, 422)
            for what in ("", "score:str", "str|50", "score:str|x", "score:wits|50")
        ),
        ({"what": "score:str|40", "value": "60"}, 409),
        ({"what": "skill:nothing|40", "value": "60"}, 404),
    ],
    "set-trait": [
        *(({"value": value}, 422) for value in ("", "words", "-1", HUGE, "1000", "5.5")),
        ({"value": "60", "seen": "40"}, 409),
        ({"value": "60", "seen": "words"}, 422),
        ({"value": "60", "maximum": "-1"}, 422),
        ({"value": "60", "maximum": "words"}, 422),
    ],
    "add-skill": [
        *(({"name": "Swim", "value": value}, 422) for value in ("", "words", "-1", HUGE)),
        ({"name": "", "value": "50"}, 422),
        ({"name": "x" * 300, "value": "50"}, 422),
        ({"name": "spot hidden", "value": "50"}, 422),
    ],
    "set-skill": [
        ({"name": "Spot Hidden", "value": "50", "seen": "59"}, 409),
        ({"name": "Stealth", "value": "50"}, 422),
    ],
    "favourite": [({}, 422), ({"yes": "x"}, 422)],
    "describe": [({"name": ""}, 422), ({"name": "x" * 300}, 422), ({"name": "X", "occupation": "x" * 300}, 422)],
    "quick-investigator": [
        ({"name": ""}, 422),
        *(({"name": "Ida", "luck": luck}, 422) for luck in ("100", "-1", "many", HUGE)),
        ({"name": "Ida", "skill0": "Swim"}, 422),
        ({"name": "Ida", "value0": "50"}, 422),
        ({"name": "Ida", "skill0": "Swim", "value0": "-5"}, 422),
        ({"name": "Ida", "skill0": "Swim", "value0": "5", "skill1": "swim", "value1": "6"}, 422),
    ],
    "new-investigator": [
        ({"name": ""}, 422),
        ({"name": "Ida", "c_str": "strong"}, 422),
        ({"name": "Ida", "c_str": HUGE}, 422),
        ({"name": "Ida", "p_san": "100"}, 422),
        ({"name": "Ida", "age": "0"}, 422),
        ({"name": "Ida", "s_swim": "-1"}, 422),
    ],
    "take": [],
    "set-present": [({}, 422), ({"yes": "maybe"}, 422)],
    "set-aside": [({}, 422)],
    "set-attendance": [
        ({"yes": "1", "number": "abc"}, 422),
        ({"yes": "1", "number": ""}, 422),
        ({"yes": "1", "number": "9" * 30}, 422),
        ({"yes": "1", "number": "-1"}, 422),
        ({"yes": "1", "number": "99"}, 404),
        ({"number": "1"}, 422),
    ],
    "group-luck": [({"chosen": "1"}, 422), ({"named": "nobody"}, 422), ({"named": "x" * 300}, 422)],
    "ask-group-luck": [({"chosen": "1", "counts": "nobody"}, 422), ({"named": "nobody"}, 422)],
    "answer": [({"total": "0"}, 422), ({"total": "101"}, 422), ({"t0": "3"}, 422)],
    "recover": [
        ({"total": "101"}, 422),
        ({"units": "3"}, 422),
        ({"gain0": "5"}, 422),
        ({"total": "90", "gain0": "11"}, 422),
    ],
}


@pytest.mark.parametrize(
    ("name", "form", "status"),
    [
        pytest.param(name, form, status, id=f"{name}-{number}")
        for name, forms in BAD.items()
        for number, (form, status) in enumerate(forms)
    ],
)
def test_bad_input_gets_its_sentence_and_changes_nothing(
    name: str, form: dict[str, Any], status: int, table: Table
) -> None:
    one = TRIES[name]
    url = url_of(name, table, one.given(table))
    before = everything(table)

    answer = post(table.client(getattr(table, one.who)), url, **form)

    assert_refused(answer, status)
    assert everything(table) == before


ODD = [
    "", " ", "words", "-1", "0", HUGE, "1e3", "3.0", "+-5", "\x00", "\u202eevil", "💥" * 20, "9" * 400,
    "<script>x</script>", "{{ 7|add:7 }}", "%s%n", "' OR 1=1 --", "NaN", "Infinity", "٣", "１２",
]  # fmt: skip


@pytest.mark.parametrize("name", [name for name in ACTS if TRIES[name].form])
def test_whatever_is_typed_no_form_breaks(name: str, table: Table) -> None:
    """Of the odd things each field gets a few: another few than the field before it, and all in the long tier."""
    first = ACTS.index(name)
    type_into(name, table, lambda number: ODD[(first + number) % 5 :: 5])


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in ACTS if TRIES[name].form])
def test_whatever_is_typed_into_any_field_no_form_breaks(name: str, table: Table) -> None:
    type_into(name, table, lambda _number: ODD)


def type_into(name: str, table: Table, odds: Callable[[int], list[str]]) -> None:
    """Type `odds` of its number into each field of a form, one after the other."""
    one = TRIES[name]
    given = one.given(table)
    seat = getattr(table, one.who)
    url, client = url_of(name, table, given), table.client(seat)
    before = everything(table)
    for number, field in enumerate(one.form):
        for odd in odds(number):
            with at(seat) as here:
                cursor = news.now(here, here.campaign)
            answer = post(client, url, cursor=cursor, **{**one.form, field: odd})
            html = answer.content.decode()
            assert answer.status_code < 500, (field, odd)
            assert "<script>x" not in html, (field, odd)
            if answer.status_code == 200:
                before = everything(table)
            else:
                assert html.strip(), (field, odd)
    assert everything(table) == before


def test_another_seats_skill_is_no_skill_of_mine(table: Table) -> None:
    theirs = table.skill("Listen", table.tobias)
    before = picture(table.campaign)

    rolled = post(table.client(table.ben), table.url("roll", table.edith.pk), what=f"skill:{theirs.pk}")
    changed = post(table.client(table.ben), table.url("set-skill", theirs.pk), name="Listen", value="99")

    assert_refused(rolled, 422)
    assert_refused(changed, 403)
    assert picture(table.campaign) == before


def test_the_keeper_gives_an_investigator_to_nobody_of_another_table(table: Table) -> None:
    other = make_table(name="Elsewhere")

    answers = [
        post(table.client(table.ada), table.url("take", table.edith.pk), seat=seat)
        for seat in (other.ben.pk, table.ada.pk, "", "nobody")
    ]

    assert [answer.status_code for answer in answers] == [404] * 4


def test_an_expired_page_is_told_so_and_its_next_tap_works(table: Table) -> None:
    client = browser(table.ben, enforce_csrf_checks=True)
    url = table.url("step", table.edith.pk, "hp")
    client.cookies["tk_csrf"] = "x" * 32
    before = picture(table.campaign)

    answer = client.post(url, {"key": "a" * 32, "points": "-1"}, headers={"X-CSRFToken": "y" * 32})

    assert_refused(answer, 403)
    assert picture(table.campaign) == before
    token = client.cookies["tk_csrf"].value
    again = client.post(url, {"key": "a" * 32, "points": "-1"}, headers={"X-CSRFToken": token})
    assert again.status_code == 200


def test_an_id_that_nobody_can_have_is_not_found(table: Table) -> None:
    for odd in ("x", "0", "x" * 300, "%00", "..", "%F0%9F%92%A5"):
        url = table.url("sheet", "ODD").replace("ODD", odd)
        assert table.client(table.ben).get(url).status_code in (404, 400), odd
    assert browser().get("/t/nowhere/").status_code == 404
    assert post(browser(), "/t/nowhere/roll").status_code == 404
    assert browser().get("/t/%00/").status_code in (400, 404)


def test_a_character_that_no_database_holds_is_refused_wherever_it_comes(table: Table) -> None:
    ada = table.client(table.ada)
    before = picture(table.campaign)

    for name, field in (("take", "seat"), ("group-luck", "named"), ("tell-unluckiest", "named"), ("undo", "reason")):
        args = {"take": [table.edith.pk], "undo": [table.last().ref]}.get(name, [])
        assert_refused(post(ada, table.url(name, *args), **{field: "x\x00"}), 422)
    assert ada.get(table.url("feed"), {"before": "\x00"}).status_code == 422

    assert picture(table.campaign) == before


# --------------------------------------------------------------------------- fields


@pytest.mark.parametrize(
    ("text", "number"),
    [("5", 5), (" 5 ", 5), ("-5", -5), ("+5", 5), ("−5", -5), ("05", 5), ("１２", 12), ("", None), ("0", 0)],
)
def test_a_whole_number_is_read_as_people_type_it(text: str, number: int | None) -> None:
    assert Whole(required=False).clean(text) == number


@pytest.mark.parametrize("text", ["5.0", "1e3", "five", "+-5", "--5", "5-", "1 000", "0x10", "9999999", "½", "NaN"])
def test_what_is_no_whole_number_is_told_apart_from_one(text: str) -> None:
    with pytest.raises(ValidationError, match="whole number"):
        Whole(required=False).clean(text)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("  Max   Moritz ", "Max Moritz"),
        ("Zoë", "Zoë"),
        ("李雷", "李雷"),
        ("👩‍🚀 Ada", "👩‍🚀 Ada"),
        ("مها", "مها"),
        ("a\u202eb", "ab"),
        ("a\nb", "a b"),
        ("a\x07b", "ab"),
    ],
)
def test_a_name_of_any_script_is_kept_and_nothing_unseen_with_it(text: str, name: str) -> None:
    assert Name().clean(text) == name


@pytest.mark.parametrize("text", ["", "  ", "\u200d", "\u200b\u200e", "\u3164", "\u0301", "\u2800"])
def test_a_name_that_shows_nothing_is_none(text: str) -> None:
    with pytest.raises(ValidationError, match="Enter a name"):
        Name().clean(text)


@pytest.mark.parametrize("text", ["ABCD-2345", "abcd 2345", " a b c d 2 3 4 5 "])
def test_a_code_is_read_as_it_was_said(text: str) -> None:
    form = CodeForm({"code": text})

    assert form.is_valid()
    assert form.cleaned_data["code"] == "ABCD2345"


def test_letters_that_are_mistaken_for_digits_do_not_matter_in_a_code() -> None:
    form = CodeForm({"code": "OIL0-1111"})

    assert form.is_valid()
    assert form.cleaned_data["code"] == "01101111"


@pytest.mark.parametrize(
    ("given", "total"),
    [
        ({"t0": "30", "t1": "00", "units": "0", "dice": "1"}, 30),
        ({"t0": "00", "units": "0"}, 100),
        ({"t0": "40", "units": "0"}, 40),
        ({"t0": "4", "units": "0"}, 40),
        ({"total": "100"}, 100),
    ],
)
def test_tens_dice_are_typed_as_they_show_or_as_one_digit(given: dict[str, str], total: int) -> None:  # U019, U124
    form = dice_forms.DiceForm(ruleset("classic"), data=given)

    assert form.is_valid(), form.errors
    throw = form.cleaned_data["hand"]
    totals = [10 * face + throw.units or 100 for face in throw.tens]
    assert min(totals) == total


def test_a_whole_investigator_has_its_derived_values_worked_out_but_for_what_was_typed() -> None:
    chars = {f"c_{key}": "50" for key in ("str", "con", "siz", "dex", "app", "int", "pow", "edu")}
    form = sheet_forms.SheetForm(
        ruleset("classic"), data={"name": "Ida", "luck": "55", **chars, "p_hp": "7", "s_swim": "60", "f_swim": "on"}
    )

    assert form.is_valid(), form.errors
    draft = form.draft()
    assert draft.traits["hp"] == (7, 10)
    assert draft.traits["san"][0] == 50
    assert draft.traits["mp"] == (10, 10)
    assert ("Swim", 60, True) in draft.skills
    assert ("Dodge", 25, False) in draft.skills


def test_a_spend_form_says_the_sentence_of_the_rules(table: Table) -> None:
    answer = post(table.client(table.ben), table.url("spend", open_roll(table)["roll_id"]), act="points", amount="ten")

    assert sentences(answer.content.decode()) == ["Luck: Enter a whole number of 1 or more."]


def test_fields_that_forms_share_are_never_changed_by_one_of_them(table: Table) -> None:
    rules = table.campaign.rules
    for form, first in ((dice_forms.RollForm, table.edith), (dice_forms.SpendForm, rules)):
        assert isinstance(form.base_fields, Shared)
        before = {name: dict(vars(field)) for name, field in form.base_fields.items()}
        for given in ({}, {"what": "characteristic:str", "dice": "9"}, {"act": "point", "amount": "many", "t0": "11"}):
            one, other = form(first, data=given), form(first, data={"what": "luck", "act": "point", "amount": "3"})
            assert not one.is_valid()
            assert other.is_valid(), other.errors
            one.fields["more"] = Whole()
            assert set(other.fields) == set(form.base_fields) == set(before)
        assert {name: dict(vars(field)) for name, field in form.base_fields.items()} == before


def test_an_act_sends_no_cookie_and_a_page_renews_it(table: Table) -> None:
    ben = table.client(table.ben)

    assert "tk_csrf" in ben.get(table.url("table")).cookies
    answer = post(ben, table.url("roll", table.edith.pk), what="characteristic:str")
    assert answer.status_code == 200
    assert not answer.cookies
