"""`simhash-doc compare`: the distance of two documents or fingerprints."""

from __future__ import annotations

import json
import os

import click

from simhash_doc.cli.batch import fingerprint_documents
from simhash_doc.cli.documents import STANDARD_INPUT
from simhash_doc.cli.reading import Reading, reading_options
from simhash_doc.errors import SchemeMismatchError, SpecError
from simhash_doc.pinned import schemes
from simhash_doc.value import Fingerprint


@click.command(
    epilog="""\b
Examples:
  simhash-doc compare draft.txt final.txt
  simhash-doc compare paper.pdf paper.html
  simhash-doc compare sd64:larqgiqsckcca article.txt --format json
"""
)
@click.argument("a")
@click.argument("b")
@click.option("--scheme", type=click.Choice(list(schemes())), help="Width, for two files.  [default: sd64]")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@reading_options
def compare(a: str, b: str, scheme: str | None, output_format: str, reading: Reading) -> int:
    """Print the Hamming distance of A and B, their similarity, and the verdict: close, loose or distinct.

    Each is a document of any medium that `fingerprint` takes, a fingerprint, or - for standard
    input. What exists as a file is read as one. A file beside a fingerprint gets the fingerprint's scheme.
    """
    given = [None if _is_file(name) else _parsed(name, scheme) for name in (a, b)]
    schemes_given = {parsed.scheme_id for parsed in given if parsed}
    if len(schemes_given) > 1:
        raise click.UsageError(f"fingerprints of {' and '.join(sorted(schemes_given))} cannot be compared")
    wanted = next(iter(schemes_given), scheme or "sd64")
    if scheme and wanted != scheme:
        raise click.UsageError(f"the fingerprint is of scheme {wanted}, not {scheme}")
    made = _of_files([name for name, parsed in zip((a, b), given, strict=True) if parsed is None], wanted, reading)
    left, right = (parsed or made.get(name) for name, parsed in zip((a, b), given, strict=True))
    if left is None or right is None:
        return 1
    distance, similarity, verdict = left.distance(right), left.similarity(right), left.verdict(right)
    if output_format == "json":
        fields = {"a": a, "b": b, "scheme": wanted, "distance": distance, "similarity": similarity, "verdict": verdict}
        click.echo(json.dumps(fields))
    else:
        click.echo(f"{verdict}: {distance} of {left.scheme.bits} bits differ, similarity {similarity:.3f}")
    return 0


def _is_file(name: str) -> bool:
    return name == STANDARD_INPUT or os.path.exists(name)


def _parsed(name: str, scheme: str | None) -> Fingerprint:
    try:
        return Fingerprint.parse(name, scheme)
    except SchemeMismatchError as error:
        raise click.UsageError(str(error)) from error
    except SpecError as error:
        raise click.UsageError(
            f"{name!r} is no file, and no fingerprint either ({error.error_class}: {error})"
        ) from error


def _of_files(names: list[str], scheme: str, reading: Reading) -> dict[str, Fingerprint]:
    """Return the fingerprints of the files that have one, and tell on standard error what is wrong with the others."""
    made: dict[str, Fingerprint] = {}
    for outcome in fingerprint_documents(names, scheme, reading=reading):
        if outcome.fingerprint and outcome.path not in names:
            raise click.UsageError(f"{outcome.path.partition('#')[0]} holds many documents: compare takes one")
        if outcome.fingerprint:
            made[outcome.path] = outcome.fingerprint
    return made
