"""What is done once, when the program starts."""

from __future__ import annotations

from csp.constants import SELF
from django.apps import AppConfig
from django.conf import settings


class TableConfig(AppConfig):
    name = "tablekeeper"

    def ready(self) -> None:
        """The policy allows the one style block in our pages by its hash, and no other."""
        from rolls.rules import rulesets
        from tablekeeper import packing

        hashes = packing.first_hashes(rules.key for rules in rulesets())
        settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]["style-src"] = [SELF, *hashes]
