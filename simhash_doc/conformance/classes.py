"""The cases that an implementation must pass: those of the classes that it claims or that the caller requires."""

from __future__ import annotations

from collections.abc import Iterable

from simhash_doc.conformance.cases import CLASSES, Case
from simhash_doc.conformance.messages import Handshake
from simhash_doc.conformance.requests import case_schemes

# Required of every implementation, except one that claims only `index` or `extract` (spec, section 18).
MINIMAL_CLASS = "fingerprint"
REQUIRED_FORMATS = ("html", "text")  # of the class extract (spec, section 20)


def required_classes(handshake: Handshake | None, demanded: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the classes whose operations must be supported, in the order of the specification.

    An implementation claims a class by declaring all its operations. `fingerprint` is required
    unless `index` or `extract` is claimed and `fingerprint` is not declared.
    """
    declared = set(handshake.operations) if handshake else set()
    claimed = {name for name, operations in CLASSES.items() if declared.issuperset(operations)}
    if not claimed & {"index", "extract"} or "fingerprint" in declared:
        claimed.add(MINIMAL_CLASS)
    return tuple(name for name in CLASSES if name in claimed | set(demanded))


def is_required(case: Case, classes: Iterable[str], handshake: Handshake | None) -> bool:
    """Return True if `unsupported` is a failure.

    That is so if a class needs the operation, every scheme is sd64 or declared, and the document's format is
    declared or one that every extractor must read.
    """
    formats = {*REQUIRED_FORMATS, *(handshake.formats if handshake else ())}
    if case.format is not None and case.format not in formats:
        return False
    schemes = {"sd64", *(handshake.schemes if handshake else ())}
    needed = {operation for name in classes for operation in CLASSES[name]}
    return case.op in needed and case_schemes(case) <= schemes


def undeclared(case: Case, handshake: Handshake) -> str | None:
    """Return what the handshake does not declare and the case needs; None if nothing."""
    if case.op not in handshake.operations:
        return f"operation {case.op} is not declared"
    if case.format is not None and case.format not in handshake.formats:
        return f"format {case.format} is not declared"
    missing = sorted(case_schemes(case) - set(handshake.schemes))
    return f"scheme {' and '.join(missing)} is not declared" if missing else None
