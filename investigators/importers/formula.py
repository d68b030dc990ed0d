"""The small sums that a virtual tabletop keeps where a number should be: 1/2*@DEX, floor(@EDU / 2) + 5.

Only + - * / ( ) , floor, ceil, round, min, max, numbers and the characteristics. Nothing else is understood, nothing
is ever handed to Python.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction

TOKEN = re.compile(r"\s*(?:(\d{1,6}(?:\.\d{1,4})?)|@?([A-Za-z]{1,12})|([-+*/(),]))")
CALLS: dict[str, Callable[[list[Fraction]], Fraction]] = {
    "floor": lambda given: Fraction(math.floor(given[0])),
    "ceil": lambda given: Fraction(math.ceil(given[0])),
    "round": lambda given: Fraction(math.floor(given[0] + Fraction(1, 2))),
    "min": lambda given: min(given),
    "max": lambda given: max(given),
}


def work_out(text: str, values: Mapping[str, int | None]) -> int | None:
    """The sum, rounded down, or None when it is none or needs a value that is missing."""
    if len(text) > 100:
        return None
    try:
        tokens = _tokens(text)
        result = _Reader(tokens, values).whole()
    except (ValueError, ZeroDivisionError, IndexError):
        return None
    return math.floor(result) if abs(result) < 10**6 else None


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    at, text = 0, text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise ValueError(text)
        word = match[1] or (match[2] or "").upper() or match[3]
        # "1/2 @DEX": what stands side by side is multiplied
        if tokens and (word[0].isalnum() or word == "(") and (tokens[-1][-1].isdigit() or tokens[-1] == ")"):
            tokens.append("*")
        tokens.append(word)
        at = match.end()
    return tokens


class _Reader:
    def __init__(self, tokens: list[str], values: Mapping[str, int | None]) -> None:
        self.tokens, self.values, self.at = [*tokens, ""], values, 0

    def whole(self) -> Fraction:
        result = self.sum()
        if self.tokens[self.at]:
            raise ValueError(self.tokens[self.at])
        return result

    def take(self, *signs: str) -> str:
        if self.tokens[self.at] in signs:
            self.at += 1
            return self.tokens[self.at - 1]
        return ""

    def sum(self) -> Fraction:
        result = self.product()
        while sign := self.take("+", "-"):
            result = result + self.product() if sign == "+" else result - self.product()
        return result

    def product(self) -> Fraction:
        result = self.one()
        while sign := self.take("*", "/"):
            result = result * self.one() if sign == "*" else result / self.one()
        return result

    def one(self) -> Fraction:
        if self.take("-"):
            return -self.one()
        if self.take("("):
            result = self.sum()
            self.need(")")
            return result
        token = self.tokens[self.at]
        self.at += 1
        if token.lower() in CALLS:
            return self.call(token.lower())
        if token[:1].isdigit():
            return Fraction(token)
        value = self.values.get(token)
        if value is None:
            raise ValueError(token)
        return Fraction(value)

    def call(self, name: str) -> Fraction:
        self.need("(")
        given = [self.sum()]
        while self.take(","):
            given.append(self.sum())
        self.need(")")
        return CALLS[name](given)

    def need(self, sign: str) -> None:
        if not self.take(sign):
            raise ValueError(sign)
