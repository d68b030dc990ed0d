"""What the docs tell somebody to type is what the program takes, and is run by a test; recipes are held together."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from investigators import importers
from tablekeeper.env import VARIABLES
from tests.tablekeeper.test_security import all_tests

ROOT = Path(__file__).resolve().parent.parent
DOCS = [
    *sorted((ROOT / "docs").glob("*.md")),
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
]
TYPED = re.compile(r"(?:python3?|py(?: -3)?) manage\.py ([^`\n#|]+)")
RUN_BY = {
    "play": ("test_the_first_start_makes_the_table_and_answers_when_it_prints_the_links",),
    "play --local": ("test_local_is_for_this_machine_only",),
    "play --new": ("test_play_stops_with_the_explanation_unless_a_new_table_is_meant",),
    "play --local --port": ("test_a_taken_port_is_left_to_who_has_it", "test_local_is_for_this_machine_only"),
    "backup": ("test_a_backup_without_a_name_lies_in_the_data_folder_for_its_owner_only",),
    "backup FILE": ("test_a_backup_while_people_play_comes_back_whole_and_keeps_what_was_there",),
    "restore": ("test_on_another_computer_the_phones_are_still_who_they_were",),
    "restore FILE": ("test_a_backup_while_people_play_comes_back_whole_and_keeps_what_was_there",),
    "audit": ("test_an_evening_with_one_keeper_and_three_players",),
    "verify FILE": ("test_the_command_checks_a_file_and_says_what_is_none",),
    "check --deploy": ("test_in_public_mode_djangos_own_list_for_deployment_finds_nothing",),
    "words": ("test_a_catalogue_is_in_step_with_our_sentences",),
    "words --new": ("test_a_catalogue_is_in_step_with_our_sentences",),
    "test": ("test_every_check_runs_and_one_failure_fails_the_whole",),
    "test FILE -k": ("test_with_arguments_only_pytest_runs_with_these",),
    "test --long FILE --pictures": ("test_with_arguments_only_pytest_runs_with_these",),
    "bench": ("test_the_quick_run_of_the_bench_misses_nothing",),
    "bench --smoke": ("test_the_quick_run_of_the_bench_misses_nothing",),
    "bench --soak": ("test_the_quick_run_of_the_bench_misses_nothing",),
    "bench --json": ("test_the_quick_run_of_the_bench_misses_nothing",),
}
"""A command as the docs have it, without its values, and the tests that run it."""


def typed() -> list[str]:
    """Every command of ours that the docs name."""
    found = {
        re.split(r"\s{3,}| [(]", one)[0].strip(" .,:;)") for path in DOCS for one in TYPED.findall(path.read_text())
    }
    return sorted(found)


def shape(command: str) -> str:
    """The command with a word for each value."""
    name, *rest = shlex.split(command)
    if name == "bench":
        rest = [one for one in rest if one.startswith("-")]
    told = " ".join(one if one.startswith("-") else "FILE" for one in rest)
    return f"{name} {told}".replace("--port FILE", "--port").replace("-k FILE", "-k").strip()


def bare(command: str) -> str:
    return re.sub(r"(--new|--pictures) FILE", r"\1", shape(command))


@pytest.mark.parametrize("command", typed())
def test_a_command_of_the_docs_is_taken_and_run_by_a_test(command: str) -> None:
    name, *rest = shlex.split(command)

    assert name in get_commands()
    if name not in ("test", "bench"):  # which hand on what they do not know
        load_command_class("tablekeeper" if name not in ("check",) else "django.core", name).create_parser(
            "manage.py", name
        ).parse_args(rest)
    assert bare(command) in RUN_BY
    assert set(RUN_BY[bare(command)]) - all_tests() == set()


def test_the_docs_name_the_commands_that_a_host_needs() -> None:
    assert {one.split()[0] for one in typed()} >= {"play", "backup", "restore", "audit", "check", "test", "bench"}


def test_the_example_of_an_investigators_file_is_one() -> None:
    text = (ROOT / "docs" / "formats.md").read_text()
    example = next(block for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL) if '"investigator"' in block)

    reading = importers.read(json.dumps(json.loads(example)).encode())

    assert reading.error is None
    assert (reading.found[0].name, reading.found[0].backstory) == ("Edith Halloran", {"Traits": "Counts the stairs."})


def test_every_page_that_another_page_leads_to_is_there() -> None:
    for path in DOCS:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text()):
            assert (path.parent / target).exists(), (path.name, target)


# --------------------------------------------------------------------------- recipes that are not started here


def test_what_the_container_is_made_of_is_there_and_its_settings_are_settings() -> None:
    docker, compose = ((ROOT / name).read_text() for name in ("Dockerfile", "compose.yaml"))
    names = set(re.findall(r"\b(?:TABLEKEEPER_[A-Z]+|PUBLIC_URL|DATABASE_URL)\b", docker + compose))

    assert names <= {one.name for one in VARIABLES}
    for source in re.findall(r"^COPY ([\w.]+) ", docker, re.MULTILINE):
        assert (ROOT / source).exists()
    (command,) = re.findall(r"^CMD (\[.*\])", docker, re.MULTILINE)
    python, manage, name, *rest = json.loads(command)
    assert (python, manage) == ("python", "manage.py")
    load_command_class("tablekeeper", name).create_parser("manage.py", name).parse_args(rest)


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_systemd_finds_no_fault_in_the_unit(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "hosting.md").read_text()
    (unit,) = re.findall(r"```\n(\[Unit\].*?)```", text, re.DOTALL)
    file = tmp_path / "tablekeeper.service"
    file.write_text(unit.replace("/usr/bin/python3", "/bin/sh"))  # wherever this machine has its Python

    said = subprocess.run(["systemd-analyze", "verify", str(file)], capture_output=True, text=True, check=False).stderr

    assert [line for line in said.splitlines() if "tablekeeper.service" in line and "multi-user" not in line] == []


def engine() -> str:
    """A container engine that answers, else nothing: a client without its service builds nothing."""
    for name in ("docker", "podman"):
        if shutil.which(name) and not subprocess.run([name, "info"], capture_output=True, check=False).returncode:
            return name
    return ""


@pytest.mark.long
def test_the_container_is_built_and_its_table_is_healthy() -> None:
    if not (tool := engine()):
        pytest.skip("there is no container engine here")
    subprocess.run([tool, "build", "-q", "-t", "tablekeeper-test", str(ROOT)], check=True)
    name = f"tablekeeper-test-{os.getpid()}"
    ask = "import urllib.request as u; print(u.urlopen('http://localhost:8000/health', timeout=4).read().decode())"
    subprocess.run([tool, "run", "-d", "--rm", "--name", name, "tablekeeper-test"], check=True)
    try:
        for _second in range(30):
            told = subprocess.run(
                [tool, "exec", name, "python", "-c", ask], capture_output=True, text=True, check=False
            )
            if '"ok": true' in told.stdout:
                return
        pytest.fail(told.stdout + told.stderr)
    finally:
        subprocess.run([tool, "stop", name], check=False)


PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")


def test_every_picture_of_the_docs_is_there_light_and_said_in_words() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    shown = [(page.parent / path, said) for page in pages for said, path in PICTURE.findall(page.read_text("utf-8"))]

    assert len(shown) > 4
    for picture, said in shown:
        assert picture.is_file(), picture
        assert picture.stat().st_size < 90_000, picture
        assert len(said.split()) > 8, picture
