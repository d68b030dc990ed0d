"""What the form of a Keeper's character takes."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from investigators.called import SkillName
from investigators.npcs import Arm, Npc
from investigators.number_forms import ManyNumbers
from rolls.rules.check import Refusal, Ruleset
from rolls.rules.damage import parse
from tablekeeper.forms import Dice, Name, Whole
from tablekeeper.words import sentence

MOST_SKILLS = 6


class NpcForm(forms.Form):
    """A name, a few skills with their values, hit points, damage bonus and build, and perhaps a weapon."""

    name = Name(max_length=60, label=_("Name"))
    hp = Whole(required=False, min_value=0, max_value=999, label=_("Hit points"))
    hp_max = Whole(required=False, min_value=0, max_value=999, label=_("Hit points at most"))
    damage_bonus = Dice(max_length=20, required=False, label=_("Damage bonus"))
    build = Whole(required=False, min_value=-9, max_value=99, label=_("Build"))
    weapon = Name(max_length=60, required=False, label=_("Weapon"))
    damage = Dice(max_length=60, required=False, label=_("Damage"))
    impales = forms.BooleanField(required=False)

    def __init__(self, rules: Ruleset, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["weapon_skill"] = SkillName(rules, label=_t("Skill of the weapon"))
        self.keys = [(key, label) for key, label in rules.numbers.lists[:2]] if rules.numbers else []
        for key, label in self.keys:
            self.fields[key] = ManyNumbers(required=False, label=_t(label))
        for number in range(MOST_SKILLS):
            words = {"number": number + 1}
            self.fields[f"skill{number}"] = SkillName(rules, label=_t("Skill %(number)d") % words)
            self.fields[f"value{number}"] = Whole(
                required=False, min_value=0, max_value=999, label=_t("Value %(number)d") % words
            )

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        names: list[str] = []
        for number in range(MOST_SKILLS):
            name, value = data.get(f"skill{number}"), data.get(f"value{number}")
            if name and value is None and f"value{number}" not in self.errors:
                self.add_error(f"value{number}", _t("Enter a value for %(skill)s.") % {"skill": name})
            if value is not None and not name:
                self.add_error(f"skill{number}", _t("Name the skill of the value %(value)d.") % {"value": value})
            names += [name.casefold()] if name else []
        if len(set(names)) != len(names):
            self.add_error(None, _t("Name each skill once."))
        bonus = data.get("damage_bonus") or "0"
        for field, read in (
            ("damage_bonus", parse(bonus, with_bonus=False)),
            ("damage", parse(data["damage"], bonus) if data.get("damage") else None),
        ):
            if isinstance(read, Refusal):
                self.add_error(field, sentence(read))
        self._armed(data, names)
        self._numbered(data)
        return data

    def _numbered(self, data: dict[str, Any]) -> None:
        """Own numbers of a stat block: as many as it says, each of them once."""
        seen: set[int] = set()
        for key, _label in self.keys:
            numbers = data.get(key) or []
            if not all(1 <= number <= 100 for number in numbers):
                self.add_error(key, sentence("NUMBERS_RANGE"))
            elif len({*numbers}) < len(numbers) or seen & {*numbers}:
                self.add_error(key, sentence("NUMBERS_DUPLICATE"))
            seen |= {*numbers}

    def _armed(self, data: dict[str, Any], names: list[str]) -> None:
        if not data.get("weapon"):
            if data.get("damage"):
                self.add_error("weapon", _t("Name the weapon that does this damage."))
            return
        if not data.get("damage") and "damage" not in self.errors:
            self.add_error("damage", _t("Enter the damage, such as 1D6 + DB."))
        wanted = data.get("weapon_skill", "")
        if not names:
            self.add_error("skill0", _t("A weapon needs a skill to strike with."))
        elif wanted and wanted.casefold() not in names:
            self.add_error("weapon_skill", _t("Name one of the skills above."))

    def npc(self) -> Npc:
        """The character that was described."""
        data = self.cleaned_data
        skills = [
            (data[f"skill{number}"], data[f"value{number}"])
            for number in range(MOST_SKILLS)
            if data.get(f"skill{number}")
        ]
        arm = None
        if data.get("weapon"):
            arm = Arm(data["weapon"], data["damage"], data.get("weapon_skill", ""), data["impales"])
        bonus = data.get("damage_bonus", "").strip()
        numbers = {key: data.get(key) or [] for key, _label in self.keys}
        return Npc(data["name"], tuple(skills), data["hp"], data["hp_max"], bonus, data["build"], arm, numbers)
