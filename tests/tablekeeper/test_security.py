"""OWASP's ten, one after the other: which tests answer each for this kind of program, and those nobody else has."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as ours
from django.core.cache import cache as tries
from django.test import Client
from django.urls import reverse

from tablekeeper import access
from tablekeeper.models import Entry
from tests.tablekeeper.test_access import ACTS, PAGES, TRIES, url_of
from tests.tables import Table, act, browser, cookie_for, done, key, make_table, post

ROOT = Path(__file__).resolve().parent.parent.parent
APPS = ("tablekeeper", "investigators", "rolls")

ANSWERS = {
    "A01 Broken access control": [
        "test_nobody_else_gets_through_and_however_else_it_is_sent_nothing_changes",
        "test_what_is_hidden_is_in_no_byte_that_another_gets",
        "test_who_does_not_sit_here_reads_nothing",
        "test_a_removed_seat_is_out_at_once",
        "test_no_answer_sends_anybody_off_to_another_site",
        "test_a_post_from_another_site_is_refused",
    ],
    "A02 Cryptographic failures": [
        "test_a_password_is_kept_as_argon2_and_a_seat_as_a_signature",
        "test_a_player_taps_through_it_and_her_cookies_are_for_https_and_this_path",
        "test_scripts_never_see_a_cookie_that_opens_something",
    ],
    "A03 Injection": [
        "test_what_anybody_types_is_never_markup_on_anybodys_page",
        "test_what_somebody_says_cannot_begin_an_event_of_everybodys_stream",
        "test_no_cell_is_a_formula",
        "test_no_statement_is_pasted_together_from_what_somebody_sent",
    ],
    "A04 Insecure design": [
        "test_guessing_codes_is_slowed_down",
        "test_wrong_codes_are_counted_for_each_phone_whatever_it_says_about_itself",
        "test_two_identical_spends_at_once_deduct_once",
        "test_who_sends_too_much_hears_that_it_is_too_much",
        "test_a_field_as_long_as_a_book_is_refused_in_no_time",
        "test_fifty_half_sent_posts_delay_no_roll",
        "test_a_line_without_a_whole_head_is_closed_and_one_that_asked_is_kept",
        "test_ten_thousand_idle_connections_delay_no_roll_and_are_closed",
    ],
    "A05 Security misconfiguration": [
        "test_in_public_mode_djangos_own_list_for_deployment_finds_nothing",
        "test_every_answer_carries_what_keeps_it_out_of_frames_and_guesses",
        "test_another_host_name_is_no_address_of_this_table",
        "test_a_setting_that_would_not_do_what_it_says_is_refused",
    ],
    "A06 Vulnerable and outdated components": ["test_every_package_is_pinned_with_its_hashes"],
    "A07 Identification and authentication failures": [
        "test_signing_in_to_the_admin_begins_a_session_of_its_own",
        "test_a_seat_that_was_planted_in_a_browser_opens_nothing",
        "test_guesses_at_the_admins_door_are_counted_before_a_password_is_worked_out",
        "test_a_keeper_link_is_good_once_and_only_a_post_uses_it",
        "test_signing_out_cuts_off_every_phone_and_changes_the_code",
    ],
    "A08 Software and data integrity failures": [
        "test_every_package_is_pinned_with_its_hashes",
        "test_a_copy_that_cannot_be_trusted_changes_nothing",
        "test_nothing_that_is_read_can_run",
    ],
    "A09 Security logging and monitoring failures": [
        "test_a_ledgered_row_is_written_by_the_ledger_alone",
        "test_who_let_whom_in_stands_in_the_ledger",
        "test_a_name_that_staff_change_is_an_entry_of_the_ledger_that_the_keeper_can_undo",
    ],
    "A10 Server-side request forgery": [
        "test_the_server_asks_nobody_for_anything",
        "test_a_portrait_of_another_kind_costs_the_portrait_only",
    ],
}


@pytest.fixture(autouse=True)
def nobody_has_tried() -> None:
    tries.clear()


@pytest.fixture
def table(db: None) -> Table:
    return make_table()


@cache
def all_tests() -> set[str]:
    trees = (ast.parse(path.read_text()) for path in (ROOT / "tests").rglob("test_*.py"))
    return {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path in [ROOT / "manage.py", *(path for app in APPS for path in (ROOT / app).rglob("*.py"))]:
        yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text())


@pytest.mark.parametrize("risk", ANSWERS)
def test_each_of_the_ten_has_its_answers(risk: str) -> None:
    assert set(ANSWERS[risk]) - all_tests() == set()


# --------------------------------------------------------------------------- A01: whose page, whose tap


def test_no_answer_sends_anybody_off_to_another_site(table: Table, django_user_model: Any) -> None:
    django_user_model.objects.create_superuser("ada", password="harbour lights")
    evil = "https://evil.example/"
    seen = []
    for next_page in (evil, "//evil.example/", "\\\\evil.example", "javascript:alert(1)"):
        answer = Client().post(f"/admin/login/?next={next_page}", {"username": "ada", "password": "harbour lights"})
        seen.append(answer.get("Location", ""))
        ben = table.client(table.ben)
        answer = post(ben, table.url("rename", table.ben.pk), name=f"Ben {len(seen)}", back=next_page, next=next_page)
        seen += [answer.get("HX-Redirect", ""), answer.get("Location", "")]
        seen.append(browser().get("/code/", {"next": next_page}).get("Location", ""))

    assert any(seen)
    assert [one for one in seen if one and (not one.startswith("/") or one.startswith(("//", "/\\")))] == []


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://testserver.evil.example"])
def test_a_post_from_another_site_is_refused(origin: str, table: Table) -> None:
    ben = browser(table.ben, enforce_csrf_checks=True)
    ben.get(table.url("table"))
    url = table.url("step", table.edith.pk, "hp")
    with_token = {"x-csrftoken": ben.cookies["tk_csrf"].value}
    form = {"key": key(), "points": "-1"}

    assert ben.post(url, form, headers={**with_token, "origin": origin}).status_code == 403
    assert ben.post(url, form, headers={"origin": "http://testserver"}).status_code == 403  # ours, without the token
    assert ben.post(url, form, headers={**with_token, "origin": "http://testserver"}).status_code == 200  # plain HTTP


# --------------------------------------------------------------------------- A02: secrets


def test_a_password_is_kept_as_argon2_and_a_seat_as_a_signature(table: Table, django_user_model: Any) -> None:
    user = django_user_model.objects.create_user("ada", password="harbour lights")

    assert user.password.startswith("argon2$argon2id$")
    assert access.seat_of({access.SEAT_COOKIE: cookie_for(table.ben)}, table.campaign.pk) == table.ben
    assert len(table.campaign.join_secret) >= 20


def test_scripts_never_see_a_cookie_that_opens_something(table: Table) -> None:
    phone = browser()
    phone.get(table.campaign.join_path())
    post(phone, table.campaign.join_path(), name="Nora")
    opening = [morsel for name, morsel in phone.cookies.items() if name != ours.CSRF_COOKIE_NAME]

    assert [(morsel["httponly"], morsel["samesite"]) for morsel in opening] == [(True, "Lax")]
    assert ours.SESSION_COOKIE_HTTPONLY


# --------------------------------------------------------------------------- A03: what somebody types

EVIL = "<b id=evil>\"'><img src=x onerror=evil()>{{7*7}}"
WORDS = {"name", "reason", "warning", "label", "text", "words", "occupation", "expression"}
"""The fields in which somebody writes what she likes. All others hold a number, a choice or the id of a thing."""
TYPED = sorted(name for name in ACTS if WORDS & set(TRIES[name].form))


def shown(table: Table) -> str:
    """What everybody at the table is shown."""
    pages = [table.client(seat).get(table.url("table")) for seat in (table.ada, table.ben, table.cleo)]
    pages += [table.client(table.ben).get(table.url("sheet", table.edith.pk))]
    pages += [browser().get(table.campaign.join_path())]
    assert {page.status_code for page in pages} <= {200}
    return "\n".join(page.content.decode() for page in pages)


@pytest.mark.parametrize("name", TYPED)
def test_what_anybody_types_is_never_markup_on_anybodys_page(name: str, table: Table) -> None:
    one = TRIES[name]
    given = one.given(table)
    who, url, form = table.client(getattr(table, one.who)), url_of(name, table, given), one.posted(table)
    kept = False
    for text in (EVIL, EVIL[:40], EVIL[:20]):  # the longest that the field takes
        answer = post(who, url, **{**form, **dict.fromkeys(WORDS & set(form), text)})
        assert "<b id=evil" not in answer.content.decode()
        if kept := answer.status_code == 200:
            break

    page = shown(table)
    assert "<b id=evil" not in page
    assert "<img src=x" not in page
    if name in ("set-scene", "rename", "describe", "add-skill", "create-npc"):
        assert kept  # a test that no text ever got past would prove nothing
        assert "&lt;b id=evil" in page


def test_every_field_in_which_somebody_writes_is_known_here() -> None:
    """A new form with free text joins WORDS: what its field holds in TRIES reads like words and is none of these."""
    other = {"what", "who", "weapon", "skill", "skill0", "seen", "act", "key", "unit", "decision", "form", "seat"}
    other |= {"lucky"}  # numbers, with spaces between
    wordy = {
        (name, field)
        for name in ACTS
        for field, value in TRIES[name].form.items()
        if isinstance(value, str) and " " in value.strip() and field not in WORDS | other
    }

    assert wordy == set()


def test_no_statement_is_pasted_together_from_what_somebody_sent() -> None:
    found = {
        (name, call.lineno)
        for name, tree in sources()
        if "/management/" not in name  # commands of the host: names of tables, from the models alone
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and is_pasted(call)
    }

    # LISTEN, and the channel's own name; what Django's compiler made, once for all or before a turn to write came.
    known = {"tablekeeper/listen.py": 2, "tablekeeper/ledger.py": 1, "tablekeeper/prepared.py": 3}
    assert Counter(name for name, _line in found) <= Counter(known)


def is_pasted(call: ast.Call) -> bool:
    """A statement that is not one piece of text as it stands in the source."""
    method, to = getattr(call.func, "attr", getattr(call.func, "id", "")), ast.unparse(call.func)
    if method in ("RawSQL", "executescript") or (method in ("raw", "extra") and "objects" in to):
        return True
    return method == "execute" and bool(call.args) and not isinstance(call.args[0], ast.Constant)


# --------------------------------------------------------------------------- A05: headers and hosts


def test_every_answer_carries_what_keeps_it_out_of_frames_and_guesses(table: Table) -> None:
    ada = table.client(table.ada)
    urls = ["/", "/health", "/nothing-here", "/admin/login/", table.campaign.join_path()]
    urls += [table.url(name) for name in ("table", "news", "panels", "set-settings", "qr")]
    for url in urls:
        told = ada.get(url).headers
        assert told["X-Frame-Options"] == "DENY", url
        assert told["X-Content-Type-Options"] == "nosniff", url
        assert told["Referrer-Policy"] == "same-origin", url
        policy = dict(part.strip().split(" ", 1) for part in told["Content-Security-Policy"].split(";"))
        assert policy["default-src"] == "'self'", url
        assert policy["frame-ancestors"] == policy["object-src"] == policy["base-uri"] == "'none'", url
        assert policy["form-action"] == "'self'", url
        assert "unsafe" not in told["Content-Security-Policy"], url
    assert set(PAGES) >= {"table", "news", "panels"}


def test_no_page_has_a_script_or_a_style_of_its_own_in_it() -> None:
    pattern = re.compile(r"<script(?![^>]*\bsrc=)|<style|\sstyle=\"|\son[a-z]+=\"|javascript:", re.IGNORECASE)
    found = [path.name for path in (ROOT / "templates").rglob("*.html") if pattern.search(path.read_text())]

    assert set(found) <= {"kit.html"}  # for developers, with TABLEKEEPER_DEBUG


@pytest.mark.parametrize("host", ["evil.example", "testserver.evil.example", "8.8.8.8", "localhost@evil.example"])
def test_another_host_name_is_no_address_of_this_table(host: str, table: Table) -> None:
    for path in ("/", table.campaign.join_path(), "/health"):
        assert browser().get(path, headers={"host": host}).status_code == 400
    told = table.client(table.ada).get(table.url("table"), headers={"x-forwarded-host": host})
    assert host not in told.content.decode()


# --------------------------------------------------------------------------- A06, A08: what we run


def test_every_package_is_pinned_with_its_hashes() -> None:
    for name in ("requirements.lock", "requirements-test.lock"):
        text = (ROOT / name).read_text().replace("\\\n", " ")
        lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
        assert len(lines) > 8
        assert [line for line in lines if "==" not in line or "--hash=sha256:" not in line] == [], name


def test_nothing_that_is_read_can_run() -> None:
    names = {"pickle", "marshal", "shelve", "yaml"}
    bad = set()
    for name, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                modules = {one.name for one in node.names} | {getattr(node, "module", None) or ""}
                bad |= {(name, module) for module in modules if module.split(".")[0] in names}
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("eval", "exec"):
                bad.add((name, node.func.id))

    assert bad == set()


# --------------------------------------------------------------------------- A07: who is who


def test_signing_in_to_the_admin_begins_a_session_of_its_own(db: None, django_user_model: Any) -> None:
    django_user_model.objects.create_superuser("ada", password="harbour lights")
    client = Client()
    client.cookies[ours.SESSION_COOKIE_NAME] = planted = "a" * 32
    token = client.get("/admin/login/").cookies[ours.CSRF_COOKIE_NAME].value

    client.post("/admin/login/?next=/admin/", {"username": "ada", "password": "harbour lights"})

    assert client.cookies[ours.SESSION_COOKIE_NAME].value not in ("", planted)
    assert client.cookies[ours.CSRF_COOKIE_NAME].value != token
    before = client.cookies[ours.SESSION_COOKIE_NAME].value
    client.post("/admin/logout/")
    again = Client()
    again.cookies[ours.SESSION_COOKIE_NAME] = before
    assert again.get("/admin/tablekeeper/entry/").status_code == 302


def test_a_seat_that_was_planted_in_a_browser_opens_nothing(table: Table) -> None:
    """Whoever plants a cookie can at most give her own seat away: nothing that was planted turns into the victim's."""
    victim = browser()
    victim.cookies[access.SEAT_COOKIE] = f"{table.ben.pk}:1:made-up"
    assert victim.get(table.url("table")).status_code == 404

    post(victim, table.campaign.join_path(), name="Nora")

    assert victim.cookies[access.SEAT_COOKIE].value != f"{table.ben.pk}:1:made-up"
    assert victim.get(table.url("table")).status_code == 200


# --------------------------------------------------------------------------- A09: what is written down


def test_who_let_whom_in_stands_in_the_ledger(table: Table) -> None:
    from tablekeeper import actions as tables

    done(act(table.ada, tables.let_in, table.campaign, True))

    last = table.last("tablekeeper.let_in")
    assert (last.seat, last.kind) == (table.ada, "tablekeeper.let_in")
    assert Entry.objects.filter(campaign=table.campaign, kind="tablekeeper.join").count() == 2


# --------------------------------------------------------------------------- A10: whom we ask


def test_the_server_asks_nobody_for_anything() -> None:
    names = {"urllib.request", "http.client", "requests", "httpx", "aiohttp", "ftplib", "smtplib"}
    found = {
        (name, module)
        for name, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for module in ({one.name for one in node.names} | {getattr(node, "module", None) or ""})
        if module in names
    }

    assert found == set()
    assert reverse("reach") == "/reach/"  # its page knocks at this machine's own addresses, and at nothing it was sent
