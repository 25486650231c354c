"""Mutants that keep something between requests: results under a weak key, errors, an index."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any

from simhash_doc.errors import NoTokenError, SpecError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc_conformance.mutants import Keeping, of_sizes, table
from simhash_doc_conformance.mutants.identity import MORE_HASHES, SHORT_HASHES
from simhash_doc_conformance.vectors.inputs import Entry

Given = str | bytes
Key = Callable[..., Hashable]


class _Results(Keeping):
    """Keeps the result of each operation on texts and text forms under the key of its arguments."""

    text_key: Key | None = None  # of a document and a scheme
    tokens_key: Key | None = None  # of tokens and a scheme
    form_key: Key | None = None  # of a text form and the expected scheme
    pair_key: Key | None = None  # of two text forms
    narrow_key: Key | None = None
    bytes_key: Key | None = None  # of bytes, a scheme and whether they are canonical
    search_key: Key | None = None  # of entries, queries and a distance

    def fingerprint_text_form(self, given: Given, scheme: str) -> str:
        return str(self.kept("fingerprint", self.text_key, super().fingerprint_text_form, given, scheme))

    def buckets(self, given: Given, scheme_id: str = "sd64") -> list[int]:
        return list(self.kept("buckets", self.text_key, super().buckets, given, scheme_id))

    def token_hashes(self, tokens: Sequence[str], scheme: str) -> list[str]:
        return list(self.kept("hashes", self.tokens_key, super().token_hashes, tokens, scheme))

    def parse(self, text: str, scheme: str | None = None) -> Fingerprint:
        found = self.kept("parse", self.form_key, super().parse, text, scheme)
        assert isinstance(found, Fingerprint)
        return found

    def compare(self, a: str, b: str) -> dict[str, Any]:
        return dict(self.kept("compare", self.pair_key, super().compare, a, b))

    def narrow(self, text: str, scheme: str) -> str:
        return str(self.kept("narrow", self.narrow_key, super().narrow, text, scheme))

    def text_form(self, data: bytes, scheme: str, *, canonical: bool) -> str:
        def step(data: bytes, scheme: str, canonical: bool) -> str:
            return Keeping.text_form(self, data, scheme, canonical=canonical)

        return str(self.kept("encode", self.bytes_key, step, data, scheme, canonical))

    def search(self, entries: Sequence[Entry], queries: Sequence[str], distance: int) -> list[list[str]]:
        return list(self.kept("search", self.search_key, super().search, entries, queries, distance))

    def all_pairs(self, entries: Sequence[Entry], distance: int) -> list[tuple[str, str]]:
        def step(entries: Sequence[Entry], queries: Sequence[str], distance: int) -> list[tuple[str, str]]:
            return Keeping.all_pairs(self, entries, distance)

        return list(self.kept("pairs", self.search_key, step, entries, (), distance))

    def kept(self, operation: str, key: Key | None, step: Callable[..., Any], *given: Any) -> Any:
        """Return the result for the key, or raise the error, that the first arguments gave."""
        if key is None:
            return step(*given)
        results = vars(self).setdefault("_results", {})
        name = (operation, key(*given))
        if name not in results:
            try:
                results[name] = step(*given)
            except SpecError as error:
                results[name] = error
        if isinstance(results[name], SpecError):
            raise results[name]
        return results[name]


def _data(given: Given) -> bytes:
    return given if isinstance(given, bytes) else given.encode("utf-8", "surrogatepass")


def _units(given: Given) -> str:
    """Return the digits in which a request writes bytes or code units."""
    return (given if isinstance(given, bytes) else given.encode("utf-16-be", "surrogatepass")).hex()


def _of_text(value: Callable[[str], Hashable]) -> Key:
    return lambda given, scheme: (value(_data(given).decode("utf-8", "surrogateescape")), scheme)


def _hashed(value: Callable[[bytes], int], given: Given, scheme: str) -> Hashable:
    return value(_data(given)), scheme


def _words_of(text: str) -> Hashable:
    return len(text.split())


# Of a short text, the sum of Fletcher is that of Adler.
_HASHES = {name: hashed for name, hashed in {**SHORT_HASHES, **MORE_HASHES}.items() if name != "fletcher"}
_KEPT = "keeps results by"
table("SD-SEC-1", _Results, text_key={
    **{f"kept-by-{name}": (f"{_KEPT} {title} of the text", partial(_hashed, value))
       for name, (title, value) in _HASHES.items()},
    "kept-without-scheme": (f"{_KEPT} the text, without the scheme", lambda given, scheme: _data(given)),
    "kept-by-digits": (f"{_KEPT} the digits of bytes or code units, without which of them", lambda given,
    scheme: (_units(given), scheme)),
    "kept-by-length": (f"{_KEPT} the length of the text", _of_text(len)),
    "kept-by-letters": (f"{_KEPT} the letters of the text, in any order", _of_text(lambda text: "".join(sorted(text)))),
    "kept-by-words": (f"{_KEPT} the number of words", _of_text(_words_of)),
    "kept-by-word-set": (f"{_KEPT} the set of words", _of_text(lambda text: frozenset(text.split()))),
    "kept-by-first-word": (f"{_KEPT} the first word", _of_text(lambda text: text.partition(" ")[0])),
    "kept-by-last-word": (f"{_KEPT} the last word", _of_text(lambda text: text.rpartition(" ")[2])),
    "kept-by-sum": (f"{_KEPT} the sum of the bytes", _of_text(lambda text: sum(text.encode("utf-8", "replace")))),
    "kept-by-low-bytes": (f"{_KEPT} the low byte of each character",
    _of_text(lambda text: bytes(ord(c) % 256 for c in text))),
    "kept-by-low-units": (f"{_KEPT} the low 16 bits of each character",
    _of_text(lambda text: tuple(ord(c) % 65_536 for c in text))),
    "kept-by-latin-1": (f"{_KEPT} the text with ? for other characters",
    _of_text(lambda text: text.encode("latin-1", "replace"))),
    "kept-by-ascii": (f"{_KEPT} the ASCII characters", _of_text(lambda text: text.encode("ascii", "ignore"))),
    "kept-by-string": (f"{_KEPT} the text up to U+0000", _of_text(lambda text: text.partition("\0")[0])),
    "kept-by-line": (f"{_KEPT} the first line", _of_text(lambda text: text.partition("\n")[0])),
    "kept-by-spaceless": (f"{_KEPT} the text without spaces", _of_text(lambda text: "".join(text.split()))),
    "kept-by-no-digits": (f"{_KEPT} the text without digits",
    _of_text(lambda text: "".join(c for c in text if not c.isdecimal()))),
    "kept-by-alphanumeric": (f"{_KEPT} the letters and digits",
    _of_text(lambda text: "".join(filter(str.isalnum, text)))),
    "kept-by-base-letters": (f"{_KEPT} the text without accents",
        _of_text(lambda text: "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)))),
    "kept-by-sample": (f"{_KEPT} every eighth character", _of_text(lambda text: text[::8] + text[-1:])),
    "kept-by-pair-sample": (f"{_KEPT} every second character", _of_text(lambda text: (text[::2], len(text)))),
    **of_sizes("kept-by-first{}", _KEPT + " the first {:,} characters", lambda n: _of_text(lambda text: text[:n]), 1, 4,
    8, 16, 32, 64, 256, 1024),
    **of_sizes("kept-by-last{}", _KEPT + " the last {:,} characters", lambda n: _of_text(lambda text: text[-n:]), 4, 8,
    16, 32, 64, 256, 1024),
    **of_sizes("kept-by-ends{}", _KEPT + " the length, and {:,} characters at both ends",
        lambda n: _of_text(lambda text: (len(text), text[:n], text[-n:])), 1, 4, 8, 16, 32, 64, 128, 256, 1024),
}, tokens_key={
    "kept-tokens-joined": (f"{_KEPT} the tokens, joined", lambda tokens, scheme: ("".join(tokens), scheme)),
    "kept-tokens-spaced": (f"{_KEPT} the tokens with spaces between", lambda tokens,
    scheme: (" ".join(tokens), scheme)),
    "kept-tokens-without-scheme": ("keeps hashes by the tokens, without the scheme", lambda tokens,
    scheme: tuple(tokens)),
    **{f"kept-tokens-{name}": (f"keeps hashes of tokens by {title}",
        lambda tokens, scheme, value=value: (*(value(token.encode()) for token in tokens), scheme))
       for name, (title, value) in _HASHES.items()},
}, form_key={
    "kept-forms-lower": ("keeps text forms by lower case of Unicode", lambda text,
    scheme: (text.lower().replace("\u0307", ""), scheme)),
    "kept-forms-folded": ("keeps text forms by their case folding", lambda text, scheme: (text.casefold(), scheme)),
    "kept-forms-nfkc": ("keeps text forms by their NFKC", lambda text,
    scheme: (unicodedata.normalize("NFKC", text), scheme)),
    "kept-forms-stripped": ("keeps text forms without white space around them", lambda text,
    scheme: (text.strip(), scheme)),
    "kept-forms-string": ("keeps text forms up to U+0000", lambda text, scheme: (text.partition("\0")[0], scheme)),
    "kept-forms-units": ("keeps text forms by the low 16 bits of each character", lambda text,
    scheme: (tuple(ord(c) % 65_536 for c in text), scheme)),
    "kept-forms-length": ("keeps text forms by their first 17 characters", lambda text, scheme: (text[:17], scheme)),
    "kept-forms-first": ("keeps text forms by their first 16 characters", lambda text, scheme: (text[:16], scheme)),
    "kept-forms-padded": ("keeps text forms without padding", lambda text, scheme: (text.rstrip("="), scheme)),
    "kept-forms-alike": ("keeps text forms with a for 0", lambda text,
    scheme: (text.partition(":")[0], text.partition(":")[2].replace("0", "a"), scheme)),
    "kept-forms-unexpected": ("keeps text forms without the expected scheme", lambda text, scheme: text),
    "kept-forms-digits": ("keeps text forms by their digits", lambda text, scheme: (text.rpartition(":")[2], scheme)),
}, pair_key={
    "kept-distance-first": ("keeps distances by the first text form", lambda a, b: a),
    "kept-distance-second": ("keeps distances by the second text form", lambda a, b: b),
}, narrow_key={
    "kept-narrow-text": ("keeps narrowed text forms without the scheme", lambda text, scheme: text),
    "kept-narrow-digits": ("keeps narrowed text forms by their digits", lambda text,
    scheme: (text.rpartition(":")[2], scheme)),
}, bytes_key={
    "kept-encoded": ("keeps text forms by their bytes, without the mark", lambda data, scheme,
    canonical: (data, scheme)),
}, search_key={
    "kept-search-queries": ("keeps answers by the queries", lambda entries, queries,
    distance: (tuple(queries), distance)),
    "kept-search-entries": ("keeps answers by the entries", lambda entries, queries,
    distance: (json.dumps(entries), distance)),
    "kept-search-ids": ("keeps answers by the ids of the entries", lambda entries, queries,
    distance: (tuple(key for key, _ in entries), tuple(queries), distance)),
    "kept-search-count": ("keeps answers by the number of entries", lambda entries, queries,
    distance: (len(entries), tuple(queries), distance)),
    "kept-search-texts": ("keeps answers by the text forms of the entries", lambda entries, queries,
    distance: (tuple(text for _, text in entries), tuple(queries), distance)),
    "kept-search-distance": ("keeps answers without the distance", lambda entries, queries,
    distance: (json.dumps(entries), tuple(queries))),
    "kept-search-first": ("keeps answers by the first entry", lambda entries, queries,
    distance: (tuple(map(tuple, entries[:1])), tuple(queries), distance)),
})  # fmt: skip


class _Errors(Keeping):
    """Keeps the feature of a text without tokens, and refuses the next text that has it."""

    feature: Key

    def buckets(self, given: Given, scheme_id: str = "sd64") -> list[int]:
        refused = vars(self).setdefault("_refused", set())
        feature = self.feature(_data(given).decode("utf-8", "surrogateescape"), scheme_id)
        if feature in refused:
            raise NoTokenError("kept")
        try:
            return super().buckets(given, scheme_id)
        except SpecError:
            refused.add(feature)
            raise


table("SD-ERR-1", _Errors, feature={
    "kept-error": ("refuses every text after an error", lambda text, scheme: None),
    "kept-error-length": ("keeps an error for the next text of the same length", lambda text, scheme: len(text)),
    "kept-error-words": ("keeps an error for the next text of as many words", lambda text, scheme: len(text.split())),
    "kept-error-first": ("keeps an error for the next text with the same first character", lambda text,
    scheme: text[:1]),
    "kept-error-last": ("keeps an error for the next text with the same last character", lambda text,
    scheme: text[-1:]),
    "kept-error-text": ("keeps an error for the same text in another scheme", lambda text, scheme: text),
})  # fmt: skip
