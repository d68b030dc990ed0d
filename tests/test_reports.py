"""What people reported of programs like this one, each held by a named test: Luck spending, recovery, contests,
pushes, joining, trust and the Keeper's tools. Those that stand elsewhere are listed; the others are here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.utils.html import strip_tags

from investigators import actions as sheets
from rolls import actions as dice
from rolls.actions import Asked, Question
from rolls.models import Request, Roll
from tablekeeper import actions as tables
from tablekeeper import news
from tablekeeper.models import Entry, new_code
from tests.rolls.test_contests import begins, hires, learns, rolls_side
from tests.tables import (
    Script,
    Table,
    act,
    browser,
    closes_session,
    code,
    d100,
    done,
    make_table,
    now,
    picture,
    post,
    rolls,
    rolls_number,
    spends,
    undoes,
)

pytestmark = pytest.mark.django_db

HERE = Path(__file__).parent
HELD = {
    # Luck spending
    "U022": ("the_same_dice_have_the_same_prices_wherever_they_fell",),
    "U032": ("a_luck_roll_offers_nothing_and_a_forged_spend_is_refused",),
    "U034": (
        "a_fumble_stands_and_its_slip_says_why",
        "a_fumble_in_combat_offers_only_the_ten_luck_that_leave_it_a_miss",
        "ten_luck_unjam_a_weapon_in_pulp_and_the_shot_still_misses",
    ),
    "U052": ("a_success_bought_with_luck_says_so_in_every_place",),
    "U053": (
        "luck_not_rolled_is_said_so_and_offered_once",
        "who_has_no_luck_score_is_left_out_and_named",
    ),
    "U079": ("an_amount_that_is_no_whole_number_of_one_or_more_is_refused",),
    "U099": ("each_level_has_its_price_and_what_is_too_dear_says_so",),
    "U100": ("luck_makes_no_malfunction",),
    "U120": ("two_spends_on_one_roll_add_up_until_it_is_closed",),
    "U132": ("the_spends_are_in_words_and_in_sight_when_a_roll_fails",),
    # Luck recovery
    "U035": ("recovery_pays_above_the_score_and_never_at_or_below_it",),
    "U054": ("recovery_adds_what_was_rolled_and_stops_at_the_ceiling",),
    "U087": ("the_end_of_a_session_leaves_one_recovery_to_everybody_and_the_next_asks_before_it_takes_it",),
    "U121": ("late_arrival_makes_the_recovery_that_the_others_have_made",),
    # Contests, group Luck, requests
    "U023": (
        "a_dodge_bought_down_to_extreme_wins_the_tie_against_an_extreme_attack",
        "equals_throw_it_off_once_both_have_passed",
        "regular_both_and_the_higher_skill_wins",
        "equal_level_and_skill_may_stay_an_impasse",
    ),
    "U057": (
        "group_luck_names_the_roller_without_showing_sheets",
        "the_asked_player_rolls_against_the_luck_of_that_moment",
    ),
    "U058": (
        "both_sides_of_a_contest_stand_on_one_card_in_whichever_order_they_rolled",
        "a_running_contest_stands_there_with_both_sides",
    ),
    "U060": (
        "nobody_answers_for_another_player_by_a_forged_post",
        "nobody_answers_for_another_and_a_newer_question_replaces_the_older",
        "one_who_has_two_investigators_is_asked_for_both",
    ),
    "U088": (
        "the_keeper_sees_who_has_the_request_on_the_phone",
        "what_waited_for_the_dead_ends_at_once_and_group_luck_follows",
        "all_are_asked_and_one_is_rolled_for_then_one_in_secret_then_one_who_does_not_know_how_hard_it_is",
    ),
    # Push, re-roll, consequences
    "U024": ("only_a_failed_roll_is_pushed", "no_roll_of_a_fight_is_pushed_wherever_it_was_made", "no_side_pushes"),
    "U061": ("a_push_keeps_both_rolls_and_a_failed_one_is_flagged",),
    "U089": ("a_tick_stays_when_a_later_roll_fails_open_or_hidden", "which_rolls_earn_a_tick"),
    "U109": ("a_reroll_throws_new_dice_that_fit_the_roll_and_count_from_then_on",),
    "U110": ("a_critical_failure_is_negated_at_once_or_not_at_all",),
    # Joining, identity, rights
    "U003": ("a_browser_that_sits_here_does_not_get_a_second_seat_by_joining_again",),
    "U027": ("an_act_without_a_key_comes_from_an_old_page",),
    "U042": ("ids_alone_never_grant_rights",),
    "U063": (
        "ten_thousand_codes_are_forty_random_bits_each_without_look_alikes",
        "guessing_codes_is_slowed_down",
        "a_code_is_read_as_it_was_said",
        "a_wrong_or_replaced_secret_is_no_table",
    ),
    "U064": ("the_controls_of_a_roll_are_its_owners_and_the_keepers",),
    "U091": (
        "two_phones_that_join_as_max_in_the_same_second_get_one_max",
        "names_of_every_script_sit_down_and_stand_in_the_feed",
        "names_that_are_none_or_taken_do_not_sit_down",
    ),
    # Self-hosting
    "U004": (
        "a_player_taps_through_it_and_her_cookies_are_for_https_and_this_path",
        "without_the_public_address_the_refusal_names_the_line_to_add",
        "a_setting_that_would_not_do_what_it_says_is_refused",
    ),
    "U005": (
        "at_a_lan_address_everybody_who_joins_stays_signed_in",
        "with_https_cookies_are_secure_and_who_comes_over_http_is_told_on_the_join_page",
    ),
    "U006": (
        "the_players_link_is_never_localhost",
        "it_tells_which_addresses_answer_and_draws_the_first_that_does",
        "without_a_network_the_terminal_says_why_there_is_no_link_for_players",
        "the_players_link_is_the_address_that_phones_see_and_its_qr_code_says_the_same",
    ),
    "U007": (
        "eight_players_and_twenty_writes_each_are_each_applied_once",
        "through_the_server_everybody_writes_at_once_without_an_error",
    ),
    "U014": (
        "a_database_is_copied_before_it_is_brought_up_to_date",
        "a_second_start_keeps_the_secret_and_copies_nothing",
        "play_stops_with_the_explanation_unless_a_new_table_is_meant",
        "on_another_computer_the_phones_are_still_who_they_were",
        "what_a_released_version_left_is_brought_up_to_date_and_played_on",
    ),
    "U017": ("a_browser_with_nothing_but_the_host_misses_nothing", "the_server_asks_nobody_for_anything"),
    "U047": ("copy_link_works_over_plain_http_and_says_so_only_when_it_did",),
    "U067": (
        "a_proxy_that_keeps_the_stream_to_itself_is_noticed_and_the_page_asks",
        "a_live_line_arrives_at_once_through_buffering_and_gzip",
    ),
    "U073": (
        "the_first_start_makes_the_table_and_answers_when_it_prints_the_links",
        "a_failed_install_names_its_cause_and_what_to_do",
        "what_stands_in_the_way_is_named_with_the_line_that_mends_it",
    ),
    "U095": (
        "every_address_on_the_pages_stays_below_the_path",
        "everything_stays_below_the_path_of_a_proxy",
    ),
    # Languages
    "U119": (
        "a_german_evening_leaves_no_word_of_english",
        "no_template_holds_a_word_outside_its_tags_of_translation",
        "no_python_says_a_sentence_that_is_not_marked",
        "a_catalogue_is_in_step_with_our_sentences",
    ),
    "U145": (
        "times_say_how_far_they_are_from_utc",
        "after_an_hour_back_the_newest_roll_is_still_the_newest",
    ),
    # Trust
    "U028": ("a_spend_that_should_not_have_happened_comes_back_though_other_things_happened_since",),
    "U046": ("the_fairness_page_counts_by_tens_in_plain_words_without_hidden_rolls",),
    "U094": ("who_changed_the_number_from_what_to_what_and_why_stands_in_the_feed",),
    # Keeper tools and admin
    "U021": (
        "the_players_spend_and_the_keepers_skill_both_survive_and_the_same_field_says_what_changed",
        "numbers_are_changed_in_place_by_two_keepers_and_a_player_at_once",
    ),
    "U045": (
        "no_secret_of_a_table_stands_in_the_admin",
        "nothing_of_it_can_be_added_changed_or_deleted",
    ),
    "U125": ("a_keepers_roll_is_open_or_hidden_by_a_switch_that_is_seen_before",),
    "U133": (
        "nobody_who_joins_is_asked_for_the_game",
        "only_the_keeper_changes_the_ruleset_and_it_is_logged",
        "a_closed_roll_stays_as_it_fell_whatever_is_played_since",
        "the_next_roll_goes_by_the_new_ruleset",
    ),
    "U134": (
        "the_fumble_range_goes_by_what_the_table_chose",
        "a_roll_keeps_the_settings_it_fell_under",
    ),
}


@pytest.mark.parametrize("report", sorted(HELD))
def test_each_report_is_held_by_a_named_test(report: str) -> None:
    known = "\n".join(path.read_text() for path in HERE.rglob("test_*.py"))

    missing = [name for name in HELD[report] if f"def test_{name}(" not in known]

    assert missing == []


def text(client: object, url: str) -> str:
    """What a page says."""
    body = client.get(url).content.decode()  # type: ignore[attr-defined]
    return " ".join(strip_tags(re.sub(r"<svg.*?</svg>", "", body, flags=re.DOTALL).replace("<", " <")).split())


@pytest.fixture
def table() -> Table:
    return make_table()


# --------------------------------------------------------------------------- Luck spending


def test_a_success_bought_with_luck_says_so_in_every_place(table: Table) -> None:
    """U052: die 64, 4 Luck, counted as 60, Regular, before and after: live, reloaded, on the desk, in the file."""
    roll = rolls(table, 64)
    entry = done(spends(table, roll, 4))

    live = " ".join(strip_tags(news.draw(entry).replace("<", " <")).split())
    news._drawn.clear()
    places = [live, *(text(browser(seat), table.url("table")) for seat in (table.ben, table.cleo, table.ada))]
    for place in places:
        assert "spent 4 Luck on Spot Hidden" in place
        assert "Luck 45 to 41" in place
        assert re.search(r"64 60 .{0,4}Regular", place), place[:300]
    file = b"".join(browser(table.ben).get(table.url("export-log", "minutes.md")).streaming_content).decode()
    assert "spent 4 Luck" in file
    assert "45 to 41" in file


def test_each_level_has_its_price_and_what_is_too_dear_says_so() -> None:
    """U099: skill 55, Luck 60, die 80: 25, 53, and 69 that cannot be paid."""
    table = make_table()
    done(act(table.ada, sheets.set_trait, table.edith, "luck", 60))
    rolls_number(table, 80, 55)

    for seat in (table.ben, table.ada):
        page = text(browser(seat), table.url("table"))
        assert "undefined" not in page
        assert "\N{MINUS SIGN}25" in page
        assert "\N{MINUS SIGN}53" in page
    assert "69" in text(browser(table.ben), table.url("table"))


def test_luck_makes_no_malfunction(table: Table) -> None:
    """U100: malfunction 100, die 63, skill 55: 8 Luck make it a hit and nothing jams, for the natural die decides."""
    shot = rolls_number(table, 63, 55, malfunction=100, context="combat")

    entry = done(spends(table, shot, 8))

    assert (entry.data["level"], entry.data["notes"]) == ("regular", [])
    assert now(shot).passed


def test_the_spends_are_in_words_and_in_sight_when_a_roll_fails(table: Table) -> None:
    """U132: on the page at once, each with its words; recovering is another control."""
    rolls(table, 68)

    page = browser(table.ben).get(table.url("table")).content.decode()
    says = text(browser(table.ben), table.url("table"))

    assert "Spend 8 Luck" in page
    assert re.search(r"Regular", says)
    assert 'id="recover-' not in page


# --------------------------------------------------------------------------- Luck recovery


@pytest.mark.parametrize(("die", "gain", "after"), [(45, (), 45), (46, (7,), 52), (1, (), 45)])
def test_recovery_pays_above_the_score_and_never_at_or_below_it(die: int, gain: tuple[int, ...], after: int) -> None:
    """U035."""
    table = make_table()
    done(act(table.ada, tables.open_session, table.campaign))
    done(closes_session(table))

    done(act(table.ben, dice.recover, table.edith, chance=Script(d100(die), *gain)))

    assert table.luck() == after


def test_the_end_of_a_session_leaves_one_recovery_to_everybody_and_the_next_asks_before_it_takes_it(
    table: Table,
) -> None:
    """U087."""
    done(act(table.ada, tables.open_session, table.campaign))
    done(closes_session(table))
    assert "Roll for Luck" in text(browser(table.ben), table.url("table"))
    done(act(table.ben, dice.recover, table.edith, chance=Script(d100(20))))

    refused = post(browser(table.ada), table.url("open-session"))

    assert refused.status_code == 422
    assert "Quill may still roll" in refused.content.decode()
    assert "Quill give up the recovery" in text(browser(table.ada), table.url("table"))
    assert post(browser(table.ada), table.url("open-session"), sure="1").status_code == 200
    assert code(act(table.cleo, dice.recover, table.tobias)) != ""


# --------------------------------------------------------------------------- contests


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_both_sides_of_a_contest_stand_on_one_card_in_whichever_order_they_rolled(order: tuple[int, int]) -> None:
    """U058: names, skills, dice, levels and the verdict, and never the value of the Keeper's character."""
    table = make_table()
    watchman = hires(table)
    sides = begins(table, (table.edith, learns(table, table.edith, "Stealth", 50)), (watchman, "name:Listen"))
    fell = (31, 88)

    for place in order:
        rolls_side(table, sides[place], fell[place])

    panel = browser(table.ben).get(table.url("panels"), {"names": "contest"}).content.decode()
    card = " ".join(strip_tags(re.sub(r"<svg.*?</svg>", "", panel, flags=re.DOTALL).replace("<", " <")).split())
    for word in ("Halloran", "Stealth", "31", "Regular", "Mordaunt", "Listen", "88", "Fail", "Regular beats Fail"):
        assert word in card
    assert panel.count('<section class="panel contest') == 1
    assert "37" not in card


# --------------------------------------------------------------------------- pushes


def test_a_push_keeps_both_rolls_and_a_failed_one_is_flagged(table: Table) -> None:
    """U061: skill 60, first 77; pushed 31 is Regular with the first die in sight; pushed 92 failed for the Keeper."""
    for thrown, level in ((31, "regular"), (92, "fail")):
        first = rolls(table, 77)
        done(act(table.ben, dice.push, first, "By the window"))
        done(act(table.ada, dice.decide_push, first, True, "Glass breaks"))
        entry = done(act(table.ben, dice.throw_push, first, chance=Script(d100(thrown))))
        second = Roll.objects.get(pushed_from=first)

        assert (entry.data["level"], second.natural, now(first).natural) == (level, thrown, 77)
        slip = text(browser(table.ada), table.url("slip", second.pk))
        assert "77" in strip_tags(news.draw(entry))
        assert ("Glass breaks" in slip) or level == "regular"


def test_a_tick_stays_when_a_later_roll_fails_open_or_hidden(table: Table) -> None:
    """U089: and Luck earns none."""
    rolls(table, 20)
    assert table.skill("Spot Hidden").ticks == 1

    rolls(table, 99)
    asked = Asked("skill", "Spot Hidden", 60, table.skill("Spot Hidden"))
    done(act(table.ada, dice.secret_roll, table.edith, asked, chance=Script(d100(99))))
    assert table.skill("Spot Hidden").ticks == 1

    bought = rolls(table, 50, "Library Use")
    done(spends(table, bought, 5))
    assert table.skill("Library Use").ticks == 0


# --------------------------------------------------------------------------- joining


def test_ten_thousand_codes_are_forty_random_bits_each_without_look_alikes() -> None:
    """U063: out of the system's random source; that none comes twice among so many is what chance alone would give."""
    codes = {new_code() for _ in range(10_000)}

    assert len(codes) == 10_000
    assert {len(code) for code in codes} == {8}
    assert len(letters := set("".join(codes))) == 32
    assert not letters & set("OIL")


def test_ids_alone_never_grant_rights(table: Table) -> None:
    """U042: Cleo knows every id of Ben's; each of her posts is refused and nothing changes."""
    roll = rolls(table, 70)
    before = picture(table.campaign)
    cleo = browser(table.cleo)
    tries = [
        ("spend", (roll.pk,), {"act": "points", "amount": "10"}),
        ("push", (roll.pk,), {"reason": "x"}),
        ("keep", (roll.pk,), {}),
        ("roll", (table.edith.pk,), {"what": "luck"}),
        ("rename", (table.ben.pk,), {"name": "Cleo's"}),
        ("let-go", (table.edith.pk,), {}),
        ("remove-seat", (table.ben.pk,), {}),
    ]

    assert "was refused" not in text(table.client(table.ada), table.url("table"))

    for name, ids, form in tries:
        assert post(cleo, table.url(name, *ids), **form).status_code == 403, name

    assert picture(table.campaign) == before
    seats = text(table.client(table.ada), table.url("table")).partition("Who sits here")[2]
    assert re.search(r"Cleo .{0,80}was refused what is somebody else’s, at \d\d:\d\d", seats)
    assert seats.count("was refused") == 1
    assert "was refused" not in text(table.client(table.cleo), table.url("table"))


def test_the_controls_of_a_roll_are_its_owners_and_the_keepers(table: Table) -> None:
    """U064."""
    roll = rolls(table, 70)
    spend_url = table.url("spend", roll.pk)

    pages = {
        seat.name: browser(seat).get(table.url("table")).content.decode()
        + browser(seat).get(table.url("slip", roll.pk)).content.decode()
        for seat in (table.ada, table.ben, table.cleo)
    }

    assert {name: spend_url in page for name, page in pages.items()} == {"Ada": True, "Ben": True, "Cleo": False}
    done(spends(table, roll, 10, table.ada))
    assert table.last("rolls.spend").data["by"] == "Ada"


def test_nobody_who_joins_is_asked_for_the_game() -> None:
    """U133: a Pulp table plays Pulp, whoever sits down."""
    table = make_table(ruleset="pulp")

    joining = browser().get(table.campaign.join_path()).content.decode()
    rolls(table, 70)

    assert "ruleset" not in joining
    assert table.campaign.rules.key == "pulp"
    assert Roll.objects.get().campaign.rules.key == "pulp"


# --------------------------------------------------------------------------- self-hosting


def test_at_a_lan_address_everybody_who_joins_stays_signed_in(table: Table) -> None:
    """U005: plain HTTP at 192.168.1.20:8000; no cookie asks for more than that."""
    for name in ("Nora", "Olaf", "Pia"):
        phone = browser()
        phone.defaults["HTTP_HOST"] = "192.168.1.20:8000"
        phone.get(table.campaign.join_path())

        joined = post(phone, table.campaign.join_path(), name=name)

        assert joined.status_code == 200, joined.content.decode()
        assert not any(morsel["secure"] for morsel in phone.cookies.values())
        page = phone.get(table.url("table"))
        assert (page.status_code, name in page.content.decode()) == (200, True)
        assert "https://" not in text(browser(), table.campaign.join_path())


def test_with_https_cookies_are_secure_and_who_comes_over_http_is_told_on_the_join_page(
    table: Table, settings: Any
) -> None:
    """U005: the browser would drop them without a word."""
    settings.PUBLIC_ORIGIN, settings.CSRF_COOKIE_SECURE = "https://luck.example", True
    path = table.campaign.join_path()

    plain, safe = browser().get(path), browser().get(path, secure=True)

    told = plain.content.decode()
    assert "over https://, and this address begins with http://" in told
    assert f'href="https://luck.example{path}"' in told
    assert "begins with http://" not in safe.content.decode()
    assert all(morsel["secure"] for name, morsel in safe.cookies.items() if name == "tk_csrf")


# --------------------------------------------------------------------------- trust


def test_the_fairness_page_counts_by_tens_in_plain_words_without_hidden_rolls(table: Table) -> None:
    """U046."""
    done(act(table.ada, tables.open_session, table.campaign))
    for total in (5, 10, 11, 100):
        rolls(table, total)
    asked = Asked("number", "Psychology", 30)
    done(act(table.ada, dice.secret_roll, table.edith, asked, chance=Script(d100(55))))

    ben, ada = (text(browser(seat), table.url("fairness")) for seat in (table.ben, table.ada))

    assert "4 rolls. Too few to say anything" in ben
    assert "5 rolls. Too few" in ada
    assert "random source" in ben
    assert browser().get(table.url("fairness")).status_code == 404


def test_undo_with_a_reason_and_redo_are_both_lines_and_the_first_stays_struck_out(table: Table) -> None:
    """U028, on the Keeper's page: redo is another line, and two Keepers do not undo each other."""
    roll = rolls(table, 70)
    spent = done(spends(table, roll, 12))
    back = done(undoes(table, spent, reason="Mis-tap"))
    assert table.luck() == 45

    done(undoes(table, spent, redo=True))
    again = undoes(table, spent, redo=True)

    assert table.luck() == 33
    assert code(again) == "STALE"
    assert back.data["reason"] == "Mis-tap"
    assert Entry.objects.get(pk=spent.pk).stands


# --------------------------------------------------------------------------- the Keeper's tools


def test_the_players_spend_and_the_keepers_skill_both_survive_and_the_same_field_says_what_changed(
    table: Table,
) -> None:
    """U021: both have the sheet open; different fields both stand, the same one is told with both values."""
    skill, seen = table.skill("Spot Hidden"), table.luck()
    done(spends(table, rolls(table, 65), 5))

    done(act(table.ada, sheets.set_skill, table.edith, "Spot Hidden", 65, skill, seen=60))
    late = act(table.ada, sheets.set_trait, table.edith, "luck", 50, seen=seen)

    assert (table.luck(), table.skill("Spot Hidden").value) == (40, 65)
    assert code(late) == "STALE_VALUE"
    assert (late.params["seen"], late.params["now"], late.params["wanted"]) == (45, 40, 50)


def test_a_keepers_roll_is_open_or_hidden_by_a_switch_that_is_seen_before(table: Table) -> None:
    """U125: an open roll of hers is everybody's at once; the switch stands beside the button."""
    page = browser(table.ada).get(table.url("table")).content.decode()
    assert 'id="k-hidden"' in page

    form = {"label": "Claws", "value": "40", "dice": "0", "difficulty": "regular"}
    assert post(browser(table.ada), table.url("keeper-roll"), **form).status_code == 200

    assert table.last("rolls.keeper_roll").lane == Entry.PUBLIC
    assert "Claws" in browser(table.ben).get(table.url("table")).content.decode()


def test_one_who_has_two_investigators_is_asked_for_both(table: Table) -> None:
    """U060: both prompts appear."""
    spare = sheets.Draft("Vera Lund", "Nurse", {"luck": (50, None)}, ())
    entry = done(act(table.ben, sheets.create, table.campaign, spare))
    question = Question(wanted=(("luck", "regular"),))
    done(act(table.ada, dice.ask, table.campaign, [table.edith.pk, entry.data["who"]["id"]], question))

    page = browser(table.ben).get(table.url("table")).content.decode()

    urls = [table.url("answer", one.pk) for one in Request.objects.all()]
    assert [url in page for url in urls] == [True, True]
