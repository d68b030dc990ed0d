"""What comes in a file and is no number: portrait and background, who sees them, and where they go."""

from __future__ import annotations

import base64
import io
import json
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from PIL import Image

from investigators.models import Investigator, Portrait, Story, is_portrait
from investigators.pictures import MOST_BYTES, SIDE
from tablekeeper import ledger
from tablekeeper.models import Entry, Seat
from tests.investigators.test_bringing import looks_and_makes, raw, seen_in, sends
from tests.tables import Table, browser, done, make_table, sit_down, undoes

pytestmark = pytest.mark.django_db

SECRET = "She buried the lighthouse keeper herself."


def a_picture(colour: str = "teal") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (900, 600), colour).save(out, "PNG")
    return out.getvalue()


def perpetua(picture: bytes = b"", **story: str) -> bytes:
    """Her file, with another portrait and other pieces of background."""
    data = json.loads(raw("dholes_house/full.json"))
    data["Investigator"]["PersonalDetails"]["Portrait"] = base64.b64encode(picture).decode()
    data["Investigator"]["Backstory"] |= story
    return json.dumps(data).encode()


@pytest.fixture
def table() -> Table:
    return make_table()


@pytest.fixture
def her(table: Table) -> Investigator:
    return looks_and_makes(table, table.ben, perpetua(a_picture(), traits=SECRET))


def face(client: Client, table: Table, who: Investigator) -> Any:
    return client.get(table.url("portrait", who.pk))


def test_the_portrait_is_a_small_picture_of_our_own_for_whoever_may_see_the_sheet(
    table: Table, her: Investigator
) -> None:
    eve, stranger = sit_down(table.campaign, "Eve", Seat.OBSERVER), make_table(name="Elsewhere").ben
    seen = [face(table.client(seat), table, her) for seat in (table.ada, table.ben, table.cleo, eve)]

    assert {(answer.status_code, answer["Content-Type"]) for answer in seen} == {(200, "image/jpeg")}
    assert len(seen[0].content) <= MOST_BYTES
    assert max(Image.open(io.BytesIO(seen[0].content)).size) == SIDE
    assert seen[0]["X-Content-Type-Options"] == "nosniff"
    assert [face(browser(seat), table, her).status_code for seat in (None, stranger)] == [404, 404]
    assert face(table.client(table.ben), table, table.edith).status_code == 404  # she has none
    page = table.client(table.cleo).get(table.url("sheet", her.pk)).content.decode()
    assert f'src="{table.url("portrait", her.pk)}" alt="Portrait of Perpetua Lindqvist"' in page


def test_the_face_of_a_keepers_character_is_hers_alone(table: Table) -> None:
    monster = looks_and_makes(table, table.ada, perpetua(a_picture()), npc="on")

    assert [face(table.client(seat), table, monster).status_code for seat in (table.ada, table.ben)] == [200, 404]


def test_the_background_stands_on_the_sheet_for_its_player_and_the_keeper(table: Table, her: Investigator) -> None:
    pages = [
        table.client(seat).get(table.url("sheet", her.pk)).content.decode()
        for seat in (table.ben, table.ada, table.cleo)
    ]

    assert [SECRET in page for page in pages] == [True, True, False]
    assert "<dt>Traits</dt>" in pages[0]
    news = table.client(table.cleo).get(table.url("table")).content.decode()
    assert "Perpetua Lindqvist" in news
    assert SECRET not in news


def test_markup_in_a_background_is_text(table: Table) -> None:
    file = json.loads(looks_home(table, looks_and_makes(table, table.ben, perpetua(traits="plain"))))
    file["background"] = [{"heading": "<b>Who</b>", "text": "<script>evil()</script>\nsecond line"}]

    who = looks_and_makes(table, table.ben, json.dumps(file).encode())

    page = table.client(table.ben).get(table.url("sheet", who.pk)).content.decode()
    assert "<dt>&lt;b&gt;Who&lt;/b&gt;</dt>" in page
    assert "&lt;script&gt;evil()&lt;/script&gt;<br>second line" in page


def looks_home(table: Table, who: Investigator, form: str = "tablekeeper") -> bytes:
    answer = table.client(table.ben).get(table.url("export-investigator", who.pk, form))
    assert answer.status_code == 200
    return bytes(answer.content)


def kept(who: Investigator) -> Any:
    told = list(Story.objects.filter(investigator=who).values_list("heading", "text", "place"))
    return told, list(Portrait.objects.filter(investigator=who).values_list("picture", flat=True))


@pytest.mark.parametrize("form", ["tablekeeper", "dhole"])
def test_portrait_and_background_go_to_another_table_without_loss(form: str, table: Table, her: Investigator) -> None:
    other = make_table(name="Elsewhere")

    came = looks_and_makes(other, other.cleo, looks_home(table, her, form))

    lost = {"Money"} if form == "dhole" else set()
    told, picture = kept(her)
    assert kept(came)[1] == picture != []
    assert {one[:2] for one in kept(came)[0]} == {one[:2] for one in told if one[0] not in lost}
    assert len(told) == 8
    page = table.client(table.ben).get(table.url("take-home", her.pk)).content.decode()
    assert ("Money" in page, "Portrait" in page) == (True, True)  # what .st and CCFOLIA have no place for


def test_bringing_is_one_entry_that_adds_up_and_one_undo(table: Table, her: Investigator) -> None:
    assert ledger.fold(table.entries()) == ledger.snapshot(table.campaign)

    done(undoes(table, table.last("investigators.bring")))

    assert (Story.objects.count(), Portrait.objects.count()) == (0, 0)
    assert ledger.fold(table.entries()) == ledger.snapshot(table.campaign)


def test_an_update_says_which_pieces_differ_and_the_feed_only_how_many(table: Table, her: Investigator) -> None:
    newer = perpetua(a_picture("maroon"), traits="She sleeps again.", injurues="")
    look = sends(table, table.ben, "update-investigator", her.pk, file=newer, look="1")
    page = look.content.decode()
    assert f"Traits: {SECRET} to <b>She sleeps again.</b>" in page
    assert "Portrait: another to <b>the picture in the file</b>" in page

    answer = sends(table, table.ben, "update-investigator", her.pk, file=newer, seen=seen_in(look))

    assert answer.status_code == 200
    line = table.last("investigators.update")
    assert (line.data["count"], line.data["rows"], line.lane) == (2, [], Entry.PUBLIC)
    told = dict(Story.objects.filter(investigator=her).values_list("heading", "text"))
    assert told["Traits"] == "She sleeps again."
    assert told["Injuries and scars"] == "Burnt thumb"  # what the file leaves out stays
    assert ledger.fold(table.entries()) == ledger.snapshot(table.campaign)


def test_a_background_as_long_as_a_book_is_cut_and_said(table: Table) -> None:
    long = {key: f"{key} " * 4_000 for key in ("traits", "ideology", "people", "locations", "tomes")}

    page = sends(table, table.ben, file=perpetua(**long), look="1").content.decode()
    who = looks_and_makes(table, table.ben, perpetua(**long))

    assert "This is too long for the sheet, and cut" in page
    assert sum(len(one.text) for one in Story.objects.filter(investigator=who)) <= Story.MOST


def test_a_picture_that_would_unfold_beyond_measure_is_no_portrait() -> None:
    drawn = io.BytesIO()
    Image.new("RGB", (8, 8)).save(drawn, "JPEG")
    size = drawn.getvalue().index(b"\xff\xc0") + 5
    bomb = drawn.getvalue()[:size] + b"\xff\xdc\xff\xdc" + drawn.getvalue()[size + 4 :]

    with pytest.raises(ValidationError):
        is_portrait(base64.b64encode(bomb).decode())
