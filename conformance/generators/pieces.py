"""Section 2: characters, words, links and runs of marks where an implementation may cut a text into pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from functools import partial
from itertools import accumulate, product
from typing import Any

from generators.case_builder import Draft, draft, table

SIZES = (4096, 8192, 65_536, 1_048_576)
FILLER = ". "  # two characters that are in no word and no link
# What stands across the end of a piece, from some characters before it.
ITEMS = {
    "word": ("borderline", 4, "a word"),
    "han": ("東京都庁", 2, "a stretch of Chinese characters"),
    "link": ("http://a.example/path", 4, "a link, cut in its scheme"),
    "link-tail": ("http://a.example/path", 19, "a link, cut near its end"),
    "marks": ("a" + "\u0301" * 31, 16, "31 combining marks, which are too many only together"),
    "composition": ("cafe\u0301s", 4, "a letter and its accent"),
    "supplementary": ("x\U00010428\U00010429y", 2, "characters beyond U+FFFF"),
    "connector": ("snake_case", 6, "a word, cut behind its connector"),
}


def borders() -> Iterator[Draft]:
    rows: dict[str, tuple[Any, ...]] = {}
    for size in SIZES:
        for slug, (item, before, what) in ITEMS.items():
            parts = [_filler(size - before), item, " end"]
            rows[f"{size}-{slug}"] = ({"concat": parts}, f"{what}, across the character {size}")
    # In UTF-8 and UTF-16, the end of a piece is inside a character.
    for size in SIZES:
        recipe: dict[str, Any] = {"concat": [_filler(size - 2), "x\U00010428y end"]}
        rows[f"{size}-code-unit"] = (recipe, f"a character across the code unit {size}")
    for size, inside in product(SIZES, (1, 2, 3)):
        recipe = {"utf8": {"concat": [_filler(size - inside), "\U00010428y end"]}}
        comment = f"the byte {size} is inside a character of four bytes, behind {inside}"
        rows[f"{size}-byte-{inside}"] = (recipe, comment, "SD-PIECE-1", "SD-INPUT-1")
    for slug, row in rows.items():
        large = ["large"] if int(slug.partition("-")[0]) > 8192 else []
        yield from table("pieces/", "tokens", "SD-PIECE-1", {slug: row}, "boundary", *large, member="recipe")


# Texts with a bar at each cut.
CUT = {
    "word": ("the bord|erline case", "a word"),  # codespell:ignore bord
    "character": ("caf\u00e9 \u6771\u4eac x\U00010428y", "every character of several bytes, behind each of its bytes"),
    "ignorable": ("a co\u00ad|operate zero\u200b|width", "words with a soft hyphen and a zero-width space before the cut"),
    "bigrams": ("\u6771|\u4eac|\u90fd\u5e81 x", "a stretch of Chinese characters"),
    "connectors": ("snake|_case end_|_ing _|x", "words, next to connectors"),
    "accent": ("cafe|\u0301s e\u0316|\u0301", "a letter and its accent, and a mark that stands between them"),
    "accents": ("\u1ea5|\u0323b", "a composed letter that has to be decomposed for the next mark"),
    "jamo": ("\u1112|\u1161|\u11ab\u1100|\u1173\u11af", "syllables of Hangul, between their letters"),
    "vowel": ("\u0995\u09c7|\u09be \u0b95\u0bc6|\u0bbe", "vowels that compose with the one before, though they are starters"),
    "marks-30": ("a" + "\u0301" * 16 + "|" + "\u0301" * 14 + "b", "30 combining marks, which are kept"),
    "marks-31": ("a" + "\u0301" * 16 + "|" + "\u0301" * 15 + "b", "31 combining marks, which are too many only together"),
    "url": ("see http|://a.example/p http:|//b.example http:/|/c.example/d|/e end", "links in their scheme and path"),
    "www": ("see www|.a.example www.b|.c www.d.|e end", "links that start with www."),
    "named": ("see doi|:10.1/x urn:|isbn:1 10.1000|/182 10.1000/|183 end", "names of documents"),
    "mail": ("to ann|@b.example ann@|b.example ann@b|.example ann@b.|example end", "mail addresses"),
    "mail-dot": ("to ann@b.example.|org ann@b.example.| Next ann@b.example|. Next end", "the full stop behind an address"),
    "mailto": ("to mail|to:ann@b.example mailto:|ann@b.example mailto:an|n@b.example end", "addresses behind mailto:"),
    "mailto-no-address": ("to mailto:|ann and mailto:an|n end", "mailto: without an address is a word"),
    "mailto-longest": (f"to mailto:{'x' * 64}|@b.example mailto:{'x' * 64}@{'b' * 62}|.example end",
        "the longest undecided start of a link"),
    "mailto-label": (f"to mailto:{'x' * 64}@{'b' * 63}.{'c' * 61}|c.d mailto:{'x' * 64}@{'b' * 63}.c|c end",
        "the label of a mail address that is decided"),
    "digest": (f"of {'0123456789abcdef' * 2}| or {'a' * 31}|f or {'b1' * 16}|g end", "32 hexadecimal digits, and a letter behind"),
    "digest-longest": (f"of {'c' * 128}| or {'d' * 128}|d or {'e' * 100}|{'e' * 29} end", "128 and 129 hexadecimal digits"),
    "uuid": ("of 123e4567-|e89b-12d3-a456-426614174000 123e4567-e89b-12d3-a456-42661417400|0 end", "UUIDs"),
    "cap": ("no " * 5 + "|" + "no " * 5 + "yes " * 8, "a word ten times, five times in each piece"),
    "empty": ("|one two|| three|", "empty pieces at the start, in the text and at its end"),
    "no-token-pieces": ("2024 |?| one|! ", "pieces without a token"),
    "no-token": ("2024 |?", "a text without a token"),
}  # fmt: skip


def cuts() -> Iterator[Draft]:
    """Requests in pieces. The same text in pieces of one byte gives the same answer."""
    for slug, (marked, what) in CUT.items():
        parts = [part.encode() for part in marked.split("|")]
        if slug == "character":
            parts = [bytes([byte]) for byte in marked.encode()]
        yield _cut(slug, parts, f"cut inside {what}" if slug != "no-token" else what)
    ill_formed = [b"ab\xe2\x82", b"cd \xf0\x9f", b"\x98", b"ef gh\xc3", b"\xc3", b"\xa9 \xe6\x9d"]
    yield _cut("ill-formed", ill_formed, "incomplete characters at the end of pieces", "SD-INPUT-2")
    yield _cut("wide", [b"The quick br", b"own fox"], "a word, in a wide scheme", scheme="sd256")
    units = ["x\ud801", "\udc28y ab\ud83d", "cd \udc00", "e\ud801", "\ud801\udc28f"]
    data = "".join(units).encode("utf-16-be", "surrogatepass").hex()
    comment = "cut inside surrogate pairs, and behind lone surrogates"
    case = partial(draft, "pieces/cut-surrogates", "fingerprint", ("SD-PIECE-1", "SD-INPUT-3"))
    yield case(comment, "boundary", "surrogates", utf16=data, cuts=_ends(units))
    for slug, item, what in (
        ("link", {"concat": ["http://a.example/", {"repeat": "path/", "count": 20_000}]}, "a link"),
        ("marks", {"concat": ["a", {"repeat": "\u0301", "count": 50_000}]}, "a run of combining marks"),
        ("word", {"repeat": "borderline", "count": 10_000}, "a word"),
    ):
        yield draft(
            f"pieces/cut-long-{slug}", "fingerprint", "SD-PIECE-1", f"{what} of 100,000 bytes in many pieces", "boundary",
            recipe={"utf8": {"concat": ["before ", item, " behind"]}},
            cuts=[1, 100, 4095, 4096, 10_001, 16_384, 16_385, 65_535, 65_543, 65_544, 99_999, 100_010],
        )  # fmt: skip


def _cut(slug: str, parts: list[bytes], what: str, *more: str, scheme: str = "sd64") -> Draft:
    data = b"".join(parts)
    same = [{"bytes": data.hex(), "cuts": list(range(1, len(data)))}] if len(parts) < len(data) else []
    return draft(
        f"pieces/cut-{slug}", "fingerprint", ("SD-PIECE-1", *more), what, "boundary", "bytes",
        bytes=data.hex(), cuts=_ends(parts), scheme=scheme, same=same,
    )  # fmt: skip


def _ends(parts: Sequence[Sized]) -> list[int]:
    return list(accumulate(map(len, parts)))[:-1]


def _filler(length: int) -> dict[str, Any]:
    repeated = {"repeat": FILLER, "count": length // 2}
    return {"concat": [repeated, "." * (length % 2)]}


GENERATORS = (borders, cuts)
