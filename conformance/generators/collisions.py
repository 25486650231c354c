"""Section 7: tokens that are told apart by their bytes alone, not by their hash, a part of it, or a part of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

from generators.case_builder import Draft, draft, table
from generators.chosen_hashes import LANES, WORD, chosen, neighbours
from simhash_doc.schemes import get_schemes
from simhash_doc_conformance.mutants.identity import SHORT_HASHES, SPECIAL

# Words that a hash of 32 bits, as many languages have it, does not tell apart: found by search.
SAME_HASH = {
    "31": ("js", "l5"), "33": ("s5", "qw"), "fnv": ("gvlvp", "yomxb"), "crc": ("gnyijstj", "etislvlf"),
    "adler": ("rtgmmfko", "klypennf"), "xxh32": ("jcypqyqy", "uigfkfmx"),
}  # fmt: skip
MORE_SAME_HASH = {
    "sdbm": ("wkdwlyp", "ucsyxbz"), "131": ("awgah", "hmtuxr"), "37": ("hrhh", "yjuoqv"), "fnv1": ("yialawu", "hvnsgvv"),
    "33-xor": ("xypkdjq", "dxziuop"), "jenkins": ("vmzemui", "zzmxjxw"), "elf": ("kclc", "jsks"), "murmur3": ("mqtmnty", "iqrjsoh"),
    "rotating": ("tdfqed", "xtdfqez"), "fletcher": ("irzu", "okvz"), "crc-hqx": ("axez", "zeyo"),
}  # fmt: skip
BUCKETS = ("bit-00", "bit-31", "bit-32", "bit-63", "equal", "negative")
LENGTHS = tuple(2**exponent + change for exponent in range(2, 17) for change in (-1, 0, 1))
# Pairs of special values that a table of numbers can take for each other: markers, signs, and what replaces them.
PAIRS = (("0", "1"), ("0", "2"), ("1", "2"), ("0", "2^64-1"), ("0", "2^63"), ("2^63-1", "2^63"), ("2^64-2", "2^64-1"),
         ("2^32-1", "2^64-1"), ("0", "2^32"), ("0", "nan"))  # fmt: skip


def against(one: str, other: str) -> str:
    """Return a text in which many bits differ if two tokens count as one: 8 + 2 against 9, or 8 against 9."""
    return f"{f'{one} ' * 8}{f'{other} ' * 2}{'word ' * 8}again"


def _slug(name: str) -> str:
    """Return a name without the sign that ids cannot have."""
    return name.replace("^", "p")


def _scheme_of(lane: int) -> str:
    """Return the narrowest scheme that has a lane."""
    return next(known.id for known in get_schemes().values() if lane < known.lanes)


def equal_hashes() -> Iterator[Draft]:
    """Two tokens whose hashes are equal, or differ in one bit, or give the same number."""
    fingerprint = partial(draft, op="fingerprint", requirements="SD-CAP-1")
    for name in neighbours():
        text, comment = against(WORD, chosen()[name]["0"]), f"two tokens whose hashes are neighbours: {name}"
        yield fingerprint(f"collide/{_slug(name)}", comment=comment, text=text)
        if name in BUCKETS:
            yield draft(f"collide/{_slug(name)}-buckets", "buckets", "SD-CAP-1", comment, "collision", text=text)
    for lane in LANES:
        equal = {"equal": (WORD, chosen()["equal"][str(lane)])}
        equal["zero"] = (chosen()["0"][str(lane)], chosen()["0 again"][str(lane)])
        for name, (one, other) in equal.items():
            for scheme in dict.fromkeys((_scheme_of(lane), "sd512")):
                comment = f"two tokens whose hashes in lane {lane} are equal: {name}, in {scheme}"
                slug, required = f"collide/{name}-lane-{lane}-{scheme}", ("SD-CAP-1", "SD-WIDE-2")
                text = against(one, other)
                yield draft(slug, "fingerprint", required, comment, "collision", text=text, scheme=scheme)
    for one, other in PAIRS:
        comment = f"a token with the hash {one}, and one with {other}"
        text = against(chosen()[one]["0"], chosen()[other]["0"])
        yield fingerprint(f"collide/{_slug(one)}-and-{_slug(other)}", comment=comment, text=text)


def special_hashes() -> Iterator[Draft]:
    """A token whose hash a table may take for an empty place, a removed one, or no number; in each lane."""
    for name, lane in product(SPECIAL, LANES):
        text, scheme = f"{f'{chosen()[name][str(lane)]} ' * 3}word word", _scheme_of(lane)
        slug, comment = f"collide/hash-{_slug(name)}-lane-{lane}", f"a token whose hash in lane {lane} is {name}"
        yield draft(slug, "fingerprint", ("SD-SUM-1", "SD-WIDE-2"), comment, "collision", text=text, scheme=scheme)
    text = " ".join(f"{chosen()[name]['0']} " * (n % 3 + 1) for n, name in enumerate(SPECIAL))
    yield draft("collide/hashes-buckets", "buckets", "SD-SUM-1", "tokens with special hashes", "collision", text=text)


def other_hashes() -> Iterator[Draft]:
    rows = {
        f"other-{name}": (against(*words), f"two words of one hash: {SHORT_HASHES[name][0]}")
        for name, words in SAME_HASH.items()
    }
    yield from table("collide/", "fingerprint", "SD-CAP-1", rows, "collision")


def parts() -> Iterator[Draft]:
    """Two tokens of the same beginning, the same end, both, or of nearly the same length."""
    for length in LENGTHS:
        same = {"repeat": "x", "count": length}
        rows: dict[str, tuple[Any, ...]] = {
            f"beginning-{length}": (
                [same, "a ", same, "b word"],
                f"the first {length} characters of two tokens are equal",
            ),
            f"end-{length}": (
                ["a", same, " b", same, " word"],
                f"the last {length} characters of two tokens are equal",
            ),
        }
        if length & length - 1 == 0:
            rows[f"length-{length}"] = ([same, " ", same, "x word"], f"tokens of {length} and {length + 1} characters")
            rows[f"both-{length}"] = (
                [same, "a", same, " ", same, "b", same, " word"], f"{length} characters at both ends of two tokens are equal",
            )  # fmt: skip
        recipes = {slug: ({"concat": listed}, comment) for slug, (listed, comment) in rows.items()}
        yield from table("collide/", "fingerprint", "SD-CAP-1", recipes, "collision", member="recipe")


GENERATORS = (equal_hashes, special_hashes, other_hashes, parts)
