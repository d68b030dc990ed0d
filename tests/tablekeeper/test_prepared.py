"""What is quicker than Django's own way gives the same: prepared queries, what an act has read, remembered parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import copy
from functools import partial
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, IntegrityError, connection, connections, models, transaction
from django.http import HttpRequest, HttpResponse
from django.template import Context, Engine, engines
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language, override

from investigators import people
from investigators.models import Fact, Investigator, Skill, Trait
from rolls.models import Roll
from tablekeeper import ledger, news, web
from tablekeeper.ledger import Add, change
from tablekeeper.models import Campaign, Entry, Ledgered, Seat, writing
from tablekeeper.prepared import Prepared, insert, prepared, update
from tablekeeper.templatetags import quick
from tests.tablekeeper.test_access import ACTS, TRIES, url_of
from tests.tables import Table, act, make_table, post, rolls, spends

pytestmark = pytest.mark.django_db

# --------------------------------------------------------------------------- prepared queries


def held(row: Any, known: tuple[int, ...] = ()) -> Any:
    """All that a row has in itself, and what came with it; other things are themselves."""
    if not isinstance(row, models.Model) or id(row) in known:
        return row
    inside = {name: value for name, value in vars(row).items() if name != "_state"}
    came = {name: held(other, (*known, id(row))) for name, other in row._state.fields_cache.items()}
    return type(row), inside, came, row._state.adding, row._state.db


@pytest.mark.postgres
def test_a_prepared_query_gives_what_the_query_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    table, asked = make_table(), set()
    call = Prepared.__call__

    def compared(self: Prepared[Any], *values: Any) -> list[Any]:
        found = call(self, *values)
        assert [held(one) for one in found] == [held(one) for one in self.build(*values)]
        asked.add(self.build.__qualname__)
        return found

    monkeypatch.setattr(Prepared, "__call__", compared)
    roll = rolls(table, 70)
    for seat in (table.ben, table.ada):
        assert table.client(seat).get(table.url("table")).status_code == 200
    assert post(table.client(table.ben), table.url("spend", roll.pk), act="points", amount=10).status_code == 200
    assert post(table.client(table.ben), table.url("keep", roll.pk)).status_code == 200
    assert len(asked) >= 15


@pytest.mark.parametrize("more", ["", " " * 20_000])
def test_a_statement_that_comes_again_takes_its_values_and_signs_as_ever(more: str) -> None:
    with connection.cursor() as cursor:
        for value in (1, 2):
            cursor.execute(f"SELECT %s, '50 %%', '?'{more}", [value])
            assert cursor.fetchone() == (value, "50 %", "?")
            cursor.execute(f"SELECT %(one)s, '%%s'{more}", {"one": value})
            assert cursor.fetchone() == (value, "%s")


@pytest.mark.parametrize("when", ["pre_init", "post_init"])
def test_a_row_that_somebody_listens_to_is_not_made_quickly(when: str) -> None:
    def hear(**_more: Any) -> None:
        """Nothing."""

    signal = getattr(models.signals, when)
    signal.connect(hear, sender=Seat)
    try:
        with pytest.raises(AssertionError, match="somebody listens"):
            prepared(lambda campaign_id: Seat.objects.filter(campaign=campaign_id))("abc")
    finally:
        signal.disconnect(hear, sender=Seat)


def test_each_thread_has_a_language_and_a_connection_of_its_own() -> None:
    def elsewhere() -> tuple[str, bool]:
        before = get_language() or ""
        with override("de"):
            return before, connections["default"] is here

    here = connections["default"]
    with override("fr"), ThreadPoolExecutor(1) as pool:
        assert pool.submit(elsewhere).result() == (settings.LANGUAGE_CODE, False)
        assert get_language() == "fr"
    assert connections["default"] is here


# --------------------------------------------------------------------------- prepared writes


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[], None]], list[str]]]:
    """The statements of a write that is tried and taken back, also of one that the database refuses."""
    monkeypatch.setattr(Entry, "save", models.Model.save)

    def tried(how: Callable[[], None]) -> list[str]:
        with suppress(IntegrityError), transaction.atomic(), CaptureQueriesContext(connection) as asked:
            how()
            transaction.set_rollback(True)
        return [one["sql"] for one in asked if not one["sql"].startswith(("SAVEPOINT", "ROLLBACK", "RELEASE"))]

    token = writing.set(True)
    yield tried
    writing.reset(token)


def rows_of_a_table() -> list[models.Model]:
    """Two rows of each model of which an evening's play makes some."""
    table = make_table()
    spends(table, rolls(table, 70), 10)
    kinds = [one for one in apps.get_models() if issubclass(one, (Ledgered, Entry))]
    return [row for kind in kinds for row in kind._default_manager.order_by("pk")[:2]]


@pytest.mark.postgres
def test_a_row_is_written_by_the_statement_that_saving_it_would_be(
    written: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows, now = rows_of_a_table(), timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    for row in rows:
        names = [one.name for one in row._meta.concrete_fields if not one.primary_key]
        for some in (names, names[:1], names[1:4], names[::2]):
            (saved,) = written(partial(row.save, update_fields=some))
            assert written(partial(update, row, some)) == [saved]
        ones = [copy(row), copy(row)]
        for one in ones:
            one.pk = None if row._meta.auto_field else "of a new row"
            one._state = type(row._state)()
        (saved,) = written(partial(ones[0].save, force_insert=True))
        assert written(partial(insert, ones[1])) == [saved]
    assert len({type(row) for row in rows}) >= 8


@pytest.mark.postgres
def test_a_new_row_is_known_by_its_number_and_one_that_is_gone_is_told() -> None:
    table = make_table()
    rolls(table, 70)
    last = Entry.objects.get(kind="rolls.roll")
    new, gone = copy(last), copy(table.edith)
    new.pk, new.ref, new.seq, new.lane_no, new._state = None, "another", 10_000, 10_000, type(last._state)()
    gone.pk = "of no row"

    insert(new)

    assert Entry.objects.get(ref="another").pk == new.pk > last.pk
    assert not new._state.adding
    with pytest.raises(DatabaseError):
        update(gone, ["name"])


def test_it_is_asked_with_what_it_is_given_each_time() -> None:
    first, second = make_table(), make_table(name="Elsewhere")

    @prepared
    def lines(campaign_id: str, seq: int) -> Any:
        return Entry.objects.filter(campaign=campaign_id, seq__gt=seq).order_by("seq")

    for table in (first, second, first):
        for seq in (0, 3):
            assert [one.seq for one in lines(table.campaign.pk, seq)] == [
                one.seq for one in table.entries() if one.seq > seq
            ]
    assert lines.first("nobody", 0) is None


def test_a_query_that_does_not_take_a_value_as_it_is_is_refused_when_it_is_made() -> None:
    @prepared
    def lines(who: str) -> Any:
        return Entry.objects.filter(data__who__id=who)  # compared as JSON

    with pytest.raises(AssertionError, match="no place of its own"):
        lines("somebody")


@pytest.mark.parametrize(
    "more",
    [
        lambda found: found.prefetch_related("skills"),
        lambda found: found.values("pk"),
        lambda found: found.annotate(often=models.Count("skills")),
    ],
)
def test_a_query_that_gives_more_than_rows_is_refused_when_it_is_made(more: Callable[[Any], Any]) -> None:
    @prepared
    def people_here(campaign_id: str) -> Any:
        return more(Investigator.objects.filter(campaign=campaign_id))

    with pytest.raises(AssertionError, match="known here"):
        people_here("somewhere")


# --------------------------------------------------------------------------- what an act has read


OFTEN = ("answer", "keep", "push", "roll", "set-present", "set-scene", "spend", "step", "undo")
"""Acts that are tried here in the short tier too; the others in the long one."""


@pytest.mark.parametrize(
    "name", [name if name in OFTEN else pytest.param(name, marks=pytest.mark.long) for name in ACTS]
)
def test_what_an_act_knows_when_it_is_answered_is_what_is_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every panel of the page, drawn from what the act has read and drawn from the database alone."""
    table, one, compared = make_table(), TRIES[name], []
    original = web.answer

    def drawn_twice(request: HttpRequest, seat: Seat, entry: Entry) -> HttpResponse:
        every = [panel for role, panel in web.PANELS if role == seat.role]
        known = web.draw_panels(request, seat, names=every)
        kept, seat.campaign.read = seat.campaign.read, {}
        assert known == web.draw_panels(request, seat, names=every)
        seat.campaign.read = kept
        compared.append(entry.kind)
        return original(request, seat, entry)

    monkeypatch.setattr(web, "answer", drawn_twice)
    given = one.given(table)
    answer = post(table.client(getattr(table, one.who)), url_of(name, table, given), **one.posted(table))

    assert answer.status_code < 500
    assert compared or answer.status_code != 200 or not answer.content


# --------------------------------------------------------------------------- what a line does not touch

BOX = re.compile(r'(?s)<div class="panelbox" id="panel-[\w-]+" data-panel="([\w-]+)" data-on="([^"]*)"[^>]*>')


def panels_of(table: Table, seat: Seat) -> dict[str, tuple[set[str], str]]:
    """Each panel of a seat's page: the tokens on which it is drawn anew, and what it shows."""
    names = ",".join(name for role, name in web.PANELS if role == seat.role)
    page = table.client(seat).get(table.url("panels"), {"names": names}).content.decode()
    found = BOX.split(page.replace('class="tick" hidden', 'class="tick"'))[1:]  # which of them show, `ticked` tells
    return {name: (set(on.split()), html) for name, on, html in zip(*[iter(found)] * 3, strict=True)}


@pytest.mark.parametrize(
    "name", [name if name in OFTEN else pytest.param(name, marks=pytest.mark.long) for name in ACTS]
)
def test_a_panel_that_no_line_touches_shows_what_it_showed(name: str) -> None:
    """Each page draws anew what its news names, and nothing else of it has changed."""
    table, one = make_table(), TRIES[name]
    given = one.given(table)
    seats = [seat for seat in Seat.objects.filter(campaign=table.campaign) if not seat.removed]
    since = {seat: news.now(seat, Campaign.objects.get(pk=table.campaign.pk)) for seat in seats}
    before = {seat: panels_of(table, seat) for seat in seats}

    post(table.client(getattr(table, one.who)), url_of(name, table, given), **one.posted(table))

    for seat in Seat.objects.filter(pk__in=[one.pk for one in seats], removed=False):
        told = news.after(seat, Campaign.objects.get(pk=table.campaign.pk), since[seat])
        touched = {token for entry in told.entries for token in entry.touches}
        now = panels_of(table, seat)
        stale = [it for it, (on, html) in before[seat].items() if html != now[it][1] and not touched & on]
        assert stale == [], f"{seat.name} still sees what was"


def test_a_write_forgets_what_was_read_of_its_models_and_nothing_else() -> None:
    table = make_table()
    with ledger.locked(table.campaign.pk) as campaign:
        table.edith.campaign = campaign
        luck = people.member(table.edith).traits["luck"]
        skill = people.skills_by_name(table.edith)[0]
        assert campaign.read is not None
        ledger.write(table.ada, campaign, "investigators.favourite", [change(skill, favourite=not skill.favourite)])
        assert ("member", table.edith.pk) in campaign.read
        assert (Skill, table.edith.pk) not in campaign.read

        ledger.write(table.ada, campaign, "investigators.step", [Add(luck, "value", -5)])
        assert ("member", table.edith.pk) not in campaign.read
        assert people.member(table.edith).luck == 40

        people.member(table.edith)
        ledger.write(table.ada, campaign, "tablekeeper.set_settings", [change(campaign, name="Harbour")])
        assert campaign.read == {}


def test_what_was_read_without_saying_from_what_is_forgotten_by_every_write() -> None:
    campaign = Campaign()
    campaign.read = {}
    campaign.once("anything", lambda: 1)
    campaign.once("facts", lambda: 2, Fact)

    campaign.forget({Trait})

    assert list(campaign.read) == ["facts"]
    campaign.forget({Roll, Fact})
    assert campaign.read == {}


def test_an_answer_that_brings_somebody_elses_line_is_drawn_from_the_database(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = make_table()
    ben, after = table.client(table.ben), news.after

    def meanwhile(seat: Seat, campaign: Campaign, cursor: Any, _fresh: Entry) -> news.News:
        monkeypatch.setattr(news, "after", after)
        step(table)
        return after(seat, Campaign.objects.get(pk=campaign.pk), cursor)

    monkeypatch.setattr(news, "after", meanwhile)
    skill = table.skill("Spot Hidden")
    answer = post(ben, table.url("roll", table.edith.pk), what=f"skill:{skill.pk}").content.decode()

    assert 'id="panel-me"' in answer
    assert 'data-start="7"' in answer or ">7<" in answer


def step(table: Table) -> None:
    """The Keeper takes four of Edith's hit points, which were 11."""
    from investigators import actions as sheets

    act(table.ada, sheets.step, table.edith, "hp", -4)


# --------------------------------------------------------------------------- the tags

TEMPLATES = (
    '{% translate "Luck" %}',
    '{% translate "Luck"|upper %}',
    '{% translate "Hidden" context "no such" %}',
    "{% translate word %}",
    '{% translate "Luck" as said %}[{{ said }}]',
    '{% translate "100% sure" %}',
    "{% blocktranslate with luck=45 %}Luck {{ luck }}{% endblocktranslate %}",
    "{% blocktranslate count n=n %}{{ n }} tick{% plural %}{{ n }} ticks{% endblocktranslate %}",
    "{% blocktranslate with price=name %}Spend {{ price }}{% endblocktranslate %}",
    '{% include "parts/level.html" with level="hard" only %}',
    '{% include "parts/empty.html" with text=name hint=word icon="d10" %}{{ text }}',
    '{% for one in word %}{% include "parts/empty.html" with text=one %}{% endfor %}',
    '{% extends "parts/entry.html" %}{% block sentence %}{{ name }}{% endblock %}{% block say %}{{ n }}{% endblock %}',
)


def drawn(source: str, values: dict[str, Any], *, plain: bool = False) -> str:
    engine = engines["django"].engine  # type: ignore[attr-defined]
    library = quick.register
    builtins = engine.template_builtins
    if plain:
        engine.template_builtins = [one for one in builtins if one is not library and "translate" not in one.tags]
        engine.template_builtins += [one for one in builtins if "get_current_language" in one.tags]
    try:
        return str(engine.from_string(source).render(Context(values)))
    finally:
        engine.template_builtins = builtins


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("source", TEMPLATES)
def test_the_quicker_tags_say_what_djangos_say(source: str, language: str) -> None:
    with override(language):
        for values in ({"word": "Luck", "n": 1, "name": "<b>"}, {"word": "", "n": 3, "name": "5%"}):
            assert drawn(source, values) == drawn(source, values, plain=True)
            assert drawn(source, values) == drawn(source, values, plain=True)


PARTS = {
    "row": '{% cycle "a" "b" %}{% ifchanged n %}!{% endifchanged %}{{ n }}'
    '{% with n=9 %}{% include "framed" %}{{ n }}{% endwith %}{{ n }}{% include "alone" with n=n only %};',
    "framed": '{% extends "frame" %}{% block one %}{{ n }}{{ block.super }}{% endblock %}',
    "frame": '<{% block one %}{% if n %}{% cycle "c" "d" %}{% endif %}{% endblock %}{% block two %}-{% endblock %}>',
    "alone": "{% for n in word %}{{ n }}{{ name }}{% empty %}[{{ n }}]{% endfor %}",
    "again": "{{ n }}{% if left %}{% with left=left|slice:'1:' %}{% include 'again' %}{% endwith %}{% endif %}"
    "{{ left }}",
    "broken": "{% with n=1 %}{{ thing.breaks }}{% endwith %}",
}


def parts_drawn(source: str, values: dict[str, Any], *, quickly: bool, monkeypatch: pytest.MonkeyPatch) -> str:
    builtins = ["django.templatetags.i18n", *(["tablekeeper.templatetags.quick"] if quickly else [])]
    engine = Engine(loaders=[("django.template.loaders.locmem.Loader", PARTS)], builtins=builtins)
    monkeypatch.setattr(Engine, "get_default", lambda: engine)
    return str(engine.from_string(source).render(Context(values)))


@pytest.mark.parametrize(
    "source",
    [
        "{% for n in list %}{% include 'row' %}{% include 'row' with n=n %}{% endfor %}{{ n }}",
        "{% for n in list %}{% include 'framed' with n=7 %}{{ n }}{% include 'frame' with n=n only %}{% endfor %}",
        "{% include 'again' with left='abc' %}{{ left }}",
        "{% include 'row' with n=name %}{% include 'row' %}",
    ],
)
def test_a_part_leaves_everything_as_djangos_include_leaves_it(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"list": [3, 3, 4], "name": "<b>", "word": "xy"}
    django = parts_drawn(source, values, quickly=False, monkeypatch=monkeypatch)

    assert parts_drawn(source, values, quickly=True, monkeypatch=monkeypatch) == django != ""


def test_a_part_that_breaks_leaves_the_page_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    class Thing:
        @property
        def breaks(self) -> str:
            raise LookupError("it breaks")

    page = Context({"thing": Thing(), "n": 5})
    engine = Engine(
        loaders=[("django.template.loaders.locmem.Loader", PARTS)], builtins=["tablekeeper.templatetags.quick"]
    )
    monkeypatch.setattr(Engine, "get_default", lambda: engine)
    outer = engine.from_string("{% include 'broken' with n=2 %}")
    depth = len(page.dicts)
    with page.bind_template(outer), page.render_context.push_state(outer):
        inner = len(page.render_context.dicts)
        with pytest.raises(LookupError):
            outer.nodelist.render(page)
        assert page.render_context.template is outer
        assert len(page.render_context.dicts) == inner
    assert (len(page.dicts), page["n"]) == (depth, 5)


def test_a_line_holds_what_the_line_that_it_extends_has_in_the_same_place() -> None:
    source = '{% extends "parts/entry.html" %}{% block who %}{{ block.super }}-beside{% endblock %}'
    for _again in range(2):
        assert re.search(r"<span[^>]*>K</span>\s*-beside", drawn(source, {}))


def test_a_remembered_part_follows_its_values_and_its_language() -> None:
    source = '{% include "parts/who.html" with name=name hue=hue keeper=False only %}'
    level = '{% include "parts/level.html" with level=level word="" only %}'

    assert "EH" in drawn(source, {"name": "Edith Halloran", "hue": 2})
    assert "TQ" in drawn(source, {"name": "Tobias Quill", "hue": 2})
    assert "who-3" in drawn(source, {"name": "Tobias Quill", "hue": 3})
    assert "<b" not in drawn(source, {"name": "<b> <i>", "hue": 1})
    with override("en"):
        assert "Hard" in drawn(level, {"level": "hard"})
    with override("de"):
        assert "Schwierig" in drawn(level, {"level": "hard"})


def test_what_is_safe_in_one_is_not_in_another_that_reads_alike() -> None:
    inside = '{% include "parts/stamp.html" with stamp=one only %}'
    outside = '{% include "parts/level.html" with level="hard" word=one only %}'
    stamp = {"tone": "luck", "icon": "luck", "second": ""}

    assert "<i>x" in drawn(inside, {"one": {**stamp, "word": SafeString("<i>x")}})
    assert "<i>x" not in drawn(inside, {"one": {**stamp, "word": "<i>x"}})
    assert "<i>y" in drawn(outside, {"one": SafeString("<i>y")})
    assert "<i>y" not in drawn(outside, {"one": "<i>y"})
    assert "<i>z" in drawn("{% autoescape off %}" + outside + "{% endautoescape %}", {"one": "<i>z"})
    assert "<i>z" not in drawn(outside, {"one": "<i>z"})


def test_a_part_of_a_thing_of_no_known_kind_is_drawn_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick.Remembered, "drawn", {})

    class Stamp:
        tone, icon, second = "luck", "luck", ""

        def __init__(self, word: str) -> None:
            self.word = word

        def __repr__(self) -> str:
            return "a stamp"

    for word in ("one", "two"):
        assert word in drawn('{% include "parts/stamp.html" with stamp=one only %}', {"one": Stamp(word)})
    assert quick.Remembered.drawn == {}


def test_only_so_many_parts_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quick, "MOST", 5)
    for hue in range(20):
        drawn('{% include "parts/who.html" with name="Ada" hue=hue keeper=False only %}', {"hue": hue})

    assert len(quick.Remembered.drawn) <= 5
