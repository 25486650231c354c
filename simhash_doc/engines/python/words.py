"""Tokens of a document, computed by methods of `str` and `bytes` on the complete text, not character by character.

A text has few distinct characters. What a character is, or folds to, is looked up once per distinct character, and
`replace`, `translate` and `split` do the rest. After folding the words are the runs that `split` leaves: every
character in no word has become a space, and so have the stretches of scriptio continua, whose bigrams are counted
before. Links are ASCII, so replacing another character by a space neither creates nor breaks a link.
"""

from __future__ import annotations

from collections import Counter
from enum import IntEnum

from simhash_doc.engines.python.links import (
    DIGEST_LENGTH,
    MARKS,
    REMOVED,
    has_digest,
    without_digests,
    without_marked_links,
)
from simhash_doc.engines.python.tokens import bigram_counts, compose, continua_stretch
from simhash_doc.reference import trim
from simhash_doc.unicode_data import connectors, fold_map, members

_WORD_BYTES = b"abcdefghijklmnopqrstuvwxyz0123456789_"
_TO_SPACES = bytes(byte if byte in _WORD_BYTES or 0x80 <= byte < REMOVED[0] else 0x20 for byte in range(256))
_FIRST_LETTER, _UNDERSCORE = ord("a"), ord("_")
_MAX_REPLACED = 100  # distinct characters; with more, one `translate` of the text is faster


class _Kind(IntEnum):
    OUTSIDE, WORD, CONTINUA, CONNECTOR = range(4)


def count_tokens(text: str) -> Counter[bytes]:
    """Return the tokens of a text with their occurrences (SD-FOLD-1 to SD-FILTER-2)."""
    if text.isascii():
        return _count_words(text.lower().encode("ascii"), has_connectors=False)
    folded, characters = _folded(text)
    counts: Counter[bytes] = Counter()
    kinds = {character: _KINDS[character] for character in characters if not character.isascii()}
    if _Kind.CONTINUA in kinds.values():
        for part in bigram_counts(folded):
            counts.update({token.encode("utf-8"): count for token, count in part.items()})
        folded = continua_stretch().sub(" ", folded)
    for character, kind in kinds.items():
        if kind is _Kind.OUTSIDE:
            folded = folded.replace(character, " ")
    words = _count_words(folded.encode("utf-8"), has_connectors=_Kind.CONNECTOR in kinds.values())
    if not counts:
        return words
    counts.update(words)
    return counts


def _folded(text: str) -> tuple[str, set[str]]:
    """Return the folded text and its distinct characters (SD-FOLD-1 to SD-FOLD-5).

    White space becomes one space, which changes no token.
    """
    fold = fold_map()
    stretches = text.split()
    characters = _distinct(stretches)
    changes = {c: target for c in characters if (target := fold[ord(c)]) != c}
    mapped = " ".join(stretches)
    if len(changes) > _MAX_REPLACED:
        mapped = mapped.translate(fold)
    else:
        # In any order: no character of a target is mapped itself.
        for character, target in changes.items():
            mapped = mapped.replace(character, target)
    folded = compose(mapped)
    if folded == mapped:
        return folded, characters.difference(changes).union(*changes.values())
    return folded, _distinct(folded.split())


def _distinct(stretches: list[str]) -> set[str]:
    """Return the distinct characters of stretches of text; most stretches occur several times."""
    return set("".join(set(stretches)))


class _Kinds(dict[str, _Kind]):
    """The kinds of characters that are not ASCII, looked up when they are first seen."""

    def __missing__(self, character: str) -> _Kind:
        code_point = ord(character)
        if not members("word")[code_point]:
            kind = _Kind.OUTSIDE
        elif members("continua")[code_point]:
            kind = _Kind.CONTINUA
        else:
            kind = _Kind.CONNECTOR if character in connectors() else _Kind.WORD
        self[character] = kind
        return kind


_KINDS = _Kinds()


def _count_words(folded: bytes, *, has_connectors: bool) -> Counter[bytes]:
    """Return the words of a folded text.

    Args:
        folded: UTF-8 in which every character that is not ASCII is in a word, and none is of scriptio continua.
        has_connectors: True if one of them is a connector.
    """
    if MARKS.search(folded):
        folded = without_marked_links(folded)
    words = Counter(folded.translate(_TO_SPACES).split())
    if any(len(word) >= DIGEST_LENGTH and has_digest(word) for word in words):
        words = Counter(without_digests(folded).translate(_TO_SPACES).split())
    if has_connectors:
        doubtful = list(words)
    else:
        # Digits and the underscore are below the letters.
        doubtful = [
            word
            for word in words
            if not _FIRST_LETTER <= word[0] < 0x80 or word[-1] == _UNDERSCORE
            if word[0] < 0x80 or word[-1] == _UNDERSCORE or not _LETTERS[word[: _LENGTHS[word[0]]]]
        ]
    for word in doubtful:
        occurrences = words.pop(word)
        token = trim(word.decode("utf-8"))
        if token is not None:
            words[token.encode("utf-8")] += occurrences
    return words


class _Letters(dict[bytes, bool]):
    """Whether characters, in UTF-8, are Alphabetic; looked up when they are first seen."""

    def __missing__(self, character: bytes) -> bool:
        self[character] = is_letter = bool(members("alphabetic")[ord(character.decode("utf-8"))])
        return is_letter


_LETTERS = _Letters()
_LENGTHS = bytes(2 if lead < 0xE0 else 3 if lead < 0xF0 else 4 for lead in range(256))  # of a character, by its lead
