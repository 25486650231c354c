"""`simhash-doc spark`: near-duplicate search on Apache Spark, from Parquet to Parquet.

The same job with PySpark's own launcher: spark-submit .../simhash_doc/cli/spark.py dedupe --input ...
"""

from __future__ import annotations

import json
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import click

from simhash_doc.cli.distance import distance_option, reject_unrelated_distance, sd64_distance_option
from simhash_doc.cli.entry_options import input_format_option
from simhash_doc.cli.policy_options import Door, policy_options
from simhash_doc.command_line.help import Number
from simhash_doc.command_line.options import Decorated, failure
from simhash_doc.console.messages import print_error
from simhash_doc.duplicates.policy import BY_COLUMN, FIRST, LONGEST, Policy
from simhash_doc.errors import SimhashDocError
from simhash_doc.schemes import get_scheme

_OF_SOURCE = ("input_format", "id_col", "fp_col", "text_col", "extract")


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  simhash-doc spark find-all --input fingerprints.parquet --output pairs
  simhash-doc spark dedupe --input day1.parquet --output day1

Exit status: 0 the output is complete; 1 the run failed, without output; 2 usage error.
""",
)
def spark() -> None:
    """Search for near-duplicates with Apache Spark.

    The commands run on all cores of this machine, or on a cluster. They need the extra spark, and Java 17 or newer.
    They read fingerprints in every format that a command writes: Parquet, JSON lines, CSV, or text lines. A location
    may be any that Spark can read, for example hdfs:// or s3a://. The output is a new folder of Parquet files, written
    atomically. Its file _report.json describes the run.
    """


def _setting(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> list[tuple[str, str]]:
    settings = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise click.BadParameter(f"{text!r} is not NAME=VALUE", context, parameter)
        settings.append((name, value))
    return settings


def _shared(command: Decorated) -> Decorated:
    options: list[Callable[[Decorated], Decorated]] = [
        click.option(
            "--input", "source", multiple=True, required=True, metavar="PATH", help="A file or folder. Repeatable."
        ),
        click.option("--output", required=True, metavar="FOLDER", help="A folder that does not exist yet."),
        input_format_option,
        click.option("--id", "id_col", metavar="COLUMN", help="Column with the ids.  [default: id, or path]"),
        click.option(
            "--master", metavar="URL", help="URL of the cluster.  [default: Spark's configuration, else local[*]]"
        ),
        click.option(
            "--conf",
            "settings",
            multiple=True,
            callback=_setting,
            metavar="NAME=VALUE",
            help="Spark property. Repeatable.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


_fingerprint_option = click.option(
    "--fingerprint",
    "fp_col",
    default="fingerprint",
    show_default=True,
    metavar="COLUMN",
    help="Column with the fingerprints: text, or binary with the most significant byte first.",
)


@spark.command(
    "find-all",
    epilog="""\b
Examples:
  simhash-doc spark find-all --input fingerprints.parquet --output pairs
  simhash-doc spark find-all --input day1 --input day2 --output pairs --values
""",
)
@_shared
@distance_option
@sd64_distance_option
@_fingerprint_option
@click.option(
    "--values",
    is_flag=True,
    help="Write pairs of fingerprints, not of ids. If entries share a fingerprint, one row pairs it with itself.",
)
@click.option(
    "--max-pairs",
    type=Number(0),
    default=10**9,
    show_default=True,
    help="Fail before writing if there are more pairs of ids.",
)
def _find_all(**options: Any) -> None:
    """Write every pair within the distance, once.

    The columns are a, b and distance.
    """
    _run("run_find_all", **options)


@spark.command(
    "query",
    epilog="""\b
Examples:
  simhash-doc spark query --index all.parquet --input day.parquet --output out
""",
)
@_shared
@distance_option
@_fingerprint_option
@click.option("--index", multiple=True, required=True, metavar="PATH", help="Entries to search. Repeatable.")
def _query(**options: Any) -> None:
    """Write the matches of each input entry in an index.

    The columns are query, match and distance.
    """
    _run("run_query", **options)


@spark.command(
    "dedupe",
    epilog="""\b
Examples:
  simhash-doc spark dedupe --input day1.parquet --output day1
  simhash-doc spark dedupe --input day2.parquet --previous day1 --output day2
  simhash-doc spark dedupe --extract --column html --input web --output out
""",
)
@_shared
@click.option("--column", "text_col", metavar="COLUMN", help="Column with the texts.  [default: text]")
@click.option(
    "--fingerprint", "fp_col", metavar="COLUMN", help="Column with existing fingerprints, instead of --column."
)
@click.option("--extract", is_flag=True, help="The column contains documents (binary), such as HTML or PDF files.")
@click.option(
    "--confirm",
    type=click.Choice(["text", "none"]),
    help="Whether to compare texts. With none, near documents are only candidates, and only --scheme and --distance of "
    "the options below have an effect.  [default: text, or none with --fingerprint or --previous]",
)
@sd64_distance_option
@policy_options(Door("documents", (LONGEST, FIRST, BY_COLUMN), "PATH", scheme="sd256 if texts confirm, else sd64"))
@click.option(
    "--previous",
    multiple=True,
    metavar="FOLDER",
    help="Output of a previous run with --confirm none, to extend. Repeatable, first run to last.",
)
def _dedupe(confirm: str | None, policy: Policy, scheme: str | None, **options: Any) -> None:
    """Write the fingerprint and cluster of each document.

    The columns are id, fingerprint, reason and cluster. The cluster is the id of the kept document. A document is kept
    if its cluster is its own id. As in `table dedupe`, a document is left out for a kept document that is near and
    similar, and contains all of its numbers. The columns distance, similarity and numbers compare the two. If a
    document is kept only because of its numbers, the column resembles names the similar document.

    With --confirm none, nothing is left out. The column candidate_of replaces the others: it contains the id of the
    first near document. Documents of earlier runs come first, then the lowest ids.

    A document without a fingerprint is kept. The column reason says why it has none, and the report counts these
    documents. The exit status stays 0.
    """
    if options["fp_col"] and (options["text_col"] or options["extract"]):
        raise click.UsageError("--fingerprint cannot be used with --column or --extract")
    by_text = confirm == "text" or (confirm is None and not options["fp_col"] and not options["previous"])
    if by_text and (options["fp_col"] or options["previous"]):
        name = "--fingerprint" if options["fp_col"] else "--previous"
        raise click.UsageError(f"--confirm text compares the texts of all documents; it cannot be used with {name}")
    if options["previous"] and options["sd64_distance"] is not None:
        raise click.UsageError("--sd64-distance cannot be used with --previous, whose index has complete fingerprints")
    if options["fp_col"] is None:
        options |= {"text_col": options["text_col"] or "text", "fp_col": "fingerprint"}
    policy = replace(policy, scheme=scheme or (policy.scheme if by_text else "sd64"))
    reject_unrelated_distance(policy.distance, get_scheme(policy.scheme))
    if by_text:
        del options["previous"]
        _run("run_dedupe_texts", policy=policy, **options)
    else:
        _run("run_dedupe", scheme=policy.scheme, distance=policy.distance, **options)


def _run(job: str, master: str | None, settings: list[tuple[str, str]], **options: Any) -> None:
    """Run a function of `spark.jobs` in a session with its own options, print its report, and report errors."""
    session = None
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
        warnings.showwarning = _show_warning
        for category in _shown_warnings():
            warnings.simplefilter("always", category)
        try:
            from simhash_doc.spark.session import start_session

            with _ctrl_c_as_before():
                session = start_session(master, settings)
            from simhash_doc.spark import jobs

            read = {name: options.pop(name) for name in _OF_SOURCE if name in options}
            options |= {name: jobs.JobInput(options[name], **read) for name in ("source", "index") if name in options}
            click.echo(json.dumps(getattr(jobs, job)(session, **options)))
        except SimhashDocError as error:
            raise failure(error) from error
        except Exception as error:
            if not type(error).__module__.startswith(("py4j.", "pyspark.")):
                raise
            raise click.ClickException(f"the job failed: {_reason(error)}") from error
        finally:
            if session:
                session.stop()


@contextmanager
def _ctrl_c_as_before() -> Iterator[None]:
    """Restore the handler of Ctrl-C that a new session replaces.

    PySpark's handler cancels the job over the connection that waits for the job. This fails, and py4j logs each failure
    with a traceback. The end of the session also cancels the job.
    """
    import logging  # not above: a help logs nothing

    logging.getLogger().addHandler(logging.NullHandler())  # before: the start may also be interrupted
    handler = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, handler)


def _reason(error: Exception) -> str:
    """Return what failed and why, without the stack traces of Java, which Spark prints."""
    cause = getattr(error, "java_exception", None)
    lines = [str(error)] if cause is None else []
    while cause is not None:
        lines.append(str(cause.getMessage() or cause))
        cause = cause.getCause()
    first = lines[0].strip().partition("\n")[0]
    last = lines[-1].strip().rpartition("\n")[2].strip()
    return first if last in first else f"{first}: {last}"


def _shown_warnings() -> tuple[type[Warning], ...]:
    from simhash_doc.entries.part_names import MissingPartsWarning
    from simhash_doc.lookup.errors import DegenerateDistributionWarning
    from simhash_doc.provenance import ProvenanceWarning

    return DegenerateDistributionWarning, MissingPartsWarning, ProvenanceWarning


def _show_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    if issubclass(category, _shown_warnings()):
        print_error(f"simhash-doc: warning: {message}")


if __name__ == "__main__":
    spark()
