"""Section 2: texts cut at every place, and the state that one request must not leave to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from generators.case_builder import Draft, draft
from generators.link_grammar import FORMS
from simhash_doc.published_files import data_path
from simhash_doc.unicode_data import combining_class, fold_map, members, normalize

TAIL = "._~:/?#[]@!$&'()*+,;=%-"
# What may follow each form, so that it goes on, or ends, or is none.
AFTER = {"plain": " end", "letter": "q end", "stop": ". End", "dash": "-a.q end", "mark": "\u0301 end"}
# In scripts that are in no link, so that a link that is only begun hides nothing.
SCRIPTS = {
    "cyrillic": "\u0441\u043b\u043e\u0432\u043e \u0438 \u0434\u0435\u043b\u043e_\u0441\u043b\u043e\u0432\u0430",
    "han": "\u6771\u4eac\u90fd \u5e81\u3005\u30ab\u30bf\u30ab\u30ca \U00020000\U00020001",
    "thai": "\u0e20\u0e32\u0e29\u0e32\u0e44\u0e17\u0e22 \u0e01\u0e34\u0e19\u0e02\u0e49\u0e32\u0e27",
    "hangul": "\ud55c\uad6d\uc5b4 \u1112\u1161\u11ab \u1100\u1161 \uac00\u11c2 \uffa1\uffc2\uffa3",
    "marks": "\u0436\u0301\u0316\u0436 \u03b1\u0345\u0301 \u0915\u093c\u093f \u05d1\u05bc\u05b9",
    "kana": "\uff76\uff9e\uff77\uff9f \u304b\u3099\u304d\u309a",
    "ignorable": "\u0436\u00ad\u0301\u0436 \u0436\u200d\u0436 \u0436\ufe0f\u0301 \ufeff\u0436\ufeff \u0436\ufffe\u0436",
    "digits": "\u0662\u0664 \u0436\u0662 \u0662\u0436 _\u0436_ \u203f\u0436\u203f\u0436",
    "supplementary": "\U00010428\U00010429 \U0001e900\U0001e922 \U0001d400\U0001d401",
}
TOKEN_SIZES = (255, 256, 1000, 1024, 4096, 8192, 65_536, 300_000)
WORDS_PER_CASE = 16  # of which one that is wrong changes some bit


def _everywhere(data: bytes, empty: bool = False) -> list[int]:
    """Return a cut behind each byte; with empty pieces, two of them, and two at each end."""
    return sorted([*range(len(data) + 1)] * 2) if empty else list(range(1, len(data)))


def _cut(slug: str, comment: str, text: str | bytes, cuts: Sequence[int], *more: str, singles: bool = False) -> Draft:
    data = text if isinstance(text, bytes) else text.encode()
    same = [{"bytes": data.hex(), "cuts": [at]} for at in range(1, len(data))] if singles else []
    return draft(
        f"pieces/{slug}", "fingerprint", ("SD-PIECE-1", *more), comment, "boundary", "bytes", bytes=data.hex(), cuts=cuts, same=same,
    )  # fmt: skip


def links() -> Iterator[Draft]:
    """Every character of the tail of a link, and every form of a link, cut at every place."""
    for character in TAIL:
        text, code = f"http://a.b/c{character}dog cat", ord(character)
        comment = f"a link with U+{code:04X} in its tail, cut behind each byte"
        yield _cut(f"tail-{code:02x}", comment, text, _everywhere(text.encode()), "SD-LINK-2")
    for form, (requirement, link) in FORMS.items():
        for slug, after in AFTER.items():
            text = f"of {link}{after}"
            comment = f"{form}, with {after!r} behind, cut behind each byte, and at each place alone"
            yield _cut(
                f"{form}-{slug}", comment, text, _everywhere(text.encode()), requirement, singles=slug == "plain"
            )


def scripts() -> Iterator[Draft]:
    """Words in other scripts, cut behind each byte, with empty pieces or without."""
    for script, text in SCRIPTS.items():
        data = text.encode()
        yield _cut(f"script-{script}", f"{script}, cut behind each byte", text, _everywhere(data), singles=True)
        yield _cut(
            f"script-{script}-empty", f"{script}, with empty pieces everywhere", text, _everywhere(data, empty=True)
        )
        for size in (2, 3, 4):
            cuts = list(range(size, len(data), size))
            yield _cut(f"script-{script}-{size}", f"{script}, in pieces of {size} bytes", text, cuts)
        units = text.encode("utf-16-be", "surrogatepass")
        yield draft(
            f"pieces/script-{script}-units", "fingerprint", ("SD-PIECE-1", "SD-INPUT-3"), f"{script}, cut behind each code unit",
            "boundary", "surrogates", utf16=units.hex(), cuts=list(range(1, len(units) // 2)),
        )  # fmt: skip
    for slug, mark in (("feff", "\ufeff"), ("fffe", "\ufffe"), ("ff-fe", b"\xff\xfe"), ("fe-ff", b"\xfe\xff")):
        data = mark if isinstance(mark, bytes) else mark.encode()
        parts = [data + b"a", data + b"b", data, data + "\u0436".encode()]
        comment = f"pieces that begin with {data.hex(' ').upper()}, which is a byte order mark somewhere"
        yield _cut(f"begins-{slug}", comment, b"".join(parts), list(accumulate(map(len, parts)))[:-1], "SD-INPUT-1")


def _binds(character: str) -> str:
    """Return a word in which a character changes what is before it, if both are in one piece; empty if it cannot."""
    first = normalize("NFD", fold_map().get(ord(character), character) or " ")[0]
    number = combining_class(first)
    if number:  # it is sorted before a mark of a higher class
        word = "\u0436\u035d" + character if number < 234 else "\u0436\u0315" + character
        base = _bases().get(first, "")
        return base + character if base else word
    if 0 <= ord(first) - 0x1161 < 21:
        return "\u1100" + character
    if 0 < ord(first) - 0x11A7 < 28:
        return "\uac00" + character
    return _bases()[first] + character if first in _bases() else ""


def _bases() -> dict[str, str]:
    """Return a code point with which each second one of a composition composes."""
    lines = (data_path("spec/data") / "composition.txt").read_text(encoding="ascii").splitlines()
    pairs = (line.split(" ; ")[1].split() for line in lines if not line.startswith("#"))
    return {chr(int(second, 16)): chr(int(first, 16)) for first, second in reversed(list(pairs))}


def _first_and_last(codes: Sequence[int]) -> list[int]:
    """Return the ends of each stretch of consecutive code points."""
    known = set(codes)
    return [code for code in codes if code - 1 not in known or code + 1 not in known]


def compositions() -> Iterator[Draft]:
    """Each code point that composes with the one before, or is sorted before it, cut before it."""
    mapped = [code for code, target in fold_map().items() if target]
    marks = [code for code in range(0x110000) if members("nonstarter")[code]]
    codes = sorted({*mapped, *marks, *map(ord, _bases()), *range(0x1161, 0x1176), *range(0x11A8, 0x11C3)})
    words = [(word, len(word) - 1) for code in codes if (word := _binds(chr(code)))]
    ignorable = _first_and_last(sorted(code for code, target in fold_map().items() if not target))
    words += [(f"e{chr(code)}\u0301", 1) for code in ignorable] + [(f"e{chr(code)}\u0301", 2) for code in ignorable]
    for start in range(0, len(words), WORDS_PER_CASE):
        data, cuts = b"", []
        # Different first letters, for many words would fold to the same token, which counts up to 8 times.
        for letter, (word, at) in zip("abcdefghijklmnop", words[start : start + WORDS_PER_CASE], strict=False):
            cuts.append(len(data) + 1 + len(word[:at].encode()))
            data += f"{letter}{word} ".encode()
        slug, comment = (
            f"binds-{start // WORDS_PER_CASE:03}",
            "characters that change what is before them, cut before them",
        )
        yield _cut(slug, comment, data, cuts, "SD-FOLD-5")


def long_items() -> Iterator[Draft]:
    """One token, and one link, longer than a buffer, in pieces, with something behind."""
    for size in TOKEN_SIZES:
        recipe = {"utf8": {"concat": [{"repeat": "x", "count": size}, "y \u0442\u0430"]}}
        cuts = sorted({size // 2, size - 1, size, size + 1, size + 2, *range(1000, size, max(1000, size // 20))})
        comment = f"a token of {size + 1} characters in pieces"
        yield draft(f"pieces/token-{size}", "fingerprint", "SD-PIECE-1", comment, "boundary", recipe=recipe, cuts=cuts)
        link = {"utf8": {"concat": ["a://", {"repeat": "x/", "count": size // 2}, "y \u0442\u0430"]}}
        comment = f"a link of {size + 5} characters in pieces"
        yield draft(f"pieces/link-{size}", "fingerprint", "SD-PIECE-1", comment, "boundary", recipe=link, cuts=cuts)
    size = 1_100_000
    recipe = {"utf8": {"concat": ["a://", {"repeat": "x/", "count": size // 2}, "y \u0442\u0430"]}}
    cuts = [1, 100_000, 1_048_575, 1_048_576, 1_048_577, size, size + 4]
    yield draft(
        "pieces/link-1m", "fingerprint", "SD-PIECE-1", "a link of over 1 MiB", "boundary", recipe=recipe, cuts=cuts
    )


# The end that one request leaves open, and the start of the next, which gives the same answer if nothing is left.
OPEN = {
    "surrogate": ("utf16", "0061d801", "dc280061", "a high surrogate at the end, and a low one at the next start"),
    "surrogate-alone": ("utf16", "0031d801", "dc280031", "the same without a token"),
    "two-bytes": ("bytes", "61 d0", "b6 61", "an incomplete character of two bytes, and its end"),
    "three-bytes": ("bytes", "61 e6 9d", "b1 61", "an incomplete character of three bytes, and its end"),
    "four-bytes": ("bytes", "61 f0 90 90", "a8 61", "an incomplete character of four bytes, and its end"),
    "bytes-alone": ("bytes", "31 e6 9d", "b1 31", "the same without a token"),
    "mark": ("bytes", "65", "65", "a letter"),
    "byte-order-mark": ("bytes", "ef bb bf 61", "ef bb bf 61", "a byte order mark at each start"),
}


def _state(
    slug: str,
    requirements: tuple[str, ...],
    comment: str,
    flag: str,
    same: list[dict[str, Any]],
    members: dict[str, Any],
) -> Draft:
    return draft(f"state/{slug}", "fingerprint", requirements, comment, flag, same=same, **members)


def state() -> Iterator[Draft]:
    """Requests that end in the middle of something, and the same again, or what would go on."""
    for slug, (form, end, start, what) in OPEN.items():
        end, start = end.replace(" ", ""), start.replace(" ", "")
        required = ("SD-INPUT-2",) if form == "bytes" else ("SD-INPUT-3",)
        flag = "bytes" if form == "bytes" else "surrogates"
        comment, same = f"{what}, in requests one after the other", [{form: text} for text in (start, end, start)]
        yield _state(slug, required, comment, flag, same, {form: end})
        if len(end) > 4:
            in_pieces: dict[str, Any] = {form: end, "cuts": [len(end) // (2 if form == "bytes" else 4) - 1]}
            yield _state(
                f"{slug}-pieces", (*required, "SD-PIECE-1"), f"{what}, in pieces", flag, [in_pieces] * 2, in_pieces
            )
    # The second time, a count that is kept would be over the cap, and a word, a link or a run that is open would go on.
    for slug, text in {
        "counts": "a " * 5 + "b " * 5 + "c " * 3 + "d", "word": "word", "link": "word http://a", "bigram": "\u6771\u4eac",
        "scheme": "http:", "slashes": "//a.b http:", "mail": "@a.bc ann", "no-token": "2024 ?", "accent": "\u0301a e",
        "marks": "\u0301" * 20 + "a" + "\u0301" * 20, "digits": "0123456789abcdef",
    }.items():  # fmt: skip
        comment, data = f"the same text several times: {slug}", text.encode().hex()
        again = [{"text": text}, {"text": text}, {"bytes": data}, {"text": text}]
        yield draft(f"state/again-{slug}", "fingerprint", "SD-SEC-1", comment, text=text, same=again)
        for op in ("buckets", "fold") if slug != "no-token" else ("fold",):
            yield draft(f"state/again-{slug}-{op}", op, "SD-SEC-1", comment, text=text, same=again)
    fails: tuple[tuple[str, dict[str, Any]], ...] = (
        ("unknown-scheme", {"bytes": "61e69d", "scheme": "sd63"}), ("no-token", {"bytes": "31e69d"}), ("then", {"bytes": "b161"}),
        ("units-unknown-scheme", {"utf16": "0061d801", "scheme": "sd63"}), ("units-then", {"utf16": "dc280061"}),
        ("cuts-unknown-scheme", {"bytes": "61e69d", "cuts": [1, 2], "scheme": "sd63"}), ("cuts-then", {"bytes": "b161", "cuts": [1]}),
    )  # fmt: skip
    for slug, given in fails:
        comment = f"one request that fails, and another after it: {slug}"
        flag = "bytes" if "bytes" in given else "surrogates"
        yield _state(f"fails-{slug}", ("SD-INPUT-2", "SD-ERR-1"), comment, flag, [], given)


GENERATORS = (links, scripts, compositions, long_items, state)
