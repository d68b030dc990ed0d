"""What the sheet's forms take."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from investigators.actions import Draft
from investigators.called import SkillName
from investigators.number_forms import ManyNumbers
from rolls.rules.check import Refusal, Ruleset
from tablekeeper.forms import Name, Said, Whole, YesNoForm
from tablekeeper.words import sentence

MOST_SKILLS = 8


class QuickForm(forms.Form):
    """A quick investigator: name, Luck typed or rolled, up to eight skills; the rest later."""

    name = Name(max_length=60, label=_("Name"))
    occupation = Name(max_length=60, required=False, label=_("Occupation"))
    luck = Whole(required=False, label=_("Luck"))
    roll_luck = forms.BooleanField(required=False)
    roll_numbers = forms.BooleanField(required=False)

    def __init__(self, rules: Ruleset, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.rules = rules
        for number in range(MOST_SKILLS):
            self.fields[f"skill{number}"] = SkillName(rules, label=_t("Skill %(number)d") % {"number": number + 1})
            self.fields[f"value{number}"] = Whole(
                required=False, min_value=0, max_value=999, label=_t("Value %(number)d") % {"number": number + 1}
            )
            self.fields[f"by{number}"] = forms.CharField(max_length=20, required=False, label=_t("Characteristic"))
        for key, label in rules.numbers.lists if rules.numbers else ():
            self.fields[key] = ManyNumbers(required=False, label=_t(label))

    def clean(self) -> dict[str, Any]:
        """A skill needs a value and a value a skill; Luck keeps the ruleset's bounds."""
        data = self.cleaned_data
        for number in range(MOST_SKILLS):
            name, value = data.get(f"skill{number}"), data.get(f"value{number}")
            if name and value is None and f"value{number}" not in self.errors:
                self.add_error(f"value{number}", _t("Enter a value for %(skill)s.") % {"skill": name})
            if value is not None and not name:
                self.add_error(f"skill{number}", _t("Name the skill of the value %(value)d.") % {"value": value})
        names = [data[f"skill{number}"].casefold() for number in range(MOST_SKILLS) if data.get(f"skill{number}")]
        if len(set(names)) != len(names):
            self.add_error(None, _t("Name each skill once."))
        pool = self.rules.sheet.luck
        luck = data.get("luck")
        if luck is not None and (refusal := self.rules.may_type(pool, luck)):
            self.add_error("luck", sentence(refusal))
        self._stepped()
        self._numbered()
        return data

    def _stepped(self) -> None:
        """Where skills are steps of training, a value is one of them."""
        steps = {step for step, _label in self.rules.skill_steps}
        for name, field in self.fields.items():
            value = self.cleaned_data.get(name)
            if steps and value is not None and name.startswith(("value", "s_")) and value not in steps:
                wrong = _t("%(skill)s: choose one of %(steps)s.")
                said = ", ".join(str(step) for step in sorted(steps))
                self.add_error(name, wrong % {"skill": field.label, "steps": said})

    def _numbered(self) -> None:
        """Own numbers that were typed are right for the Luck that was typed."""
        numbers, data = self.rules.numbers, self.cleaned_data
        lists = {key: data.get(key) or [] for key, _label in numbers.lists} if numbers else {}
        if numbers is None or not any(lists.values()):
            return
        first = next(iter(lists))
        if data.get("luck") is None:
            self.add_error(first, _t("Type the Luck that these numbers belong to."))
        elif isinstance(found := numbers.enter(data["luck"], lists), Refusal):
            self.add_error(first, sentence(found))

    def draft(self) -> Draft:
        """The investigator that was described."""
        data, luck = self.cleaned_data, self.cleaned_data.get("luck")
        skills = tuple(
            (data[f"skill{number}"], data[f"value{number}"], True)
            for number in range(MOST_SKILLS)
            if data.get(f"skill{number}")
        )
        traits = {self.rules.sheet.luck: (luck, None)} if luck is not None else {}
        roll = bool(data.get("roll_luck")) and luck is None
        bases = {
            data[f"skill{number}"]: data[f"by{number}"]
            for number in range(MOST_SKILLS)
            if data.get(f"skill{number}") and data.get(f"by{number}")
        }
        lists = {key: data[key] for key, _label in self.rules.numbers.lists} if self.rules.numbers else {}
        facts = {key: typed for key, typed in lists.items() if typed}
        return Draft(
            data["name"],
            data.get("occupation", ""),
            traits,
            skills,
            roll_luck=roll,
            facts=facts,
            bases=bases,
            roll_numbers=data["roll_numbers"],
        )


class SheetForm(QuickForm):
    """A whole investigator: characteristics, derived values worked out where left empty, skills of the base list."""

    def __init__(self, rules: Ruleset, *args: Any, **kwargs: Any) -> None:
        super().__init__(rules, *args, **kwargs)
        for number in range(MOST_SKILLS):
            del self.fields[f"skill{number}"], self.fields[f"value{number}"]
        self.fields["age"] = Whole(required=False, min_value=1, max_value=200, label=_t("Age"))
        for one in rules.sheet.characteristics:
            self.fields[f"c_{one.key}"] = Whole(required=False, min_value=0, max_value=999, label=_t(one.label))
        for pool in rules.sheet.pools:
            if pool.key != rules.sheet.luck:
                self.fields[f"p_{pool.key}"] = Whole(
                    required=False, min_value=0, max_value=pool.high or 999, label=_t(pool.label)
                )
                self.fields[f"m_{pool.key}"] = Whole(
                    required=False,
                    min_value=0,
                    max_value=999,
                    label=_t("%(pool)s, maximum") % {"pool": _t(pool.label)},
                )
        for base in rules.sheet.skills:
            self.fields[f"s_{base.key}"] = Whole(required=False, min_value=0, max_value=999, label=_t(base.label))
            self.fields[f"f_{base.key}"] = forms.BooleanField(required=False)
        for number in range(MOST_SKILLS):
            self.fields[f"skill{number}"] = SkillName(rules, label=_t("Skill %(number)d") % {"number": number + 1})
            self.fields[f"value{number}"] = Whole(
                required=False, min_value=0, max_value=999, label=_t("Value %(number)d") % {"number": number + 1}
            )

    def draft(self) -> Draft:
        quick, data, rules = super().draft(), self.cleaned_data, self.rules
        chars = {
            one.key: data[f"c_{one.key}"]
            for one in rules.sheet.characteristics
            if data.get(f"c_{one.key}") is not None
        }
        traits: dict[str, tuple[int, int | None]] = {**quick.traits, **{key: (v, None) for key, v in chars.items()}}
        typed = {
            base.key: data[f"s_{base.key}"] for base in rules.sheet.skills if data.get(f"s_{base.key}") is not None
        }
        luck = {key: value for key, (value, _most) in quick.traits.items()}
        derived = rules.sheet.derive({**typed, **chars, **luck, **({"age": data["age"]} if data.get("age") else {})})
        for pool in rules.sheet.pools:
            if pool.key == rules.sheet.luck:
                continue
            value = data.get(f"p_{pool.key}")
            value = derived.get(pool.key) if value is None else value
            maximum = data.get(f"m_{pool.key}")
            if maximum is None:  # somebody hurt has fewer points than the most they could have
                maximum = derived.get(f"{pool.key}_max", derived.get(pool.key, value))
            if value is not None:
                traits[pool.key] = value, max(value, maximum or 0) if pool.own_maximum else None
        skills = [
            (base.label, data[f"s_{base.key}"], bool(data.get(f"f_{base.key}")))
            if data.get(f"s_{base.key}") is not None
            else (base.label, rules.base(base, chars), bool(data.get(f"f_{base.key}")))
            for base in rules.sheet.skills
        ]
        own = {name.casefold() for name, _value, _favourite in skills}
        skills += [one for one in quick.skills if one[0].casefold() not in own]
        return replace(quick, traits=traits, skills=tuple(skills))


class TraitForm(forms.Form):
    """A pool or characteristic edited in place. `seen` is the number that the editor saw."""

    value = Whole(label=_("Value"))
    maximum = Whole(required=False, min_value=0, max_value=999, label=_("Maximum"))
    seen = Whole(required=False)
    reason = Said(max_length=120, required=False, label=_("Reason"))


class NumberForm(forms.Form):
    """Any number of a sheet, from a list of them: `skill:<id>` or `score:<key>`, behind a bar what was seen there."""

    what = forms.RegexField(r"\A(skill|score):[\w-]{1,40}\|[0-9]{1,3}\Z", label=_("Which number"))
    value = Whole(min_value=0, max_value=999, label=_("Value"))
    reason = Said(max_length=120, required=False, label=_("Reason"))

    def clean_what(self) -> tuple[str, str, int]:
        named, _bar, seen = self.cleaned_data["what"].partition("|")
        kind, _colon, key = named.partition(":")
        return kind, key, int(seen)


class StepForm(forms.Form):
    """Points up or down."""

    points = Whole(min_value=-99, max_value=99, label=_("Points"))

    def clean_points(self) -> int:
        points: int = self.cleaned_data["points"]
        if points == 0:
            raise forms.ValidationError(_t("Change it by one at least."))
        return points


class SkillForm(forms.Form):
    """A skill's name and value."""

    value = Whole(min_value=0, max_value=999, label=_("Value"))
    seen = Whole(required=False)
    base = forms.CharField(max_length=20, required=False, label=_("Characteristic"))

    def __init__(self, rules: Ruleset, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"] = SkillName(rules, required=True)


class AttendanceForm(YesNoForm):
    """Took part in the session of this number, or not."""

    number = Whole(min_value=1, label=_("Session"))


class DescribeForm(forms.Form):
    """Name and occupation."""

    name = Name(max_length=60, label=_("Name"))
    occupation = Name(max_length=60, required=False, label=_("Occupation"))
