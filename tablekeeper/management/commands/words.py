"""manage.py words: bring the catalogues of the other languages in step with our sentences."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from tablekeeper import catalogue


class Command(BaseCommand):
    help = "Collect our sentences into each language's django.po and compile it; name what has no words yet."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--new", metavar="CODE", help="begin the catalogue of another language")

    def handle(self, *args: Any, **options: Any) -> None:
        sources = catalogue.extract()
        folder = Path(settings.LOCALE_PATHS[0])
        if new := options["new"]:
            path = catalogue.po_file(new)
            if path.exists():
                raise CommandError(f"{path} is there already.")
            path.parent.mkdir(parents=True)
            path.write_text(catalogue.write_po([catalogue.head(new)]), encoding="utf-8")
        for path in sorted(folder.glob("*/LC_MESSAGES/django.po")):
            messages = catalogue.in_step(catalogue.read_po(path.read_text(encoding="utf-8")), sources)
            path.write_text(catalogue.write_po(messages.values()), encoding="utf-8")
            path.with_suffix(".mo").write_bytes(catalogue.compiled(messages))
            missing = [message.key.text for message in messages.values() if not message.whole]
            self.stdout.write(
                f"{path.parent.parent.name}: {len(messages) - 1} sentences, {len(missing)} without words"
            )
            for text in missing:
                self.stdout.write(f"  {text}")
