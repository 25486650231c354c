"""Connections to PostgreSQL that an interruption ends soon, whether the server answers or has fallen silent.

psycopg waits for the end of the statement that it cancels, and of the COPY that it breaks off: without end, if the
server is silent. The server rolls back when it finds that the connection is closed.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import psycopg
from psycopg import waiting
from psycopg.abc import RV, PQGen
from psycopg.copy import LibpqWriter
from psycopg.pq import TransactionStatus

_INTERVAL = 0.1  # seconds after which signals are looked for, as in psycopg
_CANCELLATION = 1  # second for the request that ends the statement in the server


class InterruptibleConnection(psycopg.Connection[Any]):
    """A connection that closes if something other than an error of the database ends a statement."""

    # Not the timeout that only psycopg 3.3 has, and only its `notifies` uses.
    def wait(self, gen: PQGen[RV], interval: float = _INTERVAL) -> RV:  # type: ignore[override]
        try:
            return waiting.wait(gen, self.pgconn.socket, interval=interval)
        except psycopg.Error:
            raise
        except BaseException:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self._leave()
            raise

    def _leave(self) -> None:
        try:
            if psycopg.capabilities.has_cancel_safe():  # older libraries could wait without end here too
                with suppress(Exception):
                    self.cancel_safe(timeout=_CANCELLATION)
        finally:
            self.close()


class InterruptibleWriter(LibpqWriter):
    """The data of a COPY, whose end is not awaited after an interruption."""

    def finish(self, exc: BaseException | None = None) -> None:
        if exc is None or isinstance(exc, psycopg.Error):
            super().finish(exc)
        else:
            self.connection.close()
