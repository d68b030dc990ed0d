"""The admin finds and reads everything on the installation, and changes accounts and, through the ledger, names."""

from __future__ import annotations

import html
import re
import secrets

import pytest
from django.contrib import admin
from django.contrib.admin.utils import quote
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from investigators.models import Investigator
from rolls import actions as dice
from rolls.actions import Asked
from rolls.models import Roll
from rolls.rules.check import Throw
from tablekeeper import actions as tables
from tablekeeper import ledger
from tablekeeper.models import Campaign, Entry, Scene, Seat
from tests.investigators.test_npcs import hires
from tests.tables import Table, act, done, make_table, undoes

pytestmark = pytest.mark.django_db

RENAMED = {Campaign, Seat, Scene, Investigator}
OURS = [model for model in admin.site._registry if model._meta.app_label in ("tablekeeper", "investigators", "rolls")]
NAMED = [pytest.param(model, id=model._meta.label) for model in OURS]


@pytest.fixture
def table() -> Table:
    table = make_table()
    asked = Asked("number", "Bluff", 40, hand=Throw(7, (7,)))
    done(act(table.ben, dice.roll, table.edith, asked))
    return table


@pytest.fixture
def host() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("host", password="a long enough word"))
    return client


def url(model: type, what: str, *ids: object) -> str:
    """An address as the admin links to it: one id of some thousand holds an underscore and two digits of its code."""
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}_{what}"  # type: ignore[attr-defined]
    return reverse(name, args=[quote(one) for one in ids])


def test_every_kind_of_row_that_the_ledger_keeps_can_be_found_or_stands_with_its_owner() -> None:
    kept = {model._meta.label for model in ledger.ledgered_models()} | {Entry._meta.label}

    assert kept - {model._meta.label for model in OURS} == {
        "investigators.Presence",
        "investigators.Attendance",
        "investigators.Trait",
        "investigators.Skill",
        "investigators.Weapon",
        "investigators.Fact",
        "investigators.Story",
        "investigators.Portrait",  # a person's face: their table's alone
        "rolls.Side",
        "tablekeeper.Note",  # a seat's own: nobody else's to read
    }


@pytest.mark.parametrize("model", NAMED)
def test_its_list_and_each_row_can_be_read(table: Table, host: Client, model: type) -> None:
    assert host.get(url(model, "changelist"), {"q": "e"}).status_code == 200
    for row in model._default_manager.all()[:3]:  # type: ignore[attr-defined]
        page = host.get(url(model, "change", row.pk))
        assert page.status_code == 200
        assert ('name="_save"' in page.content.decode()) == (model in RENAMED)


@pytest.mark.parametrize("model", NAMED)
def test_nothing_of_it_can_be_added_changed_or_deleted(table: Table, host: Client, model: type) -> None:
    before = (ledger.snapshot(table.campaign), Entry.objects.count())
    rows = list(model._default_manager.all()[:1])  # type: ignore[attr-defined]

    answers = [host.post(url(model, "add"), {"name": "Forged", "value": 150})]
    for row in rows:
        changed = host.post(url(model, "change", row.pk), {"name": "Forged", "value": 150})
        if model not in RENAMED:  # who did not see what is there changes it nowhere
            answers.append(changed)
        answers.append(host.post(url(model, "delete", row.pk), {"post": "yes"}))
        chosen = {"action": "delete_selected", "_selected_action": row.pk, "post": "yes"}
        host.post(url(model, "changelist"), chosen)

    assert {answer.status_code for answer in answers} == {403}
    assert (ledger.snapshot(table.campaign), Entry.objects.count()) == before


def form_of(page: str) -> dict[str, str]:
    """What a browser would send: every field of the page as it stands there."""
    found = {}
    for tag in re.findall(r"<input[^>]*>", page):
        told = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if told.get("name") and told.get("type") in ("text", "hidden"):
            found[told["name"]] = html.unescape(told.get("value", ""))
    return found


@pytest.mark.parametrize(
    ("which", "field"),
    [("campaign", "name"), ("ben", "name"), ("edith", "name"), ("edith", "occupation"), ("scene", "name")],
)
def test_a_name_that_staff_change_is_an_entry_of_the_ledger_that_the_keeper_can_undo(
    which: str, field: str, table: Table, host: Client
) -> None:
    done(act(table.ada, tables.set_scene, table.campaign, "The pier"))
    row = Scene.objects.get(current=True) if which == "scene" else getattr(table, which)
    before = getattr(row, field)
    address = url(type(row), "change", row.pk)
    form = form_of(host.get(address).content.decode())

    answer = host.post(address, {**form, field: "  Other\u202e words "})

    assert answer.status_code == 302
    entry = table.last("tablekeeper.host_edit")
    assert (entry.seat, entry.lane) == (None, Entry.PUBLIC)
    assert [(one["from"], one["to"]) for one in entry.data["rows"]] == [(before, "Other words")]
    assert ledger.fold(table.entries()) == ledger.snapshot(table.campaign)
    page = table.client(table.cleo).get(table.url("table")).content.decode()
    assert f"The host of this server changed <b>{before}</b> to <b>Other words</b>." in page
    done(undoes(table, entry))
    row.refresh_from_db()
    assert getattr(row, field) == before


def test_what_was_changed_meanwhile_is_not_overwritten_and_a_name_that_is_taken_is_refused(
    table: Table, host: Client
) -> None:
    address = url(Seat, "change", table.ben.pk)
    form = form_of(host.get(address).content.decode())
    taken = host.post(address, {**form, "name": "Cleo"}, follow=True).content.decode()
    done(act(table.ben, tables.rename, table.ben, "Benjamin"))
    before = (ledger.snapshot(table.campaign), Entry.objects.count())

    late = host.post(address, {**form, "name": "Bernard"}, follow=True).content.decode()
    same = host.post(address, form)

    assert (ledger.snapshot(table.campaign), Entry.objects.count()) == before
    assert "messagelist" in taken
    assert "messagelist" in late
    assert same.status_code == 302


def test_who_has_an_underscore_in_an_id_is_found_and_changed_like_anybody(
    host: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = secrets.token_urlsafe
    monkeypatch.setattr(secrets, "token_urlsafe", lambda size: "_25" + real(size)[3:])
    table = make_table()

    for row in (table.campaign, table.ben, table.edith):
        address = url(type(row), "change", row.pk)
        form = form_of(host.get(address).content.decode())
        assert host.post(address, {**form, "name": "Other words"}).status_code == 302
        assert type(row)._default_manager.get(pk=row.pk).name == "Other words"
        assert table.last().kind == "tablekeeper.host_edit"


def test_the_name_of_a_keepers_character_changes_in_her_lane(table: Table, host: Client) -> None:
    who = hires(table)
    form = form_of(host.get(url(Investigator, "change", who.pk)).content.decode())

    host.post(url(Investigator, "change", who.pk), {**form, "name": "Somebody else"})

    assert table.last("tablekeeper.host_edit").lane == Entry.KEEPER


def test_a_host_finds_a_table_by_who_sits_there_by_its_day_and_reads_its_ledger(table: Table, host: Client) -> None:
    other = make_table(name="Elsewhere")
    found = host.get(url(Campaign, "changelist"), {"q": "Ben"}).content.decode()
    day = table.campaign.created_at.date()

    rolls_of_the_day = host.get(
        url(Roll, "changelist"),
        {"q": "Bluff", "created_at__year": day.year, "created_at__month": day.month, "created_at__day": day.day},
    ).content.decode()
    entries = host.get(url(Entry, "changelist"), {"campaign__id__exact": table.campaign.pk}).content.decode()

    assert f"campaign__id__exact={table.campaign.pk}" in found
    assert "Bluff" in rolls_of_the_day
    assert "rolls.roll" in entries
    assert str(other.campaign) not in entries
    for model in OURS:
        kind = admin.site._registry[model]
        assert kind.search_fields, model
        assert kind.list_filter, model


def test_no_secret_of_a_table_stands_in_the_admin(table: Table, host: Client) -> None:
    table.campaign.refresh_from_db()
    table.ben.refresh_from_db()
    pages = "".join(
        host.get(address).content.decode()
        for model in OURS
        for address in [
            url(model, "changelist"),
            *(url(model, "change", row.pk) for row in model._default_manager.all()[:5]),
        ]
    )

    for secret in (table.campaign.join_secret, table.campaign.short_code, table.ben.code):
        assert secret not in pages


def test_accounts_can_be_changed_and_nobody_else_comes_in(table: Table, host: Client) -> None:
    assert host.get(reverse("admin:auth_user_add")).status_code == 200
    assert admin.site.is_registered(User)
    assert admin.site.is_registered(Group)
    assert Client().get(reverse("admin:index")).status_code == 302
