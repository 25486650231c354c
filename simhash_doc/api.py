"""The fingerprint of one text in memory."""

from __future__ import annotations

from simhash_doc.arguments import Many, Tokenizer, exact
from simhash_doc.engines.select import select_engine
from simhash_doc.errors import NoTokenError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import AnyScheme, get_scheme


def fingerprint(
    text: str | bytes,
    scheme: AnyScheme = "sd64",
    *,
    tokenizer: Tokenizer | None = None,
    stop_tokens: Many[str] = (),
) -> Fingerprint:
    """Return the fingerprint of a text.

    Case, digits, punctuation between words, the order of words, links and e-mail addresses do not count: texts that
    differ only in them have equal fingerprints.

    Args:
        text: the document, as text or as UTF-8. Ill-formed UTF-8 and lone surrogates count as U+FFFD (SD-INPUT-2,
            SD-INPUT-3).
        scheme: a short id (sd64, sd128, sd256 or sd512) or a `Scheme`.
        tokenizer: see `Accumulator`; the result is not canonical.
        stop_tokens: see `Accumulator`; the result is not canonical if there are any.

    Raises:
        NoTokenError: the text holds no token.
        UnknownSchemeError: the registry has no such scheme.
        TypeError: the text is neither str nor bytes, or the stop tokens are one str.
        ValueError: see `Accumulator`.

    >>> print(fingerprint("The quick brown fox"))
    sd64:larqgiqsckcca
    >>> fingerprint("12 34")
    Traceback (most recent call last):
    simhash_doc.errors.NoTokenError: the text holds no token, so it has no fingerprint
    """
    text = exact(text)
    if tokenizer is not None or stop_tokens != ():
        from simhash_doc.accumulator import Accumulator

        accumulator = Accumulator(scheme, tokenizer=tokenizer, stop_tokens=stop_tokens)
        accumulator.update(text)
        return accumulator.fingerprint()
    known = get_scheme(scheme)
    value = select_engine(len(text)).fingerprint(text, known.lanes)
    if value is None:
        raise NoTokenError
    return Fingerprint(value, known)
