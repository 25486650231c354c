"""Sections 7 and 8: the cap, the hash, sums, buckets and bits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product

from generators.case_builder import Draft, draft
from simhash_doc.reference import hash_token


def cap() -> Iterator[Draft]:
    for count in (1, 2, 7, 8, 9, 15, 16, 17, 100):
        yield draft(
            f"cap/one-token-{count}",
            "buckets",
            "SD-CAP-1",
            f"one token {count} times",
            "boundary",
            text="word " * count,
        )
    yield draft(
        "cap/two-tokens",
        "buckets",
        "SD-CAP-1",
        "one token 12 times, another 3 times",
        "boundary",
        text="often " * 12 + "seldom " * 3,
    )
    yield draft(
        "cap/changes-bits",
        "fingerprint",
        "SD-CAP-1",
        "without the cap, `the` decides every bit",
        "boundary",
        text="the " * 50 + "quick brown fox jumps over a lazy dog",
    )
    yield draft(
        "cap/nine", "fingerprint", "SD-CAP-1", "9 against 8 decides the bits", "boundary", text="a " * 9 + "b " * 8
    )
    yield draft(
        "cap/seven", "fingerprint", "SD-CAP-1", "7 against 8 decides the bits", "boundary", text="a " * 7 + "b " * 8
    )
    yield draft(
        "cap/after-trim",
        "buckets",
        ("SD-CAP-1", "SD-FILTER-1"),
        "trimmed and plain forms are one token",
        "boundary",
        text="word " * 6 + "_word_ " * 6,
    )
    yield draft(
        "cap/after-fold",
        "buckets",
        ("SD-CAP-1", "SD-FOLD-1"),
        "capital and small forms are one token",
        "boundary",
        text="Word " * 6 + "WORD " * 6,
    )
    yield draft("cap/bigram", "buckets", "SD-CAP-1", "a bigram 12 times", "boundary", text="春" * 13)
    yield draft(
        "cap/bytes",
        "buckets",
        "SD-CAP-1",
        "tokens that look alike are different: Latin, Greek and Cyrillic",
        text="o " * 9 + "ο " * 9 + "о " * 9,
    )
    # Two words whose XXH64 agree in the low 32 bits, found by search.
    yield draft(
        "cap/short-hash",
        "buckets",
        "SD-CAP-1",
        "two words whose hashes share their low 32 bits are two tokens",
        "collision",
        text="cpev " * 8 + "fxil " * 8,
    )
    yield draft(
        "cap/interleaved",
        "buckets",
        "SD-CAP-1",
        "occurrences far apart are counted together",
        text=" ".join(f"again filler{i}x" for i in range(20)),
    )


def hashing() -> Iterator[Draft]:
    # The period of 251, a prime, reveals swapped or repeated blocks of any size.
    painted = "".join(chr(97 + i * i % 251 % 26) for i in range(400))
    for length in (*range(1, 71), 95, 96, 97, 127, 128, 129, 255, 256, 257, 400):
        yield draft(
            f"hash/length-{length:03}",
            "hash_tokens",
            "SD-HASH-1",
            f"{length} bytes",
            "length-sweep",
            tokens=[painted[:length]],
        )
    yield draft(
        "hash/utf8",
        "hash_tokens",
        "SD-HASH-1",
        "characters of two, three and four bytes",
        tokens=["é", "ж", "東京", "ไท", "\U00020000", "\U0001e900x"],
    )
    yield draft(
        "hash/utf8-long",
        "hash_tokens",
        "SD-HASH-1",
        "more than 32 bytes that are not ASCII",
        tokens=["достопримечательность", "น" * 20, "\U00020000" * 9],
    )
    yield draft(
        "hash/order", "hash_tokens", "SD-HASH-1", "hashes come in the order of the tokens", tokens=["b", "a", "b"]
    )
    yield draft("hash/none", "hash_tokens", "SD-HASH-1", "no tokens, no hashes", tokens=[])
    for scheme in ("sd128", "sd256", "sd512"):
        yield draft(
            f"hash/{scheme}",
            "hash_tokens",
            "SD-WIDE-2",
            "lane j has seed j",
            "wide",
            scheme=scheme,
            tokens=["a", "word", "東京", painted[:33]],
        )
    for word in ("a", "word", "東京", "достопримечательность", painted[:100]):
        yield draft(
            f"hash/fingerprint-{len(word.encode()):03}",
            "fingerprint",
            "SD-HASH-1",
            "the fingerprint of a text of one token is its hash",
            text=word,
        )


def _one_sided_words(count: int) -> list[str]:
    """Return words whose hashes all end in the bits 01."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = map("".join, product(letters, "aeiouy", letters, letters))
    return list(islice((word for word in words if hash_token(word) & 3 == 1), count))


def _one_sided(total: int) -> str:
    """Return a text whose sum 0 is the total and whose sum 1 is its negative."""
    full, rest = divmod(total, 8)
    words = _one_sided_words(full + 1)
    return " ".join([f"{word} " * 8 for word in words[:full]] + [f"{words[full]} " * rest])


def sums() -> Iterator[Draft]:
    for count in (15, 16, 17, 30):
        words = " ".join(f"{'abcdefghijklmnopqrstuvwxyz'[i % 26]}{'qwertyuiopas'[i // 26]}" for i in range(count))
        yield draft(f"sums/words-{count}", "buckets", "SD-SUM-1", f"{count} different words", text=words)
    yield draft(
        "sums/clamp-none",
        "buckets",
        ("SD-SUM-1", "SD-BUCKET-1"),
        "sums up to 100 are not clamped",
        "boundary",
        recipe={"words": 400, "distinct": 90, "seed": 5, "letters": "abcdefgh"},
    )
    yield draft(
        "sums/clamp-some",
        "buckets",
        ("SD-SUM-1", "SD-BUCKET-1"),
        "some sums are over 127 and under -127",
        "boundary",
        recipe={"words": 4000, "distinct": 900, "seed": 9, "letters": "abcdefgh"},
    )
    yield draft(
        "sums/clamp-many",
        "buckets",
        ("SD-SUM-1", "SD-BUCKET-1"),
        "most sums are clamped",
        "boundary",
        recipe={"words": 9000, "distinct": 2500, "seed": 11, "letters": "abcdefghijkl"},
    )
    for total in (126, 127, 128, 129, 136):
        yield draft(
            f"sums/clamp-{total}",
            "buckets",
            "SD-BUCKET-1",
            f"bucket 0 has the sum {total}, bucket 1 its negative",
            "boundary",
            text=_one_sided(total),
        )
    yield draft(
        "sums/more-than-16-bit",
        "buckets",
        "SD-SUM-1",
        "4,100 words whose hashes all end in the bits 01, 8 times each: sums of 32,800",
        "large",
        recipe={"repeat": f"{' '.join(_one_sided_words(4100))} ", "count": 8},
    )
    yield draft(
        "sums/order",
        "fingerprint",
        "SD-SUM-1",
        "the order of the words does not matter",
        text="one two three four five six seven",
        same=[{"text": "seven six five four three two one"}, {"text": "four\none\nseven\nthree\nsix\ntwo\nfive"}],
    )


def signs() -> Iterator[Draft]:
    yield draft(
        "sign/two-words",
        "fingerprint",
        "SD-SIGN-1",
        "with two words about half of the buckets are 0: their bits are 0",
        "tie",
        text="one two",
    )
    yield draft(
        "sign/four-words",
        "fingerprint",
        "SD-SIGN-1",
        "with four words many buckets are 0",
        "tie",
        text="one two three four",
    )
    yield draft("sign/two-words-buckets", "buckets", "SD-SIGN-1", "the buckets of the same text", "tie", text="one two")
    yield draft("sign/one-word", "fingerprint", "SD-SIGN-1", "with one word, no bucket is 0", text="word")
    yield draft(
        "sign/three-words", "fingerprint", "SD-SIGN-1", "with three words, no bucket is 0", text="one two three"
    )
    yield draft(
        "sign/balanced", "fingerprint", "SD-SIGN-1", "two words 8 times each", "tie", text="left " * 8 + "right " * 8
    )
    for scheme in ("sd128", "sd256", "sd512"):
        yield draft(
            f"sign/{scheme}-two-words",
            "fingerprint",
            ("SD-SIGN-1", "SD-WIDE-2", "SD-WIDE-3"),
            "ties in each lane",
            "tie",
            "wide",
            scheme=scheme,
            text="one two",
        )
        yield draft(
            f"sign/{scheme}-buckets",
            "buckets",
            "SD-WIDE-2",
            "buckets lane by lane",
            "wide",
            scheme=scheme,
            text="one two three",
        )


GENERATORS = (cap, hashing, sums, signs)
