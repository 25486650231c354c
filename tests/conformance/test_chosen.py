"""The generators of the third list of mistakes: chosen hashes, requests that show a kept state, and updates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from generators.chosen_hashes import LANES, WORD, chosen, neighbours
from generators.collisions import SAME_HASH
from simhash_doc.reference import hash_token
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.generated.requests import Stage, Understood, generate, requests
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.mutants.analysis import mutant_answer
from simhash_doc_conformance.mutants.identity import SHORT_HASHES, SPECIAL
from simhash_doc_conformance.vectors.cases import Case, load_cases, same_outcome


def test_chosen_tokens_have_their_hashes() -> None:
    for name, value in neighbours().items():
        assert hash_token(chosen()[name]["0"]) == value
    for lane in LANES:
        assert hash_token(chosen()["equal"][str(lane)], lane) == hash_token(WORD, lane)
        assert hash_token(chosen()["0 again"][str(lane)], lane) == 0
        assert all(hash_token(chosen()[name][str(lane)], lane) == value for name, value in SPECIAL.items())


@pytest.mark.parametrize("name", SHORT_HASHES)
def test_words_of_one_short_hash_have_it(name: str) -> None:
    one, other = SAME_HASH[name]
    assert one != other
    assert SHORT_HASHES[name][1](one.encode()) == SHORT_HASHES[name][1](other.encode())


class _KeepsUnits(Implementation):
    """Puts a high surrogate at the end of a request before the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = ""

    def read(self, given: str | bytes) -> str:
        if isinstance(given, bytes):
            return super().read(given)
        joined = (self.kept + given).encode("utf-16-be", "surrogatepass").decode("utf-16-be", "surrogatepass")
        self.kept = joined[-1:] if "\ud800" <= joined[-1:] <= "\udbff" else ""
        return super().read(joined)


class _KeepsBytes(Implementation):
    """Puts the start of a character at the end of a request before the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = b""

    def read(self, given: str | bytes) -> str:
        if isinstance(given, str):
            return super().read(given)
        data = self.kept + given
        end = next((n for n in (1, 2, 3) if data[-n : -n + 1 or None] >= b"\xc2"), 0)
        self.kept = data[-end:] if end else b""
        return super().read(data)


class _KeepsCounts(Implementation):
    """Adds the tokens of all requests."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[str] = []

    def link_free_tokens(self, text: str) -> list[str]:
        self.kept += super().link_free_tokens(text)
        return list(self.kept)


def _fails(case: Case, adapter: Adapter) -> bool:
    return any(
        not same_outcome(case.op, case.expected, adapter.answer({"id": 0, **request})) for request in case.requests()
    )


@pytest.mark.parametrize("implementation", [_KeepsUnits, _KeepsBytes, _KeepsCounts])
def test_state_that_is_kept_shows_within_a_case(implementation: type[Implementation]) -> None:
    cases = [case for case in load_cases() if case.id.startswith("state/")]
    assert not any(_fails(case, Adapter(Implementation())) for case in cases)
    assert any(_fails(case, Adapter(implementation())) for case in cases)


def test_generated_updates_show_each_mistake() -> None:
    # The vectors show what happens at a certain insertion, removal or step: generated histories are shorter.
    alive = {
        name: mutant for name, mutant in mutants().items() if name.startswith("update-") and not name[-1].isdigit()
    }
    reference = Adapter(Implementation())

    def look(request: Mapping[str, Any]) -> None:
        asked = {"id": 0, **request}
        right = reference.answer(asked)
        for name in list(alive):
            if not same_outcome("update", right, mutant_answer(alive[name], asked)):
                del alive[name]

    assert alive
    generate(Stage("update", requests("update", "sd64", Understood()), 150), 1, look)
    assert not alive
