"""Sections 7, 8 and 12: lengths, bytes and seeds of XXH64, signs at and next to 0, and the fingerprint 0."""

from __future__ import annotations

from collections.abc import Iterator

from generators.case_builder import Draft, draft
from simhash_doc.schemes import get_schemes

PAINTED = "".join(chr(97 + (i * i + i // 26) % 251 % 26) for i in range(1100))
TWO_BYTES = "".join(chr(0xC0 + i * i % 251 % 250 + 0x100 * (i % 5)) for i in range(200))


def lengths() -> Iterator[Draft]:
    """Every length from 1 to 130 bytes, and around the borders of stripes, in every scheme."""
    listed = [
        *range(1, 131),
        159,
        160,
        161,
        191,
        192,
        193,
        223,
        224,
        225,
        255,
        256,
        257,
        287,
        288,
        289,
        511,
        512,
        513,
        1023,
        1024,
        1025,
    ]
    for scheme in get_schemes():
        lengths = (
            listed
            if scheme != "sd512"
            else [n for n in listed if n < 70 or n in (96, 97, 127, 128, 129, 255, 256, 257)]
        )
        yield draft(
            f"hash/lengths-{scheme}", "hash_tokens", ("SD-HASH-1", "SD-WIDE-2"), "tokens of 1 to 1,025 bytes", "length-sweep",
            scheme=scheme, tokens=[PAINTED[n % 7 : n % 7 + n] for n in lengths],
        )  # fmt: skip
    yield draft(
        "hash/lengths-two-bytes", "hash_tokens", "SD-HASH-1", "1 to 80 characters of two bytes, whose bytes have the high bit",
        "length-sweep", tokens=[TWO_BYTES[n : 2 * n] for n in range(1, 81)],
    )  # fmt: skip
    yield draft(
        "hash/lengths-four-bytes", "hash_tokens", "SD-HASH-1", "1 to 40 characters of four bytes", "length-sweep",
        tokens=["".join(chr(0x20000 + 977 * i + n) for i in range(n)) for n in range(1, 41)],
    )  # fmt: skip
    yield draft(
        "hash/every-last-byte", "hash_tokens", "SD-HASH-1", "tokens that differ in one byte", "length-sweep",
        tokens=[f"{'a' * (n % 40)}{chr(code)}" for n, code in enumerate((*range(0x61, 0x7B), *range(0xDF, 0x160), *range(0x3B1, 0x3CA), *range(0x4E00, 0x4E20)))],
    )  # fmt: skip
    for exponent in (12, 13, 15, 16):
        sizes = [2**exponent - 1, 2**exponent, 2**exponent + 1] if exponent < 14 else [2**exponent + 1]
        yield draft(
            f"hash/length-2-{exponent}", "hash_tokens", "SD-HASH-1", f"tokens of about 2 to the power of {exponent} bytes", "length-sweep",
            tokens=["".join(chr(97 + i % 26) for i in range(size)) for size in sizes] if exponent < 14 else ["a" * sizes[0]],
        )  # fmt: skip


def signs() -> Iterator[Draft]:
    """Sums of 0, 1 and -1, and texts whose fingerprint is 0 or has few ones."""
    for scheme in get_schemes():
        yield draft(
            f"sign/zero-{scheme}", "fingerprint", "SD-SIGN-1", "a text with tokens whose sd64 fingerprint is 0", "tie",
            text="wy cfyw", scheme=scheme,
        )  # fmt: skip
        yield draft(
            f"sign/zero-buckets-{scheme}",
            "buckets",
            "SD-SIGN-1",
            "the buckets of the same text",
            "tie",
            text="wy cfyw",
            scheme=scheme,
        )
        for count in (1, 2, 3, 4, 5, 6, 8, 20, 50):
            words = " ".join(f"{PAINTED[i * 7 : i * 7 + 4]}{'xyz'[i % 3]}" for i in range(count))
            yield draft(
                f"sign/words-{count:02}-{scheme}", "fingerprint", ("SD-SIGN-1", "SD-WIDE-2"), f"{count} words in {scheme}", "tie",
                text=words, scheme=scheme,
            )  # fmt: skip
    for scheme in ("sd128", "sd512"):
        yield draft(
            f"sums/wide-{scheme}", "buckets", ("SD-WIDE-2", "SD-BUCKET-1", "SD-CAP-1"), "sums over 127 and under -127, and a token 12 times",
            "wide", scheme=scheme, recipe={"concat": [{"words": 4000, "distinct": 900, "seed": 9, "letters": "abcdefgh"}, {"repeat": "often ", "count": 12}]},
        )  # fmt: skip
        yield draft(
            f"sign/long-tokens-{scheme}", "fingerprint", ("SD-HASH-1", "SD-WIDE-2"), "tokens of more than 32 bytes", "wide", scheme=scheme,
            text=" ".join(PAINTED[n : 2 * n + 31] for n in range(1, 40, 3)),
        )  # fmt: skip


GENERATORS = (lengths, signs)
