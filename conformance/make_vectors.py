"""Generate the published test vectors, `conformance/vectors/`.

    python conformance/make_vectors.py            write them
    python conformance/make_vectors.py --check    exit 1 if a file would change

Expected answers come from the reference (`simhash_doc.reference`). The generators define the requests.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

from generators import extraction
from generators.case_builder import Draft

from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import with_document
from simhash_doc.conformance.extraction import TRUTH, fingerprint_of, remember
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants.analysis import wrong_answers
from simhash_doc.engines.unicode_data import members, normalize

VECTORS = Path(__file__).parent / "vectors"
FROZEN = Path(__file__).parent / "frozen"
COMMAND = "python conformance/make_vectors.py"
SUITE, SPECIFICATION = "1.0.0-rc.1", 1
GROUPS = (
    "reading", "pieces", "folding", "links", "cutting", "counting", "text_form", "comparing", "languages", "extraction",
)  # fmt: skip
_PLAIN = set("\n“”„‘’«»…—–、。「」，？！：；・¿¡·।॥፡፣።၊။។،؟؛")


def drafts() -> Iterator[tuple[str, Draft]]:
    """Yield (group, draft) of every case, in order."""
    for group in GROUPS:
        for generate in import_module(f"generators.{group}").GENERATORS:
            for draft in generate():
                yield group, draft
                if draft.op == "tokens" and draft.language is None:
                    yield group, _as_fingerprint(draft)


def _as_fingerprint(draft: Draft) -> Draft:
    """Return the same case for implementations that expose only fingerprints."""
    return replace(draft, id=f"{draft.id}/fingerprint", op="fingerprint", members={**draft.members, "scheme": "sd64"})


def expected(draft: Draft) -> dict[str, Any]:
    if draft.op == "extract":
        return expected_text(draft)
    answer = Adapter(Implementation()).answer({"id": 0, "op": draft.op, **draft.members})
    if "result" not in answer and "error" not in answer:
        raise SystemExit(f"{draft.id}: the reference does not answer: {answer}")
    return {name: value for name, value in answer.items() if name != "id"}


def expected_text(draft: Draft) -> dict[str, Any]:
    """Return the fingerprint of the text as its author wrote it, and the maximum distance of an extracted text."""
    if draft.same:
        return {}
    if "negative" in draft.flags:
        return {"error": "no-text"}
    file = draft.members["file"]
    work = extraction.documents()[file.removeprefix(f"{extraction.FOLDER}/")].work
    fingerprint = fingerprint_of("\n\n".join(part.text for part in work.parts))
    assert fingerprint is not None
    return {"result": {"fingerprint": str(fingerprint), "distance": extraction.tolerance(file)}}


def row(draft: Draft) -> dict[str, Any]:
    """Return a case as in the vector files."""
    answer = expected(draft)
    if draft.op == "tokens" and "result" in answer:
        answer["result"].sort(key=lambda token: token.encode("utf-8"))
    fields: dict[str, Any] = {
        "id": draft.id,
        "op": draft.op,
        "comment": draft.comment,
        "requirements": list(draft.requirements),
        "since": since(draft.id),
        "flags": list(draft.flags),
        "input": dict(draft.members),
        "expected": answer,
    }
    if draft.op == "extract":
        fields["format"] = extraction.format_of(draft.members["file"])
    if draft.language:
        fields["language"] = draft.language
    if draft.same:
        fields["same"] = [dict(other) for other in draft.same]
    return fields


@cache
def first_versions() -> dict[str, str]:
    """Return the first version of the suite that has each frozen case, by its id."""
    found: dict[str, str] = {}
    for path in sorted(FROZEN.glob("*.txt"), key=lambda path: version_key(path.stem)):
        for line in path.read_text(encoding="utf-8").splitlines():
            found.setdefault(line.split()[0], path.stem)
    return found


def version_key(version: str) -> tuple[list[int], bool, str]:
    """Return the key by which versions are in order; a release candidate precedes its release."""
    core, dash, candidate = version.partition("-")
    return [int(part) for part in core.split(".")], not dash, candidate


def since(case_id: str) -> str:
    """Return the version of the suite that introduced a case."""
    return first_versions().get(case_id, SUITE)


def dump(value: dict[str, Any]) -> str:
    """Return one line of JSON, escaped unless all of it is readable."""
    readable = json.dumps(value, ensure_ascii=False)
    plain = all(c.isascii() or c in _PLAIN or members("word")[ord(c)] for c in readable)
    return readable if plain and normalize("NFC", readable) == readable else json.dumps(value)


def render(group: str, rows: list[dict[str, Any]]) -> bytes:
    head = {"suite": SUITE, "specification": SPECIFICATION, "generated_by": COMMAND, "group": group}
    lines = ",\n".join(dump(fields) for fields in rows)
    return f'{json.dumps(head)[:-1]}, "cases": [\n{lines}\n]}}\n'.encode()


def build() -> dict[str, bytes]:
    """Return the content of every file of the vectors."""
    grouped = {group: [draft for _, draft in pairs] for group, pairs in groupby(drafts(), key=lambda pair: pair[0])}
    with ProcessPoolExecutor(initializer=_remember_documents) as pool:
        rows = {group: list(pool.map(row, listed, chunksize=8)) for group, listed in grouped.items()}
        every = [fields for listed in rows.values() for fields in listed]
        identifiers = [fields["id"] for fields in every]
        if len(identifiers) != len(set(identifiers)):
            raise SystemExit(f"duplicate id: {sorted(i for i in identifiers if identifiers.count(i) > 1)[0]}")
        wrong = dict(zip(identifiers, pool.map(_wrong_answers, every, chunksize=4), strict=True))
    files = {
        **extraction.files(),
        TRUTH: f"{json.dumps(extraction.truth(), ensure_ascii=False, indent=1)}\n".encode(),
    }
    files |= {f"cases-{group.replace('_', '-')}.json": render(group, listed) for group, listed in rows.items()}
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in wrong.items())
    head = json.dumps({"suite": SUITE, "generated_by": COMMAND})[:-1]
    files["wrong-answers.json"] = f'{head}, "answers": {{\n{lines}\n}}}}\n'.encode()
    digests = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return {**files, "SHA256SUMS": digests.encode()}


def _remember_documents() -> None:
    """Let the mutants know the documents that are about to be published."""
    remember(extraction.truth(), extraction.files().__getitem__)


def _wrong_answers(fields: dict[str, Any]) -> dict[str, list[str]]:
    if fields["op"] != "extract":
        return wrong_answers(fields)
    documents = extraction.files()
    return wrong_answers({**fields, "input": with_document(fields["input"], documents)})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    check = parser.parse_args().check
    files = build()
    VECTORS.mkdir(exist_ok=True)
    stale = [name for name, content in files.items() if not _holds(VECTORS / name, content)]
    there = (path.relative_to(VECTORS).as_posix() for path in VECTORS.rglob("*") if path.is_file())
    stale += [name for name in there if name not in files]
    if not check:
        for name in stale:
            path = VECTORS / name
            if name in files:
                path.parent.mkdir(exist_ok=True)
                partial = path.with_suffix(".partial")
                partial.write_bytes(files[name])
                partial.replace(path)
            else:
                path.unlink()
    if stale:
        print(f"{'out of date' if check else 'written'}: {', '.join(sorted(stale))}")
    return 1 if stale and check else 0


def _holds(path: Path, content: bytes) -> bool:
    return path.exists() and path.read_bytes() == content


if __name__ == "__main__":
    sys.exit(main())
