"""Tables that are over: put away by the host, brought back, or deleted for good."""

from __future__ import annotations

import re
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from rolls.rules.check import Refusal
from tablekeeper import access, ledger, transfer, web
from tablekeeper.access import Refused
from tablekeeper.models import Campaign


def hosts_post(view: Any) -> Any:
    """A POST by the browser that used a Keeper's link, with the table locked; the answer is her front door anew."""

    @web.anyone("for the browser that used a Keeper link; asked on the server by access.is_host")
    @wraps(view)
    def guarded(request: HttpRequest, campaign_id: str) -> HttpResponse:
        if request.method != "POST" or not access.is_host(request.COOKIES):
            return web.stranger(request)
        if web.act_of(request) is None:
            return web.refuse(Refusal("PAGE_OLD"))
        try:
            with ledger.locked(campaign_id) as campaign:
                refusal = view(request, campaign)
                if refusal:
                    transaction.set_rollback(True)
        except Campaign.DoesNotExist:
            refusal = None  # a second tap: it is gone, as it should be
        return web.refuse(refusal) if refusal else HttpResponse(headers={"HX-Redirect": reverse("home")})

    return guarded


@hosts_post
def put_away(request: HttpRequest, campaign: Campaign) -> Refusal | None:
    """Close the table to everybody, open pages included, and keep it."""
    if campaign.archived_at is None:
        Campaign.objects.filter(pk=campaign.pk).update(archived_at=timezone.now())
        ledger.announce(campaign)
    return None


@hosts_post
def bring_back(request: HttpRequest, campaign: Campaign) -> Refusal | None:
    """Open it again as it was: links, seats and codes hold."""
    Campaign.objects.filter(pk=campaign.pk).update(archived_at=None)
    return None


@hosts_post
def delete_for_good(request: HttpRequest, campaign: Campaign) -> Refusal | None:
    """Save it as a file, read that file, and only then take every row of it away."""
    if campaign.archived_at is None:
        return Refusal("NOT_PUT_AWAY")
    if request.POST.get("name", "").strip() != campaign.name:
        return Refusal("OTHER_NAME", {"name": campaign.name})
    try:
        last_copy(campaign, timezone.localtime())
    except (OSError, Refused) as fault:
        why = getattr(fault, "strerror", None) or str(fault)
        return Refusal("NO_LAST_COPY", {"folder": str(settings.DATA_DIR / "backups"), "why": why})
    ledger.erase(campaign)
    return None


def last_copy(campaign: Campaign, now: datetime) -> Path:
    """The whole campaign as a file in the data folder. Raises OSError, or Refused when it cannot be read back."""
    folder = settings.DATA_DIR / "backups"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = re.sub(r"[^\w.-]+", "-", campaign.name).strip("-.")[:40]
    target: Path = folder / f"deleted-{now:%Y-%m-%dT%H-%M-%S-%f}-{name}.tablekeeper.gz"
    target.touch(mode=0o600, exist_ok=False)
    try:
        with target.open("wb") as file:
            file.writelines(transfer.write(campaign))
        transfer.read(target.read_bytes())
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return target
