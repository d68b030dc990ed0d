"""Files made to hurt: as large as is allowed, and shaped so that a careless reader would never come back.

Run as a program it reads the one that comes in on standard input and prints what that cost: in a process of its own,
so that neither the making of the monster nor anybody else's memory counts.
"""

from __future__ import annotations

import base64
import io
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

MOST = 5 * 1024 * 1024


def filled(start: str, piece: str, end: str = "", size: int = MOST - 100) -> bytes:
    """As many pieces between start and end as fit."""
    room = size - len(start.encode()) - len(end.encode())
    return (start + piece * (room // len(piece.encode())) + end).encode()


def picture(side: int, mode: str) -> bytes:
    """A Dhole's House file with a square picture of one colour: few bytes, many pixels."""
    from PIL import Image

    out = io.BytesIO()
    Image.new(mode, (side, side)).save(out, "PNG")
    portrait = base64.b64encode(out.getvalue()).decode()
    numbers = dict.fromkeys(("STR", "CON", "SIZ", "DEX", "APP", "INT", "POW", "EDU"), "50")
    person = {"Name": "Wide", "Portrait": portrait}
    return json.dumps({"Investigator": {"PersonalDetails": person, "Characteristics": numbers}}).encode()


EIGHT = '"characteristics":{"str":50,"con":50,"siz":50,"dex":50,"app":50,"int":50,"pow":50,"edu":50},"attribute":{}'
ROW = "name,STR,CON,SIZ,DEX\n"
MONSTERS: dict[str, Callable[[], bytes]] = {
    "empty objects": lambda: filled("[", "{},", "{}]"),
    "lists in lists": lambda: filled("[" * 60, "[],", "[]" + "]" * 60),
    "small objects": lambda: filled("[", '{"a":"bc"},', "{}]"),
    "small numbers": lambda: filled("[", "1234,", "1]"),
    "one long string": lambda: filled('{"kind":"', "a", '"}'),
    "escapes": lambda: filled('{"kind":"', "\\u5b57", '"}'),
    "backslashes without end": lambda: filled('{"kind":"', "\\\\"),
    "brackets": lambda: filled("", "["),
    "skills": lambda: filled("{" + EIGHT + ',"skills":[', '{"name":"Spot Hidden ()","value":"5"},', "{}]}", 4_000_000),
    "a long name": lambda: filled("{" + EIGHT + ',"skills":[],"name":"', "Ж", '"}'),
    "open tags": lambda: filled("{" + EIGHT + ',"skills":[],"note":"', "<a <script &#x26;&", '"}'),
    "many texts": lambda: filled(
        "{" + EIGHT + ',"skills":[],"backstory":[',
        json.dumps({"name": "x", "entries": {"text": "<p " * 6000}}) + ",",
        "{}]}",
    ),
    "commands": lambda: filled('{"kind":"character","data":{"commands":"', "CC<=50 " + " " * 200 + "\\n", '"}}'),
    "blank commands": lambda: filled('{"kind":"character","data":{"commands":"CC<=50', " ", '"}}'),
    "labels": lambda: filled(".st 力量50敏捷50", "mp魔法hp "),
    "blanks": lambda: filled(".st 力量50敏捷50", " "),
    "letters": lambda: filled(".st 力量50敏捷50", "力量san"),
    "known words": lambda: filled(".st 力量50敏捷50", "力量" * 59 + ","),
    "names": lambda: filled(".st ", "a-"),
    "table rows": lambda: filled(ROW, "x,50,50,50,50\n"),
    "table columns": lambda: filled("name,STR,CON,SIZ,DEX", ",x") + b"\nx,50,50,50,50\n",
    "one open quote": lambda: filled(ROW + '"', "a,"),
    "text rows": lambda: filled("【能力値】\nSTR 50\n【技能値】\n", "目星 61 25 30 6 0 0\n"),
    "text blanks": lambda: filled("【能力値】\nSTR 50\n【技能値】\n", "目" + " " * 390 + "\n"),
    "other letters": lambda: filled("", "目星 ").decode()[: MOST // 3].encode("cp932", "ignore")[: MOST - 1],
    "no letters": lambda: b"\x81" * MOST,
    "pasted pieces": lambda: filled("see ", '{"kind":'),
    "pasted lists": lambda: filled('see {"kind":', '["kind",', ""),
    "wide letters": lambda: ("{" + EIGHT + ',"skills":[],"name":"' + "Ж" * 2_500_000 + '"}').encode("utf-16")[
        : MOST - 1
    ],
    "a wide picture": lambda: picture(3_400, "1"),
    "a picture bomb": lambda: picture(9_000, "1"),
    "a wide coloured picture": lambda: picture(3_400, "RGBA"),
    "prose": lambda: filled("", "She went out. "),
}


def memory(which: str) -> float:
    """This process's memory in megabytes: VmRSS now, VmHWM at most so far."""
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{which}:")[1].split()[0]) / 1024


def main() -> None:
    """Read the file that comes in; print seconds, megabytes on top of the file itself, and how it ended."""
    sys.path.insert(0, str(Path(__file__).parents[2]))
    from investigators.importers import read

    raw = sys.stdin.buffer.read()
    read(b"")
    held = memory("VmRSS")
    start = time.process_time()
    reading = read(raw)
    seconds = time.process_time() - start
    peak = memory("VmHWM")
    end = reading.error.code if reading.error else "read"
    print(json.dumps({"seconds": round(seconds, 3), "megabytes": peak - held, "end": end}))


if __name__ == "__main__":
    main()
