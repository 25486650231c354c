"""The options of the commands that report clusters of documents of files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import click

from simhash_doc.cli.document_options import path_options
from simhash_doc.cli.policy_options import Door, policy_options
from simhash_doc.command_line.options import Decorated, output_option
from simhash_doc.command_line.output_formats import text_or_json_option
from simhash_doc.duplicates.policy import FIRST, LONGEST, NEWEST, OLDEST


@dataclass(frozen=True, slots=True)
class Outputs:
    """Where clusters are written.

    Attributes:
        form: text or json, of the report.
        report: the file of the report, or - for standard output.
        html: a file for a page, or None.
        remove_list: a file for the paths that can be deleted, or None.
    """

    form: str
    report: str
    html: str | None
    remove_list: str | None


def cluster_options(scheme: str = "") -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds the options of the policy, those of `path_options`, and the outputs.

    Args:
        scheme: what the help says about the default of --scheme, if that is not the default of the policy.
    """
    options: list[Callable[[Decorated], Decorated]] = [
        text_or_json_option,
        output_option,
        click.option("--html", metavar="FILE", help="Also write an HTML page with the clusters and their differences."),
        click.option(
            "--remove-list",
            metavar="FILE",
            help="Write the paths of files that are exact copies or near-duplicates. The list contains no "
            "representatives, no candidates, and no documents inside other files. The command deletes nothing.",
        ),
        policy_options(Door("documents", (LONGEST, OLDEST, NEWEST, FIRST), "PATH", click.Path(exists=True), scheme)),
        path_options("output", "html", "remove_list"),
    ]

    def with_options(command: Decorated) -> Decorated:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options
