"""The command line `simhash-doc`. Each command is in a separate module, which is loaded when the command is called."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

import click

from simhash_doc import SPEC_VERSION, __version__
from simhash_doc.cli.exit_status import FAILED, failure_status, set_failure_status
from simhash_doc.command_line.groups import LazyGroup, PipeClosedError
from simhash_doc.command_line.help import help_width
from simhash_doc.console import CommandError
from simhash_doc.console.messages import print_error, set_quiet
from simhash_doc.console.streams import discard_output, prepare_streams
from simhash_doc.console.termination import cleanup_on_termination
from simhash_doc.errors import SimhashDocError

_COMMANDS = {
    "archive": "simhash_doc.cli.archive:archive",
    "compare": "simhash_doc.cli.compare:compare_command",
    "completion": "simhash_doc.cli.completion:completion_command",
    "conformance": "simhash_doc_conformance.commands:conformance",
    "decode": "simhash_doc.cli.compare:decode_command",
    "dedupe": "simhash_doc.cli.dedupe:dedupe_command",
    "extract": "simhash_doc.cli.extract:extract_command",
    "find-all": "simhash_doc.cli.near_pairs:find_all_command",
    "find-clusters": "simhash_doc.cli.near_pairs:find_clusters_command",
    "fingerprint": "simhash_doc.cli.fingerprint:fingerprint_command",
    "index": "simhash_doc.cli.index:index",
    "spark": "simhash_doc.cli.spark:spark",
    "store": "simhash_doc.cli.store:store",
    "table": "simhash_doc.cli.table:table",
}
# The first sentences of the commands, so that --help loads none of them.
_SUMMARIES = {
    "archive": "Annotate web archive indexes; list changed pages.",
    "compare": "Compare two documents or fingerprints.",
    "completion": "Print the completion script of a shell.",
    "conformance": "Check an implementation against the published vectors.",
    "decode": "Print the scheme, value and bits of fingerprints.",
    "dedupe": "Report clusters of duplicates among documents.",
    "extract": "Print the text of each document.",
    "find-all": "Print every pair of fingerprints within the distance.",
    "find-clusters": "Print the clusters of near-duplicates.",
    "fingerprint": "Print the fingerprint of each document.",
    "index": "Build and search an index of fingerprints on disk.",
    "spark": "Search for near-duplicates with Apache Spark.",
    "store": "Keep fingerprints in a database, and search in it.",
    "table": "Fingerprint table rows, or leave out duplicates.",
}
_SECTIONS = {
    "Documents": ("fingerprint", "compare", "dedupe", "extract", "table"),
    "Fingerprints": ("decode", "find-all", "find-clusters", "index", "spark"),
    "Stores and archives": ("store", "archive"),
    "Conformance": ("conformance",),
    "Shell": ("completion",),
}


@click.group(
    cls=LazyGroup,
    lazy=_COMMANDS,
    sections=_SECTIONS,
    summaries=_SUMMARIES,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  simhash-doc compare draft.txt final.txt
  simhash-doc fingerprint articles/ -o fingerprints.jsonl
  simhash-doc dedupe articles/ --html report.html

Exit status: 0 success; 1 the work failed, or a part of it; 2 usage error: change the command.
""",
)
@click.version_option(__version__, "-V", "--version", message=f"%(prog)s %(version)s (specification {SPEC_VERSION})")
def cli() -> None:
    """Find near-duplicate documents with fingerprints."""
    set_quiet(False)  # an earlier command in this process may have set them
    set_failure_status(FAILED)


def main() -> None:
    """Run the command line and exit with its status."""
    prepare_streams()
    status = 0
    try:
        with cleanup_on_termination():
            status = _status()
        sys.stdout.flush()
        sys.stderr.flush()
    except PipeClosedError:
        discard_output()
        status = 141
    except OSError as error:
        if not status:  # otherwise the reason was printed
            with suppress(OSError):
                print_error(f"simhash-doc: {error.filename or 'standard output'}: {error.strerror or error}")
        discard_output()
        status = status or failure_status()
    except Exception:
        if failure_status() == FAILED:
            raise
        import traceback

        traceback.print_exc()
        status = failure_status()
    sys.exit(status)


def _status() -> int:
    try:
        status = cli.main(prog_name="simhash-doc", standalone_mode=False, terminal_width=help_width())
    except click.ClickException as error:
        from simhash_doc.cli.other_names import usage_message  # not above: a help needs no other names

        if type(error).__name__ == "NoArgsIsHelpError":  # of click 8.2; its message is the help
            click.echo(error.format_message(), err=True)
            return error.exit_code
        if isinstance(error, click.UsageError) and error.ctx:
            click.echo(f"{error.ctx.get_usage()}\nTry '{error.ctx.command_path} --help' for help.\n", err=True)
        first, *others = getattr(error, "lines", None) or [usage_message(error)]
        for line in (f"simhash-doc: {first}{_dash_hint(error)}", *others):
            print_error(line)
        return failure_status() if error.exit_code == FAILED else error.exit_code
    except SimhashDocError as error:
        code = "" if isinstance(error, CommandError) else f"{error.code}: "
        print_error(f"simhash-doc: {code}{error}")
        return 2 if error.is_usage else failure_status()
    except (click.Abort, KeyboardInterrupt):
        return 130
    except MemoryError as error:
        print_error(f"simhash-doc: not enough memory{f': {error}' if str(error) else ''}")
        return failure_status()
    return status if isinstance(status, int) else 0


def _dash_hint(error: click.ClickException) -> str:
    """Return how a file is named that was taken for an option, as a shell passes it for *."""
    name = next((one for one in sys.argv[1:] if one.startswith("-") and os.path.isfile(one)), None)
    if name is None or not isinstance(error, click.NoSuchOption):
        return ""
    return f" {name} is a file: write ./{name}, or -- before the names of files"
