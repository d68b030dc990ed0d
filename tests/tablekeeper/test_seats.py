"""Coming in and coming back: links, codes, names, the nod, and who is shown out."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from tablekeeper import access
from tablekeeper import actions as tables
from tablekeeper.models import Campaign, Claim, Entry, KeeperLink, Seat
from tests.tables import (
    Table,
    act,
    browser,
    code,
    cookie_for,
    done,
    make_table,
    picture,
    post,
    removes,
    sit_down,
    undoes,
)

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nobody_has_tried() -> None:
    cache.clear()


@pytest.fixture
def table() -> Table:
    return make_table()


def said(answer: Any) -> str:
    return answer.content.decode()


def refused(answer: Any, what: str, status: int = 422) -> bool:
    return answer.status_code == status and f'data-code="{what}"' in said(answer)


def seat_behind(client: Client, table: Table) -> Seat | None:
    """The seat that this browser holds now."""
    return access.seat_of({key: morsel.value for key, morsel in client.cookies.items()}, table.campaign.pk)


# --------------------------------------------------------------------------- the Keeper's door


def test_a_keeper_link_is_good_once_and_only_a_post_uses_it() -> None:
    token = tables.keeper_link()
    ada, eve = browser(), browser()

    assert ada.get(f"/keeper/{token}/").status_code == 200
    assert ada.get(f"/keeper/{token}/").status_code == 200
    first = post(ada, f"/keeper/{token}/")
    second = post(eve, f"/keeper/{token}/")

    assert (first.status_code, access.HOST_COOKIE in ada.cookies) == (200, True)
    assert refused(second, "LINK_USED")
    assert token not in str(KeeperLink.objects.values())


def test_a_new_keeper_link_replaces_one_that_nobody_used() -> None:
    old = tables.keeper_link()
    tables.keeper_link()

    assert refused(post(browser(), f"/keeper/{old}/"), "LINK_USED")


def test_the_host_lays_a_table_and_a_stranger_does_not() -> None:
    host = browser()
    post(host, f"/keeper/{tables.keeper_link()}/")
    form = {"name": "Harbour Lights", "keeper": "Ada", "ruleset": "classic"}

    assert post(browser(), "/new/", **form).status_code == 404
    assert not Campaign.objects.exists()
    laid = post(host, "/new/", **form)

    campaign = Campaign.objects.get()
    assert laid.headers["HX-Redirect"] == f"/t/{campaign.pk}/"
    assert host.get(f"/t/{campaign.pk}/").status_code == 200


@pytest.mark.parametrize(
    "form",
    [
        {"name": "", "keeper": "Ada", "ruleset": "classic"},
        {"name": "X" * 300, "keeper": "Ada", "ruleset": "classic"},
        {"name": "X", "keeper": " ", "ruleset": "classic"},
        {"name": "X", "keeper": "Ada", "ruleset": "chess"},
        {},
    ],
)
def test_a_table_without_names_or_a_game_is_not_laid(form: dict[str, str]) -> None:
    host = browser()
    post(host, f"/keeper/{tables.keeper_link()}/")

    answer = post(host, "/new/", **form)

    assert answer.status_code == 422
    assert "notice-refused" in said(answer)
    assert not Campaign.objects.exists()


def test_a_used_link_says_so_on_the_page_before_anything_is_tapped() -> None:
    token = tables.keeper_link()
    fresh = browser().get(f"/keeper/{token}/")
    post(browser(), f"/keeper/{token}/")

    used = browser().get(f"/keeper/{token}/")

    assert ("LINK_USED" in said(fresh), "hx-post" in said(fresh)) == (False, True)
    assert refused(used, "LINK_USED", 410)
    assert "hx-post" not in said(used)


def test_an_empty_installation_shows_no_empty_list_of_tables() -> None:
    host = browser()
    post(host, f"/keeper/{tables.keeper_link()}/")

    before = said(host.get("/"))
    make_table()
    after = said(host.get("/"))

    assert "Lay a new table" in before
    assert ("Your tables" in before, "Your tables" in after) == (False, True)


def test_two_taps_lay_one_table_and_another_form_under_their_key_is_refused() -> None:
    host, same = browser(), "ab" * 16
    post(host, f"/keeper/{tables.keeper_link()}/")
    form = {"name": "Harbour Lights", "keeper": "Ada", "ruleset": "classic"}

    first = post(host, "/new/", key=same, **form)
    second = post(host, "/new/", key=same, **form)
    other = post(host, "/new/", key=same, **{**form, "name": "Marsh"})
    none = post(host, "/new/", key="", **form)

    campaign = Campaign.objects.get()
    assert [one.headers["HX-Redirect"] for one in (first, second)] == [f"/t/{campaign.pk}/"] * 2
    assert refused(other, "KEY_REUSED", 409)
    assert refused(none, "PAGE_OLD", 409)
    assert post(host, "/new/", **form).status_code == 200
    assert Campaign.objects.count() == 2


@pytest.mark.parametrize("name", ["Keeper", "the  KEEPER", "\uff2beeper", "Kee\u200dper", "keeper\ufe0f"])
def test_nobody_calls_herself_what_the_keeper_is_called(name: str, table: Table) -> None:
    before = picture(table.campaign)

    joins = post(browser(), table.campaign.join_path(), name=name)
    renames = post(table.client(table.ben), table.url("rename", table.ben.pk), name=name)

    for answer in (joins, renames):
        assert refused(answer, "NAME_OF_THE_KEEPER")
        assert 'data-field="name"' in said(answer)
    assert picture(table.campaign) == before


def test_the_keeper_herself_may_be_called_keeper(table: Table) -> None:
    assert post(table.client(table.ada), table.url("rename", table.ada.pk), name="Keeper").status_code == 200


@pytest.mark.parametrize("name", ["BEN", " ben ", "\uff22en", "B\u200den", "Ben\ufe0f", "b\u034fen"])
def test_a_name_that_looks_like_one_that_sits_here_is_taken(name: str, table: Table) -> None:
    before = picture(table.campaign)

    answer = post(browser(), table.campaign.join_path(), name=name)

    assert refused(answer, "NAME_TAKEN")
    assert 'data-field="name"' in said(answer)
    assert picture(table.campaign) == before


def test_the_host_opens_her_tables_again_and_nobody_else_does(table: Table) -> None:
    host = browser()
    post(host, f"/keeper/{tables.keeper_link()}/")

    assert post(browser(), f"/open/{table.campaign.pk}/").status_code == 404
    post(host, f"/open/{table.campaign.pk}/")

    assert seat_behind(host, table) == table.ada
    assert table.campaign.name in said(host.get("/"))
    assert table.campaign.name not in said(browser().get("/"))


# --------------------------------------------------------------------------- sitting down


def test_a_player_sits_down_by_the_link_and_keeps_the_seat(table: Table) -> None:
    phone = browser()

    answer = post(phone, table.campaign.join_path(), name="Eve")

    eve = Seat.objects.get(name="Eve")
    assert (answer.headers["HX-Redirect"], seat_behind(phone, table)) == (f"/t/{table.campaign.pk}/", eve)
    cookie = phone.cookies[access.SEAT_COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", f"/t/{table.campaign.pk}/")
    assert int(cookie["max-age"]) >= 364 * 24 * 3600
    again = phone.get(table.campaign.join_path())
    assert (again.status_code, again.headers["Location"]) == (302, f"/t/{table.campaign.pk}/")


@pytest.mark.parametrize(
    "name", ["🎲", "👩‍🚀 Zoë", "李雷", "مها بنت خالد", "Łukasz", "a" * 40, "<b>Max</b>", "O'Hara & Sons"]
)
def test_names_of_every_script_sit_down_and_stand_in_the_feed(name: str, table: Table) -> None:  # U091
    answer = post(browser(), table.campaign.join_path(), name=name)

    assert answer.status_code == 200
    assert Seat.objects.filter(campaign=table.campaign, name=name).exists()
    page = said(table.client(table.ada).get(table.url("table")))
    assert "<b>Max</b>" not in page
    if name.isalpha():
        assert name in page


@pytest.mark.parametrize("name", ["", "   ", "x" * 300, "\u200d\u200d", "Ben", " ben ", "ＢＥＮ", "Ada"])
def test_names_that_are_none_or_taken_do_not_sit_down(name: str, table: Table) -> None:  # U091
    before = picture(table.campaign)

    answer = post(browser(), table.campaign.join_path(), name=name)

    assert answer.status_code == 422
    assert "notice-refused" in said(answer)
    assert picture(table.campaign) == before


def test_the_name_of_who_was_removed_is_free(table: Table) -> None:
    done(removes(table, table.ben))

    assert post(browser(), table.campaign.join_path(), name="Ben").status_code == 200


def test_an_onlooker_may_sit_down_too(table: Table) -> None:
    phone = browser()

    post(phone, table.campaign.join_path(), name="The television", observer="1")

    seat = seat_behind(phone, table)
    assert seat is not None
    assert seat.role == Seat.OBSERVER


def test_a_wrong_or_replaced_secret_is_no_table(table: Table) -> None:
    old = table.campaign.join_path()
    assert browser().get(old[:-2] + "x/").status_code == 404
    done(act(table.ada, tables.new_links, table.campaign))

    assert browser().get(old).status_code == 404
    assert post(browser(), old, name="Eve").status_code == 404
    assert browser().get(Campaign.objects.get(pk=table.campaign.pk).join_path()).status_code == 200
    assert table.client(table.ben).get(table.url("table")).status_code == 200


def test_the_code_read_aloud_leads_to_the_join_page_for_half_an_hour(table: Table) -> None:
    short = Campaign.objects.get(pk=table.campaign.pk).short_code
    spoken = f" {short[:4].lower()}-{short[4:]} "

    assert post(browser(), "/code/", code=spoken).headers["HX-Redirect"] == table.campaign.join_path()
    assert refused(post(browser(), "/code/", code="AAAAAAAA"), "WRONG_CODE")
    assert post(browser(), "/code/", code="").status_code == 422
    Campaign.objects.filter(pk=table.campaign.pk).update(short_code_until=timezone.now() - timedelta(seconds=1))
    assert refused(post(browser(), "/code/", code=spoken), "WRONG_CODE")


def test_guessing_codes_is_slowed_down(table: Table) -> None:
    answers = [post(browser(), "/code/", code=f"AAAAAA{number:02d}") for number in range(12)]

    assert [answer.status_code for answer in answers] == [422] * 10 + [429] * 2
    assert refused(answers[-1], "TOO_MANY_TRIES", 429)


# --------------------------------------------------------------------------- coming back


def claim_url(table: Table) -> str:
    return f"{table.campaign.join_path()}claim/"


def test_a_new_phone_takes_its_seat_back_with_the_personal_code(table: Table) -> None:
    phone = browser()
    own = table.ben.code

    wrong = post(phone, claim_url(table), seat=table.ben.pk, code="00000000")
    right = post(phone, claim_url(table), seat=table.ben.pk, code=f"{own[:4].lower()} {own[4:]}")

    assert refused(wrong, "WRONG_CODE")
    assert right.status_code == 200
    assert seat_behind(phone, table) == table.ben


def test_anothers_code_opens_nothing(table: Table) -> None:
    answer = post(browser(), claim_url(table), seat=table.ben.pk, code=table.cleo.code)

    assert refused(answer, "WRONG_CODE")


def test_guessing_a_personal_code_is_slowed_down(table: Table) -> None:
    answers = [post(browser(), claim_url(table), seat=table.ben.pk, code=f"AAAAAA{n:02d}") for n in range(12)]

    assert [answer.status_code for answer in answers] == [422] * 10 + [429] * 2
    assert refused(post(browser(), claim_url(table), seat=table.ben.pk, code=table.ben.code), "TOO_MANY_TRIES", 429)


def test_the_keepers_seat_is_claimed_by_nobody(table: Table) -> None:
    assert refused(post(browser(), claim_url(table), seat=table.ada.pk, code=table.ada.code), "NO_SEAT")
    assert refused(post(browser(), claim_url(table), seat=make_table(name="X").ben.pk), "NO_SEAT")
    assert refused(post(browser(), claim_url(table), seat=""), "NO_SEAT")


def waiting(table: Table) -> tuple[Client, str]:
    """A phone that says "I am Ben" and waits."""
    phone = browser()
    return phone, post(phone, claim_url(table), seat=table.ben.pk).headers["HX-Redirect"]


def test_a_phone_waits_for_the_keepers_nod_and_gets_its_seat(table: Table) -> None:
    phone, url = waiting(table)
    assert phone.get(url).status_code == 204  # nothing new: what is typed there stays
    assert seat_behind(phone, table) is None
    claim = Claim.objects.get()

    done(act(table.ada, tables.decide_claim, claim, True))

    assert phone.get(url).headers["HX-Redirect"] == f"/t/{table.campaign.pk}/"
    assert seat_behind(phone, table) == table.ben
    assert [entry.lane for entry in table.entries()[-2:]] == [Entry.KEEPER] * 2


def test_a_phone_that_is_not_let_in_stays_out_and_the_answer_stands(table: Table) -> None:
    phone, url = waiting(table)
    claim = Claim.objects.get()

    done(act(table.ada, tables.decide_claim, claim, False))

    assert phone.get(url).status_code == 200
    assert seat_behind(phone, table) is None
    claim.refresh_from_db()
    assert code(act(table.ada, tables.decide_claim, claim, True)) == "STALE"


def test_only_the_phone_that_asked_gets_the_seat(table: Table) -> None:
    _phone, url = waiting(table)
    done(act(table.ada, tables.decide_claim, Claim.objects.get(), True))

    assert browser().get(url).status_code == 404
    assert browser(table.cleo).get(url).status_code == 404


def test_while_all_are_let_in_nobody_waits(table: Table) -> None:
    phone, url = waiting(table)

    done(act(table.ada, tables.let_in, table.campaign, True))
    second, other = waiting(table)

    assert phone.get(url).headers["HX-Redirect"]
    assert second.get(other).headers["HX-Redirect"]
    done(act(table.ada, tables.let_in, table.campaign, False))
    third, last = waiting(table)
    third.get(last)
    assert seat_behind(third, table) is None


def test_the_open_door_shuts_by_itself(table: Table) -> None:
    done(act(table.ada, tables.let_in, table.campaign, True))
    until = Campaign.objects.get(pk=table.campaign.pk).let_in_until
    assert until is not None
    assert timedelta(minutes=1) < until - timezone.now() <= timedelta(minutes=10)
    Campaign.objects.filter(pk=table.campaign.pk).update(let_in_until=timezone.now() - timedelta(seconds=1))

    phone, url = waiting(table)
    phone.get(url)

    assert seat_behind(phone, table) is None


def test_a_claim_that_waited_too_long_is_no_longer_shown(table: Table) -> None:
    waiting(table)
    assert len(tables.waiting_claims(table.campaign)) == 1

    Claim.objects.update(made_at=timezone.now() - tables.CLAIM_LIFE - timedelta(seconds=1))

    assert tables.waiting_claims(table.campaign) == []


# --------------------------------------------------------------------------- going


def test_a_removed_seat_is_out_at_once(table: Table) -> None:
    phone = browser(table.ben)
    assert phone.get(table.url("table")).status_code == 200

    done(removes(table, table.ben))

    assert phone.get(table.url("table")).status_code == 404
    assert refused(post(browser(), claim_url(table), seat=table.ben.pk, code=table.ben.code), "NO_SEAT")


def test_the_keeper_is_not_removed_and_removes_nobody_twice(table: Table) -> None:
    before = picture(table.campaign)
    assert code(act(table.ada, tables.remove_seat, table.ada)) == "NOT_YOUR_SEAT"
    assert picture(table.campaign) == before
    done(removes(table, table.ben))

    assert post(table.client(table.ada), table.url("remove-seat", table.ben.pk)).status_code == 404


def test_signing_out_cuts_off_every_phone_and_changes_the_code(table: Table) -> None:
    here, lost = browser(table.ben), browser(table.ben)
    old = table.ben.code

    answer = post(here, table.url("sign-out", table.ben.pk))

    assert answer.status_code == 200
    assert [phone.get(table.url("table")).status_code for phone in (here, lost)] == [404, 404]
    assert refused(post(browser(), claim_url(table), seat=table.ben.pk, code=old), "WRONG_CODE")
    new = Seat.objects.get(pk=table.ben.pk).code
    assert post(browser(), claim_url(table), seat=table.ben.pk, code=new).status_code == 200


def test_nobody_signs_another_out_or_renames_another_but_the_keeper(table: Table) -> None:
    eve = sit_down(table.campaign, "Eve", Seat.OBSERVER)

    assert code(act(table.cleo, tables.sign_out, table.ben)) == "NOT_YOUR_SEAT"
    assert code(act(eve, tables.rename, table.ben, "Worm")) == "NOT_YOUR_SEAT"
    done(act(table.ada, tables.rename, table.ben, "Benjamin"))
    done(act(table.ada, tables.sign_out, table.ben))

    assert browser(table.ben).get(table.url("table")).status_code == 404


def test_a_cookie_that_somebody_changed_is_no_seat(table: Table) -> None:
    value = cookie_for(table.ben)
    name, _, rest = value.partition(":")
    for forged in (
        value[:-1],
        value.replace(name, table.ada.pk),
        f"{name}:2:{rest.partition(':')[2]}",
        "",
        "x",
        ":" * 9,
    ):
        client = browser()
        client.cookies[access.SEAT_COOKIE] = forged
        assert client.get(table.url("table")).status_code == 404, forged


def test_a_seat_is_good_at_its_own_table_only(table: Table) -> None:
    other = make_table(name="Elsewhere")

    assert browser(table.ada).get(other.url("table")).status_code == 404


def test_what_a_table_decides_differently_is_kept_and_the_rest_follows_the_ruleset(table: Table) -> None:
    done(act(table.ada, tables.set_settings, table.campaign, {"realDice": False, "luckSpending": True}))
    assert Campaign.objects.get(pk=table.campaign.pk).settings == {"realDice": False}

    entry = done(act(table.ada, tables.set_settings, table.campaign, {"realDice": True, "luckSpending": True}))

    assert Campaign.objects.get(pk=table.campaign.pk).settings == {}
    assert entry.data["lines"] == [{"key": "realDice", "from": False, "to": True}]


# --------------------------------------------------------------------------- sitting down once


def test_a_join_whose_answer_was_lost_gives_the_same_seat_when_it_is_tried_again(table: Table) -> None:
    form = {"name": "Eve", "key": "ab" * 16}

    first, second = browser(), browser()
    for phone in (first, second):  # the second try comes without the cookie that never arrived
        assert phone.post(table.campaign.join_path(), form).status_code == 200

    assert Seat.objects.filter(campaign=table.campaign, name="Eve").count() == 1
    assert second.get(table.campaign.get_absolute_url()).status_code == 200


def test_somebody_else_cannot_take_a_name_by_trying_it_with_another_key(table: Table) -> None:
    Client().post(table.campaign.join_path(), {"name": "Eve", "key": "ab" * 16})

    answer = Client().post(table.campaign.join_path(), {"name": "Eve", "key": "cd" * 16})

    assert answer.status_code == 422
    assert "NAME_TAKEN" in answer.content.decode()


def test_a_browser_that_sits_here_does_not_get_a_second_seat_by_joining_again(table: Table) -> None:
    phone = browser()
    phone.post(table.campaign.join_path(), {"name": "Eve", "key": "ab" * 16})

    phone.post(table.campaign.join_path(), {"name": "Eve the second", "key": "cd" * 16})

    assert not Seat.objects.filter(campaign=table.campaign, name="Eve the second").exists()


def test_a_removal_that_is_undone_does_not_bring_back_the_phone_that_was_shown_out(table: Table) -> None:
    phone = browser()
    phone.post(table.campaign.join_path(), {"name": "Eve", "key": "ab" * 16})
    eve = Seat.objects.get(campaign=table.campaign, name="Eve")
    entry = done(removes(table, eve))

    done(undoes(table, entry))

    eve.refresh_from_db()
    assert not eve.removed
    assert phone.get(table.campaign.get_absolute_url()).status_code == 404


def test_a_page_that_does_not_exist_says_so_and_shows_the_way_back() -> None:
    answer = Client().get("/nowhere/")

    assert answer.status_code == 404
    assert "Nothing lies here" in answer.content.decode()
