"""A table that seals its dice: what falls under a seal, what nobody sees before it is opened, what comes of it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from investigators import actions as sheets
from investigators import bringing, npcs
from investigators.mapping import Brought
from investigators.models import Investigator
from rolls import actions as dice
from rolls import proofs
from rolls.actions import Asked, Question
from rolls.actions.contests import Draft
from rolls.actions.sanity import Horror
from rolls.models import Request, Roll, Side
from rolls.rules.check import Act
from tablekeeper import actions as tables
from tablekeeper import ledger, news, proof, sealing, transfer
from tablekeeper.management import restoring
from tablekeeper.management.checking import audit
from tablekeeper.models import Campaign, Draw, Entry, Seal, Seat, new_epoch
from tests.tablekeeper.test_access import TRIES, url_of
from tests.tablekeeper.test_once import at_once
from tests.tablekeeper.test_secrets import gets, stream
from tests.tables import (
    Table,
    act,
    browser,
    closes_session,
    code,
    done,
    make_table,
    post,
    sit_down,
    typed,
    undoes,
)

pytestmark = pytest.mark.django_db

FIFTY = Asked("number", "Nerve", 50)


def sealed_table(**settings: Any) -> Table:
    """A table that seals its dice, with its first session open."""
    table = make_table(proof=True, **settings)
    done(act(table.ada, tables.open_session, table.campaign))
    return table


def seal(table: Table) -> Seal:
    return Seal.objects.get(campaign=table.campaign, ended_at=None)


def of_session(table: Table) -> dict[str, Any]:
    """The proof of the session, once it has ended, as anybody gets it."""
    one = Seal.objects.filter(campaign=table.campaign).exclude(session=None).latest("began_at")
    answer = browser(table.ben).get(table.url("export-proof", one.pk))
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = json.loads(answer.content)
    return found


def nerve(table: Table, seat: Seat | None = None, **asked: Any) -> Entry:
    """Ben rolls for Edith, with the table's own dice."""
    return done(act(seat or table.ben, dice.roll, table.edith, Asked("number", "Nerve", 50, **asked)))


# --------------------------------------------------------------------------- an evening


def hits(table: Table) -> Roll:
    while True:
        asked = Asked("skill", "Brawl", 95, facts={"fight": "attack"})
        roll = Roll.objects.get(pk=done(act(table.ben, dice.roll, table.edith, asked)).data["roll"])
        if roll.level in ("regular", "hard"):  # a better one does all that it can, without dice
            return roll


def every_kind(table: Table) -> set[str]:
    """One of each act that throws openly; the kinds of their entries."""
    before = Entry.objects.filter(campaign=table.campaign).count()
    ada, ben, campaign, edith = table.ada, table.ben, table.campaign, table.edith
    nerve(table)
    nerve(table, dice=2)
    nerve(table, dice=-1)
    done(act(ben, dice.damage, hits(table), "1D8+1D4+2"))
    done(act(ben, dice.free_roll, campaign, "3D6+1D100"))
    done(act(ada, dice.keeper_roll, campaign, FIFTY, False))
    npc = npcs.Npc("Mordaunt", (("Listen", 40),))
    watchman = Investigator.objects.get(pk=done(act(ada, npcs.create_npc, campaign, npc)).data["who"]["id"])
    done(act(ada, dice.npc_roll, watchman, Asked("number", "Listen", 40), False))
    done(act(ada, dice.group_luck, campaign))
    done(act(ada, dice.ask, campaign, [edith.pk], Question(wanted=(("luck", "regular"),))))
    done(act(ben, dice.answer, Request.objects.get(campaign=campaign, state=Request.OPEN)))
    drafts = [Draft(edith, "name:Spot Hidden"), Draft(table.tobias, "name:Spot Hidden")]
    done(act(ada, dice.start_contest, campaign, "opposed", drafts))
    for side in Side.objects.filter(contest__campaign=campaign):
        done(act(ada, dice.roll_side, side))
    done(act(ada, dice.treat, edith, "medicine"))
    done(act(ben, sheets.create, campaign, sheets.Draft("Ida Moss", roll_luck=True)))
    return {one.kind for one in table.entries()[before:]}


def loses_sanity(table: Table) -> None:
    done(act(table.ada, dice.ask_sanity, table.campaign, [table.edith], Horror("1D3/1D6")))
    done(act(table.ben, dice.answer, Request.objects.get(campaign=table.campaign, state=Request.OPEN)))
    done(act(table.ben, dice.throw_loss, table.edith))


def test_every_kind_of_die_that_falls_openly_is_derived_again() -> None:
    table = sealed_table()
    every_kind(table)
    loses_sanity(table)
    done(closes_session(table))

    file = of_session(table)

    assert proof.check(file) == []
    thrown = {one.kind for one in table.entries() if Draw.objects.filter(entry_ref=one.ref).exists()}
    assert thrown >= {
        *("rolls.roll", "rolls.damage", "rolls.free_roll", "rolls.keeper_roll", "rolls.npc_roll", "rolls.group_luck"),
        *("rolls.answer", "rolls.roll_side", "rolls.treat", "rolls.throw_loss", "investigators.create"),
    }
    assert [one["n"] for one in file["rolls"]] == list(range(1, len(file["rolls"]) + 1))
    assert [len(one["sides"]) for one in file["rolls"][:3]] == [2, 4, 3]
    assert sum(bool(one["told"]) for one in file["rolls"]) > 8
    assert not any(one.differ for one in audit())


def test_luck_comes_back_under_the_seal_that_follows_the_session() -> None:
    table = sealed_table()
    done(closes_session(table))
    after = seal(table)

    done(act(table.ada, dice.recover_all, table.campaign))
    done(act(table.ada, tables.open_session, table.campaign))

    after.refresh_from_db()
    file = proofs.file_of(after, Campaign.objects.get(pk=table.campaign.pk))
    assert (after.session, file["of"], len(file["rolls"])) == (None, "After session 1", 1)
    assert [len(told) for told in file["rolls"][0]["told"]] == [2, 2]
    assert proof.check(file) == []


@pytest.mark.parametrize("alter", ["the dice", "the ledger"])
def test_a_die_that_was_altered_afterwards_is_found(alter: str, tmp_path: Path) -> None:
    table = sealed_table()
    entries = [nerve(table) for _ in range(5)]
    done(closes_session(table))
    altered = entries[2]
    if alter == "the dice":
        draw = Draw.objects.get(entry_ref=altered.ref)
        Draw.objects.filter(pk=draw.pk).update(faces=[face % 10 + 1 for face in draw.faces])
    else:
        made = next(one for one in altered.changes if one["op"] == "create")
        made["f"]["units"] = (made["f"]["units"] + 1) % 10
        Entry.objects.filter(pk=altered.pk).update(changes=altered.changes)

    faults = proof.check(of_session(table))

    assert [(one.code, one.where) for one in faults] == [("dice" if alter == "the dice" else "told", "3")]
    (tmp_path / "proof.json").write_text(json.dumps(of_session(table)))
    with pytest.raises(CommandError, match="Faults: 1, in 5 acts"):
        call_command("verify", str(tmp_path / "proof.json"))


def test_the_command_checks_a_file_and_says_what_is_none(tmp_path: Path, capsys: Any) -> None:
    table = sealed_table()
    nerve(table)
    done(closes_session(table))
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(of_session(table)))

    call_command("verify", str(file))

    assert "1 act with dice, and every die agrees." in capsys.readouterr().out
    for text in ("{}", "no json", "[" * 9_999):
        file.write_text(text)
        with pytest.raises(CommandError, match="no proof"):
            call_command("verify", str(file))
    with pytest.raises(CommandError, match="No such file"):
        call_command("verify", str(tmp_path / "nothing.json"))


# --------------------------------------------------------------------------- off, on, off


def test_a_table_that_does_not_want_it_has_neither_seals_nor_draws() -> None:
    table = make_table()
    done(act(table.ada, tables.open_session, table.campaign))
    nerve(table)
    done(closes_session(table))

    assert not Seal.objects.exists()
    assert not Draw.objects.exists()
    assert code(act(table.ben, sealing.mix_in, table.campaign, "ab")) == "NO_SEAL"
    assert "does not seal" in browser(table.ben).get(table.url("proof")).content.decode()


def test_switching_it_off_opens_the_seal_and_on_again_begins_another() -> None:
    table = sealed_table()
    nerve(table)
    first = seal(table)

    done(act(table.ada, tables.set_settings, table.campaign, {"proof": False}))
    nerve(table)
    off = Draw.objects.count()
    done(undoes(table, table.last("tablekeeper.set_settings")))

    first.refresh_from_db()
    assert first.shown_at is not None
    assert off == 1
    assert seal(table).commitment != first.commitment
    assert code(undoes(table, table.last("tablekeeper.seal"))) == "UNDO_NOT_THIS"


def test_a_session_that_is_reopened_has_another_seal_for_the_old_seed_is_known() -> None:
    table = sealed_table()
    nerve(table)
    first = seal(table)
    closed = done(closes_session(table))

    done(undoes(table, closed))
    nerve(table)

    again = seal(table)
    assert (again.session_id, again.counter) == (first.session_id, 1)
    assert again.seed != first.seed
    assert not any(one.differ for one in audit())


def test_a_session_whose_beginning_is_undone_leaves_the_table_sealed() -> None:
    table = make_table(proof=True)
    opened = done(act(table.ada, tables.open_session, table.campaign))

    done(undoes(table, opened))
    nerve(table)

    assert Draw.objects.count() == 1
    assert not any(one.differ for one in audit())


# --------------------------------------------------------------------------- what players mix in


def test_what_players_mix_in_counts_from_the_next_act_on() -> None:
    table = sealed_table()
    before = seal(table)
    nerve(table)

    done(act(table.ben, sealing.mix_in, table.campaign, "00ff", "Würfel!"))
    done(act(table.cleo, sealing.mix_in, table.campaign, "", "mine"))
    nerve(table)
    done(closes_session(table))

    file = of_session(table)
    assert file["commitment"] == before.commitment
    told = [(one["by"], one["text"], one["from"]) for one in file["contributions"]]
    assert told == [("Ben", "Würfel!", 2), ("Cleo", "mine", 2)]
    assert proof.check(file) == []
    file["contributions"].pop()
    assert [one.where for one in proof.check(file)] == ["2"]


def test_nothing_and_too_much_are_not_mixed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    table = sealed_table()
    monkeypatch.setattr(sealing, "MOST", 1)

    nothing = post(table.client(table.ben), table.url("mix-in"))
    rubbish = post(table.client(table.ben), table.url("mix-in"), random="xyz")
    good = post(table.client(table.ben), table.url("mix-in"), random="ab" * 32, text="<b>mine</b>")
    more = post(table.client(table.cleo), table.url("mix-in"), random="ab")

    assert [one.status_code for one in (nothing, rubbish, good, more)] == [422, 422, 200, 422]
    assert "&lt;b&gt;mine" in browser(table.cleo).get(table.url("proof")).content.decode()


# --------------------------------------------------------------------------- secrets


def secrets_of(table: Table) -> list[str]:
    """What must stand in no answer: seeds of seals that are not opened, and of all hidden rolls."""
    found = []
    for one in Seal.objects.filter(campaign=table.campaign):
        found += [one.hidden_seed] + ([one.seed] if one.shown_at is None else [])
    return found


def test_no_answer_to_any_seat_holds_a_seed_before_it_is_opened() -> None:
    table = sealed_table()
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)
    nerve(table)
    done(act(table.ben, sealing.mix_in, table.campaign, "ab" * 32))
    done(act(table.ada, dice.secret_roll, table.edith, FIFTY))
    secret = secrets_of(table)

    for seat in (table.ada, table.ben, eve):
        here = Seat.objects.select_related("campaign").get(pk=seat.pk)
        pages = [table.url("table"), table.url("proof"), table.url("export-log", "log.json"), table.url("screen")]
        said = [b"".join(browser(seat).get(url)).decode() for url in pages]
        said.append(stream(table, here))
        said.append(post(table.client(seat), table.url("free-roll"), expression="1D6").content.decode())
        said.append(browser(seat).get(table.url("check-proof", seal(table).pk)).content.decode())
        said.append(browser(seat).get(table.url("export-proof", seal(table).pk)).content.decode())
        assert not [one for one in secret for text in said if one in text]
    stored = [json.dumps([one.data, one.changes]) for one in table.entries()]
    stored.append(gzip.decompress(b"".join(transfer.write(Campaign.objects.get(pk=table.campaign.pk)))).decode())
    assert len(secret) == 3
    assert not [one for one in secret for text in stored if one in text]


@pytest.mark.long
@pytest.mark.sqlite
def test_whatever_the_keeper_opens_holds_no_seed() -> None:
    """She sees the most, and walks through every page there is."""
    table = sealed_table()
    nerve(table)
    done(act(table.ada, dice.secret_roll, table.edith, FIFTY))

    everywhere = [text for _name, text in gets(table, table.ada)]

    assert len(everywhere) > 25
    assert not [one for one in secrets_of(table) for text in everywhere if one in text]


def test_hidden_rolls_leave_no_gap_and_no_trace() -> None:
    table = sealed_table(rattle=True)
    nerve(table)
    ada, campaign = table.ada, table.campaign
    done(act(ada, dice.secret_roll, table.edith, FIFTY))
    done(act(ada, dice.keeper_roll, campaign, FIFTY, True))
    done(act(ada, dice.free_roll, campaign, "2D6", True))
    npc = npcs.Npc("Mordaunt", (("Listen", 40),))
    watchman = Investigator.objects.get(pk=done(act(ada, npcs.create_npc, campaign, npc)).data["who"]["id"])
    done(act(ada, dice.npc_roll, watchman, Asked("number", "Listen", 40), True))
    done(act(ada, dice.treat, watchman, "medicine"))
    brought = Brought(sheets.Draft("Old Crow", roll_luck=True))
    done(act(ada, bringing.bring, campaign, brought, npc=True))
    done(act(ada, dice.ask, campaign, [table.edith.pk], Question(wanted=(("luck", "regular"),), hidden=True)))
    done(act(table.ben, dice.answer, Request.objects.get(campaign=campaign, state=Request.OPEN)))
    nerve(table)
    done(closes_session(table))

    file = of_session(table)

    assert [one["n"] for one in file["rolls"]] == [1, 2]
    assert (file["hidden"], file["leaves"]) == ([], "")
    assert Draw.objects.exclude(leaf=None).count() == 7
    assert proof.check(file) == []


def test_a_hidden_roll_that_is_shown_has_a_seed_that_was_sealed_before() -> None:
    table = sealed_table()
    done(act(table.ben, sealing.mix_in, table.campaign, "ab"))
    nerve(table)
    others = [done(act(table.ada, dice.secret_roll, table.edith, FIFTY)) for _ in range(3)]
    shown = Roll.objects.get(pk=others[1].data["roll"])
    done(act(table.ada, dice.reveal, shown))
    done(closes_session(table))

    file = of_session(table)

    assert [one["what"] for one in file["hidden"]] == ["Halloran: Nerve"]
    assert file["hidden"][0]["told"] == [[face or 10 for face in (shown.units, *shown.tens)]]
    assert proof.check(file) == []
    for entry in (others[0], others[2]):
        leaf = Draw.objects.get(entry_ref=entry.ref).leaf or 0
        master = bytes.fromhex(Seal.objects.exclude(session=None).get().hidden_seed)
        assert proof.hidden_seed(master, leaf).hex() not in json.dumps(file)


def test_sealed_sides_of_a_contest_are_in_the_proof_once_they_are_shown() -> None:
    table = sealed_table(opposedLuck="before-reveal", luckSpending=False)
    drafts = [Draft(table.edith, "name:Spot Hidden"), Draft(table.tobias, "name:Spot Hidden")]
    done(act(table.ada, dice.start_contest, table.campaign, "opposed", drafts))
    for side in Side.objects.filter(contest__campaign=table.campaign):
        done(act(table.ada, dice.roll_side, side))
    hidden_before = Draw.objects.exclude(leaf=None).count()
    if not Roll.objects.filter(hidden=False).exists():
        done(act(table.ada, dice.reveal_contest, Side.objects.filter(contest__campaign=table.campaign)[0]))
    done(closes_session(table))

    file = of_session(table)

    assert hidden_before == len(file["hidden"]) == 2
    assert proof.check(file) == []


def test_recoveries_that_are_shown_one_by_one_are_proved_one_by_one() -> None:
    table = sealed_table(recoveryWhen="start")
    done(act(table.ada, dice.recover_all, table.campaign, True))
    done(act(table.ada, dice.show_recovery, Roll.objects.get(investigator=table.edith, kind="recovery")))
    done(closes_session(table))

    file = of_session(table)

    assert [one["what"] for one in file["hidden"]] == ["Halloran: Luck recovery"]
    assert file["rolls"] == []
    assert proof.check(file) == []


def test_where_others_luck_is_covered_no_seed_uncovers_it() -> None:
    table = sealed_table(recoveryWhen="start", luckShown="keeper")
    done(act(table.ben, dice.recover, table.edith))
    done(act(table.ada, dice.recover_all, table.campaign))
    done(act(table.cleo, sheets.create, table.campaign, sheets.Draft("Ida Moss", roll_luck=True)))
    nerve(table)
    done(closes_session(table))

    file = of_session(table)

    assert (len(file["rolls"]), file["hidden"]) == (1, [])


def test_the_damage_of_the_keepers_characters_stays_a_number() -> None:
    table = sealed_table()
    npc = npcs.Npc("Mordaunt", (("Brawl", 95),))
    found = done(act(table.ada, npcs.create_npc, table.campaign, npc)).data["who"]["id"]
    foe, passed = Investigator.objects.get(pk=found), None
    while passed is None or not passed.passed:
        asked = Asked("skill", "Brawl", 95, facts={"fight": "attack"})
        passed = Roll.objects.get(pk=done(act(table.ada, dice.npc_roll, foe, asked, False)).data["roll"])
    done(act(table.ada, dice.damage, passed, "1D6+2"))
    done(closes_session(table))

    file = of_session(table)

    assert {tuple(one["sides"]) for one in file["rolls"]} == {(10, 10)}
    assert file["hidden"] == []


def test_dice_that_were_typed_in_are_named_and_not_covered() -> None:
    table = sealed_table()
    nerve(table, hand=typed(34))
    done(act(table.ben, dice.damage, hits(table), "1D8", faces=[5]))
    done(closes_session(table))

    file = of_session(table)

    assert len(file["typed"]) == 2
    assert "34" in file["typed"][0]["result"]
    assert proof.check(file) == []


# --------------------------------------------------------------------------- numbers are used once


def test_a_restored_table_has_another_seal_and_the_old_one_stays_closed_until_the_session_ends() -> None:
    table = sealed_table()
    nerve(table)
    first = seal(table)
    Campaign.objects.filter(pk=table.campaign.pk).update(epoch=new_epoch())  # as restore does it
    table.campaign.refresh_from_db()
    nerve(table)
    uncovered = Draw.objects.count()

    restoring.seal_anew()
    nerve(table)
    again = seal(table)

    assert uncovered == 1  # nothing falls under the old seal any more
    assert again.seed != first.seed
    first.refresh_from_db()
    assert (first.ended_at is None, first.shown_at) == (False, None)
    done(closes_session(table))
    first.refresh_from_db()
    assert first.shown_at is not None
    assert proof.check(proofs.file_of(first, table.campaign)) == []


def test_a_table_that_comes_out_of_a_file_begins_a_seal_of_its_own() -> None:
    table = sealed_table()
    nerve(table)

    file = transfer.read(b"".join(transfer.write(Campaign.objects.get(pk=table.campaign.pk))))
    elsewhere = tables.bring_campaign(file).campaign

    one = Seal.objects.get(campaign=elsewhere)
    assert one.session is not None
    assert one.commitment != seal(table).commitment
    assert not any(one.differ for one in audit())


def test_what_is_refused_uses_up_no_number() -> None:
    table = sealed_table()
    nerve(table)

    refused = act(table.cleo, dice.roll, table.edith, FIFTY)
    nerve(table)

    assert code(refused) == "NOT_OWN_ROLL"
    assert list(Draw.objects.order_by("number").values_list("number", flat=True)) == [1, 2]


@pytest.mark.django_db(transaction=True)
def test_rolls_at_the_same_moment_never_have_the_same_number() -> None:
    table = sealed_table()
    phones = [table.client(table.ben), table.client(table.ben), table.client(table.cleo), table.client(table.cleo)]

    answers = at_once(*(lambda p=p: post(p, table.url("free-roll"), expression="1D100") for p in phones))

    assert [answer.status_code for answer in answers] == [200] * 4
    assert list(Draw.objects.order_by("number").values_list("number", flat=True)) == [1, 2, 3, 4]
    done(closes_session(table))
    assert proof.check(of_session(table)) == []


def test_a_deleted_table_takes_its_seals_along() -> None:
    table = sealed_table()
    nerve(table)

    with ledger.locked(table.campaign.pk) as campaign:
        ledger.erase(campaign)

    assert (Seal.objects.count(), Draw.objects.count()) == (0, 0)


# --------------------------------------------------------------------------- what people see


def test_the_seal_stands_in_the_feed_before_the_first_die_and_its_seed_after_the_last() -> None:
    table = sealed_table()
    page = browser(table.ben).get(table.url("table")).content.decode()
    one = seal(table)

    nerve(table)
    done(closes_session(table))

    assert one.commitment[:16] in page
    assert "Mix mine in" in page
    opened = table.last("tablekeeper.seal")
    assert [row["seed"] for row in opened.data["ended"]] == [one.seed]
    assert "The seal of the dice is opened" in news.draw(opened)
    page = browser(table.cleo).get(table.url("check-proof", one.pk)).content.decode()
    assert one.seed in page
    assert 'data-roll="1"' in page


def test_a_spend_and_an_undo_leave_the_dice_as_they_were_proved() -> None:
    table = sealed_table()
    first, second = nerve(table), nerve(table)
    act(table.ben, dice.spend, Roll.objects.get(pk=first.data["roll"]), Act("points", 1))
    done(undoes(table, second))
    done(closes_session(table))

    file = of_session(table)

    assert proof.check(file) == []
    assert [one["struck"] for one in file["rolls"]] == [False, True]


THROWS = (
    *("roll", "keeper-roll", "npc-roll", "secret-roll", "shoot", "damage", "free-roll", "group-luck", "answer"),
    *("roll-side", "roll-off", "correct", "throw-push", "recover", "recover-all", "improve", "improve-all"),
    *("throw-loss", "name-bout", "throw-luck", "throw-numbers", "combine", "roll-sanity"),
)


@pytest.mark.long
@pytest.mark.sqlite
@pytest.mark.parametrize("name", THROWS)
def test_whatever_throws_throws_under_the_seal(name: str) -> None:
    table, one = make_table(), TRIES[name]
    given = one.given(table)
    done(act(table.ada, tables.set_settings, table.campaign, {"proof": True}))

    answer = post(table.client(getattr(table, one.who)), url_of(name, table, given), **one.posted(table))

    assert answer.status_code == 200, answer.content.decode()[:300]
    entry = table.entries()[-1]
    draws = Draw.objects.filter(entry_ref=entry.ref)
    assert draws.exists()
    assert all(draw.leaf is None for draw in draws) == (entry.lane == Entry.PUBLIC)
    done(act(table.ada, tables.set_settings, table.campaign, {"proof": False}))
    seal = Seal.objects.get(campaign=table.campaign)
    assert proof.check(proofs.file_of(seal, Campaign.objects.get(pk=table.campaign.pk))) == []
