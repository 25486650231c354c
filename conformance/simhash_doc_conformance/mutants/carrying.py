"""Mutants of section 2 that lose or change what they carry from one piece to the next."""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from simhash_doc.unicode_data import combining_class, fold_map, members, normalize, word_categories
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import of_sizes, table
from simhash_doc_conformance.mutants.reading import Pieces, cut_runs, folded_at, maps_to_bound, texts_of, with_steps

_HANGUL_VOWELS, _HANGUL_ENDS = range(0x1161, 0x1176), range(0x11A8, 0x11C3)


def _word_held(pattern: str, size: int) -> Callable[..., str]:
    """Return the step that cuts the words of a kind, if they are in several pieces, after so many characters."""

    def fingerprint(right: Implementation, pieces: Pieces, scheme: str) -> str:
        if len(pieces) < 2:
            return right.fingerprint_of_pieces(pieces, scheme)
        folded = Implementation().fold("".join(texts_of(pieces)))
        return with_steps(scheme, remove_links=cut_runs(Implementation().remove_links(folded), pattern, size))

    return fingerprint


def _first(character: str) -> str:
    """Return the first code point of what a character is folded to; empty if it is removed."""
    return normalize("NFD", fold_map().get(ord(character), character))[:1]


def _bound_but(is_forgotten: Callable[[str], bool]) -> Callable[..., str]:
    """Return the step that folds what is before a piece that begins with a code point of a kind."""
    return folded_at(lambda c: maps_to_bound(c) and not (_first(c) and is_forgotten(_first(c))))


def _is_class(number: int, character: str) -> bool:
    return combining_class(character) == number


def _category(character: str) -> str:
    return word_categories().get(ord(character), "")


# A mark of a higher class is never sorted before another.
_CLASSES = sorted(
    {combining_class(chr(code)) for code in range(0x20000) if members("nonstarter")[code]} - {0, 234, 240}
)


def _counted(change: Callable[[int], int]) -> Callable[..., str]:
    """Return the step that changes the counts of tokens of a text in several pieces."""

    def fingerprint(right: Implementation, pieces: Pieces, scheme: str) -> str:
        counts = Counter(right.tokens("".join(texts_of(pieces))))
        kept = {token: min(8, change(count)) for token, count in counts.items() if change(count)}
        return (
            with_steps(scheme, capped_counts=kept)
            if len(pieces) > 1 and kept
            else right.fingerprint_of_pieces(pieces, scheme)
        )

    return fingerprint


def _tokens_kept(most: int) -> Callable[..., str]:
    """Return the step that counts so many distinct tokens of a text in several pieces."""

    def fingerprint(right: Implementation, pieces: Pieces, scheme: str) -> str:
        if len(pieces) < 2:
            return right.fingerprint_of_pieces(pieces, scheme)
        counts = right.capped_counts(right.tokens("".join(texts_of(pieces))))
        return (
            with_steps(scheme, capped_counts=dict([*counts.items()][:most]))
            if counts
            else right.fingerprint_of_pieces(pieces, scheme)
        )

    return fingerprint


def _pieces_kept(most: int) -> Callable[..., Any]:
    return lambda step, pieces: step(pieces[:most])


def _ended_at_empty(pieces: Pieces) -> list[Any]:
    """Return the text with U+FFFD for a character that an empty piece interrupts."""
    if isinstance(pieces[0], bytes):
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        decoded = [decoder.decode(piece, final=not piece) for piece in pieces]  # type: ignore[arg-type]
        return ["".join([*decoded, decoder.decode(b"", final=True)]).encode()]
    joined = ""
    for piece in pieces:
        joined += str(piece)
        if not piece and "\ud800" <= joined[-1:] <= "\udbff":
            joined = f"{joined[:-1]}\ufffd"
    return [joined]


def _behind_empty_lost(pieces: Sequence[Any]) -> Sequence[Any]:
    return [piece for before, piece in zip(["first", *pieces], pieces, strict=False) if before]


def _read_again(pieces: Sequence[Any]) -> Sequence[Any]:
    """Return the pieces with the one before in place of each empty one."""
    return [piece or before for before, piece in zip([pieces[0], *pieces], pieces, strict=False)]


_OTHER_WORDS = r"[^\W\x00-\x7f]+"
_HELD = (32, 48, 50, 64, 100, 128, 137, 256, 512, 1000, 1024, 4096, 8192, 65_536, 131_072)
table("SD-PIECE-1", fingerprint_of_pieces={
    **of_sizes("carried-word{}", "carries at most {:,} characters of a word that is not ASCII",
    partial(_word_held, _OTHER_WORDS), *_HELD),
    **of_sizes("carried-han{}", "carries at most {:,} characters of a stretch of Chinese",
    partial(_word_held, "[\u4e00-\u9fff]+"), 32, 100, 1000, 4096),
    **of_sizes("carried-cyrillic{}", "carries at most {:,} characters of a Cyrillic word",
    partial(_word_held, "[\u0400-\u04ff]+"), 32, 100, 512),
    **of_sizes("carried-arabic{}", "carries at most {:,} characters of an Arabic word",
    partial(_word_held, "[\u0600-\u06ff]+"), 32, 100, 256),
    **{f"carried-class{number}": (f"folds what is before a piece that begins with a mark of class {number}",
        _bound_but(partial(_is_class, number))) for number in _CLASSES},
    "carried-bmp": ("folds what is before a piece that begins beyond U+FFFF",
    folded_at(lambda c: c <= "\uffff" and maps_to_bound(c))),
    "carried-mn": ("folds what is before a piece that begins with a mark that is not Mn",
        _bound_but(lambda c: bool(combining_class(c)) and _category(c) != "Mn")),
    "carried-no-starters": ("folds what is before a piece that begins with a starter beyond U+FFFF",
    _bound_but(lambda c: c > "\uffff" and not combining_class(c))),
    "carried-no-vowels": ("folds what is before a piece that begins with a vowel of Hangul",
    _bound_but(lambda c: ord(c) in _HANGUL_VOWELS)),
    "carried-no-ends": ("folds what is before a piece that begins with a last consonant of Hangul",
    _bound_but(lambda c: ord(c) in _HANGUL_ENDS)),
    "carried-vowels-short": ("folds what is before a piece that begins with the last vowel of Hangul",
    _bound_but(lambda c: c == "\u1175")),
    "carried-ends-short": ("folds what is before a piece that begins with the last consonant of Hangul",
    _bound_but(lambda c: c == "\u11c2")),
    "carried-indic": ("folds what is before a piece that begins with a vowel sign of India",
    _bound_but(lambda c: "\u0900" <= c <= "\u0dff" and not combining_class(c))),
    "carried-burmese": ("folds what is before a piece that begins with U+102E", _bound_but(lambda c: c == "\u102e")),
    "carried-balinese": ("folds what is before a piece that begins with U+1B35", _bound_but(lambda c: c == "\u1b35")),
    "carried-count8": ("counts tokens of a text in pieces in 8 bits", _counted(lambda count: count % 256)),
    "carried-count-signed": ("counts tokens of a text in pieces in signed bytes",
    _counted(lambda count: (count + 128) % 256 - 128)),
    "carried-count16": ("counts tokens of a text in pieces in 16 bits", _counted(lambda count: count % 65_536)),
    "carried-count4": ("counts tokens of a text in pieces in 4 bits", _counted(lambda count: count % 16)),
    "carried-uncapped": ("counts tokens of a text in pieces up to 16 times",
    _counted(lambda count: count if count < 9 else min(16, count) // 2)),
    **of_sizes("carried-distinct{}", "keeps {:,} distinct tokens of a text in pieces", _tokens_kept, 128, 256, 1024,
    4096, 10_000),
}, joined={
    **of_sizes("carried-pieces{}", "reads {:,} pieces", _pieces_kept, 255, 256, 1024),
    "carried-empty-ends": ("ends an incomplete character at an empty piece", lambda step,
    pieces: step(_ended_at_empty(pieces))),
    "carried-empty-skips": ("loses the piece behind an empty one", lambda step,
    pieces: step(_behind_empty_lost(pieces))),
    "carried-again": ("reads a piece again whose cut is there twice",
        lambda step, pieces: step(_read_again(pieces))),
})  # fmt: skip
