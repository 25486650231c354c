"""Sections 7, 8 and 12: lengths, bytes and seeds of XXH64, signs at and next to 0, and the fingerprint 0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from generators.case_builder import Draft, draft, table
from simhash_doc.schemes import get_schemes

PAINTED = "".join(chr(97 + (i * i + i // 26) % 251 % 26) for i in range(1100))
TWO_BYTES = "".join(chr(0xC0 + i * i % 251 % 250 + 0x100 * (i % 5)) for i in range(200))


def lengths() -> Iterator[Draft]:
    """Every length from 1 to 130 bytes, and around the borders of stripes, in every scheme."""
    around = [n + d for n in (160, 192, 224, 256, 288, 512, 1024) for d in (-1, 0, 1)]
    listed = [*range(1, 131), *around]
    few = [n for n in listed if n < 70 or n in (96, 97, 127, 128, 129, 255, 256, 257)]
    for scheme in get_schemes():
        tokens = [PAINTED[n % 7 : n % 7 + n] for n in (few if scheme == "sd512" else listed)]
        row = {f"lengths-{scheme}": (tokens, "tokens of 1 to 1,025 bytes", "SD-HASH-1", "SD-WIDE-2")}
        yield from _hashes(row, scheme=scheme)
    codes = (*range(0x61, 0x7B), *range(0xDF, 0x160), *range(0x3B1, 0x3CA), *range(0x4E00, 0x4E20))
    two = [TWO_BYTES[n : 2 * n] for n in range(1, 81)]
    four = ["".join(chr(0x20000 + 977 * i + n) for i in range(n)) for n in range(1, 41)]
    last = [f"{'a' * (n % 40)}{chr(code)}" for n, code in enumerate(codes)]
    rows = {
        "lengths-two-bytes": (two, "1 to 80 characters of two bytes, whose bytes have the high bit"),
        "lengths-four-bytes": (four, "1 to 40 characters of four bytes"),
        "white-space": (
            [" a", "a ", "a", "\ta", "a\n", " ", "\u00a0a", "a b"],
            "tokens of a tokenizer that keeps white space",
        ),
        "every-last-byte": (last, "tokens that differ in one byte"),
    }
    for exponent in (12, 13):
        sizes = [2**exponent - 1, 2**exponent, 2**exponent + 1]
        long = ["".join(chr(97 + i % 26) for i in range(size)) for size in sizes]
        rows[f"length-2-{exponent}"] = (long, f"tokens of about 2 to the power of {exponent} bytes")
    for exponent in (15, 16):
        rows[f"length-2-{exponent}"] = (
            ["a" * (2**exponent + 1)], f"tokens of about 2 to the power of {exponent} bytes",
        )  # fmt: skip
    yield from _hashes(rows)


def _hashes(rows: dict[str, tuple[Any, ...]], **members: Any) -> Iterator[Draft]:
    return table("hash/", "hash_tokens", "SD-HASH-1", rows, "length-sweep", member="tokens", **members)


def signs() -> Iterator[Draft]:
    """Sums of 0, 1 and -1, and texts whose fingerprint is 0 or has few ones."""
    for scheme in get_schemes():
        zero: dict[str, Any] = {"text": "wy cfyw", "scheme": scheme}
        comment = "a text with tokens whose sd64 fingerprint is 0"
        yield draft(f"sign/zero-{scheme}", "fingerprint", "SD-SIGN-1", comment, "tie", **zero)
        comment = "the buckets of the same text"
        yield draft(f"sign/zero-buckets-{scheme}", "buckets", "SD-SIGN-1", comment, "tie", **zero)
        for count in (1, 2, 3, 4, 5, 6, 8, 20, 50):
            words = " ".join(f"{PAINTED[i * 7 : i * 7 + 4]}{'xyz'[i % 3]}" for i in range(count))
            slug = f"sign/words-{count:02}-{scheme}"
            required: tuple[str, ...] = ("SD-SIGN-1", "SD-WIDE-2")
            comment = f"{count} words in {scheme}"
            yield draft(slug, "fingerprint", required, comment, "tie", text=words, scheme=scheme)
    often = [{"words": 4000, "distinct": 900, "seed": 9, "letters": "abcdefgh"}, {"repeat": "often ", "count": 12}]
    for scheme in ("sd128", "sd512"):
        slug, required = f"sums/wide-{scheme}", ("SD-WIDE-2", "SD-BUCKET-1", "SD-CAP-1")
        comment = "sums over 127 and under -127, and a token 12 times"
        yield draft(slug, "buckets", required, comment, "wide", scheme=scheme, recipe={"concat": often})
        slug, comment = f"sign/long-tokens-{scheme}", "tokens of more than 32 bytes"
        words = " ".join(PAINTED[n : 2 * n + 31] for n in range(1, 40, 3))
        yield draft(slug, "fingerprint", ("SD-HASH-1", "SD-WIDE-2"), comment, "wide", scheme=scheme, text=words)


GENERATORS = (lengths, signs)
