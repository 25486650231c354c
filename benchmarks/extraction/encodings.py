"""Compare our guess of the encoding of texts with that of other programs.

    python -m benchmarks.extraction.encodings FOLDER [--seed N] [-o FILE]

Reads the real documents of the shared corpus (MANIFEST.jsonl) in FOLDER. It writes parts of them, of 150 and of 1,500
characters, in every encoding of their language that can write them: as they are, in capitals, and with a capital at the
start of each word. A guess is right if it gives exactly the text.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.measuring import parser_of
from benchmarks.results import rendered

LENGTHS = (150, 1500)
CASES: dict[str, Callable[[str], str]] = {"as written": str, "capitals": str.upper, "titles": str.title}
LANGUAGES = {
    "cp1250": "cs sk pl hu ro hr sl sq bs sr", "iso8859-2": "cs sk pl hu ro hr sl bs", "cp1251": "ru uk be bg sr mk",
    "iso8859-5": "ru be bg sr mk", "koi8-r": "ru", "koi8-u": "uk", "cp866": "ru be", "mac-cyrillic": "ru uk bg",
    "cp1252": "en de fr es it pt nl da sv fi nb no nn is ca", "iso8859-15": "fr fi", "mac-roman": "en de fr es it pt",
    "cp1253": "el", "iso8859-7": "el", "cp1254": "tr", "iso8859-9": "tr", "cp1255": "he", "iso8859-8": "he",
    "cp1256": "ar fa ur", "iso8859-6": "ar", "cp1257": "lt lv et", "iso8859-13": "lt lv", "iso8859-4": "lt lv et",
    "cp874": "th", "gb18030": "zh", "big5": "zh", "euc-jp": "ja", "shift_jis": "ja", "euc-kr": "ko",
    "iso8859-10": "is fi", "iso8859-14": "cy ga", "iso8859-16": "ro",
}  # fmt: skip
_MOST_TEXTS = 6  # of a language and an encoding
_PLAIN = str.maketrans({"—": "-", "–": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "…": "..."})


class Sample(NamedTuple):
    encoding: str
    case: str
    length: int
    text: str
    data: bytes


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=1, help="chooses the texts and their parts (default: 1)")
    parser.add_argument("-o", "--output", type=Path, help="write the figures to FILE as JSON")
    options = parser.parse_args()
    some = list(samples(options.folder, options.seed))
    found = shares(some, list(GUESSES))
    for key, row in found.items():
        count = row.pop("samples")
        print(f"{key:<20} {count:>6}", *(f"{name} {share:.3f}" for name, share in row.items()))
    if options.output:
        written = {"samples": len(some), "seed": options.seed, "right": found}
        options.output.write_text(rendered(written) + "\n", encoding="utf-8")


def shares(some: Sequence[Sample], names: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return, by kind of sample, how many there are, and which share each of some guesses gets right."""
    right: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for sample in some:
        for name in names:
            is_right = sample.data.decode(GUESSES[name](sample.data), "replace") == sample.text
            for key in ("all", sample.case, f"{sample.length:,} characters", sample.encoding):
                right[key][name].append(is_right)
    return {
        key: {"samples": len(row[names[0]]), **{name: round(sum(row[name]) / len(row[name]), 3) for name in names}}
        for key, row in right.items()
    }


def _ours(data: bytes) -> str:
    from simhash_doc_extraction.encoding import _codec
    from simhash_doc_extraction.guess import guess

    return guess(data, _codec)


def _resiliparse(data: bytes) -> str:
    from resiliparse.parse.encoding import detect_encoding

    from simhash_doc_extraction.encoding import _codec

    return _codec(detect_encoding(data, html5_compatible=False) or "cp1252") or "cp1252"


def _charset_normalizer(data: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    return best.encoding if best else "cp1252"


GUESSES = {"ours": _ours, "resiliparse": _resiliparse, "charset-normalizer": _charset_normalizer}


def samples(folder: Path, seed: int) -> Iterator[Sample]:
    chosen = random.Random(seed)
    manifest = next(folder.rglob("MANIFEST.jsonl"))
    texts: dict[str, list[Path]] = defaultdict(list)
    for line in manifest.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("path"):
            texts[row["lang"].split("-")[0]].append(manifest.parent / row["path"])
    for encoding, languages in LANGUAGES.items():
        for language in languages.split():
            paths = texts[language]
            for path in chosen.sample(paths, min(len(paths), _MOST_TEXTS)):
                yield from _parts(path.read_text(encoding="utf-8"), encoding, chosen)


def _parts(text: str, encoding: str, chosen: random.Random) -> Iterator[Sample]:
    for length in LENGTHS:
        if len(text) < length:
            continue
        start = chosen.randrange(len(text) - length + 1)
        part = text[start : start + length].partition(" ")[2]
        for case, change in CASES.items():
            changed = change(part)
            if not _can_write(changed, encoding):
                changed = changed.translate(_PLAIN)
            if _can_write(changed, encoding):
                data = changed.encode(encoding)
                if sum(byte > 0x7F for byte in data) > 2:
                    yield Sample(encoding, case, length, changed, data)


def _can_write(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


if __name__ == "__main__":
    main()
