"""How many of the rows that `find_duplicates` leaves out are duplicates, by the least similarity.

    python -m benchmarks.calibration.similarity CORPUS_DIR     # some minutes, 500 MB

It writes docs/benchmarks/similarity.json. A table has passages and single sentences of the corpus, product pages and
letters of templates, and edits of a tenth of the passages and sentences. A row that is left out is a duplicate if it
and the row that is kept come from one passage or sentence. Products and letters that differ are none, and neither are
passages that share a half to two thirds of their text. Documents with an even row choose the default, the others
confirm it. Of passages and sentences of the corpus that share nine tenths, one is taken. Templates of up to 100 letters
are counted apart: no similarity tells them from edits of one text.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import compress
from typing import Any

from benchmarks import results
from benchmarks.calibration.corpus import UNRELATED, Corpus, corpus_of_arguments
from benchmarks.calibration.sentences import UNSPACED, sentences
from benchmarks.measuring import machine
from simhash_doc import Policy, find_duplicates

LEAST = (50, 55, 60, 65, 70, 75, 80, 81, 82, 83, 84, 85, 90, 95)  # percent
PASSAGES, SENTENCES = 3_500, 12_000
SHOPS = (20, 40, 80, 160, 320, 640, 1280)  # products of each
TEMPLATES = (160, 320, 640, 1280)  # letters of each
SMALL_TEMPLATES = (5, 10, 20, 40, 80)
OVERLAPPING = 400  # pairs of passages
EDITED = 0.1
LONGEST = 250  # words of a passage

SMALL = "letter of a small template"

Row = tuple[str, int, str]
"""A text, the number of its origin, and the kind of edit."""

Edit = Callable[[random.Random, list[str], list[str]], list[str]]


def _replace(share: float) -> Edit:
    def edit(choose: random.Random, words: list[str], others: list[str]) -> list[str]:
        edited = words.copy()
        for at in choose.sample(range(len(words)), max(1, round(share * len(words)))):
            edited[at] = choose.choice(others)
        return edited

    return edit


def _delete(choose: random.Random, words: list[str], others: list[str]) -> list[str]:
    start, count = choose.randrange(len(words)), max(1, len(words) // 20)
    return words[:start] + words[start + count :]


def _insert(choose: random.Random, words: list[str], others: list[str]) -> list[str]:
    at, count = choose.randrange(len(words)), max(1, len(words) // 20)
    return [*words[:at], *choose.choices(others, k=count), *words[at:]]


def _reorder(choose: random.Random, words: list[str], others: list[str]) -> list[str]:
    at = choose.randrange(1, len(words))
    return words[at:] + words[:at]


def _truncate(choose: random.Random, words: list[str], others: list[str]) -> list[str]:
    return words[: max(1, round(choose.uniform(0.8, 0.97) * len(words)))]


def _surround(choose: random.Random, words: list[str], others: list[str]) -> list[str]:
    around = choose.choices(others, k=max(1, round(choose.uniform(0.03, 0.2) * len(words))))
    return [*around[: len(around) // 2], *words, *around[len(around) // 2 :]]


EDITS: dict[str, Edit] = {
    "one word replaced": _replace(0),
    "2 % replaced": _replace(0.02),
    "5 % replaced": _replace(0.05),
    "10 % replaced": _replace(0.1),
    "5 % deleted": _delete,
    "5 % inserted": _insert,
    "reordered": _reorder,
    "up to 20 % cut off": _truncate,
    "up to 20 % around": _surround,
    "capitals": lambda choose, words, others: [word.upper() for word in words],
}


def different(corpus: Corpus) -> Corpus:
    """Return the corpus with one document of each family of unrelated ones."""
    families = {one.docfamily: one for one in corpus.documents.values() if one.kind == UNRELATED}
    return Corpus({one.id: one for one in families.values()}, [])


def passages(corpus: Corpus, half: int) -> Iterator[list[str]]:
    """Yield the words of passages of 25 to 250 words, in languages with spaces, each from a place of its own."""
    for document in corpus.documents.values():
        if document.row % 2 == half and document.lang.split("-")[0] not in UNSPACED:
            words = document.text.split()
            choose, start = random.Random(document.row), 0
            while start + 25 <= len(words):
                count = choose.randint(25, LONGEST)
                yield words[start : start + count]
                start += count


def table(corpus: Corpus, half: int) -> list[Row]:
    """Return the rows of a table from one half of the documents."""
    choose = random.Random(half)
    long = list(passages(corpus, half))
    choose.shuffle(long)
    short = [
        text.split()
        for (group, part), texts in sentences(corpus).items()
        if part == ("chosen", "confirmed")[half] and group != "unspaced"
        for text in texts
    ]
    short = [words for words in choose.sample(short, len(short)) if 5 <= len(words) <= 25]
    others = [word for words in long[:300] for word in words]
    rest = iter(long[PASSAGES:])
    rows: list[Row] = []

    def add(words: list[str], origin: int, kind: str) -> None:
        rows.append((" ".join(words), origin, kind))

    originals = long[:PASSAGES] + short[:SENTENCES]
    # Nobody knows which of these are duplicates: formulas, and sentences that differ in their numbers.
    kept = find_duplicates([" ".join(words) for words in originals], policy=Policy(keep="first", numbers="ignore")).kept
    for number, words in enumerate(compress(originals, kept)):
        add(words, number, "passage")
        if choose.random() < EDITED:
            name, edit = choose.choice(list(EDITS.items()))
            add(edit(choose, words, others), number, name)
    number = PASSAGES + SENTENCES
    for _ in range(OVERLAPPING):
        words = next(rest)
        cut = choose.uniform(0.2, 0.35)  # a half to two thirds of all words are common
        size = round(cut * len(words))
        for part in (words[size:], words[:-size]):
            add(part, number := number + 1, "overlapping")
    for count in SHOPS:
        frame = next(rest)[: choose.randint(20, 80)]
        for _ in range(count):
            own = next(rest)[: choose.randint(8, 60)]
            add([*frame[:10], *own, *frame[10:]], number := number + 1, "product")
    names = [word for words in short[:2000] for word in words if word.istitle()]
    for count in TEMPLATES + SMALL_TEMPLATES:
        frame = next(rest)
        for _ in range(count):
            own = choose.choices(names, k=choose.randint(2, 6))
            where = choose.choices(others, k=choose.randint(0, 12))
            add(
                [*frame[:8], *own, *frame[8:20], *where, *frame[20:]],
                number := number + 1,
                "letter" if count > 100 else SMALL,
            )
    choose.shuffle(rows)
    return rows


def measured(rows: list[Row], least: int) -> dict[str, Any]:
    """Return what is left out of a table, and which edits are."""
    found = find_duplicates(
        [text for text, _, _ in rows], policy=Policy(min_similarity=least / 100, numbers="ignore"), workers=2
    )
    left_out = [at for at, kept in enumerate(found.kept.tolist()) if not kept]
    wrong: Counter[str] = Counter()
    for at in left_out:
        if rows[at][1] != rows[int(found.representatives[at])][1]:
            wrong[rows[at][2]] += 1
    apart = wrong.pop(SMALL, 0)
    originals = {origin: at for at, (_, origin, kind) in enumerate(rows) if kind == "passage"}
    planted, together = Counter[str](), Counter[str]()
    for at, (_, origin, kind) in enumerate(rows):
        if kind in EDITS:
            planted[kind] += 1
            together[kind] += int(found.representatives[at] == found.representatives[originals[origin]])
    return {
        "min_similarity": least,
        "left_out": len(left_out),
        "duplicates": round(1 - wrong.total() / max(1, len(left_out) - apart), 4),
        "others": dict(sorted(wrong.items())),
        "of_small_templates": apart,
        "recall": round(together.total() / planted.total(), 4),
        "recall_by_edit": {kind: round(together[kind] / planted[kind], 3) for kind in EDITS},
    }


def main() -> None:
    corpus = different(corpus_of_arguments(__doc__))
    halves = {}
    for half, name in enumerate(("chosen", "confirmed")):
        rows = table(corpus, half)
        halves[name] = {"rows": len(rows), "by_min_similarity": [measured(rows, least) for least in LEAST]}
        results.write("similarity", {"machine": machine(), "edits": EDITED, **halves})


if __name__ == "__main__":
    main()
