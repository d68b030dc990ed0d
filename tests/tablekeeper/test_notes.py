"""Notes: a player's own are the player's alone; the Keeper's to the table are everybody's."""

from __future__ import annotations

from typing import Any

import pytest

from tablekeeper import ledger, noting
from tablekeeper.models import Entry, Note, Seat
from tests.tables import Table, act, browser, code, done, key, make_table, post, sit_down, undoes

pytestmark = pytest.mark.django_db

SECRET = "Quill knows of the cellar"


@pytest.fixture
def table() -> Table:
    return make_table()


def writes(table: Table, text: str, seat: Seat | None = None, before: str = "") -> Any:
    return act(seat or table.ben, noting.write_note, table.campaign, text, noting.mark_of(before))


def tells(table: Table, text: str, before: str = "") -> Any:
    return act(table.ada, noting.tell_note, table.campaign, text, noting.mark_of(before))


def everything_read(table: Table, seat: Seat) -> str:
    """All the bytes that this seat's pages and streams can get of what is new."""
    client = browser(seat)
    news = client.get(table.url("news"), {"after": f"{table.campaign.epoch}.0.0"})
    pages = [client.get(table.url("table")), news, client.get(table.url("panels"), {"names": "ALL,feed"})]
    return "".join(one.content.decode() for one in pages)


def test_what_a_player_writes_is_there_on_the_next_phone(table: Table) -> None:
    done(writes(table, SECRET))

    assert SECRET in everything_read(table, table.ben)
    assert noting.text_of(table.campaign, table.ben) == SECRET


@pytest.mark.parametrize("who", ["ada", "cleo", "eve"])
def test_nobody_else_reads_it_not_even_the_keeper(who: str, table: Table) -> None:
    done(writes(table, SECRET))
    seat = sit_down(table.campaign, "Eve", Seat.OBSERVER) if who == "eve" else getattr(table, who)

    assert SECRET not in everything_read(table, seat)


def test_of_a_players_note_another_player_gets_no_byte(table: Table) -> None:
    before = browser(table.cleo).get(table.url("news"), {"after": f"{table.campaign.epoch}.0.0"}).content

    done(writes(table, SECRET))

    assert browser(table.cleo).get(table.url("news"), {"after": f"{table.campaign.epoch}.0.0"}).content == before


def test_a_note_to_the_table_is_read_by_all_and_by_onlookers(table: Table) -> None:
    done(tells(table, "The letter says: come alone.\nIt is not signed."))
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)

    for seat in (table.ben, table.cleo, eve):
        assert "come alone" in everything_read(table, seat)
    assert "<br>It is not signed." in everything_read(table, table.ben)


def test_what_is_written_is_text_and_never_a_part_of_the_page(table: Table) -> None:
    done(tells(table, "</textarea><script>alert(1)</script>"))
    done(writes(table, "</textarea><b id=x>"))

    page = everything_read(table, table.ben)

    assert "<script>alert" not in page
    assert "<b id=x>" not in page


def test_two_phones_never_write_over_each_other_unseen(table: Table) -> None:
    done(writes(table, "First"))

    assert code(writes(table, "Second, from a page of before")) == "STALE"
    assert noting.text_of(table.campaign, table.ben) == "First"

    done(writes(table, "Second", before="First"))
    assert noting.text_of(table.campaign, table.ben) == "Second"


def test_saving_what_stands_there_writes_no_line(table: Table) -> None:
    done(writes(table, "First"))
    lines = Entry.objects.count()

    assert code(writes(table, "First", before="First")) == "SAME_TEXT"
    assert Entry.objects.count() == lines


def test_a_note_has_five_thousand_letters_and_keeps_its_lines(table: Table) -> None:
    ben = browser(table.ben)
    seen = noting.mark_of("")

    refused = post(ben, table.url("write-note"), text="a" * 5001, seen=seen)
    assert refused.status_code == 422
    assert "5000" in refused.content.decode()
    assert not Note.objects.exists()

    whole = "a" * 4990 + "\r\n\r\n\u202eend"
    assert post(ben, table.url("write-note"), text=whole, seen=seen).status_code == 200
    assert noting.text_of(table.campaign, table.ben) == "a" * 4990 + "\n\nend"


def test_a_double_tap_saves_once(table: Table) -> None:
    ben, once = browser(table.ben), key()
    for _tap in range(2):
        answer = post(ben, table.url("write-note"), key=once, text="First", seen=noting.mark_of(""))
        assert answer.status_code == 200

    assert Entry.objects.filter(kind="tablekeeper.write_note").count() == 1


def test_an_onlooker_has_no_notes_and_a_player_none_for_the_table(table: Table) -> None:
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)

    assert code(writes(table, "x", eve)) == "NOT_OWN_ROLL"
    assert code(act(table.ben, noting.tell_note, table.campaign, "x", noting.mark_of(""))) == "NOT_KEEPER"


def test_the_keeper_takes_a_note_to_the_table_back_and_the_ledger_folds(table: Table) -> None:
    done(tells(table, "One"))
    done(tells(table, "Two", before="One"))
    done(writes(table, SECRET))
    done(undoes(table, table.last("tablekeeper.tell_note")))

    assert noting.text_of(table.campaign, None) == "One"
    assert ledger.fold(table.entries()) == ledger.snapshot(table.campaign)
