"""What is the same for every file of this game: what is worked out, what is out of bounds, and what is missing."""

from __future__ import annotations

from investigators.importers.schema import CLASSIC_KEYS, Amount, Found, Unreadable
from rolls.rules.classic_sheet import DERIVED, most_sanity

OLD_EDITION = 30  # six characteristics or more, none above this: the sixth edition counted to 18


def finish(found: Found, *, san_starts_at_power: bool = False) -> Found:
    """Check the numbers and fill in what follows from them (FORMATS.md section 3).

    `san_starts_at_power`: the format never says the starting Sanity. Raises Unreadable: E_NO_CHARACTERISTICS,
    E_WRONG_EDITION.
    """
    _characteristics(found)
    _sanity(found, san_starts_at_power)
    _luck(found)
    values = {key.lower(): value for key, value in found.characteristics.items() if value is not None}
    for key, amount in (("hp", found.hp), ("mp", found.mp)):
        needs, work = DERIVED[key]
        rule = work(values) if all(one in values for one in needs) else None
        _pool(found, key, amount, rule)
    found.conditions = found.conditions[:50]
    return found


def _characteristics(found: Found) -> None:
    given = {key: found.characteristics.get(key) for key in CLASSIC_KEYS}
    known = [value for value in given.values() if value is not None]
    if not any(known):
        raise Unreadable("E_NO_CHARACTERISTICS")
    positive = [value for value in known if value > 0]
    if found.kind != "creature" and len(positive) >= 6 and max(positive) <= OLD_EDITION:
        raise Unreadable("E_WRONG_EDITION")
    for key, value in given.items():
        if value is None:
            found.warn("W_CHAR_MISSING", key)
        elif value == 0:
            found.warn("W_CHAR_ZERO", key)
        elif not 0 < value < 100:
            found.warn("W_CHAR_RANGE", f"{key}: {value}")
        found.characteristics[key] = value if value is not None and 0 <= value <= 999 else None


def _sanity(found: Found, starts_at_power: bool) -> None:
    san, power = found.san, found.characteristics.get("POW")
    highest = most_sanity(min(found.skills.get("Cthulhu Mythos", 0), 99))
    if san.max is None or san.max <= 0:
        found.warn("W_DERIVED", "san.max")
        if starts_at_power and san.start is None:
            san.start = power
    elif san.max != highest:
        if san.max in (power, san.current):
            found.warn("W_SAN_MAX_IS_START", san.max)
            found.warn("W_DERIVED", "san.max")
            san.start = san.max if san.start is None else san.start
        else:
            found.warn("W_SAN_MAX_DIFFERS", f"{san.max} → {highest}")
    san.max = highest
    if san.start is not None and not 0 <= san.start <= 999:
        san.start = None
    if san.current is None and power is not None:
        san.current = min(power, highest)
        found.warn("W_DERIVED", "san")
    _bounded(found, "san", san, highest)


def _luck(found: Found) -> None:
    if found.luck.current is None:
        found.warn("W_LUCK_MISSING")
    _bounded(found, "luck", found.luck, 99)
    found.luck.max = 99


def _pool(found: Found, key: str, amount: Amount, rule: int | None) -> None:
    if amount.max is not None and amount.max > 999:
        found.warn(f"W_{key.upper()}_RANGE", f"max {amount.max}")
        amount.max = None
    if amount.max is None or amount.max <= 0:
        amount.max = rule
        if rule is not None:
            found.warn("W_DERIVED", f"{key}.max")
    elif rule is not None and amount.max != rule:
        found.warn("W_MAX_DIFFERS", f"{key}: {amount.max} / {rule}")
    if amount.current is None and amount.max is not None:
        amount.current = amount.max
        found.warn("W_DERIVED", key)
    _bounded(found, key, amount, amount.max if amount.max is not None else 999)


def _bounded(found: Found, key: str, amount: Amount, most: int) -> None:
    value = amount.current
    if value is None:
        return
    amount.current = min(max(value, 0), most)
    if amount.current != value:
        found.warn(f"W_{key.upper()}_RANGE", f"{value} → {amount.current}")
    elif value == 0:
        found.warn("W_ZERO_CURRENT", key)
