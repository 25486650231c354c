"""Causes in the platform of an implementation are found by a few requests, and nothing else is taken for one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from simhash_doc.unicode_data import REPLACEMENT
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.diagnosis.platform import OLDER, platform_findings
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.protocol import Ask


def asking(implementation: Implementation, operations: tuple[str, ...] = ("fold", "tokens", "fingerprint")) -> Ask:
    adapter = Adapter(implementation)

    def ask(request: Mapping[str, Any]) -> Mapping[str, Any]:
        return adapter.answer(request) if request["op"] in operations else {"unsupported": True}

    return ask


class Older(Implementation):
    """Has the letters of Unicode up to 12.1."""

    def map_characters(self, text: str) -> str:
        newer = [letter for version, letter in OLDER.items() if float(version) > 12.1]
        return "".join(REPLACEMENT if c in newer else c for c in super().map_characters(text))


@pytest.mark.parametrize("operations", [("fold", "tokens", "fingerprint"), ("fingerprint",)])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("links-unicode-boundary", r"its \b is the border of a Unicode word"),
        ("run-platform-word", "leaves out marks"),
        ("filter-needs-letter", "its isAlpha is true for letters alone"),
        ("fold-turkish", "follows the locale"),
        ("normalization-older", "its normalizer is older"),
        ("compose-missing", "NFC is left out"),
    ],
)
def test_a_cause_is_named_by_the_operations_that_there_are(name: str, said: str, operations: tuple[str, ...]) -> None:
    lines = platform_findings(asking(mutants()[name].implementation(), operations))
    assert any(said in line and mutants()[name].requirement in line for line in lines), lines


def test_the_version_of_the_unicode_data_is_bounded() -> None:
    (line,) = platform_findings(asking(Older()))
    assert "its Unicode data are of a version before 13.0" in line


def test_a_normalizer_that_changes_nfc_is_shown_with_the_characters() -> None:
    class Faulty(Implementation):
        def compose(self, text: str) -> str:
            return super().compose(text).replace("\u09be" * 40, "\u09be" * 39)

    (line,) = platform_findings(asking(Faulty()))
    assert "its NFC changes U+09BE (40 times)" in line


@pytest.mark.parametrize("name", ["", "cap-none", "sign-tie-sets", "url-http-only", "count-uint8"])
def test_other_mistakes_are_no_cause(name: str) -> None:
    implementation = mutants()[name].implementation() if name else Implementation()
    assert platform_findings(asking(implementation)) == []
