"""This package as its users call it, with one of its engines."""

from __future__ import annotations

import re
from importlib import metadata
from io import BytesIO

from simhash_doc.conformance.implementation import Implementation

# The steps that the engines `numpy` and `numba` do not expose. Declaring them would certify the engine `python`.
_STEPS = frozenset({"fold", "tokens", "hash_tokens", "trace"})


class PackageImplementation(Implementation):
    """The package with the engine of this process.

    Args:
        engine: `auto`, `python`, `numpy` or `numba`, see `set_engine`; None to keep the configured engine.

    Raises:
        EngineUnavailableError: the engine is not installed or cannot be used.
    """

    def __init__(self, engine: str | None = None) -> None:
        from simhash_doc.engines.select import get_setting, set_engine

        if engine is not None:
            set_engine(engine)
        self.engine = get_setting()
        self.undeclared = frozenset() if has_extra("extract") else frozenset({"extract"})
        if self.engine in ("numpy", "numba"):
            self.undeclared |= _STEPS

    def fold(self, text: str) -> str:
        from simhash_doc.engines import strings

        return strings.fold(text)

    def remove_links(self, folded: str) -> str:
        from simhash_doc.engines import strings

        return strings.remove_links(folded)

    def tokens(self, given: str | bytes) -> list[str]:
        from simhash_doc.engines.python import count_tokens

        return [token.decode("utf-8") for token in count_tokens(self.read(given)).elements()]

    def buckets(self, given: str | bytes, scheme_id: str = "sd64") -> list[int]:
        from simhash_doc import buckets

        return buckets(given, scheme_id)

    def fingerprint_text_form(self, given: str | bytes, scheme: str) -> str:
        from simhash_doc import fingerprint

        return str(fingerprint(given, scheme))

    def extract(self, document: bytes, name: str | None) -> str:
        from simhash_doc import extract

        texts = []
        for extracted in extract.extract_each(BytesIO(document), name=name):
            if isinstance(extracted, extract.ExtractionError):
                raise extracted
            texts.append(extracted.text)
        return "\n\n".join(texts)


def has_extra(extra: str) -> bool:
    """Return True if all libraries of an extra of this package are installed."""
    wanted = re.compile(rf"([\w.-]+).*; .*extra == ['\"]{extra}['\"]")
    named = (wanted.match(requirement) for requirement in metadata.requires("simhash-doc") or ())
    try:
        return all(metadata.version(match[1]) for match in named if match)
    except metadata.PackageNotFoundError:
        return False
