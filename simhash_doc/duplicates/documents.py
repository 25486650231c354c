"""Which documents are copies of each other: exact copies, near-duplicates and candidates around a representative.

Files with equal content are exact copies (`find_copies`). Documents that a chain of near fingerprints connects are a
cluster (`make_clusters`); its representative is kept, and each candidate is confirmed by a wider fingerprint or by the
texts.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from simhash_doc.engines.base import encode
from simhash_doc.engines.select import select_engine
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest import FingerprintResult, ReadOptions, extract_documents
from simhash_doc.ingest.walk import STANDARD_INPUT
from simhash_doc.provenance import Provenance
from simhash_doc.reference import OCCURRENCE_CAP
from simhash_doc.schemes import get_scheme
from simhash_doc.thresholds import LEAST_SUPPORT

Kind = Literal["representative", "exact", "near-duplicate", "candidate"]
Keep = Literal["longest", "oldest", "first"]
Confirm = Literal["none", "sd256", "text"]

CONFIRMING_SCHEME = "sd256"
_KEPT_BYTES = 1 << 31


@dataclass(frozen=True, slots=True)
class Copies:
    """The files to read among several, and the copies of each.

    Attributes:
        files: the files to read, in the order given; streams and files that cannot be examined are among them.
        same: path -> the path among `files` that is the same file: another spelling of the path, or a symbolic or
            hard link. Deleting one of them can delete the other.
        exact: path -> the path among `files` whose content is equal, byte by byte.
    """

    files: list[str] = field(default_factory=list)
    same: dict[str, str] = field(default_factory=dict)
    exact: dict[str, str] = field(default_factory=dict)


def find_copies(paths: Iterable[str]) -> Copies:
    """Return which of several files are copies of each other.

    Files are the same if device and inode are equal. Others of equal size are compared by a digest of their content.

    Args:
        paths: files, and ``-`` for standard input; one that is repeated counts once.
    """
    found = Copies()
    first_of: dict[tuple[int, int], str] = {}
    by_size: dict[int, list[str]] = defaultdict(list)
    for path in dict.fromkeys(paths):
        status = None
        with suppress(OSError):
            status = os.stat(path) if path != STANDARD_INPUT else None
        if status and stat.S_ISREG(status.st_mode):
            first = first_of.setdefault((status.st_dev, status.st_ino), path)
            if first != path:
                found.same[path] = first
                continue
            by_size[status.st_size].append(path)
        found.files.append(path)
    for size, group in by_size.items():
        if size and len(group) > 1:
            _find_equal(group, found.exact)
    found.files[:] = [path for path in found.files if path not in found.exact]
    return found


def _find_equal(paths: list[str], exact: dict[str, str]) -> None:
    first_of: dict[bytes, str] = {}
    for path in paths:
        with suppress(OSError):  # reading the file reports the error
            first = first_of.setdefault(_digest(path), path)
            if first != path:
                exact[path] = first


def _digest(path: str) -> bytes:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=32)).digest()


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document that takes part in the search for duplicates.

    Attributes:
        path: its path; ``FILE#URI`` for a document of a WARC file.
        file: the file that it is in; None if it is not known.
        content: a key that exact copies share: the path of the first of them.
        fingerprint: in the scheme that is used for the comparison.
        wide: its sd256 fingerprint; None if it is not known.
        tokens: number of tokens.
        modified: time of the last change of the file, in nanoseconds; None if it is not known.
        provenance: where the fingerprint comes from; None if it is not known.
        support: effective number of tokens; None if it is not known.
    """

    path: str
    file: str | None
    content: str
    fingerprint: Fingerprint
    wide: Fingerprint | None = None
    tokens: int = 0
    modified: int | None = None
    provenance: Provenance | None = None
    support: float | None = None

    @property
    def is_file(self) -> bool:
        """Return True if the document is a complete file, which can be deleted."""
        return self.file == self.path


@dataclass(frozen=True, slots=True)
class Member:
    """A document of a cluster.

    Attributes:
        document: the document.
        kind: ``representative``; ``exact``: its content equals that of an earlier member; ``near-duplicate``: it is
            confirmed; ``candidate``: its fingerprint is near that of another member, and nothing confirms that the
            texts are.
        distance: bits in which its fingerprint differs from that of the representative.
        wide_distance: the same for the sd256 fingerprints; None if they are not known.
        similarity: of its text and that of the representative, from 0 to 1; None if it was not computed.
        copy_of: path of the member whose content it has, if the kind is ``exact``.
    """

    document: DocumentEntry
    kind: Kind
    distance: int = 0
    wide_distance: int | None = None
    similarity: float | None = None
    copy_of: str | None = None


Cluster = list[Member]
"""Documents that a chain of near fingerprints connects; the first is the representative, which is kept."""


def removable(cluster: Cluster) -> list[str]:
    """Return the paths of files that can be deleted: the exact copies and near-duplicates that are complete files.

    The representative, candidates, and documents inside a file with several documents are not listed.
    """
    removed = ("exact", "near-duplicate")
    return [one.document.path for one in cluster if one.kind in removed and one.document.is_file]


def document_entries(results: Iterable[FingerprintResult], copies: Copies, scheme: str) -> list[DocumentEntry]:
    """Return the documents that have a fingerprint, exact copies included, each after the document that it copies.

    Args:
        results: of `copies.files`, in the scheme or a wider one.
        copies: which files are copies of others.
        scheme: short id of the scheme by which documents are compared.
    """
    copies_of = defaultdict(list)
    for path, first in copies.exact.items():
        copies_of[first].append(path)
    files = set(copies.files)
    entries = []
    for result in results:
        if result.fingerprint is None:
            continue
        file = _source_file(result.path, files)
        entry = DocumentEntry(
            result.path,
            file,
            result.path,
            result.fingerprint.narrow(scheme),
            _wide(result.fingerprint),
            result.tokens,
            _modified(file),
            replace(result.provenance, scheme=scheme),
            result.support,
        )
        entries.append(entry)
        for copy in copies_of[file] if file else ():
            path = copy + result.path[len(file or "") :]
            entries.append(replace(entry, path=path, file=copy, modified=_modified(copy)))
    return entries


def stored_entries(
    groups: list[list[tuple[str, Fingerprint]]],
) -> tuple[list[list[DocumentEntry]], Copies]:
    """Return groups of stored documents, and which of their files are copies of others.

    The files are compared as they are now: a file that is a link to another is left out, and one with equal content
    is an exact copy.

    Args:
        groups: path and fingerprint of each document.
    """
    files = [path for group in groups for path, _ in group if os.path.isfile(path)]
    copies = find_copies(files)
    existing = set(files)
    found = []
    for group in groups:
        entries = [
            DocumentEntry(
                path,
                path if path in existing else None,
                copies.exact.get(path, path),
                fingerprint,
                _wide(fingerprint),
                modified=_modified(path),
            )
            for path, fingerprint in group
            if path not in copies.same
        ]
        if len(entries) > 1:
            found.append(entries)
    return found, copies


def _source_file(path: str, files: Collection[str]) -> str | None:
    """Return the file that a document is in: the path itself, or the part before a #; None if neither is a file."""
    end = len(path)
    while end >= 0:
        if path[:end] in files:
            return path[:end]
        end = path.rfind("#", 0, end)
    return None


def _wide(fingerprint: Fingerprint) -> Fingerprint | None:
    confirming = get_scheme(CONFIRMING_SCHEME)
    return fingerprint.narrow(confirming.id) if fingerprint.scheme.bits >= confirming.bits else None


def _modified(path: str | None) -> int | None:
    with suppress(OSError):
        return os.stat(path).st_mtime_ns if path else None
    return None


def make_clusters(
    groups: Iterable[list[DocumentEntry]],
    keep: Keep,
    confirm: Confirm,
    least: float,
    texts: DocumentTexts | None = None,
) -> list[Cluster]:
    """Return a cluster per group, the largest first.

    Args:
        groups: connected documents, each group in the order given.
        keep: the representative: the longest text, the least recently modified file, or the first of the group.
        confirm: which other documents are near-duplicates, not candidates. ``none``: all; ``sd256``: those whose sd256
            fingerprints are close to that of the representative, unless a text has too little support; ``text``: those
            whose texts are similar to that of the representative, or where a text is not available, as for ``sd256``.
        least: the minimum similarity of near-duplicates, from 0 to 1.
        texts: the texts of the documents, for ``text``.
    """
    clusters = []
    for group in groups:
        first = _representative(group, keep)
        first_of = {first.content: first.path}
        members = [Member(first, "representative", wide_distance=0 if first.wide else None)]
        for document in group:
            if document is not first:
                copied = first_of.get(document.content)
                first_of.setdefault(document.content, document.path)
                similarity = None
                if copied is None and texts and confirm == "text":
                    similarity = texts.similarity(first, document)
                members.append(_member(first, document, copied, similarity, confirm, least))
        clusters.append(members)
    return sorted(clusters, key=len, reverse=True)


def _member(
    first: DocumentEntry,
    document: DocumentEntry,
    copied: str | None,
    similarity: float | None,
    confirm: Confirm,
    least: float,
) -> Member:
    kind: Kind = "exact"
    wide = first.wide.distance(document.wide) if first.wide and document.wide else None
    if copied is None:
        if confirm == "none":
            is_confirmed = True
        elif similarity is not None:
            is_confirmed = similarity >= least
        else:
            is_weak = any(one.support is not None and one.support < LEAST_SUPPORT for one in (first, document))
            is_confirmed = wide is not None and wide <= get_scheme(CONFIRMING_SCHEME).close and not is_weak
        kind = "near-duplicate" if is_confirmed else "candidate"
    return Member(document, kind, first.fingerprint.distance(document.fingerprint), wide, similarity, copied)


def _representative(group: list[DocumentEntry], keep: Keep) -> DocumentEntry:
    if keep == "longest":
        return max(group, key=lambda document: document.tokens)
    if keep == "oldest":
        never = 1 << 63
        return min(group, key=lambda document: never if document.modified is None else document.modified)
    return group[0]


class DocumentTexts:
    """The tokens of documents, and on request the beginnings of their texts.

    Up to 2 GB of texts are kept in a temporary file, so that documents need not be read again. Exact copies share the
    text of the first one. A text is not available if the document can no longer be read, or came from standard input
    and is not among those that were kept.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - deleted with the object
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0
        self._tokens: dict[str, TextTokens] = {}
        self._texts: dict[str, str] = {}

    def kept(self, results: Iterable[FingerprintResult]) -> Iterator[FingerprintResult]:
        """Yield the results without their texts, which are kept."""
        for result in results:
            if result.text is not None:
                data = encode(result.text)
                if self._end + len(data) <= _KEPT_BYTES:
                    self._file.write(data)
                    self._places[result.path] = self._end, len(data)
                    self._end += len(data)
                result = replace(result, text=None)
            yield result

    def load(
        self, documents: Iterable[DocumentEntry], options: ReadOptions, jobs: int | None = None, shown: int = 0
    ) -> None:
        """Take the texts of documents from those that were kept, and read all others.

        Args:
            documents: the documents.
            options: how they are read.
            jobs: number of worker processes; None for one per core.
            shown: number of characters for `text`.
        """
        missing = dict[str, str | None]()
        for path, file in dict.fromkeys(_source(document) for document in documents):
            if path in self._places:
                start, size = self._places[path]
                self._file.seek(start)
                self._add(path, self._file.read(size).decode("utf-8"), shown)
            else:
                missing[path] = file
        files = dict.fromkeys(file for file in missing.values() if file and file != STANDARD_INPUT)
        for result in extract_documents(list(files), options=options, jobs=jobs):
            if result.extracted and result.path in missing:
                self._add(result.path, result.extracted.text, shown)

    def _add(self, path: str, text: str, shown: int) -> None:
        self._tokens[path] = TextTokens(text)
        self._texts[path] = text[:shown]

    def similarity(self, a: DocumentEntry, b: DocumentEntry) -> float | None:
        """Return the similarity of two documents, from 0 to 1; None if a text is not available."""
        left, right = (self._tokens.get(_source(document)[0]) for document in (a, b))
        return left.similarity(right) if left and right else None

    def text(self, document: DocumentEntry) -> str | None:
        """Return the beginning of a text; None if it is not available."""
        return self._texts.get(_source(document)[0])


def _source(document: DocumentEntry) -> tuple[str, str | None]:
    """Return the path under which the text of a document is read, and the file."""
    if document.is_file:
        return document.content, document.content
    return document.path, document.file


class TextTokens:
    """The tokens of a text, as its fingerprint counts them.

    >>> TextTokens("one two three four").similarity(TextTokens("one two three five"))
    0.6
    """

    __slots__ = ("_counts", "_total")

    def __init__(self, text: str) -> None:
        data = encode(text)
        counter = select_engine(len(data)).token_counter()
        counter.feed(data)
        self._counts = {token: min(count, OCCURRENCE_CAP) for token, count in counter.tokens().items()}
        self._total = sum(self._counts.values())

    def similarity(self, other: TextTokens) -> float:
        """Return the common tokens as a share of all tokens of both, from 0 to 1; 0 if there are none.

        Each token counts as often as the fingerprint counts it (SD-CAP-1).
        """
        small, large = sorted((self._counts, other._counts), key=len)
        common = sum(min(count, large.get(token, 0)) for token, count in small.items())
        together = self._total + other._total - common
        return common / together if together else 0.0

    def distinct_similarity(self, other: TextTokens) -> float:
        """Return the common distinct tokens as a share of all of both, from 0 to 1; 0 if there are none."""
        together = len(self._counts.keys() | other._counts.keys())
        return len(self._counts.keys() & other._counts.keys()) / together if together else 0.0

    def digest(self) -> bytes:
        """Return a digest that texts with the same tokens share, in any order."""
        return hashlib.blake2b(repr(sorted(self._counts.items())).encode(), digest_size=16).digest()
