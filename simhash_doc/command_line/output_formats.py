"""Which format an output has: by an option, or by the extension of its name."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping

import click

from simhash_doc.command_line.options import Decorated
from simhash_doc.console.output import COMPRESSED, STANDARD_OUTPUT

ROW_FORMATS = ("json", "text", "csv", "parquet")
ENDINGS = {
    ".jsonl": "json", ".json": "json", ".ndjson": "json", ".csv": "csv", ".txt": "text",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_ROWS = ("json", "csv", "parquet")
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
