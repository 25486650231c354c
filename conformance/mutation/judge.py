"""Ask a mutant the cases that use what it changes, the most likely killers first, until one is answered wrongly."""

from __future__ import annotations

import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from types import FrameType
from typing import Any

from mutation import appendix_c
from mutation.code import CodeMutant
from mutation.mutant import Mutant, model, time_limit
from mutation.patterns import LinkMutant
from mutation.tables import TableMutant
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.vectors.cases import Case, same_result
from simhash_doc_conformance.vectors.inputs import read_input

_RECENT = 25  # killers of the same function or table that are asked first


class Judge:
    """Judges mutants by a list of cases."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self._coverage = Coverage(cases)
        self._recent: dict[str, list[str]] = defaultdict(list)

    def first_killer(self, mutant: Mutant) -> str | None:
        """Return the id of a case that a mutant answers wrongly; None if it answers all of them right."""
        group = mutant.name.partition(":")[0].partition(" ")[0]
        candidates = self._candidates(mutant)
        recent = self._recent[group]
        candidates.sort(key=lambda case: (case.id not in recent, self._coverage.seconds[case.id]))
        with mutant.installed():
            adapter = Adapter(model(mutant.appendix))
            killer = next((case.id for case in candidates if is_wrong(adapter, case.requests(), case.expected)), None)
        if killer is not None:
            self._recent[group] = [killer, *(other for other in recent if other != killer)][:_RECENT]
        return killer

    def _candidates(self, mutant: Mutant) -> list[Case]:
        if isinstance(mutant, TableMutant):
            return self._coverage.with_code_points(mutant.table, mutant.code_points)
        if isinstance(mutant, LinkMutant):
            return self._coverage.with_other_links(mutant.pattern)
        if isinstance(mutant, CodeMutant) and mutant.appendix == "appendix_c":
            with mutant.installed():
                return self._coverage.with_other_folding(model(mutant.appendix).fold)
        cached = isinstance(mutant, CodeMutant) and mutant.module == "simhash_doc.schemes"  # called once for all cases
        if isinstance(mutant, CodeMutant) and mutant.appendix is None and mutant.function is not None and not cached:
            return self._coverage.that_call(mutant.module, mutant.function)
        return list(self._coverage.cases)


def is_wrong(adapter: Adapter, requests: list[dict[str, Any]], expected: Mapping[str, Any]) -> bool:
    """Return True if one of the requests is answered wrongly, not in time, or by an unexpected exception."""
    for request in requests:
        try:
            with time_limit():
                answer = adapter.answer({"id": 0, **request})
                expected = expected or answer
                if not _agrees(request["op"], expected, answer):
                    return True
        except Exception:  # a mutant may fail in any way
            return True
    return False


def _agrees(op: str, expected: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    if "error" in expected:
        return bool(answer.get("error") == expected["error"])
    return "result" in answer and same_result(op, expected["result"], answer["result"])


_TEXT_OPERATIONS = ("fold", "tokens", "buckets", "fingerprint")
# The form of a text in which each table looks its code points up.
_STAGES = {
    "nfkc_casefold": "read",
    "assigned": "read",
    "decomposition": "mapped",
    "nonstarter": "decomposed",
    "combining_class": "decomposed",
    "composition": "folded",
    "word": "folded",
    "alphabetic": "folded",
    "continua": "folded",
    "connectors": "folded",
}
_FEW, _SOME, _SHORT = 3, 20, 2_000
_TOKEN_TABLES = ("word", "alphabetic", "continua", "connectors")


class Coverage:
    """The functions that cases call, the code points of their texts, and the time that they take.

    Attributes:
        cases: all except those of the operation `extract`.
        seconds: the time of each case, by id.
    """

    def __init__(self, cases: Iterable[Case]) -> None:
        self.cases = [case for case in cases if case.op != "extract"]
        self.seconds: dict[str, float] = {}
        self._calls: dict[tuple[str, str], list[Case]] = defaultdict(list)
        self._texts: dict[tuple[str, int], list[Case]] = defaultdict(list)
        self._links: dict[str, tuple[Case, str]] = {}  # by folded text: a case and the link-free text
        self._distinct: dict[str, tuple[Case, str]] = {}  # by text
        for case in sorted(self.cases, key=lambda case: [*_TEXT_OPERATIONS, case.op].index(case.op)):
            self._measure(case)
            if case.op in _TEXT_OPERATIONS:
                self._read(case)

    def that_call(self, module: str, function: str) -> list[Case]:
        """Return the cases that call a function."""
        return list(self._calls[module, function])

    def with_code_points(self, table: str, code_points: Iterable[int]) -> list[Case]:
        """Return the cases whose texts have one of the code points where the table is used."""
        stage = _STAGES[table]
        if table == "composition":
            code_points = _composites(*code_points)
        found = {case.id: case for code_point in code_points for case in self._texts.get((stage, code_point), ())}
        return [case for case in found.values() if table not in _TOKEN_TABLES or case.op != "fold"]

    def with_other_links(self, pattern: re.Pattern[str]) -> list[Case]:
        """Return some cases from whose folded texts the expression removes other links than the reference."""
        by_length = sorted(self._links.items(), key=lambda item: len(item[0]))
        remove = partial(pattern.sub, " ")
        found = (case for folded, (case, link_free) in by_length if _fails(remove, folded, link_free))
        return list(islice(found, _SOME))

    def with_other_folding(self, fold: Callable[[str], str]) -> list[Case]:
        """Return a few cases with short texts that a function does not fold as the reference does."""
        texts = sorted((text for text in self._distinct if len(text) <= _SHORT), key=len)
        found = (self._distinct[text][0] for text in texts if _fails(fold, text, self._distinct[text][1]))
        return list(islice(found, _FEW))

    def _measure(self, case: Case) -> None:
        adapter, called = Adapter(Implementation()), set()

        def note(frame: FrameType, event: str, value: Any) -> None:
            if event == "call":
                called.add((frame.f_globals.get("__name__", ""), frame.f_code.co_name))

        began = time.perf_counter()
        sys.setprofile(note)
        try:
            for request in case.requests():
                adapter.answer({"id": 0, **request})
        finally:
            sys.setprofile(None)
        self.seconds[case.id] = time.perf_counter() - began
        for key in called:
            self._calls[key].append(case)

    def _read(self, case: Case) -> None:
        seen: set[tuple[str, int]] = set()
        for text in _texts(case):
            mapped = _REFERENCE.map_characters(text)
            folded = _REFERENCE.fold(text)
            self._distinct.setdefault(text, (case, folded))
            if case.op != "fold" and folded not in self._links:
                self._links[folded] = case, _REFERENCE.remove_links(folded)
            stages = {"read": text, "mapped": mapped, "decomposed": _REFERENCE.decomposed(mapped), "folded": folded}
            seen |= {(stage, ord(character)) for stage, value in stages.items() for character in set(value)}
        for key in seen:
            self._texts[key].append(case)


_REFERENCE = Implementation()


def _composites(first: int, second: int) -> Iterator[int]:
    """Yield the composite of two code points, and the composites that begin with it."""
    composite = appendix_c.compositions()[first, second]
    yield composite
    for pair in appendix_c.compositions():
        if pair[0] == composite:
            yield from _composites(*pair)


def _fails(step: Callable[[str], str], text: str, expected: str) -> bool:
    try:
        with time_limit():
            return step(text) != expected
    except Exception:  # a mutant may fail in any way
        return True


def _texts(case: Case) -> Iterator[str]:
    for request in case.requests():
        yield _REFERENCE.read(read_input(request))
