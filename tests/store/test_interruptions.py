"""An interruption ends a command soon, even if the server of its store has fallen silent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest

from simhash_doc import Fingerprint
from simhash_doc.store import Document, FingerprintStore
from tests.store.relay import relay
from tests.store.samples import documents

LONGEST = 25  # seconds. Before, a COPY that was interrupted waited for over 30, or without end.
STORED = 300
NEW = [Document(f"new-{number}", Fingerprint(number)) for number in range(12_000)]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGTERM")


def filled(url: str) -> None:
    with FingerprintStore(url) as store:
        store.add_many(documents(range(STORED), "sd64", "default"))


def interrupted(url: str, words: bytes, command: Sequence[str], number: int) -> tuple[int, str]:
    """Return the status and messages of a command, to which a signal is sent when its words reached a silent server."""
    with relay(url, words) as network:
        process = subprocess.Popen(
            [sys.executable, *command],
            env=os.environ | {"SIMHASH_DOC_DB": network.url},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert network.silent.wait(120), "the command never sent these words"
            process.send_signal(number)
            _, messages = process.communicate(timeout=LONGEST)
        finally:
            process.kill()
    return process.returncode, messages


def assert_nothing_changed(url: str) -> None:
    with FingerprintStore(url) as store:
        assert len(list(store.documents())) == STORED
        store.upsert(NEW[0])  # no lock is left
        assert store.verify().valid


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (b"COPY simhash", "add"),
        (b"new-7000", "add"),
        (b"unnest", "add --existing replace"),
        (b"unnest", "find larqgiqsckcca"),
        (b"FETCH", "export"),
        (b"DELETE FROM", "remove d1"),
        (b"lock_timeout", "stats"),
        (b"\0user\0", "stats"),
    ],
)
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_ends_a_command_whose_server_is_silent(
    name: str, words: bytes, command: str, postgresql_url: str, tmp_path: Path
) -> None:
    filled(postgresql_url)
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f'{{"id": "{one.id}", "fingerprint": "{one.fingerprint}"}}\n' for one in NEW))
    whole = ["-m", "simhash_doc", "store", *command.split(), *([str(rows)] if "add" in command else [])]
    number = signal.Signals[name]
    status, messages = interrupted(postgresql_url, words, whole, number)
    assert status == 128 + number
    assert "Traceback" not in messages
    # What nobody knows is not denied: the server may have stored what it has not confirmed.
    expected = "interrupted; 0 to 12,000 documents stored (the database does not answer); the same command"
    assert (expected in messages) == ("add" in command), messages
    assert_nothing_changed(postgresql_url)


@pytest.mark.parametrize("words", [b"COPY simhash", b"new-7000", b"unnest"])
def test_a_limit_of_time_ends_a_call_whose_server_is_silent(words: bytes, postgresql_url: str) -> None:
    filled(postgresql_url)
    program = f"""
import os, signal
from simhash_doc.store import FingerprintStore
from tests.store.test_interruptions import NEW
def late(*_): raise TimeoutError
signal.signal(signal.SIGALRM, late)
with FingerprintStore(os.environ["SIMHASH_DOC_DB"]) as store:
    try:
        store.{"upsert" if words == b"unnest" else "add"}_many(NEW, batch=len(NEW))
    except TimeoutError:
        os._exit(7)
"""
    assert interrupted(postgresql_url, words, ["-c", program], signal.SIGALRM)[0] == 7
    assert_nothing_changed(postgresql_url)


@pytest.mark.parametrize("error", [KeyboardInterrupt, TimeoutError, GeneratorExit])
def test_a_reader_that_is_interrupted_does_not_wait_for_a_silent_server(
    error: type[BaseException], postgresql_url: str
) -> None:
    """The interruption comes while nothing is awaited, so only the end of the transaction could wait."""
    filled(postgresql_url)
    with relay(postgresql_url) as network, FingerprintStore(network.url) as store:
        reader = store.documents()
        next(reader)
        network.silent.set()

        def end() -> None:
            with pytest.raises(error):
                reader.throw(error)  # type: ignore[attr-defined]

        ending = Thread(target=end, daemon=True)
        ending.start()
        ending.join(LONGEST)
        assert not ending.is_alive()
