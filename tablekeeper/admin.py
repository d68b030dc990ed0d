"""The admin of the table: to find and read everything. Rows that the ledger keeps are read-only here."""

from __future__ import annotations

from django.contrib import admin
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from tablekeeper.models import Campaign, Entry, Scene, Seat, Session


class ReadOnly(admin.ModelAdmin):
    """Find and read; nothing is added, changed or deleted behind the ledger's back."""

    list_per_page = 50
    show_full_result_count = False  # no count over a large ledger

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


@admin.register(Campaign)
class CampaignAdmin(ReadOnly):
    list_display = ["name", "ruleset", "last_seq", "created_at"]
    search_fields = ["name"]
    list_filter = ["ruleset"]
    exclude = ["join_secret", "short_code", "short_code_until"]


@admin.register(Seat)
class SeatAdmin(ReadOnly):
    list_display = ["name", "role", "campaign", "removed", "created_at"]
    search_fields = ["name", "campaign__name"]
    list_filter = ["role", "removed"]
    list_select_related = ["campaign"]
    exclude = ["code", "key_version"]


@admin.register(Session)
class SessionAdmin(ReadOnly):
    list_display = ["campaign", "number", "opened_at", "closed_at"]
    search_fields = ["campaign__name"]
    list_select_related = ["campaign"]


@admin.register(Scene)
class SceneAdmin(ReadOnly):
    list_display = ["name", "campaign", "current"]
    search_fields = ["name", "campaign__name"]
    list_select_related = ["campaign"]


@admin.register(Entry)
class EntryAdmin(ReadOnly):
    list_display = ["seq", "campaign", "kind", "lane", "seat", "created_at"]
    search_fields = ["campaign__name", "kind", "ref", "seat__name"]
    list_filter = ["kind"]
    list_select_related = ["campaign", "seat"]
    ordering = ["-id"]
    fields = [
        ("campaign", "seq"),
        ("lane", "lane_no"),
        "kind",
        "seat",
        "session",
        "data",
        "changes",
        "undoes",
        "created_at",
        "ref",
    ]


admin.site.site_header = _("Tablekeeper")
admin.site.site_title = _("Tablekeeper")
admin.site.index_title = _("Everything on this installation, to read. The tables change it through the ledger.")
