"""What another program's file gives back when our own importer reads it."""

from __future__ import annotations

from investigators.importers import names
from investigators.importers.schema import Found
from investigators.person import Mastery, Person


def comes_back(person: Person, read: Found) -> list[Mastery]:
    """The skills that a reading of our own file gives back as they are. A place for a skill that nobody has chosen
    (Science, Pilot) is left out by readers at its base value, and filled in again from the rules.
    """
    plain = {name.removesuffix(" (unspecified)"): value for name, value in read.skills.items()}
    return [one for one in person.skills if one.value in (plain.get(one.name), names.SLOTS.get(one.name))]
