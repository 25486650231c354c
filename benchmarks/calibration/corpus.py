"""Loads a corpus of documents with ground truth. README.md in this folder describes its layout."""

from __future__ import annotations

import argparse
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
    """A document, with the members of its row in the manifest.

    Attributes:
        row: number of the document in the manifest, from 0: its row in a table of fingerprints.
        path: the text of the document, in UTF-8.
        orig: the file from which the text was extracted, or None.
        format: the member `medium`: format of the document.
    """

    id: str
    row: int
    kind: str
    lang: str
    path: Path
    orig: Path | None
    format: str
    docfamily: str
    tokens: int
    source: str
    licence: str


@dataclass(frozen=True, slots=True)
class TruePair:
    """Two versions of one work: their ids, and the Jaccard similarity of their sets of token 3-grams."""

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
    """A corpus.

    Attributes:
        documents: the documents by id, in the order of the manifest.
        pairs: the pairs of documents that are versions of one work.
        residue: pairs of ids of unrelated documents that overlap, and that are not used as negatives.
    """

    documents: dict[str, Document]
    pairs: list[TruePair]
    residue: frozenset[frozenset[str]] = field(default_factory=frozenset)

    @property
    def unrelated(self) -> dict[str, list[Document]]:
        """The documents that form negatives, by language. Languages with one document family are left out."""
        found: dict[str, list[Document]] = {}
        for document in self.documents.values():
            if document.kind == UNRELATED:
                found.setdefault(document.lang, []).append(document)
        return {lang: found[lang] for lang in sorted(found) if len({one.docfamily for one in found[lang]}) > 1}

    def originals(self, pair: TruePair) -> int:
        """Return the number of documents of a pair that have their original, 0 to 2."""
        return sum(self.documents[one].orig is not None for one in (pair.a, pair.b))

    def describe(self) -> dict[str, Any]:
        """Return the size of the corpus, its sources and its licences."""
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
    """Return the name of the set of true pairs to which a pair belongs."""
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
            **{name: _member(row, name, where) for name in ("id", "kind", "lang", "docfamily")},
            row=len(documents),
            format=_member(row, "medium", where),
            path=folder / _member(row, "path", where),
            orig=folder / row["orig"] if row.get("orig") else None,
            tokens=int(row.get("tokens", 0)),
            source=row.get("source", ""),
            licence=row.get("licence", ""),
        )
        if not document.path.is_file():
            raise LayoutError(f"{where}: the file {document.path} does not exist")
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


def corpus_argument(folder: str) -> Corpus:
    """Read the corpus that an argument of the command line names."""
    try:
        return load(Path(folder))
    except LayoutError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the position and the content of each row of a file of JSON lines."""
    if not path.is_file():
        raise LayoutError(f"the file {path} does not exist; benchmarks/calibration/README.md describes the layout")
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
        raise LayoutError(f"{where}: the member {name!r} is missing")
    return row[name]


def _require_known(a: object, b: object, documents: dict[str, Document], where: str) -> None:
    for one in (a, b):
        if one not in documents:
            raise LayoutError(f"{where}: the document {one!r} is not in the manifest")
