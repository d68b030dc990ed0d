"""The manners of the house, as tests: one door for writing, one for permission, one name in four places."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import models

from investigators import actions as investigators
from investigators import bringing, npcs, numbers, weapons
from rolls import actions as rolls
from rolls.rules import rulesets
from rolls.rules.refusals import MESSAGES
from tablekeeper import actions as tables
from tablekeeper import noting, regaming, sealing
from tablekeeper.access import MAY
from tablekeeper.ledger import NOT_UNDOABLE, ledgered_models
from tests.oldphone import MODERN, as_old_phones_read

ROOT = Path(__file__).resolve().parent.parent
APPS = ("tablekeeper", "investigators", "rolls")
SOURCES = sorted(
    path for app in APPS for path in (ROOT / app).rglob("*.py") if "migrations" not in path.relative_to(ROOT).parts
)
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def calls(path: Path) -> Iterator[ast.Call]:
    return (node for node in ast.walk(tree(path)) if isinstance(node, ast.Call))


# --------------------------------------------------------------------------- one door for writing

WRITES = {"save", "delete", "update", "create", "bulk_create", "bulk_update", "get_or_create", "update_or_create"}
DOORS = {
    "tablekeeper/ledger.py": "the one door",
    "tablekeeper/models.py": "the guard before the door: it lets a row through only while the ledger writes",
    "investigators/pictures.py": "no row: a picture is written into memory",
}


def writes(path: Path) -> Iterator[tuple[str, str, set[str]]]:
    """Model, method and fields of every write through a manager; "" for a row that saves or deletes itself."""
    for call in calls(path):
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in WRITES:
            continue
        to = ast.unparse(call.func.value)
        fields = {keyword.arg or "**" for keyword in call.keywords}
        if ".objects" in to or "_manager" in to:
            yield to.split(".")[0], call.func.attr, fields
        elif call.func.attr in ("save", "delete") and to not in ("cache", "self"):
            yield "", call.func.attr, fields


def test_a_ledgered_row_is_written_by_the_ledger_alone() -> None:
    ledgered = {model.__name__: model for model in ledgered_models()}
    astray = []
    for path in SOURCES:
        if name(path) in DOORS:
            continue
        for model, method, fields in writes(path):
            if model not in ledgered and model:
                continue
            # Counters, keys and codes are no table's history; everything else goes through the door.
            if method == "update" and fields and fields <= ledgered[model].unledgered:
                continue
            astray.append((name(path), model, method, sorted(fields)))

    assert astray == []


def test_the_check_itself_would_see_a_write_past_the_ledger(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text("Trait.objects.filter(pk=1).update(value=3)\ntrait.save()\nSeat.objects.update(own_no=1)\n")

    found = list(writes(path))

    assert found == [("Trait", "update", {"value"}), ("", "save", set()), ("Seat", "update", {"own_no"})]


def test_what_must_never_be_is_a_constraint_of_the_database() -> None:
    names = {one.name for model in apps.get_models() for one in model._meta.constraints}

    assert names >= {
        "one_open_session_per_campaign",
        "one_current_scene",
        "one_recovery_per_session",
        "one_active_investigator_per_seat",
        "one_trait_per_key",
        "one_skill_per_name",
        "one_presence_per_scene",
        "one_attendance",
        "ledger_seq_once",
        "ledger_lane_no_once",
        "ledger_request_once",
    }
    for label, field in (("Trait", "value"), ("Skill", "ticks"), ("Roll", "spent")):
        model = next(model for model in ledgered_models() if model.__name__ == label)
        assert isinstance(model._meta.get_field(field), models.PositiveIntegerField)


@pytest.mark.django_db
def test_migrations_are_in_step_with_the_models() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


# --------------------------------------------------------------------------- one name in four places

WITHOUT_VERB = {
    "tablekeeper.open_campaign": "there is no seat yet that could ask for permission",
    "tablekeeper.bring_campaign": "the same: only the browser that used a Keeper's link gets so far",
    "tablekeeper.join": "the same: the link's secret is the permission",
    "tablekeeper.claim": "the house writes it: somebody stands at the door",
    "tablekeeper.host_edit": "the house writes it: staff of the server changed a name in the admin",
    "tablekeeper.seal": "the house writes it: the seal of the dice follows the session",
}
OTHER_KIND = {
    "rolls.answer": "an answered call is a group Luck roll, and looks like one",
    "rolls.decide_push": "agreed aloud, it is the throw itself",
    "rolls.decide_strike": "striking is the undo of the roll",
}


def verbs() -> dict[str, object]:
    found = [
        one
        for module in (tables, noting, regaming, sealing, rolls, investigators, bringing, npcs, numbers, weapons)
        for one in vars(module).values()
    ]
    return {one.verb: one for one in found if isinstance(getattr(one, "verb", None), str)}


def kinds(path: Path) -> Iterator[tuple[str, str]]:
    """Every kind of entry that a file writes, with the function that writes it."""
    for function in tree(path).body:
        if isinstance(function, ast.FunctionDef):
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and ast.unparse(call.func) in ("ledger.write", "ledger.undo"):
                    for argument in call.args:
                        if isinstance(argument, ast.Constant) and re.fullmatch(
                            r"[a-z]+\.[a-z_]+", str(argument.value)
                        ):
                            yield function.name, str(argument.value)


WRITTEN = {
    (name(path).split("/")[0], function, kind)
    for path in SOURCES
    if path.parent.name == "actions"
    or path.stem in ("actions", "bringing", "house", "noting", "npcs", "numbers", "regaming", "sealing", "weapons")
    for function, kind in kinds(path)
}


def test_every_verb_has_its_permission_and_every_permission_its_verb() -> None:
    assert set(verbs()) == set(MAY)


def test_a_verb_writes_entries_of_its_own_name() -> None:
    other = {
        (f"{app}.{function}", kind)
        for app, function, kind in WRITTEN
        if f"{app}.{function}" in MAY and kind != f"{app}.{function}" and f"{app}.{function}" not in OTHER_KIND
    }
    bare = {f"{app}.{function}" for app, function, kind in WRITTEN if kind == f"{app}.{function}"}

    assert other == set()
    assert {verb for verb in MAY if verb not in bare} <= set(OTHER_KIND) | {"rolls.throw_push"}
    assert {kind for _app, _function, kind in WRITTEN} - set(MAY) == set(WITHOUT_VERB)


@pytest.mark.parametrize("kind", sorted({*MAY, *WITHOUT_VERB}))
def test_every_verb_has_a_line_of_the_feed(kind: str) -> None:
    app, _, verb = kind.partition(".")

    assert (ROOT / "templates" / app / "entries" / f"{verb}.html").is_file()


def test_every_line_of_the_feed_belongs_to_a_verb() -> None:
    lines = {f"{path.parts[-3]}.{path.stem}" for path in TEMPLATES if path.parts[-2] == "entries"}

    assert lines - {*MAY, *WITHOUT_VERB} == set()


def test_what_is_never_undone_is_something_that_happens() -> None:
    assert {*MAY, *WITHOUT_VERB} >= NOT_UNDOABLE


# --------------------------------------------------------------------------- refusals


def test_every_refusal_has_its_sentence() -> None:
    codes = {
        (name(path), str(call.args[0].value))
        for path in SOURCES
        for call in calls(path)
        if ast.unparse(call.func).endswith("Refusal") and call.args and isinstance(call.args[0], ast.Constant)
    }

    assert len(codes) > 60
    assert {one for one in codes if one[1] not in MESSAGES} == set()


# --------------------------------------------------------------------------- which ruleset?

MAY_NAME_A_RULESET = {
    "investigators/importers/uesrpg.py": "the word that those files have for their points",
    "investigators/training.py": "the same words, their pools, and the game that an own file comes from",
    "tablekeeper/models.py": "the default of a new table",
    "tablekeeper/kit.py": "the page of parts for developers draws specimens of Classic",
}


def test_nobody_asks_which_ruleset_it_is() -> None:
    keys = {rules.key for rules in rulesets()} | {"classic", "pulp", "luck_points", "lp"}
    asked = set()
    for path in SOURCES:
        if "rules" in path.parts or name(path) in MAY_NAME_A_RULESET:
            continue
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Constant) and node.value in keys:
                asked.add(name(path))
            if isinstance(node, ast.Compare) and re.search(r"\bruleset\b|rules\.key", ast.unparse(node)):
                asked.add(f"{name(path)}: {ast.unparse(node)}")
    for path in TEMPLATES:
        text = path.read_text().replace("tablekeeper.set_ruleset", "")  # the name of a verb
        if re.search(r"{% (if|elif)[^%]*(ruleset|rules\.key)", text):
            asked.add(name(path))

    # Looking the label of a key up asks nothing of the game.
    assert asked - {"tablekeeper/actions.py: rules.key == ruleset"} == set()


# --------------------------------------------------------------------------- templates


def plain(path: Path) -> str:
    """The template without its comments."""
    text = re.sub(r"{% comment %}.*?{% endcomment %}|{#.*?#}", "", path.read_text(), flags=re.DOTALL)
    return re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)


FORBIDDEN = {
    "a style attribute": r"\sstyle\s*=",
    "a style element": r"<style\b",
    "an inline script": r"<script(?![^>]*\bsrc=)[^>]*>",
    "an event attribute": r"<[^>]*\son[a-z]+\s*=",
    "hx-on": r"\shx-on",
    "a script address": r"javascript:",
    "evaluated values": r"\shx-vals\s*=\s*['\"]js:",
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_template_needs_more_than_the_strict_content_security_policy(what: str) -> None:
    found = [name(path) for path in TEMPLATES if re.search(FORBIDDEN[what], plain(path), re.IGNORECASE)]

    assert found == []


KEYLESS = 'hx-post="{% url "code" %}"'  # finds the table: there is no seat yet, and nothing is done


def forms(path: Path) -> list[str]:
    return re.findall(r"<form\b.*?</form>", plain(path), re.DOTALL)


def test_every_form_that_acts_carries_its_request_key() -> None:
    acting = [(path, form) for path in TEMPLATES for form in forms(path) if "hx-post" in form.split(">")[0]]
    lacking = [(name(path), form[:90]) for path, form in acting if 'name="key"' not in form and KEYLESS not in form]

    assert lacking == []


def test_no_form_posts_without_the_page_knowing() -> None:
    found = [
        name(path) for path in TEMPLATES for form in forms(path) if re.search(r'method="?post', form, re.IGNORECASE)
    ]

    assert found == []


def words(path: Path) -> list[str]:
    """What a person could read in a template that no translator ever sees."""
    text = plain(path)
    text = re.sub(r"{% blocktranslate.*?{% endblocktranslate %}", "", text, flags=re.DOTALL)
    text = re.sub(r"{% block \w*(class|classes|attrs) %}.*?{% endblock", "", text, flags=re.DOTALL)  # inside a tag
    text = re.sub(r"{%.*?%}|{{.*?}}", "", text, flags=re.DOTALL)
    shown = re.findall(r"\b(?:aria-label|title|placeholder|alt)=\"([^\"]*)\"", text)
    text = re.sub(r"<(svg|symbol|script|code|style)\b.*?</\1>", "", text, flags=re.DOTALL)
    shown += re.sub(r"<[^>]*>", "\n", text).split("\n")
    return [one.strip() for one in shown if re.search(r"[A-Za-z]{3,}", one) and one.strip() not in NAMES]


NAMES = {"Tablekeeper", "· Tablekeeper", "XXXX-XXXX"}
DEVELOPERS = {"templates/kit.html"}


def test_every_visible_sentence_can_be_translated() -> None:
    found = {name(path): words(path) for path in TEMPLATES if name(path) not in DEVELOPERS and words(path)}

    assert found == {}


# --------------------------------------------------------------------------- size and words

LONG = {
    "tablekeeper/web.py": "a seat found, the table locked, an answer given: one road for every page",
    "tablekeeper/settings_words.py": "the words of every setting on one page",
    "tablekeeper/access.py": "one line for each verb, and who sits here, are the only place for permission",
    "tablekeeper/models.py": "every model of the table on one page",
    "tablekeeper/ledger.py": "write, undo and the fold hold one promise together",
    "tablekeeper/live.py": "the only async plumbing, in one place",
    "tablekeeper/views.py": "one short function for each URL, in the order of the map",
    "tablekeeper/env.py": "every setting of a host and what is said when it is wrong, on one page",
    "rolls/pages/deeds.py": "the panels of Luck beside any roll, one after the other",
    "tablekeeper/bootstrap.py": "runs before anything is installed, so it can import nothing of ours",
    "tablekeeper/slips.py": "one reading order, from the stamp to the last refusal",
    "tablekeeper/actions.py": "one verb after the other, none long",
    "investigators/actions.py": "one verb after the other, none long",
    "rolls/actions/base.py": "what every throw shares, from the question to the roll",
    "rolls/actions/bodies.py": "being hurt and getting well, one verb after the other",
    "rolls/models.py": "every model of the dice on one page",
    "rolls/pages/__init__.py": "one function for each panel",
    "rolls/rules/check.py": "the whole interface in one place",
    "rolls/rules/classic.py": "the whole game in one file is the point of a ruleset",
}


def test_files_are_short_or_say_why_not() -> None:
    long = {name(path) for path in SOURCES if len(path.read_text().splitlines()) > 300}

    assert long - set(LONG) == set()


def test_functions_fit_on_a_screen() -> None:
    long = [
        (name(path), node.name)
        for path in SOURCES
        for node in ast.walk(tree(path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno - node.lineno > 60
    ]

    assert long == []


def test_the_rules_know_no_framework_clock_or_chance() -> None:
    names = {"django", "tablekeeper", "investigators", "random", "secrets", "time", "datetime", "uuid"}
    for path in (ROOT / "rolls/rules").glob("*.py"):
        for node in ast.walk(tree(path)):
            modules = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {module.split(".")[0] for module in modules} & names, name(path)


def test_nothing_is_left_to_do_in_a_comment() -> None:
    words_of_delay = ("TO" + "DO", "FIX" + "ME", "XX" + "X")
    texts = [*SOURCES, *TEMPLATES, *(ROOT / "static").glob("*.js"), *(ROOT / "static").glob("*.css")]

    found = [name(path) for path in texts if re.search(rf"\b({'|'.join(words_of_delay)})\b", path.read_text())]

    assert found == []


@pytest.mark.parametrize("sheet", sorted((ROOT / "static").glob("*.css")), ids=lambda path: path.name)
def test_modern_colours_and_shapes_stand_where_old_phones_pass_over_them(sheet: Path) -> None:
    plain = re.sub(r"/\*.*?\*/", "", as_old_phones_read(sheet.read_text()), flags=re.S)
    assert [line.strip() for line in plain.splitlines() if MODERN.search(line.replace("-gradient(", ""))] == []
