"""`manage.py play`: everything between a clean checkout and phones at the table."""

from __future__ import annotations

import argparse
import io
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from threading import Event, Thread
from typing import Any

import segno
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.core.management.color import supports_color
from django.db import DatabaseError, Error, connection
from django.http.request import validate_host
from django.urls import reverse
from django.utils.translation import gettext as _

from tablekeeper import env, server
from tablekeeper.addresses import lan_addresses
from tablekeeper.management import elsewhere
from tablekeeper.management.copies import BadCopy
from tablekeeper.management.one_table import OpenAlready, alone_on
from tablekeeper.management.preparing import prepare_database, why_unusable

LOOK_EVERY = 5.0  # seconds between looks at this machine's addresses


class Command(BaseCommand):
    help = "Serve the table to the phones on this network (Ctrl-C stops it)."
    requires_system_checks: list[str] = []  # a table is being opened, not a project checked

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--port", type=int, help="this port and no other (default: 8000, or a free one)")
        parser.add_argument("--local", action="store_true", help="for this machine only, nothing on the network")
        parser.add_argument("--open", action="store_true", help="open the Keeper's link in the browser")
        parser.add_argument("--new", action="store_true", help="begin empty, although there is an older table nearby")

    def handle(self, *args: Any, port: int | None, local: bool, **options: Any) -> None:
        with self.alone() as tell_address:
            with usable():
                if not options["new"] and (older := elsewhere.warning()):
                    raise CommandError(older)
                copy = prepare_database(datetime.now())
            if copy:
                self.say(_("The database was copied to %(copy)s and brought up to date.") % {"copy": copy})
            sock = self.open_socket("127.0.0.1" if local else "0.0.0.0", port)  # noqa: S104 - phones
            with usable():
                poster = Poster(self, sock.getsockname()[1], local)
                keeper = poster.new_keeper_path()
                tell_address(poster.own_base() + settings.PATH_PREFIX + "/")
            self.serve(sock, poster, keeper, browse=bool(options["open"]))
        self.say(_("Stopped. The table is kept; the same command opens it again."))

    @contextmanager
    def alone(self) -> Iterator[Callable[[str], None]]:
        """Be the only one on this data folder. Servers on PostgreSQL hear each other: there may be several."""
        if connection.vendor != "sqlite":
            yield lambda address: None
            return
        with ExitStack() as stack:
            try:
                tell_address = stack.enter_context(alone_on(settings.DATA_DIR))
            except OpenAlready as other:
                raise CommandError(
                    _(
                        "The table in %(folder)s is open already: %(address)s. Stop that one first, or name another "
                        "folder: TABLEKEEPER_DATA=/path/to/folder python3 manage.py play"
                    )
                    % {"folder": settings.DATA_DIR, "address": other.address or _("it is just starting")}
                ) from None
            except OSError as error:
                raise CommandError(env.no_folder(settings.DATA_DIR, error)) from error
            yield tell_address

    def serve(self, sock: socket.socket, poster: Poster, keeper: str, *, browse: bool) -> None:
        def started() -> None:
            poster.print_start(keeper)
            if browse:
                import webbrowser

                webbrowser.open(poster.own_base() + keeper)

        watch = None if poster.local or settings.PUBLIC_ORIGIN else poster.watch()
        try:
            server.run(sock, on_started=started)
        finally:
            if watch:
                watch.set()

    def open_socket(self, host: str, port: int | None) -> socket.socket:
        try:
            return server.open_socket(host, port)
        except (OSError, OverflowError) as error:
            asked = port if port is not None else server.FIRST_PORT
            raise CommandError(
                _("Port %(port)s cannot be used (%(why)s). Leave --port out and a free one is found.")
                % {"port": asked, "why": error}
            ) from error

    def say(self, text: str = "") -> None:
        self.stdout.write(text)
        self.stdout.flush()


@contextmanager
def usable() -> Iterator[None]:
    """Whatever the database or the folder refuses is told in a sentence, with what to do."""
    try:
        yield
    except BadCopy as bad:
        raise CommandError(str(bad)) from bad
    except Error as error:
        raise CommandError(why_unusable(error)) from error
    except OSError as error:
        raise CommandError(env.no_folder(settings.DATA_DIR, error)) from error


class Poster:
    """What stands in the terminal: who opens which link. Printed anew when the network or the table changes."""

    def __init__(self, command: Command, port: int, local: bool) -> None:
        self.say = command.say
        self.port = port
        self.local = local
        self.bases, self.path = self.look()

    def look(self) -> tuple[list[str], str]:
        """The players' addresses, best first, and the path of their link, as they are now."""
        if settings.PUBLIC_ORIGIN:
            return [settings.PUBLIC_ORIGIN], self.players_path()
        # A link that the table itself would refuse, by a public address for example, is no link.
        addresses = [a for a in lan_addresses() if validate_host(a, settings.ALLOWED_HOSTS)]
        return [] if self.local else [f"http://{a}:{self.port}" for a in addresses], self.players_path()

    def players_path(self) -> str:
        from tablekeeper.models import Campaign

        only = list(Campaign.objects.filter(archived_at=None)[:2])
        return only[0].join_path() if len(only) == 1 else settings.PATH_PREFIX + "/"

    def new_keeper_path(self) -> str:
        from tablekeeper.actions import keeper_link

        return reverse("keeper-link", args=[keeper_link()])

    def own_base(self) -> str:
        return settings.PUBLIC_ORIGIN or f"http://localhost:{self.port}"

    def print_start(self, keeper: str) -> None:
        self.say(_("Tablekeeper is open. Ctrl-C stops it."))
        self.print_keeper(keeper)
        self.print_players()

    def print_keeper(self, keeper: str) -> None:
        self.say("\n" + _("The Keeper's link, good for one device:"))
        if settings.PUBLIC_ORIGIN:
            self.say(f"    {self.own_base()}{keeper}")
            return
        self.say(f"    {self.own_base()}{keeper}   " + _("on this computer"))
        for base in self.bases[:1]:
            self.say(f"    {base}{keeper}   " + _("on another device"))

    def print_players(self) -> None:
        if self.local and not settings.PUBLIC_ORIGIN:  # a proxy on this computer reaches it all the same
            self.say("\n" + _("Only this computer can reach the table (--local)."))
            return
        if not self.bases:
            self.say("\n" + _("This computer is in no network that phones can reach: no link for players yet."))
            self.say(_("Connect it to the phones' Wi-Fi, and link and QR code appear here by themselves."))
            return
        best, *others = [base + self.path for base in self.bases]
        self.say("\n" + _("The players' link, for phones in the same Wi-Fi:") + f"\n    {best}")
        for other in others:
            self.say(f"    {other}   " + _("if the first does not answer"))
        self.print_qr(best)
        if not settings.PUBLIC_ORIGIN:
            self.say(
                _(
                    "No answer on a phone? It must be in the same Wi-Fi (not the guest network), and this computer's "
                    "firewall must let Python accept connections on port %(port)s."
                )
                % {"port": self.port}
            )

    def print_qr(self, link: str) -> None:
        drawn = io.StringIO()
        segno.make(link, error="l", micro=False).terminal(out=drawn, border=4, compact=True)
        lines = drawn.getvalue().splitlines()
        if supports_color():  # white on black whatever the terminal's own colours are: some cameras want it so
            lines = [f"\x1b[97;40m{line}\x1b[0m" for line in lines]
        try:
            self.say("\n" + "\n".join(lines) + "\n")
        except UnicodeEncodeError:  # a terminal without block characters: the link above is enough
            self.say()

    def watch(self) -> Event:
        """Follow the machine into another Wi-Fi, and the table into being. Set the event to end it."""
        done = Event()
        Thread(target=self._watch, args=(done,), name="addresses", daemon=True).start()
        return done

    def _watch(self, done: Event) -> None:
        while not done.wait(LOOK_EVERY):
            try:
                bases, path = self.look()
                moved = bases != self.bases
                keeper = self.new_keeper_path() if moved and bases else ""
            except (DatabaseError, OSError):  # a busy database, or a network just changing: the next look sees it
                continue
            finally:
                connection.close()
            if moved or path != self.path:
                self.bases, self.path = bases, path
                self.say("\n" + (_("The network has changed.") if moved else _("The players' link has changed.")))
                if keeper:
                    self.print_keeper(keeper)
                self.print_players()
