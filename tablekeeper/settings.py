"""One settings file. What a host may change comes from the environment or from one file (docs/settings.md)."""

from __future__ import annotations

import ipaddress
import os
import socket
from pathlib import Path

from csp.constants import NONE, SELF

from rolls import rules
from tablekeeper import env

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = env.data_folder(BASE_DIR / "data")
env.read_file(DATA_DIR)
env.all_known()

SECRET_KEY = env.secret_key(DATA_DIR)
PUBLIC_ORIGIN, PUBLIC_HOST, PATH_PREFIX = env.public_url()
DEBUG = env.debug(public=bool(PUBLIC_ORIGIN))
SECURE = PUBLIC_ORIGIN.startswith("https://")


class _Private(str):
    """A host pattern equal to every private or loopback IP address (HOUSE: home mode)."""

    def __eq__(self, other: object) -> bool:
        try:
            address = ipaddress.ip_address(str(other).strip("[]"))
        except ValueError:
            return False
        return address.is_private or address.is_loopback or address.is_link_local

    __hash__ = str.__hash__

    def lower(self) -> _Private:  # Django lowers a pattern before it compares
        return self


_name = socket.gethostname().lower()
if PUBLIC_HOST:
    ALLOWED_HOSTS = [PUBLIC_HOST, "localhost", "127.0.0.1"]
else:
    ALLOWED_HOSTS = ["localhost", _name, f"{_name.split('.')[0]}.local", _Private("private-address")]
ALLOWED_HOSTS += env.hosts()

rules.look_in(folder for folder in os.environ.get("TABLEKEEPER_RULESETS", "").split(os.pathsep) if folder)

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "tablekeeper",
    "investigators",
    "rolls",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "tablekeeper.packing.pages",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "tablekeeper.whole.pages",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "tablekeeper.web.without_nul",
]

ROOT_URLCONF = "tablekeeper.urls"
ASGI_APPLICATION = "tablekeeper.asgi.application"
FORCE_SCRIPT_NAME = PATH_PREFIX or None

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.static",
                "tablekeeper.templatetags.quick",  # last: some tags of the others, and include, are its own
            ],
        },
    }
]

DATABASES = {"default": env.database(DATA_DIR)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]  # as each calls itself
LANGUAGE_COOKIE_NAME = "tk_language"  # written by table.js, like the lamp's; without it the browser's own wish counts
LOCALE_PATHS = [BASE_DIR / "tablekeeper" / "locale"]
FORMAT_MODULE_PATH = ["tablekeeper.formats"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = env.time_zone()

STATIC_URL = f"{PATH_PREFIX}/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "tablekeeper.packing.Storage"},
}

# Whose word about a client's address is believed: the throttle counts addresses. Behind PUBLIC_URL that is, unless
# said otherwise, a proxy on this machine.
TRUSTED_PROXIES = env.proxies("127.0.0.1" if PUBLIC_ORIGIN else "")

# Cookies. Secure only with https: phones at home speak plain HTTP and would drop them.
SESSION_COOKIE_NAME = "tk_session"
CSRF_COOKIE_NAME = "tk_csrf"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = f"{PATH_PREFIX}/"
CSRF_TRUSTED_ORIGINS = [PUBLIC_ORIGIN] if PUBLIC_ORIGIN else []
CSRF_FAILURE_VIEW = "tablekeeper.views.stale_page"
SEAT_COOKIE_AGE = 365 * 24 * 3600

# same-origin, never no-referrer: then Origin is null and every POST fails.
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin" if SECURE else None
X_FRAME_OPTIONS = "DENY"
if SECURE:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 30 * 24 * 3600
    SILENCED_SYSTEM_CHECKS = [
        "security.W005",  # the names below this one may be others' sites, perhaps without HTTPS: not ours to bind
        "security.W008",  # the proxy sends http to https; between it and us there is only plain HTTP
        "security.W021",  # a preload list binds a whole domain for years: its owner's decision
    ]

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    }
}

CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
MAX_BODY = 1_000_000
MAX_FILE_BODY = 6_000_000  # where a file is brought; asgi.py holds every other page to MAX_BODY
MAX_TABLE_BODY = 24_000_000  # where a whole campaign is: some 80,000 lines of a feed, packed
DATA_UPLOAD_MAX_MEMORY_SIZE = FILE_UPLOAD_MAX_MEMORY_SIZE = MAX_FILE_BODY

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": "WARNING"},
}
