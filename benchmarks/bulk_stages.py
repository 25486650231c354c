"""What each stage of the compiled loops takes: the loops are compiled with the later stages left out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.bulk_texts import LANGUAGES, Texts
from benchmarks.measuring import isolated

STAGES = ("fold", "cut", "hash", "count", "sum")
_REPEATS, _ROUNDS = 15, 3
_PAGE = 10_000

Row = dict[str, Any]


def by_stage(texts: Texts) -> Iterator[Row]:
    """Yield the nanoseconds per byte of each stage, by language, with those of copying and of hashing a document.

    Each stage is measured in several processes, in turns, and the least time counts: stages are differences of times.
    """
    documents = {
        language: [text.encode("utf-8") for text in texts.documents(language, _PAGE, 2_000_000)]
        for language in ("en", "ru", "zh")
    }
    runs = [{stage: isolated(_until, stage, documents)[0] for stage in STAGES} for _ in range(_ROUNDS)]
    for language, parts in documents.items():
        total = 0.0
        for stage in STAGES:
            taken = min(run[stage][language][0] for run in runs)
            row = {"language": LANGUAGES[language], "stage": stage, "nanoseconds": taken - total}
            yield row | {"tokens_per_kb": runs[0][stage][language][1]}
            total = taken
        for name, nanoseconds in isolated(_limits, parts)[0].items():
            yield {"language": LANGUAGES[language], "stage": name, "nanoseconds": nanoseconds}


def _limits(documents: list[bytes]) -> dict[str, float]:
    """Return the times of two things that cannot be left out: reading the text, and hashing its bytes."""
    import xxhash

    return {
        "a copy of the text": _nanoseconds(lambda: [bytearray(text) for text in documents], documents),
        "XXH64 of the complete text": _nanoseconds(
            lambda: [xxhash.xxh64_intdigest(text) for text in documents], documents
        ),
    }


def _until(stage: str, documents: dict[str, list[bytes]]) -> dict[str, tuple[float, float]]:
    """Return the nanoseconds per byte up to a stage, and the tokens in a thousand bytes, by language."""
    from simhash_doc.engines.numba.engine import BatchWorker

    _leave_out_after(stage)
    run = _compiled(stage)
    worker = BatchWorker()
    found = {}
    for language, parts in documents.items():
        data = np.frombuffer(b"".join(parts), np.uint8)
        offsets = np.concatenate(([0], np.cumsum([len(text) for text in parts]))).astype(np.int64)
        tokens = run(worker, data, offsets)
        taken = _nanoseconds(lambda data=data, offsets=offsets: run(worker, data, offsets), parts)  # type: ignore[misc]
        found[language] = taken, 1000 * tokens / len(data)
    return found


def _nanoseconds(work: Callable[[], object], documents: list[bytes]) -> float:
    """Return the least CPU time per byte."""
    times = []
    for _ in range(_REPEATS):
        start = time.thread_time_ns()
        work()
        times.append(time.thread_time_ns() - start)
    return min(times) / sum(map(len, documents))


def _leave_out_after(stage: str) -> None:
    """Replace functions of the loops before they are compiled."""
    from simhash_doc.engines.numba import hash_table, tokenize
    from simhash_doc.engines.numba.hash_table import QUEUED, TOTAL
    from simhash_doc.engines.numba.intrinsics import inlined, int64_item, put_int64

    @inlined
    def forget_queued(text, table):  # type: ignore[no-untyped-def]
        put_int64(table.state, TOTAL, int64_item(table.state, TOTAL) + int64_item(table.state, QUEUED))
        put_int64(table.state, QUEUED, 0)

    @inlined
    def forget(text, start, end, token_hash, place, occurrences, table):  # type: ignore[no-untyped-def]
        # The hash is used, so that the compiler cannot leave it out.
        put_int64(table.state, TOTAL, int64_item(table.state, TOTAL) + (place >> 32))

    if stage == "cut":
        for module in (hash_table, tokenize):
            vars(module)["count_queued"] = forget_queued
    if stage == "hash":
        vars(hash_table)["_add"] = forget


def _compiled(stage: str) -> Callable[[Any, npt.NDArray[np.uint8], npt.NDArray[np.int64]], int]:
    """Return a function that takes documents through the stages and returns the number of their tokens."""
    from numba import njit

    from simhash_doc.engines.numba.fold import FILLED, fold
    from simhash_doc.engines.numba.hash_table import TOTAL, Addresses, add_sums, clear
    from simhash_doc.engines.numba.intrinsics import address, int64_item
    from simhash_doc.engines.numba.kernels import TableAddresses, _expected_slots, reset, table_addresses
    from simhash_doc.engines.numba.tokenize import count_tokens

    counts, sums = stage != "fold", stage == "sum"

    @njit
    def loop(data, offsets, count, scratch, room, state, marks, table, tables, counters, bits):  # type: ignore[no-untyped-def]
        table, tables = Addresses(*table), TableAddresses(*tables)
        tokens = 0
        for i in range(count):
            reset(state)
            start, end = int64_item(offsets, i), int64_item(offsets, i + 1)
            fold(data, start, end, True, scratch, room, state, marks, tables)
            if counts:
                clear(table, _expected_slots(data, start, end))
                count_tokens(scratch, int64_item(state, FILLED), table, tables)
                tokens += int64_item(table.state, TOTAL)
            if sums:
                add_sums(table, 0, counters, bits)
        return tokens

    def run(worker: Any, data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> int:
        state, marks, counters, bits = worker._fixed[:4]
        return int(
            loop(
                address(data), address(offsets), len(offsets) - 1, worker._scratch_address, len(worker._scratch),
                state, marks, worker._table.addresses, table_addresses(), counters, bits,
            )
        )  # fmt: skip

    return run
