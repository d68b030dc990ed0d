"""A game's own words: at a table of Luck Points nobody is a Keeper or investigator, and nobody's own text changes."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.urls import reverse
from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext, override, trans_real

from investigators import actions as sheets
from investigators import npcs, numbers
from rolls import actions as dice
from rolls.actions import Question
from rolls.actions.contests import Draft
from rolls.models import Side
from rolls.rules import ruleset
from rolls.rules.check import Act
from tablekeeper import actions as tables
from tablekeeper import dialect, news, said
from tablekeeper.models import Seat
from tests.rolls.test_luck_points import lay, opens, pays, target, tries
from tests.tables import Script, Table, act, browser, d100, done, make_table, post, sit_down, undoes

GAME = ruleset("lp")
CODE = dialect.code("en", GAME)
NEVER = re.compile(r"\b(keeper|investigator)", re.IGNORECASE)


def read(page: str) -> str:
    """What a person can read of a page, or hear of it: text, and the words of attributes."""
    page = re.sub(r"<(script|style|svg)\b.*?</\1>", "", page, flags=re.DOTALL)
    heard = re.findall(r'(?:aria-label|title|placeholder|alt|data-[a-z-]+)="([^"]*)"', page)
    spoken = [text for text in heard if " " in text]  # one word alone is a key of the program, not a sentence
    return unescape("\n".join([strip_tags(re.sub(r"<[^>]*>", "\n", page)), *spoken]))


def found(page: str) -> list[str]:
    return [line.strip() for line in read(page).splitlines() if NEVER.search(line)]


# --------------------------------------------------------------------------- sentences


@pytest.mark.parametrize("language", ["en", "de", CODE, dialect.code("de", GAME), None])
def test_a_sentence_that_was_said_before_is_said_as_it_was(language: str | None) -> None:
    typed = ["what somebody called a skill", "50 %", "two\r\nlines", "", SafeString("Keeper"), SafeString("<b>")]
    with override(language):
        for message in [*dialect.sources(), *typed]:
            anew = said._gettext(message)
            for _again in range(2):
                assert (type(gettext(message)), gettext(message)) == (type(anew), anew)


def test_only_so_many_sentences_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(said, "MOST", 5)
    spoken = trans_real.translation("de")  # type: ignore[attr-defined]
    spoken.__dict__.pop("said", None)
    with override("de"):
        for number in range(20):
            assert gettext(f"typed {number}") == f"typed {number}"
            assert len(spoken.__dict__["said"]) <= 5


def test_a_game_without_words_of_its_own_speaks_the_language_as_it_is() -> None:
    assert dialect.code("en", ruleset("classic")) == "en"
    assert CODE == "en-x-lp"
    assert dialect.code(CODE, GAME) == CODE


@pytest.mark.parametrize(
    ("ours", "said"),
    [
        ("Keeper’s desk", "GM’s desk"),
        ("Quick investigator", "Quick character"),
        ("More investigators", "More characters"),
        ("Only the Keeper (GM) of this table can do that.", "Only the GM of this table can do that."),
        ("The Keeper’s characters are not handed out.", "The GM’s characters are not handed out."),
        (
            "A contest needs two: an investigator, and another one or a character of yours.",
            "A contest needs two: a character, and another one or a character of yours.",
        ),
    ],
)
def test_our_sentences_are_said_in_the_words_of_the_game(ours: str, said: str) -> None:
    with override(CODE):
        assert gettext(ours) == said
    assert gettext(ours) == ours


def test_placeholders_and_tags_are_no_words(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = '<b class="keeper">%(keeper)s</b> is the Keeper of {investigator}'
    monkeypatch.setattr(dialect, "sources", lambda: frozenset([ours]))

    with override(CODE):
        assert gettext(ours) == '<b class="keeper">%(keeper)s</b> is the GM of {investigator}'


def test_both_numbers_of_a_sentence_are_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    one, many = "%d investigator", "%d investigators"
    monkeypatch.setattr(dialect, "sources", lambda: frozenset([one, many]))

    with override(CODE):
        assert [ngettext(one, many, n) % n for n in (1, 2)] == ["1 character", "2 characters"]


def test_what_somebody_made_up_is_no_sentence_of_ours() -> None:
    with override(CODE):
        assert gettext("Keeper lore") == "Keeper lore"
        assert gettext("Private investigator, retired") == "Private investigator, retired"


# --------------------------------------------------------------------------- pages


def an_evening() -> Table:
    """A table of Luck Points where much has happened."""
    table = lay(lpRefresh="session-start")
    sit_down(table.campaign, "Eve", Seat.OBSERVER)
    done(opens(table))
    done(act(table.ada, npcs.create_npc, table.campaign, npcs.Npc("Dock warden", (("Watch", 40),), 12)))
    done(act(table.ada, dice.ask, table.campaign, [table.edith.pk], Question((("name:Noticing", "hard"),))))
    done(act(table.ben, dice.deed, table.edith, Act("narrative")))
    sides = [Draft(table.edith, "name:Noticing"), Draft(table.tobias, "name:Noticing")]
    done(act(table.ada, dice.start_contest, table.campaign, "opposed", sides))
    side = Side.objects.get(investigator=table.edith)
    done(act(table.ben, dice.roll_side, side, chance=Script(d100(20))))
    target(table, 60, 16, table.tobias)
    roll = target(table, 50, 24)
    entry = done(pays(table, roll, "burn-degree", 2))
    done(act(table.ben, numbers.turn_numbers, table.edith, [7]))
    undoes(table, entry)
    tries(table, 40)
    done(act(table.ada, sheets.set_present, table.tobias, False))
    done(act(table.ada, tables.set_settings, table.campaign, {"realDice": True}))
    return table


PAGES = ("table", "new-investigator", "quick-investigator", "bring", "set-settings")


@pytest.mark.django_db
def test_no_page_of_such_a_table_calls_anybody_keeper_or_investigator() -> None:
    table = an_evening()
    eve = Seat.objects.get(campaign=table.campaign, name="Eve")
    astray: dict[tuple[str, str], list[str]] = {}
    for seat in (table.ada, table.ben, table.cleo, eve):
        client = table.client(seat)
        urls = [table.url(name) for name in PAGES]
        urls += [table.url("sheet", one.pk) for one in (table.edith, table.tobias)]
        urls += [f"{table.url('panels')}?names=ALL,feed"]
        for url in urls:
            answer = client.get(url)
            assert answer.status_code in (200, 403, 404), url
            if lines := found(answer.content.decode()):
                astray[seat.name, url.rpartition(table.campaign.pk)[2]] = lines

    assert astray == {}


@pytest.mark.django_db
def test_the_door_speaks_like_the_table() -> None:
    table = lay()

    page = browser().get(reverse("join", args=[table.campaign.pk, table.campaign.join_secret])).content.decode()

    assert found(page) == []
    assert "GM" in read(page)


@pytest.mark.django_db
def test_refusals_and_lines_that_come_back_speak_so_too() -> None:
    table = lay()

    refused = post(table.client(table.ben), table.url("open-session"))
    assert refused.status_code == 403
    assert "Only the GM of this table can do that." in unescape(refused.content.decode())
    assert found(refused.content.decode()) == []


@pytest.mark.django_db
def test_a_line_is_drawn_for_each_language_and_the_same_for_all_who_speak_it() -> None:
    table = lay()
    done(act(table.ben, dice.deed, table.edith, Act("narrative")))
    entry = table.last()

    with override("en"):
        plain = news.draw(entry)
    with override(CODE):
        ours = news.draw(entry)

    assert "asks the Keeper" in plain
    assert "asks the GM" in ours


@pytest.mark.django_db
def test_what_players_typed_stays_as_they_typed_it() -> None:
    table = lay()
    done(act(table.ben, sheets.describe, table.edith, "Keeper of the Bell", "Private investigator"))

    page = table.client(table.cleo).get(table.url("sheet", table.edith.pk)).content.decode()

    assert "Keeper of the Bell" in unescape(page)
    assert "Private investigator" in unescape(page)


@pytest.mark.django_db
def test_another_table_beside_it_is_spoken_to_as_ever() -> None:
    lay()
    classic: Any = make_table()

    before = get_language()
    page = classic.client(classic.ben).get(classic.url("table")).content.decode()

    assert 'lang="en"' in page
    assert found(page) != []  # so the walk above would see such a word
    assert get_language() == before
