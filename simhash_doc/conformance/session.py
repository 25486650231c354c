"""Send single requests to an implementation; its process is started again after a failure."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any

from simhash_doc.conformance.errors import PeerError
from simhash_doc.conformance.judge import request_sender
from simhash_doc.conformance.messages import Answer, Handshake
from simhash_doc.conformance.targets import Peer, Target, same_handshake


class Session:
    """One process at a time, started when it is needed.

    Args:
        target: the implementation.
        timeout: seconds for each answer.
        suite: version of the suite, for the handshake.
    """

    def __init__(self, target: Target, timeout: float, suite: str) -> None:
        self._target, self._timeout, self._suite = same_handshake(target), timeout, suite
        self._peer: Peer | None = None

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._peer is not None:
            self._peer.kill()

    @property
    def handshake(self) -> Handshake:
        """The handshake of the running process, which is started if there is none.

        Raises:
            PeerError: the handshake failed.
        """
        return self._running().handshake

    def ask(self, request: Mapping[str, Any]) -> Answer:
        """Send a request.

        Raises:
            PeerError: the process failed. The next request is sent to a new one.
        """
        try:
            return request_sender(self._running())(request)
        except PeerError:
            self._peer = None
            raise

    def ask_quietly(self, request: Mapping[str, Any]) -> Answer:
        """Send a request for a diagnosis; a failure counts as `unsupported`."""
        try:
            return self.ask(request)
        except PeerError:
            return {"unsupported": True}

    def finish(self) -> None:
        """End the process regularly.

        Raises:
            PeerError: it wrote output without a request.
        """
        if self._peer is not None:
            peer, self._peer = self._peer, None
            peer.close()

    def _running(self) -> Peer:
        self._peer = self._peer or self._target.connect(self._timeout, self._suite)
        return self._peer
