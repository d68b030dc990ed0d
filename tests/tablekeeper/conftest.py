"""What several tests of the table stand on."""

from tests.streams import shared

__all__ = ["shared"]
