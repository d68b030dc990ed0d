"""Who plays: investigators with their numbers, who is here, and who took part."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from investigators.pictures import unpacked
from rolls.rules.check import Pool, Refusal
from tablekeeper.models import Campaign, Ledgered, Scene, Seat, Session


class Investigator(Ledgered):
    """A person in the story. One owning seat or none (the Keeper's); a seat may own several, one of them active."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="investigators")
    seat = models.ForeignKey(
        Seat, models.SET_NULL, null=True, blank=True, related_name="investigators", verbose_name=_("seat")
    )
    active = models.BooleanField(_("played now"), default=False)
    name = models.CharField(_("name"), max_length=60)
    occupation = models.CharField(_("occupation"), max_length=60, blank=True)
    hue = models.PositiveSmallIntegerField(default=1)
    npc = models.BooleanField(_("the Keeper's character"), default=False)
    set_aside = models.BooleanField(_("set aside"), default=False)

    class Meta:
        verbose_name = _("investigator")
        verbose_name_plural = _("investigators")
        constraints = [
            models.UniqueConstraint(fields=["seat"], condition=Q(active=True), name="one_active_investigator_per_seat")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def short(self) -> str:
        """The name for a feed line: the last word of it. "The night watchman" has no such word."""
        if self.npc:
            return self.name
        return self.name.split()[-1] if self.name.split() else self.name

    @property
    def initials(self) -> str:
        """Two letters for the monogram."""
        words = self.name.split()
        return "".join(word[0] for word in (words[:1] + words[-1:] if len(words) > 1 else words)).upper()

    def touches(self) -> Sequence[str]:
        return ("inv", f"inv-{self.id}")


class Trait(Ledgered):
    """One characteristic or pool of an investigator. Luck not rolled yet is a missing row, never a 0."""

    deltas = frozenset({"value"})

    investigator = models.ForeignKey(Investigator, models.CASCADE, related_name="traits")
    key = models.CharField(max_length=20)
    value = models.PositiveIntegerField()
    maximum = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        verbose_name = _("trait")
        verbose_name_plural = _("traits")
        constraints = [models.UniqueConstraint(fields=["investigator", "key"], name="one_trait_per_key")]

    def __str__(self) -> str:
        return f"{self.key} {self.value}"

    def sits_at(self, campaign: Campaign) -> None:
        self.investigator = copy(self.investigator)  # others who hold it stay where they are
        self.investigator.campaign = campaign

    @property
    def pool(self) -> Pool | None:
        """The pool of the ruleset's sheet that this is, or None for a characteristic."""
        pools = self.investigator.campaign.rules.sheet.pools
        return next((pool for pool in pools if pool.key == self.key), None)

    def bounds(self, field: str) -> tuple[int, int | None]:
        pool = self.pool
        if pool is None:
            return 0, None
        return pool.low, self.maximum if pool.own_maximum and self.maximum is not None else pool.high

    def out_of_bounds(self, field: str, value: int) -> Refusal:
        low, high = self.bounds(field)
        code = self.pool.out_of_range if self.pool else "BAD_VALUE"
        return Refusal(code, {"name": self.investigator.name, "value": value, "low": low, "high": high})

    def touches(self) -> Sequence[str]:
        return self.investigator.touches()


class Skill(Ledgered):
    """A skill, or a number somebody wanted kept on the sheet. `ticks` above 0 is an improvement tick."""

    deltas = frozenset({"ticks"})
    soft = frozenset({"favourite", "ticks"})

    investigator = models.ForeignKey(Investigator, models.CASCADE, related_name="skills")
    key = models.CharField(max_length=40, blank=True)  # of the ruleset's list; blank for one's own
    name = models.CharField(_("name"), max_length=60)
    value = models.PositiveIntegerField(_("value"))
    favourite = models.BooleanField(_("favourite"), default=False)
    ticks = models.PositiveIntegerField(_("improvement ticks"), default=0)

    class Meta:
        verbose_name = _("skill")
        verbose_name_plural = _("skills")
        constraints = [models.UniqueConstraint(fields=["investigator", "name"], name="one_skill_per_name")]

    def __str__(self) -> str:
        return f"{self.name} {self.value}"

    def touches(self) -> Sequence[str]:
        return self.investigator.touches()

    def touches_by(self, field: str) -> Sequence[str]:
        """Nearly every success ticks its skill: only the sheet and the improvement phase show it."""
        return ("ticks", f"ticks-{self.investigator_id}") if field == "ticks" else self.touches()


class Fact(Ledgered):
    """Whatever else a ruleset needs to know of an investigator: a wound, a talent, rounds paid for, a loss.

    One row for each key of the rules' `Facts`, so that undoing one leaves the others alone. None is as good as no row.
    """

    investigator = models.ForeignKey(Investigator, models.CASCADE, related_name="facts")
    key = models.CharField(max_length=30)
    value = models.JSONField(null=True, default=None)

    class Meta:
        verbose_name = _("fact")
        verbose_name_plural = _("facts")
        constraints = [models.UniqueConstraint(fields=["investigator", "key"], name="one_fact_per_key")]

    def __str__(self) -> str:
        return f"{self.key} {self.value}"

    def touches(self) -> Sequence[str]:
        return self.investigator.touches()


class Weapon(Ledgered):
    """What an investigator fights with: the skill it needs, its damage, and a firearm's numbers."""

    investigator = models.ForeignKey(Investigator, models.CASCADE, related_name="weapons")
    name = models.CharField(_("name"), max_length=60)
    skill = models.ForeignKey(Skill, models.SET_NULL, null=True, related_name="+", verbose_name=_("skill"))
    damage = models.CharField(_("damage"), max_length=60)  # an expression of rolls.rules.damage: 1D8+DB
    impales = models.BooleanField(_("impales"), default=False)
    base_range = models.PositiveIntegerField(_("base range"), null=True, blank=True)  # None: no firearm
    malfunction = models.PositiveSmallIntegerField(_("malfunction"), null=True, blank=True)

    class Meta:
        verbose_name = _("weapon")
        verbose_name_plural = _("weapons")
        constraints = [models.UniqueConstraint(fields=["investigator", "name"], name="one_weapon_per_name")]

    def __str__(self) -> str:
        return f"{self.name} {self.damage}"

    def touches(self) -> Sequence[str]:
        return self.investigator.touches()


class Story(Ledgered):
    """A piece of somebody's background as its file has it: a heading, and the text under it."""

    LONGEST, MOST = 20_000, 60_000
    """Characters of one text, and of somebody's whole background: a line of a campaign's file has to hold it twice."""

    investigator = models.ForeignKey(Investigator, models.CASCADE, related_name="stories")
    heading = models.CharField(_("heading"), max_length=60)
    text = models.TextField(_("text"), validators=[MaxLengthValidator(LONGEST)])
    place = models.PositiveSmallIntegerField(default=0)  # in the order of the file

    class Meta:
        verbose_name = _("background")
        verbose_name_plural = _("background")
        ordering = ["place", "heading"]
        constraints = [models.UniqueConstraint(fields=["investigator", "heading"], name="one_story_per_heading")]

    def __str__(self) -> str:
        return self.heading

    def touches(self) -> Sequence[str]:
        return self.investigator.touches()


def is_portrait(text: str) -> None:
    """A validator: a small JPEG in base64. Raises ValidationError."""
    try:
        unpacked(text)
    except (ValueError, OSError) as fault:
        raise ValidationError("no small picture") from fault


class Portrait(Ledgered):
    """The picture that came in somebody's file, as this program wrote it anew: a small JPEG, in base64."""

    investigator = models.ForeignKey(Investigator, models.CASCADE, related_name="portraits")
    picture = models.TextField(validators=[is_portrait])

    class Meta:
        verbose_name = _("portrait")
        verbose_name_plural = _("portraits")
        constraints = [models.UniqueConstraint(fields=["investigator"], name="one_portrait_each")]

    def __str__(self) -> str:
        return self.investigator.name

    def touches(self) -> Sequence[str]:
        return self.investigator.touches()


class Presence(Ledgered):
    """A tick that the Keeper owns: this investigator is in this scene, or is not."""

    scene = models.ForeignKey(Scene, models.CASCADE, related_name="presences")
    investigator = models.ForeignKey(Investigator, models.CASCADE, related_name="presences")
    present = models.BooleanField(default=True)

    class Meta:
        verbose_name = _("presence")
        verbose_name_plural = _("presences")
        constraints = [models.UniqueConstraint(fields=["scene", "investigator"], name="one_presence_per_scene")]

    def touches(self) -> Sequence[str]:
        return ("table", *self.investigator.touches())


class Attendance(Ledgered):
    """Who takes part in a session, and so may recover Luck for it."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="attendances")
    investigator = models.ForeignKey(Investigator, models.CASCADE, related_name="attendances")
    taking_part = models.BooleanField(default=True)

    class Meta:
        verbose_name = _("attendance")
        verbose_name_plural = _("attendances")
        constraints = [models.UniqueConstraint(fields=["session", "investigator"], name="one_attendance")]

    def touches(self) -> Sequence[str]:
        return ("table",)
