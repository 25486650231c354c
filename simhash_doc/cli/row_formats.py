"""Rows as JSON lines, CSV, Parquet or text."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import chain, islice
from typing import Any, BinaryIO

import click

from simhash_doc.cli.options import Decorated
from simhash_doc.console.messages import escape_path
from simhash_doc.console.output import COMPRESSED, STANDARD_OUTPUT, writing
from simhash_doc.entries.csv_files import write_csv
from simhash_doc.entries.json_lines import json_line

ROW_FORMATS = ("json", "text", "csv", "parquet")
ENDINGS = {
    ".jsonl": "json", ".json": "json", ".ndjson": "json", ".csv": "csv", ".txt": "text",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_ROWS = ("json", "csv", "parquet")
_FIRST = 1 << 16  # rows that may say what the metadata of Parquet are
_MEANINGS = {
    "json": "Write JSON lines, one object per line.",
    "text": "Write lines of text.",
    "csv": "Write CSV.",
    "parquet": "Write Parquet.",
}


def row_format_options(default: str) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds one flag for each format of rows; the command receives `output_format`."""

    def with_options(command: Decorated) -> Decorated:
        for form in reversed(ROW_FORMATS):
            shown = "  [default, unless the output file has another extension]" if form == default else ""
            flag = click.option(f"--{form}", "output_format", flag_value=form, help=_MEANINGS[form] + shown)
            command = flag(command)
        return command

    return with_options


row_format_option = row_format_options("json")


def chosen_format(
    output_format: str | None,
    output: str,
    *,
    formats: Collection[str] = ROW_FORMATS,
    default: str = "json",
    endings: Mapping[str, str] = ENDINGS,
) -> str:
    """Return the format of an output: that of its option, else that of its file extension, else the default.

    The extension is the one before ``.gz``, with which an output is compressed.

    Args:
        output_format: the format of the option, for example of --json; None if there is none.
        output: path of the file, or ``-``.
        formats: those that the command writes.
        default: the format of a name without an extension.
        endings: the format of each extension.

    Raises:
        click.UsageError: an unknown extension, or one of another format; compressed Parquet, or Parquet for a terminal.
        click.ClickException: pyarrow is not installed.
    """
    ending = os.path.splitext(_uncompressed(output))[1].lower()
    named = endings.get(ending)
    chosen = output_format or (named if ending else default)
    if chosen is None or chosen not in formats:
        known = ", ".join(one for one, form in endings.items() if form in formats)
        options = " or ".join(f"--{one}" for one in formats) if formats is ROW_FORMATS else ""
        what = "unknown extension" if named is None else "this command does not write the format of the extension"
        raise click.UsageError(f"{output}: {what} {ending}; expected one of {known}{options and f', or {options}'}")
    if ending and named not in (None, chosen) and (named != "text" or chosen == "parquet"):
        raise click.UsageError(f"{output}: --{chosen} does not fit the extension {ending}; leave out one of them")
    if chosen == "parquet":
        _check_parquet(output)
    return chosen


def check_text_output(output: str) -> None:
    """Raise a usage error if the extension of an output is not that of a text."""
    chosen_format(None, output, formats=("text",), default="text")


def _check_parquet(output: str) -> None:
    """Raise an error if Parquet cannot be written to an output."""
    if _uncompressed(output) != output:
        raise click.UsageError(f"{output}: Parquet is compressed inside; write a file that ends with .parquet")
    if output == STANDARD_OUTPUT and sys.stdout.isatty():
        raise click.UsageError("--parquet is binary: write it to a file with -o FILE")
    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError as error:
        raise click.ClickException("Parquet needs pyarrow: pip install 'simhash-doc[tables]'") from error


def _uncompressed(output: str) -> str:
    """Return the name of an output without ``.gz``, which `writing` compresses."""
    return output[: -len(COMPRESSED)] if output.lower().endswith(COMPRESSED) else output


def _text_or_json(context: click.Context, parameter: click.Parameter, chosen: str | None) -> str:
    # The option --output is eager, so that it comes first.
    return chosen_format(chosen, context.params["output"], formats=("text", "json"), default="text")


def json_option(about: str) -> Callable[[Decorated], Decorated]:
    """Return the option --json of a command that prints text by default, with its help."""
    return click.option("--json", "output_format", flag_value="json", callback=_text_or_json, help=about)


text_or_json_option = json_option("Write JSON instead of text; also by the extension .json of the output file.")


def format_of_rows(output: str) -> str:
    """Return the format of an output by its file extension, as `chosen_format`; text is an error."""
    return chosen_format(None, output, formats=_ROWS)


def id_column_type(ids: Iterable[object], types: Collection[object], form: str) -> Any:
    """Return the Arrow type of a column of ids, with which they keep their type, or its name.

    Args:
        ids: the values of the column, or their first ones of each type.
        types: their Arrow types; None is among them if some have none.
        form: one of `ROW_FORMATS`.

    Raises:
        click.UsageError: there are several types, of which Parquet has no column, and which CSV does not tell apart.
    """
    kinds, least, most = set(), 0, 0
    for one in ids:
        kinds.add(type(one))
        if type(one) is int:
            least, most = min(least, one), max(most, one)
    kinds.discard(type(None))
    if form == "csv" and ({int, str} <= kinds or kinds & {list, dict}):
        found = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise click.UsageError(f"the ids are of the types {found}, which CSV does not tell apart; write JSON lines")
    if form != "parquet" or kinds == {str}:
        return "string"
    if len(types) == 1 and None not in types:
        return next(iter(types))
    if not kinds:
        return "string"
    if kinds == {int} and least >= -(1 << 63) and most < 1 << (64 if least == 0 else 63):
        return "int64" if most < 1 << 63 else "uint64"
    if kinds in ({float}, {bool}):
        return "float64" if kinds == {float} else "bool_"
    if kinds == {int}:
        raise click.UsageError(
            "the ids are integers of more than 64 bits, which Parquet does not hold: write JSON lines"
        )
    found = " and ".join(sorted({str(one) for one in types if one} | {kind.__name__ for kind in kinds}))
    raise click.UsageError(f"the ids are of the types {found}; Parquet has one for each column: write JSON lines")


def write_rows(
    output: str,
    form: str,
    columns: dict[str, Any],
    rows: Iterable[tuple[Any, ...]],
    metadata: Callable[[], dict[bytes, str]] = dict,
) -> None:
    """Write rows.

    Args:
        output: path of the file, or ``-`` for standard output.
        form: one of `ROW_FORMATS`; text has the numbers first and no header.
        columns: names of the columns, and for Parquet their Arrow types, or the names of these, such as ``string``.
        rows: the values of each row, in the order of the columns.
        metadata: returns the metadata of Parquet, after the first rows were taken, and after the last.

    Raises:
        click.ClickException: the file cannot be written.
    """
    with writing(output) as file:
        if form == "parquet":
            _write_parquet(file, columns, rows, metadata)
        elif form == "csv":
            write_csv(file, columns, rows)
        elif form == "text":
            numbers = [at for at, kind in enumerate(columns.values()) if kind != "string"]
            texts = [at for at, kind in enumerate(columns.values()) if kind == "string"]
            for row in rows:
                cells = [*(f"{row[at]:3}" for at in numbers), *(escape_path(str(row[at])) for at in texts)]
                file.write(("  ".join(cells) + "\n").encode("utf-8", "surrogateescape"))
        else:
            for row in rows:
                write_json(file, dict(zip(columns, row, strict=True)))


def write_json(file: BinaryIO, fields: dict[str, Any]) -> None:
    """Write an object as one line of JSON."""
    file.write(json_line(fields))


def _write_parquet(
    file: BinaryIO, columns: dict[str, Any], rows: Iterable[tuple[Any, ...]], metadata: Callable[[], dict[bytes, str]]
) -> None:
    import pyarrow as pa

    from simhash_doc.entries.parquet_files import record_batches, write_parquet  # later: it needs pyarrow

    rest = iter(rows)
    first = list(islice(rest, _FIRST))
    types = [(name, getattr(pa, kind)() if isinstance(kind, str) else kind) for name, kind in columns.items()]
    schema = pa.schema(types, metadata())
    write_parquet(file, schema, record_batches(schema, chain(first, rest)), metadata)
