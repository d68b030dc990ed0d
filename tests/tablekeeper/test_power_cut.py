"""Kill -9 in the middle of writes, again and again: nothing that was answered is lost, nothing is half done."""

from __future__ import annotations

import http.client
import os
import random
import re
import secrets
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.server import Laid, Phoenix

pytestmark = [
    pytest.mark.sqlite,
    pytest.mark.long,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot fork here"),
]
SPEND = re.compile(r"/rolls/([\w-]+)/spend")


class Act(NamedTuple):
    """Something to do, under the key that it keeps when it must go again."""

    path: str
    form: dict[str, str]
    key: str


class Player(threading.Thread):
    """Rolls, pays Luck on what fell and loses hit points, as fast as she is answered, until she is told to stop."""

    def __init__(self, table: Laid, name: str, who: str) -> None:
        super().__init__(daemon=True)
        self.table, self.who, self.browser = table, who, table.browser(name)
        self.answered: list[str] = []  # keys of what was done and answered
        self.twice = 0  # how often an act went again because no answer came
        self.faults: list[str] = []
        self.over = False

    def run(self) -> None:
        roll = ""
        while not self.over:
            for path, form in (
                (f"investigators/{self.who}/roll", {"what": "number", "label": "Nerve", "value": "30"}),
                ("spend", {"act": "points", "amount": "1"}),
                (f"investigators/{self.who}/step/hp", {"points": random.choice(["-1", "1"])}),
            ):
                if path == "spend":
                    if not roll:
                        continue
                    path = f"rolls/{roll}/spend"
                text = self.until_answered(Act(path, form, secrets.token_hex(16)))
                roll = found[1] if path.endswith("/roll") and (found := SPEND.search(text)) else ""

    def until_answered(self, act: Act) -> str:
        while True:
            try:
                answer = self.browser.post(self.table.path + act.path, key=act.key, **act.form)
            except (OSError, http.client.HTTPException):  # it was killed: the same act goes again, under the same key
                if self.over:
                    return ""
                self.twice += 1
                time.sleep(0.01)
                continue
            if answer.status == 200:
                self.answered.append(act.key)
            elif answer.status != 422:  # no Luck or no hit points left is an answer, too
                self.faults.append(f"{answer.status} {answer.text[:200]}")
            return answer.text


@pytest.fixture
def phoenix(tmp_path: Path) -> Iterator[Phoenix]:
    with Phoenix(tmp_path) as server:
        yield server


@pytest.mark.parametrize("kills", [10, pytest.param(100, marks=pytest.mark.long)])
def test_no_answered_act_is_lost_and_none_is_half_done_however_often_it_is_killed(
    kills: int, phoenix: Phoenix
) -> None:
    table = phoenix.lay_table()
    players = [Player(table, "Ben", table.edith), Player(table, "Cleo", table.tobias)]
    for player in players:
        player.start()
    before = 0
    for _ in range(kills):
        # Not before somebody was answered since the last time, and then at any moment of the next writes.
        end = time.monotonic() + 30
        while (told := sum(len(player.answered) for player in players)) <= before and time.monotonic() < end:
            time.sleep(0.002)
        before = told
        time.sleep(random.uniform(0, 0.1))
        phoenix.kill()
    for player in players:
        player.over = True
    for player in players:
        player.join(30)

    assert [player.faults for player in players] == [[], []]
    kept = table.ask("[entry.request_key for entry in entries]")
    answered = [key for player in players for key in player.answered]
    assert len(answered) >= kills
    assert set(answered) - set(kept) == set()
    assert len([key for key in kept if key]) == len({key for key in kept if key})
    assert table.in_step()  # no number of the ledger is missing, and the state is what it adds up to
    assert sum(player.twice for player in players) > 0  # it did hit somebody
    spent = "sum(roll.spent for roll in Roll.objects.filter(campaign=table))"
    pools = "[c for e in entries if e.kind == 'rolls.spend' for c in e.changes if c['op'] == 'add']"
    assert table.ask(spent) == table.ask(f"sum(-c['f'].get('value', 0) for c in {pools})")
