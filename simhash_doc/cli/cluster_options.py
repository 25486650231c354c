"""The options of the commands `dedupe`: how documents or rows are compared, and which one of a cluster is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import click

from simhash_doc.cli.cluster_page import Compared
from simhash_doc.cli.distance import chosen_distance, distance_option
from simhash_doc.cli.document_options import Command, min_tokens_option, path_options
from simhash_doc.cli.help import Number
from simhash_doc.cli.options import output_option
from simhash_doc.cli.row_formats import text_or_json_option
from simhash_doc.console.messages import Progress, counted
from simhash_doc.duplicates.clusters import Cluster, Confirm, Keep, Rule, make_clusters
from simhash_doc.duplicates.compared import CONFIRMING_SCHEME, ComparedDocument
from simhash_doc.duplicates.definition import BY_COLUMN
from simhash_doc.duplicates.templates import Templates
from simhash_doc.duplicates.texts import DocumentTexts
from simhash_doc.ingest import ReadOptions
from simhash_doc.schemes import get_scheme, get_schemes
from simhash_doc.thresholds import LEAST_SIMILARITY, SHORTEST, Distance

_KEPT = {"longest": "the longest text", "oldest": "the oldest file or capture", "first": "the first document"}


def min_similarity_option(text: str, least: int = 1) -> Callable[[Command], Command]:
    """Return the option --min-similarity with its help and the least value."""
    return click.option(
        "--min-similarity",
        type=Number(least, 100),
        default=round(100 * LEAST_SIMILARITY),
        show_default=True,
        metavar="PERCENT",
        help=text,
    )


def _templates_option(noun: str) -> Callable[[Command], Command]:
    return click.option(
        "--templates",
        type=click.Choice(["keep", "drop"]),
        default="keep",
        show_default=True,
        help=f"Over 100 {noun} may share most words and differ in the others, for example letters to different people. "
        "Keep them, or drop them like other similar ones.",
    )


def similar_options(noun: str, first: str, note: str = "") -> Callable[[Command], Command]:
    """Return a decorator that adds the options about clusters of texts in a column, confirmed by these.

    Args:
        noun: what has a text, in the plural.
        first: which one the rule ``first`` keeps.
        note: when the options have an effect; always by default.
    """
    options = [
        click.option(
            "--keep",
            default="longest",
            show_default=True,
            metavar="RULE",
            callback=_keep_rule,
            help=f"Which of the {noun} of a cluster is kept: the longest text, {first}, or the one with the least "
            f"value in a column ({BY_COLUMN}NAME), for example a date. Missing values come last.{note}",
        ),
        min_similarity_option(f"Minimum share of common words, and of common distinct words.{note}"),
        _templates_option(noun),
        click.option(
            "--min-tokens",
            type=Number(0),
            default=0,
            metavar="N",
            help=f"{noun.capitalize()} with fewer tokens are duplicates only of equal texts.{note}",
        ),
    ]

    def with_options(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


def _keep_rule(context: click.Context, parameter: click.Parameter, rule: str) -> str:
    if rule not in ("longest", "first") and not rule.startswith(BY_COLUMN):
        expected = f"longest, first, or {BY_COLUMN}NAME, of which the least value is kept"
        raise click.BadParameter(f"{rule!r} is not a rule; expected {expected}", context, parameter)
    return rule


def cluster_options(
    *, keep: tuple[Keep, ...], confirm: Confirm | None, scheme: str | None, defaults: dict[str, str]
) -> Callable[[Command], Command]:
    """Return a decorator that adds all options about clusters, those of `path_options`, and the outputs.

    Args:
        keep: the rules for the representative, the default first.
        confirm: the default of --confirm.
        scheme: the default of --scheme.
        defaults: by option, what the help says about a default of None.
    """

    def help_text(option: str, text: str) -> str:
        return f"{text}  [default: {defaults[option]}]" if option in defaults else text

    options: list[Callable[[Command], Command]] = [
        text_or_json_option,
        output_option,
        click.option("--html", metavar="FILE", help="Also write an HTML page with the clusters and their differences."),
        click.option(
            "--remove-list",
            metavar="FILE",
            help="Write the paths of files that are exact copies or near-duplicates. The list contains no "
            "representatives and no documents inside other files. The command deletes nothing.",
        ),
        click.option(
            "--never-remove",
            multiple=True,
            metavar="DIR",
            type=click.Path(exists=True, file_okay=False),
            help="Keep all files in DIR, and prefer them to others as representatives. Repeatable.",
        ),
        click.option(
            "--keep",
            type=click.Choice(list(keep)),
            default=keep[0],
            show_default=True,
            help=f"Representative of a cluster, which is kept: {' or '.join(_KEPT[rule] for rule in keep)}.",
        ),
        click.option(
            "--confirm",
            type=click.Choice(["none", "sd256", "text"]),
            default=confirm,
            show_default=True,
            help=help_text(
                "confirm",
                "Which documents within the distance are near-duplicates of the representative, not only candidates: "
                "all of them (none), those with a close sd256 fingerprint, or those with a similar text.",
            ),
        ),
        min_similarity_option("Minimum share of common words for --confirm text."),
        _templates_option("documents"),
        click.option(
            "--scheme",
            type=click.Choice(list(get_schemes())),
            default=scheme,
            show_default=True,
            help=help_text("scheme", "Scheme of the fingerprints."),
        ),
        distance_option,
        min_tokens_option,
        path_options("output", "html", "remove_list"),
    ]

    def with_options(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return with_options


@dataclass(frozen=True, slots=True)
class Comparison:
    """How documents are read and compared: the options of `cluster_options` except the scheme and the outputs."""

    keep: Keep
    confirm: Confirm
    min_similarity: int
    never_remove: tuple[str, ...]
    templates: Templates
    distance: Distance
    options: ReadOptions
    jobs: int | None

    def distance_for(self, scheme: str, documents: int) -> int:
        """Return the distance for so many documents."""
        wide = get_scheme(CONFIRMING_SCHEME).close if self.confirm == CONFIRMING_SCHEME and scheme == "sd64" else None
        tokens = max(SHORTEST, self.options.min_tokens)
        return chosen_distance(self.distance, get_scheme(scheme), documents, tokens=tokens, confirmed=wide)

    def compared(
        self, places: tuple[str, ...], scheme: str, distance: int, failures: list[tuple[str, str]]
    ) -> Compared:
        """Return what a page says about the comparison."""
        share = f"shares at least {self.min_similarity} % of its words with the kept document"
        wide = f"has an {CONFIRMING_SCHEME} fingerprint close to the fingerprint of the kept document"
        near = {"none": "has a near fingerprint", "sd256": wide, "text": share}[self.confirm]
        confirmed = {"none": "not confirmed", "sd256": f"confirmed by {CONFIRMING_SCHEME}", "text": "texts compared"}
        method = f"{scheme} fingerprints within {counted(distance, 'bit')}, {confirmed[self.confirm]}"
        details = (
            ("Fingerprints", f"{scheme}: at most {distance} of {get_scheme(scheme).bits} bits differ"),
            ("Near-duplicate", f"a document that {near}"),
            ("Kept", _KEPT[self.keep]),
            ("Templates", {"keep": "their documents are candidates", "drop": "like other documents"}[self.templates]),
        )
        return Compared(places, distance, method, details, near, failures)

    def clusters(
        self, near: list[list[ComparedDocument]], distance: int, texts: DocumentTexts | None, shown: int
    ) -> list[Cluster]:
        """Return the clusters in connected components of near documents.

        Args:
            near: the components.
            distance: the distance within which they are near.
            texts: what reads the texts that are compared or shown; None if none are.
            shown: how many characters of each text are stored for the page.
        """
        if texts:
            documents = [document for component in near for document in component]
            with Progress(None).begin(f"reading {counted(len(documents), 'text')} to compare"):
                texts.load(documents, self.options, self.jobs, shown)
        rule = Rule(distance, self.keep, self.confirm, self.min_similarity / 100, self.never_remove, self.templates)
        return make_clusters(near, rule, texts)
