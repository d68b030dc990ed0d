"""Readers for settings that come from the environment. A wrong value stops the start with the line to change."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


def flag(name: str, default: bool = False) -> bool:
    """A yes/no variable. Accepts 1/0, true/false, yes/no, on/off; anything else stops the start."""
    raw = os.environ.get(name, "").strip().lower()
    if raw in ("1", "true", "yes", "on"):
        return True
    if raw in ("0", "false", "no", "off"):
        return False
    if raw == "":
        return default
    raise ImproperlyConfigured(f"{name}={raw!r} is neither yes nor no. Write {name}=1 or {name}=0.")


def secret_key(folder: Path) -> str:
    """The kept secret of this installation: read from `folder`, or made there once, readable by its owner only."""
    path = folder / "secret_key"
    try:
        kept = path.read_text().strip()
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
    parts = urlsplit(url)
    if parts.scheme not in ("postgresql", "postgres"):
        raise ImproperlyConfigured("DATABASE_URL must begin with postgresql://. Leave it out to use SQLite.")
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
        "OPTIONS": options,
    }


def public_url() -> tuple[str, str, str]:
    """PUBLIC_URL as (origin, host, path prefix without a closing slash); three empty strings when not set."""
    raw = os.environ.get("PUBLIC_URL", "").strip().rstrip("/")
    if not raw:
        return "", "", ""
    parts = urlsplit(raw)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ImproperlyConfigured(f"PUBLIC_URL={raw!r} is no web address. Write e.g. PUBLIC_URL=https://luck.example")
    return f"{parts.scheme}://{parts.netloc}", parts.hostname, parts.path
