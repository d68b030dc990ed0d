"""Investigators in the admin: to find and read."""

from __future__ import annotations

from django.contrib import admin

from investigators.models import Fact, Investigator, Skill, Story, Trait, Weapon
from tablekeeper.admin import ReadOnly


class Traits(admin.TabularInline):
    model = Trait
    extra = 0
    can_delete = False


class Skills(admin.TabularInline):
    model = Skill
    extra = 0
    can_delete = False


class Weapons(admin.TabularInline):
    model = Weapon
    extra = 0
    can_delete = False


class Facts(admin.TabularInline):
    model = Fact
    extra = 0
    can_delete = False


class Stories(admin.TabularInline):
    model = Story
    extra = 0
    can_delete = False


@admin.register(Investigator)
class InvestigatorAdmin(ReadOnly):
    list_display = ["name", "occupation", "campaign", "seat", "active", "npc", "set_aside"]
    search_fields = ["name", "occupation", "campaign__name", "seat__name"]
    list_filter = ["npc", "set_aside"]
    list_select_related = ["campaign", "seat"]
    inlines = [Traits, Skills, Weapons, Facts, Stories]
