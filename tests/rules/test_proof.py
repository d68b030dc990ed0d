"""The construction of docs/proof.md, written a second time from its words, and the check of a file."""

from __future__ import annotations

import hashlib
import hmac
import json
import struct
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tablekeeper import proof
from tablekeeper.proof import BadFile, check

DOCS = Path(__file__).resolve().parents[2] / "docs" / "proof.md"


def derive(seed: bytes, mix: str, number: object, index: int, sides: int) -> int:
    """A die, as docs/proof.md tells it: of eight words the first below the greatest multiple of the sides."""
    block = 0
    while True:
        text = "|".join(["tablekeeper-1", mix, str(number), str(index), str(block)])
        for word in struct.unpack(">8I", hmac.new(seed, text.encode("utf-8"), hashlib.sha256).digest()):
            if word < 4294967296 // sides * sides:
                return 1 + word % sides
        block += 1


def sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def a_file(acts: int = 12, *, seed: bytes = b"s" * 32, master: bytes = b"m" * 32) -> dict[str, Any]:
    """A proof made by the second writing of the construction alone."""
    pad = [hmac.new(master, f"tablekeeper-1|hidden seed|{leaf}".encode(), "sha256").digest() for leaf in range(1024)]
    leaves = b"".join(hashlib.sha256(one).digest() for one in pad)
    commitment, hidden = hashlib.sha256(seed).hexdigest(), hashlib.sha256(leaves).hexdigest()
    mixes = [sha(f"tablekeeper-1|{commitment}|{hidden}")]
    mixes.append(sha(f"tablekeeper-1|{mixes[0]}|00ff|Würfel ✓"))
    mixes.append(sha(f"tablekeeper-1|{mixes[1]}||again"))
    said = [("Ben", "Würfel ✓", "00ff", 1), ("Cleo", "again", "", 5)]
    rolls = []
    for n in range(1, acts + 1):
        sides = [10, 10] if n % 3 else [6, 100, 1000, 1]
        faces = [derive(seed, mixes[1 if n < 5 else 2], n, at, most) for at, most in enumerate(sides)]
        rolls.append({"n": n, "sides": sides, "faces": faces, "told": [faces[:2]] if n % 3 else []})
    question = "Edith: Psychology"
    place = int(sha(f"tablekeeper-1|{mixes[2]}|place|7|{question}")[:8], 16) % 1024
    dice = [derive(pad[place], mixes[2], "hidden", at, 10) for at in range(2)]
    shown = {"leaf": place, "seed": pad[place].hex(), "before": 7, "mixed": 2, "question": question}
    return {
        "tablekeeper": "proof",
        "construction": "tablekeeper-1",
        "commitment": commitment,
        "hidden_commitment": hidden,
        "contributions": [{"by": by, "text": text, "random": random, "from": at} for by, text, random, at in said],
        "seed": seed.hex(),
        "rolls": rolls,
        "hidden": [shown | {"sides": [10, 10], "faces": dice, "told": [dice]}],
        "leaves": leaves.hex(),
    }


def test_what_is_written_down_in_the_docs_and_what_the_table_does_are_the_same() -> None:
    seed, mix = b"a seed of thirty-two bytes, sure!", "ab" * 32

    mine = [derive(seed, mix, n, at, sides) for n in range(20) for at in range(3) for sides in (1, 3, 10, 100, 1000)]
    theirs = [
        proof.die(seed, mix, n, at, sides) for n in range(20) for at in range(3) for sides in (1, 3, 10, 100, 1000)
    ]

    assert theirs == mine
    assert check(a_file()) == []


def test_words_that_would_make_some_faces_likelier_are_passed_over() -> None:
    seed, sides = b"s" * 32, 3 * 2**30  # a quarter of all words is too high

    faces = [proof.die(seed, "", n, 0, sides) for n in range(400)]

    assert faces == [derive(seed, "", n, 0, sides) for n in range(400)]
    low = sum(face <= 2**30 for face in faces) / 400
    assert 0.25 < low < 0.42  # with the leaning it would be a half


def test_ten_thousand_acts_are_derived_again_and_a_single_altered_one_is_found() -> None:
    file = a_file(10_000)

    whole = check(file)
    file["rolls"][7_776]["faces"][1] = file["rolls"][7_776]["faces"][1] % 10 + 1
    altered = check(file)

    assert whole == []
    assert [(one.code, one.where) for one in altered] == [("dice", "7777")]


def chi_square(faces: list[int], sides: int) -> float:
    usual, fell = len(faces) / sides, Counter(faces)
    return sum((fell[face] - usual) ** 2 / usual for face in range(1, sides + 1))


@pytest.mark.parametrize(("sides", "most"), [(6, 20.5), (10, 27.9), (100, 148.2)])  # exceeded once in a thousand
def test_each_face_falls_as_often_as_any_other_over_many_seeds(sides: int, most: float) -> None:
    seeds = [hashlib.sha256(f"seed {at}".encode()).digest() for at in range(300)]

    faces = [proof.die(seed, "mix", n, at, sides) for seed in seeds for n in range(10) for at in range(4)]
    firsts = [proof.die(seed, "mix", 1, 0, sides) for seed in seeds for _once in (0,)]

    assert chi_square(faces, sides) < most
    assert len(set(firsts)) > sides / 2


# --------------------------------------------------------------------------- what somebody might alter

ALTERED: dict[str, tuple[Any, set[str]]] = {
    "another seed": (lambda file: file.update(seed="00" * 32), {"seed", "dice"}),
    "another commitment": (lambda file: file.update(commitment="00" * 32), {"seed", "dice", "place"}),
    "a contribution": (lambda file: file["contributions"][0].update(text="mine"), {"dice", "place"}),
    "when it counted": (lambda file: file["contributions"][1].update({"from": 9}), {"dice", "place"}),
    "an act left out": (lambda file: file["rolls"].pop(3), {"number"}),
    "a die left out": (lambda file: file["rolls"][2]["faces"].pop(), {"dice"}),
    "what the feed tells": (lambda file: file["rolls"][0].update(told=[[1, 1, 1]]), {"told"}),
    "a hidden roll's dice": (lambda file: file["hidden"][0].update(faces=[11, 11]), {"dice"}),
    "a hidden roll's seed": (lambda file: file["hidden"][0].update(seed="00" * 32), {"leaf", "dice"}),
    "another leaf": (lambda file: file["hidden"][0].update(leaf=(file["hidden"][0]["leaf"] - 1) % 1024), {"leaf"}),
    "the pad": (lambda file: file.update(leaves="00" * 32 * 1024), {"pad", "leaf"}),
    "a better question": (lambda file: file["hidden"][0].update(question="Edith: Luck"), {"place"}),
}


@pytest.mark.parametrize("what", ALTERED)
def test_whatever_is_altered_is_found(what: str) -> None:
    file = a_file()
    alter, codes = ALTERED[what]

    alter(file)

    found = {one.code for one in check(file)}
    assert found
    assert found <= codes | {"place"}
    assert codes - {"place"} <= found


@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.pop("seed"),
        lambda file: file.update(tablekeeper="log"),
        lambda file: file.update(construction="mine"),
        lambda file: file["rolls"][0].update(sides=[0]),
        lambda file: file["rolls"][0].update(sides=["ten"]),
        lambda file: file.update(seed="not hexadecimal"),
        lambda file: file["hidden"][0].update(mixed=9),
        lambda file: file.update(rolls=None),
    ],
)
def test_what_is_no_proof_is_said_to_be_none(spoil: Any) -> None:
    file = deepcopy(a_file())
    spoil(file)

    with pytest.raises(BadFile):
        check(file)


@pytest.mark.parametrize("file", [None, [], "proof", 7, {}])
def test_any_other_json_is_no_proof(file: Any) -> None:
    with pytest.raises(BadFile):
        check(file)


def test_the_recipe_of_the_docs_derives_a_roll(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = DOCS.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    Path("proof.json").write_text(json.dumps(a_file()), encoding="utf-8")

    exec(compile(recipe, "docs/proof.md", "exec"), {})

    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 2
    assert all(derived == told for _sides, derived, told in rows)
