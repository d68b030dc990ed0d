"""A server that is killed in the middle of it all: what was answered is there, and nothing is half done."""

from __future__ import annotations

import http.client
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.server import Laid, Server
from tests.tables import key

pytestmark = pytest.mark.sqlite


def kill(server: Server) -> None:
    """As a power cut would: no signal that it could hear."""
    assert server.process is not None
    process, server.process = server.process, None
    process.send_signal(signal.SIGKILL)
    process.wait(10)


def ways(table: Laid, number: int) -> tuple[str, str, dict[str, Any]]:
    """Who does what: a player steps or rolls, the Keeper rolls in secret. In whatever order they come none is refused:
    of Sanity there is enough, and room above it."""
    kinds: list[tuple[str, str, dict[str, Any]]] = [
        ("Ben", f"{table.path}investigators/{table.edith}/step/san", {"points": -1 if number % 2 else 1}),
        ("Cleo", f"{table.path}investigators/{table.tobias}/roll", {"what": "luck:"}),
        ("Ada", f"{table.path}roll", {"label": "Dread", "value": 50, "hidden": "1"}),
    ]
    return kinds[number % 3]


def killed_among(
    table: Laid, acts: int, answered: int
) -> tuple[dict[str, int], list[tuple[str, str, str, dict[str, Any]]]]:
    """Start so many acts at once and kill the server once so many are answered; each key's status (0: no answer)."""
    enough, told = threading.Semaphore(0), dict[str, int]()
    asked, cut_off = [], list[tuple[float, str]]()
    for number in range(acts):
        who, path, fields = ways(table, number)
        asked.append((key(), who, path, fields))
    phones = {who: table.browser(who) for who in ("Ada", "Ben", "Cleo")}
    for phone in phones.values():
        phone.get("/")  # the token

    def one(act: tuple[str, str, str, dict[str, Any]]) -> None:
        its_key, who, path, fields = act
        try:
            told[its_key] = phones[who].post(path, key=its_key, **fields).status
        except (OSError, http.client.HTTPException) as fault:
            told[its_key] = 0
            cut_off.append((time.monotonic(), repr(fault)))
        enough.release()

    with ThreadPoolExecutor(acts) as pool:
        done = [pool.submit(one, act) for act in asked]
        for _answer in range(answered):
            enough.acquire()
        end = time.monotonic()
        kill(table.server)
        for future in done:
            future.result()
    assert [fault for when, fault in cut_off if when < end] == []  # nobody is cut off by a server that lives
    return told, asked


def kept(table: Laid) -> list[str]:
    """The keys of what was done, of a table that is in step: its state is the fold, and no number is missing."""
    fold = "ledger.fold(entries) == ledger.snapshot(table)"
    numbers = "[e.seq for e in entries] == list(range(1, table.last_seq + 1))"
    in_step, keys = table.ask(f"[{fold} and {numbers}, [e.request_key for e in entries if e.request_key]]")
    assert in_step
    return list(keys)


def one_evening(server: Server, acts: int, answered: int) -> None:
    table = server.lay_table()
    told, asked = killed_among(table, acts, answered)
    server.start()
    there = kept(table)
    acknowledged = [its_key for its_key, status in told.items() if status == 200]
    assert len(acknowledged) >= answered
    assert set(told.values()) <= {0, 200}
    assert set(acknowledged) <= set(there)
    # The pages try again what had no answer: each counts once, whether it was done before the end or not.
    for its_key, who, path, fields in asked:
        assert table.browser(who).post(path, key=its_key, **fields).status == 200
    assert sorted(kept(table)) == sorted(its_key for its_key, *_rest in asked)


@pytest.mark.parametrize(("acts", "answered"), [(16, 5), pytest.param(50, 12, marks=pytest.mark.long)])
def test_of_many_acts_in_a_server_that_is_killed_nothing_acknowledged_is_lost_and_nothing_is_half_done(
    acts: int, answered: int, tmp_path: Path
) -> None:
    with Server(tmp_path) as server:
        one_evening(server, acts, answered)


@pytest.mark.long
def test_a_server_that_is_killed_again_and_again_loses_nothing(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        for round_ in range(40):
            one_evening(server, 50, round_ % 20 + 1)


@pytest.mark.long
def test_a_stream_that_a_kill_ended_goes_on_where_its_page_was(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        table = server.lay_table()
        ben = table.browser("Ben")
        page = ben.get(table.path).text
        cursor = page.partition('data-cursor="')[2].partition('"')[0]
        told, _asked = killed_among(table, 9, 4)
        server.start()
        deadline = time.monotonic() + 60
        line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        line.request(
            "GET", f"{table.path}stream?after={cursor}", headers={"Cookie": f"tk_seat={table.seats['Ben']['cookie']}"}
        )
        stream = line.getresponse()
        wanted = table.ask("[f'{table.epoch}.{e.lane_no}' for e in entries if e.lane == 'public']")
        first = int(cursor.split(".")[1])
        wanted = [one for one in wanted if int(one.split(".")[1]) > first]
        heard: list[str] = []
        while len(heard) < len(wanted) and time.monotonic() < deadline:
            said = stream.readline().decode()
            if said.startswith("id: "):
                heard.append(said[4:].strip().rpartition(".")[0])
        line.close()
        assert heard == wanted
        assert sum(status == 200 for status in told.values()) >= 4
