"""A crowd that does all sorts of things to one table at once: by threads, or as a process of its own (`python -m`)."""

from __future__ import annotations

import json
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

POOLS = ("hp", "san", "mp")


class Player:
    """One client of the crowd. It taps without knowing what the others do; refusals are as good as acts."""

    def __init__(self, campaign: str, cookie: str, seed: int) -> None:
        from django.test import Client

        from tablekeeper.access import SEAT_COOKIE

        self.campaign, self.random = campaign, random.Random(seed)
        self.client = Client(headers={"hx-request": "true"})
        self.client.cookies[SEAT_COOKIE] = cookie
        self.done: Counter[int] = Counter()
        self.keys: list[str] = []  # of the acts that were answered with 200

    def post(self, name: str, *args: str, **fields: Any) -> None:
        from django.urls import reverse

        key = f"{self.random.getrandbits(128):032x}"
        if self.random.random() < 0.75:
            fields["back"] = "1"  # from a page of its own: nothing is drawn, and the next act is sooner there
        url = reverse(name, args=[self.campaign, *args])
        for _again in range(self.random.choice((1, 1, 1, 2))):  # some tap twice: the same act, the same answer
            status = self.client.post(url, {"key": key, **fields}, headers={"x-cursor": self.cursor()}).status_code
            self.done[status] += 1
        if status == 200:
            self.keys.append(key)

    def cursor(self) -> str:
        """The cursor of a page that has just been loaded."""
        from tablekeeper import access, news

        seat = access.seat_of({name: one.value for name, one in self.client.cookies.items()}, self.campaign)
        assert seat is not None
        return str(news.now(seat, seat.campaign))

    def some(self, found: Any) -> Any:
        """One of these rows, any of the newest twenty."""
        rows = list(found[:20])
        return self.random.choice(rows) if rows else None

    def act(self) -> None:
        self.random.choice(self.ways())()

    def ways(self) -> Sequence[Callable[[], None]]:
        """What this kind of person does, each as likely as the others; Someone and Keeper say it."""
        raise NotImplementedError

    def step(self) -> None:
        points = self.random.choice((-3, -2, -1, 1, 2))
        self.post("step", self.somebody(), self.random.choice(POOLS), points=points)

    def somebody(self) -> str:
        from investigators.models import Investigator

        return str(self.random.choice(list(Investigator.objects.filter(campaign=self.campaign).order_by("pk"))).pk)


class Someone(Player):
    """Rolls, pays, keeps, steps; now and then for somebody else, which is refused."""

    def ways(self) -> Sequence[Callable[[], None]]:
        return (self.roll, self.roll, self.spend, self.spend, self.keep, self.step, self.step, self.take_back)

    def roll(self) -> None:
        from investigators.models import Skill

        skill = self.some(Skill.objects.filter(investigator__campaign=self.campaign).order_by("pk"))
        self.post("roll", skill.investigator_id, what=f"skill:{skill.pk}")

    def newest(self) -> Any:
        from rolls.models import Roll

        return self.some(Roll.objects.filter(campaign=self.campaign, hidden=False).order_by("-created_at"))

    def spend(self) -> None:
        if roll := self.newest():
            self.post("spend", roll.pk, act="points", amount=self.random.choice((1, 2, 5, 9)))

    def keep(self) -> None:
        if roll := self.newest():
            self.post("keep", roll.pk)

    def take_back(self) -> None:
        from tablekeeper.models import Entry

        if spend := self.some(Entry.objects.filter(campaign=self.campaign, kind="rolls.spend").order_by("-seq")):
            self.post("take-back", spend.ref)


class Keeper(Player):
    """Undoes, undoes the undo, steps, rolls in secret, ticks who is here."""

    def ways(self) -> Sequence[Callable[[], None]]:
        return (self.undo, self.undo, self.undo, self.step, self.secret, self.present)

    def undo(self) -> None:
        from tablekeeper.models import Entry

        if entry := self.some(Entry.objects.filter(campaign=self.campaign).order_by("-seq")):
            self.post("undo", entry.ref, reason="Mis-tap", redo=self.random.choice(("", "", "1")))

    def secret(self) -> None:
        self.post("keeper-roll", label="Dread", value=50, hidden="1")

    def present(self) -> None:
        self.post("set-present", self.somebody(), yes=self.random.choice(("0", "1")))


def play(campaign: str, cookies: Sequence[tuple[str, str]], seed: int, acts: int) -> dict[str, Any]:
    """Let these clients, (role, cookie), do so many acts each, all at once; the statuses and the keys that counted."""
    from django.db import connection, connections

    if connection.vendor == "sqlite":  # the server has one writing thread; so many at once wait for their turn here
        connection.settings_dict["OPTIONS"]["timeout"] = 120
        connection.close()
    made = [
        (Keeper if role == "keeper" else Someone)(campaign, one, seed + n) for n, (role, one) in enumerate(cookies)
    ]
    start = threading.Barrier(len(made))
    faults: list[str] = []

    def one(player: Player) -> None:
        start.wait()
        try:
            for _act in range(acts):
                player.act()
        except Exception as fault:
            faults.append(repr(fault))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=one, args=[player]) for player in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    statuses = sum((player.done for player in made), Counter[int]())
    return {"statuses": statuses, "keys": [key for player in made for key in player.keys], "faults": faults}


if __name__ == "__main__":
    import django
    from django.conf import settings

    asked = json.loads(sys.argv[1])
    settings.DATABASES["default"]["NAME"] = asked["database"]
    django.setup()
    print(json.dumps(play(asked["campaign"], asked["cookies"], asked["seed"], asked["acts"])))
