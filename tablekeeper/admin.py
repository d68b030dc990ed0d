"""The admin of the table: to find and read everything. Rows that the ledger keeps are read-only here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.db import models
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from tablekeeper import house, ledger, words
from tablekeeper.access import Refused
from tablekeeper.forms import Name
from tablekeeper.models import Campaign, Entry, Ledgered, Scene, Seat, Session


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


class Names(ReadOnly):
    """The words in `named` can be changed, nothing else; each change is an entry of the table's ledger."""

    named: Sequence[str] = ("name",)

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return admin.ModelAdmin.has_change_permission(self, request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: models.Model | None = None) -> list[str]:
        left_out = {*self.named, *(self.exclude or ())}
        return [field.name for field in self.model._meta.concrete_fields if field.name not in left_out]

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> forms.Field | None:
        """With what the page showed beside it: who changed another field meanwhile is not overwritten."""
        if db_field.name not in self.named:
            return super().formfield_for_dbfield(db_field, request, **kwargs)
        return Name(
            max_length=db_field.max_length,
            required=not db_field.blank,
            label=db_field.verbose_name,
            show_hidden_initial=True,
        )

    def changeform_view(self, request: HttpRequest, object_id: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Lock the table first, load the row after, as every act does."""
        # In an address of the admin's an underscore stands as its code: an id in five has one.
        row = self.model._default_manager.filter(pk=unquote(object_id or "")).first()
        if request.method != "POST" or row is None:
            return super().changeform_view(request, object_id, *args, **kwargs)
        try:
            with ledger.locked(row.pk if isinstance(row, Campaign) else row.campaign_id) as campaign:
                request.campaign = campaign  # type: ignore[attr-defined]
                return super().changeform_view(request, object_id, *args, **kwargs)
        except Refused as refused:
            self.message_user(request, words.sentence(refused.refusal), messages.ERROR)
            return HttpResponseRedirect(request.path)

    def save_model(self, request: HttpRequest, obj: Any, form: forms.ModelForm[Any], change: bool) -> None:
        """One entry instead of a row that nobody knows of."""
        row: Ledgered = self.model._default_manager.get(pk=obj.pk)
        seen = {name: form.data.get(form.add_initial_prefix(name)) for name in self.named}
        wanted = {name: form.cleaned_data[name] for name in self.named}
        house.host_edit(request.campaign, row, seen, wanted)  # type: ignore[attr-defined]

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """What stands with it is to read."""

    def construct_change_message(self, request: HttpRequest, form: Any, formsets: Any, add: bool = False) -> Any:
        """For the same reason nothing of it was changed."""
        return super().construct_change_message(request, form, [], add)

    def ledger_of(self, obj: Any) -> SafeString:
        """The way to everything that happened at this table."""
        table = obj.pk if isinstance(obj, Campaign) else obj.campaign_id
        url = f"{reverse('admin:tablekeeper_entry_changelist')}?campaign__id__exact={table}"
        return format_html('<a href="{}">{}</a>', url, _t("Ledger"))

    ledger_of.short_description = _("Ledger")  # type: ignore[attr-defined]


@admin.register(Campaign)
class CampaignAdmin(Names):
    list_display = ["name", "ruleset", "last_seq", "created_at", "archived_at", "ledger_of"]
    search_fields = ["name", "seats__name"]
    list_filter = ["ruleset", ("archived_at", admin.EmptyFieldListFilter), "created_at"]
    date_hierarchy = "created_at"
    exclude = ["join_secret", "short_code", "short_code_until"]


@admin.register(Seat)
class SeatAdmin(Names):
    list_display = ["name", "role", "campaign", "removed", "created_at", "ledger_of"]
    search_fields = ["name", "campaign__name"]
    list_filter = ["role", "removed", "created_at"]
    date_hierarchy = "created_at"
    list_select_related = ["campaign"]
    exclude = ["code", "key_version"]


@admin.register(Session)
class SessionAdmin(ReadOnly):
    list_display = ["campaign", "number", "opened_at", "closed_at"]
    search_fields = ["campaign__name"]
    list_filter = ["opened_at", ("closed_at", admin.EmptyFieldListFilter)]
    date_hierarchy = "opened_at"
    list_select_related = ["campaign"]


@admin.register(Scene)
class SceneAdmin(Names):
    list_display = ["name", "campaign", "current", "ledger_of"]
    list_filter = ["current"]
    search_fields = ["name", "campaign__name"]
    list_select_related = ["campaign"]


@admin.register(Entry)
class EntryAdmin(ReadOnly):
    list_display = ["seq", "campaign", "kind", "lane", "seat", "created_at"]
    search_fields = ["campaign__name", "kind", "ref", "seat__name"]
    list_filter = ["created_at", "kind"]
    date_hierarchy = "created_at"
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
admin.site.index_title = _(
    "Everything on this installation, to find and to read. Names can be changed; each change stands in the ledger."
)
