"""A network between the store and its server that falls silent: the peer neither answers nor closes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import sqlalchemy as sa


class Relay:
    """Pass bytes between clients and the server until a client sends certain words, or a test sets `silent`.

    Attributes:
        silent: from then on nothing is passed, and new connections are never answered.
    """

    def __init__(self, url: str, words: bytes | None) -> None:
        self._server = sa.make_url(url)
        self._words, self.silent = words, threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._opened = [self._listener]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        """The URL of the database through this relay."""
        through = self._server.difference_update_query(["host"]).set(host="127.0.0.1", port=self._port)
        return through.render_as_string(hide_password=False)

    @property
    def _port(self) -> int:
        return int(self._listener.getsockname()[1])

    def close(self) -> None:
        """Close all connections, by which the server ends their transactions."""
        for one in self._opened:
            with suppress(OSError):  # not connected any more
                one.shutdown(socket.SHUT_RDWR)  # close() would wait for the threads that read
            one.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            self._opened.append(client)
            if not self.silent.is_set():
                server = self._connect()
                self._opened.append(server)
                threading.Thread(target=self._pass, args=(client, server, self._words), daemon=True).start()
                threading.Thread(target=self._pass, args=(server, client, None), daemon=True).start()

    def _connect(self) -> socket.socket:
        folder = self._server.query.get("host")
        if folder is None:
            return socket.create_connection((self._server.host or "127.0.0.1", self._server.port or 5432))
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(f"{folder}/.s.PGSQL.{self._server.port or 5432}")
        return connection

    def _pass(self, source: socket.socket, target: socket.socket, words: bytes | None) -> None:
        seen = b""
        try:
            while piece := source.recv(1 << 16):
                seen = seen[-100:] + piece
                if words is not None and words in seen:
                    self.silent.set()
                if self.silent.is_set():
                    return
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:  # closed
            return


@contextmanager
def relay(url: str, words: bytes | None = None) -> Iterator[Relay]:
    """Yield a relay to the server of a URL."""
    made = Relay(url, words)
    try:
        yield made
    finally:
        made.close()
