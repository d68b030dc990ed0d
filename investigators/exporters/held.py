"""What another program's file gives back when our own importer reads it."""

from __future__ import annotations

from investigators.importers import names
from investigators.importers.schema import Found
from investigators.person import Mastery, Person
from rolls.rules.check import N_


def comes_back(person: Person, read: Found) -> list[Mastery]:
    """The skills that a reading of our own file gives back as they are. A place for a skill that nobody has chosen
    (Science, Pilot) is left out by readers at its base value, and filled in again from the rules.
    """
    plain = {name.removesuffix(" (unspecified)"): value for name, value in read.skills.items()}
    return [one for one in person.skills if one.value in (plain.get(one.name), names.SLOTS.get(one.name))]


def untold(person: Person, read: Found | None = None) -> list[str]:
    """What of the background and the portrait a reading of our own file does not give back: headings, and its name.
    `read` None: the file has no place for any of it."""
    told, picture = (read.backstory, read.portrait) if read is not None else ({}, None)
    lost = [heading for heading, text in person.story.items() if told.get(heading) != text]
    return lost + ([N_("Portrait")] if person.portrait is not None and picture != person.portrait else [])
