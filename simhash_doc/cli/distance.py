"""The option `--distance`, whose `auto` is the one recommended for a collection. It needs no NumPy, for `compare`."""

from __future__ import annotations

import click

from simhash_doc.command_line.help import Number
from simhash_doc.command_line.options import failure
from simhash_doc.console.messages import counted, print_notice
from simhash_doc.schemes import Scheme, get_scheme, get_schemes
from simhash_doc.thresholds import CONFIRMATIONS, SHORTEST, Distance, ThresholdParameterError, resolve_distance

SOURCE = "specification, search.md, section 3"
WIDEST = max(scheme.bits for scheme in get_schemes().values())


def maximum_distance(context: click.Context, parameter: click.Parameter, text: str | None) -> Distance:
    """Return the value of the option, of which None is the default."""
    if text is None or text == "auto":
        return text  # type: ignore[return-value]
    if not (text.isascii() and text.isdigit() and int(text) < WIDEST):
        raise click.BadParameter(f"{text!r} is neither a number from 0 to {WIDEST - 1} nor auto", context, parameter)
    return int(text)


DEFAULT_DISTANCE = f"[default: close threshold of the scheme, {get_scheme('sd64').close} for sd64]"
distance_option = click.option(
    "--distance",
    callback=maximum_distance,
    metavar="N|auto",
    help="Maximum number of differing bits. auto is the distance recommended for the number of fingerprints, for texts "
    f"of {SHORTEST} tokens or more ({SOURCE}).  {DEFAULT_DISTANCE}",
)
sd64_distance_option = click.option(
    "--sd64-distance",
    type=Number(0, get_scheme("sd64").bits // 2 - 1),
    metavar="BITS",
    help="Search only the first 64 bits of wider fingerprints, within this distance. Keep the pairs that are also "
    "within --distance. This is far faster, and recommended beyond 10 million documents "
    f"({get_scheme('sd64').close}, and {min(CONFIRMATIONS)} bits of sd256).",
)


def reject_unrelated_distance(distance: Distance | str, scheme: Scheme) -> None:
    """Reject a distance within which unrelated texts are.

    Raises:
        click.UsageError: it is half of the bits of the scheme, or more.
    """
    half = scheme.bits // 2
    if isinstance(distance, int) and distance >= half:
        raise click.UsageError(
            f"--distance is {distance}; expected less than {half} for {scheme.id}: "
            f"unrelated texts differ in about half of its {scheme.bits} bits"
        )


def chosen_distance(
    distance: Distance, scheme: Scheme, fingerprints: int, *, tokens: int = SHORTEST, confirmed: int | None = None
) -> int:
    """Return the distance that the option means; print which one auto is, and if less than the default is recommended.

    Args:
        distance: the value of `distance_option`.
        scheme: the scheme of the fingerprints.
        fingerprints: the size of the collection.
        tokens, confirmed: see `threshold_for`.

    Raises:
        click.UsageError: auto, and no distance of the scheme is recommended; see also `reject_unrelated_distance`.
    """
    reject_unrelated_distance(distance, scheme)
    try:
        chosen, best = resolve_distance(distance, scheme, fingerprints, tokens=tokens, confirmed=confirmed)
    except ThresholdParameterError as error:
        raise failure(error, f"--distance auto: {error} ({SOURCE})") from error
    among = f"{counted(fingerprints, f'{scheme.id} fingerprint')} of texts of {tokens} tokens or more ({SOURCE})"
    if distance == "auto":
        print_notice(f"simhash-doc: --distance auto is {best}, recommended for {among}")
    elif distance is None and (best is None or best < chosen):
        less = "none" if best is None else best
        print_notice(f"simhash-doc: the default distance is {chosen}; {less} is recommended for {among}")
    return chosen
