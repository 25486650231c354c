"""Documents in many languages, and the relations that must hold for each."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from generators.case_builder import Draft, draft
from simhash_doc.unicode_data import normalize

TEXTS = Path(__file__).parents[1] / "texts"
# Languages in which folding does not undo capital letters.
UPPER_IS_ANOTHER_TEXT = {"tr", "az", "kk", "hy"}
WIDE = {"sd128": ("en", "ar", "ko"), "sd256": ("ru", "hi", "ja"), "sd512": ("zh-Hans", "th", "el")}


def texts() -> dict[str, str]:
    """Return the texts, written for this suite, by BCP 47 tag."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(TEXTS.glob("*.txt"))}


def documents() -> Iterator[Draft]:
    for tag, text in texts().items():
        case = partial(draft, language=tag, text=text)
        required = ("SD-RUN-1", "SD-SIGN-1")
        yield case(f"language/{tag}", "fingerprint", required, "a document, all steps", "language")
        yield case(f"language/{tag}-tokens", "tokens", ("SD-RUN-1", "SD-SPLIT-1"), "its tokens", "language")
        for scheme in (scheme for scheme, tags in WIDE.items() if tag in tags):
            required, slug = ("SD-WIDE-2", "SD-WIDE-3"), f"language/{tag}-{scheme}"
            flags = ("language", "wide")
            yield draft(
                slug, "fingerprint", required, "in a wide scheme", *flags, language=tag, scheme=scheme, text=text
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
        required, comment = ("SD-FOLD-1", "SD-FOLD-5", "SD-INPUT-1"), "the same: " + ", ".join(variants)
        case = partial(draft, language=tag, text=text, same=variants.values())
        yield case(f"same/{tag}", "fingerprint", required, comment, "metamorphic")


def _upper_folds_back(text: str) -> bool:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return text.upper() != text and unicodedata.normalize("NFKC", text.upper()).casefold() == folded


def separate_streams() -> Iterator[Draft]:
    """Concatenated texts have the tokens of both."""
    english, chinese = texts()["en"], texts()["zh-Hans"]
    same = [{"text": chinese + "\n" + english}, {"text": english + "\n\n\u200b" + chinese}]
    both, comment = english + "\n" + chinese, "two documents in either order"
    yield draft("same/two-streams", "fingerprint", "SD-SUM-1", comment, "metamorphic", text=both, same=same)


GENERATORS = (documents, relations, separate_streams)
