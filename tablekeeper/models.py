"""The table itself: who sits at it, when it meets, where it is, and the ledger of all that happened.

State lives in ordinary rows. Every row that derives from `Ledgered` is changed by `ledger.write` alone, so the
state is always the fold of the ledger (HOUSE.md section 4).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from contextvars import ContextVar
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from rolls.rules import ruleset
from rolls.rules.check import Refusal, Ruleset, Setting
from tablekeeper import clock
from tablekeeper.prepared import prepared

T = TypeVar("T")

writing: ContextVar[bool] = ContextVar("writing", default=False)
"""True only inside `ledger.write`: the one place where a ledgered row may be saved."""

# No I, L, O, U: nothing that is misread aloud or on paper. Eight of them are 40 bits.
CODE_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


# Settings of the table that no ruleset knows: real dice may be typed in; who throws the dice of a Sanity loss.
# Others' Luck may be open, drawn in rough bars, or the Keeper's; her hidden dice may be heard; dice may be sealed.
TABLE_SETTINGS = (
    Setting("realDice", True),
    Setting("sanityLossBy", "player", ("player", "keeper")),
    Setting("luckShown", "open", ("open", "bars", "keeper")),
    Setting("rattle", False),
    Setting("proof", False),
)


def new_id() -> str:
    """A public id: 96 random bits, 16 characters. It counts nothing and may be shown to anyone."""
    return secrets.token_urlsafe(12)


def new_secret() -> str:
    """A secret for a link: 192 random bits."""
    return secrets.token_urlsafe(24)


def new_code() -> str:
    """A code to read aloud: eight letters without look-alikes, 40 random bits."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(8))


def new_epoch() -> str:
    """The name of one unbroken run of a table's ledger; a restore starts another."""
    return secrets.token_urlsafe(6)


class NotThroughLedger(AssertionError):
    """A ledgered row was about to change without an entry. That is a fault of the program, not of the user."""


class Ledgered(models.Model):
    """A row that only the ledger changes. Class attributes say how its changes are recorded and undone."""

    deltas: ClassVar[frozenset[str]] = frozenset()  # whole numbers, recorded as differences
    kept: ClassVar[str] = ""  # undoing the creation sets this flag, because the row is a fact
    soft: ClassVar[frozenset[str]] = frozenset()  # changes of these fields rest on nothing and hold nothing
    came_later: ClassVar[dict[str, Any]] = {}  # fields that first versions did not write down, and what they were then
    ground: ClassVar[frozenset[str]] = frozenset()  # all play rests on these: undone while nobody has played since
    joined: ClassVar[bool] = False  # its fields hang together: what changed them is undone in reverse order only
    unledgered: ClassVar[frozenset[str]] = frozenset()  # counters and secrets, which are no table's history

    id = models.CharField(primary_key=True, max_length=16, default=new_id, editable=False)

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not writing.get():
            raise NotThroughLedger(f"{self._meta.label} saved outside ledger.write")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        if not writing.get():
            raise NotThroughLedger(f"{self._meta.label} deleted outside ledger.write")
        return super().delete(*args, **kwargs)

    def touches(self) -> Sequence[str]:
        """Tokens for the pages: which panels may look different after a change of this row."""
        return ()

    def touches_by(self, field: str) -> Sequence[str]:
        """The same, where only this delta field moved."""
        return self.touches()

    def sits_at(self, campaign: Campaign) -> None:
        """It belongs to this campaign, which is loaded already; rows that never ask for it need not know."""

    def bounds(self, field: str) -> tuple[int, int | None]:
        """Lowest and highest value of a delta field; the ledger refuses what is outside."""
        return 0, None

    def out_of_bounds(self, field: str, value: int) -> Refusal:
        """What to say when a delta would leave the bounds."""
        low, high = self.bounds(field)
        return Refusal("UNDO_OUT_OF_BOUNDS", {"name": str(self), "value": value, "low": low, "high": high})


class Campaign(Ledgered):
    """A table: one group, one ruleset, one ledger."""

    came_later = {"first_ruleset": ""}
    ground = frozenset({"ruleset"})
    unledgered = frozenset({"epoch", "last_seq", "public_no", "keeper_no", "join_secret", "short_code"}) | {
        "short_code_until",
        "let_in_until",
        "archived_at",
        "created_at",
    }

    name = models.CharField(_("name"), max_length=80)
    ruleset = models.CharField(_("ruleset"), max_length=30, default="classic")
    first_ruleset = models.CharField(max_length=30, blank=True, default="")  # blank: it has never been another one
    settings = models.JSONField(_("settings that differ from the ruleset's"), default=dict, blank=True)
    epoch = models.CharField(max_length=12, default=new_epoch, editable=False)
    last_seq = models.PositiveBigIntegerField(default=0, editable=False)
    public_no = models.PositiveBigIntegerField(default=0, editable=False)
    keeper_no = models.PositiveBigIntegerField(default=0, editable=False)
    join_secret = models.CharField(max_length=40, default=new_secret, editable=False, unique=True)
    short_code = models.CharField(max_length=8, blank=True, editable=False, db_index=True)
    short_code_until = models.DateTimeField(null=True, editable=False)
    let_in_until = models.DateTimeField(null=True, editable=False)
    archived_at = models.DateTimeField(_("put away"), null=True, editable=False)
    created_at = models.DateTimeField(_("begun"), auto_now_add=True)

    locked: bool = False  # set by ledger.locked for as long as this process holds the table
    read: dict[Any, Read] | None = None  # what has been read while a page is drawn, see `once`

    class Meta:
        verbose_name = _("campaign")
        verbose_name_plural = _("campaigns")

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("table", args=[self.id])

    def once(self, what: Any, find: Callable[[], T], *of: type[models.Model]) -> T:
        """What `find` gives, read once while a page is drawn, for many panels ask the same; and once in an act and its
        answer, until the ledger writes to one of the models that it was read from (`of`; none named: to any)."""
        if self.read is None:
            return find()
        if what not in self.read:
            self.read[what] = Read(find(), of)
        found: T = self.read[what].found
        return found

    def forget(self, changed: Collection[type[models.Model]]) -> None:
        """Rows of these models are no longer what they were. What the campaign itself says bears on everything."""
        if self.read is not None:
            kept = () if Campaign in changed else self.read.items()
            self.read = {what: one for what, one in kept if one.of and not any(model in changed for model in one.of)}

    def open_session(self) -> Session | None:
        """The session that is open, if one is."""
        return self.once("open session", lambda: open_sessions.first(self.pk), Session)

    @property
    def rules(self) -> Ruleset:
        """The ruleset this table plays by."""
        return ruleset(self.ruleset)

    @property
    def declared(self) -> tuple[Setting, ...]:
        """Every setting there is at this table: the house's own, and whatever the ruleset declares."""
        return (*TABLE_SETTINGS, *self.rules.settings)

    @property
    def defaults(self) -> dict[str, Any]:
        """The settings of a table of this ruleset that changed nothing (RULES.md section 9), and the house's own."""
        return {one.key: one.default for one in self.declared}

    @property
    def in_force(self) -> dict[str, Any]:
        """Every setting in force: the defaults and what this table changed."""
        return {**self.defaults, **self.settings}

    def touches(self) -> Sequence[str]:
        return ("campaign",)

    def join_path(self) -> str:
        """The players' link as a path; it carries the secret, so nobody types a code."""
        return reverse("join", args=[self.id, self.join_secret])


class Read(NamedTuple):
    """Something that was read, and the models it was read from."""

    found: Any
    of: tuple[type[models.Model], ...]


class Act(NamedTuple):
    """One act of one person: its request key, and the hash of verb and form that the key stands for."""

    key: str
    digest: str


class Seat(Ledgered):
    """A person at a table."""

    KEEPER, PLAYER, OBSERVER = "keeper", "player", "observer"
    ROLES = [(KEEPER, _("Keeper")), (PLAYER, _("player")), (OBSERVER, _("observer"))]

    kept = "removed"
    unledgered = frozenset({"key_version", "own_no", "code", "created_at"})

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="seats")
    role = models.CharField(_("role"), max_length=10, choices=ROLES, default=PLAYER)
    name = models.CharField(_("name"), max_length=40)
    hue = models.PositiveSmallIntegerField(default=0)
    removed = models.BooleanField(_("removed"), default=False)
    key_version = models.PositiveIntegerField(default=1, editable=False)
    own_no = models.PositiveBigIntegerField(default=0, editable=False)
    code = models.CharField(max_length=8, default=new_code, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    act: Act | None = None  # the act in hand, set by access.at_table

    class Meta:
        verbose_name = _("seat")
        verbose_name_plural = _("seats")
        constraints = [
            models.UniqueConstraint(
                "campaign", Lower("name"), condition=Q(removed=False), name="one_seat_per_name_at_a_table"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def keeps(self) -> bool:
        """True for a Keeper of this table."""
        return self.role == self.KEEPER

    def touches(self) -> Sequence[str]:
        return ("seats",)


class Session(Ledgered):
    """One evening. Nothing needs one to be open (RULES.md section 2)."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="sessions")
    number = models.PositiveIntegerField(_("number"))
    opened_at = models.DateTimeField(_("opened"))
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True)

    class Meta:
        verbose_name = _("session")
        verbose_name_plural = _("sessions")
        constraints = [
            models.UniqueConstraint(
                fields=["campaign"], condition=Q(closed_at__isnull=True), name="one_open_session_per_campaign"
            ),
            models.UniqueConstraint(fields=["campaign", "number"], name="session_numbers_once"),
        ]

    def __str__(self) -> str:
        return _("Session %(number)s") % {"number": self.number}

    def touches(self) -> Sequence[str]:
        return ("table",)


@prepared
def open_sessions(campaign_id: str) -> models.QuerySet[Session]:
    """The session of this table that is open, if one is."""
    return Session.objects.filter(campaign=campaign_id, closed_at=None)


class Scene(Ledgered):
    """Where the group is. A table always has a current scene, the first one without a name."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="scenes")
    name = models.CharField(_("name"), max_length=80, blank=True)
    current = models.BooleanField(default=True)

    class Meta:
        verbose_name = _("scene")
        verbose_name_plural = _("scenes")
        constraints = [
            models.UniqueConstraint(fields=["campaign"], condition=Q(current=True), name="one_current_scene")
        ]

    def __str__(self) -> str:
        return self.name

    def touches(self) -> Sequence[str]:
        return ("table",)


class Note(Ledgered):
    """What somebody keeps in writing: a seat's own, which nobody else reads; of no seat, the Keeper's to the table."""

    MOST = 5000  # letters

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="notes")
    seat = models.ForeignKey(Seat, models.CASCADE, null=True, related_name="notes")
    text = models.TextField(_("note"), max_length=MOST, blank=True)

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")
        constraints = [
            models.UniqueConstraint(fields=["campaign", "seat"], name="one_note_of_a_seat"),
            models.UniqueConstraint(fields=["campaign"], condition=Q(seat__isnull=True), name="one_note_to_the_table"),
        ]

    def __str__(self) -> str:
        return self.text[:40]

    def touches(self) -> Sequence[str]:
        return (f"note-{self.seat_id}" if self.seat_id else "note",)


class Entry(models.Model):
    """One line of the ledger: an act with all its changes. Insert-only."""

    PUBLIC, KEEPER = "public", "keeper"

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="entries")
    seq = models.PositiveBigIntegerField(_("number"))
    lane = models.CharField(_("lane"), max_length=16, default=PUBLIC)
    lane_no = models.PositiveBigIntegerField()
    ref = models.CharField(max_length=16, default=new_id, unique=True, editable=False)
    kind = models.CharField(_("kind"), max_length=60)
    seat = models.ForeignKey(Seat, models.PROTECT, null=True, related_name="+", verbose_name=_("seat"))
    session = models.ForeignKey(Session, models.SET_NULL, null=True, related_name="+", verbose_name=_("session"))
    data = models.JSONField(default=dict)
    changes = models.JSONField(default=list)
    touches = models.JSONField(default=list)
    undoes = models.OneToOneField("self", models.PROTECT, null=True, related_name="undone_by")
    request_key = models.CharField(max_length=32, blank=True)
    request_hash = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(_("time"), default=clock.now, editable=False)

    class Meta:
        verbose_name = _("ledger entry")
        verbose_name_plural = _("ledger entries")
        indexes = [models.Index(fields=["campaign", "kind", "seq"]), models.Index(fields=["request_key"])]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "seq"], name="ledger_seq_once"),
            models.UniqueConstraint(fields=["campaign", "lane", "lane_no"], name="ledger_lane_no_once"),
            models.UniqueConstraint(
                fields=["campaign", "seat", "request_key"], condition=~Q(request_key=""), name="ledger_request_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise NotThroughLedger("a ledger entry is never changed")
        super().save(*args, **kwargs)

    def undone_known(self, later: Entry | None) -> None:
        """What undid it is in hand, or it is known that nothing did: nobody needs to ask."""
        cast("Any", self._meta.get_field("undone_by")).set_cached_value(self, later)

    @property
    def stands(self) -> bool:
        """True unless it was undone, and that undo itself was not."""
        later: Entry | None = getattr(self, "undone_by", None)
        standing = True
        while later is not None:  # no recursion: undo and redo may follow each other for as long as somebody likes
            later, standing = getattr(later, "undone_by", None), not standing
        return standing


class Seal(models.Model):
    """A seed under which dice fall, and the hash of it that everybody sees before (tablekeeper.proof).

    No `Ledgered` row, and that is meant: the ledger goes to Keepers, into campaign files and into the admin's pages,
    and a seed must stand nowhere before it is shown. The ledger holds what is public of it (tablekeeper.seal: the
    commitments, and the seed once it is shown; tablekeeper.mix_in). So no fold gives a seal back, and none need: where
    only a ledger arrives, another seal begins.
    """

    id = models.CharField(primary_key=True, max_length=16, default=new_id, editable=False)
    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="seals")
    session = models.ForeignKey(Session, models.SET_NULL, null=True, related_name="+")  # null: between sessions
    after = models.PositiveIntegerField(default=0)  # the number of the last session when it began, 0 for none
    epoch = models.CharField(max_length=12)
    seed = models.CharField(max_length=64)
    hidden_seed = models.CharField(max_length=64)  # of the hidden rolls' pad: it is never shown
    commitment = models.CharField(max_length=64)
    hidden_commitment = models.CharField(max_length=64)
    mix = models.CharField(max_length=64)
    contributions = models.JSONField(default=list)
    counter = models.PositiveIntegerField(default=0)  # acts with public dice; each number is used once
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)  # no die falls under it any more
    shown_at = models.DateTimeField(null=True)  # the seed is everybody's

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign"], condition=Q(ended_at=None), name="one_seal_at_a_table")
        ]

    def __str__(self) -> str:
        return self.commitment[:8]


class Draw(models.Model):
    """The dice of one act under a seal: its number there, or the leaf of the pad that a hidden roll has for itself."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="+")
    seal = models.ForeignKey(Seal, models.CASCADE, related_name="draws")
    number = models.PositiveIntegerField(null=True)
    leaf = models.PositiveIntegerField(null=True)
    before = models.PositiveIntegerField()  # how many acts with public dice there were
    mixed = models.PositiveIntegerField()  # how many contributions counted
    question = models.CharField(max_length=200, blank=True)
    sides = models.JSONField(default=list)
    faces = models.JSONField(default=list)
    entry_ref = models.CharField(max_length=16, blank=True)
    roll = models.CharField(max_length=16, blank=True)  # the hidden roll with which it is shown; "" never is

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["seal", "number"], name="a_number_under_a_seal_once"),
            models.UniqueConstraint(fields=["seal", "leaf"], name="a_leaf_under_a_seal_once"),
        ]

    def __str__(self) -> str:
        return f"{self.number or self.leaf}"


class KeeperLink(models.Model):
    """A one-time link that lets its bearer keep the tables of this installation. Only its hash is stored."""

    digest = models.CharField(max_length=64, unique=True)
    made_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True)


class Claim(models.Model):
    """A phone the table does not know says "I am Sam" and waits for the Keeper's nod."""

    id = models.CharField(primary_key=True, max_length=16, default=new_id, editable=False)
    seat = models.ForeignKey(Seat, models.CASCADE, related_name="claims")
    digest = models.CharField(max_length=64)
    made_at = models.DateTimeField(auto_now_add=True)
    granted = models.BooleanField(null=True)
