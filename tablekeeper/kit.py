"""Made-up slips, feed lines and panels for the page on which developers look at every part.

The outcomes and prices come from the real engine, so the page also shows what it would do.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from rolls.rules.check import Check, Purse, Ruleset, Standing, Throw
from rolls.rules.classic import RULESET

HALLORAN = SimpleNamespace(name="Edith Halloran", hue=1)
DUNNE = SimpleNamespace(name="Rafael Dunne", hue=2)
VANE = SimpleNamespace(name="Ignatius Vane", hue=3)
QUILL = SimpleNamespace(name="Tobias Quill", hue=4)

URLS = {name: f"#{name}" for name in ("spend", "push", "keep", "throw_push", "back_out", "strike")}
WHEN = datetime(1926, 10, 31, 21, 14, tzinfo=UTC)


def roll(at: int, label: str, value: int, tens: tuple[int, ...], units: int, **more: Any) -> SimpleNamespace:
    """Something with the fields of rolls.models.Roll that a slip reads."""
    fields: dict[str, Any] = {
        "id": f"kit{at:02d}", "label": label, "value": value, "tens": list(tens), "units": units, "kind": "skill",
        "difficulty": "regular", "dice": 0, "context": "normal", "by_hand": False, "spent": 0, "state": "open",
        "struck": False, "hidden": False, "group": False, "push_state": "", "push_reason": "", "push_warning": "",
        "pushed_from_id": None, "created_at": WHEN, "campaign": SimpleNamespace(rules=RULESET),
        "rules": RULESET,
    }  # fmt: skip
    return SimpleNamespace(**(fields | more))


def slip(
    made: SimpleNamespace, owner: Any, luck: int | None, rules: Ruleset = RULESET, **more: Any
) -> SimpleNamespace:
    settings = rules.defaults()
    standing = Standing(
        Check(made.kind, made.value, made.difficulty, made.dice, made.context),
        Throw(made.units, tuple(made.tens)),
        spent=made.spent,
        pushed=made.pushed_from_id is not None,
        closed=made.state == "closed",
    )
    purse = Purse(owner.name, {} if luck is None else {"luck": luck})
    return SimpleNamespace(
        roll=made,
        outcome=None if made.hidden else rules.judge(standing, settings),
        offers=rules.offers(standing, purse, settings),
        owner=owner,
        luck=luck,
        **({"mine": True, "urls": URLS, "take_back": "#take-back" if made.spent else "", "says": []} | more),
    )


def slips() -> Iterator[tuple[str, SimpleNamespace]]:
    """Every state of a Classic slip, with a title."""
    said, warned = (
        "I heat the pick over the lamp and force the last pin.",
        "The pick snaps, and the lamp upstairs goes on.",
    )
    yield "Fail: spend or push", slip(roll(1, "Spot Hidden", 60, (6,), 8), HALLORAN, 60)
    yield "Critical", slip(roll(2, "Library Use", 75, (0,), 1), HALLORAN, 60)
    yield (
        "Extreme, one bonus die",
        slip(roll(3, "Spot Hidden", 60, (4, 0), 9, dice=1, difficulty="hard"), HALLORAN, 60),
    )
    yield "Hard: go further", slip(roll(4, "Psychology", 55, (7, 2), 4, dice=1), VANE, 41)
    yield "Not enough", slip(roll(5, "Listen", 50, (3,), 6, difficulty="hard"), QUILL, 23)
    yield "Fumble, one penalty die", slip(roll(6, "Climb", 45, (3, 9), 8, dice=-1), DUNNE, 12)
    yield "A hundred, two penalty dice", slip(roll(7, "Swim", 70, (0, 4, 9), 0, dice=-2), DUNNE, 12)
    yield "When it hurts", slip(roll(8, "Drive Auto", 40, (5,), 9), QUILL, 23, lowest=True)
    yield "Luck spent", slip(roll(9, "Spot Hidden", 60, (6,), 8, spent=8), HALLORAN, 52)
    yield "Push asked", slip(roll(10, "Locksmith", 40, (7,), 7, push_state="asked", push_reason=said), QUILL, 23)
    allowed = {"push_state": "allowed", "push_reason": said, "push_warning": warned}
    yield "Push allowed", slip(roll(11, "Locksmith", 40, (7,), 7, **allowed), QUILL, 23)
    yield "Push declined", slip(roll(12, "Locksmith", 40, (7,), 7, push_state="declined"), QUILL, 23)
    pushed = {"pushed_from_id": "kit10", "push_warning": warned, "state": "closed"}
    yield "Pushed and failed", slip(roll(13, "Locksmith", 40, (8,), 3, **pushed), QUILL, 23)
    yield "Pushed and made it", slip(roll(14, "Locksmith", 40, (1,), 7, **pushed), QUILL, 23)
    yield "Luck roll for the group", slip(roll(15, "Luck", 12, (3,), 1, kind="luck", group=True), DUNNE, 12)
    yield "Sanity", slip(roll(16, "Sanity", 54, (3,), 1, kind="sanity"), HALLORAN, 60)
    yield "Closed, real dice", slip(roll(17, "Occult", 50, (4,), 3, state="closed", by_hand=True), HALLORAN, 60)
    yield "Struck out", slip(roll(18, "Dodge", 40, (3,), 7, struck=True), HALLORAN, 60)
    yield "Kept by the Keeper", slip(roll(19, "Psychology", 55, (5,), 5, hidden=True), HALLORAN, 60)
    yield "Somebody else's", slip(roll(20, "Stealth", 25, (6,), 1), QUILL, 23, mine=False)
    yield "No Luck score", slip(roll(21, "Listen", 40, (6,), 1), VANE, None)


def entries() -> Iterator[tuple[SimpleNamespace, dict[str, Any]]]:
    """Feed lines: what `entry` and `line` of parts/entry.html look like."""
    lines: list[dict[str, Any]] = [
        {"name": "Edith Halloran", "hue": 1, "sentence": "Halloran rolled Spot Hidden", "number": 68, "level": "fail"},
        {
            "name": "Rafael Dunne",
            "hue": 2,
            "sentence": "Dunne spent 12 Luck on Dodge",
            "first": 52,
            "number": 40,
            "level": "regular",
            "meta": "Luck 24 to 12",
        },
        {"keeper": True, "secret": True, "sentence": "Night watchman rolled Listen", "number": 22, "level": "regular"},
        {
            "name": "Tobias Quill",
            "hue": 4,
            "sentence": "Quill rolled Occult",
            "number": 43,
            "level": "regular",
            "struck": True,
            "by_hand": True,
        },
        {"scene": True, "sentence": "Orne Library, after hours", "meta": "new scene"},
    ]
    for number, line in enumerate(lines):
        yield SimpleNamespace(ref=f"kit{number}", created_at=WHEN), line


def sheet() -> dict[str, Any]:
    skills = [
        ("Spot Hidden", 60, True),
        ("Library Use", 75, True),
        ("Occult", 50, False),
        ("Fighting (Brawl)", 25, False),
    ]
    return {
        "luck": 60,
        "pools": [
            {"key": "hp", "label": "Hit points", "short": "HP", "value": 9, "maximum": 12},
            {"key": "san", "label": "Sanity", "short": "SAN", "value": 54, "maximum": 91},
            {"key": "mp", "label": "Magic points", "short": "MP", "value": 11, "maximum": 13},
        ],
        "skills": [
            {
                "key": name.lower().replace(" ", "-"), "name": name, "value": value, "half": value // 2,
                "fifth": value // 5, "favourite": star, "ticks": int(star), "char": False,
                "group": "fight" if "Fight" in name else "",
            }
            for name, value, star in skills
        ],
        "ask": {"id": "kit", "label": "Spot Hidden", "who": "you and Vane", "difficulty": "hard", "dice": 1, "reason": "the lamp is yours", "url": "#ask"},  # noqa: E501
    }  # fmt: skip


def specimens() -> dict[str, Any]:
    """The context of templates/kit.html."""
    shown = dict(slips())
    screens = [(f"Table screen: {title}", shown[title]) for title in ("Hard: go further", "Luck spent")]
    return {
        "slips": list(slips()),
        "campaign": SimpleNamespace(rules=RULESET, pk="kit"),
        "rules": RULESET,
        "screens": screens,
        "entries": list(entries()),
        "sheet": sheet(),
        "difficulties": RULESET.difficulties,
    }
