"""Write the list of frozen cases of a release, or check that no frozen case has changed.

    python conformance/freeze.py VERSION    write conformance/frozen/VERSION.txt, once a release
    python conformance/freeze.py --check    exit 1 if a frozen case is missing or has another input or answer

Each line holds the id of a case and a digest of its operation, inputs and expected
answer, or the name of a document and its digest. Comments, requirements and flags of
a case may be reworded; these may not.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent / "vectors"
FROZEN = Path(__file__).parent / "frozen"
_FROZEN_MEMBERS = ("op", "input", "same", "before", "expected")


def digest(case: Mapping[str, Any]) -> str:
    """Return a digest of the request and the expected answer of a case."""
    frozen = {name: case[name] for name in _FROZEN_MEMBERS if name in case}
    return hashlib.sha256(json.dumps(frozen, sort_keys=True).encode()).hexdigest()[:32]


def present(vectors: Path = VECTORS) -> dict[str, str]:
    """Return the digest of each case by its id, and of each document by its name."""
    cases = {
        case["id"]: digest(case)
        for file in sorted(vectors.glob("cases-*.json"))
        for case in json.loads(file.read_text("utf-8"))["cases"]
    }
    documents = {
        path.relative_to(vectors).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()[:32]
        for path in sorted((vectors / "extraction").iterdir())
    }
    return cases | documents


def differences(frozen: Path, cases: Mapping[str, str]) -> list[str]:
    """Return the ids of frozen cases that are missing or changed."""
    lines = [line.split() for line in frozen.read_text(encoding="utf-8").splitlines()]
    return [case_id for case_id, expected in lines if cases.get(case_id) != expected]


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    cases = present()
    if arguments[0] != "--check":
        lines = [f"{case_id} {cases[case_id]}\n" for case_id in sorted(cases)]
        (FROZEN / f"{arguments[0]}.txt").write_text("".join(lines), encoding="utf-8")
        return 0
    changed = {file.stem: differences(file, cases) for file in sorted(FROZEN.glob("*.txt"))}
    for version, ids in changed.items():
        for case_id in ids:
            print(f"{case_id}: frozen in {version}, now missing or changed")
    return 1 if any(changed.values()) or not changed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
