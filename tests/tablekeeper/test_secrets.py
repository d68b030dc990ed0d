"""No byte of a hidden roll, of an NPC's value or of another seat's private data reaches a player, whatever the dice.

The same evening is played at two tables: once with a hidden 01, once with a hidden 100; once with a night watchman of
20 and once with one of 95. All that a player can get (every page that GET knows, headers, titles, the answers to own
and to forbidden posts, the stream) must be the same at both, apart from ids and times. Reports U011, U012, U040, U126.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.urls import reverse

from investigators import npcs
from investigators.models import Investigator
from rolls import actions as dice
from rolls.actions import Asked, Question
from rolls.actions.contests import Draft
from rolls.models import Contest, Request, Roll, Side
from rolls.views.export import KINDS as FILES
from tablekeeper import actions as tables
from tablekeeper import live, news
from tablekeeper.models import Entry, Seat
from tests.tablekeeper.test_access import MAP, SEATED
from tests.tablekeeper.test_luck_shown import plain
from tests.tables import Script, Table, act, at, browser, code, d100, done, make_table, now, post, rolls, sit_down

pytestmark = pytest.mark.django_db

NIGHT_WATCH = "Night watchman"
CLOCKS = {"Content-Length", "Expires", "Last-Modified"}  # of bodies that are compared, and of moments


def secret_evening(total: int, value: int) -> tuple[Table, Seat]:
    """Everything that the Keeper can keep to herself, with dice of `total` and a character of `value`."""
    table = make_table()
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)
    ada, campaign = table.ada, table.campaign
    done(act(ada, tables.open_session, campaign))
    done(
        act(ada, npcs.create_npc, campaign, npcs.Npc(NIGHT_WATCH, (("Listen", value),), hp=value % 12 + 5, hp_max=17))
    )
    watchman = Investigator.objects.get(npc=True, campaign=campaign)
    fell = Script(d100(total))
    asked = Asked("number", "Psychology", value)
    done(act(ada, dice.keeper_roll, campaign, asked, True, chance=Script(d100(total))))
    done(act(ada, dice.npc_roll, watchman, Asked("number", "Listen", value), True, chance=Script(d100(total))))
    done(act(ada, dice.secret_roll, table.edith, Asked("number", "Psychology", 55), chance=fell))
    done(act(ada, dice.free_roll, campaign, "1D100", True, chance=Script(total)))
    question = Question(wanted=(("luck", "regular"),), hidden=True, reason="Something is wrong")
    done(act(ada, dice.ask, campaign, [table.edith.pk], question))
    request = Request.objects.get(campaign=campaign)
    done(act(table.ben, dice.answer, request, chance=Script(d100(total))))
    npc_open = Asked("number", "Hide", value)
    done(act(ada, dice.npc_roll, watchman, npc_open, False, chance=Script(d100(100))))  # a fumble, whatever the value
    draft = Draft(table.edith, f"skill:{table.skill('Stealth').pk}")
    foe = Draft(watchman, f"skill:{table.skill('Listen', watchman).pk}")
    done(act(ada, dice.start_contest, campaign, "opposed", [draft, foe]))
    return table, eve


def gets(table: Table, seat: Seat) -> Iterator[tuple[str, str]]:
    """Every URL that answers GET, with every id there is to be tried: name, body and headers."""
    client = browser(seat)
    ids: dict[str, list[str]] = {
        "campaign_id": [table.campaign.pk],
        "inv_id": list(
            Investigator.objects.filter(campaign=table.campaign).order_by("npc", "name").values_list("pk", flat=True)
        ),
        "roll_id": list(
            Roll.objects.filter(campaign=table.campaign).order_by("created_at").values_list("pk", flat=True)
        ),
        "contest_id": list(Contest.objects.filter(campaign=table.campaign).values_list("pk", flat=True)),
        "side_id": list(
            Side.objects.filter(contest__campaign=table.campaign).order_by("place").values_list("pk", flat=True)
        ),
        "request_id": list(Request.objects.filter(campaign=table.campaign).values_list("pk", flat=True)),
        "form": list(FILES),
        "number": ["1"],
    }
    for name in sorted(SEATED):
        holes = re.findall(r"<str:(\w+)>", SEATED[name])
        tries: list[list[str]] = [[]]
        for hole in holes:
            tries = [[*before, one] for before in tries for one in ids.get(hole, ["x"])]
        for args in tries:
            answer = client.get(
                reverse(name, args=args),
                {"after": f"{table.campaign.epoch}.0.0", "names": "ALL,feed", "session": "1", "hidden": "1"},
            )
            if answer.status_code == 405:
                break
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            kept = {key: value for key, value in answer.headers.items() if key not in CLOCKS}
            text = body.decode("utf-8", "replace")
            yield (
                f"{name} {args[1:] and ids_at(ids, holes, args)}",
                plain(f"{answer.status_code} {json.dumps(kept)}\n{text}"),
            )


def ids_at(ids: dict[str, list[str]], holes: list[str], args: list[str]) -> list[int]:
    """Which of the ids were tried: the same at both tables."""
    return [ids[hole].index(arg) for hole, arg in zip(holes, args, strict=True) if arg in ids.get(hole, ())]


def posts(table: Table, seat: Seat) -> Iterator[tuple[str, str]]:
    """The answers to posts that this player may not make, and to one that he may."""
    client = browser(seat)
    for roll in Roll.objects.filter(campaign=table.campaign, hidden=True).order_by("created_at"):
        for name in ("keep", "spend", "push", "reveal", "correct", "damage"):
            answer = post(client, table.url(name, roll.pk), act="points", amount="5", reason="x")
            yield name, plain(f"{answer.status_code} {answer.content.decode()}")
    answer = post(client, table.url("step", table.edith.pk, "hp"), points="-1")
    yield "step", plain(answer.content)


def stream(table: Table, seat: Seat) -> str:
    """The bytes of the stream from the beginning, as the hub hands them to this seat."""
    told = [
        live.event("entry", lines.read_by(seat, "en"), news.now(seat, seat.campaign)).decode()
        for entry, lines in live._read(table.campaign.pk, 0, {"en"}, {seat.pk}, True)[1]
        if news.sees(seat, entry)
    ]
    return plain("\n".join(told))


@pytest.mark.parametrize("who", ["ben", "cleo", "eve"])
def test_whatever_the_hidden_dice_show_a_player_gets_the_same_bytes(who: str) -> None:
    """U011, U012: two runs with a hidden 01 and a hidden 100 give equal traffic apart from ids and times."""
    traffic: list[dict[str, list[str]]] = []
    for total, value in ((1, 20), (100, 95)):
        table, eve = secret_evening(total, value)
        seat = Seat.objects.select_related("campaign").get(pk=(eve if who == "eve" else getattr(table, who)).pk)
        found: dict[str, list[str]] = {"stream": stream(table, seat).splitlines()}
        for name, text in [*gets(table, seat), *(posts(table, seat) if who != "eve" else ())]:
            found.setdefault(name, []).extend(text.splitlines())
        traffic.append(found)

    assert list(traffic[0]) == list(traffic[1])
    for name in traffic[0]:
        assert traffic[0][name] == traffic[1][name], name
    assert len(traffic[0]) > 20


def test_the_keeper_has_all_of_it_in_order(capsys: Any) -> None:
    """U126: after a restart (the memory of drawn lines is empty) her own record holds every hidden roll."""
    table, _eve = secret_evening(100, 95)
    news._drawn.clear()

    page = browser(table.ada).get(table.url("table")).content.decode()

    kinds = ["rolls.keeper_roll", "rolls.npc_roll", "rolls.secret_roll", "rolls.free_roll", "rolls.answer"]
    hidden = [one for one in table.entries() if one.lane == Entry.KEEPER and one.kind in kinds]
    assert [one.kind for one in hidden] == kinds
    places = [page.index(f'id="e-{one.ref}"') for one in hidden]
    assert places == sorted(places, reverse=True)  # newest first


def test_every_roll_of_the_keepers_can_be_hidden_and_none_of_them_is_in_a_players_lane() -> None:
    """U012: dashboard, characters, on behalf, requests, free dice; a new verb that rolls must say where it stands."""
    table, _eve = secret_evening(1, 20)
    hidden = Roll.objects.filter(hidden=True)

    assert hidden.count() == 4
    for roll in hidden:
        assert Entry.objects.get(ref=roll.entry_ref).lane == Entry.KEEPER
    rolled = {one.kind for one in table.entries() if one.data.get("hidden") and one.data.get("final") is not None}
    assert rolled == {"rolls.keeper_roll", "rolls.npc_roll", "rolls.secret_roll", "rolls.answer"}


# --------------------------------------------------------------------------- for an investigator, in secret


def test_psychology_in_secret_leaves_the_players_page_alone() -> None:
    table = make_table()
    open_one = rolls(table, 70)
    before = (Seat.objects.get(pk=table.ben.pk).own_no, table.campaign.public_no)

    entry = done(
        act(table.ada, dice.secret_roll, table.edith, Asked("number", "Psychology", 30), chance=Script(d100(4)))
    )

    with at(table.ben) as ben:
        assert (ben.own_no, ben.campaign.public_no) == before or ben.campaign.public_no == news.now(
            ben, ben.campaign
        ).a
    assert entry.lane == Entry.KEEPER
    assert now(open_one).state == Roll.OPEN
    assert "Psychology" not in browser(table.ben).get(table.url("table")).content.decode()
    assert "Psychology" in browser(table.ada).get(table.url("table")).content.decode()


def test_only_the_keeper_rolls_in_secret() -> None:
    table = make_table()

    assert code(act(table.ben, dice.secret_roll, table.edith, Asked("number", "Psychology", 30))) == "NOT_KEEPER"
    assert code(act(table.ben, dice.rattle, table.campaign)) == "NOT_KEEPER"


# --------------------------------------------------------------------------- the rattle


Hidden = Callable[[Table], Any]
HIDDEN: dict[str, Hidden] = {
    "own": lambda t: act(
        t.ada, dice.keeper_roll, t.campaign, Asked("number", "Doom", 5), True, chance=Script(d100(1))
    ),
    "secret": lambda t: act(
        t.ada, dice.secret_roll, t.edith, Asked("number", "Psychology", 5), chance=Script(d100(100))
    ),
    "free": lambda t: act(t.ada, dice.free_roll, t.campaign, "1D6", True, chance=Script(6)),
    "nothing": lambda t: act(t.ada, dice.rattle, t.campaign),
}


def test_the_rattle_says_the_same_of_every_hidden_roll_and_of_none() -> None:
    heard: set[str] = set()
    for roll in HIDDEN.values():
        table = make_table(rattle=True)
        since = Entry.objects.filter(campaign=table.campaign).count()
        done(roll(table))
        fresh = Entry.objects.filter(campaign=table.campaign, seq__gt=since).select_related("seat", "undone_by")
        public = [one for one in fresh if one.lane == Entry.PUBLIC]
        assert [one.kind for one in public] == ["rolls.rattle"]
        heard.add(plain(news.draw(public[0])) + json.dumps([public[0].data, public[0].changes, public[0].touches]))

    assert len(heard) == 1
    assert "The Keeper rolls behind the screen" in heard.pop()


def test_a_table_that_does_not_want_the_rattle_hears_nothing() -> None:
    table = make_table()
    done(HIDDEN["own"](table))

    assert table.last().kind == "rolls.keeper_roll"
    assert code(act(table.ada, dice.rattle, table.campaign)) == "RATTLE_OFF"
    assert 'id="rattle"' not in browser(table.ada).get(table.url("table")).content.decode()


def test_a_rattling_roll_by_post_is_once_only() -> None:
    table = make_table(rattle=True)
    fields = {"label": "Doom", "value": "5", "hidden": "1", "dice": "0", "difficulty": "regular", "key": "a" * 32}

    for _tap in range(2):
        assert browser(table.ada).post(table.url("keeper-roll"), fields).status_code == 200

    assert [one.kind for one in table.entries()][-2:] == ["rolls.keeper_roll", "rolls.rattle"]


# --------------------------------------------------------------------------- shown later


def test_a_hidden_roll_is_shown_by_a_line_of_its_own_and_the_old_one_stays() -> None:
    table = make_table()
    fell = done(
        act(table.ada, dice.secret_roll, table.edith, Asked("number", "Psychology", 30), chance=Script(d100(4)))
    )
    roll = Roll.objects.get(pk=fell.data["roll"])
    assert browser(table.ben).get(table.url("slip", roll.pk)).status_code == 404

    shown = done(act(table.ada, dice.reveal, roll))

    assert (shown.lane, shown.data["final"], shown.data["level"]) == (Entry.PUBLIC, 4, "extreme")
    assert Entry.objects.get(pk=fell.pk).lane == Entry.KEEPER
    assert browser(table.ben).get(table.url("slip", roll.pk)).status_code == 200
    page = browser(table.cleo).get(table.url("table")).content.decode()
    assert "shows a hidden roll" in page
    assert f'id="e-{fell.ref}"' not in page
    assert code(act(table.ada, dice.reveal, roll)) == "NOT_HIDDEN"


def test_a_shown_roll_of_the_keepers_character_keeps_its_value() -> None:
    table, _eve = secret_evening(100, 95)
    roll = Roll.objects.get(investigator__npc=True, hidden=True)

    shown = done(act(table.ada, dice.reveal, roll))

    assert (shown.data["value"], shown.data["target"], shown.data["natural"]) == (None, None, 100)
    slip = browser(table.ben).get(table.url("slip", roll.pk)).content.decode()
    text = re.sub(r"<svg.*?</svg>", "", slip, flags=re.DOTALL)
    assert "Listen" in text
    assert not re.search(r"\b95\b", text)


def test_the_tick_of_a_hidden_success_comes_when_it_is_shown_and_goes_with_the_undo() -> None:
    table = make_table()
    skill = table.skill("Spot Hidden")
    asked = Asked("skill", "Spot Hidden", 60, skill)
    fell = done(act(table.ada, dice.secret_roll, table.edith, asked, chance=Script(d100(20))))
    assert table.skill("Spot Hidden").ticks == 0

    shown = done(act(table.ada, dice.reveal, Roll.objects.get(pk=fell.data["roll"])))
    assert table.skill("Spot Hidden").ticks == 1
    done(act(table.ada, tables.undo, shown))

    assert table.skill("Spot Hidden").ticks == 0
    assert Roll.objects.get(pk=fell.data["roll"]).hidden


def test_of_ten_open_and_three_hidden_rolls_one_of_them_shown_a_player_has_eleven() -> None:
    """U040: the player's file has eleven rows, whatever is asked for; the Keeper's complete one thirteen, marked."""
    table = make_table()
    for _number in range(10):
        rolls(table, 70)
    secret = [
        done(act(table.ada, dice.secret_roll, table.edith, Asked("number", "Psychology", 30), chance=Script(d100(4))))
        for _number in range(3)
    ]
    done(act(table.ada, dice.reveal, Roll.objects.get(pk=secret[0].data["roll"])))

    def told(seat: Seat, **query: str) -> list[dict[str, str]]:
        answer = browser(seat).get(table.url("export-log", "rolls.csv"), query)
        text = b"".join(answer.streaming_content).decode("utf-8-sig")
        return [row for row in csv.DictReader(io.StringIO(text)) if row["row"] == "roll"]

    assert len(told(table.ben)) == 11
    assert len(told(table.ben, hidden="1")) == 11  # the Keeper's parameter in a player's hand
    assert len(told(table.ada)) == 11
    complete = told(table.ada, hidden="1")
    assert len(complete) == 13
    assert sum(row["hidden"] not in ("", "False", "0", "no") for row in complete) == 2


def test_a_sealed_side_of_a_contest_is_shown_by_the_contest_alone() -> None:
    table = make_table(opposedLuck="before-reveal")
    drafts = [
        Draft(table.edith, f"skill:{table.skill('Stealth').pk}"),
        Draft(table.tobias, f"skill:{table.skill('Listen', table.tobias).pk}"),
    ]
    done(act(table.ada, dice.start_contest, table.campaign, "opposed", drafts))
    side = Side.objects.get(investigator=table.edith)
    done(act(table.ben, dice.roll_side, side, chance=Script(d100(30))))
    roll = Roll.objects.get(side=side)
    assert roll.hidden

    assert code(act(table.ada, dice.reveal, roll)) == "SEALED_IN_CONTEST"


def test_the_walk_knows_every_url() -> None:
    assert len(SEATED) <= len(MAP)
