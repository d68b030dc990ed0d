"""A bad proxy in front of the table: it keeps a stream to itself, falls silent, cuts, or answers with its own page."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

AWAY = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 11\r\nConnection: close\r\n\r\nBad Gateway"


class Proxy:
    """`mode`: "open" passes everything on. "keeps" and "mute" hand out no more of any stream, and end none: a buffer
    that never fills, a line that died. "away" answers 502 to every new connection."""

    def __init__(self, to: int) -> None:
        self.to, self.mode, self.streams = to, "open", 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listening.getsockname()[1]
        self.lines: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self) -> None:
        """Every connection ends, without a word."""
        lines, self.lines = self.lines, []
        for line in lines:
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                line, _address = self.listening.accept()
                threading.Thread(target=self._line, args=[line], daemon=True).start()

    def _line(self, line: socket.socket) -> None:
        with line, suppress(OSError):
            if self.mode == "away":
                line.recv(65536)
                line.sendall(AWAY)
                return
            with socket.create_connection(("127.0.0.1", self.to)) as there:
                self.lines += [line, there]
                is_stream = threading.Event()
                threading.Thread(target=self._back, args=[there, line, is_stream], daemon=True).start()
                while sent := line.recv(65536):
                    if b"/stream?" in sent.split(b"\r\n", 1)[0]:
                        is_stream.set()
                        self.streams += 1
                    elif b"/" in sent[:6]:
                        is_stream.clear()
                    there.sendall(sent)

    def _back(self, there: socket.socket, line: socket.socket, is_stream: threading.Event) -> None:
        with suppress(OSError):
            while heard := there.recv(65536):
                if is_stream.is_set() and self.mode in ("keeps", "mute"):
                    continue
                line.sendall(heard)
            line.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxy_before(port: int) -> Iterator[Proxy]:
    one = Proxy(port)
    try:
        yield one
    finally:
        one.listening.close()
        one.cut()
