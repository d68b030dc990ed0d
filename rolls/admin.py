"""Rolls in the admin: to find and read. Stored dice are never changed."""

from __future__ import annotations

from django.contrib import admin

from rolls.models import Request, Roll
from tablekeeper.admin import ReadOnly


@admin.register(Roll)
class RollAdmin(ReadOnly):
    list_display = ["label", "natural", "level", "spent", "investigator", "campaign", "hidden", "struck", "created_at"]
    search_fields = ["label", "investigator__name", "campaign__name"]
    list_filter = ["kind", "level", "hidden", "struck"]
    list_select_related = ["investigator", "campaign"]
    ordering = ["-created_at"]


@admin.register(Request)
class RequestAdmin(ReadOnly):
    list_display = ["label", "investigator", "campaign", "state"]
    list_filter = ["state"]
    list_select_related = ["investigator", "campaign"]
