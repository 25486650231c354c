"""A table of rows with planted edits, from a seed alone: passages, tweets, products, letters of one template.

A row and its edit have one origin. All other rows differ: products of a shop share its words, and so do letters.
The words are drawn from 50,000 with the frequencies of a natural language (Zipf).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import accumulate

Row = tuple[str, int, str]
"""A text, the number of its origin, and its kind, of which an edit has its own."""

Edit = Callable[[random.Random, list[str], list[str]], list[str]]

ROWS = 301_000
PASSAGES, TWEETS, PRODUCTS, LETTERS = 0.2, 0.4, 0.23, 12 / 301  # shares of the rows; the rest are edits
PRODUCTS_OF_SHOP = 300
_PART = 1 << 16  # rows that are made and shuffled together, and words that are drawn at a time


def _replaced(count: Callable[[int], int]) -> Edit:
    def edit(choose: random.Random, words: list[str], others: list[str]) -> list[str]:
        edited = words.copy()
        for at in choose.sample(range(len(words)), count(len(words))):
            edited[at] = choose.choice(others)
        return edited

    return edit


def _cut(choose: random.Random, words: list[str], others: list[str]) -> list[str]:
    return words[: round(choose.uniform(0.85, 0.97) * len(words))]


def _surrounded(choose: random.Random, words: list[str], others: list[str]) -> list[str]:
    around = choose.choices(others, k=max(1, round(choose.uniform(0.03, 0.15) * len(words))))
    return [*around[: len(around) // 2], *words, *around[len(around) // 2 :]]


def _deleted(choose: random.Random, words: list[str], others: list[str]) -> list[str]:
    start, count = choose.randrange(len(words)), len(words) // 20
    return words[:start] + words[start + count :]


def _moved(choose: random.Random, words: list[str], others: list[str]) -> list[str]:
    at = choose.randrange(1, len(words))
    return words[at:] + words[:at]


EDITS: dict[str, Edit] = {
    "passage, same": _replaced(lambda words: 0),
    "passage, capitals": lambda choose, words, others: [word.upper() for word in words],
    "passage, 1 word replaced": _replaced(lambda words: 1),
    "passage, 2 % replaced": _replaced(lambda words: max(1, words // 50)),
    "passage, 5 % replaced": _replaced(lambda words: words // 20),
    "passage, 10 % replaced": _replaced(lambda words: words // 10),
    "passage, 5 % deleted": _deleted,
    "passage, 3 to 15 % cut off": _cut,
    "passage, 3 to 15 % around": _surrounded,
    "passage, two parts swapped": _moved,
    "tweet, same": _replaced(lambda words: 0),
    "tweet, 1 word replaced": _replaced(lambda words: 1),
    "tweet, 2 words replaced": _replaced(lambda words: 2),
    "tweet, quoted": lambda choose, words, others: ["RT", f"@{choose.choice(others)}:", *words],
}


def rows(total: int = ROWS, seed: int = 1) -> Iterator[Row]:
    """Yield the rows of a table in a random order, some ten thousand at a time."""
    choose = random.Random(seed)
    syllables = [consonant + vowel for consonant in "bcdfghklmnprstvw" for vowel in "aeiou"]
    vocabulary = ["".join(choose.choices(syllables, k=choose.randint(1, 5))) for _ in range(50_000)]
    frequencies = list(accumulate(1 / rank for rank in range(8, len(vocabulary) + 8)))
    drawn: list[str] = []

    def words(count: int) -> list[str]:
        nonlocal drawn
        if len(drawn) < count:
            drawn = choose.choices(vocabulary, cum_weights=frequencies, k=_PART)
        taken, drawn = drawn[:count], drawn[count:]
        return taken

    frame = words(150)
    names = list(EDITS)
    origin = 0
    for start in range(0, total, _PART):
        size = min(_PART, total - start)
        shares = [("passage", PASSAGES), ("tweet", TWEETS), ("product", PRODUCTS), ("letter", LETTERS)]
        counts = {kind: round(share * size) for kind, share in shares}
        made: list[Row] = []
        originals: dict[str, list[tuple[list[str], int]]] = {"passage": [], "tweet": []}
        for kind, count in counts.items():
            shop: list[str] = []
            for number in range(count):
                if kind == "passage":
                    text = words(choose.randint(60, 250))
                elif kind == "tweet":
                    text = words(choose.randint(12, 25))
                elif kind == "product":
                    if number % PRODUCTS_OF_SHOP == 0:
                        shop = words(choose.randint(60, 150))
                    text = [*shop[:20], *words(choose.randint(15, 40)), *shop[20:]]
                else:
                    text = [*frame[:5], *words(3), str(choose.randrange(10**6)), *frame[5:]]
                if kind in originals:
                    originals[kind].append((text, origin))
                made.append((" ".join(text), origin, kind))
                origin += 1
        sources = {kind: iter(choose.sample(found, len(found))) for kind, found in originals.items()}
        for number in range(size - len(made)):
            name = names[number % len(names)]
            text, of = next(sources[name.partition(",")[0]])
            made.append((" ".join(EDITS[name](choose, text, words(50))), of, name))
        choose.shuffle(made)
        yield from made


KINDS = ("invoices", "forms", "letters", "copies", "mixed")


def records(kind: str, total: int, seed: int = 1) -> Iterator[str]:
    """Yield texts of one kind.

    Args:
        kind: ``invoices``: one text with 7 numbers that differ; ``forms``: 24 fields of one digit each; ``letters``:
            76 % of the words are those of all; ``copies``: a text with 3 words of their own each; ``mixed``: `rows`.
        total: how many.
        seed: of the random numbers.
    """
    if kind == "mixed":
        yield from (text for text, _, _ in rows(total, seed))
        return
    choose = random.Random(seed)
    syllables = [consonant + vowel for consonant in "bcdfghklmnprstvw" for vowel in "aeiou"]
    vocabulary = ["".join(choose.choices(syllables, k=choose.randint(2, 4))) for _ in range(6000)]
    frame = choose.sample(vocabulary, 80)
    for number in range(total):
        if kind == "invoices":
            day, month, amount = number % 28 + 1, number % 12 + 1, choose.randrange(100, 99999)
            first, rest = " ".join(frame[:9]), " ".join(frame[9:60])
            yield f"{first} {number} {day}.{month}.2026 {rest} {amount}.95 due in 30 days"
        elif kind == "forms":
            yield " ".join(f"{frame[2 * at]} {frame[2 * at + 1]} {choose.randrange(10)}" for at in range(24))
        elif kind == "letters":
            yield " ".join([*frame, *choose.sample(vocabulary, 25)])
        else:
            yield " ".join([*frame, *choose.sample(vocabulary, 3)])
