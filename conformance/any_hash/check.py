"""Check any similarity hash of texts, which need not follow the specification.

    python conformance/any_hash/check.py [--json] COMMAND [ARG]...

COMMAND is an adapter: README.md beside this file says what it answers. A hash is an opaque string. What is checked is
what a user of near-duplicate search relies on: different texts do not share a hash, equal texts do, and a small edit
moves a text less than half as far as unrelated texts are apart. Exit status: 0 every requirement holds; 1 one fails, or
the adapter does; 2 usage error.
"""

from __future__ import annotations

import argparse
import json
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import combinations, product
from math import inf
from pathlib import Path
from typing import Any

from simhash_doc import SPEC_VERSION
from simhash_doc_conformance.errors import CannotStartError, NotUnderstoodError, PeerError
from simhash_doc_conformance.formatting import json_text, printable
from simhash_doc_conformance.protocol import TIMEOUT, shown
from simhash_doc_conformance.running.session import CommandTarget, Session, Target

REQUIREMENT, PROPERTY = "requirement", "property"
_LISTED = 4  # examples of a finding
_QUOTED = 40  # characters of a text or hash in an example
_MOST_BROKEN = 3  # texts without an answer, after which a run ends

_TEXTS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
TOKEN_LESS: list[str] = _TEXTS["token_less"]  # without a word in them
SHORT: list[str] = _TEXTS["short"]  # shorter than the windows and shingles that are in use
SENTENCES: dict[str, list[str]] = _TEXTS["sentences"]
VIETNAMESE: str = _TEXTS["vietnamese"]
PARAGRAPHS: dict[str, list[str]] = _TEXTS["paragraphs"]  # unrelated texts of each language
# A word of each first paragraph, and the one that replaces it; then a word that is put before the paragraph.
EDITS: dict[str, dict[str, str]] = _TEXTS["edits"]
_FULL_WIDTH = {ord(" "): "\u3000", **{code: chr(code + 0xFEE0) for code in range(0x21, 0x7F)}}


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check.

    Attributes:
        check: its name.
        kind: a requirement may fail; a property is observed.
        status: ``passed``, ``failed`` or ``observed``.
        observed: what was seen, in words.
        examples: inputs that show it, the shortest first.
    """

    check: str
    kind: str
    status: str
    observed: str
    examples: tuple[str, ...] = ()


class _Hashes:
    """The hashes of texts and their distances, each requested once.

    Attributes:
        by_text: each text's hash, or None if the implementation refuses it.
        broken: what happened to texts for which the process failed.
        between: returns the distance of two hashes.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.offers_distance = "distance" in session.handshake.operations
        self.between = cache(partial(_ask_distance, session) if self.offers_distance else _bits)
        self.by_text: dict[str, str | None] = {}
        self.broken: dict[str, str] = {}

    def hash(self, text: str) -> str | None:
        """Return the hash of a text, or None if the implementation refuses it."""
        if text not in self.by_text:
            try:
                self.by_text[text] = ask_hash(self._session, text)
            except PeerError as failure:
                self.by_text[text] = None
                self.broken[text] = str(failure)
                if len(self.broken) > _MOST_BROKEN:
                    raise
        return self.by_text[text]

    def of(self, texts: Iterable[str]) -> list[str]:
        """Return the texts that have a hash."""
        return [text for text in texts if self.hash(text) is not None]

    def distance(self, text: str, other: str) -> float | None:
        """Return the distance of two texts, or None if one has no hash."""
        a, b = self.hash(text), self.hash(other)
        return None if a is None or b is None else self.between(a, b)

    def unrelated(self, language: str) -> float:
        """Return the mean distance between the paragraphs of a language; 0 if they have no hash."""
        found = [self.distance(a, b) for a, b in combinations(self.of(PARAGRAPHS[language]), 2)]
        return sum(distance or 0 for distance in found) / len(found) if found else 0


def ask_hash(session: Session, text: str) -> str | None:
    """Return the hash of a text, or None if the implementation refuses it with an error.

    Raises:
        PeerError: the process failed, or its answer has neither.
    """
    answer = session.exchange({"op": "hash", "text": text})
    if "error" in answer:
        return None
    if not isinstance(answer.get("result"), str):
        raise PeerError("garbage", f"the answer to hash must have a string as result, not {shown(answer)}")
    return str(answer["result"])


def _ask_distance(session: Session, a: str, b: str) -> float:
    answer = session.exchange({"op": "distance", "a": a, "b": b})
    if type(result := answer.get("result")) not in (int, float):
        raise PeerError("garbage", f"the answer to distance must have a number as result, not {shown(answer)}")
    return result  # type: ignore[return-value]


def _bits(a: str, b: str) -> float:
    """Return the number of different bits of two hashes in hexadecimal."""
    try:
        if len(a) == len(b):
            return (int(a, 16) ^ int(b, 16)).bit_count()
    except ValueError:
        pass
    raise PeerError(
        "garbage", f"without the operation distance, hashes must be equally long hex, not {shown(a)} and {shown(b)}"
    )


def check(target: Target, timeout: float) -> dict[str, Any]:
    """Run all checks and return the report.

    Args:
        target: what starts processes of the implementation.
        timeout: seconds for each answer.

    Returns:
        A dictionary for JSON: the implementation, the findings, and whether all requirements hold.

    Raises:
        CannotStartError: the command does not exist.
        PeerError: the process failed in the handshake, for more than a few texts, or in `distance`.
        NotUnderstoodError: it does not declare the operation `hash`.
    """
    with _session(target, timeout) as session:
        hashes = _Hashes(session)
        findings = [*_requirements(hashes), *_properties(hashes)]
        texts = [*reversed(hashes.by_text)]  # in another order, so that state shows
        again = {text: hashes.by_text[text] for text in texts}
        for text in texts:
            if text not in hashes.broken:
                again[text] = ask_hash(session, text)
        handshake = session.handshake
    with _session(target, timeout) as session:
        other = {text: hashes.by_text[text] if text in hashes.broken else ask_hash(session, text) for text in texts}
    findings = [_answers(hashes), *findings[:1], _determinism(hashes.by_text, again, other), *findings[1:]]
    return {
        "implementation": {name: getattr(handshake, name) for name in ("name", "version", "language")},
        "distance": "of the implementation" if hashes.offers_distance else "differing bits of hexadecimal hashes",
        "texts": len(texts),
        "findings": [asdict(finding) for finding in findings],
        "ok": all(finding.status != "failed" for finding in findings),
    }


@contextmanager
def _session(target: Target, timeout: float) -> Iterator[Session]:
    with Session(target, timeout, SPEC_VERSION) as session:
        yield session
        session.close()


def _requirements(hashes: _Hashes) -> Iterator[Finding]:
    yield _distance_is_one(hashes)
    yield _no_constant(hashes)
    yield _different("short texts differ", hashes, SHORT)
    yield _different("texts of other alphabets differ", hashes, [text for pair in SENTENCES.values() for text in pair])
    unspaced = [paragraph for language in ("Chinese", "Japanese", "Thai") for paragraph in PARAGRAPHS[language]]
    yield _different("texts of unspaced scripts differ", hashes, [*map(_first_sentence, unspaced), *unspaced])
    yield from (_stability(hashes, language) for language in PARAGRAPHS)


def _answers(hashes: _Hashes) -> Finding:
    refused = [p for paragraphs in PARAGRAPHS.values() for p in paragraphs if hashes.by_text[p] is None]
    bad = dict.fromkeys(refused, "refused, although it is a paragraph") | hashes.broken
    observed = f"{len(bad)} of {len(hashes.by_text)} texts without an answer" if bad else "every paragraph has a hash"
    short = [text for text in hashes.by_text if hashes.by_text[text] is None and text not in bad]
    observed += f"; refuses {len(short)} shorter ones" if short else ""
    return _requirement("every text has an answer", observed, [f"{_quoted(t)}: {reason}" for t, reason in bad.items()])


def _determinism(first: Mapping[str, object], again: Mapping[str, object], other: Mapping[str, object]) -> Finding:
    here = [text for text in first if first[text] != again[text]]
    elsewhere = [text for text in first if first[text] != other[text] and text not in here]
    observed = "the same hashes twice, and in a second process"
    if here or elsewhere:
        observed = f"{len(here)} texts have another hash when asked again, {len(elsewhere)} others in a second process"
    return _requirement("equal texts have equal hashes", observed, map(_quoted, sorted((*here, *elsewhere), key=len)))


def _distance_is_one(hashes: _Hashes) -> Finding:
    texts = hashes.of(
        [*(p for paragraphs in PARAGRAPHS.values() for p in paragraphs[:2]), *SHORT[-8:], *TOKEN_LESS[:2]]
    )
    greatest, bad = 0.0, []
    for a, b in product(texts, repeat=2):
        there, back = hashes.distance(a, b) or 0, hashes.distance(b, a) or 0
        greatest = max(greatest, there)
        pair = f"{_quoted(a)} and {_quoted(b)}"
        if not 0 <= there < inf:
            bad.append(f"{pair}: {there:g}")
        elif there != back:
            bad.append(f"{pair}: {there:g}, the other way {back:g}")
        elif there and hashes.hash(a) == hashes.hash(b):
            bad.append(f"{pair}: {there:g}, although the hashes are equal")
    what = f"{len(bad)} of {len(texts) ** 2} distances are wrong" if bad else f"from 0 to {greatest:.3g}"
    return _requirement("the distance is symmetric, at least 0, and 0 for equal hashes", what, bad)


def _no_constant(hashes: _Hashes) -> Finding:
    real = hashes.of([*SHORT, *(p for texts in (*SENTENCES.values(), *PARAGRAPHS.values()) for p in texts), VIETNAMESE])
    empty = hashes.of(TOKEN_LESS)
    pairs = sorted(((text, e) for text in real for e in empty if not hashes.distance(text, e)), key=_length)
    equal = len({text for text, _ in pairs})
    observed = f"{equal} of {len(real)} texts are equal to a text without a word" if pairs else "none is equal"
    return _requirement("no text is equal to an empty one", observed, _pairs(hashes, pairs))


def _different(name: str, hashes: _Hashes, texts: Sequence[str]) -> Finding:
    there = hashes.of(texts)
    pairs = sorted((pair for pair in combinations(there, 2) if not hashes.distance(*pair)), key=_length)
    merged = {text for pair in pairs for text in pair}
    observed = f"{len(merged)} of {len(there)} are equal to another" if pairs else f"all {len(there)} differ"
    observed += f"; {len(texts) - len(there)} refused" if len(there) < len(texts) else ""
    return _requirement(name, observed, _pairs(hashes, pairs))


def _pairs(hashes: _Hashes, pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield pairs of equal texts for people, without a text that was shown."""
    seen: set[str] = set()
    for a, b in pairs:
        if not seen & {a, b}:
            seen |= {text for text in (a, b) if text}
            yield f"{_quoted(a)} and {_quoted(b)}: {_brief(hashes.hash(a))}"


def _stability(hashes: _Hashes, language: str) -> Finding:
    old, new, before = (EDITS[language][name] for name in ("replaced", "by", "before"))
    text, unrelated = PARAGRAPHS[language][0], hashes.unrelated(language)
    edited = {f"{old} replaced by {new}": text.replace(old, new), f"{before.strip()} put before": before + text}
    moved = {edit: hashes.distance(text, other) for edit, other in edited.items()}
    known = {edit: distance for edit, distance in moved.items() if distance is not None}
    bad = [f"{edit}: {distance:.3g}" for edit, distance in known.items() if not _is_near(distance, unrelated)]
    distances = " and ".join(f"{distance:.3g}" for distance in known.values())
    observed = f"edits of one word {distances or 'unknown'}; unrelated paragraphs {unrelated:.3g} on average"
    return _requirement(f"a small edit moves a text little: {language}", observed, bad)


def _properties(hashes: _Hashes) -> Iterator[Finding]:
    english, vietnamese, japanese = PARAGRAPHS["English"][0], VIETNAMESE, PARAGRAPHS["Japanese"][0]
    yield _texts_without_words(hashes)
    yield _compared("upper case", hashes, english, english.upper())
    yield _compared("full-width letters", hashes, english, english.translate(_FULL_WIDTH))
    yield _compared("decomposed (NFD) Vietnamese", hashes, vietnamese, unicodedata.normalize("NFD", vietnamese))
    yield _compared("decomposed (NFD) Japanese", hashes, japanese, unicodedata.normalize("NFD", japanese), "Japanese")
    yield _compared("line breaks for spaces", hashes, english, english.replace(" ", "\n"))
    yield _compared("two spaces for one", hashes, english, english.replace(" ", "  "))
    yield _compared("no-break spaces", hashes, english, english.replace(" ", "\u00a0"))
    yield _compared("spaces at both ends", hashes, english, f"  {english}\n")


def _texts_without_words(hashes: _Hashes) -> Finding:
    there = hashes.of(TOKEN_LESS)
    groups: dict[str | None, list[str]] = {}
    for text in there:
        groups.setdefault(hashes.hash(text), []).append(text)
    value, largest = max(groups.items(), key=lambda group: len(group[1]), default=(None, []))
    observed = f"{len(TOKEN_LESS) - len(there)} of {len(TOKEN_LESS)} refused"
    if len(largest) > 1:
        observed += f"; {len(largest)} have the hash {_brief(value)}: leave it out of a search"
    return Finding("texts without a word", PROPERTY, "observed", observed)


def _compared(name: str, hashes: _Hashes, text: str, variant: str, language: str = "English") -> Finding:
    distance, unrelated = hashes.distance(text, variant), hashes.unrelated(language)
    if distance is None:
        observed = "refused"
    elif not distance:
        observed = "equal"
    else:
        observed = f"{'near' if _is_near(distance, unrelated) else 'far'}: {distance:.3g}, unrelated {unrelated:.3g}"
    return Finding(name, PROPERTY, "observed", observed)


def _is_near(distance: float, unrelated: float) -> bool:
    return 2 * distance < unrelated


def _requirement(name: str, observed: str, bad: Iterable[str]) -> Finding:
    examples = tuple(bad)
    return Finding(name, REQUIREMENT, "failed" if examples else "passed", observed, examples[:_LISTED])


def _first_sentence(text: str) -> str:
    return text.partition("。")[0] if "。" in text else text.partition(" ")[0]


def _length(texts: Sequence[str]) -> int:
    return sum(map(len, texts))


def _quoted(text: str) -> str:
    return json_text(_brief(text))


def _brief(text: str | None) -> str:
    return str(text) if text is None or len(text) <= _QUOTED else f"{text[:_QUOTED]}..."


def lines(report: dict[str, Any]) -> Iterator[str]:
    """Yield a report for people, line by line."""
    for finding in report["findings"]:
        yield f"{finding['status']:<8}  {finding['check']}: {finding['observed']}"
        yield from (f"            {example}" for example in finding["examples"])
    yield ""
    yield " ".join(report["implementation"].values()) + f"; {report['texts']} texts; distance: {report['distance']}"
    failed = sum(finding["status"] == "failed" for finding in report["findings"])
    required = sum(finding["kind"] == REQUIREMENT for finding in report["findings"])
    yield f"{required - failed} of {required} requirements hold"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="check.py", description="Check a similarity hash of texts, which need not follow the specification."
    )
    parser.add_argument("--json", action="store_true", help="print a report for programs")
    parser.add_argument("--timeout", type=float, default=TIMEOUT, help="seconds for an answer [default: %(default)g]")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND [ARG]...", help="the adapter")
    arguments = parser.parse_args()
    command = arguments.command[arguments.command[:1] == ["--"] :]
    if not command:
        parser.error("the command of an adapter is missing")
    try:
        report = check(CommandTarget(command), arguments.timeout)
    except (PeerError, CannotStartError, NotUnderstoodError) as error:
        print(f"check.py: {printable(str(error))}", file=sys.stderr)
        return 1 if isinstance(error, PeerError) else 2
    if arguments.json:
        print(json.dumps(report))
    else:
        print("\n".join(map(printable, lines(report))))
    return 0 if report["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
