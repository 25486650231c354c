"""Worst-case texts, and ordinary text to compare them with.

`benchmarks.implementations` measures them; `tests/engines/test_work.py` finds those that take quadratic time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import numpy as np

SYLLABLES = "ka lo mi ter an der son ing ver sta pre con ble ro tu sel ne ma dis per".split()


def ordinary_text(size: int, seed: int = 1) -> str:
    """Return generated text that costs about as much as English: frequent and rare words, punctuation, numbers, links.

    The rate for English documents of 10 KB is about the same with `numpy`.
    """
    draw = random.Random(seed)
    vocabulary = ["".join(draw.choices(SYLLABLES, k=draw.choice([1, 2, 2, 3, 4]))) for _ in range(100_000)]
    weights = [1 / (rank + 10) for rank in range(len(vocabulary))]
    words = draw.choices(vocabulary, weights, k=size // 5)
    for i in range(0, len(words), 14):
        words[i] = words[i].capitalize() + draw.choice([",", ".", ";", ".\n", "\u2019s", " (1998)"])
    for i in range(0, len(words), 50):
        words[i] = draw.choice(
            ["https://example.org/{}", "{}@example.org", "www.{}.example", "\u201c{}", "{}\u00e9"]
        ).format(words[i])
    for i in range(0, len(words), 6):
        words[i] = draw.choice(["{}.{}", "{}_{}", "{}-{}", "({}:{})"]).format(words[i], words[i - 1])
    return _of_size(" ".join(words), size)


def _of_size(text: str, size: int) -> str:
    encoded = text.encode("utf-8")
    repeated = encoded * (size // len(encoded) + 1)
    return repeated[:size].decode("utf-8", "ignore")


def _random_of(characters: range, size: int, seed: int, each: str = "") -> str:
    draw = np.random.default_rng(seed).integers(characters.start, characters.stop, size // 2)
    return _of_size(each.join(map(chr, draw.tolist())), size)


def _distinct_words(size: int, letters: str, length: int) -> str:
    draw = random.Random(5)
    words = ("".join(draw.choices(letters, k=length)) for _ in range(size // (length + 1) + 1))
    return _of_size(" ".join(words), size)


REPEATED = {
    "marks in non-canonical order": "e\u0301\u0316 ",
    "runs of 30 marks, in the wrong order": "a" + "\u0301\u0316" * 15 + " ",
    "runs of 31 marks": "a" + "\u0301\u0316" * 15 + "\u0301 ",
    "one endless run of marks": "\u0301\u0316",
    "marks that compose, without a space": "e\u0301",
    "decomposed text": "de\u0301ja\u0300 vu\u0308 ",
    "Hangul jamo": "\u1112\u1161\u11ab\u1100\u116e\u11a8 ",
    "Hangul jamo without a space": "\u1112\u1161\u11ab",
    "a character that folds to 18": "\ufdfa",
    "a character that folds to 18, apart": "\ufdfa ",
    "ligatures": "\ufb03",
    "dots that fold to three": "a\u2026",
    "capitals that fold to two": "\u0130\u1e9e ",
    "characters that fold to nothing": "a\u00ad\u200b",
    "links": "http://a.example/x ",
    "many short links": "a@b.c ",
    "almost-links": "a.a-a+a.a-a+a.a-a+a.a-a+a.a-a+a:/",
    "almost-addresses": "a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a@",
    "at signs": "@ ",
    "colons": "a: ",
    "www": "www.",
    "almost-identifiers": "deadbeef-dead-beef-dead-",
    "hexadecimal digests": "d41d8cd98f00b204e9800998ecf8427e ",
    "almost-digests": "d41d8cd98f00b204e9800998ecf8427 ",
    "almost-DOIs": "10.1234.5678.9012.",
    "digit runs": "9" * 5000 + " ",
    "connectors": "_a_ __ ",
    "one letter words": "a b ",
    "U+FFFD": "\ufffd",
    "unassigned characters": "\u0378",
    "letters and U+FFFD": "a\ufffd",
    "ASCII and not in turns": "a\u00e9",
    "Latin and Han in turns": "a\u6f22",
    "supplementary letters": "\U0001d400\U00010400",
    "supplementary Han": "\U00020000\U00020001\U00020002 ",
    "one endless word": "abcdefghij",
}

GENERATED: dict[str, Callable[[int], str]] = {
    "distinct words": lambda size: _distinct_words(size, "abcdefghijklmnopqrstuvwxyz", 7),
    "distinct words of three letters": lambda size: _distinct_words(size, "abcdefghijklmnopqrstuvwxyz", 3),
    "distinct words, Cyrillic": lambda size: _distinct_words(size, "\u0430\u0431\u0432\u0433\u0434\u0435\u0436", 9),
    "random Han, unseparated": lambda size: _random_of(range(0x4E00, 0x9FFF), size, 2),
    "random supplementary Han": lambda size: _random_of(range(0x20000, 0x2A6DF), size, 3),
    "random Hangul": lambda size: _random_of(range(0xAC00, 0xD7A3), size, 4, " "),
    "random characters of the basic plane": lambda size: _random_of(range(0xA0, 0xD7FF), size, 6),
    "random marks": lambda size: _random_of(range(0x300, 0x36F), size, 7),
    "random marks, spaced": lambda size: _random_of(range(0x300, 0x36F), size, 7, "a "),
    "random compatibility characters": lambda size: _random_of(range(0xF900, 0xFB00), size, 8),
    "random Arabic forms": lambda size: _random_of(range(0xFB50, 0xFDFC), size, 9),
}


def catalogue(size: int) -> Iterator[tuple[str, str]]:
    """Yield (name, text of about `size` bytes) of all worst-case texts."""
    for name, piece in REPEATED.items():
        yield name, _of_size(piece, size)
    for name, generate in GENERATED.items():
        yield name, generate(size)
