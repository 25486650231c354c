"""Mutants of appendix A: XXH64 with faults, each a change of the text of `appendix_a`."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from inspect import getsource
from typing import Any

from simhash_doc_conformance.mutants import appendix_a, table

_REMEMBERED = 4096  # hashes of a mutant; consecutive cases have many tokens in common


def _changed(*changes: tuple[str, str]) -> Callable[..., int]:
    """Return the step with appendix A after changes of its text, each a regular expression and its replacement."""
    source = getsource(appendix_a)
    for pattern, replacement in changes:
        source, count = re.subn(pattern, replacement, source)
        assert count, pattern
    namespace: dict[str, Any] = {}
    exec(source, namespace)
    xxh64 = lru_cache(_REMEMBERED)(namespace["xxh64"])
    return lambda token, seed=0: xxh64(token.encode("utf-8"), seed)


_ARITHMETIC_SHIFT = r"(acc ^ acc - (acc >> 63 << 64) >> \1) & MASK"
_FOURS = (r"if len\(rest\) >= 4:", "while len(rest) >= 4:")  # what two lanes of four bytes need
_FIRST_STRIPES = r"rest = data[:128] + data[len(data) // 32 * 32 :] if len(data) > 128 else data\n        \g<0>"

table("SD-HASH-1", hash_token={
    "xxh-p1-typo": ("has one digit of the constant P1 of XXH64 wrong", _changed(("85EBCA87", "85EBCA78"))),
    "xxh-p2-typo": ("has one digit of the constant P2 of XXH64 wrong", _changed(("27D4EB4F", "27D4EB4E"))),
    "xxh-p3-typo": ("has one digit of the constant P3 of XXH64 wrong", _changed(("9E3779F9", "9E3779FB"))),
    "xxh-p4-typo": ("has one digit of the constant P4 of XXH64 wrong", _changed(("C2B2AE63", "C2B2AE36"))),
    "xxh-p5-typo": ("has one digit of the constant P5 of XXH64 wrong", _changed(("165667C5", "165667C4"))),
    "xxh-arithmetic-shift": ("shifts with the sign in the last step of XXH64",
        _changed((r"acc \^ acc >> (32)", _ARITHMETIC_SHIFT))),
    "xxh-arithmetic-shifts": ("shifts with the sign in all last steps of XXH64",
        _changed((r"acc \^ acc >> (\d+)", _ARITHMETIC_SHIFT))),
    "xxh-no-final-shift": ("leaves out the last shift of XXH64", _changed((r"acc \^ acc >> 32", "acc"))),
    "xxh-final-shift31": ("has another shift in the last step of XXH64", _changed(("acc >> 32", "acc >> 31"))),
    "xxh-length-int8": ("keeps the length of the input of XXH64 in a signed byte",
        _changed((r"acc \+ len\(data\)", "acc + (len(data) + 128) % 256 - 128"))),
    "xxh-length-uint8": ("keeps the length of the input of XXH64 in a byte",
        _changed((r"acc \+ len\(data\)", r"\g<0> % 256"))),
    "xxh-length-uint16": ("keeps the length of the input of XXH64 in 16 bits",
        _changed((r"acc \+ len\(data\)", r"\g<0> % 65_536"))),
    "xxh-length-characters": ("adds the number of characters, not of bytes, in XXH64",
        _changed((r"acc \+ len\(data\)", "acc + len(data.decode())"))),
    "xxh-merge-three": ("does not merge v4 in XXH64", _changed(("in v:", "in v[:3]:"))),
    "xxh-short-to32": ("treats 32 bytes as a short input of XXH64 (> instead of >=)",
        _changed((r"len\(data\) >= 32", "len(data) > 32"))),
    "xxh-stripe-off-by-one": ("leaves the last stripe of XXH64 to the tail if it ends the input",
        _changed((r"len\(rest\) >= 32", "len(rest) > 32"))),
    "xxh-stripe-once": ("processes only the first stripe of 32 bytes in XXH64",
        _changed((r"len\(rest\) >= 32", "len(rest) == len(data)"))),
    "xxh-stripes128": ("processes at most 128 bytes in stripes in XXH64", _changed((r"v = \[seed", _FIRST_STRIPES))),
    "xxh-tail4-missing": ("processes four bytes of the tail of XXH64 one by one",
        _changed((r"len\(rest\) >= 4", "False"))),
    "xxh-tail4-off-by-one": ("processes four bytes that end the input of XXH64 one by one",
        _changed((r"len\(rest\) >= 4", "len(rest) > 4"))),
    "xxh-tail8-once": ("processes only one lane of eight bytes in the tail of XXH64, then lanes of four",
        _changed((r"while len\(rest\) >= 8", r"for _ in range(len(rest) >= 8)"), _FOURS)),
    "xxh-tail8-off-by-one": ("processes eight bytes that end the input of XXH64 as two lanes of four",
        _changed((r"len\(rest\) >= 8", "len(rest) > 8"), _FOURS)),
    "xxh-signed-bytes": ("treats bytes as signed in the tail of XXH64",
        _changed((r"byte \* P5", "(byte - 256 if byte > 127 else byte) * P5"))),
})  # fmt: skip

table("SD-WIDE-2", hash_token={
    "xxh-seed-long-ignored": ("leaves out the seed for 32 bytes and more",
        _changed((r"seed \+ P1 \+ P2, seed \+ P2, seed, seed - P1", "P1 + P2, P2, 0, -P1"))),
    "xxh-seed-v3": ("begins v3 of XXH64 with 0 instead of the seed", _changed(("P2, seed, seed", "P2, 0, seed"))),
    "xxh-seed-v4-plus": ("adds P1 to the seed for v4 of XXH64 instead of subtracting it",
        _changed(("seed - P1", "seed + P1"))),
    "xxh-seed-short-ignored": ("leaves out the seed for fewer than 32 bytes", _changed((r"seed \+ P5", "P5"))),
    "seed-mod-four": ("uses the seeds 0 to 3 again for lanes 4 to 7",
        lambda step, token, seed=0: step(token, seed % 4)),
})  # fmt: skip
