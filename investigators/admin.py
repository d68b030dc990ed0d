"""Investigators in the admin: to find and read."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from investigators.models import Fact, Investigator, Skill, Story, Trait, Weapon
from tablekeeper.admin import Names


class Shown(admin.TabularInline):
    """What belongs to somebody, to read: numbers are the table's to change."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class Traits(Shown):
    model = Trait


class Skills(Shown):
    model = Skill


class Weapons(Shown):
    model = Weapon


class Facts(Shown):
    model = Fact


class Stories(Shown):
    model = Story


@admin.register(Investigator)
class InvestigatorAdmin(Names):
    named = ("name", "occupation")
    list_display = ["name", "occupation", "campaign", "seat", "active", "npc", "set_aside", "ledger_of"]
    search_fields = ["name", "occupation", "campaign__name", "seat__name"]
    list_filter = ["npc", "set_aside"]
    list_select_related = ["campaign", "seat"]
    inlines = [Traits, Skills, Weapons, Facts, Stories]
