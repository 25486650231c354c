"""What readers take and give: the limits on a document, its text, and the errors that explain why it has none.

The message of an error states what was found, where, and what to do about it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from numbers import Real
from operator import index
from typing import Any, ClassVar, Literal

LARGEST_SIZE = 1 << 50  # bytes: more is a mistake
NO_ARTICLE = "no article: "
"""How the warning begins that a page stands in for a document; the kind of page follows, such as "error page"."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a web archive that a document comes from.

    Attributes:
        uri: its target URI.
        date: date of the capture as 14 digits, or "" if the record has none.
        status: status of the HTTP response, or None for other records.
        headers: names and values of the headers of the HTTP response, in their order.

    >>> Record("https://example.org/", "20260103120000", 200, (("Content-Type", "text/html"),)).header("content-type")
    'text/html'
    """

    uri: str
    date: str = ""
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()

    def header(self, name: str) -> str | None:
        """Return the value of the first header with this name, in any case; None if no header has it.

        >>> Record("https://example.org/", headers=(("Content-Type", "text/html"),)).header("content-type")
        'text/html'
        """
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


class ExtractionError(Exception):
    """Base of the errors that explain why a document yielded no text.

    Attributes:
        code: machine-readable name of the error, in kebab-case: the name in the specification, if it has one.
        message: what was found and what to do, without the name of the document.
        name: name of the document, such as its path or the target URI of its WARC record, or None.
        record: the record of a web archive that the document comes from, or None.
        incomplete: why only a part of the document was captured, or None.
    """

    code: ClassVar[str] = "extraction-failed"
    record: Record | None = None
    incomplete: str | None = None

    def __init__(self, message: str, *, name: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.name = name


class UnsupportedFormatError(ExtractionError):
    """The content has a format that cannot be read, such as an image."""

    code = "unsupported-medium"


class EncryptedDocumentError(ExtractionError):
    """The document cannot be opened without a password."""

    code = "encrypted"


class CorruptDocumentError(ExtractionError):
    """The content is not valid in its format and cannot be repaired, for example because it is truncated."""

    code = "damaged"


class NoTextError(ExtractionError):
    """The document is readable but contains no text, for example a scanned PDF or an empty page (SD-EXTRACT-11)."""

    code = "no-text"


LimitName = Literal["input_bytes", "expanded_bytes", "pages", "seconds", "memory_bytes"]


@dataclass(frozen=True, slots=True)
class ExceededLimit:
    """The one of `Limits` that a document exceeds, for messages of other programs.

    Attributes:
        field: name of the attribute of `Limits`.
        value: its value, in bytes or seconds.
        subject: what is larger, such as ``the record``; None for the document itself.
        size: size of the document in bytes, as far as it was read; None for other subjects.
    """

    field: LimitName
    value: int | float
    subject: str | None = None
    size: int | None = None


class LimitExceededError(ExtractionError):
    """The document exceeds one of its `Limits`. The message states the limit and its value.

    Attributes:
        exceeded: the limit; None if `Limits` does not name it.
    """

    code = "over-limit"
    exceeded: ExceededLimit | None = None

    @classmethod
    def of(cls, exceeded: ExceededLimit, *, name: str | None = None) -> LimitExceededError:
        """Return the error for a limit that the document `name` exceeds."""
        subject = f"{exceeded.size:,} bytes are" if exceeded.subject is None else f"{exceeded.subject} is"
        error = cls(f"{subject} over the limit {exceeded.field}={exceeded.value:,}", name=name)
        error.exceeded = exceeded
        return error


class IncompleteDocumentError(ExtractionError):
    """Only a part of the document was captured, and the options say to leave out incomplete documents."""

    code = "incomplete"


class InternalError(ExtractionError):
    """A reader failed unexpectedly, because of a bug or a broken library."""

    code = "internal"

    @classmethod
    def of(cls, error: Exception, subject: str, *, name: str | None = None) -> InternalError:
        """Return the error that an exception stopped the reader of `subject`, with its type and its place."""
        import traceback  # not above: few documents need it

        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "simhash_doc" in frame.filename] or frames
        place = f"{os.path.basename(ours[-1].filename)}, line {ours[-1].lineno}" if ours else "an unknown place"
        found = f"{type(error).__name__} in {place}: {error}"
        return cls(f"{subject} cannot be read: {found}; please report this", name=name)


class SkippedRecordError(ExtractionError):
    """A record of a web archive holds no document; the message is its kind, such as ``image`` or ``text/css``."""

    code = "skipped-record"


class MissingExtraError(ExtractionError, ImportError):
    """A library of the extra `extract` is not installed."""

    code = "missing-extra"

    @classmethod
    def of(cls, subject: str, error: ModuleNotFoundError, *, name: str | None = None) -> MissingExtraError:
        """Return the error that `subject`, in the document `name`, needs a package."""
        return cls(f"{subject} needs the package {error.name}: pip install 'simhash-doc[extract]'", name=name)


class LimitValueError(ValueError):
    """A limit is not a positive number, or is larger than any system supports."""


LONGEST_SECONDS = 1_000_000  # some systems cannot wait longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on one document. Exceeding one raises `LimitExceededError` (SD-SEC-1).

    The nesting of elements has no setting: libxml2 limits it in XML, and the reader of web pages their work.

    Attributes:
        input_bytes: size of the document as stored, in bytes.
        expanded_bytes: total size of everything that is decompressed from the document, in bytes.
        pages: number of pages of a PDF.
        seconds: time for one document, in seconds.
        memory_bytes: memory that a worker process may allocate after its start, on systems that can limit it.

    The readers do not measure time or memory: `simhash_doc.ingest` enforces these limits on the worker process.

    >>> Limits(input_bytes=10 * 2**20, seconds=5).pages
    10000
    """

    input_bytes: int = 100 * 2**20
    expanded_bytes: int = 400 * 2**20
    pages: int = 10_000
    seconds: float = 60.0
    memory_bytes: int = 2 * 2**30

    def __post_init__(self) -> None:
        for name in ("input_bytes", "expanded_bytes", "pages", "memory_bytes"):
            value: Any = getattr(self, name)
            number = index(value) if hasattr(value, "__index__") and not isinstance(value, bool) else 0
            if not 0 < number <= LARGEST_SIZE:
                raise LimitValueError(f"{name} is {value!r}; expected an integer from 1 to 2^50")
            object.__setattr__(self, name, number)
        seconds: Any = self.seconds
        if isinstance(seconds, bool) or not isinstance(seconds, Real) or not 0 < float(seconds) <= LONGEST_SECONDS:
            raise LimitValueError(f"seconds is {self.seconds!r}; expected over 0, and {LONGEST_SECONDS:,} at most")
        if not isinstance(seconds, int):
            object.__setattr__(self, "seconds", float(seconds))


MOST_TAGS = 2_000_000
"""Tags of a page or of XML, of which a tree is made: each element takes half a kilobyte."""
MOST_PART_TAGS = 20_000_000
"""Tags of a part that is read piece by piece: a million takes about a second."""


def expanded_error(limits: Limits, subject: str, *, name: str | None = None) -> LimitExceededError:
    """Return the error that `subject`, part of the document `name`, expands to more than `expanded_bytes`."""
    return LimitExceededError.of(ExceededLimit("expanded_bytes", limits.expanded_bytes, subject), name=name)


def check_tags(count: int, subject: str, most: int = MOST_TAGS) -> None:
    """Reject a document of too many elements.

    Args:
        count: the number of its tags.
        subject: its name in the message.
        most: the limit.

    Raises:
        LimitExceededError: there are more.
    """
    if count > most:
        raise LimitExceededError(f"{subject} has {count:,} tags, over the limit of {most:,}")


@dataclass(frozen=True, slots=True)
class BlockDecision:
    """The decision whether a block of a web page belongs to its document, with its reasons.

    Attributes:
        text: the text of the block.
        kept: whether it is in the text of the document.
        score: how likely it belongs to the document, from 0 to 1.
        reasons: the strongest reasons, each the name of a feature, its value, and by how much it raises (or, if it is
            negative, lowers) the log-odds.
        rule: the rule that decided against the score, or an empty text: "cut" before any score was computed; "outside"
            the article; under a "label"; a "comment" on it; "repeated"; or kept as the "lead" or a "part" of the
            article, such as its references, or in a "long" document.

    >>> from simhash_doc_extraction import extract
    >>> block = extract(b"<html><p>The quick brown fox", explain=True).blocks[0]
    >>> block.text, block.kept
    ('The quick brown fox', True)
    """

    text: str
    kept: bool
    score: float
    reasons: tuple[tuple[str, float, float], ...]
    rule: str = ""


_COUNT = re.compile(r"^[0-9,]+ (?:of [0-9,]+ )?")


def warning_kind(warning: str) -> str:
    """Return the kind of a warning, by which warnings are counted: the words before its colon.

    >>> warning_kind("embedded objects not read: 2 (first: 'a.bin')")
    'embedded objects not read'
    """
    return _COUNT.sub("", warning.partition(": ")[0])


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """The text of one document.

    Attributes:
        text: the text, ready to be fingerprinted.
        format: format of the document: "html", "pdf", "docx" and so on.
        name: name of the document, for example its path; for a member of a container, the name of the member, for
            example the target URI of a WARC record.
        warnings: messages about repairs and omissions. Each consists of a kind (see `warning_kind`), a colon and
            details.
        blocks: every block of a web page with its decision, if an explanation was requested.
        incomplete: why the document is only a part of what the server sent, or None; a warning also says so.
        record: the record of a web archive that the document comes from, or None.
        remainder: a digest of what the document shows outside its text, if it was requested; empty if there is nothing.

    >>> from simhash_doc_extraction import extract
    >>> found = extract(b"<html><p>The quick brown fox")
    >>> found.text, found.format, found.warnings
    ('The quick brown fox', 'html', ())
    """

    text: str
    format: str
    name: str | None = None
    warnings: tuple[str, ...] = ()
    blocks: tuple[BlockDecision, ...] = ()
    incomplete: str | None = None
    record: Record | None = None
    remainder: str = ""
