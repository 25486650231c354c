"""The suite on disk: its cases, version and digests."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from simhash_doc import SPEC_VERSION
from simhash_doc.conformance.cases import Case, load_cases, read_verified, suite_digest
from simhash_doc.conformance.errors import VectorsError
from simhash_doc.schemes import data_path

_SPEC_DATA = "spec/data"


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


def load_suite(directory: Path | None = None) -> Suite:
    """Read and verify the vectors of a directory, or those of the package.

    Raises:
        VectorsError: a file is missing, corrupt, or has another version than the others.
    """
    try:
        directory = directory or data_path("conformance/vectors")
    except FileNotFoundError as error:
        raise VectorsError(str(error)) from error
    versions = {}
    for name, content in read_verified(directory).items():
        if name.startswith("cases-"):
            head = json.loads(content)
            versions[name] = (str(head["suite"]), int(head["specification"]))
    if not versions:
        raise VectorsError(f"{directory} has no cases")
    if len(set(versions.values())) > 1:
        raise VectorsError(f"the files of {directory} have different versions: {versions}")
    version, specification = next(iter(versions.values()))
    if specification != int(SPEC_VERSION.partition(".")[0]):
        raise VectorsError(
            f"{directory} tests version {specification} of the specification, not version {SPEC_VERSION}"
        )
    cases = tuple(load_cases(directory))
    ids = [case.id for case in cases]
    if len(set(ids)) < len(ids):
        twice = next(case_id for case_id in ids if ids.count(case_id) > 1)
        raise VectorsError(f"{directory} has two cases with the id {twice}")
    return Suite(version, specification, suite_digest(directory), _data_digest(), cases)


def _data_digest() -> str:
    return hashlib.sha256((data_path(_SPEC_DATA) / "SHA256SUMS").read_bytes()).hexdigest()
