"""The public functions for one text in memory."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from simhash_doc.engines.base import exact
from simhash_doc.engines.select import select_engine
from simhash_doc.errors import NoTokenError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_scheme

if TYPE_CHECKING:
    from simhash_doc.accumulator import Tokenizer


def fingerprint(
    text: str | bytes,
    scheme: str = "sd64",
    *,
    tokenizer: Tokenizer | None = None,
    stop_tokens: Collection[str] = (),
) -> Fingerprint:
    """Return the fingerprint of a text.

    Args:
        text: the document, as text or as UTF-8. Ill-formed UTF-8 and lone surrogates count as U+FFFD (SD-INPUT-2,
            SD-INPUT-3).
        scheme: short id of the scheme: sd64, sd128, sd256 or sd512.
        tokenizer: see `Accumulator`; the result is not canonical.
        stop_tokens: see `Accumulator`; the result is not canonical if there are any.

    Raises:
        NoTokenError: the text holds no token.
        UnknownSchemeError: the scheme is not in the registry.
        TypeError: the text is neither str nor bytes.

    >>> print(fingerprint("The quick brown fox"))
    sd64:larqgiqsckcca
    >>> fingerprint("12 34")
    Traceback (most recent call last):
    simhash_doc.errors.NoTokenError: the text holds no token, so it has no fingerprint
    """
    text = exact(text)
    if tokenizer is not None or stop_tokens:
        from simhash_doc.accumulator import Accumulator

        accumulator = Accumulator(scheme, tokenizer=tokenizer, stop_tokens=stop_tokens)
        accumulator.update(text)
        return accumulator.fingerprint()
    known = get_scheme(scheme)
    value = select_engine(len(text)).fingerprint(text, known.lanes)
    if value is None:
        raise NoTokenError
    return Fingerprint(value, known.id)


def buckets(text: str | bytes, scheme: str = "sd64") -> list[int]:
    """Return the signed 8-bit buckets of a text: 64 per lane, each in [-127, 127].

    Index 64 j + i is bit i of lane j, with bit 0 the least significant (SD-BUCKET-1). A small edit is most likely to
    flip the bits whose buckets are near 0.

    Raises:
        NoTokenError: the text holds no token.
        UnknownSchemeError: the scheme is not in the registry.
        TypeError: the text is neither str nor bytes.
    """
    from simhash_doc.reference import to_buckets

    text = exact(text)
    measured = select_engine(len(text)).measure(text, get_scheme(scheme).lanes)
    if not measured.distinct_tokens:
        raise NoTokenError
    return to_buckets(measured.sums)
