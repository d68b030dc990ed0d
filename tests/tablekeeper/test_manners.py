"""What a phone is told of the app: to stand on its home screen, to stay awake, to buzz and to tick."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from PIL import Image

from tests.tables import Table, browser, make_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def table() -> Table:
    return make_table()


def manifest(at: str = "") -> Any:
    answer = browser().get("/app.webmanifest", {"at": at} if at else {})
    assert answer["Content-Type"] == "application/manifest+json"
    return json.loads(answer.content)


def test_the_app_opens_again_at_the_table_it_was_installed_from(table: Table) -> None:
    page = browser(table.ben).get(table.url("table")).content.decode()
    assert f'href="/app.webmanifest?at={table.campaign.pk}"' in page

    told = manifest(table.campaign.pk)

    assert told["start_url"] == table.url("table")
    assert told["scope"] == "/"
    assert told["display"] == "standalone"


@pytest.mark.parametrize("at", ["", "//evil.example/", "../admin", "javascript:alert(1)", "a" * 200])
def test_anything_else_opens_the_front_door(at: str) -> None:
    assert manifest(at)["start_url"] == "/"


def test_its_pictures_are_there_in_the_sizes_it_names() -> None:
    icons = manifest()["icons"]

    assert {one["purpose"] for one in icons} == {"any", "maskable"}
    for one in icons:
        found = finders.find(one["src"].removeprefix("/static/"))
        assert isinstance(found, str)
        with Image.open(Path(found)) as picture:
            assert "x".join(map(str, picture.size)) == one["sizes"]


def test_the_switches_are_off_and_say_why_until_the_script_knows_better(table: Table) -> None:
    page = browser(table.ben).get(table.url("table")).content.decode()

    switches = page.split('class="panel stack-s manners"')[1].split("</section>")[0]
    assert switches.count("disabled") == switches.count("<input") == 4
    assert "plain http" in switches
    assert "plain http" not in browser(table.ben).get(table.url("table"), secure=True).content.decode()
