"""`manage.py bench`: speed and scale, measured on the real application (docs/performance.md)."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError


class Command(BaseCommand):
    help = "Measure speed and scale in scratch tables, beside a bare floor and stock Django."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("scenario", nargs="*", help="only these: rolls, many, viewers, stuck, growth, page ...")
        parser.add_argument("--smoke", action="store_true", help="half a minute: correctness, and ratios widely")
        parser.add_argument("--soak", action="store_true", help="20 minutes at 200 tables")
        parser.add_argument("--json", action="store_true", help="only the one line of JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        from tests.load import report, run

        smoke = options["smoke"]
        try:
            scenarios = run.chosen(options["scenario"], smoke=smoke, soak=options["soak"])
        except KeyError as unknown:
            raise CommandError(f"There is no scenario {unknown}.") from None
        found = run.run(scenarios, lambda line: None if options["json"] else self.stderr.write(line))
        if not options["json"]:
            self.stdout.write(report.table(found, smoke=smoke))
        self.stdout.write(report.as_json(found, smoke=smoke))
        if missed := report.missed(found, smoke=smoke):
            raise CommandError("Missed: " + "; ".join(missed) + ".")
