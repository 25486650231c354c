"""Write the pinned Unicode tables of the specification, `spec/data/*.txt`.

    python spec/generate_data.py [--ucd DIR]            write the tables
    python spec/generate_data.py [--ucd DIR] --check    exit 1 if a table would change

DIR contains the files of the Unicode Character Database, version 15.0.0, as
Debian's package `unicode-data` installs them (the default directory).
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

UNICODE_VERSION = "15.0.0"
DATA_DIRECTORY = Path(__file__).parent / "data"
COMMAND = "python spec/generate_data.py"
CODE_POINTS = 0x110000

WORD_CATEGORIES = {"Ll", "Lu", "Lt", "Lo", "Lm", "Mn", "Mc", "Nd", "Pc"}  # SD-RUN-1
CONTINUA_SCRIPTS = {"Han", "Hiragana", "Katakana"}  # SD-SPLIT-1
CONTINUA_EXTRA = 0x30FC  # KATAKANA-HIRAGANA PROLONGED SOUND MARK is Script=Common


class SourceError(Exception):
    """The Unicode Character Database is missing or has another version."""


def read_ucd(path: Path) -> Iterator[tuple[int, int, list[str]]]:
    """Yield (first, last, fields after the code points) of each line of a UCD file."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror}; is unicode-data installed?") from error
    if UNICODE_VERSION not in lines[0]:
        raise SourceError(f"{path} is not from Unicode {UNICODE_VERSION}: its first line is {lines[0]!r}")
    for line in lines:
        fields = [field.strip() for field in line.split("#")[0].split(";")]
        if fields[0]:
            first, _, last = fields[0].partition("..")
            yield int(first, 16), int(last or first, 16), fields[1:]


def property_values(path: Path, default: str) -> list[str]:
    """Return the value of an enumerated property for each code point."""
    values = [default] * CODE_POINTS
    for first, last, (value, *_) in read_ucd(path):
        values[first : last + 1] = [value] * (last - first + 1)
    return values


def value_ranges(values: list[str], wanted: set[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the maximal ranges of code points that share one of the `wanted` values."""
    start = 0
    for code_point in range(1, CODE_POINTS + 1):
        if code_point == CODE_POINTS or values[code_point] != values[start]:
            if values[start] in wanted:
                yield start, code_point - 1, values[start]
            start = code_point


def member_ranges(members: set[int]) -> Iterator[tuple[int, int, str]]:
    values = ["y" if code_point in members else "n" for code_point in range(CODE_POINTS)]
    for first, last, _ in value_ranges(values, {"y"}):
        yield first, last, ""


def format_range(first: int, last: int, value: str) -> str:
    code_points = f"{first:04X}" if first == last else f"{first:04X}..{last:04X}"
    return f"{code_points} ; {value}" if value else code_points


def tables(ucd: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield (file name, description lines, data lines) of each table."""
    categories = property_values(ucd / "extracted/DerivedGeneralCategory.txt", "Cn")
    assigned = set(categories) - {"Cn", "Cs"}
    yield (
        "assigned.txt",
        [
            "Code points with General_Category other than Cn (unassigned) and Cs (surrogates).",
            "Syntax: FIRST or FIRST..LAST.",
        ],
        [format_range(*r) for r in member_ranges({c for c, v in enumerate(categories) if v in assigned})],
    )
    yield (
        "word.txt",
        [
            "Word characters: General_Category Ll Lu Lt Lo Lm Mn Mc Nd Pc.",
            "Syntax: FIRST or FIRST..LAST ; General_Category.",
        ],
        [format_range(*r) for r in value_ranges(categories, WORD_CATEGORIES)],
    )
    alphabetic = {
        code_point
        for first, last, (name, *_) in read_ucd(ucd / "DerivedCoreProperties.txt")
        if name == "Alphabetic"
        for code_point in range(first, last + 1)
    }
    yield (
        "alphabetic.txt",
        ["Code points with the property Alphabetic.", "Syntax: FIRST or FIRST..LAST."],
        [format_range(*r) for r in member_ranges(alphabetic)],
    )
    scripts = property_values(ucd / "Scripts.txt", "Unknown")
    line_break = property_values(ucd / "LineBreak.txt", "XX")
    continua = {c for c in range(CODE_POINTS) if scripts[c] in CONTINUA_SCRIPTS or line_break[c] == "SA"}
    yield (
        "continua.txt",
        [
            "Scriptio continua characters: Script Han, Hiragana or Katakana; Line_Break SA; U+30FC.",
            "Syntax: FIRST or FIRST..LAST.",
        ],
        [format_range(*r) for r in member_ranges(continua | {CONTINUA_EXTRA})],
    )
    classes = property_values(ucd / "extracted/DerivedCombiningClass.txt", "0")
    yield (
        "nonstarter.txt",
        ["Non-starters: Canonical_Combining_Class other than 0.", "Syntax: FIRST or FIRST..LAST."],
        [format_range(*r) for r in member_ranges({c for c, v in enumerate(classes) if v != "0"})],
    )
    mapping = [
        (first, last, fields[1])
        for first, last, fields in read_ucd(ucd / "DerivedNormalizationProps.txt")
        if fields[0] == "NFKC_CF"
    ]
    yield (
        "nfkc_casefold.txt",
        [
            "NFKC_Casefold: code points that do not map to themselves.",
            "Syntax: FIRST or FIRST..LAST ; the code points that each of them maps to, or nothing.",
        ],
        [f"{format_range(first, last, '')} ; {target}".rstrip() for first, last, target in sorted(mapping)],
    )


def canonical_mappings(ucd: Path) -> dict[int, list[int]]:
    """Return the Decomposition_Mapping of each code point that has a canonical one (Hangul syllables have none here).

    Raises:
        SourceError: `UnicodeData.txt`, which does not state its version, is of another one than the other files.
    """
    mappings = {}
    classes = ["0"] * CODE_POINTS
    for line in (ucd / "UnicodeData.txt").read_text(encoding="ascii").splitlines():
        code_point, _, _, combining_class, _, mapping, *_ = line.split(";")
        classes[int(code_point, 16)] = combining_class
        if mapping and not mapping.startswith("<"):
            mappings[int(code_point, 16)] = [int(part, 16) for part in mapping.split()]
    if classes != property_values(ucd / "extracted/DerivedCombiningClass.txt", "0"):
        raise SourceError(f"{ucd / 'UnicodeData.txt'} is not of Unicode {UNICODE_VERSION}")
    return mappings


def full_decomposition(code_point: int, mappings: dict[int, list[int]]) -> list[int]:
    """Return the canonical decomposition of a code point, applied until nothing decomposes further."""
    return [
        part
        for mapped in mappings.get(code_point, [])
        for part in (full_decomposition(mapped, mappings) if mapped in mappings else [mapped])
    ]


def normalization_tables(ucd: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the tables of the appendix on normalization: file name, description lines, data lines."""
    classes = property_values(ucd / "extracted/DerivedCombiningClass.txt", "0")
    yield (
        "combining_class.txt",
        [
            "Canonical_Combining_Class of the code points for which it is not 0.",
            "Syntax: FIRST or FIRST..LAST ; Canonical_Combining_Class, a decimal number.",
        ],
        [format_range(*r) for r in value_ranges(classes, set(classes) - {"0"})],
    )
    mappings = canonical_mappings(ucd)
    yield (
        "decomposition.txt",
        [
            "Full canonical decompositions of code points other than Hangul syllables.",
            "Syntax: CODE_POINT ; the code points of its decomposition, in canonical order.",
        ],
        [
            format_range(c, c, " ".join(f"{part:04X}" for part in full_decomposition(c, mappings)))
            for c in sorted(mappings)
        ],
    )
    excluded = {
        code_point
        for first, last, (name, *_) in read_ucd(ucd / "DerivedNormalizationProps.txt")
        if name == "Full_Composition_Exclusion"
        for code_point in range(first, last + 1)
    }
    yield (
        "composition.txt",
        [
            "Primary composites other than Hangul syllables: the pairs of code points that NFC composes.",
            "Syntax: COMPOSITE ; FIRST SECOND.",
        ],
        [
            format_range(c, c, " ".join(f"{part:04X}" for part in mappings[c]))
            for c in sorted(mappings.keys() - excluded)
        ],
    )


def render(name: str, description: list[str], lines: list[str]) -> bytes:
    header = [
        f"{name} - pinned data of simhash-doc version 1, Unicode {UNICODE_VERSION}",
        f"Made by: {COMMAND}",
        *description,
        f"Lines of data: {len(lines)}",
    ]
    return "".join(f"{line}\n" for line in [*(f"# {line}" for line in header), *lines]).encode()


def build(ucd: Path) -> dict[str, bytes]:
    """Return the content of each generated file, including the list of digests."""
    files = {
        name: render(name, description, lines)
        for name, description, lines in [*tables(ucd), *normalization_tables(ucd)]
    }
    files["schemes.json"] = (DATA_DIRECTORY / "schemes.json").read_bytes()
    digests = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return {**files, "SHA256SUMS": digests.encode()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ucd", type=Path, default=Path("/usr/share/unicode"), metavar="DIR")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    arguments = parser.parse_args()
    try:
        files = build(arguments.ucd)
    except SourceError as error:
        print(f"generate_data: {error}", file=sys.stderr)
        return 2
    stale = []
    for name, content in files.items():
        path = DATA_DIRECTORY / name
        if not path.exists() or path.read_bytes() != content:
            stale.append(name)
            if not arguments.check:
                partial = path.with_suffix(".partial")
                partial.write_bytes(content)
                partial.replace(path)
    if stale:
        print(f"{'out of date' if arguments.check else 'written'}: {', '.join(stale)}")
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
