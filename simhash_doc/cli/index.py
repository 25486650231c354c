"""`simhash-doc index`: a saved index of fingerprints with the paths of their documents."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.cli.distance import chosen_distance, distance_option
from simhash_doc.cli.entry_options import (
    documents_option,
    files_argument,
    ids_option,
    input_format_option,
    scheme_option,
)
from simhash_doc.cli.search_options import blocks_option, search_errors
from simhash_doc.command_line.help import Number
from simhash_doc.command_line.options import Decorated, check_read_once, output_option, quiet_option, standard_input
from simhash_doc.command_line.output_formats import chosen_format, row_format_option, text_or_json_option
from simhash_doc.console.guards import check_outputs
from simhash_doc.console.messages import Progress, counted, print_error, print_notice
from simhash_doc.console.output import printing, show_problems, writing
from simhash_doc.errors import shown
from simhash_doc.fingerprint import CUSTOM_SUFFIX, Fingerprint
from simhash_doc.own_outputs import MATCH_COLUMNS
from simhash_doc.schemes import get_scheme
from simhash_doc.thresholds import Distance

if TYPE_CHECKING:
    from simhash_doc.entries.entry import EntryId
    from simhash_doc.lookup.corpus import Corpus
    from simhash_doc.lookup.matches import Match

Show = Callable[[Fingerprint], int | str]
ShowMatch = Callable[["Match"], int | str]


def _check_name(context: click.Context, parameter: click.Parameter, index: str) -> str:
    if index == STANDARD_INPUT:
        raise click.UsageError("INDEX is -, but an index is a directory: name it")
    if os.path.isfile(index):
        raise click.UsageError(
            f"{index} is a file; INDEX, the first argument, is a directory that `index build` writes"
        )
    return index


def index_argument(command: Decorated) -> Decorated:
    """Add INDEX, which all commands have, and --quiet."""
    return click.argument("index", metavar="INDEX", callback=_check_name)(quiet_option(command))


@click.group(
    epilog="""\b
Examples:
  simhash-doc fingerprint articles/ -o articles.jsonl
  simhash-doc index build articles.sdix articles.jsonl
  simhash-doc index add articles.sdix new.jsonl
  simhash-doc index query articles.sdix larqgiqsckcca
""",
)
def index() -> None:
    """Build and search an index of fingerprints on disk.

    INDEX is a directory, and the first argument of each command.
    """


@index.command(
    "build",
    epilog="""\b
Examples:
  simhash-doc index build articles.sdix articles.jsonl
  simhash-doc index build --distance 5 --force articles.sdix articles.jsonl
""",
)
@index_argument
@files_argument
@input_format_option
@scheme_option
@blocks_option
@distance_option
@click.option("--force", is_flag=True, help="Replace INDEX if it exists.")
def _build(
    index: str,
    files: tuple[str, ...],
    input_format: str,
    scheme: str | None,
    blocks: int | None,
    distance: Distance,
    force: bool,
) -> int:
    """Build INDEX, a directory, from fingerprints.

    FILE contains the fingerprints, as for `find-all`. The index keeps the paths or ids of the rows. Ids are texts or
    integers, and keep their type. The command rejects other ids, for example dates.

    If the command cannot read a line, it reports the line on standard error, indexes the other lines, and exits with
    status 1. If it finds no fingerprint, it writes no index. If the text of a line comes from another extractor than
    earlier lines, the command warns once.
    """
    from simhash_doc.cli.entry_input import read_entries
    from simhash_doc.lookup.corpus import Corpus, build_index
    from simhash_doc.lookup.directory import MANIFEST
    from simhash_doc.lookup.planning.index import plan

    if not force and os.path.exists(os.path.join(index, MANIFEST)):
        raise click.UsageError(f"{index} exists; add to it with `index add`, or replace it with --force")
    with _errors(index), Progress(None) as progress:
        entries = read_entries(files, input_format, scheme, narrow=scheme is not None, ids="stored")
        if not len(entries.values):
            raise click.ClickException(f"{index}: not written: the input has no fingerprint that can be stored")
        maximum = chosen_distance(distance, entries.scheme, len(entries.values))
        progress.begin(f"building the tables of {len(entries.values):,} fingerprints")
        with search_errors():
            # Warns of skewed fingerprints.
            empty = Corpus(distance=maximum, blocks=blocks, scheme=entries.scheme)
            plan(entries.values, distance=maximum, blocks=empty.blocks)
            corpus = build_index(
                index, empty, entries.values, entries.names,
                provenances=entries.provenances, marks=entries.marks, force=force,
            )  # fmt: skip
    print_notice(f"{index}: {counted(len(corpus), 'fingerprint')}")
    return 1 if entries.unreadable else 0


@index.command(
    "add",
    epilog="""\b
Examples:
  simhash-doc index add articles.sdix new.jsonl
  simhash-doc fingerprint new/ | simhash-doc index add articles.sdix
""",
)
@index_argument
@files_argument
@input_format_option
@scheme_option
def _add(index: str, files: tuple[str, ...], input_format: str, scheme: str | None) -> int:
    """Add the fingerprints of FILE to INDEX.

    If INDEX already contains a fingerprint, the paths of the new rows are added to it.
    """
    from simhash_doc.cli.entry_input import read_entries
    from simhash_doc.lookup.corpus import add_entries

    with _changed(index) as corpus:
        narrow = _narrows(corpus, scheme)
        entries = read_entries(
            files, input_format, corpus.scheme.id, narrow=narrow, combined_with=corpus.provenances, ids="stored"
        )
        paths = corpus.id_count
        added = add_entries(corpus, entries.values, entries.names, entries.provenances, entries.marks)
    what = counted(added, "fingerprint")
    if entries.names:
        what += f" and {counted(corpus.id_count - paths, 'path')}"
    print_notice(f"{index}: {what} added, {len(corpus):,} now")
    return 1 if entries.unreadable else 0


@index.command(
    "remove",
    epilog="""\b
Examples:
  simhash-doc index remove articles.sdix old.jsonl
  simhash-doc index remove articles.sdix --ids deleted.txt
""",
)
@index_argument
@files_argument
@input_format_option
@scheme_option
@ids_option
def _remove(
    index: str, files: tuple[str, ...], input_format: str, scheme: str | None, id_files: tuple[str, ...]
) -> int:
    """Remove fingerprints or ids from INDEX.

    With --ids, the command needs no fingerprints. It removes each id, and a fingerprint with its last id. 7 and
    "7" are different ids. Ids from CSV and text are texts. If INDEX does not contain an id, the command counts such ids
    on standard error and exits with status 1.

    A line without a path removes the fingerprint with all its paths. A line with a path removes only that path, and the
    fingerprint with its last path. The command skips rows that INDEX does not contain.
    """
    from simhash_doc.cli.entry_input import read_entries

    if id_files:
        if files:
            raise click.UsageError("--ids needs no FILE of fingerprints; remove these with another command")
        return _remove_ids(index, id_files)
    with _changed(index) as corpus:
        narrow = _narrows(corpus, scheme)
        entries = read_entries(files, input_format, corpus.scheme.id, narrow=narrow, ids="stored")
        removed = corpus.remove_many(entries.values, ids=entries.names)
    has_unnamed = entries.names is None or None in entries.names
    parts = [counted(removed.ids, "path")] if entries.names else []
    parts += [counted(removed.fingerprints, "fingerprint")] if has_unnamed or not parts else []
    print_notice(f"{index}: {' and '.join(parts)} removed, {counted(len(corpus), 'fingerprint')} now")
    if entries.unreadable and not len(entries.values):
        print_notice("simhash-doc: no fingerprint is read; files of ids alone are given with --ids FILE")
    return 1 if entries.unreadable else 0


def _remove_ids(index: str, files: tuple[str, ...]) -> int:
    """Remove the ids of files; return the exit status."""
    from simhash_doc.cli.entry_input import LineErrors, ids_of

    check_read_once(*files)
    wanted: set[str | int] = set()
    unreadable = 0
    for path in files:
        errors = LineErrors(path)
        for place, fields in ids_of(path, errors):
            name = fields.get("id", fields.get("path"))
            if isinstance(name, str | int) and not isinstance(name, bool):
                wanted.add(name)
            else:
                errors.report(place, f"the id {shown(str(name))} is neither a text nor an integer")
        errors.finish()
        unreadable += errors.count
    with _changed(index) as corpus:
        paths, found = corpus.id_count, corpus.remove_ids(wanted)
    if absent := len(wanted) - len(found):
        print_error(f"simhash-doc: {index}: {counted(absent, 'id')} not found")
    removed = counted(paths - corpus.id_count, "path")
    print_notice(f"{index}: {removed} removed, {counted(len(corpus), 'fingerprint')} now")
    return 1 if unreadable or absent else 0


@index.command(
    "merge",
    epilog="""\b
Examples:
  simhash-doc index merge articles.sdix
""",
)
@index_argument
def _merge(index: str) -> None:
    """Merge all segments of INDEX into one.

    Queries become faster. `add` and `remove` also merge segments, but only some of them, when there are many.
    """
    with _changed(index) as corpus:
        before = len(corpus.segments)
        with Progress(None).begin("merging"):
            corpus.merge()
    print_notice(f"{index}: {counted(before, 'segment')} merged, {counted(len(corpus), 'fingerprint')}")


@index.command(
    "query",
    epilog="""\b
Examples:
  simhash-doc index query articles.sdix larqgiqsckcca
  simhash-doc index query articles.sdix new.jsonl -o matches.csv
  simhash-doc index query articles.sdix --document draft.html
  simhash-doc index query --nearest 10 articles.sdix larqgiqsckcca
""",
)
@index_argument
@click.argument("queries", nargs=-1, metavar="[FINGERPRINT|FILE]...")
@documents_option
@input_format_option
@scheme_option
@row_format_option
@output_option
@click.option(
    "--nearest",
    type=Number(1),
    metavar="K",
    help="Show the K nearest fingerprints of INDEX, at any distance, instead of the matches. If several are equally "
    "near, show the smallest.",
)
@click.option("--trust", is_flag=True, help="Skip the verification of the checksums, which reads all of INDEX.")
def _query(
    index: str,
    queries: tuple[str, ...],
    documents: tuple[str, ...],
    input_format: str,
    scheme: str | None,
    output_format: str | None,
    output: str,
    nearest: int | None,
    trust: bool,
) -> int:
    """Print the matches of fingerprints.

    Give fingerprints as arguments, in files, on standard input, or as documents. If an argument exists as a file, the
    command reads it as `find-all` does. A match is a stored fingerprint within the distance of the index. The nearest
    comes first.

    JSON has one object per query. Text, CSV and Parquet have one row per match. Ids keep their type. The status is 0
    with or without matches.
    """
    from simhash_doc.arrays import ints_from_lanes, lanes_from_ints
    from simhash_doc.cli.entry_input import parsed_fingerprint, read_entries
    from simhash_doc.cli.nearest import nearest_matches
    from simhash_doc.cli.row_formats import id_column_type, write_json, write_rows
    from simhash_doc.entries.entry_files import render

    form = chosen_format(output_format, output)
    queries = queries or (() if documents else standard_input("FINGERPRINT"))
    check_read_once(*queries, *documents)
    check_outputs(output, inputs=(*queries, *documents), folders=[index])
    corpus = open_index(index, verify=not trust)
    files = tuple(one for one in queries if one == STANDARD_INPUT or os.path.exists(one))
    narrow = _narrows(corpus, scheme)
    searched: list[tuple[Fingerprint, EntryId]] = [
        (parsed_fingerprint(text, corpus.scheme.id, narrow=narrow), None) for text in queries if text not in files
    ]
    of_documents, failed = _fingerprints_of(documents, corpus.scheme.id)
    searched += of_documents
    _report_marks(corpus, {fingerprint.canonical for fingerprint, _ in searched})
    shown_as, unreadable, types = "base32", 0, frozenset[object]()
    if files:
        entries = read_entries(
            files,
            input_format,
            corpus.scheme.id,
            narrow=narrow,
            combined_with=corpus.provenances,
            ids="typed" if form == "parquet" else "plain",
        )
        types = entries.id_types
        names = entries.names or [None] * len(entries.values)
        values = ints_from_lanes(entries.values)
        searched += [(entries.fingerprint(value), name) for value, name in zip(values, names, strict=True)]
        shown_as, unreadable = entries.format, entries.unreadable
        if unreadable and not len(values):
            print_notice(
                f"simhash-doc: {files[0]}: has no fingerprint; --document {files[0]} searches for the document itself"
            )
    show = partial(render, line_format=shown_as)
    show_match = partial(_shown_match, corpus, show)
    asked = lanes_from_ints([fingerprint.value for fingerprint, _ in searched], corpus.scheme.lanes)
    with Progress(None).begin(f"searching for {counted(len(searched), 'fingerprint')}"):
        found = corpus.find_many(asked) if nearest is None else nearest_matches(corpus, asked, nearest)
        answers = ((*query, matches) for query, matches in zip(searched, found, strict=True))
        if form == "json":
            with writing(output) as file:
                for answer in answers:
                    write_json(file, _answer(*answer, show, show_match))
        else:
            rows: Iterable[tuple[Any, ...]] = _match_rows(answers, show, show_match)
            columns: dict[str, Any] = MATCH_COLUMNS
            if form != "text":  # whose columns have no type
                rows = [*rows]
                types |= {None} if any(name is None for _, name in searched) else set()
                columns = columns | {
                    "query": id_column_type((row[0] for row in rows), types, form),
                    "match": id_column_type((row[1] for row in rows), (None,), form),
                }
            write_rows(output, form, columns, rows)
    return 1 if unreadable or failed else 0


@index.command(
    "info",
    epilog="""\b
Examples:
  simhash-doc index info articles.sdix
  simhash-doc index info --json articles.sdix
""",
)
@index_argument
@text_or_json_option
@output_option
def _info(index: str, output_format: str, output: str) -> None:
    """Print the size and the parameters of INDEX.

    This does not read all of INDEX.
    """
    check_outputs(output, folders=[index])
    corpus = open_index(index, verify=False)
    fields: dict[str, int | str] = {
        "scheme": corpus.scheme.id if corpus.canonical else f"{corpus.scheme.id}{CUSTOM_SUFFIX}",
        "fingerprints": len(corpus),
        "paths": corpus.id_count,
        "distance": corpus.distance,
        "blocks": corpus.blocks,
        "tables": corpus.tables,
        "bytes": sum(os.path.getsize(os.path.join(index, name)) for name in corpus.files()),
        "segments": len(corpus.segments),
        "removed": sum(len(segment.values) for segment in corpus.segments) - len(corpus),
    }
    with printing(output) as show:
        if output_format == "json":
            show(json.dumps({**fields, "provenance": [one.to_dict() for one in corpus.provenances]}))
            return
        for name, value in fields.items():
            show(f"{name:<12} {value if isinstance(value, str) else format(value, ','):>15}")


@index.command(
    "verify",
    epilog="""\b
Examples:
  simhash-doc index verify articles.sdix
  simhash-doc index verify --json articles.sdix
""",
)
@index_argument
@text_or_json_option
@output_option
def _verify(index: str, output_format: str, output: str) -> int:
    """Check INDEX thoroughly.

    The command compares all checksums. It also checks that the tables are sorted and hold the same fingerprints. If a
    file is corrupt or missing, the command reports it on standard error and exits with status 1.
    """
    from simhash_doc.lookup.directory import find_problems

    check_outputs(output, folders=[index])
    with _errors(index, "read"), Progress(None).begin(f"verifying {index}"):
        problems = find_problems(index)
    if problems:
        return show_problems(index, problems, "", {}, output_format, output)
    corpus = open_index(index, verify=False)
    content = f"{counted(len(corpus), 'fingerprint')} in {counted(len(corpus.segments), 'segment')}"
    return show_problems(index, (), content, {"fingerprints": len(corpus)}, output_format, output)


def _report_marks(corpus: Corpus, marks: set[bool]) -> None:
    """Print that queries are customized, and fingerprints of an index are not, or the other way round."""
    from simhash_doc.provenance import MIXED

    if marks - {corpus.canonical}:
        print_notice(f"simhash-doc: warning: {MIXED}")


def _narrows(corpus: Corpus, scheme: str | None) -> bool:
    """Return whether --scheme asks for wider fingerprints to be narrowed to the scheme of an index."""
    if scheme not in (None, corpus.scheme.id):
        raise click.UsageError(f"the index has {corpus.scheme.id} fingerprints; --scheme {scheme} does not fit")
    return scheme is not None


def _fingerprints_of(documents: tuple[str, ...], scheme: str) -> tuple[list[tuple[Fingerprint, EntryId]], bool]:
    """Return the fingerprints of documents with their paths, and whether some have none; errors are printed."""
    if not documents:
        return [], False
    from simhash_doc.cli.document_report import find_sources, report
    from simhash_doc.ingest import fingerprint_documents

    walked = find_sources(documents)
    results = list(report(fingerprint_documents(walked.sources, get_scheme(scheme)), walked))
    found: list[tuple[Fingerprint, EntryId]] = [(one.fingerprint, one.path) for one in results if one.fingerprint]
    return found, walked.incomplete or not results or len(found) < len(results)


@contextmanager
def _changed(index: str) -> Iterator[Corpus]:
    """Yield the corpus of INDEX, which no other command changes before the block ends."""
    with _errors(index):
        corpus = open_index(index, verify=False)
        with corpus.exclusive():
            yield corpus


def open_index(index: str, *, verify: bool = True) -> Corpus:
    """Return the corpus of an INDEX; errors are those of `_errors`."""
    from simhash_doc.lookup.corpus import Corpus

    with _errors(index, "read"), Progress(None).begin(f"reading {index}"):
        return Corpus.open(index, verify=verify)


@contextmanager
def _errors(index: str, what: str = "written") -> Iterator[None]:
    """Report an INDEX that cannot be read or written, as `what` says, or is corrupt."""
    from simhash_doc.lookup.errors import BadValueError, CorruptIndexError

    try:
        yield
    except BlockingIOError as error:
        message = f"{index}: another process is writing this index; wait until it has finished"
        raise click.ClickException(message) from error
    except OSError as error:
        raise click.ClickException(f"{index}: cannot be {what}: {error.strerror or error}") from error
    except (BadValueError, CorruptIndexError) as error:
        raise click.ClickException(str(error)) from error


def _shown_match(corpus: Corpus, show: Show, match: Match) -> int | str:
    """Return the fingerprint of a match, with the mark of the index."""
    return show(Fingerprint(match.value, corpus.scheme, canonical=corpus.canonical))


def _answer(
    fingerprint: Fingerprint, path: EntryId, matches: list[Match], show: Show, show_match: ShowMatch
) -> dict[str, object]:
    answer: dict[str, object] = {"fingerprint": show(fingerprint)}
    if path is not None:
        answer["path"] = path
    answer["matches"] = [
        {
            "fingerprint": show_match(match),
            "distance": match.distance,
            "paths": list(match.ids),
        }
        for match in matches
    ]
    return answer


def _match_rows(
    answers: Iterable[tuple[Fingerprint, EntryId, list[Match]]], show: Show, show_match: ShowMatch
) -> Iterator[tuple[object, ...]]:
    for fingerprint, path, matches in answers:
        for match in matches:
            found = show_match(match)
            for name in match.ids or (found,):
                yield show(fingerprint) if path is None else path, name, match.distance, found
