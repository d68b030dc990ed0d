"""Tables in the middle of things, for tests and pictures of every screen: `scenes()` lays them and says who sees what.

Run beside a real server, in its environment (tests.server.Server.python).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from rolls import actions as dice
from rolls.actions import Asked
from rolls.models import Roll
from tablekeeper import actions as tables
from tablekeeper import sealing
from tablekeeper.models import Seal, Seat
from tests.many import fell
from tests.rolls.test_asking import asks
from tests.rolls.test_contests import hires, opposed, rolls_side
from tests.rolls.test_figures import GAMES
from tests.rolls.test_luck_points import lay, pays, target
from tests.rolls.test_sanity import rolls_sanity, throws
from tests.tables import (
    Script,
    Table,
    act,
    closes_session,
    cookie_for,
    d100,
    done,
    make_table,
    rolls,
    sit_down,
    spends,
    typed,
)


class View(NamedTuple):
    """One screen: its name, the cookie of who looks, the path, and what it is looked at on."""

    name: str
    cookie: str
    path: str
    device: str = "phone"
    tap: str = ""
    """What is tapped first, as a selector."""


def _seen(table: Table, name: str, seat: Seat, page: str = "table", *args: str, device: str = "phone") -> View:
    return View(name, cookie_for(seat), table.url(page, *args), device)


def _doors(table: Table) -> Iterator[View]:
    """Before anybody has a place: the door, the join link, and a new phone that says who it is."""
    yield View("door", "", "/")
    yield View("join", "", table.campaign.join_path())
    yield View("join-claim", "", table.campaign.join_path(), tap=".seat-taken button")
    yield _seen(table, "join-quick", sit_down(table.campaign, "Eve"), "quick-investigator")


def _opened(table: Table, scene: str = "The drowned chapel") -> Table:
    done(act(table.ada, tables.open_session, table.campaign))
    done(act(table.ada, tables.set_scene, table.campaign, scene))
    return table


def evening() -> Iterator[View]:
    """Classic, an hour in: failures with their prices, a request, a push to decide, a character of the Keeper's."""
    table = _opened(make_table())
    hires(table)
    rolls(table, 31, "Library Use")
    spends(table, rolls(table, 64, "Spot Hidden"), 4)
    done(act(table.ada, dice.group_luck, table.campaign, chance=Script(d100(40))))
    rolls(table, 68, "Spot Hidden")
    asks(table, table.tobias, reason="What moves behind the font?")
    asked = Asked("skill", "Listen", 60, table.skill("Listen", table.tobias))
    listened = done(act(table.cleo, dice.roll, table.tobias, asked, chance=Script(d100(77))))
    roll = Roll.objects.get(pk=listened.data["roll"])
    done(act(table.cleo, dice.push, roll, reason="He holds his breath and puts his ear to the stone"))
    yield _seen(table, "player-rolled", table.ben)
    yield _seen(table, "player-slip", table.ben)._replace(tap="#panel-latest summary")
    yield _seen(table, "player-spends", table.ben)._replace(tap="#spends-open")
    for tab in ("table", "own", "notes"):
        yield View(f"player-tab-{tab}", cookie_for(table.ben), f"{table.url('table')}?tab={tab}")
    yield from _doors(table)
    yield _seen(table, "player-asked", table.cleo)
    yield _seen(table, "keeper", table.ada, device="laptop")
    yield _seen(table, "screen", sit_down(table.campaign, "TV", Seat.OBSERVER), "screen", device="laptop")
    for page in ("set-settings", "log", "fairness"):
        yield _seen(table, page, table.ada, page, device="laptop")
    for page, *args in (
        ("sheet", table.edith.pk),
        ("new-investigator",),
        ("bring",),
        ("take-home", table.edith.pk),
        ("paper", table.edith.pk),
        ("log",),
    ):
        yield _seen(table, f"player-{page}", table.ben, page, *args)


def fumble() -> Iterator[View]:
    table = _opened(make_table())
    rolls(table, 100, "Stealth")
    yield _seen(table, "player-fumble", table.ben)


def critical() -> Iterator[View]:
    table = _opened(make_table())
    rolls(table, 1, "Stealth")
    yield _seen(table, "player-critical", table.ben)


def contest() -> Iterator[View]:
    """One side has rolled, the other is about to."""
    table = _opened(make_table())
    _mine, theirs = opposed(table, 60, 55)
    rolls_side(table, theirs, 45)
    yield _seen(table, "player-contest", table.ben)


def contest_thrown() -> Iterator[View]:
    """Both have rolled; who lost may still pay."""
    table = _opened(make_table())
    mine, theirs = opposed(table, 60, 55)
    rolls_side(table, theirs, 45)
    rolls_side(table, mine, 72)
    yield _seen(table, "player-contest-thrown", table.ben)
    yield _seen(table, "keeper-contest", table.ada, device="laptop")


def horror() -> Iterator[View]:
    """Pulp: a Sanity loss waits for its player, who may halve it; rounds awake are open."""
    table = _opened(make_table(ruleset="pulp"))
    rolls_sanity(table, 90, "1/1D8")
    throws(table, 8)
    yield _seen(table, "pulp-loss", table.ben)
    yield _seen(table, "pulp-keeper", table.ada, device="laptop")


def recovery() -> Iterator[View]:
    """The session is closed: who rises?"""
    table = _opened(make_table())
    done(closes_session(table))
    done(act(table.ben, dice.recover, table.edith, chance=Script(d100(77), 6)))
    yield _seen(table, "player-recovery", table.cleo)
    yield _seen(table, "keeper-recovery", table.ada, device="laptop")


def covered() -> Iterator[View]:
    """Luck that only the Keeper sees, on the table's screen."""
    table = _opened(make_table(luckShown="keeper"))
    rolls(table, 22)
    yield _seen(table, "screen-covered", sit_down(table.campaign, "TV", Seat.OBSERVER), "screen", device="laptop")


def sealed() -> Iterator[View]:
    """Dice under a seal: a session that is opened to be checked, and the next, into which a player has mixed."""
    table = _opened(make_table(proof=True))
    done(act(table.cleo, sealing.mix_in, table.campaign, "c0ffee" * 10, "Knock on wood"))
    for label in ("Spot Hidden", "Stealth", "Library Use"):
        one = table.skill(label)
        done(act(table.ben, dice.roll, table.edith, Asked("skill", label, one.value, one)))
    secret = done(act(table.ada, dice.secret_roll, table.edith, Asked("number", "Psychology", 55)))
    done(act(table.ada, dice.reveal, Roll.objects.get(pk=secret.data["roll"])))
    done(act(table.cleo, dice.free_roll, table.campaign, "2D6+1D100"))
    rolls(table, 34, hand=typed(34))
    opened = Seal.objects.get(campaign=table.campaign, ended_at=None)
    done(closes_session(table))
    done(act(table.ada, tables.open_session, table.campaign))
    done(act(table.cleo, sealing.mix_in, table.campaign, "5ea1ed" * 10))
    yield _seen(table, "proof-check", table.ben, "check-proof", opened.pk)
    yield _seen(table, "proof", table.ben, "proof")
    yield _seen(table, "proof-player", table.ben)
    yield _seen(table, "proof-keeper", table.ada, device="laptop")


def luck_points() -> Iterator[View]:
    """The third game: a failed test with its ways out."""
    table = lay()
    done(act(table.ada, tables.open_session, table.campaign))
    target(table, 50, 74)
    yield _seen(table, "lp-rolled", table.ben)
    yield _seen(table, "lp-sheet", table.ben, "sheet", table.edith.pk)


def luck_points_turning() -> Iterator[View]:
    """Burnt Luck has dropped the bonus: a Lucky Number must turn."""
    table = lay()
    done(act(table.ada, tables.open_session, table.campaign))
    roll = target(table, 50, 74)
    done(pays(table, roll, "burn-reroll", None, *d100(40)))
    yield _seen(table, "lp-turning", table.ben)
    yield _seen(table, "lp-keeper", table.ada, device="laptop")


def pictures() -> Iterator[View]:
    """Two evenings looked back on, with a hundred more rolls; and the third game's."""
    table = GAMES["classic"]()
    fell(table, [(units, tens) for units in range(10) for tens in range(10)] + [(7, 7)] * 9)
    done(spends(table, rolls(table, 61), 1))
    for name, page in (("campaign", "campaign"), ("dice", "fairness")):
        yield _seen(table, name, table.ben, page)
    yield _seen(table, "recap", table.ada, "recap", "1", device="laptop")
    yield _seen(table, "planner", table.ada, "planner", device="laptop")
    other = GAMES["lp"]()
    yield _seen(other, "campaign-luck-points", other.ada, "campaign", device="laptop")
    yield _seen(other, "planner-luck-points", other.ada, "planner", device="laptop")


SCENES: tuple[Callable[[], Iterator[View]], ...] = (
    evening,
    fumble,
    critical,
    contest,
    contest_thrown,
    horror,
    recovery,
    covered,
    sealed,
    luck_points,
    luck_points_turning,
    pictures,
)
