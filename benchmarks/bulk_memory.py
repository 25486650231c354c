"""The memory of a long run: gigabytes of documents through the iterator, all processes of the run together."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from simhash_doc import fingerprint_batches

_INTERVAL = 0.1


def long_run(text: str, size: int, workers: int | None) -> dict[str, float]:
    """Fingerprint `size` bytes of generated documents; return time and peak memory in MB.

    `pss` counts a page that processes share once; `rss` counts it once per process, so it is more than the run takes.
    Both are sums at one moment over this process, which has the generator and its text, and all workers.
    """
    watch = _Watch()
    made = 0

    def documents() -> Iterator[str]:
        nonlocal made
        for document in _documents(text):
            yield document
            made += len(document)
            if made >= size:
                return

    start = time.perf_counter()
    with watch:
        count = sum(len(part) for part in fingerprint_batches(documents(), workers=workers))
    seconds = time.perf_counter() - start
    return {"bytes": made, "documents": count, "seconds": seconds, "peak_pss": watch.pss, "peak_rss": watch.rss}


def _documents(text: str) -> Iterator[str]:
    """Yield pieces of a text, 200 characters to 1 million, each with some unique words."""
    rng = random.Random(1)
    while True:
        length = min(len(text), int(200 * 5000 ** rng.random() ** 3))
        at = rng.randrange(len(text) - length + 1)
        new = " ".join(f"{rng.getrandbits(64):x}".translate(_LETTERS) for _ in range(1 + length // 500))
        yield f"{new} {text[at : at + length]}"


_LETTERS = str.maketrans("0123456789", "ghijklmnop")


class _Watch:
    """Samples the memory of this process and its children in a thread."""

    def __init__(self) -> None:
        self.pss = self.rss = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._over.wait(_INTERVAL):
            pss, rss = (sum(values) for values in zip(*map(_memory, _family(os.getpid())), strict=True))
            self.pss, self.rss = max(self.pss, pss), max(self.rss, rss)


def _family(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*"):
        try:
            children = (task / "children").read_text(encoding="utf-8").split()
        except OSError:
            continue
        for child in children:
            yield from _family(int(child))


def _memory(pid: int) -> tuple[float, float]:
    """Return proportional and resident memory of a process in MB; zeros if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()[1:]
    except OSError:
        return 0, 0
    values = {name: int(value.split()[0]) for name, _, value in (line.partition(":") for line in lines)}
    return values["Pss"] / 1000, values["Rss"] / 1000
