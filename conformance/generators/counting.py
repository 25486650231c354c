"""Sections 7 and 8: the cap, the hash, sums, buckets and bits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from generators.case_builder import Draft, draft, table
from simhash_doc.reference import hash_token

LETTERS = "abcdefghijklmnopqrstuvwxyz"
# The period of 251, a prime, reveals swapped or repeated blocks of any size.
PAINTED = "".join(chr(97 + i * i % 251 % 26) for i in range(400))


def cap() -> Iterator[Draft]:
    often = {str(n): ("word " * n, f"one token {n} times") for n in (1, 2, 7, 8, 9, 15, 16, 17, 100)}
    yield from table("cap/one-token-", "buckets", "SD-CAP-1", often, "boundary")
    two = {"two-tokens": ("often " * 12 + "seldom " * 3, "one token 12 times, another 3 times")}
    yield from table("cap/", "buckets", "SD-CAP-1", two, "boundary")
    yield from table("cap/", "fingerprint", "SD-CAP-1", {
        "changes-bits": ("the " * 50 + "quick brown fox jumps over a lazy dog", "without the cap, `the` decides every bit"),
        "nine": ("a " * 9 + "b " * 8, "9 against 8 decides the bits"),
        "seven": ("a " * 7 + "b " * 8, "7 against 8 decides the bits"),
    }, "boundary")  # fmt: skip
    yield from table("cap/", "buckets", "SD-CAP-1", {
        "after-trim": ("word " * 6 + "_word_ " * 6, "trimmed and plain forms are one token", "boundary", "SD-CAP-1", "SD-FILTER-1"),
        "after-fold": ("Word " * 6 + "WORD " * 6, "capital and small forms are one token", "boundary", "SD-CAP-1", "SD-FOLD-1"),
        "bigram": ("春" * 13, "a bigram 12 times", "boundary"),
        "bytes": ("o " * 9 + "ο " * 9 + "о " * 9, "tokens that look alike are different: Latin, Greek and Cyrillic"),
        # Two words whose XXH64 agree in the low 32 bits, found by search.
        "short-hash": ("cpev " * 8 + "fxil " * 8, "two words whose hashes share their low 32 bits are two tokens", "collision"),
        "interleaved": (" ".join(f"again filler{i}x" for i in range(20)), "occurrences far apart are counted together"),
    })  # fmt: skip


def hashing() -> Iterator[Draft]:
    lengths = (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 400)
    rows = {f"{n:03}": ([PAINTED[:n]], f"{n} bytes") for n in lengths}
    yield from table("hash/length-", "hash_tokens", "SD-HASH-1", rows, "length-sweep", member="tokens")
    yield from table("hash/", "hash_tokens", "SD-HASH-1", {
        "utf8": (["é", "ж", "東京", "ไท", "\U00020000", "\U0001e900x"], "characters of two, three and four bytes"),
        "utf8-long": (["достопримечательность", "น" * 20, "\U00020000" * 9], "more than 32 bytes that are not ASCII"),
        "order": (["b", "a", "b"], "hashes come in the order of the tokens"),
        "none": ([], "no tokens, no hashes"),
    }, member="tokens")  # fmt: skip
    words = ["a", "word", "東京", PAINTED[:33]]
    for scheme in ("sd128", "sd256", "sd512"):
        yield draft(
            f"hash/{scheme}", "hash_tokens", "SD-WIDE-2", "lane j has seed j", "wide", scheme=scheme, tokens=words
        )
    words = ["a", "word", "東京", "достопримечательность", PAINTED[:100]]
    one = {f"{len(word.encode()):03}": (word, "the fingerprint of a text of one token is its hash") for word in words}
    yield from table("hash/fingerprint-", "fingerprint", "SD-HASH-1", one)


def words_by_hash(count: int, low_bits: int = 1, first_letters: str = LETTERS) -> list[str]:
    """Return words whose hashes all end in two bits; 01 by default."""
    words = map("".join, product(first_letters, "aeiouy", LETTERS, LETTERS))
    return list(islice((word for word in words if hash_token(word) & 3 == low_bits), count))


def _one_sided(total: int) -> str:
    """Return a text whose sum 0 is the total and whose sum 1 is its negative."""
    full, rest = divmod(total, 8)
    words = words_by_hash(full + 1)
    return " ".join([f"{word} " * 8 for word in words[:full]] + [f"{words[full]} " * rest])


def _letters(count: int) -> dict[str, object]:
    return {"letters": LETTERS[:count]}


def sums() -> Iterator[Draft]:
    numbers = {n: " ".join(f"{LETTERS[i % 26]}{'qwertyuiopas'[i // 26]}" for i in range(n)) for n in (15, 16, 17, 30)}
    words = {str(n): (text, f"{n} different words") for n, text in numbers.items()}
    yield from table("sums/words-", "buckets", "SD-SUM-1", words)
    yield from table("sums/clamp-", "buckets", ("SD-SUM-1", "SD-BUCKET-1"), {
        "none": ({"words": 400, "distinct": 90, "seed": 5, **_letters(8)}, "sums up to 100 are not clamped"),
        "some": ({"words": 4000, "distinct": 900, "seed": 9, **_letters(8)}, "some sums are over 127 and under -127"),
        "many": ({"words": 9000, "distinct": 2500, "seed": 11, **_letters(12)}, "most sums are clamped"),
    }, "boundary", member="recipe")  # fmt: skip
    totals = (126, 127, 128, 129, 136)
    rows = {str(n): (_one_sided(n), f"bucket 0 has the sum {n}, bucket 1 its negative") for n in totals}
    yield from table("sums/clamp-", "buckets", "SD-BUCKET-1", rows, "boundary")
    comment = "4,100 words whose hashes all end in the bits 01, 8 times each: sums of 32,800"
    recipe = {"repeat": f"{' '.join(words_by_hash(4100))} ", "count": 8}
    yield draft("sums/more-than-16-bit", "buckets", "SD-SUM-1", comment, "large", recipe=recipe)
    others = ("seven six five four three two one", "four\none\nseven\nthree\nsix\ntwo\nfive")
    text = "one two three four five six seven"
    comment, same = "the order of the words does not matter", [{"text": other} for other in others]
    yield draft("sums/order", "fingerprint", "SD-SUM-1", comment, text=text, same=same)


def signs() -> Iterator[Draft]:
    yield from table("sign/", "fingerprint", "SD-SIGN-1", {
        "two-words": ("one two", "with two words about half of the buckets are 0: their bits are 0"),
        "four-words": ("one two three four", "with four words many buckets are 0"),
    }, "tie")  # fmt: skip
    yield draft("sign/two-words-buckets", "buckets", "SD-SIGN-1", "the buckets of the same text", "tie", text="one two")
    yield from table("sign/", "fingerprint", "SD-SIGN-1", {
        "one-word": ("word", "with one word, no bucket is 0"),
        "three-words": ("one two three", "with three words, no bucket is 0"),
        "balanced": ("left " * 8 + "right " * 8, "two words 8 times each", "tie"),
    })  # fmt: skip
    for scheme in ("sd128", "sd256", "sd512"):
        two, three = ("one two", "ties in each lane"), ("one two three", "buckets lane by lane")
        required = ("SD-SIGN-1", "SD-WIDE-2", "SD-WIDE-3")
        yield from table(f"sign/{scheme}-", "fingerprint", required, {"two-words": two}, "tie", "wide", scheme=scheme)
        yield from table(f"sign/{scheme}-", "buckets", "SD-WIDE-2", {"buckets": three}, "wide", scheme=scheme)


GENERATORS = (cap, hashing, sums, signs)
