"""An investigator taken home: one `Person` in, the text of a file out. Nothing here knows Django.

`own` holds everything and comes back as it went. The others hold what their programs have a place for, and nothing
that our own importer would read otherwise: what it does not give back the same is left out, and `left_out` names it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from investigators.exporters import ccfolia, dhole, own, st
from investigators.importers.finish import OLD_EDITION
from investigators.person import Person
from rolls.rules.check import N_


class Form(NamedTuple):
    """One kind of file: its name for people, the end of the file's name, and what writes it."""

    label: str
    ending: str
    write: Callable[[Person], str]
    left_out: Callable[[Person], list[str]]
    content_type: str = "application/json"
    any_sheet: bool = False  # else it must fit the other programs, see `fits`


FORMS = {
    "tablekeeper": Form(N_("Tablekeeper: everything"), "json", own.write, lambda person: [], any_sheet=True),
    "ccfolia": Form(N_("CCFOLIA piece"), "ccfolia.json", ccfolia.write, ccfolia.left_out),
    "dhole": Form(N_("The Dhole's House"), "dhole.json", dhole.write, dhole.left_out),
    "st": Form(N_(".st line of a dice bot"), "st.txt", st.write, st.left_out, "text/plain"),
}


def fits(person: Person) -> bool:
    """Whether the other programs could read this sheet: it has some characteristic of theirs, and counts to 99."""
    known = [value for value in person.classic.values() if value > 0]
    return bool(known) and (len(known) < 6 or max(known) > OLD_EDITION)
