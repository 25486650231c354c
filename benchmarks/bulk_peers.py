"""Other libraries' fingerprints of the same documents, each as its own documentation shows it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.measuring import version

_UNITS = "words (Chinese: bigrams of characters)"

Work = Callable[[str], object]


def peers(language: str) -> tuple[dict[str, Work], dict[str, str]]:
    """Return what fingerprints one document, by name of the library, and why a library is left out."""
    found: dict[str, Work] = {}
    skipped: dict[str, str] = {}
    for distribution, make in _PEERS.items():
        release = version(distribution)
        if release is None:
            skipped[distribution] = "not installed"
            continue
        try:
            what, work = make(language)
        except ImportError as error:
            skipped[distribution] = f"cannot be imported: {error}"
        else:
            found[f"{distribution} {release}: {what}"] = work
    return found, skipped


def _gaoya(language: str) -> tuple[str, Work]:
    from gaoya.gaoya import simhash

    index = simhash.SimHash64StringIntIndex(6, 3, "word", False, (1, 1))
    return "simhash of words, Rust", index.doc2signature


def _rensa(language: str) -> tuple[str, Work]:
    import rensa

    def work(text: str) -> object:
        made = rensa.RMinHash(num_perm=128, seed=42)
        made.update(_tokens(text, language))
        return made.digest()

    return f"MinHash of 128, {_UNITS}, Rust", work


def _datasketch(language: str) -> tuple[str, Work]:
    from datasketch import MinHash

    def work(text: str) -> object:
        made = MinHash(num_perm=128)
        made.update_batch([token.encode("utf-8") for token in _tokens(text, language)])
        return made.digest()

    return f"MinHash of 128, {_UNITS}, numpy", work


def _simhash(language: str) -> tuple[str, Work]:
    from simhash import Simhash

    return "simhash of 4-grams, Python (1e0ng)", lambda text: Simhash(text).value


def _iscc(language: str) -> tuple[str, Work]:
    import iscc_core

    return "Text-Code of 13-grams, Python", partial(iscc_core.gen_text_code_v0, bits=64)


def _tokens(text: str, language: str) -> list[str]:
    # As in their examples; for text without spaces, bigrams are the usual choice.
    if language == "zh":
        return [text[at : at + 2] for at in range(len(text) - 1)]
    return text.split()


_PEERS: dict[str, Callable[[str], tuple[str, Work]]] = {
    "gaoya": _gaoya,
    "rensa": _rensa,
    "datasketch": _datasketch,
    "simhash": _simhash,
    "iscc-core": _iscc,
}
