"""The options of all commands that leave out duplicates. They make a `Policy`, which has the defaults."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import click

from simhash_doc.command_line.help import Number
from simhash_doc.command_line.options import Decorated, computed_scheme_option
from simhash_doc.console.messages import print_notice
from simhash_doc.duplicates.policy import BY_COLUMN, FIRST, LONGEST, NEWEST, OLDEST, Policy
from simhash_doc.schemes import get_scheme

_DEFAULT = Policy()
_RULES = {
    LONGEST: "longest: the text with the most numbers, then the longest",
    OLDEST: "oldest: the oldest file or capture",
    NEWEST: "newest: the newest file or capture",
    FIRST: "first: the first in the input",
    BY_COLUMN: f"{BY_COLUMN}NAME: the lowest value in a column, for example a date",
}


@dataclass(frozen=True, slots=True)
class Door:
    """What the options of a command say of its documents.

    Attributes:
        noun: what they are called, in the plural.
        keep: the rules for which of them is kept; the default is the default of the policy.
        sources: what --never-remove names, as its value in the help.
        source_type: the type of its values.
        scheme: what the help says about the default of --scheme, if that is not the default of the policy.
    """

    noun: str
    keep: tuple[str, ...]
    sources: str
    source_type: Any = str
    scheme: str = ""


def min_similarity_option(text: str, least: int = 1) -> Callable[[Decorated], Decorated]:
    """Return the option --min-similarity with its help and the least value."""
    return click.option(
        "--min-similarity",
        type=Number(least, 100),
        default=round(100 * _DEFAULT.min_similarity),
        show_default=True,
        metavar="PERCENT",
        help=text,
    )


def policy_options(door: Door) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds the options of the policy; the command receives `policy`.

    If the door has a scheme of its own, the command also receives `scheme`, None if it is not given.
    """

    def with_options(command: Decorated) -> Decorated:
        @functools.wraps(command)
        def with_policy(*arguments: Any, min_similarity: int, never_remove: tuple[str, ...], **given: Any) -> Any:
            from simhash_doc.cli.distance import reject_unrelated_distance

            if min_similarity == 1:  # in Python, 1 is all of them
                print_notice("--min-similarity 1 is 1 % of the words; 100 leaves out only the same text")
            names = ("distance", "numbers", "keep", "min_tokens")
            policy = Policy(
                scheme=given["scheme"] or _DEFAULT.scheme,
                min_similarity=min_similarity / 100,
                protected=never_remove,
                **{name: given.pop(name) for name in names},
            )
            if not door.scheme:
                del given["scheme"]
                reject_unrelated_distance(policy.distance, get_scheme(policy.scheme))
            return command(*arguments, policy=policy, **given)

        decorated: Any = with_policy
        for option in reversed(_options(door)):
            decorated = option(decorated)
        return decorated  # type: ignore[no-any-return]

    return with_options


def _options(door: Door) -> list[Callable[[Any], Any]]:
    loose = get_scheme(_DEFAULT.scheme)
    return [
        min_similarity_option(
            "Minimum share of common words, and of common distinct words. 100 leaves out only the same text, except "
            "for white space, unless numbers are ignored."
        ),
        click.option(
            "--numbers",
            type=click.Choice(["keep", "ignore"]),
            default=_DEFAULT.numbers,
            show_default=True,
            help=f"keep: leave out {door.noun} only if the kept text contains all of their numbers. ignore: do not "
            "compare numbers.",
        ),
        click.option(
            "--keep",
            default=_DEFAULT.keep,
            show_default=True,
            metavar="RULE",
            callback=functools.partial(_keep_rule, door),
            shell_complete=functools.partial(_rules, door),
            help=f"Which of several similar {door.noun} to keep. {'. '.join(_RULES[rule] for rule in door.keep)}.",
        ),
        click.option(
            "--min-tokens",
            type=Number(0),
            default=_DEFAULT.min_tokens,
            metavar="N",
            help=f"Leave out {door.noun} with fewer tokens only if the kept text is equal.",
        ),
        click.option(
            "--never-remove",
            multiple=True,
            metavar=door.sources,
            type=door.source_type,
            help=f"Keep all {door.noun} of {door.sources}, and prefer them to others. Repeatable.",
        ),
        computed_scheme_option(
            "Scheme of the fingerprints." + (f"  [default: {door.scheme}]" if door.scheme else ""),
            None if door.scheme else _DEFAULT.scheme,
        ),
        click.option(
            "--distance",
            type=Number(0),
            metavar="N",
            help="Maximum number of differing bits.  "
            f"[default: loose threshold of the scheme, {loose.loose} for {loose.id}]",
        ),
    ]


def _rules(door: Door, context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the rules that begin with what was typed."""
    return [rule for rule in door.keep if rule.startswith(incomplete)]


def _keep_rule(door: Door, context: click.Context, parameter: click.Parameter, rule: str) -> str:
    by_column = BY_COLUMN in door.keep and rule.startswith(BY_COLUMN)
    if rule not in door.keep and not by_column:
        *others, last = (f"{one}NAME" if one == BY_COLUMN else one for one in door.keep)
        expected = f"{', '.join(others)}, or {last}"
        raise click.BadParameter(f"{rule!r} is not a rule; expected {expected}", context, parameter)
    return rule
