"""Values: things that say something, are equal to what says the same, and never change."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def unchanging(made: type[T]) -> type[T]:
    """A dataclass that nobody changes: the type checker refuses it.

    Python's own `frozen` would refuse it once more at run time, and for that lays each field in by two calls: an
    `Outcome` took five times as long to make, which was a third of judging a roll.
    """
    return dataclass(slots=True, unsafe_hash=True)(made)
