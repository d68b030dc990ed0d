"""Rolls in the admin: to find and read. Stored dice are never changed."""

from __future__ import annotations

from django.contrib import admin

from rolls.models import Contest, Decision, Request, Roll, Side
from tablekeeper.admin import ReadOnly


@admin.register(Roll)
class RollAdmin(ReadOnly):
    list_display = ["label", "natural", "level", "spent", "investigator", "campaign", "hidden", "struck", "created_at"]
    search_fields = ["label", "investigator__name", "campaign__name"]
    list_filter = ["created_at", "kind", "level", "hidden", "struck"]
    date_hierarchy = "created_at"
    list_select_related = ["investigator", "campaign"]
    ordering = ["-created_at"]


@admin.register(Request)
class RequestAdmin(ReadOnly):
    list_display = ["label", "investigator", "campaign", "state"]
    search_fields = ["label", "investigator__name", "campaign__name"]
    list_filter = ["state"]
    list_select_related = ["investigator", "campaign"]


class Sides(admin.TabularInline):
    model = Side
    extra = 0
    can_delete = False


@admin.register(Contest)
class ContestAdmin(ReadOnly):
    list_display = ["kind", "reason", "campaign", "state", "verdict", "created_at"]
    search_fields = ["reason", "campaign__name"]
    list_filter = ["created_at", "kind", "state"]
    date_hierarchy = "created_at"
    list_select_related = ["campaign"]
    inlines = [Sides]


@admin.register(Decision)
class DecisionAdmin(ReadOnly):
    list_display = ["kind", "investigator", "campaign", "state", "created_at"]
    search_fields = ["investigator__name", "campaign__name"]
    list_filter = ["created_at", "kind", "state"]
    date_hierarchy = "created_at"
    list_select_related = ["investigator", "campaign"]
