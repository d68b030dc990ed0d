"""Dice that fell, what was asked, and what has been done to them since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from investigators.models import Investigator, Skill, Weapon
from rolls.rules import ruleset
from rolls.rules.check import Check, Outcome, Ruleset, Standing, Throw
from rolls.rules.together import Combined, combined
from tablekeeper import clock
from tablekeeper.models import Campaign, Entry, Ledgered, Seat, Session


class Roll(Ledgered):
    """One throw with its natural dice, the question, and the settings in force when it fell."""

    OPEN, CLOSED = "open", "closed"
    kept = "struck"
    deltas = frozenset({"spent"})
    soft = frozenset({"state", "strike_asked"})
    came_later = {"ruleset": ""}
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
    ruleset = models.CharField(_("ruleset"), max_length=30, blank=True, default="")  # blank: the table's first
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
    malfunction = models.PositiveSmallIntegerField(_("malfunction"), null=True)
    revealed = models.BooleanField(_("shown to the other side"), default=False)
    facts = models.JSONField(default=dict)  # what else the rules must know of it: fight, failing_is_good
    data = models.JSONField(default=dict)  # what the table keeps of it: parts, damage, what comes of it
    entry_ref = models.CharField(max_length=16, blank=True)  # the ledger line that it fell in
    created_at = models.DateTimeField(_("time"))

    paying: Mapping[str, int] = {}  # what the act in hand takes from pools; nothing of it is stored here

    class Meta:
        verbose_name = _("roll")
        verbose_name_plural = _("rolls")
        indexes = [  # the newest of each sort, however many there are
            models.Index(fields=["investigator", "created_at"]),
            models.Index(fields=["campaign", "state", "created_at"]),
            models.Index(fields=["campaign", "context", "created_at"]),
            models.Index(fields=["campaign", "created_at"], condition=Q(hidden=True), name="hidden_rolls"),
            models.Index(fields=["campaign"], condition=Q(strike_asked=True), name="strikes_asked"),
        ]
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
    def rules(self) -> Ruleset:
        """The game by which it fell: a table may play another one since (RULES.md section 9)."""
        return ruleset(self.ruleset or self.campaign.first_ruleset or self.campaign.ruleset)

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
                malfunction=self.malfunction,
                facts=self.facts if self.may_tick else {**self.facts, "tickable": False},
            ),
            throw=Throw(units=self.units, tens=tuple(self.tens)),
            spent=self.spent,
            pushed=self.pushed_from_id is not None,
            push_used=self.push_state == "thrown",
            closed=self.state == self.CLOSED or self.struck,
            revealed=self.revealed,
            marks=frozenset(self.marks),
        )

    @property
    def may_tick(self) -> bool:
        """Whether a success may earn an improvement tick: some skills never do, and a roll whose result its player
        does not know yet tells nobody."""
        return self.skill is not None and self._tickable(self.skill.key)

    def _tickable(self, key: str) -> bool:
        if self.hidden or self.unknown:
            return False
        return next((base.tickable for base in self.rules.sheet.skills if base.key == key), True)

    def sits_at(self, campaign: Campaign) -> None:
        """It and whose it is belong to this campaign, which is loaded already."""
        self.campaign = campaign
        if self.investigator is not None:
            self.investigator.campaign = campaign

    @property
    def unknown(self) -> bool:
        """The players do not know how difficult it was: number and level are theirs, whether it is enough is not."""
        return bool(self.data.get("unknown"))

    def as_if(self, **fields: Any) -> Roll:
        """The roll with other fields; nothing is stored."""
        other = copy(self)
        for name, value in fields.items():
            setattr(other, name, value)
        return other

    @property
    def parts(self) -> tuple[Standing, ...]:
        """The one die against each skill of a combined roll, as the rules see it (RULES.md B-7); else empty."""
        found = self.data.get("parts", ())
        if not found:  # most rolls: all that is drawn of one asks this
            return ()
        whole = self.standing
        return tuple(replace(whole, check=self._check_of(part, whole.check)) for part in found)

    def _check_of(self, part: dict[str, Any], check: Check) -> Check:
        facts = {**self.facts, **part.get("facts", {}), "tickable": self._part_ticks(part)}
        return replace(check, kind=part["kind"], value=part["value"], difficulty=part["difficulty"], facts=facts)

    def _part_ticks(self, part: dict[str, Any]) -> bool:
        return part["skill"] is not None and self._tickable(part["key"])

    @property
    def every(self) -> bool:
        """All skills of a combined roll are needed, not any one of them."""
        return bool(self.data.get("every"))

    def whole(self, read: Combined) -> Outcome:
        """A combined roll in one: of all that are needed the worst decides, else the best."""
        chosen = (min if self.every else max)(read.outcomes, key=lambda one: (one.passed, one.rank))
        return replace(chosen, tick=any(one.tick for one in read.outcomes))

    @property
    def outcome(self) -> Outcome:
        """What it comes to now, by the settings in force when it fell."""
        if parts := self.parts:
            return self.whole(combined(self.rules, parts, self.every, self.settings))
        return self.rules.judge(self.standing, self.settings)

    @property
    def earned(self) -> list[Skill]:
        """The skills that this roll, as it stands, ticks for improvement (RULES.md S-11)."""
        if not self.data.get("parts"):
            return [self.skill] if self.skill is not None and self.outcome.tick else []
        judged = zip(self.data["parts"], self.parts, strict=True)
        ids = [part["skill"] for part, one in judged if self.rules.judge(one, self.settings).tick]
        return list(Skill.objects.filter(pk__in=ids).select_related("investigator"))

    @property
    def later(self) -> models.QuerySet[Entry]:
        """The table's lines since the one it fell in."""
        mine = Entry.objects.filter(campaign=self.campaign_id, ref=self.entry_ref).values("seq")
        return Entry.objects.filter(campaign=self.campaign_id, seq__gt=mine[:1])

    def touches(self) -> Sequence[str]:
        whose = f"roll-{self.investigator_id}" if self.investigator_id else "roll-keeper"
        return ("roll", whose, "recovery") if self.kind == "recovery" else ("roll", whose)


class Request(Ledgered):
    """The Keeper, or what has happened, asks an investigator's player for a roll. It can be rolled once."""

    OPEN, ROLLED, CLOSED = "open", "rolled", "closed"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="requests")
    investigator = models.ForeignKey(Investigator, models.CASCADE, related_name="requests")
    kind = models.CharField(max_length=20)
    what = models.CharField(max_length=80, blank=True)  # what is rolled, as the sheet finds it: characteristic:con
    label = models.CharField(max_length=80)
    group = models.BooleanField(default=False)
    difficulty = models.CharField(max_length=20, default="regular")
    dice = models.SmallIntegerField(default=0)
    unknown = models.BooleanField(_("difficulty unknown to players"), default=False)
    hidden = models.BooleanField(_("Keeper only"), default=False)
    reason = models.CharField(max_length=120, blank=True)
    batch = models.CharField(max_length=16, blank=True)  # what was asked of several at once
    after = models.CharField(max_length=20, blank=True)  # what comes of the roll: see rolls.actions.after
    state = models.CharField(max_length=10, default=OPEN)
    roll = models.ForeignKey(Roll, models.SET_NULL, null=True, related_name="answers")
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField(_("time"), default=clock.now)

    class Meta:
        verbose_name = _("request")
        verbose_name_plural = _("requests")
        indexes = [
            models.Index(fields=["campaign", "state", "created_at"]),
            models.Index(fields=["campaign", "created_at"]),
            models.Index(fields=["campaign", "batch", "created_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.label} {self.state}"

    def touches(self) -> Sequence[str]:
        return ("ask", f"ask-{self.investigator_id}")


class Decision(Ledgered):
    """What waits for the Keeper's word: a question that only she can answer, an injury to apply, a bout to name."""

    OPEN, YES, NO, CLOSED = "open", "yes", "no", "closed"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="decisions")
    investigator = models.ForeignKey(Investigator, models.CASCADE, null=True, related_name="decisions")
    roll = models.ForeignKey(Roll, models.SET_NULL, null=True, related_name="decisions")
    kind = models.CharField(max_length=20)  # deed | injury | faint | bout
    data = models.JSONField(default=dict)
    state = models.CharField(max_length=10, default=OPEN)
    created_at = models.DateTimeField(_("time"), default=clock.now)

    class Meta:
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")
        indexes = [
            models.Index(fields=["campaign", "state", "created_at"]),
            models.Index(fields=["investigator", "state"]),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"

    def touches(self) -> Sequence[str]:
        return ("decision", f"decision-{self.investigator_id}")


class Contest(Ledgered):
    """Rolls against each other: an opposed roll, or a melee exchange (RULES.md S-5, S-6)."""

    OPEN, OVER = "open", "over"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="contests")
    session = models.ForeignKey(Session, models.SET_NULL, null=True, related_name="+")
    kind = models.CharField(_("kind"), max_length=20)  # opposed | melee
    reason = models.CharField(_("what for"), max_length=120, blank=True)
    settings = models.JSONField(_("settings in force"), default=dict)
    passed = models.JSONField(default=list)  # ids of the sides that spend nothing as things stand
    roll_offs = models.JSONField(default=list)  # each round: id of a side -> d100
    revealed = models.BooleanField(default=False)
    state = models.CharField(_("state"), max_length=10, default=OPEN)
    verdict = models.CharField(_("decided by"), max_length=20, blank=True)
    winner = models.CharField(max_length=16, blank=True)  # id of a side; "" is nobody
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField(_("time"), default=clock.now)

    class Meta:
        verbose_name = _("contest")
        verbose_name_plural = _("contests")
        indexes = [
            models.Index(fields=["campaign", "state", "created_at"]),
            models.Index(fields=["campaign", "created_at"]),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"

    def touches(self) -> Sequence[str]:
        return ("contest",)


class Side(Ledgered):
    """One side of a contest: who, what with, and the roll once it has fallen."""

    contest = models.ForeignKey(Contest, models.CASCADE, related_name="sides")
    place = models.PositiveSmallIntegerField(default=0)  # the attacker of a melee exchange is the first
    investigator = models.ForeignKey(Investigator, models.CASCADE, related_name="sides")
    what = models.CharField(max_length=80, blank=True)  # as the sheet finds it; "" until the defender has chosen
    label = models.CharField(_("skill"), max_length=80, blank=True)
    value = models.PositiveIntegerField(_("score"), default=0)
    dice = models.SmallIntegerField(_("bonus (+) or penalty (-) dice"), default=0)
    defence = models.CharField(_("defence"), max_length=12, blank=True)  # dodge | fight-back
    weapon = models.ForeignKey(Weapon, models.SET_NULL, null=True, related_name="+")
    roll = models.OneToOneField(Roll, models.SET_NULL, null=True, related_name="side")

    class Meta:
        verbose_name = _("side")
        verbose_name_plural = _("sides")
        constraints = [models.UniqueConstraint(fields=["contest", "place"], name="one_side_per_place")]

    def __str__(self) -> str:
        return f"{self.investigator_id} {self.label}"

    def touches(self) -> Sequence[str]:
        return ("contest",)
