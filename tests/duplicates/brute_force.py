"""What a duplicate is, stated again: each text compared with all kept ones, on generated collections."""

from __future__ import annotations

import random
import re
import unicodedata
from collections import Counter
from typing import Any

from simhash_doc import Policy, fingerprint
from simhash_doc.duplicates.numbers import numbers_of
from simhash_doc.duplicates.similarity import TextTokens
from simhash_doc.schemes import get_scheme


def collection(seed: int) -> list[str]:
    """Return edits of few texts, of few words and numbers: many are similar, and many agree in their numbers."""
    choose = random.Random(seed)
    vocabulary = [a + b for a in "bcdfgl" for b in "aeiou"][: choose.choice([6, 12, 30])]
    lengths = choose.choice([(1, 2, 3), (6, 12), (12, 40), (30, 60, 120)])
    slots = choose.choice([0, 1, 3])
    bases = [
        choose.choices([*vocabulary, *["%"] * slots * len(vocabulary)], k=choose.choice(lengths))
        for _ in range(choose.choice([1, 2, 4]))
    ]
    texts = []
    for _ in range(50):
        words = choose.choice(bases).copy()
        for _ in range(choose.choice([0, 0, 1, 2, 4])):
            at, kind = choose.randrange(len(words) + 1), choose.random()
            if kind < 0.4:
                words.insert(at, choose.choice([*vocabulary, "%"]))
            elif kind < 0.8 and words:
                words[at % len(words)] = choose.choice(vocabulary)
            elif len(words) > 1:
                del words[at % len(words)]
        most = choose.choice([1, 2, 9])
        texts.append(" ".join(str(choose.randint(0, most)) if word == "%" else word for word in words))
    return texts


def frame(count: int, kind: str) -> list[str]:
    """Return records of one form, of which none has the numbers or words of another one."""
    choose = random.Random(count)
    words = ["".join(choose.choices("bcdfgaeiou", k=7)) for _ in range(4000)]
    text = " ".join(words[:80])
    if kind == "invoices":
        return [f"no {one} of {one % 28 + 1} {one % 12 + 1} 2026 {text} {one * 7 % 97}" for one in range(count)]
    return [f"{text} {' '.join(choose.sample(words[100:], 25))}" for _ in range(count)]


def has_numbers(kept: str, left: str) -> bool:
    """State condition 3 again: as often, and in the same order if there are at most 64."""
    own, other = numbers_of(left), numbers_of(kept)
    if Counter(own) - Counter(other):
        return False
    if len(own) > 64:
        return True
    places = [0]  # of the other one, after which the rest may follow
    for number in own:
        places = [at + 1 for at in range(places[0], len(other)) if other[at] == number][:1]
        if not places:
            return False
    return True


def brute_force(texts: list[str], policy: Policy, protected: list[bool]) -> list[int]:
    """Return the kept row of each row, by the definition alone."""
    values = [
        fingerprint(text, get_scheme(policy.scheme)).value if TextTokens(text).counted() else None for text in texts
    ]
    order = list(range(len(texts)))
    if policy.keep == "longest":
        counts = [len(numbers_of(text)) if policy.keeps_numbers else 0 for text in texts]
        order.sort(key=lambda at: (-counts[at], -len(texts[at].encode())))
    order.sort(key=lambda at: not protected[at])
    found, kept = list(range(len(texts))), list[int]()
    for at in order:
        equal = [other for other in kept if texts[other] == texts[at] and texts[at]]
        similar = [other for other in kept if _left_out(texts, values, at, other, policy)]
        first = (equal or similar)[:1]
        if first and not protected[at]:
            found[at] = first[0]
        else:
            kept.append(at)
    return found


def _left_out(texts: list[str], values: list[Any], at: int, other: int, policy: Policy) -> bool:
    own, kept = values[at], values[other]
    if own is None or kept is None or (own ^ kept).bit_count() > policy.bits:
        return False
    if min(len(TextTokens(texts[one]).counted()) for one in (at, other)) < policy.min_tokens:
        return False
    if not TextTokens(texts[at]).is_similar(TextTokens(texts[other]), policy.min_similarity):
        return False
    if policy.min_similarity == 1 and policy.numbers == "keep":
        return _form(texts[at]) == _form(texts[other])
    return not policy.keeps_numbers or has_numbers(texts[other], texts[at])


def _form(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip()
