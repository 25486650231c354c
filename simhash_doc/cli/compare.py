"""`simhash-doc compare` and `simhash-doc decode`: the distance of two fingerprints, and the parts of one."""

from __future__ import annotations

import json
import os
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.cli.distance import SOURCE, chosen_distance, maximum_distance
from simhash_doc.cli.document_options import read_options
from simhash_doc.cli.exit_status import TROUBLE, failure_status, set_failure_status
from simhash_doc.command_line.help import SectionedCommand
from simhash_doc.command_line.options import (
    check_read_once,
    computed_scheme_option,
    named_scheme,
    output_option,
    quiet_option,
    standard_input,
)
from simhash_doc.command_line.output_formats import text_or_json_option
from simhash_doc.console.guards import check_outputs
from simhash_doc.console.messages import NO_URLS, escape_path, is_quiet, is_url, print_notice
from simhash_doc.console.output import STANDARD_OUTPUT, printing
from simhash_doc.schemes import get_scheme
from simhash_doc.thresholds import SHORTEST, Distance

if TYPE_CHECKING:
    from simhash_doc.fingerprint import Fingerprint
    from simhash_doc.ingest import FingerprintResult, ReadOptions

_SHOWN = 50  # tokens
_HEX = re.compile(r"(?:0[xX])?(?:[0-9a-fA-F]{16}){1,8}", re.ASCII)


@click.command(
    "compare",
    cls=SectionedCommand,
    epilog="""\b
Examples:
  simhash-doc compare draft.txt final.txt
  simhash-doc compare paper.pdf paper.html
  simhash-doc compare sd64:larqgiqsckcca article.txt --json
  curl -s https://example.org/ | simhash-doc compare saved.html -
  if simhash-doc compare --check -q old.txt new.txt; then echo near; fi

Exit status with --check: 0 near, 1 far, 2 trouble, as for diff and cmp.
""",
)
@click.argument("a")
@click.argument("b", required=False, metavar="B")
@computed_scheme_option(
    "Scheme of the documents; wider fingerprints are narrowed to it.  "
    "[default: the scheme of the fingerprint, or sd64]",
    None,
)
@click.option(
    "--distance",
    callback=maximum_distance,
    metavar="N|auto",
    help="Also print whether A and B are within N bits. auto is the distance recommended for two texts of their length "
    f"({SOURCE}).",
)
@click.option(
    "--explain", is_flag=True, help="Also print the tokens that only A or only B has, and the bits that differ."
)
@click.option(
    "--check",
    is_flag=True,
    help="Exit with status 0 if A and B are within --distance (by default the close threshold of the scheme), "
    "otherwise with status 1. With --quiet, print no result.",
)
@text_or_json_option
@output_option
@quiet_option
@read_options
def compare_command(
    a: str,
    b: str | None,
    scheme: str | None,
    distance: Distance,
    explain: bool,
    check: bool,
    output_format: str,
    output: str,
    options: ReadOptions,
) -> int:
    """Compare two documents or fingerprints.

    The output is their Hamming distance, their similarity, and the verdict: close, loose or distinct.

    A and B are each a document of any format that `fingerprint` reads, a fingerprint in base32 or hexadecimal, or -
    for standard input. If a file with the name exists, the command reads it. A document compared with a fingerprint
    gets the scheme of that fingerprint.
    """
    if check:
        set_failure_status(TROUBLE)
    if b is None:
        raise click.UsageError(f"Missing argument 'B': compare takes two; `compare {a} -` reads B from standard input")
    names = (a, b)
    check_read_once(a, b)
    for name in filter(os.path.isdir, names):
        raise click.UsageError(
            f"{name} is a directory; compare takes two documents, and dedupe all documents of a directory"
        )
    check_outputs(output, inputs=names)
    narrowed = named_scheme(scheme)
    parsed = {name: _parsed(name, narrowed) for name in names if not _is_file(name)}
    schemes = sorted({fingerprint.scheme.id for fingerprint in parsed.values()}, key=lambda one: get_scheme(one).bits)
    if len(schemes) > 1:
        raise click.UsageError(
            f"fingerprints of {' and '.join(schemes)} cannot be compared; --scheme {schemes[0]} narrows the wider one"
        )
    target_scheme = narrowed or next(iter(schemes), scheme or "sd64")
    read = _of_files([name for name in names if name not in parsed], target_scheme, options, explain)
    fingerprints = parsed | {name: result.fingerprint for name, result in read.items() if result.fingerprint}
    if not fingerprints.keys() >= set(names):
        return failure_status()
    left, right = fingerprints[a], fingerprints[b]
    from simhash_doc.provenance import MIXED, ProvenanceWarning

    if left.canonical != right.canonical:
        print_notice(f"simhash-doc: warning: {MIXED}")
    with warnings.catch_warnings(action="ignore", category=ProvenanceWarning):
        bits, similarity, verdict = left.distance(right), left.similarity(right), left.verdict(right)
    tokens = min((result.tokens for result in read.values()), default=SHORTEST)
    maximum = left.scheme.close if check else None
    if distance is not None:
        maximum = chosen_distance(distance, left.scheme, len(names), tokens=tokens)
    status = int(check and maximum is not None and bits > maximum)
    if check and is_quiet() and output == STANDARD_OUTPUT:
        return status
    different = _different_tokens(read.get(a), read.get(b)) if explain else None
    places = [at for at in range(left.scheme.bits) if (left.value ^ right.value) >> (left.scheme.bits - 1 - at) & 1]
    with printing(output) as show:
        if output_format == "json":
            fields = {"a": a, "b": b, "scheme": target_scheme, "distance": bits, "similarity": similarity}
            within = {} if maximum is None else {"maximum_distance": maximum, "within": bits <= maximum}
            explained = {"differing_bits": places, "tokens": different} if explain else {}
            show(json.dumps({**fields, "verdict": verdict, **within, **explained}))
        else:
            differ = "differs" if bits == 1 else "differ"
            limit = "" if maximum is None else f", {'within' if bits <= maximum else 'not within'} {maximum}"
            show(f"{verdict}: {bits} of {left.scheme.bits} bits {differ}, similarity {similarity:.3f}{limit}")
            if explain:
                show(f"bits that differ, from 0: {' '.join(map(str, places)) or 'none'}")
            for side, words in (different or {}).items():
                show(f"only in {escape_path(a if side == 'only_a' else b)}: {_listed(words)}")
    return status


def _different_tokens(
    left: FingerprintResult | None, right: FingerprintResult | None
) -> dict[str, dict[str, int]] | None:
    """Return the tokens that only one of two texts has, or has more often, as far as they count; None without texts."""
    if not (left and right and left.trace and right.trace):
        return None
    first, second = (Counter({one.token: one.counted for one in trace.tokens}) for trace in (left.trace, right.trace))
    return {"only_a": dict(first - second), "only_b": dict(second - first)}


def _listed(tokens: dict[str, int]) -> str:
    """Return tokens with their counts, those that count most first."""
    ordered = sorted(tokens, key=lambda token: (-tokens[token], token))
    shown = [token if tokens[token] == 1 else f"{token} ({tokens[token]})" for token in ordered[:_SHOWN]]
    more = [f"and {len(ordered) - _SHOWN:,} more"] if len(ordered) > _SHOWN else []
    return " ".join([*shown, *more]) or "none"


@click.command(
    "decode",
    epilog="""\b
Examples:
  simhash-doc decode sd64:larqgiqsckcca
  simhash-doc decode larqgiqsckcca --json
  simhash-doc fingerprint articles/ | simhash-doc decode --json
""",
)
@click.argument("fingerprints", nargs=-1, metavar="[FINGERPRINT]...")
@text_or_json_option
@output_option
def decode_command(fingerprints: tuple[str, ...], output_format: str, output: str) -> int:
    """Print the scheme, value and bits of fingerprints.

    FINGERPRINT is base32 or hexadecimal. Without a prefix such as sd64:, the scheme follows from the length. The
    command rejects a malformed fingerprint with the reason, and the status is 2.

    Without FINGERPRINT, the command reads standard input, in every format that other commands write. Standard error
    names each line that cannot be read, and the status is 1. The output contains all others.
    """
    from simhash_doc.fingerprint import Fingerprint

    for name in filter(os.path.isfile, fingerprints):
        raise click.UsageError(
            f"{name} is a file: `simhash-doc decode < {name}` reads its fingerprints, and `simhash-doc fingerprint "
            f"{name}` computes the fingerprint of a document"
        )
    errors = None
    decoded: Iterable[Fingerprint] = [
        _parsed(one, None) if _HEX.fullmatch(one) else Fingerprint.parse(one) for one in fingerprints
    ]
    if not fingerprints:
        from simhash_doc.cli.entry_input import LineErrors  # slow to load: they need numpy
        from simhash_doc.cli.store_options import read_rows
        from simhash_doc.entries.entry import fingerprint_of

        (source,) = standard_input("FINGERPRINT")
        errors = LineErrors(source)
        decoded = (found for _, found in read_rows(source, errors, fingerprint_of))
    with printing(output) as show:
        for at, one in enumerate(decoded):
            _show_parts(one, show, output_format, is_first=at == 0)
    if errors:
        errors.finish()
    return 1 if errors and errors.count else 0


def _show_parts(parsed: Fingerprint, show: Callable[[str], object], output_format: str, *, is_first: bool) -> None:
    """Show a fingerprint as a line of JSON, or as lines of text after a blank line."""
    fields = {
        "scheme": parsed.scheme.id,
        "canonical": parsed.canonical,
        "fingerprint": str(parsed),
        "base32": parsed.base32,
        "hex": parsed.hex,
        "bits": f"{parsed.value:0{parsed.scheme.bits}b}",
    }
    if output_format == "json":
        show(json.dumps(fields))
        return
    if not is_first:
        show("")
    for name, value in fields.items():
        show(f"{name:<12} {str(value).lower()}")


def _is_file(name: str) -> bool:
    return name == STANDARD_INPUT or os.path.exists(name)


def _parsed(name: str, scheme: str | None) -> Fingerprint:
    from simhash_doc.cli.entry_input import parsed_fingerprint  # slow to load: it needs numpy

    for at in (match.start() for match in re.finditer("#", name)):
        if os.path.isfile(crawl := name[:at]):
            raise click.UsageError(
                f"{name!r} is a document inside {crawl}; compare reads files, and documents inside one are compared by "
                f"their fingerprints, which `simhash-doc fingerprint {crawl}` prints"
            )
    if is_url(name):
        raise click.UsageError(f"{name}: {NO_URLS}")
    return parsed_fingerprint(name, scheme)


def _of_files(names: list[str], scheme: str, options: ReadOptions, traced: bool) -> dict[str, FingerprintResult]:
    """Return the results of the files that have a fingerprint; errors are printed."""
    from simhash_doc.cli.document_report import find_sources, report
    from simhash_doc.ingest import fingerprint_documents

    found: dict[str, FingerprintResult] = {}
    walked = find_sources(names, options.selection)
    results = fingerprint_documents(walked.sources, get_scheme(scheme), options=replace(options, traced=traced))
    for result in report(results, walked) if names else ():
        if result.fingerprint and result.path not in names:
            raise click.UsageError(f"{result.path.partition('#')[0]} holds several documents; compare takes one")
        if result.fingerprint:
            found[result.path] = result
    return found
