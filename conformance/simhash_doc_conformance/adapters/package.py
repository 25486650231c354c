"""This package as an implementation: each operation is answered by what its users call, never by the reference."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import metadata
from io import BytesIO
from itertools import combinations
from typing import Any

import simhash_doc
import simhash_doc_extraction
from simhash_doc.engines import python, strings
from simhash_doc.engines.select import get_setting, set_engine
from simhash_doc.errors import SchemeMismatchError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_scheme
from simhash_doc_conformance.adapters.indexes import Entries, Index, open_with
from simhash_doc_conformance.errors import NotUnderstoodError
from simhash_doc_conformance.vectors.inputs import Entry

# The steps that the engines other than `python` do not expose. Declaring them would certify the engine `python`.
_STEPS = frozenset({"fold", "tokens", "hash_tokens", "trace"})


class PackageImplementation:
    """The package with the engine of this process.

    `fold` and `tokens` are the steps of the engine `python`; all others are public functions.

    Args:
        engine: see `set_engine`; None to keep the configured engine.
        index: see `open_with`.

    Raises:
        EngineUnavailableError: the engine is not installed or cannot be used.
        InputError: the name of the index is unknown.
    """

    def __init__(self, engine: str | None = None, index: str = "memory") -> None:
        if engine is not None:
            set_engine(engine)
        self.engine = get_setting()
        self.index: str | None
        self.index, self._open = open_with(index)
        self.undeclared = frozenset() if has_extra("extract") else frozenset({"extract"})
        if self.index in ("clusters", "spark"):
            self.undeclared |= {"update"} if self.index == "spark" else {"query", "update"}
        if self.engine in ("numpy", "native"):
            self.undeclared |= _STEPS

    def fingerprint_text_form(self, given: str | bytes, scheme: str) -> str:
        return str(simhash_doc.fingerprint(given, get_scheme(scheme)))

    def fingerprint_of_pieces(self, pieces: Sequence[str] | Sequence[bytes], scheme: str) -> str:
        accumulator = simhash_doc.Accumulator(get_scheme(scheme))
        accumulator.merge(
            simhash_doc.Accumulator(get_scheme(scheme))
        )  # now the engine gets each piece, though the text is short
        for piece in pieces:
            if isinstance(piece, str):
                raise NotUnderstoodError("a str is not a sequence of code units")
            accumulator.update(piece)
        return str(accumulator.fingerprint())

    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        return str(Fingerprint.from_bytes(data, get_scheme(scheme), canonical=canonical))

    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        return Fingerprint.parse(text, None if scheme is None else get_scheme(scheme))

    def compare(self, a: str, b: str) -> dict[str, Any]:
        one, other = self.parse(a), self.parse(b)
        return {"distance": one.distance(other), "similarity": one.similarity(other)}

    def narrow(self, text: str, scheme: str) -> str:
        get_scheme(scheme)  # an unknown scheme is reported before a malformed text form
        return str(self.parse(text).narrow(get_scheme(scheme)))

    def read(self, given: str | bytes) -> str:
        return given.decode("utf-8", "replace") if isinstance(given, bytes) else given

    def fold(self, text: str) -> str:
        return strings.fold(text)

    def tokens(self, given: str | bytes) -> list[str]:
        return [token.decode("utf-8") for token in python.count_tokens(self.read(given)).elements()]

    def token_hashes(self, tokens: Sequence[str], scheme: str) -> list[str]:
        get_scheme(scheme)  # also if there is no token
        return [self._hash(token, scheme) for token in tokens]

    def _hash(self, token: str, scheme: str) -> str:
        """Return the hash of a token: the fingerprint of a text with this token alone."""
        return simhash_doc.fingerprint("text", get_scheme(scheme), tokenizer=lambda text: [token]).hex

    def buckets(self, given: str | bytes, scheme_id: str) -> list[int]:
        accumulator = simhash_doc.Accumulator(get_scheme(scheme_id))
        accumulator.update(given)
        return accumulator.buckets()

    def search(self, entries: Sequence[Entry], queries: Sequence[str], distance: int) -> list[list[str]]:
        parsed, asked = self._checked(entries, queries)
        if not asked or not parsed:
            return [[] for _ in asked]
        with self._open_within(asked[0], distance) as index:
            index.insert(parsed)
            return _near(index, asked, distance)

    def all_pairs(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        parsed, _ = self._checked(entries, ())
        if not parsed:
            return []
        scheme = parsed[0][1].scheme
        with self._open_within(parsed[0][1], distance) as index:
            found = index.pairs(parsed)
        if distance >= scheme.bits:
            found += [(a, b) for (a, x), (b, y) in combinations(parsed, 2) if x.value == _complement(y).value]
        return found

    def update(self, steps: Sequence[Mapping[str, Any]], distance: int) -> list[list[list[str]]]:
        stored: dict[str, Fingerprint] = {}
        answers = []
        texts = [text for step in steps for text in (*dict(step.get("insert", ())).values(), *step.get("query", ()))]
        if not texts:
            return [[] for step in steps if "query" in step]
        with self._open_within(self.parse(texts[0]), distance) as index:
            for step in steps:
                inserted = [(name, self.parse(text)) for name, text in step.get("insert", ())]
                stored.update(inserted)
                index.insert(inserted)
                index.remove([(name, stored.pop(name)) for name in step.get("remove", ())])
                if "query" in step:
                    answers.append(_near(index, [self.parse(text) for text in step["query"]], distance))
        return answers

    def _open_within(self, one: Fingerprint, distance: int) -> AbstractContextManager[Index]:
        """Open an empty index for fingerprints such as this one, whose functions refuse a distance of all bits."""
        return self._open(one.scheme.id, min(distance, one.scheme.bits - 1))

    def _checked(self, entries: Sequence[Entry], queries: Sequence[str]) -> tuple[Entries, list[Fingerprint]]:
        """Return the entries and queries.

        Raises:
            SpecError: a text form is malformed.
            SchemeMismatchError: all are well-formed, but not of one scheme (SD-LOOK-4).
        """
        parsed = [(name, self.parse(text)) for name, text in entries]
        asked = [self.parse(text) for text in queries]
        if len({value.scheme.id for value in (*asked, *(value for _, value in parsed))}) > 1:
            raise SchemeMismatchError("the fingerprints are of several schemes")
        return parsed, asked

    def trace(self, given: str | bytes, scheme: str) -> dict[str, Any]:
        traced = simhash_doc.trace(given, get_scheme(scheme))
        steps: dict[str, Any] = {
            "folded": traced.folded,
            "prepared": traced.prepared,
            "tokens": [one.token for one in traced.tokens for _ in range(one.occurrences)],
        }
        if traced.fingerprint is None:
            return {**steps, "error": "no-token"}
        return {**steps, "buckets": traced.buckets, "fingerprint": f"{scheme}:{traced.fingerprint}"}

    def extract(self, document: bytes, name: str | None) -> str:
        texts = []
        for extracted in simhash_doc_extraction.extract_each(BytesIO(document), name=name):
            if isinstance(extracted, simhash_doc_extraction.ExtractionError):
                raise extracted
            texts.append(extracted.text)
        return "\n\n".join(texts)


def _near(index: Index, asked: Sequence[Fingerprint], distance: int) -> list[list[str]]:
    """Return the ids near each query, also within all bits: what is not near a value is near its complement."""
    found = index.near(asked)
    if asked and distance >= asked[0].scheme.bits:
        others = index.near([_complement(query) for query in asked])
        found = [[*names, *sorted({*more} - {*names})] for names, more in zip(found, others, strict=True)]
    return found


def _complement(fingerprint: Fingerprint) -> Fingerprint:
    """Return the fingerprint that differs in all bits."""
    return Fingerprint(~fingerprint.value % 2**fingerprint.scheme.bits, fingerprint.scheme.id)


def has_extra(extra: str) -> bool:
    """Return True if all libraries of an extra of this package are installed."""
    requirements = metadata.requires("simhash-doc") or ()
    named = (re.match(rf"([\w.-]++)[^;]*+; .*extra == ['\"]{extra}['\"]", one) for one in requirements)
    try:
        return all(metadata.version(match[1]) for match in named if match)
    except metadata.PackageNotFoundError:
        return False
