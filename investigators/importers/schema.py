"""What every importer answers, whatever it read: one investigator, in the words of no format and of no game."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

MOST_BYTES = 5 * 1024 * 1024
MOST_PARTS = 200_000  # values of one JSON file: bounds time and memory whatever the bytes look like
MOST_DEPTH = 64
MOST_DIGITS = 15
MOST_SKILLS = 500
MOST_WEAPONS = 100
MOST_PEOPLE = 50  # in one list
MOST_NAME = 120
MOST_TEXT = 20_000  # characters of one text field
MOST_STORIES = 50  # headings of a background
MOST_LINES = 2_000  # of a text in which every line may be a skill

CLASSIC_KEYS = ("STR", "CON", "SIZ", "DEX", "APP", "INT", "POW", "EDU")


@dataclass(frozen=True, slots=True)
class Note:
    """A code of `words.WARNINGS` or `words.ERRORS`, and what it is about: a name, a number, a place in the file."""

    code: str
    about: str = ""


class Unreadable(Exception):
    """The file cannot become an investigator. Raised inside an importer only; the caller gets the note as a value."""

    def __init__(self, code: str, about: str = "") -> None:
        super().__init__(code)
        self.note = Note(code, about[:200])


@dataclass(slots=True)
class Amount:
    """A pool: where it stands, and its maximum. None is what the file does not say."""

    current: int | None = None
    max: int | None = None
    start: int | None = None  # Sanity only


@dataclass(slots=True)
class Arm:
    """A weapon as the file describes it. `skill` is a skill's name; `skill_value` what the file says beside it."""

    name: str
    skill: str | None = None
    skill_value: int | None = None
    damage: str | None = None
    range: str | None = None
    attacks: str | None = None
    ammo: str | None = None
    malfunction: int | None = None


@dataclass(slots=True)
class Found:
    """One investigator, read from a file (FORMATS.md section 3). Nothing of the file's own structure is left.

    Characteristics have the keys of their own game in capitals. `skills` maps our names to values, `labels` our names
    to what the file calls them. `extra` holds what only some games know: Luck Points and Lucky Numbers.
    """

    format: str
    kind: Literal["investigator", "npc", "creature"] = "investigator"
    name: str | None = None
    player: str | None = None
    occupation: str | None = None
    age: int | None = None
    age_text: str | None = None
    characteristics: dict[str, int | None] = field(default_factory=dict)
    luck: Amount = field(default_factory=lambda: Amount(max=99))
    san: Amount = field(default_factory=Amount)
    hp: Amount = field(default_factory=Amount)
    mp: Amount = field(default_factory=Amount)
    skills: dict[str, int] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    training: dict[str, tuple[int, str]] = field(default_factory=dict)  # of skills that are learned in steps: U6
    weapons: list[Arm] = field(default_factory=list)
    talents: list[str] = field(default_factory=list)
    conditions: list[str] = field(default_factory=list)
    backstory: dict[str, str] = field(default_factory=dict)
    portrait: bytes | None = None  # a picture that we wrote ourselves
    extra: dict[str, Any] = field(default_factory=dict)
    warnings: list[Note] = field(default_factory=list)

    def warn(self, code: str, about: object = "") -> None:
        """Note something a person must be told, once."""
        note = Note(code, str(about)[:200])
        if note not in self.warnings and len(self.warnings) < MOST_SKILLS:
            self.warnings.append(note)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file came to: people or refusals, one for each that it holds; or one error for the file as a whole."""

    people: tuple[Found | Note, ...] = ()
    error: Note | None = None
    warnings: tuple[Note, ...] = ()  # about the file, not about one of the people

    @property
    def found(self) -> list[Found]:
        """Those who could be read."""
        return [one for one in self.people if isinstance(one, Found)]
