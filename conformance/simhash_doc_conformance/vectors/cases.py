"""The published test vectors: cases from files whose digests are verified, and how results are compared."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from simhash_doc import SPEC_VERSION
from simhash_doc.published_files import data_path
from simhash_doc.schemes import get_schemes
from simhash_doc_conformance.errors import InputError
from simhash_doc_conformance.formatting import in_byte_order
from simhash_doc_conformance.vectors import extraction
from simhash_doc_conformance.vectors.inputs import DOCUMENT_FORMS, INPUT_FORMS, read_list
from simhash_doc_conformance.vectors.published import published_path

DIGESTS = "SHA256SUMS"
WRONG_ANSWERS = "wrong-answers.json"  # of the mutants; read only to diagnose wrong answers
_PREFIX = re.compile(r"([a-z0-9-]+)(?:\+custom)?:", re.IGNORECASE)
_DIGEST_LINE = re.compile(r"[0-9a-f]{64}  [A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?")
_SUBMITTED = 1000  # characters of a request up to which it is shown as a test case
# The members of results that are objects. Others are ignored (PROTOCOL.md).
_MEMBERS = {
    "decode": ("scheme", "hex", "canonical"),
    "distance": ("distance", "similarity"),
    "trace": ("folded", "prepared", "tokens", "buckets", "fingerprint", "error"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One test case.

    Attributes:
        id: such as ``fold/ligature-fi``; never changed and never reused.
        op: operation of the protocol.
        members: the members of the request except ``id`` and ``op``.
        expected: ``{"result": ...}`` or ``{"error": NAME}``.
        requirements: identifiers of the requirements that it tests.
        since: version of the suite that introduced it.
        flags: why it exists, such as ``boundary``, ``language``, ``negative``.
        comment: what it tests.
        language: BCP 47 tag of its text, if the text is in one language.
        same: other inputs that must give the same answer (metamorphic cases).
        before: inputs that are sent first, and whose answers do not count: what an implementation may keep of them.
        format: of the document, for the operation `extract`.
    """

    id: str
    op: str
    members: Mapping[str, Any]
    expected: Mapping[str, Any]
    requirements: tuple[str, ...]
    since: str
    flags: tuple[str, ...]
    comment: str
    language: str | None = None
    same: tuple[Mapping[str, Any], ...] = field(default=())
    format: str | None = None
    before: tuple[Mapping[str, Any], ...] = field(default=())

    @property
    def scheme(self) -> str:
        """Short id of the scheme that the case tests."""
        return str(self.members.get("scheme", "sd64"))

    @property
    def schemes(self) -> set[str]:
        """Short ids of the registered schemes that the case is about."""
        return schemes_of(self.op, self.members)

    def requests(self) -> list[dict[str, Any]]:
        """Return the requests to send, without ids: one, or one per input of a metamorphic case."""
        return [{"op": self.op, **self.members}, *map(self._with, self.same)]

    def requests_before(self) -> list[dict[str, Any]]:
        """Return the requests to send before all others, without ids."""
        return [*map(self._with, self.before)]

    def _with(self, other: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request of the case with another input."""
        return {"op": self.op, **with_input(self.members, other)}


def is_late(case: Case) -> bool:
    """Return True for a large case that `--quick` leaves out, and that otherwise runs last."""
    return "large" in case.flags and "quick" not in case.flags


def with_input(members: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a request with another input, and with what else it replaces."""
    shared = {name: value for name, value in members.items() if name not in (*INPUT_FORMS, *DOCUMENT_FORMS)}
    return {**shared, **other}


@dataclass(frozen=True, slots=True)
class Suite:
    """The published vectors.

    Attributes:
        version: version of the suite, the same in all files.
        specification: version of the specification.
        digest: SHA-256 of the vectors' list of digests.
        data_digest: SHA-256 of the specification's list of digests of its Unicode data.
    """

    version: str
    specification: int
    digest: str
    data_digest: str
    cases: tuple[Case, ...]


def load_cases(directory: Path | None = None) -> list[Case]:
    """Return all cases, in the order of the files; see `load_suite`."""
    return list(load_suite(directory).cases)


def load_suite(directory: Path | None = None) -> Suite:
    """Read and verify the vectors of a directory, or those of the package, which a process reads once.

    Raises:
        InputError: a file is unlisted, or differs from its digest; or the vectors test another version of the
            specification.
        OSError: a file cannot be read.
    """
    if directory:
        return _read_suite(directory)
    try:
        published = published_path("vectors")
    except FileNotFoundError as error:  # of an incomplete installation
        raise InputError(str(error)) from error
    return _read_suite_once(published)


def _read_suite(directory: Path) -> Suite:
    contents = read_verified(directory, leave_out=[WRONG_ANSWERS])
    files = [json.loads(content) for name, content in sorted(contents.items()) if name.startswith("cases-")]
    if not files:
        raise InputError(f"{directory} has no cases")
    version, specification = str(files[0]["suite"]), int(files[0]["specification"])
    if specification != int(SPEC_VERSION.partition(".")[0]):
        raise InputError(f"{directory} tests version {specification} of the specification, not version {SPEC_VERSION}")
    cases = tuple(case_of(row, contents) for file in files for row in file["cases"])
    data_digest = hashlib.sha256((data_path("spec/data") / DIGESTS).read_bytes()).hexdigest()
    return Suite(version, specification, suite_digest(directory), data_digest, cases)


_read_suite_once = cache(_read_suite)


def case_of(row: Mapping[str, Any], contents: Mapping[str, bytes]) -> Case:
    """Return the case of a row of a file, with the contents of the documents."""
    return Case(
        id=row["id"],
        op=row["op"],
        members=with_document(row["input"], contents),
        expected=row["expected"],
        requirements=tuple(row["requirements"]),
        since=row["since"],
        flags=tuple(row["flags"]),
        comment=row["comment"],
        language=row.get("language"),
        same=tuple(with_document(other, contents) for other in row.get("same", ())),
        before=tuple(row.get("before", ())),
        format=row.get("format"),
    )


def with_document(members: Mapping[str, Any], contents: Mapping[str, bytes]) -> Mapping[str, Any]:
    """Return the members of a request, with the file that it names as its document."""
    if "file" not in members:
        return members
    others = {name: value for name, value in members.items() if name != "file"}
    return {"document": base64.b64encode(contents[members["file"]]).decode("ascii"), **others}


def read_verified(directory: Path, leave_out: Collection[str] = ()) -> dict[str, bytes]:
    """Return the content of each file that `SHA256SUMS` lists, except those to leave out.

    Raises:
        InputError: a file is unlisted, differs from its digest, or is not a regular file.
        OSError: a file cannot be read.
    """
    lines = _content(directory / DIGESTS).decode("ascii", errors="replace").splitlines()
    if not all(_DIGEST_LINE.fullmatch(line) for line in lines):
        raise InputError(f"{directory / DIGESTS} is corrupt or edited: a line is not `SHA256  NAME`")
    listed = {name: digest for digest, name in (line.split("  ", 1) for line in lines)}
    unlisted = sorted({path.name for path in directory.glob("*.json")} - set(listed))
    if unlisted:
        raise InputError(
            f"{directory / unlisted[0]} is not listed in {DIGESTS}, so it is not part of the published vectors"
        )
    contents = {}
    for name in [name for name in listed if name not in leave_out]:
        path = directory / name
        contents[name] = _content(path)
        found = hashlib.sha256(contents[name]).hexdigest()
        if found != listed[name]:
            raise InputError(f"{path} is corrupt or edited: its SHA-256 is {found}, {DIGESTS} has {listed[name]}")
    return contents


def _content(path: Path) -> bytes:
    if path.exists() and not path.is_file():  # a pipe or a device may never end
        raise InputError(f"{path} is not a regular file")
    return path.read_bytes()


def suite_digest(directory: Path | None = None) -> str:
    """Return the SHA-256 of the list of digests. It identifies one version of the vectors."""
    return hashlib.sha256(((directory or published_path("vectors")) / DIGESTS).read_bytes()).hexdigest()


def vector_of(op: str, members: Mapping[str, Any], expected: Mapping[str, Any], flag: str) -> dict[str, Any] | None:
    """Return a generated request as a test case to be submitted; None if it is too long."""
    members = {name: value for name, value in members.items() if name != "op"}
    if len(json.dumps(members)) > _SUBMITTED:
        return None
    return {"op": op, "input": members, "expected": dict(expected), "flags": [flag]}


def request_key(case_id: str, number: int) -> str:
    """Return the key of a request in files of answers: the case id, then ``ID#2``, ``ID#3`` for its other inputs."""
    return case_id if number == 0 else f"{case_id}#{number + 1}"


def schemes_of(op: str, members: Mapping[str, Any]) -> set[str]:
    """Return the short ids of the registered schemes that a request is about.

    Names that are not in the registry do not count: rejecting them is part of `sd64`. A text form to decode that names
    no scheme is about the scheme with its length.
    """
    named = {str(members["scheme"])} if "scheme" in members else set()
    for text in _text_forms(op, members):
        prefix = _PREFIX.match(text)
        if prefix:
            named.add(prefix[1].lower())
    if op in ("decode", "narrow") and ":" not in members["text"] and (op == "narrow" or not named):
        length = len(members["text"])
        named |= {name for name, scheme in get_schemes().items() if scheme.characters == length}
    return (named & set(get_schemes())) or {"sd64"}


def is_about(op: str, members: Mapping[str, Any], schemes: Collection[str]) -> bool:
    """Return True if a request is about these schemes alone: an implementation that has only these can answer it.

    The length of a text form without a scheme names one, even if the text form is malformed.
    """
    lengths = {scheme.characters for name, scheme in get_schemes().items() if name not in schemes}
    bare = (text for text in _text_forms(op, members) if ":" not in text)
    return schemes_of(op, members) <= set(schemes) and not any(len(text) in lengths for text in bare)


def _text_forms(op: str, members: Mapping[str, Any]) -> Iterator[str]:
    if op in ("decode", "narrow"):
        yield str(members.get("text", ""))
    elif op == "distance":
        yield from (str(members.get("a", "")), str(members.get("b", "")))
    elif op in ("query", "find_all"):
        if not isinstance(entries := members.get("entries", ()), Mapping):  # a recipe; the case names its scheme
            yield from (str(entry[1]) for entry in entries)
        yield from map(str, read_list(members.get("queries", ())))


def select(cases: Iterable[Case], *, only: Iterable[str] = (), skip: Iterable[str] = ()) -> list[Case]:
    """Return the cases that match one of the patterns `only` (all if it is empty) and none of `skip`.

    A pattern is a glob over the id. With `op:`, `flag:`, `lang:` or `req:` in front it is a glob over that.
    """
    only, skip = list(only), list(skip)
    return [
        case
        for case in cases
        if (not only or any(matches(case, pattern) for pattern in only))
        and not any(matches(case, pattern) for pattern in skip)
    ]


def matches(case: Case, pattern: str) -> bool:
    """Return True if a case matches a pattern of `select`."""
    kind, colon, glob = pattern.partition(":")
    fields: dict[str, Iterable[str]] = {
        "op": (case.op,),
        "flag": case.flags,
        "lang": (case.language or "",),
        "req": case.requirements,
    }
    if colon and kind in fields:
        return any(fnmatchcase(value, glob) for value in fields[kind])
    return fnmatchcase(case.id, pattern)


def same_result(op: str, expected: Any, given: Any) -> bool:
    """Compare results as PROTOCOL.md defines, see `canonical`. Texts of documents are compared by distance."""
    return same_outcome(op, {"result": expected}, {"result": given})


def same_outcome(op: str, expected: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    """Return True if an answer has the expected error, or the expected result as `same_result` compares it."""
    if op == "extract" and "result" in expected:
        return "result" in answer and extraction.within(expected["result"], answer["result"])
    try:
        return canonical(op, expected) == canonical(op, answer)
    except RecursionError:
        return False


def canonical(op: str, answer: Mapping[str, Any]) -> str:
    """Return the result or error of an answer as text, the same for those that PROTOCOL.md regards as the same.

    Tokens, ids, pairs and the two ids of a pair may come in any order. Unknown members are ignored, and 1.0 is 1.

    Raises:
        RecursionError: the result is nested more deeply than any that is right.
    """
    if "result" not in answer:
        return json.dumps(answer.get("error"))
    result = in_order(op, answer["result"])
    if op in _MEMBERS and isinstance(result, dict):
        result = {name: result[name] for name in _MEMBERS[op] if name in result}
    return json.dumps([_with_equal_numbers(result)], sort_keys=True)


def _with_equal_numbers(value: Any) -> Any:
    """Return a value of JSON in which equal numbers are equal texts."""
    if isinstance(value, list):
        return value if all(isinstance(item, str) for item in value) else list(map(_with_equal_numbers, value))
    if isinstance(value, dict):
        return {name: _with_equal_numbers(member) for name, member in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def in_order(op: str, result: Any) -> Any:
    """Return a result with everything that may come in any order sorted; a result of a wrong type as it is."""
    if op == "tokens" and _is_list_of(result, str):
        return in_byte_order(result)
    if op in ("query", "find_all") and _is_list_of(result, list) and all(_is_list_of(item, str) for item in result):
        items = [sorted(item) for item in result]
        return sorted(items) if op == "find_all" else items
    if op == "update" and isinstance(result, list):
        return [in_order("query", answers) for answers in result]
    if op == "trace" and isinstance(result, dict):
        return {name: in_order(name, value) for name, value in result.items()}
    return result


def _is_list_of(value: Any, kind: type) -> bool:
    return isinstance(value, list) and all(isinstance(item, kind) for item in value)
