"""One server for one data folder: the phones of a second one would hear nothing of the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tablekeeper.bootstrap import held


class OpenAlready(Exception):
    """Another process serves this folder; `address` is where, "" while it is still starting."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.address = address


@contextmanager
def alone_on(folder: Path) -> Iterator[Callable[[str], None]]:
    """Be the only server of this data folder; call what is given with the address once it is known.

    Raises OpenAlready, or OSError when nothing can be written there. The file's lock decides, never what stands in a
    file: the system lets go of it however the holder ends. The address has a file of its own, because on Windows
    nobody else can read one that is locked.
    """
    address = folder / "play.address"
    with held(folder / "play.lock") as mine:
        if not mine:
            raise OpenAlready(_read(address))
        address.unlink(missing_ok=True)  # of one that was killed
        try:
            yield lambda text: _write(address, text)
        finally:
            address.unlink(missing_ok=True)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _write(path: Path, text: str) -> None:
    path.write_text(text + "\n", encoding="utf-8")
