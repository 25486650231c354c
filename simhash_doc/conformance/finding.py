"""A wrong answer to a generated request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.errors import PeerError


@dataclass(frozen=True, slots=True)
class Finding:
    """The smallest request found that the implementation answers wrongly, as a case ready to be submitted.

    Attributes:
        case: the request and the expected answer.
        answer: of the implementation; empty if its process failed.
        failure: of its process.
    """

    case: Case
    answer: Mapping[str, Any]
    failure: PeerError | None = None
