"""Judge all systematic mutants: by the small vectors, then the survivors by probes, arguments and the large vectors."""

from __future__ import annotations

import hashlib
import importlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from mutation.code import CodeMutant, code_mutants
from mutation.equivalents import argument
from mutation.judge import Judge, is_wrong
from mutation.mutant import Mutant, model
from mutation.patterns import link_mutants
from mutation.probes import probes
from mutation.tables import TableMutant, table_mutants
from simhash_doc.published_files import data_path
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.vectors.cases import Case, load_cases, suite_digest
from simhash_doc_conformance.vectors.inputs import INPUT_FORMS, read_input

SAMPLE = 150  # killed mutants that are judged again in continuous integration
_LONGEST = 300_000  # characters or bytes of a text
_CHUNK = 32  # probes whose expected answers are computed before the mutant is put in place


class Fate(StrEnum):
    """The result of judging a mutant."""

    KILLED = "killed"
    GAP = "gap"  # a request shows the difference, but no vector does
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"  # no vector or probe distinguishes it, and it is not proved equivalent


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one mutant.

    Attributes:
        name: of the mutant.
        fate: whether it was killed.
        evidence: the killing case, the request that shows the difference, or the argument.
        found_by: of a gap: `sweep`, `fuzz` or `directed`, by which it was found.
    """

    name: str
    fate: Fate
    evidence: str = ""
    found_by: str = ""


def all_mutants() -> list[Mutant]:
    """Return all systematic mutants, in the order of code, links and tables."""
    return [*code_mutants(), *link_mutants(), *table_mutants()]


def chosen_mutants(tables: int) -> list[Mutant]:
    """Return all mutants of the code and of links, and so many of the tables, chosen by the digests of their names."""
    of_tables = list(table_mutants())
    chosen = set(sorted((mutant.name for mutant in of_tables), key=_order)[:tables])
    return [*code_mutants(), *link_mutants(), *(mutant for mutant in of_tables if mutant.name in chosen)]


def judge_all(mutants: Sequence[Mutant], cache_file: Path, progress: Callable[[int], None]) -> dict[str, Result]:
    """Return the result of each mutant by name. An interrupted run resumes with the results in the cache."""
    cases = load_cases()
    known = dict(_cached(cache_file, cases, {mutant.name: mutant for mutant in mutants}))
    runner = Runner(cases)
    results = {}
    with cache_file.open("a", encoding="utf-8") as file:
        for number, mutant in enumerate(mutants):
            result = known.get(mutant.name)
            if result is None:
                result = runner.result(mutant)
                row = {"source": source_digest(mutant), "suite": suite_digest(), **asdict(result)}
                file.write(json.dumps(row) + "\n")
                file.flush()
            results[mutant.name] = result
            progress(number)
    return results


def _cached(cache_file: Path, cases: Iterable[Case], mutants: Mapping[str, Mutant]) -> Iterator[tuple[str, Result]]:
    """Yield the results that still hold: cases are never changed, so what one has killed stays killed."""
    cache_file.parent.mkdir(parents=True, exist_ok=True)
    ids = {case.id for case in cases}
    for line in cache_file.read_text(encoding="utf-8").splitlines() if cache_file.exists() else ():
        row = json.loads(line)
        source, suite = row.pop("source"), row.pop("suite")
        result = Result(**row | {"fate": Fate(row["fate"])})
        mutant = mutants.get(result.name)
        by_case = result.fate is Fate.KILLED and result.evidence in ids
        if mutant is None or source != source_digest(mutant) or _outdated(result, mutant):
            continue
        if by_case or result.fate is Fate.EQUIVALENT or (suite == suite_digest() and result.fate is Fate.GAP):
            yield result.name, result


def _outdated(result: Result, mutant: Mutant) -> bool:
    """Return True if the arguments for equivalent mutants have changed since."""
    return result.fate is Fate.EQUIVALENT and argument(mutant) != result.evidence


class Runner:
    """Finds the fate of mutants."""

    def __init__(self, cases: Iterable[Case]) -> None:
        cases = list(cases)
        self._small = Judge(case for case in cases if "large" not in case.flags)
        self._large_cases = [case for case in cases if "large" in case.flags]
        self._large: Judge | None = None

    def killer(self, mutant: Mutant) -> str | None:
        """Return the id of a small case that a mutant answers wrongly; None if there is none."""
        return self._small.first_killer(mutant)

    def result(self, mutant: Mutant) -> Result:
        """Return the fate of a mutant with the evidence."""
        if killer := self.killer(mutant):
            return Result(mutant.name, Fate.KILLED, killer)
        reason = argument(mutant)
        if reason and isinstance(mutant, TableMutant):  # proved by a rule
            return Result(mutant.name, Fate.EQUIVALENT, reason)
        found = difference(mutant)
        if reason and not found:
            return Result(mutant.name, Fate.EQUIVALENT, reason)
        # Appendix C in Python takes minutes for the large texts.
        if mutant.appendix != "appendix_c" and (killer := self._large_judge().first_killer(mutant)):
            return Result(mutant.name, Fate.KILLED, killer)
        if found:
            return Result(mutant.name, Fate.GAP, json.dumps(found[1]), found[0])
        return Result(mutant.name, Fate.UNDECIDED)

    def _large_judge(self) -> Judge:
        if self._large is None:
            self._large = Judge(case for case in self._large_cases if _is_moderate(case))
        return self._large


def _is_moderate(case: Case) -> bool:
    """Return True if a large case of one text can tell something of the reference, without pieces, in seconds."""
    is_text = any(form in case.members for form in INPUT_FORMS) and not case.id.startswith("pieces/")
    return is_text and len(read_input(case.members)) <= _LONGEST


def sample(results: Mapping[str, Result]) -> list[str]:
    """Return names of mutants that small cases kill, chosen by digests: other mutants do not change the choice."""
    small = {case.id for case in load_cases() if "large" not in case.flags}
    killed = (name for name, result in results.items() if result.fate is Fate.KILLED and result.evidence in small)
    return sorted(sorted(killed, key=_order)[:SAMPLE])


def _order(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()


def sample_survivors(names: Iterable[str]) -> tuple[list[str], int]:
    """Return the mutants with these names that the small vectors no longer kill, and how many do not exist any more."""
    chosen = set(names)
    present = [mutant for mutant in all_mutants() if mutant.name in chosen]
    runner = Runner(load_cases())
    return [mutant.name for mutant in present if runner.killer(mutant) is None], len(chosen) - len(present)


def difference(mutant: Mutant) -> tuple[str, dict[str, Any]] | None:
    """Return the first probe that a mutant answers wrongly, and how it was found; None if there is none."""
    made = probes(mutant)
    while chunk := list(islice(made, _CHUNK)):
        number = _first_wrong(mutant, [request for _, request in chunk])
        if number is not None:
            return chunk[number][0], _shortest(mutant, chunk[number][1])
    return None


def _first_wrong(mutant: Mutant, requests: list[dict[str, Any]]) -> int | None:
    expected = [json.loads(_expected(json.dumps(request))) for request in requests]
    with mutant.installed():
        adapter = Adapter(model(mutant.appendix))
        pairs = enumerate(zip(requests, expected, strict=True))
        return next((number for number, (request, answer) in pairs if is_wrong(adapter, [request], answer)), None)


def _shortest(mutant: Mutant, request: dict[str, Any]) -> dict[str, Any]:
    """Return the request with the first line of its text that shows the difference, or the request itself."""
    lines = [request | {"text": line} for line in request.get("text", "").split("\n")]
    number = _first_wrong(mutant, lines) if "text" in request else None
    return request if number is None else lines[number]


@lru_cache(200_000)
def _expected(request: str) -> str:
    return json.dumps(Adapter(Implementation()).answer({"id": 0, **json.loads(request)}))


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def source_digest(mutant: Mutant) -> str:
    """Return a digest of what is mutated: of a module, or of the tables. The forms of links are in the names."""
    if isinstance(mutant, CodeMutant):
        return _digest(Path(str(importlib.import_module(mutant.module).__file__)))
    return _digest(data_path("spec/data") / "SHA256SUMS")


def show_progress(total: int) -> Callable[[int], None]:
    """Return a function that prints how many mutants were judged, every thousand."""

    def show(number: int) -> None:
        if number % 1000 == 0:
            print(f"{number} of {total}", file=sys.stderr, flush=True)

    return show
