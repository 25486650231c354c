"""Fuzz one target in this process: `python -m tests.fuzz.one TARGET FINDINGS OPTION...` of libFuzzer; see `run`."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import atheris

with atheris.instrument_imports(include=["simhash_doc", "simhash_doc_extraction", "simhash_doc_conformance"]):
    from tests.fuzz.targets import TARGETS, seeds

SLOW = 10  # times the ordinary time
BY_LINE = frozenset({"entries", "store-lines"})  # each line is an entry: a short one costs as much as an ordinary one
_EACH = 500  # inputs after which the figures are saved


class Timed:
    """A target that measures how much longer an input takes than the seeds, and saves its figures."""

    def __init__(self, name: str, findings: Path) -> None:
        self._run, self._findings, self._name = TARGETS[name], findings, name
        self._figures: dict[str, Any] = {"inputs": 0, "bytes": 0, "slowest": 0.0, "slow": 0}
        ordinary = sorted(seeds(name), key=len)
        for data in ordinary:
            self._run(data)  # loads libraries
        self._fixed = median(self._seconds(ordinary[0]) for _ in range(9)) + 50e-6
        lines = b"".join(ordinary).splitlines()
        self._line = sum(map(len, lines)) / len(lines) if name in BY_LINE else 0
        self._each = median(self._seconds(data) / max(1, len(data)) for data in ordinary for _ in range(5))

    def __call__(self, data: bytes) -> None:
        ratio = self._ratio(data)
        if ratio > SLOW:
            ratio = min(ratio, *(self._ratio(data) for _ in range(4)))  # less often disturbed by others
        figures = self._figures
        figures["inputs"] += 1
        figures["bytes"] += len(data)
        if ratio > figures["slowest"]:
            figures["slowest"] = round(ratio, 2)
        if ratio > SLOW:
            figures["slow"] += 1
            (self._findings / f"slow-{self._name}-{ratio:.0f}").write_bytes(data)
        if figures["inputs"] % _EACH == 0 or ratio > SLOW:
            (self._findings / f"figures-{self._name}.json").write_text(json.dumps(figures))

    def _ratio(self, data: bytes) -> float:
        ordinary = max(len(data), self._line * (data.count(b"\n") + 1))
        return self._seconds(data) / (self._fixed + ordinary * self._each)

    def _seconds(self, data: bytes) -> float:
        begun = time.process_time()
        self._run(data)
        return time.process_time() - begun


def main() -> None:
    name, findings = sys.argv[1], Path(sys.argv[2])
    corpus = findings / f"corpus-{name}"
    corpus.mkdir(exist_ok=True)
    for number, data in enumerate(seeds(name)):
        (corpus / f"seed-{number}").write_bytes(data)
    atheris.Setup([sys.argv[0], *sys.argv[3:], str(corpus)], Timed(name, findings))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
