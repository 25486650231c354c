"""Collections of which it is known what may be left out: records made from a seed, licences, and copyright files.

The records are bills, forms, surveys and letters of one sender. Their words are made from syllables. Some records come
twice, changed as on a second print.

A licence is published under a key, and a licence rule with the licences that it means: both are judgements of people,
in the wheel `licensedcode-data` of the package registry. The copyright files are those of the Debian packages of the
machine. So another machine gives other figures: `Collection.about` lists the packages.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

SEED = 61
BILLS, FORMS, LETTERS = (720, 126), (600, 117), (600, 120)  # records, and how many come twice
DEBIAN, DEBIAN_VERSION = Path("/usr/share/doc"), Path("/etc/debian_version")
_NOTICE = re.compile(
    r"^\W*(?:(?:files:.*)?copyright\b|©|\(c\)|(?:19|20)\d\d\b).*(?:19|20)\d\d.*|^license:.*", re.I | re.M
)


@dataclass(frozen=True, slots=True)
class Collection:
    """Texts, and what is known of them.

    Attributes:
        texts: in the order in which programs get them.
        wrong: whether it is wrong to leave out a text for a text that is kept, by their positions.
        planted: how many texts may be left out; None if nobody knows.
        about: where the texts come from.
    """

    texts: list[str]
    wrong: Callable[[int, int], bool]
    planted: int | None = None
    about: dict[str, object] = field(default_factory=dict)


class _Words:
    def __init__(self, seed: object) -> None:
        self.choose = random.Random(f"{SEED} {seed}")
        syllables = [consonant + vowel for consonant in "bcdfghklmnprstvw" for vowel in "aeiou"]
        self._known = sorted({"".join(self.choose.choices(syllables, k=2 + at % 3)) for at in range(6000)})

    def __call__(self, count: int) -> str:
        return " ".join(self.choose.choices(self._known, k=count))


def _twice(
    words: _Words, count: int, record: Callable[[int], str], again: Callable[[str], str], copies: int
) -> Collection:
    """Return records in a random order, of which some come twice: it is wrong to leave out one for another record."""
    made = [(record(number), number) for number in range(count)]
    made += [(again(text), number) for text, number in words.choose.sample(made, copies)]
    words.choose.shuffle(made)
    origins = [number for _, number in made]
    return Collection([text for text, _ in made], lambda left, kept: origins[left] != origins[kept], copies)


def _printed_again(words: _Words) -> Callable[[str], str]:
    return lambda text: words.choose.choice([text.upper(), f"{text} copy", f"Page 1 of 2 {text}"])


def bills() -> Collection:
    """Return bills of one company. All have a number, a day and an amount, and 80 paragraphs of terms with numbers."""
    words = _Words("bills")
    head, terms = words(30), " ".join(f"{at}. {words(12)} {words.choose.randint(2, 99)}" for at in range(1, 81))

    def bill(number: int) -> str:
        day, month, cents = number % 28 + 1, number % 12 + 1, words.choose.randrange(100, 99_999)
        return f"{head} no {1000 + number} of {day}.{month}.2026 total {cents // 100}.{cents % 100:02} {terms}"

    return _twice(words, BILLS[0], bill, _printed_again(words), BILLS[1])


def forms() -> Collection:
    """Return forms with 24 fields. Each field holds a number up to 9."""
    return _filled_in(24, range(10))


def surveys() -> Collection:
    """Return surveys with 20 questions. Each answer is a number from 1 to 5."""
    return _filled_in(20, range(1, 6))


def _filled_in(fields: int, values: range) -> Collection:
    words = _Words(f"{fields} fields")
    labels = [words(4) for _ in range(fields)]

    def form(number: int) -> str:
        return " ".join(f"{label} {words.choose.choice(values)}" for label in labels)

    return _twice(words, FORMS[0], form, _printed_again(words), FORMS[1])


def letters() -> Collection:
    """Return letters of 60 words: five of them are the name and the address of the recipient, and none is a number.

    One word of a letter that comes twice is replaced, as by a correction.
    """
    words = _Words("letters")
    names, streets, towns = words(700).split(), words(300).split(), words(100).split()
    opening, body = words(9), words(46)

    def letter(number: int) -> str:
        first, last, street, town = map(words.choose.choice, (names, names, streets, towns))
        return f"{first} {last} {street} {town} {opening} {last} {body}"

    def corrected(text: str) -> str:
        found = text.split()
        found[words.choose.randrange(14, 60)] = words(1)
        return " ".join(found)

    return _twice(words, LETTERS[0], letter, corrected, LETTERS[1])


def licences() -> Collection:
    """Return licences that are not out of use. Each has a key of its own, so leaving out any of them is wrong."""
    found = [text for about, text in _published("licenses", "*.LICENSE") if "\nis_deprecated: yes" not in about]
    return Collection(found, lambda left, kept: True, 0)


def licence_rules() -> Collection:
    """Return texts by which files name their licence. It is wrong to leave out one for a text with other licences."""
    found, meant = [], []
    for about, text in _published("rules", "*.RULE"):
        found.append(text)
        meant.append(re.search(r"^license_expression: *(.*)$", about, re.M))
    expressions = [one and one[1] for one in meant]
    return Collection(found, lambda left, kept: expressions[left] != expressions[kept])


def _published(folder: str, pattern: str) -> Iterator[tuple[str, str]]:
    """Yield what the wheel says of each text, and the text, in the order of the names of their files."""
    package = find_spec("licensedcode")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("the licences are missing: pip install licensedcode-data")
    for path in sorted(Path(package.submodule_search_locations[0], "data", folder).glob(pattern)):
        _, about, text = re.split(
            r"^---[ ]*(?:\n|\Z)", path.read_text(encoding="utf-8"), maxsplit=2, flags=re.MULTILINE
        )
        if text.strip():
            yield about, text.strip()


def copyright_files() -> Collection:
    """Return the copyright files of the packages.

    It is wrong to leave out a file if the kept one lacks one of its notices: a line with a year that begins with
    "Copyright", "©" or the year; or a line "License:" that names a licence. Case, punctuation and spaces do not count.
    """
    paths = sorted(DEBIAN.glob("*/copyright"))
    contents = [path.read_bytes() for path in paths]
    found = [content.decode("utf-8", "replace") for content in contents]
    notices = [frozenset(_folded(notice) for notice in _NOTICE.findall(text)) for text in found]
    digests = (hashlib.sha256(content).hexdigest()[:12] for content in contents)
    packages = {path.parent.name: digest for path, digest in zip(paths, digests, strict=True)}
    return Collection(
        found,
        lambda left, kept: not notices[left] <= notices[kept],
        about={"debian": DEBIAN_VERSION.read_text(encoding="utf-8").strip(), "packages": packages},
    )


def _folded(line: str) -> str:
    return " ".join(re.findall(r"\w+", line.lower()))


COLLECTIONS: dict[str, Callable[[], Collection]] = {
    "bills": bills,
    "forms": forms,
    "surveys": surveys,
    "letters": letters,
    "copyright files": copyright_files,
    "licences": licences,
    "licence rules": licence_rules,
}
