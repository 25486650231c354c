"""Entries from recipes, digests of answers, and indexes that forget."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from simhash_doc.arrays import ints_from_lanes
from simhash_doc.schemes import get_schemes
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.protocol import digest_of
from simhash_doc_conformance.running.runner import run
from simhash_doc_conformance.vectors.cases import Case
from simhash_doc_conformance.vectors.inputs import Entry, fingerprints, read_entries
from tests.conformance.package import CASES, InProcess, judged
from tests.conformance.small import statuses

PROTOCOL = (Path(__file__).parents[2] / "conformance/PROTOCOL.md").read_text(encoding="utf-8")
SIZES = [case for case in CASES if {"digest", "entries"} <= case.members.keys() and "large" not in case.flags]
UPDATES = [case for case in CASES if case.op == "update"]


def drawn(seed: int, group: int, lanes: int) -> int:
    """Return the lanes of a group, written from PROTOCOL.md."""
    value = 0
    for lane in range(lanes):
        z = (seed + (8 * group + lane + 1) * 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        value = value << 64 | z ^ z >> 31
    return value


@pytest.mark.parametrize("scheme", get_schemes())
@pytest.mark.parametrize("prefix", [0, 16, 64, 70])
def test_entries_are_those_that_the_protocol_describes(scheme: str, prefix: int) -> None:
    bits, lanes = get_schemes()[scheme].bits, get_schemes()[scheme].lanes
    prefix = min(prefix, bits)
    low = 2 ** (bits - prefix) - 1
    expected = []
    for number in range(200):
        copy, group = divmod(number, 37)
        value = drawn(2**63, 0, lanes) & ~low | drawn(2**63, group, lanes) & low
        for flip in range(copy % 5):
            value ^= 1 << bits - 1 - (copy + 13 * flip) % bits
        expected.append(value)
    for order, values in (
        ("generated", expected),
        ("ascending", sorted(expected)),
        ("descending", sorted(expected, reverse=True)),
    ):
        assert ints_from_lanes(fingerprints(200, scheme, 2**63, 37, 4, prefix, order)) == values


def test_the_example_of_the_protocol_has_the_fingerprints_that_it_shows() -> None:
    (shown,) = re.findall(r"^The fingerprints of `(.*)`, in hexadecimal:\n\n((?: {4}.*\n)+)", PROTOCOL, re.MULTILINE)
    recipe, values = json.loads(shown[0]), shown[1].split()
    assert [name for name, _ in read_entries(recipe)] == [str(number) for number in range(len(values))]
    recipe.pop("first_id")
    assert ints_from_lanes(fingerprints(**recipe)) == [int(value, 16) for value in values]


def test_splitmix64_has_the_outputs_of_its_authors() -> None:
    """The first outputs for the seed 1234567, as in their code and in other libraries."""
    first = fingerprints(1, "sd256", 1234567, 1, 0, 0, "generated")
    assert first.tolist() == [[6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]]


@pytest.mark.parametrize(
    ("op", "one", "same", "other"),
    [
        ("query", [["a", "b"], []], [["b", "a"], []], [["a"], ["b"]]),
        ("find_all", [["a", "b"], ["c", "a"]], [["a", "c"], ["b", "a"]], [["a", "b"], ["b", "c"]]),
        ("update", [[["a", "b"]], [["a"]]], [[["b", "a"]], [["a"]]], [[["a"]], [["a", "b"]]]),
    ],
)
def test_digests_of_searches_depend_on_what_is_found_not_on_its_order(op: str, one: Any, same: Any, other: Any) -> None:
    assert digest_of(op, one) == digest_of(op, same) != digest_of(op, other)
    assert digest_of(op, one)["count"] == {"query": 2, "find_all": 2, "update": 3}[op]


def test_a_result_of_a_wrong_type_has_no_digest() -> None:
    for wrong in (None, "a", ["a"], [[1]], [[["a"]]]):
        assert digest_of("query", wrong) == wrong


class _Forgets(Implementation):
    def query(self, entries: Sequence[Entry], wanted: str, distance: int) -> list[str]:
        return super().query(entries[:1250], wanted, distance)

    def find_all(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        return super().find_all(entries[:401], distance)


FORGOTTEN = {"query/size-1251", "query/size-2049", "pairs/size-2049"}


@pytest.mark.parametrize(
    "cases", [[case for case in SIZES if case.id in FORGOTTEN], pytest.param(SIZES, marks=pytest.mark.slow)], ids=len
)
def test_an_index_that_forgets_does_not_conform(cases: list[Case]) -> None:
    assert run(cases, InProcess(Implementation()), suite="").ok
    assert statuses(run(cases, InProcess(_Forgets()), suite="")).keys() >= FORGOTTEN


@pytest.mark.parametrize(
    "index", ["memory", *(pytest.param(name, marks=pytest.mark.slow) for name in ("directory", "sqlite"))]
)
def test_an_index_changes(index: str) -> None:
    assert judged(UPDATES, index).ok


def test_the_runner_sends_the_entries_of_a_recipe() -> None:
    target = InProcess(Implementation())
    assert run(SIZES[:1], target, suite="").ok
    assert target.sent[-1]["entries"] == read_entries(SIZES[0].members["entries"])
    assert "digest" not in target.sent[-1]
