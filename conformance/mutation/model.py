"""The reference, with the appendices of the specification in place of functions of the platform."""

from __future__ import annotations

from mutation import appendix_a, appendix_d
from simhash_doc.conformance.implementation import Implementation


class _WithXxh64(Implementation):
    """Hashes as appendix A describes it."""

    def hash_token(self, token: str, seed: int = 0) -> int:
        return appendix_a.xxh64(token.encode("utf-8"), seed)


class _WithNormalization(Implementation):
    """Normalizes as appendix D describes it, by the published tables."""

    def decomposed(self, text: str) -> str:
        return "".join("".join(map(chr, appendix_d.nfd(character))) for character in text)

    def compose(self, text: str) -> str:
        return appendix_d.nfc(text)


_MODELS: dict[str | None, type[Implementation]] = {
    None: Implementation,
    "appendix_a": _WithXxh64,
    "appendix_d": _WithNormalization,
}


def model(appendix: str | None) -> Implementation:
    """Return the reference, with the functions of one appendix if given."""
    return _MODELS[appendix]()
