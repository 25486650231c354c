"""Mutants that no input can tell from the reference: rules that prove it for tables, and arguments for the others."""

from __future__ import annotations

import re
from functools import cache

from mutation import appendix_c
from mutation.mutant import Mutant
from mutation.tables import SETS, TableMutant, mappings
from simhash_doc.reference import Reference
from simhash_doc.unicode_data import REPLACEMENT, members

_NOT_FOLDED = "no folded text has the code points: each folds to something else"
_NOT_MAPPED = "no mapped text has the code points: each has a mapping in nfkc_casefold.txt and is the target of none"
_NOT_DECOMPOSED = "no decomposed text has the code points"
_SAME_NFD = "the mappings before and after have the same canonical decomposition, and the text is decomposed next"
_HAS_MAPPING = "nfkc_casefold.txt has a mapping of the code points, which comes first, or they are surrogates"
_NOT_WORD = "only word characters are looked up in the table, and these code points are not word characters"
_REPLACED = "U+FFFD, where it is not assigned, is replaced by itself"
_COMPOSED_AGAIN = "the decomposition consists of starters that are composed again, whatever surrounds them"
_SAME_ORDER = "no other mark has a class between the old and the new one, so each order of marks stays the same"


def argument(mutant: Mutant) -> str | None:
    """Return why no input can tell a mutant from the reference; None if that is not known."""
    if isinstance(mutant, TableMutant):
        return _table_argument(mutant)
    return next((reason for pattern, reason in ARGUMENTS if re.search(pattern, mutant.name)), None)


def _table_argument(mutant: TableMutant) -> str | None:
    code_points = set(mutant.code_points)
    if mutant.table == "assigned":
        left = relevant_code_points(mutant)
        return _REPLACED if left == {ord(REPLACEMENT)} else None if left else _HAS_MAPPING
    if mutant.table == "nfkc_casefold":
        return _SAME_NFD if all(_same_nfd(c, mutant.value) for c in code_points) else None
    if mutant.table == "decomposition":
        if not relevant_code_points(mutant):
            return _NOT_MAPPED
        return _COMPOSED_AGAIN if mutant.value is None and _is_composed_again(*code_points) else None
    if mutant.table in ("nonstarter", "combining_class"):
        if not code_points & decomposed_code_points():
            return _NOT_DECOMPOSED
        return _class_argument(mutant) if mutant.table == "combining_class" else None
    if mutant.table == "composition":
        parts = {part for c in code_points for part in appendix_c.nfd(chr(c))}
        return None if parts <= decomposed_code_points() else _NOT_DECOMPOSED
    if not code_points & folded_code_points():
        return _NOT_FOLDED
    return None if relevant_code_points(mutant) else _NOT_WORD


def relevant_code_points(mutant: TableMutant) -> set[int]:
    """Return those of a mutant's code points that some text has where the table is used."""
    code_points = set(mutant.code_points)
    if mutant.table == "assigned":
        return {c for c in code_points if c not in mappings() and not 0xD800 <= c <= 0xDFFF}
    if mutant.table == "decomposition":
        return code_points & mapped_code_points()
    if mutant.table in ("nonstarter", "combining_class"):
        return code_points & decomposed_code_points()
    if mutant.table == "word":
        return code_points & folded_code_points()
    if mutant.table in (*SETS, "connectors"):
        return {c for c in code_points & folded_code_points() if members("word")[c]}
    return code_points


def _is_composed_again(code_point: int) -> bool:
    parts = appendix_c.decompositions()[code_point]
    starters = not any(part in appendix_c.combining_classes() for part in parts)
    second = any(pair[1] == parts[0] for pair in appendix_c.compositions())
    return starters and not second and appendix_c.nfc(chr(code_point)) == chr(code_point)


def _same_nfd(code_point: int, value: str | None) -> bool:
    kept = chr(code_point) if members("assigned")[code_point] else REPLACEMENT
    return _nfd(kept if value is None else value) == _nfd(mappings()[code_point])


def _nfd(text: str) -> list[int]:
    return [code_point for character in text for code_point in appendix_c.nfd(character)]


def _class_argument(mutant: TableMutant) -> str | None:
    classes = appendix_c.combining_classes()
    old, moved = classes.get(mutant.code_points[0], 0), set(mutant.code_points)
    new = mutant.value or 0
    if 0 in (old, new) or abs(old - new) != 1:
        return None
    rest = decomposed_code_points() - moved
    return None if any(classes.get(c) in (old, new) for c in rest) else _SAME_ORDER


@cache
def mapped_code_points() -> frozenset[int]:
    """Return the code points of texts after SD-FOLD-1 and SD-FOLD-2."""
    kept = {c for c in range(0x110000) if members("assigned")[c] and c not in mappings()}
    return frozenset(kept | {ord(character) for target in mappings().values() for character in target} | {0xFFFD})


@cache
def decomposed_code_points() -> frozenset[int]:
    """Return the code points of texts after SD-FOLD-3."""
    return frozenset(part for c in mapped_code_points() for part in appendix_c.decompose(c))


@cache
def folded_code_points() -> frozenset[int]:
    """Return the code points of folded texts: those that fold to themselves, for folding again changes nothing."""
    scalars = (c for c in mapped_code_points() if not 0xD800 <= c <= 0xDFFF)
    fold = Reference().fold
    return frozenset(c for c in scalars if fold(chr(c)) == chr(c)) | {
        c for c in appendix_c.compositions().values() if fold(chr(c)) == chr(c)
    }


_NO_OVERLAP = "what follows begins with a character outside the class, so there is one number of repetitions that fits"
_DEFAULT = "the default of an argument that every operation passes"
_EXCLUSIVE = "no text has a link of both forms at one place with different ends"

# Arguments for mutants of code and of links, by a regular expression on the name.
ARGUMENTS: list[tuple[str, str]] = [
    (r"^links\.(url|www|mail|doi|digest): `\{\d+,\d+\}` -> `\{\d+,\d+\}\?` at (1|2|4|5|8|10|12|15)$", _NO_OVERLAP),
    (r"^links\.mail: `\?` -> `\?\?` at 9", "the local part has no colon, so only one of the two ways matches"),
    (r"^links\.doi: `\+` -> `\*`", "the text that is removed in addition has digits only, which are not a token"),
    (r"^links: (url and (named|www|doi)|named and (www|doi)|mail and doi) swapped", _EXCLUSIVE),
    (r"^links: (doi and (uuid|digest)|uuid and digest) swapped", _EXCLUSIVE),
    (r"^links: capitals match", "folded text has no capitals"),
    (r"^reference\.decode_utf8: .*removeprefix|^reference\.decode_utf8: .*replace'\)`$",
     "folding maps U+FEFF to nothing, whether it was removed before or not"),
    (r"^reference\.(read|scalar_values): ", "folding maps surrogates, which are not assigned, to U+FFFD as well"),
    (r"decode\('UTF-8'|encode\('UTF-8'|encoding='UTF-8'|read_text\(\)", "another name of the same encoding"),
    (r"^\S+: `def ", _DEFAULT),
    (r"^adapter\._encode: .*canonical', False", _DEFAULT),
    (r"^(adapter|implementation)\..*(differing_bits|parse_all)", "the distance is symmetric"),
    (r": statement swapped: ", "the statements do not depend on each other, or raise the same error in either order"),
    (r"groupby\(|is_word: |is_continua: ", "0 and 1 in place of false and true"),
    (r"^reference\.link_forms: ", "a copy of a mapping that nothing changes"),
    (r"(max|min)\(", "the arguments of a minimum or maximum in another order"),
    (r"^reference\.to_bytes: .*to_bytes\(8", "64 // 8 is 8"),
    (r"'\?x'", "no digit of base32 is one of the characters"),
    (r"value << 5 \^ digit", "the lowest five bits are 0, so that | and ^ are the same"),
    (r"^adapter\._find_all: ", "the operation itself parses all entries and compares each pair, with the same errors"),
    (r"^fingerprint\.parse: .*(isinstance\(text, str\)|raise TypeError)", "every text form of a request is a string"),
    (r"^reference\.decode: `position = ", "the position is only shown in the message of the error"),
    (r"^fingerprint\.__post_init__: ", "all callers give a value of the right width"),
    (r"^fingerprint\._scheme_by_length: .*(lengths|raise)",
     "`reference.decode` before it raises an error for each text of another length, so the statement is not reached"),
    (r"^schemes\.lanes: .*6[35]`|^schemes\.lanes: .*// 63", "the quotient is the same for all registered widths"),
    (r"^schemes\.get_schemes: ", "no scheme of the registry is reserved"),
    (r"^appendix_a\..*\^ x >>", "the numbers have no bit in common, so that | and ^ are the same"),
    (r"^appendix_a\.", "the bits that differ are above the lowest 64, and only those are used later"),
    (r"^appendix_c\.compose: .* <= S_COUNT and", "U+D7A4 is not assigned, so no folded text has it"),
    (r"^appendix_c\.compose: .*-> `if -1 <= first", "the remainder of -1 is 27, not 0"),
    (r"^appendix_c\.nfc: .*`last_class = (0|1|-1)`$", "the class is assigned again before it is used"),
    (r"^appendix_c\.nfc: .*- 1 != starter", "the index of the starter is never above the last one"),
    (r"^appendix_c\.nfc: .*-> `if not blocked`", "without a starter, `blocked` is true"),
    (r"^schemes the widest first", "the numbers of digits of the schemes differ, so their order means nothing"),
    (r"^appendix_c\.decompose: ", "each syllable is composed again from its decomposition"),
]  # fmt: skip
