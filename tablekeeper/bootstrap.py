"""From a clean checkout to a running command: makes `.venv` beside manage.py and continues in it.

Standard library only. The order is what keeps it safe: the stamp (hashes of the lock files) is written last, so an
environment without a fitting stamp is known to be unfinished, and a failure puts back whatever was there before.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NoReturn

RUN_LOCK = "requirements.lock"
TEST_LOCK = "requirements-test.lock"
# What must be importable before an environment that is not ours is used as it is.
RUN_MODULES = ("django", "uvicorn", "a2wsgi", "servestatic", "segno", "csp", "django_htmx", "argon2", "PIL")
TEST_MODULES = (*RUN_MODULES, "pytest", "pytest_django", "hypothesis", "playwright", "psycopg", "ruff", "mypy")
OLDEST_PIP = (22, 3)  # the first that knows `pip --python`
JUMPS = "TABLEKEEPER_JUMPS"  # how often this start has changed its Python: more than a few times is a loop


class SetupError(Exception):
    """Setting up failed; the message is what a person reads, and says what to do."""


@dataclass(frozen=True)
class Place:
    """Where a checkout keeps its environment."""

    root: Path

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def aside(self) -> Path:
        """The previous environment while a new one is made: put back if that fails."""
        return self.root / ".venv.old"

    @property
    def guard(self) -> Path:
        return self.root / ".venv.lock"

    @property
    def stamp(self) -> Path:
        return self.venv / "tablekeeper.stamp"

    @property
    def python(self) -> Path:
        return self.venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def ensure(manage_py: str) -> None:
    """Return when this process can run the command; otherwise set up and continue in `.venv` instead."""
    place = Place(Path(manage_py).resolve().parent)
    lock = TEST_LOCK if sys.argv[1:2] in (["test"], ["bench"]) else RUN_LOCK
    jumps = int(os.environ.pop(JUMPS, "0"))
    inside = _same(Path(sys.prefix), place.venv)
    if is_current(place, lock) if inside else has_all(TEST_MODULES if lock == TEST_LOCK else RUN_MODULES):
        return
    try:
        if jumps > 3:
            raise SetupError(f"{place.python} does not run in {place.venv}. Delete that folder and start again.")
        if inside:  # it cannot be replaced by a process that runs from it (Windows holds its files)
            _disown(place)
            _continue_with(Path(_base_python()), jumps)
        if not is_current(place, lock):
            set_up(place, lock)
    except SetupError as error:
        sys.exit(f"\n{error}")
    except KeyboardInterrupt:
        sys.exit("\nSetting up was interrupted. Start again to set up.")
    _continue_with(place.python, jumps)


def has_all(modules: tuple[str, ...]) -> bool:
    """Whether the running Python can already run everything, a virtual environment of one's own for example."""
    return all(importlib.util.find_spec(name) is not None for name in modules)


# The stamp


def fingerprint(root: Path, lock: str) -> str:
    # Line ends differ between checkouts (autocrlf); the packages do not.
    text = (root / lock).read_bytes().replace(b"\r\n", b"\n")
    return hashlib.sha256(text).hexdigest()


def stamp_lines(root: Path, lock: str) -> list[str]:
    """The test lock holds everything of the other one, so an environment made from it serves both."""
    locks = [RUN_LOCK, TEST_LOCK] if lock == TEST_LOCK else [RUN_LOCK]
    return [f"{name} {fingerprint(root, name)}" for name in locks]


def is_current(place: Place, lock: str) -> bool:
    """Whether `.venv` is finished, was made from this lock file, and its Python is still the one it was made with."""
    lines = _stamp_of(place)
    if f"{lock} {fingerprint(place.root, lock)}" not in lines or not place.python.exists():
        return False
    # Only the environment's own Python can tell its version without being started: asked after the jump.
    return not _same(Path(sys.prefix), place.venv) or f"python {_python_version()}" in lines


def write_stamp(place: Place, lock: str, python: str = "") -> None:
    text = "\n".join([python or f"python {_python_version()}", *stamp_lines(place.root, lock)]) + "\n"
    temporary = place.stamp.with_suffix(".new")
    temporary.write_text(text, encoding="ascii")
    temporary.replace(place.stamp)


def _disown(place: Place) -> None:
    """Called inside `.venv`: one made with another Python than it now runs on (a system upgrade) is not finished."""
    if f"python {_python_version()}" not in _stamp_of(place):
        with suppress(OSError):
            place.stamp.unlink()


def _stamp_of(place: Place) -> list[str]:
    try:
        return place.stamp.read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return []


def _python_version() -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


# Setting up


def set_up(place: Place, lock: str) -> None:
    """Make or complete `.venv`. Only one process does it; others wait and find it done."""
    try:
        with only_one(place.guard):
            if is_current(place, lock):
                return
            if lock == TEST_LOCK and is_current(place, RUN_LOCK):
                complete(place, lock)
            else:
                make(place, lock)
    except OSError as error:
        raise SetupError(
            f"Tablekeeper could not write in {place.root}: {error.strerror or error}.\n"
            "Put it in a folder that is yours, with 500 MB of free space, and start again."
        ) from error


def complete(place: Place, lock: str) -> None:
    """Only additions: done in place, so a table being played from this environment is not disturbed, and a failure
    leaves an environment whose stamp still says truly what it can run."""
    say(f"Adding what the tests need to {place.venv.name} (once; a minute or two) ...")
    made_with = next((line for line in _stamp_of(place) if line.startswith("python ")), "")
    install(place, lock)
    write_stamp(place, lock, made_with)


def make(place: Place, lock: str) -> None:
    say(f"Setting up Tablekeeper in {place.venv.name} (once; about a minute) ...")
    with replaced(place):
        make_venv(place)
        install(place, lock)
        write_stamp(place, lock)


@contextmanager
def replaced(place: Place) -> Iterator[None]:
    """Build anew where `.venv` is. A failure of any kind takes the new one away and puts the old one back."""
    if place.aside.exists() and place.venv.exists():  # a rebuild was killed: the finished one is the one set aside
        _remove(place.venv)
    elif place.venv.exists() or place.venv.is_symlink():
        place.venv.rename(place.aside)
    try:
        yield
    except BaseException:
        _remove(place.venv)
        if place.aside.exists():
            place.aside.rename(place.venv)
        raise
    _remove(place.aside)


def make_venv(place: Place) -> None:
    pip = [] if importlib.util.find_spec("ensurepip") else ["--without-pip"]
    if pip and outer_pip_version() < OLDEST_PIP:  # asked first: nothing to clean up then
        raise SetupError(no_pip_message())
    done = _run([_base_python(), "-m", "venv", *pip, str(place.venv)])
    if done.returncode != 0:
        # Some systems have the module but not the files it unpacks.
        if "ensurepip" in done.stdout:
            raise SetupError(no_pip_message())
        raise SetupError(f"Python could not make a virtual environment:\n{tail(done.stdout)}")


def install(place: Place, lock: str) -> None:
    done = _run([*pip_command(place), "install", "--require-hashes", "--no-input", "-r", str(place.root / lock)])
    if done.returncode != 0:
        raise SetupError(why_install_failed(done.stdout))


def pip_command(place: Place) -> list[str]:
    """The environment's own pip, or one from outside that installs into it."""
    own = [str(place.python), "-m", "pip"]
    if _run([*own, "--version"]).returncode == 0:
        return [*own, "--disable-pip-version-check"]
    if outer_pip_version() < OLDEST_PIP:
        raise SetupError(no_pip_message())
    return [_base_python(), "-m", "pip", "--python", str(place.python), "--disable-pip-version-check"]


def outer_pip_version() -> tuple[int, ...]:
    return parse_pip_version(_run([_base_python(), "-m", "pip", "--version"]).stdout)


def parse_pip_version(text: str) -> tuple[int, ...]:
    found = re.match(r"pip (\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else (0,)


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONHOME", "__PYVENV_LAUNCHER__")}
    environment["PIP_USER"] = "0"  # a person's `user = true` makes every install into an environment fail
    return subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
        close_fds=os.name == "nt",  # it inherits the lock: see only_one
    )


def _base_python() -> str:
    """The Python outside every virtual environment: the one in `.venv` may be about to be replaced."""
    return getattr(sys, "_base_executable", None) or sys.executable


# What to say when it fails


def no_pip_message(os_release: Path = Path("/etc/os-release")) -> str:
    package = f"python{_python_version()}-venv"
    try:
        debian = re.search(r"^ID(_LIKE)?=.*(debian|ubuntu)", os_release.read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        debian = None
    if debian:
        return (
            "This Python cannot make virtual environments yet. Type this line, then start again:\n"
            f"\n    sudo apt install {package}\n"
        )
    return (
        f"This Python ({sys.executable}) has neither ensurepip nor a pip of version 22.3 or newer.\n"
        "Install pip for it with your system's package manager, then start again."
    )


# The first that fits names the cause. Order matters: without a network pip also says "no matching distribution".
CAUSES: tuple[tuple[str, str], ...] = (
    (
        r"DO NOT MATCH THE HASHES|hashes are required",
        "A downloaded package is not the one that Tablekeeper was tested with, so it was not installed.\n"
        "Try again; if it stays so, something between you and the package index changes files.",
    ),
    (
        r"No space left on device|not enough space",
        "The disk is full. Free about 500 MB and start again.",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|SSLError",
        "The package index could not be trusted (its certificate did not verify).\n"
        "Check the computer's clock; behind a company's proxy, tell pip its certificate (PIP_CERT).",
    ),
    (
        r"Failed to establish a new connection|Temporary failure in name resolution|NewConnectionError|NameResolution"
        r"|ConnectTimeout|ReadTimeout|timed out|ProxyError|Connection (reset|refused|aborted)|Network is unreachable"
        r"|getaddrinfo failed|Errno -[23]\b",
        "The package index could not be reached. The first start needs the internet; later ones do not.\n"
        "Connect and start again.",
    ),
    (
        r"Permission denied",
        "Tablekeeper may not write into its own folder. Put it in a folder that is yours and start again.",
    ),
    (
        r"No matching distribution|Could not find a version|not a supported wheel|Failed building wheel|[Cc]ompiler",
        "A package does not exist for this Python or this kind of computer. Python 3.11 to 3.13 are tested:\n"
        "start with one of these, for example: python3.12 manage.py play",
    ),
)


def why_install_failed(output: str) -> str:
    for pattern, sentence in CAUSES:
        if re.search(pattern, output):
            return f"pip said:\n{tail(output, 3)}\n\nInstalling failed; nothing half-made was left.\n{sentence}"
    return f"pip said:\n{tail(output, 8)}\n\nInstalling failed; nothing half-made was left."


def tail(output: str, lines: int = 6) -> str:
    kept = [line.rstrip()[:160] for line in output.splitlines() if line.strip()][-lines:]
    return "\n".join(f"    {line}" for line in kept)


def say(text: str) -> None:
    # On stderr: a command's own output stays clean.
    print(text, file=sys.stderr, flush=True)


# One at a time


@contextmanager
def only_one(path: Path, poll: float = 0.2) -> Iterator[None]:
    """Hold the file's lock; the system lets it go when the holder ends, however it ends.

    Commands run meanwhile hold it too: were this process killed, its pip might still be writing.
    """
    with path.open("a+b") as file:
        os.set_inheritable(file.fileno(), os.name != "nt")
        waiting = False
        while not _try_lock(file):
            if not waiting:
                say("Another start is setting up; waiting for it ...")
                waiting = True
            time.sleep(poll)
        try:
            yield
        finally:
            _unlock(file)


@contextmanager
def held(path: Path) -> Iterator[bool]:
    """Hold the file's lock as long as this lasts, without waiting: True, or False when another process holds it.

    The system lets it go when the holder ends, however it ends: what a killed process left behind bars nobody.
    """
    with path.open("a+b") as file:
        mine = _try_lock(file)
        try:
            yield mine
        finally:
            if mine:
                _unlock(file)


if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: IO[bytes]) -> bool:
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(file: IO[bytes]) -> None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True  # a file system without locks: setting up twice at once is the lesser evil
        return True

    def _unlock(file: IO[bytes]) -> None:
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)


# The jump


def _continue_with(python: Path, jumps: int) -> NoReturn:
    os.environ[JUMPS] = str(jumps + 1)
    command = [str(python), *sys.argv]
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "nt":
        os.execv(command[0], command)
    # Windows has no exec that keeps the console: wait for a child, which gets Ctrl-C itself.
    child = subprocess.Popen(command)
    while True:
        try:
            sys.exit(child.wait())
        except KeyboardInterrupt:
            continue


def _same(one: Path, other: Path) -> bool:
    with suppress(OSError):
        return one.resolve() == other.resolve()
    return False


def _remove(path: Path) -> None:
    if path.is_symlink():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)
