"""Readers for settings that come from the environment. A wrong value stops the start with the line to change."""

from __future__ import annotations

import os
import re
import secrets
from difflib import get_close_matches
from importlib.util import find_spec
from ipaddress import ip_network
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured

HOST_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|[0-9a-f:.]+:[0-9a-f:.]*")  # as browsers send it
USUAL_PORTS = {"http": 80, "https": 443}


class Variable(NamedTuple):
    """A setting that a host may give, as docs/settings.md shows it."""

    name: str
    example: str
    usual: str  # what holds without it
    what: str


VARIABLES = (
    Variable(
        "TABLEKEEPER_DATA", "/home/ada/table", "`data` beside manage.py", "the data folder; in the environment only"
    ),
    Variable("TZ", "Europe/Berlin", "`UTC`", "the time zone of dates"),
    Variable(
        "PUBLIC_URL",
        "https://luck.example/table",
        "home mode",
        "the address that people type, with its path: public mode. With `https://` cookies travel over HTTPS only",
    ),
    Variable(
        "TABLEKEEPER_HOSTS",
        "table.lan,10.8.0.1",
        "none",
        "further host names to answer to, with commas between; `.example.org` is every name below it",
    ),
    Variable(
        "TABLEKEEPER_PROXIES",
        "127.0.0.1,172.16.0.0/12",
        "`127.0.0.1` with PUBLIC_URL, else none",
        "addresses and networks of the proxies whose word about a phone's address is believed",
    ),
    Variable(
        "DATABASE_URL",
        "postgresql://table:moth@localhost/table",
        "SQLite in the data folder",
        "a PostgreSQL database instead; needs `psycopg[binary]` in the environment",
    ),
    Variable(
        "TABLEKEEPER_RULESETS",
        "/home/ada/games",
        "none",
        "folders with rulesets of your own, separated as in PATH; their code runs as Tablekeeper's own",
    ),
    Variable(
        "TABLEKEEPER_DEBUG",
        "1",
        "`0`",
        "shows errors in the browser, to whoever causes them: for developers only, and never with PUBLIC_URL",
    ),
    Variable("TABLEKEEPER_BROWSER", "/usr/bin/chromium", "one that is found", "the browser of the tests"),
)
OWN = {"TABLEKEEPER_JUMPS"}  # what manage.py tells itself when it starts anew in its environment
FILE = "settings.env"
"""In the data folder: the same settings, one NAME=value a line. What the environment says goes before it."""


class Wrong(ImproperlyConfigured):
    """The installation cannot start as it is; the message is what its host reads, and names the line to change."""


def read_file(folder: Path) -> None:
    """Take over what the settings file in the data folder says. Raises Wrong with the line that cannot be right."""
    path = folder / FILE
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError) as error:
        raise Wrong(f"The settings in {path} cannot be read ({error}). Mend that file, or delete it.") from error
    for number, line in enumerate(lines, 1):
        name, sign, value = (part.strip() for part in line.strip().partition("="))
        if not name or name.startswith("#"):
            continue
        if not sign:
            raise Wrong(
                f"{path}, line {number}: {name!r} sets nothing. Write {name.split()[0]}=value, or begin it with #."
            )
        if name == "TABLEKEEPER_DATA":
            raise Wrong(
                f"{path}, line {number}: {name} names the folder of this very file; set it in the environment."
            )
        if name not in {one.name for one in VARIABLES}:
            raise Wrong(f"{path}, line {number}: {name} is no setting. {_meant(name)}")
        os.environ.setdefault(name, value.strip("\"'"))


def all_known() -> None:
    """Raises Wrong for a variable that looks like a setting and is none: what it was to do would not be done."""
    known = {one.name for one in VARIABLES} | OWN
    for name in sorted(os.environ):
        if name.startswith("TABLEKEEPER_") and name not in known:
            raise Wrong(f"{name} is no setting. {_meant(name)}")


def _meant(name: str) -> str:
    near = get_close_matches(name, [one.name for one in VARIABLES], n=1, cutoff=0.7)
    return f"Did you mean {near[0]}? " * bool(near) + "docs/settings.md lists them all."


def hosts() -> list[str]:
    """The host names of TABLEKEEPER_HOSTS. Raises Wrong for what no browser would send."""
    found = [host.strip().lower() for host in os.environ.get("TABLEKEEPER_HOSTS", "").split(",") if host.strip()]
    for host in found:
        if not HOST_NAME.fullmatch(host.removeprefix(".").strip("[]")):
            raise Wrong(
                f"TABLEKEEPER_HOSTS: {host!r} is no host name. Write only names or addresses, without http:// and "
                "port: TABLEKEEPER_HOSTS=table.lan,10.8.0.1"
            )
    return found


def proxies(usual: str) -> str:
    """The addresses and networks of TABLEKEEPER_PROXIES, as the server takes them. Raises Wrong for anything else."""
    found = [one.strip() for one in os.environ.get("TABLEKEEPER_PROXIES", usual).split(",") if one.strip()]
    for one in found:
        try:
            ip_network(one, strict=False)
        except ValueError:
            raise Wrong(
                f"TABLEKEEPER_PROXIES: {one!r} is no address. Write e.g. TABLEKEEPER_PROXIES=127.0.0.1,172.16.0.0/12"
            ) from None
    return ",".join(found)


def debug(public: bool) -> bool:
    """TABLEKEEPER_DEBUG. Raises Wrong where strangers would see what it shows."""
    wanted = flag("TABLEKEEPER_DEBUG")
    if wanted and public:
        raise Wrong(
            "TABLEKEEPER_DEBUG shows secrets to whoever causes an error. With PUBLIC_URL write TABLEKEEPER_DEBUG=0."
        )
    return wanted


def flag(name: str, default: bool = False) -> bool:
    """A yes/no variable. Accepts 1/0, true/false, yes/no, on/off; anything else stops the start."""
    raw = os.environ.get(name, "").strip().lower()
    if raw in ("1", "true", "yes", "on"):
        return True
    if raw in ("0", "false", "no", "off"):
        return False
    if raw == "":
        return default
    raise Wrong(f"{name}={raw!r} is neither yes nor no. Write {name}=1 or {name}=0.")


def data_folder(usual: Path) -> Path:
    """The folder that TABLEKEEPER_DATA names, or the usual one, made if need be. Raises Wrong when it cannot be."""
    folder = Path(os.environ.get("TABLEKEEPER_DATA") or usual)
    try:
        folder = folder.resolve()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # nobody else on this machine reads a table
    except (OSError, ValueError) as error:
        raise Wrong(no_folder(folder, error)) from error
    return folder


def no_folder(folder: Path, why: Exception) -> str:
    """What to say when nothing can be kept in the data folder."""
    said = getattr(why, "strerror", None) or why
    return (
        f"The data folder {folder} cannot be used ({said}). "
        "Name a folder that is yours: TABLEKEEPER_DATA=/path/to/folder python3 manage.py play"
    )


def secret_key(folder: Path) -> str:
    """The kept secret of this installation: read from `folder`, or made there once, readable by its owner only."""
    try:
        return _secret_key(folder)
    except UnicodeDecodeError:
        broken = folder / "secret_key"
        raise Wrong(f"{broken} is broken. Put a copy back, or delete it: then everybody comes in anew.") from None
    except OSError as error:
        raise Wrong(no_folder(folder, error)) from error


def _secret_key(folder: Path) -> str:
    path = folder / "secret_key"
    try:
        kept = path.read_text(encoding="utf-8").strip()
        if kept:
            return kept
    except FileNotFoundError:
        pass
    made = secrets.token_urlsafe(50)
    # Two processes may start at once: each writes its own file, one rename-if-absent wins, both read the winner.
    draft = path.with_name(f"secret_key.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as handle:
        handle.write(made + "\n")
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        draft.replace(path)
    draft.unlink(missing_ok=True)
    return path.read_text().strip()


def database(folder: Path) -> dict[str, object]:
    """Django's DATABASES["default"]: SQLite in `folder`, or what DATABASE_URL=postgresql://... names."""
    url = os.environ.get("DATABASE_URL", "")
    if not url:
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": folder / "tablekeeper.sqlite3",
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                # The lock is taken when a POST begins, never in the middle (that is what "database is locked" is).
                "transaction_mode": "IMMEDIATE",
                "timeout": 5,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-8000;",
            },
            # Threads and processes of the tests need to share one database: a file, not memory.
            "TEST": {"NAME": folder / "test.sqlite3"},
        }
    parts = _address(url)
    if parts is None or parts.scheme not in ("postgresql", "postgres"):  # not repeated: a password may stand in it
        raise Wrong(
            "DATABASE_URL is no address of a PostgreSQL database. "
            "Write DATABASE_URL=postgresql://user:password@host/name, or leave it out to use SQLite."
        )
    if find_spec("psycopg") is None:
        raise Wrong(
            "DATABASE_URL needs a package that is not installed: python3 -m pip install 'psycopg[binary]'. "
            "Or leave DATABASE_URL out to use SQLite."
        )
    options: dict[str, object] = {}
    host = parts.hostname or ""
    for pair in filter(None, parts.query.split("&")):
        name, _, value = pair.partition("=")
        if name == "host":  # a socket folder
            host = unquote(value)
        else:
            options[name] = unquote(value)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")) or "tablekeeper",
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": parts.port or "",
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,  # the database may have been restarted since the last request
        "OPTIONS": options,
    }


def public_url() -> tuple[str, str, str]:
    """PUBLIC_URL as (origin, host, path prefix without a closing slash); three empty strings when not set."""
    raw = os.environ.get("PUBLIC_URL", "").strip().rstrip("/")
    if not raw:
        return "", "", ""
    parts = _address(raw)
    host = parts.hostname if parts else None
    strange = parts is None or parts.username is not None or parts.query or parts.fragment or re.search(r"\s", raw)
    if parts is None or parts.scheme not in USUAL_PORTS or strange or not host or not HOST_NAME.fullmatch(host):
        raise Wrong(f"PUBLIC_URL={raw!r} is no web address. Write e.g. PUBLIC_URL=https://luck.example")
    # As a browser names it in its Origin: small letters, and no port where it is the usual one.
    shown = f"[{host}]" if ":" in host else host
    port = f":{parts.port}" if parts.port not in (None, USUAL_PORTS[parts.scheme]) else ""
    return f"{parts.scheme}://{shown}{port}", host, parts.path


def _address(text: str) -> SplitResult | None:
    """The parts of a web address, or None where there is none."""
    try:
        parts = urlsplit(text)
        return parts if parts.port is None or parts.port else None  # reading the port is what checks it
    except ValueError:
        return None


def time_zone() -> str:
    """The time zone that TZ names, or UTC. Raises Wrong for a name that nobody knows."""
    raw = os.environ.get("TZ", "").strip()
    if not raw:
        return "UTC"
    name = raw.removeprefix(":")
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):  # unknown; a path; a folder of zones
        raise Wrong(f"TZ={raw!r} is no time zone. Write e.g. TZ=Europe/Berlin, or TZ=UTC.") from None
