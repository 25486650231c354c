"""Generate the published test vectors, `conformance/vectors/`.

    python conformance/make_vectors.py                  write them
    python conformance/make_vectors.py --check          exit 1 if a file would change
    python conformance/make_vectors.py --mutants        compute all answers of mutants, after a change of one
    python conformance/make_vectors.py --all            compute the answers to huge cases, too; takes hours

Otherwise those that are published are taken, except for a sample: new cases and mutants are computed.

Expected answers come from the reference (`simhash_doc.reference`). The generators define the requests.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from generators import extraction
from generators.case_builder import Draft
from simhash_doc.unicode_data import members, normalize
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.mutants.analysis import answers_file, named_answers, wrong_answers
from simhash_doc_conformance.protocol import BY_RUNNER, SEARCHES
from simhash_doc_conformance.vectors.cases import schemes_of, with_document
from simhash_doc_conformance.vectors.extraction import TRUTH, fingerprint_of, remember
from simhash_doc_conformance.vectors.inputs import described_size, without_recipe

VECTORS = Path(__file__).parent / "vectors"
FROZEN = Path(__file__).parent / "frozen"
COMMAND = "python conformance/make_vectors.py"
SUITE, SPECIFICATION = "1.0.0-rc.4", 1
GROUPS = (
    "reading", "pieces", "folding", "links", "cutting", "counting", "text_form", "comparing", "languages", "extraction",
    "reading_coverage", "unicode_tables", "composition", "link_grammar", "limits", "dense", "hash_coverage",
    "text_errors", "index_coverage", "index_sizes", "narrowing", "tracing", "neighbours",
    "collisions", "borders", "piece_borders", "link_neighbours", "shortcuts",
    "carried", "kept", "signatures", "markup", "lanes", "digits", "ids", "equal_tokens", "link_ends", "link_shapes",
    "parts", "beyond",
)  # fmt: skip
LARGE, HUGE = 15_000, 500_000  # characters
CORE_BYTES = 99_700  # of cases-core.json, with its head under 100 KB
PLAIN_BYTES, PLAIN_CHARACTERS = 59_700, 700  # of plain.json, and of its longest text
_NOT_PLAIN = {"recipe", "utf16", "digest"}  # members of an input that a unit test cannot use as they are
CORE_TRAPS = (  # what implementers got wrong, or could have, and what few bytes show
    "decode/form-trailing-line", "decode/character-kelvin", "read/borders",
    "read/units-last-high", "fold/marks-then-fewer", "split/kanji-zero", "links/mail-label-64", "hash/length-003",
    "query/mixed-queries-only", "trace/doi-without-suffix",
)  # fmt: skip
QUICK = {"sums/more-than-16-bit"}  # large cases that are quick, and show what no small one can
SAMPLED = 25  # one case in so many, if it is not large, has the answers of all mutants checked
_PLAIN = set("\n“”„‘’«»…—–、。「」，？！：；・¿¡·।॥፡፣።၊။។،؟؛")


def drafts() -> Iterator[tuple[str, Draft]]:
    """Yield (group, draft) of every case, in order. Large cases are a separate group."""
    for module in GROUPS:
        for generate in import_module(f"generators.{module}").GENERATORS:
            for draft in map(_flagged, generate()):
                group = "large" if "large" in draft.flags and draft.op not in BY_RUNNER else module
                yield group, draft
                if draft.op == "tokens" and draft.language is None and "digest" not in draft.members:
                    yield group, _as_fingerprint(draft)


def _flagged(draft: Draft) -> Draft:
    """Return the same case with the flags of its size, and SD-LIMIT-2 if no implementation may refuse it."""
    size = described_size(draft.members["recipe"]) if "recipe" in draft.members else 0
    flags = [flag for flag, least in (("large", LARGE), ("huge", HUGE)) if size > least and flag not in draft.flags]
    flags += ["nul"] if _has_nul(draft.members) else []
    flags += ["quick"] if draft.id in QUICK else []
    accepted = "large" in (*draft.flags, *flags) and size <= HUGE and "SD-LIMIT-2" not in draft.requirements
    requirements = (*draft.requirements, "SD-LIMIT-2") if accepted else draft.requirements
    return replace(draft, flags=(*draft.flags, *flags), requirements=requirements)


def _has_nul(value: Any) -> bool:
    """Return True if an input contains U+0000, which the strings of some languages cannot hold."""
    if isinstance(value, str):
        return "\0" in value
    if isinstance(value, Mapping):
        units = bytes.fromhex(value.get("utf16", ""))
        nul_unit = b"\0\0" in (units[at : at + 2] for at in range(0, len(units), 2))
        nul_byte = "bytes" in value and 0 in bytes.fromhex(value["bytes"])
        return nul_unit or nul_byte or value.get("scalars", [1])[0] == 0 or any(map(_has_nul, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_nul, value))


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
    return {"result": {"fingerprint": fingerprint, "distance": extraction.tolerance(file)}}


def row(draft: Draft, known: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a case as in the vector files. Known answers are not computed again."""
    answer = known.get(draft.id) or expected(draft)
    if draft.op == "tokens" and isinstance(answer.get("result"), list):
        answer["result"].sort(key=lambda token: token.encode("utf-8"))
    fields: dict[str, Any] = {
        "id": draft.id,
        "op": draft.op,
        "comment": draft.comment,
        "requirements": list(draft.requirements),
        "since": since(draft.id),
        "flags": list(draft.flags),
        "schemes": sorted(schemes_of(draft.op, draft.members)),
        "input": dict(draft.members),
        "expected": answer,
    }
    if draft.op == "extract":
        fields["format"] = extraction.format_of(draft.members["file"])
    if draft.language:
        fields["language"] = draft.language
    if draft.same:
        fields["same"] = [dict(other) for other in draft.same]
    if draft.before:
        fields["before"] = [dict(other) for other in draft.before]
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


def is_costly(fields: Mapping[str, Any]) -> bool:
    """Return True for a case that is only for the mutants that no smaller one kills."""
    return "huge" in fields["flags"] or ("large" in fields["flags"] and fields["op"] in SEARCHES)


def _cost(fields: Mapping[str, Any]) -> int:
    """Return about how many characters or entries a costly case has."""
    entries = fields["input"].get("entries", [])
    count = entries["count"] if isinstance(entries, Mapping) else len(entries)
    return described_size(fields["input"].get("recipe", "")) + int(count)


def since(case_id: str) -> str:
    """Return the version of the suite that introduced a case."""
    return first_versions().get(case_id, SUITE)


def dump(value: dict[str, Any]) -> str:
    """Return one line of JSON, escaped unless all of it is readable."""
    readable = json.dumps(value, ensure_ascii=False)
    plain = all(c.isascii() or c in _PLAIN or members("word")[ord(c)] for c in readable)
    return readable if plain and normalize("NFC", readable) == readable else json.dumps(value)


def render(group: str, rows: list[dict[str, Any]]) -> bytes:
    head = {"suite": SUITE, "specification": SPECIFICATION, "generated_by": COMMAND, "group": group.replace("_", "-")}
    lines = ",\n".join(dump(fields) for fields in rows)
    return f'{json.dumps(head)[:-1]}, "cases": [\n{lines}\n]}}\n'.encode()


@dataclass(frozen=True)
class Published:
    """Published answers that are not computed again, by case: the right ones, and those of mutants."""

    expected: Mapping[str, dict[str, Any]]
    wrong: Mapping[str, dict[str, list[str]]]
    inputs: Mapping[str, dict[str, Any]]

    def has_input(self, case: str, members: Mapping[str, Any] | None) -> bool:
        """Return True if a case was published with this input."""
        return bool(self.inputs.get(case) == json.loads(json.dumps(members)))

    @classmethod
    def read(cls) -> Published:
        """Return the right answers to huge cases, and the wrong ones to all cases but a sample of those not large."""
        cases = [case for path in VECTORS.glob("cases-*.json") for case in _member(path, "cases")]
        huge = {case["id"]: case["expected"] for case in cases if is_costly(case)}
        large = {case["id"] for case in cases if "large" in case["flags"]}  # the step mutants has mutants for them
        answers = named_answers((VECTORS / "wrong-answers.json").read_bytes()).items()
        names, old = mutants(), {case["id"]: case["input"] for case in cases}
        kept = {
            case: {digest: known for digest, listed in wrong.items() if (known := [n for n in listed if n in names])}
            for number, (case, wrong) in enumerate(answers)
            if number % SAMPLED or case in large
        }
        return cls(huge, kept, old)


def _member(path: Path, name: str) -> Any:
    return json.loads(path.read_bytes())[name]


def build(published: Published) -> dict[str, bytes]:
    """Return the content of every file of the vectors."""
    grouped: dict[str, list[Draft]] = {}
    for group, draft in drafts():
        grouped.setdefault(group, []).append(draft)
    with ProcessPoolExecutor(initializer=_remember_documents) as pool:
        of_drafts = {draft.id: draft.members for listed in grouped.values() for draft in listed}
        known = {
            case: answer
            for case, answer in published.expected.items()
            if published.has_input(case, of_drafts.get(case))
        }
        make = partial(row, known=known)
        rows = {g: list(pool.map(make, listed, chunksize=1 if g == "large" else 8)) for g, listed in grouped.items()}
        every = [fields for listed in rows.values() for fields in listed]
        identifiers = [fields["id"] for fields in every]
        if len(identifiers) != len(set(identifiers)):
            raise SystemExit(f"duplicate id: {sorted(i for i in identifiers if identifiers.count(i) > 1)[0]}")
        # A document may have changed although its name has not.
        same = {f["id"] for f in every if f["op"] != "extract" and published.has_input(f["id"], f["input"])}
        wrong = _all_wrong_answers(
            pool, every, {case: wrong for case, wrong in published.wrong.items() if case in same}
        )
    files = {
        **extraction.files(),
        TRUTH: f"{json.dumps(extraction.truth(), ensure_ascii=False, indent=1)}\n".encode(),
    }
    files |= {f"cases-{group.replace('_', '-')}.json": render(group, listed) for group, listed in rows.items()}
    usable = [f for f in every if f["op"] != "extract" and not {"huge", "nul"}.intersection(f["flags"])]
    files["core/cases-core.json"] = render("core", core(usable, wrong, CORE_BYTES, CORE_TRAPS))
    files["core/plain.json"] = render("core-plain", core(list(plain(usable)), wrong, PLAIN_BYTES))
    files["wrong-answers.json"] = answers_file(wrong, {"suite": SUITE, "generated_by": COMMAND})
    digests = "".join(f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return {**files, "SHA256SUMS": digests.encode()}


def plain(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield what a unit test needs of the cases that it can use as they are written; short recipes are written out."""
    for fields in rows:
        members = fields["input"]
        if "recipe" in members and described_size(members["recipe"]) <= PLAIN_CHARACTERS:
            members = without_recipe(members)
        steps = [step for step in members.get("steps", ()) if isinstance(step, Mapping)]
        entries = [members.get("entries"), *(step.get("insert") for step in steps)]
        lists = [*entries, *(members.get(name) for name in ("queries", "tokens", "steps"))]
        described = any(isinstance(listed, Mapping) for listed in lists)
        if (
            fields["expected"]
            and not {"same", "before"} & fields.keys()
            and not described
            and not _NOT_PLAIN & members.keys()
        ):
            yield {"id": fields["id"], "op": fields["op"], "input": members, "expected": fields["expected"]}


def core(
    usable: list[dict[str, Any]], wrong: Mapping[str, dict[str, list[str]]], most: int, always: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    """Return the cases to copy into another repository: some always, and those that kill most per byte.

    After each greedy choice, cases whose kills the others repeat make room for more.
    """
    killed = {case: {name for names in answers.values() for name in names} for case, answers in wrong.items()}
    size = {f["id"]: len(dump(f).encode()) + 2 for f in usable}
    traps = {case for case in size if case.startswith(always)} if always else set()
    chosen = set(traps)
    for _ in range(3):
        dead = {name for case in chosen for name in killed[case]}
        room = most - sum(size[case] for case in chosen)
        left = set(size) - chosen
        while left:
            best = max(left, key=lambda case: (len(killed[case] - dead) / size[case], case))
            if not killed[best] - dead:
                break
            if size[best] <= room:
                chosen.add(best)
                dead |= killed[best]
                room -= size[best]
            left.remove(best)
        counts = Counter(name for case in chosen for name in killed[case])
        for case in sorted(chosen - traps, key=lambda case: (-size[case], case)):
            if all(counts[name] > 1 for name in killed[case]):
                chosen.remove(case)
                counts.subtract(killed[case])
    return [fields for fields in usable if fields["id"] in chosen]


def _remember_documents() -> None:
    """Register the documents that are about to be published with the mutants."""
    remember(extraction.truth(), extraction.files().__getitem__)


def _all_wrong_answers(
    pool: ProcessPoolExecutor, rows: list[dict[str, Any]], known: Mapping[str, dict[str, list[str]]]
) -> dict[str, dict[str, list[str]]]:
    """Return the wrong answers to each case. A costly case is only for the mutants that no smaller one kills."""
    new = mutants().keys() - _names(known)
    listed = [fields for fields in rows if not is_costly(fields)]
    only = [new if fields["id"] in known else None for fields in listed]
    found = dict(zip((f["id"] for f in listed), pool.map(_wrong_answers, listed, only, chunksize=4), strict=True))
    killed = _names(found) | _names({case: known[case] for case in known if case in found})
    for case, answers in known.items():
        for digest, names in answers.items():
            left = names if case in found else [name for name in names if name not in killed]
            if left:
                found.setdefault(case, {}).setdefault(digest, []).extend(left)
    killed = _names(found)
    alive = [name for name, mutant in mutants().items() if name not in killed and mutant.equivalent is None]
    huge = sorted(filter(is_costly, rows), key=_cost)
    for killer, answers in pool.map(partial(_first_killer, huge), alive):
        for digest, names in answers.items():
            found.setdefault(killer, {}).setdefault(digest, []).extend(names)
    return {fields["id"]: _in_order(found.get(fields["id"], {})) for fields in rows}


def _names(found: Mapping[str, dict[str, list[str]]]) -> set[str]:
    return {name for answers in found.values() for names in answers.values() for name in names}


def _in_order(answers: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return wrong answers sorted, whatever the order of the catalogue of mutants."""
    return {digest: sorted(names) for digest, names in sorted(answers.items())}


def _first_killer(rows: list[dict[str, Any]], mutant: str) -> tuple[str, dict[str, list[str]]]:
    """Return the first case that a mutant answers wrongly, and its answer; nothing if there is none."""
    for fields in rows:
        if answers := _wrong_answers(fields, only={mutant}):
            return fields["id"], answers
    return "", {}


def _wrong_answers(fields: dict[str, Any], only: Container[str] | None = None) -> dict[str, list[str]]:
    if fields["op"] != "extract":
        return wrong_answers(fields, only)
    documents = extraction.files()
    return wrong_answers({**fields, "input": with_document(fields["input"], documents)}, only)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file would change")
    parser.add_argument("--mutants", action="store_true", help="compute all answers of mutants, too")
    parser.add_argument("--all", action="store_true", help="compute huge cases and all answers of mutants, too")
    options = parser.parse_args()
    check = options.check
    published = Published({}, {}, {}) if options.all else Published.read()
    if options.mutants:  # those of costly cases are of the mutants that no other case kills
        costly = {case: wrong for case, wrong in published.wrong.items() if case in published.expected}
        published = replace(published, wrong=costly)
    files = build(published)
    VECTORS.mkdir(exist_ok=True)
    stale = [name for name, content in files.items() if not _holds(VECTORS / name, content)]
    there = (path.relative_to(VECTORS).as_posix() for path in VECTORS.rglob("*") if path.is_file())
    stale += [name for name in there if name not in files and name != "README.md"]
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
