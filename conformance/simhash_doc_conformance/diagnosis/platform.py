"""Find out what a platform gives an implementation: its Unicode data, its `\\b` and `\\w`, its normalizer, its locale.

A few requests show the cause of many wrong answers that no known bug gives exactly,
because platforms differ in details.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from simhash_doc.unicode_data import REPLACEMENT, fold_map, normalize
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.protocol import Ask
from simhash_doc_conformance.vectors.cases import same_outcome
from simhash_doc_conformance.vectors.requirements import cite

_OPERATIONS = ("tokens", "fold", "buckets", "fingerprint")  # that show a cause, the plainest first
# A letter that each version of Unicode assigned, the newest first. Those after 15.0 are no letters here (SD-UNI-1).
OLDER = {
    "15.0": "\U0001e4d0", "14.0": "\U00012f90", "13.0": "\U00010e80", "12.0": "\U00010fe0", "11.0": "\U00010f30",
    "10.0": "\U00011d00", "9.0": "\U0001e922", "8.0": "\U000108e0", "7.0": "\U00010350",
}  # fmt: skip
NEWER = {"16.0": "\U00010d4e", "15.1": "\U0002ebf0"}


@dataclass(frozen=True, slots=True)
class Probe:
    """A request that shows a cause.

    Attributes:
        cause: what the platform does.
        requirement: what this violates.
        text: the text of the request.
        wrong: an implementation with this cause.
    """

    cause: str
    requirement: str
    text: str
    wrong: Callable[[], Implementation]


# By the mutant that behaves like the platform: what the platform does, and a text that shows it.
_CAUSES = {
    "links-unicode-boundary": ("its \\b is the border of a Unicode word, not of [a-z0-9_]",
    "\u6771http://a.example/b x"),
    "run-platform-word": ("its \\w or isAlpha leaves out marks", "\u0915\u094d\u092f\u093e x"),
    "run-ascii-only": ("its \\w has ASCII alone", "\u0436\u0434 x"),
    "run-bmp-only": ("its classes of characters end at U+FFFF", "a\U00010428 x"),
    "filter-needs-letter": ("its isAlpha is true for letters alone, not for all of Alphabetic", "\u093f x"),
    "marks-stream-safe": ("its normalizer inserts U+034F into long runs of marks", "a" + "\u0316" * 31 + " x"),
    "compose-missing": ("it does not compose: NFC is left out", "e\u0301 x"),
    "compose-decomposes": ("its normalizer gives NFD", "\u00e9 x"),
    "nfc-bmp-only": ("its normalizer ends at U+FFFF", "\U00011131\U00011127 x"),
    "normalization-older": ("its normalizer is older than Unicode 15.0", "\u0627\u0301\U00010efd x"),
    "fold-turkish": ("its case mapping follows the locale (Turkish i)", "TITLE I"),
    "fold-simple": ("its case folding is the simple one, not the full one", "\u00df\ufb03 x"),
    "fold-lower-only": ("it lower-cases in place of case folding", "\u00df \u03c2 \u017f"),
}  # fmt: skip
# NFC of each is the string itself, and some platform fails each.
_KEPT_BY_NFC = ("\U00010041\u0301", "a\u09be\u0316\u0301", "\u1172" * 40, "\u09be" * 40)


class _Older(Implementation):
    letter = ""

    def map_characters(self, text: str) -> str:
        return super().map_characters(text).replace(self.letter, REPLACEMENT)


class _Newer(Implementation):
    letter = ""

    def map_characters(self, text: str) -> str:
        return "".join(c if c == self.letter else c.translate(fold_map()) for c in text)

    def is_word(self, character: str) -> bool:
        return character == self.letter or super().is_word(character)

    def is_token(self, trimmed: str) -> bool:
        return self.letter in trimmed or super().is_token(trimmed)


class _NewerHan(_Newer):
    def is_continua(self, character: str) -> bool:
        return character == self.letter or super().is_continua(character)


def platform_findings(ask: Ask) -> list[str]:
    """Return a line for each cause that a request shows.

    Args:
        ask: sends a request to the implementation.
    """
    found = [_line(probe.cause, probe.requirement) for probe in _probes() if _shows(probe, ask)]
    return [*_of_versions(ask), *found, *_of_normalizer(ask)]


def _line(cause: str, requirement: str) -> str:
    return f"The platform: {cause}; see {cite(requirement)}"


def _probes() -> Iterator[Probe]:
    for name, (cause, text) in _CAUSES.items():
        yield Probe(cause, mutants()[name].requirement, text, mutants()[name].implementation)


def _with_letter(base: type[_Older] | type[_Newer], letter: str) -> Callable[[], Implementation]:
    return type("platform", (base,), {"letter": letter})


def _of_versions(ask: Ask) -> Iterator[str]:
    """Yield a line if the Unicode data of the platform are older or newer than 15.0."""
    requirement = "SD-UNI-1"
    for version, letter in NEWER.items():
        base = _NewerHan if letter == NEWER["15.1"] else _Newer
        if _shows(Probe("", requirement, f"x{letter}y", _with_letter(base, letter)), ask):
            yield _line(f"its Unicode data are of version {version} or later, not of 15.0", requirement)
            return
    missing = [
        v
        for v, letter in OLDER.items()
        if _shows(Probe("", requirement, f"x{letter}y", _with_letter(_Older, letter)), ask)
    ]
    if missing:
        yield _line(f"its Unicode data are of a version before {missing[-1]}, not of 15.0", requirement)


def _of_normalizer(ask: Ask) -> Iterator[str]:
    wrong = [
        text
        for text in _KEPT_BY_NFC
        if (given := ask({"op": "fold", "text": text}).get("result", text)) != text and given
    ]
    if wrong:
        codes = " ".join(f"U+{ord(c):04X}" for c in wrong[0][:4])
        more = f" ({len(wrong[0])} times)" if len(set(wrong[0])) == 1 else ""
        assert normalize("NFC", wrong[0]) == wrong[0]
        shown = codes.split()[0] if more else codes
        yield _line(f"its NFC changes {shown}{more}, which is NFC already", "SD-FOLD-5")


def _shows(probe: Probe, ask: Ask) -> bool:
    """Return True if the implementation answers like the platform that a probe looks for."""
    wrong, right = Adapter(probe.wrong()), Adapter(Implementation())
    for op in _OPERATIONS:
        request: dict[str, Any] = {"op": op, "text": probe.text, "scheme": "sd64"}
        expected: Mapping[str, Any] = wrong.answer(request)
        if same_outcome(op, right.answer(request), expected):
            continue
        answer = ask(request)
        if "unsupported" not in answer:
            return same_outcome(op, expected, answer)
    return False
