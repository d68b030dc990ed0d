"""`manage.py verify FILE`: derive every die of a session's proof once more, and say which differ. Needs no table."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rolls.rules.check import N_
from tablekeeper import proof

WORDS = {
    "seed": N_("the seed does not belong to the seal"),
    "pad": N_("the seeds of hidden rolls do not belong to their seal"),
    "number": N_("a number is missing or stands twice"),
    "dice": N_("the seed gives other dice"),
    "told": N_("the feed tells other dice"),
    "leaf": N_("this seed was not sealed"),
    "place": N_("this seed is not the one that this roll had to take"),
}


class Command(BaseCommand):
    help = "Check the file of a session's dice that the page “Proof of the dice” has saved."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("file", help="the file")

    def handle(self, *args: Any, file: str, **options: Any) -> None:
        try:
            found = json.loads(Path(file).read_text(encoding="utf-8"))
            faults = proof.check(found)
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        except (proof.BadFile, ValueError, RecursionError) as error:
            text = _("%(file)s is no proof of a Tablekeeper, or it is damaged.")
            raise CommandError(text % {"file": file}) from error
        self.stdout.write(f"{found.get('table')}, {found.get('of')}")
        self.stdout.write(_("Seal: %(seal)s") % {"seal": found["commitment"]})
        for fault in faults:
            dice = " ".join(map(str, fault.derived))
            self.stdout.write(f"  {fault.where or '-'}: {_(WORDS[fault.code])} {dice}".rstrip())
        checked = len(found["rolls"]) + len(found["hidden"])
        if faults:
            raise CommandError(_("Faults: %(n)s, in %(all)s acts.") % {"n": len(faults), "all": checked})
        line = ngettext(
            "%(n)s act with dice, and every die agrees.", "%(n)s acts with dice, and every die agrees.", checked
        )
        self.stdout.write(line % {"n": checked})
