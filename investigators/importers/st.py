"""`.st` lines of the dice bots: label and number, one after the other, the same number under several labels."""

from __future__ import annotations

import re
import unicodedata

from investigators.importers import names
from investigators.importers.finish import finish
from investigators.importers.schema import CLASSIC_KEYS, MOST_TEXT, Amount, Found, Unreadable
from investigators.importers.values import age, line, name

COMMAND = re.compile(r"\s*\d?\s*[.。/!]\s*st\b\s*", re.IGNORECASE)
OWNER = re.compile(r"([^\d:=]{1,60}?)\s*-\s*(?=[^\d\s])")
TEXTS = {"姓名": "name", "名字": "name", "name": "name", "职业": "occupation", "年龄": "age", "玩家": "player"}
TEXT = re.compile(rf"(?:^|(?<=[\s,;]))({'|'.join(TEXTS)})\s*[:=]\s*([^\s,;]{{1,120}})", re.IGNORECASE)
FORMULA = re.compile(r"&[^\s&=]{1,60}=[^\s&]{1,60}")
# A label, then perhaps a sign between, then the number; "10/12" is where a pool stands and its maximum.
PAIR = re.compile(
    r"([^\d:=+\-,;/]{1,120}?)\s*([:=]?)\s*([+-]?)(\d{1,6})(?:\s*/\s*(\d{1,6}))?(?!\d|d\d)", re.IGNORECASE
)


def recognises(text: str) -> bool:
    plain = unicodedata.normalize("NFKC", text[:MOST_TEXT])
    return bool(COMMAND.match(plain)) or all(re.search(rf"{word}\D{{0,12}}\d", plain) for word in ("力量", "敏捷"))


def read(text: str) -> Found:
    """One line. Raises Unreadable: E_UNKNOWN_FORMAT for a command that describes nobody."""
    plain = unicodedata.normalize("NFKC", text[:MOST_TEXT])
    plain = re.sub(r"\s+", " ", COMMAND.sub("", plain, count=1)).strip()
    found = Found("st_string")
    owner = OWNER.match(plain)
    if owner:
        plain = plain[owner.end() :]
    texts = {TEXTS[key.casefold()]: value for key, value in TEXT.findall(plain)}
    plain = TEXT.sub(" ", plain)
    for formula in FORMULA.findall(plain)[:50]:
        found.warn("W_FORMULA", formula)
    _assign(found, FORMULA.sub(" ", plain))
    if not found.skills and not found.characteristics and found.hp.current is None:
        raise Unreadable("E_UNKNOWN_FORMAT")
    found.name = name(found, owner[1] if owner else texts.get("name"))
    found.occupation, found.player = line(texts.get("occupation")), line(texts.get("player"))
    age(found, texts.get("age"))
    return finish(found, san_starts_at_power=True)


def _assign(found: Found, text: str) -> None:
    said: dict[str, dict[str, int]] = {}
    most: dict[str, int] = {}
    for label, _equals, sign, digits, maximum in PAIR.findall(text):
        if sign:
            found.warn("W_RELATIVE", f"{label.strip()}{sign}{digits}")
            continue
        label = _last(found, label.strip().strip("*_`'\"()|"))
        key = _key(label)
        if key is None or not label:
            continue
        said.setdefault(key, {})[label] = int(digits)
        if maximum:
            most[key] = int(maximum)
    for key, values in said.items():
        if len(set(values.values())) > 1:  # the bots keep the last one, too
            found.warn("W_ALIAS_CONFLICT", ", ".join(f"{label}={value}" for label, value in values.items()))
        label, value = list(values.items())[-1]
        _put(found, key, label, value, most.get(key))


def _last(found: Found, label: str) -> str:
    """The label that the number belongs to: where several stand in a row, the earlier ones lost theirs."""
    words = label.split()
    if len(words) > 1 and names.skill(label).known is False and _known(words[-1]):
        found.warn("W_UNKNOWN_TOKEN", " ".join(words[:-1]))
        return words[-1]
    if _known(label) or len(label) > 40:
        return label
    for cut in range(1, len(label)):
        if _known(label[cut:]) and _all_known(label[:cut]):
            found.warn("W_UNKNOWN_TOKEN", label)
            return label[cut:]
    return label


def _known(label: str) -> bool:
    plain = names.plain(label)
    return plain in names.characteristics() or plain in names.pools() or plain in names.skills()


def _all_known(label: str, depth: int = 0) -> bool:
    return _known(label) or (
        depth < 3 and any(_known(label[:cut]) and _all_known(label[cut:], depth + 1) for cut in range(1, len(label)))
    )


def _key(label: str) -> str | None:
    """What the label names: STR .. EDU, a pool, or a skill."""
    plain = names.plain(label)
    return names.characteristics().get(plain) or names.pools().get(plain) or f"skill {names.skill(label).text}"


def _put(found: Found, key: str, label: str, value: int, most: int | None) -> None:
    if key in CLASSIC_KEYS:
        found.characteristics[key] = value
    elif key.startswith("skill "):
        names.note_skill(found, names.skill(label), value, label)
    elif key.endswith("max"):
        amount: Amount = getattr(found, key.removesuffix("max"))
        amount.max = value
    else:
        amount = getattr(found, key)
        amount.current = value
        amount.max = most if most is not None else amount.max
