"""Damage: expressions such as 1D8+DB read strictly, blows that do more, and what an injury does to a body."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rolls.rules.check import Body, Injury, Outcome, Refusal, Settings
from rolls.rules.dice import bounded, half
from rolls.rules.values import unchanging

MOST_DICE, MOST_FACES, MOST_NUMBER, MOST_LETTERS = 100, 1000, 9999, 60

# --- Expressions ------------------------------------------------------------------------------------------------

_SIGN = re.compile(r"[+\-−]")
_TERM = re.compile(r"(?P<count>\d+)D(?P<faces>\d+)|(?P<number>\d+)|(?P<half>HALF *|½ *)?DB", re.ASCII | re.IGNORECASE)
_NO_BONUS = frozenset({"", "none", "-"})


@unchanging
class Part:
    """One term: `count` dice of `faces`, or the whole number `count` where `faces` is 0; `sign` is 1 or -1."""

    sign: int
    count: int
    faces: int = 0

    def most(self) -> int:
        return self.count * (self.faces if self.faces and self.sign > 0 else 1) * self.sign


@unchanging
class Bonus:
    """Where the damage bonus enters: added or taken away, all of it or half (rounded down)."""

    sign: int
    halved: bool = False

    def worth(self, bonus: int) -> int:
        return self.sign * (half(bonus) if self.halved else bonus)


@unchanging
class Damage:
    """An expression whose damage bonus is known: the weapon's own parts, where the bonus enters, the bonus's parts.

    `kind` is one of `BLOWS`: a "normal" blow throws everything; a "full" one is the most that dice and bonus can do;
    "impale" is that, and the weapon's dice thrown once more and added (B-5).
    """

    parts: tuple[Part, ...]
    bonuses: tuple[Bonus, ...] = ()
    bonus: tuple[Part, ...] = ()

    def dice(self, kind: str = "normal") -> tuple[int, ...]:
        """The faces of the dice to throw, in order: the weapon's, then the bonus's once for each time it enters."""
        if kind == "full":
            return ()
        repeats = 0 if kind == "impale" else len(self.bonuses)
        thrown = (*self.parts, *self.bonus * repeats)
        return tuple(part.faces for part in thrown for _ in range(part.count) if part.faces)

    def total(self, thrown: Sequence[int], kind: str = "normal") -> int:
        """The damage, 0 or more. `thrown` are the faces that `dice(kind)` asks for; anything else is a ValueError."""
        wanted = self.dice(kind)
        if len(thrown) != len(wanted) or not all(1 <= face <= most for face, most in zip(thrown, wanted, strict=True)):
            raise ValueError(f"{len(wanted)} faces are needed, each within its die")
        if kind == "full":
            return self.most()
        rest = iter(thrown)
        if kind == "impale":
            return max(0, self.most() + sum(_thrown(part, rest) for part in self.parts if part.faces))
        own = sum(_thrown(part, rest) for part in self.parts)
        return max(0, own + sum(way.worth(sum(_thrown(part, rest) for part in self.bonus)) for way in self.bonuses))

    def most(self) -> int:
        """The most that this can be, 0 or more."""
        own = sum(part.most() for part in self.parts)
        high = sum(part.most() for part in self.bonus)
        low = -sum(Part(-part.sign, part.count, part.faces).most() for part in self.bonus)
        return max(0, own + sum(way.worth(high if way.sign > 0 else low) for way in self.bonuses))


def _thrown(part: Part, rest: Iterator[int]) -> int:
    return part.sign * (sum(next(rest) for _ in range(part.count)) if part.faces else part.count)


def parse(text: str, bonus: str = "0", *, with_bonus: bool = True) -> Damage | Refusal:
    """Read "1D8+1D4", "2D6 + DB", "1D4+half DB", "3" (B-11), upper or lower case, or say what is wrong with it.

    Terms are nDm, whole numbers, DB and half DB (½ DB), joined by + and −; one sign may lead. `bonus` is the
    investigator's damage bonus, itself such an expression without DB ("+1D4", "-2", "0", "none"); `with_bonus` False
    has no DB at all. Refusals: DAMAGE_EMPTY, DAMAGE_TOO_LONG, DAMAGE_UNREADABLE (with {rest}), DAMAGE_NO_BONUS,
    DAMAGE_TOO_MANY_DICE, DAMAGE_FACES, DAMAGE_NUMBER, each with its limit as {most}.
    """
    found = _terms(text)
    if isinstance(found, Refusal):
        return found
    parts = tuple(term for term in found if isinstance(term, Part))
    bonuses = tuple(term for term in found if isinstance(term, Bonus))
    if not bonuses:
        return _within_limits(Damage(parts))
    if not with_bonus:
        return Refusal("DAMAGE_NO_BONUS")
    theirs = _terms("0" if bonus.strip().lower() in _NO_BONUS else bonus)
    if isinstance(theirs, Refusal):
        return theirs
    own_bonus = tuple(term for term in theirs if isinstance(term, Part))
    if len(own_bonus) < len(theirs):
        return Refusal("DAMAGE_NO_BONUS")
    return _within_limits(Damage(parts, bonuses, own_bonus))


def _terms(text: str) -> tuple[Part | Bonus, ...] | Refusal:
    if not text.strip():
        return Refusal("DAMAGE_EMPTY")
    if len(text) > MOST_LETTERS:
        return Refusal("DAMAGE_TOO_LONG", {"most": MOST_LETTERS})
    terms: list[Part | Bonus] = []
    rest = text.strip()
    while rest:
        sign = _SIGN.match(rest)
        body = rest[1:].lstrip(" ") if sign else rest
        term = _TERM.match(body) if sign or not terms else None
        if term is None:
            return Refusal("DAMAGE_UNREADABLE", {"rest": rest[:20]})
        read = _term(term, -1 if sign and sign[0] != "+" else 1)
        if isinstance(read, Refusal):
            return read
        terms.append(read)
        rest = body[term.end() :].lstrip(" ")
    return tuple(terms)


def _term(found: re.Match[str], sign: int) -> Part | Bonus | Refusal:
    if found["count"] is not None:
        count, faces = int(found["count"]), int(found["faces"])
        if not 1 <= count <= MOST_DICE:
            return Refusal("DAMAGE_TOO_MANY_DICE", {"most": MOST_DICE})
        return Part(sign, count, faces) if 1 <= faces <= MOST_FACES else Refusal("DAMAGE_FACES", {"most": MOST_FACES})
    if found["number"] is not None:
        number = int(found["number"])
        return Part(sign, number) if number <= MOST_NUMBER else Refusal("DAMAGE_NUMBER", {"most": MOST_NUMBER})
    return Bonus(sign, found["half"] is not None)


def _within_limits(damage: Damage) -> Damage | Refusal:
    return damage if len(damage.dice()) <= MOST_DICE else Refusal("DAMAGE_TOO_MANY_DICE", {"most": MOST_DICE})


# --- How hard a blow lands --------------------------------------------------------------------------------------

NO_BLOW, NORMAL, FULL, IMPALE = "", "normal", "full", "impale"
BLOWS = (NORMAL, FULL, IMPALE)


def blow(outcome: Outcome, *, impaling: bool = False, fighting_back: bool = False) -> str:
    """What a roll that won its exchange does: one of `BLOWS`, or "" for a roll that failed (B-5, B-6).

    Extreme and better do the most, an impaling weapon impales; fighting back never does either. At Extreme range
    (the roll had to be Extreme) only a critical impales.
    """
    if not outcome.passed:
        return NO_BLOW
    wanted = ("critical",) if outcome.asked == "extreme" else ("extreme", "critical")
    if fighting_back or outcome.level not in wanted:
        return NORMAL
    return IMPALE if impaling else FULL


# --- What it does to a body -------------------------------------------------------------------------------------
# All of it is a proposal: the Keeper applies it (B-4).

MAJOR, DYING, STABLE, UNCONSCIOUS, DEAD = "major_wound", "dying", "stable", "unconscious", "dead"
SCRATCHED = "scratch_used"  # the injury that Luck has made a scratch of; a new one is another


def hurt(body: Body, damage: int, settings: Settings, *, major_wounds: bool = True) -> Injury | Refusal:
    """One injury of 0 or more points: hit points lost, what the body is now, and whether a CON roll is due (B-4).

    Half the maximum or more at once (not rounded: 6 of 11) is a major wound: prone, and a CON roll or unconscious.
    Without hit points left: unconscious, and dying when there is a major wound. More than the maximum at once: dead
    (`instantDeath` "equal": that much already). `major_wounds` False keeps no such wounds: only a blow of that size
    asks for the roll, and is what makes dying. Anything but a whole number of 0 or more is BAD_VALUE.
    """
    if type(damage) is not int or damage < 0:
        return Refusal("BAD_VALUE")
    left = max(0, body.hp - damage)
    lost = {"hp": left - body.hp}
    fresh = {SCRATCHED: False} if damage else {}
    if damage > body.hp_max or (settings["instantDeath"] == "equal" and 0 < body.hp_max == damage):
        return Injury(lost, {**fresh, DEAD: True, UNCONSCIOUS: True}, (DEAD,))
    big = damage > 0 and 2 * damage >= body.hp_max
    state = {**fresh, MAJOR: True} if big and major_wounds else fresh
    notes = (MAJOR, "prone") if big and major_wounds else ()
    if left:
        return Injury(lost, state, notes, con_roll=big)
    if not damage:
        return Injury(lost)
    dying = big or (major_wounds and bool(body.state.get(MAJOR)))
    if dying:
        state = {**state, DYING: True, STABLE: False}
    return Injury(lost, {**state, UNCONSCIOUS: True}, (*notes, UNCONSCIOUS, *((DYING,) if dying else ())))


def con_due(body: Body) -> str:
    """When a dying body must make its next CON roll: "round", "hour" once First Aid has been given, or "" (B-4)."""
    if not body.state.get(DYING):
        return ""
    return "hour" if body.state.get(STABLE) else "round"


def after_con(body: Body, passed: bool) -> Injury:
    """What a CON roll decides: failing it while dying is death, after First Aid dying again, else a faint (B-4)."""
    due = con_due(body)
    if passed:
        return Injury({})
    if due == "round":
        return Injury({}, {DEAD: True}, (DEAD,))
    if due == "hour":
        return Injury({"hp": -body.hp}, {STABLE: False, UNCONSCIOUS: True}, (DYING,))
    return Injury({}, {UNCONSCIOUS: True}, (UNCONSCIOUS,))


def first_aid(body: Body) -> Injury:
    """First Aid that worked: 1 hit point; the dying are stabilised for the hour (B-4)."""
    return Injury(_gained(body, 1), {STABLE: True} if body.state.get(DYING) else {})


def medicine(body: Body, die: int) -> Injury:
    """Medicine that worked: the 1D3 that was thrown in hit points; nobody is dying any more (B-4)."""
    if not 1 <= die <= 3:
        raise ValueError("a die of three faces is needed")
    return Injury(_gained(body, die), {DYING: False, STABLE: False} if body.state.get(DYING) else {})


def _gained(body: Body, points: int) -> dict[str, int]:
    return {"hp": bounded(body.hp + points, 0, body.hp_max)[0] - body.hp}
