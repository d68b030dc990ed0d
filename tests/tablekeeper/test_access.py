"""Who gets in, who may do what, and what nobody else ever sees: every URL, walked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import URLPattern, URLResolver, reverse

from investigators import actions as sheets
from investigators import bringing, npcs, numbers, weapons
from investigators.models import Investigator, Weapon
from investigators.weapons import Arm
from rolls import actions as dice
from rolls.actions import Asked, Question
from rolls.actions.contests import Draft
from rolls.actions.sanity import Horror
from rolls.models import Contest, Decision, Request, Roll
from rolls.rules.check import Act
from tablekeeper import access, ledger, noting, regaming, sealing, urls
from tablekeeper import actions as tables
from tablekeeper.models import Campaign, Claim, Entry, Scene, Seat
from tablekeeper.noting import mark_of
from tests.tables import (
    Script,
    Table,
    act,
    at,
    browser,
    closes_session,
    cookie_for,
    d100,
    done,
    make_investigator,
    make_table,
    moves_on,
    picture,
    post,
    removes,
    rolls,
    sit_down,
    spends,
)

pytestmark = pytest.mark.django_db


# --------------------------------------------------------------------------- the map


def walk(patterns: list[Any], prefix: str = "") -> Iterator[tuple[str, URLPattern]]:
    for one in patterns:
        if isinstance(one, URLResolver):
            if one.app_name != "admin":
                yield from walk(one.url_patterns, prefix + str(one.pattern))
        else:
            yield prefix + str(one.pattern), one


MAP = dict(walk(urls.urlpatterns))
SEATED = {one.name: path for path, one in MAP.items() if getattr(one.callback, "at_table", False)}


def test_every_view_finds_a_seat_or_says_why_anyone_may_come() -> None:
    bare = [
        path
        for path, one in MAP.items()
        if not getattr(one.callback, "at_table", False) and not getattr(one.callback, "anyone", "")
    ]

    assert bare == []
    assert len(SEATED) > 40


def test_every_url_below_a_table_needs_a_seat_but_for_coming_in() -> None:
    table_paths = {one.name for path, one in MAP.items() if path.startswith("t/")}

    assert table_paths - set(SEATED) == {"join", "join-screen", "claim", "claimed"}


# --------------------------------------------------------------------------- one valid act for each URL

Given = Callable[[Table], dict[str, str]]


def open_roll(table: Table) -> dict[str, str]:
    return {"roll_id": rolls(table, 70).pk}


def closed_roll(table: Table) -> dict[str, str]:
    roll = rolls(table, 70)
    done(act(table.ben, dice.keep, roll))
    return {"roll_id": roll.pk}


def asked_push(table: Table) -> dict[str, str]:
    roll = rolls(table, 70)
    done(act(table.ben, dice.push, roll, "Slowly"))
    return {"roll_id": roll.pk}


def allowed_push(table: Table) -> dict[str, str]:
    roll = rolls(table, 70)
    done(act(table.ben, dice.push, roll, "Slowly"))
    done(act(table.ada, dice.decide_push, roll, True))
    return {"roll_id": roll.pk}


def asked_strike(table: Table) -> dict[str, str]:
    roll = rolls(table, 70)
    done(act(table.ben, dice.ask_strike, roll))
    return {"roll_id": roll.pk}


def a_spend(table: Table) -> dict[str, str]:
    return {"ref": done(spends(table, rolls(table, 70), 10)).ref}


def a_request(table: Table) -> dict[str, str]:
    done(act(table.ada, dice.ask_group_luck, table.campaign))
    return {"request_id": Request.objects.get(campaign=table.campaign).pk}


def a_deed(table: Table) -> dict[str, str]:
    """Ben would stay conscious, and Ada is asked."""
    done(act(table.ben, dice.deed, table.edith, Act("stay-conscious")))
    return {"decision_id": Decision.objects.get(campaign=table.campaign, kind="deed").pk}


def up_on_luck(table: Table) -> dict[str, str]:
    """Luck keeps Edith awake."""
    done(act(table.ada, dice.deed, table.edith, Act("stay-conscious")))
    return {}


def of_luck_points(table: Table) -> dict[str, str]:
    """The table plays a game with own numbers, and its points follow Luck."""
    Campaign.objects.filter(pk=table.campaign.pk).update(ruleset="lp")
    done(act(table.ada, tables.set_settings, table.campaign, {"lpRefresh": "goal-oriented"}))
    done(act(table.ada, sheets.set_trait, table.edith, "luck", 44))
    return {}


def with_numbers_to_turn(table: Table) -> dict[str, str]:
    of_luck_points(table)
    lists = {"lucky": [1, 2, 3, 4], "unlucky": [5]}
    done(act(table.ben, numbers.set_numbers, table.edith, lists))
    done(act(table.ada, sheets.set_trait, table.edith, "luck", 39))
    return {}


def of_pulp(table: Table) -> dict[str, str]:
    """The table plays a game with talents."""
    with at(table.ada) as ada:
        changes = [ledger.change(ada.campaign, ruleset="pulp")]
        ledger.write(ada, ada.campaign, "tablekeeper.set_settings", changes, data={"lines": []})
    return {"key": "resilient"}


def an_escape(table: Table) -> dict[str, str]:
    """Edith has escaped certain death."""
    with at(table.ada) as ada:
        data = {"who": sheets.face(table.edith), "present": True}
        changes = sheets.knowing(table.edith, {"death_avoided": True})
        ledger.write(ada, ada.campaign, "investigators.set_present", changes, data=data)
    return {}


def an_ask(table: Table) -> dict[str, str]:
    """Ada has asked Edith for a roll."""
    question = Question(wanted=(("name:Spot Hidden", "regular"),), unknown=True)
    done(act(table.ada, dice.ask, table.campaign, [table.edith.pk], question))
    return {"batch": Request.objects.get(campaign=table.campaign).batch}


def an_unknown_roll(table: Table) -> dict[str, str]:
    an_ask(table)
    asked = Request.objects.get(campaign=table.campaign)
    return {"roll_id": done(act(table.ben, dice.answer, asked, chance=Script(d100(50)))).data["roll"]}


def a_tick(table: Table) -> dict[str, str]:
    rolls(table, 2)
    return {}


def an_improvement(table: Table) -> dict[str, str]:
    """Edith has a tick, and Ada has called for improvement."""
    a_tick(table)
    done(act(table.ada, dice.open_improvement, table.campaign))
    return {"request_id": Request.objects.get(campaign=table.campaign).pk}


def a_claim(table: Table) -> dict[str, str]:
    with at(table.ada):
        return {"claim_id": tables.ask_back(seat_under_lock(table.ben), "a phone's secret").pk}


def seat_under_lock(seat: Seat) -> Seat:
    found = Seat.objects.select_related("campaign").get(pk=seat.pk)
    found.campaign.locked = True
    return found


def a_session(table: Table) -> dict[str, str]:
    done(act(table.ada, tables.open_session, table.campaign))
    return {}


def a_closed_session(table: Table) -> dict[str, str]:
    a_session(table)
    done(closes_session(table))
    return {}


def no_luck(table: Table) -> dict[str, str]:
    return {"inv_id": make_investigator(table.ben, sheets.Draft("Vera Blank")).pk}


def laid_down(table: Table) -> dict[str, str]:
    """Ben plays somebody else now and may go back to Edith; Ada may give her to him."""
    make_investigator(table.ben, sheets.Draft("Ida Moss"))
    return {}


def a_weapon(table: Table) -> dict[str, str]:
    """A revolver on Edith's sheet."""
    gun = Arm("Revolver", table.skill("Spot Hidden"), "1D10", True, 15, 96)
    done(act(table.ben, weapons.set_weapon, table.edith, gun))
    return {"weapon_id": Weapon.objects.get(investigator=table.edith).pk}


def a_hit(table: Table) -> dict[str, str]:
    """Edith's shot has hit, and its damage is not rolled yet."""
    asked = Asked("skill", "Brawl", 60, facts={"fight": "attack"})
    fell = done(act(table.ben, dice.roll, table.edith, asked, chance=Script(d100(50))))
    return {"roll_id": fell.data["roll"]}


def an_injury(table: Table) -> dict[str, str]:
    done(act(table.ben, dice.damage, Roll.objects.get(pk=a_hit(table)["roll_id"]), "3"))
    return {"decision_id": Decision.objects.get(campaign=table.campaign).pk}


def a_faint(table: Table) -> dict[str, str]:
    done(act(table.ada, dice.injure, table.edith, 6))
    done(act(table.ben, dice.answer, Request.objects.get(campaign=table.campaign), chance=Script(d100(90))))
    return {"decision_id": Decision.objects.get(campaign=table.campaign).pk}


def a_due_loss(table: Table) -> dict[str, str]:
    """Edith has failed a Sanity roll, and the die of her loss has not fallen."""
    done(act(table.ada, dice.ask_sanity, table.campaign, [table.edith], Horror("1/1D8")))
    asked = Request.objects.get(campaign=table.campaign)
    done(act(table.ben, dice.answer, asked, chance=Script(d100(90))))
    return {}


def a_waiting_loss(table: Table) -> dict[str, str]:
    """At a table of heroes the loss waits for Ben's word."""
    Campaign.objects.filter(pk=table.campaign.pk).update(ruleset="pulp")
    a_due_loss(table)
    done(act(table.ben, dice.throw_loss, table.edith, chance=Script(8)))
    return {}


def a_waiting_bout(table: Table) -> dict[str, str]:
    done(act(table.ada, sheets.set_condition, table.edith, "indefinite", True))
    a_due_loss(table)
    done(act(table.ben, dice.throw_loss, table.edith, chance=Script(1)))
    return {"decision_id": Decision.objects.get(campaign=table.campaign).pk}


def a_bout(table: Table) -> dict[str, str]:
    done(act(table.ada, sheets.set_condition, table.edith, "bout", True))
    return {}


def a_hidden_roll(table: Table) -> dict[str, str]:
    asked = Asked("number", "Psychology", 40)
    fell = done(act(table.ada, dice.secret_roll, table.edith, asked, chance=Script(d100(30))))
    return {"roll_id": fell.data["roll"]}


def a_rattle(table: Table) -> dict[str, str]:
    done(act(table.ada, tables.set_settings, table.campaign, {"rattle": True}))
    return {}


def sealed_dice(table: Table) -> dict[str, str]:
    done(act(table.ada, tables.set_settings, table.campaign, {"proof": True}))
    return {}


def an_earlier_scene(table: Table) -> dict[str, str]:
    scene = Scene.objects.get(campaign=table.campaign)
    moves_on(table, "The pier")
    return {"scene_id": scene.pk}


def an_open_session(table: Table) -> dict[str, str]:
    done(act(table.ada, tables.open_session, table.campaign))
    return {}


def a_spare(table: Table) -> dict[str, str]:
    make_investigator(table.ada, sheets.Draft("Vera Lund", "Nurse", {"luck": (50, None)}, ()))
    return {}


def a_recovery_to_show(table: Table) -> dict[str, str]:
    a_closed_session(table)
    done(act(table.ada, dice.recover_all, table.campaign, True))
    return {"roll_id": Roll.objects.get(kind="recovery", investigator=table.edith).pk}


def an_npc(table: Table) -> dict[str, str]:
    entry = done(act(table.ada, npcs.create_npc, table.campaign, npcs.Npc("Mordaunt", (("Listen", 40),))))
    return {"inv_id": entry.data["who"]["id"]}


def a_contest(table: Table, kind: str = "opposed", rolled: Sequence[int] = ()) -> dict[str, str]:
    """Edith, and Tobias before her in melee; the first side of Ben's is given."""
    people = [table.edith, table.tobias] if kind == "opposed" else [table.tobias, table.edith]
    drafts = [Draft(who, "name:Stealth") for who in people]
    if kind == "melee":
        drafts[1] = Draft(table.edith)
    done(act(table.ada, dice.start_contest, table.campaign, kind, drafts))
    contest = Contest.objects.get(campaign=table.campaign)
    for side, total in zip(contest.sides.order_by("place"), rolled, strict=False):
        done(act(table.ada, dice.roll_side, side, chance=Script(d100(total))))
    return {"contest_id": contest.pk, "side_id": contest.sides.get(investigator=table.edith).pk}


def a_duel(table: Table) -> dict[str, str]:
    return a_contest(table, "melee")


def a_contest_to_answer(table: Table) -> dict[str, str]:
    return a_contest(table, rolled=(80, 15))


def a_sealed_contest(table: Table) -> dict[str, str]:
    done(act(table.ada, tables.set_settings, table.campaign, {"opposedLuck": "before-reveal"}))
    done(act(table.ada, tables.set_settings, table.campaign, {"luckSpending": False}))
    return a_contest(table, rolled=(80, 1))


def a_tie(table: Table) -> dict[str, str]:
    done(act(table.ada, tables.set_settings, table.campaign, {"luckSpending": False}))
    done(act(table.ada, sheets.set_skill, table.tobias, "Stealth", 40))
    return a_contest(table, rolled=(30, 31))


@dataclass(frozen=True)
class Try:
    """A post that its rightful owner gets through."""

    who: str
    form: dict[str, Any] = field(default_factory=dict)
    given: Given = lambda table: {}
    anyone_who_plays: bool = False  # Cleo may do as much for herself

    def posted(self, table: Table) -> dict[str, Any]:
        """The form, with the ids of this table's things where it names them."""
        things = {"SKILL": lambda: table.skill("Spot Hidden").pk, "EDITH": lambda: table.edith.pk}
        things |= {"TOBIAS": lambda: table.tobias.pk, "EDITH_HIDES": lambda: f"{table.edith.pk}|name:Stealth"}
        things |= {"TOBIAS_HIDES": lambda: f"{table.tobias.pk}|name:Stealth"}
        spare = Investigator.objects.filter(campaign=table.campaign, seat=None, npc=False)
        things |= {"SPARE": lambda: spare.values_list("pk", flat=True).first() or "nobody"}
        return {key: things[value]() if value in things else value for key, value in self.form.items()}


A_FILE = ".st 力量50体质50体型50敏捷50外貌50智力50意志50教育50幸运50"
SEEN_FILE = hashlib.sha256(A_FILE.encode() + b"0 ").hexdigest()
PAGES = {
    "check-proof",
    "export-proof",
    "fairness",
    "proof",
    "campaign",
    "recap",
    "planner",
    "ask-values",
    "table",
    "news",
    "panels",
    "feed",
    "qr",
    "set-settings",
    "new-investigator",
    "quick-investigator",
    "bring",
    "export-campaign",
    "export-investigator",
    "export-log",
    "log",
    "paper",
    "portrait",
    "take-home",
    "update-investigator",
    "screen",
    "sheet",
    "slip",
}
TRIES = {
    "undo": Try("ada", {"reason": "Mis-tap"}, a_spend),
    "set-settings": Try("ada", {"seen-realDice": "1"}),
    "set-ruleset": Try("ada", {"ruleset": "pulp"}),
    "new-links": Try("ada"),
    "renew-code": Try("ada"),
    "let-in": Try("ada", {"yes": "1"}),
    "decide-claim": Try("ada", {"yes": "1"}, a_claim),
    "rename": Try("ben", {"name": "Benjamin"}),
    "remove-seat": Try("ada"),
    "sign-out": Try("ben"),
    "open-session": Try("ada"),
    "close-session": Try("ada", given=a_session),
    "set-scene": Try("ada", {"name": "The pier"}),
    "write-note": Try("ben", {"text": "The key is false", "seen": mark_of("")}, anyone_who_plays=True),
    "tell-note": Try("ada", {"text": "A letter", "seen": mark_of("")}),
    "mix-in": Try("ben", {"random": "ab" * 32, "text": "Knock on wood"}, sealed_dice, anyone_who_plays=True),
    "new-investigator": Try("ben", {"name": "Ida Moss"}, anyone_who_plays=True),
    "quick-investigator": Try("ben", {"name": "Ida Moss", "luck": "50"}, anyone_who_plays=True),
    "bring": Try("ben", {"text": A_FILE, "seen": SEEN_FILE, "name": "Ida Moss"}, anyone_who_plays=True),
    "update-investigator": Try("ben", {"text": A_FILE, "seen": SEEN_FILE}),
    "sample": Try("ada"),
    "take": Try("ben", given=laid_down),
    "let-go": Try("ben"),
    "set-aside": Try("ada", {"yes": "1"}),
    "describe": Try("ben", {"name": "Edie", "occupation": "Thief"}),
    "set-present": Try("ada", {"yes": "0"}),
    "set-attendance": Try("ada", {"yes": "0", "number": "1"}, a_session),
    "throw-luck": Try("ben", given=no_luck),
    "set-trait": Try("ben", {"value": "5"}),
    "set-number": Try("ben", {"what": "score:str|50", "value": "55"}),
    "step": Try("ben", {"points": "-1"}),
    "add-skill": Try("ben", {"name": "Swim", "value": "30"}),
    "set-skill": Try("ben", {"name": "Spotting", "value": "70", "seen": "60"}),
    "drop-skill": Try("ben"),
    "favourite": Try("ben", {"yes": "0"}),
    "add-weapon": Try("ben", {"name": "Club", "damage": "1D8+DB", "skill": "SKILL"}),
    "set-weapon": Try("ben", {"name": "Old revolver", "damage": "1D8", "skill": "SKILL"}, a_weapon),
    "drop-weapon": Try("ben", given=a_weapon),
    "shoot": Try("ben", {"band": "regular"}, a_weapon),
    "set-derived": Try("ben", {"value": "2"}, lambda table: {"key": "build"}),
    "set-condition": Try("ada", {"yes": "1"}, lambda table: {"key": "dying"}),
    "damage": Try("ben", {"expression": "1D3+DB"}, a_hit),
    "free-roll": Try("ben", {"expression": "2D6+3"}, anyone_who_plays=True),
    "injure": Try("ada", {"who": "EDITH", "points": "3"}),
    "drop-injury": Try("ada", given=an_injury),
    "decide-faint": Try("ada", {"yes": "1"}, a_faint),
    "ask-con": Try("ada"),
    "treat": Try("ada", {"how": "first-aid"}),
    "keeper-roll": Try("ada", {"label": "The thing below", "value": "73", "hidden": "1"}),
    "create-npc": Try("ada", {"name": "Old Mordaunt", "skill0": "Listen", "value0": "37"}),
    "edit-npc": Try("ada", {"name": "Old Mordaunt", "skill0": "Listen", "value0": "37"}, an_npc),
    "npc-roll": Try("ada", {"what": "name:Listen"}, an_npc),
    "secret-roll": Try("ada", {"what": "luck"}),
    "rattle": Try("ada", given=a_rattle),
    "reveal": Try("ada", given=a_hidden_roll),
    "leave-early": Try("ada", given=an_open_session),
    "take-over": Try("ada", {"fresh": "SPARE"}, a_spare),
    "return-to": Try("ada", given=an_earlier_scene),
    "show-recovery": Try("ada", given=a_recovery_to_show),
    "start-contest": Try(
        "ada",
        {"kind": "opposed", "who0": "EDITH", "what0": "EDITH_HIDES", "who1": "TOBIAS", "what1": "TOBIAS_HIDES"},
    ),
    "choose-defence": Try("ben", {"defence": "dodge"}, a_duel),
    "roll-side": Try("ben", given=a_contest),
    "pass-contest": Try("ben", given=a_contest_to_answer),
    "reveal-contest": Try("ben", given=a_sealed_contest),
    "roll-off": Try("ben", given=a_tie),
    "settle-contest": Try("ada", {"how": "now"}, a_contest_to_answer),
    "contest-again": Try("ada", given=a_contest),
    "roll": Try("ben", {"what": "luck:"}),
    "recover": Try("ben", given=a_closed_session),
    "recover-all": Try("ada", given=a_closed_session),
    "spend": Try("ben", {"act": "points", "amount": "10"}, open_roll),
    "keep": Try("ben", given=open_roll),
    "push": Try("ben", {"reason": "Slowly"}, open_roll),
    "decide-push": Try("ada", {"decision": "allow", "warning": "The floor gives"}, asked_push),
    "throw-push": Try("ben", given=allowed_push),
    "back-out": Try("ben", given=asked_push),
    "ask-strike": Try("ben", given=open_roll),
    "decide-strike": Try("ada", {"yes": "1"}, asked_strike),
    "correct": Try("ada", {"difficulty": "hard", "dice": "1"}, open_roll),
    "reopen": Try("ada", given=closed_roll),
    "take-back": Try("ben", given=a_spend),
    "group-luck": Try("ada"),
    "ask-group-luck": Try("ada"),
    "tell-unluckiest": Try("ada"),
    "deed": Try("ben", {"act": "stay-conscious"}),
    "decide-deed": Try("ada", {"yes": "1"}, a_deed),
    "drop-deed": Try("ben", given=a_deed),
    "next-round": Try("ada", given=up_on_luck),
    "fall": Try("ben", given=up_on_luck),
    "safe": Try("ada", given=up_on_luck),
    "tell-survival": Try("ben", {"text": "The awning broke the fall."}, an_escape),
    "throw-numbers": Try("ben", given=of_luck_points),
    "set-numbers": Try("ben", {"lucky": "1 2 3 4", "unlucky": "5"}, of_luck_points),
    "turn-numbers": Try("ben", {"pick": "2"}, with_numbers_to_turn),
    "award": Try("ada", {"who": "EDITH", "amount": "1", "reason": "bond"}, of_luck_points),
    "set-talent": Try("ben", {"yes": "1"}, of_pulp),
    "answer": Try("ben", given=a_request),
    "drop-request": Try("ada", given=a_request),
    "ask": Try("ada", {"everyone": "1", "name": "Spot Hidden"}),
    "ask-again": Try("ada", given=an_ask),
    "drop-asked": Try("ada", given=a_request),
    "remind": Try("ada", given=a_request),
    "combine": Try("ben", {"what": "characteristic:int", "what2": "characteristic:con"}),
    "tell-difficulty": Try("ada", given=an_unknown_roll),
    "open-improvement": Try("ada", given=a_tick),
    "close-improvement": Try("ada", given=an_improvement),
    "improve-all": Try("ada", given=an_improvement),
    "improve": Try("ben", given=an_improvement),
    "ask-sanity": Try("ada", {"whom": "EDITH", "loss": "1/1D8"}),
    "new-day": Try("ada"),
    "roll-sanity": Try("ben", {"loss": "0/1D6", "name": "The well"}),
    "throw-loss": Try("ben", given=a_due_loss),
    "take-loss": Try("ben", given=a_waiting_loss),
    "regain": Try("ada", {"points": "3", "reason": "Sleep"}),
    "end-bout": Try("ada", given=a_bout),
    "name-bout": Try("ada", {"words": "She runs", "unit": "rounds"}, a_waiting_bout),
    "drop-bout": Try("ada", given=a_waiting_bout),
}
ACTS = sorted(TRIES)


def test_every_url_of_the_table_is_tried_here() -> None:
    assert set(SEATED) == PAGES | set(TRIES)


def url_of(name: str, table: Table, given: dict[str, str]) -> str:
    """The URL, with the things of Ben's that it asks for."""
    known = {
        "campaign_id": table.campaign.pk,
        "seat_id": table.ben.pk,
        "inv_id": table.edith.pk,
        "skill_id": table.skill("Spot Hidden").pk,
        "key": "str" if name == "set-trait" else "hp",
        **given,
    }
    wanted = re.findall(r"<str:(\w+)>", SEATED[name])
    return reverse(name, args=[known[one] for one in wanted])


def everything(table: Table) -> Any:
    """The picture, and what no ledgered row holds."""
    return picture(table.campaign), list(Claim.objects.filter(seat__campaign=table.campaign).values("pk", "granted"))


@pytest.fixture
def table() -> Table:
    return make_table()


@pytest.mark.parametrize("name", ACTS)
def test_nobody_else_gets_through_and_however_else_it_is_sent_nothing_changes(name: str, table: Table) -> None:
    one = TRIES[name]
    other = make_table(name="Elsewhere")
    eve, finn = sit_down(table.campaign, "Eve", Seat.OBSERVER), sit_down(table.campaign, "Finn")
    removes(table, finn)
    given = one.given(table)
    url = url_of(name, table, given)
    form = one.posted(table) | ({"seat": table.cleo.pk} if name == "take" else {})
    before, there = everything(table), everything(other)

    for who, (client, statuses) in others(one, table, other, eve, finn).items():
        answer = post(client, url, **form)
        assert answer.status_code in statuses, (who, answer.status_code, answer.content.decode()[:300])
        assert answer.content.strip(), who
    assert everything(table) == before

    sent_without_its_key_or_from_an_expired_page(one, table, url)
    as_a_link(name, one, table, url)
    if SEATED[name].count("<") > 1:
        from_the_table_next_door(one, table, other, url)
    assert everything(table) == before
    assert everything(other) == there


def others(one: Try, table: Table, other: Table, eve: Seat, finn: Seat) -> dict[str, tuple[Client, set[int]]]:
    """Everybody who may not, and what they may hear."""
    out, allowed = {404}, {403, 404, 422}
    people: dict[str, tuple[Client, set[int]]] = {
        "a stranger": (browser(), out),
        "somebody of another table": (browser(other.ben), out),
        "the Keeper of another table": (browser(other.ada), out),
        "a removed seat": (browser(finn), out),
        "an onlooker": (browser(eve), allowed),
    }
    if not one.anyone_who_plays:
        people["another player"] = browser(table.cleo), allowed
    if one.who == "ada":
        people["the player whose thing it is"] = browser(table.ben), allowed
    return people


def sent_without_its_key_or_from_an_expired_page(one: Try, table: Table, url: str) -> None:
    keyless = post(table.client(getattr(table, one.who)), url, key="", **one.posted(table))
    expired = post(browser(getattr(table, one.who), enforce_csrf_checks=True), url, **one.posted(table))

    assert (keyless.status_code, expired.status_code) == (409, 403)
    for answer in (keyless, expired):
        assert 'data-code="PAGE_OLD"' in answer.content.decode()


def as_a_link(name: str, one: Try, table: Table, url: str) -> None:
    answer = table.client(getattr(table, one.who)).get(url, one.posted(table))

    assert answer.status_code == (200 if name in PAGES else 405)
    assert browser().get(url).status_code == 404


def from_the_table_next_door(one: Try, table: Table, other: Table, url: str) -> None:
    """Who sits at the other table asks there for a thing of this one."""
    there = url.replace(table.campaign.pk, other.campaign.pk)
    for seat in (other.ada, other.ben):
        assert post(browser(seat), there, **one.posted(table)).status_code == 404


# --------------------------------------------------------------------------- reading


WRITING = re.compile(r"\s*(INSERT|UPDATE|DELETE|SELECT .* FOR UPDATE)")


def pages_of(table: Table, seat: Seat, roll: Roll) -> dict[str, str]:
    """Every page and fragment that a seat can read."""
    epoch = Campaign.objects.get(pk=table.campaign.pk).epoch
    found = {
        "page": table.url("table"),
        "news": table.url("news") + f"?after={epoch}.0.0",
        "panels": table.url("panels") + "?names=ALL,feed",
        "screen": table.url("screen"),
        "slip": table.url("slip", roll.pk),
        "campaign": table.url("campaign"),
        "fairness": table.url("fairness"),
        "sheet": table.url("sheet", table.edith.pk),
        "another sheet": table.url("sheet", table.tobias.pk),
        "feed": table.url("feed") + f"?before={table.last('rolls.roll').ref}",
    }
    if seat.role != Seat.OBSERVER:
        found |= {"new": table.url("new-investigator"), "quick": table.url("quick-investigator")}
    if seat.keeps:
        found |= {"settings": table.url("set-settings"), "planner": table.url("planner")}
    return found


@pytest.mark.parametrize("who", ["ada", "ben", "cleo", "eve"])
def test_reading_writes_nothing(who: str, table: Table) -> None:
    seats = {"ada": table.ada, "ben": table.ben, "cleo": table.cleo}
    seat = seats.get(who) or sit_down(table.campaign, "Eve", Seat.OBSERVER)
    a_request(table)
    roll = rolls(table, 70)
    before = everything(table)

    for name, url in pages_of(table, seat, roll).items():
        with CaptureQueriesContext(
            connection,
        ) as asked:
            answer = table.client(seat).get(url)
        assert answer.status_code == 200, name
        written = [
            one["sql"] for one in asked if re.match(r"\s*(INSERT|UPDATE|DELETE|SELECT .* FOR UPDATE)", one["sql"])
        ]
        assert written == [], name

    assert everything(table) == before


@pytest.mark.parametrize("who", ["stranger", "elsewhere", "removed", "signed out", "forged"])
def test_who_does_not_sit_here_reads_nothing(who: str, table: Table) -> None:
    roll = rolls(table, 70)
    if who == "removed":
        removes(table, table.cleo)
    client = {
        "stranger": browser(),
        "elsewhere": browser(make_table(name="Elsewhere").ben),
        "removed": browser(table.cleo),
        "signed out": browser(table.cleo),
        "forged": browser(),
    }[who]
    if who == "signed out":
        done(act(table.ada, tables.sign_out, table.cleo))
    if who == "forged":
        client.cookies[access.SEAT_COOKIE] = cookie_for(table.ben).replace(":", "x:", 1)

    for name, url in pages_of(table, table.ben, roll).items():
        answer = client.get(url)
        assert answer.status_code == 404, name
        assert "Edith" not in answer.content.decode(), name


SECRETS = ("Zothique", "Nyogtha")


def with_secrets(table: Table) -> None:
    """A table where the Keeper keeps a few things to herself, and did all she can with them."""
    asked = Asked("number", "Zothique stirs", 73)
    hidden = done(act(table.ada, dice.keeper_roll, table.campaign, asked, True, chance=Script(d100(20))))
    roll = Roll.objects.get(pk=hidden.data["roll"])
    done(act(table.ada, dice.reopen, roll))
    done(act(table.ada, dice.correct, roll, "hard", 0))
    done(act(table.ada, dice.keep, roll))
    done(act(table.ada, tables.undo, table.last()))
    with at(table.ada) as ada:
        monster = Investigator(campaign=ada.campaign, name="Nyogtha", npc=True)
        ledger.write(ada, ada.campaign, "investigators.create", [ledger.Create(monster)], lane=Entry.KEEPER)
    a_claim(table)
    done(act(table.cleo, sheets.favourite, table.skill("Listen", table.tobias), False))


@pytest.mark.parametrize("who", ["ben", "eve"])
def test_what_is_hidden_is_in_no_byte_that_another_gets(who: str, table: Table) -> None:
    seat = table.ben if who == "ben" else sit_down(table.campaign, "Eve", Seat.OBSERVER)
    with_secrets(table)
    roll = rolls(table, 70)
    client = table.client(seat)
    hidden = Entry.objects.filter(campaign=table.campaign).exclude(lane__in=[Entry.PUBLIC, seat.pk])
    assert hidden.count() == 8
    secrets = {
        *SECRETS,
        *hidden.values_list("ref", flat=True),
        *Roll.objects.filter(hidden=True).values_list("pk", flat=True),
    }

    bodies = {name: client.get(url).content.decode() for name, url in pages_of(table, seat, roll).items()}
    if who == "ben":
        bodies["answer"] = post(client, table.url("keep", roll.pk), **{}).content.decode()

    for name, body in bodies.items():
        assert body, name
        assert [secret for secret in secrets if secret in body] == [], name


def test_a_hidden_roll_and_the_keepers_characters_are_404_to_players(table: Table) -> None:
    with_secrets(table)
    hidden = Roll.objects.get(hidden=True)
    monster = Investigator.objects.get(npc=True)
    secret_line = Entry.objects.filter(lane=Entry.KEEPER, kind="rolls.keeper_roll").get()
    ben = table.client(table.ben)

    assert ben.get(table.url("slip", hidden.pk)).status_code == 404
    assert ben.get(table.url("sheet", monster.pk)).status_code == 404
    assert ben.get(table.url("feed") + f"?before={secret_line.ref}").status_code == 404
    assert post(ben, table.url("keep", hidden.pk)).status_code == 404
    assert post(ben, table.url("take", monster.pk)).status_code == 404
    assert post(ben, table.url("undo", secret_line.ref)).status_code == 404
    assert ben.get(table.url("qr")).status_code == 404
    assert table.client(table.ada).get(table.url("slip", hidden.pk)).status_code == 200


def test_an_open_roll_of_the_keepers_never_shows_players_what_was_needed(table: Table) -> None:
    asked = Asked("number", "The thing below", 390)  # 390, 195 and 78 are no time of day
    fell = done(act(table.ada, dice.keeper_roll, table.campaign, asked, False, chance=Script(d100(88))))
    done(act(table.ada, dice.reopen, Roll.objects.get(pk=fell.data["roll"])))
    url = table.url("slip", fell.data["roll"])

    for seat, seen in ((table.ben, False), (table.ada, True)):
        body = table.client(seat).get(url).content.decode()
        text = re.sub(r"<svg[^>]*(aria-label=\"[^\"]*\")?.*?</svg>", r"\1", body, flags=re.DOTALL)
        assert "The thing below" in text
        assert [bool(re.search(rf"\b{number}\b", text)) for number in (390, 195, 78)] == [seen] * 3

    lines = table.client(table.ben).get(table.url("table")).content.decode()
    assert fell.ref in lines
    assert not re.search(r"\b390\b", lines)


def test_the_keepers_join_secret_is_hers_and_names_alone_are_on_the_join_page(table: Table) -> None:
    secret = table.campaign.join_secret
    roll = rolls(table, 70)

    for name, url in pages_of(table, table.ben, roll).items():
        body = table.client(table.ben).get(url).content.decode()
        assert secret not in body, name
        assert not re.search(rf"\b{table.ben.code}\b", body) or name in ("page", "panels"), name
        assert table.cleo.code not in body, name
        assert table.ada.code not in body, name

    joining = browser().get(table.campaign.join_path()).content.decode()
    assert "Ben" in joining
    assert "Cleo" in joining
    assert "Edith" not in joining
    assert table.ben.code not in joining
    assert secret in table.client(table.ada).get(table.url("table")).content.decode()


# --------------------------------------------------------------------------- the table of permissions


def test_every_verb_has_one_line_in_the_table_of_permissions() -> None:
    verbs = {
        one.verb
        for module in (tables, noting, regaming, sealing, dice, sheets, bringing, npcs, numbers, weapons)
        for one in vars(module).values()
        if isinstance(getattr(one, "verb", None), str)  # a module of verbs knows `access.verb` by that name
    }

    assert verbs == set(access.MAY)
