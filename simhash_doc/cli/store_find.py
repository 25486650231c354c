"""`simhash-doc store find`: the documents of a database that are near fingerprints or other documents."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.cli.distance import DEFAULT_DISTANCE
from simhash_doc.cli.entry_options import documents_option, scheme_option
from simhash_doc.cli.store_options import (
    collection_option,
    database_options,
    open_store,
    read_rows,
)
from simhash_doc.command_line.help import Number
from simhash_doc.command_line.options import check_read_once, output_option, standard_input
from simhash_doc.command_line.output_formats import chosen_format
from simhash_doc.console.guards import check_outputs
from simhash_doc.console.messages import Progress, print_notice
from simhash_doc.console.output import writing
from simhash_doc.schemes import get_scheme

if TYPE_CHECKING:
    from simhash_doc.cli.entry_input import LineErrors
    from simhash_doc.fingerprint import Fingerprint
    from simhash_doc.provenance import Provenance, ProvenanceCheck
    from simhash_doc.store import FingerprintStore
    from simhash_doc.store.objects import NamedQuery


@click.command(
    "find",
    epilog="""\b
Examples:
  simhash-doc store find --db near.sqlite larqgiqsckcca
  simhash-doc store find --db near.sqlite new.jsonl -o matches.jsonl
  simhash-doc store find --db near.sqlite --document draft.html
""",
)
@database_options
@click.argument("fingerprints", nargs=-1, metavar="[FINGERPRINT|FILE]...")
@click.option(  # not `distance_option`: the slices limit it, and one query may search collections of several sizes
    "--distance",
    type=Number(0),
    help=f"Maximum number of differing bits, below twice the number of slices of the collections.  {DEFAULT_DISTANCE}",
)
@click.option("--limit", type=Number(1), metavar="N", help="Maximum number of matches per query.  [default: all]")
@collection_option(None, "all of the scheme")
@scheme_option
@click.option(
    "--where",
    multiple=True,
    metavar="KEY=VALUE",
    help="Find only documents with this metadata; VALUE is JSON or a string. Repeatable.",
)
@documents_option
@output_option
def store_find_command(
    database: str,
    fingerprints: tuple[str, ...],
    distance: int | None,
    limit: int | None,
    collection: str | None,
    scheme: str | None,
    where: tuple[str, ...],
    documents: tuple[str, ...],
    output: str,
    timeout: float,
) -> int:
    """Print the documents near fingerprints.

    Give fingerprints as arguments, in files, on standard input, or as documents. If an argument exists as a file, the
    command reads it as `store add` does. The output has one object per fingerprint with its matches, the nearest first.
    Ids of queries keep their type. The status is 0 with or without matches. A database that does not exist
    is an error.

    For many fingerprints without --where, the command joins up to 10,000 of them with the collections at once, if
    that is faster. The answers are the same.
    """
    from simhash_doc.cli.document_report import find_sources, report
    from simhash_doc.cli.entry_input import LineErrors, parsed_fingerprint
    from simhash_doc.entries.json_lines import json_line
    from simhash_doc.ingest import fingerprint_documents
    from simhash_doc.ingest.selection import ALL
    from simhash_doc.store.objects import NamedQuery, match_fields

    chosen_format(None, output, formats=("json",))
    conditions = _parsed_filter(where)
    files = tuple(one for one in fingerprints if one == STANDARD_INPUT or os.path.exists(one))
    from_arguments = [NamedQuery(parsed_fingerprint(text, scheme)) for text in fingerprints if text not in files]
    read = files or (() if from_arguments or documents else standard_input("FINGERPRINT"))
    check_read_once(*read, *documents)
    check_outputs(output, inputs=(*read, *documents))
    sources = [(path, LineErrors(path)) for path in read]
    with ExitStack() as stack:
        store = stack.enter_context(open_store(database, timeout, output))
        failed = False

        def of_documents() -> Iterator[NamedQuery]:
            nonlocal failed
            walked = find_sources(documents, ALL)
            scheme_of_documents = get_scheme(_scheme(store, collection, scheme))
            for result in report(fingerprint_documents(walked.sources, scheme_of_documents), walked):
                failed = failed or result.fingerprint is None
                if result.fingerprint:
                    yield NamedQuery(result.fingerprint, result.path, result.provenance)
            failed = failed or walked.incomplete

        searched = [one.name for one in store.collections()] if collection is None else [collection]
        known = [provenance for name in searched for provenance in store.provenances(name)]
        file = stack.enter_context(writing(output))
        progress = stack.enter_context(Progress(None, "queries answered"))
        read_queries = (_read_queries(*source, known, scheme) for source in sources)
        named_queries = chain(from_arguments, of_documents() if documents else (), *read_queries)
        asked: deque[NamedQuery] = deque()  # not answered yet

        def given() -> Iterator[Fingerprint]:
            for query in named_queries:
                asked.append(query)
                yield query.fingerprint

        for matches in store.find_many(
            given(), distance=distance, limit=limit, collection=collection, where=conditions
        ):
            query = asked.popleft()
            name = {} if query.name is None else {"path": query.name}
            answer = [*map(match_fields, matches)]
            file.write(json_line({"fingerprint": str(query.fingerprint), **name, "matches": answer}))
            progress.advance()
    for _, errors in sources:
        errors.finish()
    return 1 if failed or any(errors.count for _, errors in sources) else 0


def _scheme(store: FingerprintStore, collection: str | None, scheme: str | None) -> str:
    """Return the scheme in which documents are searched: that of the collections, unless it is given."""
    known = [one for one in store.collections() if collection in (None, one.name)]
    schemes = sorted({one.scheme.id for one in known})
    if scheme is None and len(schemes) > 1:
        raise click.UsageError(f"the collections have the schemes {' and '.join(schemes)}: name one with --scheme")
    return scheme or next(iter(schemes), "sd64")


def _parsed_filter(conditions: tuple[str, ...]) -> dict[str, Any]:
    """Parse KEY=VALUE conditions on metadata; a value that is not JSON is a string."""
    found: dict[str, Any] = {}
    for condition in conditions:
        key, equals, text = condition.partition("=")
        if not equals:
            raise click.UsageError(f"--where {condition!r} is not KEY=VALUE")
        try:
            found[key] = json.loads(text)
        except (ValueError, RecursionError):
            found[key] = text
    return found


def _read_queries(
    path: str, errors: LineErrors, known: Sequence[Provenance], scheme: str | None
) -> Iterator[NamedQuery]:
    """Yield the fingerprints of a file; warn of one whose provenance differs from the known ones of the store."""
    from simhash_doc.provenance import ProvenanceCheck
    from simhash_doc.store.objects import parse_query

    checks: dict[str, ProvenanceCheck] = {}
    place, hint = "", f"--document {path} searches for the document itself"
    for place, query in read_rows(path, errors, parse_query, scheme, hint=f"; {hint}", plain_ids=True):
        own = query.fingerprint.scheme.id
        if own not in checks:
            checks[own] = ProvenanceCheck(one for one in known if one.scheme == own)
        if warning := checks[own].add(query.provenance):
            errors.warn(place, warning)
        yield query
    if errors.count and not place:
        print_notice(f"simhash-doc: {path}: has no fingerprint; {hint}")
