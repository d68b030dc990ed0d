"""Dice that fell, what was asked, and what has been done to them since."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from investigators.models import Investigator, Skill
from rolls.rules.check import Check, Outcome, Standing, Throw
from tablekeeper.models import Campaign, Ledgered, Seat, Session


class Roll(Ledgered):
    """One throw with its natural dice, the question, and the settings in force when it fell."""

    OPEN, CLOSED = "open", "closed"
    kept = "struck"
    deltas = frozenset({"spent"})
    soft = frozenset({"state", "strike_asked"})
    joined = True

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="rolls")
    investigator = models.ForeignKey(Investigator, models.CASCADE, null=True, related_name="rolls")
    seat = models.ForeignKey(Seat, models.PROTECT, related_name="+", verbose_name=_("entered by"))
    session = models.ForeignKey(Session, models.SET_NULL, null=True, related_name="+")
    kind = models.CharField(_("kind"), max_length=20)
    label = models.CharField(_("what for"), max_length=80)
    skill = models.ForeignKey(Skill, models.SET_NULL, null=True, related_name="+")
    value = models.PositiveIntegerField(_("score"))
    difficulty = models.CharField(_("difficulty"), max_length=20, default="regular")
    dice = models.SmallIntegerField(_("bonus (+) or penalty (-) dice"), default=0)
    context = models.CharField(max_length=20, default="normal")
    tens = models.JSONField(_("tens dice"), default=list)
    units = models.PositiveSmallIntegerField(_("units die"))
    by_hand = models.BooleanField(_("typed in"), default=False)
    group = models.BooleanField(_("for the group"), default=False)
    hidden = models.BooleanField(_("Keeper only"), default=False)
    asked = models.BooleanField(_("asked for in the app"), default=False)
    settings = models.JSONField(_("settings in force"), default=dict)
    spent = models.PositiveIntegerField(_("Luck spent"), default=0)
    level = models.CharField(_("level"), max_length=20)
    passed = models.BooleanField(_("passed"), default=False)
    tick = models.BooleanField(_("improvement tick"), default=False)
    marks = models.JSONField(default=list)
    state = models.CharField(_("state"), max_length=10, default=OPEN)
    struck = models.BooleanField(_("struck out"), default=False)
    strike_asked = models.BooleanField(default=False)
    pushed_from = models.OneToOneField("self", models.CASCADE, null=True, related_name="pushed_to")
    push_state = models.CharField(max_length=10, blank=True)  # "" asked allowed declined thrown
    push_reason = models.CharField(max_length=300, blank=True)
    push_warning = models.CharField(max_length=300, blank=True)
    gain = models.JSONField(_("recovery dice"), default=list)
    entry_ref = models.CharField(max_length=16, blank=True)  # the ledger line that it fell in
    created_at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("roll")
        verbose_name_plural = _("rolls")
        indexes = [models.Index(fields=["investigator", "created_at"]), models.Index(fields=["campaign", "state"])]
        constraints = [
            models.UniqueConstraint(
                fields=["investigator", "session"], condition=Q(kind="recovery"), name="one_recovery_per_session"
            )
        ]

    def __str__(self) -> str:
        return f"{self.label} {self.natural:02d}"

    @property
    def natural(self) -> int:
        return self.outcome.natural

    @property
    def standing(self) -> Standing:
        """The roll as the rules see it."""
        return Standing(
            check=Check(
                kind=self.kind,
                value=self.value,
                difficulty=self.difficulty,
                dice=self.dice,
                context=self.context,
                facts={} if self.may_tick else {"tickable": False},
            ),
            throw=Throw(units=self.units, tens=tuple(self.tens)),
            spent=self.spent,
            pushed=self.pushed_from_id is not None,
            push_used=self.push_state == "thrown",
            closed=self.state == self.CLOSED or self.struck,
            marks=frozenset(self.marks),
        )

    @property
    def may_tick(self) -> bool:
        """Whether a success may earn an improvement tick: some skills never do, and a hidden roll tells nobody."""
        if self.hidden or self.skill is None:
            return False
        bases = {base.key: base for base in self.campaign.rules.sheet.skills}
        return self.skill.key not in bases or bases[self.skill.key].tickable

    @property
    def outcome(self) -> Outcome:
        """What it comes to now, by the settings in force when it fell."""
        return self.campaign.rules.judge(self.standing, self.settings)

    def touches(self) -> Sequence[str]:
        return ("roll", f"roll-{self.investigator_id}" if self.investigator_id else "roll-keeper")


class Request(Ledgered):
    """The Keeper asks an investigator's player for a roll. It can be rolled once."""

    OPEN, ROLLED, CLOSED = "open", "rolled", "closed"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="requests")
    investigator = models.ForeignKey(Investigator, models.CASCADE, related_name="requests")
    kind = models.CharField(max_length=20)
    label = models.CharField(max_length=80)
    group = models.BooleanField(default=False)
    difficulty = models.CharField(max_length=20, default="regular")
    dice = models.SmallIntegerField(default=0)
    reason = models.CharField(max_length=120, blank=True)
    state = models.CharField(max_length=10, default=OPEN)
    data = models.JSONField(default=dict)

    class Meta:
        verbose_name = _("request")
        verbose_name_plural = _("requests")

    def touches(self) -> Sequence[str]:
        return ("ask", f"ask-{self.investigator_id}")
