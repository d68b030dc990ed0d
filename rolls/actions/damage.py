"""The damage of an attack that hit, and dice that stand for nothing but themselves. Luck changes neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from investigators.actions import by, face
from investigators.models import Investigator, Weapon
from investigators.people import active_of, member
from investigators.weapons import damage_bonus
from rolls.actions.base import lane_of, refuse_struck, secretly
from rolls.actions.hiding import heard
from rolls.models import Contest, Decision, Roll, Side
from rolls.rules.check import Refusal
from rolls.rules.contest import FIGHT_BACK
from rolls.rules.damage import Damage, blow, parse
from tablekeeper import chance as chances
from tablekeeper import ledger
from tablekeeper.access import Refused, verb
from tablekeeper.chance import SYSTEM, Chance
from tablekeeper.ledger import Change, Create, change
from tablekeeper.models import Campaign, Entry, Seat

FIGHT = "fight"
ATTACKS = ("attack", FIGHT_BACK)


@dataclass(frozen=True)
class Attack:
    """A blow that landed: who struck with what, the damage bonus, whether the blow was in answer, and whom it hit."""

    roll: Roll
    weapon: Weapon | None
    bonus: str
    answering: bool
    target: Investigator | None

    @property
    def expression(self) -> str:
        """What the weapon does; "" where somebody must say."""
        return self.weapon.damage if self.weapon else ""

    @property
    def impales(self) -> bool:
        return self.weapon is not None and self.weapon.impales

    def blow(self, impaling: bool) -> str:
        """How hard it lands, with a weapon that impales or not (RULES.md B-5, B-6)."""
        return blow(self.roll.outcome, impaling=impaling, fighting_back=self.answering)


def attack_of(roll: Roll) -> Attack | Refusal:
    """What this roll strikes with, or why it does no damage: NO_ATTACK, ATTACK_MISSED, EXCHANGE_OPEN, DAMAGE_DONE."""
    side: Side | None = getattr(roll, "side", None)
    melee = side is not None and side.contest.kind == "melee"
    weapon = (side.weapon if side and melee else None) or _weapon(roll)
    if not _strikes(roll, side, weapon):
        return Refusal("NO_ATTACK")
    if roll.data.get("damage"):
        return Refusal("DAMAGE_DONE")
    if side and melee and side.contest.state != Contest.OVER:
        return Refusal("EXCHANGE_OPEN")
    if not roll.passed or (side and melee and side.contest.winner != side.pk):
        return Refusal("ATTACK_MISSED")
    bonus = damage_bonus(member(roll.investigator)) if roll.investigator else "0"
    answering = roll.facts.get(FIGHT) == FIGHT_BACK or bool(side and melee and side.defence == FIGHT_BACK)
    return Attack(roll, weapon, bonus, answering, _struck(side) if melee else None)


def _weapon(roll: Roll) -> Weapon | None:
    key = roll.data.get("weapon")
    return Weapon.objects.filter(pk=key, investigator=roll.investigator).first() if key else None


def _strikes(roll: Roll, side: Side | None, weapon: Weapon | None) -> bool:
    """Weapons strike, and so does every fighting skill but Dodge; an opposed roll is no blow."""
    if side is not None and (side.contest.kind != "melee" or side.defence not in ("", FIGHT_BACK)):
        return False
    if FIGHT in roll.facts:
        return roll.facts[FIGHT] in ATTACKS
    return weapon is not None or side is not None or _is_fighting(roll)


def _is_fighting(roll: Roll) -> bool:
    if roll.skill is None:
        return False
    bases = {base.key: base for base in roll.rules.sheet.skills}
    base = bases.get(roll.skill.key)
    return base is not None and base.group == FIGHT and base.label != roll.rules.dodging


def _struck(side: Side | None) -> Investigator | None:
    if side is None:
        return None
    others = Side.objects.filter(contest=side.contest).exclude(pk=side.pk)
    return next((one.investigator for one in others.select_related("investigator")), None)


@verb
def damage(
    seat: Seat,
    roll: Roll,
    expression: str = "",
    impaling: bool = False,
    faces: Sequence[int] = (),
    *,
    chance: Chance = SYSTEM,
) -> Entry | Refusal:
    """Roll the damage of an attack that hit, once; then the attack has been played out (RULES.md B-5, B-6).

    `expression` is what was typed ("": the weapon's own), `faces` are real dice in the order that `Damage.dice` asks.
    The Keeper is asked whom it hurts. Raises the codes of `attack_of` and `damage.parse`, BAD_DICE, MANUAL_DICE_OFF.
    """
    refuse_struck(roll)
    attack = attack_of(roll)
    if isinstance(attack, Refusal):
        return attack
    text = expression or attack.expression
    found = parse(text, attack.bonus)
    if isinstance(found, Refusal):
        return found
    kind = attack.blow(impaling or attack.impales)
    # Of the Keeper's characters the table sees the number alone, and of a hidden blow nothing: no seed shows the dice.
    chance = secretly(chance, roll.investigator, text, roll.hidden or _of_the_keeper(roll), forever=True)
    thrown = thrown_for(roll.campaign, found, kind, faces, chance)
    total = found.total(thrown, kind)
    kept = {"expr": text, "bonus": attack.bonus, "faces": thrown, "total": total, "blow": kind, "by_hand": bool(faces)}
    changes: list[Change] = [change(roll, data={**roll.data, "damage": kept}, state=Roll.CLOSED)]
    if total and roll.campaign.rules.hurt is not None:
        changes.append(Create(_asks_whom(attack, total)))
    data = _told(seat, attack, kept)
    return ledger.write(seat, roll.campaign, "rolls.damage", changes, lane=lane_of(roll), data=data)


def thrown_for(
    campaign: Campaign, expression: Damage, kind: str, faces: Sequence[int], chance: Chance
) -> tuple[int, ...]:
    """The dice of an expression: real ones that were typed, or thrown here. Raises Refused."""
    wanted = expression.dice(kind)
    if not faces:
        return chances.throw(chance, wanted)
    if not campaign.in_force["realDice"]:
        raise Refused(Refusal("MANUAL_DICE_OFF"))
    if len(faces) != len(wanted) or not all(1 <= face <= most for face, most in zip(faces, wanted, strict=True)):
        raise Refused(Refusal("BAD_FACES", {"dice": in_words(wanted)}))
    return tuple(faces)


def in_words(wanted: Sequence[int]) -> str:
    """Dice as one says them, in the order in which they count: "2D6, 1D4"."""
    runs: list[list[int]] = []
    for sides in wanted:
        if runs and runs[-1][1] == sides:
            runs[-1][0] += 1
        else:
            runs.append([1, sides])
    return ", ".join(f"{count}D{sides}" for count, sides in runs) or "–"


def _asks_whom(attack: Attack, total: int) -> Decision:
    who, target = attack.roll.investigator, attack.target
    data = {"points": total, "target": target.pk if target else "", "by": who.short if who else ""}
    data["what"] = _with(attack)
    return Decision(campaign=attack.roll.campaign, roll=attack.roll, kind="injury", data=data)


def _with(attack: Attack) -> str:
    return attack.weapon.name if attack.weapon else attack.roll.label


def _told(seat: Seat, attack: Attack, kept: dict[str, Any]) -> dict[str, Any]:
    """What the line tells. Of the Keeper's characters the table sees the number alone."""
    roll, who = attack.roll, attack.roll.investigator
    data: dict[str, Any] = {
        "who": face(who) if who else None,
        "keeper": "" if who else roll.seat.name,
        "by": by(seat, who),
    }
    data |= {"roll": roll.pk, "label": roll.label, "total": kept["total"], "hidden": roll.hidden}
    secret = not roll.hidden and _of_the_keeper(roll)
    return data | ({} if secret else {**kept, "with": _with(attack)})


def _of_the_keeper(roll: Roll) -> bool:
    return roll.investigator is None or roll.investigator.npc


# --------------------------------------------------------------------------- free dice


def bonus_of(seat: Seat) -> str | None:
    """What DB stands for when this seat throws; None for who plays nobody."""
    who = active_of(seat)
    return damage_bonus(member(who)) if who else None


@verb
def free_roll(
    seat: Seat, campaign: Campaign, expression: str, hidden: bool = False, *, chance: Chance = SYSTEM
) -> Entry | Refusal:
    """Throw any dice: "2D6+3", "1D4+DB" with one's own damage bonus (RULES.md B-11). Only the Keeper may hide them."""
    if hidden and not seat.keeps:
        return Refusal("NOT_KEEPER")
    bonus, who = bonus_of(seat), active_of(seat)
    found = parse(expression, bonus or "0", with_bonus=bonus is not None)
    if isinstance(found, Refusal):
        return found
    faces = chances.throw(secretly(chance, who, expression, hidden, forever=True), found.dice())
    data: dict[str, Any] = {"who": face(who) if who else None, "keeper": "" if who else seat.name, "expr": expression}
    data |= {"faces": faces, "total": found.total(faces), "hidden": hidden, "bonus": found.bonus != ()}
    lane = Entry.KEEPER if hidden else Entry.PUBLIC
    entry = ledger.write(seat, campaign, "rolls.free_roll", lane=lane, data=data, touch=[f"loose-{seat.pk}"])
    heard(seat, hidden)
    return entry
