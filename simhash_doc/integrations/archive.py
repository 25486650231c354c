"""Fingerprints in the indexes of web archives: CDXJ, and `pages.jsonl` of WACZ; and what they say of changes of a page.

A line of either names a capture by its URL and time. `annotate` adds members to its JSON object, and changes no other
byte of the line:

| Member | Meaning |
|---|---|
| ``simhash`` | text form of the fingerprint, such as ``sd256:...`` |
| ``simhash_support`` | effective number of tokens (docs/search.md) |
| ``simhash_extractor`` | name and version of the extractor (spec/provenance.md), if the text was extracted |
| ``simhash_incomplete`` | why only a part of the page was captured; absent for complete captures |
| ``simhash_warning`` | what stands in for the page: ``error-page``, ``consent``, ``robot-check`` or ``script-only`` |
| ``simhash_error`` | code of the error of a capture without a fingerprint, such as ``no-text`` or ``too-short`` |
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from typing import Any

from simhash_doc.errors import SimhashDocError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.captures import capture_of
from simhash_doc.ingest.results import TOO_SHORT, FingerprintResult

_CDXJ = re.compile(rb"(\S+) (\d{14}) (\{.*\})\s*")
_PREFIX = "simhash"


class IndexLineError(SimhashDocError, ValueError):
    """A line is not of a CDXJ index or of `pages.jsonl`, or its captures are not in order."""

    code = "index-line"


@dataclass(slots=True)
class Captures:
    """What is known of the captures of a crawl, by time (14 digits) and URL.

    Attributes:
        members: the members for the lines of each capture.
        ambiguous: number of captures with the time and URL of another one, and other members; the last one counts.
    """

    members: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    ambiguous: int = 0

    def add(self, result: FingerprintResult) -> dict[str, Any] | None:
        """Add a result of `fingerprint_documents`; return what is kept, None if it is of no capture with a time."""
        found = capture_of(result.path)
        return self.put(*found, _members(result)) if found else None

    def put(self, time: str, url: str, members: dict[str, Any]) -> dict[str, Any]:
        """Add what is known of a capture."""
        self.ambiguous += self.members.get((time, url), members) != members
        self.members[time, url] = members
        return {"time": time, "url": url, **members}


def _members(result: FingerprintResult) -> dict[str, Any]:
    members: dict[str, Any] = {}
    if result.fingerprint is None:
        members["simhash_error"] = result.code
    else:
        members |= {"simhash": str(result.fingerprint), "simhash_support": round(result.support, 2)}
        if extractor := result.provenance.extractor:
            members["simhash_extractor"] = str(extractor)
        if result.stand_in:
            members["simhash_warning"] = result.stand_in
    if result.incomplete:
        members["simhash_incomplete"] = result.incomplete
    return members


def without_short(result: FingerprintResult) -> FingerprintResult:
    """Return a result with the error that the document is too short in place of its fingerprint, if it has one."""
    return replace(result, fingerprint=None, code=TOO_SHORT) if result.fingerprint else result


@dataclass(slots=True)
class Annotated:
    """Numbers of the lines of an index: with a fingerprint, with an error, and without a capture of the crawl."""

    counts: Counter[str] = field(default_factory=Counter)

    def annotate(self, lines: Iterable[bytes], captures: Captures) -> Iterator[bytes]:
        """Yield the lines of an index with what is known of their captures.

        A revisit, whose page had not changed, gets what the capture with its digest has if that stands before it.
        Members of an earlier run are replaced if the capture is known now, and stay otherwise.

        Args:
            lines: of a CDXJ index or of `pages.jsonl`, each with its line end.
            captures: of the crawl.

        Raises:
            IndexLineError: a line is of neither format.
        """
        by_digest: dict[str, dict[str, Any]] = {}
        for number, line in enumerate(lines, 1):
            parsed = _parsed(line, number)
            if parsed is None:
                yield line
                continue
            time, record = parsed
            members = captures.members.get((time, str(record.get("url"))))
            digest = record.get("digest")
            if members is None and isinstance(digest, str):
                members = by_digest.get(digest)
            elif members is not None and isinstance(digest, str):
                by_digest.setdefault(digest, members)
            if members is None:
                self.counts["kept" if _PREFIX in record else "unknown"] += 1
                yield line
                continue
            self.counts["fingerprint" if _PREFIX in members else "error"] += 1
            yield _with(line, record, members)


def _parsed(line: bytes, number: int) -> tuple[str, dict[str, Any]] | None:
    """Return the time and the object of a line; None for a header and an empty line."""
    if not line.strip() or line.startswith((b" CDX", b"!")):
        return None
    cdxj = _CDXJ.fullmatch(line)
    try:
        record = json.loads(cdxj[3] if cdxj else line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise IndexLineError(
            f"line {number} is {line[:60]!r}; expected CDXJ (key, 14 digits, object) or an object as in pages.jsonl"
        )
    if cdxj:
        return cdxj[2].decode(), record
    if "url" not in record:
        return None  # the header of pages.jsonl
    return re.sub(r"\D", "", str(record.get("ts")))[:14], record


def _with(line: bytes, record: dict[str, Any], members: dict[str, Any]) -> bytes:
    content = line.rstrip()
    end = line[len(content) :]
    if any(name.startswith(_PREFIX) for name in record):
        record = {name: value for name, value in record.items() if not name.startswith(_PREFIX)}
        start = cdxj.start(3) if (cdxj := _CDXJ.fullmatch(line)) else content.index(b"{")  # a key may have braces
        content = content[:start] + json.dumps(record).encode()
    separator = b", " if record else b""
    return content[:-1] + separator + json.dumps(members).encode()[1:] + end


@dataclass(frozen=True, slots=True)
class Capture:
    """A capture of a page with a fingerprint.

    Attributes:
        time: 14 digits.
        fingerprint: of its text.
        is_revisit: the archive has only a record that the page was as in an earlier capture.
        incomplete: why only a part of the page was captured; "" for a complete capture.
        warning: what stands in for the page, as in `FingerprintResult.stand_in`; "" for the page itself.
        extractor: name and version of the extractor of its text; "" if it is not known.
    """

    time: str
    fingerprint: Fingerprint
    is_revisit: bool = False
    incomplete: str = ""
    warning: str = ""
    extractor: str = ""

    @property
    def apart(self) -> str:
        """Why the capture says nothing of changes of the page; "" if it does."""
        return self.incomplete or self.warning


@dataclass(frozen=True, slots=True)
class PageChanges:
    """The captures of one URL, in the order of time.

    An incomplete capture, or one of an error page, says nothing of changes of the page: it has no distance. The next
    capture is compared with the last one of the complete page.

    Attributes:
        url: of the page.
        captures: those with a fingerprint of the complete page.
        incomplete: those with the fingerprint of a part of the page.
        warned: complete ones of what stood in for the page, such as an error page.
        without: number of captures that have no fingerprint.
        distances: bits in which each capture differs from the one before it; one fewer than captures.
    """

    url: str
    captures: tuple[Capture, ...]
    incomplete: tuple[Capture, ...]
    warned: tuple[Capture, ...]
    without: int
    distances: tuple[int, ...]

    @property
    def versions(self) -> int:
        """Number of runs of captures with equal fingerprints, which a small edit may leave unchanged."""
        return sum(distance > 0 for distance in self.distances) + bool(self.captures)

    @property
    def largest(self) -> int:
        """The largest distance between successive captures; 0 if there are none."""
        return max(self.distances, default=0)

    @property
    def by_other_extractors(self) -> tuple[bool, ...]:
        """Whether the texts of each two successive captures are of different extractors, or of versions of one.

        The distance between them may then come from the extractors alone.
        """
        extractors = ((first.extractor, second.extractor) for first, second in pairwise(self.captures))
        return tuple(first != second and bool(first and second) for first, second in extractors)

    @property
    def from_first(self) -> tuple[int, ...]:
        """Bits in which each capture differs from the first one."""
        return tuple(capture.fingerprint.distance(self.captures[0].fingerprint) for capture in self.captures)

    def as_dict(self) -> dict[str, Any]:
        """Return the changes as a JSON object."""
        before = (None, *self.distances)
        return {
            "url": self.url,
            "versions": self.versions,
            "largest_distance": self.largest,
            "without_fingerprint": self.without,
            "captures": [
                {**_fields(capture), "distance": distance, "distance_from_first": from_first}
                for capture, distance, from_first in zip(self.captures, before, self.from_first, strict=False)
            ],
            "incomplete": [{**_fields(capture), "reason": capture.incomplete} for capture in self.incomplete],
            "warned": [{**_fields(capture), "warning": capture.warning} for capture in self.warned],
        }

    def by_year(self) -> Iterator[dict[str, Any]]:
        """Yield for each year what wayback-discover-diff answers to `/simhash?url=URL&year=YEAR`, and `url` and `year`.

        Its fingerprints are base64 of the bytes, the least significant first, without the scheme. Incomplete
        captures and error pages are left out: a program that compares them would take them for changes.
        """
        for year, captures in groupby(self.captures, key=lambda capture: capture.time[:4]):
            pairs = [[capture.time, _base64(capture.fingerprint)] for capture in captures]
            yield {"url": self.url, "year": year, "captures": pairs, "total": len(pairs), "status": "COMPLETE"}


def _fields(capture: Capture) -> dict[str, Any]:
    fields = {"time": capture.time, "simhash": str(capture.fingerprint), "revisit": capture.is_revisit}
    return fields | ({"extractor": capture.extractor} if capture.extractor else {})


def _base64(fingerprint: Fingerprint) -> str:
    return b64encode(fingerprint.value.to_bytes(fingerprint.scheme.bits // 8, "little")).decode("ascii")


def changes(lines: Iterable[bytes]) -> Iterator[PageChanges]:
    """Yield the changes of each page of an annotated CDXJ index, in the order of the index.

    Memory holds the captures of one page.

    Args:
        lines: sorted, as tools of web archives write them.

    Raises:
        IndexLineError: a line is not of a CDXJ index, or the lines are not sorted.
        SpecError: a fingerprint is malformed, or those of a page have different schemes.
    """
    keyed = ((number, line) for number, line in enumerate(lines, 1) if not line.startswith((b" CDX", b"!")))
    last = b""
    for key, group in groupby((one for one in keyed if one[1].strip()), key=lambda one: one[1].split(b" ", 1)[0]):
        if key < last:
            raise IndexLineError(f"the index is not sorted: {key[:60]!r} comes after {last[:60]!r}")
        last = key
        yield _changes(list(group))


def _changes(group: list[tuple[int, bytes]]) -> PageChanges:
    captures, without, url = [], 0, ""
    for number, line in group:
        parsed = _parsed(line, number)
        if parsed is None:
            raise IndexLineError(f"line {number} is {line[:60]!r}; expected CDXJ (key, 14 digits, object)")
        time, record = parsed
        url = url or str(record.get("url"))
        if _PREFIX not in record:
            without += 1
            continue
        about = (str(record.get(f"{_PREFIX}_{name}") or "") for name in ("incomplete", "warning", "extractor"))
        is_revisit = record.get("mime") == "warc/revisit"
        captures.append(Capture(time, Fingerprint.parse(record[_PREFIX]), is_revisit, *about))
    captures.sort(key=lambda capture: capture.time)
    complete = tuple(capture for capture in captures if not capture.apart)
    incomplete = tuple(capture for capture in captures if capture.incomplete)
    warned = tuple(capture for capture in captures if capture.warning and not capture.incomplete)
    distances = tuple(second.fingerprint.distance(first.fingerprint) for first, second in pairwise(complete))
    return PageChanges(url, complete, incomplete, warned, without, distances)
