"""Processes that are killed while they write, and processes that write and read at once."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from multiprocessing.connection import Connection

import pytest
import sqlalchemy as sa

from simhash_doc import Fingerprint
from simhash_doc.store import Document, FingerprintStore
from tests.store.server import engine_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork, which makes processes quickly")

BATCH = 40
State = dict[str, int]


def change(store: FingerprintStore | None, state: State, run: int, step: int) -> State:
    """Do what a step does, if a store is given; return the state after it: ids and fingerprints."""
    rng = random.Random(1000 * run + step)
    own = [name for name in state if name.startswith(f"{run}-")]
    new: State = {}
    if step % 3 == 0:
        new = {f"{run}-{step}-{number}": rng.getrandbits(64) for number in range(BATCH)}
    elif step % 3 == 1:
        new = {name: rng.getrandbits(64) for name in [*own[::2], f"{run}-{step}"]}
    removed = own[::3] if step % 3 == 2 else []
    if store:
        documents = [Document(name, Fingerprint(value)) for name, value in new.items()]
        (store.upsert_many if step % 3 == 1 else store.add_many)(documents)
        store.remove(removed)
    return {name: value for name, value in (state | new).items() if name not in removed}


def write_on(url: str, run: int, state: State, committed: Connection) -> None:
    with FingerprintStore(url) as store:
        for step in range(10_000):
            state = change(store, state, run, step)
            committed.send(step)


@pytest.mark.parametrize("kills", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_what_was_committed_survives_a_kill_at_any_moment(url: str, kills: int) -> None:
    rng = random.Random(1)
    processes = multiprocessing.get_context("fork")
    with FingerprintStore(url) as store:
        store.create_collection("default")
    state: State = {}
    for run in range(kills):
        receiving, sending = processes.Pipe(duplex=False)
        writer = processes.Process(target=write_on, args=(url, run, state, sending))
        writer.start()
        sending.close()
        last = receiving.recv()
        time.sleep(rng.uniform(0, 0.05))
        assert writer.pid
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
        assert writer.exitcode == -signal.SIGKILL
        try:
            while True:
                last = receiving.recv()
        except EOFError:
            receiving.close()
        wait_for_the_server(url)
        for step in range(last + 1):
            state = change(None, state, run, step)
        next_state = change(None, state, run, last + 1)
        with FingerprintStore(url) as store:
            found = {document.id: document.fingerprint.value for document in store.documents("default")}
            verification = store.verify()
        assert verification.problems == ()
        assert verification.documents == len(found)
        # The step after the last one committed is stored completely or not at all.
        assert found in (state, next_state)
        state = found
    assert len(state) > kills


def wait_for_the_server(url: str) -> None:
    """Wait until PostgreSQL has ended the session of a process that was killed: it may still be committing."""
    if not url.startswith("postgresql"):
        return
    others = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    engine = engine_of(url, isolation_level="AUTOCOMMIT")
    deadline = time.monotonic() + 60
    with engine.connect() as connection:
        while connection.scalar(sa.text(others)) and time.monotonic() < deadline:
            time.sleep(0.01)
    engine.dispose()


def writer_of(url: str, number: int, until: float) -> State:
    """Add and replace documents of its own and shared ones; return what it knows to be there."""
    rng = random.Random(number)
    own: State = {}
    with FingerprintStore(url, timeout=60) as store:
        while time.monotonic() < until:
            new = {f"{number}-{len(own) + at}": rng.getrandbits(64) for at in range(rng.randrange(1, 40))}
            store.add_many([Document(name, Fingerprint(value)) for name, value in new.items()])
            own |= new
            replaced = {name: rng.getrandbits(64) for name in rng.sample(sorted(own), min(len(own), 10))}
            shared = {f"shared {at}": number for at in rng.sample(range(30), 20)}
            store.upsert_many([Document(name, Fingerprint(value)) for name, value in (replaced | shared).items()])
            own |= replaced
    return own


def reader_of(url: str, number: int, until: float) -> int:
    """Look up and read; return how often."""
    times = 0
    with FingerprintStore(url, timeout=60) as store:
        while time.monotonic() < until:
            found = store.find(Fingerprint(number % 2), distance=3)
            assert all(match.distance <= 3 for match in found)
            ids = [document.id for document in store.documents()]
            assert len(ids) == len(set(ids))
            times += 1
    return times


@pytest.mark.slow
def test_two_writers_and_four_readers_at_once(url: str) -> None:
    # None of them finds a store: the first to come makes it.
    until = time.monotonic() + 4
    with multiprocessing.get_context("fork").Pool(6) as pool:
        writers = [pool.apply_async(writer_of, (url, number, until)) for number in range(2)]
        readers = [pool.apply_async(reader_of, (url, number, until)) for number in range(4)]
        first, second = (answer.get() for answer in writers)
        assert min(answer.get() for answer in readers) > 0
    with FingerprintStore(url) as store:
        found = {document.id: document.fingerprint.value for document in store.documents("default")}
        assert store.verify().problems == ()
    assert {name: found.get(name) for name in first | second} == first | second
    assert {value for name, value in found.items() if name.startswith("shared")} <= {0, 1}
    assert min(len(first), len(second)) > 0  # few on a busy machine
