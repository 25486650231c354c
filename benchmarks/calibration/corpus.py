"""A corpus of documents with ground truth, in the layout that README.md beside this file describes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

UNRELATED, REVISION, CROSS_MEDIA = "unrelated", "revision", "cross-media"


class LayoutError(ValueError):
    """The corpus is not in the documented layout."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document: `path` is its text in UTF-8, `orig` the file that the text was taken from, if there is one."""

    id: str
    kind: str
    lang: str
    path: Path
    orig: Path | None
    medium: str
    docfamily: str
    tokens: int
    source: str
    licence: str


@dataclass(frozen=True, slots=True)
class TruePair:
    """Two states of one work. `a` and `b` are ids; `jaccard` is that of the sets of token 3-grams."""

    a: str
    b: str
    relation: str
    jaccard: float
    group: str
    edit_class: str | None
    synthetic: bool
    hard: bool


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents by id, in the order of the manifest, with what is known of their relations."""

    documents: dict[str, Document]
    pairs: list[TruePair]
    residue: frozenset[frozenset[str]] = field(default_factory=frozenset)

    @property
    def unrelated(self) -> dict[str, list[Document]]:
        """The documents of which negatives are made, by language, languages of one document left out."""
        found: dict[str, list[Document]] = {}
        for document in self.documents.values():
            if document.kind == UNRELATED:
                found.setdefault(document.lang, []).append(document)
        return {lang: found[lang] for lang in sorted(found) if len({one.docfamily for one in found[lang]}) > 1}

    def describe(self) -> dict[str, Any]:
        """Return what the corpus holds, in numbers, and where it comes from."""
        documents = self.documents.values()
        return {
            "documents": len(self.documents),
            "languages": len({one.lang for one in documents}),
            "unrelated_documents": sum(one.kind == UNRELATED for one in documents),
            "unrelated_languages": len(self.unrelated),
            "tokens_median": sorted(one.tokens for one in documents)[len(self.documents) // 2],
            "pairs": dict(Counter(group_of(pair) for pair in self.pairs)),
            "left_out_as_residue": len(self.residue),
            "sources": len({one.source for one in documents}),
            "licences": dict(Counter(one.licence.strip() for one in documents).most_common()),
        }


def group_of(pair: TruePair) -> str:
    """Return the set of true pairs that a pair is scored with."""
    if pair.relation == REVISION:
        return REVISION
    if pair.hard:
        return "cross-media, hard"
    return "cross-media, synthetic" if pair.synthetic else "cross-media"


def load(folder: Path) -> Corpus:
    """Read a corpus.

    Raises:
        LayoutError: a file is missing or a row lacks a member; the message names it.
    """
    documents = {}
    for where, row in _rows(folder / "MANIFEST.jsonl"):
        document = Document(
            **{name: _member(row, name, where) for name in ("id", "kind", "lang", "medium", "docfamily")},
            path=folder / _member(row, "path", where),
            orig=folder / row["orig"] if row.get("orig") else None,
            tokens=int(row.get("tokens", 0)),
            source=row.get("source", ""),
            licence=row.get("licence", ""),
        )
        if not document.path.is_file():
            raise LayoutError(f"{where}: there is no file {document.path}")
        documents[document.id] = document
    pairs = []
    for where, row in _rows(folder / "pairs.jsonl"):
        pair = TruePair(
            **{name: _member(row, name, where) for name in ("a", "b", "relation")},
            jaccard=float(_member(row, "gram3_jaccard", where)),
            group=row.get("group", row["a"]),
            edit_class=row.get("edit_class"),
            synthetic=bool(row.get("synthetic")),
            hard=bool(row.get("hard")),
        )
        _require_known(pair.a, pair.b, documents, where)
        pairs.append(pair)
    residue = set()
    if (folder / "related_residue.jsonl").exists():
        for where, row in _rows(folder / "related_residue.jsonl"):
            _require_known(row.get("a"), row.get("b"), documents, where)
            residue.add(frozenset((row["a"], row["b"])))
    return Corpus(documents, pairs, frozenset(residue))


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each row of a file of JSON lines with the place where it stands."""
    if not path.is_file():
        raise LayoutError(f"there is no {path}; the layout is described in benchmarks/calibration/README.md")
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            where = f"{path}, line {number}"
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise LayoutError(f"{where}: not JSON: {error}") from None
            if not isinstance(row, dict):
                raise LayoutError(f"{where}: not a JSON object")
            yield where, row


def _member(row: dict[str, Any], name: str, where: str) -> Any:
    if name not in row:
        raise LayoutError(f"{where}: no {name!r}")
    return row[name]


def _require_known(a: object, b: object, documents: dict[str, Document], where: str) -> None:
    for one in (a, b):
        if one not in documents:
            raise LayoutError(f"{where}: no document {one!r} in the manifest")
