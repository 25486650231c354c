"""Generated text forms and searches: well-formed and malformed, with duplicates and clusters around the distance."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from simhash_doc.reference import BASE32, Reference
from simhash_doc.schemes import Scheme, get_scheme, get_schemes

# Names that are not in the registry.
UNKNOWN = ("", "sd32", "sd65", "sd640", "sd6", "SD64", "sd64 ", "sd64:", "sd64+custom", "simhash-doc-64", "\uff53d64")
_CUSTOM = "+custom"
_WRONG_PREFIXES = (
    "", "sd", "sd32", "sd65", "sd64+", "+custom", "sd64+customised", "sd64+custom+custom", "sd64 custom", "sd64+cust",
    "xsd64", " sd64", "sd64 ", "urn:sd64", "simhash-doc-64", "sd64:sd64", "\ufeffsd64", "ſd64", "sd٦٤",
)  # fmt: skip
# Characters outside base32: digits and signs next to it, padding, white space, and some whose lower case is in it.
_WRONG_CHARACTERS = "=0189-_:+/. \t\n\0\u212a\u017f\u0130é\ufeff\U0001f600"
_SPECIAL_IDS = (
    "", "0", "00", "-1", "a", "A", "é", "e\u0301", " ", "id with spaces", "\u0000", "😀", "__proto__", "null",
)  # fmt: skip
# Ids that some program reads as a value of a type, or that a sign joins.
_TYPED_IDS = (
    "2024-01-{:02}", "2024-01-{:02}T12:00:00Z", "0{}", "+{}", "{}.0", "{}e3", "0x{:x}", "0X{:X}", "1:{:02}", "b'{}'",
    "'{}'",
    "\"{}\"", "[{}]", "x,{}", "{},x", "x|{}", "x-{}", "x:{}", "x {}", "{}%", "123E4567-E89B-12D3-A456-{:012}",
    "10.0.0.{}",
    "http://A.example/{}", "&#{};", "\\u{:04x}", "%{:02X}", "#{}", "{}\n", "\t{}", "True{}", "NULL{}", "a@{}.B", "/{}/",
    "-{}",
)  # fmt: skip
# Numbers of queries at the borders of bytes and of the parameters of a statement.
_BATCHES = (100, 127, 128, 129, 255, 256, 257, 999, 1000, 1001, 1024)
_TURNS = (3, 8, 17, 128, 256, 257)  # insertions and removals of one id
_CUSTOM_SHARE, _UPPER_SHARE, _BARE_SHARE = 0.1, 0.1, 0.05  # of the decorated text forms
# The text forms with a mistake: of another scheme, or malformed. Several show which is reported.
_FAULTS: tuple[tuple[str, ...], ...] = (
    *[()] * 8, ("scheme",), ("malformed",), ("scheme", "malformed"), ("malformed", "malformed"),
)  # fmt: skip
_MOST_COMPARED = 40_000  # entries times queries
_reference = Reference()


def values(scheme: Scheme) -> st.SearchStrategy[int]:
    """Return values of a scheme's fingerprints: few bits set, few clear, or any."""
    full = (1 << scheme.bits) - 1
    sparse = st.lists(st.integers(0, scheme.bits - 1), max_size=4).map(lambda bits: sum({1 << bit for bit in bits}))
    return st.one_of(sparse, sparse.map(lambda value: full ^ value), st.integers(0, full))


def digits_of(value: int, scheme: Scheme) -> str:
    """Return the base32 digits of a value."""
    return _reference.encode(value.to_bytes(scheme.bits // 8, "big"))


@st.composite
def well_formed(draw: st.DrawFn, scheme: Scheme, value: int | None = None) -> str:
    """Return a well-formed text form, in lower, upper or mixed case, customised or not, mostly with its scheme."""
    digits = digits_of(draw(values(scheme)) if value is None else value, scheme)
    prefix = draw(st.sampled_from([f"{scheme.id}:", f"{scheme.id}{_CUSTOM}:", ""]))
    change = draw(st.sampled_from([str.lower, str.upper, str.swapcase, str.title]))
    return change(prefix + digits) if draw(st.booleans()) else prefix + digits


@st.composite
def malformed(draw: st.DrawFn, scheme: Scheme, *, prefixed: bool = False) -> str:
    """Return a text form with one or two mistakes, usually malformed.

    Args:
        scheme: of the digits.
        prefixed: True to keep the scheme's prefix correct.
    """
    prefix = draw(st.sampled_from([f"{scheme.id}:", f"{scheme.id}{_CUSTOM}:", *([] if prefixed else [""])]))
    digits = digits_of(draw(values(scheme)), scheme)
    mistakes = ["character", "length", "spare", "digit", *([] if prefixed else ["prefix"])]
    for mistake in draw(st.lists(st.sampled_from(mistakes), min_size=1, max_size=2)):
        if mistake == "prefix":
            prefix = draw(st.sampled_from(_WRONG_PREFIXES)) + draw(st.sampled_from([":", "", "::"]))
        elif mistake == "length":
            length = draw(st.integers(0, scheme.characters + 3) | st.sampled_from(_lengths()))
            digits = (digits + "a" * length)[:length]
        elif mistake == "spare":
            digits = digits[:-1] + draw(st.sampled_from(BASE32))
        else:
            at = draw(st.integers(0, len(digits)))
            wrong = draw(st.sampled_from(_WRONG_CHARACTERS if mistake == "character" else BASE32))
            digits = digits[:at] + wrong + digits[at + draw(st.integers(0, 1)) :]
    end = draw(st.sampled_from(["", "", "", "=", " ", "\n", ":", "===", "\0"]))
    return prefix + digits + end


def any_form(scheme: Scheme) -> st.SearchStrategy[str]:
    """Return well-formed and malformed text forms."""
    return st.one_of(well_formed(scheme), malformed(scheme))


def names(schemes: Sequence[str]) -> st.SearchStrategy[str]:
    """Return short ids of supported schemes, mostly the first, and names that are not registered."""
    return st.one_of(st.just(schemes[0]), st.sampled_from(sorted(schemes)), st.sampled_from(UNKNOWN))


@st.composite
def hex_digits(draw: st.DrawFn, scheme: Scheme) -> str:
    """Return the bytes of a fingerprint in hexadecimal, sometimes of a wrong length."""
    data = draw(values(scheme)).to_bytes(scheme.bits // 8, "big")
    if draw(st.integers(0, 3)) == 3:
        length = draw(st.sampled_from([0, 1, len(data) - 1, len(data) + 1, 2 * len(data), 8, 16, 32, 64]))
        data = (data + bytes(length))[:length]
    return data.hex()


@st.composite
def pairs(draw: st.DrawFn, scheme: Scheme, schemes: Sequence[str]) -> tuple[str, str]:
    """Return two text forms to compare: near or far, sometimes of two schemes, sometimes malformed."""
    first = draw(values(scheme))
    flipped = draw(st.lists(st.integers(0, scheme.bits - 1), max_size=12))
    second = draw(st.sampled_from([first ^ sum({1 << bit for bit in flipped}), 0, (1 << scheme.bits) - 1]))
    forms = [draw(well_formed(scheme, first)), draw(well_formed(scheme, second))]
    kind = draw(st.sampled_from(["good", "good", "other scheme", "malformed", "both", "both"]))
    at = draw(st.integers(0, 1))
    other = get_scheme(draw(st.sampled_from(sorted(schemes))))
    if kind == "other scheme":
        forms[at] = draw(well_formed(other))
    elif kind == "malformed":
        forms = [draw(any_form(scheme)), draw(any_form(scheme))]
    elif kind == "both":
        forms[at], forms[1 - at] = draw(well_formed(other)), draw(malformed(scheme, prefixed=True))
    return forms[0], forms[1]


def _lengths() -> list[int]:
    return [scheme.characters + change for scheme in get_schemes().values() for change in (-1, 0, 1)]


@st.composite
def searches(draw: st.DrawFn, scheme: Scheme, schemes: Sequence[str], *, queries: bool) -> dict[str, Any]:
    """Return the members of `query` or `find_all`.

    Args:
        scheme: of the entries.
        schemes: those that the implementation has.
        queries: True for `query`.
    """
    distance = draw(st.sampled_from(_distances(scheme)))
    count = draw(st.one_of(st.integers(0, 8), st.integers(0, 60), st.sampled_from([0, 100, 101, 257, 400])))
    clusters = draw(st.integers(1, 6))
    source = random.Random(draw(st.integers(0, 2**16)))
    bases = [source.choice([0, (1 << scheme.bits) - 1, source.getrandbits(scheme.bits)]) for _ in range(clusters)]
    forms = [_near(source, scheme, bases, distance) for _ in range(count)]
    number = draw(st.one_of(st.integers(0, 6), st.integers(0, 6), st.sampled_from(_BATCHES))) if queries else 0
    wanted = [_near(source, scheme, bases, distance) for _ in range(number if count * number < _MOST_COMPARED else 6)]
    for fault in draw(st.sampled_from(_FAULTS)):
        if forms or wanted:
            other = get_scheme(draw(st.sampled_from(sorted(schemes))))
            bad = draw(well_formed(other) if fault == "scheme" else malformed(scheme, prefixed=True))
            chosen = source.choice([kind for kind in (forms, wanted) if kind])
            chosen[source.randrange(len(chosen))] = bad
    entries = [[key, form] for key, form in zip(_ids(source, len(forms)), forms, strict=True)]
    members: dict[str, Any] = {"entries": entries, **({"queries": wanted} if queries else {}), "distance": distance}
    return members if scheme.id == "sd64" else {**members, "scheme": scheme.id}


@st.composite
def updates(draw: st.DrawFn, scheme: Scheme) -> dict[str, Any]:
    """Return the members of `update`: a new id is not in the index, a removed one is, also one of the same step."""
    distance, source = draw(st.sampled_from(_distances(scheme))), random.Random(draw(st.integers(0, 2**16)))
    bases = [source.getrandbits(scheme.bits) for _ in range(draw(st.integers(1, 4)))]
    names, stored = _ids(source, draw(st.integers(1, 30))), set[str]()
    steps: list[dict[str, Any]] = []
    for parts in draw(st.lists(st.sets(st.sampled_from(["insert", "remove", "query"])), min_size=1, max_size=8)):
        step: dict[str, Any] = {}
        if "insert" in parts:
            free = [name for name in names if name not in stored]
            chosen = source.sample(free, source.randint(0, min(len(free), 6)))
            step["insert"] = [[name, _near(source, scheme, bases, distance)] for name in chosen]
            stored.update(chosen)
        if "remove" in parts:
            step["remove"] = source.sample(sorted(stored), source.choice([0, len(stored) // 2, len(stored)]))
            stored.difference_update(step["remove"])
        if "query" in parts:
            step["query"] = [_near(source, scheme, bases, distance) for _ in range(source.randint(0, 3))]
        steps.append(step)
    if draw(st.integers(0, 7)) == 0:  # one id, again and again
        one, other = (_near(source, scheme, bases, distance) for _ in range(2))
        turn: list[dict[str, Any]] = [{"insert": [["again", one]]}, {"remove": ["again"]}]
        steps += [*turn * draw(st.sampled_from(_TURNS)), {"insert": [["again", other]], "query": [one, other]}]
    return {"steps": steps, "distance": distance, "scheme": scheme.id}


def _distances(scheme: Scheme) -> list[int]:
    usual = [3, 0, 1, 2, 4, 5, 6, 7, 8, 10, 16, scheme.close, scheme.loose]
    return [*usual, scheme.bits // 2, scheme.bits - 1, scheme.bits, scheme.bits + 1]


def _near(source: random.Random, scheme: Scheme, bases: Sequence[int], distance: int) -> str:
    """Return the text form of a value: equal to a base, within the distance, just outside it, or anywhere."""
    flips = source.choice([0, 1, distance // 2, distance, distance + 1, None])
    value = source.getrandbits(scheme.bits) if flips is None else source.choice(bases)
    for bit in source.sample(range(scheme.bits), min(flips or 0, scheme.bits)):
        value ^= 1 << bit
    digits, share = digits_of(value, scheme), source.random()
    if share < _BARE_SHARE:
        return digits
    form = f"{scheme.id}{'+custom' if share < _BARE_SHARE + _CUSTOM_SHARE else ''}:{digits}"
    return form.upper() if source.random() < _UPPER_SHARE else form


def _ids(source: random.Random, count: int) -> list[str]:
    """Return different ids."""
    numbers = [str(number) for number in range(1, count + 1)]
    typed = [source.choice(_TYPED_IDS).format(number) for number in range(1, count + 1)]
    ids = [*_SPECIAL_IDS, *source.choice([numbers, typed, [*typed, *numbers]])]
    if source.random() < 0.5:
        source.shuffle(ids)
    return [*dict.fromkeys([*ids, *numbers, *map("n{}".format, numbers)])][:count]
