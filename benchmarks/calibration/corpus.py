"""Loads a corpus of documents with ground truth. README.md in this folder describes its layout."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measuring import parser_of

UNRELATED, REVISION, CROSS_MEDIA = "unrelated", "revision", "cross-media"


@dataclass(frozen=True, slots=True)
class Document:
    """A document, with the members of its row in the manifest.

    Attributes:
        row: number of the document in the manifest, from 0: its row in a table of fingerprints.
        path: the text of the document, in UTF-8.
        orig: the file from which the text was extracted, or None.
        synthetic: it was generated from another document.
    """

    id: str
    row: int
    kind: str
    lang: str
    path: Path
    orig: Path | None
    docfamily: str
    tokens: int
    source: str
    licence: str
    synthetic: bool

    @property
    def text(self) -> str:
        """The text of the document; ill-formed parts become U+FFFD."""
        return self.path.read_bytes().decode("utf-8", errors="replace")


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


def load(path: str | Path) -> Corpus:
    """Read the corpus in a folder. A row that lacks a member raises KeyError."""
    folder, documents = Path(path), dict[str, Document]()
    for number, row in enumerate(_rows(folder / "MANIFEST.jsonl")):
        documents[row["id"]] = Document(
            id=row["id"],
            row=number,
            kind=row["kind"],
            lang=row["lang"],
            path=folder / row["path"],
            orig=folder / row["orig"] if row.get("orig") else None,
            docfamily=row["docfamily"],
            tokens=row.get("tokens", 0),
            source=row.get("source", ""),
            licence=row.get("licence", ""),
            synthetic=bool(row.get("synthetic")),
        )
    pairs = [
        TruePair(
            a=row["a"],
            b=row["b"],
            relation=row["relation"],
            jaccard=row["gram3_jaccard"],
            group=row.get("group", row["a"]),
            edit_class=row.get("edit_class"),
            synthetic=bool(row.get("synthetic")),
            hard=bool(row.get("hard")),
        )
        for row in _rows(folder / "pairs.jsonl")
    ]
    residue = folder / "related_residue.jsonl"
    related = _rows(residue) if residue.exists() else ()
    return Corpus(documents, pairs, frozenset(frozenset((row["a"], row["b"])) for row in related))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def corpus_parser(documentation: str | None) -> ArgumentParser:
    """Return a parser of arguments whose first one is the folder of a corpus, which is loaded."""
    parser = parser_of(documentation)
    parser.add_argument("corpus", type=load, metavar="CORPUS_DIR")
    return parser


def corpus_of_arguments(documentation: str | None) -> Corpus:
    """Return the corpus in the folder that is the only argument of the command line."""
    corpus: Corpus = corpus_parser(documentation).parse_args().corpus
    return corpus
