"""Mutants of section 3, input, and of section 2: steps that lose the state at the end of a piece of a document."""

from __future__ import annotations

import codecs
import html
import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import Any
from urllib.parse import unquote

from simhash_doc.reference import LINK
from simhash_doc.unicode_data import fold_map, members, normalize
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import after, before, first, in_pieces, mutant, of_sizes, table

_BOM = b"\xef\xbb\xbf"


def _read_encoded_surrogates(self: Implementation, given: str | bytes) -> str:
    try:
        return self.scalar_values(Implementation.read(self, given))
    except UnicodeDecodeError:
        return Implementation.decode_utf8(self, bytes(given)) if isinstance(given, bytes) else given


mutant(
    "read-accepts-encoded-surrogates", "SD-INPUT-2",
    "accepts encoded surrogates (CESU-8, WTF-8) as one ill-formed part each",
    decode_utf8=lambda step, data: data.decode("utf-8", "surrogatepass") if b"\xed" in data else step(data),
    read=_read_encoded_surrogates,
)  # fmt: skip


def _read_accepts_overlong(right: Implementation, data: bytes) -> str:
    plain = re.sub(rb"[\xc0\xc1][\x80-\xbf]", lambda m: bytes([(m[0][0] & 1) << 6 | m[0][1] & 0x3F]), data)
    return right.decode_utf8(plain)


table("SD-INPUT-2", decode_utf8={
    "read-drops-ill-formed": ("drops ill-formed bytes, which joins words", lambda data: data.decode("utf-8", "ignore")),
    "read-replaces-each-byte": ("replaces each ill-formed byte, not each maximal subpart, by U+FFFD",
        lambda data: re.sub("[\udc80-\udcff]", "\ufffd", data.decode("utf-8", "surrogateescape"))),
    "read-replaces-stretch": ("replaces a complete ill-formed stretch by a single U+FFFD",
        lambda data: re.sub("[\udc80-\udcff]+", "\ufffd", data.decode("utf-8", "surrogateescape"))),
    "read-six-bytes": ("reads sequences of five and six bytes, which UTF-8 once had, as one ill-formed part",
        before(lambda data: re.sub(rb"[\xf8-\xfb][\x80-\xbf]{4}|[\xfc\xfd][\x80-\xbf]{5}", b"\xff", data))),
    "read-accepts-overlong": ("accepts overlong sequences such as C0 AF", _read_accepts_overlong),
})  # fmt: skip


table("SD-INPUT-3", scalar_values={
    "surrogate-dropped": ("drops lone surrogates instead of reading them as U+FFFD",
        lambda text: re.sub("[\ud800-\udfff]", "", text)),
    "surrogate-pair-torn": ("reads each half of a surrogate pair as U+FFFD",
        lambda text: re.sub("[\ud800-\udfff]", "\ufffd", re.sub("[\U00010000-\U0010ffff]", "\ufffd" * 2, text))),
    "surrogate-high-high-low": ("loses a pair behind a lone high surrogate, too",
        before(lambda text: re.sub("[\ud800-\udbff][\U00010000-\U0010ffff]", "\ufffd", text))),
})  # fmt: skip

table("SD-SEC-1", read={
    "read-truncates": ("fingerprints only 65,536 characters of a text", first(65_536)),
}, link_free_tokens={
    "tokens-truncated": ("stops after 10,000 tokens", first(10_000)),
})  # fmt: skip


class _Pieces(Implementation):
    """Processes each piece of a text of more than `size` characters from the first step on."""

    size = 65_536

    def end(self, text: str) -> int:
        """Return the number of characters of the first piece."""
        return self.size

    def tokens(self, given: str | bytes) -> list[str]:
        text, found = self.read(given), []
        while len(text) > self.size:
            end = self.end(text)
            found += super().tokens(text[:end])
            text = text[end:]
        return found + super().tokens(text)


table("SD-PIECE-1", _Pieces, size={
    **of_sizes("pieces{}", "processes a text in pieces of {:,} characters, cut anywhere", int,
        4096, 65_536, 1_048_576, 16_777_216),
}, end={
    "pieces-space65536": ("processes a text in pieces of 65,536 characters, cut at white space if there is any",
        lambda right, text: text.rfind(" ", 0, 65_536) + 1 or 65_536),
    "pieces-nonword65536": ("processes a text in pieces that end where a word ends after 65,536 characters",
        lambda right, text: next((i for i in range(65_536, len(text)) if not right.is_word(text[i])), len(text))),
})  # fmt: skip


mutant(
    "pieces-lines1024", "SD-PIECE-1", "processes a text line by line, in a buffer of 1,024 characters", _Pieces,
    size=1024, end=lambda text: text.find("\n", 0, 1024) + 1 or 1024,
)  # fmt: skip


def _pieces_surrogates65536(right: Implementation, given: str | bytes) -> list[str]:
    units, size = right.read(given).encode("utf-16-be"), 2 * 65_536
    pieces = [units[start : start + size] for start in range(0, len(units), size)]
    return [token for piece in pieces for token in right.tokens(piece.decode("utf-16-be", "surrogatepass"))]


# Mutants that requests with `cuts` distinguish: each loses some of the state between two pieces.

Pieces = Sequence[str] | Sequence[bytes]


def texts_of(pieces: Pieces) -> list[str]:
    """Return the characters that each piece completes."""
    if not isinstance(pieces[0], bytes):
        units = "".join(pieces).encode("utf-16-be", "surrogatepass")  # type: ignore[arg-type]
        return [units.decode("utf-16-be", "replace")]
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return [decoder.decode(piece) for piece in pieces] + [decoder.decode(b"", final=True)]  # type: ignore[arg-type]


def _parts(border: Callable[[str], int], texts: list[str]) -> list[str]:
    """Return the texts as processed by who holds, after each of them, what is behind a border."""
    done, held = [], ""
    for text in texts:
        held += text
        end = border(held)
        done.append(held[:end])
        held = held[end:]
    return [*done, held]


def _torn(border: Callable[[str], int]) -> Callable[..., str]:
    return lambda pieces: " ".join(filter(None, _parts(border, texts_of(pieces))))


def _last_word(text: str, is_inside: Callable[[str], bool] = lambda c: not c.isspace()) -> int:
    """Return the start of the last characters of a kind."""
    return next((at for at in range(len(text), 0, -1) if not is_inside(text[at - 1])), 0)


def _without_continua(text: str) -> int:
    start = _last_word(text)
    return start + max((at for at, c in enumerate(text[start:], 1) if members("continua")[ord(c)]), default=0)


def with_steps(scheme: str, **results: Any) -> str:
    """Return the fingerprint that follows from the results of some steps."""
    implementation = Implementation()
    for step, result in results.items():
        setattr(implementation, step, lambda *_, result=result: result)
    return implementation.fingerprint_text_form("", scheme)


def _folded(fold: Callable[[Implementation, list[str]], str]) -> Callable[..., str]:
    return lambda right, pieces, scheme: with_steps(scheme, fold=fold(Implementation(), texts_of(pieces)))


def _last_starter(text: str) -> int:
    return next((at for at in reversed(range(len(text))) if not members("nonstarter")[ord(text[at])]), 0)


def _cuts_no_token(right: Implementation, pieces: Pieces, scheme: str) -> str:
    for piece in pieces:
        right.buckets(piece)
    return right.fingerprint_of_pieces(pieces, scheme)


_TO_SEVERAL = "\u2025\u2026\u203c\u2047-\u2049\u2100\u2101\u2105\u2106\u2488-\u249b"


def _parted(pattern: str) -> Callable[..., list[str]]:
    """Return the tokens of the parts of a text that a pattern, which matches the empty text, separates."""
    return lambda right, given: [token for part in re.split(pattern, right.read(given)) for token in right.tokens(part)]


_NO_MATTER = "white space is in no word and no link, is a starter and composes with nothing: a text may be cut there"
table("SD-PIECE-1", decode_utf8={
    **of_sizes("pieces-decode{}", "decodes pieces of {:,} bytes: a character across two is lost", in_pieces,
        4096, 8192, 65_536, 1_048_576),
}, fold={
    **of_sizes("pieces-fold{}", "folds in pieces of {:,} characters", in_pieces,
        1000, 4096, 8192, 10_000, 16_384, 50_000, 65_536, 1_048_576),
}, remove_links={
    **of_sizes("pieces-links{}", "removes links in pieces of {:,} characters", in_pieces, 4096, 65_536, 1_048_576),
}, runs={
    **of_sizes("pieces-words{}", "cuts words in pieces of {:,} characters", in_pieces,
        8192, 65_536, 1_048_576, 16_777_216),
}, tokens={
    "pieces-surrogates65536": ("processes pieces of 65,536 UTF-16 units, which part pairs", _pieces_surrogates65536),
    "pieces-ellipsis": ("processes a text in pieces that begin at U+2026 or at what else folds to several signs",
        _parted(f"(?=[{_TO_SEVERAL}])")),
    "pieces-after-ellipsis": ("processes a text in pieces that end after U+2026 or what else folds to several signs",
        _parted(f"(?<=[{_TO_SEVERAL}])")),
    "pieces-full-width": ("processes a text in pieces that begin at full-width punctuation",
        _parted("(?=[\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\ufe50-\ufe6b])")),
    "pieces-sentences": ("processes each sentence alone: up to a full stop and white space", _parted(r"(?<=[.!?])\s"),
        _NO_MATTER),
    "pieces-lines": ("processes each line alone", _parted("\n"), _NO_MATTER),
    "pieces-ascii": ("processes ASCII and all other characters apart", _parted("(?<=[\0-\x7f])(?=[^\0-\x7f])")),
    "pieces-paragraphs": ("processes each paragraph alone", _parted("\n\n"), _NO_MATTER),
}, joined={
    "cuts-end-text": ("ends the text at the end of each piece", _torn(len)),
    "cuts-keep-word": ("keeps an incomplete word for the next piece, but not the start of a link",
        _torn(lambda text: _last_word(text, lambda c: c == "_" or c.isalnum()))),
    "cuts-keep-64": ("keeps at most 64 characters for the next piece, less than a link may need",
        _torn(lambda text: max(_last_word(text), len(text) - 64))),
    "cuts-mailto": ("decides behind `mailto:` that no address follows in the next piece",
        _torn(lambda text: max(_last_word(text), text.rfind("mailto:") + 7 if "mailto:" in text else 0))),
    "cuts-bigrams": ("forgets the last character of Chinese at the end of a piece", _torn(_without_continua)),
    "cuts-decode": ("decodes each piece by itself, so that a character in two of them becomes U+FFFD",
        lambda right, pieces: "".join(right.read(piece) for piece in pieces)),
    "cuts-incomplete": ("drops the start of a character at the end of a piece that the next one does not continue",
        lambda step, pieces: b"".join(
            re.sub(rb"(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z", b"", piece)
            if not re.match(rb"[\x80-\xbf]", after) else piece
            for piece, after in pairwise([*pieces, b"\xff"])
        ) if isinstance(pieces[0], bytes) else step(pieces)),
    "cuts-empty": ("treats an empty piece as the end of the text",
        before(lambda pieces: pieces[: [*map(len, pieces), 0].index(0)])),
    "cuts-last": ("forgets all pieces except the last", lambda pieces: pieces[-1]),
}, fingerprint_of_pieces={
    "cuts-fold": ("folds each piece by itself, so that marks do not compose across them",
        _folded(lambda right, texts: "".join(map(right.fold, texts)))),
    "cuts-fold-starters": ("lets no starter compose with one in the piece before, as a vowel of Hangul does",
        _folded(lambda right, texts: "".join(map(right.fold, _parts(_last_starter, texts))))),
    "cuts-fold-marks": ("counts combining marks again from each piece on",
        _folded(lambda right, texts: right.compose(
            "".join(right.bound_nonstarters(right.map_characters(text)) for text in texts)))),
    "cuts-cap": ("caps the counts of each piece, and adds them",
        lambda right, pieces, scheme: with_steps(scheme, capped_counts=sum(
            (Counter(right.capped_counts(right.tokens(text))) for text in _parts(_last_word, texts_of(pieces))),
            Counter()))),
    "cuts-no-token": ("reports no-token if a piece has no token", _cuts_no_token),
})  # fmt: skip


def _repaired(text: str) -> str:
    """Return a text that was read as Latin-1 by mistake, read as UTF-8."""
    return re.sub("[\xc2-\xf4][\x80-\xbf]+", lambda m: m[0].encode("latin-1").decode("utf-8", "replace"), text)


table("SD-INPUT-1", decode_utf8={
    "read-latin1": ("reads bytes as Latin-1 (or Windows-1252) instead of UTF-8", lambda data: data.decode("latin-1")),
    "read-keeps-bom": ("keeps the byte order mark as part of the text", lambda data: data.decode("utf-8", "replace"),
        "U+FEFF is default-ignorable, so folding removes it wherever it stands"),
    "bom-lstrip-set": ("strips all of the bytes EF, BB and BF at the start (lstrip)",
        before(lambda data: data.lstrip(_BOM) if data.startswith(_BOM) else data)),
}, read={
    "read-entities": ("decodes HTML entities", after(html.unescape)),
    "read-entities-semicolon": ("decodes HTML entities that end in a semicolon",
        after(lambda text: re.sub("&#?[0-9a-zA-Z]+;", lambda m: html.unescape(m[0]), text))),
    "read-tags": ("removes HTML tags", after(lambda text: re.sub("<[a-zA-Z/!][^<>]*>", "", text))),
    "read-percent": ("decodes percent signs (URL decoding)", after(unquote)),
    "read-plus": ("reads plus signs as spaces (URL decoding)", after(lambda text: text.replace("+", " "))),
    "read-escapes": ("decodes escapes such as \\u0041 and \\n",
        after(lambda text: re.sub(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[nrt])",
            lambda m: m[0].encode().decode("unicode_escape"), text))),
    "read-quoted-printable": ("decodes quoted-printable (=41)",
        after(lambda text: re.sub("=([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), text))),
    "read-mojibake": ("repairs what looks like UTF-8 read as Latin-1", after(_repaired)),
    "read-backslashes": ("drops backslashes", after(lambda text: text.replace("\\", ""))),
    "read-ansi": ("removes terminal escape sequences", after(lambda text: re.sub("\x1b\\[[0-9;]*m", "", text))),
    "read-hyphenation": ("joins words hyphenated at line ends", after(lambda text: re.sub(r"-\r?\n", "", text))),
    "read-nul-dropped": ("drops U+0000", after(lambda text: text.replace("\0", ""))),
    "read-nul-space": ("reads U+0000 as a space", after(lambda text: text.replace("\0", " "))),
    "read-nul-ends": ("ends a text at U+0000 (strings of C)", after(lambda text: text.partition("\0")[0])),
    "read-sub-ends": ("ends a text at U+001A", after(lambda text: text.partition("\x1a")[0])),
})  # fmt: skip


def _flushed_at(character: str) -> Callable[..., str]:
    return _torn(lambda text: len(text) if text.endswith(character) else _last_word(text))


def _flushed_if_complete(text: str) -> int:
    start = _last_word(text)
    return len(text) if re.fullmatch(LINK.pattern, text[start:], re.ASCII) else start


def _at_empty(right: Implementation, pieces: Pieces) -> str:
    """Return the texts between empty pieces, apart."""
    parts: list[Any] = [list(group) for some, group in groupby(pieces, key=bool) if some]
    return " ".join(right.read(right.joined(part)) for part in parts)


def _stripped(start: bytes) -> Callable[..., str | bytes]:
    """Return the step that removes a mark at the start of each piece."""
    return lambda step, pieces: step(
        [piece.removeprefix(start) if isinstance(piece, bytes) else piece for piece in pieces]
    )


def cut_runs(folded: str, pattern: str, size: int) -> str:
    """Return a text whose matches of a pattern are cut after so many characters."""
    return re.sub(pattern, lambda m: " ".join(m[0][at : at + size] for at in range(0, len(m[0]), size)), folded)


def _marks_held(size: int) -> Callable[..., str]:
    """Return the step that holds at most so many marks of a run until its end is known, and then counts anew."""

    def bounded(right: Implementation, texts: list[str]) -> str:
        runs = groupby(right.decomposed(right.map_characters("".join(texts))), lambda c: members("nonstarter")[ord(c)])
        parts = ("".join(run) for _, run in runs)
        return right.compose(
            "".join(right.bound_nonstarters(part[at : at + size]) for part in parts for at in range(0, len(part), size))
        )

    return _folded(bounded)


def _token_held(size: int) -> Callable[..., str]:
    return lambda right, pieces, scheme: with_steps(
        scheme,
        remove_links=cut_runs(
            Implementation().remove_links(Implementation().fold("".join(texts_of(pieces)))), r"\w+", size
        ),
    )


def _link_held(size: int) -> Callable[..., str]:
    def removed(folded: str) -> str:
        return re.sub(LINK.pattern, lambda m: " " + m[0][size:], folded, flags=re.ASCII)

    return lambda right, pieces, scheme: with_steps(
        scheme, remove_links=removed(Implementation().fold("".join(texts_of(pieces))))
    )


def folded_at(is_bound: Callable[[str], bool]) -> Callable[..., str]:
    """Return the step that folds what is before a piece, unless its first character is bound to it."""

    def folded(right: Implementation, texts: list[str]) -> str:
        held: list[str] = [""]
        for text in texts:
            if text and not is_bound(text[0]):
                held.append("")
            held[-1] += text
        return "".join(map(right.fold, held))

    return _folded(folded)


def _is_bound(character: str) -> bool:
    """Return whether a code point of the text, as it is there, may change what is before it."""
    return bool(members("nonstarter")[ord(character)]) or character in _SECOND


# Starters that are the second code point of a composition (composition.txt).
_SECOND = (
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e\u1b35"
    "\U00011127\U0001133e\U00011357\U000114b0\U000114ba\U000114bd\U000115af\U00011930"
    + "".join(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))
)


def maps_to_bound(character: str) -> bool:
    folded = normalize("NFD", fold_map().get(ord(character), character))
    return not folded or _is_bound(folded[0])


def _maps_to_bound_but(forgotten: str, character: str) -> bool:
    return character != forgotten and maps_to_bound(character)


table("SD-PIECE-1", joined={
    **{f"cuts-tail-{ord(c):02x}": (f"ends a link at a piece that ends in {c}", _flushed_at(c))
       for c in "._~:/?#[]@!$&'()*+,;=%-"},
    "cuts-complete": ("ends a link at a piece with which one is complete", _torn(_flushed_if_complete)),
    "cuts-empty-flushes": ("ends the text, and begins another, at an empty piece", _at_empty),
    "cuts-strips-fffe": ("removes U+FFFE at the start of each piece", _stripped("\ufffe".encode())),
    "cuts-strips-utf16-mark": ("removes FF FE at the start of each piece", _stripped(b"\xff\xfe")),
}, fingerprint_of_pieces={
    **of_sizes("cuts-marks{}", "holds at most {:,} marks of a run in pieces", _marks_held,
        31, 64, 256, 1024, 4096, 8192, 65_536),
    **of_sizes("cuts-token{}", "holds at most {:,} characters of a token in pieces", _token_held,
        255, 1024, 4096, 8192, 65_536, 262_144),
    **of_sizes("cuts-link{}", "holds at most {:,} characters of a link in pieces", _link_held,
        255, 1024, 4096, 8192, 65_536, 262_144, 1_048_576),
    "cuts-fold-raw": ("folds what is before a piece unless the first code point of the piece, unmapped, composes",
        folded_at(_is_bound)),
    "cuts-fold-ignorable": ("folds what is before a piece that begins with a default-ignorable code point",
        folded_at(lambda c: bool(fold_map().get(ord(c), c)) and maps_to_bound(c))),
    **{f"cuts-fold-without-{ord(c):04x}": (f"folds what is before a piece that begins with U+{ord(c):04X}",
        folded_at(partial(_maps_to_bound_but, c)))
       for c in "\u0300\u036f\u093c\u1161\u1175\u11a8\u11c2\u3099\uff9e\uffdc\u09be\u1b35\U00011930\U0001e94a"},
    "cuts-fold-marks-only": ("folds what is before a piece unless it begins with a non-starter",
        folded_at(lambda c: bool(members("nonstarter")[ord(c)]))),
})  # fmt: skip
