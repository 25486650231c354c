"""`simhash-doc index info` and `verify`: what a saved index holds, and whether it is valid."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click

from simhash_doc.cli.documents import output_option, printing
from simhash_doc.cli.index_io import index_argument, open_error, open_index
from simhash_doc.cli.messages import counted
from simhash_doc.ingest.provenance import Provenance
from simhash_doc.lookup.arrays import scheme_of
from simhash_doc.lookup.errors import CorruptIndexError
from simhash_doc.lookup.index_file import check_tables, load_corpus
from simhash_doc.lookup.segmented.corpus import SegmentedCorpus
from simhash_doc.lookup.segmented.verification import find_problems

Fields = dict[str, int | str]


@click.command()
@index_argument
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@output_option
def info(index: str, output_format: str, output: str) -> None:
    """Print the size and the parameters of INDEX, without reading all of it."""
    try:
        fields, provenances = _directory_fields(index) if os.path.isdir(index) else _file_fields(index)
    except (OSError, CorruptIndexError) as error:
        raise open_error(index, error) from error
    with printing(output) as show:
        if output_format == "json":
            show(json.dumps({**fields, "provenance": [one.to_dict() for one in provenances]}))
            return
        for name, value in fields.items():
            show(f"{name:<12} {value if isinstance(value, str) else format(value, ','):>15}")


@click.command()
@index_argument
@output_option
def verify(index: str, output: str) -> None:
    """Check INDEX thoroughly.

    Compares all checksums, and checks that the tables are sorted and hold the same fingerprints. Of a directory, every
    file that is corrupt or missing is reported.
    """
    try:
        what = _verified_directory(index) if os.path.isdir(index) else _verified_file(index)
    except (OSError, CorruptIndexError) as error:
        raise open_error(index, error) from error
    with printing(output) as show:
        show(f"{index}: valid: {what}")


def _file_fields(index: str) -> tuple[Fields, tuple[Provenance, ...]]:
    saved = load_corpus(index, verify=False)
    fields: Fields = {
        "scheme": scheme_of(saved.segment.values).id,
        "fingerprints": len(saved.segment),
        "paths": len(saved.ids.values) if saved.ids else 0,
        "distance": saved.blocking.distance,
        "blocks": saved.blocking.blocks,
        "tables": len(saved.segment.tables),
        "bytes": saved.size,
    }
    return fields, saved.provenances


def _directory_fields(index: str) -> tuple[Fields, tuple[Provenance, ...]]:
    corpus = SegmentedCorpus.open(index, verify=False)
    manifest = corpus.manifest
    fields: Fields = {
        "scheme": corpus.scheme.id,
        "fingerprints": len(corpus),
        "paths": manifest.ids,
        "distance": corpus.distance,
        "blocks": corpus.blocks,
        "tables": len(manifest.blocking),
        "bytes": sum(os.path.getsize(os.path.join(index, name)) for name in corpus.files()),
        "segments": sum(part.is_segment for part in manifest.parts),
        "removed": manifest.stored - len(corpus),
    }
    return fields, corpus.provenances


def _verified_file(index: str) -> str:
    saved = load_corpus(index)
    check_tables(index, saved)
    return f"{counted(len(saved.segment), 'fingerprint')} in {counted(len(saved.segment.tables), 'table')}"


def _verified_directory(index: str) -> str:
    if problems := find_problems(Path(index)):
        raise CorruptIndexError("\n".join(problems))
    corpus = open_index(index, verify=False)
    assert isinstance(corpus, SegmentedCorpus)
    segments = sum(part.is_segment for part in corpus.manifest.parts)
    return f"{counted(len(corpus), 'fingerprint')} in {counted(segments, 'segment')}"
