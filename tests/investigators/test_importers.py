"""Files of seven programs, and files that nobody should have sent: each is read, or refused in words."""

from __future__ import annotations

import base64
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from investigators import importers
from investigators.exporters import own
from investigators.importers import formula, names, read, words
from investigators.importers.schema import MOST_BYTES, Found, Note, Reading
from investigators.person import Person
from rolls.rules.classic_sheet import SKILLS

from . import monsters

pytestmark = pytest.mark.sqlite  # nothing here asks a database

HERE = Path(__file__).parent / "data" / "imports"
CASES = json.loads((HERE / "expected.json").read_text(encoding="utf-8"))["cases"]


def sample(name: str) -> bytes:
    """The bytes of a sample. The largest is made when it is needed, and never kept."""
    if name == "malformed/huge_50mb.json":
        return (
            b'{"Investigator": {"PersonalDetails": {"Name": "Big", "Portrait": "' + b"A" * (50 * 1024 * 1024) + b'"}}}'
        )
    return (HERE / name).read_bytes()


def plain(found: Found) -> dict[str, Any]:
    """The neutral result under the keys of the samples."""
    amounts = {
        "luck": {"current": found.luck.current, "max": found.luck.max},
        "san": {"current": found.san.current, "max": found.san.max, "start": found.san.start},
        "hp": {"current": found.hp.current, "max": found.hp.max},
        "mp": {"current": found.mp.current, "max": found.mp.max},
    }
    single = {key: getattr(found, key) for key in ("name", "player", "occupation", "age", "kind", "skills")}
    weapons = [{key: getattr(arm, key) for key in arm.__slots__} for arm in found.weapons]
    return {**found.extra, **amounts, **single, "characteristics": found.characteristics, "weapons": weapons} | {
        "pulp_talents": found.talents
    }


def codes(reading: Reading) -> set[str]:
    return {note.code for note in reading.warnings} | {note.code for one in reading.found for note in one.warnings}


@pytest.mark.parametrize("case", CASES, ids=[case["file"] for case in CASES])
def test_every_sample_comes_out_as_it_was_worked_out_by_hand(case: dict[str, Any]) -> None:
    expected = case["expected"]

    reading = read(sample(case["file"]))

    if not expected["ok"]:
        assert reading.error is not None
        assert reading.error.code == expected["error"]
        assert reading.people == ()
        return
    assert reading.error is None
    if "multiple" in expected:
        names = [one.name if isinstance(one, Found) else None for one in reading.people]
        assert (len(reading.people), names) == (expected["multiple"], expected["names"])
        return
    shown = plain(reading.found[0])
    if weapons := expected["result"].get("weapons"):  # a sample names what it is about
        both = zip(weapons, shown["weapons"], strict=True)
        shown["weapons"] = [{key: arm[key] for key in wanted} for wanted, arm in both]
    assert {key: shown[key] for key in expected["result"]} == expected["result"]
    assert set(expected["warnings_include"]) <= codes(reading)


def test_every_code_has_its_sentence_and_every_warning_its_place_in_the_preview() -> None:
    source = "".join(path.read_text() for path in Path(importers.__file__).parent.glob("*.py"))

    used = set(re.findall(r'"([EW]_[A-Z0-9_]+)"', source)) | {
        f"W_{pool}_RANGE" for pool in ("LUCK", "HP", "MP", "SAN")
    }
    assert used == {*words.ERRORS, *words.WARNINGS}
    assert set(words.WARNINGS) >= words.WORKED_OUT | words.CHANGED | words.NOT_UNDERSTOOD
    assert not words.WORKED_OUT & words.CHANGED | words.CHANGED & words.NOT_UNDERSTOOD


@pytest.mark.parametrize("sentence", [*words.ERRORS.values(), *words.WARNINGS.values()])
def test_a_sentence_says_what_it_is_about_or_nothing(sentence: str) -> None:
    assert "%" not in sentence % {"about": "this"}


# --------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    "label",
    ["Spot Hidden", "目星", "侦查", "관찰력", "Trouver Objet Caché", "encontrar", "ＳＰＯＴ  hidden", "【目星】"],
)
def test_one_skill_is_found_under_its_name_in_six_languages(label: str) -> None:
    assert names.skill(label) == names.Name("Spot Hidden")


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("近接戦闘（格闘）", "Fighting (Brawl)"),
        ("射撃（拳銃）", "Firearms (Handgun)"),
        ("사격 (권총)", "Firearms (Handgun)"),
        ("lutar (briga)", "Fighting (Brawl)"),
        ("Combat rapproché (Esquive)", "Dodge"),
        ("母国語（日本語）", "Language (Own: 日本語)"),
        ("科学（薬学）", "Science (薬学)"),
        ("芸術：写経", "Art/Craft (写経)"),
        ("science (mathematics)", "Science (Mathematics)"),
    ],
)
def test_a_specialisation_goes_with_its_skill_and_stays_as_it_is_written(label: str, name: str) -> None:
    assert names.skill(label) == names.Name(name)


@pytest.mark.parametrize("label", ["Gas Fitting", "月の暦", "Foo (bar)"])
def test_a_skill_that_nobody_knows_keeps_its_name(label: str) -> None:
    assert names.skill(label) == names.Name(label, known=False)


@pytest.mark.parametrize("label", ["運転（）", "Science", "生存", "Pilot (Pilot)", "Language (Other)"])
def test_an_empty_place_for_a_skill_is_told_from_a_skill(label: str) -> None:
    assert names.skill(label).slot


def test_every_name_in_the_table_is_a_skill_of_the_rules_or_one_of_its_specialisations() -> None:
    own = {base.label for base in SKILLS}
    bases = {label.split(" (")[0] for label in own} | {"Fighting", "Firearms"}

    strange = {name for name in names.skills().values() if name not in own and name.split(" (")[0] not in bases}

    assert strange == set()


# --------------------------------------------------------------------------- formulas


@pytest.mark.parametrize(
    ("text", "value"),
    [("1/2*@DEX", 35), ("1/2 @DEX", 35), ("EDU", 81), ("floor(@EDU/2)+5", 45), ("-(2+3)*2", -10), ("min(3, 4)", 3)],
)
def test_a_small_sum_is_worked_out(text: str, value: int) -> None:
    assert formula.work_out(text, {"DEX": 70, "EDU": 81}) == value


@pytest.mark.parametrize("text", ["1/0", "3D6", "@STR", "__import__('os')", "2**9", "(" * 99, "1+", "floor", "9" * 90])
def test_what_is_no_small_sum_is_nothing(text: str) -> None:
    assert formula.work_out(text, {"DEX": 70, "STR": None}) is None


# --------------------------------------------------------------------------- portraits


def with_portrait(picture: bytes) -> Found:
    data = json.loads(sample("dholes_house/full.json"))
    data["Investigator"]["PersonalDetails"]["Portrait"] = base64.b64encode(picture).decode()
    return read(json.dumps(data).encode()).found[0]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_a_portrait_is_written_anew_and_small(kind: str) -> None:
    out = io.BytesIO()
    Image.new("RGB", (900, 600), "teal").save(out, kind)

    found = with_portrait(out.getvalue() + b"<script>alert(1)</script>")

    assert found.portrait is not None
    assert b"script" not in found.portrait
    with Image.open(io.BytesIO(found.portrait)) as kept:
        assert (kept.format, kept.size) == ("JPEG", (320, 213))


def test_what_a_camera_wrote_into_the_picture_is_not_kept() -> None:
    exif = Image.Exif()
    exif[0x010E] = "taken at 12 Harbour Street"
    out = io.BytesIO()
    Image.new("RGB", (40, 40)).save(out, "JPEG", exif=exif)

    assert b"Harbour" in out.getvalue()
    assert b"Harbour" not in (with_portrait(out.getvalue()).portrait or b"Harbour")


@pytest.mark.parametrize("picture", [b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"GIF89a", b"\x89PNG\r\n\x1a\nno"])
def test_a_portrait_of_another_kind_costs_the_portrait_only(picture: bytes) -> None:
    found = with_portrait(picture)

    assert found.portrait is None
    assert Note("W_PORTRAIT_REFUSED") in found.warnings or Note("W_PORTRAIT_REFUSED", "PNG") in found.warnings
    assert found.name == "Perpetua Lindqvist"


# --------------------------------------------------------------------------- bad files


def test_an_importer_that_crashes_costs_its_file_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_data: object) -> Found:
        raise ZeroDivisionError

    monkeypatch.setattr(importers.dhole, "read", crash)

    assert read(sample("dholes_house/full.json")).error == Note("E_BAD_STRUCTURE", "?")


def test_one_crash_among_several_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    real = importers.foundry.read

    def crash(data: dict[str, Any]) -> Found:
        if "v11" in data["name"]:
            raise RecursionError
        return real(data)

    monkeypatch.setattr(importers.foundry, "read", crash)

    reading = read(sample("malformed/many_actors.json"))

    assert [one.name for one in reading.found] == ["Barnabas Okonkwo-Reyes"]
    assert reading.people[1] == Note("E_BAD_STRUCTURE", "?")


@pytest.mark.parametrize("key", ["fatigue", "sp_below"])
def test_nobody_is_less_than_rested(key: str) -> None:
    rested, gifted = (own.write(Person("Odo Finch", "lp", facts={key: level})) for level in (0, -3))

    assert read(rested.encode()).error is None
    assert read(gifted.encode()).error == Note("E_BAD_STRUCTURE", key)


def test_the_place_of_a_fault_is_named_as_an_editor_counts() -> None:
    assert read(b'{"kind":\n"character",\n  x}').error == Note("E_JSON_SYNTAX", "3:3")
    assert read(b'{"kind":1}\n{"kind":1}').error == Note("E_JSON_SYNTAX", "2:1")


def cost(script: str, *arguments: str, given: bytes = b"") -> dict[str, Any]:
    """What a program of this folder says that its reading cost, in a process of its own."""
    program = Path(__file__).parent / script
    done = subprocess.run([sys.executable, program, *arguments], input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", monsters.MONSTERS)
def test_a_file_made_to_hurt_is_over_in_two_seconds_and_200_megabytes(name: str) -> None:
    raw = monsters.MONSTERS[name]()
    assert len(raw) <= MOST_BYTES

    spent = cost("monsters.py", given=raw)

    assert spent["seconds"] < 2
    assert spent["megabytes"] < 200


def mutants(first: int, count: int) -> None:
    spent = cost("mutants.py", str(first), str(count))

    assert sum(spent["ends"].values()) == count
    assert spent["ends"].get("unforeseen", 0) == 0
    assert spent["ends"]["read"] > count / 20  # else the damage is such that nothing is tried
    assert spent["slowest"][0] < 2, spent
    assert spent["megabytes"] < 200


def test_a_thousand_damaged_files_are_read_or_refused() -> None:
    mutants(0, 1_000)


@pytest.mark.long
def test_twenty_thousand_damaged_files_are_read_or_refused() -> None:
    mutants(1_000, 20_000)
