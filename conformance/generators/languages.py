"""Documents in many languages, and the relations that must hold for each."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

from generators.case_builder import Draft, draft
from simhash_doc.unicode_data import normalize

TEXTS = Path(__file__).parents[1] / "texts"
# Languages in which folding does not undo capital letters.
UPPER_IS_ANOTHER_TEXT = {"tr", "az", "kk", "hy"}
WIDE = {
    "en": "sd128",
    "ru": "sd256",
    "zh-Hans": "sd512",
    "ar": "sd128",
    "hi": "sd256",
    "th": "sd512",
    "ko": "sd128",
    "ja": "sd256",
    "el": "sd512",
}


def texts() -> dict[str, str]:
    """Return the texts, written for this suite, by BCP 47 tag."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(TEXTS.glob("*.txt"))}


def documents() -> Iterator[Draft]:
    for tag, text in texts().items():
        yield draft(
            f"language/{tag}",
            "fingerprint",
            ("SD-RUN-1", "SD-SIGN-1"),
            "a document, all steps",
            "language",
            language=tag,
            text=text,
        )
        yield draft(
            f"language/{tag}-tokens",
            "tokens",
            ("SD-RUN-1", "SD-SPLIT-1"),
            "its tokens",
            "language",
            language=tag,
            text=text,
        )
        if tag in WIDE:
            yield draft(
                f"language/{tag}-{WIDE[tag]}",
                "fingerprint",
                ("SD-WIDE-2", "SD-WIDE-3"),
                "in a wide scheme",
                "language",
                "wide",
                language=tag,
                scheme=WIDE[tag],
                text=text,
            )


def relations() -> Iterator[Draft]:
    """Other encodings of the same words, which must give the same fingerprint."""
    for tag, text in texts().items():
        variants = {
            "decomposed": {"text": normalize("NFD", text)},
            "as bytes": {"bytes": text.encode().hex()},
            "with hidden characters": {
                "text": "\u00ad".join(text[i : i + 5] for i in range(0, len(text), 5)) + "\ufeff"
            },
            "paragraphs in reverse": {"text": "\n".join(reversed(text.splitlines()))},
        }
        if tag not in UPPER_IS_ANOTHER_TEXT and _upper_folds_back(text):
            variants["in capitals"] = {"text": text.upper()}
        comment = "the same: " + ", ".join(variants)
        yield draft(
            f"same/{tag}",
            "fingerprint",
            ("SD-FOLD-1", "SD-FOLD-5", "SD-INPUT-1"),
            comment,
            "metamorphic",
            language=tag,
            text=text,
            same=variants.values(),
        )


def _upper_folds_back(text: str) -> bool:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return text.upper() != text and unicodedata.normalize("NFKC", text.upper()).casefold() == folded


def separate_streams() -> Iterator[Draft]:
    """Concatenated texts have the tokens of both."""
    english, chinese = texts()["en"], texts()["zh-Hans"]
    both = [{"text": chinese + "\n" + english}, {"text": english + "\n\n\u200b" + chinese}]
    yield draft(
        "same/two-streams",
        "fingerprint",
        "SD-SUM-1",
        "two documents in either order",
        "metamorphic",
        text=english + "\n" + chinese,
        same=both,
    )


GENERATORS = (documents, relations, separate_streams)
