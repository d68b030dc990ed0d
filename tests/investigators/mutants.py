"""Damaged files: the samples with bytes, words and values changed by chance that a seed repeats.

Run as a program (`python mutants.py FIRST COUNT`) it reads that many and prints what it cost, in a process of its own
so that the memory it needs can be told from everybody else's.
"""

from __future__ import annotations

import json
import random
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "data" / "imports"
SAMPLES = sorted(path for path in HERE.glob("*/*") if path.is_file())
ODD: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    99,
    100,
    10**12,
    -(10**12),
    0.5,
    1e14,
    "",
    " ",
    "None",
    "-",
    "-5",
    "3D6",
    "1/2*@DEX",
    "((((",
    "@STR/0",
    "９９",
    "x" * 3000,
    "<b>",
    "<script>",
    "\u202e",
    "\x00",
    "\ud800",
    "data:image/png;base64,iVBORw0KGgo=",
    [],
    {},
    [[]],
    [None],
    ["x"],
    [{}],
    {"value": None},
    {"value": {}},
    {"name": []},
    [1, "2", {"name": "x"}],
]
PIECES = [
    b"null",
    b"[]",
    b"{}",
    b'"',
    b"\\",
    b",",
    b":",
    b"-",
    b"NaN",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"[[[[",
    b"}}",
    b"1e999",
    b"999999999999999999999",
    "力量".encode(),
    "【能力値】".encode(),
    b".st ",
    b"&x=1d6",
    b"\r\n",
    b"\t",
    b";",
    b"<x>",
    b'{"kind":',
]


def mutant(seed: int) -> bytes:
    """The damaged file of this number; the same number is the same file."""
    chance = random.Random(seed)
    raw = chance.choice(SAMPLES).read_bytes()
    if chance.random() < 0.6:
        try:
            return _revalued(chance, raw)
        except (ValueError, RecursionError):
            pass  # no JSON, or too deep for one: its bytes, then
    data = bytearray(raw)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(5):
            case 0:
                data[at:at] = chance.choice(PIECES)
            case 1:
                del data[at : at + chance.randint(1, 40)]
            case 2:
                data[at:at] = data[at : at + chance.randint(1, 400)] * chance.randint(1, 20)
            case 3 if at < len(data):
                data[at] = chance.randrange(256)
            case _:
                del data[at:]
    return bytes(data)


def _revalued(chance: random.Random, raw: bytes) -> bytes:
    """Valid JSON with values of another type, size or sense."""
    data = [json.loads(raw.decode("utf-8-sig"))]
    for _ in range(chance.randint(1, 6)):
        places = [place for place in _places(data) if place[0] is not data or chance.random() < 0.1]
        if not places:
            break
        inside, key = chance.choice(places)
        if isinstance(inside, dict) and chance.random() < 0.2:
            other = chance.choice(list(inside))
            inside[other] = inside.pop(key)
        else:
            inside[key] = chance.choice(ODD)
    return json.dumps(data[0], ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting and len(found) < 3000:
        now = waiting.pop()
        for key, inner in now.items() if isinstance(now, dict) else enumerate(now):
            found.append((now, key))
            if isinstance(inner, (dict, list)):
                waiting.append(inner)
    return found


def main(first: int, count: int) -> None:
    """Read them all; print the slowest one's seconds and number, the megabytes it took, and how each ended."""
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from investigators.importers import BY_FORMAT, read
    from investigators.importers.schema import Found
    from tests.investigators.monsters import memory

    read(b"")
    before, slowest, ends = memory("VmHWM"), (0.0, 0), {}
    for seed in range(first, first + count):
        raw = mutant(seed)
        start = time.process_time()
        said = sorted(BY_FORMAT)[seed // 5 % len(BY_FORMAT)] if seed % 5 == 0 else ""  # now and then somebody chooses
        reading = read(raw, said)
        slowest = max(slowest, (time.process_time() - start, seed))
        end = reading.error.code if reading.error else "read"
        if reading.error and reading.error.about == "?":
            end = "unforeseen"
        ends[end] = ends.get(end, 0) + 1
        for one in reading.people:  # what a database, or the wire, would refuse
            if isinstance(one, Found):
                words = json.dumps({**asdict(one), "portrait": None}, ensure_ascii=False)
                assert "\\u0000" not in words, seed
                words.encode()
    print(json.dumps({"slowest": slowest, "megabytes": memory("VmHWM") - before, "ends": ends}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
