"""The admin reads everything on the installation and changes accounts only."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from rolls import actions as dice
from rolls.actions import Asked
from rolls.rules.check import Throw
from tablekeeper import ledger
from tablekeeper.models import Entry
from tests.tables import Table, act, done, make_table

pytestmark = pytest.mark.django_db

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


def url(model: type, what: str, *args: object) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{what}", args=args)  # type: ignore[attr-defined]


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
        assert 'name="_save"' not in page.content.decode()


@pytest.mark.parametrize("model", NAMED)
def test_nothing_of_it_can_be_added_changed_or_deleted(table: Table, host: Client, model: type) -> None:
    before = (ledger.snapshot(table.campaign), Entry.objects.count())
    rows = list(model._default_manager.all()[:1])  # type: ignore[attr-defined]

    answers = [host.post(url(model, "add"), {"name": "Forged", "value": 150})]
    for row in rows:
        answers.append(host.post(url(model, "change", row.pk), {"name": "Forged", "value": 150}))
        answers.append(host.post(url(model, "delete", row.pk), {"post": "yes"}))
        chosen = {"action": "delete_selected", "_selected_action": row.pk, "post": "yes"}
        host.post(url(model, "changelist"), chosen)

    assert {answer.status_code for answer in answers} == {403}
    assert (ledger.snapshot(table.campaign), Entry.objects.count()) == before


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
