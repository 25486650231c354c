"""How well undeclared encodings are detected."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from statistics import mean
from typing import Any

from benchmarks.calibration.corpus import UNRELATED, Corpus
from benchmarks.measuring import version
from simhash_doc import NoTokenError, fingerprint
from simhash_doc.extract.charset import decode

OLD_ENCODINGS = {
    "ar": ["cp1256"], "bg": ["cp1251"], "cs": ["cp1250", "iso8859-2"], "de": ["cp1252"], "el": ["iso8859-7", "cp1253"],
    "es": ["cp1252"], "et": ["cp1257"], "fa": ["cp1256"], "fi": ["cp1252"], "fr": ["cp1252"], "he": ["cp1255"],
    "hr": ["cp1250"], "hu": ["cp1250", "iso8859-2"], "ja": ["cp932", "euc-jp"], "ko": ["cp949"], "lt": ["cp1257"],
    "lv": ["cp1257"], "pl": ["cp1250", "iso8859-2"], "pt": ["cp1252"], "ro": ["cp1250"], "ru": ["cp1251", "koi8-r"],
    "sv": ["cp1252"], "th": ["cp874"], "tr": ["cp1254"], "uk": ["cp1251"], "vi": ["cp1258"], "zh": ["gb18030"],
    "zh-hans": ["gb18030"], "zh-hant": ["big5"],
}  # fmt: skip
"""Language -> the encodings in use before UTF-8."""

_TEXTS = 6
_SHORT = 1500
_CLOSE = 3
_REPRESENTABLE = 0.95


def measure(corpus: Corpus) -> list[dict[str, Any]]:
    """Encode texts in old encodings. Return for each detector the share of texts with a fingerprint within 3 bits."""
    samples = _samples(corpus)
    rows = []
    for name, read in _detectors().items():
        row: dict[str, Any] = {"detector": name, "texts": len(samples)}
        for length in ("complete", "short"):
            row[length] = round(mean(_close(read, data, text) for kind, data, text in samples if kind == length), 4)
        rows.append(row)
    return rows


def _samples(corpus: Corpus) -> list[tuple[str, bytes, str]]:
    chosen = defaultdict(list)
    for document in corpus.documents.values():
        if document.kind == UNRELATED and document.lang in OLD_ENCODINGS and len(chosen[document.lang]) < _TEXTS:
            chosen[document.lang].append(document.path.read_text(encoding="utf-8"))
    samples = []
    for lang, texts in chosen.items():
        for text in texts:
            for encoding in OLD_ENCODINGS[lang]:
                kept = text.encode(encoding, "ignore").decode(encoding, "ignore")
                if len(kept) < _REPRESENTABLE * len(text):
                    continue
                for kind, cut in (("complete", None), ("short", _SHORT)):
                    data = kept[:cut].encode(encoding)
                    if not _is_utf8(data):
                        samples.append((kind, data, kept[:cut]))
    return samples


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _close(read: Callable[[bytes], str], data: bytes, text: str) -> bool:
    try:
        return fingerprint(read(data)).distance(fingerprint(text)) <= _CLOSE
    except (NoTokenError, LookupError):
        return False


def _detectors() -> dict[str, Callable[[bytes], str]]:
    detectors: dict[str, Callable[[bytes], str]] = {
        f"simhash_doc, with resiliparse {version('resiliparse')}": lambda data: decode(data)[0]
    }
    if found := version("charset-normalizer"):
        from charset_normalizer import from_bytes

        detectors[f"charset-normalizer {found}"] = lambda data: str(from_bytes(data[: 256 * 1024]).best() or "")
    if found := version("chardet"):
        import chardet

        def by_chardet(data: bytes) -> str:
            return data.decode(chardet.detect(data[: 64 * 1024])["encoding"] or "cp1252", "replace")

        detectors[f"chardet {found}"] = by_chardet
    return detectors
