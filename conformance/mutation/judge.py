"""Ask a mutant the cases that use what it changes, the most likely killers first, until one is answered wrongly."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from mutation.code import CodeMutant
from mutation.coverage import Coverage
from mutation.model import model
from mutation.mutant import Mutant
from mutation.patterns import LinkMutant
from mutation.tables import TableMutant
from mutation.time_limit import time_limit
from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import Case, same_result

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
        if isinstance(mutant, CodeMutant) and mutant.appendix == "appendix_d":
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
