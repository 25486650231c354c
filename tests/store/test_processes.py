"""Processes that are killed while they write, and processes that write and read at once."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
import traceback
from multiprocessing.connection import Connection
from typing import Any

import pytest
import sqlalchemy as sa

from simhash_doc import Fingerprint
from simhash_doc.store import Document, FingerprintStore
from tests.store.server import engine_of

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork, which makes processes quickly")

BATCH = 40
State = dict[str, int]


def change(state: State, run: int, step: int) -> tuple[str, State]:
    """Return what a step does, and the state after it: ids and fingerprints."""
    rng = random.Random(1000 * run + step)
    after = dict(state)
    own = [name for name in state if name.startswith(f"{run}-")]
    kind = ("add", "upsert", "remove")[step % 3]
    if kind == "add":
        after |= {f"{run}-{step}-{number}": rng.getrandbits(64) for number in range(BATCH)}
    elif kind == "upsert":
        after |= {name: rng.getrandbits(64) for name in [*own[::2], f"{run}-{step}"]}
    else:
        for name in own[::3]:
            del after[name]
    return kind, after


def apply(store: FingerprintStore, kind: str, before: State, after: State) -> None:
    changed = [Document(name, Fingerprint(value)) for name, value in after.items() if before.get(name) != value]
    if kind == "add":
        store.add_many(changed)
    elif kind == "upsert":
        store.upsert_many(changed)
    else:
        store.remove(before.keys() - after.keys())


def write_on(url: str, run: int, state: State, committed: Connection) -> None:
    with FingerprintStore(url) as store:
        for step in range(10_000):
            kind, after = change(state, run, step)
            apply(store, kind, state, after)
            state = after
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
            _, state = change(state, run, step)
        _, next_state = change(state, run, last + 1)
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
            found = store.find(Fingerprint(number % 2), 3)
            assert all(match.distance <= 3 for match in found)
            ids = [document.id for document in store.documents()]
            assert len(ids) == len(set(ids))
            times += 1
    return times


def run_and_send(work: Any, arguments: tuple[Any, ...], answer: Connection) -> None:
    try:
        answer.send(work(*arguments))
    except BaseException:
        answer.send(traceback.format_exc())


@pytest.mark.slow
def test_two_writers_and_four_readers_at_once(url: str) -> None:
    processes = multiprocessing.get_context("fork")
    # None of them finds a store: the first to come makes it.
    until = time.monotonic() + 4
    running = []
    for work, number in [(writer_of, 0), (writer_of, 1), *((reader_of, number) for number in range(4))]:
        receiving, sending = processes.Pipe(duplex=False)
        process = processes.Process(target=run_and_send, args=(work, (url, number, until), sending))
        process.start()
        sending.close()
        running.append((process, receiving))
    answers = [receiving.recv() for _, receiving in running]
    for process, _ in running:
        process.join()
    failures = [answer for answer in answers if isinstance(answer, str)]
    assert not failures, failures[0]
    own: State = answers[0] | answers[1]
    with FingerprintStore(url) as store:
        found = {document.id: document.fingerprint.value for document in store.documents("default")}
        assert store.verify().problems == ()
    assert {name: found.get(name) for name in own} == own
    assert {value for name, value in found.items() if name.startswith("shared")} <= {0, 1}
    assert len(answers[0]) > 10
    assert len(answers[1]) > 10
    assert min(answers[2:]) > 0
