"""The functions of the public interface for one text in memory."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass

from simhash_doc import reference
from simhash_doc.accumulator import Accumulator, Tokenizer
from simhash_doc.pinned import scheme as find_scheme
from simhash_doc.value import Fingerprint


def _accumulated(
    text: str | bytes, scheme: str, tokenizer: Tokenizer | None = None, stop_tokens: Collection[str] = ()
) -> Accumulator:
    accumulator = Accumulator(scheme, tokenizer=tokenizer, stop_tokens=stop_tokens)
    accumulator.update(text)
    return accumulator


def fingerprint(
    text: str | bytes,
    scheme: str = "sd64",
    *,
    tokenizer: Tokenizer | None = None,
    stop_tokens: Collection[str] = (),
) -> Fingerprint:
    """Return the fingerprint of a text, or of its UTF-8 bytes.

    Args:
        text: the document. Ill-formed UTF-8 and lone surrogates count as U+FFFD (SD-INPUT-2).
        scheme: short id or long name of the scheme: sd64, sd128, sd256 or sd512.
        tokenizer: see `Accumulator`; the result is not canonical.
        stop_tokens: see `Accumulator`; the result is not canonical if there are any.

    Raises:
        NoTokenError: the text holds no token.
        UnknownSchemeError: the scheme is not in the registry.
        TypeError: the text is neither str nor bytes.

    >>> print(fingerprint("The quick brown fox"))
    larqgiqsckcca
    >>> fingerprint("12 34")
    Traceback (most recent call last):
    simhash_doc.errors.NoTokenError: the text holds no token, so it has no fingerprint
    """
    return _accumulated(text, scheme, tokenizer, stop_tokens).fingerprint()


def buckets(text: str | bytes, scheme: str = "sd64") -> list[int]:
    """Return the signed 8-bit buckets of a text: 64 per word, each in [-127, 127].

    Index 64 j + i belongs to bit i of word j, bit 0 being the least significant
    (SD-BUCKET-1). A bucket near 0 marks a bit that a small edit may flip.

    Raises:
        NoTokenError: the text holds no token.
        UnknownSchemeError: the scheme is not in the registry.
    """
    return _accumulated(text, scheme).buckets()


@dataclass(frozen=True, slots=True)
class TracedToken:
    """A distinct token: its occurrences, those that count, and its hash for each word, in hexadecimal."""

    token: str
    occurrences: int
    counted: int
    hashes: list[str]


@dataclass(frozen=True, slots=True)
class Trace:
    """Every intermediate value of one text's fingerprint (spec, section 2).

    `tokens` is ordered by UTF-8 bytes. `sums`, `buckets`, `hex` and `fingerprint` are
    None where there is no token.
    """

    scheme: str
    folded: str
    prepared: str
    tokens: list[TracedToken]
    sums: list[int] | None
    buckets: list[int] | None
    hex: str | None
    fingerprint: str | None

    def as_dict(self) -> dict[str, object]:
        """Return the trace as values that JSON can hold."""
        return asdict(self)


def trace(text: str | bytes, scheme: str = "sd64") -> Trace:
    """Return every intermediate value, computed by the reference implementation.

    Raises:
        UnknownSchemeError: the scheme is not in the registry.
    """
    words = find_scheme(scheme).words
    decoded = reference.decode_utf8(text) if isinstance(text, bytes) else text
    folded = reference.fold(decoded)
    occurrences: dict[str, int] = {}
    for token in reference.tokens(decoded):
        occurrences[token] = occurrences.get(token, 0) + 1
    counted = {token: min(reference.OCCURRENCE_CAP, count) for token, count in occurrences.items()}
    sums = reference.bit_sums(counted, words) if counted else None
    clamped = reference.to_buckets(sums) if sums else None
    data = reference.to_bytes(clamped) if clamped else None
    return Trace(
        scheme=find_scheme(scheme).id,
        folded=folded,
        prepared=reference.remove_links(folded),
        tokens=[
            TracedToken(
                token=token,
                occurrences=occurrences[token],
                counted=counted[token],
                hashes=[f"{reference.hash_token(token, word):016x}" for word in range(words)],
            )
            for token in sorted(occurrences, key=lambda token: token.encode("utf-8"))
        ],
        sums=sums,
        buckets=clamped,
        hex=data.hex() if data else None,
        fingerprint=reference.encode(data) if data else None,
    )
